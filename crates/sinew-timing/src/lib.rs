//! Side-by-side timing of sampling, blending and crowds.
//!
//! [`race`] times anything. [`Moments`] say when to sample, [`copy_loop`] and [`slerp_loop`] are what sampling and
//! blending are compared with on any machine, and [`time_crowd`] measures the time per character of a crowd. The
//! command `sinew bench` and the project's own benchmarks use it.

mod baseline;
mod crowd;
mod moments;
mod race;

pub use baseline::{copy_loop, slerp_loop};
pub use crowd::{CrowdTimes, time_crowd};
pub use moments::Moments;
pub use race::{Contestant, RaceSettings, race, race_with};
