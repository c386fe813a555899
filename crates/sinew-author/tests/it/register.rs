//! Registration and blending of the project's own walk, run and jump.

use crate::register_common;
use register_common::{Clip, Off, bent, distance, largest_step, mixed};
use sinew::math::GroundTransform;
use sinew::registration::{BlendPlace, Motion, MotionBlend, RegistrationCurve, RegistrationData};
use sinew::{Animation, JointIndex, Pose, Sampler};
use sinew_author::footskate::{CleanSettings, clean_feet};
use sinew_author::register::{
    BlendWeights, DistanceGrid, RegisterError, RegisterMode, RegisterSettings, SwitchSettings,
    TransitionSettings, blend_motions, register, switch_motions, transition,
};
use sinew_author::register::{CrossfadeCurve, CrossfadeSource, PoseCrossfade};

const MOVE: GroundTransform = GroundTransform {
    angle: 0.7,
    x: 1.3,
    z: -0.4,
};

fn local(distance: f64) -> RegisterSettings {
    RegisterSettings {
        mode: RegisterMode::Local,
        max_distance: Some(distance),
        ..RegisterSettings::default()
    }
}

fn full() -> RegisterSettings {
    RegisterSettings {
        mode: RegisterMode::Full,
        ..RegisterSettings::default()
    }
}

fn walk_and_run() -> (Clip, Clip, RegistrationCurve) {
    let (walk, run) = (Clip::sample("walk"), Clip::sample("run"));
    let curve = register(&[walk.motion(), run.motion()], &local(0.3)).unwrap();
    (walk, run, curve)
}

#[test]
fn motions_that_cannot_be_registered_are_refused_with_the_reason() {
    let (walk, jump) = (Clip::sample("walk"), Clip::sample("jump"));
    let settings = full();
    let error = register(&[walk.motion()], &settings).unwrap_err();
    assert_eq!(error, RegisterError::Count { count: 1 });

    let short = Animation::new("short", 0.01);
    let error = register(
        &[walk.motion(), Motion::new(&walk.skeleton, &short)],
        &settings,
    );
    assert!(
        matches!(error, Err(RegisterError::TooShort { frames: 1..=2, .. })),
        "{error:?}"
    );

    for length in [-1.0, f32::NAN, f32::INFINITY] {
        let mut odd = walk.animation.clone();
        odd.length = length;
        let odd = Motion::new(&walk.skeleton, &odd);
        for pair in [[odd, odd], [odd, walk.motion()], [walk.motion(), odd]] {
            assert!(register(&pair, &settings).is_err(), "{length}");
        }
    }

    let mut joints = walk.skeleton.joints().to_vec();
    joints[3].name = "spare".into();
    let other = sinew::Skeleton::new(joints).unwrap();
    let error = register(
        &[walk.motion(), Motion::new(&other, &walk.animation)],
        &settings,
    );
    let said = error.unwrap_err().to_string();
    let name = &walk.skeleton.joints()[3].name;
    assert!(
        said.contains(&format!("joint 3 is {name:?} in one and \"spare\"")),
        "{said}"
    );

    let mut joints = walk.skeleton.joints().to_vec();
    joints.pop();
    let fewer = sinew::Skeleton::new(joints).unwrap();
    let error = register(
        &[walk.motion(), Motion::new(&fewer, &walk.animation)],
        &settings,
    );
    assert!(error.unwrap_err().to_string().contains("joints"));

    let error = register(&[walk.motion(), jump.motion()], &local(0.01)).unwrap_err();
    match &error {
        RegisterError::NoMatch { nearest, .. } => assert!(*nearest > 0.01 && *nearest < 1.0),
        other => panic!("{other:?}"),
    }
    assert!(
        error.to_string().contains("mean joint distance is"),
        "{error}"
    );

    let instant = RegisterSettings {
        mode: RegisterMode::Between {
            first: [0.5, 0.5],
            second: [0.5, 0.52],
        },
        slope: 3,
        ..settings.clone()
    };
    let error = register(&[walk.motion(), jump.motion()], &instant).unwrap_err();
    assert!(
        error.to_string().contains("less than three frames"),
        "{error}"
    );

    for (settings, what) in [
        (local(0.0), "the largest distance"),
        (local(f64::NAN), "the largest distance"),
        (
            RegisterSettings {
                window: -1.0,
                ..settings.clone()
            },
            "the window",
        ),
        (
            RegisterSettings {
                slope: 0,
                ..settings.clone()
            },
            "the slope",
        ),
    ] {
        let error = register(&[walk.motion(), walk.motion()], &settings).unwrap_err();
        assert!(error.to_string().starts_with(what), "{error}");
    }
    for weights in [vec![1.0], vec![0.0; 31], vec![-1.0; walk.skeleton.len()]] {
        let settings = RegisterSettings {
            weights,
            ..settings.clone()
        };
        let error = register(&[walk.motion(), walk.motion()], &settings).unwrap_err();
        assert!(matches!(error, RegisterError::Weights { .. }), "{error}");
    }
}

#[test]
fn a_motion_registers_to_itself_by_the_identity() {
    for name in ["walk", "run", "jump"] {
        let clip = Clip::sample(name);
        let curve = register(&[clip.motion(), clip.motion()], &full()).unwrap();
        for step in 0..=1000 {
            let u = f64::from(step) / 1000.0;
            let off = (curve.time(0, u) - curve.time(1, u)) * clip.rate();
            assert!(off.abs() < 1e-6, "{name} {u}: {off} frames");
            let alignment = curve.alignment(1, u);
            assert!(
                alignment.angle.abs() + alignment.x.abs() + alignment.z.abs() < 1e-6,
                "{name} {u}: {alignment:?}"
            );
        }
        assert!(curve.distance() < 1e-6, "{name}: {}", curve.distance());
    }
}

#[test]
fn a_known_time_warp_and_alignment_are_found() {
    for name in ["walk", "run", "jump"] {
        let clip = Clip::sample(name);
        for strength in [0.0, 0.1, 0.2] {
            let warped = clip.warped(strength, MOVE);
            let rough = RegisterSettings {
                is_refined: false,
                ..full()
            };
            let off = Off::of(&clip, &warped, &rough);
            assert!(
                off.time <= 0.05 * clip.rate(),
                "{name} {strength}: {} frames",
                off.time
            );
            let off = Off::of(&clip, &warped, &full());
            // Before and after a jump the body stands still: no moment can be told from another there.
            let allowed = if name == "jump" { 0.6 } else { 0.25 };
            assert!(
                off.time <= allowed,
                "{name} {strength}: {} frames",
                off.time
            );
            assert!(
                off.angle <= 0.05,
                "{name} {strength}: {} degrees",
                off.angle
            );
            assert!(off.ground <= 0.001, "{name} {strength}: {} m", off.ground);
            assert!(off.joints <= 0.0015, "{name} {strength}: {} m", off.joints);
        }
    }
}

#[test]
fn distances_are_symmetric_and_invariant_to_ground_transforms() {
    let (walk, run) = (Clip::sample("walk"), Clip::sample("run"));
    let frames = (f64::from(walk.animation.length) * walk.rate()).round() as usize + 1;
    let rate = walk.rate();
    let elsewhere = walk.remade(frames, |frame| frame as f64 / rate, |_| MOVE);
    let elsewhere = Motion::new(&walk.skeleton, &elsewhere);
    let settings = full();
    let grid = |first, second| DistanceGrid::new(first, second, &settings).unwrap();
    let distances = grid(walk.motion(), run.motion());
    let moved = grid(elsewhere, run.motion());
    let turned = grid(run.motion(), walk.motion());
    for row in 0..distances.rows() {
        for column in 0..distances.columns() {
            let distance = distances.distance(row, column);
            // Positions are kept in single precision.
            assert!((distance - moved.distance(row, column)).abs() < 1e-5 * (1.0 + distance));
            assert!((distance - turned.distance(column, row)).abs() < 1e-5 * (1.0 + distance));
        }
    }
    let there = register(&[walk.motion(), run.motion()], &local(0.3)).unwrap();
    let back = register(&[run.motion(), walk.motion()], &local(0.3)).unwrap();
    // Means over moments of one are not those over moments of the other.
    assert!((there.distance() - back.distance()).abs() < 0.03);
}

#[test]
fn times_of_a_curve_increase_within_the_slope_limit() {
    let (_, _, curve) = walk_and_run();
    for step in 0..=10_000 {
        let u = f64::from(step) / 10_000.0;
        let (first, second) = (curve.pace(0, u), curve.pace(1, u));
        assert!(first > 0.0 && second > 0.0, "{u}");
        let ratio = first / second;
        assert!((0.5 - 1e-9..=2.0 + 1e-9).contains(&ratio), "{u}: {ratio}");
    }
}

#[test]
fn coarse_to_fine_search_finds_the_same_curve() {
    let (walk, run) = (Clip::sample("walk"), Clip::sample("run"));
    for settings in [local(0.3), full()] {
        let all = RegisterSettings {
            is_coarse_first: false,
            ..settings.clone()
        };
        let motions = [walk.motion(), run.motion()];
        let (quick, slow) = (register(&motions, &settings), register(&motions, &all));
        let (quick, slow) = (quick.unwrap(), slow.unwrap());
        assert!((quick.distance() - slow.distance()).abs() < 0.002);
        for step in 0..=20 {
            let time = slow.time(0, f64::from(step) / 20.0);
            let [quick_time, other] =
                [&quick, &slow].map(|curve| curve.time(1, curve.position(0, time)));
            assert!(
                (quick_time - other).abs() < 0.03,
                "{time}: {quick_time} and {other}"
            );
        }
    }
}

#[test]
fn a_weight_of_one_gives_that_motion() {
    let (walk, run, curve) = walk_and_run();
    for (motion, clip) in [&walk, &run].into_iter().enumerate() {
        let blended = mixed(&curve, [walk.motion(), run.motion()], motion as f64);
        let span = curve.time(motion, 1.0) - curve.time(motion, 0.0);
        let frames = span * clip.rate();
        assert!((blended.positions.len() as f64 - 1.0 - frames).abs() <= 1.0);
        let mut source = Sampler::new(&clip.skeleton, &clip.animation);
        let mut result = Sampler::new(&walk.skeleton, &blended.animation);
        // One move for all of it.
        let laid = curve.alignment(motion, 0.0);
        for frame in 0..blended.positions.len() - 1 {
            let time = frame as f64 / clip.rate();
            let model = source
                .model_at((curve.time(motion, 0.0) + time) as f32)
                .clone();
            let shown = result.model_at(time as f32);
            for joint in (0..walk.skeleton.len()).map(JointIndex::from) {
                let there = model.position(joint);
                let [x, z] = laid.apply([f64::from(there.x), f64::from(there.z)]);
                let here = shown.position(joint);
                let off = distance([x, z], [f64::from(here.x), f64::from(here.z)])
                    .max(f64::from((there.y - here.y).abs()));
                assert!(off < 1e-5, "motion {motion}, frame {frame}: {off}");
            }
        }
    }
}

#[test]
fn blended_motions_have_no_jumps() {
    let (walk, run, curve) = walk_and_run();
    let motions = [walk.motion(), run.motion()];
    let sources = [&walk, &run].map(|clip| largest_step(&clip.skeleton, &clip.animation));
    let allowed = 1.5 * sources[0].max(sources[1]);
    let ramp = BlendWeights::Keys(vec![
        (0.0, vec![1.0, 0.0]),
        (0.3, vec![0.0, 1.0]),
        (0.5, vec![0.6, 0.4]),
    ]);
    let mut all = vec![blend_motions(&curve, &motions, &ramp, MOVE).unwrap()];
    all.extend([0.0, 0.25, 0.5, 0.75, 1.0, -0.2, 1.2].map(|weight| mixed(&curve, motions, weight)));
    for start in [0.1, 0.4] {
        let settings = TransitionSettings {
            start,
            seconds: 0.3,
            ground: MOVE,
        };
        all.push(transition(&curve, motions, &settings).unwrap());
    }
    for blended in &all {
        let step = largest_step(&walk.skeleton, &blended.animation);
        assert!(step <= allowed, "{step} > {allowed}");
        assert!(blended.positions.windows(2).all(|pair| pair[1] >= pair[0]));
    }
}

#[test]
fn the_speed_of_a_blend_lies_between_walk_and_run() {
    let (walk, run, curve) = walk_and_run();
    let mut before = 0.0;
    for weight in [0.0, 0.25, 0.5, 0.75, 1.0] {
        let blended = mixed(&curve, [walk.motion(), run.motion()], weight);
        let mut sampler = Sampler::new(&walk.skeleton, &blended.animation);
        let mut root = |time| {
            let position = sampler.pose_at(time).position(JointIndex(0));
            [f64::from(position.x), f64::from(position.z)]
        };
        let way = distance(root(0.0), root(blended.animation.length));
        let speed = way / f64::from(blended.animation.length);
        assert!(speed > before, "{weight}: {speed} after {before}");
        before = speed;
    }
}

#[test]
fn left_feet_are_matched_with_left_feet() {
    let (_, _, curve) = walk_and_run();
    assert!(!curve.plants().is_empty());
    for plant in curve.plants() {
        assert_eq!(plant.spans.len(), 2);
        let [a, b] = [plant.spans[0], plant.spans[1]];
        assert!(a[0] < b[1] && b[0] < a[1], "{a:?} and {b:?} do not overlap");
    }
}

#[test]
fn a_straight_and_a_turning_walk_blend_to_half_the_turn() {
    let walk = Clip::sample("walk");
    let quarter = std::f64::consts::FRAC_PI_2;
    let turning = bent(&walk, quarter);
    let motions = [walk.motion(), Motion::new(&walk.skeleton, &turning)];
    let curve = register(&motions, &full()).unwrap();
    let mut turns = Vec::new();
    for weight in [0.0, 0.5, 1.0] {
        let blended = mixed(&curve, motions, weight);
        let headings = headings(&walk, &blended.animation);
        let largest = headings
            .windows(2)
            .map(|pair| (pair[1] - pair[0]).abs())
            .fold(0.0, f64::max);
        assert!(
            largest < 2.0_f64.to_radians() * 120.0 / walk.rate(),
            "{weight}: {}",
            largest.to_degrees()
        );
        turns.push(headings[headings.len() - 1] - headings[0]);
    }
    let turned = turns[2] - turns[0];
    assert!((turned.abs() - quarter).abs() < 0.2, "{turns:?}");
    let half = (turns[1] - turns[0]) / turned;
    assert!((0.4..0.6).contains(&half), "{turns:?}");
    // The way is as long: were it not laid by curves, it would be shorter.
    let straight = mixed(&curve, motions, 0.0);
    let between = mixed(&curve, motions, 0.5);
    let ways = [&straight, &between].map(|blended| path_length(&walk, &blended.animation));
    assert!((ways[1] / ways[0] - 1.0).abs() < 0.05, "{ways:?}");
}

/// Where the root looks to, frame by frame, without jumps by whole turns.
fn headings(clip: &Clip, animation: &Animation) -> Vec<f64> {
    let rate = animation.frame_rate.unwrap();
    let frames = (f64::from(animation.length) * rate).round() as usize + 1;
    let mut sampler = Sampler::new(&clip.skeleton, animation);
    let mut headings: Vec<f64> = Vec::new();
    for frame in 0..frames {
        let turn = sampler
            .pose_at((frame as f64 / rate) as f32)
            .rotation(JointIndex(0));
        let ahead = sinew::math::quat_rotate(turn, sinew::glam::Vec3::Z);
        let mut heading = f64::from(ahead.x).atan2(f64::from(ahead.z));
        if let Some(last) = headings.last() {
            heading = last
                + (heading - last + std::f64::consts::PI).rem_euclid(std::f64::consts::TAU)
                - std::f64::consts::PI;
        }
        headings.push(heading);
    }
    headings
}

fn path_length(clip: &Clip, animation: &Animation) -> f64 {
    let rate = animation.frame_rate.unwrap();
    let frames = (f64::from(animation.length) * rate).round() as usize + 1;
    let mut sampler = Sampler::new(&clip.skeleton, animation);
    let roots: Vec<[f64; 2]> = (0..frames)
        .map(|frame| {
            let position = sampler
                .pose_at((frame as f64 / rate) as f32)
                .position(JointIndex(0));
            [f64::from(position.x), f64::from(position.z)]
        })
        .collect();
    roots
        .windows(2)
        .map(|pair| distance(pair[0], pair[1]))
        .sum()
}

#[test]
fn a_transition_begins_as_the_first_and_ends_as_the_second() {
    let (walk, run, curve) = walk_and_run();
    let motions = [walk.motion(), run.motion()];
    let start = 0.5 * (curve.time(0, 0.0) + curve.time(0, 1.0)) - 0.1;
    let settings = TransitionSettings {
        start,
        seconds: 0.25,
        ground: GroundTransform::IDENTITY,
    };
    let blended = transition(&curve, motions, &settings).unwrap();
    let mut result = Sampler::new(&walk.skeleton, &blended.animation);
    let mut source = Sampler::new(&walk.skeleton, &walk.animation);
    for frame in 0..(start * walk.rate()) as usize {
        let time = (frame as f64 / walk.rate()) as f32;
        let (shown, other) = (result.model_at(time).clone(), source.model_at(time));
        for joint in (0..walk.skeleton.len()).map(JointIndex::from) {
            assert!(
                (shown.position(joint) - other.position(joint)).length() < 1e-5,
                "{time}"
            );
        }
    }
    // The last pose is the last of the run, elsewhere.
    let last = result.pose_at(blended.animation.length).clone();
    let mut source = Sampler::new(&run.skeleton, &run.animation);
    let end = source.pose_at(run.animation.length);
    for joint in (1..walk.skeleton.len()).map(JointIndex::from) {
        // Up to a frame before it.
        let angle = sinew::math::quat_angle(last.rotation(joint), end.rotation(joint));
        assert!(angle < 0.3, "{joint:?}: {angle}");
    }
    assert!(!blended.plants.is_empty());
    for broken in [f64::NAN, -1.0] {
        let settings = TransitionSettings {
            seconds: broken,
            ..settings
        };
        assert!(transition(&curve, motions, &settings).is_err());
    }
}

#[test]
fn a_transition_is_found_where_motions_are_nearest() {
    let (walk, run) = (Clip::sample("walk"), Clip::sample("run"));
    let mode = RegisterMode::Transition {
        seconds: 0.2,
        within: None,
    };
    let settings = RegisterSettings {
        mode,
        max_distance: Some(0.35),
        ..RegisterSettings::default()
    };
    let curve = register(&[walk.motion(), run.motion()], &settings).unwrap();
    for motion in 0..2 {
        let span = curve.time(motion, 1.0) - curve.time(motion, 0.0);
        assert!((span - 0.2).abs() < 0.02, "{span}");
    }
    let grid = DistanceGrid::new(walk.motion(), run.motion(), &settings).unwrap();
    let middle = [0, 1].map(|motion: usize| {
        let middle = 0.5 * (curve.time(motion, 0.0) + curve.time(motion, 1.0));
        (middle * grid.rate()).round() as usize
    });
    let here = grid.distance(middle[0], middle[1]);
    let room = (0.1 * grid.rate()) as usize + 1;
    for row in room..grid.rows() - room {
        for column in room..grid.columns() - room {
            assert!(grid.distance(row, column) >= here - 1e-6);
        }
    }
    let never = RegisterSettings {
        mode: RegisterMode::Transition {
            seconds: 1000.0,
            within: None,
        },
        ..RegisterSettings::default()
    };
    let error = register(&[walk.motion(), run.motion()], &never).unwrap_err();
    assert!(
        error.to_string().contains("no segment of that length"),
        "{error}"
    );
}

#[test]
fn a_transition_is_found_near_any_time_of_short_motions() {
    let (walk, run) = (Clip::sample("walk"), Clip::sample("run"));
    let slow = [&walk, &run].map(|clip| sinew_author::edit::resample(&clip.animation, 24.0));
    let motions = [(&walk, &slow[0]), (&run, &slow[1])]
        .map(|(clip, animation)| Motion::new(&clip.skeleton, animation));
    for step in 0..20 {
        let middle = 0.6 + step as f32 * 0.017;
        let settings = RegisterSettings {
            mode: RegisterMode::Transition {
                seconds: 0.3,
                within: Some([middle - 0.005, middle + 0.005]),
            },
            max_distance: Some(1.0),
            ..RegisterSettings::default()
        };
        let curve = register(&motions, &settings).unwrap();
        let found = 0.5 * (curve.time(0, 0.0) + curve.time(0, 1.0));
        assert!(
            (found - f64::from(middle)).abs() < 0.05,
            "{middle}: {found}"
        );
    }
}

#[test]
fn three_motions_share_one_curve() {
    let walk = Clip::sample("walk");
    let slow = walk.warped(0.0, MOVE);
    let uneven = walk.warped(
        0.15,
        GroundTransform {
            angle: -2.0,
            ..MOVE
        },
    );
    let motions = [
        walk.motion(),
        Motion::new(&walk.skeleton, &slow.animation),
        Motion::new(&walk.skeleton, &uneven.animation),
    ];
    let curve = register(&motions, &full()).unwrap();
    assert_eq!(curve.len(), 3);
    for step in 0..=200 {
        let u = f64::from(step) / 200.0;
        let time = curve.time(0, u);
        for (motion, truth) in [(1, &slow.truth), (2, &uneven.truth)] {
            let off = (time - truth(curve.time(motion, u))) * walk.rate();
            assert!(off.abs() < 0.5, "motion {motion} at {u}: {off} frames");
        }
    }
    let weights = BlendWeights::Constant(vec![0.3, 0.3, 0.4]);
    let blended = blend_motions(&curve, &motions, &weights, GroundTransform::IDENTITY).unwrap();
    let allowed = 2.0 * largest_step(&walk.skeleton, &walk.animation);
    assert!(largest_step(&walk.skeleton, &blended.animation) <= allowed);
    // All three are the same motion, so that any mix of them is too.
    let mut result = Sampler::new(&walk.skeleton, &blended.animation);
    let mut source = Sampler::new(&walk.skeleton, &walk.animation);
    for (frame, &position) in blended.positions.iter().enumerate() {
        let pose = result.pose_at((frame as f64 / walk.rate()) as f32).clone();
        let other = source.pose_at(curve.time(0, position) as f32);
        for joint in (1..walk.skeleton.len()).map(JointIndex::from) {
            let angle = sinew::math::quat_angle(pose.rotation(joint), other.rotation(joint));
            assert!(angle < 0.05, "{frame} {joint:?}: {angle}");
        }
    }
}

#[test]
fn a_curve_round_trips_through_serde_and_invalid_data_is_refused() {
    let (walk, run, curve) = walk_and_run();
    let data = curve.to_data();
    assert_eq!(RegistrationCurve::from_data(data.clone()).unwrap(), curve);
    let text = serde_json::to_string(&curve).unwrap();
    let read: RegistrationCurve = serde_json::from_str(&text).unwrap();
    assert_eq!(read, curve);
    let change = |change: &dyn Fn(&mut RegistrationData)| {
        let mut data = data.clone();
        change(&mut data);
        let text = serde_json::to_string(&data).unwrap();
        assert!(serde_json::from_str::<RegistrationCurve>(&text).is_err());
        RegistrationCurve::from_data(data).unwrap_err().to_string()
    };
    for (said, expected) in [
        (
            change(&|data| data.reference = 2),
            "the reference is motion 2; there are 2",
        ),
        (
            change(&|data| data.motions[1].times.truncate(3)),
            "motion 1 has 3 times; expected at least 4",
        ),
        (
            change(&|data| data.motions[0].angles.clear()),
            "motion 0 has 0 angles; expected at least 3",
        ),
        (
            change(&|data| data.motions[0].times[1] = -9.0),
            "motion 0 has times that do not rise",
        ),
        (
            change(&|data| data.plants[0].spans[0] = [-0.1, 0.5]),
            "plant 0 must have one span",
        ),
        (change(&|data| data.distance = -1.0), "the distance is not"),
    ] {
        assert!(said.contains(expected), "{said}");
    }
    let mut broken = data.clone();
    broken.motions[1].xs[0] = f64::NAN;
    let error = RegistrationCurve::from_data(broken).unwrap_err();
    assert_eq!(error.to_string(), "motion 1 has xs that are not finite");
    assert_eq!(curve.markers(0, 5).len(), 5);
    assert_eq!(curve.markers(1, 3)[1], curve.time(1, 0.5));

    let error = MotionBlend::new(&curve, &[walk.motion()]).unwrap_err();
    assert_eq!(error.to_string(), "1 motions for a curve of 2");
    let weights = BlendWeights::Constant(vec![f64::NAN, 0.0]);
    let motions = [walk.motion(), run.motion()];
    assert!(blend_motions(&curve, &motions, &weights, MOVE).is_err());
}

#[test]
fn a_saved_blend_continues_bit_for_bit() {
    let (walk, run, curve) = walk_and_run();
    let mut blend = MotionBlend::new(&curve, &[walk.motion(), run.motion()]).unwrap();
    let mut other = blend.clone();
    let (mut pose, mut again) = (Pose::rest(&walk.skeleton), Pose::rest(&walk.skeleton));
    let mut place = BlendPlace::default();
    let mut saved = place;
    for step in 0..40 {
        let weights = [0.7, 0.3];
        blend
            .step(&mut place, &weights, 1.0 / 90.0, &mut pose)
            .unwrap();
        if step == 20 {
            saved = serde_json::from_str(&serde_json::to_string(&place).unwrap()).unwrap();
        }
        if step > 20 {
            other
                .step(&mut saved, &weights, 1.0 / 90.0, &mut again)
                .unwrap();
            assert_eq!((place, &pose), (saved, &again));
        }
    }
    // Any weights are taken; nonsense counts as none.
    for weights in [
        &[][..],
        &[f64::NAN, f64::NAN],
        &[-1e9, 1e9],
        &[0.0, 0.0],
        &[5.0],
    ] {
        let mut place = BlendPlace::default();
        blend.step(&mut place, weights, 0.01, &mut pose).unwrap();
        assert!(pose.is_finite() && place.position > 0.0, "{weights:?}");
    }
    let passed = blend.step(&mut place, &[1.0, 0.0], 1e9, &mut pose).unwrap();
    assert!(place.position == 1.0 && passed < 1e9);
}

/// The clip below a joint that stays at the origin, as glTF files often have it.
fn below_a_joint_that_stays(clip: &Clip) -> sinew::Skeleton {
    let mut joints = vec![sinew::Joint {
        name: "top".into(),
        parent: None,
        rest: sinew::Transform::IDENTITY,
        tip: None,
    }];
    joints.extend(clip.skeleton.joints().iter().cloned().map(|mut joint| {
        joint.parent = Some(
            joint
                .parent
                .map_or(JointIndex(0), |parent| JointIndex(parent.0 + 1)),
        );
        joint
    }));
    sinew::Skeleton::new(joints).unwrap()
}

#[test]
fn a_static_root_changes_no_registration() {
    let walk = Clip::sample("walk");
    let warped = walk.warped(0.1, MOVE);
    let below = below_a_joint_that_stays(&walk);
    let settings = full();
    let pairs = [&walk.skeleton, &below].map(|skeleton| {
        [
            Motion::new(skeleton, &walk.animation),
            Motion::new(skeleton, &warped.animation),
        ]
    });
    let curves = pairs.map(|pair| register(&pair, &settings).unwrap());
    for step in 0..=10 {
        let u = f64::from(step) / 10.0;
        let [first_alignment, other] = [&curves[0], &curves[1]].map(|curve| curve.alignment(1, u));
        assert!(
            (first_alignment.angle - other.angle).abs() < 1e-6,
            "{u}: {first_alignment:?} {other:?}"
        );
    }
    let mixes = [0, 1].map(|index: usize| mixed(&curves[index], pairs[index], 0.5).animation);
    let mut samplers = [
        Sampler::new(&walk.skeleton, &mixes[0]),
        Sampler::new(&below, &mixes[1]),
    ];
    let [plain, hung] = &mut samplers;
    for frame in 0..200 {
        let time = frame as f32 / 120.0;
        for joint in (0..walk.skeleton.len() as u32).map(JointIndex) {
            let plain_position = plain.model_at(time).position(joint);
            let other = hung.model_at(time).position(JointIndex(joint.0 + 1));
            assert!(
                (plain_position - other).length() < 1e-3,
                "{time} {joint:?}: {plain_position} {other}"
            );
        }
    }
}

#[test]
fn invalid_time_steps_change_nothing_and_infinite_steps_end() {
    let (walk, run, curve) = walk_and_run();
    let motions = [walk.motion(), run.motion()];
    let mut blend = MotionBlend::new(&curve, &motions).unwrap();
    let mut place = BlendPlace::default();
    let other = sinew::Skeleton::new(walk.skeleton.joints()[..1].to_vec()).unwrap();
    let small = blend.step(&mut place, &[0.5, 0.5], 0.1, &mut Pose::rest(&other));
    assert!(small.is_err() && place == BlendPlace::default());
    let mut pose = Pose::rest(&walk.skeleton);
    let passed = blend.step(&mut place, &[0.5, 0.5], f64::INFINITY, &mut pose);
    assert!(passed.unwrap().is_finite() && place.position == 1.0);
    // Weights beyond what is allowed are those that are, whatever they sum to.
    let frames = |weights: &[f64]| {
        let weights = BlendWeights::Constant(weights.to_vec());
        let blended = blend_motions(&curve, &motions, &weights, GroundTransform::IDENTITY);
        blended.unwrap().positions.len()
    };
    assert_eq!(frames(&[-0.2, 0.41]), frames(&[-0.2, 1.2]));
}

#[test]
fn only_ratios_of_weights_count() {
    let (walk, run, curve) = walk_and_run();
    let motions = [walk.motion(), run.motion()];
    let frames = |weights: &[f64]| {
        let weights = BlendWeights::Constant(weights.to_vec());
        let blended = blend_motions(&curve, &motions, &weights, GroundTransform::IDENTITY);
        blended.unwrap().positions.len()
    };
    assert_eq!(frames(&[0.0, 0.15]), frames(&[0.0, 1.0]));
    assert_eq!(frames(&[0.05, 0.05]), frames(&[0.5, 0.5]));
}

#[test]
fn a_transition_longer_than_its_curve_ends_with_the_curve() {
    let (walk, run, curve) = walk_and_run();
    let motions = [walk.motion(), run.motion()];
    let sources = [&walk, &run].map(|clip| largest_step(&clip.skeleton, &clip.animation));
    for (start, seconds) in [(0.0, 100.0), (2.9, 5.0), (3.2, 1.0), (3.3, 0.3), (9.0, 0.3)] {
        let settings = TransitionSettings {
            start,
            seconds,
            ground: GroundTransform::IDENTITY,
        };
        let blended = transition(&curve, motions, &settings).unwrap();
        let step = largest_step(&walk.skeleton, &blended.animation);
        assert!(step <= 1.5 * sources[0].max(sources[1]), "{start}: {step}");
    }
}

#[test]
fn transitions_between_skeletons_of_different_sizes_have_no_jump() {
    let (walk, run, curve) = walk_and_run();
    let mut joints = run.skeleton.joints().to_vec();
    for joint in &mut joints {
        joint.rest.position *= 1.1;
    }
    let taller = sinew::Skeleton::new(joints).unwrap();
    let motions = [walk.motion(), Motion::new(&taller, &run.animation)];
    let settings = TransitionSettings {
        start: 1.2,
        seconds: 0.4,
        ground: GroundTransform::IDENTITY,
    };
    let blended = transition(&curve, motions, &settings).unwrap();
    let sources = [&walk, &run].map(|clip| largest_step(&clip.skeleton, &clip.animation));
    let step = largest_step(&walk.skeleton, &blended.animation);
    assert!(step <= 1.5 * sources[0].max(sources[1]), "{step}");
}

#[test]
fn full_registration_covers_motions_of_any_length() {
    let walk = Clip::sample("walk");
    let rate = walk.rate();
    for [first, second] in [[40, 11], [9, 33], [30, 30]] {
        let cut = |frames: usize| walk.remade(frames, |frame| frame as f64 / rate, |_| MOVE);
        let (a, b) = (cut(first), cut(second));
        let motions = [
            Motion::new(&walk.skeleton, &a),
            Motion::new(&walk.skeleton, &b),
        ];
        // Almost four times as fast.
        let steep = RegisterSettings { slope: 3, ..full() };
        let curve = register(&motions, &steep).unwrap();
        for (motion, animation) in [&a, &b].into_iter().enumerate() {
            let ends = [curve.time(motion, 0.0), curve.time(motion, 1.0)];
            assert!(ends[0].abs() < 1e-6, "{first} x {second}: {ends:?}");
            assert!(
                (ends[1] - f64::from(animation.length)).abs() < 1e-5,
                "{ends:?}"
            );
        }
    }
}

#[test]
fn a_switch_is_continuous_from_any_time_of_the_first_motion() {
    let (walk, run) = (Clip::sample("walk"), Clip::sample("run"));
    let away = Motion::new(&run.skeleton, &run.animation);
    let elsewhere = run.remade(80, |frame| frame as f64 / run.rate(), |_| MOVE);
    let settings = SwitchSettings {
        start: 0.5,
        fade: PoseCrossfade {
            seconds: 0.3,
            ..PoseCrossfade::default()
        },
        ground: MOVE,
    };
    let switched = switch_motions([walk.motion(), away], &settings).unwrap();
    // It makes no difference where the second motion was recorded.
    let moved = Motion::new(&run.skeleton, &elsewhere);
    let other = switch_motions([walk.motion(), moved], &settings).unwrap();
    let frames = |animation: &Animation| (animation.length * 120.0).round() as i32;
    assert_eq!(frames(&switched.animation), 60 + frames(&run.animation));
    let sources = [&walk, &run].map(|clip| largest_step(&clip.skeleton, &clip.animation));
    let step = largest_step(&walk.skeleton, &switched.animation);
    assert!(step <= 1.5 * sources[0].max(sources[1]), "{step}");
    let mut samplers = [&switched.animation, &other.animation]
        .map(|animation| Sampler::new(&walk.skeleton, animation));
    let mut source = Sampler::new(&walk.skeleton, &walk.animation);
    for frame in 0..130 {
        let time = frame as f32 / 120.0;
        let [first_position, other] =
            [0, 1].map(|index: usize| samplers[index].model_at(time).position(JointIndex(5)));
        assert!(
            (first_position - other).length() < 1e-4,
            "{time}: {first_position} {other}"
        );
        if frame < 60 {
            let there = source.model_at(time).position(JointIndex(5));
            let [x, z] = MOVE.apply([f64::from(there.x), f64::from(there.z)]);
            assert!(
                distance([first_position.x.into(), first_position.z.into()], [x, z]) < 1e-5,
                "{time}"
            );
        }
    }
    let starts = switched.plants.iter().map(|plant| plant.span.start);
    let (before, after): (Vec<f32>, Vec<f32>) = starts.partition(|start| *start < 0.5);
    assert!(
        !before.is_empty() && !after.is_empty(),
        "{:?}",
        switched.plants
    );
    let ends = switched.plants.iter().map(|plant| plant.span.end);
    assert!(ends.fold(0.0, f32::max) <= switched.animation.length + 1e-3);
    let nowhere = SwitchSettings {
        start: f64::NAN,
        ..settings
    };
    let error = switch_motions([walk.motion(), away], &nowhere).unwrap_err();
    assert!(
        error.to_string().contains("the beginning is NaN"),
        "{error}"
    );
}

#[test]
fn feet_locked_after_a_switch_move_without_a_jump() {
    let (walk, idle) = (Clip::sample("walk"), Clip::sample("idle"));
    for start in [0.3, 0.5, 0.7, 0.9] {
        let settings = SwitchSettings {
            start,
            ..SwitchSettings::default()
        };
        let switched = switch_motions([walk.motion(), idle.motion()], &settings).unwrap();
        let plants = &switched.plants;
        let cleaned = clean_feet(
            &walk.skeleton,
            &switched.animation,
            plants,
            &CleanSettings::default(),
        );
        let cleaned = cleaned.unwrap().animation;
        let [before, after] = [&switched.animation, &cleaned]
            .map(|animation| largest_step(&walk.skeleton, animation));
        assert!(after < 1.3 * before, "{start}: {before} then {after}");
    }
}

#[test]
fn a_frozen_crossfade_ignores_static_joints_above_the_figure() {
    let (walk, run) = (Clip::sample("walk"), Clip::sample("run"));
    let below = below_a_joint_that_stays(&walk);
    let settings = SwitchSettings {
        start: 0.4,
        fade: PoseCrossfade {
            seconds: 0.25,
            curve: CrossfadeCurve::Linear,
            source: CrossfadeSource::Frozen,
        },
        ground: GroundTransform::IDENTITY,
    };
    let plain = switch_motions([walk.motion(), run.motion()], &settings).unwrap();
    let hung = [&walk, &run].map(|clip| Motion::new(&below, &clip.animation));
    let hung = switch_motions(hung, &settings).unwrap();
    let mut sampler = Sampler::new(&walk.skeleton, &plain.animation);
    let mut other = Sampler::new(&below, &hung.animation);
    for frame in 0..100 {
        let time = frame as f32 / 120.0;
        for joint in (0..walk.skeleton.len() as u32).map(JointIndex) {
            let here = sampler.model_at(time).position(joint);
            let there = other.model_at(time).position(JointIndex(joint.0 + 1));
            assert!((here - there).length() < 1e-4, "{time}: {here} {there}");
        }
    }
}

#[test]
fn evened_curves_have_the_same_correspondences_at_an_even_pace() {
    let (walk, run, curve) = walk_and_run();
    let motions = [walk.motion(), run.motion()];
    let even = sinew_author::register::without_time_warp(&curve, &motions).unwrap();
    assert_eq!(even.plants().len(), curve.plants().len());
    for motion in 0..2 {
        for end in [0.0, 1.0] {
            assert!((even.time(motion, end) - curve.time(motion, end)).abs() < 1e-9);
        }
        assert!((even.pace(motion, 0.2) - even.pace(motion, 0.9)).abs() < 1e-9);
    }
    assert_eq!(even.alignment(1, 0.1), even.alignment(1, 0.8));
    // Feet stand at the same moments of their motions.
    for (even_plant, other) in even.plants().iter().zip(curve.plants()) {
        for motion in 0..2 {
            let times = [(&even, even_plant), (&curve, other)]
                .map(|(curve, plant)| curve.time(motion, plant.spans[motion][0]));
            assert!((times[0] - times[1]).abs() < 1e-6, "{times:?}");
        }
    }
    assert!(sinew_author::register::without_time_warp(&curve, &motions[..1]).is_err());
}
