//! Round tick values: multiples of 1, 2 or 5 times a power of ten.
//!
//! The step is the smallest `{1, 2, 5, 10} · 10^k` of at least `range / wanted`; ticks are its multiples within the range,
//! `n · step`, and not sums of steps, whose rounding would add up. After Heckbert, Nice numbers for graph labels
//! (Graphics Gems, 1990), who rounds to the nearest such number instead. Some logarithms per axis.

/// The largest number of ticks of an axis.
const MAX_TICKS: usize = 50;

/// A value with its label.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Tick {
    pub(crate) value: f64,
    pub(crate) label: String,
}

/// Returns ticks within a range, about `wanted` of them and at most half as many again.
///
/// The range must be finite and ascending.
pub(crate) fn ticks(low: f64, high: f64, wanted: usize) -> Vec<Tick> {
    let wanted = wanted.clamp(1, MAX_TICKS / 2);
    let step = round_step((high - low) / wanted as f64);
    // Written so that NaN and zero return here.
    if !(step > 0.0 && step.is_finite()) {
        return Vec::new();
    }
    // The tolerance keeps a tick at an end of the range despite rounding.
    let first = libm::ceil(low / step - 1e-9);
    let last = libm::floor(high / step + 1e-9);
    let count = (last - first + 1.0).clamp(0.0, MAX_TICKS as f64) as usize;
    let values = (0..count).map(|i| (first + i as f64) * step);
    let largest = low.abs().max(high.abs());
    values
        .map(|value| Tick {
            value,
            label: label(value, step, largest),
        })
        .collect()
}

/// Rounds up to 1, 2, 5 or 10 times a power of ten.
fn round_step(raw: f64) -> f64 {
    let power = libm::pow(10.0, libm::floor(libm::log10(raw)));
    let mantissa = raw / power;
    let round = [1.0, 2.0, 5.0, 10.0];
    // A small tolerance: 0.30000000000000004 / 3 counts as 0.1.
    let chosen = round.into_iter().find(|&r| mantissa <= r * 1.000_001);
    chosen.unwrap_or(10.0) * power
}

/// Formats a value with enough digits to distinguish ticks.
fn label(value: f64, step: f64, largest: f64) -> String {
    // Values within rounding of zero are zero.
    if value.abs() < step * 1e-6 {
        return "0".to_owned();
    }
    let text = if largest >= 1e6 || step < 1e-5 {
        let digits =
            libm::floor(libm::log10(value.abs()) + 1e-9) - libm::floor(libm::log10(step) + 1e-9);
        format!("{value:.*e}", digits.clamp(0.0, 12.0) as usize)
    } else {
        let decimals = (-libm::floor(libm::log10(step) + 1e-9)).clamp(0.0, 12.0);
        format!("{value:.*}", decimals as usize)
    };
    // A minus sign is as wide as the digits and more visible than a hyphen.
    text.replace('-', "\u{2212}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(low: f64, high: f64, wanted: usize) -> Vec<String> {
        ticks(low, high, wanted)
            .into_iter()
            .map(|t| t.label)
            .collect()
    }

    #[test]
    fn steps_are_round() {
        assert_eq!(
            labels(0.0, 1.0, 5),
            ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"].map(|l| if l == "0.0" { "0" } else { l })
        );
        assert_eq!(labels(-3.0, 7.0, 5), ["\u{2212}2", "0", "2", "4", "6"]);
        assert_eq!(labels(0.13, 0.29, 4), ["0.15", "0.20", "0.25"]);
    }

    #[test]
    fn large_and_small_numbers_are_written_with_exponents() {
        assert_eq!(labels(0.0, 3e6, 3), ["0", "1e6", "2e6", "3e6"]);
        assert_eq!(
            labels(0.0, 3e-6, 3),
            ["0", "1e\u{2212}6", "2e\u{2212}6", "3e\u{2212}6"]
        );
    }

    #[test]
    fn neighbours_have_different_labels() {
        for (low, high) in [
            (1e6, 1.00001e6),
            (0.999, 1.001),
            (-1e-9, 1e-9),
            (1e299, 9e299),
        ] {
            let labels = labels(low, high, 6);
            assert!(labels.len() > 2, "{low} {high} {labels:?}");
            assert!(
                labels.windows(2).all(|pair| pair[0] != pair[1]),
                "{labels:?}"
            );
        }
    }

    #[test]
    fn ranges_that_are_none_have_no_ticks() {
        for (low, high) in [
            (0.0, 0.0),
            (f64::NAN, 1.0),
            (0.0, f64::INFINITY),
            (2.0, 1.0),
        ] {
            assert!(ticks(low, high, 5).is_empty());
        }
    }

    #[test]
    fn there_are_about_as_many_as_wanted() {
        for i in 1..200 {
            let high = f64::from(i) * 0.37;
            let count = ticks(0.0, high, 6).len();
            assert!((3..=9).contains(&count), "{high} {count}");
        }
    }
}
