//! From which moment to which something holds, once moments of noise are taken out: what `foot_contacts` and
//! [`find_plants`](crate::feet::find_plants) share.

use alloc::vec::Vec;
use core::ops::Range;
use glam::Vec3;

/// What spans of frames are worth keeping.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Keep {
    /// Shorter spans are dropped, in seconds.
    pub(crate) shortest: f32,
    /// Spans that are apart by less are one, in seconds.
    pub(crate) gap: f32,
}

/// Whether something holds at a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Holds {
    /// Certainly.
    Yes,
    /// It goes on where it held, and does not begin.
    Still,
    /// Certainly not.
    No,
}

/// Spans of frames in which something holds, in seconds.
pub(crate) fn spans(
    count: usize,
    rate: f64,
    keep: &Keep,
    holds: impl Fn(usize) -> Holds,
) -> Vec<Range<f32>> {
    let time = |frame: usize| (frame as f64 / rate) as f32;
    let mut spans: Vec<Range<f32>> = Vec::new();
    let mut open: Option<usize> = None;
    for frame in 0..=count {
        let is = if frame < count {
            holds(frame)
        } else {
            Holds::No
        };
        match (open, is) {
            (None, Holds::Yes) => open = Some(frame),
            (Some(from), Holds::No) => {
                join(&mut spans, time(from)..time(frame - 1), keep.gap);
                open = None;
            }
            _ => {}
        }
    }
    spans.retain(|span| span.end - span.start >= keep.shortest);
    spans
}

/// Adds a span, or lengthens the one before when the gap between is short.
fn join(spans: &mut Vec<Range<f32>>, span: Range<f32>, gap: f32) {
    match spans.last_mut() {
        Some(before) if span.start - before.end < gap => before.end = span.end,
        _ => spans.push(span),
    }
}

/// How fast a point is at a frame, in metres per second: from the frame before to the one after.
pub(crate) fn speed(track: &[Vec3], rate: f64, frame: usize) -> f64 {
    let last = track.len().saturating_sub(1);
    let (before, after) = (frame.saturating_sub(1), (frame + 1).min(last));
    match (track.get(before), track.get(after)) {
        (Some(from), Some(to)) if after > before => {
            f64::from((*to - *from).length()) * rate / (after - before) as f64
        }
        _ => 0.0,
    }
}

/// The height that a share of the frames is below.
pub(crate) fn low_height(track: &[Vec3], share: f32) -> f32 {
    let mut heights: Vec<f32> = track.iter().map(|point| point.y).collect();
    heights.sort_by(f32::total_cmp);
    let last = heights.len().saturating_sub(1);
    heights
        .get((last as f32 * share) as usize)
        .copied()
        .unwrap_or(0.0)
}
