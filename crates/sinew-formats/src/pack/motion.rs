//! Conversion of packed files to editable motions.

use super::PackView;
use super::error::{PackError, Section};
use crate::Warnings;
use crate::escape;
use crate::file::FileError;
use crate::limits::MAX_MOTION_VALUES;
use crate::motion::MotionFile;
use sinew::{Animation, PackedAnimation, Skeleton};
use sinew_author::compress::decompress;
use std::path::Path;

/// Returns the first skeleton of a file and its animations, decompressed; `bytes` are those of the file.
pub(crate) fn read_motion(path: &Path, bytes: &[u8]) -> Result<MotionFile, FileError<PackError>> {
    let read = || {
        let view = PackView::read(bytes)?;
        let mut budget = MotionBudget::default();
        let mut file = MotionFile {
            skeleton: first(&view)?,
            animations: Vec::new(),
            warnings: Warnings::default(),
        };
        for (index, (skeleton, animation)) in view.animations().iter().enumerate() {
            if *skeleton == 0 {
                let unpacked = budget.unpack(index, animation, &file.skeleton)?;
                file.animations.push(unpacked);
            } else {
                let place = format!("animation {index} {}", escape::text(animation.name()));
                let problem = format!("{skeleton}, not the first of the file; ignored");
                file.warnings.add(place, "skeleton", problem);
            }
        }
        Ok(file)
    };
    read().map_err(FileError::at(path))
}

/// Returns every skeleton of a file with its animations, decompressed; never empty. `bytes` are those of the file.
pub(crate) fn read_motions(
    path: &Path,
    bytes: &[u8],
) -> Result<Vec<MotionFile>, FileError<PackError>> {
    let read = || {
        let view = PackView::read(bytes)?;
        let mut budget = MotionBudget::default();
        let files = view.skeletons().iter().map(|skeleton| MotionFile {
            skeleton: Skeleton::clone(skeleton),
            animations: Vec::new(),
            warnings: Warnings::default(),
        });
        let mut files: Vec<MotionFile> = files.collect();
        for (index, (skeleton, animation)) in view.animations().iter().enumerate() {
            let Some(file) = files.get_mut(*skeleton) else {
                continue;
            };
            let unpacked = budget.unpack(index, animation, &file.skeleton)?;
            file.animations.push(unpacked);
        }
        Ok(files)
    };
    read().map_err(FileError::at(path))
}

fn first(view: &PackView<'_>) -> Result<Skeleton, PackError> {
    let first = view.skeletons().first();
    first
        .map(|skeleton| Skeleton::clone(skeleton))
        .ok_or_else(|| super::directory::no_skeleton(0))
}

/// Remaining limits of decompression. A few bytes can encode hours without motion.
struct MotionBudget {
    /// Values of keys.
    values: usize,
    /// Joints of all poses.
    joints: usize,
}

impl Default for MotionBudget {
    fn default() -> Self {
        Self {
            values: MAX_MOTION_VALUES,
            joints: MAX_MOTION_VALUES,
        }
    }
}

impl MotionBudget {
    fn unpack(
        &mut self,
        index: usize,
        animation: &PackedAnimation<'_>,
        skeleton: &Skeleton,
    ) -> Result<Animation, PackError> {
        let section = Section::Animation(index);
        let moments = animation.frame_count();
        let per_moment = (0..skeleton.len()).map(|joint| {
            let channels = animation.channels(joint.into());
            let [position, rotation, scale] =
                [channels.position, channels.rotation, channels.scale].map(usize::from);
            3 * position + 4 * rotation + 3 * scale
        });
        let per_moment = per_moment.sum();
        let values = self.values.checked_sub(moments.saturating_mul(per_moment));
        let joints = self
            .joints
            .checked_sub(moments.saturating_mul(skeleton.len()));
        let (Some(values), Some(joints)) = (values, joints) else {
            return Err(PackError::TooLong {
                section,
                moments,
                limit: MAX_MOTION_VALUES,
            });
        };
        *self = Self { values, joints };
        decompress(animation, skeleton).map_err(|error| PackError::Unwritable {
            section,
            expected: "a skeleton of its size".to_owned(),
            found: error.to_string(),
        })
    }
}
