//! What the benchmarks share: the timing of [`sinew_timing`], counted instructions, and tables.
//!
//! [`instructions`] and [`instructions_per_call`] count instead of timing. A [`Report`] is what was found, in tables.

mod instructions;
mod report;

pub use instructions::{COUNTED_CALLS, instructions, instructions_per_call};
pub use report::{Report, grouped, nanoseconds};
pub use sinew_timing::*;
