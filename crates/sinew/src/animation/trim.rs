//! A part of an animation.

use super::{Animation, Channel, ChannelValue, Interpolation, KeyTimes};
use alloc::vec::Vec;
use core::ops::Range;

/// The part of an animation from `seconds.start` to `seconds.end`, moved to begin at 0.
///
/// Keys stay where they are; where the part begins or ends between keys, a key is put there. Keys on
/// every frame stay so when the part begins on a frame, and are sampled anew at their rate when it does
/// not. What lies outside the animation is left out; a part without length is a single pose.
pub fn trim(animation: &Animation, seconds: Range<f32>) -> Animation {
    let limit = |time: f32| time.max(0.0).min(animation.length);
    let start = limit(seconds.start);
    let end = limit(seconds.end).max(start);
    let mut result = animation.clone();
    result.length = end - start;
    if let Some(rate) = animation.frame_rate {
        // Whole frames keep the exact length that their count gives.
        let frames = f64::from(end - start) * rate;
        let whole = libm::rint(frames);
        if (frames - whole).abs() < 1e-3 {
            result.length = (whole / rate) as f32;
        }
    }
    for track in &mut result.tracks {
        *track = core::mem::take(track).change(
            |channel| part(channel, start, end),
            |channel| part(channel, start, end),
        );
    }
    result
}

fn part<T: ChannelValue>(channel: Channel<T>, start: f32, end: f32) -> Channel<T> {
    if channel.values().len() == 1 {
        return channel;
    }
    let cut = match channel.times().rate() {
        Some(rate) => even_part(&channel, rate, start, end),
        None => listed_part(&channel, start, end),
    };
    // What a valid channel gives is valid; were it not, the channel stays.
    cut.unwrap_or(channel)
}

fn even_part<T: ChannelValue>(
    channel: &Channel<T>,
    rate: f64,
    start: f32,
    end: f32,
) -> Option<Channel<T>> {
    let first = channel.times().locate(start);
    let mut count = super::resample::frame_count(end - start, rate);
    if f64::from(end - start) * rate > (count - 1) as f64 + 1e-3 {
        // One key beyond the end, for the part of a frame before it.
        count += 1;
    }
    let times = KeyTimes::uniform(rate, count).ok()?;
    let on_a_frame = first.from == first.to && channel.times().last() >= start;
    if !on_a_frame || channel.interpolation() == Interpolation::Cubic {
        let values: Vec<T> = times
            .iter()
            .map(|time| channel.sample(start + time))
            .collect();
        let interpolation = match channel.interpolation() {
            Interpolation::Step => Interpolation::Step,
            _ => Interpolation::Linear,
        };
        return Channel::new(times, values, interpolation).ok();
    }
    let last = channel.values().len() - 1;
    let values = (0..count).map(|key| channel.values()[(first.from + key).min(last)]);
    Channel::new(times, values.collect(), channel.interpolation()).ok()
}

fn listed_part<T: ChannelValue>(channel: &Channel<T>, start: f32, end: f32) -> Option<Channel<T>> {
    let (times, values) = (channel.times(), channel.values());
    let inside: Vec<usize> = (0..values.len())
        .filter(|&key| times.get(key) > start && times.get(key) < end)
        .collect();
    let mut new_times = alloc::vec![0.0];
    new_times.extend(inside.iter().map(|&key| times.get(key) - start));
    if end > start {
        new_times.push(end - start);
    }
    let mut new_values = alloc::vec![channel.sample(start)];
    new_values.extend(inside.iter().map(|&key| values[key]));
    if end > start {
        new_values.push(channel.sample(end));
    }
    let new_times = KeyTimes::listed(new_times).ok()?;
    if channel.interpolation() != Interpolation::Cubic {
        return Channel::new(new_times, new_values, channel.interpolation()).ok();
    }
    // A piece of a cubic is the cubic with the same slopes at the piece's ends.
    let slopes = |own: &[T]| {
        let mut slopes = alloc::vec![slope_at(channel, start, channel.out_tangents())];
        slopes.extend(inside.iter().map(|&key| own[key]));
        if end > start {
            slopes.push(slope_at(channel, end, channel.in_tangents()));
        }
        slopes
    };
    let arriving = slopes(channel.in_tangents());
    let leaving = slopes(channel.out_tangents());
    Channel::cubic(new_times, new_values, arriving, leaving).ok()
}

/// How fast a cubic channel changes at a time, per second; on a key as `on_keys` says.
fn slope_at<T: ChannelValue>(channel: &Channel<T>, time: f32, on_keys: &[T]) -> T {
    let segment = channel.times().locate(time);
    let (from, to) = (segment.from, segment.to);
    let (values, out) = (channel.values(), channel.out_tangents());
    if from == to || segment.seconds <= 0.0 {
        return on_keys[from];
    }
    let t = segment.ratio;
    let climb = (6.0 * t - 6.0 * t * t) / segment.seconds;
    let line = T::sum(values[to], climb, values[from], -climb);
    let leave = 1.0 - 4.0 * t + 3.0 * t * t;
    let arrive = 3.0 * t * t - 2.0 * t;
    let ends = T::sum(out[from], leave, channel.in_tangents()[to], arrive);
    T::sum(line, 1.0, ends, 1.0)
}
