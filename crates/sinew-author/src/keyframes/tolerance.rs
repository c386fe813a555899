//! Searches the tolerances, one per channel and frame, that need the fewest keys within the error.
//!
//! A joint's own error says little of the whole: errors add up or cancel along the limbs, and differ from one frame to the next.
//! So what counts is the error of the decoded animation. Starting at 40 % of the error, each round decodes and measures it, then
//! multiplies the tolerances of each segment by
//!
//! ```text
//! grow:    clamp(√(limit / error), 1, 1.3)              if everything is within the limit
//! shrink:  max(0.95 · limit / error, ½) ^ round         where the error exceeds it
//! ```
//!
//! with `error` the largest of all that the joint moves, in the segment and its neighbours. The best result of up to eight growths
//! wins. Only half frames whose curves have changed are measured again, which is most of the time saved.

use super::fit::FitError;
use super::source::FitSource;
use crate::measure::{ErrorMeter, PoseError};
use alloc::vec::Vec;
use sinew::internal::keyframes::Quat48;
use sinew::internal::keyframes::{JointKeys, KeyedAnimation};
use sinew::internal::keyframes::{RotationKeys, VectorKeys, VectorRange};
use sinew::pose::Pose;
use sinew::skeleton::JointIndex;

/// Which of a joint's channels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ChannelKind {
    Rotation,
    Position,
    Scale,
}

/// A channel, frame by frame, as keys store it.
pub(super) struct FitTrack {
    pub(super) joint: u32,
    pub(super) kind: ChannelKind,
    pub(super) values: KeyValues,
    /// The removal error of each frame, in metres.
    pub(super) removal_errors: Vec<f32>,
    /// The error of a constant value, in metres.
    pub(super) constant_error: f32,
}

/// The values of keys on all frames, and of one key for all of them.
pub(super) enum KeyValues {
    Rotations {
        keys: Vec<Quat48>,
        constant: Quat48,
    },
    Vectors {
        range: VectorRange,
        keys: Vec<[u16; 3]>,
        constant: [u16; 3],
    },
}

/// Growths of the tolerances, at most.
const MAX_GROWTHS: usize = 8;

/// Growths in a row without a gain after which the search ends.
const MAX_VAIN_GROWTHS: usize = 2;

/// Rounds in which tolerances shrink until the result fits again, at most.
const MAX_REPAIRS: u32 = 12;

/// The initial tolerance of every channel, as a share of the error.
const FIRST_SHARE: f32 = 0.4;

/// The keys that keep the animation within `limit` metres.
pub(super) fn search(
    source: &FitSource,
    tracks: &[FitTrack],
    limit: f32,
) -> Result<KeyedAnimation, FitError> {
    let mut bench = ErrorBench::new(source, tracks);
    if limit <= 0.0 || limit.is_nan() {
        return Ok(bench.decoded(&Tolerances::none(source, tracks)).animation);
    }
    let fits = |decoded: &DecodedAnimation| decoded.worst.metres <= f64::from(limit);
    let mut tolerances = Tolerances::even(source, tracks, limit * FIRST_SHARE);
    let mut best: Option<KeyedAnimation> = None;
    let (mut growths, mut repairs, mut vain) = (0, 0, 0);
    while growths < MAX_GROWTHS && vain < MAX_VAIN_GROWTHS && repairs < MAX_REPAIRS {
        let decoded = bench.decoded(&tolerances);
        if fits(&decoded) {
            let keys = decoded.animation.key_count();
            if best.as_ref().is_none_or(|best| keys < best.key_count()) {
                (best, vain) = (Some(decoded.animation), 0);
            } else {
                vain += 1;
            }
            (growths, repairs) = (growths + 1, 0);
            tolerances.grow(&bench, limit, if growths < 4 { 1.3 } else { 1.15 });
        } else {
            repairs += 1;
            tolerances.shrink(&bench, limit, repairs);
        }
    }
    if let Some(best) = best {
        return Ok(best);
    }
    // Nothing fits: smaller tolerances everywhere, down to keys on all frames.
    for _ in 0..8 {
        tolerances.scale(0.25);
        let decoded = bench.decoded(&tolerances);
        if fits(&decoded) {
            return Ok(decoded.animation);
        }
    }
    let all = bench.decoded(&Tolerances::none(source, tracks));
    if fits(&all) {
        return Ok(all.animation);
    }
    Err(FitError::TooFine {
        wanted: limit,
        reached: all.worst.metres,
        joint: all.worst.joint,
        frame: all.worst_frame,
    })
}

/// A tolerance in metres for each track and frame.
struct Tolerances(Vec<Vec<f32>>);

impl Tolerances {
    fn even(source: &FitSource, tracks: &[FitTrack], metres: f32) -> Self {
        let track = |_| alloc::vec![metres; source.frame_count];
        Self(tracks.iter().map(track).collect())
    }

    /// Below every removal error: all frames are kept.
    fn none(source: &FitSource, tracks: &[FitTrack]) -> Self {
        Self::even(source, tracks, -1.0)
    }

    fn scale(&mut self, factor: f32) {
        for tolerance in self.0.iter_mut().flatten() {
            *tolerance *= factor;
        }
    }

    /// Raises tolerances, by at most a factor of `most`, where errors leave room below `limit`.
    fn grow(&mut self, bench: &ErrorBench, limit: f32, most: f32) {
        self.change(bench, limit, |error| {
            libm::sqrtf(limit / error).clamp(1.0, most)
        });
    }

    /// Lowers tolerances where errors are above `limit`, more with every repair.
    fn shrink(&mut self, bench: &ErrorBench, limit: f32, repairs: u32) {
        self.change(bench, limit, |error| {
            if error > limit {
                let once = (0.95 * limit / error).max(0.5);
                (0..repairs).fold(1.0, |factor, _| factor * once)
            } else {
                1.0
            }
        });
    }

    /// Multiplies the tolerances of each segment by `factor` of the largest error there and in the neighbouring segments,
    /// clamped to `limit`.
    fn change(&mut self, bench: &ErrorBench, limit: f32, factor: impl Fn(f32) -> f32) {
        let tracks = self.0.iter_mut().zip(&bench.times).zip(&bench.errors);
        for ((tolerances, times), errors) in tracks {
            let last = tolerances.len() - 1;
            let ends = times.iter().map(|&time| usize::from(time)).skip(1);
            let ends: Vec<usize> = ends.filter(|&end| end < last).chain([last]).collect();
            // The largest error of each segment.
            let mut start = 0;
            let largest: Vec<f32> = ends
                .iter()
                .map(|&end| {
                    let within = &errors[2 * start..=2 * end];
                    start = end;
                    within.iter().copied().fold(0.0, f32::max)
                })
                .collect();
            let mut start = 0;
            for (segment, &end) in ends.iter().enumerate() {
                let near = &largest[segment.saturating_sub(1)..(segment + 2).min(largest.len())];
                let error = near.iter().copied().fold(0.0, f32::max);
                let factor = factor(error);
                // A key belongs to the segment that it ends.
                let from = if segment == 0 { 0 } else { start + 1 };
                for tolerance in &mut tolerances[from..=end] {
                    *tolerance = (*tolerance * factor).min(limit);
                }
                start = end;
            }
        }
    }
}

/// Measures decoded animations against their source. Errors are kept where no curve has changed since the last measurement.
struct ErrorBench<'a> {
    source: &'a FitSource<'a>,
    tracks: &'a [FitTrack],
    meter: ErrorMeter,
    truth: Pose,
    decoded: Pose,
    /// The frames of each track's keys.
    times: Vec<Vec<u16>>,
    /// The largest error of each joint and everything below it.
    carried: Vec<f64>,
    /// For each track the error of its joint and everything below, at each half frame.
    errors: Vec<Vec<f32>>,
    /// The largest error at each half frame.
    worst: Vec<PoseError>,
    /// Half frames at which a curve has changed since the last measurement.
    stale: Vec<bool>,
}

/// A decoded animation and its error.
struct DecodedAnimation {
    animation: KeyedAnimation,
    worst: PoseError,
    worst_frame: f64,
}

const NO_ERROR: PoseError = PoseError {
    joint: JointIndex(0),
    metres: 0.0,
};

impl<'a> ErrorBench<'a> {
    fn new(source: &'a FitSource<'a>, tracks: &'a [FitTrack]) -> Self {
        let halves = 2 * source.frame_count - 1;
        Self {
            source,
            tracks,
            meter: ErrorMeter::new(source.skeleton),
            truth: Pose::rest(source.skeleton),
            decoded: Pose::rest(source.skeleton),
            times: alloc::vec![Vec::new(); tracks.len()],
            carried: alloc::vec![0.0; source.skeleton.len()],
            errors: alloc::vec![alloc::vec![0.0; halves]; tracks.len()],
            worst: alloc::vec![NO_ERROR; halves],
            stale: alloc::vec![true; halves],
        }
    }

    /// The animation with the keys above the tolerances, measured at frames and half frames.
    fn decoded(&mut self, tolerances: &Tolerances) -> DecodedAnimation {
        let mut animation = self.assemble(tolerances);
        for half in 0..self.stale.len() {
            if core::mem::take(&mut self.stale[half]) {
                self.measure(&animation, half);
            }
        }
        let halves = self.worst.iter().enumerate();
        let (half, worst) = halves.fold((0, NO_ERROR), |worst, (half, error)| {
            if error.metres > worst.1.metres {
                (half, *error)
            } else {
                worst
            }
        });
        animation.error = worst.metres;
        DecodedAnimation {
            animation,
            worst,
            worst_frame: half as f64 * 0.5,
        }
    }

    fn measure(&mut self, animation: &KeyedAnimation, half: usize) {
        let frame = half as f64 * 0.5;
        self.source.sample(frame, &mut self.truth);
        animation.sample_frame(frame, &mut self.decoded);
        // Cannot fail: all are of the same skeleton.
        let Ok(error) = self.meter.measure(&self.truth, &self.decoded) else {
            return;
        };
        self.worst[half] = error;
        self.carried.copy_from_slice(self.meter.joints());
        for (index, joint) in self.source.skeleton.joints().iter().enumerate().rev() {
            if let Some(parent) = joint.parent {
                let above = self.carried[parent.index()];
                self.carried[parent.index()] = above.max(self.carried[index]);
            }
        }
        for (track, errors) in self.tracks.iter().zip(&mut self.errors) {
            errors[half] = self.carried[track.joint as usize] as f32;
        }
    }

    /// The animation with the keys above the tolerances. Marks the half frames at which it differs from the last one.
    fn assemble(&mut self, tolerances: &Tolerances) -> KeyedAnimation {
        let mut tracks: Vec<JointKeys> = Vec::new();
        let all = self.tracks.iter().zip(&tolerances.0);
        for ((track, tolerance), before) in all.zip(&mut self.times) {
            if tracks.last().is_none_or(|last| last.joint != track.joint) {
                tracks.push(JointKeys {
                    joint: track.joint,
                    rotation: None,
                    position: None,
                    scale: None,
                });
            }
            let times = track.times(tolerance);
            mark_changed(before, &times, &mut self.stale);
            before.clone_from(&times);
            if let Some(joint) = tracks.last_mut() {
                track.assemble(times, joint);
            }
        }
        KeyedAnimation {
            joint_count: self.source.skeleton.len() as u32,
            frame_count: self.source.frame_count as u32,
            frame_rate: self.source.frame_rate,
            error: 0.0,
            tracks,
        }
    }
}

/// Marks the half frames at which a curve through keys at `after` differs from that through `before`.
fn mark_changed(before: &[u16], after: &[u16], stale: &mut [bool]) {
    // A single key has a value of its own, which no frame has.
    if before.len() < 2 || after.len() < 2 {
        if before != after {
            stale.fill(true);
        }
        return;
    }
    let (mut b, mut a) = (0, 0);
    while b < before.len() || a < after.len() {
        let (old, new) = (before.get(b), after.get(a));
        let changed = match (old, new) {
            (Some(old), Some(new)) if old == new => None,
            (Some(old), Some(new)) => Some(old.min(new)),
            (old, new) => old.or(new),
        };
        if let Some(time) = changed {
            // A key determines two segments on either side.
            let start =
                |times: &[u16], place: usize| times[place.saturating_sub(2).min(times.len() - 1)];
            let end = |times: &[u16], place: usize| times[(place + 2).min(times.len() - 1)];
            let from = start(before, b).min(start(after, a));
            let to = end(before, b).max(end(after, a));
            stale[2 * usize::from(from)..=2 * usize::from(to)].fill(true);
            b += usize::from(old == Some(time));
            a += usize::from(new == Some(time));
        } else {
            (b, a) = (b + 1, a + 1);
        }
    }
}

impl FitTrack {
    /// The frames of the keys above the tolerance; one if the track may be constant.
    fn times(&self, tolerance: &[f32]) -> Vec<u16> {
        let least = tolerance.iter().copied().fold(f32::INFINITY, f32::min);
        if self.constant_error <= least {
            return alloc::vec![0];
        }
        let kept = self.removal_errors.iter().zip(tolerance).enumerate();
        let kept = kept.filter(|(_, (removal_errors, tolerance))| removal_errors > tolerance);
        // There are at most 65,536 frames.
        kept.map(|(frame, _)| frame as u16).collect()
    }

    /// Adds keys on these frames to a joint.
    fn assemble(&self, times: Vec<u16>, joint: &mut JointKeys) {
        let is_constant = times.len() == 1;
        match &self.values {
            KeyValues::Rotations { keys, constant } => {
                let value = |&time: &u16| {
                    if is_constant {
                        *constant
                    } else {
                        keys[usize::from(time)]
                    }
                };
                let values = times.iter().map(value).collect();
                joint.rotation = Some(RotationKeys { times, values });
            }
            KeyValues::Vectors {
                range,
                keys,
                constant,
            } => {
                let value = |&time: &u16| {
                    if is_constant {
                        *constant
                    } else {
                        keys[usize::from(time)]
                    }
                };
                let values = times.iter().map(value).collect();
                let keys = Some(VectorKeys {
                    range: *range,
                    times,
                    values,
                });
                if self.kind == ChannelKind::Position {
                    joint.position = keys;
                } else {
                    joint.scale = keys;
                }
            }
        }
    }
}
