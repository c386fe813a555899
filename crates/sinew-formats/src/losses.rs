//! What a format cannot represent of a motion, so that writers can report every loss.

use crate::bvh::{BvhWriteSettings, written_grid, written_names};
use crate::{Format, Warnings, escape};
use sinew::animation::{Channel, ChannelValue, Interpolation};
use sinew::glam::Vec3;
use sinew::{Animation, Skeleton};
use sinew_author::edit::FrameGrid;

/// Part of the name of a morph weight track.
const MORPH: &str = "/Morphs/";

/// Metadata about the source file itself, such as the spelling of its frame time. Meaningless in another file.
const ABOUT_SOURCE: [&str; 8] = [
    "format",
    "source_format",
    "first_frame",
    "last_frame",
    "frame_rate_from",
    "skeleton",
    "bvh_frame_time",
    "metres_per_unit",
];

/// Describes what is lost or changed if an animation is written in a format.
///
/// glTF and JSON hold everything, glTF partly in `extras`, which other programs ignore. `.sinew` holds everything
/// except tracks of joints that the skeleton lacks. BVH holds joint transforms at a fixed frame rate and nothing
/// else. ASF and AMC are treated like BVH.
pub fn losses(format: Format, skeleton: &Skeleton, animation: &Animation) -> Warnings {
    let mut warnings = Warnings::default();
    let place = format!("animation {}", escape::text(&animation.name));
    let mut add = |field: &str, problem: String| warnings.add(&place, field, problem);
    if matches!(format, Format::Gltf | Format::Glb | Format::Json) {
        return warnings;
    }
    let without_joint = |name: &str| skeleton.find(name).is_none();
    let lacking = animation
        .tracks
        .iter()
        .filter(|track| without_joint(&track.name));
    match lacking.count() {
        0 => {}
        lacking => add(
            "tracks",
            format!("{lacking} of joints that the skeleton lacks; not kept"),
        ),
    }
    if format == Format::Sinew {
        return warnings;
    }
    let name = format.name();
    for (what, count) in besides_joints(animation) {
        add(
            what,
            format!("{count}, for which {name} has no place; not kept"),
        );
    }
    // Otherwise the keys include it.
    if animation.looping.is_some_and(|looping| looping.in_place) {
        let problem =
            format!("the ground motion that was taken out of the keys has no place in {name}");
        add("looping", format!("{problem}; not kept"));
    }
    let weighted = |track: &&sinew::animation::TransformTrack| track.weights != Default::default();
    if let weighted @ 1.. = animation.tracks.iter().filter(weighted).count() {
        add("weights", format!("of {weighted} tracks; not kept"));
    }
    if is_scaled(skeleton, animation) {
        let problem =
            "joints are scaled; written as distances between joints, and tips keep their rest";
        add("scale", problem.to_owned());
    }
    add_timing(animation, &mut add);
    for (joint, written) in skeleton.joints().iter().zip(written_names(skeleton)) {
        if joint.name != written {
            let names = [&joint.name, &written].map(|name| escape::text(name));
            add("joints", format!("{} is written as {}", names[0], names[1]));
        }
    }
    warnings
}

/// Counts what an animation has besides joint motion: morph weights, variant tracks, triggers and metadata. Metadata
/// about the source file does not count.
pub fn besides_joints(animation: &Animation) -> Vec<(&'static str, usize)> {
    let morphs = |is_morph: bool| {
        let tracks = animation.variants.iter();
        tracks
            .filter(|track| track.name.contains(MORPH) == is_morph)
            .count()
    };
    let metadata = animation.metadata.keys();
    let metadata = metadata.filter(|key| !ABOUT_SOURCE.contains(&key.as_str()));
    let counts = [
        ("morph weights", morphs(true)),
        ("variant tracks", morphs(false)),
        ("triggers", animation.triggers.len()),
        ("metadata", metadata.count()),
    ];
    counts.into_iter().filter(|(_, count)| *count > 0).collect()
}

/// Returns whether any joint is scaled, at rest or by a track.
fn is_scaled(skeleton: &Skeleton, animation: &Animation) -> bool {
    let at_rest = skeleton
        .joints()
        .iter()
        .any(|joint| joint.rest.scale != Vec3::ONE);
    let moves = animation.tracks.iter().any(|track| {
        let values = track.scale.as_ref().map_or(&[][..], Channel::values);
        values.iter().any(|scale| *scale != Vec3::ONE)
    });
    at_rest || moves
}

/// Reports keys between frames, and frames beyond the end.
fn add_timing(animation: &Animation, add: &mut impl FnMut(&str, String)) {
    let (asked, grid) = written_grid(animation, &BvhWriteSettings::default());
    let rate = shown(grid.rate);
    let mut counts = [0_usize; 3];
    for track in &animation.tracks {
        let channels = [
            track
                .position
                .as_ref()
                .and_then(|channel| kind(channel, grid.rate)),
            track
                .rotation
                .as_ref()
                .and_then(|channel| kind(channel, grid.rate)),
            track
                .scale
                .as_ref()
                .and_then(|channel| kind(channel, grid.rate)),
        ];
        for kind in channels.into_iter().flatten() {
            counts[kind] += 1;
        }
    }
    let kinds = ["step", "cubic", "linear"];
    let kinds = counts.iter().zip(kinds).filter(|(count, _)| **count > 0);
    let kinds: Vec<String> = kinds
        .map(|(count, kind)| format!("{count} {kind}"))
        .collect();
    if !kinds.is_empty() {
        let kinds = kinds.join(", ");
        let problem =
            format!("keys between frames are not kept: sampled at {rate} per second ({kinds})");
        add("channels", problem);
    }
    if let Some(note) = timing_note(animation, asked, grid) {
        add("frames", note);
    }
}

/// Rounds a rate for display.
fn shown(rate: f64) -> f64 {
    libm::round(rate * 1000.0) / 1000.0
}

/// Describes how a frame grid changes an animation: the rate differs from the requested one, or the length is rounded
/// up. `None` if neither applies.
pub fn timing_note(animation: &Animation, asked: f64, grid: FrameGrid) -> Option<String> {
    let added = grid.length() - animation.length;
    if added > 1e-5 {
        let (rate, milliseconds) = (shown(grid.rate), added * 1e3);
        return Some(format!(
            "it ends between two frames at {rate} per second; the last pose is held for {milliseconds:.1} ms"
        ));
    }
    ((grid.rate - asked).abs() > 1e-6 * asked).then(|| {
        format!(
            "{} frames per second instead of {}, so that a loop of {:.3} s keeps its length",
            shown(grid.rate),
            shown(asked),
            animation.length
        )
    })
}

/// 0 for a stepped channel, 1 for a cubic one, 2 for a linear one with keys between frames.
fn kind<T: ChannelValue>(channel: &Channel<T>, rate: f64) -> Option<usize> {
    match channel.interpolation() {
        _ if channel.values().len() < 2 => None,
        Interpolation::Step => Some(0),
        Interpolation::Cubic => Some(1),
        Interpolation::Linear => {
            let times = channel.times();
            let on_frame = |time: f32| {
                let frame = f64::from(time) * rate;
                (frame - libm::rint(frame)).abs() < 1e-3
            };
            let is_even = times.rate() == Some(rate) || times.iter().all(on_frame);
            (!is_even).then_some(2)
        }
    }
}
