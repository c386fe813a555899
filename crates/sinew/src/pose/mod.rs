//! Poses: where every joint is, in its parent's frame ([`Pose`]) and in the model's ([`ModelPose`]).

mod local;
mod model;

pub use local::Pose;
pub(crate) use local::SoaTransform;
pub use model::ModelPose;

/// Something was made for a skeleton of another size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a pose of {pose} joints was used with something made for {expected}")]
pub struct JointCountMismatch {
    /// Joints of what it was used with.
    pub expected: usize,
    /// Joints of the pose.
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
