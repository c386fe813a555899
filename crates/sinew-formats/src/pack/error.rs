//! Errors of reading or writing a `.sinew` file.

use crate::curve::CurveError;
use crate::json::JsonError;
use sinew::packed::PackedBytesError;
use sinew::skeleton::SkeletonError;
use std::fmt;

/// An error of reading or writing a `.sinew` file.
///
/// Offsets are bytes from the beginning of the file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PackError {
    /// The file could not be opened or read.
    #[error("cannot read the file: {0}")]
    Io(#[from] std::io::Error),
    /// The file does not have the magic bytes of this format.
    #[error("expected a .sinew file, found {found}")]
    NotThisFormat {
        /// Description of the content.
        found: String,
    },
    /// The version is not supported.
    #[error("version: expected {}, found {found}", super::VERSION)]
    Version {
        /// Version of the file.
        found: u32,
    },
    /// A checksum mismatch: the bytes changed since they were written.
    #[error(
        "{section}, {length} bytes from byte {offset} on: damaged; expected the checksum {expected:08x}, \
         found {found:08x}"
    )]
    Damaged {
        /// The damaged section.
        section: Section,
        /// Offset of the section.
        offset: u64,
        /// Length of the section.
        length: u64,
        /// Checksum in the file.
        expected: u32,
        /// Checksum of the bytes.
        found: u32,
    },
    /// A value breaks a rule of the format.
    #[error("byte {offset}, {section}: expected {expected}, found {found}")]
    Invalid {
        /// Offset of the value.
        offset: u64,
        /// Section of the value.
        section: Section,
        /// What was expected.
        expected: String,
        /// What was found.
        found: String,
    },
    /// The joints of a section do not form a valid skeleton.
    #[error("byte {offset}, {section}: {source}")]
    Skeleton {
        /// Offset of the section.
        offset: u64,
        /// The section.
        section: Section,
        /// The error.
        source: SkeletonError,
    },
    /// The motion of an animation is invalid.
    #[error("byte {}, {section}: {}", .offset + .source.offset as u64, .source.problem)]
    Motion {
        /// Offset of the motion; the offset of `source` is relative to it.
        offset: u64,
        /// Section of the animation.
        section: Section,
        /// The error.
        source: Box<PackedBytesError>,
    },
    /// The info of an animation is invalid.
    #[error("byte {offset}, {section}: the info: {source}")]
    Notes {
        /// Offset of the info.
        offset: u64,
        /// Section of the animation.
        section: Section,
        /// The error; its lines and columns are relative to `offset`.
        source: Box<JsonError>,
    },
    /// A curve is invalid.
    #[error("byte {offset}, {section}: {source}")]
    Curve {
        /// Offset of the section.
        offset: u64,
        /// The section.
        section: Section,
        /// The error; its lines and columns are relative to `offset`.
        source: Box<CurveError>,
    },
    /// The file is larger than allowed.
    #[error("the file is too large: {found} bytes, at most {limit} are allowed")]
    TooLarge {
        /// Size in bytes.
        found: u64,
        /// Maximum size in bytes.
        limit: u64,
    },
    /// An animation is too long to be converted to keys.
    #[error(
        "{section}: too long to decompress with the animations before it: {moments} samples; at most {limit} \
         values are allowed in a file; compress them into several files"
    )]
    TooLong {
        /// Section of the animation.
        section: Section,
        /// Number of sampled times.
        moments: usize,
        /// Maximum number of values of all keys of a file.
        limit: usize,
    },
    /// The content cannot be written.
    #[error("{section} cannot be written: expected {expected}, found {found}")]
    Unwritable {
        /// The section.
        section: Section,
        /// What it should have.
        expected: String,
        /// What it has.
        found: String,
    },
}

/// A part of a `.sinew` file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Section {
    /// The file header.
    Header,
    /// The list of sections.
    Directory,
    /// A skeleton, by index.
    Skeleton(usize),
    /// An animation, by index.
    Animation(usize),
    /// A registration curve, by index.
    Curve(usize),
    /// A section of an unknown kind, by its index in the directory.
    Other(usize),
    /// The padding before the section of that directory index, or after the last.
    Padding(usize),
}

impl fmt::Display for Section {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Header => f.write_str("header"),
            Self::Directory => f.write_str("directory"),
            Self::Skeleton(index) => write!(f, "skeleton {index}"),
            Self::Animation(index) => write!(f, "animation {index}"),
            Self::Curve(index) => write!(f, "curve {index}"),
            Self::Other(index) => write!(f, "section {index}"),
            Self::Padding(index) => write!(f, "padding before section {index}"),
        }
    }
}
