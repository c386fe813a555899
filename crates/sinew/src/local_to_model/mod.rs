//! Forward kinematics: from frames in frames to the model's frame, and on to what skinning needs.
//!
//! `reference` is the specification, `kernel` the same eight joints wide; both give the same bits.

mod kernel;
mod reference;
mod skinning;

pub use skinning::{inverse_binds, skinning_palette, skinning_palette_with};

use crate::pose::{JointCountMismatch, ModelPose, Pose};
use crate::simd::{self, SimdLevel};
use crate::skeleton::Skeleton;
use glam::Mat4;

/// Chains every joint's transform with its parents', as the product of their matrices: scales that are not
/// the same along all axes shear what hangs below. Does not allocate.
///
/// # Errors
/// When the poses were made for a skeleton of another size.
pub fn local_to_model(
    skeleton: &Skeleton,
    pose: &Pose,
    model: &mut ModelPose,
) -> Result<(), JointCountMismatch> {
    local_to_model_with(SimdLevel::best(), skeleton, pose, model)
}

/// As [`local_to_model`], with instructions of your choice.
///
/// # Errors
/// As [`local_to_model`].
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

/// As [`local_to_model_with`], for a pose and matrices that are known to be as many as joints.
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
