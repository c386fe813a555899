//! Skinning matrices from model-space poses.
//!
//! `S[j] = M[j] B[j]⁻¹`, with the model-space matrix `M` of a joint and its matrix `B` in the bind pose. A vertex is then
//! skinned by `Σ w[j] S[j] v` (linear blend skinning). One affine product per joint.
//!
//! The inverse of an affine matrix with columns `x`, `y`, `z` and origin `o` is by Cramer's rule: its rows are `y × z`,
//! `z × x` and `x × y`, divided by the determinant `x · (y × z)`, and its origin is minus their products with `o`.
//! Written out because glam's inverse has another order of operations with SIMD than without.

use super::{kernel, local_to_model, reference};
use crate::pose::{JointCountMismatch, ModelPose, Pose};
use crate::simd::{self, SimdLevel};
use crate::skeleton::Skeleton;
use alloc::vec::Vec;
use glam::{Mat4, Vec3};

/// Returns the inverse bind matrices of the rest pose: from model space to each joint's space, for skins modelled in
/// the rest pose. A joint of zero scale has no inverse; its matrix maps every point to the joint. Allocates the list.
pub fn inverse_binds(skeleton: &Skeleton) -> Vec<Mat4> {
    let mut model = ModelPose::new(skeleton);
    let fits = local_to_model(skeleton, &Pose::rest(skeleton), &mut model);
    debug_assert!(fits.is_ok(), "both were made for this skeleton");
    model.matrices.iter().map(inverse).collect()
}

/// Computes the skinning matrices: for each joint its matrix times its inverse bind matrix. Last rows are taken to be
/// 0, 0, 0, 1. Does not allocate.
///
/// # Errors
/// If the number of inverse bind matrices or the length of `out` differs from the number of joints.
pub fn skinning_palette(
    model: &ModelPose,
    inverse_binds: &[Mat4],
    out: &mut [Mat4],
) -> Result<(), JointCountMismatch> {
    skinning_palette_with(SimdLevel::best(), model, inverse_binds, out)
}

/// [`skinning_palette`] with an explicit SIMD level, for tests and benchmarks.
#[doc(hidden)]
pub fn skinning_palette_with(
    level: SimdLevel,
    model: &ModelPose,
    inverse_binds: &[Mat4],
    out: &mut [Mat4],
) -> Result<(), JointCountMismatch> {
    JointCountMismatch::check(inverse_binds.len(), model.matrices.len())?;
    JointCountMismatch::check(out.len(), model.matrices.len())?;
    simd::dispatch!(
        level,
        off => for ((model, bind), out) in model.matrices.iter().zip(inverse_binds).zip(out) {
            *out = reference::product(model, bind);
        },
        simd => kernel::products(simd, &model.matrices, inverse_binds, out)
    );
    Ok(())
}

/// Returns the inverse of an affine matrix; zero except for the last element if it is singular.
fn inverse(matrix: &Mat4) -> Mat4 {
    let [x, y, z, origin] = [matrix.x_axis, matrix.y_axis, matrix.z_axis, matrix.w_axis]
        .map(|column| column.truncate());
    let (yz, zx, xy) = (y.cross(z), z.cross(x), x.cross(y));
    let volume = dot(x, yz);
    let one_over = 1.0 / volume;
    if !one_over.is_finite() {
        return reference::from_columns(Vec3::ZERO, Vec3::ZERO, Vec3::ZERO, Vec3::ZERO);
    }
    let [row_x, row_y, row_z] = [yz, zx, xy].map(|row| row * one_over);
    reference::from_columns(
        Vec3::new(row_x.x, row_y.x, row_z.x),
        Vec3::new(row_x.y, row_y.y, row_z.y),
        Vec3::new(row_x.z, row_y.z, row_z.z),
        -Vec3::new(dot(row_x, origin), dot(row_y, origin), dot(row_z, origin)),
    )
}

/// A dot product in a fixed order.
fn dot(a: Vec3, b: Vec3) -> f32 {
    a.x * b.x + a.y * b.y + a.z * b.z
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Transform;
    use crate::skeleton::{Joint, JointIndex};
    use alloc::vec;
    use glam::Quat;

    fn skeleton(scale: Vec3) -> Skeleton {
        let joint = |name: &str, parent: Option<u32>| Joint {
            name: name.into(),
            parent: parent.map(JointIndex),
            rest: Transform {
                position: Vec3::new(0.3, 1.0, -0.2),
                rotation: Quat::from_xyzw(0.0, 0.6, 0.0, 0.8),
                scale,
            },
            tip: None,
        };
        Skeleton::new(vec![
            joint("a", None),
            joint("b", Some(0)),
            joint("c", Some(1)),
        ])
        .unwrap()
    }

    #[test]
    fn lists_of_other_sizes_are_refused() {
        let skeleton = skeleton(Vec3::ONE);
        let (model, binds) = (ModelPose::new(&skeleton), inverse_binds(&skeleton));
        let mut out = [Mat4::IDENTITY; 3];
        let short = skinning_palette(&model, &binds[..2], &mut out);
        assert_eq!(short, JointCountMismatch::check(2, 3));
        let narrow = skinning_palette(&model, &binds, &mut out[..2]);
        assert_eq!(narrow, JointCountMismatch::check(2, 3));
        assert!(short.is_err() && narrow.is_err());
    }

    #[test]
    fn a_skin_at_rest_stays_where_it_is() {
        let skeleton = skeleton(Vec3::new(2.0, 0.5, -1.5));
        let mut model = ModelPose::new(&skeleton);
        local_to_model(&skeleton, &Pose::rest(&skeleton), &mut model).unwrap();
        let mut out = [Mat4::ZERO; 3];
        skinning_palette(&model, &inverse_binds(&skeleton), &mut out).unwrap();
        for palette in out {
            assert!(palette.abs_diff_eq(Mat4::IDENTITY, 1e-5), "{palette}");
        }
    }

    #[test]
    fn what_a_flat_joint_moves_gathers_at_the_joint() {
        let skeleton = skeleton(Vec3::new(1.0, 0.0, 1.0));
        let mut model = ModelPose::new(&skeleton);
        local_to_model(&skeleton, &Pose::rest(&skeleton), &mut model).unwrap();
        let mut out = [Mat4::ZERO; 3];
        skinning_palette(&model, &inverse_binds(&skeleton), &mut out).unwrap();
        let moved = out[0].transform_point3(Vec3::new(5.0, 6.0, 7.0));
        assert_eq!(moved, model.position(JointIndex(0)));
    }
}
