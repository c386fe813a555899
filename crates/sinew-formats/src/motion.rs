//! What a motion file says, and why it cannot be read.

use crate::{TextError, Warnings};
use sinew::{Animation, AnimationError, Skeleton, SkeletonError};
use std::fmt;
use std::path::PathBuf;

/// A skeleton and the motions on it, as read from a file.
#[derive(Clone, Debug)]
pub struct MotionFile {
    /// The joints; in metres, y-up.
    pub skeleton: Skeleton,
    /// The motions; none in a file that holds a skeleton alone.
    pub animations: Vec<Animation>,
    /// What was repaired or ignored.
    pub warnings: Warnings,
}

/// Why a motion file could not be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MotionError {
    /// The file could not be opened or read.
    #[error("cannot read the file: {0}")]
    Io(#[from] std::io::Error),
    /// A text file breaks a rule of its format.
    #[error(transparent)]
    Text(#[from] TextError),
    /// The joints make no skeleton.
    #[error("the joints make no skeleton: {0}")]
    Skeleton(#[from] SkeletonError),
    /// The keys make no animation.
    #[error("the keys make no animation: {0}")]
    Animation(#[from] AnimationError),
}

/// A [`MotionError`] with the file it is about.
#[derive(Debug)]
pub struct MotionFileError {
    /// The file.
    pub path: PathBuf,
    /// What is wrong.
    pub source: MotionError,
}

impl fmt::Display for MotionFileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path.display(), self.source)
    }
}

impl std::error::Error for MotionFileError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.source)
    }
}
