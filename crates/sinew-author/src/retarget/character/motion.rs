//! What the parts of the character do at every sampled frame, before keys are reduced.

use super::CharacterError;
use super::angles::{Angles, difference};
use super::body::{Body, Limb, mean};
use super::feet::{FootGoal, foot_goal, standing_ankle};
use super::leg::bend_signs;
use super::rig::rotated;
use super::source::{PointTrack, SIDES, Source};
use super::view::Plane;
use crate::retarget::{BodyPart, Role};
use alloc::vec;
use alloc::vec::Vec;
use core::f64::consts::FRAC_PI_2;
use glam::{DVec2, DVec3};
use sinew::skelform::Element;

/// The smallest factor of a foreshortened bone.
const MIN_FORESHORTENED: f64 = 0.35;

/// The share of a leg's length that it may be straightened to while its foot is planted.
const REACH: f64 = 0.998;

/// The largest amount by which hips are lowered for planted feet, as a share of the legs' length.
const MAX_LOWERING: f64 = 0.1;

/// Seconds before and after a frame over which the lowering of the hips is smoothed.
const LOWERING_SECONDS: f64 = 0.12;

/// A limb over time.
#[derive(Clone, Debug)]
pub(super) struct LimbMotion {
    /// The world directions of its bones, as projected.
    pub(super) angles: Vec<Angles>,
    /// The lengths of its bones in pixels; they change only if limbs are foreshortened.
    pub(super) lengths: Vec<Vec<f64>>,
    /// The sign of the bend between the two bones.
    pub(super) bends: Vec<f64>,
    /// Legs only.
    pub(super) foot: Option<FootGoal>,
}

/// The character over time.
#[derive(Clone, Debug)]
pub(super) struct Motion {
    /// Pixels per metre.
    pub(super) scale: f64,
    /// How far the character has travelled along the plane, in pixels; 0 at the first frame that is shown.
    pub(super) travel: Vec<f64>,
    /// The world position of the hips, travel included.
    pub(super) hips: Vec<DVec2>,
    /// World rotations of trunk and head, from the setup pose.
    pub(super) hips_turn: Vec<f64>,
    /// One per bone of [`Body::trunk`].
    pub(super) trunk_turns: Vec<Vec<f64>>,
    pub(super) head_turn: Option<Vec<f64>>,
    /// One per limb of the body; `None` if the source does not have it.
    pub(super) limbs: Vec<Option<LimbMotion>>,
    /// The largest lowering of the hips.
    pub(super) lowered: f64,
}

impl Motion {
    /// Projects the source onto the plane.
    pub(super) fn new(
        source: &Source,
        plane: &Plane,
        body: &Body,
        foreshorten: bool,
    ) -> Result<Self, CharacterError> {
        let mut limbs: Vec<Option<LimbMotion>> = body
            .limbs
            .iter()
            .map(|limb| limb_motion(source, plane, limb, foreshorten))
            .collect();
        if limbs.iter().all(Option::is_none) {
            return Err(CharacterError::NoCommonLimb);
        }
        let scale = scale(source, body)?;
        let hips_turn = if body.has_pelvis {
            turn_of(source, plane, &source.hips_up)
        } else {
            trunk_turn(source, plane, 0.0, 1.0)
        };
        let shares = body.trunk.len() as f64;
        let trunk_turns = (0..body.trunk.len()).map(|index| {
            let from = index as f64 / shares;
            trunk_turn(source, plane, from, (index + 1) as f64 / shares)
        });
        let trunk_turns = trunk_turns.collect();
        let head_turn = source.head_up.as_ref().map(|up| turn_of(source, plane, up));

        let travel = travel(source, plane, scale);
        let mut hips = hips_path(source, plane, body, scale, &hips_turn);
        let mut lowering = vec![0.0_f64; source.len()];
        for (limb, motion) in body.limbs.iter().zip(&mut limbs) {
            let (true, Some(motion)) = (limb.is_leg, motion) else {
                continue;
            };
            let starts = joint_path(body, limb, &hips, &hips_turn);
            let projected: Vec<DVec2> = (0..source.len())
                .map(|frame| starts[frame] + motion.reach(frame))
                .collect();
            let goal = foot_goal(source, plane, limb, &projected, scale);
            for frame in (0..source.len()).filter(|&frame| goal.is_planted(frame)) {
                let reach: f64 = motion.lengths.iter().map(|lengths| lengths[frame]).sum();
                let line = goal.ankle[frame] - starts[frame];
                let down = reach * REACH;
                let down = libm::sqrt((down * down - line.x * line.x).max(0.0));
                lowering[frame] = lowering[frame].max(-line.y - down);
            }
            motion.foot = Some(goal);
        }
        let most = body.limb_length(true).unwrap_or(0.0) * MAX_LOWERING;
        let lowering = smooth_maximum(&lowering, (LOWERING_SECONDS * source.rate) as usize);
        let mut lowered = 0.0_f64;
        for (place, lower) in hips.iter_mut().zip(&lowering) {
            let lower = lower.clamp(0.0, most);
            lowered = lowered.max(lower);
            place.y -= lower;
        }
        Ok(Self {
            scale,
            travel,
            hips,
            hips_turn,
            trunk_turns,
            head_turn,
            limbs,
            lowered,
        })
    }
}

impl LimbMotion {
    /// Returns the vector from the first joint of the limb to its end, with the projected angles.
    pub(super) fn reach(&self, frame: usize) -> DVec2 {
        let bones = self.angles.iter().zip(&self.lengths);
        let vectors = bones
            .map(|(angles, lengths)| rotated(DVec2::X, angles.radians[frame]) * lengths[frame]);
        vectors.sum()
    }
}

fn limb_motion(
    source: &Source,
    plane: &Plane,
    limb: &Limb,
    foreshorten: bool,
) -> Option<LimbMotion> {
    let mut angles = Vec::new();
    let mut lengths = Vec::new();
    for bone in &limb.bones {
        let (from, to) = (source.point(bone.role)?, source.point(bone.to)?);
        let bones: Vec<DVec3> = to
            .frames
            .iter()
            .zip(&from.frames)
            .map(|(to, from)| *to - *from)
            .collect();
        let projected: Vec<DVec2> = (0..source.len())
            .map(|frame| plane.project(frame, bones[frame]))
            .collect();
        let true_lengths: Vec<f64> = bones.iter().map(|bone| bone.length()).collect();
        // Hanging down: what a limb does that is never seen from the side.
        let found = Angles::new(&projected, &true_lengths, -FRAC_PI_2);
        let factor = |ratio: &f64| {
            if foreshorten {
                ratio.clamp(MIN_FORESHORTENED, 1.0)
            } else {
                1.0
            }
        };
        lengths.push(
            found
                .ratios
                .iter()
                .map(|ratio| factor(ratio) * bone.length)
                .collect(),
        );
        angles.push(found);
    }
    let bends = match &angles[..] {
        [first, second] => {
            let turns = first.radians.iter().zip(&second.radians);
            let bends: Vec<f64> = turns.map(|(a, b)| libm::sin(b - a)).collect();
            let plants = if limb.is_leg {
                source.stances[limb.side].as_slice()
            } else {
                &[]
            };
            bend_signs(&bends, plants)
        }
        _ => vec![1.0; source.len()],
    };
    let bends = match limb.ik.and_then(|ik| ik.bend) {
        Some(allowed) => vec![allowed; source.len()],
        None => bends,
    };
    Some(LimbMotion {
        angles,
        lengths,
        bends,
        foot: None,
    })
}

/// Returns pixels per metre: by the length of the legs, else of the arms.
fn scale(source: &Source, body: &Body) -> Result<f64, CharacterError> {
    for (legs, parts) in [
        (
            true,
            [BodyPart::UpperLeg, BodyPart::LowerLeg, BodyPart::Foot],
        ),
        (
            false,
            [BodyPart::UpperArm, BodyPart::LowerArm, BodyPart::Hand],
        ),
    ] {
        let lengths = SIDES.iter().filter_map(|&side| {
            let point = |part| source.point(Role { part, side });
            let rest = |part| point(part).map(|track: &PointTrack| track.rest);
            let (upper, middle, end) = (rest(parts[0])?, rest(parts[1]), rest(parts[2])?);
            Some(match middle {
                Some(middle) => (middle - upper).length() + (end - middle).length(),
                None => (end - upper).length(),
            })
        });
        if let (Some(length), Some(drawn)) = (mean(lengths), body.limb_length(legs)) {
            if length <= 1e-6 {
                return Err(CharacterError::NoLength("source"));
            }
            let scale = drawn / length;
            if drawn <= 0.0 || !scale.is_finite() {
                return Err(CharacterError::NoLength("character"));
            }
            return Ok(scale);
        }
    }
    Err(CharacterError::NoCommonLimb)
}

/// Returns the rotation in the plane of a direction that is up at rest.
fn turn_of(source: &Source, plane: &Plane, up: &[DVec3]) -> Vec<f64> {
    let projected: Vec<DVec2> = (0..source.len())
        .map(|frame| plane.project(frame, up[frame]))
        .collect();
    let angles = Angles::new(&projected, &vec![1.0; source.len()], FRAC_PI_2);
    let turns = angles.radians.iter().map(|angle| angle - FRAC_PI_2);
    turns.collect()
}

/// Returns the rotation from rest of the part of the trunk between two shares of its length.
fn trunk_turn(source: &Source, plane: &Plane, from: f64, to: f64) -> Vec<f64> {
    if source.trunk.len() < 2 {
        return turn_of(source, plane, &source.hips_up);
    }
    let rest: Vec<DVec3> = source.trunk.iter().map(|track| track.rest).collect();
    let shares = shares(&rest);
    let part = |points: &[DVec3]| along(points, &shares, to) - along(points, &shares, from);
    let rest_part = part(&rest);
    // In the rest pose the trunk may lean, but it looks along its own forward axis.
    let rest_lean = {
        let left = rest_left(source);
        let forward = left.cross(DVec3::Y);
        DVec2::new(forward.dot(rest_part), rest_part.y)
    };
    let mut points = rest.clone();
    let mut projected = Vec::with_capacity(source.len());
    let mut lengths = Vec::with_capacity(source.len());
    for frame in 0..source.len() {
        for (point, track) in points.iter_mut().zip(&source.trunk) {
            *point = track.frames[frame];
        }
        let vector = part(&points);
        projected.push(plane.project(frame, vector));
        lengths.push(vector.length());
    }
    let angles = Angles::new(&projected, &lengths, FRAC_PI_2);
    let turns = angles.radians.iter().enumerate().map(|(frame, &angle)| {
        // How much of the forward axis is seen, and to which side.
        let forward = source.lateral[frame].cross(DVec3::Y);
        let seen = plane.project(frame, forward).x;
        let rest_angle = libm::atan2(rest_lean.y, rest_lean.x * seen);
        difference(rest_angle, angle)
    });
    let mut turns: Vec<f64> = turns.collect();
    super::angles::unwrap(&mut turns, 0.0);
    turns
}

/// Returns the left axis of the rest pose.
fn rest_left(source: &Source) -> DVec3 {
    let rest = |role| source.point(role).map(|track| track.rest);
    let pairs = [BodyPart::UpperLeg, BodyPart::UpperArm].map(|part| {
        let (left, right) = (rest(Role::left(part)), rest(Role::right(part)));
        left.zip(right).map_or(DVec3::ZERO, |(left, right)| {
            DVec3::new(left.x - right.x, 0.0, left.z - right.z).normalize_or_zero()
        })
    });
    (pairs[0] + pairs[1]).normalize_or(DVec3::X)
}

/// Returns how far along a line each of its points is, 0 to 1.
fn shares(points: &[DVec3]) -> Vec<f64> {
    let mut lengths = vec![0.0];
    for pair in points.windows(2) {
        let before = lengths.last().copied().unwrap_or(0.0);
        lengths.push(before + (pair[1] - pair[0]).length());
    }
    let whole = lengths.last().copied().unwrap_or(0.0);
    let last = points.len().saturating_sub(1).max(1) as f64;
    let share = |(index, length): (usize, &f64)| {
        if whole > 0.0 {
            length / whole
        } else {
            index as f64 / last
        }
    };
    lengths.iter().enumerate().map(share).collect()
}

/// Returns the point at a share of a line whose corners are at `shares`.
fn along(points: &[DVec3], shares: &[f64], share: f64) -> DVec3 {
    for (pair, ends) in points.windows(2).zip(shares.windows(2)) {
        if share <= ends[1] && ends[1] > ends[0] {
            let part = ((share - ends[0]) / (ends[1] - ends[0])).clamp(0.0, 1.0);
            return pair[0].lerp(pair[1], part);
        }
    }
    points.last().copied().unwrap_or(DVec3::ZERO)
}

/// Returns the path of the hips along the plane, in pixels. In a loop it is even, so that the character can be moved at that speed
/// while it plays in place.
fn travel(source: &Source, plane: &Plane, scale: f64) -> Vec<f64> {
    let Some(hips) = source.hips() else {
        return vec![0.0; source.len()];
    };
    let first = source.shown.start;
    let path = plane.path(&hips.frames, first);
    if !source.is_loop {
        return path.into_iter().map(|place| place * scale).collect();
    }
    let steps = source.shown.len().max(1);
    let cycle = path.get(first + steps).copied().unwrap_or(0.0);
    let per_frame = cycle * scale / steps as f64;
    let frames = 0..source.len();
    frames
        .map(|frame| (frame as f64 - first as f64) * per_frame)
        .collect()
}

/// Returns the world position of the hips: as high as straight legs of the source are above standing ankles.
fn hips_path(
    source: &Source,
    plane: &Plane,
    body: &Body,
    scale: f64,
    hips_turn: &[f64],
) -> Vec<DVec2> {
    let setup = body.setup[body.hips].position;
    let Some(hips) = source.hips() else {
        return vec![setup; source.len()];
    };
    let along = plane.path(&hips.frames, source.shown.start);
    let legs: Vec<&Limb> = body
        .limbs
        .iter()
        .filter(|limb| limb.is_leg && source.point(limb.bones[0].role).is_some())
        .collect();
    let standing = mean((0..SIDES.len()).filter_map(|side| standing_ankle(source, side)));
    let first = source.shown.start;
    let (Some(standing), false) = (standing, legs.is_empty()) else {
        let start = hips.frames[first].y;
        return (0..source.len())
            .map(|frame| {
                let rise = hips.frames[frame].y - start;
                setup + DVec2::new(along[frame], rise) * scale
            })
            .collect();
    };
    let count = legs.len() as f64;
    let frames = 0..source.len();
    frames
        .map(|frame| {
            let mut height = 0.0;
            for leg in &legs {
                let bone = &leg.bones[0];
                let joint = source
                    .point(bone.role)
                    .map_or(standing, |track| track.frames[frame].y);
                let offset = rotated(body.setup[bone.bone].position - setup, hips_turn[frame]);
                height += leg.ankle_height + (joint - standing) * scale - offset.y;
            }
            DVec2::new(setup.x + along[frame] * scale, height / count)
        })
        .collect()
}

/// Returns where the first joint of a leg is at every frame.
fn joint_path(body: &Body, limb: &Limb, hips: &[DVec2], hips_turn: &[f64]) -> Vec<DVec2> {
    let offset = body.setup[limb.bones[0].bone].position - body.setup[body.hips].position;
    let frames = hips.iter().zip(hips_turn);
    frames
        .map(|(place, &turn)| *place + rotated(offset, turn))
        .collect()
}

/// Returns the largest value around each frame, averaged over the same frames: smooth, and nowhere smaller than the value.
fn smooth_maximum(values: &[f64], reach: usize) -> Vec<f64> {
    let last = values.len().saturating_sub(1);
    let window = |frame: usize| frame.saturating_sub(reach)..=(frame + reach).min(last);
    let largest: Vec<f64> = (0..values.len())
        .map(|frame| values[window(frame)].iter().copied().fold(0.0, f64::max))
        .collect();
    let average = |frame: usize| {
        let window = &largest[window(frame)];
        window.iter().sum::<f64>() / window.len() as f64
    };
    (0..values.len()).map(average).collect()
}

/// Returns the element that stretches a bone along its drawn direction.
pub(super) fn length_element(aim: f64) -> Element {
    if libm::cos(aim).abs() >= libm::sin(aim).abs() {
        Element::ScaleX
    } else {
        Element::ScaleY
    }
}
