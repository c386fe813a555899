//! Replacing one file of a ZIP archive; all other bytes are copied.
//!
//! An archive is a row of records (a local header, the packed bytes, perhaps a descriptor), the central directory and its end record.
//! Records are copied as they are, with what lies between them. The record of the replaced file is written anew, and offsets in
//! the directory move by the difference of lengths.

#![deny(clippy::arithmetic_side_effects, clippy::indexing_slicing)]

use super::SkfError;
use super::zip_directory::{DirectoryLayout, layout};
use super::zip_writer::deflated;
use crate::bytes::{u16_at, u32_at};
use std::ops::Range;

/// Offsets of fields in a central directory header.
const METHOD: usize = 10;
const CHECKSUM: usize = 16;
const PACKED_SIZE: usize = 20;
const SIZE: usize = 24;
const OFFSET: usize = 42;

/// In both headers: sizes and checksum follow the packed bytes instead of being in the local header.
const HAS_DESCRIPTOR: u16 = 1 << 3;

/// The compression method "deflated".
const DEFLATED: u16 = 8;

/// Returns the archive with other content of the file at `path`; of several with that name the last, which readers use.
pub(super) fn replace_entry(bytes: &[u8], path: &str, content: &[u8]) -> Result<Vec<u8>, SkfError> {
    let layout = layout(bytes)?;
    replaced(bytes, &layout, path, content).unwrap_or_else(|| {
        Err(SkfError::CannotAdd(
            "the archive has offsets of 64 bits, or files in it share bytes".to_owned(),
        ))
    })
}

fn replaced(
    bytes: &[u8],
    layout: &DirectoryLayout,
    path: &str,
    content: &[u8],
) -> Option<Result<Vec<u8>, SkfError>> {
    if layout.is_zip64 {
        return None;
    }
    let header_of = |header: &Range<usize>| bytes.get(header.clone());
    let (_, header) = layout.headers.iter().rfind(|(name, _)| name == path)?;
    let old = header_of(header)?;
    let start = usize::try_from(u32_at(old, OFFSET)?).ok()?;
    // The record ends where the next one begins.
    let mut end = layout.directory.start;
    for (_, other) in &layout.headers {
        let offset = u32_at(header_of(other)?, OFFSET)?;
        let is_shared = offset == u32_at(old, OFFSET)? && other != header;
        if is_shared || offset == u32::MAX {
            return None;
        }
        let offset = usize::try_from(offset).ok()?;
        if offset > start {
            end = end.min(offset);
        }
    }
    let (packed, method) = match u16_at(old, METHOD)? {
        DEFLATED => match deflated(content) {
            Ok(packed) => (packed, DEFLATED),
            Err(problem) => return Some(Err(SkfError::Archive(problem))),
        },
        _ => (content.to_vec(), 0),
    };
    let fields = Fields {
        method,
        checksum: crc32fast::hash(content),
        packed: u32::try_from(packed.len()).ok()?,
        size: u32::try_from(content.len()).ok()?,
    };

    let local = bytes.get(start..end)?;
    let name_and_extra = usize::from(u16_at(local, 26)?).checked_add(u16_at(local, 28)?.into())?;
    let mut record = local.get(..name_and_extra.checked_add(30)?)?.to_vec();
    fields.set(&mut record, 6, 8, 14)?;
    record.extend(packed);

    let mut archive = bytes.get(..start)?.to_vec();
    archive.extend(&record);
    archive.extend(bytes.get(end..layout.directory.start)?);
    let (old_length, new_length) = (end.checked_sub(start)?, record.len());
    let moved = |offset: usize| offset.checked_sub(old_length)?.checked_add(new_length);

    let directory_start = u32::try_from(archive.len()).ok()?;
    let mut directory = bytes.get(layout.directory.clone())?.to_vec();
    for (_, other) in &layout.headers {
        let place = other.start.checked_sub(layout.directory.start)?;
        let header = directory.get_mut(place..)?;
        let offset = usize::try_from(u32_at(header, OFFSET)?).ok()?;
        if offset > start {
            let offset = u32::try_from(moved(offset)?).ok()?;
            put(header, OFFSET, &offset.to_le_bytes())?;
        } else if offset == start {
            fields.set(header, 8, METHOD, CHECKSUM)?;
        }
    }
    archive.extend(&directory);
    let mut end_record = bytes.get(layout.directory.end..)?.to_vec();
    put(&mut end_record, 16, &directory_start.to_le_bytes())?;
    archive.extend(end_record);
    Some(Ok(archive))
}

/// What a header says of the packed bytes.
struct Fields {
    method: u16,
    checksum: u32,
    packed: u32,
    size: u32,
}

impl Fields {
    /// Writes the fields into a header, whose flags, method and checksum are at the given offsets. Sizes follow the checksum.
    fn set(&self, header: &mut [u8], flags: usize, method: usize, checksum: usize) -> Option<()> {
        let flag_bits = u16_at(header, flags)? & !HAS_DESCRIPTOR;
        put(header, flags, &flag_bits.to_le_bytes())?;
        put(header, method, &self.method.to_le_bytes())?;
        put(header, checksum, &self.checksum.to_le_bytes())?;
        put(header, checksum.checked_add(4)?, &self.packed.to_le_bytes())?;
        put(header, checksum.checked_add(8)?, &self.size.to_le_bytes())
    }
}

const _: () = assert!(PACKED_SIZE == CHECKSUM + 4 && SIZE == CHECKSUM + 8);

fn put(bytes: &mut [u8], offset: usize, value: &[u8]) -> Option<()> {
    let end = offset.checked_add(value.len())?;
    bytes.get_mut(offset..end)?.copy_from_slice(value);
    Some(())
}
