//! Edits of animations: each returns a new animation or changes one in place, loop motion included.

mod constant;
mod hemisphere;
mod mirror;
mod resample;
mod root;
mod trim;

pub use constant::remove_constant;
pub use hemisphere::align_hemispheres;
pub use mirror::{MirrorError, mirror};
pub use resample::{FrameGrid, resample};
pub use root::move_root;
pub use trim::trim;
