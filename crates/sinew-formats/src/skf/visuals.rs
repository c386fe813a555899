//! Visuals of bones: texture, tint, draw order, pivot, mesh.

use super::SkfError;
use super::archive::check_size;
use super::bones::BoneIds;
use super::fields::report_misnamed_bind;
use super::json::Object;
use super::textures::name_on_bone;
use crate::Warnings;
use crate::limits::{MAX_BONES, MAX_MESH_ENTRIES};
use serde_json::Value;
use sinew::glam::Vec2;
use sinew::skelform::{
    ArmatureData, BindData, BoneData, Element, MeshData, StyleData, Tint, VertexData, VisualData,
};

/// Z-index that the editor gives bones without a texture.
const UNSEEN_ZINDEX: i32 = -1;

/// Differences between visuals in a table and visuals on their bones.
#[derive(Clone, Copy)]
struct VisualLayout {
    /// Default z-index.
    zindex: i32,
    /// Names of the pivot's position; the first one present is used.
    pivot_position: &'static [&'static str],
}

/// Since 0.5.3. Files of June 2026 call the pivot's position `pivot`.
const TABLE: VisualLayout = VisualLayout {
    zindex: 0,
    pivot_position: &["pivot_pos", "pivot"],
};

/// Before 0.5.3. A bone's `pivot` is that of 0.1 and means something else, which no later editor shows.
const ON_BONE: VisualLayout = VisualLayout {
    zindex: UNSEEN_ZINDEX,
    pivot_position: &["pivot_pos"],
};

/// Reads visuals from their table (since 0.5.3) or from the bones, and sets the references of bones to them.
pub(super) fn read(
    body: &Object<'_>,
    file_bones: &[Object<'_>],
    ids: &BoneIds,
    styles: &[StyleData],
    bones: &mut [BoneData],
    warnings: &mut Warnings,
) -> Result<Vec<VisualData>, SkfError> {
    let mut budget = MeshBudget::default();
    let mut visuals = Vec::new();
    if body.get("visuals").is_some() {
        for visual in body.table("visuals", "visual", MAX_BONES)? {
            let texture = visual.text(warnings, "tex").unwrap_or_default();
            visuals.push(read_visual(
                &visual,
                texture,
                TABLE,
                ids,
                &mut budget,
                warnings,
            )?);
        }
        for (bone, file_bone) in bones.iter_mut().zip(file_bones) {
            bone.visual = claim(file_bone, "visuals_id", visuals.len(), warnings);
        }
        let copy = |visual: &VisualData| budget.copy(visual);
        let copied = own_each(bones, &mut visuals, |bone| &mut bone.visual, copy)?;
        name_copies(&copied, file_bones, "visuals_id", warnings);
    } else {
        for (bone, file_bone) in bones.iter_mut().zip(file_bones) {
            let texture = name_on_bone(file_bone, styles, warnings);
            let has_mesh = file_bone.get("vertices").is_some();
            if !texture.is_empty() || has_mesh {
                bone.visual = Some(visuals.len());
                visuals.push(read_visual(
                    file_bone,
                    texture,
                    ON_BONE,
                    ids,
                    &mut budget,
                    warnings,
                )?);
            }
        }
    }
    Ok(visuals)
}

/// Resolves the table entry of a bone: -1 is `None`, an index past the end is `None` with a warning.
pub(super) fn claim(
    bone: &Object<'_>,
    key: &str,
    count: usize,
    warnings: &mut Warnings,
) -> Option<usize> {
    let id = bone.int(warnings, key)?;
    let found = usize::try_from(id).ok().filter(|&id| id < count);
    if found.is_none() && id != -1 {
        warnings.add(
            bone.place,
            key,
            format!("{id} is not in the table of {count}; ignored"),
        );
    }
    found
}

/// Gives a bone that shares its entry with an earlier bone a copy. Returns these bones.
pub(super) fn own_each<T>(
    bones: &mut [BoneData],
    entries: &mut Vec<T>,
    reference: impl Fn(&mut BoneData) -> &mut Option<usize>,
    mut copy: impl FnMut(&T) -> Result<T, SkfError>,
) -> Result<Vec<usize>, SkfError> {
    let mut taken = vec![false; entries.len()];
    let mut copied = Vec::new();
    for (index, bone) in bones.iter_mut().enumerate() {
        let Some(entry) = reference(bone) else {
            continue;
        };
        if std::mem::replace(&mut taken[*entry], true) {
            entries.push(copy(&entries[*entry])?);
            taken.push(true);
            *entry = entries.len() - 1;
            copied.push(index);
        }
    }
    Ok(copied)
}

/// Warns of the bones that got a copy of an entry, referred to by `key`.
pub(super) fn name_copies(
    copied: &[usize],
    file_bones: &[Object<'_>],
    key: &str,
    warnings: &mut Warnings,
) {
    for &bone in copied {
        let problem = "an earlier bone has it too; this one has a copy";
        warnings.add(file_bones[bone].place, key, problem);
    }
}

/// Numbers of mesh entries that were read so far.
#[derive(Default)]
struct MeshBudget {
    vertices: usize,
    indices: usize,
    bound: usize,
}

impl MeshBudget {
    fn check(&self) -> Result<(), SkfError> {
        let limit = MAX_MESH_ENTRIES as u64;
        check_size("the number of mesh vertices", self.vertices as u64, limit)?;
        check_size("the number of mesh indices", self.indices as u64, limit)?;
        check_size("the number of bound vertices", self.bound as u64, limit)
    }

    /// Copies a visual, whose mesh counts like one that was read.
    fn copy(&mut self, visual: &VisualData) -> Result<VisualData, SkfError> {
        if let Some(mesh) = &visual.mesh {
            let bound = mesh.binds.iter().map(|bind| 1 + bind.vertices.len());
            self.vertices += mesh.vertices.len();
            self.indices += mesh.indices.len();
            self.bound += bound.sum::<usize>();
            self.check()?;
        }
        Ok(visual.clone())
    }
}

fn read_visual(
    visual: &Object<'_>,
    texture: String,
    layout: VisualLayout,
    ids: &BoneIds,
    budget: &mut MeshBudget,
    warnings: &mut Warnings,
) -> Result<VisualData, SkfError> {
    let tint = visual.tint(warnings, "tint");
    let zindex = visual.int(warnings, "zindex").map_or(layout.zindex, |z| {
        z.clamp(i32::MIN.into(), i32::MAX.into()) as i32
    });
    let pivot_position = layout
        .pivot_position
        .iter()
        .find_map(|key| visual.vec2(warnings, key, Vec2::ZERO));
    Ok(VisualData {
        texture,
        tint: tint.unwrap_or(Tint::WHITE),
        zindex,
        pivot_position: pivot_position.unwrap_or(Vec2::ZERO),
        pivot_rotation: visual.number(warnings, "pivot_rot").unwrap_or(0.0),
        pivot_scale: visual
            .vec2(warnings, "pivot_scale", Vec2::ONE)
            .unwrap_or(Vec2::ONE),
        mesh: read_mesh(visual, ids, budget, warnings)?,
    })
}

fn read_mesh(
    visual: &Object<'_>,
    ids: &BoneIds,
    budget: &mut MeshBudget,
    warnings: &mut Warnings,
) -> Result<Option<MeshData>, SkfError> {
    if visual.list("vertices")?.is_empty() {
        return Ok(None);
    }
    budget.vertices += visual.list("vertices")?.len();
    budget.indices += visual.list("indices")?.len();
    budget.bound += visual.list("binds")?.len();
    budget.check()?;
    let vertices = visual.objects("vertices", "vertex")?;
    let vertices: Vec<VertexData> = vertices
        .iter()
        .map(|vertex| {
            let position = vertex.vec2(warnings, "pos", Vec2::ZERO);
            VertexData {
                position: position.unwrap_or(Vec2::ZERO),
                uv: vertex
                    .vec2(warnings, "uv", Vec2::ZERO)
                    .unwrap_or(Vec2::ZERO),
            }
        })
        .collect();
    let indices = read_indices(visual, vertices.len(), warnings)?;
    let mut binds = Vec::new();
    for bind in visual.objects("binds", "bind")? {
        budget.bound += bind.list("verts")?.len();
        budget.check()?;
        binds.push(read_bind(&bind, ids, vertices.len(), warnings)?);
    }
    Ok(Some(MeshData {
        vertices,
        indices,
        binds,
    }))
}

/// Reads complete triangles between existing vertices; others are discarded.
fn read_indices(
    visual: &Object<'_>,
    vertices: usize,
    warnings: &mut Warnings,
) -> Result<Vec<u32>, SkfError> {
    let list = visual.list("indices")?;
    let corner = |value: &Value| {
        let index = value.as_u64().and_then(|i| u32::try_from(i).ok())?;
        ((index as usize) < vertices).then_some(index)
    };
    let triangles = list.chunks_exact(3);
    let partial = !triangles.remainder().is_empty();
    let count = triangles.len();
    let whole: Vec<[u32; 3]> = triangles
        .filter_map(|t| Some([corner(&t[0])?, corner(&t[1])?, corner(&t[2])?]))
        .collect();
    if partial || whole.len() < count {
        let problem = format!("{} of {count} triangles can be drawn", whole.len());
        warnings.add(visual.place, "indices", problem);
    }
    Ok(whole.into_iter().flatten().collect())
}

fn read_bind(
    bind: &Object<'_>,
    ids: &BoneIds,
    vertices: usize,
    warnings: &mut Warnings,
) -> Result<BindData, SkfError> {
    report_misnamed_bind(bind, warnings);
    let mut bound = Vec::new();
    for vertex in bind.objects("verts", "bound vertex")? {
        let id = vertex.int(warnings, "id").unwrap_or(-1);
        match u32::try_from(id)
            .ok()
            .filter(|&id| (id as usize) < vertices)
        {
            Some(id) => bound.push((id, vertex.number(warnings, "weight").unwrap_or(0.0))),
            None => {
                let problem = format!("there is no vertex {id}; ignored");
                warnings.add(bind.place, "verts", problem);
            }
        }
    }
    Ok(BindData {
        bone: ids.refer(bind, "bone_id", warnings),
        is_path: bind.flag(warnings, "is_path").unwrap_or(false),
        vertices: bound,
    })
}

/// Adds visuals for bones with texture keys: the editor exports none for a bone that has a texture only through keys,
/// but shows it.
pub(super) fn add_for_texture_keys(data: &mut ArmatureData) {
    let keys = data.animations.iter().flat_map(|animation| &animation.keys);
    for key in keys.filter(|key| key.element == Element::Texture && !key.text.is_empty()) {
        let bone = &mut data.bones[key.bone];
        if bone.visual.is_none() {
            bone.visual = Some(data.visuals.len());
            data.visuals.push(VisualData {
                zindex: UNSEEN_ZINDEX,
                ..VisualData::default()
            });
        }
    }
}
