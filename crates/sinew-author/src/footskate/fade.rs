//! Corrections that are known for some frames, and fade out around them.

use alloc::vec::Vec;
use core::ops::RangeInclusive;
use sinew::internal::V3;
use sinew::internal::faded;

/// Lets what is known in `known` frames, which are in order and apart, fade before and after them. A fade ends
/// before the next known frames, so that these stay as they are.
pub(super) fn fade_around(
    corrections: &mut [V3],
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
        let speed = |at: usize, inner: usize| (corrections[at] - corrections[inner]) * rate;
        // Speeds on leaving the known frames, away from them.
        let leaving = from.map(|at| {
            let first = known
                .get(index.wrapping_sub(1))
                .map_or(at, |range| *range.start());
            (
                at,
                corrections[at],
                speed(at, at.saturating_sub(1).max(first)),
            )
        });
        let arriving = to.map(|at| {
            let final_frame = known.get(index).map_or(at, |range| *range.end());
            (at, corrections[at], speed(at, (at + 1).min(final_frame)))
        });
        for (frame, correction) in corrections.iter_mut().enumerate().take(end).skip(start) {
            let mut sum = V3::ZERO;
            if let Some((at, value, speed)) = leaving {
                sum += faded(value, speed, (frame - at) as f64 / rate, fade);
            }
            if let Some((at, value, speed)) = arriving {
                sum += faded(value, speed, (at - frame) as f64 / rate, fade);
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
        let mut corrections = alloc::vec![V3::ZERO; 40];
        for frame in (5..=9).chain(14..=14).chain(30..=39) {
            corrections[frame] = V3::new(frame as f64, 1.0, 0.0);
        }
        let before = corrections.clone();
        let known = [5..=9, 14..=14, 30..=39];
        fade_around(&mut corrections, &known, 30.0, 0.25);
        for frame in known.into_iter().flatten() {
            assert_eq!(corrections[frame], before[frame]);
        }
        assert_eq!(corrections[22], V3::ZERO);
        assert!(corrections[23].length() > 0.0);
    }
}
