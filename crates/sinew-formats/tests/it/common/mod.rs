//! What several test files need.

pub(crate) mod acclaim;
pub(crate) use sinew_testing::counting;
pub(crate) use sinew_testing::exact;
pub(crate) use sinew_testing::ground;
pub(crate) mod make;
#[cfg(target_os = "linux")]
pub(crate) mod own_process;
pub(crate) mod play;
pub(crate) mod play_motion;
pub(crate) mod play_pack;
pub(crate) use sinew_testing::wrap;

use sinew_formats::Warnings;
use std::fmt::Display;
use std::io::Write;
use std::path::{Path, PathBuf};

/// The folder of real files. Tests that need it are ignored by default: without files they would pass unseen.
pub(crate) fn required_corpus() -> PathBuf {
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
pub(crate) fn corpus_files(below: &str, endings: &[&str]) -> Vec<PathBuf> {
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
pub(crate) fn files_below(folder: &Path, endings: &[&str]) -> Vec<PathBuf> {
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
pub(crate) fn skf_files(below: &str) -> Vec<PathBuf> {
    corpus_files(below, &["skf"])
}

/// Why a text is refused.
#[track_caller]
pub(crate) fn refusal<T, E: Display>(text: &str, read: Result<T, E>) -> String {
    match read {
        Ok(_) => panic!("it was read: {text}"),
        Err(error) => error.to_string(),
    }
}

/// Reads a text with each of its bits turned, one at a time: errors have a message, and there is more than one per byte,
/// for most bits matter.
pub(crate) fn turn_each_bit<E: Display>(text: &str, read: impl Fn(&[u8]) -> Result<(), E>) {
    let mut bytes = text.as_bytes().to_vec();
    let mut refused = 0;
    for at in 0..bytes.len() {
        for bit in 0..8 {
            bytes[at] ^= 1 << bit;
            if let Err(error) = read(&bytes) {
                refused += 1;
                assert!(!error.to_string().is_empty());
            }
            bytes[at] ^= 1 << bit;
        }
    }
    assert!(refused > bytes.len(), "most bits matter: {refused}");
}

/// What a reader warns of, in its words.
pub(crate) fn warning_texts(warnings: &Warnings) -> Vec<String> {
    let list = warnings.list().iter();
    list.map(ToString::to_string).collect()
}

/// Says something even when the test passes, which `println!` does not.
#[allow(clippy::explicit_write, reason = "tests capture what eprintln! says")]
pub(crate) fn say(text: &str) {
    writeln!(std::io::stderr(), "{text}").unwrap();
}
