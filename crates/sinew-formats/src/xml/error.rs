//! Why an XML animation could not be read.

use crate::escape;
use crate::text::{invalid_utf8, line_and_column};
use sinew::animation::AnimationError;

/// Why an XML animation could not be read.
///
/// Places are written as `variant 3 "Left/@/Position", keyframe 2`, counted from 0. Lines and columns
/// count from 1.
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
        /// The message of the parser.
        problem: String,
    },
    /// The root is something else.
    #[error("line {line}, column {column}: expected <animation>, found {found}")]
    NotAnimation {
        /// Line.
        line: usize,
        /// Column.
        column: usize,
        /// The root.
        found: String,
    },
    /// Something breaks a rule of the format.
    #[error("line {line}, column {column}, {path}: expected {expected}, found {found}")]
    Invalid {
        /// Line.
        line: usize,
        /// Column.
        column: usize,
        /// The element it is about.
        path: String,
        /// What was expected.
        expected: String,
        /// What was found.
        found: String,
    },
    /// Keys make no track, or tracks no animation.
    #[error("line {line}, column {column}, {path}: {source}")]
    Animation {
        /// Line.
        line: usize,
        /// Column.
        column: usize,
        /// The element it is about.
        path: String,
        /// What is wrong.
        source: AnimationError,
    },
    /// Something is larger than allowed.
    #[error("{what}: {found}, at most {limit} are allowed")]
    TooLarge {
        /// What.
        what: &'static str,
        /// How large it is.
        found: usize,
        /// How large it may be.
        limit: usize,
    },
}

/// Refuses what is larger than allowed.
pub(super) fn check_size(what: &'static str, found: usize, limit: usize) -> Result<(), XmlError> {
    if found <= limit {
        return Ok(());
    }
    Err(XmlError::TooLarge { what, found, limit })
}

/// Bytes as a text.
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
    // The parser's sentence has the position in it, which stands at our beginning.
    let says = error.to_string();
    let says = says.replacen(&format!(" at {}", error.pos()), "", 1);
    XmlError::Syntax {
        line,
        column,
        problem: escape::name(&says),
    }
}
