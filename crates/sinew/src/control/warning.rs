//! What could not be bound.

use super::PathError;
use crate::animation::AnimationIndex;
use crate::animation::VariantType;
use alloc::string::String;
use alloc::vec::Vec;

/// A track, name or animation that finds nothing to animate. Everything else plays.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct BindingWarning {
    /// The animation.
    pub animation: AnimationIndex,
    /// The track, the start bone or the mask.
    pub name: String,
    /// Why it finds nothing.
    pub problem: BindingProblem,
}

/// Why something finds nothing to animate.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
#[non_exhaustive]
pub enum BindingProblem {
    /// A transform track of no joint, bone or node.
    #[error("there is nothing of that name to move")]
    NoSuchNode,
    /// A variant track whose path leads nowhere.
    #[error(transparent)]
    Path(#[from] PathError),
    /// A variant track of another type than its attribute.
    #[error("the track is of type {track}, but the attribute of type {attribute}")]
    Type {
        /// The type of the track.
        track: VariantType,
        /// The type of the attribute.
        attribute: VariantType,
    },
    /// A text that stands for nothing that there is, such as the name of a texture.
    #[error("there is no {value:?}")]
    NoSuchValue {
        /// The text.
        value: String,
    },
    /// A start bone that is not there: the animation is not applied.
    #[error("there is no such start bone; the animation is not applied")]
    NoSuchStartBone,
    /// A mask that the set lacks, or that weighs only names that are not there: the animation is not applied.
    #[error("nothing that the mask names is there; the animation is not applied")]
    NoSuchMask,
    /// Two tracks of one animation move the same thing: the later counts.
    #[error("an earlier track of the animation moves the same; this one is applied after it")]
    SameTarget,
    /// A pose has joints only.
    #[error("a pose of joints has no attributes")]
    NotInPose,
    /// A transform track on a 2D character.
    #[error("a 2D character has no transform tracks; address its bones as Bone/@/PositionX")]
    NotIn2d,
    /// The animation of a 2D character on something else, or on another character.
    #[error("the animation belongs to a 2D character that this is not")]
    OtherArmature,
}

/// Warnings that a binding lists; those beyond are left out: a game that makes up names while it plays does not fill the
/// memory with them.
const MAX_WARNINGS: usize = 10_000;

/// Warnings, each once.
#[derive(Clone, Debug, Default)]
pub(super) struct WarningList {
    /// In the order in which they came.
    list: Vec<BindingWarning>,
    /// Their positions, by what they are.
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
            .binary_search_by(|&at| self.list[at].cmp(&warning));
        if let Err(place) = place
            && self.list.len() < MAX_WARNINGS
        {
            self.sorted.insert(place, self.list.len());
            self.list.push(warning);
        }
    }
}
