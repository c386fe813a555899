//! Detects legs and arms from the shape of a skeleton.
//!
//! Joint names differ between studios, shapes do not: feet are the lowest 12 % of the rest pose, and a leg is the two
//! longest consecutive bones between a foot and the joint that it shares with another leg. Arms have no such shape, so
//! they also need names that tell left from right. One pass up from each leaf; done once per skeleton.

use crate::anatomy::{ancestors, body_root};
use crate::local_to_model::local_to_model;
use crate::pose::{ModelPose, Pose};
use crate::skeleton::{JointIndex, Side, Sides, Skeleton};
use alloc::vec::Vec;
use glam::Vec3;

/// The maximum height of feet above the lowest point, as a share of the rest pose's height.
const FOOT_ZONE: f32 = 0.12;

/// Bones shorter than this share of the rest pose's height are helpers at the same place.
const NO_LENGTH: f32 = 1e-3;

/// The maximum distance of a clavicle from the middle of the body, as a share of the length from it to the end of the
/// arm. Clavicles begin at 0 (Acclaim) to 0.11 (SMPL), shoulders at 0.2 (anime figures) to 0.35.
const CLAVICLE: f32 = 0.15;

/// The minimum distance between the ends of arms, as a share of that between limbs that hang from the hips.
const MIN_ARM_SPAN: f32 = 0.25;

/// A point of a limb that can touch the ground.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// The joint that it moves with.
    pub joint: JointIndex,
    /// The position in that joint's space, in metres.
    pub offset: Vec3,
}

/// A leg or an arm: two bones with the joint between them, and their end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limb {
    /// The side of the body, from joint names.
    pub side: Side,
    /// The hip or the shoulder.
    pub upper: JointIndex,
    /// The knee or the elbow.
    pub middle: JointIndex,
    /// The ankle or the wrist.
    pub end: JointIndex,
    /// The base of the toes, or the tip of the foot without toes. `None` for arms.
    pub ball: Option<Contact>,
    /// Whether the ankle is near the ground when the heel is; false for animals that walk on their toes.
    pub has_heel: bool,
    /// Whether it is an arm.
    pub is_arm: bool,
}

/// Finds the legs of a skeleton, in joint order: two for bipeds, four for quadrupeds.
///
/// A foot is the lowest part of the rest pose. The leg is the two longest consecutive bones above it, below the joint
/// at which it joins other legs. A foot without two such bones is ignored.
pub fn find_legs(skeleton: &Skeleton) -> Vec<Limb> {
    let rest = Rest::of(skeleton);
    let sides = Sides::of(skeleton);
    let tops = rest.foot_tops(skeleton);
    let leg = |&top: &JointIndex| {
        let other_tops = || tops.iter().filter(|other| **other != top);
        let is_branch = |joint: JointIndex| {
            let below = skeleton.subtree(joint);
            other_tops().any(|other| below.contains(&other.index()))
        };
        let [upper, middle, end] = rest.longest_bend(&rest.limb(skeleton, top, is_branch))?;
        let ball = rest.ball(skeleton, end);
        Some(Limb {
            side: sides.side(end),
            upper,
            middle,
            end,
            ball,
            has_heel: ball.is_none() || rest.place(end).y <= rest.zone,
            is_arm: false,
        })
    };
    tops.iter().filter_map(leg).collect()
}

/// Finds the arms of a skeleton, in joint order: limbs that are left or right by name and not legs. Of several such
/// limbs of a side, the arm is the one that extends farthest in the rest pose. Limbs that hang from the joint at which
/// the body first branches are legs, even in a rest pose that does not stand on them, unless there is no other.
///
/// The arm is the two longest consecutive bones of the limb without its clavicle. A clavicle and an upper arm may be
/// longer than an upper and a lower arm, and more alike, so lengths do not tell them apart; but clavicles begin near
/// the middle of the body, between the joint and the corresponding one of the other side, and shoulders do not.
pub fn find_arms(skeleton: &Skeleton) -> Vec<Limb> {
    let rest = Rest::of(skeleton);
    let sides = Sides::of(skeleton);
    let tops = rest.foot_tops(skeleton);
    let is_foot = |joint: usize| {
        let mut above = tops.iter().map(|top| skeleton.subtree(*top));
        above.any(|below| below.contains(&joint))
    };
    let mut arms = Vec::new();
    for side in [Side::Left, Side::Right] {
        let leaves = (0..skeleton.len()).filter(|&joint| {
            let index = JointIndex::from(joint);
            skeleton.is_leaf(index) && sides.side(index) == side && !is_foot(joint)
        });
        let reach = |joint: JointIndex| {
            let across = rest.place(joint) - rest.place(sides.partner(joint));
            across.length()
        };
        let hangs_from_root = |joint: &JointIndex| {
            let partner = sides.partner(*joint).index();
            let mut above = ancestors(skeleton, *joint);
            above.find(|joint| skeleton.subtree(*joint).contains(&partner)) == Some(rest.root)
        };
        let farthest = |joints: &mut dyn Iterator<Item = JointIndex>| {
            joints.max_by(|a, b| reach(*a).total_cmp(&reach(*b)).then(b.cmp(a)))
        };
        let ends: Vec<JointIndex> = leaves.map(JointIndex::from).collect();
        let any = farthest(&mut ends.iter().copied());
        let arm = farthest(&mut ends.iter().copied().filter(|end| !hangs_from_root(end)));
        let arm = arm.filter(|arm| any.is_none_or(|any| reach(*arm) >= MIN_ARM_SPAN * reach(any)));
        let hand = arm.or(any);
        let Some(hand) = hand else {
            continue;
        };
        let partner = sides.partner(hand).index();
        let is_branch = |joint: JointIndex| skeleton.subtree(joint).contains(&partner);
        let mut chain = rest.limb(skeleton, hand, is_branch);
        rest.remove_clavicle(&sides, &mut chain);
        if let Some([upper, middle, end]) = rest.longest_bend(&chain) {
            arms.push(Limb {
                side,
                upper,
                middle,
                end: rest.top_of(skeleton, end),
                ball: None,
                has_heel: false,
                is_arm: true,
            });
        }
    }
    arms.sort_by_key(|arm| arm.upper);
    arms
}

/// The rest pose in model space.
struct Rest {
    model: ModelPose,
    /// The maximum height of feet.
    zone: f32,
    /// The distance from the lowest point to the highest.
    height: f32,
    /// The highest joint of the body.
    root: JointIndex,
}

impl Rest {
    fn of(skeleton: &Skeleton) -> Self {
        let mut model = ModelPose::new(skeleton);
        // The pose is of this skeleton.
        let _ = local_to_model(skeleton, &Pose::rest(skeleton), &mut model);
        let root = body_root(skeleton);
        // Joints above the body may be anywhere and are excluded from its size.
        let is_above = |joint| ancestors(skeleton, root).any(|above| above == joint);
        let points = || {
            model
                .points(skeleton)
                .filter(|(joint, _)| !is_above(*joint))
        };
        let heights = || points().map(|(_, point)| point.y);
        let low = heights().fold(f32::INFINITY, f32::min);
        let high = heights().fold(f32::NEG_INFINITY, f32::max);
        let height = high - low;
        Self {
            zone: low + height * FOOT_ZONE,
            height,
            root,
            model,
        }
    }

    fn place(&self, joint: JointIndex) -> Vec3 {
        self.model.position(joint)
    }

    fn is_low(&self, joint: JointIndex) -> bool {
        self.place(joint).y <= self.zone
    }

    /// Returns the highest joint of each foot.
    fn foot_tops(&self, skeleton: &Skeleton) -> Vec<JointIndex> {
        let mut tops: Vec<JointIndex> = Vec::new();
        for leaf in (0..skeleton.len()).map(JointIndex::from) {
            let tip_is_low = self
                .model
                .tip(skeleton, leaf)
                .is_some_and(|tip| tip.y <= self.zone);
            if !skeleton.is_leaf(leaf) || !(self.is_low(leaf) || tip_is_low) {
                continue;
            }
            let mut top = leaf;
            while let Some(parent) = parent(skeleton, top).filter(|parent| self.is_low(*parent)) {
                top = parent;
            }
            // If every joint up to the root of the body is low, there is no leg above the foot.
            let is_root = parent(skeleton, top).is_none()
                || skeleton.subtree(top).contains(&self.root.index());
            if !is_root && !tops.contains(&top) {
                tops.push(top);
            }
        }
        tops
    }

    /// Returns the joints upwards from a joint, below the first joint for which `is_branch` is true, without helpers
    /// at the same place.
    fn limb(
        &self,
        skeleton: &Skeleton,
        from: JointIndex,
        is_branch: impl Fn(JointIndex) -> bool,
    ) -> Vec<JointIndex> {
        let mut chain: Vec<JointIndex> = Vec::new();
        let mut next = Some(from);
        while let Some(joint) = next.filter(|joint| !is_branch(*joint)) {
            let stands_apart = chain
                .last()
                .is_none_or(|below| self.bone(joint, *below) > self.height * NO_LENGTH);
            if stands_apart {
                chain.push(joint);
            } else if chain.len() == 1 {
                // Of helpers at the same place the highest moves the whole foot.
                chain[0] = joint;
            }
            next = parent(skeleton, joint).filter(|_| joint != self.root);
        }
        chain
    }

    /// Removes the clavicle from the upper end of an arm, if two bones remain.
    fn remove_clavicle(&self, sides: &Sides, arm: &mut Vec<JointIndex>) {
        let (Some(&top), true) = (arm.last(), arm.len() > 3) else {
            return;
        };
        let partner = sides.partner(top);
        let length: f32 = arm.windows(2).map(|bone| self.bone(bone[1], bone[0])).sum();
        if partner != top && 0.5 * self.bone(top, partner) < CLAVICLE * length {
            arm.pop();
        }
    }

    /// Returns the two longest consecutive bones of a limb, whose joints are listed upwards: their upper, middle and
    /// end joints.
    fn longest_bend(&self, chain: &[JointIndex]) -> Option<[JointIndex; 3]> {
        let mut longest: Option<(f32, [JointIndex; 3])> = None;
        for three in chain.windows(3) {
            let &[end, middle, upper] = three else {
                continue;
            };
            let length = self.bone(middle, end) + self.bone(upper, middle);
            if longest.is_none_or(|(known, _)| length > known) {
                longest = Some((length, [upper, middle, end]));
            }
        }
        longest.map(|(_, joints)| joints)
    }

    /// Returns the highest of the joints at the same place that a joint hangs from: it moves them all.
    fn top_of(&self, skeleton: &Skeleton, joint: JointIndex) -> JointIndex {
        let near = |above: &JointIndex| self.bone(*above, joint) <= self.height * NO_LENGTH;
        let above = ancestors(skeleton, joint).take_while(near);
        above.last().unwrap_or(joint)
    }

    fn bone(&self, from: JointIndex, to: JointIndex) -> f32 {
        (self.place(to) - self.place(from)).length()
    }

    /// Returns the first low joint below an ankle towards the longest toe, or the tip of the foot.
    fn ball(&self, skeleton: &Skeleton, end: JointIndex) -> Option<Contact> {
        let min_length = self.height * NO_LENGTH;
        let below = skeleton.subtree(end).map(JointIndex::from);
        let leaf = below
            .filter(|joint| skeleton.is_leaf(*joint))
            .max_by(|a, b| {
                let by_reach = self.bone(end, *a).total_cmp(&self.bone(end, *b));
                by_reach.then(b.cmp(a))
            })?;
        let mut ball = None;
        let mut next = Some(leaf);
        while let Some(joint) = next.filter(|joint| *joint != end) {
            if self.is_low(joint) && self.bone(end, joint) > min_length {
                ball = Some(Contact {
                    joint,
                    offset: Vec3::ZERO,
                });
            }
            next = parent(skeleton, joint);
        }
        ball.or_else(|| {
            let offset = skeleton.joint(leaf)?.tip?;
            (offset.length() > min_length).then_some(Contact {
                joint: leaf,
                offset,
            })
        })
    }
}

/// Returns the parent of a joint.
pub fn parent(skeleton: &Skeleton, joint: JointIndex) -> Option<JointIndex> {
    skeleton.joint(joint)?.parent
}
