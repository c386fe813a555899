//! The least the body must move so that limbs reach where they go.

use super::targets::Target;
use alloc::vec::Vec;
use sinew::internal::LimbFrame;
use sinew::internal::V3;
use sinew::internal::{Need, least_move};

/// Seconds before and after a plant over which the body lets go of its correction.
const RELEASE: f64 = 0.15;

/// How often what smoothing took away is added again.
const PASSES: usize = 40;

/// One limb over time: its frames, and where it goes.
pub(super) struct LimbTargets<'a> {
    pub(super) frames: &'a [LimbFrame],
    /// Empty where it never stands.
    pub(super) targets: &'a [Target],
}

/// Frames times neighbours that are smoothed over, at most: motions of some kilohertz are smoothed less.
const MOST_WORK: usize = 100_000_000;

/// How far the body moves at each frame, smoothed over `smooth` seconds to either side.
pub(super) fn body_moves(
    limbs: &[LimbTargets<'_>],
    count: usize,
    rate: f64,
    smooth: f64,
) -> Vec<V3> {
    let mut moves = alloc::vec![V3::ZERO; count];
    let reach = (smooth * rate) as usize;
    let kernel = gaussian(reach.min(MOST_WORK / count.max(1)));
    let mut needs = Vec::with_capacity(limbs.len());
    let near: Vec<Vec<f64>> = limbs
        .iter()
        .map(|limb| nearness(limb.targets, (RELEASE * rate) as usize))
        .collect();
    let mut missing = alloc::vec![V3::ZERO; count];
    for _ in 0..PASSES {
        let mut is_done = true;
        for frame in 0..count {
            needs.clear();
            for (limb, near) in limbs.iter().zip(&near) {
                if let (Some(own), Some(target), Some(near)) = (
                    limb.frames.get(frame),
                    limb.targets.get(frame),
                    near.get(frame),
                ) {
                    let wanted = own.end + (target.end - own.end) * *near;
                    needs.push(Need::new(own, wanted));
                }
            }
            missing[frame] = least_move(&needs, moves[frame]) - moves[frame];
            is_done &= missing[frame].length() < 1e-6;
        }
        if is_done {
            break;
        }
        smoothed_onto(&missing, &kernel, &mut moves);
    }
    moves
}

/// How much of a correction the body follows: all of one that stands, less and less of one before and after.
fn nearness(targets: &[Target], release: usize) -> Vec<f64> {
    let mut near = alloc::vec![0.0; targets.len()];
    let mut sweep = |frames: &mut dyn Iterator<Item = usize>| {
        let mut since = usize::MAX;
        for frame in frames {
            since = if targets[frame].is_planted {
                0
            } else {
                since.saturating_add(1)
            };
            if since <= release {
                let part = 1.0 - since as f64 / (release + 1) as f64;
                near[frame] = f64::max(near[frame], part * part * (3.0 - 2.0 * part));
            }
        }
    };
    sweep(&mut (0..targets.len()));
    sweep(&mut (0..targets.len()).rev());
    near
}

/// The weights of a Gaussian up to three deviations to one side, the middle first; all sum to 1.
fn gaussian(reach: usize) -> Vec<f64> {
    let deviation = (reach as f64 / 3.0).max(1e-3);
    let weight = |at: usize| {
        let x = at as f64 / deviation;
        libm::exp(-0.5 * x * x)
    };
    let weights: Vec<f64> = (0..=reach).map(weight).collect();
    let sum: f64 = weights.iter().sum::<f64>() * 2.0 - 1.0;
    weights.iter().map(|weight| weight / sum).collect()
}

/// Adds a smoothed signal; beyond its ends it goes on as it is there.
fn smoothed_onto(signal: &[V3], kernel: &[f64], onto: &mut [V3]) {
    let Some(last) = signal.len().checked_sub(1) else {
        return;
    };
    for (frame, into) in onto.iter_mut().enumerate() {
        let mut sum = V3::ZERO;
        for (at, weight) in kernel.iter().enumerate() {
            let before = signal[frame.saturating_sub(at)];
            let after = signal[(frame + at).min(last)];
            sum += if at == 0 {
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
        let even = alloc::vec![V3::new(1.0, 2.0, 3.0); 9];
        let mut onto = alloc::vec![V3::ZERO; 9];
        smoothed_onto(&even, &gaussian(4), &mut onto);
        assert!(onto.iter().all(|own| (*own - even[0]).length() < 1e-12));
    }
}
