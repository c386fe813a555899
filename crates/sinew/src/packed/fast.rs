//! Rows in fixed widths: any of them is found and read at the same cost.
//!
//! Components stand in groups of eight, one per lane. A segment is sixteen rows. Its first row, the *anchor*, is
//! written in full; rows 4, 8 and 12, its *quarters*, as what a line between this anchor and the next misses;
//! all others as what a line between the quarters around them misses. The three kinds have a width each, anchors
//! one per group, the others one per group and segment. Numbers are in two's complement.
//!
//! ```text
//! slices  s0 s1 s2 …                    each 8 x u8: one byte per lane, so that all lanes shift alike
//!         └─ bits of a lane, lowest first, without gaps:
//! anchors ┃ group 0: of segment 0, 1, …, and one after the last ┃ group 1: … ┃ …
//! segment ┃ group 0: quarters, others ┃ group 1: quarters, others ┃ …
//! ```
//!
//! Four slices from any on are 32 bits of each lane. A number begins within the first eight of them, so that one
//! load has two numbers side by side of up to [`HALF`] bits each, wherever they begin. Words of 32 bits instead of bytes
//! would take two loads, two shifts and their union.
//!
//! Anchors are unpacked when rows are made: of every sixteenth row, two loads replace the search for two numbers. Where
//! anchors are so narrow that this would take many times the room of the rows, they are unpacked when they are read.
#![allow(missing_docs, reason = "shared with sinew-author only")]

use crate::simd::LANES;
use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::vec::Vec;

/// Rows of a segment.
pub const SEGMENT: u32 = 16;

/// Rows from quarter to quarter.
pub const QUARTER: u32 = 4;

/// What four bits say of a width. Above 24 bits whole numbers are no longer exact in `f32`.
pub const WIDTHS: [u8; 16] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 16, 20, 24];

/// So many anchors of a group are unpacked when rows are made, however narrow.
const FEW_ANCHORS: usize = 5;

/// The widest number.
pub const WIDEST: u32 = 24;

/// Two numbers that are no wider than this are within 32 bits that begin up to seven bits earlier.
const HALF: u32 = 12;

/// A byte of each lane.
pub type Slice = [u8; LANES];

/// Slices that are read at once: 32 bits of each lane.
pub const WINDOW: usize = 4;

/// Rows in fixed widths.
#[derive(Clone, Debug)]
pub struct FastRows<'a> {
    pub slices: Cow<'a, [Slice]>,
    /// By segment, with one more after the last, then by group; empty where that would be too large.
    anchors: Vec<[f32; LANES]>,
    /// How wide anchors are written, by group.
    anchor_widths: Vec<u8>,
    /// By segment, then by group: the bits at which quarters begin, those at which other rows do, and the widths
    /// of both, as [`GroupsAt::widths`] has them.
    quarters: Vec<u32>,
    others: Vec<u32>,
    widths: Vec<u32>,
    pub rows: u32,
    groups: usize,
    /// By segments, whether two numbers side by side may be more than a window has.
    has_wide: Vec<bool>,
    /// For the last segment, which may have fewer rows than others.
    pub last: Box<WithinSegment>,
}

/// Where the numbers of eight groups in a segment are, and how wide. What is beyond the last group means nothing.
#[derive(Clone, Copy, Debug)]
pub struct GroupsAt<'a> {
    /// The bits at which quarters begin, and those at which other rows do.
    pub quarters: &'a [u32; LANES],
    pub others: &'a [u32; LANES],
    /// The widths of quarters in the lowest eight bits, of others in the next, and above these both as they are
    /// written.
    pub widths: &'a [u32; LANES],
}

/// What a byte says of the widths of quarters and others: their places in [`WIDTHS`], the lower four bits for
/// quarters.
pub fn widths(code: u8) -> [u32; 2] {
    [code & 15, code >> 4].map(|code| u32::from(WIDTHS[usize::from(code)]))
}

/// How many quarters and other rows a segment of `rows` rows has.
#[inline(always)]
pub const fn counts(rows: u32) -> (u32, u32) {
    let quarters = (rows - 1) / QUARTER;
    (quarters, rows - 1 - quarters)
}

/// Why tables make no rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FastFault {
    /// A width of anchors is above [`WIDEST`].
    Width,
    /// There are too few or too many slices for what the widths say.
    Slices { expected: u64, found: usize },
    /// The last slices are not zero.
    Padding,
}

impl<'a> FastRows<'a> {
    /// Finds where everything is, given the widths of anchors by group and the codes of the other widths by
    /// segment and group.
    pub fn new(
        rows: u32,
        anchor_widths: &[u8],
        codes: &[u8],
        slices: Cow<'a, [Slice]>,
    ) -> Result<Self, FastFault> {
        if anchor_widths.iter().any(|&width| u32::from(width) > WIDEST) {
            return Err(FastFault::Width);
        }
        let groups = anchor_widths.len();
        let segments = Self::segments(rows);
        let padding = slices.len().saturating_sub(WINDOW);
        if slices[padding..].iter().any(|slice| *slice != [0; LANES]) {
            return Err(FastFault::Padding);
        }
        // Numbers without bits are read from the zeros at the end.
        let zeros = padding as u64 * 8;
        let at = |bit: u64, width: u32| if width == 0 { zeros } else { bit } as u32;
        let of_anchors = anchor_widths.iter().map(|&width| u64::from(width));
        let mut bit = of_anchors.sum::<u64>() * (u64::from(segments) + 1);
        let padded = |count: usize| Vec::with_capacity(count + LANES);
        let mut quarters = padded(codes.len());
        let (mut others, mut both) = (quarters.clone(), quarters.clone());
        for (segment, codes) in codes.chunks(groups.max(1)).enumerate() {
            let (count, other_count) = counts((rows - segment as u32 * SEGMENT).min(SEGMENT));
            for &code in codes {
                let [quarter, other] = widths(code);
                quarters.push(at(bit, quarter));
                bit += u64::from(count * quarter);
                others.push(at(bit, other));
                bit += u64::from(other_count * other);
                both.push(quarter | other << 8 | u32::from(code) << 16);
            }
        }
        // Eight are read at a time.
        for list in [&mut quarters, &mut others, &mut both] {
            list.resize(list.len() + LANES, 0);
        }
        // A window more, so that four slices may be read anywhere.
        let expected = bit.div_ceil(8) + WINDOW as u64;
        if expected != slices.len() as u64 || bit > u64::from(u32::MAX) {
            return Err(FastFault::Slices {
                expected,
                found: slices.len(),
            });
        }
        let is_wide = |code: &u8| widths(*code).into_iter().any(|width| width > HALF);
        let by_segment = codes.chunks(groups.max(1));
        let count = segments as usize + 1;
        // At most four times the bytes of the rows, but for few rows: widths without rows must not take much room.
        let is_small = count <= FEW_ANCHORS || groups * count <= slices.len();
        Ok(Self {
            anchors: if is_small {
                unpack_anchors(&slices, anchor_widths, count)
            } else {
                Vec::new()
            },
            slices,
            anchor_widths: anchor_widths.to_vec(),
            quarters,
            others,
            widths: both,
            rows,
            groups,
            has_wide: by_segment.map(|codes| codes.iter().any(is_wide)).collect(),
            last: Box::new(Within::all(rows - segments.saturating_sub(1) * SEGMENT)),
        })
    }

    /// The anchors before and after the rows of a segment, by groups; after the latter there may be more. Both are empty
    /// where anchors are unpacked by [`Self::read_anchors`].
    #[inline(always)]
    pub fn anchors(&self, segment: u32) -> [&[[f32; LANES]]; 2] {
        let from = self.anchors.get(segment as usize * self.groups..);
        match from.and_then(|from| from.split_at_checked(self.groups)) {
            Some((before, after)) => [before, after],
            None => [&[], &[]],
        }
    }

    /// The anchors before and after the rows of a segment, of eight groups from one on.
    #[cold]
    #[inline(never)]
    pub fn read_anchors(&self, segment: u32, first: usize) -> [[[f32; LANES]; LANES]; 2] {
        let mut both = [[[0.0; LANES]; LANES]; 2];
        let count = Self::segments(self.rows) + 1;
        let before = self.anchor_widths.iter().take(first);
        let mut bit = before.map(|&width| u32::from(width) * count).sum::<u32>();
        for (group, &width) in self
            .anchor_widths
            .iter()
            .skip(first)
            .take(LANES)
            .enumerate()
        {
            let width = u32::from(width);
            for (at, groups) in (segment..).zip(&mut both) {
                for (lane, anchor) in groups[group].iter_mut().enumerate() {
                    *anchor = number(&self.slices, lane, bit + at * width, width);
                }
            }
            bit += width * count;
        }
        both
    }

    /// Whether two numbers of a segment side by side may be more than a window has.
    #[inline(always)]
    pub fn has_wide(&self, segment: u32) -> bool {
        self.has_wide
            .get(segment as usize)
            .is_some_and(|&wide| wide)
    }

    /// Where eight groups of a segment are, from one on.
    #[inline(always)]
    pub fn groups_at(&self, segment: u32, first: usize) -> Option<GroupsAt<'_>> {
        let at = segment as usize * self.groups + first;
        Some(GroupsAt {
            quarters: eight(&self.quarters, at)?,
            others: eight(&self.others, at)?,
            widths: eight(&self.widths, at)?,
        })
    }

    /// The width of the anchors of each group.
    pub fn anchor_widths(&self) -> impl Iterator<Item = u8> {
        self.anchor_widths.iter().copied()
    }

    /// The codes of the widths by segments and groups; see [`widths`].
    pub fn width_codes(&self) -> impl Iterator<Item = u8> {
        let count = self.widths.len() - LANES;
        let widths = self.widths.iter().take(count);
        widths.map(|widths| (widths >> 16) as u8)
    }

    /// The same, borrowing nothing.
    pub fn into_owned(self) -> FastRows<'static> {
        FastRows {
            slices: Cow::Owned(self.slices.into_owned()),
            ..self
        }
    }

    /// How many segments rows make.
    pub const fn segments(rows: u32) -> u32 {
        rows.div_ceil(SEGMENT)
    }

    /// Where to read for a row and the next.
    #[inline(always)]
    pub fn place(&self, row: u32) -> Place<'_> {
        let segment = row / SEGMENT;
        let is_whole = (segment + 1) * SEGMENT <= self.rows;
        let rows = if is_whole { &WHOLE } else { &*self.last };
        Place {
            segment,
            within: &rows[(row % SEGMENT) as usize],
        }
    }
}

/// A number of a lane that begins at a bit: so many bits in two's complement. 0 where slices end.
pub(crate) fn number(slices: &[Slice], lane: usize, bit: u32, width: u32) -> f32 {
    let at = (bit / 8) as usize;
    let Some(window) = slices.get(at..at + WINDOW) else {
        return 0.0;
    };
    if width == 0 {
        return 0.0;
    }
    let bytes = [0, 1, 2, 3].map(|slice: usize| window[slice][lane]);
    let top = 32 - width;
    ((u32::from_le_bytes(bytes) << (top - bit % 8)) as i32 >> top) as f32
}

/// All anchors, by segments and then by groups; there are `count` of each group.
fn unpack_anchors(slices: &[Slice], widths: &[u8], count: usize) -> Vec<[f32; LANES]> {
    let groups = widths.len();
    let mut anchors = alloc::vec![[0.0; LANES]; groups * count];
    let mut bit = 0;
    for (group, &width) in widths.iter().enumerate() {
        for segment in 0..count {
            for (lane, anchor) in anchors[segment * groups + group].iter_mut().enumerate() {
                *anchor = number(slices, lane, bit, width.into());
            }
            bit += u32::from(width);
        }
    }
    anchors
}

/// Eight numbers from one on. One comparison, where slicing and then taking eight would be two.
#[inline(always)]
fn eight(numbers: &[u32], at: usize) -> Option<&[u32; LANES]> {
    numbers.get(at..at + LANES)?.try_into().ok()
}

/// Where two rows are.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    pub segment: u32,
    pub within: &'a Within,
}

/// Where two rows are in their segment, and what is written around them.
///
/// Of what is not written, because an anchor is there or rows end, a neighbour that is written is read instead and
/// weighs nothing: whatever the bytes say, nothing is read beyond a group.
#[derive(Clone, Copy, Debug)]
pub struct Within {
    /// The first quarter that is read; the one after the rows is the next where `is_second_quarter`, and else
    /// the same.
    pub quarter: u32,
    pub is_second_quarter: bool,
    /// The first of the other rows that is read; the second row is the next where `is_second_other`, and else
    /// the same.
    pub other: u32,
    pub is_second_other: bool,
    /// 1 for the quarters before and after the rows that are written, 0 for anchors and what is beyond the end.
    has_quarters: [f32; 2],
    /// 1 for rows that are neither anchors nor quarters, else 0.
    has_others: [f32; 2],
    /// Quarters from the anchor to the quarter before the rows.
    along: f32,
    /// Rows from that quarter to the first row.
    between: f32,
    /// The weights of the first row and of the second.
    pub row_weights: [RowWeights; 2],
}

/// For each row of a segment.
type WithinSegment = [Within; SEGMENT as usize];

static WHOLE: WithinSegment = Within::all(SEGMENT);

impl Within {
    /// For all rows of a segment that has so many.
    const fn all(rows: u32) -> WithinSegment {
        let mut all = [Self::new(0, rows); SEGMENT as usize];
        let mut row = 1;
        while row < SEGMENT {
            all[row as usize] = Self::new(row, rows);
            row += 1;
        }
        all
    }

    /// For a row of a segment that has so many.
    const fn new(row: u32, rows: u32) -> Self {
        const fn one(is: bool) -> f32 {
            if is { 1.0 } else { 0.0 }
        }
        let (quarter, after) = (row / QUARTER, row % QUARTER);
        let (quarters, others) = counts(rows);
        let first_other = (row - quarter).saturating_sub((after > 0) as u32);
        let mut within = Self {
            quarter: quarter.saturating_sub(1),
            is_second_quarter: quarter > 0 && quarter < quarters,
            other: if first_other < others {
                first_other
            } else {
                others.saturating_sub(1)
            },
            is_second_other: after > 0 && first_other + 1 < others,
            has_quarters: [
                one(quarter > 0 && quarter <= quarters),
                one(quarter < quarters),
            ],
            has_others: [one(after > 0), one(after < QUARTER - 1)],
            along: quarter as f32,
            between: after as f32,
            row_weights: [RowWeights::NONE; 2],
        };
        let (from, to) = (within.weights(0.0), within.weights(1.0));
        within.row_weights = [
            RowWeights::new(&from, from.others[0]),
            RowWeights::new(&to, to.others[1]),
        ];
        within
    }

    /// The weights `ratio` of the way from the first row to the second.
    #[inline(always)]
    pub const fn weights(&self, ratio: f32) -> Weights {
        // How far the moment is from quarter to quarter, and from anchor to anchor.
        let to_quarter = (self.between + ratio) * (1.0 / QUARTER as f32);
        let to_anchor = (self.along + to_quarter) * (1.0 / (SEGMENT / QUARTER) as f32);
        Weights {
            to_anchor,
            quarters: [
                (1.0 - to_quarter) * self.has_quarters[0],
                to_quarter * self.has_quarters[1],
            ],
            others: [
                (1.0 - ratio) * self.has_others[0],
                ratio * self.has_others[1],
            ],
        }
    }
}

/// What the numbers around two rows weigh in one of them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RowWeights {
    pub to_anchor: f32,
    pub quarters: [f32; 2],
    /// Of the row's own number.
    pub other: f32,
}

impl RowWeights {
    const NONE: Self = Self {
        to_anchor: 0.0,
        quarters: [0.0; 2],
        other: 0.0,
    };

    const fn new(weights: &Weights, other: f32) -> Self {
        Self {
            to_anchor: weights.to_anchor,
            quarters: weights.quarters,
            other,
        }
    }
}

/// What the numbers around two rows weigh: the anchors, the quarters, and the rows themselves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Weights {
    /// Of the anchor after the rows; the one before weighs the rest of 1.
    pub to_anchor: f32,
    pub quarters: [f32; 2],
    pub others: [f32; 2],
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Anchors are the same whether they are unpacked at once or when they are read, and narrow ones take no room.
    #[test]
    fn anchors_are_unpacked_alike() {
        let rows = 40 * SEGMENT - 3;
        for widths in [
            &[24, 0, 13, 1, 7, 2, 3, 11, 16, 5][..],
            &[1, 0, 0, 0, 0, 0, 0, 0, 0, 1],
        ] {
            let codes = alloc::vec![0; widths.len() * 40];
            let bits: usize = widths.iter().map(|&width| usize::from(width) * 41).sum();
            let written = bits.div_ceil(8);
            let mut slices = alloc::vec![[0; LANES]; written + WINDOW];
            let bytes = slices[..written].as_flattened_mut();
            for (at, byte) in bytes.iter_mut().enumerate() {
                *byte = (at as u32).wrapping_mul(0x9e37_79b9).to_le_bytes()[3];
            }
            let all = unpack_anchors(&slices, widths, 41);
            let is_narrow = widths[0] == 1;
            let made = FastRows::new(rows, widths, &codes, slices.into());
            let made = made.map_err(|fault| assert_eq!(None, Some(fault)));
            let Ok(made) = made else { return };
            assert_eq!(made.anchors.is_empty(), is_narrow);
            for segment in 0..40 {
                for first in [0, 3, 8] {
                    let [before, after] = made.read_anchors(segment, first);
                    for group in first..widths.len().min(first + LANES) {
                        let at = segment as usize * widths.len() + group;
                        assert_eq!(before[group - first], all[at]);
                        assert_eq!(after[group - first], all[at + widths.len()]);
                    }
                }
            }
        }
    }
}
