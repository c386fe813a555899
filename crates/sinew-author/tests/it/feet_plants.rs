//! Legs, arms and when they stand.

use sinew::anatomy::{LimbEnd, find_arms, find_legs};
use sinew::glam::Vec3;
use sinew::skeleton::Side;
use sinew::{Animation, Joint, JointIndex, Skeleton, Transform};
use sinew_author::contacts::{PlantSettings, find_plants, foot_contacts};
use sinew_author::edit::move_root;
use sinew_testing::feet::{Faults, RATE, STRIDE, WAY, biped, walk};

fn joint(name: &str, parent: Option<u32>, position: [f32; 3]) -> Joint {
    Joint {
        name: name.to_owned(),
        parent: parent.map(JointIndex),
        rest: Transform::from_position(position.into()),
        tip: None,
    }
}

#[test]
fn skeletons_without_legs_have_no_plants() {
    let settings = PlantSettings::default();
    let stick = Skeleton::new(vec![
        joint("a", None, [0.0; 3]),
        joint("b", Some(0), [0.0, 1.0, 0.0]),
    ]);
    let stick = stick.unwrap();
    assert!(find_legs(&stick).is_empty() && find_arms(&stick).is_empty());
    assert!(find_plants(&stick, &Animation::new("still", 1.0), &settings).is_empty());
    let point = Skeleton::new(vec![joint("a", None, [0.0; 3])]).unwrap();
    assert!(find_plants(&point, &Animation::new("still", 1.0), &settings).is_empty());
    // Two frames are too few, and a length that is NaN is invalid.
    let figure = biped();
    for length in [0.0, 1.0 / 60.0, f32::NAN] {
        let mut short = Animation::new("short", 0.0);
        short.length = length;
        assert!(
            find_plants(&figure, &short, &settings).is_empty(),
            "{length}"
        );
    }
}

#[test]
fn legs_are_found_below_helpers_and_arms_by_their_names() {
    let skeleton = biped();
    let legs = find_legs(&skeleton);
    let name = |joint: JointIndex| skeleton.joint(joint).unwrap().name.clone();
    assert_eq!(legs.len(), 2);
    for (leg, (side, letter)) in legs.iter().zip([(Side::Left, "l"), (Side::Right, "r")]) {
        assert_eq!(leg.side, side);
        assert_eq!(name(leg.upper), format!("{letter}thigh"));
        assert_eq!(name(leg.middle), format!("{letter}shin"));
        assert_eq!(name(leg.end), format!("{letter}foot"));
        assert_eq!(name(leg.ball.unwrap().joint), format!("{letter}toes"));
        assert!(leg.has_heel && !leg.is_arm);
    }
    assert!(find_arms(&skeleton).is_empty());

    let mut joints = skeleton.joints().to_vec();
    for (side, x) in [("l", 1.0), ("r", -1.0)] {
        let first = joints.len() as u32;
        joints.push(joint(
            &format!("{side}collar"),
            Some(11),
            [0.1 * x, 0.0, 0.0],
        ));
        joints.push(joint(
            &format!("{side}arm"),
            Some(first),
            [0.1 * x, 0.0, 0.0],
        ));
        joints.push(joint(
            &format!("{side}elbow"),
            Some(first + 1),
            [0.3 * x, 0.0, 0.0],
        ));
        joints.push(joint(
            &format!("{side}hand"),
            Some(first + 2),
            [0.25 * x, 0.0, 0.0],
        ));
        joints.push(joint(
            &format!("{side}thumb"),
            Some(first + 3),
            [0.08 * x, 0.0, 0.03],
        ));
    }
    let skeleton = Skeleton::new(joints).unwrap();
    let arms = find_arms(&skeleton);
    let name = |joint: JointIndex| skeleton.joint(joint).unwrap().name.clone();
    let names: Vec<String> = arms.iter().map(|arm| name(arm.end)).collect();
    assert_eq!(names, ["lhand", "rhand"]);
    assert_eq!(name(arms[0].upper), "larm");
    assert_eq!(find_legs(&skeleton).len(), 2);
}

/// The biped with two arms: the name of each joint without its side, and its place relative to the joint above.
fn with_arms(arm: &[(&str, [f32; 3])]) -> Skeleton {
    let mut joints = biped().joints().to_vec();
    let trunk = joints.iter().position(|joint| joint.name == "head");
    for (side, sign) in [("Left", 1.0), ("Right", -1.0)] {
        let mut parent = trunk.unwrap() as u32;
        for (name, [x, y, z]) in arm {
            let name = format!("{side}{name}");
            joints.push(joint(&name, Some(parent), [sign * x, *y, *z]));
            parent = joints.len() as u32 - 1;
        }
    }
    Skeleton::new(joints).unwrap()
}

#[test]
fn arms_begin_at_the_shoulder_and_end_at_the_wrist_in_rigs_of_all_kinds() {
    let straight = |names: &[&'static str], lengths: &[f32], degrees: f32| {
        let (sine, cosine) = degrees.to_radians().sin_cos();
        let bones = names.iter().zip(lengths).enumerate();
        // Clavicles are horizontal.
        let place = |(index, (name, length)): (usize, (&&'static str, &f32))| {
            let is_trunk = index == 0 || names[index - 1] == "Shoulder";
            let direction = if is_trunk {
                [1.0, 0.0]
            } else {
                [cosine, -sine]
            };
            (*name, [direction[0] * length, direction[1] * length, 0.0])
        };
        bones.map(place).collect::<Vec<_>>()
    };
    let whole = ["Shoulder", "Arm", "ForeArm", "Hand", "Palm", "Finger"];
    let bare = ["Arm", "ForeArm", "Hand", "Palm"];
    let rigs: [(&str, &[&str], &[f32]); 6] = [
        // The clavicle begins in the middle; it and the upper arm are longer than both bones of the arm, and more alike.
        ("Acclaim", &whole, &[0.0, 0.202, 0.281, 0.191, 0.095, 0.039]),
        ("Mixamo", &whole, &[0.06, 0.125, 0.276, 0.283, 0.12, 0.036]),
        ("SMPL", &whole, &[0.085, 0.11, 0.26, 0.25, 0.084, 0.04]),
        (
            "a hand without fingers",
            &whole[..4],
            &[0.06, 0.125, 0.276, 0.25],
        ),
        ("no clavicle", &bare, &[0.18, 0.28, 0.25, 0.09]),
        ("a narrow figure", &bare, &[0.09, 0.2, 0.2, 0.06]),
    ];
    for (rig, names, lengths) in rigs {
        for degrees in [0.0, 45.0, 80.0] {
            let skeleton = with_arms(&straight(names, lengths, degrees));
            let arms = find_arms(&skeleton);
            assert_eq!(arms.len(), 2, "{rig}");
            for (arm, side) in arms.iter().zip(["Left", "Right"]) {
                let found = [arm.upper, arm.middle, arm.end];
                let found = found.map(|joint| skeleton.joint(joint).unwrap().name.clone());
                let expected = ["Arm", "ForeArm", "Hand"].map(|name| format!("{side}{name}"));
                assert_eq!(
                    found, expected,
                    "{rig}, {degrees} degrees below the horizontal"
                );
            }
        }
    }
}

#[test]
fn a_dog_has_four_legs_and_walks_on_its_toes() {
    let mut joints = vec![joint("hips", None, [0.0, 0.6, 0.0])];
    joints.push(joint("spine", Some(0), [0.0, 0.0, 0.6]));
    let leg = |joints: &mut Vec<Joint>, name: &str, parent: u32, x: f32| {
        let first = joints.len() as u32;
        joints.push(joint(
            &format!("{name}upper"),
            Some(parent),
            [x, -0.05, 0.0],
        ));
        joints.push(joint(
            &format!("{name}lower"),
            Some(first),
            [0.0, -0.2, 0.05],
        ));
        joints.push(joint(
            &format!("{name}hock"),
            Some(first + 1),
            [0.0, -0.2, -0.05],
        ));
        joints.push(joint(
            &format!("{name}toes"),
            Some(first + 2),
            [0.0, -0.13, 0.02],
        ));
        joints.last_mut().unwrap().tip = Some(Vec3::Z * 0.04);
    };
    leg(&mut joints, "lfore", 1, 0.1);
    leg(&mut joints, "rfore", 1, -0.1);
    leg(&mut joints, "lhind", 0, 0.1);
    leg(&mut joints, "rhind", 0, -0.1);
    let skeleton = Skeleton::new(joints).unwrap();
    let legs = find_legs(&skeleton);
    let sides: Vec<Side> = legs.iter().map(|leg| leg.side).collect();
    assert_eq!(sides, [Side::Left, Side::Right, Side::Left, Side::Right]);
    for leg in legs {
        let name = |joint: JointIndex| skeleton.joint(joint).unwrap().name.clone();
        assert!(name(leg.end).ends_with("hock"), "{leg:?}");
        assert!(name(leg.ball.unwrap().joint).ends_with("toes"), "{leg:?}");
        assert!(!leg.has_heel);
    }
}

#[test]
fn feet_of_a_walk_are_planted_two_thirds_of_the_time_at_any_ground_height() {
    let skeleton = biped();
    let mut walk = walk(&skeleton, 4.0, &Faults::default());
    for height in [0.0, 3.0] {
        let offset = Transform::from_position(Vec3::Y * height);
        move_root(&mut walk, &skeleton, &offset);
        let plants = find_plants(&skeleton, &walk, &PlantSettings::default());
        for (side, late) in [(Side::Left, 0.0), (Side::Right, 0.5)] {
            let balls = plants
                .iter()
                .filter(|plant| plant.side == side && plant.end == LimbEnd::Ball);
            let spans: Vec<_> = balls.map(|plant| plant.span.clone()).collect();
            assert!(spans.len() >= 4, "{spans:?}");
            for span in &spans {
                let phase = f64::from(span.start) / STRIDE + late;
                let off = (phase - phase.round()).abs() * STRIDE * RATE;
                assert!(span.start == 0.0 || off < 5.0, "{span:?} {off}");
                let long = f64::from(span.end - span.start) / STRIDE;
                let is_whole = span.start > 0.0 && span.end < walk.length;
                assert!(!is_whole || (long - 2.0 / 3.0).abs() < 0.12, "{span:?}");
            }
        }
        assert!(plants.iter().any(|plant| plant.end == LimbEnd::Heel));
    }
}

#[test]
fn plants_are_saved_and_read_back() {
    let skeleton = biped();
    let walk = walk(&skeleton, 2.0, &Faults::default());
    let plants = find_plants(&skeleton, &walk, &PlantSettings::default());
    let text = serde_json::to_string(&plants).unwrap();
    let back: Vec<sinew::anatomy::Plant> = serde_json::from_str(&text).unwrap();
    assert_eq!(back, plants);
}

/// A foot that is planted at the end of a loop and at its beginning is planted once: a loop of one stride has one plant
/// of each ball, wherever in the stride it begins, and also when it was put on the spot.
#[test]
fn a_loop_of_one_stride_has_one_plant_of_each_ball() {
    use sinew::math::GroundTransform;
    use sinew_author::looping::{Cycle, LoopSettings, make_loop};
    let skeleton = biped();
    let walk = walk(&skeleton, 3.5, &Faults::default());
    for begin in [0.3, 0.5, 0.7, 0.9, 1.1, 1.3, 1.5] {
        let cycle = Cycle {
            start: begin,
            end: begin + STRIDE as f32,
            distance: 0.0,
            ground_transform: GroundTransform {
                z: WAY,
                ..GroundTransform::IDENTITY
            },
            repeats: true,
            candidates: Vec::new(),
        };
        for in_place in [false, true] {
            let settings = LoopSettings {
                in_place,
                ..LoopSettings::default()
            };
            let looped = make_loop(&skeleton, &walk, &cycle, &settings).unwrap();
            let plants = find_plants(&skeleton, &looped.animation, &PlantSettings::default());
            let contacts = foot_contacts(&skeleton, &plants);
            assert_eq!(contacts.len(), 2);
            for foot in &contacts {
                assert_eq!(foot.spans.len(), 1, "{begin} {in_place}: {foot:?}");
                let seconds = f64::from(foot.spans[0].end - foot.spans[0].start);
                // Two thirds of a stride, and what a foot is slow before and after.
                assert!(
                    (0.6..0.95).contains(&(seconds / STRIDE)),
                    "{begin} {in_place}: {foot:?}"
                );
            }
            let length = looped.animation.length;
            for plant in &plants {
                let parts: Vec<_> = plant.spans(length).collect();
                assert!(
                    parts
                        .iter()
                        .all(|part| part.start >= 0.0 && part.end <= length)
                );
                let sum: f32 = parts.iter().map(|part| part.end - part.start).sum();
                assert!((sum - (plant.span.end - plant.span.start)).abs() < 1e-5);
            }
        }
    }
}
