//! Joints in model space, in double precision.

use alloc::vec::Vec;
use glam::{DQuat, DVec3};
use sinew::Pose;
use sinew::math::{dquat_from_quat, dquat_rotate};
use sinew::skeleton::{JointIndex, Skeleton};

/// The model-space transform of every joint. Exact if scales are uniform.
#[derive(Clone, Debug)]
pub(super) struct ModelSpace {
    pub(super) positions: Vec<DVec3>,
    pub(super) rotations: Vec<DQuat>,
    pub(super) scales: Vec<DVec3>,
}

impl ModelSpace {
    /// Allocates for a number of joints.
    pub(super) fn new(count: usize) -> Self {
        Self {
            positions: alloc::vec![DVec3::ZERO; count],
            rotations: alloc::vec![DQuat::IDENTITY; count],
            scales: alloc::vec![DVec3::ONE; count],
        }
    }

    /// The rest pose of a skeleton.
    pub(super) fn at_rest(skeleton: &Skeleton) -> Self {
        let mut model = Self::new(skeleton.len());
        model.fill(&parents(skeleton), &Pose::rest(skeleton));
        model
    }

    /// Computes the model-space transforms of a pose. Does not allocate.
    pub(super) fn fill(&mut self, parents: &[Option<usize>], pose: &Pose) {
        for (index, parent) in parents.iter().enumerate() {
            let joint = JointIndex::from(index);
            let rotation = dquat_from_quat(pose.rotation(joint));
            self.place(index, *parent, pose.position(joint).as_dvec3(), rotation);
            self.scale(index, *parent, pose.scale(joint).as_dvec3());
        }
    }

    /// Sets a joint from its transform relative to its parent, which is set already.
    pub(super) fn place(
        &mut self,
        index: usize,
        parent: Option<usize>,
        position: DVec3,
        rotation: DQuat,
    ) {
        let (position, rotation) = match parent {
            None => (position, rotation),
            Some(parent) => (
                self.point(parent, position),
                self.rotations[parent] * rotation,
            ),
        };
        self.positions[index] = position;
        self.rotations[index] = rotation;
    }

    /// Sets the scale of a joint.
    pub(super) fn scale(&mut self, index: usize, parent: Option<usize>, scale: DVec3) {
        self.scales[index] = parent.map_or(scale, |parent| self.scales[parent] * scale);
    }

    /// Transforms a point from a joint's space to model space.
    pub(super) fn point(&self, joint: usize, point: DVec3) -> DVec3 {
        let scaled = point * self.scales[joint];
        self.positions[joint] + dquat_rotate(self.rotations[joint], scaled)
    }

    /// Whether every position is finite, and small enough for sums of squares.
    pub(super) fn is_finite(&self) -> bool {
        let in_range =
            |position: &DVec3| position.is_finite() && position.abs().max_element() < 1e12;
        self.positions.iter().all(in_range) && self.rotations.iter().all(|r| r.is_finite())
    }
}

/// The parent of each joint.
pub(super) fn parents(skeleton: &Skeleton) -> Vec<Option<usize>> {
    let joints = skeleton.joints().iter();
    joints
        .map(|joint| joint.parent.map(JointIndex::index))
        .collect()
}
