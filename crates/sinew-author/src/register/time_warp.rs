//! The time warp: which times of two motions correspond, as a smooth, strictly rising curve.
//!
//! Two cubic B-splines over the same position `u` from 0 to 1 give the time of each motion, in frames. They are
//!
//! 1. fitted to the DTW path (`spline_fit`), `u` being the share of its steps;
//! 2. refined: around each of many positions the second motion is shifted by fractions of frames, the distances of the windows
//!    give a parabola, and its minimum the best shift,
//!
//!    ```text
//!    shift = ½ (d₋ - d₊) / (d₋ - 2 d₀ + d₊) · step,      weight ∝ its curvature
//!    ```
//!
//!    then a smooth curve through all shifts is added. Twelve rounds, from coarse to fine;
//! 3. after each change limited in slope, so that neither motion is more than `limit` times as fast as the other.
//!
//! Path steps are whole frames, so a curve that follows the path closely wavers; windows do not see that. Hence the path is
//! followed loosely, it is the *change* that is smoothed in refinement, and later rounds use half windows.
//! `docs/decisions/2026-11-16-registration.md`, *The curve that wavers*. A round costs one pair of frames per frame and shift.

use super::dtw::Path;
use super::point_cloud::PointCloud;
use super::procrustes::AlignmentSums;
use super::spline_fit::SplineFit;
use super::spline_fit::{SplineFitSettings, WeightedSample};
use super::windows::WarpedPairs;
use alloc::vec::Vec;
use sinew::internal::Spline;

/// The least rise from a control point to the next, in frames: the curve rises strictly.
const MIN_RISE: f64 = 1e-3;

/// Frames between two control points, at least and at most. Short motions need few: a run of 89 frames whose pace
/// changes by 40 % needs 4.
const CONTROL_SPACING: [usize; 2] = [4, 8];

/// Intervals between control points that a short path should have, if they are not shorter than the minimum.
const MIN_INTERVALS: usize = 16;

/// Fewest control points.
const MIN_CONTROLS: usize = 6;

/// The weight of changes of pace when the path is fitted. A curve that follows its whole-frame steps closely wavers;
/// windows do not see that, and it would stay.
const PATH_SMOOTHING: f64 = 10.0;

/// The weight of changes of pace in refinement: enough to suppress wavering that is shorter than a window, and little
/// enough that the pace can change by half within a second.
const SHIFT_SMOOTHING: f64 = 1.0;

/// The rounds of refinement.
const ROUNDS: [RefinementRound; 12] = [
    RefinementRound::new(2.0, 4, 1),
    RefinementRound::new(1.0, 2, 1),
    RefinementRound::new(0.5, 1, 2),
    RefinementRound::new(0.5, 1, 2),
    RefinementRound::new(0.5, 1, 2),
    RefinementRound::new(0.25, 1, 2),
    RefinementRound::new(0.25, 1, 2),
    RefinementRound::new(0.25, 1, 2),
    RefinementRound::new(0.25, 1, 2),
    RefinementRound::new(0.25, 1, 2),
    RefinementRound::new(0.25, 1, 2),
    RefinementRound::new(0.25, 1, 2),
];

/// The shifts that are tried in a round of refinement.
#[derive(Clone, Copy)]
struct RefinementRound {
    /// The largest shift to either side, in frames.
    range_frames: f64,
    /// Shifts that are tried to either side.
    steps: usize,
    /// 1 for whole windows, which find the way; 2 for halves, which see wavering that is shorter than a window.
    window_divisor: usize,
}

impl RefinementRound {
    const fn new(range_frames: f64, steps: usize, window_divisor: usize) -> Self {
        Self {
            range_frames,
            steps,
            window_divisor,
        }
    }
}

/// Shifts that are tried to both sides and in the middle, at most.
const MAX_SHIFTS: usize = 9;

/// Positions that are refined, per control point.
const SAMPLES_PER_CONTROL: usize = 6;

/// The largest weight of a position relative to the median.
const MAX_WEIGHT: f64 = 10.0;

/// Mean square distances below this count as zero, in square metres: a thousandth of a millimetre.
const NEGLIGIBLE_DISTANCE: f64 = 1e-12;

/// Shifts below this count as zero, in frames.
const NEGLIGIBLE_SHIFT: f64 = 1e-4;

/// The maximum ratio of the paces of two motions, by the slope limit of their path.
pub(super) fn pace_limit(slope: usize) -> f64 {
    (slope + 1) as f64
}

/// The times of both motions, in frames, by position from 0 to 1. At no position is one more than `limit` times as fast as
/// the other.
#[derive(Clone, Debug)]
pub(super) struct TimeWarp {
    pub(super) first: Spline,
    pub(super) second: Spline,
    /// The maximum ratio of the paces of both motions.
    limit: f64,
}

impl TimeWarp {
    /// The curve along a path. `None` if the path goes along one motion alone.
    pub(super) fn along(path: &Path, slope: usize) -> Option<Self> {
        let (&[row, column], &[last_row, last_column]) = (path.cells.first()?, path.cells.last()?);
        let steps = (last_row - row) + (last_column - column);
        if last_row == row || last_column == column {
            return None;
        }
        let spacing = (steps / 2 / MIN_INTERVALS).clamp(CONTROL_SPACING[0], CONTROL_SPACING[1]);
        let controls = (steps / 2 / spacing + 3).max(MIN_CONTROLS);
        let curve = |axis: usize, ends: [usize; 2]| {
            let samples: Vec<WeightedSample> = path
                .cells
                .iter()
                .map(|cell| WeightedSample {
                    position: ((cell[0] - row) + (cell[1] - column)) as f64 / steps as f64,
                    value: cell[axis] as f64,
                    weight: 1.0,
                })
                .collect();
            let fit = SplineFitSettings {
                degree: 3,
                controls,
                smoothing: PATH_SMOOTHING,
                ends: Some(ends.map(|end| end as f64)),
                rise: Some(MIN_RISE),
            };
            Spline::fitted(&samples, &fit)
        };
        let limit = pace_limit(slope);
        let first = curve(0, [row, last_row])?;
        let mut second = curve(1, [column, last_column])?;
        second.limit_slope(&first, limit, None);
        Some(Self {
            first,
            second,
            limit,
        })
    }

    /// Shifts the second motion's times to where the motions are nearest to each other. Its ends stay.
    pub(super) fn refine(&mut self, clouds: (&PointCloud, &PointCloud), reach: usize) {
        self.refine_with(clouds, reach, Some([0.0; 2]));
    }

    /// As [`refine`](Self::refine), but the ends are shifted as well.
    pub(super) fn refine_freely(&mut self, clouds: (&PointCloud, &PointCloud), reach: usize) {
        self.refine_with(clouds, reach, None);
    }

    fn refine_with(
        &mut self,
        (a, b): (&PointCloud, &PointCloud),
        reach: usize,
        ends: Option<[f64; 2]>,
    ) {
        let count = self.second.controls().len() * SAMPLES_PER_CONTROL;
        for RefinementRound {
            range_frames,
            steps,
            window_divisor,
        } in ROUNDS
        {
            let step = range_frames / steps as f64;
            let pairs = WarpedPairs::new(self, (reach / window_divisor).max(1));
            let offsets = (0..=2 * steps).map(|index| (index as f64 - steps as f64) * step);
            let sums: Vec<Vec<AlignmentSums>> =
                offsets.map(|offset| pairs.sums(a, b, offset)).collect();
            let found: Vec<(f64, TimeShift)> = pairs
                .spread(count)
                .filter_map(|frame| {
                    let distance = |frame_sums: &Vec<AlignmentSums>| {
                        let window = pairs.window(frame_sums, frame);
                        (window.weight > 0.0).then(|| window.distance())
                    };
                    let shift = best_shift(sums.iter().map(distance), step, steps)?;
                    Some((pairs.position(frame), shift))
                })
                .collect();
            if (found.iter()).all(|(_, shift)| shift.frames.abs() < NEGLIGIBLE_SHIFT) {
                return;
            }
            self.shift_second(&found, (b.frames - 1) as f64, ends);
        }
    }

    /// Adds a smooth curve through the shifts that were found to the second curve; its ends shift by `ends`, if given.
    fn shift_second(&mut self, found: &[(f64, TimeShift)], last: f64, ends: Option<[f64; 2]>) {
        let mut curvatures: Vec<f64> = found
            .iter()
            .filter_map(|(_, shift)| shift.curvature)
            .collect();
        curvatures.sort_by(f64::total_cmp);
        let median = curvatures.get(curvatures.len() / 2).copied();
        let median = median.unwrap_or(1.0).max(1e-12);
        let samples: Vec<WeightedSample> = found
            .iter()
            .map(|&(position, shift)| WeightedSample {
                position,
                value: shift.frames,
                // A flat parabola has no clear minimum.
                weight: (shift.curvature).map_or(0.01, |curvature| {
                    (curvature / median).clamp(0.01, MAX_WEIGHT)
                }),
            })
            .collect();
        // The change is smoothed, not the result, which would never quite follow changes of pace.
        let fit = SplineFitSettings {
            degree: 3,
            controls: self.second.controls().len(),
            smoothing: SHIFT_SMOOTHING,
            ends,
            rise: None,
        };
        let Some(shifts) = Spline::fitted(&samples, &fit) else {
            return;
        };
        let pairs = self.second.controls().iter().zip(shifts.controls());
        let moved = pairs.map(|(control, shift)| control + shift);
        self.second = Spline::new(3, moved.collect());
        let range = ends.is_none().then_some([0.0, last]);
        self.second.limit_slope(&self.first, self.limit, range);
    }
}

/// The best shift of the second motion at a position.
#[derive(Clone, Copy, Debug)]
struct TimeShift {
    frames: f64,
    /// The second derivative of the distance there; `None` if it has no minimum.
    curvature: Option<f64>,
}

/// The shift at which the second motion is nearest to the first, from the distances `steps` steps before to as many after.
fn best_shift(
    distances: impl Iterator<Item = Option<f64>>,
    step: f64,
    steps: usize,
) -> Option<TimeShift> {
    let offset = |index: usize| (index as f64 - steps as f64) * step;
    let mut tried = [f64::INFINITY; MAX_SHIFTS];
    for (known, distance) in tried.iter_mut().zip(distances) {
        *known = distance.unwrap_or(f64::INFINITY);
    }
    let here = tried[steps];
    if here <= NEGLIGIBLE_DISTANCE {
        return Some(TimeShift {
            frames: 0.0,
            curvature: None,
        });
    }
    if here.is_infinite() {
        return None;
    }
    let best = (0..=2 * steps).fold(
        steps,
        |best, i| {
            if tried[i] < tried[best] { i } else { best }
        },
    );
    // The minimum of the parabola through three neighbours.
    let middle = best.clamp(1, 2 * steps - 1);
    let [before, here, after] = [tried[middle - 1], tried[middle], tried[middle + 1]];
    let second_difference = before - 2.0 * here + after;
    if !(second_difference > 0.0 && second_difference.is_finite()) {
        return Some(TimeShift {
            frames: offset(best),
            curvature: None,
        });
    }
    let shift = (0.5 * (before - after) / second_difference).clamp(-1.5, 1.5);
    Some(TimeShift {
        frames: offset(middle) + shift * step,
        curvature: Some(second_difference / (step * step)),
    })
}
