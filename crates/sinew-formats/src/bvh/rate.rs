//! Frame rate from a rounded frame time.
//!
//! A file stores `1 / rate` with a few digits: `0.0083333` for 120 fps, whose reciprocal is 120.00048. A common rate is
//! accepted if its exact frame time lies within the rounding interval of the written digits: half a unit of the last
//! digit, or a whole one if digits may have been cut off (`docs/decisions/2026-11-15-frame-rates.md`). A tolerance
//! relative to the time would confuse 30 with 29.97 in files with many digits, and miss 30 in files with few. At most
//! four passes over some fifty rates per file.

/// Common integer rates of cameras, engines and capture systems, in frames per second.
const WHOLE: [u32; 27] = [
    1, 5, 6, 8, 10, 12, 15, 16, 18, 20, 24, 25, 30, 48, 50, 60, 72, 75, 90, 100, 120, 144, 150,
    180, 200, 240, 250,
];

/// Integer rates of high-speed capture.
const HIGH: [u32; 8] = [300, 360, 400, 480, 500, 600, 960, 1000];

/// Television rates, in thousands of frames per 1001 seconds, and their nominal values.
const TELEVISION: [(f64, f64); 5] = [
    (24_000.0, 23.976),
    (30_000.0, 29.97),
    (48_000.0, 47.952),
    (60_000.0, 59.94),
    (120_000.0, 119.88),
];

/// Minimum number of digits of a time that can identify a rate.
const MIN_DIGITS: usize = 3;

/// Returns the frames per second of a positive frame time that is written as `text`.
///
/// Files round: `0.0083333` means 120 fps, not 120.00048. The result is the common rate whose exact frame time,
/// rounded to the written digits, is the written time; of several the nearest, integer rates before television rates.
/// Otherwise the same with truncated digits (`0.041666`), or without trailing zeros (`0.0333333000`). If no common
/// rate matches, or the time is exactly that of an integer rate, it is 1 / `time`.
pub(super) fn frame_rate(time: f64, text: &str) -> f64 {
    let exact = 1.0 / time;
    let whole = (exact + 0.5).floor();
    if whole >= 1.0 && (exact - whole).abs() <= 1e-12 * whole {
        return whole;
    }
    common(time, text, 1)
        .or_else(|| common(time, without_zeros(text), MIN_DIGITS))
        .unwrap_or(exact)
}

/// Returns the common rate whose frame time, rounded or truncated, is `time`, if it has at least `min_digits` digits.
fn common(time: f64, text: &str, min_digits: usize) -> Option<f64> {
    let (last_digit, digits) = precision(text).filter(|&(_, digits)| digits >= min_digits)?;
    // Slightly more than half, for ties and for the rounding error of this sum.
    let rounded = 0.5 * last_digit * (1.0 + 1e-6) + 1e-15 * time;
    let cut = last_digit * (1.0 + 1e-6);
    let nearest = |within: f64| nearest_whole(time, within).or(nearest_television(time, within));
    nearest(rounded).or_else(|| (digits >= MIN_DIGITS).then(|| nearest(cut)).flatten())
}

/// Returns a decimal without trailing zeros.
fn without_zeros(text: &str) -> &str {
    let has_fraction = text.contains('.') && !text.contains(['e', 'E']);
    if has_fraction {
        text.trim_end_matches('0')
    } else {
        text
    }
}

fn nearest_whole(time: f64, within: f64) -> Option<f64> {
    let rates = WHOLE.iter().chain(&HIGH).map(|&rate| f64::from(rate));
    nearest(rates.map(|rate| (rate, 1.0 / rate)), time, within)
}

fn nearest_television(time: f64, within: f64) -> Option<f64> {
    let rates = TELEVISION.iter().flat_map(|&(thousands, nominal)| {
        let rate = thousands / 1001.0;
        [(rate, 1001.0 / thousands), (rate, 1.0 / nominal)]
    });
    nearest(rates, time, within)
}

fn nearest(rates: impl Iterator<Item = (f64, f64)>, time: f64, within: f64) -> Option<f64> {
    let distance = |other: f64| (other - time).abs();
    rates
        .filter(|&(_, other)| distance(other) <= within)
        .min_by(|a, b| distance(a.1).total_cmp(&distance(b.1)))
        .map(|(rate, _)| rate)
}

/// Returns the value of the last digit of a number, and its number of significant digits.
fn precision(text: &str) -> Option<(f64, usize)> {
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok()?),
        None => (text, 0),
    };
    let fraction = mantissa
        .split_once('.')
        .map_or("", |(_, fraction)| fraction);
    let power = exponent.checked_sub(i32::try_from(fraction.len()).ok()?)?;
    let digits = mantissa.bytes().filter(u8::is_ascii_digit);
    let digits = digits.skip_while(|&digit| digit == b'0').count();
    Some((libm::pow(10.0, f64::from(power)), digits))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rate(text: &str) -> f64 {
        frame_rate(text.parse().unwrap(), text)
    }

    #[test]
    fn rounded_times_mean_common_rates() {
        for (text, expected) in [
            ("0.0083333", 120.0),
            (".0083333", 120.0),
            ("0.008333", 120.0),
            ("0.00833333", 120.0),
            ("0.008333333333333333", 120.0),
            ("8.3333e-03", 120.0),
            ("0.033333", 30.0),
            ("0.033333333", 30.0),
            ("0.0333333000", 30.0),
            (".03333", 30.0),
            ("0.033", 30.0),
            (".0416667", 24.0),
            ("0.041667", 24.0),
            ("0.041666", 24.0),
            ("0.013889", 72.0),
            ("0.0167", 60.0),
            ("0.016667", 60.0),
            ("0.016666", 60.0),
            ("0.0111111", 90.0),
            ("0.0417083750417", 24_000.0 / 1001.0),
            ("0.041708333333333334", 24_000.0 / 1001.0),
            ("0.0333667", 30_000.0 / 1001.0),
            ("0.03336", 30_000.0 / 1001.0),
            ("0.016683", 60_000.0 / 1001.0),
        ] {
            assert_eq!(rate(text), expected, "{text}");
        }
    }

    #[test]
    fn exact_times_are_taken_at_their_word() {
        for (text, expected) in [
            ("0.04", 25.0),
            ("1.00", 1.0),
            ("1", 1.0),
            ("0.01", 100.0),
            ("0.008", 125.0),
            ("0.2", 5.0),
            ("2", 0.5),
            ("0.0123456", 1.0 / 0.0123456),
            ("0.034", 1.0 / 0.034),
            ("0.0300", 1.0 / 0.03),
        ] {
            assert_eq!(rate(text), expected, "{text}");
        }
    }
}
