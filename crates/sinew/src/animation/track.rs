//! Tracks: the keys of one joint, triggers and metadata.

use super::{Channel, KeyTimes, Variant};
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;
use glam::{Quat, Vec3};

/// The keys of one joint.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TransformTrack {
    /// The name of the joint.
    pub name: String,
    /// Relative to the parent, in metres; `None` leaves it unchanged.
    pub position: Option<Channel<Vec3>>,
    /// Relative to the parent.
    pub rotation: Option<Channel<Quat>>,
    /// Along the joint's own axes.
    pub scale: Option<Channel<Vec3>>,
    /// The weights of the channels in blending.
    pub weights: ChannelWeights,
}

/// The weight of each channel of a track in blending, multiplied by the weight of the animation; 1 by default. At 1
/// and above a lerp replaces the value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChannelWeights {
    /// The weight of the position.
    pub position: f32,
    /// The weight of the rotation.
    pub rotation: f32,
    /// The weight of the scale.
    pub scale: f32,
}

impl Default for ChannelWeights {
    fn default() -> Self {
        Self {
            position: 1.0,
            rotation: 1.0,
            scale: 1.0,
        }
    }
}

/// The set of channels of a track.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Channels {
    /// Whether it has positions.
    pub position: bool,
    /// Whether it has rotations.
    pub rotation: bool,
    /// Whether it has scales.
    pub scale: bool,
}

impl TransformTrack {
    /// Creates a track without channels.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            ..Self::default()
        }
    }

    /// Returns the set of channels.
    pub fn channels(&self) -> Channels {
        Channels {
            position: self.position.is_some(),
            rotation: self.rotation.is_some(),
            scale: self.scale.is_some(),
        }
    }

    /// Returns whether it has no channel.
    pub fn is_empty(&self) -> bool {
        self.channels() == Channels::default()
    }

    /// Applies a change to each present channel.
    #[doc(hidden)]
    pub fn change(
        self,
        vector: impl Fn(Channel<Vec3>) -> Channel<Vec3>,
        rotation: impl Fn(Channel<Quat>) -> Channel<Quat>,
    ) -> Self {
        Self {
            name: self.name,
            position: self.position.map(&vector),
            rotation: self.rotation.map(rotation),
            scale: self.scale.map(&vector),
            weights: self.weights,
        }
    }

    /// Returns whether the first and last keys of every channel agree within 0.001 in each number, so the track loops
    /// without a jump. Quaternion components are compared: a whole turn ends on the opposite quaternion and returns
    /// false. True without channels.
    pub fn is_looped(&self) -> bool {
        fn agrees<const N: usize>(ends: Option<[[f32; N]; 2]>) -> bool {
            ends.is_none_or(|[a, b]| a.iter().zip(b).all(|(a, b)| (a - b).abs() <= 1e-3))
        }
        agrees(
            self.position
                .as_ref()
                .map(|c| c.ends().map(|v| v.to_array())),
        ) && agrees(
            self.rotation
                .as_ref()
                .map(|c| c.ends().map(|q| q.to_array())),
        ) && agrees(self.scale.as_ref().map(|c| c.ends().map(|v| v.to_array())))
    }

    /// Resamples all channels at common times: the union of all key times, without those closer than `epsilon`
    /// seconds to the preceding one. Interpolation is linear.
    pub fn with_common_times(&self, epsilon: f32) -> Self {
        let mut times: Vec<f32> = Vec::new();
        times.extend(self.position.iter().flat_map(|c| c.times().iter()));
        times.extend(self.rotation.iter().flat_map(|c| c.times().iter()));
        times.extend(self.scale.iter().flat_map(|c| c.times().iter()));
        times.sort_by(f32::total_cmp);
        let mut kept: Vec<f32> = Vec::with_capacity(times.len());
        for time in times {
            if kept
                .last()
                .is_none_or(|last| time - last >= epsilon && time > *last)
            {
                kept.push(time);
            }
        }
        let Ok(times) = KeyTimes::listed(kept) else {
            return self.clone();
        };
        self.clone().change(
            |channel| channel.at_times(&times),
            |channel| channel.at_times(&times),
        )
    }
}

/// An event at a time of an animation: a footstep, the release of an arrow.
#[derive(Clone, Debug, PartialEq)]
pub struct Trigger {
    /// The time in seconds. After the end of the animation it fires at the end.
    pub time: f32,
    /// The payload.
    pub data: Variant,
}

/// A metadata value.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum MetaValue {
    /// A text.
    Text(String),
    /// A number.
    Number(f64),
    /// A flag.
    Flag(bool),
}

/// Metadata of an animation, by name.
pub type Metadata = BTreeMap<String, MetaValue>;
