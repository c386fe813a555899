//! What sampling packed rows computes, number by number.

use super::cursor::PackedCursor;
use crate::math::{quat_dot, quat_weighted};
use crate::packed::{Compose, FastRows, Maps, NEAR, Place, SLOTS, Targets, Word};
use crate::pose::SoaTransform;
use crate::simd::LANES;
use glam::Quat;

/// Reads components `ratio` of the way from a row to the next from a stream of fixed widths.
pub(super) fn read_fast(
    rows: &FastRows<'_>,
    place: Place<'_>,
    ratio: f32,
    steps: &[[f32; LANES]],
    values: &mut [[f32; LANES]],
) {
    let weights = place.within.weights(ratio);
    for (group, (values, steps)) in values.iter_mut().zip(steps).enumerate() {
        let Some(at) = rows.groups_at(place.segment, group) else {
            return;
        };
        for (lane, &step) in steps.iter().enumerate() {
            let two = |bit: u32, width: u32, is_second: bool| {
                let after = if is_second { width } else { 0 };
                [bit, bit + after].map(|bit| bits(&rows.words, lane, bit, width))
            };
            let width = at.anchor_widths[0];
            let a = two(at.anchors[0] + place.segment * width, width, true);
            let half_anchors = half(width);
            let width = at.widths[0] & 31;
            let bit = at.quarters[0] + place.within.quarter * width;
            let q = two(bit, width, place.within.is_second_quarter);
            let half_quarters = half(width);
            let width = at.widths[0] >> 8 & 31;
            let bit = at.others[0] + place.within.other * width;
            let o = two(bit, width, place.within.is_second_other);
            let half_others = half(width);
            let sum = a[0] * weights.anchors[0]
                + a[1] * weights.anchors[1]
                + q[0] * weights.quarters[0]
                + q[1] * weights.quarters[1]
                + o[0] * weights.others[0]
                + o[1] * weights.others[1];
            // Numbers are written from minus half of what their bits could say on.
            let below = half_anchors
                + half_quarters * (weights.quarters[0] + weights.quarters[1])
                + half_others * (weights.others[0] + weights.others[1]);
            values[lane] = (sum - below) * step;
        }
    }
}

/// What some bits of a lane say.
fn bits(words: &[Word], lane: usize, bit: u32, width: u32) -> f32 {
    let word = |at: usize| words.get(at).map_or(0, |word| u64::from(word[lane]));
    let at = (bit / 32) as usize;
    let both = word(at) | word(at + 1) << 32;
    ((both >> (bit % 32)) as u32 & ((1 << width) - 1)) as f32
}

/// Half of what so many bits could say.
fn half(width: u32) -> f32 {
    ((1u32 << width) / 2) as f32
}

/// Mixes two rows that are unpacked.
pub(super) fn read_small(
    [first, second]: [&[[f32; LANES]]; 2],
    ratio: f32,
    steps: &[[f32; LANES]],
    values: &mut [[f32; LANES]],
) {
    let rows = first.iter().zip(second).zip(steps);
    for (((first, second), steps), values) in rows.zip(values) {
        for lane in 0..LANES {
            let (a, b) = (first[lane], second[lane]);
            values[lane] = (a + (b - a) * ratio) * steps[lane];
        }
    }
}

/// Makes a pose of components.
pub(super) fn compose(compose: &Compose, cursor: &mut PackedCursor, pose: &mut [SoaTransform]) {
    scatter(compose, cursor);
    pose.copy_from_slice(&compose.constant);
    let (slots, _) = cursor.slots.as_chunks::<SLOTS>();
    for (turning, slots) in compose.turning.iter().zip(slots) {
        let Some(block) = pose.get_mut(turning.block as usize) else {
            continue;
        };
        for lane in 0..LANES {
            let [x, y, z] = [0, 1, 2].map(|axis| slots[axis * LANES + lane]);
            let quarter = (x * x + y * y + z * z) * 0.25;
            let shrink = 1.0 / (1.0 + quarter);
            let q = [x * shrink, y * shrink, z * shrink, (1.0 - quarter) * shrink];
            let rotation = mapped(&turning.map, lane, q);
            for (row, number) in block.rotation.iter_mut().zip(rotation) {
                row[lane] = number;
            }
        }
    }
    set_linear(compose, cursor, pose);
}

/// Sets the rotations of paired joints, `ratio` of the way from a row to the next.
pub(super) fn compose_pairs(
    compose: &Compose,
    ratio: f32,
    cursor: &mut PackedCursor,
    pose: &mut [SoaTransform],
) {
    scatter_pairs(compose, cursor);
    for (paired, slots) in compose.paired.iter().zip(&cursor.pair_slots) {
        for (lane, &joint) in paired.joints.iter().enumerate() {
            let [first, second] = slots.map(|row| row.map(|axis| axis[lane]));
            let q = mixed(first, second, ratio).to_array();
            let q = Quat::from_array(mapped(&paired.map, lane, q));
            // Between two rotations that are at most half a turn apart the length is at least half of 1.
            let inverse = 1.0 / libm::sqrtf(quat_dot(q, q));
            let (block, lane) = (joint as usize / LANES, joint as usize % LANES);
            if let Some(block) = pose.get_mut(block) {
                for (row, number) in block.rotation.iter_mut().zip(q.to_array()) {
                    row[lane] = number * inverse;
                }
            }
        }
    }
}

fn mapped(map: &Maps, lane: usize, q: [f32; 4]) -> [f32; 4] {
    map.map(|row| {
        let row = row.map(|numbers| numbers[lane]);
        row[0] * q[0] + row[1] * q[1] + row[2] * q[2] + row[3] * q[3]
    })
}

/// What lies between two rotations given by their coordinates on a chart, not yet of length 1.
fn mixed(first: [f32; 3], second: [f32; 3], ratio: f32) -> Quat {
    let part = |[x, y, z]: [f32; 3]| {
        let quarter = (x * x + y * y + z * z) * 0.25;
        (Quat::from_xyzw(x, y, z, 1.0 - quarter), 1.0 + quarter)
    };
    let ((a, a_length), (b, b_length)) = (part(first), part(second));
    let (from, to) = ((1.0 - ratio) / a_length, ratio / b_length);
    // Opposite quaternions are one rotation; the shorter way is meant.
    let to = if quat_dot(a, b) < 0.0 { -to } else { to };
    quat_weighted(a, from, b, to)
}

/// Puts components where they belong.
#[inline(always)]
pub(super) fn scatter(compose: &Compose, cursor: &mut PackedCursor) {
    match &compose.targets {
        Targets::Near(targets) => {
            if let Some(slots) = cursor.slots.first_chunk_mut::<NEAR>() {
                for (values, targets) in cursor.values.iter().zip(targets) {
                    for lane in 0..LANES {
                        slots[usize::from(targets[lane])] = values[lane];
                    }
                }
            }
        }
        Targets::Far(targets) => {
            for (values, targets) in cursor.values.iter().zip(targets) {
                for (value, &target) in values.iter().zip(targets) {
                    if let Some(slot) = cursor.slots.get_mut(target as usize) {
                        *slot = *value;
                    }
                }
            }
        }
    }
}

/// Puts components of paired joints where they belong.
#[inline(always)]
pub(super) fn scatter_pairs(compose: &Compose, cursor: &mut PackedCursor) {
    for target in &compose.pair_targets {
        let (lane, slot) = (target.lane as usize, target.slot as usize);
        let Some(slots) = cursor.pair_slots.get_mut(slot / SLOTS) else {
            continue;
        };
        for (slots, row) in slots.iter_mut().zip(&cursor.pairs) {
            if let Some(values) = row.get(lane / LANES) {
                slots.as_flattened_mut()[slot % SLOTS] = values[lane % LANES];
            }
        }
    }
}

/// Sets positions and scales that move.
#[inline(always)]
pub(super) fn set_linear(compose: &Compose, cursor: &PackedCursor, pose: &mut [SoaTransform]) {
    let turning = compose.turning.len() * SLOTS;
    let moving = cursor.slots.get(turning..).unwrap_or(&[]);
    for (linear, &value) in compose.linear.iter().zip(moving) {
        let Some(block) = pose.get_mut(linear.block as usize) else {
            continue;
        };
        let rows = if linear.is_scale {
            &mut block.scale
        } else {
            &mut block.position
        };
        if let Some(row) = rows.get_mut(usize::from(linear.axis)) {
            row[usize::from(linear.lane) % LANES] = value + linear.offset;
        }
    }
}
