//! The hierarchy, names and rest positions that roles are detected from: those of a skeleton or of a 2D character.

use super::names::JointName;
use alloc::vec::Vec;
use glam::Vec3;

/// The value of [`BodyTree::parents`] for roots.
const ROOT: usize = usize::MAX;

/// A joint hierarchy in depth-first order, with what names and the rest pose say about each joint.
pub(super) struct BodyTree {
    pub(super) names: Vec<JointName>,
    parents: Vec<usize>,
    /// The end of each joint's subtree.
    ends: Vec<usize>,
    /// The number of ancestors.
    depths: Vec<usize>,
    /// The number of levels below.
    levels: Vec<usize>,
    /// Positions in the rest pose, in model space; finite.
    pub(super) points: Vec<Vec3>,
    /// Ends of bones that the file gives a length, in model space; finite.
    pub(super) tips: Vec<Option<Vec3>>,
    /// Joints that can play no role: IK targets and controls of 2D characters.
    pub(super) ignored: Vec<bool>,
    /// The IK chain of each bone of a 2D character.
    pub(super) ik_chains: Vec<Option<usize>>,
    /// Whether it is a 2D character: no axis to the left, limbs of any length.
    pub(super) is_flat: bool,
}

impl BodyTree {
    /// Creates a tree of joints in depth-first order, each with its name, parent, position and tip.
    pub(super) fn new(
        names: Vec<JointName>,
        parents: impl Iterator<Item = Option<usize>>,
        points: Vec<Vec3>,
        tips: Vec<Option<Vec3>>,
        ignored: Vec<bool>,
    ) -> Self {
        let parents: Vec<usize> = parents.map(|parent| parent.unwrap_or(ROOT)).collect();
        let count = parents.len();
        let mut depths = alloc::vec![0; count];
        let mut ends: Vec<usize> = (1..=count).collect();
        let mut levels = alloc::vec![0; count];
        for joint in 0..count {
            if let Some(above) = depths.get(parents[joint]).copied() {
                depths[joint] = above + 1;
            }
        }
        for joint in (0..count).rev() {
            let parent = parents[joint];
            if parent != ROOT {
                ends[parent] = ends[parent].max(ends[joint]);
                levels[parent] = levels[parent].max(levels[joint] + 1);
            }
        }
        let finite = |point: Vec3| {
            if point.is_finite() { point } else { Vec3::ZERO }
        };
        Self {
            names,
            parents,
            ends,
            depths,
            levels,
            points: points.into_iter().map(finite).collect(),
            tips: tips.into_iter().map(|tip| tip.map(finite)).collect(),
            ignored,
            ik_chains: alloc::vec![None; count],
            is_flat: false,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.parents.len()
    }

    pub(super) fn parent(&self, joint: usize) -> Option<usize> {
        let parent = self.parents.get(joint).copied();
        parent.filter(|parent| *parent != ROOT)
    }

    pub(super) fn depth(&self, joint: usize) -> usize {
        self.depths.get(joint).copied().unwrap_or(0)
    }

    /// Returns the number of levels below a joint; 0 for leaves.
    pub(super) fn levels_below(&self, joint: usize) -> usize {
        self.levels.get(joint).copied().unwrap_or(0)
    }

    /// Returns a joint and its descendants.
    pub(super) fn subtree(&self, joint: usize) -> core::ops::Range<usize> {
        joint..self.ends.get(joint).copied().unwrap_or(joint)
    }

    /// Returns whether `joint` is `ancestor` or one of its descendants.
    pub(super) fn is_within(&self, joint: usize, ancestor: usize) -> bool {
        self.subtree(ancestor).contains(&joint)
    }

    /// Returns whether `joint` is a descendant of `ancestor`.
    pub(super) fn is_below(&self, joint: usize, ancestor: usize) -> bool {
        joint != ancestor && self.is_within(joint, ancestor)
    }

    /// Returns a joint and its ancestors, upwards.
    pub(super) fn upwards(&self, joint: usize) -> impl Iterator<Item = usize> {
        core::iter::successors(Some(joint), |joint| self.parent(*joint))
    }

    /// Returns the lowest joint that both are within; `None` if they hang below different roots.
    pub(super) fn common_ancestor(&self, first: usize, second: usize) -> Option<usize> {
        self.upwards(first)
            .find(|above| self.is_within(second, *above))
    }

    /// Returns the joints from below `from` down to `to`, both excluded or not a path: empty.
    pub(super) fn between(&self, from: usize, to: usize) -> Vec<usize> {
        if !self.is_below(to, from) {
            return Vec::new();
        }
        let mut path: Vec<usize> = self
            .upwards(to)
            .skip(1)
            .take_while(|joint| *joint != from)
            .collect();
        path.reverse();
        path
    }
}
