//! Mirrors a motion: exchanges left and right.
//!
//! With `M` the reflection in the plane between the sides and `R` the rest rotations of the partner and of the joint in model
//! space, a rotation is carried to model space, reflected, and carried back:
//!
//! ```text
//! q' = P'⁻¹ · mirror(P q R⁻¹) · R',     mirror(x, y, z, w) = (x, -y, -z, w) for a plane across x
//! ```
//!
//! with `P` the rest rotations of the parents; primes are those of the joint that is written. Positions are reflected as
//! differences from their rest, so that each side keeps its own proportions.

use alloc::string::String;
use alloc::vec::Vec;
use glam::{Quat, Vec3};
use sinew::Transform;
use sinew::animation::{Animation, Channel, TransformTrack};
use sinew::local_to_model::local_to_model;
use sinew::math::{quat_inverse, quat_mul, quat_normalize, quat_rotate};
use sinew::pose::{ModelPose, Pose};
use sinew::skeleton::{JointIndex, Side, Sides, Skeleton};

/// Why a motion cannot be mirrored.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MirrorError {
    /// No two joints are named as left and right.
    #[error(
        "no joint has a partner on the other side; mirroring needs names such as LeftArm and RightArm, \
         larm and rarm, arm.L and arm.R"
    )]
    NoSides,
    /// The hierarchies of the two sides differ.
    #[error("the parents of {joint:?} and of its partner {partner:?} are not partners")]
    Uneven {
        /// A joint.
        joint: String,
        /// The joint of the other side.
        partner: String,
    },
}

/// Mirrors a motion: the right does what the left did.
///
/// The mirror plane is in the middle of the rest pose, perpendicular to the axis along which the two sides lie: at the mean of the
/// midpoints of partners, which is the model's origin for most figures.
///
/// Roots are at the reflection of their partner; one without positions that rests elsewhere gets a position. Every other joint
/// moves from its own rest as its partner did from its own, mirrored, so that skeletons whose sides differ a little keep their
/// proportions. A scale keeps its ratio to the joint's rest. Only rest rotations are considered; rest scales, negative ones
/// included, are not.
///
/// The travel of a loop is reflected too.
///
/// # Errors
/// If the skeleton has no sides, or their hierarchies differ.
pub fn mirror(animation: &Animation, skeleton: &Skeleton) -> Result<Animation, MirrorError> {
    let sides = Sides::of(skeleton);
    check(skeleton, &sides)?;
    let rest = RestPose::of(skeleton);
    let mirror = MirrorPlane::of(skeleton, &sides, &rest);
    let mut result = animation.clone();
    result.looping = (animation.looping).map(|looping| {
        let offset = f64::from(mirror.origin.to_array()[mirror.axis]);
        looping.mirrored(mirror.axis, offset)
    });
    result.tracks.clear();
    for track in &animation.tracks {
        let Some(from) = skeleton.find(&track.name) else {
            result.tracks.push(track.clone());
            continue;
        };
        let to = sides.partner(from);
        result
            .tracks
            .push(mirrored(track, skeleton, &rest, mirror, from, to));
    }
    for root in skeleton.roots() {
        position_root(
            &mut result,
            animation,
            skeleton,
            mirror,
            [root, sides.partner(root)],
        );
    }
    Ok(result)
}

fn check(skeleton: &Skeleton, sides: &Sides) -> Result<(), MirrorError> {
    let joints = || (0..skeleton.len()).map(JointIndex::from);
    if joints().all(|joint| sides.side(joint) == Side::Middle) {
        return Err(MirrorError::NoSides);
    }
    for joint in joints() {
        let partner = sides.partner(joint);
        let parent = |joint| skeleton.joint(joint).and_then(|joint| joint.parent);
        let name = |joint| skeleton.joint(joint).map(|joint| joint.name.clone());
        if sides.partner(partner) != joint
            || parent(joint).map(|parent| sides.partner(parent)) != parent(partner)
        {
            return Err(MirrorError::Uneven {
                joint: name(joint).unwrap_or_default(),
                partner: name(partner).unwrap_or_default(),
            });
        }
    }
    Ok(())
}

/// The rest pose in model space.
struct RestPose {
    rotations: Vec<Quat>,
    positions: Vec<Vec3>,
}

impl RestPose {
    fn of(skeleton: &Skeleton) -> Self {
        let mut model = ModelPose::new(skeleton);
        // Cannot fail: the pose is of this skeleton.
        let _ = local_to_model(skeleton, &Pose::rest(skeleton), &mut model);
        // Not from the matrices: with a negative scale they are not rotations.
        let mut rotations: Vec<Quat> = Vec::with_capacity(skeleton.len());
        for joint in skeleton.joints() {
            let parent = joint
                .parent
                .and_then(|parent| rotations.get(parent.index()));
            let parent = parent.copied().unwrap_or(Quat::IDENTITY);
            rotations.push(quat_normalize(quat_mul(parent, joint.rest.rotation)));
        }
        Self {
            rotations,
            positions: model
                .matrices()
                .iter()
                .map(|m| m.w_axis.truncate())
                .collect(),
        }
    }

    /// The rest rotation of a joint's parent in model space.
    fn parent_rotation(&self, skeleton: &Skeleton, joint: JointIndex) -> Quat {
        let parent = skeleton.joint(joint).and_then(|joint| joint.parent);
        parent.map_or(Quat::IDENTITY, |parent| self.rotations[parent.index()])
    }
}

/// Positions closer than this are the same, in metres: the rounding of a rest pose.
const SAME_PLACE: f32 = 1e-6;

/// A plane perpendicular to an axis of model space.
#[derive(Clone, Copy)]
struct MirrorPlane {
    /// The axis along which the sides lie, 0 to 2.
    axis: usize,
    /// The intersection of the plane and the axis.
    origin: Vec3,
}

impl MirrorPlane {
    fn of(skeleton: &Skeleton, sides: &Sides, rest: &RestPose) -> Self {
        let mut apart = Vec3::ZERO;
        let mut middle = [0.0_f64; 3];
        let mut pairs = 0.0_f64;
        for joint in (0..skeleton.len()).map(JointIndex::from) {
            let partner = sides.partner(joint);
            if partner == joint {
                continue;
            }
            let positions = [joint, partner].map(|joint| rest.positions[joint.index()]);
            apart += (positions[0] - positions[1]).abs();
            // Both partners are visited, so each adds its own position.
            for (sum, number) in middle.iter_mut().zip(positions[0].to_array()) {
                *sum += f64::from(number);
            }
            pairs += 1.0;
        }
        let axis = if apart.x >= apart.y && apart.x >= apart.z {
            0
        } else if apart.y >= apart.z {
            1
        } else {
            2
        };
        let offset = (middle[axis] / pairs) as f32;
        let mut origin = [0.0; 3];
        if offset.is_finite() && offset.abs() > SAME_PLACE {
            origin[axis] = offset;
        }
        Self {
            axis,
            origin: origin.into(),
        }
    }

    /// The reflection of a point of model space.
    fn reflect(self, point: Vec3) -> Vec3 {
        self.origin + mirror_vector(point - self.origin, self.axis)
    }
}

/// Gives the partner of a root without positions a constant one, if the reflection of the root is not where its partner rests.
fn position_root(
    result: &mut Animation,
    animation: &Animation,
    skeleton: &Skeleton,
    mirror: MirrorPlane,
    [from, to]: [JointIndex; 2],
) {
    let (Some(from), Some(to)) = (skeleton.joint(from), skeleton.joint(to)) else {
        return;
    };
    let reflected = mirror.reflect(from.rest.position);
    let moves = animation
        .track(&from.name)
        .is_some_and(|track| track.position.is_some());
    if moves || (reflected - to.rest.position).length() <= SAME_PLACE {
        return;
    }
    let found = result
        .tracks
        .iter()
        .rposition(|track| track.name == to.name);
    let index = found.unwrap_or_else(|| {
        result.tracks.push(TransformTrack::new(&to.name));
        result.tracks.len() - 1
    });
    result.tracks[index].position = Channel::constant(reflected).ok();
}

fn mirrored(
    track: &TransformTrack,
    skeleton: &Skeleton,
    rest: &RestPose,
    mirror: MirrorPlane,
    from: JointIndex,
    to: JointIndex,
) -> TransformTrack {
    let rest_transform = |joint| {
        let found = skeleton.joint(joint);
        found.map_or(Transform::IDENTITY, |joint| joint.rest)
    };
    let axis = mirror.axis;
    let (from_parent, to_parent) = (
        rest.parent_rotation(skeleton, from),
        quat_inverse(rest.parent_rotation(skeleton, to)),
    );
    let (from_turn, to_turn) = (
        quat_inverse(rest.rotations[from.index()]),
        rest.rotations[to.index()],
    );
    let mirror_offset = |offset: Vec3| {
        let mirrored = mirror_vector(quat_rotate(from_parent, offset), axis);
        quat_rotate(to_parent, mirrored)
    };
    // A root is in model space, where the mirror plane is; other joints are relative to their rest.
    let is_root = skeleton
        .joint(from)
        .is_none_or(|joint| joint.parent.is_none());
    let (from_rest, to_rest) = if is_root {
        (mirror.origin, mirror.origin)
    } else {
        (rest_transform(from).position, rest_transform(to).position)
    };
    let turn = |rotation: Quat| {
        let in_model = quat_mul(quat_mul(from_parent, rotation), from_turn);
        quat_mul(
            quat_mul(to_parent, mirror_rotation(in_model, axis)),
            to_turn,
        )
    };
    let ratio = ratio(rest_transform(to).scale, rest_transform(from).scale);
    // A product that overflows is not applied.
    let size = |scale: Vec3| {
        Some(scale * ratio)
            .filter(|s| s.is_finite())
            .unwrap_or(scale)
    };
    TransformTrack {
        weights: track.weights,
        name: skeleton
            .joint(to)
            .map(|joint| joint.name.clone())
            .unwrap_or_default(),
        position: track.position.clone().map(|channel| {
            channel.map(
                |position| to_rest + mirror_offset(position - from_rest),
                mirror_offset,
            )
        }),
        rotation: track
            .rotation
            .clone()
            .map(|channel| channel.map(|rotation| quat_normalize(turn(rotation)), turn)),
        scale: track.scale.clone().map(|channel| channel.map(size, size)),
    }
}

/// `to / from`, component by component; 1 if that is not finite.
fn ratio(to: Vec3, from: Vec3) -> Vec3 {
    let ratio = (to / from).to_array();
    Vec3::from_array(ratio.map(|ratio| if ratio.is_finite() { ratio } else { 1.0 }))
}

fn mirror_vector(v: Vec3, axis: usize) -> Vec3 {
    let mut v = v.to_array();
    v[axis] = -v[axis];
    Vec3::from_array(v)
}

/// The reflection of a rotation: the axis is reflected and the angle reversed, so that the components of the axis in the plane
/// change sign.
fn mirror_rotation(q: Quat, axis: usize) -> Quat {
    let [x, y, z, w] = q.to_array();
    let mut turned = [-x, -y, -z];
    turned[axis] = -turned[axis];
    Quat::from_xyzw(turned[0], turned[1], turned[2], w)
}
