//! Reader and writer of BVH, Biovision's motion format.
//!
//! ```text
//! bytes ─read_bytes─▶ Bvh (the content of the file) ─into_motion─▶ MotionFile (skeleton and animation)
//! Skeleton + Animation ─write_bytes─▶ bytes
//! ```
//!
//! There is no standard; this module follows the programs that established the format. The transform of a joint is
//! that of its parent, then its offset or its position channels, then its rotation channels multiplied left to right
//! in listed order. The position channels of a root add to its offset, which is normally 0, unless they start at its
//! height and so include it already; the position channels of other joints replace their offset. Angles are in
//! degrees. Lengths have no unit; [`BvhSettings::scale`] defines it.
//!
//! | deviation | handling |
//! |---|---|
//! | any case, order of channels, line ends, a byte order mark, braces on any line | read |
//! | names with spaces, colons, dots, `#` | the name is the rest of the line; `#` is a comment only at a line start |
//! | rows over several lines, several rows in one, all in one line | read: rows are a stream of numbers |
//! | several roots; end sites of joints with children; leaves without one | read |
//! | two joints of one name | the second is renamed, with a warning |
//! | `Frames: 0`, or no channels | a skeleton without motion, with a warning |
//! | more rows than `Frames` states | the rest is ignored, with a warning |
//! | fewer rows, or a row that is too short | an error; if lenient, the frames before it and a warning |
//! | a frame time of 0 or less | an error, unless [`BvhSettings::frame_rate`] sets the rate |

mod cursor;
mod hierarchy;
mod motion;
mod rate;
mod raw;
mod rows;
mod write;

pub use raw::{Bvh, BvhChannel, BvhJoint};
pub use sinew::math::RotationOrder;
pub use write::{BvhWriteError, BvhWriteSettings, write, write_bytes};

pub(crate) use write::{written_grid, written_names};

use crate::file::FileError;
use crate::limits::MAX_FILE_BYTES;
use crate::motion::{MotionError, MotionFile, load_file};
use crate::text::{Rule, TextError};
use crate::warning::Warnings;
use cursor::BvhCursor;
use std::path::Path;

/// Settings for reading a BVH file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BvhSettings {
    /// Whether to truncate a file with fewer rows than stated instead of rejecting it.
    pub lenient: bool,
    /// Frames per second instead of the file's; positive.
    pub frame_rate: Option<f64>,
    /// Metres per unit of the file; finite and positive. Most files are in centimetres, 0.01.
    pub scale: f64,
}

impl Default for BvhSettings {
    fn default() -> Self {
        Self {
            lenient: false,
            frame_rate: None,
            scale: 0.01,
        }
    }
}

/// Reads a file without converting it. Takes at most eight bytes of memory per number and some per joint.
///
/// # Errors
/// If the bytes are not a BVH file, break one of its rules or exceed [`crate::limits`]; see the table [above](self).
/// The error has the position.
pub fn read_bytes(bytes: &[u8], settings: &BvhSettings) -> Result<Bvh, TextError> {
    let mut cursor = BvhCursor::new(bytes);
    if bytes.len() as u64 > MAX_FILE_BYTES {
        let expected = format!("at most {MAX_FILE_BYTES} bytes");
        let found = format!("{}", bytes.len());
        return Err(cursor.line_error(Rule::TooLarge, 0, expected, found));
    }
    let mut warnings = Warnings::default();
    let joints = hierarchy::read(&mut cursor, &mut warnings)?;
    let channel_count = joints.iter().map(|joint| joint.channels.len()).sum();
    let motion = rows::read(&mut cursor, channel_count, settings, &mut warnings)?;
    Ok(Bvh {
        joints,
        frame_time: motion.frame_time,
        frame_time_text: motion.frame_time_text,
        warnings,
        frames: motion.frames,
        channel_count,
        values: motion.values,
    })
}

/// Reads a file as a skeleton and, unless it has no frames, an animation named after the file.
///
/// # Errors
/// If the file cannot be read, and the errors of [`read_bytes`] and [`Bvh::into_motion`].
pub fn read(
    path: impl AsRef<Path>,
    settings: &BvhSettings,
) -> Result<MotionFile, FileError<MotionError>> {
    let path = path.as_ref();
    read_loaded(path, &load_file(path)?, settings)
}

/// Like [`read`], from the bytes of the file.
#[allow(
    clippy::result_large_err,
    reason = "files are read seldom; their errors may be large"
)]
pub(crate) fn read_loaded(
    path: &Path,
    bytes: &[u8],
    settings: &BvhSettings,
) -> Result<MotionFile, FileError<MotionError>> {
    let read = || read_bytes(bytes, settings)?.into_motion(settings);
    let mut file = read().map_err(FileError::at(path))?;
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    for animation in &mut file.animations {
        animation.name = name.clone().into_owned();
    }
    Ok(file)
}
