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
//! anchors ┃ group 0: of segment 0, 1, …, and one after the last ┃ group 1: … ┃ …
//! segment ┃ group 0: quarters, others ┃ group 1: quarters, others ┃ …
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
    /// Where the anchors of each group are.
    pub(crate) anchors: Vec<AnchorsAt>,
    /// By segment, then by group.
    pub(crate) groups: Vec<GroupAt>,
    pub(crate) rows: u32,
    /// Whether two numbers of any width may be more than 32 bits.
    pub(crate) has_wide: bool,
}

/// Where the anchors of a group begin, and how wide they are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct AnchorsAt {
    pub(crate) bit: u32,
    pub(crate) width: u32,
}

/// Where the numbers of a group in a segment are, and how wide.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct GroupAt {
    /// The bit at which quarters begin, and the one at which other rows do.
    pub(crate) quarters: u32,
    pub(crate) others: u32,
    pub(crate) quarter_width: u8,
    pub(crate) other_width: u8,
    /// Both widths as their places in [`WIDTHS`], the lower four bits for quarters.
    pub(crate) codes: u8,
}

impl GroupAt {
    fn new(bit: u64, codes: u8, quarter_count: u32) -> Self {
        let (quarter, other) = (
            WIDTHS[usize::from(codes & 15)],
            WIDTHS[usize::from(codes >> 4)],
        );
        Self {
            quarters: bit as u32,
            others: (bit + u64::from(quarter_count) * u64::from(quarter)) as u32,
            quarter_width: quarter,
            other_width: other,
            codes,
        }
    }

    /// The bits that a lane has for so many quarters and others.
    pub(crate) fn bits(self, quarters: u32, others: u32) -> u32 {
        quarters * u32::from(self.quarter_width) + others * u32::from(self.other_width)
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
        let count = anchor_widths.len().max(1);
        let segments = Self::segments(rows);
        let mut bit = 0u64;
        let mut anchors = Vec::with_capacity(anchor_widths.len());
        for &width in anchor_widths {
            let width = u32::from(width);
            anchors.push(AnchorsAt {
                bit: bit as u32,
                width,
            });
            bit += u64::from(width) * (u64::from(segments) + 1);
        }
        let mut groups = Vec::with_capacity(widths.len());
        for (segment, widths) in widths.chunks(count).enumerate() {
            let (quarters, others) = counts((rows - segment as u32 * SEGMENT).min(SEGMENT));
            for &codes in widths {
                let at = GroupAt::new(bit, codes, quarters);
                groups.push(at);
                bit += u64::from(at.bits(quarters, others));
            }
        }
        let is_wide = |width: u32| width > 16;
        let has_wide = anchors.iter().any(|anchors| is_wide(anchors.width))
            || groups.iter().any(|group| {
                is_wide(u32::from(group.quarter_width)) || is_wide(u32::from(group.other_width))
            });
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
            groups,
            rows,
            has_wide,
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
        Place {
            segment,
            quarter: quarter.saturating_sub(1),
            is_second_quarter: quarter > 0,
            other: (within - quarter).saturating_sub(u32::from(after > 0)),
            is_second_other: after > 0,
            has_quarters: [quarter > 0 && quarter <= quarters, quarter < quarters],
            has_others: [after > 0, after < QUARTER - 1],
            along: quarter as f32,
            between: after as f32,
        }
    }
}

/// Where two rows are in their segment, and what is written around them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub(crate) segment: u32,
    /// The first quarter that is read; the one after the rows is the next where `is_second_quarter`, and else
    /// the same.
    pub(crate) quarter: u32,
    pub(crate) is_second_quarter: bool,
    /// The first of the other rows that is read; the second row is the next where `is_second_other`, and else
    /// the same.
    pub(crate) other: u32,
    pub(crate) is_second_other: bool,
    /// Whether the quarters before and after the rows are written: no anchors, and not beyond the end.
    has_quarters: [bool; 2],
    /// Whether the rows are neither anchors nor quarters.
    has_others: [bool; 2],
    /// Quarters from the anchor to the quarter before the rows.
    along: f32,
    /// Rows from that quarter to the first row.
    between: f32,
}

/// What the numbers around two rows weigh: the anchors, the quarters, and the rows themselves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Weights {
    pub(crate) anchors: [f32; 2],
    pub(crate) quarters: [f32; 2],
    pub(crate) others: [f32; 2],
}

impl Place {
    /// The weights `ratio` of the way from the first row to the second.
    #[inline(always)]
    pub(crate) fn weights(&self, ratio: f32) -> Weights {
        let kept = |has: bool, weight: f32| if has { weight } else { 0.0 };
        // How far the moment is from quarter to quarter, and from anchor to anchor.
        let to_quarter = (self.between + ratio) * (1.0 / QUARTER as f32);
        let to_anchor = (self.along + to_quarter) * (1.0 / (SEGMENT / QUARTER) as f32);
        Weights {
            anchors: [1.0 - to_anchor, to_anchor],
            quarters: [
                kept(self.has_quarters[0], 1.0 - to_quarter),
                kept(self.has_quarters[1], to_quarter),
            ],
            others: [
                kept(self.has_others[0], 1.0 - ratio),
                kept(self.has_others[1], ratio),
            ],
        }
    }
}
