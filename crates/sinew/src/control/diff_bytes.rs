//! What became of a state, in few bytes.
//!
//! ```text
//! difference  version │ checksum of base and set │ revisions since × 2 + dirty │ jump │ count │ step …
//!             1 byte    4 bytes                    VLE                                  VLE
//! step        kind + 4 × number (VLE) │ for a change or insertion: an instance
//! ```
//!
//! | kind | step | number | instance |
//! |---|---|---|---|
//! | 0 | keep | how many | – |
//! | 1 | drop | how many | – |
//! | 2 | change | 0 | relative to the one of the base that it comes from |
//! | 3 | insert | 0, or 1 + a position in the base | on its own, or relative to the one there |
//!
//! Instances are written as in a [state](ControllerState::to_bytes); a relative one has no animation, only
//! flags and the fields that differ. An empty difference takes 7 bytes. As with states, there is a second version with
//! the jump, which is used where the first does not do.

use super::bytes::{StateBytesError, encode, head, put_instance, put_jump, put_vle};
use super::controller::ControllerState;
use super::diff::{ControllerDiff, DiffError, Identities, Step};
use super::hash::{fnv1a, folded};
use super::parameters::{AnimationParameters, check_unique};
use super::reader::{Reader, wrong};
use super::set::AnimationSet;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// The first byte of a difference, as for states; not one of theirs.
const DIFF_VERSIONS: [u8; 2] = [0x81, 0x82];

// The kinds of steps.
const KEEP: u64 = 0;
const DROP: u64 = 1;
const CHANGE: u64 = 2;
const INSERT: u64 = 3;

impl ControllerDiff {
    /// This difference in few bytes, which [`from_bytes`](Self::from_bytes) reads with the same base and set.
    /// An empty one takes 7.
    ///
    /// # Errors
    /// When the difference is from another state than `base`.
    pub fn to_bytes(
        &self,
        base: &ControllerState,
        set: &AnimationSet,
    ) -> Result<Vec<u8>, DiffError> {
        self.check_base(base)?;
        let mut out = Vec::with_capacity(8 + 8 * self.steps.len());
        let instances = self.steps.iter().filter_map(|step| match step {
            Step::Change(own) | Step::Insert(own) => Some(own),
            Step::Keep(_) | Step::Drop(_) => None,
        });
        let is_first = self.jump.is(&base.jump)
            && instances
                .chain(&base.animations)
                .all(AnimationParameters::is_of_version_1);
        out.push(DIFF_VERSIONS[usize::from(!is_first)]);
        out.extend(mark(self.base, set).to_le_bytes());
        let revisions = self.revision.wrapping_sub(base.revision);
        put_vle(head(revisions, self.is_dirty), &mut out);
        if !is_first {
            put_jump(&self.jump, &mut out);
        }
        put_vle(self.steps.len() as u64, &mut out);
        let identities = Identities::new(base);
        self.walk(base, |step, old| {
            let kind = |kind: u64, number: u64| kind | number << 2;
            match step {
                Step::Keep(count) => put_vle(kind(KEEP, (*count).into()), &mut out),
                Step::Drop(count) => put_vle(kind(DROP, (*count).into()), &mut out),
                Step::Change(own) => {
                    put_vle(kind(CHANGE, 0), &mut out);
                    encode(own, old.first().unwrap_or(own), &mut out);
                }
                Step::Insert(own) => {
                    let found = identities.find(own, 0);
                    match found.and_then(|at| Some((at, base.animations.get(at)?))) {
                        Some((at, old)) => {
                            put_vle(kind(INSERT, 1 + at as u64), &mut out);
                            encode(own, old, &mut out);
                        }
                        None => {
                            put_vle(kind(INSERT, 0), &mut out);
                            put_instance(own, set, &mut out);
                        }
                    }
                }
            }
        })?;
        Ok(out)
    }

    /// The difference that [`to_bytes`](Self::to_bytes) made bytes of. Applied to `base`, which is one that
    /// can be played, it leads to another such.
    ///
    /// # Errors
    /// When the bytes are of another version, base or set, end early, go on after their end, or lead to
    /// something that cannot be played.
    pub fn from_bytes(
        bytes: &[u8],
        base: &ControllerState,
        set: &AnimationSet,
    ) -> Result<Self, StateBytesError> {
        let mut reader = Reader::new(bytes);
        reader.version("the version of a difference, 129 or 130", DIFF_VERSIONS)?;
        let offset = reader.offset;
        let found = reader.u32_le("the checksum of the base")?;
        let checksum = base.checksum();
        let expected = mark(checksum, set);
        if found != expected {
            return Err(StateBytesError::OtherBase {
                offset,
                expected,
                found,
            });
        }
        let (revisions, is_dirty) = reader.head()?;
        let jump = reader.jump()?.unwrap_or(base.jump);
        let count = reader.count("the number of steps", 1)?;
        // What a step inserts takes two bytes at least; others take something of the base.
        let most = base.animations.len() + bytes.len() / 2;
        let mut steps = Vec::with_capacity(count.min(most));
        let mut left = base.animations.as_slice();
        for _ in 0..count {
            steps.push(reader.step(base, &mut left, set)?);
        }
        reader.end()?;
        let diff = Self {
            base: checksum,
            revision: base.revision.wrapping_add(revisions),
            is_dirty,
            jump,
            steps,
        };
        let animations = diff
            .animations(base)
            .map_err(|error| wrong(reader.offset, "steps that fit the base", format!("{error}")))?;
        check_unique(&animations).map_err(|source| reader.unplayable(source))?;
        Ok(diff)
    }
}

impl Reader<'_> {
    /// A step, and what it leaves of the base's list.
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
                    return Err(wrong(
                        offset,
                        "a step over one or more",
                        String::from("none"),
                    ));
                }
                let Some((_, rest)) = left.split_at_checked(number as usize) else {
                    return Err(wrong(offset, "no more than are left", format!("{number}")));
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
                    return Err(wrong(offset, "an instance to change", "none left".into()));
                };
                *left = rest;
                Step::Change(self.decode(old)?)
            }
            _ => match (number as usize).checked_sub(1) {
                None => Step::Insert(self.instance(set)?),
                Some(at) => {
                    let old = base
                        .animations
                        .get(at)
                        .ok_or_else(|| wrong(offset, "a position in the base", format!("{at}")))?;
                    Step::Insert(self.decode(old)?)
                }
            },
        };
        if let Step::Change(own) | Step::Insert(own) = &step {
            own.check(set).map_err(|source| self.unplayable(source))?;
        }
        Ok(step)
    }
}

/// What a difference in bytes begins with: the checksum of its base, and of the set.
fn mark(base: u32, set: &AnimationSet) -> u32 {
    folded(fnv1a(base.into(), &set.fingerprint().to_le_bytes()))
}
