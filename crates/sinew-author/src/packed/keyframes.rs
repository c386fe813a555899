//! Keyed animations as bytes: what [`KeyedAnimation::read`] reads. `packed/keyframes/bytes.rs` of `sinew` has the
//! layout.

use alloc::vec::Vec;
use sinew::internal::keyframes::bytes::{
    KEY_BYTES, MAGIC, POSITION, ROTATION, SCALE, TRACK_BYTES, VERSION,
};
use sinew::internal::keyframes::{JointKeys, KeyedAnimation, VectorKeys};
use sinew::skeleton::JointIndex;

const HEADER_BYTES: usize = 4 + 1 + 4 + 4 + 8 + 8 + 4;
const RANGE_BYTES: usize = 6 * 4;

/// Returns a keyed animation as bytes, for [`KeyedAnimation::read`].
pub fn to_bytes(animation: &KeyedAnimation) -> Vec<u8> {
    let mut bytes = Vec::new();
    write(animation, &mut bytes);
    bytes
}

/// Returns the number of bytes of [`to_bytes`].
pub fn byte_len(animation: &KeyedAnimation) -> usize {
    HEADER_BYTES + animation.tracks.iter().map(track_len).sum::<usize>()
}

/// Returns the number of bytes of a joint in the output of [`to_bytes`].
pub(crate) fn joint_len(animation: &KeyedAnimation, joint: JointIndex) -> usize {
    let tracks = animation.tracks.iter();
    let of_joint = tracks.filter(|track| track.joint == joint.0);
    of_joint.map(track_len).sum()
}

/// Returns the number of bytes of a track.
fn track_len(track: &JointKeys) -> usize {
    let vector = |keys: &Option<VectorKeys>| {
        let keys = keys.as_ref();
        keys.map_or(0, |keys| 4 + RANGE_BYTES + KEY_BYTES * keys.times.len())
    };
    let rotation = track.rotation.as_ref();
    TRACK_BYTES
        + rotation.map_or(0, |keys| 4 + KEY_BYTES * keys.times.len())
        + vector(&track.position)
        + vector(&track.scale)
}

/// Appends the output of [`to_bytes`].
pub(super) fn write(animation: &KeyedAnimation, bytes: &mut Vec<u8>) {
    bytes.reserve(byte_len(animation));
    bytes.extend(MAGIC);
    bytes.push(VERSION);
    bytes.extend(animation.joint_count.to_le_bytes());
    bytes.extend(animation.frame_count.to_le_bytes());
    bytes.extend(animation.frame_rate.to_le_bytes());
    bytes.extend(animation.error.to_le_bytes());
    bytes.extend((animation.tracks.len() as u32).to_le_bytes());
    for track in &animation.tracks {
        let flag = |is_there: bool, flag| if is_there { flag } else { 0 };
        bytes.extend(track.joint.to_le_bytes());
        bytes.push(
            flag(track.rotation.is_some(), ROTATION)
                | flag(track.position.is_some(), POSITION)
                | flag(track.scale.is_some(), SCALE),
        );
        if let Some(keys) = &track.rotation {
            bytes.extend((keys.times.len() as u32).to_le_bytes());
            bytes.extend(keys.times.iter().flat_map(|time| time.to_le_bytes()));
            bytes.extend(keys.values.iter().flat_map(|value| value.to_bytes()));
        }
        for keys in [&track.position, &track.scale].into_iter().flatten() {
            bytes.extend((keys.times.len() as u32).to_le_bytes());
            let range = keys.range.low.iter().chain(&keys.range.step);
            bytes.extend(range.flat_map(|number| number.to_le_bytes()));
            bytes.extend(keys.times.iter().flat_map(|time| time.to_le_bytes()));
            let words = keys.values.as_flattened().iter();
            bytes.extend(words.flat_map(|word| word.to_le_bytes()));
        }
    }
}
