//! What sampling keeps from one moment to the next.

use crate::packed::{Rows, Slots, SmallRows};
use crate::simd::{LANES, SimdLevel};
use alloc::vec::Vec;
use core::ops::Range;

/// Two rows, and where components and those of pairs go.
type Unpacked<'a> = (
    [&'a [[f32; LANES]]; 2],
    &'a mut Vec<[f32; LANES]>,
    &'a mut [Vec<[f32; LANES]>; 2],
);

/// Buffers for sampling [`PackedAnimation`](crate::PackedAnimation)s.
///
/// One per thread serves any number of characters and animations; one per animation saves making it ready for
/// another each time. For animations that are packed small it also holds the stretch that was unpacked last: there,
/// one per character that plays saves unpacking it again. Empty
/// until first used; grows to what the largest animation needs.
#[derive(Clone, Debug, Default)]
pub struct PackedCursor {
    /// Components, by groups of eight.
    pub(super) values: Vec<[f32; LANES]>,
    /// Where there are paired joints: the components of a row and of the next.
    pub(super) pairs: [Vec<[f32; LANES]>; 2],
    /// Coordinates on charts, by turning blocks, and after these the components of positions and scales. What
    /// is not a component is 0.
    pub(super) slots: Vec<f32>,
    /// Coordinates of paired joints in both rows, by eight. What is not a component is 0.
    pub(super) pair_slots: Vec<[Slots; 2]>,
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
            pairs: [const { Vec::new() }; 2],
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
        let has_pairs = !compose.paired.is_empty();
        for row in &mut self.pairs {
            row.resize(if has_pairs { groups } else { 0 }, [0.0; LANES]);
        }
        self.slots.clear();
        self.slots.resize(compose.slots(), 0.0);
        self.pair_slots.clear();
        self.pair_slots
            .resize(compose.paired.len(), [[[0.0; LANES]; 3]; 2]);
        self.slots_for = Some(rows.id);
    }

    /// Rows of `segment`, and where components and those of pairs go.
    #[inline(always)]
    pub(super) fn unpacked(&mut self, rows: &[Range<usize>; 2]) -> Unpacked<'_> {
        let row = |at: usize| self.segment.get(rows[at].clone()).unwrap_or(&[]);
        ([row(0), row(1)], &mut self.values, &mut self.pairs)
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
