//! `sinew validate`: lists every problem of every file.

use crate::Outcome;
use crate::args::ValidateArgs;
use crate::error::CliError;
use crate::input::{self, Input};
use crate::report::{self, plain_text};
use crate::walk;
use serde_json::json;
use sinew_formats::skf::{self, ReadSettings};
use sinew_formats::{Format, Severity};
use std::path::{Path, PathBuf};

pub(crate) fn run(args: &ValidateArgs) -> Result<Outcome, CliError> {
    let mut reports = Vec::new();
    let (mut failed, mut unread) = (0, 0);
    let files = files(&args.files);
    for (file, found) in &files {
        let read = match found {
            Ok(()) => input::open(file, ReadSettings::default(), &args.source),
            Err(problem) => Err(CliError::unusable(file, problem)),
        };
        unread += usize::from(read.is_err());
        let problems = problems(file, &read);
        failed += usize::from(!problems.is_empty());
        let notes = notes(&read);
        if args.json {
            reports.push(json!({
                "file": file.display().to_string(), "problems": problems, "notes": notes,
            }));
        } else {
            print(file, &problems, &notes)?;
        }
    }
    if args.json {
        report::print_json(&json!({
            "version": report::JSON_VERSION,
            "files": reports,
            "failed": failed,
            "unreadable": unread,
        }))?;
    } else if files.len() > 1 {
        let fine = files.len() - failed;
        let mut text = format!("{fine} of {} files ok", files.len());
        if unread > 0 {
            text += &format!(", {unread} unreadable");
        }
        report::print(&(text + "\n"))?;
    }
    Ok(if failed == 0 {
        Outcome::Fine
    } else {
        Outcome::CheckFailed
    })
}

/// A file, or the error of a requested path.
type RequestedFile = (PathBuf, Result<(), String>);

/// Returns the requested files: by name, below folders, by patterns.
fn files(asked: &[PathBuf]) -> Vec<RequestedFile> {
    let mut files = Vec::new();
    for path in asked {
        let found = if path.is_dir() {
            let is_known = |path: &Path| Format::from_name(path).is_some();
            Ok(walk::below(path, None, &is_known))
        } else if !path.exists() && walk::is_pattern(&path.to_string_lossy()) {
            walk::matching(path)
        } else {
            files.push((path.clone(), Ok(())));
            continue;
        };
        match found {
            Ok(found) if found.files.is_empty() && found.problems.is_empty() => {
                let problem = "no file of a known format in it".to_owned();
                files.push((path.clone(), Err(problem)));
            }
            Ok(found) => {
                files.extend(found.files.into_iter().map(|file| (file, Ok(()))));
                let problems = found.problems.into_iter();
                files.extend(problems.map(|(file, problem)| (file, Err(problem))));
            }
            Err(problem) => files.push((path.clone(), Err(problem))),
        }
    }
    files
}

/// Returns all problems of a file, one sentence each. Reads with repairs, so that it finds all problems and not only
/// the first.
fn problems(file: &Path, read: &Result<Input, CliError>) -> Vec<String> {
    let input = match read {
        Ok(input) => input,
        Err(error) => return vec![without_path(file, error)],
    };
    let warnings = input.warnings();
    let faults = warnings
        .list()
        .iter()
        .filter(|warning| warning.severity > Severity::Note);
    let mut problems: Vec<String> = faults.map(ToString::to_string).collect();
    if warnings.more() > 0 {
        problems.push(format!("… and {} more", warnings.more()));
    }
    if let Input::Character(character) = input {
        let lint = skf::lint(&character.skf);
        problems.extend(lint.list().iter().map(ToString::to_string));
    }
    problems
}

/// Returns notes about a file that are not problems, one sentence each.
fn notes(read: &Result<Input, CliError>) -> Vec<String> {
    let Ok(input) = read else {
        return Vec::new();
    };
    let list = input.warnings().list().iter();
    let notes = list.filter(|warning| warning.severity == Severity::Note);
    notes.map(ToString::to_string).collect()
}

/// Returns the error text without the path, which the list already shows.
fn without_path(file: &Path, error: &CliError) -> String {
    let text = error.to_string();
    let start = format!("{}: ", file.display());
    text.strip_prefix(&start).map(str::to_owned).unwrap_or(text)
}

fn print(file: &Path, problems: &[String], notes: &[String]) -> Result<(), CliError> {
    let mut text = String::new();
    let name = plain_text(&file.display().to_string());
    if problems.is_empty() {
        text = format!("{} {name}\n", report::good("ok"));
    } else {
        text += &format!("{} {name}\n", report::bad("problems"));
        for problem in problems {
            text += &format!("  {}\n", plain_text(problem));
        }
    }
    for note in notes {
        text += &format!("  {} {note}\n", report::dim("note:"));
    }
    Ok(report::print(&text)?)
}
