//! Threshold detection with hysteresis: the spans of time in which a condition holds.
//!
//! A span begins where the strict threshold is met ([`ThresholdState::Begins`]), lasts while the loose one is ([`ThresholdState::Continues`]), and ends
//! where neither is; then spans with short gaps are joined and short spans removed. Without hysteresis a value near the threshold
//! would end a contact with every frame of noise. Also heights and speeds of points. Everything is linear in the number of frames.

use alloc::collections::VecDeque;
use alloc::vec::Vec;
use core::ops::Range;
use glam::Vec3;

/// Which spans are joined or removed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SpanFilter {
    /// Shorter spans are dropped, in seconds.
    pub(crate) shortest: f32,
    /// Spans that are apart by less are one, in seconds.
    pub(crate) gap: f32,
}

/// The state of a condition with hysteresis at a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ThresholdState {
    /// Below the strict threshold: a span begins or continues.
    Begins,
    /// Below the loose threshold only: a span continues, but does not begin.
    Continues,
    /// Above both thresholds: a span ends.
    Ends,
}

/// The spans in which a condition holds, in seconds. In a loop, whose last frame is its first one again, a span across the
/// seam is one that ends after the last frame.
pub(crate) fn spans(
    count: usize,
    rate: f64,
    is_loop: bool,
    keep: &SpanFilter,
    holds: impl Fn(usize) -> ThresholdState,
) -> Vec<Range<f32>> {
    let time = |frame: usize| (frame as f64 / rate) as f32;
    let mut spans: Vec<Range<f32>> = Vec::new();
    let mut open: Option<usize> = None;
    for frame in 0..=count {
        let state = if frame < count {
            holds(frame)
        } else {
            ThresholdState::Ends
        };
        match (open, state) {
            (None, ThresholdState::Begins) => open = Some(frame),
            (Some(from), ThresholdState::Ends) => {
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

/// Adds a span, or extends the previous one if the gap is short.
fn join(spans: &mut Vec<Range<f32>>, span: Range<f32>, gap: f32) {
    match spans.last_mut() {
        Some(before) if span.start - before.end < gap => before.end = span.end,
        _ => spans.push(span),
    }
}

/// The lowest height within `reach` frames of each frame: a sliding-window minimum by a monotonic queue, linear in the
/// number of frames.
pub(crate) fn lowest_around(track: &[Vec3], reach: usize) -> Vec<f32> {
    // Frames that may still become the minimum, by ascending height.
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

/// The speed of a point at a frame, in metres per second, by central difference.
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

/// The height below which a share of the frames is (a quantile).
pub(crate) fn low_height(track: &[Vec3], share: f32) -> f32 {
    let mut heights: Vec<f32> = track.iter().map(|point| point.y).collect();
    heights.sort_by(f32::total_cmp);
    let last = heights.len().saturating_sub(1);
    heights
        .get((last as f32 * share) as usize)
        .copied()
        .unwrap_or(0.0)
}
