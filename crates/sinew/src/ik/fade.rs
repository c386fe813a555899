//! The fade-out of corrections, by a quintic Hermite polynomial. Polynomials of lower degree would leave a jump of the
//! acceleration at one of the ends. About twenty operations per correction.

use glam::DVec3;

/// Returns a correction `seconds` after it was released, if it fades within `fade` seconds: a quintic that starts with
/// the correction's value and velocity and zero acceleration, and ends with zero value, velocity and acceleration.
///
/// The quintic Hermite basis at `t = seconds / fade`: `1 - 10 t³ + 15 t⁴ - 6 t⁵` for the value, and
/// `t - 6 t³ + 8 t⁴ - 3 t⁵` for the velocity, whose unit is the correction per `fade`.
pub fn faded(value: DVec3, velocity: DVec3, seconds: f64, fade: f64) -> DVec3 {
    if seconds >= fade || fade <= 0.0 {
        return DVec3::ZERO;
    }
    let t = seconds / fade;
    let (t2, t3) = (t * t, t * t * t);
    let value_weight = 1.0 - 10.0 * t3 + 15.0 * t3 * t - 6.0 * t3 * t2;
    let velocity_weight = t - 6.0 * t3 + 8.0 * t3 * t - 3.0 * t3 * t2;
    value * value_weight + velocity * (fade * velocity_weight)
}

/// Returns the velocity of a fading correction, per second.
pub(crate) fn faded_velocity(value: DVec3, velocity: DVec3, seconds: f64, fade: f64) -> DVec3 {
    if seconds >= fade || fade <= 0.0 {
        return DVec3::ZERO;
    }
    let t = seconds / fade;
    let t2 = t * t;
    let value_weight = -30.0 * t2 + 60.0 * t2 * t - 30.0 * t2 * t2;
    let velocity_weight = 1.0 - 18.0 * t2 + 32.0 * t2 * t - 15.0 * t2 * t2;
    value * (value_weight / fade) + velocity * velocity_weight
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fade_starts_with_value_and_velocity_and_ends_at_rest() {
        let (value, velocity) = (DVec3::new(1.0, 0.0, -2.0), DVec3::new(0.0, 3.0, 1.0));
        let step = 1e-6;
        let correction = |time| faded(value, velocity, time, 0.25);
        assert_eq!(correction(0.0), value);
        assert!(((correction(step) - correction(0.0)) * (1.0 / step) - velocity).length() < 1e-3);
        assert!((correction(0.25 - step)).length() < 1e-12);
        for time in [0.03, 0.1, 0.2] {
            let measured = (correction(time + step) - correction(time - step)) * (0.5 / step);
            let derivative = faded_velocity(value, velocity, time, 0.25);
            assert!((measured - derivative).length() < 1e-6, "{time}");
        }
    }
}
