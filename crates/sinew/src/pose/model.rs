//! Model-space poses: the matrix from each joint's space to model space.

use crate::skeleton::{JointIndex, Skeleton};
use alloc::vec::Vec;
use glam::{Mat4, Vec3};

/// A model-space pose: the matrix of every joint, for skinning.
///
/// Create one per character and fill it by [`crate::local_to_model()`]; only construction allocates.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelPose {
    pub(crate) matrices: Vec<Mat4>,
}

impl ModelPose {
    /// Creates a pose for a skeleton, with all joints at the origin.
    pub fn new(skeleton: &Skeleton) -> Self {
        Self {
            matrices: alloc::vec![Mat4::IDENTITY; skeleton.len()],
        }
    }

    /// Returns the matrices in joint order.
    pub fn matrices(&self) -> &[Mat4] {
        &self.matrices
    }

    /// Returns the matrix of a joint; the identity out of range.
    pub fn matrix(&self, joint: JointIndex) -> Mat4 {
        let found = self.matrices.get(joint.index());
        found.copied().unwrap_or(Mat4::IDENTITY)
    }

    /// Returns the position of a joint; the origin out of range.
    pub fn position(&self, joint: JointIndex) -> Vec3 {
        self.matrix(joint).w_axis.truncate()
    }

    /// Transforms `point` from a joint's space to model space.
    pub fn point(&self, joint: JointIndex, point: Vec3) -> Vec3 {
        let matrix = self.matrix(joint);
        let [x, y, z, w] = [matrix.x_axis, matrix.y_axis, matrix.z_axis, matrix.w_axis]
            .map(|column| column.truncate());
        w + (x * point.x + y * point.y + z * point.z)
    }

    /// Returns the end of a joint's bone, if the joint has a tip.
    pub fn tip(&self, skeleton: &Skeleton, joint: JointIndex) -> Option<Vec3> {
        let tip = skeleton.joint(joint)?.tip?;
        Some(self.point(joint, tip))
    }

    /// Returns the position of every joint, each followed by its tip if it has one.
    pub fn points(&self, skeleton: &Skeleton) -> impl Iterator<Item = (JointIndex, Vec3)> {
        let joints = (0..skeleton.len()).map(JointIndex::from);
        joints.flat_map(move |joint| {
            let tip = self.tip(skeleton, joint).map(|tip| (joint, tip));
            core::iter::once((joint, self.position(joint))).chain(tip)
        })
    }

    /// Returns whether every number is finite.
    pub fn is_finite(&self) -> bool {
        self.matrices.iter().all(|matrix| matrix.is_finite())
    }
}
