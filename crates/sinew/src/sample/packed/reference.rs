//! What sampling packed rows computes, number by number.

use super::cursor::PackedCursor;
use crate::math::{quat_normalize, quat_weighted};
use crate::packed::{Compose, FastRows, Pair, Place, Word};
use crate::pose::SoaTransform;
use crate::simd::LANES;
use glam::Quat;

/// Reads a row and the next from a stream of fixed widths.
pub(super) fn read_fast(
    rows: &FastRows<'_>,
    place: &Place,
    steps: &[[f32; LANES]],
    pairs: &mut [[Pair; LANES]],
) {
    let groups = rows.anchors.len();
    let widths = rows.groups.get(place.segment * groups..).unwrap_or(&[]);
    let start = |segment: usize| rows.starts.get(segment).copied().unwrap_or(0);
    let starts = [start(place.segment), start(place.segment + 1)];
    let each = rows.anchors.iter().zip(widths).zip(steps).zip(pairs);
    for (((anchor, group), steps), pairs) in each {
        let [a, b] = starts.map(|start| start + anchor.before);
        let (quarter, other) = (group.quarter_width(), group.other_width());
        let first_quarter = group.bit + place.first.max(1) * quarter - quarter;
        let first_other = group.bit + place.quarters * quarter + place.other.max(1) * other - other;
        for lane in 0..LANES {
            let read = |bit: u32, width: u32, has: bool| {
                number(&rows.words, lane, bit, if has { width } else { 0 })
            };
            let (a, b) = (read(a, anchor.width, true), read(b, anchor.width, true));
            let second = place.first * quarter + group.bit;
            let quarters = [
                (a + (b - a) * place.along[0]) + read(first_quarter, quarter, place.has[0]),
                (a + (b - a) * place.along[1]) + read(second, quarter, place.has[1]),
            ];
            let [from, to] = quarters;
            let second = group.bit + place.quarters * quarter + place.other * other;
            let first =
                (from + (to - from) * place.between[0]) + read(first_other, other, place.has[2]);
            let second =
                (from + (to - from) * place.between[1]) + read(second, other, place.has[3]);
            pairs[lane] = [first * steps[lane], second * steps[lane]];
        }
    }
}

/// A number of a lane: what its bits say, less half of what they could.
fn number(words: &[Word], lane: usize, bit: u32, width: u32) -> f32 {
    let word = |at: usize| words.get(at).map_or(0, |word| u64::from(word[lane]));
    let at = (bit / 32) as usize;
    let both = word(at) | word(at + 1) << 32;
    let value = (both >> (bit % 32)) as u32 & ((1 << width) - 1);
    value as f32 - ((1u32 << width) / 2) as f32
}

/// Takes two rows that are unpacked.
pub(super) fn read_small(
    first: &[[f32; LANES]],
    second: &[[f32; LANES]],
    steps: &[[f32; LANES]],
    pairs: &mut [[Pair; LANES]],
) {
    for (((first, second), steps), pairs) in first.iter().zip(second).zip(steps).zip(pairs) {
        for lane in 0..LANES {
            pairs[lane] = [first[lane] * steps[lane], second[lane] * steps[lane]];
        }
    }
}

/// Makes a pose of two rows of components, `ratio` of the way from the first to the second.
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
            let [first, second] = [0, 1].map(|row| slots.map(|axis| axis[lane][row]));
            let x = mixed(first, second, ratio);
            let number = |row: usize| {
                let row = turning.map[row].map(|numbers| numbers[lane]);
                row[0] * x.x + row[1] * x.y + row[2] * x.z + row[3] * x.w
            };
            let rotation = Quat::from_xyzw(number(0), number(1), number(2), number(3));
            let rotation = quat_normalize(rotation).to_array();
            for (row, number) in block.rotation.iter_mut().zip(rotation) {
                row[lane] = number;
            }
        }
    }
    set_linear(compose, ratio, cursor, pose);
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
    let to = if crate::math::quat_dot(a, b) < 0.0 {
        -to
    } else {
        to
    };
    quat_weighted(a, from, b, to)
}

/// Puts components where they belong.
#[inline(always)]
pub(super) fn scatter(compose: &Compose, cursor: &mut PackedCursor) {
    let slots: &mut [Pair] = bytemuck::cast_slice_mut(&mut cursor.slots);
    slots.fill([0.0; 2]);
    let charted = slots.len();
    let pairs: &[Pair] = bytemuck::cast_slice(&cursor.pairs);
    for (&target, &pair) in compose.targets.iter().zip(pairs) {
        let target = target as usize;
        if let Some(slot) = slots.get_mut(target) {
            *slot = pair;
        } else if let Some(linear) = cursor.linear.get_mut(target - charted) {
            *linear = pair;
        }
    }
}

/// Sets positions and scales that move.
#[inline(always)]
pub(super) fn set_linear(
    compose: &Compose,
    ratio: f32,
    cursor: &PackedCursor,
    pose: &mut [SoaTransform],
) {
    for (linear, &[first, second]) in compose.linear.iter().zip(&cursor.linear) {
        let Some(block) = pose.get_mut(linear.block as usize) else {
            continue;
        };
        let rows = if linear.is_scale {
            &mut block.scale
        } else {
            &mut block.position
        };
        let (axis, lane) = (
            usize::from(linear.axis) % 3,
            usize::from(linear.lane) % LANES,
        );
        rows[axis][lane] = (first + (second - first) * ratio) + linear.offset;
    }
}
