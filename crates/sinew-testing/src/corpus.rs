//! Real files, found through the environment variable `SINEW_CORPUS`, and what tests print about them.

use std::io::Write;
use std::path::{Path, PathBuf};

/// The folder of real files. Tests that need it are ignored by default: without files they would pass unseen.
pub fn required_corpus() -> PathBuf {
    let folder = std::env::var_os("SINEW_CORPUS");
    let folder = PathBuf::from(folder.expect("SINEW_CORPUS names the folder of real files"));
    assert!(
        folder.is_dir(),
        "SINEW_CORPUS is {}, which is no folder",
        folder.display()
    );
    folder
}

/// Every file below a folder of the corpus with one of these endings, sorted; at least one.
pub fn corpus_files(below: &str, endings: &[&str]) -> Vec<PathBuf> {
    let folder = required_corpus().join(below);
    let files = files_below(&folder, endings);
    assert!(
        !files.is_empty(),
        "no files in {} end in {endings:?}",
        folder.display()
    );
    files
}

/// Every file below a folder with one of these endings, sorted.
pub fn files_below(folder: &Path, endings: &[&str]) -> Vec<PathBuf> {
    let mut folders = vec![folder.to_owned()];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let ending = path.extension().unwrap_or_default().to_string_lossy();
            if path.is_dir() {
                folders.push(path);
            } else if endings.contains(&ending.to_ascii_lowercase().as_str()) {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

/// Every `.skf` below a folder of the corpus, sorted.
pub fn skf_files(below: &str) -> Vec<PathBuf> {
    corpus_files(below, &["skf"])
}

/// Says something even when the test passes, which `println!` does not.
#[allow(clippy::explicit_write, reason = "tests capture what eprintln! says")]
pub fn say(text: &str) {
    writeln!(std::io::stderr(), "{text}").unwrap();
}
