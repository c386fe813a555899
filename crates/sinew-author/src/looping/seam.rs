//! Closing a loop: poses and speeds agree where it begins again.

use super::loop_frames::{LoopFrames, Place};
use alloc::vec::Vec;
use glam::Vec3;
use sinew::internal::{V3, faded, quat_exp64, quat_log64};
use sinew::local_to_model::local_to_model;
use sinew::math::GroundTransform;
use sinew::math::{Rotation64, quat_angle};
use sinew::pose::{ModelPose, Pose};
use sinew::skeleton::{JointIndex, Skeleton};

/// What is between the end of a loop and its beginning, once the figure is put back.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Seam {
    /// The largest distance of a joint or tip, in metres.
    pub distance: f32,
    /// The largest angle of a joint in its parent's frame, in radians.
    pub angle: f32,
    /// The largest change of a joint's or tip's velocity, in metres per second: from the frame before the seam to
    /// the frame after. Between any two frames of a motion there is some.
    pub velocity: f32,
}

/// Measures the seam of a loop that a move leads from begin to end of.
pub(super) fn measure(
    skeleton: &Skeleton,
    body: &LoopFrames,
    ground_transform: &GroundTransform,
) -> Seam {
    let back = ground_transform.inverse();
    let last = body.count().saturating_sub(1);
    let mut pose = Pose::rest(skeleton);
    let mut at = |frame: usize, on: &GroundTransform| {
        body.pose(skeleton, frame, on, &mut pose);
        let mut model = ModelPose::new(skeleton);
        // The pose is made for this skeleton.
        let _ = local_to_model(skeleton, &pose, &mut model);
        let points: Vec<Vec3> = model.points(skeleton).map(|(_, point)| point).collect();
        (points, pose.clone())
    };
    let here = GroundTransform::IDENTITY;
    let (first, first_pose) = at(0, &here);
    let (second, _) = at(1, &here);
    let (end, end_pose) = at(last, &back);
    let (before, _) = at(last.saturating_sub(1), &back);
    let mut seam = Seam::default();
    for point in 0..first.len() {
        let leaving = second[point] - first[point];
        let arriving = end[point] - before[point];
        let velocity = (leaving - arriving).length() * body.rate as f32;
        seam.velocity = seam.velocity.max(velocity);
        seam.distance = seam.distance.max((end[point] - first[point]).length());
    }
    for joint in (0..skeleton.len()).map(JointIndex::from) {
        let angle = quat_angle(first_pose.rotation(joint), end_pose.rotation(joint));
        seam.angle = seam.angle.max(angle);
    }
    seam
}

/// Takes the turn out of a loop, evenly over its length; the move that is left.
pub(super) fn straighten(
    body: &mut LoopFrames,
    ground_transform: &GroundTransform,
) -> GroundTransform {
    let last = body.count().saturating_sub(1);
    let travel = body.travel();
    let (Some(first), Some(end)) = (travel.first(), travel.last()) else {
        return *ground_transform;
    };
    // How far the root ends from where the move would lead it, which stays so.
    let off = end.at - first.moved(ground_transform).at;
    let turn = |frame: f64| -ground_transform.angle * frame / last.max(1) as f64;
    let mut before = first.at;
    let mut at = first.at;
    for (frame, place) in body.travel_mut().iter_mut().enumerate() {
        let way = (place.at - before).turned(Rotation64::about_y(turn(frame as f64 - 0.5)));
        before = place.at;
        at += way;
        place.at = at;
        place.turn = Rotation64::about_y(turn(frame as f64)).mul(place.turn);
    }
    let travel = body.travel();
    let (Some(first), Some(end)) = (travel.first(), travel.last()) else {
        return *ground_transform;
    };
    let way = end.at - first.at - off.turned(Rotation64::about_y(-ground_transform.angle));
    GroundTransform {
        angle: 0.0,
        x: way.x,
        z: way.z,
    }
}

/// Spreads what is between end and beginning to both sides, half to each.
pub(super) fn close(body: &mut LoopFrames, ground_transform: &GroundTransform, spread: f64) {
    let rate = body.rate;
    let last = body.count().saturating_sub(1);
    let spread = spread.min(0.5 * body.length()).max(1.0 / rate);
    let root = body.root.index();
    for (index, places) in body.joints.iter_mut().enumerate() {
        let on = if index == root {
            *ground_transform
        } else {
            GroundTransform::IDENTITY
        };
        close_joint(places, &on, rate, spread, last);
    }
}

/// Value and speed of a difference: position, turn and scale.
struct Difference {
    at: [V3; 2],
    turn: [V3; 2],
    scale: [V3; 2],
}

fn close_joint(places: &mut [Place], on: &GroundTransform, rate: f64, spread: f64, last: usize) {
    let back = on.inverse();
    let (Some(&first), Some(&second)) = (places.first(), places.get(1)) else {
        return;
    };
    let (Some(end), Some(before)) = (places.get(last), places.get(last.saturating_sub(1))) else {
        return;
    };
    let (end, before) = (end.moved(&back), before.moved(&back));
    let turn = |from: &Place, to: &Place| quat_log64(to.turn.mul(from.turn.inverse()));
    // How far, and how much faster, the end is than the beginning.
    let by = Difference {
        at: [
            end.at - first.at,
            (end.at - before.at - (second.at - first.at)) * rate,
        ],
        turn: [
            turn(&first, &end),
            (turn(&before, &end) - turn(&first, &second)) * rate,
        ],
        scale: [
            end.scale - first.scale,
            (end.scale - before.scale - (second.scale - first.scale)) * rate,
        ],
    };
    let ahead = Rotation64::about_y(on.angle);
    for (frame, place) in places.iter_mut().enumerate() {
        let since = frame as f64 / rate;
        let left = (last - frame) as f64 / rate;
        let begin = |of: &[V3; 2]| faded(of[0] * 0.5, of[1] * 0.5, since, spread);
        // Seen from the end, time goes backwards: a speed to be taken away is one that is added.
        let end = |of: &[V3; 2]| faded(of[0] * -0.5, of[1] * 0.5, left, spread);
        place.at += begin(&by.at) + end(&by.at).turned(ahead);
        place.scale += begin(&by.scale) + end(&by.scale);
        let turn = begin(&by.turn) + end(&by.turn).turned(ahead);
        place.turn = quat_exp64(turn).mul(place.turn).normalized();
    }
    // The last bit too.
    let first = places.first().copied();
    if let (Some(first), Some(end)) = (first, places.get_mut(last)) {
        *end = first.moved(on);
    }
}
