//! Tracks of values other than transforms: attributes, variables, morph weights.
//!
//! Splines are cubic Hermite curves, by component. Between keys `a` and `b` with tangents `m` and `n` per segment, at the
//! ratio `t`:
//!
//! ```text
//! (1 - e) a + e b + (t³ - 2t² + t) m + (t³ - t²) n,   e = 3t² - 2t³
//! ```
//!
//! Tangents are given, or those of a cardinal spline, `tension · (next - preceding)`: Catmull-Rom at a tension of 0.5.
//! A sample costs a search for the segment and, in double precision, sixteen products.

use super::{AnimationError, ChannelValue, KeyTimes, Segment, Variant, VariantType};
use crate::math::quat_normalize;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// The interpolation between two keys of a [`VariantTrack`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum VariantInterpolation {
    /// Constant until the next key.
    None,
    /// Linear; along the shorter arc for rotations; integers are truncated towards zero.
    #[default]
    Linear,
    /// A spline whose tangent at each key is `tension` times the difference between the next key and the preceding
    /// one; 0.5 is usual. Zero at open ends; if the first and last values are equal the curve is closed smoothly.
    TensionSpline {
        /// The tension.
        tension: f32,
    },
    /// A spline with the tangents of the keys. Constant if a key lacks one.
    TangentSpline,
}

/// A key of a [`VariantTrack`].
#[derive(Clone, Debug, PartialEq)]
pub struct VariantKey {
    /// The time in seconds.
    pub time: f32,
    /// The value.
    pub value: Variant,
    /// The in tangent per second, as in [`Channel::cubic`](super::Channel::cubic); for
    /// [`VariantInterpolation::TangentSpline`].
    pub in_tangent: Option<Variant>,
    /// The out tangent per second.
    pub out_tangent: Option<Variant>,
}

impl VariantKey {
    /// Creates a key without tangents.
    pub fn new(time: f32, value: impl Into<Variant>) -> Self {
        Self {
            time,
            value: value.into(),
            in_tangent: None,
            out_tangent: None,
        }
    }

    /// Sets the tangents, per second.
    pub fn with_tangents(
        self,
        in_tangent: impl Into<Variant>,
        out_tangent: impl Into<Variant>,
    ) -> Self {
        Self {
            in_tangent: Some(in_tangent.into()),
            out_tangent: Some(out_tangent.into()),
            ..self
        }
    }
}

impl<V: Into<Variant>> From<(f32, V)> for VariantKey {
    fn from((time, value): (f32, V)) -> Self {
        Self::new(time, value)
    }
}

/// Values of one type over time, for the target of its name: an attribute, a variable, a morph weight.
///
/// There is at least one key, all are of one type and sorted, and every number is finite, so sampling cannot fail. To
/// edit a track, create a new one from its [`keys`](Self::keys).
///
/// ```
/// use sinew::animation::{Variant, VariantInterpolation, VariantTrack};
///
/// let track = VariantTrack::new("Lamp/@Light/Brightness", VariantInterpolation::Linear, [
///     (0.0, 0.0_f32),
///     (1.0, 10.0),
/// ])?;
/// assert_eq!(track.sample(0.25, 2.0, false), Variant::Float(2.5));
/// // A looped animation of two seconds goes back to the first key in the second one.
/// assert_eq!(track.sample(1.5, 2.0, true), Variant::Float(5.0));
/// # Ok::<(), sinew::animation::AnimationError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct VariantTrack {
    /// The target, as an [attribute path](crate::control::AttributePath).
    pub name: String,
    /// The weight in blending, multiplied by the weight of the animation; 1 by default.
    pub weight: f32,
    interpolation: VariantInterpolation,
    kind: VariantType,
    times: KeyTimes,
    values: Vec<Variant>,
    /// In and out tangents of each key; empty without splines. Per second for a tangent spline. Those of a tension
    /// spline depend on values only and are per segment of any length.
    tangents: [Vec<Variant>; 2],
}

impl VariantTrack {
    /// Creates a track from keys and sorts them by time; keys at equal times keep their order.
    ///
    /// Integers have no splines and are interpolated linearly; bools and texts are constant. Rotations are
    /// normalized.
    ///
    /// # Errors
    /// If there is no key, types differ, a time is negative, a number is not finite, or a rotation has zero length.
    pub fn new<K: Into<VariantKey>>(
        name: impl Into<String>,
        interpolation: VariantInterpolation,
        keys: impl IntoIterator<Item = K>,
    ) -> Result<Self, AnimationError> {
        let mut keys: Vec<VariantKey> = keys.into_iter().map(Into::into).collect();
        for key in &mut keys {
            // Turns -0.0 into 0.0, so keys at zero keep their order.
            key.time += 0.0;
        }
        keys.sort_by(|a, b| a.time.total_cmp(&b.time));
        let times: Vec<f32> = keys.iter().map(|key| key.time).collect();
        Self::with_times(name, interpolation, KeyTimes::listed(times)?, keys)
    }

    /// As [`Self::new`], with shared or evenly spaced times; the times of the keys are ignored.
    ///
    /// # Errors
    /// As [`Self::new`], and if the numbers of keys and times differ.
    pub fn with_times(
        name: impl Into<String>,
        interpolation: VariantInterpolation,
        times: KeyTimes,
        keys: Vec<VariantKey>,
    ) -> Result<Self, AnimationError> {
        if keys.len() != times.len() {
            return Err(AnimationError::Count {
                what: "values",
                times: times.len(),
                values: keys.len(),
            });
        }
        let kind = keys.first().ok_or(AnimationError::NoKeys)?.value.kind();
        let mut values = Vec::with_capacity(keys.len());
        let mut tangents = [Vec::new(), Vec::new()];
        for (index, key) in keys.into_iter().enumerate() {
            values.push(checked(kind, index, "value", key.value, true)?);
            for (list, tangent) in tangents.iter_mut().zip([key.in_tangent, key.out_tangent]) {
                if let Some(tangent) = tangent {
                    list.push(checked(kind, index, "tangent", tangent, false)?);
                }
            }
        }
        if let VariantInterpolation::TensionSpline { tension } = interpolation
            && !tension.is_finite()
        {
            return Err(AnimationError::Value {
                what: "tension",
                key: 0,
                value: format!("{tension}"),
            });
        }
        let interpolation = match interpolation {
            _ if !kind.has_between() => VariantInterpolation::None,
            VariantInterpolation::TensionSpline { .. } | VariantInterpolation::TangentSpline
                if !kind.has_splines() =>
            {
                VariantInterpolation::Linear
            }
            other => other,
        };
        let tangents = match interpolation {
            VariantInterpolation::TensionSpline { tension } => {
                let tangents = tension_tangents(kind, &values, tension);
                for (key, tangent) in tangents.iter().enumerate() {
                    checked(kind, key, "tangent", tangent.clone(), false)?;
                }
                [tangents.clone(), tangents]
            }
            VariantInterpolation::TangentSpline
                if tangents.iter().all(|list| list.len() == values.len()) =>
            {
                tangents
            }
            _ => [Vec::new(), Vec::new()],
        };
        Ok(Self {
            name: name.into(),
            weight: 1.0,
            interpolation,
            kind,
            times,
            values,
            tangents,
        })
    }

    /// Sets the weight.
    pub fn with_weight(self, weight: f32) -> Self {
        Self { weight, ..self }
    }

    /// Returns the interpolation: the requested one if the type supports it.
    pub fn interpolation(&self) -> VariantInterpolation {
        self.interpolation
    }

    /// Returns the type of all values.
    pub fn kind(&self) -> VariantType {
        self.kind
    }

    /// Returns the key times.
    pub fn times(&self) -> &KeyTimes {
        &self.times
    }

    /// Returns the key values.
    pub fn values(&self) -> &[Variant] {
        &self.values
    }

    /// Returns the keys, to create an edited track.
    pub fn keys(&self) -> impl Iterator<Item = VariantKey> {
        let has_tangents = matches!(self.interpolation, VariantInterpolation::TangentSpline);
        self.values.iter().enumerate().map(move |(key, value)| {
            let tangent = |list: &Vec<Variant>| list.get(key).filter(|_| has_tangents).cloned();
            VariantKey {
                time: self.times.get(key),
                value: value.clone(),
                in_tangent: tangent(&self.tangents[0]),
                out_tangent: tangent(&self.tangents[1]),
            }
        })
    }

    /// Returns the value of the first key: the base of additive blending.
    pub fn first(&self) -> &Variant {
        &self.values[0]
    }

    /// Samples the value at a time in seconds, in an animation of `length` seconds. If looped, it interpolates back
    /// to the first key after the last one. Does not allocate.
    pub fn sample(&self, time: f32, length: f32, looped: bool) -> Variant {
        let segment = if looped {
            self.times.locate_looped(time, length)
        } else {
            self.times.locate(time)
        };
        self.at(segment)
    }

    /// Returns the value at a position among the keys.
    pub(crate) fn at(&self, segment: Segment) -> Variant {
        let (from, to) = (&self.values[segment.from], &self.values[segment.to]);
        if segment.ratio == 0.0 {
            return from.clone();
        }
        match self.interpolation {
            VariantInterpolation::None => from.clone(),
            VariantInterpolation::Linear => from.lerp(to, segment.ratio),
            _ => match (
                self.tangents[1].get(segment.from),
                self.tangents[0].get(segment.to),
            ) {
                (Some(out), Some(into)) => {
                    let scale = self.tangent_scale(segment.seconds);
                    spline(from, out, to, into, segment.ratio, scale)
                }
                _ => from.clone(),
            },
        }
    }

    /// Returns the factor from stored tangents to tangents per segment, for a segment of `seconds`.
    fn tangent_scale(&self, seconds: f32) -> f64 {
        match self.interpolation {
            VariantInterpolation::TangentSpline => seconds.into(),
            _ => 1.0,
        }
    }

    /// Returns the part from `start` to `end`, shifted to 0, with a key at both ends. A spline of rotations changes
    /// slightly in the cut segments, because it is normalized.
    #[doc(hidden)]
    pub fn part(&self, start: f32, end: f32) -> Self {
        if self.values.len() == 1 {
            return self.clone();
        }
        let splines = !self.tangents[0].is_empty();
        let mut moments: Vec<(f32, Segment)> = alloc::vec![(start, self.times.locate(start))];
        for key in 0..self.values.len() {
            let time = self.times.get(key);
            if time > start && time <= end {
                moments.push((time, Segment::on(key)));
            }
        }
        if moments.last().is_some_and(|&(time, _)| time < end) {
            moments.push((end, self.times.locate(end)));
        }
        let mut keys: Vec<VariantKey> = moments
            .iter()
            .map(|&(time, segment)| VariantKey::new(time - start, self.at(segment)))
            .collect();
        if splines {
            for pair in 0..keys.len() - 1 {
                let [out, into] = self.piece(moments[pair].1, moments[pair + 1]);
                keys[pair].out_tangent = Some(out);
                keys[pair + 1].in_tangent = Some(into);
            }
            let zero = self.kind.from_numbers([0.0; 4]);
            for key in &mut keys {
                key.in_tangent.get_or_insert(zero.clone());
                key.out_tangent.get_or_insert(zero.clone());
            }
        }
        let interpolation = if splines {
            VariantInterpolation::TangentSpline
        } else {
            self.interpolation
        };
        // Samples of a valid track are valid; otherwise the track is unchanged.
        Self::new(self.name.clone(), interpolation, keys)
            .map_or_else(|_| self.clone(), |track| track.with_weight(self.weight))
    }

    /// Returns the tangents, per second, of a spline between two times of one segment.
    fn piece(&self, from: Segment, (end, to): (f32, Segment)) -> [Variant; 2] {
        let zero = || self.kind.from_numbers([0.0; 4]);
        let key = from.from;
        let next = key + 1;
        if next >= self.values.len() || end <= self.times.get(0) {
            return [zero(), zero()];
        }
        let seconds = self.times.get(next) - self.times.get(key);
        if seconds <= 0.0 {
            return [zero(), zero()];
        }
        let end_ratio = if to.from == next { 1.0 } else { to.ratio };
        // The slope of a cubic is per segment; stored tangents are per second.
        let scale = self.tangent_scale(seconds);
        let numbers = |v: &Variant| v.numbers();
        let (a, b) = (numbers(&self.values[key]), numbers(&self.values[next]));
        let (out, into) = (
            numbers(&self.tangents[1][key]),
            numbers(&self.tangents[0][next]),
        );
        let slope = |t: f32| {
            let t = f64::from(t);
            // The derivatives of the Hermite basis by `t`.
            let climb = 6.0 * t - 6.0 * t * t;
            let (leave, arrive) = (1.0 - 4.0 * t + 3.0 * t * t, 3.0 * t * t - 2.0 * t);
            let component = |i: usize| {
                let tangents = out[i] * leave + into[i] * arrive;
                ((b[i] - a[i]) * climb + tangents * scale) / f64::from(seconds)
            };
            self.kind
                .from_numbers([component(0), component(1), component(2), component(3)])
        };
        [slope(from.ratio), slope(end_ratio)]
    }
}

fn checked(
    kind: VariantType,
    key: usize,
    what: &'static str,
    value: Variant,
    is_value: bool,
) -> Result<Variant, AnimationError> {
    if value.kind() != kind {
        return Err(AnimationError::Type {
            key,
            expected: kind,
            found: value.kind(),
        });
    }
    let bad = |value: &Variant| AnimationError::Value {
        what,
        key,
        value: format!("{value}"),
    };
    if !value.is_finite() {
        return Err(bad(&value));
    }
    if let (Variant::Quat(q), true) = (&value, is_value) {
        return q.as_key().map(Variant::Quat).ok_or_else(|| bad(&value));
    }
    Ok(value)
}

/// Returns the tangents of a cardinal spline, per segment. A spline whose ends are equal is closed: both ends have the
/// tangent across the seam.
fn tension_tangents(kind: VariantType, values: &[Variant], tension: f32) -> Vec<Variant> {
    let tension = f64::from(tension);
    let across = |before: &Variant, after: &Variant| {
        let (a, b) = (before.numbers(), after.numbers());
        let component = |i: usize| (b[i] - a[i]) * tension;
        kind.from_numbers([component(0), component(1), component(2), component(3)])
    };
    let last = values.len() - 1;
    let closed = last > 1 && values[0] == values[last];
    let tangent = |key: usize| {
        if key > 0 && key < last {
            across(&values[key - 1], &values[key + 1])
        } else if closed {
            across(&values[last - 1], &values[1])
        } else {
            kind.from_numbers([0.0; 4])
        }
    };
    (0..values.len()).map(tangent).collect()
}

/// Evaluates the cubic Hermite with tangents that `scale` converts to per segment; rotations are normalized.
fn spline(
    from: &Variant,
    out: &Variant,
    to: &Variant,
    into: &Variant,
    t: f32,
    scale: f64,
) -> Variant {
    let t = f64::from(t);
    let (t2, t3) = (t * t, t * t * t);
    let end = 3.0 * t2 - 2.0 * t3;
    let (start, leave, arrive) = (1.0 - end, t3 - 2.0 * t2 + t, t3 - t2);
    let [a, b, c, d] = [from, to, out, into].map(Variant::numbers);
    let component = |i: usize| {
        let tangents = [c[i] * scale, d[i] * scale];
        a[i] * start + b[i] * end + tangents[0] * leave + tangents[1] * arrive
    };
    let numbers = [component(0), component(1), component(2), component(3)];
    match from.kind().from_numbers(numbers) {
        Variant::Quat(q) => Variant::Quat(quat_normalize(q)),
        value => value,
    }
}
