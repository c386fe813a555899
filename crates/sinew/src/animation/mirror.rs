//! Left for right.

use super::{Animation, TransformTrack};
use crate::local_to_model::local_to_model;
use crate::math::{quat_from_mat3, quat_inverse, quat_mul, quat_normalize, quat_rotate};
use crate::pose::{ModelPose, Pose};
use crate::skeleton::{JointIndex, Side, Sides, Skeleton};
use alloc::string::String;
use alloc::vec::Vec;
use glam::{Mat3, Quat, Vec3};

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
/// along. Each joint moves away from its own rest as its partner did from its, mirrored, so skeletons
/// whose sides differ a little keep their own proportions.
///
/// # Errors
/// When the skeleton has no sides, or they do not hang together alike.
pub fn mirror(animation: &Animation, skeleton: &Skeleton) -> Result<Animation, MirrorError> {
    let sides = Sides::of(skeleton);
    check(skeleton, &sides)?;
    let rest = Rest::of(skeleton);
    let axis = lateral_axis(skeleton, &sides, &rest);
    let mut result = animation.clone();
    result.tracks.clear();
    for track in &animation.tracks {
        let Some(from) = skeleton.find(&track.name) else {
            result.tracks.push(track.clone());
            continue;
        };
        let to = sides.partner(from);
        result
            .tracks
            .push(mirrored(track, skeleton, &rest, axis, from, to));
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
        let turn = |matrix: &glam::Mat4| {
            let axes = [matrix.x_axis, matrix.y_axis, matrix.z_axis];
            let [x, y, z] = axes.map(|axis| axis.truncate().normalize_or_zero());
            quat_from_mat3(&Mat3::from_cols(x, y, z))
        };
        Self {
            turns: model.matrices().iter().map(turn).collect(),
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

/// The axis, 0 to 2, that the sides lie along.
fn lateral_axis(skeleton: &Skeleton, sides: &Sides, rest: &Rest) -> usize {
    let mut apart = Vec3::ZERO;
    for joint in (0..skeleton.len()).map(JointIndex::from) {
        let partner = sides.partner(joint);
        let way = rest.positions[joint.index()] - rest.positions[partner.index()];
        apart += way.abs();
    }
    if apart.x >= apart.y && apart.x >= apart.z {
        0
    } else if apart.y >= apart.z {
        1
    } else {
        2
    }
}

fn mirrored(
    track: &TransformTrack,
    skeleton: &Skeleton,
    rest: &Rest,
    axis: usize,
    from: JointIndex,
    to: JointIndex,
) -> TransformTrack {
    let place = |joint| {
        skeleton
            .joint(joint)
            .map(|j| j.rest.position)
            .unwrap_or_default()
    };
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
        (Vec3::ZERO, Vec3::ZERO)
    } else {
        (place(from), place(to))
    };
    let turn = |rotation: Quat| {
        let in_model = quat_mul(quat_mul(from_parent, rotation), from_turn);
        quat_mul(quat_mul(to_parent, mirror_turn(in_model, axis)), to_turn)
    };
    TransformTrack {
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
        scale: track.scale.clone(),
    }
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
