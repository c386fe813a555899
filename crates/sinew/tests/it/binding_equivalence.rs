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
    let at = vector(dice).extend(number(dice));
    quat_normalize(Quat::from_vec4(at))
}

fn name(joint: usize) -> String {
    format!("joint {joint}")
}

/// A tree whose joints stand depth first: each hangs on the one before or on one of its ancestors.
fn skeleton(dice: &mut Dice, count: usize) -> Skeleton {
    let mut joints: Vec<Joint> = Vec::new();
    for index in 0..count {
        let mut parent = index.checked_sub(1);
        while let Some(at) = parent
            && dice.chance(3)
        {
            parent = joints[at].parent.map(JointIndex::index);
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

fn animation(dice: &mut Dice, at: usize, joints: usize) -> Animation {
    let mut animation = Animation::new(format!("animation {at}"), 0.5 + dice.ratio() * 2.0);
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
    for at in (1..animation.tracks.len()).rev() {
        animation
            .tracks
            .swap(at, dice.below(at as u64 + 1) as usize);
    }
    animation
}

fn set(dice: &mut Dice, joints: usize) -> AnimationSet {
    let mut set = AnimationSet::new();
    for at in 0..4 {
        set.add(animation(dice, at, joints)).unwrap();
    }
    for mask in ["some", "most"] {
        let mut own = if mask == "some" {
            Mask::none()
        } else {
            Mask::all()
        };
        for joint in 0..joints {
            if dice.chance(2) {
                own = own.with(&name(joint), weight(dice));
            }
        }
        set.set_mask(mask, own);
    }
    set
}

fn parameters(dice: &mut Dice, set: &AnimationSet, joints: usize) -> AnimationParameters {
    let index = (dice.below(4) as usize).into();
    let mut own = AnimationParameters::new(set, index).keep_on_zero_weight();
    own = match dice.below(4) {
        0 => own.keep_on_completion(),
        1 => own.ping_pong(),
        _ => own.looped(),
    };
    let length = own.time.max();
    own = own.time(dice.ratio() * length).speed(number(dice));
    own = match dice.below(8) {
        0 => own.time(length),
        1 => own.time_range(-1.0, length + 1.0),
        _ => own,
    };
    own = own.weight(weight(dice)).layer(dice.below(3) as u32);
    if dice.chance(3) {
        own = own.additive();
    }
    if dice.chance(3) {
        // At times one that is not there.
        own = own.start_bone(name(dice.below(joints as u64 + 1) as usize).as_str());
    }
    if dice.chance(2) {
        own = own.sharing_layer();
    }
    match dice.below(6) {
        0 => own.mask("some"),
        1 => own.mask("most"),
        _ => own,
    }
}

/// How much of an animation a joint takes: its weight by that of the mask; 0 outside its start bone, and everywhere where
/// there is no such bone or nothing that the mask names.
fn joint_weight(
    own: &AnimationParameters,
    set: &AnimationSet,
    skeleton: &Skeleton,
    at: usize,
) -> f32 {
    let start = skeleton.find(own.start_bone.as_str());
    let inside = match start {
        Some(start) => skeleton.subtree(start).contains(&at),
        None => own.start_bone.is_empty(),
    };
    let name = &skeleton.joints()[at].name;
    let share = set.mask(own.mask.as_str()).map_or(1.0, |mask| {
        let mut names = mask.names().peekable();
        let is_there = names.peek().is_none() || names.any(|name| skeleton.find(name).is_some());
        if is_there { mask.weight(name) } else { 0.0 }
    });
    if inside {
        own.weight.clamp(0.0, 1.0) * share
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
    own: &AnimationParameters,
    length: f32,
    weight: f32,
    (is, started): (&mut T, &mut bool),
) {
    let Some(channel) = channel else { return };
    let time = own.time.value().clamp(0.0, length);
    let sample = if own.looped && !own.ping_pong {
        channel.sample_looped(time, length)
    } else {
        channel.sample(time)
    };
    let base = channel.values()[0];
    *is = match own.blend_mode {
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
    order.sort_by_key(|own| own.layer);
    let set = controller.animation_set();
    let name = &skeleton.joints()[joint].name;
    let track_of = |own: &AnimationParameters| {
        let tracks = set.animation(own.animation).unwrap().tracks.iter();
        tracks.clone().find(|track| track.name == *name)
    };
    // For each that shares a layer, the shares of those after it that move the joint, by channel.
    let shares = |own: &AnimationParameters| {
        let track =
            track_of(own).filter(|_| own.shares_layer && own.blend_mode == BlendMode::Lerp)?;
        let weight = joint_weight(own, set, skeleton, joint);
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
    let mut is = was;
    let mut started = [false; 3];
    for (at, own) in order.iter().enumerate() {
        let Some(track) = track_of(own) else {
            continue;
        };
        let weight = joint_weight(own, set, skeleton, joint);
        if weight <= 0.0 {
            continue;
        }
        let mut above = [0.0_f64; 3];
        if shares(own).is_some() {
            for later in order[at + 1..]
                .iter()
                .filter(|later| later.layer == own.layer)
            {
                for (above, share) in above.iter_mut().zip(shares(later).unwrap_or_default()) {
                    *above += f64::from(share);
                }
            }
        }
        let length = set.length(own.animation).unwrap();
        let [p, r, s] = &mut started;
        let weights = track.weights;
        let position = (&mut is.position, p);
        let weigh = |own: f32, channel: usize| shared(weight * own, above[channel]);
        let channel = track.position.as_ref();
        reference_channel(channel, own, length, weigh(weights.position, 0), position);
        let rotation = (&mut is.rotation, r);
        let channel = track.rotation.as_ref();
        reference_channel(channel, own, length, weigh(weights.rotation, 1), rotation);
        let scale = (&mut is.scale, s);
        let channel = track.scale.as_ref();
        reference_channel(channel, own, length, weigh(weights.scale, 2), scale);
    }
    is
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
                let own = parameters(&mut dice, &set, joints);
                controller.play_new(own, 0.0).unwrap();
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
        for (joint, own) in case.skeleton.joints().iter().enumerate() {
            let expected = reference(&case.controller, &case.skeleton, joint, own.rest);
            assert_follows_rules(body.local(&own.name), expected);
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
    let mut is = was;
    let mut last = 0;
    let order: Vec<usize> = controller
        .application_order()
        .map(|(index, _)| index)
        .collect();
    for own in list {
        let at = order.iter().position(|&index| index == own.index).unwrap();
        assert!(at >= last, "in the order of application");
        last = at;
        let parameters = &controller.animations()[own.index];
        assert_eq!(own.animation, parameters.animation);
        assert_eq!(own.instance_index, parameters.instance_index);
        assert_eq!(
            (own.layer, own.blend_mode),
            (parameters.layer, parameters.blend_mode)
        );
        assert!((0.0..=1.0).contains(&own.weight));
        if own.blend_mode == BlendMode::Lerp && own.weight == 1.0 {
            assert_eq!(own.value, own.result);
        }
        put_result(own, &mut is);
    }
    is
}

#[test]
fn explaining_a_joint_ends_in_its_final_transform() {
    let mut told = 0;
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
            for (joint, own) in case.skeleton.joints().iter().enumerate() {
                let was = if reset { own.rest } else { case.was[joint] };
                let list = explained((&mut pose, &mut scene), controller, &own.name);
                let found = bits(follow(&list, controller, was));
                assert_eq!(found, bits(pose.local(&own.name)));
                told += list.len();
            }
        }
    });
    assert!(told > 10_000, "{told}");
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
