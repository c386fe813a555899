//! Writing a character as the newest `.skf` layout.

use super::SkfError;
use super::zip_writer::ZipWriter;
use crate::file::{FileError, WriteError, save};
use serde_json::{Map, Value, json};
use sinew::glam::{UVec2, Vec2};
use sinew::skelform::curve::{Ease, Handles, Preset};
use sinew::skelform::{
    AnimationData, Armature, ArmatureData, BoneData, Element, IkFamilyData, KeyData, MeshData,
    PhysicsData, StyleData, Tint, VisualData,
};
use std::collections::HashMap;
use std::path::Path;

/// Version of the written layout, regardless of the version that was read: editors migrate a file by this string.
const VERSION: &str = "0.7.0";

/// The same layout, for characters whose children invert rotations under a mirrored parent.
const MIRRORED_VERSION: &str = "0.8.0";

/// Easing name of a preset without handles.
const CUSTOM: &str = "Custom";

/// Writes a `.skf` file; see [`write_bytes`].
///
/// # Errors
/// The errors of [`write_bytes`], and if the file cannot be written.
pub fn write(
    path: impl AsRef<Path>,
    data: &ArmatureData,
    pictures: &[Vec<u8>],
) -> Result<(), FileError<WriteError>> {
    save(path.as_ref(), write_bytes(data, pictures))
}

/// Returns the bytes of a `.skf` archive: the same character always gives the same bytes.
///
/// `pictures` are the PNG files of `data.atlases`, in the same order. They are compressed already, so they are
/// stored; text is deflated.
///
/// The format cannot represent everything. The version is that of the layout, 0.7.0, or 0.8.0 with
/// `mirrored_rotation`. Worn styles are a flag of each style, so they are read back in the order of the style list;
/// if none is worn, readers choose: the one named Default, else all. Families that begin with the same bone are
/// disabled together.
///
/// # Errors
/// [`SkfError::Armature`] if the character breaks a rule of [`Armature::new`], [`SkfError::Pictures`] if the numbers
/// of pictures and atlases differ, and [`SkfError::Archive`] if the archive cannot be built, for example if two
/// atlases have the same name.
pub fn write_bytes(data: &ArmatureData, pictures: &[Vec<u8>]) -> Result<Vec<u8>, SkfError> {
    Armature::new(data.clone())?;
    if pictures.len() != data.atlases.len() {
        return Err(SkfError::Pictures {
            atlases: data.atlases.len(),
            pictures: pictures.len(),
        });
    }
    let mut zip = ZipWriter::default();
    for (name, json) in [
        ("armature.json", armature(data)),
        ("editor.json", editor(data)),
    ] {
        zip.deflate(name, json.to_string().as_bytes())
            .map_err(SkfError::Archive)?;
    }
    for (atlas, picture) in data.atlases.iter().zip(pictures) {
        zip.store(&atlas.filename, picture)
            .map_err(SkfError::Archive)?;
    }
    zip.finish().map_err(SkfError::Archive)
}

fn armature(data: &ArmatureData) -> Value {
    let bones = data.bones.iter().enumerate();
    let families = data.ik_families.iter().enumerate();
    let animations = data.animations.iter().enumerate();
    let styles = data.styles.iter().enumerate();
    json!({
        "version": if data.mirrored_rotation { MIRRORED_VERSION } else { VERSION },
        "baked_ik": data.baked_ik,
        "img_format": "PNG",
        "bones": bones.map(|(id, b)| bone(id, b)).collect::<Vec<_>>(),
        "animations": animations.map(|(id, a)| animation_json(id, a)).collect::<Vec<_>>(),
        "atlases": data.atlases.iter().map(|atlas| {
            json!({ "filename": atlas.filename, "size": pixels(atlas.size) })
        }).collect::<Vec<_>>(),
        "styles": styles.map(|(id, s)| style(id, s)).collect::<Vec<_>>(),
        "visuals": data.visuals.iter().map(visual).collect::<Vec<_>>(),
        "inverse_kinematics": families.map(|(id, f)| family(id, f)).collect::<Vec<_>>(),
        "physics": data.physics.iter().map(physics).collect::<Vec<_>>(),
    })
}

fn editor(data: &ArmatureData) -> Value {
    let disabled = |bone: usize| {
        data.ik_families
            .iter()
            .any(|f| !f.enabled && f.bones.first() == Some(&bone))
    };
    let bones = (0..data.bones.len()).map(|bone| json!({ "ik_disabled": disabled(bone) }));
    let worn = |style: usize| data.default_styles.contains(&style);
    let styles = (0..data.styles.len()).map(|style| json!({ "active": worn(style) }));
    json!({ "bones": bones.collect::<Vec<_>>(), "styles": styles.collect::<Vec<_>>() })
}

fn vec2(v: Vec2) -> Value {
    json!({ "x": v.x, "y": v.y })
}

fn pixels(v: UVec2) -> Value {
    json!({ "x": v.x, "y": v.y })
}

/// Returns an index of the format: -1 for `None`.
fn id(index: Option<usize>) -> i64 {
    index
        .and_then(|index| i64::try_from(index).ok())
        .unwrap_or(-1)
}

fn bone(index: usize, bone: &BoneData) -> Value {
    let mut json = json!({
        "id": index,
        "name": bone.name,
        "parent_id": id(bone.parent),
        "pos": vec2(bone.position),
        "scale": vec2(bone.scale),
        "rot": bone.rotation,
        "init_pos": vec2(bone.position),
        "init_rot": bone.rotation,
        "init_scale": vec2(bone.scale),
        "ik_family_id": id(bone.ik_family),
        "physics_id": id(bone.physics),
        "visuals_id": id(bone.visual),
    });
    if bone.hidden {
        json["hidden"] = true.into();
        json["init_hidden"] = true.into();
    }
    json
}

fn visual(visual: &VisualData) -> Value {
    let mut json = json!({
        "tex": visual.texture,
        "init_tex": visual.texture,
        "zindex": visual.zindex,
        "init_zindex": visual.zindex,
        "pivot_pos": vec2(visual.pivot_position),
        "pivot_rot": visual.pivot_rotation,
        "pivot_scale": vec2(visual.pivot_scale),
    });
    if visual.tint != Tint::WHITE {
        let Tint { r, g, b, a } = visual.tint;
        let tint = json!({ "r": r, "g": g, "b": b, "a": a });
        json["tint"] = tint.clone();
        json["init_tint"] = tint;
    }
    if let Some(mesh) = &visual.mesh {
        add_mesh(mesh, &mut json);
    }
    json
}

fn add_mesh(mesh: &MeshData, json: &mut Value) {
    let vertices = mesh.vertices.iter().enumerate().map(|(id, vertex)| {
        let position = vec2(vertex.position);
        json!({ "id": id, "pos": position, "uv": vec2(vertex.uv), "init_pos": position })
    });
    let binds = mesh.binds.iter().map(|bind| {
        let verts = bind
            .vertices
            .iter()
            .map(|(id, weight)| json!({ "id": id, "weight": weight }));
        json!({
            "bone_id": id(bind.bone),
            "is_path": bind.is_path,
            "verts": verts.collect::<Vec<_>>(),
        })
    });
    json["vertices"] = vertices.collect();
    json["indices"] = mesh.indices.iter().copied().collect();
    json["binds"] = binds.collect();
}

fn family(index: usize, family: &IkFamilyData) -> Value {
    json!({
        "id": index,
        "constraint": family.constraint.name(),
        "init_constraint": family.constraint.name(),
        "mode": family.mode.name(),
        "init_mode": family.mode.name(),
        "mimic_target": family.mimic_target,
        "init_mimic_target": family.mimic_target,
        "target_id": id(family.target),
        "bone_ids": family.bones,
    })
}

fn physics(physics: &PhysicsData) -> Value {
    json!({
        "global_pos": vec2(physics.start.position),
        "global_rot": physics.start.rotation,
        "global_scale": vec2(physics.start.scale),
        "global_orbit": physics.start.orbit,
        "global_orbit_diff": physics.start.orbit_lead,
        "global_orbit_vel": physics.start.orbit_velocity,
        "pos_damping": physics.position_damping,
        "pos_ratio": physics.position_ratio,
        "rot_damping": physics.rotation_damping,
        "rot_bounce": physics.rotation_bounce,
        "scale_damping": physics.scale_damping,
        "scale_ratio": physics.scale_ratio,
        "sway": physics.sway,
    })
}

fn style(index: usize, style: &StyleData) -> Value {
    let textures = style.textures.iter().map(|texture| {
        json!({
            "name": texture.name,
            "offset": pixels(texture.offset),
            "size": pixels(texture.size),
            "atlas_idx": texture.atlas,
        })
    });
    json!({ "id": index, "name": style.name, "textures": textures.collect::<Vec<_>>() })
}

/// Returns an animation as the newest version has it, its keys in the order of time.
pub(super) fn animation_json(index: usize, animation: &AnimationData) -> Value {
    // Editors sort keys by frame; `next_kf` is an index in that order.
    let mut keys: Vec<&KeyData> = animation.keys.iter().collect();
    keys.sort_by_key(|key| key.frame);
    let mut next: Vec<Option<usize>> = vec![None; keys.len()];
    let mut later: HashMap<(usize, Element), usize> = HashMap::new();
    for (index, key) in keys.iter().enumerate().rev() {
        // The next key of this track; a key at the same frame has the same successor.
        if let Some(after) = later.insert((key.bone, key.element), index) {
            next[index] = if keys[after].frame > key.frame {
                Some(after)
            } else {
                next[after]
            };
        }
    }
    let keys: Vec<Value> = keys
        .iter()
        .zip(next)
        .map(|(key, next)| keyframe(key, id(next)))
        .collect();
    json!({ "id": index, "name": animation.name, "fps": animation.frame_rate, "keyframes": keys })
}

fn keyframe(key: &KeyData, next: i64) -> Value {
    let (preset, handles) = easing(key.ease);
    let mut json = Map::new();
    json.insert("frame".into(), key.frame.into());
    json.insert("bone_id".into(), key.bone.into());
    json.insert("element".into(), key.element.name().into());
    json.insert("value".into(), key.value.into());
    if !key.text.is_empty() {
        json.insert("value_str".into(), key.text.as_str().into());
    }
    json.insert("start_handle".into(), vec2(handles.start));
    json.insert("end_handle".into(), vec2(handles.end));
    json.insert("handle_preset".into(), preset.into());
    json.insert("next_kf".into(), next.into());
    json.into()
}

fn easing(ease: Ease) -> (&'static str, Handles) {
    match ease {
        Ease::Step => (Preset::Snap.name(), Preset::Snap.handles()),
        Ease::Linear => (Preset::Linear.name(), Preset::Linear.handles()),
        Ease::Bezier(handles) => {
            let preset = Preset::ALL
                .into_iter()
                .find(|preset| preset.handles() == handles);
            (preset.map_or(CUSTOM, Preset::name), handles)
        }
    }
}
