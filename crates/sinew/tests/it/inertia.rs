//! Switches between motions without a jump: in the pose, and in its speed.

use control::Dice;
use motion::{figure, turn};
use sinew::glam::{Quat, Vec3};
use sinew::math::GroundTransform;
use sinew::math::{quat_angle, quat_inverse, quat_mul};
use sinew::{Inertia, Pose, Skeleton};
use sinew_author::register::{CrossfadeCurve, CrossfadeSource, PoseCrossfade, PoseTransition};
use sinew_testing::control;
use sinew_testing::counting;
use sinew_testing::motion;

/// A motion without keys: every joint swings about an axis of its own, the first one travels.
#[derive(Clone)]
struct Swing {
    joints: Vec<[f64; 6]>,
}

impl Swing {
    fn random(dice: &mut Dice, skeleton: &Skeleton) -> Self {
        let mut joint = || {
            let mut of = |range: f64| (f64::from(dice.ratio()) - 0.5) * range;
            [of(6.0), of(2.0), of(2.0), of(2.0), of(3.0), of(12.0)]
        };
        Self {
            joints: (0..skeleton.len()).map(|_| joint()).collect(),
        }
    }

    fn show(&self, time: f64, pose: &mut Pose) {
        for (index, [phase, x, y, z, size, speed]) in self.joints.iter().enumerate() {
            let swing = (phase + speed * time).sin();
            let axis = Vec3::new(*x as f32, *y as f32 + 1.1, *z as f32);
            pose.set_rotation(index.into(), turn(axis, (size * swing) as f32));
            let along = (0.2 * size * swing) as f32;
            pose.set_position(index.into(), axis * (0.3 * along));
            pose.set_scale(index.into(), Vec3::ONE + axis * (0.1 * along));
        }
    }
}

/// The farthest that a number of a joint is from that of another pose: metres, radians, shares of a scale.
fn distance(a: &Pose, b: &Pose) -> f32 {
    let joints = (0..a.len()).map(|index| {
        let (a, b) = (a.get(index.into()), b.get(index.into()));
        let far = [a.position - b.position, a.scale - b.scale].map(Vec3::length);
        far[0].max(far[1]).max(quat_angle(a.rotation, b.rotation))
    });
    joints.fold(0.0, f32::max)
}

/// How fast each number of each joint goes from one pose to the next.
fn speeds(a: &Pose, b: &Pose, dt: f64) -> Vec<[f64; 9]> {
    let joint = |index: usize| {
        let (a, b) = (a.get(index.into()), b.get(index.into()));
        let mut q = quat_mul(b.rotation, quat_inverse(a.rotation));
        if q.w < 0.0 {
            q = -q;
        }
        // As good as the angle, for so small ones.
        let turned = Vec3::new(q.x, q.y, q.z) * 2.0;
        let [p, s] = [b.position - a.position, b.scale - a.scale];
        [p.x, p.y, p.z, turned.x, turned.y, turned.z, s.x, s.y, s.z].map(|n| f64::from(n) / dt)
    };
    (0..a.len()).map(joint).collect()
}

/// How much speeds differ, as a share of how fast they are: of the whole body.
fn change(a: &[[f64; 9]], b: &[[f64; 9]]) -> f64 {
    let norm = |all: &mut dyn Iterator<Item = f64>| all.map(|n| n * n).sum::<f64>().sqrt();
    let (a, b) = (a.as_flattened(), b.as_flattened());
    let differ = norm(&mut a.iter().zip(b).map(|(a, b)| a - b));
    differ / norm(&mut a.iter().copied())
}

/// The speeds at a moment, estimated from the nearest step and the one beyond it, so that acceleration does not count as a jump.
fn limit(near: &[[f64; 9]], far: &[[f64; 9]]) -> Vec<[f64; 9]> {
    let mut all = near.to_vec();
    for (near, far) in all.as_flattened_mut().iter_mut().zip(far.as_flattened()) {
        *near += (*near - far) / 2.0;
    }
    all
}

/// A short step.
const STEP: f64 = 1.0 / 4000.0;

/// Somebody who switches motions.
struct Actor {
    inertia: Inertia,
    shown: Pose,
    before: Pose,
    long_before: Pose,
    motion: Swing,
    time: f64,
}

impl Actor {
    fn new(skeleton: &Skeleton, motion: Swing) -> Self {
        Self {
            inertia: Inertia::new(skeleton),
            shown: Pose::rest(skeleton),
            before: Pose::rest(skeleton),
            long_before: Pose::rest(skeleton),
            motion,
            time: 0.0,
        }
    }

    fn step(&mut self, dt: f64) {
        self.time += dt;
        self.long_before.copy_from(&self.before);
        self.before.copy_from(&self.shown);
        self.motion.show(self.time, &mut self.shown);
        self.inertia.apply(&mut self.shown, dt as f32).unwrap();
    }

    fn run(&mut self, seconds: f64) {
        for _ in 0..(seconds * 60.0) as usize {
            self.step(1.0 / 60.0);
        }
        self.step(STEP);
        self.step(STEP);
    }

    /// Switches, and says by how much pose and speed jumped.
    fn switch(&mut self, motion: Swing, time: f64, seconds: f32) -> (f32, f64) {
        let before = self.last_speeds();
        let before = limit(&before[1], &before[0]);
        let shown = self.shown.clone();
        (self.motion, self.time) = (motion, time);
        self.inertia.switch(seconds);
        self.step(0.0);
        let jump = distance(&shown, &self.shown);
        self.step(STEP);
        self.step(STEP);
        let after = self.last_speeds();
        (jump, change(&before, &limit(&after[0], &after[1])))
    }

    /// The speeds of the last two steps.
    fn last_speeds(&self) -> [Vec<[f64; 9]>; 2] {
        [
            speeds(&self.long_before, &self.before, STEP),
            speeds(&self.before, &self.shown, STEP),
        ]
    }
}

#[test]
fn poses_of_another_skeleton_are_refused() {
    let skeleton = figure();
    let other = Skeleton::new(skeleton.joints()[..3].to_vec()).unwrap();
    let mut inertia = Inertia::new(&skeleton);
    let mut pose = Pose::rest(&other);
    assert!(inertia.apply(&mut pose, 0.1).is_err());
    let mut transition = PoseTransition::new(&skeleton);
    let rest = Pose::rest(&skeleton);
    assert!(transition.apply(&rest, &mut pose, 0.1).is_err());
    assert!(transition.apply(&pose, &mut rest.clone(), 0.1).is_err());
}

#[test]
fn invalid_durations_cut_and_non_finite_poses_are_passed_through() {
    let skeleton = figure();
    let mut dice = Dice(9);
    let [first, second] = [0, 1].map(|_| Swing::random(&mut dice, &skeleton));
    for seconds in [0.0, -1.0, f32::NAN, f32::NEG_INFINITY] {
        let mut actor = Actor::new(&skeleton, first.clone());
        actor.run(0.1);
        actor.inertia.switch(seconds);
        actor.motion = second.clone();
        actor.step(0.01);
        let mut source = Pose::rest(&skeleton);
        second.show(actor.time, &mut source);
        assert_eq!(actor.shown, source);
    }
    let mut actor = Actor::new(&skeleton, first);
    let mut broken = Pose::rest(&skeleton);
    broken.set_position(1.into(), Vec3::NAN);
    broken.set_rotation(2.into(), Quat::from_xyzw(f32::NAN, 0.0, 0.0, 1.0));
    actor.inertia.apply(&mut broken, 0.1).unwrap();
    actor.inertia.switch(0.2);
    for dt in [0.01, f64::NAN, -1.0, 0.01, 0.01] {
        let time = actor.time;
        actor.step(dt);
        actor.time = time + 0.01;
        assert!(dt.is_nan() || actor.shown.is_finite());
    }
    // An endless switch goes on for ever, and breaks nothing.
    actor.inertia.switch(f32::INFINITY);
    actor.step(0.01);
    assert!(actor.inertia.is_running() && actor.shown.is_finite());
}

#[test]
fn without_a_switch_poses_stay_as_they_are_to_the_bit() {
    let skeleton = figure();
    let swing = Swing::random(&mut Dice(3), &skeleton);
    let mut actor = Actor::new(&skeleton, swing.clone());
    let mut source = Pose::rest(&skeleton);
    for index in 0..100 {
        actor.step(0.01);
        swing.show(actor.time, &mut source);
        assert_eq!(actor.shown, source);
        if index == 40 {
            actor.inertia.switch(0.2);
            assert!(actor.inertia.is_running());
        }
        if (40..60).contains(&index) {
            // A switch to the same motion is hardly one.
            actor.step(0.01);
            swing.show(actor.time, &mut source);
            assert!(distance(&actor.shown, &source) < 0.02);
        }
        if index == 40 {
            for _ in 0..30 {
                actor.step(0.01);
            }
            assert!(!actor.inertia.is_running());
        }
    }
}

#[test]
fn at_a_thousand_switches_neither_pose_nor_speed_jumps() {
    let skeleton = figure();
    let mut dice = Dice(20_261_116);
    let (mut pose, mut speed) = (0.0_f32, 0.0_f64);
    for _ in 0..1000 {
        let mut actor = Actor::new(&skeleton, Swing::random(&mut dice, &skeleton));
        actor.time = f64::from(dice.ratio()) * 10.0;
        actor.run(0.05);
        let next = Swing::random(&mut dice, &skeleton);
        let (a, b) = actor.switch(next, f64::from(dice.ratio()) * 10.0, 0.25);
        (pose, speed) = (pose.max(a), speed.max(b));
    }
    println!("pose {pose:e}, speed {speed:e}");
    assert!(pose < 1e-6, "{pose}");
    assert!(speed < 0.02, "{speed}");
}

#[test]
fn interrupted_three_times_in_a_row_nothing_jumps() {
    let skeleton = figure();
    let mut dice = Dice(77);
    let (mut pose, mut speed) = (0.0_f32, 0.0_f64);
    for _ in 0..300 {
        let mut actor = Actor::new(&skeleton, Swing::random(&mut dice, &skeleton));
        actor.run(0.05);
        for _ in 0..4 {
            let next = Swing::random(&mut dice, &skeleton);
            let (a, b) = actor.switch(next, f64::from(dice.ratio()) * 10.0, 0.25);
            (pose, speed) = (pose.max(a), speed.max(b));
            actor.run(f64::from(dice.ratio()) * 0.2);
        }
        // And in the end it is the last motion.
        actor.run(0.3);
        let mut source = Pose::rest(&skeleton);
        actor.motion.show(actor.time, &mut source);
        assert_eq!(actor.shown, source);
    }
    println!("pose {pose:e}, speed {speed:e}");
    assert!(pose < 1e-6, "{pose}");
    assert!(speed < 0.02, "{speed}");
}

#[test]
fn at_a_display_rate_steps_at_a_switch_are_no_larger_than_before() {
    let skeleton = figure();
    let mut dice = Dice(5);
    let mut worst = 0.0_f64;
    for _ in 0..300 {
        let mut actor = Actor::new(&skeleton, Swing::random(&mut dice, &skeleton));
        for _ in 0..5 {
            actor.step(1.0 / 120.0);
        }
        let before = speeds(&actor.before, &actor.shown, 1.0 / 120.0);
        actor.motion = Swing::random(&mut dice, &skeleton);
        actor.inertia.switch(0.25);
        actor.step(1.0 / 120.0);
        let after = speeds(&actor.before, &actor.shown, 1.0 / 120.0);
        worst = worst.max(change(&before, &after));
    }
    println!("{worst}");
    // Joints that go fast are braked from the start.
    assert!(worst < 0.15, "{worst}");
}

#[test]
fn a_saved_and_cloned_character_continues_bit_for_bit() {
    let skeleton = figure();
    let mut dice = Dice(11);
    let [first, second] = [0, 1].map(|_| Swing::random(&mut dice, &skeleton));
    let mut actor = Actor::new(&skeleton, first);
    actor.run(0.1);
    actor.motion = second;
    actor.inertia.switch(0.25);
    for _ in 0..5 {
        let saved = saved_and_loaded(&actor.inertia);
        assert_eq!(saved, actor.inertia);
        let mut twin = Actor {
            inertia: saved,
            shown: actor.shown.clone(),
            before: actor.before.clone(),
            long_before: actor.before.clone(),
            motion: actor.motion.clone(),
            time: actor.time,
        };
        twin.step(0.01);
        actor.step(0.01);
        assert_eq!(twin.shown, actor.shown);
    }
}

fn saved_and_loaded(inertia: &Inertia) -> Inertia {
    serde_json::from_str(&serde_json::to_string(inertia).unwrap()).unwrap()
}

#[test]
fn ground_speed_changes_smoothly_too() {
    let skeleton = figure();
    let mut inertia = Inertia::new(&skeleton);
    let mut pose = Pose::rest(&skeleton);
    let dt = 1.0 / 60.0;
    let step = |speed: f64| GroundTransform {
        angle: 0.1 * speed * dt,
        x: 0.0,
        z: speed * dt,
    };
    let mut show = |speed: f64, inertia: &mut Inertia| {
        inertia.apply(&mut pose, dt as f32).unwrap();
        inertia.smooth_root(step(speed), dt as f32).z / dt
    };
    for _ in 0..5 {
        assert_eq!(show(1.5, &mut inertia), 1.5);
    }
    inertia.switch(0.25);
    let mut last = 1.5;
    for index in 0..20 {
        let speed = show(4.0, &mut inertia);
        assert!(
            speed >= last - 1e-9 && speed - last < 0.5,
            "{index}: {last} {speed}"
        );
        last = speed;
    }
    assert_eq!(last, 4.0);
}

#[test]
fn linear_fades_jump_in_speed_where_inertialization_does_not() {
    let skeleton = figure();
    let mut dice = Dice(31);
    let [first, second] = [0, 1].map(|_| Swing::random(&mut dice, &skeleton));
    let mut changes = Vec::new();
    for (source, curve) in [
        (CrossfadeSource::Frozen, CrossfadeCurve::Linear),
        (CrossfadeSource::Playing, CrossfadeCurve::Linear),
        (CrossfadeSource::Playing, CrossfadeCurve::Smooth),
        (CrossfadeSource::Inertial, CrossfadeCurve::Smooth),
    ] {
        let mut transition = PoseTransition::new(&skeleton);
        let [mut going, mut shown] = [Pose::rest(&skeleton), Pose::rest(&skeleton)];
        let mut before = shown.clone();
        let mut frame = |index: usize, is_second: bool, shown: &mut Pose| {
            let time = index as f64 * STEP;
            first.show(time, &mut going);
            if is_second { &second } else { &first }.show(time, shown);
            transition.apply(&going, shown, STEP as f32).unwrap();
            if index == 400 {
                let seconds = 0.25;
                transition.switch(PoseCrossfade {
                    seconds,
                    source,
                    curve,
                });
            }
        };
        let mut steps = Vec::new();
        for index in 0..1600 {
            before.copy_from(&shown);
            frame(index, index > 400, &mut shown);
            steps.push(speeds(&before, &shown, STEP));
        }
        changes.push(change(&steps[399], &steps[401]));
        // When it is over, the second motion is all there is.
        let mut expected = Pose::rest(&skeleton);
        second.show(1599.0 * STEP, &mut expected);
        assert_eq!(shown, expected, "{source:?}");
    }
    println!("{changes:?}");
    // What stands still stands still at once; lines have a corner.
    assert!(changes[0] > 0.5 && changes[1] > 0.5, "{changes:?}");
    assert!(changes[2] < 0.05 && changes[3] < 0.02, "{changes:?}");
}

#[test]
fn nothing_allocates() {
    let skeleton = figure();
    let mut dice = Dice(2);
    let mut motions: Vec<_> = (0..4)
        .map(|_| Swing::random(&mut dice, &skeleton))
        .collect();
    let mut actor = Actor::new(&skeleton, motions[0].clone());
    let mut transition = PoseTransition::new(&skeleton);
    let mut going = Pose::rest(&skeleton);
    let count = counting::allocations(|| {
        for index in 0..200 {
            if index % 9 == 0 {
                core::mem::swap(&mut actor.motion, &mut motions[index % 4]);
                actor.inertia.switch(0.1);
                transition.switch(PoseCrossfade::default());
            }
            actor.step(0.01);
            transition.apply(&going, &mut actor.shown, 0.01).unwrap();
            going.copy_from(&actor.shown);
        }
    });
    assert_eq!(count, 0);
}
