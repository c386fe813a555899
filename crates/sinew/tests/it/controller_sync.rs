//! Animations that keep in step.

use control::{A, B, C, controller, play, time};
use motion::{figure, turn};
use sinew::animation::{Channel, Interpolation, KeyTimes, TransformTrack};
use sinew::control::SetError;
use sinew::glam::Vec3;
use sinew::registration::{Motion, RegistrationCurve};
use sinew::{Animation, AnimationController, AnimationIndex, AnimationParameters, AnimationSet};
use sinew_author::register::{RegisterMode, RegisterSettings, register};
use sinew_testing::control;
use sinew_testing::motion;
use std::sync::Arc;

fn grouped(controller: &AnimationController, index: AnimationIndex) -> AnimationParameters {
    play(controller, index).looped().sync_group("walking")
}

/// A figure that swings its legs once in `length` seconds, where `warp` tells how far along it is.
fn swung(name: &str, length: f32, warp: impl Fn(f32) -> f32) -> Animation {
    let skeleton = figure();
    let count = (length * 60.0).round() as usize + 1;
    let times = KeyTimes::uniform(60.0, count).unwrap();
    let mut animation = Animation::new(name, times.last());
    animation.frame_rate = Some(60.0);
    for (index, joint) in skeleton.joints().iter().enumerate() {
        let rotation = times.iter().map(|time| {
            let along = warp(time / times.last()) * std::f32::consts::TAU;
            let side = if joint.name.starts_with('l') {
                1.0
            } else {
                -1.0
            };
            let angle = side * (along + 0.3 * index as f32).sin() * 0.5 + (along * 2.0).cos() * 0.1;
            turn(Vec3::new(1.0, 0.1, 0.0), angle)
        });
        let mut track = TransformTrack::new(&joint.name);
        let rotation = rotation.collect();
        track.rotation =
            Some(Channel::new(times.clone(), rotation, Interpolation::Linear).unwrap());
        animation.tracks.push(track);
    }
    animation
}

/// A fast motion is not just a slow one played fast.
fn warp(part: f32) -> f32 {
    part + 0.1 * (part * std::f32::consts::TAU).sin() / std::f32::consts::PI
}

/// A slow motion, a fast one, one that is in step with none; and the curve of the first two.
fn registered() -> (AnimationController, RegistrationCurve) {
    let (slow, fast) = (swung("slow", 1.5, |part| part), swung("fast", 1.0, warp));
    let skeleton = figure();
    let motions = [&slow, &fast].map(|animation| Motion::new(&skeleton, animation));
    let settings = RegisterSettings {
        mode: RegisterMode::Full,
        ..RegisterSettings::default()
    };
    let curve = register(&motions, &settings).unwrap();
    let mut set = AnimationSet::new();
    for animation in [slow, fast, Animation::new("other", 0.8)] {
        set.add(animation).unwrap();
    }
    set.add_registration(curve.clone(), [A, B]).unwrap();
    (AnimationController::new(Arc::new(set)), curve)
}

#[test]
fn registrations_of_other_animations_are_refused() {
    let (controller, curve) = registered();
    let mut set = AnimationSet::clone(controller.animation_set());
    let count = SetError::MotionCount {
        expected: 2,
        found: 1,
    };
    assert_eq!(set.add_registration(curve.clone(), [A]), Err(count));
    let unknown = SetError::NoSuchAnimation {
        animation: 9,
        count: 3,
    };
    let nine = AnimationIndex(9);
    assert_eq!(set.add_registration(curve, [A, nine]), Err(unknown));
}

#[test]
fn a_lone_animation_in_a_sync_group_plays_as_without_one() {
    for speed in [1.0, 0.7, -1.3, 0.0] {
        let mut plain = controller(&[1.3, 0.9]);
        let mut group = controller(&[1.3, 0.9]);
        let parameters = play(&plain, A).looped().speed(speed);
        plain.play_new(parameters.clone(), 0.0).unwrap();
        group
            .play_new(parameters.sync_group("walking"), 0.0)
            .unwrap();
        for index in 0..500 {
            let dt = 0.001 * (index % 40) as f32;
            plain.update(dt);
            group.update(dt);
            assert_eq!(time(&plain, 0).to_bits(), time(&group, 0).to_bits());
        }
    }
}

#[test]
fn without_a_curve_members_share_a_normalized_phase() {
    let mut controller = controller(&[1.0, 2.0, 3.0]);
    controller.play_new(grouped(&controller, A), 0.0).unwrap();
    controller.update(0.25);
    // One that begins is where the others are.
    controller.play_new(grouped(&controller, B), 0.5).unwrap();
    assert_eq!(time(&controller, 1), 0.5);
    controller
        .play_new(
            grouped(&controller, C)
                .time_range(1.0, 2.0)
                .weight(0.0)
                .keep_on_zero_weight(),
            0.0,
        )
        .unwrap();
    assert_eq!(time(&controller, 2), 1.25);
    for _ in 0..200 {
        controller.update(0.013);
        let part = time(&controller, 0);
        assert!((time(&controller, 1) - part * 2.0).abs() < 1e-5);
        assert!((time(&controller, 2) - 1.0 - part).abs() < 1e-5);
    }
}

#[test]
fn the_pace_of_a_group_follows_visible_weights() {
    for (weight, expected) in [(0.0, 1.0), (1.0, 0.5), (0.5, 0.75), (0.25, 0.875)] {
        let mut controller = controller(&[1.0, 2.0]);
        controller.play_new(grouped(&controller, A), 0.0).unwrap();
        let over = grouped(&controller, B).weight(weight).keep_on_zero_weight();
        controller.play_new(over, 0.0).unwrap();
        for _ in 0..10 {
            controller.update(0.05);
        }
        // Of the loop that both share, so much is over in half a second.
        let part = time(&controller, 0);
        assert!((part - 0.5 * expected).abs() < 1e-5, "{weight}: {part}");
    }
}

#[test]
fn higher_and_additive_layers_follow_and_do_not_lead() {
    let mut controller = controller(&[1.0, 2.0, 0.5]);
    controller
        .play_new(grouped(&controller, B).layer(1), 0.0)
        .unwrap();
    controller.play_new(grouped(&controller, A), 0.0).unwrap();
    controller
        .play_new(grouped(&controller, C).additive(), 0.0)
        .unwrap();
    for _ in 0..33 {
        controller.update(0.01);
    }
    assert!((time(&controller, 1) - 0.33).abs() < 1e-5);
    assert!((time(&controller, 0) - 0.66).abs() < 1e-5);
    assert!((time(&controller, 2) - 0.165).abs() < 1e-5);
}

#[test]
fn animations_that_do_not_loop_or_are_in_another_group_keep_their_own_time() {
    let mut controller = controller(&[1.0, 2.0, 4.0]);
    controller.play_new(grouped(&controller, A), 0.0).unwrap();
    controller
        .play_new(play(&controller, B).sync_group("walking"), 0.0)
        .unwrap();
    controller
        .play_new(grouped(&controller, C).ping_pong(), 0.0)
        .unwrap();
    controller
        .play_new(grouped(&controller, C).sync_group("waving"), 0.0)
        .unwrap();
    controller.update(0.5);
    let times = [0, 1, 2, 3].map(|index| time(&controller, index));
    assert_eq!(times, [0.5; 4]);
}

#[test]
fn along_a_curve_foot_contacts_coincide() {
    let (mut controller, curve) = registered();
    controller
        .play_new(grouped(&controller, A).time(0.4), 0.0)
        .unwrap();
    controller.update(0.0);
    controller
        .play_existing_exclusive(grouped(&controller, B), 0.6)
        .unwrap();
    for index in 0..30 {
        controller.update(0.02);
        if controller.num_animations() < 2 {
            assert!(index >= 29);
            continue;
        }
        let [slow, fast] = [time(&controller, 0), time(&controller, 1)].map(f64::from);
        // What the curve says, and what it was made of.
        let expected = curve.time(1, curve.position(0, slow));
        assert!((fast - expected).abs() < 1e-5, "{slow}: {fast} {expected}");
        let along = f64::from(warp(fast as f32)) - slow / 1.5;
        assert!(along.abs() < 0.02, "{along}");
    }
    // By its share of the time it would be somewhere else.
    assert!((f64::from(warp(0.25)) - 0.25).abs() > 0.03);
}

#[test]
fn a_lone_animation_on_a_curve_plays_at_its_own_pace() {
    let (mut controller, _) = registered();
    controller.play_new(grouped(&controller, A), 0.0).unwrap();
    let hidden = grouped(&controller, B).weight(0.0).keep_on_zero_weight();
    controller.play_new(hidden, 0.0).unwrap();
    for _ in 0..140 {
        controller.update(0.01);
    }
    assert!((time(&controller, 0) - 1.4).abs() < 1e-5);
    // The same with the other leading.
    controller.update_animation_weight(B, 1.0, 0.0);
    let before = time(&controller, 1);
    controller.update(0.03);
    assert!((time(&controller, 1) - before - 0.03).abs() < 1e-5);
}

#[test]
fn a_change_of_leader_causes_no_jump() {
    let (mut controller, _) = registered();
    controller.play_new(grouped(&controller, A), 0.0).unwrap();
    controller
        .play_new(
            grouped(&controller, B).weight(0.0).keep_on_zero_weight(),
            0.0,
        )
        .unwrap();
    let mut last = [0, 1].map(|index| time(&controller, index));
    for frame in 0..2000 {
        if frame % 50 == 0 {
            controller.fade(B, (frame / 50 % 2) as f32, 0.4);
        }
        controller.update(0.01);
        let next = [0, 1].map(|index| time(&controller, index));
        for (length, (last, next)) in [1.5, 1.0].into_iter().zip(last.into_iter().zip(next)) {
            let step = (next - last + length) % length;
            assert!(step > 0.004 && step < 0.025, "{frame}: {step}");
        }
        last = next;
    }
}

#[test]
fn each_trigger_fires_once_in_each_loop() {
    let mut set = AnimationSet::new();
    for (name, length) in [("a", 1.0), ("b", 1.7)] {
        let mut animation = Animation::new(name, length);
        for index in 0..4 {
            animation.add_trigger_normalized(index as f32 / 4.0, index);
        }
        set.add(animation).unwrap();
    }
    for speed in [1.0, -1.0] {
        let mut controller = AnimationController::new(Arc::new(set.clone()));
        controller
            .play_new(grouped(&controller, A).time(0.1).speed(speed), 0.0)
            .unwrap();
        controller
            .play_new(grouped(&controller, B).weight(0.4).speed(speed), 0.0)
            .unwrap();
        let mut fired = [0_usize; 2];
        let mut wraps = 0;
        for _ in 0..5000 {
            let before = time(&controller, 0);
            controller.update(0.011);
            wraps += usize::from((time(&controller, 0) < before) == (speed > 0.0));
            for trigger in controller.triggers() {
                fired[trigger.animation.index()] += 1;
            }
        }
        assert!(wraps > 30);
        assert!(fired[0].abs_diff(wraps * 4) < 4, "{fired:?} {wraps}");
        assert!(fired[1].abs_diff(fired[0]) <= 1, "{fired:?}");
    }
}

#[test]
fn an_update_longer_than_the_loop_is_in_step_too() {
    let (mut controller, curve) = registered();
    controller.play_new(grouped(&controller, A), 0.0).unwrap();
    controller
        .play_new(grouped(&controller, B).weight(0.5), 0.0)
        .unwrap();
    for dt in [1.3, 4.0, 100.0, 0.0, f32::NAN, 0.5] {
        controller.update(dt);
        let [slow, fast] = [time(&controller, 0), time(&controller, 1)].map(f64::from);
        let expected = curve.time(1, curve.position(0, slow));
        assert!((fast - expected).abs() < 1e-5, "{dt}");
    }
}

#[test]
fn a_state_predicts_its_controller() {
    let (mut controller, _) = registered();
    controller.play_new(grouped(&controller, A), 0.0).unwrap();
    controller.play_new(grouped(&controller, B), 0.5).unwrap();
    let set = controller.animation_set().clone();
    let mut expected = controller.state().clone();
    for _ in 0..50 {
        controller.update(0.017);
        expected.advance_with(&set, 0.017);
        assert_eq!(&expected, controller.state());
    }
}

/// Two loops of one motion whose first frames are at different phases, and the curve of both.
fn out_of_phase(offset: f32) -> (AnimationController, RegistrationCurve) {
    let (slow, fast) = (
        swung("slow", 1.5, |part| part),
        swung("fast", 1.0, move |part| warp(part) + offset),
    );
    let skeleton = figure();
    let motions = [&slow, &fast].map(|animation| Motion::new(&skeleton, animation));
    let curve = register(&motions, &RegisterSettings::default()).unwrap();
    assert!(curve.is_cyclic());
    let mut set = AnimationSet::new();
    for animation in [slow, fast] {
        set.add(animation).unwrap();
    }
    set.add_registration(curve.clone(), [A, B]).unwrap();
    (AnimationController::new(Arc::new(set)), curve)
}

/// Loops that begin at different phases keep in step by their phases: at every moment both are at the same part of the
/// motion, though one of them passes its end in the middle of the other.
#[test]
fn loops_of_different_phases_keep_in_step() {
    for offset in [0.2, 0.5, 0.85] {
        let (mut controller, _) = out_of_phase(offset);
        controller.play_new(grouped(&controller, A), 0.0).unwrap();
        controller
            .play_new(grouped(&controller, B).weight(0.5), 0.0)
            .unwrap();
        for step in 0..400 {
            controller.update(0.013);
            let [slow, fast] = [0, 1].map(|index| time(&controller, index));
            let phases = [slow / 1.5, warp(fast) + offset];
            let off = phases[1] - phases[0];
            let off = (off - off.round()).abs();
            assert!(
                off < 0.01,
                "{offset}, {step}: {slow} {fast}, {off} of a cycle"
            );
        }
    }
}

/// Each loop passes its own end as often as it plays, and fires its own triggers once per cycle.
#[test]
fn loops_of_different_phases_wrap_at_their_own_ends() {
    let (mut controller, _) = out_of_phase(0.4);
    controller.play_new(grouped(&controller, A), 0.0).unwrap();
    controller
        .play_new(grouped(&controller, B).weight(0.5), 0.0)
        .unwrap();
    let mut passed = [0, 0];
    let mut before = [time(&controller, 0), time(&controller, 1)];
    for _ in 0..1000 {
        controller.update(0.01);
        let now = [time(&controller, 0), time(&controller, 1)];
        for index in 0..2 {
            passed[index] += usize::from(now[index] < before[index]);
            // No jump but at the end.
            let length = [1.5, 1.0][index];
            let step = (now[index] - before[index]).rem_euclid(length);
            assert!(step < 0.03, "{index}: {} to {}", before[index], now[index]);
        }
        before = now;
    }
    assert!(
        passed[0].abs_diff(passed[1]) <= 1 && passed[0] >= 7,
        "{passed:?}"
    );
}
