//! A minimal file of every layout that editors have written, and the one model that each becomes.

use crate::common::make;
use crate::common::play;
use make::{DEFLATED, bone, key, png, xy, zip};
use play::play;
use serde_json::{Value, json};
use sinew::glam::{UVec2, Vec2};
use sinew::skelform::curve::{Ease, Handles};
use sinew::skelform::{ArmatureData, Element, IkConstraint, IkMode, Tint};
use sinew_formats::skf::{self, Skf};

/// Reads an archive that must need no repair, and plays it.
fn read_whole(bytes: &[u8]) -> Skf {
    let character = skf::read_bytes(bytes).unwrap();
    assert_eq!(character.warnings.list(), []);
    assert!(play(&character.armature));
    character
}

/// The model of a bare `armature.json` that must need no repair.
fn model(json: &Value) -> ArmatureData {
    let character = read_whole(json.to_string().as_bytes());
    character.armature.data().clone()
}

/// An archive of an early version: the character and its only picture.
fn early(json: &Value) -> Skf {
    let json = json.to_string();
    let picture = png(32, 16, [9, 8, 7, 255]);
    read_whole(&zip(
        DEFLATED,
        &[
            ("textures.png", &picture),
            ("armature.json", json.as_bytes()),
        ],
    ))
}

/// A bone of 0.2 that shows a texture and holds an IK family.
fn bone_of_0_2() -> Value {
    json!({ "id": 0, "name": "A", "parent_id": -1, "tex": "a", "ik_family_id": 0, "ik_bone_ids": [0] })
}

fn texture(name: &str, x: i32) -> Value {
    json!({ "name": name, "offset": { "x": x, "y": 0 }, "size": { "x": 16, "y": 16 } })
}

/// The texture that a bone shows.
fn shown(data: &ArmatureData, bone: usize) -> &str {
    &data.visuals[data.bones[bone].visual.unwrap()].texture
}

#[test]
fn the_earliest_files_hold_a_list_of_armatures() {
    let character = early(&json!({
        "armatures": [{
            "bones": [
                { "id": 0, "name": "Body", "parent_id": -1, "tex_idx": 1,
                  "pos": { "x": 1.5, "y": -2 }, "rot": 0.5, "scale": { "x": 2, "y": 3 },
                  "zindex": 4.0, "pivot": { "x": 0.5, "y": 0.5 } },
                { "id": 1, "name": "Ghost", "parent_id": 0, "tex_idx": -1 },
            ],
            "animations": [],
            "textures": [texture("a", 0), texture("b", 16)],
        }],
        "texture_size": { "x": 32, "y": 16 },
    }));
    let data = character.armature.data();
    let body = &data.bones[0];
    assert_eq!((body.name.as_str(), body.parent), ("Body", None));
    assert_eq!((body.position, body.rotation), (Vec2::new(1.5, -2.0), 0.5));
    assert_eq!(body.scale, Vec2::new(2.0, 3.0));
    assert_eq!((shown(data, 0), data.visuals[0].zindex), ("b", 4));
    assert_eq!(
        (data.bones[1].parent, data.bones[1].visual),
        (Some(0), None)
    );
    assert_eq!(data.version, "");
    assert_eq!(data.styles[0].name, "Default");
    assert_eq!(data.styles[0].textures[1].offset, UVec2::new(16, 0));
    assert_eq!(data.atlases[0].filename, "textures.png");
    assert_eq!(data.atlases[0].size, UVec2::new(32, 16));
    let atlas = character.atlases[0].as_ref().unwrap();
    assert_eq!((atlas.width(), atlas.pixel(3, 3)), (32, [9, 8, 7, 255]));
}

#[test]
fn of_several_armatures_the_first_is_read() {
    let bones = |name: &str| json!({ "bones": [bone(0, name, -1)] });
    let json = json!({ "armatures": [bones("one"), bones("two"), bones("three")] });
    let character = skf::read_bytes(json.to_string().as_bytes()).unwrap();
    assert_eq!(character.armature.data().bones[0].name, "one");
    let said = character.warnings.list()[0].to_string();
    assert_eq!(
        said,
        "armature.json, armatures: 2 more characters are ignored"
    );
}

#[test]
fn wrapped_files_address_textures_by_set_and_position() {
    let character = early(&json!({
        "armature": {
            "bones": [
                { "id": 0, "name": "A", "parent_id": -1, "tex_set_idx": 1, "tex_idx": 0 },
                { "id": 1, "name": "B", "parent_id": 0, "tex_set_idx": -1, "tex_idx": 0 },
            ],
            "animations": [],
            "texture_sets": [
                { "name": "Skin", "textures": [texture("a", 0)] },
                { "name": "Coat", "textures": [texture("b", 16)] },
            ],
        },
        "texture_size": { "x": 32, "y": 16 },
        "version": "0.2",
    }));
    let data = character.armature.data();
    assert_eq!(data.version, "0.2");
    assert_eq!(shown(data, 0), "b");
    assert_eq!(data.visuals[0].zindex, -1);
    assert_eq!(data.bones[1].visual, None);
    let names: Vec<_> = data
        .styles
        .iter()
        .map(|style| style.name.as_str())
        .collect();
    assert_eq!(names, ["Skin", "Coat"]);
}

#[test]
fn wrapped_files_address_textures_by_the_first_of_their_styles() {
    let character = early(&json!({
        "armature": {
            "bones": [
                { "id": 0, "name": "A", "parent_id": -1, "style_ids": [1, 0], "tex_idx": 0 },
                { "id": 1, "name": "B", "parent_id": 0, "style_ids": [], "tex_idx": 0 },
            ],
            "styles": [
                { "id": 0, "name": "Skin", "textures": [texture("a", 0)] },
                { "id": 1, "name": "Coat", "textures": [texture("b", 16)] },
            ],
        },
        "texture_size": { "x": 32, "y": 16 },
    }));
    let data = character.armature.data();
    assert_eq!((shown(data, 0), shown(data, 1)), ("b", "a"));
}

#[test]
fn the_only_picture_is_found_although_nothing_names_it() {
    let armature = json!({
        "bones": [{ "id": 0, "name": "A", "parent_id": -1, "tex_idx": 0 }],
        "textures": [texture("a", 0)],
    });
    let mut flat = armature.clone();
    flat["atlases"] = json!([]);
    for json in [json!({ "armature": armature }), flat] {
        let character = early(&json);
        let data = character.armature.data();
        assert_eq!(data.atlases[0].filename, "textures.png");
        assert_eq!((shown(data, 0), data.styles[0].textures.len()), ("a", 1));
        assert!(character.atlases[0].is_some());
    }
}

#[test]
fn underscored_fields_and_nul_in_names_are_understood() {
    let data = model(&json!({
        "armature": {
            "bones": [
                { "_idx": 7, "_name": "Body\0", "parent_idx": -1 },
                { "_idx": 3, "_name": "Arm\0\0", "parent_idx": 7 },
            ],
            "animations": [{ "name": "Wave\0", "fps": 24, "keyframes": [
                { "frame": 4, "bone_id": 3, "_element": "Rotation", "element_id": 2, "value": 1.0 },
            ] }],
        },
        "texture_size": { "x": 0, "y": 0 },
    }));
    assert_eq!(
        (data.bones[0].name.as_str(), data.bones[1].name.as_str()),
        ("Body", "Arm")
    );
    assert_eq!(data.bones[1].parent, Some(0));
    let key = &data.animations[0].keys[0];
    assert_eq!((key.bone, key.element), (1, Element::Rotation));
    assert_eq!(data.animations[0].name, "Wave");
}

#[test]
fn bones_without_ids_count_from_the_top() {
    let data = model(&json!({ "bones": [
        { "name": "Body", "parent_id": -1 },
        { "name": "Arm", "parent_id": 0 },
        { "name": "Hand", "parent_id": 1 },
    ] }));
    let parents: Vec<_> = data.bones.iter().map(|bone| bone.parent).collect();
    assert_eq!(parents, [None, Some(0), Some(1)]);
    assert_eq!((data.version.as_str(), data.animations.len()), ("", 0));
}

#[test]
fn numbered_elements_have_their_meaning_with_and_without_their_names() {
    let key = |element: i32, name: Option<&str>| {
        let mut key = json!({ "frame": element, "bone_id": 0, "element": element, "value": 1.0 });
        if let Some(name) = name {
            key["element_str"] = name.into();
        }
        key
    };
    let names = [
        "PositionX",
        "PositionY",
        "Rotation",
        "ScaleX",
        "ScaleY",
        "Zindex",
        "Texture",
        "IkConstraint",
        "Hidden",
    ];
    let numbered: Vec<Value> = (0..9).map(|element| key(element, None)).collect();
    // The name counts where both are there.
    let named = (0..9).map(|element| key(8 - element, Some(names[element as usize])));
    let named: Vec<Value> = named.collect();
    for (keys, what) in [(numbered, "numbered"), (named, "named")] {
        let data = model(&json!({
            "version": "0.2.0", "bones": [bone_of_0_2()],
            "animations": [{ "name": "Walk", "fps": 30, "keyframes": keys }],
        }));
        let keys = data.animations[0].keys.iter();
        let found: Vec<&str> = keys.map(|key| key.element.name()).collect();
        assert_eq!(found, names, "{what}");
    }
}

#[test]
fn constraints_are_numbers_in_keys_of_0_2() {
    let data = model(&json!({
        "version": "0.2.0", "bones": [bone_of_0_2()],
        "animations": [{ "name": "Walk", "fps": 30, "keyframes": [
            { "frame": 0, "bone_id": 0, "element": 7, "value": 2.0 },
            { "frame": 1, "bone_id": 0, "element": 7, "value": 99.0 },
        ] }],
    }));
    let keys = data.animations[0].keys.iter();
    let texts: Vec<&str> = keys.map(|key| key.text.as_str()).collect();
    assert_eq!(texts, ["CounterClockwise", "None"]);
}

#[test]
fn hidden_was_a_number_and_had_another_name() {
    let hidden = |field: &str, value: Value| {
        let mut json = json!({ "bones": [bone(0, "A", -1)] });
        json["bones"][0][field] = value;
        model(&json).bones[0].hidden
    };
    for field in ["hidden", "is_hidden"] {
        assert!(hidden(field, true.into()), "{field}");
        assert!(hidden(field, 1.into()), "{field}");
        assert!(!hidden(field, false.into()), "{field}");
        assert!(!hidden(field, 0.into()), "{field}");
    }
}

/// Three bones of 0.2 to 0.5.2, of which the first holds the family.
fn family_on_bones() -> Value {
    let mut bones = vec![bone(0, "A", -1), bone(1, "B", 0), bone(2, "T", -1)];
    for bone in &mut bones {
        bone.as_object_mut().unwrap().remove("visuals_id");
        bone.as_object_mut().unwrap().remove("physics_id");
    }
    bones[0]["ik_family_id"] = 5.into();
    bones[1]["ik_family_id"] = 5.into();
    bones[0]["ik_bone_ids"] = json!([0, 1]);
    bones[0]["ik_target_id"] = 2.into();
    json!({ "version": "0.4.0", "ik_root_ids": [0], "bones": bones })
}

#[test]
fn families_were_fields_of_the_first_bone_of_their_chain() {
    let mut json = family_on_bones();
    json["bones"][0]["ik_constraint"] = "Clockwise".into();
    json["bones"][0]["ik_mode"] = "Arc".into();
    let data = model(&json);
    let [family] = data.ik_families.as_slice() else {
        panic!("one family, not {:?}", data.ik_families);
    };
    assert_eq!(
        (family.bones.as_slice(), family.target),
        (&[0, 1][..], Some(2))
    );
    assert_eq!(
        (family.constraint, family.mode),
        (IkConstraint::Clockwise, IkMode::Arc)
    );
    assert!(family.enabled);
    let families: Vec<_> = data.bones.iter().map(|bone| bone.ik_family).collect();
    assert_eq!(families, [Some(0), Some(0), None]);
}

#[test]
fn constraints_and_modes_of_0_2_are_numbers_with_a_name_beside_them() {
    let mut json = family_on_bones();
    json["version"] = "0.2.0".into();
    json["bones"][0]["ik_constraint"] = 2.into();
    json["bones"][0]["ik_mode"] = 1.into();
    let family = &model(&json).ik_families[0];
    assert_eq!(
        (family.constraint, family.mode),
        (IkConstraint::CounterClockwise, IkMode::Arc)
    );
    json["bones"][0]["ik_constraint_str"] = "Clockwise".into();
    json["bones"][0]["ik_mode_str"] = "FABRIK".into();
    let family = &model(&json).ik_families[0];
    assert_eq!(
        (family.constraint, family.mode),
        (IkConstraint::Clockwise, IkMode::Fabrik)
    );
}

#[test]
fn stray_chains_of_baked_files_make_no_family() {
    let mut json = family_on_bones();
    json["baked_ik"] = true.into();
    json["bones"][1]["ik_bone_ids"] = json!([0, 1]);
    json["bones"][2]["ik_bone_ids"] = json!([2]);
    let data = model(&json);
    assert!(data.baked_ik);
    assert_eq!(data.ik_families.len(), 1);
    assert_eq!(data.bones[2].ik_family, None);
}

#[test]
fn a_table_of_families_had_another_name_for_a_while() {
    let mut json = family_on_bones();
    json["version"] = "0.2.0".into();
    json["texture_size"] = json!({ "x": 1, "y": 1 });
    json["bones"][0]["ik_family_id"] = 0.into();
    json["bones"][1]["ik_family_id"] = 0.into();
    json["ik_families"] =
        json!([{ "target_id": 2, "bone_ids": [0, 1], "constraint": "Clockwise" }]);
    let data = model(&json);
    assert_eq!(data.ik_families[0].bones, [0, 1]);
    assert_eq!(data.ik_families[0].constraint, IkConstraint::Clockwise);
    assert_eq!(data.bones[1].ik_family, Some(0));
}

#[test]
fn physics_settings_were_fields_of_bones() {
    let mut json = json!({ "version": "0.5.0", "bones": [bone(0, "A", -1), bone(1, "B", 0)] });
    let tail = &mut json["bones"][1];
    tail["has_physics"] = true.into();
    tail["phys_pos_damping"] = 10.0.into();
    tail["phys_sway"] = 2.0.into();
    tail["phys_rot_bounce"] = 0.5.into();
    tail["phys_global_pos"] = xy(3.0, 4.0);
    json["bones"][0]["phys_pos_damping"] = 0.0.into();
    let data = model(&json);
    assert_eq!(
        (data.bones[0].physics, data.bones[1].physics),
        (None, Some(0))
    );
    let physics = &data.physics[0];
    assert_eq!(
        (
            physics.position_damping,
            physics.sway,
            physics.rotation_bounce
        ),
        (10.0, 2.0, 0.5)
    );
    assert_eq!(physics.start.position, Vec2::new(3.0, 4.0));
}

#[test]
fn the_retired_physics_of_0_4_is_named_and_ignored() {
    let mut json = json!({ "version": "0.4.0", "bones": [bone(0, "Tail", -1)] });
    json["bones"][0]["phys_pos_elasticity"] = 3.0.into();
    json["bones"][0]["phys_rot_resistance"] = 0.0.into();
    let character = skf::read_bytes(json.to_string().as_bytes()).unwrap();
    assert_eq!(character.armature.data().physics.len(), 0);
    let said: Vec<_> = character
        .warnings
        .list()
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(
        said,
        ["bone 0 \"Tail\", phys_pos_elasticity: physics of 0.4 alone; ignored"]
    );
}

#[test]
fn textures_meshes_and_tints_were_fields_of_bones_until_0_5_2() {
    let mut json = json!({
        "version": "0.5.2", "bones": [bone(0, "A", -1), bone(1, "B", 0)],
        "atlases": [{ "filename": "atlas0.png", "size": xy(16.0, 16.0) }],
        "styles": [{ "id": 0, "name": "Default", "textures": [texture("a", 0)] }],
    });
    let a = &mut json["bones"][0];
    a["tex"] = "a".into();
    a["zindex"] = 3.into();
    a["tint"] = json!({ "r": 1.0, "g": 0.5, "b": 0.0, "a": 1.0 });
    a["vertices"] = json!([
        { "id": 0, "pos": xy(1.0, 2.0), "uv": xy(0.0, 0.0), "init_pos": xy(1.0, 2.0) },
        { "id": 1, "pos": xy(8.0, 0.0), "uv": xy(1.0, 0.0) },
        { "id": 2, "pos": xy(8.0, 8.0), "uv": xy(1.0, 1.0) },
    ]);
    a["indices"] = json!([0, 1, 2]);
    a["binds"] = json!([{ "bone_id": 1, "is_path": true, "verts": [{ "id": 2, "weight": 0.5 }] }]);
    let data = model(&json);
    let visual = &data.visuals[0];
    assert_eq!((shown(&data, 0), visual.zindex), ("a", 3));
    assert_eq!(
        visual.tint,
        Tint {
            r: 1.0,
            g: 0.5,
            b: 0.0,
            a: 1.0
        }
    );
    assert_eq!(visual.pivot_scale, Vec2::ONE);
    let mesh = visual.mesh.as_ref().unwrap();
    assert_eq!(
        (mesh.vertices[0].position, mesh.vertices[1].position),
        (Vec2::new(1.0, 2.0), Vec2::new(8.0, 0.0))
    );
    assert_eq!((mesh.binds[0].bone, mesh.binds[0].is_path), (Some(1), true));
    assert_eq!(mesh.binds[0].vertices, [(2, 0.5)]);
    assert_eq!(data.bones[1].visual, None);
}

#[test]
fn tables_of_0_5_3_and_later_are_read_unchanged() {
    let character = read_whole(&make::skf_of(&make::character()));
    let data = character.armature.data();
    assert_eq!(
        (
            data.visuals.len(),
            data.ik_families.len(),
            data.physics.len()
        ),
        (2, 1, 1)
    );
    assert_eq!(
        (data.bones[0].visual, data.bones[3].visual),
        (Some(0), Some(1))
    );
    assert_eq!(
        (data.bones[1].ik_family, data.bones[3].physics),
        (Some(0), Some(0))
    );
    assert_eq!(data.visuals[0].zindex, 1);
    assert_eq!(data.visuals[0].pivot_scale, Vec2::ONE);
    assert_eq!(data.visuals[1].tint, Tint::WHITE);
    assert_eq!(data.ik_families[0].target, Some(4));
    assert_eq!(data.physics[0].start.orbit, 0.1);
    assert_eq!(character.atlases.len(), 1);
}

#[test]
fn a_table_that_several_bones_share_gives_each_its_own_entry() {
    let mut json = make::character();
    json["bones"][1]["visuals_id"] = 0.into();
    json["bones"][2]["physics_id"] = 0.into();
    let character = make::read_value(&json).unwrap();
    let said: Vec<_> = character
        .warnings
        .list()
        .iter()
        .map(ToString::to_string)
        .collect();
    let copy = "an earlier bone has it too; this one has a copy";
    let expected = [
        format!("bone 1 \"arm\", visuals_id: {copy}"),
        format!("bone 3 \"tail\", physics_id: {copy}"),
    ];
    assert_eq!(said, expected);
    let data = character.armature.data();
    assert_eq!(
        (data.bones[0].visual, data.bones[1].visual),
        (Some(0), Some(2))
    );
    assert_eq!(data.visuals[0], data.visuals[2]);
    assert_eq!(
        (data.bones[2].physics, data.bones[3].physics),
        (Some(0), Some(1))
    );
}

/// The easing of one key.
fn ease(version: &str, key: Value) -> Ease {
    let mut json = json!({
        "bones": [bone(0, "A", -1)],
        "animations": [{ "name": "Walk", "fps": 30, "keyframes": [key] }],
    });
    if !version.is_empty() {
        json["version"] = version.into();
    }
    model(&json).animations[0].keys[0].ease
}

#[test]
fn transitions_are_played_only_where_there_is_no_version() {
    let ease_of = |version: &str, transition: &str| {
        let mut json = json!({
            "armature": { "bones": [bone(0, "A", -1)], "animations": [{ "name": "Walk", "fps": 60, "keyframes": [
                { "frame": 0, "bone_id": 0, "element": "Rotation", "value": 1.0, "transition": transition },
            ] }] },
        });
        if !version.is_empty() {
            json["version"] = version.into();
        }
        let read = skf::read_json(json.to_string().as_bytes()).unwrap();
        let ease = read.armature.data().animations[0].keys[0].ease;
        (ease, read.warnings.count())
    };
    for (name, half) in [("SineIn", 0.293), ("SineOut", 0.707)] {
        let (ease, warnings) = ease_of("", name);
        assert!((ease.progress(0.5) - half).abs() < 1e-3, "{name}: {ease:?}");
        assert_eq!(warnings, 0, "{name}");
    }
    assert_eq!(ease_of("", "Linear"), (Ease::Linear, 0));
    assert_eq!(ease_of("", "Wobble"), (Ease::Linear, 1));
    assert_eq!(ease_of("0.2.0", "Linear"), (Ease::Linear, 0));
    assert_eq!(ease_of("0.2.0", "SineIn"), (Ease::Linear, 1));
    assert_eq!(ease_of("0.3.0", "SineOut"), (Ease::Linear, 1));
}

#[test]
fn handles_define_the_curve_to_a_key_and_presets_only_steps() {
    let with = |preset: &str| {
        let mut key = key(0, 0, "Rotation", 1.0);
        key["start_handle"] = xy(0.1, 0.2);
        key["end_handle"] = xy(0.3, 0.4);
        key["handle_preset"] = preset.into();
        key
    };
    let handles = Ease::Bezier(Handles::new(0.1, 0.2, 0.3, 0.4));
    for preset in ["Linear", "SineInOut", "Custom", "Bounce", ""] {
        assert_eq!(ease("0.7.0", with(preset)), handles, "{preset}");
    }
    for preset in ["Snap", "None"] {
        assert_eq!(ease("0.7.0", with(preset)), Ease::Step, "{preset}");
    }
    assert_eq!(
        ease("0.7.0", key(0, 0, "Rotation", 1.0)),
        Ease::Bezier(Handles::ZERO)
    );
}

#[test]
fn handles_of_999_are_a_step_and_missing_ones_a_line() {
    let mut snap = key(0, 0, "Rotation", 1.0);
    snap["start_handle"] = xy(0.0, 999.0);
    snap["end_handle"] = xy(0.0, 999.0);
    assert_eq!(ease("0.4.0", snap.clone()), Ease::Step);
    let one = snap.as_object_mut().unwrap();
    one.remove("end_handle");
    let half = Handles::new(0.0, 999.0, 2.0 / 3.0, 2.0 / 3.0);
    assert_eq!(ease("0.4.0", snap.clone()), Ease::Bezier(half));
    snap.as_object_mut().unwrap().remove("start_handle");
    assert_eq!(ease("0.4.0", snap), Ease::Linear);
}
