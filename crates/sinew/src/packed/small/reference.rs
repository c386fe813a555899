//! The scalar decoder of Rice codes and linear prediction: the specification of [`super::kernel`].

use super::super::bits::{BitReader, unzigzag};
use super::head::ColumnHead;
use super::{ESCAPE, Orders, Predictor, SEGMENT, SPARSE_GROUP, SmallRows, groups};
use crate::simd::LANES;

/// A component of a segment.
pub(crate) struct Column {
    head: ColumnHead,
    /// Zigzag-coded residuals by row; the anchor is 0.
    residuals: [u32; SEGMENT],
    begin: [i32; 2],
    /// The number of bits of the component.
    pub bits: usize,
}

pub(crate) fn unpack(
    rows: &SmallRows<'_>,
    anchors: &mut BitReader<'_>,
    rest: &mut BitReader<'_>,
    count: usize,
    out: &mut [[f32; LANES]],
) {
    let all = rows.groups();
    for (place, group) in groups(rows.components).enumerate() {
        let columns = read_group(rest, group.len(), count, rows.orders);
        for (lane, column) in columns.iter().flatten().enumerate() {
            let anchor = unzigzag(anchors.exp_golomb(rows.orders.get(0)));
            let values = column.values(anchor);
            let rows = out.iter_mut().skip(place).step_by(all);
            for (row, &value) in rows.zip(&values[..count]) {
                row[lane] = value as f32;
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
        column.each_coded(&mut low, |row, low| {
            let mut number = u32::from(high.unary());
            bits += number as usize + 1;
            if number >= ESCAPE {
                number = reader.bits(32 - low_bits);
                bits += 32 - low_bits as usize;
            }
            residuals[row] = (u64::from(number) << low_bits) as u32 | low;
        });
        (column.residuals, column.bits) = (residuals, column.bits + bits);
    }
    columns
}

impl Column {
    /// Calls `each` with the row and the low bits of each residual that has a unary part.
    fn each_coded(&self, low: &mut BitReader<'_>, mut each: impl FnMut(usize, u32)) {
        let head = &self.head;
        let mut is_zero = false;
        let mut flags = *low;
        for at in 0..head.residuals {
            if head.is_sparse && at.is_multiple_of(SPARSE_GROUP) {
                is_zero = flags.bits(1) == 0;
            }
            if !is_zero {
                let low = if head.is_sparse {
                    0
                } else {
                    flags.bits(head.low_bits)
                };
                each(head.known + at, low);
            }
        }
        low.skip(head.low_len());
    }

    /// Returns the values from the anchor on.
    fn values(&self, anchor: i32) -> [i32; SEGMENT] {
        let mut values = [anchor; SEGMENT];
        let (mut pace, mut before) = (0i32, 0i32);
        for row in 1..SEGMENT {
            let residual = match row {
                1 if self.head.known > 1 => self.begin[0],
                2 if self.head.known > 2 => self.begin[1],
                row => unzigzag(self.residuals[row]),
            };
            let guess = match self.head.predictor {
                Predictor::Previous => 0,
                Predictor::HalfLinear => pace.wrapping_add(1) >> 1,
                Predictor::Linear => pace,
                Predictor::Quadratic => pace.wrapping_add(pace.wrapping_sub(before)),
            };
            before = pace;
            pace = guess.wrapping_add(residual);
            values[row] = values[row - 1].wrapping_add(pace);
        }
        values
    }
}
