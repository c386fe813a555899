//! Roles of skeletons that are built here; those of published naming systems are in the integration tests.

use super::*;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use glam::Vec3;
use sinew::Transform;
use sinew::skeleton::{Joint, JointIndex, Skeleton};

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
fn names_that_differ_only_by_a_number_give_no_roles() {
    let names: Vec<String> = (1..=20).map(|number| format!("joint{number}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let names: [&str; 20] = names.try_into().expect("there are 20");
    let detection = detect_roles(&body(&names));
    assert!(detection.map.assignments().is_empty());
    assert_eq!(detection.missing.len(), 15);
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
