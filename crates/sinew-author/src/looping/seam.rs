//! Closes the seam of a loop: poses and velocities agree where it begins again.
//!
//! For each joint the differences of value and velocity between end and beginning are halved; one half is added at the beginning,
//! one subtracted at the end, each fading over `spread` seconds by a quintic that keeps value and velocity at the seam (`faded`):
//!
//! ```text
//! x(t) += fade(½ Δx, ½ Δv, t) + fade(-½ Δx, ½ Δv, length - t)
//! ```
//!
//! Rotations are corrected by rotation vectors (quaternion log and exp), the root after the travel of the loop is undone. Both halves
//! move half as far as one correction would, and the loop stays near its source. Linear in frames × joints.

use super::loop_frames::{LoopFrames, Transform64};
use alloc::vec::Vec;
use glam::{DVec3, Vec3};
use sinew::internal::{faded, quat_exp, quat_log};
use sinew::local_to_model::local_to_model;
use sinew::math::{GroundTransform, dquat_normalize, dquat_rotate, quat_angle, rotation_y};
use sinew::pose::{ModelPose, Pose};
use sinew::skeleton::{JointIndex, Skeleton};

/// The difference between the end of a loop and its beginning, ignoring its travel.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Seam {
    /// The largest distance of a joint or tip, in metres.
    pub distance: f32,
    /// The largest angle of a joint in local space, in radians.
    pub angle: f32,
    /// The largest change of a joint's or tip's velocity across the seam, in metres per second. Any two successive frames of
    /// a motion have some.
    pub velocity: f32,
}

/// Measures the seam of a loop with the travel `ground_transform`.
pub(super) fn measure(
    skeleton: &Skeleton,
    frames: &LoopFrames,
    ground_transform: &GroundTransform,
) -> Seam {
    let back = ground_transform.inverse();
    let last = frames.count().saturating_sub(1);
    let mut pose = Pose::rest(skeleton);
    let mut points_at = |frame: usize, on: &GroundTransform| {
        frames.pose(skeleton, frame, on, &mut pose);
        let mut model = ModelPose::new(skeleton);
        // Cannot fail: the pose is of this skeleton.
        let _ = local_to_model(skeleton, &pose, &mut model);
        let points: Vec<Vec3> = model.points(skeleton).map(|(_, point)| point).collect();
        (points, pose.clone())
    };
    let here = GroundTransform::IDENTITY;
    let (first, first_pose) = points_at(0, &here);
    let (second, _) = points_at(1, &here);
    let (end, end_pose) = points_at(last, &back);
    let (before, _) = points_at(last.saturating_sub(1), &back);
    let mut seam = Seam::default();
    for point in 0..first.len() {
        let leaving = second[point] - first[point];
        let arriving = end[point] - before[point];
        let velocity = (leaving - arriving).length() * frames.rate as f32;
        seam.velocity = seam.velocity.max(velocity);
        seam.distance = seam.distance.max((end[point] - first[point]).length());
    }
    for joint in (0..skeleton.len()).map(JointIndex::from) {
        let angle = quat_angle(first_pose.rotation(joint), end_pose.rotation(joint));
        seam.angle = seam.angle.max(angle);
    }
    seam
}

/// Removes the turn of a loop, evenly over its length. Returns the travel that is left.
pub(super) fn straighten(
    frames: &mut LoopFrames,
    ground_transform: &GroundTransform,
) -> GroundTransform {
    let last = frames.count().saturating_sub(1);
    let travel = frames.travel();
    let (Some(first), Some(end)) = (travel.first(), travel.last()) else {
        return *ground_transform;
    };
    // The distance of the root's end from where the travel leads, which is kept for `close`.
    let gap = end.position - first.moved(ground_transform).position;
    let angle = |frame: f64| -ground_transform.angle * frame / last.max(1) as f64;
    let mut before = first.position;
    let mut position = first.position;
    for (frame, transform) in frames.travel_mut().iter_mut().enumerate() {
        // Each step is rotated by the angle at its middle, and steps are added up again.
        let half_way = rotation_y(angle(frame as f64 - 0.5));
        let step = dquat_rotate(half_way, transform.position - before);
        before = transform.position;
        position += step;
        transform.position = position;
        transform.rotation = rotation_y(angle(frame as f64)) * transform.rotation;
    }
    let travel = frames.travel();
    let (Some(first), Some(end)) = (travel.first(), travel.last()) else {
        return *ground_transform;
    };
    let travel =
        end.position - first.position - dquat_rotate(rotation_y(-ground_transform.angle), gap);
    GroundTransform {
        angle: 0.0,
        x: travel.x,
        z: travel.z,
    }
}

/// Spreads the difference between end and beginning to both sides of the seam, half to each.
pub(super) fn close(frames: &mut LoopFrames, ground_transform: &GroundTransform, spread: f64) {
    let rate = frames.rate;
    let last = frames.count().saturating_sub(1);
    let spread = spread.min(0.5 * frames.length()).max(1.0 / rate);
    let root = frames.root.index();
    for (index, transforms) in frames.joints.iter_mut().enumerate() {
        let on = if index == root {
            *ground_transform
        } else {
            GroundTransform::IDENTITY
        };
        close_joint(transforms, &on, rate, spread, last);
    }
}

/// Differences of value and velocity.
struct Difference {
    position: [DVec3; 2],
    rotation: [DVec3; 2],
    scale: [DVec3; 2],
}

fn close_joint(
    transforms: &mut [Transform64],
    on: &GroundTransform,
    rate: f64,
    spread: f64,
    last: usize,
) {
    let back = on.inverse();
    let (Some(&first), Some(&second)) = (transforms.first(), transforms.get(1)) else {
        return;
    };
    let (Some(end), Some(before)) = (transforms.get(last), transforms.get(last.saturating_sub(1)))
    else {
        return;
    };
    let (end, before) = (end.moved(&back), before.moved(&back));
    let rotation_vector =
        |from: &Transform64, to: &Transform64| quat_log(to.rotation * from.rotation.conjugate());
    // End minus beginning.
    let by = Difference {
        position: [
            end.position - first.position,
            (end.position - before.position - (second.position - first.position)) * rate,
        ],
        rotation: [
            rotation_vector(&first, &end),
            (rotation_vector(&before, &end) - rotation_vector(&first, &second)) * rate,
        ],
        scale: [
            end.scale - first.scale,
            (end.scale - before.scale - (second.scale - first.scale)) * rate,
        ],
    };
    let ahead = rotation_y(on.angle);
    for (frame, transform) in transforms.iter_mut().enumerate() {
        let since = frame as f64 / rate;
        let left = (last - frame) as f64 / rate;
        let begin = |of: &[DVec3; 2]| faded(of[0] * 0.5, of[1] * 0.5, since, spread);
        // From the end, time runs backwards, so a velocity to subtract is added.
        let end = |of: &[DVec3; 2]| faded(of[0] * -0.5, of[1] * 0.5, left, spread);
        transform.position += begin(&by.position) + dquat_rotate(ahead, end(&by.position));
        transform.scale += begin(&by.scale) + end(&by.scale);
        let rotation = begin(&by.rotation) + dquat_rotate(ahead, end(&by.rotation));
        transform.rotation = dquat_normalize(quat_exp(rotation) * transform.rotation);
    }
    // Exactly, to the last bit.
    let first = transforms.first().copied();
    if let (Some(first), Some(end)) = (first, transforms.get_mut(last)) {
        *end = first.moved(on);
    }
}
