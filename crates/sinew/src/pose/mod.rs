//! Poses: the transforms of all joints relative to their parents ([`Pose`]) and in model space ([`ModelPose`]).

mod local;
mod model;

pub use local::Pose;
pub(crate) use local::SoaTransform;
pub use model::ModelPose;

/// An error of using a pose with a part of another joint count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected {expected} joints, found {pose}")]
pub struct JointCountMismatch {
    /// The expected number of joints.
    pub expected: usize,
    /// The number of joints of the pose.
    pub pose: usize,
}

impl JointCountMismatch {
    #[doc(hidden)]
    pub fn check(expected: usize, pose: usize) -> Result<(), Self> {
        if expected == pose {
            Ok(())
        } else {
            Err(Self { expected, pose })
        }
    }
}
