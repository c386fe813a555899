//! Packed animation: what it costs and how large it is. Run with `cargo bench -p sinew-bench --bench packed`.
//!
//! ```text
//! cargo bench -p sinew-bench --bench packed                    times
//! cargo bench -p sinew-bench --bench packed -- instructions    instructions per call; needs valgrind
//! cargo bench -p sinew-bench --bench packed -- rates           instructions at other rates and on other rigs
//! cargo bench -p sinew-bench --bench packed -- sizes           bytes and errors; needs SINEW_CORPUS
//!     --out FILE    writes the table too; FILE is relative to the repository's root
//! ```
//!
//! With `SINEW_CORPUS` set the clips are those of [`peers::CLIPS`], else the sample walk. No crate on stable Rust
//! does the same, so times are ratios to a copy of the pose's bytes and to glam's slerp from joint to joint in the
//! same run. The costs of the C++ libraries were measured separately and is in `peers.rs`.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a benchmark talks and may stop"
)]

mod clips;
mod growth;
mod instructions;
mod peers;
mod rates;
mod sizes;
mod speed;
mod stages;

use sinew_bench::Report;
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut args: Vec<String> = std::env::args().skip(1).collect();
    // Cargo says what it is doing.
    args.retain(|arg| arg != "--bench");
    let out = args.iter().position(|arg| arg == "--out").map(|index| {
        let rest: Vec<String> = args.drain(index..).collect();
        rest.into_iter().nth(1).expect("--out needs a file")
    });
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let report = match args[..] {
        ["calls", pack, stage, level, count] => {
            instructions::calls(pack, stage, level, count.parse().unwrap());
            return ExitCode::SUCCESS;
        }
        [] => {
            let mut report = Report::of_times();
            speed::run(&mut report);
            report
        }
        ["instructions"] => {
            let mut report = Report::of_counts();
            instructions::run(&mut report);
            report
        }
        ["rates"] => {
            let mut report = Report::of_counts();
            rates::run(&mut report);
            report
        }
        ["sizes"] => {
            let mut report = Report::of_times();
            if !sizes::run(&mut report) {
                eprintln!(
                    "set SINEW_CORPUS to the folder of the motion files that the peer was measured on"
                );
                return ExitCode::FAILURE;
            }
            report
        }
        _ => {
            eprintln!(
                "expected nothing, `instructions`, `rates` or `sizes`, and `--out FILE`; found {args:?}"
            );
            return ExitCode::FAILURE;
        }
    };
    if let Some(out) = out {
        let variable = clips::corpus().map_or("", |_| "SINEW_CORPUS=folder ");
        let mut command = format!("{variable}cargo bench -p sinew-bench --bench packed --");
        for arg in args {
            command += " ";
            command += arg;
        }
        report.write(&command, &out);
    }
    ExitCode::SUCCESS
}
