//! What animations move a character over the ground.

use control::{A, B, Dice, play};
use motion::{figure, turn};
use sinew::animation::{Channel, Interpolation, KeyTimes, LoopMotion, TransformTrack};
use sinew::control::Mask;
use sinew::glam::{Quat, Vec3};
use sinew::math::GroundTransform;
use sinew::math::{quat_angle, quat_mul};
use sinew::{
    Animation, AnimationController, AnimationParameters, AnimationSet, JointIndex, Pose,
    PoseBinding, Skeleton, Transform,
};
use sinew_author::compress::{CompressSettings, Profile, compress};
use sinew_testing::control;
use sinew_testing::ground::between;
use sinew_testing::motion;
use std::f32::consts::TAU;
use std::sync::Arc;

const ROOT: JointIndex = JointIndex(0);

/// A walk at a speed on a curve, from anywhere, swaying and nodding.
fn walk(name: &str, speed: f32, curve: f32, length: f32) -> Animation {
    let times = KeyTimes::uniform(120.0, (length * 120.0).round() as usize + 1).unwrap();
    let mut animation = Animation::new(name, times.last());
    animation.frame_rate = Some(120.0);
    let (mut positions, mut rotations) = (Vec::new(), Vec::new());
    let mut place = Vec3::new(3.0, 1.0, -7.0);
    for time in times.iter() {
        let angle = 0.7 + curve * time;
        let ahead = Vec3::new(angle.sin(), 0.0, angle.cos());
        let part = (time / length * TAU).sin();
        positions.push(place + Vec3::new(0.02 * part, 0.05 * part, 0.0));
        let nod = turn(Vec3::X, 0.1 * part);
        rotations.push(quat_mul(turn(Vec3::Y, angle), nod));
        place += ahead * (speed / 120.0);
    }
    let mut track = TransformTrack::new("hips");
    let line = Interpolation::Linear;
    track.position = Some(Channel::new(times.clone(), positions, line).unwrap());
    track.rotation = Some(Channel::new(times, rotations, line).unwrap());
    animation.set_track(track);
    animation
}

struct Walker {
    skeleton: Arc<Skeleton>,
    set: Arc<AnimationSet>,
    controller: AnimationController,
    binding: PoseBinding,
    pose: Pose,
    place: GroundTransform,
}

impl Walker {
    fn new(set: AnimationSet) -> Self {
        let (skeleton, set) = (Arc::new(figure()), Arc::new(set));
        let mut binding = PoseBinding::new(&set, &skeleton);
        binding.root = Some(ROOT);
        Self {
            controller: AnimationController::new(set.clone()),
            pose: Pose::rest(&skeleton),
            place: GroundTransform::IDENTITY,
            skeleton,
            set,
            binding,
        }
    }

    fn of(animations: impl IntoIterator<Item = Animation>) -> Self {
        let mut set = AnimationSet::new();
        for animation in animations {
            set.add(animation).unwrap();
        }
        Self::new(set)
    }

    fn play(&mut self, how: impl FnOnce(AnimationParameters) -> AnimationParameters) {
        let parameters = how(play(&self.controller, A).looped());
        self.controller.play_new(parameters, 0.0).unwrap();
    }

    fn update(&mut self, dt: f32) {
        self.controller.update(dt);
        self.binding
            .apply(&self.controller, &mut self.pose)
            .unwrap();
        self.place = self.binding.root_motion(&self.controller).then(&self.place);
    }

    fn distance(&self) -> f64 {
        libm_hypot(self.place.x, self.place.z)
    }
}

fn libm_hypot(x: f64, z: f64) -> f64 {
    (x * x + z * z).sqrt()
}

#[test]
fn without_root_motion_the_pose_travels() {
    let mut walker = Walker::of([walk("walk", 1.4, 0.0, 1.0)]);
    for root in [None, Some(JointIndex(99))] {
        walker.binding.root = root;
        walker.play(|parameters| parameters);
        walker.update(0.5);
        assert_eq!(walker.place, GroundTransform::IDENTITY);
        assert!(walker.pose.position(ROOT).z < -6.0);
    }
    // A joint that is not moved does not move.
    walker.binding.root = walker.skeleton.find("spine");
    walker.update(0.5);
    assert_eq!(walker.place, GroundTransform::IDENTITY);
}

/// What root motion takes out of the pose it adds to the place of the character: the root joint is in the world where the
/// clip has it. Sway and yaw stay in the pose, so that the character goes straight.
#[test]
fn root_motion_and_pose_together_equal_the_clip() {
    for curve in [0.0, 0.9] {
        let animation = walk("walk", 1.4, curve, 2.0);
        let mut walker = Walker::of([animation.clone()]);
        walker.play(|parameters| parameters);
        let channels = &animation.tracks[0];
        let (position, rotation) = (channels.position.as_ref(), channels.rotation.as_ref());
        let at = |time: f32| Transform {
            position: position.unwrap().sample(time),
            rotation: rotation.unwrap().sample(time),
            scale: Vec3::ONE,
        };
        // Wherever the character starts, it stays as far from the clip as it is at first.
        let mut offset = None;
        let mut beside = 0.0_f32;
        for _ in 0..190 {
            walker.update(0.01);
            let pose = walker.pose.get(ROOT);
            beside = beside.max(pose.position.x.abs().max(pose.position.z.abs()));
            let shown = walker.place.move_transform(&pose);
            let time = walker.controller.animations()[0].time.value();
            let there = offset.get_or_insert_with(|| between(&shown, &at(time)));
            let moved = there.move_transform(&shown);
            assert!((moved.position - at(time).position).length() < 1e-5);
            assert!(quat_angle(moved.rotation, at(time).rotation) < 2e-5);
        }
        assert!((0.005..0.1).contains(&beside), "{beside}");
    }
}

/// A pelvis that turns ten degrees to either side with every step, sways and bobs, of someone who goes straight ahead.
fn stepping(name: &str, length: f32, seconds_per_stride: f32) -> Animation {
    let times = KeyTimes::uniform(60.0, (length * 60.0).round() as usize + 1).unwrap();
    let (mut positions, mut rotations) = (Vec::new(), Vec::new());
    for time in times.iter() {
        let phase = time / seconds_per_stride * TAU;
        let sway = 0.03 * phase.sin();
        positions.push(Vec3::new(
            sway,
            1.0 + 0.02 * (2.0 * phase).sin(),
            1.4 * time,
        ));
        rotations.push(turn(Vec3::Y, 0.17 * (phase + 0.6).sin()));
    }
    let mut animation = Animation::new(name, times.last());
    let mut track = TransformTrack::new("hips");
    let line = Interpolation::Linear;
    track.position = Some(Channel::new(times.clone(), positions, line).unwrap());
    track.rotation = Some(Channel::new(times, rotations, line).unwrap());
    animation.set_track(track);
    animation
}

/// Starting and stopping a straight walk forty times, as a loop and as a clip that is not a loop, with and without
/// compression, leaves the character facing as it did at first, and while it walks its heading does not wobble.
#[test]
fn forty_starts_and_stops_of_a_straight_walk_do_not_turn_the_character() {
    let still = {
        let mut still = walk("still", 0.0, 0.0, 1.0);
        let track = &mut still.tracks[0];
        track.position = Some(Channel::constant(Vec3::new(5.0, 1.0, 2.0)).unwrap());
        track.rotation = Some(Channel::constant(turn(Vec3::Y, 0.4)).unwrap());
        still
    };
    for (length, looped) in [(1.1, true), (3.3, true), (2.9, false)] {
        for packed in [false, true] {
            let (skeleton, clip) = (Arc::new(figure()), stepping("walk", length, 1.1));
            let mut set = AnimationSet::new();
            if packed {
                let packed = compress(&skeleton, &clip, &CompressSettings::default()).unwrap();
                set.add_packed(packed, &skeleton).unwrap();
            } else {
                set.add(clip).unwrap();
            }
            set.add(still.clone()).unwrap();
            let mut walker = Walker::new(set);
            let mut dice = Dice(3);
            let mut worst = 0.0_f64;
            for _ in 0..40 {
                for animation in [A, B] {
                    let parameters = AnimationParameters {
                        looped: looped || animation == B,
                        ..play(&walker.controller, animation)
                    };
                    let parameters = parameters.keep_on_completion();
                    walker
                        .controller
                        .play_existing_exclusive(parameters, 0.2)
                        .unwrap();
                    for _ in 0..40 + dice.below(60) {
                        walker.update(1.0 / 60.0);
                        worst = worst.max(walker.place.angle.abs());
                    }
                }
            }
            assert!(worst.to_degrees() < 1.0, "{length} {packed}: {worst}");
            assert!(walker.distance() > 30.0);
            assert!(
                walker.place.x.abs() < 0.05 * walker.place.z,
                "{:?}",
                walker.place
            );
        }
    }
}

/// A clip that turns one and a half times in a second, updated once a second: the turn keeps its direction and amount,
/// to the left and to the right, forwards and backwards.
#[test]
fn turns_of_more_than_half_a_turn_in_one_update_keep_direction_and_amount() {
    for curve in [9.4_f32, -9.4, 4.0, -4.0] {
        for speed in [1.0, -1.0] {
            for dt in [0.4_f32, 0.9, 5.7] {
                let mut walker = Walker::of([walk("turn", 0.5, curve, 1.0)]);
                walker.play(|parameters| parameters.speed(speed).time(0.5));
                walker.controller.update(dt);
                let step = walker.binding.root_motion(&walker.controller);
                let expected = f64::from(curve * speed * dt);
                assert!(
                    (step.angle - expected).abs() < 0.03 * expected.abs(),
                    "{curve} {speed} {dt}: {step:?}"
                );
            }
        }
    }
}

/// A loop that was put on the spot says how far a cycle carries the character; root motion does so, and the pose is the
/// one of the keys.
#[test]
fn an_in_place_loop_moves_by_its_ground_motion() {
    for angle in [0.0, 0.8] {
        let per_cycle = GroundTransform {
            angle,
            x: 0.3,
            z: 1.4,
        };
        let mut clip = stepping("walk", 1.1, 1.1);
        let track = &mut clip.tracks[0];
        let keys = track.position.take().unwrap();
        let values = keys
            .values()
            .iter()
            .map(|point| Vec3::new(point.x, point.y, 0.0));
        let channel = Channel::new(
            keys.times().clone(),
            values.collect(),
            Interpolation::Linear,
        );
        track.position = Some(channel.unwrap());
        let looping = LoopMotion {
            per_cycle,
            in_place: true,
        };
        clip.looping = Some(looping);
        let (position, rotation) = {
            let track = clip.tracks[0].clone();
            (track.position.unwrap(), track.rotation.unwrap())
        };
        let mut walker = Walker::of([clip]);
        walker.play(|parameters| parameters);
        let mut offset = None;
        for frame in 1..=300 {
            walker.update(1.0 / 60.0);
            let shown = walker.place.move_transform(&walker.pose.get(ROOT));
            let time = walker.controller.animations()[0].time.value();
            let whole = looping.placement(f64::from(frame) / 66.0);
            let expected = whole.move_transform(&Transform {
                position: position.sample(time),
                rotation: rotation.sample(time),
                scale: Vec3::ONE,
            });
            let there = offset.get_or_insert_with(|| between(&shown, &expected));
            let moved = there.move_transform(&shown);
            assert!(
                (moved.position - expected.position).length() < 1e-3,
                "{frame}"
            );
            assert!(
                quat_angle(moved.rotation, expected.rotation) < 1e-3,
                "{frame}"
            );
        }
    }
}

/// The trajectory of a clip can be asked for: how far it goes and how much it turns, without sway.
#[test]
fn a_set_knows_the_root_trajectories_of_its_clips() {
    let mut set = AnimationSet::new();
    let straight = set.add(stepping("walk", 2.2, 1.1)).unwrap();
    let circle = set.add(walk("circle", 1.0, 1.5, 2.0)).unwrap();
    let none = set.add(Animation::new("none", 1.0)).unwrap();
    let whole = set.root_trajectory(straight).unwrap().displacement();
    assert!(
        (whole.z - 1.4 * 2.2).abs() < 1e-3 && whole.x.abs() < 1e-3,
        "{whole:?}"
    );
    assert!(whole.angle.abs() < 1e-6);
    let trajectory = set.root_trajectory(circle).unwrap();
    assert!((trajectory.displacement().angle - 3.0).abs() < 1e-3);
    assert_eq!(trajectory.at(f32::NAN), trajectory.at(0.0));
    assert_eq!(trajectory.at(f32::INFINITY), trajectory.at(2.0));
    assert_eq!(trajectory.at(-1.0), trajectory.at(0.0));
    assert!(set.root_trajectory(none).is_none());
}

#[test]
fn a_hundred_loops_travel_a_hundred_times_as_far_as_one() {
    for profile in [None, Some(Profile::Fast), Some(Profile::Small)] {
        let mut set = AnimationSet::new();
        let animation = walk("walk", 1.37, 0.0, 1.1);
        match profile {
            None => set.add(animation).unwrap(),
            Some(profile) => {
                let skeleton = Arc::new(figure());
                let settings = CompressSettings {
                    profile,
                    ..CompressSettings::default()
                };
                let packed = compress(&skeleton, &animation, &settings).unwrap();
                set.add_packed(packed, &skeleton).unwrap()
            }
        };
        let length = set.length(A).unwrap();
        let mut walker = Walker::new(set);
        walker.play(|parameters| parameters);
        let mut once = None;
        let mut dice = Dice(8);
        let mut seconds = 0.0_f64;
        while seconds < f64::from(length) * 100.0 {
            let left = f64::from(length) * 100.0 - seconds;
            let to_first = f64::from(length) - seconds;
            let mut dt = (0.002 + 0.04 * f64::from(dice.ratio())).min(left);
            if once.is_none() {
                dt = dt.min(to_first);
            }
            walker.update(dt as f32);
            seconds += dt;
            if once.is_none() && seconds >= f64::from(length) {
                once = Some(walker.distance());
            }
        }
        let expected = once.unwrap() * 100.0;
        let found = walker.distance();
        println!("{profile:?}: {found} {expected}");
        assert!((found - expected).abs() < 1e-4 * expected);
        assert!((expected - 137.0 * f64::from(length)).abs() < 0.2);
    }
}

#[test]
fn root_motion_does_not_depend_on_the_length_of_updates() {
    for (curve, speed) in [(0.0, 1.0), (1.3, 1.0), (0.4, -1.0)] {
        let ends = [1, 7, 400].map(|count| {
            let mut walker = Walker::of([walk("walk", 1.4, curve, 0.9)]);
            walker.play(|parameters| parameters.speed(speed).time(0.25));
            for _ in 0..count {
                walker.update(20.0 / count as f32);
            }
            walker.place
        });
        for end in &ends[1..] {
            let apart = libm_hypot(end.x - ends[0].x, end.z - ends[0].z);
            assert!(apart < 2e-3, "{curve} {speed}: {ends:?}");
            let turned = (end.angle - ends[0].angle) / std::f64::consts::TAU;
            assert!((turned - turned.round()).abs() < 1e-4, "{ends:?}");
        }
    }
}

#[test]
fn forward_and_backward_play_returns_to_the_start() {
    let mut walker = Walker::of([walk("walk", 1.4, 0.8, 1.0)]);
    walker.play(|parameters| parameters.time(0.3));
    for speed in [1.0, -1.0] {
        walker.controller.update_animation_speed(A, speed);
        for _ in 0..333 {
            walker.update(0.0123);
        }
        if speed > 0.0 {
            assert!(walker.distance() > 0.5);
        }
    }
    let end = walker.place;
    println!("{end:?}");
    assert!(walker.distance() < 1e-5, "{end:?}");
    // There and back is no way at all.
    let mut walker = Walker::of([walk("walk", 1.4, 0.8, 1.0)]);
    walker.play(AnimationParameters::ping_pong);
    for _ in 0..200 {
        walker.update(0.05);
    }
    assert!(walker.distance() < 1e-4, "{:?}", walker.place);
    walker.update(2.75);
    assert!(walker.distance() > 0.5);
}

#[test]
fn root_motion_is_blended_as_poses_are() {
    // One goes ahead, the other turns on the spot, far away from each other.
    let mut walker = Walker::of([walk("walk", 2.0, 0.0, 1.0), walk("turn", 0.0, 1.0, 1.0)]);
    let other = play(&walker.controller, B).looped();
    walker.play(|parameters| parameters);
    walker.update(0.5);
    walker.controller.play_new_exclusive(other, 0.5).unwrap();
    let mut last = 1.0 / 30.0;
    for _ in 0..30 {
        walker.controller.update(1.0 / 60.0);
        let step = walker.binding.root_motion(&walker.controller);
        let far = libm_hypot(step.x, step.z);
        assert!(far < last + 0.003 && far < 0.04, "{far}");
        last = far;
    }
    assert!(last < 0.004, "{last}");
    // What moves a part of the body does not move all of it.
    let mut set = AnimationSet::clone(&walker.set);
    let skeleton = walker.skeleton.clone();
    set.set_mask("spine", Mask::subtree(&skeleton, "spine").unwrap());
    set.set_mask("half", Mask::all().with("hips", 0.5));
    let mut walker = Walker::new(set);
    let above = play(&walker.controller, B).looped().layer(1);
    walker.play(|parameters| parameters);
    walker
        .controller
        .play_new(above.clone().mask("spine"), 0.0)
        .unwrap();
    walker.update(0.5);
    assert!(walker.place.angle.abs() < 1e-6 && (walker.distance() - 1.0).abs() < 0.05);
    walker.controller.stop(B, 0.0);
    walker.controller.update(0.0);
    walker.controller.play_new(above.mask("half"), 0.0).unwrap();
    walker.place = GroundTransform::IDENTITY;
    walker.update(0.4);
    assert!(
        (walker.place.angle - 0.2).abs() < 1e-3,
        "{:?}",
        walker.place
    );
}

#[test]
fn an_animation_that_ends_contributes_its_last_root_motion() {
    let mut walker = Walker::of([walk("walk", 2.0, 0.0, 1.0)]);
    walker.play(|parameters| AnimationParameters {
        looped: false,
        ..parameters
    });
    for _ in 0..4 {
        walker.update(0.3);
    }
    assert_eq!(walker.controller.num_animations(), 0);
    assert!((walker.distance() - 2.0).abs() < 0.02, "{:?}", walker.place);
    // Removed by hand it has gone that way too.
    walker.play(|parameters| parameters);
    walker.controller.update(0.25);
    let step = walker.binding.root_motion(&walker.controller);
    walker.controller.remove_animation(0).unwrap();
    assert_eq!(walker.binding.root_motion(&walker.controller), step);
    walker.controller.update(0.25);
    let none = walker.binding.root_motion(&walker.controller);
    assert_eq!(none, GroundTransform::IDENTITY);
}

#[test]
fn packed_and_keyed_animations_have_the_same_root_motion() {
    let skeleton = Arc::new(figure());
    let animations = [walk("walk", 1.4, 0.5, 1.0), walk("run", 3.0, -0.3, 0.7)];
    let mut packed = AnimationSet::new();
    for animation in &animations {
        let settings = CompressSettings::default();
        let packed_clip = compress(&skeleton, animation, &settings).unwrap();
        packed.add_packed(packed_clip, &skeleton).unwrap();
    }
    let mut both = [Walker::of(animations), Walker::new(packed)];
    for walker in &mut both {
        walker.play(|parameters| parameters);
        walker.update(0.4);
        let other = play(&walker.controller, B).looped();
        walker.controller.play_new_exclusive(other, 0.5).unwrap();
    }
    for _ in 0..200 {
        for walker in &mut both {
            walker.update(0.013);
        }
        let [a, b] = [&both[0], &both[1]];
        let apart = libm_hypot(a.place.x - b.place.x, a.place.z - b.place.z);
        assert!(apart < 0.01, "{apart}");
        let [p, q] = [a.pose.get(ROOT), b.pose.get(ROOT)];
        assert!((p.position - q.position).length() < 1e-3);
        assert!(quat_angle(p.rotation, q.rotation) < 2e-3);
        assert!(q.position.x.abs() < 0.05);
    }
}

#[test]
fn whole_body_and_joint_by_joint_root_motion_are_bit_identical() {
    let skeleton = Arc::new(figure());
    let mut set = AnimationSet::new();
    for animation in [walk("walk", 1.4, 0.5, 1.0), walk("run", 3.0, -0.3, 0.7)] {
        let packed = compress(&skeleton, &animation, &CompressSettings::default()).unwrap();
        set.add_packed(packed, &skeleton).unwrap();
    }
    set.set_mask("all", Mask::all());
    let mut both = [Walker::new(set.clone()), Walker::new(set)];
    for (walker, mask) in both.iter_mut().zip(["", "all"]) {
        walker.play(|parameters| parameters.mask(mask));
        let other = play(&walker.controller, B).looped().mask(mask);
        walker.controller.play_new(other.clone(), 0.5).unwrap();
        let added = other.additive().layer(1).weight(0.3);
        walker.controller.play_new(added, 0.0).unwrap();
    }
    for _ in 0..100 {
        for walker in &mut both {
            walker.update(0.013);
        }
        assert_eq!(both[0].pose, both[1].pose);
        assert_eq!(both[0].place, both[1].place);
    }
}

#[test]
fn an_upside_down_rest_pose_turns_about_the_vertical_too() {
    let mut joints = figure().joints().to_vec();
    joints[0].rest.rotation = Quat::from_xyzw(1.0, 0.0, 0.0, 0.0);
    let skeleton = Arc::new(Skeleton::new(joints).unwrap());
    let mut animation = walk("walk", 1.0, 1.0, 1.0);
    let track = &mut animation.tracks[0];
    let turned = track.rotation.take().unwrap();
    let upside_down = skeleton.joints()[0].rest.rotation;
    let values = turned.values().iter().map(|q| quat_mul(*q, upside_down));
    let values = values.collect();
    let channel = Channel::new(turned.times().clone(), values, Interpolation::Linear);
    track.rotation = Some(channel.unwrap());
    let mut set = AnimationSet::new();
    set.add(animation).unwrap();
    let set = Arc::new(set);
    let mut binding = PoseBinding::new(&set, &skeleton);
    binding.root = Some(ROOT);
    let mut controller = AnimationController::new(set);
    controller
        .play_new(play(&controller, A).looped(), 0.0)
        .unwrap();
    controller.update(0.6);
    let step = binding.root_motion(&controller);
    assert!((step.angle - 0.6).abs() < 1e-4, "{step:?}");
}

#[test]
fn an_inertial_switch_keeps_the_root_motion_so_far() {
    let mut set = AnimationSet::new();
    for animation in [walk("walk", 1.0, 0.0, 1.0), walk("run", 3.0, 0.0, 0.7)] {
        set.add(animation).unwrap();
    }
    let set = Arc::new(set);
    let mut binding = PoseBinding::new(&set, &Arc::new(figure()));
    binding.root = Some(ROOT);
    let mut controller = AnimationController::new(set.clone());
    let step = |step: GroundTransform| (step.x * step.x + step.z * step.z).sqrt();
    controller
        .play_new(AnimationParameters::new(&set, A).looped(), 0.0)
        .unwrap();
    controller.update(0.25);
    controller.update(0.1);
    // Switched after the update: the way until then counts.
    let run = AnimationParameters::new(&set, B).looped().inertial();
    controller.play_new_exclusive(run, 0.3).unwrap();
    let walked = step(binding.root_motion(&controller));
    assert!((walked - 0.1).abs() < 0.02, "{walked}");
    controller.update(0.1);
    let ran = step(binding.root_motion(&controller));
    assert!((ran - 0.3).abs() < 0.03, "{ran}");
}
