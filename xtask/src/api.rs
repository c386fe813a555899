//! The public API of every published library as text, one item a line, so that a change is seen in a diff.
//!
//! rustdoc writes the documentation as JSON, which is unstable: `RUSTC_BOOTSTRAP` allows it. Set for all of Cargo it
//! would build many dependencies again, so this program is the `RUSTDOC` of that build and sets it for rustdoc only.

use crate::builds::{after, manifest, published};
use crate::{Result, root, target_folder};
use std::path::Path;
use std::process::{Command, ExitCode};

/// Set where this program is to act as rustdoc.
const MARK: &str = "SINEW_XTASK_IS_RUSTDOC";

/// Whether Cargo started this program as rustdoc.
pub(crate) fn is_rustdoc() -> bool {
    std::env::var_os(MARK).is_some()
}

/// Runs rustdoc with unstable options allowed.
pub(crate) fn rustdoc() -> ExitCode {
    let mut rustdoc = Command::new("rustdoc");
    rustdoc.args(std::env::args_os().skip(1));
    rustdoc.env("RUSTC_BOOTSTRAP", "1").env_remove(MARK);
    match rustdoc.status() {
        Ok(status) if status.success() => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("rustdoc: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Writes `docs/api`, or checks that it is up to date.
pub(crate) fn run(check: bool) -> Result<()> {
    let mut names = Vec::new();
    for folder in published()? {
        if folder.join("src/lib.rs").exists() {
            let manifest = manifest(&folder)?;
            let name = after(&manifest, "\nname = \"").and_then(|rest| rest.split('"').next());
            names.push(name.ok_or("expected the name of a package")?.to_owned());
        }
    }
    document(&names)?;
    let folder = root().join("docs/api");
    std::fs::create_dir_all(&folder)?;
    let mut problems = Vec::new();
    let mut expected = Vec::new();
    for name in &names {
        let json = format!("doc/{}.json", name.replace('-', "_"));
        let listing = listing(&target_folder().join(json))?;
        let file = format!("{name}.txt");
        let path = folder.join(&file);
        if check {
            let committed = std::fs::read_to_string(&path).unwrap_or_default();
            let changes = changes(&committed, &listing);
            if !changes.is_empty() {
                problems.push(format!("docs/api/{file}:\n{changes}"));
            }
        } else {
            std::fs::write(&path, &listing)?;
        }
        println!("docs/api/{file}: {} items", listing.lines().count());
        expected.push(file);
    }
    for entry in std::fs::read_dir(&folder)? {
        let entry = entry?;
        let file = entry.file_name().to_string_lossy().into_owned();
        if expected.contains(&file) {
            continue;
        }
        if check {
            problems.push(format!("docs/api/{file}: no such library\n"));
        } else {
            std::fs::remove_file(entry.path())?;
        }
    }
    if problems.is_empty() {
        return Ok(());
    }
    let problems = problems.join("\n");
    Err(format!("{problems}\nthe public API changed; run `cargo xtask api` and commit").into())
}

/// Documents packages as JSON.
fn document(names: &[String]) -> Result<()> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.current_dir(root());
    cargo
        .env("RUSTDOC", std::env::current_exe()?)
        .env(MARK, "1");
    cargo.env("RUSTDOCFLAGS", "-Z unstable-options --output-format json");
    cargo.args(["doc", "--quiet", "--lib", "--no-deps", "--all-features"]);
    // With the features of all other builds, dependencies are not built again.
    cargo.args(["--package", "sinew-dev-features"]);
    for name in names {
        cargo.args(["--package", name]);
    }
    let status = cargo.status()?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("cargo doc: {status}").into())
    }
}

/// The items of a library: without the traits that the compiler implements by itself or by a derive for every type.
fn listing(json: &Path) -> Result<String> {
    let api = public_api::Builder::from_rustdoc_json(json)
        .omit_blanket_impls(true)
        .omit_auto_trait_impls(true)
        .omit_auto_derived_impls(true)
        .build()
        .map_err(|error| format!("{json:?}: {error}"))?;
    let items = api.items().map(ToString::to_string);
    // The methods of a type are listed one by one.
    Ok(lines(items.filter(|item| {
        !item.starts_with("impl") || item.contains(" for ")
    })))
}

/// One item a line, sorted by the item's path, whatever its kind is. Items under several paths are listed under each.
fn lines(items: impl Iterator<Item = String>) -> String {
    let mut items: Vec<String> = items.collect();
    items.sort_by(|a, b| (sort_key(a), a).cmp(&(sort_key(b), b)));
    items.dedup();
    items.iter().map(|item| format!("{item}\n")).collect()
}

/// The first path in an item that leads somewhere: `sinew::Pose::rest` of `pub fn sinew::Pose::rest(...)`.
fn sort_key(item: &str) -> &str {
    let is_path = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
    let words = item.split(|c| !is_path(c)).filter(|word| !word.is_empty());
    let mut words = words.filter(|word| word.contains("::") && !word.ends_with("::"));
    // `impl core::fmt::Display for sinew::Pose` belongs to the pose.
    match item.split_once(" for ") {
        Some((head, implementor)) if head.starts_with("impl") => sort_key(implementor),
        _ => words.next().unwrap_or(item),
    }
}

/// Removed and added lines.
fn changes(committed: &str, listing: &str) -> String {
    let has = |text: &str, line: &str| text.lines().any(|other| other == line);
    let removed = committed.lines().filter(|line| !has(listing, line));
    let added = listing.lines().filter(|line| !has(committed, line));
    let removed = removed.map(|line| format!("- {line}\n"));
    let mut changes: String = removed
        .chain(added.map(|line| format!("+ {line}\n")))
        .collect();
    if changes.is_empty() && committed != listing {
        changes.push_str("the order of lines differs\n");
    }
    changes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_sorted_by_path_one_a_line() {
        let items = [
            "pub struct a::Pose",
            "pub fn a::blend(pose: &a::Pose)",
            "pub fn a::Pose::rest(&self) -> a::Joint",
            "impl core::fmt::Display for a::Joint",
            "pub struct a::Joint",
            "pub struct a::Joint",
        ];
        let expected = "\
impl core::fmt::Display for a::Joint
pub struct a::Joint
pub struct a::Pose
pub fn a::Pose::rest(&self) -> a::Joint
pub fn a::blend(pose: &a::Pose)
";
        assert_eq!(lines(items.iter().map(ToString::to_string)), expected);
    }

    #[test]
    fn removed_and_added_items_are_changes() {
        assert_eq!(changes("a\nb\n", "a\nb\n"), "");
        assert_eq!(changes("a\nb\n", "b\nc\n"), "- a\n+ c\n");
        assert_eq!(changes("", "a\n"), "+ a\n");
        assert_eq!(changes("b\na\n", "a\nb\n"), "the order of lines differs\n");
    }

    #[test]
    fn another_version_of_the_format_is_an_error() {
        let folder = std::env::temp_dir().join("sinew-xtask-api");
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join("other.json");
        std::fs::write(&path, r#"{"format_version": 1}"#).unwrap();
        assert!(listing(&path).is_err());
    }
}
