//! Sampling rate of a motion without a frame rate.

use super::MIN_SAMPLED_RATE;
use crate::motion::MIN_FRAME_RATE;
use sinew::Animation;
use sinew::animation::{Channel, ChannelValue, Interpolation};

/// Keys per second above which a channel does not determine the rate of the whole clip: a few keys close together
/// would cause millions of frames.
const MAX_MIXED_RATE: f64 = 1000.0;

/// Timing of a channel.
#[derive(Clone, Copy)]
struct SourceKeys {
    count: usize,
    rate: Option<f64>,
    is_cubic: bool,
}

impl SourceKeys {
    fn of<T: ChannelValue>(channel: &Channel<T>) -> Self {
        Self {
            count: channel.times().len(),
            rate: channel.times().rate(),
            is_cubic: channel.interpolation() == Interpolation::Cubic,
        }
    }

    /// Two linear keys define a start and an end, not a sampling rate.
    fn is_long(&self) -> bool {
        self.count > 2 || self.is_cubic
    }
}

/// Returns the frames per second that preserve the keys; `None` if nothing moves.
pub(super) fn of_keys(animation: &Animation) -> Option<f64> {
    let mut channels: Vec<SourceKeys> = animation
        .tracks
        .iter()
        .flat_map(|track| {
            [
                track.position.as_ref().map(SourceKeys::of),
                track.rotation.as_ref().map(SourceKeys::of),
                track.scale.as_ref().map(SourceKeys::of),
            ]
        })
        .flatten()
        .filter(|keys| keys.count > 1)
        .collect();
    if channels.iter().any(SourceKeys::is_long) {
        channels.retain(SourceKeys::is_long);
    }
    let first = channels.first()?.rate;
    let is_even = |keys: &SourceKeys| keys.rate == first && !keys.is_cubic;
    if let Some(rate) = first
        && rate >= MIN_FRAME_RATE
        && channels.iter().all(is_even)
    {
        return Some(rate);
    }
    let rates = channels.iter().filter_map(|keys| keys.rate);
    let usable = rates.filter(|rate| *rate <= MAX_MIXED_RATE);
    Some(usable.fold(MIN_SAMPLED_RATE, f64::max))
}
