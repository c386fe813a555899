//! What is registered and blended: animations, each on its skeleton.

use crate::animation::{Animation, AnimationError, LoopMotion};
use crate::math::GroundTransform;
use crate::pose::JointCountMismatch;
use crate::skeleton::Skeleton;
use alloc::string::String;

/// A motion: an animation on a skeleton.
#[derive(Clone, Copy, Debug)]
pub struct Motion<'a> {
    /// Who moves.
    pub skeleton: &'a Skeleton,
    /// How.
    pub animation: &'a Animation,
}

impl<'a> Motion<'a> {
    /// How a loop moves that was put on the spot ([`LoopMotion::in_place`]).
    ///
    /// Registration and blends take such a loop for the motion that it was: each sampled pose is moved over the ground by
    /// [`LoopMotion::placement`], so that it corresponds to motions whose keys hold where they go.
    pub fn in_place(&self) -> Option<LoopMotion> {
        self.animation.looping.filter(|looping| looping.in_place)
    }

    /// What a pose that is sampled at a time, in seconds, is moved over the ground by, if it is of a loop that was put on
    /// the spot.
    #[doc(hidden)]
    pub fn placement(&self, time: f64) -> Option<GroundTransform> {
        let length = f64::from(self.animation.length);
        let cycles = if length > 0.0 { time / length } else { 0.0 };
        self.in_place().map(|looping| looping.placement(cycles))
    }

    /// An animation on a skeleton.
    pub fn new(skeleton: &'a Skeleton, animation: &'a Animation) -> Self {
        Self {
            skeleton,
            animation,
        }
    }
}

/// How two skeletons differ.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SkeletonDifference {
    /// One has more joints.
    #[error("they have {first} and {second} joints")]
    Count {
        /// Joints of the first.
        first: usize,
        /// Joints of the second.
        second: usize,
    },
    /// A joint is called otherwise.
    #[error("joint {joint} is {first:?} in one and {second:?} in the other")]
    Name {
        /// Its position.
        joint: usize,
        /// Its name in the first.
        first: String,
        /// Its name in the second.
        second: String,
    },
    /// A joint has another parent.
    #[error("the parent of {joint:?} is {first:?} in one and {second:?} in the other")]
    Parent {
        /// Its name.
        joint: String,
        /// Its parent's name in the first; empty where it has none.
        first: String,
        /// The same in the second.
        second: String,
    },
}

/// Whether two skeletons have the same joints in the same order. Their lengths may differ: people do.
///
/// # Errors
/// With the first difference.
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

/// Why motions cannot be mixed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BlendError {
    /// There are not as many motions as the curve has.
    #[error("{found} motions for a curve of {expected}")]
    Motions {
        /// Motions of the curve.
        expected: usize,
        /// Motions.
        found: usize,
    },
    /// The motions are of skeletons that are built differently.
    #[error("the motions are of different skeletons: {0}")]
    Skeletons(#[from] SkeletonDifference),
    /// A pose is of another skeleton.
    #[error(transparent)]
    Pose(#[from] JointCountMismatch),
    /// Weights cannot be used.
    #[error("{0}")]
    Weights(&'static str),
    /// A number is not one that can be used.
    #[error("{what} is {value}; expected {expected}")]
    Setting {
        /// Which.
        what: &'static str,
        /// What it is.
        value: f64,
        /// What it could be.
        expected: &'static str,
    },
    /// The motions make numbers that no animation can have.
    #[error("the motions cannot be mixed: {0}")]
    Animation(#[from] AnimationError),
}
