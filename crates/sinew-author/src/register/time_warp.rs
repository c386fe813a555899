//! Which moments of two motions correspond, the time warp: a smooth, strictly rising curve through a path, moved to where the
//! motions are nearest to each other.

use super::dtw::Path;
use super::point_cloud::PointCloud;
use super::procrustes::AlignmentSums;
use super::spline_fit::SplineFit;
use super::spline_fit::{SplineFitSettings, WeightedSample};
use super::windows::WarpedPairs;
use alloc::vec::Vec;
use sinew::internal::Spline;

/// How much control points rise at least from one to the next, in frames.
const LEAST_RISE: f64 = 1e-3;

/// Frames between two control points, at least and at most.
const SPACING: [usize; 2] = [4, 8];

/// Stretches between control points that even a short path has, where they are not too short.
const STRETCHES: usize = 16;

/// Fewest control points.
const FEWEST: usize = 6;

/// How much changes of pace count when a path is followed. Paths go by whole steps, so that a curve that follows
/// closely wavers; windows do not see that, and it would stay.
const PATH_SMOOTHING: f64 = 10.0;

/// How much changes of pace count when moments are moved. As much as keeps wavering away that is shorter than a
/// window, and no more than lets the pace change by half within a second.
const MOVE_SMOOTHING: f64 = 1.0;

/// Looks for better moments, one after the other.
const ROUNDS: [Round; 12] = [
    Round::new(2.0, 4, 1),
    Round::new(1.0, 2, 1),
    Round::new(0.5, 1, 2),
    Round::new(0.5, 1, 2),
    Round::new(0.5, 1, 2),
    Round::new(0.25, 1, 2),
    Round::new(0.25, 1, 2),
    Round::new(0.25, 1, 2),
    Round::new(0.25, 1, 2),
    Round::new(0.25, 1, 2),
    Round::new(0.25, 1, 2),
    Round::new(0.25, 1, 2),
];

/// How a better moment is looked for.
#[derive(Clone, Copy)]
struct Round {
    /// How far to either side, in frames.
    far: f64,
    /// How many are tried there.
    tries: usize,
    /// By which part of a window. Whole ones find the way, halves see wavering that is shorter than a window.
    part: usize,
}

impl Round {
    const fn new(far: f64, tries: usize, part: usize) -> Self {
        Self { far, tries, part }
    }
}

/// Moments that are tried to both sides and in the middle, at most.
const MOST_TRIES: usize = 9;

/// Moments that are looked at per control point.
const PER_CONTROL: usize = 6;

/// How much more one moment counts than is usual, at most: where motions stand still nothing can be told.
const MOST_WEIGHT: f64 = 10.0;

/// Mean square distances below this are none, in square metres: a thousandth of a millimetre.
const NOTHING: f64 = 1e-12;

/// Moves by less than this are none, in frames.
const STILL: f64 = 1e-4;

/// How many times faster one motion may go than the other, by the slope limit of their path.
pub(super) fn pace_limit(slope: usize) -> f64 {
    (slope + 1) as f64
}

/// For a position from 0 to 1, the moments of both motions, in frames. Neither goes more than `limit` times as fast as the
/// other, at any position.
#[derive(Clone, Debug)]
pub(super) struct TimeWarp {
    pub(super) first: Spline,
    pub(super) second: Spline,
    /// How many times faster one motion may go than the other.
    limit: f64,
}

impl TimeWarp {
    /// A curve along a path. `None` where the path goes along one motion alone.
    pub(super) fn along(path: &Path, slope: usize) -> Option<Self> {
        let (&[row, column], &[last_row, last_column]) = (path.cells.first()?, path.cells.last()?);
        let steps = (last_row - row) + (last_column - column);
        if last_row == row || last_column == column {
            return None;
        }
        let spacing = (steps / 2 / STRETCHES).clamp(SPACING[0], SPACING[1]);
        let controls = (steps / 2 / spacing + 3).max(FEWEST);
        let curve = |axis: usize, ends: [usize; 2]| {
            let samples: Vec<WeightedSample> = path
                .cells
                .iter()
                .map(|cell| WeightedSample {
                    at: ((cell[0] - row) + (cell[1] - column)) as f64 / steps as f64,
                    value: cell[axis] as f64,
                    weight: 1.0,
                })
                .collect();
            let fit = SplineFitSettings {
                degree: 3,
                controls,
                smoothing: PATH_SMOOTHING,
                ends: Some(ends.map(|end| end as f64)),
                rise: Some(LEAST_RISE),
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

    /// Moves the second motion's moments to where the motions are nearest to each other. Its ends stay.
    pub(super) fn refine(&mut self, clouds: (&PointCloud, &PointCloud), reach: usize) {
        self.refine_with(clouds, reach, Some([0.0; 2]));
    }

    /// The same, and its ends move as well.
    pub(super) fn refine_freely(&mut self, clouds: (&PointCloud, &PointCloud), reach: usize) {
        self.refine_with(clouds, reach, None);
    }

    fn refine_with(
        &mut self,
        (a, b): (&PointCloud, &PointCloud),
        reach: usize,
        ends: Option<[f64; 2]>,
    ) {
        let count = self.second.controls().len() * PER_CONTROL;
        for Round { far, tries, part } in ROUNDS {
            let step = far / tries as f64;
            let along = WarpedPairs::new(self, (reach / part).max(1));
            let offs = (0..=2 * tries).map(|at| (at as f64 - tries as f64) * step);
            let sums: Vec<Vec<AlignmentSums>> = offs.map(|off| along.sums(a, b, off)).collect();
            let found: Vec<(f64, Move)> = along
                .spread(count)
                .filter_map(|frame| {
                    let distance = |own: &Vec<AlignmentSums>| {
                        let sums = along.window(own, frame);
                        (sums.weight > 0.0).then(|| sums.distance())
                    };
                    let own = best_move(sums.iter().map(distance), step, tries)?;
                    Some((along.position(frame), own))
                })
                .collect();
            if found.iter().all(|(_, own)| own.frames.abs() < STILL) {
                return;
            }
            self.move_second(&found, (b.frames - 1) as f64, ends);
        }
    }

    /// Fits the second curve to where it was, moved by what was found at each position, and by given numbers at its
    /// ends.
    fn move_second(&mut self, found: &[(f64, Move)], last: f64, ends: Option<[f64; 2]>) {
        let mut sure: Vec<f64> = found.iter().filter_map(|(_, own)| own.sureness).collect();
        sure.sort_by(f64::total_cmp);
        let usual = sure.get(sure.len() / 2).copied().unwrap_or(1.0).max(1e-12);
        let samples: Vec<WeightedSample> = found
            .iter()
            .map(|&(at, own)| WeightedSample {
                at,
                value: own.frames,
                // What has no clear best moment hardly counts.
                weight: own
                    .sureness
                    .map_or(0.01, |sure| (sure / usual).clamp(0.01, MOST_WEIGHT)),
            })
            .collect();
        // Smooth is what is added: were it the sum, changes of pace would never quite be followed.
        let fit = SplineFitSettings {
            degree: 3,
            controls: self.second.controls().len(),
            smoothing: MOVE_SMOOTHING,
            ends,
            rise: None,
        };
        let Some(moves) = Spline::fitted(&samples, &fit) else {
            return;
        };
        let pairs = self.second.controls().iter().zip(moves.controls());
        let moved = pairs.map(|(control, own)| control + own);
        self.second = Spline::new(3, moved.collect());
        let range = ends.is_none().then_some([0.0, last]);
        self.second.limit_slope(&self.first, self.limit, range);
    }
}

/// By how much a moment is to be moved.
#[derive(Clone, Copy, Debug)]
struct Move {
    frames: f64,
    /// How much worse it is beside; unknown where the best is not seen from both sides.
    sureness: Option<f64>,
}

/// Where the second motion is nearest to the first, by how far it is `tries` steps before to as many after.
fn best_move(
    distances: impl Iterator<Item = Option<f64>>,
    step: f64,
    tries: usize,
) -> Option<Move> {
    let off = |place: usize| (place as f64 - tries as f64) * step;
    let mut tried = [f64::INFINITY; MOST_TRIES];
    for (known, distance) in tried.iter_mut().zip(distances) {
        *known = distance.unwrap_or(f64::INFINITY);
    }
    let here = tried[tries];
    if here <= NOTHING {
        return Some(Move {
            frames: 0.0,
            sureness: None,
        });
    }
    if here.is_infinite() {
        return None;
    }
    let best = (0..=2 * tries).fold(
        tries,
        |best, at| {
            if tried[at] < tried[best] { at } else { best }
        },
    );
    // The middle of three, so that there is a bow through them.
    let middle = best.clamp(1, 2 * tries - 1);
    let [before, own, after] = [tried[middle - 1], tried[middle], tried[middle + 1]];
    let bow = before - 2.0 * own + after;
    if !(bow > 0.0 && bow.is_finite()) {
        return Some(Move {
            frames: off(best),
            sureness: None,
        });
    }
    let shift = (0.5 * (before - after) / bow).clamp(-1.5, 1.5);
    Some(Move {
        frames: off(middle) + shift * step,
        sureness: Some(bow / (step * step)),
    })
}
