//! Key reduction: for every frame the error at which a curve can do without a key there.
//!
//! All frames begin as keys. The key whose removal causes the smallest error is removed first, and so on (greedy decimation with a
//! heap) until every removal would cost more than a limit. The largest error so far is the *removal error* of a frame: the frames
//! above a tolerance are the keys for that tolerance. So one pass serves every tolerance, also one that changes over time.
//!
//! A removal changes the slopes at both neighbours, and so three segments of the curve on either side; only the keys within them
//! are evaluated again. Evaluating a key costs the frames of three segments, so the total is about frames × log frames
//! times the typical segment length.

use alloc::collections::BinaryHeap;
use alloc::vec::Vec;
use core::cmp::Reverse;
use sinew::internal::keyframes::slopes;

/// A rotation, position or scale over time: its value at each frame, and that of a key on the frame, which is rounded.
/// Vectors have a fourth number that is 0.
pub(super) struct Quantity<'a> {
    pub(super) frames: &'a [[f32; 4]],
    pub(super) keys: &'a [[f32; 4]],
    /// Whether values of the curve are normalized.
    pub(super) is_unit: bool,
    /// Metres of error in model space for a difference of 1.
    pub(super) metres: f32,
}

/// The removal error of each frame, in metres; infinite for the first, the last, and frames whose removal would exceed
/// `limit`.
pub(super) fn removal_errors(motion: &Quantity, limit: f32) -> Vec<f32> {
    let count = motion.frames.len();
    // Squared differences are compared, without square roots.
    let limit_squared = limit / motion.metres;
    let limit_squared = if limit_squared.is_nan() {
        0.0
    } else {
        limit_squared * limit_squared
    };
    let mut list = KeyList::new(count);
    let mut removal_errors = alloc::vec![f32::INFINITY; count];
    let mut versions = alloc::vec![0_u32; count];
    let mut heap = BinaryHeap::with_capacity(count);
    let entry = |list: &KeyList, frame: u32, version: u32| {
        let cost = list.removal_cost(motion, frame, limit_squared);
        // Costs are not negative, so their bits sort as they do. Of equal costs the key that was evaluated least often goes
        // first, so that a constant segment is thinned evenly and no long segment is evaluated again and again.
        (cost <= limit_squared).then(|| Reverse((cost.to_bits(), version, frame)))
    };
    for frame in 1..count.saturating_sub(1) {
        heap.extend(entry(&list, frame as u32, 0));
    }
    let mut highest = 0.0_f32;
    while let Some(Reverse((cost, version, frame))) = heap.pop() {
        if versions[frame as usize] != version {
            continue;
        }
        highest = highest.max(f32::from_bits(cost));
        removal_errors[frame as usize] = libm::sqrtf(highest) * motion.metres;
        versions[frame as usize] = u32::MAX;
        list.remove(frame);
        // The slopes at both neighbours of a removed key change, and with them three segments on either side.
        let (mut before, mut after) = (frame, frame);
        for _ in 0..3 {
            before = list.before[before as usize];
            after = list.after[after as usize];
            for near in [before, after] {
                if near > 0 && (near as usize) < count - 1 && versions[near as usize] != u32::MAX {
                    versions[near as usize] += 1;
                    heap.extend(entry(&list, near, versions[near as usize]));
                }
            }
        }
    }
    removal_errors
}

/// A doubly linked list of the frames that are still keys; the ends are their own neighbours.
struct KeyList {
    before: Vec<u32>,
    after: Vec<u32>,
}

impl KeyList {
    fn new(count: usize) -> Self {
        let last = count.saturating_sub(1) as u32;
        Self {
            before: (0..=last).map(|frame| frame.saturating_sub(1)).collect(),
            after: (0..=last).map(|frame| (frame + 1).min(last)).collect(),
        }
    }

    /// Removes a frame, which keeps its links.
    fn remove(&mut self, frame: u32) {
        let (before, after) = (self.before[frame as usize], self.after[frame as usize]);
        self.after[before as usize] = after;
        self.before[after as usize] = before;
    }

    /// The largest squared difference on the three segments that change when a key is removed; infinite if it exceeds
    /// `limit_squared`.
    fn removal_cost(&self, motion: &Quantity, frame: u32, limit_squared: f32) -> f32 {
        let step_back = |frame: u32| self.before[frame as usize];
        let step_on = |frame: u32| self.after[frame as usize];
        let (b1, a1) = (step_back(frame), step_on(frame));
        let (b2, a2) = (step_back(b1), step_on(a1));
        let (b3, a3) = (step_back(b2), step_on(a2));
        let mut worst = segment_error(motion, [b2, b1, a1, a2], limit_squared);
        if worst <= limit_squared && b2 < b1 {
            worst = worst.max(segment_error(motion, [b3, b2, b1, a1], limit_squared));
        }
        if worst <= limit_squared && a1 < a2 {
            worst = worst.max(segment_error(motion, [b1, a1, a2, a3], limit_squared));
        }
        worst
    }
}

/// The largest squared difference between the frames and the curve within the segment between the inner two of four keys; the
/// outer two may equal the inner ones. Infinite if it exceeds `limit_squared`.
fn segment_error(motion: &Quantity, keys: [u32; 4], limit_squared: f32) -> f32 {
    let [before, start, end, after] = keys;
    let [p0, p1, p2, p3] = keys.map(|key| motion.keys[key as usize]);
    let length = (end - start) as f32;
    let slopes = slopes((start - before) as f32, length, (after - end) as f32);
    let [s0, s1, s2] = slopes.start;
    let [e0, e1, e2] = slopes.end;
    // The coefficients of the Hermite cubic whose slopes are those of Catmull-Rom.
    let (mut linear, mut square, mut cube) = ([0.0; 4], [0.0; 4], [0.0; 4]);
    for i in 0..4 {
        let leave = p0[i] * s0 + p1[i] * s1 + p2[i] * s2;
        let arrive = p1[i] * e0 + p2[i] * e1 + p3[i] * e2;
        let rise = p2[i] - p1[i];
        linear[i] = leave;
        square[i] = 3.0 * rise - 2.0 * leave - arrive;
        cube[i] = leave + arrive - 2.0 * rise;
    }
    let inverse = 1.0 / length;
    let mut worst = 0.0_f32;
    for frame in start + 1..end {
        let ratio = (frame - start) as f32 * inverse;
        let mut curve = [0.0_f32; 4];
        for i in 0..4 {
            curve[i] = p1[i] + ratio * (linear[i] + ratio * (square[i] + ratio * cube[i]));
        }
        let error = difference(&curve, &motion.frames[frame as usize], motion.is_unit);
        if error > limit_squared || error.is_nan() {
            return f32::INFINITY;
        }
        worst = worst.max(error);
    }
    worst
}

/// The squared distance between a value of the curve and a frame's.
fn difference(curve: &[f32; 4], frame: &[f32; 4], is_unit: bool) -> f32 {
    let squared = |v: &[f32; 4]| (v[0] * v[0] + v[1] * v[1]) + (v[2] * v[2] + v[3] * v[3]);
    let scale = if is_unit {
        1.0 / libm::sqrtf(squared(curve))
    } else {
        1.0
    };
    let mut apart = [0.0; 4];
    for i in 0..4 {
        apart[i] = curve[i] * scale - frame[i];
    }
    squared(&apart)
}

/// The largest difference from a constant value, in metres.
pub(super) fn constant_error(motion: &Quantity, value: &[f32; 4]) -> f32 {
    let mut worst = 0.0_f32;
    for frame in motion.frames {
        let error = difference(value, frame, false);
        if error.is_nan() {
            return f32::INFINITY;
        }
        worst = worst.max(error);
    }
    libm::sqrtf(worst) * motion.metres
}

#[cfg(test)]
mod tests {
    use super::*;

    fn worth_of(numbers: &[f32], limit: f32) -> Vec<f32> {
        let frames: Vec<[f32; 4]> = numbers.iter().map(|&n| [n, 0.0, 0.0, 0.0]).collect();
        let motion = Quantity {
            frames: &frames,
            keys: &frames,
            is_unit: false,
            metres: 2.0,
        };
        removal_errors(&motion, limit)
    }

    #[test]
    fn short_motions_are_all_ends() {
        assert!(worth_of(&[], 1.0).is_empty());
        for count in 1..3 {
            assert_eq!(
                worth_of(&[1.0, 5.0][..count], 1.0),
                [f32::INFINITY; 2][..count]
            );
        }
    }

    #[test]
    fn nothing_on_a_line_is_worth_anything() {
        let line: Vec<f32> = (0..100).map(|t| t as f32 * 0.5).collect();
        let removal_errors = worth_of(&line, 0.01);
        assert!(
            removal_errors[1..99]
                .iter()
                .all(|&removal_errors| removal_errors < 1e-3),
            "{removal_errors:?}"
        );
        assert!(removal_errors[0] == f32::INFINITY && removal_errors[99] == f32::INFINITY);
    }

    #[test]
    fn a_corner_is_worth_more_than_the_lines_beside_it() {
        let corner: Vec<f32> = (0..41).map(|t| (t as f32 - 20.0).abs()).collect();
        let removal_errors = worth_of(&corner, 100.0);
        let limit_squared = |frames: &[f32]| frames.iter().copied().fold(0.0, f32::max);
        // Without it the line runs 20 above, and a difference of 1 is 2 metres.
        assert!(
            (limit_squared(&removal_errors[18..23]) - 40.0).abs() < 1e-3,
            "{removal_errors:?}"
        );
        assert!(
            limit_squared(&removal_errors[1..15]) < 6.0
                && limit_squared(&removal_errors[26..40]) < 6.0,
            "{removal_errors:?}"
        );
    }

    #[test]
    fn what_costs_more_than_the_limit_is_kept() {
        let zigzag: Vec<f32> = (0..50).map(|t| (t % 2) as f32).collect();
        assert!(
            worth_of(&zigzag, 0.1)
                .iter()
                .all(|&removal_errors| removal_errors == f32::INFINITY)
        );
        for limit in [0.0, -1.0] {
            assert!(
                worth_of(&zigzag, limit)
                    .iter()
                    .all(|&removal_errors| removal_errors == f32::INFINITY)
            );
        }
    }

    #[test]
    fn numbers_that_overflow_are_kept() {
        let huge: Vec<f32> = (0..20)
            .map(|t| if t % 3 == 0 { 3e38 } else { -3e38 })
            .collect();
        assert!(
            worth_of(&huge, 1.0)
                .iter()
                .all(|&removal_errors| removal_errors == f32::INFINITY)
        );
    }
}
