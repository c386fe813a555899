//! Blends poses with eight lanes. [`super::reference`] is the specification; every lane uses the same operations in
//! the same order, so results are bit-identical.
//!
//! Joints are stored in blocks of eight, one row per component, so a block needs no shuffles: per layer ten products and
//! sums and a dot product for the sign, and at the end one square root, for eight joints. Blends of two layers without
//! joint weights, the most common ones, skip the sums of weights.

use super::{BlendLayer, JointWeights, REST_BELOW, active};
use crate::pose::SoaTransform;
use crate::simd::{load, load_rows, quat_dot, quat_mul, quat_normalize, store_rows};
use fearless_simd::prelude::*;
use fearless_simd::{f32x8, mask32x8};

/// Eight transforms, or weighted sums of them.
#[derive(Clone, Copy)]
struct Transforms<S: Simd> {
    position: [f32x8<S>; 3],
    rotation: [f32x8<S>; 4],
    scale: [f32x8<S>; 3],
}

/// Blends two layers without joint weights; their weights sum to 1.
#[inline(always)]
pub(super) fn blend_two<S: Simd>(
    simd: S,
    a: &[SoaTransform],
    b: &[SoaTransform],
    shares: [f32; 2],
    out: &mut [SoaTransform],
) {
    let [first, second] = [f32x8::splat(simd, shares[0]), f32x8::splat(simd, shares[1])];
    for ((a, b), out) in a.iter().zip(b).zip(out) {
        let sum = scaled(simd, a, first);
        finish(simd, accumulate(simd, sum, b, second), out);
    }
}

/// Blends any number of layers.
#[inline(always)]
pub(super) fn blend<S: Simd>(
    simd: S,
    layers: &[BlendLayer<'_>],
    rest: &[SoaTransform],
    out: &mut [SoaTransform],
) {
    let (zero, rest_below) = (f32x8::splat(simd, 0.0), f32x8::splat(simd, REST_BELOW));
    for (index, (rest, out)) in rest.iter().zip(out).enumerate() {
        let mut total = zero;
        for layer in active(layers) {
            total += weight(simd, layer, index);
        }
        let is_short = total.simd_lt(rest_below);
        let missing = is_short.select(rest_below - total, zero);
        total += missing;

        let mut layers = active(layers);
        let Some(first) = layers.next() else { return };
        let share = weight(simd, first, index) / total;
        let mut blended = scaled(simd, &first.pose.blocks()[index], share);
        for layer in layers {
            let share = weight(simd, layer, index) / total;
            blended = accumulate(simd, blended, &layer.pose.blocks()[index], share);
        }
        // Adding the rest pose with weight 0 would change bits (-0 becomes 0), so the other lanes keep their sums.
        if is_short.any_true() {
            let rested = accumulate(simd, blended, rest, missing / total);
            blended = select(is_short, rested, blended);
        }
        finish(simd, blended, out);
    }
}

#[inline(always)]
pub(super) fn subtract<S: Simd>(
    simd: S,
    pose: &[SoaTransform],
    reference: &[SoaTransform],
    out: &mut [SoaTransform],
) {
    let one = f32x8::splat(simd, 1.0);
    for ((pose, reference), out) in pose.iter().zip(reference).zip(out) {
        for row in 0..3 {
            let moved = load(simd, &pose.position[row]) - load(simd, &reference.position[row]);
            moved.store_array(&mut out.position[row]);
            let grown = load(simd, &pose.scale[row]) - load(simd, &reference.scale[row]);
            (one + grown).store_array(&mut out.scale[row]);
        }
        let [x, y, z, w] = load_rows(simd, &reference.rotation);
        let turn = quat_mul(load_rows(simd, &pose.rotation), [-x, -y, -z, w]);
        store_rows(turn, &mut out.rotation);
    }
}

#[inline(always)]
pub(super) fn add<S: Simd>(
    simd: S,
    pose: &mut [SoaTransform],
    difference: &[SoaTransform],
    weight: f32,
    joints: Option<&JointWeights>,
) {
    let (zero, one) = (f32x8::splat(simd, 0.0), f32x8::splat(simd, 1.0));
    let whole = f32x8::splat(simd, weight);
    for (index, (block, difference)) in pose.iter_mut().zip(difference).enumerate() {
        let weight = match joints.and_then(|joints| joints.blocks().get(index)) {
            Some(joints) => whole * load(simd, joints),
            None => whole,
        };
        for row in 0..3 {
            let position = load(simd, &block.position[row]);
            let moved = load(simd, &difference.position[row]) * weight;
            (position + moved).store_array(&mut block.position[row]);
            let scale = load(simd, &block.scale[row]);
            let grown = (load(simd, &difference.scale[row]) - one) * weight;
            (scale + grown).store_array(&mut block.scale[row]);
        }
        let [x, y, z, w] = load_rows(simd, &difference.rotation);
        // Nlerp from the identity (0, 0, 0, 1), in the hemisphere of the identity.
        let to = w.simd_lt(zero).select(-weight, weight);
        let turn = [x * to, y * to, z * to, w * to + (one - weight)];
        let turned = quat_mul(turn, load_rows(simd, &block.rotation));
        store_rows(quat_normalize(simd, turned), &mut block.rotation);
    }
}

/// Returns the weights of a layer for eight joints.
#[inline(always)]
fn weight<S: Simd>(simd: S, layer: &BlendLayer<'_>, block: usize) -> f32x8<S> {
    let share = f32x8::splat(simd, layer.share());
    match layer.joints.and_then(|joints| joints.blocks().get(block)) {
        Some(joints) => share * load(simd, joints),
        None => share,
    }
}

#[inline(always)]
fn scaled<S: Simd>(simd: S, block: &SoaTransform, share: f32x8<S>) -> Transforms<S> {
    Transforms {
        position: times_rows(load_rows(simd, &block.position), share),
        rotation: times_rows(load_rows(simd, &block.rotation), share),
        scale: times_rows(load_rows(simd, &block.scale), share),
    }
}

/// [`super::reference`]'s weighted sum, with rotations of the sign nearer to the sum.
#[inline(always)]
fn accumulate<S: Simd>(
    simd: S,
    sum: Transforms<S>,
    block: &SoaTransform,
    share: f32x8<S>,
) -> Transforms<S> {
    let rotation = load_rows(simd, &block.rotation);
    let is_far = quat_dot(sum.rotation, rotation).simd_lt(f32x8::splat(simd, 0.0));
    let to = is_far.select(-share, share);
    Transforms {
        position: accumulate_rows(sum.position, load_rows(simd, &block.position), share),
        rotation: accumulate_rows(sum.rotation, rotation, to),
        scale: accumulate_rows(sum.scale, load_rows(simd, &block.scale), share),
    }
}

#[inline(always)]
fn times_rows<S: Simd, const N: usize>(mut rows: [f32x8<S>; N], share: f32x8<S>) -> [f32x8<S>; N] {
    for row in &mut rows {
        *row *= share;
    }
    rows
}

#[inline(always)]
fn accumulate_rows<S: Simd, const N: usize>(
    mut sum: [f32x8<S>; N],
    addend: [f32x8<S>; N],
    share: f32x8<S>,
) -> [f32x8<S>; N] {
    for (sum, addend) in sum.iter_mut().zip(&addend) {
        *sum += *addend * share;
    }
    sum
}

/// Selects the first if the mask is set, else the second.
#[inline(always)]
fn select<S: Simd>(mask: mask32x8<S>, yes: Transforms<S>, no: Transforms<S>) -> Transforms<S> {
    Transforms {
        position: select_rows(mask, yes.position, no.position),
        rotation: select_rows(mask, yes.rotation, no.rotation),
        scale: select_rows(mask, yes.scale, no.scale),
    }
}

#[inline(always)]
fn select_rows<S: Simd, const N: usize>(
    mask: mask32x8<S>,
    mut yes: [f32x8<S>; N],
    no: [f32x8<S>; N],
) -> [f32x8<S>; N] {
    for (yes, no) in yes.iter_mut().zip(&no) {
        *yes = mask.select(*yes, *no);
    }
    yes
}

#[inline(always)]
fn finish<S: Simd>(simd: S, sum: Transforms<S>, out: &mut SoaTransform) {
    store_rows(sum.position, &mut out.position);
    store_rows(quat_normalize(simd, sum.rotation), &mut out.rotation);
    store_rows(sum.scale, &mut out.scale);
}
