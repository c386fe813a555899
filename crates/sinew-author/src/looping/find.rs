//! Where a motion comes round again.

use super::contacts::Contacts;
use super::stride_phase::Strides;
use crate::measure::dense_rate;
use crate::register::{
    AlignmentSums, Grid, PointCloud, PointCloudFrame, RegisterError, usual_weights,
};
use alloc::string::String;
use alloc::vec::Vec;
use sinew::animation::Animation;
use sinew::math::GroundTransform;
use sinew::registration::Motion;
use sinew::skeleton::Skeleton;

/// Frames per second at which motions are looked at, at most.
const MOST_RATE: f64 = 120.0;

/// Frames that are looked at, at most; longer motions are looked at less often.
const MOST_FRAMES: f64 = 60_000.0;

/// Cells of the grid, at most: 128 MB. Longer motions are looked at less often.
const MAX_CELLS: f64 = 32e6;

/// How many candidates are told.
const CANDIDATES: usize = 16;

/// How many times as far as at its end a motion must be from where it began in between, to have come round.
const COMES_ROUND: f32 = 2.0;

/// The same for a pair that is not nearer than those around it. One that is near because little time has passed, at the
/// shortest time that is allowed, is as far as the motion was in between.
const COMES_BACK: f32 = 1.2;

/// Seconds within which a motion shows how far it moves.
const LIVELY_WINDOW: f64 = 1.0;

/// How far a cycle must move, as a share of how far the livelier quarter of the motion moves: a stretch of standing
/// before or after a walk is no cycle of it.
const LIVELY_SHARE: f32 = 0.5;

/// A longer cycle is taken only if it is nearer than a shorter one by this factor, and by [`NEARER`] metres.
const MUCH_NEARER: f64 = 0.75;

/// In metres.
const NEARER: f64 = 0.01;

/// How much a pair of moments is worth that has hardly any frames about it to tell speeds by.
const AT_THE_EDGE: f64 = 1.5;

/// What counts as a cycle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CycleSettings {
    /// The shortest cycle, in seconds.
    pub shortest: f32,
    /// The longest, in seconds.
    pub longest: f32,
    /// Seconds to either side of a moment that are looked at with it, so that speeds count too.
    pub window: f32,
}

impl Default for CycleSettings {
    fn default() -> Self {
        Self {
            shortest: 0.4,
            longest: 4.0,
            window: 1.0 / 6.0,
        }
    }
}

/// Why there is no cycle, or no loop of one.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CycleError {
    /// A motion is shorter than the shortest cycle, or a part has hardly any frames.
    #[error("{name:?} lasts {length} seconds; a cycle needs {needed} or more")]
    TooShort {
        /// Its name.
        name: String,
        /// Its length, in seconds.
        length: f32,
        /// What is needed, in seconds.
        needed: f32,
    },
    /// A joint is nowhere.
    #[error("{name:?} puts a joint nowhere at {time} seconds: a number is not finite")]
    NotFinite {
        /// The name of the motion.
        name: String,
        /// When.
        time: f32,
    },
    /// A setting is no number that can be used.
    #[error("{what} is {value}; expected {expected}")]
    Setting {
        /// Which.
        what: &'static str,
        /// What it is.
        value: f64,
        /// What it could be.
        expected: &'static str,
    },
    /// No moment is like an earlier one.
    #[error(
        "{name:?} does not repeat: no pose comes again with the same foot ahead and the same feet planted after {shortest} to {longest} seconds"
    )]
    NoCycle {
        /// The name of the motion.
        name: String,
        /// In seconds.
        shortest: f32,
        /// In seconds.
        longest: f32,
    },
    /// The end of the part is too far from its beginning to be closed.
    #[error(
        "{name:?} does not close: its end is {gap} m from its beginning, more than the {allowed} m allowed"
    )]
    Gap {
        /// The name of the motion.
        name: String,
        /// The largest distance of a joint from where it began, in metres, ignoring root motion.
        gap: f32,
        /// What is allowed, in metres.
        allowed: f32,
    },
    /// Feet could not be cleaned.
    #[error("the loop's feet cannot be kept where they stand: {0}")]
    Feet(#[from] crate::footskate::CleanError),
}

/// Two moments at which a motion is much the same.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct CycleCandidate {
    /// In seconds.
    pub start: f32,
    /// In seconds.
    pub end: f32,
    /// How far points about them are apart, in metres: the root of the mean square.
    pub distance: f64,
}

/// The part of a motion that comes round.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Cycle {
    /// In seconds.
    pub start: f32,
    /// In seconds.
    pub end: f32,
    /// How far points about its start and end are apart, in metres: the root of the mean square.
    pub distance: f64,
    /// What leads from the figure at the start to the figure at the end.
    pub ground_transform: GroundTransform,
    /// Whether the motion was farther away in between. If it was not, start and end are only near because little time has
    /// passed, and [`make_loop`](super::make_loop) closes no gap of them unless it is told how large a one.
    pub repeats: bool,
    /// Pairs of moments that are nearer than those around them, the nearest first; at most 16.
    pub candidates: Vec<CycleCandidate>,
}

/// Finds the best loop points of a motion.
///
/// Of all pairs of moments far enough apart those count that are nearer than the pairs around them, and between
/// which the motion was at least twice as far away: a figure that stands still does not repeat at once. The same
/// foot is ahead about both, so that a walk repeats after two steps; the same feet are planted, so that each lands as often
/// as it lifts; and the motion between them moves at least half as
/// far as that of the livelier quarter of all seconds, so that standing before a walk is no cycle. The nearest pair
/// wins, but a shorter cycle is preferred unless the longer one is nearer by a centimetre and by a quarter. Where no such pair
/// is nearer than those around it the nearest is taken of those between which the motion was a fifth farther away, and
/// otherwise the nearest, which does not [repeat](Cycle::repeats).
///
/// # Errors
/// When the motion is shorter than the shortest cycle or never repeats, numbers are not finite, or a setting cannot be
/// used.
pub fn find_cycle(
    skeleton: &Skeleton,
    animation: &Animation,
    settings: &CycleSettings,
) -> Result<Cycle, CycleError> {
    check(settings)?;
    let too_short = || CycleError::TooShort {
        name: animation.name.clone(),
        length: animation.length,
        needed: settings.shortest,
    };
    let length = f64::from(animation.length);
    if !(length.is_finite() && animation.length >= settings.shortest) {
        return Err(too_short());
    }
    let band = f64::from(settings.longest).min(length);
    let rate = dense_rate(animation)
        .min(MOST_RATE)
        .min(libm::sqrt(MAX_CELLS / (length * band)))
        .min(MOST_FRAMES / length);
    let frames = (length * rate + 1.0 + 1e-3) as usize;
    let motion = Motion::new(skeleton, animation);
    let weights = usual_weights([motion; 2]);
    let cloud = PointCloud::new(motion, rate, frames, &weights, None).map_err(of_register)?;
    let reach = libm::rint(f64::from(settings.window) * rate).max(1.0) as usize;
    let search = Search {
        shortest: libm::ceil(f64::from(settings.shortest) * rate - 1e-3).max(2.0) as usize,
        longest: (f64::from(settings.longest) * rate) as usize,
        frames,
        reach,
        strides: Strides::new(skeleton, animation, rate, frames),
        contacts: Contacts::new(skeleton, animation, rate, frames),
    };
    let columns = (0..frames).map(|row| row..(row + search.longest + 1).min(frames));
    let grid = Grid::new(&cloud, &cloud, (reach / 2).max(1), columns.collect());
    let lively = LIVELY_SHARE * LIVELY_SHARE * search.liveliness(&grid, rate);
    let mut found = search.candidates(&grid, lively);
    if found.is_empty() {
        found.extend(search.nearest(&grid, lively, COMES_BACK));
    }
    let repeats = !found.is_empty();
    if !repeats {
        found.extend(search.nearest(&grid, lively, 0.0));
    }
    let Some(&best) = best(&found) else {
        return Err(CycleError::NoCycle {
            name: animation.name.clone(),
            shortest: settings.shortest,
            longest: settings.longest,
        });
    };
    found.sort_by(|a, b| a.distance.total_cmp(&b.distance));
    found.truncate(CANDIDATES);
    let seconds = |frame: usize| (frame as f64 / rate) as f32;
    let candidate = |pair: &FramePair| CycleCandidate {
        start: seconds(pair.start),
        end: seconds(pair.end),
        distance: pair.distance,
    };
    Ok(Cycle {
        start: seconds(best.start),
        end: seconds(best.end),
        distance: best.distance,
        ground_transform: fit(&cloud, &best, reach),
        repeats,
        candidates: found.iter().map(candidate).collect(),
    })
}

fn check(settings: &CycleSettings) -> Result<(), CycleError> {
    let numbers = [
        (
            "the shortest cycle",
            settings.shortest,
            "0.05 to 600 seconds",
        ),
        ("the longest cycle", settings.longest, "0.05 to 600 seconds"),
    ];
    for (what, value, expected) in numbers {
        if !(0.05..=600.0).contains(&value) {
            return Err(CycleError::Setting {
                what,
                value: value.into(),
                expected,
            });
        }
    }
    if !(0.0..=10.0).contains(&settings.window) {
        return Err(CycleError::Setting {
            what: "the window",
            value: settings.window.into(),
            expected: "0 to 10 seconds",
        });
    }
    if settings.longest < settings.shortest {
        return Err(CycleError::Setting {
            what: "the longest cycle",
            value: settings.longest.into(),
            expected: "no less than the shortest",
        });
    }
    Ok(())
}

fn of_register(error: RegisterError) -> CycleError {
    match error {
        RegisterError::NotFinite { name, time } => CycleError::NotFinite { name, time },
        _ => CycleError::Setting {
            what: "the number of joints",
            value: 0.0,
            expected: "1 or more",
        },
    }
}

/// Two frames and how far they are apart, in metres.
#[derive(Clone, Copy, Debug)]
struct FramePair {
    start: usize,
    end: usize,
    distance: f64,
    /// The distance with what it lacks of frames about it counted.
    score: f64,
}

struct Search {
    shortest: usize,
    longest: usize,
    frames: usize,
    reach: usize,
    strides: Strides,
    contacts: Contacts,
}

impl Search {
    /// How far the motion gets within a second, as the square of a distance: of all seconds the livelier quarter gets
    /// farther.
    fn liveliness(&self, grid: &Grid, rate: f64) -> f32 {
        let window = ((LIVELY_WINDOW * rate) as usize).max(self.shortest);
        let farthest = |row: usize| {
            let within = grid.row(row).iter().take(window + 1);
            within.copied().fold(0.0, f32::max)
        };
        let whole = self.frames.saturating_sub(window).max(1);
        let mut all: Vec<f32> = (0..whole).map(farthest).collect();
        all.sort_by(f32::total_cmp);
        all.get(all.len() * 3 / 4).copied().unwrap_or(0.0)
    }

    /// Pairs that are nearer than all eight around them, and between which the motion was farther away. `lively` is the
    /// square of how far it must have been.
    fn candidates(&self, grid: &Grid, lively: f32) -> Vec<FramePair> {
        let mut found = Vec::new();
        for row in 0..self.frames {
            let mut farthest = 0.0f32;
            for (column, &own) in grid.columns(row).zip(grid.row(row)) {
                farthest = farthest.max(own);
                if farthest >= lively
                    && self.is_back(column - row, own, farthest, COMES_ROUND)
                    && self.is_least(grid, row, column, own)
                    && !self.steps_differ(row, column)
                {
                    found.push(self.pair(row, column, own));
                }
            }
        }
        found
    }

    /// Whether a motion that was as far away as `farthest` is so many times nearer again, by squares of distances, after a
    /// time that can be a cycle.
    fn is_back(&self, lag: usize, own: f32, farthest: f32, times: f32) -> bool {
        (self.shortest..=self.longest).contains(&lag) && farthest >= own * times * times
    }

    /// Whether another foot is ahead at one frame than at the other, or a foot is planted at one of them only.
    fn steps_differ(&self, start: usize, end: usize) -> bool {
        self.contacts.differ(start, end) || self.strides.differ(start, end, self.reach)
    }

    /// Whether no pair around is nearer; of equals the first counts.
    fn is_least(&self, grid: &Grid, row: usize, column: usize, own: f32) -> bool {
        let (rows, columns) = (
            row.saturating_sub(1)..=row + 1,
            column.saturating_sub(1)..=column + 1,
        );
        rows.filter(|row| *row < self.frames).all(|near| {
            columns.clone().all(|other| {
                let is_before = (near, other) < (row, column);
                let distance = grid.get(near, other);
                (near, other) == (row, column) || distance > own || (distance == own && !is_before)
            })
        })
    }

    /// The nearest pair between which the motion was so many times as far away.
    fn nearest(&self, grid: &Grid, lively: f32, times: f32) -> Option<FramePair> {
        let mut nearest: Option<FramePair> = None;
        for row in 0..self.frames {
            let mut farthest = 0.0f32;
            for (column, &own) in grid.columns(row).zip(grid.row(row)) {
                farthest = farthest.max(own);
                let pair = self.pair(row, column, own);
                let is_nearer = nearest.is_none_or(|known| pair.score < known.score);
                if is_nearer
                    && farthest >= lively
                    && self.is_back(column - row, own, farthest, times)
                    && !self.steps_differ(row, column)
                {
                    nearest = Some(pair);
                }
            }
        }
        nearest
    }

    fn pair(&self, start: usize, end: usize, square: f32) -> FramePair {
        let distance = libm::sqrt(f64::from(square));
        let room = start.min(self.frames - 1 - end).min(self.reach);
        let lacks = 1.0 - room as f64 / self.reach as f64;
        FramePair {
            start,
            end,
            distance,
            score: distance * (1.0 + (AT_THE_EDGE - 1.0) * lacks),
        }
    }
}

/// The nearest pair; a longer cycle must be much nearer than a shorter one.
fn best(pairs: &[FramePair]) -> Option<&FramePair> {
    let mut best: Option<&FramePair> = None;
    let nearest = pairs
        .iter()
        .map(|pair| pair.score)
        .fold(f64::INFINITY, f64::min);
    let is_near =
        |pair: &&FramePair| nearest >= pair.score * MUCH_NEARER || pair.score - nearest <= NEARER;
    // Cycles of about one length are told apart by distance alone.
    let shortest = pairs
        .iter()
        .filter(is_near)
        .map(|pair| pair.end - pair.start)
        .min()?;
    for pair in pairs.iter().filter(is_near) {
        let is_as_short = (pair.end - pair.start) as f64 <= shortest as f64 * 1.25;
        if is_as_short && best.is_none_or(|known| pair.score < known.score) {
            best = Some(pair);
        }
    }
    best
}

/// What leads from the figure about one frame to the figure about the other.
fn fit(cloud: &PointCloud, pair: &FramePair, reach: usize) -> GroundTransform {
    let before = reach.min(pair.start).min(pair.end);
    let last = cloud.frames - 1;
    let after = reach.min(last - pair.start).min(last - pair.end);
    let mut sums = AlignmentSums::default();
    let (mut there, mut here) = (PointCloudFrame::default(), PointCloudFrame::default());
    for step in 0..=before + after {
        let away = (step as f64 - before as f64).abs() / (reach + 1) as f64;
        let weight = 0.5 * (1.0 + libm::cos(core::f64::consts::PI * away));
        cloud.between((pair.end + step - before) as f64, &mut there);
        cloud.between((pair.start + step - before) as f64, &mut here);
        sums.add(&there, &here, weight);
    }
    // Clouds are about their own middle.
    let [x, z] = cloud.origin;
    let away = GroundTransform {
        x: -x,
        z: -z,
        ..GroundTransform::IDENTITY
    };
    let back = GroundTransform {
        x,
        z,
        ..GroundTransform::IDENTITY
    };
    away.then(&sums.fit()).then(&back)
}
