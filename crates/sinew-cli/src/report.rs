//! Terminal output: colours only on a terminal, data on standard output, messages on standard error.

use anstyle::{AnsiColor, Style};
use serde_json::Value;
use sinew_formats::{Severity, Warning, Warnings};
use std::fmt::Display;
use std::io::{self, Write};

/// The version of the JSON output; incremented when a field is removed or changes its meaning.
pub(crate) const JSON_VERSION: u32 = 1;

const RED: Style = AnsiColor::Red.on_default().bold();
const YELLOW: Style = AnsiColor::Yellow.on_default().bold();
const GREEN: Style = AnsiColor::Green.on_default().bold();
const BOLD: Style = Style::new().bold();
const DIM: Style = Style::new().dimmed();

/// Style marks within a text: Unicode noncharacters. Only [`print`], [`error`] and [`warning_list`] turn them into
/// escape sequences. They escape all other control characters, so that text from a file, or its name, cannot control
/// the terminal.
const MARKS: [(char, Style); 5] = [
    ('\u{fdd0}', BOLD),
    ('\u{fdd1}', DIM),
    ('\u{fdd2}', GREEN),
    ('\u{fdd3}', RED),
    ('\u{fdd4}', YELLOW),
];

/// The end mark of a style.
const END: char = '\u{fdd5}';

fn mark(text: impl Display, style: usize) -> String {
    format!("{}{text}{END}", MARKS[style].0)
}

pub(crate) fn bold(text: impl Display) -> String {
    mark(text, 0)
}

pub(crate) fn dim(text: impl Display) -> String {
    mark(text, 1)
}

pub(crate) fn good(text: impl Display) -> String {
    mark(text, 2)
}

pub(crate) fn bad(text: impl Display) -> String {
    mark(text, 3)
}

pub(crate) fn caution(text: impl Display) -> String {
    mark(text, 4)
}

/// Returns whether a character controls a terminal: control characters, and marks of writing direction.
fn is_terminal_control(c: char) -> bool {
    c.is_control()
        || ('\u{200e}'..='\u{200f}').contains(&c)
        || ('\u{2028}'..='\u{202e}').contains(&c)
        || ('\u{2066}'..='\u{2069}').contains(&c)
}

/// Escapes text from a file for a terminal.
pub(crate) fn plain_text(text: &str) -> String {
    let is_mark = |c: char| ('\u{fdd0}'..=END).contains(&c);
    let mut plain = String::with_capacity(text.len());
    for c in text.chars() {
        if is_terminal_control(c) || is_mark(c) {
            plain.extend(c.escape_default());
        } else {
            plain.push(c);
        }
    }
    plain
}

/// Formats a multi-line text for a terminal: style marks become escape sequences, line breaks stay, other control
/// characters are escaped.
fn render_styles(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        let style = MARKS.iter().find(|(mark, _)| *mark == c);
        match (c, style) {
            (_, Some((_, style))) => out += &style.render().to_string(),
            (END, _) => out += &anstyle::Reset.render().to_string(),
            ('\n', _) => out.push(c),
            _ if is_terminal_control(c) => out.extend(c.escape_default()),
            _ => out.push(c),
        }
    }
    out
}

/// Formats a count with its noun: `1 frame`, `2 frames`, `3 vertices`.
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
    out.write_all(render_styles(text).as_bytes())?;
    out.flush()
}

/// Prints a text to standard error when standard output is used for data.
pub(crate) fn print_aside(text: &str) {
    // Standard error may be closed.
    let _ = anstream::stderr().write_all(render_styles(text).as_bytes());
}

/// Prints JSON to standard output.
pub(crate) fn print_json(json: &Value) -> io::Result<()> {
    let mut text = String::new();
    // JSON escapes the first 32 characters; other control characters occur only in strings, where an escape is
    // equivalent.
    for c in format!("{json:#}\n").chars() {
        match c {
            '\n' => text.push(c),
            _ if is_terminal_control(c) => {
                let mut units = [0; 2];
                for unit in c.encode_utf16(&mut units) {
                    text += &format!("\\u{unit:04x}");
                }
            }
            _ => text.push(c),
        }
    }
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()
}

/// Reports an error.
pub(crate) fn error(text: &str) {
    print_aside(&format!("{}: {text}\n", bad("error")));
}

/// Reports an error as JSON.
pub(crate) fn error_json(text: &str) {
    // Standard output may be closed; the exit code also reports the error.
    let _ = print_json(&serde_json::json!({ "version": JSON_VERSION, "error": text }));
}

/// Reports what a reader repaired or ignored, in brief.
pub(crate) fn warnings(path: &std::path::Path, warnings: &Warnings) {
    let more = "see `sinew validate`";
    warning_list(path, warnings.list(), warnings.count(), more);
}

/// Reports what the output loses of an input, in brief.
pub(crate) fn losses(path: &std::path::Path, losses: &Warnings) {
    let more = "--json lists them";
    warning_list(path, losses.list(), losses.count(), more);
}

/// Reports some of `count` warnings, and where to find the others.
pub(crate) fn warning_list(path: &std::path::Path, list: &[Warning], count: usize, others: &str) {
    const SHOWN: usize = 5;
    let path = plain_text(&path.display().to_string());
    let mut text = String::new();
    for warning in by_severity(list).into_iter().take(SHOWN) {
        let label = label(warning);
        let warning = plain_text(&warning.to_string());
        text += &format!("{label}: {path}: {warning}\n");
    }
    if let more @ 1.. = count.saturating_sub(SHOWN) {
        let label = mark("warning", 4);
        text += &format!("{label}: … and {more} more; {others}\n");
    }
    print_aside(&text);
}

/// Sorts by severity, then in file order.
fn by_severity(list: &[Warning]) -> Vec<&Warning> {
    let mut sorted: Vec<&Warning> = list.iter().collect();
    sorted.sort_by_key(|warning| std::cmp::Reverse(warning.severity));
    sorted
}

fn label(warning: &Warning) -> String {
    match warning.severity {
        Severity::Note => dim("note"),
        _ => mark("warning", 4),
    }
}

/// Formats the warnings of a file in a table: all that put the whole result in doubt, and some of the others.
pub(crate) fn warning_rows(warnings: &Warnings) -> String {
    const SHOWN: usize = 3;
    let serious = warnings.serious().count();
    let shown = by_severity(warnings.list());
    let shown = shown.into_iter().take(serious.max(SHOWN));
    let row = |warning: &Warning| {
        let text = plain_text(&warning.to_string());
        format!("        {}: {text}\n", label(warning))
    };
    shown.map(row).collect()
}

/// The largest number of losses listed in a table; the JSON lists all.
const LOSSES: usize = 40;

/// Formats the losses of each file in a table, up to a limit.
pub(crate) fn loss_rows<'a>(
    files: impl Iterator<Item = (&'a std::path::Path, &'a Warnings)>,
) -> String {
    let (mut out, mut listed, mut all) = (String::new(), 0, 0);
    for (input, losses) in files {
        all += losses.count();
        let input = plain_text(&input.display().to_string());
        for loss in losses.list().iter().take(LOSSES - listed) {
            let label = label(loss);
            let loss = plain_text(&loss.to_string());
            out += &format!("{label}: {input}: {loss}\n");
            listed += 1;
        }
    }
    if all > listed {
        let more = count(all - listed, "warning");
        out += &format!("{}\n", dim(format!("… and {more} more; --json lists them")));
    }
    out
}

/// Converts warnings to JSON.
pub(crate) fn warnings_json(warnings: &[Warning]) -> Value {
    warnings.iter().map(warning_json).collect()
}

/// Converts a warning to JSON.
pub(crate) fn warning_json(warning: &Warning) -> Value {
    serde_json::json!({
        "severity": warning.severity.name(),
        "place": warning.place,
        "field": warning.field,
        "problem": warning.problem,
    })
}
