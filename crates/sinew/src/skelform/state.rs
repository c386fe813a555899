//! The state of one character: small plain data beside a shared [`super::Armature`].

use super::tracks::StepTarget;
use super::{Armature, BoneIndex, IkConstraint, IkFamilyIndex, IkMode, Tint};
use alloc::vec::Vec;
use glam::Vec2;

/// The transform of a bone relative to its parent.
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Zeroable, bytemuck::Pod)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(C)]
pub struct BoneState {
    /// Position, in pixels of the parent.
    pub position: Vec2,
    /// Rotation in radians, counter-clockwise.
    pub rotation: f32,
    /// Scale.
    pub scale: Vec2,
}

/// The number of fields of a [`BoneState`]; keys address them as one flat list.
pub(crate) const BONE_FIELDS: usize = size_of::<BoneState>() / size_of::<f32>();

/// The number of fields of a [`Tint`].
pub(crate) const TINT_FIELDS: usize = size_of::<Tint>() / size_of::<f32>();

/// The settings of an IK family.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct IkState {
    /// The bend constraint.
    pub constraint: IkConstraint,
    /// The solver.
    pub mode: IkMode,
    /// Whether the tip takes the target's rotation.
    pub mimic_target: bool,
}

/// The state of a springy bone.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PhysicsState {
    /// The position that follows the bone, as all fields in armature space: before [`super::construct`] applies
    /// `position` and `scale`.
    pub position: Vec2,
    /// The rotation that follows the bone, in radians.
    pub rotation: f32,
    /// The scale that follows the bone.
    pub scale: Vec2,
    /// The angle of the bone about its parent, in radians.
    pub orbit: f32,
    /// The difference from `orbit` to the parent's angle.
    pub orbit_lead: f32,
    /// The swing velocity kept by bouncing.
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
/// Created by [`Armature::new_state`], changed by [`super::animate`], by [`super::construct`] (physics only) and by
/// you: move an IK target or turn a head between the two. A cloned and restored state continues bit-identically.
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
    /// Returns the bones, in the armature's order.
    pub fn bones(&self) -> &[BoneState] {
        &self.bones
    }

    /// Returns the bones, to change before [`super::construct`].
    pub fn bones_mut(&mut self) -> &mut [BoneState] {
        &mut self.bones
    }

    /// Returns a bone; `None` if it does not exist.
    pub fn bone(&self, bone: BoneIndex) -> Option<&BoneState> {
        self.bones.get(bone.index())
    }

    /// Returns a bone, mutable; `None` if it does not exist.
    pub fn bone_mut(&mut self, bone: BoneIndex) -> Option<&mut BoneState> {
        self.bones.get_mut(bone.index())
    }

    /// Returns whether each bone itself is hidden (an ancestor may hide it too).
    pub fn hidden(&self) -> &[bool] {
        &self.hidden
    }

    /// Hides or shows a bone and its descendants, until the next [`super::animate`].
    pub fn set_hidden(&mut self, bone: BoneIndex, hidden: bool) {
        if let Some(slot) = self.hidden.get_mut(bone.index()) {
            *slot = hidden;
        }
    }

    /// As [`Self::set_hidden`], for all bones.
    pub fn hidden_mut(&mut self) -> &mut [bool] {
        &mut self.hidden
    }

    /// Returns the colour factors, in the order of [`super::ArmatureData::visuals`].
    pub fn tints(&self) -> &[Tint] {
        &self.tints
    }

    /// Returns the colour factor of a bone's visual, mutable; `None` if it has none. A change lasts until the next
    /// [`super::animate`].
    pub fn tint_mut(&mut self, armature: &Armature, bone: BoneIndex) -> Option<&mut Tint> {
        self.tints.get_mut(armature.bone(bone)?.visual?)
    }

    /// Returns the draw order of a bone's visual; `None` if it has none.
    pub fn zindex(&self, armature: &Armature, bone: BoneIndex) -> Option<i32> {
        let visual = self.visuals.get(armature.bone(bone)?.visual?)?;
        Some(visual.zindex)
    }

    /// Sets the draw order of a bone's visual, until the next [`super::animate`]. Returns `false` if it has none.
    pub fn set_zindex(&mut self, armature: &Armature, bone: BoneIndex, zindex: i32) -> bool {
        self.visual_mut(armature, bone)
            .map(|visual| visual.zindex = zindex)
            .is_some()
    }

    /// Returns the name of the texture that a bone shows; `None` if it shows none.
    pub fn texture<'a>(&self, armature: &'a Armature, bone: BoneIndex) -> Option<&'a str> {
        let visual = self.visuals.get(armature.bone(bone)?.visual?)?;
        armature.texture_name(visual.texture)
    }

    /// Sets the texture of a bone by name, until the next [`super::animate`]; the empty name is no texture. Returns
    /// `false` if the bone has no visual or the texture does not exist.
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

    /// Returns the settings of the IK families.
    pub fn ik(&self) -> &[IkState] {
        &self.ik
    }

    /// Returns the settings of the IK families, mutable (swap a constraint when a character turns).
    pub fn ik_mut(&mut self) -> &mut [IkState] {
        &mut self.ik
    }

    /// Returns whether a family is solved.
    pub fn ik_enabled(&self, family: IkFamilyIndex) -> bool {
        self.ik_enabled
            .get(family.index())
            .copied()
            .unwrap_or(false)
    }

    /// Enables or disables a family. [`super::animate`] does not change this.
    pub fn set_ik_enabled(&mut self, family: IkFamilyIndex, enabled: bool) {
        if let Some(slot) = self.ik_enabled.get_mut(family.index()) {
            *slot = enabled;
        }
    }

    /// Returns the states of springy bones.
    pub fn physics(&self) -> &[PhysicsState] {
        &self.physics
    }

    /// Returns the states of springy bones, mutable.
    pub fn physics_mut(&mut self) -> &mut [PhysicsState] {
        &mut self.physics
    }

    /// Copies everything that animations change from a state of the same armature. Does not allocate.
    pub(crate) fn copy_animated(&mut self, other: &Self) {
        self.bones.copy_from_slice(&other.bones);
        self.hidden.copy_from_slice(&other.hidden);
        self.tints.copy_from_slice(&other.tints);
        self.visuals.copy_from_slice(&other.visuals);
        self.ik.copy_from_slice(&other.ik);
    }

    /// Sets an element that is not interpolated.
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

    /// Returns the memory of this state in bytes.
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

    /// Copies everything from `other`; does not allocate if both are of the same armature.
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
