//! Packed animations: the runtime form, compressed, validated and immutable.
//!
//! `sinew_author::compress` compresses an [`Animation`] on a skeleton into a [`PackedAnimation`]; `sinew-formats`
//! reads and writes it as a file. Sampling fills a whole pose, eight joints per SIMD vector.
//!
//! The animation is resampled at a uniform rate. A *sample* holds the value of every *component* at one time: a
//! coordinate of a rotation, position or scale that changes. Quantization divides each component by its own quantization step and
//! rounds, so a sample is integers. `small` codes samples with linear prediction and Rice codes of the residuals,
//! `fast` with fixed bit widths per segment. `decode` restores components, and `pose_assembly` has the tables that
//! turn them into a pose.

pub(crate) mod bits;
pub(crate) mod bytes;
pub(crate) mod decode;
pub(crate) mod fast;
pub(crate) mod head;
pub mod keyframes;
pub(crate) mod plain;
pub(crate) mod pose_assembly;
pub(crate) mod quat;
pub(crate) mod samples;
pub(crate) mod slerp;
pub(crate) mod small;

pub use bytes::{PackedBytesError, PackedProblem};

pub use decode::PackedCursor;

pub(crate) use fast::{
    FastSamples, SampleLocation, SampleWeights, Slice, WINDOW, Weights, number as fast_number,
};
pub(crate) use head::SlerpSpans;
pub(crate) use pose_assembly::{Linear, Maps, PAIR_LANES, PoseAssembly, SLOTS, Targets, U8_SLOTS};
pub(crate) use samples::{PackedSamples, Stream};
pub(crate) use slerp::SlerpRatio;
pub(crate) use small::SmallSamples;

use crate::animation::{Animation, Channels, LoopMotion};
use crate::packed::keyframes::KeyedAnimation;
use crate::skeleton::JointIndex;

/// The maximum number of samples of an animation: nine hours at 120 per second.
#[doc(hidden)]
pub const MAX_SAMPLES: usize = 1 << 22;

/// A compressed animation for one skeleton.
///
/// Created by `sinew_author::compress` or read from a file. It stores its error bound and its measured error
/// ([`max_error`](Self::max_error), [`error`](Self::error)). Construction validates everything, so sampling cannot
/// fail. Share it between players by `Arc` or by reference; the mutable state of sampling is in a [`PackedCursor`].
#[derive(Clone, Debug)]
pub struct PackedAnimation<'a> {
    #[doc(hidden)]
    pub info: Animation,
    #[doc(hidden)]
    pub joints: usize,
    #[doc(hidden)]
    pub max_error: f32,
    #[doc(hidden)]
    pub error: f32,
    /// The rest pose of the skeleton, for joints that no sample changes.
    #[doc(hidden)]
    pub rest: alloc::boxed::Box<[crate::pose::SoaTransform]>,
    #[doc(hidden)]
    pub encoding: Encoding<'a>,
}

/// The representation of the motion.
#[derive(Clone, Debug)]
#[doc(hidden)]
pub enum Encoding<'a> {
    /// Samples at uniform times.
    Samples(alloc::boxed::Box<PackedSamples<'a>>),
    /// Keys on curves.
    Keys(alloc::boxed::Box<KeyedAnimation>),
    /// The uncompressed source, if no other packing is smaller or within the error bound.
    Plain(alloc::boxed::Box<Plain>),
}

/// The uncompressed source, bound to the joints of its tracks.
#[derive(Clone, Debug)]
#[doc(hidden)]
pub struct Plain {
    /// The tracks only. Variants, triggers and metadata are in the info.
    pub animation: Animation,
    pub binding: crate::sample::Binding,
}

/// The codec of a [`PackedAnimation`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Packing {
    /// Rice-coded samples, the smallest; decoded in segments of 64 samples.
    Small,
    /// Samples in fixed bit widths: random access at constant cost.
    Fast,
    /// Keys on Catmull-Rom curves with 48-bit rotations.
    Keyframes,
    /// The uncompressed source.
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
    /// Returns the name.
    pub fn name(&self) -> &str {
        &self.info.name
    }

    /// Renames the animation; its motion stays the same.
    pub fn set_name(&mut self, name: impl Into<alloc::string::String>) {
        self.info.name = name.into();
    }

    /// Returns the length in seconds.
    pub fn length(&self) -> f32 {
        self.info.length
    }

    /// Returns the ground motion per cycle; `None` if the animation is not known to be a loop.
    pub fn looping(&self) -> Option<LoopMotion> {
        self.info.looping
    }

    /// Returns everything but the motion: name, length, frame rate, variants, triggers, metadata and ground motion of
    /// the source, and the weights of its tracks. Its transform tracks have no channels.
    pub fn info(&self) -> &Animation {
        &self.info
    }

    /// Returns the number of joints of the skeleton.
    pub fn joint_count(&self) -> usize {
        self.joints
    }

    /// Returns the error bound in metres: the maximum distance allowed between a point of the body and its source at
    /// any time; see `CompressSettings::max_error` of `sinew-author`.
    pub fn max_error(&self) -> f32 {
        self.max_error
    }

    /// Returns the error in metres: the maximum distance between a point of the body and its source at any time, as
    /// proven by the compressor.
    pub fn error(&self) -> f32 {
        self.error
    }

    /// Returns the codec of the motion.
    pub fn packing(&self) -> Packing {
        match &self.encoding {
            Encoding::Samples(samples) => match samples.stream {
                Stream::Small(_) => Packing::Small,
                Stream::Fast(_) => Packing::Fast,
            },
            Encoding::Keys(_) => Packing::Keyframes,
            Encoding::Plain(_) => Packing::Plain,
        }
    }

    /// Returns the number of stored samples or frames; 0 for [`Packing::Plain`].
    pub fn frame_count(&self) -> usize {
        match &self.encoding {
            Encoding::Plain(_) => 0,
            Encoding::Samples(samples) => samples.head.sample_count as usize,
            Encoding::Keys(keys) => keys.frame_count(),
        }
    }

    /// Returns the channels of a joint that have a track in the source. The others keep the rest pose in every
    /// sample.
    pub fn channels(&self, joint: JointIndex) -> Channels {
        match &self.encoding {
            Encoding::Samples(samples) => {
                let head = samples.head.joints.get(joint.index());
                let [position, rotation, scale] = head.map_or([false; 3], |head| head.moved);
                Channels {
                    position,
                    rotation,
                    scale,
                }
            }
            Encoding::Keys(keys) => keys.channels(joint),
            Encoding::Plain(plain) => {
                let tracks = plain.animation.tracks.iter().zip(plain.binding.joints());
                let mut of_joint = tracks.filter(|(_, bound)| **bound == Some(joint));
                of_joint
                    .next_back()
                    .map_or(Channels::default(), |(track, _)| track.channels())
            }
        }
    }

    /// Converts to an animation that borrows nothing.
    pub fn into_owned(self) -> PackedAnimation<'static> {
        PackedAnimation {
            info: self.info,
            joints: self.joints,
            max_error: self.max_error,
            error: self.error,
            rest: self.rest,
            encoding: match self.encoding {
                Encoding::Samples(samples) => {
                    Encoding::Samples(alloc::boxed::Box::new(samples.into_owned()))
                }
                Encoding::Keys(keys) => Encoding::Keys(keys),
                Encoding::Plain(plain) => Encoding::Plain(plain),
            },
        }
    }
}
