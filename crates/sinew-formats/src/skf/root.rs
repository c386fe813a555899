//! Conversion of the parsed JSON of any version to the current model.

use super::editor::EditorFlags;
use super::json::{Object, whole};
use super::keys::SkfKeys;
use super::{SkfError, animations, bones, fields, ik, physics, textures, visuals};
use crate::Warnings;
use crate::limits::MAX_BONES;
use serde_json::Value;
use sinew::skelform::ArmatureData;

/// First editor version that inverts a child's rotation under a mirrored parent.
const MIRRORED_ROTATION_SINCE: (u32, u32) = (0, 8);

/// Content of an archive besides `armature.json`.
#[derive(Default)]
pub(super) struct ArchiveContext {
    /// Flags from `editor.json`.
    pub(super) notes: EditorFlags,
    /// Whether the single picture of files without atlases is present.
    pub(super) has_only_atlas: bool,
}

/// Reads a character.
pub(super) fn read(
    json: &Value,
    beside: &ArchiveContext,
    warnings: &mut Warnings,
) -> Result<ArmatureData, SkfError> {
    let root = whole(json)?;
    let body = body(&root, warnings)?;
    let file_bones = body.table("bones", "bone", MAX_BONES)?;
    if body.get("bones").is_none() {
        return Err(SkfError::Shape {
            place: "bones".to_owned(),
            expected: "a list",
            found: "nothing",
        });
    }
    let version = root.text(warnings, "version").unwrap_or_default();
    let (file_bones, ids, mut bones) = bones::read(&file_bones, warnings);
    let (styles, atlases) = textures::read(&root, &body, beside.has_only_atlas, warnings)?;
    let mut data = ArmatureData {
        baked_ik: root.flag(warnings, "baked_ik").unwrap_or(false),
        mirrored_rotation: version_number(&version) >= MIRRORED_ROTATION_SINCE,
        visuals: visuals::read(&body, &file_bones, &ids, &styles, &mut bones, warnings)?,
        ik_families: ik::read(&body, &file_bones, &ids, &mut bones, warnings)?,
        physics: physics::read(&body, &file_bones, &mut bones, warnings)?,
        animations: animations::read(
            &body,
            &SkfKeys {
                ids: &ids,
                file_bones: &file_bones,
                bones: &bones,
                styles: &styles,
                is_unversioned: version.is_empty(),
            },
            warnings,
        )?,
        default_styles: beside.notes.worn_styles(&styles),
        version,
        bones,
        styles,
        atlases,
    };
    fields::report_unread(&root, &body, &file_bones, &data.bones, warnings);
    visuals::add_for_texture_keys(&mut data);
    animations::name_idle_tracks(&data, &file_bones, warnings);
    beside.notes.disable_ik(&ids, &mut data);
    Ok(data)
}

/// Returns the member of the root that holds the character; `None` if it is the root itself.
pub(super) fn body_key(json: &Value) -> Option<&'static str> {
    let is_list = |list: &Value| list.as_array().is_some_and(|list| !list.is_empty());
    if json.get("armature").is_some() {
        Some("armature")
    } else if json.get("armatures").is_some_and(is_list) {
        Some("armatures")
    } else {
        None
    }
}

/// Returns the ids that the file has for the bones of the character, in the order of the model.
pub(super) fn file_ids(json: &Value) -> Result<Vec<i64>, SkfError> {
    let mut warnings = Warnings::default();
    let root = whole(json)?;
    let body = body(&root, &mut warnings)?;
    let file_bones = body.table("bones", "bone", MAX_BONES)?;
    let (_, ids, bones) = bones::read(&file_bones, &mut warnings);
    let mut of_bones = vec![-1; bones.len()];
    for (id, bone) in ids.all() {
        if let Some(known) = of_bones.get_mut(bone) {
            *known = id;
        }
    }
    Ok(of_bones)
}

/// Returns the object of the character: early files wrap it in `armature`, the earliest in a list `armatures`.
fn body<'a>(root: &Object<'a>, warnings: &mut Warnings) -> Result<Object<'a>, SkfError> {
    if let Some(armature) = root.get("armature") {
        return whole(armature);
    }
    match root.list("armatures")? {
        [] => Ok(*root),
        [first, others @ ..] => {
            if !others.is_empty() {
                let problem = format!("{} more characters are ignored", others.len());
                warnings.add("armature.json", "armatures", problem);
            }
            whole(first)
        }
    }
}

/// Returns the major and minor number of a version such as "0.7.0"; (0, 0) if it is not a version.
pub(super) fn version_number(version: &str) -> (u32, u32) {
    let mut parts = version.split('.').map(|part| part.parse().unwrap_or(0));
    (parts.next().unwrap_or(0), parts.next().unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_compare_by_number() {
        assert!(version_number("0.10.0") > version_number("0.8.0"));
        assert!(version_number("1.0") > version_number("0.8.3"));
        assert_eq!(version_number("nonsense"), (0, 0));
    }
}
