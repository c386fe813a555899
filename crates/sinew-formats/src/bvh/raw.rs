//! What a BVH file says, before anything is made of it.

use crate::warning::Warnings;

/// One number that a joint gets in each frame.
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
    /// All six: positions, then rotations, x before y before z.
    pub const ALL: [Self; 6] = [
        Self::XPosition,
        Self::YPosition,
        Self::ZPosition,
        Self::XRotation,
        Self::YRotation,
        Self::ZRotation,
    ];

    /// The channel as files write it.
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

    /// The axis, 0 for x, 1 for y, 2 for z.
    pub fn axis(self) -> usize {
        self as usize % 3
    }

    /// Whether it is an angle.
    pub fn is_rotation(self) -> bool {
        self as usize >= 3
    }

    /// The channel of a word, in any case.
    pub(super) fn from_word(word: &[u8]) -> Option<Self> {
        let mut all = Self::ALL.into_iter();
        all.find(|channel| word.eq_ignore_ascii_case(channel.name().as_bytes()))
    }
}

/// A joint as the file writes it.
#[derive(Clone, Debug, PartialEq)]
pub struct BvhJoint {
    /// The name; when two joints have one, the second is renamed.
    pub name: String,
    /// Where the parent stands among the joints, before this one; none for a `ROOT`.
    pub parent: Option<usize>,
    /// `OFFSET`: where the joint is in its parent, in the file's unit.
    pub offset: [f64; 3],
    /// The channels in listed order, none twice.
    pub channels: Vec<BvhChannel>,
    /// Where the joint's first channel stands among all channels of a row.
    pub first_channel: usize,
    /// The offsets of the joint's `End Site`s, of which there may be any number.
    pub ends: Vec<[f64; 3]>,
}

/// A BVH file: joints depth first, and a number per channel and frame.
#[derive(Clone, Debug, PartialEq)]
pub struct Bvh {
    /// The joints in the file's order: a parent precedes its children, each subtree is contiguous.
    pub joints: Vec<BvhJoint>,
    /// `Frame Time`: seconds between frames. It may be 0 or less when the settings say the rate.
    pub frame_time: f64,
    /// The same, as it is written.
    pub frame_time_text: String,
    /// What was repaired or ignored.
    pub warnings: Warnings,
    pub(super) frames: usize,
    pub(super) channel_count: usize,
    /// All frames of the first channel, then all of the second, …
    pub(super) values: Vec<f64>,
}

impl Bvh {
    /// How many frames there are; 0 for a skeleton without motion.
    pub fn frame_count(&self) -> usize {
        self.frames
    }

    /// How many numbers a frame has.
    pub fn channel_count(&self) -> usize {
        self.channel_count
    }

    /// The numbers of one channel, one for each frame; empty when there is no such channel.
    pub fn channel(&self, channel: usize) -> &[f64] {
        let start = channel.checked_mul(self.frames);
        let start = start.filter(|_| channel < self.channel_count);
        start
            .and_then(|start| self.values.get(start..start + self.frames))
            .unwrap_or_default()
    }

    /// One number; none when there is no such channel or frame.
    pub fn value(&self, channel: usize, frame: usize) -> Option<f64> {
        self.channel(channel).get(frame).copied()
    }
}
