//! Offline tools for skeletal animation: edit, measure, compress, register, loop and retarget motions.
//!
//! [`sinew`] plays animations; this crate prepares them. Everything here is a function from animations to animations,
//! measures or curves, deterministic to the bit, `no_std`, without I/O.
//!
//! ```text
//! Animation ─edit─▶ Animation             trim, resample, mirror, move the root, …
//!           ─measure─▶ figures            extent, loop gap, ground velocity, error between poses
//!           ─compress─▶ PackedAnimation   within an error bound, proven by verify ─packed─▶ bytes
//!           ─contacts─▶ Plants ─footskate─▶ Animation without sliding feet
//!           ─looping─▶ Animation that loops
//!           ─retarget─▶ Animation of another skeleton
//! Animations ─register─▶ RegistrationCurve ─▶ blends and transitions
//! ```

#![no_std]

extern crate alloc;

pub mod compress;
pub mod contacts;
pub mod edit;
mod error;
pub mod footskate;
pub mod keyframes;
pub mod looping;
pub mod measure;
pub mod packed;
pub mod register;
pub mod retarget;

/// Frames per second of a motion that neither states a rate nor has one in its keys: that of most screens.
pub(crate) const DEFAULT_FRAME_RATE: f64 = 60.0;

pub use error::{NotFiniteError, SettingError};
