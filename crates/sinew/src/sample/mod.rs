//! Sampling: an animation at a moment, as a pose.

mod sampler;
mod time;

pub use sampler::Sampler;
pub(crate) use time::SampleTime;

use crate::animation::Animation;
use crate::pose::{JointCountMismatch, Pose};
use crate::skeleton::{JointIndex, Skeleton};
use alloc::vec::Vec;

/// Which joint each track of an animation moves on a skeleton. Made once, by [`Animation::bind`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binding {
    joints: Vec<Option<JointIndex>>,
    joint_count: usize,
}

impl Binding {
    /// The joint of each track, in the order of the tracks; `None` where the skeleton has none of the
    /// track's name.
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

/// Puts the joints that an animation moves where they are at `time` seconds. Joints and channels that it
/// does not move stay as they are, so start from [`Pose::rest`]. Does not allocate.
///
/// Before the first key of a channel its value holds, and after the last one. NaN and negative times are 0, and times
/// after the end are the end, as for packed animations.
///
/// # Errors
/// When the pose and the binding were made for skeletons of different sizes.
pub fn sample(
    animation: &Animation,
    binding: &Binding,
    time: f32,
    pose: &mut Pose,
) -> Result<(), JointCountMismatch> {
    JointCountMismatch::check(binding.joint_count, pose.len())?;
    // NaN is lost in the maximum.
    let time = time.max(0.0).min(animation.length);
    sample_beyond(animation, binding, time, pose);
    Ok(())
}

/// As [`sample`], also after the end, where there may still be keys.
pub fn sample_beyond(animation: &Animation, binding: &Binding, time: f32, pose: &mut Pose) {
    let time = SampleTime::once(time);
    for (track, joint) in animation.tracks.iter().zip(&binding.joints) {
        if let Some(joint) = *joint {
            time.sample(track, joint, pose);
        }
    }
}
