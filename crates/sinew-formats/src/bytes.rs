//! Bounds-checked reads: `None` beyond the end. Numbers are little-endian.

#![deny(clippy::arithmetic_side_effects, clippy::indexing_slicing)]

/// Returns the `N` bytes at `offset`.
pub(crate) fn array_at<const N: usize>(bytes: &[u8], offset: usize) -> Option<[u8; N]> {
    bytes.get(offset..)?.first_chunk().copied()
}

pub(crate) fn u16_at(bytes: &[u8], offset: usize) -> Option<u16> {
    array_at(bytes, offset).map(u16::from_le_bytes)
}

pub(crate) fn u32_at(bytes: &[u8], offset: usize) -> Option<u32> {
    array_at(bytes, offset).map(u32::from_le_bytes)
}

pub(crate) fn u64_at(bytes: &[u8], offset: usize) -> Option<u64> {
    array_at(bytes, offset).map(u64::from_le_bytes)
}

/// A cursor over a byte slice.
pub(crate) struct ByteCursor<'a> {
    bytes: &'a [u8],
    offset: usize,
}

impl<'a> ByteCursor<'a> {
    pub(crate) const fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, offset: 0 }
    }

    /// Returns the offset of the next byte.
    pub(crate) fn offset(&self) -> usize {
        self.offset
    }

    /// Returns the number of remaining bytes.
    pub(crate) fn left(&self) -> usize {
        self.bytes.len().saturating_sub(self.offset)
    }

    /// Returns the next `count` bytes. Returns `None` and does not advance if there are fewer.
    pub(crate) fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let taken = self.bytes.get(self.offset..)?.get(..count)?;
        self.offset = self.offset.saturating_add(count);
        Some(taken)
    }
}
