//! Fingerprints of the motions of a registration curve, to detect other motions.
//!
//! A fingerprint is the length and the model-space positions of six joints at eight evenly spaced times. Motions are the
//! same if lengths agree within 0.05 s and every position within 6 % of the size of the body. Positions, and not a hash
//! of the keys: converted, resampled or compressed, a motion has other keys and nearly the same positions.
//!
//! Computing or checking one costs eight samples with their forward kinematics.

use super::curve::RegistrationCurve;
use super::motion::Motion;
use crate::sample::Sampler;
use crate::skeleton::JointIndex;
use alloc::string::String;
use alloc::vec::Vec;

/// The number of sampled times per motion, the first and last frame included.
const MOMENTS: usize = 8;

/// The number of sampled joints, spread over the skeleton: enough to distinguish left from right.
const JOINTS: usize = 6;

/// The maximum distance of a joint from its recorded position, as a share of the body size: 8 cm for a person.
/// Compression moves joints by millimetres, resampling a run to 30 Hz by 3 cm, another take of the same walk by more.
const TOLERANCE: f64 = 0.06;

/// Rounding of positions: steps per metre.
const DIGITS: f64 = 1e4;

/// The maximum difference of lengths in seconds: about a frame of film.
const LENGTH_TOLERANCE: f64 = 0.05;

/// Joint positions of a motion at a few times: enough to distinguish it from other motions in any storage format.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct MotionFingerprint {
    /// Seconds from the first frame to the last.
    pub length: f64,
    /// At evenly spaced times from the first frame to the last: positions of some joints in metres, evenly spaced
    /// from the first joint of the skeleton to the last.
    pub moments: Vec<Vec<[f64; 3]>>,
}

/// An error of using a curve with motions that it was not computed from.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MotionMismatch {
    /// The length differs.
    #[error(
        "motion {motion} of the curve is {expected:?}, {length:.2} s long; {found:?} is {found_length:.2} s long"
    )]
    Length {
        /// The index of the motion in the curve.
        motion: usize,
        /// Its name in the curve.
        expected: String,
        /// Its length in the curve, in seconds.
        length: f64,
        /// The name of the motion.
        found: String,
        /// The length of the motion, in seconds.
        found_length: f64,
    },
    /// A joint position differs.
    #[error(
        "motion {motion} of the curve is {expected:?}; {found:?} is another one: {distance:.2} m away at {time:.2} s"
    )]
    Place {
        /// The index of the motion in the curve.
        motion: usize,
        /// Its name in the curve.
        expected: String,
        /// The name of the motion.
        found: String,
        /// The time in seconds.
        time: f64,
        /// The distance of the joint from its recorded position, in metres.
        distance: f64,
    },
    /// The number of motions differs.
    #[error("the curve is of {expected} motions; there are {found}")]
    Count {
        /// The number of motions of the curve.
        expected: usize,
        /// The number of motions given.
        found: usize,
    },
}

impl MotionFingerprint {
    /// Computes the fingerprint of a motion.
    pub fn of(motion: Motion<'_>) -> Self {
        let length = f64::from(motion.animation.length);
        let mut sampler = Sampler::new(motion.skeleton, motion.animation);
        let moments = (0..MOMENTS).map(|index| {
            let time = length * index as f64 / (MOMENTS - 1) as f64;
            moment(&mut sampler, motion, time)
        });
        Self {
            moments: moments.collect(),
            length,
        }
    }
}

/// Returns the positions of the sampled joints.
fn moment(sampler: &mut Sampler<'_>, motion: Motion<'_>, time: f64) -> Vec<[f64; 3]> {
    let model = sampler.model_at((time as f32).min(motion.animation.length));
    let last = motion.skeleton.len().saturating_sub(1);
    let count = JOINTS.min(last + 1);
    // The first joint, the last one, and others evenly between them.
    let joints = (0..count).map(|index| index * last / (count - 1).max(1));
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

/// Returns the maximum distance from the first joint.
fn size(places: &[[f64; 3]]) -> f64 {
    let from_first = places.iter().map(|place| distance(*place, places[0]));
    from_first.fold(0.0, f64::max)
}

impl RegistrationCurve {
    /// Checks that these are the motions that the curve was computed from, in its order: equal lengths, and joint
    /// positions within 6 % of the body size, in any storage format. Motions without a
    /// [fingerprint](super::RegisteredMotion::fingerprint) are not checked.
    ///
    /// # Errors
    /// The first difference.
    pub fn check_motions(&self, motions: &[Motion<'_>]) -> Result<(), MotionMismatch> {
        if motions.len() != self.len() {
            return Err(MotionMismatch::Count {
                expected: self.len(),
                found: motions.len(),
            });
        }
        for (index, motion) in motions.iter().enumerate() {
            let Some(fingerprint) = self.fingerprint(index) else {
                continue;
            };
            let found = || motion.animation.name.clone();
            let length = f64::from(motion.animation.length);
            let difference = (length - fingerprint.length).abs();
            if difference.is_nan() || difference > LENGTH_TOLERANCE {
                return Err(MotionMismatch::Length {
                    motion: index,
                    expected: self.name(index).into(),
                    length: fingerprint.length,
                    found: found(),
                    found_length: length,
                });
            }
            let mut sampler = Sampler::new(motion.skeleton, motion.animation);
            let last = fingerprint.moments.len().saturating_sub(1).max(1);
            for (index, recorded) in fingerprint.moments.iter().enumerate() {
                let time = fingerprint.length * index as f64 / last as f64;
                let positions = moment(&mut sampler, *motion, time);
                let pairs = recorded.iter().zip(&positions);
                let distance = pairs.fold(0.0, |max: f64, (a, b)| max.max(distance(*a, *b)));
                // The floor of 0.1 m keeps a tolerance for skeletons whose sampled joints coincide.
                let is_near = distance <= TOLERANCE * size(recorded).max(size(&positions)).max(0.1);
                if !is_near || recorded.len() != positions.len() {
                    return Err(MotionMismatch::Place {
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
