//! Fades as they are seen: where a joint is, step by step.

use crate::binding_common;
use binding_common::{Stage, chain, held, on_each_body};
use sinew::{AnimationParameters, Skeleton};

/// X puts a joint to (1, 0, 0), Y to (0, 1, 0).
fn with_x_and_y(test: impl Fn(&mut Stage)) {
    let animations = [
        held("X", "J", [1.0, 0.0, 0.0]),
        held("Y", "J", [0.0, 1.0, 0.0]),
    ];
    let skeleton: Skeleton = chain(&["J"]);
    on_each_body(skeleton, animations, test);
}

fn looped(stage: &Stage, name: &str) -> AnimationParameters {
    stage.parameters(name).looped()
}

/// Y, and half of the way to X.
fn half_way(stage: &mut Stage) {
    stage.play("Y");
    let x = looped(stage, "X");
    stage.controller.play_new_exclusive(x, 1.0).unwrap();
    stage.update(0.5);
    assert_eq!(stage.at("J").to_array(), [0.5, 0.5, 0.0]);
}

/// X alone.
fn alone(stage: &mut Stage) {
    stage.play("X");
    stage.update(0.5);
    assert_eq!(stage.at("J").to_array(), [1.0, 0.0, 0.0]);
}

/// Where the joint is along x after each of four steps; along y it is the rest of the way.
fn steps(stage: &mut Stage) -> [f32; 4] {
    [(); 4].map(|()| {
        stage.update(0.125);
        let position = stage.at("J");
        assert_eq!(position.x + position.y, 1.0);
        assert_eq!(position.z, 0.0);
        position.x
    })
}

/// S40.
#[test]
fn play_new_covers_the_playing_animation_as_it_fades_in() {
    with_x_and_y(|stage| {
        half_way(stage);
        let y = looped(stage, "Y");
        assert_eq!(stage.controller.play_new(y, 0.5), Ok(2));
        assert_eq!(steps(stage), [0.46875, 0.375, 0.21875, 0.0]);
    });
}

/// S41.
#[test]
fn play_new_exclusive_covers_faster_because_the_others_fade_out() {
    with_x_and_y(|stage| {
        half_way(stage);
        let y = looped(stage, "Y");
        stage.controller.play_new_exclusive(y, 0.5).unwrap();
        assert_eq!(steps(stage), [0.28125, 0.125, 0.03125, 0.0]);
        assert_eq!(stage.controller.num_animations(), 1);
    });
}

/// Y is below X and has full weight already: X continues to cover it.
#[test]
fn play_existing_of_a_covered_instance_shows_nothing_until_the_cover_ends() {
    with_x_and_y(|stage| {
        half_way(stage);
        let y = looped(stage, "Y");
        assert_eq!(stage.controller.play_existing(y, 0.5), Ok(0));
        assert_eq!(steps(stage), [0.625, 0.75, 0.875, 1.0]);
    });
}

/// S43.
#[test]
fn play_existing_of_an_animation_that_does_not_play_fades_it_in() {
    with_x_and_y(|stage| {
        alone(stage);
        let y = looped(stage, "Y");
        stage.controller.play_existing(y, 0.5).unwrap();
        assert_eq!(steps(stage), [0.75, 0.5, 0.25, 0.0]);
        assert_eq!(stage.controller.animations()[0].weight, 1.0);
    });
}

/// S44.
#[test]
fn play_existing_exclusive_uncovers_the_instance() {
    with_x_and_y(|stage| {
        half_way(stage);
        let y = looped(stage, "Y");
        stage.controller.play_existing_exclusive(y, 0.5).unwrap();
        assert_eq!(steps(stage), [0.375, 0.25, 0.125, 0.0]);
        assert_eq!(stage.controller.num_animations(), 1);
    });
}

/// S45.
#[test]
fn play_existing_exclusive_of_an_animation_that_does_not_play_fades_the_others_out() {
    with_x_and_y(|stage| {
        alone(stage);
        let y = looped(stage, "Y");
        stage.controller.play_existing_exclusive(y, 0.5).unwrap();
        assert_eq!(steps(stage), [0.75, 0.5, 0.25, 0.0]);
        assert_eq!(stage.controller.num_animations(), 1);
    });
}

/// S36, as it is seen: what is removed is not applied, and what it did stays.
#[test]
fn stopping_without_a_fade_leaves_the_nodes_in_place() {
    with_x_and_y(|stage| {
        alone(stage);
        stage.body.put("J", sinew::Transform::IDENTITY);
        stage.controller.stop_all(0.0);
        stage.update(0.0);
        assert_eq!(stage.controller.num_animations(), 0);
        assert_eq!(stage.at("J").to_array(), [0.0; 3]);
    });
}
