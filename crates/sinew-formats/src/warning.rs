//! What a reader repaired or ignored.

use crate::limits::MAX_WARNINGS;
use std::fmt;

/// How much a warning matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Severity {
    /// Good to know; the file is in order.
    Note,
    /// Something was repaired or ignored.
    Warning,
    /// The result as a whole is likely to be wrong: its units, its up axis or its frame rate.
    Serious,
}

impl Severity {
    /// In small letters.
    pub fn name(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Serious => "serious",
        }
    }
}

/// One thing that a reader repaired or ignored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// How much it matters.
    pub severity: Severity,
    /// Where: `bone 3 "Left Arm"`, `animation 0 "Walk", key 12, bone 3 "Left Arm"`, …
    pub place: String,
    /// The field as the file calls it; empty when it is about the whole place.
    pub field: String,
    /// What is wrong and what was done about it.
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

/// Everything that a reader repaired or ignored, in the file's order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Warnings {
    list: Vec<Warning>,
    more: usize,
}

impl Warnings {
    /// The warnings, at most [`MAX_WARNINGS`].
    pub fn list(&self) -> &[Warning] {
        &self.list
    }

    /// How many more there were.
    pub fn more(&self) -> usize {
        self.more
    }

    /// How many there are in all.
    pub fn count(&self) -> usize {
        self.list.len() + self.more
    }

    /// Whether the list is empty.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Adds all of another list.
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

    /// Those that concern the whole result.
    pub fn serious(&self) -> impl Iterator<Item = &Warning> {
        self.list
            .iter()
            .filter(|warning| warning.severity == Severity::Serious)
    }

    /// How many are more than a note.
    pub fn problems(&self) -> usize {
        let notes = self
            .list
            .iter()
            .filter(|warning| warning.severity == Severity::Note);
        self.count() - notes.count()
    }

    /// Adds a warning about a field of a place, or about all of it; past [`MAX_WARNINGS`] they are only counted.
    pub fn add(
        &mut self,
        place: impl fmt::Display,
        field: impl fmt::Display,
        problem: impl fmt::Display,
    ) {
        self.add_as(Severity::Warning, place, field, problem);
    }

    /// Adds what is good to know and no fault.
    pub(crate) fn note(
        &mut self,
        place: impl fmt::Display,
        field: impl fmt::Display,
        problem: impl fmt::Display,
    ) {
        self.add_as(Severity::Note, place, field, problem);
    }

    /// Adds what makes the whole result doubtful. These are kept however many warnings there are.
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
