//! Why a `.sinew` file could not be read or written.

use crate::curve::CurveError;
use crate::json::JsonError;
use sinew::packed::PackedBytesError;
use sinew::skeleton::SkeletonError;
use std::fmt;

/// Why a `.sinew` file could not be read or written.
///
/// Offsets count bytes from the beginning of the file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PackError {
    /// The file could not be opened or read.
    #[error("cannot read the file: {0}")]
    Io(#[from] std::io::Error),
    /// The file does not begin as one of this format.
    #[error("expected a .sinew file, found {found}")]
    NotThisFormat {
        /// What it is instead.
        found: String,
    },
    /// The version is not supported.
    #[error("version: expected {}, found {found}", super::VERSION)]
    Version {
        /// Its version.
        found: u32,
    },
    /// A checksum is not that of the bytes: they changed since they were written.
    #[error(
        "{section}, {length} bytes from byte {offset} on: damaged; expected the checksum {expected:08x}, \
         found {found:08x}"
    )]
    Damaged {
        /// What is damaged.
        section: Section,
        /// Where it begins.
        offset: u64,
        /// How long it is.
        length: u64,
        /// The checksum that the file tells.
        expected: u32,
        /// The one of its bytes.
        found: u32,
    },
    /// Something breaks a rule of the format.
    #[error("byte {offset}, {section}: expected {expected}, found {found}")]
    Invalid {
        /// Where.
        offset: u64,
        /// In what.
        section: Section,
        /// What was expected.
        expected: String,
        /// What was found.
        found: String,
    },
    /// The joints of a section make no skeleton.
    #[error("byte {offset}, {section}: {source}")]
    Skeleton {
        /// Where the section begins.
        offset: u64,
        /// Which it is.
        section: Section,
        /// What is wrong.
        source: SkeletonError,
    },
    /// The motion of an animation cannot be played.
    #[error("byte {}, {section}: {}", .offset + .source.offset as u64, .source.problem)]
    Motion {
        /// Where the motion begins; the offset of `source` is from there.
        offset: u64,
        /// Which animation it is of.
        section: Section,
        /// What is wrong.
        source: Box<PackedBytesError>,
    },
    /// The notes of an animation cannot be read.
    #[error("byte {offset}, {section}: the notes: {source}")]
    Notes {
        /// Where they begin.
        offset: u64,
        /// Which animation they are of.
        section: Section,
        /// What is wrong; its lines and columns count from there.
        source: Box<JsonError>,
    },
    /// A curve cannot be read.
    #[error("byte {offset}, {section}: {source}")]
    Curve {
        /// Where the section begins.
        offset: u64,
        /// Which it is.
        section: Section,
        /// What is wrong; its lines and columns count from there.
        source: Box<CurveError>,
    },
    /// The file is larger than allowed.
    #[error("the file is too large: {found} bytes, at most {limit} are allowed")]
    TooLarge {
        /// How large it is.
        found: u64,
        /// How large it may be.
        limit: u64,
    },
    /// An animation is too long to be unpacked.
    #[error(
        "{section} is too long to be unpacked: it has {moments} moments; at most {limit} numbers are \
         allowed in all"
    )]
    TooLong {
        /// Which it is.
        section: Section,
        /// How many moments would be keys.
        moments: usize,
        /// How many numbers all keys of a file may have.
        limit: usize,
    },
    /// What is to be written cannot be.
    #[error("{section} cannot be written: expected {expected}, found {found}")]
    Unwritable {
        /// What it is about.
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
    /// What the file begins with.
    Header,
    /// The list of sections.
    Directory,
    /// A skeleton, counted from 0.
    Skeleton(usize),
    /// An animation, counted from 0.
    Animation(usize),
    /// A registration curve, counted from 0.
    Curve(usize),
    /// A section of a kind that is not known, by its place in the directory.
    Other(usize),
    /// What stands before a section of that place in the directory, or after the last.
    Padding(usize),
}

impl fmt::Display for Section {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Header => f.write_str("header"),
            Self::Directory => f.write_str("directory"),
            Self::Skeleton(at) => write!(f, "skeleton {at}"),
            Self::Animation(at) => write!(f, "animation {at}"),
            Self::Curve(at) => write!(f, "curve {at}"),
            Self::Other(at) => write!(f, "section {at}"),
            Self::Padding(at) => write!(f, "padding before section {at}"),
        }
    }
}
