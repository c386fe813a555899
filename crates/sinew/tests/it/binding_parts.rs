//! Parts of a body: start bones, masks, and what nothing animates.

use crate::binding_common;
use binding_common::{
    Stage, animation, chain, held, near, on_each_body, on_each_body_with, positions, set_of, swing,
};
use sinew::animation::TransformTrack;
use sinew::control::{BindingProblem, Mask};
use sinew::glam::Vec3;
use sinew::{Animation, Skeleton, Transform};

fn quads() -> Skeleton {
    chain(&["Quad 1", "Quad 2"])
}

/// Swings Quad 1 along x and Quad 2 along z.
fn both() -> Animation {
    let mut animation = Animation::new("both", 2.0);
    animation.set_track(swing("Quad 1", Vec3::ZERO, Vec3::X, 2.0));
    let way = Vec3::new(0.0, 0.0, 2.0);
    animation.set_track(swing("Quad 2", Vec3::Y, way, 2.0));
    animation
}

/// S71.
#[test]
fn a_start_bone_is_animated_with_all_below_it_and_nothing_above() {
    for (start, expected) in [
        ("Quad 1", [-1.0, 1.0, -2.0]),
        ("Quad 2", [0.0, 1.0, -2.0]),
        ("", [-1.0, 1.0, -2.0]),
    ] {
        on_each_body(quads(), [both()], |stage| {
            stage.play_as("both", |parameters| parameters.start_bone(start));
            stage.update(0.5);
            near(stage.body.world("Quad 2"), expected, 0.0);
            assert_eq!(stage.body.warnings(), []);
        });
    }
}

/// S73.
#[test]
fn an_unknown_start_bone_animates_nothing_and_is_reported_once() {
    on_each_body(quads(), [both()], |stage| {
        let before = stage.body.world("Quad 2");
        stage.play_as("both", |parameters| parameters.start_bone("Quad 7"));
        for _ in 0..100 {
            stage.update(0.005);
        }
        near(stage.body.world("Quad 2"), before.to_array(), 0.0);
        let [warning] = stage.body.warnings() else {
            panic!("{:?}", stage.body.warnings());
        };
        assert_eq!(warning.name, "Quad 7");
        assert_eq!(warning.problem, BindingProblem::NoSuchStartBone);
    });
}

/// S73.
#[test]
fn a_track_without_a_joint_is_reported_once_and_the_others_play() {
    let mut animation = both();
    animation.set_track(swing("Quad 7", Vec3::ZERO, Vec3::X, 2.0));
    on_each_body(quads(), [animation], |stage| {
        stage.play("both");
        for _ in 0..100 {
            stage.update(0.005);
        }
        near(stage.body.world("Quad 2"), [-1.0, 1.0, -2.0], 1e-4);
        let [warning] = stage.body.warnings() else {
            panic!("{:?}", stage.body.warnings());
        };
        assert_eq!(warning.name, "Quad 7");
        assert_eq!(warning.problem, BindingProblem::NoSuchNode);
    });
}

#[test]
fn tracks_outside_a_start_bone_are_not_reported() {
    on_each_body(quads(), [both()], |stage| {
        stage.play_as("both", |parameters| parameters.start_bone("Quad 2"));
        stage.update(0.5);
        assert_eq!(stage.body.warnings(), []);
    });
}

#[test]
fn a_start_bone_changed_during_play_applies_at_once() {
    on_each_body(quads(), [both()], |stage| {
        stage.play_as("both", |parameters| parameters.start_bone("Quad 2"));
        stage.update(0.25);
        near(stage.at("Quad 1"), [0.0; 3], 0.0);
        let parameters = stage.controller.animations()[0].clone();
        let changed = stage
            .controller
            .update_animation(0, parameters.start_bone("Quad 1"));
        assert_eq!(changed, Ok(true));
        stage.update(0.25);
        near(stage.at("Quad 1"), [-1.0, 0.0, 0.0], 0.0);
        let parameters = stage.controller.animations()[0].clone();
        stage
            .controller
            .update_animation(0, parameters.start_bone("Quad 2"))
            .unwrap();
        stage.update(0.5);
        near(stage.at("Quad 1"), [-1.0, 0.0, 0.0], 0.0);
        near(stage.at("Quad 2"), [0.0, 1.0, 0.0], 0.0);
    });
}

/// Holds each of four joints at (4, 0, 0), or at the origin.
fn four(name: &str, x: f32) -> Animation {
    let mut animation = Animation::new(name, 1.0);
    for joint in JOINTS {
        let at = held("", joint, [x, 0.0, 0.0]);
        animation.tracks.extend(at.tracks);
    }
    animation
}

const JOINTS: [&str; 4] = ["A", "B", "C", "D"];

/// A at 0, B at 0.5, all others at 1.
fn with_mask(test: impl Fn(&mut Stage)) {
    let mut set = set_of([four("base", 0.0), four("over", 4.0)]);
    set.set_mask("upper", Mask::all().with("A", 0.0).with("B", 0.5));
    on_each_body_with(chain(&JOINTS), set, test);
}

fn xs(stage: &Stage) -> [f32; 4] {
    JOINTS.map(|joint| stage.at(joint).x)
}

#[test]
fn a_mask_weights_joints() {
    with_mask(|stage| {
        stage.play("base");
        stage.play_as("over", |parameters| parameters.mask("upper"));
        stage.update(0.0);
        assert_eq!(xs(stage), [0.0, 2.0, 4.0, 4.0]);
        assert!(stage.controller.stop(1.into(), 1.0));
        stage.update(0.5);
        assert_eq!(xs(stage), [0.0, 1.0, 2.0, 2.0]);
        stage.update(0.5);
        assert_eq!(xs(stage), [0.0; 4]);
    });
}

#[test]
fn a_mask_and_a_start_bone_combine() {
    with_mask(|stage| {
        stage.play("base");
        stage.play_as("over", |parameters| {
            parameters.mask("upper").start_bone("B")
        });
        stage.play_as("over", |parameters| {
            parameters.weight(0.5).mask("upper").start_bone("D")
        });
        stage.update(0.0);
        assert_eq!(xs(stage), [0.0, 2.0, 4.0, 4.0]);
        stage.controller.remove_animation(1).unwrap();
        stage.update(0.0);
        assert_eq!(xs(stage), [0.0, 0.0, 0.0, 2.0]);
    });
}

#[test]
fn the_first_animation_on_a_joint_counts_in_full_unless_its_mask_is_zero() {
    with_mask(|stage| {
        stage
            .body
            .put("A", Transform::from_position(Vec3::splat(9.0)));
        stage.play_as("over", |parameters| parameters.mask("upper").weight(0.25));
        stage.update(0.0);
        assert_eq!(xs(stage), [9.0, 4.0, 4.0, 4.0]);
    });
}

#[test]
fn additive_animations_are_masked_too() {
    let moving = |joint: &str| TransformTrack {
        position: positions([(0.0, [0.0; 3]), (1.0, [8.0, 0.0, 0.0])]),
        ..TransformTrack::new(joint)
    };
    let mut more = Animation::new("more", 1.0);
    more.tracks = JOINTS.map(moving).into();
    let mut set = set_of([four("base", 1.0), more]);
    set.set_mask("upper", Mask::none().with("B", 0.5).with("D", 1.0));
    on_each_body_with(chain(&JOINTS), set, |stage| {
        stage.play("base");
        let more = stage.parameters("more").time(1.0).additive().mask("upper");
        stage.controller.play_new(more.weight(0.5), 0.0).unwrap();
        stage.update(0.0);
        assert_eq!(xs(stage), [1.0, 3.0, 1.0, 5.0]);
    });
}

#[test]
fn masks_made_of_a_subtree_contain_it() {
    let skeleton = chain(&JOINTS);
    let mask = Mask::subtree(&skeleton, "C").unwrap();
    assert_eq!(JOINTS.map(|joint| mask.weight(joint)), [0.0, 0.0, 1.0, 1.0]);
    assert_eq!(Mask::subtree(&skeleton, "Z"), None);
}

/// Plain nodes have no rest, so they stay.
#[test]
fn reset_puts_unanimated_joints_to_rest() {
    let mut skeleton = quads().joints().to_vec();
    skeleton[0].rest = Transform::from_position(Vec3::splat(5.0));
    let skeleton = Skeleton::new(skeleton).unwrap();
    let animations = [animation("X2", 2.0, swing("Quad 2", Vec3::Y, Vec3::X, 2.0))];
    on_each_body(skeleton, animations, |stage| {
        let moved = Transform::from_position(Vec3::NEG_X);
        let rests = stage.body.kind() != "scene of nodes";
        stage.body.put("Quad 1", moved);
        stage.play("X2");
        stage.update(0.5);
        near(stage.at("Quad 1"), [-1.0, 0.0, 0.0], 0.0);
        stage.body.reset_skeleton(true);
        stage.update(0.5);
        let rest = if rests { [5.0; 3] } else { [-1.0, 0.0, 0.0] };
        near(stage.at("Quad 1"), rest, 0.0);
        near(stage.at("Quad 2"), [0.0, 1.0, 0.0], 0.0);
        stage.controller.stop_all(0.0);
        stage.body.put("Quad 2", moved);
        stage.update(0.0);
        let rest = if rests { [0.0; 3] } else { [-1.0, 0.0, 0.0] };
        near(stage.at("Quad 2"), rest, 0.0);
    });
}
