//! Animations in the runtime form: compressed, checked, immutable.
//!
//! `sinew_author::compress` makes a [`PackedAnimation`] of an [`Animation`] on a skeleton;
//! `sinew-formats` reads and writes it as a file. Sampling it fills a whole pose at once, eight joints at a time.

pub(crate) mod bits;
pub(crate) mod bytes;
pub(crate) mod compose;
pub(crate) mod decode;
pub(crate) mod fast;
pub(crate) mod head;
pub mod keyframes;
pub(crate) mod plain;
pub(crate) mod quat;
pub(crate) mod rows;
pub(crate) mod slerp;
pub(crate) mod small;

pub use bytes::{PackedBytesError, PackedProblem};

pub use decode::PackedCursor;

pub(crate) use compose::{Compose, Linear, Maps, NEAR, PAIR_LANES, SLOTS, Targets};
pub(crate) use fast::{FastRows, Place, RowWeights, Slice, WINDOW, Weights, number as fast_number};
pub(crate) use head::SlerpSpans;
pub(crate) use rows::{Rows, Stream};
pub(crate) use slerp::SlerpRatio;
pub(crate) use small::SmallRows;

use crate::animation::{Animation, Channels, LoopMotion};
use crate::packed::keyframes::KeyedAnimation;
use crate::skeleton::JointIndex;

/// Most rows of one animation: nine hours at 120 per second.
#[doc(hidden)]
pub const MAX_ROWS: usize = 1 << 22;

/// An animation on one skeleton, compressed.
///
/// Made by `sinew_author::compress`, or read from a file. It knows how far it may be from its source and how
/// far it is ([`max_error`](Self::max_error), [`error`](Self::error)). Everything is checked when it is made, so
/// that sampling cannot fail; it is shared by whoever plays it, by `Arc` or by reference. What changes from
/// moment to moment is in a [`PackedCursor`].
#[derive(Clone, Debug)]
pub struct PackedAnimation<'a> {
    #[doc(hidden)]
    pub notes: Animation,
    #[doc(hidden)]
    pub joints: usize,
    #[doc(hidden)]
    pub max_error: f32,
    #[doc(hidden)]
    pub error: f32,
    /// The skeleton at rest, for what rows do not fill.
    #[doc(hidden)]
    pub rest: alloc::boxed::Box<[crate::pose::SoaTransform]>,
    #[doc(hidden)]
    pub body: Body<'a>,
}

/// How the motion is kept.
#[derive(Clone, Debug)]
#[doc(hidden)]
pub enum Body<'a> {
    /// Rows at even times.
    Rows(alloc::boxed::Box<Rows<'a>>),
    /// Keys on curves.
    Keys(alloc::boxed::Box<KeyedAnimation>),
    /// The source itself, where nothing is smaller or near enough.
    Plain(alloc::boxed::Box<Plain>),
}

/// The source itself, with the joints of its tracks.
#[derive(Clone, Debug)]
#[doc(hidden)]
pub struct Plain {
    /// Has no variants, triggers or metadata: those are in the notes.
    pub animation: Animation,
    pub binding: crate::sample::Binding,
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
    Keyframes,
    /// As the source has it.
    Plain,
}

impl core::fmt::Display for Packing {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(match self {
            Self::Small => "small",
            Self::Fast => "fast",
            Self::Keyframes => "keyframes",
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
    /// `CompressSettings::max_error` of `sinew-author`.
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
            Body::Keys(_) => Packing::Keyframes,
            Body::Plain(_) => Packing::Plain,
        }
    }

    /// The number of rows or frames that are kept; 0 for an animation that is kept as its source is.
    pub fn frame_count(&self) -> usize {
        match &self.body {
            Body::Plain(_) => 0,
            Body::Rows(rows) => rows.head.rows as usize,
            Body::Keys(keys) => keys.frame_count(),
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
