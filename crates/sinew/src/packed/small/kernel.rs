//! Decodes the Rice codes of residuals and undoes the linear prediction, eight components per SIMD vector.
//! [`super::reference`] is the specification; results are identical.
//!
//! ```text
//! low bits ─by shuffles─┐
//! unary ─ends by table──┴▶ residuals of 8 components x 64 samples ─transposed─▶ wide, escapes ─summed─▶ samples
//! ```
//!
//! Per component and sample: `u = high << k | low`, `r = u >> 1 ^ -(u & 1)`, and then for all eight components of a
//! sample, with the differences `d[i] = x[i] - x[i-1]`,
//!
//! ```text
//! d[i] = r[i] + (d[i-1] & linear) + ((d[i-1] + 1) >> 1 & half) + ((d[i-1] - d[i-2]) & quadratic)
//! x[i] = x[i-1] + d[i]
//! ```
//!
//! The masks select the predictor per lane, so all predictors run without branches. Residuals of a component are
//! decoded in 16-bit lanes, because the low bits of a component are contiguous; samples are summed in 32-bit lanes.
//!
//! Cost per group and segment: 16 table lookups per 128 unary bits, 16 residuals per step of the component loop, and
//! one dependent chain of 63 sample sums. Components wider than [`NARROW`] and escapes take a scalar path; both are
//! rare.

use super::super::bits::{BitReader, unzigzag, window};
use super::head::ColumnHead;
use super::low::{NARROW, SPREADS, bytes_from, gather_bytes, pairs};
use super::unary::{Ends, FIRST, RAMP, no_ends, read_unary};
use super::{ESCAPE, Orders, Predictor, SEGMENT, SPARSE_GROUP, SmallSamples, groups};
use crate::simd::LANES;
use fearless_simd::prelude::*;
use fearless_simd::{f32x8, i16x8, i32x8, u8x16, u16x8};

/// Samples per step of the component loop.
const BLOCK: usize = 16;

/// The decoded residuals of a group in a segment.
struct Tile {
    heads: [ColumnHead; LANES],
    /// For sparse components, a bit per four residuals: 1 if any is not zero.
    fours: [u32; LANES],
    ends: Ends,
    /// For each component, the index in `ends` before that of sample 0.
    places: [usize; LANES],
    /// Residuals of narrow components, by component.
    by_component: [[i16; SEGMENT]; LANES],
    /// Residuals by sample.
    by_sample: [[i32; LANES]; SEGMENT],
}

#[inline(always)]
pub(crate) fn unpack<S: Simd>(
    simd: S,
    samples: &SmallSamples<'_>,
    anchors: &mut BitReader<'_>,
    rest: &mut BitReader<'_>,
    count: usize,
    out: &mut [[f32; LANES]],
) {
    let mut tile = Tile {
        heads: [ColumnHead::CONSTANT; LANES],
        fours: [0; LANES],
        ends: no_ends(),
        places: [0; LANES],
        by_component: [[0; SEGMENT]; LANES],
        by_sample: [[0; LANES]; SEGMENT],
    };
    let group_count = samples.groups();
    for (group_index, group) in groups(samples.components).enumerate() {
        let lanes = group.len().min(LANES);
        let mut values = [0; LANES];
        for value in &mut values[..lanes] {
            *value = unzigzag(anchors.exp_golomb(samples.orders.get(0)));
        }
        tile.read(simd, rest, lanes, count, samples.orders);
        tile.add_up(
            simd,
            values,
            count,
            out.get_mut(group_index..).unwrap_or(&mut []),
            group_count,
        );
    }
}

impl Tile {
    #[inline(always)]
    fn read<S: Simd>(
        &mut self,
        simd: S,
        reader: &mut BitReader<'_>,
        lanes: usize,
        count: usize,
        orders: Orders,
    ) {
        for (lane, head) in self.heads.iter_mut().enumerate() {
            *head = if lane < lanes {
                ColumnHead::read(reader, count, orders)
            } else {
                ColumnHead::CONSTANT
            };
        }
        // Low bits of all components, then their unary parts, then escapes; the heads give the lengths.
        let words = reader.words();
        let low_start = reader.position();
        let mut total = 0;
        for lane in 0..LANES {
            let head = &self.heads[lane];
            // So that sample `i` of this lane is between the ends `places + i` and `places + i + 1`; leading samples,
            // which the head stores, fall on entries of other lanes and are overwritten.
            self.places[lane] = FIRST + total - head.known - 1;
            if head.is_sparse {
                self.fours[lane] = read_fours(words, reader.position(), head.residuals);
                total += sparse_len(self.fours[lane], head.residuals);
            } else {
                total += head.residuals;
            }
            reader.skip(head.low_len());
        }
        let end = read_unary(words, reader.position(), total, &mut self.ends);
        reader.skip(end - reader.position());
        let mut longest = u8x16::splat(simd, 0);
        let mut low = low_start;
        for lane in 0..LANES {
            longest = longest.max(self.column(simd, lane, words, low, count));
            low = low.wrapping_add(self.heads[lane].low_len());
        }
        let (by_component, by_sample) = (&self.by_component, &mut self.by_sample);
        for (block, samples) in by_sample.as_chunks_mut::<LANES>().0.iter_mut().enumerate() {
            if block * LANES >= count {
                break;
            }
            transpose(simd, by_component, block, samples);
        }
        let mut has_escape = u32::from(longest.reduce_max()) >= ESCAPE;
        let mut low = BitReader::at(words, low_start);
        for lane in 0..LANES {
            let head = self.heads[lane];
            if head.is_sparse {
                has_escape |= self.sparse(lane);
            } else if head.low_bits > NARROW {
                self.wide(lane, low);
            }
            low.skip(head.low_len());
            if head.known > 1 {
                self.by_sample[1][lane] = head.begin[0];
            }
            if head.known > 2 {
                self.by_sample[2][lane] = head.begin[1];
            }
        }
        if has_escape {
            self.escapes(reader, low_start);
        }
    }

    /// Decodes the residuals of a component from its unary parts and its low bits, which start at bit `low`. Returns
    /// lane-wise maxima of the unary parts.
    #[inline(always)]
    fn column<S: Simd>(
        &mut self,
        simd: S,
        lane: usize,
        words: &[u32],
        low: usize,
        count: usize,
    ) -> u8x16<S> {
        let one = u8x16::splat(simd, 1);
        let mut longest = u8x16::splat(simd, 0);
        let head = &self.heads[lane];
        let (mut place, mut bits) = (self.places[lane], head.low_bits as usize);
        if head.is_constant || head.is_sparse {
            // Unary parts of zero and no low bits: residuals of zero, without another loop.
            place = RAMP;
        }
        if bits > NARROW as usize {
            // Only the unary parts are used, to detect escapes.
            bits = 0;
        }
        // Starts at the anchor, as if the leading samples had low bits too.
        let low = low.wrapping_sub(head.known * bits);
        let spread = &SPREADS[bits][low % 8];
        let shuffle = u8x16::load_array_ref(simd, &spread.shuffle);
        let factors = u16x8::load_array_ref(simd, &spread.factors);
        let (up, down) = (bits as u32, (16 - bits as u32).min(15));
        let byte = (low as isize >> 3) as usize;
        let gathered;
        let bytes = match bytes_from(words, byte) {
            Some(bytes) => bytes,
            None => {
                gathered = gather_bytes(words, byte);
                &gathered
            }
        };
        for (block, column) in self.by_component[lane]
            .as_chunks_mut::<BLOCK>()
            .0
            .iter_mut()
            .enumerate()
        {
            if block * BLOCK >= count {
                break;
            }
            let first = place + block * BLOCK;
            let Some(ends) = self.ends.get(first..first + BLOCK + 1) else {
                break;
            };
            let before = u8x16::from_slice(simd, &ends[..BLOCK]);
            // Positions are modulo 256, and so is their difference; a unary part is at most 31.
            let high = u8x16::from_slice(simd, &ends[1..]) - before - one;
            longest = longest.max(high);
            let (high_a, high_b) = simd.widen_u8x16(high);
            let low_a = (pairs(simd, &bytes[2 * block * bits..][..16], shuffle) * factors) >> down;
            let low_b =
                (pairs(simd, &bytes[(2 * block + 1) * bits..][..16], shuffle) * factors) >> down;
            let (first, second) = column.split_at_mut(LANES);
            residual(simd, (high_a << up) | low_a).store_slice(first);
            residual(simd, (high_b << up) | low_b).store_slice(second);
        }
        longest
    }

    /// Returns the unary part of a residual by its sample.
    #[inline(always)]
    fn high(&self, lane: usize, sample_index: usize) -> u32 {
        let before = self.places[lane] + sample_index;
        u32::from(
            self.ends[before + 1]
                .wrapping_sub(self.ends[before])
                .wrapping_sub(1),
        )
    }

    /// Decodes residuals with more than [`NARROW`] low bits.
    #[cold]
    #[inline(never)]
    fn wide(&mut self, lane: usize, mut low: BitReader<'_>) {
        let head = self.heads[lane];
        for sample_index in head.known..head.known + head.residuals {
            let whole = self.high(lane, sample_index) << head.low_bits | low.bits(head.low_bits);
            self.by_sample[sample_index % SEGMENT][lane] = unzigzag(whole);
        }
    }

    /// Decodes the nonzero fours of a sparse component; returns whether there is an escape.
    #[inline(always)]
    fn sparse(&mut self, lane: usize) -> bool {
        let mut has_escape = false;
        let head = self.heads[lane];
        let mut left = self.fours[lane];
        let mut sample_index = head.known;
        while left != 0 {
            let first = head.known + left.trailing_zeros() as usize * SPARSE_GROUP;
            let end = (first + SPARSE_GROUP).min(head.known + head.residuals);
            for target in first..end {
                let high = self.high(lane, sample_index);
                has_escape |= high >= ESCAPE;
                self.by_sample[target % SEGMENT][lane] = unzigzag(high);
                sample_index += 1;
            }
            // Clears the lowest set bit.
            left &= left - 1;
        }
        has_escape
    }

    /// Replaces residuals that are stored in full.
    #[cold]
    #[inline(never)]
    fn escapes(&mut self, reader: &mut BitReader<'_>, low_start: usize) {
        let mut low = BitReader::at(reader.words(), low_start);
        for lane in 0..LANES {
            let head = self.heads[lane];
            let mut sample_index = head.known;
            for index in 0..head.residuals {
                if head.is_sparse && self.fours[lane] >> (index / SPARSE_GROUP) & 1 == 0 {
                    continue;
                }
                if self.high(lane, sample_index) >= ESCAPE {
                    let mut low = low;
                    low.skip(index * head.low_bits as usize);
                    let high = u64::from(reader.bits(32 - head.low_bits)) << head.low_bits;
                    let whole = high as u32 | low.bits(head.low_bits);
                    self.by_sample[(head.known + index) % SEGMENT][lane] = unzigzag(whole);
                }
                sample_index += 1;
            }
            low.skip(head.low_len());
        }
    }

    /// Undoes the prediction sample by sample from the anchors.
    #[inline(always)]
    fn add_up<S: Simd>(
        &self,
        simd: S,
        anchors: [i32; LANES],
        count: usize,
        out: &mut [[f32; LANES]],
        stride: usize,
    ) {
        // Of ones where the predictor of a lane has the term. The quadratic predictor is the linear one and the change
        // of the difference.
        let mut masks = [[0; LANES]; 3];
        for (lane, head) in self.heads.iter().enumerate() {
            let [half_linear, linear, quadratic] = match head.predictor {
                Predictor::Previous => [0; 3],
                Predictor::HalfLinear => [-1, 0, 0],
                Predictor::Linear => [0, -1, 0],
                Predictor::Quadratic => [0, -1, -1],
            };
            masks[0][lane] = half_linear;
            masks[1][lane] = linear;
            masks[2][lane] = quadratic;
        }
        let half_linear = i32x8::load_array(simd, masks[0]);
        let linear = i32x8::load_array(simd, masks[1]);
        let quadratic = i32x8::load_array(simd, masks[2]);
        let one = i32x8::splat(simd, 1);
        let mut values = i32x8::load_array(simd, anchors);
        let mut difference = i32x8::splat(simd, 0);
        let mut previous_difference = difference;
        if let Some(out) = out.first_mut() {
            values.to_float::<f32x8<S>>().store_array(out);
        }
        let mut output = stride;
        let samples = &self.by_sample[..count.min(SEGMENT)];
        for residuals in samples.iter().skip(1) {
            let Some(out) = out.get_mut(output) else {
                return;
            };
            output += stride;
            let half = (difference + one) >> 1;
            let change = (difference - previous_difference) & quadratic;
            let predicted = (difference & linear) + (half & half_linear) + change;
            previous_difference = difference;
            difference = predicted + i32x8::load_array_ref(simd, residuals);
            values += difference;
            values.to_float::<f32x8<S>>().store_array(out);
        }
    }
}

#[inline(always)]
fn residual<S: Simd>(simd: S, whole: u16x8<S>) -> i16x8<S> {
    // Zigzag: 0, 1, 2, 3, … are 0, -1, 1, -2, …; the lowest bit, spread over the lane, inverts the others.
    let sign = u16x8::splat(simd, 0) - (whole & u16x8::splat(simd, 1));
    (whole >> 1 ^ sign).bitcast()
}

/// Transposes the residuals of eight samples of eight components.
#[inline(always)]
fn transpose<S: Simd>(
    simd: S,
    by_component: &[[i16; SEGMENT]; LANES],
    block: usize,
    samples: &mut [[i32; LANES]; LANES],
) {
    let mut numbers = [i16x8::splat(simd, 0); LANES];
    for lane in 0..LANES {
        if let Some(residuals) = by_component[lane].as_chunks::<LANES>().0.get(block) {
            numbers[lane] = i16x8::load_array_ref(simd, residuals);
        }
    }
    // Three rounds of interleaving halves transpose an 8 x 8 matrix.
    for _ in 0..3 {
        let before = numbers;
        for half in 0..LANES / 2 {
            let (low, high) = before[half].interleave(before[half + LANES / 2]);
            numbers[2 * half] = low;
            numbers[2 * half + 1] = high;
        }
    }
    for lane in 0..LANES {
        let (low, high) = simd.widen_i16x8(numbers[lane]);
        low.combine(high).store_array(&mut samples[lane]);
    }
}

/// Reads the bit per four residuals of a sparse component.
#[inline(always)]
fn read_fours(words: &[u32], bit: usize, residuals: usize) -> u32 {
    let bits = window(words, bit) as u32;
    bits & ((1 << residuals.div_ceil(SPARSE_GROUP)) - 1)
}

/// Returns the number of stored residuals of a sparse component.
#[inline(always)]
fn sparse_len(fours: u32, residuals: usize) -> usize {
    let full = fours.count_ones() as usize * SPARSE_GROUP;
    // The last group may have fewer than four.
    let groups = residuals.div_ceil(SPARSE_GROUP);
    let has_last = fours.checked_shr((groups as u32).wrapping_sub(1)) == Some(1);
    full - if has_last {
        groups * SPARSE_GROUP - residuals
    } else {
        0
    }
}
