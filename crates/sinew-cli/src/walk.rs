//! Finds files below folders and files that match patterns.
//!
//! Follows links and enters every folder once: a link to a parent folder does not cause an endless walk. Names need not
//! be UTF-8.
//!
//! Not by `walkdir`, which follows links too: it lists a folder as often as links lead to it, and a link to a parent is
//! an error to it. The set of the folders that were entered would have to be kept beside it, and that set, the sorting
//! and the problems are what this file consists of.

use std::collections::{HashSet, VecDeque};
use std::fs;
use std::path::{Component, Path, PathBuf};

/// Files sorted by name, and what could not be read.
#[derive(Debug, Default)]
pub(crate) struct FoundFiles {
    pub(crate) files: Vec<PathBuf>,
    pub(crate) problems: Vec<(PathBuf, String)>,
}

/// Returns whether a text contains wildcards.
pub(crate) fn is_pattern(text: &str) -> bool {
    text.contains(['*', '?', '['])
}

/// Finds the `wanted` regular files below a folder, except in the folder `skip`, a key from
/// [`output::key`](crate::output::key).
pub(crate) fn below(
    folder: &Path,
    skip: Option<&Path>,
    wanted: &dyn Fn(&Path) -> bool,
) -> FoundFiles {
    walk(folder, usize::MAX, skip, wanted)
}

/// Finds the regular files that match a pattern: `*`, `?` and `[…]` within a name, `**` for any number of folders.
///
/// # Errors
/// If the pattern is invalid.
pub(crate) fn matching(pattern: &Path) -> Result<FoundFiles, String> {
    let text = pattern.to_string_lossy();
    let matcher = glob::Pattern::new(&text).map_err(|error| error.to_string())?;
    let options = glob::MatchOptions {
        require_literal_separator: true,
        ..glob::MatchOptions::new()
    };
    let base = before_pattern(pattern);
    let below = pattern.strip_prefix(&base).unwrap_or(pattern);
    let is_deep = below.components().any(|part| part.as_os_str() == "**");
    let depth = if is_deep {
        usize::MAX
    } else {
        below.components().count()
    };
    // Invalid UTF-8 in names matches as the replacement character.
    let wanted = |path: &Path| matcher.matches_with(&path.to_string_lossy(), options);
    Ok(walk(&base, depth, None, &wanted))
}

/// Returns the folders of a pattern before its first wildcard.
pub(crate) fn before_pattern(pattern: &Path) -> PathBuf {
    let is_plain = |part: &Component<'_>| !is_pattern(&part.as_os_str().to_string_lossy());
    let parts = pattern.parent().unwrap_or(Path::new("")).components();
    parts.take_while(is_plain).collect()
}

fn walk(
    folder: &Path,
    depth: usize,
    skip: Option<&Path>,
    wanted: &dyn Fn(&Path) -> bool,
) -> FoundFiles {
    let mut found = FoundFiles::default();
    let mut entered = HashSet::new();
    // Links are followed after all folders were entered by their own names.
    let mut folders = vec![(folder.to_owned(), depth)];
    let mut links = VecDeque::new();
    while let Some((folder, depth)) = folders.pop().or_else(|| links.pop_front()) {
        let here = if folder.as_os_str().is_empty() {
            Path::new(".")
        } else {
            &folder
        };
        let entries = fs::canonicalize(here).and_then(|whole| {
            let is_new = skip != Some(&whole) && entered.insert(whole);
            is_new.then(|| fs::read_dir(here)).transpose()
        });
        let entries = match entries {
            Ok(Some(entries)) => entries,
            Ok(None) => continue,
            Err(error) => {
                found.problems.push((folder, error.to_string()));
                continue;
            }
        };
        for entry in entries {
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => {
                    found.problems.push((folder.clone(), error.to_string()));
                    continue;
                }
            };
            let path = folder.join(entry.file_name());
            let is_link = entry.file_type().is_ok_and(|kind| kind.is_symlink());
            match fs::metadata(&path) {
                Ok(about) if about.is_dir() && depth > 1 && is_link => {
                    links.push_back((path, depth - 1));
                }
                Ok(about) if about.is_dir() && depth > 1 => folders.push((path, depth - 1)),
                Ok(about) if about.is_dir() => {}
                _ if !wanted(&path) => {}
                Ok(about) if about.is_file() => found.files.push(path),
                Ok(_) => {
                    let problem = "is a pipe or device; name it explicitly to read it";
                    found.problems.push((path, problem.to_owned()));
                }
                Err(error) if is_link => {
                    let problem = format!("broken symbolic link: {error}");
                    found.problems.push((path, problem));
                }
                Err(error) => found.problems.push((path, error.to_string())),
            }
        }
    }
    found.files.sort();
    found.problems.sort();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_begin_where_their_first_wildcard_is() {
        let before = |text: &str| before_pattern(Path::new(text));
        assert_eq!(before("mocap/**/*.amc"), Path::new("mocap"));
        assert_eq!(before("*.amc"), Path::new(""));
        assert_eq!(before("/a/b?/c/*.amc"), Path::new("/a"));
    }

    #[test]
    fn stars_stay_within_a_name_and_two_of_them_do_not() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("a/b")).unwrap();
        for name in ["x.bvh", "a/y.bvh", "a/b/z.bvh", "a/b/z.txt"] {
            fs::write(folder.path().join(name), "").unwrap();
        }
        let names = |pattern: &str| -> Vec<String> {
            let found = matching(&folder.path().join(pattern)).unwrap();
            assert_eq!(found.problems, []);
            let inside = |path: &PathBuf| path.strip_prefix(folder.path()).unwrap().to_owned();
            let names = found.files.iter().map(inside);
            names.map(|name| name.display().to_string()).collect()
        };
        assert_eq!(names("*.bvh"), ["x.bvh"]);
        assert_eq!(names("*/*.bvh"), ["a/y.bvh"]);
        assert_eq!(names("**/*.bvh"), ["a/b/z.bvh", "a/y.bvh", "x.bvh"]);
        assert_eq!(names("a/?/[z].*"), ["a/b/z.bvh", "a/b/z.txt"]);
    }
}
