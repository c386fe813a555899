//! The medium-level API: playing, fading and stopping animations.
//!
//! If several instances of an animation play, functions that take an animation act on the instance added last.

use super::controller::{AnimationController, number, start_fade_in};
use super::parameters::{AnimationParameters, FadeMode, duration};
use super::{BlendMode, ControlError};
use crate::animation::AnimationIndex;

impl AnimationController {
    /// Returns the position of the last added instance of an animation.
    pub fn find_last_animation(&self, animation: AnimationIndex) -> Option<usize> {
        let mut instances = self.animations().iter();
        instances.rposition(|instance| instance.animation == animation)
    }

    /// Returns the position of the last added instance of an animation on a layer.
    pub fn find_last_animation_on_layer(
        &self,
        animation: AnimationIndex,
        layer: u32,
    ) -> Option<usize> {
        let mut instances = self.animations().iter();
        instances.rposition(|instance| instance.animation == animation && instance.layer == layer)
    }

    /// Returns the parameters of the last added instance of an animation.
    pub fn last_animation_parameters(
        &self,
        animation: AnimationIndex,
    ) -> Option<&AnimationParameters> {
        self.animation_parameters(self.find_last_animation(animation)?)
    }

    /// Returns whether an animation plays, even if it is fading out.
    pub fn is_playing(&self, animation: AnimationIndex) -> bool {
        self.find_last_animation(animation).is_some()
    }

    /// Plays a new instance of an animation and fades it in over `fade_in` seconds. Returns its position. With an
    /// [inertial](super::FadeMode::Inertial) fade it has its full weight immediately, and inertialization smooths the
    /// switch.
    ///
    /// # Errors
    /// Like [`Self::add_animation`].
    pub fn play_new(
        &mut self,
        parameters: AnimationParameters,
        fade_in: f32,
    ) -> Result<usize, ControlError> {
        let mode = parameters.fade_mode;
        let index = self.add_animation(start_fade_in(parameters, fade_in))?;
        self.record_switch(mode == FadeMode::Inertial, fade_in);
        Ok(index)
    }

    /// Like [`Self::play_new`], and fades out everything else on its layer in the same mode. On layers above 0 a
    /// crossfade does not reveal the layers below: its animations [share the layer](AnimationParameters::shares_layer)
    /// from then on.
    ///
    /// # Errors
    /// Like [`Self::add_animation`].
    pub fn play_new_exclusive(
        &mut self,
        parameters: AnimationParameters,
        fade_in: f32,
    ) -> Result<usize, ControlError> {
        let (layer, mode) = (parameters.layer, parameters.fade_mode);
        let index = self.play_new(parameters, fade_in)?;
        self.stop_others(layer, index, fade_in, mode);
        Ok(index)
    }

    /// Plays an animation unless it already plays on that layer. If it does, sets its speed, fades to the given weight
    /// over `fade_in` seconds, and keeps everything else. Can be called every frame: a running fade to the same weight
    /// continues. Returns its position.
    ///
    /// # Errors
    /// Like [`Self::add_animation`].
    pub fn play_existing(
        &mut self,
        parameters: AnimationParameters,
        fade_in: f32,
    ) -> Result<usize, ControlError> {
        let found = self.find_last_animation_on_layer(parameters.animation, parameters.layer);
        let Some(index) = found else {
            return self.play_new(parameters, fade_in);
        };
        parameters.check(self.animation_set())?;
        let mut switches = false;
        self.change(index, |instance| {
            instance.speed = parameters.speed;
            instance.fade_mode = parameters.fade_mode;
            instance.remove_on_zero_weight = parameters.remove_on_zero_weight;
            if instance.target_weight != parameters.target_weight {
                switches = instance.fade_to(parameters.target_weight, fade_in);
            }
        });
        self.record_switch(switches, fade_in);
        Ok(index)
    }

    /// Like [`Self::play_existing`], and fades out everything else on its layer, including older instances of the same
    /// animation.
    ///
    /// # Errors
    /// Like [`Self::add_animation`].
    pub fn play_existing_exclusive(
        &mut self,
        parameters: AnimationParameters,
        fade_in: f32,
    ) -> Result<usize, ControlError> {
        let (layer, mode) = (parameters.layer, parameters.fade_mode);
        let index = self.play_existing(parameters, fade_in)?;
        self.stop_others(layer, index, fade_in, mode);
        Ok(index)
    }

    /// Fades an animation to a weight over `seconds`. At zero it is removed, unless it is set to be kept. Returns
    /// `false` if it does not play or the weight is not finite.
    pub fn fade(&mut self, animation: AnimationIndex, target_weight: f32, seconds: f32) -> bool {
        let (Some(index), Some(weight)) =
            (self.find_last_animation(animation), number(target_weight))
        else {
            return false;
        };
        let mut switches = false;
        self.change(index, |instance| {
            switches = instance.fade_to(weight, seconds)
        });
        self.record_switch(switches, seconds);
        true
    }

    /// Fades an animation out over `seconds` and removes it; without a fade it is removed by the next update. A
    /// running fade-out can be shortened, not lengthened. Returns `false` if it does not play.
    pub fn stop(&mut self, animation: AnimationIndex, seconds: f32) -> bool {
        let found = self.find_last_animation(animation);
        if let Some(index) = found {
            self.stop_where(seconds, None, |position, _| position == index);
        }
        found.is_some()
    }

    /// Stops all animations on a layer; returns their number.
    pub fn stop_layer(&mut self, layer: u32, seconds: f32) -> usize {
        self.stop_where(seconds, None, |_, instance| instance.layer == layer)
    }

    /// Stops all animations on a layer except the one at `index`; returns their number.
    ///
    /// # Errors
    /// If nothing plays at `index`; nothing is stopped then.
    pub fn stop_layer_except(
        &mut self,
        layer: u32,
        index: usize,
        seconds: f32,
    ) -> Result<usize, ControlError> {
        self.instance(index)?;
        let stops =
            |position, instance: &AnimationParameters| instance.layer == layer && position != index;
        Ok(self.stop_where(seconds, None, stops))
    }

    /// Stops all animations; returns their number.
    pub fn stop_all(&mut self, seconds: f32) -> usize {
        self.stop_where(seconds, None, |_, _| true)
    }

    /// Sets the time of an animation, clamped to its range, without firing triggers. Returns `false` if it does not
    /// play or the time is NaN.
    pub fn update_animation_time(&mut self, animation: AnimationIndex, seconds: f32) -> bool {
        let (Some(index), false) = (self.find_last_animation(animation), seconds.is_nan()) else {
            return false;
        };
        self.change(index, |instance| instance.time.set(seconds));
        true
    }

    /// Sets the weight of an animation, immediately or over `seconds`. Returns `false` if it does not play or the
    /// weight is not finite.
    pub fn update_animation_weight(
        &mut self,
        animation: AnimationIndex,
        weight: f32,
        seconds: f32,
    ) -> bool {
        let (Some(index), Some(weight)) = (self.find_last_animation(animation), number(weight))
        else {
            return false;
        };
        let mut switches = false;
        self.change(index, |instance| {
            if duration(seconds) == 0.0 {
                instance.weight = weight;
            }
            switches = instance.fade_to(weight, seconds);
        });
        self.record_switch(switches, seconds);
        true
    }

    /// Sets the speed of an animation. Returns `false` if it does not play or the speed is not finite.
    pub fn update_animation_speed(&mut self, animation: AnimationIndex, speed: f32) -> bool {
        let (Some(index), Some(speed)) = (self.find_last_animation(animation), number(speed))
        else {
            return false;
        };
        self.change(index, |instance| instance.speed = speed);
        true
    }

    /// Stops the other animations on the layer of a starting one, in its fade mode.
    ///
    /// On layers above 0 a crossfade must not reveal the layers below. All of its animations therefore [share the
    /// layer](AnimationParameters::shares_layer), and the outgoing ones fade out within the remaining fade time of the
    /// incoming one. All weights are linear and end at the same time, so their sum changes linearly to the weight of
    /// the incoming one, however many fades are interrupted.
    fn stop_others(&mut self, layer: u32, index: usize, seconds: f32, mode: FadeMode) {
        let stops =
            |position, instance: &AnimationParameters| instance.layer == layer && position != index;
        let incoming = self.state.animations.get(index);
        let remaining = incoming.map_or(0.0, |instance| instance.target_weight_delay);
        let is_crossfade = layer > 0 && mode == FadeMode::Cross && remaining > 0.0;
        self.stop_where(seconds, Some(mode), stops);
        if !is_crossfade {
            return;
        }
        let mut changed = false;
        for (position, instance) in self.state.animations.iter_mut().enumerate() {
            if instance.layer != layer || instance.blend_mode != BlendMode::Lerp {
                continue;
            }
            changed |= !instance.shares_layer;
            instance.shares_layer = true;
            if position != index {
                changed |= instance.target_weight_delay != remaining;
                instance.target_weight_delay = remaining;
            }
        }
        self.state.is_dirty |= changed;
    }

    /// Stops animations, in their own fade mode unless another is given.
    fn stop_where(
        &mut self,
        seconds: f32,
        mode: Option<FadeMode>,
        stops: impl Fn(usize, &AnimationParameters) -> bool,
    ) -> usize {
        let mut count = 0;
        let (mut changed, mut switches) = (false, false);
        for (index, instance) in self.state.animations.iter_mut().enumerate() {
            if stops(index, instance) {
                count += 1;
                let done = instance.stop_with(seconds, mode.unwrap_or(instance.fade_mode));
                changed |= done.0;
                switches |= done.1;
            }
        }
        self.state.is_dirty |= changed;
        self.record_switch(switches, seconds);
        count
    }

    /// Records a discontinuity of the motion that is to be smoothed within `seconds`.
    pub(super) fn record_switch(&mut self, switches: bool, seconds: f32) {
        let seconds = duration(seconds);
        if switches && seconds > 0.0 {
            self.state.inertial_switch.record(seconds);
        }
    }
}
