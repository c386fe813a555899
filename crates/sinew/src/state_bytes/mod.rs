//! The compact encoding that saved states share: controllers and their differences, inertia, foot locks and characters.
//!
//! Numbers are little endian. A VLE (variable-length encoded) integer has 7 bits per byte, the lowest first; the high
//! bit of a byte says that another follows. Floating-point numbers keep their bits.

mod error;
mod reader;

pub use error::StateBytesError;
pub(crate) use reader::{StateReader, invalid_value};

use alloc::vec::Vec;

/// Appends a VLE integer.
pub(crate) fn put_vle(mut number: u64, out: &mut Vec<u8>) {
    while number > 0x7f {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Appends a number bit-exactly.
pub(crate) fn put_f32(number: f32, out: &mut Vec<u8>) {
    out.extend(number.to_bits().to_le_bytes());
}

/// Appends a text after its length in bytes.
pub(crate) fn put_str(text: &str, out: &mut Vec<u8>) {
    put_vle(text.len() as u64, out);
    out.extend(text.as_bytes());
}
