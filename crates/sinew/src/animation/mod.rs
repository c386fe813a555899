//! Animations in authoring form: named tracks of keys for reading, editing and sampling.
//!
//! ```text
//! Animation ─ tracks ─ TransformTrack "lfemur" ─ position ┐
//!           │                                  ├ rotation ├ Channel: KeyTimes + values (+ tangents)
//!           │                                  └ scale    ┘
//!           ├ variants ─ VariantTrack: values of any type, for attributes
//!           ├ triggers ─ Trigger: an event at a time
//!           ├ looping ─ LoopMotion: ground motion per cycle
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

/// An error of creating a channel or track, or of checking an animation.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum AnimationError {
    /// There is no key.
    #[error("a channel has at least one key")]
    NoKeys,
    /// The number of values or tangents differs from that of times.
    #[error("{times} key times were given, but {values} {what}")]
    Count {
        /// The list with the wrong number.
        what: &'static str,
        /// The number of times.
        times: usize,
        /// The number of values.
        values: usize,
    },
    /// A variant track has values of two types.
    #[error("key {key} is of type {found}; the keys before it are of type {expected}")]
    Type {
        /// The index of the key.
        key: usize,
        /// The type of the first key.
        expected: VariantType,
        /// The type of this key.
        found: VariantType,
    },
    /// Two tracks of one kind have the same name.
    #[error("two {what} are called {name:?}")]
    SameName {
        /// The kind of tracks.
        what: &'static str,
        /// The name.
        name: String,
    },
    /// Triggers are not sorted by time, or a time is negative or not finite.
    #[error(
        "trigger {trigger} is at {time} seconds; times are finite, not negative and do not fall"
    )]
    Trigger {
        /// The index of the trigger.
        trigger: usize,
        /// Its time.
        time: f32,
    },
    /// A length or weight is not finite, or negative.
    #[error("the {what} is {value}; expected a finite number that is not negative")]
    Number {
        /// The quantity.
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
    /// A time is negative, not finite, or before the preceding one.
    #[error("key {key} is at {time} seconds; times are finite, not negative and do not fall")]
    Time {
        /// The index of the key.
        key: usize,
        /// Its time.
        time: f32,
    },
    /// A rate is not positive and finite.
    #[error("{rate} keys per second; expected a rate above zero")]
    Rate {
        /// The rate.
        rate: f64,
    },
    /// A value is not finite, or a rotation has zero length.
    #[error("the {what} of key {key} cannot be used: {value}")]
    Value {
        /// Value or tangent.
        what: &'static str,
        /// The index of the key.
        key: usize,
        /// Its value.
        value: String,
    },
}

/// An animation clip: tracks of keys over time, each for the joint of its name.
///
/// It is independent of skeletons; [`Animation::bind`](crate::sample()) finds the joints.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Animation {
    /// The name.
    pub name: String,
    /// The length in seconds; not negative. Later keys are never reached.
    pub length: f32,
    /// One track per animated joint; of two with one name the later is used, and [`check`](Self::check) rejects them.
    pub tracks: Vec<TransformTrack>,
    /// Tracks of values other than transforms, each for the attribute of its name.
    pub variants: Vec<VariantTrack>,
    /// Events, sorted by time; see [`add_trigger`](Self::add_trigger).
    pub triggers: Vec<Trigger>,
    /// Additional information by name.
    pub metadata: Metadata,
    /// Frames per second of the source, if known.
    pub frame_rate: Option<f64>,
    /// The ground motion per cycle, if the animation is known to be a loop.
    pub looping: Option<LoopMotion>,
}

impl Animation {
    /// Creates an animation without tracks.
    pub fn new(name: impl Into<String>, length: f32) -> Self {
        Self {
            name: name.into(),
            length: length.max(0.0),
            ..Self::default()
        }
    }

    /// Returns the track of that name; the last of several.
    pub fn track(&self, name: &str) -> Option<&TransformTrack> {
        self.tracks.iter().rev().find(|track| track.name == name)
    }

    /// Returns the variant track of that name.
    pub fn variant(&self, name: &str) -> Option<&VariantTrack> {
        self.variants.iter().rev().find(|track| track.name == name)
    }

    /// Adds a track; returns the track of the same name that it replaces.
    pub fn set_track(&mut self, track: TransformTrack) -> Option<TransformTrack> {
        match self.tracks.iter_mut().find(|old| old.name == track.name) {
            Some(old) => Some(core::mem::replace(old, track)),
            None => {
                self.tracks.push(track);
                None
            }
        }
    }

    /// Adds a variant track; returns the track of the same name that it replaces.
    pub fn set_variant(&mut self, track: VariantTrack) -> Option<VariantTrack> {
        match self.variants.iter_mut().find(|old| old.name == track.name) {
            Some(old) => Some(core::mem::replace(old, track)),
            None => {
                self.variants.push(track);
                None
            }
        }
    }

    /// Removes the tracks of that name, of both kinds; returns whether there was any.
    pub fn remove_track(&mut self, name: &str) -> bool {
        let before = self.tracks.len() + self.variants.len();
        self.tracks.retain(|track| track.name != name);
        self.variants.retain(|track| track.name != name);
        before != self.tracks.len() + self.variants.len()
    }

    /// Adds a trigger after those at the same or an earlier time.
    pub fn add_trigger(&mut self, time: f32, data: impl Into<Variant>) {
        let data = data.into();
        let index = self
            .triggers
            .partition_point(|trigger| trigger.time <= time);
        self.triggers.insert(index, Trigger { time, data });
    }

    /// Adds a trigger at a fraction of the length: 0 is the beginning, 1 the end.
    pub fn add_trigger_normalized(&mut self, ratio: f32, data: impl Into<Variant>) {
        self.add_trigger(ratio * self.length, data);
    }

    /// Checks that the animation can be played: track names of one kind are unique, triggers are sorted, and length,
    /// weights and times are finite. [`AnimationSet`](crate::AnimationSet) accepts no other.
    ///
    /// # Errors
    /// The first problem found.
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

    /// Returns the number of frames at its own rate, the last included: one without length or rate.
    pub fn frame_count(&self) -> usize {
        let rate = self.frame_rate.unwrap_or(0.0);
        frame_count(self.length, rate)
    }

    /// Returns the time of a frame at its own rate, in seconds.
    pub fn frame_time(&self, frame: usize) -> f32 {
        match self.frame_rate {
            Some(rate) if rate > 0.0 => ((frame as f64 / rate) as f32).min(self.length),
            _ => 0.0,
        }
    }
}

pub(crate) fn check_triggers(triggers: &[Trigger]) -> Result<(), AnimationError> {
    let mut last = 0.0;
    for (index, trigger) in triggers.iter().enumerate() {
        let time = trigger.time;
        if !(time.is_finite() && time >= last) {
            return Err(AnimationError::Trigger {
                trigger: index,
                time,
            });
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

/// Returns the number of frames of `length` seconds at `rate` per second, the last included.
#[doc(hidden)]
pub fn frame_count(length: f32, rate: f64) -> usize {
    // The length is rounded to f32, which must not lose the last frame.
    let frames = f64::from(length) * rate;
    let rounded = libm::floor(frames * (1.0 + 1.2e-7) + 1e-6);
    // A NaN length is 0; an infinite one saturates.
    (rounded.max(0.0) as usize).saturating_add(1)
}
