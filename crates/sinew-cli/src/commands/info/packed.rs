//! Statistics of a packed motion: codec and sizes.

use super::heading;
use crate::commands::compress::facts::{PackedStats, grouped, millimetres, ratio, table};
use crate::report::{count, dim, plain_text};
use serde_json::{Value, json};
use sinew::{PackedAnimation, Skeleton};
use sinew_author::measure::{ChannelPacking, JointCost, joint_costs};
use sinew_formats::pack::Pack;

/// Joint names listed in a summary.
const NAMES: usize = 8;

/// Returns a line for each motion and a table of its joints.
pub(super) fn rows(pack: &Pack, file_bytes: u64) -> Vec<String> {
    let mut rows = vec![format!(
        "{} {}",
        heading("Packed", pack.animations.len()),
        dim(format!(
            "{} bytes, {}",
            grouped(file_bytes),
            count(pack.skeletons.len(), "skeleton")
        ))
    )];
    for entry in &pack.animations {
        if let Some(skeleton) = pack.skeletons.get(entry.skeleton) {
            let which = (pack.skeletons.len() > 1).then_some(entry.skeleton);
            motion_rows(skeleton, which, &entry.animation, &mut rows);
        }
    }
    if !pack.curves.is_empty() {
        rows.push(heading("Registrations", pack.curves.len()));
    }
    for curve in &pack.curves {
        let names = (0..curve.len()).map(|motion| plain_text(curve.name(motion)));
        let names: Vec<String> = names.collect();
        let about = format!(
            "mean joint distance {:.1} cm, {}",
            curve.distance() * 100.0,
            count(curve.plants().len(), "plant")
        );
        rows.push(format!("  {} {}", names.join(" and "), dim(about)));
    }
    rows
}

fn motion_rows(
    skeleton: &Skeleton,
    which: Option<usize>,
    packed: &PackedAnimation<'_>,
    rows: &mut Vec<String>,
) {
    let facts = PackedStats::of(packed);
    let which = which.map_or(String::new(), |which| format!("on skeleton {which}, "));
    rows.push(format!(
        "  {} {}",
        plain_text(&facts.name),
        dim(format!(
            "{which}packed {}, {} bytes{}; error {} (max {})",
            facts.packings.join("+"),
            grouped(facts.bytes),
            facts.raw.map_or(String::new(), |_| {
                format!(", {} vs whole poses", ratio(facts.raw_ratio()))
            }),
            millimetres(f64::from(facts.error)),
            millimetres(f64::from(facts.max_error)),
        ))
    ));
    let costs = joint_costs(packed);
    let joints = || skeleton.joints().iter().zip(&costs);
    let lines: Vec<[String; 6]> = joints()
        .filter(|(_, cost)| moves(cost))
        .map(|(joint, cost)| {
            let share = 100.0 * cost.bytes / facts.bytes.max(1) as f64;
            [
                format!("  {}", plain_text(&joint.name)),
                channel(cost.position),
                channel(cost.rotation),
                channel(cost.scale),
                format!("{:.0}", cost.bytes),
                format!("{share:.1} %"),
            ]
        })
        .collect();
    let heads = ["  joint", "position", "rotation", "scale", "bytes", "share"];
    if !lines.is_empty() {
        rows.extend(table(heads, &lines));
    }
    let still: Vec<(&str, f64)> = joints()
        .filter(|(_, cost)| !moves(cost))
        .map(|(joint, cost)| (joint.name.as_str(), cost.bytes))
        .collect();
    if !still.is_empty() {
        let names = still.iter().take(NAMES).map(|(name, _)| plain_text(name));
        let mut names: Vec<String> = names.collect();
        if still.len() > NAMES {
            names.push("…".to_owned());
        }
        let bytes: f64 = still.iter().map(|(_, bytes)| bytes).sum();
        rows.push(format!(
            "    {} {}",
            count(still.len(), "joint"),
            dim(format!("static, {bytes:.0} bytes: {}", names.join(", ")))
        ));
    }
}

fn moves(cost: &JointCost) -> bool {
    let channels = [cost.position, cost.rotation, cost.scale];
    let moving = |channel: &ChannelPacking| matches!(channel, ChannelPacking::Moving(_));
    channels.iter().any(moving)
}

fn channel(channel: ChannelPacking) -> String {
    match channel {
        ChannelPacking::Rest => "rest".to_owned(),
        ChannelPacking::Constant => "constant".to_owned(),
        ChannelPacking::Moving(numbers) => format!("{numbers} moving"),
    }
}

pub(super) fn json(pack: &Pack, file_bytes: u64) -> Value {
    let motions = pack.animations.iter().map(|entry| {
        let mut about = PackedStats::of(&entry.animation).to_json();
        let joints = pack.skeletons.get(entry.skeleton).map(|skeleton| {
            let costs = joint_costs(&entry.animation);
            let joints = skeleton.joints().iter().zip(costs);
            let joints = joints.map(|(joint, cost)| {
                json!({
                    "name": joint.name,
                    "position": channel_json(cost.position),
                    "rotation": channel_json(cost.rotation),
                    "scale": channel_json(cost.scale),
                    "bytes": cost.bytes,
                })
            });
            joints.collect::<Vec<_>>()
        });
        about["skeleton"] = json!(entry.skeleton);
        about["joint_costs"] = json!(joints);
        about
    });
    let registrations = pack.curves.iter().map(|curve| {
        let names = (0..curve.len()).map(|motion| curve.name(motion));
        json!({
            "motions": names.collect::<Vec<_>>(),
            "distance": curve.distance(),
            "plants": curve.plants().len(),
        })
    });
    json!({
        "file_bytes": file_bytes,
        "skeletons": pack.skeletons.len(),
        "motions": motions.collect::<Vec<_>>(),
        "registrations": registrations.collect::<Vec<_>>(),
    })
}

fn channel_json(channel: ChannelPacking) -> Value {
    match channel {
        ChannelPacking::Rest => json!("rest"),
        ChannelPacking::Constant => json!("constant"),
        ChannelPacking::Moving(numbers) => json!({ "moving": numbers }),
    }
}
