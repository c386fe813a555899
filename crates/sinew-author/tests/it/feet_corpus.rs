//! Plants, clean feet and loops on real motions, and on the project's own.
//!
//! Real files are found through `SINEW_CORPUS`; their tests are ignored by default and fail without it.

use sinew::anatomy::{LimbEnd, Plant};
use sinew::ik::{FootCue, FootLock, FootLockSettings, FootStep};
use sinew::skeleton::Side;
use sinew::{Animation, Sampler, Skeleton, Transform, local_to_model};
use sinew_author::contacts::{PlantSettings, find_plants};
use sinew_author::footskate::{CleanSettings, clean_feet};
use sinew_author::looping::{CycleSettings, LoopSettings, find_cycle, make_loop};
use sinew_author::measure::loop_gap;
use sinew_formats::{MotionSettings, read_motion};
use sinew_testing::corpus::{required_corpus, say};
use std::path::{Path, PathBuf};

fn read(path: &Path) -> (Skeleton, Animation) {
    let mut file = read_motion(path, &MotionSettings::default()).unwrap();
    (file.skeleton, file.animations.swap_remove(0))
}

/// A real motion.
fn real(name: &str) -> (Skeleton, Animation) {
    read(&required_corpus().join("asf-amc").join(name))
}

fn own(name: &str) -> (Skeleton, Animation) {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../samples/motion");
    read(&folder.join(name))
}

/// When a side's balls stand, in frames.
fn stands(plants: &[Plant], side: Side, rate: f64) -> Vec<[i64; 2]> {
    let balls = plants
        .iter()
        .filter(|plant| plant.end == LimbEnd::Ball && plant.side == side);
    let frame = |time: f32| (f64::from(time) * rate).round() as i64;
    balls
        .map(|plant| [frame(plant.span.start), frame(plant.span.end)])
        .collect()
}

#[test]
#[ignore = "needs SINEW_CORPUS"]
fn plants_of_known_clips_are_found_at_known_times() {
    // Frames at 120 per second, of the ball of each foot.
    type Known = (&'static str, &'static [[i64; 2]], &'static [[i64; 2]]);
    let known: [Known; 3] = [
        ("forward.amc", &[[40, 148]], &[[0, 43], [140, 196]]),
        ("run.amc", &[[0, 10], [74, 89]], &[[30, 53]]),
        (
            "07_05.amc",
            &[[40, 148], [231, 332], [419, 514]],
            &[[0, 43], [140, 242], [324, 425]],
        ),
    ];
    let mut clips = 0;
    for (name, left, right) in known {
        let (skeleton, animation) = real(&format!("seed-clips/{name}"));
        let plants = find_plants(&skeleton, &animation, &PlantSettings::default());
        for (side, known) in [(Side::Left, left), (Side::Right, right)] {
            let found = stands(&plants, side, 120.0);
            assert_eq!(found.len(), known.len(), "{name} {side:?}: {found:?}");
            for (found, known) in found.iter().zip(known) {
                // A threshold of speed is crossed within a few frames of where it was; one toe of 07_05 is noisy
                // where it leaves the ground.
                assert!(
                    (found[0] - known[0]).abs() <= 4,
                    "{name} {side:?}: {found:?}"
                );
                assert!(
                    (found[1] - known[1]).abs() <= 8,
                    "{name} {side:?}: {found:?}"
                );
            }
        }
        clips += 1;
    }
    say(&format!(
        "plants of {clips} real clips are where they are known to be"
    ));
}

/// Cleans the feet of a motion and holds the result to its bounds.
fn cleaned(what: &str, skeleton: &Skeleton, animation: &Animation) {
    let plants = find_plants(skeleton, animation, &PlantSettings::default());
    assert!(!plants.is_empty(), "{what}");
    let cleaned = clean_feet(skeleton, animation, &plants, &CleanSettings::default()).unwrap();
    let report = &cleaned.report;
    let [before, after] = report.worst(LimbEnd::Ball);
    say(&format!(
        "{what}: a planted ball is {:.2} cm off its place and slides {:.1} cm; cleaned {:.4} and {:.3}; \
         penetration {:.2}, then {:.3} cm; body moved {:.1} cm; stretch {:.2} %; {:.0} m/s² added to {:.0}",
        100.0 * before.deviation,
        100.0 * before.path,
        100.0 * after.deviation,
        100.0 * after.path,
        100.0 * report.penetration[0],
        100.0 * report.penetration[1],
        100.0 * report.body_shift,
        100.0 * report.stretch,
        report.added_acceleration,
        report.acceleration,
    ));
    assert!(after.deviation <= 0.001, "{what}: {after:?}");
    assert!(report.penetration[1] <= 0.002, "{what}: {report:?}");
    assert!(report.stretch <= 0.0101, "{what}: {}", report.stretch);
    assert!(
        report.added_acceleration <= 2.0 * report.acceleration,
        "{what}: {report:?}"
    );
    assert_eq!(cleaned.animation.frame_rate, animation.frame_rate);
    assert_eq!(cleaned.animation.length, animation.length);
}

#[test]
fn planted_feet_stay_within_a_millimetre() {
    for name in ["walk.amc", "run.amc"] {
        let (skeleton, animation) = own(name);
        cleaned(name, &skeleton, &animation);
    }
}

#[test]
#[ignore = "needs SINEW_CORPUS"]
fn planted_feet_of_real_motions_stay_within_a_millimetre() {
    for name in [
        "seed-clips/forward.amc",
        "seed-clips/run.amc",
        "seed-clips/07_05.amc",
        "cmu-visdoom/09_06-run.amc",
        "cmu-visdoom/07_01-walk.amc",
        "cmu-cyun9601/02_01.amc",
    ] {
        let (skeleton, animation) = real(name);
        cleaned(name, &skeleton, &animation);
    }
}

/// Makes a loop of a motion; its length in seconds.
fn looped(what: &str, skeleton: &Skeleton, animation: &Animation) -> f32 {
    let cycle = find_cycle(skeleton, animation, &CycleSettings::default()).unwrap();
    let made = make_loop(skeleton, animation, &cycle, &LoopSettings::default()).unwrap();
    let report = &made.report;
    say(&format!(
        "{what}: from {:.3} to {:.3} s, {:.1} cm apart; seam {:.1} cm, {:.1}°, {:.2} m/s, then {:.4} cm, {:.4}°, \
         {:.2} m/s; feet slide {:.1} cm, then {:.3}; ahead {:.2} m",
        cycle.start,
        cycle.end,
        100.0 * cycle.distance,
        100.0 * report.before.distance,
        report.before.angle.to_degrees(),
        report.before.velocity,
        100.0 * report.after.distance,
        report.after.angle.to_degrees(),
        report.after.velocity,
        100.0 * report.slides[0].path,
        100.0 * report.slides[1].path,
        report.ground_transform.x.hypot(report.ground_transform.z),
    ));
    assert!(
        report.after.distance < 1e-5 && report.after.angle < 1e-5,
        "{what}"
    );
    assert!(report.after.velocity < 0.5, "{what}: {report:?}");
    assert!(report.slides[1].deviation <= 0.001, "{what}: {report:?}");
    assert!(
        loop_gap(skeleton, &made.animation).distance < 1e-5,
        "{what}"
    );
    made.animation.length
}

#[test]
fn walks_and_runs_become_loops_of_one_stride() {
    // Strides as the project's motions are made.
    for (name, seconds) in [("walk.amc", 1.1), ("run.amc", 2.05 / 3.0)] {
        let (skeleton, animation) = own(name);
        let length = looped(name, &skeleton, &animation);
        assert!((length - seconds).abs() < 0.01, "{name}: {length}");
    }
    // Standing is a loop that goes nowhere.
    let (skeleton, idle) = own("idle.amc");
    let cycle = find_cycle(&skeleton, &idle, &CycleSettings::default()).unwrap();
    let made = make_loop(&skeleton, &idle, &cycle, &LoopSettings::default()).unwrap();
    let away = made.report.ground_transform;
    assert_eq!((away.x, away.z), (0.0, 0.0));
}

#[test]
#[ignore = "needs SINEW_CORPUS"]
fn real_walks_and_runs_become_loops_of_one_stride() {
    // Strides by the plants of these clips.
    for (name, seconds) in [
        ("seed-clips/forward.amc", 1.6),
        ("seed-clips/07_05.amc", 1.6),
        ("cmu-visdoom/09_06-run.amc", 0.735),
    ] {
        let (skeleton, animation) = real(name);
        let length = looped(name, &skeleton, &animation);
        assert!((length - seconds).abs() < 0.1, "{name}: {length}");
    }
}

#[test]
#[ignore = "needs SINEW_CORPUS"]
fn feet_are_locked_at_run_time_too() {
    // As a foot lifts its leg is stretched out, and the body does not know what comes. A walk's ball is then 1.74 mm off, a
    // run's, which stretches faster, 3.06 cm.
    const LIFTING: f64 = 0.05;
    for (name, bound) in [
        ("seed-clips/forward.amc", 1e-5),
        ("seed-clips/07_05.amc", 0.0018),
        ("seed-clips/run.amc", 0.031),
    ] {
        let (skeleton, animation) = real(name);
        let plants = find_plants(&skeleton, &animation, &PlantSettings::default());
        let mut cleaner = FootLock::new(&skeleton, FootLockSettings::default());
        let legs = cleaner.legs().to_vec();
        let mut sampler = Sampler::new(&skeleton, &animation);
        let rate = animation.frame_rate.unwrap();
        let count = (f64::from(animation.length) * rate).round() as usize + 1;
        let mut model = sinew::ModelPose::new(&skeleton);
        let mut places = Vec::new();
        for frame in 0..count {
            let time = (frame as f64 / rate) as f32;
            let cues: Vec<FootCue> = legs
                .iter()
                .map(|leg| FootCue::from_plants(&plants, leg, time, None))
                .collect();
            let mut pose = sampler.pose_at(time).clone();
            let step = FootStep {
                seconds: (1.0 / rate) as f32,
                placement: Transform::IDENTITY,
                cues: &cues,
            };
            cleaner.clean(&skeleton, &step, &mut pose).unwrap();
            local_to_model(&skeleton, &pose, &mut model).unwrap();
            let balls: Vec<_> = legs
                .iter()
                .map(|leg| {
                    let ball = leg.ball.unwrap();
                    model.point(ball.joint, ball.offset)
                })
                .collect();
            places.push(balls);
        }
        let (mut held, mut most) = (0.0f32, 0.0f32);
        let balls = plants.iter().filter(|plant| plant.end == LimbEnd::Ball);
        // What stands as these clips begin has a toe that jumps by four centimetres.
        for plant in balls.filter(|plant| plant.span.start > 0.0) {
            let leg = legs
                .iter()
                .position(|leg| leg.ball.unwrap().joint == plant.joint)
                .unwrap();
            let frame = |time: f32| (f64::from(time) * rate).round() as usize;
            let (from, to) = (frame(plant.span.start), frame(plant.span.end));
            let moved = |frame: usize| (places[frame][leg] - places[from][leg]).length();
            most = (from..=to).map(moved).fold(most, f32::max);
            let until = to.saturating_sub((LIFTING * rate) as usize);
            held = (from..until).map(moved).fold(held, f32::max);
        }
        say(&format!(
            "{name}: while playing a planted ball moves {:.4} cm, and {:.2} cm as it lifts",
            100.0 * held,
            100.0 * most
        ));
        assert!(held < 1e-5, "{name}: {held}");
        assert!(most < bound, "{name}: {most}");
    }
}
