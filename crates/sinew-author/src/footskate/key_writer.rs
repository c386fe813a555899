//! Writes changed frames as keys of an animation.
//!
//! Changes are collected by joint; a changed channel becomes one linear key per frame (its own keys if it has that rate already),
//! channels without changes are copied, so that untouched frames keep their bits.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use glam::{Quat, Vec3};
use sinew::Transform;
use sinew::animation::{Animation, Channel, ChannelValue, Interpolation, KeyTimes, TransformTrack};
use sinew::skeleton::{JointIndex, Skeleton};

/// A change of one joint's position at a frame.
#[derive(Clone, Copy, Debug)]
enum PositionChange {
    Set(Vec3),
    Scale(f32),
}

/// The changes of an animation, by joint and frame.
#[derive(Clone, Debug)]
pub(crate) struct KeyWriter {
    rate: f64,
    count: usize,
    rotations: BTreeMap<JointIndex, Vec<(usize, Quat)>>,
    positions: BTreeMap<JointIndex, Vec<(usize, PositionChange)>>,
}

impl KeyWriter {
    /// No changes, of `count` frames at `rate` per second.
    pub(crate) fn new(rate: f64, count: usize) -> Self {
        Self {
            rate,
            count,
            rotations: BTreeMap::new(),
            positions: BTreeMap::new(),
        }
    }

    pub(crate) fn set_rotation(&mut self, joint: JointIndex, frame: usize, rotation: Quat) {
        let changes = self.rotations.entry(joint).or_default();
        changes.push((frame, rotation));
    }

    pub(crate) fn set_position(&mut self, joint: JointIndex, frame: usize, position: Vec3) {
        let changes = self.positions.entry(joint).or_default();
        changes.push((frame, PositionChange::Set(position)));
    }

    /// Multiplies the position by a factor.
    pub(crate) fn scale_position(&mut self, joint: JointIndex, frame: usize, factor: f32) {
        let changes = self.positions.entry(joint).or_default();
        changes.push((frame, PositionChange::Scale(factor)));
    }

    /// The animation with the changes.
    pub(crate) fn onto(&self, skeleton: &Skeleton, animation: &Animation) -> Animation {
        let mut result = animation.clone();
        for (&joint, changes) in &self.rotations {
            self.change(skeleton, &mut result, joint, |track, rest| {
                let mut values = self.values(track.rotation.as_ref(), rest.rotation);
                for &(frame, rotation) in changes {
                    if let Some(value) = values.get_mut(frame) {
                        *value = rotation.nearest_to(*value);
                    }
                }
                track.rotation = self.channel(values).or(track.rotation.take());
            });
        }
        for (&joint, changes) in &self.positions {
            self.change(skeleton, &mut result, joint, |track, rest| {
                let mut values = self.values(track.position.as_ref(), rest.position);
                for &(frame, change) in changes {
                    if let Some(value) = values.get_mut(frame) {
                        *value = match change {
                            PositionChange::Set(position) => position,
                            PositionChange::Scale(factor) => *value * factor,
                        };
                    }
                }
                track.position = self.channel(values).or(track.position.take());
            });
        }
        result
    }

    fn change(
        &self,
        skeleton: &Skeleton,
        animation: &mut Animation,
        joint: JointIndex,
        change: impl FnOnce(&mut TransformTrack, &Transform),
    ) {
        let Some(joint) = skeleton.joint(joint) else {
            return;
        };
        let found = animation
            .tracks
            .iter()
            .rposition(|track| track.name == joint.name);
        let index = found.unwrap_or_else(|| {
            animation.tracks.push(TransformTrack::new(&joint.name));
            animation.tracks.len() - 1
        });
        change(&mut animation.tracks[index], &joint.rest);
    }

    /// A channel's value at every frame; all of its keys if it has one per frame already.
    fn values<T: ChannelValue>(&self, channel: Option<&Channel<T>>, rest: T) -> Vec<T> {
        let Some(channel) = channel else {
            return alloc::vec![rest; self.count];
        };
        let is_dense = channel.interpolation() == Interpolation::Linear
            && channel.times().rate() == Some(self.rate)
            && channel.values().len() >= self.count;
        if is_dense {
            return channel.values().to_vec();
        }
        let times = (0..self.count).map(|frame| (frame as f64 / self.rate) as f32);
        times.map(|time| channel.sample(time)).collect()
    }

    /// A linear channel with a key per frame; `None` if the values are not valid keys.
    fn channel<T: ChannelValue>(&self, values: Vec<T>) -> Option<Channel<T>> {
        let times = KeyTimes::uniform(self.rate, values.len()).ok()?;
        Channel::new(times, values, Interpolation::Linear).ok()
    }
}
