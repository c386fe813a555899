//! Trims an animation to a part of it.
//!
//! Keys inside are kept with their tangents; keys are added at both ends. Splitting a Hermite cubic keeps the curve if the new
//! keys have its value and its slope there:
//!
//! ```text
//! p'(t) = (6t - 6t²) (b - a) / h + (1 - 4t + 3t²) out + (3t² - 2t) in        t = (time - start) / h
//! ```

use alloc::vec::Vec;
use core::ops::Range;
use sinew::animation::{Animation, Channel, ChannelValue, Interpolation, KeyTimes};

/// Keys per second from which on a rate is that of a recording rather than of keys set by hand.
const CAPTURE_RATE: f64 = 20.0;

/// The part of an animation from `seconds.start` to `seconds.end`, moved to begin at 0.
///
/// Keys inside the part are kept, with their tangents. Evenly spaced keys stay evenly spaced if the part begins on one of them;
/// if it ends between two, the later one is kept too. Otherwise a key is added at the beginning and at the end, and the
/// motion is the same; only a cubic of rotations changes a little in the segment that is cut.
///
/// Captured motion is the exception: linear channels with a key on every frame, at the animation's frame rate and at least 20
/// of them per second. If the part begins between two frames they are resampled at their rate, so that there is still a key on
/// every frame.
///
/// A part of a loop is not a loop and loses its [`looping`](Animation::looping), unless the loop is in place: then it keeps its
/// share of the travel, which no key holds.
///
/// Variants get a key at the beginning and at the end; triggers keep their time. The range is clamped to the animation; a part of
/// length zero is a single pose.
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
    if result.length != animation.length {
        let share = f64::from(result.length) / f64::from(animation.length);
        result.looping = (animation.looping).and_then(|looping| looping.part(share));
    }
    let cut = Cut {
        start,
        end,
        frame_rate: animation.frame_rate,
    };
    for track in &mut result.tracks {
        *track = core::mem::take(track).change(
            |channel| cut.trimmed(channel),
            |channel| cut.trimmed(channel),
        );
    }
    for variant in &mut result.variants {
        *variant = variant.part(start, end);
    }
    result
        .triggers
        .retain(|trigger| (start..=end).contains(&trigger.time.min(animation.length)));
    for trigger in &mut result.triggers {
        trigger.time = trigger.time.min(animation.length) - start;
    }
    result
}

/// The part that is kept, in seconds.
struct Cut {
    start: f32,
    end: f32,
    /// That of the animation.
    frame_rate: Option<f64>,
}

impl Cut {
    fn trimmed<T: ChannelValue>(&self, channel: Channel<T>) -> Channel<T> {
        if channel.values().len() == 1 {
            return channel;
        }
        let even = channel.times().rate().and_then(|rate| {
            let first = channel.times().locate(self.start);
            if first.from == first.to && self.start <= channel.times().last() {
                self.slice(&channel, rate, first.from)
            } else if self.is_captured(&channel, rate) {
                self.resampled(&channel, rate, first.from)
            } else {
                None
            }
        });
        // Cannot fail: keys and samples of a valid channel are valid.
        even.or_else(|| self.listed(&channel)).unwrap_or(channel)
    }

    fn is_captured<T: ChannelValue>(&self, channel: &Channel<T>, rate: f64) -> bool {
        channel.interpolation() == Interpolation::Linear
            && rate >= CAPTURE_RATE
            && self.frame_rate == Some(rate)
    }

    /// The number of even keys of the part, from a channel's key `first` on.
    fn count<T: ChannelValue>(&self, channel: &Channel<T>, rate: f64, first: usize) -> usize {
        let seconds = self.end - self.start;
        let mut count = sinew::animation::frame_count(seconds, rate);
        if f64::from(seconds) * rate > (count - 1) as f64 + 1e-3 {
            // One key beyond the end, for the fraction of a frame before it.
            count = count.saturating_add(1);
        }
        count.min(channel.values().len() - first)
    }

    /// The keys of an evenly keyed channel from `first` on.
    fn slice<T: ChannelValue>(
        &self,
        channel: &Channel<T>,
        rate: f64,
        first: usize,
    ) -> Option<Channel<T>> {
        let count = self.count(channel, rate, first);
        let times = KeyTimes::uniform(rate, count).ok()?;
        let keys = |all: &[T]| all.get(first..first + count).map(<[T]>::to_vec);
        let values = keys(channel.values())?;
        match channel.interpolation() {
            Interpolation::Cubic => {
                let arriving = keys(channel.in_tangents())?;
                let leaving = keys(channel.out_tangents())?;
                Channel::cubic(times, values, arriving, leaving).ok()
            }
            other => Channel::new(times, values, other).ok(),
        }
    }

    /// Linear keys at the channel's rate, from the beginning of the part after the key `first`.
    fn resampled<T: ChannelValue>(
        &self,
        channel: &Channel<T>,
        rate: f64,
        first: usize,
    ) -> Option<Channel<T>> {
        let times = KeyTimes::uniform(rate, self.count(channel, rate, first)).ok()?;
        let values = times.iter().map(|time| channel.sample(self.start + time));
        let values = values.collect();
        Channel::new(times, values, Interpolation::Linear).ok()
    }

    /// The keys within the part, and one at its beginning and end.
    fn listed<T: ChannelValue>(&self, channel: &Channel<T>) -> Option<Channel<T>> {
        let (times, values) = (channel.times(), channel.values());
        let inside: Vec<usize> = (0..values.len())
            .filter(|&key| times.get(key) > self.start && times.get(key) <= self.end)
            .collect();
        let ends_on_key = inside.last().map_or(self.start, |&key| times.get(key)) >= self.end;
        let end = (!ends_on_key).then_some(self.end);

        let mut new_times = alloc::vec![0.0];
        new_times.extend(inside.iter().map(|&key| times.get(key) - self.start));
        new_times.extend(end.map(|end| end - self.start));
        let new_times = KeyTimes::listed(new_times).ok()?;
        let mut new_values = alloc::vec![channel.sample(self.start)];
        new_values.extend(inside.iter().map(|&key| values[key]));
        new_values.extend(end.map(|end| channel.sample(end)));
        if channel.interpolation() != Interpolation::Cubic {
            return Channel::new(new_times, new_values, channel.interpolation()).ok();
        }

        // A piece of a cubic is the cubic with the same slopes at its ends. Before the first key and after the last a channel is
        // constant.
        let none = |slope: T| T::sum(slope, 0.0, slope, 0.0);
        let last = values.len() - 1;
        let slopes = |tangents: &[T], constant: usize| {
            let mut slopes = alloc::vec![slope_at(channel, self.start, tangents)];
            slopes.extend(inside.iter().map(|&key| match key == constant {
                true => none(tangents[key]),
                false => tangents[key],
            }));
            slopes.extend(end.map(|end| slope_at(channel, end, tangents)));
            slopes
        };
        let arriving = slopes(channel.in_tangents(), 0);
        let leaving = slopes(channel.out_tangents(), last);
        Channel::cubic(new_times, new_values, arriving, leaving).ok()
    }
}

/// The slope of a cubic channel at a time, per second; on a key that of `on_keys`.
fn slope_at<T: ChannelValue>(channel: &Channel<T>, time: f32, on_keys: &[T]) -> T {
    let segment = channel.times().locate(time);
    let (from, to) = (segment.from, segment.to);
    let (values, out) = (channel.values(), channel.out_tangents());
    let rests = time < channel.times().get(0) || time >= channel.times().last();
    if from == to || segment.seconds <= 0.0 {
        let slope = on_keys[from];
        return if rests {
            T::sum(slope, 0.0, slope, 0.0)
        } else {
            slope
        };
    }
    let t = segment.ratio;
    let climb = (6.0 * t - 6.0 * t * t) / segment.seconds;
    let line = T::sum(values[to], climb, values[from], -climb);
    let leave = 1.0 - 4.0 * t + 3.0 * t * t;
    let arrive = 3.0 * t * t - 2.0 * t;
    let ends = T::sum(out[from], leave, channel.in_tangents()[to], arrive);
    T::sum(line, 1.0, ends, 1.0)
}
