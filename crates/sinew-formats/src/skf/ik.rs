//! IK families, from their table (since 0.5.3) or from the bones at their roots.

use super::SkfError;
use super::bones::BoneIds;
use super::json::Object;
use super::visuals::{claim, table};
use crate::Warnings;
use serde_json::Value;
use sinew::{BoneData, IkConstraint, IkFamilyData, IkMode};
use std::collections::BTreeMap;

/// Names of the fields that make a family, which changed when families got a table.
struct Fields {
    bones: &'static str,
    target: &'static str,
    constraint: [&'static str; 3],
    mode: [&'static str; 3],
    mimic: [&'static str; 2],
}

const TABLE: Fields = Fields {
    bones: "bone_ids",
    target: "target_id",
    constraint: ["init_constraint", "constraint", "constraint"],
    mode: ["init_mode", "mode", "mode"],
    mimic: ["init_mimic_target", "mimic_target"],
};

const ON_BONE: Fields = Fields {
    bones: "ik_bone_ids",
    target: "ik_target_id",
    constraint: ["init_ik_constraint", "ik_constraint_str", "ik_constraint"],
    mode: ["init_ik_mode", "ik_mode_str", "ik_mode"],
    mimic: ["init_ik_mimic_target", "ik_mimic_target"],
};

/// Reads families and lets bones refer to them.
pub(super) fn read(
    body: &Object<'_>,
    file_bones: &[Object<'_>],
    ids: &BoneIds,
    bones: &mut [BoneData],
    warnings: &mut Warnings,
) -> Result<Vec<IkFamilyData>, SkfError> {
    let keys = ["inverse_kinematics", "ik_families"];
    if let Some(key) = keys.into_iter().find(|key| body.get(key).is_some()) {
        let mut families = Vec::new();
        for family in table(body, key, "IK family")? {
            families.push(read_family(&family, &TABLE, ids, warnings)?);
        }
        for (bone, file_bone) in bones.iter_mut().zip(file_bones) {
            bone.ik_family = claim(file_bone, "ik_family_id", families.len(), warnings);
        }
        return Ok(families);
    }
    read_from_bones(file_bones, ids, bones, warnings)
}

/// The family's settings stand on the first bone of its chain. Baked files have stray lists on other
/// bones, so only a bone that is first in its own list counts.
fn read_from_bones(
    file_bones: &[Object<'_>],
    ids: &BoneIds,
    bones: &mut [BoneData],
    warnings: &mut Warnings,
) -> Result<Vec<IkFamilyData>, SkfError> {
    let mut families = Vec::new();
    let mut by_id = BTreeMap::new();
    for (index, file_bone) in file_bones.iter().enumerate() {
        let Some(id) = file_bone
            .int(warnings, "ik_family_id")
            .filter(|&id| id >= 0)
        else {
            continue;
        };
        let first = file_bone
            .list(ON_BONE.bones)?
            .first()
            .and_then(Value::as_i64);
        if first.and_then(|first| ids.find(first)) == Some(index) && !by_id.contains_key(&id) {
            by_id.insert(id, families.len());
            families.push(read_family(file_bone, &ON_BONE, ids, warnings)?);
        }
    }
    for (bone, file_bone) in bones.iter_mut().zip(file_bones) {
        let id = file_bone.get("ik_family_id").and_then(Value::as_i64);
        bone.ik_family = id.and_then(|id| by_id.get(&id).copied());
    }
    Ok(families)
}

fn read_family(
    family: &Object<'_>,
    fields: &Fields,
    ids: &BoneIds,
    warnings: &mut Warnings,
) -> Result<IkFamilyData, SkfError> {
    let mut bones = Vec::new();
    let mut seen = std::collections::HashSet::new();
    for id in family.list(fields.bones)? {
        match id.as_i64().and_then(|id| ids.find(id)) {
            Some(bone) if seen.insert(bone) => bones.push(bone),
            Some(_) => {
                let problem = format!("bone {id} is in the chain twice; counted once");
                warnings.add(family.place, fields.bones, problem);
            }
            None => {
                let problem = format!("there is no bone {id}; left out of the chain");
                warnings.add(family.place, fields.bones, problem);
            }
        }
    }
    let mimic = fields
        .mimic
        .into_iter()
        .find_map(|key| family.flag(warnings, key));
    Ok(IkFamilyData {
        bones,
        target: ids.refer(family, fields.target, warnings),
        constraint: constraint(family, family.first(&fields.constraint), warnings),
        mode: mode(family, family.first(&fields.mode), warnings),
        mimic_target: mimic.unwrap_or(false),
        enabled: true,
    })
}

/// A name, or in 0.2 files a number.
fn constraint(family: &Object<'_>, value: Option<&Value>, warnings: &mut Warnings) -> IkConstraint {
    let known = match value {
        None => Some(IkConstraint::None),
        Some(Value::String(name)) => IkConstraint::from_name(name),
        Some(value) => value
            .as_u64()
            .and_then(|i| IkConstraint::ALL.get(i as usize).copied()),
    };
    known.unwrap_or_else(|| {
        let problem = format!(
            "{} is no constraint; taken as None",
            value.unwrap_or(&Value::Null)
        );
        warnings.add(family.place, "constraint", problem);
        IkConstraint::None
    })
}

/// A name, or in 0.2 files a number. The editor takes every unknown mode as an arc.
fn mode(family: &Object<'_>, value: Option<&Value>, warnings: &mut Warnings) -> IkMode {
    let known = match value {
        None => Some(IkMode::Fabrik),
        Some(Value::String(name)) => IkMode::from_name(name),
        Some(value) => value
            .as_u64()
            .and_then(|i| IkMode::ALL.get(i as usize).copied()),
    };
    known.unwrap_or_else(|| {
        let problem = format!("{} is no mode; taken as Arc", value.unwrap_or(&Value::Null));
        warnings.add(family.place, "mode", problem);
        IkMode::Arc
    })
}
