//! The ground motion of a loop comes back from every format that can hold it, also where no key holds it.

use sinew::animation::{Channel, Interpolation, KeyTimes, LoopMotion, TransformTrack};
use sinew::glam::{Quat, Vec3};
use sinew::math::GroundTransform;
use sinew::{Animation, Joint, Skeleton, Transform};
use sinew_author::compress::{CompressSettings, compress};
use sinew_formats::gltf::{self, GltfSettings, GltfWriteSettings};
use sinew_formats::pack::{self, Pack, PackEntry};
use sinew_formats::{MotionFile, Warnings, json};
use std::sync::Arc;

fn skeleton() -> Skeleton {
    Skeleton::new(vec![Joint {
        name: "hips".into(),
        parent: None,
        rest: Transform::from_position(Vec3::Y),
        tip: None,
    }])
    .unwrap()
}

fn spin(looping: Option<LoopMotion>) -> Animation {
    let half = std::f32::consts::FRAC_1_SQRT_2;
    let turns = vec![
        Quat::IDENTITY,
        Quat::from_xyzw(0.0, half, 0.0, half),
        Quat::IDENTITY,
    ];
    let times = KeyTimes::uniform(30.0, 3).unwrap();
    let mut animation = Animation::new("spin", times.last());
    animation.set_track(TransformTrack {
        rotation: Some(Channel::new(times, turns, Interpolation::Linear).unwrap()),
        ..TransformTrack::new("hips")
    });
    animation.looping = looping;
    animation
}

#[test]
fn every_animation_format_keeps_the_ground_motion_of_a_loop() {
    let skeleton = skeleton();
    let motion = |in_place| LoopMotion {
        per_cycle: GroundTransform {
            angle: -0.675_123_456_789,
            x: 1.0 / 3.0,
            z: -1e-7,
        },
        in_place,
    };
    for looping in [None, Some(motion(false)), Some(motion(true))] {
        let animation = spin(looping);
        let one = std::slice::from_ref(&animation);
        let settings = GltfWriteSettings::default();
        let glb = gltf::write_bytes(&skeleton, one, &settings).unwrap();
        let text = gltf::write_gltf(&skeleton, one, &settings).unwrap();
        for bytes in [glb, text.into_bytes()] {
            let file = gltf::read_bytes(&bytes, &GltfSettings::default()).unwrap();
            assert_eq!(file.animations[0].looping, looping);
        }
        let file = json::read_bytes(&json::write_bytes(&skeleton, one)).unwrap();
        assert_eq!(file.animations[0].looping, looping);

        let packed = compress(&skeleton, &animation, &CompressSettings::default()).unwrap();
        assert_eq!(packed.looping(), looping);
        let pack = Pack {
            skeletons: vec![Arc::new(skeleton.clone())],
            animations: vec![PackEntry {
                skeleton: 0,
                animation: packed,
            }],
            ..Pack::default()
        };
        let bytes = pack::write_bytes(&pack).unwrap();
        let read = pack::read_bytes(&bytes).unwrap();
        assert_eq!(read.animations[0].animation.looping(), looping);
        let unpacked = sinew_author::compress::decompress(&read.animations[0].animation, &skeleton);
        assert_eq!(unpacked.unwrap().looping, looping);
    }
}

/// Numbers that are not finite are refused by JSON and ignored in a glTF file's extras, which may hold anything.
#[test]
fn a_ground_motion_that_is_not_finite_is_not_read() {
    let text = r#"{ "format": "sinew-motion", "version": 2, "animations": [ {
        "looping": { "x": 1e999 } } ] }"#;
    assert!(json::read_bytes(text.as_bytes()).is_err());
    let half = r#"{ "format": "sinew-motion", "version": 2, "animations": [ {
        "looping": { "z": 2.5 } } ] }"#;
    let file = json::read_bytes(half.as_bytes()).unwrap();
    let looping = file.animations[0].looping.unwrap();
    assert_eq!((looping.per_cycle.x, looping.per_cycle.z), (0.0, 2.5));
    assert!(!looping.in_place);
}

/// Turning a file whose z is up tilts what its loops turn about: their motion is dropped rather than wrong.
#[test]
fn converting_z_up_to_y_up_drops_ground_motion_about_another_axis() {
    let mut file = MotionFile {
        skeleton: skeleton(),
        animations: vec![spin(Some(LoopMotion {
            per_cycle: GroundTransform {
                angle: 1.0,
                x: 1.0,
                z: 0.0,
            },
            in_place: true,
        }))],
        warnings: Warnings::default(),
    };
    file.turn_z_up();
    assert_eq!(file.animations[0].looping, None);
}
