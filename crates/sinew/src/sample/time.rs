//! A time at which tracks are sampled.

use crate::animation::{Channel, ChannelValue, KeyTimes, Segment, TransformTrack};
use crate::math::Transform;
use crate::pose::Pose;
use crate::skeleton::JointIndex;
use core::cell::Cell;

/// A time at which tracks of keys are sampled, once or as a loop.
///
/// The channels of captured motion share their key times, so the last segment found is cached and reused.
#[derive(Debug)]
pub(crate) struct SampleTime<'a> {
    seconds: f32,
    /// The length of the animation, if it is a loop.
    loop_length: Option<f32>,
    cached_segment: Cell<Option<(&'a KeyTimes, Segment)>>,
}

impl<'a> SampleTime<'a> {
    /// Creates a time of an animation that does not loop.
    #[inline]
    pub(crate) fn once(seconds: f32) -> Self {
        Self {
            seconds,
            loop_length: None,
            cached_segment: Cell::new(None),
        }
    }

    /// Creates a time of a loop of `length` seconds: after the last key it interpolates back to the first.
    #[inline]
    pub(crate) fn looped(seconds: f32, length: f32) -> Self {
        Self {
            loop_length: Some(length),
            ..Self::once(seconds)
        }
    }

    /// Returns the time at which an animation without keys is sampled: a loop at its end is at its beginning, to
    /// which keys that reach the end would interpolate.
    pub(crate) fn wrapped_seconds(&self) -> f32 {
        match self.loop_length {
            Some(length) if self.seconds >= length => 0.0,
            _ => self.seconds,
        }
    }

    /// Returns the keys around the time.
    #[inline]
    pub(crate) fn locate(&self, times: &'a KeyTimes) -> Segment {
        if let Some((cached_times, segment)) = self.cached_segment.get()
            && cached_times.is_shared_with(times)
        {
            return segment;
        }
        let segment = match self.loop_length {
            Some(length) => times.locate_looped(self.seconds, length),
            None => times.locate(self.seconds),
        };
        self.cached_segment.set(Some((times, segment)));
        segment
    }

    /// Samples a channel.
    #[inline]
    pub(crate) fn channel<T: ChannelValue>(&self, channel: &'a Channel<T>) -> T {
        channel.at(self.locate(channel.times()))
    }

    /// Samples the transform of a track, with the identity for missing channels.
    pub(crate) fn transform(&self, track: &'a TransformTrack) -> Transform {
        let mut transform = Transform::IDENTITY;
        if let Some(position) = &track.position {
            transform.position = self.channel(position);
        }
        if let Some(rotation) = &track.rotation {
            transform.rotation = self.channel(rotation);
        }
        if let Some(scale) = &track.scale {
            transform.scale = self.channel(scale);
        }
        transform
    }

    /// Samples the channels of a track into a joint of a pose.
    #[inline]
    pub(crate) fn sample(&self, track: &'a TransformTrack, joint: JointIndex, pose: &mut Pose) {
        if let Some(position) = &track.position {
            pose.set_position(joint, self.channel(position));
        }
        if let Some(rotation) = &track.rotation {
            pose.set_rotation(joint, self.channel(rotation));
        }
        if let Some(scale) = &track.scale {
            pose.set_scale(joint, self.channel(scale));
        }
    }
}
