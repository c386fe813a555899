//! Unary numbers: the ones of a byte at a time, by table.

use super::super::bits::window;
use super::SEGMENT;
use crate::simd::LANES;

/// The bits at which unary numbers end, counted from the first, of which the lowest eight are kept: a number is
/// the difference of two, less one. They begin at [`FIRST`]; at [`RAMP`] is a row of numbers that are all zero.
pub(crate) type Ends = [u8; RAMP + SEGMENT + 1];

/// Before it is room for the rows that are known, as if they were zero.
pub(crate) const FIRST: usize = 8;

/// After the most ends that there are, and room for what is written beyond.
pub(crate) const RAMP: usize = FIRST + LANES * SEGMENT + WRITTEN;

/// Room for the ones of 64 bits: more than there can be, so that the compiler sees that they fit.
const WRITTEN: usize = 264;

/// Zeros that are read beyond the last number.
const BEYOND: usize = 32;

/// None but the ramp.
#[inline(always)]
pub(crate) fn no_ends() -> Ends {
    let mut ends = [0; RAMP + SEGMENT + 1];
    for (end, place) in ends[RAMP..].iter_mut().zip(0..) {
        *end = place;
    }
    ends
}

/// For each byte, which bits are ones, from the lowest on.
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

/// The bits before each byte, for each of four times 64 bits: eight times in a word.
static BASES: [[u64; 8]; 4] = {
    let mut bases = [[0; 8]; 4];
    let mut byte = 0;
    while byte < 32 {
        bases[byte / 8][byte % 8] = 8 * byte as u64 * 0x0101_0101_0101_0101;
        byte += 1;
    }
    bases
};

/// Writes which bits are ones, from the lowest on and added to a multiple of 64; returns how many are.
#[inline(always)]
fn find_ones(bits: u64, base: u8, ends: &mut [u8; WRITTEN]) -> usize {
    // How many of each byte, and then of each and those below.
    let pairs = bits - (bits >> 1 & 0x5555_5555_5555_5555);
    let fours = (pairs & 0x3333_3333_3333_3333) + (pairs >> 2 & 0x3333_3333_3333_3333);
    let bytes = (fours + (fours >> 4)) & 0x0f0f_0f0f_0f0f_0f0f;
    let below = bytes.wrapping_mul(0x0101_0101_0101_0101);
    let bases = &BASES[usize::from(base / 64)];
    let mut at = 0;
    for byte in 0..8 {
        let places = ONES[usize::from((bits >> (8 * byte)) as u8)] | bases[byte];
        ends[at..at + 8].copy_from_slice(&places.to_le_bytes());
        at = usize::from((below >> (8 * byte)) as u8);
    }
    at
}

/// Finds where unary numbers end, and returns the bit after the last.
#[inline(always)]
pub(crate) fn read_unary(words: &[u32], start: usize, total: usize, ends: &mut Ends) -> usize {
    // As if numbers that are zero went before.
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
    // As if more of them followed.
    let last = ends[total - 1];
    for (end, by) in ends[total..][..BEYOND].iter_mut().zip(1..) {
        *end = last.wrapping_add(by);
    }
    end
}

/// Words that end before unary numbers do: those that are missing are zero.
#[cold]
#[inline(never)]
fn end_early(words: &[u32], start: usize, found: usize, ends: &mut [u8]) -> usize {
    for at in found..ends.len() {
        ends[at] = ends[at - 1].wrapping_add(1);
    }
    start.max(words.len() * 32)
}
