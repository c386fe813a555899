//! One HTML page with files in it.

use super::shared_file::SharedFile;
use crate::pose_hashes;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use flate2::{Compression, GzBuilder};
use serde::Serialize;
use sinew_viewer::{Payload, VIEWER, insert_payload};
use std::collections::HashSet;
use std::io::{self, Write};

/// The version of the payload; incremented when a field is removed or changes its meaning.
const VERSION: u32 = 1;

/// The payload, as the page reads it; see PAYLOAD.md of sinew-viewer.
#[derive(Serialize)]
struct Content<'a> {
    version: u32,
    title: &'a str,
    compare: bool,
    files: Vec<File<'a>>,
}

#[derive(Serialize)]
struct File<'a> {
    name: String,
    gzip: String,
    animations: Vec<AnimationHash<'a>>,
}

/// An animation and the hash of its poses.
#[derive(Serialize)]
struct AnimationHash<'a> {
    name: &'a str,
    hash: String,
}

/// Returns the page; the same files give the same bytes. `is_comparison` shows the first two together.
pub(super) fn page(files: &[SharedFile], title: &str, is_comparison: bool) -> io::Result<String> {
    let poster = files.first().and_then(|file| file.picture.as_ref());
    let poster = poster.map(|picture| BASE64_STANDARD.encode(picture));
    let mut names = HashSet::new();
    let contents: io::Result<Vec<File<'_>>> = files
        .iter()
        .map(|file| {
            let hashes = file.animations.iter().map(|(name, hash)| AnimationHash {
                name,
                hash: pose_hashes::text(*hash),
            });
            Ok(File {
                name: unique(&file.name, &mut names),
                gzip: BASE64_STANDARD.encode(gzip(&file.bytes)?),
                animations: hashes.collect(),
            })
        })
        .collect();
    let content = Content {
        version: VERSION,
        title,
        compare: is_comparison,
        files: contents?,
    };
    let payload = Payload {
        title,
        json: &serde_json::to_string(&content)?,
        poster: poster.as_deref(),
    };
    insert_payload(VIEWER, &payload).map_err(io::Error::other)
}

/// Compresses bytes without a time or a name, which would differ between runs.
fn gzip(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut encoder = GzBuilder::new().write(Vec::new(), Compression::best());
    encoder.write_all(bytes)?;
    encoder.finish()
}

/// Returns the name, with a number if it is taken: `walk.sinew`, `walk-2.sinew`.
fn unique(name: &str, taken: &mut HashSet<String>) -> String {
    let (stem, ending) = name.rsplit_once('.').unwrap_or((name, ""));
    let numbered = (2..).map(|number| format!("{stem}-{number}.{ending}"));
    let mut free = std::iter::once(name.to_owned()).chain(numbered);
    let name = free.find(|name| !taken.contains(name)).unwrap_or_default();
    taken.insert(name.clone());
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_names_are_numbered() {
        let mut taken = HashSet::new();
        let mut next = |name: &str| unique(name, &mut taken);
        assert_eq!(next("walk.sinew"), "walk.sinew");
        assert_eq!(next("walk-2.sinew"), "walk-2.sinew");
        assert_eq!(next("walk.sinew"), "walk-3.sinew");
        assert_eq!(next("walk.skf"), "walk.skf");
    }
}
