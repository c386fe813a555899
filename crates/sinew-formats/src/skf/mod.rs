//! SkelForm characters: `.skf` and `.skfe` archives and bare `armature.json`, of every public version.
//!
//! All versions give the same model. The layout is detected from the fields that are present and never from the
//! version string (several layouts share one). Warnings list repairs and ignored content.
//!
//! ```no_run
//! let character = sinew_formats::skf::read("hero.skf")?;
//! for warning in character.warnings.list() {
//!     eprintln!("{warning}");
//! }
//! let walk = character.armature.find_animation("Walk");
//! # Ok::<(), sinew_formats::FileError<sinew_formats::skf::SkfError>>(())
//! ```

mod add_animation;
mod animations;
mod archive;
mod bones;
#[cfg(feature = "images")]
mod decode_picture;
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
mod zip_replace;
mod zip_writer;

pub use add_animation::add_animation;
pub use error::SkfError;
pub use lint::lint;
pub use picture::CLEAR_TOLERANCE;
pub use visible::is_visible;
pub use write::{write, write_bytes};

use crate::file::{FileError, load};
use crate::limits::{MAX_EDITOR_BYTES, MAX_JSON_BYTES, MAX_PICTURE_BYTES, MAX_PICTURE_PIXELS};
use crate::text::without_bom;
use crate::{Warnings, escape, json_text};
use archive::{Archive, FileKind};
use editor::EditorFlags;
use picture::ClearColor;
use root::ArchiveContext;
use serde_json::Value;
use sinew::skelform::{Armature, ArmatureData, Image};
use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;

/// A character read from a file.
#[derive(Clone, Debug)]
pub struct Skf {
    /// The character, ready for playback and shared use.
    pub armature: Arc<Armature>,
    /// Pictures, in the order of `armature.data().atlases`; `None` if one is missing, damaged or not requested.
    pub atlases: Vec<Option<Image>>,
    /// Repairs and ignored content.
    pub warnings: Warnings,
}

/// Settings for reading a character.
#[derive(Clone, Copy, Debug)]
pub struct ReadSettings {
    /// Whether to decode the pictures, which takes most of the time. Needs the feature `images`.
    pub pictures: bool,
}

impl Default for ReadSettings {
    fn default() -> Self {
        Self { pictures: true }
    }
}

/// Reads a `.skf`, `.skfe` or `armature.json` file, detected from the content.
///
/// # Errors
/// [`FileError`], with the path and the problem.
pub fn read(path: impl AsRef<Path>) -> Result<Skf, FileError<SkfError>> {
    read_with(path, ReadSettings::default())
}

/// Like [`read`], with settings.
///
/// # Errors
/// Like [`read`].
pub fn read_with(
    path: impl AsRef<Path>,
    settings: ReadSettings,
) -> Result<Skf, FileError<SkfError>> {
    let path = path.as_ref();
    let read = || read_bytes_with(&load(path)?, settings);
    read().map_err(FileError::at(path))
}

/// Reads a character from the bytes of an archive or of `armature.json`.
///
/// # Errors
/// [`SkfError`] describes the problem.
pub fn read_bytes(bytes: &[u8]) -> Result<Skf, SkfError> {
    read_bytes_with(bytes, ReadSettings::default())
}

/// Like [`read_bytes`], with settings.
///
/// # Errors
/// Like [`read_bytes`].
pub fn read_bytes_with(bytes: &[u8], settings: ReadSettings) -> Result<Skf, SkfError> {
    match archive::kind(bytes)? {
        FileKind::Archive => read_archive(bytes, settings),
        FileKind::Json => read_json(bytes),
    }
}

/// Reads a character from the bytes of `armature.json` alone, without pictures.
///
/// # Errors
/// [`SkfError`] describes the problem.
pub fn read_json(bytes: &[u8]) -> Result<Skf, SkfError> {
    archive::check_size("armature.json", bytes.len() as u64, MAX_JSON_BYTES)?;
    let mut warnings = Warnings::default();
    let json = parse("armature.json", bytes)?;
    let data = root::read(&json, &ArchiveContext::default(), &mut warnings)?;
    Ok(Skf {
        atlases: vec![None; data.atlases.len()],
        armature: Arc::new(Armature::new(data)?),
        warnings,
    })
}

fn read_archive(bytes: &[u8], settings: ReadSettings) -> Result<Skf, SkfError> {
    let mut warnings = Warnings::default();
    let mut archive = Archive::open(bytes, &mut warnings)?;
    let (data, clear) = read_data(&mut archive, &mut warnings)?;
    let atlases = if settings.pictures && cfg!(feature = "images") {
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

/// A character whose pictures are not decoded, for players with decoders of their own, such as browsers.
#[derive(Clone, Debug)]
pub struct EncodedSkf {
    /// The character, ready for playback and shared use.
    pub armature: Arc<Armature>,
    /// PNG or JPEG files, in the order of `armature.data().atlases`; `None` if one is missing or damaged.
    pub pictures: Vec<Option<Vec<u8>>>,
    /// Red, green and blue that JPEG pictures show where they are transparent: every channel of a transparent pixel is
    /// within [`CLEAR_TOLERANCE`] of it. `None` if they are opaque.
    pub clear_color: Option<[u8; 3]>,
    /// Repairs and ignored content.
    pub warnings: Warnings,
}

/// Reads a character from the bytes of an archive or of `armature.json`, without decoding its pictures.
///
/// # Errors
/// Like [`read_bytes`].
pub fn read_encoded(bytes: &[u8]) -> Result<EncodedSkf, SkfError> {
    if let FileKind::Json = archive::kind(bytes)? {
        let file = read_json(bytes)?;
        return Ok(EncodedSkf {
            pictures: vec![None; file.atlases.len()],
            armature: file.armature,
            clear_color: None,
            warnings: file.warnings,
        });
    }
    let mut warnings = Warnings::default();
    let mut archive = Archive::open(bytes, &mut warnings)?;
    let (data, clear) = read_data(&mut archive, &mut warnings)?;
    // Atlases may share a file: the limit is on what is kept.
    let mut left = MAX_PICTURE_BYTES;
    let pictures = each_picture(
        &mut archive,
        &data,
        &clear,
        &mut warnings,
        |bytes, _| match left.checked_sub(bytes.len() as u64) {
            Some(rest) => {
                left = rest;
                Ok(bytes.into_owned())
            }
            None => Err("too large with the pictures before it".to_owned()),
        },
    );
    Ok(EncodedSkf {
        armature: Arc::new(Armature::new(data)?),
        pictures,
        clear_color: clear.stated(),
        warnings,
    })
}

fn parse(entry: &str, bytes: &[u8]) -> Result<Value, SkfError> {
    let bytes = without_bom(bytes);
    json_text::parse_value(bytes).map_err(|fault| SkfError::Json {
        entry: entry.to_owned(),
        line: fault.line,
        column: fault.column,
        problem: fault.problem,
        expected: fault.expected.into(),
        found: fault.found.into(),
    })
}

/// Reads the character, and the colour that its pictures use for transparency.
fn read_data(
    archive: &mut Archive<'_>,
    warnings: &mut Warnings,
) -> Result<(ArmatureData, ClearColor), SkfError> {
    // Parsed JSON takes far more memory than its text: it is dropped before anything else is read.
    let beside = ArchiveContext {
        notes: read_notes(archive, warnings),
        has_only_atlas: archive.has(textures::ONLY_ATLAS),
    };
    read_armature(archive, &beside, warnings)
}

/// Reads the editor's flags, which are optional.
fn read_notes(archive: &mut Archive<'_>, warnings: &mut Warnings) -> EditorFlags {
    const NAME: &str = "editor.json";
    let read = archive.read(NAME, MAX_EDITOR_BYTES);
    let parsed = read.and_then(|bytes| bytes.map(|b| parse(NAME, &b)).transpose());
    match parsed {
        Ok(json) => json.as_ref().map(EditorFlags::of).unwrap_or_default(),
        Err(error) => {
            warnings.add("archive", NAME, format!("{error}; ignored"));
            EditorFlags::default()
        }
    }
}

/// Reads the character, and the colour that its pictures use for transparency.
fn read_armature(
    archive: &mut Archive<'_>,
    beside: &ArchiveContext,
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
    let mut pixels_left = MAX_PICTURE_PIXELS;
    each_picture(archive, data, clear, warnings, |bytes, clear| {
        #[cfg(feature = "images")]
        let image = decode_picture::decode(&bytes, clear, &mut pixels_left);
        #[cfg(not(feature = "images"))]
        let image = {
            let _ = (bytes, clear, &mut pixels_left);
            Err("pictures are not decoded".to_owned())
        };
        image
    })
}

/// Reads the picture of every atlas and converts it; a problem gives a warning and `None`.
fn each_picture<T>(
    archive: &mut Archive<'_>,
    data: &ArmatureData,
    clear: &ClearColor,
    warnings: &mut Warnings,
    mut convert: impl FnMut(Cow<'_, [u8]>, &ClearColor) -> Result<T, String>,
) -> Vec<Option<T>> {
    if let ClearColor::Partial(problem) = clear {
        warnings.add("armature.json", "clear_color", problem);
    }
    let mut pictures = Vec::new();
    for atlas in &data.atlases {
        let name = &atlas.filename;
        let read = archive
            .read(name, MAX_PICTURE_BYTES)
            .map_err(|e| e.to_string());
        let picture = read
            .and_then(|bytes| bytes.ok_or_else(|| "not in the archive".to_owned()))
            .and_then(|bytes| convert(bytes, clear));
        if let Err(problem) = &picture {
            let problem = format!("{problem}; its textures are not drawn");
            warnings.add("atlas", escape::name(name), problem);
        }
        pictures.push(picture.ok());
    }
    pictures
}
