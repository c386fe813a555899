//! Warnings about tracks and names that could not be bound.

use super::PathError;
use crate::animation::AnimationIndex;
use crate::animation::VariantType;
use alloc::string::String;
use alloc::vec::Vec;

/// A track, name or animation that has no target. Everything else is applied.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct BindingWarning {
    /// The animation.
    pub animation: AnimationIndex,
    /// The name of the track, start bone or mask.
    pub name: String,
    /// The problem.
    pub problem: BindingProblem,
}

impl core::fmt::Display for BindingWarning {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let Self {
            animation,
            name,
            problem,
        } = self;
        write!(f, "animation {}, {name:?}: {problem}", animation.0)
    }
}

/// The reason why a track, name or animation has no target.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
#[non_exhaustive]
pub enum BindingProblem {
    /// A transform track without a joint, bone or node of its name.
    #[error("nothing with that name can be animated")]
    NoSuchNode,
    /// A variant track whose path does not resolve.
    #[error(transparent)]
    Path(#[from] PathError),
    /// A variant track whose type differs from that of its attribute.
    #[error("the track is of type {track}, but the attribute of type {attribute}")]
    Type {
        /// The type of the track.
        track: VariantType,
        /// The type of the attribute.
        attribute: VariantType,
    },
    /// An unknown text value, such as an unknown texture.
    #[error("there is no {value:?}")]
    NoSuchValue {
        /// The text.
        value: String,
    },
    /// A start bone that does not exist: the animation is not applied.
    #[error("there is no such start bone; the animation is not applied")]
    NoSuchStartBone,
    /// A mask that the set lacks, or that has only unknown names: the animation is not applied.
    #[error("no name of the mask exists; the animation is not applied")]
    NoSuchMask,
    /// Two tracks of one animation have the same target: the later one is used.
    #[error("an earlier track of the animation has the same target; this one is applied after it")]
    SameTarget,
    /// A variant track on a pose, which has joints only.
    #[error("a pose of joints has no attributes")]
    NotInPose,
    /// A transform track on a 2D character.
    #[error("a 2D character has no transform tracks; address its bones as Bone/@/PositionX")]
    NotIn2d,
    /// The animation of a 2D character on another target or another character.
    #[error("the animation is of another 2D character")]
    ArmatureMismatch,
}

/// The maximum number of warnings of a binding; further ones are dropped. Limits the memory of a game that generates
/// names at run time.
const MAX_WARNINGS: usize = 10_000;

/// A list of unique warnings.
#[derive(Clone, Debug, Default)]
pub(super) struct WarningList {
    /// In order of insertion.
    list: Vec<BindingWarning>,
    /// Their positions, sorted by content.
    sorted: Vec<usize>,
}

impl WarningList {
    pub(super) fn as_slice(&self) -> &[BindingWarning] {
        &self.list
    }

    pub(super) fn clear(&mut self) {
        self.list.clear();
        self.sorted.clear();
    }

    pub(super) fn add(&mut self, animation: AnimationIndex, name: &str, problem: BindingProblem) {
        let name = name.into();
        let warning = BindingWarning {
            animation,
            name,
            problem,
        };
        let place = self
            .sorted
            .binary_search_by(|&index| self.list[index].cmp(&warning));
        if let Err(place) = place
            && self.list.len() < MAX_WARNINGS
        {
            self.sorted.insert(place, self.list.len());
            self.list.push(warning);
        }
    }
}
