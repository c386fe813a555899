//! A number in a range: it wraps around, bounces or stops at the ends.
//!
//! Wrapping is the remainder of the distance from the end behind by the length of the range. Bouncing unfolds the way up
//! and down to a period of twice the length, of which the second half runs back: `x` and `2 length - x` are the same
//! number. Both are closed forms in double precision, so a step of any size costs the same and is counted exactly.

use super::LARGE_EPSILON;

/// A number in a range, such as the time of a playing animation. Always finite and within the range.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct WrappedScalar {
    value: f32,
    min: f32,
    max: f32,
}

/// The step of a [`WrappedScalar`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScalarRange {
    /// The value before the step.
    pub begin: f32,
    /// The value after the step; if it stopped at an end, the value it would have reached.
    pub end: f32,
    /// The lower end.
    pub min: f32,
    /// The upper end.
    pub max: f32,
    /// The number of wraps from the upper end to the lower; negative for the opposite direction.
    pub wraps: i32,
    /// The number of bounces at an end; negative if the first was at the lower end.
    pub bounces: i32,
}

impl WrappedScalar {
    /// Clamps `value` to `min` and `max`, which are swapped if out of order. NaN is 0; infinite numbers are replaced
    /// by the largest finite ones.
    pub fn new(value: f32, min: f32, max: f32) -> Self {
        let (a, b) = (finite(min), finite(max));
        let (min, max) = (a.min(b), a.max(b));
        Self {
            value: finite(value).clamp(min, max),
            min,
            max,
        }
    }

    /// Returns the value.
    pub fn value(&self) -> f32 {
        self.value
    }

    /// Returns the lower end.
    pub fn min(&self) -> f32 {
        self.min
    }

    /// Returns the upper end.
    pub fn max(&self) -> f32 {
        self.max
    }

    /// Sets the value, clamped to the range; ignored if NaN.
    pub fn set(&mut self, value: f32) {
        if !value.is_nan() {
            self.value = value.clamp(self.min, self.max);
        }
    }

    /// Adds `delta`, wrapping around at the ends, also when it lands on an end. The cost does not depend on `delta`. A
    /// range below 5e-5 does not move.
    pub fn wrap(&mut self, delta: f32) -> ScalarRange {
        let begin = self.value;
        let delta = finite(delta);
        let (min, max) = (f64::from(self.min), f64::from(self.max));
        let length = max - min;
        if delta == 0.0 || length < f64::from(LARGE_EPSILON) {
            return self.range(begin, begin);
        }
        // The distance from the end behind it.
        let forward = delta > 0.0;
        let distance = if forward {
            f64::from(begin) - min
        } else {
            max - f64::from(begin)
        };
        let distance = distance + f64::from(delta).abs();
        let rest = if distance < length {
            distance
        } else {
            libm::fmod(distance, length)
        };
        let value = if forward { min + rest } else { max - rest };
        self.value = (value as f32).clamp(self.min, self.max);
        // Casts saturate.
        let wraps = match distance < length {
            true => 0,
            false => libm::round((distance - rest) / length) as i32,
        };
        ScalarRange {
            wraps: if forward { wraps } else { -wraps },
            ..self.range(begin, self.value)
        }
    }

    /// Adds `delta` and stops at the ends. The returned range has the value it would have reached.
    pub fn stop(&mut self, delta: f32) -> ScalarRange {
        let begin = self.value;
        let end = finite(begin + finite(delta));
        self.set(end);
        self.range(begin, end)
    }

    /// Adds `delta` along its direction, bouncing at the ends; `backwards` is the direction and is updated.
    pub fn bounce(&mut self, delta: f32, backwards: &mut bool) -> ScalarRange {
        let begin = self.value;
        let delta = finite(delta);
        let (min, max) = (f64::from(self.min), f64::from(self.max));
        let length = max - min;
        if delta == 0.0 || length < f64::from(LARGE_EPSILON) {
            return self.range(begin, begin);
        }
        // Unfolded: up and down is one period.
        let distance = f64::from(begin) - min;
        let from = if *backwards {
            2.0 * length - distance
        } else {
            distance
        };
        let to = from + f64::from(delta);
        // The segments between ends are numbered from 0 and alternate between rising and falling. An end belongs to
        // the segment that the step leads into.
        let forward = delta > 0.0;
        let segment = |place: f64| match forward {
            true => libm::floor(place / length),
            false => libm::ceil(place / length) - 1.0,
        };
        let first = segment(from);
        let turns = (segment(to) - first).abs() as i32;
        let rises = forward == (libm::fmod(first, 2.0) == 0.0);
        let round = libm::fmod(to, 2.0 * length);
        let round = if round < 0.0 {
            round + 2.0 * length
        } else {
            round
        };
        *backwards = round >= length;
        let value = if *backwards {
            max - (round - length)
        } else {
            min + round
        };
        self.value = (value as f32).clamp(self.min, self.max);
        ScalarRange {
            bounces: if rises { turns } else { -turns },
            ..self.range(begin, self.value)
        }
    }

    fn range(&self, begin: f32, end: f32) -> ScalarRange {
        ScalarRange {
            begin,
            end,
            min: self.min,
            max: self.max,
            wraps: 0,
            bounces: 0,
        }
    }
}

/// Clamps a number to the finite range; NaN is 0.
fn finite(number: f32) -> f32 {
    if number.is_nan() {
        0.0
    } else {
        number.clamp(f32::MIN, f32::MAX)
    }
}

impl ScalarRange {
    /// Returns whether the step passed `x`. `include_begin` and `include_end` define whether its ends count; a step
    /// around the whole range passed everything.
    pub fn contains(&self, x: f32, include_begin: bool, include_end: bool) -> bool {
        if !(x >= self.min && x <= self.max) {
            return false;
        }
        let (low, high) = (self.begin.min(self.end), self.begin.max(self.end));
        let ends = (x != self.begin || include_begin) && (x != self.end || include_end);
        match (self.wraps, self.bounces) {
            (0, 0) => x >= low && x <= high && ends,
            (1, _) if self.end < self.begin => (x <= low || x >= high) && ends,
            (-1, _) if self.end > self.begin => (x <= low || x >= high) && ends,
            // Up to the upper end and part of the way back: everything above the lower of the two.
            (0, 1) => x >= low && (x != self.begin || include_begin || self.end <= self.begin),
            (0, -1) => x <= high && (x != self.begin || include_begin || self.end >= self.begin),
            _ => true,
        }
    }
}

impl ScalarRange {
    /// Returns the distance to `x` when it was first passed, and whether an end of the range was crossed before. The
    /// step must have passed `x` and not begun there. The two ends of a loop coincide: the one that the step reaches
    /// comes first.
    pub(super) fn distance_to(&self, x: f32) -> (f64, bool) {
        let [begin, x, min, max] = [self.begin, x, self.min, self.max].map(f64::from);
        let forward = match (self.wraps, self.bounces) {
            (0, 0) => self.end >= self.begin,
            (0, bounces) => bounces > 0,
            (wraps, _) => wraps > 0,
        };
        let ahead = if forward { x - begin } else { begin - x };
        if ahead > 0.0 || (self.wraps == 0 && self.bounces == 0) {
            return (ahead, false);
        }
        if self.wraps != 0 {
            return (ahead + (max - min), true);
        }
        // To the end where it bounces and back.
        let end = if forward { max } else { min };
        ((end - begin).abs() + (end - x).abs(), true)
    }
}

#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for WrappedScalar {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(serde::Deserialize)]
        struct RawScalar {
            value: f32,
            min: f32,
            max: f32,
        }
        let RawScalar { value, min, max } = RawScalar::deserialize(deserializer)?;
        Ok(Self::new(value, min, max))
    }
}
