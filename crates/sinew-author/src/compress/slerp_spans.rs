//! Pass 7: chooses between which samples rotations are interpolated by slerp.
//!
//! Interpolating MRP coordinates takes about a fifth fewer instructions to decode than slerp, so slerp is chosen only
//! where it is needed: at once where coordinates alone would use half of the error bound half-way between two samples
//! (`midpoint_errors`), and later wherever `verify` finds that the result exceeds the bound. One bit per two samples;
//! `docs/decisions/2026-11-16-packed.md`, *Slerp*.

use super::animated_components::Components;
use alloc::vec::Vec;
use sinew::internal::packed::SlerpSpans;

/// Above this share of the error bound half-way between samples, slerp is chosen at once.
const CHOOSE_THRESHOLD: f64 = 0.5;

/// Below this share of the error bound, slerp would hardly change the error.
const IGNORE_THRESHOLD: f64 = 0.05;

pub(super) struct SlerpSpanSearch<'a> {
    /// By sample, the error of interpolated coordinates half-way to the next, in metres.
    midpoint_errors: &'a [f64],
    is_chosen: Vec<bool>,
    max_error: f64,
}

impl<'a> SlerpSpanSearch<'a> {
    pub(super) fn new(components: &'a Components, max_error: f64) -> Self {
        let midpoint_errors = &components.midpoint_errors;
        Self {
            midpoint_errors,
            is_chosen: midpoint_errors
                .iter()
                .map(|&error| error > CHOOSE_THRESHOLD * max_error)
                .collect(),
            max_error,
        }
    }

    /// Chooses slerp after the samples of which `sample_fails` says that they exceed the error bound. Returns whether
    /// there are more than before.
    pub(super) fn grow(&mut self, sample_fails: &[bool]) -> bool {
        let mut has_grown = false;
        let choices = self
            .is_chosen
            .iter_mut()
            .zip(self.midpoint_errors)
            .zip(sample_fails);
        for ((is_chosen, &error), &fails) in choices {
            if fails && !*is_chosen && error > IGNORE_THRESHOLD * self.max_error {
                *is_chosen = true;
                has_grown = true;
            }
        }
        has_grown
    }

    pub(super) fn spans(&self) -> SlerpSpans {
        let is_chosen = |sample_index: usize| {
            self.is_chosen
                .get(sample_index)
                .is_some_and(|&chosen| chosen)
        };
        marked_spans(self.is_chosen.len(), is_chosen)
    }
}

/// Returns the spans of `sample_count` samples that contain a marked sample.
fn marked_spans(sample_count: usize, is_marked: impl Fn(usize) -> bool) -> SlerpSpans {
    let spans = sample_count.div_ceil(SlerpSpans::SAMPLES);
    let mut bits = alloc::vec![0; SlerpSpans::bytes(sample_count)];
    let mut count = 0;
    for span in 0..spans {
        if (span * SlerpSpans::SAMPLES..(span + 1) * SlerpSpans::SAMPLES).any(&is_marked) {
            bits[span / 8] |= 1 << (span % 8);
            count += 1;
        }
    }
    match count {
        0 => SlerpSpans::Nowhere,
        _ if count == spans => SlerpSpans::Everywhere,
        _ => SlerpSpans::Some(bits),
    }
}
