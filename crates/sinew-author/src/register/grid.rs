//! The distance grid: the distance of every frame of one motion from every frame of another.
//!
//! A cell is the mean square distance of the windows around two frames, after the best ground transform of the whole window
//! (`procrustes`; Kovar and Gleicher 2003, with even weights):
//!
//! ```text
//! cell(i, j) = min over T of  Σ |p(i+k) - T q(j+k)|² / (2 reach + 1),      k = -reach ..= reach
//! ```
//!
//! Windows of cells on one diagonal overlap in all frames but two, so the sums of products run along diagonals: a cell costs one
//! pair of frames, whatever the window. Eight neighbouring diagonals (a [`Tile`]) are computed at once, in SIMD lanes. Products of
//! points are summed in `f32`, everything that runs in `f64`. A scalar reference with the same order of operations gives the
//! same bits; a test compares them. `docs/decisions/2026-11-16-registration.md`, *Windows*, says why weights are even here.

use super::point_cloud::{PADDING, PointCloud};
use super::procrustes::AlignmentSums;
use alloc::vec::Vec;
use core::ops::Range;
use fearless_simd::prelude::*;
use fearless_simd::{f32x8, f64x4};
use sinew::simd::{self, LANES, SimdLevel};

/// Mean square distances of the windows around pairs of frames, in square metres, for a range of columns per row. Rows are
/// frames of the first motion, columns those of the second.
pub(crate) struct Grid {
    /// The columns of each row.
    columns: Vec<Range<usize>>,
    /// The index of each row's first cell in `cells`.
    starts: Vec<usize>,
    cells: Vec<f32>,
}

impl Grid {
    /// Computes the distances of the given columns of each row. Windows have `reach` frames to either side; at the ends
    /// they are cut to the frames that both motions have.
    pub(crate) fn new(
        a: &PointCloud,
        b: &PointCloud,
        reach: usize,
        columns: Vec<Range<usize>>,
    ) -> Self {
        Self::with(SimdLevel::best(), a, b, reach, columns)
    }

    pub(super) fn with(
        level: SimdLevel,
        a: &PointCloud,
        b: &PointCloud,
        reach: usize,
        columns: Vec<Range<usize>>,
    ) -> Self {
        let mut starts = Vec::with_capacity(columns.len());
        let mut cells = 0;
        for range in &columns {
            starts.push(cells);
            cells += range.len();
        }
        let mut grid = Self {
            columns,
            starts,
            cells: alloc::vec![f32::INFINITY; cells],
        };
        // Eight diagonals at a time: neighbouring cells of a row, whose windows advance together.
        let filled = || {
            let rows = grid.columns.iter().enumerate();
            rows.filter(|(_, range)| !range.is_empty())
        };
        let first = filled().map(|(row, range)| range.start as isize - row as isize);
        let end = filled().map(|(row, range)| range.end as isize - row as isize);
        let diagonals = first.min().unwrap_or(0)..end.max().unwrap_or(0);
        let mut tile = Tile::new(reach);
        for diagonal in diagonals.step_by(LANES) {
            let rows = grid.rows_of(diagonal);
            if rows.is_empty() {
                continue;
            }
            simd::dispatch!(
                level,
                off => tile.fill(&Reference, a, b, diagonal, rows, &mut grid),
                simd => tile.fill(&Kernel(simd), a, b, diagonal, rows, &mut grid)
            );
        }
        grid
    }

    /// A grid of given distances.
    pub(super) fn from_cells(
        rows: usize,
        columns: usize,
        cell: impl Fn(usize, usize) -> f32,
    ) -> Self {
        let mut cells = Vec::with_capacity(rows * columns);
        for row in 0..rows {
            cells.extend((0..columns).map(|column| cell(row, column)));
        }
        Self {
            columns: alloc::vec![0..columns; rows],
            starts: (0..rows).map(|row| row * columns).collect(),
            cells,
        }
    }

    /// All columns of all rows.
    pub(super) fn all(a: &PointCloud, b: &PointCloud) -> Vec<Range<usize>> {
        alloc::vec![0..b.frames; a.frames]
    }

    pub(super) fn rows(&self) -> usize {
        self.columns.len()
    }

    /// The columns that a row has.
    pub(crate) fn columns(&self, row: usize) -> Range<usize> {
        self.columns[row].clone()
    }

    /// The distances of a row.
    pub(crate) fn row(&self, row: usize) -> &[f32] {
        &self.cells[self.starts[row]..self.starts[row] + self.columns[row].len()]
    }

    /// The distance of a cell; infinite if the grid does not have it.
    pub(crate) fn get(&self, row: usize, column: usize) -> f32 {
        let columns = &self.columns[row];
        if columns.contains(&column) {
            self.cells[self.starts[row] + column - columns.start]
        } else {
            f32::INFINITY
        }
    }

    /// Replaces each distance by the minimum of it and that of another grid of no more rows and columns.
    pub(super) fn take_minimum(&mut self, other: &Self) {
        let rows = self.columns.iter().zip(&self.starts).zip(&other.columns);
        for (row, ((range, &start), other_range)) in rows.enumerate() {
            let shared = range.start.max(other_range.start)..range.end.min(other_range.end);
            if shared.is_empty() {
                continue;
            }
            let from = start + shared.start - range.start;
            let cells = self.cells[from..].iter_mut().take(shared.len());
            let others = &other.row(row)[shared.start - other_range.start..];
            for (cell, other) in cells.zip(others) {
                *cell = cell.min(*other);
            }
        }
    }

    /// The smallest distance, with its row and column.
    pub(super) fn least(&self) -> Option<(usize, usize, f32)> {
        let mut least: Option<(usize, usize, f32)> = None;
        for row in 0..self.rows() {
            for (column, &distance) in self.columns(row).zip(self.row(row)) {
                if least.is_none_or(|(_, _, known)| distance < known) {
                    least = Some((row, column, distance));
                }
            }
        }
        least
    }

    /// The rows that have a cell on one of eight diagonals.
    fn rows_of(&self, diagonal: isize) -> Range<usize> {
        let has = |row: &usize| {
            let columns = &self.columns[*row];
            let first = *row as isize + diagonal;
            let last = first + LANES as isize - 1;
            !columns.is_empty() && last >= columns.start as isize && first < columns.end as isize
        };
        let first = (0..self.rows()).find(has);
        let last = (0..self.rows()).rev().find(has);
        match (first, last) {
            (Some(first), Some(last)) => first..last + 1,
            _ => 0..0,
        }
    }
}

/// Sums of products of a pair of frames, for eight diagonals: cosine, sine, height.
type Products = [[f64; LANES]; 3];

/// Eight neighbouring diagonals.
struct Tile {
    reach: usize,
    /// A ring buffer of the products of the last `2 reach + 2` rows: a window, and the row that leaves it.
    ring: Vec<Products>,
}

impl Tile {
    fn new(reach: usize) -> Self {
        Self {
            reach,
            ring: alloc::vec![[[0.0; LANES]; 3]; 2 * reach + 2],
        }
    }

    #[inline(always)]
    fn fill(
        &mut self,
        lanes: &impl Lanes,
        a: &PointCloud,
        b: &PointCloud,
        diagonal: isize,
        rows: Range<usize>,
        grid: &mut Grid,
    ) {
        let reach = self.reach;
        let first = rows.start.saturating_sub(reach);
        let mut sums: Products = [[0.0; LANES]; 3];
        self.ring.fill([[0.0; LANES]; 3]);
        for ahead in first..rows.end + reach {
            // The slots of the row that enters the window, and of the one that leaves it.
            let (enters, leaves) = (ahead % self.ring.len(), (ahead + 1) % self.ring.len());
            let column = ahead as isize + diagonal;
            let is_inside =
                ahead < a.frames && column > -(LANES as isize) && column < b.frames as isize;
            self.ring[enters] = if is_inside {
                products(lanes, a, b, ahead, (column + PADDING as isize) as usize)
            } else {
                [[0.0; LANES]; 3]
            };
            let added = self.ring[enters].as_flattened();
            let removed = self.ring[leaves].as_flattened();
            for (sum, (added, removed)) in sums
                .as_flattened_mut()
                .iter_mut()
                .zip(added.iter().zip(removed))
            {
                // One addition: the sum is unchanged, bit for bit, if equal products enter and leave.
                *sum += added - removed;
            }
            // The window around `row` is complete with the frame `reach` ahead of it.
            let Some(row) = ahead.checked_sub(reach).filter(|row| *row >= rows.start) else {
                continue;
            };
            let columns = grid.columns[row].clone();
            let start = grid.starts[row];
            let first = row as isize + diagonal;
            // Eight complete windows: the sums of the first motion are the same for all.
            let is_whole = row >= reach
                && row + reach < a.frames
                && first >= (reach.max(columns.start)) as isize
                && first as usize + LANES + reach <= b.frames
                && first as usize + LANES <= columns.end;
            if is_whole {
                let first = first as usize;
                let windows = EightWindows {
                    a,
                    b,
                    row: row - reach..row + reach + 1,
                    column: first - reach,
                    weight: (2 * reach + 1) as f64,
                    products: &sums,
                };
                let cell = start + first - columns.start;
                if let Some(out) = grid.cells.get_mut(cell..cell + LANES) {
                    lanes.distances(&windows, out);
                }
                continue;
            }
            for lane in 0..LANES {
                let column = first + lane as isize;
                if column < columns.start as isize || column >= columns.end as isize {
                    continue;
                }
                let column = column as usize;
                let before = reach.min(row).min(column);
                let after = reach.min(a.frames - 1 - row).min(b.frames - 1 - column);
                let rows = row - before..row + after + 1;
                let others = column - before..column + after + 1;
                let window = window_sums(a, b, rows, others, &sums, lane);
                grid.cells[start + column - columns.start] = window.distance() as f32;
            }
        }
    }
}

/// The sums of a window, from running sums and from the products of one lane.
fn window_sums(
    a: &PointCloud,
    b: &PointCloud,
    rows: Range<usize>,
    columns: Range<usize>,
    products: &Products,
    lane: usize,
) -> AlignmentSums {
    let over = |sums: &[f64], range: &Range<usize>| sums[range.end] - sums[range.start];
    AlignmentSums {
        weight: rows.len() as f64,
        a: [over(&a.sums[0], &rows), over(&a.sums[1], &rows)],
        b: [over(&b.sums[0], &columns), over(&b.sums[1], &columns)],
        cosine: products[0][lane],
        sine: products[1][lane],
        height: products[2][lane],
        squares: over(&a.squares, &rows) + over(&b.squares, &columns),
    }
}

/// Complete windows around a row and eight neighbouring columns.
struct EightWindows<'a> {
    a: &'a PointCloud,
    b: &'a PointCloud,
    row: Range<usize>,
    /// The first column of the first window.
    column: usize,
    weight: f64,
    products: &'a Products,
}

impl EightWindows<'_> {
    fn distances_reference(&self, out: &mut [f32]) {
        for (lane, out) in out.iter_mut().enumerate() {
            let from = self.column + lane;
            let other = from..from + self.row.len();
            let sums = window_sums(self.a, self.b, self.row.clone(), other, self.products, lane);
            *out = sums.distance() as f32;
        }
    }

    /// [`AlignmentSums::distance`], four columns at a time.
    #[inline(always)]
    fn distances_kernel<S: Simd>(&self, simd: S, out: &mut [f32]) {
        let width = self.row.len();
        let over = |sums: &[f64]| sums[self.row.end] - sums[self.row.start];
        let splat = |number: f64| f64x4::splat(simd, number);
        let [ax, az] = [over(&self.a.sums[0]), over(&self.a.sums[1])];
        let squares = splat(over(&self.a.squares));
        let middles = splat(ax * ax + az * az);
        let inverse = splat(1.0 / self.weight);
        let (ax, az, two) = (splat(ax), splat(az), splat(2.0));
        for (half, out) in out.chunks_exact_mut(4).enumerate() {
            let first = self.column + 4 * half;
            let running = |sums: &[f64]| {
                let (Some(to), Some(from)) = (four(sums, first + width), four(sums, first)) else {
                    return splat(0.0);
                };
                f64x4::simd_from(simd, *to) - f64x4::simd_from(simd, *from)
            };
            let product = |number: usize| {
                let lanes: [f64; 4] =
                    core::array::from_fn(|lane| self.products[number][4 * half + lane]);
                f64x4::simd_from(simd, lanes)
            };
            let (bx, bz) = (running(&self.b.sums[0]), running(&self.b.sums[1]));
            let cosine = product(0) - (ax * bx + az * bz) * inverse;
            let sine = product(1) - (ax * bz - az * bx) * inverse;
            let middles = middles + bx * bx + bz * bz;
            let left = (squares + running(&self.b.squares))
                - two * product(2)
                - middles * inverse
                - two * (cosine * cosine + sine * sine).sqrt();
            let distance: [f64; 4] = (left * inverse).into();
            for (out, distance) in out.iter_mut().zip(distance) {
                *out = distance.max(0.0) as f32;
            }
        }
    }
}

#[inline(always)]
fn four(numbers: &[f64], first: usize) -> Option<&[f64; 4]> {
    numbers.get(first..first + 4)?.first_chunk()
}

/// The arithmetic of eight cells.
trait Lanes {
    /// The products of the centered points of a frame with those of eight others from a padded column on: cosine, sine,
    /// height.
    fn centered(
        &self,
        a: &PointCloud,
        b: &PointCloud,
        row: usize,
        column: usize,
    ) -> [[f32; LANES]; 3];

    fn distances(&self, eight: &EightWindows<'_>, out: &mut [f32]);
}

/// Scalar arithmetic.
struct Reference;

impl Lanes for Reference {
    fn centered(
        &self,
        a: &PointCloud,
        b: &PointCloud,
        row: usize,
        column: usize,
    ) -> [[f32; LANES]; 3] {
        let mut out = [[0.0; LANES]; 3];
        for (point, &[x, y, z]) in a.centered(row).iter().enumerate() {
            let Some([xs, ys, zs]) = eight_frames(b, point, column) else {
                return out;
            };
            for lane in 0..LANES {
                let (bx, by, bz) = (xs[lane], ys[lane], zs[lane]);
                out[0][lane] += x * bx + z * bz;
                out[1][lane] += x * bz - z * bx;
                out[2][lane] += y * by;
            }
        }
        out
    }

    fn distances(&self, eight: &EightWindows<'_>, out: &mut [f32]) {
        eight.distances_reference(out);
    }
}

/// SIMD.
struct Kernel<S>(S);

impl<S: Simd> Lanes for Kernel<S> {
    #[inline(always)]
    fn centered(
        &self,
        a: &PointCloud,
        b: &PointCloud,
        row: usize,
        column: usize,
    ) -> [[f32; LANES]; 3] {
        let simd = self.0;
        let mut out = [[0.0; LANES]; 3];
        let zero = f32x8::splat(simd, 0.0);
        let (mut cosine, mut sine, mut height) = (zero, zero, zero);
        for (point, &[x, y, z]) in a.centered(row).iter().enumerate() {
            let Some(coordinates) = eight_frames(b, point, column) else {
                return out;
            };
            let [bx, by, bz] = coordinates.map(|numbers| simd::load(simd, numbers));
            let (x, y, z) = (
                f32x8::splat(simd, x),
                f32x8::splat(simd, y),
                f32x8::splat(simd, z),
            );
            cosine += x * bx + z * bz;
            sine += x * bz - z * bx;
            height += y * by;
        }
        simd::store_rows([cosine, sine, height], &mut out);
        out
    }

    #[inline(always)]
    fn distances(&self, eight: &EightWindows<'_>, out: &mut [f32]) {
        eight.distances_kernel(self.0, out);
    }
}

/// The products of a frame with eight others from a padded column on, relative to the origins. Products of centered points
/// and of centroids are added: `Σ w (c + m)(d + n) = Σ w c d + m n`, since centered points sum to zero.
#[inline(always)]
fn products(
    lanes: &impl Lanes,
    a: &PointCloud,
    b: &PointCloud,
    row: usize,
    column: usize,
) -> Products {
    let centered = lanes.centered(a, b, row, column);
    let [x, z] = a.centroid(row);
    let mut products = [[0.0; LANES]; 3];
    let [xs, zs] = &b.centroids;
    let eight = xs[column..column + LANES]
        .iter()
        .zip(&zs[column..column + LANES]);
    for (lane, (bx, bz)) in eight.enumerate() {
        products[0][lane] = f64::from(centered[0][lane]) + (x * bx + z * bz);
        products[1][lane] = f64::from(centered[1][lane]) + (x * bz - z * bx);
        products[2][lane] = f64::from(centered[2][lane]);
    }
    products
}

/// The x, y and z of a centered point in eight frames from a padded column on.
#[inline(always)]
fn eight_frames(cloud: &PointCloud, point: usize, column: usize) -> Option<[&[f32; LANES]; 3]> {
    let first = point * (cloud.frames + 2 * PADDING) + column;
    let [x, y, z] = &cloud.columns;
    Some([eight(x, first)?, eight(y, first)?, eight(z, first)?])
}

#[inline(always)]
fn eight(numbers: &[f32], first: usize) -> Option<&[f32; LANES]> {
    numbers.get(first..first + LANES)?.first_chunk()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::register::point_cloud::PointCloudFrame;
    use glam::Vec3;

    fn cloud(seed: u32, frames: usize, points: usize) -> PointCloud {
        let number = |index: usize, axis: usize| {
            let x = (index * 3 + axis) as f32 * 12.9898 + seed as f32 * 78.233;
            libm::sinf(x) * 2.0
        };
        let positions: Vec<Vec3> = (0..frames * points)
            .map(|index| Vec3::new(number(index, 0), number(index, 1), number(index, 2)))
            .collect();
        PointCloud::of_points(&positions, &alloc::vec![1.0; points])
    }

    #[test]
    fn kernel_and_reference_agree_to_the_bit() {
        for (points, rows, columns) in
            [(1, 3, 3), (3, 9, 17), (4, 20, 8), (5, 33, 31), (67, 12, 40)]
        {
            let (a, b) = (cloud(1, rows, points), cloud(2, columns, points));
            let reference = Grid::with(SimdLevel::OFF, &a, &b, 4, Grid::all(&a, &b));
            for level in SimdLevel::all() {
                let grid = Grid::with(level, &a, &b, 4, Grid::all(&a, &b));
                let bits = |grid: &Grid| {
                    grid.cells
                        .iter()
                        .map(|cell| cell.to_bits())
                        .collect::<Vec<_>>()
                };
                assert_eq!(bits(&grid), bits(&reference), "{points} points, {level:?}");
            }
        }
    }

    #[test]
    fn cells_are_sums_over_windows_as_far_as_both_have_frames() {
        let (a, b) = (cloud(3, 12, 6), cloud(4, 15, 6));
        let reach = 3;
        let grid = Grid::new(&a, &b, reach, Grid::all(&a, &b));
        let (mut first, mut second) = (PointCloudFrame::default(), PointCloudFrame::default());
        for row in 0..12usize {
            for column in 0..15usize {
                let mut sums = AlignmentSums::default();
                for step in 0..=2 * reach {
                    let row = (row + step).checked_sub(reach).filter(|row| *row < 12);
                    let column = (column + step).checked_sub(reach);
                    let column = column.filter(|column| *column < 15);
                    if let (Some(row), Some(column)) = (row, column) {
                        a.interpolate(row as f64, &mut first);
                        b.interpolate(column as f64, &mut second);
                        sums.add(&first, &second, 1.0);
                    }
                }
                let error = f64::from(grid.get(row, column)) - sums.distance();
                assert!(error.abs() < 1e-5, "{row} {column}: {error}");
            }
        }
        assert_eq!(grid.get(0, 15), f32::INFINITY);
    }

    #[test]
    fn a_band_has_the_cells_of_the_whole() {
        let (a, b) = (cloud(5, 40, 4), cloud(6, 50, 4));
        let whole = Grid::new(&a, &b, 2, Grid::all(&a, &b));
        let bands = (0..40usize)
            .map(|row| row.saturating_sub(3)..(row + 5).min(50))
            .collect();
        let band = Grid::new(&a, &b, 2, bands);
        for row in 0..40 {
            for column in band.columns(row) {
                let error = band.get(row, column) - whole.get(row, column);
                assert!(error.abs() < 1e-5, "{row} {column}: {error}");
            }
        }
    }
}
