//! Pass 2: rotations as modified Rodrigues parameters about their average, along their principal axes.
//!
//! For a unit quaternion `(v, w)` relative to the average rotation the parameters are `v / (1 + w) = axis tan(angle / 4)`
//! (Shuster, A Survey of Attitude Representations, 1993): three numbers instead of four, no singularity below a full
//! turn, and close to linear in the angle, so that a uniform quantization step is a nearly uniform error. The axes are
//! the eigenvectors of the parameters' covariance, so that a joint that bends about one axis needs one component.

use super::quaternion_average::{self, Matrix3};
use alloc::vec::Vec;
use glam::Quat;
use sinew::internal::packed::{COARSE, FINE, pack_quat, unpack_quat};
use sinew::internal::packed::{Chart, PackedChart};

/// Past this cosine of half the angle from the mean, coordinates go on from the other side. Before, they grow
/// beyond 180 degrees, so that a joint that goes to and fro there does not jump.
const TURN_OVER: f64 = -0.5;

/// A chart and the coordinates of all rows on it.
pub(super) struct MrpCoordinates {
    pub(super) chart: PackedChart,
    pub(super) coordinates: [Vec<f32>; 3],
}

/// Fits a chart to rotations, each in the hemisphere of the one before.
pub(super) fn chart(rotations: &[Quat], is_fine: bool) -> MrpCoordinates {
    let bits = if is_fine { FINE } else { COARSE };
    let mean = pack_quat(quaternion_average::quaternion_average(rotations), bits);
    // Axes are found on a chart without any.
    let round = Chart::new(unpack_quat(mean, bits), Quat::IDENTITY);
    let axes = pack_quat(principal_axes(&coordinates(&round, rotations)), bits);
    let chart = PackedChart {
        is_fine,
        mean,
        axes,
    };
    MrpCoordinates {
        coordinates: coordinates(&chart.unpack(), rotations),
        chart,
    }
}

impl MrpCoordinates {
    /// For each row but the last, how far apart the middle of its and the next one's coordinates and the middle
    /// of their rotations are, in radians.
    pub(super) fn bends(&self) -> impl Iterator<Item = f64> {
        let [x, y, z] = &self.coordinates;
        let at = |row: usize| [x[row], y[row], z[row]].map(f64::from);
        (1..x.len()).map(move |row| {
            let (a, b) = (at(row - 1), at(row));
            let middle = rotation([0, 1, 2].map(|axis: usize| 0.5 * (a[axis] + b[axis])));
            let (a, b) = (rotation(a), rotation(b));
            let dot: f64 = (0..4).map(|number| a[number] * b[number]).sum();
            let sign = if dot < 0.0 { -1.0 } else { 1.0 };
            let sum = [0, 1, 2, 3].map(|number: usize| a[number] + sign * b[number]);
            let length = libm::sqrt(sum.iter().map(|number| number * number).sum());
            let off = |sign: f64| -> f64 {
                let off = (0..4).map(|number| middle[number] - sign * sum[number] / length);
                off.map(|number| number * number).sum()
            };
            // Half the angle is about the distance of unit quaternions, whichever sign they have.
            2.0 * libm::sqrt(off(1.0).min(off(-1.0)))
        })
    }
}

/// The unit quaternion of coordinates, before it is mapped.
fn rotation([x, y, z]: [f64; 3]) -> [f64; 4] {
    let quarter = (x * x + y * y + z * z) * 0.25;
    [x, y, z, 1.0 - quarter].map(|number| number / (1.0 + quarter))
}

/// The coordinates of rotations on a chart.
fn coordinates(chart: &Chart, rotations: &[Quat]) -> [Vec<f32>; 3] {
    let map = chart.map.map(|row| row.map(f64::from));
    let mut out = [const { Vec::new() }; 3];
    for axis in &mut out {
        axis.reserve(rotations.len());
    }
    let mut side = 1.0;
    for rotation in rotations {
        let q = rotation.to_array().map(f64::from);
        // The map turns lengths to themselves, so it is undone by its transpose.
        let number = |at: usize| side * (0..4).map(|row| map[row][at] * q[row]).sum::<f64>();
        let mut x = [number(0), number(1), number(2), number(3)];
        if x[3] < TURN_OVER {
            side = -side;
            x = x.map(|number| -number);
        }
        let scale = 2.0 / (1.0 + x[3]);
        for (axis, number) in out.iter_mut().zip(x) {
            axis.push((number * scale) as f32);
        }
    }
    out
}

/// The axes along which coordinates vary most, then less, then least, as a rotation.
fn principal_axes(coordinates: &[Vec<f32>; 3]) -> [f64; 4] {
    let count = coordinates[0].len().max(1) as f64;
    let mean = [0, 1, 2].map(|axis: usize| {
        coordinates[axis]
            .iter()
            .map(|&number| f64::from(number))
            .sum::<f64>()
            / count
    });
    let mut covariance: Matrix3 = [[0.0; 3]; 3];
    let [x, y, z] = coordinates;
    for ((&x, &y), &z) in x.iter().zip(y).zip(z) {
        let off = [
            f64::from(x) - mean[0],
            f64::from(y) - mean[1],
            f64::from(z) - mean[2],
        ];
        for (row, a) in covariance.iter_mut().zip(off) {
            for (cell, b) in row.iter_mut().zip(off) {
                *cell += a * b;
            }
        }
    }
    quaternion_average::rotation_of_axes(quaternion_average::eigenvectors(covariance))
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew::math::{quat_angle, quat_mul, quat_normalize};

    fn about(axis: [f32; 3], angle: f32) -> Quat {
        let (sine, cosine) = (libm::sinf(angle / 2.0), libm::cosf(angle / 2.0));
        Quat::from_xyzw(axis[0] * sine, axis[1] * sine, axis[2] * sine, cosine)
    }

    fn rotation(charted: &MrpCoordinates, row: usize) -> Quat {
        let u = [0, 1, 2].map(|axis: usize| charted.coordinates[axis][row]);
        let quarter = (u[0] * u[0] + u[1] * u[1] + u[2] * u[2]) / 4.0;
        let x = [u[0], u[1], u[2], 1.0 - quarter];
        let map = charted.chart.unpack().map;
        let number = |row: usize| (0..4).map(|at| map[row][at] * x[at]).sum();
        quat_normalize(Quat::from_xyzw(number(0), number(1), number(2), number(3)))
    }

    #[test]
    fn coordinates_give_the_rotations_back_even_all_the_way_round() {
        let mean = quat_normalize(Quat::from_xyzw(0.1, 0.7, -0.2, 0.4));
        let turn = |row: i32| about([0.6, 0.0, 0.8], row as f32 * 0.05);
        let sway = |row: i32| about([0.0, 1.0, 0.0], libm::sinf(row as f32 * 0.3));
        let rotations: Vec<Quat> = (0..400)
            .map(|row| quat_mul(mean, quat_mul(turn(row), sway(row))))
            .collect();
        for is_fine in [false, true] {
            let charted = chart(&rotations, is_fine);
            for (row, &expected) in rotations.iter().enumerate() {
                assert!(
                    quat_angle(rotation(&charted, row), expected) < 4e-6,
                    "{row}"
                );
            }
        }
    }

    #[test]
    fn a_hinge_moves_along_one_coordinate() {
        let mean = quat_normalize(Quat::from_xyzw(-0.3, 0.2, 0.5, 0.6));
        let hinge = |row: i32| about([0.36, 0.48, 0.8], 1.0 + libm::sinf(row as f32 * 0.11));
        let rotations: Vec<Quat> = (0..300).map(|row| quat_mul(mean, hinge(row))).collect();
        let charted = chart(&rotations, true);
        let widest = |axis: usize| {
            charted.coordinates[axis]
                .iter()
                .fold(0.0f32, |widest, number| widest.max(number.abs()))
        };
        assert!(widest(0) > 0.4 && widest(1) < 5e-6 && widest(2) < 5e-6);
    }
}
