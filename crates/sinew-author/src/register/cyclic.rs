//! Registration of loops: one cycle of each, whatever their phases.
//!
//! The distance grid of two loops is a torus: after the last frame of either comes its first, moved over the ground by the
//! travel of the loop. A corresponding path closes on it: it goes once around along both.
//!
//! 1. Loops are unrolled to several cycles, each placed where the one before ended, so that windows see no seam.
//! 2. For every phase offset the mean distance along the straight line around the torus is computed; its local minima are the
//!    candidates.
//! 3. For each candidate, dynamic time warping around the torus. A path that is forced through one cell is not the best
//!    closed one, so it is found twice: the second time through the cell half a cycle away, where the first path was free.
//!    The nearest of all candidates wins.
//! 4. The path is repeated for three cycles, fitted and refined as for any two motions, and the middle cycle is kept: it does
//!    not see the ends.
//!
//! The cost is one torus of distances, and two DTW paths for each of up to eight candidates.
//! `docs/decisions/2026-11-18-nearest.md`, *Loops*.

use super::alignment::fit_alignment;
use super::dtw::{Ends, Path, dtw_path};
use super::grid::Grid;
use super::pairwise::{MIN_FRAMES, Refusal, even_reach};
use super::point_cloud::{PointCloud, joint_positions};
use super::procrustes::AlignmentSums;
use super::settings::{RegisterError, RegisterSettings, default_weights};
use super::spline_fit::SplineFit;
use super::spline_fit::{SplineFitSettings, WeightedSample};
use super::threshold::{RowMinima, median};
use super::time_warp::{TimeWarp, pace_limit};
use alloc::vec::Vec;
use glam::Vec3;
use sinew::internal::Alignment;
use sinew::internal::Spline;
use sinew::internal::{PLACE_DEGREE, TIME_DEGREE, Track};
use sinew::math::GroundTransform;
use sinew::registration::Motion;
use sinew::registration::MotionFingerprint;
use sinew::registration::{LoopCycle, RegistrationCurve};

/// Frames of one cycle, at most: the torus then has four million cells. Longer loops are sampled at a lower rate.
const MAX_CYCLE_FRAMES: f64 = 2000.0;

/// Cycles that a path is repeated for; the middle one is kept.
const CYCLES: usize = 3;

/// Phase offsets that are searched by dynamic time warping, at most.
const MAX_CANDIDATES: usize = 8;

/// An offset is searched if its mean square distance is at most this many times the smallest: 1.5 times the distance.
const CANDIDATE_FACTOR: f64 = 2.25;

/// Paths whose mean square distances differ by less than this factor are equally near.
const TIE_FACTOR: f64 = 1.02;

/// Mean square distances that differ by less than this are equal, in square metres: a millimetre.
const TIE_DISTANCE: f64 = 1e-6;

/// Samples at which a loop is checked for motion.
const LOOP_SAMPLES: usize = 16;

/// The largest gap between the first and the last pose of a loop, as a share of the size of the body: 2 mm for a person,
/// whose root-mean-square joint distance from the centroid is 0.5 m.
const MAX_GAP: f64 = 0.004;

/// A loop moves at least this many times as far from its first pose as its last pose is.
const MIN_MOTION: f64 = 4.0;

/// Samples per control point to which the kept cycle is fitted.
const SAMPLES_PER_CONTROL: usize = 8;

/// Whether a motion is marked as a loop, or ends as it begins but for a ground transform and moves in between.
pub(super) fn is_loop(motion: Motion<'_>) -> bool {
    let length = f64::from(motion.animation.length);
    if !(length > 0.0 && length.is_finite()) {
        return false;
    }
    if motion.animation.looping.is_some() {
        return true;
    }
    let weights = default_weights([motion, motion]);
    let times = (0..=LOOP_SAMPLES).map(|sample| length * sample as f64 / LOOP_SAMPLES as f64);
    let Ok(positions) = joint_positions(motion, times, weights.len(), None) else {
        return false;
    };
    let cloud = PointCloud::of_points(&positions, &weights);
    let from_first = |frame: usize| libm::sqrt(fit(&cloud, frame).distance());
    let size = cloud.size(0);
    let gap = from_first(LOOP_SAMPLES);
    let farthest = (1..LOOP_SAMPLES).map(from_first).fold(0.0, f64::max);
    gap <= MAX_GAP * size && farthest > (MIN_MOTION * gap).max(1e-4 * size)
}

/// The sums that align the first frame of a cloud to another of its frames.
fn fit(cloud: &PointCloud, frame: usize) -> AlignmentSums {
    let (mut first, mut other) = Default::default();
    cloud.interpolate(0.0, &mut first);
    cloud.interpolate(frame as f64, &mut other);
    let mut sums = AlignmentSums::default();
    sums.add(&other, &first, 1.0);
    sums
}

/// A loop, sampled and unrolled.
struct UnrolledLoop {
    /// Frames of a cycle, the first not counted again at its end.
    frames: usize,
    /// Seconds of a cycle.
    length: f64,
    /// The travel of one cycle.
    ground_transform: GroundTransform,
    /// Several cycles, each placed where the one before ended.
    unrolled: PointCloud,
}

impl UnrolledLoop {
    /// Samples a loop at about `rate`, with a whole number of frames per cycle.
    fn new(motion: Motion<'_>, rate: f64, weights: &[f64]) -> Result<Self, RegisterError> {
        let length = f64::from(motion.animation.length);
        let frames = libm::rint(length * rate).min(MAX_CYCLE_FRAMES) as usize;
        if frames < MIN_FRAMES {
            return Err(RegisterError::TooShort {
                name: motion.animation.name.clone(),
                frames,
            });
        }
        let joints = weights.len();
        let times = (0..=frames).map(|frame| length * frame as f64 / frames as f64);
        let mut positions = joint_positions(motion, times, joints, motion.in_place())?;
        let once = PointCloud::of_points(&positions, weights);
        let centered = fit(&once, frames).fit();
        let ground_transform =
            super::alignment::between_origins(&centered, once.origin, once.origin);
        positions.truncate(frames * joints);
        let mut unrolled = Vec::with_capacity((CYCLES + 2) * positions.len());
        let mut to = GroundTransform::IDENTITY;
        for _ in 0..CYCLES + 2 {
            unrolled.extend(positions.iter().map(|position| {
                let [x, z] = to.apply([f64::from(position.x), f64::from(position.z)]);
                Vec3::new(x as f32, position.y, z as f32)
            }));
            to = to.then(&ground_transform);
        }
        Ok(Self {
            frames,
            length,
            ground_transform,
            unrolled: PointCloud::of_points(&unrolled, weights),
        })
    }

    /// The time of an unrolled frame, in seconds from the beginning of the first cycle.
    fn seconds(&self, frame: f64) -> f64 {
        frame / self.frames as f64 * self.length
    }
}

/// The distance grid of one cycle of each of two loops.
struct Torus {
    rows: usize,
    columns: usize,
    cells: Vec<f32>,
}

impl Torus {
    fn new(a: &UnrolledLoop, b: &UnrolledLoop, reach: usize) -> Self {
        let (rows, columns) = (a.frames, b.frames);
        // Cells of the second cycle of both, whose windows have frames before and after.
        let mut ranges = alloc::vec![0..0; a.unrolled.frames];
        ranges[rows..2 * rows].fill(columns..2 * columns);
        let grid = Grid::new(&a.unrolled, &b.unrolled, reach, ranges);
        let mut cells = Vec::with_capacity(rows * columns);
        for row in rows..2 * rows {
            cells.extend_from_slice(grid.row(row));
        }
        Self {
            rows,
            columns,
            cells,
        }
    }

    /// The grid once around the torus, from a cell on.
    fn unrolled(&self, row: usize, column: usize) -> Grid {
        Grid::from_cells(self.rows + 1, self.columns + 1, |down, across| {
            let row = (row + down) % self.rows;
            self.cells[row * self.columns + (column + across) % self.columns]
        })
    }

    /// The mean along the straight line around the torus, by its phase offset in columns.
    fn mean_by_offset(&self) -> Vec<f64> {
        let straight = |row: usize| (row * self.columns + self.rows / 2) / self.rows;
        let mean = |offset: usize| {
            let cells = (0..self.rows).map(|row| {
                let column = (straight(row) + offset) % self.columns;
                f64::from(self.cells[row * self.columns + column])
            });
            cells.sum::<f64>() / self.rows as f64
        };
        (0..self.columns).map(mean).collect()
    }

    /// Phase offsets that are local minima, the nearest first.
    fn offsets(&self) -> Vec<usize> {
        let means = self.mean_by_offset();
        let count = means.len();
        let is_minimum = |i: &usize| {
            let (before, after) = (means[(i + count - 1) % count], means[(i + 1) % count]);
            means[*i] <= before && means[*i] < after
        };
        let mut offsets: Vec<usize> = (0..count).filter(is_minimum).collect();
        offsets.sort_by(|a, b| means[*a].total_cmp(&means[*b]));
        let least = offsets.first().map_or(0.0, |first| means[*first]);
        offsets.retain(|offset| means[*offset] <= CANDIDATE_FACTOR * least);
        offsets.truncate(MAX_CANDIDATES);
        if offsets.is_empty() {
            // All distances are equal.
            offsets.push(0);
        }
        offsets
    }

    /// The cells of a path and their distances.
    fn cells_of(&self, path: &ClosedPath) -> impl Iterator<Item = ([usize; 2], f32)> {
        path.cells.iter().map(|cell| {
            let row = (path.row + cell[0]) % self.rows;
            let column = (path.column + cell[1]) % self.columns;
            ([row, column], self.cells[row * self.columns + column])
        })
    }

    /// The nearest closed path; of paths that are equally near, the one whose phases differ least. In loops of several strides
    /// each stride is as near as the others.
    fn nearest_path(&self, slope: usize) -> Option<ClosedPath> {
        let offsets = self.offsets().into_iter();
        let paths: Vec<(usize, ClosedPath)> = offsets
            .filter_map(|offset| Some((offset, self.closed_path(offset, slope)?)))
            .collect();
        let means = paths.iter().map(|(_, path)| path.mean);
        let least = means.fold(f64::INFINITY, f64::min);
        let near = paths
            .into_iter()
            .filter(|(_, path)| path.mean <= TIE_FACTOR * least + TIE_DISTANCE);
        let phase = |offset: usize| offset.min(self.columns - offset);
        near.min_by_key(|(offset, _)| phase(*offset))
            .map(|(_, path)| path)
    }

    /// The nearest closed path around a phase offset.
    fn closed_path(&self, offset: usize, slope: usize) -> Option<ClosedPath> {
        let around =
            |row: usize, column: usize| dtw_path(&self.unrolled(row, column), Ends::Corners, slope);
        let half = self.rows / 2;
        let forced = around(0, offset)?;
        let middle = forced.cells.iter().find(|cell| cell[0] == half)?;
        let column = offset + middle[1];
        let path = around(half, column)?;
        Some(ClosedPath {
            mean: path.mean,
            cells: path.cells,
            row: half,
            column,
        })
    }
}

/// A path once around the torus; its last cell is its first one again.
struct ClosedPath {
    /// Relative to `row` and `column`.
    cells: Vec<[usize; 2]>,
    row: usize,
    column: usize,
    mean: f64,
}

impl ClosedPath {
    /// The path repeated for three cycles, from the first row on. Columns begin in the first or second cycle.
    fn repeated(&self, rows: usize, columns: usize) -> Path {
        let last = CYCLES * rows;
        let column = self.column % columns;
        let mut cells = Vec::with_capacity((CYCLES + 1) * self.cells.len());
        // The path begins half a cycle in, so one cycle earlier it covers the first row.
        for cycle in 0..=CYCLES + 1 {
            let again = usize::from(cycle > 0);
            for cell in self.cells.iter().skip(again) {
                let row = self.row + cell[0] + cycle * rows;
                let column = column + cell[1] + cycle * columns;
                if let Some(row) = row.checked_sub(rows)
                    && row <= last
                {
                    cells.push([row, column]);
                }
            }
        }
        // Only the first cell of the last row: the path then advances by whole cycles.
        let end = cells.iter().position(|cell| cell[0] == last);
        cells.truncate(end.map_or(cells.len(), |end| end + 1));
        Path {
            cells,
            mean: self.mean,
        }
    }
}

/// Registers one cycle of each of two loops.
pub(super) fn register_loops(
    motions: [Motion<'_>; 2],
    weights: &[f64],
    rate: f64,
    settings: &RegisterSettings,
) -> Result<RegistrationCurve, RegisterError> {
    // One rate for both, limited by the frames per cycle.
    let longest = motions
        .iter()
        .map(|motion| f64::from(motion.animation.length))
        .fold(0.0, f64::max);
    let rate = rate.min(MAX_CYCLE_FRAMES / longest);
    let a = UnrolledLoop::new(motions[0], rate, weights)?;
    let b = UnrolledLoop::new(motions[1], rate, weights)?;
    let reach = libm::rint(f64::from(settings.window) * rate).max(1.0) as usize;
    // A window longer than a cycle would count frames twice.
    let reach = reach.min(a.frames.min(b.frames) / 2).max(1);
    let torus = Torus::new(&a, &b, even_reach(reach));
    let mut minima = RowMinima::new(torus.rows, torus.columns);
    for (row, cells) in torus.cells.chunks_exact(torus.columns).enumerate() {
        minima.add(row, 0, cells);
    }
    let clouds = (&a.unrolled, &b.unrolled);
    let size = clouds.0.size(0).max(clouds.1.size(0));
    let half_step = clouds.0.half_step().max(clouds.1.half_step());
    let given = settings.max_distance.map(|distance| distance * distance);
    let best = torus.nearest_path(settings.slope);
    let no_match = |reason| {
        let refusal = Refusal {
            reason,
            nearest: minima.least(),
            threshold: Some(given.unwrap_or_else(|| minima.threshold(size, half_step))),
        };
        refusal.of(motions)
    };
    let limit = pace_limit(settings.slope);
    let is_too_slow = a.length > limit * b.length || b.length > limit * a.length;
    let Some(best) = best.filter(|_| !is_too_slow) else {
        return Err(no_match("one loop is too much slower than the other"));
    };
    // By the given threshold, or by the median distance of these loops.
    let reason = match given {
        Some(most) if best.mean > most => Some("the nearest phases are too far apart"),
        Some(_) => None,
        None => {
            let median = median(torus.cells.iter().copied().step_by(3).collect());
            minima.refuse(torus.cells_of(&best), median, (size, half_step))
        }
    };
    if let Some(reason) = reason {
        return Err(no_match(reason));
    }
    let path = best.repeated(a.frames, b.frames);
    let unfit = || no_match("no curve follows the path");
    let mut warp = TimeWarp::along(&path, settings.slope).ok_or_else(unfit)?;
    if settings.is_refined {
        warp.refine_freely(clouds, reach);
    }
    let (alignment, distance) = fit_alignment(clouds, &warp, reach).ok_or_else(unfit)?;
    let tracks = one_cycle([&a, &b], &warp, &alignment, motions, limit).ok_or_else(unfit)?;
    Ok(RegistrationCurve::new(tracks, 0, libm::sqrt(distance)))
}

/// The second of three cycles. Neither loop is more than `limit` times as fast as the other.
fn one_cycle(
    loops: [&UnrolledLoop; 2],
    warp: &TimeWarp,
    alignment: &Alignment,
    motions: [Motion<'_>; 2],
    limit: f64,
) -> Option<Vec<Track>> {
    let [a, b] = loops;
    let ends = [1, 2].map(|cycle: usize| warp.first.find((cycle * a.frames) as f64));
    let unrolled_position = |v: f64| ends[0] + (ends[1] - ends[0]) * v;
    let controls = (warp.first.controls().len() / CYCLES).max(2 * TIME_DEGREE) + TIME_DEGREE;
    let count = controls * SAMPLES_PER_CONTROL;
    let positions = || (0..=count).map(|step| step as f64 / count as f64);
    // The path advances by whole cycles, the refined curve only nearly: the difference is shared between both ends.
    let advance = warp.second.at(ends[1]) - warp.second.at(ends[0]) - b.frames as f64;
    let start = warp.second.at(ends[0]) + 0.5 * advance;
    let cycles = libm::floor(start / b.frames as f64);
    let start = start - cycles * b.frames as f64;
    let times = |motion: &UnrolledLoop, spline: &Spline, first: f64| {
        let from = spline.at(ends[0]);
        let span = spline.at(ends[1]) - from;
        let samples = positions().map(|v| WeightedSample {
            position: v,
            value: first + (spline.at(unrolled_position(v)) - from) / span * motion.frames as f64,
            weight: 1.0,
        });
        let fit = SplineFitSettings {
            degree: TIME_DEGREE,
            controls,
            smoothing: 1e-9,
            ends: Some([first, first + motion.frames as f64]),
            rise: Some(1e-3),
        };
        let fitted = Spline::fitted(&samples.collect::<Vec<_>>(), &fit)?;
        Some(fitted.scaled(motion.seconds(1.0)))
    };
    let mut first = times(a, &warp.first, 0.0)?;
    first.close();
    let mut second = times(b, &warp.second, start)?;
    // The limit holds in seconds, and each loop has its own rate because its cycle is a whole number of frames.
    second.limit_slope(&first, limit, None);
    second.close_limited(&first, limit);
    // The kept cycle is the second, so it is moved back by a cycle of the first loop, and by `cycles` of the second.
    let later = b.ground_transform.fraction(cycles);
    let back = a.ground_transform.inverse();
    let transforms: Vec<(f64, GroundTransform)> = positions()
        .map(|v| {
            let aligned = alignment.at(unrolled_position(v));
            (v, later.then(&aligned).then(&back))
        })
        .collect();
    let fitted = |coordinate: fn(&GroundTransform) -> f64| {
        let samples = transforms.iter().map(|(v, transform)| WeightedSample {
            position: *v,
            value: coordinate(transform),
            weight: 1.0,
        });
        let fit = SplineFitSettings {
            degree: PLACE_DEGREE,
            controls,
            smoothing: 1e-9,
            ends: None,
            rise: None,
        };
        Spline::fitted(&samples.collect::<Vec<_>>(), &fit)
    };
    let alignment = Alignment {
        angle: fitted(|transform| transform.angle)?,
        x: fitted(|transform| transform.x)?,
        z: fitted(|transform| transform.z)?,
    };
    let track = |motion: Motion<'_>, unrolled: &UnrolledLoop, times, alignment| Track {
        name: motion.animation.name.clone(),
        times,
        alignment,
        cycle: Some(LoopCycle {
            seconds: unrolled.length,
            ground_transform: unrolled.ground_transform,
        }),
        fingerprint: Some(MotionFingerprint::of(motion)),
    };
    Some(alloc::vec![
        track(motions[0], a, first, Alignment::identity()),
        track(motions[1], b, second, alignment),
    ])
}
