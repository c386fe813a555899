//! Any skeleton, written as BVH and read again, moves as it did.

use crate::bvh_common;
use bvh_common::{apart, motion, places, strict};
use proptest::prelude::*;
use sinew::animation::{Channel, Interpolation, KeyTimes, TransformTrack};
use sinew::glam::{Quat, Vec3};
use sinew::math::{dquat_to_quat, quat_normalize, rotation_x, rotation_y, rotation_z};
use sinew::{Animation, Joint, JointIndex, Skeleton, Transform};
use sinew_formats::bvh::{BvhWriteError, BvhWriteSettings, RotationOrder, read_bytes, write_bytes};
use std::f32::consts::{PI, TAU};

fn joint(name: &str, parent: Option<u32>, rest: Transform) -> Joint {
    Joint {
        name: name.to_owned(),
        parent: parent.map(JointIndex),
        rest,
        tip: None,
    }
}

fn turning(name: &str, keys: Vec<Quat>) -> TransformTrack {
    let times = KeyTimes::uniform(30.0, keys.len()).unwrap();
    let mut track = TransformTrack::new(name);
    track.rotation = Some(Channel::new(times, keys, Interpolation::Linear).unwrap());
    track
}

fn animation(tracks: Vec<TransformTrack>, frames: usize) -> Animation {
    let mut animation = Animation::new("motion", (frames - 1) as f32 / 30.0);
    animation.frame_rate = Some(30.0);
    animation.tracks = tracks;
    animation
}

fn one_joint() -> Skeleton {
    let mut joint = joint("a", None, Transform::from_position(Vec3::Y));
    joint.tip = Some(Vec3::Y);
    Skeleton::new(vec![joint]).unwrap()
}

#[test]
fn settings_out_of_range_are_refused() {
    let skeleton = one_joint();
    for value in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        for (setting, settings) in [
            (
                "scale",
                BvhWriteSettings {
                    scale: value,
                    ..Default::default()
                },
            ),
            (
                "frame_rate",
                BvhWriteSettings {
                    frame_rate: Some(value),
                    ..Default::default()
                },
            ),
        ] {
            let error = write_bytes(&skeleton, None, &settings).unwrap_err();
            let expected = format!("{setting} is {value}, expected ");
            assert!(error.to_string().starts_with(&expected), "{error}");
        }
    }
}

#[test]
fn more_frames_than_a_file_may_have_are_refused() {
    let long = Animation::new("long", 1e6);
    for frame_rate in [60.0, 1e6] {
        let settings = BvhWriteSettings {
            frame_rate: Some(frame_rate),
            ..Default::default()
        };
        let error = write_bytes(&one_joint(), &long, &settings).unwrap_err();
        assert!(
            matches!(error, BvhWriteError::TooLarge { joints: 1, .. }),
            "{error}"
        );
    }
}

#[test]
fn more_joints_than_a_file_may_have_are_refused() {
    let skeleton = |count: u32, parent: fn(u32) -> Option<u32>| {
        let joints = (0..count).map(|n| joint(&format!("j{n}"), parent(n), Transform::IDENTITY));
        Skeleton::new(joints.collect()).unwrap()
    };
    let settings = BvhWriteSettings::default();
    let deep: fn(u32) -> Option<u32> = |n| n.checked_sub(1);
    let wide: fn(u32) -> Option<u32> = |n| (n > 0).then_some(0);
    let roots: fn(u32) -> Option<u32> = |_| None;
    for (most, parent) in [(1024, deep), (4096, wide), (4095, roots)] {
        let text = write_bytes(&skeleton(most, parent), None, &settings).unwrap();
        let joints = read_bytes(&text, &bvh_common::STRICT).unwrap().joints.len();
        assert!(joints >= most as usize);
        let error = write_bytes(&skeleton(most + 1, parent), None, &settings).unwrap_err();
        assert!(matches!(error, BvhWriteError::Skeleton { .. }), "{error}");
    }
}

#[test]
fn joints_at_nan_or_infinite_positions_are_refused() {
    let huge = Transform {
        scale: Vec3::splat(f32::MAX),
        ..Transform::IDENTITY
    };
    let joints = (0..16).map(|n: u32| joint(&format!("j{n}"), n.checked_sub(1), huge));
    let skeleton = Skeleton::new(joints.collect()).unwrap();
    let error = write_bytes(&skeleton, None, &BvhWriteSettings::default()).unwrap_err();
    assert!(
        matches!(error, BvhWriteError::NotFinite { frame: 0, .. }),
        "{error}"
    );
}

#[test]
fn written_files_are_byte_for_byte_as_expected() {
    let file = motion(
        bvh_common::changed("0 40 0", "0 25 0")
            .replace("0 90 2", "0 100 2")
            .as_bytes(),
    );
    let text = write_bytes(
        &file.skeleton,
        &file.animations[0],
        &BvhWriteSettings::default(),
    )
    .unwrap();
    let text = String::from_utf8(text).unwrap();
    let (hierarchy, rows) = text.split_once("MOTION").unwrap();
    let expected = "\
HIERARCHY
ROOT Hips
{
\tOFFSET 0.000000 0.000000 0.000000
\tCHANNELS 6 Xposition Yposition Zposition Zrotation Yrotation Xrotation
\tJOINT Chest
\t{
\t\tOFFSET 0.000000 50.000000 0.000000
\t\tCHANNELS 3 Zrotation Yrotation Xrotation
\t\tEnd Site
\t\t{
\t\t\tOFFSET 0.000000 25.000000 0.000000
\t\t}
\t}
}
";
    assert_eq!(hierarchy, expected);
    let head = "\nFrames: 2\nFrame Time: 0.03333333333333333\n0.000000 100.000000 ";
    assert!(rows.starts_with(head), "{rows}");
    assert!(rows.ends_with('\n') && !rows.contains(" \n") && !rows.contains("-0.000000"));
}

#[test]
fn a_skeleton_alone_is_one_frame_of_its_rest() {
    let text = write_bytes(&one_joint(), None, &BvhWriteSettings::default()).unwrap();
    let text = String::from_utf8(text).unwrap();
    let row = "Frames: 1\nFrame Time: 0.03333333333333333\n\
               0.000000 100.000000 0.000000 0.000000 0.000000 0.000000\n";
    assert!(text.ends_with(row), "{text}");
}

#[test]
fn several_roots_get_a_common_parent() {
    let at = |x| Transform::from_position(Vec3::X * x);
    let skeleton = Skeleton::new(vec![
        joint("root", None, at(1.0)),
        joint("b", Some(0), at(2.0)),
        joint("c", None, at(3.0)),
    ])
    .unwrap();
    let text = write_bytes(&skeleton, None, &BvhWriteSettings::default()).unwrap();
    let again = strict(std::str::from_utf8(&text).unwrap()).unwrap();
    let names: Vec<_> = again
        .joints
        .iter()
        .map(|j| (j.name.as_str(), j.parent))
        .collect();
    let expected = [
        ("root_2", None),
        ("root", Some(0)),
        ("b", Some(1)),
        ("c", Some(0)),
    ];
    assert_eq!(names, expected);
    assert!(
        again
            .joints
            .iter()
            .filter(|joint| joint.parent.is_none())
            .count()
            == 1
    );
    let file = motion(&text);
    let found = places(&file.skeleton, file.animations.first());
    let xs: Vec<f32> = found[0].iter().map(|place| place.x).collect();
    // Each leaf has an end of length 0.
    assert_eq!(xs, [0.0, 1.0, 3.0, 3.0, 3.0, 3.0]);
}

#[test]
fn written_names_are_single_unique_words() {
    let names = [
        "Left Arm",
        "Left_Arm",
        "a{b}",
        "\u{1b}[31m",
        "\u{a0}x",
        "é",
        "#",
    ];
    let joints = names
        .iter()
        .enumerate()
        .map(|(index, name)| joint(name, (index > 0).then_some(0), Transform::IDENTITY));
    let skeleton = Skeleton::new(joints.collect()).unwrap();
    let text = write_bytes(&skeleton, None, &BvhWriteSettings::default()).unwrap();
    let again = read_bytes(&text, &bvh_common::STRICT).unwrap();
    let found: Vec<_> = again
        .joints
        .iter()
        .map(|joint| joint.name.as_str())
        .collect();
    // A name that is one word already keeps it.
    assert_eq!(
        found,
        ["Left_Arm_2", "Left_Arm", "a_b_", "_[31m", "_x", "é", "#"]
    );
}

#[test]
fn another_rate_samples_and_does_not_stretch() {
    let keys = (0..31).map(|i| dquat_to_quat(rotation_z(f64::from(i) * 0.1)));
    let animation = animation(vec![turning("a", keys.collect())], 31);
    for (frame_rate, frames) in [(30.0, 31), (60.0, 61), (10.0, 11), (7.0, 8), (120.0, 121)] {
        let settings = BvhWriteSettings {
            frame_rate: Some(frame_rate),
            ..Default::default()
        };
        let text = write_bytes(&one_joint(), &animation, &settings).unwrap();
        let bvh = read_bytes(&text, &bvh_common::STRICT).unwrap();
        assert_eq!(bvh.frame_count(), frames);
        for (frame, angle) in bvh.channel(3).iter().enumerate() {
            let expected = (frame as f64 / frame_rate * 3.0).to_degrees();
            assert!(
                (angle - expected).abs() < 1e-3,
                "{frame_rate} {frame}: {angle} {expected}"
            );
        }
    }
}

#[test]
fn smooth_turns_are_written_as_smooth_angles() {
    // Through gimbal lock in every way: the arm swings over the pole while it twists.
    for order in [
        RotationOrder::Xyz,
        RotationOrder::Xzy,
        RotationOrder::Yxz,
        RotationOrder::Yzx,
        RotationOrder::Zxy,
        RotationOrder::Zyx,
    ] {
        let keys: Vec<Quat> = (0..=720)
            .map(|frame| {
                let angle = f64::from(frame) * 0.5f64.to_radians();
                let swing = match order.axes()[1] {
                    0 => rotation_x(angle),
                    1 => rotation_y(angle),
                    _ => rotation_z(angle),
                };
                let tilt = rotation_x(0.2) * rotation_z(0.4);
                dquat_to_quat(swing * tilt * swing)
            })
            .collect();
        let animation = animation(vec![turning("a", keys.clone())], keys.len());
        let settings = BvhWriteSettings {
            order,
            ..Default::default()
        };
        let text = write_bytes(&one_joint(), &animation, &settings).unwrap();
        let bvh = read_bytes(&text, &bvh_common::STRICT).unwrap();
        let mut worst = 0.0f64;
        for channel in 3..6 {
            for pair in bvh.channel(channel).windows(2) {
                worst = worst.max((pair[1] - pair[0]).abs());
            }
        }
        assert!(worst < 90.0, "{order:?}: {worst}");
        let again = motion(&text);
        let before = places(&one_joint(), Some(&animation));
        let after = places(&again.skeleton, again.animations.first());
        assert!(apart(&before, &after) < 1e-5, "{order:?}");
    }
}

/// A transform in a strategy's hands: any rotation, a position within a metre.
fn rest() -> impl Strategy<Value = Transform> {
    let number = || -1.0f32..1.0;
    let vector = || (number(), number(), number());
    (vector(), vector(), number()).prop_map(|(p, q, w)| {
        let rotation = Quat::from_xyzw(q.0, q.1, q.2, w);
        Transform {
            position: Vec3::new(p.0, p.1, p.2),
            rotation: if rotation.length() < 1e-3 {
                Quat::IDENTITY
            } else {
                quat_normalize(rotation)
            },
            scale: Vec3::ONE,
        }
    })
}

#[derive(Clone, Debug)]
struct Rig {
    rests: Vec<Transform>,
    parents: Vec<usize>,
    tips: Vec<bool>,
    keys: Vec<Vec<Transform>>,
}

fn rig() -> impl Strategy<Value = Rig> {
    (1usize..12).prop_flat_map(|count| {
        (
            proptest::collection::vec(rest(), count),
            proptest::collection::vec(0usize..4, count),
            proptest::collection::vec(any::<bool>(), count),
            proptest::collection::vec(proptest::collection::vec(rest(), 4), count),
        )
            .prop_map(|(rests, parents, tips, keys)| Rig {
                rests,
                parents,
                tips,
                keys,
            })
    })
}

impl Rig {
    /// Each joint hangs on the one before, or on an ancestor of it some steps up.
    fn skeleton(&self, scale: impl Fn(usize) -> Vec3) -> Skeleton {
        let mut parents: Vec<Option<usize>> = Vec::new();
        for (index, &up) in self.parents.iter().enumerate() {
            let mut parent = index.checked_sub(1);
            for _ in 0..up {
                let higher = parent.and_then(|parent| parents[parent]);
                parent = higher.or(parent);
            }
            parents.push(parent);
        }
        let joints = self.rests.iter().enumerate().map(|(index, rest)| Joint {
            name: format!("j{index}"),
            parent: parents[index].map(JointIndex::from),
            rest: Transform {
                scale: scale(index),
                ..*rest
            },
            tip: self.tips[index].then_some(Vec3::new(0.1, 0.2, 0.3)),
        });
        Skeleton::new(joints.collect()).unwrap()
    }

    /// Turns every joint, moves every third.
    fn animation(&self) -> Animation {
        let tracks = self.keys.iter().enumerate().map(|(index, keys)| {
            let rotations = keys.iter().map(|key| key.rotation).collect();
            let mut track = turning(&format!("j{index}"), rotations);
            if index % 3 == 0 {
                let times = KeyTimes::uniform(30.0, keys.len()).unwrap();
                let positions = keys.iter().map(|key| key.position).collect();
                let channel = Channel::new(times, positions, Interpolation::Linear);
                track.position = Some(channel.unwrap());
            }
            track
        });
        animation(tracks.collect(), 4)
    }
}

/// The places of joints and of the tips that the skeleton has, before and after writing.
fn round_trip(skeleton: &Skeleton, animation: &Animation, order: RotationOrder) -> f32 {
    let settings = BvhWriteSettings {
        order,
        ..Default::default()
    };
    let text = write_bytes(skeleton, animation, &settings).unwrap();
    let again = motion(&text);
    let tips = |joints: &[Joint]| {
        joints
            .iter()
            .map(|joint| joint.tip.is_some())
            .collect::<Vec<_>>()
    };
    let (had, has) = (tips(skeleton.joints()), tips(again.skeleton.joints()));
    let after = places(&again.skeleton, again.animations.first());
    let keep: Vec<bool> = had
        .iter()
        .zip(has)
        .flat_map(|(&had, has)| std::iter::once(true).chain(has.then_some(had)))
        .collect();
    let after: Vec<Vec<Vec3>> = after
        .into_iter()
        .map(|frame| {
            let points = frame.into_iter().zip(&keep);
            points
                .filter_map(|(point, keep)| keep.then_some(point))
                .collect()
        })
        .collect();
    apart(&places(skeleton, Some(animation)), &after)
}

proptest! {
    #[test]
    fn rigs_with_any_rest_rotations_move_as_they_did(rig in rig(), order in 0usize..6) {
        let orders = [
            RotationOrder::Xyz, RotationOrder::Xzy, RotationOrder::Yxz,
            RotationOrder::Yzx, RotationOrder::Zxy, RotationOrder::Zyx,
        ];
        let skeleton = rig.skeleton(|_| Vec3::ONE);
        let error = round_trip(&skeleton, &rig.animation(), orders[order]);
        prop_assert!(error < 1e-5, "{}", error);
    }

    #[test]
    fn rigs_with_even_and_mirroring_scales_move_as_they_did(rig in rig()) {
        let scales = [Vec3::ONE, Vec3::splat(0.5), Vec3::new(-1.0, 1.0, 1.0), Vec3::splat(-2.0),
            Vec3::new(1.0, -1.0, -1.0)];
        let skeleton = rig.skeleton(|index| scales[index % scales.len()]);
        let error = round_trip(&skeleton, &rig.animation(), RotationOrder::Zyx);
        prop_assert!(error < 1e-4, "{}", error);
    }

    #[test]
    fn joints_of_rigs_with_uneven_and_changing_scales_are_where_they_were(rig in rig()) {
        let mut rig = rig;
        rig.tips.fill(false);
        let scales = [Vec3::new(1.0, 2.0, 0.5), Vec3::ONE, Vec3::new(0.7, 0.7, 1.5)];
        let skeleton = rig.skeleton(|index| scales[index % scales.len()]);
        let mut animation = rig.animation();
        for track in animation.tracks.iter_mut().step_by(2) {
            let times = KeyTimes::uniform(30.0, 4).unwrap();
            let keys = vec![Vec3::ONE, Vec3::splat(1.5), Vec3::new(1.0, 0.5, 1.0), Vec3::ZERO];
            track.scale = Some(Channel::new(times, keys, Interpolation::Linear).unwrap());
        }
        let error = round_trip(&skeleton, &animation, RotationOrder::Zyx);
        prop_assert!(error < 1e-4, "{}", error);
    }
}

#[test]
fn joints_have_positions_only_where_they_move() {
    let turn = Transform {
        rotation: dquat_to_quat(rotation_x(0.3)),
        ..Transform::from_position(Vec3::ONE)
    };
    let skeleton = Skeleton::new(vec![
        joint("a", None, turn),
        joint("b", Some(0), turn),
        joint("c", Some(1), turn),
    ])
    .unwrap();
    let times = || KeyTimes::uniform(30.0, 2).unwrap();
    let mut still = TransformTrack::new("b");
    let at_rest = vec![Vec3::ONE; 2];
    still.position = Some(Channel::new(times(), at_rest, Interpolation::Linear).unwrap());
    let mut moved = TransformTrack::new("c");
    let moves = vec![Vec3::ONE, Vec3::ONE * 1.001];
    moved.position = Some(Channel::new(times(), moves, Interpolation::Linear).unwrap());
    let animation = animation(vec![still, moved], 2);
    let text = write_bytes(&skeleton, &animation, &BvhWriteSettings::default()).unwrap();
    let bvh = read_bytes(&text, &bvh_common::STRICT).unwrap();
    let channels: Vec<_> = bvh
        .joints
        .iter()
        .map(|joint| joint.channels.len())
        .collect();
    assert_eq!(channels, [6, 3, 6]);
}

#[test]
fn keys_at_listed_times_are_sampled_at_thirty_per_second() {
    let times = KeyTimes::listed(vec![0.0, 0.25, 1.0]).unwrap();
    let keys = [0.0, PI / 2.0, TAU / 3.0].map(|angle| dquat_to_quat(rotation_y(f64::from(angle))));
    let mut track = TransformTrack::new("a");
    track.rotation = Some(Channel::new(times, keys.to_vec(), Interpolation::Linear).unwrap());
    let mut animation = Animation::new("glTF", 1.0);
    animation.tracks.push(track);
    let text = write_bytes(&one_joint(), &animation, &BvhWriteSettings::default()).unwrap();
    let again = motion(&text);
    assert_eq!(again.animations[0].frame_rate, Some(30.0));
    assert_eq!(again.animations[0].frame_count(), 31);
    animation.frame_rate = Some(30.0);
    let before = places(&one_joint(), Some(&animation));
    let after = places(&again.skeleton, again.animations.first());
    assert!(apart(&before, &after) < 1e-6);
}
