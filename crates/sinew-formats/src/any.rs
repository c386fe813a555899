//! Motion files of any format.

use crate::amc::{self, AmcSettings, GapPolicy, ReadError};
use crate::asf::{self, AsfSettings, Units};
use crate::bvh::{self, BvhSettings};
use crate::detect::{Format, detect};
use crate::gltf::{self, GltfFileError, GltfSettings};
use crate::motion::{MotionError, MotionFile, MotionFileError};
use crate::show;
use std::io::Read;
use std::path::{Path, PathBuf};

/// How motion files are read, whatever their format; what a format does not know is ignored.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MotionSettings {
    /// Whether faults with an obvious remedy are repaired.
    pub lenient: bool,
    /// Frames per second instead of what the file says: ASF/AMC and BVH.
    pub fps: Option<f64>,
    /// What lengths are: ASF/AMC and BVH.
    pub units: LengthUnits,
    /// The skeleton of an AMC, instead of the one that [`amc::find_asf`] finds.
    pub asf: Option<PathBuf>,
    /// What becomes of frames that an AMC leaves out.
    pub gaps: GapPolicy,
}

/// What a length in a file is.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum LengthUnits {
    /// What is usual for the format: that of CMU's files for ASF and AMC, centimetres for BVH.
    #[default]
    Usual,
    /// ASF and AMC: as the format's definition says; others as usual.
    Literal,
    /// This many metres.
    Metres(f64),
}

/// Why a motion file could not be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MotionReadError {
    /// It could not be opened, or breaks a rule of its format.
    #[error(transparent)]
    File(#[from] MotionFileError),
    /// A motion, or the skeleton that it is found with, cannot be read.
    #[error(transparent)]
    Amc(#[from] ReadError),
    /// A glTF file cannot be read.
    #[error(transparent)]
    Gltf(#[from] GltfFileError),
    /// It is no motion file.
    #[error(
        "{}: expected a motion file (ASF, AMC, BVH, glTF or GLB), found {found}",
        path.display()
    )]
    NotMotion {
        /// The file.
        path: PathBuf,
        /// What it is.
        found: String,
    },
}

/// The format of a file, told by its first bytes; `None` when it is none that can be read.
///
/// # Errors
/// When the file cannot be read.
pub fn detect_file(path: &Path) -> Result<Option<Format>, MotionFileError> {
    Ok(detect(&beginning(path)?))
}

/// Enough of a file to tell its format and to say what it is when it is none.
fn beginning(path: &Path) -> Result<Vec<u8>, MotionFileError> {
    const ENOUGH: u64 = 1 << 16;
    let read = || {
        let mut bytes = Vec::new();
        std::fs::File::open(path)?
            .take(ENOUGH)
            .read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    read().map_err(|error: std::io::Error| MotionFileError {
        path: path.to_owned(),
        source: MotionError::Io(error),
    })
}

/// Reads a motion file of any format, told by its content. An AMC brings its skeleton; an ASF is a
/// skeleton without animations.
///
/// # Errors
/// When the file cannot be read, is in no format that holds motion, or breaks a rule of its format.
pub fn read_motion(path: &Path, settings: &MotionSettings) -> Result<MotionFile, MotionReadError> {
    let bytes = beginning(path)?;
    let not_motion = |found: String| MotionReadError::NotMotion {
        path: path.to_owned(),
        found,
    };
    let acclaim = match settings.units {
        LengthUnits::Usual => Units::CmuMetres,
        LengthUnits::Literal => Units::Literal,
        LengthUnits::Metres(metres) => Units::MetresPerUnit(metres),
    };
    // A file that does not begin as any format does is read as its name says, for what is wrong with it.
    match detect(&bytes).or_else(|| by_name(path)) {
        Some(Format::Asf) => {
            let lenient = settings.lenient;
            Ok(asf::read(path, &AsfSettings { lenient }, acclaim)?)
        }
        Some(Format::Amc) => {
            let amc = AmcSettings {
                lenient: settings.lenient,
                gaps: settings.gaps,
                fps: settings.fps,
                units: acclaim,
            };
            Ok(amc::read(path, settings.asf.as_deref(), &amc)?)
        }
        Some(Format::Bvh) => {
            let usual = BvhSettings::default();
            let bvh = BvhSettings {
                lenient: settings.lenient,
                fps: settings.fps,
                scale: match settings.units {
                    LengthUnits::Metres(metres) => metres,
                    LengthUnits::Usual | LengthUnits::Literal => usual.scale,
                },
            };
            Ok(bvh::read(path, &bvh)?)
        }
        Some(Format::Gltf | Format::Glb) => Ok(gltf::read(path, &GltfSettings::default())?),
        Some(Format::Skf) => Err(not_motion("a SkelForm character".to_owned())),
        None if bytes.is_empty() => Err(not_motion("an empty file".to_owned())),
        None => {
            let start = bytes.get(..40).unwrap_or(&bytes);
            Err(not_motion(show::text(&String::from_utf8_lossy(start))))
        }
    }
}

/// The format that a file's name promises.
fn by_name(path: &Path) -> Option<Format> {
    let ending = path.extension()?.to_str()?.to_ascii_lowercase();
    match ending.as_str() {
        "asf" => Some(Format::Asf),
        "amc" => Some(Format::Amc),
        "bvh" => Some(Format::Bvh),
        "gltf" => Some(Format::Gltf),
        "glb" => Some(Format::Glb),
        _ => None,
    }
}
