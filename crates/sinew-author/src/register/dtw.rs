//! Dynamic time warping (DTW): the path through a distance grid along which two motions are nearest to each other.
//!
//! Steps go along both motions (diagonal), along the first alone (down) or along the second alone (across). The slope
//! limit bounds how many steps along one motion alone follow each other, and with it the pace: with a limit of `n`,
//! between `n + 1` frames of one motion and at least one of the other pass.
//!
//! With `E` the mean square distance of a cell, steps cost
//!
//! | ends      | diagonal      | down, across             | why |
//! |-----------|---------------|--------------------------|-----|
//! | corners   | `2 E`         | `E`                      | every path between two cells has the same total weight, so the least sum is the least mean |
//! | free      | `2 (E - t)`   | `max(E - t, 0) + t / 16` | `t` is the square of the threshold; a cell below it is a gain, but only where both motions advance |
//!
//! With free ends (Smith and Waterman 1981) the path of the largest gain wins. Were steps along one motion alone a
//! gain as well, a path that holds one motion back would be longer and win over one that is nearer.

use super::grid::Grid;
use alloc::vec::Vec;
use core::ops::Range;
use fearless_simd::prelude::*;
use fearless_simd::{f32x8, u32x8};
use sinew::simd::{self, LANES, SimdLevel};

/// A fresh start, among the ways to come to a cell.
const START: u32 = 15;

/// Bits of a way.
const BITS: usize = 4;

/// How a path lies in a grid, and what it costs.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Path {
    /// Rows and columns, from the first to the last.
    pub(super) cells: Vec<[usize; 2]>,
    /// The mean square distance along it: diagonal steps count twice, so that every path between two cells weighs
    /// as much.
    pub(super) mean: f64,
}

/// Where paths begin and end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Ends {
    /// In the first cell and in the last.
    Corners,
    /// Wherever the gain is largest.
    Free {
        /// The square of the threshold, in square metres.
        below: f64,
    },
}

/// What a step along one motion alone costs with free ends, as a share of the threshold's square: of paths that are
/// as near, the one of even pace wins.
const UNEVEN_STEP: f32 = 1.0 / 16.0;

impl Ends {
    /// What a cell of a mean square distance costs: by a diagonal step, and by one along one motion alone.
    fn costs(self, distance: f32) -> [f32; 2] {
        match self {
            Self::Corners => [2.0 * distance, distance],
            Self::Free { below } => {
                let below = below as f32;
                let over = distance - below;
                [2.0 * over, over.max(0.0) + UNEVEN_STEP * below]
            }
        }
    }
}

/// The best path, with at most `limit` steps along one motion alone in a row. `None` where there is no way.
pub(super) fn dtw_path(grid: &Grid, ends: Ends, limit: usize) -> Option<Path> {
    best_path_with(SimdLevel::best(), grid, ends, limit)
}

fn best_path_with(level: SimdLevel, grid: &Grid, ends: Ends, limit: usize) -> Option<Path> {
    let limit = limit.clamp(1, 6);
    let rows = grid.rows();
    let width = (0..rows).map(|row| grid.columns(row).end).max()?;
    let (mut above, mut own) = (Costs::new(limit, width), Costs::new(limit, width));
    // What the cells of a row cost, by diagonal steps and by steps along one motion alone.
    let mut costs = [(); 2].map(|()| alloc::vec![f32::INFINITY; width + LANES]);
    // For each cell, from which way it was come to diagonally, by a first step down and by a first across.
    let mut from: Vec<Vec<u16>> = Vec::with_capacity(rows);
    let mut end: Option<End> = None;
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
        let cells = CellCosts {
            diagonal: &diagonal[..padded],
            alone: &alone[..padded],
        };
        own.keep(columns.clone());
        let mut ways = alloc::vec![0; padded];
        let start = match ends {
            Ends::Corners if row == 0 => Start::First,
            Ends::Corners => Start::Never,
            Ends::Free { .. } => Start::Better,
        };
        simd::dispatch!(
            level,
            off => own.fill_reference(&above, cells, start, &mut ways),
            simd => own.fill_kernel(simd, &above, cells, start, &mut ways)
        );
        from.push(ways);
        match ends {
            Ends::Corners if row + 1 < rows || columns.end < width => {}
            Ends::Corners => own.end_at(row, width - 1..width, &mut end),
            Ends::Free { .. } => own.end_at(row, columns, &mut end),
        }
        core::mem::swap(&mut above, &mut own);
    }
    back(grid, &from, end?, limit)
}

/// Where a path ends.
#[derive(Clone, Copy)]
struct End {
    cost: f32,
    cell: [usize; 2],
    way: usize,
}

/// Where in a row paths may begin.
#[derive(Clone, Copy)]
enum Start {
    Never,
    /// In the first column.
    First,
    /// Wherever what came before is no gain.
    Better,
}

impl Start {
    fn is_here(self, column: usize, before: f32) -> bool {
        match self {
            Self::Never => false,
            Self::First => column == 0,
            Self::Better => before >= 0.0,
        }
    }
}

/// What the cells of a row cost, whichever way they are come to.
#[derive(Clone, Copy)]
struct CellCosts<'a> {
    /// By a diagonal step.
    diagonal: &'a [f32],
    /// By a step along one motion alone.
    alone: &'a [f32],
}

/// What the cells of a row cost by each way to come to them.
///
/// Way `0` is diagonal, `1..=limit` are the so-manieth step in a row of the first motion alone (down), `limit +
/// 1..=2 * limit` of the second (across).
struct Costs {
    limit: usize,
    /// For each way. Column `c` is at `c + 1`, so that there is one before the first; a few after the last may be
    /// written to. What is not of the row is infinite.
    by_way: Vec<Vec<f32>>,
    columns: Range<usize>,
}

impl Costs {
    fn new(limit: usize, width: usize) -> Self {
        Self {
            limit,
            by_way: alloc::vec![alloc::vec![f32::INFINITY; width + 1 + LANES]; 2 * limit + 1],
            columns: 0..0,
        }
    }

    /// Makes room for these columns: forgets all others.
    fn keep(&mut self, columns: Range<usize>) {
        let old = self.columns.clone();
        for costs in &mut self.by_way {
            costs[old.start + 1..old.end.min(columns.start).max(old.start) + 1].fill(f32::INFINITY);
            costs[old.start.max(columns.end).min(old.end) + 1..old.end + 1].fill(f32::INFINITY);
        }
        self.columns = columns;
    }

    /// A row after the one above, cell by cell.
    fn fill_reference(
        &mut self,
        above: &Self,
        cells: CellCosts<'_>,
        start: Start,
        ways: &mut [u16],
    ) {
        let limit = self.limit;
        let (across, count) = (limit + 1, 2 * limit + 1);
        let cells = cells.diagonal.iter().zip(cells.alone);
        for (at, ((&both, &cell), ways)) in (self.columns.start..).zip(cells.zip(ways)) {
            let diagonally = cheapest(&above.by_way, 0..count, at);
            let (before, way) = if start.is_here(at, diagonally.0) {
                (0.0, START)
            } else {
                diagonally
            };
            self.by_way[0][at + 1] = before + both;
            // Down or across: first after anything but another such step.
            let down = cheapest(&above.by_way, (0..1).chain(across..count), at + 1);
            self.by_way[1][at + 1] = down.0 + cell;
            for way in 2..=limit {
                self.by_way[way][at + 1] = above.by_way[way - 1][at + 1] + cell;
            }
            let side = cheapest(&self.by_way, 0..across, at);
            self.by_way[across][at + 1] = side.0 + cell;
            for way in across + 1..count {
                self.by_way[way][at + 1] = self.by_way[way - 1][at] + cell;
            }
            *ways = (way | down.1 << BITS | side.1 << (2 * BITS)) as u16;
        }
    }

    /// The same, eight columns at a time. There are as many `cells` and `ways` as makes whole eights.
    #[inline(always)]
    fn fill_kernel<S: Simd>(
        &mut self,
        simd: S,
        above: &Self,
        cells: CellCosts<'_>,
        start: Start,
        ways: &mut [u16],
    ) {
        let limit = self.limit;
        let (across, count) = (limit + 1, 2 * limit + 1);
        let both = cells.diagonal.as_chunks().0;
        let (cells, ways) = (cells.alone.as_chunks().0, ways.as_chunks_mut::<LANES>().0);
        let first = self.columns.start;
        let columns = |eight: usize| first + eight * LANES;
        let rows = both.iter().zip(cells).zip(ways.iter_mut());
        for (number, ((both, cells), ways)) in rows.enumerate() {
            let before = columns(number);
            let (at, cells) = (before + 1, simd::load(simd, cells));
            let mut diagonal = Least::new(simd);
            for way in 0..count {
                diagonal.take(simd, way, &above.by_way[way], before);
            }
            diagonal.start(simd, start, before);
            put(
                &mut self.by_way[0],
                at,
                diagonal.cost + simd::load(simd, both),
            );
            let mut down = Least::new(simd);
            down.take(simd, 0, &above.by_way[0], at);
            for way in across..count {
                down.take(simd, way, &above.by_way[way], at);
            }
            put(&mut self.by_way[1], at, down.cost + cells);
            for way in 2..=limit {
                let before = eight(simd, &above.by_way[way - 1], at);
                put(&mut self.by_way[way], at, before + cells);
            }
            let own: [u32; LANES] = (diagonal.way | down.way << BITS as u32).into();
            for lane in 0..LANES {
                ways[lane] = own[lane] as u16;
            }
        }
        // Steps across come after cells of the row itself: one kind of step after the other.
        for (number, (cells, ways)) in cells.iter().zip(ways).enumerate() {
            let before = columns(number);
            let mut side = Least::new(simd);
            for way in 0..across {
                side.take(simd, way, &self.by_way[way], before);
            }
            put(
                &mut self.by_way[across],
                before + 1,
                side.cost + simd::load(simd, cells),
            );
            let own: [u32; LANES] = (side.way << (2 * BITS) as u32).into();
            for lane in 0..LANES {
                ways[lane] |= own[lane] as u16;
            }
        }
        for way in across + 1..count {
            for (number, cells) in cells.iter().enumerate() {
                let before = columns(number);
                let own = eight(simd, &self.by_way[way - 1], before);
                put(
                    &mut self.by_way[way],
                    before + 1,
                    own + simd::load(simd, cells),
                );
            }
        }
    }

    /// Notes the cheapest of some cells as the end where it costs less than what is known.
    fn end_at(&self, row: usize, columns: Range<usize>, end: &mut Option<End>) {
        let known = end.map_or(f32::INFINITY, |end| end.cost);
        let of_row = |costs: &Vec<f32>| {
            let costs = &costs[columns.start + 1..columns.end + 1];
            costs
                .iter()
                .fold(f32::INFINITY, |least, cost| least.min(*cost))
        };
        let least = self.by_way.iter().map(of_row).fold(f32::INFINITY, f32::min);
        if least >= known {
            return;
        }
        for column in columns {
            let way = self
                .by_way
                .iter()
                .position(|costs| costs[column + 1] == least);
            if let Some(way) = way {
                *end = Some(End {
                    cost: least,
                    cell: [row, column],
                    way,
                });
                return;
            }
        }
    }
}

/// The path that leads to a cell.
fn back(grid: &Grid, from: &[Vec<u16>], end: End, limit: usize) -> Option<Path> {
    let (mut cell, mut way) = (end.cell, end.way);
    let mut cells = Vec::new();
    let (mut sum, mut weight) = (0.0, 0.0);
    loop {
        let [row, column] = cell;
        cells.push(cell);
        let ways = *from.get(row)?.get(column - grid.columns(row).start)?;
        let came = |by: usize| usize::from(ways) >> (by * BITS) & ((1 << BITS) - 1);
        let (next, share) = match way {
            0 => (came(0), 2.0),
            1 => (came(1), 1.0),
            way if way == limit + 1 => (came(2), 1.0),
            way => (way - 1, 1.0),
        };
        sum += share * f64::from(grid.get(row, column));
        weight += share;
        if way == 0 {
            if next == START as usize {
                break;
            }
            cell = [row.checked_sub(1)?, column.checked_sub(1)?];
        } else if way <= limit {
            cell = [row.checked_sub(1)?, column];
        } else {
            cell = [row, column.checked_sub(1)?];
        }
        way = next;
    }
    cells.reverse();
    Some(Path {
        cells,
        mean: sum / weight,
    })
}

/// The cheapest of some ways at a place, and which it is.
fn cheapest(by_way: &[Vec<f32>], ways: impl Iterator<Item = usize>, at: usize) -> (f32, u32) {
    let mut least = (f32::INFINITY, 0);
    for way in ways {
        if by_way[way][at] < least.0 {
            least = (by_way[way][at], way as u32);
        }
    }
    least
}

/// [`cheapest`] at eight places.
struct Least<S: Simd> {
    cost: f32x8<S>,
    way: u32x8<S>,
}

impl<S: Simd> Least<S> {
    #[inline(always)]
    fn new(simd: S) -> Self {
        Self {
            cost: f32x8::splat(simd, f32::INFINITY),
            way: u32x8::splat(simd, 0),
        }
    }

    #[inline(always)]
    fn take(&mut self, simd: S, way: usize, costs: &[f32], at: usize) {
        let costs = eight(simd, costs, at);
        let is_less = costs.simd_lt(self.cost);
        self.cost = is_less.select(costs, self.cost);
        self.way = is_less.select(u32x8::splat(simd, way as u32), self.way);
    }

    /// Lets paths begin.
    #[inline(always)]
    fn start(&mut self, simd: S, start: Start, column: usize) {
        let (none, afresh) = (f32x8::splat(simd, 0.0), u32x8::splat(simd, START));
        let is_here = match start {
            Start::Better => self.cost.simd_ge(none),
            Start::First if column == 0 => {
                let mut places = [1.0; LANES];
                places[0] = 0.0;
                f32x8::simd_from(simd, places).simd_eq(none)
            }
            Start::First | Start::Never => return,
        };
        self.cost = is_here.select(none, self.cost);
        self.way = is_here.select(afresh, self.way);
    }
}

#[inline(always)]
fn put<S: Simd>(into: &mut [f32], at: usize, numbers: f32x8<S>) {
    if let Some(into) = into.get_mut(at..at + LANES) {
        numbers.store_slice(into);
    }
}

#[inline(always)]
fn eight<S: Simd>(simd: S, numbers: &[f32], at: usize) -> f32x8<S> {
    let own = numbers
        .get(at..at + LANES)
        .and_then(|own| own.first_chunk());
    own.map_or(f32x8::splat(simd, f32::INFINITY), |own| {
        simd::load(simd, own)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::register::point_cloud::PointCloud;
    use glam::Vec3;

    fn grid(rows: usize, columns: usize, seed: u32) -> Grid {
        let cloud = |frames: usize, seed: u32| {
            let number = |at: usize| libm::sinf(at as f32 * 7.13 + seed as f32);
            let places: Vec<Vec3> = (0..frames * 3)
                .map(|at| Vec3::new(number(at), number(at + 1000), number(at + 2000)))
                .collect();
            PointCloud::of_points(&places, &[1.0; 3])
        };
        let (a, b) = (cloud(rows, seed), cloud(columns, seed + 50));
        Grid::new(&a, &b, 1, Grid::all(&a, &b))
    }

    /// The least sum of all paths to a cell, by trying all: `run` steps of kind 1 or 2 came before.
    fn least(grid: &Grid, [row, column]: [usize; 2], kind: u8, run: usize, limit: usize) -> f64 {
        let own = f64::from(grid.get(row, column));
        if row == 0 && column == 0 {
            return if kind == 0 { 2.0 * own } else { f64::INFINITY };
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
        best + share * own
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
                // Both ways count the first cell twice; between two cells every path weighs as much.
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
                    let reference = best_path_with(SimdLevel::OFF, &whole, ends, limit);
                    found += usize::from(reference.is_some());
                    for level in SimdLevel::all() {
                        assert_eq!(best_path_with(level, &whole, ends, limit), reference);
                    }
                }
            }
        }
        assert!(found > 40, "{found}");
    }

    #[test]
    fn bands_hold_the_path_of_the_whole() {
        let cloud = |pace: f32| {
            let places = (0..90).flat_map(|frame| {
                let time = frame as f32 * 0.1 * pace;
                [0.0, 1.0, 2.0].map(|point| Vec3::new(libm::sinf(time + point), point, time))
            });
            PointCloud::of_points(&places.collect::<Vec<_>>(), &[1.0; 3])
        };
        let (a, b) = (cloud(1.0), cloud(1.2));
        let whole = dtw_path(&Grid::new(&a, &b, 2, Grid::all(&a, &b)), Ends::Corners, 3).unwrap();
        let bands: Vec<Range<usize>> = (0..90)
            .map(|row| {
                let own = whole.cells.iter().filter(|cell| cell[0] == row);
                let (from, to) = own.fold((90, 0), |(from, to), cell| {
                    (cell[1].min(from), cell[1].max(to))
                });
                from.saturating_sub(5)..(to + 9).min(90)
            })
            .collect();
        for level in SimdLevel::all() {
            let grid = Grid::new(&a, &b, 2, bands.clone());
            let own = best_path_with(level, &grid, Ends::Corners, 3).unwrap();
            assert_eq!(own, whole);
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
            let path = best_path_with(level, &grid, Ends::Free { below: 0.03 }, 3).unwrap();
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
