//! Least-squares fits of B-splines over [0, 1], and edits that keep them rising and bound their slope.

use alloc::vec::Vec;
use sinew::internal::{MOST, Spline};

/// Numbers that a moment of a curve comes of: `MOST + 1` at most.
type Basis = [f64; MOST + 1];

/// A number that a curve should have at a moment, and how much that counts.
#[derive(Clone, Copy, Debug)]
pub(super) struct WeightedSample {
    pub(super) at: f64,
    pub(super) value: f64,
    pub(super) weight: f64,
}

/// What a curve is fitted with.
#[derive(Clone, Copy, Debug)]
pub(super) struct SplineFitSettings {
    pub(super) degree: usize,
    /// Control points; at least one more than the degree.
    pub(super) controls: usize,
    /// How much changes of slope from one control point to the next count.
    pub(super) smoothing: f64,
    /// The curve's ends, where they are given.
    pub(super) ends: Option<[f64; 2]>,
    /// How much control points rise at least from one to the next, where they must. So much does not fit between
    /// the ends, they rise evenly.
    pub(super) rise: Option<f64>,
}

/// Fits and edits of a [`Spline`].
pub(super) trait SplineFit: Sized {
    /// Makes a rising curve that is repeated, each time from where the last one ended, go on without a corner: it has
    /// the same slope at both ends.
    fn close(&mut self);

    /// Bounds the slope of this curve by that of a rising one with as many control points: everywhere from `1 / limit`
    /// to `limit` times as steep. Its ends stay where `range` is `None`; otherwise all of it may move within that range. Ends
    /// that stay must be as far apart as the bounds allow.
    ///
    /// The derivative of a B-spline of degree `p` with knots `t` is `Σ N[i](u) p (c[i+1] - c[i]) / (t[i+p+1] - t[i+1])`
    /// with basis functions `N[i] ≥ 0` (de Boor, A Practical Guide to Splines, 1978, chapter X). Both curves have the same
    /// knots, so the ratio of their slopes is everywhere a weighted mean of the ratios of their rises `c[i+1] - c[i]`, and
    /// these are what is bounded.
    fn limit_slope(&mut self, other: &Self, limit: f64, range: Option<[f64; 2]>);

    /// Makes a rising curve that is repeated, each time from where the last one ended, go on without a corner: it has
    /// the same slope at both ends. Slopes that [`limit_slope`](Self::limit_slope) has bounded stay so, if the other curve
    /// is closed as well.
    fn close_limited(&mut self, other: &Self, limit: f64);

    /// All values by a factor.
    fn scaled(&self, factor: f64) -> Self;

    /// The curve that is nearest to samples, by the sum of weighted squares. `None` where they do not determine
    /// one.
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
            let back = 0f64.min(to - last).max(from - first);
            self.controls_mut().iter_mut().for_each(|own| *own += back);
        }
    }

    fn close_limited(&mut self, other: &Self, limit: f64) {
        // The first and the last rise become their mean, which is within the bounds of either. What is between them is as
        // long as it was, so that its bounds can be kept as well.
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
        let degree = fit.degree.clamp(1, MOST);
        let controls = fit.controls.max(degree + 1);
        let mut ties = alloc::vec![None; controls];
        loop {
            let solved = solve(samples, fit, degree, controls, &ties)?;
            let Some(rise) = fit.rise else {
                return Some(Self::new(degree, solved));
            };
            // Where it falls it is held to the least rise, and solved again.
            let mut has_changed = false;
            for at in 1..controls {
                if ties[at].is_none() && solved[at] - solved[at - 1] < rise {
                    ties[at] = Some(rise);
                    has_changed = true;
                }
            }
            if !has_changed {
                return Some(Self::new(degree, solved));
            }
            if ties.iter().skip(1).all(Option::is_some) {
                let [from, to] = fit.ends.unwrap_or([solved[0], solved[0] + rise]);
                let even = |at: usize| from + (to - from) * at as f64 / (controls - 1) as f64;
                return Some(Self::new(degree, (0..controls).map(even).collect()));
            }
        }
    }
}

/// For each rise from a control point to the next, the least and the most that another curve may rise there.
fn rise_bounds(controls: &[f64], limit: f64) -> Vec<[f64; 2]> {
    let rises = controls.windows(2).map(|pair| pair[1] - pair[0]);
    rises.map(|rise| [rise / limit, rise * limit]).collect()
}

/// Moves numbers so that each rises from the one before by no less and no more than its bounds, in place. None moves
/// farther than it must for the one that moves farthest, and those stay that have no part in what is out of bounds.
///
/// Of all sequences within the bounds that are nowhere above the given one there is a highest, and of those nowhere below
/// it a lowest (McShane's extensions). Bounds hold for each, and so for their mean, which is at the least largest distance
/// of all from the given numbers. A pass forward and one back find each of them.
fn limit_rises(numbers: &mut [f64], bounds: &[[f64; 2]]) {
    let is_bounded = |pair: (&[f64], &[f64; 2])| {
        let rise = pair.0[1] - pair.0[0];
        rise >= pair.1[0] && rise <= pair.1[1]
    };
    if numbers.windows(2).zip(bounds).all(is_bounded) {
        return;
    }
    let (mut below, mut above) = (numbers.to_vec(), numbers.to_vec());
    for (at, [least, most]) in bounds.iter().enumerate() {
        below[at + 1] = below[at + 1].min(below[at] + most);
        above[at + 1] = above[at + 1].max(above[at] + least);
    }
    for (at, [least, most]) in bounds.iter().enumerate().rev() {
        below[at] = below[at].min(below[at + 1] - least);
        above[at] = above[at].max(above[at + 1] - most);
    }
    for (number, (below, above)) in numbers.iter_mut().zip(below.iter().zip(&above)) {
        *number = 0.5 * (below + above);
    }
}

/// The same, and the first and the last number stay: others are first brought to where both can be reached from.
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

/// The knot at a place.
fn knot(degree: usize, controls: usize, at: usize) -> f64 {
    let spans = (controls - degree) as f64;
    ((at as f64 - degree as f64) / spans).clamp(0.0, 1.0)
}

/// Which control points count at a moment, from which on, and how much.
fn basis(degree: usize, controls: usize, u: f64) -> (usize, Basis) {
    let u = if u > 0.0 { u.min(1.0) } else { 0.0 };
    let spans = controls - degree;
    let span = ((u * spans as f64) as usize).min(spans - 1);
    let at = |place: usize| knot(degree, controls, place);
    let last = span + degree;
    let mut parts = [0.0; MOST + 1];
    parts[0] = 1.0;
    for degree in 1..=degree {
        let mut carried = 0.0;
        for (index, part) in parts.iter_mut().enumerate().take(degree) {
            let (left, right) = (at(last + 1 + index - degree), at(last + 1 + index));
            let share = *part / (right - left);
            *part = carried + (right - u) * share;
            carried = (u - left) * share;
        }
        parts[degree] = carried;
    }
    (span, parts)
}

/// Control points by least squares; those that are tied rise by so much from the one before.
fn solve(
    samples: &[WeightedSample],
    fit: &SplineFitSettings,
    degree: usize,
    controls: usize,
    ties: &[Option<f64>],
) -> Option<Vec<f64>> {
    // A control point is a variable and what is added to it.
    let mut places = Vec::with_capacity(controls);
    let mut variables = 0;
    for tie in ties {
        match (tie, places.last()) {
            (Some(rise), Some(&(variable, offset))) => places.push((variable, offset + rise)),
            _ => {
                places.push((variables, 0.0));
                variables += 1;
            }
        }
    }
    let mut known = alloc::vec![None; variables];
    if let (Some([from, to]), Some(&(last, offset))) = (fit.ends, places.last()) {
        known[0] = Some(from);
        if last > 0 {
            known[last] = Some(to - offset);
        }
    }
    let mut system = Banded::new(variables);
    let mut add = |parts: &[(usize, f64)], value: f64, weight: f64| {
        let mut rest = value;
        for &(control, part) in parts {
            let (variable, offset) = places[control];
            rest -= part * (offset + known[variable].unwrap_or(0.0));
        }
        for &(control, part) in parts {
            let row = places[control].0;
            if known[row].is_some() {
                continue;
            }
            system.right[row] += weight * part * rest;
            for &(other, share) in parts {
                let column = places[other].0;
                if known[column].is_none() && column <= row {
                    system.rows[row][row - column] += weight * part * share;
                }
            }
        }
    };
    for sample in samples {
        let (first, basis) = basis(degree, controls, sample.at);
        let mut parts = [(0, 0.0); MOST + 1];
        for (at, (place, part)) in parts.iter_mut().zip(basis).enumerate() {
            *place = ((first + at).min(controls - 1), part);
        }
        add(&parts[..=degree], sample.value, sample.weight);
    }
    if fit.smoothing > 0.0 {
        // Control points near the ends are closer together: slopes are compared, not differences.
        let spans = (controls - degree) as f64;
        let place = |at: usize| {
            let knots = (at + 1..=at + degree).map(|at| knot(degree, controls, at));
            knots.sum::<f64>() / degree as f64 * spans
        };
        for at in 1..controls - 1 {
            let before = 1.0 / (place(at) - place(at - 1));
            let after = 1.0 / (place(at + 1) - place(at));
            let parts = [(at - 1, before), (at, -before - after), (at + 1, after)];
            add(&parts, 0.0, fit.smoothing);
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
        places
            .iter()
            .map(|&(variable, offset)| solved[variable] + offset)
            .collect(),
    )
}

/// A symmetric system of equations whose numbers are all near its diagonal.
struct Banded {
    /// Each row from the diagonal to the left.
    rows: Vec<[f64; MOST + 1]>,
    right: Vec<f64>,
}

impl Banded {
    fn new(count: usize) -> Self {
        Self {
            rows: alloc::vec![[0.0; MOST + 1]; count],
            right: alloc::vec![0.0; count],
        }
    }

    /// By Cholesky's factors; `None` where it has no single solution.
    fn solve(mut self) -> Option<Vec<f64>> {
        let count = self.rows.len();
        for row in 0..count {
            for back in (0..=MOST.min(row)).rev() {
                let column = row - back;
                let mut sum = self.rows[row][back];
                for further in 1..=MOST - back {
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
                (1..=MOST.min(row)).map(|back| self.rows[row][back] * self.right[row - back]);
            let sum: f64 = before.sum();
            self.right[row] = (self.right[row] - sum) / self.rows[row][0];
        }
        for row in (0..count).rev() {
            let after = (1..=MOST).filter_map(|ahead| {
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

    fn wanted(count: usize, value: impl Fn(f64) -> f64) -> Vec<WeightedSample> {
        let at = |at: usize| at as f64 / (count - 1) as f64;
        let sample = |index: usize| WeightedSample {
            at: at(index),
            value: value(at(index)),
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
            let controls: Vec<f64> = (0..9).map(|at| libm::sin(f64::from(at) * 1.3)).collect();
            let spline = Spline::new(degree, controls);
            for step in 0..=1000 {
                let u = f64::from(step) / 1000.0;
                let (first, parts) = basis(degree, 9, u);
                assert!(first + degree < 9);
                assert!((parts.iter().sum::<f64>() - 1.0).abs() < 1e-12);
                assert!(parts.iter().all(|part| *part >= -1e-15));
                let own = spline.controls().iter().skip(first).zip(&parts[..=degree]);
                let value: f64 = own.map(|(control, part)| control * part).sum();
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
            let spline = Spline::fitted(&wanted(50, cubic), &fit).unwrap();
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
        let spline = Spline::fitted(&wanted(200, stairs), &fit).unwrap();
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
            let wild = |at: usize| libm::sin(f64::from(seed) * 1.7 + at as f64 * 2.3) * 6.0 + 1.5;
            let mut controls: Vec<f64> = (0..8).map(|at| wild(at) + at as f64).collect();
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
            let wild = |at: usize| libm::sin(f64::from(seed) * 2.9 + at as f64 * 1.3) * 5.0;
            let mut controls: Vec<f64> = (0..8).map(|at| wild(at) + 2.0 * at as f64).collect();
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
        for (at, (new, old)) in moved.enumerate() {
            let farthest = if (13..=17).contains(&at) { 0.5 } else { 0.0 };
            assert!((new - old).abs() <= farthest, "{at}: {old} to {new}");
        }
    }

    #[test]
    fn slopes_within_bounds_are_left_alone() {
        let other = Spline::new(3, (0..9).map(f64::from).collect());
        let controls: Vec<f64> = (0..9)
            .map(|at| f64::from(at) * 1.2 + 0.2 * libm::sin(f64::from(at)))
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
        let spline = Spline::fitted(&wanted(30, |u| u), &fit).unwrap();
        assert_eq!(spline.controls(), [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]);
    }

    #[test]
    fn too_few_samples_determine_nothing_without_smoothing() {
        let few = wanted(3, |u| u);
        assert!(Spline::fitted(&few, &fit(3, 20)).is_none());
        let smooth = SplineFitSettings {
            smoothing: 1e-3,
            ..fit(3, 20)
        };
        let spline = Spline::fitted(&few, &smooth).unwrap();
        assert!((spline.at(0.25) - 0.25).abs() < 0.05);
    }
}
