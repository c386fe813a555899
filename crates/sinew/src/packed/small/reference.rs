//! The scalar decoder of Rice codes and linear prediction: the specification of [`super::kernel`].
//!
//! ```text
//! u = unary << k | low,  r = unzigzag(u),  d[i] = prediction(d[i-1], d[i-2]) + r,  x[i] = x[i-1] + d[i]
//! ```
//!
//! One code at a time, in the order of the stream; all arithmetic wraps, so any words decode to something. Cost: linear
//! in the bits of the segment.

use super::super::bits::{BitReader, unzigzag};
use super::head::ColumnHead;
use super::{ESCAPE, Orders, Predictor, SEGMENT, SPARSE_GROUP, SmallSamples, groups};
use crate::simd::LANES;

/// A component of a segment.
pub(crate) struct Column {
    head: ColumnHead,
    /// Zigzag-coded residuals by sample; the anchor is 0.
    residuals: [u32; SEGMENT],
    begin: [i32; 2],
    /// The number of bits of the component.
    pub bits: usize,
}

pub(crate) fn unpack(
    samples: &SmallSamples<'_>,
    anchors: &mut BitReader<'_>,
    rest: &mut BitReader<'_>,
    count: usize,
    out: &mut [[f32; LANES]],
) {
    let group_count = samples.groups();
    for (group_index, group) in groups(samples.components).enumerate() {
        let columns = read_group(rest, group.len(), count, samples.orders);
        for (lane, column) in columns.iter().flatten().enumerate() {
            let anchor = unzigzag(anchors.exp_golomb(samples.orders.get(0)));
            let values = column.values(anchor);
            let outputs = out.iter_mut().skip(group_index).step_by(group_count);
            for (sample, &value) in outputs.zip(&values[..count]) {
                sample[lane] = value as f32;
            }
        }
    }
}

/// Reads the components of a group, `lanes` of them.
pub(crate) fn read_group(
    reader: &mut BitReader<'_>,
    lanes: usize,
    count: usize,
    orders: Orders,
) -> [Option<Column>; LANES] {
    let mut columns = [const { None }; LANES];
    for column in columns.iter_mut().take(lanes) {
        let before = reader.position();
        let head = ColumnHead::read(reader, count, orders);
        *column = Some(Column {
            head,
            residuals: [0; SEGMENT],
            begin: head.begin,
            bits: reader.position() - before,
        });
    }
    let low = *reader;
    for column in columns.iter().flatten() {
        reader.skip(column.head.low_len());
    }
    let mut high = *reader;
    // Escapes follow all unary parts.
    let mut skipped = low;
    for column in columns.iter().flatten() {
        column.each_coded(&mut skipped, |_, _| {
            reader.unary();
        });
    }
    let mut low = low;
    for column in columns.iter_mut().flatten() {
        let low_bits = column.head.low_bits;
        let mut residuals = [0; SEGMENT];
        let mut bits = column.head.low_len();
        column.each_coded(&mut low, |sample_index, low| {
            let mut number = u32::from(high.unary());
            bits += number as usize + 1;
            if number >= ESCAPE {
                number = reader.bits(32 - low_bits);
                bits += 32 - low_bits as usize;
            }
            residuals[sample_index] = (u64::from(number) << low_bits) as u32 | low;
        });
        (column.residuals, column.bits) = (residuals, column.bits + bits);
    }
    columns
}

impl Column {
    /// Calls `each` with the sample and the low bits of each residual that has a unary part.
    fn each_coded(&self, low: &mut BitReader<'_>, mut each: impl FnMut(usize, u32)) {
        let head = &self.head;
        let mut is_zero = false;
        let mut flags = *low;
        for index in 0..head.residuals {
            if head.is_sparse && index.is_multiple_of(SPARSE_GROUP) {
                is_zero = flags.bits(1) == 0;
            }
            if !is_zero {
                let low = if head.is_sparse {
                    0
                } else {
                    flags.bits(head.low_bits)
                };
                each(head.known + index, low);
            }
        }
        low.skip(head.low_len());
    }

    /// Returns the values from the anchor on.
    fn values(&self, anchor: i32) -> [i32; SEGMENT] {
        let mut values = [anchor; SEGMENT];
        let (mut difference, mut previous_difference) = (0i32, 0i32);
        for sample_index in 1..SEGMENT {
            let residual = match sample_index {
                1 if self.head.known > 1 => self.begin[0],
                2 if self.head.known > 2 => self.begin[1],
                sample_index => unzigzag(self.residuals[sample_index]),
            };
            let predicted = match self.head.predictor {
                Predictor::Previous => 0,
                Predictor::HalfLinear => difference.wrapping_add(1) >> 1,
                Predictor::Linear => difference,
                Predictor::Quadratic => {
                    difference.wrapping_add(difference.wrapping_sub(previous_difference))
                }
            };
            previous_difference = difference;
            difference = predicted.wrapping_add(residual);
            values[sample_index] = values[sample_index - 1].wrapping_add(difference);
        }
        values
    }
}
