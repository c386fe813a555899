//! Whether a motion ends as it begins.

use alloc::vec::Vec;
use glam::{Quat, Vec3};
use sinew::Sampler;
use sinew::anatomy::root_motion_joint;
use sinew::animation::Animation;
use sinew::internal::ancestors;
use sinew::math::{quat_angle, quat_inverse, quat_mul, shortest_angle};
use sinew::pose::Pose;
use sinew::skeleton::{JointIndex, Skeleton};

/// How far the end of a motion is from its beginning, ignoring root motion: a walk that ends some steps further in
/// the same pose loops.
///
/// Where nothing but the [`root_motion_joint`] moves, as with a camera or a door, root motion is all there is, and
/// counts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LoopGap {
    /// The largest distance of a joint or tip from where it began, in metres.
    pub distance: f32,
    /// The joint that is farthest.
    pub joint: JointIndex,
    /// The largest angle of a joint from where it began, in its parent's frame and in radians; of the
    /// [`root_motion_joint`] without its turn about the vertical.
    pub angle: f32,
    /// The joint that is turned farthest.
    pub turned_joint: JointIndex,
    /// How far the [`root_motion_joint`] went, in metres.
    pub travel: Vec3,
    /// How far the [`root_motion_joint`] turned about the vertical, in radians.
    pub turn: f32,
    /// Whether nothing but the [`root_motion_joint`] moves, so that its travel and turn count as a gap.
    pub is_rigid: bool,
}

/// Compares the last pose of a motion with the first.
pub fn loop_gap(skeleton: &Skeleton, animation: &Animation) -> LoopGap {
    let root = root_motion_joint(skeleton, animation);
    let above: Vec<JointIndex> = ancestors(skeleton, root).collect();
    let is_rigid = sinew::internal::is_rigid(skeleton, animation, root);
    let mut sampler = Sampler::new(skeleton, animation);
    let mut pose_and_points = |time: f32| {
        let pose = sampler.pose_at(time).clone();
        let points = sampler.model_at(time).points(skeleton);
        let points: Vec<(JointIndex, Vec3)> =
            points.filter(|(joint, _)| !above.contains(joint)).collect();
        let model = sampler.model_at(time);
        let turn = model_rotation(&pose, root, &above);
        (pose, turn, model.position(root), points)
    };
    let (first_pose, first_turn, start, first) = pose_and_points(0.0);
    let (last_pose, last_turn, end, last) = pose_and_points(animation.length);

    let travel = end - start;
    let turn = turn_about_y(first_turn, last_turn);
    // What is taken back of the last pose.
    let (level, back) = match is_rigid {
        true => (Vec3::ZERO, 0.0),
        false => (Vec3::new(travel.x, 0.0, travel.z), -turn),
    };
    let (sin, cos) = libm::sincosf(back);
    let mut gap = LoopGap {
        distance: 0.0,
        joint: root,
        angle: 0.0,
        turned_joint: root,
        travel,
        turn,
        is_rigid,
    };
    for (&(joint, end), &(_, begin)) in last.iter().zip(&first) {
        let arm = end - level - start;
        let back = Vec3::new(arm.x * cos + arm.z * sin, arm.y, arm.z * cos - arm.x * sin);
        let distance = (start + back - begin).length();
        if distance > gap.distance {
            (gap.distance, gap.joint) = (distance, joint);
        }
    }
    let (y, w) = libm::sincosf(0.5 * back);
    let unturn = Quat::from_xyzw(0.0, y, 0.0, w);
    for (index, joint) in skeleton.joints().iter().enumerate() {
        let index = JointIndex::from(index);
        let is_moved_root = joint.parent.is_none() && !above.contains(&index);
        let angle = if index == root {
            quat_angle(first_turn, quat_mul(unturn, last_turn))
        } else if is_moved_root {
            quat_angle(
                first_pose.rotation(index),
                quat_mul(unturn, last_pose.rotation(index)),
            )
        } else {
            quat_angle(first_pose.rotation(index), last_pose.rotation(index))
        };
        if angle > gap.angle {
            (gap.angle, gap.turned_joint) = (angle, index);
        }
    }
    gap
}

/// How a joint is turned in the model's frame; `above` are the joints above it, nearest first.
fn model_rotation(pose: &Pose, joint: JointIndex, above: &[JointIndex]) -> Quat {
    let above = above.iter().map(|joint| pose.rotation(*joint));
    above.fold(pose.rotation(joint), |rotation, outer| {
        quat_mul(outer, rotation)
    })
}

/// The part about +y of the turn from one rotation to another, from minus half a turn to half a turn.
fn turn_about_y(from: Quat, to: Quat) -> f32 {
    let turn = quat_mul(to, quat_inverse(from));
    shortest_angle(0.0, 2.0 * libm::atan2f(turn.y, turn.w))
}
