//! Least-squares fits of B-splines over [0, 1], and edits that keep them rising and bound their slope.
//!
//! ```text
//! minimize  Σ w (S(u) - value)²  +  smoothing · Σ (change of slope at each control point)²
//! S(u) = Σ c[i] N[i](u)      uniform knots, clamped at both ends, degree ≤ 3
//! ```
//!
//! A penalized spline (P-spline) whose slopes are compared at the Greville abscissae, where control points act: near the ends they
//! are closer together, so plain differences of control points would bend the curve there. The normal equations are banded and
//! solved by Cholesky's factorization, linear in the number of control points. Where a curve must rise, intervals that fall are
//! fixed to the least rise and the system is solved again (an active set that only grows, so at most one solve per control
//! point). Slope bounds: [`SplineFit::limit_slope`].

use alloc::vec::Vec;
use sinew::internal::{MAX_DEGREE, Spline};

/// The basis functions that are not zero at a position: `MAX_DEGREE + 1` at most.
type Basis = [f64; MAX_DEGREE + 1];

/// A value that a curve should have at a position, and its weight.
#[derive(Clone, Copy, Debug)]
pub(super) struct WeightedSample {
    pub(super) position: f64,
    pub(super) value: f64,
    pub(super) weight: f64,
}

/// Settings of a fit.
#[derive(Clone, Copy, Debug)]
pub(super) struct SplineFitSettings {
    pub(super) degree: usize,
    /// Control points; at least one more than the degree.
    pub(super) controls: usize,
    /// The weight of changes of slope from one control point to the next.
    pub(super) smoothing: f64,
    /// The curve's values at 0 and 1, if they are fixed.
    pub(super) ends: Option<[f64; 2]>,
    /// The least rise from one control point to the next, if there is one. If the ends are too close for it, control points
    /// are evenly spaced.
    pub(super) rise: Option<f64>,
}

/// Fits and edits of a [`Spline`].
pub(super) trait SplineFit: Sized {
    /// Gives a rising curve the same slope at both ends, so that it can be repeated, each time from where the last one ended,
    /// without a corner.
    fn close(&mut self);

    /// Bounds the slope of this curve by that of a rising one with as many control points: everywhere from `1 / limit` to
    /// `limit` times as steep. Its ends stay if `range` is `None`, and must then be as far apart as the bounds allow;
    /// otherwise all of it may move within that range.
    ///
    /// The derivative of a B-spline of degree `p` with knots `t` is `Σ N[i](u) p (c[i+1] - c[i]) / (t[i+p+1] - t[i+1])`
    /// with basis functions `N[i] ≥ 0` (de Boor, A Practical Guide to Splines, 1978, chapter X). Both curves have the same
    /// knots, so the ratio of their slopes is everywhere a weighted mean of the ratios of their rises `c[i+1] - c[i]`, and
    /// it is these that are bounded.
    fn limit_slope(&mut self, other: &Self, limit: f64, range: Option<[f64; 2]>);

    /// As [`close`](Self::close); slopes that [`limit_slope`](Self::limit_slope) has bounded stay so if the other curve is
    /// closed as well.
    fn close_limited(&mut self, other: &Self, limit: f64);

    /// The curve multiplied by a factor.
    fn scaled(&self, factor: f64) -> Self;

    /// The least-squares fit of samples. `None` if they do not determine a curve.
    fn fitted(samples: &[WeightedSample], fit: &SplineFitSettings) -> Option<Self>;
}

impl SplineFit for Spline {
    fn close(&mut self) {
        let [first, second, .., before, last] = self.controls_mut() else {
            return;
        };
        let step = 0.5 * ((*second - *first) + (*last - *before));
        *second = *first + step;
        *before = *last - step;
    }

    fn limit_slope(&mut self, other: &Self, limit: f64, range: Option<[f64; 2]>) {
        let bounds = rise_bounds(other.controls(), limit);
        let Some([from, to]) = range else {
            keep_ends_and_limit(self.controls_mut(), &bounds);
            return;
        };
        limit_rises(self.controls_mut(), &bounds);
        let [Some(&first), Some(&last)] = [self.controls().first(), self.controls().last()] else {
            return;
        };
        if last - first > to - from {
            if let [first, .., last] = self.controls_mut() {
                [*first, *last] = [from, to];
            }
            keep_ends_and_limit(self.controls_mut(), &bounds);
        } else {
            let shift = 0f64.min(to - last).max(from - first);
            (self.controls_mut().iter_mut()).for_each(|control| *control += shift);
        }
    }

    fn close_limited(&mut self, other: &Self, limit: f64) {
        // The first and the last rise become their mean, which is within the bounds of both. The rest is as long as before, so
        // its bounds can be satisfied as well.
        self.close();
        let bounds = rise_bounds(other.controls(), limit);
        if let ([_, between @ .., _], [_, bounds @ .., _]) =
            (self.controls_mut(), bounds.as_slice())
        {
            keep_ends_and_limit(between, bounds);
        }
    }

    fn scaled(&self, factor: f64) -> Self {
        let controls = self.controls().iter().map(|control| control * factor);
        Self::new(self.degree(), controls.collect())
    }

    fn fitted(samples: &[WeightedSample], fit: &SplineFitSettings) -> Option<Self> {
        let degree = fit.degree.clamp(1, MAX_DEGREE);
        let controls = fit.controls.max(degree + 1);
        let mut ties = alloc::vec![None; controls];
        loop {
            let solved = solve(samples, fit, degree, controls, &ties)?;
            let Some(rise) = fit.rise else {
                return Some(Self::new(degree, solved));
            };
            // Where it rises too little it is tied to the least rise, and solved again.
            let mut has_changed = false;
            for control in 1..controls {
                if ties[control].is_none() && solved[control] - solved[control - 1] < rise {
                    ties[control] = Some(rise);
                    has_changed = true;
                }
            }
            if !has_changed {
                return Some(Self::new(degree, solved));
            }
            if ties.iter().skip(1).all(Option::is_some) {
                let [from, to] = fit.ends.unwrap_or([solved[0], solved[0] + rise]);
                let even =
                    |control: usize| from + (to - from) * control as f64 / (controls - 1) as f64;
                return Some(Self::new(degree, (0..controls).map(even).collect()));
            }
        }
    }
}

/// The smallest and the largest rise of another curve, for each rise from a control point to the next.
fn rise_bounds(controls: &[f64], limit: f64) -> Vec<[f64; 2]> {
    let rises = controls.windows(2).map(|pair| pair[1] - pair[0]);
    rises.map(|rise| [rise / limit, rise * limit]).collect()
}

/// Moves numbers, in place, so that each rise is within its bounds. The largest move is as small as possible, and numbers
/// stay that have no part in a violation.
///
/// Of all sequences within the bounds that are nowhere above the given one there is a highest, and of those nowhere below
/// it a lowest (McShane's extensions of a Lipschitz function). Bounds hold for both, and so for their mean, whose largest
/// distance from the given numbers is the least possible. A forward and a backward pass find each of them.
fn limit_rises(numbers: &mut [f64], bounds: &[[f64; 2]]) {
    let is_bounded = |pair: (&[f64], &[f64; 2])| {
        let rise = pair.0[1] - pair.0[0];
        rise >= pair.1[0] && rise <= pair.1[1]
    };
    if numbers.windows(2).zip(bounds).all(is_bounded) {
        return;
    }
    let (mut below, mut above) = (numbers.to_vec(), numbers.to_vec());
    for (i, [least, most]) in bounds.iter().enumerate() {
        below[i + 1] = below[i + 1].min(below[i] + most);
        above[i + 1] = above[i + 1].max(above[i] + least);
    }
    for (i, [least, most]) in bounds.iter().enumerate().rev() {
        below[i] = below[i].min(below[i + 1] - least);
        above[i] = above[i].max(above[i + 1] - most);
    }
    for (number, (below, above)) in numbers.iter_mut().zip(below.iter().zip(&above)) {
        *number = 0.5 * (below + above);
    }
}

/// As [`limit_rises`], but the first and the last number stay: the others are first clamped to the range that is reachable
/// from both.
fn keep_ends_and_limit(numbers: &mut [f64], bounds: &[[f64; 2]]) {
    let [first, between @ .., last] = &mut *numbers else {
        return;
    };
    let mut reached = [*first; 2];
    for (number, [least, most]) in between.iter_mut().zip(bounds) {
        reached = [reached[0] + least, reached[1] + most];
        *number = number.max(reached[0]).min(reached[1]);
    }
    let mut reached = [*last; 2];
    for (number, [least, most]) in between.iter_mut().zip(bounds.iter().skip(1)).rev() {
        reached = [reached[0] - most, reached[1] - least];
        *number = number.max(reached[0]).min(reached[1]);
    }
    limit_rises(numbers, bounds);
}

/// A knot of the uniform clamped knot vector.
fn knot(degree: usize, controls: usize, index: usize) -> f64 {
    let spans = (controls - degree) as f64;
    ((index as f64 - degree as f64) / spans).clamp(0.0, 1.0)
}

/// The basis functions that are not zero at `u`, and the index of the first one, by the Cox-de Boor recursion (de Boor 1978,
/// chapter X).
fn basis(degree: usize, controls: usize, u: f64) -> (usize, Basis) {
    let u = if u > 0.0 { u.min(1.0) } else { 0.0 };
    let spans = controls - degree;
    let span = ((u * spans as f64) as usize).min(spans - 1);
    let knot = |index: usize| knot(degree, controls, index);
    let last = span + degree;
    let mut values = [0.0; MAX_DEGREE + 1];
    values[0] = 1.0;
    for degree in 1..=degree {
        let mut carried = 0.0;
        for (index, value) in values.iter_mut().enumerate().take(degree) {
            let (left, right) = (knot(last + 1 + index - degree), knot(last + 1 + index));
            let share = *value / (right - left);
            *value = carried + (right - u) * share;
            carried = (u - left) * share;
        }
        values[degree] = carried;
    }
    (span, values)
}

/// Control points by least squares; those that are tied rise by a fixed amount from the one before.
fn solve(
    samples: &[WeightedSample],
    fit: &SplineFitSettings,
    degree: usize,
    controls: usize,
    ties: &[Option<f64>],
) -> Option<Vec<f64>> {
    // A control point is a variable plus an offset; tied control points share the variable.
    let mut sources = Vec::with_capacity(controls);
    let mut variables = 0;
    for tie in ties {
        match (tie, sources.last()) {
            (Some(rise), Some(&(variable, offset))) => sources.push((variable, offset + rise)),
            _ => {
                sources.push((variables, 0.0));
                variables += 1;
            }
        }
    }
    let mut known = alloc::vec![None; variables];
    if let (Some([from, to]), Some(&(last, offset))) = (fit.ends, sources.last()) {
        known[0] = Some(from);
        if last > 0 {
            known[last] = Some(to - offset);
        }
    }
    let mut system = BandedSystem::new(variables);
    // Adds the equation Σ factor · control = value to the normal equations.
    let mut add = |factors: &[(usize, f64)], value: f64, weight: f64| {
        let mut rest = value;
        for &(control, factor) in factors {
            let (variable, offset) = sources[control];
            rest -= factor * (offset + known[variable].unwrap_or(0.0));
        }
        for &(control, factor) in factors {
            let row = sources[control].0;
            if known[row].is_some() {
                continue;
            }
            system.right[row] += weight * factor * rest;
            for &(other, other_factor) in factors {
                let column = sources[other].0;
                if known[column].is_none() && column <= row {
                    system.rows[row][row - column] += weight * factor * other_factor;
                }
            }
        }
    };
    for sample in samples {
        let (first, basis) = basis(degree, controls, sample.position);
        let mut factors = [(0, 0.0); MAX_DEGREE + 1];
        for (index, (factor, value)) in factors.iter_mut().zip(basis).enumerate() {
            *factor = ((first + index).min(controls - 1), value);
        }
        add(&factors[..=degree], sample.value, sample.weight);
    }
    if fit.smoothing > 0.0 {
        // Greville abscissae, in spans between knots.
        let spans = (controls - degree) as f64;
        let abscissa = |control: usize| {
            let knots = control + 1..=control + degree;
            let knots = knots.map(|index| knot(degree, controls, index));
            knots.sum::<f64>() / degree as f64 * spans
        };
        for i in 1..controls - 1 {
            let before = 1.0 / (abscissa(i) - abscissa(i - 1));
            let after = 1.0 / (abscissa(i + 1) - abscissa(i));
            let factors = [(i - 1, before), (i, -before - after), (i + 1, after)];
            add(&factors, 0.0, fit.smoothing);
        }
    }
    for (row, known) in known.iter().enumerate() {
        if let Some(value) = known {
            system.rows[row][0] = 1.0;
            system.right[row] = *value;
        }
    }
    let solved = system.solve()?;
    Some(
        sources
            .iter()
            .map(|&(variable, offset)| solved[variable] + offset)
            .collect(),
    )
}

/// A symmetric banded system of equations.
struct BandedSystem {
    /// By row, the entries from the diagonal to the left.
    rows: Vec<[f64; MAX_DEGREE + 1]>,
    right: Vec<f64>,
}

impl BandedSystem {
    fn new(count: usize) -> Self {
        Self {
            rows: alloc::vec![[0.0; MAX_DEGREE + 1]; count],
            right: alloc::vec![0.0; count],
        }
    }

    /// Solves by Cholesky's factorization; `None` if the matrix is not positive definite.
    fn solve(mut self) -> Option<Vec<f64>> {
        let count = self.rows.len();
        for row in 0..count {
            for back in (0..=MAX_DEGREE.min(row)).rev() {
                let column = row - back;
                let mut sum = self.rows[row][back];
                for further in 1..=MAX_DEGREE - back {
                    if let Some(inner) = column.checked_sub(further) {
                        sum -= self.rows[row][row - inner] * self.rows[column][further];
                    }
                }
                self.rows[row][back] = if back > 0 {
                    sum / self.rows[column][0]
                } else if sum > 0.0 && sum.is_finite() {
                    libm::sqrt(sum)
                } else {
                    return None;
                };
            }
        }
        for row in 0..count {
            let before =
                (1..=MAX_DEGREE.min(row)).map(|back| self.rows[row][back] * self.right[row - back]);
            let sum: f64 = before.sum();
            self.right[row] = (self.right[row] - sum) / self.rows[row][0];
        }
        for row in (0..count).rev() {
            let after = (1..=MAX_DEGREE).filter_map(|ahead| {
                let other = self.rows.get(row + ahead)?;
                Some(other[ahead] * self.right[row + ahead])
            });
            let sum: f64 = after.sum();
            self.right[row] = (self.right[row] - sum) / self.rows[row][0];
        }
        Some(self.right)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn samples(count: usize, value: impl Fn(f64) -> f64) -> Vec<WeightedSample> {
        let position = |index: usize| index as f64 / (count - 1) as f64;
        let sample = |index: usize| WeightedSample {
            position: position(index),
            value: value(position(index)),
            weight: 1.0,
        };
        (0..count).map(sample).collect()
    }

    fn fit(degree: usize, controls: usize) -> SplineFitSettings {
        SplineFitSettings {
            degree,
            controls,
            smoothing: 0.0,
            ends: None,
            rise: None,
        }
    }

    #[test]
    fn parts_sum_to_one_and_slopes_are_those_of_differences() {
        for degree in 1..=3 {
            let controls: Vec<f64> = (0..9)
                .map(|index| libm::sin(f64::from(index) * 1.3))
                .collect();
            let spline = Spline::new(degree, controls);
            for step in 0..=1000 {
                let u = f64::from(step) / 1000.0;
                let (first, parts) = basis(degree, 9, u);
                assert!(first + degree < 9);
                assert!((parts.iter().sum::<f64>() - 1.0).abs() < 1e-12);
                assert!(parts.iter().all(|part| *part >= -1e-15));
                let controls = spline.controls().iter().skip(first);
                let products = controls.zip(&parts[..=degree]);
                let value: f64 = products.map(|(control, part)| control * part).sum();
                assert!((value - spline.at(u)).abs() < 1e-12, "{degree} {u}");
                if (0.01..0.99).contains(&u) && degree > 1 {
                    let h = 1e-6;
                    let slope = (spline.at(u + h) - spline.at(u - h)) / (2.0 * h);
                    assert!((slope - spline.slope(u)).abs() < 1e-4, "{degree} {u}");
                }
            }
        }
    }

    #[test]
    fn a_curve_that_can_be_met_is_met() {
        let cubic = |u: f64| 3.0 * u * u * u - 2.0 * u + 0.5;
        for ends in [None, Some([0.5, 1.5])] {
            let fit = SplineFitSettings { ends, ..fit(3, 8) };
            let spline = Spline::fitted(&samples(50, cubic), &fit).unwrap();
            for step in 0..=100 {
                let u = f64::from(step) / 100.0;
                assert!((spline.at(u) - cubic(u)).abs() < 1e-10);
            }
        }
    }

    #[test]
    fn curves_that_must_rise_do_and_are_found_back() {
        let stairs = |u: f64| if u < 0.5 { 0.0 } else { 1.0 };
        let fit = SplineFitSettings {
            ends: Some([0.0, 1.0]),
            rise: Some(1e-4),
            ..fit(3, 20)
        };
        let spline = Spline::fitted(&samples(200, stairs), &fit).unwrap();
        for step in 0..10_000 {
            let u = f64::from(step) / 10_000.0;
            assert!(spline.slope(u) > 0.0, "{u}");
        }
        for step in 0..=50 {
            let value = f64::from(step) / 50.0;
            let found = spline.find(value);
            assert!((spline.at(found) - value).abs() < 1e-9, "{value}");
        }
        assert_eq!((spline.find(-1.0), spline.find(2.0)), (0.0, 1.0));
    }

    /// Slopes of a curve and of another, at many positions.
    fn slope_ratios(spline: &Spline, other: &Spline) -> Vec<f64> {
        let position = |step: i32| f64::from(step) / 5000.0;
        (0..=5000)
            .map(|step| spline.slope(position(step)) / other.slope(position(step)))
            .collect()
    }

    #[test]
    fn limited_slopes_stay_within_bounds_and_ends_stay() {
        let other = Spline::new(3, [0.0, 2.0, 3.0, 7.0, 8.0, 11.0, 12.0, 16.0].into());
        for seed in 0..50 {
            // Rises from below zero to far beyond the limit, from 0 to between half and twice as far as the other.
            let wild =
                |index: usize| libm::sin(f64::from(seed) * 1.7 + index as f64 * 2.3) * 6.0 + 1.5;
            let mut controls: Vec<f64> = (0..8).map(|index| wild(index) + index as f64).collect();
            controls[0] = 0.0;
            controls[7] = 8.0 + 24.0 * f64::from(seed) / 49.0;
            let end = controls[7];
            let mut ends_stay = Spline::new(3, controls.clone());
            ends_stay.limit_slope(&other, 2.0, None);
            assert_eq!(ends_stay.at(0.0), 0.0);
            assert!((ends_stay.at(1.0) - end).abs() < 1e-12, "{seed}");
            let mut free = Spline::new(3, controls);
            free.limit_slope(&other, 2.0, Some([-1.0, 20.0]));
            assert!(
                free.at(0.0) >= -1.0 && free.at(1.0) <= 20.0 + 1e-12,
                "{seed}"
            );
            for spline in [&ends_stay, &free] {
                for ratio in slope_ratios(spline, &other) {
                    assert!(
                        (0.5 - 1e-12..=2.0 + 1e-12).contains(&ratio),
                        "{seed}: {ratio}"
                    );
                }
            }
        }
    }

    #[test]
    fn limited_curves_can_be_closed() {
        let mut other = Spline::new(3, [0.0, 2.0, 3.0, 7.0, 8.0, 11.0, 12.0, 16.0].into());
        other.close();
        for seed in 0..50 {
            let wild = |index: usize| libm::sin(f64::from(seed) * 2.9 + index as f64 * 1.3) * 5.0;
            let mut controls: Vec<f64> = (0..8)
                .map(|index| wild(index) + 2.0 * index as f64)
                .collect();
            controls[7] = controls[0] + 8.0 + 24.0 * f64::from(seed) / 49.0;
            let mut spline = Spline::new(3, controls);
            spline.limit_slope(&other, 2.0, None);
            spline.close_limited(&other, 2.0);
            assert!(
                (spline.slope(0.0) - spline.slope(1.0)).abs() < 1e-9,
                "{seed}"
            );
            for ratio in slope_ratios(&spline, &other) {
                assert!(
                    (0.5 - 1e-12..=2.0 + 1e-12).contains(&ratio),
                    "{seed}: {ratio}"
                );
            }
        }
    }

    #[test]
    fn what_is_out_of_bounds_moves_only_what_is_near() {
        let other = Spline::new(3, (0..30).map(f64::from).collect());
        let mut controls: Vec<f64> = (0..30).map(f64::from).collect();
        controls[15] += 1.4;
        let mut spline = Spline::new(3, controls.clone());
        spline.limit_slope(&other, 2.0, None);
        let moved = spline.controls().iter().zip(&controls);
        for (index, (new, old)) in moved.enumerate() {
            let farthest = if (13..=17).contains(&index) { 0.5 } else { 0.0 };
            assert!((new - old).abs() <= farthest, "{index}: {old} to {new}");
        }
    }

    #[test]
    fn slopes_within_bounds_are_left_alone() {
        let other = Spline::new(3, (0..9).map(f64::from).collect());
        let controls: Vec<f64> = (0..9)
            .map(|index| f64::from(index) * 1.2 + 0.2 * libm::sin(f64::from(index)))
            .collect();
        for range in [None, Some([0.0, 20.0])] {
            let mut spline = Spline::new(3, controls.clone());
            spline.limit_slope(&other, 2.0, range);
            assert_eq!(spline.controls(), controls);
        }
    }

    #[test]
    fn what_cannot_rise_enough_rises_evenly() {
        let fit = SplineFitSettings {
            ends: Some([0.0, 1.0]),
            rise: Some(1.0),
            ..fit(3, 6)
        };
        let spline = Spline::fitted(&samples(30, |u| u), &fit).unwrap();
        assert_eq!(spline.controls(), [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]);
    }

    #[test]
    fn too_few_samples_determine_nothing_without_smoothing() {
        let few = samples(3, |u| u);
        assert!(Spline::fitted(&few, &fit(3, 20)).is_none());
        let smooth = SplineFitSettings {
            smoothing: 1e-3,
            ..fit(3, 20)
        };
        let spline = Spline::fitted(&few, &smooth).unwrap();
        assert!((spline.at(0.25) - 0.25).abs() < 0.05);
    }
}
