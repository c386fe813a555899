//! Left for right.

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
    /// The two sides hang together differently.
    #[error("{joint:?} and its partner {partner:?} hang on joints that are no partners")]
    Uneven {
        /// A joint.
        joint: String,
        /// The joint of the other side.
        partner: String,
    },
}

/// A motion as seen in a mirror: what the left did the right does.
///
/// The mirror stands in the middle of the rest pose, at right angles to the axis that the two sides lie
/// along: at the mean of what lies halfway between partners, which is the model's origin for most
/// figures.
///
/// Roots are placed where the mirror shows their partner; one without positions that rests elsewhere gets
/// a position. Every other joint moves away from its own rest as its partner did from its, mirrored, so
/// skeletons whose sides differ a little keep their own proportions. A scale keeps its ratio to the
/// joint's rest. Frames turn as the rest rotations say; rest scales, negative ones included, turn nothing.
///
/// The ground motion of a loop is reflected too.
///
/// # Errors
/// When the skeleton has no sides, or they do not hang together alike.
pub fn mirror(animation: &Animation, skeleton: &Skeleton) -> Result<Animation, MirrorError> {
    let sides = Sides::of(skeleton);
    check(skeleton, &sides)?;
    let rest = Rest::of(skeleton);
    let mirror = Mirror::of(skeleton, &sides, &rest);
    let mut result = animation.clone();
    result.looping = (animation.looping).map(|looping| {
        let at = f64::from(mirror.at.to_array()[mirror.axis]);
        looping.mirrored(mirror.axis, at)
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
        place_root(
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

/// Where joints rest in the model's frame.
struct Rest {
    turns: Vec<Quat>,
    positions: Vec<Vec3>,
}

impl Rest {
    fn of(skeleton: &Skeleton) -> Self {
        let mut model = ModelPose::new(skeleton);
        // The pose is made for this skeleton.
        let _ = local_to_model(skeleton, &Pose::rest(skeleton), &mut model);
        // Not from the matrices: with a negative scale they are no rotations.
        let mut turns: Vec<Quat> = Vec::with_capacity(skeleton.len());
        for joint in skeleton.joints() {
            let parent = joint.parent.and_then(|parent| turns.get(parent.index()));
            let parent = parent.copied().unwrap_or(Quat::IDENTITY);
            turns.push(quat_normalize(quat_mul(parent, joint.rest.rotation)));
        }
        Self {
            turns,
            positions: model
                .matrices()
                .iter()
                .map(|m| m.w_axis.truncate())
                .collect(),
        }
    }

    /// The frame that a joint's position and rotation are given in.
    fn parent_turn(&self, skeleton: &Skeleton, joint: JointIndex) -> Quat {
        let parent = skeleton.joint(joint).and_then(|joint| joint.parent);
        parent.map_or(Quat::IDENTITY, |parent| self.turns[parent.index()])
    }
}

/// How far a place may be from another and still be the same, in metres: the rounding of a rest pose.
const SAME_PLACE: f32 = 1e-6;

/// A plane across an axis of the model's frame.
#[derive(Clone, Copy)]
struct Mirror {
    /// The axis that the sides lie along, 0 to 2.
    axis: usize,
    /// Where the plane crosses it; the other coordinates are zero.
    at: Vec3,
}

impl Mirror {
    fn of(skeleton: &Skeleton, sides: &Sides, rest: &Rest) -> Self {
        let mut apart = Vec3::ZERO;
        let mut middle = [0.0_f64; 3];
        let mut pairs = 0.0_f64;
        for joint in (0..skeleton.len()).map(JointIndex::from) {
            let partner = sides.partner(joint);
            if partner == joint {
                continue;
            }
            let places = [joint, partner].map(|joint| rest.positions[joint.index()]);
            apart += (places[0] - places[1]).abs();
            // Both partners are counted, so each adds its own place.
            for (sum, number) in middle.iter_mut().zip(places[0].to_array()) {
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
        let mut at = [0.0; 3];
        if offset.is_finite() && offset.abs() > SAME_PLACE {
            at[axis] = offset;
        }
        Self {
            axis,
            at: at.into(),
        }
    }

    /// A place of the model's frame, seen in the mirror.
    fn place(self, place: Vec3) -> Vec3 {
        self.at + mirror_vector(place - self.at, self.axis)
    }
}

/// Gives the partner of a root that has no positions one, when the mirror shows the root elsewhere than
/// where its partner rests.
fn place_root(
    result: &mut Animation,
    animation: &Animation,
    skeleton: &Skeleton,
    mirror: Mirror,
    [from, to]: [JointIndex; 2],
) {
    let (Some(from), Some(to)) = (skeleton.joint(from), skeleton.joint(to)) else {
        return;
    };
    let place = mirror.place(from.rest.position);
    let moves = animation
        .track(&from.name)
        .is_some_and(|track| track.position.is_some());
    if moves || (place - to.rest.position).length() <= SAME_PLACE {
        return;
    }
    let found = result
        .tracks
        .iter()
        .rposition(|track| track.name == to.name);
    let at = found.unwrap_or_else(|| {
        result.tracks.push(TransformTrack::new(&to.name));
        result.tracks.len() - 1
    });
    result.tracks[at].position = Channel::constant(place).ok();
}

fn mirrored(
    track: &TransformTrack,
    skeleton: &Skeleton,
    rest: &Rest,
    mirror: Mirror,
    from: JointIndex,
    to: JointIndex,
) -> TransformTrack {
    let own = |joint| {
        let found = skeleton.joint(joint);
        found.map_or(Transform::IDENTITY, |joint| joint.rest)
    };
    let axis = mirror.axis;
    let (from_parent, to_parent) = (
        rest.parent_turn(skeleton, from),
        quat_inverse(rest.parent_turn(skeleton, to)),
    );
    let (from_turn, to_turn) = (
        quat_inverse(rest.turns[from.index()]),
        rest.turns[to.index()],
    );
    let way = |way: Vec3| {
        let mirrored = mirror_vector(quat_rotate(from_parent, way), axis);
        quat_rotate(to_parent, mirrored)
    };
    // A root is placed in the model's frame, where the mirror stands; others are moved from their rest.
    let is_root = skeleton
        .joint(from)
        .is_none_or(|joint| joint.parent.is_none());
    let (from_rest, to_rest) = if is_root {
        (mirror.at, mirror.at)
    } else {
        (own(from).position, own(to).position)
    };
    let turn = |rotation: Quat| {
        let in_model = quat_mul(quat_mul(from_parent, rotation), from_turn);
        quat_mul(quat_mul(to_parent, mirror_turn(in_model, axis)), to_turn)
    };
    let ratio = ratio(own(to).scale, own(from).scale);
    // A product beyond numbers is left out.
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
        position: track
            .position
            .clone()
            .map(|channel| channel.map(|position| to_rest + way(position - from_rest), way)),
        rotation: track
            .rotation
            .clone()
            .map(|channel| channel.map(|rotation| quat_normalize(turn(rotation)), turn)),
        scale: track.scale.clone().map(|channel| channel.map(size, size)),
    }
}

/// `to / from`, number by number; 1 where that is no number.
fn ratio(to: Vec3, from: Vec3) -> Vec3 {
    let ratio = (to / from).to_array();
    Vec3::from_array(ratio.map(|ratio| if ratio.is_finite() { ratio } else { 1.0 }))
}

fn mirror_vector(v: Vec3, axis: usize) -> Vec3 {
    let mut v = v.to_array();
    v[axis] = -v[axis];
    Vec3::from_array(v)
}

/// A mirror turns the other way about every axis that lies in it.
fn mirror_turn(q: Quat, axis: usize) -> Quat {
    let [x, y, z, w] = q.to_array();
    let mut turned = [-x, -y, -z];
    turned[axis] = -turned[axis];
    Quat::from_xyzw(turned[0], turned[1], turned[2], w)
}
