//! Any bytes, as a `.skf` file and as the `armature.json` in one: reading says what is wrong or gives
//! a character that plays.

#![no_main]

#[path = "../../crates/sinew-formats/tests/it/common/play.rs"]
mod play;

use libfuzzer_sys::fuzz_target;
use sinew_formats::skf::{self, Skf};

/// Larger characters say nothing more and take longer to play.
const MAX_WORK: usize = 3_000;

fuzz_target!(|bytes: &[u8]| {
    // Most of an archive is compressed, where a changed byte says little: the JSON alone is read too.
    for character in [skf::read_bytes(bytes), skf::read_json(bytes)] {
        match character {
            Ok(character) if work(&character) <= MAX_WORK => {
                play::play(&character.armature);
                skf::lint(&character);
            }
            Ok(_) => {}
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
});

/// How much there is to do for one pose, roughly.
fn work(character: &Skf) -> usize {
    let data = character.armature.data();
    let meshes = data
        .visuals
        .iter()
        .filter_map(|visual| visual.mesh.as_ref());
    let chains = data
        .ik_families
        .iter()
        .map(|family| family.bones.len() * 10);
    data.bones.len()
        + chains.sum::<usize>()
        + meshes
            .map(|mesh| mesh.vertices.len() + mesh.indices.len())
            .sum::<usize>()
}
