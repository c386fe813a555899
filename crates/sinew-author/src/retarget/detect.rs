//! Detects which joint plays which role.
//!
//! 1. Names are taken apart and scored; the naming system is recognised ([`super::names`], [`super::systems`]).
//! 2. The limbs that names find give the forks and the axes of the body ([`super::structure`]).
//! 3. Every joint is scored for every role ([`super::score`]).
//! 4. The best assignment is chosen per chain, by dynamic programming ([`super::chain`]).
//! 5. Roles below [`MIN_CONFIDENCE`] are missing; ties are unsure.
//!
//! Without names the score is at most 0.4, so such skeletons have no roles and need a role map by hand: topology and
//! geometry cannot tell which of four equal limbs are arms, or the left from the right of a body that may face either
//! way. The candidates of their missing roles come from limbs that are found by shape ([`super::shape`]).
//!
//! Cost: linear in the number of joints times their number of ancestors, without recursion; 4,096 joints take
//! milliseconds.

use super::body_tree::BodyTree;
use super::chain::{MAX_LABELS, TrunkPart, best_chain, best_trunk};
use super::names::joint_names;
use super::role::{BodyPart, Role, RoleMap};
use super::score::{Names, Scorer};
use super::structure::{ARM, LEG, SIDES, Structure};
use alloc::vec::Vec;
use sinew::Animation;
use sinew::anatomy::root_motion_joint;
use sinew::local_to_model::local_to_model;
use sinew::pose::{ModelPose, Pose};
use sinew::skeleton::{JointIndex, Side, Skeleton};

/// The smallest confidence of a role; below it the role is missing. Names alone give at most 0.6, topology and geometry
/// alone 0.4.
pub const MIN_CONFIDENCE: f32 = 0.5;

/// The difference of scores within which two joints tie.
const TIE: f32 = 0.05;

/// The largest score of a candidate in a body whose limbs were found by their shape: such a role stays missing.
const MAX_SHAPE_SCORE: f32 = MIN_CONFIDENCE - TIE;

/// The number of candidates that are listed for a role.
const CANDIDATES: usize = 3;

/// A joint that may play a role.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RoleCandidate {
    /// The index of the joint, or of the bone of a character.
    pub joint: usize,
    /// The score, 0 to 1.
    pub score: f32,
}

/// A role and the joints that may play it.
#[derive(Clone, Debug, PartialEq)]
pub struct RoleCandidates {
    /// The role.
    pub role: Role,
    /// Up to three joints, the best first; empty if nothing resembles it.
    pub candidates: Vec<RoleCandidate>,
}

/// The result of detecting roles.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RoleDetection {
    /// The roles that were found, each with a confidence of at least [`MIN_CONFIDENCE`].
    pub map: RoleMap,
    /// The required roles that no joint plays with enough confidence, with their best candidates. A missing chest is
    /// listed only if there is no spine either.
    pub missing: Vec<RoleCandidates>,
    /// The roles that several joints fit nearly equally well: the joint in the map first.
    pub unsure: Vec<RoleCandidates>,
}

impl RoleDetection {
    /// Returns whether every required role was found.
    pub fn is_complete(&self) -> bool {
        self.missing.is_empty()
    }
}

/// Returns the 15 roles that retargeting needs. A spine joint can stand for the chest.
pub fn required_roles() -> Vec<Role> {
    let trunk = [BodyPart::Hips, BodyPart::Chest, BodyPart::Head];
    let limbs = [
        BodyPart::UpperArm,
        BodyPart::LowerArm,
        BodyPart::Hand,
        BodyPart::UpperLeg,
        BodyPart::LowerLeg,
        BodyPart::Foot,
    ];
    let sided = limbs
        .into_iter()
        .flat_map(|part| [Role::left(part), Role::right(part)]);
    trunk.into_iter().map(Role::middle).chain(sided).collect()
}

/// Detects the roles of a skeleton's joints from names, hierarchy and rest pose.
pub fn detect_roles(skeleton: &Skeleton) -> RoleDetection {
    detect_roles_of(skeleton, None)
}

/// Detects the roles of a skeleton's joints. With an animation, joints above the hips that it moves are no reference.
pub fn detect_roles_of(skeleton: &Skeleton, animation: Option<&Animation>) -> RoleDetection {
    let mut model = ModelPose::new(skeleton);
    // The pose is of this skeleton.
    let _ = local_to_model(skeleton, &Pose::rest(skeleton), &mut model);
    let joints = || (0..skeleton.len()).map(JointIndex::from);
    let names = skeleton.joints().iter().map(|joint| joint.name.as_str());
    let parents = skeleton.joints().iter();
    let tree = BodyTree::new(
        joint_names(names),
        parents.map(|joint| joint.parent.map(JointIndex::index)),
        joints().map(|joint| model.position(joint)).collect(),
        joints().map(|joint| model.tip(skeleton, joint)).collect(),
        alloc::vec![false; skeleton.len()],
    );
    let names = Names::new(&tree, Side::Right);
    let structure = Structure::new(&tree, &names);
    let scorer = Scorer {
        tree: &tree,
        names: &names,
        structure: &structure,
    };
    let mut detection = assign(&scorer, &required_roles());
    let moving = animation.map(|animation| root_motion_joint(skeleton, animation).index());
    set_reference(&scorer, &mut detection.map, moving);
    detection
}

/// Chooses the joints of all roles but the reference.
pub(super) fn assign(scorer: &Scorer<'_>, required: &[Role]) -> RoleDetection {
    let mut map = RoleMap::new();
    set_trunk(scorer, &mut map);
    for side in SIDES {
        set_limb(scorer, &mut map, &LEG, side);
    }
    for side in SIDES {
        set_limb(scorer, &mut map, &ARM, side);
        set_fingers(scorer, &mut map, side);
    }
    let missing = required.iter().copied().filter(|role| {
        let is_trunk = role.part == BodyPart::Chest;
        let has_spine = is_trunk && map.get(Role::middle(BodyPart::Spine)).is_some();
        map.get(*role).is_none() && !has_spine
    });
    let by_shape = scorer.structure.by_shape(scorer.tree, scorer.names);
    let by_shape = by_shape.as_ref().map(|structure| Scorer {
        structure,
        ..*scorer
    });
    let missing = missing.map(|role| {
        let mut found = candidates(by_shape.as_ref().unwrap_or(scorer), role, |_| true);
        if by_shape.is_some() {
            for candidate in &mut found {
                candidate.score = candidate.score.min(MAX_SHAPE_SCORE);
            }
        }
        RoleCandidates {
            role,
            candidates: found,
        }
    });
    let missing = missing.collect();
    let unsure = map.assignments().iter().filter_map(|known| {
        if known.role.part.is_chain() {
            return None;
        }
        let chosen = *known.joints.first()?;
        let rival = |joint: usize| joint == chosen || map.role_of(joint).is_none();
        let mut candidates = candidates(scorer, known.role, rival);
        candidates.retain(|candidate| {
            candidate.joint == chosen
                || candidate.score >= MIN_CONFIDENCE && candidate.score >= known.confidence - TIE
        });
        candidates.sort_by_key(|candidate| candidate.joint != chosen);
        (candidates.len() > 1).then_some(RoleCandidates {
            role: known.role,
            candidates,
        })
    });
    let unsure = unsure.collect();
    RoleDetection {
        map,
        missing,
        unsure,
    }
}

/// Returns the joints with the highest scores for a role; of equal ones the first.
fn candidates(
    scorer: &Scorer<'_>,
    role: Role,
    is_allowed: impl Fn(usize) -> bool,
) -> Vec<RoleCandidate> {
    let mut best: Vec<RoleCandidate> = Vec::new();
    for joint in (0..scorer.tree.len()).filter(|joint| is_allowed(*joint)) {
        let score = scorer.score(joint, role);
        let place = best.partition_point(|known| known.score >= score);
        if score > 0.0 && place < CANDIDATES {
            best.insert(place, RoleCandidate { joint, score });
            best.truncate(CANDIDATES);
        }
    }
    best
}

/// Sets hips, spine, chest, neck and head.
fn set_trunk(scorer: &Scorer<'_>, map: &mut RoleMap) {
    let structure = scorer.structure;
    let tree = scorer.tree;
    let score = |joint: usize, part| scorer.score(joint, Role::middle(part));
    let best = |joints: &mut dyn Iterator<Item = usize>, part| {
        let mut best: Option<(usize, f32)> = None;
        for joint in joints {
            let score = score(joint, part);
            // Of equal joints the lower one: the second of two neck joints carries the head.
            let is_better = |(known_joint, known): (usize, f32)| {
                score > known || (score == known && tree.is_below(joint, known_joint))
            };
            if score >= MIN_CONFIDENCE && best.is_none_or(is_better) {
                best = Some((joint, score));
            }
        }
        best
    };
    let Some(lowest) = structure.hips else {
        return;
    };
    let hips = best(&mut tree.upwards(lowest), BodyPart::Hips);
    if let Some((joint, score)) = hips {
        map.set(Role::middle(BodyPart::Hips), alloc::vec![joint], score);
    }
    let from = hips.map_or(lowest, |(joint, _)| joint);
    let head = best(&mut tree.subtree(from), BodyPart::Head);
    if let Some((joint, score)) = head {
        map.set(Role::middle(BodyPart::Head), alloc::vec![joint], score);
    }
    let top = head.map(|(joint, _)| joint);
    // Without a head the path ends at the chest, which is part of it.
    let path = match (top, structure.chest) {
        (Some(top), _) => tree.between(from, top),
        (None, Some(chest)) => {
            let mut path = tree.between(from, chest);
            path.push(chest);
            path
        }
        (None, None) => Vec::new(),
    };
    let part_of = |part| match part {
        TrunkPart::Spine => BodyPart::Spine,
        TrunkPart::Chest => BodyPart::Chest,
        TrunkPart::Neck => BodyPart::Neck,
    };
    let parts = best_trunk(&path, MIN_CONFIDENCE, |joint, part| {
        score(joint, part_of(part))
    });
    for wanted in [TrunkPart::Spine, TrunkPart::Chest, TrunkPart::Neck] {
        let found = path.iter().zip(&parts);
        let found = found.filter(|(_, part)| **part == Some(wanted));
        let joints: Vec<usize> = found.map(|(joint, _)| *joint).collect();
        let scores = joints.iter().map(|joint| score(*joint, part_of(wanted)));
        let lowest = scores.fold(1.0, f32::min);
        map.set(Role::middle(part_of(wanted)), joints, lowest);
    }
}

/// Sets the roles of a limb.
fn set_limb(scorer: &Scorer<'_>, map: &mut RoleMap, parts: &[BodyPart; MAX_LABELS], side: Side) {
    let is_taken: Vec<bool> = (0..scorer.tree.len())
        .map(|joint| map.role_of(joint).is_some())
        .collect();
    let score = |joint: usize, label: usize| match is_taken[joint] {
        true => 0.0,
        false => scorer.score(
            joint,
            Role {
                part: parts[label],
                side,
            },
        ),
    };
    let joints = best_chain(scorer.tree, parts.len(), MIN_CONFIDENCE, score);
    for (label, joint) in joints.into_iter().enumerate() {
        if let Some(joint) = joint {
            let role = Role {
                part: parts[label],
                side,
            };
            map.set(role, alloc::vec![joint], score(joint, label));
        }
    }
}

/// Sets the fingers: the joints below the hand that are named so.
fn set_fingers(scorer: &Scorer<'_>, map: &mut RoleMap, side: Side) {
    let hand = Role {
        part: BodyPart::Hand,
        side,
    };
    let role = Role {
        part: BodyPart::Finger,
        side,
    };
    let Some(hand) = map.joint(hand) else {
        return;
    };
    let name = |joint: usize| scorer.names.unsided(joint, BodyPart::Finger);
    let below = scorer.tree.subtree(hand).skip(1);
    let fingers: Vec<usize> = below
        .filter(|joint| name(*joint) >= MIN_CONFIDENCE)
        .collect();
    let scores = fingers.iter().map(|joint| scorer.score(*joint, role));
    let lowest = scores.fold(1.0, f32::min);
    map.set(role, fingers, lowest);
}

/// Sets the reference: the joint above the hips with the best name, and if an animation shows that they are static,
/// of equal names the nearest to the hips, whatever its name.
pub(super) fn set_reference(scorer: &Scorer<'_>, map: &mut RoleMap, moving: Option<usize>) {
    let Some(hips) = map.joint(Role::middle(BodyPart::Hips)) else {
        return;
    };
    let tree = scorer.tree;
    let is_static = |joint: usize| moving.is_none_or(|moving| tree.is_below(moving, joint));
    let role = Role::middle(BodyPart::Reference);
    let above = tree.upwards(hips).skip(1).filter(|joint| is_static(*joint));
    let mut best: Option<(usize, f32)> = None;
    for joint in above {
        let score = scorer.score(joint, role);
        if best.is_none_or(|(_, known)| score > known) {
            best = Some((joint, score));
        }
    }
    let known_static = moving.is_some();
    if let Some((joint, score)) = best
        && (score >= MIN_CONFIDENCE || known_static)
    {
        let confidence = if known_static { 1.0 } else { score };
        map.set(role, alloc::vec![joint], confidence);
    }
}
