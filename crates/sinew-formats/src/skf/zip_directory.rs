//! The central directory of a ZIP archive: its entries and the offsets of their bytes.
//!
//! Bytes of an archive → [`Entry`]s, after sections 4.3 and 4.5.3 of PKWARE's APPNOTE.TXT.
//!
//! Why not a crate: `zip` tries every end-of-directory signature and stores all entries before it reports their
//! number, so that 1 MB can keep it busy for minutes. `rawzip` takes the last signature, even one inside a comment,
//! and shifts the offsets to fit: a truncated archive is then read as an archive nested in it. This reader tries one
//! record, once.

#![deny(clippy::arithmetic_side_effects, clippy::indexing_slicing)]

use super::SkfError;
use super::archive::check_size;
use crate::bytes::{u16_at, u32_at, u64_at};
use crate::limits::MAX_ARCHIVE_ENTRIES;
use std::ops::Range;

/// Signature of a local file header.
const LOCAL: [u8; 4] = *b"PK\x03\x04";
/// Signature of a central directory header.
const HEADER: [u8; 4] = *b"PK\x01\x02";
/// Signature of the end of central directory record.
const END: [u8; 4] = *b"PK\x05\x06";
/// Signatures of the ZIP64 end of central directory record and of its locator.
const ZIP64_END: [u8; 4] = *b"PK\x06\x06";
const ZIP64_LOCATOR: [u8; 4] = *b"PK\x06\x07";

/// Sizes of these records without their variable fields.
const LOCAL_LENGTH: usize = 30;
const HEADER_LENGTH: usize = 46;
const END_LENGTH: usize = 22;
const ZIP64_LOCATOR_LENGTH: usize = 20;

/// Identifier of the ZIP64 extra field.
const ZIP64_FIELD: u16 = 1;

/// An entry of an archive, as the central directory describes it.
pub(super) struct Entry {
    pub(super) name: String,
    pub(super) is_encrypted: bool,
    pub(super) method: u16,
    pub(super) checksum: u32,
    /// Stated uncompressed size; untrusted.
    pub(super) size: u64,
    /// Compressed size.
    packed: u64,
    /// Offset of the local file header.
    start: u64,
}

/// Returns the entries of an archive, in the order of the directory.
pub(super) fn entries(bytes: &[u8]) -> Result<Vec<Entry>, SkfError> {
    let truncated = || SkfError::Truncated { bytes: bytes.len() };
    let directory = directory(bytes).ok_or_else(truncated)?;
    check_size("the number of files in the archive", directory.count, {
        MAX_ARCHIVE_ENTRIES as u64
    })?;
    let damaged = |problem: String| Err(SkfError::Archive(problem));
    let stated_end = directory.start.saturating_add(directory.size);
    if stated_end > directory.end as u64 {
        return damaged("its list of files reaches past its end".to_owned());
    }
    if stated_end < directory.end as u64 {
        // The directory of an archive nested in this one, whose own directory is missing.
        return Err(truncated());
    }
    let mut entries = Vec::new();
    let mut rest = slice(bytes, directory.start, directory.size).unwrap_or_default();
    for index in 0..directory.count {
        let Some((entry, after)) = entry(rest) else {
            let count = directory.count;
            return damaged(format!(
                "its list of {count} files is cut off at file {index}"
            ));
        };
        entries.push(entry);
        rest = after;
    }
    Ok(entries)
}

impl Entry {
    /// Returns the compressed bytes of the entry.
    pub(super) fn packed<'a>(&self, archive: &'a [u8]) -> Option<&'a [u8]> {
        let local = slice(archive, self.start, LOCAL_LENGTH as u64)?;
        if !local.starts_with(&LOCAL) {
            return None;
        }
        // The header repeats the name; its extra field may differ from that of the directory.
        let variable_length =
            u64::from(u16_at(local, 26)?).checked_add(u16_at(local, 28)?.into())?;
        let start = self.start.checked_add(LOCAL_LENGTH as u64)?;
        slice(archive, start.checked_add(variable_length)?, self.packed)
    }
}

/// Where the parts of an archive are.
pub(super) struct DirectoryLayout {
    /// The names of files and where their headers in the directory are.
    pub(super) headers: Vec<(String, Range<usize>)>,
    /// The central directory.
    pub(super) directory: Range<usize>,
    /// Whether the directory is described by a ZIP64 record.
    pub(super) is_zip64: bool,
}

/// Returns where the central directory and its headers are.
pub(super) fn layout(bytes: &[u8]) -> Result<DirectoryLayout, SkfError> {
    // Checks the directory.
    let count = entries(bytes)?.len();
    let truncated = || SkfError::Truncated { bytes: bytes.len() };
    let directory = directory(bytes).ok_or_else(truncated)?;
    let start = usize::try_from(directory.start).map_err(|_| truncated())?;
    let mut rest = bytes.get(start..directory.end).ok_or_else(truncated)?;
    let mut headers = Vec::new();
    let mut place = start;
    for _ in 0..count {
        let (entry, after) = entry(rest).ok_or_else(truncated)?;
        let end = directory.end.saturating_sub(after.len());
        headers.push((entry.name, place..end));
        (place, rest) = (end, after);
    }
    let is_zip64 = end_record(bytes).is_none_or(|end| end != directory.end);
    Ok(DirectoryLayout {
        headers,
        directory: start..directory.end,
        is_zip64,
    })
}

/// Stated offset and actual end of the central directory.
struct Directory {
    count: u64,
    start: u64,
    size: u64,
    end: usize,
}

fn directory(bytes: &[u8]) -> Option<Directory> {
    let end = end_record(bytes)?;
    let record = bytes.get(end..)?;
    let short = Directory {
        count: u16_at(record, 10)?.into(),
        size: u32_at(record, 12)?.into(),
        start: u32_at(record, 16)?.into(),
        end,
    };
    Some(zip64_directory(bytes, end).unwrap_or(short))
}

/// Returns the offset of the end of central directory record: the last one whose comment ends at the end of the file,
/// else, for a file with trailing bytes, the last one whose comment fits.
fn end_record(bytes: &[u8]) -> Option<usize> {
    let last = bytes.len().checked_sub(END_LENGTH)?;
    let first = last.saturating_sub(u16::MAX.into());
    let records = || {
        let starts = (first..=last).rev();
        starts.filter_map(|start| {
            let record = bytes.get(start..)?;
            let comment = usize::from(u16_at(record, 20)?);
            let left = record.len().checked_sub(END_LENGTH)?.checked_sub(comment)?;
            record.starts_with(&END).then_some((start, left))
        })
    };
    let exact = records().find(|(_, left)| *left == 0);
    exact.or_else(|| records().next()).map(|(start, _)| start)
}

/// Reads the directory from the ZIP64 record, which some writers add to archives of any size.
fn zip64_directory(bytes: &[u8], end: usize) -> Option<Directory> {
    let locator = bytes.get(end.checked_sub(ZIP64_LOCATOR_LENGTH)?..end)?;
    let start = usize::try_from(u64_at(locator, 8)?).ok()?;
    let record = bytes.get(start..)?;
    (locator.starts_with(&ZIP64_LOCATOR) && record.starts_with(&ZIP64_END)).then_some(Directory {
        count: u64_at(record, 32)?,
        size: u64_at(record, 40)?,
        start: u64_at(record, 48)?,
        end: start,
    })
}

/// Returns the first entry of a directory, and the bytes after it.
fn entry(directory: &[u8]) -> Option<(Entry, &[u8])> {
    if !directory.starts_with(&HEADER) {
        return None;
    }
    let variable = directory.get(HEADER_LENGTH..)?;
    let (name, variable) = variable.split_at_checked(u16_at(directory, 28)?.into())?;
    let (extra, variable) = variable.split_at_checked(u16_at(directory, 30)?.into())?;
    let (_comment, rest) = variable.split_at_checked(u16_at(directory, 32)?.into())?;
    // The ZIP64 field holds, in this order, only the numbers whose 32-bit field is saturated.
    let mut zip64 = zip64_field(extra).chunks_exact(8);
    let mut number = |offset: usize| match u32_at(directory, offset)? {
        u32::MAX => u64_at(zip64.next()?, 0),
        short => Some(short.into()),
    };
    let entry = Entry {
        // Old archives may use another code page; no editor writes one.
        name: String::from_utf8_lossy(name).into_owned(),
        is_encrypted: u16_at(directory, 8)? & 1 == 1,
        method: u16_at(directory, 10)?,
        checksum: u32_at(directory, 16)?,
        size: number(24)?,
        packed: number(20)?,
        start: number(42)?,
    };
    Some((entry, rest))
}

/// Returns the content of the ZIP64 extra field; empty if there is none.
fn zip64_field(mut extra: &[u8]) -> &[u8] {
    while let (Some(kind), Some(length)) = (u16_at(extra, 0), u16_at(extra, 2)) {
        let field = extra.get(4..).unwrap_or_default();
        let Some((field, rest)) = field.split_at_checked(length.into()) else {
            break;
        };
        if kind == ZIP64_FIELD {
            return field;
        }
        extra = rest;
    }
    &[]
}

fn slice(bytes: &[u8], start: u64, length: u64) -> Option<&[u8]> {
    let end = usize::try_from(start.checked_add(length)?).ok()?;
    bytes.get(usize::try_from(start).ok()?..end)
}
