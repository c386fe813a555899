//! Small files for the tests of `.sinew`.

use sinew::animation::{
    Channel, ChannelWeights, Interpolation, KeyTimes, MetaValue, TransformTrack, Variant,
    VariantInterpolation, VariantKey, VariantTrack,
};
use sinew::glam::{Quat, Vec3};
use sinew::math::{quat_mul, quat_normalize};
use sinew::packed::Packing;
use sinew::{Animation, Joint, JointIndex, PackedAnimation, Skeleton, Transform};
use sinew_author::compress::{CompressSettings, Profile, compress};
use sinew_formats::pack::{Pack, PackEntry};
use std::sync::Arc;

/// A turn of `turns` about an axis, without an angle in it.
pub(crate) fn turned(axis: Vec3, angle: f32) -> Quat {
    let (sin, cos) = (libm::sinf(angle * 0.5), libm::cosf(angle * 0.5));
    quat_normalize(Quat::from_xyzw(
        axis.x * sin,
        axis.y * sin,
        axis.z * sin,
        cos,
    ))
}

/// A tree of `count` joints with rest rotations, odd names and a tip at every leaf.
pub(crate) fn skeleton(count: u32) -> Skeleton {
    let parent = |index: u32| match index {
        0 => None,
        index if index % 4 == 3 => Some(JointIndex(index - 2)),
        index => Some(JointIndex(index - 1)),
    };
    let is_leaf = |index: u32| (0..count).all(|other| parent(other) != Some(JointIndex(index)));
    let joint = |index: u32| Joint {
        name: format!(
            "{}{index}",
            ["hüfte ", "knee", "\u{9aa8}"][index as usize % 3]
        ),
        parent: parent(index),
        rest: Transform {
            position: Vec3::new(0.1 * index as f32, 0.5, -0.25),
            rotation: turned(Vec3::Z, 0.2 * index as f32),
            scale: Vec3::ONE,
        },
        tip: is_leaf(index).then(|| Vec3::new(0.0, 0.125, -0.0)),
    };
    Skeleton::new((0..count).map(joint).collect()).unwrap()
}

/// Every joint swings, the first walks, the second grows; nothing else is known of it.
pub(crate) fn motion(skeleton: &Skeleton, name: &str, frames: usize) -> Animation {
    let rate = 30.0;
    let times = KeyTimes::uniform(rate, frames).unwrap();
    let mut animation = Animation::new(name, ((frames - 1) as f64 / rate) as f32);
    animation.frame_rate = Some(rate);
    let axes = [Vec3::X, Vec3::Y, Vec3::new(0.6, 0.0, 0.8)];
    for (index, joint) in skeleton.joints().iter().enumerate() {
        let phase = |frame: usize| frame as f32 * 0.15 + index as f32;
        let rotation = |frame: usize| {
            let swing = turned(axes[index % 3], 0.7 * libm::sinf(phase(frame)));
            let wobble = turned(axes[(index + 1) % 3], 0.1 * libm::cosf(phase(frame) * 2.3));
            quat_normalize(quat_mul(joint.rest.rotation, quat_mul(swing, wobble)))
        };
        let rotations = (0..frames).map(rotation).collect();
        let mut track = TransformTrack::new(joint.name.clone());
        track.rotation =
            Some(Channel::new(times.clone(), rotations, Interpolation::Linear).unwrap());
        if index == 0 {
            let walk = |frame: usize| {
                let time = frame as f32 / 30.0;
                Vec3::new(0.02 * libm::sinf(time * 6.0), 1.0, 1.3 * time)
            };
            let walk = (0..frames).map(walk).collect();
            track.position =
                Some(Channel::new(times.clone(), walk, Interpolation::Linear).unwrap());
        }
        if index == 1 {
            let grow = (0..frames)
                .map(|frame| Vec3::splat(1.0 + 0.01 * frame as f32))
                .collect();
            track.scale = Some(Channel::new(times.clone(), grow, Interpolation::Linear).unwrap());
        }
        animation.tracks.push(track);
    }
    animation
}

/// All that can be noted about an animation.
pub(crate) fn with_notes(mut animation: Animation) -> Animation {
    if let Some(track) = animation.tracks.first_mut() {
        track.weights = ChannelWeights {
            position: 0.25,
            rotation: 1.0,
            scale: 0.0,
        };
    }
    let keys = vec![
        VariantKey::new(0.0, Variant::Float(0.1)),
        VariantKey::new(0.3, Variant::Float(-7.25)),
    ];
    let name = "Face/@/Smile";
    let smile = VariantTrack::new(name, VariantInterpolation::Linear, keys).unwrap();
    animation.variants.push(smile.with_weight(0.5));
    animation.add_trigger(0.125, "left \"foot\"");
    animation.add_trigger(0.25, Variant::Double(0.1));
    for (name, value) in [
        (
            "actor",
            MetaValue::Text("J\u{fc}rgen \u{1b}[31m".to_owned()),
        ),
        ("take", MetaValue::Number(0.1)),
        ("far", MetaValue::Number(f64::INFINITY)),
        ("loops", MetaValue::Flag(true)),
    ] {
        animation.metadata.insert(name.to_owned(), value);
    }
    animation
}

/// An animation in one of the packings.
pub(crate) fn packed(
    skeleton: &Skeleton,
    animation: &Animation,
    packing: Packing,
) -> PackedAnimation<'static> {
    let (profile, max_error) = match packing {
        Packing::Fast => (Profile::Fast, 1e-3),
        Packing::Keyframes => (Profile::Keyframes, 1e-2),
        Packing::Plain => (Profile::Small, 0.0),
        _ => (Profile::Small, 1e-3),
    };
    let settings = CompressSettings { profile, max_error };
    let packed = compress(skeleton, animation, &settings).unwrap();
    assert_eq!(packed.packing(), packing);
    packed
}

/// The four packings.
pub(crate) const PACKINGS: [Packing; 4] = [
    Packing::Small,
    Packing::Fast,
    Packing::Keyframes,
    Packing::Plain,
];

/// A file of one skeleton and one animation with notes.
pub(crate) fn one(packing: Packing, joints: u32, frames: usize) -> Pack {
    let skeleton = skeleton(joints);
    let animation = with_notes(motion(&skeleton, "walk", frames));
    let animation = packed(&skeleton, &animation, packing);
    Pack {
        skeletons: vec![Arc::new(skeleton)],
        animations: vec![PackEntry {
            skeleton: 0,
            animation,
        }],
        ..Pack::default()
    }
}

/// A `u32` of a file.
pub(crate) fn word(bytes: &[u8], offset: usize) -> u32 {
    u32::from_le_bytes(bytes[offset..offset + 4].try_into().unwrap())
}

/// Where a section begins, by its place in the directory.
pub(crate) fn section(bytes: &[u8], place: usize) -> usize {
    word(bytes, 32 + 32 * place + 8) as usize
}
