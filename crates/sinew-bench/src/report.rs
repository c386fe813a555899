//! Tables in Markdown, on the screen and in a file.

use sinew::simd::SimdLevel;
use std::fmt::Write;
use std::path::Path;

/// The text of a report.
#[derive(Debug)]
pub struct Report {
    text: String,
    /// How busy the machine was at the beginning, where it matters.
    load: Option<String>,
}

#[allow(
    clippy::print_stdout,
    clippy::expect_used,
    reason = "a benchmark talks and may stop"
)]
impl Report {
    /// Of times, which depend on how busy the machine is.
    pub fn of_times() -> Self {
        Self {
            text: String::new(),
            load: load(),
        }
    }

    /// Of what is the same however busy the machine is.
    pub fn of_counts() -> Self {
        Self {
            text: String::new(),
            load: None,
        }
    }

    /// A paragraph or a heading.
    pub fn say(&mut self, text: &str) {
        println!("{text}\n");
        self.text += text;
        self.text += "\n\n";
    }

    /// A table; all but the first column are numbers.
    pub fn table(&mut self, heads: &[&str], rows: &[Vec<String>]) {
        let heads: Vec<String> = heads.iter().map(|&head| head.to_owned()).collect();
        let width = |column: usize| {
            let cells = rows.iter().chain([&heads]);
            let lengths = cells.filter_map(|row| row.get(column).map(|cell| cell.chars().count()));
            lengths.max().unwrap_or(0)
        };
        let mut text = String::new();
        let line = |text: &mut String, row: &[String]| {
            for (column, cell) in row.iter().enumerate() {
                let width = width(column);
                let _ = match column {
                    0 => write!(text, "| {cell:width$} "),
                    _ => write!(text, "| {cell:>width$} "),
                };
            }
            *text += "|\n";
        };
        line(&mut text, &heads);
        for column in 0..heads.len() {
            let end = if column == 0 { "-" } else { ":" };
            let _ = write!(text, "|{}{end}", "-".repeat(width(column) + 1));
        }
        text += "|\n";
        rows.iter().for_each(|row| line(&mut text, row));
        println!("{text}");
        self.text += &text;
        self.text.push('\n');
    }

    /// Writes everything to a file of the repository, after the command that makes it and the machine's name.
    ///
    /// # Panics
    /// Where it cannot be written.
    pub fn write(&self, command: &str, out: &str) {
        let load = match (&self.load, load()) {
            (Some(before), Some(after)) => format!(
                " Load average {before} before and {after} after; above 1, other programs took part of the measured time."
            ),
            _ => String::new(),
        };
        let text = format!(
            "```sh\n{command} --out {out}\n```\n\n{}, {} threads, SIMD level {}.{load}\n\n{}",
            cpu(),
            std::thread::available_parallelism().map_or(1, |threads| threads.get()),
            SimdLevel::best().name(),
            self.text.trim_end(),
        );
        // Benchmarks run in their crate's folder.
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        std::fs::write(root.join(out), text + "\n").expect("the table can be written");
    }
}

/// The load average of the last minute: programs that were running or waiting to run.
fn load() -> Option<String> {
    let text = std::fs::read_to_string("/proc/loadavg").ok()?;
    text.split_whitespace().next().map(str::to_owned)
}

/// What the processor calls itself.
fn cpu() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let named = info.lines().find(|line| line.starts_with("model name"));
    let name = named.and_then(|line| line.split_once(':'));
    name.map_or(std::env::consts::ARCH.to_owned(), |(_, name)| {
        name.trim().to_owned()
    })
}

/// A whole number with commas.
pub fn grouped(number: impl TryInto<u64>) -> String {
    let digits = number.try_into().unwrap_or(0).to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A time, with as many digits as count.
pub fn nanoseconds(time: f64) -> String {
    if time < 1e4 {
        format!("{time:.0} ns")
    } else {
        format!("{:.1} µs", time * 1e-3)
    }
}
