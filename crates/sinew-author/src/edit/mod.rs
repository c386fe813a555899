//! Edits of animations: trim, resample, mirror, move the root, remove constant channels, align quaternion signs.
//!
//! Each returns a new animation or changes one in place. The travel of a loop ([`Animation::looping`](sinew::Animation::looping))
//! is edited along. All are linear in the number of keys.

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
