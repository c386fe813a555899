//! A reference for packed animations: keys interpolated as channels say and forward kinematics, in `f64` and at any
//! time, by nothing of the library but its data.

use sinew::animation::{Channel, Interpolation, TransformTrack};
use sinew::glam::{DMat3, DVec3, Quat, Vec3};
use sinew::{Animation, JointIndex, Pose, Skeleton};

/// The radius of the ball around a joint, in metres.
const RADIUS: f64 = 0.03;

/// The axes and the origin of a joint in model space.
type Frame = (DMat3, DVec3);

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
        let (mut expected, mut found): (Vec<Frame>, Vec<Frame>) = (Vec::new(), Vec::new());
        let mut worst = (0.0, 0);
        for (index, joint) in self.skeleton.joints().iter().enumerate() {
            let tracks = || self.tracks[index].iter().rev();
            let position = tracks().find_map(|track| track.position.as_ref());
            let rotation = tracks().find_map(|track| track.rotation.as_ref());
            let scale = tracks().find_map(|track| track.scale.as_ref());
            let vector = |channel: Option<&Channel<Vec3>>, rest: Vec3| match channel {
                Some(channel) => {
                    let [a, b, out, into] = around(channel, time, |v: Vec3| v.to_array());
                    DVec3::from_array(mix(a.1, b.1, out, into, a.0))
                }
                None => rest.as_dvec3(),
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
                sample.scale.as_dvec3(),
                sample.position.as_dvec3(),
            );
            let parent = joint.parent.map(|parent| parent.index());
            expected.push(model(parent.map(|parent| expected[parent]), local));
            found.push(model(parent.map(|parent| found[parent]), other));
            let (expected, found) = (expected[index], found[index]);
            let (axes, origin) = (found.0 - expected.0, found.1 - expected.1);
            let is_leaf = self.skeleton.is_leaf(index.into());
            let tip = joint.tip.filter(|_| is_leaf);
            let tip = tip.map_or(0.0, |tip| f64::from(tip.length()));
            let error = furthest(origin, &axes, RADIUS.max(tip));
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
        return std::array::from_fn(|index| a[index] + (b[index] - a[index]) * t);
    }
    let (t2, t3) = (t * t, t * t * t);
    std::array::from_fn(|index| {
        a[index] * (2.0 * t3 - 3.0 * t2 + 1.0)
            + out.1[index] * (t3 - 2.0 * t2 + t)
            + b[index] * (3.0 * t2 - 2.0 * t3)
            + into.1[index] * (t3 - t2)
    })
}

fn unit(q: [f64; 4]) -> [f64; 4] {
    let length = q.iter().map(|n| n * n).sum::<f64>().sqrt();
    q.map(|n| n / length)
}

fn slerp(a: [f64; 4], b: [f64; 4], t: f64) -> [f64; 4] {
    let dot: f64 = (0..4).map(|index| a[index] * b[index]).sum();
    let b = if dot < 0.0 { b.map(|n| -n) } else { b };
    // Exact for small angles, unlike the arc cosine.
    let chord = (0..4)
        .map(|index| (a[index] - b[index]).powi(2))
        .sum::<f64>()
        .sqrt();
    let angle = 2.0 * (0.5 * chord).asin();
    if angle < 1e-9 {
        return unit([0, 1, 2, 3].map(|index| a[index] + (b[index] - a[index]) * t));
    }
    let (s, u) = (((1.0 - t) * angle).sin(), (t * angle).sin());
    unit([0, 1, 2, 3].map(|index| a[index] * s + b[index] * u))
}

/// The matrix of a rotation.
pub fn rotation_matrix([x, y, z, w]: [f64; 4]) -> DMat3 {
    DMat3::from_cols(
        DVec3::new(
            1.0 - 2.0 * (y * y + z * z),
            2.0 * (x * y + w * z),
            2.0 * (x * z - w * y),
        ),
        DVec3::new(
            2.0 * (x * y - w * z),
            1.0 - 2.0 * (x * x + z * z),
            2.0 * (y * z + w * x),
        ),
        DVec3::new(
            2.0 * (x * z + w * y),
            2.0 * (y * z - w * x),
            1.0 - 2.0 * (x * x + y * y),
        ),
    )
}

fn model(parent: Option<Frame>, (rotation, scale, position): (DMat3, DVec3, DVec3)) -> Frame {
    let axes = rotation * DMat3::from_diagonal(scale);
    match parent {
        None => (axes, position),
        Some((parent_axes, origin)) => (parent_axes * axes, parent_axes * position + origin),
    }
}

/// The largest `|d + M v|` over all `v` of a length, by climbing from many directions.
fn furthest(d: DVec3, m: &DMat3, radius: f64) -> f64 {
    let mut most = d.length();
    let directions = [
        DVec3::X,
        DVec3::Y,
        DVec3::Z,
        DVec3::ONE,
        DVec3::new(1.0, -1.0, 0.5),
        DVec3::new(-1.0, 0.3, 1.0),
    ];
    for direction in directions {
        for sign in [1.0, -1.0] {
            let mut v = direction * (sign * radius / direction.length());
            for _ in 0..12 {
                let error = d + *m * v;
                most = most.max(error.length());
                // Uphill: the transpose of M times the error.
                let up = m.transpose() * error;
                let size = up.length();
                if size == 0.0 {
                    break;
                }
                v = up * (radius / size);
            }
        }
    }
    most
}
