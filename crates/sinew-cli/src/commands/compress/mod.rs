//! `sinew compress`: compresses motions within an error bound, in batches.

pub(crate) mod compress_file;
mod compress_report;
pub(crate) mod facts;
mod gather;
pub(crate) mod picture;

use crate::Outcome;
use crate::args::{CompressArgs, OutFormat};
use crate::commands::convert::convert_file::with_motion_name;
use crate::commands::convert::find::{self, OutputFormat, Plan, PlanRequest};
use crate::commands::convert::remove_leftovers;
use crate::error::CliError;
use crate::progress::Progress;
use crate::resume::Records;
use crate::{output, report, threads};
use compress_file::{CompressedFile, PackedFile};
use rayon::prelude::*;
use sinew::{Animation, Skeleton};
use sinew_author::compress::{CompressError, CompressSettings, compress};
use sinew_formats::pack::{Pack, PackEntry};
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

/// The result of an input.
struct CompressRow {
    input: PathBuf,
    result: Result<CompressedFile, String>,
}

/// The results of all inputs.
struct Results {
    rows: Vec<CompressRow>,
    /// The single output file of all inputs, and its size in bytes.
    combined: Option<(PathBuf, u64)>,
    /// The pictures drawn.
    pictures: Vec<PathBuf>,
    seconds: f64,
}

pub(crate) fn run(args: &CompressArgs) -> Result<Outcome, CliError> {
    let started = Instant::now();
    check_out(args)?;
    let plan = find::plan(&PlanRequest {
        inputs: &args.inputs,
        to: Some(OutFormat::Sinew),
        out: args.out.as_deref(),
        may_gather: true,
        packed: false,
    })?;
    check(&plan, args)?;
    if args.batch.resume {
        remove_leftovers(&plan);
    }
    let is_stdout = plan.jobs.iter().any(|job| output::is_stdout(&job.output));
    if is_stdout && args.json {
        return Err(CliError::json_and_stdout());
    }
    let mut results = threads::with_jobs(args.batch.jobs, || match &plan.combined {
        Some(out) => gather::compress_combined(&plan, out, args),
        None => compress_each(&plan, args),
    })?;
    results
        .rows
        .extend(plan.missing.iter().map(|(input, problem)| CompressRow {
            input: input.clone(),
            result: Err(format!("{}: {problem}", input.display())),
        }));
    results.seconds = started.elapsed().as_secs_f64();
    if args.json {
        report::print_json(&compress_report::json(&results, args))?;
    } else if is_stdout {
        report::print_aside(&compress_report::text(&results, args));
    } else {
        report::print(&compress_report::text(&results, args))?;
    }
    Ok(if results.rows.iter().all(|row| row.result.is_ok()) {
        Outcome::Fine
    } else {
        Outcome::PartlyFailed
    })
}

/// Rejects an output with the extension of another format.
fn check_out(args: &CompressArgs) -> Result<(), CliError> {
    let Some(out) = &args.out else {
        return Ok(());
    };
    let is_folder = out.is_dir() || out.to_string_lossy().ends_with(std::path::is_separator);
    match OutFormat::from_ending(out) {
        Some(format) if format != OutFormat::Sinew && !is_folder => {
            let ending = format.ending();
            let problem = format!(
                "expected a folder or a name that ends in .sinew; `sinew convert` writes .{ending}"
            );
            Err(CliError::unusable(out, problem))
        }
        _ => Ok(()),
    }
}

/// Rejects combinations that would lose data or make no sense.
fn check(plan: &Plan, args: &CompressArgs) -> Result<(), CliError> {
    let inputs: HashSet<PathBuf> = plan
        .jobs
        .iter()
        .map(|job| output::key(&job.input))
        .collect();
    let over = plan
        .jobs
        .iter()
        .find(|job| inputs.contains(&output::key(&job.output)));
    if let Some(job) = over {
        let problem = "would overwrite an input; choose another --out";
        return Err(CliError::unusable(&job.output, problem));
    }
    if let Some(out) = &plan.combined {
        output::check(out)?;
        if args.batch.resume {
            let problem = "--resume does not apply to one output of all inputs; use a folder";
            return Err(CliError::unusable(out, problem));
        }
    }
    if let Some(plot) = &args.plot {
        picture::check(plot)?;
        if plan.combined.is_some() || plan.jobs.len() + plan.missing.len() != 1 {
            let problem = "--plot takes a single input";
            return Err(CliError::unusable(plot, problem));
        }
        if inputs.contains(&output::key(plot)) {
            let problem = "would overwrite an input; choose another --plot";
            return Err(CliError::unusable(plot, problem));
        }
    }
    Ok(())
}

/// Compresses every file into its own output; a failed file does not stop the others.
fn compress_each(plan: &Plan, args: &CompressArgs) -> Result<Results, CliError> {
    let progress = Progress::new("compressing", plan.jobs.len());
    let drawn = std::sync::Mutex::new(Vec::new());
    let records = Records::new(args.batch.resume, plan.jobs.len());
    let rows = plan.jobs.par_iter().map(|job| {
        let look = |packed: &PackedFile| {
            let pictures = args
                .plot
                .as_deref()
                .map_or(Ok(Vec::new()), |plot| draw(plot, packed))?;
            drawn
                .lock()
                .unwrap_or_else(std::sync::PoisonError::into_inner)
                .extend(pictures);
            Ok(())
        };
        let result = compress_file::compress_file(job, args, &records, look);
        progress.add(1);
        CompressRow {
            input: job.input.clone(),
            result: result.map_err(|error| error.to_string()),
        }
    });
    Ok(Results {
        rows: rows.collect(),
        combined: None,
        pictures: drawn
            .into_inner()
            .unwrap_or_else(std::sync::PoisonError::into_inner),
        seconds: 0.0,
    })
}

/// Draws a picture for every motion of a file; the names include the motion if there are several.
fn draw(plot: &Path, packed: &PackedFile) -> Result<Vec<PathBuf>, CliError> {
    let animations = &packed.file.animations;
    let names: Vec<&str> = animations
        .iter()
        .map(|animation| animation.name.as_str())
        .collect();
    let mut pictures = Vec::new();
    for (index, (animation, entry)) in animations.iter().zip(&packed.pack.animations).enumerate() {
        let path = match animations.len() {
            1 => plot.to_owned(),
            _ => with_motion_name(plot, index, &names),
        };
        let page = picture::page(&packed.file.skeleton, animation, &entry.animation)
            .map_err(|error| CliError::unusable(plot, error))?;
        picture::write(&page, &path)?;
        pictures.push(path);
    }
    Ok(pictures)
}

/// Packs the animations of a skeleton in parallel.
pub(crate) fn pack_of(
    skeleton: &Skeleton,
    animations: &[Animation],
    settings: &CompressSettings,
) -> Result<Pack, CompressError> {
    let packed = animations.par_iter().map(|animation| {
        let animation = compress(skeleton, animation, settings)?;
        Ok(PackEntry {
            skeleton: 0,
            animation,
        })
    });
    Ok(Pack {
        skeletons: vec![Arc::new(skeleton.clone())],
        animations: packed.collect::<Result<_, CompressError>>()?,
        ..Pack::default()
    })
}
