//! Any bytes as a JSON file of ours: an error with a place, or animations that play and come back.

#![no_main]

#[path = "../../crates/sinew-formats/tests/it/common/play_motion.rs"]
mod play_motion;

use libfuzzer_sys::fuzz_target;
use sinew_formats::json;

fuzz_target!(|bytes: &[u8]| {
    match json::read_bytes(bytes) {
        Ok(file) => {
            for animation in &file.animations {
                assert_eq!(animation.check(), Ok(()));
            }
            let written = json::write_bytes(None, &file.animations);
            let again = json::read_bytes(&written).expect("it was just written");
            assert!(again.warnings.is_empty(), "{:?}", again.warnings.list());
            assert!(json::write_bytes(None, &again.animations) == written);
            play_motion::play(&play_motion::with_skeleton(file.skeleton, file.animations));
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
});
