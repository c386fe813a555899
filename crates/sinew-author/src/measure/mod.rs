//! Measures of a motion: its extent, loop gap and ground velocity; and the error between two poses.
//!
//! All but the error sample the animation on its own frames, at least 30 per second, at most 60,000.

mod extent;
mod foot_skate;
mod joint_costs;
mod looping;
mod pose_error;
mod velocity;

pub use extent::extent;
pub use foot_skate::{foot_skate_from_height, foot_skate_ratio};
pub use joint_costs::{ChannelPacking, JointCost, joint_costs};
pub use looping::{LoopGap, loop_gap};
pub(crate) use pose_error::ball_error_squared;
pub use pose_error::{ErrorMeter, PoseError, SHELL};
pub use velocity::{ground_velocity, planted_velocity};

use sinew::animation::Animation;
use sinew::skeleton::Skeleton;
use sinew::{ModelPose, Sampler};

/// Frames per second at which a motion is sampled at least. Not the rate of a motion without one: measures need no more,
/// and take half the time.
const MIN_MEASURED_RATE: f64 = 30.0;

/// Frames per second from which on a motion is sampled on its own frames alone: film's 23.976 and more.
const MIN_OWN_RATE: f64 = 23.9;

/// Frames that are sampled, at most; longer motions are sampled at a lower rate.
const MAX_FRAMES: usize = 60_000;

/// Calls `visit` with the time and pose of every frame that [`frames`] counts.
pub(crate) fn for_each_frame(
    skeleton: &Skeleton,
    animation: &Animation,
    mut visit: impl FnMut(f32, &ModelPose),
) {
    let (rate, count) = frames(animation);
    let mut sampler = Sampler::new(skeleton, animation);
    for frame in 0..count {
        let time = ((frame as f64 / rate) as f32).min(animation.length);
        visit(time, sampler.model_at(time));
    }
}

/// The rate at which an animation is sampled, however long it is.
pub(crate) fn dense_rate(animation: &Animation) -> f64 {
    match animation.frame_rate {
        Some(rate) if rate.is_finite() && rate >= MIN_OWN_RATE => rate,
        // A whole number of times per frame, so that no key is missed.
        Some(rate) if rate.is_finite() && rate > 1e-3 => {
            rate * libm::ceil(MIN_MEASURED_RATE / rate)
        }
        _ => MIN_MEASURED_RATE,
    }
}

/// The rate at which an animation is sampled, and the number of frames.
pub(crate) fn frames(animation: &Animation) -> (f64, usize) {
    let rate = dense_rate(animation);
    let count = f64::from(animation.length) * rate + 1.0 + 1e-3;
    if count > MAX_FRAMES as f64 {
        let rate = (MAX_FRAMES - 1) as f64 / f64::from(animation.length);
        return (rate, MAX_FRAMES);
    }
    (rate, count as usize)
}
