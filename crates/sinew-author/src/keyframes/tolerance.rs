//! Tolerances, and the search for those that need the fewest keys.
//!
//! A joint's own error says little of the whole: errors add up or cancel along the limbs, and differ from
//! one moment to the next. So each channel has a tolerance at each frame, and what counts is measured on
//! the decoded animation. Where all that a joint carries is nearer than it must be, its tolerance grows;
//! where something is too far off, the tolerances of all that carry it shrink.

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
pub(super) enum Kind {
    Rotation,
    Position,
    Scale,
}

/// A channel, frame by frame, as keys would say it.
pub(super) struct Track {
    pub(super) joint: u32,
    pub(super) kind: Kind,
    pub(super) values: Values,
    /// What each frame is worth as a key, in metres.
    pub(super) worth: Vec<f32>,
    /// The error, in metres, when it has one value all along.
    pub(super) still_error: f32,
}

/// What keys on all frames would say, and one key for all of them.
pub(super) enum Values {
    Rotations {
        keys: Vec<Quat48>,
        still: Quat48,
    },
    Vectors {
        range: VectorRange,
        keys: Vec<[u16; 3]>,
        still: [u16; 3],
    },
}

/// How often tolerances grow, at most.
const GROWTHS: usize = 8;

/// How often in a row they grow without a gain before that is all.
const VAIN_GROWTHS: usize = 2;

/// Rounds, at most, in which tolerances shrink until what has grown fits.
const REPAIRS: u32 = 12;

/// The part of the whole error with which every channel begins.
const FIRST_SHARE: f32 = 0.4;

/// The keys that keep the animation within `limit` metres.
pub(super) fn search(
    source: &FitSource,
    tracks: &[Track],
    limit: f32,
) -> Result<KeyedAnimation, FitError> {
    let mut bench = Bench::new(source, tracks);
    if limit <= 0.0 || limit.is_nan() {
        return Ok(bench.decoded(&Tolerances::none(source, tracks)).animation);
    }
    let fits = |decoded: &Decoded| decoded.worst.metres <= f64::from(limit);
    let mut tolerances = Tolerances::even(source, tracks, limit * FIRST_SHARE);
    let mut best: Option<KeyedAnimation> = None;
    let (mut growths, mut repairs, mut vain) = (0, 0, 0);
    while growths < GROWTHS && vain < VAIN_GROWTHS && repairs < REPAIRS {
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
    // Nothing fits: less and less everywhere, down to keys on all frames.
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
    fn even(source: &FitSource, tracks: &[Track], metres: f32) -> Self {
        let track = |_| alloc::vec![metres; source.frame_count];
        Self(tracks.iter().map(track).collect())
    }

    /// No worth is below it: all frames are kept.
    fn none(source: &FitSource, tracks: &[Track]) -> Self {
        Self::even(source, tracks, -1.0)
    }

    fn scale(&mut self, factor: f32) {
        for tolerance in self.0.iter_mut().flatten() {
            *tolerance *= factor;
        }
    }

    /// Raises tolerances, by at most a factor of `most`, where errors leave room below `limit`.
    fn grow(&mut self, bench: &Bench, limit: f32, most: f32) {
        self.change(bench, limit, |error| {
            libm::sqrtf(limit / error).clamp(1.0, most)
        });
    }

    /// Lowers tolerances where errors are above `limit`, the further the more repairs there have been.
    fn shrink(&mut self, bench: &Bench, limit: f32, repairs: u32) {
        self.change(bench, limit, |error| {
            if error > limit {
                let once = (0.95 * limit / error).max(0.5);
                (0..repairs).fold(1.0, |factor, _| factor * once)
            } else {
                1.0
            }
        });
    }

    /// Multiplies tolerances, segment by segment, by what is made of the largest error there and in the
    /// segments beside; none comes to more than `limit`.
    fn change(&mut self, bench: &Bench, limit: f32, factor: impl Fn(f32) -> f32) {
        let tracks = self.0.iter_mut().zip(&bench.times).zip(&bench.errors);
        for ((own, times), errors) in tracks {
            let last = own.len() - 1;
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
                for tolerance in &mut own[from..=end] {
                    *tolerance = (*tolerance * factor).min(limit);
                }
                start = end;
            }
        }
    }
}

/// What measures decoded animations against their source. Where a curve is the one that it was the time
/// before, so is the error, and nothing is measured.
struct Bench<'a> {
    source: &'a FitSource<'a>,
    tracks: &'a [Track],
    meter: ErrorMeter,
    truth: Pose,
    decoded: Pose,
    /// The frames of each track's keys.
    times: Vec<Vec<u16>>,
    /// The largest error that each joint carries, its own included.
    carried: Vec<f64>,
    /// For each track the error of all that its joint carries, at each half frame.
    errors: Vec<Vec<f32>>,
    /// The whole error at each half frame.
    worst: Vec<PoseError>,
    /// Half frames at which something is not what it was measured to be.
    stale: Vec<bool>,
}

/// An animation and how far it is off.
struct Decoded {
    animation: KeyedAnimation,
    worst: PoseError,
    worst_frame: f64,
}

const NO_ERROR: PoseError = PoseError {
    joint: JointIndex(0),
    metres: 0.0,
};

impl<'a> Bench<'a> {
    fn new(source: &'a FitSource<'a>, tracks: &'a [Track]) -> Self {
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

    /// The animation with the keys that tolerances leave, measured at frames and half frames.
    fn decoded(&mut self, tolerances: &Tolerances) -> Decoded {
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
        Decoded {
            animation,
            worst,
            worst_frame: half as f64 * 0.5,
        }
    }

    fn measure(&mut self, animation: &KeyedAnimation, half: usize) {
        let frame = half as f64 * 0.5;
        self.source.sample(frame, &mut self.truth);
        animation.sample_frame(frame, &mut self.decoded);
        // All are of the same skeleton.
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

    /// The animation with the keys that tolerances leave; where it is another than before is stale.
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

/// Marks the half frames at which a curve through keys at `after` is another than through `before`.
fn mark_changed(before: &[u16], after: &[u16], stale: &mut [bool]) {
    // One key is a value of its own, which no frame has.
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
            // A key shapes the two segments on either side of it.
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

impl Track {
    /// The frames of the keys that a tolerance leaves: one where the track may as well stand still.
    fn times(&self, tolerance: &[f32]) -> Vec<u16> {
        let least = tolerance.iter().copied().fold(f32::INFINITY, f32::min);
        if self.still_error <= least {
            return alloc::vec![0];
        }
        let kept = self.worth.iter().zip(tolerance).enumerate();
        let kept = kept.filter(|(_, (worth, tolerance))| worth > tolerance);
        // There are at most 65,536 frames.
        kept.map(|(frame, _)| frame as u16).collect()
    }

    /// Puts keys on these frames in their place.
    fn assemble(&self, times: Vec<u16>, joint: &mut JointKeys) {
        let is_still = times.len() == 1;
        match &self.values {
            Values::Rotations { keys, still } => {
                let at = |&time: &u16| {
                    if is_still {
                        *still
                    } else {
                        keys[usize::from(time)]
                    }
                };
                let values = times.iter().map(at).collect();
                joint.rotation = Some(RotationKeys { times, values });
            }
            Values::Vectors { range, keys, still } => {
                let at = |&time: &u16| {
                    if is_still {
                        *still
                    } else {
                        keys[usize::from(time)]
                    }
                };
                let values = times.iter().map(at).collect();
                let keys = Some(VectorKeys {
                    range: *range,
                    times,
                    values,
                });
                if self.kind == Kind::Position {
                    joint.position = keys;
                } else {
                    joint.scale = keys;
                }
            }
        }
    }
}
