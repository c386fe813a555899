//! The fade-out of corrections.

use glam::DVec3;

/// Returns a correction `seconds` after it was released, if it fades within `fade` seconds: a quintic that starts with
/// the correction's value and velocity and zero acceleration, and ends with zero value, velocity and acceleration.
pub fn faded(value: DVec3, speed: DVec3, seconds: f64, fade: f64) -> DVec3 {
    if seconds >= fade || fade <= 0.0 {
        return DVec3::ZERO;
    }
    let t = seconds / fade;
    let (t2, t3) = (t * t, t * t * t);
    let of_value = 1.0 - 10.0 * t3 + 15.0 * t3 * t - 6.0 * t3 * t2;
    let of_speed = t - 6.0 * t3 + 8.0 * t3 * t - 3.0 * t3 * t2;
    value * of_value + speed * (fade * of_speed)
}

/// Returns the velocity of a fading correction, per second.
pub(crate) fn faded_speed(value: DVec3, speed: DVec3, seconds: f64, fade: f64) -> DVec3 {
    if seconds >= fade || fade <= 0.0 {
        return DVec3::ZERO;
    }
    let t = seconds / fade;
    let t2 = t * t;
    let of_value = -30.0 * t2 + 60.0 * t2 * t - 30.0 * t2 * t2;
    let of_speed = 1.0 - 18.0 * t2 + 32.0 * t2 * t - 15.0 * t2 * t2;
    value * (of_value / fade) + speed * of_speed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fade_leaves_with_value_and_speed_and_arrives_with_nothing() {
        let (value, speed) = (DVec3::new(1.0, 0.0, -2.0), DVec3::new(0.0, 3.0, 1.0));
        let step = 1e-6;
        let at = |time| faded(value, speed, time, 0.25);
        assert_eq!(at(0.0), value);
        assert!(((at(step) - at(0.0)) * (1.0 / step) - speed).length() < 1e-3);
        assert!((at(0.25 - step)).length() < 1e-12);
        for time in [0.03, 0.1, 0.2] {
            let measured = (at(time + step) - at(time - step)) * (0.5 / step);
            let said = faded_speed(value, speed, time, 0.25);
            assert!((measured - said).length() < 1e-6, "{time}");
        }
    }
}
