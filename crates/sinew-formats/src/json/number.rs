//! Formatting of numbers and texts.

use super::value::NUMBER;
use std::fmt::{Display, LowerExp, Write};

/// A number in its shortest notation that round-trips.
pub(super) trait Number: Copy + Display + LowerExp {
    fn is_finite_number(self) -> bool;
    /// Returns whether plain digits are short enough.
    fn is_plain(self) -> bool;
}

/// Range of numbers written without an exponent; includes 0.0001, which 32 bits round down.
const PLAIN: std::ops::Range<f64> = 9e-5..1e16;

impl Number for f32 {
    fn is_finite_number(self) -> bool {
        self.is_finite()
    }

    fn is_plain(self) -> bool {
        self == 0.0 || PLAIN.contains(&f64::from(self.abs()))
    }
}

impl Number for f64 {
    fn is_finite_number(self) -> bool {
        self.is_finite()
    }

    fn is_plain(self) -> bool {
        self == 0.0 || PLAIN.contains(&self.abs())
    }
}

impl Number for i32 {
    fn is_finite_number(self) -> bool {
        true
    }

    fn is_plain(self) -> bool {
        true
    }
}

/// Writes a number; one that JSON cannot represent becomes an object with a text.
pub(super) fn number<N: Number>(out: &mut String, number: N) {
    // Writing to a string cannot fail.
    let _ = if !number.is_finite_number() {
        write!(out, "{{\"{NUMBER}\": \"{number}\"}}")
    } else if number.is_plain() {
        write!(out, "{number}")
    } else {
        write!(out, "{number:e}")
    };
}

/// Writes a list of numbers, separated by spaces.
pub(super) fn list<N: Number>(out: &mut String, numbers: &[N]) {
    separated(out, numbers, ", ");
}

/// Writes a list of numbers without spaces, for long lists.
pub(super) fn dense<N: Number>(out: &mut String, numbers: &[N]) {
    separated(out, numbers, ",");
}

fn separated<N: Number>(out: &mut String, numbers: &[N], separator: &str) {
    out.push('[');
    for (index, &one) in numbers.iter().enumerate() {
        if index > 0 {
            out.push_str(separator);
        }
        number(out, one);
    }
    out.push(']');
}

/// Writes a text in quotes.
pub(super) fn text(out: &mut String, text: &str) {
    out.push_str(&serde_json::Value::from(text).to_string());
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn written<N: Number>(value: N) -> String {
        let mut out = String::new();
        number(&mut out, value);
        out
    }

    #[test]
    fn numbers_are_short() {
        for (number, text) in [
            (0.0_f32, "0"),
            (-0.0, "-0"),
            (1.0, "1"),
            (0.1, "0.1"),
            (-12.5, "-12.5"),
            (1e-4, "0.0001"),
            (1e-5, "1e-5"),
            (f32::MAX, "3.4028235e38"),
            (f32::from_bits(1), "1e-45"),
            (f32::NAN, "{\"number\": \"NaN\"}"),
            (f32::NEG_INFINITY, "{\"number\": \"-inf\"}"),
        ] {
            assert_eq!(written(number), text);
        }
        assert_eq!(written(24000.0 / 1001.0), "23.976023976023978");
        assert_eq!(written(1e300), "1e300");
        assert_eq!(written(i32::MIN), "-2147483648");
    }

    proptest! {
        #[test]
        fn numbers_come_back_bit_for_bit(single: f32, double: f64) {
            // In both precisions: numbers of triggers are parsed with 64 bits.
            if single.is_finite() {
                let text = written(single);
                let back: f32 = serde_json::from_str(&text).expect("it is a number");
                let wide: f64 = serde_json::from_str(&text).expect("it is a number");
                prop_assert_eq!(back.to_bits(), single.to_bits());
                prop_assert_eq!((wide as f32).to_bits(), single.to_bits());
            }
            if double.is_finite() {
                let back: f64 = serde_json::from_str(&written(double)).expect("it is a number");
                prop_assert_eq!(back.to_bits(), double.to_bits());
            }
        }
    }
}
