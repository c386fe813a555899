//! Points and rotations in double precision. Angles are in degrees here and everywhere in the motions.

use sinew::math::Rotation64;
use std::ops::{Add, Mul, Neg, Sub};

/// A point or a direction: x to the figure's left, y up, z ahead; metres.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct V3 {
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) z: f64,
}

/// The point with these coordinates.
pub(super) const fn v3(x: f64, y: f64, z: f64) -> V3 {
    V3 { x, y, z }
}

impl V3 {
    pub(super) fn array(self) -> [f64; 3] {
        [self.x, self.y, self.z]
    }

    pub(super) fn from_array([x, y, z]: [f64; 3]) -> Self {
        Self { x, y, z }
    }

    pub(super) fn dot(self, other: Self) -> f64 {
        self.x * other.x + self.y * other.y + self.z * other.z
    }

    pub(super) fn cross(self, other: Self) -> Self {
        v3(
            self.y * other.z - self.z * other.y,
            self.z * other.x - self.x * other.z,
            self.x * other.y - self.y * other.x,
        )
    }

    pub(super) fn length(self) -> f64 {
        libm::sqrt(self.dot(self))
    }

    pub(super) fn unit(self) -> Self {
        self * (1.0 / self.length())
    }

    /// Seen in a mirror between left and right.
    pub(super) fn mirrored(self) -> Self {
        v3(-self.x, self.y, self.z)
    }
}

impl Add for V3 {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        v3(self.x + other.x, self.y + other.y, self.z + other.z)
    }
}

impl Sub for V3 {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        v3(self.x - other.x, self.y - other.y, self.z - other.z)
    }
}

impl Mul<f64> for V3 {
    type Output = Self;
    fn mul(self, factor: f64) -> Self {
        v3(self.x * factor, self.y * factor, self.z * factor)
    }
}

impl Neg for V3 {
    type Output = Self;
    fn neg(self) -> Self {
        self * -1.0
    }
}

pub(super) fn sin(degrees: f64) -> f64 {
    libm::sin(degrees.to_radians())
}

pub(super) fn cos(degrees: f64) -> f64 {
    libm::cos(degrees.to_radians())
}

/// The angle of a point with these coordinates.
pub(super) fn atan2(y: f64, x: f64) -> f64 {
    libm::atan2(y, x).to_degrees()
}

/// The angle with this cosine; beyond ±1 that of ±1.
pub(super) fn acos(x: f64) -> f64 {
    libm::acos(x.clamp(-1.0, 1.0)).to_degrees()
}

pub(super) fn about_x(degrees: f64) -> Rotation64 {
    Rotation64::about_x(degrees.to_radians())
}

pub(super) fn about_y(degrees: f64) -> Rotation64 {
    Rotation64::about_y(degrees.to_radians())
}

pub(super) fn about_z(degrees: f64) -> Rotation64 {
    Rotation64::about_z(degrees.to_radians())
}

/// The rotation about an axis of length 1.
pub(super) fn about(axis: V3, degrees: f64) -> Rotation64 {
    let (s, w) = libm::sincos(0.5 * degrees.to_radians());
    Rotation64 {
        x: axis.x * s,
        y: axis.y * s,
        z: axis.z * s,
        w,
    }
}

/// The product of matrices in this order: the last is applied first.
pub(super) fn product<const N: usize>(rotations: [Rotation64; N]) -> Rotation64 {
    let all = rotations.into_iter();
    all.fold(Rotation64::IDENTITY, Rotation64::mul).normalized()
}

pub(super) fn rotate(rotation: Rotation64, v: V3) -> V3 {
    V3::from_array(rotation.rotate(v.array()))
}

/// The angles `[x, y, z]` of `Rz Ry Rx`.
pub(super) fn angles_xyz(rotation: Rotation64) -> [f64; 3] {
    let m = rotation.to_rows();
    let level = libm::sqrt(m[0][0] * m[0][0] + m[1][0] * m[1][0]);
    [
        atan2(m[2][1], m[2][2]),
        atan2(-m[2][0], level),
        atan2(m[1][0], m[0][0]),
    ]
}

/// `Rz Ry Rx`.
pub(super) fn from_angles_xyz([x, y, z]: [f64; 3]) -> Rotation64 {
    product([about_z(z), about_y(y), about_x(x)])
}

/// The angles `[x, y, z]` of `Ry Rx Rz`: a heading, then a tilt ahead, then a list.
pub(super) fn angles_zxy(rotation: Rotation64) -> [f64; 3] {
    let m = rotation.to_rows();
    let level = libm::sqrt(m[1][0] * m[1][0] + m[1][1] * m[1][1]);
    [
        atan2(-m[1][2], level),
        atan2(m[0][2], m[2][2]),
        atan2(m[1][0], m[1][1]),
    ]
}

/// The angles `[x, y, z]` of `Rz Ry Rx` for the axes x, y and x × y.
pub(super) fn angles_of_axes(x: V3, y: V3) -> [f64; 3] {
    let z = x.cross(y);
    let level = libm::sqrt(x.x * x.x + x.y * x.y);
    [atan2(y.z, z.z), atan2(-x.z, level), atan2(x.y, x.x)]
}

/// The rotation whose axes are x, y and x × y.
pub(super) fn from_axes(x: V3, y: V3) -> Rotation64 {
    let z = x.cross(y);
    // The largest of the four components is found first, so that none is divided by a small number.
    let (trace, by_x) = (x.x + y.y + z.z, x.x - y.y - z.z);
    let (by_y, by_z) = (y.y - x.x - z.z, z.z - x.x - y.y);
    let largest = trace.max(by_x).max(by_y).max(by_z);
    let (yz, zx, xy) = (y.z - z.y, z.x - x.z, x.y - y.x);
    let (yz_sum, zx_sum, xy_sum) = (y.z + z.y, z.x + x.z, x.y + y.x);
    let big = 1.0 + largest;
    let [x, y, z, w] = if largest == trace {
        [yz, zx, xy, big]
    } else if largest == by_x {
        [big, xy_sum, zx_sum, yz]
    } else if largest == by_y {
        [xy_sum, big, yz_sum, zx]
    } else {
        [zx_sum, yz_sum, big, xy]
    };
    Rotation64 { x, y, z, w }.normalized()
}
