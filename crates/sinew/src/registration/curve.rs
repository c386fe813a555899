//! Which moments of motions correspond, as data.

use super::alignment::Alignment;
use super::fingerprint::MotionFingerprint;
use super::plant_match::PlantMatch;
use super::spline::Spline;
use crate::math::GroundTransform;
use alloc::string::String;
use alloc::vec::Vec;

/// Degree of the curves of moments.
pub const TIME_DEGREE: usize = 3;

/// Degree of the curves of turns and shifts.
pub const PLACE_DEGREE: usize = 2;

/// Which moments of motions correspond, and how each is laid on one of them. Positions go from 0 to 1.
///
/// A [cyclic](Self::is_cyclic) curve is of loops: positions 0 and 1 are the same moment. Its times are those of loops
/// that are played again and again: they rise from the phase that a motion has at position 0, within its first cycle,
/// to the same phase one cycle later.
///
/// It is data: [`to_data`](Self::to_data) has all of it, [`from_data`](Self::from_data) checks it. With the
/// feature `serde` it is written and read as that.
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
    /// What it is a loop of; one cycle passes from position 0 to 1.
    pub cycle: Option<LoopCycle>,
    /// What it was registered as, where that is known.
    pub fingerprint: Option<MotionFingerprint>,
}

/// One cycle of a loop.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct LoopCycle {
    /// How long it takes. Above zero.
    pub seconds: f64,
    /// What it moves the figure by: the next cycle begins there.
    pub ground_transform: GroundTransform,
}

impl LoopCycle {
    /// When a loop is sampled at a time of it that goes on from cycle to cycle, and what lays that pose where the loop has
    /// led by then.
    pub fn at(&self, time: f64) -> (f64, GroundTransform) {
        // The end of the first cycle is as good as the beginning of the next.
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

    /// Motions that share nothing but that each goes from its beginning to its end: positions are shares of
    /// their lengths, nothing is moved. What there is without a registration.
    pub fn even<'a>(motions: impl IntoIterator<Item = (&'a str, f32)>) -> Self {
        let track = |(name, length): (&str, f32)| {
            let length = if length.is_finite() {
                f64::from(length)
            } else {
                0.0
            };
            Self::even_track(name, [0.0, length.max(1e-6)], Alignment::none())
        };
        Self::new(motions.into_iter().map(track).collect(), 0, 0.0)
    }

    /// A motion whose time goes evenly from one moment to another.
    #[doc(hidden)]
    pub fn even_track(name: &str, [from, to]: [f64; 2], alignment: Alignment) -> Track {
        let step = (to - from) / TIME_DEGREE as f64;
        let controls = (0..=TIME_DEGREE).map(|at| from + at as f64 * step);
        Track {
            name: name.into(),
            times: Spline::new(TIME_DEGREE, controls.collect()),
            alignment,
            cycle: None,
            fingerprint: None,
        }
    }

    /// Whether motions are loops that correspond over a whole cycle.
    pub fn is_cyclic(&self) -> bool {
        self.tracks.first().is_some_and(|own| own.cycle.is_some())
    }

    /// The cycle of a motion of a cyclic curve.
    pub fn cycle(&self, motion: usize) -> Option<LoopCycle> {
        self.tracks.get(motion)?.cycle
    }

    /// What a motion was registered as, where that is known.
    pub fn fingerprint(&self, motion: usize) -> Option<&MotionFingerprint> {
        self.tracks.get(motion)?.fingerprint.as_ref()
    }

    /// The moment at which a motion is sampled at a position, in seconds from its first frame, and what lays that pose
    /// where the loop has led by then. For a curve that is not cyclic: [`time`](Self::time) and no move.
    pub fn sample_time(&self, motion: usize, position: f64) -> (f64, GroundTransform) {
        let time = self.time(motion, position);
        match self.cycle(motion) {
            Some(cycle) => cycle.at(time),
            None => (time, GroundTransform::IDENTITY),
        }
    }

    /// How many motions there are.
    pub fn len(&self) -> usize {
        self.tracks.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.tracks.is_empty()
    }

    /// What a motion is called.
    pub fn name(&self, motion: usize) -> &str {
        self.tracks.get(motion).map_or("", |own| own.name.as_str())
    }

    /// The motion that the others are laid on.
    pub fn reference(&self) -> usize {
        self.reference
    }

    /// The moment of a motion at a position, in seconds; 0 for a motion that is not there.
    pub fn time(&self, motion: usize, position: f64) -> f64 {
        let track = self.tracks.get(motion);
        track.map_or(0.0, |own| own.times.at(position))
    }

    /// How many seconds of a motion pass per position there. Above zero.
    pub fn pace(&self, motion: usize, position: f64) -> f64 {
        let track = self.tracks.get(motion);
        track.map_or(0.0, |own| own.times.slope(position))
    }

    /// The position of a motion's moment; the ends for moments outside. Of a cyclic curve every moment has one,
    /// whichever cycle it is in.
    pub fn position(&self, motion: usize, time: f64) -> f64 {
        let Some(own) = self.tracks.get(motion) else {
            return 0.0;
        };
        own.times
            .find(time - self.cycles_before(motion, time) * own.cycle_seconds())
    }

    /// How many whole cycles a moment is after the one that a cyclic curve covers; 0 for other curves.
    pub(crate) fn cycles_before(&self, motion: usize, time: f64) -> f64 {
        let Some(own) = self.tracks.get(motion).filter(|own| own.cycle.is_some()) else {
            return 0.0;
        };
        let (start, seconds) = (own.times.at(0.0), own.cycle_seconds());
        // The end belongs to the cycle that it ends, however it was rounded.
        let rounding = 1e-9 * seconds;
        if time >= start - rounding && time <= start + seconds + rounding {
            return 0.0;
        }
        let cycles = libm::floor((time - start) / seconds);
        if cycles.is_finite() { cycles } else { 0.0 }
    }

    /// The position at which a motion is so many seconds after it is at another one; sooner found than by
    /// [`position`](Self::position).
    #[doc(hidden)]
    pub fn position_after(&self, motion: usize, position: f64, seconds: f64) -> f64 {
        let Some(own) = self.tracks.get(motion) else {
            return position;
        };
        let guess = position + seconds / own.times.slope(position);
        own.times.find_near(own.times.at(position) + seconds, guess)
    }

    /// What lays a motion on the reference at a position.
    pub fn alignment(&self, motion: usize, position: f64) -> GroundTransform {
        let track = self.tracks.get(motion);
        track.map_or(GroundTransform::IDENTITY, |own| own.alignment.at(position))
    }

    /// Feet that stand in all motions, and from which position to which.
    pub fn plants(&self) -> &[PlantMatch] {
        &self.plants
    }

    /// The distance of joints along the curve, in metres: the root of the mean square over windows of frames, each laid
    /// where it fits best.
    pub fn distance(&self) -> f64 {
        self.distance
    }

    /// Moments of a motion at even positions from 0 to 1, in seconds: sync markers for players that know nothing of
    /// curves. At least 2. Those of a cyclic curve rise beyond the length of the loop; the last is the first one,
    /// a cycle later.
    pub fn markers(&self, motion: usize, count: usize) -> Vec<f64> {
        let count = count.max(2);
        let position = |at: usize| at as f64 / (count - 1) as f64;
        (0..count)
            .map(|at| self.time(motion, position(at)))
            .collect()
    }

    /// All of it, to be kept.
    pub fn to_data(&self) -> RegistrationData {
        let motion = |own: &Track| RegisteredMotion {
            name: own.name.clone(),
            times: own.times.controls().to_vec(),
            angles: own.alignment.angle.controls().to_vec(),
            xs: own.alignment.x.controls().to_vec(),
            zs: own.alignment.z.controls().to_vec(),
            cycle: own.cycle,
            fingerprint: own.fingerprint.clone(),
        };
        RegistrationData {
            motions: self.tracks.iter().map(motion).collect(),
            reference: self.reference,
            plants: self.plants.clone(),
            distance: self.distance,
        }
    }

    /// From what was kept.
    ///
    /// # Errors
    /// When curves have too few control points, moments do not rise, numbers are not finite, the reference is
    /// not there, plants are not within positions, or cycles do not fit.
    pub fn from_data(data: RegistrationData) -> Result<Self, RegistrationDataError> {
        let count = data.motions.len();
        if data.reference >= count {
            return Err(RegistrationDataError::Reference {
                reference: data.reference,
                count,
            });
        }
        let is_cyclic = data.motions.iter().any(|own| own.cycle.is_some());
        let mut tracks = Vec::with_capacity(count);
        for (motion, own) in data.motions.into_iter().enumerate() {
            let curves = [
                ("times", &own.times, TIME_DEGREE),
                ("angles", &own.angles, PLACE_DEGREE),
                ("xs", &own.xs, PLACE_DEGREE),
                ("zs", &own.zs, PLACE_DEGREE),
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
            if own.times.windows(2).any(|pair| pair[1] <= pair[0]) {
                return Err(RegistrationDataError::Falls { motion });
            }
            if own.cycle.is_some() != is_cyclic {
                return Err(RegistrationDataError::Cyclic { motion });
            }
            if let Some(cycle) = &own.cycle {
                check_cycle(cycle, &own.times)
                    .map_err(|problem| RegistrationDataError::Cycle { motion, problem })?;
            }
            if let Some(known) = &own.fingerprint
                && !(known.length >= 0.0
                    && known.length.is_finite()
                    && known
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
                name: own.name,
                times: Spline::new(TIME_DEGREE, own.times),
                alignment: Alignment {
                    angle: Spline::new(PLACE_DEGREE, own.angles),
                    x: Spline::new(PLACE_DEGREE, own.xs),
                    z: Spline::new(PLACE_DEGREE, own.zs),
                },
                cycle: own.cycle,
                fingerprint: own.fingerprint,
            });
        }
        for (plant, own) in data.plants.iter().enumerate() {
            let is_inside = |[from, to]: &[f64; 2]| *from >= 0.0 && *to <= 1.0 && from <= to;
            if own.spans.len() != count || !own.spans.iter().all(is_inside) {
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

/// How far the times of a cyclic curve may be off a whole cycle, as a share of it.
const CYCLE_TOLERANCE: f64 = 1e-6;

/// Whether times begin in the first cycle and end one cycle later.
fn check_cycle(cycle: &LoopCycle, times: &[f64]) -> Result<(), &'static str> {
    let GroundTransform { angle, x, z } = cycle.ground_transform;
    let is_finite = [cycle.seconds, angle, x, z]
        .iter()
        .all(|own| own.is_finite());
    if !(is_finite && cycle.seconds > 0.0) {
        return Err("finite numbers, and seconds above zero");
    }
    let (Some(first), Some(last)) = (times.first(), times.last()) else {
        return Err("times");
    };
    let off = last - first - cycle.seconds;
    if off.abs() > CYCLE_TOLERANCE * cycle.seconds {
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
    /// Which of them the others are laid on.
    pub reference: usize,
    /// Feet that stand in all of them.
    pub plants: Vec<PlantMatch>,
    /// How far points are apart in the mean, in metres.
    pub distance: f64,
}

/// A motion in [`RegistrationData`]: control points of even, clamped B-splines over [0, 1].
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct RegisteredMotion {
    /// What it is called.
    pub name: String,
    /// Moments in seconds, rising; of degree 3, at least 4.
    pub times: Vec<f64>,
    /// Turns about the vertical in radians; of degree 2, at least 3.
    pub angles: Vec<f64>,
    /// Shifts along x in metres; of degree 2, at least 3.
    pub xs: Vec<f64>,
    /// Shifts along z in metres; of degree 2, at least 3.
    pub zs: Vec<f64>,
    /// What it is a loop of, for all motions of a cyclic curve: times rise by its seconds.
    #[cfg_attr(feature = "serde", serde(default))]
    pub cycle: Option<LoopCycle>,
    /// What it was registered as, where that is known.
    #[cfg_attr(feature = "serde", serde(default))]
    pub fingerprint: Option<MotionFingerprint>,
}

/// What is wrong with [`RegistrationData`].
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RegistrationDataError {
    /// The reference is none of the motions.
    #[error("the reference is motion {reference}; there are {count}")]
    Reference {
        /// Which.
        reference: usize,
        /// How many motions there are.
        count: usize,
    },
    /// A curve has too few control points.
    #[error("motion {motion} has {found} {curve}; expected at least {least}")]
    Short {
        /// Which motion.
        motion: usize,
        /// Which curve.
        curve: &'static str,
        /// Its control points.
        found: usize,
        /// How many it needs.
        least: usize,
    },
    /// A number is not finite.
    #[error("motion {motion} has {curve} that are not finite")]
    NotFinite {
        /// Which motion.
        motion: usize,
        /// Which curve.
        curve: &'static str,
    },
    /// Moments do not rise.
    #[error("motion {motion} has times that do not rise")]
    Falls {
        /// Which motion.
        motion: usize,
    },
    /// A plant has not one span within 0 and 1 for each motion.
    #[error("plant {plant} has not one span from 0 to 1 for each motion")]
    Plant {
        /// Which plant.
        plant: usize,
    },
    /// Some motions are loops and this one is not, or the other way round.
    #[error("motion {motion} has no cycle and others have, or the other way round")]
    Cyclic {
        /// Which motion.
        motion: usize,
    },
    /// A cycle does not fit its motion.
    #[error("motion {motion} has a cycle that cannot be used; expected {problem}")]
    Cycle {
        /// Which motion.
        motion: usize,
        /// What is expected.
        problem: &'static str,
    },
    /// The distance is no distance.
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
