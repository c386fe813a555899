//! The distance grid of two motions, for plots and analysis.
//!
//! Computes the whole [`Grid`] that registration searches, with the threshold and the DTW path, at the rate of the frames or a
//! half, a quarter, … of it if there are more than 16 million cells.

use super::dtw::{Ends, dtw_path};
use super::grid::Grid;
use super::pairwise::PairwiseRegistration;
use super::settings::{RegisterError, RegisterMode, RegisterSettings};
use super::threshold::RowMinima;
use alloc::vec::Vec;
use sinew::registration::Motion;

/// The distance of every pose of one motion from every pose of another, in which registration searches a path.
/// Rows are frames of the first motion, columns those of the second.
pub struct DistanceGrid {
    grid: Grid,
    rate: f64,
    columns: usize,
    threshold: f64,
}

impl DistanceGrid {
    /// All distances of two motions; if there are more than 16 million pairs, those of every second, fourth, … frame.
    ///
    /// # Errors
    /// As [`register`](super::register), except [`RegisterError::NoMatch`].
    pub fn new(
        first: Motion<'_>,
        second: Motion<'_>,
        settings: &RegisterSettings,
    ) -> Result<Self, RegisterError> {
        let pair = PairwiseRegistration::new([first, second], settings)?;
        let (grid, stride) = pair.grid();
        let threshold = RowMinima::of(&grid).threshold(pair.size(), pair.half_step());
        let columns = (0..grid.rows()).map(|row| grid.columns(row).end).max();
        Ok(Self {
            grid,
            rate: pair.rate / stride as f64,
            columns: columns.unwrap_or(0),
            threshold: libm::sqrt(threshold),
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

    /// The root-mean-square distance of the windows around two frames, in metres. Infinite if out of range.
    pub fn distance(&self, row: usize, column: usize) -> f32 {
        if row >= self.rows() {
            return f32::INFINITY;
        }
        libm::sqrtf(self.grid.get(row, column))
    }

    /// The threshold that [`RegisterMode::Local`] derives from the grid, in metres.
    pub fn threshold(&self) -> f64 {
        self.threshold
    }

    /// The DTW path, cell by cell: with free ends for [`RegisterMode::Local`], from corner to corner for other modes. Empty
    /// if there is none.
    pub fn path(&self, settings: &RegisterSettings) -> Vec<[usize; 2]> {
        let ends = match settings.mode {
            RegisterMode::Local => {
                let distance = settings.max_distance.unwrap_or_else(|| self.threshold());
                Ends::Free {
                    below: distance * distance,
                }
            }
            _ => Ends::Corners,
        };
        dtw_path(&self.grid, ends, settings.slope).map_or(Vec::new(), |path| path.cells)
    }
}
