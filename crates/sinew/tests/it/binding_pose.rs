//! What several animations make of one pose, on a skeleton and in a scene alike.

use crate::binding_common;
use binding_common::{
    PoseBody, Stage, animation, chain, held, near, on_each_body, positions, rotations, same_turn,
    set_of, swing, turn, turned,
};
use sinew::animation::{Channel, ChannelWeights, Interpolation, KeyTimes, TransformTrack};
use sinew::glam::{Quat, Vec3};
use sinew::{Animation, AnimationController, Pose, Skeleton, Transform};
use std::sync::Arc;

fn quads() -> Skeleton {
    chain(&["Quad 1", "Quad 2"])
}

/// Swings Quad 2 along x, and along z.
fn swings() -> [Animation; 2] {
    [("X2", Vec3::X), ("Z2", Vec3::new(0.0, 0.0, 2.0))]
        .map(|(name, way)| animation(name, 2.0, swing("Quad 2", Vec3::Y, way, 2.0)))
}

/// Turns Quad 1 once about y.
fn spin() -> Animation {
    let key = |time: f32| (time * 0.5, turn(Vec3::Y, f64::from(time) * 90.0));
    let track = TransformTrack {
        rotation: rotations([0.0, 1.0, 2.0, 3.0, 4.0].map(key)),
        ..TransformTrack::new("Quad 1")
    };
    animation("R1", 2.0, track)
}

#[test]
fn a_pose_of_another_skeleton_is_refused_and_unchanged() {
    let set = Arc::new(set_of([held("P", "Quad 1", [1.0, 2.0, 3.0])]));
    let mut body = PoseBody::new(&Arc::new(quads()), &set);
    let mut other = Pose::rest(&chain(&["Quad 1"]));
    let before = other.clone();
    let controller = AnimationController::new(set);
    let error = body.binding.apply(&controller, &mut other).unwrap_err();
    assert!(error.to_string().contains('2'), "{error}");
    assert_eq!(other, before);
}

/// S53.
#[test]
fn a_layer_is_blended_over_the_layers_below() {
    on_each_body(quads(), swings().into_iter().chain([spin()]), |stage| {
        stage.play("R1");
        stage.play("X2");
        stage.play_as("Z2", |parameters| parameters.layer(1).weight(0.75));
        for expected in [
            [-1.5, 1.0, 0.25],
            [0.0, 1.0, 0.0],
            [-1.5, 1.0, 0.25],
            [0.0, 1.0, 0.0],
        ] {
            for _ in 0..10 {
                stage.update(0.05);
            }
            near(stage.body.world("Quad 2"), expected, 5e-5);
            let saved = stage.controller.state().clone();
            stage.controller.stop_all(0.0);
            stage.controller.update(0.0);
            stage.controller.restore(saved).unwrap();
        }
    });
}

/// S54.
#[test]
fn an_additive_layer_adds_the_difference_from_its_first_key() {
    on_each_body(quads(), swings(), |stage| {
        stage.play("X2");
        stage.play_as("Z2", |parameters| {
            parameters.layer(1).weight(0.75).additive()
        });
        stage.update(0.5);
        near(stage.at("Quad 2"), [-1.0, 1.0, -1.5], 0.0);
        stage.update(1.0);
        near(stage.at("Quad 2"), [1.0, 1.0, 1.5], 0.0);
    });
}

#[test]
fn additive_animations_alone_do_nothing() {
    on_each_body(quads(), swings(), |stage| {
        for reset in [false, true] {
            stage.body.reset_skeleton(reset);
            stage.play_as("X2", |parameters| parameters.additive());
            stage.play_as("Z2", |parameters| parameters.additive().layer(3));
            stage.update(0.5);
            assert_eq!(stage.body.local("Quad 2"), Transform::IDENTITY);
        }
    });
}

#[test]
fn without_playing_animations_nothing_changes() {
    on_each_body(quads(), swings(), |stage| {
        let moved = Transform::from_position(Vec3::ONE);
        stage.body.put("Quad 2", moved);
        stage.update(0.5);
        assert_eq!(stage.body.local("Quad 2"), moved);
    });
}

/// S55.
#[test]
fn a_lone_animation_has_full_weight_and_its_pose_stays_when_it_ends() {
    on_each_body(quads(), swings(), |stage| {
        stage.play_as("X2", |parameters| parameters.weight(0.5));
        stage.update(0.5);
        near(stage.at("Quad 2"), [-1.0, 1.0, 0.0], 0.0);
        let x2 = stage.controller.animation_set().find("X2").unwrap();
        assert!(stage.controller.stop(x2, 1.0));
        for expected in [-0.5, 0.0, 0.5] {
            stage.update(0.25);
            near(stage.at("Quad 2"), [expected, 1.0, 0.0], 0.0);
        }
        stage.update(0.25);
        assert_eq!(stage.controller.num_animations(), 0);
        near(stage.at("Quad 2"), [0.5, 1.0, 0.0], 0.0);
    });
}

/// Three that hold a joint, and one that goes from (1, 1, 1) to (3, 1, 5) in a second.
fn places() -> [Animation; 4] {
    let moving = TransformTrack {
        position: positions([(0.0, [1.0; 3]), (1.0, [3.0, 1.0, 5.0])]),
        ..TransformTrack::new("J")
    };
    [
        held("P1", "J", [10.0, 0.0, 0.0]),
        held("P2", "J", [0.0, 20.0, 0.0]),
        held("P3", "J", [9.0, 9.0, 9.0]),
        animation("moving", 1.0, moving),
    ]
}

/// S57.
#[test]
fn animations_are_painted_over_each_other_in_order() {
    on_each_body(chain(&["J"]), places(), |stage| {
        stage.play("P1");
        stage.play_as("P2", |parameters| parameters.weight(0.25));
        stage.update(0.0);
        near(stage.at("J"), [7.5, 5.0, 0.0], 0.0);
        stage.play_as("moving", |parameters| {
            let once = sinew::AnimationParameters {
                looped: false,
                ..parameters
            };
            once.time(1.0).weight(0.5).additive().keep_on_completion()
        });
        stage.update(0.0);
        near(stage.at("J"), [8.5, 5.0, 2.0], 0.0);
        stage.play("P3");
        stage.update(0.0);
        near(stage.at("J"), [9.0; 3], 0.0);
    });
}

/// S58.
#[test]
fn layers_precede_the_order_of_adding_and_zero_weights_are_skipped() {
    on_each_body(chain(&["J"]), places(), |stage| {
        stage.play_as("P1", |parameters| parameters.layer(5).weight(0.25));
        stage.play("P2");
        stage.update(0.0);
        near(stage.at("J"), [2.5, 15.0, 0.0], 0.0);
        stage.controller.stop_all(0.0);
        stage.controller.update(0.0);
        stage.play_as("P1", |parameters| {
            parameters.weight(0.0).keep_on_zero_weight()
        });
        stage.play_as("P2", |parameters| parameters.weight(0.25));
        stage.update(0.0);
        near(stage.at("J"), [0.0, 20.0, 0.0], 0.0);
        assert_eq!(stage.controller.num_animations(), 2);
    });
}

/// S61.
#[test]
fn rotations_are_blended_the_shorter_way_one_after_the_other() {
    let animations = [
        turned("0", "J", Quat::IDENTITY),
        turned("270Y", "J", turn(Vec3::Y, 270.0)),
        turned("90Y", "J", turn(Vec3::Y, 90.0)),
        turned("90X", "J", turn(Vec3::X, 90.0)),
    ];
    on_each_body(chain(&["J"]), animations, |stage| {
        let turned = |stage: &Stage| stage.body.local("J").rotation;
        stage.play("0");
        stage.play_as("270Y", |parameters| parameters.weight(0.5));
        stage.update(0.0);
        same_turn(turned(stage), turn(Vec3::Y, -45.0));
        stage.controller.stop_all(0.0);
        stage.controller.update(0.0);
        stage.play("0");
        stage.play_as("90Y", |parameters| parameters.weight(0.25));
        stage.update(0.0);
        same_turn(turned(stage), Quat::from_xyzw(0.0, 0.19509, 0.0, 0.98079));
        stage.play_as("90X", |parameters| parameters.weight(0.5));
        stage.update(0.0);
        let expected = Quat::from_xyzw(0.38422, 0.10600, 0.0, 0.91714);
        same_turn(turned(stage), expected);
    });
}

/// The turn since the first key is made in the parent's frame, after what is there.
#[test]
fn additive_rotations_turn_in_the_frame_of_the_parent() {
    let moving = TransformTrack {
        rotation: rotations([(0.0, turn(Vec3::Z, 30.0)), (1.0, turn(Vec3::Z, 120.0))]),
        ..TransformTrack::new("J")
    };
    let animations = [
        turned("base", "J", turn(Vec3::Y, 90.0)),
        animation("moving", 1.0, moving),
    ];
    on_each_body(chain(&["J"]), animations, |stage| {
        stage.play("base");
        let moving = stage.parameters("moving").time(1.0).additive();
        for (weight, degrees) in [(1.0, 90.0), (0.5, 45.0)] {
            let parameters = moving.clone().weight(weight).keep_on_completion();
            let index = stage.controller.play_new(parameters, 0.0).unwrap();
            stage.update(0.0);
            let expected = sinew::math::quat_mul(turn(Vec3::Z, degrees), turn(Vec3::Y, 90.0));
            same_turn(stage.body.local("J").rotation, expected);
            stage.controller.remove_animation(index).unwrap();
        }
    });
}

/// S62.
#[test]
fn additive_scales_are_sums() {
    let scaled = |keys: [(f32, [f32; 3]); 2]| TransformTrack {
        scale: positions(keys),
        ..TransformTrack::new("J")
    };
    let animations = [
        animation("base", 1.0, scaled([(0.0, [2.0; 3]), (1.0, [2.0; 3])])),
        animation(
            "more",
            1.0,
            scaled([(0.0, [1.0; 3]), (1.0, [3.0, 1.0, 1.0])]),
        ),
    ];
    on_each_body(chain(&["J"]), animations, |stage| {
        stage.play("base");
        let more = stage.parameters("more").time(1.0).additive().weight(0.5);
        stage.controller.play_new(more, 0.0).unwrap();
        stage.update(0.0);
        assert_eq!(stage.body.local("J").scale, Vec3::new(3.0, 2.0, 2.0));
    });
}

/// S64.
#[test]
fn channel_weights_apply_except_to_the_first_animation() {
    let half = |name: &str| {
        let mut animation = held(name, "J", [8.0; 3]);
        animation.tracks[0].weights = ChannelWeights {
            position: 0.5,
            ..ChannelWeights::default()
        };
        animation
    };
    let animations = [held("base", "J", [0.0; 3]), half("B")];
    on_each_body(chain(&["J"]), animations, |stage| {
        stage.play_as("B", |parameters| parameters.weight(0.5).layer(1));
        stage.update(0.0);
        near(stage.at("J"), [8.0; 3], 0.0);
        stage.play("base");
        stage.update(0.0);
        near(stage.at("J"), [2.0; 3], 0.0);
    });
}

/// S65.
#[test]
fn a_weight_above_one_replaces_until_it_has_faded_below_one() {
    on_each_body(chain(&["J"]), places(), |stage| {
        stage.play("P2");
        stage.play_as("P1", |parameters| parameters.weight(1.5).layer(1));
        let p1 = stage.controller.animation_set().find("P1").unwrap();
        stage.controller.stop(p1, 1.0);
        stage.update(0.25);
        assert_eq!(stage.controller.animations()[1].weight, 1.125);
        near(stage.at("J"), [10.0, 0.0, 0.0], 0.0);
        stage.update(0.25);
        near(stage.at("J"), [7.5, 5.0, 0.0], 0.0);
    });
}

#[test]
fn channels_are_blended_independently() {
    let both = TransformTrack {
        position: positions([(0.0, [4.0, 0.0, 0.0])]),
        rotation: rotations([(0.0, turn(Vec3::X, 90.0))]),
        ..TransformTrack::new("J")
    };
    let animations = [held("moves", "J", [0.0; 3]), animation("both", 1.0, both)];
    on_each_body(chain(&["J"]), animations, |stage| {
        let scale = Vec3::new(3.0, 4.0, 5.0);
        let was = Transform {
            scale,
            rotation: turn(Vec3::Z, 10.0),
            ..Transform::IDENTITY
        };
        stage.body.put("J", was);
        stage.play("moves");
        stage.update(0.0);
        assert_eq!(stage.body.local("J"), was);
        stage.play_as("both", |parameters| parameters.weight(0.25));
        stage.update(0.0);
        let found = stage.body.local("J");
        near(found.position, [1.0, 0.0, 0.0], 0.0);
        assert_eq!(found.rotation, turn(Vec3::X, 90.0));
        assert_eq!(found.scale, scale);
    });
}

#[test]
fn cubic_tracks_play_as_cubics() {
    let cubic = Channel::cubic(
        KeyTimes::listed([0.0, 1.0]).unwrap(),
        vec![Vec3::ZERO, Vec3::splat(10.0)],
        vec![Vec3::ZERO; 2],
        vec![Vec3::splat(20.0), Vec3::ZERO],
    );
    let track = TransformTrack {
        position: Some(cubic.unwrap()),
        ..TransformTrack::new("J")
    };
    on_each_body(chain(&["J"]), [animation("curve", 1.0, track)], |stage| {
        stage.play("curve");
        stage.update(0.25);
        near(stage.at("J"), [4.375; 3], 0.0);
        stage.update(0.25);
        near(stage.at("J"), [7.5; 3], 0.0);
    });
}

/// Keys at 0 and 1 of an animation of two seconds.
fn half_keyed(interpolation: Interpolation) -> Animation {
    let keys = [(0.0, Vec3::ZERO), (1.0, Vec3::splat(10.0))];
    let track = TransformTrack {
        position: Some(Channel::from_keys(keys, interpolation).unwrap()),
        ..TransformTrack::new("J")
    };
    animation("half", 2.0, track)
}

/// S9.
#[test]
fn a_looped_track_interpolates_from_its_last_key_to_its_first() {
    let places = |stage: &mut Stage| {
        [0.5, 0.5, 0.5, 0.25].map(|step| {
            stage.update(step);
            stage.at("J").x
        })
    };
    on_each_body(
        chain(&["J"]),
        [half_keyed(Interpolation::Linear)],
        |stage| {
            stage.play("half");
            assert_eq!(places(stage), [5.0, 10.0, 5.0, 2.5]);
            stage.controller.stop_all(0.0);
            let once = stage.parameters("half").keep_on_completion();
            stage.controller.play_new(once, 0.0).unwrap();
            stage.controller.update(0.0);
            assert_eq!(places(stage), [5.0, 10.0, 10.0, 10.0]);
        },
    );
    on_each_body(chain(&["J"]), [half_keyed(Interpolation::Step)], |stage| {
        stage.play("half");
        assert_eq!(places(stage), [0.0, 10.0, 10.0, 10.0]);
    });
}

#[test]
fn ping_pong_holds_the_last_key_and_retraces_the_way_back() {
    on_each_body(
        chain(&["J"]),
        [half_keyed(Interpolation::Linear)],
        |stage| {
            let parameters = stage.parameters("half").ping_pong();
            stage.controller.play_new(parameters, 0.0).unwrap();
            let mut places = Vec::new();
            for _ in 0..9 {
                stage.update(0.5);
                places.push(stage.at("J").x);
            }
            let expected = [5.0, 10.0, 10.0, 10.0, 10.0, 10.0, 5.0, 0.0, 5.0];
            assert_eq!(places, expected);
        },
    );
}
