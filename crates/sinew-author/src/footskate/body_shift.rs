//! The least shift of the body with which all limbs reach their targets, smoothed over time.
//!
//! Each limb allows the shifts in a ball, `|target - (upper joint + shift)| ≤ length`. Per frame the shift is moved into all
//! balls by cyclic projection (`shift_within_reach`); over time
//!
//! ```text
//! repeat:  missing = shift_within_reach(shift) - shift;   shift += gaussian(missing)
//! ```
//!
//! Smoothing takes away what a frame needs, so what is missing is added again, smoothed, until all limbs reach or 40 passes are
//! over. Before and after a plant the body follows its correction with a weight that falls by smoothstep, `w² (3 - 2w)`: a
//! correction fades for longer than the body should be bound by it. The cost is passes × frames × kernel.

use super::targets::Target;
use alloc::vec::Vec;
use glam::DVec3;
use sinew::internal::LimbFrame;
use sinew::internal::{LimbReach, shift_within_reach};
use sinew::math::smoothstep;

/// Seconds before and after a plant over which the body follows its correction less and less.
const RELEASE_SECONDS: f64 = 0.15;

/// Passes in which what smoothing took away is added again, at most.
const MAX_PASSES: usize = 40;

/// One limb over time: its frames and its targets.
pub(crate) struct LimbTargets<'a> {
    pub(crate) frames: &'a [LimbFrame],
    /// Empty if it is never planted.
    pub(crate) targets: &'a [Target],
}

/// Frames × neighbours of the smoothing, at most: very long or dense motions are smoothed over fewer frames.
const MAX_SMOOTHING_WORK: usize = 100_000_000;

/// The shift of the body at each frame, smoothed over `smooth` seconds to either side, starting from `shifts`.
pub(crate) fn body_shifts(
    limbs: &[LimbTargets<'_>],
    mut shifts: Vec<DVec3>,
    rate: f64,
    smooth: f64,
) -> Vec<DVec3> {
    let count = shifts.len();
    let reach = (smooth * rate) as usize;
    let kernel = gaussian(reach.min(MAX_SMOOTHING_WORK / count.max(1)));
    let needs = FrameReaches::new(limbs, count, rate);
    let mut missing = alloc::vec![DVec3::ZERO; count];
    for _ in 0..MAX_PASSES {
        let mut is_done = true;
        for (frame, missing) in missing.iter_mut().enumerate() {
            *missing = shift_within_reach(needs.of(frame), shifts[frame]) - shifts[frame];
            is_done &= missing.length() < 1e-6;
        }
        if is_done {
            break;
        }
        add_smoothed(&missing, &kernel, &mut shifts);
    }
    shifts
}

/// What the limbs of every frame need, in one buffer: it is the same in every pass.
struct FrameReaches {
    reaches: Vec<LimbReach>,
    /// The end of each frame's limbs in `reaches`.
    ends: Vec<usize>,
}

impl FrameReaches {
    fn new(limbs: &[LimbTargets<'_>], count: usize, rate: f64) -> Self {
        let weights: Vec<Vec<f64>> = limbs
            .iter()
            .map(|limb| follow_weights(limb.targets, rate))
            .collect();
        let mut reaches = Vec::with_capacity(count * limbs.len());
        let mut ends = Vec::with_capacity(count);
        for frame in 0..count {
            for (limb, weights) in limbs.iter().zip(&weights) {
                if let (Some(limb_frame), Some(target), Some(weight)) = (
                    limb.frames.get(frame),
                    limb.targets.get(frame),
                    weights.get(frame),
                ) {
                    let wanted = limb_frame.end + (target.end - limb_frame.end) * *weight;
                    reaches.push(LimbReach::new(limb_frame, wanted));
                }
            }
            ends.push(reaches.len());
        }
        Self { reaches, ends }
    }

    /// The limbs of a frame.
    fn of(&self, frame: usize) -> &[LimbReach] {
        let start = frame
            .checked_sub(1)
            .and_then(|before| self.ends.get(before));
        let end = self.ends.get(frame);
        let range = start.copied().unwrap_or(0)..end.copied().unwrap_or(0);
        self.reaches.get(range).unwrap_or_default()
    }
}

/// The weight with which the body follows a correction: 1 while planted, falling by smoothstep before and after.
pub(crate) fn follow_weights(targets: &[Target], rate: f64) -> Vec<f64> {
    let release = (RELEASE_SECONDS * rate) as usize;
    let mut weights = alloc::vec![0.0; targets.len()];
    let mut sweep = |frames: &mut dyn Iterator<Item = usize>| {
        let mut since = usize::MAX;
        for frame in frames {
            since = if targets[frame].is_planted {
                0
            } else {
                since.saturating_add(1)
            };
            if since <= release {
                let ratio = 1.0 - since as f64 / (release + 1) as f64;
                weights[frame] = f64::max(weights[frame], smoothstep(ratio));
            }
        }
    };
    sweep(&mut (0..targets.len()));
    sweep(&mut (0..targets.len()).rev());
    weights
}

/// One side of a Gaussian up to three standard deviations, the middle first; the whole kernel sums to 1.
pub(crate) fn gaussian(reach: usize) -> Vec<f64> {
    let deviation = (reach as f64 / 3.0).max(1e-3);
    let weight = |step: usize| {
        let x = step as f64 / deviation;
        libm::exp(-0.5 * x * x)
    };
    let weights: Vec<f64> = (0..=reach).map(weight).collect();
    let sum: f64 = weights.iter().sum::<f64>() * 2.0 - 1.0;
    weights.iter().map(|weight| weight / sum).collect()
}

/// Adds a smoothed signal, which is constant beyond its ends. Frames with zeros all around them are skipped, which are most:
/// bodies shift for a few steps of a motion.
pub(crate) fn add_smoothed(signal: &[DVec3], kernel: &[f64], onto: &mut [DVec3]) {
    let Some(last) = signal.len().checked_sub(1) else {
        return;
    };
    let reach = kernel.len().saturating_sub(1);
    // The first frame from `frame - reach` on that is not zero.
    let mut nonzero = 0;
    for (frame, into) in onto.iter_mut().enumerate() {
        while nonzero <= last && (nonzero + reach < frame || signal[nonzero] == DVec3::ZERO) {
            nonzero += 1;
        }
        if nonzero > frame + reach {
            continue;
        }
        let mut sum = DVec3::ZERO;
        for (step, weight) in kernel.iter().enumerate() {
            let before = signal[frame.saturating_sub(step)];
            let after = signal[(frame + step).min(last)];
            sum += if step == 0 {
                before * *weight
            } else {
                (before + after) * *weight
            };
        }
        *into += sum;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gaussian_keeps_what_is_even() {
        let even = alloc::vec![DVec3::new(1.0, 2.0, 3.0); 9];
        let mut onto = alloc::vec![DVec3::ZERO; 9];
        add_smoothed(&even, &gaussian(4), &mut onto);
        assert!((onto.iter()).all(|value| (*value - even[0]).length() < 1e-12));
    }

    #[test]
    fn skipping_zeros_does_not_change_a_sum() {
        let mut signal = alloc::vec![DVec3::ZERO; 60];
        for frame in [0, 7, 8, 30, 59] {
            signal[frame] = DVec3::new(1.0, frame as f64, -2.0);
        }
        for reach in [0, 1, 4, 9] {
            let kernel = gaussian(reach);
            let mut smoothed = alloc::vec![DVec3::ZERO; 60];
            add_smoothed(&signal, &kernel, &mut smoothed);
            for (frame, found) in smoothed.into_iter().enumerate() {
                let weighted = |step: isize| {
                    let index = (frame as isize + step).clamp(0, 59) as usize;
                    signal[index] * kernel[step.unsigned_abs()]
                };
                let reach = reach as isize;
                let sum: DVec3 = (-reach..=reach).map(weighted).sum();
                assert!((found - sum).length() < 1e-12, "{reach}, {frame}");
            }
        }
    }
}
