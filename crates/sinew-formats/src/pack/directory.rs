//! Header and directory: the sections of a file and their offsets.

use super::cursor::SectionCursor;
use super::error::{PackError, Section};
use super::{ALIGNMENT, MAGIC, SKIPPABLE, VERSION};
use crate::escape;
use crate::limits::{MAX_FILE_BYTES, MAX_PACK_SECTIONS};

/// Bytes of the header.
pub(super) const HEADER: usize = 32;

/// Bytes of a directory entry.
pub(super) const ENTRY: usize = 32;

/// Range of the checksum of header and directory.
const CHECKSUM: std::ops::Range<usize> = 28..32;

/// Kind of curves; readers without curve support may skip them.
const CURVE: u32 = SKIPPABLE + 1;

/// Kind of a section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SectionKind {
    Skeleton,
    Animation,
    Curve,
    /// An unknown kind that readers may skip.
    Other,
}

impl SectionKind {
    const fn code(self) -> u32 {
        match self {
            Self::Skeleton => 1,
            Self::Animation => 2,
            Self::Curve => CURVE,
            Self::Other => SKIPPABLE,
        }
    }

    const fn from_code(code: u32) -> Option<Self> {
        match code {
            1 => Some(Self::Skeleton),
            2 => Some(Self::Animation),
            CURVE => Some(Self::Curve),
            SKIPPABLE.. => Some(Self::Other),
            _ => None,
        }
    }
}

/// A directory entry with the bytes of its section, whose checksum is valid.
#[derive(Clone, Copy, Debug)]
pub(super) struct SectionEntry<'a> {
    pub(super) kind: SectionKind,
    /// Name for errors.
    pub(super) section: Section,
    /// Offset in the file.
    pub(super) offset: u64,
    pub(super) bytes: &'a [u8],
}

/// Reads the sections of a file.
///
/// Validates everything except the content of sections: magic, version, lengths, that sections are contiguous except
/// for padding, that padding is zero, and all checksums.
pub(super) fn read(bytes: &[u8]) -> Result<Vec<SectionEntry<'_>>, PackError> {
    begins(bytes)?;
    let found = bytes.len() as u64;
    if found > MAX_FILE_BYTES {
        let limit = MAX_FILE_BYTES;
        return Err(PackError::TooLarge { found, limit });
    }
    let mut header = SectionCursor::new(bytes, 0, Section::Header);
    header.take("magic", MAGIC.len())?;
    let version = header.u32("version")?;
    if version != VERSION {
        return Err(PackError::Version { found: version });
    }
    header.zero("flags")?;
    let length = header.u64("length of the file")?;
    if length != found {
        let problem = format_args!("{found}");
        return Err(header.invalid(8, format_args!("the stated {length} bytes"), problem));
    }
    let count = header.count("number of sections")?;
    if count > MAX_PACK_SECTIONS {
        let expected = format_args!("at most {MAX_PACK_SECTIONS} sections");
        return Err(header.invalid(4, expected, count));
    }
    let checksum = header.u32("checksum")?;
    let start = header.offset();
    let directory_bytes = header.take("directory", count.saturating_mul(ENTRY))?;
    let end = HEADER.saturating_add(directory_bytes.len());
    let found = seal_of(bytes.get(..end).unwrap_or(bytes));
    if found != checksum {
        return Err(PackError::Damaged {
            section: Section::Directory,
            offset: 0,
            length: end as u64,
            expected: checksum,
            found,
        });
    }
    let mut directory = SectionCursor::new(directory_bytes, start, Section::Directory);
    let mut sections = Vec::with_capacity(count);
    let (mut skeletons, mut animations, mut curves) = (0, 0, 0);
    let mut reached = end;
    for place in 0..count {
        let code = directory.u32("kind of a section")?;
        let Some(kind) = SectionKind::from_code(code) else {
            let expected = format_args!(
                "a kind of section: 1 (skeleton), 2 (animation) or one that may be skipped, \
                 {SKIPPABLE:#x} and above"
            );
            return Err(directory.invalid(4, expected, format_args!("{code:#x}")));
        };
        directory.zero("flags")?;
        let (offset, length) = (directory.u64("offset")?, directory.u64("length")?);
        let expected = reached.next_multiple_of(ALIGNMENT);
        if offset != expected as u64 {
            return Err(directory.invalid(16, format_args!("the offset {expected}"), offset));
        }
        let rest = bytes.get(expected..).unwrap_or_default();
        let content = usize::try_from(length)
            .ok()
            .and_then(|length| rest.get(..length));
        let Some(content) = content else {
            let expected = format_args!("a length of at most {}", rest.len());
            return Err(directory.invalid(8, expected, length));
        };
        padding(bytes, reached..expected, place)?;
        reached = expected.saturating_add(content.len());
        let section = match kind {
            SectionKind::Skeleton => counted(&mut skeletons, Section::Skeleton),
            SectionKind::Animation => counted(&mut animations, Section::Animation),
            SectionKind::Curve => counted(&mut curves, Section::Curve),
            SectionKind::Other => Section::Other(place),
        };
        let (expected, found) = (directory.u32("checksum")?, crc32fast::hash(content));
        if expected != found {
            return Err(PackError::Damaged {
                section,
                offset,
                length,
                expected,
                found,
            });
        }
        directory.zero("reserved field")?;
        sections.push(SectionEntry {
            kind,
            section,
            offset,
            bytes: content,
        });
    }
    let rest = SectionCursor::new(
        bytes.get(reached..).unwrap_or_default(),
        reached as u64,
        Section::Padding(count),
    );
    rest.end()?;
    Ok(sections)
}

/// Returns the error for a file without a skeleton.
pub(super) fn no_skeleton(sections: usize) -> PackError {
    PackError::Invalid {
        offset: HEADER as u64,
        section: Section::Directory,
        expected: "at least one skeleton".to_owned(),
        found: format!("none among {sections} sections"),
    }
}

fn counted(count: &mut usize, section: impl Fn(usize) -> Section) -> Section {
    let numbered = section(*count);
    *count = count.saturating_add(1);
    numbered
}

/// Checks the magic bytes; the error describes the likely damage.
fn begins(bytes: &[u8]) -> Result<(), PackError> {
    if bytes.starts_with(&MAGIC) {
        return Ok(());
    }
    let start = bytes.get(..MAGIC.len()).unwrap_or(bytes);
    let name = MAGIC.get(1..4).unwrap_or_default();
    let found = if bytes.is_empty() {
        "an empty file".to_owned()
    } else if MAGIC.starts_with(bytes) {
        format!("only its first {} bytes", bytes.len())
    } else if bytes.windows(3).take(4).any(|window| window == name) {
        "one that was changed on its way, as by a transfer of text: its line ends or its first byte are \
         others"
            .to_owned()
    } else {
        escape::text(&String::from_utf8_lossy(start))
    };
    Err(PackError::NotThisFormat { found })
}

/// Fails if the padding before a section is not zero.
fn padding(bytes: &[u8], range: std::ops::Range<usize>, place: usize) -> Result<(), PackError> {
    let start = range.start;
    let bytes = bytes.get(range).unwrap_or_default();
    match bytes.iter().position(|byte| *byte != 0) {
        None => Ok(()),
        Some(index) => Err(PackError::Invalid {
            offset: start.saturating_add(index) as u64,
            section: Section::Padding(place),
            expected: "zeros".to_owned(),
            found: format!("{:#04x}", bytes.get(index).copied().unwrap_or(0)),
        }),
    }
}

/// Computes the checksum of header and directory, with zeros in place of the checksum itself.
fn seal_of(head: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(head.get(..CHECKSUM.start).unwrap_or(head));
    hasher.update(&[0; 4]);
    hasher.update(head.get(CHECKSUM.end..).unwrap_or_default());
    hasher.finalize()
}

/// Builds a file of sections.
pub(super) fn write(sections: &[(SectionKind, Vec<u8>)]) -> Result<Vec<u8>, PackError> {
    let aligned = |length: usize| length.next_multiple_of(ALIGNMENT);
    let directory = HEADER + ENTRY * sections.len();
    let mut length = directory;
    for (_, bytes) in sections {
        length = aligned(length).saturating_add(bytes.len());
        if length as u64 > MAX_FILE_BYTES {
            return Err(PackError::TooLarge {
                found: length as u64,
                limit: MAX_FILE_BYTES,
            });
        }
    }
    let count = u32::try_from(sections.len()).unwrap_or(u32::MAX);
    let mut file = Vec::with_capacity(length);
    file.extend(MAGIC);
    file.extend(VERSION.to_le_bytes());
    file.extend(0u32.to_le_bytes());
    file.extend((length as u64).to_le_bytes());
    file.extend(count.to_le_bytes());
    file.extend(0u32.to_le_bytes());
    let mut offset = directory;
    for (kind, bytes) in sections {
        offset = aligned(offset);
        file.extend(kind.code().to_le_bytes());
        file.extend(0u32.to_le_bytes());
        file.extend((offset as u64).to_le_bytes());
        file.extend((bytes.len() as u64).to_le_bytes());
        file.extend(crc32fast::hash(bytes).to_le_bytes());
        file.extend(0u32.to_le_bytes());
        offset = offset.saturating_add(bytes.len());
    }
    let seal = seal_of(&file);
    if let Some(field) = file.get_mut(CHECKSUM) {
        field.copy_from_slice(&seal.to_le_bytes());
    }
    for (_, bytes) in sections {
        file.resize(aligned(file.len()), 0);
        file.extend_from_slice(bytes);
    }
    Ok(file)
}
