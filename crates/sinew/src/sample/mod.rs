//! Sampling: evaluates an animation at a time into a pose.

mod sampler;
mod time;

pub use sampler::Sampler;
pub(crate) use time::SampleTime;

use crate::animation::Animation;
use crate::pose::{JointCountMismatch, Pose};
use crate::skeleton::{JointIndex, Skeleton};
use alloc::vec::Vec;

/// The joint of each track of an animation on a skeleton. Created once, by [`Animation::bind`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binding {
    joints: Vec<Option<JointIndex>>,
    joint_count: usize,
}

impl Binding {
    /// Returns the joint of each track, in track order; `None` if the skeleton has no joint of that name.
    pub fn joints(&self) -> &[Option<JointIndex>] {
        &self.joints
    }
}

impl Animation {
    /// Finds the joint of each track by name.
    pub fn bind(&self, skeleton: &Skeleton) -> Binding {
        let joints = self.tracks.iter().map(|track| skeleton.find(&track.name));
        Binding {
            joints: joints.collect(),
            joint_count: skeleton.len(),
        }
    }
}

/// Samples `animation` at `time` seconds into `pose`. Joints and channels without tracks are not changed, so start
/// from [`Pose::rest`]. Does not allocate.
///
/// The first and last values of a channel hold outside its keys. The time is clamped to the length; NaN is 0, as for
/// packed animations.
///
/// # Errors
/// If the pose and the binding have different numbers of joints.
pub fn sample(
    animation: &Animation,
    binding: &Binding,
    time: f32,
    pose: &mut Pose,
) -> Result<(), JointCountMismatch> {
    JointCountMismatch::check(binding.joint_count, pose.len())?;
    // `max` discards NaN.
    let time = time.max(0.0).min(animation.length);
    sample_beyond(animation, binding, time, pose);
    Ok(())
}

/// As [`sample`], without clamping to the length, after which there may be keys.
pub fn sample_beyond(animation: &Animation, binding: &Binding, time: f32, pose: &mut Pose) {
    let time = SampleTime::once(time);
    for (track, joint) in animation.tracks.iter().zip(&binding.joints) {
        if let Some(joint) = *joint {
            time.sample(track, joint, pose);
        }
    }
}
