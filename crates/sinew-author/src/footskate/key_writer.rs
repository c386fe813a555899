//! Frames that were changed, as keys of an animation.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use glam::{Quat, Vec3};
use sinew::Transform;
use sinew::animation::{Animation, Channel, ChannelValue, Interpolation, KeyTimes, TransformTrack};
use sinew::skeleton::{JointIndex, Skeleton};

/// A change of one joint's position at a frame.
#[derive(Clone, Copy, Debug)]
enum Position {
    Set(Vec3),
    Scale(f32),
}

/// What is changed of an animation, by joints and frames.
#[derive(Clone, Debug)]
pub(crate) struct KeyWriter {
    rate: f64,
    count: usize,
    rotations: BTreeMap<JointIndex, Vec<(usize, Quat)>>,
    positions: BTreeMap<JointIndex, Vec<(usize, Position)>>,
}

impl KeyWriter {
    /// Nothing, of `count` frames at `rate` per second.
    pub(crate) fn new(rate: f64, count: usize) -> Self {
        Self {
            rate,
            count,
            rotations: BTreeMap::new(),
            positions: BTreeMap::new(),
        }
    }

    pub(crate) fn set_rotation(&mut self, joint: JointIndex, frame: usize, rotation: Quat) {
        let own = self.rotations.entry(joint).or_default();
        own.push((frame, rotation));
    }

    pub(crate) fn set_position(&mut self, joint: JointIndex, frame: usize, position: Vec3) {
        let own = self.positions.entry(joint).or_default();
        own.push((frame, Position::Set(position)));
    }

    /// Makes the position, whatever it is, so many times as long.
    pub(crate) fn scale_position(&mut self, joint: JointIndex, frame: usize, by: f32) {
        let own = self.positions.entry(joint).or_default();
        own.push((frame, Position::Scale(by)));
    }

    /// The animation with the changes; channels without any stay as they are.
    pub(crate) fn onto(&self, skeleton: &Skeleton, animation: &Animation) -> Animation {
        let mut result = animation.clone();
        for (&joint, changes) in &self.rotations {
            self.change(skeleton, &mut result, joint, |track, rest| {
                let mut values = self.values(track.rotation.as_ref(), rest.rotation);
                for &(frame, rotation) in changes {
                    if let Some(own) = values.get_mut(frame) {
                        *own = rotation.nearest_to(*own);
                    }
                }
                track.rotation = self.channel(values).or(track.rotation.take());
            });
        }
        for (&joint, changes) in &self.positions {
            self.change(skeleton, &mut result, joint, |track, rest| {
                let mut values = self.values(track.position.as_ref(), rest.position);
                for &(frame, change) in changes {
                    if let Some(own) = values.get_mut(frame) {
                        *own = match change {
                            Position::Set(position) => position,
                            Position::Scale(by) => *own * by,
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
        let at = found.unwrap_or_else(|| {
            animation.tracks.push(TransformTrack::new(&joint.name));
            animation.tracks.len() - 1
        });
        change(&mut animation.tracks[at], &joint.rest);
    }

    /// A channel's values at every frame, and further keys of its own where it has these at the same rate.
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

    /// Lines through a value on every frame; `None` for values that cannot be keys.
    fn channel<T: ChannelValue>(&self, values: Vec<T>) -> Option<Channel<T>> {
        let times = KeyTimes::uniform(self.rate, values.len()).ok()?;
        Channel::new(times, values, Interpolation::Linear).ok()
    }
}
