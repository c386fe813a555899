//! Tracks: what an animation says about one joint, or about something that is no joint.

use super::{Channel, KeyTimes, Variant};
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
    /// How much of each channel is applied, beside the weight of the animation.
    pub weights: ChannelWeights,
}

/// How much of each channel of a track is applied when animations are blended, beside the weight of the
/// animation; 1 unless said otherwise. At 1 and above a lerp replaces what is there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChannelWeights {
    /// Of the position.
    pub position: f32,
    /// Of the rotation.
    pub rotation: f32,
    /// Of the scale.
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

    /// Whether the first and last keys of every channel agree within 0.001 in each number, so that it can
    /// start again without a jump. The numbers of rotations are compared: a whole turn ends on the opposite
    /// quaternion and does not count. A track without channels does.
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

    /// The same with keys at common times: those of all channels, without any that is closer than
    /// `epsilon` seconds to the one kept before it. Each channel is sampled at them and joined by lines.
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

/// A note at a moment of an animation: a footstep, the release of an arrow.
#[derive(Clone, Debug, PartialEq)]
pub struct Trigger {
    /// When, in seconds. One beyond the end of its animation fires at the end.
    pub time: f32,
    /// Whatever the receiver needs to know.
    pub data: Variant,
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
