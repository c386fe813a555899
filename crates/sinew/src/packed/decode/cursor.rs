//! The mutable state of sampling.

use crate::packed::{Rows, SlerpSpans, SmallRows};
use crate::simd::{LANES, SimdLevel};
use alloc::vec::Vec;
use core::ops::Range;

/// The values of a row and of the next.
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
    /// Components of both rows by groups of eight, for slerp.
    pub(super) pairs: Vec<[Pair; LANES]>,
    /// MRP coordinates by rotating block, then components of positions and scales. 0 if not a component.
    pub(super) slots: Vec<f32>,
    /// The same slots for both rows.
    pub(super) pair_slots: Vec<Pair>,
    /// The animation that the slots are for.
    slots_for: Option<u64>,
    /// The rows of a segment and the row after it, each by groups of eight.
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
    pub(super) fn make_room(&mut self, rows: &Rows<'_>) {
        if self.slots_for != Some(rows.id) {
            self.make_room_for(rows);
        }
    }

    #[inline(never)]
    fn make_room_for(&mut self, rows: &Rows<'_>) {
        let assembly = &rows.assembly;
        let groups = assembly.steps.len();
        self.values.resize(groups, [0.0; LANES]);
        self.slots.clear();
        self.slots.resize(assembly.slots(), 0.0);
        // Allocated for all rows: most animations with slerp spans have many.
        let has_slerp = rows.head.slerp_spans != SlerpSpans::Nowhere;
        let size = |count: usize| if has_slerp { count } else { 0 };
        self.pairs.resize(size(groups), [[0.0; 2]; LANES]);
        self.pair_slots.clear();
        self.pair_slots.resize(size(assembly.slots()), [0.0; 2]);
        self.slots_for = Some(rows.id);
    }

    /// Returns two rows of `segment`.
    #[inline(always)]
    fn two_rows<'a>(
        segment: &'a [[f32; LANES]],
        rows: &[Range<usize>; 2],
    ) -> [&'a [[f32; LANES]]; 2] {
        let row = |at: usize| segment.get(rows[at].clone()).unwrap_or(&[]);
        [row(0), row(1)]
    }

    /// Returns two rows of `segment`, and the buffer for interpolated components.
    #[inline(always)]
    pub(super) fn unpacked(
        &mut self,
        rows: &[Range<usize>; 2],
    ) -> ([&[[f32; LANES]]; 2], &mut Vec<[f32; LANES]>) {
        (Self::two_rows(&self.segment, rows), &mut self.values)
    }

    /// Returns two rows of `segment`, and the buffer for the components of both.
    #[inline(always)]
    pub(super) fn unpacked_pairs(
        &mut self,
        rows: &[Range<usize>; 2],
    ) -> ([&[[f32; LANES]]; 2], &mut Vec<[Pair; LANES]>) {
        (Self::two_rows(&self.segment, rows), &mut self.pairs)
    }

    /// Returns two rows of `segment`, and the slots for interpolated components.
    #[inline(always)]
    pub(super) fn unpacked_slots(
        &mut self,
        rows: &[Range<usize>; 2],
    ) -> ([&[[f32; LANES]]; 2], &mut [f32]) {
        (Self::two_rows(&self.segment, rows), &mut self.slots)
    }

    /// Returns two rows of `segment`, and the slots for the components of both.
    #[inline(always)]
    pub(super) fn unpacked_pair_slots(
        &mut self,
        rows: &[Range<usize>; 2],
    ) -> ([&[[f32; LANES]]; 2], &mut [Pair]) {
        (Self::two_rows(&self.segment, rows), &mut self.pair_slots)
    }

    /// Returns the ranges of a row and the next one in `segment`, which is decoded if it is not the row's.
    pub(super) fn small_rows(
        &mut self,
        level: SimdLevel,
        id: u64,
        small: &SmallRows<'_>,
        row: usize,
    ) -> [Range<usize>; 2] {
        let groups = small.groups();
        let segment = row / SmallRows::SEGMENT;
        if self.holds != Some((id, segment)) {
            let size = (SmallRows::SEGMENT + 1) * groups;
            self.segment.resize(size, [0.0; LANES]);
            // Integers are the same at every SIMD level.
            small.unpack(level, segment, &mut self.segment);
            self.holds = Some((id, segment));
        }
        let first = row % SmallRows::SEGMENT;
        // The last row has no successor; the ratio is 0 there.
        let is_last = row + 1 >= small.rows as usize;
        let second = if is_last { first } else { first + 1 };
        [first, second].map(|row| row * groups..(row + 1) * groups)
    }
}
