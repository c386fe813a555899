//! ZIP writer: stored and deflated files, sizes below 4 GiB, no encryption.
//!
//! Layout after PKWARE's APPNOTE 6.3: for each file a local header and its bytes, then the central directory, which
//! repeats the headers with their offsets, then the end of central directory record.

use flate2::Compression;
use flate2::write::DeflateEncoder;
use std::collections::HashSet;
use std::io::Write;

/// A compression method, and the required version of the format, times ten.
struct Method(u16, u16);

const STORED: Method = Method(0, 10);
const DEFLATED: Method = Method(8, 20);

/// Host system Unix, so that the high half of the external attributes is a file mode.
const UNIX: u16 = 3 << 8;
/// A regular file, writable by its owner and readable by everyone.
const ATTRIBUTES: u32 = 0o100_644 << 16;
/// 1 January 1980, the first day of the format: the same character always gives the same bytes.
const DATE: u16 = 1 << 5 | 1;
/// Names are UTF-8.
const UTF8: u16 = 1 << 11;

/// Returns deflated bytes.
pub(super) fn deflated(content: &[u8]) -> Result<Vec<u8>, String> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
    let packed = encoder.write_all(content).and_then(|()| encoder.finish());
    packed.map_err(|error| error.to_string())
}

/// An archive under construction.
#[derive(Default)]
pub(super) struct ZipWriter {
    bytes: Vec<u8>,
    directory: Vec<u8>,
    names: HashSet<String>,
}

impl ZipWriter {
    /// Adds a file without compression.
    pub(super) fn store(&mut self, name: &str, content: &[u8]) -> Result<(), String> {
        self.add(name, content, STORED, content)
    }

    /// Adds a file, deflated.
    pub(super) fn deflate(&mut self, name: &str, content: &[u8]) -> Result<(), String> {
        self.add(name, content, DEFLATED, &deflated(content)?)
    }

    fn add(
        &mut self,
        name: &str,
        content: &[u8],
        Method(method, version): Method,
        packed: &[u8],
    ) -> Result<(), String> {
        if !self.names.insert(name.to_owned()) {
            return Err(format!("two files are named {name:?}"));
        }
        let too_large = |_| format!("{name:?}: the archive is larger than a ZIP file can be");
        let name_length = u16::try_from(name.len())
            .map_err(|_| "the name of a file is longer than 65535 bytes".to_owned())?;
        let offset = u32::try_from(self.bytes.len()).map_err(too_large)?;
        let sizes = [packed.len(), content.len()].map(u32::try_from);
        let flags = if name.is_ascii() { 0 } else { UTF8 };
        // Common part of both headers, from the required version to the length of the extra field.
        let mut shared = Vec::new();
        for field in [version, flags, method, 0, DATE] {
            shared.extend(field.to_le_bytes());
        }
        shared.extend(crc32fast::hash(content).to_le_bytes());
        for size in sizes {
            shared.extend(size.map_err(too_large)?.to_le_bytes());
        }
        shared.extend(name_length.to_le_bytes());
        shared.extend(0_u16.to_le_bytes());

        self.bytes.extend(b"PK\x03\x04");
        self.bytes.extend(&shared);
        self.bytes.extend(name.as_bytes());
        self.bytes.extend(packed);

        self.directory.extend(b"PK\x01\x02");
        self.directory.extend((UNIX | version).to_le_bytes());
        self.directory.extend(&shared);
        // No comment, first disk, no internal attributes.
        self.directory.extend([0; 6]);
        self.directory.extend(ATTRIBUTES.to_le_bytes());
        self.directory.extend(offset.to_le_bytes());
        self.directory.extend(name.as_bytes());
        Ok(())
    }

    /// Returns the complete archive.
    pub(super) fn finish(mut self) -> Result<Vec<u8>, String> {
        let too_large = "the archive is larger than a ZIP file can be";
        let count = u16::try_from(self.names.len()).map_err(|_| "too many files".to_owned())?;
        let offset = u32::try_from(self.bytes.len()).map_err(|_| too_large.to_owned())?;
        let size = u32::try_from(self.directory.len()).map_err(|_| too_large.to_owned())?;
        self.bytes.append(&mut self.directory);
        self.bytes.extend(b"PK\x05\x06\0\0\0\0");
        self.bytes.extend(count.to_le_bytes());
        self.bytes.extend(count.to_le_bytes());
        self.bytes.extend(size.to_le_bytes());
        self.bytes.extend(offset.to_le_bytes());
        self.bytes.extend(0_u16.to_le_bytes());
        Ok(self.bytes)
    }
}
