//! Points and rotations in double precision. Angles are in degrees here and everywhere in the motions.

use sinew::glam::{DQuat, DVec3};
use sinew::math::{
    dquat_normalize, dquat_rotate, dquat_to_mat3, rotation_x, rotation_y, rotation_z,
};

/// Mirrors a point between left and right. Points are x to the figure's left, y up, z ahead, in metres.
pub(super) fn mirrored(v: DVec3) -> DVec3 {
    DVec3::new(-v.x, v.y, v.z)
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

pub(super) fn about_x(degrees: f64) -> DQuat {
    rotation_x(degrees.to_radians())
}

pub(super) fn about_y(degrees: f64) -> DQuat {
    rotation_y(degrees.to_radians())
}

pub(super) fn about_z(degrees: f64) -> DQuat {
    rotation_z(degrees.to_radians())
}

/// The rotation about an axis of length 1.
pub(super) fn about(axis: DVec3, degrees: f64) -> DQuat {
    let (s, w) = libm::sincos(0.5 * degrees.to_radians());
    DQuat::from_vec4((axis * s).extend(w))
}

/// The product of matrices in this order: the last is applied first.
pub(super) fn product<const N: usize>(rotations: [DQuat; N]) -> DQuat {
    dquat_normalize(rotations.into_iter().product())
}

pub(super) fn rotate(rotation: DQuat, v: DVec3) -> DVec3 {
    dquat_rotate(rotation, v)
}

/// The angles `[x, y, z]` of `Rz Ry Rx`.
pub(super) fn angles_xyz(rotation: DQuat) -> [f64; 3] {
    let m = dquat_to_mat3(rotation);
    let level = libm::sqrt(m.x_axis.x * m.x_axis.x + m.x_axis.y * m.x_axis.y);
    [
        atan2(m.y_axis.z, m.z_axis.z),
        atan2(-m.x_axis.z, level),
        atan2(m.x_axis.y, m.x_axis.x),
    ]
}

/// `Rz Ry Rx`.
pub(super) fn from_angles_xyz([x, y, z]: [f64; 3]) -> DQuat {
    product([about_z(z), about_y(y), about_x(x)])
}

/// The angles `[x, y, z]` of `Ry Rx Rz`: a heading, then a tilt ahead, then a list.
pub(super) fn angles_zxy(rotation: DQuat) -> [f64; 3] {
    let m = dquat_to_mat3(rotation);
    let level = libm::sqrt(m.x_axis.y * m.x_axis.y + m.y_axis.y * m.y_axis.y);
    [
        atan2(-m.z_axis.y, level),
        atan2(m.z_axis.x, m.z_axis.z),
        atan2(m.x_axis.y, m.y_axis.y),
    ]
}

/// The angles `[x, y, z]` of `Rz Ry Rx` for the axes x, y and x × y.
pub(super) fn angles_of_axes(x: DVec3, y: DVec3) -> [f64; 3] {
    let z = x.cross(y);
    let level = libm::sqrt(x.x * x.x + x.y * x.y);
    [atan2(y.z, z.z), atan2(-x.z, level), atan2(x.y, x.x)]
}

/// The rotation whose axes are x, y and x × y.
pub(super) fn from_axes(x: DVec3, y: DVec3) -> DQuat {
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
    dquat_normalize(DQuat::from_xyzw(x, y, z, w))
}
