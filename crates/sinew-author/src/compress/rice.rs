//! The encoder of the `small` profile: linear prediction and Rice codes (Rice 1979).
//!
//! `sinew`'s `packed/small/mod.rs` has the format. For each component and segment of 64 samples the encoder chooses the
//! predictor `p` and the number of low bits `k` that need the fewest bits:
//!
//! ```text
//! u[i] = zigzag(x[i] - p(x[i-1], x[i-2], x[i-3])),     bits(k) = Σ (u[i] >> k) + 1 + k
//! k    ∈ { n - 1, n, n + 1 },  n = floor(log2(mean u)),  with and without the largest residual
//! ```
//!
//! For a geometric distribution, which residuals nearly have, the best `k` is within one of the logarithm of the mean
//! (Kiely, Selecting the Golomb Parameter in Rice Coding, 2004), so three codes are tried instead of all. The mean
//! without the largest residual serves segments with one outlier, which is stored as an escape. The orders of the
//! exponential Golomb codes are shared by the whole animation: each is tried on all values.
//!
//! Cost: four predictors times at most six sums of 63 residuals per component and segment.

use super::bit_writer::{BitWriter, exp_golomb_bits};
use alloc::vec::Vec;
use sinew::internal::packed::small::{
    CONSTANT, ESCAPE, Orders, PREDICTORS, Predictor, SEGMENT, SPARSE, SPARSE_GROUP, SmallSamples,
    WIDE, WIDE_BITS, groups,
};
use sinew::internal::packed::zigzag;

/// Packs columns of quantized values, one per component and all of one length. Magnitudes are at most
/// [`LARGEST`](sinew::internal::packed::small::LARGEST).
pub(super) fn pack(columns: &[Vec<i32>], sample_count: usize) -> SmallSamples<'static> {
    let orders = best_orders(columns);
    let mut writer = BitWriter::default();
    let mut starts = Vec::new();
    for first in (0..sample_count).step_by(SEGMENT) {
        let end = (first + SEGMENT).min(sample_count);
        let begin = writer.len() as u32;
        for column in columns {
            writer.exp_golomb(zigzag(column[first]), orders.get(0));
        }
        starts.push([begin, writer.len() as u32]);
        for group in groups(columns.len()) {
            let columns = columns[group].iter();
            let coded = columns.map(|column| CodedColumn::new(&column[first..end], orders));
            write_group(&coded.collect::<Vec<_>>(), orders, &mut writer);
        }
    }
    SmallSamples {
        words: writer.into_words().into(),
        starts: starts.into(),
        orders,
        sample_count: sample_count as u32,
        components: columns.len(),
    }
}

/// Returns the orders with the fewest bits for anchors and differences.
fn best_orders(columns: &[Vec<i32>]) -> Orders {
    let mut costs = [[0u64; Orders::MAX as usize + 1]; 3];
    for segment in columns.iter().flat_map(|column| column.chunks(SEGMENT)) {
        let difference = segment.get(1).map(|second| second - segment[0]);
        let second_difference = segment
            .get(2)
            .zip(difference)
            .map(|(third, difference)| third - segment[1] - difference);
        for (costs, value) in
            costs
                .iter_mut()
                .zip([Some(segment[0]), difference, second_difference])
        {
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
struct CodedColumn {
    code: u32,
    /// An index of [`PREDICTORS`].
    predictor_index: usize,
    /// The first difference and the second difference.
    differences: [i32; 2],
    /// The zigzag-coded residuals.
    residuals: Vec<u32>,
}

impl CodedColumn {
    fn new(values: &[i32], orders: Orders) -> Self {
        let difference = values.get(1).map_or(0, |second| second - values[0]);
        let second_difference = values
            .get(2)
            .map_or(0, |third| third - values[1] - difference);
        let differences = [difference, second_difference];
        let mut coded = Self {
            code: CONSTANT,
            predictor_index: 0,
            differences,
            residuals: Vec::new(),
        };
        if values.iter().all(|&value| value == values[0]) {
            return coded;
        }
        let mut least = u64::MAX;
        for (predictor_index, predictor) in PREDICTORS.iter().enumerate() {
            let known = predictor.known();
            if known > values.len() {
                continue;
            }
            let residuals =
                (known..values.len()).map(|index| zigzag(residual(*predictor, values, index)));
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
                (coded.code, coded.predictor_index, coded.residuals) =
                    (code, predictor_index, residuals);
            }
        }
        coded
    }

    /// Returns the number of low bits per residual.
    const fn low_bits(&self) -> u32 {
        match self.code {
            SPARSE | CONSTANT => 0,
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

/// Returns the residual: the value minus its prediction.
fn residual(predictor: Predictor, values: &[i32], index: usize) -> i32 {
    let back = |by: usize| index.checked_sub(by).map_or(0, |earlier| values[earlier]);
    let [last, second, third] = [back(1), back(2), back(3)];
    let difference = last - second;
    let prediction = match predictor {
        Predictor::Previous => last,
        Predictor::HalfLinear => last + ((difference + 1) >> 1),
        Predictor::Linear => last + difference,
        Predictor::Quadratic => last + difference + (difference - (second - third)),
    };
    values[index] - prediction
}

fn is_zero(group: &[u32]) -> bool {
    group.iter().all(|&residual| residual == 0)
}

fn write_group(group: &[CodedColumn], orders: Orders, writer: &mut BitWriter) {
    for coded in group {
        writer.bits(coded.code, 4);
        if coded.code == CONSTANT {
            continue;
        }
        writer.bits(coded.predictor_index as u32, 2);
        for which in 1..PREDICTORS[coded.predictor_index].known() {
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
    for number in group.iter().flat_map(CodedColumn::unary) {
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
    // A sparse code has no low bits, so every residual is unary: only for small ones is it worth trying.
    if mean.min(others_mean) <= 2 {
        let groups = residuals
            .chunks(SPARSE_GROUP)
            .map(|group| 1 + if is_zero(group) { 0 } else { cost(group, 0) });
        best = best.min((groups.sum(), SPARSE));
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;
    use sinew::internal::packed::small::LARGEST;
    use sinew::simd::{LANES, SimdLevel};

    fn unpacked(level: SimdLevel, samples: &SmallSamples<'_>, segment: usize) -> Vec<[f32; LANES]> {
        let groups = samples.groups();
        let mut out = vec![[0.0; LANES]; (SEGMENT + 1) * groups];
        samples.unpack(level, segment, &mut out);
        out
    }

    /// Packs columns and compares the decoded values at every SIMD level; returns the bytes of the words.
    fn check(columns: &[Vec<i32>]) -> usize {
        let length = columns[0].len();
        let packed = pack(columns, length);
        let groups = packed.groups();
        for level in SimdLevel::all() {
            for segment in 0..length.div_ceil(SEGMENT) {
                let out = unpacked(level, &packed, segment);
                for (component, column) in columns.iter().enumerate() {
                    let column = &column[segment * SEGMENT..];
                    for (sample_index, &value) in column.iter().take(SEGMENT + 1).enumerate() {
                        let found =
                            out[sample_index * groups + component / LANES][component % LANES];
                        assert_eq!(
                            found, value as f32,
                            "{level:?} {segment} {component} {sample_index}"
                        );
                    }
                }
            }
        }
        let bits: f64 = packed.component_bits().iter().sum();
        let padding = packed.words.len() as f64 * 32.0 - bits;
        assert!((0.0..32.0).contains(&padding), "{padding}");
        packed.words.len() * 4
    }

    /// Pseudo-random numbers.
    fn noise(seed: u32, size: i32) -> impl Fn(u32) -> i32 {
        move |index| {
            let mixed = (index.wrapping_mul(2_654_435_761) ^ seed).wrapping_mul(2_246_822_519);
            ((mixed >> 8) as i32).rem_euclid(2 * size + 1) - size
        }
    }

    #[test]
    fn rows_come_back_whatever_they_are() {
        for length in [1, 2, 3, 4, 15, 16, 17, 63, 64, 65, 66, 67, 128, 200] {
            for count in [1, 2, 3, 8, 9, 17] {
                let column = |component: usize| -> Vec<i32> {
                    let (fine, coarse) = (noise(component as u32, 3), noise(7, LARGEST / 2));
                    let value = |sample_index: u32| match component % 6 {
                        0 => 5,
                        1 => (sample_index * sample_index) as i32 / 3,
                        2 => fine(sample_index),
                        3 => coarse(sample_index),
                        4 => i32::from(sample_index.is_multiple_of(9)),
                        _ => -40 * sample_index as i32 + fine(sample_index) * 20,
                    };
                    (0..length).map(value).collect()
                };
                let columns = (0..count).map(column).collect::<Vec<_>>();
                check(&columns);
            }
        }
    }

    #[test]
    fn residuals_of_every_size_come_back_with_every_predictor() {
        for bits in 0..28 {
            let random = noise(bits, (1 << bits) - 1);
            for sums in 0..4 {
                let column = |component: u32| -> Vec<i32> {
                    let mut values: Vec<i32> = (0..130)
                        .map(|sample_index| random(sample_index * 9 + component))
                        .collect();
                    for _ in 0..sums {
                        let mut sum = 0i32;
                        for value in &mut values {
                            sum = (sum + *value).clamp(-LARGEST, LARGEST);
                            *value = sum;
                        }
                    }
                    values
                };
                check(&(0..9).map(column).collect::<Vec<_>>());
            }
        }
        let ends = [LARGEST, -LARGEST];
        let far = (0..200)
            .map(|sample_index| ends[sample_index % 2])
            .collect();
        check(&[far]);
    }

    #[test]
    fn a_leap_costs_little_more_than_stillness() {
        for leap in [30, 1000, LARGEST] {
            let step = |step_index: usize| {
                (0..640)
                    .map(|sample_index| if sample_index < step_index { 0 } else { leap })
                    .collect()
            };
            let fine = noise(3, 1);
            let rough = (0..640)
                .map(|sample_index| fine(sample_index) + if sample_index == 99 { leap } else { 0 });
            let columns = [step(1), step(100), step(639), rough.collect()];
            let bytes = check(&columns);
            assert!(bytes < 640, "{bytes}");
        }
    }

    #[test]
    fn what_hardly_moves_hardly_costs() {
        let still = vec![vec![123; 640]; 16];
        assert!(check(&still) < 16 * 10 * 4);
        let sparse: Vec<i32> = (0..640)
            .map(|sample_index| i32::from(sample_index % 64 == 7))
            .collect();
        assert!(check(&[sparse]) < 640 / 8);
    }
}
