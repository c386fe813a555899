//! Animations put together: what cannot be played, triggers, tracks by name, common times.

use sinew::animation::{
    Channel, Interpolation, TransformTrack, Trigger, Variant, VariantInterpolation, VariantTrack,
};
use sinew::control::SetError;
use sinew::glam::{Quat, Vec3};
use sinew::{Animation, AnimationSet};
use sinew_testing::motion::turn;
use std::f32::consts::PI;

const LINE: VariantInterpolation = VariantInterpolation::Linear;

fn degrees(angle: f32) -> f32 {
    angle * PI / 180.0
}

#[test]
fn invalid_animations_are_refused_by_a_set() {
    let good = || {
        let mut animation = Animation::new("walk", 1.0);
        animation.set_track(TransformTrack::new("arm"));
        animation.set_variant(VariantTrack::new("@/Value", LINE, [(0.0, 1.0_f32)]).unwrap());
        animation.add_trigger(0.5, 1);
        animation
    };
    assert_eq!(good().check(), Ok(()));
    type Break = fn(&mut Animation);
    let breaks: [Break; 12] = [
        |a| a.length = -1.0,
        |a| a.length = f32::NAN,
        |a| a.length = f32::INFINITY,
        |a| a.tracks.push(TransformTrack::new("arm")),
        |a| a.variants.push(a.variants[0].clone()),
        |a| a.tracks[0].weights.position = -0.5,
        |a| a.tracks[0].weights.rotation = f32::NAN,
        |a| a.tracks[0].weights.scale = f32::INFINITY,
        |a| a.variants[0].weight = f32::NAN,
        |a| {
            a.triggers.insert(
                0,
                Trigger {
                    time: 0.75,
                    data: 1.into(),
                },
            )
        },
        |a| a.triggers[0].time = f32::NAN,
        |a| a.triggers[0].time = -0.25,
    ];
    for (index, broken) in breaks.into_iter().enumerate() {
        let mut animation = good();
        broken(&mut animation);
        let source = animation.check().unwrap_err();
        let mut set = AnimationSet::new();
        let refused = set.add(animation).unwrap_err().to_string();
        let expected = format!("the animation \"walk\" cannot be played: {source}");
        assert_eq!(refused, expected, "{index}");
        assert!(set.is_empty());
    }
    assert_eq!(Animation::new("back", -3.0).length, 0.0);
}

#[test]
fn triggers_are_sorted_and_may_be_given_as_fractions_of_the_length() {
    let mut animation = Animation::new("walk", 4.0);
    animation.add_trigger(2.0, "first");
    animation.add_trigger_normalized(0.25, 1);
    animation.add_trigger(2.0, "second");
    animation.add_trigger_normalized(1.5, true);
    let expected: [(f32, Variant); 4] = [
        (1.0, 1.into()),
        (2.0, "first".into()),
        (2.0, "second".into()),
        (6.0, true.into()),
    ];
    assert_eq!(
        animation.triggers,
        expected.map(|(time, data)| Trigger { time, data })
    );
    assert_eq!(animation.check(), Ok(()));
}

#[test]
fn names_in_a_set_are_unique() {
    let mut set = AnimationSet::new();
    let walk = set.add(Animation::new("walk", 1.0)).unwrap();
    let name = "walk".to_owned();
    assert_eq!(
        set.add(Animation::new("walk", 2.0)),
        Err(SetError::SameName { name })
    );
    let other = set.add_as("walk 2", Animation::new("walk", 2.0)).unwrap();
    assert_eq!(
        (set.find("walk"), set.find("walk 2")),
        (Some(walk), Some(other))
    );
    assert_eq!((set.find("Walk"), set.find("run")), (None, None));
    assert_eq!(
        (set.length(walk), set.length(other)),
        (Some(1.0), Some(2.0))
    );

    let before = set.fingerprint();
    set.replace(walk, Animation::new("whatever", 3.0)).unwrap();
    assert_eq!(
        (set.name(walk), set.length(walk)),
        (Some("walk"), Some(3.0))
    );
    assert_ne!(set.fingerprint(), before);
    let missing = sinew::AnimationIndex(2);
    assert_eq!(
        set.replace(missing, Animation::new("x", 1.0)),
        Err(SetError::NoSuchAnimation {
            animation: 2,
            count: 2
        })
    );
    assert_eq!((set.name(missing), set.length(missing)), (None, None));
}

#[test]
fn a_track_replaces_the_track_of_its_name() {
    let mut animation = Animation::new("walk", 1.0);
    let arm = TransformTrack::new("arm");
    assert_eq!(animation.set_track(arm.clone()), None);
    assert_eq!(animation.set_track(TransformTrack::new("leg")), None);
    let moved = TransformTrack {
        position: Some(Channel::constant(Vec3::X).unwrap()),
        ..arm.clone()
    };
    assert_eq!(animation.set_track(moved.clone()), Some(arm));
    assert_eq!(animation.track("arm"), Some(&moved));
    assert_eq!(animation.tracks.len(), 2);

    let value = |name: &str, x: f32| VariantTrack::new(name, LINE, [(0.0, x)]).unwrap();
    assert_eq!(animation.set_variant(value("arm", 1.0)), None);
    assert_eq!(
        animation.set_variant(value("arm", 2.0)),
        Some(value("arm", 1.0))
    );
    assert_eq!(animation.variant("arm"), Some(&value("arm", 2.0)));

    assert!(animation.remove_track("arm"), "of both kinds");
    assert_eq!(
        (animation.track("arm"), animation.variant("arm")),
        (None, None)
    );
    assert!(!animation.remove_track("arm"));
    assert!(!animation.remove_track("LEG"));
    assert_eq!(animation.tracks.len(), 1);
}

#[test]
fn a_track_is_looped_when_its_ends_agree() {
    let mut track = TransformTrack::new("arm");
    assert!(track.is_looped());
    let line = |a: Vec3, b: Vec3| {
        Some(Channel::from_keys([(0.0, a), (1.0, b)], Interpolation::Linear).unwrap())
    };
    track.position = line(Vec3::X, Vec3::new(1.0009, 0.0009, -0.0009));
    assert!(track.is_looped());
    track.scale = line(Vec3::ONE, Vec3::new(1.0, 1.002, 1.0));
    assert!(!track.is_looped());
    track.scale = None;
    let turns = |angle| {
        let keys = [(0.0, Quat::IDENTITY), (1.0, turn(Vec3::Y, degrees(angle)))];
        Some(Channel::from_keys(keys, Interpolation::Linear).unwrap())
    };
    track.rotation = turns(720.0);
    assert!(track.is_looped());
    track.rotation = turns(360.0);
    assert!(
        !track.is_looped(),
        "a whole turn ends on the opposite quaternion"
    );
}

/// S21.
#[test]
fn channels_get_common_times() {
    let quarter = turn(Vec3::Y, degrees(90.0));
    let track = TransformTrack {
        position: Some(
            Channel::from_keys(
                [(0.0, Vec3::ZERO), (1.0, Vec3::X * 10.0)],
                Interpolation::Linear,
            )
            .unwrap(),
        ),
        rotation: Some(Channel::from_keys([(0.5, quarter)], Interpolation::Linear).unwrap()),
        ..TransformTrack::new("arm")
    };
    let common = track.with_common_times(0.001);
    let (position, rotation) = (common.position.unwrap(), common.rotation.unwrap());
    let keys: Vec<(f32, Vec3)> = position.keys().collect();
    assert_eq!(
        keys,
        [
            (0.0, Vec3::ZERO),
            (0.5, Vec3::X * 5.0),
            (1.0, Vec3::X * 10.0)
        ]
    );
    assert_eq!(rotation.times(), position.times());
    assert_eq!(rotation.values(), [quarter; 3]);
    assert_eq!(common.scale, None);
}

/// S21, the second part.
#[test]
fn common_times_omit_times_too_close_to_the_previous() {
    let turned = |angle| turn(Vec3::Y, degrees(angle));
    let track = TransformTrack {
        position: Some(
            Channel::from_keys([(0.0, Vec3::ZERO), (1.0, Vec3::X)], Interpolation::Linear).unwrap(),
        ),
        rotation: Some(
            Channel::from_keys(
                [(0.0004, turned(0.0)), (1.0006, turned(100.0))],
                Interpolation::Linear,
            )
            .unwrap(),
        ),
        ..TransformTrack::new("arm")
    };
    let common = track.with_common_times(0.001);
    let rotation = common.rotation.unwrap();
    let times: Vec<f32> = rotation.times().iter().collect();
    assert_eq!(times, [0.0, 1.0]);
    assert_eq!(rotation.values()[0], turned(0.0));
    assert!((rotation.values()[1] - turned(99.94)).length() < 1e-5);
}
