//! The joint lists of naming systems, as their tools and data sets publish them: every joint has the role that the
//! list gives it after `=`, and joints without one have none. The hierarchy is by indentation; a T-pose is built from
//! the roles.

use super::super::*;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use glam::Vec3;
use sinew::Transform;
use sinew::skeleton::{Joint, JointIndex, Side, Skeleton};

/// The joints of a list, with the role of each.
fn read(list: &str) -> (Skeleton, Vec<Option<Role>>) {
    let mut joints: Vec<Joint> = Vec::new();
    let mut roles: Vec<Option<Role>> = Vec::new();
    let mut points: Vec<Vec3> = Vec::new();
    let mut path: Vec<usize> = Vec::new();
    for line in list.lines() {
        let text = line.trim_start();
        path.truncate((line.len() - text.len()) / 2);
        let (name, role) = match text.split_once(" = ") {
            Some((name, role)) => (name, Some(role.parse::<Role>().expect("a role"))),
            None => (text, None),
        };
        let parent = path.last().copied();
        let above = parent.map_or(Vec3::ZERO, |parent| points[parent]);
        let before = roles.iter().filter(|known| **known == role).count();
        let point = match role {
            Some(role) => place(role, before),
            None => above + Vec3::new(0.0, 0.01, 0.02),
        };
        joints.push(Joint {
            name: name.into(),
            parent: parent.map(JointIndex::from),
            rest: Transform::from_position(point - above),
            tip: None,
        });
        path.push(points.len());
        points.push(point);
        roles.push(role);
    }
    (Skeleton::new(joints).expect("a tree"), roles)
}

/// The place of the n-th joint of a role in a T-pose.
fn place(role: Role, n: usize) -> Vec3 {
    let step = n as f32;
    let [x, y, z] = match role.part {
        BodyPart::Reference => [0.0, 0.0, 0.0],
        BodyPart::Hips => [0.0, 1.0, 0.0],
        BodyPart::Spine => [0.0, 1.05 + 0.05 * step, 0.0],
        BodyPart::Chest => [0.0, 1.35, 0.0],
        BodyPart::Neck => [0.0, 1.5 + 0.03 * step, 0.0],
        BodyPart::Head => [0.0, 1.62, 0.0],
        BodyPart::Clavicle => [0.04, 1.45, 0.0],
        BodyPart::UpperArm => [0.18, 1.45, 0.0],
        BodyPart::LowerArm => [0.46, 1.45, 0.0],
        BodyPart::Hand => [0.72, 1.45, 0.0],
        BodyPart::Finger => [0.76 + 0.005 * step, 1.45, 0.0],
        BodyPart::UpperLeg => [0.1, 0.95, 0.0],
        BodyPart::LowerLeg => [0.1, 0.5, 0.0],
        BodyPart::Foot => [0.1, 0.08, 0.0],
        BodyPart::Toes => [0.1, 0.02, 0.13],
    };
    match role.side {
        Side::Right => Vec3::new(-x, y, z),
        _ => Vec3::new(x, y, z),
    }
}

/// Asserts that a list's joints have its roles, and no others.
fn check(system: &str, list: &str) {
    let (skeleton, expected) = read(list);
    let detection = detect_roles(&skeleton);
    let mut faults: Vec<String> = Vec::new();
    for (index, joint) in skeleton.joints().iter().enumerate() {
        let found = detection.map.role_of(index);
        if found != expected[index] {
            let text = |role: Option<Role>| role.map_or("none".into(), |role| format!("{role}"));
            faults.push(format!(
                "{}: {} instead of {}",
                joint.name,
                text(found),
                text(expected[index])
            ));
        }
    }
    assert!(faults.is_empty(), "{system}:\n{}", faults.join("\n"));
    assert!(detection.is_complete(), "{system}: {:?}", detection.missing);
    for role in required_roles() {
        let found = detection.map.get(role).expect("it is required");
        assert!(
            found.confidence >= 0.8,
            "{system}: {role} {}",
            found.confidence
        );
    }
}

macro_rules! systems {
    ($($name:ident)*) => {
        $(
            #[test]
            fn $name() {
                let list = include_str!(concat!("names/", stringify!($name), ".txt"));
                check(stringify!($name), list);
            }
        )*
    };
}

systems! {
    bandai_namco biped biped_neck cgspeed character_creator cmu daz hdm05 kinect kinect1 kinect_azure mixamo mmd perception_neuron rigify rokoko smpl
    smplx unreal4 unreal5 vrm vroid
}
