//! `sinew retarget`: plays motions on another skeleton or on a 2D character, in batches.

mod character;
mod compare;
mod figure;
mod retarget_file;
mod retarget_report;
mod roles;
mod target;

use crate::Outcome;
use crate::args::{OutFormat, RetargetArgs};
use crate::commands::convert::convert_file::Claims;
use crate::commands::convert::find::{self, OutputFormat, Plan, PlanRequest};
use crate::commands::convert::remove_leftovers;
use crate::commands::motion_output::MotionOutput;
use crate::error::CliError;
use crate::progress::Progress;
use crate::resume::Records;
use crate::{inputs, output, report, threads};
use rayon::prelude::*;
use retarget_file::{RetargetedFile, Retargeting};
use std::path::{Path, PathBuf};
use std::time::Instant;
use target::Target;

/// The format of an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RetargetFormat {
    Motion(OutFormat),
    /// A SkelForm character.
    Character,
}

impl OutputFormat for RetargetFormat {
    const EXPECTED: &'static str =
        "expected a format: bvh, glb, gltf, json or sinew, or --out FILE with such an extension";

    fn ending(self) -> &'static str {
        match self {
            Self::Motion(format) => format.ending(),
            Self::Character => "skf",
        }
    }

    fn from_ending(path: &Path) -> Option<Self> {
        let is_character = path
            .extension()
            .is_some_and(|ending| ending.eq_ignore_ascii_case("skf"));
        if is_character {
            return Some(Self::Character);
        }
        OutFormat::from_ending(path).map(Self::Motion)
    }
}

/// The result of an input.
struct RetargetRow {
    input: PathBuf,
    result: Result<RetargetedFile, String>,
}

pub(crate) fn run(args: &RetargetArgs) -> Result<Outcome, CliError> {
    let started = Instant::now();
    check(args)?;
    let target = Target::open(args)?;
    if let Some(path) = &args.save_map {
        target.save_map(path)?;
    }
    let retargeting = Retargeting::new(args, &target)?;
    let rows = match drawing(args)? {
        Some(drawing) => vec![draw_single(args, &retargeting, drawing)?],
        None => retarget_all(args, &retargeting)?,
    };
    let is_stdout = args.out.as_deref().is_some_and(output::is_stdout);
    let seconds = started.elapsed().as_secs_f64();
    if args.json {
        report::print_json(&retarget_report::json(&rows, &target, args, seconds))?;
    } else {
        let text = retarget_report::text(&rows, &target, args, seconds);
        if is_stdout {
            report::print_aside(&text);
        } else {
            report::print(&text)?;
        }
    }
    Ok(outcome(&rows))
}

/// An error outweighs a refusal.
fn outcome(rows: &[RetargetRow]) -> Outcome {
    let is_refused = |row: &RetargetRow| row.result.as_ref().is_ok_and(RetargetedFile::is_refused);
    if rows.iter().any(|row| row.result.is_err()) {
        Outcome::PartlyFailed
    } else if rows.iter().any(is_refused) {
        Outcome::CheckFailed
    } else {
        Outcome::Fine
    }
}

/// Rejects arguments that exclude each other.
fn check(args: &RetargetArgs) -> Result<(), CliError> {
    let usage = |option: &str, problem: &str| {
        Err(CliError::Unusable {
            path: option.to_owned(),
            problem: problem.to_owned(),
        })
    };
    if args.ik.len() > 1 && args.ik.contains(&crate::args::IkPart::None) {
        return usage("--ik", "none cannot be combined with other parts");
    }
    if args.json && args.out.as_deref().is_some_and(output::is_stdout) {
        return Err(CliError::json_and_stdout());
    }
    if args.compare.is_some() && (args.inputs.len() > 1 || args.inputs.iter().any(|i| i.is_dir())) {
        return usage("--compare", "takes a single input");
    }
    for (option, path) in [("--compare", &args.compare), ("--save-map", &args.save_map)] {
        if let Some(path) = path {
            let mut read = args.inputs.clone();
            read.push(args.onto.clone());
            inputs::check_not_input(path, &read, option)?;
        }
    }
    Ok(())
}

/// Returns the form of the picture that `--out` asks for; `None` for a motion file or a folder.
fn drawing(args: &RetargetArgs) -> Result<Option<MotionOutput>, CliError> {
    let Some(out) = args.out.as_deref() else {
        return Ok(None);
    };
    if out.is_dir() {
        return Ok(None);
    }
    match MotionOutput::of(out) {
        Ok(form @ (MotionOutput::Gif | MotionOutput::Picture)) => {
            if args.inputs.len() > 1 || args.inputs.iter().any(|input| input.is_dir()) {
                let problem = "a picture shows a single input; use a folder for several";
                return Err(CliError::unusable(out, problem));
            }
            inputs::check_not_input(out, &args.inputs, "--out")?;
            Ok(Some(form))
        }
        _ => Ok(None),
    }
}

/// Retargets the first motion of the only input and draws it.
fn draw_single(
    args: &RetargetArgs,
    retargeting: &Retargeting<'_>,
    form: MotionOutput,
) -> Result<RetargetRow, CliError> {
    let (Some(input), Some(out)) = (args.inputs.first(), args.out.as_deref()) else {
        return Err(CliError::unusable(&args.onto, "no input was given"));
    };
    let mut file = retargeting.retarget_file(input)?;
    if !file.is_refused() {
        retargeting.draw(&file, out, form)?;
        file.outputs.push(out.to_owned());
    }
    retargeting.compare(&file)?;
    Ok(RetargetRow {
        input: input.clone(),
        result: Ok(file),
    })
}

/// Retargets all inputs in parallel; a file that fails does not stop the others.
fn retarget_all(
    args: &RetargetArgs,
    retargeting: &Retargeting<'_>,
) -> Result<Vec<RetargetRow>, CliError> {
    let plan = find::plan(&PlanRequest {
        inputs: &args.inputs,
        to: Some(retargeting.target.format(args)?),
        out: args.out.as_deref(),
        may_gather: true,
        packed: false,
    })?;
    if args.batch.resume {
        if plan.combined.is_some() || args.out.is_none() {
            let problem = "needs a folder as --out";
            return Err(CliError::Unusable {
                path: "--resume".to_owned(),
                problem: problem.to_owned(),
            });
        }
        remove_leftovers(&plan);
    }
    let others = [&args.onto]
        .into_iter()
        .chain(&args.map)
        .chain(&args.source_map);
    let others = others.chain(&args.source.skeleton).chain(&args.source.asf);
    let claims = Claims::new(&plan.jobs, others, args.force);
    let records = Records::new(args.batch.resume, plan.jobs.len());
    let progress = Progress::new("retargeting", plan.jobs.len());
    let writes = args.out.is_some();
    let is_combined = plan.combined.is_some();
    let work = || -> Vec<RetargetRow> {
        let jobs = plan.jobs.par_iter().enumerate().map(|(index, job)| {
            let result = if writes && !is_combined {
                retargeting.convert(index, job, plan.to, &claims, &records)
            } else {
                retargeting.retarget_file(&job.input)
            };
            progress.add(1);
            RetargetRow {
                input: job.input.clone(),
                result: result.map_err(|error| error.to_string()),
            }
        });
        jobs.collect()
    };
    let mut rows = threads::with_jobs(args.batch.jobs, work);
    if let (Some(out), true) = (&plan.combined, writes) {
        write_combined(&mut rows, &plan, out, retargeting, &claims)?;
    }
    if let [row] = rows.as_slice()
        && let Ok(file) = &row.result
    {
        retargeting.compare(file)?;
    }
    rows.extend(plan.missing.iter().map(|(input, problem)| RetargetRow {
        input: input.clone(),
        result: Err(format!("{}: {problem}", input.display())),
    }));
    Ok(rows)
}

/// Writes the results of all inputs to one file, unless one of them failed or was refused.
fn write_combined(
    rows: &mut [RetargetRow],
    plan: &Plan<RetargetFormat>,
    out: &Path,
    retargeting: &Retargeting<'_>,
    claims: &Claims,
) -> Result<(), CliError> {
    let is_good = |row: &RetargetRow| row.result.as_ref().is_ok_and(|file| !file.is_refused());
    if !rows.iter().all(is_good) {
        return Ok(());
    }
    // All jobs have the same output, which belongs to the last of them.
    claims.claim(out, plan.jobs.len().saturating_sub(1))?;
    let files = rows.iter().filter_map(|row| row.result.as_ref().ok());
    let files: Vec<&RetargetedFile> = files.collect();
    let (bytes, losses) = retargeting.encode(&files, plan.to, out)?;
    output::write(out, &bytes)?;
    if let Some(Ok(first)) = rows.first_mut().map(|row| row.result.as_mut()) {
        first.losses.extend(&losses);
    }
    for row in rows.iter_mut() {
        if let Ok(file) = &mut row.result {
            file.outputs.push(out.to_owned());
        }
    }
    Ok(())
}
