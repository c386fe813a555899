//! Local poses in structure-of-arrays layout, eight joints per block.

use crate::math::Transform;
use crate::simd::LANES;
use crate::skeleton::{JointIndex, Skeleton};
use alloc::vec::Vec;
use glam::{Quat, Vec3};

/// The transforms of eight joints, one row of eight lanes per number.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(32))]
pub struct SoaTransform {
    pub position: [[f32; LANES]; 3],
    pub rotation: [[f32; LANES]; 4],
    pub scale: [[f32; LANES]; 3],
}

impl SoaTransform {
    pub(crate) const IDENTITY: Self = Self {
        position: [[0.0; LANES]; 3],
        rotation: [[0.0; LANES], [0.0; LANES], [0.0; LANES], [1.0; LANES]],
        scale: [[1.0; LANES]; 3],
    };
}

/// A local pose: the transform of every joint relative to its parent.
///
/// Stored as a structure of arrays in blocks of eight joints, the last one padded with identity joints. Create one
/// per character and refill it every frame; only construction allocates. Poses are equal if their joints are.
#[derive(Clone, Debug)]
pub struct Pose {
    blocks: Vec<SoaTransform>,
    len: usize,
}

impl Pose {
    /// Creates the rest pose of a skeleton.
    pub fn rest(skeleton: &Skeleton) -> Self {
        let mut pose = Self {
            blocks: alloc::vec![SoaTransform::IDENTITY; skeleton.len().div_ceil(LANES)],
            len: skeleton.len(),
        };
        for (index, joint) in skeleton.joints().iter().enumerate() {
            pose.set(index.into(), joint.rest);
        }
        pose
    }

    /// Copies another pose; allocates only if that one has more joints.
    pub fn copy_from(&mut self, other: &Self) {
        self.blocks.clone_from(&other.blocks);
        self.len = other.len;
    }

    /// Returns the number of joints.
    #[allow(clippy::len_without_is_empty, reason = "a skeleton is never empty")]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns the transform of a joint; the identity out of range.
    pub fn get(&self, joint: JointIndex) -> Transform {
        Transform {
            position: self.position(joint),
            rotation: self.rotation(joint),
            scale: self.scale(joint),
        }
    }

    /// Returns the position of a joint relative to its parent; the origin out of range.
    pub fn position(&self, joint: JointIndex) -> Vec3 {
        let (block, lane) = (joint.index() / LANES, joint.index() % LANES);
        let block = self.blocks.get(block);
        block.map_or(Vec3::ZERO, |block| {
            Vec3::from_array(block.position.map(|row| row[lane]))
        })
    }

    /// Returns the rotation of a joint; the identity out of range.
    pub fn rotation(&self, joint: JointIndex) -> Quat {
        let (block, lane) = (joint.index() / LANES, joint.index() % LANES);
        let block = self.blocks.get(block);
        block.map_or(Quat::IDENTITY, |block| {
            let [x, y, z, w] = block.rotation.map(|row| row[lane]);
            Quat::from_xyzw(x, y, z, w)
        })
    }

    /// Returns the scale of a joint; 1 out of range.
    pub fn scale(&self, joint: JointIndex) -> Vec3 {
        let (block, lane) = (joint.index() / LANES, joint.index() % LANES);
        let block = self.blocks.get(block);
        block.map_or(Vec3::ONE, |block| {
            Vec3::from_array(block.scale.map(|row| row[lane]))
        })
    }

    /// Sets the transform of a joint; ignored out of range.
    pub fn set(&mut self, joint: JointIndex, transform: Transform) {
        self.set_position(joint, transform.position);
        self.set_rotation(joint, transform.rotation);
        self.set_scale(joint, transform.scale);
    }

    /// Sets the position of a joint; ignored out of range.
    pub fn set_position(&mut self, joint: JointIndex, position: Vec3) {
        if let Some((block, lane)) = self.lane(joint) {
            fill(&mut block.position, lane, position.to_array());
        }
    }

    /// Sets the rotation of a joint to a unit quaternion; ignored out of range.
    pub fn set_rotation(&mut self, joint: JointIndex, rotation: Quat) {
        if let Some((block, lane)) = self.lane(joint) {
            fill(&mut block.rotation, lane, rotation.to_array());
        }
    }

    /// Sets the scale of a joint; ignored out of range.
    pub fn set_scale(&mut self, joint: JointIndex, scale: Vec3) {
        if let Some((block, lane)) = self.lane(joint) {
            fill(&mut block.scale, lane, scale.to_array());
        }
    }

    /// Returns whether every number is finite.
    pub fn is_finite(&self) -> bool {
        (0..self.len).all(|joint| self.get(joint.into()).is_finite())
    }

    /// Returns the blocks of eight joints, the last one padded with identity joints.
    #[inline]
    #[doc(hidden)]
    pub fn blocks(&self) -> &[SoaTransform] {
        &self.blocks
    }

    /// As [`Pose::blocks`]. The caller must leave the padding as an operation on identities would.
    #[inline]
    pub(crate) fn blocks_mut(&mut self) -> &mut [SoaTransform] {
        &mut self.blocks
    }

    fn lane(&mut self, joint: JointIndex) -> Option<(&mut SoaTransform, usize)> {
        if joint.index() >= self.len {
            return None;
        }
        let block = self.blocks.get_mut(joint.index() / LANES)?;
        Some((block, joint.index() % LANES))
    }
}

impl PartialEq for Pose {
    fn eq(&self, other: &Self) -> bool {
        // Blending may leave a rounding error in padding joints.
        self.len == other.len
            && (0..self.len).all(|joint| self.get(joint.into()) == other.get(joint.into()))
    }
}

fn fill<const N: usize>(rows: &mut [[f32; LANES]; N], lane: usize, values: [f32; N]) {
    for (row, value) in rows.iter_mut().zip(values) {
        row[lane] = value;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::skeleton::Joint;

    #[test]
    fn what_is_set_is_what_is_got_for_any_number_of_joints() {
        for count in [1, 3, 8, 9, 67] {
            let transform = |index: usize| Transform {
                position: Vec3::splat(index as f32),
                rotation: Quat::from_xyzw(0.0, 0.6, 0.8, 0.0),
                scale: Vec3::new(1.0, 2.0, index as f32),
            };
            let joint = |index: usize| Joint {
                name: alloc::format!("{index}"),
                parent: index.checked_sub(1).map(JointIndex::from),
                rest: transform(index),
                tip: None,
            };
            let skeleton = Skeleton::new((0..count).map(joint).collect()).unwrap();
            let mut pose = Pose::rest(&skeleton);
            assert_eq!(pose.len(), count);
            for index in 0..count {
                assert_eq!(pose.get(index.into()), transform(index));
            }
            let before = pose.clone();
            pose.set(count.into(), transform(5));
            pose.set(JointIndex(u32::MAX), transform(5));
            assert_eq!(pose, before);
            assert_eq!(pose.get(JointIndex(u32::MAX)), Transform::IDENTITY);
            assert!(pose.is_finite());
            pose.set_position(0.into(), Vec3::NAN);
            assert!(!pose.is_finite());
        }
    }
}
