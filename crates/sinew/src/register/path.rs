//! The way through a grid along which two motions are nearest to each other.

use super::grid::Grid;
use alloc::vec::Vec;

/// Ways to come to a cell: diagonally, or by the so-manieth step in a row along one motion alone.
///
/// `0` is diagonal, `1..=limit` steps of the first motion alone (down), `limit + 1..=2 * limit` of the second
/// (across).
struct Steps {
    limit: usize,
}

/// A fresh start.
const START: u8 = 15;

/// What a cell costs by each way to come to it, for a whole row.
type Costs = Vec<Vec<f64>>;

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
    /// Wherever the sum of what cells are below this mean square distance is largest.
    Free {
        /// In square metres.
        below: f64,
    },
}

/// The best path, with at most `limit` steps along one motion alone in a row. `None` where there is no way.
pub(super) fn best_path(grid: &Grid, ends: Ends, limit: usize) -> Option<Path> {
    let steps = Steps {
        limit: limit.clamp(1, 6),
    };
    steps.best(grid, ends)
}

impl Steps {
    fn count(&self) -> usize {
        2 * self.limit + 1
    }

    /// Row by row; within a row way by way, so that columns are independent of each other.
    fn best(&self, grid: &Grid, ends: Ends) -> Option<Path> {
        let (rows, limit) = (grid.rows(), self.limit);
        let width = (0..rows).map(|row| grid.columns(row).end).max()?;
        let below = match ends {
            Ends::Corners => 0.0,
            Ends::Free { below } => below,
        };
        // Column `c` is at `c + 1`, so that there is one before the first.
        let empty: Costs = alloc::vec![alloc::vec![f64::INFINITY; width + 1]; self.count()];
        let (mut above, mut own) = (empty.clone(), empty);
        // For each cell, from which way it was come to diagonally, by a first step down and by a first across.
        let mut from: Vec<[Vec<u8>; 3]> = Vec::with_capacity(rows);
        let mut least = Least::new(width);
        let mut costs = alloc::vec![0.0; width];
        let mut end: Option<(f64, [usize; 2], usize)> = None;
        let all: Vec<usize> = (0..self.count()).collect();
        let but_down: Vec<usize> = core::iter::once(0).chain(limit + 1..self.count()).collect();
        let but_across: Vec<usize> = (0..=limit).collect();
        for row in 0..rows {
            let columns = grid.columns(row);
            let (start, count) = (columns.start, columns.len());
            for costs in &mut own {
                costs.fill(f64::INFINITY);
            }
            for (cost, distance) in costs.iter_mut().zip(grid.row(row)) {
                *cost = f64::from(*distance) - below;
            }
            let costs = &costs[..count];
            // Diagonally, or afresh.
            least.of(&all, &above, start, count);
            for (column, (cost, way)) in least
                .cost
                .iter_mut()
                .zip(&mut least.way)
                .take(count)
                .enumerate()
            {
                let is_start = match ends {
                    Ends::Corners => row == 0 && start + column == 0,
                    Ends::Free { .. } => *cost >= 0.0,
                };
                if is_start {
                    (*cost, *way) = (0.0, u32::from(START));
                }
            }
            put(&mut own[0][start + 1..], &least.cost, costs, 2.0);
            let diagonal = least.ways(count);
            // Down: first after anything but another step down.
            least.of(&but_down, &above, start + 1, count);
            put(&mut own[1][start + 1..], &least.cost, costs, 1.0);
            let down = least.ways(count);
            for step in 2..=limit {
                put(
                    &mut own[step][start + 1..],
                    &above[step - 1][start + 1..],
                    costs,
                    1.0,
                );
            }
            // Across: first after anything but another step across.
            least.of(&but_across, &own, start, count);
            put(&mut own[limit + 1][start + 1..], &least.cost, costs, 1.0);
            from.push([diagonal, down, least.ways(count)]);
            for step in limit + 2..self.count() {
                let (before, rest) = own.split_at_mut(step);
                put(
                    &mut rest[0][start + 1..],
                    &before[step - 1][start..],
                    costs,
                    1.0,
                );
            }
            match ends {
                Ends::Corners if row + 1 < rows || columns.end < width => {}
                Ends::Corners => self.end_at(&own, row, width - 1, &mut end),
                Ends::Free { .. } => {
                    for column in columns {
                        self.end_at(&own, row, column, &mut end);
                    }
                }
            }
            core::mem::swap(&mut above, &mut own);
        }
        let (_, cell, way) = end?;
        self.back(grid, &from, cell, way)
    }

    /// Notes a cell as the end where it costs less than what is known.
    fn end_at(
        &self,
        own: &Costs,
        row: usize,
        column: usize,
        end: &mut Option<(f64, [usize; 2], usize)>,
    ) {
        for (way, costs) in own.iter().enumerate() {
            let cost = costs[column + 1];
            if cost < end.map_or(f64::INFINITY, |(known, ..)| known) {
                *end = Some((cost, [row, column], way));
            }
        }
    }

    /// The path that leads to a cell.
    fn back(
        &self,
        grid: &Grid,
        from: &[[Vec<u8>; 3]],
        mut cell: [usize; 2],
        mut way: usize,
    ) -> Option<Path> {
        let limit = self.limit;
        let mut cells = Vec::new();
        let (mut sum, mut weight) = (0.0, 0.0);
        loop {
            let [row, column] = cell;
            cells.push(cell);
            let at = column - grid.columns(row).start;
            let came = |by: usize| from.get(row).and_then(|ways| ways[by].get(at)).copied();
            let distance = f64::from(grid.get(row, column));
            let (next, share) = match way {
                0 => (came(0)?, 2.0),
                1 => (came(1)?, 1.0),
                way if way == limit + 1 => (came(2)?, 1.0),
                way => (way as u8 - 1, 1.0),
            };
            sum += share * distance;
            weight += share;
            if way == 0 {
                if next == START {
                    break;
                }
                cell = [row.checked_sub(1)?, column.checked_sub(1)?];
            } else if way <= limit {
                cell = [row.checked_sub(1)?, column];
            } else {
                cell = [row, column.checked_sub(1)?];
            }
            way = usize::from(next);
        }
        cells.reverse();
        Some(Path {
            cells,
            mean: sum / weight,
        })
    }
}

/// The cheapest of some ways to come to cells, and which it is.
struct Least {
    cost: Vec<f64>,
    way: Vec<u32>,
}

impl Least {
    fn new(width: usize) -> Self {
        Self {
            cost: alloc::vec![0.0; width],
            way: alloc::vec![0; width],
        }
    }

    /// For `count` places from one on.
    fn of(&mut self, ways: &[usize], costs: &Costs, start: usize, count: usize) {
        let (cost, way) = (&mut self.cost[..count], &mut self.way[..count]);
        cost.fill(f64::INFINITY);
        way.fill(0);
        for &own in ways {
            let costs = &costs[own][start..start + count];
            for ((least, way), cost) in cost.iter_mut().zip(way.iter_mut()).zip(costs) {
                let is_less = *cost < *least;
                *least = if is_less { *cost } else { *least };
                *way = if is_less { own as u32 } else { *way };
            }
        }
    }

    fn ways(&self, count: usize) -> Vec<u8> {
        self.way.iter().take(count).map(|way| *way as u8).collect()
    }
}

/// What cells cost by a way: what was before, and their own so many times.
fn put(own: &mut [f64], before: &[f64], costs: &[f64], share: f64) {
    for ((own, before), cost) in own.iter_mut().zip(before).zip(costs) {
        *own = before + share * cost;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::register::cloud::Cloud;
    use glam::Vec3;

    fn grid(rows: usize, columns: usize, seed: u32) -> Grid {
        let cloud = |frames: usize, seed: u32| {
            let number = |at: usize| libm::sinf(at as f32 * 7.13 + seed as f32);
            let places: Vec<Vec3> = (0..frames * 3)
                .map(|at| Vec3::new(number(at), number(at + 1000), number(at + 2000)))
                .collect();
            Cloud::of_points(&places, &[1.0; 3])
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
                let path = best_path(&grid, Ends::Corners, limit);
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
    fn too_different_lengths_have_no_path() {
        assert!(best_path(&grid(2, 20, 1), Ends::Corners, 3).is_none());
    }

    #[test]
    fn free_ends_keep_to_what_is_near() {
        let grid = grid(9, 9, 3);
        let below = 0.5 * f64::from(grid.get(4, 4)) + 0.5;
        let path = best_path(&grid, Ends::Free { below }, 2).unwrap();
        assert!(path.mean < below);
        // Nothing is near enough: a single cell at most, and that one is not below.
        let least = grid.least().unwrap().2;
        let none = best_path(
            &grid,
            Ends::Free {
                below: f64::from(least) * 0.5,
            },
            2,
        );
        assert!(none.is_none_or(|path| path.cells.len() == 1));
    }
}
