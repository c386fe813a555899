//! Registration curves as data: corresponding times of motions.

use super::alignment::Alignment;
use super::fingerprint::MotionFingerprint;
use super::plant_match::PlantMatch;
use super::spline::Spline;
use crate::math::GroundTransform;
use alloc::string::String;
use alloc::vec::Vec;

/// The degree of time curves.
pub const TIME_DEGREE: usize = 3;

/// The degree of alignment curves.
pub const PLACE_DEGREE: usize = 2;

/// A registration curve: corresponding times of motions, and the ground transform that aligns each with the
/// reference. Positions are from 0 to 1.
///
/// A [cyclic](Self::is_cyclic) curve is of loops: positions 0 and 1 are the same moment. Its times are those of
/// repeated loops: they rise from the phase of a motion at position 0, within its first cycle, to the same phase one
/// cycle later.
///
/// It is plain data: [`to_data`](Self::to_data) returns all of it, [`from_data`](Self::from_data) validates it. With
/// the feature `serde` it is serialized in that form.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(
    feature = "serde",
    serde(into = "RegistrationData", try_from = "RegistrationData")
)]
pub struct RegistrationCurve {
    tracks: Vec<Track>,
    reference: usize,
    plants: Vec<PlantMatch>,
    distance: f64,
}

/// A motion of a curve.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs, reason = "shared with sinew-author only")]
pub struct Track {
    pub name: String,
    /// In seconds.
    pub times: Spline,
    pub alignment: Alignment,
    /// The cycle of a loop; position 0 to 1 is one cycle.
    pub cycle: Option<LoopCycle>,
    /// The fingerprint of the motion, if known.
    pub fingerprint: Option<MotionFingerprint>,
}

/// One cycle of a loop.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct LoopCycle {
    /// The length in seconds; positive.
    pub seconds: f64,
    /// The ground transform from one cycle to the next.
    pub ground_transform: GroundTransform,
}

impl LoopCycle {
    /// Returns the sample time within the loop for a time that continues over cycles, and the accumulated ground
    /// transform of that pose.
    pub fn at(&self, time: f64) -> (f64, GroundTransform) {
        // The end of the first cycle is equivalent to the beginning of the next.
        if time <= self.seconds {
            return (time.max(0.0), GroundTransform::IDENTITY);
        }
        let cycles = libm::floor(time / self.seconds);
        let within = (time - cycles * self.seconds).clamp(0.0, self.seconds);
        (within, self.ground_transform.fraction(cycles))
    }
}

impl RegistrationCurve {
    #[doc(hidden)]
    pub fn new(tracks: Vec<Track>, reference: usize, distance: f64) -> Self {
        Self {
            tracks,
            reference,
            plants: Vec::new(),
            distance,
        }
    }

    #[doc(hidden)]
    pub fn with_plants(self, plants: Vec<PlantMatch>) -> Self {
        Self { plants, ..self }
    }

    /// Creates a curve without registration: positions are fractions of the lengths, and the alignment is the
    /// identity.
    pub fn even<'a>(motions: impl IntoIterator<Item = (&'a str, f32)>) -> Self {
        let track = |(name, length): (&str, f32)| {
            let length = if length.is_finite() {
                f64::from(length)
            } else {
                0.0
            };
            Self::even_track(name, [0.0, length.max(1e-6)], Alignment::identity())
        };
        Self::new(motions.into_iter().map(track).collect(), 0, 0.0)
    }

    /// Creates a track whose time is linear between two times.
    #[doc(hidden)]
    pub fn even_track(name: &str, [from, to]: [f64; 2], alignment: Alignment) -> Track {
        let step = (to - from) / TIME_DEGREE as f64;
        let controls = (0..=TIME_DEGREE).map(|index| from + index as f64 * step);
        Track {
            name: name.into(),
            times: Spline::new(TIME_DEGREE, controls.collect()),
            alignment,
            cycle: None,
            fingerprint: None,
        }
    }

    /// Returns whether the motions are loops that correspond over a whole cycle.
    pub fn is_cyclic(&self) -> bool {
        self.tracks
            .first()
            .is_some_and(|track| track.cycle.is_some())
    }

    /// Returns the cycle of a motion of a cyclic curve.
    pub fn cycle(&self, motion: usize) -> Option<LoopCycle> {
        self.tracks.get(motion)?.cycle
    }

    /// Returns the fingerprint of a motion, if known.
    pub fn fingerprint(&self, motion: usize) -> Option<&MotionFingerprint> {
        self.tracks.get(motion)?.fingerprint.as_ref()
    }

    /// Returns the sample time of a motion at a position, in seconds from its first frame, and the accumulated ground
    /// transform of the loop. For a curve that is not cyclic: [`time`](Self::time) and the identity.
    pub fn sample_time(&self, motion: usize, position: f64) -> (f64, GroundTransform) {
        let time = self.time(motion, position);
        match self.cycle(motion) {
            Some(cycle) => cycle.at(time),
            None => (time, GroundTransform::IDENTITY),
        }
    }

    /// Returns the number of motions.
    pub fn len(&self) -> usize {
        self.tracks.len()
    }

    /// Returns whether there are no motions.
    pub fn is_empty(&self) -> bool {
        self.tracks.is_empty()
    }

    /// Returns the name of a motion.
    pub fn name(&self, motion: usize) -> &str {
        self.tracks
            .get(motion)
            .map_or("", |track| track.name.as_str())
    }

    /// Returns the index of the reference motion, with which the others are aligned.
    pub fn reference(&self) -> usize {
        self.reference
    }

    /// Returns the time of a motion at a position, in seconds; 0 for a motion out of range.
    pub fn time(&self, motion: usize, position: f64) -> f64 {
        let track = self.tracks.get(motion);
        track.map_or(0.0, |track| track.times.at(position))
    }

    /// Returns the derivative of the time of a motion by position, in seconds. Positive.
    pub fn pace(&self, motion: usize, position: f64) -> f64 {
        let track = self.tracks.get(motion);
        track.map_or(0.0, |track| track.times.slope(position))
    }

    /// Returns the position of a time of a motion; clamped to the ends. On a cyclic curve every time has a position,
    /// in any cycle.
    pub fn position(&self, motion: usize, time: f64) -> f64 {
        let Some(track) = self.tracks.get(motion) else {
            return 0.0;
        };
        track
            .times
            .find(time - self.cycles_before(motion, time) * track.cycle_seconds())
    }

    /// Returns the number of whole cycles from the cycle of a cyclic curve to a time; 0 for other curves.
    pub(crate) fn cycles_before(&self, motion: usize, time: f64) -> f64 {
        let Some(track) = self
            .tracks
            .get(motion)
            .filter(|track| track.cycle.is_some())
        else {
            return 0.0;
        };
        let (start, seconds) = (track.times.at(0.0), track.cycle_seconds());
        // The end of a cycle belongs to that cycle, despite rounding.
        let rounding = 1e-9 * seconds;
        if time >= start - rounding && time <= start + seconds + rounding {
            return 0.0;
        }
        let cycles = libm::floor((time - start) / seconds);
        if cycles.is_finite() { cycles } else { 0.0 }
    }

    /// Returns the position of a motion `seconds` after `position`; faster than [`position`](Self::position).
    #[doc(hidden)]
    pub fn position_after(&self, motion: usize, position: f64, seconds: f64) -> f64 {
        let Some(track) = self.tracks.get(motion) else {
            return position;
        };
        let guess = position + seconds / track.times.slope(position);
        track
            .times
            .find_near(track.times.at(position) + seconds, guess)
    }

    /// Returns the ground transform that aligns a motion with the reference at a position.
    pub fn alignment(&self, motion: usize, position: f64) -> GroundTransform {
        let track = self.tracks.get(motion);
        track.map_or(GroundTransform::IDENTITY, |track| {
            track.alignment.at(position)
        })
    }

    /// Returns the plants that match in all motions, with their position spans.
    pub fn plants(&self) -> &[PlantMatch] {
        &self.plants
    }

    /// Returns the mean joint distance along the curve in metres: the root mean square over windows of frames, each
    /// optimally aligned.
    pub fn distance(&self) -> f64 {
        self.distance
    }

    /// Returns times of a motion at evenly spaced positions from 0 to 1, in seconds: sync markers for players without
    /// registration curves. At least 2. Those of a cyclic curve rise beyond the length of the loop; the last is the
    /// first one a cycle later.
    pub fn markers(&self, motion: usize, count: usize) -> Vec<f64> {
        let count = count.max(2);
        let position = |index: usize| index as f64 / (count - 1) as f64;
        (0..count)
            .map(|index| self.time(motion, position(index)))
            .collect()
    }

    /// Returns the curve as plain data.
    pub fn to_data(&self) -> RegistrationData {
        let motion = |track: &Track| RegisteredMotion {
            name: track.name.clone(),
            times: track.times.controls().to_vec(),
            angles: track.alignment.angle.controls().to_vec(),
            xs: track.alignment.x.controls().to_vec(),
            zs: track.alignment.z.controls().to_vec(),
            cycle: track.cycle,
            fingerprint: track.fingerprint.clone(),
        };
        RegistrationData {
            motions: self.tracks.iter().map(motion).collect(),
            reference: self.reference,
            plants: self.plants.clone(),
            distance: self.distance,
        }
    }

    /// Creates a curve from plain data.
    ///
    /// # Errors
    /// If curves have too few control points, times do not rise, numbers are not finite, the reference is out of
    /// range, plants are outside the positions, or cycles do not fit.
    pub fn from_data(data: RegistrationData) -> Result<Self, RegistrationDataError> {
        let count = data.motions.len();
        if data.reference >= count {
            return Err(RegistrationDataError::Reference {
                reference: data.reference,
                count,
            });
        }
        let is_cyclic = data.motions.iter().any(|motion| motion.cycle.is_some());
        let mut tracks = Vec::with_capacity(count);
        for (motion, registered) in data.motions.into_iter().enumerate() {
            let curves = [
                ("times", &registered.times, TIME_DEGREE),
                ("angles", &registered.angles, PLACE_DEGREE),
                ("xs", &registered.xs, PLACE_DEGREE),
                ("zs", &registered.zs, PLACE_DEGREE),
            ];
            for (curve, numbers, degree) in curves {
                if numbers.len() <= degree {
                    return Err(RegistrationDataError::Short {
                        motion,
                        curve,
                        found: numbers.len(),
                        least: degree + 1,
                    });
                }
                if !numbers.iter().all(|number| number.is_finite()) {
                    return Err(RegistrationDataError::NotFinite { motion, curve });
                }
            }
            if registered.times.windows(2).any(|pair| pair[1] <= pair[0]) {
                return Err(RegistrationDataError::Falls { motion });
            }
            if registered.cycle.is_some() != is_cyclic {
                return Err(RegistrationDataError::Cyclic { motion });
            }
            if let Some(cycle) = &registered.cycle {
                check_cycle(cycle, &registered.times)
                    .map_err(|problem| RegistrationDataError::Cycle { motion, problem })?;
            }
            if let Some(fingerprint) = &registered.fingerprint
                && !(fingerprint.length >= 0.0
                    && fingerprint.length.is_finite()
                    && fingerprint
                        .moments
                        .iter()
                        .flatten()
                        .flatten()
                        .all(|number| number.is_finite()))
            {
                return Err(RegistrationDataError::NotFinite {
                    motion,
                    curve: "fingerprint",
                });
            }
            tracks.push(Track {
                name: registered.name,
                times: Spline::new(TIME_DEGREE, registered.times),
                alignment: Alignment {
                    angle: Spline::new(PLACE_DEGREE, registered.angles),
                    x: Spline::new(PLACE_DEGREE, registered.xs),
                    z: Spline::new(PLACE_DEGREE, registered.zs),
                },
                cycle: registered.cycle,
                fingerprint: registered.fingerprint,
            });
        }
        for (plant, plant_match) in data.plants.iter().enumerate() {
            let is_inside = |[from, to]: &[f64; 2]| *from >= 0.0 && *to <= 1.0 && from <= to;
            if plant_match.spans.len() != count || !plant_match.spans.iter().all(is_inside) {
                return Err(RegistrationDataError::Plant { plant });
            }
        }
        if !(data.distance >= 0.0 && data.distance.is_finite()) {
            return Err(RegistrationDataError::Distance);
        }
        let curve = Self::new(tracks, data.reference, data.distance);
        Ok(curve.with_plants(data.plants))
    }
}

impl Track {
    fn cycle_seconds(&self) -> f64 {
        self.cycle.map_or(0.0, |cycle| cycle.seconds)
    }
}

/// The tolerance of the times of a cyclic curve, as a share of the cycle.
const CYCLE_TOLERANCE: f64 = 1e-6;

/// Checks that times begin in the first cycle and end one cycle later.
fn check_cycle(cycle: &LoopCycle, times: &[f64]) -> Result<(), &'static str> {
    let GroundTransform { angle, x, z } = cycle.ground_transform;
    let is_finite = [cycle.seconds, angle, x, z]
        .iter()
        .all(|number| number.is_finite());
    if !(is_finite && cycle.seconds > 0.0) {
        return Err("finite numbers, and seconds above zero");
    }
    let (Some(first), Some(last)) = (times.first(), times.last()) else {
        return Err("times");
    };
    let error = last - first - cycle.seconds;
    if error.abs() > CYCLE_TOLERANCE * cycle.seconds {
        return Err("times that rise by one cycle");
    }
    if !(0.0..=cycle.seconds).contains(first) {
        return Err("times that begin in the first cycle");
    }
    Ok(())
}

/// A [`RegistrationCurve`] as plain numbers.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct RegistrationData {
    /// The motions.
    pub motions: Vec<RegisteredMotion>,
    /// The index of the reference motion.
    pub reference: usize,
    /// Plants that match in all motions.
    pub plants: Vec<PlantMatch>,
    /// The mean joint distance in metres.
    pub distance: f64,
}

/// A motion in [`RegistrationData`]: control points of uniform, clamped B-splines over [0, 1].
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct RegisteredMotion {
    /// The name.
    pub name: String,
    /// Times in seconds, rising; of degree 3, at least 4.
    pub times: Vec<f64>,
    /// Rotations about the vertical in radians; of degree 2, at least 3.
    pub angles: Vec<f64>,
    /// Translations along x in metres; of degree 2, at least 3.
    pub xs: Vec<f64>,
    /// Translations along z in metres; of degree 2, at least 3.
    pub zs: Vec<f64>,
    /// The cycle of a loop, for all motions of a cyclic curve: times rise by its seconds.
    #[cfg_attr(feature = "serde", serde(default))]
    pub cycle: Option<LoopCycle>,
    /// The fingerprint of the motion, if known.
    #[cfg_attr(feature = "serde", serde(default))]
    pub fingerprint: Option<MotionFingerprint>,
}

/// An error of validating [`RegistrationData`].
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RegistrationDataError {
    /// The reference is out of range.
    #[error("the reference is motion {reference}; there are {count}")]
    Reference {
        /// The index of the reference.
        reference: usize,
        /// The number of motions.
        count: usize,
    },
    /// A curve has too few control points.
    #[error("motion {motion} has {found} {curve}; expected at least {least}")]
    Short {
        /// The index of the motion.
        motion: usize,
        /// The name of the curve.
        curve: &'static str,
        /// The number of control points.
        found: usize,
        /// The minimum number.
        least: usize,
    },
    /// A number is not finite.
    #[error("motion {motion} has {curve} that are not finite")]
    NotFinite {
        /// The index of the motion.
        motion: usize,
        /// The name of the curve.
        curve: &'static str,
    },
    /// Times do not rise.
    #[error("motion {motion} has times that do not rise")]
    Falls {
        /// The index of the motion.
        motion: usize,
    },
    /// A plant does not have one span within 0 and 1 for each motion.
    #[error("plant {plant} must have one span within 0 to 1 for each motion")]
    Plant {
        /// The index of the plant.
        plant: usize,
    },
    /// Some motions have a cycle and others do not.
    #[error("motion {motion} has no cycle, but others have")]
    Cyclic {
        /// The index of the motion.
        motion: usize,
    },
    /// A cycle does not fit its motion.
    #[error("motion {motion} has a cycle that cannot be used; expected {problem}")]
    Cycle {
        /// The index of the motion.
        motion: usize,
        /// The requirement.
        problem: &'static str,
    },
    /// The distance is negative or not finite.
    #[error("the distance is not a finite number of metres")]
    Distance,
}

impl From<RegistrationCurve> for RegistrationData {
    fn from(curve: RegistrationCurve) -> Self {
        curve.to_data()
    }
}

impl TryFrom<RegistrationData> for RegistrationCurve {
    type Error = RegistrationDataError;

    fn try_from(data: RegistrationData) -> Result<Self, Self::Error> {
        Self::from_data(data)
    }
}
