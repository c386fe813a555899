//! Any bytes as an XML animation: an error with a place, or an animation that plays and is the same as JSON.

#![no_main]

#[path = "../../crates/sinew-formats/tests/it/common/play_motion.rs"]
mod play_motion;

use libfuzzer_sys::fuzz_target;
use sinew_formats::xml;

fuzz_target!(|bytes: &[u8]| {
    match xml::read_bytes(bytes) {
        Ok(file) => {
            assert_eq!(file.animation.check(), Ok(()));
            play_motion::play(&play_motion::with_skeleton(None, vec![file.animation]));
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
});
