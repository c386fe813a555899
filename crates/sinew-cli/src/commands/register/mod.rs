//! `sinew register`: which moments of motions correspond.

pub(crate) mod matching;
mod picture;
mod told;

pub(crate) use told::end_name;

use crate::Outcome;
use crate::args::{OutFormat, RegisterArgs};
use crate::commands::compress::{pack_of, picture as pages};
use crate::commands::convert::one::{add_contents, encode, holds_motion_alone};
use crate::error::CliError;
use crate::several::{self, Chosen};
use crate::{output, report};
use serde_json::json;
use sinew::Animation;
use sinew::compress::CompressSettings;
use sinew::register::{Motion, RegisterError, RegistrationCurve, register};
use sinew_formats::gltf::GltfWriteSettings;
use sinew_formats::json::{CURVE_MARKERS, write_curve};
use sinew_formats::{Warnings, pack};
use std::path::Path;

pub(crate) fn run(args: &RegisterArgs) -> Result<Outcome, CliError> {
    let is_stdout = args.out.as_deref().is_some_and(output::is_stdout);
    if is_stdout && args.json {
        return Err(CliError::json_and_stdout());
    }
    if let Some(out) = &args.out {
        out_format(out)?;
        several::check_not_input(out, &args.inputs, "--out")?;
    }
    if let Some(plot) = &args.plot {
        pages::check(plot)?;
        several::check_not_input(plot, &args.inputs, "--plot")?;
    }
    let chosen = several::open(&args.inputs, &args.matching.animation, &args.source)?;
    let motions: Vec<Motion<'_>> = chosen.iter().map(Chosen::motion).collect();
    let settings = matching::settings(&args.matching, &chosen)?;
    let curve = match register(&motions, &settings) {
        Ok(curve) => curve,
        Err(error @ RegisterError::NoMatch { .. }) => {
            say_no_match(&error, args)?;
            return Ok(Outcome::CheckFailed);
        }
        Err(error) => return Err(matching::unusable(&chosen, &error)),
    };
    let mut written = Vec::new();
    if let Some(out) = &args.out {
        write(out, &chosen, &curve)?;
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
        let mut json = told::json(&chosen, &curve);
        json["version"] = json!(report::JSON_VERSION);
        json["files"] = files.collect();
        report::print_json(&json)?;
    } else if !is_stdout {
        report::print(&told::text(&chosen, &curve, &written))?;
    }
    Ok(Outcome::Fine)
}

fn say_no_match(error: &RegisterError, args: &RegisterArgs) -> Result<(), CliError> {
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
        // Standard output is for the curve, and there is none.
        report::print_aside(&format!("{}\n", matching::no_match(error)));
    } else {
        report::print(&format!("{}\n", matching::no_match(error)))?;
    }
    Ok(())
}

/// Which of the forms of a result a file is of; standard output takes the curve.
fn out_format(path: &Path) -> Result<OutFormat, CliError> {
    if output::is_stdout(path) {
        return Ok(OutFormat::Json);
    }
    match OutFormat::from_ending(path) {
        Some(format) if format != OutFormat::Bvh => Ok(format),
        _ => Err(CliError::unusable(
            path,
            "expected a name that ends in .json for the curve, or in .glb, .gltf or .sinew for the motions with it",
        )),
    }
}

fn write(path: &Path, chosen: &[Chosen], curve: &RegistrationCurve) -> Result<(), CliError> {
    let format = out_format(path)?;
    if format == OutFormat::Json {
        return output::write(path, write_curve(curve).as_bytes());
    }
    let Some(first) = chosen.first() else {
        return Ok(());
    };
    // Skeletons are built alike; bones of the first one's lengths carry all motions.
    let animations: Vec<Animation> = chosen.iter().map(|own| own.animation.clone()).collect();
    if format == OutFormat::Sinew {
        let mut pack = pack_of(&first.skeleton, &animations, &CompressSettings::default())
            .map_err(|error| CliError::unusable(path, error))?;
        pack.curves.push(curve.clone());
        let bytes = pack::write_bytes(&pack).map_err(|error| CliError::unusable(path, error))?;
        output::write(path, &bytes)?;
        list_contents(path, chosen, &holds_motion_alone(format));
        return Ok(());
    }
    let markers = (0..curve.len()).map(|motion| curve.markers(motion, CURVE_MARKERS));
    let settings = GltfWriteSettings {
        sync_markers: markers.collect(),
        ..GltfWriteSettings::default()
    };
    let bytes = encode(&[(&first.skeleton, &animations)], path, format, &settings)?;
    output::write(path, &bytes)?;
    list_contents(
        path,
        chosen,
        "motions and their sync markers alone are written",
    );
    Ok(())
}

/// Warns of meshes and the like of the inputs, which are not in the output.
fn list_contents(path: &Path, chosen: &[Chosen], why: &str) {
    let mut losses = Warnings::default();
    if let Some(source) = chosen.first().and_then(|first| first.gltf.as_ref()) {
        add_contents(source, why, &mut losses);
    }
    report::warning_list(path, losses.list(), losses.count(), "not listed");
}
