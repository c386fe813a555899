//! The average of rotations (quaternion average), and the eigenvectors of symmetric 3 × 3 matrices.
//!
//! ```text
//! average = argmax over unit q of qᵀ M q,    M = Σ qᵢ qᵢᵀ
//! ```
//!
//! the eigenvector of the largest eigenvalue of `M` (Markley, Cheng, Crassidis and Oshman, Averaging Quaternions,
//! 2007). `M` does not depend on the signs of the quaternions, so no hemisphere has to be chosen. Eigenvectors are
//! found by cyclic Jacobi rotations: for 3 × 3 and 4 × 4 they are accurate to the last bits, need no special case for
//! equal eigenvalues, and take a fixed number of sweeps, so that the result is the same on every machine. The cost is
//! one pass over the rotations.

use glam::Quat;

pub(super) type Matrix3 = [[f64; 3]; 3];

/// Jacobi sweeps. Convergence is quadratic: matrices of this size are diagonal to the last bit after half as many.
const SWEEPS: usize = 12;

/// The average of rotations, whatever the signs of their quaternions; the identity if there are none.
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
    let vectors = jacobi_eigenvectors(moments);
    let length = libm::sqrt(vectors[0].iter().map(|number| number * number).sum());
    if length > 0.5 {
        vectors[0].map(|number| number / length)
    } else {
        [0.0, 0.0, 0.0, 1.0]
    }
}

/// The eigenvectors of a symmetric matrix, by descending eigenvalue.
pub(super) fn eigenvectors(matrix: Matrix3) -> [[f64; 3]; 3] {
    jacobi_eigenvectors(matrix)
}

/// The eigenvectors of a symmetric matrix by cyclic Jacobi rotations, by descending eigenvalue.
///
/// Each rotation by an angle `φ` in the plane of `p` and `q` makes `matrix[p][q]` zero. With
/// `θ = (m_qq - m_pp) / (2 m_pq)`, `t = tan φ = sign(θ) / (|θ| + √(θ² + 1))` is the smaller of the two solutions, which
/// keeps the rotation below 45 degrees and the iteration stable.
fn jacobi_eigenvectors<const N: usize>(mut matrix: [[f64; N]; N]) -> [[f64; N]; N] {
    // The product of all rotations: its rows become the eigenvectors.
    let mut vectors = [[0.0; N]; N];
    for (i, vector) in vectors.iter_mut().enumerate() {
        vector[i] = 1.0;
    }
    for _ in 0..SWEEPS {
        for p in 0..N {
            for q in p + 1..N {
                let off_diagonal = matrix[p][q];
                if off_diagonal.abs() <= f64::MIN_POSITIVE {
                    continue;
                }
                let theta = (matrix[q][q] - matrix[p][p]) / (2.0 * off_diagonal);
                let sign = if theta < 0.0 { -1.0 } else { 1.0 };
                let tangent = sign / (theta.abs() + libm::sqrt(theta * theta + 1.0));
                let cosine = 1.0 / libm::sqrt(tangent * tangent + 1.0);
                let sine = tangent * cosine;
                for row in &mut matrix {
                    (row[p], row[q]) = (
                        cosine * row[p] - sine * row[q],
                        sine * row[p] + cosine * row[q],
                    );
                }
                for i in 0..N {
                    let (a, b) = (matrix[p][i], matrix[q][i]);
                    (matrix[p][i], matrix[q][i]) = (cosine * a - sine * b, sine * a + cosine * b);
                    let (a, b) = (vectors[p][i], vectors[q][i]);
                    (vectors[p][i], vectors[q][i]) = (cosine * a - sine * b, sine * a + cosine * b);
                }
            }
        }
    }
    let mut order = core::array::from_fn(|i| i);
    order.sort_by(|&a: &usize, &b: &usize| matrix[b][b].total_cmp(&matrix[a][a]));
    order.map(|i| vectors[i])
}

/// The rotation that takes x, y and z to three orthonormal axes. The third is replaced by the cross product of the
/// others, because eigenvectors may form a left-handed frame.
pub(super) fn rotation_of_axes([x, y, _]: [[f64; 3]; 3]) -> [f64; 4] {
    let z = [
        x[1] * y[2] - x[2] * y[1],
        x[2] * y[0] - x[0] * y[2],
        x[0] * y[1] - x[1] * y[0],
    ];
    let columns = [x, y, z];
    // Shepperd's method (1978): the squares are 4x², 4y², 4z² and 4w². Each row below is the quaternion times four
    // times one of its elements; the largest element is taken, so that the length is never near zero.
    let (a, b, c) = (columns[0][0], columns[1][1], columns[2][2]);
    let squares = [
        1.0 + a - b - c,
        1.0 - a + b - c,
        1.0 - a - b + c,
        1.0 + a + b + c,
    ];
    let largest = (0..4).fold(
        0,
        |best, i| {
            if squares[i] > squares[best] { i } else { best }
        },
    );
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
        let times = |v: [f64; 3]| matrix.map(|row| (0..3).map(|i| row[i] * v[i]).sum::<f64>());
        let mut last = f64::INFINITY;
        for vector in vectors {
            let image = times(vector);
            let value: f64 = (0..3).map(|i| image[i] * vector[i]).sum();
            assert!((0..3).all(|i| (image[i] - value * vector[i]).abs() < 1e-12));
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
