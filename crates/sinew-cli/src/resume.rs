//! Records of finished outputs, which `--resume` skips.
//!
//! Each output folder has a file `.sinew-made` with a line of JSON per output: its name, size and hash, and the hash of
//! its recipe, which is the program version, the options, and the content of every input file. An output is done if its
//! last line has the recipe of the current call and the size and hash of the existing file. Lines are only appended,
//! each in one write, so that an interrupted run loses none; damaged lines are ignored.

use crate::args::SourceArgs;
use serde::{Deserialize, Serialize};
use sinew_formats::amc::find_asf;
use sinew_formats::{Format, detect};
use std::collections::HashMap;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// The name of the record file in a folder.
const FILE: &str = ".sinew-made";

/// Records of all output folders.
#[derive(Debug)]
pub(crate) struct Records {
    /// Whether finished outputs are skipped.
    resumes: bool,
    /// Whether outputs are recorded; a single file without `--resume` is not.
    records: bool,
    folders: Mutex<HashMap<PathBuf, HashMap<String, Record>>>,
}

/// A line of the record file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Record {
    output: String,
    bytes: u64,
    hash: String,
    recipe: String,
}

/// A hash of the inputs and options of an output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Recipe(String);

impl Recipe {
    /// Returns the recipe of `options` and an input, given by its bytes, with its associated files.
    pub(crate) fn new(options: &str, input: &Path, bytes: &[u8], source: &SourceArgs) -> Self {
        let mut hash = Hash::new();
        hash.add(env!("CARGO_PKG_VERSION").as_bytes());
        hash.add(options.as_bytes());
        hash.add(bytes);
        for path in files_beside(input, bytes, source) {
            hash.add(path.to_string_lossy().as_bytes());
            // An unreadable file may be readable next time, which changes the recipe.
            hash.add(&fs::read(&path).unwrap_or_default());
        }
        Self(hash.text())
    }
}

/// Returns the files read with an input: its skeleton, and the buffers of a glTF.
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

    /// Returns whether an output exists, is undamaged, and has this recipe.
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
        // Compares the size first: it detects most damaged files without reading them.
        let same_size = fs::metadata(output).is_ok_and(|about| about.len() == record.bytes);
        same_size && fs::read(output).is_ok_and(|bytes| hash(&bytes) == record.hash)
    }

    /// Records a written output.
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
        // If a record is lost, the output is only written again.
        if let (Ok(mut line), Ok(mut file)) = (
            serde_json::to_string(&record),
            OpenOptions::new().append(true).create(true).open(path),
        ) {
            line.push('\n');
            let _ = file.write_all(line.as_bytes());
        }
    }
}

/// Reads the records of a folder; the last of each output counts.
fn read(folder: &Path) -> HashMap<String, Record> {
    let bytes = fs::read(folder.join(FILE)).unwrap_or_default();
    let lines = bytes.split(|byte| *byte == b'\n');
    let records = lines.filter_map(|line| serde_json::from_slice::<Record>(line).ok());
    records
        .map(|record| (record.output.clone(), record))
        .collect()
}

/// Returns a hash of the bytes of a file.
pub(crate) fn hash(bytes: &[u8]) -> String {
    let mut hash = Hash::new();
    hash.add(bytes);
    hash.text()
}

/// 64-bit FNV-1a of parts including their lengths: detects changed or damaged files, not forged ones.
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
