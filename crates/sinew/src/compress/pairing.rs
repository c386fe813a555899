//! Pass 7: which joints turn too far from row to row to mix their numbers, and where.
//!
//! Mixing rotations costs more to play than mixing coordinates, so it is done only where it is seen to be needed:
//! between rows that come out too far off, for the joints that bend there.

use super::components::{Bend, Components};
use super::source::Sampled;
use crate::packed::{JointHead, PairedSpans};
use alloc::vec::Vec;

/// Joints that alone may be off by this much of the error allowed are paired without trying.
const SURELY: f64 = 2.0;

/// Moments this near to a row, in rows, are on it.
const ON_ROW: f64 = 1e-3;

pub(super) struct Pairing<'a> {
    bends: &'a [Bend],
    rate: f64,
    /// By joints.
    is_paired: Vec<bool>,
    spans: PairedSpans,
    /// By rows: whether a moment after it came out too far off.
    fails: Vec<bool>,
}

impl<'a> Pairing<'a> {
    pub(super) fn new(parts: &'a Components, sampled: &Sampled, max_error: f64) -> Self {
        let mut pairing = Self {
            bends: &parts.bends,
            rate: sampled.rate,
            is_paired: alloc::vec![false; parts.joints.len()],
            spans: PairedSpans::new(sampled.rows),
            fails: alloc::vec![false; sampled.rows],
        };
        pairing.pair(|bend| bend.metres > SURELY * max_error);
        pairing
    }

    /// Notes that a moment came out too far off.
    pub(super) fn fails_at(&mut self, time: f32) {
        let at = f64::from(time) * self.rate;
        let row = libm::floor(at);
        if (ON_ROW..=1.0 - ON_ROW).contains(&(at - row))
            && let Some(fails) = self.fails.get_mut(row as usize)
        {
            *fails = true;
        }
    }

    /// Pairs joints that bend where moments came out too far off; whether there are any more than before.
    pub(super) fn grow(&mut self) -> bool {
        let fails = core::mem::take(&mut self.fails);
        let has_grown = self.pair(|bend| fails[bend.row]);
        self.fails = fails;
        self.fails.fill(false);
        has_grown
    }

    fn pair(&mut self, is_chosen: impl Fn(&Bend) -> bool) -> bool {
        let mut has_grown = false;
        for bend in self.bends.iter().filter(|bend| is_chosen(bend)) {
            has_grown |= !(self.is_paired[bend.joint] && self.spans.has(bend.row));
            self.is_paired[bend.joint] = true;
            self.spans.set(bend.row);
        }
        has_grown
    }

    /// The joints, with those that are paired marked.
    pub(super) fn joints(&self, parts: &Components) -> Vec<JointHead> {
        let joints = parts.joints.iter().zip(&self.is_paired);
        let joints = joints.map(|(joint, &is_paired)| JointHead {
            is_paired,
            ..*joint
        });
        joints.collect()
    }

    /// Where they are paired.
    pub(super) fn spans(&self) -> PairedSpans {
        if self.is_paired.contains(&true) {
            self.spans.clone()
        } else {
            PairedSpans::default()
        }
    }
}
