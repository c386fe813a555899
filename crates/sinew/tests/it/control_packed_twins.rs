//! Packed animations and keyed ones in the same stacks: random skeletons, layers, weights, masks, start bones and
//! times.

use crate::binding_common;
use binding_common::{Body, PoseBody, SceneBody, explained, put_result};
use control::Dice;
use sinew::animation::ChannelWeights;
use sinew::control::{BlendMode, Mask};
use sinew::packed::Packing;
use sinew::{
    Animation, AnimationController, AnimationParameters, AnimationSet, Pose, PoseBinding, Skeleton,
};
use sinew_author::compress::Profile;
use sinew_author::measure::ErrorMeter;
use sinew_testing::control;
use sinew_testing::packed::{Build, Motion, Shape, packed, pose_bits};
use std::sync::Arc;

/// What is played of each packing: smooth motions, which the bound is about at any time and not on frames alone.
const PACKINGS: [(Packing, Profile, f32); 4] = [
    (Packing::Small, Profile::Small, 1e-3),
    (Packing::Fast, Profile::Fast, 1e-3),
    (Packing::Keyframes, Profile::Keyframes, 1e-2),
    (Packing::Plain, Profile::Small, 0.0),
];

const ANIMATIONS: usize = 3;

/// Swings of a skeleton with triggers, some with scales, some with tracks that have weights or are not there.
fn animations(skeleton: &Skeleton, dice: &mut Dice) -> Vec<Animation> {
    let kinds = [Motion::Sway, Motion::Squash, Motion::Sway];
    let animation = |(index, kind): (usize, Motion)| {
        let seed = dice.below(1000);
        let mut animation = kind.animation(skeleton, 90 + 30 * index, 60.0, seed);
        animation.name = format!("animation {index}");
        animation.add_trigger_normalized(0.3, "step");
        if index == 2 {
            animation.tracks.retain(|_| !dice.chance(3));
            for track in &mut animation.tracks {
                track.weights = ChannelWeights {
                    position: dice.ratio(),
                    rotation: dice.ratio(),
                    scale: 1.0,
                };
            }
        }
        animation
    };
    kinds.into_iter().enumerate().map(animation).collect()
}

fn with_masks(mut set: AnimationSet, skeleton: &Skeleton, dice: &mut Dice) -> Arc<AnimationSet> {
    set.set_mask("all", Mask::all());
    let mut some = Mask::none();
    for joint in skeleton.joints() {
        if dice.chance(2) {
            some = some.with(&joint.name, dice.ratio());
        }
    }
    set.set_mask("some", some);
    Arc::new(set)
}

fn parameters(dice: &mut Dice, set: &AnimationSet, skeleton: &Skeleton) -> AnimationParameters {
    let index = (dice.below(ANIMATIONS as u64) as usize).into();
    let mut parameters = AnimationParameters::new(set, index).keep_on_zero_weight();
    parameters = match dice.below(4) {
        0 => parameters.keep_on_completion(),
        1 => parameters.ping_pong(),
        _ => parameters.looped(),
    };
    let length = parameters.time.max();
    parameters = parameters.time(dice.ratio() * length);
    parameters = parameters.speed(dice.ratio() * 4.0 - 2.0);
    parameters = match dice.below(8) {
        0 => parameters.time(length),
        1 => parameters.time_range(-1.0, length + 1.0),
        _ => parameters,
    };
    let weight = [0.0, 1.0, 1.0, dice.ratio(), dice.ratio()];
    parameters = parameters.weight(weight[dice.below(5) as usize]);
    parameters = parameters.layer(dice.below(3) as u32);
    if dice.chance(4) {
        parameters = parameters.additive();
    }
    match dice.below(6) {
        0 => parameters.mask("some"),
        1 => {
            let start = dice.below(skeleton.len() as u64) as usize;
            parameters.start_bone(skeleton.joints()[start].name.as_str())
        }
        _ => parameters,
    }
}

/// A random stack that plays keyed animations, and one that plays the same packed.
struct Case {
    skeleton: Arc<Skeleton>,
    keyed: AnimationController,
    packed: AnimationController,
    /// How far one animation may be off, in metres.
    max_error: f32,
    packing: Packing,
}

impl Case {
    fn update(&mut self, seconds: f32) {
        self.keyed.update(seconds);
        self.packed.update(seconds);
        assert!(self.keyed.triggers().eq(self.packed.triggers()));
    }
}

fn each_case(count: u64, mut test: impl FnMut(&mut Case)) {
    for joints in [1, 3, 8, 9, 31] {
        let dice = &mut Dice(joints as u64);
        let skeleton = Arc::new(Build::new(joints, Shape::Limbs).skeleton(joints as u64));
        let animations = animations(&skeleton, dice);
        for (packing, profile, max_error) in PACKINGS {
            let (mut keyed, mut small) = (AnimationSet::new(), AnimationSet::new());
            for animation in &animations {
                let packed = packed(&skeleton, animation, max_error, profile).unwrap();
                assert_eq!(packed.packing(), packing);
                small.add_packed(packed, &skeleton).unwrap();
                keyed.add(animation.clone()).unwrap();
            }
            let keyed = with_masks(keyed, &skeleton, &mut Dice(7 + joints as u64));
            let small = with_masks(small, &skeleton, &mut Dice(7 + joints as u64));
            for _ in 0..count {
                let mut case = Case {
                    skeleton: skeleton.clone(),
                    keyed: AnimationController::new(keyed.clone()),
                    packed: AnimationController::new(small.clone()),
                    max_error,
                    packing,
                };
                for _ in 0..1 + dice.below(6) {
                    let parameters = parameters(dice, &keyed, &skeleton);
                    case.keyed.play_new(parameters.clone(), 0.1).unwrap();
                    case.packed.play_new(parameters, 0.1).unwrap();
                }
                case.update(dice.ratio());
                test(&mut case);
            }
        }
    }
}

/// What one packed animation is off counts once for each that plays, twice for an additive one, which is off at its
/// beginning too. Parts of several bodies at once can be off a little more than the whole of any.
fn allowed(case: &Case) -> f64 {
    let parts = case.packed.animations().iter();
    let parts = parts.map(|part| match part.blend_mode {
        BlendMode::Lerp => 1.0,
        BlendMode::Additive => 2.0,
    });
    1.5 * parts.sum::<f64>() * f64::from(case.max_error) + 1e-6
}

#[test]
fn packed_animations_play_as_keyed_animations_do() {
    let (mut worst, mut moved) = (0.0_f64, 0);
    each_case(40, |case| {
        let mut meter = ErrorMeter::new(&case.skeleton);
        let mut keyed = PoseBinding::new(case.keyed.animation_set(), &case.skeleton);
        let mut packed = PoseBinding::new(case.packed.animation_set(), &case.skeleton);
        let rest = Pose::rest(&case.skeleton);
        let (mut a, mut b) = (rest.clone(), rest.clone());
        for _ in 0..3 {
            keyed.apply(&case.keyed, &mut a).unwrap();
            packed.apply(&case.packed, &mut b).unwrap();
            assert_eq!(case.keyed.state(), case.packed.state());
            moved += usize::from(a != rest);
            if case.packing == Packing::Plain {
                assert_eq!(pose_bits(&a), pose_bits(&b));
            } else {
                let error = meter.measure(&a, &b).unwrap().metres;
                let allowed = allowed(case);
                assert!(error <= allowed, "{error} of {allowed}, {}", case.packing);
                worst = worst.max(error / allowed);
            }
            case.update(0.17);
        }
    });
    assert!(moved > 1000, "{moved}");
    assert!(worst > 0.01, "packing is seen: {worst}");
}

/// A mask of ones changes nothing but that joints are gone through one by one.
#[test]
fn whole_body_blending_equals_joint_by_joint_blending_bit_for_bit() {
    let mut mixed = 0;
    each_case(40, |case| {
        let set = case.packed.animation_set().clone();
        let mut whole = AnimationController::new(set.clone());
        let mut parts = AnimationController::new(set.clone());
        for playing in case.packed.animations() {
            let weight = playing.weight;
            let parameters = AnimationParameters {
                mask: "".into(),
                start_bone: "".into(),
                ..playing.clone()
            };
            mixed += usize::from(weight > 0.0 && weight < 1.0);
            whole.play_new(parameters.clone(), 0.0).unwrap();
            parts.play_new(parameters.mask("all"), 0.0).unwrap();
        }
        let mut binding = PoseBinding::new(&set, &case.skeleton);
        let (mut a, mut b) = (Pose::rest(&case.skeleton), Pose::rest(&case.skeleton));
        for _ in 0..3 {
            binding.apply(&whole, &mut a).unwrap();
            binding.apply(&parts, &mut b).unwrap();
            assert_eq!(pose_bits(&a), pose_bits(&b), "{}", case.packing);
            whole.update(0.13);
            parts.update(0.13);
        }
    });
    assert!(mixed > 300, "{mixed}");
}

#[test]
fn a_scene_and_a_pose_agree_to_the_bit() {
    each_case(8, |case| {
        let set = case.packed.animation_set();
        let mut pose = PoseBody::new(&case.skeleton, set);
        let mut bones = SceneBody::with_bones(&case.skeleton, set);
        let mut nodes = SceneBody::of_nodes(&case.skeleton, set);
        for _ in 0..3 {
            for body in [&mut pose as &mut dyn Body, &mut bones, &mut nodes] {
                body.apply(&case.packed);
            }
            for joint in case.skeleton.joints() {
                let expected = pose.local(&joint.name);
                assert_eq!(bones.local(&joint.name), expected);
                assert_eq!(nodes.local(&joint.name), expected);
            }
            case.packed.update(0.17);
        }
    });
}

#[test]
fn explaining_a_joint_ends_in_its_final_transform() {
    let mut count = 0;
    each_case(8, |case| {
        let (controller, set) = (&case.packed, case.packed.animation_set());
        let mut pose = PoseBody::new(&case.skeleton, set);
        let mut scene = SceneBody::with_bones(&case.skeleton, set);
        pose.apply(controller);
        scene.apply(controller);
        for joint in case.skeleton.joints() {
            let list = explained((&mut pose, &mut scene), controller, &joint.name);
            let mut transform = joint.rest;
            for contribution in &list {
                put_result(contribution, &mut transform);
            }
            assert_eq!(transform, pose.local(&joint.name));
            count += list.len();
        }
    });
    assert!(count > 2000, "{count}");
}

#[test]
fn a_shared_binding_gives_the_poses_of_separate_bindings() {
    each_case(2, |case| {
        let set = case.packed.animation_set().clone();
        let mut shared = PoseBinding::new(&set, &case.skeleton);
        let dice = &mut Dice(11);
        let mut characters: Vec<(AnimationController, PoseBinding)> = (0..6)
            .map(|_| {
                let mut controller = AnimationController::new(set.clone());
                for _ in 0..3 {
                    let parameters = parameters(dice, &set, &case.skeleton);
                    controller.play_new(parameters, 0.0).unwrap();
                }
                (controller, shared.clone())
            })
            .collect();
        let (mut a, mut b) = (Pose::rest(&case.skeleton), Pose::rest(&case.skeleton));
        for _ in 0..4 {
            for (controller, binding) in &mut characters {
                controller.update(0.21);
                shared.apply(controller, &mut a).unwrap();
                binding.apply(controller, &mut b).unwrap();
                assert_eq!(pose_bits(&a), pose_bits(&b));
            }
        }
    });
}
