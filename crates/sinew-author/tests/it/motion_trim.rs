//! Parts of animations, variants included, and frames without end.

use sinew::Animation;
use sinew::animation::{
    AnimationError, Channel, Interpolation, KeyTimes, TransformTrack, VariantInterpolation,
    VariantKey, VariantTrack, VariantType,
};
use sinew::glam::{Quat, Vec3};
use sinew_author::edit::{align_hemispheres, resample, trim};

fn with_position(channel: Channel<Vec3>, length: f32, frame_rate: Option<f64>) -> Animation {
    let mut animation = Animation::new("motion", length);
    animation.frame_rate = frame_rate;
    let mut track = TransformTrack::new("hips");
    track.position = Some(channel);
    animation.tracks.push(track);
    animation
}

fn position(animation: &Animation) -> &Channel<Vec3> {
    animation.tracks[0].position.as_ref().unwrap()
}

/// The largest difference between a channel and the part of it that begins at `start`.
fn apart(whole: &Channel<Vec3>, part: &Animation, start: f32) -> f32 {
    let times = (0..=60).map(|i| part.length * i as f32 / 60.0);
    let gap = |time| (position(part).sample(time) - whole.sample(start + time)).length();
    times.map(gap).fold(0.0, f32::max)
}

fn heights(values: &[f32]) -> Vec<Vec3> {
    values.iter().map(|&y| Vec3::Y * y).collect()
}

#[test]
fn invalid_variant_keys_are_refused() {
    let times = || KeyTimes::uniform(1.0, 3).unwrap();
    let make = |interpolation, values: &[f32]| {
        let keys = values.iter().map(|&value| VariantKey::new(0.0, value));
        VariantTrack::with_times("face", interpolation, times(), keys.collect())
    };
    assert_eq!(
        make(VariantInterpolation::Linear, &[0.0; 5]),
        Err(AnimationError::Count {
            what: "values",
            times: 3,
            values: 5
        })
    );
    assert!(make(VariantInterpolation::None, &[]).is_err());
    let wild = make(VariantInterpolation::None, &[0.0, f32::NAN, 0.0]);
    assert!(matches!(wild, Err(AnimationError::Value { key: 1, .. })));
    assert!(make(VariantInterpolation::TangentSpline, &[0.0; 3]).is_ok());
}

#[test]
fn sparse_even_keys_keep_their_peaks() {
    let times = KeyTimes::uniform(1.0, 3).unwrap();
    for interpolation in [Interpolation::Linear, Interpolation::Step] {
        let whole = Channel::new(times.clone(), heights(&[0.0, 10.0, 0.0]), interpolation);
        let whole = whole.unwrap();
        for rate in [None, Some(1.0), Some(30.0)] {
            let animation = with_position(whole.clone(), 2.0, rate);
            for (start, end) in [(0.5, 2.0), (0.5, 1.25), (1.0, 2.0), (0.0, 1.5), (1.2, 1.7)] {
                let part = trim(&animation, start..end);
                assert!(apart(&whole, &part, start) < 1e-5, "{start}..{end}");
                assert_eq!(position(&part).interpolation(), interpolation);
            }
        }
    }
    let line = Channel::new(times, heights(&[0.0, 10.0, 0.0]), Interpolation::Linear);
    let part = trim(&with_position(line.unwrap(), 2.0, Some(1.0)), 0.5..2.0);
    let times: Vec<f32> = position(&part).times().iter().collect();
    assert_eq!(times, [0.0, 0.5, 1.5]);
    assert_eq!(position(&part).values(), heights(&[5.0, 10.0, 0.0]));
}

#[test]
fn even_cubics_stay_cubic_and_even_from_a_key_on() {
    let times = KeyTimes::uniform(2.0, 5).unwrap();
    let arriving = heights(&[9.0, 1.0, -2.0, 3.0, 4.0]);
    let leaving = heights(&[-3.0, 2.0, 0.0, 5.0, 7.0]);
    let values = heights(&[0.0, 1.0, 4.0, -2.0, 3.0]);
    let whole = Channel::cubic(times, values.clone(), arriving, leaving).unwrap();
    // The animation goes on after the last key, at 2 s.
    let animation = with_position(whole.clone(), 3.0, Some(2.0));
    for (start, end) in [(0.0, 1.0), (0.5, 1.5), (1.0, 1.7), (1.5, 3.0), (2.0, 3.0)] {
        let part = trim(&animation, start..end);
        let channel = position(&part);
        assert_eq!(channel.times().rate(), Some(2.0), "{start}..{end}");
        assert_eq!(channel.interpolation(), Interpolation::Cubic);
        assert!(apart(&whole, &part, start) < 1e-5, "{start}..{end}");
    }
    assert_eq!(
        position(&trim(&animation, 0.5..1.5)).values(),
        &values[1..4]
    );
    for (start, end) in [(0.3, 1.1), (0.75, 3.0), (1.8, 2.5), (2.5, 3.0)] {
        let part = trim(&animation, start..end);
        assert!(apart(&whole, &part, start) < 1e-5, "{start}..{end}");
    }
}

#[test]
fn a_cubic_holds_before_its_first_key_and_after_its_last() {
    let times = KeyTimes::listed([1.0, 2.0]).unwrap();
    let steep = || heights(&[20.0, 20.0]);
    let whole = Channel::cubic(times, heights(&[0.0, 1.0]), steep(), steep()).unwrap();
    let animation = with_position(whole.clone(), 4.0, None);
    for (start, end) in [(0.0, 4.0), (0.5, 3.0), (0.2, 0.8), (1.0, 3.0), (2.0, 3.0)] {
        let part = trim(&animation, start..end);
        assert!(apart(&whole, &part, start) < 1e-5, "{start}..{end}");
    }
}

#[test]
fn keys_before_a_jump_at_the_end_are_kept() {
    let times = KeyTimes::listed([0.0, 1.0, 1.0, 2.0]).unwrap();
    let values = heights(&[0.0, 1.0, 50.0, 50.0]);
    let whole = Channel::new(times, values, Interpolation::Linear).unwrap();
    let part = trim(&with_position(whole.clone(), 2.0, None), 0.25..1.0);
    assert!(apart(&whole, &part, 0.25) < 1e-5);
    assert!((position(&part).sample(0.7).y - 0.95).abs() < 1e-5);
}

#[test]
fn trimming_keeps_frames_on_frames_and_the_times_of_other_keys() {
    let times = KeyTimes::uniform(30.0, 31).unwrap();
    let values: Vec<Vec3> = times.iter().map(|time| Vec3::Y * time).collect();
    let whole = Channel::new(times, values, Interpolation::Linear).unwrap();
    let rate = |frame_rate| {
        let animation = with_position(whole.clone(), 1.0, frame_rate);
        let part = trim(&animation, 0.51..0.9);
        assert!(apart(&whole, &part, 0.51) < 1e-5);
        position(&part).times().rate()
    };
    assert_eq!(rate(Some(30.0)), Some(30.0));
    assert_eq!(rate(Some(60.0)), None);
    assert_eq!(rate(None), None);
}

#[test]
fn a_length_beyond_the_keys_makes_no_keys() {
    let times = KeyTimes::uniform(120.0, 3).unwrap();
    let whole = Channel::new(times, heights(&[0.0, 1.0, 2.0]), Interpolation::Linear).unwrap();
    let endless = with_position(whole, f32::MAX, Some(120.0));
    for start in [0.0, 0.01, 1e20] {
        let part = trim(&endless, start..f32::MAX);
        assert!(position(&part).values().len() <= 5, "{start}");
        let last = position(&part).values().last().unwrap();
        assert_eq!(*last, Vec3::Y * 2.0, "{start}");
    }
}

/// Keys of one type whose numbers and tangents wander.
fn wandering(kind: VariantType, times: &KeyTimes) -> Vec<VariantKey> {
    let value = |i: usize| {
        let at = |k: usize| (((i + k) * 7) % 5) as f64 - 1.75;
        kind.from_numbers([at(0), at(1), at(2), at(3)])
    };
    let key = |(i, time)| VariantKey::new(time, value(i)).with_tangents(value(i + 1), value(i + 3));
    times.iter().enumerate().map(key).collect()
}

#[test]
fn variant_tracks_are_trimmed_too() {
    let listed = KeyTimes::listed([0.5, 1.0, 1.75, 3.0]).unwrap();
    let interpolations = [
        VariantInterpolation::None,
        VariantInterpolation::Linear,
        VariantInterpolation::TensionSpline { tension: 0.5 },
        VariantInterpolation::TangentSpline,
    ];
    for times in [listed, KeyTimes::uniform(2.0, 4).unwrap()] {
        for interpolation in interpolations {
            for kind in [VariantType::Float, VariantType::Vec3, VariantType::Double] {
                let keys = wandering(kind, &times);
                let whole =
                    VariantTrack::with_times("face", interpolation, times.clone(), keys).unwrap();
                assert_cut(&whole.with_weight(0.25));
            }
        }
    }
}

fn assert_cut(whole: &VariantTrack) {
    let holds = whole.interpolation() == VariantInterpolation::None;
    let mut animation = Animation::new("talk", 4.0);
    animation.variants.push(whole.clone());
    for (start, end) in [(0.0, 4.0), (0.7, 2.2), (1.0, 1.75), (0.1, 0.3), (2.0, 3.5)] {
        let part = &trim(&animation, start..end).variants[0];
        assert_eq!((&*part.name, part.weight), ("face", 0.25));
        assert_eq!(part.kind(), whole.kind());
        for i in 0..=40 {
            let time = (end - start) * i as f32 / 40.0;
            // A step may fall on either side of a moment that is rounded.
            let on_key = |t: f32| (t - start - time).abs() < 1e-6;
            if holds && whole.times().iter().any(on_key) {
                continue;
            }
            let a = part.sample(time, end - start, false).numbers();
            let b = whole.sample(start + time, 4.0, false).numbers();
            let gap = a
                .iter()
                .zip(b)
                .map(|(a, b)| (a - b).abs())
                .fold(0.0, f64::max);
            assert!(gap < 1e-5, "{whole:?} {start}..{end} {time}");
        }
    }
}

#[test]
fn text_tracks_are_trimmed_to_the_range_and_single_keys_stay() {
    let hold = VariantInterpolation::None;
    let text = VariantTrack::new("mouth", hold, [(0.5, "a"), (1.0, "b"), (2.0, "c")]).unwrap();
    let mut animation = Animation::new("talk", 4.0);
    let single = VariantTrack::new("eyes", hold, [(3.0, 7)]).unwrap();
    animation.variants = vec![text, single.clone()];
    let part = trim(&animation, 0.75..1.5);
    for (time, shown) in [(0.0, "a"), (0.125, "a"), (0.25, "b"), (0.75, "b")] {
        assert_eq!(part.variants[0].sample(time, 0.75, false), shown.into());
    }
    assert_eq!(part.variants[1], single);
}

#[test]
fn triggers_are_trimmed_and_shifted() {
    let mut animation = Animation::new("walk", 4.0);
    for time in [0.0, 1.0, 1.5, 2.0, 3.0, 9.0] {
        animation.add_trigger(time, time);
    }
    let times = |start, end| -> Vec<f32> {
        let part = trim(&animation, start..end);
        assert_eq!(part.check(), Ok(()));
        part.triggers.iter().map(|trigger| trigger.time).collect()
    };
    assert_eq!(times(1.0, 2.0), [0.0, 0.5, 1.0]);
    assert_eq!(times(1.25, 1.75), [0.25]);
    assert!(times(3.5, 3.75).is_empty());
}

#[test]
fn resampling_keeps_variants_and_limits_the_number_of_frames() {
    let mut animation = Animation::new("long", 1e9);
    let keys = [(0.0, 0.0_f32), (1.0, 1.0)];
    let face = VariantTrack::new("face", VariantInterpolation::Linear, keys);
    animation.variants.push(face.unwrap());
    let even = resample(&animation, 1000.0);
    // A length in f32 is good for one frame in ten million.
    let count = even.frame_count();
    assert!((9_999_999..=10_000_001).contains(&count), "{count}");
    assert!((even.length / 1e9 - 1.0).abs() < 1e-5);
    assert_eq!(even.variants, animation.variants);
    for length in [f32::MAX, f32::INFINITY] {
        let endless = resample(&Animation::new("endless", length), 30.0);
        assert!(endless.frame_count() <= 10_000_001, "{length}");
    }
}

#[test]
fn the_quaternion_signs_of_cubic_keys_are_kept() {
    let times = || KeyTimes::uniform(1.0, 2).unwrap();
    let half = Quat::from_xyzw(0.0, -0.6, 0.0, -0.8);
    let none = || vec![Quat::from_xyzw(0.0, 0.0, 0.0, 0.0); 2];
    let values = || vec![Quat::IDENTITY, half];
    let mut animation = Animation::new("turn", 1.0);
    let mut track = TransformTrack::new("hips");
    track.rotation = Some(Channel::cubic(times(), values(), none(), none()).unwrap());
    animation.tracks.push(track);
    let before = animation.clone();
    align_hemispheres(&mut animation);
    assert_eq!(animation, before);
    // Slopes that are made from the values are made the shorter way.
    let smooth = Channel::new(times(), values(), Interpolation::Cubic).unwrap();
    assert_eq!(smooth.values()[1], Quat::from_xyzw(0.0, 0.6, 0.0, 0.8));
    assert_eq!(smooth.out_tangents()[0].y, 0.6);
}
