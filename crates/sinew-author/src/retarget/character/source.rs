//! The motion that is retargeted, sampled at the frames of the result.
//!
//! A loop is sampled for three cycles, moved over the ground from each to the next, so that what looks around a frame (foot
//! plants, fades, running minima) also looks across the seam; only the middle cycle becomes keys.

use super::CharacterError;
use crate::NotFiniteError;
use crate::contacts::{PlantSettings, find_plants};
use crate::measure::loop_gap;
use crate::retarget::{BodyPart, Role, RoleMap};
use alloc::vec::Vec;
use core::ops::Range;
use glam::{DVec3, Vec3};
use sinew::animation::{Animation, LoopMotion};
use sinew::local_to_model::local_to_model;
use sinew::math::GroundTransform;
use sinew::pose::{ModelPose, Pose};
use sinew::skeleton::{JointIndex, Side, Skeleton};
use sinew::{Sampler, anatomy::Plant};

/// The largest number of frames of a result: half an hour at 30 per second.
const MAX_FRAMES: usize = 60_000;

/// The largest gap between the ends of a motion that counts as a loop although it is not marked as one: a few millimetres and
/// a degree, as exporters round.
const LOOP_DISTANCE: f32 = 0.005;
const LOOP_ANGLE: f32 = 0.017;

/// The largest turn per cycle of an unmarked loop, in radians.
const LOOP_TURN: f32 = 0.02;

/// Plants of heel and ball that are closer than this are one stance, in seconds.
const STANCE_GAP: f64 = 0.1;

/// A point of the body over time, in metres.
#[derive(Clone, Debug)]
pub(super) struct PointTrack {
    pub(super) rest: DVec3,
    pub(super) frames: Vec<DVec3>,
}

/// The sampled motion.
#[derive(Clone, Debug)]
pub(super) struct Source {
    /// Frames per second.
    pub(super) rate: f64,
    /// The frames that become keys.
    pub(super) shown: Range<usize>,
    pub(super) is_loop: bool,
    points: Vec<(Role, PointTrack)>,
    /// Hips, joints of the spine, chest, and neck or head.
    pub(super) trunk: Vec<PointTrack>,
    /// The direction that is up at rest, turned with the hips and the head.
    pub(super) hips_up: Vec<DVec3>,
    pub(super) head_up: Option<Vec<DVec3>>,
    /// Horizontal directions to the left of the body; zero where it has none.
    pub(super) lateral: Vec<DVec3>,
    /// When the left and the right foot are planted, in frames; heel and ball.
    pub(super) heel_plants: [Vec<Range<usize>>; 2],
    pub(super) stances: [Vec<Range<usize>>; 2],
}

/// A point that moves with a joint.
#[derive(Clone, Copy)]
struct Marker {
    joint: JointIndex,
    offset: Vec3,
}

/// Both sides, in the order of the arrays above.
pub(super) const SIDES: [Side; 2] = [Side::Left, Side::Right];

impl Source {
    /// Samples `animation` at `rate` frames per second.
    pub(super) fn sample(
        skeleton: &Skeleton,
        animation: &Animation,
        roles: &RoleMap,
        rate: u32,
    ) -> Result<Self, CharacterError> {
        check_roles(skeleton, roles)?;
        let mut animation = animation.clone();
        animation.looping = find_loop(skeleton, &animation);
        let animation = &animation;
        let looping = animation.looping;
        let hips =
            roles
                .joint(Role::middle(BodyPart::Hips))
                .ok_or(CharacterError::MissingInSource(Role::middle(
                    BodyPart::Hips,
                )))?;

        let length = f64::from(animation.length);
        let steps = libm::round(length * f64::from(rate));
        let steps = if steps >= MAX_FRAMES as f64 {
            return Err(CharacterError::TooLong {
                frames: steps as usize,
                limit: MAX_FRAMES,
            });
        } else {
            steps as usize
        };
        let is_loop = looping.is_some() && steps > 0;
        let (count, shown) = if is_loop {
            (3 * steps, steps..2 * steps)
        } else {
            (steps + 1, 0..steps + 1)
        };

        let markers = markers(skeleton, roles);
        let trunk_joints = trunk_joints(roles, hips);
        let rest = rest_model(skeleton);
        let mut points: Vec<(Role, PointTrack)> = markers
            .iter()
            .map(|&(role, marker)| (role, track_of(&rest, marker)))
            .collect();
        let mut trunk: Vec<PointTrack> = trunk_joints
            .iter()
            .map(|&joint| track_of(&rest, origin(joint)))
            .collect();
        let head = roles.joint(Role::middle(BodyPart::Head));
        let mut hips_up = Vec::with_capacity(count);
        let mut head_up = Vec::with_capacity(count);
        let mut lateral = Vec::with_capacity(count);

        let mut sampler = Sampler::new(skeleton, animation);
        for frame in 0..count {
            // Of a loop the last frame is not sampled: it is the first one of the next cycle.
            let (cycle, share) = if is_loop {
                let cycle = (frame / steps) as f64 - 1.0;
                (cycle, (frame % steps) as f64 / steps as f64)
            } else {
                (0.0, frame as f64 / steps.max(1) as f64)
            };
            let time = if is_loop {
                share * length
            } else {
                (frame as f64 / f64::from(rate)).min(length)
            };
            let model = sampler.model_at(time as f32);
            let ground = match looping {
                Some(looping) if is_loop => looping.placement(cycle + share),
                _ => GroundTransform::IDENTITY,
            };
            let place = |point: Vec3| {
                let [x, z] = ground.apply([point.x.into(), point.z.into()]);
                DVec3::new(x, point.y.into(), z)
            };
            let turn = GroundTransform {
                x: 0.0,
                z: 0.0,
                ..ground
            };
            let turned = |direction: Vec3| {
                let [x, z] = turn.apply([direction.x.into(), direction.z.into()]);
                DVec3::new(x, direction.y.into(), z)
            };
            let mut is_finite = true;
            for ((_, track), (_, marker)) in points.iter_mut().zip(&markers) {
                let point = place(model.point(marker.joint, marker.offset));
                is_finite &= point.is_finite();
                track.frames.push(point);
            }
            for (track, &joint) in trunk.iter_mut().zip(&trunk_joints) {
                let point = place(model.position(joint));
                is_finite &= point.is_finite();
                track.frames.push(point);
            }
            if !is_finite {
                return Err(NotFiniteError {
                    name: animation.name.clone(),
                    time: time as f32,
                }
                .into());
            }
            hips_up.push(turned(carried(&rest, model, hips.into(), Vec3::Y)).normalize_or_zero());
            if let Some(head) = head {
                let up = carried(&rest, model, head.into(), Vec3::Y);
                head_up.push(turned(up).normalize_or_zero());
            }
            let left = across(&points, frame).unwrap_or_else(|| {
                let left = turned(carried(&rest, model, hips.into(), Vec3::X));
                DVec3::new(left.x, 0.0, left.z)
            });
            lateral.push(left);
        }

        let plants = find_plants(skeleton, animation, &PlantSettings::default());
        let timeline = Timeline {
            rate: f64::from(rate),
            length,
            steps,
            count,
            is_loop,
        };
        let is_of = |plant: &Plant, side: Side| {
            let of_role = |part| roles.joint(Role { part, side });
            let top = of_role(BodyPart::UpperLeg).or_else(|| of_role(BodyPart::LowerLeg));
            match top {
                Some(top) => skeleton.subtree(top.into()).contains(&plant.joint.index()),
                None => false,
            }
        };
        let spans = |side: Side, heels_only: bool| {
            let plants = plants.iter().filter(|plant| {
                is_of(plant, side) && (!heels_only || plant.end == sinew::anatomy::LimbEnd::Heel)
            });
            timeline.spans(plants)
        };
        Ok(Self {
            rate: f64::from(rate),
            shown,
            is_loop,
            points,
            trunk,
            hips_up,
            head_up: head.map(|_| head_up),
            lateral,
            heel_plants: SIDES.map(|side| spans(side, true)),
            stances: SIDES.map(|side| spans(side, false)),
        })
    }

    /// Returns the number of sampled frames.
    pub(super) fn len(&self) -> usize {
        self.lateral.len()
    }

    /// Returns where the joint of a role is. The tip of the last bone of a limb counts as the joint after it.
    pub(super) fn point(&self, role: Role) -> Option<&PointTrack> {
        let found = self.points.iter().find(|(known, _)| *known == role);
        found.map(|(_, track)| track)
    }

    /// Returns the hips.
    pub(super) fn hips(&self) -> Option<&PointTrack> {
        self.trunk.first()
    }

    /// Returns the seconds of frames, from the first frame that becomes a key.
    pub(super) fn seconds(&self, frames: Range<usize>) -> Range<f32> {
        let time = |frame: usize| ((frame as f64 - self.shown.start as f64) / self.rate) as f32;
        time(frames.start)..time(frames.end)
    }
}

fn check_roles(skeleton: &Skeleton, roles: &RoleMap) -> Result<(), CharacterError> {
    for assignment in roles.assignments() {
        for &joint in &assignment.joints {
            if joint >= skeleton.len() {
                return Err(CharacterError::NoSuchJoint {
                    role: assignment.role,
                    joint,
                    count: skeleton.len(),
                });
            }
        }
    }
    Ok(())
}

/// Returns the loop that an animation is marked as, or that its ends show it to be.
fn find_loop(skeleton: &Skeleton, animation: &Animation) -> Option<LoopMotion> {
    if animation.looping.is_some() || animation.length <= 0.0 {
        return animation.looping;
    }
    let gap = loop_gap(skeleton, animation);
    let closes = !gap.is_rigid
        && gap.distance <= LOOP_DISTANCE
        && gap.angle <= LOOP_ANGLE
        && gap.turn.abs() <= LOOP_TURN
        && gap.travel.y.abs() <= LOOP_DISTANCE;
    closes.then(|| LoopMotion {
        per_cycle: GroundTransform {
            angle: 0.0,
            x: gap.travel.x.into(),
            z: gap.travel.z.into(),
        },
        in_place: false,
    })
}

fn origin(joint: JointIndex) -> Marker {
    Marker {
        joint,
        offset: Vec3::ZERO,
    }
}

/// Returns the points of the limbs and the head. A limb whose last joint is missing ends at the tip of the bone before.
fn markers(skeleton: &Skeleton, roles: &RoleMap) -> Vec<(Role, Marker)> {
    use BodyPart::{Foot, Hand, LowerArm, LowerLeg, Toes, UpperArm, UpperLeg};
    let mut markers = Vec::new();
    for side in SIDES {
        for (part, before) in [
            (UpperArm, None),
            (LowerArm, None),
            (Hand, Some(LowerArm)),
            (UpperLeg, None),
            (LowerLeg, None),
            (Foot, Some(LowerLeg)),
            (Toes, Some(Foot)),
        ] {
            let role = Role { part, side };
            let marker = match (roles.joint(role), before) {
                (Some(joint), _) => Some(origin(joint.into())),
                (None, Some(part)) => {
                    let joint = roles.joint(Role { part, side });
                    joint.and_then(|joint| tip(skeleton, joint.into()))
                }
                (None, None) => None,
            };
            markers.extend(marker.map(|marker| (role, marker)));
        }
    }
    markers
}

/// Returns the end of a joint's bone: its tip, or its child that is farthest away.
fn tip(skeleton: &Skeleton, joint: JointIndex) -> Option<Marker> {
    if let Some(offset) = skeleton.joint(joint)?.tip {
        return Some(Marker { joint, offset });
    }
    let distance = |child: &JointIndex| {
        skeleton
            .joint(*child)
            .map_or(0.0, |child| child.rest.position.length())
    };
    let child = skeleton
        .children(joint)
        .filter(|child| distance(child) > 0.0)
        .max_by(|a, b| distance(a).total_cmp(&distance(b)).then(b.cmp(a)))?;
    Some(origin(child))
}

/// Returns the joints of the trunk, from the hips to the neck; to the head if there is no neck.
fn trunk_joints(roles: &RoleMap, hips: usize) -> Vec<JointIndex> {
    let parts = [BodyPart::Spine, BodyPart::Chest];
    let inner = parts
        .iter()
        .flat_map(|&part| roles.joints(Role::middle(part)));
    let top = roles
        .joint(Role::middle(BodyPart::Neck))
        .or_else(|| roles.joint(Role::middle(BodyPart::Head)));
    let mut joints: Vec<JointIndex> = Vec::new();
    for joint in core::iter::once(hips).chain(inner.copied()).chain(top) {
        let joint = JointIndex::from(joint);
        if !joints.contains(&joint) {
            joints.push(joint);
        }
    }
    joints
}

fn rest_model(skeleton: &Skeleton) -> ModelPose {
    let mut model = ModelPose::new(skeleton);
    // The pose is of this skeleton.
    let _ = local_to_model(skeleton, &Pose::rest(skeleton), &mut model);
    model
}

fn track_of(rest: &ModelPose, marker: Marker) -> PointTrack {
    PointTrack {
        rest: rest.point(marker.joint, marker.offset).as_dvec3(),
        frames: Vec::new(),
    }
}

/// Returns where a joint turns a direction of the rest pose to.
fn carried(rest: &ModelPose, model: &ModelPose, joint: JointIndex, direction: Vec3) -> Vec3 {
    let local = rest.matrix(joint).inverse().transform_vector3(direction);
    let turned = model.matrix(joint).transform_vector3(local);
    if turned.is_finite() {
        turned
    } else {
        direction
    }
}

/// Returns the horizontal direction from the right hip and shoulder to the left ones.
fn across(points: &[(Role, PointTrack)], frame: usize) -> Option<DVec3> {
    let find = |role: Role| {
        let found = points.iter().find(|(known, _)| *known == role)?;
        found.1.frames.get(frame).copied()
    };
    let mut sum = DVec3::ZERO;
    for part in [BodyPart::UpperLeg, BodyPart::UpperArm] {
        if let (Some(left), Some(right)) = (find(Role::left(part)), find(Role::right(part))) {
            sum += DVec3::new(left.x - right.x, 0.0, left.z - right.z).normalize_or_zero();
        }
    }
    let direction = sum.normalize_or_zero();
    (direction != DVec3::ZERO).then_some(direction)
}

/// The frames that a motion is sampled at.
struct Timeline {
    rate: f64,
    length: f64,
    steps: usize,
    count: usize,
    is_loop: bool,
}

impl Timeline {
    /// Returns the frames of plants; those that overlap or almost touch are joined.
    fn spans<'a>(&self, plants: impl Iterator<Item = &'a Plant>) -> Vec<Range<usize>> {
        let mut spans: Vec<Range<f64>> = Vec::new();
        for plant in plants {
            let (start, end) = (f64::from(plant.span.start), f64::from(plant.span.end));
            let cycles: &[f64] = if self.is_loop {
                &[-1.0, 0.0, 1.0, 2.0]
            } else {
                &[0.0]
            };
            spans.extend(cycles.iter().map(|cycle| {
                let offset = cycle * self.length;
                start + offset..end + offset
            }));
        }
        spans.sort_by(|a, b| a.start.total_cmp(&b.start));
        let mut joined: Vec<Range<f64>> = Vec::new();
        for span in spans {
            match joined.last_mut() {
                Some(last) if span.start <= last.end + STANCE_GAP => {
                    last.end = last.end.max(span.end);
                }
                _ => joined.push(span),
            }
        }
        // A loop begins one cycle into the sampled frames, whose rate may differ a little from the nominal one.
        let per_second = if self.length > 0.0 {
            self.steps as f64 / self.length
        } else {
            self.rate
        };
        let first = if self.is_loop { self.steps as f64 } else { 0.0 };
        let frame = |time: f64| time * per_second + first;
        let frames = joined.into_iter().filter_map(|span| {
            let start = libm::ceil(frame(span.start) - 1e-3).max(0.0) as usize;
            let end = (libm::floor(frame(span.end) + 1e-3) + 1.0).max(0.0) as usize;
            let end = end.min(self.count);
            (start < end).then_some(start..end)
        });
        frames.collect()
    }
}
