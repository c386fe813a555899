//! Messages for unknown names, with suggestions.

/// The largest number of characters of a name that are compared or shown.
const MAX_LETTERS: usize = 60;

/// The largest number of names listed when one is not found.
const MAX_NAMES: usize = 40;

/// Quotes, escapes and truncates a text.
pub(crate) fn quote(text: &str) -> String {
    match text.char_indices().nth(MAX_LETTERS) {
        Some((end, _)) => format!("{:?}…", &text[..end]),
        None => format!("{text:?}"),
    }
}

/// Returns the message for an unknown name, with a suggestion and the available names.
pub(crate) fn no_such<'a>(
    what: &str,
    name: &str,
    names: impl Iterator<Item = &'a str> + Clone,
) -> String {
    let mut listed: Vec<String> = names.clone().take(MAX_NAMES).map(quote).collect();
    if let more @ 1.. = names.clone().count().saturating_sub(MAX_NAMES) {
        listed.push(format!("and {more} more"));
    }
    let available = if listed.is_empty() {
        "there are none".to_owned()
    } else {
        format!("available: {}", listed.join(", "))
    };
    let maybe = did_you_mean(name, names);
    format!("no {what} {}{maybe}; {available}", quote(name))
}

/// Suggests a similar name if there is one.
pub(crate) fn did_you_mean<'a>(name: &str, names: impl Iterator<Item = &'a str>) -> String {
    let similar = nearest(name, names);
    similar.map_or(String::new(), |name| {
        format!(" (did you mean {}?)", quote(name))
    })
}

/// Returns the most similar name if any is similar enough.
pub(crate) fn nearest<'a>(name: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let wanted = letters(name);
    let far = (wanted.len() / 3).max(1);
    let distances = names.map(|name| (distance(&wanted, &letters(name)), name));
    let best = distances.min_by_key(|(distance, _)| *distance)?;
    (best.0 <= far).then_some(best.1)
}

/// Returns the characters in lower case, for comparison ignoring case.
fn letters(name: &str) -> Vec<char> {
    let lower = name.trim().chars().flat_map(char::to_lowercase);
    lower.take(MAX_LETTERS).collect()
}

/// Returns the edit distance: insertions, deletions, substitutions and swaps of neighbours.
fn distance(a: &[char], b: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut next = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let changed = row[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            next[j] = changed.min(row[j] + 1).min(next[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                next[j] = next[j].min(before[j - 2] + 1);
            }
        }
        before = std::mem::replace(&mut row, next);
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_found_unless_none_is_near() {
        let names = ["walk", "run", "lowerback"];
        let near = |name| nearest(name, names.into_iter());
        assert_eq!((near("wlak"), near("wak")), (Some("walk"), Some("walk")));
        assert_eq!(near("RUN "), Some("run"));
        assert_eq!(near("lower_back"), Some("lowerback"));
        assert_eq!((near("jump"), near("")), (None, None));
    }

    #[test]
    fn many_and_long_names_are_cut() {
        let long = "x".repeat(1 << 16);
        let names: Vec<String> = (0..100).map(|n| format!("n{n}{long}")).collect();
        let message = no_such("joint", &long, names.iter().map(String::as_str));
        assert!(
            message.len() < 5_000 && message.ends_with("and 60 more"),
            "{}",
            message.len()
        );
        assert_eq!(
            no_such("mask", "up", [].into_iter()),
            "no mask \"up\"; there are none"
        );
    }
}
