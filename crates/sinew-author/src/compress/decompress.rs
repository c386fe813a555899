//! Turns a packed animation back into one that can be edited.
//!
//! ```text
//! keys(joint, channel) = decoder at the times of all samples or frames,    interpolation: linear
//! ```
//!
//! The keys are what the decoder plays at these times. Between them rotations are interpolated by slerp, positions and
//! scales linearly; a packed animation interpolates MRP coordinates instead where its error bound allows it. Channels
//! without a track in the source stay without one, constant ones get one key. Cost: one pose per sample.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use sinew::Skeleton;
use sinew::animation::{
    Animation, Channel, ChannelValue, ChannelWeights, Channels, Interpolation, KeyTimes,
    TransformTrack,
};
use sinew::glam::{Quat, Vec3};
use sinew::internal::packed::Encoding;
use sinew::packed::{PackedAnimation, PackedCursor};
use sinew::pose::{JointCountMismatch, Pose};
use sinew::simd::SimdLevel;

/// Returns the animation with keys at the times of its samples or frames, joined by lines, for the channels that the
/// source had tracks for.
///
/// # Errors
/// If the skeleton has another number of joints.
pub fn decompress(
    packed: &PackedAnimation<'_>,
    skeleton: &Skeleton,
) -> Result<Animation, JointCountMismatch> {
    JointCountMismatch::check(packed.joints, skeleton.len())?;
    let mut animation = packed.info.clone();
    let weights = core::mem::take(&mut animation.tracks);
    animation.tracks = match &packed.encoding {
        Encoding::Plain(plain) => plain.animation.tracks.clone(),
        Encoding::Samples(samples) => sampled_tracks(packed, &samples.times, skeleton)?,
        Encoding::Keys(keys) => match KeyTimes::uniform(keys.frame_rate(), keys.frame_count()) {
            Ok(times) => sampled_tracks(packed, &times, skeleton)?,
            Err(_) => Vec::new(),
        },
    };
    let weights: BTreeMap<&str, ChannelWeights> = weights
        .iter()
        .map(|track| (&*track.name, track.weights))
        .collect();
    for track in &mut animation.tracks {
        if let Some(weights) = weights.get(&*track.name) {
            track.weights = *weights;
        }
    }
    Ok(animation)
}

/// Samples every joint at `times`.
fn sampled_tracks(
    packed: &PackedAnimation<'_>,
    times: &KeyTimes,
    skeleton: &Skeleton,
) -> Result<Vec<TransformTrack>, JointCountMismatch> {
    #[derive(Clone, Default)]
    struct Keys {
        positions: Vec<Vec3>,
        rotations: Vec<Quat>,
        scales: Vec<Vec3>,
    }
    let mut keys = alloc::vec![Keys::default(); packed.joints];
    let channels: Vec<Channels> = (0..packed.joints)
        .map(|index| packed.channels(index.into()))
        .collect();
    let mut cursor = PackedCursor::new();
    let mut pose = Pose::rest(skeleton);
    for time in times.iter() {
        // The last sample may be after the end.
        packed.sample_beyond(SimdLevel::best(), time, &mut cursor, &mut pose)?;
        for (index, (keys, channels)) in keys.iter_mut().zip(&channels).enumerate() {
            if channels.position {
                keys.positions.push(pose.position(index.into()));
            }
            if channels.rotation {
                keys.rotations.push(pose.rotation(index.into()));
            }
            if channels.scale {
                keys.scales.push(pose.scale(index.into()));
            }
        }
    }
    // One key is enough for what does not change.
    fn channel<T: ChannelValue + PartialEq>(
        times: &KeyTimes,
        mut values: Vec<T>,
    ) -> Option<Channel<T>> {
        let first = *values.first()?;
        let is_constant = values.iter().all(|value| *value == first);
        let times = match KeyTimes::listed([0.0]) {
            Ok(once) if is_constant => {
                values.truncate(1);
                once
            }
            _ => times.clone(),
        };
        Channel::new(times, values, Interpolation::Linear).ok()
    }
    let tracks = keys
        .into_iter()
        .zip(skeleton.joints())
        .map(|(keys, joint)| TransformTrack {
            position: channel(times, keys.positions),
            rotation: channel(times, keys.rotations),
            scale: channel(times, keys.scales),
            ..TransformTrack::new(joint.name.clone())
        });
    Ok(tracks.filter(|track| !track.is_empty()).collect())
}
