//! What registration is asked for, and why it may refuse.

use alloc::string::String;
use alloc::vec::Vec;
use sinew::anatomy::root_motion_joint;
use sinew::registration::{Motion, SkeletonDifference};
use sinew::skeleton::JointIndex;

/// How many motions are registered together at most.
pub(super) const MOST_MOTIONS: usize = 32;

/// Which parts of two motions correspond.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum RegisterMode {
    /// [`Cyclic`](Self::Cyclic) if all motions are loops, [`Local`](Self::Local) otherwise. A motion is a loop if it says
    /// so ([`Animation::looping`](sinew::Animation::looping)), or if its last pose is its first one, moved over the ground, to within 0.4 % of the
    /// size of the body.
    #[default]
    Auto,
    /// All of both, from first to last frame. Whatever their distance, they match.
    Full,
    /// Given stretches of two motions, in seconds. Whatever their distance, they match.
    Between {
        /// Start and end in the first motion.
        first: [f32; 2],
        /// Start and end in the second.
        second: [f32; 2],
    },
    /// A stretch of both about the moments that are nearest to each other: for a transition from the first to the
    /// second.
    Transition {
        /// How long the stretch is, in seconds.
        seconds: f32,
        /// Start and end of where its middle may be in the first motion, in seconds; anywhere if `None`.
        within: Option<[f32; 2]>,
    },
    /// The stretches that are nearest to each other, wherever they are.
    Local,
    /// One cycle of each of two loops, whatever their phases: positions 0 and 1 are the same moment.
    Cyclic,
}

/// How motions are registered.
#[derive(Clone, Debug, PartialEq)]
pub struct RegisterSettings {
    /// Which parts correspond.
    pub mode: RegisterMode,
    /// The threshold: the largest distance of joints, as the root of the mean square in metres, at which moments match.
    /// `None` derives it from the distance grid, from how near most moments of one motion come to any of the other.
    /// For [`RegisterMode::Transition`] it is then 55 % of the size of the body. Ignored by [`RegisterMode::Full`] and
    /// [`RegisterMode::Between`].
    pub max_distance: Option<f64>,
    /// Seconds to either side of a moment that are compared with it, so that speeds count too.
    pub window: f32,
    /// The slope limit: how many frames of one motion may pass in a row while the other stands still, 1 to 6. The
    /// pace of one is then at most this and one times that of the other, at every position of the curve: from 0.5 to 2 with a
    /// limit of 1. Of several motions each keeps so to the reference. Motions whose whole lengths have to correspond and
    /// differ by more do not match.
    pub slope: usize,
    /// How much each joint counts. Where it is empty all count the same, but for those above the joint that
    /// carries the figure along.
    pub weights: Vec<f64>,
    /// Whether some frames are compared first, and all frames only near the path through those: a fraction of the
    /// time for long motions, and hardly ever another path. [`RegisterMode::Local`] compares 30 frames per second of the
    /// first motion with all of the second, since fewer do not tell which of several cycles is nearest; other modes every
    /// fourth frame of both. Motions whose frames make more than 16 million pairs are compared so in any case.
    pub is_coarse_first: bool,
    /// Whether moments are moved by fractions of frames to where motions are nearest.
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
    /// The motions are of skeletons that are built differently.
    #[error("{first:?} and {second:?} are of different skeletons: {difference}")]
    Skeletons {
        /// The name of the first motion.
        first: String,
        /// The name of the second.
        second: String,
        /// What differs.
        difference: SkeletonDifference,
    },
    /// There are not two motions, or too many.
    #[error("{count} motions; expected 2 to {most}", most = MOST_MOTIONS)]
    Count {
        /// How many.
        count: usize,
    },
    /// A motion has hardly any frames.
    #[error("{name:?} has {frames} frames; registration needs at least 3")]
    TooShort {
        /// Its name.
        name: String,
        /// Its frames.
        frames: usize,
    },
    /// A joint is nowhere.
    #[error(
        "{name:?} puts a joint nowhere at {time} seconds: a number is not finite, or beyond a million kilometres"
    )]
    NotFinite {
        /// The name of the motion.
        name: String,
        /// When.
        time: f32,
    },
    /// There are more or fewer weights than joints, or they do not sum to a number above zero.
    #[error("{found} weights for {expected} joints; expected one for each, none negative")]
    Weights {
        /// Joints.
        expected: usize,
        /// Weights.
        found: usize,
    },
    /// A setting is no number that can be used.
    #[error("{what} is {value}; expected {expected}")]
    Setting {
        /// Which.
        what: &'static str,
        /// What it is.
        value: f64,
        /// What it could be.
        expected: &'static str,
    },
    /// The motions have nothing in common.
    #[error(
        "{first:?} and {second:?} do not match: {reason}; the nearest moments are {nearest:.3} m apart in the mean"
    )]
    NoMatch {
        /// The name of the first motion.
        first: String,
        /// The name of the second.
        second: String,
        /// Why not.
        reason: &'static str,
        /// The least distance of any two moments, in metres.
        nearest: f64,
        /// The threshold, in metres: as given, or as derived from the distance grid. `None` where there was none.
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
            return Err(RegisterError::Setting {
                what,
                value,
                expected,
            });
        }
    }
    let positive = |what: &'static str, value: f64, expected: &'static str| {
        if value > 0.0 && value.is_finite() {
            return Ok(());
        }
        Err(RegisterError::Setting {
            what,
            value,
            expected,
        })
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
                Some(value) => Err(RegisterError::Setting {
                    what: "an end of a stretch",
                    value,
                    expected: "seconds",
                }),
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
        return Ok(usual_weights(motions));
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

/// All joints count alike, but for those above the one that carries the figure along: they stay behind.
pub(crate) fn usual_weights(motions: [Motion<'_>; 2]) -> Vec<f64> {
    let mut weights = alloc::vec![1.0; motions[0].skeleton.len()];
    for motion in motions {
        let parent = |joint: &JointIndex| motion.skeleton.joint(*joint)?.parent;
        let carrier = root_motion_joint(motion.skeleton, motion.animation);
        for above in core::iter::successors(parent(&carrier), parent) {
            weights[above.index()] = 0.0;
        }
    }
    weights
}
