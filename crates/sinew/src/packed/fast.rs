//! Rows in fixed widths: any of them is found and read at the same cost.
//!
//! Components stand in groups of eight, one per lane. A segment is sixteen rows. Its first row, the *anchor*, is
//! written in full; rows 4, 8 and 12, its *quarters*, as what a line between this anchor and the next misses;
//! all others as what a line between the quarters around them misses. The three kinds have a width each, anchors
//! one per group, the others one per group and segment.
//!
//! ```text
//! words   w0 w1 w2 …                    each 8 x u32: one per lane, so that all lanes shift alike
//!         └─ bits of a lane, lowest first, without gaps:
//! segment ┃ anchors of group 0, 1, … ┃ group 0: quarters, others ┃ group 1: quarters, others ┃ …
//! after the last segment ┃ anchors of group 0, 1, … ┃
//! ```

use crate::simd::LANES;
use alloc::borrow::Cow;
use alloc::vec::Vec;

/// Rows of a segment.
pub(crate) const SEGMENT: u32 = 16;

/// Rows from quarter to quarter.
pub(crate) const QUARTER: u32 = 4;

/// What four bits say of a width. Above 24 bits whole numbers are no longer exact in `f32`.
pub(crate) const WIDTHS: [u8; 16] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 16, 20, 24];

/// The widest number.
pub(crate) const WIDEST: u32 = 24;

/// A word of each lane.
pub(crate) type Word = [u32; LANES];

/// Rows in fixed widths.
#[derive(Clone, Debug)]
pub(crate) struct FastRows<'a> {
    pub(crate) words: Cow<'a, [Word]>,
    /// The widths of anchors, by group.
    pub(crate) anchors: Vec<AnchorWidth>,
    /// The bit at which each segment begins, and the one at which the last row of anchors does.
    pub(crate) starts: Vec<u32>,
    /// By segment, then by group.
    pub(crate) groups: Vec<GroupAt>,
    pub(crate) rows: u32,
}

/// Where the anchor of a group is within those of its segment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct AnchorWidth {
    pub(crate) width: u32,
    pub(crate) before: u32,
}

/// Where the quarters of a group in a segment begin, and how wide its numbers are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct GroupAt {
    pub(crate) bit: u32,
    /// In [`WIDTHS`], the lower four bits for quarters, the upper four for the other rows.
    pub(crate) widths: u8,
}

impl GroupAt {
    #[inline(always)]
    pub(crate) fn quarter_width(self) -> u32 {
        u32::from(WIDTHS[usize::from(self.widths & 15)])
    }

    #[inline(always)]
    pub(crate) fn other_width(self) -> u32 {
        u32::from(WIDTHS[usize::from(self.widths >> 4)])
    }
}

/// How many quarters and other rows a segment of `rows` rows has.
#[inline(always)]
pub(crate) const fn counts(rows: u32) -> (u32, u32) {
    let quarters = (rows - 1) / QUARTER;
    (quarters, rows - 1 - quarters)
}

/// Why tables make no rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FastFault {
    /// A width of anchors is above [`WIDEST`].
    Width,
    /// There are too few or too many words for what the widths say.
    Words { expected: u64, found: usize },
}

impl<'a> FastRows<'a> {
    /// Finds where everything is, given the widths of anchors by group and the other widths by segment and
    /// group.
    pub(crate) fn new(
        rows: u32,
        anchor_widths: &[u8],
        widths: &[u8],
        words: Cow<'a, [Word]>,
    ) -> Result<Self, FastFault> {
        if anchor_widths.iter().any(|&width| u32::from(width) > WIDEST) {
            return Err(FastFault::Width);
        }
        let mut before = 0;
        let mut anchor = |&width: &u8| {
            let width = u32::from(width);
            before += width;
            AnchorWidth {
                width,
                before: before - width,
            }
        };
        let anchors: Vec<AnchorWidth> = anchor_widths.iter().map(&mut anchor).collect();
        let mut bit = 0u64;
        let mut starts = Vec::new();
        let mut groups = Vec::with_capacity(widths.len());
        let count = anchor_widths.len().max(1);
        for (segment, widths) in widths.chunks(count).enumerate() {
            starts.push(bit as u32);
            bit += u64::from(before);
            let (quarters, others) = counts((rows - segment as u32 * SEGMENT).min(SEGMENT));
            for &widths in widths {
                let at = GroupAt {
                    bit: bit as u32,
                    widths,
                };
                groups.push(at);
                bit += u64::from(quarters * at.quarter_width() + others * at.other_width());
            }
        }
        starts.push(bit as u32);
        bit += u64::from(before);
        // One word more, so that a number may be read as two words anywhere.
        let expected = bit.div_ceil(32) + 1;
        if expected != words.len() as u64 || bit > u64::from(u32::MAX) {
            return Err(FastFault::Words {
                expected,
                found: words.len(),
            });
        }
        Ok(Self {
            words,
            anchors,
            starts,
            groups,
            rows,
        })
    }

    /// How many segments rows make.
    pub(crate) const fn segments(rows: u32) -> u32 {
        rows.div_ceil(SEGMENT)
    }

    /// Where to read for a row and the next.
    #[inline(always)]
    pub(crate) fn place(&self, row: u32) -> Place {
        let segment = row / SEGMENT;
        let within = row % SEGMENT;
        let (quarter, after) = (within / QUARTER, within % QUARTER);
        let (quarters, _) = counts((self.rows - segment * SEGMENT).min(SEGMENT));
        let part = 1.0 / QUARTER as f32;
        let along = 1.0 / (SEGMENT / QUARTER) as f32;
        Place {
            segment: segment as usize,
            quarters,
            first: quarter,
            has: [
                quarter > 0 && quarter <= quarters,
                quarter < quarters,
                after > 0,
                after < QUARTER - 1,
            ],
            other: within - quarter,
            along: [quarter as f32 * along, (quarter + 1) as f32 * along],
            between: [after as f32 * part, (after + 1) as f32 * part],
        }
    }
}

/// Where two rows are in their segment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub(crate) segment: usize,
    /// Quarters of the segment.
    pub(crate) quarters: u32,
    /// The quarter before the first row.
    pub(crate) first: u32,
    /// Whether the quarters around the rows, the first row and the second are written: not anchors, and not
    /// beyond the end.
    pub(crate) has: [bool; 4],
    /// The second row among those that are neither anchor nor quarter; the first is the one before.
    pub(crate) other: u32,
    /// How far the quarters are from anchor to anchor.
    pub(crate) along: [f32; 2],
    /// How far the rows are from quarter to quarter.
    pub(crate) between: [f32; 2],
}
