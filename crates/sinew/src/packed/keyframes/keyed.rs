//! Animations as keys on curves.

use super::curve::{RotationKeys, VectorKeys};
use crate::pose::{JointCountMismatch, Pose};
use crate::skeleton::JointIndex;
use alloc::vec::Vec;

/// An animation as keys on curves, made by `sinew_author::keyframes::fit` or read from bytes; sampled as it is.
///
/// It is made for one skeleton and knows joints by position. What it holds is checked when it is made or
/// read, so sampling cannot fail but on a pose of another size.
#[derive(Clone, Debug, PartialEq)]
pub struct KeyedAnimation {
    /// Joints of the skeleton.
    #[doc(hidden)]
    pub joint_count: u32,
    /// 1 to 65,536.
    #[doc(hidden)]
    pub frame_count: u32,
    /// Above zero and finite.
    #[doc(hidden)]
    pub frame_rate: f64,
    #[doc(hidden)]
    pub error: f64,
    /// In the order of their joints, one for each.
    #[doc(hidden)]
    pub tracks: Vec<JointKeys>,
}

/// What is known of one joint; at least one of the three.
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
    /// Puts the joints that it moves where they are at `time` seconds; others, and what it does not move
    /// of them, stay as they are, so start from [`Pose::rest`]. Does not allocate.
    ///
    /// Times before the beginning are the beginning, and so is a time that is no number; times after the
    /// end are the end.
    ///
    /// # Errors
    /// When the pose is of a skeleton of another size.
    pub fn sample(&self, time: f32, pose: &mut Pose) -> Result<(), JointCountMismatch> {
        JointCountMismatch::check(self.joint_count as usize, pose.len())?;
        // What is no number is lost in the maximum.
        self.sample_frame((f64::from(time) * self.frame_rate).max(0.0), pose);
        Ok(())
    }

    /// As [`sample`](Self::sample), for an animation that starts again at its end: whole lengths are taken
    /// off the time, and times before the beginning count back from the end. The last frame and the first
    /// are one moment.
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

    /// Samples at a frame, whole or not; `frame` is not negative, and the pose fits.
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

    /// In seconds: from the first frame to the last.
    pub fn length(&self) -> f32 {
        (self.last_frame() / self.frame_rate) as f32
    }

    /// Frames per second of what it was made of; keys are on frames.
    pub fn frame_rate(&self) -> f64 {
        self.frame_rate
    }

    /// Frames of what it was made of, the last included; 1 to 65,536.
    pub fn frame_count(&self) -> usize {
        self.frame_count as usize
    }

    /// How many joints the skeleton has that it is for.
    pub fn joint_count(&self) -> usize {
        self.joint_count as usize
    }

    /// The joints that it moves, in order.
    pub fn joints(&self) -> impl Iterator<Item = JointIndex> {
        self.tracks.iter().map(|track| JointIndex(track.joint))
    }

    /// How many bytes a joint takes of those that [`write_into`](Self::write_into) writes.
    pub fn joint_bytes(&self, joint: JointIndex) -> usize {
        let own = self.tracks.iter().filter(|track| track.joint == joint.0);
        own.map(super::bytes::track_len).sum()
    }

    /// What it moves of a joint.
    pub fn channels(&self, joint: JointIndex) -> crate::animation::Channels {
        let at = self
            .tracks
            .binary_search_by_key(&joint.0, |track| track.joint);
        let found = at.ok().and_then(|at| self.tracks.get(at));
        found.map_or_else(Default::default, |track| crate::animation::Channels {
            position: track.position.is_some(),
            rotation: track.rotation.is_some(),
            scale: track.scale.is_some(),
        })
    }

    /// How far it is from what it was made of, in metres: what an `sinew_author::measure::ErrorMeter`
    /// measured at most, at all frames and half way between them.
    pub fn error(&self) -> f64 {
        self.error
    }

    /// How many keys there are, of rotations, positions and scales together.
    pub fn key_count(&self) -> usize {
        let counts = self.tracks.iter().flat_map(JointKeys::counts);
        counts.sum()
    }

    /// How many keys of rotations there are.
    pub fn rotation_key_count(&self) -> usize {
        let tracks = self.tracks.iter();
        tracks.map(|track| track.counts()[0]).sum()
    }

    /// The frames at which a joint's rotation has keys; none when it does not turn.
    pub fn rotation_frames(&self, joint: JointIndex) -> &[u16] {
        let found = self.tracks.iter().find(|track| track.joint == joint.0);
        let rotation = found.and_then(|track| track.rotation.as_ref());
        rotation.map_or(&[], |rotation| &rotation.times)
    }
}

impl JointKeys {
    /// How many keys of rotation, position and scale.
    fn counts(&self) -> [usize; 3] {
        let vector = |keys: &Option<VectorKeys>| keys.as_ref().map_or(0, |keys| keys.times.len());
        let rotation = self.rotation.as_ref().map_or(0, |keys| keys.times.len());
        [rotation, vector(&self.position), vector(&self.scale)]
    }
}
