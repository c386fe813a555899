//! Sampling packed rows, eight lanes at a time. [`super::reference`] says what is computed; the operations and
//! their order are the same in every lane, so the bits are too.

use super::cursor::PackedCursor;
use super::reference::{scatter, scatter_pairs, set_linear};
use crate::packed::{Compose, FastRows, HALF, Maps, Place, SLOTS, Slots, Weights, Wide, Word};
use crate::pose::SoaTransform;
use crate::simd::{LANES, load, load_rows, quat_dot, store_rows};
use fearless_simd::prelude::*;
use fearless_simd::{f32x8, i32x8, u32x8};

/// Where eight groups have two numbers each.
struct Windows {
    /// The word in which the first begins.
    words: [u32; LANES],
    /// The bit of the word at which it begins, and 31 less that.
    shifts: [u32; LANES],
    backs: [u32; LANES],
    /// The bits of a number.
    masks: [u32; LANES],
    /// How many bits further the second begins.
    afters: [u32; LANES],
}

impl Windows {
    /// Of numbers that begin at `bits`, and half of what their bits could say.
    #[inline(always)]
    fn new<S: Simd>(
        simd: S,
        bits: u32x8<S>,
        widths: u32x8<S>,
        is_second: bool,
    ) -> (Self, f32x8<S>) {
        let one = u32x8::splat(simd, 1);
        let shifts = bits & u32x8::splat(simd, 31);
        let most = simd.shlv_u32x8(one, widths);
        let second = u32x8::splat(simd, if is_second { u32::MAX } else { 0 });
        let windows = Self {
            words: stored(bits >> 5),
            shifts: stored(shifts),
            backs: stored(shifts ^ u32x8::splat(simd, 31)),
            masks: stored(most - one),
            afters: stored(widths & second),
        };
        (windows, number(most >> 1))
    }

    /// The two numbers of a group. `WIDE` says that both may be more than 32 bits.
    #[inline(always)]
    fn two<S: Simd, const WIDE: bool>(
        &self,
        simd: S,
        words: &[Word],
        group: usize,
    ) -> [f32x8<S>; 2] {
        let at = self.words[group] as usize;
        let (shift, after) = (self.shifts[group], self.afters[group]);
        let mask = u32x8::splat(simd, self.masks[group]);
        let bits = window(simd, words, at, shift, self.backs[group]);
        let behind = if WIDE {
            let shift = shift + after;
            let (at, shift) = (at + (shift / 32) as usize, shift % 32);
            window(simd, words, at, shift, 31 - shift)
        } else {
            bits >> after
        };
        [number(bits & mask), number(behind & mask)]
    }
}

#[inline(always)]
fn stored<S: Simd>(lanes: u32x8<S>) -> [u32; LANES] {
    let mut stored = [0; LANES];
    lanes.store_array(&mut stored);
    stored
}

/// The 32 bits of each lane that begin at a bit of a word. Where words end there are zeros: only what weighs
/// nothing is read there.
#[inline(always)]
fn window<S: Simd>(simd: S, words: &[Word], at: usize, shift: u32, back: u32) -> u32x8<S> {
    let Some([low, high]) = words.get(at..at + 2) else {
        let last = words.get(at).copied().unwrap_or([0; LANES]);
        return u32x8::load_array(simd, last) >> shift;
    };
    let (low, high) = (
        u32x8::load_array_ref(simd, low),
        u32x8::load_array_ref(simd, high),
    );
    (low >> shift) | ((high + high) << back)
}

#[inline(always)]
fn number<S: Simd>(bits: u32x8<S>) -> f32x8<S> {
    bits.bitcast::<i32x8<S>>().to_float::<f32x8<S>>()
}

/// Weights in all lanes.
#[derive(Clone, Copy)]
struct Spread<S: Simd> {
    anchors: [f32x8<S>; 2],
    quarters: [f32x8<S>; 2],
    others: [f32x8<S>; 2],
}

impl<S: Simd> Spread<S> {
    #[inline(always)]
    fn new(simd: S, weights: &Weights) -> Self {
        let splat = |number: f32| f32x8::splat(simd, number);
        Self {
            anchors: [splat(weights.anchors[0]), splat(weights.anchors[1])],
            quarters: [splat(weights.quarters[0]), splat(weights.quarters[1])],
            others: [splat(weights.others[0]), splat(weights.others[1])],
        }
    }

    /// How far below zero the numbers of eight groups begin, given half of what their bits could say.
    #[inline(always)]
    fn below(&self, halves: [f32x8<S>; 3]) -> [f32; LANES] {
        let below = halves[0]
            + halves[1] * (self.quarters[0] + self.quarters[1])
            + halves[2] * (self.others[0] + self.others[1]);
        let mut stored = [0.0; LANES];
        below.store_array(&mut stored);
        stored
    }

    #[inline(always)]
    fn sum(&self, numbers: &[[f32x8<S>; 2]; 3]) -> f32x8<S> {
        let [anchors, quarters, others] = numbers;
        anchors[0] * self.anchors[0]
            + anchors[1] * self.anchors[1]
            + quarters[0] * self.quarters[0]
            + quarters[1] * self.quarters[1]
            + others[0] * self.others[0]
            + others[1] * self.others[1]
    }
}

#[inline(always)]
pub(super) fn read_fast<S: Simd>(
    simd: S,
    rows: &FastRows<'_>,
    place: Place<'_>,
    ratio: f32,
    steps: &[[f32; LANES]],
    values: &mut [[f32; LANES]],
) {
    // Without pairs nothing is read or written of these.
    let (has_pairs, pairs) = (&[][..], [&mut [][..], &mut []]);
    let outputs = Outputs {
        steps,
        has_pairs,
        values,
        pairs,
    };
    match rows.wide {
        Wide::None => read::<S, false, false, false>(simd, rows, place, ratio, outputs),
        Wide::Anchors => read::<S, true, false, false>(simd, rows, place, ratio, outputs),
        Wide::All => read::<S, true, true, false>(simd, rows, place, ratio, outputs),
    }
}

/// Reads components, and where groups have components of paired joints both rows of these.
#[inline(always)]
pub(super) fn read_fast_pairs<S: Simd>(
    simd: S,
    rows: &FastRows<'_>,
    place: Place<'_>,
    ratio: f32,
    compose: &Compose,
    cursor: &mut PackedCursor,
) {
    let [first, second] = &mut cursor.pairs;
    let outputs = Outputs {
        steps: &compose.steps,
        has_pairs: &compose.has_pairs,
        values: &mut cursor.values,
        pairs: [first, second],
    };
    match rows.wide {
        Wide::None | Wide::Anchors => {
            read::<S, true, false, true>(simd, rows, place, ratio, outputs);
        }
        Wide::All => read::<S, true, true, true>(simd, rows, place, ratio, outputs),
    }
}

/// Where components go, by groups.
struct Outputs<'a> {
    steps: &'a [[f32; LANES]],
    has_pairs: &'a [bool],
    values: &'a mut [[f32; LANES]],
    pairs: [&'a mut [[f32; LANES]]; 2],
}

/// `WIDE_ANCHORS` says that two anchors may be more than 32 bits, `WIDE` that two quarters or others may, `PAIRS` that
/// both rows are wanted of groups that have pairs.
#[inline(always)]
fn read<S: Simd, const WIDE_ANCHORS: bool, const WIDE: bool, const PAIRS: bool>(
    simd: S,
    rows: &FastRows<'_>,
    place: Place<'_>,
    ratio: f32,
    outputs: Outputs<'_>,
) {
    let words: &[Word] = &rows.words;
    let weights = Spread::new(simd, &place.within.weights(ratio));
    let from = Spread::new(simd, &place.within.weights(0.0));
    let to = Spread::new(simd, &place.within.weights(1.0));
    let Outputs {
        steps,
        has_pairs,
        values,
        pairs: [first, second],
    } = outputs;
    let mut pairs = has_pairs.iter().zip(first.iter_mut().zip(second));
    let chunks = values.chunks_mut(LANES).zip(steps.chunks(LANES));
    for (chunk, (values, steps)) in chunks.enumerate() {
        let Some(at) = rows.groups_at(place.segment, chunk * LANES) else {
            return;
        };
        let widths = u32x8::load_array_ref(simd, at.anchor_widths);
        let bits = u32x8::load_array_ref(simd, at.anchors);
        let bits = bits + widths * u32x8::splat(simd, place.segment);
        let (anchors, half_anchors) = Windows::new(simd, bits, widths, true);
        let both = u32x8::load_array_ref(simd, at.widths);
        let widths = both & u32x8::splat(simd, 31);
        let bits = u32x8::load_array_ref(simd, at.quarters);
        let bits = bits + widths * u32x8::splat(simd, place.within.quarter);
        let (quarters, half_quarters) =
            Windows::new(simd, bits, widths, place.within.is_second_quarter);
        let widths = (both >> 8) & u32x8::splat(simd, 31);
        let bits = u32x8::load_array_ref(simd, at.others);
        let bits = bits + widths * u32x8::splat(simd, place.within.other);
        let (others, half_others) = Windows::new(simd, bits, widths, place.within.is_second_other);
        let halves = [half_anchors, half_quarters, half_others];
        let below = weights.below(halves);
        let (below_from, below_to) = (from.below(halves), to.below(halves));
        let groups = values.len().min(steps.len()).min(LANES);
        for group in 0..groups {
            let from_anchors = if WIDE_ANCHORS && anchors.afters[group] > HALF {
                anchors.two::<S, true>(simd, words, group)
            } else {
                anchors.two::<S, false>(simd, words, group)
            };
            let numbers = [
                from_anchors,
                quarters.two::<S, WIDE>(simd, words, group),
                others.two::<S, WIDE>(simd, words, group),
            ];
            let step = load(simd, &steps[group]);
            let sum = weights.sum(&numbers) - f32x8::splat(simd, below[group]);
            (sum * step).store_array(&mut values[group]);
            if PAIRS && let Some((true, (first, second))) = pairs.next() {
                let sum = from.sum(&numbers) - f32x8::splat(simd, below_from[group]);
                (sum * step).store_array(first);
                let sum = to.sum(&numbers) - f32x8::splat(simd, below_to[group]);
                (sum * step).store_array(second);
            }
        }
    }
}

#[inline(always)]
pub(super) fn read_small<S: Simd>(
    simd: S,
    [first, second]: [&[[f32; LANES]]; 2],
    ratio: f32,
    steps: &[[f32; LANES]],
    values: &mut [[f32; LANES]],
) {
    let rows = first.iter().zip(second).zip(steps);
    for (((first, second), step), value) in rows.zip(values) {
        let (a, b) = (load(simd, first), load(simd, second));
        let mixed = a + (b - a) * f32x8::splat(simd, ratio);
        (mixed * load(simd, step)).store_array(value);
    }
}

#[inline(always)]
pub(super) fn compose<S: Simd>(
    simd: S,
    compose: &Compose,
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
    let (slots, _) = cursor.slots.as_chunks::<SLOTS>();
    for (turning, slots) in compose.turning.iter().zip(slots) {
        let at = turning.block as usize;
        if let (Some(block), Some(constant)) = (pose.get_mut(at), compose.constant.get(at)) {
            for axis in 0..3 {
                load(simd, &constant.position[axis]).store_array(&mut block.position[axis]);
                load(simd, &constant.scale[axis]).store_array(&mut block.scale[axis]);
            }
            let rotation = mapped(simd, &turning.map, charted(simd, bytemuck::cast_ref(slots)));
            store_rows(rotation, &mut block.rotation);
        }
    }
    set_linear(compose, cursor, pose);
}

/// Sets the rotations of paired joints.
#[inline(always)]
pub(super) fn compose_pairs<S: Simd>(
    simd: S,
    compose: &Compose,
    ratio: f32,
    cursor: &mut PackedCursor,
    pose: &mut [SoaTransform],
) {
    scatter_pairs(compose, cursor);
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
fn mixed<S: Simd>(simd: S, slots: &[Slots; 2], ratio: f32) -> [f32x8<S>; 4] {
    let (a, a_length) = unscaled(simd, load_rows(simd, &slots[0]));
    let (b, b_length) = unscaled(simd, load_rows(simd, &slots[1]));
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
