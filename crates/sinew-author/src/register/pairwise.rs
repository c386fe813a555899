//! Two motions, from their point clouds to the registration curve.

use super::alignment::fit_alignment;
use super::cyclic::{is_loop, register_loops};
use super::dtw::{Ends, Path, dtw_path};
use super::grid::Grid;
use super::point_cloud::PointCloud;
use super::settings::{RegisterError, RegisterMode, RegisterSettings, check, weights};
use super::spline_fit::SplineFit;
use super::threshold::{self, RowMinima};
use super::time_warp::{TimeWarp, pace_limit};
use alloc::vec::Vec;
use sinew::internal::Alignment;
use sinew::internal::Track;
use sinew::registration::MotionFingerprint;
use sinew::registration::RegistrationCurve;
use sinew::registration::{Motion, compare_skeletons};

/// Frames per second at which motions are sampled, at least and at most.
const RATES: [f64; 2] = [24.0, 120.0];

/// Frames of a motion that are sampled, at most.
const MAX_FRAMES: usize = 20_000;

/// Fewest frames of a motion.
pub(super) const FEWEST_FRAMES: usize = 3;

/// The shortest stretch, in seconds, that counts as a match.
const SHORTEST: f64 = 0.3;

/// Every n-th frame is compared first where clips are long and both ends of the path are known.
const COARSE: usize = 4;

/// Rows per second of the grid that is computed first where the ends of the path are not known.
const COARSE_RATE: f64 = 30.0;

/// Frames of the second motion between those that are compared first where the ends of the path are not known.
const COARSE_STEP: usize = 2;

/// Cells of a grid that is computed at once where the ends of the path are not known, at most: it takes a millisecond, and
/// how two short motions correspond best is often a close decision.
const SMALL_GRID: usize = 60_000;

/// Frames of those that are compared first, to either side of the path through them, that are compared closely.
const BAND: usize = 2;

/// Cells of a grid, at most: 64 MB of distances.
const MOST_CELLS: usize = 16_000_000;

/// Cells of the grid of frames that are compared first, at most.
const MOST_COARSE_CELLS: usize = 4_000_000;

/// The half width of an even window that is as wide as one whose weights fall off like a cosine.
const EVEN: f64 = 0.5;

/// The mode by what motions are: never [`RegisterMode::Auto`].
pub(super) fn resolved(motions: &[Motion<'_>], settings: &RegisterSettings) -> RegisterSettings {
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

/// Registers two motions by settings whose mode is resolved.
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
    for own in motions {
        let name = || own.animation.name.clone();
        let time = own.animation.length;
        if time.is_nan() || time < 0.0 {
            return Err(RegisterError::TooShort {
                name: name(),
                frames: 0,
            });
        }
        if time.is_infinite() {
            return Err(RegisterError::NotFinite { name: name(), time });
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

/// Two motions as clouds at one rate.
pub(super) struct PairwiseRegistration<'a> {
    motions: [Motion<'a>; 2],
    clouds: [PointCloud; 2],
    pub(super) rate: f64,
    /// Frames to either side of a moment.
    reach: usize,
}

impl<'a> PairwiseRegistration<'a> {
    pub(super) fn new(
        motions: [Motion<'a>; 2],
        settings: &RegisterSettings,
    ) -> Result<Self, RegisterError> {
        let (weights, rate) = prepare(motions, settings)?;
        let [first, second] = motions;
        // Long motions are sampled less often.
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

    /// How far frames of either motion typically are from moments half a frame later, as a mean square.
    pub(super) fn half_step(&self) -> f64 {
        let [a, b] = self.clouds.each_ref().map(PointCloud::half_step);
        a.max(b)
    }

    /// Distances of all frames to all frames, or of every n-th where there are too many.
    pub(super) fn grid(&self) -> (Grid, usize) {
        let [a, b] = &self.clouds;
        let every = fewer(a.frames, b.frames, MOST_CELLS);
        let stretch = |cloud: &PointCloud| cloud.stretch(0, cloud.frames - 1, every);
        let (a, b) = (stretch(a), stretch(b));
        let reach = (even_reach(self.reach) / every).max(1);
        (Grid::new(&a, &b, reach, Grid::all(&a, &b)), every)
    }

    /// The first and the last frame of both that are compared.
    pub(super) fn frames(&self, mode: &RegisterMode) -> [[usize; 2]; 2] {
        let [a, b] = [0, 1].map(|at: usize| self.clouds[at].frames);
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

    /// The curve of moments that correspond.
    fn register(&self, settings: &RegisterSettings) -> Result<RegistrationCurve, RegisterError> {
        let found = match settings.mode {
            RegisterMode::Transition { .. } => self.about_nearest(settings),
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
        if settings.mode == RegisterMode::Local && (shortest as f64 / self.rate) < SHORTEST {
            return Err(no_match("no stretch of 0.3 seconds is near enough"));
        }
        if shortest + 1 < FEWEST_FRAMES {
            return Err(no_match("a stretch has less than three frames"));
        }
        // A path may be steeper than its slope limit by a step at each end.
        if span(0).max(span(1)) as f64 > pace_limit(settings.slope) * shortest as f64 {
            return Err(no_match(TOO_STEEP));
        }
        let [a, b] = &self.clouds;
        let warp = TimeWarp::along(&path, settings.slope);
        let mut warp = warp.ok_or_else(|| no_match("no curve follows the path"))?;
        match settings.mode {
            _ if !settings.is_refined => {}
            // The ends of a stretch that was found are as good as any other moment of it.
            RegisterMode::Local => warp.refine_freely((a, b), self.reach),
            _ => warp.refine((a, b), self.reach),
        }
        let fitted = fit_alignment((a, b), &warp, self.reach);
        let (alignment, distance) = fitted.ok_or_else(|| no_match("no curve follows the turns"))?;
        let tracks = [
            (&warp.first, Alignment::none(), 0),
            (&warp.second, alignment, 1),
        ];
        let tracks = tracks.map(|(spline, alignment, at)| Track {
            name: self.motions[at].animation.name.clone(),
            times: spline.scaled(1.0 / self.rate),
            alignment,
            cycle: None,
            fingerprint: Some(MotionFingerprint::of(self.motions[at])),
        });
        Ok(RegistrationCurve::new(
            tracks.into(),
            0,
            libm::sqrt(distance),
        ))
    }

    /// The best path among some frames.
    fn find_path(
        &self,
        settings: &RegisterSettings,
        [rows, columns]: [[usize; 2]; 2],
    ) -> Result<FoundPath, Refusal> {
        let is_local = settings.mode == RegisterMode::Local;
        let given = settings.max_distance.map(|distance| distance * distance);
        let [a, b] = &self.clouds;
        let even = even_reach(self.reach);
        let size = self.size();
        let half_step = if is_local { self.half_step() } else { 0.0 };
        let stretch = |every: usize| {
            let own = a.stretch(rows[0], rows[1], every);
            (own, b.stretch(columns[0], columns[1], every))
        };
        // All of both is there already.
        let is_whole = [(a, rows), (b, columns)]
            .iter()
            .all(|(cloud, [from, to])| *from == 0 && to + 1 == cloud.frames);
        let parts = (!is_whole).then(|| stretch(1));
        let (c, d) = parts.as_ref().map_or((a, b), |(c, d)| (c, d));
        // By a threshold that is known, or by one that the grid tells: then the path must be a match, too. Columns of the grid
        // are so many frames apart.
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
                let usual = threshold::usual(grid, &path);
                if let Some(reason) = minima.refuse(cells, usual, (size, half_step)) {
                    return Err(refusal(reason));
                }
            }
            Ok(FoundPath {
                path,
                nearest,
                threshold,
            })
        };
        let (usual, is_long) = if is_local {
            let is_large = c.frames * d.frames > SMALL_GRID;
            (libm::rint(self.rate / COARSE_RATE) as usize, is_large)
        } else {
            (COARSE, c.frames.min(d.frames) > 16 * COARSE)
        };
        let is_coarse = settings.is_coarse_first && is_long && usual > 1;
        let (bands, threshold) = if is_coarse || fewer(c.frames, d.frames, MOST_CELLS) > 1 {
            let every = fewer(c.frames, d.frames, MOST_COARSE_CELLS).max(usual);
            let (a, b) = stretch(every);
            let reach = (even / every).max(1);
            let mut coarse = Grid::new(&a, &b, reach, Grid::all(&a, &b));
            // Where the ends are not known, every n-th frame of both does not tell which of several cycles is nearest: frames
            // of one lie between those of the other, and that distance hides how far cycles are apart. There a cell is the
            // nearest of `every / COARSE_STEP` frames of the second motion.
            let steps = if is_local { every / COARSE_STEP } else { 1 };
            for from in (1..steps).map(|step| columns[0] + step * COARSE_STEP) {
                let b = self.clouds[1].stretch(from, columns[1], every);
                coarse.take_lesser(&Grid::new(&a, &b, reach, Grid::all(&a, &b)));
            }
            let found = search(&coarse, given, COARSE_STEP)?;
            let bands = band(&found.path, every, c.frames, d.frames);
            (bands, found.threshold)
        } else {
            (Grid::all(c, d), given)
        };
        let mut found = search(&Grid::new(c, d, even, bands), threshold, 1)?;
        for cell in &mut found.path.cells {
            *cell = [cell[0] + rows[0], cell[1] + columns[0]];
        }
        Ok(found)
    }

    /// The path through the square about the nearest moments.
    fn about_nearest(&self, settings: &RegisterSettings) -> Result<FoundPath, Refusal> {
        let (grid, every) = self.grid();
        let mut refusal = Refusal {
            reason: "no stretch of that length fits in",
            nearest: nearest(&grid),
            threshold: None,
        };
        let RegisterMode::Transition { seconds, within } = settings.mode else {
            return Err(refusal);
        };
        let [a, b] = [0, 1].map(|at: usize| self.clouds[at].frames);
        let half = ((f64::from(seconds) * self.rate * 0.5) as usize).max(2);
        // At least one row is near any moment.
        let near = 0.5 * every as f64;
        let allowed = within.map_or([0.0, f64::INFINITY], |[from, to]| {
            let row = |time: f32| f64::from(time) * self.rate;
            [row(from) - near, row(to) + near]
        });
        // Half a stretch must fit on either side.
        let has_room = |row: usize, column: usize| {
            row >= half && column >= half && row + half < a && column + half < b
        };
        let mut best: Option<(usize, usize, f32)> = None;
        for at in 0..grid.rows() {
            let row = at * every;
            if !(allowed[0]..=allowed[1]).contains(&(row as f64)) {
                continue;
            }
            for (column, &distance) in grid.row(at).iter().enumerate() {
                let column = column * every;
                if has_room(row, column) && best.is_none_or(|(_, _, known)| distance < known) {
                    best = Some((row, column, distance));
                }
            }
        }
        let Some((row, column, least)) = best else {
            return Err(refusal);
        };
        let given = settings.max_distance.map(|distance| distance * distance);
        // A transition is at one moment: it needs no valley, only what is not altogether different.
        let threshold = given.unwrap_or_else(|| threshold::most(self.size()));
        refusal.nearest = f64::from(least);
        refusal.threshold = Some(threshold);
        if refusal.nearest > threshold {
            refusal.reason = "no moments are near enough";
            return Err(refusal);
        }
        let frames = [row, column].map(|at| [at - half, at + half]);
        self.find_path(settings, frames)
    }
}

/// A path, and what it was looked for with.
struct FoundPath {
    path: Path,
    /// The least mean square distance of the grid, in square metres.
    nearest: f64,
    /// The square of the threshold, where there was one.
    threshold: Option<f64>,
}

/// Why there is no path.
const TOO_STEEP: &str = "one is too much slower than the other";

fn nearest(grid: &Grid) -> f64 {
    let least = grid.least();
    least.map_or(f64::INFINITY, |(_, _, least)| f64::from(least))
}

/// The reach of an even window that is as wide as one whose weights fall off like a cosine.
pub(super) fn even_reach(reach: usize) -> usize {
    (libm::rint(reach as f64 * EVEN) as usize).max(1)
}

/// How many frames of a motion there are at a rate.
fn frames(motion: Motion<'_>, rate: f64) -> Result<usize, RegisterError> {
    let length = f64::from(motion.animation.length);
    let frames = (length * rate + 1.0 + 1e-3).min(MAX_FRAMES as f64) as usize;
    if frames < FEWEST_FRAMES {
        return Err(RegisterError::TooShort {
            name: motion.animation.name.clone(),
            frames,
        });
    }
    Ok(frames)
}

/// Every n-th frame is to be taken for a grid not to be too large: `n`.
fn fewer(rows: usize, columns: usize, most: usize) -> usize {
    let mut every = 1;
    while (rows / every).saturating_mul(columns / every) > most {
        every *= 2;
    }
    every
}

/// What is near a path through every n-th frame.
fn band(path: &Path, every: usize, rows: usize, columns: usize) -> Vec<core::ops::Range<usize>> {
    let mut bands: Vec<Option<core::ops::Range<usize>>> = alloc::vec![None; rows];
    let wide = BAND * every;
    for &[row, column] in &path.cells {
        let (row, column) = (row * every, column * every);
        let first = row.saturating_sub(wide);
        let near = column.saturating_sub(wide)..(column + wide + every).min(columns);
        for own in bands.iter_mut().take(row + wide + every).skip(first) {
            let known = own.get_or_insert(near.clone());
            *known = known.start.min(near.start)..known.end.max(near.end);
        }
    }
    bands.into_iter().map(Option::unwrap_or_default).collect()
}
