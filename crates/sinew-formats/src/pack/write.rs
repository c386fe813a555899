//! Writer of `.sinew` files.

use super::directory::{self, SectionKind};
use super::error::{PackError, Section};
use super::{Pack, PackView, animation, curve, skeleton};
use crate::file::{FileError, WriteError, save};
use crate::limits::MAX_PACK_SECTIONS;
use std::path::Path;

/// Writes a file; see [`write_bytes`].
///
/// # Errors
/// The errors of [`write_bytes`], and if the file cannot be written.
pub fn write(path: impl AsRef<Path>, pack: &Pack) -> Result<(), FileError<WriteError>> {
    save(path.as_ref(), write_bytes(pack))
}

/// Returns the bytes of a file with these skeletons and animations. Equal packs give equal bytes.
///
/// A frame rate that is not positive and finite is omitted.
///
/// # Errors
/// If there is no skeleton, an animation refers to a missing skeleton or one with another number of joints, or the
/// file could not be read: [`limits`](crate::limits) apply to both.
pub fn write_bytes(pack: &Pack) -> Result<Vec<u8>, PackError> {
    let count = pack.skeletons.len().saturating_add(pack.animations.len());
    let count = count.saturating_add(pack.curves.len());
    if pack.skeletons.is_empty() || count > MAX_PACK_SECTIONS {
        return Err(PackError::Unwritable {
            section: Section::Directory,
            expected: format!(
                "1 to {MAX_PACK_SECTIONS} skeletons, animations and curves, at least one skeleton"
            ),
            found: format!(
                "{}, {} and {}",
                pack.skeletons.len(),
                pack.animations.len(),
                pack.curves.len()
            ),
        });
    }
    let mut sections = Vec::with_capacity(count);
    for skeleton in &pack.skeletons {
        sections.push((SectionKind::Skeleton, skeleton::write(skeleton)));
    }
    for (index, entry) in pack.animations.iter().enumerate() {
        let joints = entry.animation.joint_count();
        let unwritable = |expected: String, found: String| PackError::Unwritable {
            section: Section::Animation(index),
            expected,
            found,
        };
        let Some(skeleton) = pack.skeletons.get(entry.skeleton) else {
            let expected = format!("a skeleton below {}", pack.skeletons.len());
            return Err(unwritable(expected, entry.skeleton.to_string()));
        };
        if skeleton.len() != joints {
            let expected = format!("{} joints, as its skeleton has", skeleton.len());
            return Err(unwritable(expected, joints.to_string()));
        }
        sections.push((
            SectionKind::Animation,
            animation::write(entry.skeleton, &entry.animation),
        ));
    }
    let curves = pack.curves.iter();
    sections.extend(curves.map(|curve| (SectionKind::Curve, curve::write(curve))));
    let bytes = directory::write(&sections)?;
    drop(sections);
    // Reading is fast, and detects an unreadable file when it is created.
    PackView::read(&bytes)?;
    Ok(bytes)
}
