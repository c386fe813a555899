//! Key reduction of one track: the fewest linear keys within a tolerance at every frame.
//!
//! Keys are samples of the track. A straight line from frame `i` to frame `j` is possible if at every frame `k` between them
//!
//! ```text
//! |v[i] + (v[j] - v[i]) (k - i) / (j - i) - v[k]| ≤ e[k]
//! ```
//!
//! The slopes from `i` that satisfy all frames up to `k` are an interval that only shrinks, so the check of all `j` for one `i`
//! is one pass (Imai and Iri, Polygonal approximations of a curve, 1988, with the cone of Sklansky and Gonzalez, 1980). The
//! shortest path from the first frame to the last over possible lines is the fewest keys; of paths with equally many keys the one
//! with the longest last lines is used. O(n · w) for lines of at most `w` frames; the pass for `i` ends when the interval is empty.
//!
//! Why not a greedy choice of the longest line: a line that ends one frame earlier often lets the next one be much longer. On
//! walks the shortest path has about a tenth fewer keys.

use alloc::vec;
use alloc::vec::Vec;

/// The longest line in frames, which bounds the work per frame. A still track needs one more key per this many frames.
const MAX_SPAN: usize = 512;

/// Returns the frames of the keys, ascending, the first and the last frame included; one if all values are the first one within
/// the tolerance. `tolerance` is the largest error allowed at a frame.
pub(super) fn reduce(values: &[f64], tolerance: impl Fn(usize) -> f64) -> Vec<usize> {
    let Some(last) = values.len().checked_sub(1) else {
        return Vec::new();
    };
    let first = values[0];
    let is_still = |(frame, value): (usize, &f64)| (value - first).abs() <= tolerance(frame);
    if values.iter().enumerate().all(is_still) {
        return vec![0];
    }
    // The number of lines from the first frame, and where the last of them begins.
    let mut lines = vec![usize::MAX; values.len()];
    let mut previous = vec![0; values.len()];
    lines[0] = 0;
    for start in 0..last {
        let (mut low, mut high) = (f64::NEG_INFINITY, f64::INFINITY);
        for end in start + 1..=last.min(start + MAX_SPAN) {
            let span = (end - start) as f64;
            let rise = values[end] - values[start];
            let slope = rise / span;
            if low <= slope && slope <= high && lines[start] + 1 < lines[end] {
                lines[end] = lines[start] + 1;
                previous[end] = start;
            }
            let error = tolerance(end);
            low = low.max((rise - error) / span);
            high = high.min((rise + error) / span);
            if low > high {
                break;
            }
        }
    }
    let mut keys = vec![last];
    let mut frame = last;
    while frame > 0 {
        frame = previous[frame];
        keys.push(frame);
    }
    keys.reverse();
    keys
}

/// Returns the values that a player shows at every frame, if only `keys` are kept: as the runtime interpolates, in `f32`.
pub(super) fn played(values: &[f64], keys: &[usize]) -> Vec<f64> {
    let mut shown = Vec::with_capacity(values.len());
    let value = |frame: usize| values[frame] as f32;
    for pair in keys.windows(2) {
        let (start, end) = (pair[0], pair[1]);
        for frame in start..end {
            let share = (frame - start) as f32 / (end - start) as f32;
            let from = value(start);
            shown.push(f64::from(from + (value(end) - from) * share));
        }
    }
    let held = keys.last().map_or(0.0, |&key| f64::from(value(key)));
    shown.resize(values.len(), held);
    shown
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_straight_line_needs_two_keys_and_a_corner_a_third() {
        let line: Vec<f64> = (0..100).map(|i| f64::from(i) * 0.5).collect();
        assert_eq!(reduce(&line, |_| 1e-9), [0, 99]);
        let corner: Vec<f64> = (0..101).map(|i| f64::from((i - 40_i32).abs())).collect();
        assert_eq!(reduce(&corner, |_| 1e-9), [0, 40, 100]);
    }

    #[test]
    fn a_still_track_has_one_key_and_none_has_none() {
        assert_eq!(reduce(&[2.0; 2000], |_| 0.0), [0]);
        assert!(reduce(&[], |_| 1.0).is_empty());
    }

    #[test]
    fn a_long_line_is_split() {
        let mut values = vec![0.0; 3 * MAX_SPAN];
        values[3 * MAX_SPAN - 1] = 9.0;
        let keys = reduce(&values, |_| 0.1);
        assert!(keys.windows(2).all(|pair| pair[1] - pair[0] <= MAX_SPAN));
    }

    /// The fewest keys, by trying all sets of keys.
    fn fewest(values: &[f64], tolerance: f64) -> usize {
        let inner = values.len() - 2;
        let sets = 0..1_u32 << inner;
        let sizes = sets.filter_map(|set| {
            let inside = (0..inner).filter(|bit| set >> bit & 1 == 1);
            let keys: Vec<usize> = core::iter::once(0)
                .chain(inside.map(|bit| bit + 1))
                .chain([values.len() - 1])
                .collect();
            let fits = keys.windows(2).all(|pair| {
                let (start, end) = (pair[0], pair[1]);
                (start..end).all(|frame| {
                    let share = (frame - start) as f64 / (end - start) as f64;
                    let line = values[start] + (values[end] - values[start]) * share;
                    (line - values[frame]).abs() <= tolerance + 1e-12
                })
            });
            fits.then_some(keys.len())
        });
        sizes.min().unwrap()
    }

    proptest! {
        #[test]
        fn keys_are_the_fewest_within_the_tolerance(
            values in proptest::collection::vec(-2.0..2.0f64, 2..11),
            tolerance in 0.0..1.5f64,
        ) {
            let keys = reduce(&values, |_| tolerance);
            if keys.len() > 1 {
                prop_assert!(keys.len() <= fewest(&values, tolerance - 1e-9));
            }
            for (shown, value) in played(&values, &keys).iter().zip(&values) {
                prop_assert!((shown - value).abs() <= tolerance + 1e-5);
            }
        }
    }
}
