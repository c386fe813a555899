//! The section of an animation.

use super::cursor::SectionCursor;
use super::directory::SectionEntry;
use super::error::PackError;
use super::skeleton::text;
use crate::json;
use crate::limits::{MAX_PACK_JOINTS, MAX_PACK_NOTE_BYTES, MAX_TEXT_BYTES};
use sinew::{Animation, PackedAnimation, Skeleton};
use std::sync::Arc;

/// Returns the section of an animation on the skeleton of that index.
pub(super) fn write(skeleton: usize, animation: &PackedAnimation<'_>) -> Vec<u8> {
    let info = animation.info();
    let (body, notes_json) = (sinew_author::packed::to_bytes(animation), write_info(info));
    let count = |count: usize| u32::try_from(count).unwrap_or(u32::MAX).to_le_bytes();
    let rate = info.frame_rate.filter(|rate| is_rate(*rate));
    let mut bytes = Vec::with_capacity(32 + body.len() + info.name.len() + notes_json.len());
    bytes.extend(count(skeleton));
    bytes.extend(info.length.to_le_bytes());
    bytes.extend(rate.unwrap_or(0.0).to_le_bytes());
    bytes.extend(count(body.len()));
    bytes.extend(count(info.name.len()));
    bytes.extend(count(notes_json.len()));
    bytes.extend(count(0));
    bytes.extend(body);
    bytes.extend(info.name.as_bytes());
    bytes.extend(notes_json);
    bytes
}

fn is_rate(rate: f64) -> bool {
    rate > 0.0 && rate.is_finite()
}

/// Serializes the data without a field in the animation's record; empty if there is none.
fn write_info(info: &Animation) -> Vec<u8> {
    let others = Animation {
        name: String::new(),
        length: 0.0,
        frame_rate: None,
        ..info.clone()
    };
    if others == Animation::default() {
        return Vec::new();
    }
    json::write_bytes(None, &[others])
}

/// Remaining limits of a file.
pub(super) struct PackBudget {
    /// Joints of all animations.
    joints: usize,
    /// Bytes of info.
    info: usize,
}

impl Default for PackBudget {
    fn default() -> Self {
        Self {
            joints: MAX_PACK_JOINTS,
            info: MAX_PACK_NOTE_BYTES,
        }
    }
}

/// Reads the section of an animation; returns its skeleton index and the animation.
pub(super) fn read<'a>(
    entry: &SectionEntry<'a>,
    skeletons: &[Arc<Skeleton>],
    budget: &mut PackBudget,
) -> Result<(usize, PackedAnimation<'a>), PackError> {
    let mut cursor = SectionCursor::new(entry.bytes, entry.offset, entry.section);
    let index = cursor.count("number of its skeleton")?;
    let Some(skeleton) = skeletons.get(index) else {
        let expected = format_args!("a skeleton below {}", skeletons.len());
        return Err(cursor.invalid(4, expected, index));
    };
    let Some(joints) = budget.joints.checked_sub(skeleton.len()) else {
        let expected = format_args!("at most {MAX_PACK_JOINTS} joints in all animations together");
        return Err(cursor.invalid(4, expected, "more"));
    };
    budget.joints = joints;
    let length = cursor.positive("length in seconds")?;
    let rate = cursor.f64("frame rate")?;
    if !(is_rate(rate) || rate.to_bits() == 0) {
        return Err(cursor.invalid(8, "a frame rate above zero, or 0 for none", rate));
    }
    let body_bytes = cursor.count("length of its motion")?;
    let name_bytes = cursor.count("length of its name")?;
    if name_bytes > MAX_TEXT_BYTES {
        let expected = format_args!("a name of at most {MAX_TEXT_BYTES} bytes");
        return Err(cursor.invalid(4, expected, name_bytes));
    }
    let note_bytes = cursor.count("length of its info")?;
    let Some(info) = budget.info.checked_sub(note_bytes) else {
        let expected =
            format_args!("at most {MAX_PACK_NOTE_BYTES} bytes of info in all animations together");
        return Err(cursor.invalid(4, expected, "more"));
    };
    budget.info = info;
    cursor.zero("reserved field")?;
    let start = cursor.offset();
    let body = cursor.take("motion", body_bytes)?;
    let name = text(&mut cursor, "name", name_bytes)?;
    let mut info = read_notes(&mut cursor, note_bytes, entry)?;
    cursor.end()?;
    info.name = name;
    info.length = length;
    info.frame_rate = is_rate(rate).then_some(rate);
    let animation = PackedAnimation::from_bytes(body, skeleton, info);
    let animation = animation.map_err(|source| PackError::Motion {
        offset: start,
        section: entry.section,
        source: Box::new(source),
    })?;
    Ok((index, animation))
}

fn read_notes(
    cursor: &mut SectionCursor<'_>,
    length: usize,
    entry: &SectionEntry<'_>,
) -> Result<Animation, PackError> {
    let offset = cursor.offset();
    let bytes = cursor.take("info", length)?;
    if bytes.is_empty() {
        return Ok(Animation::default());
    }
    let invalid = |expected: &str, found: &str| PackError::Invalid {
        offset,
        section: entry.section,
        expected: expected.to_owned(),
        found: found.to_owned(),
    };
    let file = json::read_notes(bytes).map_err(|source| PackError::Notes {
        offset,
        section: entry.section,
        source: Box::new(source),
    })?;
    // No writer creates info that the JSON reader would repair or discard.
    if let Some(warning) = file.warnings.list().first() {
        return Err(invalid("info without faults", &warning.to_string()));
    }
    let [info] = <[Animation; 1]>::try_from(file.animations)
        .map_err(|all| invalid("info of one animation", &format!("of {}", all.len())))?;
    Ok(info)
}
