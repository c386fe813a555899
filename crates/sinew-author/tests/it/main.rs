//! The integration tests of the package, in one binary: one link instead of dozens.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stderr,
    reason = "tests stop at the first surprise and report how many files they ran"
)]

mod cycle_loops;
mod feet_clean;
mod feet_plants;
mod keys_codec;
mod motion_edits;
mod motion_measures;
mod motion_trim;
mod packed_between;
mod packed_bound;
