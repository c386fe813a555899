//! A playback as JSON, one line per frame: the playing animations, the fired triggers and the pose.
//!
//! ```json
//! { "format": "sinew-play-frames", "version": 1, "model": "hero.skf", "fps": 30, "seconds": 4,
//!   "bones": ["root", "hips"],
//!   "frames": [
//!     { "time": 0, "playing": [{ "name": "walk", "instance": 0, "layer": 0, "time": 0, "weight": 1, "target": 1 }],
//!       "triggers": [{ "animation": "walk", "instance": 0, "data": "left foot" }],
//!       "pose": [{ "position": [0, 0], "rotation": 0, "scale": [1, 1] }, …] }, …
//!   ] }
//! ```
//!
//! Poses are in the order of `bones` (`joints` in 3D), as local transforms from the controller, before IK and physics.
//! Rotations are radians in 2D, quaternions x, y, z, w in 3D. A frame lists the triggers since the previous frame,
//! including those at its own time.

use super::recording::{FramePose, Poser};
use super::runner::{FiredTrigger, Frame, Playback};
use super::targets::{PlayTargets, TargetBody};
use crate::error::CliError;
use crate::progress::Progress;
use serde_json::{Value, json};
use sinew::AnimationSet;
use sinew::animation::{Variant, VariantType};
use std::fmt::Write;

/// Writes the whole document.
pub(crate) fn write(
    targets: &PlayTargets,
    poser: &mut Poser<'_>,
    playback: &Playback,
    model: &str,
    fps: f64,
) -> Result<String, CliError> {
    let kind = match targets.body {
        TargetBody::Character(_) => "bones",
        TargetBody::Skeleton(_) => "joints",
    };
    let mut text = String::from("{\n  \"format\": \"sinew-play-frames\",\n  \"version\": 1,\n");
    let names: Vec<&str> = targets.bones().collect();
    let seconds = playback.duration;
    for (field, value) in [
        ("model", json!(model)),
        ("fps", json!(fps)),
        ("seconds", json!(seconds)),
        (kind, json!(names)),
    ] {
        push(&mut text, format_args!("  \"{field}\": {value},\n"));
    }
    text.push_str("  \"frames\": [\n");
    let progress = Progress::new("posing", playback.frames.len());
    for (index, frame) in playback.frames.iter().enumerate() {
        let comma = if index == 0 { "" } else { ",\n" };
        push(
            &mut text,
            format_args!("{comma}    {{ \"time\": {}, ", json!(frame.time)),
        );
        playing(&mut text, targets.set(), frame);
        triggers(&mut text, targets.set(), &frame.triggers);
        pose(&mut text, &poser.pose(frame)?);
        text.push_str(" }");
        progress.add(1);
    }
    text.push_str("\n  ]\n}\n");
    Ok(text)
}

fn push(text: &mut String, what: std::fmt::Arguments<'_>) {
    // Writing to a string cannot fail.
    let _ = text.write_fmt(what);
}

fn playing(text: &mut String, set: &AnimationSet, frame: &Frame) {
    let list = frame.controller.application_order().map(|(_, playing)| {
        format!(
            "{{ \"name\": {}, \"instance\": {}, \"layer\": {}, \"time\": {}, \"weight\": {}, \"target\": {} }}",
            json!(set.name(playing.animation).unwrap_or_default()),
            playing.instance_index,
            playing.layer,
            number(playing.time.value()),
            number(playing.weight),
            number(playing.target_weight)
        )
    });
    let list: Vec<String> = list.collect();
    push(text, format_args!("\"playing\": [{}], ", list.join(", ")));
}

fn triggers(text: &mut String, set: &AnimationSet, fired: &[FiredTrigger]) {
    let list = fired.iter().map(|trigger| {
        format!(
            "{{ \"animation\": {}, \"instance\": {}, \"data\": {} }}",
            json!(set.name(trigger.animation).unwrap_or_default()),
            trigger.instance,
            data(&trigger.data)
        )
    });
    let list: Vec<String> = list.collect();
    push(text, format_args!("\"triggers\": [{}], ", list.join(", ")));
}

fn pose(text: &mut String, pose: &FramePose) {
    let transform_json = |position: &[f32], rotation: String, scale: &[f32]| {
        format!(
            "{{ \"position\": {}, \"rotation\": {rotation}, \"scale\": {} }}",
            list(position),
            list(scale)
        )
    };
    let parts: Vec<String> = match pose {
        FramePose::Joints(joints) => {
            let joint = |transform: &sinew::Transform| {
                let rotation = list(&transform.rotation.to_array());
                transform_json(
                    &transform.position.to_array(),
                    rotation,
                    &transform.scale.to_array(),
                )
            };
            joints.iter().map(joint).collect()
        }
        FramePose::Bones(bones) => {
            let bone = |state: &sinew::skelform::BoneState| {
                transform_json(
                    &state.position.to_array(),
                    number(state.rotation),
                    &state.scale.to_array(),
                )
            };
            bones.iter().map(bone).collect()
        }
    };
    push(text, format_args!("\"pose\": [{}]", parts.join(", ")));
}

/// Formats the shortest text that parses to the same number; non-finite values have no JSON number.
fn number(value: f32) -> String {
    if value.is_finite() {
        format!("{value}")
    } else {
        "null".to_owned()
    }
}

fn list(values: &[f32]) -> String {
    let values: Vec<String> = values.iter().map(|&value| number(value)).collect();
    format!("[{}]", values.join(", "))
}

/// Converts trigger data: directly if JSON has the type, otherwise as numbers.
fn data(value: &Variant) -> Value {
    match value {
        Variant::Text(text) => json!(text.as_ref()),
        Variant::Bool(flag) => json!(flag),
        Variant::Int64(number) => json!(number),
        other => {
            let numbers = other.numbers();
            match other.kind() {
                VariantType::Int => json!(numbers[0] as i64),
                VariantType::Float | VariantType::Double => json!(numbers[0]),
                kind => json!(&numbers[..kind.width().min(numbers.len())]),
            }
        }
    }
}
