//! What sampling keeps from one moment to the next.

use crate::packed::{Rows, SlerpSpans, SmallRows};
use crate::simd::{LANES, SimdLevel};
use alloc::vec::Vec;
use core::ops::Range;

/// Numbers of a row and of the next, side by side.
pub(super) type Pair = [f32; 2];

/// Buffers for sampling [`PackedAnimation`](crate::PackedAnimation)s.
///
/// One per thread serves any number of characters and animations; one per animation saves making it ready for
/// another each time. For animations that are packed small it also holds the stretch that was unpacked last: there,
/// one per character that plays saves unpacking it again. Empty
/// until first used; grows to what the largest animation needs.
#[derive(Clone, Debug, Default)]
pub struct PackedCursor {
    /// Components, by groups of eight. Kernels do without: they put components into slots.
    pub(super) values: Vec<[f32; LANES]>,
    /// Components of both rows, by groups of eight, where rotations are interpolated by slerp.
    pub(super) pairs: Vec<[Pair; LANES]>,
    /// Coordinates on charts, by turning blocks, and after these the components of positions and scales. What
    /// is not a component is 0.
    pub(super) slots: Vec<f32>,
    /// The same slots for both rows.
    pub(super) pair_slots: Vec<Pair>,
    /// Which animation the slots are for.
    slots_for: Option<u64>,
    /// The rows of a segment and the one after it, each by groups of eight.
    pub(super) segment: Vec<[f32; LANES]>,
    /// Which segment of which animation that is.
    holds: Option<(u64, usize)>,
}

impl PackedCursor {
    /// An empty one.
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

    /// Room for what an animation needs.
    #[inline]
    pub(super) fn make_room(&mut self, rows: &Rows<'_>) {
        if self.slots_for != Some(rows.id) {
            self.make_room_for(rows);
        }
    }

    #[inline(never)]
    fn make_room_for(&mut self, rows: &Rows<'_>) {
        let compose = &rows.compose;
        let groups = compose.steps.len();
        self.values.resize(groups, [0.0; LANES]);
        self.slots.clear();
        self.slots.resize(compose.slots(), 0.0);
        // Most animations that have any have many.
        let has_slerp = rows.head.slerp_spans != SlerpSpans::Nowhere;
        let size = |count: usize| if has_slerp { count } else { 0 };
        self.pairs.resize(size(groups), [[0.0; 2]; LANES]);
        self.pair_slots.clear();
        self.pair_slots.resize(size(compose.slots()), [0.0; 2]);
        self.slots_for = Some(rows.id);
    }

    /// Two rows of `segment`.
    #[inline(always)]
    fn two_rows<'a>(
        segment: &'a [[f32; LANES]],
        rows: &[Range<usize>; 2],
    ) -> [&'a [[f32; LANES]]; 2] {
        let row = |at: usize| segment.get(rows[at].clone()).unwrap_or(&[]);
        [row(0), row(1)]
    }

    /// Two rows of `segment`, and where interpolated components go.
    #[inline(always)]
    pub(super) fn unpacked(
        &mut self,
        rows: &[Range<usize>; 2],
    ) -> ([&[[f32; LANES]]; 2], &mut Vec<[f32; LANES]>) {
        (Self::two_rows(&self.segment, rows), &mut self.values)
    }

    /// Two rows of `segment`, and where components of both go.
    #[inline(always)]
    pub(super) fn unpacked_pairs(
        &mut self,
        rows: &[Range<usize>; 2],
    ) -> ([&[[f32; LANES]]; 2], &mut Vec<[Pair; LANES]>) {
        (Self::two_rows(&self.segment, rows), &mut self.pairs)
    }

    /// Two rows of `segment`, and the slots for interpolated components.
    #[inline(always)]
    pub(super) fn unpacked_slots(
        &mut self,
        rows: &[Range<usize>; 2],
    ) -> ([&[[f32; LANES]]; 2], &mut [f32]) {
        (Self::two_rows(&self.segment, rows), &mut self.slots)
    }

    /// Two rows of `segment`, and the slots for components of both.
    #[inline(always)]
    pub(super) fn unpacked_pair_slots(
        &mut self,
        rows: &[Range<usize>; 2],
    ) -> ([&[[f32; LANES]]; 2], &mut [Pair]) {
        (Self::two_rows(&self.segment, rows), &mut self.pair_slots)
    }

    /// Where a row and the next one are in `segment`, which is unpacked if it is not that row's.
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
            // Whole numbers are the same with any instructions.
            small.unpack(level, segment, &mut self.segment);
            self.holds = Some((id, segment));
        }
        let first = row % SmallRows::SEGMENT;
        // There is none after the last; it weighs nothing there.
        let is_last = row + 1 >= small.rows as usize;
        let second = if is_last { first } else { first + 1 };
        [first, second].map(|row| row * groups..(row + 1) * groups)
    }
}
