//! Low bits: eight residuals at a time.
//!
//! Those of eight residuals are as many bytes as there are low bits of each, so all eights of a component begin at
//! the same bit of a byte. A shuffle puts the two bytes that a residual's bits are in into a lane of sixteen, a
//! factor moves the bits to the top of it, and a shift by as much in all lanes moves them down.

use crate::simd::LANES;
use fearless_simd::prelude::*;
use fearless_simd::{u8x16, u16x8};

/// The most low bits that are read so: wherever they begin in a byte, they are within two.
pub(crate) const NARROW: u32 = 9;

/// How low bits of eight residuals become numbers of sixteen bits.
pub(crate) struct Spread {
    /// The two bytes that each is in.
    pub shuffle: [u8; 16],
    /// What moves it to the top of these; 0 for those without low bits.
    pub factors: [u16; LANES],
}

/// By how many low bits there are, and the bit of a byte at which they begin.
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

/// Bytes that low bits of narrow components are in, from those of the anchor on.
pub(crate) type LowBytes = [u8; 7 * NARROW as usize + 17];

/// Bytes of words, lowest first, where they are.
#[inline(always)]
pub(crate) fn bytes_from(words: &[u32], byte: usize) -> Option<&LowBytes> {
    if cfg!(target_endian = "big") {
        return None;
    }
    let bytes: &[u8] = bytemuck::cast_slice(words);
    bytes.get(byte..)?.first_chunk()
}

/// The same of any words; before their beginning and beyond their end there are zeros.
#[cold]
#[inline(never)]
pub(crate) fn gather_bytes(words: &[u32], byte: usize) -> LowBytes {
    core::array::from_fn(|by| {
        let at = byte.wrapping_add(by);
        let word = words.get(at / 4).copied().unwrap_or(0);
        (word >> (8 * (at % 4))) as u8
    })
}

/// For each of eight residuals the bytes that its low bits are in.
#[inline(always)]
pub(crate) fn pairs<S: Simd>(simd: S, bytes: &[u8], shuffle: u8x16<S>) -> u16x8<S> {
    let bytes = u8x16::from_slice(simd, bytes);
    simd.swizzle_dyn_u8x16(bytes, shuffle).bitcast()
}
