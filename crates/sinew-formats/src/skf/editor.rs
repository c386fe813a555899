//! What only `editor.json` knows: which styles are worn and which IK families are switched off.

use super::bones::BoneIds;
use serde_json::Value;
use sinew::{ArmatureData, StyleData};

/// The styles to wear: those that the editor wears; failing that the one named Default; failing that
/// all of them. Positions in the list of styles.
pub(super) fn worn_styles(editor: Option<&Value>, styles: &[StyleData]) -> Vec<usize> {
    let active = |index: &usize| {
        let style = editor
            .and_then(|e| e.get("styles"))
            .and_then(|s| s.get(*index));
        style.and_then(|s| s.get("active")).and_then(Value::as_bool) == Some(true)
    };
    let worn: Vec<usize> = (0..styles.len()).filter(active).collect();
    if !worn.is_empty() {
        return worn;
    }
    match styles.iter().position(|style| style.name == "Default") {
        Some(default) => vec![default],
        None => (0..styles.len()).collect(),
    }
}

/// Switches off the families whose first bone has its IK disabled.
pub(super) fn disable_ik(editor: Option<&Value>, ids: &BoneIds, data: &mut ArmatureData) {
    let bones = editor
        .and_then(|e| e.get("bones"))
        .and_then(Value::as_array);
    for (index, bone) in bones.into_iter().flatten().enumerate() {
        if bone.get("ik_disabled").and_then(Value::as_bool) != Some(true) {
            continue;
        }
        let Some(bone) = ids.at(index) else { continue };
        for family in &mut data.ik_families {
            if family.bones.first() == Some(&bone) {
                family.enabled = false;
            }
        }
    }
}
