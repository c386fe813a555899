//! Inheritance: world transforms of children from their parents.
//!
//! ```text
//! rotation = local · parent,   scale = local * parent,   position = parent + R_parent (local * scale_parent)
//! ```
//!
//! Scales multiply by component and do not shear, as in SkelForm's editor. Bones are ordered with parents first, so a
//! pass is one loop. There are up to three: of all bones, then of what IK moves, then of what physics moves; IK and
//! physics start from the inherited pose and replace world transforms, which children must inherit again. The passes are
//! the same code, specialized by constants, so that the first has no branches for the other two.

use super::armature_pose::{ArmaturePose, BonePose, is_facing_left};
use super::plan::{NONE, Plan};
use crate::math::Rotor;
use crate::skelform::{BoneState, PhysicsState};

/// The overrides of a bone's own rotation, position and scale.
#[derive(Clone, Copy)]
pub(super) enum Overrides<'a> {
    None,
    Ik,
    IkAndPhysics(&'a [PhysicsState]),
}

/// Converts each bone's angle to a rotor, once for all passes.
pub(super) fn local_rotors(plan: &Plan, bones: &[BoneState], local: &mut [Rotor]) {
    for ((bone, plan), local) in bones.iter().zip(&plan.bones).zip(local) {
        *local = if bone.rotation == plan.rest_rotation {
            plan.rest_rotor
        } else {
            Rotor::from_angle(bone.rotation)
        };
    }
}

/// Computes every bone that `overrides` may change, parents first.
pub(super) fn inherit(
    plan: &Plan,
    bones: &[BoneState],
    overrides: Overrides<'_>,
    out: &mut ArmaturePose,
) {
    match overrides {
        Overrides::None => pass::<false, false>(plan, bones, &[], 0..plan.bones.len(), out),
        Overrides::Ik => {
            pass::<true, false>(plan, bones, &[], indices(&plan.moved_by_ik), out);
        }
        Overrides::IkAndPhysics(physics) => {
            pass::<true, true>(plan, bones, physics, indices(&plan.moved_by_physics), out);
        }
    }
}

fn indices(bones: &[u32]) -> impl Iterator<Item = usize> + '_ {
    bones.iter().map(|&bone| bone as usize)
}

fn pass<const IK: bool, const PHYSICS: bool>(
    plan: &Plan,
    bones: &[BoneState],
    physics: &[PhysicsState],
    which: impl Iterator<Item = usize>,
    out: &mut ArmaturePose,
) {
    let ArmaturePose {
        bones: world_bones,
        local,
        ik,
        mirrored_rotation,
        ..
    } = out;
    for index in which {
        let (bone, bone_plan) = (&bones[index], &plan.bones[index]);
        let spring = if PHYSICS { bone_plan.physics } else { NONE };
        let mut world = BonePose {
            position: bone.position,
            rotor: local[index],
            scale: bone.scale,
        };
        if bone_plan.parent != NONE {
            let parent = world_bones[bone_plan.parent as usize];
            // A swaying bone lags behind its parent's rotation: its whole subtree rotates about the parent by -lead.
            let mut orbit = parent.rotor;
            if spring != NONE && plan.physics[spring as usize].data.sway > 0.0 {
                let lead = physics[spring as usize].orbit_lead;
                orbit = orbit.then(Rotor::from_angle(-lead));
            }
            // In a mirrored parent a counter-clockwise rotation is shown clockwise.
            if *mirrored_rotation && is_facing_left(parent.scale) {
                world.rotor = world.rotor.inverse();
            }
            world.rotor = world.rotor.then(orbit);
            world.scale *= parent.scale;
            world.position = orbit.rotate(world.position * parent.scale) + parent.position;
        }
        if IK && let Some(rotor) = ik[index] {
            world.rotor = rotor;
        }
        if spring != NONE {
            let data = &plan.physics[spring as usize].data;
            let state = &physics[spring as usize];
            if data.rotation_damping > 0.0 {
                world.rotor = Rotor::from_angle(state.rotation);
            }
            if data.position_damping > 0.0 {
                world.position = state.position;
            }
            if data.scale_damping > 0.0 {
                world.scale = state.scale;
            }
        }
        world_bones[index] = world;
    }
}

/// Marks a bone as hidden if it or an ancestor is.
pub(super) fn hide(plan: &Plan, is_hidden: &[bool], hidden: &mut [bool]) {
    for (index, (&bone_hidden, bone)) in is_hidden.iter().zip(&plan.bones).enumerate() {
        let by_parent = bone.parent != NONE && hidden[bone.parent as usize];
        hidden[index] = bone_hidden || by_parent;
    }
}
