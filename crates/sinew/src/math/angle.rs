//! Plane rotations, as angles and as unit complex numbers.
//!
//! A rotation by `a` is the complex number `cos a + i sin a`: rotating a point and composing rotations are products, the
//! inverse is the conjugate (`docs/decisions/2026-11-15-rotors.md`). An angle is wrapped to half a turn by
//! `a - 2π round(a / 2π)`: one division, whatever the angle, where a loop would take as many steps as turns.

use core::f32::consts::{PI, TAU};
use glam::Vec2;

/// A rotation of the plane, stored as its cosine and sine.
///
/// Rotating a point and composing two rotations each cost four multiplications instead of a sine and a cosine; a
/// direction becomes a rotation without trigonometry.
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Zeroable, bytemuck::Pod)]
#[repr(C)]
pub struct Rotor {
    /// Cosine of the angle.
    pub cos: f32,
    /// Sine of the angle.
    pub sin: f32,
}

impl Rotor {
    /// The identity.
    pub const IDENTITY: Self = Self { cos: 1.0, sin: 0.0 };

    /// Creates the rotation by `angle` radians, counter-clockwise.
    pub fn from_angle(angle: f32) -> Self {
        if angle == 0.0 {
            return Self::IDENTITY;
        }
        let (sin, cos) = libm::sincosf(angle);
        Self { cos, sin }
    }

    /// Creates the rotation that takes +x to `direction`; the identity if `direction` is zero.
    pub fn from_direction(direction: Vec2) -> Self {
        let length = direction.length();
        if length == 0.0 {
            return Self::IDENTITY;
        }
        let inverse = 1.0 / length;
        Self {
            cos: direction.x * inverse,
            sin: direction.y * inverse,
        }
    }

    /// Returns the angle in radians, from -π to π.
    pub fn angle(self) -> f32 {
        libm::atan2f(self.sin, self.cos)
    }

    /// Returns the inverse rotation.
    pub fn inverse(self) -> Self {
        Self {
            cos: self.cos,
            sin: -self.sin,
        }
    }

    /// Returns this rotation followed by `next` (plane rotations commute).
    pub fn then(self, next: Self) -> Self {
        Self {
            cos: self.cos * next.cos - self.sin * next.sin,
            sin: self.sin * next.cos + self.cos * next.sin,
        }
    }

    /// Rotates `point` about the origin.
    pub fn rotate(self, point: Vec2) -> Vec2 {
        Vec2::new(
            point.x * self.cos - point.y * self.sin,
            point.x * self.sin + point.y * self.cos,
        )
    }
}

/// Returns the shortest signed angle from `from` to `to` in radians, from -π to π.
///
/// Closed form without loops; 0 if an argument is not finite.
pub fn shortest_angle(from: f32, to: f32) -> f32 {
    let delta = to - from;
    if !delta.is_finite() {
        return 0.0;
    }
    // Most differences are within half a turn already and keep their bits.
    if delta.abs() <= PI {
        return delta;
    }
    let revolutions = libm::rintf(delta / TAU);
    (delta - revolutions * TAU).clamp(-PI, PI)
}

/// Normalizes `vector`; zero stays zero.
pub fn normalize_or_zero(vector: Vec2) -> Vec2 {
    let length = vector.length();
    if length == 0.0 {
        Vec2::ZERO
    } else {
        vector * (1.0 / length)
    }
}

/// Wraps an angle to -π to π.
pub fn wrapped(angle: f64) -> f64 {
    let revolutions = libm::rint(angle / core::f64::consts::TAU);
    (angle - revolutions * core::f64::consts::TAU)
        .clamp(-core::f64::consts::PI, core::f64::consts::PI)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shortest_angle_wraps_and_always_ends() {
        assert_eq!(shortest_angle(0.0, 1.0), 1.0);
        assert!((shortest_angle(3.0, -3.0) - (TAU - 6.0)).abs() < 1e-6);
        assert!((shortest_angle(0.0, TAU * 5.0 + 0.5) - 0.5).abs() < 1e-5);
        for huge in [1e9, -1e30, f32::INFINITY, f32::NEG_INFINITY, f32::NAN] {
            assert!(shortest_angle(0.0, huge).abs() <= PI);
            assert!(shortest_angle(huge, 0.0).abs() <= PI);
        }
    }

    #[test]
    fn rotors_agree_with_angles() {
        for i in -20..20 {
            let a = i as f32 * 0.31;
            let p = Vec2::new(3.0, -2.0);
            let (s, c) = libm::sincosf(a);
            let expected = Vec2::new(p.x * c - p.y * s, p.x * s + p.y * c);
            assert!((Rotor::from_angle(a).rotate(p) - expected).length() < 1e-5);
            assert!(shortest_angle(Rotor::from_angle(a).angle(), a).abs() < 1e-5);
            let twice = Rotor::from_angle(a).then(Rotor::from_angle(a));
            assert!(shortest_angle(twice.angle(), 2.0 * a).abs() < 1e-5);
        }
    }

    #[test]
    fn a_zero_direction_is_the_identity() {
        assert_eq!(Rotor::from_direction(Vec2::ZERO), Rotor::IDENTITY);
        assert_eq!(normalize_or_zero(Vec2::ZERO), Vec2::ZERO);
    }

    #[test]
    fn angles_wrap_to_half_a_turn() {
        assert!((wrapped(7.0) - (7.0 - core::f64::consts::TAU)).abs() < 1e-12);
        assert!((wrapped(-4.0) - (core::f64::consts::TAU - 4.0)).abs() < 1e-12);
        assert_eq!(wrapped(1.0), 1.0);
    }
}
