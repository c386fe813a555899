//! Planted feet at the scaled places of the source's, and hands on request, by two-bone inverse kinematics.
//!
//! The place of a plant is the median of the source's scaled path over it (`resting`), so that a planted foot does not move at
//! all, whatever its proportions. The hips shift so that knees stay as bent as they are (`stance`) and all feet are in reach, by at
//! most 5 % of the leg length. A foot that is still out of reach by up to 2 % is pulled in; if it is by more, the place of the
//! whole plant moves to where the leg reaches, because a foot that is pulled by a different distance in every frame slides. Bones
//! are never stretched and knees keep their plane. Corrections fade before and after a plant, in a loop across its seam
//! (`placement`).
//!
//! A leg whose foot is within [`SAME_PLACE`] of its scaled places anyway is left as it is: it reproduces the source, whose own
//! slides are not for retargeting to remove ([`clean_feet`](crate::footskate::clean_feet) does that). Linear in the number of
//! frames but for the smoothing of the hips (`footskate::body_shift`).

use super::error::RetargetWarning;
use super::motion::Frames;
use super::placement::ExtendedFrames;
use super::points::{LimbPoint, POINT_COUNT};
use super::resting::RestingPlant;
use super::retargeter::Retargeter;
use super::settings::RetargetSettings;
use super::stance::stance_shifts;
use crate::footskate::{
    ContactPoints, LimbTargets, PlantedFrames, Target, TargetSettings, body_shifts, find_targets,
};
use alloc::borrow::Cow;
use alloc::vec::Vec;
use glam::{DQuat, DVec3};
use sinew::anatomy::{Limb, LimbEnd};
use sinew::animation::ChannelValue;
use sinew::ik::TwoBoneSettings;
use sinew::internal::{LimbFrame, quat_exp, unit};
use sinew::math::{dquat_rotate, dquat_to_quat};

/// The largest shift of the hips, as a share of the leg length.
const MAX_SHIFT: f64 = 0.05;

/// The largest distance by which a foot may stay short of its place, as a share of the leg length; the place of a plant that is
/// farther out of reach moves.
const MAX_PULL_IN: f64 = 0.02;

/// The distance by which a heel may slide while the foot turns about its planted ball, in metres: below the limit of 5 mm.
const MAX_ROLL: f64 = 0.002;

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
    plants: &[RestingPlant],
    places: &[[DVec3; POINT_COUNT]],
    settings: &RetargetSettings,
) -> Option<RetargetWarning> {
    let mut legs =
        [0, 1].map(|side: usize| PlantedLeg::new(retargeter, frames, plants, places, side));
    let length = retargeter.target.leg_length();
    if legs.iter().all(|leg| leg.error <= SAME_PLACE * length) {
        return None;
    }
    let settings = TargetSettings {
        rate: frames.rate,
        fade: settings.fade.into(),
        is_level: false,
        is_hand: false,
        rolls: Some(MAX_ROLL),
    };
    let extended = frames.extended();
    let mut solved = Stance::solve(&legs, &extended, &settings, length);
    let warning = out_of_reach(&legs, &solved, &extended, length);
    if warning.is_some() {
        for (leg, targets) in legs.iter_mut().zip(&solved.targets) {
            leg.give_way(targets, &solved.shifts, &extended, MAX_PULL_IN * length);
        }
        solved = Stance::solve(&legs, &extended, &settings, length);
    }
    solved.close_loop(&legs, &extended);
    let shifts = extended.cut(&solved.shifts);
    let targets = solved.targets.map(|targets| extended.cut(&targets));
    drop(legs);
    for (side, targets) in targets.iter().enumerate() {
        let limb = retargeter.target.leg_limb(side);
        let legs = core::mem::take(&mut frames.legs[side]);
        solve_limb(frames, &limb, &legs, targets, &shifts);
        frames.legs[side] = legs;
    }
    for (frame, shift) in shifts.iter().enumerate() {
        let back = frames.placements.get(frame);
        let back = back.map_or(DQuat::IDENTITY, |placement| placement.rotation.conjugate());
        frames.hips[frame] += dquat_rotate(back, *shift);
    }
    frames.shifts = shifts;
    warning
}

/// A leg with its plants, over the extended frames.
struct PlantedLeg<'a> {
    frames: Cow<'a, [LimbFrame]>,
    /// Where the ankle and the ball should be.
    points: Vec<ContactPoints>,
    plants: Vec<PlacedPlant>,
    /// The largest distance of a planted foot from its scaled path by forward kinematics alone.
    error: f64,
}

/// A plant and its place.
struct PlacedPlant {
    is_ball: bool,
    start: usize,
    end: usize,
    /// Only its x and z are held. The height is the source's, scaled: feet rise by millimetres as they roll.
    place: DVec3,
    /// Added to the height.
    lift: f64,
}

impl<'a> PlantedLeg<'a> {
    fn new(
        retargeter: &Retargeter,
        frames: &'a Frames,
        plants: &[RestingPlant],
        places: &[[DVec3; POINT_COUNT]],
        side: usize,
    ) -> Self {
        let extended = frames.extended();
        let legs = extended.limbs(&frames.legs[side]);
        let has_ball = retargeter.source.ball(side).is_some();
        let points: Vec<ContactPoints> = legs
            .iter()
            .enumerate()
            .map(|(index, leg)| {
                let places = extended.points(places, index);
                let end = places[LimbPoint::Foot.index(side)];
                // If only the target has a ball, it is where the foot's rotation takes it.
                let ball = if has_ball {
                    places[LimbPoint::Ball.index(side)]
                } else {
                    end + leg.ball - leg.end
                };
                ContactPoints { end, ball }
            })
            .collect();
        let has_ball = retargeter.target.ball(side).is_some();
        let mut placed = Vec::new();
        let mut error = 0.0_f64;
        for plant in plants.iter().filter(|plant| plant.side == side) {
            let is_ball = plant.end == LimbEnd::Ball;
            if is_ball && !has_ball {
                continue;
            }
            let (start, end) = (*plant.frames.start(), *plant.frames.end());
            let range = extended.range(start, end, 0);
            for (leg, point) in legs[range.clone()].iter().zip(&points[range.clone()]) {
                let ankle = (leg.end - point.end).length();
                error = error.max(ankle).max((leg.ball - point.ball).length());
            }
            placed.extend(median(&points[range], is_ball).map(|place| PlacedPlant {
                is_ball,
                start,
                end,
                place,
                lift: 0.0,
            }));
        }
        Self {
            frames: legs,
            points,
            plants: placed,
            error,
        }
    }

    /// Holds the foot at the places of its plants, in all cycles, and returns the frames in which it is planted.
    fn hold(&self, extended: &ExtendedFrames) -> (Vec<ContactPoints>, PlantedFrames) {
        let mut points = self.points.clone();
        let mut planted = PlantedFrames::default();
        let cycles = if extended.is_loop() { -1..=1 } else { 0..=0 };
        for plant in &self.plants {
            for cycle in cycles.clone() {
                let range = extended.range(plant.start, plant.end, cycle);
                if range.is_empty() {
                    continue;
                }
                let placement = extended.placement(cycle);
                let place = placement.map_or(plant.place, |moved| moved.point(plant.place));
                let frames = range.start..=range.end - 1;
                for point in &mut points[range] {
                    let point = if plant.is_ball {
                        &mut point.ball
                    } else {
                        &mut point.end
                    };
                    *point = DVec3::new(place.x, point.y + plant.lift, place.z);
                }
                let known = if plant.is_ball {
                    &mut planted.ball
                } else {
                    &mut planted.end
                };
                known.push(frames);
            }
        }
        (points, planted)
    }

    /// Moves the place of each plant that is out of reach by more than `pull_in` metres to where the leg reaches.
    fn give_way(
        &mut self,
        targets: &[Target],
        shifts: &[DVec3],
        extended: &ExtendedFrames,
        pull_in: f64,
    ) {
        for plant in &mut self.plants {
            let mut largest = 0.0;
            let mut back = DVec3::ZERO;
            for index in extended.range(plant.start, plant.end, 0) {
                let (Some(target), Some(shift)) = (targets.get(index), shifts.get(index)) else {
                    continue;
                };
                let to_target = target.end - self.frames[index].upper - *shift;
                let excess = to_target.length() - self.frames[index].length() - pull_in;
                if let Some(direction) = unit(to_target).filter(|_| excess > largest) {
                    largest = excess;
                    back = direction * excess;
                }
            }
            plant.place -= back;
            plant.lift -= back.y;
        }
    }
}

/// The median of planted balls or ankles, coordinate by coordinate.
fn median(points: &[ContactPoints], is_ball: bool) -> Option<DVec3> {
    let mut values: Vec<f64> = Vec::with_capacity(points.len());
    let mut along = |axis: usize| {
        values.clear();
        let planted = points
            .iter()
            .map(|point| if is_ball { point.ball } else { point.end });
        values.extend(planted.map(|point| point[axis]));
        let middle = values.len() / 2;
        values.get_mut(middle)?;
        Some(*values.select_nth_unstable_by(middle, f64::total_cmp).1)
    };
    Some(DVec3::new(along(0)?, along(1)?, along(2)?))
}

/// Where feet go, and the hips for them, over the extended frames.
struct Stance {
    targets: [Vec<Target>; 2],
    shifts: Vec<DVec3>,
}

impl Stance {
    fn solve(
        legs: &[PlantedLeg<'_>; 2],
        extended: &ExtendedFrames,
        settings: &TargetSettings,
        length: f64,
    ) -> Self {
        let targets = [0, 1].map(|side: usize| {
            let (points, planted) = legs[side].hold(extended);
            find_targets(&legs[side].frames, &points, &planted, settings)
        });
        let reaching = [0, 1].map(|side: usize| LimbTargets {
            frames: &legs[side].frames,
            targets: &targets[side],
        });
        let rate = settings.rate;
        let shifts = stance_shifts(&reaching, extended.len(), rate, STANCE_SMOOTHING);
        let mut shifts = body_shifts(&reaching, shifts, rate, SMOOTHING);
        for shift in &mut shifts {
            let excess = shift.length() / (MAX_SHIFT * length);
            if excess > 1.0 {
                *shift *= 1.0 / excess;
            }
        }
        Self { targets, shifts }
    }

    /// Corrects the last frame of a loop exactly as its first.
    fn close_loop(&mut self, legs: &[PlantedLeg<'_>; 2], extended: &ExtendedFrames) {
        let Some(cycle) = extended.placement(1) else {
            return;
        };
        let range = extended.range(0, extended.last(), 0);
        let (first, last) = (range.start, range.end - 1);
        self.shifts[last] = dquat_rotate(cycle.rotation, self.shifts[first]);
        for (leg, targets) in legs.iter().zip(&mut self.targets) {
            if targets.is_empty() {
                continue;
            }
            let start = targets[first];
            let correction = start.end - leg.frames[first].end;
            targets[last] = Target {
                end: leg.frames[last].end + dquat_rotate(cycle.rotation, correction),
                foot: dquat_rotate(cycle.rotation, start.foot),
                is_planted: start.is_planted,
            };
        }
    }
}

/// A warning if planted feet are out of reach by more than legs are pulled.
fn out_of_reach(
    legs: &[PlantedLeg<'_>; 2],
    solved: &Stance,
    extended: &ExtendedFrames,
    length: f64,
) -> Option<RetargetWarning> {
    let mut count = 0;
    let mut largest = 0.0_f64;
    for index in extended.range(0, extended.last(), 0) {
        let mut frame_miss = 0.0_f64;
        for (leg, targets) in legs.iter().zip(&solved.targets) {
            if let Some(target) = targets.get(index).filter(|target| target.is_planted) {
                let to_target = target.end - leg.frames[index].upper - solved.shifts[index];
                frame_miss = frame_miss.max(to_target.length() - leg.frames[index].length());
            }
        }
        count += usize::from(frame_miss > MAX_PULL_IN * length);
        largest = largest.max(frame_miss);
    }
    (count > 0).then_some(RetargetWarning::OutOfReach {
        frames: count,
        miss: (largest / length) as f32,
    })
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

/// Rotates the joints of a limb so that its end is on its targets, or as near as it reaches.
fn solve_limb(
    frames: &mut Frames,
    limb: &Limb,
    limbs: &[LimbFrame],
    targets: &[Target],
    shifts: &[DVec3],
) {
    let mut bend = DVec3::ZERO;
    for frame in limbs {
        bend += frame.bend();
    }
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
}
