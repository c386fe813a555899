//! What is written as JSON comes back, bit for bit.

use crate::common;
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use sinew::animation::{
    Channel, ChannelValue, ChannelWeights, Interpolation, KeyTimes, LoopMotion, MetaValue,
    TransformTrack, Trigger, Variant, VariantInterpolation, VariantKey, VariantTrack, VariantType,
};
use sinew::glam::{IVec2, IVec3, IVec4, Quat, Vec2, Vec3, Vec4};
use sinew::math::GroundTransform;
use sinew::{Animation, Joint, JointIndex, Skeleton, Transform};
use sinew_formats::{MotionSettings, json, read_motion};
use std::path::PathBuf;

/// Any finite number, small ones often.
fn single() -> impl Strategy<Value = f32> {
    prop_oneof![
        any::<f32>().prop_filter("finite", |n| n.is_finite()),
        -10.0_f32..10.0,
        select(vec![0.0, -0.0, 1.0, f32::MAX, f32::MIN_POSITIVE, 1e-45]),
    ]
}

fn vector() -> impl Strategy<Value = Vec3> {
    [single(), single(), single()].prop_map(Vec3::from_array)
}

fn turn() -> impl Strategy<Value = Quat> {
    let number = || -1.0_f32..1.0;
    let four = [number(), number(), number(), number()];
    four.prop_map(Quat::from_array)
        .prop_filter("it has a length", |q| q.as_key().is_some())
}

fn times(count: usize) -> impl Strategy<Value = KeyTimes> {
    let rates = prop_oneof![0.01_f64..1e4, select(vec![24000.0 / 1001.0, 30.0, 1.0])];
    let uniform = rates.prop_map(move |rate| KeyTimes::uniform(rate, count).unwrap());
    let listed = vec(0.0_f32..100.0, count).prop_map(|mut list| {
        list.sort_by(f32::total_cmp);
        KeyTimes::listed(list).unwrap()
    });
    prop_oneof![uniform, listed]
}

fn channel<T: ChannelValue + 'static>(
    value: impl Strategy<Value = T> + Clone + 'static,
    slope: impl Strategy<Value = T> + Clone + 'static,
) -> impl Strategy<Value = Channel<T>> {
    (1_usize..6).prop_flat_map(move |count| {
        let values = vec(value.clone(), count);
        let slopes = [vec(slope.clone(), count), vec(slope.clone(), count)];
        let kind = select(vec![
            Interpolation::Step,
            Interpolation::Linear,
            Interpolation::Cubic,
        ]);
        (times(count), values, slopes, kind).prop_map(|(times, values, [into, out], kind)| {
            if kind == Interpolation::Cubic {
                Channel::cubic(times, values, into, out).unwrap()
            } else {
                Channel::new(times, values, kind).unwrap()
            }
        })
    })
}

fn weight() -> impl Strategy<Value = f32> {
    prop_oneof![Just(1.0_f32), single().prop_map(f32::abs)]
}

fn track() -> impl Strategy<Value = TransformTrack> {
    let slopes = || {
        [single(), single(), single(), single()]
            .prop_map(Quat::from_array)
            .boxed()
    };
    let vectors = || option::of(channel(vector().boxed(), vector().boxed()));
    let turns = option::of(channel(turn().boxed(), slopes()));
    (vectors(), turns, vectors(), [weight(), weight(), weight()]).prop_map(
        |(position, rotation, scale, [a, b, c])| TransformTrack {
            name: String::new(),
            position,
            rotation,
            scale,
            weights: ChannelWeights {
                position: a,
                rotation: b,
                scale: c,
            },
        },
    )
}

fn value(kind: VariantType, is_key: bool) -> BoxedStrategy<Variant> {
    let four = || [single(), single(), single(), single()];
    let whole = || [any::<i32>(), any::<i32>(), any::<i32>(), any::<i32>()];
    match kind {
        VariantType::Bool => any::<bool>().prop_map(Variant::Bool).boxed(),
        VariantType::Int => any::<i32>().prop_map(Variant::Int).boxed(),
        VariantType::Int64 => any::<i64>().prop_map(Variant::Int64).boxed(),
        VariantType::Float => single().prop_map(Variant::Float).boxed(),
        VariantType::Double => any::<f64>()
            .prop_filter("finite", |n| n.is_finite())
            .prop_map(Variant::Double)
            .boxed(),
        VariantType::Vec2 => four().prop_map(|n| Vec2::new(n[0], n[1]).into()).boxed(),
        VariantType::Vec3 => vector().prop_map(Variant::Vec3).boxed(),
        VariantType::Vec4 => four().prop_map(|n| Vec4::from_array(n).into()).boxed(),
        VariantType::Quat if is_key => turn().prop_map(Variant::Quat).boxed(),
        VariantType::Quat => four().prop_map(|n| Quat::from_array(n).into()).boxed(),
        VariantType::Color => four()
            .prop_map(|n| Variant::Color(Vec4::from_array(n)))
            .boxed(),
        VariantType::IVec2 => whole().prop_map(|n| IVec2::new(n[0], n[1]).into()).boxed(),
        VariantType::IVec3 => whole()
            .prop_map(|n| IVec3::new(n[0], n[1], n[2]).into())
            .boxed(),
        VariantType::IntRect => whole().prop_map(|n| IVec4::from_array(n).into()).boxed(),
        VariantType::Text => any::<String>().prop_map(Variant::from).boxed(),
    }
}

fn kind() -> impl Strategy<Value = VariantType> {
    select(VariantType::ALL.to_vec())
}

fn variant() -> impl Strategy<Value = VariantTrack> {
    let interpolation = prop_oneof![
        Just(VariantInterpolation::None),
        Just(VariantInterpolation::Linear),
        Just(VariantInterpolation::TangentSpline),
        single().prop_map(|tension| VariantInterpolation::TensionSpline { tension }),
    ];
    (1_usize..5, kind()).prop_flat_map(move |(count, kind)| {
        let keys = vec(
            (value(kind, true), value(kind, false), value(kind, false)),
            count,
        );
        (
            times(count),
            keys,
            interpolation.clone(),
            any::<bool>(),
            weight(),
        )
            .prop_filter_map("its tangents are finite", |made| {
                let (times, keys, interpolation, tangents, weight) = made;
                let key = |(value, into, out): (Variant, Variant, Variant)| {
                    let key = VariantKey::new(0.0, value);
                    if tangents {
                        key.with_tangents(into, out)
                    } else {
                        key
                    }
                };
                let keys = keys.into_iter().map(key).collect();
                let track = VariantTrack::with_times("", interpolation, times, keys);
                Some(track.ok()?.with_weight(weight))
            })
    })
}

fn trigger() -> impl Strategy<Value = Trigger> {
    let endless = select(vec![
        Variant::Float(f32::INFINITY),
        Variant::Double(f64::NEG_INFINITY),
        Variant::Color(Vec4::new(1.0, f32::NAN, 0.0, f32::INFINITY)),
        Variant::Quat(Quat::from_xyzw(f32::NAN, 0.0, 0.0, 1.0)),
        Variant::Vec2(Vec2::new(0.5, f32::NEG_INFINITY)),
    ]);
    let data = prop_oneof![9 => kind().prop_flat_map(|kind| value(kind, false)), 1 => endless];
    (single().prop_map(f32::abs), data).prop_map(|(time, data)| Trigger { time, data })
}

fn meta() -> impl Strategy<Value = MetaValue> {
    prop_oneof![
        any::<String>().prop_map(MetaValue::Text),
        any::<f64>().prop_map(MetaValue::Number),
        any::<bool>().prop_map(MetaValue::Flag),
    ]
}

fn loop_motion() -> impl Strategy<Value = LoopMotion> {
    let numbers = (-1e6..1e6_f64, -1e6..1e6_f64, -1e6..1e6_f64);
    (numbers, any::<bool>()).prop_map(|((angle, x, z), in_place)| LoopMotion {
        per_cycle: GroundTransform { angle, x, z },
        in_place,
    })
}

fn animation() -> impl Strategy<Value = Animation> {
    let names = (any::<String>(), any::<String>());
    let numbers = (single().prop_map(f32::abs), option::of(1e-3_f64..1e6));
    let lists = (
        vec(track(), 0..4),
        vec(variant(), 0..4),
        vec(trigger(), 0..4),
    );
    let metadata = proptest::collection::btree_map(any::<String>(), meta(), 0..4);
    (names, numbers, lists, metadata, option::of(loop_motion())).prop_map(
        |(
            (name, prefix),
            (length, frame_rate),
            (mut tracks, mut variants, mut triggers),
            metadata,
            looping,
        )| {
            for (index, track) in tracks.iter_mut().enumerate() {
                track.name = format!("{prefix}{index}");
            }
            for (index, track) in variants.iter_mut().enumerate() {
                track.name = format!("{prefix}{index}");
            }
            triggers.sort_by(|a, b| a.time.total_cmp(&b.time));
            Animation {
                name,
                length,
                tracks,
                variants,
                triggers,
                metadata,
                frame_rate,
                looping,
            }
        },
    )
}

fn skeleton() -> impl Strategy<Value = Skeleton> {
    let rest = (vector(), turn(), vector(), option::of(vector()));
    (vec(rest, 1..6), any::<String>()).prop_map(|(rests, prefix)| {
        let joint = |(index, (position, rotation, scale, tip)): (
            usize,
            (Vec3, Quat, Vec3, Option<Vec3>),
        )| Joint {
            name: format!("{prefix}{index}"),
            parent: index.checked_sub(1).map(JointIndex::from),
            rest: Transform {
                position,
                rotation: rotation.as_key().unwrap(),
                scale,
            },
            tip,
        };
        Skeleton::new(rests.into_iter().enumerate().map(joint).collect()).unwrap()
    })
}

/// All bits of a number, except the payload of NaN.
fn bits(value: &impl std::fmt::Debug) -> String {
    format!("{value:?}")
}

proptest! {
    #[test]
    fn animations_round_trip_bit_for_bit(animations in vec(animation(), 0..3), skeleton in skeleton()) {
        for animation in &animations {
            prop_assert_eq!(animation.check(), Ok(()));
        }
        for joints in [None, Some(&skeleton)] {
            let bytes = json::write_bytes(joints, &animations);
            let file = json::read_bytes(&bytes).unwrap();
            prop_assert!(file.warnings.is_empty(), "{:?}\n{}", file.warnings.list(), String::from_utf8_lossy(&bytes));
            prop_assert_eq!(bits(&file.animations), bits(&animations));
            prop_assert_eq!(bits(&file.skeleton.as_ref()), bits(&joints));
        }
    }

    #[test]
    fn any_change_of_a_file_is_refused_or_plays(
        animation in animation(),
        at in any::<prop::sample::Index>(),
        with in any::<Vec<u8>>(),
        cut in 0_usize..8,
    ) {
        let mut bytes = json::write_bytes(None, &[animation]);
        let at = at.index(bytes.len());
        let end = (at + cut).min(bytes.len());
        bytes.splice(at..end, with);
        match json::read_bytes(&bytes) {
            Ok(file) => {
                for animation in &file.animations {
                    prop_assert_eq!(animation.check(), Ok(()));
                }
            }
            Err(error) => prop_assert!(!error.to_string().is_empty()),
        }
    }
}

#[test]
fn numbers_that_json_cannot_express_are_left_out() {
    let mut animation = Animation::new("a", 1.0);
    animation.length = f32::NAN;
    for rate in [f64::NAN, f64::INFINITY, 0.0, -1.0] {
        animation.frame_rate = Some(rate);
        let bytes = json::write_bytes(None, &[animation.clone()]);
        let file = json::read_bytes(&bytes).unwrap();
        assert_eq!(file.animations, [Animation::new("a", 0.0)]);
    }
}

/// Motion files of the corpus that are not too large to write three times.
fn motions() -> Vec<PathBuf> {
    let mut files = common::corpus_files("", &["asf", "amc", "bvh", "gltf", "glb"]);
    files.retain(|path| path.metadata().unwrap().len() < 400_000);
    files
}

#[test]
#[ignore = "needs SINEW_CORPUS"]
fn real_motions_round_trip_bit_for_bit() {
    let (mut count, mut keys) = (0, 0);
    for path in motions() {
        let Ok(motion) = read_motion(&path, &MotionSettings::default()) else {
            continue;
        };
        let bytes = json::write_bytes(&motion.skeleton, &motion.animations);
        let file =
            json::read_bytes(&bytes).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        assert!(file.warnings.is_empty(), "{}", path.display());
        assert_eq!(
            file.skeleton.as_ref(),
            Some(&motion.skeleton),
            "{}",
            path.display()
        );
        assert_eq!(file.animations, motion.animations, "{}", path.display());
        let again = json::write_bytes(&motion.skeleton, &file.animations);
        assert!(again == bytes, "{}", path.display());
        count += 1;
        keys += bytes.windows(3).filter(|three| three == b"],[").count();
    }
    common::say(&format!(
        "json: {count} real motions with {keys} dense keys came back"
    ));
    assert!(count > 0, "the corpus has no motions");
}
