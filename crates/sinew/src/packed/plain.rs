//! Reads uncompressed tracks, addressed by joint index. `sinew_author::packed` writes them.
//!
//! ```text
//! track    u32 joint · position · rotation · scale
//! channel  u8 kind: 0 none, 1 step, 2 linear, 3 cubic, +4 evenly spaced · u32 keys · f64 rate or keys x f32 time
//!          · keys x 3 or 4 f32 · if cubic, as many in-tangents and out-tangents
//! ```

use super::Plain;
use super::bytes::{LARGEST, PackedBytesError, PackedReader};
use crate::animation::{Animation, Channel, ChannelValue, Interpolation, KeyTimes, TransformTrack};
use crate::skeleton::Skeleton;
use alloc::vec::Vec;
use glam::{Quat, Vec3};

/// A key value as an array of numbers.
trait Numbers: ChannelValue {
    const COUNT: usize;
    fn read(reader: &mut PackedReader<'_>) -> Result<Self, PackedBytesError>;
}

impl Numbers for Vec3 {
    const COUNT: usize = 3;

    fn read(reader: &mut PackedReader<'_>) -> Result<Self, PackedBytesError> {
        let mut number = || reader.f32("number of a key");
        Ok(Self::new(number()?, number()?, number()?))
    }
}

impl Numbers for Quat {
    const COUNT: usize = 4;

    fn read(reader: &mut PackedReader<'_>) -> Result<Self, PackedBytesError> {
        let mut number = || reader.f32("number of a key");
        Ok(Self::from_xyzw(number()?, number()?, number()?, number()?))
    }
}

pub(super) fn read(
    reader: &mut PackedReader<'_>,
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
        let Some(bound) = skeleton.joints().get(joint as usize) else {
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
            ..TransformTrack::new(bound.name.clone())
        };
        animation.tracks.push(track);
    }
    Ok(Plain {
        binding: animation.bind(skeleton),
        animation,
    })
}

fn read_channel<T: Numbers>(
    reader: &mut PackedReader<'_>,
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
        reader.need(count.saturating_mul(4 * T::COUNT), what)?;
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
