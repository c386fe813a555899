//! Pass 6: encodes quantized components as a bit stream, in one of two profiles.
//!
//! ```text
//! k = round(value / step)
//! fast:  anchor every 16th sample; every 4th sample a residual against the line between anchors;
//!        the others residuals against the line between those; one bit width per segment, group and kind
//! small: residual against linear prediction, Rice code (Rice 1979), in `rice`
//! ```
//!
//! A *segment* is 16 samples of `fast`, 64 of `small`. Residuals of `fast` are rounded from the exact value against the
//! *decoded* neighbours (closed-loop prediction), so that errors do not add up. Eight components, the SIMD lanes of the
//! decoder, share a bit width; they are sorted by the bits they need, so that a group wastes few.
//! `docs/decisions/2026-11-16-packed.md`, *Small*, *Fast* and *Byte slices*, has the alternatives and their sizes. The cost
//! is linear in samples × components.

use super::animated_components::Component;
use super::rice;
use super::settings::Profile;
use alloc::vec::Vec;
use sinew::internal::packed::small::LARGEST;
use sinew::internal::packed::{FastSamples, Head, Slice, Stream, WINDOW};
use sinew::internal::packed::{QUARTER, SEGMENT, WIDEST, WIDTHS, counts, step};
use sinew::simd::LANES;

/// Encodes components with the steps of `head`. Returns their order in the stream, and the stream; `None` if a value is
/// too large for its step.
pub(super) fn encode(
    list: &[Component],
    head: &Head,
    profile: Profile,
) -> Option<(Vec<u32>, Stream<'static>)> {
    match profile {
        Profile::Fast => fast(list, head),
        Profile::Small | Profile::Keyframes => small(list, head),
    }
}

fn small(list: &[Component], head: &Head) -> Option<(Vec<u32>, Stream<'static>)> {
    let order: Vec<u32> = (0..list.len() as u32).collect();
    let mut columns = Vec::with_capacity(list.len());
    for &component in &order {
        let inverse = 1.0 / f64::from(step(head.steps[component as usize]));
        let whole = |&value: &f32| {
            let whole = libm::rint(f64::from(value) * inverse);
            (whole.abs() <= f64::from(LARGEST)).then_some(whole as i32)
        };
        let values = list[component as usize].values.iter();
        columns.push(values.map(whole).collect::<Option<Vec<i32>>>()?);
    }
    let samples = rice::pack(&columns, head.sample_count as usize);
    Some((order, Stream::Small(samples)))
}

/// A component quantized for the `fast` profile.
struct Column {
    component: u32,
    /// The first sample of each segment, and one after the last.
    anchors: Vec<i32>,
    /// Differences from the prediction; 0 at anchors.
    residuals: Vec<i32>,
    anchor_width: u32,
    /// By segment, codes of the bit widths of quarters and of other samples.
    widths: Vec<[u8; 2]>,
}

fn fast(list: &[Component], head: &Head) -> Option<(Vec<u32>, Stream<'static>)> {
    // The stream stores component indices in 16 bits.
    if list.len() > usize::from(u16::MAX) {
        return None;
    }
    let sample_count = head.sample_count as usize;
    let columns = list.iter().zip(&head.steps).enumerate();
    let columns = columns.map(|(index, (component, &code))| {
        Column::new(index as u32, &component.values, step(code))
    });
    let mut columns = columns.collect::<Option<Vec<Column>>>()?;
    // Components that need similar bit widths share a group. Of 15 residuals in a segment 3 are quarters, so a bit of
    // the other width counts four times.
    columns.sort_by_key(|column| {
        let bits = column.widths.iter().map(|&[quarter, other]| {
            u32::from(WIDTHS[usize::from(quarter)]) + 4 * u32::from(WIDTHS[usize::from(other)])
        });
        let bits: u32 = bits.sum();
        core::cmp::Reverse((bits, column.anchor_width))
    });
    let groups: Vec<&[Column]> = columns.chunks(LANES).collect();
    let segments = FastSamples::segments(head.sample_count) as usize;
    // All anchors first, then residuals segment by segment, quarters before the samples that are predicted from them.
    let mut lanes = LaneWriter::default();
    let mut anchor_widths = Vec::with_capacity(groups.len());
    for group in &groups {
        let width = group
            .iter()
            .map(|column| column.anchor_width)
            .max()
            .unwrap_or(0);
        anchor_widths.push(width as u8);
        for segment in 0..=segments {
            lanes.write(group, width, |column| column.anchors[segment]);
        }
    }
    let mut widths = Vec::with_capacity(segments * groups.len());
    for segment in 0..segments {
        let first = segment * SEGMENT as usize;
        let count = (sample_count - first).min(SEGMENT as usize);
        for group in &groups {
            let code = |kind: usize| {
                let codes = group.iter().map(|column| column.widths[segment][kind]);
                codes.max().unwrap_or(0)
            };
            let (quarter, other) = (code(0), code(1));
            widths.push(quarter | other << 4);
            let is_quarter = |within: &usize| within.is_multiple_of(QUARTER as usize);
            let width = u32::from(WIDTHS[usize::from(quarter)]);
            for within in (1..count).filter(is_quarter) {
                lanes.write(group, width, |column| column.residuals[first + within]);
            }
            let width = u32::from(WIDTHS[usize::from(other)]);
            for within in (1..count).filter(|within| !is_quarter(within)) {
                lanes.write(group, width, |column| column.residuals[first + within]);
            }
        }
    }
    let order = columns.iter().map(|column| column.component).collect();
    let stream = FastSamples::new(
        head.sample_count,
        &anchor_widths,
        &widths,
        lanes.finish().into(),
    )
    .ok()?;
    Some((order, Stream::Fast(stream)))
}

impl Column {
    fn new(component: u32, values: &[f32], step: f32) -> Option<Self> {
        let (sample_count, segment) = (values.len(), SEGMENT as usize);
        // The exact value in steps; after the last sample it is held.
        let scaled = |sample_index: usize| {
            f64::from(values[sample_index.min(sample_count - 1)]) / f64::from(step)
        };
        let whole = |number: f64| {
            let whole = libm::rint(number);
            (whole.abs() < f64::from(1 << (WIDEST - 1))).then_some(whole as i32)
        };
        let segments = sample_count.div_ceil(segment);
        let anchors = (0..=segments).map(|index| whole(scaled(index * segment)));
        let anchors = anchors.collect::<Option<Vec<i32>>>()?;
        let anchor_width = anchors
            .iter()
            .map(|&anchor| width_of(anchor))
            .max()
            .unwrap_or(0);
        let mut residuals = alloc::vec![0; sample_count];
        let mut widths = Vec::with_capacity(segments);
        for (index, pair) in anchors.windows(2).enumerate() {
            let [from, to] = [pair[0], pair[1]].map(f64::from);
            let first = index * segment;
            let count = (sample_count - first).min(segment);
            let (quarter_count, _) = counts(count as u32);
            let samples_per_quarter = QUARTER as usize;
            let quarters_per_segment = segment / samples_per_quarter;
            // The decoded values at quarters: the line between anchors plus the residual, if the sample exists.
            let mut quarters = [0.0; SEGMENT as usize / QUARTER as usize + 1];
            let mut wide = [0; 2];
            for (number, quarter) in quarters.iter_mut().enumerate() {
                *quarter = from + (to - from) * number as f64 / quarters_per_segment as f64;
                if number > 0 && number <= quarter_count as usize {
                    let sample_index = first + number * samples_per_quarter;
                    let residual = whole(scaled(sample_index) - *quarter)?;
                    residuals[sample_index] = residual;
                    *quarter += f64::from(residual);
                    wide[0] = wide[0].max(width_of(residual));
                }
            }
            for within in (1..count).filter(|within| within % samples_per_quarter != 0) {
                let (quarter, after) = (within / samples_per_quarter, within % samples_per_quarter);
                let [a, b] = [quarters[quarter], quarters[quarter + 1]];
                let prediction = a + (b - a) * after as f64 / samples_per_quarter as f64;
                let residual = whole(scaled(first + within) - prediction)?;
                residuals[first + within] = residual;
                wide[1] = wide[1].max(width_of(residual));
            }
            widths.push([width_code(wide[0])?, width_code(wide[1])?]);
        }
        Some(Self {
            component,
            anchors,
            residuals,
            anchor_width,
            widths,
        })
    }
}

/// The fewest bits that hold an integer in two's complement; 0 for 0.
fn width_of(number: i32) -> u32 {
    match number {
        0 => 0,
        number if number < 0 => 33 - (-(number + 1)).leading_zeros(),
        number => 33 - number.leading_zeros(),
    }
}

/// The code of the smallest storable bit width that is at least `width`.
fn width_code(width: u32) -> Option<u8> {
    let found = WIDTHS.iter().position(|&wide| u32::from(wide) >= width);
    found.map(|code| code as u8)
}

/// Writes the same number of bits in each of the eight lanes. Byte `n` of all lanes is one [`Slice`].
#[derive(Default)]
struct LaneWriter {
    slices: Vec<Slice>,
    bit: usize,
}

impl LaneWriter {
    fn write(&mut self, group: &[Column], width: u32, number: impl Fn(&Column) -> i32) {
        let needed = (self.bit + width as usize).div_ceil(8);
        self.slices.resize(needed, [0; LANES]);
        let (first, shift) = (self.bit / 8, self.bit % 8);
        let mask = (1u32 << width) - 1;
        for (lane, column) in group.iter().enumerate() {
            // At most 24 bits and a shift of at most 7, so four bytes hold it.
            let bits = (number(column) as u32 & mask) << shift;
            for (slice, byte) in self.slices[first..].iter_mut().zip(bits.to_le_bytes()) {
                slice[lane] |= byte;
            }
        }
        self.bit += width as usize;
    }

    fn finish(mut self) -> Vec<Slice> {
        // Padding: the decoder reads a whole window of slices wherever a number begins.
        self.slices.resize(self.slices.len() + WINDOW, [0; LANES]);
        self.slices
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_hold_their_numbers_and_no_fewer_bits_would() {
        assert_eq!(
            [0, -1, 1, -2, 2, 3, -4, 4, -5].map(width_of),
            [0, 1, 2, 2, 3, 3, 3, 4, 4]
        );
        for number in [-8_388_608, 8_388_607] {
            assert_eq!(width_of(number), WIDEST);
        }
        assert_eq!(
            (width_code(12), width_code(24), width_code(25)),
            (Some(12), Some(15), None)
        );
    }
}
