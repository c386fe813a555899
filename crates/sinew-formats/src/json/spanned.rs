//! JSON values with their place in the file, parsed once their type is known.

use super::JsonError;
use crate::json_text::{self, JsonFault, RawJson, Step, path_of};
use crate::text::line_and_column;
use crate::{Warnings, escape};
use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error, SeqAccess, Visitor};
use sinew::animation::AnimationError;
use std::fmt;

/// A value of the file with its place.
#[derive(Clone)]
pub(super) struct Spanned<'a> {
    /// Text of the whole file.
    text: &'a str,
    /// Text of the value.
    value: &'a str,
    /// Path of the value; empty for the whole file.
    path: String,
}

impl<'a> Spanned<'a> {
    pub(super) fn whole(text: &'a str) -> Self {
        Self {
            text,
            value: text,
            path: String::new(),
        }
    }

    /// Returns a field of this object.
    pub(super) fn field(&self, name: &str, value: RawJson<'a>) -> Self {
        let dot = if self.path.is_empty() { "" } else { "." };
        self.below(&format!("{dot}{}", escape::name(name)), value)
    }

    /// Returns an item of this list.
    pub(super) fn item(&self, index: usize, value: RawJson<'a>) -> Self {
        self.below(&format!("[{index}]"), value)
    }

    fn below(&self, step: &str, value: RawJson<'a>) -> Self {
        Self {
            text: self.text,
            value: value.get(),
            path: format!("{}{step}", self.path),
        }
    }

    /// Returns the path, for warnings.
    pub(super) fn place(&self) -> &str {
        if self.path.is_empty() {
            "file"
        } else {
            &self.path
        }
    }

    /// Returns the first byte, which determines the type of a JSON value.
    pub(super) fn first(&self) -> u8 {
        self.value.bytes().next().unwrap_or(0)
    }

    /// Describes the value for display.
    pub(super) fn shown(&self) -> String {
        match self.first() {
            b'{' => "an object".to_owned(),
            b'[' => "a list".to_owned(),
            _ => words(self.value),
        }
    }

    /// Reads an object; warns of unknown fields.
    pub(super) fn read<T: Deserialize<'a>>(&self, warnings: &mut Warnings) -> Result<T, JsonError> {
        let mut ignored = |path: &[Step]| {
            let field = escape::name(&path_of(path));
            warnings.add(self.place(), field, "unknown; ignored");
        };
        json_text::parse_and_report(self.value.as_bytes(), &[], &mut ignored)
            .map_err(|fault| self.fault(fault))
    }

    /// Deserializes the value with `seed`.
    pub(super) fn read_with<S: DeserializeSeed<'a>>(&self, seed: S) -> Result<S::Value, JsonError> {
        json_text::parse_seed(self.value.as_bytes(), seed).map_err(|fault| self.fault(fault))
    }

    /// Returns the entries of this list.
    pub(super) fn entries(&self, limit: usize) -> Result<Vec<Self>, JsonError> {
        let list = self.read_with(ListEntries { limit })?;
        let items = list.into_iter().enumerate();
        Ok(items
            .map(|(index, value)| self.item(index, value))
            .collect())
    }

    pub(super) fn invalid(
        &self,
        expected: impl fmt::Display,
        found: impl fmt::Display,
    ) -> JsonError {
        let (line, column) = self.position();
        JsonError::Invalid {
            line,
            column,
            path: self.path.clone(),
            expected: expected.to_string(),
            found: found.to_string(),
        }
    }

    pub(super) fn unplayable(&self, source: AnimationError) -> JsonError {
        let (line, column) = self.position();
        JsonError::Animation {
            line,
            column,
            path: self.path.clone(),
            source,
        }
    }

    /// Returns the line and column of its start.
    fn position(&self) -> (usize, usize) {
        let all = self.text.as_ptr() as usize;
        let offset = (self.value.as_ptr() as usize).saturating_sub(all);
        line_and_column(self.text.as_bytes().get(..offset).unwrap_or_default())
    }

    /// Returns an error inside the value, with its place in the file.
    fn fault(&self, fault: JsonFault) -> JsonError {
        let (first_line, first_column) = self.position();
        let line = first_line + fault.line.saturating_sub(1);
        let column = if fault.line <= 1 {
            first_column + fault.column.saturating_sub(1)
        } else {
            fault.column.max(1)
        };
        let separator =
            if self.path.is_empty() || fault.path.is_empty() || fault.path.starts_with('[') {
                ""
            } else {
                "."
            };
        let path = format!("{}{separator}{}", self.path, fault.path);
        let (expected, found) = (fault.expected, fault.found);
        if fault.is_syntax || expected.is_empty() {
            JsonError::Syntax {
                line,
                column,
                path,
                problem: fault.problem,
                expected: expected.into(),
                found: found.into(),
            }
        } else {
            JsonError::Invalid {
                line,
                column,
                path,
                expected,
                found,
            }
        }
    }
}

/// Returns a message of the parser, truncated and escaped except for quotes.
fn words(text: &str) -> String {
    escape::name(text).replace("\\\"", "\"")
}

/// The values of a list of at most `limit`.
#[derive(Clone, Copy)]
struct ListEntries {
    limit: usize,
}

impl<'de> DeserializeSeed<'de> for ListEntries {
    type Value = Vec<RawJson<'de>>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for ListEntries {
    type Value = Vec<RawJson<'de>>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = list.next_element()? {
            if entries.len() >= self.limit {
                return Err(A::Error::custom(too_many(self.limit)));
            }
            entries.push(entry);
        }
        Ok(entries)
    }
}

/// Describes a list that is too long.
pub(super) fn too_many(limit: usize) -> String {
    format!("more than the {limit} entries that are still allowed")
}
