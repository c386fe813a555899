//! Validation of an armature, done once at construction, so playback cannot fail.

use super::{ArmatureData, ArmatureError, MeshData, PhysicsData, VisualData};
use crate::skelform::curve::{Ease, Handles};
use alloc::vec;
use glam::Vec2;

/// The maximum number of bones, visuals or keys. Flat field indices (five per bone) must fit 32 bits; real characters
/// have fewer than a hundred bones.
const MAX_ENTRIES: usize = 1 << 24;

/// Returns the first error in `data`, if any.
pub(super) fn check(data: &ArmatureData) -> Result<(), ArmatureError> {
    check_counts(data)?;
    check_bones(data)?;
    for (index, visual) in data.visuals.iter().enumerate() {
        check_visual(data, index, visual)?;
    }
    check_ik(data)?;
    for (index, physics) in data.physics.iter().enumerate() {
        check_physics(index, physics)?;
    }
    for (index, animation) in data.animations.iter().enumerate() {
        check_count("keys", animation.keys.len())?;
        for key in &animation.keys {
            check_index("animation", index, "key bone", key.bone, data.bones.len())?;
            check_finite("animation", index, "key value", key.value)?;
            if let Ease::Bezier(Handles { start, end }) = key.ease {
                check_finite2("animation", index, "key handle", start)?;
                check_finite2("animation", index, "key handle", end)?;
            }
        }
    }
    for (index, style) in data.styles.iter().enumerate() {
        for texture in &style.textures {
            check_index(
                "style",
                index,
                "texture atlas",
                texture.atlas,
                data.atlases.len(),
            )?;
        }
    }
    for (index, &style) in data.default_styles.iter().enumerate() {
        check_index("default style", index, "style", style, data.styles.len())?;
    }
    Ok(())
}

fn check_counts(data: &ArmatureData) -> Result<(), ArmatureError> {
    check_count("bones", data.bones.len())?;
    check_count("visuals", data.visuals.len())?;
    check_count("IK families", data.ik_families.len())?;
    check_count("physics entries", data.physics.len())?;
    check_count("animations", data.animations.len())?;
    check_count("styles", data.styles.len())
}

fn check_bones(data: &ArmatureData) -> Result<(), ArmatureError> {
    let mut visual_taken = vec![false; data.visuals.len()];
    let mut physics_taken = vec![false; data.physics.len()];
    for (index, bone) in data.bones.iter().enumerate() {
        if let Some(parent) = bone.parent {
            check_index("bone", index, "parent", parent, data.bones.len())?;
            if parent >= index {
                return Err(ArmatureError::ParentOrder {
                    bone: index,
                    parent,
                });
            }
        }
        check_finite2("bone", index, "position", bone.position)?;
        check_finite("bone", index, "rotation", bone.rotation)?;
        check_finite2("bone", index, "scale", bone.scale)?;
        if let Some(family) = bone.ik_family {
            check_index("bone", index, "ik_family", family, data.ik_families.len())?;
        }
        for (field, value, used) in [
            ("visual", bone.visual, &mut visual_taken),
            ("physics", bone.physics, &mut physics_taken),
        ] {
            let Some(value) = value else { continue };
            check_index("bone", index, field, value, used.len())?;
            if core::mem::replace(&mut used[value], true) {
                return Err(ArmatureError::Shared {
                    bone: index,
                    field,
                    value,
                });
            }
        }
    }
    Ok(())
}

fn check_visual(
    data: &ArmatureData,
    index: usize,
    visual: &VisualData,
) -> Result<(), ArmatureError> {
    let tint = [visual.tint.r, visual.tint.g, visual.tint.b, visual.tint.a];
    for channel in tint {
        check_finite("visual", index, "tint", channel)?;
    }
    check_finite2("visual", index, "pivot_position", visual.pivot_position)?;
    check_finite("visual", index, "pivot_rotation", visual.pivot_rotation)?;
    check_finite2("visual", index, "pivot_scale", visual.pivot_scale)?;
    visual
        .mesh
        .as_ref()
        .map_or(Ok(()), |mesh| check_mesh(data, index, mesh))
}

fn check_mesh(data: &ArmatureData, visual: usize, mesh: &MeshData) -> Result<(), ArmatureError> {
    let vertices = mesh.vertices.len();
    check_count("mesh vertices", vertices)?;
    for vertex in &mesh.vertices {
        check_finite2("visual", visual, "vertex position", vertex.position)?;
        check_finite2("visual", visual, "vertex uv", vertex.uv)?;
    }
    if !mesh.indices.len().is_multiple_of(3) {
        return Err(ArmatureError::PartialTriangle {
            visual,
            count: mesh.indices.len(),
        });
    }
    for &index in &mesh.indices {
        check_index("visual", visual, "mesh index", index as usize, vertices)?;
    }
    for bind in &mesh.binds {
        if let Some(bone) = bind.bone {
            check_index("visual", visual, "bind bone", bone, data.bones.len())?;
        }
        for &(vertex, weight) in &bind.vertices {
            check_index("visual", visual, "bind vertex", vertex as usize, vertices)?;
            check_finite("visual", visual, "bind weight", weight)?;
        }
    }
    Ok(())
}

fn check_ik(data: &ArmatureData) -> Result<(), ArmatureError> {
    let mut in_chain = vec![usize::MAX; data.bones.len()];
    for (index, family) in data.ik_families.iter().enumerate() {
        if let Some(target) = family.target {
            check_index("IK family", index, "target", target, data.bones.len())?;
        }
        for &bone in &family.bones {
            check_index("IK family", index, "bone", bone, data.bones.len())?;
            if core::mem::replace(&mut in_chain[bone], index) == index {
                return Err(ArmatureError::RepeatedBone {
                    family: index,
                    bone,
                });
            }
        }
    }
    Ok(())
}

fn check_physics(index: usize, physics: &PhysicsData) -> Result<(), ArmatureError> {
    let start = &physics.start;
    for (field, value) in [
        ("position_damping", physics.position_damping),
        ("position_ratio", physics.position_ratio),
        ("rotation_damping", physics.rotation_damping),
        ("scale_damping", physics.scale_damping),
        ("scale_ratio", physics.scale_ratio),
        ("sway", physics.sway),
        ("rotation_bounce", physics.rotation_bounce),
        ("start rotation", start.rotation),
        ("start orbit", start.orbit),
        ("start orbit_lead", start.orbit_lead),
        ("start orbit_velocity", start.orbit_velocity),
    ] {
        check_finite("physics", index, field, value)?;
    }
    check_finite2("physics", index, "start position", start.position)?;
    check_finite2("physics", index, "start scale", start.scale)
}

fn check_index(
    what: &'static str,
    index: usize,
    field: &'static str,
    value: usize,
    count: usize,
) -> Result<(), ArmatureError> {
    if value < count {
        Ok(())
    } else {
        Err(ArmatureError::OutOfRange {
            what,
            index,
            field,
            value,
            count,
        })
    }
}

fn check_finite(
    what: &'static str,
    index: usize,
    field: &'static str,
    value: f32,
) -> Result<(), ArmatureError> {
    if value.is_finite() {
        Ok(())
    } else {
        Err(ArmatureError::NotFinite { what, index, field })
    }
}

fn check_finite2(
    what: &'static str,
    index: usize,
    field: &'static str,
    value: Vec2,
) -> Result<(), ArmatureError> {
    check_finite(what, index, field, value.x).and(check_finite(what, index, field, value.y))
}

fn check_count(what: &'static str, count: usize) -> Result<(), ArmatureError> {
    if count <= MAX_ENTRIES {
        Ok(())
    } else {
        Err(ArmatureError::TooMany { what, count })
    }
}
