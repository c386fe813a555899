//! The content of a BVH file before conversion.

use crate::warning::Warnings;

/// A channel: one value of a joint per frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BvhChannel {
    /// `Xposition`, in the file's unit.
    XPosition,
    /// `Yposition`, in the file's unit.
    YPosition,
    /// `Zposition`, in the file's unit.
    ZPosition,
    /// `Xrotation`, in degrees.
    XRotation,
    /// `Yrotation`, in degrees.
    YRotation,
    /// `Zrotation`, in degrees.
    ZRotation,
}

impl BvhChannel {
    /// All six channels: positions, then rotations, x before y before z.
    pub const ALL: [Self; 6] = [
        Self::XPosition,
        Self::YPosition,
        Self::ZPosition,
        Self::XRotation,
        Self::YRotation,
        Self::ZRotation,
    ];

    /// Returns the channel name in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::XPosition => "Xposition",
            Self::YPosition => "Yposition",
            Self::ZPosition => "Zposition",
            Self::XRotation => "Xrotation",
            Self::YRotation => "Yrotation",
            Self::ZRotation => "Zrotation",
        }
    }

    /// Returns the axis: 0 for x, 1 for y, 2 for z.
    pub fn axis(self) -> usize {
        self as usize % 3
    }

    /// Returns whether the channel is a rotation.
    pub fn is_rotation(self) -> bool {
        self as usize >= 3
    }

    /// Parses a channel name, case-insensitive.
    pub(super) fn from_word(word: &[u8]) -> Option<Self> {
        let mut all = Self::ALL.into_iter();
        all.find(|channel| word.eq_ignore_ascii_case(channel.name().as_bytes()))
    }
}

/// A joint of a BVH file.
#[derive(Clone, Debug, PartialEq)]
pub struct BvhJoint {
    /// Name; if two joints have the same, the second is renamed.
    pub name: String,
    /// Index of the parent, lower than that of this joint; `None` for a `ROOT`.
    pub parent: Option<usize>,
    /// `OFFSET`: position relative to the parent, in the file's unit.
    pub offset: [f64; 3],
    /// Channels in listed order, without duplicates.
    pub channels: Vec<BvhChannel>,
    /// Index of the joint's first channel in a row.
    pub first_channel: usize,
    /// Offsets of the joint's `End Site`s.
    pub ends: Vec<[f64; 3]>,
}

/// A BVH file: joints depth first, and one value per channel and frame.
#[derive(Clone, Debug, PartialEq)]
pub struct Bvh {
    /// Joints in file order: a parent precedes its children, each subtree is contiguous.
    pub joints: Vec<BvhJoint>,
    /// `Frame Time`: seconds between frames. It may be 0 or less if the settings override the rate.
    pub frame_time: f64,
    /// The frame time as written in the file.
    pub frame_time_text: String,
    /// Repairs and ignored content.
    pub warnings: Warnings,
    pub(super) frames: usize,
    pub(super) channel_count: usize,
    /// All frames of the first channel, then all of the second, …
    pub(super) values: Vec<f64>,
}

impl Bvh {
    /// Returns the number of frames; 0 for a skeleton without motion.
    pub fn frame_count(&self) -> usize {
        self.frames
    }

    /// Returns the number of channels of a row.
    pub fn channel_count(&self) -> usize {
        self.channel_count
    }

    /// Returns the values of one channel, one per frame; empty if the channel does not exist.
    pub fn channel(&self, channel: usize) -> &[f64] {
        let start = channel.checked_mul(self.frames);
        let start = start.filter(|_| channel < self.channel_count);
        start
            .and_then(|start| self.values.get(start..start + self.frames))
            .unwrap_or_default()
    }

    /// Returns one value; `None` if the channel or frame does not exist.
    pub fn value(&self, channel: usize, frame: usize) -> Option<f64> {
        self.channel(channel).get(frame).copied()
    }
}
