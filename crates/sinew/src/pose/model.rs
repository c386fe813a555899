//! Model poses: matrices from each joint's frame to the model's.

use crate::skeleton::{JointIndex, Skeleton};
use alloc::vec::Vec;
use glam::{Mat4, Vec3};

/// Where every joint of a skeleton is in the model's frame, as matrices ready for skinning.
///
/// Made once per character and filled by [`crate::local_to_model()`]; only making it allocates.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelPose {
    pub(crate) matrices: Vec<Mat4>,
}

impl ModelPose {
    /// Room for the joints of a skeleton, all at the origin.
    pub fn new(skeleton: &Skeleton) -> Self {
        Self {
            matrices: alloc::vec![Mat4::IDENTITY; skeleton.len()],
        }
    }

    /// The matrices, in the order of the joints.
    pub fn matrices(&self) -> &[Mat4] {
        &self.matrices
    }

    /// The matrix of a joint; the identity out of range.
    pub fn matrix(&self, joint: JointIndex) -> Mat4 {
        let found = self.matrices.get(joint.index());
        found.copied().unwrap_or(Mat4::IDENTITY)
    }

    /// Where a joint is; the origin out of range.
    pub fn position(&self, joint: JointIndex) -> Vec3 {
        self.matrix(joint).w_axis.truncate()
    }

    /// Where `point`, given in a joint's frame, is in the model's.
    pub fn point(&self, joint: JointIndex, point: Vec3) -> Vec3 {
        let matrix = self.matrix(joint);
        let [x, y, z, w] = [matrix.x_axis, matrix.y_axis, matrix.z_axis, matrix.w_axis]
            .map(|column| column.truncate());
        w + (x * point.x + y * point.y + z * point.z)
    }

    /// Where a joint's bone ends, if its joint has a tip.
    pub fn tip(&self, skeleton: &Skeleton, joint: JointIndex) -> Option<Vec3> {
        let tip = skeleton.joint(joint)?.tip?;
        Some(self.point(joint, tip))
    }

    /// The ends of bones: where every joint is, each followed by its tip where it has one.
    pub fn points(&self, skeleton: &Skeleton) -> impl Iterator<Item = (JointIndex, Vec3)> {
        let joints = (0..skeleton.len()).map(JointIndex::from);
        joints.flat_map(move |joint| {
            let tip = self.tip(skeleton, joint).map(|tip| (joint, tip));
            core::iter::once((joint, self.position(joint))).chain(tip)
        })
    }

    /// Whether every number is finite.
    pub fn is_finite(&self) -> bool {
        self.matrices.iter().all(|matrix| matrix.is_finite())
    }
}
