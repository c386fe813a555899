//! The pose that [`super::construct`] computes, and its placement.

use super::Plan;
use super::ik::IkScratch;
use crate::math::Rotor;
use crate::skelform::{Armature, BoneIndex};
use alloc::vec::Vec;
use glam::Vec2;

/// The world transform of a bone.
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Zeroable, bytemuck::Pod)]
#[repr(C)]
pub struct BonePose {
    /// The position.
    pub position: Vec2,
    /// The rotation; [`Rotor::angle`] returns it in radians.
    pub rotor: Rotor,
    /// The scale.
    pub scale: Vec2,
}

impl BonePose {
    /// Returns the rotation in radians, from -π to π.
    pub fn rotation(&self) -> f32 {
        self.rotor.angle()
    }
}

/// The pose of one character, owned by the caller and filled by [`super::construct`].
///
/// One is enough for any number of characters that are constructed and drawn in turn.
#[derive(Clone, Debug)]
pub struct ArmaturePose {
    /// In armature space; `position` and `scale` transform them to the world.
    pub(in crate::skelform) bones: Vec<BonePose>,
    pub(in crate::skelform) hidden: Vec<bool>,
    /// Vertices of all meshes, in armature space.
    pub(in crate::skelform) vertices: Vec<Vec2>,
    position: Vec2,
    scale: Vec2,
    pub(super) mirrored_rotation: bool,
    /// The local rotation of each bone.
    pub(super) local: Vec<Rotor>,
    /// The rotation that IK gives a bone.
    pub(super) ik: Vec<Option<Rotor>>,
    pub(super) ik_scratch: IkScratch,
}

impl ArmaturePose {
    /// Creates an empty pose with buffers for the armature.
    pub fn new(armature: &Armature) -> Self {
        let mut constructed = Self {
            bones: Vec::new(),
            hidden: Vec::new(),
            vertices: Vec::new(),
            position: Vec2::ZERO,
            scale: Vec2::ONE,
            mirrored_rotation: false,
            local: Vec::new(),
            ik: Vec::new(),
            ik_scratch: IkScratch::default(),
        };
        constructed.fit(armature.plan());
        constructed
    }

    /// Returns the world transform of a bone; `None` if it does not exist.
    pub fn bone(&self, bone: BoneIndex) -> Option<BonePose> {
        self.bones
            .get(bone.index())
            .map(|bone| self.place_bone(bone))
    }

    /// Returns the world transforms of all bones, in bone order.
    pub fn bones(&self) -> impl ExactSizeIterator<Item = BonePose> + '_ {
        self.bones.iter().map(|bone| self.place_bone(bone))
    }

    /// Returns whether each bone or one of its ancestors is hidden, in bone order.
    pub fn hidden(&self) -> &[bool] {
        &self.hidden
    }

    /// Transforms a point from armature space to the world.
    pub fn place_point(&self, point: Vec2) -> Vec2 {
        point * self.scale + self.position
    }

    /// Returns the position relative to its parent that places a bone at a world point: to drag an IK target to the
    /// mouse. Uses the parent of the last construction. `None` if the bone does not exist or a scale is zero.
    pub fn to_local(&self, armature: &Armature, bone: BoneIndex, world: Vec2) -> Option<Vec2> {
        let armature_space = (world - self.position) / self.scale;
        let local = match armature.bone(bone)?.parent {
            None => armature_space,
            Some(parent) => {
                let parent = self.bones.get(parent)?;
                parent
                    .rotor
                    .inverse()
                    .rotate(armature_space - parent.position)
                    / parent.scale
            }
        };
        local.is_finite().then_some(local)
    }

    fn place_bone(&self, bone: &BonePose) -> BonePose {
        let mirrored = is_facing_left(self.scale);
        BonePose {
            position: self.place_point(bone.position),
            rotor: if mirrored {
                bone.rotor.inverse()
            } else {
                bone.rotor
            },
            scale: bone.scale * self.scale,
        }
    }

    pub(super) fn place(&mut self, position: Vec2, scale: Vec2) {
        self.position = position;
        self.scale = scale;
    }

    /// Resizes the buffers; free if they already fit.
    pub(super) fn fit(&mut self, plan: &Plan) {
        let bones = plan.bones.len();
        let at_rest = BonePose {
            position: Vec2::ZERO,
            rotor: Rotor::IDENTITY,
            scale: Vec2::ONE,
        };
        self.bones.resize(bones, at_rest);
        self.hidden.resize(bones, false);
        self.local.resize(bones, Rotor::IDENTITY);
        self.ik.resize(bones, None);
        self.vertices.resize(plan.meshes.vertex_count(), Vec2::ZERO);
        self.ik_scratch.fit(&plan.ik);
    }
}

/// Returns whether exactly one axis is mirrored: what SkelForm calls facing left.
pub fn is_facing_left(scale: Vec2) -> bool {
    (scale.x < 0.0) != (scale.y < 0.0)
}
