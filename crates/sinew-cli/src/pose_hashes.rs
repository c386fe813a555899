//! Pose hashes of the animations of a file, as the viewer shows them in the browser.

use crate::error::CliError;
use crate::input::{Character, Input, Motion};
use serde_json::{Value, json};
use sinew::pose_hash::{hash_animation, hash_armature, hash_packed};
use sinew::skelform::ArmatureAnimationIndex;
use sinew_formats::FileError;
use sinew_formats::pack::{self, Pack};

/// The name of an animation and its hash.
pub(crate) type NamedHash = (String, u64);

/// Returns the hashes of all animations of a file, in its order.
pub(crate) fn of_input(input: &Input) -> Result<Vec<NamedHash>, CliError> {
    match input {
        Input::Character(character) => of_character(character),
        Input::Motion(motion) => of_motion(motion),
    }
}

/// Returns the hashes of all animations of a motion file.
pub(crate) fn of_motion(motion: &Motion) -> Result<Vec<NamedHash>, CliError> {
    if let Some(bytes) = &motion.packed {
        let pack = pack::read_bytes(bytes).map_err(|source| FileError {
            path: motion.path.clone(),
            source,
        })?;
        return Ok(of_pack(&pack));
    }
    let file = &motion.file;
    let hashes = file.animations.iter().map(|animation| {
        let hash = hash_animation(&file.skeleton, animation);
        (animation.name.clone(), hash)
    });
    Ok(hashes.collect())
}

/// Returns the hashes of packed motions, which differ from those of their sources within the error bound.
pub(crate) fn of_pack(pack: &Pack) -> Vec<NamedHash> {
    let entries = pack.animations.iter();
    let hashes = entries.filter_map(|entry| {
        let skeleton = pack.skeletons.get(entry.skeleton)?;
        let hash = hash_packed(skeleton, &entry.animation);
        Some((entry.animation.name().to_owned(), hash))
    });
    hashes.collect()
}

fn of_character(character: &Character) -> Result<Vec<NamedHash>, CliError> {
    let armature = &character.skf.armature;
    let animations = armature.animations().iter().zip(0..);
    let hashes = animations.map(|(animation, index)| {
        let hash = hash_armature(armature, ArmatureAnimationIndex(index))?;
        Ok((animation.name().to_owned(), hash))
    });
    hashes.collect()
}

/// Writes a hash as the viewer shows it.
pub(crate) fn text(hash: u64) -> String {
    format!("{hash:016x}")
}

/// Converts hashes to JSON.
pub(crate) fn json(hashes: &[NamedHash]) -> Vec<Value> {
    let entries = hashes.iter();
    entries
        .map(|(name, hash)| json!({ "name": name, "hash": text(*hash) }))
        .collect()
}
