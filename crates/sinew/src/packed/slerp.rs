//! Computes slerp weights without trigonometry, for eight joints at one ratio.
//!
//! Write `h` for half the angle between two unit quaternions `a` and `b` and `τ = 2 t - 1` for the ratio `t` measured
//! from the middle. The point of slerp lies on the chord from `a` to `b`, at `(1 + s) / 2` of it, with
//!
//! ```text
//! s = tan(τ h) / tan h,      slerp(a, b, t) = ((1 - s) a + (1 + s) b) / 2 · sqrt((1 + T) / (1 + s² T)),    T = tan² h
//! ```
//!
//! because `(a + b) / 2` and `(b - a) / 2` are orthogonal, of lengths `cos h` and `sin h`. `tan(τ h)` as a function
//! of `tan h` has the continued fraction (Euler; Lentz form of `tan(n atan x)`)
//!
//! ```text
//! s = τ / (1 + (1 - τ²) T / (3 + (4 - τ²) T / (5 + (9 - τ²) T / (7 + (16 - τ²) T / (9 + (25 - τ²) T / ...)))))
//! ```
//!
//! It is cut after five levels and is then a ratio of two polynomials in `T`, of degrees 2 and 3. Their coefficients
//! depend only on `τ` and are computed once for all joints. `T` is at most 1, because the nearer of `b` and `-b` is
//! used. The remainder of the fraction, `11 + ...`, is replaced by the constant [`TAIL`], fitted to large steps: the
//! error stays below 1e-10 for steps up to 60 degrees, and the maximum error, near half a turn, is ten times smaller
//! than with 11. [`deviation`] bounds the error.
//!
//! Cost per joint: five multiplications, five additions and a division for `s`, a division and a square root for the
//! length. The usual formula needs an arccosine and three sines.

/// The constant that replaces the remainder of the fraction.
const TAIL: f32 = 13.145;

/// The coefficients of both polynomials in `T`, lowest order first.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SlerpRatio {
    pub numerator: [f32; 3],
    /// Without the constant coefficient, which is 1.
    pub denominator: [f32; 3],
}

impl SlerpRatio {
    /// Computes the coefficients for a ratio from 0 to 1.
    #[inline(always)]
    pub(crate) fn new(ratio: f32) -> Self {
        let tau = (ratio - 0.5) + (ratio - 0.5);
        let square = tau * tau;
        // Evaluated from the innermost level: 9 + last T, 7 + (16 - τ²) T / that, and so on; (a, b, ...) are the
        // coefficients of numerators, each of which is the denominator of the next. All are divided by 945 = 3 · 5 ·
        // 7 · 9 at the end.
        let last = (25.0 - square) * (1.0 / TAIL);
        let fourth = 7.0 * last + (16.0 - square);
        let third = [5.0 * fourth + 9.0 * (9.0 - square), (9.0 - square) * last];
        let second = [
            (3.0 * third[0] + 63.0 * (4.0 - square)) * (1.0 / 945.0),
            (3.0 * third[1] + (4.0 - square) * fourth) * (1.0 / 945.0),
        ];
        let first = (1.0 - square) * (1.0 / 945.0);
        Self {
            numerator: [tau, tau * second[0], tau * second[1]],
            denominator: [
                second[0] + first * 315.0,
                second[1] + first * third[0],
                first * third[1],
            ],
        }
    }

    /// Evaluates `s` for `T`, the squared tangent of half the angle.
    #[inline(always)]
    pub(crate) fn at(&self, tangent_squared: f32) -> f32 {
        let [n0, n1, n2] = self.numerator;
        let [d1, d2, d3] = self.denominator;
        let t = tangent_squared;
        ((n2 * t + n1) * t + n0) / (((d3 * t + d2) * t + d1) * t + 1.0)
    }
}

/// Returns the maximum angle in radians between this rotation and exact slerp over all ratios, without rounding, for
/// two rotations `angle` apart, at most half a turn. Below 1.3e-6 up to half a turn, 2e-8 up to a quarter of a turn.
pub fn deviation(angle: f64) -> f64 {
    let tangent = libm::tan((0.25 * angle).clamp(0.0, core::f64::consts::FRAC_PI_4));
    let squared = tangent * tangent;
    4e-6 * squared * squared * squared
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The error of the fraction in `f64` is within [`deviation`] for every step and ratio.
    #[test]
    fn the_fraction_is_slerp_to_the_deviation_that_is_stated() {
        for step in 1..=720 {
            let angle = core::f64::consts::PI * f64::from(step) / 720.0;
            let half = 0.25 * angle;
            let tangent = libm::tan(half);
            let t = tangent * tangent;
            for index in 0..=400 {
                let tau = f64::from(index) / 200.0 - 1.0;
                let level = |k: f64| k * k - tau * tau;
                let mut rest = f64::from(TAIL);
                for k in [5.0, 4.0, 3.0, 2.0, 1.0] {
                    rest = 2.0 * k - 1.0 + level(k) * t / rest;
                }
                let found = 2.0 * libm::atan(tau / rest * tangent);
                let off = (found - 2.0 * tau * half).abs();
                assert!(off <= deviation(angle) + 1e-15, "{step} {index}: {off}");
                // The same in `f32`, as evaluated.
                let ratio = f64::from((0.5 * (tau + 1.0)) as f32);
                let s = f64::from(SlerpRatio::new(ratio as f32).at(t as f32));
                let exact = libm::tan((2.0 * ratio - 1.0) * half) / tangent;
                assert!((s - exact).abs() < 1.5e-6, "{step} {index}: {s} {exact}");
            }
        }
    }

    #[test]
    fn ends_are_exact() {
        for t in [0.0, 1e-9, 0.01, 0.3, 1.0] {
            assert_eq!(SlerpRatio::new(0.0).at(t), -1.0);
            assert_eq!(SlerpRatio::new(1.0).at(t), 1.0);
            assert_eq!(SlerpRatio::new(0.5).at(t), 0.0);
        }
    }
}
