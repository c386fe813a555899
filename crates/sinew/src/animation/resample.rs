//! Keys at even times.

use super::{Animation, Channel, ChannelValue, Interpolation, KeyTimes};

/// Frames of an animation of `length` seconds at `rate` per second, the last included.
pub(super) fn frame_count(length: f32, rate: f64) -> usize {
    // A length is rounded to f32, which must not cost the last frame.
    let whole = f64::from(length) * rate;
    let rounded = libm::floor(whole * (1.0 + 1.2e-7) + 1e-6);
    // What is no number counts as no length; what is beyond counting as the most there is.
    (rounded.max(0.0) as usize).saturating_add(1)
}

/// Frames that [`resample`] makes, at most: about a day at 120 per second. More would fill the memory of most
/// machines for a figure of twenty joints.
const MAX_FRAMES: usize = 10_000_000;

/// The lowest rate that [`resample`] takes, in frames per second.
const MIN_RATE: f64 = 1e-3;

/// The animation with a key on every frame at `rate` per second, joined by lines.
///
/// Every channel with more than one key is sampled; the animation keeps its speed and its length, but
/// for the last part of a frame. A channel that already has these keys is kept as it is, and so are
/// variants: their times do not change.
///
/// A rate below 0.001, or one that is not finite, is taken as 0.001. There are at most 10 million frames;
/// where the rate would give more it is lowered to what gives that many.
pub fn resample(animation: &Animation, rate: f64) -> Animation {
    let mut rate = if rate.is_finite() {
        rate.max(MIN_RATE)
    } else {
        MIN_RATE
    };
    if frame_count(animation.length, rate) > MAX_FRAMES {
        rate = ((MAX_FRAMES - 1) as f64 / f64::from(animation.length)).max(MIN_RATE);
    }
    let count = frame_count(animation.length, rate).min(MAX_FRAMES);
    let mut result = animation.clone();
    for track in &mut result.tracks {
        *track = core::mem::take(track).change(
            |channel| evenly(channel, rate, count),
            |channel| evenly(channel, rate, count),
        );
    }
    result.frame_rate = Some(rate);
    result.length = ((count - 1) as f64 / rate) as f32;
    result
}

fn evenly<T: ChannelValue>(channel: Channel<T>, rate: f64, count: usize) -> Channel<T> {
    let Ok(times) = KeyTimes::uniform(rate, count) else {
        return channel;
    };
    let is_linear = channel.interpolation() == Interpolation::Linear;
    let fits = is_linear && channel.times().rate() == Some(rate) && channel.values().len() == count;
    if channel.values().len() == 1 || fits {
        return channel;
    }
    let mut values: alloc::vec::Vec<T> = times.iter().map(|time| channel.sample(time)).collect();
    for key in 1..values.len() {
        values[key] = values[key].nearest_to(values[key - 1]);
    }
    // What a valid channel gives is valid; were it not, the channel stays.
    Channel::new(times, values, Interpolation::Linear).unwrap_or(channel)
}
