//! Quaternion arithmetic in a fixed order of operations.
//!
//! glam sums in a different order with SIMD than without, so the bits of a pose would depend on the machine. These
//! functions write every sum out.

use glam::{Mat3, Quat, Vec3};

/// Below this sine of the angle between two quaternions, [`quat_slerp`] uses linear weights: the difference is below
/// the precision of `f32`.
const STRAIGHT_BELOW: f32 = 1e-3;

/// Returns the product `a b`: the rotation `b` followed by `a`.
pub fn quat_mul(a: Quat, b: Quat) -> Quat {
    let [ax, ay, az, aw] = a.to_array();
    let [bx, by, bz, bw] = b.to_array();
    Quat::from_xyzw(
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
        aw * bw - ax * bx - ay * by - az * bz,
    )
}

/// Rotates `v` by the unit quaternion `q = (u, w)`: `v + 2 w (u × v) + 2 u × (u × v)`, which is `q v q⁻¹` with fewer
/// products.
pub fn quat_rotate(q: Quat, v: Vec3) -> Vec3 {
    let [x, y, z, w] = q.to_array();
    let axis = Vec3::new(x, y, z);
    let twice = axis.cross(v) * 2.0;
    v + twice * w + axis.cross(twice)
}

/// Returns the dot product: the cosine of half the angle between two rotations.
pub fn quat_dot(a: Quat, b: Quat) -> f32 {
    let [ax, ay, az, aw] = a.to_array();
    let [bx, by, bz, bw] = b.to_array();
    ax * bx + ay * by + az * bz + aw * bw
}

/// Normalizes `q`; the identity if `q` is zero, not finite, or its squared length overflows or underflows.
pub fn quat_normalize(q: Quat) -> Quat {
    let [x, y, z, w] = q.to_array();
    let length = libm::sqrtf(quat_dot(q, q));
    if length > 0.0 && length.is_finite() {
        let inverse = 1.0 / length;
        Quat::from_xyzw(x * inverse, y * inverse, z * inverse, w * inverse)
    } else {
        Quat::IDENTITY
    }
}

/// Returns `-q`, which is the same rotation.
pub fn quat_negate(q: Quat) -> Quat {
    let [x, y, z, w] = q.to_array();
    Quat::from_xyzw(-x, -y, -z, -w)
}

/// Returns the inverse of a unit quaternion.
pub fn quat_inverse(q: Quat) -> Quat {
    let [x, y, z, w] = q.to_array();
    Quat::from_xyzw(-x, -y, -z, w)
}

/// Returns the angle between two rotations in radians, from 0 to π.
pub fn quat_angle(a: Quat, b: Quat) -> f32 {
    // The sine of half the angle is accurate for small angles, where the cosine rounds to 1.
    let [x, y, z, w] = quat_mul(quat_inverse(a), b).to_array();
    2.0 * libm::atan2f(libm::sqrtf(x * x + y * y + z * z), w.abs())
}

/// Interpolates from `a` to `b` by slerp along the shorter arc; `t` from 0 to 1. With the angle `θ` between the
/// quaternions: `(a sin((1 - t) θ) + b sin(t θ)) / sin θ` (Shoemake, Animating rotation with quaternion curves, 1985).
pub fn quat_slerp(a: Quat, b: Quat, t: f32) -> Quat {
    let dot = quat_dot(a, b);
    let b = if dot < 0.0 { quat_negate(b) } else { b };
    let angle = libm::acosf(dot.abs().min(1.0));
    let sine = libm::sinf(angle);
    if sine <= STRAIGHT_BELOW {
        return quat_normalize(quat_weighted(a, 1.0 - t, b, t));
    }
    let inverse = 1.0 / sine;
    let from = libm::sinf((1.0 - t) * angle) * inverse;
    let to = libm::sinf(t * angle) * inverse;
    quat_weighted(a, from, b, to)
}

/// Returns `a * s + b * t` by component; not normalized.
pub fn quat_weighted(a: Quat, s: f32, b: Quat, t: f32) -> Quat {
    let [ax, ay, az, aw] = a.to_array();
    let [bx, by, bz, bw] = b.to_array();
    Quat::from_xyzw(
        ax * s + bx * t,
        ay * s + by * t,
        az * s + bz * t,
        aw * s + bw * t,
    )
}

/// Returns the rotation matrix of a unit quaternion.
pub fn quat_to_mat3(q: Quat) -> Mat3 {
    let [x, y, z, w] = q.to_array();
    let (x2, y2, z2) = (x + x, y + y, z + z);
    let (xx, yy, zz) = (x * x2, y * y2, z * z2);
    let (xy, xz, yz) = (x * y2, x * z2, y * z2);
    let (wx, wy, wz) = (w * x2, w * y2, w * z2);
    Mat3::from_cols(
        Vec3::new(1.0 - (yy + zz), xy + wz, xz - wy),
        Vec3::new(xy - wz, 1.0 - (xx + zz), yz + wx),
        Vec3::new(xz + wy, yz - wx, 1.0 - (xx + yy)),
    )
}

/// Returns the unit quaternion of a rotation matrix, computed from its largest component to avoid division by small
/// numbers: each branch is `4 q[i] q` for the component `q[i]` that its conditions keep away from zero.
pub fn quat_from_mat3(m: &Mat3) -> Quat {
    let (x, y, z) = (m.x_axis, m.y_axis, m.z_axis);
    let q = if z.z <= 0.0 {
        let sum = y.y - x.x;
        if sum <= 0.0 {
            Quat::from_xyzw(1.0 - z.z - sum, x.y + y.x, x.z + z.x, y.z - z.y)
        } else {
            Quat::from_xyzw(x.y + y.x, 1.0 - z.z + sum, y.z + z.y, z.x - x.z)
        }
    } else {
        let sum = y.y + x.x;
        if sum <= 0.0 {
            Quat::from_xyzw(x.z + z.x, y.z + z.y, 1.0 + z.z - sum, x.y - y.x)
        } else {
            Quat::from_xyzw(y.z - z.y, z.x - x.z, x.y - y.x, 1.0 + z.z + sum)
        }
    };
    quat_normalize(q)
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::f32::consts::PI;

    fn rotations() -> impl Iterator<Item = Quat> {
        (0..200).map(|i| {
            let f = i as f32;
            let (s, c) = (libm::sinf(f * 1.7), libm::cosf(f * 0.9));
            quat_normalize(Quat::from_xyzw(
                s,
                c * 0.8,
                libm::sinf(f * 0.3),
                c * s + 0.1,
            ))
        })
    }

    fn close(a: Quat, b: Quat) -> bool {
        quat_angle(a, b) < 2e-6
    }

    #[test]
    fn products_rotate_vectors_by_one_after_the_other() {
        let v = Vec3::new(0.3, -2.0, 1.1);
        for (a, b) in rotations().zip(rotations().skip(7)) {
            let by_product = quat_rotate(quat_mul(a, b), v);
            let in_turn = quat_rotate(a, quat_rotate(b, v));
            assert!((by_product - in_turn).length() < 4e-6);
            assert!(close(quat_mul(quat_mul(a, b), quat_inverse(b)), a));
        }
    }

    #[test]
    fn matrices_and_quaternions_are_the_same_rotation() {
        for q in rotations() {
            let m = quat_to_mat3(q);
            assert!(close(quat_from_mat3(&m), q));
            let v = Vec3::new(1.0, 2.0, 3.0);
            let by_matrix = m.x_axis * v.x + m.y_axis * v.y + m.z_axis * v.z;
            assert!((by_matrix - quat_rotate(q, v)).length() < 4e-6);
        }
    }

    #[test]
    fn slerp_has_constant_speed_along_the_shorter_arc() {
        for (a, b) in rotations().zip(rotations().skip(3)) {
            let angle = quat_angle(a, b);
            for t in [0.0, 0.25, 0.5, 1.0] {
                let between = quat_slerp(a, b, t);
                assert!(
                    (quat_angle(a, between) - angle * t).abs() < 2e-6 * (1.0 + PI / (PI - angle))
                );
                assert!((quat_dot(between, between) - 1.0).abs() < 1e-5);
                assert!(close(between, quat_slerp(a, quat_negate(b), t)) || PI - angle < 1e-3);
            }
        }
    }

    #[test]
    fn what_cannot_be_normalized_is_the_identity() {
        for bad in [0.0, f32::NAN, f32::INFINITY, 1e-30, 1e30] {
            let q = Quat::from_xyzw(bad, 0.0, 0.0, 0.0);
            let unit = quat_normalize(q);
            assert!((quat_dot(unit, unit) - 1.0).abs() < 1e-6, "{bad}");
        }
    }
}
