//! Keys of odd shape: which are kept, which are left out, and what is said of those that do nothing.

use crate::common::make;
use crate::common::play;
use make::{bone, character, key, read_value};
use play::play;
use serde_json::{Value, json};
use sinew::skelform::curve::{Ease, Preset};
use sinew::skelform::{Element, KeyData};

/// Reads the good character with these keys: the keys that are kept, and what is said.
fn read(keys: Value) -> (Vec<KeyData>, Vec<String>) {
    let mut json = character();
    json["animations"][0]["keyframes"] = keys;
    let character = read_value(&json).unwrap();
    assert!(play(&character.armature));
    let warnings = character.warnings.list().iter();
    (
        character.armature.data().animations[0].keys.clone(),
        warnings.map(ToString::to_string).collect(),
    )
}

#[test]
fn keys_with_text_values_need_no_number() {
    for value in [
        None,
        Some(Value::Null),
        Some(json!("x")),
        Some(json!(3.4e39)),
    ] {
        let keys = [
            ("Texture", "mesh"),
            ("IkConstraint", "Clockwise"),
            ("IkMode", "Arc"),
        ]
        .map(|(element, text)| {
            let mut key =
                json!({ "frame": 1, "bone_id": 1, "element": element, "value_str": text });
            if let Some(value) = &value {
                key["value"] = value.clone();
            }
            key
        });
        let (keys, said) = read(json!(keys));
        let texts: Vec<&str> = keys.iter().map(|key| key.text.as_str()).collect();
        assert_eq!(texts, ["mesh", "Clockwise", "Arc"], "{value:?}");
        assert_eq!(said, [""; 0]);
    }
}

#[test]
fn keys_with_number_values_need_a_number() {
    let text = [Element::Texture, Element::IkConstraint, Element::IkMode];
    for element in Element::ALL.into_iter().filter(|e| !text.contains(e)) {
        let bone = if element == Element::MimicTarget {
            1
        } else {
            0
        };
        for (value, shown) in [
            (None, "nothing"),
            (Some(Value::Null), "null"),
            (Some(json!([1, [2]])), "a list"),
            (Some(json!({ "x": 1 })), "an object"),
        ] {
            let mut key = json!({ "frame": 1, "bone_id": bone, "element": element.name() });
            if let Some(value) = value {
                key["value"] = value;
            }
            let (keys, said) = read(json!([key]));
            assert_eq!(keys, []);
            let name = ["root", "arm"][bone];
            let expected = format!(
                "animation 0 \"Walk\", key 0, bone {bone} \"{name}\", value: {shown} is not a finite number; the key is ignored"
            );
            assert_eq!(said, [expected]);
        }
    }
}

#[test]
fn a_snap_may_be_a_flag() {
    for (flag, ease) in [
        (json!(true), Ease::Step),
        (json!(false), Ease::Bezier(Preset::SineIn.handles())),
    ] {
        let mut key = key(3, 0, "Rotation", 1.0);
        key["is_snap"] = flag;
        key["start_handle"] = json!({ "x": 0.5, "y": 0.0 });
        key["end_handle"] = json!({ "x": 1.0, "y": 1.0 });
        let (keys, said) = read(json!([key]));
        assert_eq!((keys[0].ease, said.len()), (ease, 0));
    }
}

#[test]
fn a_preset_without_handles_is_its_curve() {
    for (name, ease) in [
        ("SineIn", Preset::SineIn.ease()),
        ("SineOut", Preset::SineOut.ease()),
        ("SineInOut", Preset::SineInOut.ease()),
        ("Linear", Ease::Linear),
        ("Custom", Ease::Linear),
    ] {
        let key = json!({ "frame": 1, "bone_id": 0, "element": "Rotation", "value": 1.0,
                          "handle_preset": name });
        assert_eq!(read(json!([key])).0[0].ease, ease, "{name}");
    }
}

#[test]
fn a_track_without_a_target_has_one_warning() {
    let keys: Vec<Value> = ["TintA", "Zindex", "IkMode", "MimicTarget", "Hidden"]
        .into_iter()
        .flat_map(|element| [key(0, 4, element, 1.0), key(5, 4, element, 0.0)])
        .collect();
    let (keys, said) = read(json!(keys));
    assert_eq!(keys.len(), 10);
    let place = "animation 0 \"Walk\", bone 4 \"target\"";
    let unseen = "the bone shows nothing; its keys do nothing";
    let unmoved = "the bone has no IK family; its keys do nothing";
    let expected = [
        format!("{place}, TintA: {unseen}"),
        format!("{place}, Zindex: {unseen}"),
        format!("{place}, IkMode: {unmoved}"),
        format!("{place}, MimicTarget: {unmoved}"),
    ];
    assert_eq!(said, expected);
}

#[test]
fn a_bone_textured_only_by_keys_can_be_tinted() {
    let texture = json!({ "frame": 0, "bone_id": 4, "element": "Texture", "value_str": "box" });
    let (_, said) = read(json!([texture, key(0, 4, "TintA", 0.5)]));
    assert_eq!(said, [""; 0]);
    let nothing = json!({ "frame": 0, "bone_id": 4, "element": "Texture" });
    assert_eq!(read(json!([nothing])).1, [""; 0]);
}

#[test]
fn bones_in_warnings_of_keys_are_counted_as_in_the_file() {
    let mut json = character();
    json["bones"][0]["parent_id"] = 4.into();
    json["bones"][4]["parent_id"] = (-1).into();
    json["animations"][0]["keyframes"] = json!([key(-5, 3, "Rotation", 1.0)]);
    let said = read_value(&json).unwrap().warnings.list()[1].to_string();
    let place = "animation 0 \"Walk\", key 0, bone 3 \"tail\"";
    assert_eq!(
        said,
        format!("{place}, frame: -5 is before the start; moved to 0")
    );
}

#[test]
fn fractional_frames_and_ids_are_truncated_with_a_warning() {
    let mut odd = key(0, 0, "Rotation", 1.0);
    odd["frame"] = 7.75.into();
    odd["bone_id"] = 1.5.into();
    let (keys, said) = read(json!([odd]));
    assert_eq!((keys[0].frame, keys[0].bone), (7, 1));
    let place = "animation 0 \"Walk\", key 0";
    let expected = [
        format!("{place}, bone_id: 1.5 is not whole; 1 is used"),
        format!("{place}, bone 1 \"arm\", frame: 7.75 is not whole; 7 is used"),
    ];
    assert_eq!(said, expected);
    // Written as a fraction, but whole.
    odd["frame"] = 7.0.into();
    odd["bone_id"] = 1.0.into();
    let (keys, said) = read(json!([odd]));
    assert_eq!((keys[0].frame, keys[0].bone, said.len()), (7, 1, 0));
}

#[test]
fn whole_ids_may_be_written_as_fractions_everywhere() {
    let mut json = character();
    json["inverse_kinematics"][0]["bone_ids"] = json!([0.0, 1.0, 2.5]);
    let character = read_value(&json).unwrap();
    assert_eq!(character.armature.data().ik_families[0].bones, [0, 1]);
    let said = character.warnings.list()[0].to_string();
    let expected = "IK family 0, bone_ids: there is no bone 2.5; removed from the chain";
    assert_eq!(said, expected);
}

#[test]
fn a_second_chain_of_one_family_is_discarded_with_a_warning() {
    let mut bones = [bone(0, "A", -1), bone(1, "B", 0), bone(2, "T", -1)];
    for (id, bone) in bones.iter_mut().enumerate() {
        bone["ik_family_id"] = 0.into();
        bone["ik_bone_ids"] = json!([id]);
    }
    bones[2]["ik_family_id"] = 1.into();
    let character = read_value(&json!({ "bones": bones })).unwrap();
    assert_eq!(character.armature.data().ik_families.len(), 2);
    let said = character.warnings.list()[0].to_string();
    assert_eq!(
        said,
        "bone 1 \"B\", ik_bone_ids: a second chain of family 0; ignored"
    );
    assert_eq!(character.warnings.count(), 1);
}
