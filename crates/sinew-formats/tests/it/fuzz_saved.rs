//! Inputs that the fuzz target starts from or once stumbled over, on the stable compiler.

use crate::common;
use crate::common::play;
use crate::common::play_motion;
use crate::common::play_pack;
use sinew_formats::amc::{self, AmcSettings};
use sinew_formats::asf::{self, AsfSettings, Units};
use sinew_formats::bvh::{self, BvhSettings};
use sinew_formats::gltf::{self, GltfSettings};
use sinew_formats::pack::PackView;
use sinew_formats::{MotionFile, curve, json, role_map, skf, xml};
use std::path::{Path, PathBuf};

fn saved(target: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../fuzz/saved");
    let mut files: Vec<_> = std::fs::read_dir(folder.join(target))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    files
}

/// Reads the saved inputs of a target and plays what they give.
fn play_all(target: &str, read: impl Fn(&[u8], bool) -> Option<MotionFile>) {
    let files = saved(target);
    let mut played = 0;
    for file in &files {
        let bytes = std::fs::read(file).unwrap();
        let motions = [false, true].map(|lenient| read(&bytes, lenient));
        played += motions
            .iter()
            .flatten()
            .filter(|motion| play_motion::play(motion))
            .count();
    }
    assert!(played > 0, "at least the seeds are good");
    let count = files.len();
    common::say(&format!(
        "fuzz: {count} saved {target} inputs, {played} motions played"
    ));
}

#[test]
fn every_saved_motion_is_refused_or_plays() {
    play_all("asf", |bytes, lenient| {
        let read = asf::read_bytes(bytes, &AsfSettings { lenient }).ok()?;
        Some(MotionFile {
            skeleton: asf::to_skeleton(&read, Units::CmuMetres).ok()?,
            animations: Vec::new(),
            warnings: read.warnings,
        })
    });
    let figure = include_bytes!("../../../../samples/motion/figure.asf");
    let figure = asf::read_bytes(figure, &AsfSettings::default()).unwrap();
    play_all("amc", |bytes, lenient| {
        let parting = b"\n====\n";
        let parting_offset = bytes
            .windows(parting.len())
            .position(|window| window == parting);
        let given = parting_offset
            .and_then(|offset| asf::read_bytes(&bytes[..offset], &AsfSettings { lenient }).ok());
        let motion = parting_offset.map_or(bytes, |offset| &bytes[offset + parting.len()..]);
        let settings = AmcSettings {
            lenient,
            ..AmcSettings::default()
        };
        let skeleton = given.as_ref().unwrap_or(&figure);
        let read = amc::read_bytes(motion, skeleton, &settings).ok()?;
        amc::to_motion(skeleton, read, Units::CmuMetres).ok()
    });
    play_all("bvh", |bytes, lenient| {
        let settings = BvhSettings {
            lenient,
            ..BvhSettings::default()
        };
        bvh::read_bytes(bytes, &settings)
            .ok()?
            .into_motion(&settings)
            .ok()
    });
    play_all("gltf", |bytes, _| {
        gltf::read_bytes(bytes, &GltfSettings::default()).ok()
    });
    play_all("json", |bytes, _| {
        let file = json::read_bytes(bytes).ok()?;
        Some(play_motion::with_skeleton(file.skeleton, file.animations))
    });
    play_all("xml", |bytes, _| {
        let file = xml::read_bytes(bytes).ok()?;
        Some(play_motion::with_skeleton(None, vec![file.animation]))
    });
}

#[test]
fn every_saved_pack_is_refused_or_plays() {
    let files = saved("sinew");
    let mut played = 0;
    for file in &files {
        let bytes = std::fs::read(file).unwrap();
        let mut sealed = bytes.clone();
        play_pack::reseal(&mut sealed);
        for bytes in [bytes, sealed] {
            if let Ok(view) = PackView::read(&bytes) {
                play_pack::play(&view);
                played += 1;
            }
        }
    }
    assert!(played > 0, "at least the seeds are good");
    common::say(&format!(
        "fuzz: {} saved sinew inputs, {played} packs played",
        files.len()
    ));
}

#[test]
fn every_saved_character_is_refused_or_plays() {
    let files = saved("skf");
    let mut played = 0;
    for file in &files {
        let bytes = std::fs::read(file).unwrap();
        let read = [skf::read_bytes(&bytes), skf::read_json(&bytes)];
        for character in read.into_iter().flatten() {
            play::play(&character.armature);
            skf::lint(&character);
            played += 1;
        }
    }
    assert!(played > 0, "at least the seeds are good characters");
    common::say(&format!(
        "fuzz: {} saved inputs, {played} characters played",
        files.len()
    ));
}

#[test]
fn every_saved_curve_is_refused_or_round_trips() {
    let files = saved("curve");
    let mut read = 0;
    for file in &files {
        let bytes = std::fs::read(file).unwrap();
        if let Ok(curve) = curve::read_bytes(&bytes) {
            let written = curve::write_bytes(&curve);
            assert_eq!(curve::read_bytes(&written).unwrap(), curve);
            read += 1;
        }
    }
    assert!(read > 0, "at least the seeds are good");
    common::say(&format!("fuzz: {} saved curves, {read} read", files.len()));
}

#[test]
fn every_saved_role_map_is_refused_or_round_trips() {
    const JOINTS: [&str; 8] = [
        "Hips", "Spine", "Chest", "Head", "LeftArm", "RightArm", "bone", "bone",
    ];
    let near = sinew::skeleton::Side::Right;
    let files = saved("role_map");
    let mut read = 0;
    for file in &files {
        let bytes = std::fs::read(file).unwrap();
        if let Ok(map) = role_map::read_bytes(&bytes, &JOINTS, near) {
            let written = role_map::write_bytes(&map, &JOINTS);
            assert_eq!(role_map::read_bytes(&written, &JOINTS, near).unwrap(), map);
            read += 1;
        }
    }
    assert!(read > 0, "at least the seeds are good");
    common::say(&format!(
        "fuzz: {} saved role maps, {read} read",
        files.len()
    ));
}
