//! Real files of every era: they load, and every frame of every animation is a finite pose.

use crate::common;
use serde_json::{Map, Value};
use sinew::skelform::{
    AnimationFrame, ArmaturePose, ConstructSettings, DrawList, animate, construct,
};
use sinew_formats::skf;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::path::{Path, PathBuf};
use zip::ZipArchive;

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
        "parent_id: there is no bone 9999; ignored",
    ),
];

fn bad_message(file: &Path) -> Option<&'static str> {
    let name = file.file_name()?.to_str()?;
    BAD.iter()
        .find(|(bad, _)| *bad == name)
        .map(|(_, message)| *message)
}

#[test]
#[ignore = "needs SINEW_CORPUS"]
fn every_good_file_plays_every_frame_finitely() {
    let files = common::skf_files("skf");
    let good: Vec<_> = files
        .iter()
        .filter(|file| bad_message(file).is_none())
        .collect();
    assert!(!good.is_empty(), "the corpus has no good files");
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
        let mut pose = ArmaturePose::new(armature);
        let mut list = DrawList::new();
        for index in 0..armature.animations().len() {
            let last = armature.animations()[index].last_frame().unwrap_or(0);
            for half_frame in 0..=last * 2 {
                let play = AnimationFrame::new(index.into(), half_frame as f32 * 0.5);
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
                    let finite = placed.position.is_finite()
                        && placed.scale.is_finite()
                        && placed.rotation().is_finite();
                    assert!(finite, "{}: bone {bone} at {play:?}", file.display());
                }
                assert!(
                    list.vertices.iter().all(|v| v.position.is_finite()),
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
#[ignore = "needs SINEW_CORPUS"]
fn every_bad_file_has_its_expected_error() {
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
    assert_eq!(bad.len(), BAD.len(), "the corpus lacks a bad file");
    common::say(&format!("corpus: {} bad files", bad.len()));
}

/// Fields whose value changes nothing, and why that is right.
const REDUNDANT: [(&str, &[&str]); 8] = [
    // Repeats what bones say; the atlas files tell their format; a comment.
    ("", &["ik_root_ids", "img_format", "cached_bones_comment"]),
    // Positions in their lists.
    ("animations[]", &["id"]),
    ("styles[]", &["id"]),
    ("bones[].vertices[]", &["id"]),
    ("visuals[].vertices[]", &["id"]),
    ("inverse_kinematics[]", &["id"]),
    // The next key of the track, which is found by sorting; the number beside the name of the element;
    // the name of what the handles say.
    (
        "animations[].keyframes[]",
        &["next_kf", "element_id", "handle_preset"],
    ),
    // Repeats whether there are physics fields; belongs to physics that only 0.4 had, and has a warning.
    ("bones[]", &["has_physics", "phys_rot_resistance"]),
];

/// Whether a field is one of [`REDUNDANT`], or a copy for runtimes, which the editor never reads.
/// `owner` is the path of the object that has it.
fn is_redundant(owner: &str, field: &str) -> bool {
    let is_copy = field.starts_with("init_") || owner.contains(".init_");
    let mut listed = REDUNDANT.iter().filter(|(place, _)| *place == owner);
    is_copy || listed.any(|(_, fields)| fields.contains(&field))
}

/// Calls `visit` with every object below `value` and its path, such as `bones[].vertices[]`. Early files wrap
/// the character, which changes no path.
fn each_object(
    value: &mut Value,
    path: &str,
    visit: &mut dyn FnMut(&str, &mut Map<String, Value>),
) {
    match value {
        Value::Object(map) => {
            visit(path, map);
            for (key, value) in map {
                let below = match (path, key.as_str()) {
                    ("", "armature" | "armatures") => String::new(),
                    ("", key) => key.to_owned(),
                    (path, key) => format!("{path}.{key}"),
                };
                each_object(value, &below, visit);
            }
        }
        Value::Array(list) => {
            let below = match path {
                "" => String::new(),
                path => format!("{path}[]"),
            };
            for value in list {
                each_object(value, &below, visit);
            }
        }
        _ => {}
    }
}

/// Another value.
fn changed(value: &Value) -> Value {
    match value {
        Value::Null => 1.into(),
        Value::Bool(flag) => (!flag).into(),
        Value::Number(number) => match number.as_i64() {
            Some(whole) => (whole + 1).into(),
            None => (number.as_f64().unwrap() + 1.5).into(),
        },
        Value::String(text) => format!("{text}, changed").into(),
        Value::Array(list) if list.iter().all(Value::is_number) => {
            list.iter().map(changed).collect()
        }
        Value::Array(_) => Value::Array(Vec::new()),
        Value::Object(_) => "changed".into(),
    }
}

/// Every field name that occurs in a real file is read: another value changes the character or what is
/// said about it, in at least one file. Exceptions are listed with their reason.
#[test]
#[ignore = "needs SINEW_CORPUS"]
fn every_field_of_every_file_is_read() {
    let mut is_read: BTreeMap<(String, String), bool> = BTreeMap::new();
    let mut files = 0;
    let good = |file: &PathBuf| bad_message(file).is_none();
    for file in common::skf_files("skf").into_iter().filter(good) {
        let mut zip = ZipArchive::new(std::fs::File::open(&file).unwrap()).unwrap();
        let mut text = String::new();
        let mut entry = zip.by_name("armature.json").unwrap();
        entry.read_to_string(&mut text).unwrap();
        let mut json: Value = serde_json::from_str(&text).unwrap();
        let model = |json: &Value| {
            let read = skf::read_json(json.to_string().as_bytes());
            read.map_or_else(
                |error| error.to_string(),
                |read| format!("{:?} {:?}", read.armature.data(), read.warnings),
            )
        };
        let whole = model(&json);
        let mut fields: BTreeSet<(String, String)> = BTreeSet::new();
        each_object(&mut json, "", &mut |path, map| {
            fields.extend(map.keys().map(|key| (path.to_owned(), key.clone())));
        });
        for field in fields {
            let known = is_read.entry(field.clone()).or_default();
            if *known {
                continue;
            }
            let mut other = json.clone();
            each_object(&mut other, "", &mut |path, map| {
                if path == field.0
                    && let Some(value) = map.get_mut(&field.1)
                {
                    *value = changed(value);
                }
            });
            *known = model(&other) != whole;
        }
        files += 1;
    }
    let unread: Vec<_> = is_read
        .iter()
        .filter(|((owner, field), is_read)| !**is_read && !is_redundant(owner, field))
        .map(|((owner, field), _)| format!("{owner}.{field}"))
        .collect();
    common::say(&format!(
        "corpus: {} fields of {files} files",
        is_read.len()
    ));
    assert!(files > 0, "the corpus has no files");
    assert!(unread.is_empty(), "not read: {unread:#?}");
}
