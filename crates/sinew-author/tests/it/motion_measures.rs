//! What is told of a motion by looking at it.

use sinew::anatomy::rest_bounds;
use sinew::animation::{Channel, Interpolation, KeyTimes, TransformTrack};
use sinew::glam::Vec3;
use sinew::{Animation, Skeleton, Transform};
use sinew_author::contacts::{FootContacts, PlantSettings, find_plants, foot_contacts};
use sinew_author::edit::move_root;
use sinew_author::measure::{extent, loop_gap};
use sinew_testing::motion::{figure, swinging, turn};
use std::f32::consts::{PI, TAU};

/// A motion of `seconds` with the root where `at` says, 120 times a second.
fn moving(skeleton: &Skeleton, seconds: f32, at: impl Fn(f32) -> Transform) -> Animation {
    let count = (seconds * 120.0) as usize + 1;
    let times = KeyTimes::uniform(120.0, count).unwrap();
    let mut animation = Animation::new("moving", seconds);
    animation.frame_rate = Some(120.0);
    let mut track = TransformTrack::new(&skeleton.joints()[0].name);
    let position = times.iter().map(|time| at(time).position).collect();
    let rotation = times.iter().map(|time| at(time).rotation).collect();
    track.position = Some(Channel::new(times.clone(), position, Interpolation::Linear).unwrap());
    track.rotation = Some(Channel::new(times, rotation, Interpolation::Linear).unwrap());
    animation.tracks.push(track);
    animation
}

#[test]
fn the_extent_covers_joints_and_tips() {
    let skeleton = figure();
    let rest = rest_bounds(&skeleton).unwrap();
    assert!((rest.min - Vec3::new(-0.1, 0.0, 0.0)).length() < 1e-6);
    assert!((rest.max - Vec3::new(0.1, 1.1, 0.15)).length() < 1e-6);
    let slide = moving(&skeleton, 2.0, |time| {
        Transform::from_position(Vec3::new(0.0, 1.0, time * 1.5))
    });
    let whole = extent(&skeleton, &slide).unwrap();
    assert!((whole.size() - Vec3::new(0.2, 1.1, 3.15)).length() < 1e-5);
}

#[test]
fn sparse_keys_are_sampled_between() {
    let skeleton = figure();
    // One smooth swing per second, keyed once a second where it is in the middle.
    let times = KeyTimes::uniform(1.0, 3).unwrap();
    let slope = vec![Vec3::Z * 8.0, Vec3::Z * -8.0, Vec3::Z * 8.0];
    let middle = vec![Vec3::Y; 3];
    let mut animation = Animation::new("sway", 2.0);
    animation.frame_rate = Some(1.0);
    let mut track = TransformTrack::new("hips");
    track.position = Some(Channel::cubic(times, middle, slope.clone(), slope).unwrap());
    animation.tracks.push(track);
    // A cubic with slopes of 8 and -8 rises to 2 halfway.
    let whole = extent(&skeleton, &animation).unwrap();
    assert!((whole.max.z - 2.15).abs() < 1e-5, "{whole:?}");
    assert!((whole.min.z + 2.0).abs() < 1e-5, "{whole:?}");
}

#[test]
fn the_extent_reaches_the_end_between_two_frames() {
    let skeleton = figure();
    let times = KeyTimes::listed([0.0, 1.01]).unwrap();
    let mut animation = Animation::new("slide", 1.01);
    let mut track = TransformTrack::new("hips");
    let values = vec![Vec3::Y, Vec3::new(0.0, 1.0, 101.0)];
    track.position = Some(Channel::new(times, values, Interpolation::Linear).unwrap());
    animation.tracks.push(track);
    let whole = extent(&skeleton, &animation).unwrap();
    assert!((whole.max.z - 101.15).abs() < 1e-4, "{whole:?}");
}

#[test]
fn a_walk_in_a_circle_that_ends_as_it_began_loops() {
    let skeleton = figure();
    // Three quarters of a circle, turning with it, with one bob per quarter.
    let mut circle = moving(&skeleton, 3.0, |time| {
        let angle = time * PI / 2.0;
        let bob = 0.02 * (time * TAU).sin();
        Transform {
            position: Vec3::new(2.0 * angle.sin(), 1.0 + bob, 2.0 * angle.cos()),
            rotation: turn(Vec3::Y, angle),
            scale: Vec3::ONE,
        }
    });
    // A shin that swings: where nothing but the root moves, its way and turn are the motion.
    let times = KeyTimes::uniform(1.0, 4).unwrap();
    let swing = [0.0, 0.6, 0.6, 0.0].map(|angle| turn(Vec3::X, angle));
    let mut track = TransformTrack::new("lshin");
    track.rotation = Some(Channel::new(times, swing.to_vec(), Interpolation::Linear).unwrap());
    circle.tracks.push(track);
    let gap = loop_gap(&skeleton, &circle);
    assert!(!gap.is_rigid);
    assert!(gap.distance < 1e-5 && gap.angle < 1e-5, "{gap:?}");
    assert!((gap.turn + PI / 2.0).abs() < 1e-5, "{gap:?}");
    assert!((gap.travel - Vec3::new(-2.0, 0.0, -2.0)).length() < 1e-5);
}

/// A camera that pans, or a prop that is carried away, does not end as it began: without a body there is no root
/// motion to ignore.
#[test]
fn motion_of_the_whole_body_loops_only_if_it_returns() {
    let joint = |name: &str, parent: Option<u32>| sinew::Joint {
        name: name.to_owned(),
        parent: parent.map(sinew::JointIndex),
        rest: Transform::IDENTITY,
        tip: None,
    };
    let camera = Skeleton::new(vec![joint("camera", None), joint("lens", Some(0))]).unwrap();
    let pan = moving(&camera, 2.0, |time| Transform {
        rotation: turn(Vec3::Y, 0.65 * time),
        ..Transform::IDENTITY
    });
    let gap = loop_gap(&camera, &pan);
    assert!(gap.is_rigid && (gap.angle - 1.3).abs() < 1e-4, "{gap:?}");
    let dolly = moving(&camera, 2.0, |time| {
        Transform::from_position(Vec3::X * time)
    });
    let gap = loop_gap(&camera, &dolly);
    assert!((gap.distance - 2.0).abs() < 1e-4, "{gap:?}");
    let sway = moving(&camera, 2.0, |time| Transform {
        rotation: turn(Vec3::Y, 0.3 * (time * PI).sin()),
        ..Transform::IDENTITY
    });
    let gap = loop_gap(&camera, &sway);
    assert!(gap.angle < 1e-4 && gap.distance < 1e-5, "{gap:?}");
}

#[test]
fn the_joint_that_does_not_loop_is_named() {
    let skeleton = figure();
    let mut animation = moving(&skeleton, 1.0, |_| Transform::from_position(Vec3::Y));
    let times = KeyTimes::uniform(1.0, 2).unwrap();
    let rotation = vec![turn(Vec3::X, 0.0), turn(Vec3::X, 0.3)];
    let mut track = TransformTrack::new("lshin");
    track.rotation = Some(Channel::new(times, rotation, Interpolation::Linear).unwrap());
    animation.tracks.push(track);
    let gap = loop_gap(&skeleton, &animation);
    assert_eq!(skeleton.joint(gap.turned_joint).unwrap().name, "lshin");
    assert!((gap.angle - 0.3).abs() < 1e-6);
    assert_eq!(skeleton.joint(gap.joint).unwrap().name, "lfoot");
    assert!((gap.distance - 2.0 * 0.15f32.sin() * 0.5f32.hypot(0.15)).abs() < 1e-5);
}

fn contacts_of(skeleton: &Skeleton, animation: &Animation) -> Vec<FootContacts> {
    foot_contacts(
        skeleton,
        &find_plants(skeleton, animation, &PlantSettings::default()),
    )
}

#[test]
fn a_hopping_figure_has_foot_contacts_between_hops() {
    let skeleton = figure();
    // On the ground for half a second, in the air for half a second, twice; sliding while in the air.
    let hop = moving(&skeleton, 2.0, |time| {
        let phase = time.fract();
        let air = (phase - 0.5).max(0.0);
        let height = 4.0 * air * (0.5 - air);
        let way = time.floor() + air * 2.0;
        Transform::from_position(Vec3::new(0.0, 1.0 + height, way))
    });
    let contacts = contacts_of(&skeleton, &hop);
    assert_eq!(contacts.len(), 2);
    for foot in &contacts {
        assert!(foot.spans.len() >= 2, "{foot:?}");
        for (span, expected) in foot.spans.iter().zip([0.0..0.5, 1.0..1.5]) {
            assert!((span.start - expected.start).abs() < 0.03, "{foot:?}");
            assert!((span.end - expected.end).abs() < 0.03, "{foot:?}");
        }
    }
    // Where the ground is does not matter.
    let mut lifted = hop.clone();
    move_root(
        &mut lifted,
        &skeleton,
        &Transform::from_position(Vec3::Y * 3.0),
    );
    let above = contacts_of(&skeleton, &lifted);
    assert_eq!(above.len(), 2);
    assert!((above[0].spans[0].end - contacts[0].spans[0].end).abs() < 0.03);
}

#[test]
fn motions_without_length_or_feet_have_no_contacts() {
    let skeleton = figure();
    let still = Animation::new("still", 0.0);
    assert!(
        contacts_of(&skeleton, &still)
            .iter()
            .all(|foot| foot.spans.is_empty())
    );
    assert_eq!(extent(&skeleton, &still), rest_bounds(&skeleton));
    assert!(loop_gap(&skeleton, &still).distance < 1e-6);
    let swing = swinging(&skeleton, 120.0, 121);
    assert!(extent(&skeleton, &swing).unwrap().size().z > 1.0);
}
