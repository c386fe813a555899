//! Tracks of many types, sampled and looped.

use sinew::animation::{
    AnimationError, Channel, Interpolation, KeyTimes, Variant, VariantInterpolation, VariantKey,
    VariantTrack, VariantType,
};
use sinew::glam::{IVec2, IVec3, IVec4, Quat, Vec2, Vec3, Vec4};
use sinew::math::{quat_negate, quat_rotate, quat_slerp};
use sinew_testing::motion::turn;
use sinew_testing::variants;
use std::f32::consts::{FRAC_1_SQRT_2, PI};
use variants::{TANGENTS, number, tension, track};

const HOLD: VariantInterpolation = VariantInterpolation::None;
const LINE: VariantInterpolation = VariantInterpolation::Linear;

fn degrees(angle: f32) -> f32 {
    angle * PI / 180.0
}

fn near(a: Vec3, b: Vec3) -> bool {
    (a - b).abs().max_element() < 1e-5
}

/// One value of every type, and another.
fn of_all_types() -> Vec<(Variant, Variant)> {
    let half = turn(Vec3::Y, 1.0);
    vec![
        (true.into(), false.into()),
        (1.into(), 4.into()),
        (1_i64.into(), 4_i64.into()),
        (1.0_f32.into(), 4.0_f32.into()),
        (1.0_f64.into(), 4.0_f64.into()),
        (Vec2::ONE.into(), Vec2::X.into()),
        (Vec3::ONE.into(), Vec3::X.into()),
        (Vec4::ONE.into(), Vec4::X.into()),
        (Quat::IDENTITY.into(), half.into()),
        (Variant::Color(Vec4::ONE), Variant::Color(Vec4::X)),
        (IVec2::ONE.into(), IVec2::X.into()),
        (IVec3::ONE.into(), IVec3::X.into()),
        (IVec4::ONE.into(), IVec4::X.into()),
        ("a".into(), "b".into()),
    ]
}

#[test]
fn invalid_track_keys_are_refused() {
    let make = |keys: Vec<VariantKey>| VariantTrack::new("t", LINE, keys);
    assert_eq!(make(Vec::new()), Err(AnimationError::NoKeys));
    assert_eq!(
        make(vec![(0.0, 1.0_f32).into(), (1.0, 2).into()]),
        Err(AnimationError::Type {
            key: 1,
            expected: VariantType::Float,
            found: VariantType::Int,
        })
    );
    let odd_tangent = VariantKey::new(0.0, 1.0_f32).with_tangents(1, 1.0_f32);
    assert!(matches!(
        make(vec![odd_tangent]),
        Err(AnimationError::Type { key: 0, .. })
    ));
    for time in [-1.0, f32::NAN, f32::INFINITY] {
        let error = make(vec![(time, 1.0_f32).into()]).unwrap_err();
        assert!(matches!(error, AnimationError::Time { .. }), "{error}");
    }
    let wild = [
        Variant::Float(f32::NAN),
        Variant::Double(f64::INFINITY),
        Variant::Color(Vec4::new(0.0, 0.0, f32::NEG_INFINITY, 0.0)),
        Variant::Quat(Quat::from_xyzw(0.0, 0.0, 0.0, 0.0)),
    ];
    for value in wild {
        let error = make(vec![VariantKey::new(0.0, value)]).unwrap_err();
        assert!(
            matches!(error, AnimationError::Value { key: 0, .. }),
            "{error}"
        );
    }
    let slope = VariantKey::new(0.0, 1.0_f32).with_tangents(0.0_f32, f32::NAN);
    assert!(make(vec![slope]).is_err());
    for value in [f32::NAN, f32::INFINITY] {
        let keys = [(0.0, 1.0_f32), (1.0, 2.0)];
        assert!(VariantTrack::new("t", tension(value), keys).is_err());
    }
    let times = KeyTimes::uniform(2.0, 3).unwrap();
    let keys = vec![VariantKey::new(0.0, 1.0_f32); 2];
    let count = VariantTrack::with_times("t", LINE, times, keys);
    assert!(matches!(
        count,
        Err(AnimationError::Count {
            times: 3,
            values: 2,
            ..
        })
    ));
}

/// S8.
#[test]
fn positions_are_interpolated_linearly_between_keys() {
    let keys = [(0.0, 0.0), (0.5, -1.0), (1.5, 1.0), (2.0, 0.0)];
    let keys = keys.map(|(time, x)| (time, Vec3::new(x, 1.0, 0.0)));
    let channel = Channel::from_keys(keys, Interpolation::Linear).unwrap();
    for looped in [false, true] {
        for (time, x) in [(0.25, -0.5), (0.5, -1.0), (1.0, 0.0), (1.5, 1.0)] {
            let found = if looped {
                channel.sample_looped(time, 2.0)
            } else {
                channel.sample(time)
            };
            assert_eq!(found, Vec3::new(x, 1.0, 0.0), "{time}");
        }
    }
}

/// S9.
#[test]
fn a_looped_track_interpolates_from_its_last_key_to_its_first() {
    let track = track(LINE, [(0.0, 0.0_f32), (1.0, 10.0)]);
    for (time, value) in [(0.5, 5.0), (1.0, 10.0), (1.5, 5.0), (1.75, 2.5), (2.0, 0.0)] {
        assert_eq!(number(&track, time, 2.0, true), value, "{time}");
    }
    for (time, value) in [(0.5, 5.0), (1.5, 10.0), (2.0, 10.0)] {
        assert_eq!(number(&track, time, 2.0, false), value, "{time}");
    }
    let keys = [(0.0, Vec3::ZERO), (1.0, Vec3::X * 10.0)];
    let channel = Channel::from_keys(keys, Interpolation::Linear).unwrap();
    assert_eq!(channel.sample_looped(1.75, 2.0), Vec3::X * 2.5);
    assert_eq!(channel.sample(1.75), Vec3::X * 10.0);
}

#[test]
fn a_looped_track_holds_before_a_late_first_key() {
    // The way back takes the time before the first key too, so there is a jump where time starts again.
    let track = track(LINE, [(0.5, 0.0_f32), (1.0, 8.0)]);
    for (time, value) in [
        (0.0, 0.0),
        (0.25, 0.0),
        (0.75, 4.0),
        (1.375, 6.0),
        (1.75, 4.0),
    ] {
        assert_eq!(number(&track, time, 2.0, true), value, "{time}");
    }
    // Keys beyond the end leave no way back.
    let late = self::track(LINE, [(0.0, 1.0_f32), (3.0, 7.0)]);
    assert_eq!(number(&late, 1.5, 2.0, true), 4.0);
    assert_eq!(number(&late, 3.0, 2.0, true), 1.0);
}

/// S10.
#[test]
fn a_loop_ends_at_its_first_key() {
    let white = Variant::Color(Vec4::ONE);
    let clear = Variant::Color(Vec4::ZERO);
    let keys = [
        (0.0, white.clone()),
        (0.99, white.clone()),
        (1.0, clear.clone()),
    ];
    let track = track(LINE, keys);
    let time = 1.0 + 5e-7;
    assert_eq!(track.sample(time, 1.0, false), clear);
    assert_eq!(track.sample(time, 1.0, true), white);
}

/// S11.
#[test]
fn of_keys_at_one_time_the_last_holds_from_that_time() {
    let track = track(LINE, [(0.0, 1.0_f32), (0.5, 2.0), (0.5, 8.0), (1.0, 4.0)]);
    for (time, value) in [(0.25, 1.5), (0.5, 8.0), (0.75, 6.0), (1.0, 4.0)] {
        assert_eq!(number(&track, time, 1.0, false), value, "{time}");
    }
}

#[test]
fn keys_are_sorted_by_time() {
    let late = track(LINE, [(1.0, 4.0_f32), (0.5, 2.0), (0.0, 1.0), (0.5, 8.0)]);
    let keys: Vec<VariantKey> = late.keys().collect();
    let expected = [(0.0, 1.0_f32), (0.5, 2.0), (0.5, 8.0), (1.0, 4.0)];
    assert_eq!(keys, expected.map(VariantKey::from));
    assert_eq!(late, track(LINE, expected));
}

/// S12.
#[test]
fn a_single_key_holds_at_all_times() {
    for interpolation in [HOLD, LINE, tension(0.5), TANGENTS] {
        let track = track(interpolation, [(0.5, 7.0_f32)]);
        for time in [
            -1.0,
            0.0,
            0.25,
            0.5,
            0.75,
            1.0,
            f32::MAX,
            f32::INFINITY,
            f32::NAN,
        ] {
            for looped in [false, true] {
                assert_eq!(number(&track, time, 1.0, looped), 7.0, "{time}");
            }
        }
    }
}

/// S13.
#[test]
fn a_key_at_the_end_is_reached_without_looping() {
    let track = track(LINE, [(0.0, "a"), (1.0, "m"), (2.0, "z")]);
    assert_eq!(track.sample(2.0, 2.0, true), "a".into());
    assert_eq!(track.sample(2.0, 2.0, false), "z".into());
    let keys = [(0.0, Vec3::X), (2.0, Vec3::Z)];
    let channel = Channel::from_keys(keys, Interpolation::Linear).unwrap();
    assert_eq!(channel.sample_looped(2.0, 2.0), Vec3::X);
    assert_eq!(channel.sample(2.0), Vec3::Z);
}

/// S19.
#[test]
fn interpolated_integers_are_truncated_towards_zero() {
    for interpolation in [LINE, tension(0.5), TANGENTS] {
        let up = track(interpolation, [(0.0, 10), (0.4, 20)]);
        let down = track(interpolation, [(0.0, -10), (0.4, -20)]);
        assert_eq!(up.sample(0.3, 1.0, false), 17.into());
        assert_eq!(down.sample(0.3, 1.0, false), (-17).into());
        assert_eq!(up.interpolation(), LINE);
    }
    let steps = track(HOLD, [(0.0, 10), (0.4, 20)]);
    assert_eq!(steps.sample(0.3, 1.0, false), 10.into());
    let rect = [
        (0.0, IVec4::new(0, -1, 3, 0)),
        (1.0, IVec4::new(3, -4, 0, 1)),
    ];
    let middle = track(LINE, rect).sample(0.5, 1.0, false);
    assert_eq!(middle, IVec4::new(1, -2, 1, 0).into());
}

/// S19, texts.
#[test]
fn a_text_key_holds_until_the_next() {
    let track = track(LINE, [(0.0, "A"), (0.4, "B")]);
    assert_eq!(track.interpolation(), HOLD);
    assert_eq!(track.sample(0.3, 1.0, false), "A".into());
    assert_eq!(track.sample(0.4, 1.0, false), "B".into());
    assert_eq!(track.sample(0.9, 1.0, true), "B".into());
}

#[test]
fn each_type_uses_the_interpolation_that_it_supports() {
    let all = of_all_types();
    let kinds: Vec<VariantType> = all.iter().map(|(a, _)| a.kind()).collect();
    assert_eq!(kinds, VariantType::ALL);
    for (a, b) in all {
        let kind = a.kind();
        for asked in [HOLD, LINE, tension(0.25), TANGENTS] {
            let is_spline = asked == tension(0.25) || asked == TANGENTS;
            let got = match kind {
                VariantType::Bool | VariantType::Text => HOLD,
                VariantType::Int
                | VariantType::Int64
                | VariantType::IVec2
                | VariantType::IVec3
                | VariantType::IntRect
                    if is_spline =>
                {
                    LINE
                }
                _ => asked,
            };
            let keys = [(0.0, a.clone()), (1.0, b.clone())];
            let track = track(asked, keys);
            assert_eq!((track.kind(), track.interpolation()), (kind, got), "{kind}");
            let sample = track.sample(0.5, 1.0, false);
            assert_eq!(sample.kind(), kind);
            let holds = got == HOLD || got == TANGENTS;
            assert_eq!(sample == a, holds, "{kind} {asked:?}");
            assert_eq!(track.sample(1.0, 1.0, false), b);
            assert_eq!(track.first(), &a);
        }
    }
}

/// S20.
#[test]
fn rotations_take_the_shorter_way() {
    let keys = [
        (0.0, turn(Vec3::Y, 0.0)),
        (1.0, turn(Vec3::Y, degrees(270.0))),
    ];
    let expected = Vec3::new(FRAC_1_SQRT_2, 0.0, FRAC_1_SQRT_2);
    let Variant::Quat(middle) = track(LINE, keys).sample(0.5, 1.0, false) else {
        panic!("a rotation")
    };
    assert!(near(quat_rotate(middle, Vec3::X), expected));
    let channel = Channel::from_keys(keys, Interpolation::Linear).unwrap();
    assert!(near(quat_rotate(channel.sample(0.5), Vec3::X), expected));

    let (from, to) = (turn(Vec3::Y, degrees(10.0)), turn(Vec3::Y, degrees(50.0)));
    let quarter = quat_slerp(from, quat_negate(to), 0.25);
    let expected = turn(Vec3::Y, degrees(20.0));
    assert!((quarter - expected).length() < 1e-6);
    let keys = [(0.0, from), (1.0, quat_negate(to))];
    assert_eq!(track(LINE, keys).sample(0.25, 1.0, false), quarter.into());
}

#[test]
fn integers_on_the_line_are_not_truncated_below_it() {
    use sinew::animation::{Variant, VariantInterpolation, VariantTrack};
    for (last, length) in [(10, 10.0_f32), (10, 1.0), (-10, 1.0), (1_000_000, 10.0)] {
        let keys = [(0.0, 0), (length, last)];
        let track = VariantTrack::new("n", VariantInterpolation::Linear, keys).unwrap();
        for tenth in 0..=10 {
            let time = length * tenth as f32 / 10.0;
            let value = track.sample(time, length, false);
            assert_eq!(value, Variant::Int(last / 10 * tenth), "{last} at {time}");
        }
    }
    assert_eq!(
        Variant::Int(5).add(&Variant::Int(10), &Variant::Int(0), 0.7),
        Variant::Int(12)
    );
}

#[test]
fn tangents_that_are_not_finite_are_refused() {
    use sinew::animation::{VariantInterpolation, VariantTrack};
    let spline = VariantInterpolation::TensionSpline { tension: 1e30 };
    let keys = [(0.0, -1e30_f32), (1.0, 0.0), (2.0, 1e30)];
    let refused = VariantTrack::new("x", spline, keys)
        .unwrap_err()
        .to_string();
    assert_eq!(refused, "the tangent of key 1 cannot be used: inf");
}

#[test]
fn a_trigger_beyond_the_end_is_trimmed_with_the_end() {
    let mut animation = sinew::Animation::new("a", 1.0);
    animation.add_trigger(0.25, "within");
    animation.add_trigger(9.0, "end");
    let times = |animation: &sinew::Animation| -> Vec<f32> {
        animation
            .triggers
            .iter()
            .map(|trigger| trigger.time)
            .collect()
    };
    assert_eq!(
        times(&sinew_author::edit::trim(&animation, 0.0..1.0)),
        [0.25, 1.0]
    );
    assert_eq!(
        times(&sinew_author::edit::trim(&animation, 0.5..1.0)),
        [0.5]
    );
    assert_eq!(
        times(&sinew_author::edit::trim(&animation, 0.0..0.5)),
        [0.25]
    );
}
