//! Physics of bones, from their table (since 0.5.3) or from the bones.

use super::SkfError;
use super::json::Object;
use super::visuals::{claim, name_copies, own_each};
use crate::Warnings;
use crate::limits::MAX_BONES;
use sinew::glam::Vec2;
use sinew::skelform::{BoneData, PhysicsData, PhysicsState};

/// Fields of 0.4 for an algorithm that later editors removed.
const RETIRED: [&str; 4] = [
    "phys_pos_elasticity",
    "phys_rot_resistance",
    "phys_rot_velocity",
    "phys_scale_elasticity",
];

/// Reads physics and sets the references of bones to it.
pub(super) fn read(
    body: &Object<'_>,
    file_bones: &[Object<'_>],
    bones: &mut [BoneData],
    warnings: &mut Warnings,
) -> Result<Vec<PhysicsData>, SkfError> {
    let mut physics = Vec::new();
    if body.get("physics").is_some() {
        for entry in body.table("physics", "physics", MAX_BONES)? {
            physics.push(read_physics(&entry, "", warnings));
        }
        for (bone, file_bone) in bones.iter_mut().zip(file_bones) {
            bone.physics = claim(file_bone, "physics_id", physics.len(), warnings);
        }
        let copy = |&entry: &PhysicsData| Ok(entry);
        let copied = own_each(bones, &mut physics, |bone| &mut bone.physics, copy)?;
        name_copies(&copied, file_bones, "physics_id", warnings);
        return Ok(physics);
    }
    for (bone, file_bone) in bones.iter_mut().zip(file_bones) {
        for field in RETIRED {
            if file_bone
                .number(warnings, field)
                .is_some_and(|value| value != 0.0)
            {
                warnings.add(file_bone.place, field, "physics of 0.4 alone; ignored");
            }
        }
        let read = read_physics(file_bone, "phys_", warnings);
        let springs = [
            read.position_damping,
            read.rotation_damping,
            read.scale_damping,
            read.sway,
        ];
        if springs.iter().any(|&spring| spring > 0.0) {
            bone.physics = Some(physics.len());
            physics.push(read);
        }
    }
    Ok(physics)
}

fn read_physics(entry: &Object<'_>, prefix: &str, warnings: &mut Warnings) -> PhysicsData {
    let key = |name: &str| format!("{prefix}{name}");
    let mut number = |name: &str| entry.number(warnings, &key(name)).unwrap_or(0.0);
    let mut data = PhysicsData {
        position_damping: number("pos_damping"),
        position_ratio: number("pos_ratio"),
        rotation_damping: number("rot_damping"),
        scale_damping: number("scale_damping"),
        scale_ratio: number("scale_ratio"),
        sway: number("sway"),
        rotation_bounce: number("rot_bounce"),
        start: PhysicsState {
            rotation: number("global_rot"),
            orbit: number("global_orbit"),
            orbit_lead: number("global_orbit_diff"),
            orbit_velocity: number("global_orbit_vel"),
            ..PhysicsState::default()
        },
    };
    let mut vec2 = |name: &str| {
        entry
            .vec2(warnings, &key(name), Vec2::ZERO)
            .unwrap_or(Vec2::ZERO)
    };
    data.start.position = vec2("global_pos");
    data.start.scale = vec2("global_scale");
    data
}
