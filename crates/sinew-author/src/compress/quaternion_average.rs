//! The average of rotations, and the eigenvectors of symmetric 3 x 3 matrices.
//!
//! The average follows Markley, Cheng, Crassidis and Oshman, Averaging Quaternions (2007): the eigenvector of the largest
//! eigenvalue of the sum of `q qᵀ`, which does not depend on the signs of the quaternions. Eigenvectors come of Jacobi
//! rotations, which are exact enough at this size and always end.

use glam::Quat;

pub(super) type Matrix3 = [[f64; 3]; 3];

/// Sweeps of rotations that make a matrix diagonal; it is so to the last bit after half as many.
const SWEEPS: usize = 12;

/// The rotation that is nearest to all of some, whatever the signs of their quaternions.
pub(super) fn quaternion_average(rotations: &[Quat]) -> [f64; 4] {
    let mut moments = [[0.0; 4]; 4];
    for rotation in rotations {
        let q = rotation.to_array().map(f64::from);
        for (row, a) in moments.iter_mut().zip(q) {
            for (cell, b) in row.iter_mut().zip(q) {
                *cell += a * b;
            }
        }
    }
    let vectors = diagonalized(moments);
    let length = libm::sqrt(vectors[0].iter().map(|number| number * number).sum());
    if length > 0.5 {
        vectors[0].map(|number| number / length)
    } else {
        [0.0, 0.0, 0.0, 1.0]
    }
}

/// The eigenvectors of a symmetric matrix, those of the largest values first.
pub(super) fn eigenvectors(matrix: Matrix3) -> [[f64; 3]; 3] {
    diagonalized(matrix)
}

/// Jacobi's rotations.
fn diagonalized<const N: usize>(mut matrix: [[f64; N]; N]) -> [[f64; N]; N] {
    // Each row becomes an eigenvector.
    let mut vectors = [[0.0; N]; N];
    for (at, vector) in vectors.iter_mut().enumerate() {
        vector[at] = 1.0;
    }
    for _ in 0..SWEEPS {
        for p in 0..N {
            for q in p + 1..N {
                let off = matrix[p][q];
                if off.abs() <= f64::MIN_POSITIVE {
                    continue;
                }
                let slope = (matrix[q][q] - matrix[p][p]) / (2.0 * off);
                let sign = if slope < 0.0 { -1.0 } else { 1.0 };
                let tangent = sign / (slope.abs() + libm::sqrt(slope * slope + 1.0));
                let cosine = 1.0 / libm::sqrt(tangent * tangent + 1.0);
                let sine = tangent * cosine;
                for row in &mut matrix {
                    (row[p], row[q]) = (
                        cosine * row[p] - sine * row[q],
                        sine * row[p] + cosine * row[q],
                    );
                }
                for at in 0..N {
                    let (a, b) = (matrix[p][at], matrix[q][at]);
                    (matrix[p][at], matrix[q][at]) = (cosine * a - sine * b, sine * a + cosine * b);
                    let (a, b) = (vectors[p][at], vectors[q][at]);
                    (vectors[p][at], vectors[q][at]) =
                        (cosine * a - sine * b, sine * a + cosine * b);
                }
            }
        }
    }
    let mut order = core::array::from_fn(|at| at);
    order.sort_by(|&a: &usize, &b: &usize| matrix[b][b].total_cmp(&matrix[a][a]));
    order.map(|at| vectors[at])
}

/// The rotation that turns x, y and z to three axes at right angles, the third turned round if need be.
pub(super) fn rotation_of_axes([x, y, _]: [[f64; 3]; 3]) -> [f64; 4] {
    let z = [
        x[1] * y[2] - x[2] * y[1],
        x[2] * y[0] - x[0] * y[2],
        x[0] * y[1] - x[1] * y[0],
    ];
    let columns = [x, y, z];
    // From whichever of the four is largest, so that nothing small is divided by.
    let (a, b, c) = (columns[0][0], columns[1][1], columns[2][2]);
    let squares = [
        1.0 + a - b - c,
        1.0 - a + b - c,
        1.0 - a - b + c,
        1.0 + a + b + c,
    ];
    let largest = (0..4).fold(0, |best, at| {
        if squares[at] > squares[best] {
            at
        } else {
            best
        }
    });
    let (yz, zx, xy) = (
        [columns[1][2], columns[2][1]],
        [columns[2][0], columns[0][2]],
        [columns[0][1], columns[1][0]],
    );
    let sum = |pair: [f64; 2]| pair[0] + pair[1];
    let difference = |pair: [f64; 2]| pair[0] - pair[1];
    let q = match largest {
        0 => [squares[0], sum(xy), sum(zx), difference(yz)],
        1 => [sum(xy), squares[1], sum(yz), difference(zx)],
        2 => [sum(zx), sum(yz), squares[2], difference(xy)],
        _ => [difference(yz), difference(zx), difference(xy), squares[3]],
    };
    let length = libm::sqrt(q.iter().map(|number| number * number).sum());
    if length > 0.0 && length.is_finite() {
        q.map(|number| number / length)
    } else {
        [0.0, 0.0, 0.0, 1.0]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Vec3;
    use sinew::math::quat_rotate;

    #[test]
    fn axes_are_found_and_turned_to() {
        let matrix = [[2.0, 0.5, -0.3], [0.5, 5.0, 0.7], [-0.3, 0.7, 1.0]];
        let vectors = eigenvectors(matrix);
        let times = |v: [f64; 3]| matrix.map(|row| (0..3).map(|at| row[at] * v[at]).sum::<f64>());
        let mut last = f64::INFINITY;
        for vector in vectors {
            let image = times(vector);
            let value: f64 = (0..3).map(|at| image[at] * vector[at]).sum();
            assert!((0..3).all(|at| (image[at] - value * vector[at]).abs() < 1e-12));
            assert!(value < last);
            last = value;
        }
        let q = Quat::from_array(rotation_of_axes(vectors).map(|number| number as f32));
        for (axis, vector) in [Vec3::X, Vec3::Y].into_iter().zip(vectors) {
            let expected = Vec3::from_array(vector.map(|number| number as f32));
            assert!((quat_rotate(q, axis) - expected).length() < 1e-6);
        }
    }

    #[test]
    fn the_mean_does_not_care_for_signs() {
        let (a, b) = (
            Quat::from_xyzw(0.0, 0.0, 0.6, 0.8),
            Quat::from_xyzw(0.0, 0.0, 0.6, -0.8),
        );
        let mean = quaternion_average(&[a, b]);
        assert!(mean[3].abs() > 0.999_999, "{mean:?}");
        assert_eq!(
            quaternion_average(&[]).map(f64::abs).iter().sum::<f64>(),
            1.0
        );
    }
}
