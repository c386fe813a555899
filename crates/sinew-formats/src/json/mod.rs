//! Motions as JSON, for editing by hand and for programs without a motion format parser.
//!
//! ```text
//! { "format": "sinew-motion", "version": 2, "units": "metres", "up": "y",
//!   "joints": [ joint ],                                  optional
//!   "animations": [ {
//!     "name": text,
//!     "length": seconds,                                  defaults to the last key or trigger
//!     "frame_rate": frames per second,                    optional, like all that follows
//!     "looping": { "angle": radians about +y, "x": metres, "z": metres, "in_place": true },
//!                                                         a loop's ground motion per cycle
//!     "metadata": { name: text | number | true | false },
//!     "tracks": [ { "joint": name, "position": channel, "rotation": channel, "scale": channel,
//!                   "weights": { "position": 1, "rotation": 1, "scale": 1 } } ],
//!     "variants": [ { "name": attribute path, "type": type, "interpolation": …, "tension": 0.5,
//!                     "weight": 1, keys } ],
//!     "triggers": [ { "time": seconds | "normalized": part of the length, "type": type, "data": value } ]
//!   } ] }
//!
//! joint    { "name": text, "parent": name or index, "position": [x, y, z], "rotation": [x, y, z, w],
//!            "scale": [x, y, z], "tip": [x, y, z] }
//! channel  { "interpolation": "step" | "linear" | "cubic", keys }
//! keys     "keys": [ [time, value], … ]                   or [time, value, in-tangent, out-tangent]
//!          "rate": keys per second, "values": [ … ]       or with "times" in place of the rate;
//!                                                         optional "in_tangents" and "out_tangents"
//! ```
//!
//! The [`"interpolation"`](sinew::animation::VariantInterpolation) of variants is `"none"`, `"linear"`,
//! `"tension_spline"` or `"tangent_spline"`; the default is `"linear"`, also for channels. A `"type"` is a [type
//! name](sinew::animation::VariantType::name): `"float"`, `"vec3"`, `"color"`, … Triggers may omit it if JSON implies
//! it: texts, `true` and `false`, numbers (`float`), two to four numbers (`vec2`, `vec3`, `vec4`).
//!
//! A joint may omit a zero position, identity rotation and unit scale. A rotation may be `{ "degrees": [x, y, z],
//! "order": "XYZ" }`: angles about the three axes, multiplied from left to right, so that the default `"XYZ"` rotates
//! about x, then about its own y, then about its own z.
//!
//! Tangents are per second, of channels and of variants. A cubic channel without tangents gets those of a Catmull-Rom
//! spline. Keys are sorted by time. A number that JSON cannot represent is `{ "number": "inf" }` in metadata and
//! triggers.
//!
//! # Reading and writing
//! ```
//! use sinew_formats::json;
//!
//! let file = json::read_bytes(br#"{ "format": "sinew-motion", "version": 2, "animations": [ {
//!     "name": "open",
//!     "variants": [ {
//!         "name": "Door/@/Position", "type": "vec3", "interpolation": "tension_spline", "tension": 0.7,
//!         "keys": [
//!             [0, [-0.5, 1, 0]],
//!             [1, [-1.5, 1, 0]]
//!         ]
//!     } ],
//!     "triggers": [ { "normalized": 0.5, "data": "creak" } ]
//! } ] }"#)?;
//! let open = &file.animations[0];
//! assert_eq!(open.length, 1.0);
//! assert_eq!(open.variants[0].sample(0.25, 1.0, false), sinew::glam::Vec3::new(-0.65625, 1.0, 0.0).into());
//!
//! let bytes = json::write_bytes(None, &file.animations);
//! assert_eq!(json::read_bytes(&bytes)?.animations, file.animations);
//! # Ok::<(), json::JsonError>(())
//! ```
//!
//! Every animation that passes [`check`](sinew::Animation::check) is read back bit for bit as it was written, and
//! every animation that is read passes it.
//!
//! Registration curves are separate files: [`curve`](crate::curve).

mod error;
mod keys;
mod notes;
mod number;
mod read;
mod skeleton;
mod spanned;
mod tracks;
mod value;
mod variant;
mod write;

pub use error::JsonError;
pub use write::{write, write_bytes};

pub(crate) use value::turned;
pub(crate) use write::to_text;

use crate::Warnings;
use crate::file::{FileError, load};
use crate::limits::MAX_FILE_BYTES;
use crate::text::{invalid_utf8, without_bom};
use sinew::{Animation, Skeleton};
use std::path::Path;

/// Version that is read and written. It increases when a field is removed or changes its meaning.
const VERSION: u32 = 2;

/// The content of a file.
#[derive(Clone, Debug)]
pub struct JsonFile {
    /// The skeleton, if the file has one; in metres, y-up.
    pub skeleton: Option<Skeleton>,
    /// The animations; each passes [`Animation::check`].
    pub animations: Vec<Animation>,
    /// Repairs and ignored content.
    pub warnings: Warnings,
}

/// Reads a file.
///
/// # Errors
/// [`FileError`], with the path and the problem.
pub fn read(path: impl AsRef<Path>) -> Result<JsonFile, FileError<JsonError>> {
    let path = path.as_ref();
    let bytes = load(path)
        .map_err(JsonError::from)
        .map_err(FileError::at(path))?;
    read_loaded(path, &bytes)
}

/// Like [`read`], from the bytes of the file.
pub(crate) fn read_loaded(path: &Path, bytes: &[u8]) -> Result<JsonFile, FileError<JsonError>> {
    read_bytes(bytes).map_err(FileError::at(path))
}

/// Reads the bytes of a file.
///
/// # Errors
/// [`JsonError`], with the line, the column and the problem.
pub fn read_bytes(bytes: &[u8]) -> Result<JsonFile, JsonError> {
    read_parts(bytes, Some(read::MotionReaders::ALL))
}

/// Reads what other formats store as JSON of an animation: everything but a skeleton and keys of joints.
pub(crate) fn read_notes(bytes: &[u8]) -> Result<JsonFile, JsonError> {
    read_parts(bytes, None)
}

fn read_parts(bytes: &[u8], motion: Option<read::MotionReaders>) -> Result<JsonFile, JsonError> {
    if bytes.len() as u64 > MAX_FILE_BYTES {
        return Err(JsonError::TooLarge {
            found: bytes.len() as u64,
            limit: MAX_FILE_BYTES,
        });
    }
    let bytes = without_bom(bytes);
    match str::from_utf8(bytes) {
        Ok(text) => read::read(text, motion),
        Err(error) => {
            let (line, column, found) = invalid_utf8(bytes, error);
            Err(JsonError::Invalid {
                line,
                column,
                path: String::new(),
                expected: "UTF-8".to_owned(),
                found,
            })
        }
    }
}
