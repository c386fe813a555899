//! Keys of one quantity over time.

use super::{AnimationError, ChannelValue, KeyTimes, Segment};
use alloc::format;
use alloc::vec::Vec;

/// The interpolation between two keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Interpolation {
    /// Constant until the next key.
    Step,
    /// Linear for positions and scales; slerp along the shorter arc for rotations.
    Linear,
    /// Cubic Hermite with a tangent at each key.
    Cubic,
}

/// Keys of a position, rotation or scale over time.
///
/// There is at least one key, as many values as times, and every number is finite, so sampling cannot fail. The first
/// and last values hold outside the keys.
#[derive(Clone, Debug, PartialEq)]
pub struct Channel<T> {
    times: KeyTimes,
    values: Vec<T>,
    /// In and out tangents of each key, per second; empty unless cubic.
    slopes: [Vec<T>; 2],
    interpolation: Interpolation,
}

impl<T: ChannelValue> Channel<T> {
    /// Creates a channel. Rotations are normalized. Cubic channels get Catmull-Rom tangents; [`Channel::cubic`] takes
    /// explicit ones.
    ///
    /// # Errors
    /// If the numbers of values and times differ, a value is not finite, or a rotation has zero length.
    pub fn new(
        times: KeyTimes,
        values: Vec<T>,
        interpolation: Interpolation,
    ) -> Result<Self, AnimationError> {
        let mut channel = Self {
            values: checked(&times, values, "values")?,
            times,
            slopes: [Vec::new(), Vec::new()],
            interpolation,
        };
        if interpolation == Interpolation::Cubic {
            channel.align();
            let slopes = smooth_slopes(&channel.times, &channel.values);
            channel.slopes = [slopes.clone(), slopes];
        }
        Ok(channel)
    }

    /// Creates a cubic channel with in and out tangents per second.
    ///
    /// # Errors
    /// As [`Channel::new`], for the tangents too.
    pub fn cubic(
        times: KeyTimes,
        values: Vec<T>,
        in_tangents: Vec<T>,
        out_tangents: Vec<T>,
    ) -> Result<Self, AnimationError> {
        for (what, slopes) in [
            ("in-tangents", &in_tangents),
            ("out-tangents", &out_tangents),
        ] {
            if slopes.len() != times.len() {
                return Err(AnimationError::Count {
                    what,
                    times: times.len(),
                    values: slopes.len(),
                });
            }
            if let Some(key) = slopes.iter().position(|slope| !slope.is_finite_value()) {
                return Err(AnimationError::Value {
                    what: "tangent",
                    key,
                    value: format!("{:?}", slopes[key]),
                });
            }
        }
        Ok(Self {
            values: checked(&times, values, "values")?,
            times,
            slopes: [in_tangents, out_tangents],
            interpolation: Interpolation::Cubic,
        })
    }

    /// Creates a channel from keys and sorts them by time; keys at equal times keep their order. To edit a channel,
    /// create a new one from its [`keys`](Self::keys).
    ///
    /// # Errors
    /// As [`Channel::new`], and if a time is negative or not finite.
    pub fn from_keys(
        keys: impl IntoIterator<Item = (f32, T)>,
        interpolation: Interpolation,
    ) -> Result<Self, AnimationError> {
        // Turns -0.0 into 0.0, so keys at zero keep their order.
        let keys = keys.into_iter().map(|(time, value)| (time + 0.0, value));
        let mut keys: Vec<(f32, T)> = keys.collect();
        keys.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (times, values): (Vec<f32>, Vec<T>) = keys.into_iter().unzip();
        Self::new(KeyTimes::listed(times)?, values, interpolation)
    }

    /// Returns the keys with their times.
    pub fn keys(&self) -> impl Iterator<Item = (f32, T)> {
        self.times.iter().zip(self.values.iter().copied())
    }

    /// Creates a channel with one key at 0.
    ///
    /// # Errors
    /// If the value is not finite, or is a rotation of zero length.
    pub fn constant(value: T) -> Result<Self, AnimationError> {
        let times = KeyTimes::uniform(1.0, 1)?;
        Self::new(times, alloc::vec![value], Interpolation::Step)
    }

    /// Returns the key times.
    pub fn times(&self) -> &KeyTimes {
        &self.times
    }

    /// Returns the key values.
    pub fn values(&self) -> &[T] {
        &self.values
    }

    /// Returns the interpolation between keys.
    pub fn interpolation(&self) -> Interpolation {
        self.interpolation
    }

    /// Returns the in tangent of each key, per second; empty unless cubic.
    pub fn in_tangents(&self) -> &[T] {
        &self.slopes[0]
    }

    /// Returns the out tangent of each key, per second; empty unless cubic.
    pub fn out_tangents(&self) -> &[T] {
        &self.slopes[1]
    }

    /// Samples the channel at a time in seconds.
    #[inline]
    pub fn sample(&self, time: f32) -> T {
        self.at(self.times.locate(time))
    }

    /// Samples the channel at a time in seconds, in a looping animation of `length` seconds: after the last key it
    /// interpolates back to the first.
    #[inline]
    pub fn sample_looped(&self, time: f32, length: f32) -> T {
        self.at(self.times.locate_looped(time, length))
    }

    /// Returns the value of the first key.
    pub fn first(&self) -> T {
        self.values[0]
    }

    /// Returns the value at a position among the keys.
    #[inline]
    pub(crate) fn at(&self, segment: Segment) -> T {
        let from = self.values[segment.from];
        if segment.from == segment.to || self.interpolation == Interpolation::Step {
            return from;
        }
        let to = self.values[segment.to];
        match (
            self.out_tangents().get(segment.from),
            self.in_tangents().get(segment.to),
        ) {
            (Some(&out), Some(&into)) => {
                // Tangents are stored per second, and the cubic takes them per segment.
                let whole = |slope| T::sum(slope, segment.seconds, slope, 0.0);
                T::cubic(from, whole(out), to, whole(into), segment.ratio)
            }
            _ => T::mix(from, to, segment.ratio),
        }
    }

    /// Returns the values of the first key and the last.
    #[doc(hidden)]
    pub fn ends(&self) -> [T; 2] {
        [self.values[0], self.values[self.values.len() - 1]]
    }

    /// Resamples the channel at `times` with linear interpolation.
    #[doc(hidden)]
    pub fn at_times(self, times: &KeyTimes) -> Self {
        let values = times.iter().map(|time| self.sample(time)).collect();
        // Samples of a valid channel are valid; otherwise the channel is unchanged.
        Self::new(times.clone(), values, Interpolation::Linear).unwrap_or(self)
    }

    /// Maps values and tangents. `change` must keep numbers finite and unit quaternions normalized.
    #[doc(hidden)]
    pub fn map(mut self, change: impl Fn(T) -> T, slope: impl Fn(T) -> T) -> Self {
        for value in &mut self.values {
            *value = change(*value);
        }
        for slopes in &mut self.slopes {
            for value in slopes {
                *value = slope(*value);
            }
        }
        self
    }

    /// Replaces each value by its equivalent nearest to the preceding key. Tangents are unchanged, because the curve
    /// of an explicit cubic would change.
    #[doc(hidden)]
    pub fn align(&mut self) {
        for key in 1..self.values.len() {
            self.values[key] = self.values[key].nearest_to(self.values[key - 1]);
        }
    }
}

/// Returns the tangents of a Catmull-Rom spline whose knots are the times: that of the parabola through a key and its
/// neighbours, at the ends that of the line to the only neighbour.
///
/// With the slopes `p` and `q` of the lines before and after a key, `s` and `r` seconds long, the parabola's is
/// `(p r + q s) / (s + r)`: the nearer neighbour counts more.
fn smooth_slopes<T: ChannelValue>(times: &KeyTimes, values: &[T]) -> Vec<T> {
    let pace = |from: usize, to: usize| {
        let seconds = times.get(to) - times.get(from);
        let inverse = if seconds > 0.0 { 1.0 / seconds } else { 0.0 };
        (T::sum(values[to], inverse, values[from], -inverse), seconds)
    };
    let last = values.len() - 1;
    let slope = |key: usize| {
        let (before, before_seconds) = pace(key.max(1) - 1, key.max(1).min(last));
        let (after, after_seconds) = pace(key.min(last.max(1) - 1), (key + 1).min(last));
        let whole = before_seconds + after_seconds;
        if key == 0 || key == last || whole <= 0.0 {
            return if key == 0 { after } else { before };
        }
        T::sum(before, after_seconds / whole, after, before_seconds / whole)
    };
    (0..values.len()).map(slope).collect()
}

fn checked<T: ChannelValue>(
    times: &KeyTimes,
    mut values: Vec<T>,
    what: &'static str,
) -> Result<Vec<T>, AnimationError> {
    if values.len() != times.len() {
        return Err(AnimationError::Count {
            what,
            times: times.len(),
            values: values.len(),
        });
    }
    for (key, value) in values.iter_mut().enumerate() {
        let usable = value.is_finite_value().then(|| value.as_key()).flatten();
        *value = usable.ok_or_else(|| AnimationError::Value {
            what: "value",
            key,
            value: format!("{value:?}"),
        })?;
    }
    Ok(values)
}
