//! A part of a motion, joint by joint and frame by frame.

use super::find::{Cycle, CycleError};
use crate::edit::trim;
use crate::measure::dense_rate;
use alloc::vec::Vec;
use glam::{Quat, Vec3};
use sinew::anatomy::root_motion_joint;
use sinew::animation::{Animation, Channel, ChannelValue, Interpolation, KeyTimes, TransformTrack};
use sinew::internal::V3;
use sinew::math::GroundTransform;
use sinew::math::Rotation64;
use sinew::pose::Pose;
use sinew::sample::Sampler;
use sinew::skeleton::{JointIndex, Skeleton};

/// Frames of a loop, at most.
const MAX_FRAMES: usize = 200_000;

/// Where a joint is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) at: V3,
    pub(super) turn: Rotation64,
    pub(super) scale: V3,
}

impl Place {
    fn of(pose: &Pose, joint: JointIndex) -> Self {
        let own = pose.get(joint);
        Self {
            at: V3::from_vec3(own.position),
            turn: Rotation64::from_quat(own.rotation),
            scale: V3::from_vec3(own.scale),
        }
    }

    /// Moved over the ground.
    pub(super) fn moved(&self, by: &GroundTransform) -> Self {
        let [x, z] = by.apply([self.at.x, self.at.z]);
        Self {
            at: V3::new(x, self.at.y, z),
            turn: Rotation64::about_y(by.angle).mul(self.turn),
            scale: self.scale,
        }
    }

    /// What is in this one's frame, in the frame that this is in.
    fn after(&self, first: &Self) -> Self {
        Self {
            at: self.at + first.at.scaled(self.scale).turned(self.turn),
            turn: self.turn.mul(first.turn),
            scale: self.scale.scaled(first.scale),
        }
    }

    /// What is in the frame that this is in, in this one's.
    fn before(&self, whole: &Self) -> Self {
        let back = self.turn.inverse();
        let way = (whole.at - self.at).turned(back);
        let over = |a: V3, b: V3| V3::new(a.x / b.x, a.y / b.y, a.z / b.z);
        Self {
            at: over(way, self.scale),
            turn: back.mul(whole.turn),
            scale: over(whole.scale, self.scale),
        }
    }
}

/// The joints of a figure over the frames of a loop, the first frame again at the end.
#[derive(Clone, Debug)]
pub(super) struct LoopFrames {
    pub(super) rate: f64,
    /// By joints, then by frames: in the parent's frame, but the root in the model's.
    pub(super) joints: Vec<Vec<Place>>,
    /// The joint that carries the root motion.
    pub(super) root: JointIndex,
    /// The first frame, in seconds of the motion it was cut from, and the last.
    span: [f32; 2],
}

impl LoopFrames {
    /// The part of a motion between the frames nearest to a cycle's ends.
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
        if !(super::FEWEST_FRAMES..=MAX_FRAMES).contains(&count) {
            return Err(CycleError::TooShort {
                name: animation.name.clone(),
                length: cycle.end - cycle.start,
                needed: (super::FEWEST_FRAMES as f64 / rate) as f32,
            });
        }
        let mut joints: Vec<Vec<Place>> = skeleton
            .joints()
            .iter()
            .map(|_| Vec::with_capacity(count))
            .collect();
        let mut sampler = Sampler::new(skeleton, animation);
        for frame in from..=to {
            let time = ((frame as f64 / rate) as f32).min(animation.length);
            let pose = sampler.pose_at(time);
            for (index, places) in joints.iter_mut().enumerate() {
                places.push(Place::of(pose, index.into()));
            }
            if !sampler.model_at(time).is_finite() {
                return Err(CycleError::NotFinite {
                    name: animation.name.clone(),
                    time,
                });
            }
        }
        let seconds = |frame: usize| ((frame as f64 / rate) as f32).min(animation.length);
        let mut body = Self {
            rate,
            joints,
            root: root_motion_joint(skeleton, animation),
            span: [seconds(from), seconds(to)],
        };
        body.change_root(skeleton, |above, own| above.after(own));
        Ok(body)
    }

    /// How many frames there are, the first again at the end included.
    pub(super) fn count(&self) -> usize {
        self.joints.first().map_or(0, Vec::len)
    }

    /// In seconds.
    pub(super) fn length(&self) -> f64 {
        self.count().saturating_sub(1) as f64 / self.rate
    }

    /// The root, frame by frame.
    pub(super) fn travel(&self) -> &[Place] {
        self.joints
            .get(self.root.index())
            .map_or(&[][..], Vec::as_slice)
    }

    pub(super) fn travel_mut(&mut self) -> &mut [Place] {
        self.joints
            .get_mut(self.root.index())
            .map_or(&mut [][..], Vec::as_mut_slice)
    }

    /// Takes the whole move out of it, evenly from the first frame to the last.
    pub(super) fn stay(&mut self, whole: &GroundTransform) {
        let last = self.count().saturating_sub(1).max(1) as f64;
        for (frame, place) in self.travel_mut().iter_mut().enumerate() {
            *place = place.moved(&whole.fraction(frame as f64 / last).inverse());
        }
    }

    /// The pose of a frame, `turns` times on by a move.
    pub(super) fn pose(
        &self,
        skeleton: &Skeleton,
        frame: usize,
        on: &GroundTransform,
        pose: &mut Pose,
    ) {
        for (index, places) in self.joints.iter().enumerate() {
            let joint = JointIndex::from(index);
            let Some(own) = places.get(frame) else {
                continue;
            };
            let place = if joint == self.root {
                self.above(skeleton, frame).before(&own.moved(on))
            } else {
                *own
            };
            pose.set_position(joint, place.at.to_vec3());
            pose.set_rotation(joint, place.turn.to_quat());
            pose.set_scale(joint, place.scale.to_vec3());
        }
    }

    /// Takes over a pose as the frame of the first turn.
    pub(super) fn set_pose(
        &mut self,
        skeleton: &Skeleton,
        frame: usize,
        on: &GroundTransform,
        pose: &Pose,
    ) {
        for (index, places) in self.joints.iter_mut().enumerate() {
            if let Some(own) = places.get_mut(frame) {
                *own = Place::of(pose, index.into());
            }
        }
        let above = self.above(skeleton, frame);
        let index = self.root.index();
        if let Some(own) = self
            .joints
            .get_mut(index)
            .and_then(|own| own.get_mut(frame))
        {
            *own = above.after(own).moved(&on.inverse());
        }
    }

    /// What the root hangs on, in the model's frame.
    fn above(&self, skeleton: &Skeleton, frame: usize) -> Place {
        let mut whole: Option<Place> = None;
        let mut next = skeleton.joint(self.root).and_then(|joint| joint.parent);
        while let Some(joint) = next {
            if let Some(own) = self
                .joints
                .get(joint.index())
                .and_then(|own| own.get(frame))
            {
                whole = Some(whole.map_or(*own, |below| own.after(&below)));
            }
            next = skeleton.joint(joint).and_then(|joint| joint.parent);
        }
        whole.unwrap_or(Place {
            at: V3::ZERO,
            turn: Rotation64::IDENTITY,
            scale: V3::new(1.0, 1.0, 1.0),
        })
    }

    fn change_root(&mut self, skeleton: &Skeleton, change: impl Fn(&Place, &Place) -> Place) {
        for frame in 0..self.count() {
            let above = self.above(skeleton, frame);
            if let Some(own) = self.travel_mut().get_mut(frame) {
                *own = change(&above, own);
            }
        }
    }

    /// The part of the animation that this was cut from with these frames in it.
    pub(super) fn to_animation(&self, skeleton: &Skeleton, source: &Animation) -> Animation {
        let mut body = self.clone();
        body.change_root(skeleton, |above, own| above.before(own));
        let mut result = trim(source, self.span[0]..self.span[1]);
        result.frame_rate = Some(self.rate);
        result.length = self.length() as f32;
        for (joint, places) in skeleton.joints().iter().zip(&body.joints) {
            let found = result
                .tracks
                .iter()
                .rposition(|track| track.name == joint.name);
            let at = match found {
                Some(at) => at,
                // Joints without a track stay at rest, but for the one that travels.
                None if skeleton.find(&joint.name) == Some(self.root) => {
                    result.tracks.push(TransformTrack::new(&joint.name));
                    result.tracks.len() - 1
                }
                None => continue,
            };
            let track = &mut result.tracks[at];
            let positions = places.iter().map(|place| place.at.to_vec3());
            let mut rotations: Vec<Quat> =
                places.iter().map(|place| place.turn.to_quat()).collect();
            for key in 1..rotations.len() {
                rotations[key] = rotations[key].nearest_to(rotations[key - 1]);
            }
            let scales = places.iter().map(|place| place.scale.to_vec3());
            let rest = &joint.rest;
            track.position =
                self.channel(track.position.take(), rest.position, positions.collect());
            track.rotation = self.channel(track.rotation.take(), rest.rotation, rotations);
            track.scale = self.channel::<Vec3>(track.scale.take(), rest.scale, scales.collect());
        }
        result
    }

    /// A key on every frame where values change; what they are where they do not.
    fn channel<T: ChannelValue>(
        &self,
        own: Option<Channel<T>>,
        rest: T,
        values: Vec<T>,
    ) -> Option<Channel<T>> {
        let still = own.as_ref().map_or(rest, Channel::first);
        let is_still = own.as_ref().is_none_or(|own| own.values().len() == 1);
        if is_still && values.iter().all(|value| T::distance(*value, still) < 1e-6) {
            return own;
        }
        let times = KeyTimes::uniform(self.rate, values.len()).ok()?;
        Channel::new(times, values, Interpolation::Linear)
            .ok()
            .or(own)
    }
}
