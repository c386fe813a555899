//! Compression of anything: nowhere further off than it may be, never larger than the source, the same from its
//! bytes. Measured by these tests through the public API, at frames and half-way between.

use sinew::animation::{
    Channel, ChannelWeights, Interpolation, KeyTimes, MetaValue, TransformTrack,
};
use sinew::glam::{Quat, Vec3};
use sinew::math::quat_dot;
use sinew::packed::Packing;
use sinew::{Animation, PackedAnimation, PackedCursor, Pose, Sampler, Skeleton};
use sinew_author::compress::{CompressError, Profile, verify};
use sinew_author::measure::ErrorMeter;
use sinew_testing::packed::{
    Build, MOTIONS, Motion, Numbers, SHAPES, Shape, error_at, moments, packed, pose_bits,
};

const ROWS: [Profile; 2] = [Profile::Small, Profile::Fast];

/// In metres; from below what `f32` can say of a figure to more than the figure.
const BOUNDS: [f32; 6] = [1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 10.0];

/// Compresses, and holds the result to everything that is promised of it.
fn check(
    skeleton: &Skeleton,
    animation: &Animation,
    max_error: f32,
    profile: Profile,
    what: &str,
) -> PackedAnimation<'static> {
    let plain = packed(skeleton, animation, 0.0, profile).unwrap();
    assert_eq!(plain.packing(), Packing::Plain, "{what}");
    let packed = packed(skeleton, animation, max_error, profile).unwrap();
    let moments = moments(animation);
    let error = error_at(skeleton, animation, &packed, &moments);
    // The source is sampled in `f32` here, unlike what the bound is of.
    let mut sampler = Sampler::new(skeleton, animation);
    let rounding = 1e-7 * (1.0 + size_of_figure(skeleton, sampler.pose_at(0.0)));
    assert!(
        error <= f64::from(max_error) + rounding,
        "{what}: {error} of {max_error}"
    );
    assert!(
        error <= f64::from(packed.error()) + rounding,
        "{what}: {error}, said to be {}",
        packed.error()
    );
    assert!(
        packed.error() <= max_error,
        "{what}: {} of {max_error}",
        packed.error()
    );
    assert_eq!(packed.max_error(), max_error);
    let again = verify(&packed, skeleton, animation, |_, _| ()).unwrap();
    assert!(
        again.metres <= f64::from(packed.error()),
        "{what}: {} of {}, {:?}",
        again.metres,
        packed.error(),
        packed.packing()
    );

    let bytes = sinew_author::packed::to_bytes(&packed);
    assert_eq!(
        bytes.len(),
        sinew_author::packed::byte_len(&packed),
        "{what}"
    );
    assert!(
        bytes.len() <= sinew_author::packed::byte_len(&plain),
        "{what}: {} bytes, plain {}",
        bytes.len(),
        sinew_author::packed::byte_len(&plain)
    );
    let costs: f64 = sinew_author::measure::joint_costs(&packed)
        .iter()
        .map(|cost| cost.bytes)
        .sum();
    assert!(costs <= bytes.len() as f64 + 1e-6, "{what}: {costs} bytes");
    same_from_bytes(&packed, &bytes, skeleton, &moments, what);
    same_as_animation(&packed, skeleton, animation, &moments, what);
    packed
}

fn same_from_bytes(
    packed: &PackedAnimation<'_>,
    bytes: &[u8],
    skeleton: &Skeleton,
    moments: &[f32],
    what: &str,
) {
    let read = PackedAnimation::from_bytes(bytes, skeleton, packed.info().clone());
    let read = read.unwrap_or_else(|error| panic!("{what}: {error}"));
    assert_eq!(sinew_author::packed::to_bytes(&read), bytes, "{what}");
    let (mut cursor, mut other) = (PackedCursor::new(), PackedCursor::new());
    let (mut pose, mut found) = (Pose::rest(skeleton), Pose::rest(skeleton));
    for &time in moments.iter().step_by(moments.len().div_ceil(50)) {
        packed.sample(time, &mut cursor, &mut pose).unwrap();
        read.sample(time, &mut other, &mut found).unwrap();
        assert!(
            pose_bits(&found) == pose_bits(&pose),
            "{what}: read at {time}"
        );
    }
}

/// The authoring form has the channels of the source, its rows where they were, and is as near at frames.
fn same_as_animation(
    packed: &PackedAnimation<'_>,
    skeleton: &Skeleton,
    animation: &Animation,
    moments: &[f32],
    what: &str,
) {
    let unpacked = sinew_author::compress::decompress(packed, skeleton).unwrap();
    assert_eq!(unpacked.length, animation.length, "{what}");
    assert_eq!(unpacked.name, animation.name, "{what}");
    assert_eq!(unpacked.frame_rate, animation.frame_rate, "{what}");
    let tracked = animation.tracks.iter();
    for track in tracked.filter(|track| skeleton.find(&track.name).is_some()) {
        let found = unpacked
            .tracks
            .iter()
            .rfind(|candidate| candidate.name == track.name);
        let Some(found) = found else {
            panic!("{what}: {} is gone", track.name);
        };
        let (kept, source) = (found.channels(), track.channels());
        assert!(kept.rotation >= source.rotation, "{what}: {}", track.name);
        assert!(kept.position >= source.position, "{what}: {}", track.name);
        assert!(kept.scale >= source.scale, "{what}: {}", track.name);
    }
    let longest = unpacked.tracks.iter().flat_map(|track| {
        let rotation = track.rotation.as_ref().map(Channel::times);
        let position = track.position.as_ref().map(Channel::times);
        [rotation, position].into_iter().flatten()
    });
    let Some(rows) = longest.max_by_key(|times| times.len()) else {
        return;
    };
    let mut sampler = Sampler::new(skeleton, &unpacked);
    let mut source = Sampler::new(skeleton, animation);
    let mut meter = ErrorMeter::new(skeleton);
    let (mut cursor, mut pose) = (PackedCursor::new(), Pose::rest(skeleton));
    let rows: Vec<f32> = rows
        .iter()
        .filter(|&time| time <= animation.length)
        .collect();
    for &time in rows.iter().step_by(rows.len().div_ceil(40)) {
        packed.sample(time, &mut cursor, &mut pose).unwrap();
        let found = sampler.pose_at(time);
        for joint in 0..skeleton.len() {
            let (a, b) = (pose.get(joint.into()), found.get(joint.into()));
            let near = |a: Vec3, b: Vec3| (a - b).length() <= 1e-6 * (1.0 + a.length());
            assert!(near(a.position, b.position), "{what}: {joint} at {time}");
            assert!(near(a.scale, b.scale), "{what}: {joint} at {time}");
            let apart = 1.0 - quat_dot(a.rotation, b.rotation).abs();
            assert!(apart < 1e-6, "{what}: {joint} at {time}: {apart}");
        }
        if moments.contains(&time) {
            let source = source.pose_at(time);
            let error = meter.measure(source, found).unwrap().metres;
            let held = meter.measure(source, &pose).unwrap().metres;
            // Normalised once more, some metres of bones away.
            let rounding = 1e-6 * (1.0 + size_of_figure(skeleton, found));
            assert!(error <= held + rounding, "{what}: {error} {held} at {time}");
        }
    }
}

/// How far joints are from the origin at most, along their bones.
fn size_of_figure(skeleton: &Skeleton, pose: &Pose) -> f64 {
    let mut model = sinew::ModelPose::new(skeleton);
    sinew::local_to_model(skeleton, pose, &mut model).unwrap();
    let joints = (0..skeleton.len()).map(|joint| f64::from(model.position(joint.into()).length()));
    joints.fold(0.0, f64::max) * skeleton.len() as f64
}

/// Another motion of the same skeleton is far off nearly everywhere. How far is bounded as closely as for the source
/// itself, from about as many moments, so that a mistaken source is told in no time.
#[test]
fn verifying_another_motion_samples_about_as_many_times() {
    for shape in SHAPES {
        let skeleton = Build::new(20, shape).skeleton(3);
        let [source, other] = [5, 6].map(|seed| Motion::Sway.animation(&skeleton, 120, 60.0, seed));
        for profile in ROWS {
            let packed = packed(&skeleton, &source, 1e-4, profile).unwrap();
            let of_source = verify(&packed, &skeleton, &source, |_, _| ()).unwrap();
            let of_other = verify(&packed, &skeleton, &other, |_, _| ()).unwrap();
            let sampled = error_at(&skeleton, &other, &packed, &moments(&other));
            assert!(of_other.found > 0.05, "{shape:?}: {}", of_other.found);
            assert!(of_other.metres >= sampled - 1e-6, "{shape:?}: {sampled}");
            assert!(
                of_other.metres <= 1.02 * of_other.found,
                "{shape:?}: {of_other:?}"
            );
            let (many, few) = (of_other.moments, of_source.moments);
            assert!(
                many < 4 * few,
                "{shape:?}, {profile:?}: {many} moments, {few} of the source"
            );
        }
    }
}

#[test]
fn invalid_error_bounds_are_refused() {
    let skeleton = Build::new(3, Shape::Chain).skeleton(1);
    let animation = Motion::Sway.animation(&skeleton, 10, 30.0, 1);
    for profile in [Profile::Small, Profile::Fast, Profile::Keyframes] {
        let infinite = [f32::INFINITY, f32::NEG_INFINITY];
        for max_error in [-1.0, -f32::MIN_POSITIVE, 1.1e12, f32::MAX]
            .into_iter()
            .chain(infinite)
        {
            assert_eq!(
                packed(&skeleton, &animation, max_error, profile).unwrap_err(),
                CompressError::MaxError { max_error }
            );
        }
        assert!(matches!(
            packed(&skeleton, &animation, f32::NAN, profile),
            Err(CompressError::MaxError { .. })
        ));
    }
}

#[test]
fn endless_animations_are_stored_without_loss() {
    let skeleton = Build::new(3, Shape::Chain).skeleton(1);
    let mut animation = Motion::Sway.animation(&skeleton, 10, 30.0, 1);
    for length in [f32::INFINITY, f32::NAN, f32::MAX, 1e9] {
        animation.length = length;
        for profile in [Profile::Small, Profile::Fast, Profile::Keyframes] {
            let packed = packed(&skeleton, &animation, 1e-4, profile).unwrap();
            assert_eq!(packed.packing(), Packing::Plain, "{length} {profile:?}");
        }
    }
}

#[test]
fn an_error_bound_of_zero_keeps_the_source_bit_for_bit() {
    for (seed, motion) in MOTIONS.into_iter().enumerate() {
        let skeleton = Build::new(9, Shape::Any).skeleton(seed as u64);
        let animation = motion.animation(&skeleton, 40, 60.0, seed as u64);
        for profile in [Profile::Small, Profile::Fast, Profile::Keyframes] {
            for zero in [0.0, -0.0] {
                let packed = packed(&skeleton, &animation, zero, profile).unwrap();
                assert_eq!((packed.packing(), packed.error()), (Packing::Plain, 0.0));
                let mut sampler = Sampler::new(&skeleton, &animation);
                let (mut cursor, mut pose) = (PackedCursor::new(), Pose::rest(&skeleton));
                for time in moments(&animation) {
                    packed.sample(time, &mut cursor, &mut pose).unwrap();
                    assert_eq!(pose_bits(&pose), pose_bits(sampler.pose_at(time)));
                }
            }
        }
    }
}

#[test]
fn every_kind_of_motion_is_within_every_error_bound() {
    // Each motion, each pair of a bound and a profile, but not all of their combinations: 5 is coprime to their number.
    assert_motions_within_bounds(5);
}

#[test]
#[ignore = "exhaustive: takes seconds of CPU; .ci/run runs it"]
fn every_kind_of_motion_is_within_every_error_bound_exhaustively() {
    assert_motions_within_bounds(1);
}

/// Checks each `stride`-th combination of a motion, a bound and a profile.
fn assert_motions_within_bounds(stride: usize) {
    let (mut plain, mut index, mut count) = (0, 0, 0);
    for (seed, motion) in MOTIONS.into_iter().enumerate() {
        let skeleton = Build::new(9, Shape::Any).skeleton(seed as u64);
        let animation = motion.animation(&skeleton, 70, 60.0, seed as u64);
        for max_error in BOUNDS {
            for profile in ROWS {
                index += 1;
                if !(index - 1_usize).is_multiple_of(stride) {
                    continue;
                }
                let what = format!("{motion:?}, {max_error} m, {profile:?}");
                let packed = check(&skeleton, &animation, max_error, profile, &what);
                count += 1;
                plain += usize::from(packed.packing() == Packing::Plain);
            }
        }
    }
    // Falling back is no way to be right: at most a third do. A sixth is asked for a thousandth of a millimetre, where
    // rounding in `f32` alone may be more.
    assert!(plain * 3 <= count, "{plain} of {count} are as they were");
}

#[test]
fn common_motions_are_quantized_at_common_bounds() {
    // Alternate bounds for each motion.
    assert_quantized(2);
}

#[test]
#[ignore = "exhaustive: takes seconds of CPU; .ci/run runs it"]
fn common_motions_are_quantized_at_common_bounds_exhaustively() {
    assert_quantized(1);
}

/// Checks each `stride`-th of four bounds, from another one on for each motion.
fn assert_quantized(stride: usize) {
    for (seed, motion) in [Motion::Sway, Motion::Captured, Motion::Holds]
        .into_iter()
        .enumerate()
    {
        let skeleton = Build::new(31, Shape::Limbs).skeleton(seed as u64);
        let animation = motion.animation(&skeleton, 200, 120.0, seed as u64);
        let bounds = [1e-5, 1e-4, 1e-3, 1e-2].into_iter();
        for max_error in bounds.skip(seed % stride).step_by(stride) {
            for (profile, packing) in [
                (Profile::Small, Packing::Small),
                (Profile::Fast, Packing::Fast),
            ] {
                let what = format!("{motion:?}, {max_error} m, {profile:?}");
                let packed = check(&skeleton, &animation, max_error, profile, &what);
                assert_eq!(packed.packing(), packing, "{what}");
                let plain = packed_plain_len(&skeleton, &animation);
                assert!(
                    sinew_author::packed::byte_len(&packed) * 2 < plain,
                    "{what}"
                );
            }
        }
    }
}

fn packed_plain_len(skeleton: &Skeleton, animation: &Animation) -> usize {
    let plain = packed(skeleton, animation, 0.0, Profile::Small).unwrap();
    sinew_author::packed::byte_len(&plain)
}

#[test]
fn any_skeleton_any_length_and_any_motion_is_within_its_bound() {
    assert_random_cases_within_bounds(50);
}

#[test]
#[ignore = "exhaustive: takes seconds of CPU; .ci/run runs it"]
fn any_skeleton_any_length_and_any_motion_is_within_its_bound_exhaustively() {
    assert_random_cases_within_bounds(240);
}

fn assert_random_cases_within_bounds(cases: u64) {
    let mut numbers = Numbers::new(20);
    for case in 0..cases {
        let build = Build {
            joints: [1, 1, 2, 3, 7, 8, 9, 16, 33][numbers.below(9)],
            shape: SHAPES[numbers.below(SHAPES.len())],
            size: [1e-4, 0.01, 0.2, 0.2, 0.2, 5.0, 1e4][numbers.below(7)],
            is_turned: numbers.below(3) > 0,
            is_scaled: numbers.below(3) == 0,
        };
        let motion = MOTIONS[numbers.below(MOTIONS.len())];
        let rows = [1, 2, 3, 4, 5, 15, 16, 17, 33, 64, 65, 100][numbers.below(12)];
        let rate = [24.0, 30.0, 29.97, 60.0, 120.0, 7.3][numbers.below(6)];
        let max_error = BOUNDS[numbers.below(BOUNDS.len())];
        let profile = ROWS[numbers.below(2)];
        let skeleton = build.skeleton(case);
        let animation = motion.animation(&skeleton, rows, rate, case);
        let what = format!(
            "case {case}: {build:?}, {motion:?}, {rows} rows at {rate}, {max_error} m, {profile:?}"
        );
        check(&skeleton, &animation, max_error, profile, &what);
    }
}

#[test]
fn five_hundred_and_twelve_joints_are_within_their_bound() {
    assert_large_skeletons_within_bounds(&[(Shape::Chain, Motion::Sway, Profile::Small)]);
}

#[test]
#[ignore = "exhaustive: takes seconds of CPU; .ci/run runs it"]
fn five_hundred_and_twelve_joints_are_within_their_bound_exhaustively() {
    assert_large_skeletons_within_bounds(&[
        (Shape::Chain, Motion::Sway, Profile::Small),
        (Shape::Chain, Motion::Noise, Profile::Fast),
        (Shape::Wide, Motion::Captured, Profile::Fast),
        (Shape::Any, Motion::Squash, Profile::Small),
        (Shape::Limbs, Motion::Captured, Profile::Small),
    ]);
}

fn assert_large_skeletons_within_bounds(cases: &[(Shape, Motion, Profile)]) {
    for &(shape, motion, profile) in cases {
        let build = Build {
            size: 0.02,
            ..Build::new(512, shape)
        };
        let skeleton = build.skeleton(5);
        let animation = motion.animation(&skeleton, 33, 60.0, 5);
        let what = format!("{shape:?}, {motion:?}, {profile:?}");
        check(&skeleton, &animation, 1e-3, profile, &what);
    }
}

#[test]
fn animations_of_one_frame_or_no_length_are_packed_and_read() {
    for joints in [1, 9] {
        let skeleton = Build::new(joints, Shape::Chain).skeleton(2);
        for motion in [
            Motion::Sway,
            Motion::Still,
            Motion::AtRest,
            Motion::Nothing,
            Motion::Scales,
        ] {
            for rows in [1, 2] {
                let mut animation = motion.animation(&skeleton, rows, 30.0, 2);
                for length in [animation.length, 0.0, 0.01] {
                    animation.length = length;
                    for rate in [Some(30.0), None] {
                        animation.frame_rate = rate;
                        for profile in ROWS {
                            let what = format!("{motion:?}, {rows} rows, {length} s, {rate:?}");
                            check(&skeleton, &animation, 1e-4, profile, &what);
                        }
                    }
                }
            }
        }
    }
}

/// Vertices may be further away than numbers go; then nothing is said to be near that is not.
#[test]
fn huge_values_are_stored_without_loss() {
    let skeleton = Build::new(12, Shape::Chain).skeleton(2);
    for size in [1e4, 1e10, 9e14] {
        let mut animation = Motion::Squash.animation(&skeleton, 20, 30.0, 2);
        for track in &mut animation.tracks {
            let times = KeyTimes::uniform(30.0, 20).unwrap();
            let mut numbers = Numbers::new(3);
            let scales = (0..20).map(|_| numbers.vec3() * size).collect();
            track.scale = Some(Channel::new(times, scales, Interpolation::Linear).unwrap());
        }
        for profile in ROWS {
            let packed = packed(&skeleton, &animation, 10.0, profile).unwrap();
            assert_eq!(packed.packing(), Packing::Plain);
            let mut sampler = Sampler::new(&skeleton, &animation);
            let mut pose = Pose::rest(&skeleton);
            let mut cursor = PackedCursor::new();
            packed.sample(0.3, &mut cursor, &mut pose).unwrap();
            assert_eq!(pose_bits(&pose), pose_bits(sampler.pose_at(0.3)));
        }
    }
}

#[test]
fn the_error_bound_is_stored_and_read_back() {
    let skeleton = Build::new(9, Shape::Any).skeleton(2);
    for motion in [Motion::Sway, Motion::Noise, Motion::Still] {
        let animation = motion.animation(&skeleton, 40, 60.0, 2);
        for max_error in [f32::MIN_POSITIVE, 1e-20, 1e3, 1e9, 1e12] {
            for profile in ROWS {
                let what = format!("{motion:?}, {max_error} m, {profile:?}");
                check(&skeleton, &animation, max_error, profile, &what);
            }
        }
    }
}

#[test]
fn the_same_source_packs_to_the_same_bytes() {
    let skeleton = Build::new(31, Shape::Any).skeleton(2);
    for motion in [Motion::Captured, Motion::Scales, Motion::Noise] {
        let animation = motion.animation(&skeleton, 130, 60.0, 2);
        for profile in [Profile::Small, Profile::Fast] {
            let bytes = || {
                let packed = packed(&skeleton, &animation, 1e-4, profile).unwrap();
                sinew_author::packed::to_bytes(&packed)
            };
            assert_eq!(bytes(), bytes());
        }
    }
}

#[test]
fn tighter_bounds_cost_more_bytes() {
    let skeleton = Build::new(31, Shape::Limbs).skeleton(2);
    let animation = Motion::Captured.animation(&skeleton, 200, 120.0, 2);
    for profile in ROWS {
        let bytes = [1e-2, 1e-3, 1e-4, 1e-5].map(|max_error| {
            let packed = packed(&skeleton, &animation, max_error, profile).unwrap();
            sinew_author::packed::byte_len(&packed)
        });
        assert!(bytes.is_sorted_by(|a, b| a < b), "{bytes:?}");
    }
}

#[test]
fn metadata_and_channel_weights_survive_packing() {
    let skeleton = Build::new(5, Shape::Chain).skeleton(2);
    let mut animation = Motion::Sway.animation(&skeleton, 40, 60.0, 2);
    let weights = ChannelWeights {
        rotation: 0.25,
        ..ChannelWeights::default()
    };
    animation.tracks[3].weights = weights;
    animation
        .metadata
        .insert("by".into(), MetaValue::Text("hand".into()));
    for (max_error, profile) in [
        (0.0, Profile::Small),
        (1e-4, Profile::Small),
        (1e-4, Profile::Fast),
        (1e-3, Profile::Keyframes),
    ] {
        let packed = packed(&skeleton, &animation, max_error, profile).unwrap();
        let bytes = sinew_author::packed::to_bytes(&packed);
        let read = PackedAnimation::from_bytes(&bytes, &skeleton, packed.info().clone());
        let unpacked = sinew_author::compress::decompress(&read.unwrap(), &skeleton).unwrap();
        assert_eq!(unpacked.metadata, animation.metadata);
        for track in &unpacked.tracks {
            let is_it = track.name == animation.tracks[3].name;
            let expected = if is_it {
                weights
            } else {
                ChannelWeights::default()
            };
            assert_eq!(track.weights, expected, "{profile:?} {}", track.name);
        }
    }
}

#[test]
fn keyframes_are_within_every_bound_or_refused_as_too_coarse() {
    for (seed, motion) in MOTIONS.into_iter().enumerate() {
        let skeleton = Build::new(9, Shape::Any).skeleton(seed as u64);
        let animation = motion.animation(&skeleton, 70, 60.0, seed as u64);
        for max_error in BOUNDS {
            let what = format!("{motion:?}, {max_error} m");
            match packed(&skeleton, &animation, max_error, Profile::Keyframes) {
                Ok(_) => {
                    check(&skeleton, &animation, max_error, Profile::Keyframes, &what);
                }
                Err(error) => assert!(matches!(error, CompressError::Keys(_)), "{what}: {error}"),
            }
        }
    }
}

/// Two keys far apart say little; what is made of them must not be large, nor take long.
#[test]
fn two_keys_hours_apart_are_stored_without_loss() {
    let skeleton = Build::new(100, Shape::Wide).skeleton(2);
    let mut animation = Animation::new("long", 20_000.0);
    for joint in skeleton.joints() {
        let keys = [(0.0, Quat::IDENTITY), (20_000.0, joint.rest.rotation)];
        let rotation = Channel::from_keys(keys, Interpolation::Linear).unwrap();
        animation.tracks.push(TransformTrack {
            rotation: Some(rotation),
            ..TransformTrack::new(&joint.name)
        });
    }
    for profile in [Profile::Small, Profile::Fast, Profile::Keyframes] {
        let packed = packed(&skeleton, &animation, 1e-4, profile).unwrap();
        assert_eq!(packed.packing(), Packing::Plain, "{profile:?}");
        // Two keys of four numbers and their times, and some bytes per track.
        assert!(sinew_author::packed::byte_len(&packed) < 60 * skeleton.len());
    }
}

#[test]
fn values_that_no_file_can_store_are_refused() {
    let skeleton = Build::new(3, Shape::Chain).skeleton(1);
    let far = Vec3::new(0.0, 5e15, 0.0);
    let mut animation = Motion::Sway.animation(&skeleton, 4, 30.0, 2);
    animation.tracks[1].position = Some(Channel::constant(far).unwrap());
    for profile in [Profile::Small, Profile::Fast, Profile::Keyframes] {
        let refused = packed(&skeleton, &animation, 0.0, profile).unwrap_err();
        assert_eq!(
            refused.to_string(),
            "the animation has a number above 1e15 for joint 1"
        );
    }
}

#[test]
fn few_keys_far_apart_are_stored_without_loss_and_without_sampling() {
    let skeleton = Build::new(3, Shape::Chain).skeleton(1);
    let mut animation = Motion::Sway.animation(&skeleton, 20, 0.001, 2);
    animation.frame_rate = None;
    assert!(animation.length > 10_000.0);
    let packed = packed(&skeleton, &animation, 1e-4, Profile::Small).unwrap();
    assert_eq!(packed.packing(), Packing::Plain);
}

#[test]
fn an_extreme_frame_rate_is_not_sampled() {
    let skeleton = Build::new(3, Shape::Chain).skeleton(1);
    let mut animation = Motion::Sway.animation(&skeleton, 20, 30.0, 2);
    animation.frame_rate = Some(999_999.0);
    let packed = packed(&skeleton, &animation, 1e-4, Profile::Small).unwrap();
    let deviation = verify(&packed, &skeleton, &animation, |_, _| ()).unwrap();
    assert!(deviation.moments < 200, "{}", deviation.moments);
    assert!(deviation.metres <= 1e-4);
}

#[test]
fn an_unpacked_animation_ends_as_the_packed_animation() {
    let skeleton = Build::new(3, Shape::Chain).skeleton(1);
    for (frames, length) in [(3, 0.05), (40, 1.29), (62, 2.01), (61, 2.0)] {
        let mut animation = Motion::Noise.animation(&skeleton, frames, 30.0, 2);
        animation.length = length;
        for profile in ROWS {
            let packed = packed(&skeleton, &animation, 1e-4, profile).unwrap();
            let unpacked = sinew_author::compress::decompress(&packed, &skeleton).unwrap();
            let mut sampler = Sampler::new(&skeleton, &unpacked);
            let mut pose = Pose::rest(&skeleton);
            packed
                .sample(length, &mut PackedCursor::new(), &mut pose)
                .unwrap();
            let mut meter = ErrorMeter::new(&skeleton);
            let found = meter.measure(&pose, sampler.pose_at(length)).unwrap();
            // The middle of two rotations is not quite where other ratios of them are.
            let most = if frames == 40 || frames == 62 {
                2e-3
            } else {
                1e-4
            };
            assert!(
                found.metres < most,
                "{frames} frames, {length} s: {found:?}"
            );
        }
    }
}
