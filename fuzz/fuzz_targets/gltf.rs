//! Any bytes as a GLB or glTF file: an error that says something, or motions that play.

#![no_main]

#[path = "../../crates/sinew-formats/tests/common/play_motion.rs"]
mod play_motion;

use libfuzzer_sys::fuzz_target;
use sinew_formats::gltf::{self, GltfSettings};

fuzz_target!(|bytes: &[u8]| {
    match gltf::read_bytes(bytes, &GltfSettings::default()) {
        Ok(file) => {
            play_motion::play(&file);
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
});
