//! Any bytes as a GLB or glTF file: an error that says something, or motions that play and that can be edited while
//! the rest of the file is kept.

#![no_main]

#[path = "../../crates/sinew-formats/tests/it/common/play_motion.rs"]
mod play_motion;

use libfuzzer_sys::fuzz_target;
use sinew::Transform;
use sinew::glam::Vec3;
use sinew_author::edit::move_root;
use sinew_formats::gltf::{self, GltfSettings, GltfSource};

fuzz_target!(|bytes: &[u8]| {
    let settings = GltfSettings::default();
    let source = GltfSource::from_bytes(bytes.to_vec(), &settings);
    match source.motion() {
        Ok(mut file) => {
            play_motion::play(&file);
            for edit in [false, true] {
                for animation in file.animations.iter_mut().filter(|_| edit) {
                    let offset = Transform::from_position(Vec3::X);
                    move_root(animation, &file.skeleton, &offset);
                }
                // A buffer that is not read for its keys may be missing.
                if let Ok(written) = source.write_glb(&file.skeleton, &file.animations) {
                    let again = gltf::read_bytes(&written.bytes, &settings);
                    let again = again.expect("it was just written");
                    assert_eq!(again.animations.len(), file.animations.len());
                }
                if let Ok(written) = source.write_gltf(&file.skeleton, &file.animations) {
                    let again = gltf::read_bytes(&written.bytes, &settings);
                    again.expect("it was just written");
                }
            }
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
});
