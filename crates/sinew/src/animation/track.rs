//! Tracks: what an animation says about one joint, or about something that is no joint.

use super::{Channel, Interpolation, KeyTimes};
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
///
/// Kept as they were read.
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
