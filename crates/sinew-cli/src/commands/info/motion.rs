//! The contents of a motion file.

use super::{heading, tree, warning_rows};
use crate::commands::convert::round_fps;
use crate::input::Motion;
use crate::report::{self, bold, count, dim, plain_text};
use serde_json::{Value, json};
use sinew::anatomy::{rest_bounds, root_motion_joint};
use sinew::animation::{Interpolation, MetaValue};
use sinew::glam::Vec3;
use sinew::math::GroundTransform;
use sinew::skeleton::{Side, Sides};
use sinew::{Animation, JointIndex, Sampler, Skeleton};
use sinew_author::contacts::{FootContacts, PlantSettings, find_plants, foot_contacts};
use sinew_author::measure::{extent, loop_gap};
use sinew_formats::MotionFile;

/// Tolerance, in metres and radians, within which the end of a motion equals its start.
const LOOPS_WITHIN: (f32, f32) = (0.02, 0.05);

/// The largest number of contacts listed for each foot.
const MAX_SPANS: usize = 6;

/// The largest number of triggers listed; beyond it only the count is printed.
const MAX_TRIGGERS: usize = 6;

pub(super) fn text(motion: &Motion) -> String {
    let mut out = String::new();
    let mut line = |text: String| {
        out += text.trim_end();
        out.push('\n');
    };
    line(format!(
        "{} {}",
        bold(plain_text(&motion.path.display().to_string())),
        dim(motion.format.name())
    ));
    for (index, file) in files(motion).enumerate() {
        if !motion.others.is_empty() {
            let of = format!("of {}", motion.others.len() + 1);
            line(format!("{} {}", bold(format!("Skeleton {index}")), dim(of)));
        }
        for row in file_rows(file) {
            line(row);
        }
    }
    for row in warning_rows(&motion.file.warnings) {
        line(row);
    }
    out
}

/// Returns every skeleton with its motions.
fn files(motion: &Motion) -> impl Iterator<Item = &MotionFile> {
    std::iter::once(&motion.file).chain(&motion.others)
}

fn file_rows(file: &MotionFile) -> Vec<String> {
    let skeleton = &file.skeleton;
    let mut rows = vec![heading("Joints", skeleton.len())];
    let sides = Sides::of(skeleton);
    let parents: Vec<Option<usize>> = skeleton
        .joints()
        .iter()
        .map(|joint| joint.parent.map(JointIndex::index))
        .collect();
    rows.extend(tree(&parents, |joint| joint_row(skeleton, &sides, joint)));
    if let Some(bounds) = rest_bounds(skeleton) {
        rows.push(format!(
            "{} {}",
            bold("Rest pose"),
            dim(size(bounds.size()))
        ));
    }
    rows.push(heading("Animations", file.animations.len()));
    for animation in &file.animations {
        rows.extend(animation_rows(skeleton, animation));
    }
    rows
}

fn joint_row(skeleton: &Skeleton, sides: &Sides, index: usize) -> String {
    let Some(joint) = skeleton.joints().get(index) else {
        return String::new();
    };
    let mut about = Vec::new();
    match sides.side(index.into()) {
        Side::Left => about.push("left".to_owned()),
        Side::Right => about.push("right".to_owned()),
        Side::Middle => {}
    }
    if let Some(tip) = joint.tip {
        about.push(format!("{:.1} cm long", tip.length() * 100.0));
    }
    let name = plain_text(&joint.name);
    match about.is_empty() {
        true => name,
        false => format!("{name} {}", dim(about.join(", "))),
    }
}

fn size(size: Vec3) -> String {
    format!(
        "{:.2} m wide, {:.2} m tall, {:.2} m deep",
        size.x, size.y, size.z
    )
}

/// Statistics of an animation.
struct AnimationStats {
    frames: usize,
    fps: Option<f64>,
    extent: Option<Vec3>,
    /// Length of the root trajectory on the ground, in metres.
    way: f32,
    gap: sinew_author::measure::LoopGap,
    feet: Vec<FootContacts>,
}

impl AnimationStats {
    fn of(skeleton: &Skeleton, animation: &Animation) -> Self {
        Self {
            frames: animation.frame_count(),
            fps: animation.frame_rate,
            extent: extent(skeleton, animation).map(|bounds| bounds.size()),
            way: way(skeleton, animation),
            gap: loop_gap(skeleton, animation),
            feet: foot_contacts(
                skeleton,
                &find_plants(skeleton, animation, &PlantSettings::default()),
            ),
        }
    }

    fn loops(&self) -> bool {
        self.gap.distance <= LOOPS_WITHIN.0 && self.gap.angle <= LOOPS_WITHIN.1
    }
}

/// Measures the length of the root motion in steps of 0.1 s, so that noise does not add up.
fn way(skeleton: &Skeleton, animation: &Animation) -> f32 {
    let root = root_motion_joint(skeleton, animation);
    let mut sampler = Sampler::new(skeleton, animation);
    let steps = (animation.length * 10.0).clamp(1.0, 100_000.0) as usize;
    let mut pose_at = |step: usize| {
        let time = animation.length * step as f32 / steps as f32;
        sampler.model_at(time).position(root)
    };
    let mut last = pose_at(0);
    let mut way = 0.0;
    for step in 1..=steps {
        let next = pose_at(step);
        way += (next.x - last.x).hypot(next.z - last.z);
        last = next;
    }
    way
}

fn name_of(skeleton: &Skeleton, joint: JointIndex) -> &str {
    skeleton
        .joint(joint)
        .map_or("", |joint| joint.name.as_str())
}

fn joint_label(skeleton: &Skeleton, joint: JointIndex) -> String {
    plain_text(name_of(skeleton, joint))
}

fn animation_rows(skeleton: &Skeleton, animation: &Animation) -> Vec<String> {
    let facts = AnimationStats::of(skeleton, animation);
    let rate = match facts.fps {
        Some(fps) => format!(
            "{} at {} fps, ",
            count(facts.frames, "frame"),
            round_fps(fps)
        ),
        None => "no frame rate, ".to_owned(),
    };
    let mut rows = vec![format!(
        "  {} {}",
        plain_text(&animation.name),
        dim(format!(
            "{rate}{:.2} s, {} keys on {}",
            animation.length,
            keys(animation),
            count(animation.tracks.len(), "track"),
        ))
    )];
    let mut row = |what: &str, text: String| rows.push(format!("    {what:<9} {}", dim(text)));
    if let Some(extent) = facts.extent {
        row("extent", size(extent));
    }
    let seconds = animation.length.max(1e-6);
    row(
        "travels",
        format!(
            "{:.2} m, {:.2} m/s on average",
            facts.way,
            facts.way / seconds
        ),
    );
    let gap = &facts.gap;
    let quality = if facts.loops() {
        "loops"
    } else {
        "does not loop"
    };
    let aside = match gap.is_rigid {
        true => "root motion included: nothing else moves",
        false => "ignoring root motion",
    };
    row(
        "loop",
        format!(
            "{quality}: the last frame is {:.1} cm ({}) and {:.1}° ({}) from the first, {aside}",
            gap.distance * 100.0,
            joint_label(skeleton, gap.joint),
            gap.angle.to_degrees(),
            joint_label(skeleton, gap.turned_joint),
        ),
    );
    for foot in &facts.feet {
        let standing: f32 = foot.spans.iter().map(|span| span.end - span.start).sum();
        let share = (100.0 * standing / seconds).min(100.0);
        if foot.spans.is_empty() {
            row(
                "contacts",
                format!("{} never", joint_label(skeleton, foot.joint)),
            );
            continue;
        }
        let spans = foot.spans.iter().take(MAX_SPANS);
        let spans: Vec<String> = spans
            .map(|span| format!("{:.2}–{:.2}", span.start, span.end))
            .collect();
        let more = if foot.spans.len() > MAX_SPANS {
            ", …"
        } else {
            ""
        };
        row(
            "contacts",
            format!(
                "{} {share:.0} %: {}{more}",
                joint_label(skeleton, foot.joint),
                spans.join(", ")
            ),
        );
    }
    if !animation.variants.is_empty() {
        row("variants", count(animation.variants.len(), "track"));
    }
    if !animation.triggers.is_empty() {
        let all = animation.triggers.iter();
        let mut triggers: Vec<String> = all
            .take(MAX_TRIGGERS)
            .map(|trigger| {
                let data = plain_text(&trigger.data.to_string());
                format!("{data} at {:.2} s", trigger.time)
            })
            .collect();
        if animation.triggers.len() > MAX_TRIGGERS {
            triggers.push(format!("… {} in all", animation.triggers.len()));
        }
        row("triggers", triggers.join(", "));
    }
    if let Some(looping) = &animation.looping {
        let GroundTransform { angle, x, z } = looping.per_cycle;
        let in_place = if looping.in_place {
            ", removed from the keys"
        } else {
            ""
        };
        let displacement = format!(
            "{:.3} m and {:.1}° per cycle{in_place}",
            x.hypot(z),
            angle.to_degrees()
        );
        row("loop motion", displacement);
    }
    for (key, value) in &animation.metadata {
        let value = match value {
            MetaValue::Text(text) => format!("{text:?}"),
            MetaValue::Number(number) => number.to_string(),
            MetaValue::Flag(flag) => flag.to_string(),
        };
        row("metadata", format!("{}: {value}", plain_text(key)));
    }
    rows
}

fn keys(animation: &Animation) -> usize {
    let tracks = animation.tracks.iter();
    tracks
        .map(|track| {
            track.position.as_ref().map_or(0, |c| c.values().len())
                + track.rotation.as_ref().map_or(0, |c| c.values().len())
                + track.scale.as_ref().map_or(0, |c| c.values().len())
        })
        .sum()
}

pub(super) fn json(motion: &Motion) -> Value {
    let mut json = file_json(&motion.file);
    json["version"] = json!(report::JSON_VERSION);
    json["file"] = json!(motion.path.display().to_string());
    json["format"] = json!(motion.format.name().to_ascii_lowercase());
    json["warnings"] = report::warnings_json(motion.file.warnings.list());
    json["warnings_left_out"] = json!(motion.file.warnings.more());
    if !motion.others.is_empty() {
        json["other_skeletons"] = motion.others.iter().map(file_json).collect();
    }
    json
}

fn file_json(file: &MotionFile) -> Value {
    let skeleton = &file.skeleton;
    let sides = Sides::of(skeleton);
    let joints = skeleton.joints().iter().enumerate().map(|(index, joint)| {
        let side = match sides.side(index.into()) {
            Side::Left => "left",
            Side::Middle => "middle",
            Side::Right => "right",
        };
        json!({
            "name": joint.name,
            "parent": joint.parent.map(|parent| parent.0),
            "position": joint.rest.position.to_array(),
            "tip": joint.tip.map(|tip| tip.to_array()),
            "side": side,
        })
    });
    let animations = file.animations.iter();
    json!({
        "joints": joints.collect::<Vec<_>>(),
        "rest_size": rest_bounds(skeleton).map(|bounds| bounds.size().to_array()),
        "animations": animations.map(|a| animation_json(skeleton, a)).collect::<Vec<_>>(),
    })
}

fn animation_json(skeleton: &Skeleton, animation: &Animation) -> Value {
    let facts = AnimationStats::of(skeleton, animation);
    let feet = facts.feet.iter().map(|foot| {
        let spans = foot.spans.iter().map(|span| [span.start, span.end]);
        json!({ "joint": name_of(skeleton, foot.joint), "spans": spans.collect::<Vec<_>>() })
    });
    let metadata = animation.metadata.iter().map(|(key, value)| {
        let value = match value {
            MetaValue::Text(text) => json!(text),
            MetaValue::Number(number) => json!(number),
            MetaValue::Flag(flag) => json!(flag),
        };
        (key.clone(), value)
    });
    let interpolations = animation.tracks.iter().flat_map(|track| {
        let rotation = track
            .rotation
            .as_ref()
            .map(|channel| channel.interpolation());
        let vectors = track
            .position
            .iter()
            .chain(&track.scale)
            .map(|c| c.interpolation());
        vectors.chain(rotation).collect::<Vec<_>>()
    });
    let mut names: Vec<&str> = interpolations
        .map(|interpolation| match interpolation {
            Interpolation::Step => "step",
            Interpolation::Linear => "linear",
            Interpolation::Cubic => "cubic",
        })
        .collect();
    names.sort_unstable();
    names.dedup();
    json!({
        "name": animation.name,
        "frames": facts.frames,
        "fps": facts.fps,
        "seconds": animation.length,
        "tracks": animation.tracks.len(),
        "keys": keys(animation),
        "interpolation": names,
        "variants": animation.variants.len(),
        "triggers": animation.triggers.len(),
        "extent": facts.extent.map(|extent| extent.to_array()),
        "travel": facts.way,
        "loop": {
            "loops": facts.loops(),
            "distance": facts.gap.distance,
            "joint": name_of(skeleton, facts.gap.joint),
            "angle": facts.gap.angle,
            "turned_joint": name_of(skeleton, facts.gap.turned_joint),
            "travel": facts.gap.travel.to_array(),
            "turn": facts.gap.turn,
            "rigid": facts.gap.is_rigid,
        },
        "looping": animation.looping.map(|looping| json!({
            "angle": looping.per_cycle.angle,
            "x": looping.per_cycle.x,
            "z": looping.per_cycle.z,
            "in_place": looping.in_place,
        })),
        "foot_contacts": feet.collect::<Vec<_>>(),
        "metadata": metadata.collect::<serde_json::Map<_, _>>(),
    })
}
