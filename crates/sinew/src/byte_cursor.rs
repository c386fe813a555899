//! The cursor over untrusted bytes that all binary readers of this crate share: saved states, packed animations, and
//! keyed animations. What lies beyond the end is an error of the reader's own type, never a panic.

use core::marker::PhantomData;

/// The error of a reader whose bytes end too early.
pub(crate) trait EndOfBytes {
    /// Returns the error for `item`, which begins at `offset` and takes `needed` of the `total` bytes.
    fn end_of_bytes(offset: usize, item: &'static str, needed: usize, total: usize) -> Self;
}

/// Bytes and the read offset. Readers add their own values in `impl` blocks for their error.
pub(crate) struct ByteCursor<'a, E> {
    bytes: &'a [u8],
    pub(crate) offset: usize,
    /// The offset of the last item read.
    pub(crate) last: usize,
    error: PhantomData<E>,
}

impl<'a, E: EndOfBytes> ByteCursor<'a, E> {
    pub(crate) const fn new(bytes: &'a [u8]) -> Self {
        Self {
            bytes,
            offset: 0,
            last: 0,
            error: PhantomData,
        }
    }

    /// Returns the bytes that are left.
    pub(crate) fn rest(&self) -> &'a [u8] {
        self.bytes.get(self.offset..).unwrap_or(&[])
    }

    /// Checks that `count` bytes are left, before memory is allocated for what they hold.
    pub(crate) fn need(&self, count: usize, item: &'static str) -> Result<(), E> {
        if count <= self.rest().len() {
            return Ok(());
        }
        let total = self.bytes.len();
        Err(E::end_of_bytes(self.offset, item, count, total))
    }

    /// Reads `count` bytes.
    pub(crate) fn take(&mut self, count: usize, item: &'static str) -> Result<&'a [u8], E> {
        self.need(count, item)?;
        let (taken, _) = self.rest().split_at(count);
        self.last = self.offset;
        self.offset += count;
        Ok(taken)
    }

    pub(crate) fn array<const N: usize>(&mut self, item: &'static str) -> Result<[u8; N], E> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N, item)?);
        Ok(array)
    }

    pub(crate) fn u32(&mut self, item: &'static str) -> Result<u32, E> {
        self.array(item).map(u32::from_le_bytes)
    }
}
