//! Rotation vectors: the direction is the axis, the length the angle in radians.
//!
//! The exponential of a vector `v` is the quaternion `(sin(|v| / 2) v / |v|, cos(|v| / 2))`, the logarithm is its inverse.
//! Offsets decay as vectors, component by component, and stay on one axis if they start so. One sine and cosine, or one
//! arctangent, each.

use crate::math::{quat_dot, quat_inverse, quat_mul, quat_negate, quat_normalize};
use glam::{Quat, Vec3};

/// Returns the rotation of a rotation vector of any length (exponential map).
pub(super) fn quat_exp(turn: Vec3) -> Quat {
    let angle = libm::sqrtf(turn.x * turn.x + turn.y * turn.y + turn.z * turn.z);
    let half = 0.5 * angle;
    // The sine of half the angle, divided by the angle.
    let share = if angle > 1e-8 {
        libm::sinf(half) / angle
    } else {
        0.5
    };
    let axis = turn * share;
    quat_normalize(Quat::from_xyzw(axis.x, axis.y, axis.z, libm::cosf(half)))
}

/// Returns the rotation vector of a unit quaternion (logarithm), half a turn or more if its `w` is negative.
fn quat_log(q: Quat) -> Vec3 {
    let [x, y, z, w] = q.to_array();
    let sine = libm::sqrtf(x * x + y * y + z * z);
    let share = if sine > 0.0 {
        2.0 * libm::atan2f(sine, w) / sine
    } else {
        0.0
    };
    Vec3::new(x, y, z) * share
}

/// Returns the rotation vector from `from` to `to`, along the shorter arc.
pub(super) fn rotation_vector(from: Quat, to: Quat) -> Vec3 {
    quat_log(shorter(difference(from, to)))
}

/// Returns two consecutive rotation vectors: from `from` to `to` along the shorter arc, and from `next_from` to
/// `next_to` along the arc that is nearer to the first, even if it is the longer one.
pub(super) fn consecutive_vectors(
    from: Quat,
    to: Quat,
    next_from: Quat,
    next_to: Quat,
) -> [Vec3; 2] {
    let first = shorter(difference(from, to));
    let next = difference(next_from, next_to);
    let is_far = quat_dot(first, next) < 0.0;
    [
        quat_log(first),
        quat_log(if is_far { quat_negate(next) } else { next }),
    ]
}

/// Returns the rotation from `from` to `to`; exactly the identity if they are equal.
fn difference(from: Quat, to: Quat) -> Quat {
    if from == to {
        return Quat::IDENTITY;
    }
    quat_mul(to, quat_inverse(from))
}

/// Returns the quaternion of the same rotation with `w` of 0 or more: the shorter arc.
fn shorter(q: Quat) -> Quat {
    if q.w < 0.0 { quat_negate(q) } else { q }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::quat_angle;

    fn rotations() -> impl Iterator<Item = Quat> {
        (0..300).map(|index| {
            let f = index as f32;
            let numbers = [f * 1.7, f * 0.9, f * 0.37, f * 2.3].map(libm::sinf);
            quat_normalize(Quat::from_array(numbers))
        })
    }

    #[test]
    fn turns_lead_from_one_rotation_to_the_other() {
        for (a, b) in rotations().zip(rotations().skip(5)) {
            let turn = rotation_vector(a, b);
            assert!(turn.length() <= core::f32::consts::PI + 1e-6);
            assert!(quat_angle(quat_mul(quat_exp(turn), a), b) < 1e-6);
        }
        let still = rotation_vector(Quat::IDENTITY, quat_negate(Quat::IDENTITY));
        assert_eq!(still, Vec3::ZERO);
        assert_eq!(quat_exp(Vec3::ZERO), Quat::IDENTITY);
    }

    #[test]
    fn what_becomes_of_a_turn_stays_near_it_beyond_half_a_turn() {
        let about = |angle: f32| quat_exp(Vec3::Y * angle);
        let [first, next] =
            consecutive_vectors(Quat::IDENTITY, about(3.1), Quat::IDENTITY, about(3.2));
        assert!((first.y - 3.1).abs() < 1e-5 && (next.y - 3.2).abs() < 1e-5);
        let flipped = quat_negate(about(0.1));
        let [_, next] = consecutive_vectors(Quat::IDENTITY, about(3.1), flipped, about(3.2));
        assert!((next.y - 3.1).abs() < 1e-5);
    }
}
