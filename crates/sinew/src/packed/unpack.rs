//! Packed animations as animations that can be edited.

use super::{Body, PackedAnimation};
use crate::animation::{
    Animation, Channel, ChannelWeights, Channels, Interpolation, KeyTimes, TransformTrack,
};
use crate::packed::PackedCursor;
use crate::pose::{JointCountMismatch, Pose};
use crate::simd::SimdLevel;
use crate::skeleton::Skeleton;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use glam::{Quat, Vec3};

impl PackedAnimation<'_> {
    /// The animation in its authoring form, with its notes: keys at the times of its rows or frames, joined by
    /// lines, for the channels that the source had tracks for.
    ///
    /// # Errors
    /// When the skeleton has another number of joints.
    pub fn to_animation(&self, skeleton: &Skeleton) -> Result<Animation, JointCountMismatch> {
        JointCountMismatch::check(self.joints, skeleton.len())?;
        let mut animation = self.notes.clone();
        let weights = core::mem::take(&mut animation.tracks);
        animation.tracks = match &self.body {
            Body::Plain(plain) => plain.animation.tracks.clone(),
            Body::Rows(rows) => self.tracks_at(&rows.times, skeleton)?,
            Body::Keys(keys) => match KeyTimes::uniform(keys.frame_rate(), keys.frame_count()) {
                Ok(times) => self.tracks_at(&times, skeleton)?,
                Err(_) => Vec::new(),
            },
        };
        let weights: BTreeMap<&str, ChannelWeights> = weights
            .iter()
            .map(|track| (&*track.name, track.weights))
            .collect();
        for track in &mut animation.tracks {
            let own = weights.get(&*track.name);
            track.weights = own.copied().unwrap_or(track.weights);
        }
        Ok(animation)
    }

    /// How many moments become keys in [`to_animation`](Self::to_animation): those of its rows or frames; 0 for
    /// an animation that is kept as its source is.
    pub fn moment_count(&self) -> usize {
        match &self.body {
            Body::Plain(_) => 0,
            Body::Rows(rows) => rows.head.rows as usize,
            Body::Keys(keys) => keys.frame_count(),
        }
    }

    fn tracks_at(
        &self,
        times: &KeyTimes,
        skeleton: &Skeleton,
    ) -> Result<Vec<TransformTrack>, JointCountMismatch> {
        #[derive(Clone, Default)]
        struct Keys {
            positions: Vec<Vec3>,
            rotations: Vec<Quat>,
            scales: Vec<Vec3>,
        }
        let mut keys = alloc::vec![Keys::default(); self.joints];
        let channels: Vec<Channels> = (0..self.joints)
            .map(|index| self.channels(index.into()))
            .collect();
        let mut cursor = PackedCursor::new();
        let mut pose = Pose::rest(skeleton);
        for time in times.iter() {
            // The last row may be after the end.
            self.sample_beyond(SimdLevel::best(), time, &mut cursor, &mut pose)?;
            for (index, (keys, channels)) in keys.iter_mut().zip(&channels).enumerate() {
                if channels.position {
                    keys.positions.push(pose.position(index.into()));
                }
                if channels.rotation {
                    keys.rotations.push(pose.rotation(index.into()));
                }
                if channels.scale {
                    keys.scales.push(pose.scale(index.into()));
                }
            }
        }
        // One key is enough for what does not change.
        fn channel<T: crate::animation::ChannelValue + PartialEq>(
            times: &KeyTimes,
            mut values: Vec<T>,
        ) -> Option<Channel<T>> {
            let first = *values.first()?;
            let is_constant = values.iter().all(|value| *value == first);
            let times = match KeyTimes::listed([0.0]) {
                Ok(once) if is_constant => {
                    values.truncate(1);
                    once
                }
                _ => times.clone(),
            };
            Channel::new(times, values, Interpolation::Linear).ok()
        }
        let tracks = keys
            .into_iter()
            .zip(skeleton.joints())
            .map(|(keys, joint)| TransformTrack {
                position: channel(times, keys.positions),
                rotation: channel(times, keys.rotations),
                scale: channel(times, keys.scales),
                ..TransformTrack::new(joint.name.clone())
            });
        Ok(tracks.filter(|track| !track.is_empty()).collect())
    }
}
