//! Rows as small as they get: predicted from those before, what is missed in Rice codes.
//!
//! A segment is 64 rows and is unpacked as a whole. Its first row, the *anchor*, is written by itself, so that
//! the row after a segment can be had without unpacking the next. Then come the components, one after the other,
//! in two streams that are read side by side, because a processor has little else to do while it waits for the
//! length of one code.
//!
//! ```text
//! words     u32, bits lowest first, without gaps
//! segment   ┃ anchor of component 0, 1, 2, … ┃ components 0, 2, 4, … ┃ components 1, 3, 5, … ┃
//! component ┃ code: 4 bits ┃ predictor: 2 bits ┃ first differences that it needs ┃ residuals ┃
//! ```

use super::bits::{BitReader, BitWriter, MAX_RICE, exp_golomb_bits, rice_bits, unzigzag, zigzag};
use super::compose::Lanes;
use crate::simd::LANES;
use alloc::borrow::Cow;
use alloc::vec::Vec;

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

/// The largest whole number of a row. Twice its size still has a sign to spare.
pub(crate) const LARGEST: i32 = (1 << 28) - 1;

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

    /// A guess from the last value, the one before, and the one before that.
    #[inline(always)]
    const fn guess(self, last: i32, second: i32, third: i32) -> i32 {
        let pace = last.wrapping_sub(second);
        match self {
            Self::Hold => last,
            Self::Slow => last.wrapping_add(pace.wrapping_add(1) >> 1),
            Self::Line => last.wrapping_add(pace),
            Self::Parabola => {
                let before = second.wrapping_sub(third);
                last.wrapping_add(pace.wrapping_mul(2)).wrapping_sub(before)
            }
        }
    }
}

/// Rows in Rice codes.
#[derive(Clone, Debug)]
pub(crate) struct SmallRows<'a> {
    pub(crate) words: Cow<'a, [u32]>,
    /// For each segment, the bit at which it begins and the one at which its second stream does.
    pub(crate) starts: Cow<'a, [[u32; 2]]>,
    pub(crate) orders: Orders,
    pub(crate) rows: u32,
    /// Which components there are.
    pub(crate) lanes: Lanes,
}

/// The orders of the exponential Golomb codes of anchors, of first differences and of second ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Orders(pub(crate) [u8; 3]);

impl Orders {
    pub(crate) const MAX: u8 = 24;

    fn get(self, which: usize) -> u32 {
        u32::from(self.0[which])
    }
}

impl SmallRows<'_> {
    /// Rows of a segment.
    pub(crate) const SEGMENT: usize = SEGMENT;

    /// Unpacks the segment that a row is in, and the row after it, to rows of groups of eight components.
    pub(crate) fn unpack(&self, segment: usize, out: &mut [[f32; LANES]]) {
        let (groups, components) = (self.lanes.groups(), self.lanes.all);
        let Some(&[start, second]) = self.starts.get(segment) else {
            return;
        };
        let count = (self.rows as usize - segment * SEGMENT).min(SEGMENT);
        let mut anchors = BitReader::at(&self.words, start);
        let mut put = |row: usize, component: usize, value: i32| {
            let lane = self.lanes.of(component);
            if let Some(group) = out.get_mut(row * groups + lane / LANES) {
                group[lane % LANES] = value as f32;
            }
        };
        let mut columns = [[0i32; SEGMENT]; 2];
        // The anchors are read first to find where the first stream begins.
        let order = self.orders.get(0);
        let mut first = anchors;
        for _ in 0..components {
            first.exp_golomb(order);
        }
        let mut streams = [first, BitReader::at(&self.words, second)];
        let mut component = 0;
        while component < components {
            let anchor = [0, 1].map(|_| unzigzag(anchors.exp_golomb(order)));
            let both = component + 1 < components;
            let [even, odd] = &mut streams;
            let [column, other] = &mut columns;
            self.columns(even, odd, both, anchor, count, column, other);
            for (row, &value) in column[..count].iter().enumerate() {
                put(row, component, value);
            }
            if both {
                for (row, &value) in other[..count].iter().enumerate() {
                    put(row, component + 1, value);
                }
            }
            component += 2;
        }
        let Some(&[next, _]) = self.starts.get(segment + 1) else {
            return;
        };
        let mut anchors = BitReader::at(&self.words, next);
        for component in 0..components {
            put(count, component, unzigzag(anchors.exp_golomb(order)));
        }
    }

    /// The bits of each component.
    pub(crate) fn component_bits(&self) -> Vec<f64> {
        let mut bits = alloc::vec![0.0; self.lanes.all];
        let mut column = [0; SEGMENT];
        for (segment, &[start, second]) in self.starts.iter().enumerate() {
            let count = (self.rows as usize)
                .saturating_sub(segment * SEGMENT)
                .min(SEGMENT);
            let mut anchors = BitReader::at(&self.words, start);
            for bits in &mut bits {
                let before = anchors.position();
                anchors.exp_golomb(self.orders.get(0));
                *bits += (anchors.position() - before) as f64;
            }
            let mut streams = [anchors, BitReader::at(&self.words, second)];
            for (component, bits) in bits.iter_mut().enumerate() {
                let stream = &mut streams[component % 2];
                let before = stream.position();
                let coded = self.begin(stream, 0, &mut column);
                residuals(stream, &coded, &mut column[..count]);
                *bits += (stream.position() - before) as f64;
            }
        }
        bits
    }

    /// Unpacks two components at a time where both are plain.
    #[allow(clippy::too_many_arguments, reason = "two of everything")]
    #[inline(always)]
    fn columns(
        &self,
        even: &mut BitReader<'_>,
        odd: &mut BitReader<'_>,
        both: bool,
        anchors: [i32; 2],
        count: usize,
        column: &mut [i32; SEGMENT],
        other: &mut [i32; SEGMENT],
    ) {
        let first = self.begin(even, anchors[0], column);
        if !both {
            residuals(even, &first, &mut column[..count]);
            integrate(&first, &mut column[..count]);
            return;
        }
        let second = self.begin(odd, anchors[1], other);
        match (first.parameter, second.parameter) {
            (Some(a), Some(b)) => {
                let start = first.known.max(second.known).min(count);
                for value in &mut column[first.known.min(count)..start] {
                    *value = unzigzag(even.rice(a));
                }
                for value in &mut other[second.known.min(count)..start] {
                    *value = unzigzag(odd.rice(b));
                }
                for (value, other) in column[start..count]
                    .iter_mut()
                    .zip(&mut other[start..count])
                {
                    *value = unzigzag(even.rice(a));
                    *other = unzigzag(odd.rice(b));
                }
            }
            _ => {
                residuals(even, &first, &mut column[..count]);
                residuals(odd, &second, &mut other[..count]);
            }
        }
        integrate(&first, &mut column[..count]);
        integrate(&second, &mut other[..count]);
    }

    /// Reads what stands before the residuals of a component.
    #[inline(always)]
    fn begin(&self, stream: &mut BitReader<'_>, anchor: i32, column: &mut [i32; SEGMENT]) -> Coded {
        column[0] = anchor;
        let code = stream.bits(4);
        if code == STILL {
            return Coded::STILL;
        }
        let predictor = PREDICTORS[stream.bits(2) as usize];
        let known = predictor.known();
        if known > 1 {
            let pace = unzigzag(stream.exp_golomb(self.orders.get(1)));
            column[1] = anchor.wrapping_add(pace);
            if known > 2 {
                let change = unzigzag(stream.exp_golomb(self.orders.get(2)));
                column[2] = column[1].wrapping_add(pace).wrapping_add(change);
            }
        }
        Coded {
            predictor,
            known,
            parameter: match code {
                SPARSE => None,
                WIDE => Some(MAX_RICE),
                code => Some(code),
            },
            is_still: false,
        }
    }
}

/// How the residuals of a component are written.
#[derive(Clone, Copy)]
struct Coded {
    predictor: Predictor,
    known: usize,
    /// Of the Rice code; `None` for sparse ones.
    parameter: Option<u32>,
    is_still: bool,
}

impl Coded {
    const STILL: Self = Self {
        predictor: Predictor::Hold,
        known: 1,
        parameter: None,
        is_still: true,
    };
}

fn residuals(stream: &mut BitReader<'_>, coded: &Coded, column: &mut [i32]) {
    let known = coded.known.min(column.len());
    let rest = &mut column[known..];
    if coded.is_still {
        rest.fill(0);
        return;
    }
    match coded.parameter {
        Some(parameter) => {
            for value in rest {
                *value = unzigzag(stream.rice(parameter));
            }
        }
        None => {
            for group in rest.chunks_mut(SPARSE_GROUP) {
                if stream.bits(1) == 0 {
                    group.fill(0);
                } else {
                    for value in group {
                        *value = unzigzag(stream.rice(0));
                    }
                }
            }
        }
    }
}

/// Turns residuals into values.
#[inline(always)]
fn integrate(coded: &Coded, column: &mut [i32]) {
    match coded.predictor {
        Predictor::Hold => integrate_with(coded.known, column, |a, b, c| {
            Predictor::Hold.guess(a, b, c)
        }),
        Predictor::Slow => integrate_with(coded.known, column, |a, b, c| {
            Predictor::Slow.guess(a, b, c)
        }),
        Predictor::Line => integrate_with(coded.known, column, |a, b, c| {
            Predictor::Line.guess(a, b, c)
        }),
        Predictor::Parabola => {
            integrate_with(coded.known, column, |a, b, c| {
                Predictor::Parabola.guess(a, b, c)
            });
        }
    }
}

#[inline(always)]
fn integrate_with(known: usize, column: &mut [i32], guess: impl Fn(i32, i32, i32) -> i32) {
    let known = known.min(column.len());
    let (done, rest) = column.split_at_mut(known);
    let back = |by: usize| known.checked_sub(by).map_or(0, |at| done[at]);
    let (mut last, mut second, mut third) = (back(1), back(2), back(3));
    for value in rest {
        let next = guess(last, second, third).wrapping_add(*value);
        *value = next;
        (last, second, third) = (next, last, second);
    }
}

/// Packs columns of whole numbers, one per component and all of one length; numbers are at most [`LARGEST`].
pub(crate) fn pack(columns: &[Vec<i32>], rows: usize, lanes: Lanes) -> SmallRows<'static> {
    let orders = best_orders(columns);
    let mut writer = BitWriter::default();
    let mut starts = Vec::new();
    for first in (0..rows).step_by(SEGMENT) {
        let end = (first + SEGMENT).min(rows);
        let begin = writer.len() as u32;
        for column in columns {
            writer.exp_golomb(zigzag(column[first]), orders.get(0));
        }
        for column in columns.iter().step_by(2) {
            pack_component(&column[first..end], orders, &mut writer);
        }
        starts.push([begin, writer.len() as u32]);
        for column in columns.iter().skip(1).step_by(2) {
            pack_component(&column[first..end], orders, &mut writer);
        }
    }
    SmallRows {
        words: writer.into_words().into(),
        starts: starts.into(),
        orders,
        rows: rows as u32,
        lanes,
    }
}

/// The orders that make anchors and differences shortest.
fn best_orders(columns: &[Vec<i32>]) -> Orders {
    let mut costs = [[0u64; Orders::MAX as usize + 1]; 3];
    for segment in columns.iter().flat_map(|column| column.chunks(SEGMENT)) {
        let pace = segment.get(1).map(|second| second - segment[0]);
        let change = segment
            .get(2)
            .zip(pace)
            .map(|(third, pace)| third - segment[1] - pace);
        for (costs, value) in costs.iter_mut().zip([Some(segment[0]), pace, change]) {
            for (order, cost) in costs.iter_mut().enumerate() {
                *cost += value.map_or(0, |value| {
                    u64::from(exp_golomb_bits(zigzag(value), order as u32))
                });
            }
        }
    }
    Orders(costs.map(|costs| {
        let best = costs.iter().enumerate().min_by_key(|&(_, cost)| cost);
        best.map_or(0, |(order, _)| order as u8)
    }))
}

fn pack_component(values: &[i32], orders: Orders, writer: &mut BitWriter) {
    if values.iter().all(|&value| value == values[0]) {
        writer.bits(STILL, 4);
        return;
    }
    let mut best: Option<(u64, usize, u32, [i32; SEGMENT])> = None;
    let (pace, change) = differences(values);
    for (place, predictor) in PREDICTORS.iter().enumerate() {
        let known = predictor.known();
        if known > values.len() {
            continue;
        }
        let mut residuals = [0; SEGMENT];
        for at in known..values.len() {
            let back = |by: usize| at.checked_sub(by).map_or(0, |at| values[at]);
            residuals[at] = values[at] - predictor.guess(back(1), back(2), back(3));
        }
        let mut before = 0;
        if known > 1 {
            before += u64::from(exp_golomb_bits(zigzag(pace), orders.get(1)));
        }
        if known > 2 {
            before += u64::from(exp_golomb_bits(zigzag(change), orders.get(2)));
        }
        let (bits, code) = best_code(&residuals[known..values.len()]);
        if best.is_none_or(|(least, ..)| before + bits < least) {
            best = Some((before + bits, place, code, residuals));
        }
    }
    let Some((_, place, code, residuals)) = best else {
        return;
    };
    let predictor = PREDICTORS[place];
    writer.bits(code, 4);
    writer.bits(place as u32, 2);
    if predictor.known() > 1 {
        writer.exp_golomb(zigzag(pace), orders.get(1));
    }
    if predictor.known() > 2 {
        writer.exp_golomb(zigzag(change), orders.get(2));
    }
    let residuals = &residuals[predictor.known()..values.len()];
    match code {
        SPARSE => {
            for group in residuals.chunks(SPARSE_GROUP) {
                let is_zero = group.iter().all(|&value| value == 0);
                writer.bits(u32::from(!is_zero), 1);
                for &value in group.iter().filter(|_| !is_zero) {
                    writer.rice(zigzag(value), 0);
                }
            }
        }
        code => {
            let parameter = if code == WIDE { MAX_RICE } else { code };
            for &value in residuals {
                writer.rice(zigzag(value), parameter);
            }
        }
    }
}

/// The first difference, and the second.
fn differences(values: &[i32]) -> (i32, i32) {
    let pace = values.get(1).map_or(0, |second| second - values[0]);
    let change = values.get(2).map_or(0, |third| third - values[1] - pace);
    (pace, change)
}

/// How many bits residuals take, and in which code.
fn best_code(residuals: &[i32]) -> (u64, u32) {
    let sum: u64 = residuals
        .iter()
        .map(|&value| u64::from(zigzag(value)))
        .sum();
    let mean = sum / residuals.len().max(1) as u64;
    let near = mean.checked_ilog2().unwrap_or(0);
    let cost = |parameter: u32| -> u64 {
        let bits = residuals
            .iter()
            .map(|&value| u64::from(rice_bits(zigzag(value), parameter)));
        bits.sum()
    };
    let near_codes = near.saturating_sub(1)..=near + 1;
    let plain = near_codes.map(|code| match code {
        code if code < SPARSE => (cost(code), code),
        _ => (cost(MAX_RICE), WIDE),
    });
    let mut best = plain.min().unwrap_or((0, 0));
    if mean <= 2 {
        let groups = residuals.chunks(SPARSE_GROUP).map(|group| {
            let is_zero = group.iter().all(|&value| value == 0);
            let bits = group
                .iter()
                .map(|&value| u64::from(rice_bits(zigzag(value), 0)));
            1 + if is_zero { 0 } else { bits.sum::<u64>() }
        });
        best = best.min((groups.sum(), SPARSE));
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    fn unpacked(rows: &SmallRows<'_>, segment: usize) -> Vec<[f32; LANES]> {
        let groups = rows.lanes.groups();
        let mut out = vec![[0.0; LANES]; (SEGMENT + 1) * groups];
        rows.unpack(segment, &mut out);
        out
    }

    fn check(columns: &[Vec<i32>]) -> usize {
        let packed = pack(
            columns,
            columns[0].len(),
            Lanes::new(columns.len(), columns.len()),
        );
        let groups = columns.len().div_ceil(LANES);
        for row in 0..columns[0].len() {
            let segment = row / SEGMENT;
            let out = unpacked(&packed, segment);
            for (component, column) in columns.iter().enumerate() {
                let at = |row: usize| out[row * groups + component / LANES][component % LANES];
                assert_eq!(at(row % SEGMENT), column[row] as f32, "{component} {row}");
                if row % SEGMENT == SEGMENT - 1 && row + 1 < column.len() {
                    assert_eq!(at(SEGMENT), column[row + 1] as f32);
                }
            }
        }
        packed.words.len() * 4
    }

    /// Numbers that look random.
    fn noise(seed: u32, size: i32) -> impl Fn(u32) -> i32 {
        move |at| {
            let mixed = (at.wrapping_mul(2_654_435_761) ^ seed).wrapping_mul(2_246_822_519);
            ((mixed >> 8) as i32).rem_euclid(2 * size + 1) - size
        }
    }

    #[test]
    fn rows_come_back_whatever_they_are() {
        for length in [1, 2, 3, 4, 63, 64, 65, 128, 200] {
            for count in [1, 2, 3, 8, 9, 17] {
                let column = |component: usize| -> Vec<i32> {
                    let (fine, coarse) = (noise(component as u32, 3), noise(7, LARGEST / 2));
                    let value = |row: u32| match component % 6 {
                        0 => 5,
                        1 => (row * row) as i32 / 3,
                        2 => fine(row),
                        3 => coarse(row),
                        4 => i32::from(row.is_multiple_of(9)),
                        _ => -40 * row as i32 + fine(row) * 20,
                    };
                    (0..length).map(value).collect()
                };
                check(&(0..count).map(column).collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn what_hardly_moves_hardly_costs() {
        let still = vec![vec![123; 640]; 16];
        assert!(check(&still) < 16 * 10 * 4);
        let sparse: Vec<i32> = (0..640).map(|row| i32::from(row % 64 == 7)).collect();
        assert!(check(&[sparse]) < 640 / 8);
    }

    #[test]
    fn any_words_unpack_to_something() {
        for seed in 0..200 {
            let random = noise(seed, i32::MAX / 4);
            let rows = SmallRows {
                words: (0..40).map(|at| random(at) as u32).collect(),
                starts: vec![[seed * 7, seed * 13], [3, 4]].into(),
                orders: Orders([(seed % 25) as u8; 3]),
                rows: 65 + seed % 60,
                lanes: Lanes::new(9, 13),
            };
            for segment in 0..3 {
                assert!(
                    unpacked(&rows, segment)
                        .iter()
                        .flatten()
                        .all(|value| value.is_finite())
                );
            }
        }
    }
}
