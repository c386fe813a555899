//! The curves of the two animations that are compared, piece by piece: from the keys of an [`Animation`], and from the
//! samples of a packed animation.
//!
//! Both give the breaks between pieces and, for each piece, the [`JointCurve`]s of all joints. Samples are read by the
//! real decoder, so that what is bounded is what is played. The decoder interpolates in `f32`; how far that is from the
//! exact curve is stated as slack (`docs/error-bound.md`, *Slack*), and a test below compares it with samples. Pieces
//! are visited in order, so that each sample is read once.

use super::bound::rounding_of;
use super::curves::{
    JointCurve, Quaternion, RotationCurve, Slack, Vector, VectorCurve, hermite, mrp_to_quat,
    normalized,
};
use alloc::vec::Vec;
use glam::{Quat, Vec3};
use sinew::animation::{Animation, Channel, ChannelValue, Interpolation, KeyTimes};
use sinew::internal::packed::SEGMENT;
use sinew::internal::packed::{PackedSamples, SLOTS, slerp_deviation};
use sinew::internal::sample_slots;
use sinew::packed::PackedCursor;
use sinew::simd::LANES;
use sinew::skeleton::Skeleton;

/// Breaks closer than this, relative to the time between samples or frames, are the same.
const SAME_BREAK: f64 = 1e-7;

/// A ratio within a segment; exactly 0 or 1 if it is within rounding of an end.
fn snap_to_ends(s: f64) -> f64 {
    if s.abs() < SAME_BREAK {
        0.0
    } else if (s - 1.0).abs() < SAME_BREAK {
        1.0
    } else {
        s
    }
}

/// For a piece of zero length: a time closer to a key than this, relative to the time, is on the key.
const ON_KEY: f64 = 1.2e-7;

/// The curves of an animation's keys on a skeleton.
pub(super) struct KeyCurves<'a> {
    /// Lists of key times, without duplicates.
    times: Vec<&'a KeyTimes>,
    joints: Vec<KeyedJoint<'a>>,
    /// By list, the keys around the current piece.
    segments: Vec<KeySegment>,
    /// Whether values are those of the `f32` sampler, with slack, or exact.
    is_rounded: bool,
}

/// The channels of a joint, each with the index of its list of key times.
struct KeyedJoint<'a> {
    rest: sinew::Transform,
    position: Option<(usize, &'a Channel<Vec3>)>,
    rotation: Option<(usize, &'a Channel<Quat>)>,
    scale: Option<(usize, &'a Channel<Vec3>)>,
}

/// The keys around a piece, and where it begins and ends between them, from 0 to 1.
#[derive(Clone, Copy, Debug, Default)]
struct KeySegment {
    from: usize,
    to: usize,
    s0: f64,
    s1: f64,
    seconds: f64,
}

impl<'a> KeyCurves<'a> {
    pub(super) fn new(skeleton: &'a Skeleton, animation: &'a Animation, is_rounded: bool) -> Self {
        let mut source = Self {
            times: Vec::new(),
            joints: (skeleton.joints().iter())
                .map(|joint| KeyedJoint {
                    rest: joint.rest,
                    position: None,
                    rotation: None,
                    scale: None,
                })
                .collect(),
            segments: Vec::new(),
            is_rounded,
        };
        let binding = animation.bind(skeleton);
        for (track, joint) in animation.tracks.iter().zip(binding.joints()) {
            let Some(joint) = joint else {
                continue;
            };
            // If several tracks move one joint, the last one wins, as when sampling.
            let index = joint.index();
            if let Some(channel) = &track.position {
                source.joints[index].position = Some((source.list(channel.times()), channel));
            }
            if let Some(channel) = &track.rotation {
                source.joints[index].rotation = Some((source.list(channel.times()), channel));
            }
            if let Some(channel) = &track.scale {
                source.joints[index].scale = Some((source.list(channel.times()), channel));
            }
        }
        source.segments = alloc::vec![KeySegment::default(); source.times.len()];
        source
    }

    /// The index of a list of key times, which is added if it is not known.
    fn list(&mut self, times: &'a KeyTimes) -> usize {
        let known = (self.times.iter()).rposition(|known| known.is_shared_with(times));
        known.unwrap_or_else(|| {
            self.times.push(times);
            self.times.len() - 1
        })
    }

    /// Whether a channel has step interpolation.
    pub(super) fn has_steps(&self) -> bool {
        fn steps<T: ChannelValue>(channel: &Option<(usize, &Channel<T>)>) -> bool {
            channel.is_some_and(|(_, channel)| {
                channel.values().len() > 1 && channel.interpolation() == Interpolation::Step
            })
        }
        (self.joints.iter())
            .any(|joint| steps(&joint.position) || steps(&joint.rotation) || steps(&joint.scale))
    }

    /// Whether all channels are equal.
    pub(super) fn is_same_as(&self, other: &Self) -> bool {
        fn is_same<T: PartialEq>(a: &Option<(usize, &T)>, b: &Option<(usize, &T)>) -> bool {
            a.map(|(_, channel)| channel) == b.map(|(_, channel)| channel)
        }
        let mut joints = self.joints.iter().zip(&other.joints);
        joints.all(|(a, b)| {
            is_same(&a.position, &b.position)
                && is_same(&a.rotation, &b.rotation)
                && is_same(&a.scale, &b.scale)
        })
    }

    /// Adds the times of keys to `breaks`.
    pub(super) fn breaks(&self, breaks: &mut Vec<f64>) {
        for times in &self.times {
            match times.rate() {
                Some(rate) => breaks.extend((0..times.len()).map(|key| key as f64 / rate)),
                None => breaks.extend(times.iter().map(f64::from)),
            }
        }
    }

    /// Writes the curves of all joints from `t0` to `t1` into `curves`.
    pub(super) fn curves(&mut self, t0: f64, t1: f64, curves: &mut Vec<JointCurve>) {
        for (segment, times) in self.segments.iter_mut().zip(&self.times) {
            *segment = key_segment(times, t0, t1);
        }
        curves.clear();
        for joint in &self.joints {
            let exact = |v: Vec3| v.to_array().map(f64::from);
            let vector = |channel: &Option<(usize, &Channel<Vec3>)>, rest: Vec3| match channel {
                Some((list, channel)) => vector_curve(channel, &self.segments[*list]),
                None => VectorCurve::constant(exact(rest)),
            };
            let rotation = match &joint.rotation {
                Some((list, channel)) => rotation_curve(channel, &self.segments[*list]),
                None => RotationCurve::Constant(unit(joint.rest.rotation)),
            };
            let position = vector(&joint.position, joint.rest.position);
            let slack = if self.is_rounded {
                let size = position.bounds(0.0, 1.0).size;
                Slack {
                    axes: rounding_of(&rotation, 0.0),
                    origin: 4.0 * f64::from(f32::EPSILON) * size,
                }
            } else {
                Slack::default()
            };
            curves.push(JointCurve {
                position,
                rotation,
                scale: (joint.scale.is_some() || joint.rest.scale != Vec3::ONE)
                    .then(|| vector(&joint.scale, joint.rest.scale)),
                slack,
            });
        }
    }
}

fn unit(q: Quat) -> Quaternion {
    normalized(q.to_array().map(f64::from))
}

/// The keys around a piece; the piece contains none, but for rounding.
fn key_segment(times: &KeyTimes, t0: f64, t1: f64) -> KeySegment {
    let last = times.len() - 1;
    // The sampler rounds a time next to a key to the key; so does a piece of zero length.
    let middle = match times.rate() {
        Some(rate) if t0 == t1 => t0 + ON_KEY * t0 + SAME_BREAK / rate,
        _ => 0.5 * (t0 + t1),
    };
    let time = |key: usize| match times.rate() {
        Some(rate) => key as f64 / rate,
        None => f64::from(times.get(key)),
    };
    let on = |key: usize| KeySegment {
        from: key,
        to: key,
        s0: 0.0,
        s1: 1.0,
        seconds: 0.0,
    };
    let from = match times.rate() {
        Some(rate) => ((middle * rate).max(0.0) as usize).min(last),
        None => {
            // The last key that is not after the middle.
            let (mut low, mut high) = (0, times.len());
            while low < high {
                let key = (low + high) / 2;
                if f64::from(times.get(key)) <= middle {
                    low = key + 1;
                } else {
                    high = key;
                }
            }
            match low.checked_sub(1) {
                Some(from) => from,
                None => return on(0),
            }
        }
    };
    if from == last {
        return on(last);
    }
    let (start, end) = (time(from), time(from + 1));
    let seconds = end - start;
    KeySegment {
        from,
        to: from + 1,
        s0: snap_to_ends((t0 - start) / seconds),
        s1: snap_to_ends((t1 - start) / seconds),
        seconds,
    }
}

/// The values around a piece, and for a cubic its slopes per segment.
fn keys<T: ChannelValue, const N: usize>(
    channel: &Channel<T>,
    segment: &KeySegment,
    numbers: impl Fn(T) -> [f64; N],
) -> ([[f64; N]; 2], Option<[[f64; N]; 2]>) {
    let value = |key: usize| numbers(channel.values()[key]);
    let slopes = match (
        channel.out_tangents().get(segment.from),
        channel.in_tangents().get(segment.to),
    ) {
        (Some(&out), Some(&into)) if segment.from != segment.to => {
            let whole = |slope: T| numbers(slope).map(|number| number * segment.seconds);
            Some([whole(out), whole(into)])
        }
        _ => None,
    };
    ([value(segment.from), value(segment.to)], slopes)
}

fn vector_curve(channel: &Channel<Vec3>, segment: &KeySegment) -> VectorCurve {
    let ([a, b], slopes) = keys(channel, segment, |v| v.to_array().map(f64::from));
    if segment.from == segment.to || channel.interpolation() == Interpolation::Step {
        return VectorCurve::constant(a);
    }
    let curve = match slopes {
        Some([out, into]) => VectorCurve(hermite(a, out, b, into)),
        None => VectorCurve::line(a, b),
    };
    curve.subcurve(segment.s0, segment.s1)
}

fn rotation_curve(channel: &Channel<Quat>, segment: &KeySegment) -> RotationCurve {
    let ([a, b], slopes) = keys(channel, segment, |q| q.to_array().map(f64::from));
    if segment.from == segment.to || channel.interpolation() == Interpolation::Step {
        return RotationCurve::Constant(normalized(a));
    }
    let curve = match slopes {
        Some([out, into]) => RotationCurve::Cubic(hermite(a, out, b, into)),
        None => RotationCurve::slerp(normalized(a), normalized(b)),
    };
    curve.subcurve(segment.s0, segment.s1)
}

/// The curves of a packed animation's samples.
pub(super) struct SampleCurves<'a> {
    samples: &'a PackedSamples<'a>,
    cursor: PackedCursor,
    pose: sinew::pose::Pose,
    /// The decoded components of two samples, by slot, and the index of the first sample.
    slots: [Vec<f32>; 2],
    sample_index: Option<usize>,
    /// By slot, the smallest and largest value in a segment, and the index of the segment.
    spread: Vec<[f32; 2]>,
    segment: Option<usize>,
    joints: Vec<SampledJoint>,
}

/// The constants of a joint.
struct SampledJoint {
    /// If it rotates: its first slot, and the matrix of its MRP frame.
    mrp: Option<(usize, [[f64; 4]; 4])>,
    rotation: Quaternion,
    position: Vector,
    scale: Vector,
    /// For position and scale, by axis: the slot and the offset that is added.
    linear: [[Option<(usize, f64)>; 3]; 2],
}

impl<'a> SampleCurves<'a> {
    pub(super) fn new(skeleton: &Skeleton, samples: &'a PackedSamples<'a>) -> Self {
        let assembly = &samples.assembly;
        let sampled_joint = |index: usize| {
            let (block, lane) = (index / LANES, index % LANES);
            let constant = &assembly.constant[block];
            let numbers = |axes: &[[f32; LANES]; 3]| axes.map(|numbers| f64::from(numbers[lane]));
            let rotating = assembly
                .rotating
                .iter()
                .position(|rotating| rotating.block as usize == block);
            SampledJoint {
                mrp: rotating.map(|index| {
                    let map = &assembly.rotating[index].map;
                    let map = map.map(|row| row.map(|numbers| f64::from(numbers[lane])));
                    (index * SLOTS + lane, map)
                }),
                rotation: normalized([0, 1, 2, 3].map(|i| f64::from(constant.rotation[i][lane]))),
                position: numbers(&constant.position),
                scale: numbers(&constant.scale),
                linear: [[None; 3]; 2],
            }
        };
        let mut joints: Vec<SampledJoint> = (0..skeleton.len()).map(sampled_joint).collect();
        let rotation_slots = assembly.rotating.len() * SLOTS;
        for (index, linear) in assembly.linear.iter().enumerate() {
            let joint = linear.block as usize * LANES + usize::from(linear.lane);
            if let Some(joint) = joints.get_mut(joint) {
                let slot = rotation_slots + index;
                let axis = usize::from(linear.axis);
                let kind = usize::from(linear.is_scale);
                joint.linear[kind][axis] = Some((slot, f64::from(linear.offset)));
            }
        }
        Self {
            samples,
            cursor: PackedCursor::new(),
            pose: sinew::pose::Pose::rest(skeleton),
            slots: [Vec::new(), Vec::new()],
            sample_index: None,
            spread: Vec::new(),
            segment: None,
            joints,
        }
    }

    /// Adds the times of samples to `breaks`.
    pub(super) fn breaks(&self, breaks: &mut Vec<f64>) {
        let rate = self.samples.head.rate;
        breaks.extend(
            (0..self.samples.head.sample_count).map(|sample_index| f64::from(sample_index) / rate),
        );
    }

    /// Writes the curves of all joints from `t0` to `t1` into `curves`.
    pub(super) fn curves(&mut self, t0: f64, t1: f64, curves: &mut Vec<JointCurve>) {
        let rate = self.samples.head.rate;
        let last = self.samples.head.sample_count as usize - 1;
        let sample_index = ((0.5 * (t0 + t1) * rate).max(0.0) as usize).min(last);
        self.read(sample_index, last);
        self.read_segment(sample_index / SEGMENT as usize, last);
        let (s0, s1) = if sample_index == last {
            (0.0, 1.0)
        } else {
            let ratio = |t: f64| snap_to_ends(t * rate - sample_index as f64);
            (ratio(t0), ratio(t1))
        };
        let is_slerp = self.samples.head.slerp_spans.has(sample_index);
        let epsilon = f64::from(f32::EPSILON);
        curves.clear();
        for joint in &self.joints {
            let number = |of: usize, slot: usize| f64::from(self.slots[of][slot]);
            let mut other_error = 0.0;
            let rotation = match &joint.mrp {
                None => RotationCurve::Constant(joint.rotation),
                Some((slot, map)) => {
                    let [a, b] =
                        [0, 1].map(|of| [0, 1, 2].map(|axis| number(of, slot + axis * LANES)));
                    // The map from MRP to the unit sphere has a slope of at most 1; rotations turn by twice as much.
                    let axes = [0, 1, 2].map(|axis| self.rounding(slot + axis * LANES));
                    other_error = 2.0 * super::curves::length(&axes);
                    if a == b {
                        RotationCurve::Constant(mrp_to_quat(&a, map))
                    } else if is_slerp {
                        let curve =
                            RotationCurve::slerp(mrp_to_quat(&a, map), mrp_to_quat(&b, map));
                        other_error += slerp_deviation(2.0 * curve.turn());
                        curve
                    } else {
                        RotationCurve::MrpLine {
                            from: a,
                            to: b,
                            map: *map,
                        }
                    }
                }
            };
            let vector = |kind: usize, constant: &Vector| {
                let [a, b] = [0, 1].map(|of| {
                    let value = |axis: usize| match joint.linear[kind][axis] {
                        Some((slot, offset)) => number(of, slot) + offset,
                        None => constant[axis],
                    };
                    [value(0), value(1), value(2)]
                });
                VectorCurve::line(a, b)
            };
            let position = vector(0, &joint.position);
            let scale = vector(1, &joint.scale);
            let is_scaled = joint.scale != [1.0; 3] || joint.linear[1] != [None; 3];
            let size = position.bounds(0.0, 1.0).size;
            // `bound` multiplies the rotation's slack by the scale; here the scale's own rounding is added.
            let rounding = |kind: usize| {
                let axes = joint.linear[kind];
                let axes = axes.map(|axis| axis.map_or(0.0, |(slot, _)| self.rounding(slot)));
                super::curves::length(&axes)
            };
            let scale_rounding = if is_scaled {
                rounding(1) + 4.0 * epsilon
            } else {
                0.0
            };
            let slack = Slack {
                axes: rounding_of(&rotation, other_error) + scale_rounding,
                origin: rounding(0)
                    + if joint.linear[0] == [None; 3] {
                        0.0
                    } else {
                        2.0 * epsilon * size
                    },
            };
            let slack = if joint.mrp.is_none() && !is_scaled {
                // Constants are not computed, only rounded once.
                Slack {
                    axes: epsilon,
                    ..slack
                }
            } else {
                slack
            };
            curves.push(JointCurve {
                position: position.subcurve(s0, s1),
                rotation: rotation.subcurve(s0, s1),
                scale: is_scaled.then(|| scale.subcurve(s0, s1)),
                slack,
            });
        }
    }

    /// A bound of the rounding of a slot while it is decoded and interpolated. Anchors and their differences are exact;
    /// residuals are differences from lines through values of the segment, each at most twice their spread.
    fn rounding(&self, slot: usize) -> f64 {
        let [low, high] = self.spread[slot].map(f64::from);
        let (size, spread) = (low.abs().max(high.abs()), high - low);
        f64::from(f32::EPSILON) * (size + 6.0 * spread)
    }

    /// Finds the smallest and largest value of each slot in a segment, the sample after its last one included.
    fn read_segment(&mut self, segment: usize, last: usize) {
        if self.segment == Some(segment) {
            return;
        }
        self.spread.clear();
        let first = segment * SEGMENT as usize;
        for sample_index in first..=(first + SEGMENT as usize).min(last) {
            let slots = sample_slots(
                self.samples,
                sample_index as u32,
                &mut self.cursor,
                &mut self.pose,
            );
            if self.spread.is_empty() {
                self.spread.extend(slots.iter().map(|&number| [number; 2]));
            }
            for (spread, &number) in self.spread.iter_mut().zip(slots) {
                *spread = [spread[0].min(number), spread[1].max(number)];
            }
        }
        self.segment = Some(segment);
    }

    /// Reads a sample and the next.
    fn read(&mut self, sample_index: usize, last: usize) {
        if self.sample_index == Some(sample_index) {
            return;
        }
        let known = self
            .sample_index
            .is_some_and(|previous| previous + 1 == sample_index);
        if known {
            self.slots.swap(0, 1);
        }
        for (of, sample_index) in [(0, sample_index), (1, (sample_index + 1).min(last))] {
            if of == 1 || !known {
                let slots = sample_slots(
                    self.samples,
                    sample_index as u32,
                    &mut self.cursor,
                    &mut self.pose,
                );
                self.slots[of].clear();
                self.slots[of].extend_from_slice(slots);
            }
        }
        self.sample_index = Some(sample_index);
    }
}

/// Sorts breaks, adds 0 and `length`, and removes duplicates.
pub(super) fn sorted_breaks(mut breaks: Vec<f64>, length: f64, rate: f64) -> Vec<f64> {
    breaks.retain(|&time| time > 0.0 && time < length);
    breaks.extend([0.0, length]);
    breaks.sort_by(f64::total_cmp);
    let same = SAME_BREAK / rate;
    breaks.dedup_by(|later, earlier| *later - *earlier <= same);
    // A break next to the end was kept instead of it.
    if let Some(last) = breaks.last_mut().filter(|last| **last > 0.0) {
        *last = length;
    }
    breaks
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests stop at the first surprise")]
mod tests {
    use super::*;
    use crate::compress::{CompressSettings, Profile, compress};
    use sinew::Transform;
    use sinew::internal::packed::Encoding;
    use sinew::math::quat_normalize;
    use sinew::pose::Pose;
    use sinew::skeleton::{Joint, JointIndex};

    /// Numbers from 0 to 1 that look random.
    fn numbers(mut seed: u64) -> impl FnMut() -> f64 {
        move || {
            seed = seed
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (seed >> 11) as f64 / (1u64 << 53) as f64
        }
    }

    /// Samples of the decoder in `f32` are within the stated slack of the exact curves, for joints that turn by a
    /// little and by up to half a turn per frame, in both profiles and both kinds of interpolation.
    #[test]
    fn samples_are_the_curves_but_for_the_slack() {
        let count = 17;
        let joint = |index: usize| Joint {
            name: alloc::format!("{index}"),
            parent: index.checked_sub(1).map(JointIndex::from),
            rest: Transform::from_position(Vec3::Y * 0.1),
            tip: None,
        };
        let skeleton = Skeleton::new((0..count).map(joint).collect()).unwrap();
        let (rate, frames) = (30.0, 50);
        let (mut used, mut kinds) = (0.0f64, [0; 2]);
        for (seed, step) in [0.01, 0.05, 0.3, 1.0, 3.0].into_iter().enumerate() {
            let mut random = numbers(seed as u64 + 1);
            let mut animation = Animation::new("spins", 49.0 / 30.0);
            animation.frame_rate = Some(rate);
            for index in 0..count {
                let axis = [random() - 0.5, random() - 0.5, random() - 0.5];
                let length = super::super::curves::length(&axis);
                let mut angle = 0.0;
                let rotations = (0..frames).map(|_| {
                    angle += step * random();
                    let sine = libm::sin(0.5 * angle) / length;
                    let [x, y, z] = axis.map(|number| (number * sine) as f32);
                    quat_normalize(Quat::from_xyzw(x, y, z, libm::cos(0.5 * angle) as f32))
                });
                let times = KeyTimes::uniform(rate, frames).unwrap();
                let rotations = rotations.collect();
                animation.tracks.push(sinew::animation::TransformTrack {
                    rotation: Some(Channel::new(times, rotations, Interpolation::Linear).unwrap()),
                    ..sinew::animation::TransformTrack::new(alloc::format!("{index}"))
                });
            }
            for profile in [Profile::Small, Profile::Fast] {
                let max_error = 1e-3;
                let settings = CompressSettings { max_error, profile };
                let packed = compress(&skeleton, &animation, &settings).unwrap();
                let Encoding::Samples(samples) = &packed.encoding else {
                    continue;
                };
                let mut source = SampleCurves::new(&skeleton, samples);
                let (mut cursor, mut pose) = (PackedCursor::new(), Pose::rest(&skeleton));
                let mut curves = Vec::new();
                for sample_index in 0..samples.head.sample_count as usize - 1 {
                    kinds[usize::from(samples.head.slerp_spans.has(sample_index))] += 1;
                    let [t0, t1] = [sample_index, sample_index + 1]
                        .map(|sample_index| sample_index as f64 / samples.head.rate);
                    source.curves(t0, t1, &mut curves);
                    for _ in 0..8 {
                        let time = (t0 + (t1 - t0) * random()) as f32;
                        let s = (f64::from(time) - t0) / (t1 - t0);
                        if !(0.0..=1.0).contains(&s) {
                            continue;
                        }
                        packed.sample(time, &mut cursor, &mut pose).unwrap();
                        for (index, curve) in curves.iter().enumerate() {
                            let exact = curve.rotation.at(s);
                            let q = pose.rotation(index.into()).to_array().map(f64::from);
                            let distance = |sign: f64| {
                                let difference = [0, 1, 2, 3].map(|i| q[i] - sign * exact[i]);
                                super::super::curves::length(&difference)
                            };
                            let share = 2.0 * distance(1.0).min(distance(-1.0)) / curve.slack.axes;
                            used = used.max(share);
                        }
                    }
                }
            }
        }
        assert!(kinds[0] > 20 && kinds[1] > 20, "{kinds:?}");
        // Within the slack, and the slack is not wastefully large.
        assert!((0.2..1.0).contains(&used), "{used}");
    }
}
