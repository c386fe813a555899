//! Where ankles go: plants at one place each, the foot's roll between them, and fades around.

use super::fade::fade_around;
use alloc::vec::Vec;
use core::ops::RangeInclusive;
use sinew::internal::LimbFrame;
use sinew::internal::{V3, quat_exp64, quat_log64, shortest_turn};

/// How deep a foot in the air may sink into the ground before it is held, in metres: it slows down over as much.
const SINK: f64 = 0.001;

/// Seconds that a heel and a ball must be apart, where they stand one after the other and not together, for the
/// foot to get from one place to the other.
const APART: f64 = 0.12;

/// The plants of one limb, as frames.
#[derive(Clone, Debug, Default)]
pub(super) struct PlantedFrames {
    /// Of the ankle or the wrist.
    pub(super) end: Vec<RangeInclusive<usize>>,
    /// Of the ball.
    pub(super) ball: Vec<RangeInclusive<usize>>,
}

/// Where a limb's end goes at a frame, in the model's frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct Target {
    /// The ankle or the wrist.
    pub(super) end: V3,
    /// The turn of the foot: axis times radians.
    pub(super) foot: V3,
    /// Whether it stands.
    pub(super) is_planted: bool,
}

/// What there is to say of how targets are found.
#[derive(Clone, Copy, Debug)]
pub(super) struct TargetSettings {
    pub(super) rate: f64,
    /// Seconds.
    pub(super) fade: f64,
    /// Whether all plants of an end are at one height.
    pub(super) is_level: bool,
    /// Whether it is a hand, which is not dropped to the ground and may be anywhere.
    pub(super) is_hand: bool,
}

/// A stand with its place.
#[derive(Clone, Debug)]
struct Placed {
    frames: RangeInclusive<usize>,
    place: V3,
}

/// The targets of a limb for every frame; empty where it never stands.
pub(super) fn find_targets(
    frames: &[LimbFrame],
    stands: &PlantedFrames,
    settings: &TargetSettings,
) -> Vec<Target> {
    let balls = merged(&stands.ball);
    let mut ends = merged(&stands.end);
    keep_apart(&mut ends, &balls, (APART * settings.rate) as usize);
    if balls.is_empty() && ends.is_empty() {
        return Vec::new();
    }
    let (balls, ball_ground) = placed(frames, balls, settings, |frame| frame.ball);
    let (mut ends, end_ground) = placed(frames, ends, settings, |frame| frame.end);
    for end in &mut ends {
        fit_foot(frames, end, &balls);
    }
    let ball_at = by_frame(frames.len(), &balls);
    let end_at = by_frame(frames.len(), &ends);

    // The foot is turned to lie between heel and ball where both stand.
    let mut feet = alloc::vec![V3::ZERO; frames.len()];
    let mut flat: Vec<bool> = alloc::vec![false; frames.len()];
    for (index, frame) in frames.iter().enumerate() {
        if let (Some(ball), Some(end)) = (ball_at[index], end_at[index])
            && let (Some(own), Some(wanted)) =
                ((frame.ball - frame.end).unit(), (ball - end).unit())
        {
            feet[index] = quat_log64(shortest_turn(own, wanted));
            flat[index] = true;
        }
    }
    fade_around(&mut feet, &ranges(&flat), settings.rate, settings.fade);

    let mut shifts = alloc::vec![V3::ZERO; frames.len()];
    let mut stands: Vec<bool> = alloc::vec![false; frames.len()];
    for (index, frame) in frames.iter().enumerate() {
        let arm = (frame.ball - frame.end).turned(quat_exp64(feet[index]));
        let end = ball_at[index].map(|ball| ball - arm).or(end_at[index]);
        if let Some(end) = end {
            shifts[index] = end - frame.end;
            stands[index] = true;
        }
    }
    fade_around(&mut shifts, &ranges(&stands), settings.rate, settings.fade);
    if !settings.is_hand && settings.is_level {
        let ground = (ball_ground, end_ground);
        hold_up(frames, &feet, &stands, ground, &mut shifts);
    }
    let each = frames.iter().zip(&shifts).zip(&feet).zip(&stands);
    each.map(|(((frame, shift), foot), stands)| Target {
        end: frame.end + *shift,
        foot: *foot,
        is_planted: *stands,
    })
    .collect()
}

/// In order, and such that overlap are one.
fn merged(stands: &[RangeInclusive<usize>]) -> Vec<RangeInclusive<usize>> {
    let mut sorted = stands.to_vec();
    sorted.sort_by_key(|range| (*range.start(), *range.end()));
    let mut merged: Vec<RangeInclusive<usize>> = Vec::new();
    for range in sorted {
        match merged.last_mut() {
            Some(last) if *range.start() <= *last.end() + 1 => {
                *last = *last.start()..=(*last.end()).max(*range.end());
            }
            _ => merged.push(range),
        }
    }
    merged
}

/// Shortens heels' stands that end shortly before a ball's begins or begin shortly after one's end.
fn keep_apart(
    ends: &mut Vec<RangeInclusive<usize>>,
    balls: &[RangeInclusive<usize>],
    apart: usize,
) {
    for end in ends.iter_mut() {
        let (mut from, mut to) = (*end.start(), *end.end());
        for ball in balls {
            if *ball.start() > to {
                to = to.min(ball.start().saturating_sub(apart));
            } else if *ball.end() < from {
                from = from.max(*ball.end() + apart);
            }
        }
        *end = from..=to;
    }
    ends.retain(|end| end.start() <= end.end());
}

/// Where each stand is: its mean place over the ground, and its height.
fn placed(
    frames: &[LimbFrame],
    stands: Vec<RangeInclusive<usize>>,
    settings: &TargetSettings,
    point: impl Fn(&LimbFrame) -> V3,
) -> (Vec<Placed>, Option<f64>) {
    let mut placed: Vec<Placed> = Vec::with_capacity(stands.len());
    for range in stands {
        let own = frames.get(range.clone()).unwrap_or_default();
        let mut sum = V3::ZERO;
        for frame in own {
            sum += point(frame);
        }
        let mean = sum * (1.0 / own.len().max(1) as f64);
        let height = if settings.is_hand {
            mean.y
        } else {
            // Frames at the ends of a stand, where the foot comes or goes, are higher than the ground.
            median(own.iter().map(|frame| point(frame).y).collect()).unwrap_or(mean.y)
        };
        placed.push(Placed {
            frames: range,
            place: V3::new(mean.x, height, mean.z),
        });
    }
    let ground = median(placed.iter().map(|own| own.place.y).collect());
    if let (Some(ground), true) = (ground, settings.is_level && !settings.is_hand) {
        for own in &mut placed {
            own.place.y = ground;
        }
    }
    (placed, ground)
}

fn median(mut numbers: Vec<f64>) -> Option<f64> {
    numbers.sort_by(f64::total_cmp);
    numbers.get(numbers.len() / 2).copied()
}

/// Moves a heel to where the foot is as long as it is, from the ball that stands longest with it.
fn fit_foot(frames: &[LimbFrame], end: &mut Placed, balls: &[Placed]) {
    let shared = |ball: &Placed| {
        let from = *end.frames.start().max(ball.frames.start());
        let to = *end.frames.end().min(ball.frames.end());
        (to + 1).saturating_sub(from)
    };
    let mut longest: Option<(usize, &Placed)> = None;
    for ball in balls {
        let frames = shared(ball);
        if frames > 0 && longest.is_none_or(|(known, _)| frames > known) {
            longest = Some((frames, ball));
        }
    }
    let Some((_, ball)) = longest else {
        return;
    };
    let at = *end.frames.start().max(ball.frames.start());
    if let (Some(way), Some(frame)) = ((end.place - ball.place).unit(), frames.get(at)) {
        end.place = ball.place + way * (frame.ball - frame.end).length();
    }
}

fn by_frame(count: usize, placed: &[Placed]) -> Vec<Option<V3>> {
    let mut by_frame = alloc::vec![None; count];
    for own in placed {
        for slot in by_frame.get_mut(own.frames.clone()).unwrap_or_default() {
            *slot = Some(own.place);
        }
    }
    by_frame
}

/// Where frames are marked.
fn ranges(marks: &[bool]) -> Vec<RangeInclusive<usize>> {
    let mut ranges: Vec<RangeInclusive<usize>> = Vec::new();
    for (index, _) in marks.iter().enumerate().filter(|(_, mark)| **mark) {
        match ranges.last_mut() {
            Some(last) if *last.end() + 1 == index => *last = *last.start()..=index,
            _ => ranges.push(index..=index),
        }
    }
    ranges
}

/// Keeps a foot in the air above the ground that it stands on.
fn hold_up(
    frames: &[LimbFrame],
    feet: &[V3],
    stands: &[bool],
    (ball_ground, end_ground): (Option<f64>, Option<f64>),
    shifts: &mut [V3],
) {
    for (index, frame) in frames.iter().enumerate() {
        if stands[index] {
            continue;
        }
        let arm = (frame.ball - frame.end).turned(quat_exp64(feet[index]));
        let end = frame.end + shifts[index];
        let above = match (ball_ground, end_ground) {
            (Some(ground), _) => (end + arm).y - ground,
            (None, Some(ground)) => end.y - ground,
            (None, None) => continue,
        };
        if above < 0.0 {
            let held = SINK * (libm::exp(above / SINK) - 1.0);
            shifts[index].y += held - above;
        }
    }
}
