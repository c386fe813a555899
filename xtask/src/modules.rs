//! Finds dependency cycles between the top-level modules of a crate.
//!
//! A scan of the tokens finds `crate::x` and `super::x` paths. A name that the root re-exports counts as a dependency on
//! the module it comes from. Test code does not count. Names that only macros define are not found.

use crate::rust_source::{Token, is_test_attribute, item_end, read_sources, tokens};
use crate::{Result, root};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::PathBuf;

/// The number of places that are printed for a dependency.
const PLACES_PRINTED: usize = 5;

/// Fails if a crate has a cycle.
pub(crate) fn run() -> Result<()> {
    let mut crates: Vec<PathBuf> = std::fs::read_dir(root().join("crates"))?
        .map(|entry| Ok(entry?.path().join("src")))
        .collect::<Result<_>>()?;
    // The bindings for browsers are no library: nothing uses their modules, which share one table of objects.
    crates.retain(|folder| folder.is_dir() && !folder.ends_with("sinew-web/src"));
    crates.push(root().join("xtask/src"));
    crates.push(root().join("samples/generator/src"));
    crates.sort();
    let mut report = String::new();
    for folder in crates {
        let dependencies = Dependencies::of(&read_sources(&folder)?);
        let name = folder.strip_prefix(root())?.display().to_string();
        let cycles = dependencies.cycles();
        println!(
            "{name}: {} dependencies of modules, {} cycles",
            dependencies.0.len(),
            cycles.len()
        );
        for cycle in cycles {
            report.push_str(&dependencies.describe(&name, &cycle));
        }
    }
    if report.is_empty() {
        Ok(())
    } else {
        Err(format!("modules that depend on each other:\n{report}").into())
    }
}

/// Which top-level module names which other, and the files and lines where it does.
struct Dependencies(BTreeMap<(String, String), Vec<(String, usize)>>);

impl Dependencies {
    /// Reads sources, by their paths below `src`.
    fn of(sources: &BTreeMap<String, String>) -> Self {
        let mut modules = BTreeMap::new();
        for (file, text) in sources {
            let Some(path) = module_path(file) else {
                continue;
            };
            modules.insert(path.clone(), Module::parse(file, path, &tokens(text)));
        }
        // Modules of tests, and what is below them.
        let tests: BTreeSet<Vec<String>> = modules
            .values()
            .flat_map(|module| module.test_modules.clone())
            .collect();
        modules.retain(|path, _| (0..=path.len()).all(|end| !tests.contains(&path[..end])));

        let top: BTreeSet<&String> = modules.keys().filter_map(|path| path.first()).collect();
        let origins = root_names(&modules);
        let mut dependencies: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for module in modules.values() {
            let Some(from) = module.path.first() else {
                continue;
            };
            for reference in &module.references {
                let Some(name) = reference.path.first() else {
                    continue;
                };
                let to = if top.contains(name) {
                    Some(name)
                } else {
                    origins.get(name)
                };
                if let Some(to) = to.filter(|to| *to != from) {
                    let places = dependencies.entry((from.clone(), to.clone())).or_default();
                    places.push((module.file.clone(), reference.line));
                }
            }
        }
        Self(dependencies)
    }

    /// The shortest cycle through each dependency that is in one, each once, the shortest first.
    fn cycles(&self) -> Vec<Vec<String>> {
        let mut found = BTreeSet::new();
        for (from, to) in self.0.keys() {
            if let Some(mut cycle) = self.path(to, from) {
                // The same cycle starts at the first of its names.
                let first = (0..cycle.len()).min_by_key(|index| &cycle[*index]);
                cycle.rotate_left(first.unwrap_or_default());
                found.insert((cycle.len(), cycle));
            }
        }
        found.into_iter().map(|(_, cycle)| cycle).collect()
    }

    /// The shortest path between two modules, with both ends: a breadth-first search.
    fn path(&self, from: &str, to: &str) -> Option<Vec<String>> {
        let mut before: BTreeMap<&str, &str> = BTreeMap::new();
        let mut queue = VecDeque::from([from]);
        while let Some(module) = queue.pop_front() {
            if module == to {
                let mut path = vec![to.to_owned()];
                let mut last = to;
                while last != from {
                    last = before[last];
                    path.push(last.to_owned());
                }
                path.reverse();
                return Some(path);
            }
            for (_, next) in self.0.keys().filter(|(name, _)| name == module) {
                if next != from && !before.contains_key(next.as_str()) {
                    before.insert(next, module);
                    queue.push_back(next);
                }
            }
        }
        None
    }

    fn describe(&self, folder: &str, cycle: &[String]) -> String {
        let first = cycle.first().map_or("", String::as_str);
        let mut text = format!("\n{folder}: {} -> {first}\n", cycle.join(" -> "));
        for (index, from) in cycle.iter().enumerate() {
            let to = &cycle[(index + 1) % cycle.len()];
            let places = &self.0[&(from.clone(), to.clone())];
            for (file, line) in places.iter().take(PLACES_PRINTED) {
                text.push_str(&format!("  {from} -> {to}: {folder}/{file}:{line}\n"));
            }
            if places.len() > PLACES_PRINTED {
                let more = places.len() - PLACES_PRINTED;
                text.push_str(&format!("  {from} -> {to}: {more} more\n"));
            }
        }
        text
    }
}

/// The path of a file's module. `None` for programs.
fn module_path(file: &str) -> Option<Vec<String>> {
    let path = file.strip_suffix(".rs")?;
    if path == "lib" {
        return Some(Vec::new());
    }
    if path == "main" || path.starts_with("bin/") {
        return None;
    }
    let path = path.strip_suffix("/mod").unwrap_or(path);
    Some(path.split('/').map(str::to_owned).collect())
}

/// For each name that the root re-exports, the top-level module it comes from.
fn root_names(modules: &BTreeMap<Vec<String>, Module>) -> BTreeMap<String, String> {
    let mut origins = BTreeMap::new();
    let Some(library) = modules.get(&Vec::new()) else {
        return origins;
    };
    for import in &library.imports {
        let Some(module) = import
            .path
            .first()
            .filter(|name| modules.keys().any(|path| path.first() == Some(*name)))
        else {
            continue;
        };
        if import.name == "*" {
            for name in names(modules, &import.path, 0) {
                origins.insert(name, module.clone());
            }
        } else {
            origins.insert(import.name.clone(), module.clone());
        }
    }
    origins
}

/// The names that a module defines or re-exports.
fn names(modules: &BTreeMap<Vec<String>, Module>, path: &[String], depth: usize) -> Vec<String> {
    let Some(module) = modules.get(path).filter(|_| depth < 16) else {
        return Vec::new();
    };
    let mut found: Vec<String> = module.items.iter().cloned().collect();
    for import in &module.imports {
        if import.name == "*" {
            found.extend(names(modules, &import.path, depth + 1));
        } else {
            found.push(import.name.clone());
        }
    }
    found
}

/// A path from the root that a module names.
struct Reference {
    path: Vec<String>,
    line: usize,
}

/// A re-export: a name and the module it comes from, from the root; `*` for all names.
struct Import {
    path: Vec<String>,
    name: String,
}

/// What a source file names, defines and re-exports.
#[derive(Default)]
struct Module {
    file: String,
    path: Vec<String>,
    references: Vec<Reference>,
    items: BTreeSet<String>,
    imports: Vec<Import>,
    test_modules: Vec<Vec<String>>,
}

impl Module {
    fn parse(file: &str, path: Vec<String>, tokens: &[Token<'_>]) -> Self {
        let mut module = Self {
            file: file.to_owned(),
            path,
            ..Self::default()
        };
        let text = |index: usize| tokens.get(index).map_or("", |token| token.text);
        // Modules within the file, with the depth of their braces.
        let mut inner: Vec<(String, usize)> = Vec::new();
        let (mut depth, mut index) = (0, 0);
        while index < tokens.len() {
            let at_items = depth == inner.len();
            match text(index) {
                "#" if text(index + 1) == "!" && is_test_attribute(&tokens[index + 1..]) => {
                    module.test_modules.push(module.path.clone());
                    return module;
                }
                "#" if is_test_attribute(&tokens[index..]) => {
                    let end = item_end(tokens, index);
                    let skipped = &tokens[index..end];
                    if let Some(index_of_mod) = skipped.iter().position(|token| token.text == "mod")
                    {
                        let mut path = module.path.clone();
                        path.extend(inner.iter().map(|(name, _)| name.clone()));
                        path.extend(
                            skipped
                                .get(index_of_mod + 1)
                                .map(|token| token.text.to_owned()),
                        );
                        module.test_modules.push(path);
                    }
                    index = end;
                    continue;
                }
                "{" => depth += 1,
                "}" => {
                    depth = depth.saturating_sub(1);
                    if inner.last().is_some_and(|(_, opened)| *opened > depth) {
                        inner.pop();
                    }
                }
                "mod" if text(index + 2) == "{" => {
                    inner.push((text(index + 1).to_owned(), depth + 1));
                }
                "struct" | "enum" | "fn" | "trait" | "type" | "const" | "static" | "union"
                    if at_items && inner.is_empty() =>
                {
                    module.items.insert(text(index + 1).to_owned());
                }
                "use" => {
                    let mut paths = Vec::new();
                    let end = use_tree(tokens, index + 1, &[], &mut paths);
                    for (path, name, line) in paths {
                        module.add_use(&inner, path, name.filter(|_| at_items), line);
                    }
                    index = end;
                    continue;
                }
                "crate" | "super"
                    if text(index + 1) == "::"
                        && !(index > 0 && matches!(text(index - 1), "::" | "in")) =>
                {
                    let mut path = vec![text(index).to_owned()];
                    let line = tokens[index].line;
                    let mut next = index + 1;
                    while text(next) == "::" && is_name(text(next + 1)) {
                        path.push(text(next + 1).to_owned());
                        next += 2;
                    }
                    if let Some(path) = module.resolve(&inner, &path) {
                        module.references.push(Reference { path, line });
                    }
                }
                _ => {}
            }
            index += 1;
        }
        module
    }

    /// Adds a path of a `use` declaration: a reference if it starts at `crate` or leaves the module, and a re-export if
    /// it has a name.
    fn add_use(
        &mut self,
        inner: &[(String, usize)],
        path: Vec<String>,
        name: Option<String>,
        line: usize,
    ) {
        let is_relative = !matches!(
            path.first().map(String::as_str),
            Some("crate" | "super" | "self")
        );
        let resolved = if is_relative {
            // A child, or another crate: then no module has that path.
            let mut child = self.path.clone();
            child.extend(path);
            child
        } else {
            match self.resolve(inner, &path) {
                Some(resolved) => resolved,
                None => return,
            }
        };
        if !is_relative {
            self.references.push(Reference {
                path: resolved.clone(),
                line,
            });
        }
        let Some(name) = name.filter(|_| inner.is_empty()) else {
            return;
        };
        let mut origin = resolved;
        if name != "*" {
            origin.pop();
        }
        self.imports.push(Import { path: origin, name });
    }

    /// A path that starts with `crate`, `super` or `self`, from the root. `None` if it leaves the crate.
    fn resolve(&self, inner: &[(String, usize)], path: &[String]) -> Option<Vec<String>> {
        let mut base = self.path.clone();
        base.extend(inner.iter().map(|(name, _)| name.clone()));
        for (index, segment) in path.iter().enumerate() {
            match segment.as_str() {
                "crate" => base.clear(),
                "super" => drop(base.pop()?),
                "self" if index == 0 => {}
                _ => base.push(segment.clone()),
            }
        }
        Some(base)
    }
}

/// Collects the paths of a `use` declaration with the names they get. Returns where it ends.
fn use_tree(
    tokens: &[Token<'_>],
    mut index: usize,
    prefix: &[String],
    paths: &mut Vec<(Vec<String>, Option<String>, usize)>,
) -> usize {
    let mut path = prefix.to_vec();
    let mut line = tokens.get(index).map_or(0, |token| token.line);
    while let Some(token) = tokens.get(index) {
        match token.text {
            "::" => {}
            "*" => {
                paths.push((path, Some("*".to_owned()), token.line));
                return index + 1;
            }
            "{" => {
                index += 1;
                while tokens.get(index).is_some_and(|token| token.text != "}") {
                    index = use_tree(tokens, index, &path, paths);
                    if tokens.get(index).is_some_and(|token| token.text == ",") {
                        index += 1;
                    }
                }
                return index + 1;
            }
            "as" => {
                let name = tokens.get(index + 1).map_or("", |token| token.text);
                paths.push((path, Some(name.to_owned()), line));
                return index + 2;
            }
            // `a::{self, b}` names `a`.
            "self" if !path.is_empty() => {}
            text if is_name(text) => {
                line = token.line;
                path.push(text.to_owned());
            }
            _ => break,
        }
        index += 1;
    }
    if let Some(name) = path.last().cloned() {
        paths.push((path, Some(name), line));
        return index;
    }
    index + 1
}

fn is_name(text: &str) -> bool {
    text.starts_with(|first: char| first.is_alphabetic() || first == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dependencies(sources: &[(&str, &str)]) -> Dependencies {
        let sources = sources
            .iter()
            .map(|(file, text)| ((*file).into(), (*text).into()));
        Dependencies::of(&sources.collect())
    }

    fn cycles(sources: &[(&str, &str)]) -> Vec<String> {
        let cycles = dependencies(sources).cycles();
        cycles.iter().map(|cycle| cycle.join(" ")).collect()
    }

    #[test]
    fn a_cycle_is_found_with_its_files_and_lines() {
        let found = dependencies(&[
            ("lib.rs", "mod a; mod b; mod c;"),
            ("a.rs", "use crate::b::B;\npub struct A;"),
            ("b/mod.rs", "mod inner;\npub struct B;"),
            ("b/inner.rs", "\nfn f() -> crate::c::C { todo!() }"),
            ("c.rs", "pub use super::a::A as C;"),
        ]);
        let cycles = found.cycles();
        assert_eq!(cycles, [["a", "b", "c"]]);
        assert_eq!(
            found.describe("src", &cycles[0]),
            "\nsrc: a -> b -> c -> a\n  a -> b: src/a.rs:1\n  b -> c: src/b/inner.rs:2\n  c -> a: src/c.rs:1\n"
        );
    }

    #[test]
    fn modules_in_layers_have_no_cycle() {
        let sources = [
            ("lib.rs", "mod a; mod b; mod c; pub use a::*;"),
            ("a.rs", "use crate::{b::B, c};"),
            (
                "b.rs",
                "use crate::c::C; use self::inner::X; mod inner { use super::B; }",
            ),
            ("c.rs", "use glam::Vec3;"),
        ];
        assert!(cycles(&sources).is_empty());
        assert_eq!(dependencies(&sources).0.len(), 3);
    }

    #[test]
    fn names_that_the_root_re_exports_count_for_their_module() {
        let explicit = [
            ("lib.rs", "mod a; mod b; pub use {a::A, b::B};"),
            ("a.rs", "use crate::{\n    B,\n}; pub struct A;"),
            ("b.rs", "pub struct B; fn f(_: &crate::A) {}"),
        ];
        assert_eq!(cycles(&explicit), ["a b"]);
        let glob = [
            ("lib.rs", "mod a; mod b; pub use a::*; pub use b::*;"),
            ("a/mod.rs", "mod deep; pub use deep::*;"),
            ("a/deep.rs", "use crate::B; pub struct A;"),
            ("b.rs", "pub struct B; fn f(_: &crate::A) {}"),
        ];
        assert_eq!(cycles(&glob), ["a b"]);
    }

    #[test]
    fn tests_comments_and_strings_do_not_count() {
        let sources = [
            ("lib.rs", "mod a; mod b; #[cfg(test)] mod testing;"),
            ("a.rs", "use crate::b::B; pub struct A;"),
            (
                "b.rs",
                "// crate::a\n/* /* */ crate::a */ const S: &str = \"crate::a\\\"crate::a\"; const R: &str = r#\"crate::a\"#;
                pub struct B<'a>(&'a u8, char); const C: char = '\"'; #[cfg(test)] mod tests { use crate::a::A; }
                #[cfg(test)] use crate::a::A; #[cfg(test)] mod more;",
            ),
            ("b/more.rs", "use crate::a::A;"),
            ("testing.rs", "use crate::a::A;"),
        ];
        assert!(cycles(&sources).is_empty());
        assert_eq!(dependencies(&sources).0.len(), 1);
        // What follows all of this does count.
        let mut sources = sources;
        let text = format!("{} fn f(_: crate::a::A) {{}}", sources[2].1);
        sources[2].1 = &text;
        assert_eq!(cycles(&sources), ["a b"]);
    }

    #[test]
    fn code_without_tests_counts() {
        let sources = [
            ("lib.rs", "mod a; mod b;"),
            ("a.rs", "use crate::b::B;"),
            ("b.rs", "#[cfg(not(test))]\nuse crate::a::A;"),
        ];
        assert_eq!(cycles(&sources), ["a b"]);
    }
}
