//! Shared mathematics.
//!
//! Trigonometry uses the `libm` crate and nothing uses fused multiply-add, so the same input gives the same bits on
//! every machine.

pub(crate) mod angle;
pub(crate) mod double;
pub(crate) mod euler;
pub(crate) mod ground;
pub(crate) mod quat;
pub(crate) mod transform;

pub use angle::{Rotor, normalize_or_zero, shortest_angle, wrapped};
pub(crate) use double::{any_perpendicular, rotation_between, unit};
pub use double::{
    dquat_from_quat, dquat_normalize, dquat_rotate, dquat_to_mat3, dquat_to_quat, rotation_x,
    rotation_y, rotation_z,
};
pub use euler::{EulerAngles, RotationOrder};
pub use ground::GroundTransform;
pub use quat::{
    quat_angle, quat_dot, quat_from_mat3, quat_inverse, quat_mul, quat_negate, quat_normalize,
    quat_rotate, quat_slerp, quat_to_mat3, quat_weighted,
};
pub use transform::Transform;

/// Smoothstep, `3 s² - 2 s³`: from 0 to 1 with zero velocity at both ends. The argument is clamped.
pub fn smoothstep(x: f64) -> f64 {
    let s = x.clamp(0.0, 1.0);
    s * s * (3.0 - 2.0 * s)
}

/// Perlin's smootherstep, `6 s⁵ - 15 s⁴ + 10 s³`: from 0 to 1 with zero velocity and acceleration at both ends. The
/// argument is clamped.
pub fn smootherstep(x: f64) -> f64 {
    let s = x.clamp(0.0, 1.0);
    s * s * s * (s * (s * 6.0 - 15.0) + 10.0)
}
