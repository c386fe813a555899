//! What a registration curve was made from, so that other motions are noticed.

use super::curve::RegistrationCurve;
use super::motion::Motion;
use crate::sample::Sampler;
use crate::skeleton::JointIndex;
use alloc::string::String;
use alloc::vec::Vec;

/// Moments of a motion that are recorded, its first and last among them.
const MOMENTS: usize = 8;

/// Joints that are recorded at each, spread over the skeleton: enough to tell left from right.
const JOINTS: usize = 6;

/// How far a joint may be from where it was, as a share of the size of the body: 8 cm for a person. Compression moves
/// joints by millimetres, resampling a run to 30 Hz by 3 cm, another take of the same walk by more.
const TOLERANCE: f64 = 0.06;

/// Digits of a metre that are kept.
const DIGITS: f64 = 1e4;

/// How much the length may differ, in seconds: a frame of film.
const LENGTH_TOLERANCE: f64 = 0.05;

/// Where joints of a motion were at some moments: enough to tell it from other motions, however it was stored.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct MotionFingerprint {
    /// Seconds from the first frame to the last.
    pub length: f64,
    /// At even moments from the first frame to the last: where some joints are, in metres, the first and the last of the
    /// skeleton among them and the others evenly between.
    pub moments: Vec<Vec<[f64; 3]>>,
}

/// A motion is not the one that a curve was made from.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum OtherMotion {
    /// It is longer or shorter.
    #[error(
        "motion {motion} of the curve is {expected:?}, {length:.2} s long; {found:?} is {found_length:.2} s long"
    )]
    Length {
        /// Which motion of the curve.
        motion: usize,
        /// What the curve calls it.
        expected: String,
        /// How long it was, in seconds.
        length: f64,
        /// The name of the motion.
        found: String,
        /// How long it is, in seconds.
        found_length: f64,
    },
    /// A joint is somewhere else.
    #[error(
        "motion {motion} of the curve is {expected:?}; {found:?} is another one: {distance:.2} m away at {time:.2} s"
    )]
    Place {
        /// Which motion of the curve.
        motion: usize,
        /// What the curve calls it.
        expected: String,
        /// The name of the motion.
        found: String,
        /// When, in seconds.
        time: f64,
        /// How far a joint is from where it was, in metres.
        distance: f64,
    },
    /// The curve has more motions, or fewer.
    #[error("the curve is of {expected} motions; there are {found}")]
    Count {
        /// Motions of the curve.
        expected: usize,
        /// Motions.
        found: usize,
    },
}

impl MotionFingerprint {
    /// What a motion is.
    pub fn of(motion: Motion<'_>) -> Self {
        let length = f64::from(motion.animation.length);
        let mut sampler = Sampler::new(motion.skeleton, motion.animation);
        let moments = (0..MOMENTS).map(|at| {
            let time = length * at as f64 / (MOMENTS - 1) as f64;
            moment(&mut sampler, motion, time)
        });
        Self {
            moments: moments.collect(),
            length,
        }
    }
}

/// Where the recorded joints are.
fn moment(sampler: &mut Sampler<'_>, motion: Motion<'_>, time: f64) -> Vec<[f64; 3]> {
    let model = sampler.model_at((time as f32).min(motion.animation.length));
    let last = motion.skeleton.len().saturating_sub(1);
    let count = JOINTS.min(last + 1);
    let joints = (0..count).map(|at| at * last / (count - 1).max(1));
    let place = |joint: usize| {
        let place = model.position(JointIndex::from(joint));
        [place.x, place.y, place.z].map(|number| libm::rint(f64::from(number) * DIGITS) / DIGITS)
    };
    joints.map(place).collect()
}

fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    let squares = a.iter().zip(&b).map(|(a, b)| (a - b) * (a - b));
    libm::sqrt(squares.sum())
}

/// The largest distance from the first of some joints.
fn size(places: &[[f64; 3]]) -> f64 {
    let from_first = places.iter().map(|place| distance(*place, places[0]));
    from_first.fold(0.0, f64::max)
}

impl RegistrationCurve {
    /// Whether these are the motions that the curve was made from, in its order: as long, and with the joints in the
    /// same places to within 6 % of the size of the body, however they are stored. What the curve knows no
    /// [fingerprint](super::RegisteredMotion::fingerprint) of is not checked.
    ///
    /// # Errors
    /// With the first difference.
    pub fn check_motions(&self, motions: &[Motion<'_>]) -> Result<(), OtherMotion> {
        if motions.len() != self.len() {
            return Err(OtherMotion::Count {
                expected: self.len(),
                found: motions.len(),
            });
        }
        for (index, motion) in motions.iter().enumerate() {
            let Some(known) = self.fingerprint(index) else {
                continue;
            };
            let found = || motion.animation.name.clone();
            let length = f64::from(motion.animation.length);
            let off = (length - known.length).abs();
            if off.is_nan() || off > LENGTH_TOLERANCE {
                return Err(OtherMotion::Length {
                    motion: index,
                    expected: self.name(index).into(),
                    length: known.length,
                    found: found(),
                    found_length: length,
                });
            }
            let mut sampler = Sampler::new(motion.skeleton, motion.animation);
            let last = known.moments.len().saturating_sub(1).max(1);
            for (at, places) in known.moments.iter().enumerate() {
                let time = known.length * at as f64 / last as f64;
                let own = moment(&mut sampler, *motion, time);
                let pairs = places.iter().zip(&own);
                let distance = pairs.fold(0.0, |most: f64, (a, b)| most.max(distance(*a, *b)));
                let is_near = distance <= TOLERANCE * size(places).max(size(&own)).max(0.1);
                if !is_near || places.len() != own.len() {
                    return Err(OtherMotion::Place {
                        motion: index,
                        expected: self.name(index).into(),
                        found: found(),
                        time,
                        distance,
                    });
                }
            }
        }
        Ok(())
    }
}
