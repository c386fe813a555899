//! Updating a controller and applying it allocates nothing: counted by the allocator itself.

use common::{animation, key, puppet, text_key};
use counting::allocations;
use sinew::animation::{Variant, VariantInterpolation, VariantTrack};
use sinew::control::{ArmatureBinding, Mask};
use sinew::scene::{Component, Scene, SceneBinding};
use sinew::skelform::{Armature, Element, VisualData};
use sinew::{Animation, AnimationController, AnimationParameters, AnimationSet, Pose, PoseBinding};
use sinew_testing::characters as common;
use sinew_testing::counting;
use std::sync::Arc;

/// Updates and applies, with everything at once: fades there and back, animations that come and go,
/// layers, masks, start bones, weights, triggers. Returns the allocations of a thousand updates after others
/// in which as much played and as many triggers fired at once, and how many triggers fired in all.
fn count(
    set: &Arc<AnimationSet>,
    start_bone: &str,
    mut apply: impl FnMut(&AnimationController),
) -> (usize, usize) {
    let mut controller = AnimationController::new(set.clone());
    let parameters = |index: usize| AnimationParameters::new(set, index.into()).looped();
    let first = parameters(0);
    let second = parameters(1).speed(-0.7);
    let above = parameters(1).layer(1).start_bone(start_bone).mask("half");
    let more = parameters(0).layer(2).additive().weight(0.3).ping_pong();
    let once = AnimationParameters {
        looped: false,
        ..parameters(0)
    };
    let once = once.layer(3).auto_fade_out(0.1).weight(0.5);
    controller.play_new(first.clone(), 0.0).unwrap();
    controller.play_new(above, 0.0).unwrap();
    controller.play_new(more, 0.0).unwrap();
    let mut fired = 0;
    let mut tick = |number: usize| {
        if number.is_multiple_of(40) {
            let next = if number.is_multiple_of(80) {
                &second
            } else {
                &first
            };
            controller
                .play_existing_exclusive(next.clone(), 0.3)
                .unwrap();
        }
        if number.is_multiple_of(25) {
            controller.play_new(once.clone(), 0.05).unwrap();
            assert!(controller.fade(1.into(), 0.25, 0.2));
        }
        controller.update(1.0 / 60.0);
        fired += controller.triggers().count();
        apply(&controller);
    };
    (0..2000).for_each(&mut tick);
    let count = allocations(|| (2000..3000).for_each(&mut tick));
    (count, fired)
}

fn with_triggers(mut animation: Animation) -> Animation {
    for index in 0..5 {
        animation.add_trigger_normalized(index as f32 / 5.0, "step");
    }
    animation
}

fn shared(mut set: AnimationSet) -> Arc<AnimationSet> {
    let mask = Mask::all().with("lshin", 0.5).with("hips", 0.0);
    set.set_mask("half", mask.with("body", 0.5));
    Arc::new(set)
}

#[test]
fn the_counter_counts() {
    assert_ne!(allocations(|| drop(vec![0u8; 100])), 0);
}

#[test]
fn on_a_skeleton_nothing_allocates() {
    let skeleton = Arc::new(sinew_testing::motion::bent_figure());
    let mut set = AnimationSet::new();
    let motion = sinew_testing::motion::swinging(&skeleton, 60.0, 61);
    set.add_as("first", with_triggers(motion.clone())).unwrap();
    set.add_as("second", with_triggers(motion)).unwrap();
    let set = shared(set);
    let mut binding = PoseBinding::new(&set, &skeleton);
    let mut pose = Pose::rest(&skeleton);
    let (allocated, fired) = count(&set, "lthigh", |controller| {
        binding.apply(controller, &mut pose).unwrap();
    });
    assert_eq!(allocated, 0);
    assert!(fired > 100, "{fired}");
}

/// Sets attributes of many types, and a variable, and a morph.
fn varied(animation: &mut Animation) {
    let values = [0.0, 1.0].map(f64::from);
    for (path, kind) in ATTRIBUTES {
        let keys = values.map(|value| {
            let number = kind.from_numbers([value, 0.0, 0.0, 1.0]);
            (value as f32, number)
        });
        let track = VariantTrack::new(path, VariantInterpolation::Linear, keys);
        animation.set_variant(track.unwrap());
    }
}

use sinew::animation::VariantType as T;

const ATTRIBUTES: [(&str, T); 9] = [
    ("@/Position", T::Vec3),
    ("hips/@/Rotation", T::Quat),
    ("@/Variables/x", T::Double),
    ("@AnimatedModel#1/Morphs/1", T::Float),
    ("@Light/Is On", T::Bool),
    ("@Light/Color", T::Color),
    ("@Light/Name", T::Text),
    ("@Light/Count", T::Int),
    ("@Light/Area", T::IntRect),
];

#[test]
fn in_a_scene_nothing_allocates() {
    let skeleton = sinew_testing::motion::bent_figure();
    let mut scene = Scene::new("Root");
    let root = scene.root();
    scene.add_skeleton(root, &skeleton).unwrap();
    scene.set_variable(root, "x", 0.0_f64).unwrap();
    let mut light = Component::new("Light");
    for (path, kind) in &ATTRIBUTES[4..] {
        light = light.with(&path[7..], kind.from_numbers([0.0; 4]));
    }
    scene.add_component(root, light).unwrap();
    let morphs = Component::new("AnimatedModel").with_morphs(vec![0.0; 2]);
    scene.add_component(root, morphs).unwrap();

    let mut motion = sinew_testing::motion::swinging(&skeleton, 60.0, 61);
    varied(&mut motion);
    let mut set = AnimationSet::new();
    set.add_as("first", with_triggers(motion.clone())).unwrap();
    set.add_as("second", with_triggers(motion)).unwrap();
    let set = shared(set);
    let mut binding = SceneBinding::new(&set);
    let (allocated, fired) = count(&set, "lthigh", |controller| {
        binding.apply(controller, &mut scene.target(root));
    });
    assert_eq!(allocated, 0);
    assert!(fired > 100, "{fired}");
    assert_eq!(binding.warnings(), []);
    assert_ne!(scene.variable(root, "x"), Some(&Variant::Double(0.0)));
}

#[test]
fn on_a_2d_character_nothing_allocates() {
    let keys = |scale: f32| {
        let mut keys: Vec<_> = (0..40)
            .map(|i| key(i, Element::Rotation, i as f32 * scale))
            .collect();
        keys.push(text_key(3, Element::Texture, "body"));
        keys.push(key(5, Element::Hidden, 1.0));
        keys.push(key(20, Element::TintR, scale));
        keys
    };
    let mut data = puppet(vec![
        animation("first", keys(0.1)),
        animation("second", keys(-0.2)),
    ]);
    data.bones[0].name = "body".into();
    data.bones[0].visual = Some(0);
    data.visuals.push(VisualData::default());
    let armature = Arc::new(Armature::new(data).unwrap());
    let mut set = AnimationSet::of_armature(&armature);
    for index in [0, 1] {
        for frame in 0..5 {
            set.add_trigger(index.into(), frame as f32 * 0.1, "step")
                .unwrap();
        }
    }
    let set = shared(set);
    let mut binding = ArmatureBinding::new(&set, &armature);
    let mut state = armature.new_state();
    let (allocated, fired) = count(&set, "body", |controller| {
        binding.apply(controller, &mut state).unwrap();
    });
    assert_eq!(allocated, 0);
    assert!(fired > 100, "{fired}");
    assert_eq!(binding.warnings(), []);
}
