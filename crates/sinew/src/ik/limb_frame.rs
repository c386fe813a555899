//! The joints of a limb at a frame, in double precision.
//!
//! Model-space transforms are kept as position, rotation and scale: `p = p_parent + R_parent (s_parent p_local)`,
//! `R = R_parent R_local`, `s = s_parent s_local`: one quaternion product and one rotated vector per joint. Matrices
//! would also hold the shear of non-uniform scales, which rotations of joints cannot express.
#![allow(missing_docs, reason = "shared with sinew-author only")]

use super::two_bone::TwoBone64;
use crate::anatomy::{Limb, parent};
use crate::math::{dquat_from_quat, dquat_normalize, dquat_rotate, unit};
use crate::pose::Pose;
use crate::skeleton::{JointIndex, Skeleton};
use alloc::vec::Vec;
use glam::{DQuat, DVec3};

/// All joints of a pose in model space. Exact if scales are uniform.
#[derive(Clone, Debug)]
pub struct ModelPose64 {
    positions: Vec<DVec3>,
    rotations: Vec<DQuat>,
    scales: Vec<DVec3>,
}

impl ModelPose64 {
    /// Allocates for the joints of a skeleton.
    pub fn new(skeleton: &Skeleton) -> Self {
        Self {
            positions: alloc::vec![DVec3::ZERO; skeleton.len()],
            rotations: alloc::vec![DQuat::IDENTITY; skeleton.len()],
            scales: alloc::vec![DVec3::ONE; skeleton.len()],
        }
    }

    /// Computes the model-space transforms of a pose. Does not allocate.
    pub fn fill(&mut self, skeleton: &Skeleton, pose: &Pose) {
        for (index, joint) in skeleton.joints().iter().enumerate() {
            let local = pose.get(index.into());
            let mut position = local.position.as_dvec3();
            let mut rotation = dquat_from_quat(local.rotation);
            let mut scale = local.scale.as_dvec3();
            if let Some(parent) = joint.parent.map(JointIndex::index) {
                let (parent_rotation, parent_scale) = (self.rotations[parent], self.scales[parent]);
                let offset = dquat_rotate(parent_rotation, position * parent_scale);
                position = self.positions[parent] + offset;
                rotation = parent_rotation * rotation;
                scale *= parent_scale;
            }
            self.positions[index] = position;
            self.rotations[index] = rotation;
            self.scales[index] = scale;
        }
    }

    pub fn position(&self, joint: JointIndex) -> DVec3 {
        self.positions[joint.index()]
    }

    pub fn rotation(&self, joint: JointIndex) -> DQuat {
        self.rotations[joint.index()]
    }

    /// Returns the rotation and scale of a joint's parent.
    pub fn parent_rotation_scale(&self, skeleton: &Skeleton, joint: JointIndex) -> (DQuat, DVec3) {
        let parent = parent(skeleton, joint).map(JointIndex::index);
        parent.map_or((DQuat::IDENTITY, DVec3::ONE), |parent| {
            (self.rotations[parent], self.scales[parent])
        })
    }

    /// Returns the number of joints.
    pub fn joint_count(&self) -> usize {
        self.positions.len()
    }

    pub fn is_finite(&self) -> bool {
        self.positions.iter().all(|position| position.is_finite())
    }

    /// Returns the frame of a limb.
    pub fn limb(&self, skeleton: &Skeleton, limb: &Limb) -> LimbFrame {
        let end = self.position(limb.end);
        let (ball, ball_joint) = match limb.ball {
            None => (end, limb.end),
            Some(ball) => {
                let offset = ball.offset.as_dvec3() * self.scales[ball.joint.index()];
                let offset = dquat_rotate(self.rotation(ball.joint), offset);
                (self.position(ball.joint) + offset, ball.joint)
            }
        };
        let joints = [limb.upper, limb.middle, limb.end, ball_joint];
        LimbFrame {
            upper: self.position(limb.upper),
            middle: self.position(limb.middle),
            end,
            ball,
            rotations: joints.map(|joint| self.rotation(joint)),
            parent_rotations: joints.map(|joint| self.parent_rotation_scale(skeleton, joint).0),
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
    pub rotations: [DQuat; 4],
    /// The rotations of their parents.
    pub parent_rotations: [DQuat; 4],
}

impl LimbFrame {
    /// Returns the bones, with the bend direction `bend` in the frame of the upper joint.
    pub fn chain(&self, bend: DVec3) -> TwoBone64 {
        TwoBone64 {
            upper: self.upper,
            middle: self.middle,
            end: self.end,
            bend: dquat_rotate(self.rotations[0], bend),
        }
    }

    /// Returns the perpendicular offset of the middle joint from the line between the ends, in the frame of the upper
    /// joint: the longer, the more the limb is bent.
    pub fn bend(&self) -> DVec3 {
        let offset = match unit(self.end - self.upper) {
            Some(axis) => (self.middle - self.upper).reject_from_normalized(axis),
            None => DVec3::ZERO,
        };
        dquat_rotate(self.rotations[0].conjugate(), offset)
    }

    /// Returns the length of the straight limb.
    pub fn length(&self) -> f64 {
        (self.middle - self.upper).length() + (self.end - self.middle).length()
    }

    /// Returns the local rotations of the four joints after the two bones and the foot are rotated in model space.
    /// Toes keep their rotation in model space.
    pub fn local_rotations(&self, upper: DQuat, lower: DQuat, foot: DQuat) -> [DQuat; 4] {
        let [old_upper, old_middle, old_end, old_ball] = self.rotations;
        let [upper_parent, middle_parent, end_parent, ball_parent] = self.parent_rotations;
        let local = |parent: DQuat, model: DQuat| dquat_normalize(parent.conjugate() * model);
        [
            local(upper_parent, upper * old_upper),
            local(upper * middle_parent, lower * old_middle),
            local(lower * end_parent, foot * old_end),
            local(foot * ball_parent, old_ball),
        ]
    }
}
