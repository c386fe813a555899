//! Side-by-side timing, and what several benchmarks time.
//!
//! [`race`] times anything. [`Moments`] say when to sample, [`copy_loop`] and [`slerp_loop`] are what sampling and
//! blending are compared with on any machine, and [`time_crowd`] tells what a character of a crowd takes.
//! [`instructions_per_call`] counts instead of timing. A [`Report`] is what was found, in tables.

mod baseline;
mod crowd;
mod instructions;
mod moments;
mod race;
mod report;

pub use baseline::{copy_loop, slerp_loop};
pub use crowd::{CrowdTimes, time_crowd};
pub use instructions::{COUNTED_CALLS, instructions_per_call};
pub use moments::Moments;
pub use race::{Contestant, RaceSettings, race, race_with};
pub use report::{Report, grouped, nanoseconds};
