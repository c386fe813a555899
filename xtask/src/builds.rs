//! What builds must have in common: the compiler's version, and the features of dependencies.

use crate::{Result, root};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The packages of which tests, examples and programs are run.
const PACKAGES: [&str; 16] = [
    "sinew",
    "sinew-author",
    "sinew-testing",
    "sinew-tests",
    "sinew-author-tests",
    "sinew-formats-tests",
    "sinew-draw-tests",
    "sinew-formats",
    "sinew-draw",
    "sinew-timing",
    "sinew-viewer",
    "sinew-samples",
    "sinew-samples-generator",
    "sinew-bench",
    "sinew-determinism",
    "xtask",
];

/// Fails unless the compiler is of the version that the manifest and the README state, so that the statement is what
/// everything is built and tested with.
pub(crate) fn toolchain() -> Result<()> {
    let read = |name: &str| std::fs::read_to_string(root().join(name));
    let manifest = read("Cargo.toml")?;
    let stated = after(&manifest, "rust-version = \"")
        .and_then(|rest| rest.split('"').next())
        .ok_or("Cargo.toml: expected rust-version")?;
    let compiler = output(Command::new("rustc").arg("--version"))?;
    let version = compiler.split_whitespace().nth(1).unwrap_or_default();
    if !version.starts_with(&format!("{stated}.")) {
        return Err(
            format!("expected Rust {stated}, as Cargo.toml states, found {version}").into(),
        );
    }
    for (name, text) in [
        ("README.md", format!("Rust {stated}")),
        ("clippy.toml", format!("msrv = \"{stated}\"")),
    ] {
        if !read(name)?.contains(&text) {
            return Err(format!("{name}: expected {text:?}").into());
        }
    }
    println!("Rust {version}, stated as {stated}");
    Ok(())
}

pub(crate) fn after<'a>(text: &'a str, start: &str) -> Option<&'a str> {
    text.split_once(start).map(|(_, rest)| rest)
}

/// Fails where a package, tested or run alone, wants other features of a dependency than all packages together: then
/// Cargo builds that dependency, and all that use it, a second time.
pub(crate) fn features() -> Result<()> {
    let together = tree(&[
        "--workspace",
        "--all-features",
        "--edges",
        "normal,build,dev",
    ])?;
    let mut problems = Vec::new();
    let mut compare = |what: &str, alone: BTreeSet<String>| {
        for line in alone.difference(&together) {
            problems.push(format!("{what}: {line}"));
        }
    };
    for package in PACKAGES {
        let edges = ["--package", package, "--edges", "normal,build,dev"];
        compare(package, tree(&edges)?);
    }
    // The workspace's default members, of which `cargo run` builds the only program.
    compare("cargo run", tree(&["--edges", "normal,build"])?);
    if problems.is_empty() {
        println!(
            "all packages want the same features of {} dependencies",
            together.len()
        );
        return Ok(());
    }
    Err(format!(
        "features that differ from those of the whole workspace; add them to crates/sinew-dev-features:\n{}",
        problems.join("\n")
    )
    .into())
}

/// Every dependency with its features, one a line.
fn tree(arguments: &[&str]) -> Result<BTreeSet<String>> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.current_dir(root()).arg("tree").args(arguments);
    let text = output(cargo.args(["--prefix", "none", "--format", "{p} [{f}]"]))?;
    let lines = text.lines().map(|line| line.trim_end_matches(" (*)"));
    Ok(lines
        .filter(|line| !line.is_empty())
        .map(str::to_owned)
        .collect())
}

/// What a program prints.
fn output(command: &mut Command) -> Result<String> {
    let done = command.output()?;
    if !done.status.success() {
        let error = String::from_utf8_lossy(&done.stderr);
        return Err(format!("{command:?}: {error}").into());
    }
    Ok(String::from_utf8(done.stdout)?)
}

/// The folders of the packages that are published.
pub(crate) fn published() -> Result<Vec<PathBuf>> {
    let mut folders = vec![root().join("samples")];
    for entry in std::fs::read_dir(root().join("crates"))? {
        folders.push(entry?.path());
    }
    let mut published = Vec::new();
    for folder in folders {
        if !manifest(&folder)?.contains("\npublish = false") {
            published.push(folder);
        }
    }
    published.sort();
    Ok(published)
}

/// The manifest of a package.
pub(crate) fn manifest(folder: &Path) -> Result<String> {
    let path = folder.join("Cargo.toml");
    Ok(std::fs::read_to_string(&path).map_err(|error| format!("{path:?}: {error}"))?)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A package without licence texts or a README cannot be judged by whoever finds it.
    #[test]
    fn published_packages_have_licences_a_readme_and_a_repository() {
        let folders = published().unwrap();
        assert_eq!(folders.len(), 8, "{folders:?}");
        for folder in folders {
            for name in ["LICENSE-MIT", "LICENSE-APACHE", "README.md"] {
                let text = std::fs::read_to_string(folder.join(name));
                assert!(
                    text.is_ok_and(|text| text.len() > 300),
                    "{folder:?}: {name}"
                );
            }
            let manifest = manifest(&folder).unwrap();
            for said in ["repository.workspace = true", "readme = \"README.md\""] {
                assert!(manifest.contains(said), "{folder:?}: {said}");
            }
        }
    }

    /// The program does not depend on the benchmarks, nor does any other package that is published.
    #[test]
    fn published_packages_depend_on_published_packages() {
        for folder in published().unwrap() {
            let manifest = manifest(&folder).unwrap();
            let (dependencies, _) = manifest
                .split_once("[dev-dependencies]")
                .unwrap_or((&manifest, ""));
            for unpublished in [
                "sinew-bench",
                "sinew-determinism",
                "sinew-dev-features",
                "sinew-samples-generator",
            ] {
                let is_named = dependencies
                    .lines()
                    .any(|line| line.starts_with(unpublished));
                assert!(!is_named, "{folder:?}: {unpublished}");
            }
        }
    }
}
