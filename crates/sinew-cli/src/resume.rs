//! What made an output, so that `--resume` skips what is done and nothing else.
//!
//! Each folder of outputs has a file `.sinew-made` with a line of JSON per output: its name, its size and hash, and the
//! hash of its recipe, which is the program's version, the options, and the content of every file that it was made
//! from. An output is done if its last line has the recipe of the present call and the size and hash of the file as it
//! is. Lines are only ever added, each in one write, so that an interrupted run loses none; one that is damaged counts
//! for nothing.

use crate::args::SourceArgs;
use serde::{Deserialize, Serialize};
use sinew_formats::amc::find_asf;
use sinew_formats::{Format, detect};
use std::collections::HashMap;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// The file of records in a folder.
const FILE: &str = ".sinew-made";

/// Records of all folders that are written to.
#[derive(Debug)]
pub(crate) struct Records {
    /// Whether outputs are skipped that are done.
    resumes: bool,
    /// Whether what is made is recorded: a single file that nobody resumes needs none.
    records: bool,
    folders: Mutex<HashMap<PathBuf, HashMap<String, Record>>>,
}

/// A line of the file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Record {
    output: String,
    bytes: u64,
    hash: String,
    recipe: String,
}

/// What an output is made from and how, as one number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Recipe(String);

impl Recipe {
    /// The recipe of what `options` make of an input, whose bytes are at hand, and of the files that belong to it.
    pub(crate) fn new(options: &str, input: &Path, bytes: &[u8], source: &SourceArgs) -> Self {
        let mut hash = Hash::new();
        hash.add(env!("CARGO_PKG_VERSION").as_bytes());
        hash.add(options.as_bytes());
        hash.add(bytes);
        for path in files_beside(input, bytes, source) {
            hash.add(path.to_string_lossy().as_bytes());
            // What cannot be read now may be there next time, which makes another recipe.
            hash.add(&fs::read(&path).unwrap_or_default());
        }
        Self(hash.text())
    }
}

/// The files that are read with an input: its skeleton, and the buffers of a glTF.
fn files_beside(input: &Path, bytes: &[u8], source: &SourceArgs) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = source.skeleton.iter().cloned().collect();
    match detect(bytes.get(..1 << 16).unwrap_or(bytes)) {
        Some(Format::Amc) => files.extend(source.asf.clone().or_else(|| find_asf(input).ok())),
        Some(Format::Gltf) => {
            let folder = input.parent().unwrap_or(Path::new(""));
            let json: serde_json::Value = serde_json::from_slice(bytes).unwrap_or_default();
            let buffers = json["buffers"].as_array().into_iter().flatten();
            let uris = buffers.filter_map(|buffer| buffer["uri"].as_str());
            let uris = uris.filter(|uri| !uri.starts_with("data:"));
            files.extend(uris.map(|uri| folder.join(uri.replace("%20", " "))));
        }
        _ => {}
    }
    files
}

impl Records {
    pub(crate) fn new(resumes: bool, outputs: usize) -> Self {
        Self {
            resumes,
            records: resumes || outputs > 1,
            folders: Mutex::default(),
        }
    }

    /// Whether an output is there, undamaged, and was made by this recipe.
    pub(crate) fn is_done(&self, output: &Path, recipe: &Recipe) -> bool {
        if !self.resumes {
            return false;
        }
        let Some(name) = output.file_name().and_then(|name| name.to_str()) else {
            return false;
        };
        let folder = output.parent().unwrap_or(Path::new("")).to_owned();
        let mut folders = self.folders.lock().unwrap_or_else(PoisonError::into_inner);
        let records = folders
            .entry(folder)
            .or_insert_with_key(|folder| read(folder));
        let record = records.get(name).cloned();
        drop(folders);
        let Some(record) = record.filter(|record| record.recipe == recipe.0) else {
            return false;
        };
        // The size first: it tells most damaged files without reading them.
        let same_size = fs::metadata(output).is_ok_and(|about| about.len() == record.bytes);
        same_size && fs::read(output).is_ok_and(|bytes| hash(&bytes) == record.hash)
    }

    /// Records that an output was written.
    pub(crate) fn add(&self, output: &Path, recipe: &Recipe, bytes: &[u8]) {
        let Some(name) = output.file_name().and_then(|name| name.to_str()) else {
            return;
        };
        if !self.records || crate::output::is_stdout(output) {
            return;
        }
        let record = Record {
            output: name.to_owned(),
            bytes: bytes.len() as u64,
            hash: hash(bytes),
            recipe: recipe.0.clone(),
        };
        let path = output.with_file_name(FILE);
        // A lost record makes the output again, no more.
        if let (Ok(mut line), Ok(mut file)) = (
            serde_json::to_string(&record),
            OpenOptions::new().append(true).create(true).open(path),
        ) {
            line.push('\n');
            let _ = file.write_all(line.as_bytes());
        }
    }
}

/// The records of a folder; the last of each output counts.
fn read(folder: &Path) -> HashMap<String, Record> {
    let bytes = fs::read(folder.join(FILE)).unwrap_or_default();
    let lines = bytes.split(|byte| *byte == b'\n');
    let records = lines.filter_map(|line| serde_json::from_slice::<Record>(line).ok());
    records
        .map(|record| (record.output.clone(), record))
        .collect()
}

fn hash(bytes: &[u8]) -> String {
    let mut hash = Hash::new();
    hash.add(bytes);
    hash.text()
}

/// FNV-1a with 64 bits, of parts whose lengths count: it tells files that changed or were damaged, not ones that
/// somebody forged.
struct Hash(u64);

impl Hash {
    fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    fn add(&mut self, bytes: &[u8]) {
        let length = (bytes.len() as u64).to_le_bytes();
        for byte in length.iter().chain(bytes) {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    fn text(&self) -> String {
        format!("{:016x}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_where_parts_meet_makes_a_difference() {
        let of = |parts: &[&str]| {
            let mut hash = Hash::new();
            parts.iter().for_each(|part| hash.add(part.as_bytes()));
            hash.text()
        };
        assert_ne!(of(&["ab", "c"]), of(&["a", "bc"]));
        assert_ne!(of(&["ab"]), of(&["ab", ""]));
    }
}
