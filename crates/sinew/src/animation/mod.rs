//! Animations in their authoring form: named tracks of keys that can be read, edited and sampled.
//!
//! ```text
//! Animation ─ tracks ─ TransformTrack "lfemur" ─ position ┐
//!           │                                  ├ rotation ├ Channel: KeyTimes + values (+ tangents)
//!           │                                  └ scale    ┘
//!           ├ variants ─ VariantTrack: values of any type, for attributes
//!           ├ triggers ─ Trigger: a note at a moment
//!           ├ looping ─ LoopMotion: how far a cycle carries the figure
//!           └ metadata
//! ```

mod channel;
mod index;
mod looping;
mod times;
mod track;
mod value;
mod variant;
mod variant_track;

pub use channel::{Channel, Interpolation};
pub use index::AnimationIndex;
pub use looping::LoopMotion;
pub use times::{KeyTimes, Segment};
pub use track::{ChannelWeights, Channels, MetaValue, Metadata, TransformTrack, Trigger};
pub use value::ChannelValue;
pub use variant::{Variant, VariantType};
pub use variant_track::{VariantInterpolation, VariantKey, VariantTrack};

use crate::math::GroundTransform;
use alloc::string::String;
use alloc::vec::Vec;

/// Why keys make no channel or track, or tracks no animation that plays.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum AnimationError {
    /// There is no key.
    #[error("a channel has at least one key")]
    NoKeys,
    /// More or fewer values, or tangents, than times.
    #[error("{times} key times were given, but {values} {what}")]
    Count {
        /// What does not fit.
        what: &'static str,
        /// How many times.
        times: usize,
        /// How many values.
        values: usize,
    },
    /// A variant track has values of two types.
    #[error("key {key} is of type {found}; the keys before it are of type {expected}")]
    Type {
        /// The key.
        key: usize,
        /// The type of the first key.
        expected: VariantType,
        /// The type of this one.
        found: VariantType,
    },
    /// Two tracks of one kind have one name.
    #[error("two {what} are called {name:?}")]
    SameName {
        /// Which tracks.
        what: &'static str,
        /// The name.
        name: String,
    },
    /// Triggers are not in the order of their times, or a time is negative or not finite.
    #[error(
        "trigger {trigger} is at {time} seconds; times are finite, not negative and do not fall"
    )]
    Trigger {
        /// Its position.
        trigger: usize,
        /// Its time.
        time: f32,
    },
    /// A length or weight is not finite, or negative.
    #[error("the {what} is {value}; expected a finite number that is not negative")]
    Number {
        /// What it is.
        what: &'static str,
        /// The number.
        value: f32,
    },
    /// The ground motion of a loop is not finite.
    #[error("the loop turns by {angle} and moves by {x}, {z}; expected finite numbers")]
    LoopMotion {
        /// Radians per cycle.
        angle: f64,
        /// Metres per cycle.
        x: f64,
        /// Metres per cycle.
        z: f64,
    },
    /// A time is negative, not finite, or before the one before it.
    #[error("key {key} is at {time} seconds; times are finite, not negative and do not fall")]
    Time {
        /// The key.
        key: usize,
        /// Its time.
        time: f32,
    },
    /// A rate that is not above zero and finite.
    #[error("{rate} keys per second; expected a rate above zero")]
    Rate {
        /// The rate.
        rate: f64,
    },
    /// A value is not finite, or a rotation has no length.
    #[error("the {what} of key {key} cannot be used: {value}")]
    Value {
        /// Value or tangent.
        what: &'static str,
        /// The key.
        key: usize,
        /// What it is.
        value: String,
    },
}

/// A motion: tracks of keys over time, each for the joint of its name.
///
/// It knows nothing of skeletons; [`Animation::bind`](crate::sample()) finds the joints.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Animation {
    /// What to call it.
    pub name: String,
    /// In seconds; not negative. Keys beyond it are never reached.
    pub length: f32,
    /// One per joint that moves; of two with one name the later counts, and
    /// [`check`](Self::check) refuses them.
    pub tracks: Vec<TransformTrack>,
    /// Tracks of values other than transforms, each for the attribute of its name.
    pub variants: Vec<VariantTrack>,
    /// Notes at moments, in the order of their times; see [`add_trigger`](Self::add_trigger).
    pub triggers: Vec<Trigger>,
    /// Whatever else is known, by name.
    pub metadata: Metadata,
    /// Frames per second of the recording or file it came from, where it has any.
    pub frame_rate: Option<f64>,
    /// The ground motion per cycle, of an animation that is known to be a loop.
    pub looping: Option<LoopMotion>,
}

impl Animation {
    /// An animation without tracks.
    pub fn new(name: impl Into<String>, length: f32) -> Self {
        Self {
            name: name.into(),
            length: length.max(0.0),
            ..Self::default()
        }
    }

    /// The track of that name; the last of several.
    pub fn track(&self, name: &str) -> Option<&TransformTrack> {
        self.tracks.iter().rev().find(|track| track.name == name)
    }

    /// The variant track of that name.
    pub fn variant(&self, name: &str) -> Option<&VariantTrack> {
        self.variants.iter().rev().find(|track| track.name == name)
    }

    /// Adds a track in place of the one of its name, which is returned.
    pub fn set_track(&mut self, track: TransformTrack) -> Option<TransformTrack> {
        match self.tracks.iter_mut().find(|own| own.name == track.name) {
            Some(own) => Some(core::mem::replace(own, track)),
            None => {
                self.tracks.push(track);
                None
            }
        }
    }

    /// Adds a variant track in place of the one of its name, which is returned.
    pub fn set_variant(&mut self, track: VariantTrack) -> Option<VariantTrack> {
        match self.variants.iter_mut().find(|own| own.name == track.name) {
            Some(own) => Some(core::mem::replace(own, track)),
            None => {
                self.variants.push(track);
                None
            }
        }
    }

    /// Removes the tracks of that name, of both kinds; whether there was any.
    pub fn remove_track(&mut self, name: &str) -> bool {
        let before = self.tracks.len() + self.variants.len();
        self.tracks.retain(|track| track.name != name);
        self.variants.retain(|track| track.name != name);
        before != self.tracks.len() + self.variants.len()
    }

    /// Adds a trigger after those that are not later.
    pub fn add_trigger(&mut self, time: f32, data: impl Into<Variant>) {
        let data = data.into();
        let at = self.triggers.partition_point(|own| own.time <= time);
        self.triggers.insert(at, Trigger { time, data });
    }

    /// Adds a trigger at a part of the length: 0 is the beginning, 1 the end.
    pub fn add_trigger_normalized(&mut self, ratio: f32, data: impl Into<Variant>) {
        self.add_trigger(ratio * self.length, data);
    }

    /// Whether it can be played: tracks of one kind have names of their own, triggers are in order, and
    /// length, weights and times are finite. [`AnimationSet`](crate::AnimationSet) takes no other.
    ///
    /// # Errors
    /// The first thing that is wrong.
    pub fn check(&self) -> Result<(), AnimationError> {
        number("length", self.length)?;
        unique("transform tracks", self.tracks.iter().map(|t| &*t.name))?;
        unique("variant tracks", self.variants.iter().map(|t| &*t.name))?;
        for track in &self.tracks {
            number("position weight of a track", track.weights.position)?;
            number("rotation weight of a track", track.weights.rotation)?;
            number("scale weight of a track", track.weights.scale)?;
        }
        for track in &self.variants {
            number("weight of a variant track", track.weight)?;
        }
        if let Some(looping) = self.looping.filter(|looping| !looping.is_finite()) {
            let GroundTransform { angle, x, z } = looping.per_cycle;
            return Err(AnimationError::LoopMotion { angle, x, z });
        }
        check_triggers(&self.triggers)
    }

    /// Frames at its own rate, the last included: one for an animation without length or rate.
    pub fn frame_count(&self) -> usize {
        let rate = self.frame_rate.unwrap_or(0.0);
        frame_count(self.length, rate)
    }

    /// The time of a frame at its own rate, in seconds.
    pub fn frame_time(&self, frame: usize) -> f32 {
        match self.frame_rate {
            Some(rate) if rate > 0.0 => ((frame as f64 / rate) as f32).min(self.length),
            _ => 0.0,
        }
    }
}

pub(crate) fn check_triggers(triggers: &[Trigger]) -> Result<(), AnimationError> {
    let mut last = 0.0;
    for (at, trigger) in triggers.iter().enumerate() {
        let time = trigger.time;
        if !(time.is_finite() && time >= last) {
            return Err(AnimationError::Trigger { trigger: at, time });
        }
        last = time;
    }
    Ok(())
}

fn number(what: &'static str, value: f32) -> Result<(), AnimationError> {
    if value.is_finite() && value >= 0.0 {
        Ok(())
    } else {
        Err(AnimationError::Number { what, value })
    }
}

fn unique<'a>(
    what: &'static str,
    names: impl Iterator<Item = &'a str>,
) -> Result<(), AnimationError> {
    let mut names: Vec<&str> = names.collect();
    names.sort_unstable();
    match names.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(AnimationError::SameName {
            what,
            name: pair[0].into(),
        }),
        None => Ok(()),
    }
}

/// Frames of an animation of `length` seconds at `rate` per second, the last included.
#[doc(hidden)]
pub fn frame_count(length: f32, rate: f64) -> usize {
    // A length is rounded to f32, which must not cost the last frame.
    let whole = f64::from(length) * rate;
    let rounded = libm::floor(whole * (1.0 + 1.2e-7) + 1e-6);
    // A NaN length counts as 0; an infinite one saturates.
    (rounded.max(0.0) as usize).saturating_add(1)
}
