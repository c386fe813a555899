//! Registration curves at run time: the time warp between motions, and blending along it (Kovar and Gleicher 2003).
//!
//! `sinew-author` computes the curves; this module evaluates them. [`RegistrationCurve`] is the data, [`MotionBlend`]
//! plays motions along it, blended by weights.

pub(crate) mod alignment;
pub(crate) mod blend;
pub(crate) mod curve;
pub(crate) mod fingerprint;
pub(crate) mod motion;
pub(crate) mod plant_match;
pub(crate) mod spline;

pub use blend::{BlendPlace, MotionBlend};
pub use curve::{
    LoopCycle, RegisteredMotion, RegistrationCurve, RegistrationData, RegistrationDataError,
};
pub use fingerprint::{MotionFingerprint, MotionMismatch};
pub use motion::{BlendError, Motion, SkeletonDifference, compare_skeletons};
pub use plant_match::PlantMatch;
