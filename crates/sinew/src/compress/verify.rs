//! Pass 8: how far the result is from its source, measured with the decoder that plays it.

use super::source::Source;
use crate::animation::Animation;
use crate::measure::ErrorMeter;
use crate::packed::PackedAnimation;
use crate::pose::{JointCountMismatch, Pose};
use crate::sample::PackedCursor;
use crate::skeleton::{JointIndex, Skeleton};
use alloc::vec::Vec;

/// How far a packed animation is from its source.
#[derive(Clone, Debug, PartialEq)]
pub struct Deviation {
    /// Where it is worst, in metres.
    pub metres: f64,
    /// The joint there.
    pub joint: JointIndex,
    /// The moment, in seconds.
    pub time: f32,
    /// For each joint, where it is worst over time, in metres.
    pub joints: Vec<f64>,
    /// How many moments were looked at.
    pub moments: usize,
}

/// Why a packed animation cannot be compared with a source.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum VerifyError {
    /// They are of skeletons of different sizes.
    #[error(transparent)]
    Joints(#[from] JointCountMismatch),
    /// There are more frames than are looked at.
    #[error("{frames} frames are too many to look at; the most is {limit}")]
    TooLong {
        /// How many there are.
        frames: usize,
        /// How many there may be.
        limit: usize,
    },
}

/// Measures how far a packed animation is from its source: at every frame of the source, half-way between, and
/// at keys that are on no frame. `each` is told the moment and how far each joint's vertices are off there.
///
/// # Errors
/// When the skeleton has another number of joints, or the source is too long.
pub fn verify(
    packed: &PackedAnimation<'_>,
    skeleton: &Skeleton,
    animation: &Animation,
    mut each: impl FnMut(f32, &[f64]),
) -> Result<Deviation, VerifyError> {
    let source = Source::new(skeleton, animation);
    if source.is_too_long() {
        return Err(VerifyError::TooLong {
            frames: source.frames,
            limit: source.most_rows(),
        });
    }
    let result = measure(packed, &source, &source.moments(), &mut each)?;
    Ok(result)
}

/// Measures at given moments.
pub(super) fn measure(
    packed: &PackedAnimation<'_>,
    source: &Source<'_>,
    moments: &[f32],
    each: &mut impl FnMut(f32, &[f64]),
) -> Result<Deviation, JointCountMismatch> {
    let mut meter = ErrorMeter::new(source.skeleton);
    let mut cursor = PackedCursor::new();
    let (mut expected, mut found) = (Pose::rest(source.skeleton), Pose::rest(source.skeleton));
    let mut worst = Deviation {
        metres: 0.0,
        joint: JointIndex(0),
        time: 0.0,
        joints: alloc::vec![0.0; source.skeleton.len()],
        moments: moments.len(),
    };
    for &time in moments {
        source.pose_at(time, &mut expected);
        packed.sample(time, &mut cursor, &mut found)?;
        let error = meter.measure(&expected, &found)?;
        for (most, &own) in worst.joints.iter_mut().zip(meter.joints()) {
            *most = most.max(own);
        }
        each(time, meter.joints());
        if error.metres > worst.metres {
            worst.metres = error.metres;
            worst.joint = error.joint;
            worst.time = time;
        }
    }
    Ok(worst)
}
