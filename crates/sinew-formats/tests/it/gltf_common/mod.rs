//! What the tests of glTF share.

use crate::common;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use sinew::animation::{Channel, Interpolation, KeyTimes, TransformTrack};
use sinew::glam::{Quat, Vec3};
use sinew::{Animation, Joint, JointIndex, Skeleton, Transform};
use sinew_formats::MotionFile;
use sinew_formats::gltf::{
    GltfError, GltfSettings, GltfWriteSettings, read_bytes, write_bytes, write_gltf,
};

pub(crate) fn parse(bytes: &[u8]) -> Result<MotionFile, GltfError> {
    read_bytes(bytes, &GltfSettings::default())
}

pub(crate) fn refusal(json: &str) -> String {
    common::refusal(json, parse(json.as_bytes()))
}

pub(crate) fn warnings(json: &str) -> Vec<String> {
    common::warning_texts(&parse(json.as_bytes()).unwrap().warnings)
}

/// A clip as it comes from the file of another program, which has no `extras` of ours.
pub(crate) fn foreign(skeleton: &Skeleton, animation: &Animation) -> MotionFile {
    let settings = GltfWriteSettings {
        mesh: false,
        ..GltfWriteSettings::default()
    };
    let text = write_gltf(skeleton, std::slice::from_ref(animation), &settings).unwrap();
    let mut json = serde_json::from_str(&text).unwrap();
    remove_extras(&mut json);
    parse(json.to_string().as_bytes()).unwrap()
}

fn remove_extras(json: &mut Value) {
    match json {
        Value::Object(fields) => {
            fields.remove("extras");
            fields.values_mut().for_each(remove_extras);
        }
        Value::Array(list) => list.iter_mut().for_each(remove_extras),
        _ => {}
    }
}

/// Two joints and half a second.
pub(crate) fn small() -> (Skeleton, Animation) {
    let joint = |name: &str, parent: Option<u32>| Joint {
        name: name.into(),
        parent: parent.map(JointIndex),
        rest: Transform::from_position(Vec3::Y),
        tip: parent.map(|_| Vec3::X),
    };
    let skeleton = Skeleton::new(vec![joint("a", None), joint("b", Some(0))]).unwrap();
    let mut track = TransformTrack::new("b");
    let times = KeyTimes::uniform(4.0, 3).unwrap();
    let turns = [0.0_f32, 0.6, 0.8].map(|s| Quat::from_xyzw(s, 0.0, 0.0, (1.0 - s * s).sqrt()));
    let turns = Channel::new(times, turns.to_vec(), Interpolation::Linear).unwrap();
    track.rotation = Some(turns);
    let mut animation = Animation::new("turn", 0.5);
    animation.tracks.push(track);
    animation.frame_rate = Some(4.0);
    (skeleton, animation)
}

pub(crate) fn small_glb() -> Vec<u8> {
    let (skeleton, animation) = small();
    let settings = GltfWriteSettings {
        mesh: false,
        ..GltfWriteSettings::default()
    };
    write_bytes(&skeleton, &[animation], &settings).unwrap()
}

pub(crate) fn with_nodes(nodes: &str, rest: &str) -> String {
    format!("{{\"asset\": {{\"version\": \"2.0\"}}, \"nodes\": [{nodes}]{rest}}}")
}

/// A file whose keys are at `times`, in base64, with parts of it replaced.
pub(crate) fn keyed(times: &[f32], replace: &[(&str, &str)]) -> String {
    let (skeleton, mut animation) = small();
    let listed = KeyTimes::uniform(3.5, times.len()).unwrap();
    let values = (0..times.len())
        .map(|i| Vec3::splat(i as f32 + 2.0))
        .collect();
    let channel = Channel::new(listed, values, Interpolation::Linear).unwrap();
    animation.tracks[0].rotation = None;
    animation.tracks[0].scale = Some(channel);
    let settings = GltfWriteSettings {
        mesh: false,
        ..GltfWriteSettings::default()
    };
    let mut json = write_gltf(&skeleton, &[animation], &settings).unwrap();
    let written: Vec<u8> = (0..times.len())
        .flat_map(|i| ((i as f64 / 3.5) as f32).to_le_bytes())
        .collect();
    let wanted: Vec<u8> = times.iter().flat_map(|t| t.to_le_bytes()).collect();
    // The times stand behind two matrices.
    let start = json.find("base64,").unwrap() + 7;
    let end = start + json[start..].find('"').unwrap();
    let mut bytes = STANDARD.decode(&json[start..end]).unwrap();
    assert_eq!(bytes[128..128 + written.len()], written);
    bytes[128..128 + wanted.len()].copy_from_slice(&wanted);
    json.replace_range(start..end, &STANDARD.encode(&bytes));
    for (from, to) in replace {
        assert!(json.contains(from), "{from} is not in {json}");
        json = json.replacen(from, to, 1);
    }
    json
}
