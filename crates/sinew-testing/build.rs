//! Turns the Rust snippets of README.md, of the pages in `docs` and of the README files of crates and samples into tests
//! (`tests/pages.rs`). A snippet is the body of a function that returns `Result<(), Box<dyn Error>>`, so pages need no
//! hidden lines. A block that begins with `rust,no_run` is only compiled.

use std::error::Error;
use std::fmt::Write;
use std::path::{Path, PathBuf};

fn main() -> Result<(), Box<dyn Error>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut pages = vec![root.join("README.md"), root.join("samples/README.md")];
    for folder in ["docs", "crates"] {
        for entry in std::fs::read_dir(root.join(folder))? {
            let path = entry?.path();
            pages.push(if path.is_dir() {
                path.join("README.md")
            } else {
                path
            });
        }
    }
    pages.retain(|page| page.exists() && page.extension().is_some_and(|ending| ending == "md"));
    pages.sort();
    let mut tests = String::new();
    for page in pages {
        println!("cargo::rerun-if-changed={}", page.display());
        let name = test_name(page.strip_prefix(&root)?);
        for (index, snippet) in snippets(&std::fs::read_to_string(&page)?).enumerate() {
            let attribute = if snippet.is_run {
                "#[test]"
            } else {
                "#[allow(dead_code)]"
            };
            writeln!(
                tests,
                "{attribute}\nfn {name}_{}() -> Result<(), Box<dyn std::error::Error>> {{\n\
                 enter_workspace()?;\n{{\n{}\n}}\nOk(())\n}}",
                index + 1,
                snippet.code
            )?;
        }
    }
    let out = PathBuf::from(std::env::var("OUT_DIR")?).join("pages.rs");
    std::fs::write(out, tests)?;
    Ok(())
}

/// `docs/characters-2d.md` becomes `docs_characters_2d`.
fn test_name(path: &Path) -> String {
    let path = path.with_extension("");
    let letters = path.to_string_lossy().to_lowercase();
    letters.replace(|letter: char| !letter.is_ascii_alphanumeric(), "_")
}

struct Snippet {
    code: String,
    is_run: bool,
}

/// The Rust blocks of a page.
fn snippets(page: &str) -> impl Iterator<Item = Snippet> {
    page.split("\n```rust").skip(1).filter_map(|rest| {
        let (options, rest) = rest.split_once('\n')?;
        let (code, _) = rest.split_once("\n```")?;
        Some(Snippet {
            code: code.to_owned(),
            is_run: !options.contains("no_run"),
        })
    })
}
