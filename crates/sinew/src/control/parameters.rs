//! How an animation is played.

use super::set::AnimationSet;
use super::wrapped::{ScalarRange, WrappedScalar};
use super::{BlendMode, ControlError, LARGE_EPSILON, LARGE_VALUE, Name};
use crate::animation::AnimationIndex;
use alloc::vec::Vec;

/// What fades take.
const SECONDS: &str = "a finite number of seconds, not negative";

/// Seconds within which the body transitions after an inertial animation that ends without an automatic fade-out: those of
/// [`PoseCrossfade::default`](crate::PoseCrossfade).
const INERTIAL_END: f32 = 0.25;

/// How the weight of an animation gets to where it fades to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum FadeMode {
    /// It rises or falls evenly over the seconds of the fade, and what else plays is seen through it.
    #[default]
    Cross,
    /// It is there at once, and so is what it fades to. The motion switches, and the controller says so
    /// ([`InertialSwitch`](super::InertialSwitch)): an [`Inertia`](crate::Inertia) lets the body flow over within the seconds of the fade.
    /// Without one it is a cut.
    Inertial,
}

/// One animation as it is being played: which one, from where to where, how fast, over what and how much.
///
/// Plain data. Builders may be chained:
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
    /// Which animation of the set; stays the same while it plays.
    pub animation: AnimationIndex,
    /// Which of several that play one animation; given by the controller, and stays the same.
    pub instance_index: u32,
    /// Starts again at the end.
    pub looped: bool,
    /// Looped, it runs back from the end instead.
    #[cfg_attr(feature = "serde", serde(default))]
    pub ping_pong: bool,
    /// On its way back; for [`Self::ping_pong`].
    #[cfg_attr(feature = "serde", serde(default))]
    pub backwards: bool,
    /// Goes when it reaches its end, unless it is looped or fades out.
    pub remove_on_completion: bool,
    /// Animations are applied from the lowest layer to the highest, and within one in the order in which
    /// they were added.
    pub layer: u32,
    /// How it is applied.
    pub blend_mode: BlendMode,
    /// Only this joint, bone or node and what is below it are animated; everything where it is empty. Where there is
    /// none of that name nothing is animated, and applying it returns a [warning](super::BindingWarning). Attributes of
    /// a scene are not below any bone and are animated regardless.
    #[cfg_attr(feature = "serde", serde(default))]
    pub start_bone: Name,
    /// A mask of the set that weighs joints; none where it is empty.
    #[cfg_attr(feature = "serde", serde(default))]
    pub mask: Name,
    /// Looped animations of one group keep in step; none where it is empty. Ping-pong and what is not looped keep
    /// their own time. See [`AnimationSet::add_registration`].
    #[cfg_attr(feature = "serde", serde(default))]
    pub sync_group: Name,
    /// Its weight is a share of its layer: those of a layer that share it are mixed with each other by their weights, and
    /// as much of the layers below is seen as their weights lack of 1. A crossfade between two of them, whose weights
    /// add up to 1, then shows nothing of what is below. Otherwise it is blended over everything that was applied
    /// before it. Controllers set it where they crossfade on a layer above 0
    /// ([`play_new_exclusive`](super::AnimationController::play_new_exclusive)); additive animations ignore it.
    #[cfg_attr(feature = "serde", serde(default))]
    pub shares_layer: bool,
    /// How its weight changes.
    #[cfg_attr(feature = "serde", serde(default))]
    pub fade_mode: FadeMode,
    /// Over how many seconds it fades out after its end; 0 does not. One that fades
    /// [inertially](FadeMode::Inertial) and is removed at its end does so within a quarter of a second then.
    pub auto_fade_out_time: f32,
    /// Where it is and between which times, in seconds. The range may be larger than the animation, whose
    /// first and last moment then hold.
    pub time: WrappedScalar,
    /// Seconds of animation per second; negative runs backwards.
    pub speed: f32,
    /// Goes when its weight is zero and is to stay so.
    pub remove_on_zero_weight: bool,
    /// How much of it is seen; below 0 counts as 0 and above 1 as 1.
    pub weight: f32,
    /// The weight that it fades to.
    pub target_weight: f32,
    /// In how many seconds it gets there.
    pub target_weight_delay: f32,
}

impl AnimationParameters {
    /// An animation of a set from beginning to end, once, at full weight.
    pub fn new(set: &AnimationSet, animation: AnimationIndex) -> Self {
        Self::plain(animation, set.length(animation).unwrap_or(LARGE_VALUE))
    }

    /// The same from `min` to `max` seconds.
    pub fn with_time_range(
        set: &AnimationSet,
        animation: AnimationIndex,
        min: f32,
        max: f32,
    ) -> Self {
        Self::new(set, animation).time_range(min, max)
    }

    /// Everything at its default, for an animation of `length` seconds.
    pub(super) fn plain(animation: AnimationIndex, length: f32) -> Self {
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

    /// Starts again at the end.
    pub fn looped(self) -> Self {
        Self {
            looped: true,
            ..self
        }
    }

    /// Runs back from the end, and so on.
    pub fn ping_pong(self) -> Self {
        Self {
            looped: true,
            ping_pong: true,
            ..self
        }
    }

    /// Animates this joint, bone or node and what is below it.
    pub fn start_bone(self, name: impl Into<Name>) -> Self {
        Self {
            start_bone: name.into(),
            ..self
        }
    }

    /// Weighs joints by a mask of the set.
    pub fn mask(self, name: impl Into<Name>) -> Self {
        Self {
            mask: name.into(),
            ..self
        }
    }

    /// Keeps in step with the other looped animations of a group.
    pub fn sync_group(self, name: impl Into<Name>) -> Self {
        Self {
            sync_group: name.into(),
            ..self
        }
    }

    /// Mixes with the others of its layer by their weights; see [`Self::shares_layer`](Self::shares_layer).
    pub fn sharing_layer(self) -> Self {
        Self {
            shares_layer: true,
            ..self
        }
    }

    /// Has its weight at once; an [`Inertia`](crate::Inertia) makes the body flow over.
    pub fn inertial(self) -> Self {
        Self {
            fade_mode: FadeMode::Inertial,
            ..self
        }
    }

    /// Is applied in this layer.
    pub fn layer(self, layer: u32) -> Self {
        Self { layer, ..self }
    }

    /// Starts at a time, which is brought into the range.
    pub fn time(mut self, seconds: f32) -> Self {
        self.time.set(seconds);
        self
    }

    /// Plays between two times; where it is is brought into them.
    pub fn time_range(mut self, min: f32, max: f32) -> Self {
        self.time = WrappedScalar::new(self.time.value(), min, max);
        self
    }

    /// Plays the whole animation; where it is stays.
    pub fn default_time_range(self, set: &AnimationSet) -> Self {
        let length = set.length(self.animation).unwrap_or(LARGE_VALUE);
        self.time_range(0.0, length)
    }

    /// Is added to what is there.
    pub fn additive(self) -> Self {
        Self {
            blend_mode: BlendMode::Additive,
            ..self
        }
    }

    /// Sets the weight and the one that it fades to.
    pub fn weight(self, weight: f32) -> Self {
        Self {
            weight,
            target_weight: weight,
            ..self
        }
    }

    /// Plays at this speed.
    pub fn speed(self, speed: f32) -> Self {
        Self { speed, ..self }
    }

    /// Fades out over these seconds after its end.
    pub fn auto_fade_out(self, seconds: f32) -> Self {
        Self {
            auto_fade_out_time: seconds,
            ..self
        }
    }

    /// Stays when it reaches its end.
    pub fn keep_on_completion(self) -> Self {
        Self {
            remove_on_completion: false,
            ..self
        }
    }

    /// Stays at weight zero.
    pub fn keep_on_zero_weight(self) -> Self {
        Self {
            remove_on_zero_weight: false,
            ..self
        }
    }

    /// Whether both are the same playing of the same animation.
    pub fn is_mergeable(&self, other: &Self) -> bool {
        self.animation == other.animation && self.instance_index == other.instance_index
    }

    /// The weight that counts when it is applied, 0 to 1.
    pub fn applied_weight(&self) -> f32 {
        self.weight.clamp(0.0, 1.0)
    }

    /// Whether the time after the last key leads back to the first one.
    pub fn wraps(&self) -> bool {
        self.looped && !self.ping_pong
    }

    /// Whether it is one of those that share their layer, at this moment.
    pub(super) fn is_sharing(&self) -> bool {
        self.shares_layer && self.blend_mode == BlendMode::Lerp && self.weight > 0.0
    }

    /// Whether it keeps in step with others.
    pub(super) fn is_synced(&self) -> bool {
        !self.sync_group.is_empty() && self.wraps()
    }

    /// Lets it go, by a fade or at once: whether anything changed, and whether the motion jumps.
    pub(super) fn let_go(&mut self, seconds: f32, mode: FadeMode) -> (bool, bool) {
        if mode == FadeMode::Cross || duration(seconds) == 0.0 {
            return (self.remove_delayed(seconds), false);
        }
        let was_seen = self.weight > 0.0;
        let changed = self.remove_delayed(0.0);
        self.weight = self.weight.min(0.0);
        (changed || was_seen, was_seen)
    }

    /// Fades to a weight, or has it at once: whether the motion jumps.
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

    /// Fades it out over `seconds` and lets it go. A fade-out under way may be shortened, not lengthened.
    /// Whether anything changed.
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

    /// Lets `dt` seconds pass, which are finite and not negative. `step` is the way that the time goes where it keeps
    /// in step with others.
    pub(super) fn advance(&mut self, dt: f32, step: Option<ScalarRange>) -> Advance {
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
            // What is below shows at once, which is a jump like any other end of an inertial animation.
            Some(_) if ends && self.fade_mode == FadeMode::Inertial && self.weight > 0.0 => {
                Some(INERTIAL_END)
            }
            Some(overtime) => self.fade_out(overtime),
            None => None,
        };
        let vanishes = self.remove_on_zero_weight
            && self.weight < LARGE_EPSILON
            && self.target_weight < LARGE_EPSILON;
        Advance {
            range,
            removed: ends || vanishes,
            inertial_switch,
        }
    }

    /// The way that the time went, and, when it reached its end, the seconds since.
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
        // What is beyond numbers is beyond every end.
        let overtime = (beyond >= 0.0).then(|| (beyond / self.speed.abs()).min(LARGE_VALUE));
        (Some(range), overtime)
    }

    fn advance_weight(&mut self, dt: f32) {
        if self.target_weight_delay <= 0.0 {
            self.weight = self.target_weight;
            return;
        }
        let part = f64::from(dt) / f64::from(self.target_weight_delay);
        if part >= 1.0 {
            self.weight = self.target_weight;
            self.target_weight_delay = 0.0;
        } else {
            self.weight = mix(self.weight, self.target_weight, part);
            self.target_weight_delay = (self.target_weight_delay - dt).max(0.0);
        }
    }

    /// The automatic fade-out, `overtime` seconds after the end; over how many seconds a jump is to be smoothed, if
    /// there is one.
    fn fade_out(&mut self, overtime: f32) -> Option<f32> {
        let fade = self.auto_fade_out_time;
        if fade <= 0.0 || self.target_weight == 0.0 {
            return None;
        }
        if self.fade_mode == FadeMode::Inertial {
            let (_, switches) = self.let_go(fade, FadeMode::Inertial);
            return switches.then_some(fade);
        }
        self.target_weight = 0.0;
        self.target_weight_delay = (fade - overtime).max(0.0);
        self.remove_on_zero_weight = true;
        let part = f64::from(overtime) / f64::from(fade);
        self.weight = mix(self.weight, 0.0, part.min(1.0));
        None
    }
}

/// Whether no two are the same instance of one animation.
pub(super) fn check_unique(animations: &[AnimationParameters]) -> Result<(), ControlError> {
    let identity = |own: &AnimationParameters| (own.animation, own.instance_index);
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

/// What came of letting time pass.
pub(super) struct Advance {
    /// The way of the time, unless it stood still.
    pub(super) range: Option<ScalarRange>,
    pub(super) removed: bool,
    /// Over how many seconds a jump of the motion is to be smoothed.
    pub(super) inertial_switch: Option<f32>,
}

/// In double precision, so that splitting time costs weights no more than their own rounding.
fn mix(from: f32, to: f32, part: f64) -> f32 {
    (f64::from(from) * (1.0 - part) + f64::from(to) * part) as f32
}

/// Seconds as a fade can take: not negative, not endless; NaN is none.
pub(super) fn duration(seconds: f32) -> f32 {
    if seconds.is_nan() {
        0.0
    } else {
        seconds.clamp(0.0, LARGE_VALUE)
    }
}
