//! A crossfade of a given duration, independent of the frame rate.
//!
//! `shown = from + (to - from) e(elapsed / seconds)` with an easing `e`, for each number. Rotations are angles, and the old
//! one is kept as the difference from the new one at the switch, wrapped to half a turn. One product per number.

use super::state::BoneState;
use super::{Armature, ArmatureState, Tint};
use crate::math::shortest_angle;
use crate::skelform::curve::{Ease, Preset};
use alloc::vec::Vec;

/// A crossfade from the pose at the switch to the animations after it.
///
/// ```
/// # use sinew::skelform::{Armature, ArmatureData, ArmatureCrossfade, animate};
/// # let armature = Armature::new(ArmatureData::default()).unwrap();
/// # let mut state = armature.new_state();
/// # let (frames, dt) = ([], 1.0 / 60.0);
/// let mut fade = ArmatureCrossfade::new(&armature);
/// // On switching animations:
/// fade.start(&state, 0.25);
/// // Every frame:
/// animate(&armature, &mut state, &frames).unwrap();
/// fade.apply(&mut state, dt);
/// ```
///
/// Positions, scales and tints are interpolated; rotations take the arc that is shorter at the switch; textures, draw
/// order, visibility and IK settings change immediately. Restarting during a fade continues from the shown pose,
/// without a jump.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ArmatureCrossfade {
    /// The old pose. During the fade a rotation is stored as the offset from the new one: the shorter arc is chosen
    /// once, so a moving target cannot make it flip.
    bones: Vec<BoneState>,
    tints: Vec<Tint>,
    is_under_way: bool,
    elapsed: f32,
    seconds: f32,
    ease: Ease,
}

impl ArmatureCrossfade {
    /// Creates a fade that is not running. Only this allocates.
    pub fn new(armature: &Armature) -> Self {
        Self {
            bones: armature.rest().bones.clone(),
            tints: armature.rest().tints.clone(),
            is_under_way: false,
            elapsed: 0.0,
            seconds: 0.0,
            ease: Preset::SineInOut.ease(),
        }
    }

    /// Sets the easing; the default starts and ends slowly.
    pub fn with_ease(self, ease: Ease) -> Self {
        Self { ease, ..self }
    }

    /// Starts a fade from `shown` over `seconds`; 0, negative and NaN switch immediately.
    pub fn start(&mut self, shown: &ArmatureState, seconds: f32) {
        self.bones.clone_from(&shown.bones);
        self.tints.clone_from(&shown.tints);
        self.is_under_way = false;
        self.elapsed = 0.0;
        self.seconds = seconds;
    }

    /// Returns whether the old pose still has weight.
    pub fn is_running(&self) -> bool {
        self.elapsed < self.seconds
    }

    /// Returns the weight of the new pose, 0 to 1.
    pub fn weight(&self) -> f32 {
        if self.is_running() {
            self.ease
                .progress(self.elapsed / self.seconds)
                .clamp(0.0, 1.0)
        } else {
            1.0
        }
    }

    /// Advances by `dt` seconds, then blends the old pose into `state`. Call after [`super::animate`] without
    /// smoothing. A state of another armature is unchanged.
    pub fn apply(&mut self, state: &mut ArmatureState, dt: f32) {
        if dt > 0.0 {
            self.elapsed += dt;
        }
        let fits = self.bones.len() == state.bones.len() && self.tints.len() == state.tints.len();
        if !self.is_running() || !fits {
            return;
        }
        if !self.is_under_way {
            self.is_under_way = true;
            for (bone, from) in state.bones.iter().zip(&mut self.bones) {
                from.rotation = shortest_angle(bone.rotation, from.rotation);
            }
        }
        let weight = self.weight();
        for (bone, from) in state.bones.iter_mut().zip(&self.bones) {
            bone.position = from.position + (bone.position - from.position) * weight;
            bone.rotation += from.rotation * (1.0 - weight);
            bone.scale = from.scale + (bone.scale - from.scale) * weight;
        }
        let tints: &mut [f32] = bytemuck::cast_slice_mut(&mut state.tints);
        for (tint, from) in tints
            .iter_mut()
            .zip(bytemuck::cast_slice::<_, f32>(&self.tints))
        {
            *tint = from + (*tint - from) * weight;
        }
    }
}
