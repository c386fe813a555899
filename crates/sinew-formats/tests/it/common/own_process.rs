//! Tests that measure the memory of a whole process.

use std::process::Command;

/// Set for the child, which runs the test's body.
const CHILD: &str = "SINEW_TEST_OWN_PROCESS";

/// Runs a test's body in a process of its own, because peak memory belongs to the process: starts this
/// binary again with just the calling test, which then runs `body`. `test` is the test's path:
/// `concat!(module_path!(), "::name")`.
///
/// # Panics
///
/// If the child fails; its output is in the message.
pub(crate) fn in_own_process(test: &str, body: impl FnOnce()) {
    let (_, test) = test.split_once("::").unwrap();
    if std::env::var_os(CHILD).is_some_and(|child| child == test) {
        body();
        return;
    }
    let child = Command::new(std::env::current_exe().unwrap())
        .args([test, "--exact", "--nocapture", "--include-ignored"])
        .env(CHILD, test)
        .output()
        .unwrap();
    super::say(&String::from_utf8_lossy(&child.stderr));
    assert!(
        child.status.success(),
        "{}{}",
        String::from_utf8_lossy(&child.stdout),
        String::from_utf8_lossy(&child.stderr)
    );
}

/// The largest resident size that this process ever had, in kilobytes.
pub(crate) fn peak_kilobytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:"));
    let kilobytes = line.unwrap().split_whitespace().nth(1).unwrap();
    kilobytes.parse().unwrap()
}
