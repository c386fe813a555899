//! The bytes that a packed animation spends on each joint.
//!
//! A joint costs its head, that is constants, averages and axes, and the stored bits of each moving component over all
//! segments, with its share of tables and padding; the sum over all joints is the size of the file without its header.
//! The profile `small` has variable-length codes, so every segment is decoded to count its bits; `fast` has fixed widths per
//! segment, which are added up. The profile `keyframes` stores curves of whole channels, whose components are known to
//! move only from their values, so every frame is sampled.

use crate::packed;
use alloc::format;
use alloc::vec::Vec;
use sinew::animation::Channel;
use sinew::glam::{Quat, Vec3};
use sinew::internal::packed::{
    Encoding, FastSamples, JointHead, LinearHead, PackedSamples, Plain, RotationHead, SEGMENT,
    Stream, counts, widths,
};
use sinew::math::{quat_dot, quat_negate};
use sinew::packed::PackedAnimation;
use sinew::packed::keyframes::KeyedAnimation;
use sinew::simd::LANES;
use sinew::{Joint, JointIndex, Pose, Skeleton, Transform};

/// The storage of a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ChannelPacking {
    /// Not at all: it is as in the rest pose.
    Rest,
    /// As one value.
    Constant,
    /// As a curve; this many of its components change.
    Moving(u8),
}

/// The storage of a joint in a packed animation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointCost {
    /// Storage of the position.
    pub position: ChannelPacking,
    /// Storage of the rotation.
    pub rotation: ChannelPacking,
    /// Storage of the scale.
    pub scale: ChannelPacking,
    /// Bytes, with its share of tables. Over all joints they sum to the size of the animation without its header.
    pub bytes: f64,
}

/// Returns the bytes that are spent on each joint, and the storage of its channels. Reads the whole animation.
pub fn joint_costs(animation: &PackedAnimation<'_>) -> Vec<JointCost> {
    match &animation.encoding {
        Encoding::Samples(samples) => sample_costs(samples),
        Encoding::Keys(keys) => keys_costs(keys),
        Encoding::Plain(plain) => plain_costs(plain, animation.joints),
    }
}

/// The components of a channel that change.
#[derive(Clone, Copy)]
struct Spread<const N: usize> {
    first: Option<[f32; N]>,
    moves: [bool; N],
}

impl<const N: usize> Spread<N> {
    const NONE: Self = Self {
        first: None,
        moves: [false; N],
    };

    /// Adds a value. Components within `near` of the first value count as equal to it.
    fn add(&mut self, value: [f32; N], near: f32) {
        let first = *self.first.get_or_insert(value);
        for ((moves, value), first) in self.moves.iter_mut().zip(value).zip(first) {
            *moves |= (value - first).abs() > near * first.abs().max(1.0);
        }
    }

    fn packing(&self) -> ChannelPacking {
        match self.moves.iter().filter(|&&moves| moves).count() {
            0 => ChannelPacking::Constant,
            count => ChannelPacking::Moving(count as u8),
        }
    }
}

impl Spread<4> {
    /// Adds a rotation; a quaternion and its negative are the same rotation.
    fn turn(&mut self, value: Quat, near: f32) {
        let is_opposite = self
            .first
            .is_some_and(|first| quat_dot(Quat::from_array(first), value) < 0.0);
        let value = if is_opposite {
            quat_negate(value)
        } else {
            value
        };
        self.add(value.to_array(), near);
    }
}

/// Rounding of curves through equal keys, in metres and components of a unit quaternion.
const ROUNDING: f32 = 1e-6;

fn keys_costs(keys: &KeyedAnimation) -> Vec<JointCost> {
    let count = keys.joint_count();
    let mut positions = alloc::vec![Spread::<3>::NONE; count];
    let mut rotations = alloc::vec![Spread::<4>::NONE; count];
    let mut scales = alloc::vec![Spread::<3>::NONE; count];
    let moved: Vec<JointIndex> = keys.joints().collect();
    // Curves are sampled into a pose, which needs a skeleton; its rest pose does not matter.
    let stand_in = (0..count).map(|index| Joint {
        name: format!("{index}"),
        parent: None,
        rest: Transform::IDENTITY,
        tip: None,
    });
    let mut pose = Skeleton::new(stand_in.collect()).map(|stand_in| Pose::rest(&stand_in));
    for frame in 0..keys.frame_count() {
        let time = (frame as f64 / keys.frame_rate()) as f32;
        let Ok(pose) = &mut pose else { break };
        if keys.sample(time, pose).is_err() {
            break;
        }
        for &joint in &moved {
            let index = joint.index();
            positions[index].add(pose.position(joint).to_array(), ROUNDING);
            rotations[index].turn(pose.rotation(joint), ROUNDING);
            scales[index].add(pose.scale(joint).to_array(), ROUNDING);
        }
    }
    let costs = (0..count).map(|index| {
        let channels = keys.channels(index.into());
        let kept = |is_kept: bool, packing| match is_kept {
            true => packing,
            false => ChannelPacking::Rest,
        };
        JointCost {
            position: kept(channels.position, positions[index].packing()),
            rotation: kept(channels.rotation, rotations[index].packing()),
            scale: kept(channels.scale, scales[index].packing()),
            bytes: packed::keyframes::joint_len(keys, index.into()) as f64,
        }
    });
    costs.collect()
}

fn plain_costs(plain: &Plain, joints: usize) -> Vec<JointCost> {
    let rest = JointCost {
        position: ChannelPacking::Rest,
        rotation: ChannelPacking::Rest,
        scale: ChannelPacking::Rest,
        bytes: 0.0,
    };
    let mut costs = alloc::vec![rest; joints];
    let tracks = plain.animation.tracks.iter().zip(plain.binding.joints());
    for (track, joint) in tracks {
        let Some((joint, cost)) =
            joint.and_then(|joint| Some((joint, costs.get_mut(joint.index())?)))
        else {
            continue;
        };
        *cost = JointCost {
            position: vectors(track.position.as_ref()),
            rotation: track.rotation.as_ref().map_or(ChannelPacking::Rest, turns),
            scale: vectors(track.scale.as_ref()),
            bytes: packed::plain_joint_len(plain, joint.0) as f64,
        };
    }
    costs
}

fn vectors(channel: Option<&Channel<Vec3>>) -> ChannelPacking {
    let Some(channel) = channel else {
        return ChannelPacking::Rest;
    };
    let mut spread = Spread::<3>::NONE;
    for value in channel.values() {
        spread.add(value.to_array(), 0.0);
    }
    // A curve through equal keys still moves if it has tangents.
    let slopes = channel.in_tangents().iter().chain(channel.out_tangents());
    for slope in slopes {
        for (moves, slope) in spread.moves.iter_mut().zip(slope.to_array()) {
            *moves |= slope != 0.0;
        }
    }
    spread.packing()
}

fn turns(channel: &Channel<Quat>) -> ChannelPacking {
    let mut spread = Spread::<4>::NONE;
    for &value in channel.values() {
        spread.turn(value, 0.0);
    }
    let slopes = channel.in_tangents().iter().chain(channel.out_tangents());
    for slope in slopes {
        for (moves, slope) in spread.moves.iter_mut().zip(slope.to_array()) {
            *moves |= slope != 0.0;
        }
    }
    spread.packing()
}

fn sample_costs(samples: &PackedSamples<'_>) -> Vec<JointCost> {
    let bits = match &samples.stream {
        Stream::Small(small) => small.component_bits(),
        Stream::Fast(fast) => fast_bits(fast),
    };
    // From the order of the stream to that of the header.
    let mut by_component = alloc::vec![0.0; samples.order.len()];
    for (place, &component) in samples.order.iter().enumerate() {
        by_component[component as usize] = bits.get(place).copied().unwrap_or(0.0) / 8.0;
    }
    let per_component = match samples.stream {
        Stream::Small(_) => 1.0,
        Stream::Fast(_) => 3.0,
    };
    let mut next = by_component.into_iter();
    let cost = |joint: &JointHead| {
        let count = joint
            .components()
            .iter()
            .filter(|&&is_component| is_component)
            .count();
        let spent: f64 = next
            .by_ref()
            .take(count)
            .map(|bytes| bytes + per_component)
            .sum();
        JointCost {
            position: linear(joint.position),
            rotation: match joint.rotation {
                RotationHead::Rest => ChannelPacking::Rest,
                RotationHead::Fixed(_) => ChannelPacking::Constant,
                RotationHead::Mrp { components, .. } => moving(components),
            },
            scale: linear(joint.scale),
            bytes: spent + packed::joint_len(joint) as f64,
        }
    };
    samples.head.joints.iter().map(cost).collect()
}

fn linear(head: LinearHead) -> ChannelPacking {
    match head {
        LinearHead::Rest => ChannelPacking::Rest,
        LinearHead::Given { components, .. } => moving(components),
    }
}

fn moving(components: [bool; 3]) -> ChannelPacking {
    match components
        .iter()
        .filter(|&&is_component| is_component)
        .count()
    {
        0 => ChannelPacking::Constant,
        count => ChannelPacking::Moving(count as u8),
    }
}

/// The bits of each component of a `fast` stream; components share the padding of their group.
fn fast_bits(samples: &FastSamples<'_>) -> Vec<f64> {
    let segments = f64::from(FastSamples::segments(samples.sample_count));
    let anchors = samples.anchor_widths();
    let mut bits: Vec<f64> = anchors
        .map(|width| f64::from(width) * (segments + 1.0))
        .collect();
    let mut codes = samples.width_codes();
    for segment in 0..FastSamples::segments(samples.sample_count) {
        let (quarters, others) = counts((samples.sample_count - segment * SEGMENT).min(SEGMENT));
        for (bits, code) in bits.iter_mut().zip(codes.by_ref()) {
            let [quarter, other] = widths(code);
            // The widths themselves take a byte per eight lanes.
            *bits += f64::from(quarters * quarter + others * other) + 1.0;
        }
    }
    bits.iter().flat_map(|&bits| [bits; LANES]).collect()
}
