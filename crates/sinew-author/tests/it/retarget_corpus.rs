//! Retargeting real motions between real bodies.
//!
//! Real files are found through `SINEW_CORPUS`; their tests are ignored by default and fail without it.

use crate::retarget_common::{
    Random, cmu_roles, distance, ground_path, paths, real, scaled, with_rest_rotations,
};
use sinew::{Animation, Skeleton};
use sinew_author::retarget::{RetargetReport, RetargetSettings, Retargeted, retarget};
use sinew_testing::corpus::say;

const WALK: &str = "cmu-cyun9601/02_01.amc";

fn onto(source: &(Skeleton, Animation), target: &Skeleton) -> Retargeted {
    let roles = [&source.0, target].map(cmu_roles);
    retarget(
        &source.0,
        &source.1,
        &roles[0],
        target,
        &roles[1],
        &RetargetSettings::default(),
    )
    .unwrap()
}

fn tell(what: &str, report: &RetargetReport) {
    say(&format!(
        "{what}: s {:.4}, path {:.3} to {:.3} m, {} plants slide {:.3} cm (mean {:.3}), source {:.3} ({:.3}); float {:.3}, \
         sink {:.3} cm; direction {:.2}° (max {:.2}, {:?}); reach {:.1} % (mean {:.1}); limits {} ({}) of {} frames; jerk {:.3}; \
         {} warnings",
        report.scale,
        report.root_path[0],
        report.root_path[1],
        report.plants,
        100.0 * report.slide[0],
        100.0 * report.slide[1],
        100.0 * report.source_slide[0],
        100.0 * report.source_slide[1],
        100.0 * report.float,
        100.0 * report.sink,
        report.direction,
        report.max_direction,
        report.bone_directions,
        100.0 * report.reach[0],
        100.0 * report.reach[1],
        report.limit_frames,
        report.source_limit_frames,
        report.frames,
        report.jerk,
        report.warnings.len()
    ));
}

#[test]
#[ignore = "needs SINEW_CORPUS"]
fn a_motion_onto_its_own_body_is_the_same_motion() {
    let walk = real(WALK);
    let result = onto(&walk, &walk.0);
    tell("02_01 onto 02", &result.report);
    let [own, other] = [&walk.1, &result.animation].map(|motion| paths(&walk.0, motion, 120.0));
    let error = distance(&other, &own, 1.0);
    say(&format!("02_01 onto 02: {error:.2e} m"));
    assert!(error <= 1e-5, "{error}");
    assert_eq!(result.report.violations(), []);
    assert_eq!(result.report.scale, 1.0);
}

#[test]
#[ignore = "needs SINEW_CORPUS"]
fn other_rest_rotations_do_not_change_a_motion() {
    let walk = real(WALK);
    let own = paths(&walk.0, &walk.1, 120.0);
    let mut largest = 0.0_f32;
    for seed in 0..40 {
        let mut random = Random(seed);
        let rotations: Vec<_> = walk.0.joints().iter().map(|_| random.rotation()).collect();
        let target = with_rest_rotations(&walk.0, &rotations);
        let result = onto(&walk, &target);
        let error = distance(&paths(&target, &result.animation, 120.0), &own, 1.0);
        largest = largest.max(error);
    }
    say(&format!("40 rest rotations of 02: {largest:.2e} m"));
    assert!(largest <= 1e-4, "{largest}");
}

#[test]
#[ignore = "needs SINEW_CORPUS"]
fn half_the_size_is_half_the_motion() {
    let walk = real(WALK);
    let target = scaled(&walk.0, 0.5);
    let result = onto(&walk, &target);
    let own = paths(&walk.0, &walk.1, 120.0);
    let error = distance(&paths(&target, &result.animation, 120.0), &own, 0.5);
    tell("02_01 onto half of 02", &result.report);
    assert!(error <= 1e-4, "{error}");
    assert!((result.report.scale - 0.5).abs() < 5e-5);
    let [from, to] = result.report.root_path;
    assert!((from - 3.371).abs() < 0.001 && (to - 1.686).abs() < 0.001);
    assert_eq!(result.report.violations(), []);
}

#[test]
#[ignore = "needs SINEW_CORPUS"]
fn longer_legs_walk_farther_without_sliding() {
    let walk = real(WALK);
    let (target, _) = real("cmu-visdoom/09_06-run.amc");
    let result = onto(&walk, &target);
    tell("02_01 onto 09", &result.report);
    for warning in &result.report.warnings {
        say(&format!("{warning}"));
    }
    assert!((result.report.scale - 1.0264).abs() <= 0.0005);
    let path = ground_path(&target, &result.animation, 0, 120.0);
    assert!((path - 3.46).abs() <= 0.01, "{path}");
    assert!(result.report.slide[0] <= 0.005);
    assert!(result.report.float <= 0.01);
}
