//! The mutable state of sampling: buffers, and the last decoded segment of `small`.
//!
//! Slots keep their zeros where an animation has no component, so they are cleared only when another animation is
//! sampled. Cost: nothing while animation and segment stay; one segment's decoding when the segment changes.

use crate::packed::{PackedSamples, SlerpSpans, SmallSamples};
use crate::simd::{LANES, SimdLevel};
use alloc::vec::Vec;
use core::ops::Range;

/// The values of a sample and of the next.
pub(super) type Pair = [f32; 2];

/// Buffers for sampling [`PackedAnimation`](crate::PackedAnimation)s.
///
/// One per thread serves any number of characters and animations; one per animation saves the setup when animations
/// alternate. For [`Packing::Small`](crate::packed::Packing::Small) it also caches the last decoded segment: one per
/// playing character saves decoding it again. Empty until first used; grows to the size of the largest animation.
#[derive(Clone, Debug, Default)]
pub struct PackedCursor {
    /// Components by groups of eight. Unused by kernels, which write to slots directly.
    pub(super) values: Vec<[f32; LANES]>,
    /// Components of both samples by groups of eight, for slerp.
    pub(super) pairs: Vec<[Pair; LANES]>,
    /// MRP coordinates by rotating block, then components of positions and scales. 0 if not a component.
    pub(super) slots: Vec<f32>,
    /// The same slots for both samples.
    pub(super) pair_slots: Vec<Pair>,
    /// The animation that the slots are for.
    slots_for: Option<u64>,
    /// The samples of a segment and the sample after it, each by groups of eight.
    pub(super) segment: Vec<[f32; LANES]>,
    /// The animation and segment in `segment`.
    holds: Option<(u64, usize)>,
}

impl PackedCursor {
    /// Creates an empty cursor.
    pub const fn new() -> Self {
        Self {
            values: Vec::new(),
            pairs: Vec::new(),
            slots: Vec::new(),
            pair_slots: Vec::new(),
            slots_for: None,
            segment: Vec::new(),
            holds: None,
        }
    }

    /// Resizes the buffers for an animation.
    #[inline]
    pub(super) fn make_room(&mut self, samples: &PackedSamples<'_>) {
        if self.slots_for != Some(samples.id) {
            self.make_room_for(samples);
        }
    }

    #[inline(never)]
    fn make_room_for(&mut self, samples: &PackedSamples<'_>) {
        let assembly = &samples.assembly;
        let groups = assembly.steps.len();
        self.values.resize(groups, [0.0; LANES]);
        self.slots.clear();
        self.slots.resize(assembly.slots(), 0.0);
        // Allocated for all samples: most animations with slerp spans have many.
        let has_slerp = samples.head.slerp_spans != SlerpSpans::Nowhere;
        let size = |count: usize| if has_slerp { count } else { 0 };
        self.pairs.resize(size(groups), [[0.0; 2]; LANES]);
        self.pair_slots.clear();
        self.pair_slots.resize(size(assembly.slots()), [0.0; 2]);
        self.slots_for = Some(samples.id);
    }

    /// Returns two samples of `segment`.
    #[inline(always)]
    fn two_samples<'a>(
        segment: &'a [[f32; LANES]],
        ranges: &[Range<usize>; 2],
    ) -> [&'a [[f32; LANES]]; 2] {
        let sample = |index: usize| segment.get(ranges[index].clone()).unwrap_or(&[]);
        [sample(0), sample(1)]
    }

    /// Returns two samples of `segment`, and the buffer for interpolated components.
    #[inline(always)]
    pub(super) fn unpacked(
        &mut self,
        ranges: &[Range<usize>; 2],
    ) -> ([&[[f32; LANES]]; 2], &mut Vec<[f32; LANES]>) {
        (Self::two_samples(&self.segment, ranges), &mut self.values)
    }

    /// Returns two samples of `segment`, and the buffer for the components of both.
    #[inline(always)]
    pub(super) fn unpacked_pairs(
        &mut self,
        ranges: &[Range<usize>; 2],
    ) -> ([&[[f32; LANES]]; 2], &mut Vec<[Pair; LANES]>) {
        (Self::two_samples(&self.segment, ranges), &mut self.pairs)
    }

    /// Returns two samples of `segment`, and the slots for interpolated components.
    #[inline(always)]
    pub(super) fn unpacked_slots(
        &mut self,
        ranges: &[Range<usize>; 2],
    ) -> ([&[[f32; LANES]]; 2], &mut [f32]) {
        (Self::two_samples(&self.segment, ranges), &mut self.slots)
    }

    /// Returns two samples of `segment`, and the slots for the components of both.
    #[inline(always)]
    pub(super) fn unpacked_pair_slots(
        &mut self,
        ranges: &[Range<usize>; 2],
    ) -> ([&[[f32; LANES]]; 2], &mut [Pair]) {
        (
            Self::two_samples(&self.segment, ranges),
            &mut self.pair_slots,
        )
    }

    /// Returns the ranges of a sample and the next one in `segment`, which is decoded if it is not the sample's.
    pub(super) fn small_samples(
        &mut self,
        level: SimdLevel,
        id: u64,
        small: &SmallSamples<'_>,
        sample_index: usize,
    ) -> [Range<usize>; 2] {
        let groups = small.groups();
        let segment = sample_index / SmallSamples::SEGMENT;
        if self.holds != Some((id, segment)) {
            let size = (SmallSamples::SEGMENT + 1) * groups;
            self.segment.resize(size, [0.0; LANES]);
            // Integers are the same at every SIMD level.
            small.unpack(level, segment, &mut self.segment);
            self.holds = Some((id, segment));
        }
        let first = sample_index % SmallSamples::SEGMENT;
        // The last sample has no successor; the ratio is 0 there.
        let is_last = sample_index + 1 >= small.sample_count as usize;
        let second = if is_last { first } else { first + 1 };
        [first, second].map(|index| index * groups..(index + 1) * groups)
    }
}
