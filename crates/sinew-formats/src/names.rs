//! Unique names, and the most similar of several.

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

/// Number of characters of a name that are compared.
const MAX_COMPARED: usize = 40;

/// Returns the most similar name, ignoring case, if at most a third of its characters differ; of equal ones the first.
pub(crate) fn nearest<'a>(name: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let letters = |name: &str| -> Vec<char> {
        let lower = name.trim().chars().flat_map(char::to_lowercase);
        lower.take(MAX_COMPARED).collect()
    };
    let wanted = letters(name);
    let allowed = (wanted.len() / 3).max(1);
    let distances = names.map(|name| (edit_distance(&wanted, &letters(name)), name));
    let nearest = distances.min_by_key(|(distance, _)| *distance)?;
    (nearest.0 <= allowed).then_some(nearest.1)
}

/// Returns the number of insertions, deletions and substitutions (Levenshtein distance, row by row).
fn edit_distance(from: &[char], to: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (index, letter) in from.iter().enumerate() {
        let mut diagonal = index;
        let mut left = index + 1;
        if let Some(first) = row.first_mut() {
            *first = left;
        }
        for (cell, other) in row.iter_mut().skip(1).zip(to) {
            let substituted = diagonal + usize::from(letter != other);
            diagonal = *cell;
            left = substituted.min(left + 1).min(diagonal + 1);
            *cell = left;
        }
    }
    row.last().copied().unwrap_or(0)
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

    #[test]
    fn the_most_similar_name_differs_by_at_most_a_third() {
        let names = ["hips", "head", "left_hand"];
        let near = |name| nearest(name, names.into_iter());
        assert_eq!(near("Hips"), Some("hips"));
        assert_eq!(near("hisp"), None);
        assert_eq!(near("hip"), Some("hips"));
        assert_eq!(near("lefthand"), Some("left_hand"));
        assert_eq!(near("tail"), None);
        assert_eq!(nearest("a", [].into_iter()), None);
        let chars = |text: &str| text.chars().collect::<Vec<_>>();
        assert_eq!(edit_distance(&chars("kitten"), &chars("sitting")), 3);
        assert_eq!(edit_distance(&chars(""), &chars("abc")), 3);
    }
}
