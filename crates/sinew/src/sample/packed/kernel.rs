//! Sampling packed rows, eight lanes at a time. [`super::reference`] says what is computed; the operations and
//! their order are the same in every lane, so the bits are too.

use super::cursor::PackedCursor;
use super::reference::{scatter, set_linear};
use crate::packed::{Compose, FastRows, Pair, Place, Word};
use crate::pose::SoaTransform;
use crate::simd::{LANES, load, load_rows, quat_dot, quat_normalize, store_rows};
use fearless_simd::prelude::*;
use fearless_simd::{f32x8, u32x8};

/// Two rows of words, and how to read a number out of them.
#[derive(Clone, Copy)]
struct Width<S: Simd> {
    mask: u32x8<S>,
    half: f32x8<S>,
}

impl<S: Simd> Width<S> {
    #[inline(always)]
    fn new(simd: S, width: u32) -> Self {
        Self {
            mask: u32x8::splat(simd, (1 << width) - 1),
            half: f32x8::splat(simd, ((1u32 << width) / 2) as f32),
        }
    }

    /// The number that begins at `bit`.
    #[inline(always)]
    fn read(&self, simd: S, words: &[Word], bit: u32) -> f32x8<S> {
        let at = (bit / 32) as usize;
        let [low, high] = match words.get(at..).and_then(|words| words.first_chunk::<2>()) {
            Some([low, high]) => [low, high].map(|word| u32x8::load_array_ref(simd, word)),
            None => {
                let low = words.get(at).copied().unwrap_or([0; LANES]);
                [u32x8::load_array_ref(simd, &low), u32x8::splat(simd, 0)]
            }
        };
        let shift = bit % 32;
        let value = (low >> shift) | ((high << 1) << (31 - shift));
        let value = (value & self.mask).bitcast::<fearless_simd::i32x8<S>>();
        value.to_float::<f32x8<S>>() - self.half
    }
}

#[inline(always)]
pub(super) fn read_fast<S: Simd>(
    simd: S,
    rows: &FastRows<'_>,
    place: &Place,
    steps: &[[f32; LANES]],
    pairs: &mut [[Pair; LANES]],
) {
    let words: &[Word] = &rows.words;
    let groups = rows.anchors.len();
    let widths = rows.groups.get(place.segment * groups..).unwrap_or(&[]);
    let start = |segment: usize| rows.starts.get(segment).copied().unwrap_or(0);
    let starts = [start(place.segment), start(place.segment + 1)];
    let [along, along_second] = place.along.map(|along| f32x8::splat(simd, along));
    let [between, between_second] = place.between.map(|between| f32x8::splat(simd, between));
    let kept = |width: u32, has: bool| Width::new(simd, if has { width } else { 0 });
    let each = rows.anchors.iter().zip(widths).zip(steps).zip(pairs);
    for (((anchor, group), steps), pairs) in each {
        let anchors = Width::new(simd, anchor.width);
        let a = anchors.read(simd, words, starts[0] + anchor.before);
        let b = anchors.read(simd, words, starts[1] + anchor.before);

        let width = group.quarter_width();
        let bit = group.bit + place.first * width;
        let first =
            kept(width, place.has[0]).read(simd, words, bit - width.min(place.first * width));
        let second = kept(width, place.has[1]).read(simd, words, bit);
        let from = (a + (b - a) * along) + first;
        let to = (a + (b - a) * along_second) + second;

        let bit = group.bit + place.quarters * width;
        let width = group.other_width();
        let bit = bit + place.other * width;
        let first =
            kept(width, place.has[2]).read(simd, words, bit - width.min(place.other * width));
        let second = kept(width, place.has[3]).read(simd, words, bit);
        let step = load(simd, steps);
        let first = ((from + (to - from) * between) + first) * step;
        let second = ((from + (to - from) * between_second) + second) * step;
        store_pairs(first, second, pairs);
    }
}

#[inline(always)]
pub(super) fn read_small<S: Simd>(
    simd: S,
    first: &[[f32; LANES]],
    second: &[[f32; LANES]],
    steps: &[[f32; LANES]],
    pairs: &mut [[Pair; LANES]],
) {
    for (((first, second), steps), pairs) in first.iter().zip(second).zip(steps).zip(pairs) {
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
    pose.copy_from_slice(&compose.constant);
    let (zero, one) = (f32x8::splat(simd, 0.0), f32x8::splat(simd, 1.0));
    let fourth = f32x8::splat(simd, 0.25);
    let (rest, ratio_lanes) = (f32x8::splat(simd, 1.0 - ratio), f32x8::splat(simd, ratio));
    for (turning, slots) in compose.turning.iter().zip(&cursor.slots) {
        let Some(block) = pose.get_mut(turning.block as usize) else {
            continue;
        };
        let axes: [(f32x8<S>, f32x8<S>); 3] = core::array::from_fn(|axis| {
            let halves: &[[f32; LANES]; 2] = bytemuck::cast_ref(&slots[axis]);
            load(simd, &halves[0]).deinterleave(load(simd, &halves[1]))
        });
        let part = |[x, y, z]: [f32x8<S>; 3]| {
            let quarter = (x * x + y * y + z * z) * fourth;
            ([x, y, z, one - quarter], one + quarter)
        };
        let (a, a_length) = part([axes[0].0, axes[1].0, axes[2].0]);
        let (b, b_length) = part([axes[0].1, axes[1].1, axes[2].1]);
        let (from, to) = (rest / a_length, ratio_lanes / b_length);
        let to = quat_dot(a, b).simd_lt(zero).select(-to, to);
        let x: [f32x8<S>; 4] = core::array::from_fn(|at| a[at] * from + b[at] * to);
        let rotation = core::array::from_fn(|row| {
            let numbers = load_rows(simd, &turning.map[row]);
            numbers[0] * x[0] + numbers[1] * x[1] + numbers[2] * x[2] + numbers[3] * x[3]
        });
        store_rows(quat_normalize(simd, rotation), &mut block.rotation);
    }
    set_linear(compose, ratio, cursor, pose);
}
