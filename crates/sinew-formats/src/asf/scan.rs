//! Tokenizer of ASF and of AMC headers: tokens with their line and column.

use crate::escape;
use crate::limits::MAX_LINE_BYTES;
use crate::text::{ParsedNumber, Rule, TextError, number, without_bom};

/// Returns whether a byte separates tokens. By the format definition, parentheses and commas do.
pub(crate) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | 0x0b | 0x0c | b'(' | b')' | b',')
}

/// Decodes a text as UTF-8, or as Latin-1 if it is invalid: old files contain Windows paths and names.
pub(crate) fn decode(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => bytes.iter().map(|&byte| char::from(byte)).collect(),
    }
}

/// A physical line without its end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Line<'a> {
    /// From 1.
    pub(crate) number: usize,
    pub(crate) text: &'a [u8],
}

/// Iterates over lines that end with LF, CR LF or CR.
pub(crate) struct Lines<'a> {
    rest: &'a [u8],
    number: usize,
}

impl<'a> Lines<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self {
            rest: without_bom(bytes),
            number: 0,
        }
    }

    /// Returns the number of the last returned line, at least 1.
    pub(crate) fn number(&self) -> usize {
        self.number.max(1)
    }

    /// Returns the next line.
    ///
    /// # Errors
    /// If it is longer than [`MAX_LINE_BYTES`].
    pub(crate) fn next(&mut self) -> Result<Option<Line<'a>>, TextError> {
        if self.rest.is_empty() {
            return Ok(None);
        }
        self.number += 1;
        let end = self.rest.iter().position(|&b| b == b'\n' || b == b'\r');
        let (text, rest) = match end {
            Some(end) => {
                let (text, rest) = self.rest.split_at(end);
                let rest = rest.strip_prefix(b"\r\n").unwrap_or(&rest[1..]);
                (text, rest)
            }
            None => (self.rest, &[][..]),
        };
        self.rest = rest;
        if text.len() > MAX_LINE_BYTES {
            return Err(long_line(self.number, text.len()));
        }
        Ok(Some(Line {
            number: self.number,
            text,
        }))
    }
}

/// Returns the error for a line that is too long.
pub(crate) fn long_line(line: usize, bytes: usize) -> TextError {
    TextError {
        rule: Rule::TooLarge,
        line,
        column: 0,
        expected: format!("a line of at most {MAX_LINE_BYTES} bytes"),
        found: format!("{bytes} bytes"),
    }
}

/// A word of a line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token<'a> {
    pub(crate) text: &'a [u8],
    pub(crate) line: usize,
    /// In bytes, from 1.
    pub(crate) column: usize,
}

impl Token<'_> {
    /// Returns whether it is this keyword, case-insensitive.
    pub(crate) fn is(&self, keyword: &str) -> bool {
        self.text.eq_ignore_ascii_case(keyword.as_bytes())
    }

    /// Returns the token in quotes, escaped for display.
    pub(crate) fn shown(&self) -> String {
        escape::text(&decode(self.text))
    }

    pub(crate) fn error(
        &self,
        rule: Rule,
        expected: impl Into<String>,
        found: impl Into<String>,
    ) -> TextError {
        TextError {
            rule,
            line: self.line,
            column: self.column,
            expected: expected.into(),
            found: found.into(),
        }
    }

    pub(crate) fn classify(&self) -> ParsedNumber {
        number(self.text, 0, |_| false).0
    }

    /// Parses a finite number.
    pub(crate) fn number(&self, what: &str) -> Result<f64, TextError> {
        match self.classify() {
            ParsedNumber::Finite(value) => Ok(value),
            ParsedNumber::NonFinite => Err(self.error(
                Rule::NonFinite,
                format!("a finite number for {what}"),
                self.shown(),
            )),
            ParsedNumber::Not => Err(self.error(
                Rule::ExpectedNumber,
                format!("a number for {what}"),
                self.shown(),
            )),
        }
    }
}

/// Iterates over the tokens of a line, up to a comment.
#[derive(Clone, Debug)]
pub(crate) struct Tokens<'a> {
    line: Line<'a>,
    offset: usize,
}

impl<'a> Tokens<'a> {
    pub(crate) fn new(line: Line<'a>) -> Self {
        Self { line, offset: 0 }
    }

    /// Returns the next token without consuming it.
    pub(crate) fn peek(&self) -> Option<Token<'a>> {
        self.clone().next()
    }

    /// Returns the unparsed rest of the line.
    pub(crate) fn rest(&self) -> Line<'a> {
        Line {
            number: self.line.number,
            text: self.line.text.get(self.offset..).unwrap_or_default(),
        }
    }
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        let rest = self.line.text.get(self.offset..)?;
        let start = self.offset + rest.iter().position(|&byte| !is_space(byte))?;
        let rest = self.line.text.get(start..)?;
        if rest.first() == Some(&b'#') {
            self.offset = self.line.text.len();
            return None;
        }
        // A comment may directly follow a token, but `1.#QNAN` is one word.
        let mut last = 0;
        let end = rest.iter().position(|&byte| {
            let ends = is_space(byte) || (byte == b'#' && last != b'.');
            last = byte;
            ends
        });
        let text = &rest[..end.unwrap_or(rest.len())];
        self.offset = start + text.len();
        Some(Token {
            text,
            line: self.line.number,
            column: start + 1,
        })
    }
}

/// Returns the text up to the end of its line: trimmed, without a comment that follows a space.
pub(crate) fn text_of(line: Line<'_>) -> String {
    let mut spaced = true;
    let comment = line.text.iter().position(|&byte| {
        let starts = spaced && byte == b'#';
        spaced = byte == b' ' || byte == b'\t';
        starts
    });
    let text = &line.text[..comment.unwrap_or(line.text.len())];
    decode(text.trim_ascii())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<(String, usize)> {
        let line = Line {
            number: 1,
            text: text.as_bytes(),
        };
        Tokens::new(line)
            .map(|token| (decode(token.text), token.column))
            .collect()
    }

    #[test]
    fn lines_end_in_three_ways() {
        let mut lines = Lines::new(b"\xef\xbb\xbfa\nb\r\nc\rd\n\r\n\re");
        let mut found = Vec::new();
        while let Some(line) = lines.next().unwrap() {
            found.push((line.number, decode(line.text)));
        }
        let texts = ["a", "b", "c", "d", "", "", "e"];
        let expected: Vec<_> = (1..).zip(texts.map(String::from)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn parentheses_and_commas_are_spaces_and_comments_end_lines() {
        let token = |text: &str, column| (text.to_owned(), column);
        assert_eq!(
            words("\tlimits (-1,2) 3#x 4"),
            [
                token("limits", 2),
                token("-1", 10),
                token("2", 13),
                token("3", 16)
            ]
        );
        assert_eq!(words("1.#QNAN # x"), [token("1.#QNAN", 1)]);
        assert_eq!(words(" # all"), []);
    }

    #[test]
    fn texts_keep_their_parentheses() {
        let text = |text: &[u8]| text_of(Line { number: 1, text });
        assert_eq!(text(b"  a (b), c  # d"), "a (b), c");
        assert_eq!(text(b" no#1 "), "no#1");
        assert_eq!(text(b"f\xfcr"), "f\u{fc}r");
        assert_eq!(text(b"# nothing"), "");
    }
}
