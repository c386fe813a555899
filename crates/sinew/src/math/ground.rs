//! Rigid transforms of the ground plane: a rotation about the vertical and a translation.

use super::{Transform, quat_mul};
use glam::{Quat, Vec3};

/// A rotation about the vertical, +Y, followed by a translation on the ground.
///
/// `(x, y, z)` maps to `(x cos + z sin + x0, y, -x sin + z cos + z0)`, with the sine and cosine of
/// [`angle`](Self::angle).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct GroundTransform {
    /// In radians, counter-clockwise seen from above.
    pub angle: f64,
    /// Metres along x.
    pub x: f64,
    /// Metres along z.
    pub z: f64,
}

impl GroundTransform {
    /// The identity.
    pub const IDENTITY: Self = Self {
        angle: 0.0,
        x: 0.0,
        z: 0.0,
    };

    /// Transforms a point of the ground: its x and z.
    pub fn apply(&self, [x, z]: [f64; 2]) -> [f64; 2] {
        let (sine, cosine) = (libm::sin(self.angle), libm::cos(self.angle));
        [
            x * cosine + z * sine + self.x,
            -x * sine + z * cosine + self.z,
        ]
    }

    /// Returns this transform followed by `next`.
    pub fn then(&self, next: &Self) -> Self {
        let [x, z] = next.apply([self.x, self.z]);
        Self {
            angle: self.angle + next.angle,
            x,
            z,
        }
    }

    /// Returns the inverse.
    pub fn inverse(&self) -> Self {
        let rotation = Self {
            angle: -self.angle,
            ..Self::IDENTITY
        };
        let [x, z] = rotation.apply([-self.x, -self.z]);
        Self { x, z, ..rotation }
    }

    /// Transforms a model-space transform, such as a root joint's.
    pub fn move_transform(&self, transform: &Transform) -> Transform {
        let position = transform.position;
        let [x, z] = self.apply([f64::from(position.x), f64::from(position.z)]);
        let (sine, cosine) = (libm::sin(self.angle / 2.0), libm::cos(self.angle / 2.0));
        let rotation = Quat::from_xyzw(0.0, sine as f32, 0.0, cosine as f32);
        Transform {
            position: Vec3::new(x as f32, position.y, z as f32),
            rotation: quat_mul(rotation, transform.rotation),
            scale: transform.scale,
        }
    }

    /// Returns the fraction of this transform that, repeated `1 / share` times, gives the whole: the rotation about
    /// the same centre (or the translation along the same line) by `share` of the angle. Shares above 1 extrapolate:
    /// `fraction(3.0)` is the transform three times in a row, and `fraction(a).then(&fraction(b))` is
    /// `fraction(a + b)`.
    ///
    /// A transform by `angle` and `(x, z)` has the fixed point `c` with `c = R c + (x, z)`, so
    /// `c = ((x, z) + cot(angle / 2) (z, -x)) / 2`, and a rotation by `share * angle` about `c` translates by
    /// `c - R(share * angle) c`. Without a rotation, and for angles so close to whole turns that `c` is too far away
    /// for `f64`, the translation is divided evenly.
    pub fn fraction(&self, share: f64) -> Self {
        let angle = self.angle * share;
        let half = 0.5 * self.angle;
        if libm::sin(half).abs() < 1e-6 {
            return Self {
                angle,
                x: self.x * share,
                z: self.z * share,
            };
        }
        let cotangent = 0.5 / libm::tan(half);
        let centre = [
            0.5 * self.x + cotangent * self.z,
            0.5 * self.z - cotangent * self.x,
        ];
        let rotation = Self {
            angle,
            ..Self::IDENTITY
        };
        let [x, z] = rotation.apply(centre);
        Self {
            angle,
            x: centre[0] - x,
            z: centre[1] - z,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transforms_are_inverted_and_composed() {
        let a = GroundTransform {
            angle: 0.7,
            x: 1.3,
            z: -0.4,
        };
        let b = GroundTransform {
            angle: -2.1,
            x: 0.2,
            z: 5.0,
        };
        let point = [3.0, -2.0];
        let moved = a.then(&b).apply(point);
        let expected = b.apply(a.apply(point));
        let back = a.then(&b).inverse().apply(moved);
        for axis in 0..2 {
            assert!((moved[axis] - expected[axis]).abs() < 1e-12);
            assert!((back[axis] - point[axis]).abs() < 1e-12);
        }
        let root = Transform {
            position: Vec3::new(3.0, 1.0, -2.0),
            ..Transform::IDENTITY
        };
        let moved_root = a.move_transform(&root);
        let [x, z] = a.apply(point);
        assert!((moved_root.position - Vec3::new(x as f32, 1.0, z as f32)).length() < 1e-6);
        // The x axis rotates towards minus z.
        let ahead = crate::math::quat_rotate(moved_root.rotation, Vec3::X);
        let expected = Vec3::new(libm::cosf(0.7), 0.0, -libm::sinf(0.7));
        assert!((ahead - expected).length() < 1e-6);
    }

    #[test]
    fn fractions_of_a_transform_add_up() {
        for angle in [0.0, 1e-9, 0.3, -2.0, 3.1, core::f64::consts::TAU] {
            let whole = GroundTransform {
                angle,
                x: 0.7,
                z: -1.9,
            };
            let quarter = whole.fraction(0.25);
            let mut sum = GroundTransform::IDENTITY;
            for _ in 0..4 {
                sum = sum.then(&quarter);
            }
            let twice = whole.then(&whole);
            for (found, expected) in [(sum, whole), (whole.fraction(2.0), twice)] {
                let error = libm::hypot(found.x - expected.x, found.z - expected.z);
                assert!((found.angle - expected.angle).abs() < 1e-12);
                // A whole turn with a translation has no centre; its translation is divided evenly.
                assert!(error < 1e-6 || angle > 6.0, "{angle}: {error}");
            }
        }
    }
}
