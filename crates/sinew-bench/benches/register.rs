//! Registering two motions of 32 joints, and playing them blended, over the length of the motions; inertialization and
//! foot locking of one character.
//! Run with `cargo bench -p sinew-bench --bench register [-- --out FILE.md]`; with a file, which is relative to the
//! repository's root, the table is written there and the plot beside it.
//!
//! No library does the same, so the peer is a plain loop in the same run: five products for each joint of each pair of
//! frames, in glam's vectors, without windows and without a path.
#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a benchmark talks and may stop"
)]

use sinew::animation::{Channel, Interpolation, KeyTimes, TransformTrack};
use sinew::glam::{Quat, Vec3};
use sinew::ik::{FootCue, FootLock, FootLockSettings, FootStep};
use sinew::registration::{BlendPlace, Motion, MotionBlend};
use sinew::{
    Animation, BlendLayer, Inertia, Joint, JointIndex, Pose, Sampler, Skeleton, Transform, blend,
};
use sinew_author::contacts::{PlantSettings, find_plants};
use sinew_author::register::{DistanceGrid, RegisterMode, RegisterSettings, register};
use sinew_bench::{Contestant, RaceSettings, Report, race_with};
use sinew_draw::{Plot, Scale, Series};
use sinew_formats::{MotionSettings, read_motion};
use std::hint::black_box;
use std::iter;
use std::path::Path;

const JOINTS: usize = 32;
const RATE: f64 = 120.0;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let out = arguments.iter().position(|word| word == "--out");
    let out = out.and_then(|index| arguments.get(index + 1));
    let mut report = Report::of_times();
    let lengths = [125, 250, 500, 1000, 2000];
    let rows: Vec<(usize, Times)> = lengths.map(|frames| (frames, Times::of(frames))).into();
    let cells: Vec<Vec<String>> = rows
        .iter()
        .map(|(frames, times)| {
            let [plain, _, _, all, ..] = times.milliseconds;
            let shown = times.milliseconds.iter().map(|time| format!("{time:.2}"));
            let mut cells: Vec<String> = iter::once(frames.to_string()).chain(shown).collect();
            cells.insert(5, format!("{:.2}x", all / plain));
            let [.., local] = times.milliseconds;
            cells.push(format!("{:.2}x", local / plain));
            cells.push(format!("{:.2}", times.step));
            cells
        })
        .collect();

    report.say("# Registering two motions");
    report.say(
        "Two motions of equal length and 32 joints, one thread; milliseconds, the best of several runs. *Loop* is a plain \
         loop: five products for each joint of each pair of frames, without windows and without a path. *Grid* is the \
         distance grid, *path* its dynamic time warping path, *all* a registration with both, alignment and matching foot \
         contacts. *Coarse first* is the same with the distances of all frames only near the path of every fourth frame; \
         *refined* adds times between frames. *Local* is the default mode: it also finds the segments that are nearest to \
         each other, coarse first and refined. A *step* is one step of a blend, in microseconds.",
    );
    let heads = [
        "frames",
        "loop",
        "grid",
        "path",
        "all",
        "all / loop",
        "coarse first",
        "refined",
        "local",
        "local / loop",
        "step",
    ];
    report.table(&heads, &cells);
    report.say("# One character, frame by frame");
    report.say(
        "31 joints of the sample walk and run at 60 frames per second; microseconds, the best of several runs. *Bare* is the \
         least that a blend needs: two samples and a blend. Inertialization is in the middle of a fade throughout, and \
         feet are locked where the walk has contacts.",
    );
    report.table(&["", "time", "/ bare"], &one_character());
    if let Some(out) = out {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let picture = root.join(out).with_extension("svg");
        std::fs::write(&picture, plot(&rows).to_svg(900, 420)).unwrap();
        let name = picture.file_name().unwrap_or_default().display();
        report.say(&format!(
            "![Time against the frames of each motion]({name})"
        ));
        report.write("cargo bench -p sinew-bench --bench register --", out);
    }
}

/// The time of registering over the length of motions.
fn plot(rows: &[(usize, Times)]) -> Plot {
    let names = [
        "a plain loop",
        "grid",
        "path",
        "all",
        "coarse first",
        "refined",
        "local",
    ];
    let series = names.iter().enumerate().map(|(stage, name)| {
        let points = rows
            .iter()
            .map(|(frames, times)| (*frames as f64, times.milliseconds[stage]));
        Series::new(*name, points.collect())
    });
    Plot {
        title: "Registering two motions of 32 joints".into(),
        x_label: "frames of each".into(),
        y_label: "milliseconds".into(),
        series: series.collect(),
        x_scale: Scale::Log,
        y_scale: Scale::Log,
        has_dots: true,
        ..Plot::default()
    }
}

/// The times of the stages.
struct Times {
    /// The plain loop, the grid, the path, all of it, coarse first, refined, the local mode.
    milliseconds: [f64; 7],
    /// Microseconds of a step of a blend.
    step: f64,
}

impl Times {
    fn of(frames: usize) -> Self {
        let skeleton = body();
        let (walk, run) = (gait(&skeleton, frames, 1.0), gait(&skeleton, frames, 1.3));
        let motions = [Motion::new(&skeleton, &walk), Motion::new(&skeleton, &run)];
        let clouds = [&walk, &run].map(|animation| points(&skeleton, animation, frames));
        let settings = |is_coarse_first, is_refined| RegisterSettings {
            mode: RegisterMode::Full,
            is_coarse_first,
            is_refined,
            ..RegisterSettings::default()
        };
        let whole = settings(false, false);
        let grid = DistanceGrid::new(motions[0], motions[1], &whole).unwrap();
        let registered = |settings: &RegisterSettings| {
            black_box(register(&motions, settings).unwrap());
        };
        let all: &mut [Contestant<'_>] = &mut [
            &mut || {
                black_box(plain(&clouds));
            },
            &mut || {
                black_box(
                    DistanceGrid::new(motions[0], motions[1], &whole)
                        .unwrap()
                        .rows(),
                );
            },
            &mut || {
                black_box(grid.path(&whole).len());
            },
            &mut || registered(&whole),
            &mut || registered(&settings(true, false)),
            &mut || registered(&settings(true, true)),
            &mut || registered(&RegisterSettings::default()),
        ];
        let turns = RaceSettings {
            rounds: 7,
            calls: 1,
            ..RaceSettings::default()
        };
        let best = race_with(turns, all);
        let curve = register(&motions, &settings(true, true)).unwrap();
        let mut blend = MotionBlend::new(&curve, &motions).unwrap();
        let mut pose = Pose::rest(&skeleton);
        let mut place = BlendPlace::default();
        let mut step = || {
            if place.position >= 1.0 {
                place = BlendPlace::default();
            }
            blend
                .step(&mut place, &[0.4, 0.6], 1.0 / RATE, &mut pose)
                .unwrap();
        };
        let step = race_with(RaceSettings::default(), &mut [&mut step])[0] / 1e3;
        let mut milliseconds = [0.0; 7];
        for (time, best) in milliseconds.iter_mut().zip(best) {
            *time = best / 1e6;
        }
        Self { milliseconds, step }
    }
}

/// The times of a frame of a blend, of inertialization and of foot locking.
fn one_character() -> Vec<Vec<String>> {
    let [walk, run] = ["walk", "run"].map(|name| {
        let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples/motion");
        let path = samples.join(format!("{name}.bvh"));
        read_motion(&path, &MotionSettings::default()).unwrap()
    });
    let skeleton = &walk.skeleton;
    let motions = [&walk, &run].map(|file| Motion::new(&file.skeleton, &file.animations[0]));
    let curve = register(&motions, &RegisterSettings::default()).unwrap();
    let mut mix = MotionBlend::new(&curve, &motions).unwrap();
    let length = motions[0].animation.length;
    let dt = 1.0 / 60.0f32;
    let next = |time: f32| if time + dt > length { 0.0 } else { time + dt };
    let mut sampler = Sampler::new(skeleton, motions[0].animation);
    let count = (length / dt) as usize;
    let frames: Vec<Pose> = (0..=count)
        .map(|frame| sampler.pose_at(frame as f32 * dt).clone())
        .collect();
    let frame = |time: f32| &frames[((time / dt + 0.5) as usize).min(count)];

    let mut samplers = motions.map(|motion| Sampler::new(motion.skeleton, motion.animation));
    let mut poses = [(); 4].map(|()| Pose::rest(skeleton));
    let [bare, mixed, faded, cleaned] = &mut poses;
    let mut inertia = Inertia::new(skeleton);
    let mut cleaner = FootLock::new(skeleton, FootLockSettings::default());
    let plants = find_plants(skeleton, motions[0].animation, &PlantSettings::default());
    let legs = cleaner.legs().to_vec();
    let mut cues = vec![FootCue::default(); legs.len()];
    let [mut bare_time, mut fade_time, mut clean_time] = [0.0f32; 3];
    let mut place = BlendPlace::default();
    let best = race_with(
        RaceSettings::default(),
        &mut [
            &mut || {
                bare_time = next(bare_time);
                let [first, second] = &mut samplers;
                let layers = [
                    BlendLayer::new(first.pose_at(bare_time), 0.4),
                    BlendLayer::new(second.pose_at(bare_time * 0.6), 0.6),
                ];
                blend(&layers, &frames[0], bare).unwrap();
            },
            &mut || {
                if place.position >= 1.0 {
                    place = BlendPlace::default();
                }
                mix.step(&mut place, &[0.4, 0.6], dt.into(), mixed).unwrap();
            },
            &mut || {
                // Another motion four times a second: the same one elsewhere.
                fade_time += dt;
                if fade_time > 0.25 {
                    fade_time = 0.0;
                    inertia.switch(0.3);
                }
                faded.copy_from(frame(fade_time));
                inertia.apply(faded, dt).unwrap();
            },
            &mut || {
                clean_time = next(clean_time);
                for (cue, leg) in cues.iter_mut().zip(&legs) {
                    *cue = FootCue::from_plants(&plants, leg, clean_time, Some(length));
                }
                let step = FootStep {
                    seconds: dt,
                    placement: Transform::IDENTITY,
                    cues: &cues,
                };
                cleaned.copy_from(frame(clean_time));
                cleaner.clean(skeleton, &step, cleaned).unwrap();
            },
        ],
    );
    let names = [
        "bare",
        "a step of a blend along a curve",
        "inertialization",
        "foot locking",
    ];
    let rows = names.iter().zip(&best);
    rows.map(|(name, time)| {
        let times = format!("{:.1}x", time / best[0]);
        vec![(*name).to_owned(), format!("{:.2}", time / 1e3), times]
    })
    .collect()
}

/// Five sums of products for every pair of frames.
fn plain(clouds: &[Vec<Vec3>; 2]) -> f32 {
    let mut least = f32::INFINITY;
    for a in clouds[0].chunks_exact(JOINTS) {
        for b in clouds[1].chunks_exact(JOINTS) {
            let (mut cosine, mut sine, mut squares) = (0.0, 0.0, 0.0);
            let (mut p, mut q) = (Vec3::ZERO, Vec3::ZERO);
            for (a, b) in a.iter().zip(b) {
                cosine += a.x * b.x + a.z * b.z;
                sine += a.x * b.z - a.z * b.x;
                squares += a.dot(*a) + b.dot(*b) - 2.0 * a.y * b.y;
                p += *a;
                q += *b;
            }
            let count = JOINTS as f32;
            cosine -= (p.x * q.x + p.z * q.z) / count;
            sine -= (p.x * q.z - p.z * q.x) / count;
            squares -= (p.x * p.x + p.z * p.z + q.x * q.x + q.z * q.z) / count;
            least = least.min(squares - 2.0 * cosine.hypot(sine));
        }
    }
    least
}

fn points(skeleton: &Skeleton, animation: &Animation, frames: usize) -> Vec<Vec3> {
    let mut sampler = Sampler::new(skeleton, animation);
    let mut points = Vec::with_capacity(frames * JOINTS);
    for frame in 0..frames {
        let model = sampler.model_at((frame as f64 / RATE) as f32);
        points.extend((0..JOINTS).map(|joint| model.position(JointIndex::from(joint))));
    }
    points
}

/// A hip with two legs, two arms and a spine.
fn body() -> Skeleton {
    let limb = |joint: usize| joint % 5;
    let joints = (0..JOINTS).map(|joint| {
        let side = [0.0, 0.1, -0.1, 0.2, -0.2][limb(joint)];
        let (parent, position) = match joint {
            0 => (None, Vec3::new(0.0, 1.0, 0.0)),
            1..=5 => (Some(0), Vec3::new(side, 0.0, 0.0)),
            _ => (
                Some(joint - 5),
                Vec3::new(0.0, if limb(joint) < 3 { -0.12 } else { 0.1 }, 0.02),
            ),
        };
        (joint, parent, position)
    });
    // Parents come before children, limb by limb.
    let mut ordered: Vec<(usize, Option<usize>, Vec3)> = joints.collect();
    ordered.sort_by_key(|&(joint, _, _)| {
        if joint == 0 {
            (0, 0)
        } else {
            (1 + limb(joint - 1), joint)
        }
    });
    let place = |joint: usize| ordered.iter().position(|entry| entry.0 == joint).unwrap();
    let joints = ordered.iter().map(|&(joint, parent, position)| Joint {
        name: format!("joint{joint}"),
        parent: parent.map(|parent| JointIndex::from(place(parent))),
        rest: Transform::from_position(position),
        tip: None,
    });
    Skeleton::new(joints.collect()).unwrap()
}

/// Something like a gait: limbs swing, the body goes on.
fn gait(skeleton: &Skeleton, frames: usize, pace: f64) -> Animation {
    let times = KeyTimes::uniform(RATE, frames).unwrap();
    let mut animation = Animation::new("gait", times.last());
    animation.frame_rate = Some(RATE);
    for (joint, rest_joint) in skeleton.joints().iter().enumerate() {
        let mut track = TransformTrack::new(rest_joint.name.clone());
        let turns = (0..frames).map(|frame| {
            let phase = frame as f64 / RATE * pace * 6.0 + joint as f64;
            let half = (0.25 * phase.sin() * pace.sqrt() + 0.05 * (2.7 * phase).sin()) * 0.5;
            Quat::from_xyzw(half.sin() as f32, 0.0, 0.0, half.cos() as f32)
        });
        let linear = Interpolation::Linear;
        track.rotation = Some(Channel::new(times.clone(), turns.collect(), linear).unwrap());
        if joint == 0 {
            let places = (0..frames).map(|frame| {
                let time = frame as f64 / RATE;
                let height = 1.0 + 0.03 * (time * pace * 12.0).sin();
                Vec3::new(0.0, height as f32, (time * 1.4 * pace) as f32)
            });
            track.position = Some(Channel::new(times.clone(), places.collect(), linear).unwrap());
        }
        animation.tracks.push(track);
    }
    animation
}
