//! The section of a skeleton.

use super::cursor::SectionCursor;
use super::directory::SectionEntry;
use super::error::PackError;
use crate::escape;
use crate::limits::{MAX_JOINTS, MAX_TEXT_BYTES};
use sinew::glam::{Quat, Vec3};
use sinew::{Joint, JointIndex, Skeleton, Transform};

/// Parent of a root.
const NO_PARENT: u32 = u32::MAX;

/// Bytes per joint in the tables: parent, end of the name, rest.
const JOINT: usize = 4 + 4 + 10 * 4;

/// Bytes of a tip.
const TIP: usize = 4 + 3 * 4;

/// Returns the section of a skeleton.
pub(super) fn write(skeleton: &Skeleton) -> Vec<u8> {
    let joints = skeleton.joints();
    let tips = || {
        let tips = joints.iter().enumerate();
        tips.filter_map(|(index, joint)| Some((index, joint.tip?)))
    };
    let names: usize = joints.iter().map(|joint| joint.name.len()).sum();
    let count = |count: usize| (count as u32).to_le_bytes();
    let mut bytes = Vec::with_capacity(16 + JOINT * joints.len() + TIP * tips().count() + names);
    bytes.extend(count(joints.len()));
    bytes.extend(count(tips().count()));
    bytes.extend(count(names));
    bytes.extend(count(0));
    for joint in joints {
        let parent = joint.parent.map_or(NO_PARENT, |parent| parent.0);
        bytes.extend(parent.to_le_bytes());
    }
    let mut end = 0;
    for joint in joints {
        end += joint.name.len();
        bytes.extend(count(end));
    }
    let numbers = |bytes: &mut Vec<u8>, numbers: &[f32]| {
        bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
    };
    for joint in joints {
        numbers(&mut bytes, &joint.rest.position.to_array());
        numbers(&mut bytes, &joint.rest.rotation.to_array());
        numbers(&mut bytes, &joint.rest.scale.to_array());
    }
    for (index, tip) in tips() {
        bytes.extend(count(index));
        numbers(&mut bytes, &tip.to_array());
    }
    for joint in joints {
        bytes.extend(joint.name.as_bytes());
    }
    bytes
}

/// Reads the section of a skeleton.
pub(super) fn read(entry: &SectionEntry<'_>) -> Result<Skeleton, PackError> {
    let mut cursor = SectionCursor::new(entry.bytes, entry.offset, entry.section);
    let count = cursor.count("number of joints")?;
    if count == 0 || count > MAX_JOINTS {
        return Err(cursor.invalid(4, format_args!("1 to {MAX_JOINTS} joints"), count));
    }
    let tip_count = cursor.count("number of tips")?;
    if tip_count > count {
        return Err(cursor.invalid(4, format_args!("at most {count} tips"), tip_count));
    }
    let name_bytes = cursor.count("length of names")?;
    cursor.zero("reserved field")?;
    let mut parents = cursor.many("parents", count, 4)?;
    let mut ends = cursor.many("ends of names", count, 4)?;
    let mut rests = cursor.many("rest transforms", count, 10 * 4)?;
    let mut tips = cursor.many("tips", tip_count, TIP)?;
    let mut names = cursor.many("names", name_bytes, 1)?;
    cursor.end()?;

    let mut joints = Vec::with_capacity(count);
    let mut start = 0;
    for _ in 0..count {
        let end = ends.count("end of a name")?;
        let length = end
            .checked_sub(start)
            .filter(|length| *length <= MAX_TEXT_BYTES);
        let Some(length) = length else {
            let expected =
                format_args!("the end of a name of 0 to {MAX_TEXT_BYTES} bytes from {start} on");
            return Err(ends.invalid(4, expected, end));
        };
        start = end;
        let name = text(&mut names, "name of a joint", length)?;
        let parent = parents.u32("parent")?;
        let [x, y, z] = rests.numbers("position")?;
        let position = Vec3::new(x, y, z);
        let rotation = Quat::from_array(rests.numbers("rotation")?);
        let scale = Vec3::from_array(rests.numbers("scale")?);
        joints.push(Joint {
            name,
            parent: (parent != NO_PARENT).then_some(JointIndex(parent)),
            rest: Transform {
                position,
                rotation,
                scale,
            },
            tip: None,
        });
    }
    names.end()?;
    let mut least = 0;
    for _ in 0..tip_count {
        let index = tips.count("joint of a tip")?;
        let Some(joint) = joints.get_mut(index).filter(|_| index >= least) else {
            let expected = format_args!(
                "a joint from {least} to {}, each once and in order",
                count - 1
            );
            return Err(tips.invalid(4, expected, index));
        };
        joint.tip = Some(Vec3::from_array(tips.numbers("tip")?));
        least = index.saturating_add(1);
    }
    Skeleton::new(joints).map_err(|source| PackError::Skeleton {
        offset: entry.offset,
        section: entry.section,
        source,
    })
}

/// Reads a text of `length` bytes.
pub(super) fn text(
    cursor: &mut SectionCursor<'_>,
    what: &'static str,
    length: usize,
) -> Result<String, PackError> {
    let bytes = cursor.take(what, length)?;
    match str::from_utf8(bytes) {
        Ok(text) => Ok(text.to_owned()),
        Err(_) => Err(cursor.invalid(
            length as u64,
            format_args!("{what} in UTF-8"),
            escape::text(&String::from_utf8_lossy(bytes)),
        )),
    }
}
