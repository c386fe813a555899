//! Rice-coded samples: linear prediction of each component, and Rice codes of the residuals. The smallest codec.
//!
//! A segment is 64 samples and is decoded as a whole. Its first sample, the *anchor*, is stored separately, so the
//! sample after a segment is available without decoding the next segment. Every other value `x[i]` is the prediction of
//! its component's [`Predictor`] plus a residual, in integers after quantization:
//!
//! ```text
//! r[i] = x[i] - p(x[i-1], x[i-2], x[i-3]),   u = zigzag(r) = 2r if r >= 0, else -2r - 1
//! Rice code of u with k low bits:   u mod 2^k in k bits,   u >> k in unary
//! ```
//!
//! The encoder, in `sinew-author`, chooses the predictor and `k` per component and segment. Rice codes suit residuals,
//! whose distribution is nearly geometric. Low bits and unary parts are stored apart: the positions of the low bits are
//! known in advance, and unary parts are decoded eight bits at a time by table. No step waits for the length of the
//! preceding code.
//!
//! Cost per sample of 31 joints (AVX2): 49,599 instructions at random times, when each sample decodes a segment; 3,112
//! sequentially, because a cursor keeps the decoded segment.
//!
//! ```text
//! words     u32, lowest bit first, without gaps
//! segment   ┃ anchor of component 0, 1, 2, … ┃ group 0 ┃ group 1 ┃ …
//! group     ┃ heads ┃ low bits ┃ unary ┃ escapes ┃, each for component 0, 1, … 7 of the group
//! head      ┃ code: 4 bits ┃ predictor: 2 bits ┃ first differences that the predictor needs ┃
//! low bits  ┃ of residual 0, 1, 2, … ┃; of sparse components one bit per four residuals: 1 if any is not zero
//! unary     ┃ u >> k zeros, and a one ┃; omitted for the zero fours of sparse components
//! escapes   ┃ u >> k in full ┃ for each residual whose unary part is the maximum
//! ```
#![allow(missing_docs, reason = "shared with sinew-author only")]

mod head;
mod kernel;
mod low;
mod reference;
#[cfg(test)]
mod tests;
mod unary;

use super::bits::{BitReader, unzigzag};
use crate::simd::{self, LANES, SimdLevel};
use alloc::borrow::Cow;
use alloc::vec::Vec;
use core::ops::Range;

/// Samples per segment.
pub const SEGMENT: usize = 64;

/// The code of a sparse component: four zero residuals are stored as one bit.
pub const SPARSE: u32 = 13;

/// The code of the widest residuals.
pub const WIDE: u32 = 14;

/// The code of a component that is constant in its segment.
pub const CONSTANT: u32 = 15;

/// Residuals that share a bit in a sparse component.
pub const SPARSE_GROUP: usize = 4;

/// The number of low bits of the widest residuals.
pub const WIDE_BITS: u32 = 18;

/// The maximum unary part; larger ones are stored in full as escapes.
pub const ESCAPE: u32 = 20;

/// The largest magnitude of a quantized value. Its double still fits an `i32`.
pub const LARGEST: i32 = (1 << 28) - 1;

/// The linear prediction of the next value from the preceding ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Predictor {
    /// `x[i-1]`: order 0.
    Previous,
    /// `x[i-1] + d / 2`, rounded, with `d = x[i-1] - x[i-2]`: half the last difference.
    HalfLinear,
    /// `x[i-1] + d`: order 1, linear extrapolation.
    Linear,
    /// `x[i-1] + 2 d - d'`, with `d' = x[i-2] - x[i-3]`: order 2, quadratic extrapolation.
    Quadratic,
}

pub const PREDICTORS: [Predictor; 4] = [
    Predictor::Previous,
    Predictor::HalfLinear,
    Predictor::Linear,
    Predictor::Quadratic,
];

impl Predictor {
    /// Returns the number of leading samples that are stored without prediction, the anchor included.
    pub const fn known(self) -> usize {
        match self {
            Self::Previous => 1,
            Self::HalfLinear | Self::Linear => 2,
            Self::Quadratic => 3,
        }
    }
}

/// Rice-coded samples.
#[derive(Clone, Debug)]
pub struct SmallSamples<'a> {
    pub words: Cow<'a, [u32]>,
    /// For each segment, the bit offsets of its anchors and of its groups.
    pub starts: Cow<'a, [[u32; 2]]>,
    pub orders: Orders,
    pub sample_count: u32,
    /// The number of components.
    pub components: usize,
}

/// The orders of the exponential Golomb codes of anchors, first differences and second differences.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Orders(pub [u8; 3]);

impl Orders {
    pub const MAX: u8 = 24;

    pub fn get(self, which: usize) -> u32 {
        u32::from(self.0[which])
    }
}

impl SmallSamples<'_> {
    /// Samples per segment.
    pub const SEGMENT: usize = SEGMENT;

    /// Decodes a segment and the sample after it, each sample by groups of eight components.
    pub fn unpack(&self, level: SimdLevel, segment: usize, out: &mut [[f32; LANES]]) {
        let Some(&[start, rest]) = self.starts.get(segment) else {
            return;
        };
        let count = self.count(segment);
        if count == 0 {
            return;
        }
        let reader_at = |bit: u32| BitReader::at(&self.words, bit as usize);
        let (mut anchors, mut rest) = (reader_at(start), reader_at(rest));
        simd::dispatch!(
            level,
            off => reference::unpack(self, &mut anchors, &mut rest, count, out),
            simd => kernel::unpack(simd, self, &mut anchors, &mut rest, count, out)
        );
        let Some(&[next, _]) = self.starts.get(segment + 1) else {
            return;
        };
        let mut anchors = reader_at(next);
        let next_sample = out.iter_mut().skip(count * self.groups());
        for (group, lanes) in groups(self.components).zip(next_sample) {
            for value in lanes.iter_mut().take(group.len()) {
                *value = unzigzag(anchors.exp_golomb(self.orders.get(0))) as f32;
            }
        }
    }

    /// Returns the number of groups of eight components.
    pub const fn groups(&self) -> usize {
        self.components.div_ceil(LANES)
    }

    /// Returns the number of samples of a segment.
    fn count(&self, segment: usize) -> usize {
        (self.sample_count as usize)
            .saturating_sub(segment * SEGMENT)
            .min(SEGMENT)
    }

    /// Returns the number of bits of each component.
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

/// Returns the component range of each group.
pub fn groups(components: usize) -> impl Iterator<Item = Range<usize>> {
    let firsts = (0..components).step_by(LANES);
    firsts.map(move |first| first..(first + LANES).min(components))
}
