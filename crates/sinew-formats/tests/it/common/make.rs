//! Files made in code: archives, pictures and a small character that uses everything.

use serde_json::{Value, json};
use sinew_formats::skf::{self, Skf, SkfError};
use std::io::{Cursor, Write};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

pub(crate) const STORED: CompressionMethod = CompressionMethod::Stored;
pub(crate) const DEFLATED: CompressionMethod = CompressionMethod::Deflated;

/// A zip archive of these entries.
pub(crate) fn zip(method: CompressionMethod, entries: &[(&str, &[u8])]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(method);
    for (name, bytes) in entries {
        zip.start_file(*name, options).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

/// An archive of this character with one atlas, `atlas0.png`.
pub(crate) fn skf_of(armature: &Value) -> Vec<u8> {
    let json = armature.to_string();
    let atlas = png(64, 64, [200, 100, 50, 255]);
    zip(
        STORED,
        &[("armature.json", json.as_bytes()), ("atlas0.png", &atlas)],
    )
}

/// Reads the JSON alone.
pub(crate) fn read_value(armature: &Value) -> Result<Skf, SkfError> {
    skf::read_bytes(armature.to_string().as_bytes())
}

/// A picture of one colour.
pub(crate) fn png(width: u32, height: u32, color: [u8; 4]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width, height);
    encoder.set_color(png::ColorType::Rgba);
    let mut writer = encoder.write_header().unwrap();
    let pixels = color.repeat(width as usize * height as usize);
    writer.write_image_data(&pixels).unwrap();
    writer.finish().unwrap();
    bytes
}

/// A grey JPEG of one row of 8 x 8 blocks, each of one brightness.
///
/// Such a picture has no frequencies but the lowest, so the whole entropy code is one Huffman code
/// of eight bits per block difference and one bit for "no more".
pub(crate) fn jpeg(blocks: &[u8]) -> Vec<u8> {
    let width = u8::try_from(blocks.len() * 8).unwrap();
    let mut bytes = vec![0xff, 0xd8];
    // Every frequency is divided by 8, which makes the lowest one the mean itself.
    bytes.extend([0xff, 0xdb, 0, 67, 0]);
    bytes.extend([8; 64]);
    bytes.extend([0xff, 0xc0, 0, 11, 8, 0, 8, 0, width, 1, 1, 0x11, 0]);
    // Lowest frequency: nine codes of eight bits, the code being the number of bits that follow.
    bytes.extend([0xff, 0xc4, 0, 28, 0x00, 0, 0, 0, 0, 0, 0, 0, 9]);
    bytes.extend([0; 8]);
    bytes.extend(0..9);
    // The others: one code of one bit, for the end of the block.
    bytes.extend([0xff, 0xc4, 0, 20, 0x10, 1]);
    bytes.extend([0; 16]);
    bytes.extend([0xff, 0xda, 0, 8, 1, 1, 0, 0, 63, 0]);
    let mut bits = String::new();
    let mut before = 128;
    for &block in blocks {
        let change = i32::from(block) - before;
        let length = (32 - change.unsigned_abs().leading_zeros()) as usize;
        bits += &format!("{length:08b}");
        if length > 0 {
            // Negative numbers are stored one lower, without their sign.
            let stored = if change < 0 { change - 1 } else { change };
            let stored = format!("{stored:032b}");
            bits += &stored[32 - length..];
        }
        bits += "0";
        before = block.into();
    }
    while !bits.len().is_multiple_of(8) {
        bits += "1";
    }
    for byte in bits.as_bytes().chunks(8) {
        let byte = u8::from_str_radix(std::str::from_utf8(byte).unwrap(), 2).unwrap();
        bytes.push(byte);
        if byte == 0xff {
            bytes.push(0);
        }
    }
    bytes.extend([0xff, 0xd9]);
    bytes
}

/// A bone of the newest layout that shows nothing.
pub(crate) fn bone(id: i64, name: &str, parent: i64) -> Value {
    json!({
        "id": id, "name": name, "parent_id": parent,
        "pos": xy(10.0, 0.0), "rot": 0.0, "scale": xy(1.0, 1.0),
        "visuals_id": -1, "ik_family_id": -1, "physics_id": -1,
    })
}

/// A key of the newest layout.
pub(crate) fn key(frame: i64, bone: i64, element: &str, value: f32) -> Value {
    json!({
        "frame": frame, "bone_id": bone, "element": element, "value": value,
        "start_handle": xy(0.0, 0.0), "end_handle": xy(0.0, 0.0), "handle_preset": "Linear",
    })
}

pub(crate) fn xy(x: f32, y: f32) -> Value {
    json!({ "x": x, "y": y })
}

/// A 0.7 character that has one of everything: five bones in a row, a rectangle, a mesh with a weight
/// bind and two path binds, an IK family, physics, an animation, a style.
pub(crate) fn character() -> Value {
    let mut bones = vec![
        bone(0, "root", -1),
        bone(1, "arm", 0),
        bone(2, "hand", 1),
        bone(3, "tail", 0),
        bone(4, "target", 0),
    ];
    bones[0]["visuals_id"] = 0.into();
    bones[3]["visuals_id"] = 1.into();
    bones[3]["physics_id"] = 0.into();
    bones[1]["ik_family_id"] = 0.into();
    bones[2]["ik_family_id"] = 0.into();
    bones[4]["pos"] = xy(12.0, 9.0);
    json!({
        "version": "0.7.0",
        "baked_ik": false,
        "img_format": "PNG",
        "bones": bones,
        "animations": [{
            "id": 0, "name": "Walk", "fps": 60,
            "keyframes": [
                key(0, 1, "Rotation", 0.0), key(8, 1, "Rotation", 1.0),
                key(0, 4, "PositionY", 0.0), key(4, 4, "PositionY", 9.0),
                key(3, 0, "TintA", 0.5), key(2, 0, "Zindex", 7.0), key(2, 3, "Hidden", 1.0),
                key(5, 1, "MimicTarget", 1.0),
                { "frame": 1, "bone_id": 0, "element": "Texture", "value_str": "mesh" },
                { "frame": 1, "bone_id": 1, "element": "IkConstraint", "value_str": "Clockwise" },
                { "frame": 1, "bone_id": 1, "element": "IkMode", "value_str": "Arc" },
            ],
        }],
        "atlases": [{ "filename": "atlas0.png", "size": xy(64.0, 64.0) }],
        "styles": [{ "id": 0, "name": "Default", "textures": [
            { "name": "box", "offset": xy(0.0, 0.0), "size": xy(16.0, 16.0), "atlas_idx": 0 },
            { "name": "mesh", "offset": xy(16.0, 0.0), "size": xy(32.0, 16.0), "atlas_idx": 0 },
        ] }],
        "visuals": [
            { "tex": "box", "zindex": 1, "tint": { "r": 1.0, "g": 0.5, "b": 0.5, "a": 1.0 } },
            {
                "tex": "mesh", "zindex": 0, "pivot_scale": xy(1.0, 1.0),
                "vertices": [
                    { "id": 0, "pos": xy(-8.0, 8.0), "uv": xy(0.0, 0.0), "init_pos": xy(-8.0, 8.0) },
                    { "id": 1, "pos": xy(8.0, 8.0), "uv": xy(1.0, 0.0), "init_pos": xy(8.0, 8.0) },
                    { "id": 2, "pos": xy(8.0, -8.0), "uv": xy(1.0, 1.0), "init_pos": xy(8.0, -8.0) },
                    { "id": 3, "pos": xy(-8.0, -8.0), "uv": xy(0.0, 1.0), "init_pos": xy(-8.0, -8.0) },
                ],
                "indices": [0, 1, 2, 0, 2, 3],
                "binds": [
                    { "bone_id": 3, "is_path": true, "verts": [{ "id": 0, "weight": 1.0 }] },
                    { "bone_id": 2, "is_path": true, "verts": [{ "id": 1, "weight": 1.0 }] },
                    { "bone_id": 1, "is_path": false, "verts": [{ "id": 2, "weight": 0.5 }] },
                ],
            },
        ],
        "inverse_kinematics": [{
            "id": 0, "constraint": "None", "mode": "FABRIK", "target_id": 4, "bone_ids": [0, 1, 2],
        }],
        "physics": [{
            "global_pos": xy(0.0, 0.0), "global_rot": 0.0, "pos_damping": 10.0, "pos_ratio": 0.2,
            "rot_damping": 5.0, "scale_damping": 3.0, "sway": 2.0, "rot_bounce": 0.5,
            "global_orbit": 0.1,
        }],
    })
}
