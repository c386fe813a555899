//! What a packed animation spends on each joint.

use super::fast::{SEGMENT, counts, widths};
use super::head::{JointHead, LinearHead, RotationHead};
use super::{Body, FastRows, PackedAnimation, Rows, Stream};
use crate::simd::LANES;
use alloc::vec::Vec;

/// How a channel is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ChannelPacking {
    /// As the skeleton rests.
    Rest,
    /// The same all the time.
    Constant,
    /// It moves; this many of its numbers do.
    Moving(u8),
}

/// What a packed animation spends on a joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointCost {
    /// How its position is kept.
    pub position: ChannelPacking,
    /// How its rotation is kept.
    pub rotation: ChannelPacking,
    /// How its scale is kept.
    pub scale: ChannelPacking,
    /// Bytes, its share of tables included. They sum to the whole but for some bytes of a header.
    pub bytes: f64,
}

impl PackedAnimation<'_> {
    /// What is spent on each joint; allocates, and reads through the stream.
    pub fn joint_costs(&self) -> Vec<JointCost> {
        match &self.body {
            Body::Rows(rows) => rows_costs(rows),
            _ => {
                let joints = (0..self.joints).map(|joint| {
                    let channels = self.channels(joint.into());
                    let kept = |is_kept: bool, numbers: u8| {
                        if is_kept {
                            ChannelPacking::Moving(numbers)
                        } else {
                            ChannelPacking::Rest
                        }
                    };
                    JointCost {
                        position: kept(channels.position, 3),
                        rotation: kept(channels.rotation, 4),
                        scale: kept(channels.scale, 3),
                        bytes: match &self.body {
                            Body::Keys(keys) => keys.joint_bytes(joint.into()) as f64,
                            Body::Plain(plain) => {
                                super::plain::joint_len(plain, joint as u32) as f64
                            }
                            Body::Rows(_) => 0.0,
                        },
                    }
                });
                joints.collect()
            }
        }
    }
}

fn rows_costs(rows: &Rows<'_>) -> Vec<JointCost> {
    let bits = match &rows.stream {
        Stream::Small(small) => small.component_bits(),
        Stream::Fast(fast) => fast_bits(fast),
    };
    // From the order of the stream to that of the head.
    let mut by_component = alloc::vec![0.0; rows.order.len()];
    for (place, &component) in rows.order.iter().enumerate() {
        by_component[component as usize] = bits.get(place).copied().unwrap_or(0.0) / 8.0;
    }
    let per_component = match rows.stream {
        Stream::Small(_) => 1.0,
        Stream::Fast(_) => 3.0,
    };
    let mut next = by_component.into_iter();
    let cost = |joint: &JointHead| {
        let count = joint.components().iter().filter(|&&is| is).count();
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
                RotationHead::Charted { components, .. } => moving(components),
            },
            scale: linear(joint.scale),
            bytes: spent + super::bytes::joint_len(joint) as f64,
        }
    };
    rows.head.joints.iter().map(cost).collect()
}

fn linear(head: LinearHead) -> ChannelPacking {
    match head {
        LinearHead::Rest => ChannelPacking::Rest,
        LinearHead::Given { components, .. } => moving(components),
    }
}

fn moving(components: [bool; 3]) -> ChannelPacking {
    match components.iter().filter(|&&is| is).count() {
        0 => ChannelPacking::Constant,
        count => ChannelPacking::Moving(count as u8),
    }
}

/// The bits of each component of a stream of fixed widths, what fills up its group shared.
fn fast_bits(rows: &FastRows<'_>) -> Vec<f64> {
    let segments = f64::from(FastRows::segments(rows.rows));
    let anchors = rows.anchor_widths();
    let mut bits: Vec<f64> = anchors
        .map(|width| f64::from(width) * (segments + 1.0))
        .collect();
    let mut codes = rows.width_codes();
    for segment in 0..FastRows::segments(rows.rows) {
        let (quarters, others) = counts((rows.rows - segment * SEGMENT).min(SEGMENT));
        for (bits, code) in bits.iter_mut().zip(codes.by_ref()) {
            let [quarter, other] = widths(code);
            // The widths themselves are a byte for eight lanes.
            *bits += f64::from(quarters * quarter + others * other) + 1.0;
        }
    }
    bits.iter().flat_map(|&bits| [bits; LANES]).collect()
}
