//! A cross-fade that takes a time, whatever the frame rate.

use super::state::BoneState;
use super::{Armature, ArmatureState, Tint};
use crate::math::shortest_angle;
use crate::skelform::curve::{Ease, Preset};
use alloc::vec::Vec;

/// Fades from the pose that was shown at the switch to whatever is animated after it.
///
/// ```
/// # use sinew::skelform::{Armature, ArmatureData, ArmatureCrossfade, animate};
/// # let armature = Armature::new(ArmatureData::default()).unwrap();
/// # let mut state = armature.new_state();
/// # let (plays, dt) = ([], 1.0 / 60.0);
/// let mut fade = ArmatureCrossfade::new(&armature);
/// // On switching animations:
/// fade.start(&state, 0.25);
/// // Every frame:
/// animate(&armature, &mut state, &plays).unwrap();
/// fade.apply(&mut state, dt);
/// ```
///
/// Positions, scales and tints are mixed, rotations take the way that is shorter at the switch; textures, draw order,
/// visibility and IK settings change at once. Starting again in mid-fade continues from what was
/// shown, without a jump.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ArmatureCrossfade {
    /// The old pose. Once the fade is under way a rotation is kept as what it adds to the new one:
    /// which way is shorter is decided once, or a moving target would make it flip.
    bones: Vec<BoneState>,
    tints: Vec<Tint>,
    is_under_way: bool,
    elapsed: f32,
    seconds: f32,
    ease: Ease,
}

impl ArmatureCrossfade {
    /// A fade that is not running. The only place that allocates.
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

    /// The same with another easing; the default starts and ends slowly.
    pub fn with_ease(self, ease: Ease) -> Self {
        Self { ease, ..self }
    }

    /// Starts to fade from `shown` over `seconds`; 0, negative and NaN switch at once.
    pub fn start(&mut self, shown: &ArmatureState, seconds: f32) {
        self.bones.clone_from(&shown.bones);
        self.tints.clone_from(&shown.tints);
        self.is_under_way = false;
        self.elapsed = 0.0;
        self.seconds = seconds;
    }

    /// Whether there is still something of the old pose to be seen.
    pub fn is_running(&self) -> bool {
        self.elapsed < self.seconds
    }

    /// How much of the new pose is shown, 0 to 1.
    pub fn weight(&self) -> f32 {
        if self.is_running() {
            self.ease
                .progress(self.elapsed / self.seconds)
                .clamp(0.0, 1.0)
        } else {
            1.0
        }
    }

    /// Lets `dt` seconds pass, then mixes the old pose into `state`. Call after
    /// [`super::animate`] without smoothing. A state of another armature is left as it is.
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
                from.rot = shortest_angle(bone.rot, from.rot);
            }
        }
        let weight = self.weight();
        for (bone, from) in state.bones.iter_mut().zip(&self.bones) {
            bone.pos = from.pos + (bone.pos - from.pos) * weight;
            bone.rot += from.rot * (1.0 - weight);
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
