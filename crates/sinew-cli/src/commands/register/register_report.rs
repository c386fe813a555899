//! The report of a registration.

use super::matching::metres;
use crate::commands::compress::facts::table;
use crate::inputs::InputMotion;
use crate::report::{self, bold, count, dim, plain_text};
use serde_json::{Value, json};
use sinew::anatomy::LimbEnd;
use sinew::registration::{PlantMatch, RegistrationCurve};
use sinew::skeleton::Side;
use sinew_formats::Warnings;
use sinew_formats::curve::MARKER_COUNT;
use std::fmt::Write;
use std::path::Path;

/// Samples of the alignment angle.
const LOOKS: usize = 200;

/// The largest number of plants listed; the JSON lists all.
const PLANTS: usize = 12;

/// Returns the name of a limb end.
pub(crate) fn end_name(end: LimbEnd, side: Side) -> String {
    let side = match side {
        Side::Left => "left ",
        Side::Right => "right ",
        Side::Middle => "",
    };
    let end = match end {
        LimbEnd::Heel => "heel",
        LimbEnd::Ball => "ball",
        LimbEnd::Hand => "hand",
    };
    format!("{side}{end}")
}

/// Returns the start and end of a plant in a motion, in seconds.
pub(super) fn seconds(curve: &RegistrationCurve, motion: usize, plant: &PlantMatch) -> [f64; 2] {
    let span = plant.spans.get(motion).copied().unwrap_or_default();
    span.map(|position| curve.time(motion, position))
}

/// Returns the smallest and the largest alignment angle of a motion in degrees; the first is within half a turn.
pub(super) fn turns(curve: &RegistrationCurve, motion: usize) -> [f64; 2] {
    let whole = whole_turns(curve, motion);
    let angles = (0..=LOOKS).map(|look| {
        let angle = curve.alignment(motion, look as f64 / LOOKS as f64).angle;
        angle.to_degrees() - whole
    });
    angles.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], angle| {
        [low.min(angle), high.max(angle)]
    })
}

/// Returns the full turns at the start of an alignment, in degrees.
pub(super) fn whole_turns(curve: &RegistrationCurve, motion: usize) -> f64 {
    let first = curve.alignment(motion, 0.0).angle.to_degrees();
    (first / 360.0).round() * 360.0
}

/// Joins the names: `walk, jog and run`.
pub(super) fn names(chosen: &[InputMotion]) -> String {
    let names: Vec<String> = chosen
        .iter()
        .map(|input| plain_text(input.name()))
        .collect();
    match names.split_last() {
        Some((last, others)) if !others.is_empty() => format!("{} and {last}", others.join(", ")),
        _ => names.join(""),
    }
}

pub(super) fn text(chosen: &[InputMotion], curve: &RegistrationCurve, written: &[&Path]) -> String {
    let mut out = String::new();
    let head = match curve.is_cyclic() {
        true => format!("{} match over one cycle", names(chosen)),
        false => format!("{} match", names(chosen)),
    };
    let apart = format!("mean joint distance {}", metres(curve.distance()));
    let _ = writeln!(out, "{}: {apart}", bold(head));
    let reference = curve.reference();
    let reference_name = chosen.get(reference).map_or("", InputMotion::name);
    let rows = chosen.iter().enumerate().map(|(motion, input)| {
        let (from, to) = (curve.time(motion, 0.0), curve.time(motion, 1.0));
        let pace = length_of(curve, reference) / length_of(curve, motion).max(1e-9);
        let pace = match motion == reference {
            true => String::new(),
            false => format!("{pace:.2}x"),
        };
        [
            plain_text(input.name()),
            format!("{from:.2} s"),
            format!("{to:.2} s"),
            format!("{:.2} s of {:.2} s", to - from, input.animation.length),
            pace,
            match motion == reference {
                true => String::new(),
                false => turn(turns(curve, motion)),
            },
        ]
    });
    let rows: Vec<[String; 6]> = rows.collect();
    let on = format!("rotation onto {}", plain_text(reference_name));
    for line in table(["motion", "from", "to", "duration", "speed", &on], &rows) {
        let _ = writeln!(out, "{}", line.trim_end());
    }
    let plants = curve.plants();
    let stand = match plants.len() {
        0 => "no matching foot contacts".to_owned(),
        many => count(many, "matching foot contact"),
    };
    let _ = writeln!(out, "{}", bold(stand));
    for plant in plants.iter().take(PLANTS) {
        let spans = chosen.iter().enumerate().map(|(motion, input)| {
            let [from, to] = seconds(curve, motion, plant);
            format!("{} {from:.2} to {to:.2} s", plain_text(input.name()))
        });
        let spans: Vec<String> = spans.collect();
        let name = end_name(plant.end, plant.side);
        let _ = writeln!(out, "  {name:<10}  {}", spans.join("   "));
    }
    if plants.len() > PLANTS {
        let more = format!("  … and {} more; --json lists all", plants.len() - PLANTS);
        let _ = writeln!(out, "{}", dim(more));
    }
    for path in written {
        let _ = writeln!(out, "→ {}", plain_text(&path.display().to_string()));
    }
    out
}

/// Returns the seconds of a motion that a curve covers.
fn length_of(curve: &RegistrationCurve, motion: usize) -> f64 {
    curve.time(motion, 1.0) - curve.time(motion, 0.0)
}

/// Formats a range of angles.
fn turn([low, high]: [f64; 2]) -> String {
    let degrees = |angle: f64| {
        let text = format!("{angle:.1}");
        if text == "-0.0" {
            "0.0".to_owned()
        } else {
            text
        }
    };
    match high - low < 0.05 {
        true => format!("{}°", degrees(low)),
        false => format!("{} to {}°", degrees(low), degrees(high)),
    }
}

/// Returns the report; `losses` are what the output loses of each motion.
pub(super) fn json(
    chosen: &[InputMotion],
    losses: &[Warnings],
    curve: &RegistrationCurve,
) -> Value {
    let motions = chosen.iter().zip(losses).enumerate();
    let motions = motions.map(|(motion, (input, losses))| {
        json!({
            "file": input.path.display().to_string(),
            "name": input.name(),
            "length": input.animation.length,
            "from": curve.time(motion, 0.0),
            "to": curve.time(motion, 1.0),
            "speed": length_of(curve, curve.reference()) / length_of(curve, motion).max(1e-9),
            "turn_degrees": turns(curve, motion),
            "markers": curve.markers(motion, MARKER_COUNT),
            "warnings": report::warnings_json(input.warnings.list()),
            "losses": report::warnings_json(losses.list()),
        })
    });
    let plants = curve.plants().iter().map(|plant| {
        let spans = (0..curve.len()).map(|motion| seconds(curve, motion, plant));
        json!({
            "name": end_name(plant.end, plant.side),
            "joint": chosen
                .first()
                .and_then(|input| input.skeleton.joint(plant.joint))
                .map(|joint| &joint.name),
            "positions": plant.spans,
            "seconds": spans.collect::<Vec<_>>(),
        })
    });
    json!({
        "match": true,
        "cyclic": curve.is_cyclic(),
        "distance": curve.distance(),
        "reference": curve.reference(),
        "motions": motions.collect::<Vec<_>>(),
        "plants": plants.collect::<Vec<_>>(),
    })
}
