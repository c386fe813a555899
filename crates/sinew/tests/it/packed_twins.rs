//! Sampling packed animations: at every SIMD level of the machine the bits of the scalar reference, whatever the
//! cursor was used for before.

use sinew::animation::{Channel, Interpolation, KeyTimes, TransformTrack};
use sinew::glam::Vec3;
use sinew::math::quat_mul;
use sinew::packed::Packing;
use sinew::pose::JointCountMismatch;
use sinew::simd::SimdLevel;
use sinew::{Animation, PackedAnimation, PackedCursor, Pose, Skeleton};
use sinew_author::compress::Profile;
use sinew_testing::packed::{
    Build, Motion, Numbers, Shape, error_at, moments, packed, pose_bits, turn,
};

/// One, around half a block, around a block, and many.
const SIZES: [usize; 8] = [1, 3, 4, 5, 8, 9, 31, 67];

/// Some of [`SIZES`]: less than half a block, a block and one more, several blocks.
const SOME_SIZES: [usize; 3] = [3, 9, 31];

const PROFILES: [Profile; 2] = [Profile::Small, Profile::Fast];

type Bits = Vec<[u32; 10]>;

/// An animation, moments of it, and what the reference makes of each with a cursor of its own.
struct Subject {
    skeleton: Skeleton,
    packed: PackedAnimation<'static>,
    times: Vec<f32>,
    expected: Vec<Bits>,
}

impl Subject {
    fn new(skeleton: Skeleton, packed: PackedAnimation<'static>, rate: f64, random: usize) -> Self {
        let times = times(&packed, rate, random);
        let expected = times.iter().map(|&time| {
            let mut pose = Pose::rest(&skeleton);
            let mut cursor = PackedCursor::new();
            packed
                .sample_with(SimdLevel::OFF, time, &mut cursor, &mut pose)
                .unwrap();
            pose_bits(&pose)
        });
        Self {
            expected: expected.collect(),
            skeleton,
            packed,
            times,
        }
    }

    fn check(&self, level: SimdLevel, index: usize, cursor: &mut PackedCursor, pose: &mut Pose) {
        let time = self.times[index];
        self.packed.sample_with(level, time, cursor, pose).unwrap();
        assert!(
            pose_bits(pose) == self.expected[index],
            "{} joints, {}, {} at {time}",
            self.skeleton.len(),
            self.packed.packing(),
            level.name()
        );
    }

    /// A pose with something in it that is no sample.
    fn spoiled(&self) -> Pose {
        let mut pose = Pose::rest(&self.skeleton);
        for joint in 0..pose.len() {
            pose.set_position(joint.into(), Vec3::splat(-77.0));
            pose.set_scale(joint.into(), Vec3::splat(f32::NAN));
        }
        pose
    }
}

/// Edges, frames, what lies between them, and any.
fn times(packed: &PackedAnimation<'_>, rate: f64, random: usize) -> Vec<f32> {
    let length = packed.length();
    let mut times = vec![
        0.0,
        -0.0,
        -1.0,
        f32::NEG_INFINITY,
        f32::INFINITY,
        f32::NAN,
        f32::MIN_POSITIVE,
        f32::MAX,
        length,
        length.next_down(),
        length.next_up(),
        length + 1.0,
    ];
    let frames = (f64::from(length) * rate).round() as usize;
    for quarter in 0..=4 * frames {
        let time = (quarter as f64 / (4.0 * rate)) as f32;
        times.push(time);
        if quarter % 16 == 0 {
            times.extend([time.next_up(), time.next_down()]);
        }
    }
    let mut numbers = Numbers::new(random as u64);
    times.extend((0..random).map(|_| (numbers.next() * 0.55 + 0.5) * length));
    times
}

/// The order in which moments are asked for.
fn orders(count: usize) -> [Vec<usize>; 3] {
    let mut numbers = Numbers::new(count as u64);
    let random = (0..2 * count).map(|_| numbers.below(count)).collect();
    [(0..count).collect(), (0..count).rev().collect(), random]
}

/// A motion that needs every frame, with a bound that is kept by rows.
fn captured(skeleton: &Skeleton, rows: usize, profile: Profile, seed: u64) -> Subject {
    let animation = Motion::Captured.animation(skeleton, rows, 60.0, seed);
    let packed = packed(skeleton, &animation, 1e-4, profile).unwrap();
    Subject::new(skeleton.clone(), packed, 60.0, 40)
}

#[test]
fn a_pose_of_another_size_is_refused_and_left_alone() {
    let (small, large) = (
        Build::new(3, Shape::Chain).skeleton(1),
        Build::new(9, Shape::Chain).skeleton(2),
    );
    for profile in PROFILES {
        let subject = captured(&small, 40, profile, 3);
        let mut pose = Pose::rest(&large);
        let before = pose_bits(&pose);
        let result = subject
            .packed
            .sample(0.1, &mut PackedCursor::new(), &mut pose);
        let expected = JointCountMismatch {
            expected: 3,
            pose: 9,
        };
        assert_eq!(result, Err(expected));
        assert_eq!(pose_bits(&pose), before);
    }
}

#[test]
fn every_simd_level_gives_the_bits_of_the_reference_in_any_order() {
    assert_levels_agree(&SOME_SIZES);
}

#[test]
#[ignore = "exhaustive: takes seconds of CPU; .ci/run runs it"]
fn every_simd_level_gives_the_bits_of_the_reference_exhaustively() {
    assert_levels_agree(&SIZES);
}

fn assert_levels_agree(sizes: &[usize]) {
    assert!(SimdLevel::all().count() >= 1);
    for &joints in sizes {
        let shape = if joints < 10 {
            Shape::Any
        } else {
            Shape::Limbs
        };
        let skeleton = Build::new(joints, shape).skeleton(joints as u64);
        for profile in PROFILES {
            for motion in [Motion::Captured, Motion::Scales, Motion::Noise] {
                let animation = motion.animation(&skeleton, 67, 60.0, 5);
                let packed = packed(&skeleton, &animation, 1e-4, profile).unwrap();
                if motion == Motion::Captured {
                    let kept = match profile {
                        Profile::Fast => Packing::Fast,
                        _ => Packing::Small,
                    };
                    assert_eq!(packed.packing(), kept, "{joints} joints");
                }
                let subject = Subject::new(skeleton.clone(), packed, 60.0, 60);
                for level in SimdLevel::all() {
                    let (mut cursor, mut pose) = (PackedCursor::new(), subject.spoiled());
                    for order in orders(subject.times.len()) {
                        for index in order {
                            subject.check(level, index, &mut cursor, &mut pose);
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn the_history_of_a_cursor_does_not_affect_samples() {
    assert_cursors_are_independent(&SOME_SIZES);
}

#[test]
#[ignore = "exhaustive: takes seconds of CPU; .ci/run runs it"]
fn the_history_of_a_cursor_does_not_affect_samples_exhaustively() {
    assert_cursors_are_independent(&SIZES);
}

fn assert_cursors_are_independent(sizes: &[usize]) {
    let mut subjects = Vec::new();
    for &joints in sizes {
        let skeleton = Build::new(joints, Shape::Any).skeleton(100 + joints as u64);
        for (index, profile) in PROFILES.into_iter().enumerate() {
            for (turn, rows) in [1, 2, 16, 65, 130].into_iter().enumerate() {
                subjects.push(captured(
                    &skeleton,
                    rows,
                    profile,
                    (joints + index + turn) as u64,
                ));
            }
            for motion in [
                Motion::Still,
                Motion::Nothing,
                Motion::Uneven,
                Motion::Squash,
            ] {
                let animation = motion.animation(&skeleton, 70, 60.0, 9);
                let packed = packed(&skeleton, &animation, 1e-3, profile).unwrap();
                subjects.push(Subject::new(skeleton.clone(), packed, 60.0, 20));
            }
        }
    }
    for level in SimdLevel::all() {
        let mut shared = PackedCursor::new();
        let mut cursors = vec![PackedCursor::new(); subjects.len()];
        let mut numbers = Numbers::new(8);
        for _ in 0..6000 {
            let which = numbers.below(subjects.len());
            let subject = &subjects[which];
            let mut pose = subject.spoiled();
            let index = numbers.below(subject.times.len());
            subject.check(level, index, &mut shared, &mut pose);
            subject.check(level, index, &mut cursors[which], &mut pose);
        }
    }
}

#[test]
fn every_frame_count_around_segment_borders_is_read() {
    let skeleton = Build::new(5, Shape::Chain).skeleton(4);
    let borders = |rows: &usize| rows % 16 <= 1 || rows % 16 == 15 || *rows <= 20;
    for rows in (1..=200).filter(borders) {
        let animation = Motion::Captured.animation(&skeleton, rows, 60.0, rows as u64);
        for profile in PROFILES {
            let packed = packed(&skeleton, &animation, 1e-4, profile).unwrap();
            let error = error_at(&skeleton, &animation, &packed, &moments(&animation));
            assert!(error <= 1e-4, "{rows} rows: {error}");
            let subject = Subject::new(skeleton.clone(), packed, 60.0, 10);
            for level in SimdLevel::all() {
                let (mut cursor, mut pose) = (PackedCursor::new(), subject.spoiled());
                for index in (0..subject.times.len()).rev() {
                    subject.check(level, index, &mut cursor, &mut pose);
                }
            }
        }
    }
}

#[test]
fn times_outside_the_animation_are_clamped() {
    let skeleton = Build::new(9, Shape::Any).skeleton(6);
    for profile in PROFILES {
        let subject = captured(&skeleton, 70, profile, 6);
        let length = subject.packed.length();
        let at = |time: f32| {
            let mut pose = subject.spoiled();
            let mut cursor = PackedCursor::new();
            subject.packed.sample(time, &mut cursor, &mut pose).unwrap();
            pose_bits(&pose)
        };
        for early in [-0.0, -1e-9, -5.0, f32::NEG_INFINITY] {
            assert_eq!(at(early), at(0.0), "{early}");
        }
        for late in [length.next_up(), length + 9.0, f32::MAX, f32::INFINITY] {
            assert_eq!(at(late), at(length), "{late}");
        }
        assert_ne!(at(0.0), at(length));
        assert_eq!(at(f32::NAN), at(0.0));
    }
}

/// Joints that nod about one axis, or slide along one, all by the same numbers.
fn alike(skeleton: &Skeleton, turning: &[usize], sliding: &[usize]) -> Animation {
    let mut numbers = Numbers::new(77);
    let times = KeyTimes::uniform(60.0, 90).unwrap();
    let values: Vec<f32> = times.iter().map(|_| numbers.next()).collect();
    let mut animation = Animation::new("alike", times.last());
    animation.frame_rate = Some(60.0);
    for (index, joint) in skeleton.joints().iter().enumerate() {
        let mut track = TransformTrack::new(&joint.name);
        if turning.contains(&index) {
            let nod = |&value: &f32| quat_mul(joint.rest.rotation, turn(Vec3::X, value));
            let nods = values.iter().map(nod).collect();
            track.rotation =
                Some(Channel::new(times.clone(), nods, Interpolation::Linear).unwrap());
        }
        if sliding.contains(&index) {
            let slide = |&value: &f32| joint.rest.position + Vec3::X * value;
            let slides = values.iter().map(slide).collect();
            track.position =
                Some(Channel::new(times.clone(), slides, Interpolation::Linear).unwrap());
        }
        animation.tracks.push(track);
    }
    animation
}

/// Doors that open alike, left or right, are the same numbers for other joints: a cursor must not take one for
/// the other.
#[test]
fn animations_of_equal_numbers_for_other_joints_are_distinguished() {
    let build = Build {
        size: 0.0,
        is_turned: false,
        ..Build::new(20, Shape::Wide)
    };
    let skeleton = build.skeleton(1);
    for profile in PROFILES {
        let moves: [(&[usize], &[usize]); 8] = [
            (&[1, 2], &[]),
            (&[1, 9], &[]),
            (&[9, 17], &[]),
            (&[8, 15], &[]),
            (&[], &[1, 2]),
            (&[], &[3, 19]),
            (&[4], &[4]),
            (&[12], &[3]),
        ];
        let subjects = moves.map(|(turning, sliding)| {
            let animation = alike(&skeleton, turning, sliding);
            let packed = packed(&skeleton, &animation, 1e-3, profile).unwrap();
            Subject::new(skeleton.clone(), packed, 60.0, 0)
        });
        for level in SimdLevel::all() {
            for before in &subjects {
                for after in &subjects {
                    let mut cursor = PackedCursor::new();
                    let mut pose = before.spoiled();
                    before.check(level, 50, &mut cursor, &mut pose);
                    after.check(level, 60, &mut cursor, &mut pose);
                    before.check(level, 70, &mut cursor, &mut pose);
                }
            }
        }
    }
}

/// Clips that begin alike and hold at the end differ in their number of rows alone.
#[test]
fn animations_of_different_lengths_are_distinguished() {
    let skeleton = Build::new(3, Shape::Chain).skeleton(1);
    let holding = |rows: usize| {
        let mut numbers = Numbers::new(5);
        let times = KeyTimes::uniform(60.0, rows).unwrap();
        let moving: Vec<Vec3> = (0..64).map(|_| numbers.vec3()).collect();
        let values = (0..rows).map(|row| moving[row.min(63)]).collect();
        let mut animation = Animation::new("holding", times.last());
        animation.frame_rate = Some(60.0);
        animation.tracks.push(TransformTrack {
            position: Some(Channel::new(times, values, Interpolation::Linear).unwrap()),
            ..TransformTrack::new("joint 0")
        });
        animation
    };
    let subjects = [65, 70, 90, 128, 129].map(|rows| {
        let packed = packed(&skeleton, &holding(rows), 1e-3, Profile::Small).unwrap();
        Subject::new(skeleton.clone(), packed, 60.0, 0)
    });
    let mut numbers = Numbers::new(2);
    let mut cursor = PackedCursor::new();
    for _ in 0..5000 {
        let subject = &subjects[numbers.below(subjects.len())];
        let index = numbers.below(subject.times.len());
        subject.check(
            SimdLevel::best(),
            index,
            &mut cursor,
            &mut subject.spoiled(),
        );
    }
}

/// Whatever is accepted from bytes is sampled, and alike at all levels.
#[test]
fn bytes_with_a_flipped_bit_are_refused_or_sampled_alike_at_all_simd_levels() {
    let skeleton = Build::new(9, Shape::Any).skeleton(3);
    let (mut refused, mut sampled) = (0, 0);
    for profile in PROFILES {
        let animation = Motion::Squash.animation(&skeleton, 40, 60.0, 3);
        let packed = packed(&skeleton, &animation, 1e-2, profile).unwrap();
        let good = sinew_author::packed::to_bytes(&packed);
        for bit in 0..8 * good.len() {
            let mut bytes = good.clone();
            bytes[bit / 8] ^= 1 << (bit % 8);
            let Ok(packed) = PackedAnimation::from_bytes(&bytes, &skeleton, packed.info().clone())
            else {
                refused += 1;
                continue;
            };
            sampled += 1;
            for time in [0.0, 0.123, 0.5, 9.0] {
                let mut poses = SimdLevel::all().map(|level| {
                    let (mut cursor, mut pose) = (PackedCursor::new(), Pose::rest(&skeleton));
                    packed
                        .sample_with(level, time, &mut cursor, &mut pose)
                        .unwrap();
                    pose_bits(&pose)
                });
                let first = poses.next().unwrap();
                assert!(poses.all(|pose| pose == first), "{profile:?}, bit {bit}");
            }
        }
    }
    assert!(refused > 50 && sampled > 50, "{refused} {sampled}");
}
