//! Reading of motion files of any format.

#[cfg(feature = "acclaim")]
use crate::amc::{self, AmcSettings, GapPolicy, ReadError};
#[cfg(feature = "acclaim")]
use crate::asf::{self, AsfSettings, Units};
#[cfg(feature = "bvh")]
use crate::bvh::{self, BvhSettings};
use crate::detect::{Format, describe, detect, detect_reader};
use crate::file::FileError;
#[cfg(feature = "gltf")]
use crate::gltf::{self, GltfError, GltfSettings};
#[cfg(feature = "json")]
use crate::json::{self, JsonError};
use crate::motion::{MotionError, MotionFile, load_file};
#[cfg(feature = "pack")]
use crate::pack::{self, PackError};
#[cfg(feature = "xml")]
use crate::xml::{self, XmlError};
use crate::{Warnings, escape};
use sinew::anatomy::{pose_bounds, root_motion_joint};
use sinew::{Animation, Sampler};
use std::path::{Path, PathBuf};

/// Settings for reading motion files of any format. Settings that do not apply to a format are ignored.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MotionSettings {
    /// Whether to repair faults with an obvious remedy.
    pub lenient: bool,
    /// Frames per second instead of the file's: ASF/AMC and BVH.
    pub frame_rate: Option<f64>,
    /// Unit of lengths: ASF/AMC and BVH.
    pub units: LengthUnits,
    /// Skeleton of an AMC, instead of the one found by [`amc::find_asf`].
    pub asf: Option<PathBuf>,
    /// Handling of missing frames of an AMC.
    #[cfg(feature = "acclaim")]
    pub gaps: GapPolicy,
    /// Whether z is up in the file; see [`MotionFile::turn_z_up`].
    pub z_up: bool,
    /// Whether every node of a glTF scene becomes a joint; see [`GltfSettings::whole_scene`].
    pub whole_scene: bool,
}

/// Unit of the lengths in a file.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum LengthUnits {
    /// Default of the format: that of CMU's files for ASF and AMC, centimetres for BVH.
    #[default]
    Usual,
    /// ASF and AMC: the unit of the format definition; others: the default.
    Literal,
    /// Metres per unit.
    Metres(f64),
}

/// An error of reading a motion file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MotionReadError {
    /// The file could not be opened, or breaks a rule of its format.
    #[error(transparent)]
    File(#[from] FileError<MotionError>),
    /// An AMC, or its skeleton, cannot be read.
    #[cfg(feature = "acclaim")]
    #[error(transparent)]
    Amc(#[from] ReadError),
    /// A glTF file cannot be read.
    #[cfg(feature = "gltf")]
    #[error(transparent)]
    Gltf(#[from] FileError<GltfError>),
    /// A JSON motion cannot be read.
    #[cfg(feature = "json")]
    #[error(transparent)]
    Json(#[from] FileError<JsonError>),
    /// An XML animation cannot be read.
    #[cfg(feature = "xml")]
    #[error(transparent)]
    Xml(#[from] FileError<XmlError>),
    /// A file of packed animations cannot be read.
    #[cfg(feature = "pack")]
    #[error(transparent)]
    Pack(#[from] FileError<PackError>),
    /// The file holds animations without a skeleton.
    #[error(
        "{}: it holds animations without a skeleton, in {} form; play them on the skeleton of another \
         file (--skeleton FILE){}, or on a character by a script of `sinew play`",
        escape::name(&path.to_string_lossy()),
        format.name(),
        if *format == Format::Json { ", or add \"joints\" to it" } else { "" }
    )]
    NoSkeleton {
        /// The file.
        path: PathBuf,
        /// Its format.
        format: Format,
    },
    /// The feature of the format is not enabled.
    #[error("{}: this program has no reader for {} files", escape::name(&path.to_string_lossy()), format.name())]
    NoReader {
        /// The file.
        path: PathBuf,
        /// Its format.
        format: Format,
    },
    /// The file is not a motion file.
    #[error(
        "{}: expected a motion file (ASF, AMC, BVH, glTF, GLB, Sinew JSON, XML or .sinew), found {found}",
        path.display()
    )]
    NotMotion {
        /// The file.
        path: PathBuf,
        /// Description of the content.
        found: String,
    },
}

/// Detects the format of a file from its content. Returns `None` if it is unknown.
///
/// # Errors
/// If the file cannot be read.
pub fn detect_file(path: impl AsRef<Path>) -> Result<Option<Format>, FileError<MotionError>> {
    let path = path.as_ref();
    let file = std::fs::File::open(path);
    let found = file.and_then(detect_reader);
    let (format, _) = found
        .map_err(MotionError::Io)
        .map_err(FileError::at(path))?;
    Ok(format)
}

/// Reads the animations of a file of any format, detected from its content, for a skeleton from another file.
/// Discards the skeleton of the file, if any; returns the animations of all skeletons of a `.sinew` file, skeleton by
/// skeleton.
///
/// # Errors
/// Like [`read_motion`], except that a file without a skeleton is no error. Such a file has no roots to rotate if z
/// is up: its values are not changed.
pub fn read_animations(
    path: impl AsRef<Path>,
    settings: &MotionSettings,
) -> Result<(Vec<Animation>, Warnings), MotionReadError> {
    let path = path.as_ref();
    read_animations_bytes(path, &load_file(path)?, settings)
}

/// Like [`read_animations`], from the bytes of a file. `path` is their origin: errors name it, and files that it
/// refers to are searched relative to it.
///
/// # Errors
/// Like [`read_animations`].
pub fn read_animations_bytes(
    path: &Path,
    bytes: &[u8],
    settings: &MotionSettings,
) -> Result<(Vec<Animation>, Warnings), MotionReadError> {
    match detect(bytes) {
        #[cfg(feature = "json")]
        Some(Format::Json) => {
            let file = json::read_loaded(path, bytes)?;
            if settings.z_up && file.skeleton.is_some() {
                let file = read_motion_bytes(path, bytes, settings)?;
                return Ok((file.animations, file.warnings));
            }
            Ok((file.animations, file.warnings))
        }
        #[cfg(feature = "xml")]
        Some(Format::Xml) => {
            let file = xml::read_loaded(path, bytes)?;
            Ok((vec![file.animation], file.warnings))
        }
        Some(Format::Sinew) => {
            let files = read_motions_bytes(path, bytes, settings)?;
            let animations = files.into_iter().flat_map(|file| file.animations);
            Ok((animations.collect(), Warnings::default()))
        }
        _ => {
            let file = read_motion_bytes(path, bytes, settings)?;
            Ok((file.animations, file.warnings))
        }
    }
}

/// Reads a motion file of any format, detected from its content. An AMC is read with its skeleton; an ASF is a
/// skeleton without animations. Of a `.sinew` file with several skeletons the first is used, with a warning for each
/// animation of another; [`read_motions`] returns all.
///
/// # Errors
/// If the file cannot be read, has no motion format, holds animations without a skeleton, or breaks a rule of its
/// format.
pub fn read_motion(
    path: impl AsRef<Path>,
    settings: &MotionSettings,
) -> Result<MotionFile, MotionReadError> {
    let path = path.as_ref();
    read_motion_bytes(path, &load_file(path)?, settings)
}

/// Like [`read_motion`], from the bytes of a file. `path` is their origin: errors name it, motions are named after
/// it, and files that it refers to (the skeleton of an AMC, buffers of a glTF) are searched relative to it.
///
/// # Errors
/// Like [`read_motion`].
pub fn read_motion_bytes(
    path: &Path,
    bytes: &[u8],
    settings: &MotionSettings,
) -> Result<MotionFile, MotionReadError> {
    let (mut file, format) = read_as_it_is(path, bytes, settings)?;
    if settings.z_up {
        file.turn_z_up();
    } else if format == Format::Bvh && lies(&file) {
        let problem = "the figure lies on its back or face as the motion begins; if z is up in this \
                       file, say so (--up z)";
        file.warnings.serious_problem("skeleton", problem);
    }
    Ok(file)
}

/// Like [`read_motion`], with every skeleton of the file: a `.sinew` file may have several, each with its animations;
/// other files have one. Never empty.
///
/// # Errors
/// Like [`read_motion`].
pub fn read_motions(
    path: impl AsRef<Path>,
    settings: &MotionSettings,
) -> Result<Vec<MotionFile>, MotionReadError> {
    let path = path.as_ref();
    read_motions_bytes(path, &load_file(path)?, settings)
}

/// Like [`read_motions`], from the bytes of a file; see [`read_motion_bytes`].
///
/// # Errors
/// Like [`read_motion`].
pub fn read_motions_bytes(
    path: &Path,
    bytes: &[u8],
    settings: &MotionSettings,
) -> Result<Vec<MotionFile>, MotionReadError> {
    #[cfg(feature = "pack")]
    if detect(bytes) == Some(Format::Sinew) {
        let mut files = pack::read_motions(path, bytes)?;
        if settings.z_up {
            files.iter_mut().for_each(MotionFile::turn_z_up);
        }
        return Ok(files);
    }
    Ok(vec![read_motion_bytes(path, bytes, settings)?])
}

/// Minimum ratio of depth to height of a figure that seems to be z-up.
const LYING: f32 = 1.5;

/// Returns whether the first pose is much larger along z than along y.
fn lies(file: &MotionFile) -> bool {
    let still = Animation::new("rest", 0.0);
    let animation = file.animations.first().unwrap_or(&still);
    let root = root_motion_joint(&file.skeleton, animation);
    let mut sampler = Sampler::new(&file.skeleton, animation);
    let bounds = pose_bounds(&file.skeleton, sampler.model_at(0.0), root);
    bounds.is_some_and(|bounds| bounds.size().z > LYING * bounds.size().y)
}

fn read_as_it_is(
    path: &Path,
    bytes: &[u8],
    settings: &MotionSettings,
) -> Result<(MotionFile, Format), MotionReadError> {
    let not_motion = |found: String| MotionReadError::NotMotion {
        path: path.to_owned(),
        found,
    };
    #[cfg(feature = "acclaim")]
    let acclaim = match settings.units {
        LengthUnits::Usual => Units::CmuMetres,
        LengthUnits::Literal => Units::Literal,
        LengthUnits::Metres(metres) => Units::MetresPerUnit(metres),
    };
    // A file of unknown content is read by its extension, to report what is wrong with it.
    let by_name = || Format::from_name(path).filter(|format| format.is_motion());
    let Some(format) = detect(bytes).or_else(by_name) else {
        return Err(not_motion(describe(bytes)));
    };
    let file = match format {
        #[cfg(feature = "acclaim")]
        Format::Asf => {
            let lenient = settings.lenient;
            asf::read_loaded(path, bytes, &AsfSettings { lenient }, acclaim)?
        }
        #[cfg(feature = "acclaim")]
        Format::Amc => {
            let amc = AmcSettings {
                lenient: settings.lenient,
                gaps: settings.gaps,
                frame_rate: settings.frame_rate,
                units: acclaim,
            };
            amc::read_loaded(path, bytes, settings.asf.as_deref(), &amc)?
        }
        #[cfg(feature = "bvh")]
        Format::Bvh => {
            let usual = BvhSettings::default();
            let bvh = BvhSettings {
                lenient: settings.lenient,
                frame_rate: settings.frame_rate,
                scale: match settings.units {
                    LengthUnits::Metres(metres) => metres,
                    LengthUnits::Usual | LengthUnits::Literal => usual.scale,
                },
            };
            bvh::read_loaded(path, bytes, &bvh)?
        }
        #[cfg(feature = "gltf")]
        Format::Gltf | Format::Glb => {
            let whole_scene = settings.whole_scene;
            gltf::read_loaded(path, bytes, &GltfSettings { whole_scene })?
        }
        #[cfg(feature = "json")]
        Format::Json => {
            let file = json::read_loaded(path, bytes)?;
            let Some(skeleton) = file.skeleton else {
                let path = path.to_owned();
                return Err(MotionReadError::NoSkeleton { path, format });
            };
            MotionFile {
                skeleton,
                animations: file.animations,
                warnings: file.warnings,
            }
        }
        #[cfg(feature = "xml")]
        Format::Xml => {
            xml::read_loaded(path, bytes)?;
            let path = path.to_owned();
            return Err(MotionReadError::NoSkeleton { path, format });
        }
        #[cfg(feature = "pack")]
        Format::Sinew => pack::read_motion(path, bytes)?,
        Format::Skf => return Err(not_motion("a SkelForm character".to_owned())),
        Format::Roles => return Err(not_motion("a role map".to_owned())),
        #[cfg(not(feature = "default"))]
        format => {
            let path = path.to_owned();
            return Err(MotionReadError::NoReader { path, format });
        }
    };
    Ok((file, format))
}
