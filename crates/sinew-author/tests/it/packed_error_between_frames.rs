//! The error bound between frames: at random times, for every point of the balls around joints, against slerp and
//! forward kinematics in `f64` that these tests do themselves.

use sinew::animation::{Channel, Interpolation, KeyTimes, TransformTrack};
use sinew::glam::{Quat, Vec3};
use sinew::packed::Packing;
use sinew::{
    Animation, Joint, JointIndex, PackedAnimation, PackedCursor, Pose, Skeleton, Transform,
};
use sinew_author::compress::{CompressSettings, Profile, compress, verify};
use sinew_testing::exact::Exact;
use sinew_testing::packed::Numbers;

const PROFILES: [Profile; 2] = [Profile::Small, Profile::Fast];

/// Where errors between frames are largest for linear interpolation of quaternions, and random places.
fn places(numbers: &mut Numbers, random: usize) -> Vec<f64> {
    let root = (1.0_f64 / 12.0).sqrt();
    let mut places = vec![0.0, 0.2, 0.5 - root, 0.5, 0.5 + root, 0.8];
    places.extend((0..random).map(|_| f64::from(numbers.next()) * 0.5 + 0.5));
    places
}

/// The largest error of a packed animation over its bound, at random places of every interval.
///
/// `rate` and `frames` are those of the source's keys.
fn worst_ratio(
    reference: &Exact<'_>,
    (rate, frames): (f64, usize),
    skeleton: &Skeleton,
    packed: &PackedAnimation<'_>,
    numbers: &mut Numbers,
    random: usize,
) -> (f64, f32, usize) {
    let (mut cursor, mut pose) = (PackedCursor::new(), Pose::rest(skeleton));
    let mut worst = (0.0, 0.0, 0);
    for frame in 0..frames.max(2) - 1 {
        for place in places(numbers, random) {
            let time = ((frame as f64 + place) / rate) as f32;
            let time = time.min(packed.length());
            packed.sample(time, &mut cursor, &mut pose).unwrap();
            let (error, joint) = reference.error(time, &pose);
            let ratio = error / f64::from(packed.max_error());
            if ratio > worst.0 {
                worst = (ratio, time, joint);
            }
        }
    }
    worst
}

fn rotation_about(axis: Vec3, degrees: f64) -> Quat {
    let axis = axis.normalize_or(Vec3::X);
    let half = degrees.to_radians() / 2.0;
    let sine = half.sin() as f32;
    Quat::from_xyzw(
        axis.x * sine,
        axis.y * sine,
        axis.z * sine,
        half.cos() as f32,
    )
}

fn joint(name: &str, parent: Option<usize>, position: Vec3) -> Joint {
    Joint {
        name: name.to_owned(),
        parent: parent.map(JointIndex::from),
        rest: Transform::from_position(position),
        tip: None,
    }
}

fn animation(
    tracks: Vec<(String, Vec<Quat>, Option<Vec<Vec3>>)>,
    rate: f64,
    frames: usize,
) -> Animation {
    let mut animation = Animation::new("motion", ((frames - 1) as f64 / rate) as f32);
    animation.frame_rate = Some(rate);
    for (name, rotations, positions) in tracks {
        let times = KeyTimes::uniform(rate, frames).unwrap();
        let rotation = Channel::new(times.clone(), rotations, Interpolation::Linear).unwrap();
        let position =
            positions.map(|all| Channel::new(times, all, Interpolation::Linear).unwrap());
        animation.tracks.push(TransformTrack {
            rotation: Some(rotation),
            position,
            ..TransformTrack::new(name)
        });
    }
    animation
}

/// A bone of a metre that turns by so many degrees per frame.
fn spinning_bone(degrees: f64, rate: f64, frames: usize) -> (Skeleton, Animation) {
    let joints = vec![
        joint("hub", None, Vec3::ZERO),
        joint("end", Some(0), Vec3::new(0.0, 1.0, 0.0)),
    ];
    let turns = (0..frames).map(|frame| rotation_about(Vec3::Z, degrees * frame as f64));
    let tracks = vec![("hub".to_owned(), turns.collect(), None)];
    (
        Skeleton::new(joints).unwrap(),
        animation(tracks, rate, frames),
    )
}

fn packed(
    skeleton: &Skeleton,
    animation: &Animation,
    max_error: f32,
    profile: Profile,
) -> PackedAnimation<'static> {
    let settings = CompressSettings { max_error, profile };
    compress(skeleton, animation, &settings).unwrap()
}

/// A bone of a metre that turns by 5 to 179 degrees per frame is within its bound at random times between frames, not
/// only where linear and spherical interpolation agree, and `verify` proves it.
#[test]
fn a_spinning_bone_is_within_its_bound_between_frames() {
    assert_spins_within_bounds(&[5.0, 60.0, 179.0]);
}

#[test]
#[ignore = "exhaustive: takes seconds of CPU; .ci/run runs it"]
fn a_spinning_bone_is_within_its_bound_between_frames_exhaustively() {
    assert_spins_within_bounds(&[
        5.0, 10.0, 20.0, 40.0, 60.0, 90.0, 120.0, 150.0, 170.0, 179.0,
    ]);
}

/// Checks a bone that turns by so many degrees per frame.
fn assert_spins_within_bounds(all_degrees: &[f64]) {
    let mut plain = 0;
    let mut count = 0;
    for &degrees in all_degrees {
        let (skeleton, animation) = spinning_bone(degrees, 30.0, 61);
        let reference = Exact::new(&skeleton, &animation);
        for max_error in [1e-5, 1e-4, 1e-3, 1e-2] {
            for profile in PROFILES {
                let packed = packed(&skeleton, &animation, max_error, profile);
                let mut numbers = Numbers::new(degrees as u64);
                let (ratio, time, joint) =
                    worst_ratio(&reference, (30.0, 61), &skeleton, &packed, &mut numbers, 16);
                let what = format!("{degrees} degrees, {max_error} m, {profile:?}");
                assert!(
                    ratio <= 1.0,
                    "{what}: {ratio} of the bound at {time}, joint {joint}"
                );
                let proven = verify(&packed, &skeleton, &animation, |_, _| ()).unwrap();
                assert!(proven.metres <= f64::from(max_error), "{what}: {proven:?}");
                let error = ratio * f64::from(max_error);
                if packed.packing() == Packing::Plain {
                    plain += 1;
                } else {
                    assert!(proven.metres >= error, "{what}: {error}, proven {proven:?}");
                }
                count += 1;
            }
        }
    }
    // A hundredth of a millimetre a metre away is at the limit of `f32`.
    assert!(
        plain * 2 <= count,
        "{plain} of {count} are kept as they were"
    );
}

/// Random skeletons whose joints spin by up to 179 degrees per frame, sway and are still, at bounds from 0.01 to 10 mm.
#[test]
fn random_motions_are_within_their_bound_at_random_times() {
    // Few cases may have many motions for which no packing is smaller than the source.
    assert_random_motions_within_bounds(15, 1);
}

#[test]
#[ignore = "exhaustive: takes seconds of CPU; .ci/run runs it"]
fn random_motions_are_within_their_bound_at_random_times_exhaustively() {
    assert_random_motions_within_bounds(60, 3);
}

/// Checks random motions, of which at least `ratio` times as many are packed as are kept as they are.
fn assert_random_motions_within_bounds(cases: u64, ratio: usize) {
    let mut packings = [0; 2];
    for case in 0..cases {
        let mut numbers = Numbers::new(1000 + case);
        let (skeleton, animation, rate, frames) = random_motion(&mut numbers);
        let reference = Exact::new(&skeleton, &animation);
        let max_error = [1e-5, 1e-4, 1e-3, 1e-2][numbers.below(4)];
        for profile in PROFILES {
            let packed = packed(&skeleton, &animation, max_error, profile);
            let (ratio, time, joint) = worst_ratio(
                &reference,
                (rate, frames),
                &skeleton,
                &packed,
                &mut numbers,
                16,
            );
            let what = format!(
                "case {case}: {} joints, {frames} frames at {rate}, {max_error} m, {}",
                skeleton.len(),
                packed.packing()
            );
            assert!(
                ratio <= 1.0,
                "{what}: {ratio} of the bound at {time}, joint {joint}"
            );
            let proven = verify(&packed, &skeleton, &animation, |_, _| ()).unwrap();
            assert!(proven.metres <= f64::from(max_error), "{what}: {proven:?}");
            packings[usize::from(packed.packing() == Packing::Plain)] += 1;
        }
    }
    assert!(
        packings[1] * ratio <= packings[0],
        "{packings:?} packed and plain"
    );
}

fn random_motion(numbers: &mut Numbers) -> (Skeleton, Animation, f64, usize) {
    let count = 1 + numbers.below(12);
    let rate = [24.0, 30.0, 60.0, 120.0, 23.976][numbers.below(5)];
    let frames = 2 + numbers.below(40);
    let mut joints = Vec::new();
    let mut tracks = Vec::new();
    let mut path: Vec<usize> = Vec::new();
    for index in 0..count {
        // Joints come depth first.
        path.truncate(path.len() - numbers.below(3).min(path.len().max(1) - 1));
        let parent = path.last().copied();
        path.push(index);
        let name = format!("joint {index}");
        let mut new_joint = joint(&name, parent, numbers.vec3() * 0.5);
        new_joint.tip = (numbers.below(3) == 0).then(|| numbers.vec3() * 0.2);
        if numbers.below(8) == 0 {
            new_joint.rest.scale = Vec3::ONE + numbers.vec3() * 0.2;
        }
        joints.push(new_joint);
        let axis = numbers.vec3();
        let base = numbers.quat();
        let kind = numbers.below(4);
        let step = 5.0 + 87.0 * (f64::from(numbers.next()) + 1.0);
        let mut turned = 0.0;
        let rotations = (0..frames).map(|frame| {
            let angle = match kind {
                // Still, an even spin, sway, and jumps either way as of a wrist that flips.
                0 => 0.0,
                1 => step * frame as f64,
                2 => 40.0 * (frame as f64 * 0.4 + f64::from(numbers.next()) * 0.02).sin(),
                _ => {
                    if numbers.below(6) == 0 {
                        turned += step * f64::from(numbers.next());
                    }
                    turned
                }
            };
            sinew::math::quat_normalize(sinew::math::quat_mul(rotation_about(axis, angle), base))
        });
        let rotations: Vec<Quat> = rotations.collect();
        let positions = (index == 0).then(|| {
            (0..frames)
                .map(|frame| Vec3::X * frame as f32 * 0.05 + numbers.vec3() * 0.01)
                .collect()
        });
        tracks.push((name, rotations, positions));
    }
    let skeleton = Skeleton::new(joints).unwrap();
    (skeleton, animation(tracks, rate, frames), rate, frames)
}

/// Frames joined by straight lines between quaternions are right at frames and half-way, and off between: `verify`
/// must say so. Keys at an eighth of a frame make it visible to nothing that looks at frames and halves only.
#[test]
fn verify_finds_errors_that_frames_and_half_frames_do_not_show() {
    for (degrees, factor) in [(20.0, 1.5), (60.0, 40.0), (170.0, 300.0)] {
        let frames = 31;
        let (skeleton, source) = spinning_bone(degrees, 30.0, frames);
        let keys = source.tracks[0]
            .rotation
            .as_ref()
            .unwrap()
            .values()
            .to_vec();
        let dense = (0..(frames - 1) * 8 + 1).map(|index| {
            let (frame, t) = (index / 8, (index % 8) as f32 / 8.0);
            let (a, b) = (keys[frame], keys[(frame + 1).min(frames - 1)]);
            let b = if a.dot(b) < 0.0 { -b } else { b };
            sinew::math::quat_normalize(a * (1.0 - t) + b * t)
        });
        let tracks = vec![("hub".to_owned(), dense.collect(), None)];
        let straight = animation(tracks, 240.0, (frames - 1) * 8 + 1);
        for profile in PROFILES {
            let packed = packed(&skeleton, &straight, 1e-4, profile);
            let verified = verify(&packed, &skeleton, &straight, |_, _| ()).unwrap();
            assert!(verified.metres <= 1e-4, "{degrees}: {verified:?}");
            // At frames and half-way it is as near to the source as it is to what it was made from.
            let reference = Exact::new(&skeleton, &source);
            let (mut cursor, mut pose) = (PackedCursor::new(), Pose::rest(&skeleton));
            for half in 0..2 * (frames - 1) {
                let time = half as f32 / 60.0;
                packed.sample(time, &mut cursor, &mut pose).unwrap();
                let (error, _) = reference.error(time, &pose);
                assert!(error <= 1.1e-4, "{degrees}: {error} at {time}");
            }
            let found = verify(&packed, &skeleton, &source, |_, _| ()).unwrap();
            assert!(found.metres > 1e-4, "{degrees}: {found:?}");
            assert!(found.found > factor * 1e-4, "{degrees}: {found:?}");
        }
    }
}

/// A clip that is cut a frame shorter is not larger, within a tenth: no length falls into rows that are twice as many.
#[test]
fn size_grows_with_length() {
    let (count, rate, most) = (10, 120.0, 96);
    let mut joints = Vec::new();
    let mut all: Vec<(String, Vec<Quat>)> = Vec::new();
    let mut numbers = Numbers::new(77);
    for index in 0..count {
        let name = format!("joint {index}");
        let parent = (index % 4 != 0)
            .then(|| index - 1)
            .or((index > 0).then_some(0));
        joints.push(joint(&name, parent, numbers.vec3() * 0.3));
        let (axis, other) = (numbers.vec3(), numbers.vec3());
        let phase = f64::from(numbers.next()) * 3.0;
        let rotations = (0..most).map(|frame| {
            // Sway, and the noise of a capture.
            let swing = 35.0 * (frame as f64 * 0.06 + phase).sin();
            let noise = 0.05 * f64::from(numbers.next());
            let tilt = 12.0 * (frame as f64 * 0.11).cos() + noise;
            sinew::math::quat_mul(rotation_about(axis, swing), rotation_about(other, tilt))
        });
        all.push((name, rotations.collect()));
    }
    let skeleton = Skeleton::new(joints).unwrap();
    for profile in PROFILES {
        for max_error in [1e-4, 1e-3] {
            let lengths: Vec<usize> = (24..=most).step_by(3).collect();
            let bytes = lengths.iter().map(|&frames| {
                let tracks = all.iter().map(|(name, rotations)| {
                    let rotations: Vec<Quat> = rotations[..frames].to_vec();
                    (name.clone(), rotations, None)
                });
                let cut = animation(tracks.collect(), rate, frames);
                sinew_author::packed::byte_len(&packed(&skeleton, &cut, max_error, profile))
            });
            let bytes: Vec<usize> = bytes.collect();
            for (index, &short) in bytes.iter().enumerate() {
                for (longer, &long) in bytes.iter().enumerate().skip(index + 1) {
                    assert!(
                        short as f64 <= 1.1 * long as f64,
                        "{profile:?}, {max_error} m: {} frames {short} bytes, {} frames {long}",
                        lengths[index],
                        lengths[longer]
                    );
                }
            }
        }
    }
}
