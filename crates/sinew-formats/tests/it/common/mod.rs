//! What several test files need.

pub(crate) mod acclaim;
pub(crate) mod make;
#[cfg(target_os = "linux")]
pub(crate) mod own_process;
pub(crate) mod play;
pub(crate) mod play_motion;
pub(crate) mod play_pack;
pub(crate) use sinew_testing::corpus::{
    corpus_files, files_below, required_corpus, say, skf_files,
};

use sinew_formats::Warnings;
use std::fmt::Display;

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
    for index in 0..bytes.len() {
        for bit in 0..8 {
            bytes[index] ^= 1 << bit;
            if let Err(error) = read(&bytes) {
                refused += 1;
                assert!(!error.to_string().is_empty());
            }
            bytes[index] ^= 1 << bit;
        }
    }
    assert!(refused > bytes.len(), "most bits matter: {refused}");
}

/// What a reader warns of, in its words.
pub(crate) fn warning_texts(warnings: &Warnings) -> Vec<String> {
    let list = warnings.list().iter();
    list.map(ToString::to_string).collect()
}
