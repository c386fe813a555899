//! Limbs by their shape, for bodies whose names say nothing.
//!
//! Limbs come in pairs: two children of one joint whose bones have the same lengths in the same order. Of all such
//! pairs, the longest that does not lie within a longer one is a pair of limbs, and so is the longest of the rest; the
//! legs are those that end lower. Fingers are shorter, and lie within an arm. The upper, lower and end joints are those
//! of the two longest consecutive bones, after the clavicle, as in [`sinew::anatomy::find_arms`].
//!
//! This cannot tell arms from forelegs, nor the left from the right of a body that may face either way: the left side is
//! that of positive x. It is good for candidates of a role, not for a role. Cost: linear in the number of joints times
//! the length of limbs, since at most [`MAX_BRANCHES`] children of a joint are compared.

use super::body_tree::BodyTree;
use super::chain::MAX_LABELS;
use super::structure::LimbJoints;
use alloc::vec::Vec;

/// The children of a joint that are compared, the longest first.
const MAX_BRANCHES: usize = 8;

/// The joints of a limb that are compared and used, from its upper end.
const MAX_JOINTS: usize = 8;

/// The maximum difference of the lengths of corresponding bones, as a share of the limb.
const MAX_DIFFERENCE: f32 = 0.05;

/// The maximum distance of a clavicle from the middle of its pair, as a share of the length from it to the end.
const CLAVICLE: f32 = 0.15;

/// A limb pair: the joints of two corresponding branches, from the trunk outwards.
struct LimbPair {
    /// The joint that the branches hang from.
    fork: usize,
    joints: [Vec<usize>; 2],
    length: f32,
}

/// The limbs of a body that its shape gives: arms and legs, each left and right.
#[derive(Default)]
pub(super) struct ShapeLimbs {
    pub(super) arms: [LimbJoints; 2],
    pub(super) legs: [LimbJoints; 2],
}

impl ShapeLimbs {
    /// Finds the limbs of a body.
    pub(super) fn find(tree: &BodyTree) -> Self {
        let mut pairs = limb_pairs(tree);
        // The sort is stable: of equal lengths the pair nearest to the root.
        pairs.sort_by(|first, second| second.length.total_cmp(&first.length));
        let mut chosen: Vec<LimbPair> = Vec::new();
        for pair in pairs {
            if chosen.len() < 2 && !chosen.iter().any(|known| known.overlaps(&pair, tree)) {
                chosen.push(pair);
            }
        }
        chosen.sort_by(|first, second| first.height(tree).total_cmp(&second.height(tree)));
        let mut found = Self::default();
        match chosen.as_slice() {
            [legs, arms] => {
                found.legs = legs.sided(tree, false);
                found.arms = arms.sided(tree, true);
            }
            [only] if only.height(tree) < tree.points[only.fork].y => {
                found.legs = only.sided(tree, false);
            }
            [only] => found.arms = only.sided(tree, true),
            _ => {}
        }
        found
    }
}

impl LimbPair {
    /// Returns whether a branch lies within a branch of the other pair.
    fn overlaps(&self, other: &Self, tree: &BodyTree) -> bool {
        let firsts = |pair: &Self| [pair.joints[0][0], pair.joints[1][0]];
        let within = |joint: &usize, above: &usize| {
            tree.is_within(*joint, *above) || tree.is_within(*above, *joint)
        };
        let others = firsts(other);
        firsts(self)
            .iter()
            .any(|joint| others.iter().any(|above| within(joint, above)))
    }

    /// Returns the mean height of the ends.
    fn height(&self, tree: &BodyTree) -> f32 {
        let ends = self.joints.iter().filter_map(|joints| joints.last());
        0.5 * ends.map(|end| tree.points[*end].y).sum::<f32>()
    }

    /// Returns the joints of both limbs by their parts, left first.
    fn sided(&self, tree: &BodyTree, is_arm: bool) -> [LimbJoints; 2] {
        let [first, second] = &self.joints;
        let across = |joints: &[usize]| {
            joints
                .iter()
                .map(|joint| tree.points[*joint].x)
                .sum::<f32>()
        };
        let is_mirrored = across(first) < across(second);
        let clavicles = usize::from(is_arm && self.has_clavicles(tree));
        let parts = |joints: &[usize]| {
            let mut limb = [None; MAX_LABELS];
            let Some(upper) = longest_bend(tree, joints, clavicles) else {
                return limb;
            };
            let from = if is_arm {
                upper.checked_sub(1)
            } else {
                Some(upper)
            };
            for (label, part) in limb.iter_mut().enumerate() {
                let place = match from {
                    Some(from) => Some(from + label),
                    None => label.checked_sub(1),
                };
                *part = place.and_then(|place| joints.get(place)).copied();
            }
            limb
        };
        if is_mirrored {
            [parts(second), parts(first)]
        } else {
            [parts(first), parts(second)]
        }
    }

    /// Returns whether the first joints are clavicles: near each other, with two bones after them.
    fn has_clavicles(&self, tree: &BodyTree) -> bool {
        let [first, second] = &self.joints;
        let length: f32 = bones(tree, first).sum();
        let from_middle = 0.5 * (tree.points[first[0]] - tree.points[second[0]]).length();
        first.len().min(second.len()) > 3 && from_middle < CLAVICLE * length
    }
}

/// Returns the lengths of the bones between the joints of a chain.
fn bones(tree: &BodyTree, chain: &[usize]) -> impl Iterator<Item = f32> {
    chain
        .windows(2)
        .map(|bone| (tree.points[bone[1]] - tree.points[bone[0]]).length())
}

/// Returns the index of the first joint of the two longest consecutive bones, from an index on.
fn longest_bend(tree: &BodyTree, chain: &[usize], from: usize) -> Option<usize> {
    let lengths: Vec<f32> = bones(tree, chain).collect();
    let mut longest: Option<(f32, usize)> = None;
    for (index, pair) in lengths.windows(2).enumerate().skip(from) {
        let length: f32 = pair.iter().sum();
        if longest.is_none_or(|(known, _)| length > known) {
            longest = Some((length, index));
        }
    }
    longest.map(|(_, index)| index)
}

/// Returns every pair of children of one joint that are alike.
fn limb_pairs(tree: &BodyTree) -> Vec<LimbPair> {
    let reaches = Reaches::new(tree);
    let mut children = alloc::vec![Vec::new(); tree.len()];
    for joint in 0..tree.len() {
        if let Some(parent) = tree.parent(joint)
            && tree.levels_below(joint) >= 2
        {
            children[parent].push(joint);
        }
    }
    let mut pairs = Vec::new();
    for (fork, branches) in children.iter_mut().enumerate() {
        branches
            .sort_by(|first, second| reaches.length(*second).total_cmp(&reaches.length(*first)));
        branches.truncate(MAX_BRANCHES);
        for (index, &first) in branches.iter().enumerate() {
            for &second in &branches[index + 1..] {
                let joints = [first, second].map(|branch| reaches.chain(branch));
                if are_alike(tree, fork, &joints) {
                    let length = reaches.length(first).min(reaches.length(second));
                    pairs.push(LimbPair {
                        fork,
                        joints,
                        length,
                    });
                }
            }
        }
    }
    pairs
}

/// Returns whether two chains have bones of the same lengths, as far as both go, and end apart from each other.
fn are_alike(tree: &BodyTree, fork: usize, joints: &[Vec<usize>; 2]) -> bool {
    let common = joints[0].len().min(joints[1].len());
    let [first, second] = [&joints[0][..common], &joints[1][..common]];
    if common < 3 {
        return false;
    }
    let to_fork = |chain: &[usize]| (tree.points[chain[0]] - tree.points[fork]).length();
    let length: f32 = bones(tree, first).sum();
    let allowed = MAX_DIFFERENCE * length;
    let mut pairs = bones(tree, first).zip(bones(tree, second));
    let ends = [first, second].map(|chain| tree.points[chain[common - 1]]);
    length > 0.0
        && (to_fork(first) - to_fork(second)).abs() <= allowed
        && pairs.all(|(first, second)| (first - second).abs() <= allowed)
        && (ends[0] - ends[1]).length() > allowed
}

/// The longest path down from each joint.
struct Reaches {
    lengths: Vec<f32>,
    next: Vec<Option<usize>>,
}

impl Reaches {
    fn new(tree: &BodyTree) -> Self {
        let mut lengths = alloc::vec![0.0_f32; tree.len()];
        let mut next = alloc::vec![None; tree.len()];
        // Children come after their parents; of equal paths the first child.
        for joint in (0..tree.len()).rev() {
            if let Some(parent) = tree.parent(joint) {
                let bone = (tree.points[joint] - tree.points[parent]).length();
                let length = bone + lengths[joint];
                if next[parent].is_none() || length >= lengths[parent] {
                    lengths[parent] = length;
                    next[parent] = Some(joint);
                }
            }
        }
        Self { lengths, next }
    }

    fn length(&self, joint: usize) -> f32 {
        self.lengths[joint]
    }

    /// Returns the joints of the longest path down, at most [`MAX_JOINTS`].
    fn chain(&self, joint: usize) -> Vec<usize> {
        core::iter::successors(Some(joint), |joint| self.next[*joint])
            .take(MAX_JOINTS)
            .collect()
    }
}
