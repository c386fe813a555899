//! The pose that [`super::construct`] fills, and where it stands.

use super::Plan;
use super::ik::IkScratch;
use crate::math::Rotor;
use crate::skelform::{Armature, BoneIndex};
use alloc::vec::Vec;
use glam::Vec2;

/// A bone in the world.
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Zeroable, bytemuck::Pod)]
#[repr(C)]
pub struct BonePose {
    /// Position.
    pub pos: Vec2,
    /// Rotation; [`Rotor::angle`] gives it in radians.
    pub rotor: Rotor,
    /// Scale.
    pub scale: Vec2,
}

impl BonePose {
    /// The rotation in radians, from -π to π.
    pub fn rot(&self) -> f32 {
        self.rotor.angle()
    }
}

/// The pose of one character, owned by the caller and filled by [`super::construct`].
///
/// One is enough for any number of characters that are constructed and drawn in turn.
#[derive(Clone, Debug)]
pub struct ArmaturePose {
    /// In the armature's own space; `position` and `scale` place them in the world.
    pub(in crate::skelform) bones: Vec<BonePose>,
    pub(in crate::skelform) hidden: Vec<bool>,
    /// Vertices of all meshes, in the armature's own space.
    pub(in crate::skelform) vertices: Vec<Vec2>,
    position: Vec2,
    scale: Vec2,
    pub(super) mirrored_rotation: bool,
    /// Each bone's own rotation.
    pub(super) local: Vec<Rotor>,
    /// The rotation that IK gives a bone.
    pub(super) ik: Vec<Option<Rotor>>,
    pub(super) ik_scratch: IkScratch,
}

impl ArmaturePose {
    /// An empty pose with room for the armature.
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

    /// A bone in the world, or `None` when there is no such bone.
    pub fn bone(&self, bone: BoneIndex) -> Option<BonePose> {
        self.bones.get(bone.index()).map(|bone| self.placed(bone))
    }

    /// All bones in the world, in bone order.
    pub fn bones(&self) -> impl ExactSizeIterator<Item = BonePose> + '_ {
        self.bones.iter().map(|bone| self.placed(bone))
    }

    /// Whether a bone or one of its ancestors is hidden, in bone order.
    pub fn hidden(&self) -> &[bool] {
        &self.hidden
    }

    /// A point of the armature's own space in the world.
    pub fn place_point(&self, point: Vec2) -> Vec2 {
        point * self.scale + self.position
    }

    /// The position, relative to its parent, that puts a bone at a point of the world: to drag an IK
    /// target to the mouse. The parent is taken as it was constructed last. `None` when there is no such
    /// bone or something is scaled to nothing.
    pub fn to_local(&self, armature: &Armature, bone: BoneIndex, world: Vec2) -> Option<Vec2> {
        let own_space = (world - self.position) / self.scale;
        let local = match armature.bone(bone)?.parent {
            None => own_space,
            Some(parent) => {
                let parent = self.bones.get(parent)?;
                parent.rotor.inverse().rotate(own_space - parent.pos) / parent.scale
            }
        };
        local.is_finite().then_some(local)
    }

    fn placed(&self, bone: &BonePose) -> BonePose {
        let mirrored = is_facing_left(self.scale);
        BonePose {
            pos: self.place_point(bone.pos),
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

    /// Makes the buffers fit; free when they already do.
    pub(super) fn fit(&mut self, plan: &Plan) {
        let bones = plan.bones.len();
        let at_rest = BonePose {
            pos: Vec2::ZERO,
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

/// Whether exactly one axis is mirrored: what SkelForm calls facing left.
pub fn is_facing_left(scale: Vec2) -> bool {
    (scale.x < 0.0) != (scale.y < 0.0)
}
