//! Fades that are jumps of the controller, which inertia makes smooth.

use control::{A, B, C, Dice, busy, controller, fade, play, set, state_of, stopped, time};
use motion::{bent_figure, swinging};
use sinew::control::{ControlError, ControllerDiff, FadeMode, InertialSwitch, Mask};
use sinew::glam::{Quat, Vec3};
use sinew::ik::{FootCue, FootLock, FootLockSettings};
use sinew::math::GroundTransform;
use sinew::math::quat_angle;
use sinew::{
    AnimationController, AnimationParameters, AnimationSet, Character, ControllerState, Inertia,
    Pose, PoseBinding, Skeleton,
};
use sinew_testing::control;
use sinew_testing::counting;
use sinew_testing::motion;
use std::sync::Arc;

fn looped(controller: &AnimationController, index: u32) -> AnimationParameters {
    play(controller, sinew::AnimationIndex(index))
        .looped()
        .inertial()
}

#[test]
fn invalid_inertial_switches_are_refused() {
    for seconds in [-1.0, f32::NAN, f32::INFINITY] {
        let inertial_switch = InertialSwitch { count: 1, seconds };
        let state = ControllerState {
            inertial_switch,
            ..ControllerState::default()
        };
        let refused = stopped().restore(state.clone()).unwrap_err();
        assert!(matches!(
            refused,
            ControlError::Number {
                field: "inertial_switch.seconds",
                ..
            }
        ));
        assert!(ControllerState::from_bytes(&state.to_bytes(&set()), &set()).is_err());
    }
}

#[test]
fn an_inertial_switch_replaces_the_animation_at_once() {
    let mut controller = controller(&[1.0, 1.0, 1.0]);
    controller
        .play_new(play(&controller, A).looped(), 0.0)
        .unwrap();
    controller.update(0.1);
    assert_eq!(controller.inertial_switch(), InertialSwitch::default());
    controller
        .play_existing_exclusive(looped(&controller, 1), 0.3)
        .unwrap();
    assert_eq!(fade(&controller, 0), [0.0, 0.0, 0.0]);
    assert_eq!(fade(&controller, 1), [1.0, 1.0, 0.0]);
    let switch = controller.inertial_switch();
    assert!(switch.count > 0 && switch.seconds == 0.3);
    controller.update(0.01);
    assert!(!controller.is_playing(A));
    // Told again, it does nothing.
    for _ in 0..3 {
        controller
            .play_existing_exclusive(looped(&controller, 1), 0.3)
            .unwrap();
        controller.update(0.01);
        assert_eq!(controller.inertial_switch(), switch);
    }
    // The way is that of the one that begins.
    controller
        .play_new_exclusive(play(&controller, A).looped(), 0.3)
        .unwrap();
    assert_eq!(controller.inertial_switch(), switch);
    assert_eq!(fade(&controller, 0), [1.0, 0.0, 0.3]);
}

#[test]
fn a_switch_of_zero_duration_is_a_cut() {
    let mut controller = controller(&[1.0, 1.0]);
    for seconds in [0.0, -1.0, f32::NAN] {
        controller
            .play_new_exclusive(looped(&controller, 0), seconds)
            .unwrap();
        controller.update(0.1);
        assert!(controller.stop(A, seconds));
        assert_eq!(controller.inertial_switch(), InertialSwitch::default());
    }
}

#[test]
fn fading_stopping_and_ending_jump_too() {
    let mut controller = controller(&[1.0, 1.0, 0.5]);
    controller.play_new(looped(&controller, 0), 0.0).unwrap();
    controller.play_new(looped(&controller, 1), 0.0).unwrap();
    let mut last = controller.inertial_switch();
    let mut jumped = |controller: &AnimationController, seconds: f32| {
        let is_next = controller.inertial_switch().count == last.count.wrapping_add(1)
            && controller.inertial_switch().seconds == seconds;
        last = controller.inertial_switch();
        is_next
    };
    assert!(controller.fade(B, 0.5, 0.2));
    assert!(jumped(&controller, 0.2) && fade(&controller, 1) == [0.5, 0.5, 0.0]);
    assert!(controller.update_animation_weight(B, 0.25, 0.4));
    assert!(jumped(&controller, 0.4) && fade(&controller, 1) == [0.25, 0.25, 0.0]);
    assert!(controller.stop(B, 0.1));
    assert!(jumped(&controller, 0.1));
    controller.update(0.0);
    assert!(!controller.is_playing(B));
    let once = play(&controller, C).inertial().auto_fade_out(0.35);
    controller.play_new(once, 0.0).unwrap();
    controller.update(0.25);
    assert!(!jumped(&controller, 0.35));
    controller.update(0.5);
    assert!(jumped(&controller, 0.35) && !controller.is_playing(C));
    assert_eq!(controller.stop_all(0.15), 1);
    assert!(jumped(&controller, 0.15));
}

#[test]
fn replaced_animations_switch_inertially_where_the_list_states() {
    let mut controller = controller(&[1.0, 1.0]);
    controller.play_new(looped(&controller, 0), 0.0).unwrap();
    let list = [looped(&controller, 1)];
    controller.replace_animations(&list, 0.1, 0.2, &[]).unwrap();
    assert_eq!(fade(&controller, 0), [0.0, 0.0, 0.0]);
    assert_eq!(fade(&controller, 1), [1.0, 1.0, 0.0]);
    assert_eq!(
        (time(&controller, 1), controller.inertial_switch().seconds),
        (0.1, 0.2)
    );
}

#[test]
fn bytes_and_differences_keep_sync_groups_and_switches() {
    let mut state = state_of(vec![control::odd(), control::odd_second()]);
    state.animations[0].sync_group = "Füße".into();
    state.animations[1].fade_mode = FadeMode::Inertial;
    state.inertial_switch = InertialSwitch {
        count: 300,
        seconds: 0.25,
    };
    let bytes = state.to_bytes(&set());
    assert_eq!(
        ControllerState::from_bytes(&bytes, &set()),
        Ok(state.clone())
    );
    for end in 0..bytes.len() {
        assert!(ControllerState::from_bytes(&bytes[..end], &set()).is_err());
    }

    for base in [
        ControllerState::default(),
        busy().state().clone(),
        state.clone(),
    ] {
        for to in [&state, &ControllerState::default(), busy().state()] {
            let diff = to.diff(&base);
            let bytes = diff.to_bytes(&base, &set()).unwrap();
            let read = ControllerDiff::from_bytes(&bytes, &base, &set()).unwrap();
            assert_eq!(read, diff);
            let mut applied = base.clone();
            applied.apply_diff(&read).unwrap();
            assert_eq!(&applied, to);
        }
    }
}

#[test]
fn the_byte_layout_of_an_inertial_switch_is_fixed() {
    let walk = AnimationParameters::new(&set(), A).looped().time(0.5);
    let mut state = state_of(vec![walk.sync_group("feet").inertial()]);
    state.inertial_switch = InertialSwitch {
        count: 3,
        seconds: 0.25,
    };
    let mut expected = vec![1];
    expected.extend(0x7623_14f1_u32.to_le_bytes());
    // Revision 5, a switch, dirty; three switches so far.
    expected.extend([5 << 2 | 2 | 1, 3]);
    expected.extend(0.25_f32.to_le_bytes());
    // Looped, time; sync group, inertial.
    expected.extend([1, 0, 0x83, 0x80, 0x60]);
    expected.extend(0.5_f32.to_le_bytes());
    expected.extend(b"\x04feet");
    assert_eq!(state.to_bytes(&set()), expected);
}

/// A body that two motions swing, differently.
fn swung() -> (Arc<Skeleton>, Arc<AnimationSet>) {
    let skeleton = Arc::new(bent_figure());
    let mut set = AnimationSet::new();
    let motion = swinging(&skeleton, 60.0, 121);
    set.add_as("first", motion.clone()).unwrap();
    let mut other = motion;
    for track in &mut other.tracks {
        let keys = track.rotation.take().unwrap();
        let keys: Vec<_> = keys.values().iter().rev().copied().collect();
        let times = sinew::animation::KeyTimes::uniform(60.0, keys.len()).unwrap();
        let channel =
            sinew::animation::Channel::new(times, keys, sinew::animation::Interpolation::Cubic);
        track.rotation = Some(channel.unwrap());
    }
    set.add_as("second", other).unwrap();
    let mask = Mask::subtree_ramp(&skeleton, "lthigh", 2).unwrap();
    set.set_mask("leg", mask);
    (skeleton, Arc::new(set))
}

fn farthest(a: &Pose, b: &Pose) -> f32 {
    let joints = (0..a.len()).map(|index| {
        let (a, b) = (a.get(index.into()), b.get(index.into()));
        let moved = (a.position - b.position).length();
        moved.max(quat_angle(a.rotation, b.rotation))
    });
    joints.fold(0.0, f32::max)
}

#[test]
fn inertial_switches_leave_the_pose_continuous() {
    let (skeleton, set) = swung();
    let mut binding = PoseBinding::new(&set, &skeleton);
    let mut inertia = Inertia::new(&skeleton);
    let mut controller = AnimationController::new(set.clone());
    let mut pose = Pose::rest(&skeleton);
    let mut cut = Pose::rest(&skeleton);
    let mut dice = Dice(4);
    controller.play_new(looped(&controller, 0), 0.0).unwrap();
    let dt = 1.0 / 120.0;
    let (mut last, mut last_cut) = (pose.clone(), cut.clone());
    let (mut worst, mut worst_cut) = (0.0_f32, 0.0_f32);
    let above = looped(&controller, 1).layer(1).mask("leg");
    for index in 0..2400 {
        if dice.chance(30) {
            let next = looped(&controller, dice.below(2) as u32).time(dice.ratio());
            controller.play_new_exclusive(next, 0.25).unwrap();
        }
        if dice.chance(60) {
            controller
                .play_new(above.clone().time(dice.ratio()), 0.2)
                .unwrap();
        }
        if dice.chance(60) {
            controller.stop_layer(1, 0.2);
        }
        controller.update(dt);
        binding
            .apply_smooth(&controller, &mut inertia, dt, &mut pose)
            .unwrap();
        binding.apply(&controller, &mut cut).unwrap();
        if index > 2 {
            worst = worst.max(farthest(&last, &pose));
            worst_cut = worst_cut.max(farthest(&last_cut, &cut));
        }
        last.copy_from(&pose);
        last_cut.copy_from(&cut);
    }
    println!("{worst} {worst_cut}");
    assert!(worst < 0.2 && worst_cut > 0.5, "{worst} {worst_cut}");
}

#[test]
fn joints_that_nothing_moves_come_to_rest() {
    let (skeleton, set) = swung();
    let mut binding = PoseBinding::new(&set, &skeleton);
    let mut inertia = Inertia::new(&skeleton);
    let mut controller = AnimationController::new(set.clone());
    let mut pose = Pose::rest(&skeleton);
    binding
        .apply_smooth(&controller, &mut inertia, 0.01, &mut pose)
        .unwrap();
    controller
        .play_new(looped(&controller, 0).start_bone("lthigh"), 0.25)
        .unwrap();
    for _ in 0..50 {
        controller.update(0.01);
        binding
            .apply_smooth(&controller, &mut inertia, 0.01, &mut pose)
            .unwrap();
    }
    controller.stop_all(0.25);
    let spine = skeleton.find("spine").unwrap();
    for _ in 0..50 {
        controller.update(0.01);
        binding
            .apply_smooth(&controller, &mut inertia, 0.01, &mut pose)
            .unwrap();
        assert_eq!(pose.get(spine), Pose::rest(&skeleton).get(spine));
    }
    let stopped = pose.clone();
    binding
        .apply_smooth(&controller, &mut inertia, 0.01, &mut pose)
        .unwrap();
    assert_eq!(pose, stopped);
}

#[test]
fn the_pose_returns_smoothly_after_a_layer_ends() {
    for is_inertial in [false, true] {
        let (skeleton, set) = swung();
        let mut binding = PoseBinding::new(&set, &skeleton);
        let mut inertia = Inertia::new(&skeleton);
        let mut player = AnimationController::new(set.clone());
        let [mut pose, mut below] = [Pose::rest(&skeleton), Pose::rest(&skeleton)];
        let mut legs = AnimationController::new(set.clone());
        for controller in [&mut player, &mut legs] {
            controller
                .play_new(play(controller, A).looped(), 0.0)
                .unwrap();
        }
        let mut once = play(&player, B).layer(1).mask("leg").auto_fade_out(0.25);
        once = once.time_range(0.0, 1.0);
        if is_inertial {
            once = once.inertial();
        }
        player.update(0.1);
        legs.update(0.1);
        player.play_new(once, 0.25).unwrap();
        let (mut last, mut apart) = (None::<Pose>, 0.0_f32);
        for _ in 0..170 {
            player.update(0.01);
            legs.update(0.01);
            binding
                .apply_smooth(&player, &mut inertia, 0.01, &mut pose)
                .unwrap();
            binding.apply(&legs, &mut below).unwrap();
            apart = apart.max(farthest(&pose, &below));
            if let Some(last) = &last {
                assert!(farthest(last, &pose) < 0.1);
            }
            last = Some(pose.clone());
        }
        assert!(apart > 0.3);
        assert_eq!(pose, below);
    }
}

/// A motion of random keys, without a function of the machine's own.
fn random(dice: &mut Dice, skeleton: &Skeleton, name: &str, length: f32) -> sinew::Animation {
    let mut animation = sinew::Animation::new(name, length);
    for joint in skeleton.joints() {
        let mut number = || dice.ratio() - 0.5;
        let times = (0..=8).map(|index| index as f32 * 0.125 * length);
        let keys: Vec<_> = times
            .map(|time| {
                let q = [number(), number(), number(), 1.0];
                (time, Quat::from_array(q))
            })
            .collect();
        let places: Vec<_> = keys
            .iter()
            .map(|(time, q)| (*time, Vec3::new(q.x, q.y, q.z)))
            .collect();
        let mut track = sinew::animation::TransformTrack::new(&joint.name);
        let line = sinew::animation::Interpolation::Linear;
        track.rotation = Some(sinew::animation::Channel::from_keys(keys, line).unwrap());
        track.position = Some(sinew::animation::Channel::from_keys(places, line).unwrap());
        animation.set_track(track);
    }
    animation
}

#[test]
fn the_bits_are_the_same_everywhere() {
    let mut dice = Dice(1);
    let skeleton = Arc::new(motion::figure());
    let mut set = AnimationSet::new();
    for (name, length) in [("first", 1.0), ("second", 0.75), ("third", 1.5)] {
        set.add(random(&mut dice, &skeleton, name, length)).unwrap();
    }
    let mask = Mask::subtree_ramp(&skeleton, "lthigh", 2).unwrap();
    set.set_mask("leg", mask);
    let set = Arc::new(set);
    let mut binding = PoseBinding::new(&set, &skeleton);
    binding.root = Some(0.into());
    let mut inertia = Inertia::new(&skeleton);
    let mut controller = AnimationController::new(set.clone());
    let mut pose = Pose::rest(&skeleton);
    let (mut hash, mut place) = (0xcbf2_9ce4_8422_2325_u64, GroundTransform::IDENTITY);
    for frame in 0..600 {
        if frame % 35 == 0 {
            let next = looped(&controller, frame / 35 % 3).sync_group("legs");
            controller.play_existing_exclusive(next, 0.25).unwrap();
        }
        if frame % 90 == 0 {
            let cross = play(&controller, C)
                .looped()
                .sync_group("legs")
                .layer(1)
                .mask("leg");
            controller.play_new_exclusive(cross, 0.3).unwrap();
        }
        controller.update(1.0 / 60.0);
        binding
            .apply_smooth(&controller, &mut inertia, 1.0 / 60.0, &mut pose)
            .unwrap();
        let step = inertia.smooth_root(binding.root_motion(&controller), 1.0 / 60.0);
        place = step.then(&place);
        let joints = (0..pose.len()).map(|index| pose.get(index.into()));
        let numbers = joints.flat_map(|transform| {
            let [a, b, c] = transform.position.to_array();
            let [x, y, z, w] = transform.rotation.to_array();
            [a, b, c, x, y, z, w].map(f32::to_bits).map(u64::from)
        });
        let places = [place.angle, place.x, place.z].map(f64::to_bits);
        for number in numbers.chain(places) {
            hash = (hash ^ number).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
    assert_eq!(hash, 0x1934_0b8a_6be3_6f78);
}

#[test]
fn nothing_allocates() {
    let (skeleton, set) = swung();
    let mut binding = PoseBinding::new(&set, &skeleton);
    binding.root = Some(0.into());
    let mut inertia = Inertia::new(&skeleton);
    let mut controller = AnimationController::new(set.clone());
    let mut pose = Pose::rest(&skeleton);
    let [first, second] = [0, 1].map(|animation| looped(&controller, animation).sync_group("legs"));
    let above = play(&controller, B)
        .layer(1)
        .mask("leg")
        .auto_fade_out(0.1)
        .inertial();
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
            controller.play_new(above.clone(), 0.2).unwrap();
        }
        controller.update(1.0 / 60.0);
        binding
            .apply_smooth(&controller, &mut inertia, 1.0 / 60.0, &mut pose)
            .unwrap();
        let step = binding.root_motion(&controller);
        inertia.smooth_root(step, 1.0 / 60.0);
    };
    (0..1000).for_each(&mut tick);
    assert_eq!(
        counting::allocations(|| (1000..2000).for_each(&mut tick)),
        0
    );
}

/// A one-shot that fades inertially, without an automatic fade-out: when it ends and is removed, the body transitions back
/// to what plays below instead of popping there in one frame.
#[test]
fn an_inertial_one_shot_does_not_pop_at_its_end() {
    let (skeleton, set) = swung();
    for layer in [0, 1] {
        let mut binding = PoseBinding::new(&set, &skeleton);
        let mut inertia = Inertia::new(&skeleton);
        let mut player = AnimationController::new(set.clone());
        let mut pose = Pose::rest(&skeleton);
        player.play_new(looped(&player, 0), 0.0).unwrap();
        let dt = 1.0 / 120.0;
        let once = AnimationParameters::new(&set, B).inertial().layer(layer);
        let jumps = |controller: &AnimationController| controller.inertial_switch().count;
        let (mut last, mut worst) = (None::<Pose>, 0.0_f32);
        for index in 0..480 {
            if index == 60 {
                player.play_new(once.clone(), 0.2).unwrap();
                assert_eq!(jumps(&player), 1);
            }
            player.update(dt);
            binding
                .apply_smooth(&player, &mut inertia, dt, &mut pose)
                .unwrap();
            if let Some(last) = &last {
                worst = worst.max(farthest(last, &pose));
            }
            last = Some(pose.clone());
        }
        assert_eq!((player.num_animations(), jumps(&player)), (1, 2));
        // A pop would be as large as the two motions are apart.
        assert!(worst < 0.2, "layer {layer}: {worst}");
    }
    // What stays at its end, or is not seen, does not switch.
    let mut controller = AnimationController::new(set.clone());
    let once = AnimationParameters::new(&set, B).inertial();
    controller
        .play_new(once.clone().keep_on_completion(), 0.0)
        .unwrap();
    controller.play_new(once.weight(0.0), 0.0).unwrap();
    controller.update(30.0);
    assert_eq!(controller.inertial_switch().count, 0);
}

/// Everything that changes as a character is played, saved in one call at any step of a sequence of fades, inertial
/// switches, root motion and foot cleaning, and restored by another call: both continue with the same bits.
#[test]
fn a_character_saved_and_restored_at_any_step_continues_to_the_bit() {
    let (skeleton, set) = swung();
    let mut binding = PoseBinding::new(&set, &skeleton);
    binding.root = Some(0.into());
    let mut dice = Dice(11);
    let mut character = Character::new(&set, &skeleton);
    character.feet = Some(FootLock::new(&skeleton, FootLockSettings::default()));
    let step = |character: &mut Character, binding: &mut PoseBinding, index: u64| {
        if index % 17 == 3 {
            let next = AnimationParameters::new(&set, ((index / 17 % 2) as usize).into());
            let next = if index.is_multiple_of(3) {
                next.inertial()
            } else {
                next
            };
            let next = next.looped().layer((index / 17 % 3 == 1).into());
            let _ = character.controller.play_existing_exclusive(next, 0.2);
        }
        let cue = |planted: bool| FootCue {
            is_planted: planted,
            plants_in: 0.05,
            ground: Some(0.0),
        };
        character.update(binding, 1.0 / 60.0).unwrap();
        let cues = [cue(index % 20 < 9), cue(index % 20 > 11)];
        character.clean_feet(&skeleton, 1.0 / 60.0, &cues).unwrap();
    };
    for index in 0..240 {
        step(&mut character, &mut binding, index);
        if !dice.chance(5) {
            continue;
        }
        let bytes = character.to_bytes(&skeleton);
        let mut other = Character::from_bytes(&bytes, &set, &skeleton).unwrap();
        assert_eq!(other.to_bytes(&skeleton), bytes);
        assert_eq!(other.inertia, character.inertia);
        let mut copy = character.clone();
        for later in 1..40 {
            step(&mut copy, &mut binding, index + later);
            step(&mut other, &mut binding, index + later);
            assert_eq!(copy.pose, other.pose, "{index} {later}");
            assert_eq!(copy.place, other.place);
            assert_eq!(copy.inertia, other.inertia);
            assert_eq!(copy.controller.state(), other.controller.state());
        }
        // What is cut off, or goes on, is refused and changes nothing.
        let before = other.to_bytes(&skeleton);
        for end in 0..bytes.len() {
            assert!(other.restore(&bytes[..end], &skeleton).is_err(), "{end}");
        }
        assert!(
            other
                .restore(&[&bytes[..], &[0]].concat(), &skeleton)
                .is_err()
        );
        assert_eq!(other.to_bytes(&skeleton), before);
    }
}

/// The bytes of inertia: small, refused where they are damaged, never a panic.
#[test]
fn inertia_has_compact_bytes() {
    let skeleton = bent_figure();
    let mut inertia = Inertia::new(&skeleton);
    assert!(inertia.to_bytes(&skeleton).len() < 24);
    let mut pose = Pose::rest(&skeleton);
    let motion = swinging(&skeleton, 60.0, 121);
    let mut sampler = sinew::Sampler::new(&skeleton, &motion);
    let mut dice = Dice(5);
    for index in 0..200 {
        if index % 40 == 20 {
            inertia.switch(0.25);
        }
        let time = if index % 80 < 40 { 0.0 } else { 1.0 } + index as f32 / 200.0;
        pose.copy_from(sampler.pose_at(time));
        inertia.apply(&mut pose, 1.0 / 60.0).unwrap();
        let bytes = inertia.to_bytes(&skeleton);
        assert_eq!(Inertia::from_bytes(&bytes, &skeleton), Ok(inertia.clone()));
        // 204 bytes per joint as it is in memory.
        let most = if inertia.is_running() { 120 } else { 50 };
        assert!(
            bytes.len() < 30 + most * skeleton.len(),
            "{index}: {}",
            bytes.len()
        );
        let mut damaged = bytes.clone();
        let place = dice.below(bytes.len() as u64) as usize;
        damaged[place] ^= 1 << dice.below(8);
        if let Ok(mut other) = Inertia::from_bytes(&damaged, &skeleton) {
            other.apply(&mut pose.clone(), 0.1).unwrap();
        }
        assert!(Inertia::from_bytes(&bytes[..place], &skeleton).is_err());
    }
    let other = motion::figure();
    let fewer = Skeleton::new(other.joints()[..3].to_vec()).unwrap();
    assert!(Inertia::from_bytes(&inertia.to_bytes(&skeleton), &fewer).is_err());
}
