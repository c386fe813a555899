//! Decodes the unary parts of Rice codes eight bits at a time by table.
//!
//! A unary part is `n` zeros and a one, so part `i` is `end[i] - end[i-1] - 1` with `end[i]` the position of the
//! `i`-th one bit. A 256-entry table gives the positions of the ones in a byte; prefix sums of the bit counts give
//! where to store them. Cost: eight lookups and eight stores per 64 bits, without branches that depend on the data.

use super::super::bits::window;
use super::SEGMENT;
use crate::simd::LANES;

/// The positions of the one bits, relative to the first bit and modulo 256: a unary part is the difference of two
/// minus one. They start at [`FIRST`]; at [`RAMP`] are positions whose unary parts are all zero.
pub(crate) type Ends = [u8; RAMP + SEGMENT + 1];

/// The entries before it are for the leading samples, whose unary parts are zero.
pub(crate) const FIRST: usize = 8;

/// The start of the ramp, after the maximum number of ends and padding for the last write.
pub(crate) const RAMP: usize = FIRST + LANES * SEGMENT + WRITTEN;

/// Padding for the ones of 64 bits: larger than needed, so the compiler removes bounds checks.
const WRITTEN: usize = 264;

/// Zero unary parts that are appended after the last.
const BEYOND: usize = 32;

/// Returns an array that contains only the ramp.
#[inline(always)]
pub(crate) fn no_ends() -> Ends {
    let mut ends = [0; RAMP + SEGMENT + 1];
    for (end, position) in ends[RAMP..].iter_mut().zip(0..) {
        *end = position;
    }
    ends
}

/// For each byte, the positions of its ones in ascending order, one per byte of the word.
static ONES: [u64; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let (mut bit, mut found) = (0, 0);
        while bit < 8 {
            if byte >> bit & 1 == 1 {
                table[byte] |= (bit as u64) << (8 * found);
                found += 1;
            }
            bit += 1;
        }
        byte += 1;
    }
    table
};

/// The bit offset of each byte in four windows of 64 bits, replicated to all eight bytes of a word.
static BASES: [[u64; 8]; 4] = {
    let mut bases = [[0; 8]; 4];
    let mut byte = 0;
    while byte < 32 {
        bases[byte / 8][byte % 8] = 8 * byte as u64 * 0x0101_0101_0101_0101;
        byte += 1;
    }
    bases
};

/// Writes the positions of the ones in ascending order, plus a multiple of 64; returns their number.
#[inline(always)]
fn find_ones(bits: u64, base: u8, ends: &mut [u8; WRITTEN]) -> usize {
    // The ones in each pair of bits, in each four, in each byte. The product sums each byte and all below it in its place;
    // a sum is at most 64, so none carries into the next byte.
    let pairs = bits - (bits >> 1 & 0x5555_5555_5555_5555);
    let fours = (pairs & 0x3333_3333_3333_3333) + (pairs >> 2 & 0x3333_3333_3333_3333);
    let bytes = (fours + (fours >> 4)) & 0x0f0f_0f0f_0f0f_0f0f;
    let below = bytes.wrapping_mul(0x0101_0101_0101_0101);
    let bases = &BASES[usize::from(base / 64)];
    let mut count = 0;
    for byte in 0..8 {
        let positions = ONES[usize::from((bits >> (8 * byte)) as u8)] | bases[byte];
        // Always eight positions: the next byte's overwrite the surplus, so no branch depends on the data.
        ends[count..count + 8].copy_from_slice(&positions.to_le_bytes());
        count = usize::from((below >> (8 * byte)) as u8);
    }
    count
}

/// Finds the ends of the unary parts, and returns the bit after the last.
#[inline(always)]
pub(crate) fn read_unary(words: &[u32], start: usize, total: usize, ends: &mut Ends) -> usize {
    // Zero unary parts before the first.
    ends[..FIRST].copy_from_slice(&[248, 249, 250, 251, 252, 253, 254, 255]);
    let mut found = FIRST;
    let total = FIRST + total.min(LANES * SEGMENT);
    let mut bit = start;
    let mut end = start;
    while found < total && bit / 32 <= words.len() {
        let bits = window(words, bit);
        let base = (bit - start) as u8;
        if let Some(ends) = ends[found..].first_chunk_mut() {
            found += find_ones(bits, base, ends);
        }
        end = bit + usize::from(ends[total - 1].wrapping_sub(base)) + 1;
        bit += 64;
    }
    if found < total {
        end = end_early(words, start, found, &mut ends[..total]);
    }
    // Zero unary parts after the last.
    let last = ends[total - 1];
    for (end, by) in ends[total..][..BEYOND].iter_mut().zip(1..) {
        *end = last.wrapping_add(by);
    }
    end
}

/// Handles words that end too early: missing unary parts are zero.
#[cold]
#[inline(never)]
fn end_early(words: &[u32], start: usize, found: usize, ends: &mut [u8]) -> usize {
    for index in found..ends.len() {
        ends[index] = ends[index - 1].wrapping_add(1);
    }
    start.max(words.len() * 32)
}
