//! Bones: ids, parents, rest pose.

use super::json::Object;
use super::order::order;
use crate::Warnings;
use sinew::glam::Vec2;
use sinew::skelform::BoneData;
use std::collections::HashMap;

/// Mapping from the file's bone ids to model indices.
pub(super) struct BoneIds {
    by_id: HashMap<i64, usize>,
    /// Model index of each file index.
    to_new: Vec<usize>,
}

impl BoneIds {
    pub(super) fn find(&self, id: i64) -> Option<usize> {
        self.by_id.get(&id).copied()
    }

    /// Returns all ids with their model index, in no order.
    pub(super) fn all(&self) -> impl Iterator<Item = (i64, usize)> + '_ {
        self.by_id.iter().map(|(&id, &bone)| (id, bone))
    }

    /// Returns the model index of the bone at a file index.
    pub(super) fn at(&self, file_index: usize) -> Option<usize> {
        self.to_new.get(file_index).copied()
    }

    /// Resolves a bone reference: -1 is `None`, an unknown id is `None` with a warning.
    pub(super) fn refer(
        &self,
        object: &Object<'_>,
        key: &str,
        warnings: &mut Warnings,
    ) -> Option<usize> {
        let id = object.int(warnings, key)?;
        let found = self.find(id);
        if found.is_none() && id != -1 {
            warnings.add(object.place, key, format!("there is no bone {id}; ignored"));
        }
        found
    }
}

/// Reads bones and sorts parents before children. Returns the file's objects in the same order.
pub(super) fn read<'a>(
    file_bones: &[Object<'a>],
    warnings: &mut Warnings,
) -> (Vec<Object<'a>>, BoneIds, Vec<BoneData>) {
    let mut by_id = HashMap::new();
    for (index, bone) in file_bones.iter().enumerate() {
        let id = bone
            .int(warnings, "id")
            .or_else(|| bone.int(warnings, "_idx"));
        let id = id.unwrap_or(index as i64);
        if by_id.insert(id, index).is_some() {
            let problem = format!("{id} is the id of an earlier bone too; references use this one");
            warnings.add(bone.place, "id", problem);
        }
    }
    let mut ids = BoneIds {
        by_id,
        to_new: Vec::new(),
    };
    let mut parents: Vec<Option<usize>> = file_bones
        .iter()
        .map(|bone| {
            let key = if bone.get("parent_id").is_some() {
                "parent_id"
            } else {
                "parent_idx"
            };
            ids.refer(bone, key, warnings)
        })
        .collect();
    let names: Vec<String> = file_bones.iter().map(|bone| bone.name(warnings)).collect();
    let order = order(&mut parents, &names, warnings);
    for index in ids.by_id.values_mut() {
        *index = order.to_new[*index];
    }

    let bones = order.from_file.iter().map(|&old| {
        let parent = parents[old].map(|parent| order.to_new[parent]);
        read_bone(&file_bones[old], &names[old], parent, warnings)
    });
    let bones = bones.collect();
    let file_bones = order.from_file.iter().map(|&old| file_bones[old]).collect();
    ids.to_new = order.to_new;
    (file_bones, ids, bones)
}

/// Reads a bone at rest.
///
/// `init_pos` and the other `init_` fields are copies that the editor writes for runtimes and never reads, so they
/// are ignored here too.
fn read_bone(
    bone: &Object<'_>,
    name: &str,
    parent: Option<usize>,
    warnings: &mut Warnings,
) -> BoneData {
    let mut vec2 = |key: &str, default: Vec2| {
        let value = bone.vec2(warnings, key, default);
        value.unwrap_or(default)
    };
    let position = vec2("pos", Vec2::ZERO);
    let scale = vec2("scale", Vec2::ONE);
    let rotation = bone.number(warnings, "rot");
    let hidden = ["hidden", "is_hidden"]
        .into_iter()
        .find_map(|key| bone.flag(warnings, key));
    BoneData {
        name: name.to_owned(),
        parent,
        position,
        rotation: rotation.unwrap_or(0.0),
        scale,
        hidden: hidden.unwrap_or(false),
        ..BoneData::default()
    }
}
