//! When feet rest: the part of each foot contact in which the foot does not move.
//!
//! A contact lasts from the landing of a foot to its lift, and the foot moves by several centimetres in it. Held in place for all
//! of it, feet would pull legs from their directions by up to 20 degrees. So a plant of retargeting is the longest run of frames
//! of a contact within [`REST_RADIUS`] and [`REST_HEIGHT`] of its median. In a loop a contact across the seam is one contact: the
//! frames of the next cycle follow the last one, moved by the travel of a cycle. Linear in the number of frames.

use alloc::vec::Vec;
use core::ops::RangeInclusive;
use glam::Vec3;
use sinew::anatomy::LimbEnd;

/// How far from the median of its contact a resting foot may be over the ground, as a share of the leg length: about 1 cm.
const REST_RADIUS: f32 = 0.012;

/// The same for its height: about 6 mm.
const REST_HEIGHT: f32 = 0.007;

/// A foot at rest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RestingPlant {
    /// Heel or ball.
    pub(super) end: LimbEnd,
    /// 0 for left, 1 for right.
    pub(super) side: usize,
    /// The frames in which it rests. In a loop they may go past the last frame: that is the first frame of the next cycle, too.
    pub(super) frames: RangeInclusive<usize>,
    /// The frames of the whole contact, from the landing to the lift.
    pub(super) contact: RangeInclusive<usize>,
}

/// Returns frames within a motion whose last frame is `last`; two ranges if they continue across the seam of a loop.
pub(super) fn within_motion(
    frames: &RangeInclusive<usize>,
    last: usize,
) -> impl Iterator<Item = RangeInclusive<usize>> {
    let (start, end) = (*frames.start(), *frames.end());
    let wrapped = (end > last).then(|| 0..=(end - last).min(last));
    let first = (start <= last).then(|| start..=end.min(last));
    first.into_iter().chain(wrapped)
}

/// The longest run of frames in which a foot rests, counted from the first of `points`, which are those of a contact. `None`
/// without two such frames.
pub(super) fn longest_rest(points: &[Vec3], leg_length: f32) -> Option<RangeInclusive<usize>> {
    let mut values: Vec<f32> = Vec::with_capacity(points.len());
    let mut median = |axis: usize| {
        values.clear();
        values.extend(points.iter().map(|point| point[axis]));
        let middle = values.len() / 2;
        values.get_mut(middle)?;
        Some(*values.select_nth_unstable_by(middle, f32::total_cmp).1)
    };
    let (x, y, z) = (median(0)?, median(1)?, median(2)?);
    let rests = |point: &Vec3| {
        let beside = Vec3::new(point.x - x, 0.0, point.z - z).length();
        beside <= REST_RADIUS * leg_length && (point.y - y).abs() <= REST_HEIGHT * leg_length
    };
    let mut longest: Option<[usize; 2]> = None;
    let mut current: Option<[usize; 2]> = None;
    for (frame, point) in points.iter().enumerate() {
        current = match current {
            _ if !rests(point) => None,
            Some([first, _]) => Some([first, frame]),
            None => Some([frame, frame]),
        };
        if let Some([first, last]) = current
            && longest.is_none_or(|[from, to]| last - first > to - from)
        {
            longest = Some([first, last]);
        }
    }
    let [first, last] = longest?;
    (last > first).then_some(first..=last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_foot_rests_between_landing_and_lift() {
        let path = [
            0.3, 0.1, 0.02, 0.001, 0.0, 0.002, 0.001, 0.0, 0.001, 0.03, 0.2,
        ];
        let points: Vec<Vec3> = path.iter().map(|z| Vec3::new(1.0, 0.0, *z)).collect();
        assert_eq!(longest_rest(&points, 0.85), Some(3..=8));
        assert_eq!(longest_rest(&points[..2], 0.85), None);
        assert_eq!(longest_rest(&[], 0.85), None);
    }

    #[test]
    fn a_plant_across_the_seam_is_at_both_ends() {
        let ranges = |frames| within_motion(&frames, 99).collect::<Vec<_>>();
        assert_eq!(ranges(10..=20), [10..=20]);
        assert_eq!(ranges(90..=99), [90..=99]);
        assert_eq!(ranges(90..=104), [90..=99, 0..=5]);
    }
}
