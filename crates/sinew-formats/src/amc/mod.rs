//! Acclaim motions, `.amc`: what moves the bones of an [`.asf`](crate::asf).
//!
//! Bytes and their skeleton → [`Amc`], the values of the file channel by channel; → [`MotionFile`], a
//! skeleton in metres and an animation of quaternions. The grammar is that of the *Acclaim Skeleton
//! File Definition V1.10* with the headers that later programs added.
//!
//! # The motion
//! With `C` the axes of a bone and `B` its rotations in the order of its degrees of freedom, the first
//! innermost, a joint's local rotation is `C B C⁻¹`. Its position is its parent's direction times its
//! parent's length, plus `C t` where the bone has translations `t` of its own. The root is at its
//! translation and turned by its rotations, both inside the frame that the skeleton gives it.

mod convert;
mod digits;
mod find;
mod frames;
mod header;
mod model;
mod parse;
mod rows;
mod write;

pub use convert::to_motion;
pub use find::{AsfNotFound, find_asf};
pub use model::{Amc, AmcTrack, DEFAULT_RATE, FrameRun, RateSource};
pub use write::{write, write_bytes};

use crate::asf::{AngleUnit, Asf, AsfSettings, Units};
use crate::file::{FileError, load};
use crate::motion::{MotionError, MotionFile};
use crate::text::TextError;
use crate::warning::Warnings;
use std::path::{Path, PathBuf};

/// What becomes of frames whose numbers are left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GapPolicy {
    /// They are an error.
    Error,
    /// They take no time: the next frame follows as if it were the next number.
    #[default]
    Compact,
    /// They are filled with the frame before them.
    HoldLast,
    /// They are filled with what lies between their neighbours, angles by the shorter way.
    Interpolate,
}

/// How a motion file is read.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct AmcSettings {
    /// Whether faults with an obvious remedy are repaired.
    pub lenient: bool,
    /// What becomes of frames whose numbers are left out.
    pub gaps: GapPolicy,
    /// Frames per second, in place of what the file says or [`DEFAULT_RATE`]. Outside 0.001 to 1000000
    /// it is ignored with a warning.
    pub fps: Option<f64>,
    /// What a length is in metres; only [`read`] uses it.
    pub units: Units,
}

/// Reads what a motion file says of a skeleton.
///
/// # Errors
/// If the bytes are no motion file, break a rule, or belong to another skeleton: the first fault,
/// with its line.
pub fn read_bytes(bytes: &[u8], asf: &Asf, settings: &AmcSettings) -> Result<Amc, TextError> {
    parse::parse(bytes, asf, settings)
}

/// Why a motion and its skeleton could not be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// No file was found that can be the skeleton.
    #[error(transparent)]
    NoSkeleton(#[from] AsfNotFound),
    /// One of the two files cannot be read, or breaks a rule.
    #[error(transparent)]
    File(#[from] FileError<MotionError>),
}

/// Reads a motion with its skeleton: the given one, or the one that [`find_asf`] finds.
///
/// The whole file is in memory while it is parsed, and no longer. Warnings begin with the name of the
/// file that they are about.
///
/// # Errors
/// If no skeleton is found, or one of the two files cannot be read or breaks a rule.
#[allow(
    clippy::result_large_err,
    reason = "files are read seldom; their errors may be large"
)]
pub fn read(
    path: impl AsRef<Path>,
    asf_path: Option<&Path>,
    settings: &AmcSettings,
) -> Result<MotionFile, ReadError> {
    let path = path.as_ref();
    let bytes = in_file(path, || Ok(load(path)?))?;
    read_loaded(path, &bytes, asf_path, settings)
}

/// As [`read`], of the bytes of the file.
#[allow(
    clippy::result_large_err,
    reason = "files are read seldom; their errors may be large"
)]
pub(crate) fn read_loaded(
    path: &Path,
    bytes: &[u8],
    asf_path: Option<&Path>,
    settings: &AmcSettings,
) -> Result<MotionFile, ReadError> {
    let asf_path = match asf_path {
        Some(path) => path.to_owned(),
        None => find::find_asf_of(path, bytes)?,
    };
    let asf = in_file(&asf_path, || {
        let settings = AsfSettings {
            lenient: settings.lenient,
        };
        Ok(crate::asf::read_bytes(&load(&asf_path)?, &settings)?)
    })?;
    Ok(in_file(path, || {
        let amc = read_bytes(bytes, &asf, settings)?;
        let mut warnings = Warnings::default();
        add_all(&mut warnings, &asf_path, &asf.warnings);
        let mut motion = to_motion(&asf, amc, settings.units)?;
        add_all(&mut warnings, path, &motion.warnings);
        motion.warnings = warnings;
        if let (Some(animation), Some(stem)) = (motion.animations.first_mut(), path.file_stem()) {
            animation.name = stem.to_string_lossy().into_owned();
        }
        Ok(motion)
    })?)
}

#[allow(
    clippy::result_large_err,
    reason = "files are read seldom; their errors may be large"
)]
fn in_file<T>(
    path: &Path,
    read: impl FnOnce() -> Result<T, MotionError>,
) -> Result<T, FileError<MotionError>> {
    read().map_err(FileError::at(path))
}

/// Adds warnings with the name of their file.
fn add_all(to: &mut Warnings, path: &Path, from: &Warnings) {
    let name = path.file_name().map(PathBuf::from).unwrap_or_default();
    let name = crate::escape::name(&name.to_string_lossy());
    for warning in from.list() {
        let place = format!("{name}, {}", warning.place);
        to.add(place, &warning.field, &warning.problem);
    }
    for _ in 0..from.more() {
        to.add("", "", "");
    }
}

/// What to say of angles that are so small or large that their unit is likely another.
fn suspicious_angles(amc: &Amc) -> Option<String> {
    use std::f64::consts::TAU;
    let tracks = amc.tracks.iter();
    let rotations = tracks.flat_map(|track| track.dofs.iter().zip(&track.values));
    let mut rotations = rotations.filter(|(dof, _)| dof.is_rotation());
    let largest_of = |values: &[f64]| {
        values
            .iter()
            .fold(0.0f64, |most, value| most.max(value.abs()))
    };
    match amc.angle {
        AngleUnit::Degrees => {
            let mut largest = 0.0f64;
            // The first angle above a turn's radians ends the search, mostly at once.
            let all_small = rotations.all(|(_, values)| {
                let small = values.iter().all(|value| value.abs() <= TAU);
                largest = if small {
                    largest.max(largest_of(values))
                } else {
                    largest
                };
                small
            });
            // A figure that hardly moves says nothing about its unit.
            (all_small && largest > 0.5).then(|| {
                format!("no angle of the motion is above {largest:.2} degrees; they may be radians")
            })
        }
        AngleUnit::Radians => {
            let largest = rotations.fold(0.0f64, |most, (_, values)| most.max(largest_of(values)));
            (largest > 2.0 * TAU).then(|| {
                format!("angles of the motion reach {largest:.2} radians; they may be degrees")
            })
        }
    }
}
