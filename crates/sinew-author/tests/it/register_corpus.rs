//! Registration of real walks, runs and jumps, against measured figures.

use crate::register_common;
use register_common::{Clip, Off, distance, mixed};
use sinew::anatomy::LimbEnd;
use sinew::math::GroundTransform;
use sinew::registration::RegistrationCurve;
use sinew::skeleton::Side;
use sinew::{JointIndex, Sampler};
use sinew_author::edit::resample;
use sinew_author::footskate::{CleanSettings, clean_feet};
use sinew_author::register::{RegisterMode, RegisterSettings, register};
use sinew_testing::corpus::{required_corpus, say};

fn clip(name: &str) -> Clip {
    let corpus = required_corpus();
    Clip::read(&corpus.join("asf-amc").join(format!("{name}.amc")))
}

fn local() -> RegisterSettings {
    RegisterSettings {
        mode: RegisterMode::Local,
        max_distance: Some(0.3),
        slope: 3,
        ..RegisterSettings::default()
    }
}

fn full() -> RegisterSettings {
    RegisterSettings {
        mode: RegisterMode::Full,
        ..RegisterSettings::default()
    }
}

/// Frames of both at an end of a curve.
fn frames(curve: &RegistrationCurve, position: f64) -> [f64; 2] {
    [0, 1].map(|motion: usize| curve.time(motion, position) * 120.0)
}

#[test]
#[ignore = "needs SINEW_CORPUS"]
fn known_warps_of_real_motions_are_found() {
    let ground = GroundTransform {
        angle: 0.7,
        x: 1.3,
        z: -0.4,
    };
    let mut count = 0;
    // Names, frames per second, and how much is allowed: frames, degrees, metres, and metres of
    // joints in the root of the mean square. At 30 frames per second a dance is
    // fast for its frames.
    for (name, rate, allowed) in [
        ("seed-clips/forward", 120.0, [0.25, 0.05, 0.001, 0.0015]),
        ("seed-clips/run", 120.0, [0.25, 0.05, 0.001, 0.0015]),
        ("seed-clips/jump", 120.0, [0.25, 0.05, 0.001, 0.0015]),
        ("cmu-visdoom/131_04-dance", 30.0, [0.4, 0.5, 0.003, 0.003]),
    ] {
        let mut clip = clip(name);
        if rate != clip.rate() {
            clip.animation = resample(&clip.animation, rate);
        }
        for strength in [0.0, 0.1, 0.2] {
            let off = Off::of(&clip, &clip.warped(strength, ground), &full());
            say(&format!(
                "{name} at {strength}: {:.3} frames, {:.4} degrees, {:.4} cm, joints {:.4} cm",
                off.time,
                off.angle,
                100.0 * off.ground,
                100.0 * off.joints
            ));
            let found = [off.time, off.angle, off.ground, off.joints];
            for (found, allowed) in found.into_iter().zip(allowed) {
                assert!(found <= allowed, "{name} {strength}: {found} > {allowed}");
            }
        }
        count += 1;
    }
    say(&format!("{count} real motions were warped and found again"));
}

#[test]
#[ignore = "needs SINEW_CORPUS"]
fn a_walk_and_a_run_match_where_the_same_foot_is_planted() {
    let (walk, run) = (clip("seed-clips/forward"), clip("seed-clips/run"));
    let found = register(&[walk.motion(), run.motion()], &local()).unwrap();
    let (start, end) = (frames(&found, 0.0), frames(&found, 1.0));
    // Before that the walk stands on a foot three times as long as the run does.
    assert!(
        start[0] >= 57.0 && start[0] <= 102.0 && start[1] <= 3.0,
        "{start:?}"
    );
    assert!((end[0] - 196.0).abs() <= 3.0 && end[1] >= 45.0, "{end:?}");
    assert!(found.distance() < 0.3);
    let stretches = RegisterSettings {
        mode: RegisterMode::Between {
            first: [65.0 / 120.0, 196.0 / 120.0],
            second: [0.0, 89.0 / 120.0],
        },
        ..local()
    };
    let curve = register(&[walk.motion(), run.motion()], &stretches).unwrap();
    let left = curve
        .plants()
        .iter()
        .filter(|plant| plant.end == LimbEnd::Ball);
    let left: Vec<Side> = left.map(|plant| plant.side).collect();
    assert_eq!(left, [Side::Left, Side::Right]);

    // Frames and speeds that were measured of another implementation.
    for (weight, expected, speed) in [
        (0.0, 132.0, 0.89),
        (0.25, 88.0, 1.91),
        (0.5, 75.0, 2.93),
        (0.75, 74.0, 3.70),
        (1.0, 88.0, 3.67),
    ] {
        let blended = mixed(&curve, [walk.motion(), run.motion()], weight);
        let mut sampler = Sampler::new(&walk.skeleton, &blended.animation);
        let mut root = |time| {
            let position = sampler.pose_at(time).position(JointIndex(0));
            [f64::from(position.x), f64::from(position.z)]
        };
        let length = blended.animation.length;
        let measured = distance(root(0.0), root(length)) / f64::from(length);
        let count = blended.positions.len() as f64;
        say(&format!(
            "walk and run at {weight}: {count} frames, {measured:.2} m/s"
        ));
        assert!(
            (count / expected - 1.0).abs() < 0.1,
            "{weight}: {count} frames"
        );
        assert!(
            (measured / speed - 1.0).abs() < 0.1,
            "{weight}: {measured} m/s"
        );
        let cleaned = clean_feet(
            &walk.skeleton,
            &blended.animation,
            &blended.plants,
            &CleanSettings::default(),
        );
        let report = cleaned.unwrap().report;
        let [before, after] = report.worst(LimbEnd::Ball);
        say(&format!(
            "  slide {:.1} cm, off {:.1} cm; cleaned {:.3} cm; body moved {:.1} cm; acceleration {:.0} + {:.0} m/s²",
            100.0 * before.path,
            100.0 * before.deviation,
            100.0 * after.deviation,
            100.0 * report.body_shift,
            report.acceleration,
            report.added_acceleration
        ));
        assert!(after.deviation <= 0.001);
        assert!(report.penetration[1] <= 0.002);
        assert!(report.added_acceleration <= 2.0 * report.acceleration);
        assert!(report.stretch <= 0.01 + 1e-4);
        assert!(report.body_shift <= 0.13);
    }
}

#[test]
#[ignore = "needs SINEW_CORPUS"]
fn the_walk_and_the_run_of_two_actors_match() {
    let [walk, run] = ["seed-clips/07_05", "cmu-visdoom/09_06-run"].map(clip);
    let curve = register(&[walk.motion(), run.motion()], &local()).unwrap();
    let (start, end) = (frames(&curve, 0.0), frames(&curve, 1.0));
    say(&format!(
        "07_05 and 09_06: {start:.0?} to {end:.0?}, {:.1} cm, {} plants",
        100.0 * curve.distance(),
        curve.plants().len()
    ));
    assert!(end[0] - start[0] > 100.0 && end[1] - start[1] > 60.0);
    assert!(curve.distance() < 0.3);
}

#[test]
#[ignore = "needs SINEW_CORPUS"]
fn an_upright_walk_and_a_dance_do_not_match_closely() {
    let [walk, dance] = ["seed-clips/forward", "cmu-visdoom/131_04-dance"].map(clip);
    let settings = RegisterSettings {
        max_distance: Some(0.05),
        ..local()
    };
    let error = register(&[walk.motion(), dance.motion()], &settings).unwrap_err();
    say(&error.to_string());
    assert!(
        error
            .to_string()
            .contains("the smallest mean joint distance is")
    );
}
