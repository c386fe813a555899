//! Measures of a retargeted motion, from its keys, and the limits that it should keep.
//!
//! | measure | definition |
//! |---|---|
//! | slide | length of the path of a planted ball (or ankle) over the ground, plant by plant: while it rests, and of the whole contact |
//! | float | height of the lowest point of a planted foot above that of the source, scaled: both relative to their floors |
//! | direction | angle between bones of the source and the target that correspond, arms and legs, at all frames |
//! | reach | distance of a wrist from the scaled wrist of the source, as a share of the arm's length |
//! | limits | frames in which a knee or elbow is hyperextended by more than 2 degrees or bent sideways by more than 10 |
//! | jerk | mean third difference of 18 points, divided by that of the scaled source |
//!
//! One pass of forward kinematics over the keys of the target.

use super::align::{RestShape, hinge};
use super::body::Body;
use super::error::RetargetWarning;
use super::model_space::ModelSpace;
use super::motion::Frames;
use super::points::{BodyPoints, LimbPoint, POINT_COUNT, lowest};
use super::resting::{RestingPlant, within_motion};
use super::retargeter::Retargeter;
use alloc::vec::Vec;
use core::fmt;
use core::ops::RangeInclusive;
use glam::{DQuat, DVec3};
use sinew::anatomy::LimbEnd;
use sinew::internal::{horizontal, unit};
use sinew::math::{dquat_from_quat, dquat_rotate};

/// Degrees by which a knee or elbow may be hyperextended.
const HYPEREXTENSION: f64 = 2.0;

/// The sine of the angle by which a knee or elbow may be bent sideways: 10 degrees.
const SIDEWAYS: f64 = 0.173_648_177_666_93;

/// Jerk in metres per second cubed that is added to both motions before they are compared: the rounding of positions.
const JERK_NOISE: f64 = 1.0;

/// Bins per degree of the histogram of angles.
const BINS: f64 = 100.0;

/// The quality of a retargeted motion. Lengths are in metres of the target.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct RetargetReport {
    /// The scale of travel and places.
    pub scale: f32,
    /// The length of the path of the hips over the ground: of the source, unscaled, and of the target.
    pub root_path: [f32; 2],
    /// The number of plants of heels and balls.
    pub plants: usize,
    /// The largest slide of a plant while the foot rests, and the mean of all.
    pub slide: [f32; 2],
    /// The same of the source, scaled.
    pub source_slide: [f32; 2],
    /// The same over whole contacts, from the landing of a foot to its lift. Feet are held while the source's rest, and move
    /// as the source's do before and after.
    pub contact_slide: [f32; 2],
    /// The same of the source, scaled.
    pub source_contact_slide: [f32; 2],
    /// The largest height of a planted foot above its place.
    pub float: f32,
    /// The largest depth of a planted foot below its place.
    pub sink: f32,
    /// The 95th percentile of the angle between corresponding bones, in degrees.
    pub direction: f32,
    /// The same of upper arms, lower arms, upper legs, lower legs and feet.
    pub bone_directions: [f32; 5],
    /// The largest angle between corresponding bones, in degrees.
    pub max_direction: f32,
    /// The largest distance of a wrist from the scaled source's, as a share of the arm's length, and the mean.
    pub reach: [f32; 2],
    /// Frames in which a knee or elbow exceeds its limits.
    pub limit_frames: usize,
    /// The same of the source.
    pub source_limit_frames: usize,
    /// The mean jerk of the target divided by that of the scaled source.
    pub jerk: f32,
    /// The number of frames.
    pub frames: usize,
    /// What the result lacks.
    pub warnings: Vec<RetargetWarning>,
}

/// A measure with a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Limit {
    /// The largest slide in metres. It counts if the source slides less, scaled.
    Slide,
    /// The largest height of a planted foot in metres.
    Float,
    /// The 95th percentile of the angle between corresponding bones in degrees.
    Direction,
    /// The ratio of the jerks.
    Jerk,
}

impl Limit {
    /// All limits.
    pub const ALL: [Self; 4] = [Self::Slide, Self::Float, Self::Direction, Self::Jerk];

    /// Returns the largest value that is good.
    pub const fn max(self) -> f32 {
        match self {
            Self::Slide => 0.005,
            Self::Float => 0.01,
            Self::Direction => 5.0,
            Self::Jerk => 1.1,
        }
    }
}

/// A measure that exceeds its limit.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Violation {
    /// The measure.
    pub limit: Limit,
    /// Its value.
    pub value: f32,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (value, max) = (self.value, self.limit.max());
        match self.limit {
            Limit::Slide => write!(
                f,
                "a planted foot slides {:.2} cm; the limit is {:.1} cm",
                100.0 * value,
                100.0 * max
            ),
            Limit::Float => write!(
                f,
                "a planted foot is {:.2} cm above its place; the limit is {:.1} cm",
                100.0 * value,
                100.0 * max
            ),
            Limit::Direction => write!(
                f,
                "bones point {value:.1} degrees (p95) from those of the source; the limit is {max:.0}"
            ),
            Limit::Jerk => write!(
                f,
                "the motion has {value:.2} times the jerk of the source; the limit is {max:.1}"
            ),
        }
    }
}

impl RetargetReport {
    /// Returns the measures that exceed their limits. A slide counts only if the source's is shorter: feet that slide as the
    /// source's do are the source's fault.
    pub fn violations(&self) -> Vec<Violation> {
        let violates = |limit: Limit| {
            let value = match limit {
                Limit::Slide => self.slide[0],
                Limit::Float => self.float,
                Limit::Direction => self.direction,
                Limit::Jerk => self.jerk,
            };
            let is_inherited =
                limit == Limit::Slide && value <= self.source_slide[0] * 1.001 + 1e-5;
            // A NaN is a violation.
            let is_good = value <= limit.max() || is_inherited;
            (!is_good).then_some(Violation { limit, value })
        };
        Limit::ALL.into_iter().filter_map(violates).collect()
    }
}

/// The bones whose directions are compared.
const BONES: [[LimbPoint; 2]; 5] = [
    [LimbPoint::UpperArm, LimbPoint::LowerArm],
    [LimbPoint::LowerArm, LimbPoint::Hand],
    [LimbPoint::UpperLeg, LimbPoint::LowerLeg],
    [LimbPoint::LowerLeg, LimbPoint::Foot],
    [LimbPoint::Foot, LimbPoint::Ball],
];

/// Measures the target of all frames.
pub(super) fn measure(
    retargeter: &Retargeter,
    frames: &Frames,
    plants: &[RestingPlant],
    places: &[[DVec3; POINT_COUNT]],
    warnings: Vec<RetargetWarning>,
) -> RetargetReport {
    let body = &retargeter.target;
    let points = BodyPoints::new(body);
    let mut playback = Playback::new(retargeter, &points);
    let limits = JointLimits::new(body);
    let mut report = RetargetReport {
        scale: retargeter.scale as f32,
        source_limit_frames: frames.source_limits,
        frames: frames.count,
        warnings,
        ..RetargetReport::default()
    };
    let has_ball =
        [0, 1].map(|side| body.ball(side).is_some() && retargeter.source.ball(side).is_some());
    let mut angles = BONES.map(|_| Histogram::new());
    let mut reach = [0.0_f64; 2];
    let arms = [0, 1].map(|side: usize| body.limb_length(body.sides[side].arm).max(1e-6));
    let mut jerks = [Jerk::default(), Jerk::default()];
    let mut paths = [0.0_f64; 2];
    let mut feet = FootTracks::new(frames, plants, has_ball);
    let mut before: Option<[DVec3; 2]> = None;
    for (frame, places) in places.iter().enumerate() {
        playback.advance(frames, frame);
        let placement = frames.placements.get(frame);
        let own = points.of(&playback.model);
        report.limit_frames += usize::from(limits.is_exceeded(&playback.model, &own));
        let own = own.map(|point| placement.map_or(point, |placement| placement.point(point)));
        for side in [0, 1] {
            for (angles, [from, to]) in angles.iter_mut().zip(BONES) {
                if to == LimbPoint::Ball && !has_ball[side] {
                    continue;
                }
                let (from, to) = (from.index(side), to.index(side));
                angles.add(places[to] - places[from], own[to] - own[from]);
            }
            let hand = LimbPoint::Hand.index(side);
            let error = (own[hand] - places[hand]).length() / arms[side];
            reach = [reach[0].max(error), reach[1] + error];
        }
        for (jerk, points) in jerks.iter_mut().zip([places, &own]) {
            jerk.push(points);
        }
        let hips = [places, &own].map(|points| points[super::points::HIPS]);
        if let Some(known) = before.replace(hips) {
            for ((path, from), to) in paths.iter_mut().zip(known).zip(hips) {
                *path += horizontal(to - from).length();
            }
        }
        feet.push(frame, places, &own);
    }
    report.root_path = [(paths[0] / retargeter.scale) as f32, paths[1] as f32];
    report.plants = feet.rests.len();
    [
        [report.source_slide, report.slide],
        [report.source_contact_slide, report.contact_slide],
    ] = feet.slides();
    report.float = feet.float as f32;
    report.sink = feet.sink as f32;
    report.bone_directions = [0, 1, 2, 3, 4].map(|bone: usize| angles[bone].quantile(0.95) as f32);
    let mut all = Histogram::new();
    for angles in &angles {
        all.merge(angles);
    }
    report.direction = all.quantile(0.95) as f32;
    report.max_direction = all.max as f32;
    let count = (2 * frames.count).max(1) as f64;
    report.reach = [reach[0] as f32, (reach[1] / count) as f32];
    let rate = frames.rate;
    let [source, target] = jerks.map(|jerk| jerk.mean() * rate * rate * rate + JERK_NOISE);
    report.jerk = (target / source) as f32;
    report
}

/// Plays the keys of the target.
struct Playback {
    model: ModelSpace,
    parents: Vec<Option<usize>>,
    /// The joints of measured points and those above them, in order: fingers are not measured.
    measured: Vec<usize>,
    /// Those of them that are driven, with their indices among the driven joints.
    driven: Vec<(usize, usize)>,
    positions: Vec<DVec3>,
    rotations: Vec<DQuat>,
    hips: usize,
}

impl Playback {
    fn new(retargeter: &Retargeter, points: &BodyPoints) -> Self {
        let (positions, rotations) = retargeter.rest_transforms();
        let parents = retargeter.target.parents.clone();
        let mut is_measured = alloc::vec![false; parents.len()];
        for joint in points.joints() {
            let mut above = Some(joint);
            while let Some(joint) = above.filter(|joint| !is_measured[*joint]) {
                is_measured[joint] = true;
                above = parents[joint];
            }
        }
        let driven = retargeter.driven_joints().enumerate();
        Self {
            model: retargeter.target.rest.clone(),
            driven: driven.filter(|(_, joint)| is_measured[*joint]).collect(),
            measured: (0..parents.len())
                .filter(|joint| is_measured[*joint])
                .collect(),
            parents,
            positions,
            rotations,
            hips: retargeter.target.hips,
        }
    }

    fn advance(&mut self, frames: &Frames, frame: usize) {
        for &(index, joint) in &self.driven {
            self.rotations[joint] = dquat_from_quat(frames.rotations[index][frame]);
        }
        for &joint in &self.measured {
            let (position, rotation) = (self.positions[joint], self.rotations[joint]);
            self.model
                .place(joint, self.parents[joint], position, rotation);
            if joint == self.hips {
                self.model.positions[joint] = frames.hips[frame].as_vec3().as_dvec3();
            }
        }
    }
}

/// A planted contact: its frames, its points of source and target, and what was found.
struct PlantSpan {
    first: usize,
    last: usize,
    side: usize,
    point: usize,
    /// The path of the scaled source and of the target.
    paths: [f64; 2],
}

impl PlantSpan {
    fn contains(&self, frame: usize) -> bool {
        (self.first..=self.last).contains(&frame)
    }
}

/// Follows planted feet.
struct FootTracks {
    rests: Vec<PlantSpan>,
    contacts: Vec<PlantSpan>,
    known: Option<[[DVec3; POINT_COUNT]; 2]>,
    float: f64,
    sink: f64,
}

impl FootTracks {
    fn new(frames: &Frames, plants: &[RestingPlant], has_ball: [bool; 2]) -> Self {
        let last = frames.count.saturating_sub(1);
        let (mut rests, mut contacts) = (Vec::new(), Vec::new());
        for plant in plants {
            let side = plant.side;
            let point = match plant.end {
                LimbEnd::Ball if has_ball[side] => LimbPoint::Ball,
                LimbEnd::Heel => LimbPoint::Foot,
                _ => continue,
            };
            let span = |range: RangeInclusive<usize>| PlantSpan {
                first: *range.start(),
                last: *range.end(),
                side,
                point: point.index(side),
                paths: [0.0; 2],
            };
            rests.extend(within_motion(&plant.frames, last).map(span));
            contacts.extend(within_motion(&plant.contact, last).map(span));
        }
        Self {
            rests,
            contacts,
            known: None,
            float: 0.0,
            sink: 0.0,
        }
    }

    fn push(&mut self, frame: usize, source: &[DVec3; POINT_COUNT], target: &[DVec3; POINT_COUNT]) {
        let known = self.known.replace([*source, *target]);
        for span in self.rests.iter().filter(|span| span.contains(frame)) {
            let above = lowest(target, span.side) - lowest(source, span.side);
            self.float = self.float.max(above);
            self.sink = self.sink.max(-above);
        }
        let Some(known) = known else { return };
        for span in self.rests.iter_mut().chain(&mut self.contacts) {
            if span.contains(frame) && frame > span.first {
                for ((path, known), points) in
                    span.paths.iter_mut().zip(known).zip([source, target])
                {
                    *path += horizontal(points[span.point] - known[span.point]).length();
                }
            }
        }
    }

    /// The largest slide and the mean of resting feet, and of whole contacts: of the source and of the target.
    fn slides(&self) -> [[[f32; 2]; 2]; 2] {
        [&self.rests, &self.contacts].map(|spans| {
            [0, 1].map(|figure: usize| {
                let paths = spans.iter().map(|span| span.paths[figure]);
                let largest = paths.clone().fold(0.0, f64::max);
                let mean = paths.sum::<f64>() / spans.len().max(1) as f64;
                [largest as f32, mean as f32]
            })
        })
    }
}

/// Sums third differences of points.
#[derive(Default)]
struct Jerk {
    known: Vec<[DVec3; POINT_COUNT]>,
    sum: f64,
    count: usize,
}

impl Jerk {
    fn push(&mut self, points: &[DVec3; POINT_COUNT]) {
        if let [a, b, c] = &self.known[..] {
            for index in 0..POINT_COUNT {
                let third = points[index] - a[index] + (b[index] - c[index]) * 3.0;
                self.sum += third.length();
            }
            self.count += POINT_COUNT;
            self.known.remove(0);
        }
        self.known.push(*points);
    }

    /// The mean per frame cubed.
    fn mean(&self) -> f64 {
        self.sum / self.count.max(1) as f64
    }
}

/// A histogram of angles from 0 to 180 degrees.
struct Histogram {
    bins: Vec<u32>,
    count: usize,
    max: f64,
}

impl Histogram {
    fn new() -> Self {
        Self {
            bins: alloc::vec![0; (180.0 * BINS) as usize + 2],
            count: 0,
            max: 0.0,
        }
    }

    /// Adds the angle between two bones with a length.
    fn add(&mut self, a: DVec3, b: DVec3) {
        let (Some(a), Some(b)) = (unit(a), unit(b)) else {
            return;
        };
        // Accurate for small angles, where the cosine is 1.
        let angle = 2.0 * libm::asin((0.5 * (a - b).length()).min(1.0));
        let degrees = angle.to_degrees();
        self.max = self.max.max(degrees);
        self.count += 1;
        if let Some(bin) = self.bins.get_mut((degrees * BINS) as usize) {
            *bin += 1;
        }
    }

    /// Adds the angles of another histogram.
    fn merge(&mut self, other: &Self) {
        for (bin, other) in self.bins.iter_mut().zip(&other.bins) {
            *bin += other;
        }
        self.count += other.count;
        self.max = self.max.max(other.max);
    }

    /// The angle below which a share of the angles is, rounded up to a bin.
    fn quantile(&self, share: f64) -> f64 {
        let wanted = libm::ceil(share * self.count as f64) as usize;
        let mut below = 0;
        for (index, bin) in self.bins.iter().enumerate() {
            below += *bin as usize;
            if below >= wanted && wanted > 0 {
                return ((index + 1) as f64 / BINS).min(self.max);
            }
        }
        self.max
    }
}

/// The hinges of knees and elbows.
pub(super) struct JointLimits {
    /// The upper joint, the points of the limb, and the hinge axis in the upper joint's space.
    hinges: Vec<(usize, [usize; 3], DVec3)>,
}

impl JointLimits {
    /// Joints bend about the axis of their rest pose if they are bent there, and otherwise knees backward.
    pub(super) fn new(body: &Body) -> Self {
        let shape = RestShape::of(body);
        let mut hinges = Vec::new();
        for (side, joints) in body.sides.iter().enumerate() {
            let arm = [LimbPoint::UpperArm, LimbPoint::LowerArm, LimbPoint::Hand];
            let leg = [LimbPoint::UpperLeg, LimbPoint::LowerLeg, LimbPoint::Foot];
            let limbs = [
                (joints.arm, arm, None),
                (joints.leg, leg, Some(-shape.forward())),
            ];
            for (joints, points, bends_to) in limbs {
                let position = joints.map(|joint| body.position(joint));
                let bones = [position[1] - position[0], position[2] - position[1]].map(unit);
                // The axis of an elbow that is straight at rest depends on the roll of the arm: elbows are then not checked.
                let axis = hinge(&bones).or_else(|| unit(bones[0]?.cross(bends_to?)));
                if let Some(axis) = axis {
                    let back = body.rest.rotations[joints[0]].conjugate();
                    hinges.push((
                        joints[0],
                        points.map(|point| point.index(side)),
                        dquat_rotate(back, axis),
                    ));
                }
            }
        }
        Self { hinges }
    }

    /// Whether a knee or elbow is beyond its limits.
    pub(super) fn is_exceeded(&self, model: &ModelSpace, points: &[DVec3; POINT_COUNT]) -> bool {
        self.hinges
            .iter()
            .any(|(joint, [upper, middle, end], axis)| {
                let axis = dquat_rotate(model.rotations[*joint], *axis);
                let bones = [
                    points[*middle] - points[*upper],
                    points[*end] - points[*middle],
                ];
                let [Some(above), Some(below)] = bones.map(unit) else {
                    return false;
                };
                let flexion = libm::atan2(above.cross(below).dot(axis), above.dot(below));
                flexion.to_degrees() < -HYPEREXTENSION || below.dot(axis).abs() > SIDEWAYS
            })
    }
}
