//! Decodes quantized samples to poses with eight lanes. [`super::reference`] is the specification; every lane uses the same
//! operations in the same order, so results are bit-identical.
//!
//! Reading `fast` samples per group of eight components, with `w` the width and `b` the bit offset of a number:
//!
//! ```text
//! window = 4 slices, transposed to 32 bits per lane
//! number = (window << (32 - w - b mod 8)) >> (32 - w)        arithmetic shift: sign extension
//! ```
//!
//! All lanes of a group share `w` and `b`, so both shifts are uniform. Offsets are computed for eight groups per
//! vector. One window serves two adjacent numbers of up to 12 bits each, and two windows wider ones (`WIDE`).
//!
//! Cost per group: two windows (a load and two shuffles each), eight shifts, four conversions, and eight scalar
//! stores to slots; composing a block takes one division, or five and a square root with slerp.

use super::cursor::{PackedCursor, Pair};
use super::reference::{set_linear, set_linear_pairs};
use crate::packed::{
    FastSamples, Maps, PoseAssembly, SLOTS, SampleLocation, SampleWeights, SlerpRatio, Slice,
    Targets, U8_SLOTS, WINDOW, Weights,
};
use crate::pose::SoaTransform;
use crate::simd::{LANES, load, store_rows};
use fearless_simd::prelude::*;
use fearless_simd::{f32x8, i32x8, u8x32, u16x8, u32x4, u32x8};

/// The windows of two numbers in each of eight groups. If `WIDE`, both may exceed a window, and each is read from its
/// own.
struct Windows<const WIDE: bool> {
    /// The slices in which the numbers begin.
    first_slices: [u32; LANES],
    second_slices: [u32; LANES],
    /// The left shift of a window that moves the sign of each number to the top bit.
    firsts: [u32; LANES],
    seconds: [u32; LANES],
    /// The right shift back.
    tops: [u32; LANES],
}

impl<const WIDE: bool> Windows<WIDE> {
    /// Locates the numbers at `bits`. The second is the following one if `is_second`, else the first.
    #[inline(always)]
    fn new<S: Simd>(simd: S, bits: u32x8<S>, widths: u32x8<S>, is_second: bool) -> Self {
        let seven = u32x8::splat(simd, 7);
        // Zero-width numbers are read as one bit of the zero padding.
        let tops = u32x8::splat(simd, 32) - widths.max(u32x8::splat(simd, 1));
        let firsts = tops - (bits & seven);
        let afters = widths & u32x8::splat(simd, if is_second { u32::MAX } else { 0 });
        let (second_bits, seconds) = if WIDE {
            let bits = bits + afters;
            (bits, tops - (bits & seven))
        } else {
            (bits, firsts - afters)
        };
        Self {
            first_slices: stored(bits >> 3),
            second_slices: stored(second_bits >> 3),
            firsts: stored(firsts),
            seconds: stored(seconds),
            tops: stored(tops),
        }
    }

    /// Returns the two numbers of a group; `None` beyond the end of the slices.
    #[inline(always)]
    fn two<S: Simd>(
        &self,
        simd: S,
        slices: &[Slice],
        order: u8x32<S>,
        group: usize,
    ) -> Option<[f32x8<S>; 2]> {
        let top = self.tops[group];
        let first = window(simd, slices, order, self.first_slices[group])?;
        let second = if WIDE {
            window(simd, slices, order, self.second_slices[group])?
        } else {
            first
        };
        Some([
            number(first << self.firsts[group], top),
            number(second << self.seconds[group], top),
        ])
    }
}

#[inline(always)]
fn stored<S: Simd>(lanes: u32x8<S>) -> [u32; LANES] {
    let mut stored = [0; LANES];
    lanes.store_array(&mut stored);
    stored
}

/// Returns the 32 bits of each lane that begin at `slice`.
#[inline(always)]
fn window<S: Simd>(simd: S, slices: &[Slice], order: u8x32<S>, slice: u32) -> Option<u32x8<S>> {
    let first = slice as usize;
    let window = slices.get(first..first + WINDOW)?.first_chunk()?;
    Some(transposed(simd, window, order))
}

/// The source index of each byte in the transpose of four slices, given four bytes of each.
static BYTE_ORDER: [u8; 32] = {
    let mut bytes = [0; 32];
    let mut index = 0;
    while index < 32 {
        bytes[index] = ((index % 4) * 4 + index / 4 % 4) as u8;
        index += 1;
    }
    bytes
};

/// Returns whether a byte shuffle within vector halves is one instruction and vectors are 256 bits wide.
#[inline(always)]
fn has_swizzle<S: Simd>(simd: S) -> bool {
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    let has = matches!(simd.level(), fearless_simd::Level::Avx2(_));
    #[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
    let has = {
        let _ = simd;
        false
    };
    has
}

/// Transposes a window to four adjacent bytes per lane. `order` is [`BYTE_ORDER`].
#[inline(always)]
fn transposed<S: Simd>(simd: S, window: &[Slice; WINDOW], order: u8x32<S>) -> u32x8<S> {
    let bytes = u8x32::load_array_ref(simd, bytemuck::cast_ref(window));
    if has_swizzle(simd) {
        // The first four lanes of all slices to one half, the last four to the other; then a byte shuffle within
        // halves.
        let slices = bytes.bitcast::<u32x8<S>>();
        let first = simd.unzip_low_u32x8(slices, slices);
        let last = simd.unzip_high_u32x8(slices, slices);
        let halves = simd.slide_u32x8::<4>(first, last);
        return simd
            .swizzle_dyn_within_blocks_u8x32(halves.bitcast::<u8x32<S>>(), order)
            .bitcast();
    }
    // Without such a shuffle: zips of bytes of two slices, then of byte pairs.
    let (low, high) = simd.split_u8x32(bytes);
    let low: u16x8<S> = simd
        .zip_low_u8x16(low, simd.slide_u8x16::<8>(low, low))
        .bitcast();
    let high: u16x8<S> = simd
        .zip_low_u8x16(high, simd.slide_u8x16::<8>(high, high))
        .bitcast();
    let first: u32x4<S> = simd.zip_low_u16x8(low, high).bitcast();
    let last: u32x4<S> = simd.zip_high_u16x8(low, high).bitcast();
    simd.combine_u32x4(first, last)
}

/// Sign-extends numbers at the top bits by an arithmetic shift.
#[inline(always)]
fn number<S: Simd>(bits: u32x8<S>, top: u32) -> f32x8<S> {
    (bits.bitcast::<i32x8<S>>() >> top).to_float::<f32x8<S>>()
}

/// [`Weights`](crate::packed::Weights) in all lanes.
#[derive(Clone, Copy)]
struct LaneWeights<S: Simd> {
    to_anchor: f32x8<S>,
    quarters: [f32x8<S>; 2],
    others: [f32x8<S>; 2],
}

impl<S: Simd> LaneWeights<S> {
    #[inline(always)]
    fn new(simd: S, weights: &Weights) -> Self {
        let splat = |number: f32| f32x8::splat(simd, number);
        Self {
            to_anchor: splat(weights.to_anchor),
            quarters: [splat(weights.quarters[0]), splat(weights.quarters[1])],
            others: [splat(weights.others[0]), splat(weights.others[1])],
        }
    }

    /// Sums the anchor and the weighted anchor difference, quarters and others.
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
    samples: &FastSamples<'_>,
    location: SampleLocation<'_>,
    ratio: f32,
    assembly: &PoseAssembly,
    slots: &mut [f32],
) {
    let weights = location.within.weights(ratio);
    let output = InterpolatedOutput(LaneWeights::new(simd, &weights));
    read_into(
        simd,
        samples,
        location,
        &assembly.steps,
        output,
        &assembly.targets,
        slots,
    );
}

#[inline(always)]
pub(super) fn read_fast_pairs<S: Simd>(
    simd: S,
    samples: &FastSamples<'_>,
    location: SampleLocation<'_>,
    assembly: &PoseAssembly,
    slots: &mut [Pair],
) {
    let [from, to] = &location.within.sample_weights;
    let (from, to) = (SampleSpread::new(simd, from), SampleSpread::new(simd, to));
    let output = PairOutput { from, to };
    read_into(
        simd,
        samples,
        location,
        &assembly.steps,
        output,
        &assembly.pair_targets,
        slots,
    );
}

/// Target slots of the lanes of groups. Lanes are stored from the vector directly: two instructions each.
trait Slots<T> {
    /// The target of each lane.
    type Targets;
    fn put(&mut self, targets: &Self::Targets, values: [T; LANES]);
}

/// 8-bit slot indices: always valid, without bounds checks.
struct SlotsByU8<'a, T>(&'a mut [T; U8_SLOTS]);

impl<T: Copy> Slots<T> for SlotsByU8<'_, T> {
    type Targets = [u8; LANES];

    #[inline(always)]
    fn put(&mut self, targets: &Self::Targets, values: [T; LANES]) {
        for lane in 0..LANES {
            self.0[usize::from(targets[lane])] = values[lane];
        }
    }
}

/// Any number of slots.
struct SlotsByU32<'a, T>(&'a mut [T]);

impl<T: Copy> Slots<T> for SlotsByU32<'_, T> {
    type Targets = [u32; LANES];

    #[inline(always)]
    fn put(&mut self, targets: &Self::Targets, values: [T; LANES]) {
        for lane in 0..LANES {
            if let Some(slot) = self.0.get_mut(targets[lane] as usize) {
                *slot = values[lane];
            }
        }
    }
}

#[inline(always)]
fn read_into<S: Simd, O: Output<S>>(
    simd: S,
    samples: &FastSamples<'_>,
    location: SampleLocation<'_>,
    steps: &[[f32; LANES]],
    output: O,
    targets: &Targets,
    slots: &mut [O::Number],
) {
    match targets {
        Targets::U8(targets) => {
            if let Some(slots) = slots.first_chunk_mut() {
                read_any(
                    simd,
                    samples,
                    location,
                    steps,
                    output,
                    targets,
                    SlotsByU8(slots),
                );
            }
        }
        Targets::U32(targets) => {
            read_any(
                simd,
                samples,
                location,
                steps,
                output,
                targets,
                SlotsByU32(slots),
            );
        }
    }
}

#[inline(always)]
fn read_any<S: Simd, O: Output<S>, P: Slots<O::Number>>(
    simd: S,
    samples: &FastSamples<'_>,
    location: SampleLocation<'_>,
    steps: &[[f32; LANES]],
    output: O,
    targets: &[P::Targets],
    slots: P,
) {
    if samples.has_wide(location.segment) {
        read::<S, O, P, true>(simd, samples, location, steps, output, targets, slots);
    } else {
        read::<S, O, P, false>(simd, samples, location, steps, output, targets, slots);
    }
}

/// The output computed from the numbers around two samples, by group.
trait Output<S: Simd> {
    type Number: Copy;
    fn values(&self, simd: S, numbers: [[f32x8<S>; 2]; 3], step: f32x8<S>)
    -> [Self::Number; LANES];
}

/// Components at a time between two samples.
struct InterpolatedOutput<S: Simd>(LaneWeights<S>);

impl<S: Simd> Output<S> for InterpolatedOutput<S> {
    type Number = f32;

    #[inline(always)]
    fn values(&self, _: S, numbers: [[f32x8<S>; 2]; 3], step: f32x8<S>) -> [f32; LANES] {
        (self.0.sum(numbers) * step).into()
    }
}

/// [`SampleWeights`] in all lanes.
#[derive(Clone, Copy)]
struct SampleSpread<S: Simd> {
    to_anchor: f32x8<S>,
    quarters: [f32x8<S>; 2],
    other: f32x8<S>,
}

impl<S: Simd> SampleSpread<S> {
    #[inline(always)]
    fn new(simd: S, weights: &SampleWeights) -> Self {
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

/// Components of both samples.
struct PairOutput<S: Simd> {
    from: SampleSpread<S>,
    to: SampleSpread<S>,
}

impl<S: Simd> Output<S> for PairOutput<S> {
    type Number = Pair;

    #[inline(always)]
    fn values(&self, simd: S, numbers: [[f32x8<S>; 2]; 3], step: f32x8<S>) -> [Pair; LANES] {
        let [anchors, quarters, others] = numbers;
        let from = self.from.sum(anchors, quarters, others[0]);
        let to = self.to.sum(anchors, quarters, others[1]);
        pairs(simd, from * step, to * step)
    }
}

/// Interleaves the lanes of both samples.
#[inline(always)]
fn pairs<S: Simd>(simd: S, from: f32x8<S>, to: f32x8<S>) -> [Pair; LANES] {
    let halves: [[f32; LANES]; 2] = [
        simd.zip_low_f32x8(from, to).into(),
        simd.zip_high_f32x8(from, to).into(),
    ];
    bytemuck::cast(halves)
}

/// `WIDE`: two adjacent quarters or others may exceed a window.
#[inline(always)]
fn read<S: Simd, O: Output<S>, P: Slots<O::Number>, const WIDE: bool>(
    simd: S,
    samples: &FastSamples<'_>,
    location: SampleLocation<'_>,
    steps: &[[f32; LANES]],
    output: O,
    targets: &[P::Targets],
    mut slots: P,
) {
    let slices: &[Slice] = &samples.slices;
    // Prevents the compiler from fusing two shuffles into one that takes twice the instructions.
    let order = u8x32::load_array_ref(simd, core::hint::black_box(&BYTE_ORDER));
    let [before, after] = samples.anchors(location.segment);
    let count = steps.len().min(targets.len());
    for first in (0..count).step_by(LANES) {
        let Some(offsets) = samples.group_offsets(location.segment, first) else {
            return;
        };
        // Bit offsets of eight groups at once: the number at `index` begins `index` widths after the first. The widths
        // of quarters and of others are in the lowest two bytes.
        let both = u32x8::load_array_ref(simd, offsets.widths);
        let widths = both & u32x8::splat(simd, 31);
        let bits = u32x8::load_array_ref(simd, offsets.quarters);
        let bits = bits + widths * u32x8::splat(simd, location.within.quarter);
        let quarters = Windows::<WIDE>::new(simd, bits, widths, location.within.is_second_quarter);
        let widths = (both >> 8) & u32x8::splat(simd, 31);
        let bits = u32x8::load_array_ref(simd, offsets.others);
        let bits = bits + widths * u32x8::splat(simd, location.within.other);
        let others = Windows::<WIDE>::new(simd, bits, widths, location.within.is_second_other);
        let end = first + (count - first).min(LANES);
        let (Some(steps), Some(targets)) = (steps.get(first..end), targets.get(first..end)) else {
            return;
        };
        let unpacked;
        let (before, after) = match (before.get(first..end), after.get(first..end)) {
            (Some(before), Some(after)) => (before, after),
            _ => {
                unpacked = samples.read_anchors(location.segment, first);
                (&unpacked[0][..end - first], &unpacked[1][..end - first])
            }
        };
        for within in 0..steps.len().min(LANES) {
            let Some(quarters) = quarters.two(simd, slices, order, within) else {
                return;
            };
            let Some(others) = others.two(simd, slices, order, within) else {
                return;
            };
            let from = load(simd, &before[within]);
            let anchors = [from, load(simd, &after[within]) - from];
            let step = load(simd, &steps[within]);
            let values = output.values(simd, [anchors, quarters, others], step);
            slots.put(&targets[within], values);
        }
    }
}

#[inline(always)]
pub(super) fn read_small<S: Simd>(
    simd: S,
    both: [&[[f32; LANES]]; 2],
    ratio: f32,
    assembly: &PoseAssembly,
    slots: &mut [f32],
) {
    let steps = &assembly.steps;
    match &assembly.targets {
        Targets::U8(targets) => {
            if let Some(slots) = slots.first_chunk_mut() {
                mix_small(simd, both, ratio, steps, targets, SlotsByU8(slots));
            }
        }
        Targets::U32(targets) => mix_small(simd, both, ratio, steps, targets, SlotsByU32(slots)),
    }
}

#[inline(always)]
fn mix_small<S: Simd, P: Slots<f32>>(
    simd: S,
    [first, second]: [&[[f32; LANES]]; 2],
    ratio: f32,
    steps: &[[f32; LANES]],
    targets: &[P::Targets],
    mut slots: P,
) {
    let groups = first.iter().zip(second).zip(steps);
    for (((first, second), step), targets) in groups.zip(targets) {
        let (a, b) = (load(simd, first), load(simd, second));
        let mixed = a + (b - a) * f32x8::splat(simd, ratio);
        slots.put(targets, (mixed * load(simd, step)).into());
    }
}

#[inline(always)]
pub(super) fn read_small_pairs<S: Simd>(
    simd: S,
    both: [&[[f32; LANES]]; 2],
    assembly: &PoseAssembly,
    slots: &mut [Pair],
) {
    let steps = &assembly.steps;
    match &assembly.pair_targets {
        Targets::U8(targets) => {
            if let Some(slots) = slots.first_chunk_mut() {
                pair_small(simd, both, steps, targets, SlotsByU8(slots));
            }
        }
        Targets::U32(targets) => pair_small(simd, both, steps, targets, SlotsByU32(slots)),
    }
}

#[inline(always)]
fn pair_small<S: Simd, P: Slots<Pair>>(
    simd: S,
    [first, second]: [&[[f32; LANES]]; 2],
    steps: &[[f32; LANES]],
    targets: &[P::Targets],
    mut slots: P,
) {
    let groups = first.iter().zip(second).zip(steps);
    for (((first, second), step), targets) in groups.zip(targets) {
        let step = load(simd, step);
        let (from, to) = (load(simd, first) * step, load(simd, second) * step);
        slots.put(targets, pairs(simd, from, to));
    }
}

#[inline(always)]
pub(super) fn assemble<S: Simd>(
    simd: S,
    assembly: &PoseAssembly,
    cursor: &mut PackedCursor,
    pose: &mut [SoaTransform],
) {
    set_fixed_blocks(assembly, pose);
    let (slots, _) = cursor.slots.as_chunks::<SLOTS>();
    for (rotating, slots) in assembly.rotating.iter().zip(slots) {
        let index = rotating.block as usize;
        if let (Some(block), Some(constant)) = (pose.get_mut(index), assembly.constant.get(index)) {
            set_constant(simd, constant, block);
            let rotation = mapped(
                simd,
                &rotating.map,
                mrp_to_quat(simd, bytemuck::cast_ref(slots)),
            );
            store_rows(rotation, &mut block.rotation);
        }
    }
    set_linear(assembly, cursor, pose);
}

#[inline(always)]
pub(super) fn assemble_slerp<S: Simd>(
    simd: S,
    assembly: &PoseAssembly,
    ratio: f32,
    cursor: &mut PackedCursor,
    pose: &mut [SoaTransform],
) {
    set_fixed_blocks(assembly, pose);
    let slerp = SlerpLanes::new(simd, &SlerpRatio::new(ratio));
    let (slots, _) = cursor.pair_slots.as_chunks::<SLOTS>();
    for (rotating, slots) in assembly.rotating.iter().zip(slots) {
        let index = rotating.block as usize;
        if let (Some(block), Some(constant)) = (pose.get_mut(index), assembly.constant.get(index)) {
            set_constant(simd, constant, block);
            let q = slerp_coordinates(simd, &slerp, bytemuck::cast_ref(slots));
            store_rows(mapped(simd, &rotating.map, q), &mut block.rotation);
        }
    }
    set_linear_pairs(assembly, ratio, cursor, pose);
}

/// Sets the blocks without rotating joints.
#[inline(always)]
fn set_fixed_blocks(assembly: &PoseAssembly, pose: &mut [SoaTransform]) {
    for &block in &assembly.fixed {
        let index = block as usize;
        if let (Some(block), Some(constant)) = (pose.get_mut(index), assembly.constant.get(index)) {
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

/// Interpolates MRP coordinates by slerp: three axes of eight joints, both samples interleaved. `packed/slerp.rs` has the
/// derivation.
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
        // Within halves: two instructions. The pair order of `PAIR_LANES` puts the lanes in order.
        let ((low, low_end), (high, high_end)) = (low.split(), high.split());
        a[axis] = simd.combine_f32x4(
            simd.unzip_low_f32x4(low, high),
            simd.unzip_low_f32x4(low_end, high_end),
        );
        b[axis] = simd.combine_f32x4(
            simd.unzip_high_f32x4(low, high),
            simd.unzip_high_f32x4(low_end, high_end),
        );
    }
    let one = f32x8::splat(simd, 1.0);
    let fourth = f32x8::splat(simd, 0.25);
    let a_quarter = (a[0] * a[0] + a[1] * a[1] + a[2] * a[2]) * fourth;
    let b_quarter = (b[0] * b[0] + b[1] * b[1] + b[2] * b[2]) * fourth;
    let (a_length, b_length) = (one + a_quarter, one + b_quarter);
    let d = [b[0] - a[0], b[1] - a[1], b[2] - a[2]];
    // MRP coordinates are a stereographic projection of the quaternion: `|d|² / (4 (1 + |a|²/4) (1 + |b|²/4))` is
    // `sin² h` for half the angle `h` between `a` and `b`, so `near / far` is `tan² h`.
    let near = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    let far = a_length * b_length * f32x8::splat(simd, 4.0) - near;
    let is_opposite = far.simd_lt(near);
    // `-b` is the same rotation at the half angle `π/2 - h`, whose tangent is the reciprocal.
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

/// Returns the unit quaternion of MRP coordinates `u = 2 tan(θ / 4) axis`: `(u, 1 - |u|²/4) / (1 + |u|²/4)`.
#[inline(always)]
fn mrp_to_quat<S: Simd>(simd: S, slots: &[[f32; LANES]; 3]) -> [f32x8<S>; 4] {
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
