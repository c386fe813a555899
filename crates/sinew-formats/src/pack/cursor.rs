//! Typed reads from a section, with errors that name the place in the file.

use super::error::{PackError, Section};
use crate::bytes::ByteCursor;
use std::fmt;

/// Maximum coordinate of a rest pose, in metres: its square is far inside the range of `f32`.
pub(super) const MAX_REST_COORDINATE: f32 = 1e15;

/// A cursor in a section, for errors with offsets in the file.
pub(super) struct SectionCursor<'a> {
    bytes: ByteCursor<'a>,
    /// Offset of the section in the file.
    start: u64,
    section: Section,
}

impl<'a> SectionCursor<'a> {
    /// `bytes` begin at `start` in the file.
    pub(super) const fn new(bytes: &'a [u8], start: u64, section: Section) -> Self {
        Self {
            bytes: ByteCursor::new(bytes),
            start,
            section,
        }
    }

    /// Returns the offset of the next byte in the file.
    pub(super) fn offset(&self) -> u64 {
        self.start.saturating_add(self.bytes.offset() as u64)
    }

    /// Returns the number of remaining bytes.
    pub(super) fn left(&self) -> usize {
        self.bytes.left()
    }

    /// Returns an error about the byte `back` bytes before the next one.
    pub(super) fn invalid(
        &self,
        back: u64,
        expected: impl fmt::Display,
        found: impl fmt::Display,
    ) -> PackError {
        PackError::Invalid {
            offset: self.offset().saturating_sub(back),
            section: self.section,
            expected: expected.to_string(),
            found: found.to_string(),
        }
    }

    pub(super) fn take(&mut self, what: &'static str, count: usize) -> Result<&'a [u8], PackError> {
        self.bytes.take(count).ok_or_else(|| {
            let expected = format_args!("{what}, {count} bytes");
            self.invalid(0, expected, self.bytes.left())
        })
    }

    /// Returns a cursor over `count` records of `size` bytes each. Fails before anything is allocated for them.
    pub(super) fn many(
        &mut self,
        what: &'static str,
        count: usize,
        size: usize,
    ) -> Result<Self, PackError> {
        let start = self.offset();
        let bytes = self.take(what, count.saturating_mul(size))?;
        Ok(Self::new(bytes, start, self.section))
    }

    fn array<const N: usize>(&mut self, what: &'static str) -> Result<[u8; N], PackError> {
        let taken = self.take(what, N)?;
        let mut array = [0; N];
        array.copy_from_slice(taken);
        Ok(array)
    }

    pub(super) fn u32(&mut self, what: &'static str) -> Result<u32, PackError> {
        self.array(what).map(u32::from_le_bytes)
    }

    pub(super) fn u64(&mut self, what: &'static str) -> Result<u64, PackError> {
        self.array(what).map(u64::from_le_bytes)
    }

    /// Reads a `u32` as an index or count; `usize::MAX` if it does not fit, which every range check rejects.
    pub(super) fn count(&mut self, what: &'static str) -> Result<usize, PackError> {
        Ok(usize::try_from(self.u32(what)?).unwrap_or(usize::MAX))
    }

    /// Reads a reserved field, which must be 0.
    pub(super) fn zero(&mut self, what: &'static str) -> Result<(), PackError> {
        match self.u32(what)? {
            0 => Ok(()),
            other => Err(self.invalid(4, format_args!("{what} of 0"), format_args!("{other:#x}"))),
        }
    }

    pub(super) fn f64(&mut self, what: &'static str) -> Result<f64, PackError> {
        self.array(what).map(f64::from_le_bytes)
    }

    /// Reads a number that is finite and not negative.
    pub(super) fn positive(&mut self, what: &'static str) -> Result<f32, PackError> {
        let number = f32::from_le_bytes(self.array(what)?);
        if number.is_finite() && number >= 0.0 {
            return Ok(number);
        }
        let expected = format_args!("{what} that is finite and not negative");
        Err(self.invalid(4, expected, number))
    }

    /// Reads numbers within [`MAX_REST_COORDINATE`] of 0.
    pub(super) fn numbers<const N: usize>(
        &mut self,
        what: &'static str,
    ) -> Result<[f32; N], PackError> {
        let mut numbers = [0.0; N];
        for number in &mut numbers {
            *number = f32::from_le_bytes(self.array(what)?);
            // NaN is not within the range either.
            if !(-MAX_REST_COORDINATE..=MAX_REST_COORDINATE).contains(number) {
                let expected = format_args!("{what}, a number within {MAX_REST_COORDINATE:e} of 0");
                return Err(self.invalid(4, expected, *number));
            }
        }
        Ok(numbers)
    }

    /// Fails if bytes are left.
    pub(super) fn end(&self) -> Result<(), PackError> {
        match self.left() {
            0 => Ok(()),
            left => Err(self.invalid(0, "its end", format_args!("{left} bytes more"))),
        }
    }
}
