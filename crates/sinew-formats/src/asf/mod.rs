//! Acclaim skeletons, `.asf`: the bones that a motion in an [`.amc`](crate::amc) moves.
//!
//! Bytes → [`Asf`], what the file says in its own units; → [`Skeleton`], rest-aligned joints in metres.
//! The grammar is that of the *Acclaim Skeleton File Definition V1.10*, read as real files need it.
//!
//! # Strict and lenient
//! Some faults have an obvious remedy: a value too many, an id that two bones have, a bone that the
//! hierarchy forgets. A strict reader refuses them with an error; a lenient one applies the remedy and
//! adds a warning. What cannot be repaired is an error for both.
//!
//! # The skeleton
//! A joint is where a bone begins. Joint frames have the world's axes in the rest pose, so that rest
//! rotations are the identity and a child sits at its parent's direction times its length. The first
//! joint is `root`; the others follow in the order of [`Asf::bones`]. A leaf has a
//! [`tip`](sinew::Joint::tip).

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

/// How a skeleton file is read.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct AsfSettings {
    /// Whether faults with an obvious remedy are repaired.
    pub lenient: bool,
}

/// Reads what a skeleton file says.
///
/// # Errors
/// If the bytes are no skeleton file, or break a rule: the first fault, with its line.
pub fn read_bytes(bytes: &[u8], settings: &AsfSettings) -> Result<Asf, TextError> {
    parse::parse(bytes, settings.lenient)
}

/// Reads a skeleton alone: a [`MotionFile`] without animations.
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

/// As [`read`], of the bytes of the file.
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

/// The joints of a skeleton file: see [the module](self).
///
/// # Errors
/// If a skeleton that was made in code has bones in a wrong order, two with one name, or numbers that
/// are not finite. One that was read gives a skeleton.
pub fn to_skeleton(asf: &Asf, units: Units) -> Result<Skeleton, MotionError> {
    Ok(Skeleton::new(layout(asf, units).joints)?)
}
