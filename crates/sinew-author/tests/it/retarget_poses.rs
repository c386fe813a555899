//! Retargeting poses and motions of made bodies: rest poses, chains, reference joints, missing parts, bad input.

use crate::retarget_bodies::{BodyShape, animation};
use crate::retarget_common::{
    Random, distance, ground_path, paths, read, with_legs, with_rest_rotations,
};
use sinew::glam::{Quat, Vec3};
use sinew::math::{quat_angle, quat_mul};
use sinew::{Animation, Joint, JointIndex, ModelPose, Pose, Skeleton, Transform, local_to_model};
use sinew_author::retarget::{
    BodyPart, Figure, RestAlignment, RetargetError, RetargetSettings, RetargetWarning, Retargeter,
    Role, RoleMap, RootTarget, retarget,
};
use sinew_testing::counting::allocations;

type Body = (Skeleton, RoleMap);

fn retargeter(source: &Body, target: &Body, settings: &RetargetSettings) -> Retargeter {
    Retargeter::new(&source.0, &source.1, &target.0, &target.1, settings).unwrap()
}

/// The pose of the target for a pose of the source.
fn transferred(source: &Body, target: &Body, settings: &RetargetSettings, pose: &Pose) -> Pose {
    let retargeter = retargeter(source, target, settings);
    let mut result = Pose::rest(&target.0);
    let mut scratch = retargeter.scratch();
    retargeter
        .retarget_pose(&mut scratch, pose, &mut result)
        .unwrap();
    result
}

fn model(skeleton: &Skeleton, pose: &Pose) -> ModelPose {
    let mut model = ModelPose::new(skeleton);
    local_to_model(skeleton, pose, &mut model).unwrap();
    model
}

fn direction(skeleton: &Skeleton, pose: &Pose, from: &str, to: &str) -> Vec3 {
    let model = model(skeleton, pose);
    let place = |name: &str| model.position(skeleton.find(name).unwrap());
    (place(to) - place(from)).normalize()
}

fn degrees_between(a: Vec3, b: Vec3) -> f32 {
    (2.0 * (0.5 * (a - b).length()).min(1.0).asin()).to_degrees()
}

fn about_x(degrees: f32) -> Quat {
    Quat::from_rotation_x(degrees.to_radians())
}

#[test]
fn arms_point_where_those_of_the_source_do_whatever_their_rest_pose() {
    let source = BodyShape {
        arms_down: 45.0,
        ..BodyShape::default()
    }
    .build();
    let target = BodyShape::default().build();
    let down = Vec3::new(1.0, -1.0, 0.0).normalize();
    for (rotation, expected) in [(45.0_f32, Vec3::X), (0.0, down)] {
        let mut pose = Pose::rest(&source.0);
        let arm = source.0.find("l_upper_arm").unwrap();
        pose.set_rotation(arm, Quat::from_rotation_z(rotation.to_radians()));
        let result = transferred(&source, &target, &RetargetSettings::default(), &pose);
        for (from, to) in [("l_upper_arm", "l_lower_arm"), ("l_lower_arm", "l_hand")] {
            let found = direction(&target.0, &result, from, to);
            assert!(degrees_between(found, expected) <= 0.05, "{from}: {found}");
        }
    }
    // As in the files, the arm of the target is raised by as much as the source's.
    let settings = RetargetSettings {
        rest: RestAlignment::File,
        ..RetargetSettings::default()
    };
    let mut pose = Pose::rest(&source.0);
    let arm = source.0.find("l_upper_arm").unwrap();
    pose.set_rotation(arm, Quat::from_rotation_z(45.0_f32.to_radians()));
    let result = transferred(&source, &target, &settings, &pose);
    let found = direction(&target.0, &result, "l_upper_arm", "l_hand");
    let up = Vec3::new(1.0, 1.0, 0.0).normalize();
    assert!(degrees_between(found, up) <= 0.05, "{found}");
}

#[test]
fn a_t_pose_aligns_both_bodies() {
    let source = BodyShape {
        arms_down: 60.0,
        ..BodyShape::default()
    }
    .build();
    let target = BodyShape {
        arms_down: 20.0,
        facing: -1.0,
        ..BodyShape::default()
    }
    .build();
    let settings = RetargetSettings {
        rest: RestAlignment::TPose,
        ..RetargetSettings::default()
    };
    let pose = Pose::rest(&source.0);
    let result = transferred(&source, &target, &settings, &pose);
    for [from, to] in [
        ["l_upper_arm", "l_hand"],
        ["r_upper_arm", "r_lower_arm"],
        ["l_upper_leg", "l_foot"],
        ["r_foot", "r_toes"],
    ] {
        let wanted = direction(&source.0, &pose, from, to);
        let found = direction(&target.0, &result, from, to);
        assert!(degrees_between(found, wanted) <= 0.05, "{from}: {found}");
    }
}

#[test]
fn a_bend_of_the_spine_is_spread_by_length() {
    for (from, to) in [(3_usize, 5_usize), (5, 3), (4, 4), (1, 3)] {
        let [source, target] = [from, to].map(|trunk| {
            BodyShape {
                trunk,
                ..BodyShape::default()
            }
            .build()
        });
        let mut pose = Pose::rest(&source.0);
        for index in 0..from {
            let joint = source.0.find(&format!("trunk{index}")).unwrap();
            pose.set_rotation(joint, about_x(60.0 / from as f32));
        }
        let result = transferred(&source, &target, &RetargetSettings::default(), &pose);
        let mut chest = Quat::IDENTITY;
        for index in 0..to {
            let joint = target.0.find(&format!("trunk{index}")).unwrap();
            let rotation = result.rotation(joint);
            let error = quat_angle(rotation, about_x(60.0 / to as f32)).to_degrees();
            assert!(error <= 0.1, "{from} to {to}, joint {index}: {error}");
            chest = quat_mul(chest, rotation);
        }
        assert!(quat_angle(chest, about_x(60.0)).to_degrees() <= 0.05);
        // Head and arms are where they were.
        let neck = target.0.find("neck").unwrap();
        assert!(quat_angle(result.rotation(neck), Quat::IDENTITY) < 1e-3);
    }
}

/// A walk of the hips over 3 m, in a body with or without a reference joint.
fn glide(source: &Body) -> Animation {
    let hips = source.0.find("hips").unwrap();
    let rest = source.0.joints()[hips.index()].rest.position;
    let places = (0..=60).map(|frame| rest + Vec3::new(0.3, 0.0, 3.0) * (frame as f32 / 60.0));
    animation(&[], &[("hips", places.collect())])
}

#[test]
fn hips_travel_below_a_static_reference_joint() {
    let source = BodyShape {
        reference: Some(Vec3::new(0.5, 0.2, 0.0)),
        ..BodyShape::default()
    }
    .build();
    let walk = glide(&source);
    for (target_reference, root) in [
        (None, RootTarget::Hips),
        (Some(Vec3::new(0.0, 0.0, 2.0)), RootTarget::Hips),
        (Some(Vec3::new(0.0, 0.0, 2.0)), RootTarget::Reference),
    ] {
        let target = BodyShape {
            reference: target_reference,
            leg: [0.3, 0.35],
            ..BodyShape::default()
        }
        .build();
        let settings = RetargetSettings {
            root,
            ..RetargetSettings::default()
        };
        let result =
            retarget(&source.0, &walk, &source.1, &target.0, &target.1, &settings).unwrap();
        let scale = 0.65 / 0.88;
        assert!((result.report.scale - scale).abs() < 1e-5);
        let length = (9.0_f32 + 0.09).sqrt();
        let hips = target.0.find("hips").unwrap().index();
        let path = ground_path(&target.0, &result.animation, hips, 30.0);
        assert!((path - scale * length).abs() < 1e-4, "{path}");
        assert!(result.animation.track("reference").is_none());
        let first = &paths(&target.0, &result.animation, 30.0)[0];
        let start = match root {
            RootTarget::Hips => 0.0,
            RootTarget::Reference => 2.0,
        };
        let hips_place = first[hips];
        assert!((hips_place.z - start).abs() < 1e-5, "{hips_place}");
    }
}

#[test]
fn missing_parts_are_warnings_and_missing_limbs_errors() {
    let source = BodyShape::default().build();
    let target = BodyShape {
        has_details: false,
        ..BodyShape::default()
    }
    .build();
    let settings = RetargetSettings::default();
    let found = retargeter(&source, &target, &settings);
    let lacks = |role: &str| {
        found.warnings().contains(&RetargetWarning::MissingRole {
            figure: Figure::Target,
            role: role.into(),
        })
    };
    for side in ["left", "right"] {
        for part in ["clavicle", "toes", "finger"] {
            assert!(lacks(&format!("{side}_{part}")), "{side} {part}");
        }
    }
    let glide = glide(&source);
    let result = retarget(
        &source.0, &glide, &source.1, &target.0, &target.1, &settings,
    )
    .unwrap();
    assert_eq!(result.report.violations(), []);
    for (figure, role) in [
        (Figure::Target, Role::left(BodyPart::LowerLeg)),
        (Figure::Source, Role::right(BodyPart::Hand)),
        (Figure::Source, Role::middle(BodyPart::Hips)),
        (Figure::Target, Role::middle(BodyPart::Head)),
    ] {
        let mut maps = [source.1.clone(), target.1.clone()];
        maps[usize::from(figure == Figure::Target)].set(role, Vec::new(), 0.0);
        let error = Retargeter::new(&source.0, &maps[0], &target.0, &maps[1], &settings);
        let error = error.unwrap_err();
        assert_eq!(error, RetargetError::MissingRole { figure, role });
        assert_eq!(
            error.to_string(),
            format!("the {figure} has no joint for the role {role}")
        );
    }
}

#[test]
fn maps_that_do_not_fit_their_skeleton_are_refused() {
    let body = BodyShape::default().build();
    let settings = RetargetSettings::default();
    let result = |roles: &RoleMap, settings: &RetargetSettings| {
        Retargeter::new(&body.0, roles, &body.0, &body.1, settings)
    };
    let mut map = body.1.clone();
    map.set(Role::left(BodyPart::Foot), vec![999], 1.0);
    let error = result(&map, &settings).unwrap_err();
    assert!(matches!(
        error,
        RetargetError::JointOutOfRange { joint: 999, .. }
    ));
    let mut map = body.1.clone();
    let [left, right] = ["l_hand", "r_hand"].map(|name| body.0.find(name).unwrap().index());
    map.set(Role::left(BodyPart::Hand), vec![right], 1.0);
    map.set(Role::right(BodyPart::Hand), vec![left], 1.0);
    let error = result(&map, &settings).unwrap_err();
    assert!(matches!(error, RetargetError::Hierarchy { .. }), "{error}");
    for scale in [0.0, -1.0, f32::NAN, f32::INFINITY] {
        let settings = RetargetSettings {
            scale: Some(scale),
            ..settings
        };
        let error = result(&body.1, &settings).unwrap_err();
        assert!(matches!(error, RetargetError::Setting(_)), "{scale}");
    }
    let settings = RetargetSettings {
        rest: RestAlignment::Frame(3),
        ..settings
    };
    let error = result(&body.1, &settings).unwrap_err();
    assert_eq!(
        error,
        RetargetError::RestFrame {
            frame: 3,
            frames: 0
        }
    );
    let flat = BodyShape {
        leg: [0.0, 0.0],
        ..BodyShape::default()
    }
    .build();
    let error = Retargeter::new(
        &flat.0,
        &flat.1,
        &body.0,
        &body.1,
        &RetargetSettings::default(),
    );
    let figure = Figure::Source;
    assert_eq!(error.unwrap_err(), RetargetError::NoLegLength { figure });
}

#[test]
fn a_twist_joint_takes_its_share() {
    let source = BodyShape::default().build();
    let target = BodyShape {
        has_twist: true,
        ..BodyShape::default()
    }
    .build();
    let about_y = |degrees: f32| Quat::from_rotation_y(degrees.to_radians());
    // An upper bone is twisted from its start on, so its twist joint takes half of that back; a lower bone from its end.
    for (joint, rotation, twist, expected) in [
        ("l_hand", about_x(80.0), "l_lower_arm_twist", about_x(40.0)),
        (
            "l_upper_arm",
            about_x(60.0),
            "l_upper_arm_twist",
            about_x(-30.0),
        ),
        (
            "r_upper_leg",
            about_y(40.0),
            "r_upper_leg_twist",
            about_y(-20.0),
        ),
        ("r_foot", about_y(30.0), "r_lower_leg_twist", about_y(15.0)),
    ] {
        let mut pose = Pose::rest(&source.0);
        pose.set_rotation(source.0.find(joint).unwrap(), rotation);
        let result = transferred(&source, &target, &RetargetSettings::default(), &pose);
        let twists = target
            .0
            .joints()
            .iter()
            .filter(|joint| joint.name.ends_with("twist"));
        for other in twists {
            let found = result.rotation(target.0.find(&other.name).unwrap());
            let expected = if other.name == twist {
                expected
            } else {
                Quat::IDENTITY
            };
            let error = quat_angle(found, expected).to_degrees();
            assert!(error < 0.1, "{joint}, {}: {error}", other.name);
        }
    }
}

#[test]
fn a_pose_is_transferred_without_allocations() {
    let source = BodyShape::default().build();
    let target = BodyShape {
        trunk: 5,
        has_twist: true,
        ..BodyShape::default()
    }
    .build();
    let retargeter = retargeter(&source, &target, &RetargetSettings::default());
    let mut scratch = retargeter.scratch();
    let pose = Pose::rest(&source.0);
    let mut result = Pose::rest(&target.0);
    let count = allocations(|| {
        for _ in 0..10 {
            retargeter
                .retarget_pose(&mut scratch, &pose, &mut result)
                .unwrap();
        }
    });
    assert_eq!(count, 0);
    let small = Pose::rest(&Skeleton::new(vec![source.0.joints()[0].clone()]).unwrap());
    assert!(
        retargeter
            .retarget_pose(&mut scratch, &small, &mut result)
            .is_err()
    );
    fn shared<T: Send + Sync>(_: &T) {}
    shared(&retargeter);
}

#[test]
fn a_pose_that_is_not_finite_gives_the_rest_pose() {
    let body = BodyShape::default().build();
    let mut pose = Pose::rest(&body.0);
    pose.set_position(JointIndex(0), Vec3::new(f32::NAN, 0.0, 0.0));
    let result = transferred(&body, &body, &RetargetSettings::default(), &pose);
    assert_eq!(result, Pose::rest(&body.0));
}

/// Random rotations of all joints, with moving hips.
fn random_motion(skeleton: &Skeleton, random: &mut Random) -> Animation {
    let names: Vec<&str> = skeleton.joints().iter().map(|j| j.name.as_str()).collect();
    let rotations: Vec<(&str, Vec<Quat>)> = names
        .iter()
        .map(|name| (*name, (0..8).map(|_| random.rotation()).collect()))
        .collect();
    let places = (0..8).map(|_| Vec3::new(random.next(), 1.0 + random.next(), random.next()));
    animation(&rotations, &[("hips", places.collect())])
}

#[test]
fn motions_of_any_rest_pose_are_the_same_on_themselves() {
    let body = BodyShape::default().build();
    for seed in 0..40 {
        let mut random = Random(seed);
        let rotations: Vec<Quat> = body.0.joints().iter().map(|_| random.rotation()).collect();
        let skeleton = with_rest_rotations(&body.0, &rotations);
        let motion = random_motion(&skeleton, &mut random);
        let settings = RetargetSettings::default();
        let run = || retarget(&skeleton, &motion, &body.1, &skeleton, &body.1, &settings).unwrap();
        let result = run();
        let own = paths(&skeleton, &motion, 30.0);
        let error = distance(&paths(&skeleton, &result.animation, 30.0), &own, 1.0);
        assert!(error < 1e-5, "{seed}: {error}");
        assert_eq!(result, run(), "the same bits twice");
    }
}

#[test]
fn random_trees_and_roles_never_panic() {
    let mut refused = 0;
    for seed in 0..300 {
        let mut random = Random(seed);
        let tree = |random: &mut Random| -> Body {
            let count = 4 + (random.next().abs() * 40.0) as usize;
            let mut path: Vec<u32> = Vec::new();
            let joints = (0..count).map(|index| {
                while path.len() > 1 && random.next() > 0.5 {
                    path.pop();
                }
                let parent = path.last().copied().map(JointIndex);
                path.push(index as u32);
                let size = [0.0, 1e-7, 0.3, 1e6][(random.next().abs() * 3.99) as usize];
                Joint {
                    name: format!("joint{index}"),
                    parent,
                    rest: Transform {
                        position: Vec3::new(random.next(), random.next(), random.next()) * size,
                        rotation: random.rotation(),
                        scale: Vec3::ONE,
                    },
                    tip: (random.next() > 0.0).then_some(Vec3::Y * size),
                }
            });
            let skeleton = Skeleton::new(joints.collect()).unwrap();
            let mut map = RoleMap::new();
            for role in Role::all() {
                let joints = 0..1 + usize::from(role.part.is_chain());
                let joint = |_| (random.next().abs() * count as f32) as usize;
                map.set(role, joints.map(joint).collect(), 1.0);
            }
            (skeleton, map)
        };
        let (source, target) = (tree(&mut random), tree(&mut random));
        let motion = {
            let names: Vec<String> = source.0.joints().iter().map(|j| j.name.clone()).collect();
            let rotations: Vec<(&str, Vec<Quat>)> = names
                .iter()
                .map(|name| (name.as_str(), (0..5).map(|_| random.rotation()).collect()))
                .collect();
            animation(&rotations, &[])
        };
        let settings = RetargetSettings {
            hands: true,
            ..RetargetSettings::default()
        };
        let run = |source: &Body, target: &Body| {
            retarget(
                &source.0, &motion, &source.1, &target.0, &target.1, &settings,
            )
        };
        refused += usize::from(run(&source, &target).is_err());
    }
    // Roles of random trees hardly ever descend from each other; bodies with random bones do.
    assert!(refused > 200, "{refused}");
}

#[test]
fn bodies_with_random_bones_give_finite_motions() {
    for seed in 0..60 {
        let mut random = Random(seed);
        let mut body = || {
            let shape = BodyShape {
                trunk: 1 + (random.next().abs() * 6.0) as usize,
                has_details: random.next() > 0.0,
                has_twist: random.next() > 0.0,
                ..BodyShape::default()
            };
            let (skeleton, map) = shape.build();
            let joints = skeleton.joints().iter().map(|joint| Joint {
                rest: Transform {
                    position: Vec3::new(random.next(), random.next(), random.next()) * 0.4,
                    rotation: random.rotation(),
                    scale: Vec3::ONE,
                },
                ..joint.clone()
            });
            (Skeleton::new(joints.collect()).unwrap(), map)
        };
        let (source, target) = (body(), body());
        let mut motion = random_motion(&source.0, &mut random);
        // Loops that do not close are corrected as loops, too.
        motion.looping = (seed % 3 > 0).then(|| sinew::animation::LoopMotion {
            per_cycle: sinew::math::GroundTransform {
                angle: random.next().into(),
                x: random.next().into(),
                z: random.next().into(),
            },
            in_place: seed % 3 == 2,
        });
        for (feet, hands) in [(true, false), (true, true), (false, true)] {
            let settings = RetargetSettings {
                feet,
                hands,
                ..RetargetSettings::default()
            };
            let result = retarget(
                &source.0, &motion, &source.1, &target.0, &target.1, &settings,
            )
            .unwrap();
            for track in &result.animation.tracks {
                let rotation = track.rotation.iter().flat_map(|channel| channel.values());
                for rotation in rotation {
                    assert!((rotation.length() - 1.0).abs() < 1e-5, "{seed}");
                }
            }
            let points = paths(&target.0, &result.animation, 30.0);
            assert!(
                points.iter().flatten().all(|point| point.is_finite()),
                "{seed}"
            );
            assert!(result.report.jerk.is_finite() && result.report.direction.is_finite());
        }
    }
}

#[test]
fn planted_feet_roll_but_do_not_slide() {
    let samples = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../samples/motion");
    for name in ["walk", "run"] {
        let (skeleton, motion) = read(&samples.join(format!("{name}.amc")));
        for factors in [[1.06, 0.97], [0.95, 1.05]] {
            let target = with_legs(&skeleton, factors);
            let roles =
                [&skeleton, &target].map(|body| sinew_author::retarget::detect_roles(body).map);
            let settings = RetargetSettings::default();
            let result =
                retarget(&skeleton, &motion, &roles[0], &target, &roles[1], &settings).unwrap();
            let report = result.report;
            assert!(report.source_slide[0] > 0.01, "{report:?}");
            assert!(report.slide[0] <= 0.005, "{name} {factors:?}: {report:?}");
            assert!(report.float <= 0.01, "{name} {factors:?}: {report:?}");
            let [contact, source] = [&report.contact_slide, &report.source_contact_slide];
            assert!(
                contact[1] < 0.8 * source[1],
                "{name} {factors:?}: {report:?}"
            );
        }
    }
}

#[test]
fn everything_but_joints_is_carried_over() {
    let source = BodyShape::default().build();
    let target = BodyShape {
        leg: [0.225, 0.215],
        ..BodyShape::default()
    }
    .build();
    let mut walk = glide(&source);
    walk.add_trigger(0.5, "step");
    walk.looping = Some(sinew::animation::LoopMotion {
        per_cycle: sinew::math::GroundTransform {
            angle: 0.25,
            x: 0.3,
            z: 3.0,
        },
        in_place: false,
    });
    let settings = RetargetSettings::default();
    let result = retarget(&source.0, &walk, &source.1, &target.0, &target.1, &settings).unwrap();
    let result = result.animation;
    assert_eq!(result.triggers, walk.triggers);
    assert_eq!(result.frame_rate, walk.frame_rate);
    assert_eq!((&result.name, result.length), (&walk.name, walk.length));
    let travel = result.looping.unwrap().per_cycle;
    assert!((travel.z - 1.5).abs() < 1e-6 && (travel.x - 0.15).abs() < 1e-6);
    assert_eq!(travel.angle, 0.25);
    // A motion without length is a pose.
    let still = Animation::new("still", 0.0);
    let result = retarget(
        &source.0, &still, &source.1, &target.0, &target.1, &settings,
    )
    .unwrap();
    assert_eq!(result.animation.length, 0.0);
}
