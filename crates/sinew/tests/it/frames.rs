//! From counts and times to frames.

use common::{animation, key, puppet};
use sinew::skelform::{
    AnimationData, Armature, Element, FrameSettings, Repeat, format_frame, time_frame,
    time_frame_exact,
};
use sinew_testing::characters as common;

fn armature(last: Option<u32>, frame_rate: u32) -> Armature {
    let keys = last
        .map(|last| key(last, Element::Rotation, 0.0))
        .into_iter()
        .collect();
    let animation = AnimationData {
        frame_rate,
        ..animation("a", keys)
    };
    Armature::new(puppet(vec![animation])).unwrap()
}

const ONCE: FrameSettings = FrameSettings {
    reverse: false,
    repeat: Repeat::Once,
};
const LOOP: FrameSettings = FrameSettings {
    reverse: false,
    repeat: Repeat::Loop,
};
const SEAMLESS: FrameSettings = FrameSettings {
    reverse: false,
    repeat: Repeat::LoopSeamless,
};

fn reversed(settings: FrameSettings) -> FrameSettings {
    FrameSettings {
        reverse: true,
        ..settings
    }
}

#[test]
fn an_animation_without_keys_stays_at_0() {
    let armature = armature(None, 60);
    for settings in [ONCE, LOOP, SEAMLESS, reversed(LOOP)] {
        assert_eq!(format_frame(17.0, &armature.animations()[0], settings), 0.0);
        assert_eq!(time_frame(17.0, &armature.animations()[0], settings), 0.0);
    }
}

#[test]
fn an_animation_of_one_frame_stays_at_0() {
    let armature = armature(Some(0), 60);
    for settings in [ONCE, LOOP, SEAMLESS, reversed(LOOP)] {
        assert_eq!(format_frame(17.0, &armature.animations()[0], settings), 0.0);
    }
}

#[test]
fn invalid_times_are_frame_0() {
    let armature = armature(Some(10), 60);
    let animation = &armature.animations()[0];
    assert_eq!(format_frame(f64::NAN, animation, LOOP), 0.0);
    assert_eq!(format_frame(f64::INFINITY, animation, LOOP), 0.0);
    assert_eq!(format_frame(f64::INFINITY, animation, ONCE), 10.0);
    assert_eq!(time_frame(f64::NAN, animation, LOOP), 0.0);
}

#[test]
fn a_loop_shows_its_last_frame_and_then_the_first() {
    let armature = armature(Some(70), 60);
    let animation = &armature.animations()[0];
    let frame = |count| format_frame(count, animation, LOOP);
    assert_eq!([frame(70.0), frame(71.0), frame(72.0)], [70.0, 0.0, 1.0]);
    assert_eq!(frame(71.0 * 1e6 + 5.0), 5.0);
    assert_eq!(frame(-1.0), 70.0);
    // Between the last frame and the first the last is held.
    assert_eq!(frame(70.5), 70.0);
}

#[test]
fn a_seamless_loop_shows_the_first_frame_in_place_of_the_last() {
    let armature = armature(Some(70), 60);
    let frame = |count| format_frame(count, &armature.animations()[0], SEAMLESS);
    assert_eq!([frame(69.0), frame(70.0), frame(71.0)], [69.0, 0.0, 1.0]);
}

#[test]
fn reversing_counts_from_the_last_frame_and_never_below_0() {
    let armature = armature(Some(10), 60);
    let animation = &armature.animations()[0];
    assert_eq!(format_frame(0.0, animation, reversed(LOOP)), 10.0);
    assert_eq!(format_frame(3.0, animation, reversed(LOOP)), 7.0);
    assert_eq!(format_frame(11.0, animation, reversed(LOOP)), 10.0);
    assert_eq!(format_frame(25.0, animation, reversed(ONCE)), 0.0);
    assert_eq!(format_frame(10.5, animation, reversed(LOOP)), 0.0);
}

#[test]
fn playing_once_stops_at_the_ends() {
    let armature = armature(Some(10), 60);
    let animation = &armature.animations()[0];
    assert_eq!(format_frame(99.0, animation, ONCE), 10.0);
    assert_eq!(format_frame(-5.0, animation, ONCE), 0.0);
}

#[test]
fn every_boundary_is_its_own_frame() {
    for frame_rate in [12, 24, 25, 30, 60, 120] {
        let armature = armature(Some(10_000), frame_rate);
        let animation = &armature.animations()[0];
        for frame in 0..600 {
            let seconds = f64::from(frame) / f64::from(frame_rate);
            let exact = frame as f32;
            assert_eq!(
                time_frame(seconds, animation, ONCE),
                exact,
                "{frame} at {frame_rate}"
            );
            assert_eq!(
                time_frame_exact(seconds, animation, ONCE),
                exact,
                "{frame} at {frame_rate}"
            );
            // As a clock that counts nanoseconds or 32 bit floats would give it.
            let nanoseconds = (seconds * 1e9).round() / 1e9;
            assert_eq!(
                time_frame(nanoseconds, animation, ONCE),
                exact,
                "{frame} at {frame_rate}"
            );
            let single = f64::from(seconds as f32);
            assert_eq!(
                time_frame(single, animation, ONCE),
                exact,
                "{frame} at {frame_rate}"
            );
        }
    }
}

#[test]
fn exact_time_keeps_the_fraction() {
    let armature = armature(Some(100), 60);
    let animation = &armature.animations()[0];
    assert_eq!(time_frame_exact(0.0125, animation, LOOP), 0.75);
    assert_eq!(time_frame(0.0125, animation, LOOP), 0.0);
}

#[test]
fn a_rate_of_0_stands_still() {
    let armature = armature(Some(100), 0);
    assert_eq!(time_frame(1e9, &armature.animations()[0], LOOP), 0.0);
}

#[test]
fn hours_of_play_stay_exact() {
    let armature = armature(Some(59), 60);
    let day = 24.0 * 3600.0;
    assert_eq!(time_frame(day + 0.5, &armature.animations()[0], LOOP), 30.0);
}
