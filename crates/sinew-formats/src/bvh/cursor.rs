//! A cursor over the bytes of a BVH file.

use crate::escape;
use crate::limits::MAX_TEXT_BYTES;
use crate::text::{ParsedNumber, Rule, TextError, number};

/// Number of bytes of a word that an error inspects; less is displayed.
const MAX_WORD_SHOWN: usize = 400;

/// A cursor that reads words and skips comments and white space.
///
/// Only offsets are kept. Lines and columns are computed once, for an error.
#[derive(Clone, Copy)]
pub(super) struct BvhCursor<'a> {
    bytes: &'a [u8],
    /// Offset of the text, after a byte order mark.
    start: usize,
    /// Offset of the next byte.
    pub(super) byte_offset: usize,
}

/// Line ends count as white space: the format is a stream of words.
#[inline(always)]
pub(super) fn is_space(byte: u8) -> bool {
    byte == b' ' || (b'\t'..=b'\r').contains(&byte)
}

fn is_line_end(byte: u8) -> bool {
    byte == b'\n' || byte == b'\r'
}

fn is_brace(byte: u8) -> bool {
    byte == b'{' || byte == b'}'
}

impl<'a> BvhCursor<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        let start = if bytes.starts_with(b"\xef\xbb\xbf") {
            3
        } else {
            0
        };
        Self {
            bytes,
            start,
            byte_offset: start,
        }
    }

    pub(super) fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    pub(super) fn peek(&self) -> Option<u8> {
        self.bytes.get(self.byte_offset).copied()
    }

    pub(super) fn remaining(&self) -> usize {
        self.bytes.len().saturating_sub(self.byte_offset)
    }

    /// Skips white space and comments.
    pub(super) fn skip(&mut self) {
        while let Some(byte) = self.peek() {
            if is_space(byte) {
                self.byte_offset += 1;
            } else if byte == b'#' && self.begins_a_line() {
                self.byte_offset += self.length_until(is_line_end);
            } else {
                return;
            }
        }
    }

    /// Returns whether only white space precedes the cursor on its line. Names may contain `#`, so only such a `#`
    /// begins a comment.
    fn begins_a_line(&self) -> bool {
        let before = self
            .bytes
            .get(self.start..self.byte_offset)
            .unwrap_or_default();
        let mut before = before.iter().rev();
        let last = before.find(|&&byte| !is_space(byte) || is_line_end(byte));
        last.is_none_or(|&byte| is_line_end(byte))
    }

    fn length_until(&self, ends: impl Fn(u8) -> bool) -> usize {
        let rest = self.bytes.get(self.byte_offset..).unwrap_or_default();
        let length = rest.iter().position(|&byte| ends(byte));
        length.unwrap_or(rest.len())
    }

    fn take(&mut self, length: usize) -> &'a [u8] {
        let taken = self.bytes.get(self.byte_offset..self.byte_offset + length);
        self.byte_offset += length;
        taken.unwrap_or_default()
    }

    /// Returns the next word: a brace, or the text up to white space or a brace; empty at the end.
    pub(super) fn word(&mut self) -> &'a [u8] {
        self.skip();
        if self.peek().is_some_and(is_brace) {
            return self.take(1);
        }
        self.take(self.length_until(|byte| is_space(byte) || is_brace(byte)))
    }

    /// Returns the next word of a heading, which a colon also ends: the colon may touch the word and its value.
    pub(super) fn heading(&mut self) -> &'a [u8] {
        self.skip();
        self.take(self.length_until(|byte| is_space(byte) || byte == b':'))
    }

    /// Skips the colon of a heading, which some files omit.
    pub(super) fn colon(&mut self) {
        self.skip();
        if self.peek() == Some(b':') {
            self.byte_offset += 1;
        }
    }

    /// Returns the text up to the next brace or the end of the line, trimmed.
    pub(super) fn until_brace(&mut self) -> &'a [u8] {
        self.take(self.length_until(|byte| is_line_end(byte) || is_brace(byte)))
            .trim_ascii()
    }

    /// Reads a name: the next text up to a brace or the end of its line.
    pub(super) fn name(&mut self) -> Result<String, TextError> {
        self.skip();
        let byte_offset = self.byte_offset;
        let name = self.until_brace();
        if name.is_empty() {
            return Err(self.error(
                Rule::MissingField,
                byte_offset,
                "a name",
                self.shown(byte_offset),
            ));
        }
        // Replacing invalid UTF-8 grows the text at most threefold.
        let name = String::from_utf8_lossy(name);
        if name.len() > MAX_TEXT_BYTES {
            let found = format!("one of {} bytes", name.len());
            let expected = format!("a name of at most {MAX_TEXT_BYTES} bytes");
            return Err(self.error(Rule::TooLarge, byte_offset, expected, found));
        }
        Ok(name.into_owned())
    }

    /// Reads a finite number; returns it and its offset.
    pub(super) fn number(&mut self, expected: &str) -> Result<(f64, usize), TextError> {
        self.skip();
        let byte_offset = self.byte_offset;
        let (value, end) = number(self.bytes, byte_offset, |byte| {
            is_space(byte) || is_brace(byte)
        });
        self.byte_offset = end;
        match value {
            ParsedNumber::Finite(value) => Ok((value, byte_offset)),
            ParsedNumber::NonFinite => Err(self.error(
                Rule::NonFinite,
                byte_offset,
                expected,
                self.shown(byte_offset),
            )),
            ParsedNumber::Not => Err(self.error(
                Rule::ExpectedNumber,
                byte_offset,
                expected,
                self.shown(byte_offset),
            )),
        }
    }

    /// Returns the word at an offset, escaped for display.
    pub(super) fn shown(&self, byte_offset: usize) -> String {
        let mut there = *self;
        there.byte_offset = byte_offset;
        let word = there.word();
        if word.is_empty() {
            return "the end of the file".to_owned();
        }
        let word = word.get(..MAX_WORD_SHOWN).unwrap_or(word);
        escape::text(&String::from_utf8_lossy(word))
    }

    /// Returns an error about the word at an offset.
    pub(super) fn error(
        &self,
        rule: Rule,
        byte_offset: usize,
        expected: impl Into<String>,
        found: impl Into<String>,
    ) -> TextError {
        let (line, column) = self.line_and_column(byte_offset);
        TextError {
            rule,
            line,
            column,
            expected: expected.into(),
            found: found.into(),
        }
    }

    /// Returns an error about the line at an offset, or the lines above it.
    pub(super) fn line_error(
        &self,
        rule: Rule,
        byte_offset: usize,
        expected: impl Into<String>,
        found: impl Into<String>,
    ) -> TextError {
        TextError {
            column: 0,
            ..self.error(rule, byte_offset, expected, found)
        }
    }

    /// Returns the line and column of an offset, from 1. LF, CR LF and CR each end a line.
    pub(super) fn line_and_column(&self, byte_offset: usize) -> (usize, usize) {
        let before = self
            .bytes
            .get(self.start..byte_offset.min(self.bytes.len()))
            .unwrap_or_default();
        let (mut line, mut line_start) = (1, 0);
        let mut last = 0;
        for (index, &byte) in before.iter().enumerate() {
            if is_line_end(byte) {
                line += usize::from(byte == b'\r' || last != b'\r');
                line_start = index + 1;
            }
            last = byte;
        }
        (line, before.len() - line_start + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_line_end_counts_once() {
        let cursor = BvhCursor::new(b"\xef\xbb\xbfa\nb\r\nc\rd\n\r\n e");
        let places: Vec<_> = [3, 5, 8, 10, 15]
            .into_iter()
            .map(|byte_offset| cursor.line_and_column(byte_offset))
            .collect();
        assert_eq!(places, [(1, 1), (2, 1), (3, 1), (4, 1), (6, 2)]);
    }

    #[test]
    fn comments_begin_only_where_a_line_does() {
        let mut cursor = BvhCursor::new(b"# one\n  # two\r#three\rHips# #four\n#");
        assert_eq!(cursor.word(), b"Hips#");
        assert_eq!(cursor.word(), b"#four");
        assert_eq!(cursor.word(), b"");
    }
}
