//! Decodes quantized samples to poses, scalar: the specification of [`super::kernel`].
//!
//! ```text
//! fast    x = step · (A0 + (A1 - A0) a + Σ Q q + Σ O o)                  weights: `packed/fast.rs`
//! small   x = step · (x0 + (x1 - x0) t)
//! pose    rotation = map · (u, 1 - |u|²/4) / (1 + |u|²/4),  position and scale = offset + x
//! ```
//!
//! Sums are in the order of the kernel's lanes, so both give the same bits. Cost: as the kernel, one
//! lane at a time.

use super::cursor::{PackedCursor, Pair};
use crate::packed::{
    FastSamples, Linear, Maps, PAIR_LANES, PoseAssembly, SLOTS, SampleLocation, SlerpRatio,
    Targets, fast_number,
};
use crate::pose::SoaTransform;
use crate::simd::LANES;

/// Reads the components at `ratio` between a sample and the next from a stream of fixed widths.
pub(super) fn read_fast(
    samples: &FastSamples<'_>,
    location: SampleLocation<'_>,
    ratio: f32,
    steps: &[[f32; LANES]],
    values: &mut [[f32; LANES]],
) {
    let weights = location.within.weights(ratio);
    for (group, (values, steps)) in values.iter_mut().zip(steps).enumerate() {
        for (lane, &step) in steps.iter().enumerate() {
            let Some([anchors, q, o]) = numbers_around(samples, location, group, lane) else {
                return;
            };
            let rest = (q[0] * weights.quarters[0] + q[1] * weights.quarters[1])
                + (o[0] * weights.others[0] + o[1] * weights.others[1]);
            values[lane] = (anchors[0] + (anchors[1] * weights.to_anchor + rest)) * step;
        }
    }
}

/// Reads the components of a sample and of the next from a stream of fixed widths.
pub(super) fn read_fast_pairs(
    samples: &FastSamples<'_>,
    location: SampleLocation<'_>,
    steps: &[[f32; LANES]],
    pairs: &mut [[Pair; LANES]],
) {
    let weights = location.within.sample_weights;
    for (group, (pairs, steps)) in pairs.iter_mut().zip(steps).enumerate() {
        for (lane, &step) in steps.iter().enumerate() {
            let Some([anchors, q, o]) = numbers_around(samples, location, group, lane) else {
                return;
            };
            for (sample_index, weights) in weights.iter().enumerate() {
                let rest = (q[0] * weights.quarters[0] + q[1] * weights.quarters[1])
                    + o[sample_index] * weights.other;
                let sum = anchors[0] + (anchors[1] * weights.to_anchor + rest);
                pairs[lane][sample_index] = sum * step;
            }
        }
    }
}

/// Returns the numbers around two samples in a lane of a group: the preceding anchor and its difference to the
/// following one, the quarters, and the residuals of both samples.
///
/// Each is an exact integer, so the rounding of a lane does not depend on the widths of other lanes.
fn numbers_around(
    samples: &FastSamples<'_>,
    location: SampleLocation<'_>,
    group: usize,
    lane: usize,
) -> Option<[[f32; 2]; 3]> {
    let offsets = samples.group_offsets(location.segment, group)?;
    let two = |bit: u32, width: u32, is_second: bool| {
        let after = if is_second { width } else { 0 };
        [bit, bit + after].map(|bit| fast_number(&samples.slices, lane, bit, width))
    };
    let [before, after] = samples.anchors(location.segment);
    let (first, second) = match (before.get(group), after.get(group)) {
        (Some(before), Some(after)) => (before[lane], after[lane]),
        _ => {
            let [before, after] = samples.read_anchors(location.segment, group);
            (before[0][lane], after[0][lane])
        }
    };
    let width = offsets.widths[0] & 31;
    let bit = offsets.quarters[0] + location.within.quarter * width;
    let quarters = two(bit, width, location.within.is_second_quarter);
    let width = offsets.widths[0] >> 8 & 31;
    let bit = offsets.others[0] + location.within.other * width;
    let others = two(bit, width, location.within.is_second_other);
    Some([[first, second - first], quarters, others])
}

/// Interpolates two decoded samples.
pub(super) fn read_small(
    [first, second]: [&[[f32; LANES]]; 2],
    ratio: f32,
    steps: &[[f32; LANES]],
    values: &mut [[f32; LANES]],
) {
    let groups = first.iter().zip(second).zip(steps);
    for (((first, second), steps), values) in groups.zip(values) {
        for lane in 0..LANES {
            let (a, b) = (first[lane], second[lane]);
            values[lane] = (a + (b - a) * ratio) * steps[lane];
        }
    }
}

/// Returns the components of two decoded samples.
pub(super) fn read_small_pairs(
    [first, second]: [&[[f32; LANES]]; 2],
    steps: &[[f32; LANES]],
    pairs: &mut [[Pair; LANES]],
) {
    let groups = first.iter().zip(second).zip(steps);
    for (((first, second), steps), pairs) in groups.zip(pairs) {
        for lane in 0..LANES {
            pairs[lane] = [first[lane] * steps[lane], second[lane] * steps[lane]];
        }
    }
}

/// Composes a pose from interpolated components.
pub(super) fn assemble(
    assembly: &PoseAssembly,
    cursor: &mut PackedCursor,
    pose: &mut [SoaTransform],
) {
    scatter(&assembly.targets, &cursor.values, &mut cursor.slots);
    pose.copy_from_slice(&assembly.constant);
    let (slots, _) = cursor.slots.as_chunks::<SLOTS>();
    for (rotating, slots) in assembly.rotating.iter().zip(slots) {
        let Some(block) = pose.get_mut(rotating.block as usize) else {
            continue;
        };
        for lane in 0..LANES {
            let [x, y, z] = [0, 1, 2].map(|axis| slots[axis * LANES + lane]);
            let quarter = (x * x + y * y + z * z) * 0.25;
            let shrink = 1.0 / (1.0 + quarter);
            let q = [x * shrink, y * shrink, z * shrink, (1.0 - quarter) * shrink];
            let rotation = mapped(&rotating.map, lane, q);
            for (lanes, number) in block.rotation.iter_mut().zip(rotation) {
                lanes[lane] = number;
            }
        }
    }
    set_linear(assembly, cursor, pose);
}

/// Composes a pose at `ratio` between two samples: positions and scales linearly, rotations by slerp.
pub(super) fn assemble_slerp(
    assembly: &PoseAssembly,
    ratio: f32,
    cursor: &mut PackedCursor,
    pose: &mut [SoaTransform],
) {
    scatter(
        &assembly.pair_targets,
        &cursor.pairs,
        &mut cursor.pair_slots,
    );
    pose.copy_from_slice(&assembly.constant);
    let slerp = SlerpRatio::new(ratio);
    let (slots, _) = cursor.pair_slots.as_chunks::<SLOTS>();
    for (rotating, slots) in assembly.rotating.iter().zip(slots) {
        let Some(block) = pose.get_mut(rotating.block as usize) else {
            continue;
        };
        for lane in 0..LANES {
            let [x, y, z] = [0, 1, 2].map(|axis| slots[axis * LANES + PAIR_LANES[lane]]);
            let q = slerp_coordinates(&slerp, [x[0], y[0], z[0]], [x[1], y[1], z[1]]);
            let rotation = mapped(&rotating.map, lane, q);
            for (lanes, number) in block.rotation.iter_mut().zip(rotation) {
                lanes[lane] = number;
            }
        }
    }
    set_linear_pairs(assembly, ratio, cursor, pose);
}

/// Interpolates two rotations in an MRP frame by slerp; returns a unit quaternion before the frame's map.
///
/// The coordinates `a` are those of the unit quaternion `(a, 1 - |a|²/4) / (1 + |a|²/4)`, and the squared distance of
/// two such quaternions is `|b - a|² / ((1 + |a|²/4) (1 + |b|²/4))` (stereographic projection), so
/// `T = tan² h = |b - a|² / (4 (1 + |a|²/4) (1 + |b|²/4) - |b - a|²)`: the squared distance of the quaternions over
/// that of one and the negated other. If `T` is above 1, `-b` is nearer: `T` is inverted and `b` negated.
fn slerp_coordinates(slerp: &SlerpRatio, a: [f32; 3], b: [f32; 3]) -> [f32; 4] {
    let quarter = |[x, y, z]: [f32; 3]| (x * x + y * y + z * z) * 0.25;
    let (a_quarter, b_quarter) = (quarter(a), quarter(b));
    let (a_length, b_length) = (1.0 + a_quarter, 1.0 + b_quarter);
    let [dx, dy, dz] = [b[0] - a[0], b[1] - a[1], b[2] - a[2]];
    let near = dx * dx + dy * dy + dz * dz;
    let far = a_length * b_length * 4.0 - near;
    let is_opposite = far < near;
    let t = if is_opposite { far / near } else { near / far };
    let s = slerp.at(t);
    let half = libm::sqrtf((1.0 + t) / (1.0 + s * s * t)) * 0.5;
    let from = (1.0 - s) * half / a_length;
    let to = (1.0 + s) * half / b_length;
    let to = if is_opposite { -to } else { to };
    [
        a[0] * from + b[0] * to,
        a[1] * from + b[1] * to,
        a[2] * from + b[2] * to,
        (1.0 - a_quarter) * from + (1.0 - b_quarter) * to,
    ]
}

fn mapped(map: &Maps, lane: usize, q: [f32; 4]) -> [f32; 4] {
    map.map(|row| {
        let row = row.map(|numbers| numbers[lane]);
        row[0] * q[0] + row[1] * q[1] + row[2] * q[2] + row[3] * q[3]
    })
}

/// Writes components to their slots.
fn scatter<T: Copy>(targets: &Targets, groups: &[[T; LANES]], slots: &mut [T]) {
    let mut put = |group: usize, lane: usize, target: usize| {
        if let (Some(values), Some(slot)) = (groups.get(group), slots.get_mut(target)) {
            *slot = values[lane];
        }
    };
    match targets {
        Targets::U8(targets) => {
            for (group, targets) in targets.iter().enumerate() {
                for (lane, &target) in targets.iter().enumerate() {
                    put(group, lane, usize::from(target));
                }
            }
        }
        Targets::U32(targets) => {
            for (group, targets) in targets.iter().enumerate() {
                for (lane, &target) in targets.iter().enumerate() {
                    put(group, lane, target as usize);
                }
            }
        }
    }
}

/// Sets animated positions and scales.
#[inline(always)]
pub(super) fn set_linear(
    assembly: &PoseAssembly,
    cursor: &PackedCursor,
    pose: &mut [SoaTransform],
) {
    let rotation_slots = assembly.rotating.len() * SLOTS;
    let linear_slots = cursor.slots.get(rotation_slots..).unwrap_or(&[]);
    for (linear, &value) in assembly.linear.iter().zip(linear_slots) {
        set_number(linear, value, pose);
    }
}

/// As [`set_linear`], from the components of both samples.
#[inline(always)]
pub(super) fn set_linear_pairs(
    assembly: &PoseAssembly,
    ratio: f32,
    cursor: &PackedCursor,
    pose: &mut [SoaTransform],
) {
    let rotation_slots = assembly.rotating.len() * SLOTS;
    let linear_slots = cursor.pair_slots.get(rotation_slots..).unwrap_or(&[]);
    for (linear, &[from, to]) in assembly.linear.iter().zip(linear_slots) {
        set_number(linear, from + (to - from) * ratio, pose);
    }
}

#[inline(always)]
fn set_number(linear: &Linear, value: f32, pose: &mut [SoaTransform]) {
    let Some(block) = pose.get_mut(linear.block as usize) else {
        return;
    };
    let axes = if linear.is_scale {
        &mut block.scale
    } else {
        &mut block.position
    };
    if let Some(lanes) = axes.get_mut(usize::from(linear.axis)) {
        lanes[usize::from(linear.lane) % LANES] = value + linear.offset;
    }
}
