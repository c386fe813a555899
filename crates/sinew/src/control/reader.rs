//! Bytes that are read one thing after the other, and never beyond their end.

use super::{ControlError, Name, StateBytesError};
use alloc::format;
use alloc::string::String;

/// Bytes and how far they are read.
pub(crate) struct Reader<'a> {
    bytes: &'a [u8],
    pub(crate) offset: usize,
    /// They are of the second version.
    pub(crate) is_second: bool,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self {
            bytes,
            offset: 0,
            is_second: false,
        }
    }

    fn rest(&self) -> &'a [u8] {
        self.bytes.get(self.offset..).unwrap_or(&[])
    }

    fn take(&mut self, count: usize, expected: &'static str) -> Result<&'a [u8], StateBytesError> {
        let rest = self.rest();
        let Some(taken) = rest.get(..count) else {
            return Err(StateBytesError::End {
                offset: self.offset,
                expected,
                count: count - rest.len(),
                end: self.bytes.len(),
            });
        };
        self.offset += count;
        Ok(taken)
    }

    fn array<const N: usize>(
        &mut self,
        expected: &'static str,
    ) -> Result<[u8; N], StateBytesError> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N, expected)?);
        Ok(array)
    }

    pub(crate) fn u32_le(&mut self, expected: &'static str) -> Result<u32, StateBytesError> {
        Ok(u32::from_le_bytes(self.array(expected)?))
    }

    pub(crate) fn version(
        &mut self,
        expected: &'static str,
        versions: [u8; 2],
    ) -> Result<(), StateBytesError> {
        let offset = self.offset;
        let [found] = self.array(expected)?;
        let Some(version) = versions.iter().position(|own| *own == found) else {
            return Err(wrong(offset, expected, format!("{found}")));
        };
        self.is_second = version > 0;
        Ok(())
    }

    /// A whole number of up to `bits` bits, 63 at most.
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
        Err(wrong(
            start,
            expected,
            format!("a number of more than {bits} bits"),
        ))
    }

    pub(crate) fn whole(&mut self, expected: &'static str) -> Result<u32, StateBytesError> {
        let number = self.vle(32, expected)?;
        // It has no more bits.
        Ok(number as u32)
    }

    pub(crate) fn head(&mut self) -> Result<(u32, bool), StateBytesError> {
        let head = self.vle(33, "a revision")?;
        Ok(((head >> 1) as u32, head & 1 != 0))
    }

    /// A number of things that take `size` bytes each, or more.
    pub(crate) fn count(
        &mut self,
        expected: &'static str,
        size: usize,
    ) -> Result<usize, StateBytesError> {
        let count = self.whole(expected)? as usize;
        let (needed, rest) = (count.saturating_mul(size), self.rest().len());
        if needed > rest {
            return Err(StateBytesError::End {
                offset: self.offset,
                expected,
                count: needed - rest,
                end: self.bytes.len(),
            });
        }
        Ok(count)
    }

    pub(crate) fn number(&mut self, expected: &'static str) -> Result<f32, StateBytesError> {
        let offset = self.offset;
        let number = f32::from_bits(self.u32_le(expected)?);
        if number.is_finite() {
            Ok(number)
        } else {
            Err(wrong(offset, expected, format!("{number}")))
        }
    }

    /// A number in double precision.
    pub(crate) fn double(&mut self, expected: &'static str) -> Result<f64, StateBytesError> {
        let offset = self.offset;
        let number = f64::from_bits(u64::from_le_bytes(self.array(expected)?));
        if number.is_finite() {
            Ok(number)
        } else {
            Err(wrong(offset, expected, format!("{number}")))
        }
    }

    /// A finite number that is not negative.
    pub(crate) fn positive(&mut self, expected: &'static str) -> Result<f32, StateBytesError> {
        let offset = self.offset;
        match self.number(expected)? {
            number if number >= 0.0 => Ok(number),
            number => Err(wrong(offset, expected, format!("{number}"))),
        }
    }

    /// Numbers as they are, whatever they are.
    pub(crate) fn floats<const N: usize>(
        &mut self,
        expected: &'static str,
    ) -> Result<[f32; N], StateBytesError> {
        let mut floats = [0.0; N];
        for float in &mut floats {
            *float = f32::from_bits(self.u32_le(expected)?);
        }
        Ok(floats)
    }

    /// Bytes whose number stands before them.
    pub(crate) fn block(&mut self, expected: &'static str) -> Result<&'a [u8], StateBytesError> {
        let length = self.count(expected, 1)?;
        self.take(length, expected)
    }

    /// A number from 0 to `most`.
    pub(crate) fn small(
        &mut self,
        most: u32,
        expected: &'static str,
    ) -> Result<u32, StateBytesError> {
        let offset = self.offset;
        match self.whole(expected)? {
            number if number <= most => Ok(number),
            number => Err(wrong(offset, expected, format!("{number}"))),
        }
    }

    pub(crate) fn name(&mut self, expected: &'static str) -> Result<Name, StateBytesError> {
        let length = self.count(expected, 1)?;
        let offset = self.offset;
        let letters = self.take(length, expected)?;
        match core::str::from_utf8(letters) {
            Ok(text) => Ok(text.into()),
            Err(error) => Err(wrong(offset, expected, format!("letters with an {error}"))),
        }
    }

    pub(crate) fn end(&self) -> Result<(), StateBytesError> {
        match self.rest().len() {
            0 => Ok(()),
            count => Err(StateBytesError::Extra {
                offset: self.offset,
                count,
            }),
        }
    }

    pub(crate) fn unplayable(&self, source: ControlError) -> StateBytesError {
        StateBytesError::Unplayable {
            offset: self.offset,
            source,
        }
    }
}

pub(crate) fn wrong(offset: usize, expected: &'static str, found: String) -> StateBytesError {
    StateBytesError::Value {
        offset,
        expected,
        found,
    }
}
