//! What is bound is bound again when names lead elsewhere.

use crate::binding_common;
use binding_common::rig::{Rig, place, setting};
use binding_common::{chain, held};
use sinew::glam::Vec3;
use sinew::scene::{NodeIndex, Scene};
use sinew::{Animation, AnimationController, AnimationParameters, AnimationSet, Transform};
use std::sync::Arc;

/// S72.
#[test]
fn names_are_searched_depth_first_and_again_when_nodes_go() {
    let mut scene = Scene::new("Parent");
    let line1 = scene.root();
    let line2 = scene.add_node(line1, "Child A").unwrap();
    let line3 = scene.add_node(line2, "Parent").unwrap();
    let line4 = scene.add_node(line3, "Child A").unwrap();
    let line5 = scene.add_node(line3, "Child B").unwrap();
    let line6 = scene.add_node(line1, "Child B").unwrap();
    let animations = [
        held("a", "Child A", [1.0; 3]),
        held("b", "Child B", [2.0; 3]),
        held("parent", "Parent", [3.0; 3]),
    ];
    let mut rig = Rig::new(line1, animations);
    rig.update(&mut scene, 0.1);
    let xs = |scene: &Scene| {
        [line1, line2, line3, line4, line5, line6].map(|line| {
            scene
                .transform(line)
                .map_or(-1.0, |transform| transform.position.x)
        })
    };
    assert_eq!(xs(&scene), [0.0, 1.0, 3.0, 0.0, 2.0, 0.0]);
    scene.remove_node(line5).unwrap();
    rig.update(&mut scene, 0.1);
    assert_eq!(xs(&scene), [0.0, 1.0, 3.0, 0.0, -1.0, 2.0]);
    assert_eq!(rig.problems(), []);
}

/// A set whose animation is another one under the same name.
fn edited(set: &AnimationSet, by: Animation) -> Arc<AnimationSet> {
    let mut set = set.clone();
    set.replace(0.into(), by).unwrap();
    Arc::new(set)
}

#[test]
fn an_edited_animation_is_bound_again() {
    let mut scene = Scene::new("Root");
    let root = scene.root();
    let a = scene.add_node(root, "A").unwrap();
    let b = scene.add_node(root, "B").unwrap();
    let mut rig = Rig::new(root, [held("clip", "A", [1.0; 3])]);
    rig.update(&mut scene, 0.1);
    let mut other = held("edited", "B", [2.0; 3]);
    other
        .variants
        .extend(setting("A/@/Scale", Vec3::splat(5.0)).variants);
    other
        .variants
        .extend(setting("Z/@/Scale", Vec3::ONE).variants);
    let set = edited(rig.controller.animation_set(), other);
    rig.controller.replace_set(set).unwrap();
    assert_eq!(rig.controller.animation_set().name(0.into()), Some("clip"));
    rig.update(&mut scene, 0.1);
    assert_eq!(place(&scene, a), Vec3::ONE);
    assert_eq!(scene.transform(a).unwrap().scale, Vec3::splat(5.0));
    assert_eq!(place(&scene, b), Vec3::splat(2.0));
    assert_eq!(rig.problems().len(), 1);
    let set = edited(rig.controller.animation_set(), held("again", "A", [7.0; 3]));
    rig.controller.replace_set(set).unwrap();
    rig.update(&mut scene, 0.1);
    assert_eq!(place(&scene, a), Vec3::splat(7.0));
    assert_eq!(rig.problems(), []);
}

#[test]
fn adding_renaming_moving_and_removing_nodes_binds_again() {
    let mut scene = Scene::new("Root");
    let root = scene.root();
    let first = scene.add_node(root, "First").unwrap();
    let clip = [
        held("a", "Door", [1.0; 3]),
        setting("Door/@/Scale", Vec3::splat(2.0)),
    ];
    let mut rig = Rig::new(root, clip);
    let mut moved = |scene: &mut Scene| {
        for node in [1, 2, 3].map(NodeIndex) {
            let _ = scene.set_transform(node, Transform::IDENTITY);
        }
        rig.update(scene, 0.1);
        let moved = [1, 2, 3].map(NodeIndex).map(|node| {
            let transform = scene.transform(node).unwrap_or_default();
            (
                transform.position == Vec3::ONE,
                transform.scale == Vec3::splat(2.0),
            )
        });
        (moved, rig.problems().len())
    };
    let (yes, no) = ((true, true), (false, false));
    assert_eq!(moved(&mut scene), ([no, no, no], 2));
    let door = scene.add_node(first, "Door").unwrap();
    // Transform tracks search, paths go step by step.
    assert_eq!(moved(&mut scene), ([no, (true, false), no], 1));
    scene.set_parent(door, root).unwrap();
    assert_eq!(moved(&mut scene), ([no, yes, no], 0));
    scene.rename(first, "Door").unwrap();
    assert_eq!(moved(&mut scene), ([yes, no, no], 0));
    let third = scene.add_node(root, "Door").unwrap();
    assert_eq!(moved(&mut scene), ([yes, no, no], 0));
    scene.remove_node(first).unwrap();
    assert_eq!(moved(&mut scene), ([no, yes, no], 0));
    scene.remove_node(door).unwrap();
    assert_eq!(moved(&mut scene), ([no, no, yes], 0));
    scene.remove_node(third).unwrap();
    assert_eq!(moved(&mut scene), ([no, no, no], 2));
}

#[test]
fn a_controller_whose_node_was_removed_does_nothing() {
    let mut scene = Scene::new("Root");
    let node = scene.add_node(scene.root(), "Node").unwrap();
    let bones = scene.add_skeleton(node, &chain(&["Hips", "Head"])).unwrap();
    let clip = [
        held("a", "Head", [1.0; 3]),
        held("b", "", [1.0; 3]),
        setting("Hips/@/Scale", Vec3::ONE),
    ];
    let mut rig = Rig::new(node, clip);
    rig.binding.reset_skeleton = true;
    rig.update(&mut scene, 0.1);
    assert_eq!(place(&scene, bones[1]), Vec3::ONE);
    scene.remove_node(node).unwrap();
    rig.update(&mut scene, 0.1);
    assert_eq!(scene.transform(bones[1]), None);
    assert_eq!(rig.problems().len(), 2);
}

#[test]
fn a_variable_is_bound_when_it_exists_with_its_type() {
    let mut scene = Scene::new("Root");
    let root = scene.root();
    let mut rig = Rig::new(root, [setting("@/Variables/x", 5.0_f32)]);
    rig.update(&mut scene, 0.1);
    assert_eq!(scene.variable(root, "x"), None);
    scene.set_variable(root, "x", 1.0_f32).unwrap();
    rig.update(&mut scene, 0.1);
    assert_eq!(scene.variable(root, "x"), Some(&5.0_f32.into()));
    scene.set_variable(root, "x", 1).unwrap();
    rig.update(&mut scene, 0.1);
    assert_eq!(scene.variable(root, "x"), Some(&1.into()));
    assert_eq!(rig.problems().len(), 1);
}

#[test]
fn a_binding_that_moves_from_scene_to_scene_finds_the_nodes_of_each() {
    let scene_of = |names: [&str; 2]| {
        let mut scene = Scene::new("Root");
        for name in names {
            scene.add_node(scene.root(), name).unwrap();
        }
        scene
    };
    let mut scenes = [scene_of(["Door", "Lamp"]), scene_of(["Lamp", "Door"])];
    let mut rig = Rig::new(scenes[0].root(), [held("open", "Door", [1.0; 3])]);
    let mut copy = scenes[0].clone();
    let root = copy.root();
    copy.rename(copy.children(root)[0], "Gate").unwrap();
    copy.rename(copy.children(root)[1], "Door").unwrap();
    for scene in &mut scenes {
        rig.update(scene, 0.1);
        for &node in scene.children(scene.root()) {
            let moved = place(scene, node) == Vec3::ONE;
            assert_eq!(moved, scene.name(node) == Some("Door"));
        }
    }
    rig.update(&mut copy, 0.1);
    assert_eq!(place(&copy, copy.children(root)[1]), Vec3::ONE);
}

#[test]
fn another_set_must_contain_the_playing_animations_and_sets_their_lengths() {
    let set = |animations: &[(&str, f32)]| {
        let mut set = AnimationSet::new();
        for (name, length) in animations {
            set.add(Animation::new(*name, *length)).unwrap();
        }
        Arc::new(set)
    };
    let first = set(&[("a", 1.0), ("b", 1.0)]);
    let mut controller = AnimationController::new(first.clone());
    let play = AnimationParameters::new(&first, 0.into()).looped();
    controller.play_new(play.clone(), 0.0).unwrap();
    controller.play_new(play.time_range(0.0, 0.5), 0.0).unwrap();
    let refused = controller.replace_set(set(&[("zzz", 5.0)]));
    let refused = refused.unwrap_err().to_string();
    assert_eq!(
        refused,
        "animation 0 is \"zzz\" in the other set; \"a\" is playing"
    );
    controller.replace_set(set(&[("a", 5.0)])).unwrap();
    let ends: Vec<f32> = controller
        .animations()
        .iter()
        .map(|playing| playing.time.max())
        .collect();
    assert_eq!(ends, [5.0, 0.5]);
}
