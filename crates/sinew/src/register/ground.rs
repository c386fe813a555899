//! Angles about the vertical.

pub use crate::math::GroundMove;
use core::f64::consts::{PI, TAU};

/// An angle as one from minus half a turn to half a turn.
pub(super) fn wrapped(angle: f64) -> f64 {
    let turns = libm::rint(angle / TAU);
    (angle - turns * TAU).clamp(-PI, PI)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn angles_wrap_to_half_a_turn() {
        assert!((wrapped(7.0) - (7.0 - TAU)).abs() < 1e-12);
        assert!((wrapped(-4.0) - (TAU - 4.0)).abs() < 1e-12);
        assert_eq!(wrapped(1.0), 1.0);
    }
}
