//! Reads bit streams in 32-bit words, lowest bit first: zigzag, unary and exponential Golomb codes. `sinew-author`
//! writes them.
//!
//! ```text
//! zigzag(x)        2x if x >= 0, else -2x - 1
//! unary(n)         n zeros, a one
//! exp-Golomb(n)    of order k, with m = n + 2^k of L bits:   L - 1 - k zeros, a one, the lower L - 1 bits of m
//! ```
//!
//! The exponential Golomb code (Teuhola 1978) is for values of unknown magnitude: about twice their length. A read is a
//! 64-bit window at any bit, two shifts of three words, so no code needs a loop.
#![allow(missing_docs, reason = "shared with sinew-author only")]

/// Maps signed integers to unsigned ones so that small magnitudes are small: 0, -1, 1, -2, 2 to 0, 1, 2, 3, 4.
#[inline(always)]
pub const fn zigzag(value: i32) -> u32 {
    ((value << 1) ^ (value >> 31)) as u32
}

/// Inverts [`zigzag`].
#[inline(always)]
pub(crate) const fn unzigzag(value: u32) -> i32 {
    (value >> 1) as i32 ^ -((value & 1) as i32)
}

/// Returns the 64 bits that begin at `bit`; zeros beyond the end, so reading cannot fail.
#[inline(always)]
pub(crate) fn window(words: &[u32], bit: usize) -> u64 {
    match words.get(bit / 32..).and_then(<[u32]>::first_chunk) {
        Some(three) => join(three, bit),
        None => beyond(words, bit),
    }
}

#[inline(always)]
fn join(&[low, middle, high]: &[u32; 3], bit: usize) -> u64 {
    let shift = bit % 32;
    let low = u64::from(low) | u64::from(middle) << 32;
    // Two shifts: one by 64 would overflow.
    (low >> shift) | (u64::from(high) << 32) << (32 - shift)
}

#[cold]
#[inline(never)]
fn beyond(words: &[u32], bit: usize) -> u64 {
    let word = |by: usize| words.get(bit / 32 + by).copied().unwrap_or(0);
    join(&[word(0), word(1), word(2)], bit)
}

/// A reader of bits.
#[derive(Clone, Copy, Debug)]
pub struct BitReader<'a> {
    words: &'a [u32],
    bit: usize,
}

impl<'a> BitReader<'a> {
    /// Starts at a bit; clamped to the end.
    #[inline]
    pub fn at(words: &'a [u32], bit: usize) -> Self {
        let bit = bit.min(words.len().saturating_mul(32));
        Self { words, bit }
    }

    /// Returns the position of the next bit, from the first word on.
    #[inline(always)]
    pub const fn position(&self) -> usize {
        self.bit
    }

    /// Returns all words.
    #[inline(always)]
    pub(crate) const fn words(&self) -> &'a [u32] {
        self.words
    }

    #[inline(always)]
    pub(crate) const fn skip(&mut self, count: usize) {
        self.bit = self.bit.wrapping_add(count);
    }

    /// Reads the next `count` bits; at most 32.
    #[inline(always)]
    pub fn bits(&mut self, count: u32) -> u32 {
        let value = window(self.words, self.bit) & ((1 << count) - 1);
        self.skip(count as usize);
        value as u32
    }

    /// Reads an exponential Golomb code.
    #[inline(always)]
    pub fn exp_golomb(&mut self, order: u32) -> u32 {
        let (value, length) = exp_golomb(window(self.words, self.bit), order);
        self.skip(length as usize);
        value
    }

    /// Reads a unary code. A longer run of zeros gives its length modulo 256; 0 if no one bit
    /// follows.
    pub fn unary(&mut self) -> u8 {
        let start = self.bit;
        while self.bit / 32 < self.words.len() {
            let zeros = window(self.words, self.bit).trailing_zeros() as usize;
            self.skip(zeros);
            if zeros < 64 {
                let zeros = self.bit - start;
                self.skip(1);
                return zeros as u8;
            }
        }
        self.bit = start.max(self.words.len() * 32);
        0
    }
}

/// Decodes an exponential Golomb code at the lowest bit; returns the value and its length, at most 63 bits.
#[inline(always)]
pub(crate) fn exp_golomb(bits: u64, order: u32) -> (u32, u32) {
    // No value is longer than 32 bits.
    let unary = bits.trailing_zeros().min(31 - order);
    let length = unary + order;
    let low = (bits >> unary >> 1) & ((1 << length) - 1);
    let value = ((1 << length) | low).wrapping_sub(1 << order) as u32;
    (value, unary + 1 + length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reading_starts_at_any_bit_and_ends_in_zeros() {
        let words = [0xdead_beef, 0x1234_5678, 0x9abc_def0];
        for bit in 0..200 {
            let expected = (0..64).fold(0u64, |value, index| {
                let position = bit + index;
                let word = words.get(position / 32).copied().unwrap_or(0);
                value | u64::from((word >> (position % 32)) & 1) << index
            });
            assert_eq!(window(&words, bit), expected);
            let low = BitReader::at(&words, bit).bits(32);
            assert_eq!(low, expected as u32);
        }
        let mut beyond = BitReader::at(&words, 4000);
        assert_eq!(
            (beyond.bits(32), beyond.unary(), beyond.exp_golomb(0)),
            (0, 0, 0x7fff_ffff)
        );
    }

    #[test]
    fn unary_numbers_are_as_long_as_they_are() {
        for zeros in [0, 1, 31, 63, 64, 65, 255, 256, 300] {
            let mut words = alloc::vec![0; 12];
            words[zeros / 32] = 1 << (zeros % 32);
            let mut reader = BitReader::at(&words, 0);
            assert_eq!(reader.unary(), zeros as u8);
            assert_eq!(reader.position(), zeros + 1);
            assert_eq!((reader.unary(), reader.position()), (0, 12 * 32));
        }
    }

    #[test]
    fn numbers_near_zero_are_small_whatever_their_sign() {
        assert_eq!([0, -1, 1, -2, 2].map(zigzag), [0, 1, 2, 3, 4]);
        for value in [0, 1, -1, 77, -78, i32::MAX, i32::MIN] {
            assert_eq!(unzigzag(zigzag(value)), value);
        }
    }
}
