//! From an animation to keys on curves.

use super::reduce::{Motion, still_error, worth};
use super::source::{FitSource, Lever};
use super::tolerance::{self, Kind, Track, Values};
use alloc::vec::Vec;
use glam::{Quat, Vec3, Vec4};
use sinew::animation::{Animation, Channel, ChannelValue};
use sinew::internal::keyframes::KeyedAnimation;
use sinew::internal::keyframes::Quat48;
use sinew::internal::keyframes::VectorRange;
use sinew::skeleton::{JointIndex, Skeleton};

/// Frames that a [`KeyedAnimation`] has, at most: as many as 16 bits tell apart. Nine minutes at 120 per
/// second.
pub(crate) const MAX_FRAMES: usize = 65_536;

/// How [`fit`] chooses keys.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FitSettings {
    /// How far any vertex of the figure may be off, in metres, as an [`ErrorMeter`](crate::measure::ErrorMeter)
    /// measures it at all frames and half way between them. Zero, less, or what is no number keeps
    /// every frame, whatever error that leaves.
    pub max_error: f32,
}

impl Default for FitSettings {
    /// A millimetre, which is not seen.
    fn default() -> Self {
        Self { max_error: 1e-3 }
    }
}

/// Why an animation is not fitted.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum FitError {
    /// It has more frames than key times can tell apart; [`trim`](crate::edit::trim) or
    /// [`resample`](crate::edit::resample) it.
    #[error("the animation has {frames} frames; keys can be on {MAX_FRAMES} at most")]
    ClipTooLong {
        /// How many it has.
        frames: usize,
    },
    /// Not even a key on every frame is near enough: rotations are rounded to 48 bits and positions to 16
    /// per number, and a curve through all frames is not the line between two. A `max_error` of zero
    /// keeps every frame all the same.
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
        /// The joint that is furthest off.
        joint: JointIndex,
        /// When it is, in frames; a half is half way to the next.
        frame: f64,
    },
}

/// Fits curves through keys to an animation, so that nothing is further off than
/// [`FitSettings::max_error`], with as few keys as it finds.
///
/// Frames are those of [`Animation::frame_rate`]; without one, of the channels whose keys are evenly
/// spaced, the densest of them; without any, 60 per second. Where they would not meet the end of the
/// animation they are a little closer. Joints that no track moves, tracks without a joint, variants and
/// triggers are left out. Takes some hundred bytes per frame and joint while it works.
///
/// 1. Each channel is sampled and rounded to what a key can say.
/// 2. Each frame's worth as a key is found: the error in the model when the curve goes on without it.
/// 3. Tolerances, one per frame and channel, say which frames are kept. They are moved round by round
///    towards where the decoded animation, measured whole, is just near enough everywhere.
///
/// # Errors
/// When the animation is too long, or the error cannot be reached.
pub fn fit(
    skeleton: &Skeleton,
    animation: &Animation,
    settings: &FitSettings,
) -> Result<KeyedAnimation, FitError> {
    let source = FitSource::new(skeleton, animation)?;
    let tracks = tracks(&source, settings.max_error);
    tolerance::search(&source, &tracks, settings.max_error)
}

/// All channels, frame by frame, with each frame's worth.
fn tracks(source: &FitSource, limit: f32) -> Vec<Track> {
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
                Kind::Position,
                channel,
                lever.position,
                limit,
            ));
        }
        if let Some(channel) = channels.scale {
            tracks.push(vector(
                source,
                joint,
                Kind::Scale,
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
) -> Track {
    // Each quaternion on the side of the one before, so that curves do not go round.
    let mut frames: Vec<Quat> = Vec::with_capacity(source.frame_count);
    for frame in 0..source.frame_count {
        let sampled = channel.sample(source.time(frame as f64));
        let before = frames.last().copied().unwrap_or(sampled);
        frames.push(sampled.nearest_to(before));
    }
    // Channels hold no quaternion without length.
    let pack = |rotation: Quat| Quat48::pack(rotation).unwrap_or(Quat48::IDENTITY);
    let middle = frames
        .iter()
        .fold(Vec4::ZERO, |sum, &frame| sum + Vec4::from(frame));
    let middle = pack(Quat::from_vec4(middle));
    let packed: Vec<Quat48> = frames.iter().map(|&frame| pack(frame)).collect();
    let frames: Vec<[f32; 4]> = frames.iter().map(|frame| frame.to_array()).collect();
    let unpacked: Vec<[f32; 4]> = packed.iter().map(|key| key.unpack().to_array()).collect();
    let motion = Motion {
        frames: &frames,
        keys: &unpacked,
        is_unit: true,
        // A small turn moves a vertex by the angle, which is twice the quaternions' distance.
        metres: 2.0 * lever.reach,
    };
    let still = [packed[0], middle];
    let errors = still.map(|value| still_error(&motion, &value.unpack().to_array()));
    let (still, still_error) = if errors[1] < errors[0] {
        (still[1], errors[1])
    } else {
        (still[0], errors[0])
    };
    Track {
        joint,
        kind: Kind::Rotation,
        worth: worth(&motion, limit),
        values: Values::Rotations {
            keys: packed,
            still,
        },
        still_error,
    }
}

fn vector(
    source: &FitSource,
    joint: u32,
    kind: Kind,
    channel: &Channel<Vec3>,
    metres: f32,
    limit: f32,
) -> Track {
    let frames = (0..source.frame_count).map(|frame| channel.sample(source.time(frame as f64)));
    let frames: Vec<Vec3> = frames.collect();
    let range = VectorRange::of(&frames);
    let packed: Vec<[u16; 3]> = frames.iter().map(|&frame| range.pack(frame)).collect();
    let four = |[x, y, z]: [f32; 3]| [x, y, z, 0.0];
    let frames: Vec<[f32; 4]> = frames.iter().map(|frame| four(frame.to_array())).collect();
    let unpacked: Vec<[f32; 4]> = packed.iter().map(|&key| four(range.unpack(key))).collect();
    let motion = Motion {
        frames: &frames,
        keys: &unpacked,
        is_unit: false,
        metres,
    };
    // The middle of the range is as near to both its ends as can be.
    let moves = range
        .step
        .map(|step| if step > 0.0 { u16::MAX / 2 } else { 0 });
    Track {
        joint,
        kind,
        worth: worth(&motion, limit),
        still_error: still_error(&motion, &four(range.unpack(moves))),
        values: Values::Vectors {
            range,
            keys: packed,
            still: moves,
        },
    }
}
