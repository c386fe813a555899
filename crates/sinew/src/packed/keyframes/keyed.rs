//! Animations as keys on curves: sampled in place, without decoding.
//!
//! Cost per sample: for each channel that moves, a binary search among its keys, four keys unpacked, and their weighted
//! sum (`curve`).

use super::curve::{RotationKeys, VectorKeys};
use crate::pose::{JointCountMismatch, Pose};
use crate::skeleton::JointIndex;
use alloc::vec::Vec;

/// An animation as keys on curves, fitted by `sinew_author::keyframes::fit` or read from bytes; sampled without
/// decoding.
///
/// It is for one skeleton and addresses joints by index. Construction and reading validate it, so sampling fails only
/// if the pose has another number of joints.
#[derive(Clone, Debug, PartialEq)]
pub struct KeyedAnimation {
    /// Joints of the skeleton.
    #[doc(hidden)]
    pub joint_count: u32,
    /// 1 to 65,536.
    #[doc(hidden)]
    pub frame_count: u32,
    /// Positive and finite.
    #[doc(hidden)]
    pub frame_rate: f64,
    #[doc(hidden)]
    pub error: f64,
    /// Sorted by joint, one per joint.
    #[doc(hidden)]
    pub tracks: Vec<JointKeys>,
}

/// The keys of a joint; at least one of the three channels.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs, reason = "shared with sinew-author only")]
pub struct JointKeys {
    /// Below the number of joints.
    pub joint: u32,
    pub rotation: Option<RotationKeys>,
    pub position: Option<VectorKeys>,
    pub scale: Option<VectorKeys>,
}

impl KeyedAnimation {
    /// Samples the animation at `time` seconds into `pose`. Joints and channels without keys are not changed, so
    /// start from [`Pose::rest`]. Does not allocate.
    ///
    /// The time is clamped to the animation; NaN is 0.
    ///
    /// # Errors
    /// If the pose has another number of joints.
    pub fn sample(&self, time: f32, pose: &mut Pose) -> Result<(), JointCountMismatch> {
        JointCountMismatch::check(self.joint_count as usize, pose.len())?;
        // `max` discards NaN.
        self.sample_frame((f64::from(time) * self.frame_rate).max(0.0), pose);
        Ok(())
    }

    /// As [`sample`](Self::sample), for a loop: the time is taken modulo the length, and negative times count back
    /// from the end. The last frame and the first are the same moment.
    ///
    /// # Errors
    /// As [`sample`](Self::sample).
    pub fn sample_looped(&self, time: f32, pose: &mut Pose) -> Result<(), JointCountMismatch> {
        JointCountMismatch::check(self.joint_count as usize, pose.len())?;
        let last = self.last_frame();
        let frame = f64::from(time) * self.frame_rate;
        let rest = if last > 0.0 {
            libm::fmod(frame, last)
        } else {
            0.0
        };
        let wrapped = if rest < 0.0 { rest + last } else { rest };
        self.sample_frame(wrapped.max(0.0), pose);
        Ok(())
    }

    /// Samples at a frame, possibly fractional; `frame` is not negative, and the pose fits.
    #[doc(hidden)]
    pub fn sample_frame(&self, frame: f64, pose: &mut Pose) {
        let frame = frame.min(self.last_frame());
        for track in &self.tracks {
            let joint = JointIndex(track.joint);
            if let Some(rotation) = &track.rotation {
                pose.set_rotation(joint, rotation.sample(frame));
            }
            if let Some(position) = &track.position {
                pose.set_position(joint, position.sample(frame));
            }
            if let Some(scale) = &track.scale {
                pose.set_scale(joint, scale.sample(frame));
            }
        }
    }

    fn last_frame(&self) -> f64 {
        f64::from(self.frame_count.saturating_sub(1))
    }

    /// Returns the length in seconds, from the first frame to the last.
    pub fn length(&self) -> f32 {
        (self.last_frame() / self.frame_rate) as f32
    }

    /// Returns the frame rate of the source; keys are on frames.
    pub fn frame_rate(&self) -> f64 {
        self.frame_rate
    }

    /// Returns the number of frames of the source, the last included; 1 to 65,536.
    pub fn frame_count(&self) -> usize {
        self.frame_count as usize
    }

    /// Returns the number of joints of the skeleton.
    pub fn joint_count(&self) -> usize {
        self.joint_count as usize
    }

    /// Returns the animated joints in order.
    pub fn joints(&self) -> impl Iterator<Item = JointIndex> {
        self.tracks.iter().map(|track| JointIndex(track.joint))
    }

    /// Returns the animated channels of a joint.
    pub fn channels(&self, joint: JointIndex) -> crate::animation::Channels {
        let found = self
            .tracks
            .binary_search_by_key(&joint.0, |track| track.joint);
        let track = found.ok().and_then(|index| self.tracks.get(index));
        track.map_or_else(Default::default, |track| crate::animation::Channels {
            position: track.position.is_some(),
            rotation: track.rotation.is_some(),
            scale: track.scale.is_some(),
        })
    }

    /// Returns the error in metres: the maximum of an `sinew_author::measure::ErrorMeter` over all frames and the
    /// midpoints between them.
    pub fn error(&self) -> f64 {
        self.error
    }

    /// Returns the total number of keys of rotations, positions and scales.
    pub fn key_count(&self) -> usize {
        let counts = self.tracks.iter().flat_map(JointKeys::counts);
        counts.sum()
    }

    /// Returns the number of rotation keys.
    pub fn rotation_key_count(&self) -> usize {
        let tracks = self.tracks.iter();
        tracks.map(|track| track.counts()[0]).sum()
    }

    /// Returns the frames of a joint's rotation keys; empty if it has none.
    pub fn rotation_frames(&self, joint: JointIndex) -> &[u16] {
        let found = self.tracks.iter().find(|track| track.joint == joint.0);
        let rotation = found.and_then(|track| track.rotation.as_ref());
        rotation.map_or(&[], |rotation| &rotation.times)
    }
}

impl JointKeys {
    /// Returns the number of keys of rotation, position and scale.
    fn counts(&self) -> [usize; 3] {
        let vector = |keys: &Option<VectorKeys>| keys.as_ref().map_or(0, |keys| keys.times.len());
        let rotation = self.rotation.as_ref().map_or(0, |keys| keys.times.len());
        [rotation, vector(&self.position), vector(&self.scale)]
    }
}
