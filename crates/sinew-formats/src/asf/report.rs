//! Faults that a strict reader rejects and a lenient one repairs.

use super::scan::Token;
use crate::text::TextError;
use crate::warning::Warnings;
use std::fmt::Display;

/// Warnings about a file, and whether the reader is lenient.
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

    /// Returns an error if strict, else adds a warning with the remedy.
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

    pub(crate) fn warn(&mut self, token: Token<'_>, problem: impl Display) {
        self.warnings
            .add(place(token.line, token.column), "", problem);
    }

    pub(crate) fn warn_line(&mut self, line: usize, problem: impl Display) {
        self.warnings.add(place(line, 0), "", problem);
    }
}

/// Formats a place: `line 3, column 7`, without the column if it is 0.
pub(crate) fn place(line: usize, column: usize) -> String {
    match column {
        0 => format!("line {line}"),
        _ => format!("line {line}, column {column}"),
    }
}
