//! What can be told of a motion by looking at it: where it goes, which feet stand when, whether it loops.

mod contacts;
mod extent;
mod looping;

pub use contacts::{ContactSettings, FootContacts, foot_contacts};
pub use extent::{Bounds, extent, rest_bounds};
pub use looping::{LoopGap, loop_gap};

use crate::animation::Animation;
use crate::skeleton::{JointIndex, Skeleton};
use crate::{ModelPose, Sampler};
use glam::Vec3;

/// Frames per second at which a motion without a rate of its own is looked at.
const USUAL_RATE: f64 = 30.0;

/// Frames that are looked at, at most; longer motions are looked at less often.
const MAX_FRAMES: usize = 60_000;

/// Shows every frame of an animation, with its time.
fn each_frame(skeleton: &Skeleton, animation: &Animation, mut see: impl FnMut(f32, &ModelPose)) {
    let (rate, count) = frames(animation);
    let mut sampler = Sampler::new(skeleton, animation);
    for frame in 0..count {
        let time = ((frame as f64 / rate) as f32).min(animation.length);
        see(time, sampler.model_at(time));
    }
}

/// The rate at which an animation is looked at, and how many frames that makes.
fn frames(animation: &Animation) -> (f64, usize) {
    let own = animation
        .frame_rate
        .filter(|rate| rate.is_finite() && *rate > 0.0);
    let rate = own.unwrap_or(USUAL_RATE);
    let count = f64::from(animation.length) * rate + 1.0 + 1e-3;
    if count > MAX_FRAMES as f64 {
        let rate = (MAX_FRAMES - 1) as f64 / f64::from(animation.length);
        return (rate, MAX_FRAMES);
    }
    (rate, count as usize)
}

/// The ends of bones: every joint, and the tips of those that have one.
fn points<'a>(
    skeleton: &'a Skeleton,
    model: &'a ModelPose,
) -> impl Iterator<Item = (JointIndex, Vec3)> + 'a {
    let joints = (0..skeleton.len()).map(JointIndex::from);
    joints.flat_map(move |joint| {
        let tip = model.tip(skeleton, joint).map(|tip| (joint, tip));
        core::iter::once((joint, model.position(joint))).chain(tip)
    })
}
