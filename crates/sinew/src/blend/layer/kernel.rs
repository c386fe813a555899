//! Blends a layer over a pose with eight lanes. [`super::reference`] is the specification; every lane uses the same
//! operations in the same order, so results are bit-identical.
//!
//! The lanes that a channel changes are a bit mask in a byte, so channels that a block does not animate, and values
//! that are all replaced, are detected without vector operations.

use super::reference::overlay_rotation;
use super::{EPSILON, LayerOperation, LayerWeights, PoseLayer};
use crate::blend::slerp::slerp_lanes;
use crate::pose::SoaTransform;
use crate::simd::{LANES, load, load_rows, quat_mul, store_rows};
use fearless_simd::prelude::*;
use fearless_simd::{f32x8, f64x4, mask32x8};
use glam::Quat;

/// Blends a layer over the blocks of a pose.
#[inline(always)]
pub(super) fn overlay<S: Simd>(
    simd: S,
    layer: &PoseLayer<'_>,
    has_value: &mut [[u8; 3]],
    pose: &mut [SoaTransform],
) {
    let LayerWeights {
        joints, channels, ..
    } = layer.weights;
    let has_one_weight = joints.is_none() && !channels.has_weights && layer.above.is_none();
    // The common case is compiled separately: terms that depend on the weight only are computed once for all blocks.
    if has_one_weight && layer.base.is_none() {
        overlay_blocks::<S, true>(simd, layer, has_value, pose);
    } else {
        overlay_blocks::<S, false>(simd, layer, has_value, pose);
    }
}

/// `IS_PLAIN`: the layer is interpolated, with one weight for all animated channels.
#[inline(always)]
fn overlay_blocks<S: Simd, const IS_PLAIN: bool>(
    simd: S,
    layer: &PoseLayer<'_>,
    has_value: &mut [[u8; 3]],
    pose: &mut [SoaTransform],
) {
    let LayerWeights {
        weight: whole,
        joints,
        channels,
    } = layer.weights;
    let is_additive = !IS_PLAIN && layer.base.is_some();
    let blocks = pose.iter_mut().zip(layer.sample.blocks());
    let blocks = blocks.zip(has_value).zip(&channels.animated.0);
    for (index, (((value, sample), has_value), animated)) in blocks.enumerate() {
        let mut weight = f32x8::splat(simd, whole);
        let mut is_taken = u8::MAX;
        let (mut tracks, mut above, mut base) = (None, None, None);
        if !IS_PLAIN {
            if let Some(joints) = joints.and_then(|joints| joints.blocks().get(index)) {
                let joints = load(simd, joints);
                is_taken = bits(joints.simd_gt(f32x8::splat(simd, 0.0)));
                weight *= joints;
            }
            if channels.has_weights {
                tracks = channels.weights.get(index);
            }
            above = layer.above.and_then(|above| above.0.get(index));
            base = layer.base.and_then(|base| base.blocks().get(index));
        }
        let position = ChannelLanes::new(animated[0] & is_taken, &mut has_value[0], is_additive);
        let rotation = ChannelLanes::new(animated[1] & is_taken, &mut has_value[1], is_additive);
        let scale = ChannelLanes::new(animated[2] & is_taken, &mut has_value[2], is_additive);
        if position.lanes != 0 {
            let weight = channel_weight(simd, weight, tracks, above, 0);
            let base = base.map(|base| &base.position);
            overlay_vectors(
                simd,
                position,
                weight,
                &sample.position,
                base,
                &mut value.position,
            );
        }
        if rotation.lanes != 0 {
            let weight = channel_weight(simd, weight, tracks, above, 1);
            let base = base.map(|base| &base.rotation);
            overlay_rotations(
                simd,
                rotation,
                weight,
                &sample.rotation,
                base,
                &mut value.rotation,
            );
        }
        if scale.lanes != 0 {
            let weight = channel_weight(simd, weight, tracks, above, 2);
            let base = base.map(|base| &base.scale);
            overlay_vectors(simd, scale, weight, &sample.scale, base, &mut value.scale);
        }
    }
}

/// The lanes of a channel that a layer changes, and those that had a value before.
#[derive(Clone, Copy)]
struct ChannelLanes {
    lanes: u8,
    has_value: u8,
}

impl ChannelLanes {
    /// Of the animated lanes, an additive layer changes those that have a value; any other layer gives them one.
    #[inline(always)]
    fn new(animated: u8, has_value: &mut u8, is_additive: bool) -> Self {
        let before = *has_value;
        if is_additive {
            return Self {
                lanes: animated & before,
                has_value: before,
            };
        }
        *has_value |= animated;
        Self {
            lanes: animated,
            has_value: before,
        }
    }

    /// Returns the lanes whose values are replaced.
    #[inline(always)]
    fn replaced<S: Simd>(self, simd: S, weight: f32x8<S>) -> u8 {
        let is_full = weight.simd_ge(f32x8::splat(simd, 1.0 - EPSILON));
        self.lanes & (!self.has_value | bits(is_full))
    }
}

/// Returns the weights of eight channels: joint weights times track weights, normalized by the shares above.
#[inline(always)]
fn channel_weight<S: Simd>(
    simd: S,
    joints: f32x8<S>,
    tracks: Option<&[[f32; LANES]; 3]>,
    above: Option<&[[f64; LANES]; 3]>,
    channel: usize,
) -> f32x8<S> {
    let mut weight = joints;
    if let Some(tracks) = tracks {
        weight *= load(simd, &tracks[channel]);
    }
    match above {
        Some(above) => shared_weight(simd, weight, &above[channel]),
        None => weight,
    }
}

/// [`super::shared_weight`] by lane.
#[inline(always)]
fn shared_weight<S: Simd>(simd: S, share: f32x8<S>, above: &[f64; LANES]) -> f32x8<S> {
    let (low, high) = simd.widen_f32x8(share);
    let [above_low, above_high] = [
        f64x4::from_slice(simd, &above[..4]),
        f64x4::from_slice(simd, &above[4..]),
    ];
    simd.narrow_f64x4(
        shared_weight_of_four(simd, low, above_low),
        shared_weight_of_four(simd, high, above_high),
    )
}

#[inline(always)]
fn shared_weight_of_four<S: Simd>(simd: S, share: f64x4<S>, above: f64x4<S>) -> f64x4<S> {
    let (zero, one) = (f64x4::splat(simd, 0.0), f64x4::splat(simd, 1.0));
    let left = one - above;
    let weight = share / left;
    let weight = weight.simd_lt(one).select(weight, one);
    let is_left = left.simd_gt(f64x4::splat(simd, f64::from(EPSILON)));
    let weight = is_left.select(weight, zero);
    above.simd_eq(zero).select(share, weight)
}

/// Blends positions or scales.
#[inline(always)]
fn overlay_vectors<S: Simd>(
    simd: S,
    channel: ChannelLanes,
    weight: f32x8<S>,
    sample: &[[f32; LANES]; 3],
    base: Option<&[[f32; LANES]; 3]>,
    value: &mut [[f32; LANES]; 3],
) {
    let samples = load_rows(simd, sample);
    if let Some(base) = base {
        let mut rows = load_rows(simd, value);
        for ((row, sample), base) in rows.iter_mut().zip(&samples).zip(base) {
            *row += (*sample - load(simd, base)) * weight;
        }
        return write(simd, channel.lanes, rows, value);
    }
    let replaced = channel.replaced(simd, weight);
    if replaced == channel.lanes {
        return write(simd, channel.lanes, samples, value);
    }
    let rest = f32x8::splat(simd, 1.0) - weight;
    let mut rows = load_rows(simd, value);
    for (row, sample) in rows.iter_mut().zip(&samples) {
        *row = *row * rest + *sample * weight;
    }
    write(
        simd,
        channel.lanes,
        select(simd, replaced, samples, rows),
        value,
    );
}

#[inline(always)]
fn overlay_rotations<S: Simd>(
    simd: S,
    channel: ChannelLanes,
    weight: f32x8<S>,
    sample: &[[f32; LANES]; 4],
    base: Option<&[[f32; LANES]; 4]>,
    value: &mut [[f32; LANES]; 4],
) {
    let samples = load_rows(simd, sample);
    if let Some(base) = base {
        let one = f32x8::splat(simd, 1.0);
        if bits(weight.simd_gt(one)) & channel.lanes != 0 {
            let mut weights = [0.0; LANES];
            weight.store_array(&mut weights);
            return add_rotations_one_by_one(channel.lanes, &weights, sample, base, value);
        }
        let [x, y, z, w] = load_rows(simd, base);
        let difference = quat_mul(samples, [-x, -y, -z, w]);
        let zero = f32x8::splat(simd, 0.0);
        // The share of the difference that the weight takes: slerp from the identity.
        let turn = slerp_lanes(simd, [zero, zero, zero, one], difference, weight);
        let rows = quat_mul(turn, load_rows(simd, value));
        return write(simd, channel.lanes, rows, value);
    }
    let replaced = channel.replaced(simd, weight);
    if replaced == channel.lanes {
        return write(simd, channel.lanes, samples, value);
    }
    let rows = slerp_lanes(simd, load_rows(simd, value), samples, weight);
    write(
        simd,
        channel.lanes,
        select(simd, replaced, samples, rows),
        value,
    );
}

/// Scalar path for weights above 1, which only tracks can have.
#[cold]
fn add_rotations_one_by_one(
    lanes: u8,
    weights: &[f32; LANES],
    sample: &[[f32; LANES]; 4],
    base: &[[f32; LANES]; 4],
    value: &mut [[f32; LANES]; 4],
) {
    for lane in (0..LANES).filter(|lane| lanes & (1 << lane) != 0) {
        let rotation = |rows: &[[f32; LANES]; 4]| Quat::from_array(rows.map(|row| row[lane]));
        let rotations = [rotation(value), rotation(sample), rotation(base)];
        let sum = overlay_rotation(LayerOperation::Add, rotations, weights[lane]);
        for (row, number) in value.iter_mut().zip(sum.to_array()) {
            row[lane] = number;
        }
    }
}

/// Returns one bit per lane, the first lowest.
#[inline(always)]
fn bits<S: Simd>(mask: mask32x8<S>) -> u8 {
    mask.to_bitmask() as u8
}

/// Selects the first if the bit of a lane is set, else the second.
#[inline(always)]
fn select<S: Simd, const N: usize>(
    simd: S,
    lanes: u8,
    yes: [f32x8<S>; N],
    mut no: [f32x8<S>; N],
) -> [f32x8<S>; N] {
    if lanes != 0 {
        let mask = mask32x8::from_bitmask(simd, u64::from(lanes));
        for (no, yes) in no.iter_mut().zip(&yes) {
            *no = mask.select(*yes, *no);
        }
    }
    no
}

/// Writes the lanes whose bit is set.
#[inline(always)]
fn write<S: Simd, const N: usize>(
    simd: S,
    lanes: u8,
    mut rows: [f32x8<S>; N],
    into: &mut [[f32; LANES]; N],
) {
    if lanes != u8::MAX {
        let mask = mask32x8::from_bitmask(simd, u64::from(lanes));
        for (row, into) in rows.iter_mut().zip(into.iter()) {
            *row = mask.select(*row, load(simd, into));
        }
    }
    store_rows(rows, into);
}
