//! Motion of other programs' glTF files, which say no frame rate, keeps its shape as BVH.

use crate::bvh_common;
use crate::gltf_common;
use bvh_common::{apart, motion, places};
use sinew::animation::{Channel, Interpolation, KeyTimes, TransformTrack};
use sinew::glam::{Quat, Vec3};
use sinew::math::{dquat_to_quat, rotation_x};
use sinew::{Animation, Joint, JointIndex, Skeleton, Transform};
use sinew_formats::MotionFile;
use sinew_formats::bvh::{BvhWriteSettings, write_bytes};
use sinew_formats::gltf::{GltfSettings, GltfWriteSettings, read_bytes, write_gltf};

fn skeleton() -> Skeleton {
    let joint = |name: &str, parent: Option<u32>| Joint {
        name: name.to_owned(),
        parent: parent.map(JointIndex),
        rest: Transform::from_position(Vec3::Y),
        tip: parent.map(|_| Vec3::Y),
    };
    Skeleton::new(vec![joint("hips", None), joint("spine", Some(0))]).unwrap()
}

fn steps(rate: f64, count: usize, interpolation: Interpolation) -> Channel<Vec3> {
    let times = KeyTimes::uniform(rate, count).unwrap();
    let place = |key: usize| Vec3::new(key as f32 * 0.1, 1.0, (key % 3) as f32);
    let values = (0..count).map(place).collect();
    Channel::new(times, values, interpolation).unwrap()
}

fn turns(times: KeyTimes) -> Channel<Quat> {
    let turn = |time: f32| dquat_to_quat(rotation_x(libm::sin(f64::from(time) * 9.0)));
    let values = times.iter().map(turn).collect();
    Channel::new(times, values, Interpolation::Linear).unwrap()
}

/// A bow of a quarter of a metre between keys that stand a second apart.
fn bow() -> Channel<Vec3> {
    let times = KeyTimes::uniform(1.0, 3).unwrap();
    let values = vec![Vec3::Y, Vec3::Y * 1.01, Vec3::Y];
    Channel::cubic(times, values, vec![-Vec3::Z; 3], vec![Vec3::Z; 3]).unwrap()
}

fn clip(position: Option<Channel<Vec3>>, rotation: Option<Channel<Quat>>) -> Animation {
    let mut hips = TransformTrack::new("hips");
    hips.position = position;
    let mut spine = TransformTrack::new("spine");
    spine.rotation = rotation;
    let ends = hips.position.as_ref().map(|channel| channel.times().last());
    let also = spine
        .rotation
        .as_ref()
        .map(|channel| channel.times().last());
    let length = ends.unwrap_or(0.0).max(also.unwrap_or(0.0));
    let mut animation = Animation::new("clip", length);
    animation.tracks = [hips, spine]
        .into_iter()
        .filter(|t| !t.is_empty())
        .collect();
    animation
}

/// The clip, read from a file that says nothing of its rate.
fn foreign(animation: &Animation) -> MotionFile {
    let mut file = gltf_common::foreign(&skeleton(), animation);
    // Its tips went with the extras.
    file.skeleton = skeleton();
    file
}

/// Frames per second of the BVH, whose every frame is where the clip is at that time.
fn kept(mut file: MotionFile) -> f64 {
    let text = write_bytes(
        &file.skeleton,
        &file.animations[0],
        &BvhWriteSettings::default(),
    );
    let bvh = motion(&text.unwrap());
    let frame_rate = bvh.animations[0].frame_rate.unwrap();
    file.animations[0].frame_rate = Some(frame_rate);
    let mut before = places(&file.skeleton, file.animations.first());
    let after = places(&bvh.skeleton, bvh.animations.first());
    if before.len() < after.len() {
        // A clip that ends between two frames is held until the later one.
        file.animations[0].frame_rate = Some(1.0 / f64::from(file.animations[0].length));
        before.extend(places(&file.skeleton, file.animations.first()).pop());
    }
    let error = apart(&before, &after);
    assert!(error < 1e-5, "{error}");
    frame_rate
}

#[test]
fn hand_set_keys_have_no_frame_rate() {
    let fast = || Some(turns(KeyTimes::uniform(30.0, 61).unwrap()));
    for (case, animation) in [
        (
            "slow",
            clip(Some(steps(9.0, 19, Interpolation::Linear)), None),
        ),
        (
            "two rates",
            clip(Some(steps(24.0, 49, Interpolation::Step)), fast()),
        ),
        ("cubic", clip(Some(bow()), None)),
        ("cubic among frames", clip(Some(bow()), fast())),
        (
            "two keys",
            clip(Some(steps(1.0, 2, Interpolation::Linear)), None),
        ),
    ] {
        let file = foreign(&animation);
        assert_eq!(file.animations[0].frame_rate, None, "{case}");
        assert_eq!(kept(file), 30.0, "{case}");
    }
}

#[test]
fn captured_frames_have_their_frame_rate() {
    for (rate, interpolation) in [
        (10.0, Interpolation::Linear),
        (24.0, Interpolation::Step),
        (120.0, Interpolation::Linear),
    ] {
        let position = steps(rate, 61, interpolation);
        let mut animation = clip(
            Some(position),
            Some(turns(KeyTimes::uniform(rate, 61).unwrap())),
        );
        // Where something begins and ends is no frame.
        let ends = KeyTimes::listed(vec![0.0, animation.length]).unwrap();
        let values = vec![Vec3::Y, Vec3::Y * 1.5];
        let grows = Channel::new(ends, values, Interpolation::Linear).unwrap();
        animation.tracks[1].position = Some(grows);
        let mut file = foreign(&animation);
        assert_eq!(file.animations[0].frame_rate, Some(rate));
        // The keys say it, too.
        file.animations[0].frame_rate = None;
        assert_eq!(kept(file), rate);
    }
}

#[test]
fn keys_on_some_of_the_frames_of_others_are_frames_too() {
    let listed = KeyTimes::listed(vec![0.0, 0.3, 1.0, 2.0]).unwrap();
    let animation = clip(
        Some(steps(30.0, 61, Interpolation::Linear)),
        Some(turns(listed)),
    );
    let file = foreign(&animation);
    assert_eq!(file.animations[0].frame_rate, Some(30.0));
    assert_eq!(kept(file), 30.0);
    // Not where a few keys close together would make millions of frames.
    for (rate, expected) in [(12.0, 12.0), (60.0, 60.0), (5000.0, 30.0)] {
        let turns = turns(KeyTimes::uniform(rate, 30).unwrap());
        let file = foreign(&clip(
            Some(steps(1.0, 3, Interpolation::Linear)),
            Some(turns),
        ));
        assert_eq!(kept(file), expected);
    }
}

#[test]
fn a_fast_turn_beside_slow_steps_keeps_its_frames() {
    let spine = turns(KeyTimes::uniform(30.0, 61).unwrap());
    let file = foreign(&clip(
        Some(steps(1.0, 3, Interpolation::Linear)),
        Some(spine),
    ));
    let text = write_bytes(
        &file.skeleton,
        &file.animations[0],
        &BvhWriteSettings::default(),
    );
    assert_eq!(motion(&text.unwrap()).animations[0].frame_count(), 61);
}

#[test]
fn an_arc_between_slow_keys_is_kept() {
    let file = foreign(&clip(Some(bow()), None));
    let text = write_bytes(
        &file.skeleton,
        &file.animations[0],
        &BvhWriteSettings::default(),
    );
    let bvh = motion(&text.unwrap());
    assert_eq!(bvh.animations[0].frame_count(), 61);
    let hips = bvh.animations[0].tracks[0].position.as_ref().unwrap();
    // Half way between keys with slopes of 1 and -1: (1 + 1) / 8.
    for key in [15, 45] {
        assert!((hips.values()[key].z - 0.25).abs() < 1e-3);
    }
}

#[test]
fn files_written_by_sinew_keep_their_stated_rate() {
    for rate in [None, Some(1.0), Some(24.0)] {
        let mut animation = clip(Some(steps(1.0, 3, Interpolation::Linear)), None);
        animation.frame_rate = rate;
        let text = write_gltf(&skeleton(), &[animation], &GltfWriteSettings::default()).unwrap();
        let file = read_bytes(text.as_bytes(), &GltfSettings::default()).unwrap();
        assert_eq!(file.animations[0].frame_rate, rate);
    }
}
