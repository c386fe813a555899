//! Vectors and rotations in double precision.
#![allow(missing_docs, reason = "shared with sinew-author only")]

use crate::math::Rotation64;
use core::ops::{Add, AddAssign, Mul, Neg, Sub};
use glam::Vec3;

/// A point or a direction.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct V3 {
    pub x: f64,
    pub y: f64,
    pub z: f64,
}

impl V3 {
    pub const ZERO: Self = Self::new(0.0, 0.0, 0.0);
    pub const UP: Self = Self::new(0.0, 1.0, 0.0);

    pub const fn new(x: f64, y: f64, z: f64) -> Self {
        Self { x, y, z }
    }

    pub fn from_vec3(v: Vec3) -> Self {
        Self::new(v.x.into(), v.y.into(), v.z.into())
    }

    pub fn to_vec3(self) -> Vec3 {
        Vec3::new(self.x as f32, self.y as f32, self.z as f32)
    }

    pub fn dot(self, other: Self) -> f64 {
        self.x * other.x + self.y * other.y + self.z * other.z
    }

    pub fn cross(self, other: Self) -> Self {
        Self::new(
            self.y * other.z - self.z * other.y,
            self.z * other.x - self.x * other.z,
            self.x * other.y - self.y * other.x,
        )
    }

    pub fn length(self) -> f64 {
        libm::sqrt(self.dot(self))
    }

    /// Normalizes; `None` if it is too short or not finite.
    pub fn unit(self) -> Option<Self> {
        let length = self.length();
        (length > 1e-12 && length.is_finite()).then(|| self * (1.0 / length))
    }

    /// Returns the component perpendicular to a unit direction.
    pub fn beside(self, direction: Self) -> Self {
        self - direction * self.dot(direction)
    }

    /// Multiplies by component.
    pub fn scaled(self, by: Self) -> Self {
        Self::new(self.x * by.x, self.y * by.y, self.z * by.z)
    }

    pub fn is_finite(self) -> bool {
        self.x.is_finite() && self.y.is_finite() && self.z.is_finite()
    }

    /// Returns the horizontal part.
    pub fn level(self) -> Self {
        Self::new(self.x, 0.0, self.z)
    }

    pub fn turned(self, by: Rotation64) -> Self {
        let [x, y, z] = by.rotate([self.x, self.y, self.z]);
        Self::new(x, y, z)
    }
}

impl Add for V3 {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self::new(self.x + other.x, self.y + other.y, self.z + other.z)
    }
}

impl AddAssign for V3 {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sub for V3 {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self::new(self.x - other.x, self.y - other.y, self.z - other.z)
    }
}

impl Mul<f64> for V3 {
    type Output = Self;
    fn mul(self, by: f64) -> Self {
        Self::new(self.x * by, self.y * by, self.z * by)
    }
}

impl Neg for V3 {
    type Output = Self;
    fn neg(self) -> Self {
        self * -1.0
    }
}

/// Returns the shortest rotation from one unit direction to another. Half a turn is about any perpendicular axis.
pub fn shortest_turn(from: V3, to: V3) -> Rotation64 {
    let cosine = from.dot(to);
    let axis = from.cross(to);
    if cosine > -1.0 + 1e-12 {
        return Rotation64 {
            x: axis.x,
            y: axis.y,
            z: axis.z,
            w: 1.0 + cosine,
        }
        .normalized();
    }
    let other = if from.x.abs() < 0.6 {
        V3::new(1.0, 0.0, 0.0)
    } else {
        V3::UP
    };
    let axis = from.cross(other).unit().unwrap_or(V3::UP);
    Rotation64 {
        x: axis.x,
        y: axis.y,
        z: axis.z,
        w: 0.0,
    }
}

/// Returns the quaternion exponential: the rotation about the axis `v` by its length in radians.
pub fn quat_exp64(v: V3) -> Rotation64 {
    let angle = v.length();
    // The limit of sin(a/2)/a at small angles.
    let (sine, cosine) = libm::sincos(0.5 * angle);
    let share = if angle > 1e-8 { sine / angle } else { 0.5 };
    Rotation64 {
        x: v.x * share,
        y: v.y * share,
        z: v.z * share,
        w: cosine,
    }
}

/// Returns the quaternion logarithm: the rotation axis times the angle in radians, along the shorter arc.
pub fn quat_log64(turn: Rotation64) -> V3 {
    let turn = if turn.w < 0.0 { turn.negated() } else { turn };
    let axis = V3::new(turn.x, turn.y, turn.z);
    let sine = axis.length();
    if sine < 1e-12 {
        return axis * 2.0;
    }
    axis * (2.0 * libm::atan2(sine, turn.w) / sine)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_and_their_vectors_are_the_same() {
        for v in [
            V3::ZERO,
            V3::new(1e-9, 0.0, 0.0),
            V3::new(0.3, -1.0, 0.7),
            V3::new(0.0, 3.1, 0.0),
        ] {
            let back = quat_log64(quat_exp64(v));
            assert!((back - v).length() < 1e-12, "{v:?} {back:?}");
        }
    }

    #[test]
    fn the_shortest_turn_leads_there_even_when_it_is_half_a_turn() {
        let one = V3::new(0.6, 0.8, 0.0);
        for to in [one, -one, V3::UP, V3::new(0.0, 0.6, -0.8)] {
            let there = one.turned(shortest_turn(one, to));
            assert!((there - to).length() < 1e-9, "{to:?} {there:?}");
        }
    }
}
