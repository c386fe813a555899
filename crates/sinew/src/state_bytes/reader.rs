use super::StateBytesError;
use crate::byte_cursor::{ByteCursor, EndOfBytes};
use alloc::format;
use alloc::string::{String, ToString};
use core::fmt::Display;

/// A cursor over the bytes of a saved state. Every read checks the end and returns an error with the offset.
pub(crate) type StateReader<'a> = ByteCursor<'a, StateBytesError>;

impl EndOfBytes for StateBytesError {
    fn end_of_bytes(offset: usize, expected: &'static str, needed: usize, end: usize) -> Self {
        Self::End {
            offset,
            expected,
            count: needed - end.saturating_sub(offset),
            end,
        }
    }
}

impl<'a> StateReader<'a> {
    /// Reads the version byte.
    pub(crate) fn version(
        &mut self,
        version: u8,
        expected: &'static str,
    ) -> Result<(), StateBytesError> {
        let offset = self.offset;
        match self.array(expected)? {
            [found] if found == version => Ok(()),
            [found] => Err(invalid_value(offset, expected, format!("{found}"))),
        }
    }

    /// Reads a VLE integer of up to `bits` bits, 63 at most.
    pub(crate) fn vle(
        &mut self,
        bits: u32,
        expected: &'static str,
    ) -> Result<u64, StateBytesError> {
        let start = self.offset;
        let mut number = 0_u64;
        for shift in (0..bits).step_by(7) {
            let [byte] = self.array(expected)?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 && number >> bits == 0 {
                return Ok(number);
            }
        }
        Err(invalid_value(
            start,
            expected,
            format!("a number of more than {bits} bits"),
        ))
    }

    /// Reads a VLE integer of up to 32 bits.
    pub(crate) fn vle_u32(&mut self, expected: &'static str) -> Result<u32, StateBytesError> {
        let number = self.vle(32, expected)?;
        Ok(number as u32)
    }

    /// Reads the number of items that follow, which take at least `size` bytes each.
    pub(crate) fn count(
        &mut self,
        expected: &'static str,
        size: usize,
    ) -> Result<usize, StateBytesError> {
        let count = self.vle_u32(expected)? as usize;
        self.need(count.saturating_mul(size), expected)?;
        Ok(count)
    }

    /// Reads a finite number.
    pub(crate) fn finite_f32(&mut self, expected: &'static str) -> Result<f32, StateBytesError> {
        let offset = self.offset;
        let number = f32::from_bits(self.u32(expected)?);
        if number.is_finite() {
            Ok(number)
        } else {
            Err(invalid_value(offset, expected, format!("{number}")))
        }
    }

    /// Reads a finite number in double precision.
    pub(crate) fn finite_f64(&mut self, expected: &'static str) -> Result<f64, StateBytesError> {
        let offset = self.offset;
        let number = f64::from_bits(u64::from_le_bytes(self.array(expected)?));
        if number.is_finite() {
            Ok(number)
        } else {
            Err(invalid_value(offset, expected, format!("{number}")))
        }
    }

    /// Reads a finite number of 0 or more.
    pub(crate) fn non_negative_f32(
        &mut self,
        expected: &'static str,
    ) -> Result<f32, StateBytesError> {
        let offset = self.offset;
        match self.finite_f32(expected)? {
            number if number >= 0.0 => Ok(number),
            number => Err(invalid_value(offset, expected, format!("{number}"))),
        }
    }

    /// Reads numbers, NaN and infinite ones too.
    pub(crate) fn floats<const N: usize>(
        &mut self,
        expected: &'static str,
    ) -> Result<[f32; N], StateBytesError> {
        let mut floats = [0.0; N];
        for float in &mut floats {
            *float = f32::from_bits(self.u32(expected)?);
        }
        Ok(floats)
    }

    /// Reads a length in bytes and that many bytes.
    pub(crate) fn block(&mut self, expected: &'static str) -> Result<&'a [u8], StateBytesError> {
        let length = self.count(expected, 1)?;
        self.take(length, expected)
    }

    /// Reads a VLE integer from 0 to `max`.
    pub(crate) fn vle_up_to(
        &mut self,
        max: u32,
        expected: &'static str,
    ) -> Result<u32, StateBytesError> {
        let offset = self.offset;
        match self.vle_u32(expected)? {
            number if number <= max => Ok(number),
            number => Err(invalid_value(offset, expected, format!("{number}"))),
        }
    }

    /// Reads a UTF-8 text after its length in bytes.
    pub(crate) fn str(&mut self, expected: &'static str) -> Result<&'a str, StateBytesError> {
        let length = self.count(expected, 1)?;
        let offset = self.offset;
        let text = self.take(length, expected)?;
        match core::str::from_utf8(text) {
            Ok(text) => Ok(text),
            Err(error) => Err(invalid_value(
                offset,
                expected,
                format!("text with an {error}"),
            )),
        }
    }

    /// Checks that nothing follows.
    pub(crate) fn end(&self) -> Result<(), StateBytesError> {
        match self.rest().len() {
            0 => Ok(()),
            count => Err(StateBytesError::Extra {
                offset: self.offset,
                count,
            }),
        }
    }

    /// Returns the error for a well-formed state that a controller refuses.
    pub(crate) fn unplayable(&self, reason: impl Display) -> StateBytesError {
        StateBytesError::Unplayable {
            offset: self.offset,
            reason: reason.to_string(),
        }
    }
}

/// Returns the error for an unexpected value at `offset`.
pub(crate) fn invalid_value(
    offset: usize,
    expected: &'static str,
    found: String,
) -> StateBytesError {
    StateBytesError::Value {
        offset,
        expected,
        found,
    }
}
