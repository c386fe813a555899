//! Small pieces of mathematics that every module shares.
//!
//! Trigonometry goes through the `libm` crate and nothing uses fused multiply-add, so that the same
//! input gives the same bits on every machine.

mod angle;

pub use angle::{Rotor, normalize_or_zero, shortest_angle};
