//! Acclaim motions, `.amc`, for the bones of an [`.asf`](crate::asf).
//!
//! Bytes and their skeleton → [`Amc`], the values of the file channel by channel; → [`MotionFile`], a skeleton in
//! metres and an animation of quaternions. The grammar is that of the *Acclaim Skeleton File Definition V1.10* with
//! the headers that later programs added.
//!
//! # The motion
//! With `C` the axes of a bone and `B` its rotations in the order of its degrees of freedom, the first innermost, the
//! local rotation of a joint is `C B C⁻¹`. Its position is its parent's direction times its parent's length, plus `C
//! t` if the bone has translations `t`. The root has its translation and rotations relative to the frame that the
//! skeleton defines.

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

/// Handling of missing frame numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GapPolicy {
    /// Missing frames are an error.
    Error,
    /// Missing frames take no time: the next frame follows directly.
    #[default]
    Compact,
    /// Missing frames repeat the previous frame.
    HoldLast,
    /// Missing frames are interpolated, angles along the shorter arc.
    Interpolate,
}

/// Settings for reading a motion file.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct AmcSettings {
    /// Whether to repair faults with an obvious remedy.
    pub lenient: bool,
    /// Handling of missing frame numbers.
    pub gaps: GapPolicy,
    /// Frames per second, instead of the file's or [`DEFAULT_RATE`]. Outside 0.001 to 1000000 it is ignored with a
    /// warning.
    pub frame_rate: Option<f64>,
    /// Unit of length; only [`read`] uses it.
    pub units: Units,
}

/// Reads a motion file for a skeleton.
///
/// # Errors
/// If the bytes are not a motion file, break a rule, or do not match the skeleton: the first fault, with its line.
pub fn read_bytes(bytes: &[u8], asf: &Asf, settings: &AmcSettings) -> Result<Amc, TextError> {
    parse::parse(bytes, asf, settings)
}

/// An error of reading a motion and its skeleton.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// No skeleton was found.
    #[error(transparent)]
    NoSkeleton(#[from] AsfNotFound),
    /// One of the two files cannot be read, or breaks a rule.
    #[error(transparent)]
    File(#[from] FileError<MotionError>),
}

/// Reads a motion with its skeleton: the given one, or the one found by [`find_asf`].
///
/// The file is in memory only while it is parsed. Warnings begin with the name of their file.
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

/// Like [`read`], from the bytes of the file.
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

/// Describes angles that are so small or large that their unit is likely wrong.
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
            // The first angle above 2 pi ends the search, usually early.
            let all_small = rotations.all(|(_, values)| {
                let small = values.iter().all(|value| value.abs() <= TAU);
                largest = if small {
                    largest.max(largest_of(values))
                } else {
                    largest
                };
                small
            });
            // A figure that hardly moves gives no evidence about its unit.
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
