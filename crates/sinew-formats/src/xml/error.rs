//! Errors of reading an XML animation.

use crate::escape;
use crate::text::{invalid_utf8, line_and_column};
use sinew::animation::AnimationError;

/// An error of reading an XML animation.
///
/// Places are written as `variant 3 "Left/@/Position", keyframe 2`, counted from 0. Lines and columns count from 1.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum XmlError {
    /// The file could not be opened or read.
    #[error("cannot read the file: {0}")]
    Io(#[from] std::io::Error),
    /// The XML cannot be parsed.
    #[error("line {line}, column {column}: {problem}")]
    Syntax {
        /// Line.
        line: usize,
        /// Column.
        column: usize,
        /// Message of the parser.
        problem: String,
    },
    /// The root element is not `<animation>`.
    #[error("line {line}, column {column}: expected <animation>, found {found}")]
    NotAnimation {
        /// Line.
        line: usize,
        /// Column.
        column: usize,
        /// The root element.
        found: String,
    },
    /// A value breaks a rule of the format.
    #[error("line {line}, column {column}, {path}: expected {expected}, found {found}")]
    Invalid {
        /// Line.
        line: usize,
        /// Column.
        column: usize,
        /// Path of the element.
        path: String,
        /// What was expected.
        expected: String,
        /// What was found.
        found: String,
    },
    /// Keys do not form a valid track, or tracks a valid animation.
    #[error("line {line}, column {column}, {path}: {source}")]
    Animation {
        /// Line.
        line: usize,
        /// Column.
        column: usize,
        /// Path of the element.
        path: String,
        /// The error.
        source: AnimationError,
    },
    /// A size exceeds its limit.
    #[error("{what}: {found}, at most {limit} are allowed")]
    TooLarge {
        /// Name of what is too large.
        what: &'static str,
        /// Actual size.
        found: usize,
        /// Maximum size.
        limit: usize,
    },
}

/// Fails if a size exceeds its limit.
pub(super) fn check_size(what: &'static str, found: usize, limit: usize) -> Result<(), XmlError> {
    if found <= limit {
        return Ok(());
    }
    Err(XmlError::TooLarge { what, found, limit })
}

/// Decodes bytes as text.
pub(super) fn text_of(bytes: &[u8]) -> Result<&str, XmlError> {
    str::from_utf8(bytes).map_err(|error| {
        let (line, column, found) = invalid_utf8(bytes, error);
        XmlError::Syntax {
            line,
            column,
            problem: format!("expected UTF-8, found {found}"),
        }
    })
}

pub(super) fn wrong_xml(text: &str, error: &roxmltree::Error) -> XmlError {
    use roxmltree::Error;
    if matches!(error, Error::NodesLimitReached) {
        return XmlError::TooLarge {
            what: "there are too many elements",
            found: crate::limits::MAX_XML_NODES + 1,
            limit: crate::limits::MAX_XML_NODES,
        };
    }
    let (line, column) = match error {
        Error::UnexpectedEndOfStream | Error::UnclosedRootNode | Error::NoRootNode => {
            line_and_column(text.as_bytes())
        }
        other => (other.pos().row as usize, other.pos().col as usize),
    };
    // The message of the parser contains the position, which our message begins with.
    let says = error.to_string();
    let says = says.replacen(&format!(" at {}", error.pos()), "", 1);
    XmlError::Syntax {
        line,
        column,
        problem: escape::name(&says),
    }
}
