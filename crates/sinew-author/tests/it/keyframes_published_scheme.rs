//! The scheme that key fitting grew from, as it was first published, defects and all: a measure to compare
//! with, and the proof that its published numbers are understood.

use sinew::glam::Quat;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::vec::Vec;

/// The frames that the first published scheme keeps of a joint's rotations, for a threshold on the sum of
/// the differences of x, y, z and w. The first frame and the last stand twice, as ends of its spline.
///
/// Segments are halved, the worst first, until none is off by `threshold` or more. A frame's place in its
/// segment is divided in whole numbers there and so is always 0: what is compared is each frame with the
/// key before it. Signs of quaternions are taken as they come. The result says how many keys the scheme
/// makes, not how well they do; `sinew_author::keyframes::fit` is the scheme put right.
///
/// Where the original is undefined every frame is kept: with fewer than five frames (it writes outside
/// its list), and with a threshold that is not above zero (it never ends). Nothing is kept of nothing.
pub(crate) fn published_key_frames(rotations: &[Quat], threshold: f32) -> Vec<usize> {
    let count = rotations.len();
    let Some(last) = count.checked_sub(1) else {
        return Vec::new();
    };
    let is_defined = count >= 5 && threshold > 0.0;
    let mut inner = if is_defined {
        halve(rotations, threshold)
    } else {
        (1..last).collect()
    };
    inner.sort_unstable();
    let ends = |frame: usize| std::iter::repeat_n(frame, 2);
    ends(0).chain(inner).chain(ends(last)).collect()
}

/// The keys between the ends. Each segment's error depends on its own frames alone, because the curve is
/// only evaluated at its start; so the worst is the top of a heap.
fn halve(rotations: &[Quat], threshold: f32) -> Vec<usize> {
    let (middle, last) = (rotations.len() / 2, rotations.len() - 1);
    let mut keys = std::vec![middle];
    // Of equal errors the first segment counts. Errors are not negative, so their bits sort as they do.
    let entry = |start: usize, end: usize| {
        let error = step_error(rotations, start, end);
        (error.to_bits(), Reverse(start), end)
    };
    let mut heap = BinaryHeap::from([entry(0, middle), entry(middle, last)]);
    while let Some((error, Reverse(start), end)) = heap.pop() {
        if f32::from_bits(error) < threshold {
            break;
        }
        let middle = (start + end) / 2;
        keys.push(middle);
        heap.push(entry(start, middle));
        heap.push(entry(middle, end));
    }
    keys
}

/// How far the frames within a segment are from its first, at most. What is not a number counts as
/// nothing, as in the original.
fn step_error(rotations: &[Quat], start: usize, end: usize) -> f32 {
    let Some((key, within)) = rotations.get(start..end).and_then(<[Quat]>::split_first) else {
        return 0.0;
    };
    let key = key.to_array();
    within.iter().fold(0.0, |worst, frame| {
        let frame = frame.to_array();
        let offset = |index: usize| (key[index] - frame[index]).abs();
        let error = offset(0) + offset(1) + offset(2) + offset(3);
        if error > worst { error } else { worst }
    })
}

/// The quaternion that the first published scheme makes of a bone's angles in an AMC file, in degrees:
/// that of the turn about x, then y, then z, in `f32`, with the largest of its numbers positive (of equal
/// ones the first of w, x, y, z).
///
/// Its sign jumps where another number becomes the largest, which [`published_key_frames`] sees as motion. For
/// quaternions to play use [`EulerAngles`](sinew::math::EulerAngles).
pub(crate) fn published_rotation(degrees: [f32; 3]) -> Quat {
    let [x, y, z] = degrees.map(|angle| libm::sincosf(angle * (std::f32::consts::PI / 180.0)));
    let about_x = [[1.0, 0.0, 0.0], [0.0, x.1, x.0], [0.0, -x.0, x.1]];
    let about_y = [[y.1, 0.0, -y.0], [0.0, 1.0, 0.0], [y.0, 0.0, y.1]];
    let about_z = [[z.1, z.0, 0.0], [-z.0, z.1, 0.0], [0.0, 0.0, 1.0]];
    from_columns(&product(&product(&about_z, &about_y), &about_x))
}

type Columns = [[f32; 3]; 3];

fn product(a: &Columns, b: &Columns) -> Columns {
    b.map(|column| {
        [0, 1, 2].map(|row| a[0][row] * column[0] + a[1][row] * column[1] + a[2][row] * column[2])
    })
}

/// GLM's `quat_cast`.
fn from_columns(m: &Columns) -> Quat {
    // Four times each number's square, less 1: w, x, y, z.
    let squares = [
        m[0][0] + m[1][1] + m[2][2],
        m[0][0] - m[1][1] - m[2][2],
        m[1][1] - m[0][0] - m[2][2],
        m[2][2] - m[0][0] - m[1][1],
    ];
    let mut largest = 0;
    for index in 1..4 {
        if squares[index] > squares[largest] {
            largest = index;
        }
    }
    let value = libm::sqrtf(squares[largest] + 1.0) * 0.5;
    let scale = 0.25 / value;
    let (x, y, z) = (m[1][2] - m[2][1], m[2][0] - m[0][2], m[0][1] - m[1][0]);
    let (xy, xz, yz) = (m[0][1] + m[1][0], m[2][0] + m[0][2], m[1][2] + m[2][1]);
    match largest {
        0 => Quat::from_xyzw(x * scale, y * scale, z * scale, value),
        1 => Quat::from_xyzw(value, xy * scale, xz * scale, x * scale),
        2 => Quat::from_xyzw(xy * scale, value, yz * scale, y * scale),
        _ => Quat::from_xyzw(xz * scale, yz * scale, value, z * scale),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew::math::{
        dquat_to_quat, quat_angle, quat_normalize, rotation_x, rotation_y, rotation_z,
    };
    use std::vec;

    /// The published code, line by line: each insertion looks at every frame again, on the curve.
    fn published(data: &[Quat], threshold: f32) -> Vec<usize> {
        let count = data.len();
        let mut keys = vec![0, 0, count / 2, count - 1, count - 1];
        loop {
            let (mut largest, mut segment) = (0.0, 0);
            for i in 0..keys.len() - 3 {
                let [p0, p1, p2, p3] = [0, 1, 2, 3].map(|k| data[keys[i + k]].to_array());
                let (start, end) = (keys[i + 1], keys[i + 2]);
                for (t, frame) in data.iter().enumerate().take(end).skip(start + 1) {
                    let step = ((t - start) / (end - start)) as f32;
                    let frame = frame.to_array();
                    let offset = |c: usize| {
                        let c0 = 0.5 * 2.0 * p1[c];
                        let c1 = 0.5 * step * (-p0[c] + p2[c]);
                        let c2 =
                            0.5 * step * step * (2.0 * p0[c] - 5.0 * p1[c] + 4.0 * p2[c] - p3[c]);
                        let c3 =
                            0.5 * step * step * step * (-p0[c] + 3.0 * p1[c] - 3.0 * p2[c] + p3[c]);
                        (c0 + c1 + c2 + c3 - frame[c]).abs()
                    };
                    let offset = offset(0) + offset(1) + offset(2) + offset(3);
                    if offset > largest {
                        (largest, segment) = (offset, i);
                    }
                }
            }
            if largest < threshold {
                return keys;
            }
            keys.insert(segment + 2, (keys[segment + 1] + keys[segment + 2]) / 2);
        }
    }

    fn motion(count: usize, seed: f32) -> Vec<Quat> {
        let frame = |t: usize| {
            let t = t as f32;
            published_rotation([
                60.0 * libm::sinf(t * 0.11 + seed),
                200.0 * libm::sinf(t * 0.03),
                libm::floorf(t * 0.1) * 15.0,
            ])
        };
        (0..count).map(frame).collect()
    }

    #[test]
    fn all_frames_are_kept_where_the_original_is_undefined() {
        assert!(published_key_frames(&[], 0.1).is_empty());
        assert_eq!(published_key_frames(&motion(1, 0.0), 0.1), [0, 0, 0, 0]);
        assert_eq!(published_key_frames(&motion(2, 0.0), 0.1), [0, 0, 1, 1]);
        assert_eq!(
            published_key_frames(&motion(4, 0.0), 9.0),
            [0, 0, 1, 2, 3, 3]
        );
        for threshold in [0.0, -1.0, f32::NAN, f32::NEG_INFINITY] {
            let kept = published_key_frames(&motion(7, 0.0), threshold);
            assert_eq!(kept, [0, 0, 1, 2, 3, 4, 5, 6, 6]);
        }
    }

    #[test]
    fn the_heap_keeps_the_frames_that_the_published_code_keeps() {
        for count in [5, 6, 7, 50, 333] {
            for threshold in [1e-3, 0.01, 0.1, 1.0, f32::INFINITY] {
                let data = motion(count, count as f32);
                assert_eq!(
                    published_key_frames(&data, threshold),
                    published(&data, threshold)
                );
            }
        }
        // Equal errors everywhere: which segment comes first does not change what is kept in the end.
        let steps: Vec<Quat> = (0..64).map(|t| motion(2, 0.0)[t % 2]).collect();
        assert_eq!(published_key_frames(&steps, 0.01), published(&steps, 0.01));
    }

    #[test]
    fn nan_samples_have_no_error() {
        let mut data = motion(20, 0.0);
        data.fill(Quat::IDENTITY);
        data[3] = Quat::from_xyzw(f32::NAN, 0.0, 0.0, 1.0);
        assert_eq!(published_key_frames(&data, 0.01), [0, 0, 10, 19, 19]);
    }

    #[test]
    fn quaternions_of_the_scheme_have_their_largest_component_positive() {
        for case in 0..1_000 {
            let f = case as f32;
            let degrees = [f * 1.7 - 500.0, f * 0.9 - 300.0, 180.0 * libm::sinf(f)];
            let [x, y, z] = degrees.map(|angle| f64::from(angle).to_radians());
            let turn = rotation_z(z) * rotation_y(y);
            let expected = dquat_to_quat(turn * rotation_x(x));
            let found = published_rotation(degrees);
            assert!(
                quat_angle(expected, quat_normalize(found)) < 1e-4,
                "{degrees:?}"
            );
            let numbers = found.to_array();
            let largest = numbers
                .iter()
                .copied()
                .fold(0.0, |a: f32, b| if b.abs() > a.abs() { b } else { a });
            assert!(largest >= 0.5 - 1e-4, "{degrees:?} {found:?}");
        }
    }
}
