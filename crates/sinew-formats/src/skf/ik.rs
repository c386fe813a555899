//! IK families, from their table (since 0.5.3) or from the bones at their roots.

use super::SkfError;
use super::archive::check_size;
use super::bones::BoneIds;
use super::json::{Object, whole_number};
use super::visuals::claim;
use crate::Warnings;
use crate::escape;
use crate::limits::{MAX_BONES, MAX_CHAIN_ENTRIES};
use serde_json::Value;
use sinew::skelform::{BoneData, IkConstraint, IkFamilyData, IkMode};
use std::collections::BTreeMap;

/// Names of the fields of a family, which changed when families got a table.
struct IkFields {
    bones: &'static str,
    target: &'static str,
    /// The first one present is used, here and below.
    constraint: &'static [&'static str],
    mode: &'static [&'static str],
    mimic: &'static str,
}

const TABLE: IkFields = IkFields {
    bones: "bone_ids",
    target: "target_id",
    constraint: &["constraint"],
    mode: &["mode"],
    mimic: "mimic_target",
};

const ON_BONE: IkFields = IkFields {
    bones: "ik_bone_ids",
    target: "ik_target_id",
    constraint: &["ik_constraint_str", "ik_constraint"],
    mode: &["ik_mode_str", "ik_mode"],
    mimic: "ik_mimic_target",
};

/// Reads families and sets the references of bones to them.
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
        let mut entries = 0;
        for family in body.table(key, "IK family", MAX_BONES)? {
            count_chain(&family, &TABLE, &mut entries)?;
            families.push(read_family(&family, &TABLE, ids, warnings)?);
        }
        for (bone, file_bone) in bones.iter_mut().zip(file_bones) {
            bone.ik_family = claim(file_bone, "ik_family_id", families.len(), warnings);
        }
        return Ok(families);
    }
    read_from_bones(file_bones, ids, bones, warnings)
}

/// Reads families whose settings are on the first bone of their chain. Baked files have stray lists on other bones,
/// so only a bone that is first in its own list counts.
fn read_from_bones(
    file_bones: &[Object<'_>],
    ids: &BoneIds,
    bones: &mut [BoneData],
    warnings: &mut Warnings,
) -> Result<Vec<IkFamilyData>, SkfError> {
    let mut families = Vec::new();
    let mut entries = 0;
    let mut by_id = BTreeMap::new();
    let mut family_of = Vec::new();
    for (index, file_bone) in file_bones.iter().enumerate() {
        let id = file_bone.int(warnings, "ik_family_id");
        family_of.push(id);
        let Some(id) = id.filter(|&id| id >= 0) else {
            continue;
        };
        let chain = file_bone.list(ON_BONE.bones)?;
        let first = chain.first().and_then(whole_number);
        if first.and_then(|first| ids.find(first)) != Some(index) {
            continue;
        }
        if by_id.contains_key(&id) {
            let problem = format!("a second chain of family {id}; ignored");
            warnings.add(file_bone.place, ON_BONE.bones, problem);
            continue;
        }
        count_chain(file_bone, &ON_BONE, &mut entries)?;
        by_id.insert(id, families.len());
        families.push(read_family(file_bone, &ON_BONE, ids, warnings)?);
    }
    for (bone, id) in bones.iter_mut().zip(family_of) {
        bone.ik_family = id.and_then(|id| by_id.get(&id).copied());
    }
    Ok(families)
}

/// Adds a chain to the total of chain bones before it is read.
fn count_chain(family: &Object<'_>, fields: &IkFields, total: &mut usize) -> Result<(), SkfError> {
    *total += family.list(fields.bones)?.len();
    let limit = MAX_CHAIN_ENTRIES as u64;
    check_size("the number of bones in IK chains", *total as u64, limit)
}

fn read_family(
    family: &Object<'_>,
    fields: &IkFields,
    ids: &BoneIds,
    warnings: &mut Warnings,
) -> Result<IkFamilyData, SkfError> {
    let mut bones = Vec::new();
    let mut seen = std::collections::HashSet::new();
    for id in family.list(fields.bones)? {
        match whole_number(id).and_then(|id| ids.find(id)) {
            Some(bone) if seen.insert(bone) => bones.push(bone),
            Some(_) => {
                let problem = format!(
                    "bone {} is in the chain twice; counted once",
                    escape::value(id)
                );
                warnings.add(family.place, fields.bones, problem);
            }
            None => {
                let problem = format!(
                    "there is no bone {}; removed from the chain",
                    escape::value(id)
                );
                warnings.add(family.place, fields.bones, problem);
            }
        }
    }
    Ok(IkFamilyData {
        bones,
        target: ids.refer(family, fields.target, warnings),
        constraint: constraint(family, family.first(fields.constraint), warnings),
        mode: mode(family, family.first(fields.mode), warnings),
        mimic_target: family.flag(warnings, fields.mimic).unwrap_or(false),
        enabled: true,
    })
}

/// Reads a name, or in 0.2 files a number.
fn constraint(family: &Object<'_>, value: Option<&Value>, warnings: &mut Warnings) -> IkConstraint {
    let known = match value {
        None => Some(IkConstraint::None),
        Some(Value::String(name)) => IkConstraint::from_name(name),
        Some(value) => value
            .as_u64()
            .and_then(|i| IkConstraint::ALL.get(i as usize).copied()),
    };
    known.unwrap_or_else(|| {
        let found = escape::value(value.unwrap_or(&Value::Null));
        let problem = format!("{found} is not a constraint; None is used");
        warnings.add(family.place, "constraint", problem);
        IkConstraint::None
    })
}

/// Reads a name, or in 0.2 files a number. The editor treats every unknown mode as an arc.
fn mode(family: &Object<'_>, value: Option<&Value>, warnings: &mut Warnings) -> IkMode {
    let known = match value {
        None => Some(IkMode::Fabrik),
        Some(Value::String(name)) => IkMode::from_name(name),
        Some(value) => value
            .as_u64()
            .and_then(|i| IkMode::ALL.get(i as usize).copied()),
    };
    known.unwrap_or_else(|| {
        let found = escape::value(value.unwrap_or(&Value::Null));
        let problem = format!("{found} is not a mode; Arc is used");
        warnings.add(family.place, "mode", problem);
        IkMode::Arc
    })
}
