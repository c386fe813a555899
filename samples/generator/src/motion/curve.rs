//! Curves through keys. All have continuous slopes; most have continuous curvature.

use std::f64::consts::TAU;

/// From 0 at 0 to 1 at 1 without slope or curvature at the ends; level beyond.
pub(super) fn smooth(t: f64) -> f64 {
    let t = t.clamp(0.0, 1.0);
    t * t * t * (10.0 + t * (6.0 * t - 15.0))
}

/// From 0 to 1 and back over `[start, end]`, level elsewhere; `edge` is the time of each flank.
pub(super) fn plateau(t: f64, start: f64, end: f64, edge: f64) -> f64 {
    smooth((t - start) / edge) * smooth((end - t) / edge)
}

/// A cosine with so many periods to a phase of 1, highest where the phase is `shift`.
pub(super) fn wave(phase: f64, harmonic: f64, shift: f64) -> f64 {
    libm::cos(TAU * harmonic * (phase - shift))
}

/// Where a curve is, how fast, and how that changes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Key {
    pub(super) time: f64,
    pub(super) value: f64,
    pub(super) slope: f64,
    pub(super) bend: f64,
}

/// A key at rest.
pub(super) fn still(time: f64, value: f64) -> Key {
    Key {
        time,
        value,
        ..Key::default()
    }
}

/// A key that is passed at a speed, without acceleration.
pub(super) fn passing(time: f64, value: f64, slope: f64) -> Key {
    Key {
        time,
        value,
        slope,
        ..Key::default()
    }
}

/// The curve of fifth degree between keys, which meets value, slope and curvature of each; level beyond
/// the ends.
pub(super) fn quintic(t: f64, keys: &[Key]) -> f64 {
    let (Some(first), Some(last)) = (keys.first(), keys.last()) else {
        return 0.0;
    };
    if t <= first.time {
        return first.value;
    }
    if t >= last.time {
        return last.value;
    }
    let pair = keys.windows(2).find(|pair| t < pair[1].time);
    let Some([a, b]) = pair else {
        return last.value;
    };
    let span = b.time - a.time;
    let s = (t - a.time) / span;
    let (v0, v1) = (a.slope * span, b.slope * span);
    let (a0, a1) = (a.bend * span * span, b.bend * span * span);
    let rise = b.value - a.value;
    let c3 = 10.0 * rise - 6.0 * v0 - 4.0 * v1 - 1.5 * a0 + 0.5 * a1;
    let c4 = -15.0 * rise + 8.0 * v0 + 7.0 * v1 + 1.5 * a0 - a1;
    let c5 = 6.0 * rise - 3.0 * (v0 + v1) - 0.5 * (a0 - a1);
    a.value + s * (v0 + s * (0.5 * a0 + s * (c3 + s * (c4 + s * c5))))
}

/// The cubic curve through points with continuous curvature and given slopes at its ends; level beyond.
#[derive(Clone, Debug)]
pub(super) struct Spline {
    points: Vec<(f64, f64)>,
    slopes: Vec<f64>,
}

impl Spline {
    /// Through `points`, at least two, in the order of time.
    pub(super) fn new(points: &[(f64, f64)], first_slope: f64, last_slope: f64) -> Self {
        let n = points.len();
        let mut slopes = vec![first_slope; n];
        slopes[n - 1] = last_slope;
        // The tridiagonal system for the inner slopes, solved downwards and back.
        let mut factors = vec![0.0; n];
        for i in 1..n - 1 {
            let before = points[i].0 - points[i - 1].0;
            let after = points[i + 1].0 - points[i].0;
            let (p, q) = (1.0 / before, 1.0 / after);
            let right = 3.0
                * ((points[i].1 - points[i - 1].1) * p * p
                    + (points[i + 1].1 - points[i].1) * q * q);
            let pivot = 2.0 * (p + q) - p * factors[i - 1];
            factors[i] = q / pivot;
            slopes[i] = (right - p * slopes[i - 1]) / pivot;
        }
        for i in (1..n - 1).rev() {
            slopes[i] -= factors[i] * slopes[i + 1];
        }
        Self {
            points: points.to_vec(),
            slopes,
        }
    }

    /// Its value at a time.
    pub(super) fn at(&self, t: f64) -> f64 {
        let last = self.points.len() - 1;
        if t <= self.points[0].0 {
            return self.points[0].1;
        }
        if t >= self.points[last].0 {
            return self.points[last].1;
        }
        let i = self.points.partition_point(|point| point.0 <= t) - 1;
        let ((t0, y0), (t1, y1)) = (self.points[i], self.points[i + 1]);
        let span = t1 - t0;
        let s = (t - t0) / span;
        let (m0, m1) = (self.slopes[i] * span, self.slopes[i + 1] * span);
        let rise = y1 - y0;
        y0 + s * (m0 + s * (3.0 * rise - 2.0 * m0 - m1 + s * (m0 + m1 - 2.0 * rise)))
    }
}

/// The value and the slope of a function at a time, from what it is before it (`side` -1) or after (1).
pub(super) fn one_sided(f: impl Fn(f64) -> f64, t: f64, side: f64) -> (f64, f64) {
    let h = 1e-4 * side;
    let (f0, f1, f2) = (f(t), f(t + h), f(t + 2.0 * h));
    (f0, (-1.5 * f0 + 2.0 * f1 - 0.5 * f2) / h)
}

/// What is left of evenly spaced values of one period when only the mean and these harmonics are kept.
pub(super) fn harmonics_of(values: &[f64], harmonics: &[usize]) -> Vec<(f64, f64, f64)> {
    let n = values.len() as f64;
    let mut kept = vec![(0.0, values.iter().sum::<f64>() / n, 0.0)];
    for &harmonic in harmonics {
        let (mut c, mut s) = (0.0, 0.0);
        for (i, value) in values.iter().enumerate() {
            let (sin, cos) = libm::sincos(TAU * (harmonic * i) as f64 / n);
            c += value * cos;
            s += value * sin;
        }
        kept.push((harmonic as f64, 2.0 * c / n, 2.0 * s / n));
    }
    kept
}

/// The sum of [`harmonics_of`] at a phase.
pub(super) fn sum_of(harmonics: &[(f64, f64, f64)], phase: f64) -> f64 {
    let terms = harmonics.iter().map(|&(harmonic, c, s)| {
        let (sin, cos) = libm::sincos(TAU * harmonic * phase);
        c * cos + s * sin
    });
    terms.sum()
}
