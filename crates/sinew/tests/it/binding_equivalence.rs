//! The fast path against a plain one: random skeletons, random animations, random stacks of them.

use crate::binding_common;
use binding_common::{Body, PoseBody, SceneBody, explained, put_result};
use control::Dice;
use sinew::animation::{
    Channel, ChannelValue, ChannelWeights, Interpolation, KeyTimes, TransformTrack,
};
use sinew::control::{BlendMode, Contribution, Mask};
use sinew::glam::{Quat, Vec3};
use sinew::math::quat_normalize;
use sinew::{
    Animation, AnimationController, AnimationParameters, AnimationSet, Joint, JointIndex, Skeleton,
    Transform,
};
use sinew_testing::control;
use std::sync::Arc;

/// Blocks of eight joints: one, some, almost a half, a half, more, a whole, more, many.
const JOINTS: [usize; 7] = [1, 3, 4, 5, 8, 9, 67];

fn number(dice: &mut Dice) -> f32 {
    dice.ratio() * 8.0 - 4.0
}

fn vector(dice: &mut Dice) -> Vec3 {
    Vec3::new(number(dice), number(dice), number(dice))
}

fn rotation(dice: &mut Dice) -> Quat {
    let numbers = vector(dice).extend(number(dice));
    quat_normalize(Quat::from_vec4(numbers))
}

fn name(joint: usize) -> String {
    format!("joint {joint}")
}

/// A tree whose joints stand depth first: each hangs on the one before or on one of its ancestors.
fn skeleton(dice: &mut Dice, count: usize) -> Skeleton {
    let mut joints: Vec<Joint> = Vec::new();
    for index in 0..count {
        let mut parent = index.checked_sub(1);
        while let Some(ancestor) = parent
            && dice.chance(3)
        {
            parent = joints[ancestor].parent.map(JointIndex::index);
        }
        joints.push(Joint {
            name: name(index),
            parent: parent.map(JointIndex::from),
            rest: Transform {
                position: vector(dice),
                rotation: rotation(dice),
                scale: vector(dice),
            },
            tip: None,
        });
    }
    Skeleton::new(joints).unwrap()
}

/// Keys, perhaps: of some joints, at times that may begin late, end early or lie beyond the end.
fn channel<T: ChannelValue>(dice: &mut Dice, value: impl Fn(&mut Dice) -> T) -> Option<Channel<T>> {
    if dice.chance(3) {
        return None;
    }
    let count = 1 + dice.below(6) as usize;
    let times = if dice.chance(2) {
        KeyTimes::uniform(2.0 + f64::from(dice.ratio()) * 4.0, count).unwrap()
    } else {
        let mut times: Vec<f32> = (0..count).map(|_| dice.ratio() * 2.5).collect();
        times.sort_by(f32::total_cmp);
        KeyTimes::listed(times).unwrap()
    };
    let mut values = || (0..count).map(|_| value(dice)).collect::<Vec<T>>();
    let (keys, into, out) = (values(), values(), values());
    let made = match dice.below(4) {
        0 => Channel::new(times, keys, Interpolation::Step),
        1 => Channel::cubic(times, keys, into, out),
        2 => Channel::new(times, keys, Interpolation::Cubic),
        _ => Channel::new(times, keys, Interpolation::Linear),
    };
    Some(made.unwrap())
}

fn weight(dice: &mut Dice) -> f32 {
    match dice.below(5) {
        0 => 0.0,
        1 | 2 => 1.0,
        _ => dice.ratio(),
    }
}

fn animation(dice: &mut Dice, number: usize, joints: usize) -> Animation {
    let mut animation = Animation::new(format!("animation {number}"), 0.5 + dice.ratio() * 2.0);
    // One joint more than there is.
    for joint in 0..=joints {
        if dice.chance(4) {
            continue;
        }
        animation.tracks.push(TransformTrack {
            position: channel(dice, vector),
            rotation: channel(dice, rotation),
            scale: channel(dice, vector),
            weights: ChannelWeights {
                position: weight(dice),
                rotation: weight(dice),
                scale: weight(dice),
            },
            ..TransformTrack::new(name(joint))
        });
    }
    // Tracks need not stand in the order of joints.
    for index in (1..animation.tracks.len()).rev() {
        animation
            .tracks
            .swap(index, dice.below(index as u64 + 1) as usize);
    }
    animation
}

fn set(dice: &mut Dice, joints: usize) -> AnimationSet {
    let mut set = AnimationSet::new();
    for index in 0..4 {
        set.add(animation(dice, index, joints)).unwrap();
    }
    for mask in ["some", "most"] {
        let mut mask_weights = if mask == "some" {
            Mask::none()
        } else {
            Mask::all()
        };
        for joint in 0..joints {
            if dice.chance(2) {
                mask_weights = mask_weights.with(&name(joint), weight(dice));
            }
        }
        set.set_mask(mask, mask_weights);
    }
    set
}

fn parameters(dice: &mut Dice, set: &AnimationSet, joints: usize) -> AnimationParameters {
    let index = (dice.below(4) as usize).into();
    let mut parameters = AnimationParameters::new(set, index).keep_on_zero_weight();
    parameters = match dice.below(4) {
        0 => parameters.keep_on_completion(),
        1 => parameters.ping_pong(),
        _ => parameters.looped(),
    };
    let length = parameters.time.max();
    parameters = parameters.time(dice.ratio() * length).speed(number(dice));
    parameters = match dice.below(8) {
        0 => parameters.time(length),
        1 => parameters.time_range(-1.0, length + 1.0),
        _ => parameters,
    };
    parameters = parameters.weight(weight(dice)).layer(dice.below(3) as u32);
    if dice.chance(3) {
        parameters = parameters.additive();
    }
    if dice.chance(3) {
        // At times one that is not there.
        parameters = parameters.start_bone(name(dice.below(joints as u64 + 1) as usize).as_str());
    }
    if dice.chance(2) {
        parameters = parameters.sharing_layer();
    }
    match dice.below(6) {
        0 => parameters.mask("some"),
        1 => parameters.mask("most"),
        _ => parameters,
    }
}

/// How much of an animation a joint takes: its weight by that of the mask; 0 outside its start bone, and everywhere where
/// there is no such bone or nothing that the mask names.
fn joint_weight(
    parameters: &AnimationParameters,
    set: &AnimationSet,
    skeleton: &Skeleton,
    index: usize,
) -> f32 {
    let start = skeleton.find(parameters.start_bone.as_str());
    let inside = match start {
        Some(start) => skeleton.subtree(start).contains(&index),
        None => parameters.start_bone.is_empty(),
    };
    let name = &skeleton.joints()[index].name;
    let share = set.mask(parameters.mask.as_str()).map_or(1.0, |mask| {
        let mut names = mask.names().peekable();
        let is_there = names.peek().is_none() || names.any(|name| skeleton.find(name).is_some());
        if is_there { mask.weight(name) } else { 0.0 }
    });
    if inside {
        parameters.weight.clamp(0.0, 1.0) * share
    } else {
        0.0
    }
}

/// What weights come to that are shares of a layer: `share / (1 - above)`, at most 1.
fn shared(share: f32, above: f64) -> f32 {
    match 1.0 - above {
        left if left <= f64::from(1e-6_f32) => 0.0,
        left => (f64::from(share) / left).min(1.0) as f32,
    }
}

/// One channel, as the rules say it.
fn reference_channel<T: ChannelValue>(
    channel: Option<&Channel<T>>,
    parameters: &AnimationParameters,
    length: f32,
    weight: f32,
    (is, started): (&mut T, &mut bool),
) {
    let Some(channel) = channel else { return };
    let time = parameters.time.value().clamp(0.0, length);
    let sample = if parameters.looped && !parameters.ping_pong {
        channel.sample_looped(time, length)
    } else {
        channel.sample(time)
    };
    let base = channel.values()[0];
    *is = match parameters.blend_mode {
        BlendMode::Lerp if !*started || (weight - 1.0).abs() <= 1e-6 => sample,
        BlendMode::Lerp => T::mix(*is, sample, weight),
        BlendMode::Additive if !*started => return,
        BlendMode::Additive => T::add(*is, sample, base, weight),
    };
    *started = true;
}

/// Where one joint is after everything was applied to it, animation by animation.
fn reference(
    controller: &AnimationController,
    skeleton: &Skeleton,
    joint: usize,
    was: Transform,
) -> Transform {
    let mut order: Vec<&AnimationParameters> = controller.animations().iter().collect();
    order.sort_by_key(|playing| playing.layer);
    let set = controller.animation_set();
    let name = &skeleton.joints()[joint].name;
    let track_of = |parameters: &AnimationParameters| {
        let tracks = set.animation(parameters.animation).unwrap().tracks.iter();
        tracks.clone().find(|track| track.name == *name)
    };
    // For each that shares a layer, the shares of those after it that move the joint, by channel.
    let shares = |parameters: &AnimationParameters| {
        let track = track_of(parameters)
            .filter(|_| parameters.shares_layer && parameters.blend_mode == BlendMode::Lerp)?;
        let weight = joint_weight(parameters, set, skeleton, joint);
        let weights = track.weights;
        Some([
            track
                .position
                .as_ref()
                .map_or(0.0, |_| weight * weights.position),
            track
                .rotation
                .as_ref()
                .map_or(0.0, |_| weight * weights.rotation),
            track.scale.as_ref().map_or(0.0, |_| weight * weights.scale),
        ])
    };
    let mut value = was;
    let mut started = [false; 3];
    for (index, playing) in order.iter().enumerate() {
        let Some(track) = track_of(playing) else {
            continue;
        };
        let weight = joint_weight(playing, set, skeleton, joint);
        if weight <= 0.0 {
            continue;
        }
        let mut above = [0.0_f64; 3];
        if shares(playing).is_some() {
            for later in order[index + 1..]
                .iter()
                .filter(|later| later.layer == playing.layer)
            {
                for (above, share) in above.iter_mut().zip(shares(later).unwrap_or_default()) {
                    *above += f64::from(share);
                }
            }
        }
        let length = set.length(playing.animation).unwrap();
        let [p, r, s] = &mut started;
        let weights = track.weights;
        let position = (&mut value.position, p);
        let weigh = |value: f32, channel: usize| shared(weight * value, above[channel]);
        let channel = track.position.as_ref();
        reference_channel(
            channel,
            playing,
            length,
            weigh(weights.position, 0),
            position,
        );
        let rotation = (&mut value.rotation, r);
        let channel = track.rotation.as_ref();
        reference_channel(
            channel,
            playing,
            length,
            weigh(weights.rotation, 1),
            rotation,
        );
        let scale = (&mut value.scale, s);
        let channel = track.scale.as_ref();
        reference_channel(channel, playing, length, weigh(weights.scale, 2), scale);
    }
    value
}

/// How far a number of a rotation may be from that of the rules, which use sines: bindings use a series, within 2e-7
/// of them per layer, and up to eight layers are laid over each other.
const ROTATION_TOLERANCE: f32 = 2e-6;

/// Positions and scales are those of the rules to the bit, rotations to rounding.
fn assert_follows_rules(found: Transform, expected: Transform) {
    let rotation = found.rotation;
    let same = Transform {
        rotation,
        ..expected
    };
    assert_eq!(bits(found), bits(same), "{found:?} is not {expected:?}");
    let rotations = (rotation.to_array().into_iter()).zip(expected.rotation.to_array());
    for (found, expected) in rotations {
        let error = (found - expected).abs();
        assert!(error <= ROTATION_TOLERANCE, "{found} is not {expected}");
    }
}

fn bits(t: Transform) -> [u32; 10] {
    let mut all = [0; 10];
    let numbers = t
        .position
        .to_array()
        .into_iter()
        .chain(t.rotation.to_array());
    for (bits, number) in all.iter_mut().zip(numbers.chain(t.scale.to_array())) {
        *bits = number.to_bits();
    }
    all
}

/// A random stack of animations on a random skeleton, after a random step.
struct Case {
    skeleton: Arc<Skeleton>,
    controller: AnimationController,
    was: Vec<Transform>,
}

fn each_case(count: usize, mut test: impl FnMut(&mut Case)) {
    for joints in JOINTS {
        for round in 0..count {
            let mut dice = Dice((joints * 1000 + round) as u64);
            let skeleton = Arc::new(skeleton(&mut dice, joints));
            let set = Arc::new(set(&mut dice, joints));
            let mut controller = AnimationController::new(set.clone());
            for _ in 0..1 + dice.below(8) {
                let parameters = parameters(&mut dice, &set, joints);
                controller.play_new(parameters, 0.0).unwrap();
            }
            controller.update(dice.ratio());
            let was = (0..joints).map(|_| Transform {
                position: vector(&mut dice),
                rotation: rotation(&mut dice),
                scale: vector(&mut dice),
            });
            test(&mut Case {
                was: was.collect(),
                skeleton,
                controller,
            });
        }
    }
}

fn put(body: &mut impl Body, was: &[Transform]) {
    for (joint, was) in was.iter().enumerate() {
        body.put(&name(joint), *was);
    }
}

#[test]
fn a_pose_equals_the_blending_rules_applied_joint_by_joint() {
    each_case(60, |case| {
        let mut body = PoseBody::new(&case.skeleton, case.controller.animation_set());
        // Steps on end: nothing of one picture may be left for the next.
        for _ in 0..3 {
            put(&mut body, &case.was);
            body.apply(&case.controller);
            for (joint, was) in case.was.iter().enumerate() {
                let expected = reference(&case.controller, &case.skeleton, joint, *was);
                let found = body.local(&name(joint));
                assert_follows_rules(found, expected);
            }
            case.controller.update(0.17);
        }
    });
}

#[test]
fn with_reset_the_pose_starts_at_rest() {
    each_case(10, |case| {
        let mut body = PoseBody::new(&case.skeleton, case.controller.animation_set());
        body.reset_skeleton(true);
        put(&mut body, &case.was);
        body.apply(&case.controller);
        for (joint, rest_joint) in case.skeleton.joints().iter().enumerate() {
            let expected = reference(&case.controller, &case.skeleton, joint, rest_joint.rest);
            assert_follows_rules(body.local(&rest_joint.name), expected);
        }
    });
}

#[test]
fn a_scene_and_a_pose_agree_to_the_bit() {
    each_case(20, |case| {
        let set = case.controller.animation_set();
        let mut pose = PoseBody::new(&case.skeleton, set);
        let mut bones = SceneBody::with_bones(&case.skeleton, set);
        let mut nodes = SceneBody::of_nodes(&case.skeleton, set);
        put(&mut pose, &case.was);
        put(&mut bones, &case.was);
        put(&mut nodes, &case.was);
        for _ in 0..3 {
            pose.apply(&case.controller);
            bones.apply(&case.controller);
            nodes.apply(&case.controller);
            for joint in (0..case.was.len()).map(name) {
                let expected = bits(pose.local(&joint));
                assert_eq!(bits(bones.local(&joint)), expected);
                assert_eq!(bits(nodes.local(&joint)), expected);
            }
            case.controller.update(0.17);
        }
    });
}

/// What a joint is when its contributions are taken one after the other, each of which must start where
/// the one before ended.
fn follow(list: &[Contribution], controller: &AnimationController, was: Transform) -> Transform {
    let mut value = was;
    let mut last = 0;
    let order: Vec<usize> = controller
        .application_order()
        .map(|(index, _)| index)
        .collect();
    for playing in list {
        let place = order
            .iter()
            .position(|&index| index == playing.index)
            .unwrap();
        assert!(place >= last, "in the order of application");
        last = place;
        let parameters = &controller.animations()[playing.index];
        assert_eq!(playing.animation, parameters.animation);
        assert_eq!(playing.instance_index, parameters.instance_index);
        assert_eq!(
            (playing.layer, playing.blend_mode),
            (parameters.layer, parameters.blend_mode)
        );
        assert!((0.0..=1.0).contains(&playing.weight));
        if playing.blend_mode == BlendMode::Lerp && playing.weight == 1.0 {
            assert_eq!(playing.value, playing.result);
        }
        put_result(playing, &mut value);
    }
    value
}

#[test]
fn explaining_a_joint_ends_in_its_final_transform() {
    let mut step_count = 0;
    each_case(20, |case| {
        let (controller, set) = (&case.controller, case.controller.animation_set());
        let mut pose = PoseBody::new(&case.skeleton, set);
        let mut scene = SceneBody::with_bones(&case.skeleton, set);
        for reset in [false, true] {
            pose.reset_skeleton(reset);
            scene.reset_skeleton(reset);
            put(&mut pose, &case.was);
            put(&mut scene, &case.was);
            pose.apply(controller);
            scene.apply(controller);
            for (joint, rest_joint) in case.skeleton.joints().iter().enumerate() {
                let was = if reset {
                    rest_joint.rest
                } else {
                    case.was[joint]
                };
                let list = explained((&mut pose, &mut scene), controller, &rest_joint.name);
                let found = bits(follow(&list, controller, was));
                assert_eq!(found, bits(pose.local(&rest_joint.name)));
                step_count += list.len();
            }
        }
    });
    assert!(step_count > 10_000, "{step_count}");
}

#[test]
fn explaining_a_missing_joint_returns_nothing() {
    each_case(3, |case| {
        let set = case.controller.animation_set();
        let mut body = PoseBody::new(&case.skeleton, set);
        for joint in [case.was.len(), 1 << 20] {
            let list = body.binding.explain(&case.controller, joint.into());
            assert_eq!(list, []);
        }
    });
}
