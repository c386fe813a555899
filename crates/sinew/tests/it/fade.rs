//! The cross-fade.

use common::{Actor, animation, key, puppet};
use sinew::skelform::curve::Ease;
use sinew::skelform::{AnimationFrame, ArmatureCrossfade, Element};
use sinew_testing::characters as common;

fn two_poses() -> Actor {
    let at = |x, rotation| {
        vec![
            key(0, Element::PositionX, x),
            key(0, Element::Rotation, rotation),
        ]
    };
    Actor::new(puppet(vec![
        animation("a", at(0.0, 3.0)),
        animation("b", at(100.0, -3.0)),
    ]))
}

fn second() -> AnimationFrame {
    AnimationFrame::new(1.into(), 0.0)
}

#[test]
fn a_fade_of_zero_duration_switches_at_once() {
    for seconds in [0.0, -1.0, f32::NAN] {
        let mut actor = two_poses();
        let mut fade = ArmatureCrossfade::new(&actor.armature);
        actor.at(0.0);
        fade.start(&actor.state, seconds);
        actor.play(&[second()]);
        fade.apply(&mut actor.state, 0.0);
        assert_eq!(actor.state.bones()[0].position.x, 100.0);
    }
}

#[test]
fn a_fade_does_not_depend_on_the_frame_rate() {
    let mut seen = Vec::new();
    for frame_rate in [30, 60, 144, 1000] {
        let mut actor = two_poses();
        let mut fade = ArmatureCrossfade::new(&actor.armature);
        actor.at(0.0);
        fade.start(&actor.state, 0.5);
        for _ in 0..frame_rate / 4 {
            actor.play(&[second()]);
            fade.apply(&mut actor.state, 1.0 / frame_rate as f32);
        }
        seen.push(actor.state.bones()[0].position.x);
    }
    // A quarter of a second is not a whole number of frames at 30 per second.
    assert!((seen[0] - 50.0).abs() < 8.0, "{seen:?}");
    for x in &seen[1..] {
        assert!((x - 50.0).abs() < 0.1, "{seen:?}");
    }
}

#[test]
fn rotations_fade_the_shorter_way() {
    let mut actor = two_poses();
    let mut fade = ArmatureCrossfade::new(&actor.armature).with_ease(Ease::Linear);
    actor.at(0.0);
    fade.start(&actor.state, 1.0);
    actor.play(&[second()]);
    fade.apply(&mut actor.state, 0.5);
    // From 3 to -3 by way of π, not of 0.
    let rotation = actor.state.bones()[0].rotation;
    assert!(
        (rotation.abs() - std::f32::consts::PI).abs() < 1e-5,
        "{rotation}"
    );
}

#[test]
fn an_interrupted_fade_continues_from_what_was_shown() {
    let mut actor = two_poses();
    let mut fade = ArmatureCrossfade::new(&actor.armature);
    actor.at(0.0);
    fade.start(&actor.state, 0.4);
    let mut last = actor.state.bones()[0].position.x;
    let mut largest = 0f32;
    for step in 0..200 {
        let target = (step / 9) % 2;
        if step % 9 == 0 {
            fade.start(&actor.state, 0.4);
        }
        actor.play(&[AnimationFrame::new((target as usize).into(), 0.0)]);
        fade.apply(&mut actor.state, 1.0 / 60.0);
        let x = actor.state.bones()[0].position.x;
        largest = largest.max((x - last).abs());
        last = x;
    }
    // Over 24 frames the steepest frame of this curve goes about a twelfth of the way.
    assert!(largest < 100.0 / 10.0, "jumped by {largest}");
}

#[test]
fn after_its_duration_nothing_of_the_old_pose_is_left() {
    let mut actor = two_poses();
    let mut fade = ArmatureCrossfade::new(&actor.armature);
    actor.at(0.0);
    fade.start(&actor.state, 0.1);
    assert!(fade.is_running());
    actor.play(&[second()]);
    fade.apply(&mut actor.state, 0.2);
    assert!(!fade.is_running());
    assert_eq!(fade.weight(), 1.0);
    assert_eq!(actor.state.bones()[0].position.x, 100.0);
}

#[test]
fn a_target_that_turns_past_half_a_turn_does_not_flip_the_fade() {
    let turning = vec![
        key(0, Element::Rotation, 3.0),
        key(60, Element::Rotation, 3.4),
    ];
    let mut actor = Actor::new(puppet(vec![
        animation("still", vec![key(0, Element::Rotation, 0.0)]),
        animation("turning", turning),
    ]));
    let mut fade = ArmatureCrossfade::new(&actor.armature);
    actor.at(0.0);
    fade.start(&actor.state, 1.0);
    let mut last = 0.0;
    for frame in 0..60 {
        actor.play(&[AnimationFrame::new(1.into(), frame as f32)]);
        fade.apply(&mut actor.state, 1.0 / 60.0);
        let rotation = actor.state.bones()[0].rotation;
        assert!(
            (0.0..0.2).contains(&(rotation - last)),
            "frame {frame}: {last} to {rotation}"
        );
        last = rotation;
    }
}
