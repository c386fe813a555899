//! Counts the lines of every crate: what a reader has before them, and what a user compiles.
//!
//! "All" is every line of every file below `src`. "Code" is what has a token on it: neither blank nor a comment, and
//! not part of tests. Of a crate with the feature `skelform` the lines without it are counted too: files and items
//! that are behind the feature are left out, and what is behind `not(feature = …)` is counted.

use crate::Result;
use crate::rust_source::{
    Token, is_feature_attribute, is_test_attribute, item_end, read_sources, tokens,
};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The feature without which a crate is counted once more.
const FEATURE: &str = "skelform";

/// Prints a table of the crates of a checkout.
pub(crate) fn run(root: &Path) -> Result<()> {
    let mut crates = Vec::new();
    for entry in std::fs::read_dir(root.join("crates"))? {
        let folder = entry?.path();
        if folder.join("src").is_dir() {
            crates.push(folder);
        }
    }
    crates.sort();
    println!("| crate | files | lines | code |\n|---|---:|---:|---:|");
    for folder in crates {
        let sources = read_sources(&folder.join("src"))?;
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        let all = Counts::of(&sources, None);
        all.print(&name);
        let without = Counts::of(&sources, Some(FEATURE));
        if without != all {
            without.print(&format!("{name} without `{FEATURE}`"));
        }
    }
    Ok(())
}

/// How large sources are.
#[derive(Debug, Default, PartialEq)]
struct Counts {
    files: usize,
    lines: usize,
    /// Lines that are neither blank, comments nor tests.
    code: usize,
}

impl Counts {
    /// Counts sources, by their paths below `src`, without the items and modules that are behind a feature.
    fn of(sources: &BTreeMap<String, String>, feature: Option<&str>) -> Self {
        let files: Vec<(String, SourceFile)> = sources
            .iter()
            .map(|(name, text)| (module_folder(name), SourceFile::parse(text, feature)))
            .collect();
        // Modules in files of their own, by what their declarations are behind.
        let declared = |choose: fn(&SourceFile) -> &Vec<String>| -> BTreeSet<String> {
            let of_file = |(folder, file): &(String, SourceFile)| -> Vec<String> {
                let names = choose(file).iter();
                names.map(|name| format!("{folder}{name}/")).collect()
            };
            files.iter().flat_map(of_file).collect()
        };
        let omitted = declared(|file| &file.omitted_modules);
        let tests = declared(|file| &file.test_modules);
        let is_below = |modules: &BTreeSet<String>, folder: &str| {
            modules.iter().any(|module| folder.starts_with(module))
        };
        let mut counts = Self::default();
        for (folder, file) in &files {
            if is_below(&omitted, folder) {
                continue;
            }
            counts.files += 1;
            counts.lines += file.lines;
            if !is_below(&tests, folder) {
                counts.code += file.code;
            }
        }
        counts
    }

    fn print(&self, name: &str) {
        let Self { files, lines, code } = self;
        println!("| {name} | {files} | {lines} | {code} |");
    }
}

/// The path that the modules of a file are below: `a/` of `a.rs` and `a/mod.rs`, nothing of `lib.rs`.
fn module_folder(file: &str) -> String {
    match file {
        "lib.rs" | "main.rs" => String::new(),
        _ => match file.strip_suffix("mod.rs") {
            Some(folder) => folder.to_owned(),
            None => format!("{}/", file.trim_end_matches(".rs")),
        },
    }
}

/// The counts of a file, and the modules that it declares under conditions.
struct SourceFile {
    lines: usize,
    code: usize,
    omitted_modules: Vec<String>,
    test_modules: Vec<String>,
}

impl SourceFile {
    fn parse(text: &str, feature: Option<&str>) -> Self {
        let tokens = tokens(text);
        let line_count = text.lines().count();
        let mut file = Self {
            lines: line_count,
            code: 0,
            omitted_modules: Vec::new(),
            test_modules: Vec::new(),
        };
        let mut is_code = vec![false; line_count + 2];
        let mut index = 0;
        while index < tokens.len() {
            let token = &tokens[index];
            let rest = &tokens[index..];
            let is_omitted = feature.is_some_and(|feature| is_feature_attribute(rest, feature));
            if is_omitted || is_test_attribute(rest) {
                let end = item_end(&tokens, index);
                let item = &tokens[index..end];
                let modules = if is_omitted {
                    file.lines -= span(item);
                    &mut file.omitted_modules
                } else {
                    &mut file.test_modules
                };
                modules.extend(declared_module(item));
                index = end;
                continue;
            }
            let last = token.line + token.text.matches('\n').count();
            is_code[token.line..=last].fill(true);
            index += 1;
        }
        file.code = is_code.iter().filter(|is_code| **is_code).count();
        file
    }
}

/// The lines from the first to the last token of an item.
fn span(item: &[Token<'_>]) -> usize {
    match (item.first(), item.last()) {
        (Some(first), Some(last)) => last.line - first.line + 1,
        _ => 0,
    }
}

/// The name of a module in a file of its own that an item declares: `mod name;`.
fn declared_module(item: &[Token<'_>]) -> Option<String> {
    let start = item.iter().position(|token| token.text == "mod")?;
    let is_declaration = item.get(start + 2).is_some_and(|token| token.text == ";");
    is_declaration.then(|| item[start + 1].text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(sources: &[(&str, &str)], feature: Option<&str>) -> Counts {
        let sources = sources
            .iter()
            .map(|(file, text)| ((*file).into(), (*text).into()));
        Counts::of(&sources.collect(), feature)
    }

    #[test]
    fn comments_blank_lines_and_tests_are_lines_but_not_code() {
        let text = "//! Doc.\n\nfn a() {\n    // why\n    b(\"x\n    y\");\n}\n#[cfg(test)]\nmod tests {\n    fn t() {}\n}\n";
        let found = counts(&[("lib.rs", text)], None);
        let expected = Counts {
            files: 1,
            lines: 11,
            code: 4,
        };
        assert_eq!(found, expected);
    }

    #[test]
    fn files_of_test_modules_are_lines_but_not_code() {
        let sources = [
            ("lib.rs", "mod a;\n#[cfg(test)]\nmod testing;\n"),
            ("a.rs", "#[cfg(test)]\nmod tests;\nfn a() {}\n"),
            ("a/tests.rs", "fn t() {}\n"),
            ("testing/mod.rs", "fn t() {}\n"),
            ("testing_more.rs", "fn t() {}\n"),
        ];
        let found = counts(&sources, None);
        assert_eq!((found.files, found.lines, found.code), (5, 9, 3));
    }

    #[test]
    fn what_is_behind_a_feature_is_left_out() {
        let sources = [
            (
                "lib.rs",
                "mod a;\n#[cfg(feature = \"flat\")]\npub mod flat;\n#[cfg(not(feature = \"flat\"))]\nmod plain;\n",
            ),
            (
                "a/mod.rs",
                "#[cfg(feature = \"flat\")]\nfn b() {\n    c();\n}\n#[cfg(feature = \"other\")]\nfn d() {}\n",
            ),
            ("flat/mod.rs", "fn t() {}\n"),
            ("flat/deep.rs", "fn t() {}\n"),
            ("plain.rs", "fn t() {}\n"),
        ];
        let found = counts(&sources, Some("flat"));
        assert_eq!((found.files, found.lines, found.code), (3, 6, 6));
        assert_eq!(counts(&sources, None).lines, 14);
    }
}
