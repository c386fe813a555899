//! The integration tests of the package, in one binary: one link instead of dozens.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stderr,
    reason = "tests stop at the first surprise and report how many files they ran"
)]

mod cycle_loops;
mod feet_clean;
mod feet_corpus;
mod feet_plants;
mod gait_corpus;
mod keyframes_codec;
mod keyframes_corpus;
mod keyframes_published_scheme;
mod loop_motion;
mod motion_edits;
mod motion_measures;
mod motion_trim;
mod packed_corpus;
mod packed_error_between_frames;
mod packed_error_bound;
mod register;
mod register_allocations;
mod register_common;
mod register_corpus;
mod register_cyclic;
mod register_nearest;
mod resample_corpus;
mod retarget_bodies;
mod retarget_character;
mod retarget_common;
mod retarget_corpus;
mod retarget_loops;
mod retarget_poses;
mod retarget_roles;
mod retarget_stick_figure;
mod root_motion_corpus;
