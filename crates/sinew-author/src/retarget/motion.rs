//! Retargets a whole animation, frame by frame.
//!
//! 1. Sample the source on its own frames and transfer each pose (`retargeter`).
//! 2. Find the plants of the source's feet, and with them its floor.
//! 3. Keep planted feet, and on request hands, at their scaled places (`feet`).
//! 4. Measure the result (`quality`) and write it as keys.
//!
//! Everything is linear in the number of frames.

use super::body::SIDES;
use super::error::{RetargetError, RetargetWarning};
use super::feet::{reach_hands, settle_feet};
use super::model_space::{ModelSpace, parents};
use super::placement::{ExtendedFrames, Placement};
use super::points::{BodyPoints, HIPS, LimbPoint, POINT_COUNT, lowest};
use super::quality::{JointLimits, RetargetReport, measure};
use super::resting::{RestingPlant, longest_rest};
use super::retargeter::Retargeter;
use super::role::RoleMap;
use super::settings::{RestAlignment, RetargetSettings};
use crate::contacts::{ContactTrack, PlantSettings, TravelInPlace, plants_of_tracks};
use crate::error::NotFiniteError;
use crate::footskate::frames_of;
use crate::measure::dense_rate;
use alloc::vec::Vec;
use glam::{DQuat, DVec3, Quat, Vec3};
use sinew::anatomy::{Contact, Limb, LimbEnd};
use sinew::animation::{
    Animation, Channel, ChannelValue, Interpolation, KeyTimes, LoopMotion, TransformTrack,
};
use sinew::internal::LimbFrame;
use sinew::math::GroundTransform;
use sinew::sample::Sampler;
use sinew::skeleton::{JointIndex, Skeleton};

/// Frames of a motion, at most: 27 minutes at 120 per second. They are held in memory, about 2 kB each.
const MAX_FRAMES: usize = 200_000;

/// Heights of planted balls of feet above y = 0 that count as the thickness of their soles, as shares of the leg length: the
/// floor is then y = 0. Others are those of a floor that is elsewhere.
const SOLE_HEIGHTS: [f64; 2] = [-0.06, 0.2];

/// A retargeted animation.
#[derive(Clone, Debug, PartialEq)]
pub struct Retargeted {
    /// The animation of the target.
    pub animation: Animation,
    /// How good it is.
    pub report: RetargetReport,
}

/// Transfers an animation to another skeleton.
///
/// The result has a key per frame of the source for every joint that is driven, on the source's own frames; a motion with fewer
/// than 24 frames per second is sampled a whole number of times per frame. Name, length, frame rate, triggers, metadata and
/// variant tracks are the source's; the travel of a loop is scaled. Joints without a role stay at rest. Bones keep their
/// length.
///
/// If the body's proportions differ, each planted foot is kept at the median of its scaled places
/// ([`RetargetSettings::feet`]). A foot that is at its scaled places without that, to a ten-thousandth of the leg, keeps the
/// path of the source, and so a motion on its own skeleton is not changed.
///
/// # Errors
/// As [`Retargeter::new`]; if the motion has too many frames, or numbers that are not finite.
pub fn retarget(
    source: &Skeleton,
    animation: &Animation,
    source_roles: &RoleMap,
    target: &Skeleton,
    target_roles: &RoleMap,
    settings: &RetargetSettings,
) -> Result<Retargeted, RetargetError> {
    settings.check()?;
    let timing = Timing::of(animation)?;
    let mut sampler = Sampler::new(source, animation);
    let rest = match settings.rest {
        RestAlignment::Frame(frame) => {
            let frames = animation.frame_count();
            if frame as usize >= frames {
                return Err(RetargetError::RestFrame { frame, frames });
            }
            let mut rest = ModelSpace::new(source.len());
            let pose = sampler.pose_at(animation.frame_time(frame as usize));
            rest.fill(&parents(source), pose);
            rest
        }
        _ => ModelSpace::at_rest(source),
    };
    let retargeter =
        Retargeter::with_source_rest(source, source_roles, rest, target, target_roles, settings)?;

    let mut frames = Frames::transfer(&retargeter, animation, &mut sampler, timing, settings)?;
    let plants = frames.find_plants(&retargeter, animation);
    frames.set_floor(&retargeter, &plants);
    let mut warnings = retargeter.warnings().to_vec();
    warnings.extend(unused_joints(&retargeter, source, animation));
    if frames.floor != 0.0 {
        warnings.push(RetargetWarning::Floor {
            height: frames.floor as f32,
        });
    }
    let places = frames.places(&retargeter);
    if settings.feet {
        if plants.is_empty() {
            warnings.push(RetargetWarning::NoPlants);
        }
        warnings.extend(settle_feet(
            &retargeter,
            &mut frames,
            &plants,
            &places,
            settings,
        ));
    }
    if settings.hands {
        reach_hands(&retargeter, &mut frames, &places);
    }
    let report = measure(&retargeter, &frames, &plants, &places, warnings);
    let animation = frames.write(&retargeter, target, animation);
    Ok(Retargeted { animation, report })
}

/// The frames of a motion.
#[derive(Clone, Copy, Debug)]
struct Timing {
    rate: f64,
    count: usize,
}

impl Timing {
    /// The source's own frames. If its length is between two, the frames are spread evenly over it, so that the last pose is
    /// the last frame.
    fn of(animation: &Animation) -> Result<Self, RetargetError> {
        let length = f64::from(animation.length);
        let rate = dense_rate(animation);
        let steps = length * rate;
        let whole = libm::round(steps);
        let (rate, steps) = if length <= 0.0 {
            (rate, 0.0)
        } else if (steps - whole).abs() < 0.02 {
            (rate, whole)
        } else {
            let steps = libm::ceil(steps);
            (steps / length, steps)
        };
        // False for NaN.
        let is_good = rate.is_finite() && (0.0..MAX_FRAMES as f64).contains(&steps);
        if !is_good {
            return Err(RetargetError::Frames {
                name: animation.name.clone(),
                frames: steps.max(0.0) as usize,
            });
        }
        Ok(Self {
            rate,
            count: steps as usize + 1,
        })
    }
}

/// All frames of a motion, on the target.
pub(super) struct Frames {
    pub(super) rate: f64,
    pub(super) count: usize,
    /// The driven joints of the target, and their rotations relative to their parents.
    pub(super) joints: Vec<usize>,
    pub(super) rotations: Vec<Vec<Quat>>,
    /// The hips of the target in model space.
    pub(super) hips: Vec<DVec3>,
    /// The legs and arms of the target, left and right, in the space of plants: moved by the placement.
    pub(super) legs: [Vec<LimbFrame>; 2],
    pub(super) arms: [Vec<LimbFrame>; 2],
    /// How far the hips have been shifted for the feet, in the space of plants.
    pub(super) shifts: Vec<DVec3>,
    /// The points of the source in model space.
    pub(super) points: Vec<[Vec3; POINT_COUNT]>,
    /// The frames in which a knee or elbow of the source is beyond its limits.
    pub(super) source_limits: usize,
    /// The height of the source's floor.
    pub(super) floor: f64,
    /// The travel of the target, frame by frame; empty unless the motion is a loop in place.
    pub(super) placements: Vec<Placement>,
    /// The same for the source.
    source_placements: Vec<Placement>,
    /// The travel of the target in a cycle, if the motion is a loop.
    cycle: Option<Placement>,
}

impl Frames {
    /// Samples and transfers all frames, as if the source's floor were y = 0.
    fn transfer(
        retargeter: &Retargeter,
        animation: &Animation,
        sampler: &mut Sampler<'_>,
        Timing { rate, count }: Timing,
        settings: &RetargetSettings,
    ) -> Result<Self, RetargetError> {
        let mut scratch = retargeter.scratch();
        let joints: Vec<usize> = retargeter.driven_joints().collect();
        let body = &retargeter.target;
        let limbs = |limb: &dyn Fn(usize) -> Limb| [limb(0), limb(1)];
        let legs = limbs(&|side| body.leg_limb(side));
        let arms = limbs(&|side| body.arm_limb(side));
        let points = BodyPoints::new(&retargeter.source);
        let limits = JointLimits::new(&retargeter.source);
        let mut frames = Self {
            rate,
            count,
            rotations: joints.iter().map(|_| Vec::with_capacity(count)).collect(),
            joints,
            hips: Vec::with_capacity(count),
            legs: [0, 1].map(|_: usize| Vec::with_capacity(count)),
            arms: [0, 1].map(|_: usize| Vec::with_capacity(count)),
            shifts: alloc::vec![DVec3::ZERO; count],
            points: Vec::with_capacity(count),
            source_limits: 0,
            floor: 0.0,
            placements: Vec::new(),
            source_placements: Vec::new(),
            cycle: animation.looping.map(|looping| {
                Placement::new(
                    &looping.per_cycle,
                    retargeter.scale,
                    retargeter.ground_offset,
                )
            }),
        };
        let in_place = animation.looping.filter(|looping| looping.in_place);
        for frame in 0..count {
            let time = ((frame as f64 / rate) as f32).min(animation.length);
            scratch
                .source
                .fill(&retargeter.source.parents, sampler.pose_at(time));
            if !scratch.source.is_finite() {
                return Err(RetargetError::NotFinite(NotFiniteError {
                    name: animation.name.clone(),
                    time,
                }));
            }
            retargeter.transfer(&mut scratch, 0.0);
            let source_points = points.of(&scratch.source);
            frames.source_limits +=
                usize::from(limits.is_exceeded(&scratch.source, &source_points));
            frames
                .points
                .push(source_points.map(|point| point.as_vec3()));
            for (joint, rotations) in frames.joints.iter().zip(&mut frames.rotations) {
                let rotation = retargeter.local_rotation(&scratch.target, *joint);
                let before = rotations.last().copied().unwrap_or(rotation);
                rotations.push(rotation.nearest_to(before));
            }
            frames.hips.push(scratch.target.positions[body.hips]);
            let placement = in_place.map(|looping| {
                let share = f64::from(time) / f64::from(animation.length).max(1e-9);
                let ground = looping.per_cycle.fraction(share);
                frames
                    .source_placements
                    .push(Placement::new(&ground, 1.0, DVec3::ZERO));
                Placement::new(&ground, retargeter.scale, retargeter.ground_offset)
            });
            for (limb, frames) in legs.iter().zip(&mut frames.legs).filter(|_| settings.feet) {
                let limb = limb_frame(body.parents.as_slice(), &scratch.target, limb);
                frames.push(placement.map_or(limb, |placement| placement.limb(&limb)));
            }
            for (limb, frames) in arms.iter().zip(&mut frames.arms).filter(|_| settings.hands) {
                let limb = limb_frame(body.parents.as_slice(), &scratch.target, limb);
                frames.push(placement.map_or(limb, |placement| placement.limb(&limb)));
            }
            frames.placements.extend(placement);
        }
        Ok(frames)
    }

    /// The frames in which the source's feet rest.
    fn find_plants(&self, retargeter: &Retargeter, animation: &Animation) -> Vec<RestingPlant> {
        let body = &retargeter.source;
        let track = |index: usize| -> Vec<Vec3> {
            let points = self.points.iter().enumerate();
            let place = |(frame, points): (usize, &[Vec3; POINT_COUNT])| {
                let time = ((frame as f64 / self.rate) as f32).min(animation.length);
                TravelInPlace::new(animation, time).apply(points[index])
            };
            points.map(place).collect()
        };
        let mut tracks = Vec::new();
        for (side, name) in SIDES.into_iter().enumerate() {
            tracks.push(ContactTrack {
                end: LimbEnd::Heel,
                side: name,
                joint: JointIndex::from(body.sides[side].leg[2]),
                points: track(LimbPoint::Foot.index(side)),
            });
            if let Some(Contact { joint, .. }) = body.ball(side) {
                tracks.push(ContactTrack {
                    end: LimbEnd::Ball,
                    side: name,
                    joint,
                    points: track(LimbPoint::Ball.index(side)),
                });
            }
        }
        let is_loop = animation.looping.is_some();
        let settings = PlantSettings::default();
        let plants = plants_of_tracks(&tracks, &track(HIPS), self.rate, is_loop, &settings);
        let last = self.count.saturating_sub(1);
        let leg_length = body.leg_length() as f32;
        let mut resting = Vec::with_capacity(plants.len());
        let mut contact: Vec<Vec3> = Vec::new();
        for plant in plants {
            let track = tracks
                .iter()
                .find(|track| track.end == plant.end && track.joint == plant.joint);
            let Some(track) = track else { continue };
            // A contact across the seam of a loop continues after its last frame.
            let whole = if is_loop { 2 * last + 1 } else { self.count };
            let span = [plant.span.start, plant.span.end];
            let Some(frames) = frames_of(&span, self.rate, whole) else {
                continue;
            };
            contact.clear();
            contact.extend(frames.clone().filter_map(|frame| {
                let next_cycle = animation.looping.filter(|_| frame > last);
                let Some(looping) = next_cycle else {
                    return track.points.get(frame).copied();
                };
                let point = track.points.get(frame - last)?;
                let [x, z] = looping.per_cycle.apply([point.x.into(), point.z.into()]);
                Some(Vec3::new(x as f32, point.y, z as f32))
            }));
            let start = *frames.start();
            let rest = longest_rest(&contact, leg_length);
            resting.extend(rest.map(|rest| {
                // A foot that rests after the seam only is a plant of the beginning.
                let first = start + *rest.start();
                let first = if first > last { first - last } else { first };
                RestingPlant {
                    end: plant.end,
                    side: usize::from(plant.side == SIDES[1]),
                    frames: first..=first + (rest.end() - rest.start()),
                    contact: frames.clone(),
                }
            }));
        }
        resting
    }

    /// Finds the source's floor from the median height of its planted feet, and lowers the target by it.
    fn set_floor(&mut self, retargeter: &Retargeter, plants: &[RestingPlant]) {
        let mut heights: Vec<f64> = Vec::new();
        for plant in plants.iter().filter(|plant| plant.end == LimbEnd::Ball) {
            let middle = (plant.frames.start() + plant.frames.end()) / 2;
            let points = self.points[middle % self.count.max(1)].map(Vec3::as_dvec3);
            heights.push(lowest(&points, plant.side));
        }
        heights.sort_by(f64::total_cmp);
        let Some(&height) = heights.get(heights.len() / 2) else {
            return;
        };
        let length = retargeter.source.leg_length();
        if (SOLE_HEIGHTS[0] * length..=SOLE_HEIGHTS[1] * length).contains(&height) {
            return;
        }
        self.floor = height;
        let lowered = DVec3::Y * (height * retargeter.scale);
        for hips in &mut self.hips {
            *hips -= lowered;
        }
        let limbs = self.legs.iter_mut().chain(&mut self.arms);
        for frame in limbs.flatten() {
            for point in [
                &mut frame.upper,
                &mut frame.middle,
                &mut frame.end,
                &mut frame.ball,
            ] {
                *point -= lowered;
            }
        }
    }

    /// The frames, extended at both ends if the motion is a loop.
    pub(super) fn extended(&self) -> ExtendedFrames {
        ExtendedFrames::new(self.count, self.rate, self.cycle)
    }

    /// The points of the source where the target should have them, in the space of plants.
    fn places(&self, retargeter: &Retargeter) -> Vec<[DVec3; POINT_COUNT]> {
        let frames = self.points.iter().enumerate();
        let places = frames.map(|(frame, points)| {
            points.map(|point| {
                let point = point.as_dvec3();
                let placed = self
                    .source_placements
                    .get(frame)
                    .map_or(point, |placement| placement.point(point));
                retargeter.scaled(placed, self.floor)
            })
        });
        places.collect()
    }

    /// The rotations of a joint, if it is driven.
    pub(super) fn rotations_of(&mut self, joint: usize) -> Option<&mut Vec<Quat>> {
        let index = self.joints.binary_search(&joint).ok()?;
        self.rotations.get_mut(index)
    }

    /// The animation of the target.
    fn write(self, retargeter: &Retargeter, target: &Skeleton, source: &Animation) -> Animation {
        let travel = |ground: &GroundTransform| {
            Placement::new(ground, retargeter.scale, retargeter.ground_offset).offset
        };
        let mut result = Animation {
            name: source.name.clone(),
            length: source.length,
            tracks: Vec::with_capacity(self.joints.len()),
            variants: source.variants.clone(),
            triggers: source.triggers.clone(),
            metadata: source.metadata.clone(),
            frame_rate: source.frame_rate,
            looping: source.looping.map(|looping| LoopMotion {
                per_cycle: GroundTransform {
                    x: travel(&looping.per_cycle).x,
                    z: travel(&looping.per_cycle).z,
                    ..looping.per_cycle
                },
                ..looping
            }),
        };
        let Ok(times) = KeyTimes::uniform(self.rate, self.count) else {
            return result;
        };
        let rest = ModelSpace::at_rest(target);
        let hips = retargeter.target.hips;
        let positions = self.hips.iter();
        let positions: Vec<Vec3> = positions
            .map(|position| retargeter.local_hips(&rest, *position).as_vec3())
            .collect();
        for (joint, rotations) in self.joints.into_iter().zip(self.rotations) {
            let Some(name) = target.joints().get(joint).map(|joint| joint.name.clone()) else {
                continue;
            };
            let mut track = TransformTrack::new(name);
            track.rotation = channel(&times, rotations, target.joints()[joint].rest.rotation);
            if joint == hips {
                let rest = target.joints()[joint].rest.position;
                track.position = channel(&times, positions.clone(), rest);
            }
            if !track.is_empty() {
                result.tracks.push(track);
            }
        }
        result
    }
}

/// A key per frame; one key for a constant, none for the rest pose.
fn channel<T: ChannelValue>(times: &KeyTimes, values: Vec<T>, rest: T) -> Option<Channel<T>> {
    let first = *values.first()?;
    if values.iter().all(|value| *value == first) {
        return if first == rest {
            None
        } else {
            Channel::constant(first).ok()
        };
    }
    Channel::new(times.clone(), values, Interpolation::Linear).ok()
}

/// A limb of a pose.
fn limb_frame(parents: &[Option<usize>], model: &ModelSpace, limb: &Limb) -> LimbFrame {
    let [upper, middle, end] = [limb.upper, limb.middle, limb.end].map(JointIndex::index);
    let (ball_joint, ball) = match limb.ball {
        None => (end, model.positions[end]),
        Some(Contact { joint, offset }) => {
            let joint = joint.index();
            (joint, model.point(joint, offset.as_dvec3()))
        }
    };
    let joints = [upper, middle, end, ball_joint];
    LimbFrame {
        upper: model.positions[upper],
        middle: model.positions[middle],
        end: model.positions[end],
        ball,
        rotations: joints.map(|joint| model.rotations[joint]),
        parent_rotations: joints
            .map(|joint| parents[joint].map_or(DQuat::IDENTITY, |parent| model.rotations[parent])),
    }
}

/// A warning for each joint of the source that rotates but drives nothing, other than joints above the hips and between
/// driven joints, whose motion is contained in that of joints below them.
fn unused_joints(
    retargeter: &Retargeter,
    source: &Skeleton,
    animation: &Animation,
) -> Vec<RetargetWarning> {
    let mut warnings = Vec::new();
    for (index, joint) in source.joints().iter().enumerate() {
        let below = source.subtree(JointIndex::from(index));
        if below.into_iter().any(|joint| retargeter.is_used(joint)) {
            continue;
        }
        let rotation = animation
            .track(&joint.name)
            .and_then(|track| track.rotation.as_ref());
        let moves = rotation.is_some_and(|channel| {
            let first = channel.first();
            let values = channel.values().iter();
            let mut angles = values.map(|value| sinew::math::quat_angle(*value, first));
            angles.any(|angle| angle > 0.02)
        });
        if moves {
            warnings.push(RetargetWarning::UnmappedMotion {
                joint: joint.name.clone(),
            });
        }
    }
    warnings
}
