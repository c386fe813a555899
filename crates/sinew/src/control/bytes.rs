//! The byte encoding of a controller's state, for networks and saved games.
//!
//! ```text
//! state      version │ fingerprint of the set │ header │ switch │ count │ instance …
//!            1 byte    4 bytes                  VLE      if any   VLE
//! header     revision × 4 + has a switch × 2 + dirty
//! switch     count │ seconds
//!            VLE     4 bytes
//! instance   animation │ flags │ fields
//!            VLE         VLE     those that differ, in the order of their flags
//! ```
//!
//! A flag is set if a field differs from a reference: in a state the animation played once from its beginning at full
//! weight, in a [`ControllerDiff`](super::ControllerDiff) the same instance of the base. A field with two possible
//! values has a flag and no bytes.
//!
//! ```text
//! flag  field                  bytes     flag  field                  bytes
//!    0  looped                 –           11  blend mode             –
//!    1  time                   4           12  remove on zero weight  –
//!    2  weight                 4           13  start bone             VLE + UTF-8
//!    3  target weight is zero  –           14  end of the time range  4
//!    4  target weight delay    4           15  its beginning          4
//!    5  instance index         VLE         16  ping-pong              –
//!    6  layer                  VLE         17  backwards              –
//!    7  target weight          4           18  mask                   VLE + UTF-8
//!    8  speed                  4           19  sync group             VLE + UTF-8
//!    9  remove on completion   –           20  inertial fades         –
//!   10  automatic fade-out     4           21  shares its layer       –
//! ```
//!
//! | instance | bytes |
//! |---|---|
//! | looped, at its beginning | 2 |
//! | looped, at any time and full weight | 6 |
//! | looped, fading in or out | 14 |
//! | the same, second instance on a layer of its own | 16 |
//!
//! These are for the first 128 animations of a set; further ones take one more byte.

use super::controller::{ControllerState, InertialSwitch};
use super::parameters::{AnimationParameters, FadeMode, check_unique};
use super::set::AnimationSet;
use super::wrapped::WrappedScalar;
use super::{BlendMode, LARGE_VALUE};
use crate::animation::AnimationIndex;
use crate::state_bytes::{StateBytesError, StateReader, invalid_value, put_f32, put_str, put_vle};
use alloc::format;
use alloc::vec::Vec;

/// The first byte of a state.
const STATE_VERSION: u8 = 1;

/// An instance has an animation and flags, at least a byte each.
const SMALLEST_INSTANCE: usize = 2;

impl ControllerState {
    /// Encodes this state; [`from_bytes`](Self::from_bytes) reads it with the same set. A looped instance takes 6 bytes
    /// at full weight and 14 while it fades. `from_bytes` refuses whatever
    /// [`restore`](super::AnimationController::restore) refuses.
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
        out.push(STATE_VERSION);
        out.extend(set.fingerprint().to_le_bytes());
        let header = StateHeader {
            revision: self.revision,
            is_dirty: self.is_dirty,
            switch: (!self
                .inertial_switch
                .has_same_bits(&InertialSwitch::default()))
            .then_some(self.inertial_switch),
        };
        header.put(&mut out);
        put_vle(self.animations.len() as u64, &mut out);
        for parameters in &self.animations {
            put_instance(parameters, set, &mut out);
        }
        out
    }

    /// Decodes a state that [`to_bytes`](Self::to_bytes) encoded. Any controller of the set can
    /// [restore](super::AnimationController::restore) it.
    ///
    /// # Errors
    /// If the version or the set differs, the bytes end early or continue after the end, or a controller would refuse
    /// the state.
    pub fn from_bytes(bytes: &[u8], set: &AnimationSet) -> Result<Self, StateBytesError> {
        let mut reader = StateReader::new(bytes);
        reader.version(STATE_VERSION, "the version of a state, 1")?;
        let offset = reader.offset;
        let found = reader.u32("the fingerprint of the set")?;
        let expected = set.fingerprint();
        if found != expected {
            return Err(StateBytesError::SetMismatch {
                offset,
                expected,
                found,
            });
        }
        let header = StateHeader::read(&mut reader)?;
        let count = reader.count("the number of instances", SMALLEST_INSTANCE)?;
        let mut animations = Vec::with_capacity(count);
        for _ in 0..count {
            animations.push(reader.instance(set)?);
        }
        reader.end()?;
        let state = Self {
            animations,
            revision: header.revision,
            is_dirty: header.is_dirty,
            inertial_switch: header.switch.unwrap_or_default(),
        };
        check_unique(&state.animations).map_err(|source| reader.unplayable(source))?;
        Ok(state)
    }
}

/// The flags, in the order of their fields.
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
    pub(super) const ALL: u32 = (1 << 22) - 1;
}

/// Returns the flags of the fields that differ in any bit. The animation is not compared.
pub(super) fn differences(parameters: &AnimationParameters, base: &AnimationParameters) -> u32 {
    let number = |a: f32, b: f32| a.to_bits() != b.to_bits();
    let target = number(parameters.target_weight, base.target_weight);
    let is_zero = parameters.target_weight.to_bits() == 0;
    [
        (flag::LOOPED, parameters.looped != base.looped),
        (
            flag::TIME,
            number(parameters.time.value(), base.time.value()),
        ),
        (flag::WEIGHT, number(parameters.weight, base.weight)),
        (flag::TARGET_IS_ZERO, target && is_zero),
        (
            flag::DELAY,
            number(parameters.target_weight_delay, base.target_weight_delay),
        ),
        (
            flag::INSTANCE,
            parameters.instance_index != base.instance_index,
        ),
        (flag::LAYER, parameters.layer != base.layer),
        (flag::TARGET, target && !is_zero),
        (flag::SPEED, number(parameters.speed, base.speed)),
        (
            flag::ON_COMPLETION,
            parameters.remove_on_completion != base.remove_on_completion,
        ),
        (
            flag::AUTO_FADE,
            number(parameters.auto_fade_out_time, base.auto_fade_out_time),
        ),
        (flag::BLEND, parameters.blend_mode != base.blend_mode),
        (
            flag::ON_ZERO,
            parameters.remove_on_zero_weight != base.remove_on_zero_weight,
        ),
        (flag::START_BONE, parameters.start_bone != base.start_bone),
        (flag::MAX, number(parameters.time.max(), base.time.max())),
        (flag::MIN, number(parameters.time.min(), base.time.min())),
        (flag::PING_PONG, parameters.ping_pong != base.ping_pong),
        (flag::BACKWARDS, parameters.backwards != base.backwards),
        (flag::MASK, parameters.mask != base.mask),
        (flag::SYNC_GROUP, parameters.sync_group != base.sync_group),
        (flag::INERTIAL, parameters.fade_mode != base.fade_mode),
        (
            flag::SHARES_LAYER,
            parameters.shares_layer != base.shares_layer,
        ),
    ]
    .into_iter()
    .fold(
        0,
        |flags, (flag, differs)| if differs { flags | flag } else { flags },
    )
}

/// Writes the difference from another instance of the same animation: flags, then fields.
pub(super) fn encode(
    parameters: &AnimationParameters,
    base: &AnimationParameters,
    out: &mut Vec<u8>,
) {
    let flags = differences(parameters, base);
    let has = |flag: u32| flags & flag != 0;
    put_vle(flags.into(), out);
    for (flag, number) in [
        (flag::TIME, parameters.time.value()),
        (flag::WEIGHT, parameters.weight),
        (flag::DELAY, parameters.target_weight_delay),
    ] {
        if has(flag) {
            put_f32(number, out);
        }
    }
    for (flag, number) in [
        (flag::INSTANCE, parameters.instance_index),
        (flag::LAYER, parameters.layer),
    ] {
        if has(flag) {
            put_vle(number.into(), out);
        }
    }
    for (flag, number) in [
        (flag::TARGET, parameters.target_weight),
        (flag::SPEED, parameters.speed),
        (flag::AUTO_FADE, parameters.auto_fade_out_time),
    ] {
        if has(flag) {
            put_f32(number, out);
        }
    }
    if has(flag::START_BONE) {
        put_str(parameters.start_bone.as_str(), out);
    }
    for (flag, number) in [
        (flag::MAX, parameters.time.max()),
        (flag::MIN, parameters.time.min()),
    ] {
        if has(flag) {
            put_f32(number, out);
        }
    }
    for (flag, name) in [
        (flag::MASK, &parameters.mask),
        (flag::SYNC_GROUP, &parameters.sync_group),
    ] {
        if has(flag) {
            put_str(name.as_str(), out);
        }
    }
}

/// Writes an instance by itself: relative to the defaults of its animation.
pub(super) fn put_instance(
    parameters: &AnimationParameters,
    set: &AnimationSet,
    out: &mut Vec<u8>,
) {
    put_vle(parameters.animation.0.into(), out);
    encode(parameters, &reference(set, parameters.animation), out);
}

/// Returns the instance that others are encoded against: the animation played once at full weight.
fn reference(set: &AnimationSet, animation: AnimationIndex) -> AnimationParameters {
    AnimationParameters::with_length(animation, set.length(animation).unwrap_or(LARGE_VALUE))
}

/// The revision of a state or difference, and its inertial switch.
pub(super) struct StateHeader {
    pub(super) revision: u32,
    pub(super) is_dirty: bool,
    pub(super) switch: Option<InertialSwitch>,
}

impl StateHeader {
    pub(super) fn put(&self, out: &mut Vec<u8>) {
        let has_switch = u64::from(self.switch.is_some());
        let bits = u64::from(self.revision) << 2 | has_switch << 1 | u64::from(self.is_dirty);
        put_vle(bits, out);
        if let Some(switch) = self.switch {
            put_vle(switch.count.into(), out);
            put_f32(switch.seconds, out);
        }
    }

    pub(super) fn read(reader: &mut StateReader<'_>) -> Result<Self, StateBytesError> {
        let bits = reader.vle(34, "a revision")?;
        let mut header = Self {
            revision: (bits >> 2) as u32,
            is_dirty: bits & 1 != 0,
            switch: None,
        };
        if bits & 2 != 0 {
            let switch = InertialSwitch {
                count: reader.vle_u32("the number of inertial switches")?,
                seconds: reader.finite_f32("the seconds of an inertial switch")?,
            };
            switch.check().map_err(|error| reader.unplayable(error))?;
            header.switch = Some(switch);
        }
        Ok(header)
    }
}

impl StateReader<'_> {
    /// Reads the fields that [`encode`] wrote.
    pub(super) fn decode(
        &mut self,
        base: &AnimationParameters,
    ) -> Result<AnimationParameters, StateBytesError> {
        let offset = self.offset;
        let flags = self.vle_u32("flags")?;
        let has = |flag: u32| flags & flag != 0;
        if has(!flag::ALL) || (has(flag::TARGET) && has(flag::TARGET_IS_ZERO)) {
            return Err(invalid_value(offset, "flags", format!("{flags:#x}")));
        }
        let mut parameters = base.clone();
        parameters.looped ^= has(flag::LOOPED);
        parameters.ping_pong ^= has(flag::PING_PONG);
        parameters.backwards ^= has(flag::BACKWARDS);
        parameters.remove_on_completion ^= has(flag::ON_COMPLETION);
        parameters.remove_on_zero_weight ^= has(flag::ON_ZERO);
        parameters.shares_layer ^= has(flag::SHARES_LAYER);
        if has(flag::BLEND) {
            parameters.blend_mode = match base.blend_mode {
                BlendMode::Lerp => BlendMode::Additive,
                BlendMode::Additive => BlendMode::Lerp,
            };
        }
        if has(flag::INERTIAL) {
            parameters.fade_mode = match base.fade_mode {
                FadeMode::Cross => FadeMode::Inertial,
                FadeMode::Inertial => FadeMode::Cross,
            };
        }
        if has(flag::TARGET_IS_ZERO) {
            parameters.target_weight = 0.0;
        }
        let (mut value, mut min, mut max) = (
            parameters.time.value(),
            parameters.time.min(),
            parameters.time.max(),
        );
        if has(flag::TIME) {
            value = self.finite_f32("a time")?;
        }
        if has(flag::WEIGHT) {
            parameters.weight = self.finite_f32("a weight")?;
        }
        if has(flag::DELAY) {
            parameters.target_weight_delay = self.finite_f32("the delay of a target weight")?;
        }
        if has(flag::INSTANCE) {
            parameters.instance_index = self.vle_u32("an instance index")?;
        }
        if has(flag::LAYER) {
            parameters.layer = self.vle_u32("a layer")?;
        }
        if has(flag::TARGET) {
            parameters.target_weight = self.finite_f32("a target weight")?;
        }
        if has(flag::SPEED) {
            parameters.speed = self.finite_f32("a speed")?;
        }
        if has(flag::AUTO_FADE) {
            parameters.auto_fade_out_time = self.finite_f32("an automatic fade-out")?;
        }
        if has(flag::START_BONE) {
            parameters.start_bone = self.str("the name of a start bone")?.into();
        }
        if has(flag::MAX) {
            max = self.finite_f32("the end of a time range")?;
        }
        if has(flag::MIN) {
            min = self.finite_f32("the beginning of a time range")?;
        }
        if !(min <= value && value <= max) {
            let found = format!("{value} between {min} and {max}");
            return Err(invalid_value(offset, "a time within its range", found));
        }
        parameters.time = WrappedScalar::new(value, min, max);
        if has(flag::MASK) {
            parameters.mask = self.str("the name of a mask")?.into();
        }
        if has(flag::SYNC_GROUP) {
            parameters.sync_group = self.str("the name of a sync group")?.into();
        }
        Ok(parameters)
    }

    /// Reads an instance that [`put_instance`] wrote.
    pub(super) fn instance(
        &mut self,
        set: &AnimationSet,
    ) -> Result<AnimationParameters, StateBytesError> {
        let animation = AnimationIndex(self.vle_u32("an animation")?);
        let parameters = self.decode(&reference(set, animation))?;
        parameters
            .check(set)
            .map_err(|source| self.unplayable(source))?;
        Ok(parameters)
    }
}
