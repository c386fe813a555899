//! B-splines over [0, 1], for fitted time warps and alignment curves.
//!
//! With control points `c[0..m]` and degree `p` there are `n = m - p` spans. In `x = n u` the knots are the integers 0
//! to `n`, the first and the last `p + 1` times: `t[j] = clamp(j - p, 0, n)`, which is computed and not stored. In span
//! `s`, de Boor's algorithm (A Practical Guide to Splines, 1978, chapter X) starts with `d[i] = c[s + i]` for `i` from 0
//! to `p`; round `r` from 1 to `p` replaces, for `i ≥ r`,
//!
//! ```text
//! d[i] = (1 - a) d[i - 1] + a d[i],   a = (x - t[s + i]) / (t[s + i + p + 1 - r] - t[s + i])
//! ```
//!
//! and the value is `d[p]`. The derivative by `x` is `p (d[p] - d[p - 1])` before the last round, divided by the
//! distance of two knots, 1. A point depends on `p + 1` control points only, so a local fit stays local, and
//! each point is a weighted mean of them: rising control points give a rising curve. Six interpolations at most.
#![allow(missing_docs, reason = "shared with sinew-author only")]

use alloc::vec::Vec;

/// The maximum degree.
pub const MAX_DEGREE: usize = 3;

/// A uniform, clamped B-spline over [0, 1], which interpolates its first and last control point. Degree 3 has a
/// continuous second derivative, degree 2 a continuous first one.
#[derive(Clone, Debug, PartialEq)]
pub struct Spline {
    degree: usize,
    controls: Vec<f64>,
}

impl Spline {
    /// Creates a spline from control points.
    pub fn new(degree: usize, controls: Vec<f64>) -> Self {
        let degree = degree
            .clamp(1, MAX_DEGREE)
            .min(controls.len().saturating_sub(1));
        Self { degree, controls }
    }

    /// Returns the control points.
    pub fn controls(&self) -> &[f64] {
        &self.controls
    }

    /// Returns the control points, mutable.
    pub fn controls_mut(&mut self) -> &mut [f64] {
        &mut self.controls
    }

    /// Returns the degree.
    pub fn degree(&self) -> usize {
        self.degree
    }

    /// Returns the value at `u`, clamped to [0, 1].
    pub fn at(&self, u: f64) -> f64 {
        self.value_and_slope(u).0
    }

    /// Returns the derivative at `u`.
    pub fn slope(&self, u: f64) -> f64 {
        self.value_and_slope(u).1
    }

    /// Returns the value and the derivative at `u`, by de Boor's algorithm. Knots are integers here.
    pub fn value_and_slope(&self, u: f64) -> (f64, f64) {
        let (degree, spans) = (self.degree, self.controls.len() - self.degree);
        let u = if u > 0.0 { u.min(1.0) } else { 0.0 };
        let knot_position = u * spans as f64;
        let span = (knot_position as usize).min(spans - 1);
        let mut points = [0.0; MAX_DEGREE + 1];
        let controls = self.controls.iter().skip(span).take(degree + 1);
        for (point, control) in points.iter_mut().zip(controls) {
            *point = *control;
        }
        let knot = |place: usize| place.saturating_sub(degree).min(spans) as f64;
        let mut slope = 0.0;
        for round in 1..=degree {
            // `n` is the derivative of `x` by `u`.
            if round == degree {
                slope = degree as f64 * (points[degree] - points[degree - 1]) * spans as f64;
            }
            // Downwards, so that `points[index - 1]` is still that of the preceding round.
            for index in (round..=degree).rev() {
                let (from, to) = (knot(span + index), knot(span + index + degree + 1 - round));
                let ratio = (knot_position - from) / (to - from);
                points[index] = points[index - 1] + (points[index] - points[index - 1]) * ratio;
            }
        }
        (points[degree], slope)
    }

    /// Returns the `u` at which a rising curve has a value; clamped to the ends. Newton's method within a bracket that
    /// shrinks in every step, so it cannot leave the curve or cycle.
    pub fn find(&self, value: f64) -> f64 {
        let (mut low, mut high) = (0.0, 1.0);
        if value <= self.at(low) {
            return low;
        }
        if value >= self.at(high) {
            return high;
        }
        let mut u = 0.5;
        for _ in 0..80 {
            let (current, slope) = self.value_and_slope(u);
            let error = current - value;
            if error > 0.0 {
                high = u;
            } else {
                low = u;
            }
            // Bisection if a Newton step leaves the bracket, or if the slope is 0 and the step infinite or NaN.
            let step = u - error / slope;
            let next = if step > low && step < high {
                step
            } else {
                0.5 * (low + high)
            };
            if (next - u).abs() <= 1e-15 || high - low <= 1e-15 {
                return next;
            }
            u = next;
        }
        u
    }

    /// As [`find`](Self::find), from a guess: two or three steps of Newton's method if the guess is near, as from frame to
    /// frame. A guess that leads outside, or does not converge, is dropped.
    pub fn find_near(&self, value: f64, guess: f64) -> f64 {
        let mut u = guess;
        for _ in 0..8 {
            if !(0.0..=1.0).contains(&u) {
                break;
            }
            let (current, slope) = self.value_and_slope(u);
            let next = u - (current - value) / slope;
            if (next - u).abs() <= 1e-13 {
                return next.clamp(0.0, 1.0);
            }
            u = next;
        }
        self.find(value)
    }
}
