//! Roles of 2D characters.

use super::super::*;
use alloc::vec::Vec;
use glam::Vec2;
use sinew::skeleton::Side;
use sinew::skelform::{Armature, ArmatureData, BoneData, IkFamilyData};

/// Name, parent and position relative to the parent of each bone: a character that faces right.
const BONES: [(&str, Option<usize>, [f32; 2]); 24] = [
    ("root", None, [0.0, 0.0]),
    ("near_foot_target", Some(0), [-20.0, 10.0]),
    ("hips", Some(0), [0.0, 100.0]),
    ("far_thigh", Some(2), [10.0, 0.0]),
    ("far_shin", Some(3), [4.0, -45.0]),
    ("far_foot", Some(4), [-4.0, -45.0]),
    ("near_thigh", Some(2), [-10.0, 0.0]),
    ("near_shin", Some(6), [4.0, -45.0]),
    ("near_foot", Some(7), [-4.0, -45.0]),
    ("near_ankle", Some(7), [-4.0, -45.0]),
    ("tail_1", Some(2), [-40.0, 0.0]),
    ("tail_2", Some(10), [-20.0, 0.0]),
    ("torso", Some(2), [0.0, 0.0]),
    ("far_arm", Some(12), [20.0, 80.0]),
    ("far_forearm", Some(13), [0.0, -35.0]),
    ("far_paw", Some(14), [0.0, -35.0]),
    ("near_arm", Some(12), [-20.0, 80.0]),
    ("near_forearm", Some(16), [0.0, -35.0]),
    ("near_paw", Some(17), [0.0, -35.0]),
    ("head", Some(12), [0.0, 110.0]),
    ("near_ear_1", Some(19), [-40.0, 80.0]),
    ("far_ear_1", Some(19), [40.0, 80.0]),
    ("nose", Some(19), [40.0, 20.0]),
    ("near_brow", Some(19), [10.0, 60.0]),
];

fn character(mirror: f32) -> Armature {
    let bones = BONES.iter().map(|&(name, parent, [x, y])| BoneData {
        name: name.into(),
        parent,
        position: Vec2::new(x * mirror, y),
        ..BoneData::default()
    });
    let family = IkFamilyData {
        bones: alloc::vec![6, 7, 8],
        target: Some(1),
        enabled: false,
        ..IkFamilyData::default()
    };
    let data = ArmatureData {
        bones: bones.collect(),
        ik_families: alloc::vec![family],
        ..ArmatureData::default()
    };
    Armature::new(data).expect("a character")
}

#[test]
fn near_and_far_limbs_have_roles_and_decoys_have_none() {
    let armature = character(1.0);
    assert_eq!(near_side(&armature), Side::Right);
    let detection = detect_character_roles(&armature, None);
    assert!(detection.is_complete(), "{:?}", detection.missing);
    assert!(detection.unsure.is_empty(), "{:?}", detection.unsure);
    for role in required_character_roles() {
        let found = detection.map.get(role).expect("it is required");
        assert_eq!(found.confidence, 1.0, "{role}");
    }
    let expected = [
        (Role::middle(BodyPart::Reference), 0),
        (Role::middle(BodyPart::Hips), 2),
        (Role::middle(BodyPart::Chest), 12),
        (Role::middle(BodyPart::Head), 19),
        (Role::left(BodyPart::UpperArm), 13),
        (Role::right(BodyPart::UpperArm), 16),
        (Role::left(BodyPart::LowerArm), 14),
        (Role::right(BodyPart::LowerArm), 17),
        (Role::left(BodyPart::Hand), 15),
        (Role::right(BodyPart::Hand), 18),
        (Role::left(BodyPart::UpperLeg), 3),
        (Role::right(BodyPart::UpperLeg), 6),
        (Role::left(BodyPart::LowerLeg), 4),
        (Role::right(BodyPart::LowerLeg), 7),
        (Role::left(BodyPart::Foot), 5),
        (Role::right(BodyPart::Foot), 8),
    ];
    let assignments = detection.map.assignments().iter();
    let found: Vec<(Role, usize)> = assignments
        .map(|found| (found.role, found.joints[0]))
        .collect();
    assert_eq!(found, expected);
}

#[test]
fn the_left_side_is_near_in_a_character_that_faces_left() {
    let armature = character(-1.0);
    assert_eq!(near_side(&armature), Side::Left);
    let map = detect_character_roles(&armature, None).map;
    assert_eq!(map.joint(Role::left(BodyPart::UpperLeg)), Some(6));
    let map = detect_character_roles(&armature, Some(Side::Right)).map;
    assert_eq!(map.joint(Role::right(BodyPart::UpperLeg)), Some(6));
}
