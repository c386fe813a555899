//! Logarithmic axes.
//!
//! A plot with such an axis is converted to one of logarithms; only the tick labels differ afterwards.

use super::data::{Plot, Scale};
use super::ticks::{Tick, ticks};
use std::borrow::Cow;

/// Returns the plot with decimal logarithms in place of values on logarithmic axes.
pub(super) fn even(plot: &Plot) -> Cow<'_, Plot> {
    if (plot.x_scale, plot.y_scale) == (Scale::Linear, Scale::Linear) {
        return Cow::Borrowed(plot);
    }
    let (x, y) = (plot.x_scale, plot.y_scale);
    let mut even = plot.clone();
    for point in even.series.iter_mut().flat_map(|s| &mut s.points) {
        *point = (even_value(x, point.0), even_value(y, point.1));
    }
    for span in even.bands.iter_mut().flat_map(|b| &mut b.spans) {
        *span = (even_value(x, span.0), even_value(x, span.1));
    }
    for marker in &mut even.markers {
        marker.x = even_value(x, marker.x);
    }
    for level in &mut even.levels {
        level.y = even_value(y, level.y);
    }
    even.y_range = plot
        .y_range
        .map(|(a, b)| (even_value(y, a), even_value(y, b)));
    Cow::Owned(even)
}

/// Returns a value on a linear axis; NaN without a logarithm, which leaves a gap.
fn even_value(scale: Scale, value: f64) -> f64 {
    match scale {
        Scale::Linear => value,
        Scale::Log if value > 0.0 => libm::log10(value),
        Scale::Log => f64::NAN,
    }
}

/// Returns the ticks of an axis whose range is from [`even`].
pub(super) fn ticks_of(scale: Scale, (low, high): (f64, f64), wanted: usize) -> Vec<Tick> {
    match scale {
        Scale::Linear => ticks(low, high, wanted),
        Scale::Log => log_ticks(low, high, wanted),
    }
}

/// Returns round numbers between two powers of ten: as many per decade as fit.
fn log_ticks(low: f64, high: f64, wanted: usize) -> Vec<Tick> {
    // Exponents of `f64` span less than this.
    const MOST_DECADES: f64 = 640.0;
    // Written so that NaN returns here.
    if !(high > low && high - low < MOST_DECADES) {
        return Vec::new();
    }
    let within = |steps: &[f64]| -> Vec<f64> {
        let decades = libm::floor(low) as i32..=libm::ceil(high) as i32;
        let all =
            decades.flat_map(|decade| steps.iter().map(move |step| (f64::from(decade), step)));
        let values = all.map(|(decade, step)| decade + libm::log10(*step));
        values
            .filter(|value| (low - 1e-9..=high + 1e-9).contains(value))
            .collect()
    };
    let finest: [&[f64]; 3] = [&[1.0, 2.0, 5.0], &[1.0, 3.0], &[1.0]];
    let choices = finest.map(within);
    let fitting = choices.into_iter().find(|all| all.len() <= wanted + 1);
    // Fewer than two ticks do not show the scale.
    let values = match fitting {
        Some(values) if values.len() >= 2 => values,
        Some(_) => return relabel(ticks(low, high, wanted)),
        None => {
            let whole = ticks(low, high, wanted).into_iter().map(|tick| tick.value);
            whole.filter(|value| value.fract() == 0.0).collect()
        }
    };
    relabel(values.into_iter().map(|value| Tick {
        value,
        label: String::new(),
    }))
}

/// Labels ticks with the values whose logarithms they are.
fn relabel(ticks: impl IntoIterator<Item = Tick>) -> Vec<Tick> {
    let tick = |tick: Tick| Tick {
        label: label(libm::pow(10.0, tick.value)),
        value: tick.value,
    };
    // Margins beyond the range of `f64` have no label.
    let known = ticks.into_iter().filter(|tick| tick.value.abs() < 308.0);
    known.map(tick).collect()
}

/// Formats a number with its significant digits.
fn label(value: f64) -> String {
    let power = libm::floor(libm::log10(value) + 1e-9);
    let unit = libm::pow(10.0, power - 1.0);
    let text = match power {
        -4.0..6.0 => {
            let digits = (1.0 - power).clamp(0.0, 8.0) as usize;
            let text = format!("{:.digits$}", libm::round(value / unit) * unit);
            match text.contains('.') {
                true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
                false => text,
            }
        }
        _ => format!("{value:.0e}"),
    };
    text.replace('-', "\u{2212}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plot::data::Series;

    fn labels(low: f64, high: f64, wanted: usize) -> Vec<String> {
        let (low, high) = (libm::log10(low), libm::log10(high));
        let ticks = log_ticks(low, high, wanted);
        ticks.into_iter().map(|tick| tick.label).collect()
    }

    #[test]
    fn ranges_that_are_none_have_no_ticks() {
        for (low, high) in [(0.0, 0.0), (f64::NAN, 1.0), (2.0, 1.0), (-1e300, 1e300)] {
            assert!(log_ticks(low, high, 5).is_empty());
        }
    }

    #[test]
    fn what_has_no_logarithm_leaves_a_gap() {
        let plot = Plot {
            series: vec![Series::new(
                "",
                vec![(0.0, 1.0), (-1.0, 10.0), (100.0, 10.0)],
            )],
            x_scale: Scale::Log,
            ..Plot::default()
        };
        let even = even(&plot);
        let points = &even.series[0].points;
        assert!(points[0].0.is_nan() && points[1].0.is_nan());
        assert_eq!(points[2], (2.0, 10.0));
    }

    #[test]
    fn decades_are_divided_as_far_as_there_is_room() {
        assert_eq!(labels(0.01, 10.0, 5), ["0.01", "0.1", "1", "10"]);
        assert_eq!(labels(0.01, 1.0, 5), ["0.01", "0.03", "0.1", "0.3", "1"]);
        assert_eq!(labels(900.0, 6000.0, 6), ["1000", "2000", "5000"]);
        assert_eq!(labels(1e-9, 1e9, 4), ["1e\u{2212}5", "1", "100000"]);
    }

    #[test]
    fn a_range_within_a_decade_has_ticks_too() {
        let labels = labels(3200.0, 4100.0, 4);
        assert!(labels.len() >= 2, "{labels:?}");
    }
}
