//! Cycles of motions, and loops made of them.

use sinew::animation::{Channel, Interpolation, KeyTimes, TransformTrack};
use sinew::glam::Vec3;
use sinew::math::GroundTransform;
use sinew::{Animation, Joint, JointIndex, Sampler, Skeleton, Transform};
use sinew_author::edit::move_root;
use sinew_author::looping::{
    Cycle, CycleError, CycleSettings, LoopSettings, find_cycle, make_loop,
};
use sinew_author::measure::loop_gap;
use sinew_testing::feet::{Faults, RATE, STRIDE, WAY, biped, walk};

#[test]
fn motions_without_a_cycle_are_refused() {
    let skeleton = biped();
    let settings = CycleSettings::default();
    for length in [0.0, 0.3, f32::NAN, f32::INFINITY] {
        let mut short = Animation::new("short", 0.0);
        short.length = length;
        let error = find_cycle(&skeleton, &short, &settings).unwrap_err();
        assert!(
            matches!(error, CycleError::TooShort { .. }),
            "{length}: {error}"
        );
    }
    let walk = walk(&skeleton, 3.0, &Faults::default());
    for value in [f32::NAN, -1.0, f32::INFINITY] {
        for bad in [
            CycleSettings {
                shortest: value,
                ..settings
            },
            CycleSettings {
                longest: value,
                ..settings
            },
            CycleSettings {
                window: value,
                ..settings
            },
        ] {
            let error = find_cycle(&skeleton, &walk, &bad).unwrap_err();
            assert!(matches!(error, CycleError::Setting { .. }), "{error}");
        }
    }
    let nowhere = |start, end| Cycle {
        start,
        end,
        distance: 0.0,
        ground_transform: GroundTransform::IDENTITY,
        repeats: true,
        candidates: Vec::new(),
    };
    for (start, end) in [
        (5.0, 1.0),
        (1.0, 1.0),
        (100.0, 101.0),
        (f32::NAN, 0.01),
        (0.0, f32::NAN),
    ] {
        let made = make_loop(
            &skeleton,
            &walk,
            &nowhere(start, end),
            &LoopSettings::default(),
        );
        assert!(made.is_err(), "{start} {end}");
    }
}

#[test]
fn a_walk_repeats_after_one_stride() {
    let skeleton = biped();
    for faults in [
        Faults::default(),
        Faults {
            slide: 0.05,
            sink: 0.01,
        },
    ] {
        let walk = walk(&skeleton, 3.5, &faults);
        let cycle = find_cycle(&skeleton, &walk, &CycleSettings::default()).unwrap();
        let seconds = f64::from(cycle.end - cycle.start);
        assert!((seconds - STRIDE).abs() < 1e-3, "{cycle:?}");
        assert!(cycle.distance < 1e-3, "{cycle:?}");
        assert!((cycle.ground_transform.z - WAY).abs() < 1e-3, "{cycle:?}");
        assert!(cycle.ground_transform.angle.abs() < 1e-3);
        assert!(
            cycle
                .candidates
                .iter()
                .all(|candidate| candidate.end > candidate.start)
        );
        assert!(!cycle.candidates.is_empty());
    }
}

/// A walk that gets lower and faster and turns, so that it does not close.
fn uneven() -> Animation {
    let skeleton = biped();
    let mut walk = walk(
        &skeleton,
        3.5,
        &Faults {
            slide: 0.04,
            sink: 0.0,
        },
    );
    let root = walk
        .tracks
        .iter_mut()
        .find(|track| track.name == "hips")
        .unwrap();
    let keys: Vec<(f32, Vec3)> = root.position.as_ref().unwrap().keys().collect();
    let lower = keys.iter().map(|(time, at)| {
        let off = Vec3::new(0.01 * time, -0.01 * time * time, 0.02 * time * time);
        *at + off
    });
    let times = root.position.as_ref().unwrap().times().clone();
    let lines = sinew::animation::Interpolation::Linear;
    root.position = Some(sinew::animation::Channel::new(times, lower.collect(), lines).unwrap());
    walk
}

#[test]
fn a_loop_closes_in_pose_and_speed_with_planted_feet() {
    let skeleton = biped();
    let walk = uneven();
    let cycle = find_cycle(&skeleton, &walk, &CycleSettings::default()).unwrap();
    let looped = make_loop(&skeleton, &walk, &cycle, &LoopSettings::default()).unwrap();
    let report = &looped.report;
    assert!(report.before.distance > 0.005, "{report:?}");
    assert!(report.after.distance < 1e-5, "{report:?}");
    assert!(report.after.angle < 1e-5, "{report:?}");
    assert!(
        report.after.velocity <= report.before.velocity.max(0.1),
        "{report:?}"
    );
    assert!(report.slides[0].path > 0.02, "{report:?}");
    assert!(report.slides[1].deviation < 0.001, "{report:?}");
    assert!(loop_gap(&skeleton, &looped.animation).distance < 1e-5);
    let seconds = cycle.end - cycle.start;
    assert!((looped.animation.length - seconds).abs() < 1e-5);
    assert_eq!(looped.animation.frame_rate, Some(RATE));

    // Without spreading nothing closes: the seam is what closes it.
    let gap = loop_gap(
        &skeleton,
        &sinew_author::edit::trim(&walk, cycle.start..cycle.end),
    );
    assert!(gap.distance > 0.003, "{gap:?}");
}

#[test]
fn a_hundred_loops_travel_a_hundred_times_as_far() {
    let skeleton = biped();
    let walk = uneven();
    let cycle = find_cycle(&skeleton, &walk, &CycleSettings::default()).unwrap();
    let looped = make_loop(&skeleton, &walk, &cycle, &LoopSettings::default()).unwrap();
    let looping = looped.animation.looping.expect("it is a loop");
    assert!(!looping.in_place);
    let once = looping.per_cycle;
    assert_eq!(once, looped.report.ground_transform);
    let mut far = GroundTransform::IDENTITY;
    for _ in 0..100 {
        far = far.then(&once);
    }
    let mut sampler = Sampler::new(&skeleton, &looped.animation);
    let start = sampler.pose_at(0.0).position(0.into());
    let end = sampler.pose_at(looped.animation.length).position(0.into());
    let way = f64::from(end.z - start.z);
    assert!((far.z - 100.0 * way).abs() < 1e-4 * far.z, "{far:?} {way}");

    let on_the_spot = LoopSettings {
        in_place: true,
        ..LoopSettings::default()
    };
    let stays = make_loop(&skeleton, &walk, &cycle, &on_the_spot).unwrap();
    let mut sampler = Sampler::new(&skeleton, &stays.animation);
    let start = sampler.pose_at(0.0).position(0.into());
    let end = sampler.pose_at(stays.animation.length).position(0.into());
    assert!((end - start).length() < 1e-5, "{start} {end}");
    assert_eq!(
        stays.report.ground_transform,
        looped.report.ground_transform
    );
}

#[test]
fn cycles_do_not_depend_on_place_and_heading() {
    let skeleton = biped();
    let mut walk = uneven();
    let settings = CycleSettings::default();
    let here = find_cycle(&skeleton, &walk, &settings).unwrap();
    let half = std::f32::consts::FRAC_1_SQRT_2;
    let turn = Transform {
        position: Vec3::new(30.0, 0.0, -12.0),
        rotation: sinew::glam::Quat::from_xyzw(0.0, half, 0.0, half),
        scale: Vec3::ONE,
    };
    move_root(&mut walk, &skeleton, &turn);
    let there = find_cycle(&skeleton, &walk, &settings).unwrap();
    assert_eq!((here.start, here.end), (there.start, there.end));
    assert!((here.distance - there.distance).abs() < 1e-5);
    let looped = make_loop(&skeleton, &walk, &there, &LoopSettings::default()).unwrap();
    assert!(
        (looped.report.ground_transform.x - WAY).abs() < 0.2,
        "{:?}",
        looped.report
    );
    assert!(looped.report.slides[1].deviation < 0.001);
}

#[test]
fn looped_scales_end_as_they_begin() {
    let skeleton = biped();
    let mut walk = walk(&skeleton, 3.0, &Faults::default());
    let name = skeleton.joints()[skeleton.len() - 1].name.clone();
    let times = KeyTimes::listed(vec![0.0, 3.0]).unwrap();
    let scales = vec![Vec3::ONE, Vec3::new(1.3, 0.8, 1.1)];
    let track = match walk.tracks.iter_mut().find(|track| track.name == name) {
        Some(track) => track,
        None => {
            walk.tracks.push(TransformTrack::new(name.clone()));
            walk.tracks.last_mut().unwrap()
        }
    };
    track.scale = Some(Channel::new(times, scales, Interpolation::Linear).unwrap());
    let cycle = find_cycle(&skeleton, &walk, &CycleSettings::default()).unwrap();
    let made = make_loop(&skeleton, &walk, &cycle, &LoopSettings::default()).unwrap();
    let track = made.animation.track(&name).unwrap();
    let scales = track.scale.as_ref().unwrap().values();
    let (first, last) = (scales[0], scales[scales.len() - 1]);
    assert!((first - last).length() < 1e-5, "{first} {last}");
    // It still grows in between, about as much as it did.
    let spread = |axis: usize| {
        let numbers = scales.iter().map(|scale| scale[axis]);
        let (low, high) = numbers.fold((f32::MAX, f32::MIN), |(low, high), number| {
            (low.min(number), high.max(number))
        });
        high - low
    };
    assert!(spread(0) > 0.01, "{}", spread(0));
    // Nor does it jump from frame to frame.
    let steps = scales.windows(2).map(|pair| (pair[1] - pair[0]).length());
    assert!(steps.fold(0.0, f32::max) < 0.02);
}

#[test]
fn a_static_joint_above_the_body_changes_no_cycle() {
    let skeleton = biped();
    let mut walk = walk(&skeleton, 3.0, &Faults::default());
    let mut joints = vec![Joint {
        name: "ground".into(),
        parent: None,
        rest: Transform::IDENTITY,
        tip: None,
    }];
    joints.extend(skeleton.joints().iter().cloned().map(|mut joint| {
        let parent = joint.parent.map_or(0, |parent| parent.index() + 1);
        joint.parent = Some(JointIndex::from(parent));
        joint
    }));
    let hung = Skeleton::new(joints).unwrap();
    let settings = CycleSettings::default();
    let plain = find_cycle(&skeleton, &walk, &settings).unwrap();
    let far = Transform::from_position(Vec3::new(30.0, 0.0, -20.0));
    move_root(&mut walk, &skeleton, &far);
    let hung_cycle = find_cycle(&hung, &walk, &settings).unwrap();
    // The walk is the same from anywhere on.
    let strides = [&hung_cycle, &plain].map(|cycle| cycle.end - cycle.start);
    assert!((strides[0] - strides[1]).abs() < 1e-4, "{strides:?}");
    assert!((hung_cycle.distance - plain.distance).abs() < 1e-3);
}
