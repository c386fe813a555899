//! Motions on 2D characters: exact angles, the project's own samples, and real files.

use sinew::glam::Vec2;
use sinew::skelform::{
    AnimationFrame, Armature, ArmatureData, ArmaturePose, BoneData, ConstructSettings,
    IkConstraint, IkFamilyData, PhysicsStep, animate, construct,
};
use sinew::{Animation, Skeleton};
use sinew_author::retarget::character::{
    CharacterReport, CharacterSettings, Facing, View, retarget_to_character,
};
use sinew_author::retarget::{BodyPart, Role, RoleMap};
use sinew_formats::{MotionSettings, read_motion, skf};
use sinew_testing::corpus::required_corpus;
use std::path::{Path, PathBuf};

fn read(path: &Path) -> (Skeleton, Animation) {
    let mut file = read_motion(path, &MotionSettings::default()).unwrap();
    (file.skeleton, file.animations.swap_remove(0))
}

fn samples() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../samples")
}

/// The roles of CMU's joint names.
fn cmu_roles(skeleton: &Skeleton) -> RoleMap {
    let mut roles = RoleMap::new();
    let mut set = |role, names: &[&str]| {
        let joints = names.iter().filter_map(|name| skeleton.find(name));
        roles.set(role, joints.map(|joint| joint.index()).collect(), 1.0);
    };
    set(Role::middle(BodyPart::Hips), &["root", "VICON"]);
    set(Role::middle(BodyPart::Spine), &["lowerback", "upperback"]);
    set(Role::middle(BodyPart::Chest), &["thorax"]);
    set(Role::middle(BodyPart::Neck), &["lowerneck", "upperneck"]);
    set(Role::middle(BodyPart::Head), &["head"]);
    for (letter, role) in [
        ("l", Role::left as fn(BodyPart) -> Role),
        ("r", Role::right),
    ] {
        for (part, name) in [
            (BodyPart::Clavicle, "clavicle"),
            (BodyPart::UpperArm, "humerus"),
            (BodyPart::LowerArm, "radius"),
            (BodyPart::Hand, "wrist"),
            (BodyPart::UpperLeg, "femur"),
            (BodyPart::LowerLeg, "tibia"),
            (BodyPart::Foot, "foot"),
            (BodyPart::Toes, "toes"),
        ] {
            set(role(part), &[&format!("{letter}{name}")]);
        }
    }
    roles
}

/// The roles of Pip's bones. Pip looks right, so the right side is near.
fn pip_roles(armature: &Armature) -> RoleMap {
    let mut roles = RoleMap::new();
    let mut set = |role, name: &str| {
        let bone = armature.find_bone(name).unwrap();
        roles.set(role, vec![bone.index()], 1.0);
    };
    set(Role::middle(BodyPart::Hips), "hips");
    set(Role::middle(BodyPart::Chest), "torso");
    set(Role::middle(BodyPart::Head), "head");
    for (side, role) in [
        ("far", Role::left as fn(BodyPart) -> Role),
        ("near", Role::right),
    ] {
        for (part, name) in [
            (BodyPart::UpperArm, "arm"),
            (BodyPart::LowerArm, "forearm"),
            (BodyPart::Hand, "paw"),
            (BodyPart::UpperLeg, "thigh"),
            (BodyPart::LowerLeg, "shin"),
            (BodyPart::Foot, "foot"),
        ] {
            set(role(part), &format!("{side}_{name}"));
        }
    }
    roles
}

fn pip() -> Armature {
    let file = skf::read(samples().join("pip.skf")).unwrap();
    Armature::clone(&file.armature)
}

/// Retargets onto a character and returns it with the new animation, and the report.
fn onto(
    armature: &Armature,
    bones: &RoleMap,
    (skeleton, animation): &(Skeleton, Animation),
    settings: &CharacterSettings,
) -> (Armature, CharacterReport) {
    let roles = cmu_roles(skeleton);
    let result =
        retarget_to_character(skeleton, animation, &roles, armature, bones, settings).unwrap();
    let mut data: ArmatureData = armature.data().clone();
    data.animations.insert(0, result.animation);
    (Armature::new(data).unwrap(), result.report)
}

/// Plays the first animation and calls `visit` with every frame's pose.
fn play(armature: &Armature, mut visit: impl FnMut(usize, &ArmaturePose)) {
    let settings = ConstructSettings {
        physics: PhysicsStep::Off,
        ..ConstructSettings::default()
    };
    let mut state = armature.new_state();
    let mut pose = ArmaturePose::new(armature);
    let last = armature.animations()[0].last_frame().unwrap();
    for frame in 0..=last {
        let frames = [AnimationFrame::new(0.into(), frame as f32)];
        animate(armature, &mut state, &frames).unwrap();
        construct(armature, &mut state, &settings, &mut pose).unwrap();
        visit(frame as usize, &pose);
    }
}

/// The bones of Pip's feet, and the ends of their soles relative to the ankle when they stand level: Pip's boots are drawn
/// with their sole 26 pixels below the ankle.
const FEET: [&str; 2] = ["near_foot", "far_foot"];

/// The longest slide of a foot that stands level on the ground, in pixels: of frames in a row in which the foot does not turn.
fn longest_slide(armature: &Armature, ground_speed: f32) -> (f32, usize) {
    let feet = FEET.map(|name| armature.find_bone(name).unwrap());
    let mut tracks: [Vec<(Vec2, f32)>; 2] = Default::default();
    play(armature, |frame, pose| {
        for (track, foot) in tracks.iter_mut().zip(feet) {
            let foot = pose.bone(foot).unwrap();
            let place = foot.position + Vec2::new(ground_speed * frame as f32, 0.0);
            track.push((place, foot.rotation()));
        }
    });
    let (mut longest, mut stands) = (0.0f32, 0);
    for track in &tracks {
        let low = track
            .iter()
            .map(|(place, _)| place.y)
            .fold(f32::INFINITY, f32::min);
        let is_level = |&(place, turn): &(Vec2, f32)| turn.abs() < 1e-3 && place.y < low + 1.0;
        for stand in track.chunk_by(|a, b| is_level(a) && is_level(b)) {
            if stand.len() < 5 {
                continue;
            }
            stands += 1;
            let start = stand[0].0;
            let slides = stand.iter().map(|(place, _)| (*place - start).length());
            longest = slides.fold(longest, f32::max);
        }
    }
    (longest, stands)
}

#[test]
fn pip_walks_as_the_sample_does() {
    let pip = pip();
    let roles = pip_roles(&pip);
    let walk = read(&samples().join("motion/walk.bvh"));
    let (walking, report) = onto(&pip, &roles, &walk, &CharacterSettings::default());
    assert!(report.warnings.is_empty(), "{:?}", report.warnings);
    assert!(report.turned.is_empty() && report.unreliable.is_empty());
    assert_eq!(report.facing, Facing::Right);
    assert_eq!(report.foreshortening.len(), 8);
    for limb in &report.foreshortening {
        assert!(limb.mean >= 0.98, "{limb:?}");
    }
    assert!(
        report.drift.plants >= 4 && report.drift.max <= 1.0,
        "{:?}",
        report.drift
    );
    assert!(report.keys_after * 2 < report.keys_before);
    let (slide, stands) = longest_slide(&walking, 0.0);
    assert!(stands >= 4 && slide <= 1.0, "{stands} {slide}");
    // Soles stay above the ground, which is at the setup pose's feet; knees bend forwards.
    let bones =
        ["thigh", "shin", "foot"].map(|part| walking.find_bone(&format!("near_{part}")).unwrap());
    let lowest = walking.find_bone("near_foot").unwrap();
    play(&walking, |frame, pose| {
        let [hip, knee, ankle] = bones.map(|bone| pose.bone(bone).unwrap().position);
        assert!((knee - hip).perp_dot(ankle - knee) < 1.0, "{frame}");
        assert!(pose.bone(lowest).unwrap().position.y > 25.0, "{frame}");
    });
}

#[test]
fn in_place_the_ground_moves_back_evenly() {
    let pip = pip();
    let roles = pip_roles(&pip);
    let walk = read(&samples().join("motion/walk.bvh"));
    let settings = CharacterSettings {
        in_place: true,
        ..CharacterSettings::default()
    };
    let (walking, report) = onto(&pip, &roles, &walk, &settings);
    assert!(report.is_loop && report.removed_speed > 50.0);
    let speed = report.removed_speed / walking.animations()[0].frame_rate() as f32;
    let (slide, stands) = longest_slide(&walking, speed);
    assert!(stands >= 4 && slide <= 1.0, "{stands} {slide}");
    let root = walking.find_bone("root").unwrap();
    play(&walking, |_, pose| {
        assert_eq!(pose.bone(root).unwrap().position, Vec2::ZERO);
    });
}

#[test]
#[ignore = "needs SINEW_CORPUS"]
fn a_captured_walk_fits_the_plane_of_pip() {
    let pip = pip();
    let roles = pip_roles(&pip);
    let walk = read(&required_corpus().join("asf-amc/cmu-cyun9601/02_01.amc"));
    let (walking, report) = onto(&pip, &roles, &walk, &CharacterSettings::default());
    for limb in &report.foreshortening {
        assert!(limb.mean >= 0.99, "{limb:?}");
    }
    assert!(
        report.drift.plants >= 4 && report.drift.max <= 1.0,
        "{:?}",
        report.drift
    );
    let (slide, stands) = longest_slide(&walking, 0.0);
    assert!(stands >= 4 && slide <= 1.0, "{stands} {slide}");
}

/// A character seen in a mirror: it looks the other way, and its constraints turn around.
fn mirrored(armature: &Armature) -> Armature {
    let mut data = armature.data().clone();
    for bone in &mut data.bones {
        bone.position.x = -bone.position.x;
        bone.rotation = -bone.rotation;
        // Bones of limbs lie along +x: turned by half a turn they still do.
        if bone.position.y == 0.0 && bone.position.x < 0.0 && bone.parent.is_some() {
            bone.position.x = -bone.position.x;
        }
    }
    for name in ["near_thigh", "far_thigh", "near_arm", "far_arm"] {
        let bone = armature.find_bone(name).unwrap().index();
        data.bones[bone].rotation += std::f32::consts::PI;
    }
    for name in FEET {
        let bone = armature.find_bone(name).unwrap().index();
        data.bones[bone].rotation += std::f32::consts::PI;
    }
    for family in &mut data.ik_families {
        family.constraint = match family.constraint {
            IkConstraint::Clockwise => IkConstraint::CounterClockwise,
            IkConstraint::CounterClockwise => IkConstraint::Clockwise,
            IkConstraint::None => IkConstraint::None,
        };
    }
    Armature::new(data).unwrap()
}

#[test]
fn a_character_that_looks_left_walks_to_the_left() {
    let pip = mirrored(&pip());
    let roles = pip_roles(&pip);
    let walk = read(&samples().join("motion/walk.bvh"));
    let settings = CharacterSettings {
        facing: Some(Facing::Left),
        ..CharacterSettings::default()
    };
    let (walking, report) = onto(&pip, &roles, &walk, &settings);
    assert!(report.drift.max <= 1.0, "{:?}", report.drift);
    let names = ["near_thigh", "near_shin", "near_foot"];
    let bones = names.map(|name| walking.find_bone(name).unwrap());
    let mut hips = Vec::new();
    play(&walking, |frame, pose| {
        let [hip, knee, ankle] = bones.map(|bone| pose.bone(bone).unwrap().position);
        assert!((knee - hip).perp_dot(ankle - knee) > -1.0, "{frame}");
        hips.push(hip.x);
    });
    assert!(hips.last().unwrap() < &(hips[0] - 50.0), "{hips:?}");
}

#[test]
fn without_ik_the_bones_keep_planted_feet() {
    let mut data = pip().data().clone();
    data.ik_families.clear();
    for bone in &mut data.bones {
        bone.ik_family = None;
    }
    // Their keys may change IK families that are gone.
    data.animations.clear();
    let pip = Armature::new(data).unwrap();
    let roles = pip_roles(&pip);
    let walk = read(&samples().join("motion/walk.bvh"));
    let (walking, report) = onto(&pip, &roles, &walk, &CharacterSettings::default());
    assert!(
        report.drift.plants >= 4 && report.drift.max <= 1.0,
        "{:?}",
        report.drift
    );
    let (slide, stands) = longest_slide(&walking, 0.0);
    assert!(stands >= 3 && slide <= 1.0, "{stands} {slide}");
    let target = walking.find_bone("near_foot_target").unwrap().index();
    let keys = &walking.data().animations[0].keys;
    assert!(keys.iter().all(|key| key.bone != target));
}

#[test]
fn legs_without_feet_keep_planted_ankles() {
    let pip = pip();
    let mut roles = pip_roles(&pip);
    for role in [Role::left as fn(BodyPart) -> Role, Role::right] {
        roles.set(role(BodyPart::Foot), Vec::new(), 1.0);
    }
    let walk = read(&samples().join("motion/walk.bvh"));
    let (_, report) = onto(&pip, &roles, &walk, &CharacterSettings::default());
    assert!(
        report.drift.plants >= 4 && report.drift.max <= 1.0,
        "{:?}",
        report.drift
    );
}

#[test]
fn the_same_motion_gives_the_same_keys() {
    let pip = pip();
    let roles = pip_roles(&pip);
    let dance = read(&samples().join("motion/dance-turn.bvh"));
    let settings = CharacterSettings {
        view: View::Auto,
        draw_order: true,
        foreshorten: true,
        follow_turn: true,
        ..CharacterSettings::default()
    };
    let first = onto(&pip, &roles, &dance, &settings);
    let second = onto(&pip, &roles, &dance, &settings);
    assert_eq!(first.0.data().animations[0], second.0.data().animations[0]);
    assert_eq!(first.1, second.1);
    for key in &first.0.data().animations[0].keys {
        assert!(key.value.is_finite());
    }
}

proptest::proptest! {
    #![proptest_config(proptest::test_runner::Config::with_cases(32))]
    #[test]
    fn any_bones_and_roles_give_finite_keys(
        bones in proptest::collection::vec(
            (-90.0..90.0f32, -90.0..90.0f32, -7.0..7.0f32, -1..2i8, 0..12usize), 2..14),
        members in proptest::collection::vec(0..14usize, 23),
        settings in 0..32u8,
    ) {
        let bones: Vec<BoneData> = bones.into_iter().enumerate().map(|(index, (x, y, rotation, scale, parent))| BoneData {
            parent: (parent < index).then_some(parent),
            position: Vec2::new(x, y),
            rotation,
            scale: Vec2::new(f32::from(scale), 1.0),
            ..BoneData::default()
        }).collect();
        let count = bones.len();
        let ik_families = vec![IkFamilyData {
            bones: vec![members[0] % count, members[1] % count],
            target: Some(members[2] % count),
            mimic_target: true,
            ..IkFamilyData::default()
        }];
        let data = ArmatureData { bones, ik_families, mirrored_rotation: settings & 1 > 0, ..ArmatureData::default() };
        // Families of one bone twice are rejected by the model.
        let Ok(armature) = Armature::new(data) else { return Ok(()) };
        let mut roles = RoleMap::new();
        for (role, bone) in Role::all().zip(members) {
            if bone < count {
                roles.set(role, vec![bone], 1.0);
            }
        }
        let (skeleton, animation) = read(&samples().join("motion/wave.bvh"));
        let settings = CharacterSettings {
            in_place: settings & 2 > 0,
            foreshorten: settings & 4 > 0,
            draw_order: settings & 8 > 0,
            view: if settings & 16 > 0 { View::Front } else { View::Side },
            ..CharacterSettings::default()
        };
        let source = cmu_roles(&skeleton);
        let result = retarget_to_character(&skeleton, &animation, &source, &armature, &roles, &settings);
        if let Ok(result) = result {
            for key in &result.animation.keys {
                proptest::prop_assert!(key.value.is_finite());
            }
        }
    }
}
