//! Foot contacts and cycles of every walk and run of the corpus, against the period of the foot's height.

use sinew::anatomy::find_legs;
use sinew::anatomy::rest_bounds;
use sinew::animation::{Channel, Interpolation, KeyTimes, TransformTrack};
use sinew::glam::{Quat, Vec3};
use sinew::skeleton::Side;
use sinew::{Animation, JointIndex, Sampler, Skeleton};
use sinew_author::contacts::{PlantSettings, find_plants, foot_contacts};
use sinew_author::edit::trim;
use sinew_author::looping::{CycleError, CycleSettings, LoopSettings, find_cycle, make_loop};
use sinew_author::measure::loop_gap;
use sinew_formats::{MotionSettings, read_motion};
use sinew_testing::corpus::{required_corpus, say};

/// Walks and runs, with the skeleton of those that name none.
const GAITS: [(&str, &str); 24] = [
    ("asf-amc/cmu-cyun9601/02_01.amc", ""),
    ("asf-amc/cmu-cyun9601/02_03.amc", ""),
    ("asf-amc/cmu-fzzzz-lf/walk_01.amc", ""),
    ("asf-amc/cmu-visdoom/07_01-walk.amc", ""),
    ("asf-amc/cmu-visdoom/07_12-walk.amc", ""),
    ("asf-amc/cmu-visdoom/09_06-run.amc", ""),
    ("asf-amc/cmu-maxxgx/16_35.amc", ""),
    ("asf-amc/cmu-maxxgx/127_06.amc", ""),
    ("asf-amc/cmu-gsimchoni/zombie.amc", ""),
    (
        "asf-amc/hdm05/HDM_bd_jogLeftCircle4StepsRstart_001_120.amc",
        "",
    ),
    (
        "asf-amc/hdm05/HDM_mm_jogLeftCircle4StepsRstart_011_120.amc",
        "",
    ),
    ("asf-amc/physx/stickman_running_01.amc", ""),
    ("asf-amc/seed-clips/07_05.amc", ""),
    ("asf-amc/seed-clips/forward.amc", ""),
    ("asf-amc/seed-clips/backward.amc", ""),
    ("asf-amc/seed-clips/run.amc", ""),
    ("asf-amc/snu-tilling/run_to_walk.amc", "wd2.asf"),
    ("asf-amc/snu-tilling/walk_straight.amc", "wd2.asf"),
    ("bvh/cmu-una-dinosauria/02_01.bvh", ""),
    ("bvh/cmu-una-dinosauria/09_06.bvh", ""),
    ("bvh/kevinxie4c/cmu_run_filtered.bvh", ""),
    ("bvh/makehuman/walk1.bvh", ""),
    ("bvh/pymo/AV_8Walk_Meredith_HVHA_Rep1.bvh", ""),
    ("bvh/snu/wd2_WalkSameSame01.bvh", ""),
];

const RATE: f64 = 60.0;

fn read(name: &str, asf: &str) -> (Skeleton, Animation) {
    let path = required_corpus().join(name);
    let settings = MotionSettings {
        lenient: true,
        asf: (!asf.is_empty()).then(|| path.with_file_name(asf)),
        ..MotionSettings::default()
    };
    let mut file = read_motion(&path, &settings).unwrap();
    (file.skeleton, file.animations.swap_remove(0))
}

fn ankle(skeleton: &Skeleton, side: Side) -> Option<JointIndex> {
    let legs = find_legs(skeleton).into_iter();
    legs.filter(|leg| leg.side == side)
        .map(|leg| leg.ball.map_or(leg.end, |ball| ball.joint))
        .next()
}

/// Seconds after which the height of a joint repeats: the first peak of its autocorrelation that is as high as the
/// others.
fn period(skeleton: &Skeleton, animation: &Animation, joint: JointIndex) -> Option<f64> {
    let mut sampler = Sampler::new(skeleton, animation);
    let count = (f64::from(animation.length) * RATE) as usize + 1;
    let heights: Vec<f64> = (0..count)
        .map(|frame| {
            f64::from(
                sampler
                    .model_at((frame as f64 / RATE) as f32)
                    .position(joint)
                    .y,
            )
        })
        .collect();
    let correlation = |lag: usize| {
        let (a, b) = (&heights[..count - lag], &heights[lag..]);
        let mean = |v: &[f64]| v.iter().sum::<f64>() / v.len() as f64;
        let (ma, mb) = (mean(a), mean(b));
        let (mut both, mut aa, mut bb) = (0.0, 0.0, 0.0);
        for (x, y) in a.iter().zip(b) {
            both += (x - ma) * (y - mb);
            aa += (x - ma) * (x - ma);
            bb += (y - mb) * (y - mb);
        }
        both / (aa * bb).sqrt().max(1e-12)
    };
    let (from, to) = ((0.35 * RATE) as usize, (2.6 * RATE) as usize);
    let to = to.min(count.saturating_sub((0.3 * RATE) as usize));
    let all: Vec<f64> = (from..to).map(correlation).collect();
    let peak = |index: &usize| {
        all[*index] >= all[index - 1] && all[*index] >= all[index + 1] && all[*index] > 0.3
    };
    let peaks: Vec<usize> = (1..all.len().saturating_sub(1)).filter(peak).collect();
    let top = peaks.iter().map(|at| all[*at]).fold(0.0, f64::max);
    let first = peaks.iter().find(|at| all[**at] > 0.85 * top)?;
    Some((first + from) as f64 / RATE)
}

/// Both feet's periods, where the motion is long enough for the autocorrelation to be of more than one stride.
fn periods(skeleton: &Skeleton, animation: &Animation) -> [Option<f64>; 2] {
    [Side::Left, Side::Right].map(|side| {
        let joint = ankle(skeleton, side)?;
        let found = period(skeleton, animation, joint)?;
        (f64::from(animation.length) >= 1.55 * found).then_some(found)
    })
}

/// Between two contacts of a foot there is a swing of 0.15 to 0.95 of a stride, and no longer a time without contact at
/// the beginning or the end: no contact is missed and none is counted twice, on every walk and run.
#[test]
#[ignore = "needs SINEW_CORPUS"]
fn feet_touch_the_ground_once_per_stride() {
    let (mut feet, mut swings, mut shortest, mut faults) = (0, 0, f64::INFINITY, Vec::new());
    for (name, asf) in GAITS {
        let (skeleton, animation) = read(name, asf);
        // Speeds and heights of bodies of another size, whose unit is not the usual one, are others.
        let size = rest_bounds(&skeleton).unwrap().size().max_element();
        if !(1.0..2.5).contains(&size) {
            continue;
        }
        let plants = find_plants(&skeleton, &animation, &PlantSettings::default());
        let contacts = foot_contacts(&skeleton, &plants);
        for (foot, period) in contacts.iter().zip(periods(&skeleton, &animation)) {
            let Some(period) = period else { continue };
            feet += 1;
            let mut last = 0.0;
            let ends = foot.spans.iter().map(|span| (span.start, span.end));
            for (index, (start, end)) in ends.chain([(animation.length, 0.0)]).enumerate() {
                let swing = f64::from(start - last) / period;
                let is_inner = index > 0 && index < foot.spans.len();
                if is_inner {
                    swings += 1;
                    shortest = shortest.min((start - last).into());
                }
                if swing > 0.95 || (is_inner && swing < 0.15) {
                    faults.push(format!(
                        "{name} {:?}: {swing:.2} strides before {start:.2} s",
                        foot.side
                    ));
                }
                last = end;
            }
        }
    }
    say(&format!(
        "{feet} feet of walks and runs: {swings} swings of {shortest:.2} s or more; {} faults",
        faults.len()
    ));
    assert!(feet >= 28, "{feet}");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Whether a length in seconds is one stride of either foot.
fn is_stride(length: f32, periods: [Option<f64>; 2]) -> bool {
    let mut known = periods.iter().flatten();
    known.any(|period| (f64::from(length) / period - 1.0).abs() < 0.15)
}

/// The cycle that is found of every walk and run is one stride, of the whole clip, of parts of it that are hardly longer
/// than a stride, and after a stretch of standing; where there is none in a part it is said so.
#[test]
#[ignore = "needs SINEW_CORPUS"]
fn cycles_of_walks_and_runs_are_strides() {
    let settings = CycleSettings::default();
    let (mut clips, mut parts, mut refused, mut faults) = (0, 0, 0, Vec::new());
    for (name, asf) in GAITS {
        let (skeleton, animation) = read(name, asf);
        let periods = periods(&skeleton, &animation);
        let Some(period) = periods.iter().flatten().copied().reduce(f64::min) else {
            continue;
        };
        // A run that slows down to a walk has many strides.
        if name.contains("run_to_walk") {
            continue;
        }
        clips += 1;
        let cycle = find_cycle(&skeleton, &animation, &settings).unwrap();
        if !is_stride(cycle.end - cycle.start, periods) {
            faults.push(format!(
                "{name}: {:.2} s of {periods:.2?}",
                cycle.end - cycle.start
            ));
        }
        let standing = stand_first(&skeleton, &animation, 3.0);
        let cycle = find_cycle(&skeleton, &standing, &settings).unwrap();
        if !is_stride(cycle.end - cycle.start, periods) || cycle.end < 3.0 {
            faults.push(format!(
                "{name} after standing: {:.2}..{:.2}",
                cycle.start, cycle.end
            ));
        }
        for part in 0..36 {
            let length = (1.3 + 0.1 * f64::from(part % 4)) * period;
            let room = f64::from(animation.length) - length;
            if room < 0.0 {
                continue;
            }
            let from = (room * f64::from(part) / 35.0) as f32;
            let cut = trim(&animation, from..from + length as f32);
            // Some of these clips begin and end with standing.
            let travel =
                |of: &Animation| f64::from(loop_gap(&skeleton, of).travel.length() / of.length);
            if travel(&cut) < 0.6 * travel(&animation) {
                continue;
            }
            parts += 1;
            match find_cycle(&skeleton, &cut, &settings) {
                Ok(cycle) => {
                    let made = make_loop(&skeleton, &cut, &cycle, &LoopSettings::default());
                    let seconds = cycle.end - cycle.start;
                    // Neither half a stride nor two; the first and the last of a walk are longer than others.
                    let is_near = (0.7..1.5).contains(&(f64::from(seconds) / period));
                    refused += usize::from(made.is_err());
                    if made.is_ok() && !is_near {
                        faults.push(format!(
                            "{name} from {from:.2} s: {seconds:.2} s of {period:.2}"
                        ));
                    }
                }
                Err(_) => refused += 1,
            }
        }
    }
    say(&format!(
        "cycles of {clips} walks and runs and of {parts} parts ({refused} refused); {} faults",
        faults.len()
    ));
    assert!(clips >= 15 && parts >= 600, "{clips} {parts}");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// The motion after some seconds of its first pose, swaying by a few millimetres as people do.
fn stand_first(skeleton: &Skeleton, animation: &Animation, seconds: f64) -> Animation {
    let count = ((f64::from(animation.length) + seconds) * RATE) as usize + 1;
    let size = rest_bounds(skeleton).unwrap().size().max_element();
    let mut sampler = Sampler::new(skeleton, animation);
    let mut tracks: Vec<(Vec<Vec3>, Vec<Quat>)> = vec![Default::default(); skeleton.len()];
    for frame in 0..count {
        let time = frame as f64 / RATE - seconds;
        let pose = sampler.pose_at(time.max(0.0) as f32).clone();
        for (index, (positions, rotations)) in tracks.iter_mut().enumerate() {
            let mut position = pose.position(index.into());
            if index == 0 && time < 0.0 {
                let sway =
                    |rate: f64| size * (0.002 * (time * rate).sin() * (-time).min(1.0)) as f32;
                position += Vec3::new(sway(5.1), 0.0, sway(3.7));
            }
            positions.push(position);
            rotations.push(pose.rotation(index.into()));
        }
    }
    let times = KeyTimes::uniform(RATE, count).unwrap();
    let mut result = Animation::new(&animation.name, times.last());
    result.frame_rate = Some(RATE);
    for (joint, (positions, rotations)) in skeleton.joints().iter().zip(tracks) {
        let mut track = TransformTrack::new(&joint.name);
        let lines = Interpolation::Linear;
        track.position = Some(Channel::new(times.clone(), positions, lines).unwrap());
        track.rotation = Some(Channel::new(times.clone(), rotations, lines).unwrap());
        result.tracks.push(track);
    }
    result
}

/// Motions that do not repeat, a jump, a kick, a backflip and half a stride, are refused and not closed over a quarter of
/// a metre.
#[test]
#[ignore = "needs SINEW_CORPUS"]
fn motions_that_do_not_repeat_make_no_loop() {
    for name in [
        "asf-amc/cmu-gsimchoni/backflip.amc",
        "asf-amc/cmu-maxxgx/127_25.amc",
        "asf-amc/cmu-fairmotion/11_01.amc",
        "asf-amc/seed-clips/jump.amc",
        "asf-amc/jmocap/walk.amc",
    ] {
        let (skeleton, animation) = read(name, "");
        let made = find_cycle(&skeleton, &animation, &CycleSettings::default())
            .and_then(|cycle| make_loop(&skeleton, &animation, &cycle, &LoopSettings::default()));
        let error = made.map(|made| made.report).unwrap_err();
        let is_refused = matches!(error, CycleError::Gap { .. } | CycleError::NoCycle { .. });
        assert!(is_refused, "{name}: {error}");
    }
}
