//! Registration finds the nearest correspondence: cuts where they were cut, left steps on left steps, nothing where
//! there is nothing.

use crate::register_common::{Clip, assert_pace, mixed};
use sinew::glam::Vec3;
use sinew::registration::{Motion, RegistrationCurve};
use sinew::{Animation, JointIndex, Sampler, Skeleton};
use sinew_author::edit::{resample, trim};
use sinew_author::register::{RegisterError, RegisterMode, RegisterSettings, register};
use sinew_formats::{MotionSettings, read_motion};
use sinew_testing::corpus::{corpus_files, required_corpus, say};

fn local() -> RegisterSettings {
    RegisterSettings {
        mode: RegisterMode::Local,
        ..RegisterSettings::default()
    }
}

/// Frames per second at which motions without a rate are sampled.
const SAMPLED: f64 = 24.0;

/// A generator of numbers from 0 to 1 that are the same every time.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// A part of a motion, and where it was cut from.
struct Cut {
    animation: Animation,
    from: f64,
}

/// A random part of 0.5 to 3 seconds, on whole frames or not.
fn cut(animation: &Animation, random: &mut Random, is_on_frames: bool) -> Cut {
    let rate = animation.frame_rate.unwrap_or(SAMPLED);
    let whole = f64::from(animation.length);
    let length = (0.5 + 2.5 * random.next()).min(whole);
    let from = random.next() * (whole - length);
    let round = |time: f64| match is_on_frames {
        true => (time * rate).floor() / rate,
        false => time,
    };
    let (from, length) = (round(from), round(length));
    Cut {
        animation: trim(animation, from as f32..(from + length) as f32),
        from,
    }
}

/// How a cut lies in its source, measured by what both show and not by what registration says of itself.
struct Found {
    /// The largest distance from where it was cut, in frames.
    frames: f64,
    /// How much longer or shorter the stretch of the source is, in frames.
    pace: f64,
    /// The share of the cut that is found.
    share: f64,
    /// The distance of joints that correspond, laid on each other, in metres: root of the mean square.
    joints: f64,
}

impl Found {
    fn of(skeleton: &Skeleton, source: &Animation, cut: &Cut, curve: &RegistrationCurve) -> Self {
        let rate = source.frame_rate.unwrap_or(SAMPLED);
        let span = |motion: usize| curve.time(motion, 1.0) - curve.time(motion, 0.0);
        let mut frames = 0.0f64;
        let (mut squares, mut count) = (0.0, 0.0);
        let mut samplers =
            [source, &cut.animation].map(|animation| Sampler::new(skeleton, animation));
        for step in 0..=40 {
            let u = f64::from(step) / 40.0;
            let [there, here] = [0, 1].map(|motion| curve.time(motion, u));
            frames = frames.max((there - here - cut.from).abs() * rate);
            let model = samplers[1].model_at(here as f32).clone();
            let other = samplers[0].model_at(there as f32);
            let laid = curve.alignment(1, u);
            for joint in (0..skeleton.len()).map(JointIndex::from) {
                let place = model.position(joint);
                let [x, z] = laid.apply([place.x.into(), place.z.into()]);
                let off = Vec3::new(x as f32, place.y, z as f32) - other.position(joint);
                squares += f64::from(off.length_squared());
                count += 1.0;
            }
        }
        Self {
            frames,
            pace: (span(0) - span(1)).abs() * rate,
            share: span(1) / f64::from(cut.animation.length),
            joints: (squares / count).sqrt(),
        }
    }
}

/// A part of a motion is found where it was cut, at its own pace and at no distance, and not at a longer, farther match
/// of another step.
#[test]
fn parts_of_samples_are_found_where_they_were_cut() {
    let mut random = Random(7);
    for name in ["walk", "run", "jump", "idle"] {
        let clip = Clip::sample(name);
        for _ in 0..6 {
            let cut = cut(&clip.animation, &mut random, true);
            let part = Motion::new(&clip.skeleton, &cut.animation);
            let curve = register(&[clip.motion(), part], &local()).unwrap();
            let found = Found::of(&clip.skeleton, &clip.animation, &cut, &curve);
            let what = format!("{name} from {:.3}", cut.from);
            // Samples repeat exactly: another cycle is as good.
            assert!(found.pace < 1.0, "{what}: {} frames longer", found.pace);
            assert!(found.joints < 0.001, "{what}: {} m", found.joints);
            assert!(curve.distance() < 0.001, "{what}: {} m", curve.distance());
            assert!(found.share > 0.95, "{what}: {} of it", found.share);
        }
    }
}

/// Motions that have nothing in common do not match, by default settings.
#[test]
fn unrelated_samples_do_not_match_and_the_error_states_their_distance() {
    for [first, second] in [
        ["walk", "jump"],
        ["run", "jump"],
        ["walk", "idle"],
        ["run", "idle"],
    ] {
        let clips = [first, second].map(Clip::sample);
        for motions in [[0, 1], [1, 0]] {
            let motions = motions.map(|index: usize| clips[index].motion());
            for settings in [RegisterSettings::default(), local()] {
                let error = register(&motions, &settings).unwrap_err();
                let RegisterError::NoMatch {
                    nearest,
                    threshold: Some(threshold),
                    ..
                } = error
                else {
                    panic!("{first} and {second}: {error}");
                };
                assert!(nearest > 0.01 && nearest < 0.4, "{nearest}");
                assert!(threshold > 0.01 && threshold < 0.4, "{threshold}");
            }
        }
    }
}

/// How far the left foot is ahead of the right one, along the way that the figure goes in a stretch.
fn lead(clip: &Clip, [from, to]: [f64; 2], time: f64) -> f64 {
    let way = clip.place("root", to) - clip.place("root", from);
    let way = Vec3::new(way.x, 0.0, way.z).normalize_or_zero();
    let feet = clip.place("ltoes", time) - clip.place("rtoes", time);
    f64::from(feet.dot(way))
}

/// How feet of two motions go together along a curve: the correlation of how far the left one is ahead. 1 is left on
/// left, -1 is left on right.
fn foot_correlation(clips: [&Clip; 2], curve: &RegistrationCurve) -> f64 {
    let leads = [0, 1].map(|motion: usize| {
        let whole = [0.0, f64::from(clips[motion].animation.length)];
        let lead = |step: i32| {
            let (time, _) = curve.sample_time(motion, f64::from(step) / 60.0);
            lead(clips[motion], whole, time)
        };
        (0..=60).map(lead).collect::<Vec<f64>>()
    });
    let sum = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    sum(&leads[0], &leads[1]) / (sum(&leads[0], &leads[0]) * sum(&leads[1], &leads[1])).sqrt()
}

#[test]
fn a_walk_and_a_run_match_left_steps_with_left_steps_within_the_slope_limit() {
    let clips = ["walk", "run"].map(Clip::sample);
    let curve = register(
        &[clips[0].motion(), clips[1].motion()],
        &RegisterSettings::default(),
    )
    .unwrap();
    let correlation = foot_correlation([&clips[0], &clips[1]], &curve);
    assert!(correlation > 0.8, "{correlation}");
    assert_pace(&curve, "walk and run");
}

/// A curve knows what it was made from, however that is stored, and notices other motions.
#[test]
fn a_curve_fits_only_the_motions_that_it_was_made_of() {
    let clips = ["walk", "run", "jump"].map(Clip::sample);
    let motions = clips.each_ref().map(Clip::motion);
    let curve = register(&motions[..2], &RegisterSettings::default()).unwrap();
    curve.check_motions(&motions[..2]).unwrap();
    let coarse = resample(&clips[1].animation, 30.0);
    let stored = Motion::new(&clips[1].skeleton, &coarse);
    curve.check_motions(&[motions[0], stored]).unwrap();
    let said = |motions: &[Motion<'_>]| curve.check_motions(motions).unwrap_err().to_string();
    assert!(
        said(&[motions[1], motions[0]]).contains("motion 0 of the curve is \"walk\", 3.30 s long")
    );
    assert!(said(&[motions[0]]).contains("2 motions; there are 1"));
    // As long, but somewhere else.
    let moved = clips[0].warped(0.2, Default::default());
    let mut moved = moved.animation;
    moved.length = clips[0].animation.length;
    let moved = Motion::new(&clips[0].skeleton, &moved);
    assert!(said(&[moved, motions[1]]).contains("is another one"));
}

/// Every motion of the corpus that is a figure of some joints that move against each other.
fn figures() -> Vec<(String, Skeleton, Animation)> {
    let corpus = required_corpus();
    let mut figures = Vec::new();
    for path in corpus_files("", &["amc", "bvh", "glb", "gltf"]) {
        let Ok(file) = read_motion(&path, &MotionSettings::default()) else {
            continue;
        };
        for animation in file.animations {
            let name = path.strip_prefix(&corpus).unwrap().display();
            let name = format!("{name} {}", animation.name);
            if animation.length >= 0.6
                && file.skeleton.len() >= 10
                && moves(&file.skeleton, &animation)
            {
                figures.push((name, file.skeleton.clone(), animation));
            }
        }
    }
    figures
}

/// Whether some joint moves against the first by a hundredth of the body's height.
fn moves(skeleton: &Skeleton, animation: &Animation) -> bool {
    let mut sampler = Sampler::new(skeleton, animation);
    let mut lengths = |part: f32| -> Vec<f32> {
        let points: Vec<Vec3> = sampler.points_at(part * animation.length).collect();
        points
            .iter()
            .map(|point| (*point - points[0]).length())
            .collect()
    };
    let first = lengths(0.0);
    let size = first.iter().copied().fold(0.0, f32::max);
    (1..=20).any(|step| {
        let now = lengths(step as f32 / 20.0);
        now.iter()
            .zip(&first)
            .any(|(a, b)| (a - b).abs() > 0.01 * size)
    })
}

/// Parts of 0.5 to 3 seconds of every motion of the corpus, 500 in all, are found where they were cut: to a frame, at
/// their own pace, with joints less than a millimetre away.
#[test]
#[ignore = "needs SINEW_CORPUS"]
fn parts_of_real_motions_are_found_where_they_were_cut() {
    let figures = figures();
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut failed = Vec::new();
    let (mut exact, mut as_near) = (0, 0);
    for number in 0..500 {
        let (name, skeleton, animation) = &figures[number % figures.len()];
        let cut = cut(animation, &mut random, true);
        let motions = [animation, &cut.animation].map(|source| Motion::new(skeleton, source));
        let what = format!("{name} from {:.3}, {:.3} s", cut.from, cut.animation.length);
        let curve = match register(&motions, &local()) {
            Ok(curve) => curve,
            Err(error) => {
                failed.push(format!("{what}: {error}"));
                continue;
            }
        };
        let found = Found::of(skeleton, animation, &cut, &curve);
        // Files without units are of bodies of any size.
        let mut sampler = Sampler::new(skeleton, animation);
        let points: Vec<Vec3> = sampler.points_at(0.0).collect();
        let size = points
            .iter()
            .map(|point| (*point - points[0]).length())
            .fold(0.0, f32::max);
        let millimetre = 0.001 * f64::from(size).max(1.0);
        let is_found = found.pace < 1.0 && found.joints < millimetre && found.share > 0.9;
        match is_found {
            true if found.frames < 1.0 => exact += 1,
            // The same pose again, such as in a loop or at rest.
            true if found.joints < 0.1 * millimetre => as_near += 1,
            _ => failed.push(format!(
                "{what}: {:.2} frames off, {:.2} frames longer, {:.2} of it, {:.5} m",
                found.frames, found.pace, found.share, found.joints
            )),
        }
    }
    say(&format!(
        "500 cuts of {} motions: {exact} where they were cut, {as_near} where the motion is the same, {} not found",
        figures.len(),
        failed.len()
    ));
    assert!(failed.is_empty(), "{failed:#?}");
}

/// Cuts between frames are found to a frame at their own pace too.
#[test]
#[ignore = "needs SINEW_CORPUS"]
fn parts_that_are_cut_between_frames_are_found() {
    let figures = figures();
    let mut random = Random(3);
    let mut failed = Vec::new();
    for number in 0..200 {
        let (name, skeleton, animation) = &figures[number % figures.len()];
        let cut = cut(animation, &mut random, false);
        let motions = [animation, &cut.animation].map(|source| Motion::new(skeleton, source));
        let found = match register(&motions, &local()) {
            Ok(curve) => Found::of(skeleton, animation, &cut, &curve),
            Err(error) => {
                failed.push(format!("{name}: {error}"));
                continue;
            }
        };
        let is_there = found.frames < 1.0 || found.joints < 0.001;
        if !(is_there && found.pace < 1.0) {
            failed.push(format!(
                "{name}: {:.2} frames off, {:.5} m",
                found.frames, found.joints
            ));
        }
    }
    say(&format!(
        "200 cuts between frames: {} not found",
        failed.len()
    ));
    assert!(failed.is_empty(), "{failed:#?}");
}

/// Walks of the corpus whose figures are the same, of four performers.
const WALKS: [&str; 6] = [
    "cmu-cyun9601/02_01",
    "cmu-fzzzz-lf/walk_01",
    "cmu-visdoom/07_01-walk",
    "cmu-visdoom/07_12-walk",
    "seed-clips/07_05",
    "seed-clips/forward",
];

fn real(name: &str) -> Clip {
    let corpus = required_corpus();
    let path = corpus.join("asf-amc").join(format!("{name}.amc"));
    let settings = MotionSettings {
        lenient: true,
        ..MotionSettings::default()
    };
    let mut file = read_motion(&path, &settings).unwrap();
    Clip {
        animation: file.animations.swap_remove(0),
        skeleton: file.skeleton,
    }
}

fn walks() -> Vec<(&'static str, Clip)> {
    let mut walks: Vec<_> = WALKS.map(|name| (name, real(name))).into();
    walks.push(("sample walk", Clip::sample("walk")));
    walks
}

#[test]
#[ignore = "needs SINEW_CORPUS"]
fn walks_of_different_actors_match_left_steps_with_left_steps() {
    let walks = walks();
    let mut least = (1.0, String::new());
    let mut count = 0;
    for (first, a) in &walks {
        for (second, b) in walks.iter().filter(|(second, _)| second != first) {
            let curve = register(&[a.motion(), b.motion()], &RegisterSettings::default());
            let curve = curve.unwrap_or_else(|error| panic!("{first} {second}: {error}"));
            assert_pace(&curve, &format!("{first} and {second}"));
            let correlation = foot_correlation([a, b], &curve);
            if correlation < least.0 {
                least = (correlation, format!("{first} and {second}"));
            }
            assert!(
                curve.distance() < 0.12,
                "{first} {second}: {}",
                curve.distance()
            );
            count += 1;
        }
    }
    say(&format!(
        "{count} pairs of walks: feet correlate by {:.2} or more ({})",
        least.0, least.1
    ));
    assert!(least.0 > 0.7, "{least:?}");
}

/// The direction of a way over the ground, in degrees.
fn direction(from: Vec3, to: Vec3) -> f64 {
    f64::from(to.x - from.x)
        .atan2(f64::from(to.z - from.z))
        .to_degrees()
}

fn between(a: f64, b: f64) -> f64 {
    ((a - b + 180.0).rem_euclid(360.0) - 180.0).abs()
}

/// Where a figure goes in a stretch: its direction, the farthest that half a second of it leads elsewhere, and how far
/// its hips are turned from it, in degrees.
fn way(clip: &Clip, [from, to]: [f64; 2]) -> [f64; 3] {
    let root = |time: f64| clip.place("root", time);
    let whole = direction(root(from), root(to));
    let parts = ((to - from) / 0.5).floor().max(1.0) as usize;
    let at = |part: usize| root(from + (to - from) * part as f64 / parts as f64);
    let astray = (0..parts).map(|part| between(direction(at(part), at(part + 1)), whole));
    let mut hips = Vec3::ZERO;
    for step in 0..=20 {
        let time = from + (to - from) * f64::from(step) / 20.0;
        hips += clip.place("lfemur", time) - clip.place("rfemur", time);
    }
    let facing = direction(Vec3::ZERO, hips);
    [
        whole,
        astray.fold(0.0, f64::max),
        (facing - whole).rem_euclid(360.0),
    ]
}

/// Blends of straight walks are straight, go where the first walk goes and face where they go, at every weight, whether
/// they are registered or mixed evenly.
#[test]
#[ignore = "needs SINEW_CORPUS"]
fn blends_of_straight_walks_are_straight_and_head_as_the_first() {
    let walks = walks();
    let mut worst = [0.0f64; 3];
    let (mut count, mut failed) = (0, Vec::new());
    for (first, a) in &walks {
        for (second, b) in walks.iter().filter(|(second, _)| second != first) {
            let motions = [a.motion(), b.motion()];
            let curve = register(&motions, &RegisterSettings::default()).unwrap();
            let even = sinew_author::register::without_time_warp(&curve, &motions).unwrap();
            let span = |motion: usize| [0.0, 1.0].map(|end| curve.time(motion, end));
            let sources = [way(a, span(0)), way(b, span(1))];
            for (how, curve) in [("registered", &curve), ("even", &even)] {
                for weight in [0.0, 0.25, 0.5, 0.75, 1.0] {
                    let blended = mixed(curve, motions, weight);
                    let blend = Clip {
                        skeleton: a.skeleton.clone(),
                        animation: blended.animation,
                    };
                    let travel = way(&blend, [0.0, f64::from(blend.animation.length)]);
                    let facing = sources.map(|source| between(travel[2], source[2]));
                    let found = [
                        between(travel[0], sources[0][0]),
                        travel[1],
                        facing[0].min(facing[1]),
                    ];
                    count += 1;
                    for (worst, found) in worst.iter_mut().zip(found) {
                        *worst = worst.max(found);
                    }
                    if found.iter().any(|degrees| *degrees > 10.0) {
                        failed.push(format!("{first} {second} {how} {weight}: {found:.1?}"));
                    }
                }
            }
        }
    }
    say(&format!(
        "{count} blends of {} walks: {:.1} degrees off the first walk's direction, {:.1} off straight, hips {:.1} off, at most",
        walks.len(),
        worst[0],
        worst[1],
        worst[2]
    ));
    assert!(failed.is_empty(), "{failed:#?}");
}

/// Where walks and runs of different people match, each goes at half to twice the pace of the other at every position, as
/// they are and as loops; so do three together.
#[test]
#[ignore = "needs SINEW_CORPUS"]
fn registrations_of_walks_and_runs_keep_the_slope_limit() {
    let mut clips = walks();
    for name in [
        "cmu-visdoom/09_06-run",
        "seed-clips/run",
        "cmu-maxxgx/16_35",
    ] {
        clips.push((name, real(name)));
    }
    clips.push(("sample run", Clip::sample("run")));
    let loops = clips.iter();
    let loops: Vec<_> = loops
        .filter_map(|(name, clip)| Some((*name, clip.looped()?)))
        .collect();
    let (mut pairs, mut cyclic, mut threes) = (0, 0, 0);
    for clips in [&clips, &loops] {
        for (index, (first, a)) in clips.iter().enumerate() {
            for (second, b) in clips.iter().filter(|(second, _)| second != first) {
                let what = format!("{first} and {second}");
                let motions = [
                    a.motion(),
                    b.motion(),
                    clips[(index + 1) % clips.len()].1.motion(),
                ];
                if let Ok(curve) = register(&motions[..2], &RegisterSettings::default()) {
                    assert_pace(&curve, &what);
                    pairs += 1;
                    cyclic += usize::from(curve.is_cyclic());
                }
                if pairs % 4 == 0
                    && let Ok(curve) = register(&motions, &RegisterSettings::default())
                {
                    assert_pace(&curve, &what);
                    threes += 1;
                }
            }
        }
    }
    say(&format!(
        "{pairs} pairs, {cyclic} of loops, and {threes} threes of walks and runs: 0.5 to 2 times the pace"
    ));
    assert!(
        pairs > 120 && cyclic > 50 && threes > 20,
        "{pairs} {cyclic} {threes}"
    );
}

/// Jumps, kicks, flips and motions on the ground have nothing to do with walks and runs.
#[test]
#[ignore = "needs SINEW_CORPUS"]
fn unrelated_real_motions_do_not_match() {
    let gaits = [
        "cmu-cyun9601/02_01",
        "cmu-visdoom/07_01-walk",
        "cmu-visdoom/09_06-run",
        "seed-clips/run",
    ];
    let others = [
        "seed-clips/jump",
        "seed-clips/attack",
        "seed-clips/idle",
        "hdm05/HDM_mm_squat1Reps_037_120",
        "cmu-gsimchoni/lambada",
        "physx/stickman_jump_01",
    ];
    let mut matched = Vec::new();
    let mut count = 0;
    for gait in gaits {
        let gait_clip = real(gait);
        for other in others {
            let clip = real(other);
            let curve = register(
                &[gait_clip.motion(), clip.motion()],
                &RegisterSettings::default(),
            );
            count += 1;
            match curve {
                Err(RegisterError::NoMatch { .. }) => {}
                Ok(curve) => matched.push(format!("{gait} {other}: {:.3} m", curve.distance())),
                Err(error) => panic!("{gait} {other}: {error}"),
            }
        }
    }
    say(&format!("{count} unrelated pairs: {} match", matched.len()));
    assert!(matched.is_empty(), "{matched:#?}");
}
