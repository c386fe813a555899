//! Weights of playing animations: fading in and out, and stopping.

use control::{A, B, controller, fade, play, playing, time};
use sinew::control::ControlError;
use sinew::{AnimationController, AnimationParameters};
use sinew_testing::control;

/// A looped animation that fades in over a second.
fn fading_in() -> AnimationController {
    let mut controller = controller(&[1.0]);
    let parameters = play(&controller, A).looped();
    controller.play_new(parameters, 1.0).unwrap();
    controller
}

#[test]
fn invalid_numbers_are_refused() {
    let mut controller = controller(&[1.0]);
    let good = play(&controller, A).looped();
    controller.play_new(good.clone(), 0.0).unwrap();
    let before = controller.state().clone();
    type Put = fn(&mut AnimationParameters, f32);
    let fields: [(&str, Put, bool); 5] = [
        ("auto_fade_out_time", |p, x| p.auto_fade_out_time = x, true),
        ("speed", |p, x| p.speed = x, false),
        ("weight", |p, x| p.weight = x, false),
        ("target_weight", |p, x| p.target_weight = x, false),
        (
            "target_weight_delay",
            |p, x| p.target_weight_delay = x,
            true,
        ),
    ];
    for (name, put, is_duration) in fields {
        for value in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, -1.0] {
            if value == -1.0 && !is_duration {
                continue;
            }
            let mut bad = good.clone();
            put(&mut bad, value);
            let errors = [
                controller.add_animation(bad.clone()).unwrap_err(),
                controller.play_existing(bad.clone(), 0.0).unwrap_err(),
                controller.update_animation(0, bad.clone()).unwrap_err(),
                controller
                    .replace_animations(&[bad], 0.0, 0.0, &[])
                    .unwrap_err(),
            ];
            for error in errors {
                assert!(
                    matches!(error, ControlError::Number { field, .. } if field == name),
                    "{error}"
                );
            }
        }
    }
    for value in [f32::NAN, -f32::NAN] {
        assert!(!controller.fade(A, value, 1.0));
        assert!(!controller.update_animation_weight(A, value, 1.0));
        assert!(!controller.update_animation_speed(A, value));
        assert!(!controller.update_animation_time(A, value));
    }
    assert_eq!(controller.state(), &before);
}

/// S33.
#[test]
fn a_fade_in_is_linear_for_any_time_steps() {
    let mut controller = fading_in();
    assert_eq!(fade(&controller, 0), [0.0, 1.0, 1.0]);
    let mut in_one_go = controller.clone();
    controller.update(0.25);
    assert_eq!(fade(&controller, 0), [0.25, 1.0, 0.75]);
    controller.update(0.25);
    assert_eq!(fade(&controller, 0), [0.5, 1.0, 0.5]);
    in_one_go.update(0.5);
    assert_eq!(in_one_go.state(), controller.state());
    controller.update(0.5);
    assert_eq!(fade(&controller, 0), [1.0, 1.0, 0.0]);
}

#[test]
fn an_animation_that_fades_in_survives_an_update_of_zero_seconds() {
    let mut controller = fading_in();
    controller.update(0.0);
    assert_eq!(fade(&controller, 0), [0.0, 1.0, 1.0]);
}

/// S35.
#[test]
fn a_second_stop_shortens_a_fade_out_and_never_lengthens_it() {
    let mut controller = fading_in();
    controller.update(0.5);
    assert!(controller.stop(A, 2.0));
    assert_eq!(fade(&controller, 0), [0.5, 0.0, 2.0]);
    controller.update(0.5);
    assert_eq!(fade(&controller, 0), [0.375, 0.0, 1.5]);
    assert!(controller.stop(A, 4.0));
    assert_eq!(fade(&controller, 0), [0.375, 0.0, 1.5]);
    assert!(controller.stop(A, 0.5));
    assert_eq!(fade(&controller, 0), [0.375, 0.0, 0.5]);
    controller.update(0.25);
    assert_eq!(fade(&controller, 0), [0.1875, 0.0, 0.25]);
    controller.update(0.25);
    assert_eq!(controller.num_animations(), 0);
}

/// S36.
#[test]
fn a_stop_without_a_fade_is_seen_by_the_next_update() {
    let mut controller = playing(1.0, AnimationParameters::looped);
    controller.stop(A, 0.0);
    assert_eq!(fade(&controller, 0)[0], 1.0);
    assert!(controller.is_playing(A));
    controller.update(0.0);
    assert!(!controller.is_playing(A));
}

/// S37.
#[test]
fn a_fade_continues_from_the_current_weight() {
    let mut controller = playing(1.0, AnimationParameters::looped);
    assert!(controller.fade(A, 0.25, 1.0));
    controller.update(0.5);
    assert_eq!(fade(&controller, 0), [0.625, 0.25, 0.5]);
    assert!(controller.fade(A, 0.75, 0.5));
    controller.update(0.25);
    assert_eq!(fade(&controller, 0), [0.6875, 0.75, 0.25]);
    controller.update(1.0);
    assert_eq!(fade(&controller, 0), [0.75, 0.75, 0.0]);
}

/// S38.
#[test]
fn at_weight_zero_an_animation_is_removed_unless_it_is_kept() {
    let mut kept = playing(1.0, |p| p.looped().keep_on_zero_weight());
    kept.fade(A, 0.0, 1.0);
    kept.update(1.0);
    assert_eq!(fade(&kept, 0), [0.0, 0.0, 0.0]);
    assert_eq!(kept.animations()[0].applied_weight(), 0.0);
    kept.update(1.0);
    assert_eq!(kept.num_animations(), 1);

    let mut plain = playing(1.0, AnimationParameters::looped);
    plain.fade(A, 0.0, 1.0);
    plain.update(0.75);
    assert_eq!(plain.num_animations(), 1);
    plain.update(0.25);
    assert_eq!(plain.num_animations(), 0);
}

#[test]
fn an_animation_kept_at_weight_zero_is_removed_when_stopped() {
    let mut controller = playing(1.0, |p| p.looped().keep_on_zero_weight().weight(0.0));
    controller.update(1.0);
    assert_eq!(controller.num_animations(), 1);
    controller.stop(A, 0.0);
    controller.update(0.0);
    assert_eq!(controller.num_animations(), 0);
}

/// S39.
#[test]
fn weights_and_times_are_set_at_once_or_over_time() {
    let mut controller = playing(2.0, AnimationParameters::looped);
    assert!(controller.update_animation_weight(A, 0.25, 0.0));
    assert_eq!(fade(&controller, 0), [0.25, 0.25, 0.0]);
    assert!(controller.update_animation_weight(A, 1.0, 1.0));
    assert_eq!(fade(&controller, 0), [0.25, 1.0, 1.0]);
    for (asked, got) in [(-1.0, 0.0), (5.0, 2.0), (f32::INFINITY, 2.0), (0.5, 0.5)] {
        assert!(controller.update_animation_time(A, asked));
        assert_eq!(time(&controller, 0), got);
    }
    assert!(controller.update_animation_speed(A, -0.5));
    assert_eq!(controller.animations()[0].speed, -0.5);
}

/// S39, the low level.
#[test]
fn a_weight_set_beside_its_target_is_overwritten() {
    let mut controller = playing(1.0, AnimationParameters::looped);
    let mut parameters = controller.animations()[0].clone();
    parameters.weight = 0.3;
    assert_eq!(controller.update_animation(0, parameters), Ok(true));
    assert_eq!(fade(&controller, 0), [0.3, 1.0, 0.0]);
    controller.update(0.0);
    assert_eq!(fade(&controller, 0), [1.0, 1.0, 0.0]);
}

/// S39 and S49.
#[test]
fn functions_on_animations_that_do_not_play_change_nothing() {
    let mut controller = controller(&[1.0, 1.0]);
    let parameters = play(&controller, A).looped();
    controller.play_new(parameters, 0.0).unwrap();
    controller.update(0.0);
    let before = controller.state().clone();
    for absent in [B, sinew::AnimationIndex(7), sinew::AnimationIndex(u32::MAX)] {
        assert!(!controller.update_animation_time(absent, 0.5));
        assert!(!controller.update_animation_weight(absent, 0.5, 0.0));
        assert!(!controller.update_animation_speed(absent, 0.5));
        assert!(!controller.fade(absent, 0.5, 0.0));
        assert!(!controller.stop(absent, 0.5));
        assert!(!controller.is_playing(absent));
        assert_eq!(controller.last_animation_parameters(absent), None);
    }
    assert_eq!(controller.stop_layer(5, 0.0), 0);
    assert_eq!(controller.state(), &before);
}

/// S65, the parameters.
#[test]
fn a_weight_above_one_acts_as_one() {
    let mut controller = playing(1.0, |p| p.looped().weight(1.5));
    controller.stop(A, 1.0);
    for (weight, applied) in [(1.125, 1.0), (0.75, 0.75), (0.375, 0.375)] {
        controller.update(0.25);
        let playing = &controller.animations()[0];
        assert_eq!(
            (playing.weight, playing.applied_weight()),
            (weight, applied)
        );
    }
}

#[test]
fn invalid_fade_durations_are_clamped() {
    let mut controller = playing(1.0, AnimationParameters::looped);
    for (seconds, delay) in [
        (f32::NAN, 0.0),
        (-3.0, 0.0),
        (f32::INFINITY, 1e8),
        (f32::MAX, 1e8),
        (2.0, 2.0),
    ] {
        assert!(controller.fade(A, 0.5, seconds));
        assert_eq!(fade(&controller, 0)[2], delay);
    }
    // What is no weight or speed changes nothing.
    let before = controller.state().clone();
    for wrong in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        assert!(!controller.fade(A, wrong, 1.0));
        assert!(!controller.update_animation_weight(A, wrong, 0.0));
        assert!(!controller.update_animation_speed(A, wrong));
    }
    assert_eq!(*controller.state(), before);
}
