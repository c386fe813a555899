//! Makes and writes uncompressed tracks. `packed/plain.rs` of `sinew` has the layout.

use alloc::vec::Vec;
use sinew::animation::{Animation, Channel, ChannelValue, Interpolation, TransformTrack};
use sinew::glam::{Quat, Vec3};
use sinew::internal::packed::Plain;
use sinew::skeleton::Skeleton;

/// A key value as an array of numbers.
trait KeyNumbers: ChannelValue {
    const COUNT: usize;
    fn numbers(&self) -> impl Iterator<Item = f32>;
}

impl KeyNumbers for Vec3 {
    const COUNT: usize = 3;

    fn numbers(&self) -> impl Iterator<Item = f32> {
        self.to_array().into_iter()
    }
}

impl KeyNumbers for Quat {
    const COUNT: usize = 4;

    fn numbers(&self) -> impl Iterator<Item = f32> {
        self.to_array().into_iter()
    }
}

/// Returns the tracks of an animation that have a joint. If several tracks have one joint, the last channels are
/// used, as when sampling.
pub(crate) fn plain(animation: &Animation, skeleton: &Skeleton) -> Plain {
    let mut bound = Animation {
        frame_rate: animation.frame_rate,
        ..Animation::new(animation.name.clone(), animation.length)
    };
    let mut track_of_joint = alloc::vec![None; skeleton.len()];
    for track in &animation.tracks {
        let Some(joint) = skeleton.find(&track.name) else {
            continue;
        };
        match track_of_joint[joint.index()] {
            None => {
                track_of_joint[joint.index()] = Some(bound.tracks.len());
                bound.tracks.push(track.clone());
            }
            Some(index) => {
                let earlier: &mut TransformTrack = &mut bound.tracks[index];
                let later = track.clone();
                earlier.position = later.position.or(earlier.position.take());
                earlier.rotation = later.rotation.or(earlier.rotation.take());
                earlier.scale = later.scale.or(earlier.scale.take());
            }
        }
    }
    Plain {
        binding: bound.bind(skeleton),
        animation: bound,
    }
}

fn tracks(plain: &Plain) -> impl Iterator<Item = (u32, &TransformTrack)> {
    let tracks = plain.animation.tracks.iter().zip(plain.binding.joints());
    tracks.filter_map(|(track, joint)| Some(((*joint)?.0, track)))
}

pub(super) fn len(plain: &Plain) -> usize {
    4 + tracks(plain)
        .map(|(_, track)| track_len(track))
        .sum::<usize>()
}

/// Returns the number of bytes of a joint's tracks.
pub(crate) fn joint_len(plain: &Plain, joint: u32) -> usize {
    let of_joint = tracks(plain).filter(|&(bound_to, _)| bound_to == joint);
    of_joint.map(|(_, track)| track_len(track)).sum()
}

fn track_len(track: &TransformTrack) -> usize {
    let linear = |channel: &Option<Channel<Vec3>>| channel.as_ref().map_or(1, channel_len);
    let rotation = track.rotation.as_ref().map_or(1, channel_len);
    4 + linear(&track.position) + rotation + linear(&track.scale)
}

fn channel_len<T: KeyNumbers>(channel: &Channel<T>) -> usize {
    let keys = channel.values().len();
    let times = if channel.times().rate().is_some() {
        8
    } else {
        4 * keys
    };
    let slopes = channel.in_tangents().len() + channel.out_tangents().len();
    5 + times + 4 * T::COUNT * (keys + slopes)
}

pub(super) fn write(plain: &Plain, bytes: &mut Vec<u8>) {
    bytes.extend((tracks(plain).count() as u32).to_le_bytes());
    for (joint, track) in tracks(plain) {
        bytes.extend(joint.to_le_bytes());
        write_channel(track.position.as_ref(), bytes);
        write_channel(track.rotation.as_ref(), bytes);
        write_channel(track.scale.as_ref(), bytes);
    }
}

fn write_channel<T: KeyNumbers>(channel: Option<&Channel<T>>, bytes: &mut Vec<u8>) {
    let Some(channel) = channel else {
        bytes.push(0);
        return;
    };
    let interpolation = match channel.interpolation() {
        Interpolation::Step => 1,
        Interpolation::Linear => 2,
        Interpolation::Cubic => 3,
    };
    let rate = channel.times().rate();
    bytes.push(interpolation | u8::from(rate.is_some()) << 2);
    bytes.extend((channel.values().len() as u32).to_le_bytes());
    match rate {
        Some(rate) => bytes.extend(rate.to_le_bytes()),
        None => bytes.extend(channel.times().iter().flat_map(f32::to_le_bytes)),
    }
    let numbers = |values: &[T], bytes: &mut Vec<u8>| {
        bytes.extend(
            values
                .iter()
                .flat_map(|value| value.numbers())
                .flat_map(f32::to_le_bytes),
        );
    };
    numbers(channel.values(), bytes);
    numbers(channel.in_tangents(), bytes);
    numbers(channel.out_tangents(), bytes);
}
