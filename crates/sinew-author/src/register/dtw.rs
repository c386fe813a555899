//! Dynamic time warping (DTW): the path of least mean distance through a distance grid.
//!
//! Steps go along both motions (diagonal), along the first alone (down) or along the second alone (across). The slope
//! limit (Sakoe and Chiba, Dynamic Programming Algorithm Optimization for Spoken Word Recognition, 1978; Kovar and Gleicher
//! 2003) bounds how many steps along one motion alone follow each other, and with it the pace: with a limit of `n`, one
//! motion is at most `n + 1` times as fast as the other.
//!
//! With `E` the mean square distance of a cell, steps cost
//!
//! | ends      | diagonal      | down, across             | why |
//! |-----------|---------------|--------------------------|-----|
//! | corners   | `2 E`         | `E`                      | every path between two cells has the same total weight (Sakoe and Chiba's symmetric form), so the least sum is the least mean |
//! | free      | `2 (E - t)`   | `max(E - t, 0) + t / 16` | `t` is the square of the threshold; a cell below it is a gain, but only if both motions advance |
//!
//! With free ends (Smith and Waterman, Identification of Common Molecular Subsequences, 1981) the path of the largest gain wins.
//! Were steps along one motion alone a gain as well, a path that pauses one motion would be longer and win over a nearer one.
//!
//! Because of the slope limit a cell has `2 limit + 1` states, its *arrivals*: diagonal, and each number of steps down or across
//! in a row. Dynamic programming keeps the least cost of every arrival, in `f32`, and four bits per kind of step for backtracking:
//! rows × columns × (2 limit + 1) operations, two bytes per cell. Eight columns are computed at once: diagonal steps and steps down
//! depend only on the row above; steps across depend on the row itself and follow, one length after the other.
//! `docs/decisions/2026-11-18-nearest.md`, *Gain*.

use super::grid::Grid;
use alloc::vec::Vec;
use core::ops::Range;
use fearless_simd::prelude::*;
use fearless_simd::{f32x8, u32x8};
use sinew::simd::{self, LANES, SimdLevel};

/// The code of an arrival by which a path begins.
const START: u32 = 15;

/// Bits of an arrival's code.
const ARRIVAL_BITS: usize = 4;

/// A path through a grid.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Path {
    /// Rows and columns, from the first to the last.
    pub(super) cells: Vec<[usize; 2]>,
    /// The mean square distance along it. Diagonal steps count twice, so that all paths between two cells have the same
    /// weight.
    pub(super) mean: f64,
}

/// The cells in which paths begin and end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Ends {
    /// From the first cell to the last.
    Corners,
    /// Wherever the gain is largest.
    Free {
        /// The square of the threshold, in square metres.
        below: f64,
    },
}

/// The cost of a step along one motion alone with free ends, as a share of the squared threshold: of paths that are
/// equally near, the one of even pace wins.
const SINGLE_STEP_COST: f32 = 1.0 / 16.0;

impl Ends {
    /// The costs of entering a cell of a mean square distance: by a diagonal step, and by one along one motion alone.
    fn costs(self, distance: f32) -> [f32; 2] {
        match self {
            Self::Corners => [2.0 * distance, distance],
            Self::Free { below } => {
                let below = below as f32;
                let over = distance - below;
                [2.0 * over, over.max(0.0) + SINGLE_STEP_COST * below]
            }
        }
    }
}

/// The best path with at most `limit` steps along one motion alone in a row. `None` if there is no path.
pub(super) fn dtw_path(grid: &Grid, ends: Ends, limit: usize) -> Option<Path> {
    dtw_path_with(SimdLevel::best(), grid, ends, limit)
}

fn dtw_path_with(level: SimdLevel, grid: &Grid, ends: Ends, limit: usize) -> Option<Path> {
    let limit = limit.clamp(1, 6);
    let rows = grid.rows();
    let width = (0..rows).map(|row| grid.columns(row).end).max()?;
    let (mut above, mut current) = (
        ArrivalCosts::new(limit, width),
        ArrivalCosts::new(limit, width),
    );
    // The costs of entering the cells of a row: by diagonal steps, and by steps along one motion alone.
    let mut costs = [(); 2].map(|()| alloc::vec![f32::INFINITY; width + LANES]);
    // For each cell, the arrival before a diagonal step, before a first step down, and before a first step across.
    let mut from: Vec<Vec<u16>> = Vec::with_capacity(rows);
    let mut end: Option<PathEnd> = None;
    for row in 0..rows {
        let columns = grid.columns(row);
        let count = columns.len();
        let padded = count.next_multiple_of(LANES);
        let [diagonal, alone] = &mut costs;
        let cells = diagonal.iter_mut().zip(alone.iter_mut());
        for ((diagonal, alone), distance) in cells.zip(grid.row(row)) {
            [*diagonal, *alone] = ends.costs(*distance);
        }
        diagonal[count..padded].fill(f32::INFINITY);
        alone[count..padded].fill(f32::INFINITY);
        let cells = StepCosts {
            diagonal: &diagonal[..padded],
            alone: &alone[..padded],
        };
        current.reset(columns.clone());
        let mut arrivals = alloc::vec![0; padded];
        let start = match ends {
            Ends::Corners if row == 0 => PathStart::First,
            Ends::Corners => PathStart::Never,
            Ends::Free { .. } => PathStart::Better,
        };
        simd::dispatch!(
            level,
            off => current.fill_reference(&above, cells, start, &mut arrivals),
            simd => current.fill_kernel(simd, &above, cells, start, &mut arrivals)
        );
        from.push(arrivals);
        match ends {
            Ends::Corners if row + 1 < rows || columns.end < width => {}
            Ends::Corners => current.end_at(row, width - 1..width, &mut end),
            Ends::Free { .. } => current.end_at(row, columns, &mut end),
        }
        core::mem::swap(&mut above, &mut current);
    }
    backtrack(grid, &from, end?, limit)
}

/// The end of a path.
#[derive(Clone, Copy)]
struct PathEnd {
    cost: f32,
    cell: [usize; 2],
    arrival: usize,
}

/// In which cells of a row paths may begin.
#[derive(Clone, Copy)]
enum PathStart {
    Never,
    /// In the first column.
    First,
    /// In every cell before which the path is not a gain (its cost is not negative).
    Better,
}

impl PathStart {
    fn is_here(self, column: usize, before: f32) -> bool {
        match self {
            Self::Never => false,
            Self::First => column == 0,
            Self::Better => before >= 0.0,
        }
    }
}

/// The costs of entering the cells of a row.
#[derive(Clone, Copy)]
struct StepCosts<'a> {
    /// By a diagonal step.
    diagonal: &'a [f32],
    /// By a step along one motion alone.
    alone: &'a [f32],
}

/// The least cost of a path to each cell of a row, by arrival.
///
/// Arrival `0` is a diagonal step, `n` in `1..=limit` the n-th step down in a row, `limit + n` in
/// `limit + 1..=2 * limit` the n-th step across in a row.
struct ArrivalCosts {
    limit: usize,
    /// By arrival, then by column. Column `c` is at index `c + 1`, so that there is one before the first; up to seven after
    /// the last are scratch. Columns that are not in the row are infinite.
    by_arrival: Vec<Vec<f32>>,
    columns: Range<usize>,
}

impl ArrivalCosts {
    fn new(limit: usize, width: usize) -> Self {
        Self {
            limit,
            by_arrival: alloc::vec![alloc::vec![f32::INFINITY; width + 1 + LANES]; 2 * limit + 1],
            columns: 0..0,
        }
    }

    /// Sets the columns of the row, and all others to infinite.
    fn reset(&mut self, columns: Range<usize>) {
        // Only what the old row had and the new one does not have; the rest is overwritten. Rows of a band share most columns.
        let old = self.columns.clone();
        for costs in &mut self.by_arrival {
            costs[old.start + 1..old.end.min(columns.start).max(old.start) + 1].fill(f32::INFINITY);
            costs[old.start.max(columns.end).min(old.end) + 1..old.end + 1].fill(f32::INFINITY);
        }
        self.columns = columns;
    }

    /// Computes a row from the one above, cell by cell.
    fn fill_reference(
        &mut self,
        above: &Self,
        cells: StepCosts<'_>,
        start: PathStart,
        arrivals: &mut [u16],
    ) {
        let limit = self.limit;
        let (across, count) = (limit + 1, 2 * limit + 1);
        let cells = cells.diagonal.iter().zip(cells.alone);
        for (column, ((&both, &cell), arrivals)) in (self.columns.start..).zip(cells.zip(arrivals))
        {
            // Index `column` is the column before: see `by_arrival`.
            let diagonally = cheapest(&above.by_arrival, 0..count, column);
            let (before, arrival) = if start.is_here(column, diagonally.0) {
                (0.0, START)
            } else {
                diagonally
            };
            self.by_arrival[0][column + 1] = before + both;
            // A first step down or across follows anything but a step of its own kind.
            let down = cheapest(&above.by_arrival, (0..1).chain(across..count), column + 1);
            self.by_arrival[1][column + 1] = down.0 + cell;
            for arrival in 2..=limit {
                self.by_arrival[arrival][column + 1] =
                    above.by_arrival[arrival - 1][column + 1] + cell;
            }
            let side = cheapest(&self.by_arrival, 0..across, column);
            self.by_arrival[across][column + 1] = side.0 + cell;
            for arrival in across + 1..count {
                self.by_arrival[arrival][column + 1] = self.by_arrival[arrival - 1][column] + cell;
            }
            *arrivals = (arrival | down.1 << ARRIVAL_BITS | side.1 << (2 * ARRIVAL_BITS)) as u16;
        }
    }

    /// The same, eight columns at a time. The lengths of `cells` and `arrivals` are multiples of eight.
    #[inline(always)]
    fn fill_kernel<S: Simd>(
        &mut self,
        simd: S,
        above: &Self,
        cells: StepCosts<'_>,
        start: PathStart,
        arrivals: &mut [u16],
    ) {
        let limit = self.limit;
        let (across, count) = (limit + 1, 2 * limit + 1);
        let both = cells.diagonal.as_chunks().0;
        let (cells, arrivals) = (
            cells.alone.as_chunks().0,
            arrivals.as_chunks_mut::<LANES>().0,
        );
        let first = self.columns.start;
        let columns = |load_eight: usize| first + load_eight * LANES;
        let rows = both.iter().zip(cells).zip(arrivals.iter_mut());
        for (number, ((both, cells), arrivals)) in rows.enumerate() {
            let before = columns(number);
            let (column, cells) = (before + 1, simd::load(simd, cells));
            // Diagonal steps: from any arrival at the cell above left.
            let mut diagonal = LeastArrival::new(simd);
            for arrival in 0..count {
                diagonal.take(simd, arrival, &above.by_arrival[arrival], before);
            }
            diagonal.start(simd, start, before);
            store_eight(
                &mut self.by_arrival[0],
                column,
                diagonal.cost + simd::load(simd, both),
            );
            // A first step down: from a diagonal arrival or one across at the cell above. Later ones follow the one before.
            let mut down = LeastArrival::new(simd);
            down.take(simd, 0, &above.by_arrival[0], column);
            for arrival in across..count {
                down.take(simd, arrival, &above.by_arrival[arrival], column);
            }
            store_eight(&mut self.by_arrival[1], column, down.cost + cells);
            for arrival in 2..=limit {
                let before = load_eight(simd, &above.by_arrival[arrival - 1], column);
                store_eight(&mut self.by_arrival[arrival], column, before + cells);
            }
            let codes: [u32; LANES] =
                (diagonal.arrival | down.arrival << ARRIVAL_BITS as u32).into();
            for lane in 0..LANES {
                arrivals[lane] = codes[lane] as u16;
            }
        }
        // Steps across follow cells of the row itself: all first steps, then all second ones, and so on, so that what eight
        // columns read is complete.
        for (number, (cells, arrivals)) in cells.iter().zip(arrivals).enumerate() {
            let before = columns(number);
            let mut side = LeastArrival::new(simd);
            for arrival in 0..across {
                side.take(simd, arrival, &self.by_arrival[arrival], before);
            }
            store_eight(
                &mut self.by_arrival[across],
                before + 1,
                side.cost + simd::load(simd, cells),
            );
            let codes: [u32; LANES] = (side.arrival << (2 * ARRIVAL_BITS) as u32).into();
            for lane in 0..LANES {
                arrivals[lane] |= codes[lane] as u16;
            }
        }
        for arrival in across + 1..count {
            for (number, cells) in cells.iter().enumerate() {
                let before = columns(number);
                let costs = load_eight(simd, &self.by_arrival[arrival - 1], before);
                store_eight(
                    &mut self.by_arrival[arrival],
                    before + 1,
                    costs + simd::load(simd, cells),
                );
            }
        }
    }

    /// Makes the cheapest cell of `columns` the end if it costs less than `end`.
    fn end_at(&self, row: usize, columns: Range<usize>, end: &mut Option<PathEnd>) {
        let known = end.map_or(f32::INFINITY, |end| end.cost);
        let of_row = |costs: &Vec<f32>| {
            let costs = &costs[columns.start + 1..columns.end + 1];
            costs
                .iter()
                .fold(f32::INFINITY, |least, cost| least.min(*cost))
        };
        let least = self
            .by_arrival
            .iter()
            .map(of_row)
            .fold(f32::INFINITY, f32::min);
        if least >= known {
            return;
        }
        for column in columns {
            let arrival = self
                .by_arrival
                .iter()
                .position(|costs| costs[column + 1] == least);
            if let Some(arrival) = arrival {
                *end = Some(PathEnd {
                    cost: least,
                    cell: [row, column],
                    arrival,
                });
                return;
            }
        }
    }
}

/// The path that leads to `end`.
fn backtrack(grid: &Grid, from: &[Vec<u16>], end: PathEnd, limit: usize) -> Option<Path> {
    let (mut cell, mut arrival) = (end.cell, end.arrival);
    let mut cells = Vec::new();
    let (mut sum, mut weight) = (0.0, 0.0);
    loop {
        let [row, column] = cell;
        cells.push(cell);
        let arrivals = *from.get(row)?.get(column - grid.columns(row).start)?;
        let came =
            |by: usize| usize::from(arrivals) >> (by * ARRIVAL_BITS) & ((1 << ARRIVAL_BITS) - 1);
        let (next, share) = match arrival {
            0 => (came(0), 2.0),
            1 => (came(1), 1.0),
            arrival if arrival == limit + 1 => (came(2), 1.0),
            arrival => (arrival - 1, 1.0),
        };
        sum += share * f64::from(grid.get(row, column));
        weight += share;
        if arrival == 0 {
            if next == START as usize {
                break;
            }
            cell = [row.checked_sub(1)?, column.checked_sub(1)?];
        } else if arrival <= limit {
            cell = [row.checked_sub(1)?, column];
        } else {
            cell = [row, column.checked_sub(1)?];
        }
        arrival = next;
    }
    cells.reverse();
    Some(Path {
        cells,
        mean: sum / weight,
    })
}

/// The least cost of some arrivals at an index, and the arrival.
fn cheapest(
    by_arrival: &[Vec<f32>],
    arrivals: impl Iterator<Item = usize>,
    index: usize,
) -> (f32, u32) {
    let mut least = (f32::INFINITY, 0);
    for arrival in arrivals {
        if by_arrival[arrival][index] < least.0 {
            least = (by_arrival[arrival][index], arrival as u32);
        }
    }
    least
}

/// [`cheapest`] at eight indices.
struct LeastArrival<S: Simd> {
    cost: f32x8<S>,
    arrival: u32x8<S>,
}

impl<S: Simd> LeastArrival<S> {
    #[inline(always)]
    fn new(simd: S) -> Self {
        Self {
            cost: f32x8::splat(simd, f32::INFINITY),
            arrival: u32x8::splat(simd, 0),
        }
    }

    #[inline(always)]
    fn take(&mut self, simd: S, arrival: usize, costs: &[f32], first: usize) {
        let costs = load_eight(simd, costs, first);
        let is_less = costs.simd_lt(self.cost);
        self.cost = is_less.select(costs, self.cost);
        self.arrival = is_less.select(u32x8::splat(simd, arrival as u32), self.arrival);
    }

    /// Replaces the arrival by the start of a path where `start` allows it.
    #[inline(always)]
    fn start(&mut self, simd: S, start: PathStart, column: usize) {
        let (zero, code) = (f32x8::splat(simd, 0.0), u32x8::splat(simd, START));
        let is_here = match start {
            PathStart::Better => self.cost.simd_ge(zero),
            PathStart::First if column == 0 => {
                let mut offsets = [1.0; LANES];
                offsets[0] = 0.0;
                f32x8::simd_from(simd, offsets).simd_eq(zero)
            }
            PathStart::First | PathStart::Never => return,
        };
        self.cost = is_here.select(zero, self.cost);
        self.arrival = is_here.select(code, self.arrival);
    }
}

#[inline(always)]
fn store_eight<S: Simd>(into: &mut [f32], first: usize, numbers: f32x8<S>) {
    if let Some(into) = into.get_mut(first..first + LANES) {
        numbers.store_slice(into);
    }
}

#[inline(always)]
fn load_eight<S: Simd>(simd: S, numbers: &[f32], first: usize) -> f32x8<S> {
    let chunk = numbers.get(first..first + LANES);
    let chunk = chunk.and_then(|chunk| chunk.first_chunk());
    chunk.map_or(f32x8::splat(simd, f32::INFINITY), |chunk| {
        simd::load(simd, chunk)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::register::point_cloud::PointCloud;
    use glam::Vec3;

    fn grid(rows: usize, columns: usize, seed: u32) -> Grid {
        let cloud = |frames: usize, seed: u32| {
            let number = |index: usize| libm::sinf(index as f32 * 7.13 + seed as f32);
            let positions: Vec<Vec3> = (0..frames * 3)
                .map(|index| Vec3::new(number(index), number(index + 1000), number(index + 2000)))
                .collect();
            PointCloud::of_points(&positions, &[1.0; 3])
        };
        let (a, b) = (cloud(rows, seed), cloud(columns, seed + 50));
        Grid::new(&a, &b, 1, Grid::all(&a, &b))
    }

    /// The least sum of all paths to a cell, by trying all: `run` steps of kind 1 or 2 came before.
    fn least(grid: &Grid, [row, column]: [usize; 2], kind: u8, run: usize, limit: usize) -> f64 {
        let cell = f64::from(grid.get(row, column));
        if row == 0 && column == 0 {
            return if kind == 0 { 2.0 * cell } else { f64::INFINITY };
        }
        let share = if kind == 0 { 2.0 } else { 1.0 };
        let before = match kind {
            0 if row > 0 && column > 0 => [row - 1, column - 1],
            1 if row > 0 => [row - 1, column],
            2 if column > 0 => [row, column - 1],
            _ => return f64::INFINITY,
        };
        let mut best = f64::INFINITY;
        for other in 0..3 {
            let longer = if kind != 0 && other == kind {
                run + 1
            } else {
                1
            };
            if longer <= limit {
                best = best.min(least(grid, before, other, longer, limit));
            }
        }
        best + share * cell
    }

    #[test]
    fn the_path_is_the_cheapest_of_all() {
        for seed in 0..12 {
            for (rows, columns, limit) in [(4, 5, 1), (5, 4, 2), (6, 6, 3), (3, 7, 2)] {
                let grid = grid(rows, columns, seed);
                let last = [rows - 1, columns - 1];
                let expected = (0..3)
                    .map(|kind| least(&grid, last, kind, 1, limit))
                    .fold(f64::INFINITY, f64::min);
                let path = dtw_path(&grid, Ends::Corners, limit);
                let Some(path) = path else {
                    assert!(expected.is_infinite(), "{rows} x {columns}, {limit}");
                    continue;
                };
                assert_eq!(
                    (path.cells[0], path.cells[path.cells.len() - 1]),
                    ([0, 0], last)
                );
                // Both count the first cell twice; all paths between two cells have the same weight.
                let weight = (rows + columns) as f64;
                assert!(
                    (path.mean * weight - expected).abs() < 1e-6,
                    "{rows} x {columns}, {limit}"
                );
                for pair in path.cells.windows(2) {
                    let steps = [0, 1].map(|axis: usize| pair[1][axis] - pair[0][axis]);
                    assert!(matches!(steps, [1, 1] | [1, 0] | [0, 1]));
                }
            }
        }
    }

    #[test]
    fn kernel_and_reference_find_the_same() {
        let mut found = 0;
        for seed in 0..6 {
            for (rows, columns, limit) in [(3, 3, 1), (9, 17, 2), (40, 31, 3), (33, 64, 6)] {
                let whole = grid(rows, columns, seed);
                let below = f64::from(whole.get(rows / 2, columns / 2));
                for ends in [Ends::Corners, Ends::Free { below }] {
                    let reference = dtw_path_with(SimdLevel::OFF, &whole, ends, limit);
                    found += usize::from(reference.is_some());
                    for level in SimdLevel::all() {
                        assert_eq!(dtw_path_with(level, &whole, ends, limit), reference);
                    }
                }
            }
        }
        assert!(found > 40, "{found}");
    }

    #[test]
    fn bands_hold_the_path_of_the_whole() {
        let cloud = |pace: f32| {
            let positions = (0..90).flat_map(|frame| {
                let time = frame as f32 * 0.1 * pace;
                [0.0, 1.0, 2.0].map(|point| Vec3::new(libm::sinf(time + point), point, time))
            });
            PointCloud::of_points(&positions.collect::<Vec<_>>(), &[1.0; 3])
        };
        let (a, b) = (cloud(1.0), cloud(1.2));
        let whole = dtw_path(&Grid::new(&a, &b, 2, Grid::all(&a, &b)), Ends::Corners, 3).unwrap();
        let bands: Vec<Range<usize>> = (0..90)
            .map(|row| {
                let cells = whole.cells.iter().filter(|cell| cell[0] == row);
                let (from, to) = cells.fold((90, 0), |(from, to), cell| {
                    (cell[1].min(from), cell[1].max(to))
                });
                from.saturating_sub(5)..(to + 9).min(90)
            })
            .collect();
        for level in SimdLevel::all() {
            let grid = Grid::new(&a, &b, 2, bands.clone());
            let path = dtw_path_with(level, &grid, Ends::Corners, 3).unwrap();
            assert_eq!(path, whole);
        }
    }

    /// A valley of 20 cells at 1 cm against a steep one of 50 steps at 3 cm, with a threshold of 17 cm.
    #[test]
    fn a_near_path_wins_over_a_longer_one_that_is_farther() {
        let grid = Grid::from_cells(40, 40, |row, column| {
            if column == row + 15 && row < 20 {
                1e-4
            } else if (4 * column).abs_diff(row) <= 2 {
                1e-3
            } else {
                1.0
            }
        });
        for level in SimdLevel::all() {
            let path = dtw_path_with(level, &grid, Ends::Free { below: 0.03 }, 3).unwrap();
            assert_eq!(path.cells.first(), Some(&[0, 15]));
            assert_eq!(path.cells.last(), Some(&[19, 34]));
        }
    }

    #[test]
    fn too_different_lengths_have_no_path() {
        assert!(dtw_path(&grid(2, 20, 1), Ends::Corners, 3).is_none());
    }

    #[test]
    fn free_ends_keep_to_what_is_near() {
        let grid = grid(9, 9, 3);
        let below = 0.5 * f64::from(grid.get(4, 4)) + 0.5;
        let path = dtw_path(&grid, Ends::Free { below }, 2).unwrap();
        assert!(path.mean < below);
        // Nothing is near enough: a single cell at most, and that one is not below.
        let least = grid.least().unwrap().2;
        let none = dtw_path(
            &grid,
            Ends::Free {
                below: f64::from(least) * 0.5,
            },
            2,
        );
        assert!(none.is_none_or(|path| path.cells.len() == 1));
    }
}
