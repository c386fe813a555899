//! Tracks of values that are no transforms: attributes, variables, weights of shapes.

use super::{AnimationError, ChannelValue, KeyTimes, Segment, Variant, VariantType};
use crate::math::quat_normalize;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// What happens between two keys of a [`VariantTrack`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum VariantInterpolation {
    /// A key's value holds until the next.
    None,
    /// A line; the shorter way for rotations; whole numbers are cut towards zero.
    #[default]
    Linear,
    /// A spline whose tangent at each key is `tension` times the way from the key before to the key
    /// after; 0.5 is usual. At open ends it is zero; where the first and last values are equal the curve
    /// is closed smoothly.
    TensionSpline {
        /// How far curves swing.
        tension: f32,
    },
    /// A spline with the tangents that the keys carry. Where a key lacks one, values hold.
    TangentSpline,
}

/// One key of a [`VariantTrack`].
#[derive(Clone, Debug, PartialEq)]
pub struct VariantKey {
    /// When, in seconds.
    pub time: f32,
    /// What.
    pub value: Variant,
    /// Slope on arriving, per second, as in [`Channel::cubic`](super::Channel::cubic); for
    /// [`VariantInterpolation::TangentSpline`].
    pub in_tangent: Option<Variant>,
    /// Slope on leaving, likewise.
    pub out_tangent: Option<Variant>,
}

impl VariantKey {
    /// A key without tangents.
    pub fn new(time: f32, value: impl Into<Variant>) -> Self {
        Self {
            time,
            value: value.into(),
            in_tangent: None,
            out_tangent: None,
        }
    }

    /// The same with tangents, per second.
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

/// Values of one type over time, for what its name addresses: an attribute, a variable, the weight of a
/// shape.
///
/// There is at least one key, all are of one type and in order, and every number is finite, so sampling
/// cannot fail. To edit one, take its [`keys`](Self::keys) and make another.
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
    /// What it animates, as an [attribute path](crate::control::AttributePath).
    pub name: String,
    /// How much of it is applied, beside the weight of the animation; 1 unless said otherwise.
    pub weight: f32,
    interpolation: VariantInterpolation,
    kind: VariantType,
    times: KeyTimes,
    values: Vec<Variant>,
    /// On arriving at and on leaving each key; empty without splines. Per second for a tangent spline. Those of a tension
    /// spline come from values alone and are per segment, whatever its length.
    tangents: [Vec<Variant>; 2],
}

impl VariantTrack {
    /// A track with these keys, in the order of their times; keys of one time stay in the order given.
    ///
    /// Whole numbers have no splines and get lines; bools and texts hold. Rotations are normalised.
    ///
    /// # Errors
    /// When there is no key, types differ, a time is negative or a number not finite, or a rotation has
    /// no length.
    pub fn new<K: Into<VariantKey>>(
        name: impl Into<String>,
        interpolation: VariantInterpolation,
        keys: impl IntoIterator<Item = K>,
    ) -> Result<Self, AnimationError> {
        let mut keys: Vec<VariantKey> = keys.into_iter().map(Into::into).collect();
        for key in &mut keys {
            // One zero, so that keys at it stay in order.
            key.time += 0.0;
        }
        keys.sort_by(|a, b| a.time.total_cmp(&b.time));
        let times: Vec<f32> = keys.iter().map(|key| key.time).collect();
        Self::with_times(name, interpolation, KeyTimes::listed(times)?, keys)
    }

    /// As [`Self::new`], with times that are shared or evenly spaced; those of the keys do not count.
    ///
    /// # Errors
    /// As [`Self::new`], and when there are more or fewer keys than times.
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
        for (at, key) in keys.into_iter().enumerate() {
            values.push(checked(kind, at, "value", key.value, true)?);
            for (list, tangent) in tangents.iter_mut().zip([key.in_tangent, key.out_tangent]) {
                if let Some(tangent) = tangent {
                    list.push(checked(kind, at, "tangent", tangent, false)?);
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

    /// The same with another weight.
    pub fn with_weight(self, weight: f32) -> Self {
        Self { weight, ..self }
    }

    /// What happens between keys: what was asked for, as far as the type allows.
    pub fn interpolation(&self) -> VariantInterpolation {
        self.interpolation
    }

    /// The type of all values.
    pub fn kind(&self) -> VariantType {
        self.kind
    }

    /// When the keys are.
    pub fn times(&self) -> &KeyTimes {
        &self.times
    }

    /// The keys' values.
    pub fn values(&self) -> &[Variant] {
        &self.values
    }

    /// The keys, to make another track of.
    pub fn keys(&self) -> impl Iterator<Item = VariantKey> {
        let own = matches!(self.interpolation, VariantInterpolation::TangentSpline);
        self.values.iter().enumerate().map(move |(key, value)| {
            let tangent = |list: &Vec<Variant>| list.get(key).filter(|_| own).cloned();
            VariantKey {
                time: self.times.get(key),
                value: value.clone(),
                in_tangent: tangent(&self.tangents[0]),
                out_tangent: tangent(&self.tangents[1]),
            }
        })
    }

    /// The value of the first key: what additive blending measures from.
    pub fn first(&self) -> &Variant {
        &self.values[0]
    }

    /// The value at a time in seconds, of an animation of `length` seconds. Looped, the time after the
    /// last key leads back to the first one. Does not allocate.
    pub fn sample(&self, time: f32, length: f32, looped: bool) -> Variant {
        let segment = if looped {
            self.times.locate_looped(time, length)
        } else {
            self.times.locate(time)
        };
        self.at(segment)
    }

    /// The value at a place among the keys.
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

    /// What makes tangents per segment of those that are stored, for a segment of so many seconds.
    fn tangent_scale(&self, seconds: f32) -> f64 {
        match self.interpolation {
            VariantInterpolation::TangentSpline => seconds.into(),
            _ => 1.0,
        }
    }

    /// The part from `start` to `end`, moved to begin at 0, with a key where it begins and where it ends. A
    /// spline of rotations bends a little differently in the segments that are cut: it is normalised.
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
        // What a valid track gives is valid; were it not, the track stays.
        Self::new(self.name.clone(), interpolation, keys)
            .map_or_else(|_| self.clone(), |part| part.with_weight(self.weight))
    }

    /// The tangents of the piece of a spline between two moments of one segment, per second.
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
        // The slope of a cubic over a segment is per segment; what is stored is per second.
        let scale = self.tangent_scale(seconds);
        let numbers = |v: &Variant| v.numbers();
        let (a, b) = (numbers(&self.values[key]), numbers(&self.values[next]));
        let (out, into) = (
            numbers(&self.tangents[1][key]),
            numbers(&self.tangents[0][next]),
        );
        let slope = |t: f32| {
            let t = f64::from(t);
            let climb = 6.0 * t - 6.0 * t * t;
            let (leave, arrive) = (1.0 - 4.0 * t + 3.0 * t * t, 3.0 * t * t - 2.0 * t);
            let at = |i: usize| {
                let tangents = out[i] * leave + into[i] * arrive;
                ((b[i] - a[i]) * climb + tangents * scale) / f64::from(seconds)
            };
            self.kind.from_numbers([at(0), at(1), at(2), at(3)])
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

fn tension_tangents(kind: VariantType, values: &[Variant], tension: f32) -> Vec<Variant> {
    let tension = f64::from(tension);
    let across = |before: &Variant, after: &Variant| {
        let (a, b) = (before.numbers(), after.numbers());
        let at = |i: usize| (b[i] - a[i]) * tension;
        kind.from_numbers([at(0), at(1), at(2), at(3)])
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

/// The cubic between two values with tangents that are per segment once multiplied by `scale`; rotations are normalised.
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
    let at = |i: usize| {
        let tangents = [c[i] * scale, d[i] * scale];
        a[i] * start + b[i] * end + tangents[0] * leave + tangents[1] * arrive
    };
    match from.kind().from_numbers([at(0), at(1), at(2), at(3)]) {
        Variant::Quat(q) => Variant::Quat(quat_normalize(q)),
        value => value,
    }
}
