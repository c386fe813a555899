//! Decimal number parsing: a digit loop if that is exact, else a full conversion.
//!
//! A decimal `m · 10^e` with an integer `m ≤ 2^53` and `|e| ≤ 22` is the quotient of two numbers that `f64` holds
//! exactly, so a single IEEE division gives the nearest `f64` (Clinger, How to read floating point numbers accurately,
//! 1990). Nearly all numbers in motion files are of this form. The rest goes through the standard library, which is
//! exact for all. One multiplication and addition per digit, one division per number.

/// The result of parsing a token.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum ParsedNumber {
    /// A finite number.
    Finite(f64),
    /// `inf`, `nan` or a variant of them, or a number beyond the range of `f64`.
    NonFinite,
    /// Not a number token.
    Not,
}

/// Powers of ten that are exact in `f64`.
pub(crate) const POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
];

/// Integers up to this are exact in `f64`.
const MAX_EXACT: u64 = 1 << 53;

/// Number of digits that always fit `u64`.
const MAX_DIGITS: usize = 19;

/// Parses the token that begins at `start` and ends before the first byte for which `ends` is true. Returns the
/// number and the end of the token. The result is the nearest `f64`, as with `str::parse`.
///
/// Up to 19 digits are accumulated in an integer. If the integer and the power of ten are exact in `f64`, one
/// multiplication or division rounds once and so gives the nearest value (Clinger 1990). Everything else, rare in
/// motion files, takes the slow path.
pub(crate) fn number(
    bytes: &[u8],
    start: usize,
    ends: impl Fn(u8) -> bool + Copy,
) -> (ParsedNumber, usize) {
    let mut offset = start;
    let negative = bytes.get(offset) == Some(&b'-');
    if negative || bytes.get(offset) == Some(&b'+') {
        offset += 1;
    }
    let digits_start = offset;
    let mut mantissa = 0u64;
    while let Some(digit) = digit(bytes, offset) {
        mantissa = mantissa.wrapping_mul(10).wrapping_add(digit);
        offset += 1;
    }
    let mut digits = offset - digits_start;
    let mut exponent = 0i64;
    if bytes.get(offset) == Some(&b'.') {
        offset += 1;
        let fraction_start = offset;
        while let Some(digit) = digit(bytes, offset) {
            mantissa = mantissa.wrapping_mul(10).wrapping_add(digit);
            offset += 1;
        }
        digits += offset - fraction_start;
        exponent = -((offset - fraction_start) as i64);
    }
    // More than 19 digits may have wrapped around, which `digits` excludes here.
    let plain_end = bytes.get(offset).is_none_or(|&byte| ends(byte));
    if plain_end && digits > 0 && digits <= MAX_DIGITS && mantissa <= MAX_EXACT && exponent >= -22 {
        let value = mantissa as f64 / POWERS[exponent.unsigned_abs() as usize];
        return (
            ParsedNumber::Finite(if negative { -value } else { value }),
            offset,
        );
    }
    long_way(bytes, start, ends)
}

#[inline(always)]
fn digit(bytes: &[u8], offset: usize) -> Option<u64> {
    let digit = bytes.get(offset)?.wrapping_sub(b'0');
    (digit < 10).then_some(u64::from(digit))
}

/// Slow path: exponents, more digits than `u64` holds, and everything that is not a number.
#[cold]
fn long_way(bytes: &[u8], start: usize, ends: impl Fn(u8) -> bool) -> (ParsedNumber, usize) {
    let rest = bytes.get(start..).unwrap_or_default();
    let length = rest.iter().position(|&byte| ends(byte));
    let token = &rest[..length.unwrap_or(rest.len())];
    (classify(token), start + token.len())
}

fn classify(token: &[u8]) -> ParsedNumber {
    let unsigned = token.strip_prefix(b"-").or(token.strip_prefix(b"+"));
    let unsigned = unsigned.unwrap_or(token);
    // Names of non-finite values, including those of the old Microsoft C runtime: 1.#QNAN, 1.#IND, 1.#INF.
    let spelled = [&b"inf"[..], b"infinity", b"nan", b"nan(ind)", b"nan(snan)"];
    if spelled
        .iter()
        .any(|name| unsigned.eq_ignore_ascii_case(name))
        || unsigned.windows(2).any(|pair| pair == b".#")
    {
        return ParsedNumber::NonFinite;
    }
    let numeric = |&byte: &u8| byte.is_ascii_digit() || b".+-eE".contains(&byte);
    if !token.iter().all(numeric) {
        return ParsedNumber::Not;
    }
    match std::str::from_utf8(token).map(str::parse::<f64>) {
        Ok(Ok(value)) if value.is_finite() => ParsedNumber::Finite(value),
        Ok(Ok(_)) => ParsedNumber::NonFinite,
        _ => ParsedNumber::Not,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(text: &str) -> (ParsedNumber, usize) {
        number(text.as_bytes(), 0, |byte| byte == b' ')
    }

    #[test]
    fn numbers_are_those_of_the_standard_library() {
        for text in [
            "0",
            "-0",
            "1",
            "+1",
            ".5",
            "-.5",
            "5.",
            "7.62852e-016",
            "1E3",
            "0.1",
            "123456.789",
            "9007199254740993",
            "179.99999999999999",
            "12345678901234567890.5",
            "0.00000000000000000000000000001",
            "1e308",
            "4.9e-324",
        ] {
            let (found, end) = read(text);
            assert_eq!(found, ParsedNumber::Finite(text.parse().unwrap()), "{text}");
            assert_eq!(end, text.len());
        }
    }

    #[test]
    fn what_is_not_finite_is_told_apart_from_what_is_no_number() {
        for text in [
            "inf",
            "-Inf",
            "+infinity",
            "NaN",
            "1.#QNAN",
            "-1.#IND",
            "1.#INF00",
            "1e999",
        ] {
            assert_eq!(read(text).0, ParsedNumber::NonFinite, "{text}");
        }
        for text in [
            "", "-", "+", ".", "-l80", "abc", "1,2", "1e", "--1", "1.2.3", "0x10", "é",
        ] {
            assert_eq!(read(text), (ParsedNumber::Not, text.len()), "{text}");
        }
    }

    #[test]
    fn a_number_ends_where_its_token_does() {
        assert_eq!(read("1.5 2"), (ParsedNumber::Finite(1.5), 3));
        assert_eq!(read("1.5x 2"), (ParsedNumber::Not, 4));
    }

    proptest! {
        #[test]
        fn any_number_reads_as_the_standard_library_reads_it(value: f64, decimals in 0usize..20) {
            let text = format!("{value:.decimals$}");
            let expected: f64 = text.parse().unwrap();
            let expected = if expected.is_finite() {
                ParsedNumber::Finite(expected)
            } else {
                ParsedNumber::NonFinite
            };
            prop_assert_eq!(read(&text).0, expected);
            let text = format!("{value:e}");
            if value.is_finite() {
                prop_assert_eq!(read(&text).0, ParsedNumber::Finite(value));
            }
        }

        #[test]
        fn motion_numbers_read_as_the_standard_library_reads_them(value in -400.0f64..400.0, decimals in 0usize..17) {
            let text = format!("{value:.decimals$}");
            prop_assert_eq!(read(&text).0, ParsedNumber::Finite(text.parse().unwrap()));
        }

        #[test]
        fn any_bytes_are_read_to_the_end_of_their_token(bytes: Vec<u8>) {
            let (_, end) = number(&bytes, 0, |byte| byte == b' ');
            let expected = bytes.iter().position(|&byte| byte == b' ').unwrap_or(bytes.len());
            prop_assert_eq!(end, expected);
        }
    }
}
