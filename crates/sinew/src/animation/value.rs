//! The value types of channels.

use crate::math::{
    quat_angle, quat_dot, quat_inverse, quat_mul, quat_negate, quat_normalize, quat_slerp,
    quat_weighted,
};
use core::fmt::Debug;
use glam::{Quat, Vec3};

/// A value type of a [`super::Channel`]: `Vec3`, `Quat`, or `f32` for other numbers.
pub trait ChannelValue: Copy + Debug + PartialEq + sealed::Sealed {
    /// Interpolates between `a` and `b`: linearly for vectors, by slerp along the shorter arc for rotations.
    fn mix(a: Self, b: Self, ratio: f32) -> Self;

    /// Evaluates the cubic Hermite with end values `a` and `b` and tangents `out` and `into` per segment. Rotations
    /// are interpolated by component and normalized, as in glTF.
    fn cubic(a: Self, out: Self, b: Self, into: Self, ratio: f32) -> Self;

    /// Adds `weight` times the difference from `base` to `sample` to `value`. Rotations are multiplied in parent space.
    fn add(value: Self, sample: Self, base: Self, weight: f32) -> Self;

    /// Returns `a * s + b * t` by component.
    fn sum(a: Self, s: f32, b: Self, t: f32) -> Self;

    /// Returns whether every number is finite.
    fn is_finite_value(self) -> bool;

    /// Normalizes a rotation; returns `None` if it has zero length.
    fn as_key(self) -> Option<Self>;

    /// Returns the distance of two values: metres for positions, radians for rotations, else in the value's unit.
    fn distance(a: Self, b: Self) -> f32;

    /// Returns the equivalent value nearest to `other`: for a rotation, the nearer of `q` and `-q`.
    fn nearest_to(self, other: Self) -> Self;
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for glam::Vec3 {}
    impl Sealed for glam::Quat {}
    impl Sealed for f32 {}
}

/// Returns the cubic Hermite weights: start, start tangent, end, end tangent.
fn hermite(t: f32) -> [f32; 4] {
    let (t2, t3) = (t * t, t * t * t);
    let end = 3.0 * t2 - 2.0 * t3;
    [1.0 - end, t3 - 2.0 * t2 + t, end, t3 - t2]
}

/// Implements types that are added and scaled by component; `$size` is their magnitude.
macro_rules! straight {
    ($type:ty, $size:expr) => {
        impl ChannelValue for $type {
            fn mix(a: Self, b: Self, ratio: f32) -> Self {
                a * (1.0 - ratio) + b * ratio
            }

            fn cubic(a: Self, out: Self, b: Self, into: Self, ratio: f32) -> Self {
                let [start, leave, end, arrive] = hermite(ratio);
                a * start + out * leave + b * end + into * arrive
            }

            fn add(value: Self, sample: Self, base: Self, weight: f32) -> Self {
                value + (sample - base) * weight
            }

            fn sum(a: Self, s: f32, b: Self, t: f32) -> Self {
                a * s + b * t
            }

            fn is_finite_value(self) -> bool {
                self.is_finite()
            }

            fn as_key(self) -> Option<Self> {
                Some(self)
            }

            fn distance(a: Self, b: Self) -> f32 {
                $size(a - b)
            }

            fn nearest_to(self, _: Self) -> Self {
                self
            }
        }
    };
}

straight!(Vec3, Vec3::length);
straight!(f32, f32::abs);

/// The deviation from 1 of the squared length above which a rotation is normalized, so normalized rotations keep
/// their bits.
const UNIT_TOLERANCE: f32 = 1e-6;

impl ChannelValue for Quat {
    fn mix(a: Self, b: Self, ratio: f32) -> Self {
        quat_slerp(a, b, ratio)
    }

    fn cubic(a: Self, out: Self, b: Self, into: Self, ratio: f32) -> Self {
        let weights = hermite(ratio);
        let parts = [a, out, b, into].map(|q| q.to_array());
        let sum = |i: usize| {
            parts[0][i] * weights[0]
                + parts[1][i] * weights[1]
                + parts[2][i] * weights[2]
                + parts[3][i] * weights[3]
        };
        quat_normalize(Quat::from_xyzw(sum(0), sum(1), sum(2), sum(3)))
    }

    fn add(value: Self, sample: Self, base: Self, weight: f32) -> Self {
        let difference = quat_mul(sample, quat_inverse(base));
        quat_mul(quat_slerp(Quat::IDENTITY, difference, weight), value)
    }

    fn sum(a: Self, s: f32, b: Self, t: f32) -> Self {
        quat_weighted(a, s, b, t)
    }

    fn is_finite_value(self) -> bool {
        self.to_array().iter().all(|n| n.is_finite())
    }

    fn as_key(self) -> Option<Self> {
        let square = quat_dot(self, self);
        if (square - 1.0).abs() <= UNIT_TOLERANCE {
            Some(self)
        } else {
            (square.is_normal()).then(|| quat_normalize(self))
        }
    }

    fn distance(a: Self, b: Self) -> f32 {
        quat_angle(a, b)
    }

    fn nearest_to(self, other: Self) -> Self {
        if quat_dot(self, other) < 0.0 {
            quat_negate(self)
        } else {
            self
        }
    }
}
