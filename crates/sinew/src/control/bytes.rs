//! What a controller is doing in few bytes, for a network or a saved game.
//!
//! ```text
//! state      version │ fingerprint of the set │ revision × 2 + dirty │ jump │ count │ instance …
//!            1 byte    4 bytes                  VLE                           VLE
//! jump       how often │ seconds
//!            VLE         4 bytes
//! instance   animation │ flags │ fields
//!            VLE         VLE     those that differ, in the order of their flags
//! ```
//!
//! A flag says that a field differs from a reference: in a state that is the animation played once from
//! its beginning at full weight, in a [`ControllerDiff`](super::ControllerDiff) the same instance before.
//! For what is either this or that the flag is all there is.
//!
//! ```text
//! flag  field                  bytes     flag  field                  bytes
//!    0  looped                 –           10  automatic fade-out     4
//!    1  time                   4           11  blend mode             –
//!    2  weight                 4           12  remove on zero weight  –
//!    3  target weight is zero  –           13  start bone             VLE + UTF-8
//!    4  target weight delay    4           14  end of the time range  4
//!    5  instance index         VLE         15  its beginning          4
//!    6  layer                  VLE         16  ping-pong              –
//!    7  target weight          4           17  backwards              –
//!    8  speed                  4           18  mask                   VLE + UTF-8
//!    9  remove on completion   –            19  sync group             VLE + UTF-8
//!                                          20  inertial fades         –
//!                                          21  shares its layer       –
//! ```
//!
//! Version 1 has no jump and the flags up to 18. It is what states are written in that need no more; version 2 has
//! everything.
//!
//! Numbers are little endian. VLE is a whole number in 7 bits per byte, the lowest first; the high bit says
//! that more follow.
//!
//! | instance | bytes |
//! |---|---|
//! | looped, at its beginning | 2 |
//! | looped, at any time and full weight | 6 |
//! | looped, fading in or out | 14 |
//! | the same, second instance on a layer of its own | 16 |
//!
//! Those are for the first 128 animations of a set; further ones take a byte more.

use super::controller::{ControllerState, Jump};
use super::parameters::{AnimationParameters, FadeMode, check_unique};
use super::reader::{Reader, wrong};
use super::set::AnimationSet;
use super::wrapped::WrappedScalar;
use super::{BlendMode, ControlError, LARGE_VALUE, Name};
use crate::animation::AnimationIndex;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// The first byte of a state: without sync groups and inertial fades, and with them.
const STATE_VERSIONS: [u8; 2] = [1, 2];

/// An instance has an animation and flags, of a byte each at least.
const SMALLEST_INSTANCE: usize = 2;

/// Why bytes make no state, or no difference between two.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum StateBytesError {
    /// They stop too early.
    #[error("the bytes end at {end}; expected {count} more at {offset}, for {expected}")]
    End {
        /// Where something was to be.
        offset: usize,
        /// What.
        expected: &'static str,
        /// How many bytes are missing.
        count: usize,
        /// How many bytes there are.
        end: usize,
    },
    /// They go on after the end.
    #[error("expected the end at {offset}; found {count} more bytes")]
    Extra {
        /// Where the end was to be.
        offset: usize,
        /// How many follow.
        count: usize,
    },
    /// Something else was to be there.
    #[error("at {offset}: expected {expected}, found {found}")]
    Value {
        /// Where it is.
        offset: usize,
        /// What it was to be.
        expected: &'static str,
        /// What it is.
        found: String,
    },
    /// They were made with other animations.
    #[error(
        "at {offset}: the state is of a set with fingerprint {found:#010x}; this set's is {expected:#010x}. \
         Both must have the same animations in the same order"
    )]
    OtherSet {
        /// Where the fingerprint is.
        offset: usize,
        /// That of the set given.
        expected: u32,
        /// What is there.
        found: u32,
    },
    /// A difference is from another state than the one given, or was made with other animations.
    #[error(
        "at {offset}: expected a difference from the state {expected:#010x} and its set, found one from {found:#010x}"
    )]
    OtherBase {
        /// Where its checksum is.
        offset: usize,
        /// The checksum of the state and set given.
        expected: u32,
        /// What is there.
        found: u32,
    },
    /// What they say cannot be played.
    #[error("the bytes up to {offset} are no state that can be played: {source}")]
    Unplayable {
        /// Where the instance ends that is wrong, or the last one.
        offset: usize,
        /// Why not.
        source: ControlError,
    },
}

impl ControllerState {
    /// This state in few bytes, which [`from_bytes`](Self::from_bytes) reads with the same set. An instance
    /// takes 6 bytes when it is looped and at full weight, and 14 when it fades. What
    /// [`restore`](super::AnimationController::restore) refuses `from_bytes` refuses too.
    ///
    /// ```
    /// # use sinew::{Animation, AnimationParameters, AnimationSet, ControllerState};
    /// let mut set = AnimationSet::new();
    /// let walk = set.add(Animation::new("walk", 1.2))?;
    /// let state = ControllerState {
    ///     animations: vec![AnimationParameters::new(&set, walk).looped().time(0.7)],
    ///     ..ControllerState::default()
    /// };
    /// let bytes = state.to_bytes(&set);
    /// assert_eq!(bytes.len(), 7 + 6);
    /// assert_eq!(ControllerState::from_bytes(&bytes, &set)?, state);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn to_bytes(&self, set: &AnimationSet) -> Vec<u8> {
        let mut out = Vec::with_capacity(12 + 8 * self.animations.len());
        let animations = &self.animations;
        let is_first = self.jump.is(&Jump::default())
            && animations.iter().all(AnimationParameters::is_of_version_1);
        out.push(STATE_VERSIONS[usize::from(!is_first)]);
        out.extend(set.fingerprint().to_le_bytes());
        put_vle(head(self.revision, self.is_dirty), &mut out);
        if !is_first {
            put_jump(&self.jump, &mut out);
        }
        put_vle(self.animations.len() as u64, &mut out);
        for parameters in &self.animations {
            put_instance(parameters, set, &mut out);
        }
        out
    }

    /// The state that [`to_bytes`](Self::to_bytes) made bytes of. It can be
    /// [restored](super::AnimationController::restore) by any controller of the set.
    ///
    /// # Errors
    /// When the bytes are of another version or set, end early, go on after their end, or hold something
    /// that cannot be played.
    pub fn from_bytes(bytes: &[u8], set: &AnimationSet) -> Result<Self, StateBytesError> {
        let mut reader = Reader::new(bytes);
        reader.version("the version of a state, 1 or 2", STATE_VERSIONS)?;
        let offset = reader.offset;
        let found = reader.u32_le("the fingerprint of the set")?;
        let expected = set.fingerprint();
        if found != expected {
            return Err(StateBytesError::OtherSet {
                offset,
                expected,
                found,
            });
        }
        let (revision, is_dirty) = reader.head()?;
        let jump = reader.jump()?.unwrap_or_default();
        let count = reader.count("the number of instances", SMALLEST_INSTANCE)?;
        let mut animations = Vec::with_capacity(count);
        for _ in 0..count {
            animations.push(reader.instance(set)?);
        }
        reader.end()?;
        let state = Self {
            animations,
            revision,
            is_dirty,
            jump,
        };
        check_unique(&state.animations).map_err(|source| reader.unplayable(source))?;
        Ok(state)
    }
}

/// The flags, in the order in which fields follow.
mod flag {
    pub(super) const LOOPED: u32 = 1;
    pub(super) const TIME: u32 = 1 << 1;
    pub(super) const WEIGHT: u32 = 1 << 2;
    pub(super) const TARGET_IS_ZERO: u32 = 1 << 3;
    pub(super) const DELAY: u32 = 1 << 4;
    pub(super) const INSTANCE: u32 = 1 << 5;
    pub(super) const LAYER: u32 = 1 << 6;
    pub(super) const TARGET: u32 = 1 << 7;
    pub(super) const SPEED: u32 = 1 << 8;
    pub(super) const ON_COMPLETION: u32 = 1 << 9;
    pub(super) const AUTO_FADE: u32 = 1 << 10;
    pub(super) const BLEND: u32 = 1 << 11;
    pub(super) const ON_ZERO: u32 = 1 << 12;
    pub(super) const START_BONE: u32 = 1 << 13;
    pub(super) const MAX: u32 = 1 << 14;
    pub(super) const MIN: u32 = 1 << 15;
    pub(super) const PING_PONG: u32 = 1 << 16;
    pub(super) const BACKWARDS: u32 = 1 << 17;
    pub(super) const MASK: u32 = 1 << 18;
    pub(super) const SYNC_GROUP: u32 = 1 << 19;
    pub(super) const INERTIAL: u32 = 1 << 20;
    pub(super) const SHARES_LAYER: u32 = 1 << 21;
    /// Those of the two versions.
    pub(super) const ALL: [u32; 2] = [(1 << 19) - 1, (1 << 22) - 1];
}

/// Which fields differ, to the bit; the animation is taken to be the same.
pub(super) fn differences(own: &AnimationParameters, from: &AnimationParameters) -> u32 {
    let number = |a: f32, b: f32| a.to_bits() != b.to_bits();
    let target = number(own.target_weight, from.target_weight);
    let is_zero = own.target_weight.to_bits() == 0;
    [
        (flag::LOOPED, own.looped != from.looped),
        (flag::TIME, number(own.time.value(), from.time.value())),
        (flag::WEIGHT, number(own.weight, from.weight)),
        (flag::TARGET_IS_ZERO, target && is_zero),
        (
            flag::DELAY,
            number(own.target_weight_delay, from.target_weight_delay),
        ),
        (flag::INSTANCE, own.instance_index != from.instance_index),
        (flag::LAYER, own.layer != from.layer),
        (flag::TARGET, target && !is_zero),
        (flag::SPEED, number(own.speed, from.speed)),
        (
            flag::ON_COMPLETION,
            own.remove_on_completion != from.remove_on_completion,
        ),
        (
            flag::AUTO_FADE,
            number(own.auto_fade_out_time, from.auto_fade_out_time),
        ),
        (flag::BLEND, own.blend_mode != from.blend_mode),
        (
            flag::ON_ZERO,
            own.remove_on_zero_weight != from.remove_on_zero_weight,
        ),
        (flag::START_BONE, own.start_bone != from.start_bone),
        (flag::MAX, number(own.time.max(), from.time.max())),
        (flag::MIN, number(own.time.min(), from.time.min())),
        (flag::PING_PONG, own.ping_pong != from.ping_pong),
        (flag::BACKWARDS, own.backwards != from.backwards),
        (flag::MASK, own.mask != from.mask),
        (flag::SYNC_GROUP, own.sync_group != from.sync_group),
        (flag::INERTIAL, own.fade_mode != from.fade_mode),
        (flag::SHARES_LAYER, own.shares_layer != from.shares_layer),
    ]
    .into_iter()
    .fold(
        0,
        |flags, (flag, differs)| if differs { flags | flag } else { flags },
    )
}

/// What differs from a reference of the same animation: flags, then fields.
pub(super) fn encode(own: &AnimationParameters, from: &AnimationParameters, out: &mut Vec<u8>) {
    let flags = differences(own, from);
    let has = |flag: u32| flags & flag != 0;
    put_vle(flags.into(), out);
    for (flag, number) in [
        (flag::TIME, own.time.value()),
        (flag::WEIGHT, own.weight),
        (flag::DELAY, own.target_weight_delay),
    ] {
        put_number(has(flag), number, out);
    }
    for (flag, number) in [
        (flag::INSTANCE, own.instance_index),
        (flag::LAYER, own.layer),
    ] {
        if has(flag) {
            put_vle(number.into(), out);
        }
    }
    for (flag, number) in [
        (flag::TARGET, own.target_weight),
        (flag::SPEED, own.speed),
        (flag::AUTO_FADE, own.auto_fade_out_time),
    ] {
        put_number(has(flag), number, out);
    }
    put_name(has(flag::START_BONE), &own.start_bone, out);
    put_number(has(flag::MAX), own.time.max(), out);
    put_number(has(flag::MIN), own.time.min(), out);
    put_name(has(flag::MASK), &own.mask, out);
    put_name(has(flag::SYNC_GROUP), &own.sync_group, out);
}

/// How often the motion jumped, and how long the last time takes to be smoothed.
pub(super) fn put_jump(jump: &Jump, out: &mut Vec<u8>) {
    put_vle(jump.count.into(), out);
    put_number(true, jump.seconds, out);
}

/// An instance on its own.
pub(super) fn put_instance(own: &AnimationParameters, set: &AnimationSet, out: &mut Vec<u8>) {
    put_vle(own.animation.0.into(), out);
    encode(own, &reference(set, own.animation), out);
}

/// What an instance differs from when there is no other.
fn reference(set: &AnimationSet, animation: AnimationIndex) -> AnimationParameters {
    AnimationParameters::plain(animation, set.length(animation).unwrap_or(LARGE_VALUE))
}

/// A revision and whether there are changes beyond it.
pub(super) fn head(revision: u32, is_dirty: bool) -> u64 {
    u64::from(revision) << 1 | u64::from(is_dirty)
}

pub(crate) fn put_vle(mut number: u64, out: &mut Vec<u8>) {
    while number > 0x7f {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

fn put_number(differs: bool, number: f32, out: &mut Vec<u8>) {
    if differs {
        out.extend(number.to_bits().to_le_bytes());
    }
}

fn put_name(differs: bool, name: &Name, out: &mut Vec<u8>) {
    if differs {
        put_vle(name.as_str().len() as u64, out);
        out.extend(name.as_str().as_bytes());
    }
}

impl Reader<'_> {
    /// What [`encode`] wrote.
    pub(super) fn decode(
        &mut self,
        from: &AnimationParameters,
    ) -> Result<AnimationParameters, StateBytesError> {
        let offset = self.offset;
        let flags = self.whole("flags")?;
        let has = |flag: u32| flags & flag != 0;
        let known = flag::ALL[usize::from(self.is_second)];
        if has(!known) || (has(flag::TARGET) && has(flag::TARGET_IS_ZERO)) {
            return Err(wrong(offset, "flags", format!("{flags:#x}")));
        }
        let mut own = from.clone();
        own.looped ^= has(flag::LOOPED);
        own.ping_pong ^= has(flag::PING_PONG);
        own.backwards ^= has(flag::BACKWARDS);
        own.remove_on_completion ^= has(flag::ON_COMPLETION);
        own.remove_on_zero_weight ^= has(flag::ON_ZERO);
        own.shares_layer ^= has(flag::SHARES_LAYER);
        if has(flag::BLEND) {
            own.blend_mode = match from.blend_mode {
                BlendMode::Lerp => BlendMode::Additive,
                BlendMode::Additive => BlendMode::Lerp,
            };
        }
        if has(flag::INERTIAL) {
            own.fade_mode = match from.fade_mode {
                FadeMode::Cross => FadeMode::Inertial,
                FadeMode::Inertial => FadeMode::Cross,
            };
        }
        if has(flag::TARGET_IS_ZERO) {
            own.target_weight = 0.0;
        }
        let (mut value, mut min, mut max) = (own.time.value(), own.time.min(), own.time.max());
        if has(flag::TIME) {
            value = self.number("a time")?;
        }
        if has(flag::WEIGHT) {
            own.weight = self.number("a weight")?;
        }
        if has(flag::DELAY) {
            own.target_weight_delay = self.number("the delay of a target weight")?;
        }
        if has(flag::INSTANCE) {
            own.instance_index = self.whole("an instance index")?;
        }
        if has(flag::LAYER) {
            own.layer = self.whole("a layer")?;
        }
        if has(flag::TARGET) {
            own.target_weight = self.number("a target weight")?;
        }
        if has(flag::SPEED) {
            own.speed = self.number("a speed")?;
        }
        if has(flag::AUTO_FADE) {
            own.auto_fade_out_time = self.number("an automatic fade-out")?;
        }
        if has(flag::START_BONE) {
            own.start_bone = self.name("the name of a start bone")?;
        }
        if has(flag::MAX) {
            max = self.number("the end of a time range")?;
        }
        if has(flag::MIN) {
            min = self.number("the beginning of a time range")?;
        }
        if !(min <= value && value <= max) {
            let found = format!("{value} between {min} and {max}");
            return Err(wrong(offset, "a time within its range", found));
        }
        own.time = WrappedScalar::new(value, min, max);
        if has(flag::MASK) {
            own.mask = self.name("the name of a mask")?;
        }
        if has(flag::SYNC_GROUP) {
            own.sync_group = self.name("the name of a sync group")?;
        }
        Ok(own)
    }

    /// What [`put_jump`] wrote, in bytes of the second version.
    pub(super) fn jump(&mut self) -> Result<Option<Jump>, StateBytesError> {
        if !self.is_second {
            return Ok(None);
        }
        let count = self.whole("how often the motion jumped")?;
        let seconds = self.number("the seconds of a jump")?;
        let jump = Jump { count, seconds };
        jump.check().map_err(|source| self.unplayable(source))?;
        Ok(Some(jump))
    }

    /// What [`put_instance`] wrote.
    pub(super) fn instance(
        &mut self,
        set: &AnimationSet,
    ) -> Result<AnimationParameters, StateBytesError> {
        let animation = AnimationIndex(self.whole("an animation")?);
        let own = self.decode(&reference(set, animation))?;
        own.check(set).map_err(|source| self.unplayable(source))?;
        Ok(own)
    }
}
