//! Vectors and rotations in double precision: what glam's [`DVec3`] and [`DQuat`] lack, or compute otherwise.
//!
//! glam's `f64` types are scalar on every target, so their sums, products, `dot`, `cross` and `length` have the same
//! bits everywhere. Not used, because files and hashes depend on the bits of the functions here: glam's trigonometry,
//! which is that of `std` or of `libm` by the features of the build; its rotation of vectors, which has another order
//! of operations than the matrix; its `normalize`, which gives NaN for zero.

use glam::{DMat3, DQuat, DVec3, Quat};

/// Below this cosine plus one, two directions count as opposite: their cross product is too short for an axis.
const OPPOSITE_BELOW: f64 = 1e-12;

/// Returns the rotation about +x by `angle` radians.
pub fn rotation_x(angle: f64) -> DQuat {
    let (sine, cosine) = libm::sincos(0.5 * angle);
    DQuat::from_xyzw(sine, 0.0, 0.0, cosine)
}

/// Returns the rotation about +y by `angle` radians.
pub fn rotation_y(angle: f64) -> DQuat {
    let (sine, cosine) = libm::sincos(0.5 * angle);
    DQuat::from_xyzw(0.0, sine, 0.0, cosine)
}

/// Returns the rotation about +z by `angle` radians.
pub fn rotation_z(angle: f64) -> DQuat {
    let (sine, cosine) = libm::sincos(0.5 * angle);
    DQuat::from_xyzw(0.0, 0.0, sine, cosine)
}

/// Normalizes `q`; the identity if `q` is zero, not finite, or its squared length overflows or underflows.
pub fn dquat_normalize(q: DQuat) -> DQuat {
    let length = libm::sqrt(q.dot(q));
    if length > 0.0 && length.is_finite() {
        q * (1.0 / length)
    } else {
        DQuat::IDENTITY
    }
}

/// Rotates `v` by the unit quaternion `q`, as its matrix does.
pub fn dquat_rotate(q: DQuat, v: DVec3) -> DVec3 {
    dquat_to_mat3(q) * v
}

/// Returns the rotation matrix of a unit quaternion.
pub fn dquat_to_mat3(q: DQuat) -> DMat3 {
    let DQuat { x, y, z, w } = q;
    let (x2, y2, z2) = (x + x, y + y, z + z);
    DMat3::from_cols(
        DVec3::new(1.0 - (y * y2 + z * z2), x * y2 + w * z2, x * z2 - w * y2),
        DVec3::new(x * y2 - w * z2, 1.0 - (x * x2 + z * z2), y * z2 + w * x2),
        DVec3::new(x * z2 + w * y2, y * z2 - w * x2, 1.0 - (x * x2 + y * y2)),
    )
}

/// Returns the nearest `f32` quaternion, normalized before rounding.
pub fn dquat_to_quat(q: DQuat) -> Quat {
    dquat_normalize(q).as_quat()
}

/// Returns the `f64` quaternion of an `f32` quaternion, normalized.
pub fn dquat_from_quat(q: Quat) -> DQuat {
    dquat_normalize(q.as_dquat())
}

/// Normalizes `v`; `None` if it is not longer than 1e-12, or not finite.
pub fn unit(v: DVec3) -> Option<DVec3> {
    let length = v.length();
    (length > 1e-12 && length.is_finite()).then(|| v * (1.0 / length))
}

/// Returns the horizontal component: `v` without its y.
pub fn horizontal(v: DVec3) -> DVec3 {
    DVec3::new(v.x, 0.0, v.z)
}

/// Returns a unit vector perpendicular to a unit vector.
pub(crate) fn any_perpendicular(direction: DVec3) -> DVec3 {
    // An axis that is far from parallel, so that the cross product is not short.
    let axis = if direction.x.abs() < 0.6 {
        DVec3::X
    } else {
        DVec3::Y
    };
    unit(direction.cross(axis)).unwrap_or(DVec3::Y)
}

/// Returns the shortest rotation from one unit vector to another. Between opposite vectors it is by π, about any
/// perpendicular axis.
///
/// With the angle `a` between them, the quaternion of the half angle is parallel to `(axis sin a, 1 + cos a)`: the
/// cross product and the dot product plus one, without trigonometry.
pub fn rotation_between(from: DVec3, to: DVec3) -> DQuat {
    let cosine = from.dot(to);
    if cosine > -1.0 + OPPOSITE_BELOW {
        return dquat_normalize(from_vector_scalar(from.cross(to), 1.0 + cosine));
    }
    from_vector_scalar(any_perpendicular(from), 0.0)
}

/// Returns the quaternion exponential: the rotation about the axis `v` by its length in radians,
/// `(sin(|v| / 2) v / |v|, cos(|v| / 2))`.
pub fn quat_exp(v: DVec3) -> DQuat {
    let angle = v.length();
    let (sine, cosine) = libm::sincos(0.5 * angle);
    // The limit of sin(a / 2) / a at small angles.
    let scale = if angle > 1e-8 { sine / angle } else { 0.5 };
    from_vector_scalar(v * scale, cosine)
}

/// Returns the quaternion logarithm: the rotation axis times the angle in radians, along the shorter arc.
pub fn quat_log(q: DQuat) -> DVec3 {
    let q = if q.w < 0.0 { -q } else { q };
    let axis = q.xyz();
    let sine = axis.length();
    if sine < 1e-12 {
        return axis * 2.0;
    }
    axis * (2.0 * libm::atan2(sine, q.w) / sine)
}

fn from_vector_scalar(vector: DVec3, scalar: f64) -> DQuat {
    DQuat::from_xyzw(vector.x, vector.y, vector.z, scalar)
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::f64::consts::FRAC_PI_2;

    #[test]
    fn positive_rotations_are_counter_clockwise() {
        let is_close = |a: DVec3, b: DVec3| (a - b).abs().max_element() < 1e-15;
        let (about_x, about_z) = (rotation_x(FRAC_PI_2), rotation_z(FRAC_PI_2));
        assert!(is_close(dquat_rotate(about_x, DVec3::Y), DVec3::Z));
        let about_y = rotation_y(FRAC_PI_2);
        assert!(is_close(dquat_rotate(about_y, DVec3::Z), DVec3::X));
        assert!(is_close(dquat_rotate(about_z, DVec3::X), DVec3::Y));
        let product = about_z * about_x;
        assert!(is_close(dquat_rotate(product, DVec3::Y), DVec3::Z));
        assert!(is_close(dquat_rotate(product, DVec3::X), DVec3::Y));
    }

    #[test]
    fn the_logarithm_of_the_exponential_is_the_vector() {
        for v in [
            DVec3::ZERO,
            DVec3::new(1e-9, 0.0, 0.0),
            DVec3::new(0.3, -1.0, 0.7),
            DVec3::new(0.0, 3.1, 0.0),
        ] {
            let found = quat_log(quat_exp(v));
            assert!((found - v).length() < 1e-12, "{v:?} {found:?}");
        }
    }

    #[test]
    fn a_rotation_between_directions_also_takes_one_to_its_opposite() {
        let from = DVec3::new(0.6, 0.8, 0.0);
        for to in [from, -from, DVec3::Y, DVec3::new(0.0, 0.6, -0.8)] {
            let rotated = dquat_rotate(rotation_between(from, to), from);
            assert!((rotated - to).length() < 1e-9, "{to:?} {rotated:?}");
        }
    }
}
