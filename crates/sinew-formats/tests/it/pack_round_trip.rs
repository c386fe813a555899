//! What is written comes back, bit by bit.

use crate::common::play_pack;
use crate::pack_common;
use pack_common::{PACKINGS, motion, one, packed, section, skeleton, with_notes};
use sinew::packed::Packing;
use sinew::simd::SimdLevel;
use sinew::{Animation, PackedAnimation, PackedCursor, Pose, Skeleton};
use sinew_formats::pack::{self, Pack, PackEntry, PackView};
use sinew_formats::{Format, MotionSettings, detect, read_animations, read_motion, read_motions};
use std::sync::Arc;

/// The numbers of all poses at many times.
fn poses(animation: &PackedAnimation<'_>, skeleton: &Skeleton, level: SimdLevel) -> Vec<[u32; 10]> {
    let (mut cursor, mut pose) = (PackedCursor::new(), Pose::rest(skeleton));
    let mut all = Vec::new();
    for step in 0..=100 {
        let time = animation.length() * step as f32 / 97.0;
        animation
            .sample_with(level, time, &mut cursor, &mut pose)
            .unwrap();
        all.extend(play_pack::bits(&pose));
    }
    all
}

fn assert_same(before: &Pack, after: &PackView<'_>) {
    assert_eq!(before.skeletons, after.skeletons());
    assert_eq!(before.animations.len(), after.animations().len());
    for (before_entry, (skeleton, after)) in before.animations.iter().zip(after.animations()) {
        let animation = &before_entry.animation;
        assert_eq!(before_entry.skeleton, *skeleton);
        assert_eq!(animation.info(), after.info());
        assert_eq!(animation.packing(), after.packing());
        assert_eq!(animation.max_error().to_bits(), after.max_error().to_bits());
        assert_eq!(animation.error().to_bits(), after.error().to_bits());
        let skeleton = &before.skeletons[*skeleton];
        let first = poses(animation, skeleton, SimdLevel::OFF);
        for level in SimdLevel::all() {
            assert!(
                first == poses(after, skeleton, level),
                "{}",
                animation.packing()
            );
        }
    }
}

#[test]
fn every_packing_round_trips() {
    for packing in PACKINGS {
        for (joints, frames) in [(1, 2), (3, 20), (9, 70)] {
            if packing == Packing::Keyframes && frames < 20 {
                continue; // Two frames are smaller as they are.
            }
            let fixed = if frames == 2 {
                one(Packing::Plain, joints, frames)
            } else {
                one(packing, joints, frames)
            };
            let bytes = pack::write_bytes(&fixed).unwrap();
            let view = PackView::read(&bytes).unwrap();
            assert_same(&fixed, &view);
            play_pack::play(&view);
            let again = pack::write_bytes(&view.into_owned()).unwrap();
            assert!(again == bytes, "{packing} is written differently");
        }
    }
}

#[test]
fn many_animations_share_skeletons_and_are_found_by_name() {
    let skeletons = [skeleton(3), skeleton(10)].map(Arc::new).to_vec();
    let mut animations = Vec::new();
    for (index, name) in ["walk", "run", "walk", ""].iter().enumerate() {
        let which = index % 2;
        let mut source = motion(&skeletons[which], name, 20 + index);
        if index == 3 {
            source = with_notes(source);
            source.frame_rate = None;
        }
        let animation = packed(&skeletons[which], &source, PACKINGS[index % 2]);
        animations.push(PackEntry {
            skeleton: which,
            animation,
        });
    }
    let pack = Pack {
        skeletons,
        animations,
        ..Pack::default()
    };
    let bytes = pack::write_bytes(&pack).unwrap();
    let view = PackView::read(&bytes).unwrap();
    assert_same(&pack, &view);
    let (skeleton, run) = view.find("run").unwrap();
    assert_eq!((skeleton.len(), run.name()), (10, "run"));
    let (_, walk) = view.find("walk").unwrap();
    assert_eq!(walk.length(), pack.animations[0].animation.length());
    assert_eq!(view.find("").unwrap().1.info().frame_rate, None);
    assert!(view.find("jump").is_none());
}

#[test]
fn bytes_at_any_alignment_are_read_alike() {
    for packing in PACKINGS {
        let pack = one(packing, 9, 70);
        let bytes = pack::write_bytes(&pack).unwrap();
        let mut buffer = vec![0; bytes.len() + 8];
        for start in 0..8 {
            buffer[start..start + bytes.len()].copy_from_slice(&bytes);
            let view = PackView::read(&buffer[start..start + bytes.len()]).unwrap();
            assert_same(&pack, &view);
        }
    }
}

#[test]
fn weights_alone_are_kept() {
    let skeleton = skeleton(3);
    let mut source = motion(&skeleton, "weighted", 20);
    source.tracks[1].weights.rotation = 0.1;
    let animation = packed(&skeleton, &source, Packing::Small);
    assert_eq!(animation.info().tracks.len(), 1);
    let pack = Pack {
        skeletons: vec![Arc::new(skeleton)],
        animations: vec![PackEntry {
            skeleton: 0,
            animation,
        }],
        ..Pack::default()
    };
    let bytes = pack::write_bytes(&pack).unwrap();
    assert_same(&pack, &PackView::read(&bytes).unwrap());
}

#[test]
fn a_pack_of_a_skeleton_alone_is_valid() {
    let pack = Pack {
        skeletons: vec![Arc::new(skeleton(5))],
        animations: Vec::new(),
        ..Pack::default()
    };
    let bytes = pack::write_bytes(&pack).unwrap();
    assert_same(&pack, &PackView::read(&bytes).unwrap());
}

#[test]
fn sections_are_aligned_to_32_bytes_and_have_the_stated_size() {
    let skeleton = skeleton(3);
    let still = packed(&skeleton, &motion(&skeleton, "walk", 20), Packing::Small);
    let (names, body) = (
        skeleton
            .joints()
            .iter()
            .map(|joint| joint.name.len())
            .sum::<usize>(),
        sinew_author::packed::byte_len(&still),
    );
    let tips = skeleton
        .joints()
        .iter()
        .filter(|joint| joint.tip.is_some())
        .count();
    let pack = Pack {
        skeletons: vec![Arc::new(skeleton)],
        animations: vec![PackEntry {
            skeleton: 0,
            animation: still,
        }],
        ..Pack::default()
    };
    let bytes = pack::write_bytes(&pack).unwrap();
    let [first, second] = [0, 1].map(|place| section(&bytes, place));
    assert_eq!((first % 32, second % 32), (0, 0));
    let skeleton_bytes = 16 + 3 * 48 + tips * 16 + names;
    assert_eq!(second, (first + skeleton_bytes).next_multiple_of(32));
    assert_eq!(bytes.len(), second + 32 + body + "walk".len());
}

#[test]
fn packs_are_detected_and_read_as_motion_files() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("clips.sinew");
    let skeletons = [skeleton(3), skeleton(10)].map(Arc::new).to_vec();
    let entry = |index: usize, name: &str, packing| PackEntry {
        skeleton: index,
        animation: packed(
            &skeletons[index],
            &with_notes(motion(&skeletons[index], name, 20)),
            packing,
        ),
    };
    let pack = Pack {
        animations: vec![
            entry(0, "a", Packing::Plain),
            entry(1, "b", Packing::Small),
            entry(0, "c", Packing::Keyframes),
        ],
        skeletons: skeletons.clone(),
        ..Pack::default()
    };
    let bytes = pack::write_bytes(&pack).unwrap();
    assert_eq!(detect(&bytes), Some(Format::Sinew));
    std::fs::write(&path, &bytes).unwrap();
    let settings = MotionSettings::default();
    let file = read_motion(&path, &settings).unwrap();
    assert_eq!(file.skeleton, *skeletons[0]);
    let names = |animations: &[Animation]| -> Vec<String> {
        animations
            .iter()
            .map(|animation| animation.name.clone())
            .collect()
    };
    assert_eq!(names(&file.animations), ["a", "c"]);
    let warnings: Vec<String> = file
        .warnings
        .list()
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(
        warnings,
        ["animation 1 \"b\", skeleton: 1, not the first of the file; ignored"]
    );
    // What is kept as it is comes back as it was.
    assert_eq!(
        file.animations[0],
        with_notes(motion(&skeletons[0], "a", 20))
    );
    let (all, warnings) = read_animations(&path, &settings).unwrap();
    assert_eq!(names(&all), ["a", "c", "b"]);
    assert!(warnings.is_empty());
    let files = read_motions(&path, &settings).unwrap();
    let names_of_files = files.iter().map(|file| names(&file.animations));
    assert_eq!(
        names_of_files.collect::<Vec<_>>(),
        [vec!["a", "c"], vec!["b"]]
    );
    assert!(
        files
            .iter()
            .zip(&skeletons)
            .all(|(file, skeleton)| file.skeleton == **skeleton)
    );
    let z_up = MotionSettings {
        z_up: true,
        ..settings
    };
    let (turned, _) = read_animations(&path, &z_up).unwrap();
    assert_eq!(turned[0], read_motion(&path, &z_up).unwrap().animations[0]);
    assert_ne!(turned[0], all[0]);
    let turned = read_motions(&path, &z_up).unwrap();
    for (mut file, turned) in files.into_iter().zip(turned) {
        file.turn_z_up();
        assert_eq!(turned.skeleton, file.skeleton);
        assert_eq!(turned.animations, file.animations);
    }
}
