//! Which frames a curve needs: every frame's worth, found by taking frames away.
//!
//! All frames begin as keys. The one whose removal leaves the smallest error goes first, and so on until
//! every removal would cost more than a limit. The error at which a frame went is its worth: the frames
//! worth more than a tolerance are the keys for that tolerance. So one pass serves every tolerance, also
//! one that changes over time.

use alloc::collections::BinaryHeap;
use alloc::vec::Vec;
use core::cmp::Reverse;
use sinew::internal::keyframes::slopes;

/// A motion of one quantity: what it should be at each frame, and what a key on the frame would say.
/// Vectors have a fourth number that is 0.
pub(super) struct Motion<'a> {
    pub(super) frames: &'a [[f32; 4]],
    pub(super) keys: &'a [[f32; 4]],
    /// Whether what the curve gives is brought to length 1.
    pub(super) is_unit: bool,
    /// Metres of error in the model for a difference of 1.
    pub(super) metres: f32,
}

/// What each frame is worth as a key, in metres; infinite for the first, the last, and what cannot be
/// left out for less than `limit`.
pub(super) fn worth(motion: &Motion, limit: f32) -> Vec<f32> {
    let count = motion.frames.len();
    // Squares of differences, which need no root.
    let most = limit / motion.metres;
    let most = if most.is_nan() { 0.0 } else { most * most };
    let mut list = List::new(count);
    let mut worth = alloc::vec![f32::INFINITY; count];
    let mut turns = alloc::vec![0_u32; count];
    let mut heap = BinaryHeap::with_capacity(count);
    let entry = |list: &List, frame: u32, turn: u32| {
        let cost = list.removal_cost(motion, frame, most);
        // Costs are not negative, so their bits sort as they do.
        // Of equal ones those go first that were looked at least often, so that what stands still is thinned out
        // evenly and no segment is walked again and again.
        (cost <= most).then(|| Reverse((cost.to_bits(), turn, frame)))
    };
    for frame in 1..count.saturating_sub(1) {
        heap.extend(entry(&list, frame as u32, 0));
    }
    let mut highest = 0.0_f32;
    while let Some(Reverse((cost, turn, frame))) = heap.pop() {
        if turns[frame as usize] != turn {
            continue;
        }
        highest = highest.max(f32::from_bits(cost));
        worth[frame as usize] = libm::sqrtf(highest) * motion.metres;
        turns[frame as usize] = u32::MAX;
        list.remove(frame);
        // The slopes at a removed key's neighbours change, and so do three segments on either side.
        let (mut before, mut after) = (frame, frame);
        for _ in 0..3 {
            before = list.before[before as usize];
            after = list.after[after as usize];
            for near in [before, after] {
                if near > 0 && (near as usize) < count - 1 && turns[near as usize] != u32::MAX {
                    turns[near as usize] += 1;
                    heap.extend(entry(&list, near, turns[near as usize]));
                }
            }
        }
    }
    worth
}

/// The frames that are still keys, each with its neighbours; the ends are their own.
struct List {
    before: Vec<u32>,
    after: Vec<u32>,
}

impl List {
    fn new(count: usize) -> Self {
        let last = count.saturating_sub(1) as u32;
        Self {
            before: (0..=last).map(|frame| frame.saturating_sub(1)).collect(),
            after: (0..=last).map(|frame| (frame + 1).min(last)).collect(),
        }
    }

    /// Takes a frame out. Its own neighbours stay known to it.
    fn remove(&mut self, frame: u32) {
        let (before, after) = (self.before[frame as usize], self.after[frame as usize]);
        self.after[before as usize] = after;
        self.before[after as usize] = before;
    }

    /// The square of the largest difference on the three segments that change when a key goes; more
    /// than `most` when it is that.
    fn removal_cost(&self, motion: &Motion, frame: u32, most: f32) -> f32 {
        let step_back = |frame: u32| self.before[frame as usize];
        let step_on = |frame: u32| self.after[frame as usize];
        let (b1, a1) = (step_back(frame), step_on(frame));
        let (b2, a2) = (step_back(b1), step_on(a1));
        let (b3, a3) = (step_back(b2), step_on(a2));
        let mut worst = segment_error(motion, [b2, b1, a1, a2], most);
        if worst <= most && b2 < b1 {
            worst = worst.max(segment_error(motion, [b3, b2, b1, a1], most));
        }
        if worst <= most && a1 < a2 {
            worst = worst.max(segment_error(motion, [b1, a1, a2, a3], most));
        }
        worst
    }
}

/// The square of the largest difference between a motion and the curve within a segment of four keys,
/// the outer two of which may be the inner ones. Infinite as soon as it is above `most`.
fn segment_error(motion: &Motion, keys: [u32; 4], most: f32) -> f32 {
    let [before, start, end, after] = keys;
    let [p0, p1, p2, p3] = keys.map(|key| motion.keys[key as usize]);
    let own = (end - start) as f32;
    let slopes = slopes((start - before) as f32, own, (after - end) as f32);
    let [s0, s1, s2] = slopes.start;
    let [e0, e1, e2] = slopes.end;
    // The cubic's coefficients.
    let (mut linear, mut square, mut cube) = ([0.0; 4], [0.0; 4], [0.0; 4]);
    for i in 0..4 {
        let leave = p0[i] * s0 + p1[i] * s1 + p2[i] * s2;
        let arrive = p1[i] * e0 + p2[i] * e1 + p3[i] * e2;
        let way = p2[i] - p1[i];
        linear[i] = leave;
        square[i] = 3.0 * way - 2.0 * leave - arrive;
        cube[i] = leave + arrive - 2.0 * way;
    }
    let inverse = 1.0 / own;
    let mut worst = 0.0_f32;
    for frame in start + 1..end {
        let ratio = (frame - start) as f32 * inverse;
        let mut curve = [0.0_f32; 4];
        for i in 0..4 {
            curve[i] = p1[i] + ratio * (linear[i] + ratio * (square[i] + ratio * cube[i]));
        }
        let error = difference(&curve, &motion.frames[frame as usize], motion.is_unit);
        if error > most || error.is_nan() {
            return f32::INFINITY;
        }
        worst = worst.max(error);
    }
    worst
}

/// The square of the distance between a curve's numbers and a frame's.
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

/// The largest difference, in metres, of a motion from one value all along.
pub(super) fn still_error(motion: &Motion, value: &[f32; 4]) -> f32 {
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
        let motion = Motion {
            frames: &frames,
            keys: &frames,
            is_unit: false,
            metres: 2.0,
        };
        worth(&motion, limit)
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
        let worth = worth_of(&line, 0.01);
        assert!(worth[1..99].iter().all(|&worth| worth < 1e-3), "{worth:?}");
        assert!(worth[0] == f32::INFINITY && worth[99] == f32::INFINITY);
    }

    #[test]
    fn a_corner_is_worth_more_than_the_lines_beside_it() {
        let corner: Vec<f32> = (0..41).map(|t| (t as f32 - 20.0).abs()).collect();
        let worth = worth_of(&corner, 100.0);
        let most = |frames: &[f32]| frames.iter().copied().fold(0.0, f32::max);
        // Without it the line runs 20 above, and a difference of 1 is 2 metres.
        assert!((most(&worth[18..23]) - 40.0).abs() < 1e-3, "{worth:?}");
        assert!(
            most(&worth[1..15]) < 6.0 && most(&worth[26..40]) < 6.0,
            "{worth:?}"
        );
    }

    #[test]
    fn what_costs_more_than_the_limit_is_kept() {
        let zigzag: Vec<f32> = (0..50).map(|t| (t % 2) as f32).collect();
        assert!(
            worth_of(&zigzag, 0.1)
                .iter()
                .all(|&worth| worth == f32::INFINITY)
        );
        for limit in [0.0, -1.0] {
            assert!(
                worth_of(&zigzag, limit)
                    .iter()
                    .all(|&worth| worth == f32::INFINITY)
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
                .all(|&worth| worth == f32::INFINITY)
        );
    }
}
