//! The integration tests of the package, in one binary: one link instead of dozens.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stderr,
    reason = "tests stop at the first surprise and report how many files they ran"
)]

mod blend;
mod common;
mod compress;
mod convert;
mod convert_keeps;
mod corpus;
mod demo;
mod escapes;
mod first_use;
mod help;
mod hostile_files;
mod import;
mod info;
mod inputs;
mod r#loop;
mod motion;
mod outputs;
mod packed;
mod play;
mod play_frames;
mod play_refusals;
mod register;
mod render_forms;
mod render_refusals;
mod render_settings;
mod requests;
mod resume;
mod retarget;
#[cfg(feature = "viewer")]
mod share;
mod terminal;
mod validate;
#[cfg(feature = "viewer")]
mod view;
mod visible;
