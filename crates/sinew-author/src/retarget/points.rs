//! The points of a body that are measured, and where they are in a pose.

use super::body::Body;
use super::model_space::ModelSpace;
use glam::DVec3;

/// The number of measured points.
pub(super) const POINT_COUNT: usize = 18;

/// The index of the hips among the points.
pub(super) const HIPS: usize = 0;

/// A measured point of a limb, on each side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LimbPoint {
    UpperArm,
    LowerArm,
    Hand,
    UpperLeg,
    LowerLeg,
    Foot,
    Ball,
    ToeTip,
}

impl LimbPoint {
    /// The index among the points; the side is 0 for left and 1 for right.
    pub(super) const fn index(self, side: usize) -> usize {
        2 + 8 * side + self as usize
    }
}

/// The measured points: the joint of each, and the offset in its space.
#[derive(Clone, Debug)]
pub(super) struct BodyPoints([(usize, DVec3); POINT_COUNT]);

impl BodyPoints {
    /// Hips, head, and eight points per side. A foot without a ball has its ankle there, one without a tip its ball.
    pub(super) fn new(body: &Body) -> Self {
        let mut points = [(body.hips, DVec3::ZERO); POINT_COUNT];
        points[1].0 = body.neck.last().copied().unwrap_or(body.hips);
        for side in [0, 1] {
            let joints = &body.sides[side];
            let mut set = |point: LimbPoint, joint: usize, offset: DVec3| {
                points[point.index(side)] = (joint, offset);
            };
            let arm = [LimbPoint::UpperArm, LimbPoint::LowerArm, LimbPoint::Hand];
            for (point, joint) in arm.into_iter().zip(joints.arm) {
                set(point, joint, DVec3::ZERO);
            }
            let leg = [LimbPoint::UpperLeg, LimbPoint::LowerLeg, LimbPoint::Foot];
            for (point, joint) in leg.into_iter().zip(joints.leg) {
                set(point, joint, DVec3::ZERO);
            }
            let foot = joints.leg[2];
            let ball = body.ball(side).map_or((foot, DVec3::ZERO), |ball| {
                (ball.joint.index(), ball.offset.as_dvec3())
            });
            set(LimbPoint::Ball, ball.0, ball.1);
            let tip = joints
                .toes
                .and_then(|toes| Some((toes, body.bone_end(toes)?)));
            let (joint, offset) = tip.unwrap_or(ball);
            set(LimbPoint::ToeTip, joint, offset);
        }
        Self(points)
    }

    /// The joints that have a point.
    pub(super) fn joints(&self) -> impl Iterator<Item = usize> {
        self.0.iter().map(|(joint, _)| *joint)
    }

    /// The points of a pose.
    pub(super) fn of(&self, model: &ModelSpace) -> [DVec3; POINT_COUNT] {
        self.0.map(|(joint, offset)| {
            if offset == DVec3::ZERO {
                model.positions[joint]
            } else {
                model.point(joint, offset)
            }
        })
    }
}

/// The height of the lowest point of a foot.
pub(super) fn lowest(points: &[DVec3; POINT_COUNT], side: usize) -> f64 {
    let foot = [LimbPoint::Foot, LimbPoint::Ball, LimbPoint::ToeTip];
    let heights = foot.map(|point| points[point.index(side)].y);
    heights.into_iter().fold(f64::INFINITY, f64::min)
}
