//! Pass 7: between which rows rotations are interpolated by slerp.
//!
//! Interpolating coordinates is cheaper to play than slerp, so that slerp is chosen only where it is needed: where
//! coordinates alone would be off by more than may be, and where the result is seen to be off by more than may be.

use super::animated_components::Components;
use alloc::vec::Vec;
use sinew::internal::packed::SlerpSpans;

/// Where a joint is off by more than this part of the error allowed half-way between rows, slerp is chosen at once.
const SURELY: f64 = 0.5;

/// Where joints are off by less than this part of the error allowed, slerp would change nothing.
const HARDLY: f64 = 0.05;

pub(super) struct SlerpSpanSearch<'a> {
    /// By rows, how far coordinates are off half-way to the next.
    bends: &'a [f64],
    is_chosen: Vec<bool>,
    max_error: f64,
}

impl<'a> SlerpSpanSearch<'a> {
    pub(super) fn new(parts: &'a Components, max_error: f64) -> Self {
        let bends = &parts.bends;
        Self {
            bends,
            is_chosen: bends
                .iter()
                .map(|&bend| bend > SURELY * max_error)
                .collect(),
            max_error,
        }
    }

    /// Chooses slerp after rows for which `is_off` says that they are off by more than may be; whether there are any
    /// more than before.
    pub(super) fn grow(&mut self, is_off: &[bool]) -> bool {
        let mut has_grown = false;
        let rows = self.is_chosen.iter_mut().zip(self.bends).zip(is_off);
        for ((is_chosen, &bend), &is_off) in rows {
            if is_off && !*is_chosen && bend > HARDLY * self.max_error {
                *is_chosen = true;
                has_grown = true;
            }
        }
        has_grown
    }

    pub(super) fn spans(&self) -> SlerpSpans {
        let is_chosen = |row: usize| self.is_chosen.get(row).is_some_and(|&chosen| chosen);
        SlerpSpans::new(self.is_chosen.len(), is_chosen)
    }
}
