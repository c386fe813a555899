//! Registration curves as JSON.
//!
//! ```text
//! { "format": "sinew-curve", "version": 2,
//!   "reference": number of a motion,                      the others are laid on it
//!   "distance": metres,
//!   "motions": [ { "name": text, "times": [ seconds ], "angles": [ radians ], "xs": [ metres ], "zs": [ metres ],
//!                  "cycle": { "seconds": seconds, "angle": radians, "x": metres, "z": metres },
//!                  "fingerprint": { "length": seconds, "moments": [ [ [x, y, z], … ], … ] },
//!                  "markers": [ seconds ] } ],
//!   "plants": [ { "end": "heel" | "ball" | "hand", "side": "left" | "middle" | "right", "joint": number,
//!                 "spans": [ [from, to], … ] } ] }        one for each motion, positions from 0 to 1
//! ```
//!
//! The numbers of a motion are control points of uniform, clamped B-splines over positions from 0 to 1: degree 3 for
//! times, degree 2 for the others. Markers are the times at evenly spaced positions, for players without curve
//! support; they are written but not read.
//!
//! A curve of loops has a `cycle` in every motion: its duration and its ground motion. Positions 0 and 1 are then the
//! same moment; times and markers increase by one cycle, start within the first cycle, and continue beyond the length
//! of the loop. Other curves have no `cycle`.
//!
//! The `fingerprint` identifies the motion that was registered: its length, and positions of some joints at evenly
//! spaced times, in metres. It is optional.

use crate::escape;
use crate::file::{FileError, WriteError, load, save_bytes};
use crate::json_text::{self, after_comma};
use crate::limits::MAX_FILE_BYTES;
use crate::text::without_bom;
use serde::{Deserialize, Serialize};
use sinew::JointIndex;
use sinew::anatomy::LimbEnd;
use sinew::math::GroundTransform;
use sinew::registration::{
    LoopCycle, MotionFingerprint, PlantMatch, RegisteredMotion, RegistrationCurve,
    RegistrationData, RegistrationDataError,
};
use sinew::skeleton::Side;
use std::path::Path;

/// Value of the `format` field.
const FORMAT: &str = "sinew-curve";

/// Version that is read and written. It increases when a field is removed or changes its meaning.
const VERSION: u32 = 2;

/// Number of markers per motion: one per twentieth of a stride.
pub const MARKER_COUNT: usize = 21;

/// An error of reading a curve.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CurveError {
    /// The file could not be opened or read.
    #[error("cannot read the file: {0}")]
    Io(#[from] std::io::Error),
    /// The file is not JSON of this format.
    #[error("expected JSON with \"format\": \"sinew-curve\", found {found}")]
    NotThisFormat {
        /// Description of the content.
        found: String,
    },
    /// The version is not supported.
    #[error("version: expected {}, found {found}", VERSION)]
    Version {
        /// Version of the file.
        found: u64,
    },
    /// The JSON cannot be parsed, or a value has the wrong type.
    #[error("line {line}, column {column}{}: {problem}", after_comma(.path))]
    Syntax {
        /// Line, from 1.
        line: usize,
        /// Column, from 1.
        column: usize,
        /// Path of the value; empty for the whole file.
        path: String,
        /// Message of the parser.
        problem: String,
        /// What was expected; empty if `problem` does not name it.
        expected: Box<str>,
        /// What was found; empty if `problem` does not name it.
        found: Box<str>,
    },
    /// The numbers do not form a valid curve.
    #[error(transparent)]
    Data(#[from] RegistrationDataError),
    /// The file is larger than allowed.
    #[error("the file is too large: {found} bytes, at most {limit} are allowed")]
    TooLarge {
        /// Size in bytes.
        found: u64,
        /// Maximum size in bytes.
        limit: u64,
    },
}

/// Reads a curve from a file.
///
/// # Errors
/// [`FileError`], with the path and the problem.
pub fn read(path: impl AsRef<Path>) -> Result<RegistrationCurve, FileError<CurveError>> {
    let path = path.as_ref();
    let read = || read_bytes(&load(path)?);
    read().map_err(FileError::at(path))
}

/// Reads a curve from the bytes of a file. Unknown fields are ignored.
///
/// # Errors
/// [`CurveError`], with the place and the problem.
pub fn read_bytes(bytes: &[u8]) -> Result<RegistrationCurve, CurveError> {
    if bytes.len() as u64 > MAX_FILE_BYTES {
        return Err(CurveError::TooLarge {
            found: bytes.len() as u64,
            limit: MAX_FILE_BYTES,
        });
    }
    let bytes = without_bom(bytes);
    let head: CurveHeader = parse(bytes)?;
    match head.format.as_deref() {
        Some(FORMAT) => {}
        Some(other) => {
            return Err(CurveError::NotThisFormat {
                found: escape::text(other),
            });
        }
        None => {
            return Err(CurveError::NotThisFormat {
                found: "none".to_owned(),
            });
        }
    }
    if head.version != Some(u64::from(VERSION)) {
        return Err(CurveError::Version {
            found: head.version.unwrap_or(0),
        });
    }
    let file: CurveFields = parse(bytes)?;
    let plants = file.plants.into_iter().map(|plant| PlantMatch {
        end: plant.end.into(),
        side: plant.side.into(),
        joint: JointIndex(plant.joint),
        spans: plant.spans,
    });
    let motions = file.motions.into_iter().map(|motion| RegisteredMotion {
        name: motion.name,
        times: motion.times,
        angles: motion.angles,
        xs: motion.xs,
        zs: motion.zs,
        cycle: motion.cycle.map(LoopCycle::from),
        fingerprint: motion.fingerprint.map(MotionFingerprint::from),
    });
    Ok(RegistrationCurve::from_data(RegistrationData {
        motions: motions.collect(),
        reference: file.reference,
        plants: plants.collect(),
        distance: file.distance,
    })?)
}

fn parse<'a, T: Deserialize<'a>>(bytes: &'a [u8]) -> Result<T, CurveError> {
    json_text::parse(bytes).map_err(|fault| CurveError::Syntax {
        line: fault.line,
        column: fault.column,
        path: fault.path,
        problem: fault.problem,
        expected: fault.expected.into(),
        found: fault.found.into(),
    })
}

/// Writes a file; see [`write_bytes`].
///
/// # Errors
/// If the file cannot be written.
pub fn write(
    path: impl AsRef<Path>,
    curve: &RegistrationCurve,
) -> Result<(), FileError<WriteError>> {
    save_bytes(path.as_ref(), write_bytes(curve))
}

/// Writes a curve as JSON; [`read_bytes`] returns the same curve, bit for bit.
pub fn write_bytes(curve: &RegistrationCurve) -> Vec<u8> {
    let data = curve.to_data();
    let motions = data.motions.into_iter().enumerate();
    let motions = motions.map(|(index, motion)| MotionFields {
        name: motion.name,
        times: motion.times,
        angles: motion.angles,
        xs: motion.xs,
        zs: motion.zs,
        cycle: motion.cycle.map(CycleFields::from),
        fingerprint: motion.fingerprint.map(FingerprintFields::from),
        markers: curve.markers(index, MARKER_COUNT),
    });
    let plants = data.plants.into_iter().map(|plant| PlantFields {
        end: plant.end.into(),
        side: plant.side.into(),
        joint: plant.joint.0,
        spans: plant.spans,
    });
    let file = CurveFields {
        format: FORMAT.to_owned(),
        version: VERSION,
        reference: data.reference,
        distance: data.distance,
        motions: motions.collect(),
        plants: plants.collect(),
    };
    // Serializing strings, numbers and lists cannot fail.
    let mut bytes = serde_json::to_vec_pretty(&file).unwrap_or_default();
    bytes.push(b'\n');
    bytes
}

/// The fields that identify the format.
#[derive(Deserialize)]
struct CurveHeader {
    format: Option<String>,
    version: Option<u64>,
}

#[derive(Serialize, Deserialize)]
struct CurveFields {
    format: String,
    version: u32,
    reference: usize,
    distance: f64,
    motions: Vec<MotionFields>,
    #[serde(default)]
    plants: Vec<PlantFields>,
}

#[derive(Serialize, Deserialize)]
struct MotionFields {
    name: String,
    times: Vec<f64>,
    angles: Vec<f64>,
    xs: Vec<f64>,
    zs: Vec<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cycle: Option<CycleFields>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    fingerprint: Option<FingerprintFields>,
    #[serde(skip_deserializing)]
    markers: Vec<f64>,
}

#[derive(Serialize, Deserialize)]
struct CycleFields {
    seconds: f64,
    angle: f64,
    x: f64,
    z: f64,
}

impl From<LoopCycle> for CycleFields {
    fn from(cycle: LoopCycle) -> Self {
        let GroundTransform { angle, x, z } = cycle.ground_transform;
        Self {
            seconds: cycle.seconds,
            angle,
            x,
            z,
        }
    }
}

impl From<CycleFields> for LoopCycle {
    fn from(cycle: CycleFields) -> Self {
        let CycleFields {
            seconds,
            angle,
            x,
            z,
        } = cycle;
        Self {
            seconds,
            ground_transform: GroundTransform { angle, x, z },
        }
    }
}

#[derive(Serialize, Deserialize)]
struct FingerprintFields {
    length: f64,
    moments: Vec<Vec<[f64; 3]>>,
}

impl From<MotionFingerprint> for FingerprintFields {
    fn from(known: MotionFingerprint) -> Self {
        Self {
            length: known.length,
            moments: known.moments,
        }
    }
}

impl From<FingerprintFields> for MotionFingerprint {
    fn from(known: FingerprintFields) -> Self {
        Self {
            length: known.length,
            moments: known.moments,
        }
    }
}

#[derive(Serialize, Deserialize)]
struct PlantFields {
    end: PlantEnd,
    side: BodySide,
    joint: u32,
    spans: Vec<[f64; 2]>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum PlantEnd {
    Heel,
    Ball,
    Hand,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum BodySide {
    Left,
    Middle,
    Right,
}

impl From<PlantEnd> for LimbEnd {
    fn from(end: PlantEnd) -> Self {
        match end {
            PlantEnd::Heel => Self::Heel,
            PlantEnd::Ball => Self::Ball,
            PlantEnd::Hand => Self::Hand,
        }
    }
}

impl From<LimbEnd> for PlantEnd {
    fn from(end: LimbEnd) -> Self {
        match end {
            LimbEnd::Heel => Self::Heel,
            LimbEnd::Ball => Self::Ball,
            LimbEnd::Hand => Self::Hand,
        }
    }
}

impl From<BodySide> for Side {
    fn from(side: BodySide) -> Self {
        match side {
            BodySide::Left => Self::Left,
            BodySide::Middle => Self::Middle,
            BodySide::Right => Self::Right,
        }
    }
}

impl From<Side> for BodySide {
    fn from(side: Side) -> Self {
        match side {
            Side::Left => Self::Left,
            Side::Middle => Self::Middle,
            Side::Right => Self::Right,
        }
    }
}
