//! Clean feet while playing.

use sinew::anatomy::{LimbEnd, Plant};
use sinew::glam::Vec3;
use sinew::ik::{
    FootCue, FootLock, FootLockSettings, FootStep, TwoBone, TwoBoneSettings, solve_two_bone,
};
use sinew::{Animation, Inertia, ModelPose, Pose, Sampler, Skeleton, Transform, local_to_model};
use sinew_author::contacts::{PlantSettings, find_plants};
use sinew_testing::feet::{Faults, RATE, biped, walk};

fn ball(skeleton: &Skeleton, cleaner: &FootLock, leg: usize, pose: &Pose) -> Vec3 {
    let mut model = ModelPose::new(skeleton);
    local_to_model(skeleton, pose, &mut model).unwrap();
    let ball = cleaner.legs()[leg].ball.unwrap();
    model.point(ball.joint, ball.offset)
}

/// Plays a motion through a cleaner; where the balls are, frame by frame, before and after.
fn play(
    skeleton: &Skeleton,
    animation: &Animation,
    plants: &[Plant],
    cleaner: &mut FootLock,
) -> Vec<[[Vec3; 2]; 2]> {
    let mut sampler = Sampler::new(skeleton, animation);
    let count = (f64::from(animation.length) * RATE).round() as usize + 1;
    let mut places = Vec::new();
    for frame in 0..count {
        let time = (frame as f64 / RATE) as f32;
        let mut pose = sampler.pose_at(time).clone();
        let legs = cleaner.legs().to_vec();
        let cues: Vec<FootCue> = legs
            .iter()
            .map(|leg| FootCue {
                ground: Some(0.02),
                ..FootCue::from_plants(plants, leg, time, None)
            })
            .collect();
        let step = FootStep {
            seconds: (1.0 / RATE) as f32,
            placement: Transform::IDENTITY,
            cues: &cues,
        };
        let before = [0, 1].map(|leg| ball(skeleton, cleaner, leg, &pose));
        cleaner.clean(skeleton, &step, &mut pose).unwrap();
        let after = [0, 1].map(|leg| ball(skeleton, cleaner, leg, &pose));
        places.push([before, after]);
    }
    places
}

#[test]
fn poses_of_another_skeleton_are_refused_and_non_finite_poses_ignored() {
    let skeleton = biped();
    let mut cleaner = FootLock::new(&skeleton, FootLockSettings::default());
    let other = Skeleton::new(skeleton.joints()[..1].to_vec()).unwrap();
    let step = FootStep {
        seconds: 0.02,
        placement: Transform::IDENTITY,
        cues: &[],
    };
    assert!(
        cleaner
            .clean(&skeleton, &step, &mut Pose::rest(&other))
            .is_err()
    );
    assert!(
        cleaner
            .clean(&other, &step, &mut Pose::rest(&skeleton))
            .is_err()
    );
    let mut pose = Pose::rest(&skeleton);
    pose.set_position(0.into(), Vec3::NAN);
    cleaner.clean(&skeleton, &step, &mut pose).unwrap();
    assert!(!pose.is_finite());
    for seconds in [f32::NAN, -1.0, f32::INFINITY] {
        let step = FootStep { seconds, ..step };
        let mut pose = Pose::rest(&skeleton);
        cleaner.clean(&skeleton, &step, &mut pose).unwrap();
        assert_eq!(pose, Pose::rest(&skeleton), "{seconds}");
    }
    // Without legs nothing happens.
    let mut cleaner = FootLock::new(&other, FootLockSettings::default());
    let mut pose = Pose::rest(&other);
    cleaner.clean(&other, &step, &mut pose).unwrap();
    assert_eq!(pose, Pose::rest(&other));
}

#[test]
fn planted_feet_stay_and_are_released_without_a_jump() {
    let skeleton = biped();
    let walk = walk(
        &skeleton,
        4.0,
        &Faults {
            slide: 0.08,
            sink: 0.0,
        },
    );
    let plants = find_plants(&skeleton, &walk, &PlantSettings::default());
    let mut cleaner = FootLock::new(&skeleton, FootLockSettings::default());
    let places = play(&skeleton, &walk, &plants, &mut cleaner);
    let balls = plants.iter().filter(|plant| plant.end == LimbEnd::Ball);
    let legs: Vec<_> = cleaner
        .legs()
        .iter()
        .map(|leg| leg.ball.unwrap().joint)
        .collect();
    let mut looked_at = 0;
    // The first stand of each foot was not seen to come.
    for plant in balls.filter(|plant| plant.span.start > 0.3) {
        let leg = legs.iter().position(|joint| *joint == plant.joint).unwrap();
        let from = (f64::from(plant.span.start) * RATE).round() as usize;
        let to = (f64::from(plant.span.end) * RATE).round() as usize;
        let level = |place: Vec3| Vec3::new(place.x, 0.0, place.z);
        let spread = |which: usize| {
            let positions = || places[from..=to].iter().map(|both| level(both[which][leg]));
            let low = positions().fold(Vec3::INFINITY, Vec3::min);
            let high = positions().fold(Vec3::NEG_INFINITY, Vec3::max);
            (high - low).length()
        };
        if to - from < 20 {
            continue;
        }
        assert!(spread(0) > 0.04, "{plant:?} {}", spread(0));
        assert!(spread(1) < 0.004, "{plant:?} {}", spread(1));
        looked_at += 1;
    }
    assert!(looked_at >= 5, "{looked_at}");
    // No step of a foot changes more from frame to frame than twice what it does in the source.
    let jerk = |which: usize| {
        let mut most = 0.0f32;
        for three in places.windows(3) {
            let [a, b, c] = [0, 1, 2].map(|index: usize| three[index][which]);
            for ((a, b), c) in a.into_iter().zip(b).zip(c) {
                most = most.max((c - b * 2.0 + a).length());
            }
        }
        most
    };
    assert!(jerk(1) < 2.0 * jerk(0), "{} {}", jerk(1), jerk(0));
}

#[test]
fn a_clone_continues_bit_for_bit_and_a_plant_can_be_cancelled() {
    let skeleton = biped();
    let walk = walk(
        &skeleton,
        2.0,
        &Faults {
            slide: 0.06,
            sink: 0.01,
        },
    );
    let mut cleaner = FootLock::new(&skeleton, FootLockSettings::default());
    let mut sampler = Sampler::new(&skeleton, &walk);
    let mut clone = None;
    let mut last: Option<Vec3> = None;
    for frame in 0..140 {
        let time = (frame as f64 / RATE) as f32;
        // On and off at any moment.
        let cue = FootCue {
            is_planted: (frame / 7) % 2 == 0,
            ..FootCue::default()
        };
        let step = FootStep {
            seconds: (1.0 / RATE) as f32,
            placement: Transform::IDENTITY,
            cues: &[cue, cue],
        };
        let mut pose = sampler.pose_at(time).clone();
        let source = ball(&skeleton, &cleaner, 0, &pose);
        if frame == 30 {
            clone = Some(cleaner.clone());
        }
        let mut again = pose.clone();
        cleaner.clean(&skeleton, &step, &mut pose).unwrap();
        if let Some(clone) = &mut clone {
            clone.clean(&skeleton, &step, &mut again).unwrap();
            assert_eq!(again, pose);
        }
        assert!(pose.is_finite());
        let ball_position = ball(&skeleton, &cleaner, 0, &pose);
        if let Some(last) = last {
            // The fastest that a foot swings here, and somewhat more to catch up.
            assert!(
                (ball_position - last).length() < 0.12,
                "{frame} {ball_position} {last}"
            );
        }
        assert!((ball_position - source).length() < 0.6);
        last = Some(ball_position);
    }
}

/// Every number of every setting of feet, two-bone IK and inertia may be NaN, infinite, negative or huge: nothing panics,
/// and what comes out is finite.
#[test]
fn nan_settings_give_finite_poses() {
    let bad = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, -1.0, 1e38, 0.0];
    let chain = TwoBone {
        upper: Vec3::new(0.0, 1.0, 0.0),
        middle: Vec3::new(0.0, 0.5, 0.1),
        end: Vec3::ZERO,
        bend: Vec3::Z,
    };
    for soft in bad {
        for stretch in bad {
            let settings = TwoBoneSettings { soft, stretch };
            for target in [Vec3::ZERO, Vec3::new(0.1, 0.2, 0.3), Vec3::NEG_Y * 9.0] {
                let solved = solve_two_bone(&chain, target, &settings);
                assert!(solved.upper.is_finite() && solved.lower.is_finite());
                assert!(solved.stretch.iter().all(|factor| factor.is_finite()));
            }
            for point in bad {
                let chain = TwoBone {
                    middle: Vec3::splat(point),
                    ..chain
                };
                let solved = solve_two_bone(&chain, Vec3::X, &settings);
                assert!(solved.upper.is_finite() && solved.lower.is_finite());
            }
        }
    }
    let skeleton = biped();
    let animation = walk(&skeleton, 1.0, &Faults::default());
    let mut sampler = Sampler::new(&skeleton, &animation);
    let usual = FootLockSettings::default();
    for value in bad {
        let legs = |soft, stretch| TwoBoneSettings { soft, stretch };
        for settings in [
            FootLockSettings {
                lead: value,
                ..usual
            },
            FootLockSettings {
                landing: value,
                ..usual
            },
            FootLockSettings {
                fade: value,
                ..usual
            },
            FootLockSettings {
                legs: legs(value, 0.01),
                ..usual
            },
            FootLockSettings {
                legs: legs(0.02, value),
                ..usual
            },
        ] {
            let mut cleaner = FootLock::new(&skeleton, settings);
            for frame in 0..60 {
                let mut pose = sampler.pose_at(frame as f32 / 60.0).clone();
                let cue = FootCue {
                    is_planted: frame % 20 < 10,
                    plants_in: if frame % 20 < 15 { f32::INFINITY } else { 0.05 },
                    ground: Some(0.0),
                };
                let step = FootStep {
                    seconds: 1.0 / 60.0,
                    placement: Transform::IDENTITY,
                    cues: &[cue; 2],
                };
                cleaner.clean(&skeleton, &step, &mut pose).unwrap();
                let all = (0..pose.len()).map(|index| pose.get(index.into()));
                for transform in all {
                    assert!(
                        transform.position.is_finite() && transform.rotation.is_finite(),
                        "{settings:?}"
                    );
                }
            }
        }
        let mut inertia = Inertia::new(&skeleton);
        let mut pose = Pose::rest(&skeleton);
        for frame in 0..30 {
            if frame % 7 == 3 {
                inertia.switch(value);
            }
            pose.copy_from(sampler.pose_at(frame as f32 / 30.0));
            let dt = if frame % 5 == 4 { value } else { 1.0 / 30.0 };
            inertia.apply(&mut pose, dt).unwrap();
            let step = inertia.smooth_root(sinew::math::GroundTransform::IDENTITY, dt);
            assert!(step.x.is_finite() && step.angle.is_finite());
            let mut all = (0..pose.len()).map(|index| pose.get(index.into()));
            assert!(
                all.all(
                    |transform| transform.position.is_finite() && transform.rotation.is_finite()
                )
            );
        }
        let fade = sinew_author::register::PoseCrossfade {
            seconds: value,
            ..sinew_author::register::PoseCrossfade::default()
        };
        for elapsed in bad {
            assert!(
                (0.0..=1.0).contains(&fade.weight(elapsed)),
                "{value} {elapsed}"
            );
        }
    }
}
