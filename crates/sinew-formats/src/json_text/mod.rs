//! JSON parsing for all readers: one deserializer of serde's data model over the bytes of a file.
//!
//! What it does that a general parser does not, and why it is ours:
//! - It reports the offset of every value that no field takes. A wrapper around another deserializer would find them
//!   too, at the price of a second copy of the code of every type.
//! - An error has the place of the value, what was expected and what was found, as separate texts.
//! - Only the calls that the readers' types make are compiled: an object is never read from a list, a field is never
//!   found by number. With one concrete deserializer that leaves one function per type, which matters where the program
//!   is downloaded.
//!
//! The grammar is RFC 8259, strictly. Values that are skipped are checked too, without recursion; others may be nested
//! up to [`MAX_DEPTH`] deep. Cost: one pass over the text; paths of errors and of values without a field take another.

mod access;
mod deserializer;
mod error;
mod path;
mod raw;
mod reader;
mod value;

pub(crate) use error::JsonFault;
pub(crate) use path::{Step, path_of};
pub(crate) use raw::RawJson;
pub(crate) use value::parse_value;

use error::ReadError;
use reader::Reader;
use serde::Deserialize;
use serde::de::DeserializeSeed;

/// Maximum nesting of values that are read.
const MAX_DEPTH: u8 = 127;

/// Parses the whole of `text`.
pub(crate) fn parse<'de, T: Deserialize<'de>>(text: &'de [u8]) -> Result<T, JsonFault> {
    let mut reader = Reader::new(text);
    let parsed = T::deserialize(&mut reader);
    finish(&reader, parsed)
}

/// Parses the whole of `text`. Calls `ignored` with the path of each value that no field of `T` takes, if the path
/// starts with one of `keys` or there are no `keys`.
pub(crate) fn parse_and_report<'de, T: Deserialize<'de>>(
    text: &'de [u8],
    keys: &'static [&'static str],
    ignored: &mut dyn FnMut(&[Step]),
) -> Result<T, JsonFault> {
    let mut reader = Reader::new(text);
    reader.report_ignored(keys);
    let parsed = T::deserialize(&mut reader);
    let value = finish(&reader, parsed)?;
    path::visit(text, reader.ignored(), ignored);
    Ok(value)
}

/// Parses the whole of `text` with `seed`.
pub(crate) fn parse_seed<'de, S: DeserializeSeed<'de>>(
    text: &'de [u8],
    seed: S,
) -> Result<S::Value, JsonFault> {
    let mut reader = Reader::new(text);
    let parsed = seed.deserialize(&mut reader);
    finish(&reader, parsed)
}

/// Checks that nothing follows the value, and adds the place to an error.
fn finish<T>(reader: &Reader<'_>, parsed: Result<T, ReadError>) -> Result<T, JsonFault> {
    match parsed {
        Ok(value) => match reader.rest() {
            Ok(()) => Ok(value),
            Err(error) => Err(error.into_fault(reader.text())),
        },
        Err(error) => Err(error
            .at(Reader::new(reader.text()).start())
            .into_fault(reader.text())),
    }
}

/// `, path` for the middle of an error message; empty for the whole text.
pub(crate) fn after_comma(path: &str) -> String {
    if path.is_empty() {
        String::new()
    } else {
        format!(", {path}")
    }
}

#[cfg(test)]
mod tests;
