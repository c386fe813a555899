//! Finds the cycle of a motion: two times at which poses and velocities are nearly equal.
//!
//! The distance grid of the motion with itself (that of `register`: windows of frames after the best ground transform; Kovar, Gleicher and
//! Pighin, Motion Graphs, SIGGRAPH 2002) is computed for lags up to the longest cycle. Candidates are its local minima
//! `D(start, end)` with
//!
//! ```text
//! shortest ≤ end - start ≤ longest
//! max over t in (start, end) of D(start, t)  ≥  2 D, and ≥ half the upper quartile of the distance covered in one second
//! the same foot ahead (`stride_phase`), the same feet planted (`contacts`)
//! ```
//!
//! because consecutive frames of a figure at rest are similar without being a cycle. The pair with the smallest distance
//! wins; a longer cycle wins only if its distance is much smaller.
//! The cost is the grid: frames × frames of the longest cycle.

use super::contacts::PlantedFeet;
use super::stride_phase::Strides;
use crate::error::{NotFiniteError, SettingError};
use crate::measure::dense_rate;
use crate::register::{
    AlignmentSums, Grid, PointCloud, PointCloudFrame, RegisterError, default_weights,
};
use alloc::string::String;
use alloc::vec::Vec;
use sinew::animation::Animation;
use sinew::math::GroundTransform;
use sinew::registration::Motion;
use sinew::skeleton::Skeleton;

/// The maximum number of frames per second that are compared.
const MAX_RATE: f64 = 120.0;

/// The maximum number of frames that are compared; longer motions are sampled at a lower rate.
const MAX_GRID_FRAMES: f64 = 60_000.0;

/// The maximum number of cells of the grid: 128 MB. Longer motions are sampled at a lower rate.
const MAX_CELLS: f64 = 32e6;

/// The maximum number of candidates that are reported.
const MAX_CANDIDATES: usize = 16;

/// A cycle repeats if the largest distance from the start, between start and end, is at least this factor of the distance at
/// the end.
const REPEAT_FACTOR: f32 = 2.0;

/// The same factor for a pair that is not a local minimum. For a pair that is similar only because little time has passed the
/// ratio is 1.
const WEAK_REPEAT_FACTOR: f32 = 1.2;

/// The time over which the movement of a motion is measured, in seconds.
const LIVELY_SECONDS: f64 = 1.0;

/// The minimum movement of a cycle, relative to the upper quartile of the movement of the whole motion: standing before or
/// after a walk is not a cycle of it.
const LIVELY_SHARE: f32 = 0.5;

/// A longer cycle wins only if its distance is below this factor of a shorter one's, and by [`NEARER_METRES`] less.
const NEARER_FACTOR: f64 = 0.75;

/// In metres.
const NEARER_METRES: f64 = 0.01;

/// The factor of the distance of a pair at the end of the motion, whose window is cut and carries little information about velocities.
const EDGE_PENALTY: f64 = 1.5;

/// Settings of [`find_cycle`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CycleSettings {
    /// The shortest cycle, in seconds.
    pub shortest: f32,
    /// The longest cycle, in seconds.
    pub longest: f32,
    /// Half the length of the windows of frames that are compared, in seconds. A window compares velocities as well as poses.
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
    /// A motion is shorter than the shortest cycle, or a cycle has too few frames.
    #[error("{name:?} lasts {length} seconds; a cycle needs {needed} or more")]
    TooShort {
        /// Its name.
        name: String,
        /// Its length, in seconds.
        length: f32,
        /// The shortest length, in seconds.
        needed: f32,
    },
    /// The position of a joint is NaN, infinite or too far away.
    #[error(transparent)]
    NotFinite(#[from] NotFiniteError),
    /// A setting is out of range.
    #[error(transparent)]
    Setting(#[from] SettingError),
    /// No pose repeats.
    #[error(
        "{name:?} does not repeat: no pose recurs with the same foot ahead and the same feet planted after {shortest} to {longest} seconds"
    )]
    NoCycle {
        /// The name of the motion.
        name: String,
        /// The shortest cycle, in seconds.
        shortest: f32,
        /// The longest cycle, in seconds.
        longest: f32,
    },
    /// The gap between end and beginning is too large to be closed.
    #[error(
        "{name:?} does not close: its end is {gap} m from its beginning, more than the {allowed} m allowed"
    )]
    Gap {
        /// The name of the motion.
        name: String,
        /// The largest distance of a joint from where it began, in metres, ignoring root motion.
        gap: f32,
        /// The largest gap that is closed, in metres.
        allowed: f32,
    },
    /// Foot-skate cleanup failed.
    #[error("foot-skate cleanup of the loop failed: {0}")]
    Feet(#[from] crate::footskate::CleanError),
}

/// Two times at which a motion is nearly equal.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct CycleCandidate {
    /// The start, in seconds.
    pub start: f32,
    /// The end, in seconds.
    pub end: f32,
    /// The root-mean-square distance of the windows around them, in metres.
    pub distance: f64,
}

/// The part of a motion that repeats.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Cycle {
    /// The start, in seconds.
    pub start: f32,
    /// The end, in seconds.
    pub end: f32,
    /// The root-mean-square distance of the windows around its start and end, in metres.
    pub distance: f64,
    /// The travel from the start to the end.
    pub ground_transform: GroundTransform,
    /// Whether the distance from the start is larger in between. If not, start and end are similar only because little time passes,
    /// and [`make_loop`](super::make_loop) closes only gaps up to 2 cm unless its `max_gap` is set.
    pub repeats: bool,
    /// Pairs of times that are local minima of the distance, in ascending order of distance; at most 16.
    pub candidates: Vec<CycleCandidate>,
}

/// Finds the best loop points of a motion.
///
/// A pair of times is a candidate if
/// - its distance is a local minimum, and the largest distance in between is at least twice as large: consecutive frames of a
///   figure at rest are not a cycle;
/// - the same foot is ahead at both, so that a walk repeats after two steps;
/// - the same feet are planted, so that each foot lands as often as it lifts;
/// - the motion between them moves at least half as far as the upper quartile of all seconds, so that standing before a walk
///   is not a cycle.
///
/// The candidate with the smallest distance wins; a shorter cycle is preferred unless the distance of the longer one is
/// smaller by 1 cm and by a quarter. Without a candidate, the pair with the smallest distance wins between which the distance
/// was larger by a fifth; otherwise the pair with the smallest distance, which does not [repeat](Cycle::repeats).
///
/// # Errors
/// If the motion is shorter than the shortest cycle or never repeats, values are not finite, or a setting is out of range.
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
        .min(MAX_RATE)
        .min(libm::sqrt(MAX_CELLS / (length * band)))
        .min(MAX_GRID_FRAMES / length);
    let frames = (length * rate + 1.0 + 1e-3) as usize;
    let motion = Motion::new(skeleton, animation);
    let weights = default_weights([motion; 2]);
    let cloud =
        PointCloud::new(motion, rate, frames, &weights, None).map_err(from_register_error)?;
    let reach = libm::rint(f64::from(settings.window) * rate).max(1.0) as usize;
    let search = CycleSearch {
        shortest: libm::ceil(f64::from(settings.shortest) * rate - 1e-3).max(2.0) as usize,
        longest: (f64::from(settings.longest) * rate) as usize,
        frames,
        reach,
        strides: Strides::new(skeleton, animation, rate, frames),
        contacts: PlantedFeet::new(skeleton, animation, rate, frames),
    };
    let columns = (0..frames).map(|row| row..(row + search.longest + 1).min(frames));
    let grid = Grid::new(&cloud, &cloud, (reach / 2).max(1), columns.collect());
    let lively = LIVELY_SHARE * LIVELY_SHARE * search.liveliness(&grid, rate);
    let mut found = search.candidates(&grid, lively);
    if found.is_empty() {
        found.extend(search.nearest(&grid, lively, WEAK_REPEAT_FACTOR));
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
    found.truncate(MAX_CANDIDATES);
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
            return Err(CycleError::Setting(SettingError {
                what,
                value: value.into(),
                expected,
            }));
        }
    }
    if !(0.0..=10.0).contains(&settings.window) {
        return Err(CycleError::Setting(SettingError {
            what: "the window",
            value: settings.window.into(),
            expected: "0 to 10 seconds",
        }));
    }
    if settings.longest < settings.shortest {
        return Err(CycleError::Setting(SettingError {
            what: "the longest cycle",
            value: settings.longest.into(),
            expected: "no less than the shortest",
        }));
    }
    Ok(())
}

fn from_register_error(error: RegisterError) -> CycleError {
    match error {
        RegisterError::NotFinite(NotFiniteError { name, time }) => {
            CycleError::NotFinite(NotFiniteError { name, time })
        }
        _ => CycleError::Setting(SettingError {
            what: "the number of joints",
            value: 0.0,
            expected: "1 or more",
        }),
    }
}

/// Two frames and their distance, in metres.
#[derive(Clone, Copy, Debug)]
struct FramePair {
    start: usize,
    end: usize,
    distance: f64,
    /// The distance, penalized if the window is cut.
    score: f64,
}

struct CycleSearch {
    shortest: usize,
    longest: usize,
    frames: usize,
    reach: usize,
    strides: Strides,
    contacts: PlantedFeet,
}

impl CycleSearch {
    /// The upper quartile of how far the motion gets within a second, as a squared distance.
    fn liveliness(&self, grid: &Grid, rate: f64) -> f32 {
        let window = ((LIVELY_SECONDS * rate) as usize).max(self.shortest);
        let farthest = |row: usize| {
            let within = grid.row(row).iter().take(window + 1);
            within.copied().fold(0.0, f32::max)
        };
        let whole = self.frames.saturating_sub(window).max(1);
        let mut all: Vec<f32> = (0..whole).map(farthest).collect();
        all.sort_by(f32::total_cmp);
        all.get(all.len() * 3 / 4).copied().unwrap_or(0.0)
    }

    /// Pairs that are nearer than their eight neighbours, and between which the motion was farther away: `lively` is the
    /// squared distance that it must have reached.
    fn candidates(&self, grid: &Grid, lively: f32) -> Vec<FramePair> {
        let mut found = Vec::new();
        for row in 0..self.frames {
            let mut farthest = 0.0f32;
            for (column, &distance) in grid.columns(row).zip(grid.row(row)) {
                farthest = farthest.max(distance);
                if farthest >= lively
                    && self.has_returned(column - row, distance, farthest, REPEAT_FACTOR)
                    && self.is_local_minimum(grid, row, column, distance)
                    && !self.steps_differ(row, column)
                {
                    found.push(self.pair(row, column, distance));
                }
            }
        }
        found
    }

    /// Whether the lag can be a cycle and `farthest` is at least `times` the distance (both are squares).
    fn has_returned(&self, lag: usize, distance: f32, farthest: f32, times: f32) -> bool {
        (self.shortest..=self.longest).contains(&lag) && farthest >= distance * times * times
    }

    /// Whether another foot is ahead at one frame than at the other, or a foot is planted at one of them only.
    fn steps_differ(&self, start: usize, end: usize) -> bool {
        self.contacts.differ(start, end) || self.strides.differ(start, end, self.reach)
    }

    /// Whether none of the eight neighbours is nearer; of equals the first counts.
    fn is_local_minimum(&self, grid: &Grid, row: usize, column: usize, distance: f32) -> bool {
        let (rows, columns) = (
            row.saturating_sub(1)..=row + 1,
            column.saturating_sub(1)..=column + 1,
        );
        rows.filter(|row| *row < self.frames).all(|near| {
            columns.clone().all(|other| {
                let is_before = (near, other) < (row, column);
                let neighbour = grid.get(near, other);
                (near, other) == (row, column)
                    || neighbour > distance
                    || (neighbour == distance && !is_before)
            })
        })
    }

    /// The nearest pair between which the motion was at least `times` as far away.
    fn nearest(&self, grid: &Grid, lively: f32, times: f32) -> Option<FramePair> {
        let mut nearest: Option<FramePair> = None;
        for row in 0..self.frames {
            let mut farthest = 0.0f32;
            for (column, &distance) in grid.columns(row).zip(grid.row(row)) {
                farthest = farthest.max(distance);
                let pair = self.pair(row, column, distance);
                let is_nearer = nearest.is_none_or(|known| pair.score < known.score);
                if is_nearer
                    && farthest >= lively
                    && self.has_returned(column - row, distance, farthest, times)
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
            score: distance * (1.0 + (EDGE_PENALTY - 1.0) * lacks),
        }
    }
}

/// The nearest pair; a longer cycle must be much nearer than a shorter one to win.
fn best(pairs: &[FramePair]) -> Option<&FramePair> {
    let mut best: Option<&FramePair> = None;
    let nearest = pairs
        .iter()
        .map(|pair| pair.score)
        .fold(f64::INFINITY, f64::min);
    let is_near = |pair: &&FramePair| {
        nearest >= pair.score * NEARER_FACTOR || pair.score - nearest <= NEARER_METRES
    };
    // Cycles of about the same length are compared by distance alone.
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

/// The ground transform from the start to the end of a pair, over raised-cosine windows.
fn fit(cloud: &PointCloud, pair: &FramePair, reach: usize) -> GroundTransform {
    let before = reach.min(pair.start).min(pair.end);
    let last = cloud.frames - 1;
    let after = reach.min(last - pair.start).min(last - pair.end);
    let mut sums = AlignmentSums::default();
    let (mut end_frame, mut start_frame) = (PointCloudFrame::default(), PointCloudFrame::default());
    for step in 0..=before + after {
        let away = (step as f64 - before as f64).abs() / (reach + 1) as f64;
        let weight = 0.5 * (1.0 + libm::cos(core::f64::consts::PI * away));
        cloud.interpolate((pair.end + step - before) as f64, &mut end_frame);
        cloud.interpolate((pair.start + step - before) as f64, &mut start_frame);
        sums.add(&end_frame, &start_frame, weight);
    }
    // Clouds are relative to their origin.
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
