//! Compressed animations in a set: what is refused, what is known of them, whom they move.

use crate::binding_common;
use binding_common::{animation, chain, near, on_each_body_with, positions};
use motion::{bent_figure, figure, swinging};
use sinew::animation::{
    Channel, Interpolation, KeyTimes, TransformTrack, Trigger, Variant, VariantInterpolation,
    VariantTrack,
};
use sinew::control::{ArmatureBinding, BindingProblem, BindingWarning, ControllerDiff, SetError};
use sinew::glam::Vec3;
use sinew::packed::Packing;
use sinew::skelform::{Armature, ArmatureData, BoneData};
use sinew::{
    Animation, AnimationController, AnimationParameters, AnimationSet, ControllerState, Joint,
    JointIndex, PackedAnimation, PackedCursor, Pose, PoseBinding, Skeleton, sample,
};
use sinew_author::compress::Profile;
use sinew_testing::motion;
use sinew_testing::packed::{packed, pose_bits};
use std::sync::Arc;

fn small(skeleton: &Skeleton, animation: &Animation) -> PackedAnimation<'static> {
    packed(skeleton, animation, 1e-4, Profile::Small).unwrap()
}

/// A swing of a figure, with triggers and a variant.
fn swing(skeleton: &Skeleton) -> Animation {
    let mut swing = swinging(skeleton, 60.0, 91);
    swing.add_trigger(0.5, "half");
    let keys = [(0.0, 0.0_f32), (1.5, 3.0)];
    let track = VariantTrack::new("@/Variables/x", VariantInterpolation::Linear, keys);
    swing.set_variant(track.unwrap());
    swing
}

#[test]
fn a_skeleton_of_another_size_is_refused() {
    let skeleton = figure();
    let animation = small(&skeleton, &swing(&skeleton));
    let mut set = AnimationSet::new();
    let other = Arc::new(chain(&["hips", "spine"]));
    let error = set.add_packed(animation.clone(), &other).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the animation \"swing\" was packed for a skeleton of 8 joints; this one has 2"
    );
    let index = set.add(Animation::new("other", 1.0)).unwrap();
    let error = set.replace_packed(index, animation, &other).unwrap_err();
    assert!(error.to_string().contains("\"other\""), "{error}");
    assert!(set.animation(index).is_some());
    assert_eq!(set.len(), 1);
}

#[test]
fn two_of_one_name_and_animations_that_are_not_there_are_refused() {
    let skeleton = Arc::new(figure());
    let animation = Arc::new(small(&skeleton, &swing(&skeleton)));
    let mut set = AnimationSet::new();
    set.add_packed(animation.clone(), &skeleton).unwrap();
    let error = set.add_packed(animation.clone(), &skeleton).unwrap_err();
    let name = "swing".to_owned();
    assert_eq!(error, SetError::SameName { name });
    set.add_packed_as("again", animation.clone(), &skeleton)
        .unwrap();
    let error = set
        .replace_packed(9.into(), animation, &skeleton)
        .unwrap_err();
    assert_eq!(
        error,
        SetError::NoSuchAnimation {
            animation: 9,
            count: 2
        }
    );
}

#[test]
fn metadata_that_cannot_be_played_is_refused() {
    let skeleton = Arc::new(figure());
    let mut swing = swing(&skeleton);
    swing.triggers.push(Trigger {
        time: 0.1,
        data: Variant::Bool(true),
    });
    let error = AnimationSet::new().add_packed(small(&skeleton, &swing), &skeleton);
    let error = error.unwrap_err().to_string();
    assert!(error.contains("trigger 1 is at 0.1 seconds"), "{error}");
}

#[test]
fn a_set_has_the_same_facts_of_a_packed_animation_and_its_source() {
    let skeleton = Arc::new(figure());
    let source = swing(&skeleton);
    let (mut keyed, mut packed) = (AnimationSet::new(), AnimationSet::new());
    let a = keyed.add(source.clone()).unwrap();
    let b = packed
        .add_packed(small(&skeleton, &source), &skeleton)
        .unwrap();
    assert_eq!(a, b);
    assert_eq!(keyed.name(a), packed.name(b));
    assert_eq!(keyed.length(a), packed.length(b));
    assert_eq!(keyed.triggers(a), packed.triggers(b));
    assert_eq!(keyed.fingerprint(), packed.fingerprint());
    assert!(packed.animation(b).is_none() && keyed.packed(a).is_none());
    assert_eq!(packed.packed(b).unwrap().packing(), Packing::Small);
    assert!(packed.packed(7.into()).is_none());
    packed.add_trigger(b, 0.7, "more").unwrap();
    assert_eq!(packed.triggers(b).len(), 2);
}

#[test]
fn states_and_differences_of_them_are_the_same_on_both_ends() {
    let skeleton = Arc::new(figure());
    let source = swing(&skeleton);
    let (mut keyed, mut packed) = (AnimationSet::new(), AnimationSet::new());
    let index = keyed.add(source.clone()).unwrap();
    packed
        .add_packed(small(&skeleton, &source), &skeleton)
        .unwrap();
    let keyed = Arc::new(keyed);
    let mut controller = AnimationController::new(keyed.clone());
    let parameters = AnimationParameters::new(&keyed, index).looped();
    controller.play_new(parameters, 0.25).unwrap();
    controller.update(0.1);
    let base = controller.state().clone();
    let bytes = base.to_bytes(&keyed);
    assert_eq!(bytes, base.to_bytes(&packed));
    let there = ControllerState::from_bytes(&bytes, &packed).unwrap();
    assert_eq!(there, base);
    controller.update(0.4);
    let diff = controller.state().diff(&base);
    let bytes = diff.to_bytes(&base, &keyed).unwrap();
    let found = ControllerDiff::from_bytes(&bytes, &there, &packed).unwrap();
    assert_eq!(found, diff);
}

#[test]
fn variants_triggers_and_motion_play_in_a_scene() {
    let skeleton = Arc::new(bent_figure());
    let mut source = swing(&skeleton);
    source.remove_track("@/Variables/x");
    let keys = [(0.0, 1.0_f32), (1.5, 4.0)];
    let track = VariantTrack::new("hips/@/Variables/x", VariantInterpolation::Linear, keys);
    source.set_variant(track.unwrap());
    let mut set = AnimationSet::new();
    let index = set
        .add_packed(small(&skeleton, &source), &skeleton)
        .unwrap();
    let set = Arc::new(set);
    let mut scene = sinew::scene::Scene::new("Root");
    let root = scene.root();
    let nodes = scene.add_skeleton(root, &skeleton).unwrap();
    scene.set_variable(nodes[0], "x", 0.0_f32).unwrap();
    let mut controller = AnimationController::new(set.clone());
    let mut binding = sinew::scene::SceneBinding::new(&set);
    let parameters = AnimationParameters::new(&set, index);
    controller.play_new(parameters, 0.0).unwrap();
    controller.update(0.75);
    binding.apply(&controller, &mut scene.target(root));
    assert_eq!(scene.variable(nodes[0], "x"), Some(&Variant::Float(2.5)));
    assert_eq!(binding.warnings(), []);
    assert_eq!(controller.triggers().count(), 1);
    let expected = source.tracks[2].rotation.as_ref().unwrap().sample(0.75);
    let found = scene.transform(nodes[2]).unwrap().rotation;
    assert!(sinew::math::quat_angle(found, expected) < 1e-3);
}

/// The figure with its legs in another order and without one foot, and with a tail.
fn other_figure() -> Skeleton {
    let figure = bent_figure();
    let order = [
        ("hips", None),
        ("tail", Some(0)),
        ("rthigh", Some(0)),
        ("rshin", Some(2)),
        ("spine", Some(0)),
        ("lthigh", Some(0)),
        ("lshin", Some(5)),
        ("lfoot", Some(6)),
    ];
    let joints = order
        .into_iter()
        .map(|(name, parent): (&str, Option<u32>)| {
            let rest = figure
                .find(name)
                .map(|joint| figure.joints()[joint.index()].rest);
            Joint {
                name: name.to_owned(),
                parent: parent.map(JointIndex),
                rest: rest.unwrap_or_default(),
                tip: None,
            }
        });
    Skeleton::new(joints.collect()).unwrap()
}

#[test]
fn joints_are_found_by_name_on_another_skeleton_and_missing_ones_reported_once() {
    let skeleton = Arc::new(bent_figure());
    let other = Arc::new(other_figure());
    assert_eq!(skeleton.len(), other.len());
    let source = swing(&skeleton);
    for (max_error, profile) in [
        (1e-4, Profile::Small),
        (1e-4, Profile::Fast),
        (1e-3, Profile::Keyframes),
        (0.0, Profile::Small),
    ] {
        let animation = packed(&skeleton, &source, max_error, profile).unwrap();
        let mut set = AnimationSet::new();
        let index = set.add_packed(animation, &skeleton).unwrap();
        let set = Arc::new(set);
        let mut controller = AnimationController::new(set.clone());
        let parameters = AnimationParameters::new(&set, index).looped();
        controller.play_new(parameters.clone(), 0.0).unwrap();
        controller
            .play_new(parameters.time(0.4).weight(0.5), 0.0)
            .unwrap();
        controller.update(0.3);
        let (mut here, mut there) = (Pose::rest(&skeleton), Pose::rest(&other));
        PoseBinding::new(&set, &skeleton)
            .apply(&controller, &mut here)
            .unwrap();
        let mut binding = PoseBinding::new(&set, &other);
        for _ in 0..2 {
            binding.apply(&controller, &mut there).unwrap();
        }
        for (position, joint) in other.joints().iter().enumerate() {
            let expected = match skeleton.find(&joint.name) {
                Some(index) => here.get(index),
                None => joint.rest,
            };
            assert_eq!(there.get(position.into()), expected, "{}", joint.name);
        }
        let warning = |name: &str, problem| BindingWarning {
            animation: index,
            name: name.to_owned(),
            problem,
        };
        assert_eq!(
            binding.warnings(),
            [
                warning("rfoot", BindingProblem::NoSuchNode),
                warning("@/Variables/x", BindingProblem::NotInPose),
            ]
        );
    }
}

/// A joint that no track moves is not touched, and not missed where there is none.
#[test]
fn joints_without_tracks_stay() {
    let skeleton = Arc::new(figure());
    let mut source = swing(&skeleton);
    source.variants.clear();
    source.remove_track("spine");
    let animation = small(&skeleton, &source);
    let mut set = AnimationSet::new();
    let index = set.add_packed(animation, &skeleton).unwrap();
    let set = Arc::new(set);
    let mut controller = AnimationController::new(set.clone());
    controller
        .play_new(AnimationParameters::new(&set, index), 0.0)
        .unwrap();
    controller.update(0.3);
    let mut pose = Pose::rest(&skeleton);
    let spine = skeleton.find("spine").unwrap();
    pose.set_position(spine, Vec3::splat(7.0));
    pose.set_scale(JointIndex(0), Vec3::splat(3.0));
    let was = pose.get(spine);
    let mut binding = PoseBinding::new(&set, &skeleton);
    binding.apply(&controller, &mut pose).unwrap();
    assert_eq!(pose.get(spine), was);
    assert_eq!(pose.scale(JointIndex(0)), Vec3::splat(3.0));
    assert_ne!(
        pose.position(JointIndex(0)),
        skeleton.joints()[0].rest.position
    );
    let fewer = &skeleton.joints()[..7];
    let fewer = Arc::new(Skeleton::new(fewer.to_vec()).unwrap());
    assert_eq!(PoseBinding::new(&set, &fewer).warnings(), []);
}

/// From 2 to 4 in a second, in 61 keys.
fn ramp(name: &str, seconds: f32) -> Animation {
    let keys = (0..=60).map(|frame| frame as f32 / 60.0);
    let keys = keys.map(|time| (time, Vec3::splat(2.0 + 2.0 * time)));
    let track = TransformTrack {
        position: Some(Channel::from_keys(keys, Interpolation::Linear).unwrap()),
        ..TransformTrack::new("J")
    };
    animation(name, seconds, track)
}

#[test]
fn additive_animations_are_relative_to_their_first_pose() {
    let skeleton = Arc::new(chain(&["J"]));
    let held = TransformTrack {
        position: positions([(0.0, [10.0; 3])]),
        ..TransformTrack::new("J")
    };
    let mut set = AnimationSet::new();
    set.add(animation("base", 1.0, held)).unwrap();
    let ramp = small(&skeleton, &ramp("ramp", 1.0));
    assert_eq!(ramp.packing(), Packing::Small);
    set.add_packed(ramp, &skeleton).unwrap();
    on_each_body_with(chain(&["J"]), set, |stage| {
        stage.play("base");
        stage.play_as("ramp", |parameters| {
            parameters.additive().weight(0.5).layer(1)
        });
        stage.update(0.5);
        near(stage.at("J"), [10.5; 3], 2e-4);
    });
}

#[test]
fn a_loop_begins_again_at_its_end() {
    let skeleton = Arc::new(chain(&["J"]));
    let mut set = AnimationSet::new();
    let whole = small(&skeleton, &ramp("whole", 1.0));
    let holds = small(&skeleton, &ramp("holds", 2.0));
    let leads = packed(&skeleton, &ramp("leads", 2.0), 0.0, Profile::Small).unwrap();
    assert_eq!(leads.packing(), Packing::Plain);
    for animation in [whole, holds, leads] {
        set.add_packed(animation, &skeleton).unwrap();
    }
    on_each_body_with(chain(&["J"]), set, |stage| {
        let mut at = |name: &str, time: f32| {
            stage.controller.stop_all(0.0);
            stage.controller.update(0.0);
            stage.play_as(name, |parameters| parameters.time(time));
            stage.update(0.0);
            stage.at("J").x
        };
        for (name, time, expected) in [
            ("whole", 0.25, 2.5),
            ("whole", 1.0, 2.0),
            ("holds", 1.5, 4.0),
            ("holds", 2.0, 2.0),
            ("leads", 1.5, 3.0),
            ("leads", 2.0, 2.0),
        ] {
            let found = at(name, time);
            assert!((found - expected).abs() < 2e-4, "{name} at {time}: {found}");
        }
    });
}

#[test]
fn a_packed_animation_replaces_a_keyed_animation() {
    let skeleton = Arc::new(bent_figure());
    let source = swing(&skeleton);
    let mut set = AnimationSet::new();
    let index = set.add(source.clone()).unwrap();
    let fingerprint = set.fingerprint();
    let keyed = Arc::new(set.clone());
    let animation = packed(&skeleton, &source, 1e-3, Profile::Fast).unwrap();
    set.replace_packed(index, animation, &skeleton).unwrap();
    assert_eq!(set.fingerprint(), fingerprint);
    let packed = Arc::new(set);
    let mut controller = AnimationController::new(keyed.clone());
    let parameters = AnimationParameters::new(&keyed, index);
    controller.play_new(parameters, 0.0).unwrap();
    controller.update(0.33);
    let mut binding = PoseBinding::new(&keyed, &skeleton);
    let (mut a, mut b) = (Pose::rest(&skeleton), Pose::rest(&skeleton));
    binding.apply(&controller, &mut a).unwrap();
    controller.replace_set(packed.clone()).unwrap();
    binding.apply(&controller, &mut b).unwrap();
    let mut expected = Pose::rest(&skeleton);
    let mut cursor = sinew::PackedCursor::new();
    let animation = packed.packed(index).unwrap();
    let time = controller.animations()[0].time.value();
    animation.sample(time, &mut cursor, &mut expected).unwrap();
    assert_eq!(pose_bits(&b), pose_bits(&expected));
    assert_ne!(pose_bits(&a), pose_bits(&b));
}

/// Two skeletons of different sizes and animations of both in one set.
#[test]
fn animations_of_several_skeletons_play_on_one() {
    let (large, little) = (Arc::new(bent_figure()), Arc::new(chain(&["spine", "tail"])));
    let mut set = AnimationSet::new();
    let first = small(&large, &swing(&large));
    let mut second = swinging(&little, 60.0, 91);
    second.name = "little".to_owned();
    let second = packed(&little, &second, 1e-4, Profile::Fast).unwrap();
    let first = set.add_packed(first, &large).unwrap();
    let second = set.add_packed(second, &little).unwrap();
    let set = Arc::new(set);
    let mut controller = AnimationController::new(set.clone());
    for (layer, index) in [first, second, first].into_iter().enumerate() {
        let parameters = AnimationParameters::new(&set, index).looped();
        let parameters = parameters.layer(layer as u32).time(0.2 * layer as f32);
        controller.play_new(parameters.weight(0.5), 0.0).unwrap();
    }
    controller.update(0.1);
    let mut binding = PoseBinding::new(&set, &large);
    let mut pose = Pose::rest(&large);
    binding.apply(&controller, &mut pose).unwrap();
    let spine = large.find("spine").unwrap();
    let list = binding.explain(&controller, spine);
    let indices: Vec<_> = list.iter().map(|step| step.index).collect();
    // The little one's root has a position too.
    assert_eq!(indices, [0, 1, 1, 2]);
    assert_eq!(list[3].result, Variant::Quat(pose.rotation(spine)));
    let tail = binding
        .warnings()
        .iter()
        .map(|warning| warning.name.as_str());
    assert!(tail.eq(["@/Variables/x", "tail"]));
}

#[test]
fn on_a_2d_character_variants_play_and_joints_are_reported_missing() {
    let skeleton = Arc::new(chain(&["J"]));
    let mut source = ramp("ramp", 1.0);
    let keys = [(0.0, 1.0_f32), (1.0, 3.0)];
    let track = VariantTrack::new("body/@/PositionX", VariantInterpolation::Linear, keys);
    source.set_variant(track.unwrap());
    let data = ArmatureData {
        bones: vec![BoneData {
            name: "body".into(),
            ..BoneData::default()
        }],
        ..ArmatureData::default()
    };
    let armature = Arc::new(Armature::new(data).unwrap());
    let mut set = AnimationSet::new();
    let index = set
        .add_packed(small(&skeleton, &source), &skeleton)
        .unwrap();
    let set = Arc::new(set);
    let mut controller = AnimationController::new(set.clone());
    controller
        .play_new(AnimationParameters::new(&set, index), 0.0)
        .unwrap();
    controller.update(0.5);
    let mut binding = ArmatureBinding::new(&set, &armature);
    let mut state = armature.new_state();
    binding.apply(&controller, &mut state).unwrap();
    assert_eq!(state.bones()[0].position.x, 2.0);
    let [warning] = binding.warnings() else {
        panic!("{:?}", binding.warnings());
    };
    assert_eq!(warning.name, "J");
    assert_eq!(warning.problem, BindingProblem::NotIn2d);
}

#[test]
fn an_animation_without_length_or_tracks_plays() {
    let skeleton = Arc::new(figure());
    let still = KeyTimes::uniform(60.0, 1).unwrap();
    let mut moment = Animation::new("moment", 0.0);
    let mut track = TransformTrack::new("spine");
    let value = vec![Vec3::splat(0.3)];
    track.position = Some(Channel::new(still, value, Interpolation::Linear).unwrap());
    moment.set_track(track);
    for profile in [Profile::Small, Profile::Fast, Profile::Keyframes] {
        let mut set = AnimationSet::new();
        for source in [&Animation::new("nothing", 1.0), &moment] {
            let animation = packed(&skeleton, source, 1e-4, profile).unwrap();
            set.add_packed(animation, &skeleton).unwrap();
        }
        let set = Arc::new(set);
        let mut controller = AnimationController::new(set.clone());
        for index in set.indices() {
            let parameters = AnimationParameters::new(&set, index).looped();
            controller.play_new(parameters.weight(0.5), 0.0).unwrap();
        }
        controller.update(0.5);
        let mut binding = PoseBinding::new(&set, &skeleton);
        let mut pose = Pose::rest(&skeleton);
        binding.apply(&controller, &mut pose).unwrap();
        let spine = skeleton.find("spine").unwrap();
        near(pose.position(spine), [0.3; 3], 1e-4);
        assert_eq!(pose.get(JointIndex(0)), skeleton.joints()[0].rest);
    }
}

/// At every number that can be near the end of a loop, and at NaN, negative and infinite times, a keyed clip and the same
/// one packed show the same frame: from the length on the first one, at any time before not.
#[test]
fn loops_end_alike_keyed_and_packed() {
    let skeleton = Arc::new(bent_figure());
    for (rate, count) in [(30.0, 31), (120.0, 100), (24.0, 7), (29.97, 60)] {
        let mut source = swinging(&skeleton, rate, count);
        source.name = "loop".into();
        let length = source.length;
        let packed = small(&skeleton, &source);
        let mut sets = [AnimationSet::new(), AnimationSet::new()];
        sets[0].add(source.clone()).unwrap();
        sets[1].add_packed(packed.clone(), &skeleton).unwrap();
        let mut times = vec![0.0, -0.0, -1.0, f32::NAN, f32::INFINITY, f32::NEG_INFINITY];
        let (mut below, mut above) = (length, length);
        for _ in 0..40 {
            (below, above) = (below.next_down(), above.next_up());
            times.extend([below, above]);
        }
        times.push(length);
        for time in times {
            let poses = sets.clone().map(|set| {
                let set = Arc::new(set);
                let mut controller = AnimationController::new(set.clone());
                let mut parameters = AnimationParameters::new(&set, 0_usize.into())
                    .looped()
                    .speed(0.0);
                parameters = parameters.time_range(0.0, f32::MAX);
                parameters.time.set(if time.is_nan() { 0.0 } else { time });
                controller.play_new(parameters, 0.0).unwrap();
                controller.update(0.0);
                let mut pose = Pose::rest(&skeleton);
                let mut binding = PoseBinding::new(&set, &skeleton);
                binding.apply(&controller, &mut pose).unwrap();
                pose
            });
            let apart = farthest_rotation(&poses[0], &poses[1]);
            assert!(apart < 5e-3, "{rate} {count} {time}: {apart}");
            // Sampled without loops too.
            let mut direct = [Pose::rest(&skeleton), Pose::rest(&skeleton)];
            sample(&source, &source.bind(&skeleton), time, &mut direct[0]).unwrap();
            packed
                .sample(time, &mut PackedCursor::new(), &mut direct[1])
                .unwrap();
            let apart = farthest_rotation(&direct[0], &direct[1]);
            assert!(apart < 5e-3, "{rate} {count} {time}: {apart}");
        }
        // Where the first frame differs from the last this can be seen.
        let binding = source.bind(&skeleton);
        let mut ends = [Pose::rest(&skeleton), Pose::rest(&skeleton)];
        for (time, pose) in [0.0, length].into_iter().zip(&mut ends) {
            sample(&source, &binding, time, pose).unwrap();
        }
        assert!(farthest_rotation(&ends[0], &ends[1]) > 0.1);
    }
}

fn farthest_rotation(a: &Pose, b: &Pose) -> f32 {
    let joints = (0..a.len()).map(|index| {
        let joint = index.into();
        sinew::math::quat_angle(a.rotation(joint), b.rotation(joint))
    });
    joints.fold(0.0, f32::max)
}
