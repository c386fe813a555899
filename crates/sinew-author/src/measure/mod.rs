//! What can be measured of a motion: where it goes, which joint carries it, whether it loops,
//! how fast a walk on the spot would travel; and how far two poses are apart.

mod extent;
mod joint_costs;
mod looping;
mod pose_error;
mod velocity;

pub use extent::extent;
pub use joint_costs::{ChannelPacking, JointCost, joint_costs};
pub use looping::{LoopGap, loop_gap};
pub(crate) use pose_error::ball_error_squared;
pub use pose_error::{ErrorMeter, PoseError, SHELL};
pub use velocity::{ground_velocity, planted_velocity};

use sinew::animation::Animation;
use sinew::skeleton::Skeleton;
use sinew::{ModelPose, Sampler};

/// Frames per second at which a motion without a rate of its own is looked at, and at least at which one
/// with sparse keys is.
const USUAL_RATE: f64 = 30.0;

/// Frames per second from which on a motion is looked at on its own frames alone: film's 23.976 and more.
const DENSE_RATE: f64 = 23.9;

/// Frames that are looked at, at most; longer motions are looked at less often.
const MAX_FRAMES: usize = 60_000;

/// Shows every frame of an animation that [`frames`] counts, with its time.
pub(crate) fn each_frame(
    skeleton: &Skeleton,
    animation: &Animation,
    mut see: impl FnMut(f32, &ModelPose),
) {
    let (rate, count) = frames(animation);
    let mut sampler = Sampler::new(skeleton, animation);
    for frame in 0..count {
        let time = ((frame as f64 / rate) as f32).min(animation.length);
        see(time, sampler.model_at(time));
    }
}

/// The rate at which an animation is looked at, however long it is.
pub(crate) fn dense_rate(animation: &Animation) -> f64 {
    match animation.frame_rate {
        Some(own) if own.is_finite() && own >= DENSE_RATE => own,
        // A whole number of times per frame, so that no key is missed.
        Some(own) if own.is_finite() && own > 1e-3 => own * libm::ceil(USUAL_RATE / own),
        _ => USUAL_RATE,
    }
}

/// The rate at which an animation is looked at, and how many frames that makes.
pub(crate) fn frames(animation: &Animation) -> (f64, usize) {
    let rate = dense_rate(animation);
    let count = f64::from(animation.length) * rate + 1.0 + 1e-3;
    if count > MAX_FRAMES as f64 {
        let rate = (MAX_FRAMES - 1) as f64 / f64::from(animation.length);
        return (rate, MAX_FRAMES);
    }
    (rate, count as usize)
}
