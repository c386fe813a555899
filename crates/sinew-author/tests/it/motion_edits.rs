//! Resampling, trimming, mirroring, moving and cleaning of animations.

use sinew::animation::{Channel, Interpolation, KeyTimes, TransformTrack};
use sinew::glam::{Quat, Vec3};
use sinew::math::{quat_angle, quat_dot, quat_rotate};
use sinew::{Animation, JointIndex, Sampler, Skeleton, Transform};
use sinew_author::edit::{
    MirrorError, align_hemispheres, mirror, move_root, remove_constant, resample, trim,
};
use sinew_testing::motion::{bent_figure, figure, joint, swinging, turn};

/// The largest distance of any joint or tip between two motions, each at its own time.
fn apart(skeleton: &Skeleton, a: (&Animation, f32), b: (&Animation, f32)) -> f32 {
    let (mut first, mut second) = (Sampler::new(skeleton, a.0), Sampler::new(skeleton, b.0));
    let (a, b) = (first.model_at(a.1), second.model_at(b.1));
    let joints = (0..skeleton.len()).map(JointIndex::from);
    let ends = joints.map(|joint| {
        let at = a.position(joint) - b.position(joint);
        let tips = a.tip(skeleton, joint).zip(b.tip(skeleton, joint));
        at.length().max(tips.map_or(0.0, |(a, b)| (a - b).length()))
    });
    ends.fold(0.0, f32::max)
}

#[test]
fn resampling_keeps_the_motion_and_its_length() {
    let skeleton = figure();
    let animation = swinging(&skeleton, 120.0, 241);
    for (rate, frames) in [(30.0, 61), (60.0, 121), (24.0, 49), (240.0, 481)] {
        let slower = resample(&animation, rate);
        assert_eq!(slower.frame_count(), frames);
        assert_eq!(slower.frame_rate, Some(rate));
        assert!((slower.length - 2.0).abs() < 1e-6);
        for frame in 0..frames {
            let time = slower.frame_time(frame);
            assert!(apart(&skeleton, (&animation, time), (&slower, time)) < 2e-6);
        }
    }
    // At its own rate nothing changes.
    assert_eq!(resample(&animation, 120.0), animation);
    assert_eq!(resample(&animation, 7.0).frame_count(), 15);
    // The least there can be is the first pose and the last.
    for rate in [0.0, -3.0, f64::NAN, f64::INFINITY] {
        let ends = resample(&animation, rate);
        assert_eq!((ends.frame_count(), ends.length), (2, 2.0), "{rate}");
    }
}

#[test]
fn a_trimmed_motion_is_the_motion_of_its_range() {
    let skeleton = figure();
    let animation = swinging(&skeleton, 120.0, 241);
    // On frames, between frames, and a single moment.
    for (start, end) in [(0.5, 1.5), (0.0, 2.0), (0.5031, 1.2), (1.0, 1.0)] {
        let part = trim(&animation, start..end);
        assert!((part.length - (end - start)).abs() < 1e-6);
        for i in 0..=20 {
            let time = (end - start) * i as f32 / 20.0;
            let error = apart(&skeleton, (&animation, start + time), (&part, time));
            // Between frames the part has keys of its own, with straight lines between them.
            assert!(error < 3e-4, "{start}..{end} at {time}: {error}");
        }
    }
    let part = trim(&animation, 0.5..1.5);
    assert_eq!(part.frame_count(), 121);
    assert_eq!(
        part.tracks[1].rotation.as_ref().unwrap().times().rate(),
        Some(120.0)
    );
    // What lies outside is left out.
    assert_eq!(trim(&animation, -5.0..9.0).frame_count(), 241);
    assert_eq!(trim(&animation, 1.5..0.5).length, 0.0);
    assert_eq!(trim(&animation, f32::NAN..f32::NAN).length, 0.0);
}

#[test]
fn a_trimmed_cubic_is_the_same_cubic() {
    let times = KeyTimes::listed([0.0, 0.7, 1.0, 2.0]).unwrap();
    let values = vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z * 2.0];
    let arriving = vec![Vec3::ONE, Vec3::Y, Vec3::X, Vec3::NEG_ONE];
    let leaving = vec![Vec3::X, Vec3::NEG_Y, Vec3::Z, Vec3::ONE];
    let channel = Channel::cubic(times, values, arriving, leaving).unwrap();
    let mut animation = Animation::new("cubic", 2.0);
    animation.tracks.push(TransformTrack {
        name: "hips".into(),
        position: Some(channel.clone()),
        ..TransformTrack::default()
    });
    for (start, end) in [(0.3, 1.7), (0.7, 1.0), (0.0, 2.0), (1.2, 1.4)] {
        let part = trim(&animation, start..end);
        let cut = part.tracks[0].position.as_ref().unwrap();
        assert_eq!(cut.interpolation(), Interpolation::Cubic);
        for i in 0..=16 {
            let time = (end - start) * i as f32 / 16.0;
            let error = (cut.sample(time) - channel.sample(start + time)).length();
            assert!(error < 2e-6, "{start}..{end} at {time}: {error}");
        }
    }
}

#[test]
fn a_mirrored_motion_is_the_reflection_of_its_source() {
    let skeleton = figure();
    let animation = swinging(&skeleton, 30.0, 31);
    let mirrored = mirror(&animation, &skeleton).unwrap();
    let (mut ours, mut theirs) = (
        Sampler::new(&skeleton, &animation),
        Sampler::new(&skeleton, &mirrored),
    );
    let partner = [0, 4, 5, 6, 1, 2, 3, 7];
    for frame in 0..31 {
        let time = animation.frame_time(frame);
        let (a, b) = (ours.model_at(time), theirs.model_at(time));
        for (joint, &other) in partner.iter().enumerate() {
            let flip = Vec3::new(-1.0, 1.0, 1.0);
            let seen = a.position(JointIndex(other)) * flip;
            assert!((b.position(joint.into()) - seen).length() < 2e-6);
            let tips = (
                a.tip(&skeleton, JointIndex(other)),
                b.tip(&skeleton, joint.into()),
            );
            if let (Some(a), Some(b)) = tips {
                assert!((a * flip - b).length() < 2e-6);
            }
        }
    }
}

#[test]
fn mirroring_twice_changes_nothing_whatever_the_rest_pose() {
    let skeleton = bent_figure();
    let animation = swinging(&skeleton, 30.0, 31);
    let mirrored = mirror(&animation, &skeleton).unwrap();
    assert!(apart(&skeleton, (&animation, 0.5), (&mirrored, 0.5)) > 0.05);
    let twice = mirror(&mirrored, &skeleton).unwrap();
    for frame in 0..31 {
        let time = animation.frame_time(frame);
        assert!(apart(&skeleton, (&animation, time), (&twice, time)) < 1e-5);
    }
}

/// A figure whose hips rest at `hips` and whose legs rest about `legs` along x, in the model's frame.
fn standing_at(hips: f32, legs: f32) -> Skeleton {
    let mut joints = figure().joints().to_vec();
    joints[0].rest.position.x = hips;
    joints[1].rest.position.x += legs - hips;
    joints[4].rest.position.x += legs - hips;
    Skeleton::new(joints).unwrap()
}

#[test]
fn a_root_is_mirrored_alike_with_a_constant_position_and_without() {
    for (hips, legs, expected) in [(1.0, 1.0, 1.0), (1.0, 0.0, -1.0), (0.0, 0.5, 1.0)] {
        let skeleton = standing_at(hips, legs);
        let rest = skeleton.joints()[0].rest.position;
        let without_track = Animation::new("still", 1.0);
        let mut without = without_track.clone();
        let mut track = TransformTrack::new("hips");
        track.rotation = Some(Channel::constant(Quat::IDENTITY).unwrap());
        without.tracks.push(track);
        let mut with = without.clone();
        with.tracks[0].position = Some(Channel::constant(rest).unwrap());
        for animation in [without_track, without, with] {
            let mirrored = mirror(&animation, &skeleton).unwrap();
            let at = Sampler::new(&skeleton, &mirrored)
                .model_at(0.0)
                .position(JointIndex(0));
            assert!((at - Vec3::new(expected, 1.0, 0.0)).length() < 1e-6, "{at}");
            let twice = mirror(&mirrored, &skeleton).unwrap();
            assert!(apart(&skeleton, (&animation, 0.0), (&twice, 0.0)) < 1e-6);
        }
    }
    // A root that rests in the mirror needs no position.
    let still = Animation::new("still", 1.0);
    assert!(
        mirror(&still, &standing_at(1.0, 1.0))
            .unwrap()
            .tracks
            .is_empty()
    );
}

#[test]
fn a_mirrored_scale_keeps_its_ratio_to_the_rest() {
    let mut joints = figure().joints().to_vec();
    joints[1].rest.scale = Vec3::new(2.0, 0.0, 1.0);
    joints[4].rest.scale = Vec3::new(-3.0, 5.0, 1.0);
    let skeleton = Skeleton::new(joints).unwrap();
    let mut animation = Animation::new("grow", 1.0);
    let mut track = TransformTrack::new("lthigh");
    track.scale = Some(Channel::constant(Vec3::new(4.0, 0.7, 1.5)).unwrap());
    animation.tracks.push(track);
    let mirrored = mirror(&animation, &skeleton).unwrap();
    let scale = mirrored.track("rthigh").unwrap().scale.as_ref().unwrap();
    assert_eq!(scale.values(), [Vec3::new(-6.0, 0.7, 1.5)]);
}

#[test]
fn a_negative_rest_scale_does_not_rotate_mirrored_joints() {
    let mut joints = bent_figure().joints().to_vec();
    let plain = Skeleton::new(joints.clone()).unwrap();
    joints[2].rest.scale = Vec3::new(-1.0, 1.0, 1.0);
    let flipped = Skeleton::new(joints).unwrap();
    let animation = swinging(&plain, 30.0, 5);
    let rotations = |skeleton: &Skeleton| {
        let mirrored = mirror(&animation, skeleton).unwrap();
        let turned = mirrored.track("rfoot").unwrap().rotation.as_ref().unwrap();
        turned.values().to_vec()
    };
    for (a, b) in rotations(&plain).into_iter().zip(rotations(&flipped)) {
        assert!(quat_angle(a, b) < 1e-5);
    }
}

#[test]
fn skeletons_without_sides_are_not_mirrored() {
    let animation = Animation::new("still", 1.0);
    let snake = Skeleton::new(vec![
        joint("a", None, [0.0; 3]),
        joint("b", Some(0), [0.0, 1.0, 0.0]),
    ]);
    assert_eq!(
        mirror(&animation, &snake.unwrap()),
        Err(MirrorError::NoSides)
    );
    let uneven = Skeleton::new(vec![
        joint("hips", None, [0.0; 3]),
        joint("larm", Some(0), [1.0, 0.0, 0.0]),
        joint("lhand", Some(1), [1.0, 0.0, 0.0]),
        joint("rarm", Some(0), [-1.0, 0.0, 0.0]),
        joint("rhand", Some(0), [-2.0, 0.0, 0.0]),
    ]);
    assert!(matches!(
        mirror(&animation, &uneven.unwrap()),
        Err(MirrorError::Uneven { .. })
    ));
}

#[test]
fn moving_the_root_moves_everything() {
    let skeleton = bent_figure();
    let animation = swinging(&skeleton, 30.0, 11);
    let offset = Transform {
        position: Vec3::new(3.0, -1.0, 0.5),
        rotation: turn(Vec3::Y, 1.1),
        scale: Vec3::ONE,
    };
    let mut moved = animation.clone();
    move_root(&mut moved, &skeleton, &offset);
    let (mut before, mut after) = (
        Sampler::new(&skeleton, &animation),
        Sampler::new(&skeleton, &moved),
    );
    for frame in 0..11 {
        let time = animation.frame_time(frame);
        for joint in (0..skeleton.len()).map(JointIndex::from) {
            let expected = offset.apply(before.model_at(time).position(joint));
            assert!((after.model_at(time).position(joint) - expected).length() < 3e-6);
        }
    }
    // A root that has no track gets one.
    let mut still = Animation::new("still", 1.0);
    move_root(&mut still, &skeleton, &offset);
    let at = Sampler::new(&skeleton, &still)
        .model_at(0.0)
        .position(JointIndex(0));
    let rest = skeleton.joints()[0].rest.position;
    assert!((at - (offset.position + quat_rotate(offset.rotation, rest))).length() < 1e-6);
}

#[test]
fn aligned_rotations_never_change_sign() {
    let skeleton = figure();
    let mut animation = swinging(&skeleton, 30.0, 31);
    let straight = animation.clone();
    for track in &mut animation.tracks {
        let channel = track.rotation.take().unwrap();
        let flipped = channel.values().iter().enumerate().map(|(key, q)| {
            let sign = if key % 3 == 1 { -1.0 } else { 1.0 };
            Quat::from_array(q.to_array().map(|n| n * sign))
        });
        let values = flipped.collect();
        let times = channel.times().clone();
        track.rotation = Some(Channel::new(times, values, Interpolation::Linear).unwrap());
    }
    assert_ne!(animation, straight);
    align_hemispheres(&mut animation);
    for track in &animation.tracks {
        let values = track.rotation.as_ref().unwrap().values();
        assert!(
            values
                .windows(2)
                .all(|pair| quat_dot(pair[0], pair[1]) >= 0.0)
        );
    }
    assert!(apart(&skeleton, (&animation, 0.5), (&straight, 0.5)) < 1e-6);
}

#[test]
fn constant_tracks_are_removed() {
    let skeleton = figure();
    let mut animation = swinging(&skeleton, 30.0, 31);
    let times = KeyTimes::uniform(30.0, 31).unwrap();
    let held = |value: Quat| {
        let channel = Channel::new(times.clone(), vec![value; 31], Interpolation::Linear);
        Some(channel.unwrap())
    };
    animation.tracks[2].rotation = held(Quat::IDENTITY);
    animation.tracks[5].rotation = held(turn(Vec3::X, 0.5));
    let before = animation.clone();
    remove_constant(&mut animation, &skeleton, 1e-5);
    assert_eq!(animation.tracks.len(), before.tracks.len() - 1);
    assert!(animation.track("lshin").is_none());
    let kept = animation.track("rshin").unwrap().rotation.as_ref().unwrap();
    assert_eq!(kept.values().len(), 1);
    assert!(quat_angle(kept.values()[0], turn(Vec3::X, 0.5)) < 1e-6);
    for time in [0.0, 0.4, 1.0] {
        assert!(apart(&skeleton, (&animation, time), (&before, time)) < 1e-5);
    }
}
