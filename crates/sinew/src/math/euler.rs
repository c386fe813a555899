//! Euler angles of rotations, continuous from frame to frame.
//!
//! A rotation has two triples of angles up to whole turns: `(a, b, c)` and `(a + π, π - b, c + π)`. The principal one,
//! with `b` within a quarter turn, is read from the rotation matrix (formula at `EulerAngles::principal`). For a curve
//! without jumps, both are shifted by whole turns to be nearest to the preceding frame, and the one with the smaller sum of
//! squared differences is taken. If `b` is a quarter turn (gimbal lock), only a sum or difference of `a` and `c` is
//! determined, and `a` keeps its value. The cost is a matrix and three arctangents per frame.

use super::dquat_to_mat3;
use core::f64::consts::{PI, TAU};
use glam::DQuat;

/// The order in which rotations about three axes are multiplied, left to right: the last is applied first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum RotationOrder {
    /// About x, then the new y, then the new z.
    Xyz,
    /// About x, then the new z, then the new y.
    Xzy,
    /// About y, then the new x, then the new z.
    Yxz,
    /// About y, then the new z, then the new x.
    Yzx,
    /// About z, then the new x, then the new y.
    Zxy,
    /// About z, then the new y, then the new x.
    #[default]
    Zyx,
}

impl RotationOrder {
    /// Returns the axes in listed order, 0 for x, 1 for y, 2 for z.
    pub fn axes(self) -> [usize; 3] {
        match self {
            Self::Xyz => [0, 1, 2],
            Self::Xzy => [0, 2, 1],
            Self::Yxz => [1, 0, 2],
            Self::Yzx => [1, 2, 0],
            Self::Zxy => [2, 0, 1],
            Self::Zyx => [2, 1, 0],
        }
    }
}

/// The distance from 1 of the sine of the middle angle that counts as gimbal lock, in which the outer two angles
/// rotate about the same axis. Inside, one of them is fixed, with an error of up to the square root of twice this, a
/// ten-thousandth of a degree. Outside, an `f64` matrix determines both to nine digits.
const LOCK: f64 = 1e-12;

/// The Euler angles of one joint over time: of all solutions, the one nearest to the preceding angles.
#[derive(Clone, Debug)]
pub struct EulerAngles {
    axes: [usize; 3],
    last: Option<[f64; 3]>,
}

impl EulerAngles {
    /// Starts without preceding angles.
    pub fn new(order: RotationOrder) -> Self {
        Self {
            axes: order.axes(),
            last: None,
        }
    }

    /// Returns the angles of the next rotation, in axis order and radians.
    #[allow(clippy::should_implement_trait, reason = "it takes what comes next")]
    pub fn next(&mut self, rotation: DQuat) -> [f64; 3] {
        let angles = self.principal(rotation);
        let angles = match self.last {
            None => angles,
            Some(last) => {
                let other = [angles[0] + PI, PI - angles[1], angles[2] + PI];
                let [angles, other] = [angles, other].map(|angles| unwrapped(angles, last));
                if distance(other, last) < distance(angles, last) {
                    other
                } else {
                    angles
                }
            }
        };
        self.last = Some(angles);
        angles
    }

    /// Returns the solution with the middle angle between -90 and 90 degrees.
    ///
    /// For the axes i, j, k and the rotation matrix m, with s = 1 if i, j, k is a cyclic permutation of x, y, z and
    /// s = -1 otherwise: the sine of the middle angle is s m(i, k), and the others are the arguments of
    /// (m(k, k), -s m(j, k)) and (m(i, i), -s m(i, j)).
    fn principal(&self, rotation: DQuat) -> [f64; 3] {
        let matrix = dquat_to_mat3(rotation);
        // Element `m(row, column)`; glam stores columns.
        let m = |row: usize, column: usize| matrix.col(column)[row];
        let [i, j, k] = self.axes;
        let s = if (i + 1) % 3 == j { 1.0 } else { -1.0 };
        let sine = (s * m(i, k)).clamp(-1.0, 1.0);
        if sine.abs() <= 1.0 - LOCK {
            // The cosine from two elements is accurate where an arcsine would lose digits.
            let cosine = libm::sqrt(m(i, i) * m(i, i) + m(i, j) * m(i, j));
            return [
                libm::atan2(-s * m(j, k), m(k, k)),
                libm::atan2(sine, cosine),
                libm::atan2(-s * m(i, j), m(i, i)),
            ];
        }
        // Only the sum or difference of the outer angles is determined. The first keeps its value, so a joint that
        // rotates through gimbal lock does not jump.
        let middle = libm::asin(sine);
        let first = self.last.map_or(0.0, |last| last[0]);
        let combined = libm::atan2(s * m(j, i), m(j, j));
        [first, middle, combined - s * sine.signum() * first]
    }
}

/// Adds multiples of 2π to each angle, so that it is nearest to the other.
fn unwrapped(angles: [f64; 3], near: [f64; 3]) -> [f64; 3] {
    let mut result = angles;
    for (angle, near) in result.iter_mut().zip(near) {
        *angle -= TAU * libm::rint((*angle - near) / TAU);
    }
    result
}

fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    let squares = a.iter().zip(b).map(|(a, b)| (a - b) * (a - b));
    squares.sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{rotation_x, rotation_y, rotation_z};

    const ORDERS: [RotationOrder; 6] = [
        RotationOrder::Xyz,
        RotationOrder::Xzy,
        RotationOrder::Yxz,
        RotationOrder::Yzx,
        RotationOrder::Zxy,
        RotationOrder::Zyx,
    ];

    fn about(axis: usize, angle: f64) -> DQuat {
        match axis {
            0 => rotation_x(angle),
            1 => rotation_y(angle),
            _ => rotation_z(angle),
        }
    }

    fn product(order: RotationOrder, angles: [f64; 3]) -> DQuat {
        let [i, j, k] = order.axes();
        let outer = about(i, angles[0]) * about(j, angles[1]);
        outer * about(k, angles[2])
    }

    fn difference(a: DQuat, b: DQuat) -> f64 {
        let elements = (dquat_to_mat3(a) - dquat_to_mat3(b)).to_cols_array();
        elements.iter().map(|n| n.abs()).fold(0.0, f64::max)
    }

    #[test]
    fn angles_reproduce_their_rotation_in_every_order() {
        let steps = [
            -3.0,
            -1.7,
            -PI / 2.0,
            -0.4,
            0.0,
            1e-9,
            0.9,
            PI / 2.0,
            2.2,
            3.1,
        ];
        for order in ORDERS {
            let mut running = EulerAngles::new(order);
            for a in steps {
                for b in steps {
                    for c in steps {
                        let rotation = product(order, [a, b, c]);
                        for angles in [
                            EulerAngles::new(order).next(rotation),
                            running.next(rotation),
                        ] {
                            let error = difference(product(order, angles), rotation);
                            assert!(error < 3e-6, "{order:?} {a} {b} {c}: {angles:?} {error}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn a_rotation_through_gimbal_lock_does_not_jump() {
        for order in ORDERS {
            for sign in [1.0, -1.0] {
                let mut angles = EulerAngles::new(order);
                let mut last = None;
                for step in 0..=400 {
                    // Exactly a right angle at step 200.
                    let middle = sign * f64::from(step) * PI / 400.0;
                    let found = angles.next(product(order, [0.7, middle, -0.3]));
                    if let Some(last) = last {
                        let jump = distance(found, last).sqrt();
                        assert!(jump < 0.01, "{order:?} step {step}: {last:?} {found:?}");
                    }
                    last = Some(found);
                }
            }
        }
    }

    #[test]
    fn angles_accumulate_instead_of_wrapping() {
        let mut angles = EulerAngles::new(RotationOrder::Zyx);
        let mut last = [0.0; 3];
        for step in 0..100 {
            last = angles.next(rotation_z(f64::from(step) * 0.2));
        }
        assert!((last[0] - 19.8).abs() < 1e-9, "{last:?}");
    }
}
