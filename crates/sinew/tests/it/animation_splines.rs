//! Splines through the keys of variant tracks.

use sinew::animation::{Channel, KeyTimes, Variant, VariantKey, VariantTrack};
use sinew::glam::Vec4;
use sinew_testing::variants;
use variants::{TANGENTS, number, tension, track};

/// S15.
#[test]
fn a_tension_spline_takes_tangents_from_its_neighbours() {
    let keys = [(0.0, 0.0_f32), (1.0, 1.0), (2.0, 3.0), (3.0, 2.0)];
    let track = track(tension(0.5), keys);
    for (time, value) in [(0.5, 0.3125), (1.5, 2.125), (1.25, 1.5), (2.0, 3.0)] {
        assert_eq!(number(&track, time, 3.0, false), value, "{time}");
    }
}

#[test]
fn a_closed_tension_spline_is_smooth_where_it_closes() {
    let closed = track(
        tension(0.5),
        [(0.0, 0.0_f32), (1.0, 4.0), (2.0, -4.0), (3.0, 0.0)],
    );
    // The tangent at both ends is (4 - -4) / 2 = 4, at the keys between them -2.
    assert_eq!(number(&closed, 0.5, 3.0, false), 2.0 + (4.0 + 2.0) / 8.0);
    assert_eq!(number(&closed, 2.5, 3.0, false), -2.0 + (-2.0 - 4.0) / 8.0);
    // Two keys of one value are no curve to close.
    let still = track(tension(0.5), [(0.0, 3.0_f32), (1.0, 3.0)]);
    assert_eq!(number(&still, 0.25, 1.0, false), 3.0);
}

/// S17.
#[test]
fn a_tension_spline_of_two_keys_eases_in_and_out() {
    let track = track(tension(0.7), [(0.0, -0.5_f32), (1.0, -1.5)]);
    for (time, value) in [(0.25, -0.65625), (0.5, -1.0), (0.75, -1.34375)] {
        assert_eq!(number(&track, time, 1.0, false), value, "{time}");
    }
}

/// D22.
#[test]
fn tangents_at_open_ends_are_zero_for_any_number_of_keys() {
    let clear = Variant::Color(Vec4::ZERO);
    let track = track(
        tension(0.5),
        [(0.0, clear), (1.0, Variant::Color(Vec4::ONE))],
    );
    assert_eq!(
        track.sample(0.25, 1.0, false),
        Variant::Color(Vec4::splat(0.15625))
    );
}

/// S18, with tangents per second: a curve that takes twice as long has slopes half as large.
#[test]
fn tangents_are_per_second() {
    for (end, half, quarter) in [(1.0, 0.5, 0.25), (2.0, 1.0, 0.5)] {
        let keys = [
            VariantKey::new(0.0, 0.0_f32).with_tangents(0.0_f32, 20.0_f32 / end),
            VariantKey::new(end, 10.0_f32).with_tangents(0.0_f32, 0.0_f32),
        ];
        let track = VariantTrack::new("t", TANGENTS, keys).unwrap();
        assert_eq!(number(&track, half, end, false), 7.5);
        assert_eq!(number(&track, quarter, end, false), 4.375);
    }
}

/// One curve as a channel of numbers and as a variant track, with the same tangents over segments of different lengths,
/// is one curve: both have one unit.
#[test]
fn channels_and_variant_tracks_have_tangents_of_one_unit() {
    let times = [0.0_f32, 0.5, 2.0, 2.25];
    let (into, out) = ([1.0_f32, -2.0, 3.0, 0.5], [4.0_f32, 1.5, -6.0, 2.0]);
    let values = [0.0_f32, 2.0, -1.0, 1.0];
    let channel = Channel::cubic(
        KeyTimes::listed(times).unwrap(),
        values.to_vec(),
        into.to_vec(),
        out.to_vec(),
    )
    .unwrap();
    let keys = (0..4).map(|index| {
        VariantKey::new(times[index], values[index]).with_tangents(into[index], out[index])
    });
    let track = VariantTrack::new("t", TANGENTS, keys).unwrap();
    for step in 0..=300 {
        let time = step as f32 / 100.0;
        let difference = number(&track, time, 3.0, false) - channel.sample(time);
        assert!(difference.abs() < 1e-6, "{time}: {difference}");
        let difference = number(&track, time, 3.0, true) - channel.sample_looped(time, 3.0);
        assert!(difference.abs() < 1e-5, "{time}: {difference}");
    }
}

/// S18, the end.
#[test]
fn a_spline_that_lacks_a_tangent_holds() {
    let mut keys = [
        VariantKey::new(0.0, 0.0_f32).with_tangents(0.0_f32, 20.0_f32),
        VariantKey::new(1.0, 10.0_f32).with_tangents(0.0_f32, 0.0_f32),
    ];
    keys[0].in_tangent = None;
    let track = VariantTrack::new("t", TANGENTS, keys).unwrap();
    assert_eq!(number(&track, 0.5, 1.0, false), 0.0);
    assert_eq!(number(&track, 1.0, 1.0, false), 10.0);
}

#[test]
fn a_looped_spline_closes_by_the_outer_tangents() {
    let keys = [
        VariantKey::new(0.0, 0.0_f32).with_tangents(8.0_f32, 0.0_f32),
        VariantKey::new(1.0, 4.0_f32).with_tangents(0.0_f32, 16.0_f32),
    ];
    let track = VariantTrack::new("t", TANGENTS, keys).unwrap();
    assert_eq!(number(&track, 1.5, 2.0, true), 2.0 + (16.0 - 8.0) / 8.0);
    assert_eq!(number(&track, 1.5, 2.0, false), 4.0);
}
