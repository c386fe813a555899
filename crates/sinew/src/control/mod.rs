//! Playing animations: which, how, over what, and onto whom.
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
//! An animation, of keys or packed (`clip`), is sampled into a pose and laid over what those below it made, by the layers
//! of [`blend`](mod@crate::blend): [`PoseBinding`] eight joints at a time, [`TargetBinding`] and explanations joint by
//! joint with the scalar twin of the same kernel. `ArmatureBinding` has numbers instead of transforms and shares the
//! rules. `filter` makes weights per joint of start bones and masks.
//!
//! # From update to update
//! `sync` lets the times of a group go together, along the curves of `registrations`; `root` makes steps over the ground
//! of the ways that times went, along the root trajectories of clips (`trajectory`). An inertial fade is a [`InertialSwitch`] of the state, which an [`Inertia`](crate::Inertia) sees.

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
mod root;
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

/// A 2D character whose animations a set holds. Without the feature `skelform` there is none.
#[cfg(feature = "skelform")]
type SharedArmature = alloc::sync::Arc<crate::skelform::Armature>;
#[cfg(not(feature = "skelform"))]
type SharedArmature = core::convert::Infallible;

/// Weights below this are none, and ranges have no room to move in.
const LARGE_EPSILON: f32 = 5e-5;

/// What stands for without end: fades do not take longer, and it is how long an animation that is not there lasts.
const LARGE_VALUE: f32 = 1e8;

/// Why a controller does not do as it is told.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ControlError {
    /// The set has no such animation.
    #[error("there is no animation {animation}; the set has {count}")]
    NoSuchAnimation {
        /// Its position.
        animation: u32,
        /// How many there are.
        count: usize,
    },
    /// Nothing plays there.
    #[error("nothing plays at {index}; {count} animations are playing")]
    NoSuchInstance {
        /// The position in the list.
        index: usize,
        /// How many play.
        count: usize,
    },
    /// An update would make another animation of a playing one.
    #[error(
        "instance {instance_index} of animation {animation} plays at {index}; an update cannot change \
         which animation that is"
    )]
    IdentityChanged {
        /// The position in the list.
        index: usize,
        /// The animation that plays there.
        animation: u32,
        /// Which instance of it.
        instance_index: u32,
    },
    /// Two instances of one animation have one index.
    #[error("instance {instance_index} of animation {animation} is listed twice")]
    SameInstance {
        /// The animation.
        animation: u32,
        /// Which instance of it.
        instance_index: u32,
    },
    /// The set has no such mask.
    #[error("the set has no mask {name:?}")]
    NoSuchMask {
        /// Its name.
        name: String,
    },
    /// A number is not finite, or negative where it cannot be.
    #[error("{field} is {value}; expected {expected}")]
    Number {
        /// Which number.
        field: &'static str,
        /// What it is.
        value: f32,
        /// What it could be.
        expected: &'static str,
    },
    /// Another set has another animation where one plays.
    #[error("animation {animation} is {found:?} in the other set; {expected:?} is playing")]
    OtherAnimation {
        /// Its position.
        animation: u32,
        /// The name of what plays.
        expected: String,
        /// The name in the other set.
        found: String,
    },
    /// More animations than can be counted.
    #[error("too many animations are playing")]
    TooMany,
}
