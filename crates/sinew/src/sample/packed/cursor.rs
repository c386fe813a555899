//! What sampling keeps from one moment to the next.

use crate::packed::{ChartSlots, Pair, Rows, SmallRows};
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
    /// Components of two rows, by groups of eight.
    pub(super) pairs: Vec<[Pair; LANES]>,
    /// Coordinates on charts, by turning blocks.
    pub(super) slots: Vec<ChartSlots>,
    /// Components of positions and scales.
    pub(super) linear: Vec<Pair>,
    /// The rows of a segment and the one after it, each by groups of eight.
    pub(super) segment: Vec<[f32; LANES]>,
    /// Which segment of which stream that is.
    holds: Option<(u64, usize)>,
}

impl PackedCursor {
    /// An empty one.
    pub const fn new() -> Self {
        Self {
            pairs: Vec::new(),
            slots: Vec::new(),
            linear: Vec::new(),
            segment: Vec::new(),
            holds: None,
        }
    }

    /// Room for what an animation needs.
    #[inline]
    pub(super) fn make_room(&mut self, rows: &Rows<'_>) {
        let compose = &rows.compose;
        let (groups, turning) = (compose.steps.len(), compose.turning.len());
        let linear = compose.linear.len();
        if self.pairs.len() != groups || self.slots.len() != turning || self.linear.len() != linear
        {
            self.pairs.resize(groups, [[0.0; 2]; LANES]);
            self.slots.resize(turning, [[[0.0; 2]; LANES]; 3]);
            self.linear.resize(linear, [0.0; 2]);
        }
    }

    /// Where a row and the next one are in `segment`, which is unpacked if it is not that row's.
    pub(super) fn small_rows(
        &mut self,
        id: u64,
        small: &SmallRows<'_>,
        row: usize,
    ) -> [Range<usize>; 2] {
        let groups = (small.components as usize).div_ceil(LANES);
        let segment = row / SmallRows::SEGMENT;
        if self.holds != Some((id, segment)) {
            self.segment
                .resize((SmallRows::SEGMENT + 1) * groups, [0.0; LANES]);
            small.unpack(segment, &mut self.segment);
            self.holds = Some((id, segment));
        }
        let first = row % SmallRows::SEGMENT;
        // There is none after the last; it weighs nothing there.
        let second = if row + 1 < small.rows as usize {
            first + 1
        } else {
            first
        };
        [first, second].map(|row| row * groups..(row + 1) * groups)
    }
}
