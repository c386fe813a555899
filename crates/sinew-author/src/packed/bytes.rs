//! Writes packed animations. `packed/bytes.rs` of `sinew` has the layout.

use super::{keyframes, plain};
use alloc::vec::Vec;
use sinew::internal::packed::{
    Encoding, JointHead, LinearHead, PackedSamples, RotationHead, SlerpSpans, Stream,
};
use sinew::packed::PackedAnimation;
use sinew::simd::LANES;

/// Returns the bytes of a packed animation without its info, for [`PackedAnimation::from_bytes`].
pub fn to_bytes(animation: &PackedAnimation<'_>) -> Vec<u8> {
    let mut bytes = Vec::new();
    let packing = match &animation.encoding {
        Encoding::Samples(samples) => match samples.stream {
            Stream::Small(_) => 0,
            Stream::Fast(_) => 1,
        },
        Encoding::Keys(_) => 2,
        Encoding::Plain(_) => 3u32,
    };
    bytes.extend(packing.to_le_bytes());
    bytes.extend((animation.joints as u32).to_le_bytes());
    bytes.extend(animation.max_error.to_le_bytes());
    bytes.extend(animation.error.to_le_bytes());
    match &animation.encoding {
        Encoding::Samples(samples) => write_samples(samples, &mut bytes),
        Encoding::Keys(keys) => keyframes::write(keys, &mut bytes),
        Encoding::Plain(plain) => plain::write(plain, &mut bytes),
    }
    bytes
}

/// Returns the length of [`to_bytes`], without writing it.
pub fn byte_len(animation: &PackedAnimation<'_>) -> usize {
    16 + match &animation.encoding {
        Encoding::Samples(samples) => samples_len(samples),
        Encoding::Keys(keys) => keyframes::byte_len(keys),
        Encoding::Plain(plain) => plain::len(plain),
    }
}

fn flags(joint: &JointHead) -> u16 {
    let mask = |bits: [bool; 3]| {
        let bits = bits.iter().enumerate();
        bits.fold(0u16, |mask, (index, &bit)| mask | u16::from(bit) << index)
    };
    let linear = |head: LinearHead| match head {
        LinearHead::Rest => 0,
        LinearHead::Given { components, .. } => 1 | mask(components) << 1,
    };
    let rotation = match joint.rotation {
        RotationHead::Rest => 0,
        RotationHead::Fixed(_) => 1,
        RotationHead::Mrp { frame, components } => {
            (2 + u16::from(frame.is_fine)) | mask(components) << 2
        }
    };
    mask(joint.moved) | rotation << 3 | linear(joint.position) << 8 | linear(joint.scale) << 12
}

fn write_samples(samples: &PackedSamples<'_>, bytes: &mut Vec<u8>) {
    let head = &samples.head;
    bytes.extend(head.rate.to_le_bytes());
    bytes.extend(head.sample_count.to_le_bytes());
    for joint in &head.joints {
        bytes.extend(flags(joint).to_le_bytes());
    }
    for joint in &head.joints {
        match joint.rotation {
            RotationHead::Rest => {}
            RotationHead::Fixed(packed) => bytes.extend(packed.to_le_bytes()),
            RotationHead::Mrp { frame, .. } if frame.is_fine => {
                bytes.extend(frame.mean.to_le_bytes());
                bytes.extend(frame.axes.to_le_bytes());
            }
            RotationHead::Mrp { frame, .. } => {
                bytes.extend((frame.mean as u32).to_le_bytes());
                bytes.extend((frame.axes as u32).to_le_bytes());
            }
        }
        for linear in [joint.position, joint.scale] {
            if let LinearHead::Given { values, .. } = linear {
                bytes.extend(values.into_iter().flat_map(f32::to_le_bytes));
            }
        }
    }
    match &head.slerp_spans {
        SlerpSpans::Nowhere => bytes.push(0),
        SlerpSpans::Everywhere => bytes.push(1),
        SlerpSpans::Some(bits) => {
            bytes.push(2);
            bytes.extend_from_slice(bits);
        }
    }
    bytes.extend_from_slice(&head.steps);
    match &samples.stream {
        Stream::Small(small) => {
            bytes.extend(small.orders.0);
            pad(bytes);
            bytes.extend((small.words.len() as u32).to_le_bytes());
            let starts = small.starts.iter().flatten();
            bytes.extend(
                starts
                    .chain(small.words.iter())
                    .flat_map(|word| word.to_le_bytes()),
            );
        }
        Stream::Fast(fast) => {
            let order = samples
                .order
                .iter()
                .flat_map(|&component| (component as u16).to_le_bytes());
            bytes.extend(order);
            bytes.extend(fast.anchor_widths());
            bytes.extend(fast.width_codes());
            pad(bytes);
            bytes.extend((fast.slices.len() as u32).to_le_bytes());
            bytes.extend_from_slice(fast.slices.as_flattened());
        }
    }
}

fn pad(bytes: &mut Vec<u8>) {
    bytes.resize(bytes.len().next_multiple_of(4), 0);
}

/// Returns the number of bytes of a joint in the head, without the quantization steps of its components.
pub(crate) fn joint_len(joint: &JointHead) -> usize {
    let rotation = match joint.rotation {
        RotationHead::Rest => 0,
        RotationHead::Fixed(_) => 8,
        RotationHead::Mrp { frame, .. } => 8 + 8 * usize::from(frame.is_fine),
    };
    let given = |head: LinearHead| 12 * usize::from(head != LinearHead::Rest);
    2 + rotation + given(joint.position) + given(joint.scale)
}

fn samples_len(samples: &PackedSamples<'_>) -> usize {
    let joints: usize = samples.head.joints.iter().map(joint_len).sum();
    let spans = match &samples.head.slerp_spans {
        SlerpSpans::Some(bits) => 1 + bits.len(),
        SlerpSpans::Nowhere | SlerpSpans::Everywhere => 1,
    };
    let head = 12 + joints + spans + samples.head.steps.len();
    match &samples.stream {
        Stream::Small(small) => {
            let tables = (16 + head + 3).next_multiple_of(4) - 16;
            tables + 4 + 8 * small.starts.len() + 4 * small.words.len()
        }
        Stream::Fast(fast) => {
            let tables =
                2 * samples.order.len() + fast.anchor_widths().count() + fast.width_codes().count();
            let tables = (16 + head + tables).next_multiple_of(4) - 16;
            tables + 4 + LANES * fast.slices.len()
        }
    }
}
