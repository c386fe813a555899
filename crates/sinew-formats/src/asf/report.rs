//! Faults that stop a strict reader and that a lenient one repairs.

use super::scan::Token;
use crate::text::TextError;
use crate::warning::Warnings;
use std::fmt::Display;

/// What is to be said of a file, and how hard the reader is.
#[derive(Debug)]
pub(crate) struct Report {
    pub(crate) lenient: bool,
    pub(crate) warnings: Warnings,
}

impl Report {
    pub(crate) fn new(lenient: bool) -> Self {
        Self {
            lenient,
            warnings: Warnings::default(),
        }
    }

    /// An error when strict, else a warning that also says what is done about it.
    pub(crate) fn fault(&mut self, error: TextError, remedy: &str) -> Result<(), TextError> {
        if !self.lenient {
            return Err(error);
        }
        let problem = format!(
            "expected {}, found {}; {remedy}",
            error.expected, error.found
        );
        self.warnings
            .add(place(error.line, error.column), "", problem);
        Ok(())
    }

    pub(crate) fn warn(&mut self, at: Token<'_>, problem: impl Display) {
        self.warnings.add(place(at.line, at.column), "", problem);
    }

    pub(crate) fn warn_line(&mut self, line: usize, problem: impl Display) {
        self.warnings.add(place(line, 0), "", problem);
    }
}

/// `line 3, column 7`, or without the column when it is 0.
pub(crate) fn place(line: usize, column: usize) -> String {
    match column {
        0 => format!("line {line}"),
        _ => format!("line {line}, column {column}"),
    }
}
