//! Settings of registration, and its errors.

use crate::error::{NotFiniteError, SettingError};
use alloc::string::String;
use alloc::vec::Vec;
use sinew::anatomy::root_motion_joint;
use sinew::registration::{Motion, SkeletonDifference};
use sinew::skeleton::JointIndex;

/// Motions that are registered together, at most.
pub(super) const MAX_MOTIONS: usize = 32;

/// Which parts of two motions correspond.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum RegisterMode {
    /// [`Cyclic`](Self::Cyclic) if all motions are loops, [`Local`](Self::Local) otherwise. A motion is a loop if it is
    /// marked as one ([`Animation::looping`](sinew::Animation::looping)), or if its last pose equals its first one, moved
    /// over the ground, to within 0.4 % of the size of the body.
    #[default]
    Auto,
    /// All of both, from first to last frame, whatever their distance.
    Full,
    /// Given segments of two motions, in seconds, whatever their distance.
    Between {
        /// Start and end in the first motion.
        first: [f32; 2],
        /// Start and end in the second.
        second: [f32; 2],
    },
    /// A segment around the nearest poses of both: for a transition from the first to the second.
    Transition {
        /// The length of the segment, in seconds.
        seconds: f32,
        /// Start and end of the range for its middle in the first motion, in seconds; anywhere if `None`.
        within: Option<[f32; 2]>,
    },
    /// The segments that are nearest to each other, wherever they are.
    Local,
    /// One cycle of each of two loops, whatever their phases: positions 0 and 1 are the same phase.
    Cyclic,
}

/// Settings of [`register`](super::register()).
#[derive(Clone, Debug, PartialEq)]
pub struct RegisterSettings {
    /// Which parts of the motions correspond.
    pub mode: RegisterMode,
    /// The threshold: the largest root-mean-square joint distance, in metres, at which poses match. `None` derives it from
    /// the distance grid: from how near most poses of one motion come to any of the other. For
    /// [`RegisterMode::Transition`] it is then 55 % of the size of the body. Ignored by [`RegisterMode::Full`] and
    /// [`RegisterMode::Between`].
    pub max_distance: Option<f64>,
    /// Half the length of the windows that are compared, in seconds. Windows make velocities count too.
    pub window: f32,
    /// The slope limit, 1 to 6: how many frames of one motion may pass in a row while the other is paused. The
    /// pace of one is then at most `slope + 1` times that of the other at every position of the curve: 0.5 to 2 with a
    /// limit of 1. Of several motions each is limited relative to the reference. Motions whose whole lengths have to
    /// correspond and differ by more do not match.
    pub slope: usize,
    /// The weight of each joint. If empty, all count the same but for those above the root-motion joint, which are ignored.
    pub weights: Vec<f64>,
    /// Whether a coarse grid is searched first, and the full grid only near the coarse path: a fraction of the time for
    /// long motions, and hardly ever another path. [`RegisterMode::Local`] compares 30 frames per second of the first
    /// motion with all of the second, since fewer cannot decide which of several cycles is nearest; other modes every
    /// fourth frame of both. Grids of more than 16 million cells are always searched this way.
    pub is_coarse_first: bool,
    /// Whether the time warp is refined to fractions of frames.
    pub is_refined: bool,
}

impl Default for RegisterSettings {
    fn default() -> Self {
        Self {
            mode: RegisterMode::Auto,
            max_distance: None,
            window: 1.0 / 6.0,
            slope: 1,
            weights: Vec::new(),
            is_coarse_first: true,
            is_refined: true,
        }
    }
}

/// Why motions cannot be registered.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RegisterError {
    /// The skeletons of the motions differ.
    #[error("{first:?} and {second:?} are of different skeletons: {difference}")]
    Skeletons {
        /// The name of the first motion.
        first: String,
        /// The name of the second.
        second: String,
        /// What differs.
        difference: SkeletonDifference,
    },
    /// Fewer than two motions, or too many.
    #[error("{count} motions; expected 2 to {most}", most = MAX_MOTIONS)]
    Count {
        /// The number of motions.
        count: usize,
    },
    /// A motion has too few frames.
    #[error("{name:?} has {frames} frames; registration needs at least 3")]
    TooShort {
        /// Its name.
        name: String,
        /// Its frames.
        frames: usize,
    },
    /// The position of a joint is NaN, infinite or too far away.
    #[error(transparent)]
    NotFinite(#[from] NotFiniteError),
    /// The number of weights differs from that of joints, a weight is negative, or all are zero.
    #[error("{found} weights for {expected} joints; expected one for each, none negative")]
    Weights {
        /// The number of joints.
        expected: usize,
        /// The number of weights.
        found: usize,
    },
    /// A setting is out of range.
    #[error(transparent)]
    Setting(#[from] SettingError),
    /// No parts of the motions correspond.
    #[error(
        "{first:?} and {second:?} do not match: {reason}; the smallest mean joint distance is {nearest:.3} m"
    )]
    NoMatch {
        /// The name of the first motion.
        first: String,
        /// The name of the second.
        second: String,
        /// Why they do not match.
        reason: &'static str,
        /// The smallest distance of the grid, in metres.
        nearest: f64,
        /// The threshold, in metres: as given, or as derived from the distance grid. `None` if there was none.
        threshold: Option<f64>,
    },
}

pub(super) fn check(settings: &RegisterSettings) -> Result<(), RegisterError> {
    let numbers = [
        (
            "the window",
            f64::from(settings.window),
            0.0..=10.0,
            "0 to 10 seconds",
        ),
        ("the slope", settings.slope as f64, 1.0..=6.0, "1 to 6"),
    ];
    for (what, value, range, expected) in numbers {
        if !range.contains(&value) {
            return Err(RegisterError::Setting(SettingError {
                what,
                value,
                expected,
            }));
        }
    }
    let positive = |what: &'static str, value: f64, expected: &'static str| {
        if value > 0.0 && value.is_finite() {
            return Ok(());
        }
        Err(RegisterError::Setting(SettingError {
            what,
            value,
            expected,
        }))
    };
    if let Some(distance) = settings.max_distance {
        positive("the largest distance", distance, "metres above zero")?;
    }
    match settings.mode {
        RegisterMode::Transition { seconds, .. } => {
            positive("the length", f64::from(seconds), "seconds above zero")
        }
        RegisterMode::Between { first, second } => {
            let mut times = first.into_iter().chain(second).map(f64::from);
            match times.find(|time| !time.is_finite()) {
                None => Ok(()),
                Some(value) => Err(RegisterError::Setting(SettingError {
                    what: "an end of a segment",
                    value,
                    expected: "seconds",
                })),
            }
        }
        _ => Ok(()),
    }
}

pub(super) fn weights(
    settings: &RegisterSettings,
    motions: [Motion<'_>; 2],
) -> Result<Vec<f64>, RegisterError> {
    let points = motions[0].skeleton.len();
    if settings.weights.is_empty() {
        return Ok(default_weights(motions));
    }
    let weights = &settings.weights;
    let is_usable = weights
        .iter()
        .all(|weight| *weight >= 0.0 && weight.is_finite())
        && weights.iter().sum::<f64>() > 0.0;
    if weights.len() != points || !is_usable {
        return Err(RegisterError::Weights {
            expected: points,
            found: weights.len(),
        });
    }
    Ok(weights.clone())
}

/// 1 for all joints but those above the root-motion joint, which do not move with the body: they weigh 0.
pub(crate) fn default_weights(motions: [Motion<'_>; 2]) -> Vec<f64> {
    let mut weights = alloc::vec![1.0; motions[0].skeleton.len()];
    for motion in motions {
        let parent = |joint: &JointIndex| motion.skeleton.joint(*joint)?.parent;
        let root_joint = root_motion_joint(motion.skeleton, motion.animation);
        for above in core::iter::successors(parent(&root_joint), parent) {
            weights[above.index()] = 0.0;
        }
    }
    weights
}
