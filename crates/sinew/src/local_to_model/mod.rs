//! Forward kinematics: from local transforms to model-space matrices and skinning matrices.
//!
//! `reference` is the specification, `kernel` the same with eight lanes; both are bit-identical.

mod kernel;
mod reference;
mod skinning;

pub use skinning::{inverse_binds, skinning_palette, skinning_palette_with};

use crate::pose::{JointCountMismatch, ModelPose, Pose};
use crate::simd::{self, SimdLevel};
use crate::skeleton::Skeleton;
use glam::Mat4;

/// Computes the model-space matrix of every joint: the product of the local matrices from the root down. Non-uniform
/// scale shears the descendants. Does not allocate.
///
/// # Errors
/// If the poses have another number of joints than the skeleton.
pub fn local_to_model(
    skeleton: &Skeleton,
    pose: &Pose,
    model: &mut ModelPose,
) -> Result<(), JointCountMismatch> {
    local_to_model_with(SimdLevel::best(), skeleton, pose, model)
}

/// [`local_to_model`] with an explicit SIMD level, for tests and benchmarks.
#[doc(hidden)]
pub fn local_to_model_with(
    level: SimdLevel,
    skeleton: &Skeleton,
    pose: &Pose,
    model: &mut ModelPose,
) -> Result<(), JointCountMismatch> {
    JointCountMismatch::check(skeleton.len(), pose.len())?;
    JointCountMismatch::check(skeleton.len(), model.matrices.len())?;
    local_to_model_into(level, skeleton, pose, &mut model.matrices);
    Ok(())
}

/// As [`local_to_model_with`], for a pose and matrices of matching length.
#[inline]
pub(crate) fn local_to_model_into(
    level: SimdLevel,
    skeleton: &Skeleton,
    pose: &Pose,
    out: &mut [Mat4],
) {
    let parents = skeleton.parents();
    simd::dispatch!(
        level,
        off => reference::local_to_model(parents, pose, out),
        simd => kernel::local_to_model(simd, parents, pose.blocks(), out)
    );
}
