//! Real files of every era: they load, and every frame of every animation is a finite pose.

use crate::common;
use sinew::{ConstructSettings, Constructed, DrawList, Play, animate, construct};
use sinew_formats::skf;
use std::path::Path;

/// Files that are wrong, with what their error or first warning must say.
const BAD: [(&str, &str); 6] = [
    ("2026-06-27_git_lfs_pointer.skf", "Git LFS pointer"),
    ("bad_truncated.skf", "the archive is cut off: 50000 bytes"),
    (
        "bad_no_armature.skf",
        "there is no armature.json in the archive; it holds readme.md",
    ),
    ("bad_json.skf", "armature.json, line 1, column 2"),
    (
        "bad_json_types.skf",
        "bones: expected a list, found an object",
    ),
    (
        "bad_unknown_parent.skf",
        "parent_id: there is no bone 9999; taken as none",
    ),
];

fn bad_message(file: &Path) -> Option<&'static str> {
    let name = file.file_name()?.to_str()?;
    BAD.iter()
        .find(|(bad, _)| *bad == name)
        .map(|(_, message)| *message)
}

#[test]
fn every_good_file_plays_every_frame_finitely() {
    let files = common::skf_files("skf");
    let good: Vec<_> = files
        .iter()
        .filter(|file| bad_message(file).is_none())
        .collect();
    let (mut frames, mut drawn) = (0, 0);
    for file in &good {
        let character = skf::read(file).unwrap_or_else(|error| panic!("{error}"));
        let armature = &character.armature;
        assert!(armature.bone_count() > 0, "{}: no bones", file.display());
        assert!(
            character.atlases.iter().all(Option::is_some),
            "{}: no atlas",
            file.display()
        );
        let mut state = armature.new_state();
        let mut pose = Constructed::new(armature);
        let mut list = DrawList::new();
        for index in 0..armature.animations().len() {
            let last = armature.animations()[index].last_frame().unwrap_or(0);
            for half_frame in 0..=last * 2 {
                let play = Play::new(index.into(), half_frame as f32 * 0.5);
                animate(armature, &mut state, &[play]).unwrap();
                construct(
                    armature,
                    &mut state,
                    &ConstructSettings::default(),
                    &mut pose,
                )
                .unwrap();
                list.fill(armature, &state, &pose, armature.default_styles());
                for (bone, placed) in pose.bones().enumerate() {
                    let finite = placed.pos.is_finite()
                        && placed.scale.is_finite()
                        && placed.rot().is_finite();
                    assert!(finite, "{}: bone {bone} at {play:?}", file.display());
                }
                assert!(
                    list.vertices.iter().all(|v| v.pos.is_finite()),
                    "{}",
                    file.display()
                );
                frames += 1;
            }
        }
        construct(
            armature,
            &mut state,
            &ConstructSettings::default(),
            &mut pose,
        )
        .unwrap();
        list.fill(armature, &state, &pose, armature.default_styles());
        assert!(
            !list.items.is_empty(),
            "{}: nothing to draw",
            file.display()
        );
        drawn += list.items.len();
        for warning in character.warnings.list() {
            println!("{}: {warning}", file.display());
        }
    }
    common::say(&format!(
        "corpus: {} good files, {frames} poses, {drawn} drawn parts",
        good.len()
    ));
}

#[test]
fn every_bad_file_says_what_is_wrong() {
    let files = common::skf_files("skf");
    let bad: Vec<_> = files
        .iter()
        .filter_map(|f| Some((f, bad_message(f)?)))
        .collect();
    for (file, expected) in &bad {
        let said = match skf::read(file) {
            Ok(character) => character.warnings.list().first().map(ToString::to_string),
            Err(error) => Some(error.to_string()),
        };
        let said = said.unwrap_or_default();
        assert!(said.contains(expected), "{}: said {said:?}", file.display());
    }
    if !files.is_empty() {
        assert_eq!(bad.len(), BAD.len(), "the corpus lacks a bad file");
    }
    common::say(&format!("corpus: {} bad files", bad.len()));
}
