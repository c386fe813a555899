//! Triggers: what an update passed on its way.

use control::{A, B, list};
use sinew::animation::Variant;
use sinew::control::SetError;
use sinew::{Animation, AnimationController, AnimationParameters, AnimationSet};
use sinew_testing::control;
use std::sync::Arc;

/// An animation of a second with triggers at these times, played as `how` says.
fn playing(
    times: &[f32],
    how: impl FnOnce(AnimationParameters) -> AnimationParameters,
) -> AnimationController {
    let mut animation = Animation::new("steps", 1.0);
    for &time in times {
        animation.add_trigger(time, time);
    }
    let mut set = AnimationSet::new();
    set.add(animation).unwrap();
    let parameters = how(AnimationParameters::new(&set, A));
    let mut controller = AnimationController::new(Arc::new(set));
    controller.play_new(parameters, 0.0).unwrap();
    controller
}

const USUAL: [f32; 4] = [0.0, 0.25, 0.5, 1.0];

/// The times of the triggers that an update of `dt` seconds passes.
fn fired(controller: &mut AnimationController, dt: f32) -> Vec<f32> {
    controller.update(dt);
    controller
        .triggers()
        .map(|fired| fired.trigger.time)
        .collect()
}

#[test]
fn invalid_triggers_are_refused() {
    for time in [-0.5, f32::NAN, f32::INFINITY] {
        let mut animation = Animation::new("bad", 1.0);
        animation.add_trigger(time, "bang");
        let error = AnimationSet::new().add(animation.clone()).unwrap_err();
        assert!(matches!(error, SetError::Invalid { .. }), "{error}");

        let mut set = AnimationSet::new();
        set.add(Animation::new("good", 1.0)).unwrap();
        set.add_trigger(A, 0.5, 1).unwrap();
        assert!(set.add_trigger(A, time, 2).is_err());
        assert!(set.add_trigger(B, 0.5, 2).is_err());
        assert_eq!(set.triggers(A).len(), 1);
        assert!(set.triggers(B).is_empty());
    }
}

/// S86.
#[test]
fn a_trigger_fires_when_it_is_passed_or_landed_on() {
    let mut controller = playing(&USUAL, AnimationParameters::keep_on_completion);
    let steps = [0.25, 0.25, 0.25, 0.5, 0.5].map(|dt| fired(&mut controller, dt));
    assert_eq!(steps, [vec![0.25], vec![0.5], vec![], vec![1.0], vec![]]);

    let mut controller = playing(&USUAL, AnimationParameters::keep_on_completion);
    assert_eq!(fired(&mut controller, 5.0), [0.25, 0.5, 1.0]);
    assert!(fired(&mut controller, 5.0).is_empty());
}

#[test]
fn an_animation_removed_in_an_update_fires_the_triggers_it_passed() {
    let mut controller = playing(&USUAL, |p| p.weight(0.0).keep_on_zero_weight());
    assert_eq!(fired(&mut controller, 1.0), [0.25, 0.5, 1.0]);
    assert_eq!(controller.num_animations(), 0);
    assert!(fired(&mut controller, 1.0).is_empty());
}

/// Across the seam of a loop triggers come in the order in which time passes them, the end before the beginning.
#[test]
fn a_loop_fires_each_trigger_once_per_update_in_order_of_passing() {
    let mut controller = playing(&USUAL, AnimationParameters::looped);
    let steps = [0.75, 0.5, 0.75, 0.25].map(|dt| fired(&mut controller, dt));
    assert_eq!(
        steps,
        [
            vec![0.25, 0.5],
            vec![1.0, 0.0, 0.25],
            // Landing on the end is landing on the beginning.
            vec![0.5, 1.0, 0.0],
            vec![0.25],
        ]
    );
    assert_eq!(fired(&mut controller, 7.5), [0.5, 1.0, 0.0, 0.25]);
    assert_eq!(fired(&mut controller, 1e9), [1.0, 0.0, 0.25, 0.5]);
}

/// S88.
#[test]
fn backwards_play_fires_triggers_in_reverse_order() {
    let mut controller = playing(&USUAL, |p| p.looped().speed(-1.0));
    assert_eq!(fired(&mut controller, 0.125), [1.0]);
    assert_eq!(fired(&mut controller, 0.75), [0.5, 0.25]);
    assert_eq!(fired(&mut controller, 0.125), [0.0, 1.0]);
    assert_eq!(list(&controller), [(0, 0, 1.0, 1.0)]);
    assert!(fired(&mut controller, 0.125).is_empty());
}

/// S88, in a range.
#[test]
fn triggers_outside_the_time_range_do_not_fire() {
    let mut controller = playing(&USUAL, |p| p.looped().time_range(0.125, 0.75));
    assert_eq!(fired(&mut controller, 0.25), [0.25]);
    assert_eq!(fired(&mut controller, 0.5), [0.5, 0.25]);
    assert_eq!(fired(&mut controller, 100.0), [0.5, 0.25]);
}

/// S88, beyond the end.
#[test]
fn a_trigger_beyond_the_end_fires_at_the_end_and_keeps_its_time() {
    let mut controller = playing(&[3.0], AnimationParameters::keep_on_completion);
    assert!(fired(&mut controller, 0.75).is_empty());
    assert_eq!(fired(&mut controller, 0.25), [3.0]);
}

/// S88, standing still.
#[test]
fn no_trigger_fires_while_time_stands_still() {
    let mut controller = playing(&USUAL, |p| p.looped().time(0.25));
    assert!(fired(&mut controller, 0.0).is_empty());
    assert!(fired(&mut controller, f32::NAN).is_empty());
    controller.update_animation_speed(A, 0.0);
    assert!(fired(&mut controller, 3.0).is_empty());
}

#[test]
fn setting_the_time_fires_no_trigger() {
    let mut controller = playing(&USUAL, AnimationParameters::looped);
    assert_eq!(fired(&mut controller, 0.375), [0.25]);
    controller.update_animation_time(A, 0.75);
    assert!(fired(&mut controller, 0.125).is_empty());
    assert_eq!(fired(&mut controller, 0.125), [1.0, 0.0]);
}

#[test]
fn ping_pong_fires_in_both_directions_and_at_an_end_once() {
    let mut controller = playing(&USUAL, AnimationParameters::ping_pong);
    let steps = [0.75, 0.5, 0.25, 0.625, 0.125].map(|dt| fired(&mut controller, dt));
    assert_eq!(
        steps,
        [
            vec![0.25, 0.5],
            vec![1.0],
            vec![0.5],
            vec![0.25, 0.0],
            vec![0.25]
        ]
    );
    // Round an end and exactly onto a trigger.
    let mut controller = playing(&USUAL, |p| p.ping_pong().time(0.75));
    assert_eq!(fired(&mut controller, 0.75), [1.0, 0.5]);
    assert_eq!(fired(&mut controller, 0.75), [0.25, 0.0]);
    // Exactly onto the end, and away from it.
    let mut controller = playing(&USUAL, AnimationParameters::ping_pong);
    let steps = [1.0, 0.25, 0.5, 0.25, 0.25].map(|dt| fired(&mut controller, dt));
    assert_eq!(
        steps,
        [
            vec![0.25, 0.5, 1.0],
            vec![],
            vec![0.5, 0.25],
            vec![0.0],
            vec![0.25]
        ]
    );
    assert_eq!(fired(&mut controller, 1e9), [0.5, 1.0, 0.25, 0.0]);
}

#[test]
fn ping_pong_backwards_from_an_end_fires_the_triggers_before_it() {
    for backwards in [false, true] {
        let mut controller = playing(&USUAL, |p| {
            let mut p = p.ping_pong().speed(-1.0).time(1.0);
            p.backwards = backwards;
            p
        });
        let steps = [0.25, 0.5, 0.25, 0.25, 0.75, 0.125].map(|dt| fired(&mut controller, dt));
        let expected = [
            vec![],
            vec![0.5, 0.25],
            vec![0.0],
            vec![0.25],
            vec![0.5, 1.0],
            vec![],
        ];
        assert_eq!(steps, expected, "{backwards}");
    }
}

#[test]
fn triggers_are_in_list_order_with_their_animation() {
    let mut set = AnimationSet::new();
    let mut walk = Animation::new("walk", 1.0);
    walk.add_trigger_normalized(0.5, "left");
    walk.add_trigger(0.25, "right");
    set.add(walk).unwrap();
    let wave = set.add(Animation::new("wave", 2.0)).unwrap();
    set.add_trigger(wave, 0.5, 7).unwrap();
    let set = Arc::new(set);
    let mut controller = AnimationController::new(set.clone());
    let walk = AnimationParameters::new(&set, A).looped();
    controller
        .play_new(AnimationParameters::new(&set, B).layer(9), 0.0)
        .unwrap();
    controller.play_new(walk.clone(), 0.0).unwrap();
    controller.play_new(walk.time(0.375), 0.0).unwrap();
    controller.update(0.5);
    let fired: Vec<(u32, u32, Variant)> = controller
        .triggers()
        .map(|fired| {
            (
                fired.animation.0,
                fired.instance_index,
                fired.trigger.data.clone(),
            )
        })
        .collect();
    assert_eq!(
        fired,
        [
            (1, 0, 7.into()),
            (0, 0, "right".into()),
            (0, 0, "left".into()),
            (0, 1, "left".into()),
        ]
    );
}

/// A walk and a run of one sync group that are mixed, each with a trigger per footstep: both fire with the weight that
/// their animation has, and one of them leads, so that a game that plays the leader's footsteps hears each once.
#[test]
fn triggers_have_their_weight_and_whether_their_animation_leads() {
    let mut set = AnimationSet::new();
    for (name, length) in [("walk", 1.0), ("run", 0.5), ("wave", 1.0)] {
        let mut animation = Animation::new(name, length);
        animation.add_trigger_normalized(0.5, "step");
        set.add(animation).unwrap();
    }
    let set = Arc::new(set);
    let (walk, run, wave) = (A, B, 2_usize.into());
    let synced = |animation| {
        AnimationParameters::new(&set, animation)
            .looped()
            .sync_group("feet")
    };
    for (weight, leader) in [(0.25, walk), (0.75, run)] {
        let mut controller = AnimationController::new(set.clone());
        controller.play_new(synced(walk), 0.0).unwrap();
        controller
            .play_new(synced(run).weight(weight), 0.0)
            .unwrap();
        let alone = AnimationParameters::new(&set, wave).looped().layer(1);
        controller.play_new(alone.weight(0.5), 0.0).unwrap();
        controller.update(0.75);
        let fired: Vec<_> = controller.triggers().collect();
        assert_eq!(fired.len(), 3);
        for playing in &fired {
            let (expected, leads) = match playing.animation {
                playing if playing == walk => (1.0, leader == walk),
                playing if playing == run => (weight, leader == run),
                _ => (0.5, true),
            };
            assert_eq!(
                (playing.weight, playing.leads),
                (expected, leads),
                "{playing:?}"
            );
        }
    }
}
