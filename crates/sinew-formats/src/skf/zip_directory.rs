//! The list of files at the end of a zip archive, and where each file's bytes stand.
//!
//! Bytes of an archive → [`Entry`]s, after sections 4.3 and 4.5.3 of PKWARE's APPNOTE.TXT. The `zip`
//! crate, which writes our archives, reads such lists too, but it tries again from everything that
//! looks like the end of one, and holds all files before it says how many there are: a file of 1 MB
//! can keep it busy for minutes. Here one end is looked at once, and files are counted first.

#![deny(clippy::arithmetic_side_effects, clippy::indexing_slicing)]

use super::SkfError;
use super::archive::check_size;
use crate::limits::MAX_ARCHIVE_ENTRIES;

/// Starts a file.
const LOCAL: [u8; 4] = *b"PK\x03\x04";
/// Starts a file of the list.
const HEADER: [u8; 4] = *b"PK\x01\x02";
/// Starts the record that ends an archive.
const END: [u8; 4] = *b"PK\x05\x06";
/// Starts the record of 64-bit numbers, and the one that tells where it stands.
const LONG_END: [u8; 4] = *b"PK\x06\x06";
const LONG_LOCATOR: [u8; 4] = *b"PK\x06\x07";

/// Lengths of these records without the texts that follow some of them.
const LOCAL_LENGTH: usize = 30;
const HEADER_LENGTH: usize = 46;
const END_LENGTH: usize = 22;
const LONG_LOCATOR_LENGTH: usize = 20;

/// Marks the extra field that holds 64-bit numbers.
const LONG_NUMBERS: u16 = 1;

/// A file of an archive, as the list has it.
pub(super) struct Entry {
    pub(super) name: String,
    pub(super) is_encrypted: bool,
    pub(super) method: u16,
    pub(super) checksum: u32,
    /// Bytes when unpacked, which may be a lie.
    pub(super) size: u64,
    packed: u64,
    start: u64,
}

/// Every file of an archive, in the list's order.
pub(super) fn entries(bytes: &[u8]) -> Result<Vec<Entry>, SkfError> {
    let truncated = || SkfError::Truncated { bytes: bytes.len() };
    let list = list(bytes).ok_or_else(truncated)?;
    check_size("the number of files in the archive", list.count, {
        MAX_ARCHIVE_ENTRIES as u64
    })?;
    let damaged = |problem: String| Err(SkfError::Archive(problem));
    let stated_end = list.start.saturating_add(list.size);
    if stated_end > list.end as u64 {
        return damaged("its list of files reaches past its end".to_owned());
    }
    if stated_end < list.end as u64 {
        // The list of another archive within this one, whose own list is missing.
        return Err(truncated());
    }
    let mut entries = Vec::new();
    let mut rest = part(bytes, list.start, list.size).unwrap_or_default();
    for index in 0..list.count {
        let Some((entry, after)) = entry(rest) else {
            let count = list.count;
            return damaged(format!(
                "its list of {count} files breaks off at file {index}"
            ));
        };
        entries.push(entry);
        rest = after;
    }
    Ok(entries)
}

impl Entry {
    /// The file's bytes as they are packed in the archive.
    pub(super) fn packed<'a>(&self, archive: &'a [u8]) -> Option<&'a [u8]> {
        let local = part(archive, self.start, LOCAL_LENGTH as u64)?;
        if !local.starts_with(&LOCAL) {
            return None;
        }
        // The name stands here once more, and the extra fields may differ from the list's.
        let texts = u64::from(u16_at(local, 26)?).checked_add(u16_at(local, 28)?.into())?;
        let start = self.start.checked_add(LOCAL_LENGTH as u64)?;
        part(archive, start.checked_add(texts)?, self.packed)
    }
}

/// What the end of an archive says of its list, and where it really ends.
struct List {
    count: u64,
    start: u64,
    size: u64,
    end: usize,
}

fn list(bytes: &[u8]) -> Option<List> {
    let end = end_record(bytes)?;
    let record = bytes.get(end..)?;
    let short = List {
        count: u16_at(record, 10)?.into(),
        size: u32_at(record, 12)?.into(),
        start: u32_at(record, 16)?.into(),
        end,
    };
    Some(long_list(bytes, end).unwrap_or(short))
}

/// Where the end record starts: the last one whose comment ends where the file ends. Where there is
/// none, the file has bytes after its end, and the last one whose comment fits is taken.
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

/// The same in 64 bits, where a writer gave it: some do so for archives of any size.
fn long_list(bytes: &[u8], end: usize) -> Option<List> {
    let locator = bytes.get(end.checked_sub(LONG_LOCATOR_LENGTH)?..end)?;
    let start = usize::try_from(u64_at(locator, 8)?).ok()?;
    let record = bytes.get(start..)?;
    (locator.starts_with(&LONG_LOCATOR) && record.starts_with(&LONG_END)).then_some(List {
        count: u64_at(record, 32)?,
        size: u64_at(record, 40)?,
        start: u64_at(record, 48)?,
        end: start,
    })
}

/// The first file of a list, and the rest of the list.
fn entry(list: &[u8]) -> Option<(Entry, &[u8])> {
    if !list.starts_with(&HEADER) {
        return None;
    }
    let texts = list.get(HEADER_LENGTH..)?;
    let (name, texts) = texts.split_at_checked(u16_at(list, 28)?.into())?;
    let (extra, texts) = texts.split_at_checked(u16_at(list, 30)?.into())?;
    let (_comment, rest) = texts.split_at_checked(u16_at(list, 32)?.into())?;
    // In this order, each of them only where its own 32 bits are full.
    let mut long = long_numbers(extra).chunks_exact(8);
    let mut number = |at: usize| match u32_at(list, at)? {
        u32::MAX => u64_at(long.next()?, 0),
        short => Some(short.into()),
    };
    let entry = Entry {
        // Old archives may have another code page, in which no editor writes.
        name: String::from_utf8_lossy(name).into_owned(),
        is_encrypted: u16_at(list, 8)? & 1 == 1,
        method: u16_at(list, 10)?,
        checksum: u32_at(list, 16)?,
        size: number(24)?,
        packed: number(20)?,
        start: number(42)?,
    };
    Some((entry, rest))
}

/// The 64-bit numbers among a file's extra fields; none when there are none.
fn long_numbers(mut extra: &[u8]) -> &[u8] {
    while let (Some(kind), Some(length)) = (u16_at(extra, 0), u16_at(extra, 2)) {
        let field = extra.get(4..).unwrap_or_default();
        let Some((field, rest)) = field.split_at_checked(length.into()) else {
            break;
        };
        if kind == LONG_NUMBERS {
            return field;
        }
        extra = rest;
    }
    &[]
}

fn part(bytes: &[u8], start: u64, length: u64) -> Option<&[u8]> {
    let end = usize::try_from(start.checked_add(length)?).ok()?;
    bytes.get(usize::try_from(start).ok()?..end)
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    let number = bytes.get(at..)?.first_chunk()?;
    Some(u16::from_le_bytes(*number))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    let number = bytes.get(at..)?.first_chunk()?;
    Some(u32::from_le_bytes(*number))
}

fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    let number = bytes.get(at..)?.first_chunk()?;
    Some(u64::from_le_bytes(*number))
}
