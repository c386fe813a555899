//! Taking over what another controller does.

use control::{A, B, C, D, controller, fade, list, play};
use sinew::control::ControlError;
use sinew::{AnimationController, AnimationParameters};
use sinew_testing::control;

/// Time, weight, target and delay of each that plays.
fn rows(controller: &AnimationController) -> Vec<(u32, u32, [f32; 4])> {
    let all = controller.animations().iter();
    all.map(|playing| {
        let numbers = [
            playing.time.value(),
            playing.weight,
            playing.target_weight,
            playing.target_weight_delay,
        ];
        (playing.animation.0, playing.instance_index, numbers)
    })
    .collect()
}

/// R, X and Z of two seconds, in these positions.
fn figures() -> AnimationController {
    controller(&[2.0, 2.0, 2.0])
}

#[test]
fn invalid_lists_change_nothing() {
    let mut controller = controller(&[1.0, 1.0]);
    let a = play(&controller, A).looped();
    controller.play_new(a.clone(), 0.0).unwrap();
    controller.update(0.25);
    let before = controller.state().clone();
    let (mut unknown, mut wild) = (a.clone(), a.clone());
    unknown.animation = C;
    wild.weight = f32::NAN;
    for bad in [unknown, wild, a.clone().mask("none")] {
        let list = [a.clone(), bad];
        assert!(controller.replace_animations(&list, 0.0, 1.0, &[]).is_err());
        assert_eq!(controller.state(), &before);
    }
}

/// S78.
#[test]
fn a_snapshot_advanced_by_its_age_is_the_current_state() {
    let mut controller = figures();
    let (r, x, z) = (
        play(&controller, A).looped(),
        play(&controller, B),
        play(&controller, C),
    );
    controller.play_new(r, 0.5).unwrap();
    controller
        .play_new(x.clone().looped().speed(2.0), 0.0)
        .unwrap();
    controller
        .play_new(x.speed(4.0).auto_fade_out(0.5), 0.0)
        .unwrap();
    let z = z.looped().additive().layer(1).weight(0.75);
    controller.play_new(z, 0.0).unwrap();

    controller.update(0.25);
    let s25 = controller.animations().to_vec();
    controller.update(0.5);
    let s75 = controller.animations().to_vec();
    assert_eq!(
        rows(&controller),
        [
            (0, 0, [0.75, 1.0, 1.0, 0.0]),
            (1, 0, [1.5, 1.0, 1.0, 0.0]),
            (1, 1, [2.0, 0.5, 0.0, 0.25]),
            (2, 0, [0.75, 0.75, 0.75, 0.0]),
        ]
    );
    controller.replace_animations(&s25, 0.5, 0.25, &[]).unwrap();
    controller.update(0.0);
    assert_eq!(controller.animations(), s75);

    controller.update(0.25);
    controller.update(0.25);
    let s125 = controller.animations().to_vec();
    assert_eq!(
        list(&controller),
        [(0, 0, 1.25, 1.0), (1, 0, 0.5, 1.0), (2, 0, 1.25, 0.75)]
    );
    for (list, elapsed) in [(&s25, 1.0), (&s75, 0.5)] {
        controller
            .replace_animations(list, elapsed, 0.25, &[])
            .unwrap();
        controller.update(0.0);
        assert_eq!(controller.animations(), s125);
    }
}

/// S80.
#[test]
fn a_follower_of_every_snapshot_equals_its_leader() {
    let start = || {
        let mut controller = figures();
        let x = play(&controller, B).looped();
        controller.play_new(x, 0.0).unwrap();
        controller.update(5.0);
        assert_eq!(list(&controller), [(1, 0, 1.0, 1.0)]);
        controller
    };
    let mut leader = start();
    let z = play(&leader, C).looped();
    leader.play_new_exclusive(z, 1.0).unwrap();
    let mut records = vec![leader.animations().to_vec()];
    for _ in 0..4 {
        leader.update(0.25);
        records.push(leader.animations().to_vec());
    }
    assert_eq!(list(&leader), [(2, 0, 1.0, 1.0)]);

    let mut follower = start();
    for (index, record) in records.iter().enumerate() {
        // A whole turn has passed since, so that times are those of the record.
        follower.replace_animations(record, 2.0, 1.0, &[]).unwrap();
        if index == 0 {
            // The fade of the list is over after two seconds, the one here begins.
            assert_eq!(fade(&follower, 0), [1.0, 0.0, 1.0]);
        }
        assert_eq!(follower.animations(), record.as_slice(), "record {index}");
        follower.update(0.25);
    }
}

/// S81.
#[test]
fn only_the_layers_that_are_named_are_faded_out() {
    let mut controller = controller(&[1.0, 1.0, 1.0, 1.0]);
    let (a, b, d) = (
        play(&controller, A).looped(),
        play(&controller, B).looped().time(0.25),
        play(&controller, D).looped().layer(3),
    );
    controller.play_new(a, 0.0).unwrap();
    controller.play_new(d, 0.0).unwrap();
    controller.update(0.5);
    controller
        .replace_animations(&[b], 0.25, 0.5, &[0])
        .unwrap();
    assert_eq!(
        rows(&controller),
        [
            (0, 0, [0.5, 1.0, 0.0, 0.5]),
            (3, 0, [0.5, 1.0, 1.0, 0.0]),
            (1, 0, [0.5, 0.0, 1.0, 0.5]),
        ]
    );
    let order: Vec<usize> = controller
        .application_order()
        .map(|(index, _)| index)
        .collect();
    assert_eq!(order, [0, 2, 1]);
}

/// S82.
#[test]
fn without_a_fade_replaced_instances_end_with_the_next_update() {
    let mut controller = controller(&[1.0, 1.0]);
    let (a, b) = (
        play(&controller, A).looped(),
        play(&controller, B).looped().time(0.25),
    );
    controller.play_new(a, 0.0).unwrap();
    controller.replace_animations(&[b], 0.25, 0.0, &[]).unwrap();
    assert_eq!(
        rows(&controller),
        [(0, 0, [0.0, 1.0, 0.0, 0.0]), (1, 0, [0.5, 1.0, 1.0, 0.0])]
    );
    controller.update(0.0);
    assert_eq!(rows(&controller), [(1, 0, [0.5, 1.0, 1.0, 0.0])]);
}

/// S84.
#[test]
fn ended_instances_are_left_out_and_their_counterparts_fade_out() {
    let mut controller = controller(&[2.0]);
    let a = play(&controller, A);
    controller.play_new(a.clone(), 0.0).unwrap();
    controller.update(1.5);
    controller
        .replace_animations(&[a.time(1.25)], 1.0, 0.5, &[])
        .unwrap();
    assert_eq!(rows(&controller), [(0, 0, [1.5, 1.0, 0.0, 0.5])]);
}

/// S85.
#[test]
fn fading_instances_precede_the_list() {
    let mut controller = controller(&[1.0, 1.0, 1.0, 1.0]);
    let of = |index| AnimationParameters::new(controller.animation_set(), index).looped();
    let (a, b, d) = (of(A), of(B), of(D));
    for parameters in [&a, &b, &d] {
        controller.play_new(parameters.clone(), 0.0).unwrap();
    }
    controller
        .replace_animations(&[d, a], 0.0, 1.0, &[])
        .unwrap();
    assert_eq!(
        rows(&controller),
        [
            (1, 0, [0.0, 1.0, 0.0, 1.0]),
            (3, 0, [0.0, 1.0, 1.0, 0.0]),
            (0, 0, [0.0, 1.0, 1.0, 0.0]),
        ]
    );
}

#[test]
fn shared_instances_keep_their_weight_and_take_the_rest_from_the_list() {
    let mut controller = controller(&[2.0]);
    let a = play(&controller, A).looped();
    controller.play_new(a.clone(), 1.0).unwrap();
    controller.update(0.25);
    // The same target: the fade here goes on.
    let same = a.clone().time(1.0).speed(0.5).layer(4);
    controller
        .replace_animations(std::slice::from_ref(&same), 0.5, 0.125, &[])
        .unwrap();
    assert_eq!(rows(&controller), [(0, 0, [1.25, 0.25, 1.0, 0.75])]);
    assert_eq!(controller.animations()[0].layer, 4);
    // Another: it is reached over the longer of both.
    let mut other = a.weight(0.5);
    for (delay, elapsed, fade, expected) in [(0.0, 0.0, 0.5, 0.5), (2.0, 0.5, 0.5, 1.5)] {
        other.target_weight_delay = delay;
        let mut copy = controller.clone();
        copy.replace_animations(std::slice::from_ref(&other), elapsed, fade, &[])
            .unwrap();
        assert_eq!(copy.animations()[0].weight, 0.25);
        assert_eq!(copy.animations()[0].target_weight, 0.5);
        assert_eq!(copy.animations()[0].target_weight_delay, expected);
    }
}

/// D10.
#[test]
fn an_instance_keeps_its_index_when_it_comes_from_elsewhere() {
    let mut leader = controller(&[1.0]);
    let a = play(&leader, A).looped();
    leader.play_new(a.clone(), 0.0).unwrap();
    leader.play_new(a.clone().layer(1), 0.0).unwrap();
    leader.remove_animation(0).unwrap();
    let mut follower = controller(&[1.0]);
    follower
        .replace_animations(leader.animations(), 0.0, 0.0, &[])
        .unwrap();
    assert_eq!(follower.animations(), leader.animations());
    assert_eq!(follower.animations()[0].instance_index, 1);

    // A list that has one twice is refused.
    let twice = [a.clone(), a];
    let before = follower.state().clone();
    let refused = follower.replace_animations(&twice, 0.0, 0.0, &[]);
    assert_eq!(
        refused,
        Err(ControlError::SameInstance {
            animation: 0,
            instance_index: 0
        })
    );
    assert_eq!(*follower.state(), before);
}

#[test]
fn replacing_animations_is_a_manual_change_and_fires_no_triggers() {
    let mut controller = controller(&[1.0]);
    let a = play(&controller, A).looped();
    controller.play_new(a, 0.0).unwrap();
    controller.update(0.25);
    let same = controller.animations().to_vec();
    controller.replace_animations(&same, 0.0, 0.5, &[]).unwrap();
    assert_eq!(
        (controller.revision(), controller.triggers().count()),
        (1, 0)
    );
    controller.update(0.0);
    assert_eq!(controller.revision(), 2);

    // Even when there is nothing to take over and nobody to take it from.
    controller.remove_animation(0).unwrap();
    controller.update(0.0);
    controller.replace_animations(&[], 0.0, 0.0, &[]).unwrap();
    controller.update(0.0);
    assert_eq!(controller.revision(), 4);
}
