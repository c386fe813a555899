//! What a reader repaired or ignored.

use crate::limits::MAX_WARNINGS;
use std::fmt;

/// One thing that a reader repaired or ignored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
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

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Adds all of another list.
    pub fn extend(&mut self, other: &Self) {
        for warning in &other.list {
            self.add(&warning.place, &warning.field, &warning.problem);
        }
        self.more += other.more;
    }

    /// Adds a warning about a field of a place, or about all of it; past [`MAX_WARNINGS`] they are only counted.
    pub fn add(
        &mut self,
        place: impl fmt::Display,
        field: impl fmt::Display,
        problem: impl fmt::Display,
    ) {
        if self.list.len() >= MAX_WARNINGS {
            self.more += 1;
            return;
        }
        self.list.push(Warning {
            place: place.to_string(),
            field: field.to_string(),
            problem: problem.to_string(),
        });
    }
}
