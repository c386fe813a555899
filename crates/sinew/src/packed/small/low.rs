//! Unpacks the low bits of Rice codes, eight residuals at a time.
//!
//! Eight residuals of `k` low bits take `k` bytes, so every eight of a component start at the same bit within a byte,
//! and one table entry serves all of them. Residual `i` starts at bit `b = start + i k`:
//!
//! ```text
//! pair = bytes[b / 8] | bytes[b / 8 + 1] << 8                      byte shuffle to a 16-bit lane
//! low  = (pair * 2^(16 - k - b mod 8)) >> (16 - k)                 multiply, then one uniform shift
//! ```
//!
//! The multiplication replaces a shift by a different count per lane, which AVX2 lacks. Cost per eight
//! residuals: a load, a shuffle, a multiplication and a shift.

use crate::simd::LANES;
use fearless_simd::prelude::*;
use fearless_simd::{u8x16, u16x8};

/// The maximum number of low bits of this method: at any start within a byte they span at most two bytes.
pub(crate) const NARROW: u32 = 9;

/// The table entry that expands the low bits of eight residuals to 16-bit lanes.
pub(crate) struct Spread {
    /// The two bytes of each residual.
    pub shuffle: [u8; 16],
    /// The power of two that moves the bits to the top of the lane; 0 without low bits.
    pub factors: [u16; LANES],
}

/// Indexed by the number of low bits and the start bit within a byte.
pub(crate) static SPREADS: [[Spread; 8]; NARROW as usize + 1] = {
    let mut spreads = [const {
        [const {
            Spread {
                shuffle: [0; 16],
                factors: [0; LANES],
            }
        }; 8]
    }; NARROW as usize + 1];
    let mut bits = 1;
    while bits <= NARROW as usize {
        let mut start = 0;
        while start < 8 {
            let spread = &mut spreads[bits][start];
            let mut lane = 0;
            while lane < LANES {
                let bit = start + lane * bits;
                spread.shuffle[2 * lane] = (bit / 8) as u8;
                spread.shuffle[2 * lane + 1] = (bit / 8 + 1) as u8;
                spread.factors[lane] = 1 << (16 - bits - bit % 8);
                lane += 1;
            }
            start += 1;
        }
        bits += 1;
    }
    spreads
};

/// The bytes of the low bits of a narrow component, starting at the anchor.
pub(crate) type LowBytes = [u8; 7 * NARROW as usize + 17];

/// Returns the bytes in place, in little-endian order; `None` if out of range or on a big-endian machine.
#[inline(always)]
pub(crate) fn bytes_from(words: &[u32], byte: usize) -> Option<&LowBytes> {
    if cfg!(target_endian = "big") {
        return None;
    }
    let bytes: &[u8] = bytemuck::cast_slice(words);
    bytes.get(byte..)?.first_chunk()
}

/// Copies the bytes of any position; out of range they are zero.
#[cold]
#[inline(never)]
pub(crate) fn gather_bytes(words: &[u32], byte: usize) -> LowBytes {
    core::array::from_fn(|by| {
        let index = byte.wrapping_add(by);
        let word = words.get(index / 4).copied().unwrap_or(0);
        (word >> (8 * (index % 4))) as u8
    })
}

/// Returns the byte pair of each of eight residuals.
#[inline(always)]
pub(crate) fn pairs<S: Simd>(simd: S, bytes: &[u8], shuffle: u8x16<S>) -> u16x8<S> {
    let bytes = u8x16::from_slice(simd, bytes);
    simd.swizzle_dyn_u8x16(bytes, shuffle).bitcast()
}
