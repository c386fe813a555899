//! The files that a file refers to: the skeleton of an AMC, buffers and images of a glTF file.

use super::library::{Item, ServedPaths};
use serde::Deserialize;
use sinew_formats::{Format, amc};
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// The largest number of files that a file may refer to.
const MAX_COMPANIONS: usize = 1_000;

/// The largest JSON of a glTF file that is searched for references.
const MAX_JSON_BYTES: u64 = 64 << 20;

/// A file that another refers to.
#[derive(Debug)]
pub(super) struct CompanionFile {
    /// As the other refers to it.
    pub(super) name: String,
    pub(super) content: CompanionContent,
}

/// The bytes of a companion, or their place.
#[derive(Debug)]
pub(super) enum CompanionContent {
    /// A canonical path that may be served.
    Disk(PathBuf),
    Memory(&'static [u8]),
}

/// The files that a file refers to, and which of them are missing.
#[derive(Debug, Default)]
pub(super) struct Companions {
    pub(super) files: Vec<CompanionFile>,
    pub(super) problem: Option<String>,
}

/// Returns whether files of a format may refer to others.
pub(super) fn may_have(format: Option<Format>) -> bool {
    matches!(format, Some(Format::Amc | Format::Gltf | Format::Glb))
}

/// Finds the files that a file refers to. Only those are returned that may be served.
pub(super) fn find(item: &Item, served_paths: &ServedPaths) -> Companions {
    match item.format {
        Some(Format::Amc) => skeleton(item, served_paths),
        Some(Format::Gltf | Format::Glb) if item.bytes.is_none() => references(item, served_paths),
        _ => Companions::default(),
    }
}

fn skeleton(item: &Item, served_paths: &ServedPaths) -> Companions {
    if item.bytes.is_some() && served_paths.asf().is_none() {
        return Companions {
            files: vec![CompanionFile {
                name: "figure.asf".to_owned(),
                content: CompanionContent::Memory(sinew_samples::FIGURE),
            }],
            problem: None,
        };
    }
    let found = match served_paths.asf() {
        Some(asf) => Ok(asf.to_owned()),
        None => amc::find_asf(&item.origin).map_err(|error| error.to_string()),
    };
    let path = match found {
        Ok(path) => path,
        Err(problem) => return problem_only(problem),
    };
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    match served_paths.allowed(&path) {
        Some(whole) => Companions {
            files: vec![CompanionFile {
                name: name.into_owned(),
                content: CompanionContent::Disk(whole),
            }],
            problem: None,
        },
        None => problem_only(format!(
            "its skeleton {name} is outside of the given folders; view its folder too, or use --asf"
        )),
    }
}

fn problem_only(problem: String) -> Companions {
    Companions {
        files: Vec::new(),
        problem: Some(problem),
    }
}

/// The parts of a glTF document that refer to files.
#[derive(Deserialize)]
struct Document {
    #[serde(default)]
    buffers: Vec<Reference>,
    #[serde(default)]
    images: Vec<Reference>,
}

#[derive(Deserialize)]
struct Reference {
    #[serde(default)]
    uri: Option<String>,
}

fn references(item: &Item, served_paths: &ServedPaths) -> Companions {
    let json = match read_json(&item.origin) {
        Ok(json) => json,
        Err(error) => return problem_only(error.to_string()),
    };
    // What else is wrong with the file, its reader reports.
    let Ok(document) = serde_json::from_slice::<Document>(&json) else {
        return Companions::default();
    };
    let folder = item.origin.parent().unwrap_or(Path::new(""));
    let mut found = Companions::default();
    let all = document.buffers.into_iter().chain(document.images);
    let uris = all.filter_map(|reference| reference.uri);
    // A colon belongs to a scheme, as in data: and https:, or to a drive.
    for uri in uris.filter(|uri| !uri.contains(':')).take(MAX_COMPANIONS) {
        if found.files.iter().any(|known| known.name == uri) {
            continue;
        }
        let path = decode_percent(&uri).filter(|name| !name.contains([':', '\\', '\0']));
        match path.and_then(|path| served_paths.allowed(&folder.join(path))) {
            Some(whole) => found.files.push(CompanionFile {
                name: uri,
                content: CompanionContent::Disk(whole),
            }),
            None => {
                let uri: String = uri.chars().take(200).collect();
                let problem = format!("{uri:?} is missing, or outside of the given folders");
                found.problem.get_or_insert(problem);
            }
        }
    }
    found
}

/// Reads the JSON of a `.gltf` or `.glb` file, not its buffers.
fn read_json(path: &Path) -> io::Result<Vec<u8>> {
    let mut file = File::open(path)?;
    let mut json = Vec::new();
    let mut head = [0; 20];
    let mut length = MAX_JSON_BYTES;
    match file.read_exact(&mut head) {
        // The head of the container, and of its first chunk.
        Ok(()) if head.starts_with(b"glTF") => {
            let [a, b, c, d] = [head[12], head[13], head[14], head[15]];
            length = length.min(u64::from(u32::from_le_bytes([a, b, c, d])));
        }
        Ok(()) => json.extend_from_slice(&head),
        Err(_) => return Ok(json),
    }
    file.take(length).read_to_end(&mut json)?;
    Ok(json)
}

/// Decodes `%20`; returns `None` if an escape is invalid.
fn decode_percent(uri: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(uri.len());
    let mut rest = uri.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let digits = std::str::from_utf8(rest.get(..2)?).ok()?;
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
        rest = &rest[2..];
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percent_escapes_are_decoded_or_refused() {
        assert_eq!(decode_percent("a%20b%C3%A4"), Some("a bä".into()));
        for invalid in ["%", "%2", "%zz", "%ff", "%\u{e4}"] {
            assert_eq!(decode_percent(invalid), None, "{invalid}");
        }
    }
}
