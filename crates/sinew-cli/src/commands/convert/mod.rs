//! `sinew convert`: converts motions to another format, in batches.

pub(crate) mod convert_file;
pub(crate) mod find;

use crate::Outcome;
use crate::args::{ConvertArgs, SourceArgs};
use crate::commands::compress::facts::millimetres;
use crate::error::CliError;
use crate::progress::Progress;
use crate::report::{self, bad, bold, count, dim, good, plain_text};
use crate::resume::Records;
use crate::{input, output, threads};
use convert_file::{Claims, ConvertedFile};
use find::{OutputFormat, Plan, PlanRequest};
use rayon::prelude::*;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// The largest number of files listed in the summary; beyond it only failures are listed.
const ROWS: usize = 20;

/// The result of an input.
struct ConvertRow {
    input: PathBuf,
    result: Result<ConvertedFile, String>,
}

pub(crate) fn run(args: &ConvertArgs) -> Result<Outcome, CliError> {
    let plan = find::plan(&PlanRequest {
        inputs: &args.inputs,
        to: args.to,
        out: args.out.as_deref(),
        may_gather: false,
        packed: false,
    })?;
    convert_planned(&plan, args)
}

/// Removes temporary files of an interrupted run from the output folders.
pub(crate) fn remove_leftovers<F>(plan: &Plan<F>) {
    let folders = plan.jobs.iter().filter_map(|job| job.output.parent());
    for folder in folders.collect::<BTreeSet<_>>() {
        let here = folder.as_os_str().is_empty();
        output::remove_leftovers(if here { Path::new(".") } else { folder });
    }
}

/// Converts the planned files.
pub(crate) fn convert_planned(plan: &Plan, args: &ConvertArgs) -> Result<Outcome, CliError> {
    let started = Instant::now();
    if args.batch.resume {
        remove_leftovers(plan);
    }
    let is_stdout = plan.jobs.iter().any(|job| output::is_stdout(&job.output));
    if is_stdout && args.json {
        return Err(CliError::json_and_stdout());
    }
    let rows = convert_all(plan, args);
    let failed = rows.iter().filter(|row| row.result.is_err()).count();
    let seconds = started.elapsed().as_secs_f64();
    let left_out = SkippedFiles::of(plan, args);
    if args.json {
        report::print_json(&to_json(&rows, &plan.left_out, seconds))?;
    } else if is_stdout {
        report::print_aside(&to_text(&rows, seconds, &args.source));
    } else {
        let mut text = to_text(&rows, seconds, &args.source);
        if let Some(left_out) = left_out {
            let _ = writeln!(text, "{}", left_out.text(plan));
        }
        report::print(&text)?;
    }
    Ok(if failed == 0 && left_out != Some(SkippedFiles::All) {
        Outcome::Fine
    } else {
        Outcome::PartlyFailed
    })
}

/// Converts all files in parallel; a failed file does not stop the others.
fn convert_all(plan: &Plan, args: &ConvertArgs) -> Vec<ConvertRow> {
    let progress = Progress::new("converting", plan.jobs.len());
    let skeletons = args.source.skeleton.iter().chain(&args.source.asf);
    let claims = Claims::new(&plan.jobs, skeletons, args.force);
    let records = Records::new(args.batch.resume, plan.jobs.len());
    let work = || -> Vec<ConvertRow> {
        let jobs = plan.jobs.par_iter().enumerate().map(|(index, job)| {
            let result = convert_file::convert(index, job, plan.to, args, &claims, &records);
            progress.add(1);
            ConvertRow {
                input: job.input.clone(),
                result: result.map_err(|error| error.to_string()),
            }
        });
        jobs.collect()
    };
    let mut rows = threads::with_jobs(args.batch.jobs, work);
    rows.extend(plan.missing.iter().map(|(input, problem)| ConvertRow {
        input: input.clone(),
        result: Err(format!("{}: {problem}", input.display())),
    }));
    rows
}

/// Whether to report files that already have the output format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SkippedFiles {
    /// There were no other files, so nothing was done.
    All,
    /// Edits were requested for them.
    Some,
}

impl SkippedFiles {
    fn of(plan: &Plan, args: &ConvertArgs) -> Option<Self> {
        let is_edit = args.fps.is_some() || args.trim.is_some() || args.mirror || args.center;
        match plan.left_out.len() {
            0 => None,
            _ if plan.jobs.is_empty() && plan.missing.is_empty() => Some(Self::All),
            _ if is_edit => Some(Self::Some),
            _ => None,
        }
    }

    fn text(self, plan: &Plan) -> String {
        let files = count(plan.left_out.len(), "file");
        let format = plan.to.ending();
        let text = format!(
            "{files} already in {format} format, not converted; use --out FOLDER to write copies"
        );
        match self {
            Self::All => bad(text),
            Self::Some => dim(text),
        }
    }
}

/// Sums over all files.
#[derive(Default)]
struct Totals {
    converted: usize,
    skipped: usize,
    failed: usize,
    frames: usize,
    motion_seconds: f64,
    input_bytes: u64,
    output_bytes: u64,
    warnings: usize,
}

impl Totals {
    fn of(rows: &[ConvertRow]) -> Self {
        let mut totals = Self::default();
        for row in rows {
            match &row.result {
                Err(_) => totals.failed += 1,
                Ok(done) if done.is_skipped => totals.skipped += 1,
                Ok(done) => {
                    totals.converted += 1;
                    totals.frames += done.frames;
                    totals.motion_seconds += done.seconds;
                    totals.input_bytes += done.input_bytes;
                    totals.output_bytes += done.output_bytes;
                    totals.warnings += done.warnings.count();
                }
            }
        }
        totals
    }
}

fn to_text(rows: &[ConvertRow], seconds: f64, source: &SourceArgs) -> String {
    let mut out = String::new();
    let names_all = rows.len() <= ROWS;
    let shown = rows.iter().filter(|row| names_all || row.result.is_err());
    let width = |row: &ConvertRow| row.input.display().to_string().chars().count();
    let widest = shown.clone().map(width).max().unwrap_or(0).min(60);
    for row in shown {
        let input = plain_text(&row.input.display().to_string());
        let _ = match &row.result {
            Err(problem) => {
                // The row already starts with the path.
                let problem = problem.strip_prefix(&input).unwrap_or(problem);
                let problem = problem.trim_start_matches(": ");
                writeln!(out, "{} {input:widest$}  {problem}", bad("failed "))
            }
            Ok(done) if done.is_skipped => {
                writeln!(out, "{} {input:widest$}", dim("skipped"))
            }
            Ok(done) => {
                let _ = writeln!(out, "{} {input:widest$}  {}", good("ok     "), about(done));
                out += &report::warning_rows(&done.warnings);
                Ok(())
            }
        };
    }
    let totals = Totals::of(rows);
    let done = rows
        .iter()
        .filter_map(|row| Some((row.input.as_path(), &row.result.as_ref().ok()?.losses)));
    out += &report::loss_rows(done);
    let mut sums = vec![format!("{} converted", totals.converted)];
    if totals.skipped > 0 {
        sums.push(format!("{} skipped", totals.skipped));
    }
    if totals.failed > 0 {
        sums.push(bad(format!("{} failed", totals.failed)));
    }
    let sums = sums.join(", ");
    let mega = |bytes: u64| bytes as f64 / 1e6;
    let _ = writeln!(
        out,
        "{} {}",
        bold(sums),
        dim(format!(
            "in {seconds:.1} s: {} frames, {:.0} s of motion, {:.1} MB in ({:.0} MB/s), {:.1} MB out",
            totals.frames,
            totals.motion_seconds,
            mega(totals.input_bytes),
            mega(totals.input_bytes) / seconds.max(1e-3),
            mega(totals.output_bytes),
        ))
    );
    if totals.warnings > 0 {
        let warnings = count(totals.warnings, "warning");
        let text = format!("{warnings}; see `sinew validate`");
        let _ = writeln!(out, "{}", dim(text));
    }
    let is_repairable =
        |row: &ConvertRow| row.result.is_err() && input::is_repairable(&row.input, source);
    if source.strict && rows.iter().any(is_repairable) {
        let text = "some of these files can be repaired; try without --strict";
        let _ = writeln!(out, "{}", dim(text));
    }
    out
}

fn about(done: &ConvertedFile) -> String {
    let outputs = done.outputs.iter();
    let outputs: Vec<String> = outputs
        .map(|path| plain_text(&path.display().to_string()))
        .collect();
    let fps = done
        .fps
        .map_or(String::new(), |fps| format!(" at {} fps", round_fps(fps)));
    let warnings = match done.warnings.count() {
        0 => String::new(),
        warnings => format!(", {}", count(warnings, "warning")),
    };
    let skeletons = match done.skeletons {
        0 | 1 => String::new(),
        several => format!("{several} skeletons of up to "),
    };
    let packed = done.max_error.map_or(String::new(), |error| {
        let error = millimetres(f64::from(error));
        format!(", max error {error} (see `sinew compress`)")
    });
    format!(
        "→ {} {}",
        outputs.join(", "),
        dim(format!(
            "{skeletons}{}, {}{fps}, {:.2} s{warnings}{packed}",
            count(done.joints, "joint"),
            frames(done),
            done.seconds
        ))
    )
}

/// Formats the number of frames; motions without a frame rate have keys only.
fn frames(done: &ConvertedFile) -> String {
    match done.fps {
        Some(_) => count(done.frames, "frame"),
        None => "no frame rate".to_owned(),
    }
}

/// Rounds a frame rate for display.
pub(crate) fn round_fps(fps: f64) -> f64 {
    (fps * 1000.0).round() / 1000.0
}

fn to_json(rows: &[ConvertRow], left_out: &[PathBuf], seconds: f64) -> Value {
    let files = rows.iter().map(|row| {
        let input = row.input.display().to_string();
        match &row.result {
            Err(problem) => json!({ "input": input, "status": "failed", "error": problem }),
            Ok(done) => {
                let outputs = done.outputs.iter().map(|path| path.display().to_string());
                let outputs: Vec<String> = outputs.collect();
                if done.is_skipped {
                    return json!({ "input": input, "status": "skipped", "outputs": outputs });
                }
                json!({
                    "input": input,
                    "status": "converted",
                    "outputs": outputs,
                    "skeletons": done.skeletons,
                    "joints": done.joints,
                    "frames": done.frames,
                    "fps": done.fps,
                    "seconds": done.seconds,
                    "input_bytes": done.input_bytes,
                    "output_bytes": done.output_bytes,
                    "max_error": done.max_error,
                    "warnings": report::warnings_json(done.warnings.list()),
                    "losses": report::warnings_json(done.losses.list()),
                })
            }
        }
    });
    let totals = Totals::of(rows);
    json!({
        "version": report::JSON_VERSION,
        "files": files.collect::<Vec<_>>(),
        "converted": totals.converted,
        "skipped": totals.skipped,
        "failed": totals.failed,
        "left_out": left_out.iter().map(|path| path.display().to_string()).collect::<Vec<_>>(),
        "frames": totals.frames,
        "seconds": seconds,
    })
}
