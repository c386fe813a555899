//! `crates/sinew-viewer/dist/SOURCES`: the hashes of all that the committed viewer page is built from.
//!
//! `cargo xtask web` writes the file after a build; a test of `sinew-viewer`, which includes this module, fails when a
//! source differs from it, so that the page cannot be older than its sources. Lines are `SHA-256  path`, as `sha256sum -c`
//! reads them in the root of the repository; lines with `#` name the versions of the tools.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{fs, io};

/// The file, below the root of the repository.
pub(crate) const SOURCES: &str = "crates/sinew-viewer/dist/SOURCES";

/// The page that is built.
const PAGE: &str = "crates/sinew-viewer/dist/viewer.html";

/// Everything in these folders is a source.
const FOLDERS: [&str; 2] = ["crates/sinew-web", "web"];

/// Folders of tools, results, tests and examples, whose content is not part of the page or is built from the rest.
const SKIPPED: [&str; 8] = [
    "node_modules",
    "target",
    "dist",
    "wasm",
    "examples",
    "test",
    "tests",
    "test-results",
];

/// The lock file that lists the crates of the repository which the page is built from.
const LOCK: &str = "crates/sinew-web/Cargo.lock";

/// Lists the hashes of the page and of its sources, and the versions of the tools that built it.
///
/// # Errors
/// If a file cannot be read.
pub(crate) fn listing(root: &Path, tools: &[(&str, &str)]) -> io::Result<String> {
    let mut text = String::from(
        "# The sources of viewer.html, written by `cargo xtask web`. To check, in the root of the repository:\n\
         # sha256sum -c crates/sinew-viewer/dist/SOURCES\n",
    );
    for (tool, version) in tools {
        let _ = writeln!(text, "# {tool} {version}");
    }
    for path in sources(root)? {
        let hash = hmac_sha256::Hash::hash(&fs::read(root.join(&path))?);
        for byte in hash {
            let _ = write!(text, "{byte:02x}");
        }
        let _ = writeln!(text, "  {path}");
    }
    Ok(text)
}

/// Writes the list.
///
/// # Errors
/// If a file cannot be read or written.
#[allow(dead_code, reason = "the test that includes this module only checks")]
pub(crate) fn write(root: &Path, tools: &[(&str, &str)]) -> io::Result<()> {
    fs::write(root.join(SOURCES), listing(root, tools)?)
}

/// Compares the sources with the list.
///
/// # Errors
/// A text that names the sources which differ, or the file that cannot be read.
pub(crate) fn check(root: &Path) -> Result<(), String> {
    let stated = fs::read_to_string(root.join(SOURCES))
        .map_err(|error| format!("{SOURCES}: {error}; run `cargo xtask web`"))?;
    let found = listing(root, &[]).map_err(|error| error.to_string())?;
    let lines = |text: &str| -> BTreeSet<(String, String)> {
        let entries = text.lines().filter(|line| !line.starts_with('#'));
        let parts = entries.filter_map(|line| line.split_once("  "));
        parts
            .map(|(hash, path)| (path.to_owned(), hash.to_owned()))
            .collect()
    };
    let (stated, found) = (lines(&stated), lines(&found));
    let differing: BTreeSet<&str> = stated
        .symmetric_difference(&found)
        .map(|(path, _)| path.as_str())
        .collect();
    if differing.is_empty() {
        return Ok(());
    }
    let list: Vec<&str> = differing.into_iter().collect();
    Err(format!(
        "the viewer page is not built from these sources; run `cargo xtask web` and commit \
         crates/sinew-viewer/dist:\n{}",
        list.join("\n")
    ))
}

/// Returns the paths of the page and all sources, relative to the root and sorted.
fn sources(root: &Path) -> io::Result<Vec<String>> {
    let mut paths = BTreeSet::new();
    for file in [PAGE, "Cargo.toml"] {
        paths.insert(file.to_owned());
    }
    for folder in FOLDERS {
        add_files(root, Path::new(folder), &mut paths)?;
    }
    for package in local_packages(&fs::read_to_string(root.join(LOCK))?) {
        let folder = match package.as_str() {
            "sinew-samples" => PathBuf::from("samples"),
            package => Path::new("crates").join(package),
        };
        // Packages below crates/sinew-web are in the folders above.
        if !root.join(&folder).join("Cargo.toml").exists() {
            continue;
        }
        paths.insert(portable(&folder.join("Cargo.toml")));
        add_files(root, &folder.join("src"), &mut paths)?;
        if package == "sinew-samples" {
            paths.insert("samples/pip.skf".to_owned());
            for data in ["motion", "play"] {
                add_files(root, &folder.join(data), &mut paths)?;
            }
        }
    }
    Ok(paths.into_iter().collect())
}

/// Returns the packages of a lock file that have no source, as those of the repository.
fn local_packages(lock: &str) -> Vec<String> {
    let packages = lock.split("[[package]]").skip(1);
    let local = packages.filter(|package| !package.contains("\nsource = "));
    let names = local.filter_map(|package| package.split("name = \"").nth(1)?.split('"').next());
    names.map(str::to_owned).collect()
}

/// Adds all files below a folder, except hidden ones, documents and what is skipped.
fn add_files(root: &Path, folder: &Path, paths: &mut BTreeSet<String>) -> io::Result<()> {
    for entry in fs::read_dir(root.join(folder))? {
        let entry = entry?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let path = folder.join(&*name);
        let is_npmrc = name == ".npmrc";
        if (name.starts_with('.') && !is_npmrc) || name.ends_with('~') {
            continue;
        }
        if entry.file_type()?.is_dir() {
            if !SKIPPED.contains(&&*name) {
                add_files(root, &path, paths)?;
            }
        } else if !name.ends_with("README.md") && !name.starts_with("LICENSE") {
            paths.insert(portable(&path));
        }
    }
    Ok(())
}

/// Writes a path with slashes.
fn portable(path: &Path) -> String {
    path.to_string_lossy()
        .replace(std::path::MAIN_SEPARATOR, "/")
}
