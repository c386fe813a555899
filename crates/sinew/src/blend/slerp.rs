//! Spherical linear interpolation (slerp) of unit quaternions without trigonometry, scalar and with eight lanes, each
//! with its own ratio.
//!
//! With θ the angle between two unit quaternions `a` and `b`, taken with the signs for which `a · b = cos θ >= 0`,
//!
//! ```text
//! slerp(a, b, t) = a · sin((1 - t) θ) / sin θ + b · sin(t θ) / sin θ
//! ```
//!
//! Both weights are values of one function. With half the angle, φ = θ / 2, and y = cos φ = sqrt((1 + cos θ) / 2),
//!
//! ```text
//! sin(t θ) / sin θ = U(2 t, y) / (2 y),      U(T, y) = sin(T φ) / sin φ
//! U(T, y) = T (1 + (T² - 1) k₁ z (1 + (T² - 4) k₂ z (1 + (T² - 9) k₃ z (...)))),    z = y - 1,  kᵢ = 1 / (i (2 i + 1))
//! ```
//!
//! U is a Chebyshev polynomial of the second kind if T is an integer, and this series otherwise (David Eberly, "A
//! Fast and Accurate Algorithm for Computing SLERP", 2011, who uses it without halving the angle). Halving keeps z
//! between -0.293 and 0, so each term is at most 0.15 of the preceding one: five terms suffice, instead of sixteen
//! for the full angle. As in Eberly's paper the last coefficient is enlarged to compensate for the truncated terms.
//!
//! The weights are within 1e-7 of exact for rotations half a turn apart, 2e-8 up to a third of a turn and 1e-9 up to
//! a quarter, which is below the rounding of `f32`. No divisor is small, so equal rotations need no special case.
//! Eight quaternions cost about 75 vector operations with one division and one square root; arccosine and sine of
//! `libm` in `f64` lanes cost 345.

use crate::math::{quat_dot, quat_negate, quat_weighted};
use crate::simd;
use fearless_simd::f32x8;
use fearless_simd::prelude::*;
use glam::Quat;

/// The squares `i²` and coefficients `kᵢ` of the series, from the last term to the first. The last coefficient is
/// 1.145 times its value, which minimizes the maximum error.
const TERMS: [(f32, f32); 5] = [
    (25.0, 1.145 / 55.0),
    (16.0, 1.0 / 36.0),
    (9.0, 1.0 / 21.0),
    (4.0, 1.0 / 10.0),
    (1.0, 1.0 / 3.0),
];

/// Interpolates from `a` to `b` along the shorter arc. `ratio` is from 0 to 1; outside, the series does not converge.
/// NaN propagates.
pub(crate) fn slerp(a: Quat, b: Quat, ratio: f32) -> Quat {
    let dot = quat_dot(a, b);
    let b = if dot < 0.0 { quat_negate(b) } else { b };
    // NaN is not below 1.
    let cosine = dot.abs();
    let cosine = if cosine < 1.0 { cosine } else { 1.0 };
    let half_cosine = libm::sqrtf(0.5 + 0.5 * cosine);
    let z = half_cosine - 1.0;
    let inverse = 0.5 / half_cosine;
    let rest = 1.0 - ratio;
    let (from, to) = (rest + rest, ratio + ratio);
    let (from_squared, to_squared) = (from * from, to * to);
    let (mut from_sum, mut to_sum) = (1.0, 1.0);
    for &(square, coefficient) in &TERMS {
        let factor = z * coefficient;
        from_sum = 1.0 + (from_squared - square) * factor * from_sum;
        to_sum = 1.0 + (to_squared - square) * factor * to_sum;
    }
    quat_weighted(a, from * from_sum * inverse, b, to * to_sum * inverse)
}

/// [`slerp`] by lane, bit-identical.
#[inline(always)]
pub(super) fn slerp_lanes<S: Simd>(
    simd: S,
    a: [f32x8<S>; 4],
    b: [f32x8<S>; 4],
    ratio: f32x8<S>,
) -> [f32x8<S>; 4] {
    let splat = |number: f32| f32x8::splat(simd, number);
    let (half, one) = (splat(0.5), splat(1.0));
    let dot = simd::quat_dot(a, b);
    let is_opposite = dot.simd_lt(splat(0.0));
    let cosine = dot.abs();
    let cosine = cosine.simd_lt(one).select(cosine, one);
    let half_cosine = (half + half * cosine).sqrt();
    let z = half_cosine - one;
    let inverse = half / half_cosine;
    let rest = one - ratio;
    let (from, to) = (rest + rest, ratio + ratio);
    let (from_squared, to_squared) = (from * from, to * to);
    let (mut from_sum, mut to_sum) = (one, one);
    for &(square, coefficient) in &TERMS {
        let square = splat(square);
        let factor = z * splat(coefficient);
        from_sum = one + (from_squared - square) * factor * from_sum;
        to_sum = one + (to_squared - square) * factor * to_sum;
    }
    let (from, to) = (from * from_sum * inverse, to * to_sum * inverse);
    // The sign of `b` is applied to its weight: the product has the same bits.
    let to = is_opposite.select(-to, to);
    let mut mixed = a;
    for (row, b) in mixed.iter_mut().zip(&b) {
        *row = *row * from + *b * to;
    }
    mixed
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{quat_mul, quat_normalize};
    use crate::simd::{LANES, SimdLevel, dispatch, load, load_rows, store_rows};
    use alloc::vec::Vec;

    fn rotation(seed: u32) -> Quat {
        let number = |salt: u32| libm::sinf((seed * 7 + salt) as f32 * 1.37);
        quat_normalize(Quat::from_xyzw(number(1), number(2), number(3), number(4)))
    }

    /// Pairs at all angles from equal to half a turn and beyond, some with opposite signs.
    fn pairs() -> Vec<(Quat, Quat)> {
        let pair = |seed: u32| {
            let angle = core::f32::consts::PI * 1.3 * (seed % 97) as f32 / 96.0;
            let (sine, cosine) = (libm::sinf(angle * 0.5), libm::cosf(angle * 0.5));
            let a = rotation(seed);
            let axis = rotation(seed + 50).xyz().normalize_or(glam::Vec3::Y) * sine;
            let turn = Quat::from_xyzw(axis.x, axis.y, axis.z, cosine);
            (a, quat_normalize(quat_mul(turn, a)))
        };
        (0..970).map(pair).collect()
    }

    const RATIOS: [f32; 8] = [0.0, 1e-6, 0.1, 0.3, 0.5, 0.8, 0.999, 1.0];

    /// The formula with sines, in `f64`.
    fn exact(a: Quat, b: Quat, ratio: f64) -> [f64; 4] {
        let (a, b) = (a.to_array().map(f64::from), b.to_array().map(f64::from));
        let dot: f64 = a.iter().zip(b).map(|(a, b)| a * b).sum();
        let sign = if dot < 0.0 { -1.0 } else { 1.0 };
        let angle = libm::acos(dot.abs().min(1.0));
        let sine = libm::sin(angle);
        let weight = |ratio: f64| match sine > 1e-9 {
            true => libm::sin(ratio * angle) / sine,
            false => ratio,
        };
        core::array::from_fn(|row| a[row] * weight(1.0 - ratio) + sign * b[row] * weight(ratio))
    }

    #[test]
    fn it_is_within_rounding_of_the_formula_with_sines() {
        for (a, b) in pairs() {
            for ratio in RATIOS {
                let found = slerp(a, b, ratio).to_array().map(f64::from);
                let expected = exact(a, b, f64::from(ratio));
                // At half a turn rounding decides which arc is shorter.
                if quat_dot(a, b).abs() < 1e-6 {
                    continue;
                }
                for (found, expected) in found.iter().zip(expected) {
                    assert!((found - expected).abs() < 4e-7, "{a} {b} {ratio}");
                }
            }
        }
    }

    #[test]
    fn lanes_are_the_scalar_function_to_the_bit() {
        for level in SimdLevel::all().filter(|level| *level != SimdLevel::OFF) {
            for (pairs, ratio) in pairs().chunks_exact(LANES).zip(RATIOS.iter().cycle()) {
                let mut rows = [[[0.0; LANES]; 4]; 2];
                for (lane, (a, b)) in pairs.iter().enumerate() {
                    for (rows, rotation) in rows.iter_mut().zip([a, b]) {
                        for (row, number) in rows.iter_mut().zip(rotation.to_array()) {
                            row[lane] = number;
                        }
                    }
                }
                let ratios: [f32; LANES] =
                    core::array::from_fn(|lane| (ratio + lane as f32 * 0.07).min(1.0));
                let mut found = [[0.0; LANES]; 4];
                dispatch!(level, off => (), simd => {
                    let [a, b] = [load_rows(simd, &rows[0]), load_rows(simd, &rows[1])];
                    store_rows(slerp_lanes(simd, a, b, load(simd, &ratios)), &mut found);
                });
                for (lane, (a, b)) in pairs.iter().enumerate() {
                    let expected = slerp(*a, *b, ratios[lane]).to_array().map(f32::to_bits);
                    let found = found.map(|row| row[lane].to_bits());
                    assert_eq!(found, expected, "{a} {b} {}", level.name());
                }
            }
        }
    }
}
