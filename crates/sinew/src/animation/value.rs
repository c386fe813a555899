//! What a channel's keys can hold.

use crate::math::{
    quat_angle, quat_dot, quat_inverse, quat_mul, quat_negate, quat_normalize, quat_slerp,
    quat_weighted,
};
use core::fmt::Debug;
use glam::{Quat, Vec3};

/// A value that a [`super::Channel`] can hold: `Vec3`, `Quat`, or `f32` for numbers that are neither.
pub trait ChannelValue: Copy + Debug + PartialEq + sealed::Sealed {
    /// Between `a` and `b`: a straight line for vectors, an even turn the shorter way for rotations.
    fn mix(a: Self, b: Self, ratio: f32) -> Self;

    /// The cubic with the values `a` and `b` at its ends and the slopes `out` and `into` there, per whole
    /// way. Rotations are taken number by number and normalised, as glTF has it.
    fn cubic(a: Self, out: Self, b: Self, into: Self, ratio: f32) -> Self;

    /// `own` and `weight` of what lies between `base` and `sample`. Rotations are turned by it in their
    /// parent's frame.
    fn add(own: Self, sample: Self, base: Self, weight: f32) -> Self;

    /// `a * s + b * t`, number by number.
    fn sum(a: Self, s: f32, b: Self, t: f32) -> Self;

    /// Whether every number is finite.
    fn is_finite_value(self) -> bool;

    /// Fit to be a key: rotations are normalised. `None` for a rotation without length.
    fn as_key(self) -> Option<Self>;

    /// How far two values are apart: metres for positions, radians for rotations, in numbers' own unit.
    fn distance(a: Self, b: Self) -> f32;

    /// The same value nearest to `other`: of a rotation's two quaternions the nearer.
    fn nearest_to(self, other: Self) -> Self;
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for glam::Vec3 {}
    impl Sealed for glam::Quat {}
    impl Sealed for f32 {}
}

/// The weights of a Hermite cubic: start, slope at the start, end, slope at the end.
fn hermite(t: f32) -> [f32; 4] {
    let (t2, t3) = (t * t, t * t * t);
    let end = 3.0 * t2 - 2.0 * t3;
    [1.0 - end, t3 - 2.0 * t2 + t, end, t3 - t2]
}

/// What is added and scaled number by number; `$size` is how large one is.
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

            fn add(own: Self, sample: Self, base: Self, weight: f32) -> Self {
                own + (sample - base) * weight
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

/// How far from 1 the square of a rotation's length may be before it is normalised, so that what was
/// normalised once keeps its bits.
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

    fn add(own: Self, sample: Self, base: Self, weight: f32) -> Self {
        let turn = quat_mul(sample, quat_inverse(base));
        quat_mul(quat_slerp(Quat::IDENTITY, turn, weight), own)
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
