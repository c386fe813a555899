//! JSON of another shape than a character's: wrong types, null, huge numbers, too much of everything.

use crate::common::make;
use crate::common::play;
use make::{bone, character, key, read_value, xy};
use play::play;
use serde_json::{Value, json};
use sinew_formats::limits;
use sinew_formats::skf::{self, SkfError};

/// What is said of a character that cannot be read.
fn refused(json: &Value) -> String {
    match read_value(json) {
        Err(error) => error.to_string(),
        Ok(_) => panic!("was read"),
    }
}

/// What is said of a character that is read nevertheless, and played.
fn said(json: &Value) -> Vec<String> {
    let character = read_value(json).unwrap();
    assert!(play(&character.armature));
    character
        .warnings
        .list()
        .iter()
        .map(ToString::to_string)
        .collect()
}

#[test]
fn values_that_should_be_lists_are_refused_by_name() {
    let fields = [
        "bones",
        "animations",
        "atlases",
        "styles",
        "visuals",
        "inverse_kinematics",
        "physics",
    ];
    for field in fields {
        for (value, found) in [
            (json!({}), "an object"),
            (json!(7), "a number"),
            (json!("x"), "a text"),
            (json!(true), "true or false"),
        ] {
            let mut json = character();
            json[field] = value;
            let expected = format!("armature.json: {field}: expected a list, found {found}");
            assert_eq!(refused(&json), expected);
        }
    }
    for field in ["texture_sets", "textures"] {
        let mut json = json!({ "bones": [] });
        json[field] = 7.into();
        let expected = format!("armature.json: {field}: expected a list, found a number");
        assert_eq!(refused(&json), expected);
    }
}

#[test]
fn entries_that_should_be_objects_are_refused_by_index() {
    for (path, place) in [
        ("/bones", "bone 1"),
        ("/animations", "animation 1"),
        ("/animations/0/keyframes", "animation 0 \"Walk\", key 1"),
        ("/atlases", "atlas 1"),
        ("/styles", "style 1"),
        ("/styles/0/textures", "style 0 \"Default\", texture 1"),
        ("/visuals", "visual 1"),
        ("/visuals/1/vertices", "visual 1, vertex 1"),
        ("/visuals/1/binds", "visual 1, bind 1"),
        (
            "/visuals/1/binds/0/verts",
            "visual 1, bind 0, bound vertex 1",
        ),
        ("/inverse_kinematics", "IK family 1"),
        ("/physics", "physics 1"),
    ] {
        let mut json = character();
        let list = json.pointer_mut(path).unwrap().as_array_mut().unwrap();
        list.truncate(1);
        list.push(Value::Null);
        let expected = format!("armature.json: {place}: expected an object, found null");
        assert_eq!(refused(&json), expected);
    }
}

#[test]
fn values_that_should_be_lists_within_entries_are_refused_by_index() {
    for (path, place) in [
        ("/animations/0/keyframes", "animation 0 \"Walk\", keyframes"),
        ("/styles/0/textures", "style 0 \"Default\", textures"),
        ("/visuals/1/vertices", "visual 1, vertices"),
        ("/visuals/1/indices", "visual 1, indices"),
        ("/visuals/1/binds/2/verts", "visual 1, bind 2, verts"),
        ("/inverse_kinematics/0/bone_ids", "IK family 0, bone_ids"),
    ] {
        let mut json = character();
        *json.pointer_mut(path).unwrap() = 3.into();
        let expected = format!("armature.json: {place}: expected a list, found a number");
        assert_eq!(refused(&json), expected);
    }
}

#[test]
fn json_without_a_character_is_refused() {
    let none = "armature.json: bones: expected a list, found nothing";
    assert_eq!(refused(&json!({})), none);
    assert_eq!(refused(&json!({ "armature": {} })), none);
    assert_eq!(refused(&json!({ "armatures": [] })), none);
    let shape = "armature.json: the character: expected an object, found null";
    assert_eq!(refused(&json!({ "armature": null })), shape);
    assert_eq!(refused(&json!({ "armatures": [null] })), shape);
    let error = skf::read_json(b"[]").unwrap_err().to_string();
    assert_eq!(
        error,
        "armature.json: the character: expected an object, found a list"
    );
    let error = refused(&json!({ "armatures": {} }));
    assert_eq!(
        error,
        "armature.json: armatures: expected a list, found an object"
    );
}

#[test]
fn a_character_without_bones_plays_nothing() {
    assert_eq!(said(&json!({ "bones": [] })), [""; 0]);
    assert_eq!(said(&json!({ "bones": null })), [""; 0]);
}

#[test]
fn fields_of_the_wrong_type_have_their_default_and_are_named() {
    let mut json = character();
    json["version"] = 0.7.into();
    json["baked_ik"] = "no".into();
    json["img_format"] = 3.into();
    json["bones"][2]["name"] = 5.into();
    json["bones"][2]["pos"] = json!([1, 2]);
    json["bones"][2]["rot"] = "0.5".into();
    json["bones"][2]["scale"] = Value::Null;
    json["bones"][2]["hidden"] = "true".into();
    json["bones"][2]["parent_id"] = json!({});
    json["visuals"][0]["tint"] = "red".into();
    json["visuals"][0]["zindex"] = Value::Null;
    json["styles"][0]["textures"][1]["size"]["x"] = (-5).into();
    json["inverse_kinematics"][0]["mimic_target"] = json!([]);
    let whole = "a text is not usable; expected";
    assert_eq!(
        said(&json),
        [
            "armature.json, version: a number is not usable; expected a text, the default is used",
            "bone 2, parent_id: an object is not usable; expected a whole number, the default is used",
            "bone 2, name: a number is not usable; expected a text, the default is used",
            "bone 2, pos: a list is not usable; expected {\"x\": …, \"y\": …}, the default is used",
            "bone 2, scale: null is not usable; expected {\"x\": …, \"y\": …}, the default is used",
            &format!("bone 2, rot: {whole} a finite number, the default is used"),
            &format!("bone 2, hidden: {whole} true or false, the default is used"),
            "style 0 \"Default\", texture 1 \"mesh\", size: negative; 0 is used",
            &format!("armature.json, baked_ik: {whole} true or false, the default is used"),
            &format!("visual 0, tint: {whole} a colour, white is used"),
            "visual 0, zindex: null is not usable; expected a whole number, the default is used",
            "IK family 0, mimic_target: a list is not usable; expected true or false, the default is used",
        ]
    );
}

#[test]
fn settings_of_the_root_may_be_of_any_type() {
    let size = "expected {\"x\": …, \"y\": …}, the default is used";
    let json = json!({ "bones": [], "texture_size": 7 });
    let expected = format!("armature.json, texture_size: a number is not usable; {size}");
    assert_eq!(said(&json), [expected]);
    for field in ["clear_color", "img_format", "ik_root_ids", "unheard_of"] {
        for value in [
            json!(null),
            json!(7),
            json!("x"),
            json!([]),
            json!({ "r": 999 }),
        ] {
            let mut json = character();
            json[field] = value;
            assert_eq!(said(&json), [""; 0], "{field}");
        }
    }
}

#[test]
fn textures_of_missing_atlases_are_discarded() {
    for id in [1, -1, i64::MAX] {
        let mut json = character();
        json["styles"][0]["textures"][1]["atlas_idx"] = id.into();
        let expected = format!(
            "style 0 \"Default\", texture 1 \"mesh\", atlas_idx: {id} is not an atlas; the texture is ignored"
        );
        assert_eq!(said(&json), [expected]);
    }
}

#[test]
fn early_texture_positions_out_of_range_show_nothing() {
    for (style, texture) in [(0, 5), (9, 0), (i64::MAX, i64::MAX)] {
        let json = json!({ "armature": {
            "bones": [{ "id": 0, "name": "A", "tex_set_idx": style, "tex_idx": texture }],
            "texture_sets": [{ "name": "Skin", "textures": [] }],
        } });
        let expected = format!(
            "bone 0 \"A\", tex_idx: there is no texture {texture} in style {style}; shows nothing"
        );
        assert_eq!(said(&json), [expected]);
    }
}

/// Paths of all numbers of a value.
fn numbers(value: &Value, path: &str, found: &mut Vec<String>) {
    match value {
        Value::Number(_) => found.push(path.to_owned()),
        Value::Array(list) => {
            for (i, value) in list.iter().enumerate() {
                numbers(value, &format!("{path}/{i}"), found);
            }
        }
        Value::Object(map) => {
            for (key, value) in map {
                numbers(value, &format!("{path}/{key}"), found);
            }
        }
        _ => {}
    }
}

#[test]
fn any_number_may_be_null_or_huge_or_tiny() {
    let mut paths = Vec::new();
    numbers(&character(), "", &mut paths);
    for path in &paths {
        for bad in [
            Value::Null,
            json!(1e39),
            json!(-1e39),
            json!(1e-320),
            json!(u64::MAX),
        ] {
            let mut json = character();
            *json.pointer_mut(path).unwrap() = bad.clone();
            let character = read_value(&json).unwrap_or_else(|e| panic!("{path} = {bad}: {e}"));
            assert!(play(&character.armature) || bad.is_u64(), "{path} = {bad}");
        }
    }
    assert!(paths.len() > 150);
}

#[test]
fn every_number_null_at_once_still_plays() {
    let mut paths = Vec::new();
    numbers(&character(), "", &mut paths);
    let mut json = character();
    for path in &paths {
        *json.pointer_mut(path).unwrap() = Value::Null;
    }
    assert!(said(&json).len() > 100);
}

#[test]
fn numbers_up_to_the_largest_play_without_a_panic() {
    let mut paths = Vec::new();
    numbers(&character(), "", &mut paths);
    for large in [3.4e38, -3.4e38, 1e30, -1e20] {
        for path in &paths {
            let mut json = character();
            *json.pointer_mut(path).unwrap() = large.into();
            // What overflows is not finite and need not be; it must only not panic or hang.
            play(&read_value(&json).unwrap().armature);
        }
    }
}

#[test]
fn deep_nesting_is_refused_by_its_position() {
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        let deep = format!("{}1{}", open.repeat(100_000), close.repeat(100_000));
        let json = format!("{{\"bones\":{deep}}}");
        let error = skf::read_bytes(json.as_bytes()).unwrap_err().to_string();
        assert!(
            error.starts_with("armature.json, line 1, column "),
            "{error}"
        );
        assert!(
            error.ends_with("expected at most 127 nested lists and objects, found more"),
            "{error}"
        );
    }
}

#[test]
fn damaged_json_is_refused_by_its_position() {
    let text = serde_json::to_string_pretty(&character()).unwrap();
    let cut = &text[..text.find("\"baked_ik\"").unwrap() + 3];
    let error = skf::read_bytes(cut.as_bytes()).unwrap_err();
    let SkfError::Json { line, column, .. } = error else {
        panic!("{error}");
    };
    assert_eq!(
        (line > 2, column),
        (true, cut.lines().last().unwrap().len() + 1)
    );
    let error = skf::read_bytes(b"{\"bones\":\"\xff\"}")
        .unwrap_err()
        .to_string();
    assert!(
        error.ends_with("expected UTF-8, found the byte 0xff"),
        "{error}"
    );
}

fn too_large(what: &str, found: usize, limit: usize) -> String {
    format!("{what} is too large: {found}, at most {limit} are allowed")
}

#[test]
fn each_list_has_a_limit() {
    let many = |count: usize| Value::Array(vec![json!({}); count]);
    for (field, what, limit) in [
        ("bones", "the number of bones", limits::MAX_BONES),
        ("visuals", "the number of visuals", limits::MAX_BONES),
        (
            "inverse_kinematics",
            "the number of inverse_kinematics",
            limits::MAX_BONES,
        ),
        ("physics", "the number of physics", limits::MAX_BONES),
        (
            "animations",
            "the number of animations",
            limits::MAX_ANIMATIONS,
        ),
        ("styles", "the number of styles", limits::MAX_STYLES),
        ("atlases", "the number of atlases", limits::MAX_ATLASES),
    ] {
        let mut json = json!({ "bones": [] });
        json[field] = many(limit);
        assert!(read_value(&json).is_ok(), "{field}");
        json[field] = many(limit + 1);
        assert_eq!(refused(&json), too_large(what, limit + 1, limit));
    }
}

#[test]
fn keys_textures_and_meshes_are_counted_over_the_whole_character() {
    for (field, list, what, limit) in [
        (
            "animations",
            "keyframes",
            "the number of keys",
            limits::MAX_KEYS,
        ),
        (
            "styles",
            "textures",
            "the number of textures",
            limits::MAX_TEXTURES,
        ),
        (
            "visuals",
            "vertices",
            "the number of mesh vertices",
            limits::MAX_MESH_ENTRIES,
        ),
    ] {
        let mut half = json!({});
        half[list] = vec![json!({}); limit / 2 + 1].into();
        let mut json = json!({ "bones": [], "atlases": [{}] });
        json[field] = vec![half; 2].into();
        assert_eq!(refused(&json), too_large(what, limit + 2, limit));
    }
}

#[test]
fn a_mesh_that_many_bones_share_counts_for_each_of_them() {
    let vertices = limits::MAX_MESH_ENTRIES / 10;
    let json = |bones: i64| {
        let bones = (0..bones).map(|id| {
            let mut bone = bone(id, "", -1);
            bone["visuals_id"] = 0.into();
            bone
        });
        json!({
            "bones": bones.collect::<Vec<_>>(),
            "visuals": [{ "vertices": vec![json!({}); vertices] }],
        })
    };
    assert!(read_value(&json(10)).is_ok());
    let most = limits::MAX_MESH_ENTRIES;
    let expected = too_large("the number of mesh vertices", most + vertices, most);
    assert_eq!(refused(&json(5000)), expected);
}

#[test]
fn the_bones_of_all_chains_are_counted_together() {
    let chain = |length: usize| json!({ "bone_ids": vec![0; length] });
    let json = |chains: Vec<Value>| json!({ "bones": [{}], "inverse_kinematics": chains });
    let most = limits::MAX_CHAIN_ENTRIES;
    assert!(read_value(&json(vec![chain(most - 1), chain(1)])).is_ok());
    let expected = too_large("the number of bones in IK chains", most + 1, most);
    assert_eq!(refused(&json(vec![chain(most), chain(1)])), expected);

    let bones: Vec<Value> = (0..11)
        .map(|id| json!({ "id": id, "ik_family_id": id, "ik_bone_ids": vec![id; most / 10] }))
        .collect();
    let expected = too_large("the number of bones in IK chains", most / 10 * 11, most);
    assert_eq!(refused(&json!({ "bones": bones })), expected);
}

#[test]
fn long_names_are_truncated_at_a_character() {
    let mut json = character();
    let long = "ä".repeat(limits::MAX_TEXT_BYTES);
    json["bones"][1]["name"] = format!("x{long}").into();
    let character = read_value(&json).unwrap();
    let name = &character.armature.data().bones[1].name;
    assert_eq!(name.len(), limits::MAX_TEXT_BYTES - 1);
    assert!(name.ends_with('ä'));
    let warning = &character.warnings.list()[0];
    assert_eq!(warning.field, "name");
    assert_eq!(warning.problem, "8193 bytes; cut to 4095");
    assert!(warning.place.len() < limits::MAX_TEXT_BYTES + 20);
}

#[test]
fn a_long_name_on_every_bone_takes_no_more_room_than_its_limit() {
    let texture = json!({ "name": "t".repeat(1 << 20), "size": xy(1.0, 1.0) });
    let bones: Vec<Value> = (0..2000)
        .map(|id| json!({ "id": id, "tex_idx": 0 }))
        .collect();
    let json = json!({ "armature": { "bones": bones, "textures": [texture] }, "texture_size": xy(1.0, 1.0) });
    let character = read_value(&json).unwrap();
    let visuals = character.armature.data().visuals.iter();
    let bytes: usize = visuals.map(|visual| visual.texture.len()).sum();
    assert_eq!(bytes, 2000 * limits::MAX_TEXT_BYTES);
}

#[test]
fn warnings_are_counted_when_there_are_too_many_to_keep() {
    let mut json = character();
    let bad = key(0, -1, "Rotation", 0.0);
    json["animations"][0]["keyframes"] = vec![bad; limits::MAX_WARNINGS + 7].into();
    let warnings = read_value(&json).unwrap().warnings;
    assert_eq!(warnings.list().len(), limits::MAX_WARNINGS);
    assert_eq!(
        (warnings.more(), warnings.count()),
        (7, limits::MAX_WARNINGS + 7)
    );
    assert!(!warnings.is_empty());
}
