//! Sampling packed rows, eight lanes at a time. [`super::reference`] says what is computed; the operations and
//! their order are the same in every lane, so the bits are too.

use super::cursor::{PackedCursor, Pair};
use super::reference::{scatter, scatter_pairs, set_linear, set_linear_pairs};
use crate::packed::{
    Compose, FastRows, HALF, Maps, Place, RowWeights, SLOTS, SlerpRatio, Weights, Wide, Word,
};
use crate::pose::SoaTransform;
use crate::simd::{LANES, load, store_rows};
use fearless_simd::prelude::*;
use fearless_simd::{f32x8, i32x8, u32x8};

/// Where eight groups have two numbers each.
struct Windows {
    /// The word in which the first begins.
    words: [u32; LANES],
    /// The bit of the word at which it begins, and 31 less that.
    shifts: [u32; LANES],
    backs: [u32; LANES],
    /// By how much a number is shifted to have its sign on top, given the bits from the first number on.
    tops: [u32; LANES],
    second_tops: [u32; LANES],
    /// How many bits further the second begins.
    afters: [u32; LANES],
}

impl Windows {
    /// Of numbers that begin at `bits`.
    #[inline(always)]
    fn new<S: Simd>(simd: S, bits: u32x8<S>, widths: u32x8<S>, is_second: bool) -> Self {
        let shifts = bits & u32x8::splat(simd, 31);
        // Numbers without bits are read as one of a word of zeros.
        let tops = u32x8::splat(simd, 32) - widths.max(u32x8::splat(simd, 1));
        let second = u32x8::splat(simd, if is_second { u32::MAX } else { 0 });
        let afters = widths & second;
        Self {
            words: stored(bits >> 5),
            shifts: stored(shifts),
            backs: stored(shifts ^ u32x8::splat(simd, 31)),
            tops: stored(tops),
            second_tops: stored(tops - afters),
            afters: stored(afters),
        }
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
        let (shift, top) = (self.shifts[group], self.tops[group]);
        let bits = window(simd, words, at, shift, self.backs[group]);
        let second = if WIDE {
            let shift = shift + self.afters[group];
            let (at, shift) = (at + (shift / 32) as usize, shift % 32);
            window(simd, words, at, shift, 31 - shift) << top
        } else {
            bits << self.second_tops[group]
        };
        [number(bits << top, top), number(second, top)]
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

/// Numbers whose signs are on top, shifted back by so many bits.
#[inline(always)]
fn number<S: Simd>(bits: u32x8<S>, top: u32) -> f32x8<S> {
    (bits.bitcast::<i32x8<S>>() >> top).to_float::<f32x8<S>>()
}

/// Weights in all lanes.
#[derive(Clone, Copy)]
struct Spread<S: Simd> {
    to_anchor: f32x8<S>,
    quarters: [f32x8<S>; 2],
    others: [f32x8<S>; 2],
}

impl<S: Simd> Spread<S> {
    #[inline(always)]
    fn new(simd: S, weights: &Weights) -> Self {
        let splat = |number: f32| f32x8::splat(simd, number);
        Self {
            to_anchor: splat(weights.to_anchor),
            quarters: [splat(weights.quarters[0]), splat(weights.quarters[1])],
            others: [splat(weights.others[0]), splat(weights.others[1])],
        }
    }

    /// The first anchor and how far it is to the second, quarters, and others, each from where they begin.
    #[inline(always)]
    fn sum(&self, [anchors, quarters, others]: [[f32x8<S>; 2]; 3]) -> f32x8<S> {
        let rest = (quarters[0] * self.quarters[0] + quarters[1] * self.quarters[1])
            + (others[0] * self.others[0] + others[1] * self.others[1]);
        anchors[0] + (anchors[1] * self.to_anchor + rest)
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
    let weights = place.within.weights(ratio);
    let output = Interpolated(Spread::new(simd, &weights));
    match rows.wide {
        Wide::None => read::<S, _, false, false>(simd, rows, place, steps, output, values),
        Wide::Anchors => read::<S, _, true, false>(simd, rows, place, steps, output, values),
        Wide::All => read::<S, _, true, true>(simd, rows, place, steps, output, values),
    }
}

#[inline(always)]
pub(super) fn read_fast_pairs<S: Simd>(
    simd: S,
    rows: &FastRows<'_>,
    place: Place<'_>,
    steps: &[[f32; LANES]],
    pairs: &mut [[Pair; LANES]],
) {
    let [from, to] = place.within.row_weights();
    let (from, to) = (RowSpread::new(simd, &from), RowSpread::new(simd, &to));
    let output = Both { from, to };
    match rows.wide {
        Wide::None => read::<S, _, false, false>(simd, rows, place, steps, output, pairs),
        Wide::Anchors => read::<S, _, true, false>(simd, rows, place, steps, output, pairs),
        Wide::All => read::<S, _, true, true>(simd, rows, place, steps, output, pairs),
    }
}

/// What is made of the numbers around two rows, group by group.
trait Output<S: Simd> {
    type Group;
    fn values(&self, simd: S, numbers: [[f32x8<S>; 2]; 3], step: f32x8<S>) -> Self::Group;
}

/// Components at a moment.
struct Interpolated<S: Simd>(Spread<S>);

impl<S: Simd> Output<S> for Interpolated<S> {
    type Group = [f32; LANES];

    #[inline(always)]
    fn values(&self, _: S, numbers: [[f32x8<S>; 2]; 3], step: f32x8<S>) -> Self::Group {
        (self.0.sum(numbers) * step).into()
    }
}

/// [`RowWeights`] in all lanes.
#[derive(Clone, Copy)]
struct RowSpread<S: Simd> {
    to_anchor: f32x8<S>,
    quarters: [f32x8<S>; 2],
    other: f32x8<S>,
}

impl<S: Simd> RowSpread<S> {
    #[inline(always)]
    fn new(simd: S, weights: &RowWeights) -> Self {
        let splat = |number: f32| f32x8::splat(simd, number);
        Self {
            to_anchor: splat(weights.to_anchor),
            quarters: [splat(weights.quarters[0]), splat(weights.quarters[1])],
            other: splat(weights.other),
        }
    }

    #[inline(always)]
    fn sum(&self, anchors: [f32x8<S>; 2], quarters: [f32x8<S>; 2], other: f32x8<S>) -> f32x8<S> {
        let rest =
            (quarters[0] * self.quarters[0] + quarters[1] * self.quarters[1]) + other * self.other;
        anchors[0] + (anchors[1] * self.to_anchor + rest)
    }
}

/// Components of both rows.
struct Both<S: Simd> {
    from: RowSpread<S>,
    to: RowSpread<S>,
}

impl<S: Simd> Output<S> for Both<S> {
    type Group = [Pair; LANES];

    #[inline(always)]
    fn values(&self, simd: S, numbers: [[f32x8<S>; 2]; 3], step: f32x8<S>) -> Self::Group {
        let [anchors, quarters, others] = numbers;
        let from = self.from.sum(anchors, quarters, others[0]);
        let to = self.to.sum(anchors, quarters, others[1]);
        pairs(simd, from * step, to * step)
    }
}

/// The lanes of both side by side.
#[inline(always)]
fn pairs<S: Simd>(simd: S, from: f32x8<S>, to: f32x8<S>) -> [Pair; LANES] {
    let halves: [[f32; LANES]; 2] = [
        simd.zip_low_f32x8(from, to).into(),
        simd.zip_high_f32x8(from, to).into(),
    ];
    bytemuck::cast(halves)
}

/// `WIDE_ANCHORS` says that two anchors may be more than 32 bits, `WIDE` that two quarters or others may.
#[inline(always)]
fn read<S: Simd, O: Output<S>, const WIDE_ANCHORS: bool, const WIDE: bool>(
    simd: S,
    rows: &FastRows<'_>,
    place: Place<'_>,
    steps: &[[f32; LANES]],
    output: O,
    groups: &mut [O::Group],
) {
    let words: &[Word] = &rows.words;
    let count = groups.len().min(steps.len());
    for first in (0..count).step_by(LANES) {
        let Some(at) = rows.groups_at(place.segment, first) else {
            return;
        };
        let widths = u32x8::load_array_ref(simd, at.anchor_widths);
        let bits = u32x8::load_array_ref(simd, at.anchors);
        let bits = bits + widths * u32x8::splat(simd, place.segment);
        let anchors = Windows::new(simd, bits, widths, true);
        let both = u32x8::load_array_ref(simd, at.widths);
        let widths = both & u32x8::splat(simd, 31);
        let bits = u32x8::load_array_ref(simd, at.quarters);
        let bits = bits + widths * u32x8::splat(simd, place.within.quarter);
        let quarters = Windows::new(simd, bits, widths, place.within.is_second_quarter);
        let widths = (both >> 8) & u32x8::splat(simd, 31);
        let bits = u32x8::load_array_ref(simd, at.others);
        let bits = bits + widths * u32x8::splat(simd, place.within.other);
        let others = Windows::new(simd, bits, widths, place.within.is_second_other);
        let here = first..count.min(first + LANES);
        let (Some(steps), Some(groups)) = (steps.get(here.clone()), groups.get_mut(here)) else {
            return;
        };
        for within in 0..steps.len().min(groups.len()).min(LANES) {
            let from_anchors = if WIDE_ANCHORS && anchors.afters[within] > HALF {
                anchors.two::<S, true>(simd, words, within)
            } else {
                anchors.two::<S, false>(simd, words, within)
            };
            let from_quarters = quarters.two::<S, WIDE>(simd, words, within);
            let from_others = others.two::<S, WIDE>(simd, words, within);
            let anchors = [from_anchors[0], from_anchors[1] - from_anchors[0]];
            let numbers = [anchors, from_quarters, from_others];
            groups[within] = output.values(simd, numbers, load(simd, &steps[within]));
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
pub(super) fn read_small_pairs<S: Simd>(
    simd: S,
    [first, second]: [&[[f32; LANES]]; 2],
    steps: &[[f32; LANES]],
    into: &mut [[Pair; LANES]],
) {
    let rows = first.iter().zip(second).zip(steps);
    for (((first, second), step), into) in rows.zip(into) {
        let step = load(simd, step);
        let (from, to) = (load(simd, first) * step, load(simd, second) * step);
        *into = pairs(simd, from, to);
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
    set_still(compose, pose);
    let (slots, _) = cursor.slots.as_chunks::<SLOTS>();
    for (turning, slots) in compose.turning.iter().zip(slots) {
        let at = turning.block as usize;
        if let (Some(block), Some(constant)) = (pose.get_mut(at), compose.constant.get(at)) {
            set_constant(simd, constant, block);
            let rotation = mapped(simd, &turning.map, charted(simd, bytemuck::cast_ref(slots)));
            store_rows(rotation, &mut block.rotation);
        }
    }
    set_linear(compose, cursor, pose);
}

#[inline(always)]
pub(super) fn compose_slerp<S: Simd>(
    simd: S,
    compose: &Compose,
    ratio: f32,
    cursor: &mut PackedCursor,
    pose: &mut [SoaTransform],
) {
    scatter_pairs(compose, cursor);
    set_still(compose, pose);
    let slerp = SlerpLanes::new(simd, &SlerpRatio::new(ratio));
    let (slots, _) = cursor.pair_slots.as_chunks::<SLOTS>();
    for (turning, slots) in compose.turning.iter().zip(slots) {
        let at = turning.block as usize;
        if let (Some(block), Some(constant)) = (pose.get_mut(at), compose.constant.get(at)) {
            set_constant(simd, constant, block);
            let q = slerp_coordinates(simd, &slerp, bytemuck::cast_ref(slots));
            store_rows(mapped(simd, &turning.map, q), &mut block.rotation);
        }
    }
    set_linear_pairs(compose, ratio, cursor, pose);
}

/// Sets blocks in which nothing turns.
#[inline(always)]
fn set_still(compose: &Compose, pose: &mut [SoaTransform]) {
    for &still in &compose.still {
        let still = still as usize;
        if let (Some(block), Some(constant)) = (pose.get_mut(still), compose.constant.get(still)) {
            *block = *constant;
        }
    }
}

#[inline(always)]
fn set_constant<S: Simd>(simd: S, constant: &SoaTransform, block: &mut SoaTransform) {
    for axis in 0..3 {
        load(simd, &constant.position[axis]).store_array(&mut block.position[axis]);
        load(simd, &constant.scale[axis]).store_array(&mut block.scale[axis]);
    }
}

/// [`SlerpRatio`] in all lanes.
struct SlerpLanes<S: Simd> {
    numerator: [f32x8<S>; 3],
    denominator: [f32x8<S>; 3],
}

impl<S: Simd> SlerpLanes<S> {
    #[inline(always)]
    fn new(simd: S, ratio: &SlerpRatio) -> Self {
        let splat = |number: f32| f32x8::splat(simd, number);
        let ([a, b, c], [d, e, f]) = (ratio.numerator, ratio.denominator);
        Self {
            numerator: [splat(a), splat(b), splat(c)],
            denominator: [splat(d), splat(e), splat(f)],
        }
    }
}

/// Slerp between coordinates on charts: three axes of eight joints, each of both rows side by side.
#[inline(always)]
fn slerp_coordinates<S: Simd>(
    simd: S,
    slerp: &SlerpLanes<S>,
    slots: &[[[f32; LANES]; 2]; 3],
) -> [f32x8<S>; 4] {
    let zero = f32x8::splat(simd, 0.0);
    let (mut a, mut b) = ([zero; 3], [zero; 3]);
    for axis in 0..3 {
        let (low, high) = (load(simd, &slots[axis][0]), load(simd, &slots[axis][1]));
        a[axis] = simd.unzip_low_f32x8(low, high);
        b[axis] = simd.unzip_high_f32x8(low, high);
    }
    let one = f32x8::splat(simd, 1.0);
    let fourth = f32x8::splat(simd, 0.25);
    let a_quarter = (a[0] * a[0] + a[1] * a[1] + a[2] * a[2]) * fourth;
    let b_quarter = (b[0] * b[0] + b[1] * b[1] + b[2] * b[2]) * fourth;
    let (a_length, b_length) = (one + a_quarter, one + b_quarter);
    let d = [b[0] - a[0], b[1] - a[1], b[2] - a[2]];
    let near = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    let far = a_length * b_length * f32x8::splat(simd, 4.0) - near;
    let is_opposite = far.simd_lt(near);
    let t = is_opposite.select(far, near) / is_opposite.select(near, far);
    let [n0, n1, n2] = slerp.numerator;
    let [d1, d2, d3] = slerp.denominator;
    let s = ((n2 * t + n1) * t + n0) / (((d3 * t + d2) * t + d1) * t + one);
    let half = ((one + t) / (one + s * s * t)).sqrt() * f32x8::splat(simd, 0.5);
    let from = (one - s) * half / a_length;
    let to = (one + s) * half / b_length;
    let to = is_opposite.select(-to, to);
    [
        a[0] * from + b[0] * to,
        a[1] * from + b[1] * to,
        a[2] * from + b[2] * to,
        (one - a_quarter) * from + (one - b_quarter) * to,
    ]
}

/// The rotation of coordinates on a chart.
#[inline(always)]
fn charted<S: Simd>(simd: S, slots: &[[f32; LANES]; 3]) -> [f32x8<S>; 4] {
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
