//! Springy bones, per call and by time.

use common::{Actor, assert_near, bone, chain, spring};
use proptest::prelude::*;
use sinew::glam::Vec2;
use sinew::math::shortest_angle;
use sinew::skelform::{PhysicsData, PhysicsStep, snap_physics, warm_up};
use sinew_testing::characters as common;

fn damped(position_damping: f32) -> PhysicsData {
    PhysicsData {
        position_damping,
        ..PhysicsData::default()
    }
}

fn swaying(rotation_bounce: f32) -> PhysicsData {
    PhysicsData {
        sway: 1.0,
        rotation_bounce,
        ..PhysicsData::default()
    }
}

#[test]
fn one_call_covers_two_nths_of_the_way_for_damping_n() {
    let mut actor = Actor::new(spring((100.0, 50.0), damped(10.9)));
    assert_near(actor.construct().position(1), Vec2::new(20.0, 10.0), 1e-4);
    assert_near(actor.construct().position(1), Vec2::new(36.0, 18.0), 1e-4);
}

#[test]
fn damping_of_two_or_less_follows_at_once() {
    for damping in [0.5, 1.0, 2.0, 2.9] {
        let mut actor = Actor::new(spring((100.0, 50.0), damped(damping)));
        assert_eq!(
            actor.construct().position(1),
            Vec2::new(100.0, 50.0),
            "{damping}"
        );
    }
}

#[test]
fn ratios_loosen_one_axis_less() {
    let at = |position_ratio| {
        let data = PhysicsData {
            position_ratio,
            ..damped(10.0)
        };
        Actor::new(spring((100.0, 100.0), data))
            .construct()
            .position(1)
    };
    assert_near(at(0.5), Vec2::new(40.0, 20.0), 1e-4);
    assert_near(at(-0.5), Vec2::new(20.0, 40.0), 1e-4);
    assert_near(at(1.0), Vec2::new(100.0, 20.0), 1e-4);
}

#[test]
fn scale_has_a_ratio_of_its_own() {
    let mut physics = PhysicsData {
        scale_damping: 10.0,
        scale_ratio: 0.5,
        ..PhysicsData::default()
    };
    physics.position_ratio = -1.0;
    let mut actor = Actor::new(spring((0.0, 0.0), physics));
    actor.construct();
    let scale = actor.pose.bone(1.into()).unwrap().scale;
    assert_near(scale, Vec2::new(0.4, 0.2), 1e-5);
}

#[test]
fn rotation_follows_by_the_shorter_way() {
    let mut data = spring(
        (0.0, 0.0),
        PhysicsData {
            rotation_damping: 4.0,
            ..PhysicsData::default()
        },
    );
    data.bones[1].rotation = -3.0;
    data.physics[0].start.rotation = 3.0;
    let mut actor = Actor::new(data);
    let expected = 3.0 + (std::f32::consts::TAU - 6.0) / 4.0;
    assert!((actor.construct().rotation(1) - expected).abs() < 1e-5);
}

#[test]
fn springs_settle_on_the_pose_that_ik_made() {
    // A springy bone on the tip of a chain that reaches straight up.
    let mut data = chain(&[20.0, 20.0], (0.0, 4000.0));
    data.bones.push(bone(Some(2), (5.0, 0.0)));
    data.bones[4].physics = Some(0);
    data.physics.push(damped(10.0));
    let mut actor = Actor::new(data);
    for _ in 0..300 {
        actor.construct();
    }
    assert_near(actor.position(4), Vec2::new(0.0, 45.0), 0.05);
}

#[test]
fn swinging_bones_come_home() {
    for rotation_bounce in [0.0, 0.25, 0.75] {
        let mut data = spring((30.0, 0.0), swaying(rotation_bounce));
        data.physics[0].start.orbit = 2.0;
        data.physics[0].start.position = Vec2::new(30.0, 0.0);
        let mut actor = Actor::new(data);
        let start = actor.construct().position(1);
        assert!(
            start.y.abs() > 10.0,
            "bounce {rotation_bounce} starts at {start}"
        );
        for _ in 0..1500 {
            actor.construct();
        }
        assert_near(actor.position(1), Vec2::new(30.0, 0.0), 0.05);
    }
}

#[test]
fn bouncing_overshoots_and_not_bouncing_does_not() {
    let lowest = |rotation_bounce| {
        let mut data = spring((30.0, 0.0), swaying(rotation_bounce));
        data.physics[0].start.orbit = 1.0;
        data.physics[0].start.position = Vec2::new(30.0, 0.0);
        let mut actor = Actor::new(data);
        let heights = (0..300).map(|_| actor.construct().position(1).y);
        heights.fold(f32::INFINITY, f32::min)
    };
    // The orbit leads by -1 at first, which carries the bone to positive y.
    assert!(lowest(0.0) > -1e-3, "{}", lowest(0.0));
    assert!(lowest(0.75) < -5.0, "{}", lowest(0.75));
}

#[test]
fn movement_swings_a_bone_against_it() {
    // A bone that hangs down, on a character that moves to the right.
    let mut data = spring((0.0, -30.0), swaying(0.0));
    data.physics[0].start.position = Vec2::new(0.0, -30.0);
    data.physics[0].start.orbit = -std::f32::consts::FRAC_PI_2;
    let mut actor = Actor::new(data);
    actor.settings.velocity = Vec2::new(50.0, 0.0);
    for _ in 0..20 {
        actor.construct();
    }
    assert!(actor.position(1).x < -2.0, "{}", actor.position(1));
    actor.settings.velocity = Vec2::ZERO;
    for _ in 0..300 {
        actor.construct();
    }
    assert_near(actor.position(1), Vec2::new(0.0, -30.0), 0.05);
}

#[test]
fn a_sixtieth_of_a_second_is_one_call() {
    for physics in [
        PhysicsData {
            position_ratio: 0.3,
            ..damped(12.0)
        },
        PhysicsData {
            rotation_damping: 7.0,
            scale_damping: 9.0,
            ..damped(5.0)
        },
        PhysicsData {
            position_damping: 8.0,
            ..swaying(0.75)
        },
        swaying(0.0),
    ] {
        let mut data = spring((30.0, 10.0), physics);
        data.bones[1].rotation = 1.0;
        let (mut a, mut b) = (Actor::new(data.clone()), Actor::new(data));
        b.settings.physics = PhysicsStep::Seconds(1.0 / 60.0);
        for step in 0..120 {
            a.construct();
            b.construct();
            assert_near(a.position(1), b.position(1), 1e-3);
            assert!((a.rotation(1) - b.rotation(1)).abs() < 1e-3, "step {step}");
        }
    }
}

#[test]
fn every_frame_rate_shows_the_same_movement_and_rest() {
    let physics = PhysicsData {
        position_damping: 20.0,
        ..swaying(0.6)
    };
    let after = |seconds: f32, frame_rate: f32| {
        let mut data = spring((0.0, -40.0), physics);
        data.physics[0].start.position = Vec2::new(60.0, -40.0);
        data.physics[0].start.orbit = -1.0;
        Actor::new(data).run(seconds, frame_rate).position(1)
    };
    for frame_rate in [24.0, 30.0, 60.0, 144.0, 500.0] {
        // In mid-swing the course differs a little, at rest not at all.
        assert_near(after(0.25, frame_rate), after(0.25, 60.0), 6.0);
        assert_near(after(10.0, frame_rate), Vec2::new(0.0, -40.0), 0.05);
    }
}

#[test]
fn movement_swings_alike_at_every_frame_rate() {
    let orbit = |sway: f32, frame_rate: f32| {
        let mut data = spring(
            (0.0, -30.0),
            PhysicsData {
                sway,
                ..PhysicsData::default()
            },
        );
        data.physics[0].start.position = Vec2::new(0.0, -30.0);
        data.physics[0].start.orbit = -std::f32::consts::FRAC_PI_2;
        let mut actor = Actor::new(data);
        actor.settings.velocity = Vec2::new(600.0, 0.0);
        actor.run(0.5, frame_rate);
        actor.state.physics()[0].orbit
    };
    for sway in [1.0, 20.0] {
        for frame_rate in [24.0, 30.0, 60.0001, 144.0, 240.0] {
            let (here, there) = (orbit(sway, frame_rate), orbit(sway, 60.0));
            let apart = shortest_angle(here, there).abs();
            assert!(
                apart < 0.06,
                "sway {sway} at {frame_rate}: {here}, at 60: {there}"
            );
        }
    }
}

#[test]
fn a_leap_resets_the_springs() {
    for velocity in [1e3, 1e7, 1e12] {
        let mut data = spring(
            (50.0, 0.0),
            PhysicsData {
                sway: 10.0,
                ..PhysicsData::default()
            },
        );
        data.physics[0].start.position = Vec2::new(50.0, 0.0);
        let mut actor = Actor::new(data);
        actor.settings.velocity = Vec2::new(velocity, 0.0);
        actor.construct();
        actor.settings.velocity = Vec2::ZERO;
        for _ in 0..2000 {
            actor.construct();
        }
        assert_near(actor.position(1), Vec2::new(50.0, 0.0), 1e-2);
    }
}

#[test]
fn snapping_puts_springs_at_their_bones() {
    let physics = PhysicsData {
        position_damping: 30.0,
        rotation_damping: 20.0,
        ..swaying(0.9)
    };
    let mut data = spring((30.0, 10.0), physics);
    data.bones[1].rotation = 1.0;
    let mut actor = Actor::new(data);
    snap_physics(
        &actor.armature,
        &mut actor.state,
        &actor.settings,
        &mut actor.pose,
    )
    .unwrap();
    actor.construct();
    assert_near(actor.position(1), Vec2::new(30.0, 10.0), 1e-4);
    assert!((actor.rotation(1) - 1.0).abs() < 1e-5);
}

#[test]
fn a_time_step_of_zero_moves_nothing() {
    for dt in [0.0, -1.0, f32::NAN] {
        let mut actor = Actor::new(spring((100.0, 0.0), damped(10.0)));
        actor.settings.physics = PhysicsStep::Seconds(dt);
        assert_eq!(actor.construct().position(1), Vec2::ZERO, "{dt}");
    }
}

#[test]
fn switched_off_physics_leaves_bones_and_state_alone() {
    let mut actor = Actor::new(spring((100.0, 0.0), damped(10.0)));
    let before = actor.state.clone();
    actor.settings.physics = PhysicsStep::Off;
    assert_eq!(actor.construct().position(1), Vec2::new(100.0, 0.0));
    assert_eq!(actor.state, before);
}

#[test]
fn warming_up_settles_springs_before_the_first_frame() {
    let mut actor = Actor::new(spring((100.0, 0.0), damped(10.0)));
    warm_up(
        &actor.armature,
        &mut actor.state,
        &actor.settings,
        200,
        &mut actor.pose,
    )
    .unwrap();
    assert_near(actor.construct().position(1), Vec2::new(100.0, 0.0), 1e-2);
}

#[test]
fn a_state_with_nan_recovers() {
    let mut actor = Actor::new(spring(
        (30.0, 0.0),
        PhysicsData {
            rotation_damping: 5.0,
            ..swaying(0.5)
        },
    ));
    let state = &mut actor.state.physics_mut()[0];
    state.position = Vec2::splat(f32::NAN);
    state.rotation = f32::INFINITY;
    state.orbit = f32::NAN;
    state.orbit_velocity = f32::NEG_INFINITY;
    actor.construct();
    assert_near(actor.position(1), Vec2::new(30.0, 0.0), 1e-4);
    assert!(actor.rotation(1).abs() < 1e-5);
}

#[test]
fn a_saved_state_continues_to_the_bit() {
    let mut a = Actor::new(spring(
        (0.0, -40.0),
        PhysicsData {
            position_damping: 9.0,
            ..swaying(0.8)
        },
    ));
    a.settings.velocity = Vec2::new(3.0, 1.0);
    for _ in 0..17 {
        a.construct();
    }
    let saved = a.state.clone();
    let continued: Vec<Vec2> = (0..50).map(|_| a.construct().position(1)).collect();
    a.state.copy_from(&saved);
    let restored: Vec<Vec2> = (0..50).map(|_| a.construct().position(1)).collect();
    assert_eq!(continued, restored);
}

proptest! {
    #[test]
    fn any_settings_and_any_times_stay_finite(
        numbers in proptest::array::uniform7(-50f32..50.0),
        start in proptest::array::uniform6(-1e4f32..1e4),
        velocity in (-1e3f32..1e3, -1e3f32..1e3),
        times in proptest::collection::vec(prop_oneof![
            Just(PhysicsStep::PerCall),
            (0f32..20.0).prop_map(PhysicsStep::Seconds),
            proptest::num::f32::ANY.prop_map(PhysicsStep::Seconds),
        ], 1..30),
    ) {
        let [position_damping, position_ratio, rotation_damping, scale_damping, scale_ratio, sway, rotation_bounce] =
            numbers;
        let mut data = spring((20.0, 5.0), PhysicsData {
            position_damping,
            position_ratio: position_ratio / 50.0,
            rotation_damping,
            scale_damping,
            scale_ratio: scale_ratio / 50.0,
            sway,
            rotation_bounce: rotation_bounce / 50.0,
            ..PhysicsData::default()
        });
        data.physics[0].start.position = Vec2::new(start[0], start[1]);
        data.physics[0].start.orbit = start[2];
        data.physics[0].start.rotation = start[3];
        data.physics[0].start.orbit_velocity = start[4];
        let mut actor = Actor::new(data);
        actor.settings.velocity = velocity.into();
        for time in times {
            actor.settings.physics = time;
            actor.construct();
            prop_assert!(actor.position(1).is_finite() && actor.rotation(1).is_finite());
        }
    }
}
