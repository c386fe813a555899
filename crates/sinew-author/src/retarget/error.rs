//! Errors and warnings of retargeting.

use super::role::Role;
use crate::error::{NotFiniteError, SettingError};
use alloc::string::String;
use core::fmt;

/// One of the two skeletons of a retargeting.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Figure {
    /// The skeleton that the motion was made for.
    Source,
    /// The skeleton that the motion is transferred to.
    Target,
}

impl fmt::Display for Figure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Source => "source",
            Self::Target => "target",
        })
    }
}

/// Why a motion cannot be retargeted.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RetargetError {
    /// A required role is played by no joint.
    #[error("the {figure} has no joint for the role {role}")]
    MissingRole {
        /// The skeleton.
        figure: Figure,
        /// The role; the chest if there is no spine either.
        role: Role,
    },
    /// A role map has a joint that the skeleton does not have.
    #[error(
        "the role map of the {figure} gives {role} to joint {joint}, but there are {joints} joints"
    )]
    JointOutOfRange {
        /// The skeleton.
        figure: Figure,
        /// The role.
        role: Role,
        /// The index in the map.
        joint: usize,
        /// The number of joints.
        joints: usize,
    },
    /// A joint is not below the joint that it should descend from.
    #[error("joint {joint:?} of the {figure}, the {role}, does not descend from {above:?}")]
    Hierarchy {
        /// The skeleton.
        figure: Figure,
        /// The role.
        role: Role,
        /// The name of its joint.
        joint: String,
        /// The name of the joint that it should descend from.
        above: String,
    },
    /// The bones of the legs have no length, so there is no scale.
    #[error("the legs of the {figure} have no length")]
    NoLegLength {
        /// The skeleton.
        figure: Figure,
    },
    /// A rest pose, or its extent, is out of range.
    #[error("the rest pose of the {figure} is out of range")]
    RestOutOfRange {
        /// The skeleton.
        figure: Figure,
    },
    /// [`RestAlignment::Frame`](super::RestAlignment::Frame) without a motion, or beyond its last frame.
    #[error("there is no frame {frame} for the rest pose; the motion has {frames} frames")]
    RestFrame {
        /// The frame.
        frame: u32,
        /// The number of frames; 0 without a motion.
        frames: usize,
    },
    /// A motion has too few frames, or too many.
    #[error("{name:?} has {frames} frames; expected 1 to 200000")]
    Frames {
        /// Its name.
        name: String,
        /// Its frames, as far as they can be counted.
        frames: usize,
    },
    /// The position of a joint is NaN, infinite or too far away.
    #[error(transparent)]
    NotFinite(#[from] NotFiniteError),
    /// A setting is out of range.
    #[error(transparent)]
    Setting(#[from] SettingError),
}

/// Something that a result lacks, though it is valid.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(tag = "kind", rename_all = "snake_case"))]
#[non_exhaustive]
pub enum RetargetWarning {
    /// A role is played in one skeleton only: its motion is dropped, or its joints stay at rest.
    MissingRole {
        /// The skeleton without it.
        figure: Figure,
        /// The role, as in role maps.
        role: String,
    },
    /// A joint of the source moves, but drives nothing.
    UnmappedMotion {
        /// The name of the joint.
        joint: String,
    },
    /// The legs differ so much in length that the motion will look too slow or too fast.
    Scale {
        /// The scale of the travel.
        scale: f32,
    },
    /// The source does not move on the ground plane, y = 0; its floor was found from planted feet.
    Floor {
        /// The height of its floor, in metres.
        height: f32,
    },
    /// No foot of the source is ever planted, so no foot of the target is kept in place.
    NoPlants,
    /// Legs are too short for their planted feet, though the hips are lowered.
    OutOfReach {
        /// The number of frames.
        frames: usize,
        /// The largest distance of an ankle from its place, as a share of the leg's length.
        miss: f32,
    },
}

impl fmt::Display for RetargetWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::MissingRole { figure, role } => {
                let effect = match figure {
                    Figure::Source => "it stays at rest in the target",
                    Figure::Target => "its motion is dropped",
                };
                write!(f, "the {figure} has no {role}; {effect}")
            }
            Self::UnmappedMotion { joint } => {
                write!(
                    f,
                    "the motion of joint {joint:?} is dropped: it plays no role"
                )
            }
            Self::Scale { scale } => {
                write!(
                    f,
                    "the legs differ much in length: the travel is scaled by {scale:.3}"
                )
            }
            Self::Floor { height } => write!(
                f,
                "the source stands {height:.3} m from the ground plane; its planted feet define the floor"
            ),
            Self::NoPlants => {
                f.write_str("no foot of the source is planted; feet are not kept in place")
            }
            Self::OutOfReach { frames, miss } => write!(
                f,
                "planted feet are out of reach in {frames} frames, by up to {:.1} % of the leg",
                100.0 * miss
            ),
        }
    }
}
