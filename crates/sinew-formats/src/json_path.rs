//! JSON parsing with serde, with the path of the value in errors.
//!
//! serde_json reports a line and a column. The path is found from them by a second walk over the text, so that parsing
//! without errors pays nothing for it.

use crate::escape;
use serde::Deserialize;
use serde::de::DeserializeSeed;
use serde_json::de::SliceRead;
use std::fmt::Write;

/// An error of parsing JSON.
pub(crate) struct JsonFault {
    /// Line, from 1.
    pub(crate) line: usize,
    /// Column in bytes, from 1.
    pub(crate) column: usize,
    /// Path of the value, such as `animations[0].name`; empty for the whole text.
    pub(crate) path: String,
    /// Message of the parser, without the position.
    pub(crate) problem: String,
}

impl JsonFault {
    fn new(text: &[u8], error: &serde_json::Error) -> Self {
        let message = error.to_string();
        let problem = message
            .rsplit_once(" at line ")
            .map_or(&*message, |(problem, _)| problem);
        let end = offset(text, error.line(), error.column());
        let mut before = text.get(..end).unwrap_or(text);
        if problem.starts_with("invalid value") {
            // The value was read, and the comma after it.
            before = before.trim_ascii_end();
            before = before.strip_suffix(b",").unwrap_or(before);
        }
        let path = path_after(before);
        Self {
            line: error.line(),
            column: error.column(),
            path: escape::name(&path),
            problem: problem.to_owned(),
        }
    }
}

/// Parses the whole of `text`. Calls `ignored` with the path of each field that `T` does not have.
pub(crate) fn parse<'de, T: Deserialize<'de>>(
    text: &'de [u8],
    ignored: impl FnMut(serde_ignored::Path<'_>),
) -> Result<T, JsonFault> {
    let mut json = serde_json::Deserializer::from_slice(text);
    let parsed = serde_ignored::deserialize(&mut json, ignored);
    let value = parsed.map_err(|error| JsonFault::new(text, &error))?;
    json.end().map_err(|error| JsonFault {
        path: String::new(),
        ..JsonFault::new(text, &error)
    })?;
    Ok(value)
}

/// Parses one value with `seed`.
pub(crate) fn parse_seed<'de, S: DeserializeSeed<'de>>(
    text: &'de [u8],
    seed: S,
) -> Result<S::Value, JsonFault> {
    let mut json = serde_json::Deserializer::new(SliceRead::new(text));
    let parsed = seed.deserialize(&mut json);
    parsed.map_err(|error| JsonFault::new(text, &error))
}

/// An object or a list around a place.
enum Enclosing {
    /// The key of the current entry, if it was read, as it is in the text, without quotes.
    Object(Option<std::ops::Range<usize>>),
    /// The index of the current entry.
    List(usize),
}

/// Returns how many bytes the parser had read at that line and column, both from 1.
fn offset(text: &[u8], line: usize, column: usize) -> usize {
    let lines_before = text
        .split_inclusive(|byte| *byte == b'\n')
        .take(line.saturating_sub(1));
    lines_before.map(<[u8]>::len).sum::<usize>() + column
}

/// Returns the path of the value that this beginning of a text ends with.
fn path_after(text: &[u8]) -> String {
    let mut containers = Vec::new();
    let mut position = 0;
    while let Some(byte) = text.get(position) {
        position += 1;
        match byte {
            b'{' => containers.push(Enclosing::Object(None)),
            b'[' => containers.push(Enclosing::List(0)),
            b'}' | b']' => {
                containers.pop();
            }
            b',' => match containers.last_mut() {
                Some(Enclosing::Object(key)) => *key = None,
                Some(Enclosing::List(index)) => *index += 1,
                None => {}
            },
            b'"' => {
                let start = position;
                position = end_of_string(text, start);
                if let Some(Enclosing::Object(key @ None)) = containers.last_mut() {
                    *key = Some(start..position);
                }
                // The closing quote.
                position += 1;
            }
            _ => {}
        }
    }
    let mut path = String::new();
    for container in &containers {
        match container {
            Enclosing::List(index) => {
                // Writing to a string cannot fail.
                let _ = write!(path, "[{index}]");
            }
            Enclosing::Object(Some(key)) => {
                if !path.is_empty() {
                    path.push('.');
                }
                path.push_str(&unescaped(text.get(key.clone()).unwrap_or_default()));
            }
            Enclosing::Object(None) => {}
        }
    }
    path
}

/// Returns the position of the quote that ends a string which starts at `start`, or the length of the text.
fn end_of_string(text: &[u8], start: usize) -> usize {
    let mut position = start;
    while let Some(byte) = text.get(position) {
        match byte {
            b'"' => break,
            b'\\' => position += 2,
            _ => position += 1,
        }
    }
    position.min(text.len())
}

/// Returns the text of a JSON string, given without quotes.
fn unescaped(key: &[u8]) -> String {
    let quoted = [b"\"", key, b"\""].concat();
    serde_json::from_slice(&quoted).unwrap_or_else(|_| String::from_utf8_lossy(key).into_owned())
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
mod tests {
    use super::*;
    use serde::Deserialize;

    #[derive(Debug, Deserialize)]
    #[allow(dead_code, reason = "only their types matter")]
    struct Clip {
        name: String,
        #[serde(default)]
        keys: Vec<(f32, [f32; 2])>,
    }

    #[derive(Debug, Deserialize)]
    #[allow(dead_code, reason = "only their types matter")]
    struct File {
        clips: Vec<Clip>,
        #[serde(rename = "a \"b\"", default)]
        quoted: u8,
    }

    fn path_of(text: &str) -> String {
        let fault = parse::<File>(text.as_bytes(), |_| {}).expect_err(text);
        fault.path
    }

    #[test]
    fn an_error_has_the_path_of_its_value() {
        for (text, path) in [
            ("", ""),
            ("{", ""),
            ("[]", ""),
            (r#"{"clips": 3}"#, "clips"),
            (
                r#"{"clips": [{"name": "a"}, {"name": 4}]}"#,
                "clips[1].name",
            ),
            (
                "{\"clips\": [\n{\"name\": \"a, [{\\\"\"}, \n{}]}",
                "clips[1]",
            ),
            (
                r#"{"clips": [{"name": "a", "keys": [[0, [1, 2]], [1, [3, "x"]]]}]}"#,
                "clips[0].keys[1][1][1]",
            ),
            (
                r#"{"clips": [{"name": "a", "keys": [[0, [1]]]}]}"#,
                "clips[0].keys[0][1]",
            ),
            (r#"{"clips": [], "a \"b\"": true}"#, "a \"b\""),
            (r#"{"clips": []} 5"#, ""),
        ] {
            assert_eq!(path_of(text), escape::name(path), "{text}");
        }
    }

    #[test]
    fn every_beginning_of_a_text_is_an_error_with_a_path() {
        let text = r#"{"clips": [{"name": "\u00e4\\", "keys": [[0.5, [1e3, -2]]]}]}"#;
        for end in 0..text.len() {
            path_of(text.get(..end).expect("ASCII"));
        }
    }
}
