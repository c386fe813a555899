//! `sinew share`: writes one page that plays files anywhere.

use super::page::page;
use super::shared_file::{ShareSettings, SharedFile, pack};
use crate::args::{ShareArgs, SourceArgs};
use crate::commands::compress::facts::{grouped, millimetres};
use crate::error::CliError;
use crate::inputs::check_not_input;
use crate::report::{self, bold, dim, plain_text};
use crate::{Outcome, input, output, pose_hashes};
use rayon::prelude::*;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// Width and height of the still picture.
const PICTURE: (u32, u32) = (480, 360);

/// The error bound of motions in the page of the demo, in metres.
const DEMO_MAX_ERROR: f32 = 1e-4;

pub(super) fn run(args: &ShareArgs) -> Result<Outcome, CliError> {
    let is_stdout = output::is_stdout(&args.out);
    if is_stdout && args.json {
        return Err(CliError::json_and_stdout());
    }
    // The two that are compared come first.
    let inputs: Vec<PathBuf> = args.compare.iter().chain(&args.files).cloned().collect();
    check(args, &inputs)?;
    let settings = ShareSettings {
        max_error: args.max_error,
        source: &args.source,
        picture: PICTURE,
    };
    let files = pack_all(&inputs, &settings)?;
    for file in &files {
        report::warnings(&file.path, &file.warnings);
        report::losses(&file.path, &file.losses);
    }
    let title = args.title.clone().unwrap_or_else(|| title(&files));
    let bytes = write(&args.out, &files, &title, !args.compare.is_empty())?;
    if args.json {
        let files: Vec<Value> = files.iter().map(file_json).collect();
        report::print_json(&json!({
            "version": report::JSON_VERSION,
            "file": args.out.display().to_string(),
            "bytes": bytes,
            "title": title,
            "files": files,
        }))?;
    } else {
        let text = text(&args.out, &files, bytes);
        if is_stdout {
            report::print_aside(&text);
        } else {
            report::print(&text)?;
        }
    }
    Ok(Outcome::Fine)
}

/// Writes the page of all samples, and returns its path and size.
pub(crate) fn write_demo_page(folder: &Path) -> Result<Option<(PathBuf, u64)>, CliError> {
    let names = std::iter::once(input::SAMPLE_NAME.to_owned()).chain(input::sample_motion_names());
    let inputs: Vec<PathBuf> = names.map(PathBuf::from).collect();
    let settings = ShareSettings {
        max_error: DEMO_MAX_ERROR,
        source: &SourceArgs::default(),
        picture: PICTURE,
    };
    let path = folder.join("demo.html");
    let bytes = write(
        &path,
        &pack_all(&inputs, &settings)?,
        "Sinew samples",
        false,
    )?;
    Ok(Some((path, bytes)))
}

/// Rejects arguments before any work.
fn check(args: &ShareArgs, inputs: &[PathBuf]) -> Result<(), CliError> {
    let out = &args.out;
    let ending = out.extension().unwrap_or_default().to_ascii_lowercase();
    if !output::is_stdout(out) && ending != "html" && ending != "htm" {
        return Err(CliError::unusable(
            out,
            "expected a file name ending in .html",
        ));
    }
    if let Some(folder) = inputs.iter().find(|input| input.is_dir()) {
        let problem = "is a folder; `sinew view` shows folders, a page takes files";
        return Err(CliError::unusable(folder, problem));
    }
    check_not_input(out, inputs, "--out")
}

fn pack_all(inputs: &[PathBuf], settings: &ShareSettings<'_>) -> Result<Vec<SharedFile>, CliError> {
    let files = inputs.par_iter().map(|path| pack(path, settings));
    files.collect()
}

fn write(
    out: &Path,
    files: &[SharedFile],
    title: &str,
    is_comparison: bool,
) -> Result<u64, CliError> {
    let page = page(files, title, is_comparison).map_err(CliError::write(out))?;
    output::write(out, page.as_bytes())?;
    Ok(page.len() as u64)
}

/// Returns the names of the files, without extensions.
fn title(files: &[SharedFile]) -> String {
    let names = files.iter().map(|file| {
        let stem = file.name.rsplit_once('.');
        stem.map_or(file.name.as_str(), |(stem, _)| stem)
    });
    let names: Vec<&str> = names.collect();
    match names.as_slice() {
        [first, second, rest @ ..] if rest.len() > 1 => {
            format!("{first}, {second} and {} more", rest.len())
        }
        names => names.join(", "),
    }
}

fn text(out: &Path, files: &[SharedFile], bytes: u64) -> String {
    let mut text = String::new();
    for file in files {
        let bound = file.max_error.map_or(String::new(), |bound| {
            format!(", max error {}", millimetres(f64::from(bound)))
        });
        let (before, size) = (
            grouped(file.input_bytes as u64),
            grouped(file.bytes.len() as u64),
        );
        let about = format!("{before} → {size} bytes{bound}");
        let path = plain_text(&file.path.display().to_string());
        text += &format!("{path} {}\n", dim(about));
    }
    let out = plain_text(&out.display().to_string());
    let about = format!(
        "{} bytes with the viewer; opens in any browser",
        grouped(bytes)
    );
    text + &format!("→ {} {}\n", bold(out), dim(about))
}

fn file_json(file: &SharedFile) -> Value {
    json!({
        "input": file.path.display().to_string(),
        "name": file.name,
        "input_bytes": file.input_bytes,
        "bytes": file.bytes.len(),
        "max_error": file.max_error,
        "animations": pose_hashes::json(&file.animations),
        "warnings": report::warnings_json(file.warnings.list()),
        "losses": report::warnings_json(file.losses.list()),
    })
}
