//! Pass 1: the animation, row by row.

use super::settings::CompressError;
use alloc::vec::Vec;
use glam::{Quat, Vec3};
use sinew::animation::{Animation, Channel, ChannelValue, KeyTimes};
use sinew::internal::packed::{LARGEST_NUMBER, MAX_ROWS};
use sinew::internal::sample_beyond;
use sinew::math::{quat_dot, quat_negate};
use sinew::pose::Pose;
use sinew::sample::{Binding, sample};
use sinew::skeleton::Skeleton;

/// Frames per second of an animation that has no rate: those of most screens.
const USUAL_RATE: f64 = 60.0;

/// Frames per second, at least, at which an animation that says its rate is looked at: film's 23.976 and more.
const DENSE_RATE: f64 = 23.9;

/// Most transforms in the rows of one animation: more than an hour of a figure at 120 per second, and less than a
/// gigabyte.
const MAX_TRANSFORMS: usize = 1 << 24;

/// A rate that an animation says is looked at too, beside that of its keys, up to so many times it.
const MOST_OWN: f64 = 4.0;

/// Rows are at most so many frames apart, and cost at least a byte per eight of them.
const FRAMES_PER_BYTE: usize = 64;

/// An animation on a skeleton, with the times at which it counts.
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

/// The numbers of a joint over all rows.
#[derive(Clone, Debug, Default)]
pub(super) struct JointRows {
    pub(super) positions: Vec<Vec3>,
    /// Each in the hemisphere of the one before.
    pub(super) rotations: Vec<Quat>,
    pub(super) scales: Vec<Vec3>,
}

/// The animation at even times.
pub(super) struct Sampled {
    /// Rows per second.
    pub(super) rate: f64,
    pub(super) rows: usize,
    pub(super) joints: Vec<JointRows>,
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

    /// Most rows that are looked at.
    pub(super) fn most_rows(&self) -> usize {
        MAX_ROWS.min(MAX_TRANSFORMS / self.skeleton.len())
    }

    /// Whether rows cannot be smaller than so many bytes: few keys that are far apart.
    pub(super) fn has_fewer_bytes(&self, plain: usize) -> bool {
        self.frames / FRAMES_PER_BYTE >= plain
    }

    /// The joint of a track with a number or time that is too large to be kept.
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

    /// Whether there are more frames than are looked at.
    pub(super) fn is_too_long(&self) -> bool {
        self.frames > self.most_rows() || !self.animation.length.is_finite()
    }

    /// Puts a pose, which began at rest, where the animation has it at `time`.
    pub(super) fn pose_at(&self, time: f32, pose: &mut Pose) {
        // Binding and pose are of the same skeleton.
        let _ = sample(self.animation, &self.binding, time, pose);
    }

    /// Rows per second when `encode` of them span the animation: every frame at its own rate, so that rows are
    /// where keys are, or evenly over the length.
    fn rate_of(&self, rows: usize) -> f64 {
        let length = f64::from(self.animation.length);
        let frames = self.frames - 1;
        if frames > 0 && (rows - 1).is_multiple_of(frames) {
            return self.rate * ((rows - 1) / frames) as f64;
        }
        if rows > 1 && length > 0.0 {
            (rows - 1) as f64 / length
        } else {
            self.rate
        }
    }

    /// The animation in rows that are `decimate` frames apart, or as near to that as ends with it.
    pub(super) fn sampled(&self, stride: usize) -> Result<Sampled, CompressError> {
        let rows = (self.frames - 1).div_ceil(stride) + 1;
        self.sampled_in(rows)
    }

    /// The animation in so many rows.
    pub(super) fn sampled_in(&self, rows: usize) -> Result<Sampled, CompressError> {
        let rate = self.rate_of(rows);
        let mut joints = alloc::vec![JointRows::default(); self.skeleton.len()];
        let mut pose = Pose::rest(self.skeleton);
        for row in 0..rows {
            // The last row may be after the end, where there may still be keys.
            let time = (row as f64 / rate) as f32;
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
        Ok(Sampled { rate, rows, joints })
    }

    /// The times to sample: `per_frame` in every frame, and keys that are not on frames.
    pub(super) fn moments(&self, per_frame: usize) -> Vec<f32> {
        let length = self.animation.length;
        let mut moments = Vec::new();
        let own = self
            .animation
            .frame_rate
            .filter(|&own| is_rate(own) && own != self.rate && own <= MOST_OWN * self.rate);
        for rate in [Some(self.rate), own].into_iter().flatten() {
            let rate = rate * per_frame as f64;
            let count = libm::ceil(rate * f64::from(length) * (1.0 - 1.2e-7)).max(0.0);
            let count = (count as usize).min(per_frame * self.most_rows());
            let time = |at: usize| ((at as f64 / rate) as f32).min(length);
            moments.extend((0..=count).map(time));
        }
        if own.is_some() {
            moments.sort_by(f32::total_cmp);
            moments.dedup();
        }
        let before = moments.len();
        for track in &self.animation.tracks {
            let times = [
                track.position.as_ref().map(|channel| channel.times()),
                track.rotation.as_ref().map(|channel| channel.times()),
                track.scale.as_ref().map(|channel| channel.times()),
            ];
            for times in times.into_iter().flatten() {
                moments.extend(uneven(times, self.rate).filter(|&time| time <= length));
            }
        }
        if moments.len() > before {
            moments.sort_by(f32::total_cmp);
            moments.dedup();
        }
        moments
    }
}

/// The times of keys that are not on frames.
fn uneven(times: &KeyTimes, rate: f64) -> impl Iterator<Item = f32> {
    let on_frames = times.rate() == Some(rate);
    times.iter().filter(move |_| !on_frames)
}

/// Whether a channel has a number or time that is too large to be kept.
fn is_large<T: ChannelValue, const N: usize>(
    channel: &Channel<T>,
    numbers: impl Fn(&T) -> [f32; N],
) -> bool {
    let tangents = channel.in_tangents().iter().chain(channel.out_tangents());
    let all = channel.values().iter().chain(tangents).flat_map(numbers);
    all.chain([channel.times().last()])
        .any(|number| number.abs() > LARGEST_NUMBER)
}

/// Whether a number can be a rate.
fn is_rate(rate: f64) -> bool {
    rate > 1e-6 && rate < 1e6
}

/// Frames per second: those of its keys where all channels share them, else its own, else the most of any channel;
/// a whole number of times as many where that is few.
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
    let own = animation.frame_rate.filter(|&rate| is_rate(rate));
    let fastest = fastest.filter(|&rate| is_rate(rate));
    let of_keys = fastest.filter(|_| is_shared);
    let rate = match (of_keys, own) {
        // Frames that have every key among them.
        (Some(keys), Some(own)) if libm::fmod(own, keys) == 0.0 => own,
        (Some(keys), _) => keys,
        (None, own) => own.or(fastest).unwrap_or(USUAL_RATE),
    };
    // Keys may be far apart; what is between them is seen too.
    let dense = if own.is_some() {
        DENSE_RATE
    } else {
        USUAL_RATE
    };
    rate * libm::ceil(dense / rate * (1.0 - 1e-9)).max(1.0)
}
