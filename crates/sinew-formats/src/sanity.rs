//! Plausibility of the frame rate of human motion.
//!
//! Gravity is a clock. Nobody falls faster than free fall, and in the air everybody accelerates at exactly g. A
//! motion that is played too fast falls too fast, by the square of the rate; one that is played too slowly floats.
//! Walking has no flight phase, but a maximum cadence. Motions with none of these give no evidence and no warning.

use sinew::animation::TransformTrack;
use sinew::glam::Vec3;
use sinew::{Animation, ModelPose, Pose, Skeleton, local_to_model, sample};

/// m/s².
const GRAVITY: f64 = 9.81;

/// Half of the time window of an acceleration, in seconds: longer than capture noise, shorter than the flight phase
/// of a step.
const HALF_WINDOW: f64 = 0.06;

/// Maximum downward acceleration of a root, in m/s². A root is not the centre of mass: correct captures reach 15.
const MAX_FALL: f64 = 18.0;

/// Maximum vertical oscillations of a moving root, per second. Runners reach 3.2, sprinters 4.7.
const MAX_CADENCE: f64 = 3.4;
const MAX_SPRINT_CADENCE: f64 = 5.2;

/// Horizontal speed from which a root counts as moving, in m/s; and from which it may be a sprinter's.
const MOVING: f64 = 1.0;
const SPRINTING: f64 = 6.0;

/// Minimum vertical oscillation of a root that is counted, in metres.
const BOB: f32 = 0.006;

/// Plausible heights of standing people in metres; others are not people, or not in metres.
const HEIGHTS: std::ops::RangeInclusive<f32> = 0.9..=2.6;

/// Height above the ground of the lowest joint of an airborne figure, in metres.
const AIRBORNE: f32 = 0.12;

/// Minimum sampling rate of flights in frames per second: the shortest jump then has a dozen frames.
const FLIGHT_RATE: f64 = 40.0;

/// Maximum apparent duration of a flight, in seconds: a high jump, played at a quarter of its rate.
const MAX_FLIGHT: f64 = 3.0;

/// Plausible gravity of flights, in m/s².
const FLIGHT_GRAVITY: std::ops::RangeInclusive<f64> = 5.0..=18.0;

/// Maximum number of analysed frames.
const MAX_FRAMES: usize = 4_000;

/// Describes a motion with an implausible frame rate. `None` if it is plausible, gives no evidence, is not of human
/// size, or its frames are not evenly spaced.
pub(crate) fn rate_problem(skeleton: &Skeleton, animation: &Animation) -> Option<String> {
    let rate = animation.frame_rate?;
    let root = skeleton.joints().first()?;
    let track = animation.track(&root.name)?;
    let path = root_path(track)?;
    if path.len() < 8 || !HEIGHTS.contains(&rest_height(skeleton)) {
        return None;
    }
    let observed = fall(path, rate)
        .or_else(|| cadence(path, rate))
        .or_else(|| flight(skeleton, animation, path, rate))?;
    Some(format!(
        "{observed}; at {rate} frames per second the motion looks too {}, its rate may be about {:.0}",
        if observed.factor < 1.0 {
            "fast"
        } else {
            "slow"
        },
        rate * observed.factor
    ))
}

/// Evidence for a wrong rate.
struct RateEvidence {
    text: String,
    /// Likely correction factor of the rate.
    factor: f64,
}

impl std::fmt::Display for RateEvidence {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text)
    }
}

/// Returns the positions of the root, if there is one for each frame.
fn root_path(track: &TransformTrack) -> Option<&[Vec3]> {
    let channel = track.position.as_ref()?;
    channel.times().rate()?;
    let values = channel.values();
    values.get(..values.len().min(MAX_FRAMES))
}

/// Returns the distance from the lowest to the highest joint or tip at rest.
fn rest_height(skeleton: &Skeleton) -> f32 {
    let pose = Pose::rest(skeleton);
    let mut model = ModelPose::new(skeleton);
    if local_to_model(skeleton, &pose, &mut model).is_err() {
        return 0.0;
    }
    let (low, high) = extent(skeleton, &model);
    high - low
}

fn extent(skeleton: &Skeleton, model: &ModelPose) -> (f32, f32) {
    let heights = model.points(skeleton).map(|(_, point)| point.y);
    heights.fold((f32::MAX, f32::MIN), |(low, high), y| {
        (low.min(y), high.max(y))
    })
}

/// Detects falls that are faster than gravity allows.
fn fall(path: &[Vec3], rate: f64) -> Option<RateEvidence> {
    let step = ((HALF_WINDOW * rate).round() as usize).max(1);
    let window = step as f64 / rate;
    let height = |index: usize| path.get(index).map(|point| f64::from(point.y));
    let fall = |index: usize| {
        let before = height(index.checked_sub(step)?)?;
        let after = height(index + step)?;
        Some((2.0 * height(index)? - before - after) / (window * window))
    };
    let mut fast = 0;
    let mut most = 0.0f64;
    for fall in (step..path.len()).filter_map(fall) {
        fast += usize::from(fall > MAX_FALL);
        most = most.max(fall);
    }
    // One outlier frame makes one fall; motion makes several.
    (fast >= 3).then(|| RateEvidence {
        text: format!("the root falls with {most:.0} m/s², and gravity is {GRAVITY}"),
        factor: rounded((GRAVITY / most).sqrt()),
    })
}

/// Detects an implausible cadence: the median of at least three steps, while the root moves.
fn cadence(path: &[Vec3], rate: f64) -> Option<RateEvidence> {
    let tops = tops(path);
    let mut steps: Vec<(f64, f64)> = tops
        .windows(2)
        .filter_map(|pair| {
            let &[from, to] = pair else { return None };
            let way = (*path.get(to)? - *path.get(from)?) * Vec3::new(1.0, 0.0, 1.0);
            let per_second = rate / (to - from) as f64;
            let speed = f64::from(way.dot(way)).sqrt() * per_second;
            (speed > MOVING).then_some((per_second, speed))
        })
        .collect();
    if steps.len() < 3 {
        return None;
    }
    steps.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (steps, speed) = *steps.get(steps.len() / 2)?;
    let most = if speed < SPRINTING {
        MAX_CADENCE
    } else {
        MAX_SPRINT_CADENCE
    };
    (steps > most).then(|| RateEvidence {
        text: format!("the root moves at {speed:.1} m/s with {steps:.1} steps per second"),
        factor: rounded(2.0 / steps),
    })
}

/// Returns the local maxima of height of a path, ignoring noise.
fn tops(path: &[Vec3]) -> Vec<usize> {
    let mut tops = Vec::new();
    let mut rising = false;
    let mut turn = path.first().map_or(0.0, |point| point.y);
    let mut top_frame = 0;
    for (frame, y) in path.iter().map(|point| point.y).enumerate() {
        if rising {
            if y > turn {
                (turn, top_frame) = (y, frame);
            }
            if turn - y > BOB {
                rising = false;
                turn = y;
                tops.push(top_frame);
            }
        } else {
            turn = turn.min(y);
            if y - turn > BOB {
                rising = true;
                (turn, top_frame) = (y, frame);
            }
        }
    }
    tops
}

/// Detects flights that last longer or shorter than gravity allows.
fn flight(
    skeleton: &Skeleton,
    animation: &Animation,
    path: &[Vec3],
    rate: f64,
) -> Option<RateEvidence> {
    let (low, high) = path
        .iter()
        .fold((f32::MAX, f32::MIN), |(low, high), point| {
            (low.min(point.y), high.max(point.y))
        });
    // Jumps raise the root.
    if high - low < AIRBORNE {
        return None;
    }
    // Posing every frame of a high-rate capture would take longer than reading it.
    let stride = ((rate / FLIGHT_RATE) as usize).max(1);
    let path: Vec<Vec3> = path.iter().step_by(stride).copied().collect();
    let rate = rate / stride as f64;
    let lows = lowest_joints(skeleton, animation, path.len(), stride);
    let mut sorted = lows.clone();
    sorted.sort_by(f32::total_cmp);
    let ground = *sorted.get(sorted.len() / 20)?;
    let mut start = None;
    let mut best: Option<(f64, f64)> = None;
    for (frame, low) in lows.iter().enumerate() {
        match (low - ground > AIRBORNE, start) {
            // The beginning of the motion may not be a complete flight.
            (true, None) if frame > 0 => start = Some(frame),
            (false, Some(from)) => {
                start = None;
                if let Some((gravity, sag)) =
                    path.get(from..frame).and_then(|part| ballistic(part, rate))
                    && best.is_none_or(|(_, most)| sag > most)
                {
                    best = Some((gravity, sag));
                }
            }
            _ => {}
        }
    }
    let (gravity, _) = best?;
    (!FLIGHT_GRAVITY.contains(&gravity)).then(|| RateEvidence {
        text: format!("in the air the root falls with {gravity:.1} m/s², and gravity is {GRAVITY}"),
        factor: rounded((GRAVITY / gravity).sqrt()),
    })
}

/// Returns the height of the lowest joint or tip of every frame, or of every n-th.
fn lowest_joints(
    skeleton: &Skeleton,
    animation: &Animation,
    count: usize,
    stride: usize,
) -> Vec<f32> {
    let binding = animation.bind(skeleton);
    let mut pose = Pose::rest(skeleton);
    let mut model = ModelPose::new(skeleton);
    let low = |frame| {
        let time = animation.frame_time(frame * stride);
        let sampled = sample(animation, &binding, time, &mut pose);
        let posed = local_to_model(skeleton, &pose, &mut model);
        match (sampled, posed) {
            (Ok(()), Ok(())) => extent(skeleton, &model).0,
            _ => 0.0,
        }
    };
    (0..count).map(low).collect()
}

/// Returns the gravity of a ballistic path, and its height above the line between its ends.
fn ballistic(part: &[Vec3], rate: f64) -> Option<(f64, f64)> {
    let last = part.len().checked_sub(1)?;
    let seconds = last as f64 / rate;
    if part.len() < 6 || seconds > MAX_FLIGHT {
        return None;
    }
    let from = f64::from(part.first()?.y);
    let to = f64::from(part.last()?.y);
    // Above the line between its ends a ballistic path has height `4 sag s (1 - s)`.
    let above = |index: usize, y: f64| y - (from + (to - from) * index as f64 / last as f64);
    let shape = |index: usize| {
        let s = index as f64 / last as f64;
        4.0 * s * (1.0 - s)
    };
    let heights = || {
        part.iter()
            .enumerate()
            .map(|(i, p)| (shape(i), above(i, f64::from(p.y))))
    };
    let (dot, square) = heights().fold((0.0, 0.0), |(dot, square), (shape, height)| {
        (dot + shape * height, square + shape * shape)
    });
    let sag = dot / square;
    let error = heights().fold(0.0, |sum, (shape, height)| {
        let off = height - sag * shape;
        sum + off * off
    });
    let error = (error / part.len() as f64).sqrt();
    let throw = sag > 0.03 && error < 0.1 * sag;
    throw.then(|| (8.0 * sag / (seconds * seconds), sag))
}

/// Returns the nearest common error factor: 1/2, 1/4, 2, 4; or the factor itself.
fn rounded(factor: f64) -> f64 {
    let usual = [0.25, 0.5, 2.0, 4.0];
    let near = usual
        .iter()
        .find(|usual| (0.74..1.35).contains(&(factor / **usual)));
    near.copied().unwrap_or(factor)
}
