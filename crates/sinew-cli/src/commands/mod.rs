//! One file or folder per subcommand, and shared code.

pub(crate) mod bench;
pub(crate) mod blend;
pub(crate) mod compress;
pub(crate) mod convert;
pub(crate) mod decompress;
pub(crate) mod demo;
pub(crate) mod info;
pub(crate) mod looping;
pub(crate) mod motion_output;
pub(crate) mod play;
pub(crate) mod plot;
pub(crate) mod register;
pub(crate) mod render;
pub(crate) mod retarget;
pub(crate) mod shell;
pub(crate) mod slides;
pub(crate) mod validate;
pub(crate) mod verify;
#[cfg(feature = "viewer")]
pub(crate) mod viewer;
#[cfg(not(feature = "viewer"))]
#[path = "no_viewer.rs"]
pub(crate) mod viewer;
