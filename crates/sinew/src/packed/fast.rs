//! Quantized samples in fixed bit widths: random access to any of them at constant cost.
//!
//! Components are in groups of eight, one per lane. A segment is sixteen samples. Its first sample, the *anchor*, is
//! stored in full. Samples 4, 8 and 12, its *quarters*, are stored as residuals of linear interpolation between this
//! anchor and the next; all other samples as residuals of linear interpolation between the quarters around them. Linear
//! prediction from both sides keeps residuals small and needs no preceding sample. Each kind has a bit width: anchors
//! one per group, the other two one per group and segment. Integers are in two's complement.
//!
//! ```text
//! slices  s0 s1 s2 …                    each 8 x u8: one byte per lane, so all lanes shift by the same count
//!         └─ bits of a lane, lowest first, without gaps:
//! anchors ┃ group 0: of segment 0, 1, …, and one after the last ┃ group 1: … ┃ …
//! segment ┃ group 0: quarters, others ┃ group 1: quarters, others ┃ …
//! ```
//!
//! A component at time `t` between two samples is a weighted sum, with anchors `A`, quarters `Q` and others `O` around
//! `t` and the quantization step of the component:
//!
//! ```text
//! x = step · (A0 + (A1 - A0) a + (Q0 q0 + Q1 q1) + (O0 o0 + O1 o1))        weights a, q, o: see `LocationInSegment::weights`
//! ```
//!
//! Interpolation is linear, so the weights at `t` replace decoding two samples and interpolating them. They depend
//! on the position in the segment only and are shared by all components.
//!
//! Four consecutive slices are 32 bits of each lane. A number begins within the first eight of them, so one load has
//! two adjacent numbers of up to [`HALF`] bits each at any bit offset. 32-bit words instead of bytes would take two
//! loads, two shifts and a union.
//!
//! Construction decodes all anchors to `f32`: two loads replace two bit-field reads. If anchors are so narrow that
//! this would take many times the memory of the samples, they are decoded when sampled.
//!
//! Cost per group of eight components: five loads, two byte transposes and six multiplications. A sample of 31 joints
//! takes 1,409 instructions (AVX2), sequential or random.
#![allow(missing_docs, reason = "shared with sinew-author only")]

use crate::simd::LANES;
use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::vec::Vec;

/// Samples per segment.
pub const SEGMENT: u32 = 16;

/// Samples per quarter.
pub const QUARTER: u32 = 4;

/// The bit width of each 4-bit code. `f32` is exact for integers of up to 24 bits.
pub const WIDTHS: [u8; 16] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 16, 20, 24];

/// Up to this many anchors per group are decoded at construction, however narrow.
const FEW_ANCHORS: usize = 5;

/// The maximum bit width.
pub const WIDEST: u32 = 24;

/// Two numbers of at most this width fit 32 bits that start up to seven bits earlier.
const HALF: u32 = 12;

/// A byte of each lane.
pub type Slice = [u8; LANES];

/// Slices per load: 32 bits of each lane.
pub const WINDOW: usize = 4;

/// Samples in fixed bit widths.
#[derive(Clone, Debug)]
pub struct FastSamples<'a> {
    pub slices: Cow<'a, [Slice]>,
    /// By segment, with one more after the last, then by group; empty if that would be too large.
    anchors: Vec<[f32; LANES]>,
    /// The bit widths of anchors, by group.
    anchor_widths: Vec<u8>,
    /// By segment, then by group: the bit offsets of quarters, those of other samples, and the widths of both in the
    /// layout of [`GroupOffsets::widths`].
    quarters: Vec<u32>,
    others: Vec<u32>,
    widths: Vec<u32>,
    pub sample_count: u32,
    groups: usize,
    /// By segment, whether two adjacent numbers may exceed a window.
    has_wide: Vec<bool>,
    /// The tables of the last segment, which may have fewer samples.
    pub last: Box<SegmentTable>,
}

/// The bit offsets and widths of eight groups in a segment. Entries after the last group are unspecified.
#[derive(Clone, Copy, Debug)]
pub struct GroupOffsets<'a> {
    /// The bit offsets of quarters and of other samples.
    pub quarters: &'a [u32; LANES],
    pub others: &'a [u32; LANES],
    /// The width of quarters in bits 0 to 7, that of others in bits 8 to 15, and above them the code byte of both.
    pub widths: &'a [u32; LANES],
}

/// Decodes a byte to the widths of quarters and others: indices of [`WIDTHS`], the lower four bits for quarters.
pub fn widths(code: u8) -> [u32; 2] {
    [code & 15, code >> 4].map(|code| u32::from(WIDTHS[usize::from(code)]))
}

/// Returns the number of quarters and of other samples in a segment of `sample_count` samples.
#[inline(always)]
pub const fn counts(sample_count: u32) -> (u32, u32) {
    let quarters = (sample_count - 1) / QUARTER;
    (quarters, sample_count - 1 - quarters)
}

/// An error of constructing fast samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FastFault {
    /// The width of an anchor is above [`WIDEST`].
    Width,
    /// The number of slices does not match the widths.
    Slices { expected: u64, found: usize },
    /// The last slices are not zero.
    Padding,
}

impl<'a> FastSamples<'a> {
    /// Computes all offsets from the widths of anchors by group and the codes of the other widths by segment and
    /// group.
    pub fn new(
        sample_count: u32,
        anchor_widths: &[u8],
        codes: &[u8],
        slices: Cow<'a, [Slice]>,
    ) -> Result<Self, FastFault> {
        if anchor_widths.iter().any(|&width| u32::from(width) > WIDEST) {
            return Err(FastFault::Width);
        }
        let groups = anchor_widths.len();
        let segments = Self::segments(sample_count);
        let padding = slices.len().saturating_sub(WINDOW);
        if slices[padding..].iter().any(|slice| *slice != [0; LANES]) {
            return Err(FastFault::Padding);
        }
        // Zero-width numbers are read from the zeros at the end.
        let zeros = padding as u64 * 8;
        let offset = |bit: u64, width: u32| if width == 0 { zeros } else { bit } as u32;
        let of_anchors = anchor_widths.iter().map(|&width| u64::from(width));
        let mut bit = of_anchors.sum::<u64>() * (u64::from(segments) + 1);
        let padded = |count: usize| Vec::with_capacity(count + LANES);
        let mut quarters = padded(codes.len());
        let (mut others, mut both) = (quarters.clone(), quarters.clone());
        for (segment, codes) in codes.chunks(groups.max(1)).enumerate() {
            let (count, other_count) =
                counts((sample_count - segment as u32 * SEGMENT).min(SEGMENT));
            for &code in codes {
                let [quarter, other] = widths(code);
                quarters.push(offset(bit, quarter));
                bit += u64::from(count * quarter);
                others.push(offset(bit, other));
                bit += u64::from(other_count * other);
                both.push(quarter | other << 8 | u32::from(code) << 16);
            }
        }
        // Padding: eight are read at a time.
        for list in [&mut quarters, &mut others, &mut both] {
            list.resize(list.len() + LANES, 0);
        }
        // Padding: a window may start at any slice.
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
        // At most four times the bytes of the samples, except for short animations: widths without samples must not
        // allocate much.
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
            sample_count,
            groups,
            has_wide: by_segment.map(|codes| codes.iter().any(is_wide)).collect(),
            last: Box::new(LocationInSegment::all(
                sample_count - segments.saturating_sub(1) * SEGMENT,
            )),
        })
    }

    /// Returns the anchors before and after the samples of a segment, by group; more may follow the latter. Both are
    /// empty if anchors are decoded by [`Self::read_anchors`].
    #[inline(always)]
    pub fn anchors(&self, segment: u32) -> [&[[f32; LANES]]; 2] {
        // The anchor after a segment is that before the next one.
        let from = self.anchors.get(segment as usize * self.groups..);
        match from.and_then(|from| from.split_at_checked(self.groups)) {
            Some((before, after)) => [before, after],
            None => [&[], &[]],
        }
    }

    /// Decodes the anchors before and after the samples of a segment, for eight groups from `first` on.
    #[cold]
    #[inline(never)]
    pub fn read_anchors(&self, segment: u32, first: usize) -> [[[f32; LANES]; LANES]; 2] {
        let mut both = [[[0.0; LANES]; LANES]; 2];
        let count = Self::segments(self.sample_count) + 1;
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
            for (segment, groups) in (segment..).zip(&mut both) {
                for (lane, anchor) in groups[group].iter_mut().enumerate() {
                    *anchor = number(&self.slices, lane, bit + segment * width, width);
                }
            }
            bit += width * count;
        }
        both
    }

    /// Returns whether two adjacent numbers of a segment may exceed a window.
    #[inline(always)]
    pub fn has_wide(&self, segment: u32) -> bool {
        self.has_wide
            .get(segment as usize)
            .is_some_and(|&wide| wide)
    }

    /// Returns the offsets and widths of eight groups of a segment, from `first` on.
    #[inline(always)]
    pub fn group_offsets(&self, segment: u32, first: usize) -> Option<GroupOffsets<'_>> {
        let index = segment as usize * self.groups + first;
        Some(GroupOffsets {
            quarters: eight(&self.quarters, index)?,
            others: eight(&self.others, index)?,
            widths: eight(&self.widths, index)?,
        })
    }

    /// Returns the anchor width of each group.
    pub fn anchor_widths(&self) -> impl Iterator<Item = u8> {
        self.anchor_widths.iter().copied()
    }

    /// Returns the width codes by segment and group; see [`widths`].
    pub fn width_codes(&self) -> impl Iterator<Item = u8> {
        let count = self.widths.len() - LANES;
        let widths = self.widths.iter().take(count);
        widths.map(|widths| (widths >> 16) as u8)
    }

    /// Converts to samples that borrow nothing.
    pub fn into_owned(self) -> FastSamples<'static> {
        FastSamples {
            slices: Cow::Owned(self.slices.into_owned()),
            ..self
        }
    }

    /// Returns the number of segments.
    pub const fn segments(sample_count: u32) -> u32 {
        sample_count.div_ceil(SEGMENT)
    }

    /// Returns the segment and the table entry of a sample and the next one.
    #[inline(always)]
    pub fn locate(&self, sample_index: u32) -> SampleLocation<'_> {
        let segment = sample_index / SEGMENT;
        let is_whole = (segment + 1) * SEGMENT <= self.sample_count;
        let within = if is_whole { &WHOLE } else { &*self.last };
        SampleLocation {
            segment,
            within: &within[(sample_index % SEGMENT) as usize],
        }
    }
}

/// Reads `width` bits of a lane in two's complement, starting at `bit`. 0 beyond the end.
pub(crate) fn number(slices: &[Slice], lane: usize, bit: u32, width: u32) -> f32 {
    let first = (bit / 8) as usize;
    let Some(window) = slices.get(first..first + WINDOW) else {
        return 0.0;
    };
    if width == 0 {
        return 0.0;
    }
    let bytes = [0, 1, 2, 3].map(|slice: usize| window[slice][lane]);
    // The left shift drops the bits above the number, the arithmetic shift back extends its sign.
    let top = 32 - width;
    ((u32::from_le_bytes(bytes) << (top - bit % 8)) as i32 >> top) as f32
}

/// Decodes all anchors, by segment and then by group; each group has `count`.
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

/// Returns eight numbers from `first` on with one bounds check; slicing and then taking eight would be two.
#[inline(always)]
fn eight(numbers: &[u32], first: usize) -> Option<&[u32; LANES]> {
    numbers.get(first..first + LANES)?.try_into().ok()
}

/// The location of two adjacent samples.
#[derive(Clone, Copy, Debug)]
pub struct SampleLocation<'a> {
    pub segment: u32,
    pub within: &'a LocationInSegment,
}

/// The location of two adjacent samples within their segment, and the numbers around them.
///
/// A number that is not stored, at an anchor or beyond the end, is replaced by a stored neighbour with weight 0: no
/// input bytes cause a read beyond a group.
#[derive(Clone, Copy, Debug)]
pub struct LocationInSegment {
    /// The first quarter to read. The quarter after the samples is the next one if `is_second_quarter`, else the same.
    pub quarter: u32,
    pub is_second_quarter: bool,
    /// The first of the other samples to read. The second sample is the next one if `is_second_other`, else the same.
    pub other: u32,
    pub is_second_other: bool,
    /// 1 for stored quarters before and after the samples, 0 for anchors and beyond the end.
    has_quarters: [f32; 2],
    /// 1 for samples that are neither anchors nor quarters, else 0.
    has_others: [f32; 2],
    /// Quarters from the anchor to the quarter before the samples.
    along: f32,
    /// Samples from that quarter to the first sample.
    between: f32,
    /// The weights of the first sample and of the second.
    pub sample_weights: [SampleWeights; 2],
}

/// One entry per sample of a segment.
type SegmentTable = [LocationInSegment; SEGMENT as usize];

static WHOLE: SegmentTable = LocationInSegment::all(SEGMENT);

impl LocationInSegment {
    /// Returns the entries of all samples of a segment of `samples` samples.
    const fn all(sample_count: u32) -> SegmentTable {
        let mut all = [Self::new(0, sample_count); SEGMENT as usize];
        let mut sample_index = 1;
        while sample_index < SEGMENT {
            all[sample_index as usize] = Self::new(sample_index, sample_count);
            sample_index += 1;
        }
        all
    }

    /// Returns the entry of a sample in a segment of `sample_count` samples.
    const fn new(sample_index: u32, sample_count: u32) -> Self {
        const fn one_if(condition: bool) -> f32 {
            if condition { 1.0 } else { 0.0 }
        }
        let (quarter, after) = (sample_index / QUARTER, sample_index % QUARTER);
        let (quarters, others) = counts(sample_count);
        let first_other = (sample_index - quarter).saturating_sub((after > 0) as u32);
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
                one_if(quarter > 0 && quarter <= quarters),
                one_if(quarter < quarters),
            ],
            has_others: [one_if(after > 0), one_if(after < QUARTER - 1)],
            along: quarter as f32,
            between: after as f32,
            sample_weights: [SampleWeights::NONE; 2],
        };
        let (from, to) = (within.weights(0.0), within.weights(1.0));
        within.sample_weights = [
            SampleWeights::new(&from, from.others[0]),
            SampleWeights::new(&to, to.others[1]),
        ];
        within
    }

    /// Returns the weights at `ratio` from the first sample to the second.
    #[inline(always)]
    pub const fn weights(&self, ratio: f32) -> Weights {
        // The position between quarters, and between anchors.
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

/// The weights, in one sample, of the numbers around two samples.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SampleWeights {
    pub to_anchor: f32,
    pub quarters: [f32; 2],
    /// The weight of the sample's own number.
    pub other: f32,
}

impl SampleWeights {
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

/// The weights of the numbers around two samples: anchors, quarters, and the samples themselves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Weights {
    /// The weight of the following anchor; the preceding one has the complement to 1.
    pub to_anchor: f32,
    pub quarters: [f32; 2],
    pub others: [f32; 2],
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Anchors are equal whether they are decoded at construction or when sampled, and narrow ones take no memory.
    #[test]
    fn anchors_are_unpacked_alike() {
        let sample_count = 40 * SEGMENT - 3;
        for widths in [
            &[24, 0, 13, 1, 7, 2, 3, 11, 16, 5][..],
            &[1, 0, 0, 0, 0, 0, 0, 0, 0, 1],
        ] {
            let codes = alloc::vec![0; widths.len() * 40];
            let bits: usize = widths.iter().map(|&width| usize::from(width) * 41).sum();
            let written = bits.div_ceil(8);
            let mut slices = alloc::vec![[0; LANES]; written + WINDOW];
            let bytes = slices[..written].as_flattened_mut();
            for (index, byte) in bytes.iter_mut().enumerate() {
                *byte = (index as u32).wrapping_mul(0x9e37_79b9).to_le_bytes()[3];
            }
            let all = unpack_anchors(&slices, widths, 41);
            let is_narrow = widths[0] == 1;
            let made = FastSamples::new(sample_count, widths, &codes, slices.into());
            let made = made.map_err(|fault| assert_eq!(None, Some(fault)));
            let Ok(made) = made else { return };
            assert_eq!(made.anchors.is_empty(), is_narrow);
            for segment in 0..40 {
                for first in [0, 3, 8] {
                    let [before, after] = made.read_anchors(segment, first);
                    for group in first..widths.len().min(first + LANES) {
                        let index = segment as usize * widths.len() + group;
                        assert_eq!(before[group - first], all[index]);
                        assert_eq!(after[group - first], all[index + widths.len()]);
                    }
                }
            }
        }
    }
}
