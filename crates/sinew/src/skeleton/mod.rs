//! A joint hierarchy and its rest pose.

mod sides;

pub use sides::{Side, Sides};

use crate::math::{Transform, quat_dot};
use crate::simd::LANES;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;
use glam::Vec3;

/// The index of a joint in a [`Skeleton`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct JointIndex(pub u32);

impl JointIndex {
    /// Returns the index for slices.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl From<usize> for JointIndex {
    /// Saturates; no skeleton is that large.
    fn from(index: usize) -> Self {
        Self(u32::try_from(index).unwrap_or(u32::MAX))
    }
}

/// A joint: the origin of a bone, about which it rotates.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Joint {
    /// The name, unique in its skeleton; tracks of animations find their joint by it.
    pub name: String,
    /// The parent joint; `None` for a root.
    pub parent: Option<JointIndex>,
    /// The rest transform relative to the parent.
    pub rest: Transform,
    /// The end of its bone in its own space, in metres. Leaves have one if the file gives their length; otherwise the
    /// bone ends at its children.
    pub tip: Option<Vec3>,
}

/// An error of constructing a skeleton.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SkeletonError {
    /// There is no joint.
    #[error("a skeleton has at least one joint")]
    Empty,
    /// A joint has no name.
    #[error("joint {joint} has no name")]
    Unnamed {
        /// Its index in the list.
        joint: usize,
    },
    /// Two joints have the same name.
    #[error("joints {first} and {second} are both called {name:?}")]
    SameName {
        /// The name.
        name: String,
        /// The index of the first.
        first: usize,
        /// The index of the second.
        second: usize,
    },
    /// A joint is not in its parent's subtree.
    #[error(
        "joint {joint} {name:?} does not follow its parent: joints must be in depth-first order, each \
         after its parent, with only joints of the parent's subtree between"
    )]
    Order {
        /// Its index in the list.
        joint: usize,
        /// Its name.
        name: String,
    },
    /// A number is not finite, or a rotation is not of length 1.
    #[error(
        "joint {joint} {name:?} has an invalid rest transform: a number is not finite, or the rotation is not of length 1"
    )]
    Rest {
        /// Its index in the list.
        joint: usize,
        /// Its name.
        name: String,
    },
}

/// The tolerance of the squared length of a rest rotation.
const UNIT_TOLERANCE: f32 = 1e-3;

/// A joint hierarchy in depth-first order, parents before children, so every subtree is one range.
///
/// Immutable; share it between all users.
#[derive(Clone, Debug, PartialEq)]
pub struct Skeleton {
    joints: Vec<Joint>,
    /// The end of each joint's subtree.
    ends: Vec<u32>,
    /// Joint indices sorted by name.
    by_name: Vec<u32>,
    /// The parent of each joint, [`NO_PARENT`] for roots; in blocks of eight joints as in a pose, padded with roots.
    parents: Vec<[u32; LANES]>,
}

/// The value of a missing parent in [`Skeleton::parents`]. No skeleton has a joint of this index.
pub(crate) const NO_PARENT: u32 = u32::MAX;

impl Skeleton {
    /// Checks the joints and creates a skeleton.
    ///
    /// # Errors
    /// If there are no joints, a name is empty or repeated, the order is not depth first, or a rest transform is not
    /// finite.
    pub fn new(joints: Vec<Joint>) -> Result<Self, SkeletonError> {
        if joints.is_empty() {
            return Err(SkeletonError::Empty);
        }
        for (index, joint) in joints.iter().enumerate() {
            check(index, joint)?;
        }
        let ends = subtree_ends(&joints)?;
        let mut by_name: Vec<u32> = (0..joints.len() as u32).collect();
        by_name.sort_by(|&a, &b| joints[a as usize].name.cmp(&joints[b as usize].name));
        for pair in by_name.windows(2) {
            let (first, second) = (pair[0] as usize, pair[1] as usize);
            if joints[first].name == joints[second].name {
                return Err(SkeletonError::SameName {
                    name: joints[first].name.clone(),
                    first: first.min(second),
                    second: first.max(second),
                });
            }
        }
        let parent = |joint: &Joint| joint.parent.map_or(NO_PARENT, |parent| parent.0);
        let mut parents = alloc::vec![[NO_PARENT; LANES]; joints.len().div_ceil(LANES)];
        for (into, joint) in parents.as_flattened_mut().iter_mut().zip(&joints) {
            *into = parent(joint);
        }
        Ok(Self {
            joints,
            ends,
            by_name,
            parents,
        })
    }

    /// Returns the joints, parents before children.
    pub fn joints(&self) -> &[Joint] {
        &self.joints
    }

    /// Returns the parents of the joints, [`NO_PARENT`] for roots, in blocks of eight. Parents precede their
    /// children; the last block is padded with roots that are not in the skeleton.
    #[inline]
    pub(crate) fn parents(&self) -> &[[u32; LANES]] {
        &self.parents
    }

    /// Returns the number of joints; at least one.
    #[allow(clippy::len_without_is_empty, reason = "a skeleton is never empty")]
    pub fn len(&self) -> usize {
        self.joints.len()
    }

    /// Returns the joint at an index.
    pub fn joint(&self, joint: JointIndex) -> Option<&Joint> {
        self.joints.get(joint.index())
    }

    /// Returns the joint of that name; exact match.
    pub fn find(&self, name: &str) -> Option<JointIndex> {
        let position = self
            .by_name
            .binary_search_by(|&joint| self.joints[joint as usize].name.as_str().cmp(name));
        position
            .ok()
            .map(|position| JointIndex(self.by_name[position]))
    }

    /// Returns the subtree of a joint as indices of [`Skeleton::joints`]; empty out of range.
    pub fn subtree(&self, joint: JointIndex) -> Range<usize> {
        match self.ends.get(joint.index()) {
            Some(&end) => joint.index()..end as usize,
            None => 0..0,
        }
    }

    /// Returns the children of a joint, in order.
    pub fn children(&self, joint: JointIndex) -> impl Iterator<Item = JointIndex> {
        let below = self.subtree(joint);
        let mut next = below.start + 1;
        core::iter::from_fn(move || {
            let child = JointIndex::from(next);
            (next < below.end).then(|| {
                next = self.ends[next] as usize;
                child
            })
        })
    }

    /// Returns the joints without a parent.
    pub fn roots(&self) -> impl Iterator<Item = JointIndex> {
        let roots = self.joints.iter().enumerate();
        roots
            .filter(|(_, joint)| joint.parent.is_none())
            .map(|(index, _)| index.into())
    }

    /// Returns whether a joint has no children.
    pub fn is_leaf(&self, joint: JointIndex) -> bool {
        self.subtree(joint).len() == 1
    }
}

fn check(index: usize, joint: &Joint) -> Result<(), SkeletonError> {
    if joint.name.is_empty() {
        return Err(SkeletonError::Unnamed { joint: index });
    }
    let rotation = joint.rest.rotation;
    let is_unit = (quat_dot(rotation, rotation) - 1.0).abs() < UNIT_TOLERANCE;
    let tip_is_finite = joint.tip.is_none_or(|tip| tip.is_finite());
    if joint.rest.is_finite() && is_unit && tip_is_finite {
        Ok(())
    } else {
        Err(SkeletonError::Rest {
            joint: index,
            name: joint.name.clone(),
        })
    }
}

/// Returns the end of each subtree, if each parent is the preceding joint or one of its ancestors.
fn subtree_ends(joints: &[Joint]) -> Result<Vec<u32>, SkeletonError> {
    let mut ends = alloc::vec![0; joints.len()];
    // The path from the root to the preceding joint.
    let mut path: Vec<u32> = Vec::new();
    for (index, joint) in joints.iter().enumerate() {
        while path.last().copied() != joint.parent.map(|parent| parent.0) {
            let Some(closed) = path.pop() else {
                return Err(SkeletonError::Order {
                    joint: index,
                    name: joint.name.clone(),
                });
            };
            ends[closed as usize] = index as u32;
        }
        path.push(index as u32);
    }
    for open in path {
        ends[open as usize] = joints.len() as u32;
    }
    Ok(ends)
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;
    use alloc::vec;
    use glam::Quat;

    fn joint(name: &str, parent: Option<u32>) -> Joint {
        Joint {
            name: name.into(),
            parent: parent.map(JointIndex),
            rest: Transform::from_position(Vec3::Y),
            tip: None,
        }
    }

    #[test]
    fn what_makes_no_skeleton_is_refused() {
        assert_eq!(Skeleton::new(vec![]), Err(SkeletonError::Empty));
        let unnamed = vec![joint("a", None), joint("", Some(0))];
        assert_eq!(
            Skeleton::new(unnamed),
            Err(SkeletonError::Unnamed { joint: 1 })
        );
        let twice = vec![joint("a", None), joint("b", Some(0)), joint("a", Some(1))];
        let same = Skeleton::new(twice).unwrap_err();
        assert_eq!(same.to_string(), "joints 0 and 2 are both called \"a\"");
        let mut flying = joint("a", None);
        flying.rest.position.x = f32::NAN;
        assert!(matches!(
            Skeleton::new(vec![flying]),
            Err(SkeletonError::Rest { joint: 0, .. })
        ));
        let mut bent = joint("a", None);
        bent.rest.rotation = Quat::from_xyzw(0.0, 0.0, 0.0, 0.5);
        assert!(matches!(
            Skeleton::new(vec![bent]),
            Err(SkeletonError::Rest { joint: 0, .. })
        ));
    }

    #[test]
    fn joints_out_of_order_are_refused() {
        for parents in [
            &[Some(0)][..],
            &[Some(1), None],
            &[None, Some(7)],
            &[None, Some(0), Some(0), Some(1)],
            &[None, None, Some(0)],
        ] {
            let names = ["a", "b", "c", "d"];
            let joints = parents.iter().zip(names).map(|(&p, name)| joint(name, p));
            let result = Skeleton::new(joints.collect());
            assert!(
                matches!(result, Err(SkeletonError::Order { .. })),
                "{parents:?}"
            );
        }
    }

    #[test]
    fn subtrees_children_and_roots_are_those_of_the_tree() {
        let skeleton = Skeleton::new(vec![
            joint("hips", None),
            joint("leg", Some(0)),
            joint("foot", Some(1)),
            joint("spine", Some(0)),
            joint("prop", None),
        ])
        .unwrap();
        assert_eq!(skeleton.subtree(JointIndex(0)), 0..4);
        assert_eq!(skeleton.subtree(JointIndex(1)), 1..3);
        assert_eq!(skeleton.subtree(JointIndex(4)), 4..5);
        assert_eq!(skeleton.subtree(JointIndex(9)), 0..0);
        let children: Vec<u32> = skeleton.children(JointIndex(0)).map(|j| j.0).collect();
        assert_eq!(children, [1, 3]);
        assert_eq!(skeleton.children(JointIndex(9)).count(), 0);
        let roots: Vec<u32> = skeleton.roots().map(|j| j.0).collect();
        assert_eq!(roots, [0, 4]);
        assert_eq!(skeleton.find("spine"), Some(JointIndex(3)));
        assert_eq!(skeleton.find("Spine"), None);
        assert!(skeleton.is_leaf(JointIndex(2)) && !skeleton.is_leaf(JointIndex(1)));
    }
}
