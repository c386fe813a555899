//! Uncompressed tracks, addressed by joint index.

use super::Plain;
use super::bytes::{LARGEST, PackedBytesError, Reader};
use crate::animation::{Animation, Channel, ChannelValue, Interpolation, KeyTimes, TransformTrack};
use crate::skeleton::Skeleton;
use alloc::vec::Vec;
use glam::{Quat, Vec3};

/// A key value as an array of numbers.
trait Numbers: ChannelValue {
    const COUNT: usize;
    fn numbers(&self) -> impl Iterator<Item = f32>;
    fn read(reader: &mut Reader<'_>) -> Result<Self, PackedBytesError>;
}

impl Numbers for Vec3 {
    const COUNT: usize = 3;

    fn numbers(&self) -> impl Iterator<Item = f32> {
        self.to_array().into_iter()
    }

    fn read(reader: &mut Reader<'_>) -> Result<Self, PackedBytesError> {
        let mut number = || reader.f32("number of a key");
        Ok(Self::new(number()?, number()?, number()?))
    }
}

impl Numbers for Quat {
    const COUNT: usize = 4;

    fn numbers(&self) -> impl Iterator<Item = f32> {
        self.to_array().into_iter()
    }

    fn read(reader: &mut Reader<'_>) -> Result<Self, PackedBytesError> {
        let mut number = || reader.f32("number of a key");
        Ok(Self::from_xyzw(number()?, number()?, number()?, number()?))
    }
}

/// Returns the tracks of an animation that have a joint. If several tracks have one joint, the last channels are
/// used, as when sampling.
pub fn plain(animation: &Animation, skeleton: &Skeleton) -> Plain {
    let mut own = Animation {
        frame_rate: animation.frame_rate,
        ..Animation::new(animation.name.clone(), animation.length)
    };
    let mut place = alloc::vec![None; skeleton.len()];
    for track in &animation.tracks {
        let Some(joint) = skeleton.find(&track.name) else {
            continue;
        };
        match place[joint.index()] {
            None => {
                place[joint.index()] = Some(own.tracks.len());
                own.tracks.push(track.clone());
            }
            Some(at) => {
                let earlier: &mut TransformTrack = &mut own.tracks[at];
                let later = track.clone();
                earlier.position = later.position.or(earlier.position.take());
                earlier.rotation = later.rotation.or(earlier.rotation.take());
                earlier.scale = later.scale.or(earlier.scale.take());
            }
        }
    }
    Plain {
        binding: own.bind(skeleton),
        animation: own,
    }
}

fn tracks(plain: &Plain) -> impl Iterator<Item = (u32, &TransformTrack)> {
    let tracks = plain.animation.tracks.iter().zip(plain.binding.joints());
    tracks.filter_map(|(track, joint)| Some(((*joint)?.0, track)))
}

pub(crate) fn len(plain: &Plain) -> usize {
    4 + tracks(plain)
        .map(|(_, track)| track_len(track))
        .sum::<usize>()
}

/// Returns the number of bytes of a joint's tracks.
pub fn joint_len(plain: &Plain, joint: u32) -> usize {
    let own = tracks(plain).filter(|&(own, _)| own == joint);
    own.map(|(_, track)| track_len(track)).sum()
}

fn track_len(track: &TransformTrack) -> usize {
    let linear = |channel: &Option<Channel<Vec3>>| channel.as_ref().map_or(1, channel_len);
    let rotation = track.rotation.as_ref().map_or(1, channel_len);
    4 + linear(&track.position) + rotation + linear(&track.scale)
}

fn channel_len<T: Numbers>(channel: &Channel<T>) -> usize {
    let keys = channel.values().len();
    let times = if channel.times().rate().is_some() {
        8
    } else {
        4 * keys
    };
    let slopes = channel.in_tangents().len() + channel.out_tangents().len();
    5 + times + 4 * T::COUNT * (keys + slopes)
}

pub(crate) fn write(plain: &Plain, bytes: &mut Vec<u8>) {
    bytes.extend((tracks(plain).count() as u32).to_le_bytes());
    for (joint, track) in tracks(plain) {
        bytes.extend(joint.to_le_bytes());
        write_channel(track.position.as_ref(), bytes);
        write_channel(track.rotation.as_ref(), bytes);
        write_channel(track.scale.as_ref(), bytes);
    }
}

fn write_channel<T: Numbers>(channel: Option<&Channel<T>>, bytes: &mut Vec<u8>) {
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

pub(super) fn read(
    reader: &mut Reader<'_>,
    skeleton: &Skeleton,
    info: &Animation,
) -> Result<Plain, PackedBytesError> {
    let count = reader.u32("number of tracks")? as usize;
    if count > skeleton.len() {
        let expected = format_args!("at most {}", skeleton.len());
        return Err(reader.number("number of tracks", expected, count));
    }
    let mut animation = Animation {
        frame_rate: info.frame_rate,
        ..Animation::new(info.name.clone(), info.length)
    };
    let mut has_track = alloc::vec![false; skeleton.len()];
    for _ in 0..count {
        let joint = reader.u32("joint of a track")?;
        let Some(own) = skeleton.joints().get(joint as usize) else {
            let expected = format_args!("below {}", skeleton.len());
            return Err(reader.number("joint of a track", expected, joint));
        };
        if core::mem::replace(&mut has_track[joint as usize], true) {
            return Err(reader.number("joint of a track", "each joint once", joint));
        }
        let track = TransformTrack {
            position: read_channel(reader)?,
            rotation: read_channel(reader)?,
            scale: read_channel(reader)?,
            ..TransformTrack::new(own.name.clone())
        };
        animation.tracks.push(track);
    }
    Ok(Plain {
        binding: animation.bind(skeleton),
        animation,
    })
}

fn read_channel<T: Numbers>(
    reader: &mut Reader<'_>,
) -> Result<Option<Channel<T>>, PackedBytesError> {
    let kind = reader.u8("kind of a channel")?;
    let interpolation = match kind & 3 {
        0 if kind == 0 => return Ok(None),
        1 => Interpolation::Step,
        2 => Interpolation::Linear,
        3 => Interpolation::Cubic,
        _ => return Err(reader.number("kind of a channel", "0 to 7", kind)),
    };
    if kind > 7 {
        return Err(reader.number("kind of a channel", "0 to 7", kind));
    }
    let count = reader.u32("number of keys")? as usize;
    let times = if kind & 4 != 0 {
        let rate = reader.rate("rate of keys")?;
        KeyTimes::uniform(rate, count)
    } else {
        let times = reader.many("times of keys", count, 4)?;
        let times = times
            .chunks_exact(4)
            .map(|time| f32::from_le_bytes([time[0], time[1], time[2], time[3]]));
        KeyTimes::listed(times.collect::<Vec<f32>>())
    };
    let times = times.map_err(|error| reader.number("times of keys", "times that rise", error))?;
    if times.last() > LARGEST {
        let expected = format_args!("at most {LARGEST:e}");
        return Err(reader.number("times of keys", expected, times.last()));
    }
    let mut values = |what| -> Result<Vec<T>, PackedBytesError> {
        // Checked before memory is allocated.
        reader.need(what, count, 4 * T::COUNT)?;
        (0..count).map(|_| T::read(reader)).collect()
    };
    let keys = values("keys")?;
    let channel = if interpolation == Interpolation::Cubic {
        Channel::cubic(times, keys, values("slopes")?, values("slopes")?)
    } else {
        Channel::new(times, keys, interpolation)
    };
    let channel =
        channel.map_err(|error| reader.number("keys", "values that can be played", error))?;
    Ok(Some(channel))
}
