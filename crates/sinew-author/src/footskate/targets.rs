//! Targets of ankles and wrists: each plant at one position, the roll of the foot between heel and ball, and fades around.
//!
//! 1. A plant is at the mean position of its limb end over its frames, at the median height; on level ground all plants share
//!    the median of these.
//! 2. A heel that is planted together with a ball is moved to the length of the foot from it.
//! 3. For retargeting, plants rise and sink with the foot as it rolls (`roll`).
//! 4. Where both are planted the foot lies between them: the shortest rotation from its direction to theirs. Where one is, the
//!    ankle follows from it and the foot's rotation.
//! 5. Rotations and shifts fade before and after (`fade`).
//! 6. In the air a foot is kept above the ground; it sinks by at most 1 mm, `d ↦ 1 mm · (e^(d / 1 mm) - 1)`, which has slope 1 at
//!    the ground and so no corner.
//!
//! Linear in the number of frames.

use super::fade::fade_around;
use alloc::vec::Vec;
use core::ops::RangeInclusive;
use glam::DVec3;
use sinew::internal::LimbFrame;
use sinew::internal::{quat_exp, quat_log, rotation_between, unit};
use sinew::math::dquat_rotate;

/// The maximum depth of a foot in the air below the ground, in metres.
const MAX_SINK: f64 = 0.001;

/// Seconds between a heel's plant and a ball's that do not overlap, at least, for the foot to roll from one to the other.
const MIN_ROLL_SECONDS: f64 = 0.12;

/// The plants of one limb, as frames.
#[derive(Clone, Debug, Default)]
pub(crate) struct PlantedFrames {
    /// Of the ankle or the wrist.
    pub(crate) end: Vec<RangeInclusive<usize>>,
    /// Of the ball.
    pub(crate) ball: Vec<RangeInclusive<usize>>,
}

/// The target of a limb at a frame, in model space.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Target {
    /// The ankle or the wrist.
    pub(crate) end: DVec3,
    /// The rotation of the foot: axis times radians.
    pub(crate) foot: DVec3,
    /// Whether it is planted.
    pub(crate) is_planted: bool,
}

/// Settings of [`find_targets`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct TargetSettings {
    pub(crate) rate: f64,
    /// Seconds.
    pub(crate) fade: f64,
    /// Whether all plants of an end are at one height.
    pub(crate) is_level: bool,
    /// Whether it is a hand, which may be planted at any height.
    pub(crate) is_hand: bool,
    /// Planted points keep the heights of `points` and only stay over the ground, as far as the heel then moves by at most this
    /// many metres while the foot turns about its ball. `None`: they stay at the height of their plant.
    pub(crate) rolls: Option<f64>,
}

/// A plant and its position.
#[derive(Clone, Debug)]
struct PlantPosition {
    frames: RangeInclusive<usize>,
    position: DVec3,
}

/// Where the ends of a limb are, or should be while they are planted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ContactPoints {
    /// The ankle or the wrist.
    pub(crate) end: DVec3,
    /// The ball.
    pub(crate) ball: DVec3,
}

impl ContactPoints {
    /// The points of a limb.
    pub(crate) fn of(frame: &LimbFrame) -> Self {
        Self {
            end: frame.end,
            ball: frame.ball,
        }
    }
}

/// The targets of a limb for every frame; empty if it is never planted. `points` are those that define the positions of
/// plants: of the limb itself, or of another body's.
pub(crate) fn find_targets(
    frames: &[LimbFrame],
    points: &[ContactPoints],
    planted: &PlantedFrames,
    settings: &TargetSettings,
) -> Vec<Target> {
    let balls = merge_ranges(&planted.ball);
    let mut ends = merge_ranges(&planted.end);
    keep_apart(
        &mut ends,
        &balls,
        (MIN_ROLL_SECONDS * settings.rate) as usize,
    );
    if balls.is_empty() && ends.is_empty() {
        return Vec::new();
    }
    let (balls, ball_ground) = positioned_plants(points, balls, settings, |point| point.ball);
    let (mut ends, end_ground) = positioned_plants(points, ends, settings, |point| point.end);
    for end in &mut ends {
        fit_foot(frames, end, &balls);
    }
    let mut ball_at = positions_by_frame(frames.len(), &balls);
    let mut end_at = positions_by_frame(frames.len(), &ends);
    if let Some(max_slide) = settings.rolls {
        roll(
            &balls,
            &ends,
            points,
            max_slide,
            [&mut ball_at, &mut end_at],
        );
    }

    // Where heel and ball are planted, the foot lies between them.
    let mut feet = alloc::vec![DVec3::ZERO; frames.len()];
    let mut flat: Vec<bool> = alloc::vec![false; frames.len()];
    for (index, frame) in frames.iter().enumerate() {
        if let (Some(ball), Some(end)) = (ball_at[index], end_at[index])
            && let (Some(foot), Some(target_foot)) =
                (unit(frame.ball - frame.end), unit(ball - end))
        {
            feet[index] = quat_log(rotation_between(foot, target_foot));
            flat[index] = true;
        }
    }
    fade_around(&mut feet, &ranges(&flat), settings.rate, settings.fade);

    let mut shifts = alloc::vec![DVec3::ZERO; frames.len()];
    let mut planted: Vec<bool> = alloc::vec![false; frames.len()];
    for (index, frame) in frames.iter().enumerate() {
        let arm = dquat_rotate(quat_exp(feet[index]), frame.ball - frame.end);
        let end = ball_at[index].map(|ball| ball - arm).or(end_at[index]);
        if let Some(end) = end {
            shifts[index] = end - frame.end;
            planted[index] = true;
        }
    }
    fade_around(&mut shifts, &ranges(&planted), settings.rate, settings.fade);
    if !settings.is_hand && settings.is_level {
        let ground = (ball_ground, end_ground);
        keep_above_ground(frames, &feet, &planted, ground, &mut shifts);
    }
    let joined = frames.iter().zip(&shifts).zip(&feet).zip(&planted);
    joined
        .map(|(((frame, shift), foot), planted)| Target {
            end: frame.end + *shift,
            foot: *foot,
            is_planted: *planted,
        })
        .collect()
}

/// Sorts ranges and merges those that overlap or touch.
fn merge_ranges(planted: &[RangeInclusive<usize>]) -> Vec<RangeInclusive<usize>> {
    let mut sorted = planted.to_vec();
    sorted.sort_by_key(|range| (*range.start(), *range.end()));
    let mut merge_ranges: Vec<RangeInclusive<usize>> = Vec::new();
    for range in sorted {
        match merge_ranges.last_mut() {
            Some(last) if *range.start() <= *last.end() + 1 => {
                *last = *last.start()..=(*last.end()).max(*range.end());
            }
            _ => merge_ranges.push(range),
        }
    }
    merge_ranges
}

/// Shortens the heel's plants so that they are at least `apart` frames from the ball's that they do not overlap.
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

/// The position of each plant: the mean over the ground at the median height. Also returns the median height of all.
fn positioned_plants(
    points: &[ContactPoints],
    planted: Vec<RangeInclusive<usize>>,
    settings: &TargetSettings,
    point: impl Fn(&ContactPoints) -> DVec3,
) -> (Vec<PlantPosition>, Option<f64>) {
    let mut positioned_plants: Vec<PlantPosition> = Vec::with_capacity(planted.len());
    for range in planted {
        let planted_frames = points.get(range.clone()).unwrap_or_default();
        let mut sum = DVec3::ZERO;
        for frame in planted_frames {
            sum += point(frame);
        }
        let mean = sum * (1.0 / planted_frames.len().max(1) as f64);
        let height = if settings.is_hand {
            mean.y
        } else {
            // A median, because the foot is higher at both ends of a plant.
            let heights = planted_frames.iter().map(|frame| point(frame).y);
            median(heights.collect()).unwrap_or(mean.y)
        };
        positioned_plants.push(PlantPosition {
            frames: range,
            position: DVec3::new(mean.x, height, mean.z),
        });
    }
    let ground = median(
        positioned_plants
            .iter()
            .map(|plant| plant.position.y)
            .collect(),
    );
    if let (Some(ground), true) = (ground, settings.is_level && !settings.is_hand) {
        for plant in &mut positioned_plants {
            plant.position.y = ground;
        }
    }
    (positioned_plants, ground)
}

fn median(mut numbers: Vec<f64>) -> Option<f64> {
    numbers.sort_by(f64::total_cmp);
    numbers.get(numbers.len() / 2).copied()
}

/// Moves a heel to the length of the foot from the ball that is planted with it for longest.
fn fit_foot(frames: &[LimbFrame], end: &mut PlantPosition, balls: &[PlantPosition]) {
    let shared = |ball: &PlantPosition| {
        let from = *end.frames.start().max(ball.frames.start());
        let to = *end.frames.end().min(ball.frames.end());
        (to + 1).saturating_sub(from)
    };
    let mut longest: Option<(usize, &PlantPosition)> = None;
    for ball in balls {
        let frames = shared(ball);
        if frames > 0 && longest.is_none_or(|(known, _)| frames > known) {
            longest = Some((frames, ball));
        }
    }
    let Some((_, ball)) = longest else {
        return;
    };
    let first = *end.frames.start().max(ball.frames.start());
    let direction = unit(end.position - ball.position);
    if let (Some(direction), Some(frame)) = (direction, frames.get(first)) {
        end.position = ball.position + direction * (frame.ball - frame.end).length();
    }
}

fn positions_by_frame(count: usize, positioned_plants: &[PlantPosition]) -> Vec<Option<DVec3>> {
    let mut positions_by_frame = alloc::vec![None; count];
    for plant in positioned_plants {
        for slot in positions_by_frame
            .get_mut(plant.frames.clone())
            .unwrap_or_default()
        {
            *slot = Some(plant.position);
        }
    }
    positions_by_frame
}

/// Lets planted balls and heels rise and sink as `points` do, by a share of it that is the same for all frames of a plant.
///
/// Where both are planted the foot turns about its ball, and the heel moves by `Σ |r_i - r_(i-1)|` over the ground, `r` being the
/// length of the foot seen from above. The share is such that this is at most `max_slide`; it is 1 where only one of them is planted.
fn roll(
    balls: &[PlantPosition],
    ends: &[PlantPosition],
    points: &[ContactPoints],
    max_slide: f64,
    [ball_at, end_at]: [&mut Vec<Option<DVec3>>; 2],
) {
    let shared = |ball: &PlantPosition, end: &PlantPosition| {
        let from = *end.frames.start().max(ball.frames.start());
        from..(*end.frames.end().min(ball.frames.end()) + 1).max(from)
    };
    let mut ball_shares = alloc::vec![1.0_f64; balls.len()];
    let mut end_shares = alloc::vec![1.0_f64; ends.len()];
    for (end, end_share) in ends.iter().zip(&mut end_shares) {
        for (ball, ball_share) in balls.iter().zip(&mut ball_shares) {
            let offset = end.position - ball.position;
            let over_ground = libm::sqrt(offset.x * offset.x + offset.z * offset.z);
            let length = offset.length();
            // A heel that is planted alone before comes from its own place.
            let starts_alone = end.frames.start() < ball.frames.start();
            let mut known = starts_alone.then_some(over_ground);
            let mut path = 0.0;
            for point in points.get(shared(ball, end)).unwrap_or_default() {
                let height = point.end.y - point.ball.y;
                let whole = libm::sqrt(over_ground * over_ground + height * height);
                let seen = length * over_ground / whole.max(1e-9);
                path += known
                    .replace(seen)
                    .map_or(0.0, |known| (seen - known).abs());
            }
            if path > max_slide {
                *end_share = end_share.min(max_slide / path);
                *ball_share = ball_share.min(max_slide / path);
            }
        }
    }
    // A ball that rolls less takes its other heels with it.
    for (end, end_share) in ends.iter().zip(&mut end_shares) {
        for (ball, ball_share) in balls.iter().zip(&ball_shares) {
            if !shared(ball, end).is_empty() {
                *end_share = end_share.min(*ball_share);
            }
        }
    }
    let follow = |plants: &[PlantPosition],
                  shares: &[f64],
                  slots: &mut [Option<DVec3>],
                  height: fn(&ContactPoints) -> f64| {
        for (plant, share) in plants.iter().zip(shares) {
            for frame in plant.frames.clone() {
                if let (Some(Some(position)), Some(point)) =
                    (slots.get_mut(frame), points.get(frame))
                {
                    position.y += (height(point) - position.y) * share;
                }
            }
        }
    };
    follow(balls, &ball_shares, ball_at, |point| point.ball.y);
    follow(ends, &end_shares, end_at, |point| point.end.y);
}

/// The ranges of frames that are marked.
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

/// Keeps a foot in the air above the ground of its plants.
fn keep_above_ground(
    frames: &[LimbFrame],
    feet: &[DVec3],
    planted: &[bool],
    (ball_ground, end_ground): (Option<f64>, Option<f64>),
    shifts: &mut [DVec3],
) {
    for (index, frame) in frames.iter().enumerate() {
        if planted[index] {
            continue;
        }
        let arm = dquat_rotate(quat_exp(feet[index]), frame.ball - frame.end);
        let end = frame.end + shifts[index];
        let above = match (ball_ground, end_ground) {
            (Some(ground), _) => (end + arm).y - ground,
            (None, Some(ground)) => end.y - ground,
            (None, None) => continue,
        };
        if above < 0.0 {
            let held = MAX_SINK * (libm::exp(above / MAX_SINK) - 1.0);
            shifts[index].y += held - above;
        }
    }
}
