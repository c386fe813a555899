//! Curves through keys: non-uniform Catmull-Rom splines over frames.
//!
//! Knots are the key times. The tangent of a key is that of the parabola through it and its neighbours; at the ends
//! that of the line to the only neighbour. Between keys the curve is the cubic Hermite with these tangents. Keys on
//! consecutive frames are interpolated linearly: captured motion is sampled densely enough, and a cubic through its
//! noise overshoots.
//!
//! ```text
//! p(s) = (2s³ - 3s² + 1) p1 + (s³ - 2s² + s) m1 + (3s² - 2s³) p2 + (s³ - s²) m2         s from 0 to 1 in the segment
//! m1   = h · parabola'(t1)  =  w (p2 - p1) + h² / (g (g + h)) (p1 - p0),   w = g / (g + h),  g = t1 - t0,  h = t2 - t1
//! ```
//!
//! That equals Barry and Goldman's pyramid (1988), which a test compares, as four weights that all components share.
//! Rotations are mixed as quaternions and normalized. Cost: a binary search, about 20 operations for the weights, four
//! multiplications per component.
#![allow(missing_docs, reason = "shared with sinew-author only")]

use super::quat48::Quat48;
use crate::math::quat_normalize;
use alloc::vec::Vec;
use glam::{Quat, Vec3};

/// The tangents at both ends of a segment, as weights of its four keys: the one before, its own two, the one after.
/// Per segment length, not per frame.
pub struct Slopes {
    pub start: [f32; 3],
    pub end: [f32; 3],
}

/// Returns the tangents for the distances between four keys in frames; 0 if there is no key before or after.
#[inline]
pub fn slopes(before: f32, length: f32, after: f32) -> Slopes {
    let share = |beside: f32| {
        if beside > 0.0 && length > 1.0 {
            let whole = beside + length;
            [beside / whole, length * length / (beside * whole)]
        } else {
            [1.0, 0.0]
        }
    };
    let [near, far] = share(before);
    let start = [-far, far - near, near];
    let [near, far] = share(after);
    let end = [-near, near - far, far];
    Slopes { start, end }
}

/// Returns the weights of the four keys at `ratio`, from 0 to 1 between the middle two.
#[inline]
fn weights(slopes: &Slopes, ratio: f32) -> [f32; 4] {
    let squared = ratio * ratio;
    let cubed = squared * ratio;
    let to = 3.0 * squared - 2.0 * cubed;
    let leaving = cubed - 2.0 * squared + ratio;
    let arriving = cubed - squared;
    [
        slopes.start[0] * leaving,
        (1.0 - to) + slopes.start[1] * leaving + slopes.end[0] * arriving,
        to + slopes.start[2] * leaving + slopes.end[1] * arriving,
        slopes.end[2] * arriving,
    ]
}

/// The position of a time among keys.
enum CurvePlace {
    /// On a key, or outside the keys.
    On(usize),
    /// Between keys: the key before the segment, and the weights of it and the following three. Keys out of range
    /// have weight 0.
    Within { start: usize, weights: [f32; 4] },
}

/// Locates `frame`, which is not negative, among the times, of which there is at least one.
fn locate(times: &[u16], frame: f64) -> CurvePlace {
    let whole = frame as u32;
    let passed = times.partition_point(|&time| u32::from(time) <= whole);
    let Some(start) = passed.checked_sub(1) else {
        return CurvePlace::On(0);
    };
    if passed >= times.len() {
        return CurvePlace::On(start);
    }
    let time = |key: usize| f32::from(times[key]);
    let into = frame - f64::from(times[start]);
    let length = time(passed) - time(start);
    let before = if start > 0 {
        time(start) - time(start - 1)
    } else {
        0.0
    };
    let after = times
        .get(passed + 1)
        .map_or(0.0, |&next| f32::from(next) - time(passed));
    CurvePlace::Within {
        start,
        weights: weights(&slopes(before, length, after), into as f32 / length),
    }
}

/// Returns the four keys of a segment. A missing neighbour is replaced by the segment's own key, with weight 0.
fn around(start: usize, count: usize) -> [usize; 4] {
    let last = count - 1;
    [
        start.saturating_sub(1),
        start,
        start + 1,
        (start + 2).min(last),
    ]
}

/// The keys of a joint's rotation: at least one, as many values as times, times ascending.
#[derive(Clone, Debug, PartialEq)]
pub struct RotationKeys {
    pub times: Vec<u16>,
    pub values: Vec<Quat48>,
}

impl RotationKeys {
    /// Samples the rotation at a frame, which is not negative.
    pub fn sample(&self, frame: f64) -> Quat {
        match locate(&self.times, frame) {
            CurvePlace::On(key) => self.values[key].unpack(),
            CurvePlace::Within { start, weights } => {
                let [a, b, c, d] = around(start, self.values.len());
                let value = |key: usize| self.values[key].unpack().to_array();
                let keys = [value(a), value(b), value(c), value(d)];
                quat_normalize(Quat::from_array(mix(&keys, weights)))
            }
        }
    }
}

/// The keys of a joint's position or scale: at least one, as many values as times, times ascending.
#[derive(Clone, Debug, PartialEq)]
pub struct VectorKeys {
    pub range: VectorRange,
    pub times: Vec<u16>,
    pub values: Vec<[u16; 3]>,
}

impl VectorKeys {
    /// Samples the vector at a frame, which is not negative.
    pub fn sample(&self, frame: f64) -> Vec3 {
        let value = |key: usize| self.range.unpack(self.values[key]);
        match locate(&self.times, frame) {
            CurvePlace::On(key) => Vec3::from_array(value(key)),
            CurvePlace::Within { start, weights } => {
                let [a, b, c, d] = around(start, self.values.len());
                let keys = [value(a), value(b), value(c), value(d)];
                Vec3::from_array(mix(&keys, weights))
            }
        }
    }
}

fn mix<const N: usize>(keys: &[[f32; N]; 4], weights: [f32; 4]) -> [f32; N] {
    let [a, b, c, d] = keys;
    core::array::from_fn(|i| {
        a[i] * weights[0] + b[i] * weights[1] + c[i] * weights[2] + d[i] * weights[3]
    })
}

/// The quantization range of vectors along each axis, in 65,535 steps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VectorRange {
    pub low: [f32; 3],
    pub step: [f32; 3],
}

impl VectorRange {
    /// Returns the range of vectors, of which there is at least one.
    pub fn of(vectors: &[Vec3]) -> Self {
        let (mut low, mut high) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
        for vector in vectors {
            for (axis, number) in vector.to_array().into_iter().enumerate() {
                low[axis] = low[axis].min(number);
                high[axis] = high[axis].max(number);
            }
        }
        let step = core::array::from_fn(|axis| {
            let extent = f64::from(high[axis]) - f64::from(low[axis]);
            (extent / f64::from(u16::MAX)) as f32
        });
        Self { low, step }
    }

    /// Quantizes to the nearest steps.
    pub fn pack(&self, vector: Vec3) -> [u16; 3] {
        let vector = vector.to_array();
        core::array::from_fn(|axis| {
            let above = f64::from(vector[axis]) - f64::from(self.low[axis]);
            // A zero extent gives NaN or infinity, which the cast turns into 0 or the last step; all steps are equal
            // then.
            libm::round(above / f64::from(self.step[axis])) as u16
        })
    }

    pub fn unpack(&self, steps: [u16; 3]) -> [f32; 3] {
        core::array::from_fn(|axis| self.low[axis] + f32::from(steps[axis]) * self.step[axis])
    }

    /// Returns whether all curves through such keys are finite.
    pub fn is_finite(&self) -> bool {
        // The weight of a key is up to 2^32 if the preceding key is near and the next one far.
        const LARGEST: f32 = 1e15;
        let ends = [self.unpack([0; 3]), self.unpack([u16::MAX; 3])];
        ends.as_flattened()
            .iter()
            .all(|number| (-LARGEST..=LARGEST).contains(number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    /// Barry and Goldman's pyramidal evaluation.
    fn pyramid(t: [f64; 4], p: [f64; 4], time: f64) -> f64 {
        let line = |a: f64, b: f64, from: f64, to: f64| {
            (a * (to - time) + b * (time - from)) / (to - from)
        };
        let a = [0, 1, 2].map(|i| line(p[i], p[i + 1], t[i], t[i + 1]));
        let b = [0, 1].map(|i| line(a[i], a[i + 1], t[i], t[i + 2]));
        line(b[0], b[1], t[1], t[2])
    }

    fn keys(times: Vec<u16>, numbers: &[f32]) -> VectorKeys {
        let vectors: Vec<Vec3> = numbers.iter().map(|&n| Vec3::new(n, -n, 0.5)).collect();
        let range = VectorRange::of(&vectors);
        let values = vectors.iter().map(|&vector| range.pack(vector)).collect();
        VectorKeys {
            range,
            times,
            values,
        }
    }

    #[test]
    fn the_curve_is_barry_and_goldmans() {
        let (times, numbers) = ([0, 3, 5, 11, 13], [0.0, 1.0, -0.5, 0.25, 2.0]);
        let keys = keys(times.to_vec(), &numbers);
        for segment in 1..3 {
            let t = [0, 1, 2, 3].map(|i| f64::from(times[segment - 1 + i]));
            let p = [0, 1, 2, 3].map(|i| f64::from(numbers[segment - 1 + i]));
            for part in 0..=8 {
                let time = t[1] + (t[2] - t[1]) * f64::from(part) / 8.0;
                let found = keys.sample(time);
                assert!((f64::from(found.x) - pyramid(t, p, time)).abs() < 1e-4);
                assert!((found.x + found.y).abs() < 1e-4 && (found.z - 0.5).abs() < 1e-6);
            }
        }
    }

    #[test]
    fn two_keys_are_a_line_and_one_is_a_point() {
        let two = keys(vec![2, 6], &[1.0, 3.0]);
        for (frame, expected) in [
            (0.0, 1.0),
            (2.0, 1.0),
            (3.0, 1.5),
            (5.5, 2.75),
            (6.0, 3.0),
            (9.0, 3.0),
        ] {
            assert!((two.sample(frame).x - expected).abs() < 1e-4, "{frame}");
        }
        let one = keys(vec![7], &[0.1]);
        for frame in [0.0, 7.0, 70_000.0] {
            assert_eq!(one.sample(frame), Vec3::new(0.1, -0.1, 0.5));
        }
    }

    #[test]
    fn keys_on_successive_frames_are_joined_by_a_line() {
        let keys = keys(vec![0, 3, 4, 9], &[0.0, 2.0, 1.0, 5.0]);
        for (frame, expected) in [(3.25, 1.75), (3.5, 1.5), (3.75, 1.25)] {
            assert!((keys.sample(frame).x - expected).abs() < 1e-4, "{frame}");
        }
    }

    #[test]
    fn keys_on_a_line_give_the_line_however_they_are_spaced() {
        let times = vec![0, 1, 5, 6, 60, 61];
        let numbers: Vec<f32> = times.iter().map(|&t| f32::from(t) * 0.25).collect();
        let keys = keys(times, &numbers);
        for part in 0..=610 {
            let frame = f64::from(part) / 10.0;
            assert!(
                (f64::from(keys.sample(frame).x) - frame * 0.25).abs() < 1e-3,
                "{frame}"
            );
        }
    }

    #[test]
    fn vectors_come_back_to_half_a_step() {
        let vectors = [
            Vec3::new(-3.0, 0.1, 7.0),
            Vec3::new(5.0, 0.1, 7.5),
            Vec3::new(1.0, 0.1, 7.1),
        ];
        let range = VectorRange::of(&vectors);
        assert!(range.is_finite());
        for vector in vectors {
            let back = Vec3::from_array(range.unpack(range.pack(vector)));
            let apart = (back - vector).abs();
            assert!(apart.x <= 8.0 / 131_000.0 && apart.y == 0.0 && apart.z <= 0.5 / 131_000.0);
        }
        let wide = VectorRange::of(&[Vec3::splat(-f32::MAX), Vec3::splat(f32::MAX)]);
        assert!(wide.step.iter().all(|step| step.is_finite()));
    }
}
