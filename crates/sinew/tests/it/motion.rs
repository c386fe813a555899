//! Sampling animations on skeletons, and forward kinematics.

use proptest::prelude::*;
use sinew::animation::{AnimationError, Channel, Interpolation, KeyTimes, TransformTrack};
use sinew::glam::{Mat4, Quat, Vec3};
use sinew::math::quat_angle;
use sinew::{
    Animation, JointIndex, ModelPose, Pose, Sampler, Skeleton, Transform, local_to_model, sample,
};
use sinew_testing::motion::{bent_figure, figure, joint, swinging, turn};

fn listed(times: &[f32]) -> KeyTimes {
    KeyTimes::listed(times).unwrap()
}

#[test]
fn invalid_channel_keys_are_refused() {
    let two = || listed(&[0.0, 1.0]);
    let short = Channel::new(two(), vec![Vec3::ZERO], Interpolation::Linear);
    assert!(matches!(
        short,
        Err(AnimationError::Count {
            times: 2,
            values: 1,
            ..
        })
    ));
    let endless = vec![Vec3::ZERO, Vec3::splat(f32::INFINITY)];
    let endless = Channel::new(two(), endless, Interpolation::Step);
    assert!(matches!(endless, Err(AnimationError::Value { key: 1, .. })));
    let nothing = Quat::from_xyzw(0.0, 0.0, 0.0, 0.0);
    let nothing = Channel::new(two(), vec![nothing; 2], Interpolation::Step);
    assert!(matches!(nothing, Err(AnimationError::Value { key: 0, .. })));
    let zeros = || vec![Vec3::ZERO; 2];
    let few = Channel::cubic(two(), zeros(), vec![Vec3::ZERO], zeros());
    assert!(matches!(few, Err(AnimationError::Count { values: 1, .. })));
    let wild = Channel::cubic(two(), zeros(), zeros(), vec![Vec3::NAN; 2]);
    assert!(matches!(wild, Err(AnimationError::Value { .. })));
}

#[test]
fn poses_of_another_skeleton_are_refused() {
    let (small, large) = (
        Skeleton::new(vec![joint("only", None, [0.0; 3])]).unwrap(),
        figure(),
    );
    let animation = Animation::new("still", 1.0);
    let mut pose = Pose::rest(&small);
    let error = sample(&animation, &animation.bind(&large), 0.0, &mut pose).unwrap_err();
    assert_eq!((error.expected, error.pose), (8, 1));
    let mut model = ModelPose::new(&large);
    assert!(local_to_model(&large, &pose, &mut model).is_err());
    let mut model = ModelPose::new(&small);
    assert!(local_to_model(&large, &Pose::rest(&large), &mut model).is_err());
}

#[test]
fn step_keys_hold_linear_keys_connect_and_ends_hold() {
    let values = vec![Vec3::ZERO, Vec3::X, Vec3::X * 3.0];
    let sample = |interpolation, time| {
        let channel = Channel::new(listed(&[1.0, 2.0, 4.0]), values.clone(), interpolation);
        channel.unwrap().sample(time).x
    };
    for (time, step, line) in [
        (0.0, 0.0, 0.0),
        (1.0, 0.0, 0.0),
        (1.25, 0.0, 0.25),
        (2.0, 1.0, 1.0),
        (3.0, 1.0, 2.0),
        (4.0, 3.0, 3.0),
        (9.0, 3.0, 3.0),
    ] {
        assert_eq!(sample(Interpolation::Step, time), step, "step at {time}");
        assert_eq!(sample(Interpolation::Linear, time), line, "line at {time}");
    }
}

#[test]
fn rotations_are_interpolated_evenly_and_the_shorter_way() {
    let (a, b) = (turn(Vec3::Z, 0.2), turn(Vec3::Z, 1.0));
    let far = Quat::from_xyzw(-b.x, -b.y, -b.z, -b.w);
    let channel = Channel::new(listed(&[0.0, 1.0]), vec![a, far], Interpolation::Linear).unwrap();
    for (time, angle) in [(0.0, 0.2), (0.25, 0.4), (0.5, 0.6), (1.0, 1.0)] {
        let error = quat_angle(channel.sample(time), turn(Vec3::Z, angle));
        assert!(error < 1e-6, "{time}: {error}");
    }
}

#[test]
fn a_cubic_follows_its_tangents() {
    // 4t(1-t): up with slope 4, down with slope -4.
    let slopes = vec![Vec3::X * 4.0, Vec3::X * -4.0];
    let values = vec![Vec3::ZERO; 2];
    let channel = Channel::cubic(listed(&[0.0, 1.0]), values, slopes.clone(), slopes).unwrap();
    for (time, value) in [
        (0.0, 0.0),
        (0.25, 0.75),
        (0.5, 1.0),
        (0.75, 0.75),
        (1.0, 0.0),
    ] {
        assert!((channel.sample(time).x - value).abs() < 1e-6, "{time}");
    }
    // Slopes are per second: over two seconds half as steep.
    let slopes = vec![Vec3::X * 2.0, Vec3::X * -2.0];
    let values = vec![Vec3::ZERO; 2];
    let channel = Channel::cubic(listed(&[1.0, 3.0]), values, slopes.clone(), slopes).unwrap();
    assert!((channel.sample(2.0).x - 1.0).abs() < 1e-6);
}

#[test]
fn a_smooth_cubic_keeps_parabolas_whatever_the_spacing() {
    let times = [0.0, 0.3, 1.0, 1.2, 2.0];
    let values = times.iter().map(|&t: &f32| Vec3::splat(t * t)).collect();
    let channel = Channel::new(listed(&times), values, Interpolation::Cubic).unwrap();
    // The slopes at the ends are those of lines, so only the inner segments are exact.
    for time in [0.3, 0.5, 0.9, 1.1, 1.2] {
        let error = (channel.sample(time).x - time * time).abs();
        assert!(error < 1e-6, "{time}: {error}");
    }
    let q = vec![turn(Vec3::Y, 0.1), turn(Vec3::Y, 0.5), turn(Vec3::Y, 0.6)];
    let channel = Channel::new(listed(&[0.0, 0.5, 1.0]), q, Interpolation::Cubic).unwrap();
    let middle = channel.sample(0.25);
    assert!((quat_angle(middle, Quat::IDENTITY) - 0.3).abs() < 0.05);
}

#[test]
fn only_animated_joints_are_changed() {
    let skeleton = figure();
    let mut animation = Animation::new("lift", 1.0);
    let mut track = TransformTrack::new("spine");
    track.position = Some(Channel::constant(Vec3::ONE).unwrap());
    animation.tracks.push(track);
    animation.tracks.push(TransformTrack {
        name: "tail".into(),
        scale: Some(Channel::constant(Vec3::ZERO).unwrap()),
        ..TransformTrack::default()
    });
    let binding = animation.bind(&skeleton);
    assert_eq!(binding.joints(), [Some(JointIndex(7)), None]);
    let mut pose = Pose::rest(&skeleton);
    sample(&animation, &binding, 0.5, &mut pose).unwrap();
    for (index, joint) in skeleton.joints().iter().enumerate() {
        let expected = match joint.name.as_str() {
            "spine" => Transform::from_position(Vec3::ONE),
            _ => joint.rest,
        };
        assert_eq!(pose.get(index.into()), expected, "{}", joint.name);
    }
}

#[test]
fn an_animation_stops_at_its_length() {
    let skeleton = figure();
    let mut animation = swinging(&skeleton, 30.0, 61);
    animation.length = 1.0;
    let mut sampler = Sampler::new(&skeleton, &animation);
    let at_end = sampler.pose_at(1.0).clone();
    assert_eq!(*sampler.pose_at(1.7), at_end);
}

#[test]
fn frames_are_counted_and_timed_at_the_rate() {
    let animation = swinging(&figure(), 120.0, 517);
    assert_eq!(animation.frame_count(), 517);
    assert_eq!(animation.frame_time(120), 1.0);
    assert_eq!(animation.frame_time(9999), animation.length);
    assert_eq!(Animation::new("still", 2.0).frame_count(), 1);
}

/// Chains glam's own matrices.
fn chained(skeleton: &Skeleton, pose: &Pose) -> Vec<Mat4> {
    let mut result: Vec<Mat4> = Vec::new();
    for (index, joint) in skeleton.joints().iter().enumerate() {
        let t = pose.get(index.into());
        let local = Mat4::from_scale_rotation_translation(t.scale, t.rotation, t.position);
        let parent = joint.parent.map_or(Mat4::IDENTITY, |p| result[p.index()]);
        result.push(parent * local);
    }
    result
}

#[test]
fn forward_kinematics_chains_matrices() {
    let skeleton = bent_figure();
    let animation = swinging(&skeleton, 30.0, 31);
    let mut sampler = Sampler::new(&skeleton, &animation);
    for time in [0.0, 0.31, 1.0] {
        let mut pose = sampler.pose_at(time).clone();
        pose.set_scale(JointIndex(1), Vec3::new(1.0, 2.0, 0.5));
        let mut model = ModelPose::new(&skeleton);
        local_to_model(&skeleton, &pose, &mut model).unwrap();
        for (ours, theirs) in model.matrices().iter().zip(chained(&skeleton, &pose)) {
            assert!(ours.abs_diff_eq(theirs, 3e-6), "{ours} {theirs}");
        }
        let tip = model.tip(&skeleton, JointIndex(3)).unwrap();
        let expected = model
            .matrix(JointIndex(3))
            .transform_point3(Vec3::new(0.0, -0.05, 0.15));
        assert!((tip - expected).length() < 1e-6);
        assert_eq!(model.tip(&skeleton, JointIndex(0)), None);
    }
}

proptest! {
    #[test]
    fn samples_of_any_channel_lie_between_its_keys(
        times in prop::collection::vec(0.0f32..10.0, 1..20),
        at in -1.0f32..12.0,
    ) {
        let mut times = times;
        times.sort_by(f32::total_cmp);
        let values: Vec<Vec3> = times.iter().map(|&t| Vec3::splat(t)).collect();
        let (first, last) = (times[0], times[times.len() - 1]);
        let channel = Channel::new(listed(&times), values, Interpolation::Linear).unwrap();
        // The value is the time itself, held at the ends.
        let expected = at.clamp(first, last);
        prop_assert!((channel.sample(at).x - expected).abs() <= 1e-5);
    }
}
