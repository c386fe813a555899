//! Errors of parsing: what was expected and found, and where.

use super::path::path_before;
use crate::escape;
use crate::text::line_and_column;
use serde::de::{Error, Expected, Unexpected};
use std::fmt::{self, Display};

/// An error of parsing JSON, with its place.
pub(crate) struct JsonFault {
    /// Line, from 1.
    pub(crate) line: usize,
    /// Column in bytes, from 1.
    pub(crate) column: usize,
    /// Path of the value, such as `animations[0].name`; empty for the whole text.
    pub(crate) path: String,
    /// Whether the text is not JSON.
    pub(crate) is_syntax: bool,
    /// Description of the error, without the place.
    pub(crate) problem: String,
    /// What was expected; empty if `problem` does not say it.
    pub(crate) expected: String,
    /// What was found; empty if `problem` does not say it.
    pub(crate) found: String,
}

/// An error on its way out of the parser. Boxed: results of every type are as small as their values.
#[derive(Debug)]
pub(super) struct ReadError(Box<ErrorFields>);

#[derive(Debug, Default)]
struct ErrorFields {
    /// Offset in the text, once known.
    offset: Option<usize>,
    is_syntax: bool,
    problem: String,
    expected: String,
    found: String,
}

impl ReadError {
    /// Returns an error of a value that is not what was expected.
    pub(super) fn mismatch(expected: String, found: String) -> Self {
        Self(Box::new(ErrorFields {
            expected,
            found,
            ..ErrorFields::default()
        }))
    }

    /// Returns an error of a text that is not JSON.
    pub(super) fn syntax(offset: usize, expected: &str, found: String) -> Self {
        let mut error = Self::mismatch(expected.to_owned(), found);
        error.0.is_syntax = true;
        error.at(offset)
    }

    /// Adds the offset of the value, unless a value inside it has been blamed.
    pub(super) fn at(mut self, offset: usize) -> Self {
        self.0.offset.get_or_insert(offset);
        self
    }

    pub(super) fn into_fault(self, text: &[u8]) -> JsonFault {
        let fields = *self.0;
        let before = text
            .get(..fields.offset.unwrap_or_default())
            .unwrap_or(text);
        let (line, column) = line_and_column(before);
        let problem = if fields.expected.is_empty() {
            fields.problem
        } else {
            format!("expected {}, found {}", fields.expected, fields.found)
        };
        JsonFault {
            line,
            column,
            path: escape::name(&path_before(before)),
            is_syntax: fields.is_syntax,
            problem,
            expected: fields.expected,
            found: fields.found,
        }
    }
}

impl Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fields = &self.0;
        if fields.expected.is_empty() {
            f.write_str(&fields.problem)
        } else {
            write!(f, "expected {}, found {}", fields.expected, fields.found)
        }
    }
}

impl std::error::Error for ReadError {}

impl Error for ReadError {
    /// A message of the form `found, expected …` is split.
    fn custom<T: Display>(message: T) -> Self {
        let message = escape::name(&message.to_string()).replace("\\\"", "\"");
        if let Some((found, expected)) = message.rsplit_once(", expected ") {
            return Self::mismatch(expected.to_owned(), found.to_owned());
        }
        Self(Box::new(ErrorFields {
            problem: message,
            ..ErrorFields::default()
        }))
    }

    fn invalid_type(unexpected: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::mismatch(expected.to_string(), description(&unexpected))
    }

    fn invalid_value(unexpected: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::mismatch(expected.to_string(), description(&unexpected))
    }

    fn invalid_length(length: usize, expected: &dyn Expected) -> Self {
        Self::mismatch(expected.to_string(), format!("{length} entries"))
    }

    fn unknown_variant(variant: &str, expected: &'static [&'static str]) -> Self {
        Self::mismatch(alternatives(expected), escape::text(variant))
    }

    fn unknown_field(field: &str, expected: &'static [&'static str]) -> Self {
        let found = format!("unknown field `{}`", escape::name(field));
        Self::mismatch(alternatives(expected), found)
    }

    fn missing_field(field: &'static str) -> Self {
        Self::mismatch(format!("a field `{field}`"), "none".to_owned())
    }

    fn duplicate_field(field: &'static str) -> Self {
        Self::mismatch(format!("one field `{field}`"), "two".to_owned())
    }
}

/// Describes a value.
fn description(unexpected: &Unexpected<'_>) -> String {
    match unexpected {
        Unexpected::Bool(flag) => flag.to_string(),
        Unexpected::Unsigned(number) => number.to_string(),
        Unexpected::Signed(number) => number.to_string(),
        Unexpected::Float(number) => number.to_string(),
        Unexpected::Str(text) => escape::text(text),
        Unexpected::Unit | Unexpected::Option => "null".to_owned(),
        Unexpected::Seq => "a list".to_owned(),
        Unexpected::Map => "an object".to_owned(),
        Unexpected::Other(other) => (*other).to_owned(),
        _ => "another value".to_owned(),
    }
}

/// Lists names: `a`, `b` or `c`.
fn alternatives(names: &[&str]) -> String {
    let mut text = String::new();
    for (index, name) in names.iter().enumerate() {
        if index > 0 {
            let is_last = index + 1 == names.len();
            text.push_str(if is_last { " or " } else { ", " });
        }
        text.push('`');
        text.push_str(name);
        text.push('`');
    }
    text
}
