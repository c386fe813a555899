//! Pass 1: the animation, row by row.

use super::settings::CompressError;
use crate::animation::{Animation, KeyTimes};
use crate::math::{quat_dot, quat_negate};
use crate::pose::Pose;
use crate::sample::{Binding, sample};
use crate::skeleton::Skeleton;
use alloc::vec::Vec;
use glam::{Quat, Vec3};

/// Frames per second of an animation that has no rate: those of most screens.
const USUAL_RATE: f64 = 60.0;

/// Most frames of one animation: ten hours at 120 per second, or four gigabytes of a figure's rows.
pub(super) const MAX_FRAMES: usize = 1 << 22;

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
    pub(super) fn new(
        skeleton: &'a Skeleton,
        animation: &'a Animation,
    ) -> Result<Self, CompressError> {
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
        if frames > MAX_FRAMES || !animation.length.is_finite() {
            return Err(CompressError::TooLong {
                frames,
                limit: MAX_FRAMES,
            });
        }
        Ok(Self {
            skeleton,
            animation,
            binding,
            rate,
            frames,
            moved,
        })
    }

    /// Puts a pose, which began at rest, where the animation has it at `time`.
    pub(super) fn pose_at(&self, time: f32, pose: &mut Pose) {
        // Binding and pose are of the same skeleton.
        let _ = sample(self.animation, &self.binding, time, pose);
    }

    /// Rows per second when `rows` of them span the animation.
    fn rate_of(&self, rows: usize) -> f64 {
        let length = f64::from(self.animation.length);
        let even = (self.frames - 1) as f64 / self.rate;
        // Frames that end with the animation keep their exact rate.
        if rows == self.frames && (even - length).abs() <= length * 1.2e-7 + 1e-9 {
            return self.rate;
        }
        if rows > 1 && length > 0.0 {
            (rows - 1) as f64 / length
        } else {
            self.rate
        }
    }

    /// The animation in rows that are `stride` frames apart, or as near to that as ends with it.
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
            let time = ((row as f64 / rate) as f32).min(self.animation.length);
            self.pose_at(time, &mut pose);
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

    /// The moments at which the error counts: frames, half-way between, and keys that are not on frames.
    pub(super) fn moments(&self) -> Vec<f32> {
        let halves = 2 * (self.frames - 1);
        let length = self.animation.length;
        let time = |half: usize| ((half as f64 / (2.0 * self.rate)) as f32).min(length);
        let mut moments: Vec<f32> = (0..=halves).map(time).collect();
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

fn rate(animation: &Animation) -> f64 {
    let own = animation.frame_rate;
    let of_keys = animation.tracks.iter().flat_map(|track| {
        let position = track
            .position
            .as_ref()
            .and_then(|channel| channel.times().rate());
        let rotation = track
            .rotation
            .as_ref()
            .and_then(|channel| channel.times().rate());
        let scale = track
            .scale
            .as_ref()
            .and_then(|channel| channel.times().rate());
        [position, rotation, scale].into_iter().flatten()
    });
    let usable = |rate: &f64| rate.is_finite() && *rate > 0.0;
    let fastest = of_keys.filter(usable).max_by(f64::total_cmp);
    own.filter(usable).or(fastest).unwrap_or(USUAL_RATE)
}
