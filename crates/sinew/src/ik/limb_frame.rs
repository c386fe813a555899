//! The joints of a limb at a frame, in double precision.
#![allow(missing_docs, reason = "shared with sinew-author only")]

use super::two_bone::Chain;
use crate::anatomy::{Limb, parent};
use crate::math::{dquat_from_quat, dquat_normalize, dquat_rotate, unit};
use crate::pose::Pose;
use crate::skeleton::{JointIndex, Skeleton};
use alloc::vec::Vec;
use glam::{DQuat, DVec3};

/// All joints of a pose in model space. Exact if scales are uniform.
#[derive(Clone, Debug)]
pub struct World {
    places: Vec<DVec3>,
    turns: Vec<DQuat>,
    scales: Vec<DVec3>,
}

impl World {
    /// Allocates for the joints of a skeleton.
    pub fn new(skeleton: &Skeleton) -> Self {
        Self {
            places: alloc::vec![DVec3::ZERO; skeleton.len()],
            turns: alloc::vec![DQuat::IDENTITY; skeleton.len()],
            scales: alloc::vec![DVec3::ONE; skeleton.len()],
        }
    }

    /// Computes the model-space transforms of a pose. Does not allocate.
    pub fn fill(&mut self, skeleton: &Skeleton, pose: &Pose) {
        for (index, joint) in skeleton.joints().iter().enumerate() {
            let own = pose.get(index.into());
            let (place, turn) = (own.position.as_dvec3(), dquat_from_quat(own.rotation));
            let scale = own.scale.as_dvec3();
            let above = joint.parent.map(|parent| self.at(parent));
            let (place, turn, scale) = match above {
                None => (place, turn, scale),
                Some((at, turned, scaled)) => (
                    at + dquat_rotate(turned, place * scaled),
                    turned * turn,
                    scaled * scale,
                ),
            };
            self.places[index] = place;
            self.turns[index] = turn;
            self.scales[index] = scale;
        }
    }

    fn at(&self, joint: JointIndex) -> (DVec3, DQuat, DVec3) {
        let index = joint.index();
        (self.places[index], self.turns[index], self.scales[index])
    }

    pub fn place(&self, joint: JointIndex) -> DVec3 {
        self.at(joint).0
    }

    pub fn turn(&self, joint: JointIndex) -> DQuat {
        self.at(joint).1
    }

    /// Returns the rotation and scale of a joint's parent.
    pub fn above(&self, skeleton: &Skeleton, joint: JointIndex) -> (DQuat, DVec3) {
        parent(skeleton, joint).map_or((DQuat::IDENTITY, DVec3::ONE), |parent| {
            let (_, turn, scale) = self.at(parent);
            (turn, scale)
        })
    }

    /// Returns the number of joints.
    pub fn joint_count(&self) -> usize {
        self.places.len()
    }

    pub fn is_finite(&self) -> bool {
        self.places.iter().all(|place| place.is_finite())
    }

    /// Returns the frame of a limb.
    pub fn limb(&self, skeleton: &Skeleton, limb: &Limb) -> LimbFrame {
        let parent_turn = |joint| self.above(skeleton, joint).0;
        let end = self.place(limb.end);
        let (ball, ball_joint) = match limb.ball {
            None => (end, limb.end),
            Some(ball) => {
                let (at, turn, scale) = self.at(ball.joint);
                let offset = ball.offset.as_dvec3() * scale;
                (at + dquat_rotate(turn, offset), ball.joint)
            }
        };
        LimbFrame {
            upper: self.place(limb.upper),
            middle: self.place(limb.middle),
            end,
            ball,
            turns: [limb.upper, limb.middle, limb.end, ball_joint].map(|joint| self.turn(joint)),
            above: [limb.upper, limb.middle, limb.end, ball_joint].map(parent_turn),
        }
    }
}

/// A limb at a frame, in model space.
#[derive(Clone, Copy, Debug)]
pub struct LimbFrame {
    pub upper: DVec3,
    pub middle: DVec3,
    pub end: DVec3,
    pub ball: DVec3,
    /// The rotations of the joints: upper, middle, end, and the ball's.
    pub turns: [DQuat; 4],
    /// The rotations of their parents.
    pub above: [DQuat; 4],
}

impl LimbFrame {
    /// Returns the bones, with the bend direction `bend` in the frame of the upper joint.
    pub fn chain(&self, bend: DVec3) -> Chain {
        Chain {
            upper: self.upper,
            middle: self.middle,
            end: self.end,
            bend: dquat_rotate(self.turns[0], bend),
        }
    }

    /// Returns the perpendicular offset of the middle joint from the line between the ends, in the frame of the upper
    /// joint: the longer, the more the limb is bent.
    pub fn bend(&self) -> DVec3 {
        let beside = match unit(self.end - self.upper) {
            Some(way) => (self.middle - self.upper).reject_from_normalized(way),
            None => DVec3::ZERO,
        };
        dquat_rotate(self.turns[0].conjugate(), beside)
    }

    /// Returns the length of the straight limb.
    pub fn length(&self) -> f64 {
        (self.middle - self.upper).length() + (self.end - self.middle).length()
    }

    /// Returns the local rotations of the four joints after the two bones and the foot are rotated in model space.
    /// Toes keep their rotation in model space.
    pub fn local_turns(&self, upper: DQuat, lower: DQuat, foot: DQuat) -> [DQuat; 4] {
        let [own_upper, own_middle, own_end, own_ball] = self.turns;
        let [above_upper, above_middle, above_end, above_ball] = self.above;
        let local = |above: DQuat, own: DQuat| dquat_normalize(above.conjugate() * own);
        [
            local(above_upper, upper * own_upper),
            local(upper * above_middle, lower * own_middle),
            local(lower * above_end, foot * own_end),
            local(foot * above_ball, own_ball),
        ]
    }
}
