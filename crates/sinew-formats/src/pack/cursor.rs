//! Bytes of a section, read from front to back, with their places in the file.

use super::error::{PackError, Section};
use std::fmt;

/// The largest number of a skeleton at rest, in metres: its square is far inside the range of `f32`.
pub(super) const LARGEST: f32 = 1e15;

/// Bytes of a section, read from front to back.
pub(super) struct Cursor<'a> {
    bytes: &'a [u8],
    /// How far they are read.
    at: usize,
    /// Where they begin in the file.
    start: u64,
    section: Section,
}

impl<'a> Cursor<'a> {
    /// Bytes that begin at `start` in the file.
    pub(super) const fn new(bytes: &'a [u8], start: u64, section: Section) -> Self {
        Self {
            bytes,
            at: 0,
            start,
            section,
        }
    }

    /// Where the next byte is in the file.
    pub(super) fn offset(&self) -> u64 {
        self.start.saturating_add(self.at as u64)
    }

    /// How many bytes are left.
    pub(super) fn left(&self) -> usize {
        self.bytes.len().saturating_sub(self.at)
    }

    /// An error `back` bytes before the next one.
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
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let Some(taken) = rest.get(..count) else {
            let expected = format_args!("{what}, {count} bytes");
            return Err(self.invalid(0, expected, format_args!("{}", rest.len())));
        };
        self.at = self.at.saturating_add(count);
        Ok(taken)
    }

    /// The bytes of `count` things of `size` bytes each, which must be there before anything is made of them.
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

    /// As an index or a count; those that this machine does not have are refused with what they are of.
    pub(super) fn count(&mut self, what: &'static str) -> Result<usize, PackError> {
        Ok(usize::try_from(self.u32(what)?).unwrap_or(usize::MAX))
    }

    /// A field that has no meaning yet.
    pub(super) fn zero(&mut self, what: &'static str) -> Result<(), PackError> {
        match self.u32(what)? {
            0 => Ok(()),
            other => Err(self.invalid(
                4,
                format_args!("{what} of 0, all that is known"),
                format_args!("{other:#x}"),
            )),
        }
    }

    pub(super) fn f64(&mut self, what: &'static str) -> Result<f64, PackError> {
        self.array(what).map(f64::from_le_bytes)
    }

    /// A number that is finite and not negative.
    pub(super) fn positive(&mut self, what: &'static str) -> Result<f32, PackError> {
        let number = f32::from_le_bytes(self.array(what)?);
        if number.is_finite() && number >= 0.0 {
            return Ok(number);
        }
        let expected = format_args!("{what} that is finite and not negative");
        Err(self.invalid(4, expected, number))
    }

    /// Numbers that are finite and not absurd.
    pub(super) fn numbers<const N: usize>(
        &mut self,
        what: &'static str,
    ) -> Result<[f32; N], PackError> {
        let mut numbers = [0.0; N];
        for number in &mut numbers {
            *number = f32::from_le_bytes(self.array(what)?);
            // What is no number is not within the range either.
            if !(-LARGEST..=LARGEST).contains(number) {
                let expected = format_args!("{what}, a number within {LARGEST:e} of 0");
                return Err(self.invalid(4, expected, *number));
            }
        }
        Ok(numbers)
    }

    /// Says that there must be nothing left.
    pub(super) fn end(&self) -> Result<(), PackError> {
        match self.left() {
            0 => Ok(()),
            left => Err(self.invalid(0, "its end", format_args!("{left} bytes more"))),
        }
    }
}
