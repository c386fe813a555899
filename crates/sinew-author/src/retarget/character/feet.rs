//! Where ankles go, and how feet turn: planted feet stay in their place and roll on their sole.
//!
//! A foot is a segment from heel to toe at a fixed place below the ankle. Turned by `d` from the setup pose, the end that is
//! lower touches the ground; with the offset `p` of that end from the ankle and the place `x` of the level foot, the ankle of a
//! planted foot is at
//!
//! ```text
//! (x + p.x - (R(d) p).x, ground - (R(d) p).y)
//! ```
//!
//! so that heel strike, level foot and toe-off are one continuous roll without sliding. `x` is the mean that moves the ankle of the
//! projected leg least. The difference to the projected leg is faded out around plants. A foot in the air is lifted where its sole
//! would be below the ground: drawn feet are larger than real ones.
//!
//! Drawn feet are also longer in proportion, and the same turn would lift the ankle much higher. Turns are scaled by the square
//! root of the ratio of lengths, half way between the same turn and the same height.

use super::angles::Angles;
use super::body::{Limb, Sole};
use super::rig::rotated;
use super::source::{SIDES, Source};
use super::view::Plane;
use crate::footskate::fade::fade_around;
use crate::retarget::{BodyPart, Role};
use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;
use glam::{DVec2, DVec3};

/// Seconds over which the correction of a planted foot is faded out: most of a swing.
const FADE: f64 = 0.3;

/// Smaller turns of a foot are none: a level sole on the ground, in radians.
const LEVEL: f64 = 3.0 * core::f64::consts::PI / 180.0;

/// The range of the factor of turns.
const TURN_FACTORS: [f64; 2] = [0.35, 1.0];

/// The share of the lowest frames by which the height of a standing ankle is found in a motion without plants.
const LOW_SHARE: f64 = 0.02;

/// The goal of a foot at every sampled frame.
#[derive(Clone, Debug)]
pub(super) struct FootGoal {
    /// The position of the ankle, in world pixels.
    pub(super) ankle: Vec<DVec2>,
    /// The rotation of the foot from the setup pose, in radians.
    pub(super) turn: Vec<f64>,
    /// The plants, in frames.
    pub(super) stances: Vec<Range<usize>>,
    /// The point of the foot that touches the ground, relative to the ankle of the setup pose.
    pub(super) contact: Vec<DVec2>,
}

impl FootGoal {
    pub(super) fn is_planted(&self, frame: usize) -> bool {
        self.stances.iter().any(|stance| stance.contains(&frame))
    }
}

/// Returns the height of the ankle of a standing foot above the source's zero, in metres: the median over plants of its heel; of a
/// motion without plants a low height.
pub(super) fn standing_ankle(source: &Source, side: usize) -> Option<f64> {
    let foot = source.point(Role {
        part: BodyPart::Foot,
        side: SIDES[side],
    })?;
    let planted = source.heel_plants[side].iter().cloned().flatten();
    let mut heights: Vec<f64> = planted.map(|frame| foot.frames[frame].y).collect();
    let share = if heights.is_empty() {
        heights = foot.frames.iter().map(|point| point.y).collect();
        LOW_SHARE
    } else {
        0.5
    };
    heights.sort_by(f64::total_cmp);
    heights
        .get((heights.len() as f64 * share) as usize)
        .copied()
}

/// Computes the goal of a foot. `projected` is where the ankle is if the leg has the angles of the source, `scale` is pixels per
/// metre.
pub(super) fn foot_goal(
    source: &Source,
    plane: &Plane,
    limb: &Limb,
    projected: &[DVec2],
    scale: f64,
) -> FootGoal {
    let stances = source.stances[limb.side].clone();
    let turn = turns(source, plane, limb, scale);
    let (path, contact) = match &limb.sole {
        Some(sole) => rolling(limb, sole, projected, &turn, &stances),
        None => standing(source, plane, limb, projected, &stances, scale),
    };
    let mut corrections = vec![DVec3::ZERO; projected.len()];
    for frame in stances.iter().cloned().flatten() {
        corrections[frame] = (path[frame] - projected[frame]).extend(0.0);
    }
    let known: Vec<_> = stances
        .iter()
        .map(|span| span.start..=span.end - 1)
        .collect();
    fade_around(&mut corrections, &known, source.rate, FADE);
    let ground = limb.ground();
    let moved = projected.iter().zip(&corrections);
    let mut ankle: Vec<DVec2> = moved.map(|(place, by)| *place + by.truncate()).collect();
    for (frame, place) in ankle.iter_mut().enumerate() {
        place.y = place.y.max(ground - rotated(contact[frame], turn[frame]).y);
    }
    FootGoal {
        ankle,
        turn,
        stances,
        contact,
    }
}

/// Returns the rotation of the drawn foot from the setup pose.
fn turns(source: &Source, plane: &Plane, limb: &Limb, scale: f64) -> Vec<f64> {
    let role = |part| Role {
        part,
        side: SIDES[limb.side],
    };
    let tracks = (
        source.point(role(BodyPart::Foot)),
        source.point(role(BodyPart::Toes)),
    );
    let still = vec![0.0; source.len()];
    let (Some(ankle), Some(toes), Some(_)) = (tracks.0, tracks.1, limb.foot) else {
        return still;
    };
    let bones: Vec<DVec3> = toes
        .frames
        .iter()
        .zip(&ankle.frames)
        .map(|(toe, ankle)| *toe - *ankle)
        .collect();
    let projected: Vec<DVec2> = (0..source.len())
        .map(|frame| plane.project(frame, bones[frame]))
        .collect();
    let lengths: Vec<f64> = bones.iter().map(|bone| bone.length()).collect();
    let angles = Angles::new(&projected, &lengths, 0.0);
    if angles
        .unreliable
        .iter()
        .any(|span| span.len() == source.len())
    {
        return still;
    }
    let level = level_angle(source, plane, limb.side, &angles, (ankle.rest, toes.rest));
    let rest_length = (toes.rest - ankle.rest).length() * scale;
    let drawn = limb.sole.map_or(0.0, |sole| sole.toe.x.abs());
    let factor = if drawn > 0.0 {
        libm::sqrt(rest_length / drawn).clamp(TURN_FACTORS[0], TURN_FACTORS[1])
    } else {
        1.0
    };
    let turns = angles.radians.iter().map(|angle| {
        let turn = super::angles::difference(level, *angle);
        (turn - turn.clamp(-LEVEL, LEVEL)) * factor
    });
    turns.collect()
}

/// Returns the angle of a foot that stands level: the median over frames in which heel and ball are planted; without any that of the
/// rest pose.
fn level_angle(
    source: &Source,
    plane: &Plane,
    side: usize,
    angles: &Angles,
    rest: (DVec3, DVec3),
) -> f64 {
    let level = source.heel_plants[side].iter().cloned().flatten();
    let mut level: Vec<f64> = level.map(|frame| angles.radians[frame]).collect();
    if level.is_empty() {
        let bone = rest.1 - rest.0;
        let first = source.shown.start;
        // The rest pose may look in another direction than the motion: only its pitch counts.
        let along = libm::hypot(bone.x, bone.z);
        let forward = plane
            .project(first, source.lateral[first].cross(DVec3::Y))
            .x;
        return libm::atan2(bone.y, if forward < 0.0 { -along } else { along });
    }
    level.sort_by(f64::total_cmp);
    level[level.len() / 2]
}

/// Returns the path of the ankle of a foot that rolls on its sole, in plants, and the point that touches the ground.
fn rolling(
    limb: &Limb,
    sole: &Sole,
    projected: &[DVec2],
    turn: &[f64],
    stances: &[Range<usize>],
) -> (Vec<DVec2>, Vec<DVec2>) {
    let ends = turn.iter().map(|&turn| {
        let ends = [sole.heel, sole.toe].map(|end| (end, rotated(end, turn)));
        // The level foot rests on both; either gives the same place.
        if ends[0].1.y <= ends[1].1.y {
            ends[0]
        } else {
            ends[1]
        }
    });
    let ends: Vec<(DVec2, DVec2)> = ends.collect();
    let ground = limb.ground();
    let mut path = projected.to_vec();
    for stance in stances {
        let offset = |frame: usize| ends[frame].0.x - ends[frame].1.x;
        let places = stance
            .clone()
            .map(|frame| projected[frame].x - offset(frame));
        let place = super::body::mean(places).unwrap_or(0.0);
        for frame in stance.clone() {
            path[frame] = DVec2::new(place + offset(frame), ground - ends[frame].1.y);
        }
    }
    (path, ends.into_iter().map(|(end, _)| end).collect())
}

/// Returns the path of the end of a leg without a foot: still while the heel is planted, and as the source's ankle while only the
/// ball is.
fn standing(
    source: &Source,
    plane: &Plane,
    limb: &Limb,
    projected: &[DVec2],
    stances: &[Range<usize>],
    scale: f64,
) -> (Vec<DVec2>, Vec<DVec2>) {
    let contact = vec![DVec2::ZERO; projected.len()];
    let mut path = projected.to_vec();
    let ankle = source.point(Role {
        part: BodyPart::Foot,
        side: SIDES[limb.side],
    });
    let (Some(ankle), Some(height)) = (ankle, standing_ankle(source, limb.side)) else {
        return (path, contact);
    };
    let along = plane.path(&ankle.frames, source.shown.start);
    let heels = &source.heel_plants[limb.side];
    for stance in stances {
        // The frame of the heel's plant that is nearest in time.
        let within = heels
            .iter()
            .filter(|heel| heel.start < stance.end && stance.start < heel.end);
        let level: Option<Range<usize>> = within
            .cloned()
            .reduce(|a, b| a.start.min(b.start)..a.end.max(b.end));
        let offset = |frame: usize| match &level {
            Some(level) => {
                let nearest = frame.clamp(level.start, level.end - 1);
                let rise = ankle.frames[frame].y - ankle.frames[nearest].y;
                DVec2::new(along[frame] - along[nearest], rise) * scale
            }
            None => {
                let rise = ankle.frames[frame].y - height;
                DVec2::new(along[frame] - along[stance.start], rise) * scale
            }
        };
        let places = stance
            .clone()
            .map(|frame| projected[frame].x - offset(frame).x);
        let place = super::body::mean(places).unwrap_or(0.0);
        for frame in stance.clone() {
            path[frame] = DVec2::new(place, limb.ankle_height) + offset(frame);
        }
    }
    (path, contact)
}
