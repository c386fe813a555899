//! Unique names.

use std::collections::{HashMap, HashSet};

/// The set of used names.
#[derive(Default)]
pub(crate) struct Names {
    taken: HashSet<String>,
    /// The suffix to try first for each name, so that many equal names stay cheap.
    next: HashMap<String, usize>,
}

impl Names {
    /// Returns a unique name: `name` itself if it is unused, else with the first free suffix of `_2`, `_3`, ….
    pub(crate) fn take(&mut self, name: &str) -> String {
        if self.taken.insert(name.to_owned()) {
            return name.to_owned();
        }
        let next = self.next.entry(name.to_owned()).or_insert(2);
        loop {
            let other = format!("{name}_{next}");
            *next += 1;
            if self.taken.insert(other.clone()) {
                return other;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_names_are_numbered_around_names_that_are_taken() {
        let mut names = Names::default();
        let taken: Vec<_> = ["a", "a_2", "a", "a", "a_2"].map(|n| names.take(n)).into();
        assert_eq!(taken, ["a", "a_2", "a_3", "a_4", "a_2_2"]);
    }
}
