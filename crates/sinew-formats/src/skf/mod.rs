//! SkelForm characters: `.skf` and `.skfe` archives and bare `armature.json`, of every public version.
//!
//! Whatever the version, the result is one model, found by which fields are present and never by the
//! version string (several layouts share one). What had to be repaired or ignored is listed beside
//! the result.
//!
//! ```no_run
//! let character = sinew_formats::skf::read("hero.skf".as_ref())?;
//! for warning in character.warnings.list() {
//!     eprintln!("{warning}");
//! }
//! let walk = character.armature.find_animation("Walk");
//! # Ok::<(), sinew_formats::skf::SkfFileError>(())
//! ```

mod animations;
mod archive;
mod bones;
mod editor;
mod error;
mod fields;
mod ik;
mod json;
mod keys;
mod lint;
mod order;
mod physics;
mod picture;
mod root;
mod textures;
mod visible;
mod visuals;
mod write;
mod zip_directory;
mod zip_writer;

use crate::escape;
pub use error::{SkfError, SkfFileError};
pub use lint::lint;
pub use visible::is_visible;
pub use write::write_bytes;

use crate::Warnings;
use crate::limits::{
    MAX_EDITOR_BYTES, MAX_FILE_BYTES, MAX_JSON_BYTES, MAX_PICTURE_BYTES, MAX_PICTURE_PIXELS,
};
use archive::{Archive, Kind};
use editor::Notes;
use picture::ClearColor;
use root::Beside;
use serde_json::Value;
use sinew::skelform::{Armature, ArmatureData, Image};
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

/// A character that was read.
#[derive(Clone, Debug)]
pub struct Skf {
    /// The character, ready to play and to share.
    pub armature: Arc<Armature>,
    /// Its pictures, in the order of `armature.data().atlases`; `None` where one is missing, damaged
    /// or was not asked for.
    pub atlases: Vec<Option<Image>>,
    /// What was repaired or ignored.
    pub warnings: Warnings,
}

/// What to read.
#[derive(Clone, Copy, Debug)]
pub struct ReadSettings {
    /// Whether to decode the pictures, which takes most of the time.
    pub pictures: bool,
}

impl Default for ReadSettings {
    fn default() -> Self {
        Self { pictures: true }
    }
}

/// Reads a `.skf`, `.skfe` or `armature.json` file, told apart by their content.
///
/// # Errors
/// [`SkfFileError`], with the path and what is wrong.
pub fn read(path: &Path) -> Result<Skf, SkfFileError> {
    read_with(path, ReadSettings::default())
}

/// As [`read`], with settings.
///
/// # Errors
/// As [`read`].
pub fn read_with(path: &Path, settings: ReadSettings) -> Result<Skf, SkfFileError> {
    let read = || {
        let file = std::fs::File::open(path)?;
        archive::check_size("the file", file.metadata()?.len(), MAX_FILE_BYTES)?;
        // A device tells no size, or has no end.
        let mut bytes = Vec::new();
        file.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes)?;
        read_bytes_with(&bytes, settings)
    };
    read().map_err(|source| SkfFileError {
        path: path.to_owned(),
        source,
    })
}

/// Reads a character from the bytes of an archive or of `armature.json`.
///
/// # Errors
/// [`SkfError`] says what is wrong.
pub fn read_bytes(bytes: &[u8]) -> Result<Skf, SkfError> {
    read_bytes_with(bytes, ReadSettings::default())
}

/// As [`read_bytes`], with settings.
///
/// # Errors
/// As [`read_bytes`].
pub fn read_bytes_with(bytes: &[u8], settings: ReadSettings) -> Result<Skf, SkfError> {
    match archive::kind(bytes)? {
        Kind::Archive => read_archive(bytes, settings),
        Kind::Json => read_json(bytes),
    }
}

/// Reads a character from the bytes of `armature.json` alone, so without pictures.
///
/// # Errors
/// [`SkfError`] says what is wrong.
pub fn read_json(bytes: &[u8]) -> Result<Skf, SkfError> {
    archive::check_size("armature.json", bytes.len() as u64, MAX_JSON_BYTES)?;
    let mut warnings = Warnings::default();
    let json = parse("armature.json", bytes)?;
    let data = root::read(&json, &Beside::default(), &mut warnings)?;
    Ok(Skf {
        atlases: vec![None; data.atlases.len()],
        armature: Arc::new(Armature::new(data)?),
        warnings,
    })
}

fn read_archive(bytes: &[u8], settings: ReadSettings) -> Result<Skf, SkfError> {
    let mut warnings = Warnings::default();
    let mut archive = Archive::open(bytes, &mut warnings)?;
    // Parsed JSON takes far more room than its text: it is dropped before anything else is read.
    let beside = Beside {
        notes: read_notes(&mut archive, &mut warnings),
        has_only_atlas: archive.has(textures::ONLY_ATLAS),
    };
    let (data, clear) = read_armature(&mut archive, &beside, &mut warnings)?;
    let atlases = if settings.pictures {
        read_atlases(&mut archive, &data, &clear, &mut warnings)
    } else {
        vec![None; data.atlases.len()]
    };
    Ok(Skf {
        armature: Arc::new(Armature::new(data)?),
        atlases,
        warnings,
    })
}

fn parse(entry: &str, bytes: &[u8]) -> Result<Value, SkfError> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    serde_json::from_slice(bytes).map_err(|error| {
        // The parser ends its sentence with the position, which stands at our beginning.
        let text = error.to_string();
        let problem = text
            .rsplit_once(" at line ")
            .map_or(text.as_str(), |(problem, _)| problem);
        SkfError::Json {
            entry: entry.to_owned(),
            line: error.line(),
            column: error.column(),
            problem: problem.to_owned(),
        }
    })
}

/// The editor's own notes are a help, never a need.
fn read_notes(archive: &mut Archive<'_>, warnings: &mut Warnings) -> Notes {
    const NAME: &str = "editor.json";
    let read = archive.read(NAME, MAX_EDITOR_BYTES);
    let parsed = read.and_then(|bytes| bytes.map(|b| parse(NAME, &b)).transpose());
    match parsed {
        Ok(json) => json.as_ref().map(Notes::of).unwrap_or_default(),
        Err(error) => {
            warnings.add("archive", NAME, format!("{error}; ignored"));
            Notes::default()
        }
    }
}

/// The character, and the colour that its pictures have for transparency.
fn read_armature(
    archive: &mut Archive<'_>,
    beside: &Beside,
    warnings: &mut Warnings,
) -> Result<(ArmatureData, ClearColor), SkfError> {
    const NAME: &str = "armature.json";
    let Some(bytes) = archive.read(NAME, MAX_JSON_BYTES)? else {
        return Err(SkfError::NoArmature { found: Vec::new() });
    };
    let json = parse(NAME, &bytes)?;
    let data = root::read(&json, beside, warnings)?;
    Ok((data, ClearColor::of(&json)))
}

fn read_atlases(
    archive: &mut Archive<'_>,
    data: &ArmatureData,
    clear: &ClearColor,
    warnings: &mut Warnings,
) -> Vec<Option<Image>> {
    if let ClearColor::Partial(problem) = clear {
        warnings.add("armature.json", "clear_color", problem);
    }
    let mut pixels_left = MAX_PICTURE_PIXELS;
    let mut images = Vec::new();
    for atlas in &data.atlases {
        let name = &atlas.filename;
        let read = archive
            .read(name, MAX_PICTURE_BYTES)
            .map_err(|e| e.to_string());
        let image = read
            .and_then(|bytes| bytes.ok_or_else(|| "not in the archive".to_owned()))
            .and_then(|bytes| picture::decode(&bytes, clear, &mut pixels_left));
        if let Err(problem) = &image {
            let problem = format!("{problem}; its textures are not drawn");
            warnings.add("atlas", escape::name(name), problem);
        }
        images.push(image.ok());
    }
    images
}
