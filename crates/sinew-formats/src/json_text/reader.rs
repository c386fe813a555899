//! The tokens of JSON: a cursor over the text. No function here is generic.

use super::MAX_DEPTH;
use super::error::ReadError;
use crate::escape;
use std::borrow::Cow;

/// A cursor over a text.
pub(super) struct Reader<'de> {
    text: &'de [u8],
    position: usize,
    /// Nesting of the value at `position`.
    depth: u8,
    /// Whether values without a field are reported.
    reports: bool,
    /// The outermost keys whose values are reported; all if there are none.
    reported_keys: &'static [&'static str],
    /// Whether the current outermost key is one of them.
    is_reported: bool,
    ignored: Vec<usize>,
}

/// The type of a value, which its first byte determines.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Null,
    Bool,
    Number,
    Text,
    List,
    Object,
}

/// A number. Integers that fit are exact.
#[derive(Clone, Copy)]
pub(super) enum Number {
    Unsigned(u64),
    Signed(i64),
    Float(f64),
}

impl<'de> Reader<'de> {
    pub(super) fn new(text: &'de [u8]) -> Self {
        Self {
            text,
            position: 0,
            depth: 0,
            reports: false,
            reported_keys: &[],
            is_reported: false,
            ignored: Vec::new(),
        }
    }

    /// Records the offsets of values that no field takes, below the outermost `keys`.
    pub(super) fn report_ignored(&mut self, keys: &'static [&'static str]) {
        self.reports = true;
        self.reported_keys = keys;
        self.is_reported = keys.is_empty();
    }

    pub(super) fn ignored(&self) -> &[usize] {
        &self.ignored
    }

    pub(super) fn text(&self) -> &'de [u8] {
        self.text
    }

    /// Returns the offset of the next token.
    pub(super) fn start(&mut self) -> usize {
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.text.get(self.position) {
            self.position += 1;
        }
        self.position
    }

    /// Returns the first byte of the next token.
    fn peek(&mut self) -> Option<u8> {
        let start = self.start();
        self.text.get(start).copied()
    }

    /// Returns an error about the character at the cursor.
    fn unexpected(&self, expected: &str) -> ReadError {
        let rest = self.text.get(self.position..).unwrap_or_default();
        let found = match rest.utf8_chunks().next() {
            None => "the end of the text".to_owned(),
            Some(chunk) => match chunk.valid().chars().next() {
                Some(character) => escape::text(&character.to_string()),
                None => format!("the byte {:#04x}", rest.first().copied().unwrap_or(0)),
            },
        };
        ReadError::syntax(self.position, expected, found)
    }

    /// Checks that only white space follows.
    pub(super) fn rest(&self) -> Result<(), ReadError> {
        let mut end = Self::new(self.text);
        end.position = self.position;
        match end.peek() {
            None => Ok(()),
            Some(_) => Err(end.unexpected("the end of the text")),
        }
    }

    pub(super) fn kind(&mut self) -> Result<Kind, ReadError> {
        Ok(match self.peek() {
            Some(b'n') => Kind::Null,
            Some(b't' | b'f') => Kind::Bool,
            Some(b'"') => Kind::Text,
            Some(b'[') => Kind::List,
            Some(b'{') => Kind::Object,
            Some(b'-' | b'0'..=b'9') => Kind::Number,
            _ => return Err(self.unexpected("a value")),
        })
    }

    /// Reads `null`, `true` or `false`.
    pub(super) fn word(&mut self, word: &'static [u8]) -> Result<(), ReadError> {
        self.start();
        for &byte in word {
            if self.text.get(self.position) != Some(&byte) {
                return Err(self.unexpected("true, false or null"));
            }
            self.position += 1;
        }
        Ok(())
    }

    pub(super) fn flag(&mut self) -> Result<bool, ReadError> {
        let flag = self.peek() == Some(b't');
        self.word(if flag { b"true" } else { b"false" })?;
        Ok(flag)
    }

    /// Enters a list or an object.
    pub(super) fn open(&mut self) -> Result<(), ReadError> {
        let start = self.start();
        if self.depth >= MAX_DEPTH {
            let expected = format!("at most {MAX_DEPTH} nested lists and objects");
            return Err(ReadError::syntax(start, &expected, "more".to_owned()));
        }
        self.depth += 1;
        self.position += 1;
        Ok(())
    }

    /// Advances to the next entry; returns `false` at the end, before the closing byte.
    pub(super) fn next_entry(&mut self, first: bool, end: u8) -> Result<bool, ReadError> {
        let byte = self.peek();
        if byte == Some(end) {
            return Ok(false);
        }
        if first {
            return Ok(true);
        }
        if byte != Some(b',') {
            return Err(self.unexpected(if end == b']' {
                "\",\" or \"]\""
            } else {
                "\",\" or \"}\""
            }));
        }
        self.position += 1;
        match self.peek() {
            Some(byte) if byte == end => Err(self.unexpected("an entry after the comma")),
            _ => Ok(true),
        }
    }

    /// Leaves a list or an object.
    pub(super) fn close(&mut self, end: u8) -> Result<(), ReadError> {
        if self.peek() != Some(end) {
            return Err(self.unexpected(if end == b']' { "\"]\"" } else { "\"}\"" }));
        }
        self.depth = self.depth.saturating_sub(1);
        self.position += 1;
        Ok(())
    }

    /// Reads a key of an object.
    pub(super) fn key(&mut self) -> Result<Cow<'de, str>, ReadError> {
        if self.peek() != Some(b'"') {
            return Err(self.unexpected("a key in quotes"));
        }
        let key = self.string()?;
        if self.depth == 1 && !self.reported_keys.is_empty() {
            self.is_reported = self.reported_keys.contains(&&*key);
        }
        Ok(key)
    }

    pub(super) fn colon(&mut self) -> Result<(), ReadError> {
        if self.peek() != Some(b':') {
            return Err(self.unexpected("\":\""));
        }
        self.position += 1;
        Ok(())
    }

    /// Reads a text in quotes.
    pub(super) fn string(&mut self) -> Result<Cow<'de, str>, ReadError> {
        let quote = self.start();
        self.position = quote + 1;
        let start = self.position;
        self.plain()?;
        let text = utf8(self.text, start, self.position)?;
        if self.text.get(self.position) == Some(&b'"') {
            self.position += 1;
            return Ok(Cow::Borrowed(text));
        }
        let mut unescaped = text.to_owned();
        loop {
            // A quote or a backslash.
            self.position += 1;
            if self.text.get(self.position - 1) == Some(&b'"') {
                return Ok(Cow::Owned(unescaped));
            }
            unescaped.push(self.escaped()?);
            let start = self.position;
            self.plain()?;
            unescaped.push_str(utf8(self.text, start, self.position)?);
        }
    }

    /// Advances to the next quote or backslash in a text.
    fn plain(&mut self) -> Result<(), ReadError> {
        loop {
            match self.text.get(self.position) {
                Some(b'"' | b'\\') => return Ok(()),
                Some(0x20..) => self.position += 1,
                Some(_) => return Err(self.unexpected("no control character in a text")),
                None => return Err(self.unexpected("a closing quote")),
            }
        }
    }

    /// Reads what follows a backslash.
    fn escaped(&mut self) -> Result<char, ReadError> {
        let character = match self.text.get(self.position) {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => {
                self.position += 1;
                return self.code_point();
            }
            _ => return Err(self.unexpected("one of \" \\ / b f n r t u after the backslash")),
        };
        self.position += 1;
        Ok(character)
    }

    /// Reads the digits of `\uXXXX`, and the second half of a surrogate pair.
    fn code_point(&mut self) -> Result<char, ReadError> {
        let first = self.hexadecimal()?;
        let mut code = first;
        if (0xd800..0xdc00).contains(&first)
            && self
                .text
                .get(self.position..)
                .is_some_and(|rest| rest.starts_with(b"\\u"))
        {
            self.position += 2;
            let second = self.hexadecimal()?;
            code = match second {
                0xdc00..0xe000 => 0x1_0000 + ((first - 0xd800) << 10) + (second - 0xdc00),
                _ => first,
            };
        }
        char::from_u32(code).ok_or_else(|| self.unexpected("the other half of a surrogate pair"))
    }

    fn hexadecimal(&mut self) -> Result<u32, ReadError> {
        let mut code = 0;
        for _ in 0..4 {
            let digit = self.text.get(self.position).copied().map(char::from);
            let Some(digit) = digit.and_then(|digit| digit.to_digit(16)) else {
                return Err(self.unexpected("four hexadecimal digits"));
            };
            code = code * 16 + digit;
            self.position += 1;
        }
        Ok(code)
    }

    /// Reads a number; with `single`, one that is no integer is rounded to 32 bits, once.
    pub(super) fn number(&mut self, single: bool) -> Result<Number, ReadError> {
        let start = self.start();
        let is_integer = self.scan_number()?;
        let text = utf8(self.text, start, self.position)?;
        // Negative zero has no integer.
        if is_integer && text != "-0" {
            if let Ok(number) = text.parse() {
                return Ok(Number::Unsigned(number));
            }
            if let Ok(number) = text.parse() {
                return Ok(Number::Signed(number));
            }
        }
        let number = if single {
            text.parse().map(|number: f32| f64::from(number))
        } else {
            text.parse()
        };
        match number {
            Ok(number) if number.is_finite() => Ok(Number::Float(number)),
            _ => {
                let expected = if single {
                    "a number of 32 bits"
                } else {
                    "a number of 64 bits"
                };
                let error = ReadError::mismatch(expected.to_owned(), escape::name(text));
                Err(error.at(start))
            }
        }
    }

    /// Advances past a number; returns whether it is an integer.
    fn scan_number(&mut self) -> Result<bool, ReadError> {
        if self.peek() == Some(b'-') {
            self.position += 1;
        }
        if self.text.get(self.position) == Some(&b'0') {
            self.position += 1;
            if let Some(b'0'..=b'9') = self.text.get(self.position) {
                return Err(self.unexpected("no digit after a leading 0"));
            }
        } else {
            self.digits()?;
        }
        let mut is_integer = true;
        if self.text.get(self.position) == Some(&b'.') {
            is_integer = false;
            self.position += 1;
            self.digits()?;
        }
        if let Some(b'e' | b'E') = self.text.get(self.position) {
            is_integer = false;
            self.position += 1;
            if let Some(b'+' | b'-') = self.text.get(self.position) {
                self.position += 1;
            }
            self.digits()?;
        }
        Ok(is_integer)
    }

    fn digits(&mut self) -> Result<(), ReadError> {
        if !matches!(self.text.get(self.position), Some(b'0'..=b'9')) {
            return Err(self.unexpected("a digit"));
        }
        while let Some(b'0'..=b'9') = self.text.get(self.position) {
            self.position += 1;
        }
        Ok(())
    }

    /// Skips a value that no field takes.
    pub(super) fn ignore(&mut self) -> Result<(), ReadError> {
        let start = self.start();
        if self.reports && self.is_reported {
            self.ignored.push(start);
        }
        self.skip()
    }

    /// Skips a value and returns its text.
    pub(super) fn raw(&mut self) -> Result<&'de str, ReadError> {
        let start = self.start();
        self.skip()?;
        utf8(self.text, start, self.position)
    }

    /// Skips a value, without recursion.
    fn skip(&mut self) -> Result<(), ReadError> {
        let mut ends = Vec::new();
        loop {
            let mut first = false;
            match self.kind()? {
                Kind::Null => self.word(b"null")?,
                Kind::Bool => {
                    self.flag()?;
                }
                Kind::Number => {
                    self.scan_number()?;
                }
                Kind::Text => self.skip_string()?,
                kind => {
                    self.position += 1;
                    ends.push(if kind == Kind::List { b']' } else { b'}' });
                    first = true;
                }
            }
            // Leaves all that end here.
            loop {
                let Some(&end) = ends.last() else {
                    return Ok(());
                };
                if self.next_entry(first, end)? {
                    if end == b'}' {
                        if self.peek() != Some(b'"') {
                            return Err(self.unexpected("a key in quotes"));
                        }
                        self.skip_string()?;
                        self.colon()?;
                    }
                    break;
                }
                self.position += 1;
                ends.pop();
                first = false;
            }
        }
    }

    fn skip_string(&mut self) -> Result<(), ReadError> {
        self.position += 1;
        loop {
            self.plain()?;
            self.position += 1;
            if self.text.get(self.position - 1) == Some(&b'"') {
                return Ok(());
            }
            // Halves of surrogate pairs matter only to a text that is read.
            if self.text.get(self.position) == Some(&b'u') {
                self.position += 1;
                self.hexadecimal()?;
            } else {
                self.escaped()?;
            }
        }
    }
}

/// Returns a part of the text, which must be UTF-8.
fn utf8(text: &[u8], start: usize, end: usize) -> Result<&str, ReadError> {
    let bytes = text.get(start..end).unwrap_or_default();
    std::str::from_utf8(bytes).map_err(|error| {
        let offset = error.valid_up_to();
        let byte = bytes.get(offset).copied().unwrap_or(0);
        ReadError::syntax(start + offset, "UTF-8", format!("the byte {byte:#04x}"))
    })
}
