//! Transforms of joints relative to their parents.

use super::{quat_from_mat3, quat_mul, quat_rotate, quat_to_mat3};
use glam::{Mat3, Mat4, Quat, Vec3};

/// Position, rotation and scale: a point is scaled, then rotated, then translated.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Transform {
    /// In metres.
    pub position: Vec3,
    /// A unit quaternion.
    pub rotation: Quat,
    /// Along the joint's own axes.
    pub scale: Vec3,
}

impl Default for Transform {
    fn default() -> Self {
        Self::IDENTITY
    }
}

impl Transform {
    /// The identity.
    pub const IDENTITY: Self = Self {
        position: Vec3::ZERO,
        rotation: Quat::IDENTITY,
        scale: Vec3::ONE,
    };

    /// Creates a translation.
    pub const fn from_position(position: Vec3) -> Self {
        Self {
            position,
            ..Self::IDENTITY
        }
    }

    /// Creates a rotation.
    pub const fn from_rotation(rotation: Quat) -> Self {
        Self {
            rotation,
            ..Self::IDENTITY
        }
    }

    /// Returns whether every number is finite.
    pub fn is_finite(&self) -> bool {
        self.position.is_finite()
            && self.scale.is_finite()
            && self.rotation.to_array().iter().all(|n| n.is_finite())
    }

    /// Transforms a point.
    pub fn apply(&self, point: Vec3) -> Vec3 {
        self.position + quat_rotate(self.rotation, point * self.scale)
    }

    /// Returns `first` followed by this. Exact if this scale is uniform; otherwise a resulting shear is dropped.
    pub fn then_after(&self, first: &Self) -> Self {
        Self {
            position: self.apply(first.position),
            rotation: quat_mul(self.rotation, first.rotation),
            scale: self.scale * first.scale,
        }
    }

    /// Returns the equivalent matrix.
    pub fn to_mat4(&self) -> Mat4 {
        let rotation = quat_to_mat3(self.rotation);
        Mat4::from_cols(
            (rotation.x_axis * self.scale.x).extend(0.0),
            (rotation.y_axis * self.scale.y).extend(0.0),
            (rotation.z_axis * self.scale.z).extend(0.0),
            self.position.extend(1.0),
        )
    }

    /// Decomposes a matrix. A reflection becomes a negative scale along x; a shear is dropped. `None` if the matrix
    /// is not finite or singular.
    pub fn from_mat4(matrix: &Mat4) -> Option<Self> {
        let axes = [matrix.x_axis, matrix.y_axis, matrix.z_axis].map(|axis| axis.truncate());
        let mut scale = Vec3::from_array(axes.map(Vec3::length));
        if !(matrix.is_finite() && scale.is_finite() && scale.min_element() > 0.0) {
            return None;
        }
        if axes[0].cross(axes[1]).dot(axes[2]) < 0.0 {
            scale.x = -scale.x;
        }
        let rotation = Mat3::from_cols(axes[0] / scale.x, axes[1] / scale.y, axes[2] / scale.z);
        Some(Self {
            position: matrix.w_axis.truncate(),
            rotation: quat_from_mat3(&rotation),
            scale,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::quat_normalize;

    fn transform() -> Transform {
        Transform {
            position: Vec3::new(1.0, -2.0, 0.5),
            rotation: quat_normalize(Quat::from_xyzw(0.3, -0.2, 0.9, 0.4)),
            scale: Vec3::new(2.0, 0.5, 1.5),
        }
    }

    #[test]
    fn a_matrix_is_equivalent_and_decomposes() {
        let point = Vec3::new(0.4, 3.0, -1.0);
        for x in [2.0, -2.0] {
            let mut t = transform();
            t.scale.x = x;
            let matrix = t.to_mat4();
            assert!((matrix.transform_point3(point) - t.apply(point)).length() < 1e-5);
            let decomposed = Transform::from_mat4(&matrix).expect("nothing is flat");
            assert!((decomposed.apply(point) - t.apply(point)).length() < 1e-5);
            assert!((decomposed.scale - t.scale).length() < 1e-5);
        }
    }

    #[test]
    fn singular_and_infinite_matrices_do_not_decompose() {
        let flat = Mat4::from_scale(Vec3::new(1.0, 0.0, 1.0));
        assert_eq!(Transform::from_mat4(&flat), None);
        let infinite = Mat4::from_translation(Vec3::splat(f32::INFINITY));
        assert_eq!(Transform::from_mat4(&infinite), None);
    }

    #[test]
    fn a_product_applies_the_first_then_the_second() {
        let second = Transform {
            scale: Vec3::splat(3.0),
            ..transform()
        };
        let point = Vec3::new(0.4, 3.0, -1.0);
        let composed = second.then_after(&transform()).apply(point);
        assert!((composed - second.apply(transform().apply(point))).length() < 1e-4);
    }
}
