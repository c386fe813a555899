//! Small pieces of mathematics that every module shares.
//!
//! Trigonometry goes through the `libm` crate and nothing uses fused multiply-add, so that the same
//! input gives the same bits on every machine.

mod angle;
mod euler;
mod quat;
mod rotation64;
mod transform;

pub use angle::{Rotor, normalize_or_zero, shortest_angle};
pub use euler::{EulerAngles, RotationOrder};
pub use quat::{
    quat_angle, quat_dot, quat_from_mat3, quat_inverse, quat_mul, quat_negate, quat_normalize,
    quat_rotate, quat_slerp, quat_to_mat3, quat_weighted,
};
pub use rotation64::Rotation64;
pub use transform::Transform;
