//! Times of playing animations: how they wrap, stop and turn, and when what has ended goes.

use control::{A, controller, fade, play, playing, time};
use sinew::AnimationParameters;
use sinew::control::{ScalarRange, WrappedScalar};
use sinew_testing::control;

fn went(range: ScalarRange) -> (f32, f32, i32) {
    (range.begin, range.end, range.wraps)
}

#[test]
fn non_finite_numbers_do_not_change_a_scalar() {
    let wild = [
        f32::NAN,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::MAX,
        -f32::MAX,
    ];
    for value in wild {
        for min in wild {
            for max in wild {
                let scalar = WrappedScalar::new(value, min, max);
                assert!(scalar.min().is_finite() && scalar.max().is_finite());
                assert!(scalar.min() <= scalar.value() && scalar.value() <= scalar.max());
                for delta in wild.into_iter().chain([0.0, 1.0, -1e-40]) {
                    for backwards in [false, true] {
                        let (mut wrapped, mut stopped, mut bounced) = (scalar, scalar, scalar);
                        wrapped.wrap(delta);
                        let range = stopped.stop(delta);
                        assert!(range.end.is_finite());
                        bounced.bounce(delta, &mut { backwards });
                        let mut moved = scalar;
                        moved.set(delta);
                        for scalar in [wrapped, stopped, bounced, moved] {
                            assert!(scalar.min() <= scalar.value(), "{scalar:?} {delta}");
                            assert!(scalar.value() <= scalar.max(), "{scalar:?} {delta}");
                        }
                    }
                }
            }
        }
    }
}

/// S1.
#[test]
fn a_wrapped_scalar_re_enters_at_the_other_end() {
    let mut scalar = WrappedScalar::new(0.0, 1.0, 2.5);
    assert_eq!(scalar.value(), 1.0);
    for (delta, expected) in [
        (0.5, (1.0, 1.5, 0)),
        (1.5, (1.5, 1.5, 1)),
        (-1.0, (1.5, 2.0, -1)),
        (3.25, (2.0, 2.25, 2)),
        (-3.25, (2.25, 2.0, -2)),
    ] {
        assert_eq!(went(scalar.wrap(delta)), expected, "{delta}");
        assert_eq!(scalar.value(), expected.1);
    }
}

#[test]
fn landing_on_one_end_of_a_loop_is_landing_on_the_other() {
    let mut scalar = WrappedScalar::new(0.5, 0.0, 2.0);
    assert_eq!(went(scalar.wrap(1.5)), (0.5, 0.0, 1));
    assert_eq!(went(scalar.wrap(-0.25)), (0.0, 1.75, -1));
    assert_eq!(went(scalar.wrap(-1.75)), (1.75, 2.0, -1));
    assert_eq!(went(scalar.wrap(0.25)), (2.0, 0.25, 1));
}

/// S2.
#[test]
fn a_clamped_scalar_stays_at_its_ends_and_reports_the_overshoot() {
    let mut scalar = WrappedScalar::new(0.0, 1.0, 2.5);
    for (delta, end, value) in [
        (0.5, 1.5, 1.5),
        (1.5, 3.0, 2.5),
        (-1.0, 1.5, 1.5),
        (-3.0, -1.5, 1.0),
    ] {
        let begin = scalar.value();
        assert_eq!(went(scalar.stop(delta)), (begin, end, 0));
        assert_eq!(scalar.value(), value, "{delta}");
    }
}

/// S3.
#[test]
fn a_step_contains_the_times_passed_but_not_its_start() {
    let all = [0.8, 1.0, 1.5, 1.8, 2.0, 2.5, 3.0];
    for (begin, end, wraps, expected) in [
        (1.5, 2.0, 0, &[1.8, 2.0][..]),
        (2.0, 1.5, 0, &[1.5, 1.8]),
        (1.5, 2.0, 1, &[1.0, 1.5, 1.8, 2.0, 2.5]),
        (2.0, 1.5, 1, &[1.0, 1.5, 2.5]),
        (1.5, 2.0, -1, &[1.0, 2.0, 2.5]),
        (2.0, 1.5, -1, &[1.0, 1.5, 1.8, 2.0, 2.5]),
        (1.5, 2.0, 2, &[1.0, 1.5, 1.8, 2.0, 2.5]),
        (1.5, 2.0, -7, &[1.0, 1.5, 1.8, 2.0, 2.5]),
    ] {
        let range = ScalarRange {
            begin,
            end,
            min: 1.0,
            max: 2.5,
            wraps,
            bounces: 0,
        };
        let passed = all.iter().filter(|&&x| range.contains(x, false, true));
        let passed: Vec<f32> = passed.copied().collect();
        assert_eq!(passed, expected, "{begin} -> {end}, {wraps}");
    }
}

#[test]
fn the_caller_decides_whether_ends_are_included() {
    let range = WrappedScalar::new(0.25, 0.0, 1.0).wrap(0.5);
    for (begin, end) in [(false, false), (false, true), (true, false), (true, true)] {
        assert_eq!(range.contains(0.25, begin, end), begin);
        assert_eq!(range.contains(0.75, begin, end), end);
        assert!(range.contains(0.5, begin, end));
    }
}

/// S5.
#[test]
fn steps_of_any_length_wrap_in_constant_time() {
    let mut scalar = WrappedScalar::new(0.5, 0.0, 2.0);
    assert_eq!(went(scalar.wrap(1001.25)), (0.5, 1.75, 500));
    for delta in [1e9, -1e9, f32::MAX, f32::MIN, 1e-38] {
        let range = scalar.wrap(delta);
        assert!((0.0..=2.0).contains(&scalar.value()), "{delta}");
        assert_eq!(range.end, scalar.value());
    }
    let mut scalar = WrappedScalar::new(0.0, 0.0, 1.0);
    assert_eq!(scalar.wrap(1e9).wraps, 1_000_000_000);
    assert_eq!(scalar.wrap(f32::MAX).wraps, i32::MAX);
}

/// S6.
#[test]
fn a_scalar_in_an_empty_range_does_not_move() {
    let mut scalar = WrappedScalar::new(0.0, 0.0, 0.00004);
    assert_eq!(went(scalar.wrap(0.5)), (0.0, 0.0, 0));
    assert_eq!(went(scalar.bounce(0.5, &mut false)), (0.0, 0.0, 0));
    assert_eq!(scalar.value(), 0.0);
    let mut scalar = WrappedScalar::new(0.0, 0.0, 0.0);
    assert_eq!(went(scalar.stop(0.5)), (0.0, 0.5, 0));
    assert_eq!(scalar.value(), 0.0);
}

/// S7.
#[test]
fn reversed_ranges_are_swapped_and_values_clamped() {
    let scalar = WrappedScalar::new(5.0, 3.0, 1.0);
    assert_eq!(
        (scalar.min(), scalar.max(), scalar.value()),
        (1.0, 3.0, 3.0)
    );
    let controller = controller(&[2.0]);
    let cut = play(&controller, A).time(1.5).time_range(0.0, 1.0);
    assert_eq!(cut.time.value(), 1.0);
    let part = AnimationParameters::with_time_range(controller.animation_set(), A, 0.5, 1.5);
    assert_eq!(part.time.value(), 0.5);
    let whole = part.default_time_range(controller.animation_set());
    assert_eq!((whole.time.min(), whole.time.max()), (0.0, 2.0));
    assert_eq!(whole.time.value(), 0.5);
}

#[test]
fn a_bouncing_scalar_turns_at_its_ends() {
    let mut scalar = WrappedScalar::new(0.25, 0.0, 1.0);
    let mut backwards = false;
    for (delta, end, bounces, way) in [
        (0.5, 0.75, 0, false),
        (0.5, 0.75, 1, true),
        (0.5, 0.25, 0, true),
        (0.5, 0.25, -1, false),
        // Exactly onto an end, and on from there.
        (0.75, 1.0, 1, true),
        (0.5, 0.5, 0, true),
        (0.5, 0.0, -1, false),
        (0.25, 0.25, 0, false),
        // More than once, and all the way.
        (2.5, 0.75, 2, false),
        (2.0, 0.75, 2, false),
        // Against its direction: down, and up on the other way.
        (-0.5, 0.25, 0, false),
        (-0.5, 0.25, -1, true),
        (-1.0, 0.75, 1, false),
    ] {
        let range = scalar.bounce(delta, &mut backwards);
        assert_eq!(
            (range.end, range.bounces, backwards),
            (end, bounces, way),
            "{delta}"
        );
        assert_eq!((scalar.value(), range.wraps), (end, 0));
    }
}

/// Beginning at an end is no turn, whichever way the scalar was last going.
#[test]
fn a_bounce_from_an_end_passes_only_the_times_on_its_way() {
    for backwards in [false, true] {
        for (begin, delta, end, passed) in [
            (1.0, -0.25, 0.75, &[0.75][..]),
            (0.0, 0.25, 0.25, &[0.25]),
            (1.0, 0.25, 0.75, &[0.75]),
            (0.0, -0.25, 0.25, &[0.25]),
            (1.0, -1.5, 0.5, &[0.0, 0.25, 0.5, 0.75, 1.0]),
            (0.0, 1.5, 0.5, &[0.0, 0.25, 0.5, 0.75, 1.0]),
        ] {
            let mut scalar = WrappedScalar::new(begin, 0.0, 1.0);
            let range = scalar.bounce(delta, &mut { backwards });
            assert_eq!(range.end, end);
            let all = [0.0, 0.25, 0.5, 0.75, 1.0];
            let got: Vec<f32> = all
                .into_iter()
                .filter(|&x| range.contains(x, false, true))
                .collect();
            // A way that comes back over its beginning has passed it.
            let expected: Vec<f32> = passed.to_vec();
            let beginning = |list: &[f32]| list.iter().copied().filter(|&x| x != begin).collect();
            let (got, expected): (Vec<f32>, Vec<f32>) = (beginning(&got), beginning(&expected));
            assert_eq!(got, expected, "{begin} {delta} {backwards}");
        }
    }
    // Short ways do not pass their beginning.
    for (begin, delta) in [(1.0, -0.25), (0.0, 0.25), (1.0, 0.25), (0.0, -0.25)] {
        for backwards in [false, true] {
            let range = WrappedScalar::new(begin, 0.0, 1.0).bounce(delta, &mut { backwards });
            assert!(
                !range.contains(begin, false, true),
                "{begin} {delta} {backwards}"
            );
        }
    }
}

/// S22.
#[test]
fn an_animation_that_does_not_loop_is_removed_at_its_end() {
    let mut controller = playing(1.0, |p| p);
    controller.update(2.0);
    assert_eq!(controller.num_animations(), 0);
}

/// S23.
#[test]
fn landing_on_the_end_removes_an_animation_unless_it_is_kept() {
    let mut controller = playing(1.0, |p| p);
    controller.update(1.0);
    assert_eq!(controller.num_animations(), 0);

    let mut controller = playing(1.0, AnimationParameters::keep_on_completion);
    controller.update(1.0);
    let parked = controller.animations().to_vec();
    assert_eq!((time(&controller, 0), fade(&controller, 0)[0]), (1.0, 1.0));
    controller.update(0.5);
    assert_eq!(controller.animations(), parked);
}

/// S24.
#[test]
fn an_animation_at_its_end_completes_when_time_passes() {
    let mut controller = playing(1.0, |p| p.time(1.0));
    controller.update(0.0);
    assert_eq!(controller.num_animations(), 1);
    controller.update(0.001);
    assert_eq!(controller.num_animations(), 0);
}

/// S25.
#[test]
fn backwards_play_ends_at_the_beginning() {
    let mut controller = playing(1.0, |p| p.speed(-1.0));
    controller.update(0.0625);
    assert_eq!(controller.num_animations(), 0);

    let mut controller = playing(1.0, |p| p.speed(-1.0).time(1.0));
    controller.update(0.75);
    assert_eq!(time(&controller, 0), 0.25);
    controller.update(0.25);
    assert_eq!(controller.num_animations(), 0);
}

/// S26.
#[test]
fn an_automatic_fade_begins_at_the_end() {
    let mut controller = playing(1.0, |p| p.auto_fade_out(0.5));
    controller.update(0.75);
    assert_eq!(
        (time(&controller, 0), fade(&controller, 0)),
        (0.75, [1.0, 1.0, 0.0])
    );
    controller.update(0.5);
    assert_eq!(
        (time(&controller, 0), fade(&controller, 0)),
        (1.0, [0.5, 0.0, 0.25])
    );
    controller.update(0.125);
    assert_eq!(fade(&controller, 0), [0.25, 0.0, 0.125]);
    controller.update(0.125);
    assert_eq!(controller.num_animations(), 0);
}

/// S26, the second part.
#[test]
fn an_automatic_fade_counts_seconds_of_the_clock_at_any_speed() {
    let mut fast = playing(1.0, |p| p.auto_fade_out(0.5).speed(2.0));
    fast.update(0.75);
    assert_eq!((time(&fast, 0), fade(&fast, 0)), (1.0, [0.5, 0.0, 0.25]));
    let mut back = playing(1.0, |p| p.auto_fade_out(0.5).speed(-2.0).time(1.0));
    back.update(0.75);
    assert_eq!((time(&back, 0), fade(&back, 0)), (0.0, [0.5, 0.0, 0.25]));
}

/// S28.
#[test]
fn a_finished_automatic_fade_removes_kept_animations_too() {
    let mut controller = playing(1.0, |p| p.auto_fade_out(0.5));
    controller.update(1.75);
    assert_eq!(controller.num_animations(), 0);

    let mut controller = playing(1.0, |p| p.auto_fade_out(1.0).keep_on_completion());
    controller.update(1.5);
    assert_eq!(fade(&controller, 0), [0.5, 0.0, 0.5]);
    controller.update(0.5);
    assert_eq!(controller.num_animations(), 0);
}

#[test]
fn an_automatic_fade_does_not_begin_again() {
    let mut controller = playing(1.0, |p| p.auto_fade_out(0.5));
    controller.stop(A, 4.0);
    controller.update(2.0);
    assert_eq!(fade(&controller, 0), [0.5, 0.0, 2.0]);
}

/// S29.
#[test]
fn looped_animations_never_fade_out_automatically() {
    let mut controller = playing(1.0, |p| p.looped().auto_fade_out(0.5));
    controller.update(10.25);
    assert_eq!(
        (time(&controller, 0), fade(&controller, 0)),
        (0.25, [1.0, 1.0, 0.0])
    );
}

/// S30.
#[test]
fn at_speed_zero_time_stops_and_weights_still_fade() {
    let mut controller = playing(1.0, |p| p.speed(0.0).time(1.0));
    controller.fade(A, 0.5, 1.0);
    controller.update(100.0);
    assert_eq!(
        (time(&controller, 0), fade(&controller, 0)),
        (1.0, [0.5, 0.5, 0.0])
    );
}

/// S32.
#[test]
fn a_time_range_is_looped_within_and_may_exceed_the_animation() {
    let mut part = playing(2.0, |p| p.looped().time_range(0.5, 1.0));
    assert_eq!(time(&part, 0), 0.5);
    part.update(0.75);
    assert_eq!(time(&part, 0), 0.75);

    let mut beyond = playing(2.0, |p| p.time_range(0.0, 5.0).keep_on_completion());
    beyond.update(3.0);
    assert_eq!(time(&beyond, 0), 3.0);
}

#[test]
fn ping_pong_runs_back_from_the_end() {
    let mut controller = playing(1.0, AnimationParameters::ping_pong);
    let mut times = Vec::new();
    for _ in 0..10 {
        controller.update(0.375);
        times.push(time(&controller, 0));
    }
    let expected = [
        0.375, 0.75, 0.875, 0.5, 0.125, 0.25, 0.625, 1.0, 0.625, 0.25,
    ];
    assert_eq!(times, expected);
}

#[test]
fn negative_and_non_finite_time_steps_are_ignored() {
    let mut controller = playing(1.0, |p| p.looped().time(0.25));
    controller.fade(A, 0.0, 1.0);
    let before = controller.animations().to_vec();
    for dt in [0.0, -0.0, -1.0, f32::NEG_INFINITY, f32::NAN] {
        controller.update(dt);
        assert_eq!(controller.animations(), before, "{dt}");
    }
    controller.update(f32::INFINITY);
    assert_eq!(controller.num_animations(), 0);
}
