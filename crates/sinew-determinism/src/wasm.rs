//! What Node calls: `run` computes every case and keeps the report, which `report_pointer` and `report_length` give to
//! the host. The target has no standard output.
#![allow(unsafe_code, reason = "exported names must be unique")]

use std::sync::OnceLock;

static REPORT: OnceLock<String> = OnceLock::new();

fn report() -> &'static str {
    REPORT.get().map_or("", String::as_str)
}

/// Computes every case. Returns the number of hashes that differ.
#[unsafe(no_mangle)]
extern "C" fn run() -> usize {
    let mut lines = String::new();
    let summary = crate::run(&crate::CASES, |line| {
        lines.push_str(line);
        lines.push('\n');
    });
    // A second run computes the same report.
    let _ = REPORT.set(lines);
    summary.failed
}

/// The address of the report, UTF-8.
#[unsafe(no_mangle)]
extern "C" fn report_pointer() -> *const u8 {
    report().as_ptr()
}

/// The length of the report in bytes.
#[unsafe(no_mangle)]
extern "C" fn report_length() -> usize {
    report().len()
}
