//! Inputs that the fuzz target starts from or once stumbled over, on the stable compiler.
#![allow(clippy::unwrap_used, reason = "tests stop at the first surprise")]

mod common;
#[path = "common/play.rs"]
mod play;

use sinew_formats::skf;
use std::path::Path;

#[test]
fn every_saved_input_is_refused_or_plays() {
    let saved = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/saved/skf");
    let mut files: Vec<_> = std::fs::read_dir(saved)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    let mut played = 0;
    for file in &files {
        let bytes = std::fs::read(file).unwrap();
        let read = [skf::read_bytes(&bytes), skf::read_json(&bytes)];
        for character in read.into_iter().flatten() {
            play::play(&character.armature);
            skf::lint(&character);
            played += 1;
        }
    }
    assert!(played > 0, "at least the seeds are good characters");
    common::say(&format!(
        "fuzz: {} saved inputs, {played} characters played",
        files.len()
    ));
}
