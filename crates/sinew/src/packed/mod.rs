//! Animations in the runtime form: compressed, checked, immutable.
//!
//! [`compress`](crate::compress::compress) makes a [`PackedAnimation`] of an [`Animation`] on a skeleton;
//! `sinew-formats` reads and writes it as a file. Sampling it fills a whole pose at once, eight joints at a time.

mod bits;
mod bytes;
mod compose;
mod cost;
mod fast;
mod head;
mod plain;
mod quat;
mod rows;
mod slerp;
mod small;
mod unpack;

pub use bytes::{PackedBytesError, PackedProblem};

pub(crate) use bytes::LARGEST;
pub use cost::{ChannelPacking, JointCost};

pub(crate) use compose::{Compose, Linear, Maps, NEAR, PAIR_LANES, SLOTS, Targets};
pub(crate) use fast::{FastRows, Place, RowWeights, Slice, WINDOW, Weights, number as fast_number};
pub(crate) use head::{Chart, Head, JointHead, LinearHead, PackedChart, RotationHead, SlerpSpans};
pub(crate) use plain::plain;
pub(crate) use rows::{Rows, Stream};
pub(crate) use slerp::{SlerpRatio, deviation as slerp_deviation};
pub(crate) use small::SmallRows;
pub(crate) mod code {
    //! What the packers write with.
    pub(crate) use super::fast::{QUARTER, SEGMENT, WIDEST, WIDTHS, counts};
    pub(crate) use super::head::{CODES_PER_HALVING, step, step_code};
    pub(crate) use super::quat::{COARSE, FINE, pack as pack_quat, unpack as unpack_quat};
    pub(crate) use super::small::{LARGEST, pack as pack_small};
}

use crate::animation::{Animation, Channels, LoopMotion};
use crate::compress::keys::KeyedAnimation;
use crate::skeleton::JointIndex;

/// Most rows of one animation: nine hours at 120 per second.
pub(crate) const MAX_ROWS: usize = 1 << 22;

/// An animation on one skeleton, compressed.
///
/// Made by [`compress`](crate::compress::compress), or read from a file. It knows how far it may be from its source and how
/// far it is ([`max_error`](Self::max_error), [`error`](Self::error)). Everything is checked when it is made, so
/// that sampling cannot fail; it is shared by whoever plays it, by `Arc` or by reference. What changes from
/// moment to moment is in a [`PackedCursor`](crate::PackedCursor).
#[derive(Clone, Debug)]
pub struct PackedAnimation<'a> {
    pub(crate) notes: Animation,
    pub(crate) joints: usize,
    pub(crate) max_error: f32,
    pub(crate) error: f32,
    /// The skeleton at rest, for what rows do not fill.
    pub(crate) rest: alloc::boxed::Box<[crate::pose::SoaTransform]>,
    pub(crate) body: Body<'a>,
}

/// How the motion is kept.
#[derive(Clone, Debug)]
pub(crate) enum Body<'a> {
    /// Rows at even times.
    Rows(alloc::boxed::Box<Rows<'a>>),
    /// Keys on curves.
    Keys(alloc::boxed::Box<KeyedAnimation>),
    /// The source itself, where nothing is smaller or near enough.
    Plain(alloc::boxed::Box<Plain>),
}

/// The source itself, with the joints of its tracks.
#[derive(Clone, Debug)]
pub(crate) struct Plain {
    /// Has no variants, triggers or metadata: those are in the notes.
    pub(crate) animation: Animation,
    pub(crate) binding: crate::sample::Binding,
}

/// How a [`PackedAnimation`] keeps its motion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Packing {
    /// Rows as small as they get; unpacked 64 at a time.
    Small,
    /// Rows that are read at the same cost at any time.
    Fast,
    /// Keys on Catmull-Rom curves with 48-bit rotations.
    Keys,
    /// As the source has it.
    Plain,
}

impl core::fmt::Display for Packing {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(match self {
            Self::Small => "small",
            Self::Fast => "fast",
            Self::Keys => "keys",
            Self::Plain => "plain",
        })
    }
}

impl PackedAnimation<'_> {
    /// What it is called.
    pub fn name(&self) -> &str {
        &self.notes.name
    }

    /// How long it is, in seconds.
    pub fn length(&self) -> f32 {
        self.notes.length
    }

    /// The ground motion per cycle, of an animation that is known to be a loop.
    pub fn looping(&self) -> Option<LoopMotion> {
        self.notes.looping
    }

    /// Everything but the motion: name, length, frame rate, variants, triggers, metadata and ground motion of the
    /// source, and the weights of its tracks. Its transform tracks have no channels.
    pub fn notes(&self) -> &Animation {
        &self.notes
    }

    /// Joints of the skeleton it is for.
    pub fn joint_count(&self) -> usize {
        self.joints
    }

    /// How far a point of the body may be from where the source has it at any time, in metres; see
    /// [`CompressSettings::max_error`](crate::compress::CompressSettings::max_error).
    pub fn max_error(&self) -> f32 {
        self.max_error
    }

    /// How far a point of the body is from where the source has it at any time, at most, in metres: the bound that was
    /// proven when it was made.
    pub fn error(&self) -> f32 {
        self.error
    }

    /// How the motion is kept.
    pub fn packing(&self) -> Packing {
        match &self.body {
            Body::Rows(rows) => match rows.stream {
                Stream::Small(_) => Packing::Small,
                Stream::Fast(_) => Packing::Fast,
            },
            Body::Keys(_) => Packing::Keys,
            Body::Plain(_) => Packing::Plain,
        }
    }

    /// Which channels of a joint the source has tracks for. The others are at rest in every sample.
    pub fn channels(&self, joint: JointIndex) -> Channels {
        match &self.body {
            Body::Rows(rows) => {
                let head = rows.head.joints.get(joint.index());
                let [position, rotation, scale] = head.map_or([false; 3], |head| head.moved);
                Channels {
                    position,
                    rotation,
                    scale,
                }
            }
            Body::Keys(keys) => keys.channels(joint),
            Body::Plain(plain) => {
                let tracks = plain.animation.tracks.iter().zip(plain.binding.joints());
                let mut own = tracks.filter(|(_, bound)| **bound == Some(joint));
                own.next_back()
                    .map_or(Channels::default(), |(track, _)| track.channels())
            }
        }
    }

    /// The same, borrowing nothing.
    pub fn into_owned(self) -> PackedAnimation<'static> {
        PackedAnimation {
            notes: self.notes,
            joints: self.joints,
            max_error: self.max_error,
            error: self.error,
            rest: self.rest,
            body: match self.body {
                Body::Rows(rows) => Body::Rows(alloc::boxed::Box::new(rows.into_owned())),
                Body::Keys(keys) => Body::Keys(keys),
                Body::Plain(plain) => Body::Plain(plain),
            },
        }
    }
}
