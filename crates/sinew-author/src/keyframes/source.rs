//! What is fitted: an animation, frame by frame.

use super::fit::{FitError, MAX_FRAMES};
use crate::measure::SHELL;
use alloc::vec::Vec;
use glam::{Quat, Vec3};
use sinew::animation::{Animation, Channel, TransformTrack};
use sinew::local_to_model;
use sinew::pose::{ModelPose, Pose};
use sinew::sample::{Binding, sample};
use sinew::skeleton::{JointIndex, Skeleton};

/// Frames per second of an animation that has no rate of its own: those of most screens.
const USUAL_RATE: f64 = 60.0;

/// Poses, at most, in which it is looked at how far joints carry.
const LOOKS: usize = 64;

/// An animation on a skeleton with even frames, the first at its beginning and the last at its end.
pub(super) struct FitSource<'a> {
    pub(super) skeleton: &'a Skeleton,
    pub(super) animation: &'a Animation,
    binding: Binding,
    pub(super) frame_rate: f64,
    pub(super) frame_count: usize,
}

/// The channels of a joint.
#[derive(Clone, Copy, Default)]
pub(super) struct Channels<'a> {
    pub(super) rotation: Option<&'a Channel<Quat>>,
    pub(super) position: Option<&'a Channel<Vec3>>,
    pub(super) scale: Option<&'a Channel<Vec3>>,
}

/// How far errors of a joint carry, at most.
#[derive(Clone, Copy, Default)]
pub(super) struct Lever {
    /// Metres in the model for one metre in the parent's frame.
    pub(super) position: f32,
    /// Metres from the joint to the furthest vertex that it carries, along the bones.
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

    /// The time of a frame, whole or not.
    pub(super) fn time(&self, frame: f64) -> f32 {
        ((frame / self.frame_rate) as f32).min(self.animation.length.max(0.0))
    }

    /// Puts a pose of the skeleton where the animation has it.
    pub(super) fn sample(&self, frame: f64, pose: &mut Pose) {
        // Binding and pose are of the same skeleton.
        let _ = sample(self.animation, &self.binding, self.time(frame), pose);
    }

    /// What moves each joint. Of two tracks for one the later counts, as when they are sampled.
    pub(super) fn channels(&self) -> Vec<Channels<'a>> {
        let mut channels = alloc::vec![Channels::default(); self.skeleton.len()];
        for (track, joint) in self.animation.tracks.iter().zip(self.binding.joints()) {
            if let Some(own) = joint.and_then(|joint| channels.get_mut(joint.index())) {
                own.rotation = track.rotation.as_ref().or(own.rotation);
                own.position = track.position.as_ref().or(own.position);
                own.scale = track.scale.as_ref().or(own.scale);
            }
        }
        channels
    }

    /// How far each joint carries in the poses of the animation.
    pub(super) fn levers(&self) -> Vec<Lever> {
        let mut levers = alloc::vec![Lever::default(); self.skeleton.len()];
        let mut pose = Pose::rest(self.skeleton);
        let mut model = ModelPose::new(self.skeleton);
        let mut reaches = alloc::vec![0.0; self.skeleton.len()];
        let looks = self.frame_count.min(LOOKS);
        for look in 0..looks {
            let frame = look * (self.frame_count - 1) / (looks - 1).max(1);
            self.sample(frame as f64, &mut pose);
            let _ = local_to_model(self.skeleton, &pose, &mut model);
            self.lengthen(&model, &mut levers, &mut reaches);
        }
        levers
    }

    fn lengthen(&self, model: &ModelPose, levers: &mut [Lever], reaches: &mut [f32]) {
        reaches.fill(0.0);
        let joints = self.skeleton.joints().iter().enumerate();
        // Children come after their parents: backwards, what a joint carries is known before it is. It is
        // taken along the bones, which is a little more than it is and needs one step per joint.
        for (index, joint) in joints.rev() {
            let own = model.position(index.into());
            let shell = SHELL as f32 * stretch(model, index.into());
            let tip = model.tip(self.skeleton, index.into());
            let tip = tip.map_or(0.0, |tip| (tip - own).length());
            let reach = reaches[index].max(shell).max(tip);
            let mut carried = 1.0;
            if let Some(parent) = joint.parent {
                carried = stretch(model, parent);
                let further = reach + (model.position(parent) - own).length();
                let above = &mut reaches[parent.index()];
                *above = above.max(further);
            }
            let lever = &mut levers[index];
            lever.position = lever.position.max(carried);
            lever.reach = lever.reach.max(reach);
        }
    }
}

/// How much longer something can be in the model's frame than in a joint's.
fn stretch(model: &ModelPose, joint: JointIndex) -> f32 {
    let matrix = model.matrix(joint);
    let axes = [matrix.x_axis, matrix.y_axis, matrix.z_axis];
    let longest = axes.map(|axis| axis.truncate().length());
    longest.into_iter().fold(0.0, f32::max)
}

/// The rate at which an animation is looked at, and how many frames that makes. The rate is its own,
/// or that of its channels, made higher where frames would not meet its end.
fn frames(animation: &Animation) -> Result<(f64, usize), FitError> {
    let usable = |rate: &f64| rate.is_finite() && *rate > 0.0;
    let own = animation.frame_rate.filter(usable);
    let rate = own
        .or_else(|| fastest(animation).filter(usable))
        .unwrap_or(USUAL_RATE);
    let mut counted = Animation::new("", animation.length);
    counted.frame_rate = Some(rate);
    let mut count = counted.frame_count();
    let length = f64::from(counted.length);
    let left = length * rate - (count - 1) as f64;
    let mut even = rate;
    // The length is rounded to f32, which makes no frame.
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
fn fastest(animation: &Animation) -> Option<f64> {
    let rates = animation.tracks.iter().flat_map(|track: &TransformTrack| {
        let rotation = track.rotation.as_ref().map(Channel::times);
        let position = track.position.as_ref().map(Channel::times);
        let scale = track.scale.as_ref().map(Channel::times);
        [rotation, position, scale].into_iter().flatten()
    });
    let several = rates.filter(|times| times.len() > 1);
    several.filter_map(|times| times.rate()).reduce(f64::max)
}
