//! Motion as JSON, for programs that would rather not read a motion format.
//!
//! ```text
//! { "format": "sinew-motion", "version": 1, "units": "metres", "up": "y",
//!   "joints": [ { "name", "parent": index or null, "position": [x, y, z], "rotation": [x, y, z, w],
//!                 "scale": [x, y, z], "tip": [x, y, z] or null } ],
//!   "animations": [ { "name", "length": seconds, "frame_rate": per second or null,
//!     "metadata": { … },
//!     "tracks": [ { "joint": name, "position": channel, "rotation": channel, "scale": channel } ],
//!     "variants": [ { "name", "width": numbers per key, "interpolation", "rate" | "times",
//!                     "values": [ … ] } ] } ] }
//! channel = { "interpolation": "step" | "linear" | "cubic", "rate": keys per second | "times": [ … ],
//!             "values": [ [ … ] ], "in_tangents": [ [ … ] ], "out_tangents": [ [ … ] ] }
//! ```
//!
//! Variants are numbers that belong to no joint, such as the weights of shapes. Their values are one
//! list, key after key: `width` numbers for each, for a cubic three times as many (slopes in, values,
//! slopes out). Numbers that are not finite are `null`.

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
    out.push_str("],\"variants\":[");
    for (index, track) in animation.variants.iter().enumerate() {
        out.push_str(if index == 0 { "\n" } else { ",\n" });
        let _ = write!(
            out,
            "{{\"name\":{},\"width\":{},\"interpolation\":\"{}\",",
            quoted(&track.name),
            track.width,
            word(track.interpolation)
        );
        write_times(out, &track.times);
        out.push_str(",\"values\":");
        numbers(out, &track.values);
        out.push('}');
    }
    out.push_str("]}");
}

fn word(interpolation: Interpolation) -> &'static str {
    match interpolation {
        Interpolation::Step => "step",
        Interpolation::Linear => "linear",
        Interpolation::Cubic => "cubic",
    }
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
    let interpolation = word(channel.interpolation());
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
        let _ = if number.is_finite() {
            write!(out, "{comma}{number}")
        } else {
            write!(out, "{comma}null")
        };
    }
    out.push(']');
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};
    use sinew::{Joint, Transform, VariantTrack};

    fn variants(tracks: Vec<VariantTrack>) -> Value {
        let joint = Joint {
            name: "hips \"1\"".to_owned(),
            parent: None,
            rest: Transform::IDENTITY,
            tip: None,
        };
        let skeleton = Skeleton::new(vec![joint]).expect("it is one joint");
        let mut animation = Animation::new("smile", 1.0);
        animation.variants = tracks;
        let text = write_json(&skeleton, &[animation]);
        let mut json: Value = serde_json::from_str(&text).expect("it is JSON");
        json["animations"][0]["variants"].take()
    }

    #[test]
    fn numbers_that_are_not_finite_are_null() {
        let track = VariantTrack {
            name: "a".to_owned(),
            times: KeyTimes::uniform(30.0, 3).expect("a rate"),
            interpolation: Interpolation::Step,
            width: 1,
            values: vec![f32::NAN, f32::INFINITY, 2.0],
        };
        assert_eq!(variants(vec![track])[0]["values"], json!([null, null, 2]));
    }

    #[test]
    fn variants_are_written() {
        let even = VariantTrack {
            name: "face \"é\".weights".to_owned(),
            times: KeyTimes::uniform(2.0, 2).expect("a rate"),
            interpolation: Interpolation::Linear,
            width: 2,
            values: vec![0.0, 0.25, 1.0, -0.5],
        };
        let listed = VariantTrack {
            name: "brow".to_owned(),
            times: KeyTimes::listed(vec![0.25, 1.0]).expect("they rise"),
            interpolation: Interpolation::Cubic,
            width: 1,
            values: vec![0.0, 1.0, 2.0, 3.0, 4.0, 5.0],
        };
        assert_eq!(variants(Vec::new()), json!([]));
        assert_eq!(
            variants(vec![even, listed]),
            json!([
                { "name": "face \"é\".weights", "width": 2, "interpolation": "linear", "rate": 2,
                  "values": [0, 0.25, 1, -0.5] },
                { "name": "brow", "width": 1, "interpolation": "cubic", "times": [0.25, 1],
                  "values": [0, 1, 2, 3, 4, 5] }
            ])
        );
    }
}
