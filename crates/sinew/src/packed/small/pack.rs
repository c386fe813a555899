//! The encoder: chooses linear prediction and Rice parameter per component and segment, and writes the bit stream.

use super::super::bits::{BitWriter, exp_golomb_bits, zigzag};
use super::{
    ESCAPE, Orders, PREDICTORS, Predictor, SEGMENT, SPARSE, SPARSE_GROUP, STILL, SmallRows, WIDE,
    WIDE_BITS, groups,
};
use alloc::vec::Vec;

/// Packs columns of quantized values, one per component and all of one length. Magnitudes are at most
/// [`LARGEST`](super::LARGEST).
pub fn pack(columns: &[Vec<i32>], rows: usize) -> SmallRows<'static> {
    let orders = best_orders(columns);
    let mut writer = BitWriter::default();
    let mut starts = Vec::new();
    for first in (0..rows).step_by(SEGMENT) {
        let end = (first + SEGMENT).min(rows);
        let begin = writer.len() as u32;
        for column in columns {
            writer.exp_golomb(zigzag(column[first]), orders.get(0));
        }
        starts.push([begin, writer.len() as u32]);
        for group in groups(columns.len()) {
            let columns = columns[group].iter();
            let coded = columns.map(|column| Coded::new(&column[first..end], orders));
            write_group(&coded.collect::<Vec<_>>(), orders, &mut writer);
        }
    }
    SmallRows {
        words: writer.into_words().into(),
        starts: starts.into(),
        orders,
        rows: rows as u32,
        components: columns.len(),
    }
}

/// Returns the orders with the fewest bits for anchors and differences.
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

/// The encoding of a component in a segment.
struct Coded {
    code: u32,
    /// An index of [`PREDICTORS`].
    place: usize,
    /// The first difference and the second difference.
    differences: [i32; 2],
    /// The zigzag-coded residuals.
    residuals: Vec<u32>,
}

impl Coded {
    fn new(values: &[i32], orders: Orders) -> Self {
        let pace = values.get(1).map_or(0, |second| second - values[0]);
        let change = values.get(2).map_or(0, |third| third - values[1] - pace);
        let differences = [pace, change];
        let mut coded = Self {
            code: STILL,
            place: 0,
            differences,
            residuals: Vec::new(),
        };
        if values.iter().all(|&value| value == values[0]) {
            return coded;
        }
        let mut least = u64::MAX;
        for (place, predictor) in PREDICTORS.iter().enumerate() {
            let known = predictor.known();
            if known > values.len() {
                continue;
            }
            let residuals = (known..values.len()).map(|at| zigzag(predictor.miss(values, at)));
            let residuals: Vec<u32> = residuals.collect();
            let before = (1..known).map(|which| {
                u64::from(exp_golomb_bits(
                    zigzag(differences[which - 1]),
                    orders.get(which),
                ))
            });
            let (bits, code) = best_code(&residuals);
            let bits = bits + before.sum::<u64>();
            if bits < least {
                least = bits;
                (coded.code, coded.place, coded.residuals) = (code, place, residuals);
            }
        }
        coded
    }

    /// Returns the number of low bits per residual.
    const fn low_bits(&self) -> u32 {
        match self.code {
            SPARSE | STILL => 0,
            WIDE => WIDE_BITS,
            code => code,
        }
    }

    /// Returns the unary parts.
    fn unary(&self) -> impl Iterator<Item = u32> {
        let (low_bits, is_sparse) = (self.low_bits(), self.code == SPARSE);
        let groups = self.residuals.chunks(SPARSE_GROUP);
        groups
            .filter(move |group| !is_sparse || !is_zero(group))
            .flatten()
            .map(move |residual| residual >> low_bits)
    }
}

impl Predictor {
    /// Returns the residual: the value minus its prediction.
    fn miss(self, values: &[i32], at: usize) -> i32 {
        let back = |by: usize| at.checked_sub(by).map_or(0, |at| values[at]);
        let [last, second, third] = [back(1), back(2), back(3)];
        let pace = last - second;
        let guess = match self {
            Self::Previous => last,
            Self::HalfLinear => last + ((pace + 1) >> 1),
            Self::Linear => last + pace,
            Self::Quadratic => last + pace + (pace - (second - third)),
        };
        values[at] - guess
    }
}

fn is_zero(group: &[u32]) -> bool {
    group.iter().all(|&residual| residual == 0)
}

fn write_group(group: &[Coded], orders: Orders, writer: &mut BitWriter) {
    for coded in group {
        writer.bits(coded.code, 4);
        if coded.code == STILL {
            continue;
        }
        writer.bits(coded.place as u32, 2);
        for which in 1..PREDICTORS[coded.place].known() {
            writer.exp_golomb(zigzag(coded.differences[which - 1]), orders.get(which));
        }
    }
    for coded in group {
        if coded.code == SPARSE {
            for group in coded.residuals.chunks(SPARSE_GROUP) {
                writer.bits(u32::from(!is_zero(group)), 1);
            }
        } else {
            for &residual in &coded.residuals {
                writer.bits(residual, coded.low_bits());
            }
        }
    }
    for number in group.iter().flat_map(Coded::unary) {
        writer.unary(number.min(ESCAPE));
    }
    for coded in group {
        for number in coded.unary().filter(|&number| number >= ESCAPE) {
            writer.bits(number, 32 - coded.low_bits());
        }
    }
}

/// Returns the number of bits of a Rice code.
const fn rice_bits(residual: u32, low_bits: u32) -> u32 {
    let unary = residual >> low_bits;
    if unary < ESCAPE {
        unary + 1 + low_bits
    } else {
        ESCAPE + 1 + 32
    }
}

/// Returns the fewest bits of the residuals, and their code.
fn best_code(residuals: &[u32]) -> (u64, u32) {
    let sum: u64 = residuals.iter().map(|&residual| u64::from(residual)).sum();
    let mean = sum / residuals.len().max(1) as u64;
    let near = mean.checked_ilog2().unwrap_or(0);
    let cost = |residuals: &[u32], low_bits: u32| -> u64 {
        let bits = residuals
            .iter()
            .map(|&residual| u64::from(rice_bits(residual, low_bits)));
        bits.sum()
    };
    // Ignoring the largest residual may give a better parameter, with that residual as an escape.
    let largest = residuals.iter().copied().max().unwrap_or(0);
    let others_mean = (sum - u64::from(largest)) / residuals.len().saturating_sub(1).max(1) as u64;
    let near_others = others_mean.checked_ilog2().unwrap_or(0);
    let about = |near: u32| near.saturating_sub(1)..=near + 1;
    let others = about(near_others).filter(|code| !about(near).contains(code));
    let plain = about(near).chain(others).map(|code| match code {
        code if code < SPARSE => (cost(residuals, code), code),
        _ => (cost(residuals, WIDE_BITS), WIDE),
    });
    let mut best = plain.min().unwrap_or((0, 0));
    if mean.min(others_mean) <= 2 {
        let groups = residuals
            .chunks(SPARSE_GROUP)
            .map(|group| 1 + if is_zero(group) { 0 } else { cost(group, 0) });
        best = best.min((groups.sum(), SPARSE));
    }
    best
}
