//! The zip archive of a character: its entries, and their bytes within limits.

use super::SkfError;
use super::zip_directory::{self, Entry};
use crate::Warnings;
use crate::escape;
use crate::limits::{EXPANSION_FREE_BYTES, MAX_EXPANSION, MAX_FILE_BYTES, MAX_UNPACKED_BYTES};
use crate::text::without_bom;
use flate2::Crc;
use flate2::bufread::DeflateDecoder;
use std::borrow::Cow;
use std::io::Read;

/// Compression methods that editors and zip programs use for text and pictures.
const STORED: u16 = 0;
const DEFLATED: u16 = 8;

/// An opened archive.
pub(super) struct Archive<'a> {
    bytes: &'a [u8],
    entries: Vec<Entry>,
    /// Folder that contains `armature.json`, with its slash; empty at the top level.
    folder: String,
    /// Remaining budget of uncompressed bytes.
    bytes_left: u64,
}

/// File type according to the first bytes.
pub(super) enum FileKind {
    Archive,
    Json,
}

/// Detects archives and JSON; returns an error for anything else.
pub(super) fn kind(bytes: &[u8]) -> Result<FileKind, SkfError> {
    check_size("the file", bytes.len() as u64, MAX_FILE_BYTES)?;
    let text = without_bom(bytes).trim_ascii_start();
    if text.is_empty() {
        Err(SkfError::Empty)
    } else if bytes.starts_with(b"version https://git-lfs") {
        Err(SkfError::LfsPointer)
    } else if bytes.starts_with(b"PK") {
        Ok(FileKind::Archive)
    } else if text.starts_with(b"{") {
        Ok(FileKind::Json)
    } else {
        let start = &bytes[..bytes.len().min(12)];
        Err(SkfError::NotSkf {
            found: format!("\"{}\"", start.escape_ascii()),
        })
    }
}

impl<'a> Archive<'a> {
    /// Opens the archive and finds `armature.json` in it.
    pub(super) fn open(bytes: &'a [u8], warnings: &mut Warnings) -> Result<Self, SkfError> {
        let entries = zip_directory::entries(bytes)?;
        let folder = folder_of_armature(&entries, warnings)?;
        for entry in &entries {
            let name = &entry.name;
            let problem = if is_unsafe(name) {
                "its name leads out of the archive; ignored"
            } else if name.ends_with(".skf") || name.ends_with(".skfe") {
                "a character within a character; ignored"
            } else {
                continue;
            };
            warnings.add("archive", format!("entry {}", escape::text(name)), problem);
        }
        Ok(Self {
            bytes,
            entries,
            folder,
            bytes_left: MAX_UNPACKED_BYTES,
        })
    }

    /// Returns the name of an entry in the folder of `armature.json`.
    pub(super) fn path(&self, name: &str) -> String {
        format!("{}{name}", self.folder)
    }

    /// Returns whether this entry exists in the folder of `armature.json`.
    pub(super) fn has(&self, name: &str) -> bool {
        find(&self.entries, &self.folder, name).is_some()
    }

    /// Returns the bytes of an entry; `None` if it does not exist.
    pub(super) fn read(
        &mut self,
        name: &str,
        limit: u64,
    ) -> Result<Option<Cow<'a, [u8]>>, SkfError> {
        let Some(entry) = find(&self.entries, &self.folder, name) else {
            return Ok(None);
        };
        let limit = limit.min(self.bytes_left);
        check_size(name, entry.size, limit)?;
        if entry.is_encrypted {
            return Err(cannot_unpack(name, "it is encrypted"));
        }
        let packed = entry.packed(self.bytes).ok_or_else(|| {
            cannot_unpack(name, "its bytes are not at the offset in the directory")
        })?;
        let bytes = match entry.method {
            STORED => {
                self.bytes_left = self.bytes_left.saturating_sub(packed.len() as u64);
                Cow::Borrowed(packed)
            }
            DEFLATED => Cow::Owned(inflate(name, packed, limit, &mut self.bytes_left)?),
            method => {
                let problem = format!("compression method {method} is neither stored nor deflated");
                return Err(cannot_unpack(name, problem));
            }
        };
        check_size(name, bytes.len() as u64, limit)?;
        let mut checksum = Crc::new();
        checksum.update(&bytes);
        if checksum.sum() != entry.checksum {
            return Err(cannot_unpack(name, "its checksum is wrong"));
        }
        Ok(Some(bytes))
    }
}

/// Finds an entry; of duplicates the last, as if all were unpacked in order.
fn find<'e>(entries: &'e [Entry], folder: &str, name: &str) -> Option<&'e Entry> {
    let path = format!("{folder}{name}");
    let mut named = entries.iter().filter(|entry| entry.name == path);
    named.next_back().filter(|entry| !is_unsafe(&entry.name))
}

fn cannot_unpack(entry: &str, problem: impl ToString) -> SkfError {
    SkfError::Unpack {
        entry: entry.to_owned(),
        problem: problem.to_string(),
    }
}

/// Inflates bytes and subtracts them from `bytes_left`, even if they are damaged. The stated size is untrusted, so
/// this stops just above `limit`.
fn inflate(
    name: &str,
    packed: &[u8],
    limit: u64,
    bytes_left: &mut u64,
) -> Result<Vec<u8>, SkfError> {
    let packed_size = packed.len() as u64;
    let may_expand_to = packed_size
        .saturating_mul(MAX_EXPANSION)
        .max(EXPANSION_FREE_BYTES);
    let mut bytes = Vec::new();
    let done = DeflateDecoder::new(packed)
        .take(limit.min(may_expand_to) + 1)
        .read_to_end(&mut bytes);
    *bytes_left = bytes_left.saturating_sub(bytes.len() as u64);
    done.map_err(|error| cannot_unpack(name, error))?;
    if bytes.len() as u64 > may_expand_to {
        return Err(SkfError::Bomb {
            entry: name.to_owned(),
            packed: packed_size,
        });
    }
    Ok(bytes)
}

pub(super) fn check_size(what: &str, found: u64, limit: u64) -> Result<(), SkfError> {
    if found <= limit {
        Ok(())
    } else {
        Err(SkfError::TooLarge {
            what: what.to_owned(),
            found,
            limit,
        })
    }
}

/// Finds the folder of `armature.json`: a folder that was zipped as a whole is part of every entry name.
fn folder_of_armature(entries: &[Entry], warnings: &mut Warnings) -> Result<String, SkfError> {
    const NAME: &str = "armature.json";
    let names = entries.iter().map(|entry| entry.name.as_str());
    if names.clone().any(|name| name == NAME) {
        return Ok(String::new());
    }
    let inside = names
        .clone()
        .find(|n| n.ends_with("/armature.json") && !is_unsafe(n));
    let Some(inside) = inside else {
        let found = names.take(8).map(str::to_owned).collect();
        return Err(SkfError::NoArmature { found });
    };
    let folder = inside.strip_suffix(NAME).unwrap_or_default().to_owned();
    warnings.add(
        "archive",
        NAME,
        format!(
            "is in the folder {}; read from there",
            escape::text(&folder)
        ),
    );
    Ok(folder)
}

fn is_unsafe(name: &str) -> bool {
    let absolute = name.starts_with(['/', '\\']) || name.as_bytes().get(1) == Some(&b':');
    absolute || name.split(['/', '\\']).any(|part| part == "..")
}
