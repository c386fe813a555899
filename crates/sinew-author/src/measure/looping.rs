//! The loop gap: how far the end of a motion is from its beginning, ignoring root motion.
//!
//! The last pose is moved back by the travel of the root-motion joint over the ground and by its turn about the vertical, then compared
//! with the first: the largest distance of a point and the largest angle of a joint. The turn about the vertical is the twist of a
//! swing-twist decomposition, `2 atan2(q.y, q.w)` of `q = last · first⁻¹`.

use alloc::vec::Vec;
use glam::{Quat, Vec3};
use sinew::Sampler;
use sinew::anatomy::root_motion_joint;
use sinew::animation::Animation;
use sinew::internal::ancestors;
use sinew::math::{quat_angle, quat_inverse, quat_mul, shortest_angle};
use sinew::pose::Pose;
use sinew::skeleton::{JointIndex, Skeleton};

/// The difference between the end of a motion and its beginning, ignoring root motion: a walk that ends some steps further in
/// the same pose loops.
///
/// If nothing but the [`root_motion_joint`] moves, as with a camera or a door, root motion is all there is, and counts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LoopGap {
    /// The largest distance of a joint or tip from where it began, in metres.
    pub distance: f32,
    /// The joint that is farthest.
    pub joint: JointIndex,
    /// The largest angle of a joint from where it began, in local space and in radians; of the [`root_motion_joint`] without
    /// its turn about the vertical.
    pub angle: f32,
    /// The joint with the largest angle.
    pub turned_joint: JointIndex,
    /// The travel of the [`root_motion_joint`], in metres.
    pub travel: Vec3,
    /// The turn of the [`root_motion_joint`] about the vertical, in radians.
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
    // What is undone in the last pose.
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

/// The rotation of a joint in model space; `above` are its ancestors, nearest first.
fn model_rotation(pose: &Pose, joint: JointIndex, above: &[JointIndex]) -> Quat {
    let above = above.iter().map(|joint| pose.rotation(*joint));
    above.fold(pose.rotation(joint), |rotation, outer| {
        quat_mul(outer, rotation)
    })
}

/// The twist about +y of the rotation from one to another, from -π to π.
fn turn_about_y(from: Quat, to: Quat) -> f32 {
    let turn = quat_mul(to, quat_inverse(from));
    shortest_angle(0.0, 2.0 * libm::atan2f(turn.y, turn.w))
}
