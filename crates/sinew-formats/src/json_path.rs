//! JSON parsing with serde, with the path of the value in errors.

use crate::escape;
use serde::Deserialize;
use serde::de::DeserializeSeed;
use serde_json::de::Read;

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
    fn new(error: &serde_json::Error, path: &str) -> Self {
        let message = error.to_string();
        let problem = message
            .rsplit_once(" at line ")
            .map_or(&*message, |(problem, _)| problem);
        Self {
            line: error.line(),
            column: error.column(),
            // A trailing `?` or `.` marks a value that was not reached.
            path: escape::name(path.trim_end_matches(['.', '?'])),
            problem: problem.to_owned(),
        }
    }
}

/// Parses the whole text of `json`. Calls `ignored` with the path of each field that `T` does not have.
pub(crate) fn parse<'de, T: Deserialize<'de>>(
    mut json: serde_json::Deserializer<impl Read<'de>>,
    ignored: impl FnMut(serde_ignored::Path<'_>),
) -> Result<T, JsonFault> {
    let mut track = serde_path_to_error::Track::new();
    let tracked = serde_path_to_error::Deserializer::new(&mut json, &mut track);
    let parsed = serde_ignored::deserialize(tracked, ignored);
    let value = parsed.map_err(|error| JsonFault::new(&error, &track.path().to_string()))?;
    json.end().map_err(|error| JsonFault::new(&error, ""))?;
    Ok(value)
}

/// Parses one value with `seed`.
pub(crate) fn parse_seed<'de, S: DeserializeSeed<'de>>(
    mut json: serde_json::Deserializer<impl Read<'de>>,
    seed: S,
) -> Result<S::Value, JsonFault> {
    let mut track = serde_path_to_error::Track::new();
    let tracked = serde_path_to_error::Deserializer::new(&mut json, &mut track);
    let parsed = seed.deserialize(tracked);
    parsed.map_err(|error| JsonFault::new(&error, &track.path().to_string()))
}

/// `, path` for the middle of an error message; empty for the whole text.
pub(crate) fn after_comma(path: &str) -> String {
    if path.is_empty() {
        String::new()
    } else {
        format!(", {path}")
    }
}
