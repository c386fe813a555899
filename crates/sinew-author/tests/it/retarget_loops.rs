//! Retargeting loops: the last pose is the first one, moved by the travel of a cycle.

use crate::retarget_common::{distance, read, with_legs};
use sinew::glam::Vec3;
use sinew::{Animation, Joint, JointIndex, Sampler, Skeleton, Transform};
use sinew_author::looping::{CycleSettings, LoopSettings, find_cycle, make_loop};
use sinew_author::retarget::{RetargetSettings, Retargeted, detect_roles, retarget};
use std::path::Path;

fn sample_walk() -> (Skeleton, Animation) {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../samples/motion");
    read(&samples.join("walk.amc"))
}

/// The sample walk as a loop.
fn looped(in_place: bool) -> (Skeleton, Animation) {
    let (skeleton, walk) = sample_walk();
    let cycle = find_cycle(&skeleton, &walk, &CycleSettings::default()).unwrap();
    let settings = LoopSettings {
        in_place,
        ..LoopSettings::default()
    };
    let made = make_loop(&skeleton, &walk, &cycle, &settings).unwrap();
    (skeleton, made.animation)
}

fn onto(source: &(Skeleton, Animation), target: &Skeleton) -> Retargeted {
    let roles = [&source.0, target].map(|skeleton| detect_roles(skeleton).map);
    let settings = RetargetSettings::default();
    retarget(
        &source.0, &source.1, &roles[0], target, &roles[1], &settings,
    )
    .unwrap()
}

/// The positions of all joints at every frame.
fn paths(skeleton: &Skeleton, animation: &Animation, rate: f64) -> Vec<Vec<Vec3>> {
    let count = (f64::from(animation.length) * rate).round() as usize + 1;
    let mut sampler = Sampler::new(skeleton, animation);
    let frame = |frame: usize| {
        let model = sampler.model_at((frame as f64 / rate) as f32);
        let joints = (0..skeleton.len()).map(JointIndex::from);
        joints.map(|joint| model.position(joint)).collect()
    };
    (0..count).map(frame).collect()
}

/// Points in the space of the first cycle: loops that are stored in place travel.
fn travelling(skeleton: &Skeleton, animation: &Animation, rate: f64) -> Vec<Vec<Vec3>> {
    let mut paths = paths(skeleton, animation, rate);
    let looping = animation.looping.unwrap();
    let steps = (paths.len() - 1) as f64;
    for (frame, points) in paths.iter_mut().enumerate() {
        let ground = looping.per_cycle.fraction(frame as f64 / steps);
        for point in points.iter_mut().filter(|_| looping.in_place) {
            let [x, z] = ground.apply([point.x.into(), point.z.into()]);
            *point = Vec3::new(x as f32, point.y, z as f32);
        }
    }
    paths
}

/// The largest distance between the last pose and the first one, one cycle later; the largest change of a joint's step from
/// frame to frame across the seam, and at any other frame.
fn seam(skeleton: &Skeleton, animation: &Animation, rate: f64) -> [f32; 3] {
    let mut paths = travelling(skeleton, animation, rate);
    let cycle = animation.looping.unwrap().per_cycle;
    let later = |frame: &[Vec3]| -> Vec<Vec3> {
        let moved = frame.iter().map(|point| {
            let [x, z] = cycle.apply([point.x.into(), point.z.into()]);
            Vec3::new(x as f32, point.y, z as f32)
        });
        moved.collect()
    };
    let last = paths.len() - 1;
    let (start, after) = (later(&paths[0]), later(&paths[1]));
    let gap = distance(&paths[last..], &[start], 1.0);
    paths.push(after);
    let changes = paths.windows(3).map(|frames| {
        let joints = 0..frames[0].len();
        let change =
            |joint: usize| (frames[2][joint] - frames[1][joint] * 2.0 + frames[0][joint]).length();
        joints.map(change).fold(0.0, f32::max)
    });
    let mut changes: Vec<f32> = changes.collect();
    let across = changes.pop().unwrap();
    [gap, across, changes.into_iter().fold(0.0, f32::max)]
}

#[test]
fn a_loop_stays_closed_on_another_body() {
    for in_place in [false, true] {
        let source = looped(in_place);
        let rate = source.1.frame_rate.unwrap();
        let [gap, ..] = seam(&source.0, &source.1, rate);
        assert!(gap < 2e-5, "the source closes: {gap}");
        for factors in [[1.06, 0.97], [0.9, 1.15], [1.2, 1.2]] {
            let target = with_legs(&source.0, factors);
            let result = onto(&source, &target);
            let [gap, across, elsewhere] = seam(&target, &result.animation, rate);
            assert!(gap < 5e-5, "{in_place} {factors:?}: {gap}");
            assert!(
                across <= elsewhere,
                "{in_place} {factors:?}: {across} across the seam, {elsewhere} elsewhere"
            );
            assert!(result.report.slide[0] <= 0.005, "{:?}", result.report);
        }
    }
}

#[test]
fn a_foot_that_is_planted_across_the_seam_has_one_place() {
    for in_place in [false, true] {
        let source = looped(in_place);
        let rate = source.1.frame_rate.unwrap();
        let plants = sinew_author::contacts::find_plants(
            &source.0,
            &source.1,
            &sinew_author::contacts::PlantSettings::default(),
        );
        let across = plants
            .iter()
            .filter(|plant| plant.span.end > source.1.length);
        let joints: Vec<_> = across.map(|plant| plant.joint).collect();
        assert!(!joints.is_empty(), "{plants:?}");
        let target = with_legs(&source.0, [1.06, 0.97]);
        let result = onto(&source, &target);
        let paths = travelling(&target, &result.animation, rate);
        let cycle = result.animation.looping.unwrap().per_cycle;
        for joint in joints {
            let name = &source.0.joints()[joint.index()].name;
            let first = paths[0][joint.index()];
            let [x, z] = cycle.apply([first.x.into(), first.z.into()]);
            let last = paths[paths.len() - 1][joint.index()];
            let error = (last - Vec3::new(x as f32, first.y, z as f32)).length();
            assert!(error < 5e-5, "{in_place} {name}: {error}");
        }
    }
}

#[test]
fn a_body_that_cannot_reach_its_places_keeps_its_bones_and_its_feet_still() {
    let source = sample_walk();
    // One leg is 20 % shorter: with its hips at a mean height it does not reach the ground.
    let joints = source.0.joints().iter().map(|joint| {
        let is_short = ["ltibia", "lfoot"].contains(&joint.name.as_str());
        let factor = if is_short { 0.8 } else { 1.0 };
        Joint {
            rest: Transform {
                position: joint.rest.position * factor,
                ..joint.rest
            },
            ..joint.clone()
        }
    });
    let target = Skeleton::new(joints.collect()).unwrap();
    let roles = [&source.0, &target].map(|skeleton| detect_roles(skeleton).map);
    let run = |feet: bool| {
        let settings = RetargetSettings {
            feet,
            ..RetargetSettings::default()
        };
        retarget(
            &source.0, &source.1, &roles[0], &target, &roles[1], &settings,
        )
        .unwrap()
    };
    let (free, held) = (run(false), run(true));
    let warnings = &held.report.warnings;
    let is_reported = |warning: &sinew_author::retarget::RetargetWarning| {
        matches!(
            warning,
            sinew_author::retarget::RetargetWarning::OutOfReach { frames, miss } if *frames > 0 && *miss > 0.02
        )
    };
    assert!(warnings.iter().any(is_reported), "{warnings:?}");
    let rate = source.1.frame_rate.unwrap();
    let [free, held_paths] = [&free, &held].map(|result| paths(&target, &result.animation, rate));
    let index = |name: &str| target.find(name).unwrap().index();
    let legs = [["lfemur", "ltibia", "lfoot"], ["rfemur", "rtibia", "rfoot"]];
    let rest = paths(&target, &Animation::new("rest", 0.0), rate);
    let bone = |pose: &[Vec3], from: usize, to: usize| (pose[to] - pose[from]).length();
    let mut length = 0.0;
    for [hip, knee, ankle] in legs.map(|leg| leg.map(index)) {
        length += 0.5 * (bone(&rest[0], hip, knee) + bone(&rest[0], knee, ankle));
        for pose in &held_paths {
            for (from, to) in [(hip, knee), (knee, ankle)] {
                let error = bone(pose, from, to) - bone(&rest[0], from, to);
                assert!(error.abs() < 1e-5, "{error}");
            }
        }
    }
    let hips = index("root");
    for (free, held) in free.iter().zip(&held_paths) {
        let shift = (held[hips] - free[hips]).length();
        assert!(shift <= 0.0501 * length, "{shift} of {length}");
    }
    // The plants gave way, so feet do not slide for it; legs are pulled by 2 % at most.
    assert!(held.report.slide[0] <= 0.02 * length, "{:?}", held.report);
}
