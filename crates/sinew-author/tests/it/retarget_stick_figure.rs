//! A stick figure on a straight leg: the exact angles.

use sinew::animation::{Animation, Channel, TransformTrack};
use sinew::glam::{Quat, Vec2, Vec3};
use sinew::skeleton::{Joint, JointIndex, Skeleton};
use sinew::skelform::{
    AnimationData, AnimationFrame, Armature, ArmatureData, ArmaturePose, BoneData,
    ConstructSettings, Element, animate, construct,
};
use sinew::{Sampler, Transform};
use sinew_author::retarget::character::{
    CharacterError, CharacterSettings, Facing, View, retarget_to_character,
};
use sinew_author::retarget::{BodyPart, Role, RoleMap};

/// Hips with two straight legs of two bones of 0.4 m, looking along +z.
fn skeleton() -> (Skeleton, RoleMap) {
    let mut joints = vec![joint("hips", None, Vec3::new(0.0, 0.9, 0.0))];
    let mut roles = RoleMap::new();
    roles.set(Role::middle(BodyPart::Hips), vec![0], 1.0);
    for (side, x) in [
        (Role::left as fn(BodyPart) -> Role, 0.1),
        (Role::right, -0.1),
    ] {
        let name = side(BodyPart::UpperLeg).to_string();
        let first = joints.len();
        let bone = Vec3::new(0.0, -0.4, 0.0);
        joints.push(joint(&name, Some(0), Vec3::new(x, 0.0, 0.0)));
        joints.push(joint(&format!("{name}_2"), Some(first), bone));
        joints.push(joint(&format!("{name}_3"), Some(first + 1), bone));
        let parts = [BodyPart::UpperLeg, BodyPart::LowerLeg, BodyPart::Foot];
        for (offset, part) in parts.into_iter().enumerate() {
            roles.set(side(part), vec![first + offset], 1.0);
        }
    }
    (Skeleton::new(joints).unwrap(), roles)
}

fn joint(name: &str, parent: Option<usize>, position: Vec3) -> Joint {
    Joint {
        name: name.into(),
        parent: parent.map(JointIndex::from),
        rest: Transform::from_position(position),
        tip: None,
    }
}

/// The thighs 30 degrees forwards, the knees bent by 60.
fn bent() -> Animation {
    let mut animation = Animation::new("bent", 0.5);
    for side in ["left", "right"] {
        for (joint, degrees) in [("", -30.0f32), ("_2", 60.0)] {
            let mut track = TransformTrack::new(format!("{side}_upper_leg{joint}"));
            let turn = Quat::from_rotation_x(degrees.to_radians());
            track.rotation = Some(Channel::constant(turn).unwrap());
            animation.tracks.push(track);
        }
    }
    animation
}

const LENGTH: f32 = 50.0;

/// A character with two legs that hang straight down.
fn character(root: BoneData, mirrored_rotation: bool) -> (Armature, RoleMap) {
    let mut roles = RoleMap::new();
    let bone = |name: &str, parent: usize, position: (f32, f32), rotation: f32| BoneData {
        name: name.into(),
        parent: Some(parent),
        position: position.into(),
        rotation,
        ..BoneData::default()
    };
    let mut bones = vec![root, bone("hips", 0, (0.0, 2.0 * LENGTH), 0.0)];
    roles.set(Role::middle(BodyPart::Hips), vec![1], 1.0);
    for side in [Role::left as fn(BodyPart) -> Role, Role::right] {
        let first = bones.len();
        bones.push(bone("thigh", 1, (0.0, 0.0), -std::f32::consts::FRAC_PI_2));
        bones.push(bone("shin", first, (LENGTH, 0.0), 0.0));
        bones.push(bone("foot", first + 1, (LENGTH, 0.0), 0.0));
        let parts = [BodyPart::UpperLeg, BodyPart::LowerLeg, BodyPart::Foot];
        for (offset, part) in parts.into_iter().enumerate() {
            roles.set(side(part), vec![first + offset], 1.0);
        }
    }
    let data = ArmatureData {
        bones,
        mirrored_rotation,
        ..ArmatureData::default()
    };
    (Armature::new(data).unwrap(), roles)
}

fn retarget(armature: &Armature, bones: &RoleMap, settings: &CharacterSettings) -> AnimationData {
    let (skeleton, roles) = skeleton();
    let result = retarget_to_character(&skeleton, &bent(), &roles, armature, bones, settings);
    result.unwrap().animation
}

/// The vectors from hip to ankle of both legs, at a frame of the animation.
fn legs(armature: &Armature, animation: AnimationData, frame: f32) -> [Vec2; 2] {
    let mut data = armature.data().clone();
    data.animations = vec![animation];
    let armature = Armature::new(data).unwrap();
    let mut state = armature.new_state();
    animate(
        &armature,
        &mut state,
        &[AnimationFrame::new(0.into(), frame)],
    )
    .unwrap();
    let mut pose = ArmaturePose::new(&armature);
    construct(
        &armature,
        &mut state,
        &ConstructSettings::default(),
        &mut pose,
    )
    .unwrap();
    let place = |bone: usize| pose.bone(bone.into()).unwrap().position;
    [place(4) - place(2), place(7) - place(5)]
}

#[test]
fn keys_are_the_angles_of_the_source() {
    let (armature, bones) = character(BoneData::default(), false);
    for (facing, sign) in [(Facing::Right, 1.0), (Facing::Left, -1.0)] {
        let settings = CharacterSettings {
            facing: Some(facing),
            ..CharacterSettings::default()
        };
        let animation = retarget(&armature, &bones, &settings);
        for (bone, setup, degrees) in [(2, -90.0, 30.0), (3, 0.0, -60.0), (5, -90.0, 30.0)] {
            let mut keys = animation.keys.iter();
            let key = keys.find(|key| key.bone == bone && key.element == Element::Rotation);
            let found = key.unwrap().value.to_degrees() - setup;
            assert!((found - sign * degrees).abs() <= 0.01, "{bone}: {found}");
        }
        let expected = Vec2::new(0.0, -2.0 * (30.0f32).to_radians().cos()) * LENGTH;
        for foot in legs(&armature, animation, 3.0) {
            assert!((foot - expected).length() <= 0.01, "{foot}");
        }
    }
}

#[test]
fn mirrored_and_turned_characters_show_the_same_pose() {
    let expected = Vec2::new(0.0, -2.0 * (30.0f32).to_radians().cos()) * LENGTH;
    let scales = [(1.0, 1.0), (-1.0, 1.0), (1.0, -1.0), (-1.5, -1.5)];
    for (x, y) in scales {
        for mirrored_rotation in [false, true] {
            for rotation in [0.0, 0.8] {
                let root = BoneData {
                    scale: Vec2::new(x, y),
                    rotation,
                    ..BoneData::default()
                };
                let (armature, bones) = character(root, mirrored_rotation);
                let animation = retarget(&armature, &bones, &CharacterSettings::default());
                for foot in legs(&armature, animation, 3.0) {
                    let expected = expected * x.abs();
                    assert!(
                        (foot - expected).length() <= 0.02,
                        "{x} {y} {rotation} {foot}"
                    );
                }
            }
        }
    }
}

#[test]
fn foreshortened_bones_end_where_the_projection_does() {
    let (armature, bones) = character(BoneData::default(), false);
    let settings = CharacterSettings {
        view: View::Angle(60.0),
        foreshorten: true,
        ..CharacterSettings::default()
    };
    let animation = retarget(&armature, &bones, &settings);
    assert!(
        animation
            .keys
            .iter()
            .any(|key| key.element == Element::ScaleX)
    );
    let (skeleton, _) = skeleton();
    let motion = bent();
    let mut sampler = Sampler::new(&skeleton, &motion);
    let model = sampler.model_at(0.1);
    let leg = model.position(JointIndex(3)) - model.position(JointIndex(1));
    // Seen from 60 degrees, forwards is halved.
    let expected = Vec2::new(leg.z * 0.5, leg.y) / 0.4 * LENGTH;
    for foot in legs(&armature, animation, 3.0) {
        assert!((foot - expected).length() <= 0.02, "{foot} {expected}");
    }
}

#[test]
fn what_cannot_be_retargeted_is_an_error() {
    let (armature, bones) = character(BoneData::default(), false);
    let (skeleton, roles) = skeleton();
    let try_with = |roles: &RoleMap, bones: &RoleMap, settings: &CharacterSettings| {
        retarget_to_character(&skeleton, &bent(), roles, &armature, bones, settings).unwrap_err()
    };
    let settings = CharacterSettings::default();
    let hips = Role::middle(BodyPart::Hips);
    let none = RoleMap::new();
    assert_eq!(
        try_with(&none, &bones, &settings),
        CharacterError::MissingInSource(hips)
    );
    assert_eq!(
        try_with(&roles, &none, &settings),
        CharacterError::NoCommonLimb
    );
    let mut outside = roles.clone();
    outside.set(Role::left(BodyPart::Foot), vec![99], 1.0);
    assert!(matches!(
        try_with(&outside, &bones, &settings),
        CharacterError::NoSuchJoint { joint: 99, .. }
    ));
    assert!(matches!(
        try_with(&roles, &outside, &settings),
        CharacterError::NoSuchBone { bone: 99, .. }
    ));
    let settings = CharacterSettings {
        angle_tolerance: f32::NAN,
        ..settings
    };
    assert!(matches!(
        try_with(&roles, &bones, &settings),
        CharacterError::Setting(_)
    ));
}
