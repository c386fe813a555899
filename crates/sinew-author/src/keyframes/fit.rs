//! Fits keys on Catmull-Rom curves to an animation.
//!
//! Samples each channel, rounds every frame to what a key can store, finds the removal error of each frame (`reduce`), and lets
//! `tolerance` search the fewest keys whose decoded animation is within the error.

use super::reduce::{Quantity, constant_error, removal_errors};
use super::source::{FitSource, Lever};
use super::tolerance::{self, ChannelKind, FitTrack, KeyValues};
use alloc::vec::Vec;
use glam::{Quat, Vec3, Vec4};
use sinew::animation::{Animation, Channel, ChannelValue};
use sinew::internal::keyframes::KeyedAnimation;
use sinew::internal::keyframes::Quat48;
use sinew::internal::keyframes::VectorRange;
use sinew::skeleton::{JointIndex, Skeleton};

/// Frames of a [`KeyedAnimation`], at most: frame numbers have 16 bits. Nine minutes at 120 frames per second.
pub(crate) const MAX_FRAMES: usize = 65_536;

/// Settings of [`fit`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FitSettings {
    /// The largest error of any vertex of the figure, in metres, as an [`ErrorMeter`](crate::measure::ErrorMeter) measures it at
    /// all frames and half-way between them. Zero, negative or NaN keeps every frame, whatever error that leaves.
    pub max_error: f32,
}

impl Default for FitSettings {
    /// A millimetre, which is not visible.
    fn default() -> Self {
        Self { max_error: 1e-3 }
    }
}

/// Why an animation cannot be fitted.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum FitError {
    /// It has too many frames for 16-bit frame numbers; [`trim`](crate::edit::trim) or [`resample`](crate::edit::resample)
    /// it.
    #[error("the animation has {frames} frames; keys can be on {MAX_FRAMES} at most")]
    ClipTooLong {
        /// Frames of the animation.
        frames: usize,
    },
    /// Even a key on every frame exceeds the error: rotations are rounded to 48 bits and positions to 16 per number, and a
    /// curve through all frames differs from the lines between them. A `max_error` of zero keeps every frame all the same.
    #[error(
        "the animation cannot be fitted to {wanted} m: with a key on every frame joint {} is {reached} m \
         off at frame {frame}",
        joint.0
    )]
    TooFine {
        /// The error that was asked for, in metres.
        wanted: f32,
        /// The error with a key on every frame, in metres.
        reached: f64,
        /// The joint with the largest error.
        joint: JointIndex,
        /// Its time, in frames; a half is half-way to the next frame.
        frame: f64,
    },
}

/// Fits keys on curves to an animation, within [`FitSettings::max_error`] and with as few keys as the search finds.
///
/// Frames are those of [`Animation::frame_rate`]; without one, those of the densest channel whose keys are evenly spaced;
/// without any, 60 per second. They are a little closer if no frame would be at the end of the animation. Joints that no track
/// moves, tracks without a joint, variants and triggers are dropped. Needs some hundred bytes per frame and joint.
///
/// 1. Each channel is sampled and rounded to what a key can store.
/// 2. The removal error of each frame is found: the error in model space when the curve has no key there.
/// 3. Tolerances, one per frame and channel, decide which frames are kept. They are adjusted round by round until the decoded
///    animation is just within the error everywhere.
///
/// # Errors
/// If the animation is too long, or the error cannot be reached.
pub fn fit(
    skeleton: &Skeleton,
    animation: &Animation,
    settings: &FitSettings,
) -> Result<KeyedAnimation, FitError> {
    let source = FitSource::new(skeleton, animation)?;
    let tracks = tracks(&source, settings.max_error);
    tolerance::search(&source, &tracks, settings.max_error)
}

/// All channels, frame by frame, with the removal error of each frame.
fn tracks(source: &FitSource, limit: f32) -> Vec<FitTrack> {
    let levers = source.levers();
    let mut tracks = Vec::new();
    for (index, (channels, lever)) in source.channels().iter().zip(levers).enumerate() {
        let joint = index as u32;
        if let Some(channel) = channels.rotation {
            tracks.push(rotation(source, joint, channel, lever, limit));
        }
        if let Some(channel) = channels.position {
            tracks.push(vector(
                source,
                joint,
                ChannelKind::Position,
                channel,
                lever.position,
                limit,
            ));
        }
        if let Some(channel) = channels.scale {
            tracks.push(vector(
                source,
                joint,
                ChannelKind::Scale,
                channel,
                lever.reach,
                limit,
            ));
        }
    }
    tracks
}

fn rotation(
    source: &FitSource,
    joint: u32,
    channel: &Channel<Quat>,
    lever: Lever,
    limit: f32,
) -> FitTrack {
    // Each quaternion in the hemisphere of the one before, so that curves take the shorter arc.
    let mut frames: Vec<Quat> = Vec::with_capacity(source.frame_count);
    for frame in 0..source.frame_count {
        let sampled = channel.sample(source.time(frame as f64));
        let before = frames.last().copied().unwrap_or(sampled);
        frames.push(sampled.nearest_to(before));
    }
    // Packing fails only for a quaternion of length zero, which no channel has.
    let pack = |rotation: Quat| Quat48::pack(rotation).unwrap_or(Quat48::IDENTITY);
    let middle = frames
        .iter()
        .fold(Vec4::ZERO, |sum, &frame| sum + Vec4::from(frame));
    let middle = pack(Quat::from_vec4(middle));
    let packed: Vec<Quat48> = frames.iter().map(|&frame| pack(frame)).collect();
    let frames: Vec<[f32; 4]> = frames.iter().map(|frame| frame.to_array()).collect();
    let unpacked: Vec<[f32; 4]> = packed.iter().map(|key| key.unpack().to_array()).collect();
    let quantity = Quantity {
        frames: &frames,
        keys: &unpacked,
        is_unit: true,
        // A small rotation moves a vertex by the angle, which is twice the distance of the quaternions.
        metres: 2.0 * lever.reach,
    };
    let constant = [packed[0], middle];
    let errors = constant.map(|value| constant_error(&quantity, &value.unpack().to_array()));
    let (constant, constant_error) = if errors[1] < errors[0] {
        (constant[1], errors[1])
    } else {
        (constant[0], errors[0])
    };
    FitTrack {
        joint,
        kind: ChannelKind::Rotation,
        removal_errors: removal_errors(&quantity, limit),
        values: KeyValues::Rotations {
            keys: packed,
            constant,
        },
        constant_error,
    }
}

fn vector(
    source: &FitSource,
    joint: u32,
    kind: ChannelKind,
    channel: &Channel<Vec3>,
    metres: f32,
    limit: f32,
) -> FitTrack {
    let frames = (0..source.frame_count).map(|frame| channel.sample(source.time(frame as f64)));
    let frames: Vec<Vec3> = frames.collect();
    let range = VectorRange::of(&frames);
    let packed: Vec<[u16; 3]> = frames.iter().map(|&frame| range.pack(frame)).collect();
    let four = |[x, y, z]: [f32; 3]| [x, y, z, 0.0];
    let frames: Vec<[f32; 4]> = frames.iter().map(|frame| four(frame.to_array())).collect();
    let unpacked: Vec<[f32; 4]> = packed.iter().map(|&key| four(range.unpack(key))).collect();
    let quantity = Quantity {
        frames: &frames,
        keys: &unpacked,
        is_unit: false,
        metres,
    };
    // The middle of the range has the smallest largest error.
    let middle_codes = range
        .step
        .map(|step| if step > 0.0 { u16::MAX / 2 } else { 0 });
    FitTrack {
        joint,
        kind,
        removal_errors: removal_errors(&quantity, limit),
        constant_error: constant_error(&quantity, &four(range.unpack(middle_codes))),
        values: KeyValues::Vectors {
            range,
            keys: packed,
            constant: middle_codes,
        },
    }
}
