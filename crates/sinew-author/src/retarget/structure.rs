//! The structure of a body: where limbs fork from the trunk, and its axes at rest.
//!
//! Found from names first: the chain of each limb whose names fit best. Their common ancestors are the forks. The axes
//! come from the body itself, not from the world, since files are y-up, z-up, or turned: up is from the hips to the
//! fork of the arms, forward is where the feet point.

use super::body_tree::BodyTree;
use super::chain::{MAX_LABELS, best_chain};
use super::role::BodyPart;
use super::shape::ShapeLimbs;
use alloc::vec::Vec;
use glam::Vec3;
use sinew::skeleton::Side;

/// The parts of an arm from the trunk outwards.
pub(super) const ARM: [BodyPart; MAX_LABELS] = [
    BodyPart::Clavicle,
    BodyPart::UpperArm,
    BodyPart::LowerArm,
    BodyPart::Hand,
];

/// The parts of a leg from the trunk outwards.
pub(super) const LEG: [BodyPart; MAX_LABELS] = [
    BodyPart::UpperLeg,
    BodyPart::LowerLeg,
    BodyPart::Foot,
    BodyPart::Toes,
];

/// Both sides, left first.
pub(super) const SIDES: [Side; 2] = [Side::Left, Side::Right];

/// The smallest score of a name that finds a limb.
const MIN_NAME: f32 = 0.2;

/// The smallest share of the body's size that a side, a direction or a height must differ by to count.
pub(super) const MARGIN: f32 = 0.02;

/// The joints of a limb, in the order of [`ARM`] or [`LEG`].
pub(super) type LimbJoints = [Option<usize>; MAX_LABELS];

/// How well a joint's name fits a part on a side.
pub(super) trait NameScores {
    /// Returns the score of a name, 0 to 1; 0 if its side is another.
    fn name(&self, joint: usize, part: BodyPart, side: Side) -> f32;
}

/// Where limbs fork, and the axes of the body.
pub(super) struct Structure {
    /// The joints of the arms, left and right, from names.
    pub(super) arms: [LimbJoints; 2],
    /// The joints of the legs, left and right, from names.
    pub(super) legs: [LimbJoints; 2],
    /// The joint that both arms descend from.
    pub(super) arm_fork: Option<usize>,
    /// The joint that both legs descend from.
    pub(super) leg_fork: Option<usize>,
    /// The lowest joint that all limbs descend from.
    pub(super) hips: Option<usize>,
    /// The joint that is the chest by its place: the fork of the arms, or the joint above it if that is the neck.
    pub(super) chest: Option<usize>,
    /// The joint whose name is best for a head.
    pub(super) head: Option<usize>,
    /// From the hips to the fork of the arms; unit, or zero without a trunk.
    pub(super) up: Vec3,
    /// To the character's left, from up and the direction of the feet; zero if unknown.
    pub(super) left: Vec3,
    /// The largest distance of a joint from the hips.
    pub(super) size: f32,
    /// Whether the arms stand on the ground as legs.
    pub(super) has_four_legs: bool,
    /// Whether the limbs were found by their shape.
    pub(super) is_by_shape: bool,
}

impl Structure {
    /// Finds the structure of a body from names.
    pub(super) fn new(tree: &BodyTree, names: &impl NameScores) -> Self {
        let chain = |parts: &[BodyPart; MAX_LABELS], side| {
            best_chain(tree, parts.len(), MIN_NAME, |joint, label| {
                names.name(joint, parts[label], side)
            })
        };
        let mut arms = SIDES.map(|side| chain(&ARM, side));
        let mut legs = SIDES.map(|side| chain(&LEG, side));
        for limb in arms.iter_mut().chain(&mut legs) {
            // One name alone is no limb: `LeftHandle`.
            if limb.iter().flatten().count() < 2 {
                *limb = [None; MAX_LABELS];
            }
        }
        Self::of_limbs(tree, names, arms, legs)
    }

    /// Finds the structure of a body from its shape, for limbs and a head that no names find; `None` if there is no such
    /// limb. It is good for candidates only: see [`super::shape`].
    pub(super) fn by_shape(&self, tree: &BodyTree, names: &impl NameScores) -> Option<Self> {
        let is_unknown = |limbs: &[LimbJoints; 2]| limbs.iter().flatten().all(Option::is_none);
        let unknown = [is_unknown(&self.arms), is_unknown(&self.legs)];
        if unknown == [false, false] {
            return None;
        }
        let found = ShapeLimbs::find(tree);
        let [arms, legs] = [
            if unknown[0] { found.arms } else { self.arms },
            if unknown[1] { found.legs } else { self.legs },
        ];
        if is_unknown(&arms) && is_unknown(&legs) {
            return None;
        }
        let mut structure = Self::of_limbs(tree, names, arms, legs);
        structure.is_by_shape = true;
        structure.head = structure.head.or_else(|| structure.top(tree));
        structure.measure(tree);
        Some(structure)
    }

    /// Returns the joint outside of the limbs that is highest above the chest.
    fn top(&self, tree: &BodyTree) -> Option<usize> {
        let from = self.chest.or(self.hips)?;
        let first = |limb: &LimbJoints| limb.iter().flatten().next().copied();
        let limbs = self.arms.iter().chain(&self.legs).filter_map(first);
        let limbs: Vec<usize> = limbs.collect();
        let height = |joint: &usize| (tree.points[*joint] - tree.points[from]).dot(self.up);
        let outside = tree
            .subtree(from)
            .skip(1)
            .filter(|joint| !limbs.iter().any(|limb| tree.is_within(*joint, *limb)));
        // Of equal heights the first.
        let highest = outside.reduce(|known, joint| {
            if height(&joint) > height(&known) {
                joint
            } else {
                known
            }
        });
        highest.filter(|joint| height(joint) > 0.0)
    }

    /// Finds the structure of a body with these limbs.
    pub(super) fn of_limbs(
        tree: &BodyTree,
        names: &impl NameScores,
        arms: [LimbJoints; 2],
        legs: [LimbJoints; 2],
    ) -> Self {
        let arm_fork = fork(tree, &arms);
        let leg_fork = fork(tree, &legs);
        let head = find_head(tree, names, &arms, &legs);
        let hips = match (arm_fork, leg_fork) {
            (Some(arm), Some(leg)) => tree.common_ancestor(arm, leg),
            (Some(arm), None) => Some(arm),
            (None, Some(leg)) => match head {
                Some(head) => tree.common_ancestor(leg, head),
                None => Some(leg),
            },
            (None, None) => None,
        };
        let is_neck = |joint: usize| names.name(joint, BodyPart::Neck, Side::Middle) >= 0.8;
        let chest = arm_fork.and_then(|fork| {
            if is_neck(fork) {
                tree.parent(fork)
            } else {
                Some(fork)
            }
        });
        let chest = chest.filter(|chest| hips.is_some_and(|hips| tree.is_below(*chest, hips)));
        let mut structure = Self {
            arms,
            legs,
            arm_fork,
            leg_fork,
            hips,
            chest,
            head,
            up: Vec3::ZERO,
            left: Vec3::ZERO,
            size: 0.0,
            has_four_legs: false,
            is_by_shape: false,
        };
        structure.measure(tree);
        structure
    }

    fn measure(&mut self, tree: &BodyTree) {
        let Some(hips) = self.hips else {
            return;
        };
        let origin = tree.points[hips];
        let body = tree.subtree(hips);
        let distances = tree.points[body]
            .iter()
            .map(|point| (*point - origin).length());
        let size = distances.fold(0.0, f32::max);
        self.size = if size.is_finite() { size } else { 0.0 };
        if self.size <= 0.0 {
            return;
        }
        // In 2D the torso often rotates about the hips, at the same place.
        let tops = [self.chest, self.head, self.arm_fork].into_iter().flatten();
        let mut trunks = tops.map(|top| direction(tree.points[top] - origin, self.size));
        self.up = trunks.find(|up| *up != Vec3::ZERO).unwrap_or(Vec3::ZERO);
        if tree.is_flat {
            return;
        }
        let forward = self
            .legs
            .iter()
            .filter_map(|leg| self.foot_direction(tree, leg));
        let forward = forward.fold(Vec3::ZERO, |sum, foot| sum + foot);
        let forward = forward - self.up * forward.dot(self.up);
        self.left = direction(self.up.cross(direction(forward, self.size)), 1.0);
        self.has_four_legs = self.stands_on_arms(tree);
    }

    /// Returns where a foot points: from the ankle to the toes, or to the farthest end below.
    fn foot_direction(&self, tree: &BodyTree, leg: &LimbJoints) -> Option<Vec3> {
        let ankle = leg[2]?;
        let from = tree.points[ankle];
        let end = match leg[3] {
            Some(toes) => tree.points[toes],
            None => {
                let below = tree.subtree(ankle);
                let ends = below.flat_map(|joint| [Some(tree.points[joint]), tree.tips[joint]]);
                ends.flatten().fold(from, |far, end| {
                    if (end - from).length() > (far - from).length() {
                        end
                    } else {
                        far
                    }
                })
            }
        };
        Some(end - from)
    }

    /// Returns whether the arms are legs: parallel to the legs and across the trunk, or with the hands as low as the
    /// feet. The heights are along the legs, since the world's axis is unknown. A rest pose with the legs on the side
    /// of the chest is no pose of a body, and is not judged.
    fn stands_on_arms(&self, tree: &BodyTree) -> bool {
        // A clavicle is above the arm, toes are beyond the leg.
        let mean = |limbs: &[LimbJoints; 2], parts: core::ops::Range<usize>| {
            let ends = limbs.iter().filter_map(|limb| {
                let mut found = limb[parts.clone()].iter().flatten();
                let first = found.next()?;
                let last = found.next_back()?;
                Some((tree.points[*first], tree.points[*last]))
            });
            let sum = ends.fold((Vec3::ZERO, Vec3::ZERO, 0.0), |sum, (from, to)| {
                (sum.0 + from, sum.1 + to, sum.2 + 1.0)
            });
            (sum.2 > 0.0).then(|| (sum.0 / sum.2, sum.1 / sum.2))
        };
        let (Some((shoulder, hand)), Some((hip, foot))) =
            (mean(&self.arms, 1..4), mean(&self.legs, 0..3))
        else {
            return false;
        };
        let leg = direction(foot - hip, self.size);
        let arm = direction(hand - shoulder, self.size);
        let leg_length = (foot - hip).length();
        let trunk_along_leg = self.up.dot(leg);
        let across = trunk_along_leg.abs() < 0.6 && arm.dot(leg) > 0.6;
        let hand_is_low = (foot - hand).dot(leg) < 0.15 * leg_length;
        across || (hand_is_low && trunk_along_leg < 0.6 && arm.dot(leg) > 0.6)
    }
}

/// Returns the joint that both limbs descend from; for one limb, the joint above it.
fn fork(tree: &BodyTree, limbs: &[LimbJoints; 2]) -> Option<usize> {
    let first = |limb: &LimbJoints| limb.iter().flatten().next().copied();
    match (first(&limbs[0]), first(&limbs[1])) {
        (Some(left), Some(right)) => tree.common_ancestor(left, right),
        (Some(only), None) | (None, Some(only)) => tree.parent(only),
        (None, None) => None,
    }
}

/// Returns the joint outside of the limbs whose name is best for a head; of equal ones the first.
fn find_head(
    tree: &BodyTree,
    names: &impl NameScores,
    arms: &[LimbJoints; 2],
    legs: &[LimbJoints; 2],
) -> Option<usize> {
    let in_limb = |joint: usize| {
        let mut limbs = arms.iter().chain(legs);
        limbs.any(|limb| {
            let first = limb.iter().flatten().next();
            first.is_some_and(|first| tree.is_within(joint, *first))
        })
    };
    let mut best: Option<(f32, usize)> = None;
    for joint in 0..tree.len() {
        let score = names.name(joint, BodyPart::Head, Side::Middle);
        if score >= MIN_NAME && best.is_none_or(|(known, _)| score > known) && !in_limb(joint) {
            best = Some((score, joint));
        }
    }
    best.map(|(_, joint)| joint)
}

/// Returns the direction of a vector; zero if it is shorter than [`MARGIN`] of `size`.
fn direction(vector: Vec3, size: f32) -> Vec3 {
    let length = vector.length();
    if length > size * MARGIN && length.is_finite() {
        vector / length
    } else {
        Vec3::ZERO
    }
}
