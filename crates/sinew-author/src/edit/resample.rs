//! Resamples an animation: a linear key on every frame of an even grid.
//!
//! A loop keeps its length, `rate = intervals / length`, so that its last frame is its first one again; other animations keep
//! the rate and are rounded up to whole frames.

use sinew::animation::{Animation, Channel, ChannelValue, Interpolation, KeyTimes, frame_count};

/// Frames of a result, at most: about a day at 120 per second. More would fill the memory of most machines for a figure of
/// twenty joints.
const MAX_FRAMES: usize = 10_000_000;

/// The lowest rate, in frames per second.
const MIN_RATE: f64 = 1e-3;

/// The largest difference of the first and the last pose of a loop: metres, radians or a ratio of scales.
const LOOP_GAP: f32 = 1e-3;

/// Frames at even times over an animation, the first and the last pose included.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrameGrid {
    /// Frames per second.
    pub rate: f64,
    /// The number of frames, at least one.
    pub count: usize,
}

impl FrameGrid {
    /// The frames of [`resample`] at `rate` frames per second.
    ///
    /// The last frame is never before the end, so that nothing is cut off:
    ///
    /// - A loop keeps its length. The rate becomes the nearest one that divides the length, so that the last
    ///   frame is the first one again: 1.17 s at 25 frames per second are 29 frames of 24.8 per second. An
    ///   animation is a loop if it is [marked as one](Animation::looping), or if each channel ends within 0.001 (metres,
    ///   radians or scale) of where it begins.
    /// - Any other animation has exactly the given rate. Its length is rounded up to whole frames; the last
    ///   pose holds for the fraction of a frame that is added. If the rate gives less than one frame, there is one, as long as
    ///   the animation.
    ///
    /// A rate below 0.001, or one that is not finite, is taken as 0.001. There are at most 10 million frames; a rate that would
    /// give more is lowered.
    pub fn of(animation: &Animation, rate: f64) -> Self {
        let mut rate = if rate.is_finite() {
            rate.max(MIN_RATE)
        } else {
            MIN_RATE
        };
        let length = f64::from(animation.length);
        if frame_count(animation.length, rate) > MAX_FRAMES {
            rate = ((MAX_FRAMES - 1) as f64 / length).max(MIN_RATE);
        }
        let frames = length * rate;
        let nearest = libm::rint(frames);
        // The length is an `f32`, whose rounding must not add a frame.
        let is_whole = (frames - nearest).abs() <= frames * 1.2e-7 + 1e-6;
        let mut intervals = if is_whole {
            nearest
        } else {
            libm::ceil(frames)
        };
        if !is_whole && length > 0.0 && (frames < 1.0 || is_loop(animation)) {
            intervals = nearest.max(1.0);
            rate = intervals / length;
        }
        Self {
            rate,
            count: (intervals.max(0.0) as usize).min(MAX_FRAMES - 1) + 1,
        }
    }

    /// From the first frame to the last, in seconds.
    pub fn length(&self) -> f32 {
        (self.count.saturating_sub(1) as f64 / self.rate) as f32
    }
}

/// Resamples an animation: a linear key on every frame at about `rate` per second.
///
/// Every channel with more than one key is sampled on the frames of a [`FrameGrid`], which documents how rate and length are
/// rounded: the first and the last pose are always kept, and a loop stays a loop. The rate of the result is its
/// [`frame_rate`](Animation::frame_rate).
///
/// A channel that already has these keys is kept, and so are variants and triggers: their times do not change.
pub fn resample(animation: &Animation, rate: f64) -> Animation {
    let grid = FrameGrid::of(animation, rate);
    let end = animation.length;
    let mut result = animation.clone();
    for track in &mut result.tracks {
        *track = core::mem::take(track).change(
            |channel| resampled_channel(channel, grid, end),
            |channel| resampled_channel(channel, grid, end),
        );
    }
    result.frame_rate = Some(grid.rate);
    result.length = grid.length();
    result
}

/// Whether an animation ends where it begins, or is marked as a loop.
fn is_loop(animation: &Animation) -> bool {
    fn closes<T: ChannelValue>(channel: Option<&Channel<T>>, end: f32) -> bool {
        channel
            .is_none_or(|channel| T::distance(channel.sample(0.0), channel.sample(end)) <= LOOP_GAP)
    }
    let end = animation.length;
    animation.looping.is_some()
        || animation.tracks.iter().all(|track| {
            closes(track.position.as_ref(), end)
                && closes(track.rotation.as_ref(), end)
                && closes(track.scale.as_ref(), end)
        })
}

fn resampled_channel<T: ChannelValue>(
    channel: Channel<T>,
    grid: FrameGrid,
    end: f32,
) -> Channel<T> {
    let FrameGrid { rate, count } = grid;
    let Ok(times) = KeyTimes::uniform(rate, count) else {
        return channel;
    };
    let is_linear = channel.interpolation() == Interpolation::Linear;
    let fits = is_linear
        && channel.times().rate() == Some(rate)
        && channel.values().len() == count
        && channel.times().last() <= end.next_up();
    if channel.values().len() == 1 || fits {
        return channel;
    }
    // Keys after the end are not part of the motion: the last pose is the one at the end.
    let values = times.iter().map(|time| channel.sample(time.min(end)));
    let mut values: alloc::vec::Vec<T> = values.collect();
    for key in 1..values.len() {
        values[key] = values[key].nearest_to(values[key - 1]);
    }
    // Cannot fail: samples of a valid channel are valid.
    Channel::new(times, values, Interpolation::Linear).unwrap_or(channel)
}
