//! Computes every case, prints one line per hash, and fails if a hash differs.
#![allow(clippy::print_stdout, reason = "it reports")]

use std::process::ExitCode;

fn main() -> ExitCode {
    let summary = sinew_determinism::run(&sinew_determinism::CASES, |line| println!("{line}"));
    if summary.failed == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
