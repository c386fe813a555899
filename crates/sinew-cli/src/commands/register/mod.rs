//! `sinew register`: finds corresponding times of motions.

pub(crate) mod matching;
mod picture;
mod register_report;

pub(crate) use register_report::end_name;

use crate::Outcome;
use crate::args::{OutFormat, RegisterArgs};
use crate::commands::compress::{pack_of, picture as pages};
use crate::commands::convert::convert_file::{add_contents, encode, motion_only_reason};
use crate::commands::convert::find::OutputFormat;
use crate::error::CliError;
use crate::inputs::{self, InputMotion};
use crate::{output, report};
use serde_json::json;
use sinew::Animation;
use sinew::registration::{Motion, RegistrationCurve};
use sinew_author::compress::CompressSettings;
use sinew_author::register::{RegisterError, register};
use sinew_formats::curve::{self, MARKER_COUNT};
use sinew_formats::gltf::GltfWriteSettings;
use sinew_formats::{Warnings, pack};
use std::path::Path;

pub(crate) fn run(args: &RegisterArgs) -> Result<Outcome, CliError> {
    let is_stdout = args.out.as_deref().is_some_and(output::is_stdout);
    if is_stdout && args.json {
        return Err(CliError::json_and_stdout());
    }
    if let Some(out) = &args.out {
        out_format(out)?;
        inputs::check_not_input(out, &args.inputs, "--out")?;
    }
    if let Some(plot) = &args.plot {
        pages::check(plot)?;
        inputs::check_not_input(plot, &args.inputs, "--plot")?;
    }
    let chosen = inputs::open(&args.inputs, &args.matching.animation, &args.source)?;
    let motions: Vec<Motion<'_>> = chosen.iter().map(InputMotion::motion).collect();
    let settings = matching::settings(&args.matching, &chosen)?;
    let curve = match register(&motions, &settings) {
        Ok(curve) => curve,
        Err(error @ RegisterError::NoMatch { .. }) => {
            report_no_match(&error, args)?;
            return Ok(Outcome::CheckFailed);
        }
        Err(error) => return Err(matching::unusable(&chosen, &error)),
    };
    let mut written = Vec::new();
    let mut losses = vec![Warnings::default(); chosen.len()];
    if let Some(out) = &args.out {
        losses = write(out, &chosen, &curve)?;
        inputs::report_losses(&chosen, &losses);
        written.push(out.as_path());
    }
    if let Some(plot) = &args.plot {
        let page = picture::page(&chosen, &curve, &settings)
            .map_err(|error| matching::unusable(&chosen, &error))?;
        picture::write(&page, plot, args.dark)?;
        written.push(plot);
    }
    if args.json {
        let files = written.iter().map(|path| path.display().to_string());
        let mut json = register_report::json(&chosen, &losses, &curve);
        json["version"] = json!(report::JSON_VERSION);
        json["files"] = files.collect();
        report::print_json(&json)?;
    } else if !is_stdout {
        report::print(&register_report::text(&chosen, &curve, &written))?;
    }
    Ok(Outcome::Fine)
}

fn report_no_match(error: &RegisterError, args: &RegisterArgs) -> Result<(), CliError> {
    if args.json {
        let RegisterError::NoMatch {
            reason,
            nearest,
            threshold,
            ..
        } = error
        else {
            return Ok(());
        };
        report::print_json(&json!({
            "version": report::JSON_VERSION,
            "match": false,
            "reason": reason,
            "nearest": nearest,
            "threshold": threshold,
        }))?;
    } else if args.out.as_deref().is_some_and(output::is_stdout) {
        // Standard output is reserved for the curve.
        report::print_aside(&format!("{}\n", matching::no_match(error)));
    } else {
        report::print(&format!("{}\n", matching::no_match(error)))?;
    }
    Ok(())
}

/// Returns the output format of a file; the curve for standard output.
fn out_format(path: &Path) -> Result<OutFormat, CliError> {
    if output::is_stdout(path) {
        return Ok(OutFormat::Json);
    }
    match OutFormat::from_ending(path) {
        Some(format) if format != OutFormat::Bvh => Ok(format),
        _ => Err(CliError::unusable(
            path,
            "expected a file name ending in .json for the curve, or in .glb, .gltf or .sinew for the motions with it",
        )),
    }
}

/// Writes the curve, or the motions with it. Returns what the output loses of each motion; a curve file loses nothing.
fn write(
    path: &Path,
    chosen: &[InputMotion],
    curve: &RegistrationCurve,
) -> Result<Vec<Warnings>, CliError> {
    let format = out_format(path)?;
    let first = match chosen.first() {
        Some(first) if format != OutFormat::Json => first,
        _ => {
            output::write(path, &curve::write_bytes(curve))?;
            return Ok(vec![Warnings::default(); chosen.len()]);
        }
    };
    // The skeletons have the same structure; the bone lengths of the first are used for all motions.
    let skeleton = &first.skeleton;
    let animations: Vec<Animation> = chosen.iter().map(|input| input.animation.clone()).collect();
    let (bytes, why) = if format == OutFormat::Sinew {
        let mut pack = pack_of(skeleton, &animations, &CompressSettings::default())
            .map_err(|error| CliError::unusable(path, error))?;
        pack.curves.push(curve.clone());
        let bytes = pack::write_bytes(&pack).map_err(|error| CliError::unusable(path, error))?;
        (bytes, motion_only_reason(format))
    } else {
        let markers = (0..curve.len()).map(|motion| curve.markers(motion, MARKER_COUNT));
        let settings = GltfWriteSettings {
            sync_markers: markers.collect(),
            ..GltfWriteSettings::default()
        };
        let bytes = encode(&[(skeleton, &animations)], path, format, &settings)?;
        let why = "only motions and sync markers are written";
        (bytes, why.to_owned())
    };
    output::write(path, &bytes)?;
    let with_sources = animations.iter().zip(inputs::gltf_files(chosen));
    let losses = with_sources.map(|(animation, source)| {
        let mut lost = sinew_formats::losses(format.format(), skeleton, animation);
        if let Some(source) = source {
            add_contents(source, &why, &mut lost);
        }
        lost
    });
    Ok(losses.collect())
}
