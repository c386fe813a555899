//! Animation playback: controllers, blending, layers, and binding to skeletons, 2D characters and scenes.
//!
//! ```text
//! AnimationSet (shared) ─▶ AnimationController (one per character) ─ update(dt) ─▶ triggers
//!                                   │ applied by
//!          ┌────────────────────────┼─────────────────────────┐
//!     PoseBinding              ArmatureBinding            TargetBinding
//!     Skeleton → Pose          ArmatureState              Scene, or whatever implements AnimationTarget
//! ```
//!
//! # From clips to poses
//! Each clip, keyframed or packed (`clip`), is sampled into a pose and blended over the result of the layers below it,
//! by the layers of [`blend`](mod@crate::blend): [`PoseBinding`] eight joints at a time, [`TargetBinding`] and
//! explanations joint by joint with the scalar version of the same kernel. `ArmatureBinding` blends numbers instead of
//! transforms by the same rules. `filter` turns start bones and masks into joint weights.
//!
//! # From update to update
//! `sync` keeps the times of a sync group in phase, along the curves of `registrations`. `root_motion` computes root motion
//! from the time steps of clips along their root trajectories (`trajectory`). An inertial fade is an
//! [`InertialSwitch`] of the state, which an [`Inertia`](crate::Inertia) reads.

#[cfg(feature = "skelform")]
mod armature;
#[cfg(feature = "skelform")]
mod armature_clip;
#[cfg(feature = "skelform")]
mod armature_set;
mod bytes;
mod character;
mod clip;
mod controller;
mod diff;
mod diff_bytes;
mod explain;
mod filter;
mod hash;
mod mask;
mod name;
mod parameters;
mod path;
mod play;
mod pose;
mod registrations;
mod replace;
mod root_motion;
mod set;
mod sync;
mod target;
mod trajectory;
mod warning;
mod wrapped;

pub use crate::blend::BlendMode;
pub use crate::state_bytes::StateBytesError;
#[cfg(feature = "skelform")]
pub use armature::ArmatureBinding;
pub use character::Character;
pub use controller::{AnimationController, ControllerState, FiredTrigger, InertialSwitch};
pub use diff::{ControllerDiff, DiffError};
pub use explain::Contribution;
pub use mask::Mask;
pub use name::Name;
pub use parameters::{AnimationParameters, FadeMode};
pub use path::{AttributePath, PathError};
pub use pose::PoseBinding;
pub use set::{AnimationSet, SetError};
pub use target::{AnimationTarget, TargetBinding};
pub use trajectory::RootTrajectory;
pub use warning::{BindingProblem, BindingWarning};
pub use wrapped::{ScalarRange, WrappedScalar};

use alloc::string::String;

/// A 2D character whose animations a set contains. `Infallible` without the feature `skelform`.
#[cfg(feature = "skelform")]
type SharedArmature = alloc::sync::Arc<crate::skelform::Armature>;
#[cfg(not(feature = "skelform"))]
type SharedArmature = core::convert::Infallible;

// The index of an animation of a 2D character. `Infallible` without the feature `skelform`.
#[cfg(feature = "skelform")]
use crate::skelform::ArmatureAnimationIndex;
#[cfg(not(feature = "skelform"))]
type ArmatureAnimationIndex = core::convert::Infallible;

/// Weights below this count as zero, and shorter ranges as empty.
const LARGE_EPSILON: f32 = 5e-5;

/// The largest fade duration in seconds; also the length of an animation that does not exist.
const LARGE_VALUE: f32 = 1e8;

/// An error of a controller.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ControlError {
    /// The set has no such animation.
    #[error("there is no animation {animation}; the set has {count}")]
    NoSuchAnimation {
        /// The index of the animation.
        animation: u32,
        /// The number of animations of the set.
        count: usize,
    },
    /// No animation plays at this position.
    #[error("nothing plays at {index}; {count} animations are playing")]
    NoSuchInstance {
        /// The position in the list.
        index: usize,
        /// The number of playing animations.
        count: usize,
    },
    /// An update would change which animation an instance plays.
    #[error(
        "instance {instance_index} of animation {animation} plays at {index}; an update cannot change \
         which animation that is"
    )]
    IdentityChanged {
        /// The position in the list.
        index: usize,
        /// The animation that plays there.
        animation: u32,
        /// The instance index.
        instance_index: u32,
    },
    /// Two instances of one animation have the same index.
    #[error("instance {instance_index} of animation {animation} is listed twice")]
    SameInstance {
        /// The animation.
        animation: u32,
        /// The instance index.
        instance_index: u32,
    },
    /// The set has no such mask.
    #[error("the set has no mask {name:?}")]
    NoSuchMask {
        /// The name of the mask.
        name: String,
    },
    /// A number is not finite, or is negative where it must not be.
    #[error("{field} is {value}; expected {expected}")]
    Number {
        /// The name of the number.
        field: &'static str,
        /// The value found.
        value: f32,
        /// The expected range.
        expected: &'static str,
    },
    /// The other set has a different animation at the index of a playing one.
    #[error("animation {animation} is {found:?} in the other set; {expected:?} is playing")]
    AnimationMismatch {
        /// The index of the animation.
        animation: u32,
        /// The name of the playing animation.
        expected: String,
        /// The name in the other set.
        found: String,
    },
    /// Too many animations play.
    #[error("too many animations are playing")]
    TooMany,
}
