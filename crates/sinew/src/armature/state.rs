//! What one character is doing: small plain data beside a shared [`super::Armature`].

use super::{Armature, BoneIndex, IkConstraint, IkFamilyIndex, IkMode, Tint};
use alloc::vec::Vec;
use glam::Vec2;

/// A bone relative to its parent.
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Zeroable, bytemuck::Pod)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(C)]
pub struct BoneState {
    /// Position.
    pub pos: Vec2,
    /// Rotation in radians, counter-clockwise.
    pub rot: f32,
    /// Scale.
    pub scale: Vec2,
}

/// How many numbers a [`BoneState`] holds; keys address them as one flat list.
pub(super) const BONE_FIELDS: usize = size_of::<BoneState>() / size_of::<f32>();

/// How many numbers a [`Tint`] holds.
pub(super) const TINT_FIELDS: usize = size_of::<Tint>() / size_of::<f32>();

/// What an IK family is told to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct IkState {
    /// Which way the chain may bend.
    pub constraint: IkConstraint,
    /// How it reaches.
    pub mode: IkMode,
    /// The tip takes the target's rotation.
    pub mimic_target: bool,
}

/// Where a springy bone is.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PhysicsState {
    /// World position that follows the bone.
    pub pos: Vec2,
    /// World rotation that follows the bone.
    pub rot: f32,
    /// World scale that follows the bone.
    pub scale: Vec2,
    /// Angle of the bone about its parent.
    pub orbit: f32,
    /// How far the parent's angle leads `orbit`.
    pub orbit_lead: f32,
    /// Swing that bouncing keeps.
    pub orbit_velocity: f32,
}

/// A texture name of an armature, or none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct TextureName(pub(super) u32);

impl TextureName {
    pub(super) const NONE: Self = Self(u32::MAX);
}

/// Draw order and texture of a visual.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct VisualState {
    pub(super) zindex: i32,
    pub(super) texture: TextureName,
}

/// The state of one character: bone fields, tints, IK settings, physics.
///
/// Made by [`Armature::new_state`], changed by [`super::animate`], by [`super::construct`] (physics
/// only) and by you: move an IK target or turn a head between the two. Cloning and restoring a state
/// in mid-play continues bit for bit.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ArmatureState {
    pub(super) bones: Vec<BoneState>,
    pub(super) hidden: Vec<bool>,
    pub(super) tints: Vec<Tint>,
    pub(super) visuals: Vec<VisualState>,
    pub(super) ik: Vec<IkState>,
    pub(super) ik_enabled: Vec<bool>,
    pub(super) physics: Vec<PhysicsState>,
}

impl ArmatureState {
    /// The bones, in the armature's order.
    pub fn bones(&self) -> &[BoneState] {
        &self.bones
    }

    /// The bones, to change before [`super::construct`].
    pub fn bones_mut(&mut self) -> &mut [BoneState] {
        &mut self.bones
    }

    /// One bone, or `None` when the armature has no such bone.
    pub fn bone_mut(&mut self, bone: BoneIndex) -> Option<&mut BoneState> {
        self.bones.get_mut(bone.index())
    }

    /// Whether each bone is hidden by itself (an ancestor may hide it too).
    pub fn hidden(&self) -> &[bool] {
        &self.hidden
    }

    /// Hides or shows bones; lasts until the next [`super::animate`].
    pub fn hidden_mut(&mut self) -> &mut [bool] {
        &mut self.hidden
    }

    /// Colour factors, one per visual.
    pub fn tints(&self) -> &[Tint] {
        &self.tints
    }

    /// Colour factors, to change.
    pub fn tints_mut(&mut self) -> &mut [Tint] {
        &mut self.tints
    }

    /// Draw order of a visual.
    pub fn zindex(&self, visual: usize) -> Option<i32> {
        self.visuals.get(visual).map(|v| v.zindex)
    }

    /// Name of the texture that a visual shows: `None` when it shows none.
    pub fn texture<'a>(&self, armature: &'a Armature, visual: usize) -> Option<&'a str> {
        armature.texture_name(self.visuals.get(visual)?.texture)
    }

    /// What the IK families are told to do.
    pub fn ik(&self) -> &[IkState] {
        &self.ik
    }

    /// What the IK families are told to do, to change (swap a constraint when a character turns).
    pub fn ik_mut(&mut self) -> &mut [IkState] {
        &mut self.ik
    }

    /// Whether a family is solved.
    pub fn ik_enabled(&self, family: IkFamilyIndex) -> bool {
        self.ik_enabled
            .get(family.index())
            .copied()
            .unwrap_or(false)
    }

    /// Switches the solving of a family on or off. [`super::animate`] leaves this alone.
    pub fn set_ik_enabled(&mut self, family: IkFamilyIndex, enabled: bool) {
        if let Some(slot) = self.ik_enabled.get_mut(family.index()) {
            *slot = enabled;
        }
    }

    /// Where springy bones are.
    pub fn physics(&self) -> &[PhysicsState] {
        &self.physics
    }

    /// Where springy bones are, to change (a teleport moves them along).
    pub fn physics_mut(&mut self) -> &mut [PhysicsState] {
        &mut self.physics
    }

    /// Memory that this state occupies, in bytes.
    pub fn memory(&self) -> usize {
        size_of::<Self>()
            + size_of_val(self.bones.as_slice())
            + size_of_val(self.hidden.as_slice())
            + size_of_val(self.tints.as_slice())
            + size_of_val(self.visuals.as_slice())
            + size_of_val(self.ik.as_slice())
            + size_of_val(self.ik_enabled.as_slice())
            + size_of_val(self.physics.as_slice())
    }

    /// Takes over everything from `other` without allocating when both fit the same armature.
    pub fn copy_from(&mut self, other: &Self) {
        self.bones.clone_from(&other.bones);
        self.hidden.clone_from(&other.hidden);
        self.tints.clone_from(&other.tints);
        self.visuals.clone_from(&other.visuals);
        self.ik.clone_from(&other.ik);
        self.ik_enabled.clone_from(&other.ik_enabled);
        self.physics.clone_from(&other.physics);
    }
}
