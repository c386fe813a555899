//! Files of every version show what the editor showed: names, copies, pivots, easing, steps and binds that
//! changed their meaning or their name over the versions.

use crate::common::make::{STORED, bone, character, key, png, read_value, xy, zip};
use serde_json::{Value, json};
use sinew::glam::Vec2;
use sinew::skelform::{
    AnimationFrame, Armature, ArmaturePose, ArmatureState, BoneIndex, ConstructSettings, DrawList,
    IkConstraint, IkMode, animate, construct,
};
use sinew_formats::skf::{self, Skf};

/// Changes a character's JSON.
type Change<'a> = &'a dyn Fn(&mut Value);

/// What a character draws at a moment.
fn draw(armature: &Armature, play: Option<AnimationFrame>) -> DrawList {
    let state = state_at(armature, play);
    list_of(armature, state)
}

fn state_at(armature: &Armature, play: Option<AnimationFrame>) -> ArmatureState {
    let mut state = armature.new_state();
    animate(armature, &mut state, play.as_slice()).unwrap();
    state
}

fn list_of(armature: &Armature, mut state: ArmatureState) -> DrawList {
    let mut pose = ArmaturePose::new(armature);
    let settings = ConstructSettings::default();
    construct(armature, &mut state, &settings, &mut pose).unwrap();
    let mut list = DrawList::new();
    list.fill(armature, &state, &pose, armature.default_styles());
    list
}

/// The middle of what the item of a draw list covers.
fn middle(list: &DrawList, item: usize) -> Vec2 {
    let vertices = &list.vertices[list.items[item].vertices.clone()];
    vertices.iter().map(|v| v.position).sum::<Vec2>() / vertices.len() as f32
}

fn warnings(character: &Skf) -> Vec<String> {
    let list = character.warnings.list();
    list.iter().map(ToString::to_string).collect()
}

/// Files of October 2025 store the names of styles and textures as `_name`, with a trailing NUL: they are
/// drawn, in the style that the editor wears.
#[test]
fn styles_and_textures_with_an_underscored_name_are_drawn() {
    let texture = |name: &str, x: i32| json!({ "_name": name, "offset": { "x": x, "y": 0 }, "size": { "x": 16, "y": 16 } });
    let json = json!({
        "version": "0.2.0",
        "texture_size": { "x": 32, "y": 16 },
        "armature": {
            "bones": [
                { "id": 0, "_name": "Hat\0", "parent_id": -1, "style_ids": [0], "tex_idx": 1 },
            ],
            "styles": [
                { "id": 0, "_name": "Default", "textures": [texture("Tie\0", 0), texture("Hat\0", 16)] },
                { "id": 1, "_name": "Winter", "textures": [] },
            ],
        },
    });
    let picture = png(32, 16, [1, 2, 3, 255]);
    let character = skf::read_bytes(&zip(
        STORED,
        &[
            ("armature.json", json.to_string().as_bytes()),
            ("textures.png", &picture),
        ],
    ))
    .unwrap();
    let data = character.armature.data();
    assert_eq!(warnings(&character), [""; 0]);
    assert_eq!(data.styles[0].name, "Default");
    assert_eq!(data.default_styles, [0]);
    let names: Vec<_> = data.styles[0].textures.iter().map(|t| &t.name).collect();
    assert_eq!(names, ["Tie", "Hat"]);
    let list = draw(&character.armature, None);
    assert_eq!(list.items.len(), 1);
    assert_eq!(list.items[0].texture.texture, 1);
    assert!(skf::lint(&character).is_empty());
}

/// The editor writes `init_` copies of many fields for runtimes, and never reads one: whatever they say,
/// the character is what the fields themselves say.
#[test]
fn init_copies_are_never_read() {
    let mut json = character();
    let plain = read_value(&json).unwrap();
    let bone = &mut json["bones"][1];
    bone["init_pos"] = xy(100.0, 200.0);
    bone["init_rot"] = 3.0.into();
    bone["init_scale"] = xy(4.0, 5.0);
    bone["init_hidden"] = true.into();
    bone["init_is_hidden"] = true.into();
    let visual = &mut json["visuals"][0];
    visual["init_tex"] = "mesh".into();
    visual["init_zindex"] = 77.into();
    visual["init_tint"] = json!({ "r": 0.0, "g": 0.0, "b": 0.0, "a": 0.0 });
    json["visuals"][1]["vertices"][0]["init_pos"] = xy(300.0, 300.0);
    let family = &mut json["inverse_kinematics"][0];
    family["init_constraint"] = "Clockwise".into();
    family["init_mode"] = "Arc".into();
    family["init_mimic_target"] = true.into();
    let copies = read_value(&json).unwrap();
    assert_eq!(copies.armature.data(), plain.armature.data());
}

/// In files up to 0.5.2, where bones hold these fields themselves, too. A bone with `init_tex` but no `tex`
/// shows nothing, as in the editor.
#[test]
fn init_copies_on_bones_are_never_read() {
    let mut json = json!({
        "version": "0.5.2",
        "bones": [bone(0, "A", -1), bone(1, "B", 0), bone(2, "T", -1)],
        "atlases": [{ "filename": "atlas0.png", "size": xy(64.0, 64.0) }],
        "styles": [{ "id": 0, "name": "Default", "textures": [
            { "name": "a", "offset": xy(0.0, 0.0), "size": xy(8.0, 8.0), "atlas_idx": 0 },
            { "name": "b", "offset": xy(8.0, 0.0), "size": xy(8.0, 8.0), "atlas_idx": 0 },
        ] }],
    });
    let root = &mut json["bones"][0];
    root["tex"] = "a".into();
    root["ik_family_id"] = 0.into();
    root["ik_bone_ids"] = json!([0, 1]);
    root["ik_target_id"] = 2.into();
    root["ik_constraint"] = "Clockwise".into();
    root["ik_mode"] = "FABRIK".into();
    let plain = read_value(&json).unwrap();
    let root = &mut json["bones"][0];
    root["init_tex"] = "b".into();
    root["init_zindex"] = 9.into();
    root["init_ik_constraint"] = "CounterClockwise".into();
    root["init_ik_mode"] = "Arc".into();
    json["bones"][1]["init_tex"] = "b".into();
    let copies = read_value(&json).unwrap();
    assert_eq!(copies.armature.data(), plain.armature.data());
    assert_eq!(draw(&copies.armature, None).items.len(), 1);
}

/// Files of June 2026 call the position of a visual's pivot `pivot`: the picture stands where the editor has
/// it, by that part of its size. Where both names are there, the later one counts.
#[test]
fn a_visuals_pivot_moves_its_picture() {
    let offset_of = |change: &dyn Fn(&mut Value)| {
        let mut json = character();
        json["inverse_kinematics"][0]["target_id"] = (-1).into();
        let still = draw(&read_value(&json).unwrap().armature, None);
        change(&mut json["visuals"][0]);
        let read = read_value(&json).unwrap();
        assert_eq!(warnings(&read), [""; 0]);
        let moved = draw(&read.armature, None);
        let at = |list: &DrawList| {
            let item = list.items.iter().position(|i| i.bone.index() == 0);
            middle(list, item.unwrap())
        };
        at(&moved) - at(&still)
    };
    // The texture has 16 x 16 pixels, and its bone neither turns nor scales.
    let pivot = offset_of(&|visual| visual["pivot"] = xy(0.5, -0.25));
    assert_eq!(pivot, Vec2::new(8.0, -4.0));
    let both = offset_of(&|visual| {
        visual["pivot"] = xy(0.5, -0.25);
        visual["pivot_pos"] = xy(0.25, 0.0);
    });
    assert_eq!(both, Vec2::new(4.0, 0.0));
}

/// A character from before files had versions: one textured bone at (100, 50), scaled, with these keys.
fn unversioned(keys: Value) -> Skf {
    let texture = |name: &str, x: i32| json!({ "name": name, "offset": { "x": x, "y": 0 }, "size": { "x": 16, "y": 16 } });
    let json = json!({
        "armatures": [{
            "bones": [{ "id": 0, "name": "Hat\0", "parent_id": -1, "tex_idx": 0, "pos": { "x": 100.0, "y": 50.0 },
                        "rot": 0.25, "scale": { "x": 2.0, "y": 3.0 }, "zindex": 1.0,
                        "pivot": { "x": 0.5, "y": 0.5 } }],
            "animations": [{ "id": 0, "name": "Walk", "fps": 60, "keyframes": keys }],
            "textures": [texture("a", 0), texture("b", 16)],
        }],
        "texture_size": { "x": 32, "y": 16 },
    });
    let read = read_value(&json).unwrap();
    assert_eq!(warnings(&read), [""; 0]);
    read
}

fn early_key(frame: u32, element: &str, value: f32, transition: &str) -> Value {
    json!({ "frame": frame, "bone_id": 0, "element": element, "element_id": 0, "value": value,
            "transition": transition })
}

/// The first editors eased by sine: SineIn is `1 - cos(pi/2 u)` of the change, SineOut `sin(pi/2 u)`, of the
/// later key. At half the time SineOut is at 0.707, where the preset of that name since 0.4 is at 0.875.
#[test]
fn unversioned_files_ease_by_sine() {
    let character = unversioned(json!([
        early_key(0, "PositionX", 0.0, "Linear"),
        early_key(100, "PositionX", 1.0, "SineOut"),
        early_key(200, "PositionX", 2.0, "SineIn"),
        early_key(300, "PositionX", 3.0, "Linear"),
    ]));
    for frame in 0..=300_u16 {
        let state = state_at(
            &character.armature,
            Some(AnimationFrame::new(0.into(), frame.into())),
        );
        let fraction = f64::from(frame % 100) / 100.0;
        let quarter = fraction * std::f64::consts::FRAC_PI_2;
        let expected = match frame / 100 {
            0 => quarter.sin(),
            1 => 2.0 - quarter.cos(),
            _ => f64::from(frame) / 100.0,
        };
        let moved = f64::from(state.bones()[0].position.x) - 100.0;
        assert!(
            (moved - expected).abs() < 5e-4,
            "frame {frame}: {moved}, not {expected}"
        );
    }
}

/// In the first editors a key changes what the bone has at rest: positions and rotations are added, scales
/// multiplied. A key of 0 leaves the bone where it is.
#[test]
fn keys_of_unversioned_files_are_relative_to_the_bone_at_rest() {
    let character = unversioned(json!([
        early_key(0, "PositionX", 0.0, "Linear"),
        early_key(0, "PositionY", 0.0, "Linear"),
        early_key(0, "Rotation", 0.0, "Linear"),
        early_key(0, "ScaleX", 1.0, "Linear"),
        early_key(0, "ScaleY", 1.0, "Linear"),
        early_key(10, "PositionX", -20.0, "Linear"),
        early_key(10, "PositionY", 5.0, "Linear"),
        early_key(10, "Rotation", 0.5, "Linear"),
        early_key(10, "ScaleX", 1.5, "Linear"),
        early_key(10, "ScaleY", 0.5, "Linear"),
    ]));
    let at = |frame: f32| {
        let state = state_at(
            &character.armature,
            Some(AnimationFrame::new(0.into(), frame)),
        );
        let bone = state.bones()[0];
        (bone.position, bone.rotation, bone.scale)
    };
    assert_eq!(at(0.0), (Vec2::new(100.0, 50.0), 0.25, Vec2::new(2.0, 3.0)));
    assert_eq!(at(5.0), (Vec2::new(90.0, 52.5), 0.5, Vec2::new(2.5, 2.25)));
    assert_eq!(at(10.0), (Vec2::new(80.0, 55.0), 0.75, Vec2::new(3.0, 1.5)));
}

/// Where bones name their texture by its position, texture keys do too; -1 shows nothing.
#[test]
fn texture_keys_by_position_change_the_texture() {
    let character = unversioned(json!([
        early_key(5, "Texture", 1.0, "Linear"),
        early_key(10, "Texture", -1.0, "Linear"),
        early_key(15, "Texture", 0.0, "Linear"),
    ]));
    let at = |frame: f32| {
        let list = draw(
            &character.armature,
            Some(AnimationFrame::new(0.into(), frame)),
        );
        list.items.first().map(|item| item.texture.texture)
    };
    assert_eq!(
        [at(0.0), at(5.0), at(12.0), at(20.0)],
        [Some(0), Some(1), None, Some(0)]
    );
}

/// Before its first key a track of steps (visibility, draw order, texture, IK settings) shows what the
/// character has without it; tracks of numbers show their first key's value.
#[test]
fn step_tracks_show_the_base_value_before_their_first_key() {
    let mut json = character();
    let text_key = |element: &str, bone: i64, text: &str| json!({ "frame": 5, "bone_id": bone, "element": element, "value_str": text });
    json["animations"][0]["keyframes"] = json!([
        key(5, 0, "Hidden", 1.0),
        key(5, 0, "Zindex", 7.0),
        text_key("Texture", 0, "mesh"),
        text_key("IkConstraint", 1, "Clockwise"),
        text_key("IkMode", 1, "Arc"),
        key(5, 1, "MimicTarget", 1.0),
        key(5, 0, "Rotation", 1.0),
    ]);
    let character = read_value(&json).unwrap();
    let armature = &character.armature;
    let seen = |frame: f32| {
        let state = state_at(armature, Some(AnimationFrame::new(0.into(), frame)));
        let root = BoneIndex::from(0);
        (
            (
                state.hidden()[0],
                state.zindex(armature, root).unwrap(),
                state.texture(armature, root).unwrap().to_owned(),
            ),
            (
                state.ik()[0].constraint,
                state.ik()[0].mode,
                state.ik()[0].mimic_target,
            ),
            state.bones()[0].rotation,
        )
    };
    let base = (
        (false, 1, "box".to_owned()),
        (IkConstraint::None, IkMode::Fabrik, false),
        1.0,
    );
    for frame in [-1.0, 0.0, 4.0, 4.999] {
        assert_eq!(seen(frame), base, "frame {frame}");
    }
    let keyed = (
        (true, 7, "mesh".to_owned()),
        (IkConstraint::Clockwise, IkMode::Arc, true),
        1.0,
    );
    for frame in [5.0, 5.5, 9.0] {
        assert_eq!(seen(frame), keyed, "frame {frame}");
    }
}

/// Of two animations, the later one leaves to the earlier what it has no key for yet.
#[test]
fn a_step_track_before_its_first_key_leaves_an_earlier_animation_alone() {
    let mut json = character();
    json["animations"] = json!([
        { "id": 0, "name": "A", "fps": 60, "keyframes": [key(0, 0, "Zindex", 3.0)] },
        { "id": 1, "name": "B", "fps": 60, "keyframes": [key(9, 0, "Zindex", 8.0)] },
    ]);
    let character = read_value(&json).unwrap();
    let zindex = |frame: f32| {
        let mut state = character.armature.new_state();
        let plays = [
            AnimationFrame::new(0.into(), frame),
            AnimationFrame::new(1.into(), frame),
        ];
        animate(&character.armature, &mut state, &plays).unwrap();
        state.zindex(&character.armature, 0.into())
    };
    assert_eq!((zindex(5.0), zindex(9.0)), (Some(3), Some(8)));
}

/// A path runs through the bones of all binds. Where the bind before or after has no bone, the editor has no
/// line for the bind and leaves its vertices on the mesh's own bone.
#[test]
fn a_path_bind_beside_an_unbound_bind_leaves_its_vertices_on_the_meshs_bone() {
    // The mesh's own bone stands at (10, 0) and the three others to the right of it and up.
    let mesh_at = |middle: i64| {
        let mut bones = vec![
            bone(0, "own", -1),
            bone(1, "a", -1),
            bone(2, "b", -1),
            bone(3, "c", -1),
        ];
        bones[0]["visuals_id"] = 0.into();
        for (index, position) in [(1, xy(30.0, 0.0)), (2, xy(40.0, 10.0)), (3, xy(60.0, 10.0))] {
            bones[index]["pos"] = position;
        }
        let vertex =
            |x: f32, y: f32| json!({ "pos": xy(x, y), "uv": xy(0.0, 0.0), "init_pos": xy(x, y) });
        let bind = |bone: i64, vertex: u32| json!({ "bone_id": bone, "is_path": true, "verts": [{ "id": vertex, "weight": 1.0 }] });
        let json = json!({
            "version": "0.7.0", "bones": bones,
            "atlases": [{ "filename": "atlas0.png", "size": xy(64.0, 64.0) }],
            "styles": [{ "id": 0, "name": "Default", "textures": [
                { "name": "a", "offset": xy(0.0, 0.0), "size": xy(8.0, 8.0), "atlas_idx": 0 }] }],
            "visuals": [{ "tex": "a", "vertices": [vertex(1.0, 2.0), vertex(3.0, 4.0), vertex(5.0, 6.0)],
                          "indices": [0, 1, 2], "binds": [bind(1, 0), bind(middle, 1), bind(3, 2)] }],
        });
        let list = draw(&read_value(&json).unwrap().armature, None);
        let vertices: Vec<Vec2> = list.vertices.iter().map(|v| v.position).collect();
        vertices
    };
    let offsets = [(11.0, 2.0), (13.0, 4.0), (15.0, 6.0)].map(|(x, y)| Vec2::new(x, y));
    assert_eq!(mesh_at(-1), offsets);
    let bound = mesh_at(2);
    for (bound, offset) in bound.iter().zip(offsets) {
        assert!(bound.distance(offset) > 10.0, "{bound} is not on the path");
    }
}

/// Names that an editor has written and that are not read where they stand: each has a warning that names
/// the place and the field.
#[test]
fn a_known_field_that_is_not_read_has_a_warning() {
    let said = |json: &Value| warnings(&read_value(json).unwrap());
    let changed = |change: &dyn Fn(&mut Value)| {
        let mut json = character();
        change(&mut json);
        said(&json)
    };
    assert_eq!(changed(&|_| ()), [""; 0]);
    let cases: [(&str, Change<'_>); 8] = [
        ("bone 1 \"arm\", tex: ", &|c| {
            c["bones"][1]["tex"] = "box".into()
        }),
        ("bone 1 \"arm\", vertices: ", &|c| {
            c["bones"][1]["vertices"] = json!([{ "id": 0 }]);
        }),
        ("bone 4 \"target\", ik_bone_ids: ", &|c| {
            c["bones"][4]["ik_bone_ids"] = json!([4]);
        }),
        ("bone 1 \"arm\", phys_sway: ", &|c| {
            c["bones"][1]["phys_sway"] = 2.0.into()
        }),
        ("armature.json, texture_sets: ", &|c| {
            c["texture_sets"] = json!([{ "name": "Old", "textures": [] }]);
        }),
        ("bone 2 \"hand\", inverse_kinematics_id: ", &|c| {
            let bone = c["bones"][2].as_object_mut().unwrap();
            bone.remove("ik_family_id");
            bone.insert("inverse_kinematics_id".into(), 7.into());
        }),
        ("visual 1, bind 0, id: ", &|c| {
            let bind = c["visuals"][1]["binds"][0].as_object_mut().unwrap();
            let bone = bind.remove("bone_id").unwrap();
            bind.insert("id".into(), bone);
        }),
        (
            "animation 0 \"Walk\", key 0, bone 1 \"arm\", transition: ",
            &|c| {
                let key = c["animations"][0]["keyframes"][0].as_object_mut().unwrap();
                for handle in ["start_handle", "end_handle", "handle_preset"] {
                    key.remove(handle);
                }
                key.insert("transition".into(), "SineOut".into());
            },
        ),
    ];
    for (start, change) in cases {
        let said = changed(change);
        assert!(
            said.len() == 1 && said[0].starts_with(start) && said[0].contains("not read"),
            "{start}: {said:?}"
        );
    }

    let wrapped =
        json!({ "armature": { "bones": [bone(0, "A", -1)] }, "bones": [bone(0, "B", -1)] });
    assert_eq!(said(&wrapped).len(), 1, "{:?}", said(&wrapped));
    let pivot = |x: f32| {
        let mut bone = json!({ "id": 0, "name": "A", "parent_id": -1 });
        bone["pivot"] = xy(x, 0.5);
        said(&json!({ "armature": { "bones": [bone] } }))
    };
    assert_eq!(pivot(0.5), [""; 0]);
    assert_eq!(pivot(0.25).len(), 1);
}

/// A character of which nothing can be seen, whatever the reason, is reported by the checks.
#[test]
fn a_character_that_shows_nothing_is_reported() {
    let says_nothing_is_visible = |json: &Value, atlas: [u8; 4]| {
        let text = json.to_string();
        let archive = zip(
            STORED,
            &[
                ("armature.json", text.as_bytes()),
                ("atlas0.png", &png(64, 64, atlas)),
            ],
        );
        let character = skf::read_bytes(&archive).unwrap();
        let lint = skf::lint(&character);
        let found = lint.list().iter().map(ToString::to_string);
        found
            .filter(|text| text.contains("nothing is visible"))
            .count()
            == 1
    };
    let opaque = [1, 2, 3, 255];
    assert!(!says_nothing_is_visible(&character(), opaque));
    assert!(says_nothing_is_visible(&character(), [1, 2, 3, 0]));
    let changes: [(&str, Change<'_>); 5] = [
        ("no style has the textures", &|c| {
            c["styles"][0]["textures"] = json!([])
        }),
        ("no visuals", &|c| {
            for bone in c["bones"].as_array_mut().unwrap() {
                bone["visuals_id"] = (-1).into();
            }
            c["animations"] = json!([]);
        }),
        ("all is hidden", &|c| c["bones"][0]["hidden"] = true.into()),
        ("all is transparent", &|c| {
            for visual in c["visuals"].as_array_mut().unwrap() {
                visual["tint"] = json!({ "r": 1.0, "g": 1.0, "b": 1.0, "a": 0.0 });
            }
            c["animations"] = json!([]);
        }),
        ("all has no extent", &|c| {
            c["bones"][0]["scale"] = xy(0.0, 0.0);
            c["visuals"][1]["binds"] = json!([]);
        }),
    ];
    for (why, change) in changes {
        let mut json = character();
        change(&mut json);
        json["physics"] = json!([]);
        assert!(says_nothing_is_visible(&json, opaque), "{why}");
    }
    // An animation that shows something is enough.
    let mut json = character();
    json["bones"][0]["hidden"] = true.into();
    json["animations"][0]["keyframes"] = json!([key(60, 0, "Hidden", 0.0)]);
    assert!(!says_nothing_is_visible(&json, opaque));
    // Without pictures there is nothing to say.
    assert!(skf::lint(&read_value(&character()).unwrap()).is_empty());
}
