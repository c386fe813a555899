//! Buffer bytes: in the container, in the JSON, or in a separate file. Only buffers that hold keys are fetched.

use super::document::Buffer;
use super::error::{check_size, entry};
use super::{GltfError, Resolve};
use crate::escape;
use crate::limits::MAX_FILE_BYTES;
use base64::Engine;
use base64::engine::DecodePaddingMode;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig};
use std::borrow::Cow;
use std::io::Read;
use std::path::{Component, Path, PathBuf};

pub(super) struct Buffers<'a> {
    list: &'a [Buffer<'a>],
    bin: Option<&'a [u8]>,
    resolve: Resolve<'a>,
    fetched: Vec<Option<Cow<'a, [u8]>>>,
    /// Total number of fetched bytes.
    total: u64,
}

impl<'a> Buffers<'a> {
    pub(super) fn new(list: &'a [Buffer<'a>], bin: Option<&'a [u8]>, resolve: Resolve<'a>) -> Self {
        Self {
            list,
            bin,
            resolve,
            fetched: (0..list.len()).map(|_| None).collect(),
            total: 0,
        }
    }

    /// Returns the number of fetched bytes so far.
    pub(super) fn total(&self) -> u64 {
        self.total
    }

    /// Fetches a buffer, unless it is already loaded.
    pub(super) fn fetch(
        &mut self,
        path: impl std::fmt::Display,
        index: u32,
    ) -> Result<(), GltfError> {
        let buffer = entry(path, "buffer", self.list, index)?;
        let Some(slot) = self.fetched.get_mut(index as usize) else {
            return Ok(());
        };
        if slot.is_some() {
            return Ok(());
        }
        let place = format!("buffers[{index}]");
        let left = MAX_FILE_BYTES.saturating_sub(self.total);
        check_size(&place, buffer.byte_length, left)?;
        let problem = |problem: String| GltfError::Buffer {
            path: place.clone(),
            problem,
        };
        let bytes: Cow<'a, [u8]> = match (buffer.uri.as_deref(), self.bin) {
            (Some(uri), _) if starts_with_ignoring_case(uri, "data:") => {
                Cow::Owned(decode_data(uri).map_err(problem)?)
            }
            (Some(uri), _) => Cow::Owned((self.resolve)(uri).map_err(|error| {
                problem(format!("{} cannot be read: {error}", escape::text(uri)))
            })?),
            (None, Some(bin)) if index == 0 => Cow::Borrowed(bin),
            (None, _) => {
                let missing = "it has no uri, and there is no chunk with its bytes";
                return Err(problem(missing.to_owned()));
            }
        };
        if (bytes.len() as u64) < buffer.byte_length {
            let (expected, found) = (buffer.byte_length, bytes.len());
            return Err(problem(format!("expected {expected} bytes, found {found}")));
        }
        check_size(&place, bytes.len() as u64, left)?;
        self.total += bytes.len() as u64;
        *slot = Some(bytes);
        Ok(())
    }

    /// Returns the bytes of a fetched buffer.
    pub(super) fn bytes(&self, index: u32) -> &[u8] {
        let slot = self.fetched.get(index as usize).and_then(Option::as_ref);
        let length = self.list.get(index as usize).map_or(0, |b| b.byte_length);
        let length = usize::try_from(length).unwrap_or(usize::MAX);
        slot.and_then(|bytes| bytes.get(..length)).unwrap_or(&[])
    }
}

fn starts_with_ignoring_case(text: &str, start: &str) -> bool {
    let found = text.get(..start.len());
    found.is_some_and(|found| found.eq_ignore_ascii_case(start))
}

/// Some writers omit the padding.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &base64::alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

fn decode_data(uri: &str) -> Result<Vec<u8>, String> {
    let Some((head, data)) = uri.split_once(',') else {
        return Err("its data: URI has no comma, so no data".to_owned());
    };
    if !head.to_ascii_lowercase().ends_with(";base64") {
        let head = escape::text(head);
        return Err(format!("expected a data: URI in base64, found {head}"));
    }
    BASE64
        .decode(data.trim_ascii())
        .map_err(|error| format!("its base64 cannot be decoded: {error}"))
}

/// Reads a file in the folder of a `.gltf` file, and rejects other places.
pub(super) fn read_beside(folder: &Path, uri: &str) -> std::io::Result<Vec<u8>> {
    let refuse = |problem: &str| std::io::Error::new(std::io::ErrorKind::InvalidInput, problem);
    let name = decode_percent(uri).ok_or_else(|| refuse("its percent escapes are invalid"))?;
    let inside = Path::new(&name);
    // A colon belongs to a scheme, as in https: and file:, or to a drive.
    if name.contains(':') {
        return Err(refuse(
            "only files in the .gltf file's folder are read, not URLs",
        ));
    }
    let plain = |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
    if name.contains('\\') || !inside.components().all(plain) {
        return Err(refuse("only files inside the .gltf file's folder are read"));
    }
    let folder = if folder.as_os_str().is_empty() {
        PathBuf::from(".")
    } else {
        folder.to_owned()
    };
    // A link may point outside of the folder.
    let path = folder.join(inside).canonicalize()?;
    if !path.starts_with(folder.canonicalize()?) {
        return Err(refuse(
            "it is a link that leads out of the .gltf file's folder",
        ));
    }
    // A pipe would block, and a device may be endless.
    if !path.metadata()?.is_file() {
        return Err(refuse("it is not a regular file"));
    }
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path)?;
    file.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Decodes percent escapes of a URI: `%20` is a space.
fn decode_percent(uri: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(uri.len());
    let mut rest = uri.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        rest = after;
        if first == b'%' {
            let digits = rest.split_at_checked(2)?;
            let hex = std::str::from_utf8(digits.0).ok()?;
            // `from_str_radix` also accepts a sign.
            if !hex.bytes().all(|digit| digit.is_ascii_hexdigit()) {
                return None;
            }
            bytes.push(u8::from_str_radix(hex, 16).ok()?);
            rest = digits.1;
        } else {
            bytes.push(first);
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uris_out_of_the_folder_are_refused() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        for uri in [
            "../Cargo.toml",
            "gltf/../../Cargo.toml",
            "/etc/passwd",
            "%2e%2e/Cargo.toml",
            "https://example.com/a.bin",
            "file:lib.rs",
            "c:a.bin",
            "..\\Cargo.toml",
            "%zz",
            "%+1",
            "%4",
            "%ff",
        ] {
            let error = read_beside(&folder, uri).expect_err(uri);
            assert_eq!(error.kind(), std::io::ErrorKind::InvalidInput, "{uri}");
        }
        assert!(read_beside(&folder, "nothing.bin").is_err());
        assert!(read_beside(&folder, "").is_err());
        for uri in ["lib.rs", "./gltf/mod.rs", "gltf%2Fmod.rs"] {
            assert!(read_beside(&folder, uri).is_ok(), "{uri}");
        }
    }

    #[test]
    fn data_uris_are_decoded_with_and_without_padding() {
        for bad in ["data:", "data:,abc", "data:;base64,!!", "data:;base64,A"] {
            assert!(decode_data(bad).is_err(), "{bad}");
        }
        for good in [
            "data:;base64,AQI=",
            "data:;base64,AQI",
            "data:a/b;BASE64,AQI=",
        ] {
            assert_eq!(decode_data(good), Ok(vec![1, 2]), "{good}");
        }
    }
}
