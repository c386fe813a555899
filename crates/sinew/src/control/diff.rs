//! The difference between two controller states.

use super::bytes::{StateHeader, differences, encode};
use super::controller::{ControllerState, InertialSwitch};
use super::hash::{START, fnv1a, fold};
use super::parameters::AnimationParameters;
use crate::animation::AnimationIndex;
use crate::state_bytes::put_vle;
use alloc::vec::Vec;

/// The difference from one state, the base, to another. Plain data, created by [`ControllerState::diff`].
///
/// If a server and a client both advance the last state that they agreed on, only manual changes since then need to be
/// sent:
///
/// ```
/// use std::sync::Arc;
/// use sinew::{Animation, AnimationController, AnimationParameters, AnimationSet};
/// use sinew::control::ControllerDiff;
///
/// let mut set = AnimationSet::new();
/// let walk = set.add(Animation::new("walk", 1.2))?;
/// let wave = set.add(Animation::new("wave", 0.8))?;
/// let set = Arc::new(set);
/// let mut server = AnimationController::new(set.clone());
/// server.play_new(AnimationParameters::new(&set, walk).looped(), 0.5)?;
///
/// // Both have this state. The server advances it, and the client predicts the result.
/// let mut expected = server.state().clone();
/// server.update(0.25);
/// expected.advance(0.25);
/// assert_eq!(server.state().diff(&expected).to_bytes(&expected, &set)?.len(), 7);
///
/// // The client cannot predict manual changes: one byte keeps the walk, 8 insert the wave.
/// server.play_new(AnimationParameters::new(&set, wave).layer(1), 0.0)?;
/// server.update(0.25);
/// expected.advance(0.25);
/// let bytes = server.state().diff(&expected).to_bytes(&expected, &set)?;
/// assert_eq!(bytes.len(), 16);
/// expected.apply_diff(&ControllerDiff::from_bytes(&bytes, &expected, &set)?)?;
/// assert_eq!(&expected, server.state());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ControllerDiff {
    /// The checksum of the base.
    pub(super) base: u32,
    pub(super) revision: u32,
    pub(super) is_dirty: bool,
    #[cfg_attr(feature = "serde", serde(default))]
    pub(super) inertial_switch: InertialSwitch,
    /// Applied from the front of the base's list; what remains of it after them is kept.
    pub(super) steps: Vec<Step>,
}

/// A change at the front of the remaining part of the base's list.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) enum Step {
    /// Keeps this many.
    Keep(u32),
    /// Removes this many.
    Drop(u32),
    /// Replaces the first one.
    Change(AnimationParameters),
    /// Inserts an instance before them.
    Insert(AnimationParameters),
}

/// An error of applying a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DiffError {
    /// The difference is from another state.
    #[error("the difference is from the state {expected:#010x}; this one is {found:#010x}")]
    BaseMismatch {
        /// The checksum of the state that it is from.
        expected: u32,
        /// The checksum of the state given.
        found: u32,
    },
    /// A step covers more animations than there are, or changes the animation of an instance.
    #[error("step {step} of the difference does not fit the state, which has {count} animations")]
    Step {
        /// The index of the step.
        step: usize,
        /// The number of animations of the state.
        count: usize,
    },
}

impl ControllerState {
    /// Returns the difference from `base` to this state, bit-exact.
    pub fn diff(&self, base: &Self) -> ControllerDiff {
        let identities = Identities::new(base);
        let mut steps = Vec::new();
        let mut from = 0;
        for instance in &self.animations {
            let found = identities.find(instance, from);
            let Some((position, old)) =
                found.and_then(|position| Some((position, base.animations.get(position)?)))
            else {
                steps.push(Step::Insert(instance.clone()));
                continue;
            };
            add(&mut steps, position - from, Step::Drop);
            if differences(instance, old) == 0 {
                add(&mut steps, 1, Step::Keep);
            } else {
                steps.push(Step::Change(instance.clone()));
            }
            from = position + 1;
        }
        add(&mut steps, base.animations.len() - from, Step::Drop);
        if let Some(Step::Keep(_)) = steps.last() {
            steps.pop();
        }
        ControllerDiff {
            base: base.checksum(),
            revision: self.revision,
            is_dirty: self.is_dirty,
            inertial_switch: self.inertial_switch,
            steps,
        }
    }

    /// Applies a difference. The result is as valid as the two states of the difference;
    /// [`restore`](super::AnimationController::restore) checks it.
    ///
    /// # Errors
    /// If the difference is from another state. This state then stays unchanged.
    pub fn apply_diff(&mut self, diff: &ControllerDiff) -> Result<(), DiffError> {
        diff.check_base(self)?;
        let animations = diff.animations(self)?;
        *self = Self {
            animations,
            revision: diff.revision,
            is_dirty: diff.is_dirty,
            inertial_switch: diff.inertial_switch,
        };
        Ok(())
    }

    /// Returns a hash over every bit of the state.
    pub(super) fn checksum(&self) -> u32 {
        let mut bytes = Vec::with_capacity(8 + 16 * self.animations.len());
        let header = StateHeader {
            revision: self.revision,
            is_dirty: self.is_dirty,
            switch: Some(self.inertial_switch),
        };
        header.put(&mut bytes);
        for instance in &self.animations {
            put_vle(instance.animation.0.into(), &mut bytes);
            // Any reference works that does not need the set.
            encode(
                instance,
                &AnimationParameters::with_length(instance.animation, 0.0),
                &mut bytes,
            );
        }
        fold(fnv1a(START, &bytes))
    }
}

impl ControllerDiff {
    /// Returns whether both states play the same animations with the same parameters.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    pub(super) fn check_base(&self, base: &ControllerState) -> Result<(), DiffError> {
        let found = base.checksum();
        if self.base == found {
            return Ok(());
        }
        Err(DiffError::BaseMismatch {
            expected: self.base,
            found,
        })
    }

    /// Returns the list after the difference is applied to the base's.
    pub(super) fn animations(
        &self,
        base: &ControllerState,
    ) -> Result<Vec<AnimationParameters>, DiffError> {
        let mut animations = Vec::with_capacity(base.animations.len());
        let left = self.walk(base, |step, old| match step {
            Step::Keep(_) => animations.extend_from_slice(old),
            Step::Drop(_) => {}
            Step::Change(instance) | Step::Insert(instance) => animations.push(instance.clone()),
        })?;
        animations.extend_from_slice(left);
        Ok(animations)
    }

    /// Reports each step with the instances of the base that it covers; returns the remaining ones.
    pub(super) fn walk<'a>(
        &self,
        base: &'a ControllerState,
        mut visit: impl FnMut(&Step, &'a [AnimationParameters]),
    ) -> Result<&'a [AnimationParameters], DiffError> {
        let mut left = base.animations.as_slice();
        for (index, step) in self.steps.iter().enumerate() {
            let count = match step {
                Step::Keep(count) | Step::Drop(count) => *count as usize,
                Step::Change(_) => 1,
                Step::Insert(_) => 0,
            };
            let fits = left.split_at_checked(count).filter(|(old, _)| match step {
                Step::Change(instance) => old.iter().all(|old| old.is_mergeable(instance)),
                _ => true,
            });
            let Some((old, rest)) = fits else {
                return Err(DiffError::Step {
                    step: index,
                    count: base.animations.len(),
                });
            };
            visit(step, old);
            left = rest;
        }
        Ok(left)
    }
}

/// Adds a step with a count, or adds to the last one if it is of the same kind.
fn add(steps: &mut Vec<Step>, count: usize, kind: fn(u32) -> Step) {
    // Lists are shorter than 2^32.
    let step = kind(count as u32);
    match (steps.last_mut(), &step) {
        _ if count == 0 => {}
        (Some(Step::Keep(count)), Step::Keep(added))
        | (Some(Step::Drop(count)), Step::Drop(added)) => {
            *count = count.saturating_add(*added);
        }
        _ => steps.push(step),
    }
}

/// The positions of the instances of a list, sorted by identity and then by position.
pub(super) struct Identities(Vec<(AnimationIndex, u32, usize)>);

impl Identities {
    pub(super) fn new(state: &ControllerState) -> Self {
        let identities = state.animations.iter().enumerate();
        let mut identities: Vec<_> = identities
            .map(|(position, instance)| (instance.animation, instance.instance_index, position))
            .collect();
        identities.sort_unstable();
        Self(identities)
    }

    /// Finds the position of an instance, at `from` or later.
    pub(super) fn find(&self, parameters: &AnimationParameters, from: usize) -> Option<usize> {
        let (animation, instance) = (parameters.animation, parameters.instance_index);
        let place = self
            .0
            .partition_point(|&entry| entry < (animation, instance, from));
        let &(found, index, position) = self.0.get(place)?;
        (found == animation && index == instance).then_some(position)
    }
}
