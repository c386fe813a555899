//! Roles of skeletons that are built here; those of published naming systems are in the integration tests.

#[cfg(feature = "skelform")]
mod characters;
mod naming_systems;

use super::*;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use glam::Vec3;
use sinew::Transform;
use sinew::skeleton::{Joint, JointIndex, Side, Skeleton};

/// Name, parent and position in the world of each joint.
type Plan<'a> = (&'a str, Option<usize>, [f32; 3]);

fn skeleton(plan: &[Plan<'_>]) -> Skeleton {
    let joint = |&(name, parent, at): &Plan<'_>| {
        let above = parent.map_or([0.0; 3], |parent: usize| plan[parent].2);
        Joint {
            name: name.into(),
            parent: parent.map(JointIndex::from),
            rest: Transform::from_position(Vec3::from(at) - Vec3::from(above)),
            tip: None,
        }
    };
    Skeleton::new(plan.iter().map(joint).collect()).expect("a tree")
}

/// A body with the given names, in the order of [`BODY`].
fn body(names: &[&str; 20]) -> Skeleton {
    let plan: Vec<Plan<'_>> = BODY
        .iter()
        .zip(names)
        .map(|((parent, at), name)| (*name, *parent, *at))
        .collect();
    skeleton(&plan)
}

/// Hips, spine, chest, neck, head, clavicle to hand left and right, upper leg to foot left and right, toes of both.
const BODY: [(Option<usize>, [f32; 3]); 20] = [
    (None, [0.0, 1.0, 0.0]),
    (Some(0), [0.0, 1.1, 0.0]),
    (Some(1), [0.0, 1.3, 0.0]),
    (Some(2), [0.0, 1.5, 0.0]),
    (Some(3), [0.0, 1.6, 0.0]),
    (Some(2), [0.04, 1.45, 0.0]),
    (Some(5), [0.18, 1.45, 0.0]),
    (Some(6), [0.46, 1.45, 0.0]),
    (Some(7), [0.72, 1.45, 0.0]),
    (Some(2), [-0.04, 1.45, 0.0]),
    (Some(9), [-0.18, 1.45, 0.0]),
    (Some(10), [-0.46, 1.45, 0.0]),
    (Some(11), [-0.72, 1.45, 0.0]),
    (Some(0), [0.1, 0.95, 0.0]),
    (Some(13), [0.1, 0.5, 0.0]),
    (Some(14), [0.1, 0.08, 0.0]),
    (Some(0), [-0.1, 0.95, 0.0]),
    (Some(16), [-0.1, 0.5, 0.0]),
    (Some(17), [-0.1, 0.08, 0.0]),
    (Some(18), [-0.1, 0.02, 0.13]),
];

const NAMES: [&str; 20] = [
    "Hips",
    "Spine",
    "Chest",
    "Neck",
    "Head",
    "LeftShoulder",
    "LeftUpperArm",
    "LeftLowerArm",
    "LeftHand",
    "RightShoulder",
    "RightUpperArm",
    "RightLowerArm",
    "RightHand",
    "LeftUpperLeg",
    "LeftLowerLeg",
    "LeftFoot",
    "RightUpperLeg",
    "RightLowerLeg",
    "RightFoot",
    "RightToes",
];

#[test]
fn a_body_with_plain_names_has_all_roles_with_full_confidence() {
    let detection = detect_roles(&body(&NAMES));
    assert!(detection.is_complete() && detection.unsure.is_empty());
    for role in required_roles() {
        let found = detection.map.get(role).expect("it is required");
        assert_eq!(found.confidence, 1.0, "{role}");
    }
    let left = detection.map.joint(Role::left(BodyPart::Hand));
    assert_eq!(left, Some(8));
    assert_eq!(detection.map.joint(Role::right(BodyPart::Toes)), Some(19));
}

#[test]
fn a_missing_role_has_its_best_candidates() {
    let mut names = NAMES;
    names[14] = "Thing";
    let detection = detect_roles(&body(&names));
    let [missing] = detection.missing.as_slice() else {
        panic!("one role is missing: {:?}", detection.missing);
    };
    assert_eq!(missing.role, Role::left(BodyPart::LowerLeg));
    assert!(missing.candidates.len() == 3 && missing.candidates[0].score < MIN_CONFIDENCE);
    assert!(
        missing
            .candidates
            .iter()
            .any(|candidate| candidate.joint == 14)
    );
    assert!(detection.map.get(missing.role).is_none());
}

#[test]
fn names_that_differ_only_by_a_number_give_candidates_by_shape_and_no_roles() {
    let names: Vec<String> = (1..=20).map(|number| format!("joint{number}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut names: [&str; 20] = names.try_into().expect("there are 20");
    let named = detect_roles(&body(&NAMES)).map;
    // With and without a name that is known: it makes no role certain.
    for first in [names[0], "Hips"] {
        names[0] = first;
        let detection = detect_roles(&body(&names));
        assert!(detection.map.assignments().is_empty());
        assert_eq!(detection.missing.len(), 15);
        for missing in &detection.missing {
            let best = missing.candidates.first();
            let best = best.expect("the shape is that of a body");
            assert!(best.score < MIN_CONFIDENCE, "{}", missing.role);
            let equal = missing
                .candidates
                .iter()
                .filter(|other| other.score == best.score);
            assert_eq!(
                equal.count(),
                1,
                "{}: {:?}",
                missing.role,
                missing.candidates
            );
            assert_eq!(
                Some(best.joint),
                named.joint(missing.role),
                "{}",
                missing.role
            );
        }
    }
}

#[test]
fn a_rest_pose_whose_bones_all_lie_along_one_axis_keeps_its_roles_and_sides() {
    // As in the files of Bandai-Namco: left limbs along +x, right limbs along -x, the legs of one side upwards.
    let plan: [Plan<'_>; 22] = [
        ("joint_Root", None, [0.0; 3]),
        ("Hips", Some(0), [0.0, 0.9, 0.0]),
        ("Spine", Some(1), [0.16, 0.9, 0.0]),
        ("Chest", Some(2), [0.25, 0.9, 0.0]),
        ("Neck", Some(3), [0.41, 0.9, 0.0]),
        ("Head", Some(4), [0.48, 0.9, 0.0]),
        ("Shoulder_L", Some(3), [0.38, 0.9, 0.05]),
        ("UpperArm_L", Some(6), [0.43, 0.9, 0.05]),
        ("LowerArm_L", Some(7), [0.68, 0.9, 0.05]),
        ("Hand_L", Some(8), [0.9, 0.9, 0.05]),
        ("Shoulder_R", Some(3), [0.38, 0.9, -0.05]),
        ("UpperArm_R", Some(10), [0.33, 0.9, -0.05]),
        ("LowerArm_R", Some(11), [0.08, 0.9, -0.05]),
        ("Hand_R", Some(12), [-0.14, 0.9, -0.05]),
        ("UpperLeg_L", Some(1), [-0.02, 0.83, 0.0]),
        ("LowerLeg_L", Some(14), [0.37, 0.83, 0.0]),
        ("Foot_L", Some(15), [0.78, 0.83, 0.0]),
        ("Toes_L", Some(16), [0.9, 0.83, 0.0]),
        ("UpperLeg_R", Some(1), [-0.02, 0.97, 0.0]),
        ("LowerLeg_R", Some(18), [-0.41, 0.97, 0.0]),
        ("Foot_R", Some(19), [-0.82, 0.97, 0.0]),
        ("Toes_R", Some(20), [-0.94, 0.97, 0.0]),
    ];
    let detection = detect_roles(&skeleton(&plan));
    assert!(detection.is_complete() && detection.unsure.is_empty());
    for role in required_roles() {
        let found = detection.map.get(role).expect("it is required");
        assert!(found.confidence >= 0.8, "{role} {}", found.confidence);
        let name = plan[found.joints[0]].0;
        match role.side {
            Side::Left => assert!(name.ends_with("_L"), "{role}: {name}"),
            Side::Right => assert!(name.ends_with("_R"), "{role}: {name}"),
            Side::Middle => {}
        }
    }
    let hips = detection.map.joint(Role::middle(BodyPart::Hips));
    assert_eq!(hips, Some(1));
}

#[test]
fn limbs_by_shape_are_found_in_other_units_and_without_clavicles() {
    // A helper beside each shoulder in place of the clavicle, and centimetres.
    let plan: Vec<Plan<'_>> = BODY
        .iter()
        .map(|(parent, at)| ("", *parent, at.map(|coordinate| 100.0 * coordinate)))
        .collect();
    let names: Vec<String> = (1..=20).map(|number| format!("n{number}")).collect();
    let mut plan: Vec<Plan<'_>> = plan
        .iter()
        .zip(&names)
        .map(|((_, parent, at), name)| (name.as_str(), *parent, *at))
        .collect();
    plan[5].2 = [18.0, 145.0, -4.0];
    plan[9].2 = [-18.0, 145.0, -4.0];
    let detection = detect_roles(&skeleton(&plan));
    let missing = detection.missing.iter();
    let mut hands = missing.filter(|missing| missing.role.part == BodyPart::Hand);
    let joints = [hands.next(), hands.next()].map(|hand| hand.expect("both").candidates[0].joint);
    assert_eq!(joints, [8, 12]);
}

#[test]
fn sides_without_feet_come_from_names_and_forelegs_are_no_arms() {
    let mut plan: Vec<Plan<'_>> = BODY
        .iter()
        .zip(NAMES)
        .map(|((parent, at), name)| (name, *parent, *at))
        .collect();
    // A trunk along z, arms and legs down to the ground.
    for (index, (_, _, at)) in plan.iter_mut().enumerate() {
        let [x, y, z] = *at;
        *at = match index {
            0..=4 => [0.0, 1.0, y - 1.0],
            5 | 9 => [x, 1.0, 0.5],
            6 | 10 => [x.signum() * 0.1, 0.95, 0.5],
            7 | 11 => [x.signum() * 0.1, 0.5, 0.5],
            8 | 12 => [x.signum() * 0.1, 0.08, 0.5],
            _ => [x, y, z],
        };
    }
    let detection = detect_roles(&skeleton(&plan));
    for part in [BodyPart::UpperArm, BodyPart::LowerArm, BodyPart::Hand] {
        for role in [Role::left(part), Role::right(part)] {
            assert!(detection.map.get(role).is_none(), "{role}");
            let missing = detection
                .missing
                .iter()
                .find(|missing| missing.role == role);
            let best = missing.expect("it is listed").candidates[0];
            assert!(best.score < MIN_CONFIDENCE, "{role}");
        }
    }
}

#[test]
fn static_joints_above_the_hips_are_the_reference_and_not_the_hips() {
    let mut plan: Vec<Plan<'_>> =
        alloc::vec![("Armature", None, [0.0; 3]), ("root", Some(0), [0.0; 3])];
    let shifted = BODY.iter().zip(NAMES);
    plan.extend(
        shifted
            .map(|((parent, at), name)| (name, Some(parent.map_or(1, |parent| parent + 2)), *at)),
    );
    let map = detect_roles(&skeleton(&plan)).map;
    assert_eq!(map.joint(Role::middle(BodyPart::Hips)), Some(2));
    assert_eq!(map.joint(Role::middle(BodyPart::Reference)), Some(1));
}

/// A skeleton whose joints have these names and random parents.
fn random_skeleton(names: &[&str], seed: u64, count: usize) -> Skeleton {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut random = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % below.max(1) as u64) as usize
    };
    let mut path: Vec<usize> = Vec::new();
    let joints = (0..count).map(|index| {
        // Depth-first order: the parent is the preceding joint or one of its ancestors.
        path.truncate(path.len() - random(3).min(path.len().saturating_sub(1)));
        let parent = path.last().copied();
        path.push(index);
        let coordinate = |value: usize| match value {
            0 => f32::MAX,
            value => value as f32 - 4.0,
        };
        let at = [random(9), random(9), random(9)].map(coordinate);
        Joint {
            name: format!("{}.{index}", names[random(names.len())]),
            parent: parent.map(JointIndex::from),
            rest: Transform::from_position(Vec3::from(at)),
            tip: (random(2) == 0).then_some(Vec3::Y),
        }
    });
    Skeleton::new(joints.collect()).expect("a tree")
}

#[test]
fn any_tree_gives_each_joint_at_most_one_role_and_the_same_one_again() {
    let words = [
        "Hips",
        "Spine",
        "Head",
        "LeftArm",
        "RightArm",
        "LeftHand",
        "left foot",
        "\u{ff8c}",
        "_",
        "LeftUpLeg",
        "7",
    ];
    for seed in 1..200 {
        let skeleton = random_skeleton(&words, seed, 1 + (seed as usize * 7) % 90);
        let detection = detect_roles(&skeleton);
        let mut joints: Vec<usize> = Vec::new();
        for found in detection.map.assignments() {
            assert!(
                (MIN_CONFIDENCE..=1.0).contains(&found.confidence),
                "{found:?}"
            );
            assert!(found.joints.is_sorted() && !found.joints.is_empty());
            joints.extend(&found.joints);
        }
        let count = joints.len();
        joints.sort_unstable();
        joints.dedup();
        assert_eq!(joints.len(), count, "{seed}");
        assert_eq!(detect_roles(&skeleton), detection);
    }
}

#[test]
fn deep_wide_and_flat_skeletons_are_refused_without_a_role_too_much() {
    let chain = |count: usize, name: &dyn Fn(usize) -> String| {
        let joint = |index: usize| Joint {
            name: name(index),
            parent: index.checked_sub(1).map(JointIndex::from),
            // Bones without length.
            rest: Transform::IDENTITY,
            tip: None,
        };
        Skeleton::new((0..count).map(joint).collect()).expect("a chain")
    };
    let deep = chain(1024, &|index| format!("LeftArm{index}"));
    assert!(!detect_roles(&deep).is_complete());
    let named = chain(4096, &|index| {
        format!("{}{index}", NAMES[index % NAMES.len()])
    });
    assert!(!detect_roles(&named).is_complete());
    let star = |index: usize| Joint {
        name: format!("{}{index}", NAMES[index % NAMES.len()]),
        parent: (index > 0).then_some(JointIndex(0)),
        rest: Transform::from_position(Vec3::new(index as f32, 1.0, 0.0)),
        tip: None,
    };
    let star = Skeleton::new((0..4096).map(star).collect()).expect("a star");
    assert!(!detect_roles(&star).is_complete());
}

#[test]
fn two_heads_are_unsure() {
    let mut plan: Vec<Plan<'_>> = BODY
        .iter()
        .zip(NAMES)
        .map(|((parent, at), name)| (name, *parent, *at))
        .collect();
    plan.insert(5, ("Head.001", Some(3), [0.1, 1.6, 0.0]));
    for (_, parent, _) in plan.iter_mut().skip(6) {
        *parent = parent.map(|parent| if parent >= 5 { parent + 1 } else { parent });
    }
    let detection = detect_roles(&skeleton(&plan));
    let unsure: Vec<Role> = detection.unsure.iter().map(|unsure| unsure.role).collect();
    assert_eq!(unsure, [Role::middle(BodyPart::Head)]);
    assert_eq!(detection.unsure[0].candidates.len(), 2);
    assert_eq!(detection.unsure[0].candidates[0].joint, 4);
}
