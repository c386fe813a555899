//! The bytes of a difference between two controller states.
//!
//! ```text
//! difference  version │ checksum of base and set │ header │ switch │ count │ step …
//!             1 byte    4 bytes                    VLE      if any   VLE
//! header      revisions since the base × 4 + another switch × 2 + dirty
//! step        kind + 4 × number (VLE) │ for a change or insertion: an instance
//! ```
//!
//! | kind | step | number | instance |
//! |---|---|---|---|
//! | 0 | keep | count | – |
//! | 1 | drop | count | – |
//! | 2 | change | 0 | relative to the one of the base that it comes from |
//! | 3 | insert | 0, or 1 + a position in the base | by itself, or relative to the one there |
//!
//! Instances are written as in a [state](ControllerState::to_bytes); a relative one has no animation, only flags and
//! the fields that differ. An empty difference takes 7 bytes.

use super::bytes::{StateHeader, encode, put_instance};
use super::controller::ControllerState;
use super::diff::{ControllerDiff, DiffError, Identities, Step};
use super::hash::{fnv1a, fold};
use super::parameters::{AnimationParameters, check_unique};
use super::set::AnimationSet;
use crate::state_bytes::{StateBytesError, StateReader, invalid_value, put_vle};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// The first byte of a difference; distinct from that of a state.
const DIFF_VERSION: u8 = 0x81;

// The kinds of steps.
const KEEP: u64 = 0;
const DROP: u64 = 1;
const CHANGE: u64 = 2;
const INSERT: u64 = 3;

impl ControllerDiff {
    /// Encodes this difference; [`from_bytes`](Self::from_bytes) reads it with the same base and set. An empty one
    /// takes 7 bytes.
    ///
    /// # Errors
    /// If the difference starts from another state than `base`.
    pub fn to_bytes(
        &self,
        base: &ControllerState,
        set: &AnimationSet,
    ) -> Result<Vec<u8>, DiffError> {
        self.check_base(base)?;
        let mut out = Vec::with_capacity(8 + 8 * self.steps.len());
        out.push(DIFF_VERSION);
        out.extend(base_checksum(self.base, set).to_le_bytes());
        let header = StateHeader {
            revision: self.revision.wrapping_sub(base.revision),
            is_dirty: self.is_dirty,
            switch: (!self.inertial_switch.has_same_bits(&base.inertial_switch))
                .then_some(self.inertial_switch),
        };
        header.put(&mut out);
        put_vle(self.steps.len() as u64, &mut out);
        let identities = Identities::new(base);
        self.walk(base, |step, old| {
            let kind = |kind: u64, number: u64| kind | number << 2;
            match step {
                Step::Keep(count) => put_vle(kind(KEEP, (*count).into()), &mut out),
                Step::Drop(count) => put_vle(kind(DROP, (*count).into()), &mut out),
                Step::Change(parameters) => {
                    put_vle(kind(CHANGE, 0), &mut out);
                    encode(parameters, old.first().unwrap_or(parameters), &mut out);
                }
                Step::Insert(parameters) => {
                    let found = identities.find(parameters, 0);
                    match found
                        .and_then(|position| Some((position, base.animations.get(position)?)))
                    {
                        Some((position, old)) => {
                            put_vle(kind(INSERT, 1 + position as u64), &mut out);
                            encode(parameters, old, &mut out);
                        }
                        None => {
                            put_vle(kind(INSERT, 0), &mut out);
                            put_instance(parameters, set, &mut out);
                        }
                    }
                }
            }
        })?;
        Ok(out)
    }

    /// Decodes a difference that [`to_bytes`](Self::to_bytes) encoded. Applied to `base` it gives a state that a
    /// controller accepts, if `base` is one.
    ///
    /// # Errors
    /// If the version, base or set differs, the bytes end early or continue after the end, or a controller would refuse
    /// the resulting state.
    pub fn from_bytes(
        bytes: &[u8],
        base: &ControllerState,
        set: &AnimationSet,
    ) -> Result<Self, StateBytesError> {
        let mut reader = StateReader::new(bytes);
        reader.version(DIFF_VERSION, "the version of a difference, 129")?;
        let offset = reader.offset;
        let found = reader.u32("the checksum of the base")?;
        let checksum = base.checksum();
        let expected = base_checksum(checksum, set);
        if found != expected {
            return Err(StateBytesError::BaseMismatch {
                offset,
                expected,
                found,
            });
        }
        let header = StateHeader::read(&mut reader)?;
        let count = reader.count("the number of steps", 1)?;
        // An insertion takes at least two bytes; every other step uses an instance of the base.
        let max_steps = base.animations.len() + bytes.len() / 2;
        let mut steps = Vec::with_capacity(count.min(max_steps));
        let mut left = base.animations.as_slice();
        for _ in 0..count {
            steps.push(reader.step(base, &mut left, set)?);
        }
        reader.end()?;
        let diff = Self {
            base: checksum,
            revision: base.revision.wrapping_add(header.revision),
            is_dirty: header.is_dirty,
            inertial_switch: header.switch.unwrap_or(base.inertial_switch),
            steps,
        };
        let animations = diff.animations(base).map_err(|error| {
            invalid_value(reader.offset, "steps that fit the base", format!("{error}"))
        })?;
        check_unique(&animations).map_err(|source| reader.unplayable(source))?;
        Ok(diff)
    }
}

impl StateReader<'_> {
    /// Reads a step and removes the instances that it uses from `left`.
    fn step(
        &mut self,
        base: &ControllerState,
        left: &mut &[AnimationParameters],
        set: &AnimationSet,
    ) -> Result<Step, StateBytesError> {
        let offset = self.offset;
        let tag = self.vle(34, "a step")?;
        let number = (tag >> 2) as u32;
        let step = match tag & 3 {
            KEEP | DROP => {
                if number == 0 {
                    return Err(invalid_value(
                        offset,
                        "a step over one or more",
                        String::from("none"),
                    ));
                }
                let Some((_, rest)) = left.split_at_checked(number as usize) else {
                    return Err(invalid_value(
                        offset,
                        "no more than are left",
                        format!("{number}"),
                    ));
                };
                *left = rest;
                let is_keep = tag & 3 == KEEP;
                return Ok(if is_keep {
                    Step::Keep(number)
                } else {
                    Step::Drop(number)
                });
            }
            CHANGE => {
                let Some((old, rest)) = left.split_first() else {
                    return Err(invalid_value(
                        offset,
                        "an instance to change",
                        "none left".into(),
                    ));
                };
                *left = rest;
                Step::Change(self.decode(old)?)
            }
            _ => match (number as usize).checked_sub(1) {
                None => Step::Insert(self.instance(set)?),
                Some(position) => {
                    let old = base.animations.get(position).ok_or_else(|| {
                        invalid_value(offset, "a position in the base", format!("{position}"))
                    })?;
                    Step::Insert(self.decode(old)?)
                }
            },
        };
        if let Step::Change(parameters) | Step::Insert(parameters) = &step {
            parameters
                .check(set)
                .map_err(|source| self.unplayable(source))?;
        }
        Ok(step)
    }
}

/// Returns the checksum of the base and the set, with which a difference begins.
fn base_checksum(base: u32, set: &AnimationSet) -> u32 {
    fold(fnv1a(base.into(), &set.fingerprint().to_le_bytes()))
}
