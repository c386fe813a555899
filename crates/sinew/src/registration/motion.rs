//! Motions: animations, each on its skeleton.

use crate::animation::{Animation, AnimationError, LoopMotion};
use crate::math::GroundTransform;
use crate::pose::JointCountMismatch;
use crate::skeleton::Skeleton;
use alloc::string::String;

/// A motion: an animation on a skeleton.
#[derive(Clone, Copy, Debug)]
pub struct Motion<'a> {
    /// The skeleton.
    pub skeleton: &'a Skeleton,
    /// The animation.
    pub animation: &'a Animation,
}

impl<'a> Motion<'a> {
    /// Returns the root motion of an in-place loop ([`LoopMotion::in_place`]).
    ///
    /// Registration and blends restore it: each sampled pose is transformed by [`LoopMotion::placement`], so it
    /// corresponds to motions whose keys contain their root motion.
    pub fn in_place(&self) -> Option<LoopMotion> {
        self.animation.looping.filter(|looping| looping.in_place)
    }

    /// Returns the ground transform of a pose sampled at a time in seconds, if the motion is an in-place loop.
    #[doc(hidden)]
    pub fn placement(&self, time: f64) -> Option<GroundTransform> {
        let length = f64::from(self.animation.length);
        let cycles = if length > 0.0 { time / length } else { 0.0 };
        self.in_place().map(|looping| looping.placement(cycles))
    }

    /// Creates a motion.
    pub fn new(skeleton: &'a Skeleton, animation: &'a Animation) -> Self {
        Self {
            skeleton,
            animation,
        }
    }
}

/// A difference between two skeletons.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SkeletonDifference {
    /// The numbers of joints differ.
    #[error("they have {first} and {second} joints")]
    Count {
        /// Joints of the first.
        first: usize,
        /// Joints of the second.
        second: usize,
    },
    /// The names of a joint differ.
    #[error("joint {joint} is {first:?} in one and {second:?} in the other")]
    Name {
        /// Its index.
        joint: usize,
        /// Its name in the first.
        first: String,
        /// Its name in the second.
        second: String,
    },
    /// The parents of a joint differ.
    #[error("the parent of {joint:?} is {first:?} in one and {second:?} in the other")]
    Parent {
        /// Its name.
        joint: String,
        /// The name of its parent in the first; empty for a root.
        first: String,
        /// The name of its parent in the second; empty for a root.
        second: String,
    },
}

/// Checks that two skeletons have the same joints in the same order. Bone lengths may differ.
///
/// # Errors
/// The first difference.
pub fn compare_skeletons(first: &Skeleton, second: &Skeleton) -> Result<(), SkeletonDifference> {
    let pairs = first.joints().iter().zip(second.joints());
    for (joint, (a, b)) in pairs.enumerate() {
        if a.name != b.name {
            return Err(SkeletonDifference::Name {
                joint,
                first: a.name.clone(),
                second: b.name.clone(),
            });
        }
        if a.parent != b.parent {
            let name = |skeleton: &Skeleton, parent| {
                let parent = Option::and_then(parent, |parent| skeleton.joint(parent));
                parent.map_or(String::new(), |parent| parent.name.clone())
            };
            return Err(SkeletonDifference::Parent {
                joint: a.name.clone(),
                first: name(first, a.parent),
                second: name(second, b.parent),
            });
        }
    }
    if first.len() != second.len() {
        return Err(SkeletonDifference::Count {
            first: first.len(),
            second: second.len(),
        });
    }
    Ok(())
}

/// An error of blending motions.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BlendError {
    /// The number of motions differs from that of the curve.
    #[error("{found} motions for a curve of {expected}")]
    Motions {
        /// The number of motions of the curve.
        expected: usize,
        /// The number of motions given.
        found: usize,
    },
    /// The skeletons of the motions have different hierarchies.
    #[error("the motions are of different skeletons: {0}")]
    Skeletons(#[from] SkeletonDifference),
    /// A pose has another number of joints.
    #[error(transparent)]
    Pose(#[from] JointCountMismatch),
    /// Weights are invalid.
    #[error("{0}")]
    Weights(&'static str),
    /// A setting is invalid.
    #[error("{what} is {value}; expected {expected}")]
    Setting {
        /// Its name.
        what: &'static str,
        /// Its value.
        value: f64,
        /// The expected values.
        expected: &'static str,
    },
    /// The blended keys are not a valid animation.
    #[error("the motions cannot be mixed: {0}")]
    Animation(#[from] AnimationError),
}
