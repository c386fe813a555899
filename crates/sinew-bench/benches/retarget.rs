//! Retargeting a motion of 31 joints onto a body of other proportions, beside reading its file.
//! Run with `cargo bench -p sinew-bench --bench retarget [-- --out FILE.md]`; the file is relative to the repository's root.
#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a benchmark talks and may stop"
)]

use sinew::{Joint, Pose, Sampler, Skeleton, Transform};
use sinew_author::contacts::{PlantSettings, find_plants};
use sinew_author::retarget::{RetargetSettings, Retargeter, detect_roles, retarget};
use sinew_bench::{Contestant, RaceSettings, Report, race_with};
use sinew_formats::{MotionSettings, read_motion};
use std::hint::black_box;
use std::path::Path;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let option = arguments.iter().position(|word| word == "--out");
    let out = option.and_then(|index| arguments.get(index + 1));
    let mut report = Report::of_times();
    report.say("# Retargeting");
    report.say(
        "Sample motions of 31 joints onto a body with thighs 6 % longer and shins 3 % shorter, one \
         thread; milliseconds per second of motion, the best of several turns. *Read* is parsing the AMC file and its ASF. *Poses* \
         is sampling and `Retargeter::retarget_pose` at every frame; *motion* is `retarget` without feet: sampling, transfer, \
         measures of quality and keys; *with feet* is its default, with plants found and feet kept at their places. *Plants* is \
         `find_plants` alone.",
    );
    let heads = [
        "motion",
        "seconds",
        "frames/s",
        "read",
        "plants",
        "poses",
        "motion alone",
        "with feet",
        "with feet / read",
    ];
    let rows: Vec<Vec<String>> = ["walk", "run", "dance-turn"].map(row).into();
    report.table(&heads, &rows);
    if let Some(out) = out {
        report.write("cargo bench -p sinew-bench --bench retarget --", out);
    }
}

fn row(name: &str) -> Vec<String> {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples/motion");
    let path = samples.join(format!("{name}.amc"));
    let settings = MotionSettings::default();
    let file = read_motion(&path, &settings).unwrap();
    let (source, animation) = (&file.skeleton, &file.animations[0]);
    let target = other_body(source);
    let roles = [source, &target].map(|skeleton| detect_roles(skeleton).map);
    let seconds = f64::from(animation.length);
    let count = animation.frame_count();
    let without_feet = RetargetSettings {
        feet: false,
        ..RetargetSettings::default()
    };
    let retargeter = Retargeter::new(source, &roles[0], &target, &roles[1], &without_feet).unwrap();
    let mut scratch = retargeter.scratch();
    let mut pose = Pose::rest(&target);
    let mut sampler = Sampler::new(source, animation);
    let run = |settings: &RetargetSettings| {
        let result = retarget(source, animation, &roles[0], &target, &roles[1], settings);
        black_box(result.unwrap());
    };
    let all: &mut [Contestant<'_>] = &mut [
        &mut || {
            black_box(read_motion(&path, &settings).unwrap());
        },
        &mut || {
            black_box(find_plants(source, animation, &PlantSettings::default()));
        },
        &mut || {
            for frame in 0..count {
                let source_pose = sampler.pose_at(animation.frame_time(frame));
                retargeter
                    .retarget_pose(&mut scratch, source_pose, &mut pose)
                    .unwrap();
            }
            black_box(&pose);
        },
        &mut || run(&without_feet),
        &mut || run(&RetargetSettings::default()),
    ];
    let turns = RaceSettings {
        rounds: 15,
        calls: 3,
        ..RaceSettings::default()
    };
    let best = race_with(turns, all);
    let times = best.iter().map(|time| time / 1e6 / seconds);
    let rate = (count - 1) as f64 / seconds;
    let mut cells = vec![
        name.to_owned(),
        format!("{seconds:.2}"),
        format!("{rate:.0}"),
    ];
    cells.extend(times.map(|time| format!("{time:.2}")));
    cells.push(format!("{:.2}x", best[4] / best[0]));
    cells
}

/// The body with thighs 6 % longer and shins 3 % shorter.
fn other_body(skeleton: &Skeleton) -> Skeleton {
    let joints = skeleton.joints().iter().map(|joint| {
        let factor = match joint.name.as_str() {
            "ltibia" | "rtibia" => 1.06,
            "lfoot" | "rfoot" => 0.97,
            _ => 1.0,
        };
        Joint {
            rest: Transform {
                position: joint.rest.position * factor,
                ..joint.rest
            },
            ..joint.clone()
        }
    });
    Skeleton::new(joints.collect()).unwrap()
}
