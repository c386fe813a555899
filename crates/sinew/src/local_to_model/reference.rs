//! Scalar forward kinematics: the specification.
//!
//! `M[j] = M[parent] T[j] R[j] S[j]`: translation, rotation and scale of the joint within its parent's space. Parents
//! precede their children, so one pass suffices. The last row is always 0, 0, 0, 1 and is not multiplied: 36
//! multiplications and 27 additions per joint.

use crate::math::quat_to_mat3;
use crate::pose::Pose;
use crate::simd::LANES;
use crate::skeleton::NO_PARENT;
use glam::{Mat4, Vec3};

pub(super) fn local_to_model(parents: &[[u32; LANES]], pose: &Pose, out: &mut [Mat4]) {
    let parents = parents.as_flattened().iter().take(out.len());
    for (index, &parent) in parents.enumerate() {
        let local = pose.get(index.into());
        let turn = quat_to_mat3(local.rotation);
        let local = from_columns(
            turn.x_axis * local.scale.x,
            turn.y_axis * local.scale.y,
            turn.z_axis * local.scale.z,
            local.position,
        );
        out[index] = match parent {
            NO_PARENT => local,
            parent => product(&out[parent as usize], &local),
        };
    }
}

/// Returns `a * b` of affine matrices; their last rows are ignored. Written out to fix the order of sums, which glam
/// does not.
pub(super) fn product(a: &Mat4, b: &Mat4) -> Mat4 {
    let [x, y, z] = [b.x_axis, b.y_axis, b.z_axis].map(|column| rotate_scale(a, column.truncate()));
    let origin = a.w_axis.truncate() + rotate_scale(a, b.w_axis.truncate());
    from_columns(x, y, z, origin)
}

/// Multiplies `v` by the upper left 3 x 3 of a matrix.
fn rotate_scale(matrix: &Mat4, v: Vec3) -> Vec3 {
    let [x, y, z] = [matrix.x_axis, matrix.y_axis, matrix.z_axis].map(|column| column.truncate());
    x * v.x + y * v.y + z * v.z
}

pub(super) fn from_columns(x: Vec3, y: Vec3, z: Vec3, origin: Vec3) -> Mat4 {
    Mat4::from_cols(
        x.extend(0.0),
        y.extend(0.0),
        z.extend(0.0),
        origin.extend(1.0),
    )
}
