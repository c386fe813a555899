//! What belongs together in motions, as data.

use super::alignment::Alignment;
use super::ground::GroundMove;
use super::matches::PlantMatch;
use super::spline::Spline;
use alloc::string::String;
use alloc::vec::Vec;

/// Degree of the curves of moments.
pub(super) const TIME_DEGREE: usize = 3;

/// Degree of the curves of turns and shifts.
pub(super) const PLACE_DEGREE: usize = 2;

/// Which moments of motions belong together, and how each is laid on one of them. Positions go from 0 to 1.
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
pub(super) struct Track {
    pub(super) name: String,
    /// In seconds.
    pub(super) times: Spline,
    pub(super) alignment: Alignment,
}

impl RegistrationCurve {
    pub(super) fn new(tracks: Vec<Track>, reference: usize, distance: f64) -> Self {
        Self {
            tracks,
            reference,
            plants: Vec::new(),
            distance,
        }
    }

    pub(super) fn with_plants(self, plants: Vec<PlantMatch>) -> Self {
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
    pub(super) fn even_track(name: &str, [from, to]: [f64; 2], alignment: Alignment) -> Track {
        let step = (to - from) / TIME_DEGREE as f64;
        let controls = (0..=TIME_DEGREE).map(|at| from + at as f64 * step);
        Track {
            name: name.into(),
            times: Spline::new(TIME_DEGREE, controls.collect()),
            alignment,
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

    /// The position of a motion's moment; the ends for moments outside.
    pub fn position(&self, motion: usize, time: f64) -> f64 {
        let track = self.tracks.get(motion);
        track.map_or(0.0, |own| own.times.find(time))
    }

    /// The position at which a motion is so many seconds after it is at another one; sooner found than by
    /// [`position`](Self::position).
    pub(super) fn position_after(&self, motion: usize, position: f64, seconds: f64) -> f64 {
        let Some(own) = self.tracks.get(motion) else {
            return position;
        };
        let guess = position + seconds / own.times.slope(position);
        own.times.find_near(own.times.at(position) + seconds, guess)
    }

    /// What lays a motion on the reference at a position.
    pub fn alignment(&self, motion: usize, position: f64) -> GroundMove {
        let track = self.tracks.get(motion);
        track.map_or(GroundMove::IDENTITY, |own| own.alignment.at(position))
    }

    /// Feet that stand in all motions, and from which position to which.
    pub fn plants(&self) -> &[PlantMatch] {
        &self.plants
    }

    /// How far points are apart in the mean along the path through the grid of distances, in metres: the root of
    /// the mean square. What [`RegisterMode::Local`](super::RegisterMode::Local) limits.
    pub fn distance(&self) -> f64 {
        self.distance
    }

    /// Moments of a motion at even positions from 0 to 1, in seconds: markers by which players that know nothing
    /// of curves keep motions together. At least 2.
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
    /// not there, or plants are not within positions.
    pub fn from_data(data: RegistrationData) -> Result<Self, RegistrationDataError> {
        let count = data.motions.len();
        if data.reference >= count {
            return Err(RegistrationDataError::Reference {
                reference: data.reference,
                count,
            });
        }
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
            tracks.push(Track {
                name: own.name,
                times: Spline::new(TIME_DEGREE, own.times),
                alignment: Alignment {
                    angle: Spline::new(PLACE_DEGREE, own.angles),
                    x: Spline::new(PLACE_DEGREE, own.xs),
                    z: Spline::new(PLACE_DEGREE, own.zs),
                },
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
