//! The zip archive about a character: which entries there are, and their bytes within limits.

use super::SkfError;
use crate::Warnings;
use crate::limits::{
    EXPANSION_FREE_BYTES, MAX_ARCHIVE_ENTRIES, MAX_EXPANSION, MAX_FILE_BYTES, MAX_UNPACKED_BYTES,
};
use std::io::{Cursor, Read};
use zip::ZipArchive;

/// An opened archive.
pub(super) struct Archive<'a> {
    zip: ZipArchive<Cursor<&'a [u8]>>,
    /// Folder that holds `armature.json`, with its slash; empty when it is at the top.
    folder: String,
    /// How many bytes may still be unpacked.
    bytes_left: u64,
}

/// What the first bytes of a file say that it is.
pub(super) enum Kind {
    Archive,
    Json,
}

/// Tells archives from JSON, and names what is neither.
pub(super) fn kind(bytes: &[u8]) -> Result<Kind, SkfError> {
    check_size("the file", bytes.len() as u64, MAX_FILE_BYTES)?;
    let text = bytes
        .strip_prefix(b"\xef\xbb\xbf")
        .unwrap_or(bytes)
        .trim_ascii_start();
    if text.is_empty() {
        Err(SkfError::Empty)
    } else if bytes.starts_with(b"version https://git-lfs") {
        Err(SkfError::LfsPointer)
    } else if bytes.starts_with(b"PK") {
        Ok(Kind::Archive)
    } else if text.starts_with(b"{") {
        Ok(Kind::Json)
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
        let zip = ZipArchive::new(Cursor::new(bytes)).map_err(|error| {
            // The list of files stands at the end, marked by these four bytes.
            let has_list = bytes.windows(4).any(|w| w == b"PK\x05\x06");
            if has_list {
                SkfError::Archive(error.to_string())
            } else {
                SkfError::Truncated { bytes: bytes.len() }
            }
        })?;
        if zip.offset() > 0 {
            // The list of another archive within this one, whose own list is missing.
            return Err(SkfError::Truncated { bytes: bytes.len() });
        }
        check_size("the number of files in the archive", zip.len() as u64, {
            MAX_ARCHIVE_ENTRIES as u64
        })?;
        let names: Vec<String> = zip.file_names().map(str::to_owned).collect();
        let folder = folder_of_armature(&names, warnings)?;
        for name in names.iter().filter(|name| is_unsafe(name)) {
            let problem = "its name leads out of the archive; ignored";
            warnings.add("archive", format!("entry {name:?}"), problem);
        }
        for name in names
            .iter()
            .filter(|n| n.ends_with(".skf") || n.ends_with(".skfe"))
        {
            let problem = "a character within a character; ignored";
            warnings.add("archive", format!("entry {name:?}"), problem);
        }
        Ok(Self {
            zip,
            folder,
            bytes_left: MAX_UNPACKED_BYTES,
        })
    }

    /// Whether there is such an entry beside `armature.json`.
    pub(super) fn has(&self, name: &str) -> bool {
        self.find(name).is_some()
    }

    fn find(&self, name: &str) -> Option<usize> {
        let path = format!("{}{name}", self.folder);
        self.zip.index_for_name(&path).filter(|_| !is_unsafe(&path))
    }

    /// The bytes of an entry, or `None` when there is no such entry.
    pub(super) fn read(&mut self, name: &str, limit: u64) -> Result<Option<Vec<u8>>, SkfError> {
        let Some(index) = self.find(name) else {
            return Ok(None);
        };
        let limit = limit.min(self.bytes_left);
        let unpack = |problem: String| SkfError::Unpack {
            entry: name.to_owned(),
            problem,
        };
        let entry = self
            .zip
            .by_index(index)
            .map_err(|error| unpack(error.to_string()))?;
        let packed = entry.compressed_size();
        check_size(name, entry.size(), limit)?;
        // The stated size may lie, so reading stops at the limits, not at the statement.
        let may_expand_to = packed
            .saturating_mul(MAX_EXPANSION)
            .max(EXPANSION_FREE_BYTES);
        let mut bytes = Vec::new();
        let stop = limit.min(may_expand_to) + 1;
        let done = entry.take(stop).read_to_end(&mut bytes);
        self.bytes_left = self.bytes_left.saturating_sub(bytes.len() as u64);
        done.map_err(|error| unpack(error.to_string()))?;
        if bytes.len() as u64 > may_expand_to {
            return Err(SkfError::Bomb {
                entry: name.to_owned(),
                packed,
            });
        }
        check_size(name, bytes.len() as u64, limit)?;
        Ok(Some(bytes))
    }
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

/// A folder that was zipped whole has its name before every entry.
fn folder_of_armature(names: &[String], warnings: &mut Warnings) -> Result<String, SkfError> {
    const NAME: &str = "armature.json";
    if names.iter().any(|name| name == NAME) {
        return Ok(String::new());
    }
    let inside = names
        .iter()
        .find(|n| n.ends_with("/armature.json") && !is_unsafe(n));
    let Some(inside) = inside else {
        let found = names.iter().take(8).cloned().collect();
        return Err(SkfError::NoArmature { found });
    };
    let folder = inside.strip_suffix(NAME).unwrap_or_default().to_owned();
    warnings.add(
        "archive",
        NAME,
        format!("stands in the folder {folder:?}; read from there"),
    );
    Ok(folder)
}

fn is_unsafe(name: &str) -> bool {
    let absolute = name.starts_with(['/', '\\']) || name.as_bytes().get(1) == Some(&b':');
    absolute || name.split(['/', '\\']).any(|part| part == "..")
}
