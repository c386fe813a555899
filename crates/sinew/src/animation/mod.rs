//! Animations in their authoring form: named tracks of keys that can be read, edited and sampled.
//!
//! ```text
//! Animation ─ tracks ─ TransformTrack "lfemur" ─ position ┐
//!           │                                  ├ rotation ├ Channel: KeyTimes + values (+ tangents)
//!           │                                  └ scale    ┘
//!           ├ variants ─ VariantTrack: numbers other than transforms
//!           └ metadata
//! ```

mod channel;
mod constant;
mod hemisphere;
mod mirror;
mod resample;
mod root;
mod times;
mod track;
mod trim;
mod value;

pub use channel::{Channel, Interpolation};
pub use constant::remove_constant;
pub use hemisphere::align_hemispheres;
pub use mirror::{MirrorError, mirror};
pub use resample::resample;
pub use root::move_root;
pub use times::{KeyTimes, Segment};
pub use track::{Channels, MetaValue, Metadata, TransformTrack, VariantTrack};
pub use trim::trim;
pub use value::ChannelValue;

use alloc::string::String;
use alloc::vec::Vec;

/// Why keys make no channel.
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
    /// More or fewer numbers than the keys of a variant track need.
    #[error("the keys need {expected} numbers, but {found} were given")]
    Numbers {
        /// How many are needed.
        expected: usize,
        /// How many there are.
        found: usize,
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
/// It knows nothing of skeletons; [`Animation::bind`](crate::sample) finds the joints.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Animation {
    /// What to call it.
    pub name: String,
    /// In seconds; not negative. Keys beyond it are never reached.
    pub length: f32,
    /// One per joint that moves; of two with one name the later counts.
    pub tracks: Vec<TransformTrack>,
    /// Tracks of numbers other than transforms.
    pub variants: Vec<VariantTrack>,
    /// Whatever else is known, by name.
    pub metadata: Metadata,
    /// Frames per second of the recording or file it came from, where it has any.
    pub frame_rate: Option<f64>,
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

    /// Frames at its own rate, the last included: one for an animation without length or rate.
    pub fn frame_count(&self) -> usize {
        let rate = self.frame_rate.unwrap_or(0.0);
        resample::frame_count(self.length, rate)
    }

    /// The time of a frame at its own rate, in seconds.
    pub fn frame_time(&self, frame: usize) -> f32 {
        match self.frame_rate {
            Some(rate) if rate > 0.0 => ((frame as f64 / rate) as f32).min(self.length),
            _ => 0.0,
        }
    }
}
