//! Motion as JSON, for programs that would rather not read a motion format.
//!
//! ```text
//! { "format": "sinew-motion", "version": 1, "units": "metres", "up": "y",
//!   "joints": [ { "name", "parent": index or null, "position": [x, y, z], "rotation": [x, y, z, w],
//!                 "scale": [x, y, z], "tip": [x, y, z] or null } ],
//!   "animations": [ { "name", "length": seconds, "frame_rate": per second or null,
//!     "metadata": { … },
//!     "tracks": [ { "joint": name, "position": channel, "rotation": channel, "scale": channel } ] } ] }
//! channel = { "interpolation": "step" | "linear" | "cubic", "rate": keys per second | "times": [ … ],
//!             "values": [ [ … ] ], "in_tangents": [ [ … ] ], "out_tangents": [ [ … ] ] }
//! ```

use sinew::glam::{Quat, Vec3};
use sinew::{Animation, Channel, ChannelValue, Interpolation, KeyTimes, MetaValue, Skeleton};
use std::fmt::Write;

/// The version of the layout; it rises when a field changes its meaning or goes.
const VERSION: u32 = 1;

/// Writes a skeleton and motions as JSON: rest pose and keys in parents' frames, metres, seconds,
/// quaternions as x, y, z, w. Numbers are as short as tells them apart.
pub fn write_json(skeleton: &Skeleton, animations: &[Animation]) -> String {
    let mut out = format!(
        "{{\"format\":\"sinew-motion\",\"version\":{VERSION},\"units\":\"metres\",\"up\":\"y\",\n\"joints\":["
    );
    for (index, joint) in skeleton.joints().iter().enumerate() {
        out += if index == 0 { "\n" } else { ",\n" };
        let parent = joint
            .parent
            .map_or("null".to_owned(), |parent| parent.0.to_string());
        let _ = write!(
            out,
            "{{\"name\":{},\"parent\":{parent},\"position\":",
            quoted(&joint.name)
        );
        numbers(&mut out, &joint.rest.position.to_array());
        out += ",\"rotation\":";
        numbers(&mut out, &joint.rest.rotation.to_array());
        out += ",\"scale\":";
        numbers(&mut out, &joint.rest.scale.to_array());
        out += ",\"tip\":";
        match joint.tip {
            Some(tip) => numbers(&mut out, &tip.to_array()),
            None => out += "null",
        }
        out.push('}');
    }
    out += "],\n\"animations\":[";
    for (index, animation) in animations.iter().enumerate() {
        out += if index == 0 { "\n" } else { ",\n" };
        write_animation(&mut out, animation);
    }
    out += "]}\n";
    out
}

fn write_animation(out: &mut String, animation: &Animation) {
    let rate = animation.frame_rate.filter(|rate| rate.is_finite());
    let rate = rate.map_or("null".to_owned(), |rate| rate.to_string());
    let length = if animation.length.is_finite() {
        animation.length
    } else {
        0.0
    };
    let _ = write!(
        out,
        "{{\"name\":{},\"length\":{length},\"frame_rate\":{rate},\"metadata\":{{",
        quoted(&animation.name)
    );
    for (index, (name, value)) in animation.metadata.iter().enumerate() {
        let comma = if index == 0 { "" } else { "," };
        let value = match value {
            MetaValue::Text(text) => quoted(text),
            MetaValue::Number(number) if number.is_finite() => number.to_string(),
            MetaValue::Number(_) => "null".to_owned(),
            MetaValue::Flag(flag) => flag.to_string(),
        };
        let _ = write!(out, "{comma}{}:{value}", quoted(name));
    }
    out.push_str("},\"tracks\":[");
    for (index, track) in animation.tracks.iter().enumerate() {
        out.push_str(if index == 0 { "\n" } else { ",\n" });
        let _ = write!(out, "{{\"joint\":{}", quoted(&track.name));
        write_channel(out, "position", track.position.as_ref(), Vec3::to_array);
        write_channel(out, "rotation", track.rotation.as_ref(), |q: &Quat| {
            q.to_array()
        });
        write_channel(out, "scale", track.scale.as_ref(), Vec3::to_array);
        out.push('}');
    }
    out.push_str("]}");
}

fn write_channel<T: ChannelValue, const N: usize>(
    out: &mut String,
    name: &str,
    channel: Option<&Channel<T>>,
    parts: impl Fn(&T) -> [f32; N],
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
        ",\n \"{name}\":{{\"interpolation\":\"{interpolation}\","
    );
    write_times(out, channel.times());
    let lists = [
        ("values", channel.values()),
        ("in_tangents", channel.in_tangents()),
        ("out_tangents", channel.out_tangents()),
    ];
    for (name, list) in lists.iter().filter(|(_, list)| !list.is_empty()) {
        let _ = write!(out, ",\"{name}\":[");
        for (index, value) in list.iter().enumerate() {
            if index > 0 {
                out.push(',');
            }
            numbers(out, &parts(value));
        }
        out.push(']');
    }
    out.push('}');
}

fn write_times(out: &mut String, times: &KeyTimes) {
    match times.rate() {
        Some(rate) => {
            let _ = write!(out, "\"rate\":{rate}");
        }
        None => {
            out.push_str("\"times\":");
            let times: Vec<f32> = times.iter().collect();
            numbers(out, &times);
        }
    }
}

fn numbers(out: &mut String, numbers: &[f32]) {
    out.push('[');
    for (index, number) in numbers.iter().enumerate() {
        let comma = if index == 0 { "" } else { "," };
        let _ = write!(out, "{comma}{number}");
    }
    out.push(']');
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
