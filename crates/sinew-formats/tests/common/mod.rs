//! What several test files need.
#![allow(clippy::unwrap_used, reason = "tests stop at the first surprise")]

use std::io::Write;
use std::path::PathBuf;

/// The folder of real files, when `SINEW_CORPUS` names one.
#[allow(dead_code, reason = "not every test file reads real files")]
pub(crate) fn corpus() -> Option<PathBuf> {
    let folder = PathBuf::from(std::env::var_os("SINEW_CORPUS")?);
    assert!(
        folder.is_dir(),
        "SINEW_CORPUS is {}, which is no folder",
        folder.display()
    );
    Some(folder)
}

/// Every `.skf` below a folder of the corpus, sorted; empty without a corpus.
#[allow(dead_code, reason = "not every test file lists files")]
pub(crate) fn skf_files(below: &str) -> Vec<PathBuf> {
    let Some(corpus) = corpus() else {
        return Vec::new();
    };
    let mut folders = vec![corpus.join(below)];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "skf") {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

/// Says something even when the test passes, which `println!` does not.
#[allow(dead_code, reason = "not every test file has something to say")]
#[allow(clippy::explicit_write, reason = "tests capture what eprintln! says")]
pub(crate) fn say(text: &str) {
    writeln!(std::io::stderr(), "{text}").unwrap();
}
