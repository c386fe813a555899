//! The root trajectory of a clip: the path and heading of the character as a whole.
//!
//! The pelvis of someone who walks straight ahead yaws by ten degrees with every step, sways and bobs. None of that is
//! motion of the character as a whole. The root trajectory is the low-pass filtered motion; it moves the character,
//! and the residual motion of the root joint stays in the pose. The trajectory times the pose relative to it always
//! equals the root joint of the clip, so no joint moves in world space.
//!
//! ```text
//! loops          the displacement from the first frame to the last, at constant velocity in the character's frame
//! straight clips path: Gaussian low-pass; heading: constant
//! other clips    path and heading: Gaussian low-pass
//! ```
//!
//! Loops are clips with a [`LoopMotion`] and clips whose last frame equals the first one moved over the ground. A loop
//! that was made in place is moved by the motion that was removed from it.
//!
//! A loop needs `trajectory(length) = displacement of the loop ∘ trajectory(0)`, else the pose jumps at its seam.
//! Filtered paths, and headings of clips that turn, interpolate the first and the last frame exactly (the signal is
//! extended by point reflection), so the trajectory travels as far and turns as much as the root joint.

use super::clip::ClipTrack;
use super::set::Clip;
use crate::animation::LoopMotion;
use crate::math::{
    GroundTransform, quat_dot, quat_inverse, quat_mul, quat_negate, quat_normalize, wrapped,
};

use alloc::vec::Vec;
use glam::{Quat, Vec3};

/// Samples per second of clip. The filtered signal has no relevant content above 1 Hz, so linear interpolation between
/// samples follows it closely.
const SAMPLE_RATE: f64 = 30.0;

/// The maximum number of samples of a trajectory: 786 kB at 24 bytes each. Clips of more than 18 minutes are sampled
/// at a lower rate.
const MAX_SAMPLES: usize = 1 << 15;

/// Standard deviation of the Gaussian in seconds. At the 0.9 Hz of a stride 14 % of sway and yaw remain, at the 1.8 Hz
/// of steps nothing. A longer one would increase the lag behind starts and stops (0.4 times this at the speed reached:
/// 0.2 m for a walk).
const LOW_PASS_SECONDS: f64 = 0.35;

/// A clip whose filtered heading ends within this of its start, in radians, and stays within twice that range, is
/// straight: 20 degrees for clips that travel, as much as loop creation straightens, and 8 for clips in place, where a
/// small turn may be intended.
const STRAIGHT: f64 = 0.35;
const STRAIGHT_ON_SPOT: f64 = 0.14;

/// The distance in metres from which a clip travels: the height of the root joint above the ground, at most this, and
/// this if the height is not positive. Makes the result independent of a misread unit.
const TRAVELS: f64 = 1.0;

/// The tolerance between the first and last frame of a loop: sine of half the angle per rotation (2 degrees), metres
/// per position.
const LOOP_ROTATION: f32 = 0.0175;
const LOOP_POSITION: f32 = 0.01;

/// The place and heading of a character over the ground at every time of a clip.
///
/// An [`AnimationSet`](super::AnimationSet) computes it for each clip that is added;
/// [`PoseBinding::root_motion`](super::PoseBinding::root_motion) follows it. Headings are relative to the start and
/// never wrap: a clip that turns twice ends at two full turns.
#[derive(Clone, Debug, PartialEq)]
pub struct RootTrajectory {
    /// Samples at evenly spaced times from 0 to `length`; at least one.
    samples: Vec<GroundTransform>,
    length: f64,
    /// The mean rotation of the root joint relative to the trajectory.
    mean_residual_rotation: Quat,
    /// The displacement per cycle of a loop that was made in place; not contained in the samples.
    carried: Option<GroundTransform>,
}

/// The root joint at a time: `None` for channels that the clip does not animate.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RootSample {
    pub(super) position: Option<Vec3>,
    pub(super) rotation: Option<Quat>,
}

impl RootTrajectory {
    /// Returns the place of the character at a time in seconds, clamped to the clip; NaN is 0. The cost does not
    /// depend on the length.
    pub fn at(&self, time: f32) -> GroundTransform {
        let place = self.in_keys(time);
        let Some(carried) = &self.carried else {
            return place;
        };
        let ratio = f64::from(time) / self.length;
        // NaN if the clip has no length or the time is NaN.
        let ratio = if ratio > 0.0 { ratio.min(1.0) } else { 0.0 };
        place.then(&carried.fraction(ratio))
    }

    /// Returns the place as the keys have it, without the motion that was removed from a loop made in place.
    pub(super) fn in_keys(&self, time: f32) -> GroundTransform {
        let last = self.samples.len() - 1;
        let position = f64::from(time) / self.length * last as f64;
        // Casts map NaN (a clip without length, or a NaN time) and negative numbers to 0.
        let from = position as usize;
        if from >= last {
            return self.samples[last];
        }
        let ratio = (position - from as f64).max(0.0);
        let (a, b) = (self.samples[from], self.samples[from + 1]);
        let mix = |a: f64, b: f64| a + (b - a) * ratio;
        GroundTransform {
            angle: mix(a.angle, b.angle),
            x: mix(a.x, b.x),
            z: mix(a.z, b.z),
        }
    }

    /// Returns the displacement from the first frame to the last: metres along the axes of the clip, and the turn.
    pub fn displacement(&self) -> GroundTransform {
        between(&self.at(0.0), &self.at(self.length as f32))
    }

    /// Returns the heading of the mean pose relative to the trajectory, for a root joint with this rest rotation: the
    /// offset to add to headings so that a character faces like its rest pose.
    pub(super) fn facing(&self, rest: Quat) -> f64 {
        heading(self.mean_residual_rotation, rest)
    }

    /// Computes the trajectory of the joint that a track of a clip animates.
    pub(super) fn new(clip: &Clip, track: &ClipTrack) -> Self {
        let length = clip.info().map_or(0.0, |info| info.length);
        let count = libm::ceil(f64::from(length) * SAMPLE_RATE).max(0.0) as usize;
        let count = count.min(MAX_SAMPLES) + 1;
        let times = sample_times(length, count);
        let mut raw = Vec::with_capacity(count);
        clip.sample_root(track, times, |sample| raw.push(sample));
        let looping: Option<LoopMotion> = clip.info().and_then(|info| info.looping);
        let closes = || clip.closes(track) && closes_beside_ground(&raw);
        let is_loop = looping.is_some() || closes();
        let carried = looping.filter(|looping| looping.in_place);
        Self {
            carried: carried.map(|looping| looping.per_cycle),
            ..Self::of_samples(&raw, length.into(), is_loop)
        }
    }

    /// Computes the trajectory of a root joint from samples at evenly spaced times; at least one.
    fn of_samples(raw: &[RootSample], length: f64, is_loop: bool) -> Self {
        let headings = unwrapped_headings(raw);
        let path = |axis: fn(Vec3) -> f32| -> Vec<f64> {
            raw.iter()
                .map(|sample| {
                    sample
                        .position
                        .map_or(0.0, |position| axis(position).into())
                })
                .collect()
        };
        let (x, z) = (path(|p| p.x), path(|p| p.z));
        let mut samples = if is_loop {
            constant_velocity(&headings, &x, &z)
        } else {
            let height = raw.iter().filter_map(|sample| sample.position);
            let height =
                height.map(|position| f64::from(position.y)).sum::<f64>() / raw.len() as f64;
            let travels = if height > 0.0 {
                height.min(TRAVELS)
            } else {
                TRAVELS
            };
            low_pass_trajectory(&headings, &x, &z, length, travels)
        };
        // The rest pose defines the zero heading; until it is known, that is the heading at the start.
        let start = samples[0].angle;
        for sample in &mut samples {
            sample.angle -= start;
        }
        Self {
            mean_residual_rotation: mean_residual(raw, &samples),
            samples,
            length,
            carried: None,
        }
    }
}

/// Returns evenly spaced times from 0 to `length`.
fn sample_times(length: f32, count: usize) -> impl Iterator<Item = f32> {
    let step = f64::from(length) / (count.max(2) - 1) as f64;
    (0..count).map(move |index| ((index as f64 * step) as f32).min(length))
}

/// Returns the heading of each sample relative to the first: the twist about the vertical of the rotation from the
/// first sample to it (swing-twist decomposition), unwrapped.
fn unwrapped_headings(raw: &[RootSample]) -> Vec<f64> {
    let first = raw.iter().find_map(|sample| sample.rotation);
    let first = first.unwrap_or(Quat::IDENTITY);
    let mut last = 0.0;
    raw.iter()
        .map(|sample| {
            let now = sample
                .rotation
                .map_or(0.0, |rotation| heading(rotation, first));
            last += wrapped(now - last);
            last
        })
        .collect()
}

/// Returns the heading of `rotation` relative to `reference`, from minus half a turn to half a turn.
fn heading(rotation: Quat, reference: Quat) -> f64 {
    let turn = quat_mul(rotation, quat_inverse(reference));
    wrapped(2.0 * libm::atan2(turn.y.into(), turn.w.into()))
}

/// Returns a trajectory from the first sample to the last with constant velocity and turn rate in the character's
/// frame, which is an arc for a loop that turns. The start minimizes the distance to the samples.
fn constant_velocity(headings: &[f64], x: &[f64], z: &[f64]) -> Vec<GroundTransform> {
    let (count, last) = (headings.len(), headings.len() - 1);
    let sample = |index: usize| GroundTransform {
        angle: headings[index],
        x: x[index],
        z: z[index],
    };
    // The displacement relative to the world's origin: it maps every point of the trajectory to the next loop.
    let displacement = sample(0).inverse().then(&sample(last));
    let along = |index: usize| displacement.fraction(index as f64 / last.max(1) as f64);
    // The mean of all samples, moved back along the loop, is the start.
    let mut start = GroundTransform::IDENTITY;
    for index in 0..count {
        let back = sample(index).then(&along(index).inverse());
        start.angle += back.angle / count as f64;
        start.x += back.x / count as f64;
        start.z += back.z / count as f64;
    }
    (0..count).map(|index| start.then(&along(index))).collect()
}

/// Returns the low-pass filtered path and heading. `travels` is the distance in metres from which a clip travels.
fn low_pass_trajectory(
    headings: &[f64],
    x: &[f64],
    z: &[f64],
    length: f64,
    travels: f64,
) -> Vec<GroundTransform> {
    let last = headings.len() - 1;
    let deviation = LOW_PASS_SECONDS / length * last as f64;
    let kernel = gaussian(if last > 0 { deviation } else { 0.0 });
    let smooth = |signal: &[f64]| low_pass(signal, &kernel, Continuation::PointReflection);
    let (x, z) = (smooth(x), smooth(z));

    let [left, right] = extent(&x);
    let [near, far] = extent(&z);
    let travel = libm::hypot(right - left, far - near);
    let limit = if travel > travels {
        STRAIGHT
    } else {
        STRAIGHT_ON_SPOT
    };
    // The test for straightness uses the mirror extension, which is not forced through the first and last frame.
    let mirrored = low_pass(headings, &kernel, Continuation::Mirror);
    let [min, max] = extent(&mirrored);
    let turn = (mirrored[last] - mirrored[0]).abs();
    let headings = if turn <= limit && max - min <= 2.0 * limit {
        alloc::vec![0.0; headings.len()]
    } else {
        smooth(headings)
    };
    let samples = headings.into_iter().zip(x).zip(z);
    samples
        .map(|((angle, x), z)| GroundTransform { angle, x, z })
        .collect()
}

/// Returns the smallest and largest value.
fn extent(signal: &[f64]) -> [f64; 2] {
    let start = [f64::INFINITY, f64::NEG_INFINITY];
    signal
        .iter()
        .fold(start, |[min, max], &value| [min.min(value), max.max(value)])
}

/// Returns one side of a Gaussian, starting at its centre, with a sum of 1 over both sides. `deviation` is in samples.
fn gaussian(deviation: f64) -> Vec<f64> {
    let count = if deviation > 0.0 {
        libm::ceil(3.0 * deviation).min(MAX_SAMPLES as f64) as usize
    } else {
        0
    };
    let weight = |index: usize| {
        let distance = index as f64 / deviation.max(f64::MIN_POSITIVE);
        libm::exp(-0.5 * distance * distance)
    };
    let mut kernel: Vec<f64> = (0..=count)
        .map(|index| if index == 0 { 1.0 } else { weight(index) })
        .collect();
    let sum = 2.0 * kernel.iter().sum::<f64>() - 1.0;
    for weight in &mut kernel {
        *weight /= sum;
    }
    kernel
}

/// The extension of a signal before its first sample and after its last.
#[derive(Clone, Copy)]
enum Continuation {
    /// `s(-i) = 2 s(0) - s(i)`: keeps the first and last sample exactly.
    PointReflection,
    /// `s(-i) = s(i)`.
    Mirror,
}

fn low_pass(signal: &[f64], kernel: &[f64], continuation: Continuation) -> Vec<f64> {
    let last = signal.len() - 1;
    // Returns the signal `offset` samples beyond an end, from the sample `offset` inside it by reflection.
    let beyond = |end: usize, offset: usize| {
        let offset = offset.min(last);
        let inside = signal[if end == 0 { offset } else { last - offset }];
        match continuation {
            Continuation::PointReflection => 2.0 * signal[end] - inside,
            Continuation::Mirror => inside,
        }
    };
    (0..signal.len())
        .map(|index| {
            let mut sum = signal[index] * kernel[0];
            for (offset, weight) in kernel.iter().enumerate().skip(1) {
                let before = match index.checked_sub(offset) {
                    Some(before) => signal[before],
                    None => beyond(0, offset - index),
                };
                let after = match index + offset {
                    after if after <= last => signal[after],
                    after => beyond(last, after - last),
                };
                sum += (before + after) * weight;
            }
            sum
        })
        .collect()
}

/// Returns the mean rotation of the root joint relative to a trajectory.
fn mean_residual(raw: &[RootSample], samples: &[GroundTransform]) -> Quat {
    let mut sum = [0.0_f64; 4];
    let mut first = None;
    for (raw_sample, sample) in raw.iter().zip(samples) {
        let Some(rotation) = raw_sample.rotation else {
            continue;
        };
        let rotation = quat_mul(vertical(-sample.angle), rotation);
        let reference = *first.get_or_insert(rotation);
        let rotation = if quat_dot(reference, rotation) < 0.0 {
            quat_negate(rotation)
        } else {
            rotation
        };
        for (sum, number) in sum.iter_mut().zip(rotation.to_array()) {
            *sum += f64::from(number);
        }
    }
    let square: f64 = sum.iter().map(|number| number * number).sum();
    if square <= f64::MIN_POSITIVE {
        return Quat::IDENTITY;
    }
    let scale = 1.0 / libm::sqrt(square);
    quat_normalize(Quat::from_array(sum.map(|number| (number * scale) as f32)))
}

/// Returns whether the root joint ends as it starts, except for a displacement over the ground.
fn closes_beside_ground(raw: &[RootSample]) -> bool {
    let [Some(first), Some(last)] = [raw.first(), raw.last()] else {
        return false;
    };
    let height = match (first.position, last.position) {
        (Some(a), Some(b)) => (a.y - b.y).abs() <= LOOP_POSITION,
        _ => true,
    };
    let tilt = match (first.rotation, last.rotation) {
        (Some(a), Some(b)) => {
            let back = vertical(-heading(b, a));
            rotations_agree(a, quat_mul(back, b))
        }
        _ => true,
    };
    height && tilt
}

/// Returns whether two rotations agree within the tolerance of a loop.
pub(super) fn rotations_agree(a: Quat, b: Quat) -> bool {
    let turn = quat_mul(a, quat_inverse(b));
    let sine = turn.x * turn.x + turn.y * turn.y + turn.z * turn.z;
    sine <= LOOP_ROTATION * LOOP_ROTATION
}

/// Returns whether two positions agree within the tolerance of a loop.
pub(super) fn positions_agree(a: Vec3, b: Vec3) -> bool {
    (a - b).length_squared() <= LOOP_POSITION * LOOP_POSITION
}

/// Returns a rotation about the vertical.
pub(super) fn vertical(angle: f64) -> Quat {
    let half = 0.5 * angle;
    Quat::from_xyzw(0.0, libm::sin(half) as f32, 0.0, libm::cos(half) as f32)
}

/// Returns the displacement from one place to another, relative to the first.
pub(super) fn between(from: &GroundTransform, to: &GroundTransform) -> GroundTransform {
    to.then(&from.inverse())
}
