//! Instructions, as valgrind counts them: no mode of the machine changes them.

use std::io;
use std::process::Command;

/// How many calls are counted, and how many more: what comes before them counts in both.
pub const COUNTED_CALLS: [u64; 2] = [1_000, 3_000];

/// Instructions of one call. Runs this program under valgrind with the arguments and, as the last one, how many calls
/// it is to make.
///
/// # Errors
/// When valgrind does not run or does not say how many there were.
pub fn instructions_per_call(arguments: &[&str]) -> io::Result<u64> {
    let count = |calls: u64| instructions(&[arguments, &[&calls.to_string()]].concat());
    let [few, many] = COUNTED_CALLS;
    Ok((count(many)? - count(few)?) / (many - few))
}

/// Instructions of this program with some arguments, from its start to its end.
///
/// # Errors
/// When valgrind does not run or does not say how many there were.
pub fn instructions(arguments: &[&str]) -> io::Result<u64> {
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(std::env::current_exe()?)
        .args(arguments)
        .output()?;
    let text = String::from_utf8_lossy(&output.stderr);
    let line = text.lines().find(|line| line.contains("Collected"));
    let number = line.and_then(|line| line.split_whitespace().last());
    let number = number.and_then(|number| number.parse::<u64>().ok());
    number.ok_or_else(|| io::Error::other(format!("valgrind says\n{text}")))
}
