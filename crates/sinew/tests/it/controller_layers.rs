//! Several animations on one layer above others, what they are blended with, and parts of the body that are not there.

use sinew::animation::{
    Channel, Interpolation, KeyTimes, TransformTrack, Variant, VariantInterpolation, VariantTrack,
};
use sinew::control::{ArmatureBinding, BindingProblem, BindingWarning, Contribution, Mask};
use sinew::glam::{Vec2, Vec3};
use sinew::scene::{Scene, SceneBinding};
use sinew::skelform::curve::Ease;
use sinew::skelform::{
    AnimationData, Armature, ArmatureData, BoneData, BoneIndex, Element, KeyData,
};
use sinew::{
    Animation, AnimationController, AnimationIndex, AnimationParameters, AnimationSet, Joint,
    JointIndex, Pose, PoseBinding, Skeleton, Transform,
};
use sinew_author::compress::{CompressSettings, compress};
use sinew_testing::control::{A, B, C, D, Dice};
use std::sync::Arc;

/// A body of two joints in a row, "hand" below "arm"; animations hold both at one x.
fn skeleton() -> Arc<Skeleton> {
    let joint = |name: &str, parent: Option<u32>| Joint {
        name: name.into(),
        parent: parent.map(JointIndex),
        rest: Transform::IDENTITY,
        tip: None,
    };
    Arc::new(Skeleton::new(vec![joint("arm", None), joint("hand", Some(0))]).unwrap())
}

const HAND: JointIndex = JointIndex(1);

fn held(name: &str, joints: &[&str], x: f32) -> Animation {
    let mut animation = Animation::new(name, 1.0);
    animation.frame_rate = Some(30.0);
    let times = KeyTimes::uniform(30.0, 31).unwrap();
    for joint in joints {
        let mut track = TransformTrack::new(*joint);
        let values = vec![Vec3::X * x; 31];
        let channel = Channel::new(times.clone(), values, Interpolation::Linear);
        track.position = Some(channel.unwrap());
        animation.set_track(track);
    }
    let path = "@/Variables/x";
    let track = VariantTrack::new(path, VariantInterpolation::Linear, [(0.0, x), (1.0, x)]);
    animation.set_variant(track.unwrap());
    animation
}

/// One number that a controller animates on something: the x of the hand.
trait Shown {
    fn x(&mut self, controller: &AnimationController) -> f32;
    fn explain(&mut self, controller: &AnimationController) -> Vec<Contribution>;
}

struct OnPose(PoseBinding, Pose);

impl Shown for OnPose {
    fn x(&mut self, controller: &AnimationController) -> f32 {
        self.0.apply(controller, &mut self.1).unwrap();
        self.1.position(HAND).x
    }

    fn explain(&mut self, controller: &AnimationController) -> Vec<Contribution> {
        self.0.explain(controller, HAND)
    }
}

/// A bone of a scene, or an attribute of it.
struct InScene(SceneBinding, Scene, bool);

impl Shown for InScene {
    fn x(&mut self, controller: &AnimationController) -> f32 {
        let root = self.1.root();
        self.0.apply(controller, &mut self.1.target(root));
        if self.2 {
            return match self.1.variable(root, "x") {
                Some(Variant::Float(x)) => *x,
                other => panic!("{other:?}"),
            };
        }
        let hand = self.1.children(self.1.children(root)[0])[0];
        self.1.transform(hand).unwrap().position.x
    }

    fn explain(&mut self, controller: &AnimationController) -> Vec<Contribution> {
        let root = self.1.root();
        let target = self.1.target(root);
        if self.2 {
            return self
                .0
                .explain_attribute(controller, &target, "@/Variables/x");
        }
        let node = sinew::control::AnimationTarget::find_node(&target, "hand", None).unwrap();
        self.0.explain_node(controller, &target, &node)
    }
}

struct On2d(ArmatureBinding, sinew::skelform::ArmatureState);

impl Shown for On2d {
    fn x(&mut self, controller: &AnimationController) -> f32 {
        self.0.apply(controller, &mut self.1).unwrap();
        self.1.bones()[1].position.x
    }

    fn explain(&mut self, controller: &AnimationController) -> Vec<Contribution> {
        let bone = BoneIndex::from(1);
        self.0.explain(controller, bone, Element::PositionX)
    }
}

/// Animations A, B, C, D that hold what they move at these numbers, on every kind of thing that can be animated, the
/// mask "half" among them. D moves the arm and no hand.
fn stages(numbers: [f32; 4]) -> Vec<(&'static str, Arc<AnimationSet>, Box<dyn Shown>)> {
    let skeleton = skeleton();
    let joints = |index: usize| {
        if index == 3 {
            &["arm"][..]
        } else {
            &["arm", "hand"]
        }
    };
    let names = ["a", "b", "c", "d"];
    let animations = || {
        let all = names.iter().zip(numbers).enumerate();
        all.map(|(index, (name, x))| held(name, joints(index), x))
    };
    let half = Mask::none().with("arm", 0.5).with("hand", 0.5);
    let mut keyed = AnimationSet::new();
    let mut packed = AnimationSet::new();
    for animation in animations() {
        let packed_clip = compress(&skeleton, &animation, &CompressSettings::default()).unwrap();
        packed.add_packed(packed_clip, &skeleton).unwrap();
        keyed.add(animation).unwrap();
    }
    let bone = |name: &str, parent| BoneData {
        name: name.into(),
        parent,
        position: Vec2::ZERO,
        ..BoneData::default()
    };
    let key = |bone: usize, value: f32| KeyData {
        frame: 0,
        bone,
        element: Element::PositionX,
        value,
        text: String::new(),
        ease: Ease::Linear,
    };
    let numbered = names.iter().zip(numbers).enumerate();
    let animations = numbered.map(|(index, (name, x))| AnimationData {
        name: (*name).into(),
        frame_rate: 10,
        keys: (0..joints(index).len()).map(|bone| key(bone, x)).collect(),
    });
    let armature = Armature::new(ArmatureData {
        bones: vec![bone("arm", None), bone("hand", Some(0))],
        animations: animations.collect(),
        ..ArmatureData::default()
    });
    let armature = Arc::new(armature.unwrap());
    let mut drawn = AnimationSet::of_armature(&armature);
    for set in [&mut keyed, &mut packed, &mut drawn] {
        set.set_mask("half", half.clone());
    }
    let [keyed, packed, drawn] = [keyed, packed, drawn].map(Arc::new);
    let pose = |set: &Arc<AnimationSet>| -> Box<dyn Shown> {
        Box::new(OnPose(
            PoseBinding::new(set, &skeleton),
            Pose::rest(&skeleton),
        ))
    };
    let scene = |is_attribute: bool| -> Box<dyn Shown> {
        let mut scene = Scene::new("root");
        scene.add_skeleton(scene.root(), &skeleton).unwrap();
        scene.set_variable(scene.root(), "x", -1.0_f32).unwrap();
        Box::new(InScene(SceneBinding::new(&keyed), scene, is_attribute))
    };
    vec![
        ("keyed pose", keyed.clone(), pose(&keyed)),
        ("packed pose", packed.clone(), pose(&packed)),
        ("scene", keyed.clone(), scene(false)),
        ("attribute", keyed.clone(), scene(true)),
        (
            "2D",
            drawn.clone(),
            Box::new(On2d(
                ArmatureBinding::new(&drawn, &armature),
                armature.new_state(),
            )),
        ),
    ]
}

fn looped(set: &AnimationSet, animation: AnimationIndex) -> AnimationParameters {
    AnimationParameters::new(set, animation).looped()
}

/// A crossfade on an upper layer from 8 to 8 shows 8 all the time and nothing of the 0 below, also where it is
/// interrupted by others at any moment; the layer's first fade-in and last fade-out do show it.
#[test]
fn a_crossfade_on_an_upper_layer_does_not_show_the_layer_below() {
    for (kind, set, mut shown) in stages([0.0, 8.0, 8.0, 8.0]) {
        let mut controller = AnimationController::new(set.clone());
        controller.play_new(looped(&set, A), 0.0).unwrap();
        let above = |animation| looped(&set, animation).layer(1);
        controller.play_new_exclusive(above(B), 0.5).unwrap();
        controller.update(0.25);
        assert!((shown.x(&controller) - 4.0).abs() < 1e-3, "{kind}");
        controller.update(0.25);
        let mut dice = Dice(7);
        for round in 0..30 {
            let next = if round % 2 == 0 { above(C) } else { above(B) };
            if round % 3 == 0 {
                controller.play_new_exclusive(next, 0.5).unwrap();
            } else {
                controller.play_existing_exclusive(next, 0.5).unwrap();
            }
            for _ in 0..1 + dice.below(12) {
                controller.update(1.0 / 16.0);
                let x = shown.x(&controller);
                assert!((x - 8.0).abs() < 1e-3, "{kind}, round {round}: {x}");
            }
        }
        controller.stop_layer(1, 0.5);
        controller.update(0.25);
        let x = shown.x(&controller);
        assert!((1.0..7.0).contains(&x), "{kind}: {x}");
    }
}

/// The layer mixing of the graph's scenario G6: two animations of half the weight over 0, with a mask of a half, without,
/// at half the weight, and where one of them does not move the joint. `explain` has the same weights.
#[test]
fn instances_of_a_layer_are_blended_by_their_weights() {
    let (second, lacking) = (C, D);
    for (mask, weight, upper, expected, weights) in [
        ("half", 0.5, second, 3.0, [1.0 / 3.0, 0.25]),
        ("", 0.5, second, 6.0, [1.0, 0.5]),
        ("", 0.25, second, 3.0, [1.0 / 3.0, 0.25]),
        ("", 0.25, lacking, 2.0, [0.25, 0.0]),
    ] {
        for (kind, set, mut shown) in stages([0.0, 8.0, 4.0, 4.0]) {
            // Masks are for joints; attributes are not below any, and D has the attribute too.
            if kind == "attribute" && (mask == "half" || upper == lacking) {
                continue;
            }
            let mut controller = AnimationController::new(set.clone());
            controller.play_new(looped(&set, A), 0.0).unwrap();
            for animation in [B, upper] {
                let parameters = looped(&set, animation).layer(1).mask(mask);
                let parameters = parameters.weight(weight).sharing_layer();
                controller.play_new(parameters, 0.0).unwrap();
            }
            controller.update(0.1);
            let x = shown.x(&controller);
            assert!((x - expected).abs() < 1e-3, "{kind} {mask} {weight}: {x}");
            let list = shown.explain(&controller);
            let found: Vec<f32> = list.iter().map(|playing| playing.weight).collect();
            assert!((found[1] - weights[0]).abs() < 1e-6, "{kind}: {found:?}");
            if upper != lacking {
                assert!((found[2] - weights[1]).abs() < 1e-6, "{kind}: {found:?}");
                let share = weight * if mask.is_empty() { 1.0 } else { 0.5 };
                assert!((list[1].above - share).abs() < 1e-6, "{kind}: {list:?}");
                assert_eq!(list[2].above, 0.0);
            }
        }
    }
}

/// What is played by hand is painted over what is there, on upper layers too, and so is everything on layer 0.
#[test]
fn play_new_and_play_new_exclusive_do_not_share_a_layer() {
    for (kind, set, mut shown) in stages([0.0, 8.0, 8.0, 8.0]) {
        let mut controller = AnimationController::new(set.clone());
        controller.play_new(looped(&set, A), 0.0).unwrap();
        for animation in [B, C] {
            let parameters = looped(&set, animation).layer(1).weight(0.5);
            controller.play_new(parameters, 0.0).unwrap();
        }
        controller.update(0.1);
        assert!((shown.x(&controller) - 6.0).abs() < 1e-3, "{kind}");

        let mut controller = AnimationController::new(set.clone());
        controller.play_new(looped(&set, A), 0.0).unwrap();
        controller.play_new_exclusive(looped(&set, B), 0.5).unwrap();
        assert!(
            controller
                .animations()
                .iter()
                .all(|playing| !playing.shares_layer)
        );
    }
}

/// With the rest pose as the base, a fade-in of something that nothing below moves starts at rest and is linear, and
/// something additive is added to rest; without, it is there in full at once.
#[test]
fn the_rest_pose_can_be_the_base_of_fades() {
    let skeleton = {
        let mut joints = skeleton().joints().to_vec();
        joints[1].rest.position = Vec3::X * 2.0;
        Arc::new(Skeleton::new(joints).unwrap())
    };
    let set = {
        let mut set = AnimationSet::new();
        set.add(held("wave", &["hand"], 10.0)).unwrap();
        let mut more = held("more", &[], 0.0);
        let mut track = TransformTrack::new("hand");
        let keys = [(0.0, Vec3::ZERO), (1.0, Vec3::X * 8.0)];
        track.position = Some(Channel::from_keys(keys, Interpolation::Linear).unwrap());
        more.set_track(track);
        set.add(more).unwrap();
        Arc::new(set)
    };
    for rest_is_base in [false, true] {
        let mut binding = PoseBinding::new(&set, &skeleton);
        binding.rest_is_base = rest_is_base;
        let mut scene = Scene::new("root");
        let nodes = scene.add_skeleton(scene.root(), &skeleton).unwrap();
        let mut in_scene = SceneBinding::new(&set);
        in_scene.rest_is_base = rest_is_base;
        let mut pose = Pose::rest(&skeleton);
        let mut controller = AnimationController::new(set.clone());
        let wave = looped(&set, A).layer(1);
        controller.play_new(wave.clone(), 1.0).unwrap();
        for step in 1..=4 {
            controller.update(0.25);
            binding.apply(&controller, &mut pose).unwrap();
            let root = scene.root();
            in_scene.apply(&controller, &mut scene.target(root));
            let expected = match rest_is_base {
                true => 2.0 + 8.0 * 0.25 * step as f32,
                false => 10.0,
            };
            assert_eq!(pose.position(HAND).x, expected);
            assert_eq!(scene.transform(nodes[1]).unwrap().position.x, expected);
            let steps = binding.explain(&controller, HAND);
            assert_eq!(steps[0].result, Variant::Vec3(Vec3::X * expected));
        }
        let mut controller = AnimationController::new(set.clone());
        controller
            .play_new(looped(&set, B).additive(), 0.0)
            .unwrap();
        controller.update(0.5);
        pose.copy_from(&Pose::rest(&skeleton));
        binding.apply(&controller, &mut pose).unwrap();
        let expected = if rest_is_base { 6.0 } else { 2.0 };
        assert_eq!(pose.position(HAND).x, expected);
    }
}

/// With the rest pose as the base a fade-in on the lowest layer starts at rest as well, and a crossfade there does not sag
/// towards rest.
#[test]
fn crossfades_over_the_rest_pose_do_not_sag() {
    let skeleton = skeleton();
    let mut set = AnimationSet::new();
    for name in ["a", "b"] {
        set.add(held(name, &["arm", "hand"], 8.0)).unwrap();
    }
    let set = Arc::new(set);
    let mut binding = PoseBinding::new(&set, &skeleton);
    binding.rest_is_base = true;
    let mut pose = Pose::rest(&skeleton);
    let mut controller = AnimationController::new(set.clone());
    controller.play_new(looped(&set, A), 0.5).unwrap();
    for expected in [2.0, 4.0, 6.0, 8.0] {
        controller.update(0.125);
        binding.apply(&controller, &mut pose).unwrap();
        assert_eq!(pose.position(HAND).x, expected);
    }
    controller.play_new_exclusive(looped(&set, B), 0.5).unwrap();
    for _ in 0..4 {
        controller.update(0.125);
        binding.apply(&controller, &mut pose).unwrap();
        assert!((pose.position(HAND).x - 8.0).abs() < 1e-5, "{pose:?}");
    }
}

/// The same for a 2D character: an animation on a layer above with keys for a bone that nothing below has keys for.
#[test]
fn the_rest_pose_of_a_2d_character_can_be_the_base_of_fades() {
    let bone = |name: &str, parent, x| BoneData {
        name: name.into(),
        parent,
        position: Vec2::new(x, 0.0),
        ..BoneData::default()
    };
    let armature = Armature::new(ArmatureData {
        bones: vec![bone("arm", None, 0.0), bone("hand", Some(0), 2.0)],
        ..ArmatureData::default()
    });
    let armature = Arc::new(armature.unwrap());
    let mut set = AnimationSet::new();
    let mut wave = Animation::new("wave", 1.0);
    let keys = [(0.0, 10.0_f32), (1.0, 10.0)];
    let track = VariantTrack::new("hand/@/PositionX", VariantInterpolation::Linear, keys);
    wave.set_variant(track.unwrap());
    set.add(wave).unwrap();
    let set = Arc::new(set);
    for rest_is_base in [false, true] {
        let mut binding = ArmatureBinding::new(&set, &armature);
        binding.rest_is_base = rest_is_base;
        let mut state = armature.new_state();
        let mut controller = AnimationController::new(set.clone());
        controller.play_new(looped(&set, A).layer(1), 1.0).unwrap();
        controller.update(0.25);
        binding.apply(&controller, &mut state).unwrap();
        let expected = if rest_is_base { 4.0 } else { 10.0 };
        assert_eq!(state.bones()[1].position.x, expected);
    }
}

/// A start bone that is not there, such as one with a typing error, and a mask that names nothing that is there animate
/// nothing at all, and `apply` says so each time, without allocating again.
#[test]
fn missing_start_bones_and_masks_animate_nothing_and_are_reported() {
    let skeleton = skeleton();
    let mut set = AnimationSet::new();
    set.add(held("a", &["arm", "hand"], 8.0)).unwrap();
    set.set_mask("typo", Mask::all().with("hnad", 0.0));
    set.set_mask("fine", Mask::all().with("arm", 0.0).with("tail", 0.0));
    let set = Arc::new(set);
    let plain = looped(&set, A);
    for (parameters, expected, problem) in [
        (plain.clone(), 8.0, None),
        (plain.clone().mask("fine"), 8.0, None),
        (plain.clone().start_bone("hand"), 8.0, None),
        (
            plain.clone().start_bone("hnad"),
            0.0,
            Some(("hnad", BindingProblem::NoSuchStartBone)),
        ),
        (
            plain.clone().mask("typo"),
            0.0,
            Some(("typo", BindingProblem::NoSuchMask)),
        ),
    ] {
        let mut controller = AnimationController::new(set.clone());
        controller.play_new(parameters, 0.0).unwrap();
        let mut binding = PoseBinding::new(&set, &skeleton);
        let mut pose = Pose::rest(&skeleton);
        let mut scene = Scene::new("root");
        let nodes = scene.add_skeleton(scene.root(), &skeleton).unwrap();
        scene.set_variable(scene.root(), "x", 0.0_f32).unwrap();
        let mut in_scene = SceneBinding::new(&set);
        for _ in 0..3 {
            controller.update(0.1);
            let problem = problem.clone().map(|(name, problem)| BindingWarning {
                animation: A,
                name: name.into(),
                problem,
            });
            let problem: Vec<BindingWarning> = problem.into_iter().collect();
            assert_eq!(binding.apply(&controller, &mut pose).unwrap(), problem);
            assert_eq!(pose.position(HAND).x, expected);
            let root = scene.root();
            let warnings = in_scene.apply(&controller, &mut scene.target(root));
            assert_eq!(warnings, problem);
            assert_eq!(scene.transform(nodes[1]).unwrap().position.x, expected);
            assert_eq!(scene.variable(root, "x"), Some(&Variant::Float(expected)));
            let count = binding.explain(&controller, HAND).len();
            assert_eq!(count, usize::from(problem.is_empty()));
        }
        // Once it has gone there is nothing to say.
        controller.stop_all(0.0);
        controller.update(0.0);
        assert!(binding.apply(&controller, &mut pose).unwrap().is_empty());
    }
}

/// The same on a 2D character.
#[test]
fn missing_start_bones_of_a_2d_character_animate_nothing() {
    let (_, set, mut shown) = stages([3.0, 8.0, 8.0, 8.0]).pop().unwrap();
    let mut controller = AnimationController::new(set.clone());
    let parameters = looped(&set, B).start_bone("hnad");
    controller.play_new(parameters, 0.0).unwrap();
    controller.update(0.1);
    assert_eq!(shown.x(&controller), 0.0);
}
