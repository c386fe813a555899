//! Known field names in places where this reader does not read them.
//!
//! Editors renamed fields and moved them into tables from version to version. A known name in a place where it is not
//! read is likely something that its author saw in the editor, so it is reported. Names that no editor has written
//! are ignored silently, and so are redundant ones (`init_pos` and the other `init_` copies, `ik_root_ids`,
//! `next_kf`, `img_format`, the `id` of styles and animations).

use super::json::{Object, finite};
use crate::Warnings;
use crate::escape;
use serde_json::Value;
use sinew::skelform::BoneData;

/// Fields of bones that moved into a table in 0.5.3.
struct MovedFields {
    table: &'static str,
    /// Field by which a bone refers to its entry in the table.
    reference: &'static str,
    /// Whether the bone has an entry.
    has_entry: fn(&BoneData) -> bool,
    /// Fields without which the others have no effect.
    fields: &'static [&'static str],
}

const MOVED: [MovedFields; 3] = [
    MovedFields {
        table: "visuals",
        reference: "visuals_id",
        has_entry: |bone| bone.visual.is_some(),
        fields: &["tex", "tex_idx", "vertices"],
    },
    MovedFields {
        table: "inverse_kinematics",
        reference: "ik_family_id",
        has_entry: |bone| bone.ik_family.is_some(),
        fields: &["ik_bone_ids"],
    },
    MovedFields {
        table: "physics",
        reference: "physics_id",
        has_entry: |bone| bone.physics.is_some(),
        fields: &[
            "phys_pos_damping",
            "phys_rot_damping",
            "phys_scale_damping",
            "phys_sway",
        ],
    },
];

/// Tables with their names in all versions, newest first. Only the first one present is read.
const RENAMED: [&[&str]; 2] = [
    &["styles", "texture_sets", "textures"],
    &["inverse_kinematics", "ik_families"],
];

/// Tables of a character, ignored outside `armature` in files that wrap the character in it.
const TABLES: [&str; 9] = [
    "bones",
    "animations",
    "styles",
    "texture_sets",
    "textures",
    "atlases",
    "visuals",
    "inverse_kinematics",
    "physics",
];

/// Names of the format's documentation that no editor writes, with the actual name.
const MISNAMED_ON_BONE: [(&str, &str); 1] = [("inverse_kinematics_id", "ik_family_id")];

/// Pivot of 0.1 that means the centre of the texture, where textures are drawn.
const MIDDLE: f32 = 0.5;

/// Reports known fields of a character that are not read. `bones` correspond to `file_bones`.
pub(super) fn report_unread(
    root: &Object<'_>,
    body: &Object<'_>,
    file_bones: &[Object<'_>],
    bones: &[BoneData],
    warnings: &mut Warnings,
) {
    if !std::ptr::eq(root.map, body.map) {
        let beside = TABLES.iter().filter(|table| is_set(root, table));
        for table in beside {
            let problem = "is outside the character object; not read";
            warnings.add(root.place, *table, problem);
        }
    }
    for names in RENAMED {
        let mut there = names.iter().filter(|name| body.get(name).is_some());
        let Some(read) = there.next() else { continue };
        for name in there.filter(|name| is_set(body, name)) {
            let problem = format!("an older name of {read}, which the file has too; not read");
            warnings.add(body.place, *name, problem);
        }
    }
    let tables: Vec<&MovedFields> = MOVED
        .iter()
        .filter(|moved| body.get(moved.table).is_some())
        .collect();
    for (file_bone, bone) in file_bones.iter().zip(bones) {
        for moved in tables.iter().filter(|moved| !(moved.has_entry)(bone)) {
            for field in moved.fields.iter().filter(|field| is_set(file_bone, field)) {
                let (table, reference) = (moved.table, moved.reference);
                let problem = format!("not read: the file has {table}, and no {reference} here");
                warnings.add(file_bone.place, *field, problem);
            }
        }
        for (name, instead) in MISNAMED_ON_BONE {
            if is_set(file_bone, name) && file_bone.get(instead).is_none() {
                warnings.add(file_bone.place, name, is_named(instead));
            }
        }
        report_early_pivot(body, file_bone, warnings);
    }
}

/// Reports a bind with the bone field of the format's documentation, which no editor writes.
pub(super) fn report_misnamed_bind(bind: &Object<'_>, warnings: &mut Warnings) {
    if is_set(bind, "id") && bind.get("bone_id").is_none() {
        warnings.add(bind.place, "id", is_named("bone_id"));
    }
}

/// Reports a transition that is not played: editors of 0.2 and 0.3 wrote them, but played them as linear.
pub(super) fn report_transition(key: &Object<'_>, warnings: &mut Warnings) {
    let name = key.get("transition").and_then(Value::as_str);
    if let Some(name) = name.filter(|&name| name != "Linear") {
        let name = escape::text(name);
        let problem = format!("{name} is not read: the editor showed a straight line");
        warnings.add(key.place, "transition", problem);
    }
}

fn is_named(instead: &str) -> String {
    format!("not read: files call it {instead}")
}

/// Reports a pivot of 0.1 that is not the centre. No later editor shows it.
fn report_early_pivot(body: &Object<'_>, bone: &Object<'_>, warnings: &mut Warnings) {
    let Some(pivot) = bone.get("pivot") else {
        return;
    };
    let axes = ["x", "y"].map(|axis| pivot.get(axis).and_then(finite));
    let is_middle = axes == [Some(MIDDLE); 2];
    if body.get("visuals").is_none() && is_set(bone, "pivot") && !is_middle {
        let problem = "not read: pivots of bones are of 0.1, and no later editor shows them";
        warnings.add(bone.place, "pivot", problem);
    }
}

/// Returns whether a field is present and not its neutral value.
fn is_set(object: &Object<'_>, key: &str) -> bool {
    object.get(key).is_some_and(|value| !is_nothing(value))
}

fn is_nothing(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(flag) => !flag,
        Value::Number(number) => number.as_f64().is_some_and(|n| n == 0.0 || n == -1.0),
        Value::String(text) => text.is_empty(),
        Value::Array(list) => list.is_empty(),
        Value::Object(map) => map.values().all(is_nothing),
    }
}
