//! A part of an animation.

use alloc::vec::Vec;
use core::ops::Range;
use sinew::animation::{Animation, Channel, ChannelValue, Interpolation, KeyTimes};

/// Keys per second from which on a rate is that of a recording rather than of keys set by hand.
const CAPTURE_RATE: f64 = 20.0;

/// The part of an animation from `seconds.start` to `seconds.end`, moved to begin at 0.
///
/// Keys stay where they are, with their slopes. Evenly spaced keys stay so when the part begins on one
/// of them; when it ends between two, the later is kept too. In all other cases a key is put where the
/// part begins and where it ends, and the motion is the same; only a cubic of rotations is bent a little
/// differently in the segment that is cut.
///
/// Captured motion is the exception: lines with a key on every frame, at the animation's own frame rate
/// and at least 20 of them per second. When the part begins between two frames they are sampled anew at
/// their rate, so that there is still a key on every frame.
///
/// A part of a loop is no loop and loses its [`looping`](Animation::looping), unless the loop is in place: then
/// it keeps its share of the ground motion, which no key holds.
///
/// Variants get a key where the part begins and where it ends; triggers go with their moments. What lies
/// outside the animation is left out; a part without length is a single pose.
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
        *track =
            core::mem::take(track).change(|channel| cut.part(channel), |channel| cut.part(channel));
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

/// What is to be cut out.
struct Cut {
    start: f32,
    end: f32,
    /// Of the animation.
    frame_rate: Option<f64>,
}

impl Cut {
    fn part<T: ChannelValue>(&self, channel: Channel<T>) -> Channel<T> {
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
        // What a valid channel gives is valid; were it not, the channel stays.
        even.or_else(|| self.listed(&channel)).unwrap_or(channel)
    }

    fn is_captured<T: ChannelValue>(&self, channel: &Channel<T>, rate: f64) -> bool {
        channel.interpolation() == Interpolation::Linear
            && rate >= CAPTURE_RATE
            && self.frame_rate == Some(rate)
    }

    /// How many even keys the part has, of a channel's keys from `first` on.
    fn count<T: ChannelValue>(&self, channel: &Channel<T>, rate: f64, first: usize) -> usize {
        let seconds = self.end - self.start;
        let mut count = sinew::animation::frame_count(seconds, rate);
        if f64::from(seconds) * rate > (count - 1) as f64 + 1e-3 {
            // One key beyond the end, for the part of a frame before it.
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
        let keys = |own: &[T]| own.get(first..first + count).map(<[T]>::to_vec);
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

    /// Lines at the channel's rate, from where the part begins after the key `first`.
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

    /// The keys within the part, one where it begins, and one where it ends.
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

        // A piece of a cubic is the cubic with the same slopes at the piece's ends. Before the first key
        // and after the last nothing moves.
        let none = |slope: T| T::sum(slope, 0.0, slope, 0.0);
        let last = values.len() - 1;
        let slopes = |own: &[T], still: usize| {
            let mut slopes = alloc::vec![slope_at(channel, self.start, own)];
            slopes.extend(inside.iter().map(|&key| match key == still {
                true => none(own[key]),
                false => own[key],
            }));
            slopes.extend(end.map(|end| slope_at(channel, end, own)));
            slopes
        };
        let arriving = slopes(channel.in_tangents(), 0);
        let leaving = slopes(channel.out_tangents(), last);
        Channel::cubic(new_times, new_values, arriving, leaving).ok()
    }
}

/// How fast a cubic channel changes at a time, per second; on a key as `on_keys` says.
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
