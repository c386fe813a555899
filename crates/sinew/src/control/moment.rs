//! A moment of an animation, applied to something.

use super::blend::{How, how, is_full, shared_weight};
use super::explain::Contribution;
use super::source::{Said, Value};
use super::{AnimationParameters, BlendMode};
use crate::animation::{Animation, ChannelValue, KeyTimes, Segment, Variant, VariantTrack};
use crate::math::Transform;
use alloc::vec::Vec;
use core::cell::Cell;
use glam::{Quat, Vec3};

/// A moment of an animation, and how it is applied.
pub(super) struct Moment<'a> {
    mode: BlendMode,
    time: f32,
    length: f32,
    wraps: bool,
    /// Where it lies among the times that were asked for last: the channels of captured motion share theirs.
    located: Cell<Option<(&'a KeyTimes, Segment)>>,
}

impl<'a> Moment<'a> {
    pub(super) fn new(parameters: &AnimationParameters, animation: &'a Animation) -> Self {
        Self {
            mode: parameters.blend_mode,
            time: parameters.time.value().clamp(0.0, animation.length),
            length: animation.length,
            wraps: parameters.wraps(),
            located: Cell::new(None),
        }
    }

    /// The time at which an animation without keys is sampled: a loop is at its beginning when it is at its end,
    /// where keys that reach so far lead to the first one.
    pub(super) fn time_in_loop(&self) -> f32 {
        match self.wraps && self.time >= self.length {
            true => 0.0,
            false => self.time,
        }
    }

    /// What a channel makes of a value; `None` where it is not applied.
    #[inline]
    fn channel<T: ChannelValue>(
        &self,
        channel: &impl Value<'a, T>,
        own: impl FnOnce() -> T,
        started: &mut bool,
        weight: f32,
    ) -> Option<T> {
        let how = how(self.mode, !*started, weight)?;
        *started = true;
        let sample = channel.at(self);
        Some(match how {
            How::Replace => sample,
            How::Mix => T::mix(own(), sample, weight),
            How::Add => T::add(own(), sample, channel.first(), weight),
        })
    }

    /// Where it lies among the times of keys.
    #[inline]
    pub(super) fn locate(&self, times: &'a KeyTimes) -> Segment {
        if let Some((known, segment)) = self.located.get()
            && known.is_shared_with(times)
        {
            return segment;
        }
        let segment = if self.wraps {
            times.locate_looped(self.time, self.length)
        } else {
            times.locate(self.time)
        };
        self.located.set(Some((times, segment)));
        segment
    }

    /// The value of a variant track.
    pub(super) fn variant(&self, track: &'a VariantTrack) -> Variant {
        track.at(self.locate(track.times()))
    }

    /// The key that holds, of keys at these times.
    pub(super) fn key(&self, times: &'a KeyTimes) -> usize {
        self.locate(times).from
    }

    /// Applies what an animation says of a joint to what has position, rotation and scale.
    #[inline]
    pub(super) fn apply(
        &self,
        said: &Said<impl Value<'a, Vec3>, impl Value<'a, Quat>>,
        amount: JointWeight<'_>,
        is: &mut impl Placed,
        started: &mut [bool; 3],
    ) {
        if let Some(channel) = &said.position {
            let weight = amount.of(0, said.weights.position);
            let own = || is.position();
            if let Some(value) = self.channel(channel, own, &mut started[0], weight) {
                is.set_position(value);
            }
        }
        if let Some(channel) = &said.rotation {
            let weight = amount.of(1, said.weights.rotation);
            let own = || is.rotation();
            if let Some(value) = self.channel(channel, own, &mut started[1], weight) {
                is.set_rotation(value);
            }
        }
        if let Some(channel) = &said.scale {
            let weight = amount.of(2, said.weights.scale);
            let own = || is.scale();
            if let Some(value) = self.channel(channel, own, &mut started[2], weight) {
                is.set_scale(value);
            }
        }
    }

    /// Applies what an animation says of a joint and lists what each channel did. `at` says which animation this
    /// is a moment of.
    pub(super) fn explain(
        &self,
        at: (usize, &AnimationParameters),
        said: &Said<impl Value<'a, Vec3>, impl Value<'a, Quat>>,
        amount: JointWeight<'_>,
        told: &mut Told,
    ) {
        let before = told.started;
        self.apply(said, amount, &mut told.is, &mut told.started);
        let (is, started, weights) = (told.is, told.started, said.weights);
        let above = amount.above.copied().unwrap_or_default();
        let counted = |channel: usize, own: f32| match amount.of(channel, own) {
            _ if !before[channel] => 1.0,
            weight if self.mode == BlendMode::Lerp && is_full(weight) => 1.0,
            weight => weight,
        };
        let mut tell = |quantity, [weight, above]: [f32; 2], value: Variant, result: Variant| {
            let contribution = Contribution::new(at, quantity, [weight, above], value, result);
            told.list.push(contribution);
        };
        if let Some(channel) = said.position.as_ref().filter(|_| started[0]) {
            let weight = [counted(0, weights.position), above[0] as f32];
            let value = channel.at(self);
            tell("position", weight, value.into(), is.position.into());
        }
        if let Some(channel) = said.rotation.as_ref().filter(|_| started[1]) {
            let weight = [counted(1, weights.rotation), above[1] as f32];
            let value = channel.at(self);
            tell("rotation", weight, value.into(), is.rotation.into());
        }
        if let Some(channel) = said.scale.as_ref().filter(|_| started[2]) {
            let weight = [counted(2, weights.scale), above[2] as f32];
            let value = channel.at(self);
            tell("scale", weight, value.into(), is.scale.into());
        }
    }
}

/// How much of an animation a joint takes.
#[derive(Clone, Copy)]
pub(super) struct JointWeight<'s> {
    /// The weight of the animation by that of the mask.
    pub(super) weight: f32,
    /// Where weights are shares of the layer, the shares of those that are blended over it: of position, rotation and
    /// scale.
    pub(super) above: Option<&'s [f64; 3]>,
}

impl JointWeight<'_> {
    /// The weight of a channel, by that of its track.
    #[inline]
    fn of(&self, channel: usize, track: f32) -> f32 {
        let weight = self.weight * track;
        match self.above {
            None => weight,
            Some(above) => shared_weight(weight, above[channel]),
        }
    }
}

/// What is told of a joint or node, and where it is by then.
#[derive(Default)]
pub(super) struct Told {
    pub(super) list: Vec<Contribution>,
    /// Whatever begins here is replaced by the first animation, unless something is below that.
    is: Transform,
    started: [bool; 3],
}

impl Told {
    /// Something that animations are blended with, as one of full weight below them would be.
    pub(super) fn over(base: Transform) -> Self {
        Self {
            list: Vec::new(),
            is: base,
            started: [true; 3],
        }
    }
}

/// What a transform track moves.
pub(super) trait Placed {
    fn position(&self) -> Vec3;
    fn rotation(&self) -> Quat;
    fn scale(&self) -> Vec3;
    fn set_position(&mut self, position: Vec3);
    fn set_rotation(&mut self, rotation: Quat);
    fn set_scale(&mut self, scale: Vec3);
}

impl Placed for Transform {
    fn position(&self) -> Vec3 {
        self.position
    }

    fn rotation(&self) -> Quat {
        self.rotation
    }

    fn scale(&self) -> Vec3 {
        self.scale
    }

    fn set_position(&mut self, position: Vec3) {
        self.position = position;
    }

    fn set_rotation(&mut self, rotation: Quat) {
        self.rotation = rotation;
    }

    fn set_scale(&mut self, scale: Vec3) {
        self.scale = scale;
    }
}
