//! Writer of JSON motions.

use super::VERSION;
use super::number::{dense, list, number, text};
use crate::file::{FileError, WriteError, save_bytes};
use sinew::animation::{
    Channel, ChannelValue, ChannelWeights, Interpolation, KeyTimes, LoopMotion, MetaValue,
    TransformTrack, Trigger, Variant, VariantInterpolation, VariantTrack, VariantType,
};
use sinew::glam::Quat;
use sinew::math::GroundTransform;
use sinew::{Animation, Skeleton};
use std::fmt::Write;
use std::path::Path;

/// Writes a skeleton and animations as JSON: rest pose and keys in parent space, metres, seconds, quaternions as x,
/// y, z, w. Numbers have their shortest notation that round-trips. Evenly spaced keys are a list of values, others
/// are written one per line.
///
/// A length that is not finite is written as 0; a frame rate that is not positive and a loop motion that is not
/// finite are omitted.
///
/// Without a skeleton no joints are written: for animations that are edited or played on any skeleton.
pub fn write_bytes<'a>(
    skeleton: impl Into<Option<&'a Skeleton>>,
    animations: &[Animation],
) -> Vec<u8> {
    to_text(skeleton.into(), animations).into_bytes()
}

/// Writes a file; see [`write_bytes`].
///
/// # Errors
/// If the file cannot be written.
pub fn write<'a>(
    path: impl AsRef<Path>,
    skeleton: impl Into<Option<&'a Skeleton>>,
    animations: &[Animation],
) -> Result<(), FileError<WriteError>> {
    save_bytes(path.as_ref(), write_bytes(skeleton, animations))
}

/// Returns the text of a file; see [`write_bytes`].
pub(crate) fn to_text(skeleton: Option<&Skeleton>, animations: &[Animation]) -> String {
    let mut out = format!(
        "{{\n  \"format\": \"sinew-motion\",\n  \"version\": {VERSION},\n  \"units\": \"metres\",\n  \"up\": \"y\""
    );
    if let Some(skeleton) = skeleton {
        out += ",\n  \"joints\": [\n";
        write_joints(&mut out, skeleton);
        out += "\n  ]";
    }
    out += ",\n  \"animations\": [";
    for (index, animation) in animations.iter().enumerate() {
        out += if index == 0 { "\n" } else { ",\n" };
        write_animation(&mut out, animation);
    }
    out += if animations.is_empty() {
        "]\n}\n"
    } else {
        "\n  ]\n}\n"
    };
    out
}

fn write_joints(out: &mut String, skeleton: &Skeleton) {
    for (index, joint) in skeleton.joints().iter().enumerate() {
        *out += if index == 0 {
            "    {\"name\": "
        } else {
            ",\n    {\"name\": "
        };
        text(out, &joint.name);
        if let Some(parent) = joint.parent.and_then(|parent| skeleton.joint(parent)) {
            *out += ", \"parent\": ";
            text(out, &parent.name);
        }
        *out += ", \"position\": ";
        list(out, &joint.rest.position.to_array());
        *out += ", \"rotation\": ";
        list(out, &joint.rest.rotation.to_array());
        *out += ", \"scale\": ";
        list(out, &joint.rest.scale.to_array());
        if let Some(tip) = joint.tip {
            *out += ", \"tip\": ";
            list(out, &tip.to_array());
        }
        out.push('}');
    }
}

fn write_animation(out: &mut String, animation: &Animation) {
    *out += "    {\n      \"name\": ";
    text(out, &animation.name);
    *out += ",\n      \"length\": ";
    let is_finite = animation.length.is_finite();
    number(out, if is_finite { animation.length } else { 0.0 });
    if let Some(rate) = animation.frame_rate
        && rate > 0.0
        && rate.is_finite()
    {
        *out += ",\n      \"frame_rate\": ";
        number(out, rate);
    }
    if let Some(looping) = animation.looping.filter(LoopMotion::is_finite) {
        let GroundTransform { angle, x, z } = looping.per_cycle;
        *out += ",\n      \"looping\": {\"angle\": ";
        number(out, angle);
        *out += ", \"x\": ";
        number(out, x);
        *out += ", \"z\": ";
        number(out, z);
        let _ = write!(out, ", \"in_place\": {}}}", looping.in_place);
    }
    let metadata: Vec<_> = animation.metadata.iter().collect();
    if !metadata.is_empty() {
        *out += ",\n      \"metadata\": {";
        entries(out, &metadata, |out, (name, value)| {
            text(out, name);
            *out += ": ";
            match value {
                MetaValue::Text(value) => text(out, value),
                MetaValue::Number(value) => number(out, *value),
                MetaValue::Flag(flag) => *out += if *flag { "true" } else { "false" },
            }
        });
        out.push('}');
    }
    *out += ",\n      \"tracks\": [";
    entries(out, &animation.tracks, write_track);
    out.push(']');
    if !animation.variants.is_empty() {
        *out += ",\n      \"variants\": [";
        entries(out, &animation.variants, write_variant);
        out.push(']');
    }
    if !animation.triggers.is_empty() {
        *out += ",\n      \"triggers\": [";
        entries(out, &animation.triggers, write_trigger);
        out.push(']');
    }
    *out += "\n    }";
}

/// Writes entries of a list or object of an animation, each on its own line.
fn entries<T>(out: &mut String, entries: &[T], write: impl Fn(&mut String, &T)) {
    for (index, entry) in entries.iter().enumerate() {
        *out += if index == 0 {
            "\n        "
        } else {
            ",\n        "
        };
        write(out, entry);
    }
    if !entries.is_empty() {
        *out += "\n      ";
    }
}

fn write_track(out: &mut String, track: &TransformTrack) {
    *out += "{\"joint\": ";
    text(out, &track.name);
    write_weights(out, track.weights);
    write_channel(out, "position", track.position.as_ref(), |v| v.to_array());
    write_channel(out, "rotation", track.rotation.as_ref(), |q: Quat| {
        q.to_array()
    });
    write_channel(out, "scale", track.scale.as_ref(), |v| v.to_array());
    out.push('}');
}

fn write_weights(out: &mut String, weights: ChannelWeights) {
    if weights == ChannelWeights::default() {
        return;
    }
    *out += ", \"weights\": {";
    for (name, weight) in [
        ("\"position\": ", weights.position),
        (", \"rotation\": ", weights.rotation),
        (", \"scale\": ", weights.scale),
    ] {
        *out += name;
        number(out, weight);
    }
    out.push('}');
}

fn write_channel<T: ChannelValue, const N: usize>(
    out: &mut String,
    name: &str,
    channel: Option<&Channel<T>>,
    parts: impl Fn(T) -> [f32; N],
) {
    let Some(channel) = channel else {
        return;
    };
    let interpolation = match channel.interpolation() {
        Interpolation::Step => "step",
        Interpolation::Linear => "linear",
        Interpolation::Cubic => "cubic",
    };
    let _ = write!(
        out,
        ",\n          \"{name}\": {{\"interpolation\": \"{interpolation}\", "
    );
    let one = |out: &mut String, value: &T, is_dense: bool| {
        let numbers = parts(*value);
        if is_dense {
            dense(out, &numbers);
        } else {
            list(out, &numbers);
        }
    };
    let columns = Columns {
        values: channel.values(),
        into: channel.in_tangents(),
        out: channel.out_tangents(),
    };
    write_keys(out, channel.times(), &columns, one);
    out.push('}');
}

/// Values and tangents of keys; tangents are empty if there are none.
struct Columns<'a, V> {
    values: &'a [V],
    into: &'a [V],
    out: &'a [V],
}

/// Writes keys, one per line or evenly spaced. `one` writes a value, with or without spaces.
fn write_keys<V>(
    out: &mut String,
    times: &KeyTimes,
    columns: &Columns<'_, V>,
    one: impl Fn(&mut String, &V, bool),
) {
    if let Some(rate) = times.rate() {
        *out += "\"rate\": ";
        number(out, rate);
        for (name, column) in [
            ("values", columns.values),
            ("in_tangents", columns.into),
            ("out_tangents", columns.out),
        ] {
            if column.is_empty() {
                continue;
            }
            let _ = write!(out, ", \"{name}\": [");
            for (index, value) in column.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                one(out, value, true);
            }
            out.push(']');
        }
        return;
    }
    *out += "\"keys\": [";
    for (key, (time, value)) in times.iter().zip(columns.values).enumerate() {
        *out += if key == 0 {
            "\n            ["
        } else {
            ",\n            ["
        };
        number(out, time);
        *out += ", ";
        one(out, value, false);
        if let (Some(into), Some(leave)) = (columns.into.get(key), columns.out.get(key)) {
            *out += ", ";
            one(out, into, false);
            *out += ", ";
            one(out, leave, false);
        }
        out.push(']');
    }
    out.push(']');
}

fn write_variant(out: &mut String, track: &VariantTrack) {
    *out += "{\"name\": ";
    text(out, &track.name);
    let interpolation = match track.interpolation() {
        VariantInterpolation::None => "none",
        VariantInterpolation::Linear => "linear",
        VariantInterpolation::TensionSpline { .. } => "tension_spline",
        VariantInterpolation::TangentSpline => "tangent_spline",
    };
    let kind = track.kind();
    let _ = write!(
        out,
        ", \"type\": \"{kind}\", \"interpolation\": \"{interpolation}\", "
    );
    if let VariantInterpolation::TensionSpline { tension } = track.interpolation() {
        *out += "\"tension\": ";
        number(out, tension);
        *out += ", ";
    }
    if track.weight != 1.0 {
        *out += "\"weight\": ";
        number(out, track.weight);
        *out += ", ";
    }
    let (mut into, mut leave) = (Vec::new(), Vec::new());
    if track.interpolation() == VariantInterpolation::TangentSpline {
        for key in track.keys() {
            into.extend(key.in_tangent);
            leave.extend(key.out_tangent);
        }
    }
    let columns = Columns {
        values: track.values(),
        into: &into,
        out: &leave,
    };
    write_keys(out, track.times(), &columns, variant);
    out.push('}');
}

fn write_trigger(out: &mut String, trigger: &Trigger) {
    *out += "{\"time\": ";
    number(out, trigger.time);
    let kind = trigger.data.kind();
    let is_told = matches!(
        kind,
        VariantType::Bool
            | VariantType::Text
            | VariantType::Float
            | VariantType::Vec2
            | VariantType::Vec3
            | VariantType::Vec4
    );
    if !is_told {
        let _ = write!(out, ", \"type\": \"{kind}\"");
    }
    *out += ", \"data\": ";
    variant(out, &trigger.data, false);
    out.push('}');
}

fn variant(out: &mut String, value: &Variant, is_dense: bool) {
    if is_dense {
        variant_with(out, value, dense, dense);
    } else {
        variant_with(out, value, list, list);
    }
}

fn variant_with(
    out: &mut String,
    value: &Variant,
    singles: impl Fn(&mut String, &[f32]),
    wholes: impl Fn(&mut String, &[i32]),
) {
    match value {
        Variant::Bool(flag) => *out += if *flag { "true" } else { "false" },
        Variant::Int(value) => number(out, *value),
        Variant::Int64(value) => *out += &value.to_string(),
        Variant::Float(value) => number(out, *value),
        Variant::Double(value) => number(out, *value),
        Variant::Vec2(value) => singles(out, &value.to_array()),
        Variant::Vec3(value) => singles(out, &value.to_array()),
        Variant::Vec4(value) | Variant::Color(value) => singles(out, &value.to_array()),
        Variant::Quat(value) => singles(out, &value.to_array()),
        Variant::IVec2(value) => wholes(out, &value.to_array()),
        Variant::IVec3(value) => wholes(out, &value.to_array()),
        Variant::IntRect(value) => wholes(out, &value.to_array()),
        Variant::Text(value) => text(out, value),
    }
}
