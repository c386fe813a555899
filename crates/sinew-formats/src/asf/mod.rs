//! Acclaim skeletons, `.asf`: the bones of a motion in an [`.amc`](crate::amc).
//!
//! Bytes → [`Asf`], the content of the file in its own units; → [`Skeleton`], rest-aligned joints in metres. The
//! grammar is that of the *Acclaim Skeleton File Definition V1.10*, with tolerance for real files.
//!
//! # Strict and lenient
//! Some faults have an obvious remedy: a superfluous value, a duplicate bone id, a bone that is missing in the
//! hierarchy. A strict reader rejects them with an error; a lenient one applies the remedy and adds a warning. Other
//! faults are an error for both.
//!
//! # The skeleton
//! A joint is at the start of a bone. Joint frames have the world's axes in the rest pose, so that rest rotations are
//! the identity and the position of a child is its parent's direction times its length. The first joint is `root`;
//! the others follow in the order of [`Asf::bones`]. A leaf has a [`tip`](sinew::Joint::tip).

mod bone;
mod bone_limits;
mod fields;
mod hierarchy;
mod model;
mod parse;
pub(crate) mod report;
pub(crate) mod scan;
mod skeleton;
pub(crate) mod units;
mod write;

pub use model::{AngleUnit, Asf, AsfBone, AsfRoot, AsfUnits, AxisOrder, Dof};
pub use units::Units;
pub use write::{write, write_bytes};

use crate::file::FileError;
use crate::motion::{MotionError, MotionFile};
use crate::text::TextError;
use sinew::Skeleton;
use std::path::Path;

pub(crate) use skeleton::{Layout, about, layout, rotation_of, scaled};
pub(crate) use write::names;

/// Settings for reading a skeleton file.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct AsfSettings {
    /// Whether to repair faults with an obvious remedy.
    pub lenient: bool,
}

/// Reads a skeleton file without converting it.
///
/// # Errors
/// If the bytes are not a skeleton file, or break a rule: the first fault, with its line.
pub fn read_bytes(bytes: &[u8], settings: &AsfSettings) -> Result<Asf, TextError> {
    parse::parse(bytes, settings.lenient)
}

/// Reads only a skeleton: a [`MotionFile`] without animations.
///
/// # Errors
/// If the file cannot be read or breaks a rule.
#[allow(
    clippy::result_large_err,
    reason = "files are read seldom; their errors may be large"
)]
pub fn read(
    path: impl AsRef<Path>,
    settings: &AsfSettings,
    units: Units,
) -> Result<MotionFile, FileError<MotionError>> {
    let path = path.as_ref();
    let bytes = crate::motion::load_file(path)?;
    read_loaded(path, &bytes, settings, units)
}

/// Like [`read`], from the bytes of the file.
#[allow(
    clippy::result_large_err,
    reason = "files are read seldom; their errors may be large"
)]
pub(crate) fn read_loaded(
    path: &Path,
    bytes: &[u8],
    settings: &AsfSettings,
    units: Units,
) -> Result<MotionFile, FileError<MotionError>> {
    let read = || -> Result<MotionFile, MotionError> {
        let asf = read_bytes(bytes, settings)?;
        let skeleton = to_skeleton(&asf, units)?;
        let mut warnings = asf.warnings.clone();
        let metres = |units: Units| units.metres(&asf.units);
        let literal = Some(("literal", metres(Units::Literal)));
        crate::units::warn(
            &skeleton,
            metres(units),
            metres(Units::CmuMetres),
            literal,
            &mut warnings,
        );
        Ok(MotionFile {
            skeleton,
            animations: Vec::new(),
            warnings,
        })
    };
    read().map_err(FileError::at(path))
}

/// Returns the joints of a skeleton file: see [the module](self).
///
/// # Errors
/// If a skeleton that was created in code has bones in a wrong order, duplicate names, or numbers that are not
/// finite. A skeleton that was read causes no error.
pub fn to_skeleton(asf: &Asf, units: Units) -> Result<Skeleton, MotionError> {
    Ok(Skeleton::new(layout(asf, units).joints)?)
}
