//! Rows as small as they get: predicted from those before, what is missed in Rice codes.
//!
//! A segment is 64 rows and is unpacked as a whole. Its first row, the *anchor*, is written by itself, so that
//! the row after a segment can be had without unpacking the next. Then come the components by groups of eight.
//! A Rice code is a number of low bits, as many for every residual of a component, and what is above them in
//! unary. The two are apart: where low bits are is known beforehand, and what is unary is read eight bits at a
//! time, so that nothing waits for the length of the code before it.
//!
//! ```text
//! words     u32, bits lowest first, without gaps
//! segment   ┃ anchor of component 0, 1, 2, … ┃ group 0 ┃ group 1 ┃ …
//! group     ┃ heads ┃ low bits ┃ unary ┃ escapes ┃, each for component 0, 1, … 7 of the group
//! head      ┃ code: 4 bits ┃ predictor: 2 bits ┃ first differences that it needs ┃
//! low bits  ┃ those of residual 0, 1, 2, … ┃, or of sparse ones a bit for each four: whether one is not zero
//! unary     ┃ as many zeros as a number says, and a one ┃, not for what is sparse and zero
//! escapes   ┃ what is above the low bits, in full ┃ for each residual whose unary number is the longest
//! ```
#![allow(missing_docs, reason = "shared with sinew-author only")]

mod head;
mod kernel;
mod low;
mod pack;
mod reference;
#[cfg(test)]
mod tests;
mod unary;

pub use pack::pack;

use super::bits::{BitReader, unzigzag};
use crate::simd::{self, LANES, SimdLevel};
use alloc::borrow::Cow;
use alloc::vec::Vec;
use core::ops::Range;

/// Rows of a segment.
const SEGMENT: usize = 64;

/// A code that says that residuals come in fours, those of four zeros as one bit.
const SPARSE: u32 = 13;

/// A code for the widest residuals.
const WIDE: u32 = 14;

/// A code for a component that stays as it is.
const STILL: u32 = 15;

/// Residuals that share a bit in a sparse component.
const SPARSE_GROUP: usize = 4;

/// The low bits of the widest residuals.
const WIDE_BITS: u32 = 18;

/// Unary numbers end here; what is larger is written in full.
const ESCAPE: u32 = 20;

/// The largest whole number of a row. Twice its size still has a sign to spare.
pub const LARGEST: i32 = (1 << 28) - 1;

/// How the next value is guessed from those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Predictor {
    /// It stays.
    Hold,
    /// It goes on at half its pace.
    Slow,
    /// It goes on.
    Line,
    /// It goes on, and its pace changes as before.
    Parabola,
}

const PREDICTORS: [Predictor; 4] = [
    Predictor::Hold,
    Predictor::Slow,
    Predictor::Line,
    Predictor::Parabola,
];

impl Predictor {
    /// Rows that must be known, the anchor included.
    const fn known(self) -> usize {
        match self {
            Self::Hold => 1,
            Self::Slow | Self::Line => 2,
            Self::Parabola => 3,
        }
    }
}

/// Rows in Rice codes.
#[derive(Clone, Debug)]
pub struct SmallRows<'a> {
    pub words: Cow<'a, [u32]>,
    /// For each segment, the bit at which it begins and the one at which its groups do.
    pub starts: Cow<'a, [[u32; 2]]>,
    pub orders: Orders,
    pub rows: u32,
    /// How many components there are.
    pub components: usize,
}

/// The orders of the exponential Golomb codes of anchors, of first differences and of second ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Orders(pub(crate) [u8; 3]);

impl Orders {
    pub const MAX: u8 = 24;

    fn get(self, which: usize) -> u32 {
        u32::from(self.0[which])
    }
}

impl SmallRows<'_> {
    /// Rows of a segment.
    pub const SEGMENT: usize = SEGMENT;

    /// Unpacks a segment, and the row after it, to rows of groups of eight components.
    pub fn unpack(&self, level: SimdLevel, segment: usize, out: &mut [[f32; LANES]]) {
        let Some(&[start, rest]) = self.starts.get(segment) else {
            return;
        };
        let count = self.count(segment);
        if count == 0 {
            return;
        }
        let at = |bit: u32| BitReader::at(&self.words, bit as usize);
        let (mut anchors, mut rest) = (at(start), at(rest));
        simd::dispatch!(
            level,
            off => reference::unpack(self, &mut anchors, &mut rest, count, out),
            simd => kernel::unpack(simd, self, &mut anchors, &mut rest, count, out)
        );
        let Some(&[next, _]) = self.starts.get(segment + 1) else {
            return;
        };
        let mut anchors = at(next);
        let rows = out.iter_mut().skip(count * self.groups());
        for (group, row) in groups(self.components).zip(rows) {
            for value in row.iter_mut().take(group.len()) {
                *value = unzigzag(anchors.exp_golomb(self.orders.get(0))) as f32;
            }
        }
    }

    /// How many groups components make.
    pub const fn groups(&self) -> usize {
        self.components.div_ceil(LANES)
    }

    /// Rows of a segment.
    fn count(&self, segment: usize) -> usize {
        (self.rows as usize)
            .saturating_sub(segment * SEGMENT)
            .min(SEGMENT)
    }

    /// The bits of each component.
    pub fn component_bits(&self) -> Vec<f64> {
        let mut bits = alloc::vec![0.0; self.components];
        for (segment, &[start, rest]) in self.starts.iter().enumerate() {
            let mut anchors = BitReader::at(&self.words, start as usize);
            for bits in &mut bits {
                let before = anchors.position();
                anchors.exp_golomb(self.orders.get(0));
                *bits += (anchors.position() - before) as f64;
            }
            let mut rest = BitReader::at(&self.words, rest as usize);
            for group in groups(self.components) {
                let count = self.count(segment);
                let read = reference::read_group(&mut rest, group.len(), count, self.orders);
                for (bits, column) in bits[group].iter_mut().zip(read.iter().flatten()) {
                    *bits += column.bits as f64;
                }
            }
        }
        bits
    }
}

/// The components of each group.
fn groups(components: usize) -> impl Iterator<Item = Range<usize>> {
    let firsts = (0..components).step_by(LANES);
    firsts.map(move |first| first..(first + LANES).min(components))
}
