//! Pass 1: samples the animation at evenly spaced times.
//!
//! Chooses a frame rate such that every key is on a sample where that is possible, and samples every joint at `time =
//! sample / rate`. Rotations are kept in the hemisphere of the sample before (`dot < 0` flips the sign), so that
//! coordinates of neighbouring samples can be interpolated and predicted. The cost is one pose per sample. How rates
//! are chosen: [`rate`].

use super::settings::CompressError;
use crate::DEFAULT_FRAME_RATE;
use alloc::vec::Vec;
use glam::{Quat, Vec3};
use sinew::animation::{Animation, Channel, ChannelValue, KeyTimes};
use sinew::internal::packed::{LARGEST_NUMBER, MAX_SAMPLES};
use sinew::internal::sample_beyond;
use sinew::math::{quat_dot, quat_negate};
use sinew::pose::Pose;
use sinew::sample::{Binding, sample};
use sinew::skeleton::Skeleton;

/// The lowest frames per second at which an animation that states its rate is sampled: below film's 23.976.
const MIN_STATED_RATE: f64 = 23.9;

/// Transforms in the samples of one animation, at most: more than an hour of a figure at 120 frames per second, and
/// less than a gigabyte.
const MAX_TRANSFORMS: usize = 1 << 24;

/// The stated rate is sampled besides that of the keys, if it is at most this many times as high.
const MAX_STATED_RATIO: f64 = 4.0;

/// Samples are at most eight frames apart (decimation), and eight samples take at least a byte.
const FRAMES_PER_BYTE: usize = 64;

/// An animation on a skeleton, and its frame rate.
pub(super) struct Source<'a> {
    pub(super) skeleton: &'a Skeleton,
    pub(super) animation: &'a Animation,
    pub(super) binding: Binding,
    /// Frames per second, and how many there are.
    pub(super) rate: f64,
    pub(super) frames: usize,
    /// Which of position, rotation and scale of each joint have a track.
    pub(super) moved: Vec<[bool; 3]>,
}

/// The transforms of a joint in all samples.
#[derive(Clone, Debug, Default)]
pub(super) struct JointSamples {
    pub(super) positions: Vec<Vec3>,
    /// Each in the hemisphere of the one before.
    pub(super) rotations: Vec<Quat>,
    pub(super) scales: Vec<Vec3>,
}

/// The animation at evenly spaced times.
pub(super) struct SampledMotion {
    /// Samples per second.
    pub(super) rate: f64,
    pub(super) sample_count: usize,
    pub(super) joints: Vec<JointSamples>,
}

impl<'a> Source<'a> {
    pub(super) fn new(skeleton: &'a Skeleton, animation: &'a Animation) -> Self {
        let binding = animation.bind(skeleton);
        let mut moved = alloc::vec![[false; 3]; skeleton.len()];
        for (track, joint) in animation.tracks.iter().zip(binding.joints()) {
            if let Some(moved) = joint.and_then(|joint| moved.get_mut(joint.index())) {
                let channels = track.channels();
                moved[0] |= channels.position;
                moved[1] |= channels.rotation;
                moved[2] |= channels.scale;
            }
        }
        let rate = rate(animation);
        let whole = f64::from(animation.length.max(0.0)) * rate;
        // The length is an `f32`: without the margin, rounding up would add a frame after the end.
        let frames = libm::ceil(whole * (1.0 - 1.2e-7) - 1e-6).max(0.0) as usize;
        let frames = frames.saturating_add(1);
        Self {
            skeleton,
            animation,
            binding,
            rate,
            frames,
            moved,
        }
    }

    /// The largest number of samples.
    pub(super) fn max_samples(&self) -> usize {
        MAX_SAMPLES.min(MAX_TRANSFORMS / self.skeleton.len())
    }

    /// Whether samples take at least `plain` bytes: few keys that are far apart.
    pub(super) fn has_fewer_bytes(&self, plain: usize) -> bool {
        self.frames / FRAMES_PER_BYTE >= plain
    }

    /// The first joint whose track has a value or time above [`LARGEST_NUMBER`].
    pub(super) fn too_large(&self) -> Option<usize> {
        let tracks = self.animation.tracks.iter().zip(self.binding.joints());
        let large = tracks.filter(|(track, _)| {
            let linear = [&track.position, &track.scale].into_iter().flatten();
            linear
                .into_iter()
                .any(|channel| is_large(channel, Vec3::to_array))
                || (track.rotation.iter()).any(|channel| is_large(channel, |q| q.to_array()))
        });
        large
            .filter_map(|(_, joint)| Some(joint.as_ref()?.index()))
            .next()
    }

    /// Whether there are more frames than [`max_samples`](Self::max_samples).
    pub(super) fn is_too_long(&self) -> bool {
        self.frames > self.max_samples() || !self.animation.length.is_finite()
    }

    /// Samples the animation at `time` into `pose`, which was the rest pose at first.
    pub(super) fn pose_at(&self, time: f32, pose: &mut Pose) {
        // Cannot fail: binding and pose are of the same skeleton.
        let _ = sample(self.animation, &self.binding, time, pose);
    }

    /// Samples per second if `sample_count` of them span the animation: a multiple of the frame rate if possible, so that
    /// samples are on keys, else evenly spaced over the length.
    fn rate_of(&self, sample_count: usize) -> f64 {
        let length = f64::from(self.animation.length);
        let frames = self.frames - 1;
        if frames > 0 && (sample_count - 1).is_multiple_of(frames) {
            return self.rate * ((sample_count - 1) / frames) as f64;
        }
        if sample_count > 1 && length > 0.0 {
            (sample_count - 1) as f64 / length
        } else {
            self.rate
        }
    }

    /// Takes samples that are at most `stride` frames apart, so that the last one is at the end.
    pub(super) fn sampled(&self, stride: usize) -> Result<SampledMotion, CompressError> {
        let sample_count = (self.frames - 1).div_ceil(stride) + 1;
        self.sampled_in(sample_count)
    }

    /// Takes `sample_count` samples.
    pub(super) fn sampled_in(&self, sample_count: usize) -> Result<SampledMotion, CompressError> {
        let rate = self.rate_of(sample_count);
        let mut joints = alloc::vec![JointSamples::default(); self.skeleton.len()];
        let mut pose = Pose::rest(self.skeleton);
        for sample_index in 0..sample_count {
            // The last sample may be after the end, so it is not clamped: there may be keys.
            let time = (sample_index as f64 / rate) as f32;
            sample_beyond(self.animation, &self.binding, time, &mut pose);
            for (index, joint) in joints.iter_mut().enumerate() {
                let transform = pose.get(index.into());
                if !transform.is_finite() {
                    return Err(CompressError::NotFinite { joint: index });
                }
                let rotation = match joint.rotations.last() {
                    Some(&last) if quat_dot(last, transform.rotation) < 0.0 => {
                        quat_negate(transform.rotation)
                    }
                    _ => transform.rotation,
                };
                joint.positions.push(transform.position);
                joint.rotations.push(rotation);
                joint.scales.push(transform.scale);
            }
        }
        Ok(SampledMotion {
            rate,
            sample_count,
            joints,
        })
    }

    /// The times to compare at: `per_frame` in every frame, of the stated rate too, and keys that are not on frames.
    pub(super) fn times_to_compare(&self, per_frame: usize) -> Vec<f32> {
        let length = self.animation.length;
        let mut times_to_compare = Vec::new();
        let stated = self.animation.frame_rate.filter(|&stated| {
            is_rate(stated) && stated != self.rate && stated <= MAX_STATED_RATIO * self.rate
        });
        for rate in [Some(self.rate), stated].into_iter().flatten() {
            let rate = rate * per_frame as f64;
            let count = libm::ceil(rate * f64::from(length) * (1.0 - 1.2e-7)).max(0.0);
            let count = (count as usize).min(per_frame * self.max_samples());
            let time = |index: usize| ((index as f64 / rate) as f32).min(length);
            times_to_compare.extend((0..=count).map(time));
        }
        if stated.is_some() {
            times_to_compare.sort_by(f32::total_cmp);
            times_to_compare.dedup();
        }
        let even_count = times_to_compare.len();
        for track in &self.animation.tracks {
            let times = [
                track.position.as_ref().map(|channel| channel.times()),
                track.rotation.as_ref().map(|channel| channel.times()),
                track.scale.as_ref().map(|channel| channel.times()),
            ];
            for times in times.into_iter().flatten() {
                times_to_compare.extend(uneven(times, self.rate).filter(|&time| time <= length));
            }
        }
        if times_to_compare.len() > even_count {
            times_to_compare.sort_by(f32::total_cmp);
            times_to_compare.dedup();
        }
        times_to_compare
    }
}

/// The times of keys that are not on frames.
fn uneven(times: &KeyTimes, rate: f64) -> impl Iterator<Item = f32> {
    let on_frames = times.rate() == Some(rate);
    times.iter().filter(move |_| !on_frames)
}

/// Whether a channel has a value or time above [`LARGEST_NUMBER`].
fn is_large<T: ChannelValue, const N: usize>(
    channel: &Channel<T>,
    numbers: impl Fn(&T) -> [f32; N],
) -> bool {
    let tangents = channel.in_tangents().iter().chain(channel.out_tangents());
    let all = channel.values().iter().chain(tangents).flat_map(numbers);
    all.chain([channel.times().last()])
        .any(|number| number.abs() > LARGEST_NUMBER)
}

/// Whether a frame rate is plausible.
fn is_rate(rate: f64) -> bool {
    rate > 1e-6 && rate < 1e6
}

/// Frames per second: the rate of the keys if all channels share it, else the stated rate, else the highest rate of any
/// channel; multiplied by an integer if that is below the minimum.
fn rate(animation: &Animation) -> f64 {
    let times = animation.tracks.iter().flat_map(|track| {
        let position = track.position.as_ref().map(|channel| channel.times());
        let rotation = track.rotation.as_ref().map(|channel| channel.times());
        let scale = track.scale.as_ref().map(|channel| channel.times());
        [position, rotation, scale].into_iter().flatten()
    });
    let mut fastest: Option<f64> = None;
    let mut is_shared = true;
    for times in times.filter(|times| times.len() > 1) {
        match (times.rate(), fastest) {
            (Some(rate), None) => fastest = Some(rate),
            (Some(rate), Some(known)) => {
                is_shared &= rate == known;
                fastest = Some(known.max(rate));
            }
            (None, _) => is_shared = false,
        }
    }
    let stated = animation.frame_rate.filter(|&rate| is_rate(rate));
    let fastest = fastest.filter(|&rate| is_rate(rate));
    let key_rate = fastest.filter(|_| is_shared);
    let rate = match (key_rate, stated) {
        // A multiple of the key rate has every key on a frame.
        (Some(keys), Some(stated)) if libm::fmod(stated, keys) == 0.0 => stated,
        (Some(keys), _) => keys,
        (None, stated) => stated.or(fastest).unwrap_or(DEFAULT_FRAME_RATE),
    };
    // Sparse keys: the motion between them is visible too.
    let min_rate = if stated.is_some() {
        MIN_STATED_RATE
    } else {
        DEFAULT_FRAME_RATE
    };
    rate * libm::ceil(min_rate / rate * (1.0 - 1e-9)).max(1.0)
}
