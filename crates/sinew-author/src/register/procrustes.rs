//! The distance of two point clouds after the best ground transform: Procrustes alignment in closed form.
//!
//! For points `p`, `q` with weights `w`, the rotation by `θ` about the vertical and the translation over the ground that
//! minimize `Σ w |p - T q|²` follow from weighted sums alone (Kovar, Gleicher and Pighin, Motion Graphs, SIGGRAPH 2002). With
//! `W = Σ w`, `P = Σ w p` and `Q = Σ w q` over the ground:
//!
//! ```text
//! c = Σ w (px qx + pz qz) - P·Q / W
//! s = Σ w (px qz - pz qx) - P×Q / W          θ = atan2(s, c)
//! translation = P / W - R(θ) Q / W
//! minimum     = Σ w (|p|² + |q|²) - 2 Σ w py qy - (|P|² + |Q|²) / W - 2 √(c² + s²)
//! ```
//!
//! The minimum needs no trigonometry, so the distance grid computes only it. Sums of frames add up, so that a window of
//! frames costs no more than the frame that enters it.

use sinew::math::GroundTransform;

/// Weighted sums over pairs of points, from which the best ground transform and the distance follow.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct AlignmentSums {
    pub(super) weight: f64,
    /// Sums of the points over the ground: `P` and `Q`.
    pub(super) a: [f64; 2],
    pub(super) b: [f64; 2],
    /// Sums of products of points: x x' + z z', x z' - z x', y y'.
    pub(super) cosine: f64,
    pub(super) sine: f64,
    pub(super) height: f64,
    /// Sums of squares of both.
    pub(super) squares: f64,
}

impl AlignmentSums {
    /// Adds `times` times the sums of `other`.
    pub(super) fn add_times(&mut self, other: &Self, times: f64) {
        self.weight += times * other.weight;
        self.cosine += times * other.cosine;
        self.sine += times * other.sine;
        self.height += times * other.height;
        self.squares += times * other.squares;
        for axis in 0..2 {
            self.a[axis] += times * other.a[axis];
            self.b[axis] += times * other.b[axis];
        }
    }

    /// The mean square distance of points after the best ground transform, at least 0.
    #[inline(always)]
    pub(super) fn distance(&self) -> f64 {
        let inverse = 1.0 / self.weight;
        let (cosine, sine) = self.best_rotation(inverse);
        let ([ax, az], [bx, bz]) = (self.a, self.b);
        let middles = ax * ax + az * az + bx * bx + bz * bz;
        let left = self.squares
            - 2.0 * self.height
            - middles * inverse
            - 2.0 * libm::sqrt(cosine * cosine + sine * sine);
        (left * inverse).max(0.0)
    }

    /// The ground transform that takes the second cloud to the first.
    pub(crate) fn fit(&self) -> GroundTransform {
        let inverse = 1.0 / self.weight;
        let (cosine, sine) = self.best_rotation(inverse);
        // Points on one vertical line have no best angle.
        let angle = if cosine * cosine + sine * sine > 1e-24 * self.weight * self.weight {
            libm::atan2(sine, cosine)
        } else {
            0.0
        };
        self.fit_with(angle)
    }

    /// As [`fit`](Self::fit), with a given angle.
    pub(super) fn fit_with(&self, angle: f64) -> GroundTransform {
        let rotation = GroundTransform {
            angle,
            ..GroundTransform::IDENTITY
        };
        let inverse = 1.0 / self.weight;
        let [x, z] = rotation.apply(self.b.map(|sum| sum * inverse));
        GroundTransform {
            angle,
            x: self.a[0] * inverse - x,
            z: self.a[1] * inverse - z,
        }
    }

    /// `c` and `s` of the module's formulas.
    #[inline(always)]
    fn best_rotation(&self, inverse: f64) -> (f64, f64) {
        let ([ax, az], [bx, bz]) = (self.a, self.b);
        (
            self.cosine - (ax * bx + az * bz) * inverse,
            self.sine - (ax * bz - az * bx) * inverse,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::register::point_cloud::{PointCloud, PointCloudFrame};
    use alloc::vec::Vec;
    use glam::Vec3;

    /// The sums of two frames of points.
    fn pair(first: &[[f64; 3]], second: &[[f64; 3]]) -> AlignmentSums {
        let mut sums = AlignmentSums::default();
        let share = 1.0 / first.len() as f64;
        sums.weight = 1.0;
        for (p, q) in first.iter().zip(second) {
            sums.cosine += share * (p[0] * q[0] + p[2] * q[2]);
            sums.sine += share * (p[0] * q[2] - p[2] * q[0]);
            sums.height += share * p[1] * q[1];
            for axis in 0..3 {
                sums.squares += share * (p[axis] * p[axis] + q[axis] * q[axis]);
            }
            for (ground_axis, axis) in [(0, 0), (1, 2)] {
                sums.a[ground_axis] += share * p[axis];
                sums.b[ground_axis] += share * q[axis];
            }
        }
        sums
    }

    fn points(seed: u64, count: usize) -> Vec<[f64; 3]> {
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let mut next = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 11) as f64 / (1u64 << 53) as f64 * 2.0 - 1.0
        };
        (0..count).map(|_| [next(), next(), next()]).collect()
    }

    fn moved(points: &[[f64; 3]], to: &GroundTransform) -> Vec<[f64; 3]> {
        let moved = points.iter().map(|&[x, y, z]| {
            let [x, z] = to.apply([x, z]);
            [x, y, z]
        });
        moved.collect()
    }

    fn mean_square(first: &[[f64; 3]], second: &[[f64; 3]]) -> f64 {
        let pairs = first.iter().zip(second);
        let squares = pairs.map(|(p, q)| {
            (0..3)
                .map(|axis| (p[axis] - q[axis]) * (p[axis] - q[axis]))
                .sum::<f64>()
        });
        squares.sum::<f64>() / first.len() as f64
    }

    #[test]
    fn the_distance_is_that_of_the_best_fit() {
        for seed in 1..20 {
            let (a, b) = (points(seed, 9), points(seed + 100, 9));
            let sums = pair(&a, &b);
            let fit = sums.fit();
            let there = mean_square(&a, &moved(&b, &fit));
            assert!((sums.distance() - there).abs() < 1e-12);
            for angle in -8..=8 {
                let other = sums.fit_with(fit.angle + f64::from(angle) * 0.1);
                for [x, z] in [[0.0, 0.0], [0.01, 0.0], [0.0, -0.01]] {
                    let other = GroundTransform {
                        x: other.x + x,
                        z: other.z + z,
                        ..other
                    };
                    assert!(mean_square(&a, &moved(&b, &other)) >= there - 1e-12);
                }
            }
        }
    }

    #[test]
    fn distances_are_the_same_wherever_clouds_are_and_turns_are_opposite() {
        let to = GroundTransform {
            angle: 2.4,
            x: 3.0,
            z: -1.5,
        };
        for seed in 1..20 {
            let (a, b) = (points(seed, 12), points(seed + 50, 12));
            let (sums, swapped) = (pair(&a, &b), pair(&b, &a));
            let elsewhere = pair(&moved(&a, &to), &b);
            let distance = sums.distance();
            assert!((distance - elsewhere.distance()).abs() < 1e-9 * distance);
            assert!((distance - swapped.distance()).abs() < 1e-12);
            assert!((sums.fit().angle + swapped.fit().angle).abs() < 1e-9);
        }
    }

    #[test]
    fn points_on_one_upright_line_are_not_turned() {
        let line = [[1.0, 0.0, 2.0], [1.0, 0.5, 2.0], [1.0, 1.0, 2.0]];
        let other = moved(
            &line,
            &GroundTransform {
                angle: 1.0,
                x: 0.5,
                z: 0.0,
            },
        );
        let sums = pair(&line, &other);
        assert_eq!(sums.fit().angle, 0.0);
        assert!(sums.distance() < 1e-12);
    }

    #[test]
    fn a_cloud_far_from_the_origin_is_as_exact_as_one_near_it() {
        let near: Vec<Vec3> = points(3, 8)
            .iter()
            .map(|&[x, y, z]| Vec3::new(x as f32, y as f32, z as f32))
            .collect();
        // Rounded so that `f32` is exact far away too.
        let round = |value: f32| libm::rintf(value * 1024.0) / 1024.0;
        let near: Vec<Vec3> = near
            .iter()
            .map(|point| Vec3::new(round(point.x), round(point.y), round(point.z)))
            .collect();
        let far: Vec<Vec3> = near
            .iter()
            .map(|point| *point + Vec3::new(4096.0, 0.0, -4096.0))
            .collect();
        let cloud = |positions: &[Vec3]| PointCloud::of_points(positions, &[1.0; 4]);
        let (near, far) = (cloud(&near), cloud(&far));
        let (mut a, mut b) = (PointCloudFrame::default(), PointCloudFrame::default());
        near.interpolate(0.0, &mut a);
        far.interpolate(1.0, &mut b);
        let mut found = AlignmentSums::default();
        found.add(&a, &b, 1.0);
        near.interpolate(1.0, &mut b);
        let mut expected = AlignmentSums::default();
        expected.add(&a, &b, 1.0);
        assert!((found.distance() - expected.distance()).abs() < 1e-9);
    }
}
