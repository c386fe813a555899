//! Streams of bits, lowest first, in words of 32.

use alloc::vec::Vec;

/// Unary numbers end here; what is larger is written in full.
const LONGEST_UNARY: u32 = 20;

/// Bits for a number written in full.
const FULL: u32 = 32;

/// The largest parameter of a Rice code.
pub(crate) const MAX_RICE: u32 = 18;

/// Whole numbers so that small ones of either sign are small.
#[inline(always)]
pub(crate) const fn zigzag(value: i32) -> u32 {
    ((value << 1) ^ (value >> 31)) as u32
}

/// The number that [`zigzag`] made this of.
#[inline(always)]
pub(crate) const fn unzigzag(value: u32) -> i32 {
    (value >> 1) as i32 ^ -((value & 1) as i32)
}

/// How many bits [`BitWriter::rice`] needs.
pub(crate) const fn rice_bits(value: u32, parameter: u32) -> u32 {
    let unary = value >> parameter;
    if unary < LONGEST_UNARY {
        unary + 1 + parameter
    } else {
        LONGEST_UNARY + FULL
    }
}

/// How many bits [`BitWriter::exp_golomb`] needs.
pub(crate) const fn exp_golomb_bits(value: u32, order: u32) -> u32 {
    let length = bit_length(value as u64 + (1 << order));
    2 * length - order - 1
}

const fn bit_length(value: u64) -> u32 {
    64 - value.leading_zeros()
}

/// Writes bits.
#[derive(Clone, Debug, Default)]
pub(crate) struct BitWriter {
    words: Vec<u32>,
    buffer: u64,
    filled: u32,
}

impl BitWriter {
    /// How many bits were written.
    pub(crate) fn len(&self) -> usize {
        self.words.len() * 32 + self.filled as usize
    }

    /// The words, the last one filled up with zeros.
    pub(crate) fn into_words(mut self) -> Vec<u32> {
        if self.filled > 0 {
            self.words.push(self.buffer as u32);
        }
        self.words
    }

    /// The lowest `count` bits of a value; at most 32.
    pub(crate) fn bits(&mut self, value: u32, count: u32) {
        let kept = u64::from(value) & ((1 << count) - 1);
        self.buffer |= kept << self.filled;
        self.filled += count;
        if self.filled >= 32 {
            self.words.push(self.buffer as u32);
            self.buffer >>= 32;
            self.filled -= 32;
        }
    }

    /// A Rice code: what is above `parameter` bits in unary, then those bits.
    pub(crate) fn rice(&mut self, value: u32, parameter: u32) {
        let unary = value >> parameter;
        if unary < LONGEST_UNARY {
            self.bits(1 << unary, unary + 1);
            self.bits(value, parameter);
        } else {
            self.bits(0, LONGEST_UNARY);
            self.bits(value, FULL);
        }
    }

    /// An exponential Golomb code, for values whose size is not known: about twice their length.
    pub(crate) fn exp_golomb(&mut self, value: u32, order: u32) {
        let value = u64::from(value) + (1 << order);
        let length = bit_length(value);
        let unary = length - 1 - order;
        self.bits(0, unary);
        self.bits(1, 1);
        self.bits(value as u32, length - 1);
    }
}

/// Reads bits; beyond the end there are zeros, so that reading cannot fail.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BitReader<'a> {
    words: &'a [u32],
    next: usize,
    buffer: u64,
    filled: u32,
}

impl<'a> BitReader<'a> {
    /// From a bit on.
    #[inline]
    pub(crate) fn at(words: &'a [u32], bit: u32) -> Self {
        let mut reader = Self {
            words,
            next: (bit >> 5) as usize,
            buffer: 0,
            filled: 0,
        };
        reader.refill();
        reader.skip(bit & 31);
        reader.refill();
        reader
    }

    /// How many bits were read or skipped, from the first word on.
    pub(crate) fn position(&self) -> usize {
        self.next * 32 - self.filled as usize
    }

    /// Afterwards there are at least 32 bits in the buffer.
    #[inline(always)]
    fn refill(&mut self) {
        if self.filled < 32 {
            let word = self.words.get(self.next).copied().unwrap_or(0);
            self.buffer |= u64::from(word) << self.filled;
            self.filled += 32;
            self.next += 1;
        }
    }

    #[inline(always)]
    fn skip(&mut self, count: u32) {
        self.buffer >>= count;
        self.filled -= count;
    }

    /// The next `count` bits; at most 32.
    #[inline(always)]
    pub(crate) fn bits(&mut self, count: u32) -> u32 {
        let value = (self.buffer & ((1 << count) - 1)) as u32;
        self.skip(count);
        self.refill();
        value
    }

    /// What [`BitWriter::rice`] wrote.
    #[inline(always)]
    pub(crate) fn rice(&mut self, parameter: u32) -> u32 {
        let unary = self.buffer.trailing_zeros();
        if unary >= LONGEST_UNARY {
            self.skip(LONGEST_UNARY);
            self.refill();
            return self.bits(FULL);
        }
        self.skip(unary + 1);
        if parameter > 31 - LONGEST_UNARY {
            self.refill();
        }
        (unary << parameter) | self.bits(parameter)
    }

    /// What [`BitWriter::exp_golomb`] wrote.
    #[inline]
    pub(crate) fn exp_golomb(&mut self, order: u32) -> u32 {
        // No number is longer than 32 bits.
        let unary = (self.buffer.trailing_zeros()).min(31 - order);
        self.skip(unary);
        self.refill();
        self.skip(1);
        self.refill();
        let length = unary + order;
        let low = u64::from(self.bits(length));
        ((1 << length) | low).wrapping_sub(1 << order) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values() -> impl Iterator<Item = u32> {
        let edges = (0..32).flat_map(|bit| [1u32 << bit, (1 << bit) - 1, (1 << bit) + 1]);
        (0..70).chain(edges).chain([u32::MAX, u32::MAX - 1])
    }

    #[test]
    fn what_is_written_is_read_with_every_parameter() {
        for parameter in 0..=MAX_RICE {
            let mut writer = BitWriter::default();
            let mut length = 0;
            for value in values() {
                writer.rice(value, parameter);
                writer.bits(value, 7);
                writer.exp_golomb(value & 0x7fff_ffff, parameter);
                length += rice_bits(value, parameter) + 7;
                length += exp_golomb_bits(value & 0x7fff_ffff, parameter);
            }
            assert_eq!(writer.len(), length as usize);
            let words = writer.into_words();
            let mut reader = BitReader::at(&words, 0);
            for value in values() {
                assert_eq!(reader.rice(parameter), value, "{parameter}");
                assert_eq!(reader.bits(7), value & 127);
                assert_eq!(reader.exp_golomb(parameter), value & 0x7fff_ffff);
            }
        }
    }

    #[test]
    fn reading_starts_at_any_bit_and_ends_in_zeros() {
        let words = [0xdead_beef, 0x1234_5678, 0x9abc_def0];
        for bit in 0..96 {
            let expected = (0..32).fold(0u32, |value, at| {
                let place = bit + at;
                let word = words.get(place / 32).copied().unwrap_or(0);
                value | ((word >> (place % 32)) & 1) << at
            });
            assert_eq!(BitReader::at(&words, bit as u32).bits(32), expected);
        }
        let mut beyond = BitReader::at(&words, 4000);
        assert_eq!(
            (beyond.bits(32), beyond.rice(3), beyond.exp_golomb(0)),
            (0, 0, 0x7fff_ffff)
        );
    }

    #[test]
    fn numbers_near_zero_are_small_whatever_their_sign() {
        assert_eq!([0, -1, 1, -2, 2].map(zigzag), [0, 1, 2, 3, 4]);
        for value in [0, 1, -1, 77, -78, i32::MAX, i32::MIN] {
            assert_eq!(unzigzag(zigzag(value)), value);
        }
    }
}
