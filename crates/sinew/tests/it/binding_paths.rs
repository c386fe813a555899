//! What names and paths lead to in a scene, and what comes of those that lead nowhere.

use crate::binding_common;
use binding_common::rig::{Rig, place, setting};
use binding_common::{animation, chain, held, swing};
use sinew::animation::{Variant, VariantType};
use sinew::control::{AttributePath, BindingProblem, PathError};
use sinew::glam::Vec3;
use sinew::scene::{Component, Scene};
use sinew::{Animation, Transform};

/// S76.
#[test]
fn invalid_paths_are_refused() {
    for (path, expected) in [
        ("", PathError::Empty),
        ("Node/Attr", PathError::NoComponent),
        ("Node@/Attr", PathError::NoComponent),
        ("@", PathError::NoAttribute),
        ("Node/@", PathError::NoAttribute),
        ("@Light", PathError::NoAttribute),
        ("@/", PathError::NoAttribute),
        ("@Light//Size", PathError::NoAttribute),
        ("A//@/Position", PathError::EmptyName),
        ("/A/@/Position", PathError::EmptyName),
        ("/@/Position", PathError::EmptyName),
    ] {
        assert_eq!(AttributePath::parse(path), Err(expected), "{path:?}");
    }
    for path in [
        "@Light#/Size",
        "@Light#x/Size",
        "@Light#-1/Size",
        "@Light#99999999999999999999/Size",
    ] {
        let error = AttributePath::parse(path).unwrap_err();
        assert!(
            matches!(error, PathError::ComponentIndex { .. }),
            "{path:?}"
        );
    }
}

#[test]
fn paths_are_written_as_they_are_read() {
    for path in [
        "@/Position",
        "A/B c/@User/Some Attribute",
        "A/@Shape#3/Size",
        "@/Variables/a/b",
        "@AnimatedModel/Morphs/3",
    ] {
        assert_eq!(AttributePath::parse(path).unwrap().to_string(), path);
    }
}

/// S76.
#[test]
fn paths_lead_to_nodes_components_variables_and_morphs() {
    let mut scene = Scene::new("Root");
    let root = scene.root();
    let parent = scene.add_node(root, "Parent Node").unwrap();
    let child = scene.add_node(parent, "Child Node").unwrap();
    scene.set_variable(root, "Test", 1.0_f32).unwrap();
    scene.set_variable(root, "a/b", 1.0_f32).unwrap();
    let user = Component::new("UserComponent").with("Attribute", "before");
    scene.add_component(child, user).unwrap();
    for _ in 0..5 {
        let light = Component::new("Light").with("Size", 1);
        scene.add_component(parent, light).unwrap();
        let shape = Component::new("CollisionShape").with("Size", 1);
        scene.add_component(parent, shape).unwrap();
    }
    let model = Component::new("AnimatedModel").with_morphs(vec![0.0; 5]);
    scene.add_component(root, model).unwrap();
    let mut rig = Rig::new(
        root,
        [
            setting("@/Position", Vec3::ONE),
            setting("Parent Node/@/scale", Vec3::splat(2.0)),
            setting("Parent Node/Child Node/@UserComponent/Attribute", "after"),
            setting("Parent Node/@CollisionShape#3/Size", 7),
            setting("Parent Node/@Light/size", 8),
            setting("@/Variables/Test", 2.0_f32),
            setting("@/variables/a/b", 3.0_f32),
            setting("@AnimatedModel/Morphs/3", 0.5_f32),
        ],
    );
    rig.update(&mut scene, 0.1);
    assert_eq!(rig.problems(), []);
    assert_eq!(place(&scene, root), Vec3::ONE);
    assert_eq!(scene.transform(parent).unwrap().scale, Vec3::splat(2.0));
    let user = scene.components(child)[0].attribute("Attribute");
    assert_eq!(user, Some(&"after".into()));
    let sizes = scene.components(parent).iter();
    let sizes: Vec<_> = sizes
        .map(|component| component.attribute("Size").unwrap().numbers()[0])
        .collect();
    assert_eq!(sizes, [8.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 7.0, 1.0, 1.0]);
    assert_eq!(scene.variable(root, "Test"), Some(&2.0_f32.into()));
    assert_eq!(scene.variable(root, "a/b"), Some(&3.0_f32.into()));
    assert_eq!(
        scene.components(root)[0].morphs(),
        [0.0, 0.0, 0.0, 0.5, 0.0]
    );
}

/// S76 and S77.
#[test]
fn each_unresolved_track_is_reported_once_and_the_rest_plays() {
    let mut scene = Scene::new("Root");
    let root = scene.root();
    let child = scene.add_node(root, "Child").unwrap();
    scene.add_node(child, "Grandchild").unwrap();
    scene
        .add_component(child, Component::new("Light").with("Size", 1))
        .unwrap();
    let model = Component::new("AnimatedModel").with_morphs(vec![0.25; 2]);
    scene.add_component(root, model).unwrap();
    let before = scene.clone();
    let bad = [
        ("", Variant::from(1)),
        ("Node/Attr", 1.into()),
        ("Missing/@/Position", Vec3::ONE.into()),
        ("Grandchild/@/Position", Vec3::ONE.into()),
        ("@Light/Size", 1.into()),
        ("Child/@Light/NoSuch", 1.into()),
        ("Child/@Light#1/Size", 1.into()),
        ("Child/@light/Size", 1.into()),
        ("@", 1.into()),
        ("A//@/Position", Vec3::ONE.into()),
        ("@/Variables/Missing", 1.into()),
        ("@/Variables", 1.into()),
        ("@/Position/x", 1.0_f32.into()),
        ("@AnimatedModel/Morphs/2", 1.0_f32.into()),
        ("@AnimatedModel/Morphs/-1", 1.0_f32.into()),
        ("@AnimatedModel/Morphs/smile", 1.0_f32.into()),
        ("@AnimatedModel/Morphs", 1.0_f32.into()),
        // Of another type.
        ("@/Position", 1.0_f32.into()),
        ("@AnimatedModel/Morphs/1", 1.into()),
        ("Child/@Light/Size", 1.0_f32.into()),
    ];
    let mut clip = Animation::new("clip", 1.0);
    for (path, value) in &bad {
        clip.variants.extend(setting(path, value.clone()).variants);
    }
    clip.variants
        .extend(setting("Child/@/Position", Vec3::Z).variants);
    clip.tracks.extend(held("", "Nobody", [1.0; 3]).tracks);
    let mut rig = Rig::new(root, [clip]);
    for _ in 0..100 {
        rig.update(&mut scene, 0.3);
    }
    let problems = rig.problems();
    assert_eq!(problems[0], ("Nobody", &BindingProblem::NoSuchNode));
    let found: Vec<&str> = problems[1..].iter().map(|(name, _)| *name).collect();
    let expected: Vec<&str> = bad.iter().map(|(path, _)| *path).collect();
    assert_eq!(found, expected);
    for (index, (path, problem)) in problems[1..].iter().enumerate() {
        match problem {
            BindingProblem::Path(_) => assert!(index < bad.len() - 3, "{path}: {problem}"),
            BindingProblem::Type { track, .. } => {
                assert_eq!(*track, bad[index].1.kind());
                assert!(index >= bad.len() - 3, "{path}: {problem}");
            }
            other => panic!("{path}: {other}"),
        }
    }
    assert_eq!(place(&scene, child), Vec3::Z);
    // Nothing else has changed.
    assert_eq!(scene.transform(root), before.transform(root));
    assert_eq!(scene.components(root), before.components(root));
    assert_eq!(scene.components(child), before.components(child));
    assert_eq!(scene.variable(root, "Missing"), None);
}

#[test]
fn a_type_mismatch_names_both_types() {
    let mut scene = Scene::new("Root");
    let mut rig = Rig::new(scene.root(), [setting("@/Position", 1.0_f32)]);
    rig.update(&mut scene, 0.1);
    let expected = BindingProblem::Type {
        track: VariantType::Float,
        attribute: VariantType::Vec3,
    };
    assert_eq!(rig.problems(), [("@/Position", &expected)]);
    let text = expected.to_string();
    assert!(text.contains("float") && text.contains("vec3"), "{text}");
}

#[test]
fn of_two_paths_to_one_attribute_the_later_is_used_and_reported() {
    let mut scene = Scene::new("Root");
    let mut clip = setting("@/Position", Vec3::X);
    clip.variants
        .extend(setting("@/position", Vec3::Y).variants);
    let mut rig = Rig::new(scene.root(), [clip]);
    for _ in 0..100 {
        rig.update(&mut scene, 0.1);
    }
    assert_eq!(place(&scene, scene.root()), Vec3::Y);
    let expected = [("@/position", &BindingProblem::SameTarget)];
    assert_eq!(rig.problems(), expected);
}

/// S70.
#[test]
fn a_track_without_a_name_moves_the_node_of_the_controller() {
    for start in ["", "Child"] {
        let mut scene = Scene::new("Scene");
        let node = scene.add_node(scene.root(), "Node").unwrap();
        let unnamed = scene.add_node(node, "").unwrap();
        scene.add_node(node, "Child").unwrap();
        let mut rig = Rig::new(node, [held("a", "", [1.0, 2.0, 3.0])]);
        let parameters = rig.controller.animations()[0].clone().start_bone(start);
        rig.controller.update_animation(0, parameters).unwrap();
        rig.update(&mut scene, 0.1);
        assert_eq!(place(&scene, node), Vec3::new(1.0, 2.0, 3.0));
        assert_eq!(place(&scene, unnamed), Vec3::ZERO);
        assert_eq!(rig.problems(), []);
    }
}

/// Paths lead from the controller's node whatever the start bone is.
#[test]
fn attribute_paths_ignore_start_bones() {
    let mut scene = Scene::new("Root");
    let root = scene.root();
    let arm = scene.add_node(root, "Arm").unwrap();
    let inner = scene.add_node(arm, "Arm").unwrap();
    let mut rig = Rig::new(root, [setting("Arm/@/Position", Vec3::ONE)]);
    let parameters = rig.controller.animations()[0].clone().start_bone("Arm");
    rig.controller.update_animation(0, parameters).unwrap();
    rig.update(&mut scene, 0.1);
    assert_eq!(place(&scene, arm), Vec3::ONE);
    assert_eq!(place(&scene, inner), Vec3::ZERO);
}

/// S74.
#[test]
fn bones_are_preferred_to_nodes_of_their_name() {
    for has_model in [true, false] {
        let mut scene = Scene::new("Root");
        let root = scene.root();
        let plain = scene.add_node(root, "Head").unwrap();
        let bone = if has_model {
            scene.add_skeleton(root, &chain(&["Hips", "Head"])).unwrap()[1]
        } else {
            let hips = scene.add_node(root, "Hips").unwrap();
            scene.add_node(hips, "Head").unwrap()
        };
        let mut rig = Rig::new(root, [held("a", "Head", [1.0; 3])]);
        rig.update(&mut scene, 0.1);
        let moved = [plain, bone].map(|node| place(&scene, node) == Vec3::ONE);
        assert_eq!(moved, [!has_model, has_model]);
    }
}

#[test]
fn a_bone_that_is_not_animated_stays_and_is_not_reset() {
    let mut scene = Scene::new("Root");
    let root = scene.root();
    let bones = scene.add_skeleton(root, &chain(&["Hips", "Head"])).unwrap();
    scene.component_mut(root, 0).unwrap().bones_mut()[1].is_animated = false;
    let moved = Transform::from_position(Vec3::splat(3.0));
    scene.set_transform(bones[1], moved).unwrap();
    let animations = [held("a", "Head", [1.0; 3]), held("b", "Hips", [1.0; 3])];
    let mut rig = Rig::new(root, animations);
    rig.binding.reset_skeleton = true;
    rig.update(&mut scene, 0.1);
    assert_eq!(place(&scene, bones[0]), Vec3::ONE);
    assert_eq!(scene.transform(bones[1]), Some(moved));
    scene.component_mut(root, 0).unwrap().bones_mut()[1].is_animated = true;
    rig.update(&mut scene, 0.1);
    assert_eq!(place(&scene, bones[1]), Vec3::ONE);
}

/// S92.
#[test]
fn controllers_on_nodes_below_each_other_add_up() {
    let mut scene = Scene::new("Scene");
    let skeleton = chain(&["Quad 1", "Quad 2"]);
    let clip = animation("X2", 2.0, swing("Quad 2", Vec3::ZERO, Vec3::X, 2.0));
    let mut parent = scene.root();
    let mut rigs = Vec::new();
    for i in 0..20 {
        let node = scene.add_node(parent, format!("Node {i}")).unwrap();
        parent = scene.add_skeleton(node, &skeleton).unwrap()[1];
        rigs.push(Rig::new(node, [clip.clone()]));
    }
    for _ in 0..4 {
        for rig in &mut rigs {
            rig.update(&mut scene, 1.0 / 64.0);
        }
    }
    for (i, rig) in rigs.iter().enumerate() {
        let world = scene.world_transform(rig.node).unwrap();
        assert_eq!(world.position.x, -0.125 * i as f32);
    }
}
