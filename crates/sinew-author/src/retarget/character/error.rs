//! Errors of retargeting to a character.

use crate::retarget::Role;
use crate::{NotFiniteError, SettingError};

/// An error of [`retarget_to_character`](super::retarget_to_character).
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CharacterError {
    /// A setting is out of range.
    #[error(transparent)]
    Setting(#[from] SettingError),
    /// The source has positions that are not finite.
    #[error(transparent)]
    NotFinite(#[from] NotFiniteError),
    /// A role refers to a joint that the skeleton does not have.
    #[error("{role} is joint {joint} of the source, which has {count} joints")]
    NoSuchJoint {
        /// The role.
        role: Role,
        /// The index of the joint.
        joint: usize,
        /// The number of joints.
        count: usize,
    },
    /// A role refers to a bone that the character does not have.
    #[error("{role} is bone {bone} of the character, which has {count} bones")]
    NoSuchBone {
        /// The role.
        role: Role,
        /// The index of the bone.
        bone: usize,
        /// The number of bones.
        count: usize,
    },
    /// A role that is needed is missing in the source.
    #[error("no joint of the source is the {0}")]
    MissingInSource(Role),
    /// No limb has both of its bones in the source and in the character.
    #[error("no leg or arm of the character has both of its bones and a counterpart in the source")]
    NoCommonLimb,
    /// The body of the source has no size, so lengths cannot be compared.
    #[error("the limbs of the {0} have no length")]
    NoLength(&'static str),
    /// The animation would have too many frames.
    #[error("{frames} frames are too many; at most {limit} are possible")]
    TooLong {
        /// The number of frames.
        frames: usize,
        /// The largest possible number.
        limit: usize,
    },
}
