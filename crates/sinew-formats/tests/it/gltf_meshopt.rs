//! Files whose keys are packed by `EXT_meshopt_compression`: unpacked, or read from the bytes for readers that cannot.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use sinew::glam::{Quat, Vec3};
use sinew::math::quat_angle;
use sinew_formats::gltf::{GltfSettings, GltfSource, read_bytes};

/// Four rotations with the filter QUATERNION and two positions with EXPONENTIAL, packed by meshoptimizer 0.22.
const ROTATIONS: &str = "a0013f000000fb9b9b013f000000b46b6d013f000000fb8d26013f000000b4569d013f000000fbc8d0013f000000\
     b4d99201390000000500000000000000000000000000000000000000000000000000000000000000ff7f";
const POSITIONS: &str = "a00001300000005001300000005a01300000001200000130000000a001300000001201300000006101300000000f\
     000130000000120000000000000000000000000000000000000000000020eb0000b0eb310800eb";

fn bytes(hex: &str) -> Vec<u8> {
    let pairs = (0..hex.len()).step_by(2);
    pairs
        .map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap())
        .collect()
}

fn uri(bytes: &[u8]) -> String {
    format!("data:;base64,{}", STANDARD.encode(bytes))
}

/// A node that turns and moves. `fallback` are the bytes of the views once they are unpacked.
fn packed(fallback: Option<&[u8]>) -> Value {
    let floats = |numbers: &[f32]| -> Vec<u8> {
        numbers
            .iter()
            .flat_map(|number| number.to_le_bytes())
            .collect()
    };
    let times = floats(&[0.0, 1.0, 2.0, 3.0]);
    let (rotations, positions) = (bytes(ROTATIONS), bytes(POSITIONS));
    let mut data = times.clone();
    let mut starts = Vec::new();
    for part in [&rotations, &positions] {
        data.resize(data.len().next_multiple_of(4), 0);
        starts.push(data.len());
        data.extend_from_slice(part);
    }
    let view = |index: usize, stride: usize, count: usize, filter: &str| {
        let length = [rotations.len(), positions.len()][index];
        json!({"buffer": 1, "byteOffset": 32 * index, "byteLength": stride * count, "extensions": {
            "EXT_meshopt_compression": {"buffer": 0, "byteOffset": starts[index], "byteLength": length,
                "byteStride": stride, "count": count, "mode": "ATTRIBUTES", "filter": filter}}})
    };
    let mut second =
        json!({"byteLength": 56, "extensions": {"EXT_meshopt_compression": {"fallback": true}}});
    if let Some(fallback) = fallback {
        second["uri"] = uri(fallback).into();
    }
    json!({
        "asset": {"version": "2.0"},
        "extensionsUsed": ["EXT_meshopt_compression"],
        "extensionsRequired": ["EXT_meshopt_compression"],
        "nodes": [{"name": "a"}],
        "scenes": [{"nodes": [0]}],
        "buffers": [{"byteLength": data.len(), "uri": uri(&data)}, second],
        "bufferViews": [
            {"buffer": 0, "byteLength": 16},
            view(0, 8, 4, "QUATERNION"),
            view(1, 12, 2, "EXPONENTIAL")
        ],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": 4, "type": "SCALAR", "min": [0.0], "max": [3.0]},
            {"bufferView": 0, "componentType": 5126, "count": 2, "type": "SCALAR", "min": [0.0], "max": [1.0]},
            {"bufferView": 1, "componentType": 5122, "normalized": true, "count": 4, "type": "VEC4"},
            {"bufferView": 2, "componentType": 5126, "count": 2, "type": "VEC3"}
        ],
        "animations": [{
            "channels": [
                {"sampler": 0, "target": {"node": 0, "path": "rotation"}},
                {"sampler": 1, "target": {"node": 0, "path": "translation"}}
            ],
            "samplers": [{"input": 0, "output": 2}, {"input": 1, "output": 3}]
        }]
    })
}

fn expected() -> ([Quat; 4], [Vec3; 2]) {
    let turns = [
        Quat::from_xyzw(0.0, 0.0, 0.0, 1.0),
        Quat::from_xyzw(0.5, 0.5, 0.5, 0.5),
        Quat::from_xyzw(-0.1, 0.7, 0.2, -0.46_f32.sqrt()),
        Quat::from_xyzw(0.9, -0.1, 0.3, 0.09_f32.sqrt()),
    ];
    (
        turns,
        [Vec3::new(1.0, -2.5, 1e-3), Vec3::new(1234.5, 0.0, -7e-6)],
    )
}

fn assert_keys(json: &Value) {
    let file = read_bytes(json.to_string().as_bytes(), &GltfSettings::default()).unwrap();
    let track = &file.animations[0].tracks[0];
    let (turns, places) = expected();
    for (found, expected) in track.rotation.as_ref().unwrap().values().iter().zip(turns) {
        assert!(quat_angle(*found, expected) < 1e-3, "{found} {expected}");
    }
    for (found, expected) in track.position.as_ref().unwrap().values().iter().zip(places) {
        assert!((*found - expected).length() < 1e-3, "{found} {expected}");
    }
}

#[test]
fn packed_keys_are_read() {
    assert_keys(&packed(None));
}

/// Where the packed bytes are of a kind that is not known, the bytes beside them are read.
#[test]
fn the_fallback_is_read_where_nothing_can_be_unpacked() {
    let (turns, places) = expected();
    let mut fallback = Vec::new();
    for turn in turns {
        let shorts = turn.to_array().map(|number| (number * 32767.0) as i16);
        fallback.extend(shorts.into_iter().flat_map(i16::to_le_bytes));
    }
    for place in places {
        fallback.extend(place.to_array().into_iter().flat_map(f32::to_le_bytes));
    }
    let mut json = packed(Some(&fallback));
    assert_keys(&json);
    for view in [1, 2] {
        json["bufferViews"][view]["extensions"]["EXT_meshopt_compression"]["mode"] = "NEW".into();
    }
    assert_keys(&json);
}

#[test]
fn keys_that_cannot_be_unpacked_are_refused_with_the_reason() {
    for (field, value, reason) in [
        (
            "mode",
            json!("TRIANGLES"),
            "expected the mode ATTRIBUTES, found \"TRIANGLES\"",
        ),
        (
            "filter",
            json!("COLOR"),
            "the filter \"COLOR\" does not support a stride of 8",
        ),
        (
            "byteStride",
            json!(3),
            "expected a stride of 4 to 256 in steps of 4, found 3",
        ),
        ("byteOffset", json!(9999), "bytes from byte 9999"),
        (
            "byteOffset",
            json!(0),
            "expected the byte 0xa0 first, found 0x00",
        ),
        ("buffer", json!(7), "refers to buffer 7, but there are 2"),
        (
            "count",
            json!(1_u64 << 60),
            "the count of unpacked bytes is too large",
        ),
    ] {
        let mut json = packed(None);
        json["bufferViews"][1]["extensions"]["EXT_meshopt_compression"][field] = value;
        let error = read_bytes(json.to_string().as_bytes(), &GltfSettings::default());
        let error = error.unwrap_err().to_string();
        let start = "bufferViews[1]: the keys are packed by EXT_meshopt_compression and cannot be unpacked: ";
        assert!(
            error.starts_with(start) && error.contains(reason),
            "{error}"
        );
    }
}

/// Edited animations are written unpacked; views that are kept stay packed.
#[test]
fn an_edited_file_keeps_what_is_packed() {
    let mut json = packed(None);
    // A mesh that uses the positions too.
    json["meshes"] = json!([{"primitives": [{"attributes": {"POSITION": 3}}]}]);
    json["nodes"][0]["mesh"] = 0.into();
    let source = GltfSource::from_bytes(json.to_string().into_bytes(), &GltfSettings::default());
    let file = source.motion().unwrap();
    let edited = sinew_author::edit::trim(&file.animations[0], 0.0..2.0);
    let written = source
        .write_gltf(&file.skeleton, std::slice::from_ref(&edited))
        .unwrap();
    let after: Value = serde_json::from_slice(&written.bytes).unwrap();
    assert_eq!(after["meshes"], json["meshes"]);
    let view = |json: &Value| -> Vec<u8> {
        let view = &json["bufferViews"][2]["extensions"]["EXT_meshopt_compression"];
        let data = json["buffers"][0]["uri"].as_str().unwrap();
        let data = STANDARD
            .decode(data.split_once("base64,").unwrap().1)
            .unwrap();
        let start = view["byteOffset"].as_u64().unwrap() as usize;
        data[start..start + view["byteLength"].as_u64().unwrap() as usize].to_vec()
    };
    assert_eq!(view(&after), view(&json));
    assert_eq!(after["buffers"][1], json["buffers"][1]);
    let again = read_bytes(&written.bytes, &GltfSettings::default()).unwrap();
    assert_eq!(again.animations[0].tracks, edited.tracks);
}
