//! Smallest-three quantization of rotations to 48 bits.
//!
//! ```text
//! n = q / (1/√2) · 16,383, rounded,   |q| <= 1/√2 for all components but the largest,   q_largest = ± sqrt(1 - Σ q²)
//! ```
//!
//! [`Quat48`] says why the largest is dropped, and has the layout. Packing tries the eight grid points around a rotation
//! and takes the nearest, which lowers the maximum error below that of rounding each component. Cost: one square root to
//! unpack, 17 to pack.

use glam::Quat;

/// Steps from zero to 1/√2, the maximum of a component that is not the largest.
const STEPS: i32 = 16_383;

/// The quantization step.
const STEP: f64 = core::f64::consts::FRAC_1_SQRT_2 / STEPS as f64;

/// The low 15 bits of a word, which hold a component; the bit above is a flag.
const NUMBER: u16 = 0x7fff;

/// A unit quaternion in 48 bits by smallest-three quantization: the index of its largest component, the sign of that
/// one, and the other three at 15 bits each.
///
/// The largest component follows from the others. Dropping it keeps the others below 1/√2 and its own error small.
/// The decoded rotation is within 0.00857° of the original (0.15 mm at one metre); the identity is exact. The sign of
/// the quaternion is kept, so curves through keys stay continuous.
///
/// Three words. The low 15 bits of each hold a number of steps plus 16,383, of w, x, y, z without the largest, in
/// this order. The high bits of the first two words are the index of the largest, 0 to 3 for w, x, y, z, with its low
/// bit in the first word; the high bit of the third word is set if the largest is negative.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Quat48(pub [u16; 3]);

impl Quat48 {
    /// The identity, exactly.
    pub const IDENTITY: Self = Self([STEPS as u16; 3]);

    /// Packs a quaternion of any length. Returns `None` if it is zero or not finite.
    pub fn pack(rotation: Quat) -> Option<Self> {
        let [x, y, z, w] = rotation.to_array().map(f64::from);
        let length = libm::sqrt(x * x + y * y + z * z + w * w);
        if !(length > 0.0 && length.is_finite()) {
            return None;
        }
        let unit = [w, x, y, z].map(|number| number / length);
        let mut largest = 0;
        for index in 1..4 {
            if unit[index].abs() > unit[largest].abs() {
                largest = index;
            }
        }
        let is_negative = unit[largest] < 0.0;
        let others = others(&unit, largest);
        let low = others.map(|number| libm::floor(number / STEP));

        // Rounding each component separately can add up in the largest one. Of the eight surrounding grid points,
        // take the one nearest as a rotation.
        let mut best = ([0; 3], f64::NEG_INFINITY);
        for corner in 0..8 {
            let steps = [0, 1, 2].map(|axis| {
                let up = f64::from((corner >> axis) & 1);
                ((low[axis] + up) as i32).clamp(-STEPS, STEPS)
            });
            let numbers = steps.map(|steps| f64::from(steps) * STEP);
            let [a, b, c] = numbers;
            let left = (1.0 - a * a - b * b - c * c).max(0.0);
            let cosine = others[0] * a
                + others[1] * b
                + others[2] * c
                + unit[largest].abs() * libm::sqrt(left);
            let length = libm::sqrt(a * a + b * b + c * c + left);
            if cosine > best.1 * length || best.1 == f64::NEG_INFINITY {
                best = (steps, cosine / length);
            }
        }
        let mut words = best.0.map(|steps| (steps + STEPS) as u16);
        words[0] |= ((largest & 1) as u16) << 15;
        words[1] |= ((largest >> 1) as u16) << 15;
        words[2] |= u16::from(is_negative) << 15;
        Some(Self(words))
    }

    /// Unpacks to a unit quaternion. Bits that [`pack`](Self::pack) never returns are normalized.
    #[inline]
    pub fn unpack(self) -> Quat {
        const STEP32: f32 = STEP as f32;
        let number = |word: u16| {
            let steps = i32::from(word & NUMBER) - STEPS;
            steps.min(STEPS) as f32 * STEP32
        };
        let Self([first, second, third]) = self;
        let [mut a, mut b, mut c] = [number(first), number(second), number(third)];
        let squared = a * a + b * b + c * c;
        let mut rest = if squared < 1.0 {
            libm::sqrtf(1.0 - squared)
        } else {
            let inverse = 1.0 / libm::sqrtf(squared);
            (a, b, c) = (a * inverse, b * inverse, c * inverse);
            0.0
        };
        if third > NUMBER {
            rest = -rest;
        }
        // Selects instead of branches: the index of the largest varies from joint to joint.
        let largest = (first >> 15) | (second >> 15) << 1;
        let w = if largest == 0 { rest } else { a };
        let x = if largest == 0 { a } else { b };
        let y = if largest < 2 { b } else { c };
        let x = if largest == 1 { rest } else { x };
        let y = if largest == 2 { rest } else { y };
        let z = if largest == 3 { rest } else { c };
        Quat::from_xyzw(x, y, z, w)
    }

    /// Returns the words in little-endian order.
    pub fn to_bytes(self) -> [u8; 6] {
        let [a, b, c] = self.0.map(u16::to_le_bytes);
        [a[0], a[1], b[0], b[1], c[0], c[1]]
    }

    /// Reads the output of [`to_bytes`](Self::to_bytes).
    pub fn from_bytes([a, b, c, d, e, f]: [u8; 6]) -> Self {
        Self([[a, b], [c, d], [e, f]].map(u16::from_le_bytes))
    }
}

/// Returns the three components other than the largest, in order.
fn others(unit: &[f64; 4], largest: usize) -> [f64; 3] {
    match largest {
        0 => [unit[1], unit[2], unit[3]],
        1 => [unit[0], unit[2], unit[3]],
        2 => [unit[0], unit[1], unit[3]],
        _ => [unit[0], unit[1], unit[2]],
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests stop at the first surprise")]
mod tests {
    use super::*;

    /// The documented error bound, in degrees.
    const BOUND: f64 = 0.008_57;

    /// The angle between the original and the decoded rotation, in degrees.
    fn error(wxyz: [f64; 4]) -> f64 {
        let length = libm::sqrt(wxyz.iter().map(|n| n * n).sum());
        let unit = wxyz.map(|number| (number / length) as f32);
        let quat = Quat::from_xyzw(unit[1], unit[2], unit[3], unit[0]);
        let [x, y, z, w] = Quat48::pack(quat).unwrap().unpack().to_array();
        let (into, out) = (unit.map(f64::from), [w, x, y, z].map(f64::from));
        let dot: f64 = into.iter().zip(out).map(|(a, b)| a * b).sum();
        assert!(dot > 0.0, "{unit:?} changed its sign");
        let norm = |v: [f64; 4]| libm::sqrt(v.iter().map(|n| n * n).sum());
        let (a, b) = (norm(into), norm(out));
        let apart: [f64; 4] = core::array::from_fn(|i| into[i] / a - out[i] / b);
        (4.0 * libm::asin(0.5 * norm(apart))).to_degrees()
    }

    /// All permutations of four numbers with all signs.
    fn arranged(numbers: [f64; 4]) -> impl Iterator<Item = [f64; 4]> {
        (0..24 * 16).map(move |case| {
            let (mut order, signs) = (case / 16, case % 16);
            let mut left = numbers.to_vec();
            core::array::from_fn(|place| {
                let number = left.remove(order % left.len());
                order /= left.len() + 1;
                [number, -number][signs >> place & 1]
            })
        })
    }

    /// Pseudo-random bits: xorshift.
    fn random(seed: u64) -> impl Iterator<Item = u64> {
        core::iter::successors(Some(seed), |&x| {
            let x = x ^ (x << 13);
            let x = x ^ (x >> 7);
            Some(x ^ (x << 17))
        })
    }

    /// Random numbers from -1 to 1, four at a time.
    fn random_numbers(seed: u64, count: usize) -> impl Iterator<Item = [f64; 4]> {
        let mut numbers = random(seed).map(|bits| (bits >> 11) as f64 / (1_u64 << 52) as f64 - 1.0);
        (0..count).map(move |_| core::array::from_fn(|_| numbers.next().unwrap()))
    }

    #[test]
    fn zero_and_non_finite_quaternions_are_not_packed() {
        for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            for place in 0..4 {
                let mut numbers = [0.1, 0.2, 0.3, 0.4];
                numbers[place] = bad;
                assert_eq!(Quat48::pack(Quat::from_array(numbers)), None);
            }
        }
        assert_eq!(Quat48::pack(Quat::from_xyzw(0.0, -0.0, 0.0, 0.0)), None);
        for length in [1e-30, 1e30] {
            let long = Quat::from_xyzw(0.0, 0.0, length, 0.0);
            assert_eq!(
                Quat48::pack(long),
                Quat48::pack(Quat::from_xyzw(0.0, 0.0, 1.0, 0.0))
            );
        }
    }

    #[test]
    fn the_identity_and_half_turns_are_exact() {
        for place in 0..4 {
            for sign in [1.0, -1.0] {
                let mut numbers = [0.0; 4];
                numbers[place] = sign;
                let quat = Quat::from_array(numbers);
                assert_eq!(Quat48::pack(quat).unwrap().unpack(), quat);
            }
        }
        assert_eq!(Quat48::pack(Quat::IDENTITY), Some(Quat48::IDENTITY));
        assert_eq!(Quat48([16_383; 3]), Quat48::IDENTITY);
    }

    #[test]
    fn the_error_is_bounded_where_it_is_largest() {
        let mut worst: f64 = 0.0;
        // All four equal, offset by fractions of a step.
        for case in 0..9_i32.pow(3) {
            let part = |axis: u32| f64::from(case / 9_i32.pow(axis) % 9 - 4) / 8.0;
            for whole in [-0.5, 0.0, 0.5, 3.0, 100.0] {
                let near = |axis| 0.5 - STEP * (whole + part(axis));
                let [a, b, c] = [near(0), near(1), near(2)];
                let rest = libm::sqrt(1.0 - a * a - b * b - c * c);
                for numbers in arranged([a, b, c, rest]) {
                    worst = worst.max(error(numbers));
                }
            }
        }
        assert!(worst < BOUND, "{worst}");
    }

    #[test]
    fn the_error_is_bounded_where_the_largest_changes() {
        let half = core::f64::consts::FRAC_1_SQRT_2;
        let third = 1.0 / libm::sqrt(3.0);
        for case in -40..=40 {
            let part = f64::from(case) * STEP / 8.0;
            for numbers in [
                [half + part, half, 0.0, 0.0],
                [half, half, part, 0.0],
                [half, half, part, -part],
                [third + part, third, third, 0.0],
                [third, third, third, part],
                [1.0, part, 0.0, 0.0],
                [1.0, part, part, part],
                [0.5 + part, 0.5, 0.5, 0.5],
                [0.5 + part, 0.5 + part, 0.5, 0.5],
            ] {
                for numbers in arranged(numbers) {
                    let error = error(numbers);
                    assert!(error < BOUND, "{numbers:?}: {error}");
                }
            }
        }
    }

    #[test]
    fn the_error_is_bounded_anywhere() {
        let errors = random_numbers(0x9e37_79b9_7f4a_7c15, 500_000).map(error);
        let worst = errors.fold(0.0, f64::max);
        assert!(worst < BOUND, "{worst}");
    }

    #[test]
    fn any_bits_are_a_rotation() {
        let edges = [0, 1, 16_382, 16_383, 16_384, 27_967, 32_766, 32_767];
        let words = edges.into_iter().flat_map(|low| [low, low | 0x8000]);
        let words: alloc::vec::Vec<u16> = words.collect();
        let is_unit = |packed: Quat48| {
            let numbers = packed.unpack().to_array().map(f64::from);
            let squared: f64 = numbers.iter().map(|n| n * n).sum();
            (squared - 1.0).abs() < 1e-6
        };
        for &a in &words {
            for &b in &words {
                for &c in &words {
                    assert!(is_unit(Quat48([a, b, c])), "{a:x} {b:x} {c:x}");
                }
            }
        }
        for bits in random(7).take(300_000) {
            let [a, b, c, d, e, f, _, _] = bits.to_le_bytes();
            let packed = Quat48::from_bytes([a, b, c, d, e, f]);
            assert_eq!(packed.to_bytes(), [a, b, c, d, e, f]);
            assert!(is_unit(packed), "{packed:?}");
        }
    }

    #[test]
    fn packing_is_idempotent() {
        let mut same = 0;
        for numbers in random_numbers(99, 100_000) {
            let numbers = numbers.map(|number| number as f32);
            let once = Quat48::pack(Quat::from_array(numbers)).unwrap();
            let twice = Quat48::pack(once.unpack()).unwrap();
            // If two components are equally large, either may be dropped.
            let largest = |packed: Quat48| packed.0.map(|word| word >> 15);
            if largest(once) == largest(twice) {
                assert_eq!(once, twice);
                same += 1;
            }
        }
        assert!(same > 99_900, "{same}");
    }
}
