//! Sinew.
#![no_std]

extern crate alloc;

pub mod curve;
mod image;
pub mod math;

pub use glam;
pub use image::Image;
