//! Playing compressed animations allocates nothing once bindings are warm: counted by the allocator itself.

use counting::allocations;
use sinew::control::Mask;
use sinew::packed::Packing;
use sinew::scene::{Scene, SceneBinding};
use sinew::{AnimationController, AnimationParameters, AnimationSet, Pose, PoseBinding, Skeleton};
use sinew_author::compress::Profile;
use sinew_testing::counting;
use sinew_testing::packed::{Build, Motion, Shape, packed};
use std::sync::Arc;

/// One animation of each packing, and one of a larger skeleton.
fn set(skeleton: &Arc<Skeleton>) -> Arc<AnimationSet> {
    let larger = Arc::new(Build::new(67, Shape::Chain).skeleton(2));
    let mut set = AnimationSet::new();
    for (name, skeleton, motion, max_error, profile, packing) in [
        (
            "a",
            skeleton,
            Motion::Captured,
            1e-3,
            Profile::Small,
            Packing::Small,
        ),
        (
            "b",
            skeleton,
            Motion::Captured,
            1e-3,
            Profile::Fast,
            Packing::Fast,
        ),
        (
            "c",
            skeleton,
            Motion::Sway,
            1e-2,
            Profile::Keyframes,
            Packing::Keyframes,
        ),
        (
            "d",
            skeleton,
            Motion::Squash,
            0.0,
            Profile::Small,
            Packing::Plain,
        ),
        (
            "e",
            &larger,
            Motion::Sway,
            1e-3,
            Profile::Small,
            Packing::Small,
        ),
    ] {
        let mut animation = motion.animation(skeleton, 200, 60.0, 4);
        animation.add_trigger(1.0, "step");
        let animation = packed(skeleton, &animation, max_error, profile).unwrap();
        assert_eq!(animation.packing(), packing);
        set.add_packed_as(name, animation, skeleton).unwrap();
    }
    set.set_mask(
        "half",
        Mask::all().with("joint 3", 0.5).with("joint 1", 0.0),
    );
    Arc::new(set)
}

/// Everything at once: layers, weights, additive ones, a mask, a start bone, loops both ways.
fn controllers(set: &Arc<AnimationSet>) -> Vec<AnimationController> {
    let character = |number: usize| {
        let mut controller = AnimationController::new(set.clone());
        for index in set.indices() {
            let parameters = AnimationParameters::new(set, index).looped();
            let instance = parameters
                .weight(0.3 + 0.1 * number as f32)
                .time(0.3 * number as f32);
            let more = instance.clone().layer(1).additive();
            let masked = instance.clone().layer(2).mask("half");
            let below = instance.clone().layer(3).start_bone("joint 6").speed(-0.7);
            for parameters in [instance, more, masked, below] {
                controller.play_new(parameters, 0.0).unwrap();
            }
        }
        controller
    };
    (0..4).map(character).collect()
}

/// Allocations of two hundred steps after the first.
fn count(set: &Arc<AnimationSet>, mut apply: impl FnMut(&AnimationController)) -> usize {
    let mut controllers = controllers(set);
    let mut step = || {
        for controller in &mut controllers {
            controller.update(1.0 / 60.0);
            apply(controller);
        }
    };
    // Some of them go round within this, so that triggers have their room.
    (0..250).for_each(|_| step());
    allocations(|| (0..200).for_each(|_| step()))
}

#[test]
fn on_a_skeleton_and_in_a_scene_nothing_allocates() {
    let skeleton = Arc::new(Build::new(31, Shape::Limbs).skeleton(1));
    let set = set(&skeleton);
    let mut binding = PoseBinding::new(&set, &skeleton);
    let mut pose = Pose::rest(&skeleton);
    let on_pose = count(&set, |controller| {
        binding.apply(controller, &mut pose).unwrap();
    });
    assert_eq!(on_pose, 0);

    let mut scene = Scene::new("Root");
    let root = scene.root();
    scene.add_skeleton(root, &skeleton).unwrap();
    let mut binding = SceneBinding::new(&set);
    let in_scene = count(&set, |controller| {
        binding.apply(controller, &mut scene.target(root));
    });
    assert_eq!(in_scene, 0);
}

/// A binding is as large as what was played on it: what is played first makes room once, at whatever moment.
#[test]
fn an_animation_allocates_when_it_is_first_played_and_not_again() {
    let skeleton = Arc::new(Build::new(31, Shape::Limbs).skeleton(1));
    let set = set(&skeleton);
    let mut binding = PoseBinding::new(&set, &skeleton);
    let mut pose = Pose::rest(&skeleton);
    for index in set.indices() {
        let mut parameters_at = |time: f32| {
            let mut controller = AnimationController::new(set.clone());
            let parameters = AnimationParameters::new(&set, index).looped().time(time);
            controller.play_new(parameters, 0.0).unwrap();
            controller.update(0.0);
            allocations(|| {
                binding.apply(&controller, &mut pose).unwrap();
            })
        };
        let packing = set.packed(index).unwrap().packing();
        let has_rows = matches!(packing, Packing::Small | Packing::Fast);
        assert_eq!(parameters_at(0.1) > 0, has_rows, "{packing}");
        for time in [3.0, 0.0, 1.7, 0.1] {
            assert_eq!(parameters_at(time), 0, "{packing} at {time}");
        }
    }
}
