//! `sinew validate`: every problem of every file.

use crate::Outcome;
use crate::args::ValidateArgs;
use crate::error::CliError;
use crate::input::{self, Input};
use crate::report;
use serde_json::json;
use sinew_formats::skf::{self, ReadSettings};
use std::path::Path;

pub(crate) fn run(args: &ValidateArgs) -> Result<Outcome, CliError> {
    let mut reports = Vec::new();
    let (mut failed, mut unread) = (0, 0);
    for file in &args.files {
        let read = input::open(file, ReadSettings::default(), &args.source);
        unread += usize::from(read.is_err());
        let problems = problems(file, &read);
        failed += usize::from(!problems.is_empty());
        if args.json {
            reports.push(json!({ "file": file.display().to_string(), "problems": problems }));
        } else {
            print(file, &problems)?;
        }
    }
    if args.json {
        report::print_json(&json!({
            "version": report::JSON_VERSION,
            "files": reports,
            "failed": failed,
            "unread": unread,
        }))?;
    } else if args.files.len() > 1 {
        let fine = args.files.len() - failed;
        let mut text = format!("{fine} of {} files are fine", args.files.len());
        if unread > 0 {
            text += &format!(", {unread} could not be read");
        }
        report::print(&(text + "\n"))?;
    }
    Ok(if failed == 0 {
        Outcome::Fine
    } else {
        Outcome::CheckFailed
    })
}

/// Everything that is wrong with a file, a sentence each. What can be repaired is, so that all of it is
/// found and not only the first.
fn problems(file: &Path, read: &Result<Input, CliError>) -> Vec<String> {
    let input = match read {
        Ok(input) => input,
        Err(error) => return vec![without_path(file, error)],
    };
    let warnings = input.warnings();
    let mut problems: Vec<String> = warnings.list().iter().map(ToString::to_string).collect();
    if warnings.more() > 0 {
        problems.push(format!("… and {} more", warnings.more()));
    }
    if let Input::Character(character) = input {
        let lint = skf::lint(&character.skf);
        problems.extend(lint.list().iter().map(ToString::to_string));
    }
    problems
}

/// What an error says, but for the path that stands above the list already.
fn without_path(file: &Path, error: &CliError) -> String {
    let text = error.to_string();
    let start = format!("{}: ", file.display());
    text.strip_prefix(&start).map(str::to_owned).unwrap_or(text)
}

fn print(file: &Path, problems: &[String]) -> Result<(), CliError> {
    let mut text = String::new();
    if problems.is_empty() {
        text = format!("{} {}\n", report::good("ok"), file.display());
    } else {
        text += &format!("{} {}\n", report::bad("problems"), file.display());
        for problem in problems {
            text += &format!("  {problem}\n");
        }
    }
    Ok(report::print(&text)?)
}
