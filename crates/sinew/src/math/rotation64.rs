//! Rotations in double precision, for importing and exporting files.

use glam::Quat;

/// A rotation as a unit quaternion in `f64`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rotation64 {
    /// The axis times the sine of half the angle: x.
    pub x: f64,
    /// y.
    pub y: f64,
    /// z.
    pub z: f64,
    /// The cosine of half the angle.
    pub w: f64,
}

impl Rotation64 {
    /// The identity.
    pub const IDENTITY: Self = Self {
        x: 0.0,
        y: 0.0,
        z: 0.0,
        w: 1.0,
    };

    /// Creates the rotation about +x by `angle` radians.
    pub fn about_x(angle: f64) -> Self {
        let (x, w) = libm::sincos(0.5 * angle);
        Self {
            x,
            w,
            ..Self::IDENTITY
        }
    }

    /// Creates the rotation about +y by `angle` radians.
    pub fn about_y(angle: f64) -> Self {
        let (y, w) = libm::sincos(0.5 * angle);
        Self {
            y,
            w,
            ..Self::IDENTITY
        }
    }

    /// Creates the rotation about +z by `angle` radians.
    pub fn about_z(angle: f64) -> Self {
        let (z, w) = libm::sincos(0.5 * angle);
        Self {
            z,
            w,
            ..Self::IDENTITY
        }
    }

    /// Returns the product: `first` followed by this rotation.
    #[allow(
        clippy::should_implement_trait,
        reason = "an operator would hide the order"
    )]
    pub fn mul(self, first: Self) -> Self {
        let (a, b) = (self, first);
        Self {
            x: a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
            y: a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
            z: a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w,
            w: a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
        }
    }

    /// Returns the inverse rotation.
    pub fn inverse(self) -> Self {
        Self {
            x: -self.x,
            y: -self.y,
            z: -self.z,
            w: self.w,
        }
    }

    /// Returns the negated quaternion, which is the same rotation.
    pub fn negated(self) -> Self {
        Self {
            x: -self.x,
            y: -self.y,
            z: -self.z,
            w: -self.w,
        }
    }

    /// Returns the dot product of the quaternions.
    pub fn dot(self, other: Self) -> f64 {
        self.x * other.x + self.y * other.y + self.z * other.z + self.w * other.w
    }

    /// Normalizes; the identity if it is zero or not finite.
    pub fn normalized(self) -> Self {
        let length = libm::sqrt(self.dot(self));
        if !(length > 0.0 && length.is_finite()) {
            return Self::IDENTITY;
        }
        let inverse = 1.0 / length;
        Self {
            x: self.x * inverse,
            y: self.y * inverse,
            z: self.z * inverse,
            w: self.w * inverse,
        }
    }

    /// Rotates `v`.
    pub fn rotate(self, v: [f64; 3]) -> [f64; 3] {
        let rows = self.to_rows();
        rows.map(|row| row[0] * v[0] + row[1] * v[1] + row[2] * v[2])
    }

    /// Returns the rotation matrix by rows.
    pub fn to_rows(self) -> [[f64; 3]; 3] {
        let Self { x, y, z, w } = self;
        let (x2, y2, z2) = (x + x, y + y, z + z);
        [
            [1.0 - (y * y2 + z * z2), x * y2 - w * z2, x * z2 + w * y2],
            [x * y2 + w * z2, 1.0 - (x * x2 + z * z2), y * z2 - w * x2],
            [x * z2 - w * y2, y * z2 + w * x2, 1.0 - (x * x2 + y * y2)],
        ]
    }

    /// Returns the nearest `f32` quaternion, normalized before rounding.
    pub fn to_quat(self) -> Quat {
        let Self { x, y, z, w } = self.normalized();
        Quat::from_xyzw(x as f32, y as f32, z as f32, w as f32)
    }

    /// Creates the rotation of an `f32` quaternion, normalized.
    pub fn from_quat(q: Quat) -> Self {
        let [x, y, z, w] = q.to_array().map(f64::from);
        Self { x, y, z, w }.normalized()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::f64::consts::FRAC_PI_2;

    #[test]
    fn quarter_turns_go_counter_clockwise() {
        let close = |a: [f64; 3], b: [f64; 3]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-15);
        let turned = |r: Rotation64, v| r.rotate(v);
        assert!(close(
            turned(Rotation64::about_x(FRAC_PI_2), [0.0, 1.0, 0.0]),
            [0.0, 0.0, 1.0]
        ));
        assert!(close(
            turned(Rotation64::about_y(FRAC_PI_2), [0.0, 0.0, 1.0]),
            [1.0, 0.0, 0.0]
        ));
        assert!(close(
            turned(Rotation64::about_z(FRAC_PI_2), [1.0, 0.0, 0.0]),
            [0.0, 1.0, 0.0]
        ));
        let both = Rotation64::about_z(FRAC_PI_2).mul(Rotation64::about_x(FRAC_PI_2));
        assert!(close(both.rotate([0.0, 1.0, 0.0]), [0.0, 0.0, 1.0]));
        assert!(close(both.rotate([1.0, 0.0, 0.0]), [0.0, 1.0, 0.0]));
    }
}
