//! Warnings about repaired or ignored content.

use crate::limits::MAX_WARNINGS;
use std::fmt;

/// Severity of a warning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Severity {
    /// Information; the file is valid.
    Note,
    /// Something was repaired or ignored.
    Warning,
    /// The whole result is likely to be wrong: its units, its up axis or its frame rate.
    Serious,
}

impl Severity {
    /// Returns the name in lower case.
    pub fn name(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Serious => "serious",
        }
    }
}

/// A repaired or ignored part of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// Severity.
    pub severity: Severity,
    /// Place: `bone 3 "Left Arm"`, `animation 0 "Walk", key 12, bone 3 "Left Arm"`, …
    pub place: String,
    /// Field name in the file; empty if the warning is about the whole place.
    pub field: String,
    /// The problem and its repair.
    pub problem: String,
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.place)?;
        if !self.field.is_empty() {
            write!(f, ", {}", self.field)?;
        }
        write!(f, ": {}", self.problem)
    }
}

/// Warnings of a reader, in the order of the file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Warnings {
    list: Vec<Warning>,
    more: usize,
}

impl Warnings {
    /// Returns the kept warnings, at most [`MAX_WARNINGS`].
    pub fn list(&self) -> &[Warning] {
        &self.list
    }

    /// Returns the number of warnings that were not kept.
    pub fn more(&self) -> usize {
        self.more
    }

    /// Returns the total number of warnings.
    pub fn count(&self) -> usize {
        self.list.len() + self.more
    }

    /// Returns whether the list is empty.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Adds all warnings of another list.
    pub fn extend(&mut self, other: &Self) {
        for warning in &other.list {
            self.add_as(
                warning.severity,
                &warning.place,
                &warning.field,
                &warning.problem,
            );
        }
        self.more += other.more;
    }

    /// Iterates over the warnings that concern the whole result.
    pub fn serious(&self) -> impl Iterator<Item = &Warning> {
        self.list
            .iter()
            .filter(|warning| warning.severity == Severity::Serious)
    }

    /// Returns the number of warnings above [`Severity::Note`].
    pub fn problems(&self) -> usize {
        let notes = self
            .list
            .iter()
            .filter(|warning| warning.severity == Severity::Note);
        self.count() - notes.count()
    }

    /// Adds a warning about a field of a place, or about the whole place; beyond [`MAX_WARNINGS`] it is only counted.
    pub fn add(
        &mut self,
        place: impl fmt::Display,
        field: impl fmt::Display,
        problem: impl fmt::Display,
    ) {
        self.add_as(Severity::Warning, place, field, problem);
    }

    /// Adds a note: information that is not a fault.
    pub(crate) fn note(
        &mut self,
        place: impl fmt::Display,
        field: impl fmt::Display,
        problem: impl fmt::Display,
    ) {
        self.add_as(Severity::Note, place, field, problem);
    }

    /// Adds a warning about the whole result. These are kept regardless of [`MAX_WARNINGS`].
    pub(crate) fn serious_problem(&mut self, place: impl fmt::Display, problem: impl fmt::Display) {
        self.add_as(Severity::Serious, place, "", problem);
    }

    fn add_as(
        &mut self,
        severity: Severity,
        place: impl fmt::Display,
        field: impl fmt::Display,
        problem: impl fmt::Display,
    ) {
        if self.list.len() >= MAX_WARNINGS && severity != Severity::Serious {
            self.more += 1;
            return;
        }
        self.list.push(Warning {
            severity,
            place: place.to_string(),
            field: field.to_string(),
            problem: problem.to_string(),
        });
    }
}
