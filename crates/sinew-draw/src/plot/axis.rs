//! The map from values to pixels along one axis.

use super::data::Plot;

/// Larger values count as not finite: differences of two must not overflow.
pub(crate) const LARGEST: f64 = 1e300;

/// The largest distance from the picture in pixels; lines are clipped to the frame with numbers of this size.
const FARTHEST: f64 = 1e9;

/// Returns whether a value can be plotted.
pub(crate) fn plottable(value: f64) -> bool {
    value.abs() <= LARGEST
}

/// A range of values and the pixels of its ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Axis {
    pub(crate) low: f64,
    pub(crate) high: f64,
    /// Pixels of both ends.
    pub(crate) from: f64,
    pub(crate) to: f64,
}

impl Axis {
    /// Creates an axis for a range from one pixel to another.
    pub(crate) fn between((low, high): (f64, f64), from: f32, to: f32) -> Self {
        Self {
            low,
            high,
            from: from.into(),
            to: to.into(),
        }
    }

    /// Returns the pixel of a value, clamped to [`FARTHEST`].
    pub(crate) fn pixel(&self, value: f64) -> f64 {
        let fraction = (value - self.low) / (self.high - self.low);
        (self.from + fraction * (self.to - self.from)).clamp(-FARTHEST, FARTHEST)
    }
}

/// Returns the range of the horizontal axis: all points, spans and markers.
pub(crate) fn x_range(plot: &Plot) -> (f64, f64) {
    let points = plot.series.iter().flat_map(|s| &s.points);
    let seen = points
        .filter(|p| plottable(p.0) && plottable(p.1))
        .map(|p| p.0);
    match range(seen) {
        Some(range) => widen(range, 0.0),
        None => {
            let spans = plot.bands.iter().flat_map(|b| &b.spans);
            let ends = spans.flat_map(|s| [s.0, s.1]).filter(|&x| plottable(x));
            let moments = plot.markers.iter().map(|m| m.x).filter(|&x| plottable(x));
            range(ends.chain(moments)).map_or((0.0, 1.0), |r| widen(r, 0.0))
        }
    }
}

/// Returns the range of the vertical axis.
pub(crate) fn y_range(plot: &Plot) -> (f64, f64) {
    if let Some((a, b)) = plot.y_range.filter(|r| plottable(r.0) && plottable(r.1)) {
        return widen((a.min(b), a.max(b)), 0.0);
    }
    let points = plot.series.iter().flat_map(|s| &s.points);
    let seen = points
        .filter(|p| plottable(p.0) && plottable(p.1))
        .map(|p| p.1);
    let levels = plot.levels.iter().map(|l| l.y).filter(|&y| plottable(y));
    let seen = seen.chain(levels);
    // A small margin keeps curves off the frame.
    range(seen).map_or((0.0, 1.0), |r| widen(r, 0.04))
}

fn range(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    values.fold(None, |range, value| {
        let (low, high) = range.unwrap_or((value, value));
        Some((low.min(value), high.max(value)))
    })
}

/// Widens a range by a fraction on both sides; the result is never empty.
fn widen((low, high): (f64, f64), fraction: f64) -> (f64, f64) {
    let largest = low.abs().max(high.abs());
    // Below this width pixels could not be distinguished.
    let least = (largest * 1e-9).max(1e-300);
    if high - low < least {
        let around = if largest > 0.0 { largest * 0.05 } else { 1.0 };
        return (low - around, high + around);
    }
    let room = (high - low) * fraction;
    (low - room, high + room)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plot::data::Series;

    fn plot(points: &[(f64, f64)]) -> Plot {
        Plot {
            series: vec![Series::new("", points.to_vec())],
            ..Plot::default()
        }
    }

    #[test]
    fn nothing_to_show_is_from_zero_to_one() {
        let none = plot(&[(f64::NAN, 1.0), (1.0, f64::INFINITY), (1e305, 0.0)]);
        for plot in [Plot::default(), none] {
            assert_eq!((x_range(&plot), y_range(&plot)), ((0.0, 1.0), (0.0, 1.0)));
        }
    }

    #[test]
    fn a_flat_curve_has_room_above_and_below() {
        let (low, high) = y_range(&plot(&[(0.0, 5.0), (1.0, 5.0)]));
        assert!(low < 4.9 && high > 5.1);
        assert_eq!(y_range(&plot(&[(0.0, 0.0)])), (-1.0, 1.0));
    }

    #[test]
    fn ranges_are_finite_for_the_largest_numbers() {
        let (low, high) = y_range(&plot(&[(0.0, -LARGEST), (1.0, LARGEST)]));
        assert!((high - low).is_finite());
    }

    #[test]
    fn a_range_that_is_given_holds_in_any_order() {
        let mut plot = plot(&[(0.0, 9.0)]);
        plot.y_range = Some((3.0, -1.0));
        assert_eq!(y_range(&plot), (-1.0, 3.0));
        plot.y_range = Some((f64::NAN, 1.0));
        assert!(y_range(&plot).1 > 9.0);
    }
}
