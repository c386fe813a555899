//! Samples an animation at even frames for fitting, and finds how far errors of each joint carry.
//!
//! A lever converts an error of a joint's rotation (radians) or position (metres) to an error in model space: `reach` is the longest
//! distance along the bones from the joint to a vertex that it moves, `position` the largest scale above it, both the maximum over
//! up to 64 poses. Levers only rank removals; the search measures the decoded animation itself.

use super::fit::{FitError, MAX_FRAMES};
use crate::DEFAULT_FRAME_RATE;
use crate::measure::SHELL;
use alloc::vec::Vec;
use glam::{Quat, Vec3};
use sinew::animation::{Animation, Channel, TransformTrack};
use sinew::local_to_model;
use sinew::pose::{ModelPose, Pose};
use sinew::sample::{Binding, sample};
use sinew::skeleton::{JointIndex, Skeleton};

/// Poses in which levers are measured, at most.
const MAX_POSES: usize = 64;

/// An animation on a skeleton with evenly spaced frames, the first at its beginning and the last at its end.
pub(super) struct FitSource<'a> {
    pub(super) skeleton: &'a Skeleton,
    pub(super) animation: &'a Animation,
    binding: Binding,
    pub(super) frame_rate: f64,
    pub(super) frame_count: usize,
}

/// The channels of a joint.
#[derive(Clone, Copy, Default)]
pub(super) struct JointChannels<'a> {
    pub(super) rotation: Option<&'a Channel<Quat>>,
    pub(super) position: Option<&'a Channel<Vec3>>,
    pub(super) scale: Option<&'a Channel<Vec3>>,
}

/// How far errors of a joint carry in model space, at most.
#[derive(Clone, Copy, Default)]
pub(super) struct Lever {
    /// Metres in model space for one metre in the parent's space.
    pub(super) position: f32,
    /// Metres from the joint to the farthest vertex that it moves, along the bones.
    pub(super) reach: f32,
}

impl<'a> FitSource<'a> {
    pub(super) fn new(skeleton: &'a Skeleton, animation: &'a Animation) -> Result<Self, FitError> {
        let (frame_rate, frame_count) = frames(animation)?;
        Ok(Self {
            skeleton,
            animation,
            binding: animation.bind(skeleton),
            frame_rate,
            frame_count,
        })
    }

    /// The time of a frame, which may be fractional.
    pub(super) fn time(&self, frame: f64) -> f32 {
        ((frame / self.frame_rate) as f32).min(self.animation.length.max(0.0))
    }

    /// Samples the animation at a frame into `pose`.
    pub(super) fn sample(&self, frame: f64, pose: &mut Pose) {
        // Cannot fail: binding and pose are of the same skeleton.
        let _ = sample(self.animation, &self.binding, self.time(frame), pose);
    }

    /// The channels of each joint. If several tracks move one joint, the last one wins, as when sampling.
    pub(super) fn channels(&self) -> Vec<JointChannels<'a>> {
        let mut channels = alloc::vec![JointChannels::default(); self.skeleton.len()];
        for (track, joint) in self.animation.tracks.iter().zip(self.binding.joints()) {
            if let Some(joint) = joint.and_then(|joint| channels.get_mut(joint.index())) {
                joint.rotation = track.rotation.as_ref().or(joint.rotation);
                joint.position = track.position.as_ref().or(joint.position);
                joint.scale = track.scale.as_ref().or(joint.scale);
            }
        }
        channels
    }

    /// The levers of all joints in evenly spaced poses of the animation.
    pub(super) fn levers(&self) -> Vec<Lever> {
        let mut levers = alloc::vec![Lever::default(); self.skeleton.len()];
        let mut pose = Pose::rest(self.skeleton);
        let mut model = ModelPose::new(self.skeleton);
        let mut reaches = alloc::vec![0.0; self.skeleton.len()];
        let poses = self.frame_count.min(MAX_POSES);
        for step in 0..poses {
            let frame = step * (self.frame_count - 1) / (poses - 1).max(1);
            self.sample(frame as f64, &mut pose);
            let _ = local_to_model(self.skeleton, &pose, &mut model);
            self.extend_levers(&model, &mut levers, &mut reaches);
        }
        levers
    }

    fn extend_levers(&self, model: &ModelPose, levers: &mut [Lever], reaches: &mut [f32]) {
        reaches.fill(0.0);
        let joints = self.skeleton.joints().iter().enumerate();
        // Children come after their parents: in reverse order the reach of all children is known. Along the bones it is a
        // little more than the straight distance and needs one step per joint.
        for (index, joint) in joints.rev() {
            let position = model.position(index.into());
            let shell = SHELL as f32 * stretch(model, index.into());
            let tip = model.tip(self.skeleton, index.into());
            let tip = tip.map_or(0.0, |tip| (tip - position).length());
            let reach = reaches[index].max(shell).max(tip);
            let mut carried = 1.0;
            if let Some(parent) = joint.parent {
                carried = stretch(model, parent);
                let further = reach + (model.position(parent) - position).length();
                let above = &mut reaches[parent.index()];
                *above = above.max(further);
            }
            let lever = &mut levers[index];
            lever.position = lever.position.max(carried);
            lever.reach = lever.reach.max(reach);
        }
    }
}

/// The largest scale from a joint's space to model space.
fn stretch(model: &ModelPose, joint: JointIndex) -> f32 {
    let matrix = model.matrix(joint);
    let axes = [matrix.x_axis, matrix.y_axis, matrix.z_axis];
    let longest = axes.map(|axis| axis.truncate().length());
    longest.into_iter().fold(0.0, f32::max)
}

/// The rate at which an animation is sampled, and the number of frames. The rate is that of the animation or of its channels,
/// raised if no frame would be at the end.
fn frames(animation: &Animation) -> Result<(f64, usize), FitError> {
    let usable = |rate: &f64| rate.is_finite() && *rate > 0.0;
    let stated = animation.frame_rate.filter(usable);
    let rate = stated
        .or_else(|| highest_rate(animation).filter(usable))
        .unwrap_or(DEFAULT_FRAME_RATE);
    let mut counted = Animation::new("", animation.length);
    counted.frame_rate = Some(rate);
    let mut count = counted.frame_count();
    let length = f64::from(counted.length);
    let left = length * rate - (count - 1) as f64;
    let mut even = rate;
    // The length is an `f32`, whose rounding must not add a frame.
    if left > 1e-3 && left > length * rate * 1e-6 {
        count = count.saturating_add(1);
        even = (count - 1) as f64 / length;
    }
    if count > MAX_FRAMES {
        return Err(FitError::ClipTooLong { frames: count });
    }
    Ok((if usable(&even) { even } else { rate }, count))
}

/// The highest rate of the channels whose keys are evenly spaced.
fn highest_rate(animation: &Animation) -> Option<f64> {
    let rates = animation.tracks.iter().flat_map(|track: &TransformTrack| {
        let rotation = track.rotation.as_ref().map(Channel::times);
        let position = track.position.as_ref().map(Channel::times);
        let scale = track.scale.as_ref().map(Channel::times);
        [rotation, position, scale].into_iter().flatten()
    });
    let several = rates.filter(|times| times.len() > 1);
    several.filter_map(|times| times.rate()).reduce(f64::max)
}
