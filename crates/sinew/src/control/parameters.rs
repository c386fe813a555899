//! The playback parameters of an animation.

use super::set::AnimationSet;
use super::wrapped::{ScalarRange, WrappedScalar};
use super::{BlendMode, ControlError, LARGE_EPSILON, LARGE_VALUE, Name};
use crate::animation::AnimationIndex;
use alloc::vec::Vec;

/// The expected value of durations.
const SECONDS: &str = "a finite number of seconds, not negative";

/// The inertialization time in seconds after an inertial animation ends without an automatic fade-out: that of
/// [`PoseCrossfade::default`](crate::PoseCrossfade).
const INERTIAL_END: f32 = 0.25;

/// How the weight of an animation changes in a fade.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum FadeMode {
    /// Linearly over the duration of the fade, blended with the other animations.
    #[default]
    Cross,
    /// Immediately. The motion switches, and the controller records an [`InertialSwitch`](super::InertialSwitch),
    /// which an [`Inertia`](crate::Inertia) smooths within the duration of the fade (inertialization). Without one it
    /// is a cut.
    Inertial,
}

/// The playback parameters of one instance of an animation: time range, speed, layer, blend mode and weight.
///
/// Plain data. Builder methods can be chained:
///
/// ```
/// # use sinew::{Animation, AnimationParameters, AnimationSet};
/// # let mut set = AnimationSet::new();
/// # let wave = set.add(Animation::new("wave", 2.0))?;
/// let parameters = AnimationParameters::new(&set, wave)
///     .looped()
///     .layer(1)
///     .start_bone("Spine")
///     .speed(1.5);
/// assert_eq!(parameters.time.max(), 2.0);
/// # Ok::<(), sinew::control::SetError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct AnimationParameters {
    /// The animation of the set; constant while it plays.
    pub animation: AnimationIndex,
    /// Distinguishes several instances of one animation; assigned by the controller and constant.
    pub instance_index: u32,
    /// Restarts at the end.
    pub looped: bool,
    /// If looped, plays backward from the end instead.
    #[cfg_attr(feature = "serde", serde(default))]
    pub ping_pong: bool,
    /// Whether it currently plays backward; for [`Self::ping_pong`].
    #[cfg_attr(feature = "serde", serde(default))]
    pub backwards: bool,
    /// Removed when it reaches its end, unless it is looped or fades out.
    pub remove_on_completion: bool,
    /// Animations are applied from the lowest layer to the highest, and within a layer in the order in which they were
    /// added.
    pub layer: u32,
    /// The blend mode.
    pub blend_mode: BlendMode,
    /// Restricts the animation to this joint, bone or node and its descendants; empty for no restriction. If there is
    /// none of that name, nothing is animated, and applying it returns a [warning](super::BindingWarning). Attributes
    /// of a scene are not below any bone and are always animated.
    #[cfg_attr(feature = "serde", serde(default))]
    pub start_bone: Name,
    /// A mask of the set with joint weights; empty for none.
    #[cfg_attr(feature = "serde", serde(default))]
    pub mask: Name,
    /// Looped animations of one group are synchronized; empty for none. Animations that ping-pong or are not looped
    /// keep their own time. See [`AnimationSet::add_registration`].
    #[cfg_attr(feature = "serde", serde(default))]
    pub sync_group: Name,
    /// Whether its weight is a share of its layer. Animations that share a layer are mixed by their weights, and the
    /// layers below are visible by 1 minus the sum of the weights. A crossfade between two of them, whose weights sum
    /// to 1, reveals nothing of the layers below. Otherwise it is blended over everything applied before it.
    /// Controllers set it when they crossfade on a layer above 0
    /// ([`play_new_exclusive`](super::AnimationController::play_new_exclusive)); additive animations ignore it.
    #[cfg_attr(feature = "serde", serde(default))]
    pub shares_layer: bool,
    /// How its weight changes in fades.
    #[cfg_attr(feature = "serde", serde(default))]
    pub fade_mode: FadeMode,
    /// The duration in seconds of the fade-out after its end; 0 for none. An [inertial](FadeMode::Inertial) animation
    /// that is removed at its end without one is smoothed within a quarter of a second.
    pub auto_fade_out_time: f32,
    /// The current time and its range in seconds. The range may exceed the animation, whose first or last pose is then
    /// held.
    pub time: WrappedScalar,
    /// The playback speed; negative plays backward.
    pub speed: f32,
    /// Removed when its weight and target weight are zero.
    pub remove_on_zero_weight: bool,
    /// The weight; clamped to 0 to 1 when applied.
    pub weight: f32,
    /// The weight at the end of the fade.
    pub target_weight: f32,
    /// The remaining duration of the fade in seconds.
    pub target_weight_delay: f32,
}

impl AnimationParameters {
    /// Plays an animation of a set once from beginning to end at full weight.
    pub fn new(set: &AnimationSet, animation: AnimationIndex) -> Self {
        Self::with_length(animation, set.length(animation).unwrap_or(LARGE_VALUE))
    }

    /// Like [`Self::new`], from `min` to `max` seconds.
    pub fn with_time_range(
        set: &AnimationSet,
        animation: AnimationIndex,
        min: f32,
        max: f32,
    ) -> Self {
        Self::new(set, animation).time_range(min, max)
    }

    /// Returns the defaults for an animation of `length` seconds.
    pub(super) fn with_length(animation: AnimationIndex, length: f32) -> Self {
        Self {
            animation,
            instance_index: 0,
            looped: false,
            ping_pong: false,
            backwards: false,
            remove_on_completion: true,
            layer: 0,
            blend_mode: BlendMode::Lerp,
            start_bone: Name::default(),
            mask: Name::default(),
            sync_group: Name::default(),
            shares_layer: false,
            fade_mode: FadeMode::Cross,
            auto_fade_out_time: 0.0,
            time: WrappedScalar::new(0.0, 0.0, length),
            speed: 1.0,
            remove_on_zero_weight: true,
            weight: 1.0,
            target_weight: 1.0,
            target_weight_delay: 0.0,
        }
    }

    /// Restarts at the end.
    pub fn looped(self) -> Self {
        Self {
            looped: true,
            ..self
        }
    }

    /// Loops back and forth.
    pub fn ping_pong(self) -> Self {
        Self {
            looped: true,
            ping_pong: true,
            ..self
        }
    }

    /// Restricts the animation to this joint, bone or node and its descendants.
    pub fn start_bone(self, name: impl Into<Name>) -> Self {
        Self {
            start_bone: name.into(),
            ..self
        }
    }

    /// Weights joints by a mask of the set.
    pub fn mask(self, name: impl Into<Name>) -> Self {
        Self {
            mask: name.into(),
            ..self
        }
    }

    /// Synchronizes it with the other looped animations of a group.
    pub fn sync_group(self, name: impl Into<Name>) -> Self {
        Self {
            sync_group: name.into(),
            ..self
        }
    }

    /// Mixes it with the others of its layer by their weights; see [`Self::shares_layer`](Self::shares_layer).
    pub fn sharing_layer(self) -> Self {
        Self {
            shares_layer: true,
            ..self
        }
    }

    /// Uses inertial fades: the weight changes immediately, and an [`Inertia`](crate::Inertia) smooths the switch.
    pub fn inertial(self) -> Self {
        Self {
            fade_mode: FadeMode::Inertial,
            ..self
        }
    }

    /// Sets the layer.
    pub fn layer(self, layer: u32) -> Self {
        Self { layer, ..self }
    }

    /// Sets the start time, clamped to the range.
    pub fn time(mut self, seconds: f32) -> Self {
        self.time.set(seconds);
        self
    }

    /// Sets the time range; the current time is clamped to it.
    pub fn time_range(mut self, min: f32, max: f32) -> Self {
        self.time = WrappedScalar::new(self.time.value(), min, max);
        self
    }

    /// Sets the time range to the whole animation; the current time is kept.
    pub fn default_time_range(self, set: &AnimationSet) -> Self {
        let length = set.length(self.animation).unwrap_or(LARGE_VALUE);
        self.time_range(0.0, length)
    }

    /// Blends additively.
    pub fn additive(self) -> Self {
        Self {
            blend_mode: BlendMode::Additive,
            ..self
        }
    }

    /// Sets the weight and the target weight.
    pub fn weight(self, weight: f32) -> Self {
        Self {
            weight,
            target_weight: weight,
            ..self
        }
    }

    /// Sets the playback speed.
    pub fn speed(self, speed: f32) -> Self {
        Self { speed, ..self }
    }

    /// Fades out over `seconds` after its end.
    pub fn auto_fade_out(self, seconds: f32) -> Self {
        Self {
            auto_fade_out_time: seconds,
            ..self
        }
    }

    /// Keeps it when it reaches its end.
    pub fn keep_on_completion(self) -> Self {
        Self {
            remove_on_completion: false,
            ..self
        }
    }

    /// Keeps it at weight zero.
    pub fn keep_on_zero_weight(self) -> Self {
        Self {
            remove_on_zero_weight: false,
            ..self
        }
    }

    /// Returns whether both are the same instance of the same animation.
    pub fn is_mergeable(&self, other: &Self) -> bool {
        self.animation == other.animation && self.instance_index == other.instance_index
    }

    /// Returns the weight for blending, clamped to 0 to 1.
    pub fn applied_weight(&self) -> f32 {
        self.weight.clamp(0.0, 1.0)
    }

    /// Returns whether the time after the last key interpolates back to the first one.
    pub fn wraps(&self) -> bool {
        self.looped && !self.ping_pong
    }

    /// Returns whether it currently shares its layer.
    pub(super) fn is_sharing(&self) -> bool {
        self.shares_layer && self.blend_mode == BlendMode::Lerp && self.weight > 0.0
    }

    /// Returns whether it is synchronized with others.
    pub(super) fn is_synced(&self) -> bool {
        !self.sync_group.is_empty() && self.wraps()
    }

    /// Stops it, with a fade or immediately. Returns whether anything changed, and whether the motion is
    /// discontinuous.
    pub(super) fn stop_with(&mut self, seconds: f32, mode: FadeMode) -> (bool, bool) {
        if mode == FadeMode::Cross || duration(seconds) == 0.0 {
            return (self.remove_delayed(seconds), false);
        }
        let was_seen = self.weight > 0.0;
        let changed = self.remove_delayed(0.0);
        self.weight = self.weight.min(0.0);
        (changed || was_seen, was_seen)
    }

    /// Fades to a weight, or sets it immediately. Returns whether the motion is discontinuous.
    pub(super) fn fade_to(&mut self, weight: f32, seconds: f32) -> bool {
        let seconds = duration(seconds);
        self.target_weight = weight;
        self.target_weight_delay = seconds;
        let is_at_once = self.fade_mode == FadeMode::Inertial && seconds > 0.0;
        if !is_at_once {
            return false;
        }
        self.target_weight_delay = 0.0;
        let switches = self.weight != weight;
        self.weight = weight;
        switches
    }

    /// Fades it out over `seconds` and removes it. A running fade-out can be shortened, not lengthened. Returns
    /// whether anything changed.
    pub fn remove_delayed(&mut self, seconds: f32) -> bool {
        let seconds = duration(seconds);
        let delay = if self.target_weight.abs() <= LARGE_EPSILON {
            self.target_weight_delay.min(seconds)
        } else {
            seconds
        };
        let changed = !self.remove_on_zero_weight
            || delay != self.target_weight_delay
            || self.target_weight != 0.0;
        self.target_weight_delay = delay;
        self.target_weight = 0.0;
        self.remove_on_zero_weight = true;
        changed
    }

    pub(super) fn check(&self, set: &AnimationSet) -> Result<(), ControlError> {
        if set.length(self.animation).is_none() {
            return Err(ControlError::NoSuchAnimation {
                animation: self.animation.0,
                count: set.len(),
            });
        }
        if !self.mask.is_empty() && set.mask(self.mask.as_str()).is_none() {
            return Err(ControlError::NoSuchMask {
                name: self.mask.as_str().into(),
            });
        }
        for (field, value, from, expected) in [
            ("auto_fade_out_time", self.auto_fade_out_time, 0.0, SECONDS),
            ("speed", self.speed, f32::MIN, "a finite number"),
            ("weight", self.weight, f32::MIN, "a finite number"),
            (
                "target_weight",
                self.target_weight,
                f32::MIN,
                "a finite number",
            ),
            (
                "target_weight_delay",
                self.target_weight_delay,
                0.0,
                SECONDS,
            ),
        ] {
            if !(value.is_finite() && value >= from) {
                return Err(ControlError::Number {
                    field,
                    value,
                    expected,
                });
            }
        }
        Ok(())
    }

    /// Advances by `dt` seconds, finite and not negative. `step` is the time step from its sync group, if it is
    /// synchronized.
    pub(super) fn advance(&mut self, dt: f32, step: Option<ScalarRange>) -> AdvanceResult {
        let (range, completion) = match step {
            Some(range) => {
                self.time.set(range.end);
                (Some(range), None)
            }
            None => self.advance_time(dt),
        };
        self.advance_weight(dt);
        let completed = completion.is_some();
        let ends = self.remove_on_completion && self.auto_fade_out_time == 0.0 && completed;
        let inertial_switch = match completion {
            // The layers below show immediately: a discontinuity like any other end of an inertial animation.
            Some(_) if ends && self.fade_mode == FadeMode::Inertial && self.weight > 0.0 => {
                Some(INERTIAL_END)
            }
            Some(overtime) => self.fade_out(overtime),
            None => None,
        };
        let vanishes = self.remove_on_zero_weight
            && self.weight < LARGE_EPSILON
            && self.target_weight < LARGE_EPSILON;
        AdvanceResult {
            range,
            removed: ends || vanishes,
            inertial_switch,
        }
    }

    /// Advances the time. Returns the time step and, if it reached its end, the seconds since then.
    fn advance_time(&mut self, dt: f32) -> (Option<ScalarRange>, Option<f32>) {
        let step = dt * self.speed;
        if step == 0.0 {
            return (None, None);
        }
        if self.looped {
            let range = if self.ping_pong {
                self.time.bounce(step, &mut self.backwards)
            } else {
                self.time.wrap(step)
            };
            return (Some(range), None);
        }
        let range = self.time.stop(step);
        let beyond = if self.speed > 0.0 {
            range.end - range.max
        } else {
            range.min - range.end
        };
        // Infinity is beyond every end.
        let overtime = (beyond >= 0.0).then(|| (beyond / self.speed.abs()).min(LARGE_VALUE));
        (Some(range), overtime)
    }

    fn advance_weight(&mut self, dt: f32) {
        if self.target_weight_delay <= 0.0 {
            self.weight = self.target_weight;
            return;
        }
        let ratio = f64::from(dt) / f64::from(self.target_weight_delay);
        if ratio >= 1.0 {
            self.weight = self.target_weight;
            self.target_weight_delay = 0.0;
        } else {
            self.weight = mix(self.weight, self.target_weight, ratio);
            self.target_weight_delay = (self.target_weight_delay - dt).max(0.0);
        }
    }

    /// Starts the automatic fade-out, `overtime` seconds after the end. Returns the seconds within which a
    /// discontinuity is to be smoothed, if there is one.
    fn fade_out(&mut self, overtime: f32) -> Option<f32> {
        let fade = self.auto_fade_out_time;
        if fade <= 0.0 || self.target_weight == 0.0 {
            return None;
        }
        if self.fade_mode == FadeMode::Inertial {
            let (_, switches) = self.stop_with(fade, FadeMode::Inertial);
            return switches.then_some(fade);
        }
        self.target_weight = 0.0;
        self.target_weight_delay = (fade - overtime).max(0.0);
        self.remove_on_zero_weight = true;
        let ratio = f64::from(overtime) / f64::from(fade);
        self.weight = mix(self.weight, 0.0, ratio.min(1.0));
        None
    }
}

/// Checks that no two are the same instance of one animation.
pub(super) fn check_unique(animations: &[AnimationParameters]) -> Result<(), ControlError> {
    let identity = |instance: &AnimationParameters| (instance.animation, instance.instance_index);
    let mut identities: Vec<_> = animations.iter().map(identity).collect();
    identities.sort_unstable();
    match identities.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(&[(animation, instance_index), _]) => Err(ControlError::SameInstance {
            animation: animation.0,
            instance_index,
        }),
        _ => Ok(()),
    }
}

/// The result of advancing an animation.
pub(super) struct AdvanceResult {
    /// The time step; `None` if the time did not change.
    pub(super) range: Option<ScalarRange>,
    pub(super) removed: bool,
    /// The seconds within which a discontinuity of the motion is to be smoothed.
    pub(super) inertial_switch: Option<f32>,
}

/// Interpolates in double precision, so that splitting a time step adds no error beyond the rounding of the weight.
fn mix(from: f32, to: f32, ratio: f64) -> f32 {
    (f64::from(from) * (1.0 - ratio) + f64::from(to) * ratio) as f32
}

/// Returns a valid fade duration: clamped to 0 to `LARGE_VALUE`; NaN is 0.
pub(super) fn duration(seconds: f32) -> f32 {
    if seconds.is_nan() {
        0.0
    } else {
        seconds.clamp(0.0, LARGE_VALUE)
    }
}
