//! Characters that break other runtimes: each reads, says what was repaired, and plays finitely.
//!
//! The list is that of the format's description: everything that was seen to make `rusty_skelform`
//! 0.8 fail to load, panic, hang or spread NaN, and everything odd that the editor allows.

use crate::common::make;
use crate::common::play;
use make::{bone, character, key, read_value, xy};
use play::play;
use serde_json::{Value, json};
use sinew::glam::Vec2;
use sinew::skelform::{
    AnimationFrame, ArmatureData, ArmaturePose, ConstructSettings, IkMode, animate, construct,
};

/// Reads and plays a character; the warnings must be exactly these.
fn repaired(json: &Value, expected: &[&str]) -> ArmatureData {
    let character = read_value(json).unwrap();
    let said: Vec<String> = character
        .warnings
        .list()
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(said, expected);
    assert!(play(&character.armature), "a pose was not finite");
    character.armature.data().clone()
}

/// Reads and plays a character that there is nothing to say about.
fn no_complaint(json: &Value) -> ArmatureData {
    repaired(json, &[])
}

/// The good character with something changed.
fn with(change: impl FnOnce(&mut Value)) -> Value {
    let mut json = character();
    change(&mut json);
    json
}

/// The good character with a key of its only animation changed.
fn with_key(field: &str, value: Value) -> Value {
    with(|c| c["animations"][0]["keyframes"][1][field] = value)
}

fn keys(data: &ArmatureData) -> usize {
    data.animations[0].keys.len()
}

#[test]
fn the_base_character_is_valid() {
    let data = no_complaint(&character());
    assert_eq!(keys(&data), 11);
}

#[test]
fn every_preset_is_accepted() {
    for preset in ["Snap", "None", "Custom", "Whatever", ""] {
        no_complaint(&with_key("handle_preset", preset.into()));
    }
    no_complaint(&with_key("handle_preset", 7.into()));
}

#[test]
fn a_key_before_the_start_moves_to_the_start() {
    let said =
        "animation 0 \"Walk\", key 1, bone 1 \"arm\", frame: -1 is before the start; moved to 0";
    let data = repaired(&with_key("frame", (-1).into()), &[said]);
    assert_eq!((keys(&data), data.animations[0].keys[1].frame), (11, 0));
}

#[test]
fn a_key_beyond_the_last_frame_limit_is_discarded() {
    let last = i64::from(sinew_formats::limits::MAX_FRAME);
    let data = no_complaint(&with_key("frame", last.into()));
    assert_eq!(i64::from(data.animations[0].keys[1].frame), last);
    for (frame, shown) in [
        (json!(last + 1), "16777217"),
        (json!(u64::MAX), "9223372036854775807"),
        (json!(1e39), "9223372036854775807"),
    ] {
        let said = format!(
            "animation 0 \"Walk\", key 1, bone 1 \"arm\", frame: {shown} is too large; the key is ignored"
        );
        assert_eq!(keys(&repaired(&with_key("frame", frame), &[&said])), 10);
    }
}

#[test]
fn a_key_of_a_missing_bone_is_discarded() {
    for id in [-1, 5, i64::MIN, i64::MAX] {
        let said = format!(
            "animation 0 \"Walk\", key 1, bone_id: there is no bone {id}; the key is ignored"
        );
        assert_eq!(
            keys(&repaired(&with_key("bone_id", id.into()), &[&said])),
            10
        );
    }
}

#[test]
fn a_key_of_an_unknown_element_is_discarded() {
    for (element, shown) in [
        (json!("Locked"), "\"Locked\""),
        (json!("PivotX"), "\"PivotX\""),
        (json!(9), "9"),
        (json!(-1), "-1"),
        (Value::Null, "null"),
    ] {
        let said = format!(
            "animation 0 \"Walk\", key 1, bone 1 \"arm\", element: {shown} cannot be animated; the key is ignored"
        );
        assert_eq!(keys(&repaired(&with_key("element", element), &[&said])), 10);
    }
}

#[test]
fn a_key_whose_value_is_not_a_number_is_discarded() {
    for (value, shown) in [
        (Value::Null, "null"),
        (json!(1e39), "1e+39"),
        (json!("1"), "\"1\""),
    ] {
        let said = format!(
            "animation 0 \"Walk\", key 1, bone 1 \"arm\", value: {shown} is not a finite number; the key is ignored"
        );
        assert_eq!(keys(&repaired(&with_key("value", value), &[&said])), 10);
    }
}

#[test]
fn the_order_that_next_kf_claims_plays_no_part() {
    let plain = no_complaint(&character());
    for next in [
        json!(99),
        json!(-2),
        json!(0),
        json!(1),
        Value::Null,
        json!("x"),
    ] {
        assert_eq!(no_complaint(&with_key("next_kf", next)), plain);
    }
}

#[test]
fn invalid_handles_are_a_straight_line() {
    let place = "animation 0 \"Walk\", key 1, bone 1 \"arm\"";
    let said = format!(
        "{place}, start_handle: a number is not usable; expected {{\"x\": …, \"y\": …}}, the default is used"
    );
    repaired(&with_key("start_handle", 0.5.into()), &[&said]);
    let said = format!(
        "{place}, end_handle.y: null is not usable; expected a finite number, the default is used"
    );
    repaired(
        &with_key("end_handle", json!({ "x": 0, "y": null })),
        &[&said],
    );
    no_complaint(&with_key("end_handle", json!({})));
}

#[test]
fn unknown_constraints_and_modes_default_as_in_the_editor() {
    let place = "animation 0 \"Walk\"";
    let json = with(|c| {
        c["animations"][0]["keyframes"][9]["value_str"] = "Sideways".into();
        c["animations"][0]["keyframes"][10]["value_str"] = "CCD".into();
        c["inverse_kinematics"][0]["constraint"] = "Up".into();
        c["inverse_kinematics"][0]["mode"] = Value::Null;
    });
    let data = repaired(
        &json,
        &[
            "IK family 0, constraint: \"Up\" is not a constraint; None is used",
            "IK family 0, mode: null is not a mode; Arc is used",
            &format!(
                "{place}, key 9, bone 1 \"arm\", value_str: \"Sideways\" is not a constraint; None is used"
            ),
            &format!(
                "{place}, key 10, bone 1 \"arm\", value_str: \"CCD\" is not a mode; Arc is used"
            ),
        ],
    );
    assert_eq!(data.ik_families[0].mode, IkMode::Arc);
}

#[test]
fn animations_without_keys_stand_still() {
    let empty = |animation: Value| with(|c| c["animations"][0] = animation);
    no_complaint(&empty(
        json!({ "name": "Still", "fps": 60, "keyframes": [] }),
    ));
    no_complaint(&empty(
        json!({ "name": "Still", "fps": 60, "keyframes": null }),
    ));
    no_complaint(&empty(json!({ "name": "Still", "fps": 60 })));
}

#[test]
fn an_animation_with_an_invalid_rate_stands_still() {
    for frame_rate in [json!(0), json!(-60), json!(-1e39)] {
        let data = with(|c| c["animations"][0]["fps"] = frame_rate.clone());
        let shown = frame_rate.as_i64().unwrap_or(i64::MIN);
        let said = format!("animation 0 \"Walk\", fps: {shown}; the animation does not advance");
        assert_eq!(repaired(&data, &[&said]).animations[0].frame_rate, 0);
    }
    let data = no_complaint(&with(|c| c["animations"][0]["fps"] = json!(1e39)));
    assert_eq!(data.animations[0].frame_rate, u32::MAX);
}

#[test]
fn missing_parents_make_roots() {
    for id in [5, -2, i64::MIN] {
        let said = format!("bone 2 \"hand\", parent_id: there is no bone {id}; ignored");
        let data = repaired(&with(|c| c["bones"][2]["parent_id"] = id.into()), &[&said]);
        assert_eq!(data.bones[2].parent, None);
    }
}

#[test]
fn a_bone_that_is_its_own_parent_becomes_a_root() {
    let said = "bone 2 \"hand\", parent_id: bone 2 is this bone or a descendant of it; made a root";
    let data = repaired(&with(|c| c["bones"][2]["parent_id"] = 2.into()), &[said]);
    assert_eq!(data.bones[2].parent, None);
}

#[test]
fn a_cycle_of_parents_is_cut_where_it_closes() {
    let json = with(|c| {
        c["bones"][1]["parent_id"] = 3.into();
        c["bones"][2]["parent_id"] = 1.into();
        c["bones"][3]["parent_id"] = 2.into();
    });
    let data = repaired(
        &json,
        &[
            "bone 2 \"hand\", parent_id: bone 1 is this bone or a descendant of it; made a root",
            "bone 1 \"arm\": a parent follows its child; bones were reordered",
        ],
    );
    let names: Vec<&str> = data.bones.iter().map(|bone| bone.name.as_str()).collect();
    assert_eq!(names, ["root", "hand", "tail", "arm", "target"]);
}

#[test]
fn a_parent_after_its_child_moves_before_it_and_everything_follows() {
    let json = with(|c| {
        c["bones"][0]["parent_id"] = 4.into();
        c["bones"][4]["parent_id"] = (-1).into();
    });
    let said = "bone 0 \"root\": a parent follows its child; bones were reordered";
    let data = repaired(&json, &[said]);
    assert_eq!(data.bones[0].name, "target");
    assert_eq!(data.ik_families[0].target, Some(0));
    assert_eq!(data.ik_families[0].bones, [1, 2, 3]);
    assert_eq!(data.bones[1].visual, Some(0));
    assert_eq!(data.animations[0].keys[0].bone, 2);
    let mesh = data.visuals[1].mesh.as_ref().unwrap();
    assert_eq!(mesh.binds[0].bone, Some(4));
}

#[test]
fn bones_of_one_id_are_distinguished_by_position() {
    let said = "bone 3 \"tail\", id: 1 is the id of an earlier bone too; references use this one";
    let json = with(|c| {
        c["bones"][3]["id"] = 1.into();
        c["visuals"][1]["binds"] = json!([]);
        c["animations"] = json!([]);
    });
    let data = repaired(
        &json,
        &[
            said,
            "bone 2 \"hand\": a parent follows its child; bones were reordered",
        ],
    );
    let hand = data.bones.iter().find(|bone| bone.name == "hand").unwrap();
    assert_eq!(data.bones[hand.parent.unwrap()].name, "tail");
}

#[test]
fn ids_need_not_be_positions() {
    let json = json!({
        "bones": [bone(900, "A", -1), bone(-7, "B", 900), bone(i64::MAX, "C", -7)],
        "animations": [{ "name": "Walk", "fps": 60, "keyframes": [key(0, -7, "Rotation", 1.0)] }],
    });
    let data = no_complaint(&json);
    assert_eq!(
        (data.bones[1].parent, data.bones[2].parent),
        (Some(0), Some(1))
    );
    assert_eq!(data.animations[0].keys[0].bone, 1);
}

#[test]
fn a_hidden_bone_of_a_high_id_is_hidden() {
    let json = with(|c| {
        c["bones"][2]["id"] = 900.into();
        c["bones"][2]["hidden"] = 1.into();
        c["inverse_kinematics"][0]["bone_ids"] = json!([0, 1, 900]);
        c["visuals"][1]["binds"][1]["bone_id"] = 900.into();
    });
    assert!(no_complaint(&json).bones[2].hidden);
}

#[test]
fn missing_table_entries_are_ignored() {
    for (field, count) in [("visuals_id", 2), ("physics_id", 1), ("ik_family_id", 1)] {
        for id in [count, -2, i64::MAX, i64::MIN] {
            let said =
                format!("bone 4 \"target\", {field}: {id} is not in the table of {count}; ignored");
            repaired(&with(|c| c["bones"][4][field] = id.into()), &[&said]);
        }
    }
}

#[test]
fn chains_of_no_bone_of_one_bone_and_without_target_are_valid() {
    for bones in [json!([]), json!([1]), json!(null)] {
        for mode in ["FABRIK", "Arc"] {
            for mimic in [true, false] {
                no_complaint(&with(|c| {
                    let family = &mut c["inverse_kinematics"][0];
                    family["bone_ids"] = bones.clone();
                    family["mode"] = mode.into();
                    family["mimic_target"] = mimic.into();
                }));
            }
        }
    }
    let data = no_complaint(&with(|c| {
        c["inverse_kinematics"][0]["target_id"] = (-1).into()
    }));
    assert_eq!(data.ik_families[0].target, None);
}

#[test]
fn missing_targets_and_links_are_discarded() {
    for id in [5, -2] {
        let said = format!("IK family 0, target_id: there is no bone {id}; ignored");
        repaired(
            &with(|c| c["inverse_kinematics"][0]["target_id"] = id.into()),
            &[&said],
        );
    }
    let json = with(|c| c["inverse_kinematics"][0]["bone_ids"] = json!([0, 9, 1, "x", 1, 2]));
    let data = repaired(
        &json,
        &[
            "IK family 0, bone_ids: there is no bone 9; removed from the chain",
            "IK family 0, bone_ids: there is no bone \"x\"; removed from the chain",
            "IK family 0, bone_ids: bone 1 is in the chain twice; counted once",
        ],
    );
    assert_eq!(data.ik_families[0].bones, [0, 1, 2]);
}

#[test]
fn an_arc_whose_target_is_its_root_or_that_has_no_length_stays_finite() {
    for (position, target) in [(xy(0.0, 0.0), 4), (xy(0.0, 0.0), 0), (xy(10.0, 0.0), 0)] {
        for mode in ["Arc", "FABRIK"] {
            no_complaint(&with(|c| {
                for bone in [1, 2] {
                    c["bones"][bone]["pos"] = position.clone();
                }
                c["bones"][4]["pos"] = xy(0.0, 0.0);
                c["inverse_kinematics"][0]["mode"] = mode.into();
                c["inverse_kinematics"][0]["target_id"] = target.into();
                c["inverse_kinematics"][0]["constraint"] = "Clockwise".into();
            }));
        }
    }
}

#[test]
fn targets_within_their_chain_and_chains_across_the_tree_are_valid() {
    no_complaint(&with(|c| {
        c["inverse_kinematics"][0]["target_id"] = 1.into()
    }));
    no_complaint(&with(|c| {
        c["inverse_kinematics"][0]["bone_ids"] = json!([3, 0, 4, 2])
    }));
}

#[test]
fn binds_to_missing_bones_do_nothing() {
    let said = "visual 1, bind 1, bone_id: there is no bone 77; ignored";
    let data = repaired(
        &with(|c| c["visuals"][1]["binds"][1]["bone_id"] = 77.into()),
        &[said],
    );
    assert_eq!(data.visuals[1].mesh.as_ref().unwrap().binds[1].bone, None);
    for vertex in [-1, 4, i64::MAX] {
        let said = format!("visual 1, bind 0, verts: there is no vertex {vertex}; ignored");
        repaired(
            &with(|c| c["visuals"][1]["binds"][0]["verts"][0]["id"] = vertex.into()),
            &[&said],
        );
    }
}

#[test]
fn what_the_editor_only_warns_about_is_accepted() {
    // Equal z-indices, unbound binds beside a path, binds without vertices, a single path, zero
    // weights, empty styles, unused textures.
    no_complaint(&with(|c| c["visuals"][1]["zindex"] = 1.into()));
    no_complaint(&with(|c| {
        c["visuals"][1]["binds"][1]["bone_id"] = (-1).into()
    }));
    no_complaint(&with(|c| c["visuals"][1]["binds"][0]["verts"] = json!([])));
    no_complaint(&with(|c| {
        c["visuals"][1]["binds"][0]["verts"] = Value::Null
    }));
    no_complaint(&with(|c| {
        let one = c["visuals"][1]["binds"][0].clone();
        c["visuals"][1]["binds"] = json!([one]);
    }));
    no_complaint(&with(|c| {
        for bind in 0..3 {
            c["visuals"][1]["binds"][bind]["verts"][0]["weight"] = 0.into();
        }
    }));
    no_complaint(&with(|c| {
        c["styles"] = json!([{ "id": 0, "name": "Empty", "textures": [] }])
    }));
    no_complaint(&with(|c| c["styles"] = json!([])));
    no_complaint(&with(|c| c["visuals"][0]["tex"] = "".into()));
}

#[test]
fn a_vertex_needs_no_copy_of_its_position() {
    let json = with(|c| {
        let vertex = c["visuals"][1]["vertices"][0].as_object_mut().unwrap();
        vertex.remove("init_pos");
    });
    let data = no_complaint(&json);
    assert_eq!(
        data.visuals[1].mesh.as_ref().unwrap().vertices[0].position,
        Vec2::new(-8.0, 8.0)
    );
}

#[test]
fn triangles_of_missing_vertices_are_discarded() {
    for (indices, kept) in [
        (json!([0, 1, 2, 0, 2, 4]), "1 of 2"),
        (json!([0, 1, 2, 0]), "1 of 1"),
        (json!([0, 1, -2]), "0 of 1"),
        (json!([0, 1, 0.5]), "0 of 1"),
        (json!([0, 1, 4294967296u64]), "0 of 1"),
    ] {
        let said = format!("visual 1, indices: {kept} triangles can be drawn");
        repaired(&with(|c| c["visuals"][1]["indices"] = indices), &[&said]);
    }
}

#[test]
fn a_missing_tint_channel_is_full() {
    let json = with(|c| c["visuals"][0]["tint"] = json!({ "r": 0.5, "g": null, "b": 1e39 }));
    let data = repaired(
        &json,
        &[
            "visual 0, tint.g: missing or not a number; 1 is used",
            "visual 0, tint.b: missing or not a number; 1 is used",
            "visual 0, tint.a: missing or not a number; 1 is used",
        ],
    );
    assert_eq!((data.visuals[0].tint.r, data.visuals[0].tint.a), (0.5, 1.0));
}

#[test]
fn physics_state_saved_as_nan_is_reset() {
    let json = with(|c| {
        c["physics"][0]["global_pos"] = json!({ "x": null, "y": 1.0 });
        c["physics"][0]["global_rot"] = Value::Null;
    });
    let finite = "null is not usable; expected a finite number, the default is used";
    let data = repaired(
        &json,
        &[
            &format!("physics 0, global_rot: {finite}"),
            &format!("physics 0, global_pos.x: {finite}"),
        ],
    );
    assert_eq!(data.physics[0].start.position, Vec2::new(0.0, 1.0));
}

#[test]
fn a_saved_rotation_far_from_its_bone_is_reset() {
    for huge in [2e8, -1e30, 3e38] {
        no_complaint(&with(|c| {
            c["physics"][0]["global_rot"] = huge.into();
            c["physics"][0]["global_orbit"] = huge.into();
            c["physics"][0]["global_orbit_vel"] = huge.into();
        }));
    }
}

#[test]
fn every_setting_of_physics_may_be_out_of_its_range() {
    for field in [
        "pos_damping",
        "pos_ratio",
        "rot_damping",
        "scale_damping",
        "scale_ratio",
        "sway",
        "rot_bounce",
    ] {
        for value in [-1e3, -1.0, 1e-30, 0.5, 1.0, 2.0, 2.5, 1e3] {
            no_complaint(&with(|c| c["physics"][0][field] = value.into()));
        }
    }
}

#[test]
fn scales_of_zero_and_below_stay_finite() {
    for scale in [xy(0.0, 0.0), xy(-1.0, 1.0), xy(1e-30, -1e-30)] {
        for version in ["0.7.0", "0.8.0"] {
            no_complaint(&with(|c| {
                c["version"] = version.into();
                c["bones"][0]["scale"] = scale.clone();
            }));
        }
    }
}

#[test]
fn a_mesh_may_have_more_vertices_than_16_bits_count() {
    let json = with(|c| {
        let mesh = &mut c["visuals"][1];
        mesh["vertices"] = (0..70_000)
            .map(|i| json!({ "pos": xy(i as f32, 1.0) }))
            .collect();
        mesh["indices"] = json!([0, 65_536, 69_999]);
    });
    let data = read_value(&json).unwrap().armature.data().clone();
    assert_eq!(
        data.visuals[1].mesh.as_ref().unwrap().indices,
        [0, 65_536, 69_999]
    );
}

#[test]
fn keys_at_one_frame_hold_the_last_of_them() {
    let json = with(|c| {
        c["animations"][0]["keyframes"] = json!([
            key(5, 4, "PositionX", 1.0),
            key(5, 4, "PositionX", 2.0),
            key(5, 4, "PositionX", 3.0),
        ]);
    });
    no_complaint(&json);
    let armature = read_value(&json).unwrap().armature;
    let mut state = armature.new_state();
    for frame in [0.0, 5.0, 9.0] {
        animate(
            &armature,
            &mut state,
            &[AnimationFrame::new(0.into(), frame)],
        )
        .unwrap();
        let expected = if frame < 5.0 { 1.0 } else { 3.0 };
        assert_eq!(state.bones()[4].position.x, expected, "frame {frame}");
    }
}

#[test]
fn hidden_is_evaluated_in_every_pose() {
    let armature = read_value(&character()).unwrap().armature;
    let mut state = armature.new_state();
    let mut pose = ArmaturePose::new(&armature);
    for (frame, hidden) in [(0.0, false), (2.0, true), (1.0, false)] {
        animate(
            &armature,
            &mut state,
            &[AnimationFrame::new(0.into(), frame)],
        )
        .unwrap();
        construct(
            &armature,
            &mut state,
            &ConstructSettings::default(),
            &mut pose,
        )
        .unwrap();
        assert_eq!(pose.hidden()[3], hidden);
    }
    animate(&armature, &mut state, &[]).unwrap();
    construct(
        &armature,
        &mut state,
        &ConstructSettings::default(),
        &mut pose,
    )
    .unwrap();
    assert!(!pose.hidden()[3]);
}
