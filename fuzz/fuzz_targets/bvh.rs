//! Any bytes as a BVH file: an error with a place, or a motion that plays.

#![no_main]

#[path = "../../crates/sinew-formats/tests/it/common/play_motion.rs"]
mod play_motion;

use libfuzzer_sys::fuzz_target;
use sinew_formats::bvh::{self, BvhSettings};

fuzz_target!(|bytes: &[u8]| {
    for lenient in [false, true] {
        let settings = BvhSettings {
            lenient,
            frame_rate: lenient.then_some(30.0),
            ..BvhSettings::default()
        };
        match bvh::read_bytes(bytes, &settings) {
            Ok(read) => {
                if let Ok(file) = read.into_motion(&settings) {
                    play_motion::play(&file);
                }
            }
            Err(error) => assert!(error.line > 0 && !error.found.is_empty()),
        }
    }
});
