//! A reference for packed animations: keys interpolated as channels say and forward kinematics, in `f64` and at any
//! time, by nothing of the library but its data.

use sinew::animation::{Channel, Interpolation, TransformTrack};
use sinew::glam::{Quat, Vec3};
use sinew::{Animation, JointIndex, Pose, Skeleton};

/// The radius of the ball around a joint, in metres.
const RADIUS: f64 = 0.03;

type V3 = [f64; 3];
type World = ([V3; 3], V3);

/// An animation on a skeleton.
pub struct Exact<'a> {
    skeleton: &'a Skeleton,
    /// By joints; of several tracks the last counts, channel by channel.
    tracks: Vec<Vec<&'a TransformTrack>>,
}

impl<'a> Exact<'a> {
    pub fn new(skeleton: &'a Skeleton, animation: &'a Animation) -> Self {
        let of = |name: &str| {
            animation
                .tracks
                .iter()
                .filter(|track| track.name == name)
                .collect()
        };
        let tracks = skeleton.joints().iter().map(|joint| of(&joint.name));
        Self {
            tracks: tracks.collect(),
            skeleton,
        }
    }

    /// The largest distance of any point of any ball, at `time`, from where `pose` has it; with the joint.
    pub fn error(&self, time: f32, pose: &Pose) -> (f64, usize) {
        let time = f64::from(time);
        let (mut expected, mut found): (Vec<World>, Vec<World>) = (Vec::new(), Vec::new());
        let mut worst = (0.0, 0);
        for (index, joint) in self.skeleton.joints().iter().enumerate() {
            let tracks = || self.tracks[index].iter().rev();
            let position = tracks().find_map(|track| track.position.as_ref());
            let rotation = tracks().find_map(|track| track.rotation.as_ref());
            let scale = tracks().find_map(|track| track.scale.as_ref());
            let vector = |channel: Option<&Channel<Vec3>>, rest: Vec3| match channel {
                Some(channel) => {
                    let [a, b, out, into] = around(channel, time, |v: Vec3| v.to_array());
                    mix(a.1, b.1, out, into, a.0)
                }
                None => rest.to_array().map(f64::from),
            };
            let q = match rotation {
                Some(channel) => {
                    let [a, b, out, into] = around(channel, time, |q: Quat| q.to_array());
                    if out.0 > 0.0 {
                        unit(mix(a.1, b.1, out, into, a.0))
                    } else {
                        slerp(unit(a.1), unit(b.1), a.0)
                    }
                }
                None => unit(joint.rest.rotation.to_array().map(f64::from)),
            };
            let local = (
                rotation_matrix(q),
                vector(scale, joint.rest.scale),
                vector(position, joint.rest.position),
            );
            let sample = pose.get(JointIndex::from(index));
            let other = (
                rotation_matrix(sample.rotation.to_array().map(f64::from)),
                sample.scale.to_array().map(f64::from),
                sample.position.to_array().map(f64::from),
            );
            let parent = joint.parent.map(|parent| parent.index());
            expected.push(model(parent.map(|parent| expected[parent]), local));
            found.push(model(parent.map(|parent| found[parent]), other));
            let ((m, o), (n, u)) = (expected[index], found[index]);
            let off =
                [0, 1, 2].map(|row: usize| [0, 1, 2].map(|at: usize| n[row][at] - m[row][at]));
            let d = [0, 1, 2].map(|at: usize| u[at] - o[at]);
            let is_leaf = self.skeleton.is_leaf(index.into());
            let tip = joint.tip.filter(|_| is_leaf);
            let tip = tip.map_or(0.0, |tip| f64::from(tip.length()));
            let error = furthest(d, &off, RADIUS.max(tip));
            if error > worst.0 {
                worst = (error, index);
            }
        }
        worst
    }
}

/// The values before and after a time, with the ratio beside the first, and slopes over the way between them, with 1
/// beside them where there are any.
fn around<T: Copy + sinew::animation::ChannelValue, const N: usize>(
    channel: &Channel<T>,
    time: f64,
    numbers: impl Fn(T) -> [f32; N],
) -> [(f64, [f64; N]); 4] {
    let value = |key: usize| numbers(channel.values()[key]).map(f64::from);
    let times = channel.times();
    let at = |key: usize| match times.rate() {
        Some(rate) => key as f64 / rate,
        None => f64::from(times.get(key)),
    };
    let last = times.len() - 1;
    // Binary search for the first key after `time`.
    let (mut after, mut end) = (0, last + 1);
    while after < end {
        let middle = after.midpoint(end);
        if at(middle) <= time {
            after = middle + 1;
        } else {
            end = middle;
        }
    }
    let none = (0.0, [0.0; N]);
    if after == 0 || after > last {
        let only = value(if after == 0 { 0 } else { last });
        return [(0.0, only), (0.0, only), none, none];
    }
    let from = after - 1;
    let seconds = at(after) - at(from);
    let ratio = (time - at(from)) / seconds;
    if channel.interpolation() == Interpolation::Step {
        return [(0.0, value(from)), (0.0, value(from)), none, none];
    }
    let slope = |slopes: &[T], key: usize| match slopes.get(key) {
        Some(&slope) => (1.0, numbers(slope).map(|n| f64::from(n) * seconds)),
        None => none,
    };
    [
        (ratio, value(from)),
        (0.0, value(after)),
        slope(channel.out_tangents(), from),
        slope(channel.in_tangents(), after),
    ]
}

/// A line, or a Hermite cubic where there are slopes.
fn mix<const N: usize>(
    a: [f64; N],
    b: [f64; N],
    out: (f64, [f64; N]),
    into: (f64, [f64; N]),
    t: f64,
) -> [f64; N] {
    if out.0 == 0.0 {
        return std::array::from_fn(|at| a[at] + (b[at] - a[at]) * t);
    }
    let (t2, t3) = (t * t, t * t * t);
    std::array::from_fn(|at| {
        a[at] * (2.0 * t3 - 3.0 * t2 + 1.0)
            + out.1[at] * (t3 - 2.0 * t2 + t)
            + b[at] * (3.0 * t2 - 2.0 * t3)
            + into.1[at] * (t3 - t2)
    })
}

fn unit(q: [f64; 4]) -> [f64; 4] {
    let length = q.iter().map(|n| n * n).sum::<f64>().sqrt();
    q.map(|n| n / length)
}

fn slerp(a: [f64; 4], b: [f64; 4], t: f64) -> [f64; 4] {
    let dot: f64 = (0..4).map(|at| a[at] * b[at]).sum();
    let b = if dot < 0.0 { b.map(|n| -n) } else { b };
    // Exact for small angles, unlike the arc cosine.
    let chord = (0..4).map(|at| (a[at] - b[at]).powi(2)).sum::<f64>().sqrt();
    let angle = 2.0 * (0.5 * chord).asin();
    if angle < 1e-9 {
        return unit([0, 1, 2, 3].map(|at| a[at] + (b[at] - a[at]) * t));
    }
    let (s, u) = (((1.0 - t) * angle).sin(), (t * angle).sin());
    unit([0, 1, 2, 3].map(|at| a[at] * s + b[at] * u))
}

/// Rows of the matrix of a rotation.
pub fn rotation_matrix([x, y, z, w]: [f64; 4]) -> [V3; 3] {
    [
        [
            1.0 - 2.0 * (y * y + z * z),
            2.0 * (x * y - w * z),
            2.0 * (x * z + w * y),
        ],
        [
            2.0 * (x * y + w * z),
            1.0 - 2.0 * (x * x + z * z),
            2.0 * (y * z - w * x),
        ],
        [
            2.0 * (x * z - w * y),
            2.0 * (y * z + w * x),
            1.0 - 2.0 * (x * x + y * y),
        ],
    ]
}

fn times(m: &[V3; 3], v: V3) -> V3 {
    [0, 1, 2].map(|row: usize| (0..3).map(|at| m[row][at] * v[at]).sum())
}

fn model(parent: Option<World>, (turn, scale, position): ([V3; 3], V3, V3)) -> World {
    let turn = turn.map(|row| [row[0] * scale[0], row[1] * scale[1], row[2] * scale[2]]);
    let Some((m, o)) = parent else {
        return (turn, position);
    };
    let column = |at: usize| times(&m, [turn[0][at], turn[1][at], turn[2][at]]);
    let columns = [column(0), column(1), column(2)];
    let p = times(&m, position);
    (
        [0, 1, 2].map(|row: usize| [columns[0][row], columns[1][row], columns[2][row]]),
        [p[0] + o[0], p[1] + o[1], p[2] + o[2]],
    )
}

/// The largest `|d + M v|` over all `v` of a length, by climbing from many directions.
fn furthest(d: V3, m: &[V3; 3], radius: f64) -> f64 {
    let length = |v: V3| (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]).sqrt();
    let mut most = length(d);
    let directions = [
        [1.0, 0.0, 0.0],
        [0.0, 1.0, 0.0],
        [0.0, 0.0, 1.0],
        [1.0, 1.0, 1.0],
        [1.0, -1.0, 0.5],
        [-1.0, 0.3, 1.0],
    ];
    for direction in directions {
        for sign in [1.0, -1.0] {
            let scale = sign * radius / length(direction);
            let mut v = direction.map(|n: f64| n * scale);
            for _ in 0..12 {
                let off = times(m, v);
                let off = [off[0] + d[0], off[1] + d[1], off[2] + d[2]];
                most = most.max(length(off));
                // Uphill: the transpose of M times the error.
                let up = [0, 1, 2].map(|at: usize| (0..3).map(|row| m[row][at] * off[row]).sum());
                let size = length(up);
                if size == 0.0 {
                    break;
                }
                v = up.map(|n: f64| n * radius / size);
            }
        }
    }
    most
}
