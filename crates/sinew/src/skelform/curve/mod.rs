//! How a value travels from one key to the next.
//!
//! An [`Ease`] maps the fraction of a segment's time that has passed (0 to 1) to the fraction of its
//! change that is done.

mod bezier;
mod ease;

pub use bezier::{Handles, SNAP_HANDLE};
pub use ease::{Ease, Preset};
