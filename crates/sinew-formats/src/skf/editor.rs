//! Information that only `editor.json` has: worn styles and disabled IK families.

use super::bones::BoneIds;
use serde_json::Value;
use sinew::skelform::{ArmatureData, StyleData};
use std::collections::HashSet;

/// Flags of the editor.
#[derive(Default)]
pub(super) struct EditorFlags {
    /// Indices of the worn styles.
    worn: HashSet<usize>,
    /// Indices of the bones whose IK is disabled, in file order.
    ik_disabled: Vec<usize>,
}

impl EditorFlags {
    /// Extracts the flags from the parsed `editor.json`; values of another type are ignored.
    pub(super) fn of(json: &Value) -> Self {
        Self {
            worn: set(json, "styles", "active").collect(),
            ik_disabled: set(json, "bones", "ik_disabled").collect(),
        }
    }

    /// Returns the styles to wear: those worn in the editor; else the one named Default; else all. Indices of the
    /// style list, in its order.
    pub(super) fn worn_styles(&self, styles: &[StyleData]) -> Vec<usize> {
        let is_worn = |style: &usize| self.worn.contains(style);
        let worn: Vec<usize> = (0..styles.len()).filter(is_worn).collect();
        if !worn.is_empty() {
            return worn;
        }
        match styles.iter().position(|style| style.name == "Default") {
            Some(default) => vec![default],
            None => (0..styles.len()).collect(),
        }
    }

    /// Disables the families whose first bone has its IK disabled.
    pub(super) fn disable_ik(&self, ids: &BoneIds, data: &mut ArmatureData) {
        let disabled = self.ik_disabled.iter().filter_map(|&bone| ids.at(bone));
        let disabled: HashSet<usize> = disabled.collect();
        for family in &mut data.ik_families {
            let first = family.bones.first();
            family.enabled = !first.is_some_and(|first| disabled.contains(first));
        }
    }
}

/// Returns the indices of a list at which a flag is set.
fn set<'a>(json: &'a Value, list: &str, flag: &'a str) -> impl Iterator<Item = usize> + 'a {
    let entries = json.get(list).and_then(Value::as_array);
    let entries = entries.into_iter().flatten().enumerate();
    entries
        .filter(move |(_, entry)| entry.get(flag).and_then(Value::as_bool) == Some(true))
        .map(|(index, _)| index)
}
