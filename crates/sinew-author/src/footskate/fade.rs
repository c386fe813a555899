//! Fades of corrections that are known only in some frames.
//!
//! Between known ranges a correction is the sum of two fades, one that leaves the range before and one that arrives at the range
//! after. Each starts with the value and the velocity at the edge of its range and ends with neither value, velocity nor
//! acceleration (`sinew::internal::faded`, a quintic), so that corrected curves have no corners. A fade
//! ends before the next known range. Linear in the number of frames.

use alloc::vec::Vec;
use core::ops::RangeInclusive;
use glam::DVec3;
use sinew::internal::faded;

/// Fills the frames outside of `known`, whose ranges are ascending and disjoint, with fades over `seconds`. Known frames are
/// not changed.
pub(crate) fn fade_around(
    corrections: &mut [DVec3],
    known: &[RangeInclusive<usize>],
    rate: f64,
    seconds: f64,
) {
    let Some(last) = corrections.len().checked_sub(1) else {
        return;
    };
    let mut gaps: Vec<(Option<usize>, Option<usize>)> = Vec::with_capacity(known.len() + 1);
    let mut before: Option<usize> = None;
    for range in known {
        gaps.push((before, Some(*range.start())));
        before = Some(*range.end());
    }
    gaps.push((before, None));
    for (index, (from, to)) in gaps.into_iter().enumerate() {
        let start = from.map_or(0, |from| from + 1);
        let end = to.unwrap_or(last + 1);
        if start >= end {
            continue;
        }
        let whole = match (from, to) {
            (Some(from), Some(to)) => (to - from) as f64 / rate,
            _ => f64::INFINITY,
        };
        let fade = seconds.min(whole);
        let velocity = |edge: usize, inner: usize| (corrections[edge] - corrections[inner]) * rate;
        // Velocities at the edges of the known ranges, away from them: for the fade that arrives time runs backwards.
        let leaving = from.map(|edge| {
            let first = known
                .get(index.wrapping_sub(1))
                .map_or(edge, |range| *range.start());
            let inner = edge.saturating_sub(1).max(first);
            (edge, corrections[edge], velocity(edge, inner))
        });
        let arriving = to.map(|edge| {
            let final_frame = known.get(index).map_or(edge, |range| *range.end());
            let inner = (edge + 1).min(final_frame);
            (edge, corrections[edge], velocity(edge, inner))
        });
        for (frame, correction) in corrections.iter_mut().enumerate().take(end).skip(start) {
            let mut sum = DVec3::ZERO;
            if let Some((edge, value, velocity)) = leaving {
                sum += faded(value, velocity, (frame - edge) as f64 / rate, fade);
            }
            if let Some((edge, value, velocity)) = arriving {
                sum += faded(value, velocity, (edge - frame) as f64 / rate, fade);
            }
            *correction = sum;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_frames_stay_as_they_are() {
        let mut corrections = alloc::vec![DVec3::ZERO; 40];
        for frame in (5..=9).chain(14..=14).chain(30..=39) {
            corrections[frame] = DVec3::new(frame as f64, 1.0, 0.0);
        }
        let before = corrections.clone();
        let known = [5..=9, 14..=14, 30..=39];
        fade_around(&mut corrections, &known, 30.0, 0.25);
        for frame in known.into_iter().flatten() {
            assert_eq!(corrections[frame], before[frame]);
        }
        assert_eq!(corrections[22], DVec3::ZERO);
        assert!(corrections[23].length() > 0.0);
    }
}
