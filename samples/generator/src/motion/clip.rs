//! Frames of joint angles → a motion.

use super::body::Row;
use super::figure::{Figure, rounded};
use sinew_formats::amc::{Amc, FrameRun};

/// Steps to a degree, and to a unit of length: finer than 0.02 mm at the end of any limb.
const STEPS: f64 = 1e4;

/// A motion.
pub(super) struct Clip {
    pub(super) name: &'static str,
    rate: f64,
    rows: Vec<Row>,
}

impl Clip {
    /// Frames 0 to `last` at `rate` per second.
    pub(super) fn new(
        name: &'static str,
        rate: f64,
        last: usize,
        row: impl FnMut(usize) -> Row,
    ) -> Self {
        Self {
            name,
            rate,
            rows: (0..=last).map(row).collect(),
        }
    }

    /// The motion as a file says it.
    pub(super) fn amc(&self, figure: &Figure) -> Amc {
        let mut amc = Amc::new(&figure.asf, self.rate);
        amc.frames = vec![FrameRun {
            first: 1,
            count: self.rows.len() as u32,
        }];
        for (index, track) in amc.tracks.iter_mut().enumerate() {
            for (dof, values) in track.values.iter_mut().enumerate() {
                let angles = self.rows.iter().map(|row| rounded(row[index][dof], STEPS));
                values.extend(angles);
            }
        }
        amc
    }
}
