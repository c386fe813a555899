//! What one character is doing: small plain data beside a shared [`super::Armature`].

use super::tracks::StepTarget;
use super::{Armature, BoneIndex, IkConstraint, IkFamilyIndex, IkMode, Tint};
use alloc::vec::Vec;
use glam::Vec2;

/// A bone relative to its parent.
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Zeroable, bytemuck::Pod)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(C)]
pub struct BoneState {
    /// Position, in pixels of the parent.
    pub pos: Vec2,
    /// Rotation in radians, counter-clockwise.
    pub rot: f32,
    /// Scale.
    pub scale: Vec2,
}

/// How many numbers a [`BoneState`] holds; keys address them as one flat list.
pub(crate) const BONE_FIELDS: usize = size_of::<BoneState>() / size_of::<f32>();

/// How many numbers a [`Tint`] holds.
pub(crate) const TINT_FIELDS: usize = size_of::<Tint>() / size_of::<f32>();

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
    /// Position that follows the bone, like all here in the armature's own space: what
    /// [`super::construct`] makes before it applies `position` and `scale`.
    pub pos: Vec2,
    /// Rotation that follows the bone, in radians.
    pub rot: f32,
    /// Scale that follows the bone.
    pub scale: Vec2,
    /// Angle of the bone about its parent, in radians.
    pub orbit: f32,
    /// How far the parent's angle leads `orbit`.
    pub orbit_lead: f32,
    /// Swing that bouncing keeps.
    pub orbit_velocity: f32,
}

/// A texture name of an armature, or none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct TextureName(pub(crate) u32);

impl TextureName {
    pub(crate) const NONE: Self = Self(u32::MAX);
}

/// Draw order and texture of a visual.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct VisualState {
    pub(crate) zindex: i32,
    pub(crate) texture: TextureName,
}

/// The state of one character: bone fields, tints, IK settings, physics.
///
/// Made by [`Armature::new_state`], changed by [`super::animate`], by [`super::construct`] (physics
/// only) and by you: move an IK target or turn a head between the two. Cloning and restoring a state
/// in mid-play continues bit for bit.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ArmatureState {
    pub(crate) bones: Vec<BoneState>,
    pub(crate) hidden: Vec<bool>,
    pub(crate) tints: Vec<Tint>,
    pub(crate) visuals: Vec<VisualState>,
    pub(crate) ik: Vec<IkState>,
    pub(crate) ik_enabled: Vec<bool>,
    pub(crate) physics: Vec<PhysicsState>,
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
    pub fn bone(&self, bone: BoneIndex) -> Option<&BoneState> {
        self.bones.get(bone.index())
    }

    /// One bone, to change, or `None` when the armature has no such bone.
    pub fn bone_mut(&mut self, bone: BoneIndex) -> Option<&mut BoneState> {
        self.bones.get_mut(bone.index())
    }

    /// Whether each bone is hidden by itself (an ancestor may hide it too).
    pub fn hidden(&self) -> &[bool] {
        &self.hidden
    }

    /// Hides or shows a bone and all that hangs on it, until the next [`super::animate`].
    pub fn set_hidden(&mut self, bone: BoneIndex, hidden: bool) {
        if let Some(slot) = self.hidden.get_mut(bone.index()) {
            *slot = hidden;
        }
    }

    /// As [`Self::set_hidden`], for many bones at once.
    pub fn hidden_mut(&mut self) -> &mut [bool] {
        &mut self.hidden
    }

    /// Colour factors, in the order of [`super::ArmatureData::visuals`].
    pub fn tints(&self) -> &[Tint] {
        &self.tints
    }

    /// Colour factor of what a bone shows, to change; `None` when it shows nothing. Lasts until the
    /// next [`super::animate`].
    pub fn tint_mut(&mut self, armature: &Armature, bone: BoneIndex) -> Option<&mut Tint> {
        self.tints.get_mut(armature.bone(bone)?.visual?)
    }

    /// Draw order of what a bone shows; `None` when it shows nothing.
    pub fn zindex(&self, armature: &Armature, bone: BoneIndex) -> Option<i32> {
        let visual = self.visuals.get(armature.bone(bone)?.visual?)?;
        Some(visual.zindex)
    }

    /// Changes the draw order of what a bone shows, until the next [`super::animate`]. `false` when it
    /// shows nothing.
    pub fn set_zindex(&mut self, armature: &Armature, bone: BoneIndex, zindex: i32) -> bool {
        self.visual_mut(armature, bone)
            .map(|visual| visual.zindex = zindex)
            .is_some()
    }

    /// Name of the texture that a bone shows; `None` when it shows none.
    pub fn texture<'a>(&self, armature: &'a Armature, bone: BoneIndex) -> Option<&'a str> {
        let visual = self.visuals.get(armature.bone(bone)?.visual?)?;
        armature.texture_name(visual.texture)
    }

    /// Gives a bone another texture, by name, until the next [`super::animate`]; the empty name shows
    /// nothing. `false` when the bone has no visual or the armature knows no such texture.
    pub fn set_texture(&mut self, armature: &Armature, bone: BoneIndex, name: &str) -> bool {
        let texture = armature.texture_number(name);
        let visual = self.visual_mut(armature, bone);
        texture
            .zip(visual)
            .map(|(texture, visual)| visual.texture = texture)
            .is_some()
    }

    fn visual_mut(&mut self, armature: &Armature, bone: BoneIndex) -> Option<&mut VisualState> {
        self.visuals.get_mut(armature.bone(bone)?.visual?)
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

    /// Where springy bones are, to change.
    pub fn physics_mut(&mut self) -> &mut [PhysicsState] {
        &mut self.physics
    }

    /// Takes over all that animations change from a state of the same armature. Does not allocate.
    pub(crate) fn copy_animated(&mut self, other: &Self) {
        self.bones.copy_from_slice(&other.bones);
        self.hidden.copy_from_slice(&other.hidden);
        self.tints.copy_from_slice(&other.tints);
        self.visuals.copy_from_slice(&other.visuals);
        self.ik.copy_from_slice(&other.ik);
    }

    /// Sets what no key can lie between.
    pub(crate) fn set_step(&mut self, target: StepTarget, value: u32) {
        match target {
            StepTarget::Hidden(bone) => self.hidden[bone as usize] = value != 0,
            StepTarget::Zindex(visual) => self.visuals[visual as usize].zindex = value as i32,
            StepTarget::Texture(visual) => {
                self.visuals[visual as usize].texture = TextureName(value);
            }
            StepTarget::IkConstraint(family) => {
                self.ik[family as usize].constraint = IkConstraint::ALL[value as usize];
            }
            StepTarget::IkMode(family) => {
                self.ik[family as usize].mode = IkMode::ALL[value as usize];
            }
            StepTarget::MimicTarget(family) => self.ik[family as usize].mimic_target = value != 0,
        }
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
