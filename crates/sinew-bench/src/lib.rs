//! What the benchmarks share: the timing of [`sinew_timing`], counted instructions, and tables.
//!
//! [`instructions_per_call`] counts instead of timing. A [`Report`] is what was found, in tables.

mod instructions;
mod report;

pub use instructions::{COUNTED_CALLS, instructions_per_call};
pub use report::{Report, grouped, nanoseconds};
pub use sinew_timing::*;
