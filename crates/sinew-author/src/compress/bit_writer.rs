//! Writes bit streams in 32-bit words, lowest bit first: the inverse of `sinew`'s `packed/bits.rs`, which has the
//! codes.

use alloc::vec::Vec;

/// A writer of bits.
#[derive(Clone, Debug, Default)]
pub(super) struct BitWriter {
    words: Vec<u32>,
    buffer: u64,
    filled: u32,
}

impl BitWriter {
    /// Returns the number of bits written.
    pub(super) fn len(&self) -> usize {
        self.words.len() * 32 + self.filled as usize
    }

    /// Returns the words, the last one padded with zeros.
    pub(super) fn into_words(mut self) -> Vec<u32> {
        if self.filled > 0 {
            self.words.push(self.buffer as u32);
        }
        self.words
    }

    /// Writes the lowest `count` bits of a value; at most 32.
    pub(super) fn bits(&mut self, value: u32, count: u32) {
        let kept = u64::from(value) & ((1 << count) - 1);
        self.buffer |= kept << self.filled;
        self.filled += count;
        if self.filled >= 32 {
            self.words.push(self.buffer as u32);
            self.buffer >>= 32;
            self.filled -= 32;
        }
    }

    /// Writes `value` zeros, at most 31, and a one.
    pub(super) fn unary(&mut self, value: u32) {
        self.bits(1 << value, value + 1);
    }

    /// Writes an exponential Golomb code, for values of unknown magnitude: about twice their length.
    pub(super) fn exp_golomb(&mut self, value: u32, order: u32) {
        // With `2^order` added, the value has a leading one at bit `order` or above. That one ends the unary part, which
        // is as many zeros as bits above `order`; the bits below it follow.
        let value = u64::from(value) + (1 << order);
        let length = bit_length(value);
        let unary = length - 1 - order;
        self.bits(0, unary);
        self.bits(1, 1);
        self.bits(value as u32, length - 1);
    }
}

/// Returns the number of bits of [`BitWriter::exp_golomb`].
pub(super) const fn exp_golomb_bits(value: u32, order: u32) -> u32 {
    let length = bit_length(value as u64 + (1 << order));
    2 * length - order - 1
}

const fn bit_length(value: u64) -> u32 {
    64 - value.leading_zeros()
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew::internal::packed::BitReader;

    fn values() -> impl Iterator<Item = u32> {
        let edges = (0..31).flat_map(|bit| [1u32 << bit, (1 << bit) - 1, (1 << bit) + 1]);
        (0..70)
            .chain(edges)
            .chain([i32::MAX as u32, i32::MAX as u32 - 1])
    }

    #[test]
    fn what_is_written_is_read_with_every_order() {
        for order in 0..=24 {
            let mut writer = BitWriter::default();
            let mut length = 0;
            for value in values() {
                writer.unary(value % 32);
                writer.bits(value, 7);
                writer.exp_golomb(value, order);
                length += value % 32 + 1 + 7 + exp_golomb_bits(value, order);
            }
            assert_eq!(writer.len(), length as usize);
            let words = writer.into_words();
            let mut reader = BitReader::at(&words, 0);
            for value in values() {
                assert_eq!(u32::from(reader.unary()), value % 32);
                assert_eq!(reader.bits(7), value & 127);
                assert_eq!(reader.exp_golomb(order), value, "{order}");
            }
        }
    }
}
