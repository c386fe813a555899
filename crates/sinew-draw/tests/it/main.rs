//! The integration tests of the package, in one binary: one link instead of dozens.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stderr,
    reason = "tests stop at the first surprise and report how many files they ran"
)]

mod chart;
mod common;
mod controller_diagrams;
mod pictures;
mod plot;
mod stage;
mod stage_pictures;
mod thumbnails;
