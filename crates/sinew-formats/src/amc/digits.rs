//! Fast number parsing for motion files, eight digits at a time.
//!
//! [`crate::text::number`] parses any number digit by digit; the number of digits is hard to predict for a branch
//! predictor. Here the digits before and after the point are each read as one eight-byte word (SWAR). Numbers that do
//! not fit take the slow path; the results are bit-identical.

use crate::text::{POWERS, ParsedNumber, number};

const WHOLE_POWERS: [u64; 8] = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000];

/// Parses the finite number at `offset`; returns it and its end, `None` if it is not one.
#[inline(always)]
pub(super) fn finite(
    bytes: &[u8],
    offset: usize,
    ends: impl Fn(u8) -> bool + Copy,
) -> Option<(f64, usize)> {
    match short(bytes, offset, ends) {
        Some(found) => Some(found),
        None => match number(bytes, offset, ends) {
            (ParsedNumber::Finite(value), end) => Some((value, end)),
            _ => None,
        },
    }
}

/// Parses up to seven digits, a point, up to seven digits, and an exponent that leaves the power of ten exact.
#[inline(always)]
fn short(bytes: &[u8], offset: usize, ends: impl Fn(u8) -> bool) -> Option<(f64, usize)> {
    let negative = *bytes.get(offset)? == b'-';
    let start = offset + usize::from(negative);
    let (whole, whole_digits) = word(bytes, start)?;
    let mut offset = start + whole_digits;
    let mut mantissa = whole;
    let mut power = 0;
    if bytes.get(offset) == Some(&b'.') {
        let (fraction, digits) = word(bytes, offset + 1)?;
        mantissa = whole * WHOLE_POWERS.get(digits)? + fraction;
        offset += 1 + digits;
        power = digits;
    }
    let last = *bytes.get(offset)?;
    if !ends(last) {
        if last | 0x20 != b'e' || bytes.get(offset + 1) != Some(&b'-') {
            return None;
        }
        let (exponent, digits) = word(bytes, offset + 2)?;
        offset += 2 + digits;
        if !ends(*bytes.get(offset)?) {
            return None;
        }
        power += exponent as usize;
    }
    // Both are exact in `f64`, so the quotient is rounded once.
    let value = mantissa as f64 / POWERS.get(power)?;
    Some((if negative { -value } else { value }, offset))
}

/// Parses one to seven digits; returns the number and the digit count.
#[inline(always)]
fn word(bytes: &[u8], offset: usize) -> Option<(u64, usize)> {
    let eight: [u8; 8] = bytes.get(offset..offset + 8)?.try_into().ok()?;
    let values = u64::from_le_bytes(eight) ^ 0x3030_3030_3030_3030;
    // The high bit of a byte is set if its value is above 9; a carry only affects bytes after such a byte.
    let others = (values.wrapping_add(0x7676_7676_7676_7676) | values) & 0x8080_8080_8080_8080;
    let digits = others.trailing_zeros() as usize / 8;
    if digits == 0 || digits == 8 {
        return None;
    }
    // Shift the digits to the end of the word, after zeros; then combine pairs, fours and eights.
    let aligned = values << (64 - 8 * digits);
    let pairs = aligned.wrapping_mul(10).wrapping_add(aligned >> 8);
    let high = (pairs & 0x0000_00ff_0000_00ff).wrapping_mul(0x000f_4240_0000_0064);
    let low = ((pairs >> 16) & 0x0000_00ff_0000_00ff).wrapping_mul(0x0000_2710_0000_0001);
    Some((high.wrapping_add(low) >> 32, digits))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn both(text: &str) -> (Option<(f64, usize)>, (ParsedNumber, usize)) {
        let padded = format!("{text} and more bytes");
        let ends = |byte| byte == b' ';
        (
            finite(padded.as_bytes(), 0, ends),
            number(padded.as_bytes(), 0, ends),
        )
    }

    fn same(text: &str) {
        match both(text) {
            (Some((value, end)), (ParsedNumber::Finite(expected), expected_end)) => {
                assert_eq!(value.to_bits(), expected.to_bits(), "{text}");
                assert_eq!(end, expected_end, "{text}");
            }
            (None, (ParsedNumber::NonFinite | ParsedNumber::Not, _)) => {}
            other => panic!("{text}: {other:?}"),
        }
    }

    #[test]
    fn numbers_are_those_of_the_other_way() {
        for text in [
            "0",
            "-0",
            "1",
            "12.5",
            "-179.999",
            "1234567.1234567",
            "12345678.1",
            "1.12345678",
            ".5",
            "5.",
            "-4.57205e-015",
            "7.62852e-016",
            "1.5e-017",
            "1.5e-030",
            "1e5",
            "1E-3",
            "1e-",
            "",
            "-",
            ".",
            "abc",
            "1.2.3",
            "1x",
            "nan",
            "1.#QNAN",
            "/5",
            ":5",
            "1:",
            "9999999",
            "0000000.0000001",
        ] {
            same(text);
        }
        assert_eq!(finite(b"7", 0, |byte| byte == b' '), Some((7.0, 1)));
        assert_eq!(finite(b"", 0, |byte| byte == b' '), None);
    }

    proptest! {
        #[test]
        fn motion_numbers_are_those_of_the_other_way(value in -9e6f64..9e6, decimals in 0usize..10) {
            same(&format!("{value:.decimals$}"));
            same(&format!("{:.decimals$}", value / 1e5));
            same(&format!("{:.decimals$e}", value / 1e20));
        }

        #[test]
        fn any_words_are_those_of_the_other_way(text in "[-+0-9.eE:/ax]{0,14}") {
            same(&text);
        }
    }
}
