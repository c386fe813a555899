//! Pass 2: rotations as modified Rodrigues parameters (MRP) about their average, along their principal axes.
//!
//! For a unit quaternion `x = (v, w)` relative to the average rotation the coordinates are
//!
//! ```text
//! u = 2 v / (1 + w) = 2 tan(angle / 4) · axis,     x = (u, 1 - |u|²/4) / (1 + |u|²/4)
//! ```
//!
//! twice the modified Rodrigues parameters (Shuster, A Survey of Attitude Representations, 1993): three numbers instead
//! of four, no singularity below a full turn, one division and no trigonometry to decode. The map is a stereographic
//! projection, hence conformal: one quantization step serves all three coordinates, at every angle. The quaternion `x`
//! is expressed along the eigenvectors of the covariance of `u` (principal component analysis), so that a hinge needs
//! one component.
//!
//! The cost is a few passes over the rotations of a joint. `docs/decisions/2026-11-16-packed.md`, *Rotations*, compares
//! it with logarithms and with dropping `w`.

use super::quaternion_average::{self, Matrix3};
use alloc::vec::Vec;
use glam::Quat;
use sinew::internal::packed::{COARSE, FINE, pack_quat, unpack_quat};
use sinew::internal::packed::{MrpFrame, PackedMrpFrame};

/// Where `w` falls below this cosine of half the angle from the average (240 degrees), the other quaternion `-x` of the
/// rotation is taken. 180 degrees (`w < 0`) would make a joint that oscillates there jump with every sample.
const SWITCH_COSINE: f64 = -0.5;

/// An MRP frame, and the coordinates of all samples in it.
pub(super) struct MrpCoordinates {
    pub(super) frame: PackedMrpFrame,
    pub(super) coordinates: [Vec<f32>; 3],
}

/// Fits an MRP frame to rotations, each in the hemisphere of the one before.
pub(super) fn fit_mrp_frame(rotations: &[Quat], is_fine: bool) -> MrpCoordinates {
    let bits = if is_fine { FINE } else { COARSE };
    let mean = pack_quat(quaternion_average::quaternion_average(rotations), bits);
    // Both average and axes are packed before coordinates are computed, so that coordinates absorb their rounding.
    let unaligned = MrpFrame::new(unpack_quat(mean, bits), Quat::IDENTITY);
    let axes = pack_quat(principal_axes(&coordinates(&unaligned, rotations)), bits);
    let frame = PackedMrpFrame {
        is_fine,
        mean,
        axes,
    };
    MrpCoordinates {
        coordinates: coordinates(&frame.unpack(), rotations),
        frame,
    }
}

impl MrpCoordinates {
    /// For each sample but the last, the angle half-way to the next sample between interpolated coordinates and slerp,
    /// in radians.
    pub(super) fn midpoint_errors(&self) -> impl Iterator<Item = f64> {
        let [x, y, z] = &self.coordinates;
        let coordinates = |sample_index: usize| {
            [x[sample_index], y[sample_index], z[sample_index]].map(f64::from)
        };
        (1..x.len()).map(move |sample_index| {
            let (a, b) = (coordinates(sample_index - 1), coordinates(sample_index));
            let middle = mrp_to_quat([0, 1, 2].map(|axis: usize| 0.5 * (a[axis] + b[axis])));
            let (a, b) = (mrp_to_quat(a), mrp_to_quat(b));
            // Slerp at one half is the normalized sum.
            let dot: f64 = (0..4).map(|number| a[number] * b[number]).sum();
            let sign = if dot < 0.0 { -1.0 } else { 1.0 };
            let sum = [0, 1, 2, 3].map(|number: usize| a[number] + sign * b[number]);
            let length = libm::sqrt(sum.iter().map(|number| number * number).sum());
            let distance_squared = |sign: f64| -> f64 {
                let difference = (0..4).map(|number| middle[number] - sign * sum[number] / length);
                difference.map(|number| number * number).sum()
            };
            // For a small angle its half is the distance of the unit quaternions; q and -q are the same rotation.
            2.0 * libm::sqrt(distance_squared(1.0).min(distance_squared(-1.0)))
        })
    }
}

/// The unit quaternion of coordinates, relative to the frame.
fn mrp_to_quat([x, y, z]: [f64; 3]) -> [f64; 4] {
    let quarter = (x * x + y * y + z * z) * 0.25;
    [x, y, z, 1.0 - quarter].map(|number| number / (1.0 + quarter))
}

/// The coordinates of rotations in a frame.
fn coordinates(frame: &MrpFrame, rotations: &[Quat]) -> [Vec<f32>; 3] {
    let map = frame.map.map(|row| row.map(f64::from));
    let mut out = [const { Vec::new() }; 3];
    for axis in &mut out {
        axis.reserve(rotations.len());
    }
    // The sign of the quaternion that is in use; it persists from sample to sample.
    let mut sign = 1.0;
    for rotation in rotations {
        let q = rotation.to_array().map(f64::from);
        // The map is orthogonal, so its transpose is its inverse.
        let number =
            |column: usize| sign * (0..4).map(|row| map[row][column] * q[row]).sum::<f64>();
        let mut x = [number(0), number(1), number(2), number(3)];
        if x[3] < SWITCH_COSINE {
            sign = -sign;
            x = x.map(|number| -number);
        }
        let scale = 2.0 / (1.0 + x[3]);
        for (axis, number) in out.iter_mut().zip(x) {
            axis.push((number * scale) as f32);
        }
    }
    out
}

/// The principal axes of coordinates, by descending variance, as a rotation.
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
        let deviation = [
            f64::from(x) - mean[0],
            f64::from(y) - mean[1],
            f64::from(z) - mean[2],
        ];
        for (row, a) in covariance.iter_mut().zip(deviation) {
            for (cell, b) in row.iter_mut().zip(deviation) {
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

    fn rotation(mrp: &MrpCoordinates, sample_index: usize) -> Quat {
        let u = [0, 1, 2].map(|axis: usize| mrp.coordinates[axis][sample_index]);
        let quarter = (u[0] * u[0] + u[1] * u[1] + u[2] * u[2]) / 4.0;
        let x = [u[0], u[1], u[2], 1.0 - quarter];
        let map = mrp.frame.unpack().map;
        let number = |row: usize| (0..4).map(|column| map[row][column] * x[column]).sum();
        quat_normalize(Quat::from_xyzw(number(0), number(1), number(2), number(3)))
    }

    #[test]
    fn coordinates_give_the_rotations_back_even_all_the_way_round() {
        let mean = quat_normalize(Quat::from_xyzw(0.1, 0.7, -0.2, 0.4));
        let turn = |sample_index: i32| about([0.6, 0.0, 0.8], sample_index as f32 * 0.05);
        let sway =
            |sample_index: i32| about([0.0, 1.0, 0.0], libm::sinf(sample_index as f32 * 0.3));
        let rotations: Vec<Quat> = (0..400)
            .map(|sample_index| quat_mul(mean, quat_mul(turn(sample_index), sway(sample_index))))
            .collect();
        for is_fine in [false, true] {
            let mrp = fit_mrp_frame(&rotations, is_fine);
            for (sample_index, &expected) in rotations.iter().enumerate() {
                assert!(
                    quat_angle(rotation(&mrp, sample_index), expected) < 4e-6,
                    "{sample_index}"
                );
            }
        }
    }

    #[test]
    fn a_hinge_moves_along_one_coordinate() {
        let mean = quat_normalize(Quat::from_xyzw(-0.3, 0.2, 0.5, 0.6));
        let hinge = |sample_index: i32| {
            about(
                [0.36, 0.48, 0.8],
                1.0 + libm::sinf(sample_index as f32 * 0.11),
            )
        };
        let rotations: Vec<Quat> = (0..300)
            .map(|sample_index| quat_mul(mean, hinge(sample_index)))
            .collect();
        let mrp = fit_mrp_frame(&rotations, true);
        let widest = |axis: usize| {
            mrp.coordinates[axis]
                .iter()
                .fold(0.0f32, |widest, number| widest.max(number.abs()))
        };
        assert!(widest(0) > 0.4 && widest(1) < 5e-6 && widest(2) < 5e-6);
    }
}
