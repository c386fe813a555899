//! What is written as glTF comes back: joints, keys, times, names, metadata.

use crate::common;
use common::{corpus_files, say};
use proptest::prelude::*;
use sinew::animation::{Channel, Interpolation, KeyTimes, MetaValue, TransformTrack};
use sinew::glam::{Quat, Vec3};
use sinew::math::{quat_dot, quat_normalize};
use sinew::{
    Animation, Joint, JointIndex, ModelPose, Pose, Skeleton, Transform, local_to_model, sample,
};
use sinew_formats::MotionFile;
use sinew_formats::gltf::{
    GltfSettings, GltfWriteError, GltfWriteSettings, read, read_bytes, write_bytes, write_gltf,
};

fn write(skeleton: &Skeleton, animations: &[Animation]) -> Vec<u8> {
    write_bytes(skeleton, animations, &GltfWriteSettings::default()).unwrap()
}

fn parse(bytes: &[u8]) -> MotionFile {
    let file = read_bytes(bytes, &GltfSettings::default()).unwrap();
    assert!(file.warnings.is_empty(), "{:?}", file.warnings.list());
    file
}

fn joint(name: &str, parent: Option<u32>, rest: Transform, tip: Option<Vec3>) -> Joint {
    Joint {
        name: name.into(),
        parent: parent.map(JointIndex),
        rest,
        tip,
    }
}

fn at(x: f32, y: f32, z: f32) -> Transform {
    Transform::from_position(Vec3::new(x, y, z))
}

/// Joints of every kind: two roots, tips, turned, scaled, flat, at one place.
fn skeleton() -> Skeleton {
    let turned = Transform {
        position: Vec3::new(0.1, -0.0, 1e-9),
        rotation: quat_normalize(Quat::from_xyzw(0.1, -0.7, 0.3, 0.2)),
        scale: Vec3::new(1.5, 0.1, -2.0),
    };
    let flat = Transform {
        scale: Vec3::new(1.0, 0.0, 1.0),
        ..Transform::IDENTITY
    };
    Skeleton::new(vec![
        joint("hips", None, at(0.0, 1.0, 0.0), None),
        joint("LeftLeg", Some(0), turned, None),
        joint(
            "LeftFoot",
            Some(1),
            at(0.0, -0.5, 0.0),
            Some(Vec3::new(0.0, 0.0, 0.2)),
        ),
        joint("RightLeg", Some(0), flat, Some(Vec3::ZERO)),
        joint("hips_end", Some(0), at(0.0, 0.3, 0.0), None),
        joint("prop \"ü\" \n", None, Transform::IDENTITY, Some(Vec3::Y)),
    ])
    .unwrap()
}

fn turns(count: usize) -> Vec<Quat> {
    let turn = |i: usize| {
        let f = i as f32;
        quat_normalize(Quat::from_xyzw(
            (f * 0.7).sin(),
            (f * 1.3).cos(),
            (f * 0.2).sin(),
            0.3 + (f * 0.4).cos(),
        ))
    };
    (0..count).map(turn).collect()
}

fn places(count: usize) -> Vec<Vec3> {
    let place = |i: usize| Vec3::new(i as f32 * 0.1, (i as f32).sin(), -1.0 / (1.0 + i as f32));
    (0..count).map(place).collect()
}

fn motion() -> Animation {
    let even = KeyTimes::uniform(24000.0 / 1001.0, 30).unwrap();
    let odd = KeyTimes::listed([0.25, 0.5, 0.625, 1.0]).unwrap();
    let mut hips = TransformTrack::new("hips");
    hips.position = Some(Channel::new(even.clone(), places(30), Interpolation::Linear).unwrap());
    hips.rotation = Some(Channel::new(even, turns(30), Interpolation::Linear).unwrap());
    let mut leg = TransformTrack::new("LeftLeg");
    let slopes = |scale: f32| {
        turns(4)
            .into_iter()
            .map(move |q| Quat::from_array(q.to_array().map(|n| n * scale)))
    };
    let cubic = Channel::cubic(
        odd.clone(),
        turns(4),
        slopes(0.5).collect(),
        slopes(-2.0).collect(),
    );
    leg.rotation = Some(cubic.unwrap());
    leg.scale = Some(Channel::new(odd, places(4), Interpolation::Step).unwrap());
    leg.position = Some(Channel::constant(Vec3::X).unwrap());
    let mut animation = Animation::new("Walk \"1\"", 1.25);
    animation.tracks = vec![hips, leg];
    animation.frame_rate = Some(24000.0 / 1001.0);
    for (key, value) in [
        ("source", MetaValue::Text("07_05.amc \u{1f}".into())),
        ("number", MetaValue::Number(0.1 + 0.2)),
        ("large", MetaValue::Number(-1.797e308)),
        ("whole", MetaValue::Number(30.0)),
        ("endless", MetaValue::Number(f64::INFINITY)),
        ("flag", MetaValue::Flag(true)),
    ] {
        animation.metadata.insert(key.into(), value);
    }
    animation
}

/// The larger of the distances of any joint between two files, over all key times, relative to the
/// size of the model where that is above a metre.
fn largest_distance(a: &MotionFile, b: &MotionFile) -> f32 {
    assert_eq!(a.animations.len(), b.animations.len());
    let mut largest = 0.0_f32;
    for (first, second) in a.animations.iter().zip(&b.animations) {
        let mut times: Vec<f32> = vec![0.0, first.length];
        for track in &first.tracks {
            times.extend(track.position.iter().flat_map(|c| c.times().iter()));
            times.extend(track.rotation.iter().flat_map(|c| c.times().iter()));
            times.extend(track.scale.iter().flat_map(|c| c.times().iter()));
        }
        times.sort_by(f32::total_cmp);
        times.dedup();
        for time in times {
            let [p, q] = [(a, first), (b, second)].map(|(file, animation)| {
                let mut pose = Pose::rest(&file.skeleton);
                let mut model = ModelPose::new(&file.skeleton);
                let binding = animation.bind(&file.skeleton);
                sample(animation, &binding, time, &mut pose).unwrap();
                local_to_model(&file.skeleton, &pose, &mut model).unwrap();
                model
            });
            for index in 0..a.skeleton.len() {
                let joint = JointIndex::from(index);
                let other = b.skeleton.find(&a.skeleton.joints()[index].name).unwrap();
                let (x, y) = (p.position(joint), q.position(other));
                largest = largest.max((x - y).length() / x.length().max(1.0));
            }
        }
    }
    largest
}

#[test]
fn a_joint_too_far_away_is_refused() {
    let far = at(3e38, 0.0, 0.0);
    let skeleton = Skeleton::new(vec![
        joint("a", None, far, None),
        joint("b", Some(0), far, None),
    ]);
    let settings = GltfWriteSettings::default();
    assert_eq!(
        write_bytes(&skeleton.unwrap(), &[], &settings),
        Err(GltfWriteError::FarAway {
            joint: 1,
            name: "b".into()
        })
    );
}

#[test]
fn every_property_round_trips() {
    let (skeleton, animation) = (skeleton(), motion());
    for mesh in [true, false] {
        let settings = GltfWriteSettings {
            mesh,
            ..GltfWriteSettings::default()
        };
        let animations = [animation.clone()];
        let glb = write_bytes(&skeleton, &animations, &settings).unwrap();
        let gltf = write_gltf(&skeleton, &animations, &settings).unwrap();
        for file in [parse(&glb), parse(gltf.as_bytes())] {
            assert_eq!(file.skeleton, skeleton);
            let mut expected = animation.clone();
            sinew_author::edit::align_hemispheres(&mut expected);
            assert_eq!(file.animations, [expected]);
            let rate = |file: &MotionFile| {
                let hips = file.animations[0].track("hips").unwrap();
                hips.rotation.as_ref().unwrap().times().rate()
            };
            assert_eq!(rate(&file), Some(24000.0 / 1001.0));
        }
    }
}

#[test]
fn a_skeleton_alone_round_trips() {
    let one = Skeleton::new(vec![joint("only", None, Transform::IDENTITY, None)]).unwrap();
    for skeleton in [skeleton(), one] {
        let file = parse(&write(&skeleton, &[]));
        assert_eq!(file.skeleton, skeleton);
        assert!(file.animations.is_empty());
    }
}

#[test]
fn a_skeleton_that_rests_flattened_has_no_mesh() {
    let flat = Transform {
        scale: Vec3::ZERO,
        ..Transform::IDENTITY
    };
    let skeleton = Skeleton::new(vec![joint("flat", None, flat, None)]).unwrap();
    let has_mesh = |skeleton: &Skeleton| {
        let text = write_gltf(skeleton, &[], &GltfWriteSettings::default()).unwrap();
        assert_eq!(parse(text.as_bytes()).skeleton, *skeleton);
        text.contains("\"meshes\"")
    };
    assert!(!has_mesh(&skeleton));
    assert!(has_mesh(&self::skeleton()));
}

#[test]
fn the_same_motion_gives_the_same_bytes() {
    let (skeleton, animation) = (skeleton(), motion());
    let animations = [animation];
    assert_eq!(write(&skeleton, &animations), write(&skeleton, &animations));
    let again = parse(&write(&skeleton, &animations));
    assert_eq!(
        write(&again.skeleton, &again.animations),
        write(&skeleton, &animations)
    );
}

#[test]
fn constant_tracks_are_not_written_and_the_length_is_kept() {
    let skeleton = skeleton();
    let even = || KeyTimes::uniform(120.0, 241).unwrap();
    let mut still = Animation::new("still", 2.0);
    let mut hips = TransformTrack::new("hips");
    let rest = skeleton.joints()[0].rest;
    hips.position =
        Some(Channel::new(even(), vec![rest.position; 241], Interpolation::Linear).unwrap());
    let turned = Quat::from_xyzw(0.0, 0.0, 0.0, -1.0);
    hips.rotation = Some(Channel::new(even(), vec![turned; 241], Interpolation::Linear).unwrap());
    still.tracks = vec![hips, TransformTrack::new("no such joint")];
    let mut moved = still.clone();
    moved.tracks[0].scale =
        Some(Channel::new(even(), vec![Vec3::splat(2.0); 241], Interpolation::Linear).unwrap());
    let file = parse(&write(
        &skeleton,
        &[still.clone(), moved, Animation::default()],
    ));
    let [still_back, moved_back, empty_back] = &file.animations[..] else {
        panic!("there are three");
    };
    assert_eq!(still_back.length, 2.0);
    assert_eq!(still_back.frame_rate, None);
    assert!(still_back.tracks[0].position.is_none());
    let scale = moved_back.tracks[0].scale.as_ref().unwrap();
    assert_eq!(scale.values(), [Vec3::splat(2.0); 2]);
    assert_eq!(scale.times().last(), 2.0);
    assert!(moved_back.tracks[0].position.is_none() && moved_back.tracks[0].rotation.is_none());
    assert_eq!(
        (empty_back.length, empty_back.name.as_str()),
        (0.0, "animation_2")
    );
}

#[test]
fn of_several_tracks_of_one_joint_the_later_is_written() {
    let skeleton = skeleton();
    let mut animation = Animation::new("twice", 0.0);
    for x in [1.0, 2.0] {
        let mut track = TransformTrack::new("LeftFoot");
        track.position = Some(Channel::constant(Vec3::X * x).unwrap());
        animation.tracks.push(track);
    }
    let file = parse(&write(&skeleton, &[animation]));
    let position = file.animations[0].tracks[0].position.as_ref().unwrap();
    assert_eq!(position.values(), [Vec3::X * 2.0]);
}

#[test]
fn rotations_are_written_without_jumps_of_sign() {
    let mut animation = motion();
    let flipped = turns(30).into_iter().enumerate().map(|(i, q)| {
        if i % 2 == 0 {
            q
        } else {
            Quat::from_array(q.to_array().map(|n| -n))
        }
    });
    let even = KeyTimes::uniform(30.0, 30).unwrap();
    let flipped = Channel::new(even, flipped.collect(), Interpolation::Linear).unwrap();
    animation.tracks[0].rotation = Some(flipped);
    let file = parse(&write(&skeleton(), &[animation]));
    let hips = file.animations[0].track("hips").unwrap();
    let values = hips.rotation.as_ref().unwrap().values();
    assert!(
        values
            .windows(2)
            .all(|pair| quat_dot(pair[0], pair[1]) >= 0.0)
    );
    assert!(values.iter().all(|&q| (quat_dot(q, q) - 1.0).abs() <= 1e-6));
}

#[test]
fn jumps_between_keys_at_one_time_round_trip() {
    let times = KeyTimes::listed([0.0, 1.0, 1.0, 2.0]).unwrap();
    let values = [0.0, 1.0, 5.0, 6.0].map(Vec3::splat).to_vec();
    let mut track = TransformTrack::new("hips");
    track.position = Some(Channel::new(times, values, Interpolation::Linear).unwrap());
    let mut animation = Animation::new("jump", 2.0);
    animation.tracks.push(track);
    let file = parse(&write(&skeleton(), &[animation]));
    let position = file.animations[0].tracks[0].position.as_ref().unwrap();
    for (time, expected) in [(0.5, 0.5), (0.999_999, 1.0), (1.0, 5.0), (1.5, 5.5)] {
        assert!((position.sample(time).x - expected).abs() < 1e-5, "{time}");
    }
}

#[test]
#[ignore = "needs SINEW_CORPUS"]
fn every_motion_of_the_corpus_round_trips() {
    let (mut files, mut worst) = (0, 0.0_f32);
    for folder in ["gltf/khronos-samples", "gltf/khronos-generator"] {
        for path in corpus_files(folder, &["gltf", "glb"]) {
            let file = read(&path, &GltfSettings::default()).unwrap();
            let again = parse(&write(&file.skeleton, &file.animations));
            assert_eq!(again.skeleton, file.skeleton, "{}", path.display());
            for (a, b) in file.animations.iter().zip(&again.animations) {
                assert_eq!((&a.name, a.frame_rate), (&b.name, b.frame_rate));
                assert_eq!(a.length, b.length, "{}", path.display());
                for track in &a.tracks {
                    let Some(other) = b.track(&track.name) else {
                        continue;
                    };
                    if let (Some(x), Some(y)) = (&track.rotation, &other.rotation)
                        && y.times().len() > 1
                    {
                        assert_eq!(x.interpolation(), y.interpolation());
                        assert_eq!(x.times(), y.times());
                        assert_eq!(x.times().rate(), y.times().rate());
                    }
                }
            }
            let distance = largest_distance(&file, &again);
            assert!(distance < 1e-4, "{}: {distance}", path.display());
            worst = worst.max(distance);
            files += 1;
        }
    }
    say(&format!(
        "{files} glTF files written and read again, off by at most {worst:e}"
    ));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn evenly_spaced_times_round_trip_with_their_rate(rate in 0.01..2000.0, count in 2_usize..100_000) {
        let skeleton = skeleton();
        let mut track = TransformTrack::new("hips");
        let values = (0..count).map(|i| Vec3::splat(i as f32)).collect();
        let times = KeyTimes::uniform(rate, count).unwrap();
        let rises = times.iter().zip(times.iter().skip(1)).all(|(a, b)| a < b);
        track.position = Some(Channel::new(times, values, Interpolation::Linear).unwrap());
        let mut animation = Animation::new("a", ((count - 1) as f64 / rate) as f32);
        animation.frame_rate = Some(rate);
        animation.tracks.push(track);
        let file = parse(&write(&skeleton, &[animation.clone()]));
        // At high rates `f32` cannot tell late times apart, and glTF has no other.
        prop_assume!(rises);
        let position = file.animations[0].tracks[0].position.as_ref().unwrap();
        prop_assert_eq!(position.times().rate(), Some(rate));
        prop_assert_eq!(&file.animations[0], &animation);
    }
}
