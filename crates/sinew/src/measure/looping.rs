//! Whether a motion ends as it begins.

use crate::Sampler;
use crate::animation::Animation;
use crate::math::{quat_angle, quat_inverse, quat_mul};
use crate::pose::{ModelPose, Pose};
use crate::skeleton::{JointIndex, Skeleton};
use alloc::vec::Vec;
use glam::Vec3;

/// How far the end of a motion is from its beginning, once the way that the whole figure went is taken
/// back: a walk that ends some steps further in the same pose loops.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LoopGap {
    /// The largest distance of a joint or tip from where it began, in metres.
    pub distance: f32,
    /// The joint that is farthest.
    pub joint: JointIndex,
    /// The largest angle of a joint from where it began, in its parent's frame and in radians, the
    /// roots' turn about the upright axis taken back.
    pub angle: f32,
    /// The joint that is turned farthest.
    pub turned_joint: JointIndex,
    /// How far the first root went, in metres.
    pub travel: Vec3,
    /// How far the first root turned about the upright axis, in radians.
    pub turn: f32,
}

/// Compares the last pose of a motion with the first.
pub fn loop_gap(skeleton: &Skeleton, animation: &Animation) -> LoopGap {
    let mut sampler = Sampler::new(skeleton, animation);
    let first_pose = sampler.pose_at(0.0).clone();
    let first: Vec<Vec3> = positions(skeleton, sampler.model_at(0.0));
    let last_pose = sampler.pose_at(animation.length).clone();
    let last: Vec<(JointIndex, Vec3)> = sampler
        .model_at(animation.length)
        .points(skeleton)
        .collect();

    let turn = upright_turn(&first_pose, &last_pose);
    let travel = last[0].1 - first[0];
    let level = Vec3::new(travel.x, 0.0, travel.z);
    let (sin, cos) = libm::sincosf(-turn);
    let mut gap = LoopGap {
        distance: 0.0,
        joint: JointIndex(0),
        angle: 0.0,
        turned_joint: JointIndex(0),
        travel,
        turn,
    };
    for (&(joint, end), &start) in last.iter().zip(&first) {
        let arm = end - level - first[0];
        let back = Vec3::new(arm.x * cos + arm.z * sin, arm.y, arm.z * cos - arm.x * sin);
        let distance = (first[0] + back - start).length();
        if distance > gap.distance {
            (gap.distance, gap.joint) = (distance, joint);
        }
    }
    for (index, joint) in skeleton.joints().iter().enumerate() {
        let from = first_pose.get(index.into()).rotation;
        let mut to = last_pose.get(index.into()).rotation;
        if joint.parent.is_none() {
            let (y, w) = libm::sincosf(-0.5 * turn);
            to = quat_mul(glam::Quat::from_xyzw(0.0, y, 0.0, w), to);
        }
        let angle = quat_angle(from, to);
        if angle > gap.angle {
            (gap.angle, gap.turned_joint) = (angle, index.into());
        }
    }
    gap
}

fn positions(skeleton: &Skeleton, model: &ModelPose) -> Vec<Vec3> {
    model.points(skeleton).map(|(_, point)| point).collect()
}

/// The part of the first root's turn from one pose to the other that is about +y.
fn upright_turn(from: &Pose, to: &Pose) -> f32 {
    let root = JointIndex(0);
    let turn = quat_mul(to.get(root).rotation, quat_inverse(from.get(root).rotation));
    let angle = 2.0 * libm::atan2f(turn.y, turn.w);
    crate::math::shortest_angle(0.0, angle)
}
