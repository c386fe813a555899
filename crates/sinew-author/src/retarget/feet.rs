//! Planted feet at the scaled places of the source's, and hands on request, by two-bone inverse kinematics.
//!
//! The places of plants are the medians of the source's scaled paths over each plant (`footskate::targets`), so that a planted
//! foot does not move at all, whatever its proportions. The hips shift so that knees stay as bent as they are (`stance`) and all feet
//! are in reach, by at most 5 % of the leg length; a foot that is still out of reach is pulled in. Bones are never stretched and knees keep their plane. Corrections fade
//! before and after a plant.
//!
//! A leg whose foot is within [`SAME_PLACE`] of its scaled places anyway is left as it is: it reproduces the source, whose own
//! slides are not for retargeting to remove ([`clean_feet`](crate::footskate::clean_feet) does that).

use super::error::RetargetWarning;
use super::motion::Frames;
use super::points::{LimbPoint, POINT_COUNT};
use super::retargeter::Retargeter;
use super::settings::RetargetSettings;
use super::stance::stance_shifts;
use crate::footskate::{
    ContactPoints, LimbTargets, PlantedFrames, Target, TargetSettings, body_shifts, find_targets,
    frames_of,
};
use alloc::vec::Vec;
use core::ops::RangeInclusive;
use glam::{DQuat, DVec3};
use sinew::anatomy::{Limb, LimbEnd, Plant};
use sinew::animation::ChannelValue;
use sinew::ik::TwoBoneSettings;
use sinew::internal::{LimbFrame, quat_exp};
use sinew::math::{dquat_rotate, dquat_to_quat};

/// The largest shift of the hips, as a share of the leg length.
const MAX_SHIFT: f64 = 0.05;

/// The largest distance by which a foot may stay short of its place without a warning, as a share of the leg length.
const MAX_PULL_IN: f64 = 0.02;

/// Seconds over which the shift of the hips is smoothed, to either side.
const SMOOTHING: f64 = 0.15;

/// Seconds over which the shift that keeps knees as bent as they are is smoothed, to either side.
const STANCE_SMOOTHING: f64 = 0.1;

/// The distance from its scaled places, as a share of the leg length, up to which a foot is left as it is.
const SAME_PLACE: f64 = 1e-4;

/// No bone is stretched, and nothing is kept short of full extension for that.
const RIGID: TwoBoneSettings = TwoBoneSettings {
    soft: 0.0,
    stretch: 0.0,
};

/// Keeps planted feet in place. Returns a warning if some are out of reach.
pub(super) fn settle_feet(
    retargeter: &Retargeter,
    frames: &mut Frames,
    plants: &[Plant],
    places: &[[DVec3; POINT_COUNT]],
    settings: &RetargetSettings,
) -> Option<RetargetWarning> {
    let length = retargeter.target.leg_length();
    let mut targets: [Vec<Target>; 2] = [Vec::new(), Vec::new()];
    let mut is_same = true;
    for (side, targets) in targets.iter_mut().enumerate() {
        let planted = planted_frames(retargeter, frames, plants, side);
        let mut points = contact_points(retargeter, frames, places, side);
        let all = planted.ball.iter().chain(&planted.end);
        for frame in all.flat_map(Clone::clone) {
            let (own, wanted) = (ContactPoints::of(&frames.legs[side][frame]), points[frame]);
            let off = (own.end - wanted.end).length();
            let ball_off = (own.ball - wanted.ball).length();
            is_same &= off.max(ball_off) <= SAME_PLACE * length;
        }
        hold_at_medians(&mut points, &planted);
        let settings = TargetSettings {
            rate: frames.rate,
            fade: settings.fade.into(),
            is_level: false,
            is_hand: false,
        };
        *targets = find_targets(&frames.legs[side], &points, &planted, &settings);
    }
    if is_same {
        return None;
    }
    let reaching = [0, 1].map(|side: usize| LimbTargets {
        frames: &frames.legs[side],
        targets: &targets[side],
    });
    let shifts = stance_shifts(&reaching, frames.count, frames.rate, STANCE_SMOOTHING);
    let mut shifts = body_shifts(&reaching, shifts, frames.rate, SMOOTHING);
    for shift in &mut shifts {
        let excess = shift.length() / (MAX_SHIFT * length);
        if excess > 1.0 {
            *shift *= 1.0 / excess;
        }
    }
    let mut out_of_reach = alloc::vec![0.0_f64; frames.count];
    for (side, targets) in targets.iter().enumerate() {
        let limb = retargeter.target.leg_limb(side);
        let legs = core::mem::take(&mut frames.legs[side]);
        let misses = solve_limb(frames, &limb, &legs, targets, &shifts);
        frames.legs[side] = legs;
        for (known, miss) in out_of_reach.iter_mut().zip(misses) {
            *known = known.max(miss);
        }
    }
    for (frame, shift) in shifts.iter().enumerate() {
        let back = frames.placements.get(frame);
        let back = back.map_or(DQuat::IDENTITY, |placement| placement.rotation.conjugate());
        frames.hips[frame] += dquat_rotate(back, *shift);
    }
    frames.shifts = shifts;
    let far = out_of_reach
        .iter()
        .filter(|miss| **miss > MAX_PULL_IN * length);
    let count = far.count();
    let largest = out_of_reach.iter().copied().fold(0.0, f64::max);
    (count > 0).then_some(RetargetWarning::OutOfReach {
        frames: count,
        miss: (largest / length) as f32,
    })
}

/// The frames in which a foot is planted.
fn planted_frames(
    retargeter: &Retargeter,
    frames: &Frames,
    plants: &[Plant],
    side: usize,
) -> PlantedFrames {
    let mut planted = PlantedFrames::default();
    let has_ball = retargeter.target.ball(side).is_some();
    let length = (frames.count.saturating_sub(1) as f64 / frames.rate) as f32;
    let ours = plants
        .iter()
        .filter(|plant| plant.side == super::body::SIDES[side]);
    for plant in ours {
        for span in plant.spans(length) {
            let Some(range) = frames_of(&[span.start, span.end], frames.rate, frames.count) else {
                continue;
            };
            match plant.end {
                LimbEnd::Ball if has_ball => planted.ball.push(range),
                LimbEnd::Heel => planted.end.push(range),
                _ => {}
            }
        }
    }
    planted
}

/// The places of a foot. If only the target has a ball, it is where the foot's rotation takes it.
fn contact_points(
    retargeter: &Retargeter,
    frames: &Frames,
    places: &[[DVec3; POINT_COUNT]],
    side: usize,
) -> Vec<ContactPoints> {
    let has_ball = retargeter.source.ball(side).is_some();
    let legs = frames.legs[side].iter().zip(places);
    let points = legs.map(|(leg, places)| {
        let end = places[LimbPoint::Foot.index(side)];
        let ball = if has_ball {
            places[LimbPoint::Ball.index(side)]
        } else {
            end + leg.ball - leg.end
        };
        ContactPoints { end, ball }
    });
    points.collect()
}

/// Replaces the places of each plant by their median, coordinate by coordinate. A foot slides as it lands and leaves; the median
/// is where it is between, so that most of a plant needs no correction.
fn hold_at_medians(points: &mut [ContactPoints], planted: &PlantedFrames) {
    let mut hold = |range: &RangeInclusive<usize>, part: fn(&mut ContactPoints) -> &mut DVec3| {
        let Some(points) = points.get_mut(range.clone()) else {
            return;
        };
        let median = [0, 1, 2].map(|axis: usize| {
            let mut values: Vec<f64> = points.iter_mut().map(|point| part(point)[axis]).collect();
            let middle = values.len() / 2;
            *values.select_nth_unstable_by(middle, f64::total_cmp).1
        });
        for point in points {
            *part(point) = DVec3::from_array(median);
        }
    };
    for range in &planted.ball {
        hold(range, |point| &mut point.ball);
    }
    for range in &planted.end {
        hold(range, |point| &mut point.end);
    }
}

/// Takes hands to the scaled places of the source's, or as near as arms reach.
pub(super) fn reach_hands(
    retargeter: &Retargeter,
    frames: &mut Frames,
    places: &[[DVec3; POINT_COUNT]],
) {
    for side in [0, 1] {
        let limb = retargeter.target.arm_limb(side);
        let hand = LimbPoint::Hand.index(side);
        let targets: Vec<Target> = places
            .iter()
            .map(|places| Target {
                end: places[hand],
                foot: DVec3::ZERO,
                is_planted: false,
            })
            .collect();
        let shifts = frames.shifts.clone();
        let arms = core::mem::take(&mut frames.arms[side]);
        solve_limb(frames, &limb, &arms, &targets, &shifts);
        frames.arms[side] = arms;
    }
}

/// Rotates the joints of a limb so that its end is on its targets, and returns by how much each is missed.
fn solve_limb(
    frames: &mut Frames,
    limb: &Limb,
    limbs: &[LimbFrame],
    targets: &[Target],
    shifts: &[DVec3],
) -> Vec<f64> {
    let mut bend = DVec3::ZERO;
    for frame in limbs {
        bend += frame.bend();
    }
    let mut misses = alloc::vec![0.0; limbs.len()];
    let toes = limb.ball.map(|ball| ball.joint);
    let toes = toes.filter(|joint| *joint != limb.end);
    let joints = [Some(limb.upper), Some(limb.middle), Some(limb.end), toes];
    let mut solved: [Vec<(usize, DQuat)>; 4] = Default::default();
    for (index, (frame, shift)) in limbs.iter().zip(shifts).enumerate() {
        let target = targets.get(index);
        let (end, foot) = target.map_or((frame.end, DVec3::ZERO), |t| (t.end, t.foot));
        let is_small = |correction: DVec3| correction.length() <= 1e-9;
        if is_small(end - frame.end) && is_small(foot) && is_small(*shift) {
            continue;
        }
        let solution = frame.chain(bend).solve(end - *shift, &RIGID);
        if target.is_some_and(|target| target.is_planted) {
            misses[index] = solution.miss;
        }
        let rotations = frame.local_rotations(solution.upper, solution.lower, quat_exp(foot));
        for (solved, rotation) in solved.iter_mut().zip(rotations) {
            solved.push((index, rotation));
        }
    }
    for (joint, solved) in joints.into_iter().zip(solved) {
        let Some(rotations) = joint.and_then(|joint| frames.rotations_of(joint.index())) else {
            continue;
        };
        for (index, rotation) in solved {
            if let Some(known) = rotations.get_mut(index) {
                *known = dquat_to_quat(rotation).nearest_to(*known);
            }
        }
    }
    misses
}
