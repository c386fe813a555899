//! What the program says: colours only on a terminal, data on standard output, talk on standard error.

use anstyle::{AnsiColor, Style};
use serde_json::Value;
use sinew_formats::{Warning, Warnings};
use std::fmt::Display;
use std::io::{self, Write};

/// Version of the JSON that commands print; it rises when a field changes its meaning or goes.
pub(crate) const JSON_VERSION: u32 = 1;

const RED: Style = AnsiColor::Red.on_default().bold();
const YELLOW: Style = AnsiColor::Yellow.on_default().bold();
const GREEN: Style = AnsiColor::Green.on_default().bold();
const BOLD: Style = Style::new().bold();
const DIM: Style = Style::new().dimmed();

pub(crate) fn bold(text: impl Display) -> String {
    format!("{BOLD}{text}{BOLD:#}")
}

pub(crate) fn dim(text: impl Display) -> String {
    format!("{DIM}{text}{DIM:#}")
}

pub(crate) fn good(text: impl Display) -> String {
    format!("{GREEN}{text}{GREEN:#}")
}

pub(crate) fn bad(text: impl Display) -> String {
    format!("{RED}{text}{RED:#}")
}

/// A text from a file, fit for a terminal: what would steer it is shown, not obeyed.
pub(crate) fn plain_text(text: &str) -> String {
    let hidden = |c: char| c.is_control() || ('\u{200e}'..='\u{202e}').contains(&c);
    let mut plain = String::with_capacity(text.len());
    for c in text.chars() {
        if hidden(c) {
            plain.extend(c.escape_default());
        } else {
            plain.push(c);
        }
    }
    plain
}

/// A number of things: `1 frame`, `2 frames`, `3 vertices`.
pub(crate) fn count(count: usize, what: &str) -> String {
    let plural = match what.strip_suffix("ex") {
        _ if count == 1 => what.to_owned(),
        Some(stem) => format!("{stem}ices"),
        None => format!("{what}s"),
    };
    format!("{count} {plural}")
}

/// Prints a text to standard output.
pub(crate) fn print(text: &str) -> io::Result<()> {
    let mut out = anstream::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()
}

/// Prints JSON to standard output.
pub(crate) fn print_json(json: &Value) -> io::Result<()> {
    print(&format!("{json:#}\n"))
}

/// Says what went wrong, with the causes that the message itself does not tell.
pub(crate) fn error(error: &dyn std::error::Error) {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        let inner_text = inner.to_string();
        if !text.contains(&inner_text) {
            text = format!("{text}: {inner_text}");
        }
        cause = inner.source();
    }
    // Standard error may be closed; there is nobody left to tell.
    let _ = writeln!(anstream::stderr(), "{RED}error{RED:#}: {text}");
}

/// Says what a reader repaired or ignored, in brief.
pub(crate) fn warnings(path: &std::path::Path, warnings: &Warnings) {
    let more = "see `sinew validate`";
    warning_list(path, warnings.list(), warnings.count(), more);
}

/// Says some of `count` warnings, and where the others are told.
pub(crate) fn warning_list(path: &std::path::Path, list: &[Warning], count: usize, others: &str) {
    const SHOWN: usize = 5;
    let mut err = anstream::stderr().lock();
    for warning in list.iter().take(SHOWN) {
        let _ = writeln!(
            err,
            "{YELLOW}warning{YELLOW:#}: {}: {warning}",
            path.display()
        );
    }
    if let more @ 1.. = count.saturating_sub(SHOWN) {
        let _ = writeln!(
            err,
            "{YELLOW}warning{YELLOW:#}: … and {more} more; {others}"
        );
    }
}

/// Warnings as JSON.
pub(crate) fn warnings_json(warnings: &[Warning]) -> Value {
    let list = warnings
        .iter()
        .map(|w| serde_json::json!({ "place": w.place, "field": w.field, "problem": w.problem }));
    list.collect()
}
