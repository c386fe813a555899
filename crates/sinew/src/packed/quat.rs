//! Smallest-three quantization of unit quaternions, for constants of tracks: fixed rotations, means and axes.
//!
//! `pack` drops the component of largest magnitude, whose index takes two bits, and quantizes the other three:
//!
//! ```text
//! n = round(q / (1/√2) · h) + h,   h = 2^(bits - 1) - 1,        |q| <= 1/√2 for all but the largest
//! q_largest = sqrt(1 - a² - b² - c²)
//! ```
//!
//! `-q` is the same rotation, so the dropped component is made positive. Dropping the largest keeps the square root
//! away from zero, where it would amplify the error. Cost: `2 + 3 bits` bits; one square root and a normalization,
//! once per track at loading.

use crate::math::quat_normalize;
use core::f64::consts::FRAC_1_SQRT_2;
use glam::Quat;

/// Bits per component for means and axes, which only centre the coded coordinates.
pub const COARSE: u32 = 10;

/// Bits per component for rotations that are the value itself, or whose axes drop coordinates.
pub const FINE: u32 = 20;

/// Packs a unit quaternion: the index of the largest component, and the other three at `bits` each.
pub fn pack(q: [f64; 4], bits: u32) -> u64 {
    let largest = (0..4).fold(0, |best, index| {
        if q[index].abs() > q[best].abs() {
            index
        } else {
            best
        }
    });
    let sign = if q[largest] < 0.0 { -1.0 } else { 1.0 };
    let half = ((1u64 << (bits - 1)) - 1) as f64;
    let rest = (0..4).filter(|&index| index != largest);
    rest.enumerate()
        .fold(largest as u64, |packed, (field, index)| {
            let step = libm::rint(q[index] * sign / FRAC_1_SQRT_2 * half).clamp(-half, half);
            let offset = (step + half) as u64;
            packed | offset << (2 + bits * field as u32)
        })
}

/// Unpacks the result of [`pack`] with the same `bits`; any input gives a unit quaternion.
pub fn unpack(packed: u64, bits: u32) -> Quat {
    let largest = (packed & 3) as usize;
    let half = ((1u64 << (bits - 1)) - 1) as f64;
    let mask = (1u64 << bits) - 1;
    let mut q = [0.0; 4];
    let mut squares = 0.0;
    let rest = (0..4).filter(|&index| index != largest);
    for (field, index) in rest.enumerate() {
        let offset = (packed >> (2 + bits * field as u32)) & mask;
        q[index] = (offset as f64 - half) / half * FRAC_1_SQRT_2;
        squares += q[index] * q[index];
    }
    q[largest] = libm::sqrt((1.0 - squares).max(0.0));
    quat_normalize(Quat::from_array(q.map(|number| number as f32)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{quat_angle, quat_dot};

    #[test]
    fn rotations_come_back_as_near_as_their_bits_allow() {
        for (bits, limit) in [(COARSE, 0.006), (FINE, 6e-6)] {
            for i in 0..4000 {
                let f = f64::from(i);
                let q = [
                    libm::sin(f * 1.7),
                    libm::cos(f * 0.9),
                    libm::sin(f * 0.31 + 1.0),
                    libm::cos(f * 0.07),
                ];
                let length = libm::sqrt(q.iter().map(|n| n * n).sum());
                let q = q.map(|n| n / length);
                let back = unpack(pack(q, bits), bits);
                let exact = Quat::from_array(q.map(|n| n as f32));
                assert!(quat_angle(exact, back) < limit, "{bits} {i}");
            }
            assert_eq!(
                unpack(pack([0.0, 0.0, 0.0, 1.0], bits), bits),
                Quat::IDENTITY
            );
        }
    }

    #[test]
    fn any_bits_are_a_rotation() {
        for bits in [COARSE, FINE] {
            for seed in 0..10_000u64 {
                let q = unpack(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15), bits);
                assert!((quat_dot(q, q) - 1.0).abs() < 1e-6);
            }
        }
    }
}
