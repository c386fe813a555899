//! Spans of time in which a condition holds, with hysteresis: a span begins where the strict threshold is met, lasts while
//! the loose one is, and short gaps and short spans are removed. Also heights and speeds of points.

use alloc::collections::VecDeque;
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

/// Spans of frames in which something holds, in seconds. Where the last frame of `count` is the first one of a loop
/// again, what holds across the seam is one span, which ends after the last frame.
pub(crate) fn spans(
    count: usize,
    rate: f64,
    is_loop: bool,
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
    let length = time(count.saturating_sub(1));
    if is_loop && spans.len() > 1 {
        let gap = |spans: &[Range<f32>]| Some(spans.first()?.start + length - spans.last()?.end);
        if gap(&spans).is_some_and(|gap| gap < keep.gap) {
            let first = spans.remove(0);
            if let Some(last) = spans.last_mut() {
                last.end = length + first.end;
            }
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

/// The lowest height within `reach` frames of each frame.
pub(crate) fn lowest_around(track: &[Vec3], reach: usize) -> Vec<f32> {
    // Frames that may be the lowest yet: each is lower than those before it.
    let mut rising: VecDeque<usize> = VecDeque::new();
    let mut next = 0;
    let lowest = |frame: usize| {
        while next < track.len() && next <= frame + reach {
            while rising
                .back()
                .is_some_and(|&last| track[last].y >= track[next].y)
            {
                rising.pop_back();
            }
            rising.push_back(next);
            next += 1;
        }
        while rising.front().is_some_and(|&first| first + reach < frame) {
            rising.pop_front();
        }
        rising
            .front()
            .map_or(track[frame].y, |&first| track[first].y)
    };
    (0..track.len()).map(lowest).collect()
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
