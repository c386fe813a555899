//! The joints of a limb at a frame, in double precision.
#![allow(missing_docs, reason = "shared with sinew-author only")]

use super::two_bone::Chain;
use crate::anatomy::{Limb, parent};
use crate::math::Rotation64;
use crate::math::V3;
use crate::pose::Pose;
use crate::skeleton::{JointIndex, Skeleton};
use alloc::vec::Vec;

/// All joints of a pose in model space. Exact if scales are uniform.
#[derive(Clone, Debug)]
pub struct World {
    places: Vec<V3>,
    turns: Vec<Rotation64>,
    scales: Vec<V3>,
}

impl World {
    /// Allocates for the joints of a skeleton.
    pub fn new(skeleton: &Skeleton) -> Self {
        Self {
            places: alloc::vec![V3::ZERO; skeleton.len()],
            turns: alloc::vec![Rotation64::IDENTITY; skeleton.len()],
            scales: alloc::vec![V3::new(1.0, 1.0, 1.0); skeleton.len()],
        }
    }

    /// Computes the model-space transforms of a pose. Does not allocate.
    pub fn fill(&mut self, skeleton: &Skeleton, pose: &Pose) {
        for (index, joint) in skeleton.joints().iter().enumerate() {
            let own = pose.get(index.into());
            let (place, turn) = (
                V3::from_vec3(own.position),
                Rotation64::from_quat(own.rotation),
            );
            let scale = V3::from_vec3(own.scale);
            let above = joint.parent.map(|parent| self.at(parent));
            let (place, turn, scale) = match above {
                None => (place, turn, scale),
                Some((at, turned, scaled)) => (
                    at + place.scaled(scaled).turned(turned),
                    turned.mul(turn),
                    scaled.scaled(scale),
                ),
            };
            self.places[index] = place;
            self.turns[index] = turn;
            self.scales[index] = scale;
        }
    }

    fn at(&self, joint: JointIndex) -> (V3, Rotation64, V3) {
        let index = joint.index();
        (self.places[index], self.turns[index], self.scales[index])
    }

    pub fn place(&self, joint: JointIndex) -> V3 {
        self.at(joint).0
    }

    pub fn turn(&self, joint: JointIndex) -> Rotation64 {
        self.at(joint).1
    }

    /// Returns the rotation and scale of a joint's parent.
    pub fn above(&self, skeleton: &Skeleton, joint: JointIndex) -> (Rotation64, V3) {
        let one = V3::new(1.0, 1.0, 1.0);
        parent(skeleton, joint).map_or((Rotation64::IDENTITY, one), |parent| {
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
                let offset = V3::from_vec3(ball.offset).scaled(scale);
                (at + offset.turned(turn), ball.joint)
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
    pub upper: V3,
    pub middle: V3,
    pub end: V3,
    pub ball: V3,
    /// The rotations of the joints: upper, middle, end, and the ball's.
    pub turns: [Rotation64; 4],
    /// The rotations of their parents.
    pub above: [Rotation64; 4],
}

impl LimbFrame {
    /// Returns the bones, with the bend direction `bend` in the frame of the upper joint.
    pub fn chain(&self, bend: V3) -> Chain {
        Chain {
            upper: self.upper,
            middle: self.middle,
            end: self.end,
            bend: bend.turned(self.turns[0]),
        }
    }

    /// Returns the perpendicular offset of the middle joint from the line between the ends, in the frame of the upper
    /// joint: the longer, the more the limb is bent.
    pub fn bend(&self) -> V3 {
        let beside = match (self.end - self.upper).unit() {
            Some(way) => (self.middle - self.upper).beside(way),
            None => V3::ZERO,
        };
        beside.turned(self.turns[0].inverse())
    }

    /// Returns the length of the straight limb.
    pub fn length(&self) -> f64 {
        (self.middle - self.upper).length() + (self.end - self.middle).length()
    }

    /// Returns the local rotations of the four joints after the two bones and the foot are rotated in model space.
    /// Toes keep their rotation in model space.
    pub fn local_turns(
        &self,
        upper: Rotation64,
        lower: Rotation64,
        foot: Rotation64,
    ) -> [Rotation64; 4] {
        let [own_upper, own_middle, own_end, own_ball] = self.turns;
        let [above_upper, above_middle, above_end, above_ball] = self.above;
        let local = |above: Rotation64, own: Rotation64| above.inverse().mul(own).normalized();
        [
            local(above_upper, upper.mul(own_upper)),
            local(upper.mul(above_middle), lower.mul(own_middle)),
            local(lower.mul(above_end), foot.mul(own_end)),
            local(foot.mul(above_ball), own_ball),
        ]
    }
}
