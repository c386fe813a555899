//! What Pip does. Values are relative to rest: degrees counter-clockwise, pixels, factors.

mod clip;
mod idle;
mod jump;
mod walk;
mod wave;

use crate::rig::Bones;
use sinew::skelform::{AnimationData, ArmatureData};

/// Pixels per second that the walk covers.
pub(crate) const WALK_SPEED: f32 = walk::SPEED * clip::FPS as f32;

/// All animations.
pub(crate) fn all(rig: &ArmatureData, bones: &Bones) -> Vec<AnimationData> {
    vec![
        idle::idle(rig, bones),
        walk::walk(rig, bones),
        wave::wave(rig, bones),
        jump::jump(rig, bones),
    ]
}
