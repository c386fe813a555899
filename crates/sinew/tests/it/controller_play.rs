//! Playing several animations: beside each other, instead of each other, and by layers.

use control::{A, B, controller, fade, list, play};
use sinew::control::ControlError;
use sinew::{AnimationController, AnimationIndex, AnimationParameters};
use sinew_testing::control;

/// X sets a place to 1, Y to 0; both are looped.
const X: AnimationIndex = AnimationIndex(0);
const Y: AnimationIndex = AnimationIndex(1);

fn looped(controller: &AnimationController, index: AnimationIndex) -> AnimationParameters {
    play(controller, index).looped()
}

/// How much of X and of Y is seen: each animation is painted over what is there.
fn seen(controller: &AnimationController) -> (f32, f32) {
    let mut seen: Option<(f32, f32)> = None;
    for (_, playing) in controller.application_order() {
        let sample = if playing.animation == X {
            (1.0, 0.0)
        } else {
            (0.0, 1.0)
        };
        let weight = playing.applied_weight();
        if weight <= 0.0 {
            continue;
        }
        seen = Some(match seen {
            None => sample,
            Some((x, y)) => (
                x * (1.0 - weight) + sample.0 * weight,
                y * (1.0 - weight) + sample.1 * weight,
            ),
        });
    }
    seen.unwrap()
}

/// Y, and half of the way to X.
fn state_b() -> AnimationController {
    let mut controller = controller(&[1.0, 1.0]);
    let (x, y) = (looped(&controller, X), looped(&controller, Y));
    controller.play_new(y, 0.0).unwrap();
    controller.play_new_exclusive(x, 1.0).unwrap();
    controller.update(0.5);
    controller
}

/// X alone.
fn state_c() -> AnimationController {
    let mut controller = controller(&[1.0, 1.0]);
    let x = looped(&controller, X);
    controller.play_new(x, 0.0).unwrap();
    controller.update(0.5);
    controller
}

/// What is seen of X after each of four steps.
fn steps(controller: &mut AnimationController) -> [f32; 4] {
    [(); 4].map(|()| {
        controller.update(0.125);
        let (x, y) = seen(controller);
        assert_eq!(x + y, 1.0);
        x
    })
}

#[test]
fn halfway_a_crossfade_has_both_at_half_weight() {
    let controller = state_b();
    assert_eq!(list(&controller), [(1, 0, 0.5, 0.5), (0, 0, 0.5, 0.5)]);
    assert_eq!(fade(&controller, 0), [0.5, 0.0, 0.5]);
    assert_eq!(fade(&controller, 1), [0.5, 1.0, 0.5]);
    assert_eq!(seen(&controller), (0.5, 0.5));
}

/// S40.
#[test]
fn play_new_adds_another_instance_on_top() {
    let mut controller = state_b();
    let y = looped(&controller, Y);
    assert_eq!(controller.play_new(y, 0.5), Ok(2));
    assert_eq!(steps(&mut controller), [0.46875, 0.375, 0.21875, 0.0]);
    assert_eq!(list(&controller), [(0, 0, 0.0, 1.0), (1, 1, 0.5, 1.0)]);
}

/// S41.
#[test]
fn play_new_exclusive_fades_out_all_others() {
    let mut controller = state_b();
    let y = looped(&controller, Y);
    assert_eq!(controller.play_new_exclusive(y, 0.5), Ok(2));
    assert_eq!(steps(&mut controller), [0.28125, 0.125, 0.03125, 0.0]);
    assert_eq!(list(&controller), [(1, 1, 0.5, 1.0)]);
}

/// S43.
#[test]
fn play_existing_starts_an_animation_that_does_not_play() {
    let mut controller = state_c();
    let y = looped(&controller, Y);
    assert_eq!(controller.play_existing(y, 0.5), Ok(1));
    assert_eq!(steps(&mut controller), [0.75, 0.5, 0.25, 0.0]);
    assert_eq!(list(&controller), [(0, 0, 0.0, 1.0), (1, 0, 0.5, 1.0)]);
}

/// S44.
#[test]
fn play_existing_restores_a_fading_instance() {
    let mut controller = state_b();
    let y = looped(&controller, Y);
    assert_eq!(controller.play_existing_exclusive(y, 0.5), Ok(0));
    assert_eq!(steps(&mut controller), [0.375, 0.25, 0.125, 0.0]);
    assert_eq!(list(&controller), [(1, 0, 0.0, 1.0)]);
}

/// S45.
#[test]
fn play_existing_exclusive_crossfades() {
    let mut controller = state_c();
    let y = looped(&controller, Y);
    assert_eq!(controller.play_existing_exclusive(y, 0.5), Ok(1));
    let mut old = Vec::new();
    let mut x = Vec::new();
    for _ in 0..3 {
        controller.update(0.125);
        old.push(controller.animations()[0].weight);
        x.push(seen(&controller).0);
    }
    assert_eq!(old, [0.75, 0.5, 0.25]);
    assert_eq!(x, [0.75, 0.5, 0.25]);
    controller.update(0.125);
    assert_eq!(list(&controller), [(1, 0, 0.5, 1.0)]);
    assert_eq!(seen(&controller).0, 0.0);
}

/// S47.
#[test]
fn an_instance_played_while_it_fades_out_stays() {
    let mut controller = controller(&[1.0]);
    let a = looped(&controller, A);
    controller.play_new(a.clone(), 0.0).unwrap();
    controller.stop(A, 1.0);
    controller.update(0.75);
    assert_eq!(fade(&controller, 0), [0.25, 0.0, 0.25]);
    assert_eq!(controller.play_existing(a, 0.5), Ok(0));
    assert_eq!(fade(&controller, 0), [0.25, 1.0, 0.5]);
    controller.update(0.25);
    assert_eq!(fade(&controller, 0), [0.625, 1.0, 0.25]);
    controller.update(100.0);
    assert_eq!(fade(&controller, 0), [1.0, 1.0, 0.0]);
}

#[test]
fn playing_again_and_again_does_not_restart_a_fade() {
    let mut controller = controller(&[1.0]);
    let a = looped(&controller, A).speed(2.0);
    for step in 1..=4 {
        assert_eq!(controller.play_existing(a.clone(), 1.0), Ok(0));
        controller.update(0.25);
        assert_eq!(fade(&controller, 0)[0], step as f32 / 4.0);
    }
    // Speed is taken over, time and loop are not.
    let mut other = play(&controller, A).time(0.75).speed(-1.0);
    other.remove_on_zero_weight = false;
    let time = controller.animations()[0].time;
    assert_eq!(controller.play_existing(other, 0.0), Ok(0));
    let playing = &controller.animations()[0];
    assert_eq!(
        (playing.time, playing.looped, playing.speed),
        (time, true, -1.0)
    );
    assert!(!playing.remove_on_zero_weight);
}

#[test]
fn play_existing_ignores_instances_on_other_layers() {
    let mut controller = controller(&[1.0]);
    let a = looped(&controller, A);
    assert_eq!(controller.play_existing(a.clone(), 0.0), Ok(0));
    assert_eq!(controller.play_existing(a.clone().layer(2), 0.0), Ok(1));
    assert_eq!(controller.play_existing(a, 0.0), Ok(0));
    assert_eq!(controller.find_last_animation(A), Some(1));
    assert_eq!(controller.find_last_animation_on_layer(A, 0), Some(0));
    assert_eq!(controller.find_last_animation_on_layer(A, 1), None);
}

/// S48.
#[test]
fn layers_are_stopped_one_by_one() {
    let mut controller = controller(&[1.0, 1.0, 1.0]);
    let on = |index, layer| {
        AnimationParameters::new(controller.animation_set(), AnimationIndex(index))
            .looped()
            .layer(layer)
    };
    let (base, arms, wave) = (on(0, 0), on(1, 1), on(2, 1));
    controller.play_new(base, 0.0).unwrap();
    controller.play_new(arms, 0.0).unwrap();
    controller.play_new_exclusive(wave.clone(), 1.0).unwrap();
    let targets = |controller: &AnimationController| -> Vec<f32> {
        controller
            .animations()
            .iter()
            .map(|playing| playing.target_weight)
            .collect()
    };
    assert_eq!(targets(&controller), [1.0, 0.0, 1.0]);

    controller.play_new(wave.layer(0), 0.0).unwrap();
    assert_eq!(controller.stop_layer_except(0, 3, 1.0), Ok(1));
    assert_eq!(targets(&controller), [0.0, 0.0, 1.0, 1.0]);
    let before = controller.state().clone();
    assert_eq!(
        controller.stop_layer_except(0, 4, 1.0),
        Err(ControlError::NoSuchInstance { index: 4, count: 4 })
    );
    assert_eq!(controller.state(), &before);
    assert_eq!(controller.stop_layer(1, 1.0), 2);
    assert_eq!(targets(&controller), [0.0, 0.0, 0.0, 1.0]);
}

/// S49.
#[test]
fn names_refer_to_the_instance_added_last() {
    let mut controller = controller(&[1.0]);
    let a = looped(&controller, A);
    controller.play_new(a.clone(), 0.0).unwrap();
    controller.play_new(a, 0.0).unwrap();
    assert_eq!(controller.find_last_animation(A), Some(1));
    assert_eq!(
        controller
            .last_animation_parameters(A)
            .unwrap()
            .instance_index,
        1
    );
    controller.stop(A, 1.0);
    assert_eq!(fade(&controller, 0), [1.0, 1.0, 0.0]);
    assert_eq!(fade(&controller, 1), [1.0, 0.0, 1.0]);
    assert_eq!(controller.stop_all(0.5), 2);
    assert_eq!(fade(&controller, 0), [1.0, 0.0, 0.5]);
    assert_eq!(fade(&controller, 1), [1.0, 0.0, 0.5]);
}

#[test]
fn an_instance_gets_the_smallest_index_that_is_free() {
    let mut controller = controller(&[1.0, 1.0]);
    let (a, b) = (looped(&controller, A), looped(&controller, B));
    for _ in 0..3 {
        controller.play_new(a.clone(), 0.0).unwrap();
    }
    controller.play_new(b, 0.0).unwrap();
    assert_eq!(controller.remove_animation(1).unwrap().instance_index, 1);
    assert_eq!(controller.play_new(a.clone(), 0.0), Ok(3));
    assert_eq!(controller.play_new(a, 0.0), Ok(4));
    let indices: Vec<(u32, u32)> = list(&controller)
        .iter()
        .map(|indices| (indices.0, indices.1))
        .collect();
    assert_eq!(indices, [(0, 0), (0, 2), (1, 0), (0, 1), (0, 3)]);
}

/// S50.
#[test]
fn the_revision_counts_updates_that_found_a_change_by_hand() {
    let mut controller = controller(&[1.0, 0.5]);
    let (a, b) = (looped(&controller, A), play(&controller, B));
    assert_eq!(controller.revision(), 0);
    controller.play_new(a, 0.0).unwrap();
    controller.play_new(b, 0.0).unwrap();
    assert_eq!(controller.revision(), 0);
    controller.update(0.0);
    assert_eq!(controller.revision(), 1);
    controller.update(0.25);
    assert_eq!(controller.revision(), 1);
    let same = controller.animations()[0].clone();
    assert_eq!(controller.update_animation(0, same), Ok(false));
    controller.update(0.0);
    assert_eq!(controller.revision(), 1);
    controller.update_animation_speed(A, 0.5);
    controller.update(0.0);
    assert_eq!(controller.revision(), 2);
    controller.update(0.25);
    assert!(!controller.is_playing(B), "it has ended");
    controller.update(0.0);
    assert_eq!(controller.revision(), 2);
    controller.stop(A, 1.0);
    controller.update(0.5);
    assert_eq!(controller.revision(), 3);
    controller.stop(A, 1.0);
    controller.update(0.0);
    assert_eq!(controller.revision(), 3);
}

/// S51.
#[test]
fn invalid_positions_and_identities_change_nothing() {
    let mut controller = controller(&[1.0, 1.0]);
    let (a, b) = (looped(&controller, A), looped(&controller, B));
    controller.play_new(a.clone(), 0.0).unwrap();
    controller.update(0.25);
    let before = controller.state().clone();

    let missing = |index| ControlError::NoSuchInstance { index, count: 1 };
    assert_eq!(controller.update_animation(7, a.clone()), Err(missing(7)));
    assert_eq!(controller.remove_animation(99), Err(missing(99)));
    assert_eq!(controller.animation_parameters(99), None);
    let changed = ControlError::IdentityChanged {
        index: 0,
        animation: 0,
        instance_index: 0,
    };
    assert_eq!(controller.update_animation(0, b), Err(changed.clone()));
    let mut second = a.clone();
    second.instance_index = 1;
    assert_eq!(controller.update_animation(0, second), Err(changed));
    let mut unknown = a.clone();
    unknown.animation = AnimationIndex(2);
    let no_such = ControlError::NoSuchAnimation {
        animation: 2,
        count: 2,
    };
    assert_eq!(controller.add_animation(unknown), Err(no_such));
    let no_mask = ControlError::NoSuchMask {
        name: "arms".into(),
    };
    assert_eq!(controller.add_animation(a.mask("arms")), Err(no_mask));
    assert_eq!(controller.state(), &before);
}

#[test]
fn animations_are_applied_by_layer_and_then_as_they_were_added() {
    let mut controller = controller(&[1.0, 1.0]);
    let a = looped(&controller, A);
    for layer in [5, 0, 3, 0, u32::MAX, 3] {
        controller.play_new(a.clone().layer(layer), 0.0).unwrap();
    }
    let order = |controller: &AnimationController| -> Vec<usize> {
        controller
            .application_order()
            .map(|(index, _)| index)
            .collect()
    };
    assert_eq!(order(&controller), [1, 3, 2, 5, 0, 4]);
    let mut lower = controller.animations()[4].clone();
    lower.layer = 0;
    controller.update_animation(4, lower).unwrap();
    assert_eq!(order(&controller), [1, 3, 4, 2, 5, 0]);
    controller.remove_animation(1).unwrap();
    assert_eq!(order(&controller), [2, 3, 1, 4, 0]);
    controller.stop_layer(3, 0.0);
    controller.update(0.0);
    assert_eq!(order(&controller), [1, 2, 0]);
}

/// Indices are the smallest that are free, of thousands of instances of two animations on three layers, and after some
/// were removed. (That adding them takes time in proportion to their number is counted in `benches/controller.md`.)
#[test]
fn thousands_of_instances_have_the_smallest_free_indices() {
    let mut controller = controller(&[1.0, 2.0]);
    for round in 0..16_000_u32 {
        for animation in [A, B] {
            let parameters = play(&controller, animation).looped().layer(round % 3);
            controller.play_new(parameters, 0.0).unwrap();
        }
    }
    let playing = controller.animations();
    assert!(
        playing
            .iter()
            .zip(0..)
            .all(|(playing, index)| playing.instance_index == index / 2)
    );
    let layers: Vec<u32> = controller
        .application_order()
        .map(|(_, playing)| playing.layer)
        .collect();
    assert!(layers.is_sorted());
    // Holes are filled from the smallest.
    for index in [9_000, 400, 8] {
        controller.remove_animation(index).unwrap();
    }
    let expected = [4, 200, 4_500, 16_000, 16_001];
    for expected in expected {
        let parameters = play(&controller, A).looped();
        let index = controller.play_new(parameters, 0.0).unwrap();
        assert_eq!(controller.animations()[index].instance_index, expected);
    }
}
