//! Forward kinematics: from frames in frames to the model's frame.

use crate::math::quat_to_mat3;
use crate::pose::{JointCountMismatch, ModelPose, Pose};
use crate::skeleton::Skeleton;
use glam::{Mat4, Vec3};

/// Chains every joint's transform with its parents'. Does not allocate.
///
/// # Errors
/// When the poses were made for a skeleton of another size.
pub fn local_to_model(
    skeleton: &Skeleton,
    pose: &Pose,
    model: &mut ModelPose,
) -> Result<(), JointCountMismatch> {
    JointCountMismatch::check(skeleton.len(), pose.len())?;
    JointCountMismatch::check(skeleton.len(), model.matrices.len())?;
    for (index, joint) in skeleton.joints().iter().enumerate() {
        let local = pose.get(index.into());
        let turn = quat_to_mat3(local.rotation);
        let axes = [
            turn.x_axis * local.scale.x,
            turn.y_axis * local.scale.y,
            turn.z_axis * local.scale.z,
        ];
        let matrix = match joint.parent {
            Some(parent) => {
                let parent = &model.matrices[parent.index()];
                let origin = parent.w_axis.truncate();
                let [x, y, z] = axes.map(|axis| turned(parent, axis));
                from_columns(x, y, z, origin + turned(parent, local.position))
            }
            None => from_columns(axes[0], axes[1], axes[2], local.position),
        };
        model.matrices[index] = matrix;
    }
    Ok(())
}

/// `v` by the upper left of a matrix. Written out because glam's own order of sums is not ours to fix.
fn turned(matrix: &Mat4, v: Vec3) -> Vec3 {
    let [x, y, z] = [matrix.x_axis, matrix.y_axis, matrix.z_axis].map(|column| column.truncate());
    x * v.x + y * v.y + z * v.z
}

fn from_columns(x: Vec3, y: Vec3, z: Vec3, origin: Vec3) -> Mat4 {
    Mat4::from_cols(
        x.extend(0.0),
        y.extend(0.0),
        z.extend(0.0),
        origin.extend(1.0),
    )
}
