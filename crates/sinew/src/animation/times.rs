//! Key times, and the search for the keys around a time.
//!
//! Evenly spaced times need one product: the key before `t` is `floor(t · rate)`. Listed times are searched by bisection.
//! A time within rounding of a key is on that key, so that sampling at key times returns the keys themselves.

use super::AnimationError;
use alloc::sync::Arc;

/// The times of a channel's keys, in seconds.
///
/// Captured motion has a key on every frame: such times take no memory, are exact for any length and need no search.
/// Other times are a list shared by channels.
#[derive(Clone, Debug)]
pub struct KeyTimes(Kind);

#[derive(Clone, Debug)]
enum Kind {
    /// `count` keys, at least one, at `rate` per second, the first at 0.
    Uniform { rate: f64, count: usize },
    /// At least one time, in non-descending order.
    Listed(Arc<[f32]>),
}

impl PartialEq for KeyTimes {
    /// Returns whether all key times are equal.
    fn eq(&self, other: &Self) -> bool {
        if let (Kind::Listed(a), Kind::Listed(b)) = (&self.0, &other.0)
            && Arc::ptr_eq(a, b)
        {
            return true;
        }
        let same_rate = self.rate().is_some() && self.rate() == other.rate();
        self.len() == other.len() && (same_rate || self.iter().eq(other.iter()))
    }
}

/// The position of a time among keys.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Segment {
    /// The key at or before the time.
    pub from: usize,
    /// The key after the time; equal to `from` if there is none or the time is on a key.
    pub to: usize,
    /// The ratio from `from` to `to`, from 0 to 1.
    pub ratio: f32,
    /// Seconds between the two keys.
    pub seconds: f32,
}

/// The relative tolerance for a time to match a key: the rounding of a time in `f32`. The time of frame `i`, computed
/// in `f32` in any order, gives the key of frame `i`.
const ROUNDING: f64 = 1.2e-7;

/// Below this ratio a time is on the preceding key.
const ON_KEY: f32 = 1e-6;

impl KeyTimes {
    /// Creates `count` times at `rate` per second, the first at 0.
    ///
    /// # Errors
    /// If the rate is not finite and positive, or `count` is 0.
    pub fn uniform(rate: f64, count: usize) -> Result<Self, AnimationError> {
        if !(rate.is_finite() && rate > 0.0) {
            return Err(AnimationError::Rate { rate });
        }
        if count == 0 {
            return Err(AnimationError::NoKeys);
        }
        Ok(Self(Kind::Uniform { rate, count }))
    }

    /// Creates times from a list in non-descending order. At a time shared by several keys, the last of them is used.
    ///
    /// # Errors
    /// If the list is empty, or a time is negative, not finite or before the preceding one.
    pub fn listed(times: impl Into<Arc<[f32]>>) -> Result<Self, AnimationError> {
        let times = times.into();
        if times.is_empty() {
            return Err(AnimationError::NoKeys);
        }
        let mut last = 0.0;
        for (key, &time) in times.iter().enumerate() {
            if !(time.is_finite() && time >= last) {
                return Err(AnimationError::Time { key, time });
            }
            last = time;
        }
        Ok(Self(Kind::Listed(times)))
    }

    /// Returns the number of keys; at least one.
    #[allow(clippy::len_without_is_empty, reason = "there is at least one key")]
    pub fn len(&self) -> usize {
        match &self.0 {
            Kind::Uniform { count, .. } => *count,
            Kind::Listed(times) => times.len(),
        }
    }

    /// Returns the time of a key; that of the last one out of range.
    pub fn get(&self, key: usize) -> f32 {
        let key = key.min(self.len().saturating_sub(1));
        match &self.0 {
            Kind::Uniform { rate, .. } => (key as f64 / rate) as f32,
            Kind::Listed(times) => times.get(key).copied().unwrap_or(0.0),
        }
    }

    /// Returns the times in order.
    pub fn iter(&self) -> impl Iterator<Item = f32> {
        (0..self.len()).map(|key| self.get(key))
    }

    /// Returns the time of the last key.
    pub fn last(&self) -> f32 {
        self.get(usize::MAX)
    }

    /// Returns the keys per second, if evenly spaced.
    pub fn rate(&self) -> Option<f64> {
        match &self.0 {
            Kind::Uniform { rate, .. } => Some(*rate),
            Kind::Listed(_) => None,
        }
    }

    /// Returns whether both are the same list, without comparing times.
    #[inline]
    #[doc(hidden)]
    pub fn is_shared_with(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (
                Kind::Uniform { rate, count },
                Kind::Uniform {
                    rate: other_rate,
                    count: other_count,
                },
            ) => rate == other_rate && count == other_count,
            (Kind::Listed(times), Kind::Listed(other)) => Arc::ptr_eq(times, other),
            _ => false,
        }
    }

    /// Returns the keys around `time`: the first key before the first, the last after the last. NaN is 0.
    #[inline]
    pub fn locate(&self, time: f32) -> Segment {
        match &self.0 {
            Kind::Uniform { rate, count } => locate_uniform(*rate, *count, time),
            Kind::Listed(times) => locate_listed(times, time),
        }
    }

    /// As [`Self::locate`], in a loop of `length` seconds: after the last key it interpolates back to the first, over
    /// the remaining length plus the time before the first key. Before the first key its value holds.
    ///
    /// The end of a loop is its beginning: from `length` on, infinity included, the result is the first key, and at
    /// any earlier time it is not. NaN and negative times are 0. Controllers play packed animations by the same rule.
    #[inline]
    pub fn locate_looped(&self, time: f32, length: f32) -> Segment {
        if time >= length {
            return Segment::on(0);
        }
        let found = self.locate(time);
        let last = self.len() - 1;
        if last == 0 || found.from != last || found.ratio > 0.0 {
            return found;
        }
        let mut seconds = self.get(0) - self.last();
        if seconds < 0.0 {
            seconds += length;
        }
        // If the last key is at the end or later, there is no interpolation back.
        let ratio = if seconds > 0.0 {
            (time - self.last()) / seconds
        } else {
            0.0
        };
        if ratio < ON_KEY {
            Segment::on(last)
        } else {
            Segment {
                from: last,
                to: 0,
                ratio: ratio.min(1.0),
                seconds,
            }
        }
    }
}

impl Segment {
    pub(super) fn on(key: usize) -> Self {
        Self {
            from: key,
            to: key,
            ratio: 0.0,
            seconds: 0.0,
        }
    }
}

fn locate_uniform(rate: f64, count: usize, time: f32) -> Segment {
    // 32-bit conversion is faster, and enough for keys that fit into memory.
    let last = count.saturating_sub(1).min(u32::MAX as usize) as u32;
    // The time in key intervals.
    let position = f64::from(time.max(0.0)) * rate;
    if position >= f64::from(last) {
        return Segment::on(last as usize);
    }
    let key = position as u32;
    let from = key as usize;
    let ratio = position - f64::from(key);
    if ratio <= position * ROUNDING {
        return Segment::on(from);
    }
    if 1.0 - ratio <= position * ROUNDING {
        return Segment::on(from + 1);
    }
    Segment {
        from,
        to: from + 1,
        ratio: ratio as f32,
        seconds: (1.0 / rate) as f32,
    }
}

fn locate_listed(times: &[f32], time: f32) -> Segment {
    let time = time.max(0.0);
    let after = times.partition_point(|&key| key <= time);
    let Some(from) = after.checked_sub(1) else {
        return Segment::on(0);
    };
    let (Some(&start), Some(&end)) = (times.get(from), times.get(after)) else {
        return Segment::on(from);
    };
    let ratio = (time - start) / (end - start);
    if ratio < ON_KEY {
        return Segment::on(from);
    }
    Segment {
        from,
        to: after,
        ratio,
        seconds: end - start,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(times: &[f32]) -> Result<KeyTimes, AnimationError> {
        KeyTimes::listed(times)
    }

    #[test]
    fn times_that_cannot_be_are_refused() {
        for rate in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(KeyTimes::uniform(rate, 3).is_err(), "{rate}");
        }
        assert_eq!(KeyTimes::uniform(30.0, 0), Err(AnimationError::NoKeys));
        assert_eq!(listed(&[]), Err(AnimationError::NoKeys));
        for bad in [
            &[-1.0][..],
            &[f32::NAN],
            &[0.0, f32::INFINITY],
            &[0.0, 2.0, 1.0],
        ] {
            assert!(
                matches!(listed(bad), Err(AnimationError::Time { .. })),
                "{bad:?}"
            );
        }
    }

    #[test]
    fn the_time_of_a_frame_gives_its_key_and_nothing_else() {
        for rate in [120.0, 30.0, 24.0, 60.0, 24000.0 / 1001.0, 29.97, 7.3] {
            let count = 200_000;
            let times = KeyTimes::uniform(rate, count).unwrap();
            for frame in (0..count).step_by(37) {
                for time in [
                    (frame as f64 / rate) as f32,
                    frame as f32 / rate as f32,
                    times.get(frame),
                ] {
                    let segment = times.locate(time);
                    assert_eq!((segment.from, segment.ratio), (frame, 0.0), "{rate} {time}");
                }
            }
        }
    }

    #[test]
    fn uniform_and_listed_times_agree() {
        let uniform = KeyTimes::uniform(8.0, 5).unwrap();
        let listed = listed(&[0.0, 0.125, 0.25, 0.375, 0.5]).unwrap();
        assert_eq!(uniform, listed);
        for i in -3..40 {
            let time = i as f32 / 64.0;
            assert_eq!(uniform.locate(time), listed.locate(time), "{time}");
        }
        assert_eq!(uniform.locate(f32::NAN), Segment::on(0));
        assert_eq!(uniform.locate(f32::INFINITY), Segment::on(4));
    }

    #[test]
    fn of_keys_at_one_time_the_last_counts() {
        let times = listed(&[0.5, 1.0, 1.0, 2.0]).unwrap();
        assert_eq!(times.locate(0.2), Segment::on(0));
        assert_eq!(times.locate(0.75).ratio, 0.5);
        assert_eq!(times.locate(1.0), Segment::on(2));
        assert_eq!(times.locate(1.5).from, 2);
        assert_eq!(times.locate(3.0), Segment::on(3));
    }
}
