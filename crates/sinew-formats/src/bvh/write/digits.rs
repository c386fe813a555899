//! Formatting of numbers with a fixed number of decimals.
//!
//! With `d` decimals, `round(x · 10^d)` is computed once as an integer, and its digits are written from the right, two
//! per division by 100. The integer is exact below 2^53; larger numbers go through the standard library, which
//! converts any `f64` exactly and is several times slower. A product rounds twice, so ties may round to the other
//! side: by less than half a unit of the last digit more, which a reader cannot tell from the source's own rounding.

use std::io::Write;

/// Limit of decimals: `f64` has no more digits, and the power of ten must be exact.
const MAX_DECIMALS: usize = 15;

/// Integers up to this are exact in `f64`.
const MAX_EXACT: f64 = 9_007_199_254_740_992.0;

/// All pairs of digits, so that one division by 100 gives two bytes.
const PAIRS: [[u8; 2]; 100] = {
    let mut pairs = [[0; 2]; 100];
    let mut n = 0;
    while n < 100 {
        pairs[n] = [b'0' + (n / 10) as u8, b'0' + (n % 10) as u8];
        n += 1;
    }
    pairs
};

/// Number formatter.
pub(super) struct Digits {
    decimals: usize,
    power: f64,
}

impl Digits {
    pub(super) fn new(decimals: usize) -> Self {
        let decimals = decimals.min(MAX_DECIMALS);
        Self {
            decimals,
            power: (0..decimals).fold(1.0, |power, _| power * 10.0),
        }
    }

    /// Returns the number in units of the last digit, if that is exact.
    fn rounded(&self, value: f64) -> Option<i64> {
        let scaled = value * self.power;
        let rounded = libm::rint(scaled);
        (rounded.abs() < MAX_EXACT).then_some(rounded as i64)
    }

    /// Returns whether two numbers have the same text.
    pub(super) fn same(&self, a: f64, b: f64) -> bool {
        match (self.rounded(a), self.rounded(b)) {
            (Some(a), Some(b)) => a == b,
            _ => a == b,
        }
    }

    /// Appends a finite number. Zero has no sign.
    pub(super) fn write(&self, out: &mut Vec<u8>, value: f64) {
        let Some(rounded) = self.rounded(value) else {
            // Writing to a vector cannot fail.
            let _ = write!(out, "{value:.*}", self.decimals);
            return;
        };
        // A sign, 16 digits, a point; a zero before the point and as many as there are decimals.
        let mut text = [b'0'; 40];
        let mut start = text.len();
        let mut rest = rounded.unsigned_abs();
        let mut digits = 0;
        while rest > 0 || digits <= self.decimals {
            if digits == self.decimals && digits > 0 {
                start -= 1;
                text[start] = b'.';
            }
            // Two digits per step unless the point or the end is between them.
            if rest >= 10 && digits + 1 != self.decimals {
                let pair = PAIRS[(rest % 100) as usize];
                rest /= 100;
                start -= 2;
                text[start] = pair[0];
                text[start + 1] = pair[1];
                digits += 2;
            } else {
                start -= 1;
                text[start] = b'0' + (rest % 10) as u8;
                rest /= 10;
                digits += 1;
            }
        }
        if rounded < 0 {
            start -= 1;
            text[start] = b'-';
        }
        out.extend_from_slice(&text[start..]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn text(decimals: usize, value: f64) -> String {
        let mut out = Vec::new();
        Digits::new(decimals).write(&mut out, value);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn numbers_have_their_digits_and_zero_has_no_sign() {
        for (decimals, value, expected) in [
            (6, 0.0, "0.000000"),
            (6, -0.0, "0.000000"),
            (6, -0.000_000_4, "0.000000"),
            (6, -0.000_000_6, "-0.000001"),
            (6, 1.0, "1.000000"),
            (6, -179.999_999_9, "-180.000000"),
            (6, 0.05, "0.050000"),
            (6, 12.345_678_9, "12.345679"),
            (5, 12.345_678_9, "12.34568"),
            (1, 0.05, "0.0"),
            (1, -9.96, "-10.0"),
            (0, 2.4, "2"),
            (0, 0.0, "0"),
            (0, 100.0, "100"),
            (15, 1.5, "1.500000000000000"),
            (99, 1.5, "1.500000000000000"),
            (6, 1e20, "100000000000000000000.000000"),
        ] {
            assert_eq!(text(decimals, value), expected, "{value} to {decimals}");
        }
    }

    proptest! {
        #[test]
        fn numbers_read_back_within_half_of_the_last_digit(value in -1e6f64..1e6, decimals in 0usize..9) {
            let text = text(decimals, value);
            let point = text.find('.').map_or(0, |point| text.len() - point - 1);
            prop_assert_eq!(point, decimals);
            let back: f64 = text.parse().unwrap();
            let half = 0.5 * 10f64.powi(-(decimals as i32));
            // Rounding error of a double of this size.
            let rounding = value.abs() * 4.0 * f64::EPSILON;
            prop_assert!((back - value).abs() <= half * 1.000_001 + 1e-10 + rounding);
            prop_assert!(!text.starts_with("-0") || back != 0.0);
        }
    }
}
