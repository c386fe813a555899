//! Turns between rotations, eight at a time: [`quat_slerp`](crate::math::quat_slerp) to the bit.
//!
//! The arc cosine and the sine are those of `libm`, for the arguments that occur here: cosines from 0 to 1 and angles
//! from 0 to a quarter turn. The same operations in the same order give the same bits; a test compares them with
//! `libm`. Their numbers and formulas are from msun, whose notice is:
//!
//! > Copyright (C) 1993 by Sun Microsystems, Inc. All rights reserved. Developed at SunPro, a Sun Microsystems, Inc.
//! > business. Permission to use, copy, modify, and distribute this software is freely granted, provided that this
//! > notice is preserved.

use crate::simd::{quat_dot, quat_normalize};
use fearless_simd::prelude::*;
use fearless_simd::{f32x8, f64x4, u32x8};

/// As in `math/quat.rs`.
const STRAIGHT_BELOW: f32 = 1e-3;

/// Half of pi in two parts: rounded down, and the rest.
const HALF_PI: [f32; 2] = [f32::from_bits(0x3fc9_0fda), f32::from_bits(0x33a2_2168)];

/// Up to this cosine the angle is half of pi: 2⁻²⁶.
const NO_COSINE: f32 = 1.0 / 67_108_864.0;

/// The largest number that is below a quarter of pi.
const QUARTER_PI: f32 = f32::from_bits(0x3f49_0fda);

/// The arc cosine's fraction: above and below.
const P: [f32; 3] = [1.666_658_7e-1, -4.274_342_2e-2, -8.656_363e-3];
const Q: f32 = -7.066_296_3e-1;

/// The sine and the cosine near 0.
const S: [f64; 4] = [
    -0.166_666_666_416_265_24,
    0.008_333_329_385_889_463,
    -0.000_198_393_348_360_966_32,
    0.000_002_718_311_493_989_822,
];
const C: [f64; 4] = [
    -0.499_999_997_251_031,
    0.041_666_623_323_739_06,
    -0.001_388_676_377_460_993,
    0.000_024_390_448_796_277_41,
];

/// From `a` to `b` the shorter way; `ratio` from 0 to 1.
#[inline(always)]
pub(super) fn slerp<S: Simd>(
    simd: S,
    a: [f32x8<S>; 4],
    b: [f32x8<S>; 4],
    ratio: f32,
) -> [f32x8<S>; 4] {
    let (zero, one) = (f32x8::splat(simd, 0.0), f32x8::splat(simd, 1.0));
    let (to, from) = (f32x8::splat(simd, ratio), f32x8::splat(simd, 1.0 - ratio));
    let dot = quat_dot(a, b);
    let is_far = dot.simd_lt(zero);
    let mut near = b;
    for row in &mut near {
        *row = is_far.select(-*row, *row);
    }
    // What is no number is not below 1.
    let cosine = dot.abs();
    let cosine = cosine.simd_lt(one).select(cosine, one);
    let angle = arc_cosine(simd, cosine);
    let whole = sine(simd, angle);
    let is_straight = whole.simd_le(f32x8::splat(simd, STRAIGHT_BELOW));
    let straight = quat_normalize(simd, weighted(a, from, near, to));
    let inverse = one / whole;
    let turned = weighted(
        a,
        sine(simd, from * angle) * inverse,
        near,
        sine(simd, to * angle) * inverse,
    );
    let mut mixed = turned;
    for (row, straight) in mixed.iter_mut().zip(&straight) {
        *row = is_straight.select(*straight, *row);
    }
    mixed
}

#[inline(always)]
fn weighted<S: Simd>(
    a: [f32x8<S>; 4],
    s: f32x8<S>,
    b: [f32x8<S>; 4],
    t: f32x8<S>,
) -> [f32x8<S>; 4] {
    let mut sum = a;
    for (sum, b) in sum.iter_mut().zip(&b) {
        *sum = *sum * s + *b * t;
    }
    sum
}

/// The angle of a cosine from 0 to 1.
#[inline(always)]
fn arc_cosine<S: Simd>(simd: S, x: f32x8<S>) -> f32x8<S> {
    let splat = |number: f32| f32x8::splat(simd, number);
    let (half, one, two) = (splat(0.5), splat(1.0), splat(2.0));
    let [pi_high, pi_low] = [splat(HALF_PI[0]), splat(HALF_PI[1])];

    let large = pi_high - (x - (pi_low - x * fraction(simd, x * x)));
    let large = x.simd_le(splat(NO_COSINE)).select(pi_high, large);

    let z = (one - x) * half;
    let s = z.sqrt();
    let bits: u32x8<S> = s.bitcast();
    let high: f32x8<S> = (bits & u32x8::splat(simd, 0xffff_f000)).bitcast();
    let rest = (z - high * high) / (s + high);
    let small = two * (high + (fraction(simd, z) * s + rest));
    let small = x.simd_lt(one).select(small, splat(0.0));

    x.simd_lt(half).select(large, small)
}

#[inline(always)]
fn fraction<S: Simd>(simd: S, z: f32x8<S>) -> f32x8<S> {
    let [p0, p1, p2] = [
        f32x8::splat(simd, P[0]),
        f32x8::splat(simd, P[1]),
        f32x8::splat(simd, P[2]),
    ];
    let above = z * (p0 + z * (p1 + z * p2));
    let below = f32x8::splat(simd, 1.0) + z * f32x8::splat(simd, Q);
    above / below
}

/// The sine of an angle from 0 to a quarter turn.
#[inline(always)]
fn sine<S: Simd>(simd: S, x: f32x8<S>) -> f32x8<S> {
    let (low, high) = simd.widen_f32x8(x);
    let small = simd.narrow_f64x4(small_sine(simd, low), small_sine(simd, high));
    let large = simd.narrow_f64x4(large_sine(simd, low), large_sine(simd, high));
    let is_small = x.simd_le(f32x8::splat(simd, QUARTER_PI));
    is_small.select(small, large)
}

#[inline(always)]
fn small_sine<S: Simd>(simd: S, x: f64x4<S>) -> f64x4<S> {
    let [s1, s2, s3, s4] = splats(simd, S);
    let z = x * x;
    let w = z * z;
    let r = s3 + z * s4;
    let s = z * x;
    (x + s * (s1 + z * s2)) + s * w * r
}

/// The cosine of what is missing to a quarter turn.
#[inline(always)]
fn large_sine<S: Simd>(simd: S, x: f64x4<S>) -> f64x4<S> {
    let [c0, c1, c2, c3] = splats(simd, C);
    let x = x - f64x4::splat(simd, core::f64::consts::FRAC_PI_2);
    let z = x * x;
    let w = z * z;
    let r = c2 + z * c3;
    ((f64x4::splat(simd, 1.0) + z * c0) + w * c1) + (w * z) * r
}

#[inline(always)]
fn splats<S: Simd>(simd: S, numbers: [f64; 4]) -> [f64x4<S>; 4] {
    [
        f64x4::splat(simd, numbers[0]),
        f64x4::splat(simd, numbers[1]),
        f64x4::splat(simd, numbers[2]),
        f64x4::splat(simd, numbers[3]),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{quat_mul, quat_normalize, quat_slerp};
    use crate::simd::{LANES, SimdLevel, dispatch, load, load_rows, store_rows};
    use alloc::vec::Vec;
    use glam::Quat;

    #[test]
    fn functions_are_those_of_libm_to_the_bit() {
        // Every number that occurs is between two of these.
        let cosines = (0..=0x3f80_0000_u32).step_by(997).map(f32::from_bits);
        let cosines = cosines.chain([
            0.0,
            0.5,
            0.5_f32.next_down(),
            1.0,
            1.0_f32.next_down(),
            NO_COSINE,
            NO_COSINE.next_up(),
        ]);
        let angles = (0..=0x3fc9_0fdb_u32).step_by(997).map(f32::from_bits);
        let angles = angles.chain([QUARTER_PI, QUARTER_PI.next_up(), libm::acosf(0.0)]);
        let (cosines, angles): (Vec<f32>, Vec<f32>) = (cosines.collect(), angles.collect());
        for level in SimdLevel::all().filter(|level| *level != SimdLevel::OFF) {
            for (numbers, is_sine) in [(&cosines, false), (&angles, true)] {
                for eight in numbers.chunks(LANES) {
                    let mut row = [0.0; LANES];
                    row[..eight.len()].copy_from_slice(eight);
                    let mut found = [0.0; LANES];
                    dispatch!(level, off => (), simd => {
                        let x = load(simd, &row);
                        let y = if is_sine { sine(simd, x) } else { arc_cosine(simd, x) };
                        y.store_array(&mut found);
                    });
                    for (x, found) in row.iter().zip(found) {
                        let expected = if is_sine {
                            libm::sinf(*x)
                        } else {
                            libm::acosf(*x)
                        };
                        assert_eq!(found.to_bits(), expected.to_bits(), "{x} {}", level.name());
                    }
                }
            }
        }
    }

    #[test]
    fn turns_are_those_of_one_at_a_time_to_the_bit() {
        let some = |seed: usize| {
            let f = seed as f32;
            let [x, y, z, w] = [f * 1.7, f * 0.9, f * 0.37, f * 2.3].map(libm::sinf);
            quat_normalize(Quat::from_xyzw(x, y, z, w + 0.01))
        };
        let mut pairs: Vec<(Quat, Quat)> = Vec::new();
        for seed in 0..4000 {
            let a = some(seed);
            // Near and far, on either side of what counts as straight.
            let size = libm::exp2f(-((seed % 29) as f32));
            let turn = quat_normalize(Quat::from_xyzw(size, -size, size * 0.3, 1.0));
            pairs.push((a, some(seed * 7 + 3)));
            pairs.push((a, quat_mul(turn, a)));
            pairs.push((a, crate::math::quat_negate(quat_mul(turn, a))));
        }
        let odd = [0.0, 1.0, f32::NAN, f32::INFINITY, 1e-30, 1e30];
        for a in odd {
            for b in odd {
                pairs.push((
                    Quat::from_xyzw(a, 0.0, b, 0.0),
                    Quat::from_xyzw(b, a, 0.0, 0.0),
                ));
            }
        }
        for level in SimdLevel::all().filter(|level| *level != SimdLevel::OFF) {
            for (at, eight) in pairs.chunks(LANES).enumerate() {
                let ratio = [0.0, 1e-6, 0.25, 0.5, 0.9, 1.0][at % 6];
                let mut rows = [[[0.0; LANES]; 4]; 2];
                for (lane, (a, b)) in eight.iter().enumerate() {
                    for (rows, q) in rows.iter_mut().zip([a, b]) {
                        for (row, number) in rows.iter_mut().zip(q.to_array()) {
                            row[lane] = number;
                        }
                    }
                }
                let mut found = [[0.0; LANES]; 4];
                dispatch!(level, off => (), simd => {
                    let [a, b] = [load_rows(simd, &rows[0]), load_rows(simd, &rows[1])];
                    store_rows(slerp(simd, a, b, ratio), &mut found);
                });
                for (lane, (a, b)) in eight.iter().enumerate() {
                    let expected = quat_slerp(*a, *b, ratio).to_array().map(f32::to_bits);
                    let found = found.map(|row| row[lane].to_bits());
                    let is_no_number = |bits: u32| f32::from_bits(bits).is_nan();
                    let same = expected.iter().zip(found).all(|(&expected, found)| {
                        // Which of many no numbers it is does not matter.
                        expected == found || is_no_number(expected) && is_no_number(found)
                    });
                    assert!(same, "{a} to {b} by {ratio} with {}", level.name());
                }
            }
        }
    }
}
