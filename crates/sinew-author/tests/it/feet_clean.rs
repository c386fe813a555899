//! Foot-skate cleanup.

use sinew::anatomy::{LimbEnd, Plant, find_legs};
use sinew::animation::{Channel, Interpolation, KeyTimes, TransformTrack};
use sinew::glam::Vec3;
use sinew::skeleton::Side;
use sinew::{Animation, Joint, JointIndex, Sampler, Skeleton, Transform};
use sinew_author::contacts::{PlantSettings, find_plants};
use sinew_author::footskate::{CleanError, CleanSettings, clean_feet, measure_slides};
use sinew_testing::feet::{Faults, biped, walk};

fn plant(joint: JointIndex, span: [f32; 2]) -> Plant {
    Plant {
        end: LimbEnd::Ball,
        side: Side::Left,
        joint,
        span: span[0]..span[1],
    }
}

#[test]
fn motions_that_cannot_be_cleaned_are_refused() {
    let settings = CleanSettings::default();
    let alone = Joint {
        name: "root".into(),
        parent: None,
        rest: Transform::IDENTITY,
        tip: None,
    };
    let point = Skeleton::new(vec![alone]).unwrap();
    let still = Animation::new("still", 1.0);
    assert_eq!(
        clean_feet(&point, &still, &[], &settings),
        Err(CleanError::NoLimbs)
    );

    let skeleton = biped();
    for length in [0.0, 1.0 / 30.0, f32::NAN, f32::INFINITY, 1e30] {
        let mut bad = still.clone();
        bad.length = length;
        let error = clean_feet(&skeleton, &bad, &[], &settings).unwrap_err();
        assert!(
            matches!(error, CleanError::Frames { .. }),
            "{length}: {error}"
        );
    }
    for value in [-1.0, f32::NAN, f32::INFINITY, 11.0] {
        for bad in [
            CleanSettings {
                fade: value,
                ..settings
            },
            CleanSettings {
                smooth: value,
                ..settings
            },
        ] {
            let error = clean_feet(&skeleton, &still, &[], &bad).unwrap_err();
            assert!(matches!(error, CleanError::Setting { .. }), "{error}");
        }
    }
    // Numbers that overflow on the way.
    let mut far = still.clone();
    let mut track = TransformTrack::new("hips");
    track.scale = Some(Channel::constant(Vec3::splat(f32::MAX)).unwrap());
    far.tracks.push(track);
    let mut track = TransformTrack::new("lshin");
    track.scale = Some(Channel::constant(Vec3::splat(f32::MAX)).unwrap());
    far.tracks.push(track);
    // Either is fine; stopping is not.
    let _ = clean_feet(
        &skeleton,
        &far,
        &[plant(JointIndex(5), [0.0, 1.0])],
        &settings,
    );
}

#[test]
fn without_plants_within_the_motion_nothing_changes() {
    let skeleton = biped();
    let walk = walk(&skeleton, 2.0, &Faults::default());
    let length = walk.length;
    let toes = JointIndex(5);
    let lists = [
        vec![],
        vec![plant(toes, [length + 1.0, length + 2.0])],
        vec![plant(toes, [-3.0, -1.0])],
        vec![plant(toes, [1.0, 0.5])],
        vec![plant(toes, [f32::NAN, 1.0]), plant(toes, [0.0, f32::NAN])],
        vec![
            plant(JointIndex(999), [0.0, 1.0]),
            plant(JointIndex(0), [0.0, 1.0]),
        ],
    ];
    for plants in lists {
        let cleaned = clean_feet(&skeleton, &walk, &plants, &CleanSettings::default()).unwrap();
        assert_eq!(cleaned.animation, walk, "{plants:?}");
        assert_eq!(
            measure_slides(&skeleton, &walk, &plants).len(),
            plants.len()
        );
    }
}

#[test]
fn cleaned_feet_neither_slide_nor_sink() {
    let skeleton = biped();
    for (slide, sink) in [(0.0, 0.0), (0.08, 0.0), (0.0, 0.03), (-0.1, 0.02)] {
        let walk = walk(&skeleton, 4.0, &Faults { slide, sink });
        let plants = find_plants(&skeleton, &walk, &PlantSettings::default());
        assert!(plants.len() >= 8);
        let cleaned = clean_feet(&skeleton, &walk, &plants, &CleanSettings::default()).unwrap();
        let report = &cleaned.report;
        let [before, after] = report.worst(LimbEnd::Ball);
        assert!(f64::from(before.path) > slide.abs() * 0.9, "{before:?}");
        assert!(after.deviation < 0.001, "{slide} {sink}: {after:?}");
        assert!(report.penetration[1] < 0.002, "{:?}", report.penetration);
        assert!(report.stretch <= 0.0101, "{}", report.stretch);
        assert!(report.miss < 0.001, "{}", report.miss);
        assert!(report.body_shift < 0.06, "{}", report.body_shift);
        let most = 2.0 * report.acceleration;
        assert!(report.added_acceleration < most, "{report:?}");
        // What was measured is what is there.
        let slides = measure_slides(&skeleton, &cleaned.animation, &plants);
        let balls = plants
            .iter()
            .zip(slides)
            .filter(|(plant, _)| plant.end == LimbEnd::Ball);
        assert!(balls.into_iter().all(|(_, slide)| slide.deviation < 0.001));
    }
}

#[test]
fn joints_outside_the_legs_keep_their_keys() {
    let skeleton = biped();
    let mut walk = walk(
        &skeleton,
        3.0,
        &Faults {
            slide: 0.06,
            sink: 0.0,
        },
    );
    walk.add_trigger(0.5, "step");
    let mut nod = TransformTrack::new("head");
    let times = KeyTimes::listed([0.0, 0.7, 1.3]).unwrap();
    let values = vec![Vec3::Y * 0.6, Vec3::Y * 0.58, Vec3::Y * 0.6];
    nod.position = Some(Channel::new(times, values, Interpolation::Cubic).unwrap());
    walk.set_track(nod);
    let plants = find_plants(&skeleton, &walk, &PlantSettings::default());
    let cleaned = clean_feet(&skeleton, &walk, &plants, &CleanSettings::default()).unwrap();
    let result = cleaned.animation;
    assert_eq!(result.track("head"), walk.track("head"));
    assert_eq!(result.triggers, walk.triggers);
    assert_eq!(
        (result.length, result.frame_rate),
        (walk.length, walk.frame_rate)
    );
    for name in ["lthigh", "rshin", "lfoot"] {
        let keys = |animation: &Animation| {
            let rotation = animation.track(name).unwrap().rotation.clone().unwrap();
            (rotation.times().clone(), rotation.interpolation())
        };
        assert_eq!(keys(&result), keys(&walk), "{name}");
    }
}

#[test]
fn overlapping_plants_of_one_foot_are_merged() {
    let skeleton = biped();
    let walk = walk(
        &skeleton,
        2.0,
        &Faults {
            slide: 0.05,
            sink: 0.0,
        },
    );
    let toes = JointIndex(5);
    let one = [plant(toes, [0.1, 0.7])];
    let many = [
        plant(toes, [0.1, 0.5]),
        plant(toes, [0.3, 0.7]),
        plant(toes, [0.2, 0.4]),
    ];
    let settings = CleanSettings::default();
    let one = clean_feet(&skeleton, &walk, &one, &settings).unwrap();
    let many = clean_feet(&skeleton, &walk, &many, &settings).unwrap();
    assert_eq!(one.animation, many.animation);
}

#[test]
fn a_foot_without_plants_does_not_sink_with_the_body() {
    let skeleton = biped();
    let faults = Faults {
        slide: 0.4,
        sink: 0.0,
    };
    let walk = walk(&skeleton, 3.0, &faults);
    let mut plants = find_plants(&skeleton, &walk, &PlantSettings::default());
    plants.retain(|plant| plant.side == Side::Left);
    // Longer than the leg is for, so that the body must give way.
    for plant in &mut plants {
        plant.span.end += 0.15;
    }
    let cleaned = clean_feet(&skeleton, &walk, &plants, &CleanSettings::default()).unwrap();
    assert!(cleaned.report.body_shift > 0.05, "{:?}", cleaned.report);
    let legs = find_legs(&skeleton);
    let right = legs.iter().find(|leg| leg.side == Side::Right).unwrap();
    let ball = right.ball.unwrap();
    let mut before = Sampler::new(&skeleton, &walk);
    let mut after = Sampler::new(&skeleton, &cleaned.animation);
    for frame in 0..(walk.length * 60.0) as usize {
        let time = frame as f32 / 60.0;
        let [was, is] = [&mut before, &mut after]
            .map(|sampler| sampler.model_at(time).point(ball.joint, ball.offset).y);
        assert!(is > was - 0.001, "{time}: {was} then {is}");
    }
}
