//! Registration of two motions, from point clouds to the registration curve.
//!
//! ```text
//! sample both at one rate ─▶ coarse grid, DTW ─▶ band of the full grid, DTW ─▶ time warp ─▶ alignment
//! ```
//!
//! The full grid is rows × columns, so for long motions the path through a coarse grid limits it to a band of a few frames on
//! either side: at 120 frames per second an eighth of the work. `docs/decisions/2026-11-18-nearest.md`, *Some frames first*,
//! says why local registration needs a denser coarse grid.

use super::alignment::fit_alignment;
use super::cyclic::{is_loop, register_loops};
use super::dtw::{Ends, Path, dtw_path};
use super::grid::Grid;
use super::point_cloud::PointCloud;
use super::settings::{RegisterError, RegisterMode, RegisterSettings, check, weights};
use super::spline_fit::SplineFit;
use super::threshold::{self, RowMinima};
use super::time_warp::{TimeWarp, pace_limit};
use crate::error::NotFiniteError;
use alloc::vec::Vec;
use sinew::internal::Alignment;
use sinew::internal::Track;
use sinew::registration::MotionFingerprint;
use sinew::registration::RegistrationCurve;
use sinew::registration::{Motion, compare_skeletons};

/// The lowest and the highest frame rate at which motions are sampled.
const RATES: [f64; 2] = [24.0, 120.0];

/// Frames of a motion that are sampled, at most.
const MAX_FRAMES: usize = 20_000;

/// Frames of a motion, at least.
pub(super) const MIN_FRAMES: usize = 3;

/// The shortest match of local registration, in seconds.
const MIN_MATCH_SECONDS: f64 = 0.3;

/// The stride of the coarse grid in frames, if both ends of the path are known.
const COARSE_STRIDE: usize = 4;

/// Rows per second of the coarse grid, if the ends of the path are free.
const COARSE_RATE: f64 = 30.0;

/// The stride of frames of the second motion in the coarse grid, if the ends of the path are free.
const COARSE_COLUMN_STRIDE: usize = 2;

/// Cells up to which the full grid is computed at once, if the ends of the path are free: it takes a millisecond, and how two
/// short motions correspond best is often a close decision.
const SMALL_GRID: usize = 60_000;

/// Coarse frames to either side of the coarse path that the band of the full grid covers.
const BAND_RADIUS: usize = 2;

/// Cells of a grid, at most: 64 MB of distances.
const MAX_CELLS: usize = 16_000_000;

/// Cells of the coarse grid, at most.
const MAX_COARSE_CELLS: usize = 4_000_000;

/// The width of an even window that is equivalent to a raised-cosine one, as a share of its width.
const EVEN_WINDOW_RATIO: f64 = 0.5;

/// The settings with [`RegisterMode::Auto`] replaced by the mode for these motions.
pub(super) fn resolve_mode(
    motions: &[Motion<'_>],
    settings: &RegisterSettings,
) -> RegisterSettings {
    let mode = match &settings.mode {
        RegisterMode::Auto if motions.iter().all(|motion| is_loop(*motion)) => RegisterMode::Cyclic,
        RegisterMode::Auto => RegisterMode::Local,
        given => given.clone(),
    };
    RegisterSettings {
        mode,
        ..settings.clone()
    }
}

/// Registers two motions; the mode is not [`RegisterMode::Auto`].
pub(super) fn register_pair(
    motions: [Motion<'_>; 2],
    settings: &RegisterSettings,
) -> Result<RegistrationCurve, RegisterError> {
    if settings.mode == RegisterMode::Cyclic {
        let (weights, rate) = prepare(motions, settings)?;
        return register_loops(motions, &weights, rate, settings);
    }
    PairwiseRegistration::new(motions, settings)?.register(settings)
}

/// Checks two motions and settings. Returns the weights of joints and the rate at which both are sampled.
fn prepare(
    motions: [Motion<'_>; 2],
    settings: &RegisterSettings,
) -> Result<(Vec<f64>, f64), RegisterError> {
    check(settings)?;
    let [first, second] = motions;
    compare_skeletons(first.skeleton, second.skeleton).map_err(|difference| {
        RegisterError::Skeletons {
            first: first.animation.name.clone(),
            second: second.animation.name.clone(),
            difference,
        }
    })?;
    let weights = weights(settings, motions)?;
    for motion in motions {
        let name = || motion.animation.name.clone();
        let time = motion.animation.length;
        if time.is_nan() || time < 0.0 {
            return Err(RegisterError::TooShort {
                name: name(),
                frames: 0,
            });
        }
        if time.is_infinite() {
            return Err(RegisterError::NotFinite(NotFiniteError {
                name: name(),
                time,
            }));
        }
    }
    let rate = motions
        .into_iter()
        .filter_map(|motion| motion.animation.frame_rate)
        .filter(|rate| rate.is_finite())
        .fold(RATES[0], f64::max)
        .min(RATES[1]);
    Ok((weights, rate))
}

/// Why motions do not match.
pub(super) struct Refusal {
    pub(super) reason: &'static str,
    /// The least mean square distance, in square metres.
    pub(super) nearest: f64,
    /// The square of the threshold.
    pub(super) threshold: Option<f64>,
}

impl Refusal {
    pub(super) fn of(self, motions: [Motion<'_>; 2]) -> RegisterError {
        let [first, second] = motions.map(|motion| motion.animation.name.clone());
        RegisterError::NoMatch {
            first,
            second,
            reason: self.reason,
            nearest: libm::sqrt(self.nearest),
            threshold: self.threshold.map(libm::sqrt),
        }
    }
}

/// Two motions as point clouds at one rate.
pub(super) struct PairwiseRegistration<'a> {
    motions: [Motion<'a>; 2],
    clouds: [PointCloud; 2],
    pub(super) rate: f64,
    /// Frames to either side of a window.
    reach: usize,
}

impl<'a> PairwiseRegistration<'a> {
    pub(super) fn new(
        motions: [Motion<'a>; 2],
        settings: &RegisterSettings,
    ) -> Result<Self, RegisterError> {
        let (weights, rate) = prepare(motions, settings)?;
        let [first, second] = motions;
        // Very long motions are sampled at a lower rate.
        let lengths = motions.map(|motion| f64::from(motion.animation.length));
        let rate = rate.min((MAX_FRAMES - 1) as f64 / lengths[0].max(lengths[1]));
        let cloud = |motion: Motion<'_>| {
            let frames = frames(motion, rate)?;
            PointCloud::new(motion, rate, frames, &weights, motion.in_place())
        };
        Ok(Self {
            motions,
            clouds: [cloud(first)?, cloud(second)?],
            rate,
            reach: libm::rint(f64::from(settings.window) * rate).max(1.0) as usize,
        })
    }

    /// The size of the larger body.
    pub(super) fn size(&self) -> f64 {
        let [a, b] = self.clouds.each_ref().map(|cloud| cloud.size(0));
        a.max(b)
    }

    /// The larger [`PointCloud::half_step`] of both motions.
    pub(super) fn half_step(&self) -> f64 {
        let [a, b] = self.clouds.each_ref().map(PointCloud::half_step);
        a.max(b)
    }

    /// The distance grid, and its stride in frames: above 1 if there are too many cells.
    pub(super) fn grid(&self) -> (Grid, usize) {
        let [a, b] = &self.clouds;
        let stride = frame_stride(a.frames, b.frames, MAX_CELLS);
        let subsample = |cloud: &PointCloud| cloud.subsample(0, cloud.frames - 1, stride);
        let (a, b) = (subsample(a), subsample(b));
        let reach = (even_reach(self.reach) / stride).max(1);
        (Grid::new(&a, &b, reach, Grid::all(&a, &b)), stride)
    }

    /// The first and the last frame of both that are compared.
    pub(super) fn frames(&self, mode: &RegisterMode) -> [[usize; 2]; 2] {
        let [a, b] = [0, 1].map(|motion: usize| self.clouds[motion].frames);
        let RegisterMode::Between { first, second } = mode else {
            return [[0, a - 1], [0, b - 1]];
        };
        let frames = |times: &[f32; 2], count: usize| {
            let frame = |time: f32| {
                let frame = libm::rint(f64::from(time) * self.rate);
                frame.clamp(0.0, (count - 1) as f64) as usize
            };
            let (from, to) = (frame(times[0]), frame(times[1]));
            [from.min(to), from.max(to)]
        };
        [frames(first, a), frames(second, b)]
    }

    /// The registration curve.
    fn register(&self, settings: &RegisterSettings) -> Result<RegistrationCurve, RegisterError> {
        let found = match settings.mode {
            RegisterMode::Transition { .. } => self.path_around_nearest(settings),
            _ => self.find_path(settings, self.frames(&settings.mode)),
        };
        let FoundPath {
            path,
            nearest,
            threshold,
        } = found.map_err(|refusal| refusal.of(self.motions))?;
        let no_match = |reason| {
            let refusal = Refusal {
                reason,
                nearest,
                threshold,
            };
            refusal.of(self.motions)
        };
        let span = |axis: usize| {
            let ends = [path.cells.first(), path.cells.last()];
            let [from, to] = ends.map(|cell| cell.map_or(0, |cell| cell[axis]));
            to - from
        };
        let shortest = span(0).min(span(1));
        if settings.mode == RegisterMode::Local && (shortest as f64 / self.rate) < MIN_MATCH_SECONDS
        {
            return Err(no_match("no segment of 0.3 seconds is near enough"));
        }
        if shortest + 1 < MIN_FRAMES {
            return Err(no_match("a segment has less than three frames"));
        }
        // At its ends a path may exceed the slope limit by a step.
        if span(0).max(span(1)) as f64 > pace_limit(settings.slope) * shortest as f64 {
            return Err(no_match(TOO_STEEP));
        }
        let [a, b] = &self.clouds;
        let warp = TimeWarp::along(&path, settings.slope);
        let mut warp = warp.ok_or_else(|| no_match("no curve follows the path"))?;
        match settings.mode {
            _ if !settings.is_refined => {}
            // The ends of a match were found, not given, so they are refined too.
            RegisterMode::Local => warp.refine_freely((a, b), self.reach),
            _ => warp.refine((a, b), self.reach),
        }
        let fitted = fit_alignment((a, b), &warp, self.reach);
        let (alignment, distance) = fitted.ok_or_else(|| no_match("no curve follows the turns"))?;
        let tracks = [
            (&warp.first, Alignment::identity(), 0),
            (&warp.second, alignment, 1),
        ];
        let tracks = tracks.map(|(spline, alignment, motion)| Track {
            name: self.motions[motion].animation.name.clone(),
            times: spline.scaled(1.0 / self.rate),
            alignment,
            cycle: None,
            fingerprint: Some(MotionFingerprint::of(self.motions[motion])),
        });
        Ok(RegistrationCurve::new(
            tracks.into(),
            0,
            libm::sqrt(distance),
        ))
    }

    /// The best path within the given first and last frames.
    fn find_path(
        &self,
        settings: &RegisterSettings,
        [rows, columns]: [[usize; 2]; 2],
    ) -> Result<FoundPath, Refusal> {
        let is_local = settings.mode == RegisterMode::Local;
        let given = settings.max_distance.map(|distance| distance * distance);
        let [a, b] = &self.clouds;
        let reach = even_reach(self.reach);
        let size = self.size();
        let half_step = if is_local { self.half_step() } else { 0.0 };
        let subsample = |stride: usize| {
            let first = a.subsample(rows[0], rows[1], stride);
            (first, b.subsample(columns[0], columns[1], stride))
        };
        // Whole motions need no copy.
        let is_whole = [(a, rows), (b, columns)]
            .iter()
            .all(|(cloud, [from, to])| *from == 0 && to + 1 == cloud.frames);
        let copies = (!is_whole).then(|| subsample(1));
        let (c, d) = copies.as_ref().map_or((a, b), |(c, d)| (c, d));
        // Searches a grid with a known threshold, or with one derived from the grid; then the path must also pass the test for
        // a match. `step` is the stride of the grid's columns in frames.
        let search = |grid: &Grid, known: Option<f64>, step: usize| {
            let half_step = half_step * (step * step) as f64;
            let nearest = nearest(grid);
            let minima = (is_local && known.is_none()).then(|| RowMinima::of(grid));
            let derived = minima.as_ref();
            let derived = derived.map(|minima| minima.threshold(size, half_step));
            let threshold = known.filter(|_| is_local).or(derived);
            let refusal = |reason| Refusal {
                reason,
                nearest,
                threshold,
            };
            let ends = match threshold {
                Some(below) => Ends::Free { below },
                None => Ends::Corners,
            };
            let path = dtw_path(grid, ends, settings.slope).ok_or(refusal(TOO_STEEP))?;
            if let Some(minima) = &minima {
                let cells = path.cells.iter();
                let cells = cells.map(|&[row, column]| ([row, column], grid.get(row, column)));
                let median = threshold::median_around(grid, &path);
                if let Some(reason) = minima.refuse(cells, median, (size, half_step)) {
                    return Err(refusal(reason));
                }
            }
            Ok(FoundPath {
                path,
                nearest,
                threshold,
            })
        };
        let (coarse_stride, is_long) = if is_local {
            let is_large = c.frames * d.frames > SMALL_GRID;
            (libm::rint(self.rate / COARSE_RATE) as usize, is_large)
        } else {
            (COARSE_STRIDE, c.frames.min(d.frames) > 16 * COARSE_STRIDE)
        };
        let is_coarse = settings.is_coarse_first && is_long && coarse_stride > 1;
        let (bands, threshold) = if is_coarse || frame_stride(c.frames, d.frames, MAX_CELLS) > 1 {
            let stride = frame_stride(c.frames, d.frames, MAX_COARSE_CELLS).max(coarse_stride);
            let (a, b) = subsample(stride);
            let reach = (reach / stride).max(1);
            let mut coarse = Grid::new(&a, &b, reach, Grid::all(&a, &b));
            // With free ends, every n-th frame of both cannot decide which of several cycles is nearest: frames of one lie
            // between those of the other, and that distance hides the difference of the cycles. So a cell is the minimum over
            // `stride / COARSE_COLUMN_STRIDE` frames of the second motion.
            let steps = if is_local {
                stride / COARSE_COLUMN_STRIDE
            } else {
                1
            };
            for from in (1..steps).map(|step| columns[0] + step * COARSE_COLUMN_STRIDE) {
                let b = self.clouds[1].subsample(from, columns[1], stride);
                coarse.take_minimum(&Grid::new(&a, &b, reach, Grid::all(&a, &b)));
            }
            let found = search(&coarse, given, COARSE_COLUMN_STRIDE)?;
            let bands = band(&found.path, stride, c.frames, d.frames);
            (bands, found.threshold)
        } else {
            (Grid::all(c, d), given)
        };
        let mut found = search(&Grid::new(c, d, reach, bands), threshold, 1)?;
        for cell in &mut found.path.cells {
            *cell = [cell[0] + rows[0], cell[1] + columns[0]];
        }
        Ok(found)
    }

    /// The path through a square around the nearest pair of frames.
    fn path_around_nearest(&self, settings: &RegisterSettings) -> Result<FoundPath, Refusal> {
        let (grid, stride) = self.grid();
        let mut refusal = Refusal {
            reason: "no segment of that length fits in",
            nearest: nearest(&grid),
            threshold: None,
        };
        let RegisterMode::Transition { seconds, within } = settings.mode else {
            return Err(refusal);
        };
        let [a, b] = [0, 1].map(|motion: usize| self.clouds[motion].frames);
        let half = ((f64::from(seconds) * self.rate * 0.5) as usize).max(2);
        // Half a row more, so that a short range still contains a row.
        let near = 0.5 * stride as f64;
        let allowed = within.map_or([0.0, f64::INFINITY], |[from, to]| {
            let row = |time: f32| f64::from(time) * self.rate;
            [row(from) - near, row(to) + near]
        });
        // Half a segment must fit on either side.
        let has_room = |row: usize, column: usize| {
            row >= half && column >= half && row + half < a && column + half < b
        };
        let mut best: Option<(usize, usize, f32)> = None;
        for grid_row in 0..grid.rows() {
            let row = grid_row * stride;
            if !(allowed[0]..=allowed[1]).contains(&(row as f64)) {
                continue;
            }
            for (column, &distance) in grid.row(grid_row).iter().enumerate() {
                let column = column * stride;
                if has_room(row, column) && best.is_none_or(|(_, _, known)| distance < known) {
                    best = Some((row, column, distance));
                }
            }
        }
        let Some((row, column, least)) = best else {
            return Err(refusal);
        };
        let given = settings.max_distance.map(|distance| distance * distance);
        // A transition happens at one time: it needs no valley of the grid, only poses that are somewhat alike.
        let threshold = given.unwrap_or_else(|| threshold::largest_threshold(self.size()));
        refusal.nearest = f64::from(least);
        refusal.threshold = Some(threshold);
        if refusal.nearest > threshold {
            refusal.reason = "no moments are near enough";
            return Err(refusal);
        }
        let frames = [row, column].map(|frame| [frame - half, frame + half]);
        self.find_path(settings, frames)
    }
}

/// A path, and the grid's minimum and threshold.
struct FoundPath {
    path: Path,
    /// The smallest mean square distance of the grid, in square metres.
    nearest: f64,
    /// The square of the threshold, if there was one.
    threshold: Option<f64>,
}

/// Why there is no path.
const TOO_STEEP: &str = "one is too much slower than the other";

fn nearest(grid: &Grid) -> f64 {
    let least = grid.least();
    least.map_or(f64::INFINITY, |(_, _, least)| f64::from(least))
}

/// The reach of an even window that is equivalent to a raised-cosine one.
pub(super) fn even_reach(reach: usize) -> usize {
    (libm::rint(reach as f64 * EVEN_WINDOW_RATIO) as usize).max(1)
}

/// The number of frames of a motion at a rate.
fn frames(motion: Motion<'_>, rate: f64) -> Result<usize, RegisterError> {
    let length = f64::from(motion.animation.length);
    let frames = (length * rate + 1.0 + 1e-3).min(MAX_FRAMES as f64) as usize;
    if frames < MIN_FRAMES {
        return Err(RegisterError::TooShort {
            name: motion.animation.name.clone(),
            frames,
        });
    }
    Ok(frames)
}

/// The smallest power of two as a stride of frames with which a grid has at most `max_cells` cells.
fn frame_stride(rows: usize, columns: usize, max_cells: usize) -> usize {
    let mut stride = 1;
    while (rows / stride).saturating_mul(columns / stride) > max_cells {
        stride *= 2;
    }
    stride
}

/// The columns of each row that are near a path through every `stride`-th frame.
fn band(path: &Path, stride: usize, rows: usize, columns: usize) -> Vec<core::ops::Range<usize>> {
    let mut bands: Vec<Option<core::ops::Range<usize>>> = alloc::vec![None; rows];
    let wide = BAND_RADIUS * stride;
    for &[row, column] in &path.cells {
        let (row, column) = (row * stride, column * stride);
        let first = row.saturating_sub(wide);
        let near = column.saturating_sub(wide)..(column + wide + stride).min(columns);
        for band in bands.iter_mut().take(row + wide + stride).skip(first) {
            let known = band.get_or_insert(near.clone());
            *known = known.start.min(near.start)..known.end.max(near.end);
        }
    }
    bands.into_iter().map(Option::unwrap_or_default).collect()
}
