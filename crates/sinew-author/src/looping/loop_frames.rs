//! The frames of a cycle, joint by joint, with the root joint in model space.
//!
//! [`LoopFrames::cut`] samples the cycle into `f64` transforms. The root joint is kept in model space, so that closing the seam and
//! moving over the ground are products with it alone; [`LoopFrames::to_animation`] converts it back to its parent's space and
//! writes a key per frame for every channel that changes. Linear in frames × joints.

use super::find::{Cycle, CycleError};
use crate::edit::trim;
use crate::error::NotFiniteError;
use crate::measure::dense_rate;
use alloc::vec::Vec;
use glam::{DQuat, DVec3, Quat, Vec3};
use sinew::anatomy::root_motion_joint;
use sinew::animation::{Animation, Channel, ChannelValue, Interpolation, KeyTimes, TransformTrack};
use sinew::math::{GroundTransform, dquat_from_quat, dquat_rotate, dquat_to_quat, rotation_y};
use sinew::pose::Pose;
use sinew::sample::Sampler;
use sinew::skeleton::{JointIndex, Skeleton};

/// Frames of a loop, at most.
const MAX_FRAMES: usize = 200_000;

/// A transform in `f64`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Transform64 {
    pub(super) position: DVec3,
    pub(super) rotation: DQuat,
    pub(super) scale: DVec3,
}

impl Transform64 {
    fn of(pose: &Pose, joint: JointIndex) -> Self {
        let transform = pose.get(joint);
        Self {
            position: transform.position.as_dvec3(),
            rotation: dquat_from_quat(transform.rotation),
            scale: transform.scale.as_dvec3(),
        }
    }

    /// The transform after a ground transform.
    pub(super) fn moved(&self, ground: &GroundTransform) -> Self {
        let [x, z] = ground.apply([self.position.x, self.position.z]);
        Self {
            position: DVec3::new(x, self.position.y, z),
            rotation: rotation_y(ground.angle) * self.rotation,
            scale: self.scale,
        }
    }

    /// `self · child`: from the space of `self` to that of its parent.
    fn compose(&self, child: &Self) -> Self {
        Self {
            position: self.position + dquat_rotate(self.rotation, child.position * self.scale),
            rotation: self.rotation * child.rotation,
            scale: self.scale * child.scale,
        }
    }

    /// `self⁻¹ · transform`: from the space of the parent of `self` to that of `self`.
    fn relative(&self, transform: &Self) -> Self {
        let back = self.rotation.conjugate();
        let offset = dquat_rotate(back, transform.position - self.position);
        Self {
            position: offset / self.scale,
            rotation: back * transform.rotation,
            scale: transform.scale / self.scale,
        }
    }
}

/// The joints over the frames of a loop, with the first frame again at the end.
#[derive(Clone, Debug)]
pub(super) struct LoopFrames {
    pub(super) rate: f64,
    /// By joint, then by frame: in local space, but the root in model space.
    pub(super) joints: Vec<Vec<Transform64>>,
    /// The root-motion joint.
    pub(super) root: JointIndex,
    /// The times of the first and the last frame in the source, in seconds.
    span: [f32; 2],
}

impl LoopFrames {
    /// Samples a motion between the frames nearest to a cycle's ends.
    pub(super) fn cut(
        skeleton: &Skeleton,
        animation: &Animation,
        cycle: &Cycle,
    ) -> Result<Self, CycleError> {
        let rate = dense_rate(animation);
        let last = (f64::from(animation.length) * rate + 1e-3) as usize;
        let frame = |time: f32| libm::rint(f64::from(time) * rate).max(0.0) as usize;
        let (from, to) = (frame(cycle.start), frame(cycle.end).min(last));
        let count = (to + 1).saturating_sub(from);
        if !(super::MIN_LOOP_FRAMES..=MAX_FRAMES).contains(&count) {
            return Err(CycleError::TooShort {
                name: animation.name.clone(),
                length: cycle.end - cycle.start,
                needed: (super::MIN_LOOP_FRAMES as f64 / rate) as f32,
            });
        }
        let mut joints: Vec<Vec<Transform64>> = skeleton
            .joints()
            .iter()
            .map(|_| Vec::with_capacity(count))
            .collect();
        let mut sampler = Sampler::new(skeleton, animation);
        for frame in from..=to {
            let time = ((frame as f64 / rate) as f32).min(animation.length);
            let pose = sampler.pose_at(time);
            for (index, transforms) in joints.iter_mut().enumerate() {
                transforms.push(Transform64::of(pose, index.into()));
            }
            if !sampler.model_at(time).is_finite() {
                return Err(CycleError::NotFinite(NotFiniteError {
                    name: animation.name.clone(),
                    time,
                }));
            }
        }
        let seconds = |frame: usize| ((frame as f64 / rate) as f32).min(animation.length);
        let mut frames = Self {
            rate,
            joints,
            root: root_motion_joint(skeleton, animation),
            span: [seconds(from), seconds(to)],
        };
        frames.change_root(skeleton, |above, root| above.compose(root));
        Ok(frames)
    }

    /// The number of frames, the first one again at the end included.
    pub(super) fn count(&self) -> usize {
        self.joints.first().map_or(0, Vec::len)
    }

    /// The length in seconds.
    pub(super) fn length(&self) -> f64 {
        self.count().saturating_sub(1) as f64 / self.rate
    }

    /// The root in model space, frame by frame.
    pub(super) fn travel(&self) -> &[Transform64] {
        self.joints
            .get(self.root.index())
            .map_or(&[][..], Vec::as_slice)
    }

    pub(super) fn travel_mut(&mut self) -> &mut [Transform64] {
        self.joints
            .get_mut(self.root.index())
            .map_or(&mut [][..], Vec::as_mut_slice)
    }

    /// Removes the travel, evenly from the first frame to the last.
    pub(super) fn remove_travel(&mut self, travel: &GroundTransform) {
        let last = self.count().saturating_sub(1).max(1) as f64;
        for (frame, transform) in self.travel_mut().iter_mut().enumerate() {
            *transform = transform.moved(&travel.fraction(frame as f64 / last).inverse());
        }
    }

    /// Writes the pose of a frame after the ground transform `on`.
    pub(super) fn pose(
        &self,
        skeleton: &Skeleton,
        frame: usize,
        on: &GroundTransform,
        pose: &mut Pose,
    ) {
        for (index, transforms) in self.joints.iter().enumerate() {
            let joint = JointIndex::from(index);
            let Some(transform) = transforms.get(frame) else {
                continue;
            };
            let transform = if joint == self.root {
                let above = self.above(skeleton, frame);
                above.relative(&transform.moved(on))
            } else {
                *transform
            };
            pose.set_position(joint, transform.position.as_vec3());
            pose.set_rotation(joint, dquat_to_quat(transform.rotation));
            pose.set_scale(joint, transform.scale.as_vec3());
        }
    }

    /// Sets a frame to a pose that is after the ground transform `on`.
    pub(super) fn set_pose(
        &mut self,
        skeleton: &Skeleton,
        frame: usize,
        on: &GroundTransform,
        pose: &Pose,
    ) {
        for (index, transforms) in self.joints.iter_mut().enumerate() {
            if let Some(transform) = transforms.get_mut(frame) {
                *transform = Transform64::of(pose, index.into());
            }
        }
        let above = self.above(skeleton, frame);
        let index = self.root.index();
        let transforms = self.joints.get_mut(index);
        if let Some(root) = transforms.and_then(|transforms| transforms.get_mut(frame)) {
            *root = above.compose(root).moved(&on.inverse());
        }
    }

    /// The root's parent in model space.
    fn above(&self, skeleton: &Skeleton, frame: usize) -> Transform64 {
        let mut product: Option<Transform64> = None;
        let mut next = skeleton.joint(self.root).and_then(|joint| joint.parent);
        while let Some(joint) = next {
            let transforms = self.joints.get(joint.index());
            if let Some(transform) = transforms.and_then(|transforms| transforms.get(frame)) {
                product = Some(product.map_or(*transform, |below| transform.compose(&below)));
            }
            next = skeleton.joint(joint).and_then(|joint| joint.parent);
        }
        product.unwrap_or(Transform64 {
            position: DVec3::ZERO,
            rotation: DQuat::IDENTITY,
            scale: DVec3::ONE,
        })
    }

    fn change_root(
        &mut self,
        skeleton: &Skeleton,
        change: impl Fn(&Transform64, &Transform64) -> Transform64,
    ) {
        for frame in 0..self.count() {
            let above = self.above(skeleton, frame);
            if let Some(root) = self.travel_mut().get_mut(frame) {
                *root = change(&above, root);
            }
        }
    }

    /// The cycle of the source animation with these frames as keys.
    pub(super) fn to_animation(&self, skeleton: &Skeleton, source: &Animation) -> Animation {
        let mut frames = self.clone();
        frames.change_root(skeleton, |above, root| above.relative(root));
        let mut result = trim(source, self.span[0]..self.span[1]);
        result.frame_rate = Some(self.rate);
        result.length = self.length() as f32;
        for (joint, transforms) in skeleton.joints().iter().zip(&frames.joints) {
            let found = result
                .tracks
                .iter()
                .rposition(|track| track.name == joint.name);
            let index = match found {
                Some(index) => index,
                // Joints without a track stay at rest, except the root-motion joint.
                None if skeleton.find(&joint.name) == Some(self.root) => {
                    result.tracks.push(TransformTrack::new(&joint.name));
                    result.tracks.len() - 1
                }
                None => continue,
            };
            let track = &mut result.tracks[index];
            let positions = transforms
                .iter()
                .map(|transform| transform.position.as_vec3());
            let mut rotations: Vec<Quat> = transforms
                .iter()
                .map(|transform| dquat_to_quat(transform.rotation))
                .collect();
            for key in 1..rotations.len() {
                rotations[key] = rotations[key].nearest_to(rotations[key - 1]);
            }
            let scales = transforms.iter().map(|transform| transform.scale.as_vec3());
            let rest = &joint.rest;
            track.position =
                self.channel(track.position.take(), rest.position, positions.collect());
            track.rotation = self.channel(track.rotation.take(), rest.rotation, rotations);
            track.scale = self.channel::<Vec3>(track.scale.take(), rest.scale, scales.collect());
        }
        result
    }

    /// A channel with a key on every frame; the source's channel if it is constant and the values equal it.
    fn channel<T: ChannelValue>(
        &self,
        source: Option<Channel<T>>,
        rest: T,
        values: Vec<T>,
    ) -> Option<Channel<T>> {
        let constant = source.as_ref().map_or(rest, Channel::first);
        let is_constant = (source.as_ref()).is_none_or(|source| source.values().len() == 1);
        let is_unchanged = |value: &T| T::distance(*value, constant) < 1e-6;
        if is_constant && values.iter().all(is_unchanged) {
            return source;
        }
        let times = KeyTimes::uniform(self.rate, values.len()).ok()?;
        Channel::new(times, values, Interpolation::Linear)
            .ok()
            .or(source)
    }
}
