//! Frame rate of a clip, fitted to the times of its keys.
//!
//! glTF lists the time of every key and has no frame rate. Exporters write frames: at a rate, with any start
//! (Blender's first frame is 1, so its clips begin at 1/24 s), with times in single precision or with some jitter,
//! and omit redundant keys. [`fit`] finds the rate and start that match all keys of a clip.

use super::times::DECIMAL;
use sinew::animation::KeyTimes;

/// Maximum distance of a key from its frame, in frames. Jitter of exporters is below it; keys between frames are
/// above.
const TOLERANCE: f64 = 0.012;

/// Maximum distance, in frames, of keys that are on their frames up to rounding.
const EXACT: f64 = 2e-4;

/// Minimum share of frames with a key in some channel: sparse hand-set poses are not frames.
const LEAST_KEYED: f64 = 0.5;

/// Relative rounding error of a time in `f32` that was accumulated or multiplied.
const ROUNDING: f64 = 2.4e-7;

/// Limit of the frames before the first key that are filled with copies of it: per key of the channel, or the
/// fixed number below if that is higher.
const MAX_LEAD_PER_KEY: usize = 4;
const MAX_SHORT_LEAD: usize = 16;

/// The frames of a clip: frame `n` is at `n / rate + shift` seconds of the file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct FrameGrid {
    /// Frames per second.
    pub(super) rate: f64,
    /// Offset of the file's times from the frames in seconds; at least 0 and less than a frame.
    pub(super) shift: f64,
    /// Maximum distance of a key from its frame, in frames; 0 if it is only rounding.
    pub(super) jitter: f64,
    /// Whether keys are exactly on frames.
    pub(super) is_exact: bool,
}

/// Finds the frames that all keys are on; `None` if no frame rate fits, or if there are fewer than three keys.
///
/// The frame step is one of the gaps between keys. Gaps of several frames occur where keys were omitted, so larger
/// gaps are tried first and smaller ones if some key is between frames. Frames are counted along the keys and the
/// rate is fitted by least squares, then rounded to a common one that fits as well.
pub(super) fn fit<'a>(channels: impl Iterator<Item = &'a KeyTimes>) -> Option<FrameGrid> {
    let mut times: Vec<f64> = Vec::new();
    let mut gaps: Vec<f64> = Vec::new();
    let mut seen: Vec<&KeyTimes> = Vec::new();
    for channel in channels {
        // Channels usually share their times.
        if seen.iter().rev().take(8).any(|other| *other == channel) {
            continue;
        }
        let channel_times: Vec<f64> = channel.iter().map(f64::from).collect();
        let pairs = channel_times.iter().zip(channel_times.iter().skip(1));
        gaps.extend(pairs.map(|(from, to)| to - from).filter(|gap| *gap > 0.0));
        times.extend(channel_times);
        seen.push(channel);
    }
    times.sort_by(f64::total_cmp);
    times.dedup();
    if times.len() < 3 {
        return None;
    }
    gaps.sort_by(f64::total_cmp);
    let last = gaps.len().checked_sub(1)?;
    let shares = [0.75, 0.5, 0.25, 0.1, 0.05, 0.02, 0.0];
    let mut steps: Vec<f64> = shares
        .iter()
        .filter_map(|share| gaps.get((last as f64 * share) as usize).copied())
        .collect();
    steps.dedup();
    steps.iter().find_map(|&step| {
        let whole = 1.0 / libm::rint(1.0 / step).max(1.0);
        fit_step(&times, step, true).or_else(|| fit_step(&times, whole, false))
    })
}

/// Fits frames of about `step` seconds to all times; `step` is used for counting without changes unless `refine` is
/// set.
fn fit_step(times: &[f64], step: f64, refine: bool) -> Option<FrameGrid> {
    let &start = times.first()?;
    if step.is_nan() || step <= 1e-6 {
        return None;
    }
    let mut numbers: Vec<f64> = Vec::with_capacity(times.len());
    let (mut number, mut known, mut before) = (0.0, step, start);
    for &time in times {
        number += libm::rint((time - before) / known);
        before = time;
        numbers.push(number);
        if refine && number >= 1.0 {
            // The estimate of the step improves with the number of counted frames, so that later gaps of many frames
            // are counted correctly.
            known = (time - start) / number;
        }
    }
    let frames = *numbers.last()?;
    let pairs = numbers.iter().zip(numbers.iter().skip(1));
    let keyed = 1 + pairs.filter(|(a, b)| a < b).count();
    if (keyed as f64) < LEAST_KEYED * (frames + 1.0) {
        return None;
    }
    let rate = 1.0 / least_squares(&numbers, times)?;
    let usual = [
        libm::rint(rate),
        libm::rint(rate * 2.0) * 0.5,
        libm::rint(rate * 1.001) * 1000.0 / 1001.0,
    ];
    let drift = |candidate: f64| (candidate / rate - 1.0).abs() * frames;
    let is_near = |candidate: &f64| {
        *candidate > 0.0 && drift(*candidate) < 4.0 * TOLERANCE + ROUNDING * frames
    };
    let usual = usual.into_iter().chain(DECIMAL).filter(is_near);
    let candidates: Vec<f64> = usual.chain([rate]).collect();
    let within = |limit: f64| {
        let mut candidates = candidates.iter();
        candidates.find_map(|&rate| on_frames(&numbers, times, rate, limit))
    };
    within(EXACT).or_else(|| within(TOLERANCE))
}

/// Fits the seconds per frame by least squares.
fn least_squares(numbers: &[f64], times: &[f64]) -> Option<f64> {
    let count = numbers.len() as f64;
    let mean = |values: &[f64]| values.iter().sum::<f64>() / count;
    let (middle, time) = (mean(numbers), mean(times));
    let (mut product, mut square) = (0.0, 0.0);
    for (n, t) in numbers.iter().zip(times) {
        product += (n - middle) * (t - time);
        square += (n - middle) * (n - middle);
    }
    let step = product / square;
    (step.is_finite() && step > 0.0).then_some(step)
}

/// Returns the grid of a rate with the start centred between the residuals, if all keys are within `limit` frames of
/// it.
fn on_frames(numbers: &[f64], times: &[f64], rate: f64, limit: f64) -> Option<FrameGrid> {
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for (number, time) in numbers.iter().zip(times) {
        let start = time - number / rate;
        low = low.min(start);
        high = high.max(start);
    }
    let start = 0.5 * (low + high);
    let last = times.last().copied().unwrap_or(0.0);
    let jitter = 0.5 * (high - low) * rate;
    let rounding = last * ROUNDING * rate;
    if jitter.is_nan() || jitter > limit + rounding {
        return None;
    }
    // Start at frame 0 if that is near enough; else shift the clip to the previous frame.
    let place = start * rate;
    let near = libm::rint(place);
    let shift = if (place - near).abs() <= limit + rounding {
        0.0
    } else {
        (place - libm::floor(place)) / rate
    };
    Some(FrameGrid {
        rate,
        shift,
        jitter: if jitter <= EXACT + rounding {
            0.0
        } else {
            jitter
        },
        is_exact: false,
    })
}

impl FrameGrid {
    /// Returns the frames of a rate that keys match exactly.
    pub(super) fn exact(rate: f64) -> Self {
        Self {
            rate,
            shift: 0.0,
            jitter: 0.0,
            is_exact: true,
        }
    }

    /// Returns the end of a clip from an end time of the file: on its frame, or at its original distance from it.
    pub(super) fn end(&self, end: f32) -> f32 {
        (self.place(end) / self.rate) as f32
    }

    /// Returns the times of the file without the shift.
    pub(super) fn moved(&self, times: &KeyTimes) -> Option<KeyTimes> {
        let moved = times
            .iter()
            .map(|time| (f64::from(time) - self.shift).max(0.0) as f32);
        KeyTimes::listed(moved.collect::<Vec<f32>>()).ok()
    }

    /// Returns the frame of a time of the file, an integer if it is on one.
    fn place(&self, time: f32) -> f64 {
        let place = (f64::from(time) - self.shift) * self.rate;
        let nearest = libm::rint(place);
        let allowed = TOLERANCE + self.jitter + f64::from(time) * ROUNDING * self.rate;
        if (place - nearest).abs() <= allowed {
            nearest.max(0.0)
        } else {
            place.max(0.0)
        }
    }

    /// Returns times on frames, and the number of copies of the first key to insert before it: a key on each frame
    /// from 0 makes times even, and before the first key a channel has that key's value anyway. Keys that are not on
    /// frames, which only channels of one or two keys have, stay between them.
    pub(super) fn times(&self, times: &KeyTimes) -> Option<(KeyTimes, usize)> {
        let frames: Vec<f64> = times.iter().map(|time| self.place(time)).collect();
        let (first, last) = (*frames.first()?, *frames.last()?);
        let mut pairs = frames.iter().zip(frames.iter().skip(1));
        let is_dense =
            frames.len() > 1 && pairs.all(|(a, b)| b - a == 1.0) && libm::rint(last) == last;
        let lead = first as usize;
        let most_lead = MAX_SHORT_LEAD.max(MAX_LEAD_PER_KEY.saturating_mul(frames.len()));
        if is_dense && lead <= most_lead {
            let times = KeyTimes::uniform(self.rate, frames.len() + lead);
            return Some((times.ok()?, lead));
        }
        let listed: Vec<f32> = frames
            .iter()
            .map(|frame| (frame / self.rate) as f32)
            .collect();
        Some((KeyTimes::listed(listed).ok()?, 0))
    }
}
