//! Roles of real skeletons and of the project's own samples.
//!
//! Real files are found through `SINEW_CORPUS`; their tests are ignored by default and fail without it.

use crate::retarget_bodies::{BodyShape, animation};
use sinew::anatomy::find_arms;
use sinew::glam::Vec3;
use sinew::local_to_model::local_to_model;
use sinew::pose::{ModelPose, Pose};
use sinew::skeleton::Side;
use sinew::skelform::Armature;
use sinew::{Animation, Joint, JointIndex, Sampler, Skeleton};
use sinew_author::retarget::{
    BodyPart, MIN_CONFIDENCE, Role, RoleDetection, RoleMap, detect_character_roles, detect_roles,
    detect_roles_of, near_side, required_character_roles, required_roles,
};
use sinew_formats::{MotionSettings, read_motion, skf};
use sinew_testing::corpus::{corpus_files, required_corpus, say};
use std::path::Path;

/// Humanoids that lack a required part; each was inspected.
const INCOMPLETE: [(&str, &[&str]); 4] = [
    // One bone from the hips to both arms, and no head.
    ("bvh/emretanirgan/jump_from_stand_.bvh", &["head"]),
    // The arms hang from the hips.
    ("bvh/mae/ah_cut_01.bvh", &["chest"]),
    ("bvh/mae/ba_rotation_04.bvh", &["chest"]),
    // The head and the hands are ends of bones.
    (
        "bvh/snu/wd2_WalkSameSame01.bvh",
        &["head", "left_hand", "right_hand"],
    ),
];

/// The skeletons of the corpus that can be read; those with all roles; those that are no bodies, with
/// most roles missing; bodies whose feet or knees show which side is left.
const COUNTS: [usize; 4] = [111, 52, 54, 49];

/// The arms of the corpus that are found by their shape.
const ARMS: usize = 105;

/// The animal.
const FOX: &str = "gltf/khronos-samples/Fox.glb";

/// Skeletons whose arms the shape alone does not show.
const OTHER_ARMS: [&str; 3] = [
    // They lie: z is up.
    "bvh/emretanirgan/jump_from_stand_.bvh",
    "bvh/pybvh/bvh_test1.bvh",
    // The upper arm and the lower arm are two bones each.
    "bvh/makehuman/tpose.bvh",
];

/// A skeleton of the corpus.
struct Body {
    /// The path below the corpus.
    name: String,
    skeleton: Skeleton,
    animation: Option<Animation>,
}

/// Every skeleton that can be read; files with faults are left out.
fn bodies() -> Vec<Body> {
    let corpus = required_corpus();
    let mut bodies = Vec::new();
    for (folder, endings) in [
        ("asf-amc", &["asf"][..]),
        ("bvh", &["bvh"]),
        ("gltf", &["gltf", "glb"]),
    ] {
        for path in corpus_files(folder, endings) {
            let name = path.strip_prefix(&corpus).unwrap().display().to_string();
            if let Ok(mut file) = read_motion(&path, &MotionSettings::default()) {
                bodies.push(Body {
                    name,
                    skeleton: file.skeleton,
                    animation: (!file.animations.is_empty()).then(|| file.animations.remove(0)),
                });
            }
        }
    }
    bodies
}

fn limbs() -> [BodyPart; 6] {
    [
        BodyPart::UpperArm,
        BodyPart::LowerArm,
        BodyPart::Hand,
        BodyPart::UpperLeg,
        BodyPart::LowerLeg,
        BodyPart::Foot,
    ]
}

/// Left limbs that lie on the right of right limbs. Forward is where the feet point, from the ankles to the toes or the
/// tip of the foot, or where the knees bend; up is from the hips to the head; left is up × forward. `None` if the pose
/// has no such axes.
fn swapped(skeleton: &Skeleton, map: &RoleMap, model: &ModelPose) -> Option<Vec<BodyPart>> {
    let place = |joint: usize| model.position(JointIndex::from(joint));
    let joint = |role: Role| map.joint(role).map(place);
    let foot = |side: fn(BodyPart) -> Role| {
        let ankle = map.joint(side(BodyPart::Foot))?;
        let tip = || model.tip(skeleton, JointIndex::from(ankle));
        Some(joint(side(BodyPart::Toes)).or_else(tip)? - place(ankle))
    };
    // A knee is in front of the line from the hip joint to the ankle.
    let knee = |side: fn(BodyPart) -> Role| {
        let hip = joint(side(BodyPart::UpperLeg))?;
        let leg = joint(side(BodyPart::Foot))? - hip;
        let bend = (joint(side(BodyPart::LowerLeg))? - hip).reject_from(leg);
        (bend.length() > 0.05 * leg.length()).then_some(bend)
    };
    let sum = |[left, right]: [Option<Vec3>; 2]| Some(left? + right?);
    let forward = sum([foot(Role::left), foot(Role::right)])
        .or_else(|| sum([knee(Role::left), knee(Role::right)]))?;
    let up = joint(Role::middle(BodyPart::Head))? - joint(Role::middle(BodyPart::Hips))?;
    let left = up.cross(forward).try_normalize()?;
    // A pose without upright feet has no forward.
    let is_clear = left.is_finite() && forward.normalize().dot(up.normalize()).abs() < 0.8;
    let apart = |part| Some((joint(Role::left(part))? - joint(Role::right(part))?).dot(left));
    let is_swapped = |part: &BodyPart| apart(*part).is_some_and(|apart| apart <= 0.0);
    is_clear.then(|| limbs().into_iter().filter(is_swapped).collect())
}

/// The parts that are swapped at rest, or without toes that point forward there, in most of the frames.
fn swapped_limbs(body: &Body, map: &RoleMap) -> Option<Vec<BodyPart>> {
    let skeleton = &body.skeleton;
    let mut model = ModelPose::new(skeleton);
    local_to_model(skeleton, &Pose::rest(skeleton), &mut model).unwrap();
    let at_rest = swapped(skeleton, map, &model);
    if at_rest.is_some() {
        return at_rest;
    }
    let animation = body.animation.as_ref()?;
    let mut sampler = Sampler::new(skeleton, animation);
    let mut frames = 0;
    let mut counts = [0; 6];
    for step in 0..40 {
        let time = animation.length * step as f32 / 40.0;
        let model = sampler.model_at(time);
        let Some(found) = swapped(skeleton, map, model) else {
            continue;
        };
        frames += 1;
        for (part, count) in limbs().iter().zip(&mut counts) {
            *count += usize::from(found.contains(part));
        }
    }
    let parts = limbs().into_iter().zip(counts);
    let most = parts.filter(|(_, count)| 2 * count > frames);
    (frames > 0).then(|| most.map(|(part, _)| part).collect())
}

fn missing(detection: &RoleDetection) -> Vec<String> {
    let roles = detection.missing.iter();
    roles.map(|missing| missing.role.to_string()).collect()
}

#[test]
#[ignore = "needs SINEW_CORPUS"]
fn every_humanoid_of_the_corpus_has_its_roles_and_nothing_else_has() {
    let bodies = bodies();
    let mut complete: Vec<&str> = Vec::new();
    let mut incomplete: Vec<(&str, Vec<String>)> = Vec::new();
    let mut others = 0;
    let mut judged = 0;
    for body in &bodies {
        let detection = detect_roles(&body.skeleton);
        let map = &detection.map;
        for (index, joint) in body.skeleton.joints().iter().enumerate() {
            let is_eye = joint.name.to_lowercase().contains("eye");
            assert!(
                !is_eye || map.role_of(index).is_none(),
                "{}: {}",
                body.name,
                joint.name
            );
        }
        let missing = missing(&detection);
        if missing.is_empty() {
            complete.push(&body.name);
            match swapped_limbs(body, map) {
                Some(parts) => {
                    assert_eq!(parts, [], "{}: left and right are swapped", body.name);
                    judged += 1;
                }
                None => say(&format!("{}: feet and knees show no sides", body.name)),
            }
        } else if missing.len() < 12 {
            incomplete.push((&body.name, missing));
        } else {
            others += 1;
        }
    }
    say(&format!(
        "{} skeletons: {} complete, {} incomplete, {others} others; sides judged in {judged}",
        bodies.len(),
        complete.len(),
        incomplete.len()
    ));
    for name in &complete {
        say(&format!("    {name}"));
    }
    let found = [bodies.len(), complete.len(), others, judged];
    assert_eq!(found, COUNTS);
    assert!(!complete.contains(&FOX));
    incomplete.retain(|(name, _)| *name != FOX);
    let expected: Vec<(&str, Vec<String>)> = INCOMPLETE
        .iter()
        .map(|(name, roles)| (*name, roles.iter().map(ToString::to_string).collect()))
        .collect();
    assert_eq!(incomplete, expected);
}

#[test]
#[ignore = "needs SINEW_CORPUS"]
fn the_required_roles_of_an_acclaim_body_are_certain() {
    let path = required_corpus().join("asf-amc/cmu-cyun9601/02.asf");
    let file = read_motion(path, &MotionSettings::default()).unwrap();
    let detection = detect_roles(&file.skeleton);
    assert!(detection.is_complete() && detection.unsure.is_empty());
    for role in required_roles() {
        assert_eq!(detection.map.get(role).unwrap().confidence, 1.0, "{role}");
    }
}

#[test]
#[ignore = "needs SINEW_CORPUS"]
fn a_fox_has_no_arms() {
    let path = required_corpus().join(FOX);
    let file = read_motion(path, &MotionSettings::default()).unwrap();
    let detection = detect_roles(&file.skeleton);
    assert!(!detection.is_complete());
    for part in [BodyPart::UpperArm, BodyPart::LowerArm, BodyPart::Hand] {
        for role in [Role::left(part), Role::right(part)] {
            assert_eq!(detection.map.get(role), None, "{role}");
            let missing = detection
                .missing
                .iter()
                .find(|missing| missing.role == role);
            let candidates = &missing.unwrap().candidates;
            say(&format!("{role}: {candidates:?}"));
            assert!(!candidates.is_empty(), "{role}");
            assert!(
                candidates
                    .iter()
                    .all(|candidate| candidate.score < MIN_CONFIDENCE)
            );
        }
    }
}

#[test]
#[ignore = "needs SINEW_CORPUS"]
fn arms_found_by_their_shape_are_those_of_the_roles() {
    let mut others: Vec<String> = Vec::new();
    let mut equal = 0;
    for body in bodies() {
        let map = detect_roles(&body.skeleton).map;
        for arm in find_arms(&body.skeleton) {
            let side = match arm.side {
                Side::Left => Role::left,
                _ => Role::right,
            };
            let parts = [BodyPart::UpperArm, BodyPart::LowerArm, BodyPart::Hand];
            let [Some(upper), Some(middle), Some(end)] = parts.map(|part| map.joint(side(part)))
            else {
                continue;
            };
            let found = [arm.upper, arm.middle, arm.end].map(JointIndex::index);
            if found == [upper, middle, end] {
                equal += 1;
            } else {
                let name = |joint: usize| body.skeleton.joints()[joint].name.as_str();
                others.push(format!("{}: {:?}", body.name, found.map(name)));
            }
        }
    }
    say(&format!(
        "{equal} arms are those of the roles, others: {others:#?}"
    ));
    assert_eq!(equal, ARMS);
    assert!(
        others
            .iter()
            .all(|other| OTHER_ARMS.iter().any(|known| other.starts_with(known)))
    );
}

#[test]
fn the_sample_figure_has_all_roles_and_its_arms_are_no_clavicles() {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../samples");
    let file = read_motion(
        samples.join("motion/figure.asf"),
        &MotionSettings::default(),
    );
    let skeleton = file.unwrap().skeleton;
    let detection = detect_roles(&skeleton);
    assert_eq!(missing(&detection), Vec::<String>::new());
    let joints = |letter: &str| {
        ["humerus", "radius", "wrist"].map(|name| skeleton.find(&format!("{letter}{name}")))
    };
    let arms = find_arms(&skeleton);
    let arms = arms.iter().map(|arm| [arm.upper, arm.middle, arm.end]);
    let arms: Vec<_> = arms.map(|arm| arm.map(Some)).collect();
    assert_eq!(arms, [joints("l"), joints("r")]);
}

#[test]
fn the_sample_character_has_ten_roles_without_a_map() {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../samples");
    let file = skf::read(samples.join("pip.skf")).unwrap();
    let armature: &Armature = &file.armature;
    assert_eq!(near_side(armature), Side::Right);
    let detection = detect_character_roles(armature, None);
    assert_eq!(missing(&detection), Vec::<String>::new());
    assert_eq!(required_character_roles().len(), 10);
    let bones = &armature.data().bones;
    let name = |role: Role| {
        let bone = detection.map.joint(role);
        bone.map(|bone| bones[bone].name.as_str())
    };
    for (part, bone) in [
        (BodyPart::UpperLeg, "thigh"),
        (BodyPart::LowerLeg, "shin"),
        (BodyPart::UpperArm, "arm"),
        (BodyPart::LowerArm, "forearm"),
    ] {
        let names = [Role::right(part), Role::left(part)].map(name);
        let expected = [format!("near_{bone}"), format!("far_{bone}")];
        assert_eq!(names.map(Option::unwrap), expected);
    }
    assert_eq!(name(Role::middle(BodyPart::Chest)), Some("torso"));
    assert_eq!(name(Role::middle(BodyPart::Head)), Some("head"));
    // Ears, tail, face, IK targets and the bones beside the feet play no role.
    let found = detection.map.assignments().iter();
    let mut found: Vec<&str> = found
        .flat_map(|found| &found.joints)
        .map(|bone| bones[*bone].name.as_str())
        .filter(|name| !name.starts_with("near_") && !name.starts_with("far_"))
        .collect();
    found.sort_unstable();
    assert_eq!(found, ["head", "hips", "root", "torso"]);
    for side in ["near", "far"] {
        let limbs = bones.iter().enumerate();
        let limbs = limbs.filter(|(bone, fields)| {
            fields.name.starts_with(side) && detection.map.role_of(*bone).is_some()
        });
        let mut limbs: Vec<&str> = limbs
            .filter_map(|(_, fields)| fields.name.split_once('_'))
            .map(|(_, part)| part)
            .collect();
        limbs.sort_unstable();
        assert_eq!(limbs, ["arm", "foot", "forearm", "paw", "shin", "thigh"]);
    }
}

#[test]
fn an_animation_tells_a_static_joint_above_the_hips_from_a_moving_one() {
    let (skeleton, _) = BodyShape {
        reference: Some(Vec3::ZERO),
        ..BodyShape::default()
    }
    .build();
    let mut joints = skeleton.joints().to_vec();
    joints[0].name = "carrier".into();
    let skeleton = Skeleton::new(joints).unwrap();
    let reference = |animation: Option<&Animation>| {
        let map = detect_roles_of(&skeleton, animation).map;
        assert_eq!(map.joint(Role::middle(BodyPart::Hips)), Some(1));
        map.joint(Role::middle(BodyPart::Reference))
    };
    // Its name says nothing.
    assert_eq!(reference(None), None);
    let moving = |joint: usize| {
        let Joint { name, rest, .. } = &skeleton.joints()[joint];
        let places = [0.0, 0.5, 1.0].map(|distance| rest.position + Vec3::Z * distance);
        animation(&[], &[(name, places.to_vec())])
    };
    assert_eq!(reference(Some(&moving(1))), Some(0));
    assert_eq!(reference(Some(&moving(0))), None);
}
