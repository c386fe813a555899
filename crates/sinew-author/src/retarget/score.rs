//! How well a joint fits a role: name, topology and geometry.
//!
//! ```text
//! score = 0.6 name + 0.25 topology + 0.15 geometry          each 0 to 1
//! ```
//!
//! **Name**: the tables of [`super::words`] and [`super::systems`]; 0 on the wrong side. **Topology**: half for a
//! place on the right branch (limbs below their fork, the spine between hips and chest, the head above), half for the
//! order: an upper arm has two joints below it, a hand two above. **Geometry**: the share of checks that hold at rest:
//! the side against the direction of the feet, arms above the hips, legs below. Checks that a body does not allow,
//! such as a side without toes, are left out.
//!
//! Names alone give 0.6. That would make a fox humanoid whose forelegs are called `LeftUpperArm`. So arms that stand on
//! the ground get neither topology nor geometry and half of their name: 0.3.

use super::body_tree::BodyTree;
use super::names::JointName;
use super::role::{BodyPart, Role};
use super::structure::{ARM, LEG, MARGIN, NameScores, SIDES, Structure};
use super::systems;
use alloc::vec::Vec;
use glam::Vec3;
use sinew::skeleton::Side;

const NAME: f32 = 0.6;
const TOPOLOGY: f32 = 0.25;
const GEOMETRY: f32 = 0.15;

/// The factor of arms that stand on the ground as legs.
const FOUR_LEGS: f32 = 0.5;

/// The factor of a name without a side, on the side where the joint is.
const UNSIDED: f32 = 0.85;

/// The height of the upper leg above the hips that is allowed, as a share of the body's size.
const HIP_JOINT_HEIGHT: f32 = 0.15;

const PARTS: usize = BodyPart::ALL.len();

/// The scores of names, per joint and part, and the side of each joint.
pub(super) struct Names {
    scores: Vec<[f32; PARTS]>,
    /// The side and how sure it is: 1 from the joint's name, less from its place.
    sides: Vec<Option<(Side, f32)>>,
}

impl Names {
    /// Scores all names. `near` is the side towards the viewer of a 2D character, in which the torso is the chest.
    pub(super) fn new(tree: &BodyTree, near: Side) -> Self {
        let is_flat = tree.is_flat;
        let system = systems::recognise(&tree.names);
        let score = |name: &JointName, part: BodyPart| {
            if let Some(known) = system.and_then(|system| system.part(name)) {
                return f32::from(u8::from(known == Some(part)));
            }
            if is_flat && part == BodyPart::Chest && name.key() == "torso" && !name.is_helper() {
                return 1.0;
            }
            name.score(part)
        };
        let scores = (0..tree.len()).map(|joint| match tree.ignored[joint] {
            true => [0.0; PARTS],
            false => BodyPart::ALL.map(|part| score(&tree.names[joint], part)),
        });
        let scores = scores.collect();
        let mut sides: Vec<Option<(Side, f32)>> = Vec::with_capacity(tree.len());
        let extent = tree
            .points
            .iter()
            .map(|point| point.x.abs())
            .fold(0.0, f32::max);
        for joint in 0..tree.len() {
            let named = tree.names[joint].body_side(near).map(|side| (side, 1.0));
            let above = tree.parent(joint).and_then(|parent| sides[parent]);
            let above = above.filter(|(_, certainty)| *certainty == 1.0);
            let x = tree.points[joint].x;
            let placed = if is_flat || x.abs() <= extent * MARGIN {
                None
            } else if x > 0.0 {
                Some((Side::Left, UNSIDED))
            } else {
                Some((Side::Right, UNSIDED))
            };
            sides.push(named.or(above).or(placed));
        }
        Self { scores, sides }
    }

    /// Returns the score of a name regardless of its side.
    pub(super) fn unsided(&self, joint: usize, part: BodyPart) -> f32 {
        self.scores[joint][part as usize]
    }

    /// Returns whether a joint is on a side that is not this one.
    fn is_on_other_side(&self, joint: usize, side: Side) -> bool {
        self.sides[joint].is_some_and(|(found, _)| found != side)
    }

    /// Returns how sure it is that a joint is on a side, 0 to 1.
    fn on_side(&self, joint: usize, side: Side) -> f32 {
        match self.sides[joint] {
            Some((found, certainty)) if found == side => certainty,
            _ => 0.0,
        }
    }
}

impl NameScores for Names {
    fn name(&self, joint: usize, part: BodyPart, side: Side) -> f32 {
        let score = self.unsided(joint, part);
        if part.is_sided() {
            score * self.on_side(joint, side)
        } else {
            score
        }
    }
}

/// Scores joints of a body for roles.
pub(super) struct Scorer<'a> {
    pub(super) tree: &'a BodyTree,
    pub(super) names: &'a Names,
    pub(super) structure: &'a Structure,
}

impl Scorer<'_> {
    /// Returns the score of a joint for a role, 0 to 1.
    pub(super) fn score(&self, joint: usize, role: Role) -> f32 {
        if self.tree.ignored[joint] {
            return 0.0;
        }
        if self.is_excluded(joint, role.part) {
            return 0.0;
        }
        let name = self.name(joint, role);
        if name == 0.0 && (self.tree.names[joint].is_helper() || self.is_other_side(joint, role)) {
            return 0.0;
        }
        let is_guess = name == 0.0 && self.structure.is_by_shape;
        if self.structure.has_four_legs && is_arm(role.part) && !is_guess {
            return NAME * name * FOUR_LEGS;
        }
        NAME * name + TOPOLOGY * self.topology(joint, role) + GEOMETRY * self.geometry(joint, role)
    }

    /// Returns whether the definition of a part excludes a joint: the chest is the fork of the arms or above it, the
    /// spine below the chest, the neck above it.
    fn is_excluded(&self, joint: usize, part: BodyPart) -> bool {
        let Some(chest) = self.structure.chest else {
            return false;
        };
        let is_named = self.chest_name(chest) >= 0.5;
        match part {
            BodyPart::Chest => self.tree.is_below(joint, chest),
            BodyPart::Spine => is_named && self.tree.is_within(joint, chest),
            BodyPart::Neck => is_named && self.tree.is_within(chest, joint),
            _ => false,
        }
    }

    /// Returns how well a name fits the chest at the fork of the arms, where a spine joint is the chest.
    fn chest_name(&self, joint: usize) -> f32 {
        let names = [BodyPart::Chest, BodyPart::Spine];
        let names = names.map(|part| self.names.unsided(joint, part));
        names[0].max(names[1])
    }

    fn name(&self, joint: usize, role: Role) -> f32 {
        match role.part {
            BodyPart::Chest if self.structure.chest == Some(joint) => self.chest_name(joint),
            part => self.names.name(joint, part, role.side),
        }
    }

    fn is_other_side(&self, joint: usize, role: Role) -> bool {
        role.part.is_sided() && self.names.is_on_other_side(joint, role.side)
    }

    fn topology(&self, joint: usize, role: Role) -> f32 {
        let Structure {
            hips, chest, head, ..
        } = *self.structure;
        let Some(hips) = hips else {
            return 0.0;
        };
        let tree = self.tree;
        let half = |holds: bool| if holds { 0.5 } else { 0.0 };
        let is_trunk = |joint: usize| {
            tree.is_within(hips, joint) || head.is_some_and(|head| tree.is_within(head, joint))
        };
        match role.part {
            BodyPart::Reference => half(tree.is_below(hips, joint)) * 2.0,
            BodyPart::Hips => match tree.is_within(hips, joint) {
                true => {
                    let steps = tree.depth(hips) - tree.depth(joint);
                    (1.0 - 0.5 * steps as f32).max(0.0)
                }
                false => 0.0,
            },
            BodyPart::Spine => {
                let below_chest = chest.is_none_or(|chest| tree.is_below(chest, joint));
                half(tree.is_below(joint, hips)) + half(below_chest && is_trunk(joint))
            }
            BodyPart::Chest => half(tree.is_below(joint, hips)) + half(Some(joint) == chest),
            BodyPart::Neck => {
                let above_chest = chest.is_none_or(|chest| tree.is_below(joint, chest));
                let is_under_head = head.is_some_and(|head| tree.is_below(head, joint));
                half(above_chest && tree.is_below(joint, hips)) + half(is_under_head)
            }
            BodyPart::Head => {
                let from = chest.unwrap_or(hips);
                let fits = tree.is_below(joint, from) && !self.is_limb(joint);
                let is_top = !self.structure.is_by_shape || head == Some(joint);
                if fits { 0.5 + half(is_top) } else { 0.0 }
            }
            _ => {
                let fork = if is_arm(role.part) {
                    self.structure.arm_fork
                } else {
                    self.structure.leg_fork
                };
                let Some(fork) = fork.filter(|fork| tree.is_below(joint, *fork)) else {
                    return 0.0;
                };
                if is_trunk(joint) {
                    return 0.0;
                }
                if self.structure.is_by_shape {
                    return 0.5 + half(self.is_limb_joint(joint, role));
                }
                let above = tree.depth(joint) - tree.depth(fork) - 1;
                let below = tree.levels_below(joint);
                0.5 + half(match role.part {
                    BodyPart::Clavicle => below >= 3,
                    BodyPart::UpperArm | BodyPart::UpperLeg => below >= 2,
                    BodyPart::LowerArm | BodyPart::LowerLeg => above >= 1 && below >= 1,
                    BodyPart::Hand | BodyPart::Foot => above >= 2,
                    _ => above >= 3,
                })
            }
        }
    }

    /// Returns whether a joint is the one that the limb of a role has for its part.
    fn is_limb_joint(&self, joint: usize, role: Role) -> bool {
        let (limbs, parts) = if is_arm(role.part) {
            (&self.structure.arms, &ARM)
        } else {
            (&self.structure.legs, &LEG)
        };
        let side = usize::from(role.side != Side::Left);
        let label = parts.iter().position(|part| *part == role.part);
        label.is_some_and(|label| limbs[side][label] == Some(joint))
    }

    /// Returns whether a joint belongs to a limb that was found.
    fn is_limb(&self, joint: usize) -> bool {
        let mut limbs = self.structure.arms.iter().chain(&self.structure.legs);
        limbs.any(|limb| {
            let first = limb.iter().flatten().next();
            first.is_some_and(|first| self.tree.is_within(joint, *first))
        })
    }

    fn geometry(&self, joint: usize, role: Role) -> f32 {
        let structure = self.structure;
        let (Some(hips), true) = (structure.hips, structure.size > 0.0) else {
            return 0.0;
        };
        let from_hips = self.tree.points[joint] - self.tree.points[hips];
        let height = from_hips.dot(structure.up);
        let margin = structure.size * MARGIN;
        let mut checks = Checks::default();
        if role.part.is_sided() {
            let left = from_hips.dot(structure.left);
            // A clavicle may begin in the middle.
            let is_apart = left.abs() > margin;
            let is_known = structure.left != Vec3::ZERO;
            if is_known && (is_apart || role.part != BodyPart::Clavicle) {
                checks.add(is_apart && (left > 0.0) == (role.side == Side::Left));
            }
        }
        let chain = self
            .tree
            .parent(joint)
            .and_then(|parent| self.tree.ik_chains[parent]);
        if chain.is_some() && role.part.is_sided() {
            // Beside the foot that IK places there may be a bone that follows it.
            checks.add(self.tree.ik_chains[joint] == chain);
        }
        match role.part {
            BodyPart::Reference => {}
            BodyPart::Hips => {
                let legs = SIDES.iter().zip(&structure.legs);
                let feet = legs.filter_map(|(_, leg)| leg[2].or(leg[1]));
                let hips_height = height;
                for foot in feet {
                    let foot = self.tree.points[foot] - self.tree.points[hips];
                    checks.add(foot.dot(structure.up) < hips_height);
                }
            }
            BodyPart::Spine | BodyPart::Chest | BodyPart::Neck | BodyPart::Head => {
                checks.add(height >= -margin);
            }
            BodyPart::Clavicle | BodyPart::UpperArm => checks.add(height > 0.0),
            BodyPart::UpperLeg => checks.add(height < structure.size * HIP_JOINT_HEIGHT),
            BodyPart::LowerLeg | BodyPart::Foot | BodyPart::Toes => checks.add(height < 0.0),
            BodyPart::LowerArm | BodyPart::Hand | BodyPart::Finger => {}
        }
        checks.share()
    }
}

/// Counts checks that hold.
#[derive(Default)]
struct Checks {
    held: u8,
    all: u8,
}

impl Checks {
    fn add(&mut self, holds: bool) {
        self.held += u8::from(holds);
        self.all += 1;
    }

    /// Returns the share of checks that hold; 1 if there is none.
    fn share(&self) -> f32 {
        if self.all == 0 {
            1.0
        } else {
            f32::from(self.held) / f32::from(self.all)
        }
    }
}

pub(super) fn is_arm(part: BodyPart) -> bool {
    matches!(
        part,
        BodyPart::Clavicle
            | BodyPart::UpperArm
            | BodyPart::LowerArm
            | BodyPart::Hand
            | BodyPart::Finger
    )
}
