//! The content of a motion file, and errors of reading one.

use crate::file::{FileError, load};
use crate::{TextError, Warnings};
use sinew::animation::AnimationError;
use sinew::glam::Quat;
use sinew::skeleton::SkeletonError;
use sinew::{Animation, Skeleton, Transform};
use sinew_author::edit::move_root;
use std::path::Path;

/// Minimum rate at which evenly spaced keys count as the frames of a clip. Below, they are hand-set poses, and the
/// interpolation between them matters.
pub(crate) const MIN_FRAME_RATE: f64 = 10.0;

/// A skeleton and its animations, as read from a file.
#[derive(Clone, Debug)]
pub struct MotionFile {
    /// The skeleton; in metres, y-up.
    pub skeleton: Skeleton,
    /// The animations; empty for a file with only a skeleton.
    pub animations: Vec<Animation>,
    /// Repairs and ignored content.
    pub warnings: Warnings,
}

impl MotionFile {
    /// Converts a z-up file to y-up: x stays, z becomes y. Rotates the roots in the rest pose and in every animation;
    /// their descendants follow.
    pub fn turn_z_up(&mut self) {
        let half = std::f32::consts::FRAC_1_SQRT_2;
        let turn = Transform::from_rotation(Quat::from_xyzw(-half, 0.0, 0.0, half));
        for animation in &mut self.animations {
            move_root(animation, &self.skeleton, &turn);
        }
        let mut joints = self.skeleton.joints().to_vec();
        for joint in joints.iter_mut().filter(|joint| joint.parent.is_none()) {
            let scale = joint.rest.scale;
            joint.rest = turn.then_after(&joint.rest);
            joint.rest.scale = scale;
        }
        if let Ok(turned) = Skeleton::new(joints) {
            self.skeleton = turned;
        }
    }
}

/// An error of reading a motion file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MotionError {
    /// The file could not be opened or read.
    #[error("cannot read the file: {0}")]
    Io(#[from] std::io::Error),
    /// A text file breaks a rule of its format.
    #[error(transparent)]
    Text(#[from] TextError),
    /// The joints do not form a valid skeleton.
    #[error("the joints do not form a valid skeleton: {0}")]
    Skeleton(#[from] SkeletonError),
    /// The keys do not form a valid animation.
    #[error("the keys do not form a valid animation: {0}")]
    Animation(#[from] AnimationError),
}

/// Reads the bytes of a motion file for [`read_motion_bytes`](crate::read_motion_bytes).
///
/// # Errors
/// If the file cannot be read or is larger than [`MAX_FILE_BYTES`](crate::limits::MAX_FILE_BYTES).
#[allow(
    clippy::result_large_err,
    reason = "files are read seldom; their errors may be large"
)]
pub fn load_file(path: impl AsRef<Path>) -> Result<Vec<u8>, FileError<MotionError>> {
    let path = path.as_ref();
    load(path)
        .map_err(MotionError::Io)
        .map_err(FileError::at(path))
}
