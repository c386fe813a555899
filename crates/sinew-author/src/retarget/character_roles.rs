//! Roles of the bones of a 2D character.
//!
//! The scorer is that of skeletons, on the names, the hierarchy and the setup pose. What differs: the side near the
//! viewer and the side away from it take the place of left and right, the torso is the chest, targets of IK play no
//! role, and of two bones beside each other the one in the IK chain is preferred. Proportions are not judged: a
//! character may have hands that touch the ground.

use super::body_tree::BodyTree;
use super::detect::{RoleCandidates, RoleDetection, assign, set_reference};
use super::names::JointName;
use super::role::{BodyPart, Role, RoleMap};
use super::score::{Names, Scorer};
use super::structure::{LimbJoints, MARGIN, Structure};
use alloc::vec::Vec;
use glam::Vec3;
use sinew::skeleton::Side;
use sinew::skelform::{
    Armature, ArmaturePose, BoneIndex, ConstructSettings, PhysicsStep, construct,
};

/// Words of bones at the front of a face.
const FACE: [&str; 10] = [
    "nose", "mouth", "eye", "eyes", "beak", "snout", "muzzle", "lip", "jaw", "teeth",
];

/// Returns the ten roles that retargeting onto a 2D character needs.
pub fn required_character_roles() -> Vec<Role> {
    let limbs = [
        BodyPart::UpperLeg,
        BodyPart::LowerLeg,
        BodyPart::UpperArm,
        BodyPart::LowerArm,
    ];
    let sided = limbs
        .into_iter()
        .flat_map(|part| [Role::left(part), Role::right(part)]);
    let trunk = [BodyPart::Chest, BodyPart::Head];
    trunk.into_iter().map(Role::middle).chain(sided).collect()
}

/// Detects the roles of a 2D character's bones; joints of the result are indices of bones.
///
/// Names with near and far (`near_thigh`) are of the side `near` of the body and of the other one; names with left and
/// right keep their side. `near` is [`Side::Right`] for a character that faces right, [`Side::Left`] for one that faces
/// left; `None` uses [`near_side`]. Roles that are missing are those of [`required_character_roles`].
pub fn detect_character_roles(armature: &Armature, near: Option<Side>) -> RoleDetection {
    let (tree, bones) = setup_tree(armature);
    let near = near.unwrap_or_else(|| near_side_of(&tree));
    let names = Names::new(&tree, near);
    let structure = Structure::new(&tree, &names);
    let scorer = Scorer {
        tree: &tree,
        names: &names,
        structure: &structure,
    };
    let mut detection = assign(&scorer, &required_character_roles());
    set_reference(&scorer, &mut detection.map, None);
    let bone = |joint: usize| bones.get(joint).copied().unwrap_or(joint);
    let mut map = RoleMap::new();
    for found in detection.map.assignments() {
        let joints = found.joints.iter().map(|joint| bone(*joint));
        map.set(found.role, joints.collect(), found.confidence);
    }
    let of_bones = |mut list: Vec<RoleCandidates>| {
        for candidate in list.iter_mut().flat_map(|role| &mut role.candidates) {
            candidate.joint = bone(candidate.joint);
        }
        list
    };
    RoleDetection {
        map,
        missing: of_bones(detection.missing),
        unsure: of_bones(detection.unsure),
    }
}

/// Returns the side of a 2D character that is near the viewer in the setup pose: the right if it faces right.
///
/// It faces where its face is, relative to the head; without a face, where its feet point; without feet, where its
/// knees bend. Without any of them it faces right.
pub fn near_side(armature: &Armature) -> Side {
    near_side_of(&setup_tree(armature).0)
}

fn near_side_of(tree: &BodyTree) -> Side {
    // Which of the sides is near does not matter for finding head and legs.
    let names = Names::new(tree, Side::Right);
    let structure = Structure::new(tree, &names);
    let forward = face(tree, &structure)
        .or_else(|| feet(tree, &structure))
        .or_else(|| knees(tree, &structure));
    match forward {
        Some(forward) if forward < 0.0 => Side::Left,
        _ => Side::Right,
    }
}

/// Returns how far the face is in front of the head, along x.
fn face(tree: &BodyTree, structure: &Structure) -> Option<f32> {
    let head = structure.head?;
    let parts = tree.subtree(head);
    let parts = parts.filter(|joint| tree.names[*joint].has_word(&FACE));
    let from = tree.points[head].x;
    mean(parts.map(|joint| tree.points[joint].x - from), structure)
}

/// Returns how far the toes are in front of the ankles, along x.
fn feet(tree: &BodyTree, structure: &Structure) -> Option<f32> {
    let foot = |leg: &LimbJoints| {
        let ankle = leg[2]?;
        let toes = leg[3].or_else(|| tree.subtree(ankle).nth(1))?;
        Some(tree.points[toes].x - tree.points[ankle].x)
    };
    mean(structure.legs.iter().filter_map(foot), structure)
}

/// Returns how far the knees are in front of the line from the hip joint to the ankle, along x of a leg that points
/// down.
fn knees(tree: &BodyTree, structure: &Structure) -> Option<f32> {
    let knee = |leg: &LimbJoints| {
        let [hip, knee, ankle] = [leg[0]?, leg[1]?, leg[2]?].map(|joint| tree.points[joint]);
        let (line, bend) = (ankle - hip, knee - hip);
        let length = line.length();
        (length > 0.0).then(|| (line.x * bend.y - line.y * bend.x) / length)
    };
    mean(structure.legs.iter().filter_map(knee), structure)
}

/// Returns the mean of distances; `None` if it is small or there is none.
fn mean(distances: impl Iterator<Item = f32>, structure: &Structure) -> Option<f32> {
    let (sum, count) = distances.fold((0.0, 0.0), |(sum, count), distance| {
        (sum + distance, count + 1.0)
    });
    let mean = sum / count;
    // NaN without distances.
    (mean.abs() > structure.size * MARGIN).then_some(mean)
}

/// Returns the bones in depth-first order, in the setup pose with IK solved, and their indices in the armature.
fn setup_tree(armature: &Armature) -> (BodyTree, Vec<usize>) {
    let data = armature.data();
    let count = data.bones.len();
    let mut children = alloc::vec![Vec::new(); count];
    let mut stack = Vec::new();
    for (bone, fields) in data.bones.iter().enumerate().rev() {
        match fields.parent.and_then(|parent| children.get_mut(parent)) {
            Some(siblings) => siblings.push(bone),
            None => stack.push(bone),
        }
    }
    // Both lists hold the last bone first, so the first one is taken from the end.
    let mut order = Vec::with_capacity(count);
    while let Some(bone) = stack.pop() {
        order.push(bone);
        if let Some(below) = children.get(bone) {
            stack.extend(below);
        }
    }
    let mut place = alloc::vec![0; count];
    for (index, &bone) in order.iter().enumerate() {
        place[bone] = index;
    }
    let mut state = armature.new_state();
    let mut pose = ArmaturePose::new(armature);
    let settings = ConstructSettings {
        physics: PhysicsStep::Off,
        ..ConstructSettings::default()
    };
    // The state is of this armature.
    let _ = construct(armature, &mut state, &settings, &mut pose);
    let point = |bone: &usize| {
        let pose = pose.bone(BoneIndex::from(*bone));
        pose.map_or(Vec3::ZERO, |pose| pose.position.extend(0.0))
    };
    let is_target = |bone: &usize| {
        let mut families = data.ik_families.iter();
        families.any(|family| family.target == Some(*bone))
    };
    let chain = |bone: &usize| {
        let mut families = data.ik_families.iter();
        families.position(|family| family.bones.contains(bone))
    };
    let name = |bone: &usize| JointName::new(&data.bones[*bone].name);
    let parent = |bone: &usize| data.bones[*bone].parent.map(|parent| place[parent]);
    let mut tree = BodyTree::new(
        order.iter().map(name).collect(),
        order.iter().map(parent),
        order.iter().map(point).collect(),
        alloc::vec![None; count],
        order.iter().map(is_target).collect(),
    );
    tree.ik_chains = order.iter().map(chain).collect();
    tree.is_flat = true;
    (tree, order)
}
