//! The GLB container: a header, a chunk of JSON, and usually a chunk of bytes.
//!
//! All numbers are little-endian and 32 bits wide:
//!
//! ```text
//! "glTF"  2  length of all │ length  "JSON"  bytes │ length  "BIN\0"  bytes │ chunks of others
//! ```

use super::GltfError;
use crate::bytes::u32_at;
use crate::text::without_bom;
use crate::{Warnings, escape};

const MAGIC: &[u8; 4] = b"glTF";
const VERSION: u32 = 2;
const HEADER: usize = 12;
const CHUNK_HEADER: usize = 8;
const JSON: &[u8; 4] = b"JSON";
const BIN: &[u8; 4] = b"BIN\0";

/// The parts of a file.
pub(super) struct Parts<'a> {
    pub(super) json: &'a [u8],
    /// The bytes of the first buffer, if the container includes them.
    pub(super) bin: Option<&'a [u8]>,
}

/// Splits a file: a container, or only JSON.
pub(super) fn split<'a>(bytes: &'a [u8], warnings: &mut Warnings) -> Result<Parts<'a>, GltfError> {
    if bytes.starts_with(MAGIC) {
        return split_container(bytes, warnings);
    }
    let text = without_bom(bytes);
    let first = text.iter().find(|byte| !byte.is_ascii_whitespace());
    if first == Some(&b'{') {
        return Ok(Parts {
            json: text,
            bin: None,
        });
    }
    let found = if bytes.is_empty() {
        "nothing".to_owned()
    } else {
        let start = bytes.get(..16).unwrap_or(bytes);
        escape::text(&String::from_utf8_lossy(start))
    };
    Err(GltfError::NotGltf { found })
}

fn split_container<'a>(bytes: &'a [u8], warnings: &mut Warnings) -> Result<Parts<'a>, GltfError> {
    let version = number(bytes, 4)?;
    if version != VERSION {
        return Err(broken(4, "version 2", version));
    }
    let length = number(bytes, 8)? as usize;
    if length < HEADER {
        return Err(broken(8, "a length of at least 12 bytes", length));
    }
    let Some(whole) = bytes.get(..length) else {
        let found = format!("{} bytes; it is cut off", bytes.len());
        return Err(broken(8, format!("{length} bytes"), found));
    };
    if length < bytes.len() {
        let more = bytes.len() - length;
        warnings.add(
            "GLB container",
            "",
            format!("{more} bytes behind its end; ignored"),
        );
    }
    let (kind, json, mut offset) = chunk(whole, HEADER)?;
    if kind != *JSON {
        return Err(broken(HEADER + 4, "a chunk of \"JSON\"", shown(kind)));
    }
    let mut bin = None;
    while offset < whole.len() {
        let start = offset;
        let (kind, content, next) = chunk(whole, offset)?;
        offset = next;
        // The specification requires readers to ignore unknown chunks.
        match (kind == *BIN, start == next_chunk(HEADER, json.len())) {
            (true, true) => bin = Some(content),
            (true, false) => {
                let problem = format!("the chunk at byte {start} is not the second; ignored");
                warnings.add("GLB container", "", problem);
            }
            (false, _) => {
                let problem = format!("unknown chunk {} at byte {start}; ignored", shown(kind));
                warnings.add("GLB container", "", problem);
            }
        }
    }
    Ok(Parts { json, bin })
}

/// Returns the kind and content of the chunk at an offset, and the offset of the next one.
fn chunk(bytes: &[u8], offset: usize) -> Result<([u8; 4], &[u8], usize), GltfError> {
    let length = number(bytes, offset)? as usize;
    let kind = number(bytes, offset + 4)?.to_le_bytes();
    let start = offset + CHUNK_HEADER;
    let content = start
        .checked_add(length)
        .and_then(|end| bytes.get(start..end));
    let content = content.ok_or_else(|| {
        let left = bytes.len().saturating_sub(start);
        broken(
            offset,
            format!("a chunk of {length} bytes"),
            format!("{left} bytes"),
        )
    })?;
    Ok((kind, content, next_chunk(offset, length)))
}

/// Chunks are aligned to four bytes.
fn next_chunk(offset: usize, length: usize) -> usize {
    let end = offset.saturating_add(CHUNK_HEADER).saturating_add(length);
    end.checked_next_multiple_of(4).unwrap_or(end)
}

fn number(bytes: &[u8], offset: usize) -> Result<u32, GltfError> {
    u32_at(bytes, offset).ok_or_else(|| {
        let left = bytes.len().saturating_sub(offset);
        broken(
            offset,
            "a number of 4 bytes",
            format!("{left} bytes; it is cut off"),
        )
    })
}

fn shown(kind: [u8; 4]) -> String {
    escape::text(&String::from_utf8_lossy(&kind))
}

fn broken(
    offset: usize,
    expected: impl std::fmt::Display,
    found: impl std::fmt::Display,
) -> GltfError {
    GltfError::Container {
        offset,
        expected: expected.to_string(),
        found: found.to_string(),
    }
}

/// Builds a container from JSON and bytes. `None` if it would be larger than 4 GiB.
pub(super) fn join(json: &[u8], bin: &[u8]) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    bytes.extend_from_slice(MAGIC);
    bytes.extend_from_slice(&VERSION.to_le_bytes());
    bytes.extend_from_slice(&[0; 4]);
    for (kind, content, pad) in [(JSON, json, b' '), (BIN, bin, 0)] {
        if content.is_empty() {
            continue;
        }
        let padded = content.len().checked_next_multiple_of(4)?;
        bytes.extend_from_slice(&u32::try_from(padded).ok()?.to_le_bytes());
        bytes.extend_from_slice(kind);
        bytes.extend_from_slice(content);
        bytes.resize(bytes.len() + padded - content.len(), pad);
    }
    let length = u32::try_from(bytes.len()).ok()?;
    bytes
        .get_mut(8..HEADER)?
        .copy_from_slice(&length.to_le_bytes());
    Some(bytes)
}
