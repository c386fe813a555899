//! The threshold: how near two motions must be to match, derived from their distance grid.
//!
//! The row minima of a grid say how near each pose of the first motion comes to any of the second, its column minima the same
//! the other way round. Motions that correspond run along a *valley* of the grid in which most poses of at least one of them have
//! their nearest partner: the minima of that motion are the depth of the valley.
//!
//! ```text
//! threshold² = clamp(1.5 · max(min(median of row minima, median of column minima), half step²), (4 % size)², (55 % size)²)
//! ```
//!
//! For two walks the valley is 5 cm deep and out of phase they are 27 cm apart; for a walk and a run it is 15 cm deep; a cut
//! of a motion is 0 cm from where it was cut.
//!
//! Unrelated motions have row minima as well. A path through a grid is a match only if
//!
//! 1. it runs along the valley: at least 70 % of its cells are about the minimum of their row or column. Nearest partners of
//!    unrelated poses are scattered, and no path joins them;
//! 2. the valley is distinct: its cells are nearer than most others of the same rows or columns, or as near as two takes of one
//!    motion. If one of the motions has a posture of its own, everything is about as far from it.
//!
//! Constants were chosen on 620 pairs of 36 motions of the Carnegie Mellon and HDM05 databases, with the whole grid and no
//! threshold below 1 cm: walks, runs and jogs match each other (shares of 0.76 and more, ratios of 0.92 and less), and none of
//! them matches jumps, kicks or dances for more than a moment. `docs/decisions/2026-11-18-nearest.md`. The cost is one pass
//! over the grid.

use super::dtw::Path;
use super::grid::Grid;
use alloc::vec::Vec;

/// The squared threshold, as a multiple of the typical squared minimum: 1.22 times the distance.
const VALLEY_FACTOR: f64 = 1.5;

/// The smallest threshold, as a share of the size of the body: 2 cm for a person, whose root-mean-square joint distance from
/// the centroid is 0.5 m. Smaller distances come from capture, compression and edits: foot-skate cleanup and a closed seam
/// put a loop 1 cm from the motion that it was made of.
const MIN_THRESHOLD: f64 = 0.04;

/// The largest threshold, as a share of the size of the body: 27 cm for a person. Poses farther apart are not alike.
const MAX_THRESHOLD: f64 = 0.55;

/// A cell is in the valley if its squared distance is at most this many times the minimum of its row or column: 1.1 times the
/// distance.
const IN_VALLEY_FACTOR: f64 = 1.21;

/// The smallest share of a path's cells that are in the valley.
const MIN_VALLEY_SHARE: f64 = 0.7;

/// The largest mean square distance along a path, as a share of the median of its rows and columns: 0.93 of the distance.
const MAX_DISTINCT_RATIO: f64 = 0.865;

/// A path nearer than this need not be distinct, as a share of the size of the body: 10 cm for a person.
const ALWAYS_NEAR: f64 = 0.2;

/// Row and column minima of a distance grid, as mean square distances in square metres.
pub(super) struct RowMinima {
    rows: Vec<f32>,
    columns: Vec<f32>,
}

impl RowMinima {
    /// Minima of a grid whose cells are added by [`add`](Self::add).
    pub(super) fn new(rows: usize, columns: usize) -> Self {
        Self {
            rows: alloc::vec![f32::INFINITY; rows],
            columns: alloc::vec![f32::INFINITY; columns],
        }
    }

    /// The minima of a grid.
    pub(super) fn of(grid: &Grid) -> Self {
        let width = (0..grid.rows()).map(|row| grid.columns(row).end).max();
        let mut minima = Self::new(grid.rows(), width.unwrap_or(0));
        for row in 0..grid.rows() {
            minima.add(row, grid.columns(row).start, grid.row(row));
        }
        minima
    }

    /// Adds cells of a row, from a column on.
    pub(super) fn add(&mut self, row: usize, column: usize, cells: &[f32]) {
        let mut least = self.rows[row];
        for (known, cell) in self.columns[column..].iter_mut().zip(cells) {
            *known = known.min(*cell);
            least = least.min(*cell);
        }
        self.rows[row] = least;
    }

    /// The smallest minimum.
    pub(super) fn least(&self) -> f64 {
        let least = self.rows.iter().copied().fold(f32::INFINITY, f32::min);
        f64::from(least)
    }

    /// The square of the threshold. `half_step` is the mean square distance of poses half a frame apart: frames of one
    /// motion may lie between those of the other.
    pub(super) fn threshold(&self, size: f64, half_step: f64) -> f64 {
        let typical = median(self.rows.clone()).min(median(self.columns.clone()));
        let square = size * size;
        let valley = VALLEY_FACTOR * typical.max(half_step);
        valley.clamp(
            MIN_THRESHOLD * MIN_THRESHOLD * square,
            largest_threshold(size),
        )
    }

    /// Why a path, given by its cells and their mean square distances, is not a match; `None` if it is. `median_around` is
    /// that of the rows and columns it crosses.
    pub(super) fn refuse(
        &self,
        path: impl Iterator<Item = ([usize; 2], f32)>,
        median_around: f64,
        (size, half_step): (f64, f64),
    ) -> Option<&'static str> {
        let noise = (MIN_THRESHOLD * MIN_THRESHOLD * size * size).max(VALLEY_FACTOR * half_step);
        let (mut cells, mut near, mut sum) = (0.0, 0.0, 0.0);
        for ([row, column], distance) in path {
            let least = f64::from(self.rows[row].max(self.columns[column]));
            let distance = f64::from(distance);
            cells += 1.0;
            near += f64::from(u8::from(distance <= (IN_VALLEY_FACTOR * least).max(noise)));
            sum += distance;
        }
        if near < MIN_VALLEY_SHARE * cells {
            return Some("the nearest moments do not follow each other");
        }
        let mean = sum / cells;
        if mean > MAX_DISTINCT_RATIO * median_around
            && mean > ALWAYS_NEAR * ALWAYS_NEAR * size * size
        {
            return Some("no moments are much nearer than others");
        }
        None
    }
}

/// The square of the largest threshold for bodies of a size.
pub(super) fn largest_threshold(size: f64) -> f64 {
    MAX_THRESHOLD * MAX_THRESHOLD * size * size
}

/// The median mean square distance of the rows and columns that a path crosses: the smaller of both.
pub(super) fn median_around(grid: &Grid, path: &Path) -> f64 {
    let (Some(first), Some(last)) = (path.cells.first(), path.cells.last()) else {
        return f64::INFINITY;
    };
    let mut of_rows = Vec::new();
    let mut of_columns = Vec::new();
    for row in 0..grid.rows() {
        let columns = grid.columns(row);
        let cells = grid.row(row);
        if (first[0]..=last[0]).contains(&row) {
            of_rows.extend(cells.iter().step_by(MEDIAN_STRIDE));
        }
        if row % MEDIAN_STRIDE == 0 {
            let [from, to] = [first[1], last[1] + 1]
                .map(|column| column.clamp(columns.start, columns.end) - columns.start);
            of_columns.extend_from_slice(&cells[from..to]);
        }
    }
    median(of_rows).min(median(of_columns))
}

/// Every n-th cell is enough for a median.
const MEDIAN_STRIDE: usize = 4;

/// The median; infinite if there are no numbers.
pub(super) fn median(mut numbers: Vec<f32>) -> f64 {
    let middle = numbers.len() / 2;
    if numbers.is_empty() {
        return f64::INFINITY;
    }
    let (_, middle, _) = numbers.select_nth_unstable_by(middle, f32::total_cmp);
    f64::from(*middle)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A valley of 4 cm along the diagonal, 30 cm elsewhere.
    fn valley() -> Grid {
        Grid::from_cells(
            30,
            40,
            |row, column| if row == column { 0.0016 } else { 0.09 },
        )
    }

    #[test]
    fn the_threshold_is_a_little_above_the_valley_of_the_shorter_motion() {
        // Ten columns have no partner; all rows have one.
        let threshold = RowMinima::of(&valley()).threshold(0.5, 0.0);
        assert!(
            (threshold - VALLEY_FACTOR * 0.0016).abs() < 1e-9,
            "{threshold}"
        );
        let exact = Grid::from_cells(9, 9, |row, column| row.abs_diff(column) as f32);
        let threshold = RowMinima::of(&exact).threshold(0.5, 0.0);
        assert!((threshold - 4e-4).abs() < 1e-12, "{threshold}");
        let far = Grid::from_cells(9, 9, |_, _| 4.0);
        let threshold = RowMinima::of(&far).threshold(0.5, 0.0);
        assert!((threshold - 0.275 * 0.275).abs() < 1e-12, "{threshold}");
    }

    #[test]
    fn a_path_that_leaves_the_valley_or_has_none_is_no_match() {
        let refuse = |grid: &Grid, column: fn(usize) -> usize| {
            let cells: Vec<[usize; 2]> = (0..30).map(|row| [row, column(row)]).collect();
            let path = Path { cells, mean: 0.0 };
            let pairs = path
                .cells
                .iter()
                .map(|&[row, column]| ([row, column], grid.get(row, column)));
            RowMinima::of(grid).refuse(pairs, median_around(grid, &path), (0.5, 0.0))
        };
        assert_eq!(refuse(&valley(), |row| row), None);
        assert!(refuse(&valley(), |row| row + 5).is_some_and(|reason| reason.contains("follow")));
        let flat = Grid::from_cells(30, 40, |_, _| 0.05);
        assert!(refuse(&flat, |row| row).is_some_and(|reason| reason.contains("nearer")));
        // As near as two takes of one motion it needs not stand out.
        let still = Grid::from_cells(30, 40, |_, _| 0.005);
        assert_eq!(refuse(&still, |row| row), None);
    }
}
