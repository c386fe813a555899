//! Adding an animation to a file: everything else stays as it is.

use serde_json::{Value, json};
use sinew::skelform::curve::{Ease, Preset};
use sinew::skelform::{AnimationData, ArmatureData, Element, KeyData};
use sinew_formats::skf::{self, ReadSettings, SkfError};
use sinew_testing::corpus::{say, skf_files};
use std::collections::BTreeMap;
use std::io::Read;
use std::path::PathBuf;
use zip::ZipArchive;

fn pip() -> Vec<u8> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../samples/pip.skf");
    std::fs::read(path).unwrap()
}

fn read(bytes: &[u8]) -> ArmatureData {
    let settings = ReadSettings { pictures: false };
    let file = skf::read_bytes_with(bytes, settings).unwrap();
    spelled(file.armature.data().clone())
}

/// Replaces linear easing by its handles, as which versions with handles are read.
fn spelled(mut data: ArmatureData) -> ArmatureData {
    for key in data
        .animations
        .iter_mut()
        .flat_map(|animation| &mut animation.keys)
    {
        if key.ease == Ease::Linear {
            key.ease = Ease::Bezier(Preset::Linear.handles());
        }
    }
    data
}

/// Turns and moves every bone; the keys are in no order.
fn nod(bones: usize) -> AnimationData {
    let mut keys = Vec::new();
    for bone in 0..bones {
        for (frame, value) in [(30, 0.25), (0, -0.5), (12, 1.0 / 3.0)] {
            for element in [Element::Rotation, Element::PositionX] {
                keys.push(KeyData {
                    frame,
                    bone,
                    element,
                    value: value + bone as f32,
                    text: String::new(),
                    ease: Ease::Linear,
                });
            }
        }
    }
    AnimationData {
        name: "nod \"twice\"".into(),
        frame_rate: 24,
        keys,
    }
}

/// What the character is with the animation at the end of its list.
fn with(mut data: ArmatureData, animation: &AnimationData) -> ArmatureData {
    let mut added = animation.clone();
    added.keys.sort_by_key(|key| key.frame);
    data.animations.push(added);
    spelled(data)
}

/// The files of an archive.
fn files(bytes: &[u8]) -> BTreeMap<String, Vec<u8>> {
    let mut archive = ZipArchive::new(std::io::Cursor::new(bytes)).unwrap();
    let mut files = BTreeMap::new();
    for index in 0..archive.len() {
        let mut file = archive.by_index(index).unwrap();
        let mut content = Vec::new();
        file.read_to_end(&mut content).unwrap();
        files.insert(file.name().to_owned(), content);
    }
    files
}

/// Checks that two archives differ in the list of animations only.
fn assert_only_animations_differ(before: &[u8], after: &[u8]) {
    let (before, after) = (files(before), files(after));
    assert!(before.keys().eq(after.keys()));
    for (name, content) in &before {
        if !name.ends_with("armature.json") {
            assert!(content == &after[name], "{name}");
            continue;
        }
        // A text was inserted, and nothing else changed.
        let after = &after[name];
        let same = content
            .iter()
            .zip(after)
            .take_while(|(a, b)| a == b)
            .count();
        let rest = &content[same..];
        assert!(
            after.len() > content.len() && after.ends_with(rest),
            "{name}"
        );
    }
}

#[test]
fn everything_else_of_the_file_stays() {
    let bytes = pip();
    let before = read(&bytes);
    let animation = nod(before.bones.len());
    let added = skf::add_animation(&bytes, &animation, false).unwrap();
    assert_eq!(read(&added), with(before, &animation));
    assert_only_animations_differ(&bytes, &added);
    assert_eq!(skf::read_bytes(&added).unwrap().warnings.list(), []);
    let again = skf::add_animation(&bytes, &animation, false).unwrap();
    assert!(added == again);
}

#[test]
fn an_animation_of_that_name_is_replaced_only_if_asked() {
    let bytes = pip();
    let mut animation = nod(3);
    animation.name = "walk".into();
    let refused = skf::add_animation(&bytes, &animation, false).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "there is an animation named walk already"
    );
    let replaced = skf::add_animation(&bytes, &animation, true).unwrap();
    let (before, after) = (read(&bytes), read(&replaced));
    assert_eq!(after.animations.len(), before.animations.len());
    let walk = before
        .animations
        .iter()
        .position(|a| a.name == "walk")
        .unwrap();
    assert_eq!(after.animations[walk].frame_rate, 24);
    for (index, (old, new)) in before.animations.iter().zip(&after.animations).enumerate() {
        assert_eq!(old == new, index != walk);
    }
    // And back.
    let restored = skf::add_animation(&replaced, &before.animations[walk], true).unwrap();
    assert_eq!(read(&restored), before);
}

/// A character of a version with two bones, the second listed first.
fn of_version(version: Option<&str>) -> Value {
    let mut json = json!({
        "bones": [
            { "id": 7, "name": "child", "parent_id": 3, "unknown": [1.50, "kept"] },
            { "id": 3, "name": "root", "parent_id": -1 },
        ],
        "styles": [],
    });
    if let Some(version) = version {
        json["version"] = version.into();
    }
    json
}

fn keys_of(bytes: &[u8]) -> Vec<Value> {
    let json: Value = serde_json::from_slice(bytes).unwrap();
    json["animations"][0]["keyframes"]
        .as_array()
        .unwrap()
        .clone()
}

#[test]
fn keys_are_those_of_the_version() {
    let animation = nod(2);
    for version in ["0.2.0", "0.3.1", "0.4.0", "0.5.0", "0.7.0", "0.8.0"] {
        let text = of_version(Some(version)).to_string();
        let added = skf::add_animation(text.as_bytes(), &animation, false).unwrap();
        assert_eq!(
            read(&added),
            with(read(text.as_bytes()), &animation),
            "{version}"
        );
        let keys = keys_of(&added);
        let first = &keys[0];
        let has_handles = version >= "0.4";
        assert_eq!(
            first.get("start_handle").is_some(),
            has_handles,
            "{version}"
        );
        assert_eq!(first["element"].is_string(), has_handles, "{version}");
        assert_eq!(first.get("transition").is_some(), !has_handles, "{version}");
        assert_eq!(
            first.get("next_kf").is_some(),
            version >= "0.5",
            "{version}"
        );
        // The model's first bone is the root, whose id is 3.
        assert_eq!(first["bone_id"], 3, "{version}");
    }
}

#[test]
fn what_a_version_cannot_hold_is_refused() {
    let plain = nod(1);
    let mut stepped = plain.clone();
    stepped.keys[0].ease = Ease::Step;
    let mut eased = plain.clone();
    eased.keys[1].ease = Preset::SineIn.ease();
    let old = of_version(Some("0.2.0")).to_string();
    for animation in [&stepped, &eased] {
        let error = skf::add_animation(old.as_bytes(), animation, false).unwrap_err();
        assert!(error.to_string().contains("only linear easing"), "{error}");
    }
    let new = of_version(Some("0.7.0")).to_string();
    for animation in [&stepped, &eased] {
        let added = skf::add_animation(new.as_bytes(), animation, false).unwrap();
        assert_eq!(read(&added), with(read(new.as_bytes()), animation));
    }
    let unversioned = of_version(None).to_string();
    let error = skf::add_animation(unversioned.as_bytes(), &plain, false).unwrap_err();
    assert!(error.to_string().contains("newer SkelForm"), "{error}");
    let error = skf::add_animation(new.as_bytes(), &nod(3), false).unwrap_err();
    assert!(matches!(error, SkfError::CannotAdd(_)), "{error}");
    let mut infinite = plain;
    infinite.keys[0].value = f32::NAN;
    let error = skf::add_animation(new.as_bytes(), &infinite, false).unwrap_err();
    assert!(matches!(error, SkfError::CannotAdd(_)), "{error}");
}

#[test]
fn lists_of_animations_of_every_form_take_one_more() {
    for list in [
        json!(null),
        json!([]),
        json!([{ "id": 4, "name": "rest", "fps": 9, "keyframes": [] }]),
    ] {
        let mut json = of_version(Some("0.7.0"));
        json["animations"] = list.clone();
        let text = json.to_string();
        let added = skf::add_animation(text.as_bytes(), &nod(1), false).unwrap();
        assert_eq!(read(&added), with(read(text.as_bytes()), &nod(1)), "{list}");
        let after: Value = serde_json::from_slice(&added).unwrap();
        let ids = after["animations"]
            .as_array()
            .unwrap()
            .iter()
            .map(|a| a["id"].as_i64().unwrap());
        let mut ids: Vec<i64> = ids.collect();
        let count = ids.len();
        ids.dedup();
        assert_eq!(ids.len(), count);
    }
}

#[test]
fn damaged_archives_are_errors() {
    let bytes = pip();
    let animation = nod(1);
    for length in (0..bytes.len()).step_by(997) {
        assert!(skf::add_animation(&bytes[..length], &animation, false).is_err());
    }
    // The directory is at the end: every byte of it inverted.
    for place in bytes.len() - 250..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[place] ^= 0xff;
        if let Ok(added) = skf::add_animation(&damaged, &animation, false) {
            assert_eq!(read(&added), with(read(&damaged), &animation));
        }
    }
}

#[test]
#[ignore = "needs SINEW_CORPUS"]
fn real_files_keep_everything_else() {
    let (mut added_to, mut refused) = (0, 0);
    for path in skf_files("skf") {
        let bytes = std::fs::read(&path).unwrap();
        let Ok(file) = skf::read_bytes_with(&bytes, ReadSettings { pictures: false }) else {
            continue;
        };
        let before = file.armature.data().clone();
        let animation = nod(before.bones.len());
        match skf::add_animation(&bytes, &animation, false) {
            Ok(added) => {
                assert_only_animations_differ(&bytes, &added);
                let after = skf::read_bytes_with(&added, ReadSettings { pictures: false }).unwrap();
                assert_eq!(after.warnings.list().len(), file.warnings.list().len());
                let after = spelled(after.armature.data().clone());
                assert_eq!(after, with(before, &animation), "{path:?}");
                added_to += 1;
            }
            Err(error) => {
                assert!(before.version.is_empty(), "{path:?}: {error}");
                refused += 1;
            }
        }
    }
    say(&format!("{added_to} files, {refused} refused"));
    assert!(added_to > 10);
}
