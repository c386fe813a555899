//! The grid of distances, to be looked at.

use super::grid::Grid;
use super::pair::Pair;
use super::path::{Ends, best_path};
use super::settings::{Motion, RegisterError, RegisterMode, RegisterSettings};
use alloc::vec::Vec;

/// How far every moment of one motion is from every moment of another: what registration looks for a path in.
/// Rows are frames of the first, columns those of the second.
pub struct DistanceGrid {
    grid: Grid,
    rate: f64,
    columns: usize,
}

impl DistanceGrid {
    /// All distances of two motions; of motions whose frames make more than 16 million pairs, those of every
    /// second, fourth, … frame.
    ///
    /// # Errors
    /// As [`register`](super::register), but for what matches.
    pub fn new(
        first: Motion<'_>,
        second: Motion<'_>,
        settings: &RegisterSettings,
    ) -> Result<Self, RegisterError> {
        let pair = Pair::new([first, second], settings)?;
        let (grid, every) = pair.grid();
        let columns = (0..grid.rows()).map(|row| grid.columns(row).end).max();
        Ok(Self {
            grid,
            rate: pair.rate / every as f64,
            columns: columns.unwrap_or(0),
        })
    }

    /// Frames per second of rows and columns.
    pub fn rate(&self) -> f64 {
        self.rate
    }

    /// Frames of the first motion.
    pub fn rows(&self) -> usize {
        self.grid.rows()
    }

    /// Frames of the second motion.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// How far windows about two frames are apart, in metres: the root of the mean square. Infinite out of range.
    pub fn distance(&self, row: usize, column: usize) -> f32 {
        if row >= self.rows() {
            return f32::INFINITY;
        }
        libm::sqrtf(self.grid.get(row, column))
    }

    /// The path that motions are nearest along, cell by cell, with at most `slope` steps of one alone in a row:
    /// from corner to corner, or where it is best for [`RegisterMode::Local`]. Empty where there is none.
    pub fn path(&self, mode: &RegisterMode, slope: usize) -> Vec<[usize; 2]> {
        let ends = match mode {
            RegisterMode::Local { distance } => Ends::Free {
                below: distance * distance,
            },
            _ => Ends::Corners,
        };
        best_path(&self.grid, ends, slope).map_or(Vec::new(), |path| path.cells)
    }
}
