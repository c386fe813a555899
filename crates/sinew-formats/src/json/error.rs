//! Errors of reading a JSON motion.

use crate::json_text::after_comma;
use sinew::animation::AnimationError;

/// An error of reading a JSON motion.
///
/// Places are written as `animations[0].tracks[2].position`. Lines and columns count from 1, columns in bytes.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JsonError {
    /// The file could not be opened or read.
    #[error("cannot read the file: {0}")]
    Io(#[from] std::io::Error),
    /// The file is not JSON of this format.
    #[error("expected JSON with \"format\": \"sinew-motion\", found {found}")]
    NotThisFormat {
        /// Description of the content.
        found: String,
    },
    /// The version is not supported.
    #[error("version: expected {}, found {found}", super::VERSION)]
    Version {
        /// Version of the file.
        found: String,
    },
    /// The JSON cannot be parsed.
    #[error("line {line}, column {column}{}: {problem}", after_comma(.path))]
    Syntax {
        /// Line.
        line: usize,
        /// Column.
        column: usize,
        /// Path of the value; empty for the whole file.
        path: String,
        /// Message of the parser.
        problem: String,
        /// What was expected; empty if `problem` does not name it.
        expected: Box<str>,
        /// What was found; empty if `problem` does not name it.
        found: Box<str>,
    },
    /// A value breaks a rule of the format.
    #[error("line {line}, column {column}{}: expected {expected}, found {found}", after_comma(.path))]
    Invalid {
        /// Line.
        line: usize,
        /// Column.
        column: usize,
        /// Path of the value; empty for the whole file.
        path: String,
        /// What was expected.
        expected: String,
        /// What was found.
        found: String,
    },
    /// Keys do not form a valid track, or tracks a valid animation.
    #[error("line {line}, column {column}{}: {source}", after_comma(.path))]
    Animation {
        /// Line.
        line: usize,
        /// Column.
        column: usize,
        /// The channel, track or animation.
        path: String,
        /// The error.
        source: AnimationError,
    },
    /// The file is larger than allowed.
    #[error("the file is too large: {found} bytes, at most {limit} are allowed")]
    TooLarge {
        /// Size in bytes.
        found: u64,
        /// Maximum size in bytes.
        limit: u64,
    },
}
