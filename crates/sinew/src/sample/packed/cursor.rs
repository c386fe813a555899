//! What sampling keeps from one moment to the next.

use crate::packed::{Pair, PairSlots, Rows, Slots, SmallRows};
use crate::simd::LANES;
use alloc::vec::Vec;
use core::ops::Range;

/// Buffers for sampling [`PackedAnimation`](crate::PackedAnimation)s.
///
/// One per thread serves any number of characters and animations. For animations that are packed small it also
/// holds the stretch that was unpacked last: there, one per character that plays saves unpacking it again. Empty
/// until first used; grows to what the largest animation needs.
#[derive(Clone, Debug, Default)]
pub struct PackedCursor {
    /// Straight components, by groups of eight.
    pub(super) values: Vec<[f32; LANES]>,
    /// Components of paired joints, by groups of eight.
    pub(super) pairs: Vec<[Pair; LANES]>,
    /// Coordinates on charts, by turning blocks, and after these the components of positions and scales. What
    /// is not a component is 0.
    pub(super) slots: Vec<Slots>,
    /// Coordinates of paired joints, by eight. What is not a component is 0.
    pub(super) pair_slots: Vec<PairSlots>,
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
        let straight = compose.straight_groups;
        self.values.resize(straight, [0.0; LANES]);
        self.pairs
            .resize(compose.steps.len() - straight, [[0.0; 2]; LANES]);
        self.slots.clear();
        self.slots.resize(compose.slot_blocks(), [[0.0; LANES]; 3]);
        self.pair_slots.clear();
        self.pair_slots
            .resize(compose.paired.len(), [[[0.0; 2]; LANES]; 3]);
        self.slots_for = Some(rows.id);
    }

    /// Where a row and the next one are in `segment`, which is unpacked if it is not that row's.
    pub(super) fn small_rows(
        &mut self,
        id: u64,
        small: &SmallRows<'_>,
        row: usize,
    ) -> [Range<usize>; 2] {
        let groups = small.lanes.groups();
        let segment = row / SmallRows::SEGMENT;
        if self.holds != Some((id, segment)) {
            let size = (SmallRows::SEGMENT + 1) * groups;
            self.segment.resize(size, [0.0; LANES]);
            small.unpack(segment, &mut self.segment);
            self.holds = Some((id, segment));
        }
        let first = row % SmallRows::SEGMENT;
        // There is none after the last; it weighs nothing there.
        let is_last = row + 1 >= small.rows as usize;
        let second = if is_last { first } else { first + 1 };
        [first, second].map(|row| row * groups..(row + 1) * groups)
    }
}
