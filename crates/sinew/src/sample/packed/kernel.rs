//! Sampling packed rows, eight lanes at a time. [`super::reference`] says what is computed; the operations and
//! their order are the same in every lane, so the bits are too.

use super::cursor::PackedCursor;
use super::reference::{scatter, set_linear};
use crate::packed::{Compose, FastRows, Maps, Pair, PairSlots, Place, Slots, Weights, Word};
use crate::pose::SoaTransform;
use crate::simd::{LANES, load, quat_dot, store_rows};
use fearless_simd::prelude::*;
use fearless_simd::{f32x8, i32x8, u32x8};

/// For each width, the bits that are kept and half of what they could say.
const KEPT: [(u32, f32); 32] = {
    let mut kept = [(0, 0.0); 32];
    let mut width = 0;
    while width < 32 {
        kept[width] = ((1 << width) - 1, ((1u32 << width) / 2) as f32);
        width += 1;
    }
    kept
};

/// The 32 bits of each lane that begin at `bit`.
#[inline(always)]
fn window<S: Simd>(simd: S, words: &[Word], bit: u32) -> u32x8<S> {
    let (at, shift) = ((bit / 32) as usize, bit % 32);
    if at + 1 >= words.len() {
        return beyond(simd, words, bit);
    }
    let low = u32x8::load_array_ref(simd, &words[at]);
    let high = u32x8::load_array_ref(simd, &words[at + 1]);
    (low >> shift) | ((high + high) << (31 - shift))
}

/// As [`window`], where the words end. Only what weighs nothing is read there.
#[inline(always)]
fn beyond<S: Simd>(simd: S, words: &[Word], bit: u32) -> u32x8<S> {
    let word = words
        .get((bit / 32) as usize)
        .copied()
        .unwrap_or([0; LANES]);
    u32x8::load_array(simd, word) >> (bit % 32)
}

/// Two numbers, the second `after` bits behind the first. `WIDE` says that both may be more than 32 bits.
#[inline(always)]
fn two<S: Simd, const WIDE: bool>(
    simd: S,
    words: &[Word],
    bit: u32,
    mask: u32x8<S>,
    after: u32,
) -> [f32x8<S>; 2] {
    let bits = window(simd, words, bit);
    let behind = if WIDE {
        window(simd, words, bit + after)
    } else {
        bits >> after
    };
    [number(bits & mask), number(behind & mask)]
}

#[inline(always)]
fn number<S: Simd>(bits: u32x8<S>) -> f32x8<S> {
    bits.bitcast::<i32x8<S>>().to_float::<f32x8<S>>()
}

/// Weights in all lanes, and the sums of those of quarters and of others.
#[derive(Clone, Copy)]
struct Spread<S: Simd> {
    anchors: [f32x8<S>; 2],
    quarters: [f32x8<S>; 2],
    others: [f32x8<S>; 2],
    all_quarters: f32x8<S>,
    all_others: f32x8<S>,
}

impl<S: Simd> Spread<S> {
    #[inline(always)]
    fn new(simd: S, weights: &Weights) -> Self {
        let splat = |number: f32| f32x8::splat(simd, number);
        Self {
            anchors: [splat(weights.anchors[0]), splat(weights.anchors[1])],
            quarters: [splat(weights.quarters[0]), splat(weights.quarters[1])],
            others: [splat(weights.others[0]), splat(weights.others[1])],
            all_quarters: splat(weights.quarters[0] + weights.quarters[1]),
            all_others: splat(weights.others[0] + weights.others[1]),
        }
    }
}

/// The numbers around two rows, and half of what the bits of each could say.
struct Numbers<S: Simd> {
    anchors: [f32x8<S>; 2],
    quarters: [f32x8<S>; 2],
    others: [f32x8<S>; 2],
    halves: [f32x8<S>; 3],
}

impl<S: Simd> Numbers<S> {
    #[inline(always)]
    fn value(&self, weights: &Spread<S>, step: f32x8<S>) -> f32x8<S> {
        let sum = self.anchors[0] * weights.anchors[0]
            + self.anchors[1] * weights.anchors[1]
            + self.quarters[0] * weights.quarters[0]
            + self.quarters[1] * weights.quarters[1]
            + self.others[0] * weights.others[0]
            + self.others[1] * weights.others[1];
        let below = self.halves[0]
            + self.halves[1] * weights.all_quarters
            + self.halves[2] * weights.all_others;
        (sum - below) * step
    }
}

#[inline(always)]
pub(super) fn read_fast<S: Simd, const WIDE: bool>(
    simd: S,
    rows: &FastRows<'_>,
    place: &Place,
    ratio: f32,
    compose: &Compose,
    cursor: &mut PackedCursor,
) {
    let words: &[Word] = &rows.words;
    let count = rows.anchors.len().min(compose.steps.len());
    let straight = cursor.values.len().min(count);
    let first = place.segment as usize * rows.anchors.len();
    let Some(groups) = rows.groups.get(first..first + count) else {
        return;
    };
    let (anchors, steps) = (&rows.anchors[..count], &compose.steps[..count]);
    let quarter_mask = if place.is_second_quarter { u32::MAX } else { 0 };
    let other_mask = if place.is_second_other { u32::MAX } else { 0 };
    macro_rules! numbers {
        ($index:expr) => {{
            let (anchors, group) = (&anchors[$index], &groups[$index]);
            let width = anchors.width % 32;
            let (mask, half_anchors) = KEPT[width as usize];
            let bit = anchors.bit + place.segment * width;
            let mask = u32x8::splat(simd, mask);
            let from_anchors = two::<S, WIDE>(simd, words, bit, mask, width);
            let width = u32::from(group.quarter_width) % 32;
            let (mask, half_quarters) = KEPT[width as usize];
            let bit = group.quarters + place.quarter * width;
            let mask = u32x8::splat(simd, mask);
            let quarters = two::<S, WIDE>(simd, words, bit, mask, width & quarter_mask);
            let width = u32::from(group.other_width) % 32;
            let (mask, half_others) = KEPT[width as usize];
            let bit = group.others + place.other * width;
            let mask = u32x8::splat(simd, mask);
            let others = two::<S, WIDE>(simd, words, bit, mask, width & other_mask);
            Numbers {
                anchors: from_anchors,
                quarters,
                others,
                halves: [
                    f32x8::splat(simd, half_anchors),
                    f32x8::splat(simd, half_quarters),
                    f32x8::splat(simd, half_others),
                ],
            }
        }};
    }
    let weights = Spread::new(simd, &place.weights(ratio));
    for (index, value) in cursor.values[..straight].iter_mut().enumerate() {
        let numbers = numbers!(index);
        let step = load(simd, &steps[index]);
        numbers.value(&weights, step).store_array(value);
    }
    if straight < count {
        let from = Spread::new(simd, &place.weights(0.0));
        let to = Spread::new(simd, &place.weights(1.0));
        for (index, pairs) in (straight..count).zip(&mut cursor.pairs) {
            let numbers = numbers!(index);
            let step = load(simd, &steps[index]);
            store_pairs(numbers.value(&from, step), numbers.value(&to, step), pairs);
        }
    }
}

#[inline(always)]
pub(super) fn read_small<S: Simd>(
    simd: S,
    [first, second]: [&[[f32; LANES]]; 2],
    ratio: f32,
    compose: &Compose,
    cursor: &mut PackedCursor,
) {
    let ratio = f32x8::splat(simd, ratio);
    let mut rows = first.iter().zip(second).zip(&compose.steps);
    for value in &mut cursor.values {
        let Some(((first, second), steps)) = rows.next() else {
            return;
        };
        let (a, b) = (load(simd, first), load(simd, second));
        ((a + (b - a) * ratio) * load(simd, steps)).store_array(value);
    }
    for (((first, second), steps), pairs) in rows.zip(&mut cursor.pairs) {
        let step = load(simd, steps);
        store_pairs(load(simd, first) * step, load(simd, second) * step, pairs);
    }
}

#[inline(always)]
fn store_pairs<S: Simd>(first: f32x8<S>, second: f32x8<S>, pairs: &mut [Pair; LANES]) {
    let (low, high) = first.interleave(second);
    let halves: &mut [[f32; LANES]; 2] = bytemuck::cast_mut(pairs);
    low.store_array(&mut halves[0]);
    high.store_array(&mut halves[1]);
}

#[inline(always)]
pub(super) fn compose<S: Simd>(
    simd: S,
    compose: &Compose,
    ratio: f32,
    cursor: &mut PackedCursor,
    pose: &mut [SoaTransform],
) {
    scatter(compose, cursor);
    for &still in &compose.still {
        let still = still as usize;
        if let (Some(block), Some(constant)) = (pose.get_mut(still), compose.constant.get(still)) {
            *block = *constant;
        }
    }
    for (turning, slots) in compose.turning.iter().zip(&cursor.slots) {
        let at = turning.block as usize;
        if let (Some(block), Some(constant)) = (pose.get_mut(at), compose.constant.get(at)) {
            for axis in 0..3 {
                load(simd, &constant.position[axis]).store_array(&mut block.position[axis]);
                load(simd, &constant.scale[axis]).store_array(&mut block.scale[axis]);
            }
            let rotation = mapped(simd, &turning.map, charted(simd, slots));
            store_rows(rotation, &mut block.rotation);
        }
    }
    for (paired, slots) in compose.paired.iter().zip(&cursor.pair_slots) {
        let q = mapped(simd, &paired.map, mixed(simd, slots, ratio));
        let inverse = f32x8::splat(simd, 1.0) / quat_dot(q, q).sqrt();
        let mut rows = [[0.0; LANES]; 4];
        for row in 0..4 {
            (q[row] * inverse).store_array(&mut rows[row]);
        }
        for (lane, &joint) in paired.joints.iter().enumerate().take(LANES) {
            let (block, own) = (joint as usize / LANES, joint as usize % LANES);
            if let Some(block) = pose.get_mut(block) {
                for (into, from) in block.rotation.iter_mut().zip(&rows) {
                    into[own] = from[lane];
                }
            }
        }
    }
    set_linear(compose, cursor, pose);
}

/// The rotation of coordinates on a chart.
#[inline(always)]
fn charted<S: Simd>(simd: S, slots: &Slots) -> [f32x8<S>; 4] {
    let one = f32x8::splat(simd, 1.0);
    let (x, y, z) = (
        load(simd, &slots[0]),
        load(simd, &slots[1]),
        load(simd, &slots[2]),
    );
    let quarter = (x * x + y * y + z * z) * f32x8::splat(simd, 0.25);
    let shrink = one / (one + quarter);
    [x * shrink, y * shrink, z * shrink, (one - quarter) * shrink]
}

/// What lies between two rotations, not yet of length 1.
#[inline(always)]
fn mixed<S: Simd>(simd: S, slots: &PairSlots, ratio: f32) -> [f32x8<S>; 4] {
    let (x, y, z) = (
        axis(simd, &slots[0]),
        axis(simd, &slots[1]),
        axis(simd, &slots[2]),
    );
    let (a, a_length) = unscaled(simd, [x.0, y.0, z.0]);
    let (b, b_length) = unscaled(simd, [x.1, y.1, z.1]);
    let from = f32x8::splat(simd, 1.0 - ratio) / a_length;
    let to = f32x8::splat(simd, ratio) / b_length;
    let is_opposite = quat_dot(a, b).simd_lt(f32x8::splat(simd, 0.0));
    let to = is_opposite.select(-to, to);
    [
        a[0] * from + b[0] * to,
        a[1] * from + b[1] * to,
        a[2] * from + b[2] * to,
        a[3] * from + b[3] * to,
    ]
}

/// A coordinate of both rows.
#[inline(always)]
fn axis<S: Simd>(simd: S, pairs: &[Pair; LANES]) -> (f32x8<S>, f32x8<S>) {
    let halves: &[[f32; LANES]; 2] = bytemuck::cast_ref(pairs);
    load(simd, &halves[0]).deinterleave(load(simd, &halves[1]))
}

/// The rotation of coordinates on a chart, and its length.
#[inline(always)]
fn unscaled<S: Simd>(simd: S, [x, y, z]: [f32x8<S>; 3]) -> ([f32x8<S>; 4], f32x8<S>) {
    let one = f32x8::splat(simd, 1.0);
    let quarter = (x * x + y * y + z * z) * f32x8::splat(simd, 0.25);
    ([x, y, z, one - quarter], one + quarter)
}

#[inline(always)]
fn mapped<S: Simd>(simd: S, map: &Maps, q: [f32x8<S>; 4]) -> [f32x8<S>; 4] {
    [
        mapped_row(simd, &map[0], q),
        mapped_row(simd, &map[1], q),
        mapped_row(simd, &map[2], q),
        mapped_row(simd, &map[3], q),
    ]
}

#[inline(always)]
fn mapped_row<S: Simd>(simd: S, row: &[[f32; LANES]; 4], q: [f32x8<S>; 4]) -> f32x8<S> {
    load(simd, &row[0]) * q[0]
        + load(simd, &row[1]) * q[1]
        + load(simd, &row[2]) * q[2]
        + load(simd, &row[3]) * q[3]
}
