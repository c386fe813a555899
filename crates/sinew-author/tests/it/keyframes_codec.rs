//! Keys on curves: the promised error is kept, short and still motions are short, and no bytes do harm.

use proptest::prelude::*;
use sinew::animation::{Channel, Interpolation, KeyTimes, TransformTrack};
use sinew::glam::{Quat, Vec3};
use sinew::math::{quat_normalize, quat_slerp};
use sinew::packed::keyframes::{KeyedAnimation, KeyedBytesError, MAX_FRAMES};
use sinew::{Animation, Joint, JointIndex, Pose, Sampler, Skeleton, Transform};
use sinew_author::keyframes::{FitError, FitSettings, fit};
use sinew_author::measure::ErrorMeter;
use sinew_author::packed::keyframes;

const RATE: f64 = 30.0;

/// An arm: three joints and a tip, 0.3 m apart.
fn arm() -> Skeleton {
    let joint = |index: usize, name: &str| Joint {
        name: name.into(),
        parent: index.checked_sub(1).map(JointIndex::from),
        rest: Transform::from_position(Vec3::new(0.0, 0.3, 0.0)),
        tip: (index == 2).then_some(Vec3::new(0.1, 0.3, 0.0)),
    };
    let names = ["shoulder", "elbow", "wrist"];
    let joints = names
        .iter()
        .enumerate()
        .map(|(index, name)| joint(index, name));
    Skeleton::new(joints.collect()).unwrap()
}

/// An animation of `count` frames that turns the joints so, one list each.
fn turning(count: usize, rotation: impl Fn(usize, usize) -> Quat) -> Animation {
    let length = ((count - 1) as f64 / RATE) as f32;
    let mut animation = Animation::new("turning", length);
    animation.frame_rate = Some(RATE);
    for (joint, name) in ["shoulder", "elbow", "wrist"].into_iter().enumerate() {
        let values = (0..count).map(|frame| rotation(joint, frame)).collect();
        let times = KeyTimes::uniform(RATE, count).unwrap();
        animation.tracks.push(TransformTrack {
            rotation: Some(Channel::new(times, values, Interpolation::Linear).unwrap()),
            ..TransformTrack::new(name)
        });
    }
    animation
}

fn smooth(joint: usize, frame: usize) -> Quat {
    let t = frame as f32 * 0.07 + joint as f32;
    quat_normalize(Quat::from_xyzw(t.sin(), (t * 0.7).cos() * 0.5, 0.2, 1.0))
}

fn within(max_error: f32) -> FitSettings {
    FitSettings { max_error }
}

/// The error at frames and half frames, measured from without and at times in seconds.
fn measured(skeleton: &Skeleton, animation: &Animation, keyed: &KeyedAnimation) -> f64 {
    let mut meter = ErrorMeter::new(skeleton);
    let mut sampler = Sampler::new(skeleton, animation);
    let mut pose = Pose::rest(skeleton);
    let mut worst = 0.0;
    for half in 0..2 * keyed.frame_count() - 1 {
        let time = (half as f64 * 0.5 / keyed.frame_rate()) as f32;
        keyed.sample(time, &mut pose).unwrap();
        let error = meter.measure(sampler.pose_at(time), &pose).unwrap();
        worst = f64::max(worst, error.metres);
    }
    worst
}

/// Times are rounded to `f32` on the way in, which moves what is sampled by this much at most here.
const TIME_ROUNDING: f64 = 2e-6;

#[test]
fn motions_that_are_too_long_are_refused() {
    let skeleton = arm();
    let mut long = turning(10, smooth);
    long.length = (MAX_FRAMES as f64 / RATE) as f32;
    let error = fit(&skeleton, &long, &within(0.01)).unwrap_err();
    assert_eq!(
        error,
        FitError::ClipTooLong {
            frames: MAX_FRAMES + 1
        }
    );
    long.length = f32::INFINITY;
    assert!(matches!(
        fit(&skeleton, &long, &within(0.01)),
        Err(FitError::ClipTooLong { .. })
    ));
    long.length = f32::NAN;
    assert_eq!(
        fit(&skeleton, &long, &within(0.01)).unwrap().frame_count(),
        1
    );
}

#[test]
fn the_longest_motion_fits() {
    let skeleton = arm();
    let mut long = turning(MAX_FRAMES, |joint, frame| smooth(joint, frame / 64));
    long.tracks.truncate(1);
    let keyed = fit(&skeleton, &long, &within(0.05)).unwrap();
    assert_eq!(keyed.frame_count(), MAX_FRAMES);
    assert_eq!(keyed.rotation_frames(JointIndex(0)).last(), Some(&u16::MAX));
    assert_eq!(
        KeyedAnimation::read(&keyframes::to_bytes(&keyed)),
        Ok(keyed)
    );
}

#[test]
fn an_error_below_the_resolution_of_48_bits_is_refused_with_the_error_reached() {
    let (skeleton, animation) = (arm(), turning(40, smooth));
    let Err(FitError::TooFine {
        wanted, reached, ..
    }) = fit(&skeleton, &animation, &within(1e-6))
    else {
        panic!("a micrometre is below what 48 bits can say");
    };
    assert!(
        wanted == 1e-6 && reached > 1e-6 && reached < 3e-4,
        "{reached}"
    );
    let enough = fit(&skeleton, &animation, &within(reached as f32 * 1.0001)).unwrap();
    assert!(enough.error() <= reached * 1.0001);
}

#[test]
fn without_a_limit_every_frame_is_kept() {
    let (skeleton, animation) = (arm(), turning(40, smooth));
    for max_error in [0.0, -0.0, -1.0, f32::NAN, f32::NEG_INFINITY] {
        let keyed = fit(&skeleton, &animation, &within(max_error)).unwrap();
        let all: Vec<u16> = (0..40).collect();
        for joint in 0..3 {
            assert_eq!(keyed.rotation_frames(JointIndex(joint)), all);
        }
        assert!(keyed.error() < 3e-4, "{}", keyed.error());
    }
    let anything = fit(&skeleton, &animation, &within(f32::INFINITY)).unwrap();
    assert_eq!(anything.key_count(), 3);
}

#[test]
fn short_motions_fit() {
    let skeleton = arm();
    for count in 1..=5 {
        let animation = turning(count, |joint, frame| smooth(joint, frame * 9));
        for max_error in [f32::NAN, 0.001, 0.05] {
            let keyed = fit(&skeleton, &animation, &within(max_error)).unwrap();
            assert_eq!(keyed.frame_count(), count);
            assert!(max_error.is_nan() || keyed.error() <= f64::from(max_error));
            assert!(measured(&skeleton, &animation, &keyed) <= keyed.error() + TIME_ROUNDING);
            assert!(keyed.key_count() <= 3 * count);
            assert_eq!(keyed.length(), animation.length);
        }
    }
}

#[test]
fn constant_tracks_are_one_key() {
    let skeleton = arm();
    let mut still = turning(100, |joint, _| smooth(joint, 3));
    let times = KeyTimes::uniform(RATE, 100).unwrap();
    let held =
        |value| Channel::new(times.clone(), vec![value; 100], Interpolation::Linear).unwrap();
    let (position, scale) = (Vec3::new(0.1, 0.77, -0.3), Vec3::new(1.0, 1.1, 0.9));
    still.tracks[1].position = Some(held(position));
    still.tracks[1].scale = Some(held(scale));
    let keyed = fit(&skeleton, &still, &within(0.002)).unwrap();
    assert_eq!(keyed.key_count(), 5);
    // Vectors that do not change are exact.
    let mut pose = Pose::rest(&skeleton);
    keyed.sample(1.3, &mut pose).unwrap();
    assert_eq!(pose.position(JointIndex(1)), position);
    assert_eq!(pose.scale(JointIndex(1)), scale);
}

#[test]
fn flipped_quaternion_signs_make_no_motion() {
    let skeleton = arm();
    let flipping = turning(60, |joint, frame| {
        let smooth = smooth(joint, frame);
        if frame % 3 == 0 { -smooth } else { smooth }
    });
    let keyed = fit(&skeleton, &flipping, &within(0.004)).unwrap();
    let plain = fit(&skeleton, &turning(60, smooth), &within(0.004)).unwrap();
    assert!(measured(&skeleton, &flipping, &keyed) <= 0.004 + TIME_ROUNDING);
    assert!(keyed.key_count() <= plain.key_count() + 3);
    assert!(keyed.key_count() < 45, "{}", keyed.key_count());
}

#[test]
fn positions_and_scales_are_fitted_too() {
    let skeleton = arm();
    let mut animation = turning(120, smooth);
    let times = KeyTimes::uniform(RATE, 120).unwrap();
    let moving = |change: &dyn Fn(f32) -> Vec3| {
        let values = (0..120).map(|frame| change(frame as f32 * 0.05)).collect();
        Channel::new(times.clone(), values, Interpolation::Linear).unwrap()
    };
    animation.tracks[0].position = Some(moving(&|t| Vec3::new(t, t.sin(), (2.0 * t).cos())));
    animation.tracks[1].scale = Some(moving(&|t| Vec3::new(1.0, 1.0 + 0.3 * t.sin(), 1.0)));
    for max_error in [0.001, 0.01, 0.1] {
        let keyed = fit(&skeleton, &animation, &within(max_error)).unwrap();
        let error = measured(&skeleton, &animation, &keyed);
        assert!(error <= f64::from(max_error) + TIME_ROUNDING, "{error}");
        assert!((error - keyed.error()).abs() < TIME_ROUNDING);
        // At a millimetre the curve must follow the source's lines from frame to frame.
        let most = if max_error < 0.01 { 5 * 110 } else { 5 * 60 };
        assert!(
            keyed.key_count() < most,
            "{max_error}: {}",
            keyed.key_count()
        );
    }
}

#[test]
fn tracks_without_joints_and_joints_without_tracks_are_left_out() {
    let skeleton = arm();
    let mut animation = turning(30, smooth);
    animation.tracks[0].name = "tail".into();
    animation.tracks.remove(2);
    let keyed = fit(&skeleton, &animation, &within(0.01)).unwrap();
    assert_eq!(keyed.joints().collect::<Vec<_>>(), [JointIndex(1)]);
    let nothing = fit(&skeleton, &Animation::new("nothing", 2.0), &within(0.01)).unwrap();
    assert_eq!((nothing.key_count(), nothing.error()), (0, 0.0));
    assert_eq!(nothing.length(), 2.0);
    assert_eq!(
        KeyedAnimation::read(&keyframes::to_bytes(&nothing)),
        Ok(nothing)
    );
}

#[test]
fn the_last_frame_meets_the_end_of_motions_without_a_rate() {
    let skeleton = arm();
    let (a, b) = (smooth(0, 0), smooth(0, 30));
    let keys = [(0.0, a), (0.4, b), (0.995, a)];
    let mut animation = Animation::new("drawn", 0.995);
    animation.tracks.push(TransformTrack {
        rotation: Some(Channel::from_keys(keys, Interpolation::Linear).unwrap()),
        ..TransformTrack::new("elbow")
    });
    let keyed = fit(&skeleton, &animation, &within(0.01)).unwrap();
    assert_eq!(keyed.frame_count(), 61);
    assert!((keyed.length() - 0.995).abs() < 1e-6);
    let mut pose = Pose::rest(&skeleton);
    keyed.sample(0.995, &mut pose).unwrap();
    assert!(sinew::math::quat_angle(pose.rotation(JointIndex(1)), a) < 0.01);
}

#[test]
fn times_beyond_the_ends_are_clamped() {
    let (skeleton, animation) = (arm(), turning(31, smooth));
    let keyed = fit(&skeleton, &animation, &within(0.001)).unwrap();
    let at = |time: f32| {
        let mut pose = Pose::rest(&skeleton);
        keyed.sample(time, &mut pose).unwrap();
        pose
    };
    let looped = |time: f32| {
        let mut pose = Pose::rest(&skeleton);
        keyed.sample_looped(time, &mut pose).unwrap();
        pose
    };
    for early in [-1.0, f32::NAN, f32::NEG_INFINITY, -0.0] {
        assert_eq!(at(early), at(0.0));
    }
    for late in [1.5, f32::MAX, f32::INFINITY] {
        assert_eq!(at(late), at(1.0));
    }
    assert_ne!(at(0.0), at(1.0));
    let mut meter = ErrorMeter::new(&skeleton);
    for (time, same) in [(1.25, 0.25), (-0.25, 0.75), (7.5, 0.5), (0.5, 0.5)] {
        let apart = meter.measure(&looped(time), &at(same)).unwrap().metres;
        assert!(apart < 1e-5, "{time}: {apart}");
    }
    for strange in [f32::NAN, f32::INFINITY, f32::MAX, -f32::MAX] {
        assert!(looped(strange).is_finite());
    }
    let mut other = Pose::rest(&Skeleton::new(skeleton.joints()[..2].to_vec()).unwrap());
    assert!(keyed.sample(0.0, &mut other).is_err());
    assert!(keyed.sample_looped(0.0, &mut other).is_err());
}

fn some_bytes() -> Vec<u8> {
    let skeleton = arm();
    let mut animation = turning(12, |joint, frame| smooth(joint, frame * 3));
    let times = KeyTimes::uniform(RATE, 12).unwrap();
    let values = (0..12)
        .map(|frame| Vec3::new(0.0, frame as f32, 1.0))
        .collect();
    animation.tracks[0].position =
        Some(Channel::new(times, values, Interpolation::Linear).unwrap());
    animation.tracks[2].scale = Some(Channel::constant(Vec3::new(1.0, 1.2, 1.0)).unwrap());
    keyframes::to_bytes(&fit(&skeleton, &animation, &within(0.005)).unwrap())
}

/// Whatever was read can be sampled, and written as it was read.
fn is_sound(bytes: &[u8]) {
    let Ok(keyed) = KeyedAnimation::read(bytes) else {
        return;
    };
    assert_eq!(keyframes::byte_len(&keyed), bytes.len());
    assert_eq!(keyframes::to_bytes(&keyed), bytes);
    let skeleton = arm();
    let mut pose = Pose::rest(&skeleton);
    for time in [0.0, 0.1, 0.21, 0.37, 1e9, f32::NAN] {
        let _ = keyed.sample(time, &mut pose);
        let _ = keyed.sample_looped(time, &mut pose);
        for joint in 0..3 {
            let length = pose
                .rotation(JointIndex(joint))
                .to_array()
                .iter()
                .map(|n| n * n)
                .sum::<f32>();
            assert!((length - 1.0).abs() < 1e-4);
        }
    }
}

/// The first version of the format, byte by byte: it stays readable.
#[test]
fn bytes_of_version_1_are_read_to_the_same_keys() {
    let parts: [&[u8]; 19] = [
        b"SNKY",
        &[1],
        // Three joints, three frames, 30 per second, half a metre off, one track.
        &[3, 0, 0, 0],
        &[3, 0, 0, 0],
        &[0, 0, 0, 0, 0, 0, 0x3e, 0x40],
        &[0, 0, 0, 0, 0, 0, 0xe0, 0x3f],
        &[1, 0, 0, 0],
        // The second joint turns and moves.
        &[1, 0, 0, 0],
        &[3],
        // Two keys, on the first frame and the last: no turn, and half a turn about z, negated.
        &[2, 0, 0, 0],
        &[0, 0, 2, 0],
        &[0xff, 0x3f, 0xff, 0x3f, 0xff, 0x3f],
        &[0xff, 0xbf, 0xff, 0xbf, 0xff, 0xbf],
        // One key, two steps of a quarter from -1 along y.
        &[1, 0, 0, 0],
        &[0, 0, 0, 0, 0, 0, 0x80, 0xbf, 0, 0, 0, 0],
        &[0, 0, 0, 0, 0, 0, 0x80, 0x3e, 0, 0, 0, 0],
        &[1, 0],
        &[0, 0, 2, 0],
        &[0, 0],
    ];
    let bytes = parts.concat();
    let keyed = KeyedAnimation::read(&bytes).unwrap();
    assert_eq!((keyed.joint_count(), keyed.frame_count()), (3, 3));
    assert_eq!((keyed.frame_rate(), keyed.error()), (30.0, 0.5));
    let mut pose = Pose::rest(&arm());
    keyed.sample(0.0, &mut pose).unwrap();
    assert_eq!(pose.rotation(JointIndex(1)), Quat::IDENTITY);
    assert_eq!(pose.position(JointIndex(1)), Vec3::new(0.0, -0.5, 0.0));
    keyed.sample(1.0, &mut pose).unwrap();
    assert_eq!(
        pose.rotation(JointIndex(1)),
        Quat::from_xyzw(0.0, 0.0, -1.0, 0.0)
    );
    // Half way between the two, by a line and brought to length 1.
    keyed.sample(1.0 / 30.0, &mut pose).unwrap();
    let half = std::f32::consts::FRAC_1_SQRT_2;
    let expected = Quat::from_xyzw(0.0, 0.0, -half, half);
    assert!(sinew::math::quat_angle(pose.rotation(JointIndex(1)), expected) < 1e-6);
    is_sound(&bytes);
}

#[test]
fn bytes_truncated_anywhere_are_refused() {
    let bytes = some_bytes();
    for end in 0..bytes.len() {
        assert!(KeyedAnimation::read(&bytes[..end]).is_err(), "{end}");
    }
    let mut more = bytes.clone();
    more.push(0);
    let error = KeyedAnimation::read(&more).unwrap_err();
    let offset = bytes.len();
    assert_eq!(
        error,
        KeyedBytesError::Wrong {
            offset,
            expected: "the end",
            found: "1 more bytes".into()
        }
    );
    is_sound(&bytes);
}

#[test]
fn bytes_with_any_bit_flipped_are_refused_or_sampled() {
    let bytes = some_bytes();
    for bit in 0..bytes.len() * 8 {
        let mut flipped = bytes.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        is_sound(&flipped);
    }
    for index in 0..bytes.len() {
        for byte in [0, 0x7f, 0x80, 0xff] {
            let mut changed = bytes.clone();
            changed[index] = byte;
            is_sound(&changed);
        }
    }
}

#[test]
fn errors_of_bytes_name_the_field() {
    let bytes = some_bytes();
    let refused = |index: usize, with: &[u8]| {
        let mut changed = bytes.clone();
        changed[index..index + with.len()].copy_from_slice(with);
        KeyedAnimation::read(&changed).unwrap_err().to_string()
    };
    let huge = u32::MAX.to_le_bytes();
    assert_eq!(
        refused(0, b"NKYS"),
        "at byte 0: expected the letters SNKY, found [78, 75, 89, 83]"
    );
    assert_eq!(refused(4, &[2]), "at byte 4: expected version 1, found 2");
    assert_eq!(
        refused(5, &[0; 4]),
        "at byte 5: expected a number of joints above 0, found 0"
    );
    assert_eq!(
        refused(9, &huge),
        "at byte 9: expected 1 to 65536 frames, found 4294967295"
    );
    assert_eq!(
        refused(9, &[0; 4]),
        "at byte 9: expected 1 to 65536 frames, found 0"
    );
    for rate in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(refused(13, &rate.to_le_bytes()).contains("a frame rate above 0"));
    }
    for error in [-1.0, f64::NAN] {
        assert!(refused(21, &error.to_le_bytes()).contains("an error that is not below 0"));
    }
    assert!(refused(29, &huge).contains("a number of tracks"));
    // The first track: its joint, its channels, its keys.
    assert!(refused(33, &[3, 0, 0, 0]).contains("joints that rise, below their number, found 3"));
    assert!(refused(37, &[0]).contains("channels of a joint"));
    assert!(refused(37, &[8]).contains("channels of a joint"));
    assert!(refused(38, &huge).contains("a number of keys"));
    assert!(refused(38, &[0; 4]).contains("at least one key"));
    assert!(refused(42, &[12, 0]).contains("frames of keys that rise"));
    assert_eq!(
        KeyedAnimation::read(&bytes[..20]).unwrap_err().to_string(),
        "the bytes end at 20, within a frame rate above 0 at byte 13"
    );
}

#[test]
fn ranges_that_are_not_finite_or_too_large_are_refused() {
    let skeleton = arm();
    let mut animation = Animation::new("held", 0.0);
    animation.tracks.push(TransformTrack {
        position: Some(Channel::constant(Vec3::ONE).unwrap()),
        ..TransformTrack::new("shoulder")
    });
    let bytes = keyframes::to_bytes(&fit(&skeleton, &animation, &within(0.01)).unwrap());
    for number in 0..6 {
        for bad in [f32::NAN, f32::INFINITY, f32::MAX] {
            let mut changed = bytes.clone();
            let offset = 42 + number * 4;
            changed[offset..offset + 4].copy_from_slice(&bad.to_le_bytes());
            assert!(KeyedAnimation::read(&changed).is_err());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    /// Turns between random rotations at random paces: near-still, smooth and jumping.
    #[test]
    fn any_motion_is_within_its_error_bound(
        rotations in prop::collection::vec(prop::array::uniform4(-1.0_f32..1.0), 6..20),
        count in 1_usize..150,
        pace in 0.001_f32..0.7,
        max_error in prop::sample::select(vec![0.0006_f32, 0.003, 0.02, 0.2]),
    ) {
        let skeleton = arm();
        let key = |index: usize| {
            let [x, y, z, w] = rotations[index % rotations.len()];
            quat_normalize(Quat::from_xyzw(x, y, z, w + 1.5))
        };
        let animation = turning(count, |joint, frame| {
            let at = frame as f32 * pace;
            let whole = at as usize;
            quat_slerp(key(whole + joint), key(whole + joint + 1), at.fract())
        });
        let keyed = fit(&skeleton, &animation, &within(max_error)).unwrap();
        prop_assert!(keyed.error() <= f64::from(max_error));
        let error = measured(&skeleton, &animation, &keyed);
        // Fast motion goes a metre in a frame, and times are rounded.
        prop_assert!((error - keyed.error()).abs() <= 1e-5, "{error} {}", keyed.error());
        prop_assert!(keyed.key_count() <= 3 * count);
        prop_assert_eq!(KeyedAnimation::read(&keyframes::to_bytes(&keyed)), Ok(keyed));
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        is_sound(&bytes);
        let mut begun = some_bytes();
        begun.truncate(40);
        begun.extend(bytes);
        is_sound(&begun);
    }
}
