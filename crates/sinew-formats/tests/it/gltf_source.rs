//! glTF files whose animations are edited keep everything else: what is written is parsed here without the reader, and
//! compared with what was there.

use crate::common;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use common::{corpus_files, say};
use serde_json::{Value, json};
use sinew::animation::{
    Channel, Interpolation, KeyTimes, TransformTrack, Variant, VariantInterpolation, VariantTrack,
};
use sinew::glam::{Quat, Vec3};
use sinew::{Animation, Pose, Transform, sample};
use sinew_author::edit::{mirror, move_root, resample, trim};
use sinew_formats::gltf::{GltfSettings, GltfSource, GltfWriteError, read, read_bytes};
use std::path::Path;

/// A document and the bytes of its buffers, parsed by nothing of ours.
struct Parsed {
    json: Value,
    buffers: Vec<Vec<u8>>,
    /// Where files beside it are.
    folder: std::path::PathBuf,
}

impl Parsed {
    fn of(bytes: &[u8], folder: &Path) -> Self {
        let number = |index: usize| {
            let four: [u8; 4] = bytes[index..index + 4].try_into().unwrap();
            u32::from_le_bytes(four) as usize
        };
        let (json, chunk): (Value, Vec<u8>) = if bytes.starts_with(b"glTF") {
            let length = number(12);
            let json = serde_json::from_slice(&bytes[20..20 + length]).unwrap();
            let chunk = 20 + length;
            let bin = if chunk < bytes.len() {
                bytes[chunk + 8..chunk + 8 + number(chunk)].to_vec()
            } else {
                Vec::new()
            };
            (json, bin)
        } else {
            (serde_json::from_slice(bytes).unwrap(), Vec::new())
        };
        let mut buffers = Vec::new();
        for buffer in json["buffers"].as_array().into_iter().flatten() {
            buffers.push(match buffer["uri"].as_str() {
                None => chunk.clone(),
                Some(uri) => match uri.split_once("base64,") {
                    Some((_, data)) => STANDARD.decode(data).unwrap(),
                    None => std::fs::read(folder.join(uri)).unwrap(),
                },
            });
        }
        Self {
            json,
            buffers,
            folder: folder.to_owned(),
        }
    }

    fn view(&self, index: &Value) -> &[u8] {
        let view = &self.json["bufferViews"][index.as_u64().unwrap() as usize];
        let offset = view["byteOffset"].as_u64().unwrap_or(0) as usize;
        let length = view["byteLength"].as_u64().unwrap() as usize;
        let buffer = &self.buffers[view["buffer"].as_u64().unwrap() as usize];
        &buffer[offset..offset + length]
    }

    /// The bytes of an accessor's elements, without what is between them.
    fn elements(&self, index: usize) -> Vec<u8> {
        let accessor = &self.json["accessors"][index];
        let size = match accessor["componentType"].as_u64().unwrap() {
            5120 | 5121 => 1,
            5122 | 5123 => 2,
            _ => 4,
        } * match accessor["type"].as_str().unwrap() {
            "SCALAR" => 1,
            "VEC2" => 2,
            "VEC3" => 3,
            "VEC4" | "MAT2" => 4,
            "MAT3" => 9,
            _ => 16,
        };
        if accessor["bufferView"].is_null() {
            return Vec::new();
        }
        let view = &self.json["bufferViews"][accessor["bufferView"].as_u64().unwrap() as usize];
        let stride = view["byteStride"].as_u64().unwrap_or(size as u64) as usize;
        let start = accessor["byteOffset"].as_u64().unwrap_or(0) as usize;
        let bytes = self.view(&accessor["bufferView"]);
        let count = accessor["count"].as_u64().unwrap() as usize;
        let element =
            |index: usize| bytes[start + index * stride..start + index * stride + size].to_vec();
        (0..count).flat_map(element).collect()
    }

    /// The bytes of an image, wherever they are; `None` where its file is missing.
    fn image(&self, index: usize) -> Option<Vec<u8>> {
        let image = &self.json["images"][index];
        match image["uri"].as_str() {
            None => Some(self.view(&image["bufferView"]).to_vec()),
            Some(uri) => match uri.split_once("base64,") {
                Some((_, data)) => Some(STANDARD.decode(data).unwrap()),
                None => std::fs::read(self.folder.join(uri)).ok(),
            },
        }
    }

    /// Accessors that meshes and skins refer to.
    fn of_shapes(&self) -> Vec<usize> {
        let mut found = Vec::new();
        let mut add = |value: &Value| found.extend(value.as_u64().map(|index| index as usize));
        for mesh in self.json["meshes"].as_array().into_iter().flatten() {
            for primitive in mesh["primitives"].as_array().unwrap() {
                add(&primitive["indices"]);
                let targets = primitive["targets"].as_array().into_iter().flatten();
                for attributes in targets.chain([&primitive["attributes"]]) {
                    attributes.as_object().unwrap().values().for_each(&mut add);
                }
            }
        }
        for skin in self.json["skins"].as_array().into_iter().flatten() {
            add(&skin["inverseBindMatrices"]);
        }
        found
    }
}

/// What of a document is not about keys and bytes.
const KEPT: [&str; 13] = [
    "asset",
    "scene",
    "scenes",
    "nodes",
    "skins",
    "meshes",
    "materials",
    "textures",
    "samplers",
    "cameras",
    "extensions",
    "extras",
    "extensionsUsed",
];

fn assert_kept(what: &str, before: &Parsed, after: &Parsed) {
    for key in KEPT {
        assert_eq!(before.json[key], after.json[key], "{what}: {key}");
    }
    for accessor in before.of_shapes() {
        let mut entries = [before, after].map(|file| file.json["accessors"][accessor].clone());
        assert_eq!(entries[0], entries[1], "{what}: accessor {accessor}");
        let is_sparse = entries[0]["sparse"].take().is_object();
        assert!(
            is_sparse || before.elements(accessor) == after.elements(accessor),
            "{what}: accessor {accessor}"
        );
        if is_sparse {
            let views = [before, after].map(|file| {
                let sparse = &file.json["accessors"][accessor]["sparse"];
                let view = |part: &str| file.view(&sparse[part]["bufferView"]).to_vec();
                (view("indices"), view("values"))
            });
            assert_eq!(views[0], views[1], "{what}: accessor {accessor}");
        }
    }
    for image in 0..before.json["images"].as_array().map_or(0, Vec::len) {
        assert_eq!(
            before.image(image),
            after.image(image),
            "{what}: image {image}"
        );
    }
    for view in after.json["bufferViews"].as_array().into_iter().flatten() {
        let buffer = &after.buffers[view["buffer"].as_u64().unwrap() as usize];
        let offset = view["byteOffset"].as_u64().unwrap_or(0);
        let end = offset + view["byteLength"].as_u64().unwrap();
        assert!(end <= buffer.len() as u64, "{what}: {view}");
    }
}

fn assert_plays(what: &str, skeleton: &sinew::Skeleton, found: &Animation, expected: &Animation) {
    assert_eq!(found.name, expected.name, "{what}");
    assert!((found.length - expected.length).abs() < 1e-6, "{what}");
    let bindings = [found, expected].map(|animation| animation.bind(skeleton));
    let mut poses = [Pose::rest(skeleton), Pose::rest(skeleton)];
    for step in 0..=60 {
        let time = expected.length * step as f32 / 60.0;
        for ((animation, binding), pose) in
            [found, expected].into_iter().zip(&bindings).zip(&mut poses)
        {
            sample(animation, binding, time, pose).unwrap();
        }
        for joint in (0..skeleton.len()).map(sinew::JointIndex::from) {
            let [a, b] = [0, 1].map(|index| poses[index].get(joint));
            let angle = sinew::math::quat_angle(a.rotation, b.rotation);
            let size = 1.0 + b.position.length().max(b.scale.length());
            let off = (a.position - b.position).length() + (a.scale - b.scale).length();
            assert!(
                off < 1e-5 * size && angle < 2e-3,
                "{what} at {time}: {off} {angle}"
            );
        }
        for (a, b) in found.variants.iter().zip(&expected.variants) {
            assert_eq!(a.name, b.name, "{what}");
            let [a, b] = [a, b].map(|track| track.sample(time, expected.length, false));
            let (Variant::Float(a), Variant::Float(b)) = (a, b) else {
                panic!("{what}: weights are floats");
            };
            assert!((a - b).abs() < 1e-5, "{what} at {time}: {a} {b}");
        }
    }
    assert_eq!(found.variants.len(), expected.variants.len(), "{what}");
}

type Edit = (&'static str, fn(&sinew::Skeleton, &Animation) -> Animation);

const EDITS: [Edit; 5] = [
    ("nothing", |_, animation| animation.clone()),
    ("resample", |_, animation| resample(animation, 30.0)),
    ("trim", |_, animation| {
        trim(animation, 0.25 * animation.length..0.75 * animation.length)
    }),
    ("move", |skeleton, animation| {
        let mut moved = animation.clone();
        let offset = Transform::from_position(Vec3::new(1.0, 0.0, -2.0));
        move_root(&mut moved, skeleton, &offset);
        moved
    }),
    ("mirror", |skeleton, animation| {
        mirror(animation, skeleton).unwrap_or_else(|_| animation.clone())
    }),
];

/// Meshes, materials, textures, images, skins, cameras, extras and the bytes behind them are what they were, and the
/// animations are what they were edited to be, of every glTF file of the corpus.
#[test]
#[ignore = "needs SINEW_CORPUS"]
fn every_file_of_the_corpus_keeps_what_is_not_edited() {
    let (mut files, mut written_files, mut meshes, mut images, mut animations) = (0, 0, 0, 0, 0);
    for path in corpus_files("gltf", &["gltf", "glb"]) {
        let settings = GltfSettings::default();
        let Ok(file) = read(&path, &settings) else {
            // Files of the validator's tests that are made to be refused.
            continue;
        };
        let source = GltfSource::read(&path, &settings).unwrap();
        let unedited = source.write_glb(&file.skeleton, &file.animations).unwrap();
        let is_missing = |warning: &sinew_formats::Warning| warning.place.starts_with("buffers[");
        if unedited.warnings.list().iter().any(is_missing) {
            // Files of the validator's tests whose buffers are nowhere.
            continue;
        }
        files += 1;
        let bytes = std::fs::read(&path).unwrap();
        let before = Parsed::of(&bytes, path.parent().unwrap());
        meshes += before.json["meshes"].as_array().map_or(0, Vec::len);
        images += before.json["images"].as_array().map_or(0, Vec::len);
        for (edit, apply) in EDITS {
            let what = format!("{} {edit}", path.display());
            let edited = file
                .animations
                .iter()
                .map(|animation| apply(&file.skeleton, animation));
            let edited: Vec<Animation> = edited.collect();
            animations += edited.len();
            let glb = source.write_glb(&file.skeleton, &edited).unwrap();
            let gltf = source.write_gltf(&file.skeleton, &edited).unwrap();
            for output in [glb, gltf] {
                written_files += 1;
                let after = Parsed::of(&output.bytes, path.parent().unwrap());
                assert_kept(&what, &before, &after);
                if edit == "nothing" {
                    assert_eq!(
                        before.json["animations"], after.json["animations"],
                        "{what}"
                    );
                    assert_eq!(before.json["accessors"], after.json["accessors"], "{what}");
                }
                let again = read_bytes(&output.bytes, &settings).unwrap();
                assert_eq!(again.skeleton, file.skeleton, "{what}");
                assert_eq!(again.animations.len(), edited.len(), "{what}");
                for (found, expected) in again.animations.iter().zip(&edited) {
                    assert_plays(&what, &file.skeleton, found, expected);
                }
                // Edited again and again, a file does not grow.
                let source = GltfSource::from_bytes(output.bytes.clone(), &settings);
                let mut twice = again.animations.clone();
                twice.iter_mut().for_each(|animation| animation.name += "!");
                let first = source.write_glb(&file.skeleton, &twice).unwrap();
                let source = GltfSource::from_bytes(first.bytes.clone(), &settings);
                twice.iter_mut().for_each(|animation| animation.name += "!");
                let second = source.write_glb(&file.skeleton, &twice).unwrap();
                let grown = second.bytes.len().saturating_sub(first.bytes.len());
                assert!(grown <= 64 * twice.len() + 8, "{what}: {grown} bytes");
            }
        }
    }
    say(&format!(
        "{files} glTF files with {meshes} meshes and {images} images, written {written_files} times with \
         {animations} animations"
    ));
    assert!(
        files >= 40 && meshes >= 40 && images >= 2,
        "{files} {meshes} {images}"
    );
}

/// A document with everything that a motion knows nothing of: a mesh with two morph targets, a material, a texture, an
/// image, a camera, extras, an extension that nobody knows, and animations of a node, of weights and of a pointer.
fn scene() -> (Value, Vec<u8>) {
    let mut bytes = Vec::new();
    let mut views: Vec<Value> = Vec::new();
    let mut add = |content: &[u8]| {
        while !bytes.len().is_multiple_of(4) {
            bytes.push(0xee);
        }
        views.push(json!({"buffer": 0, "byteOffset": bytes.len(), "byteLength": content.len()}));
        bytes.extend_from_slice(content);
        views.len() - 1
    };
    let floats = |numbers: &[f32]| -> Vec<u8> {
        numbers
            .iter()
            .flat_map(|number| number.to_le_bytes())
            .collect()
    };
    // Keys come first, so that what is behind them moves when they go.
    let times = add(&floats(&[0.0, 0.5, 1.0]));
    let turns = add(&floats(&[
        0.0, 0.0, 0.0, 1.0, 0.0, 0.6, 0.0, 0.8, 0.0, 0.0, 0.0, 1.0,
    ]));
    let weights = add(&floats(&[0.0, 0.25, 1.0, 0.0, 0.0, 0.5]));
    let colors = add(&floats(&[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]));
    let positions = add(&floats(&[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0]));
    let shape = add(&floats(&[0.1, 0.0, 0.0, 0.0, 0.1, 0.0, 0.0, 0.0, 0.1]));
    let png = b"\x89PNG\r\n\x1a\n and whatever follows".to_vec();
    let image = add(&png);
    let secret = add(b"bytes of an extension");
    let vec3 = |view: usize| json!({"bufferView": view, "componentType": 5126, "count": 3, "type": "VEC3"});
    let json = json!({
        "asset": {"version": "2.0", "generator": "another program", "copyright": "someone"},
        "extensionsUsed": ["KHR_animation_pointer", "ACME_secret"],
        "scene": 0,
        "scenes": [{"nodes": [0, 2], "extras": {"sky": "blue"}}],
        "nodes": [
            {"name": "body", "children": [1], "mesh": 0, "extras": {"hit points": 7}},
            {"name": "tail", "translation": [0.0, 1.0, 0.0], "extensions": {"ACME_secret": {"view": secret}}},
            {"name": "eye", "camera": 0}
        ],
        "cameras": [{"type": "perspective", "perspective": {"yfov": 1.10, "znear": 1e-2}}],
        "meshes": [{
            "name": "triangle",
            "weights": [0.25, 0.0],
            "primitives": [{
                "attributes": {"POSITION": 4},
                "targets": [{"POSITION": 5}, {"POSITION": 5}],
                "material": 0
            }]
        }],
        "materials": [{"name": "skin", "pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}],
        "textures": [{"source": 0}],
        "images": [{"bufferView": image, "mimeType": "image/png", "name": "portrait"}],
        "accessors": [
            {"bufferView": times, "componentType": 5126, "count": 3, "type": "SCALAR", "min": [0.0], "max": [1.0]},
            {"bufferView": turns, "componentType": 5126, "count": 3, "type": "VEC4"},
            {"bufferView": weights, "componentType": 5126, "count": 6, "type": "SCALAR"},
            vec3(colors),
            {"bufferView": positions, "componentType": 5126, "count": 3, "type": "VEC3", "min": [0.0, 0.0, 0.0],
             "max": [1.0, 1.0, 0.0]},
            vec3(shape)
        ],
        "bufferViews": views,
        "buffers": [{"byteLength": bytes.len(), "name": "all bytes"}],
        "animations": [{
            "name": "wag",
            "extras": {"mood": "happy"},
            "channels": [
                {"sampler": 0, "target": {"node": 1, "path": "rotation"}},
                {"sampler": 1, "target": {"node": 0, "path": "weights"}},
                {"sampler": 2, "target": {"path": "pointer", "extensions": {"KHR_animation_pointer":
                    {"pointer": "/materials/0/emissiveFactor"}}}}
            ],
            "samplers": [
                {"input": 0, "output": 1},
                {"input": 0, "output": 2, "interpolation": "STEP"},
                {"input": 0, "output": 3}
            ]
        }],
        "extras": {"made for": ["a test", 1, null]}
    });
    (json, bytes)
}

fn glb(json: &Value, bin: &[u8]) -> Vec<u8> {
    let mut json = json.to_string().into_bytes();
    json.resize(json.len().next_multiple_of(4), b' ');
    let mut bin = bin.to_vec();
    bin.resize(bin.len().next_multiple_of(4), 0);
    let length = 12 + 8 + json.len() + 8 + bin.len();
    let mut file = b"glTF\x02\0\0\0".to_vec();
    file.extend((length as u32).to_le_bytes());
    for (kind, content) in [(b"JSON", json), (b"BIN\0", bin)] {
        file.extend((content.len() as u32).to_le_bytes());
        file.extend(kind);
        file.extend(content);
    }
    file
}

fn source() -> (GltfSource, Parsed) {
    let (json, bin) = scene();
    let bytes = glb(&json, &bin);
    let parsed = Parsed::of(&bytes, Path::new(""));
    (
        GltfSource::from_bytes(bytes, &GltfSettings::default()),
        parsed,
    )
}

#[test]
fn unrelated_parts_of_the_document_are_kept() {
    let (source, before) = source();
    let file = source.motion().unwrap();
    for (edit, apply) in EDITS {
        let edited: Vec<Animation> = file
            .animations
            .iter()
            .map(|animation| apply(&file.skeleton, animation))
            .collect();
        for bytes in [
            source.write_glb(&file.skeleton, &edited).unwrap().bytes,
            source.write_gltf(&file.skeleton, &edited).unwrap().bytes,
        ] {
            let after = Parsed::of(&bytes, Path::new(""));
            assert_kept(edit, &before, &after);
            assert_eq!(after.json["images"], before.json["images"], "{edit}");
            assert_eq!(after.json["animations"][0]["extras"]["mood"], "happy");
            assert_eq!(after.json["buffers"][0]["name"], "all bytes");
            // An extension's own reference to a view is left alone, and so is the view.
            let secret = &before.json["nodes"][1]["extensions"]["ACME_secret"]["view"];
            assert_eq!(before.view(secret), after.view(secret), "{edit}");
            let again = read_bytes(&bytes, &GltfSettings::default()).unwrap();
            assert_plays(edit, &file.skeleton, &again.animations[0], &edited[0]);
        }
    }
}

/// A channel that motions do not have stays as long as times are the same, and its loss is told otherwise.
#[test]
fn channels_of_other_targets_are_kept_or_have_a_warning() {
    let (source, before) = source();
    let file = source.motion().unwrap();
    let pointer = |bytes: &[u8]| {
        let after = Parsed::of(bytes, Path::new(""));
        let animation = after.json["animations"][0].clone();
        let channels = animation["channels"].as_array().unwrap();
        let found = channels
            .iter()
            .find(|channel| channel["target"]["path"] == "pointer")?;
        let sampler = &animation["samplers"][found["sampler"].as_u64().unwrap() as usize];
        let output = sampler["output"].as_u64().unwrap() as usize;
        let input = sampler["input"].as_u64().unwrap() as usize;
        Some((after.elements(input), after.elements(output)))
    };
    let colors = (before.elements(0), before.elements(3));
    let moved = EDITS[3].1(&file.skeleton, &file.animations[0]);
    let moved = source.write_glb(&file.skeleton, &[moved]).unwrap();
    assert_eq!(pointer(&moved.bytes), Some(colors));
    assert!(moved.warnings.is_empty(), "{:?}", moved.warnings);
    let cut = trim(&file.animations[0], 0.0..0.5);
    let cut = source.write_glb(&file.skeleton, &[cut]).unwrap();
    assert_eq!(pointer(&cut.bytes), None);
    let warnings: Vec<String> = cut
        .warnings
        .list()
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    assert!(
        warnings[0].contains("1 that move no node are not kept"),
        "{warnings:?}"
    );
}

/// Triggers and tracks that glTF has no words for come back, beside the weights that it has.
#[test]
fn triggers_and_variants_round_trip_through_extras() {
    let (source, _) = source();
    let file = source.motion().unwrap();
    let mut animation = file.animations[0].clone();
    assert_eq!(animation.variants.len(), 2);
    animation.add_trigger(0.25, "bark");
    animation.add_trigger(0.75, Variant::Int(3));
    let light = VariantTrack::new(
        "lamp/@Light/Brightness",
        VariantInterpolation::TensionSpline { tension: 0.5 },
        [(0.0, 1.0_f32), (0.4, 2.0), (1.0, 0.5)],
    );
    animation.set_variant(light.unwrap());
    animation.tracks[0].weights.rotation = 0.5;
    let written = source.write_glb(&file.skeleton, std::slice::from_ref(&animation));
    let again = read_bytes(&written.unwrap().bytes, &GltfSettings::default()).unwrap();
    let found = &again.animations[0];
    assert_eq!(found.triggers, animation.triggers);
    assert_eq!(found.variants, animation.variants);
    assert_eq!(found.tracks[0].weights, animation.tracks[0].weights);
    // And without a document to keep: nothing is a morph target there.
    let plain = sinew_formats::gltf::write_bytes(
        &file.skeleton,
        std::slice::from_ref(&animation),
        &Default::default(),
    );
    let again = read_bytes(&plain.unwrap(), &GltfSettings::default()).unwrap();
    assert_eq!(again.animations[0].triggers, animation.triggers);
    assert_eq!(again.animations[0].variants, animation.variants);
}

/// A container has one chunk: the bytes of all buffers go into it, but for buffers that have extras of their own.
#[test]
fn the_buffers_of_a_container_are_merged() {
    let (mut json, bin) = scene();
    let uri = |bytes: &[u8]| format!("data:;base64,{}", STANDARD.encode(bytes));
    let half = json["bufferViews"][4]["byteOffset"].as_u64().unwrap() as usize;
    json["buffers"] = json!([
        {"byteLength": half, "uri": uri(&bin[..half])},
        {"byteLength": bin.len() - half, "uri": uri(&bin[half..]), "name": "second"},
        {"byteLength": 4, "uri": uri(&[1, 2, 3, 4]), "extras": {"keep": "me"}}
    ]);
    for view in json["bufferViews"].as_array_mut().unwrap() {
        let offset = view["byteOffset"].as_u64().unwrap() as usize;
        if offset >= half {
            view["buffer"] = 1.into();
            view["byteOffset"] = (offset - half).into();
        }
    }
    let bytes = json.to_string().into_bytes();
    let before = Parsed::of(&bytes, Path::new(""));
    let source = GltfSource::from_bytes(bytes, &GltfSettings::default());
    let file = source.motion().unwrap();
    for (edit, apply) in EDITS {
        let edited = apply(&file.skeleton, &file.animations[0]);
        for (bytes, buffers) in [
            (
                source.write_glb(&file.skeleton, std::slice::from_ref(&edited)),
                2,
            ),
            (
                source.write_gltf(&file.skeleton, std::slice::from_ref(&edited)),
                3,
            ),
        ] {
            let bytes = bytes.unwrap().bytes;
            let after = Parsed::of(&bytes, Path::new(""));
            assert_kept(edit, &before, &after);
            let all = after.json["buffers"].as_array().unwrap();
            assert_eq!(all.len(), buffers, "{edit}");
            assert_eq!(all[buffers - 1]["extras"]["keep"], "me");
            assert_eq!(after.buffers[buffers - 1], [1, 2, 3, 4]);
            let again = read_bytes(&bytes, &GltfSettings::default()).unwrap();
            assert_plays(edit, &file.skeleton, &again.animations[0], &edited);
        }
    }
}

/// A first buffer whose bytes are nowhere is not taken for a container's chunk: it comes after it, and the views that
/// refer to it follow.
#[test]
fn a_buffer_without_bytes_is_not_the_chunk() {
    let document = json!({
        "asset": {"version": "2.0"},
        "nodes": [{"name": "a"}],
        "skins": [{"joints": [0], "inverseBindMatrices": 0}],
        "accessors": [{"bufferView": 0, "componentType": 5126, "count": 1, "type": "MAT4"}],
        "bufferViews": [{"buffer": 0, "byteLength": 64}],
        "buffers": [{"name": "elsewhere", "byteLength": 64}],
    });
    let bytes = document.to_string().into_bytes();
    let source = GltfSource::from_bytes(bytes, &GltfSettings::default());
    let file = source.motion().unwrap();
    let mut walk = Animation::new("walk", 1.0);
    let mut track = TransformTrack::new("a");
    let times = KeyTimes::uniform(1.0, 2).unwrap();
    let places = vec![Vec3::ZERO, Vec3::X];
    track.position = Some(Channel::new(times, places, Interpolation::Linear).unwrap());
    walk.tracks.push(track);
    for animations in [&[][..], &[walk]] {
        let written = source.write_glb(&file.skeleton, animations).unwrap();
        assert_eq!(written.warnings.count(), 1, "the missing buffer");
        let after = Parsed::of(&written.bytes, Path::new(""));
        let [chunk, missing] = &after.json["buffers"].as_array().unwrap()[..] else {
            panic!("{}", after.json["buffers"]);
        };
        assert_eq!(missing, &document["buffers"][0]);
        assert!(chunk["uri"].is_null());
        assert_eq!(chunk["byteLength"], after.buffers[0].len());
        assert!(!after.buffers[0].is_empty());
        assert_eq!(after.json["bufferViews"][0]["buffer"], 1);
        let again = read_bytes(&written.bytes, &GltfSettings::default()).unwrap();
        assert_eq!(again.animations.len(), animations.len());
        for (again, animation) in again.animations.iter().zip(animations) {
            assert_plays("walk", &file.skeleton, again, animation);
        }
    }
}

/// A skeleton that rests elsewhere is written to the nodes; another skeleton is refused.
#[test]
fn joints_may_rest_elsewhere_but_must_be_the_same() {
    let (source, before) = source();
    let file = source.motion().unwrap();
    let mut joints = file.skeleton.joints().to_vec();
    joints[1].rest.rotation = Quat::from_xyzw(0.0, 0.6, 0.0, 0.8);
    let skeleton = sinew::Skeleton::new(joints.clone()).unwrap();
    let written = source.write_glb(&skeleton, &file.animations).unwrap();
    let after = Parsed::of(&written.bytes, Path::new(""));
    assert_eq!(after.json["nodes"][0], before.json["nodes"][0]);
    assert_eq!(
        after.json["nodes"][1]["extensions"],
        before.json["nodes"][1]["extensions"]
    );
    let again = read_bytes(&written.bytes, &GltfSettings::default()).unwrap();
    assert_eq!(again.skeleton, skeleton);
    joints[1].name = "another".into();
    let other = sinew::Skeleton::new(joints).unwrap();
    let error = source.write_glb(&other, &file.animations).unwrap_err();
    assert_eq!(error, GltfWriteError::OtherSkeleton);
}

/// Buffers and images in files of their own end up inside; an image that is missing is told of.
#[test]
fn external_files_are_embedded() {
    let (mut json, bin) = scene();
    let folder = tempfile::tempdir().unwrap();
    json["buffers"][0]["uri"] = json!("bytes.bin");
    json["images"] = json!([{"uri": "portrait.png", "extras": 1}, {"uri": "gone.png"}]);
    std::fs::write(folder.path().join("bytes.bin"), &bin).unwrap();
    std::fs::write(folder.path().join("portrait.png"), b"\x89PNG\r\n\x1a\n...").unwrap();
    let path = folder.path().join("scene.gltf");
    std::fs::write(&path, json.to_string()).unwrap();
    let source = GltfSource::read(&path, &GltfSettings::default()).unwrap();
    let file = source.motion().unwrap();
    let edited = resample(&file.animations[0], 12.0);
    let written = source.write_glb(&file.skeleton, &[edited]).unwrap();
    let after = Parsed::of(&written.bytes, Path::new("nowhere"));
    assert_eq!(after.image(0).unwrap(), b"\x89PNG\r\n\x1a\n...");
    assert_eq!(after.json["images"][0]["mimeType"], "image/png");
    assert_eq!(after.json["images"][0]["extras"], 1);
    let warnings: Vec<String> = written
        .warnings
        .list()
        .iter()
        .map(ToString::to_string)
        .collect();
    assert!(
        warnings[0].contains("images[1], uri: \"gone.png\" is not copied"),
        "{warnings:?}"
    );
    // A buffer that is missing stays missing, and is told of.
    std::fs::remove_file(folder.path().join("bytes.bin")).unwrap();
    let Err(error) = source.motion() else {
        panic!("its keys are gone");
    };
    assert!(error.to_string().contains("bytes.bin"), "{error}");
}

/// Documents that are damaged anywhere are refused, or written so that they can be read again; nothing panics.
#[test]
fn damaged_documents_are_refused_or_can_be_read_again() {
    assert_damaged_documents_are_refused_or_written(5_000);
}

#[test]
#[ignore = "exhaustive: takes seconds of CPU; .ci/run runs it"]
fn damaged_documents_are_refused_or_can_be_read_again_exhaustively() {
    assert_damaged_documents_are_refused_or_written(20_000);
}

fn assert_damaged_documents_are_refused_or_written(cases: usize) {
    let (mut json, bin) = scene();
    json["buffers"][0]["uri"] = format!("data:;base64,{}", STANDARD.encode(&bin)).into();
    let sound = json.to_string().into_bytes();
    let mut seed = 7_u64;
    let mut random = |below: usize| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        (seed % below as u64) as usize
    };
    let digits = b"0123456789-.eE[]{},:\"nulltrue ";
    let (mut read, mut written) = (0, 0);
    for _ in 0..cases {
        let mut bytes = sound.clone();
        for _ in 0..=random(3) {
            let at = random(bytes.len());
            match random(4) {
                0 => drop(bytes.remove(at)),
                1 => bytes.insert(at, digits[random(digits.len())]),
                // Mostly a number for a number.
                _ if bytes[at].is_ascii_digit() => bytes[at] = b'0' + random(10) as u8,
                _ => bytes[at] = digits[random(digits.len())],
            }
        }
        let source = GltfSource::from_bytes(bytes, &GltfSettings::default());
        let Ok(file) = source.motion() else { continue };
        read += 1;
        let edited = file
            .animations
            .iter()
            .map(|animation| EDITS[3].1(&file.skeleton, animation));
        let edited: Vec<Animation> = edited.collect();
        for animations in [&file.animations, &edited] {
            if let Ok(output) = source.write_glb(&file.skeleton, animations) {
                written += 1;
                let again = read_bytes(&output.bytes, &GltfSettings::default()).unwrap();
                assert_eq!(again.animations.len(), animations.len());
            }
        }
    }
    assert!(read > cases / 10 && written > cases / 5, "{read} {written}");
}
