//! What sampling packed rows computes, number by number.

use super::cursor::PackedCursor;
use crate::math::{quat_dot, quat_weighted};
use crate::packed::{Compose, FastRows, Maps, Place, Weights, Word};
use crate::pose::SoaTransform;
use crate::simd::LANES;
use glam::Quat;

/// Reads a moment between a row and the next from a stream of fixed widths; of paired joints both rows.
pub(super) fn read_fast(
    rows: &FastRows<'_>,
    place: &Place,
    ratio: f32,
    compose: &Compose,
    cursor: &mut PackedCursor,
) {
    let first = place.segment as usize * rows.anchors.len();
    let widths = rows.groups.get(first..).unwrap_or(&[]);
    let [straight, from, to] = [ratio, 0.0, 1.0].map(|ratio| place.weights(ratio));
    let each = rows.anchors.iter().zip(widths).zip(&compose.steps);
    for (index, ((anchors, group), steps)) in each.enumerate() {
        for (lane, &step) in steps.iter().enumerate() {
            let two = |bit: u32, width: u32, is_second: bool| {
                let after = if is_second { width } else { 0 };
                [bit, bit + after].map(|bit| bits(&rows.words, lane, bit, width))
            };
            let width = anchors.width;
            let a = two(anchors.bit + place.segment * width, width, true);
            let half_anchors = half(width);
            let width = u32::from(group.quarter_width);
            let q = two(
                group.quarters + place.quarter * width,
                width,
                place.is_second_quarter,
            );
            let half_quarters = half(width);
            let width = u32::from(group.other_width);
            let o = two(
                group.others + place.other * width,
                width,
                place.is_second_other,
            );
            let half_others = half(width);
            let value = |weights: &Weights| {
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
                (sum - below) * step
            };
            match index.checked_sub(compose.straight_groups) {
                None => cursor.values[index][lane] = value(&straight),
                Some(index) => cursor.pairs[index][lane] = [value(&from), value(&to)],
            }
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

/// Takes two rows that are unpacked.
pub(super) fn read_small(
    [first, second]: [&[[f32; LANES]]; 2],
    ratio: f32,
    compose: &Compose,
    cursor: &mut PackedCursor,
) {
    for (index, ((first, second), steps)) in
        first.iter().zip(second).zip(&compose.steps).enumerate()
    {
        for lane in 0..LANES {
            let (a, b, step) = (first[lane], second[lane], steps[lane]);
            match index.checked_sub(compose.straight_groups) {
                None => cursor.values[index][lane] = (a + (b - a) * ratio) * step,
                Some(index) => cursor.pairs[index][lane] = [a * step, b * step],
            }
        }
    }
}

/// Makes a pose of components; those of paired joints are `ratio` of the way from the first to the second.
pub(super) fn compose(
    compose: &Compose,
    ratio: f32,
    cursor: &mut PackedCursor,
    pose: &mut [SoaTransform],
) {
    scatter(compose, cursor);
    pose.copy_from_slice(&compose.constant);
    for (turning, slots) in compose.turning.iter().zip(&cursor.slots) {
        let Some(block) = pose.get_mut(turning.block as usize) else {
            continue;
        };
        for lane in 0..LANES {
            let [x, y, z] = slots.map(|axis| axis[lane]);
            let quarter = (x * x + y * y + z * z) * 0.25;
            let shrink = 1.0 / (1.0 + quarter);
            let q = [x * shrink, y * shrink, z * shrink, (1.0 - quarter) * shrink];
            let rotation = mapped(&turning.map, lane, q);
            for (row, number) in block.rotation.iter_mut().zip(rotation) {
                row[lane] = number;
            }
        }
    }
    for (paired, slots) in compose.paired.iter().zip(&cursor.pair_slots) {
        for (lane, &joint) in paired.joints.iter().enumerate() {
            let [first, second] = [0, 1].map(|row| slots.map(|axis| axis[lane][row]));
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
    set_linear(compose, cursor, pose);
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
    put(
        &compose.straight_targets,
        cursor.values.as_flattened(),
        cursor.slots.as_flattened_mut().as_flattened_mut(),
    );
    put(
        &compose.paired_targets,
        cursor.pairs.as_flattened(),
        cursor.pair_slots.as_flattened_mut().as_flattened_mut(),
    );
}

#[inline(always)]
fn put<T: Copy>(targets: &[u32], values: &[T], slots: &mut [T]) {
    for (&target, &value) in targets.iter().zip(values) {
        if let Some(slot) = slots.get_mut(target as usize) {
            *slot = value;
        }
    }
}

/// Sets positions and scales that move.
#[inline(always)]
pub(super) fn set_linear(compose: &Compose, cursor: &PackedCursor, pose: &mut [SoaTransform]) {
    let turning = compose.turning.len().min(cursor.slots.len());
    let moving = cursor.slots[turning..].as_flattened().as_flattened();
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
