//! The ground motion of a loop goes through every edit: played for many cycles, the world path after an edit is
//! the edit of the world path, whether the keys hold the motion or it was taken out of them.

use sinew::animation::{Channel, Interpolation, KeyTimes, LoopMotion, TransformTrack};
use sinew::glam::{Quat, Vec3};
use sinew::math::GroundTransform;
use sinew::{Animation, Joint, JointIndex, Sampler, Skeleton, Transform};
use sinew_author::compress::{CompressSettings, Profile, compress};
use sinew_author::edit::{align_hemispheres, mirror, move_root, remove_constant, resample, trim};
use sinew_author::looping::{CycleSettings, LoopSettings, find_cycle, make_loop};
use std::f64::consts::TAU;

/// Cycles that are played.
const CYCLES: f64 = 40.0;
/// Metres after all these cycles: `f32` keys of a figure up to 100 m away.
const CLOSE: f64 = 2e-4;
const RATE: f64 = 30.0;
const FRAMES: usize = 36;

/// A motion over the ground as a test states it: a point that the figure circles, or a velocity.
#[derive(Clone, Copy)]
enum Truth {
    /// Radians per cycle about a point of the ground.
    Circle { angle: f64, centre: [f64; 2] },
    /// Metres per cycle.
    Straight([f64; 2]),
}

const TRUTHS: [Truth; 4] = [
    Truth::Circle {
        angle: 0.4,
        centre: [2.0, -1.0],
    },
    Truth::Circle {
        angle: -1.3,
        centre: [-0.5, 0.8],
    },
    Truth::Straight([0.4, 1.3]),
    Truth::Straight([0.0, 0.0]),
];

impl Truth {
    /// Where a point is after `cycles`.
    fn place(self, point: [f64; 3], cycles: f64) -> [f64; 3] {
        let [x, y, z] = point;
        match self {
            Self::Circle { angle, centre } => {
                let (sine, cosine) = (angle * cycles).sin_cos();
                let (dx, dz) = (x - centre[0], z - centre[1]);
                [
                    centre[0] + dx * cosine + dz * sine,
                    y,
                    centre[1] - dx * sine + dz * cosine,
                ]
            }
            Self::Straight([vx, vz]) => [x + vx * cycles, y, z + vz * cycles],
        }
    }

    fn turn(self, cycles: f64) -> f64 {
        match self {
            Self::Circle { angle, .. } => angle * cycles,
            Self::Straight(_) => 0.0,
        }
    }

    fn per_cycle(self) -> GroundTransform {
        let [x, _, z] = self.place([0.0; 3], 1.0);
        GroundTransform {
            angle: self.turn(1.0),
            x,
            z,
        }
    }
}

/// A figure whose middle is at x = `middle`; hips above a root that rests turned.
fn figure(middle: f32) -> Skeleton {
    let joint = |name: &str, parent: Option<u32>, position: Vec3| Joint {
        name: name.into(),
        parent: parent.map(JointIndex),
        rest: Transform::from_position(position),
        tip: None,
    };
    Skeleton::new(vec![
        joint("hips", None, Vec3::new(middle, 1.0, 0.0)),
        joint("LeftHand", Some(0), Vec3::new(0.5, 0.3, 0.1)),
        joint("RightHand", Some(0), Vec3::new(-0.5, 0.3, 0.1)),
    ])
    .unwrap()
}

/// The pose on the spot at a part of a cycle: hips' place and heading, and a swing of the left hand.
fn on_the_spot(skeleton: &Skeleton, part: f64) -> ([f64; 3], f64, f64) {
    let rest = skeleton.joints()[0].rest.position;
    let wave = (part * TAU).sin();
    let place = [
        f64::from(rest.x) + 0.05 * wave,
        1.0 + 0.03 * (2.0 * part * TAU).cos(),
        0.2 + 0.02 * (part * TAU).cos(),
    ];
    (place, 0.2 * wave, 0.6 * (part * TAU).cos())
}

fn about_y(angle: f64) -> Quat {
    let (sine, cosine) = (0.5 * angle).sin_cos();
    Quat::from_xyzw(0.0, sine as f32, 0.0, cosine as f32)
}

fn about_x(angle: f64) -> Quat {
    let (sine, cosine) = (0.5 * angle).sin_cos();
    Quat::from_xyzw(sine as f32, 0.0, 0.0, cosine as f32)
}

/// `cycles` cycles of the motion with a key on every frame. In place the ground motion is left out of the keys.
fn keys(skeleton: &Skeleton, truth: Truth, cycles: f64, in_place: bool) -> Animation {
    let count = (cycles * FRAMES as f64) as usize + 1;
    let times = KeyTimes::uniform(RATE, count).unwrap();
    let (mut places, mut turns, mut swings) = (Vec::new(), Vec::new(), Vec::new());
    for frame in 0..count {
        let cycle = frame as f64 / FRAMES as f64;
        let (place, heading, swing) = on_the_spot(skeleton, cycle.fract());
        let moved = if in_place { 0.0 } else { cycle };
        let [x, y, z] = truth.place(place, moved);
        places.push(Vec3::new(x as f32, y as f32, z as f32));
        turns.push(about_y(heading + truth.turn(moved)));
        swings.push(about_x(swing));
    }
    let mut animation = Animation::new("loop", times.last());
    animation.frame_rate = Some(RATE);
    let lines = Interpolation::Linear;
    animation.set_track(TransformTrack {
        position: Some(Channel::new(times.clone(), places, lines).unwrap()),
        rotation: Some(Channel::new(times.clone(), turns, lines).unwrap()),
        ..TransformTrack::new("hips")
    });
    let swing = Channel::new(times, swings, lines).unwrap();
    // A hand that swings about its own joint is seen by its heading; give it a place as well.
    let moves = swing
        .keys()
        .map(|(time, q)| (time, Vec3::new(0.5, 0.3, 0.1 + 0.4 * q.x)));
    animation.set_track(TransformTrack {
        position: Some(Channel::from_keys(moves, lines).unwrap()),
        rotation: Some(swing),
        ..TransformTrack::new("LeftHand")
    });
    animation
}

/// One cycle that says how far it goes.
fn looped(skeleton: &Skeleton, truth: Truth, in_place: bool) -> Animation {
    let mut animation = keys(skeleton, truth, 1.0, in_place);
    animation.looping = Some(LoopMotion {
        per_cycle: truth.per_cycle(),
        in_place,
    });
    animation.check().unwrap();
    animation
}

/// Where joints are in the world after so many cycles, as the loop's own data say.
fn played(skeleton: &Skeleton, animation: &Animation, cycles: f64) -> Vec<[f64; 3]> {
    let looping = animation.looping.expect("it is a loop");
    let time = (cycles - cycles.floor()) * f64::from(animation.length);
    let mut sampler = Sampler::new(skeleton, animation);
    let model = sampler.model_at(time as f32);
    let ground = looping.placement(cycles);
    let places = (0..skeleton.len()).map(|joint| {
        let [x, y, z] = model.position(joint.into()).to_array().map(f64::from);
        let [x, z] = ground.apply([x, z]);
        [x, y, z]
    });
    places.collect()
}

/// Where joints are in the world after so many cycles, in truth. On frames: between them keys are joined by lines.
fn true_path(skeleton: &Skeleton, truth: Truth, frame: usize) -> Vec<[f64; 3]> {
    let in_place = keys(skeleton, truth, 1.0, true);
    let mut sampler = Sampler::new(skeleton, &in_place);
    let model = sampler.model_at(((frame % FRAMES) as f64 / RATE) as f32);
    let places = (0..skeleton.len()).map(|joint| {
        let place = model.position(joint.into()).to_array().map(f64::from);
        truth.place(place, frame as f64 / FRAMES as f64)
    });
    places.collect()
}

fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    (0..3)
        .map(|axis| (a[axis] - b[axis]).powi(2))
        .sum::<f64>()
        .sqrt()
}

/// Compares the loop's path with the path that `expected` gives for a frame since the loop began.
fn assert_path(
    what: &str,
    skeleton: &Skeleton,
    animation: &Animation,
    tolerance: f64,
    expected: impl Fn(usize) -> Vec<[f64; 3]>,
) {
    for frame in (0..(CYCLES as usize * FRAMES)).step_by(7) {
        let found = played(skeleton, animation, frame as f64 / FRAMES as f64);
        for (joint, (found, expected)) in found.into_iter().zip(expected(frame)).enumerate() {
            let off = distance(found, expected);
            assert!(
                off < tolerance,
                "{what}: frame {frame}, joint {joint}: {off} m"
            );
        }
    }
}

/// Runs a check on every motion, with the motion in the keys and taken out of them, with the mirror in the
/// origin and beside it.
fn for_each_loop(check: impl Fn(&str, &Skeleton, Truth, &Animation)) {
    for middle in [0.0, 0.7] {
        let skeleton = figure(middle);
        for (index, truth) in TRUTHS.into_iter().enumerate() {
            for in_place in [false, true] {
                let animation = looped(&skeleton, truth, in_place);
                let what = format!("motion {index}, middle {middle}, in place {in_place}");
                check(&what, &skeleton, truth, &animation);
            }
        }
    }
}

#[test]
fn a_loop_plays_along_its_path() {
    for_each_loop(|what, skeleton, truth, animation| {
        let expected = |frame| true_path(skeleton, truth, frame);
        assert_path(what, skeleton, animation, CLOSE, expected);
    });
}

/// A loop that turns left turns right once it is mirrored.
#[test]
fn mirroring_a_loop_mirrors_its_path() {
    for_each_loop(|what, skeleton, truth, animation| {
        let middle = f64::from(skeleton.joints()[0].rest.position.x);
        let mirrored = mirror(animation, skeleton).unwrap();
        assert_path(what, skeleton, &mirrored, CLOSE, |frame| {
            let mut path = true_path(skeleton, truth, frame);
            path.swap(1, 2);
            path.iter()
                .map(|[x, y, z]| [2.0 * middle - x, *y, *z])
                .collect()
        });
    });
}

/// Moving, turning and scaling a loop, as `--center` does, moves its path.
#[test]
fn moving_a_loop_moves_its_path() {
    let half = std::f32::consts::FRAC_1_SQRT_2;
    let offsets = [
        Transform::from_position(Vec3::new(-3.0, 0.5, 8.0)),
        Transform::from_rotation(Quat::from_xyzw(0.0, half, 0.0, half)),
        Transform {
            position: Vec3::new(1.0, 2.0, -3.0),
            rotation: about_y(-2.2),
            scale: Vec3::ONE,
        },
        // Upside down.
        Transform::from_rotation(Quat::from_xyzw(1.0, 0.0, 0.0, 0.0)),
    ];
    for offset in offsets {
        for_each_loop(|what, skeleton, truth, animation| {
            let mut moved = animation.clone();
            move_root(&mut moved, skeleton, &offset);
            assert_path(what, skeleton, &moved, CLOSE, |frame| {
                let path = true_path(skeleton, truth, frame);
                let place = |place: [f64; 3]| {
                    let at = Vec3::from_array(place.map(|number| number as f32));
                    offset.apply(at).to_array().map(f64::from)
                };
                path.into_iter().map(place).collect()
            });
        });
    }
}

/// Scaling positions, as changing units does, scales the path of the root.
#[test]
fn scaling_a_loop_scales_its_path() {
    for_each_loop(|what, skeleton, truth, animation| {
        let mut scaled = animation.clone();
        let offset = Transform {
            position: Vec3::new(0.0, 0.0, 1.0),
            scale: Vec3::splat(0.01),
            ..Transform::IDENTITY
        };
        move_root(&mut scaled, skeleton, &offset);
        for frame in (0..(CYCLES as usize * FRAMES)).step_by(11) {
            let found = played(skeleton, &scaled, frame as f64 / FRAMES as f64)[0];
            let [x, y, z] = true_path(skeleton, truth, frame)[0].map(|number| 0.01 * number);
            assert!(distance(found, [x, y, z + 1.0]) < CLOSE, "{what}: {frame}");
        }
    });
}

/// A loop on a wall is none over the ground: its motion is dropped rather than wrong.
#[test]
fn a_tilted_loop_has_no_ground_motion() {
    let skeleton = figure(0.0);
    let mut tilted = looped(&skeleton, TRUTHS[0], true);
    move_root(
        &mut tilted,
        &skeleton,
        &Transform::from_rotation(about_x(1.2)),
    );
    assert_eq!(tilted.looping, None);
    let mut squeezed = looped(&skeleton, TRUTHS[0], true);
    let squeeze = Transform {
        scale: Vec3::new(1.0, 1.0, 0.5),
        ..Transform::IDENTITY
    };
    move_root(&mut squeezed, &skeleton, &squeeze);
    assert_eq!(squeezed.looping, None);
    // A straight way can be squeezed, and tilted about itself.
    let mut straight = looped(&skeleton, Truth::Straight([0.0, 1.0]), true);
    move_root(&mut straight, &skeleton, &squeeze);
    assert!((straight.looping.unwrap().per_cycle.z - 0.5).abs() < 1e-6);
}

/// A part of a loop whose keys hold its motion is no loop; a part of one in place goes on as fast as the whole.
#[test]
fn trimming_a_loop_keeps_its_speed_or_drops_its_motion() {
    for_each_loop(|what, skeleton, truth, animation| {
        let whole = trim(animation, 0.0..animation.length);
        assert_eq!(whole.looping, animation.looping, "{what}");
        let longer = trim(animation, -1.0..99.0);
        assert_eq!(longer.looping, animation.looping, "{what}");
        let (from, to) = (8, 29);
        let seconds = |frame: usize| (frame as f64 / RATE) as f32;
        let part = trim(animation, seconds(from)..seconds(to));
        let Some(looping) = part.looping else {
            assert!(!animation.looping.unwrap().in_place, "{what}");
            return;
        };
        assert!(looping.in_place, "{what}");
        let mut sampler = Sampler::new(skeleton, &part);
        for frame in 0..=to - from {
            let share = frame as f64 / (to - from) as f64;
            // As long as the part lasts, and from where the whole is when the part begins.
            let ground = looping.placement(share.min(1.0 - 1e-9));
            let model = sampler.model_at(seconds(frame));
            let expected = true_path(skeleton, truth, from + frame);
            for (joint, expected) in expected.into_iter().enumerate() {
                let [x, y, z] = model.position(joint.into()).to_array().map(f64::from);
                let [x, z] = ground.apply([x, z]);
                let found = truth.place([x, y, z], from as f64 / FRAMES as f64);
                assert!(distance(found, expected) < CLOSE, "{what}: {frame} {joint}");
            }
        }
    });
}

/// Rates that divide the loop and rates that do not.
#[test]
fn resampling_a_loop_keeps_its_path() {
    for_each_loop(|what, skeleton, truth, animation| {
        for rate in [30.0, 60.0, 24.0, 25.0, 50.0, 120.0, 119.88, 7.3] {
            let resampled = resample(animation, rate);
            assert_eq!(resampled.looping, animation.looping, "{what} {rate}");
            assert_eq!(resampled.length, animation.length, "{what} {rate}");
            // Fewer keys cut corners; where cycles begin they are exact.
            for cycle in 0..CYCLES as usize {
                let found = played(skeleton, &resampled, cycle as f64);
                let expected = true_path(skeleton, truth, cycle * FRAMES);
                for (found, expected) in found.into_iter().zip(expected) {
                    assert!(distance(found, expected) < CLOSE, "{what} {rate}");
                }
            }
        }
    });
}

#[test]
fn edits_that_move_nothing_keep_the_motion_of_a_loop() {
    for_each_loop(|what, skeleton, _, animation| {
        let mut edited = animation.clone();
        align_hemispheres(&mut edited);
        remove_constant(&mut edited, skeleton, 1e-6);
        assert_eq!(edited.looping, animation.looping, "{what}");
    });
}

#[test]
fn compressed_loops_play_along_their_path() {
    for profile in [Profile::Small, Profile::Fast] {
        for_each_loop(|what, skeleton, truth, animation| {
            let settings = CompressSettings {
                profile,
                ..CompressSettings::default()
            };
            let packed = compress(skeleton, animation, &settings).unwrap();
            assert_eq!(packed.looping(), animation.looping, "{what}");
            let unpacked = sinew_author::compress::decompress(&packed, skeleton).unwrap();
            // Where cycles begin: in between, rows may be joined otherwise.
            let tolerance = CLOSE + f64::from(packed.max_error());
            assert_path(what, skeleton, &unpacked, tolerance, |frame| {
                true_path(skeleton, truth, frame)
            });
        });
    }
}

/// A loop that is made of a longer motion plays along that motion's path, and so does a loop of that loop.
#[test]
fn made_loops_play_along_the_path_of_their_source() {
    let skeleton = figure(0.0);
    for truth in &TRUTHS[..3] {
        let source = keys(&skeleton, *truth, 4.0, false);
        let settings = CycleSettings {
            longest: 1.4,
            shortest: 1.0,
            ..CycleSettings::default()
        };
        let cycle = find_cycle(&skeleton, &source, &settings).unwrap();
        for in_place in [false, true] {
            let settings = LoopSettings {
                in_place,
                straighten: 0.0,
                clean: false,
                ..LoopSettings::default()
            };
            let made = make_loop(&skeleton, &source, &cycle, &settings).unwrap();
            let animation = made.animation;
            assert_eq!(animation.looping.unwrap().in_place, in_place);
            let frames = (f64::from(animation.length) * RATE).round() as usize;
            assert_eq!(frames, FRAMES);
            let first = (f64::from(cycle.start) * RATE).round() as usize;
            // The angle of a cycle is found to about 1e-5 radians, and counts 40 times, metres away.
            assert_path("made", &skeleton, &animation, 0.05, |frame| {
                true_path(&skeleton, *truth, first + frame)
            });
            if in_place {
                let whole = sinew_author::looping::Cycle {
                    start: 0.0,
                    end: animation.length,
                    ground_transform: GroundTransform::IDENTITY,
                    ..cycle.clone()
                };
                let again = make_loop(&skeleton, &animation, &whole, &settings).unwrap();
                assert!(again.animation.looping.unwrap().in_place);
                assert_path("made again", &skeleton, &again.animation, 0.05, |frame| {
                    true_path(&skeleton, *truth, first + frame)
                });
            }
        }
    }
}
