//! `sinew blend`: blends of motions and transitions between them.

mod blend_report;
mod compare;
mod make;
mod weights;

use crate::Outcome;
use crate::args::{BlendArgs, OutFormat, TransitionArg};
use crate::commands::convert::convert_file::{add_contents, motion_only_reason};
use crate::commands::motion_output::MotionOutput;
use crate::commands::register::matching;
use crate::commands::slides::slide_rows;
use crate::error::CliError;
use crate::inputs::{self, InputMotion};
use crate::report;
use blend_report::BlendReport;
use make::{BlendKind, BlendResult};
use serde_json::json;
use sinew::registration::{Motion, RegistrationCurve, compare_skeletons};
use sinew_author::register::RegisterError;
use sinew_formats::curve;
use sinew_formats::{Format, Warnings, besides_joints, detect_file, pack};
use std::path::Path;

pub(crate) fn run(args: &BlendArgs) -> Result<Outcome, CliError> {
    check(args)?;
    let chosen = inputs::open(&args.inputs, &args.matching.animation, &args.source)?;
    let Some((first, others)) = chosen.split_first() else {
        return Ok(Outcome::Fine);
    };
    for other in others {
        compare_skeletons(&first.skeleton, &other.skeleton).map_err(|difference| {
            let error = RegisterError::Skeletons {
                first: first.name().to_owned(),
                second: other.name().to_owned(),
                difference,
            };
            matching::unusable(&chosen, &error)
        })?;
    }
    let kind = match (&args.weights, args.transition) {
        (Some(path), _) => BlendKind::Weights(weights::read(path, chosen.len())?),
        (None, Some(transition)) => BlendKind::Transition(transition),
        (None, None) => BlendKind::Weights(weights::constant(&args.weight, chosen.len())?),
    };
    if let (
        BlendKind::Transition(TransitionArg {
            start: Some(start), ..
        }),
        Some(first),
    ) = (&kind, chosen.first())
    {
        check_start(*start, first)?;
    }
    let wants_curve = !(args.no_register || args.baseline_crossfade) || args.compare.is_some();
    let curve = match (&args.curve, wants_curve) {
        (Some(path), _) => Ok(Some(read(path, &chosen)?)),
        (None, true) => find_curve(args, &chosen, &kind)?.map(Some),
        (None, false) => Ok(None),
    };
    let (curve, note) = match (curve, &kind) {
        (Ok(curve), _) => (curve, None),
        (Err(error), BlendKind::Transition(_)) => (None, Some(error)),
        (Err(error), BlendKind::Weights(_)) => {
            report_no_match(&error, args)?;
            return Ok(Outcome::CheckFailed);
        }
    };
    let blend = blend_motions(args, &chosen, &kind, curve.as_ref())?;
    let note = match (note, &kind) {
        (Some(error), _) => Some(format!("{error}, so the transition is inertialized")),
        (None, BlendKind::Transition(request)) => blend.start_notice(request),
        (None, BlendKind::Weights(_)) => None,
    };
    finish(
        args,
        &chosen,
        &kind,
        (curve.as_ref(), blend),
        note.as_deref(),
    )?;
    Ok(Outcome::Fine)
}

/// Rejects a transition that starts after the end of the first motion.
fn check_start(start: f64, first: &InputMotion) -> Result<(), CliError> {
    let length = f64::from(first.animation.length);
    if start <= length {
        return Ok(());
    }
    let name = report::plain_text(first.name());
    Err(CliError::Unusable {
        path: "--transition".to_owned(),
        problem: format!("starts at {start} s, but {name} is {length:.2} s long"),
    })
}

/// Rejects outputs that cannot be written, before reading any input.
fn check(args: &BlendArgs) -> Result<(), CliError> {
    if let Some(out) = &args.out {
        MotionOutput::of(out)?;
        inputs::check_not_input(out, &args.inputs, "--out")?;
    }
    if let Some(compare) = &args.compare {
        if !matches!(MotionOutput::of(compare), Ok(MotionOutput::Picture)) {
            return Err(CliError::unusable(
                compare,
                "expected a file name ending in .png",
            ));
        }
        inputs::check_not_input(compare, &args.inputs, "--compare")?;
        if args.out.as_ref() == Some(compare) {
            return Err(CliError::unusable(
                compare,
                "--out and --compare are the same file",
            ));
        }
    }
    Ok(())
}

/// Registers motions; a failed match is not an error yet.
fn find_curve(
    args: &BlendArgs,
    chosen: &[InputMotion],
    kind: &BlendKind,
) -> Result<Result<RegistrationCurve, RegisterError>, CliError> {
    let settings = matching::settings(&args.matching, chosen)?;
    match make::register_for(chosen, kind, &settings, args.matching.mode.is_some()) {
        Err(error) if !matches!(error, RegisterError::NoMatch { .. }) => {
            Err(matching::unusable(chosen, &error))
        }
        found => Ok(found),
    }
}

/// Reads a stored curve and checks that it fits these motions.
fn read(path: &Path, chosen: &[InputMotion]) -> Result<RegistrationCurve, CliError> {
    let curve = match detect_file(path) {
        Ok(Some(Format::Sinew)) => packed(path, chosen)?,
        _ => curve::read(path).map_err(|error| CliError::unusable(path, error.source))?,
    };
    if curve.len() != chosen.len() {
        let problem = format!(
            "is a curve of {} motions, but {} are given",
            curve.len(),
            chosen.len()
        );
        return Err(CliError::unusable(path, problem));
    }
    let motions: Vec<Motion<'_>> = chosen.iter().map(InputMotion::motion).collect();
    let is_other = |problem: String| {
        let advice = "register these motions with `sinew register --out`";
        CliError::unusable(
            path,
            format!("is a curve of other motions: {problem}; {advice}"),
        )
    };
    curve
        .check_motions(&motions)
        .map_err(|other| is_other(report::plain_text(&other.to_string())))?;
    // Curves that were not created by registration have no fingerprints.
    for (motion, input) in chosen.iter().enumerate() {
        let (end, length) = (curve.time(motion, 1.0), f64::from(input.animation.length));
        if curve.fingerprint(motion).is_none() && !curve.is_cyclic() && end > length + 0.1 {
            let name = report::plain_text(input.name());
            let problem = format!("it ends at {end:.2} s of {name}, which is {length:.2} s long");
            return Err(is_other(problem));
        }
    }
    Ok(curve)
}

/// Returns the curve of a packed file for motions of these names, or its only curve.
fn packed(path: &Path, chosen: &[InputMotion]) -> Result<RegistrationCurve, CliError> {
    let mut curves = pack::read(path)?.curves;
    let is_of = |curve: &RegistrationCurve| {
        let mut named = chosen.iter().enumerate();
        curve.len() == chosen.len()
            && named.all(|(motion, input)| curve.name(motion) == input.name())
    };
    let found = match curves.iter().position(is_of) {
        None if curves.len() == 1 => Some(0),
        found => found,
    };
    match found {
        Some(index) => Ok(curves.swap_remove(index)),
        None => {
            let problem =
                "has no curve of these motions; create one with `sinew register --out X.sinew`";
            Err(CliError::unusable(path, problem))
        }
    }
}

fn blend_motions(
    args: &BlendArgs,
    chosen: &[InputMotion],
    kind: &BlendKind,
    curve: Option<&RegistrationCurve>,
) -> Result<BlendResult, CliError> {
    match (curve, kind) {
        _ if args.baseline_crossfade => make::blend_unregistered(chosen, kind, None),
        (Some(curve), _) if !args.no_register => make::blend_registered(chosen, kind, curve),
        (_, BlendKind::Weights(_)) => make::blend_unregistered(chosen, kind, None),
        (_, BlendKind::Transition(request)) => make::inertialize(chosen, request),
    }
}

/// Writes the result and reports it.
fn finish(
    args: &BlendArgs,
    chosen: &[InputMotion],
    kind: &BlendKind,
    (curve, mut blend): (Option<&RegistrationCurve>, BlendResult),
    note: Option<&str>,
) -> Result<(), CliError> {
    let Some(first) = chosen.first() else {
        return Ok(());
    };
    let skeleton = &first.skeleton;
    let mut columns = vec!["blended"];
    let mut slides = slide_rows(skeleton, &[(&blend.animation, &blend.plants)]);
    let mut written = Vec::new();
    if let Some(compare) = &args.compare {
        slides = compare::draw(compare, chosen, kind, (curve, &blend), args.dark)?;
        columns = vec!["naive", blend.method, "cleaned"];
        written.push(compare.as_path());
    }
    if !args.no_cleanup
        && let Some((clean, _)) = make::clean(chosen, &blend)?
    {
        if args.compare.is_none() {
            columns = vec!["blended", "cleaned"];
            let both = [
                (&blend.animation, &blend.plants[..]),
                (&clean, &blend.plants),
            ];
            slides = slide_rows(skeleton, &both);
        }
        blend.animation = clean;
    }
    let mut losses = vec![Warnings::default(); chosen.len()];
    if let Some(out) = &args.out {
        let source = first.gltf.as_ref();
        let form = MotionOutput::of(out)?;
        let of_first = form.write(out, source, skeleton, &blend.animation, &blend.plants)?;
        if let MotionOutput::Motion(to) = form {
            losses = list_losses(chosen, to, of_first);
            inputs::report_losses(chosen, &losses);
        }
        written.push(out);
    }
    let summary = BlendReport {
        inputs: chosen,
        curve: curve.filter(|_| !args.no_register && !args.baseline_crossfade),
        blend: &blend,
        note,
        columns: &columns,
        slides: &slides,
        written: &written,
        losses: &losses,
    };
    if args.json {
        report::print_json(&blend_report::json(&summary))?;
    } else {
        report::print(&blend_report::text(&summary))?;
    }
    Ok(())
}

/// Lists what a written blend loses of each motion: everything but joint motion, and meshes and other glTF contents of
/// all files but the first, whose skeleton and meshes the blend keeps. `of_first` is what the output loses of the first
/// file and of the blend itself.
fn list_losses(chosen: &[InputMotion], to: OutFormat, of_first: Warnings) -> Vec<Warnings> {
    let note = match to.is_gltf() {
        true => "a blend keeps those of its first motion".to_owned(),
        false => motion_only_reason(to),
    };
    let mut losses = vec![of_first];
    for source in inputs::gltf_files(chosen).into_iter().skip(1) {
        let mut lost = Warnings::default();
        if let Some(source) = source {
            add_contents(source, &note, &mut lost);
        }
        losses.push(lost);
    }
    for (input, lost) in chosen.iter().zip(&mut losses) {
        let place = format!("animation {:?}", report::plain_text(input.name()));
        // Like a packed file, a blend keeps only the joints of the skeleton.
        let lacking = sinew_formats::losses(Format::Sinew, &input.skeleton, &input.animation);
        lost.extend(&lacking);
        for (what, count) in besides_joints(&input.animation) {
            let problem = format!("{count}, but only joints are blended; not kept");
            lost.add(&place, what, problem);
        }
    }
    losses
}

fn report_no_match(error: &RegisterError, args: &BlendArgs) -> Result<(), CliError> {
    if args.json {
        let (nearest, threshold) = match error {
            RegisterError::NoMatch {
                nearest, threshold, ..
            } => (Some(nearest), *threshold),
            _ => (None, None),
        };
        report::print_json(&json!({
            "version": report::JSON_VERSION,
            "match": false,
            "reason": error.to_string(),
            "nearest": nearest,
            "threshold": threshold,
        }))?;
    } else {
        let text = matching::no_match(error);
        report::print(&format!("{text}, or --no-register\n"))?;
    }
    Ok(())
}
