//! The structure of an armature in the layout that [`super::construct`] reads.

use super::ik::IkPlan;
use super::mesh::MeshPlan;
use crate::math::Rotor;
use crate::skelform::{ArmatureData, PhysicsData};
use alloc::boxed::Box;
use alloc::vec;

/// The value of a missing 32-bit index.
pub(super) const NONE: u32 = u32::MAX;

/// The compiled structure of an armature.
#[derive(Clone, Debug)]
pub(in crate::skelform) struct Plan {
    pub(super) bones: Box<[BonePlan]>,
    /// In the order of the data's physics entries.
    pub(super) physics: Box<[PhysicsPlan]>,
    pub(super) ik: IkPlan,
    pub(in crate::skelform) meshes: MeshPlan,
    pub(super) mirrored_rotation: bool,
    /// Bones of IK chains and their descendants, in bone order.
    pub(super) moved_by_ik: Box<[u32]>,
    /// Springy bones and their descendants, in bone order.
    pub(super) moved_by_physics: Box<[u32]>,
}

/// The bone fields that inheritance reads.
#[derive(Clone, Copy, Debug)]
pub(super) struct BonePlan {
    pub(super) parent: u32,
    pub(super) physics: u32,
    /// The rest rotation, whose sine and cosine are cached.
    pub(super) rest_rotation: f32,
    pub(super) rest_rotor: Rotor,
}

/// The fields of an entry that physics reads.
#[derive(Clone, Copy, Debug)]
pub(super) struct PhysicsPlan {
    /// The bone that refers to it, or [`NONE`].
    pub(super) bone: u32,
    pub(super) parent: u32,
    pub(super) data: PhysicsData,
}

impl Plan {
    /// Compiles validated data.
    pub(in crate::skelform) fn new(data: &ArmatureData) -> Self {
        let bones = data.bones.iter().map(|bone| BonePlan {
            parent: index(bone.parent),
            physics: index(bone.physics),
            rest_rotation: bone.rotation,
            rest_rotor: Rotor::from_angle(bone.rotation),
        });
        let mut bone_of = vec![None; data.physics.len()];
        for (bone, entry) in data.bones.iter().map(|bone| bone.physics).enumerate() {
            if let Some(entry) = entry {
                bone_of[entry] = Some(bone);
            }
        }
        let physics = data
            .physics
            .iter()
            .zip(bone_of)
            .map(|(&data_of, bone)| PhysicsPlan {
                bone: index(bone),
                parent: index(bone.and_then(|bone| data.bones[bone].parent)),
                data: data_of,
            });
        let chains = data.ik_families.iter().flat_map(|family| &family.bones);
        let springs = data.bones.iter().enumerate();
        let springs = springs.filter(|(_, bone)| bone.physics.is_some());
        Self {
            bones: bones.collect(),
            physics: physics.collect(),
            moved_by_ik: with_descendants(data, chains.copied()),
            moved_by_physics: with_descendants(data, springs.map(|(bone, _)| bone)),
            ik: IkPlan::new(data),
            meshes: MeshPlan::new(data),
            mirrored_rotation: data.mirrored_rotation,
        }
    }

    pub(super) fn has_ik(&self) -> bool {
        !self.ik.is_empty()
    }

    pub(super) fn has_physics(&self) -> bool {
        !self.moved_by_physics.is_empty()
    }
}

pub(super) fn index(index: Option<usize>) -> u32 {
    index.map_or(NONE, |index| index as u32)
}

/// Returns bones and their descendants, in bone order.
fn with_descendants(data: &ArmatureData, bones: impl Iterator<Item = usize>) -> Box<[u32]> {
    let mut moved = vec![false; data.bones.len()];
    for bone in bones {
        moved[bone] = true;
    }
    for (index, bone) in data.bones.iter().enumerate() {
        moved[index] |= bone.parent.is_some_and(|parent| moved[parent]);
    }
    let moved = (0..).zip(moved).filter(|&(_, moved)| moved);
    moved.map(|(bone, _)| bone).collect()
}
