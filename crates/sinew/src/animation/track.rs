//! Tracks: what an animation says about one joint, or about something that is no joint.

use super::{AnimationError, Channel, Interpolation, KeyTimes};
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;
use glam::{Quat, Vec3};

/// What an animation says about one joint.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TransformTrack {
    /// The joint it moves.
    pub name: String,
    /// In its parent's frame, in metres; `None` leaves the joint where it is.
    pub position: Option<Channel<Vec3>>,
    /// In its parent's frame.
    pub rotation: Option<Channel<Quat>>,
    /// Along its own axes.
    pub scale: Option<Channel<Vec3>>,
}

/// Which channels a track has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Channels {
    /// It moves its joint.
    pub position: bool,
    /// It turns its joint.
    pub rotation: bool,
    /// It scales its joint.
    pub scale: bool,
}

impl TransformTrack {
    /// A track without channels.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            ..Self::default()
        }
    }

    /// Which channels it has.
    pub fn channels(&self) -> Channels {
        Channels {
            position: self.position.is_some(),
            rotation: self.rotation.is_some(),
            scale: self.scale.is_some(),
        }
    }

    /// Whether it has no channel.
    pub fn is_empty(&self) -> bool {
        self.channels() == Channels::default()
    }

    /// Applies one change to each channel that there is.
    pub(super) fn change(
        self,
        vector: impl Fn(Channel<Vec3>) -> Channel<Vec3>,
        rotation: impl Fn(Channel<Quat>) -> Channel<Quat>,
    ) -> Self {
        Self {
            name: self.name,
            position: self.position.map(&vector),
            rotation: self.rotation.map(rotation),
            scale: self.scale.map(&vector),
        }
    }
}

/// Numbers over time that belong to no joint's transform, such as the weights of morph targets.
#[derive(Clone, Debug, PartialEq)]
pub struct VariantTrack {
    /// What they belong to.
    pub name: String,
    /// When the keys are.
    pub times: KeyTimes,
    /// What happens between keys.
    pub interpolation: Interpolation,
    /// Numbers per key.
    pub width: usize,
    /// `width` numbers per key; for a cubic three times as many: slopes in, values, slopes out.
    pub values: Vec<f32>,
}

impl VariantTrack {
    /// A track with `width` numbers per key, in the order that [`VariantTrack::values`] has.
    ///
    /// # Errors
    /// When there are more or fewer numbers than the keys need, or one is not finite.
    pub fn new(
        name: impl Into<String>,
        times: KeyTimes,
        interpolation: Interpolation,
        width: usize,
        values: Vec<f32>,
    ) -> Result<Self, AnimationError> {
        let per_key = width.saturating_mul(numbers_per_value(interpolation));
        let expected = times.len().saturating_mul(per_key);
        if values.len() != expected {
            return Err(AnimationError::Numbers {
                expected,
                found: values.len(),
            });
        }
        if let Some(at) = values.iter().position(|value| !value.is_finite()) {
            return Err(AnimationError::Value {
                what: "number",
                key: at.checked_div(per_key).unwrap_or(0),
                value: alloc::format!("{}", values[at]),
            });
        }
        Ok(Self {
            name: name.into(),
            times,
            interpolation,
            width,
            values,
        })
    }

    /// Each of the `width` numbers as a channel; `None` when there are none, or they do not fit.
    pub(super) fn columns(&self) -> Option<Vec<Channel<f32>>> {
        let per_value = numbers_per_value(self.interpolation);
        let per_key = self.width.checked_mul(per_value)?;
        if per_key == 0 || self.times.len().checked_mul(per_key) != Some(self.values.len()) {
            return None;
        }
        let keys = |at: usize| self.values.iter().copied().skip(at).step_by(per_key);
        let column = |at: usize| {
            let times = self.times.clone();
            if self.interpolation == Interpolation::Cubic {
                let [into, values, out] = [at, at + self.width, at + 2 * self.width].map(keys);
                Channel::cubic(times, values.collect(), into.collect(), out.collect()).ok()
            } else {
                Channel::new(times, keys(at).collect(), self.interpolation).ok()
            }
        };
        (0..self.width).map(column).collect()
    }

    /// The track whose numbers are these channels, which have the same times; `None` without channels.
    pub(super) fn from_columns(name: &str, columns: Vec<Channel<f32>>) -> Option<Self> {
        let first = columns.first()?;
        let (times, interpolation) = (first.times().clone(), first.interpolation());
        let mut values = Vec::new();
        for key in 0..times.len() {
            let mut add = |of: fn(&Channel<f32>) -> &[f32]| {
                values.extend(columns.iter().filter_map(|column| of(column).get(key)));
            };
            // A channel that is no cubic has no slopes.
            add(Channel::in_tangents);
            add(Channel::values);
            add(Channel::out_tangents);
        }
        Self::new(name, times, interpolation, columns.len(), values).ok()
    }
}

/// How many numbers a key has for each that it gives: a cubic has two slopes too.
fn numbers_per_value(interpolation: Interpolation) -> usize {
    match interpolation {
        Interpolation::Cubic => 3,
        Interpolation::Step | Interpolation::Linear => 1,
    }
}

/// Something that is known about an animation.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum MetaValue {
    /// A text.
    Text(String),
    /// A number.
    Number(f64),
    /// Yes or no.
    Flag(bool),
}

/// What is known about an animation, by name.
pub type Metadata = BTreeMap<String, MetaValue>;
