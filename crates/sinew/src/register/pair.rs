//! Two motions, from their clouds to the curve of what belongs together.

use super::alignment::Alignment;
use super::cloud::{Cloud, Moment};
use super::curve::{RegistrationCurve, Track};
use super::distance::Sums;
use super::grid::Grid;
use super::path::{Ends, Path, best_path};
use super::settings::{
    Motion, RegisterError, RegisterMode, RegisterSettings, check, compare_skeletons, weights,
};
use super::warp::Warp;
use alloc::vec::Vec;

/// Frames per second at which motions are looked at, at least and at most.
const RATES: [f64; 2] = [24.0, 120.0];

/// How many frames of a motion are looked at, at most.
const MAX_FRAMES: usize = 20_000;

/// Fewest frames of a motion.
const FEWEST_FRAMES: usize = 3;

/// The shortest stretch, in seconds, that counts as a match.
const SHORTEST: f64 = 0.25;

/// Every so manieth frame is looked at first where clips are long.
const COARSE: usize = 4;

/// How many frames of those that are looked at first are looked at closely to either side of their path.
const BAND: usize = 2;

/// How large a grid may be: 64 MB of distances.
const MOST_CELLS: usize = 16_000_000;

/// How large the grid of frames that are looked at first may be.
const MOST_COARSE_CELLS: usize = 4_000_000;

/// The half width of an even window that is as wide as one whose weights fall off like a cosine.
const EVEN: f64 = 0.5;

/// Two motions as clouds at one rate.
pub(super) struct Pair<'a> {
    motions: [Motion<'a>; 2],
    clouds: [Cloud; 2],
    pub(super) rate: f64,
    /// Frames to either side of a moment.
    reach: usize,
}

impl<'a> Pair<'a> {
    pub(super) fn new(
        motions: [Motion<'a>; 2],
        settings: &RegisterSettings,
    ) -> Result<Self, RegisterError> {
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
        // Long motions are looked at less often.
        let lengths = motions.map(|motion| f64::from(motion.animation.length));
        let rate = rate.min((MAX_FRAMES - 1) as f64 / lengths[0].max(lengths[1]));
        let cloud = |motion: Motion<'_>| Cloud::new(motion, rate, frames(motion, rate)?, &weights);
        Ok(Self {
            motions,
            clouds: [cloud(first)?, cloud(second)?],
            rate,
            reach: libm::rint(f64::from(settings.window) * rate).max(1.0) as usize,
        })
    }

    /// Distances of all frames to all frames, or of every so manieth where there are too many.
    pub(super) fn grid(&self) -> (Grid, usize) {
        let [a, b] = &self.clouds;
        let every = fewer(a.frames, b.frames, MOST_CELLS);
        let stretch = |cloud: &Cloud| cloud.stretch(0, cloud.frames - 1, every);
        let (a, b) = (stretch(a), stretch(b));
        let reach = (even(self.reach) / every).max(1);
        (Grid::new(&a, &b, reach, Grid::all(&a, &b)), every)
    }

    /// The frames of both that are looked at: from the first to the last.
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

    fn no_match(&self, reason: &'static str, nearest: f64) -> RegisterError {
        let [first, second] = self.motions.map(|motion| motion.animation.name.clone());
        RegisterError::NoMatch {
            first,
            second,
            reason,
            nearest: libm::sqrt(nearest),
        }
    }

    /// What belongs together, and how it lies on each other.
    pub(super) fn register(
        &self,
        settings: &RegisterSettings,
    ) -> Result<RegistrationCurve, RegisterError> {
        let found = match settings.mode {
            RegisterMode::Transition { .. } => self.about_nearest(settings),
            _ => self.find_path(settings, self.frames(&settings.mode)),
        };
        let (path, nearest) = found;
        let path = path.map_err(|reason| self.no_match(reason, nearest))?;
        let span = |axis: usize| {
            let ends = [path.cells.first(), path.cells.last()];
            let [from, to] = ends.map(|cell| cell.map_or(0, |cell| cell[axis]));
            to - from
        };
        let shortest = span(0).min(span(1));
        if matches!(settings.mode, RegisterMode::Local { .. })
            && (shortest as f64 / self.rate) < SHORTEST
        {
            let reason = "no stretch of a quarter of a second is near enough";
            return Err(self.no_match(reason, nearest));
        }
        if shortest + 1 < FEWEST_FRAMES {
            return Err(self.no_match("a stretch has less than three frames", nearest));
        }
        let [a, b] = &self.clouds;
        let warp = Warp::along(&path, settings.slope);
        let mut warp = warp.ok_or_else(|| self.no_match("no curve follows the path", nearest))?;
        if settings.is_refined {
            warp.refine((a, b), self.reach);
        }
        let alignment = Alignment::fitted((a, b), &warp, self.reach);
        let alignment =
            alignment.ok_or_else(|| self.no_match("no curve follows the turns", nearest))?;
        let tracks = [
            (&warp.first, Alignment::none(), 0),
            (&warp.second, alignment, 1),
        ];
        let tracks = tracks.map(|(spline, alignment, at)| Track {
            name: self.motions[at].animation.name.clone(),
            times: spline.scaled(1.0 / self.rate),
            alignment,
        });
        let distance = libm::sqrt(self.mean_along(&path));
        Ok(RegistrationCurve::new(tracks.into(), 0, distance))
    }

    /// The best path among some frames, or why there is none, and the least mean square distance.
    fn find_path(
        &self,
        settings: &RegisterSettings,
        [rows, columns]: [[usize; 2]; 2],
    ) -> (Result<Path, &'static str>, f64) {
        let ends = match settings.mode {
            RegisterMode::Local { distance } => Ends::Free {
                below: distance * distance,
            },
            _ => Ends::Corners,
        };
        let [a, b] = &self.clouds;
        let even = even(self.reach);
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
        let is_long = c.frames.min(d.frames) > 16 * COARSE;
        let is_too_large = fewer(c.frames, d.frames, MOST_CELLS) > 1;
        let bands = if (settings.is_coarse_first && is_long) || is_too_large {
            let every = fewer(c.frames, d.frames, MOST_COARSE_CELLS).max(COARSE);
            let (a, b) = stretch(every);
            let coarse = Grid::new(&a, &b, (even / every).max(1), Grid::all(&a, &b));
            let Some(path) = best_path(&coarse, ends, settings.slope) else {
                return (Err(TOO_STEEP), nearest(&coarse));
            };
            band(&path, every, c.frames, d.frames)
        } else {
            Grid::all(c, d)
        };
        let grid = Grid::new(c, d, even, bands);
        let nearest = nearest(&grid);
        let Some(mut path) = best_path(&grid, ends, settings.slope) else {
            return (Err(TOO_STEEP), nearest);
        };
        for cell in &mut path.cells {
            *cell = [cell[0] + rows[0], cell[1] + columns[0]];
        }
        (Ok(path), nearest)
    }

    /// The mean square distance along a path. The grid's numbers have seven digits, of which little is left where
    /// motions are almost the same; there it is summed again.
    fn mean_along(&self, path: &Path) -> f64 {
        if path.mean > CLOSE {
            return path.mean;
        }
        let [a, b] = &self.clouds;
        let reach = even(self.reach);
        let (mut first, mut second) = (Moment::default(), Moment::default());
        let (mut mean, mut weight) = (0.0, 0.0);
        let mut before = None;
        for &[row, column] in &path.cells {
            let mut sums = Sums::default();
            let back = reach.min(row).min(column);
            let ahead = reach.min(a.frames - 1 - row).min(b.frames - 1 - column);
            for step in 0..=back + ahead {
                a.between((row - back + step) as f64, &mut first);
                b.between((column - back + step) as f64, &mut second);
                sums.add(&first, &second, 1.0);
            }
            let is_straight = before.is_none_or(|[r, c]: [usize; 2]| r < row && c < column);
            let share = if is_straight { 2.0 } else { 1.0 };
            mean += share * sums.distance();
            weight += share;
            before = Some([row, column]);
        }
        mean / weight
    }

    /// The path through the square about the nearest moments, or why there is none.
    fn about_nearest(&self, settings: &RegisterSettings) -> (Result<Path, &'static str>, f64) {
        let RegisterMode::Transition {
            seconds,
            within,
            distance,
        } = settings.mode
        else {
            return (Err(TOO_STEEP), f64::INFINITY);
        };
        let [a, b] = [0, 1].map(|at: usize| self.clouds[at].frames);
        let half = ((f64::from(seconds) * self.rate * 0.5) as usize).max(2);
        let (grid, every) = self.grid();
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
            return (Err("no stretch of that length fits in"), nearest(&grid));
        };
        let least = f64::from(least);
        if least > distance * distance {
            return (Err("no moments are near enough"), least);
        }
        let frames = [row, column].map(|at| [at - half, at + half]);
        (self.find_path(settings, frames).0, least)
    }
}

/// Mean square distances above this have enough digits in the grid, in square metres: a centimetre.
const CLOSE: f64 = 1e-4;

/// Why there is no path.
const TOO_STEEP: &str = "one is too much slower than the other";

fn nearest(grid: &Grid) -> f64 {
    let least = grid.least();
    least.map_or(f64::INFINITY, |(_, _, least)| f64::from(least))
}

/// The reach of an even window that is as wide as one whose weights fall off like a cosine.
fn even(reach: usize) -> usize {
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

/// Every so manieth frame is to be taken for a grid not to be too large.
fn fewer(rows: usize, columns: usize, most: usize) -> usize {
    let mut every = 1;
    while (rows / every).saturating_mul(columns / every) > most {
        every *= 2;
    }
    every
}

/// What is near a path through every so manieth frame.
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
