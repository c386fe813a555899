//! Retargeting real motions between real bodies.
//!
//! Real files are found through `SINEW_CORPUS`; their tests are ignored by default and fail without it.

use crate::retarget_common::{
    Random, distance, ground_path, paths, read, real, scaled, with_rest_rotations,
};
use sinew::{Animation, JointIndex, Skeleton};
use sinew_author::measure::{foot_skate_from_height, foot_skate_ratio};
use sinew_author::retarget::{
    RetargetReport, RetargetSettings, Retargeted, RoleMap, detect_roles, retarget,
};
use sinew_testing::corpus::{corpus_files, say};

const WALK: &str = "cmu-cyun9601/02_01.amc";

/// The roles that are detected, all of the required ones.
fn found_roles(skeleton: &Skeleton) -> RoleMap {
    let detection = detect_roles(skeleton);
    assert!(detection.is_complete(), "{:?}", detection.missing);
    detection.map
}

fn onto(source: &(Skeleton, Animation), target: &Skeleton) -> Retargeted {
    let roles = [&source.0, target].map(found_roles);
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
    let least = |run: &dyn Fn()| {
        let time = |_| {
            let start = std::time::Instant::now();
            run();
            start.elapsed().as_secs_f64()
        };
        let seconds = (0..30).map(time).fold(f64::INFINITY, f64::min);
        1e3 * seconds / f64::from(walk.1.length)
    };
    let maps = [&walk.0, &target].map(found_roles);
    let settings = [true, false].map(|feet| RetargetSettings {
        feet,
        ..RetargetSettings::default()
    });
    let [whole, alone] = settings.map(|settings| {
        least(&|| {
            retarget(&walk.0, &walk.1, &maps[0], &target, &maps[1], &settings).unwrap();
        })
    });
    let reading = least(&|| {
        real(WALK);
    });
    say(&format!(
        "02_01 onto 09: {whole:.2} ms per second of motion, {alone:.2} without feet; reading it {reading:.2}"
    ));
    tell("02_01 onto 09", &result.report);
    for warning in &result.report.warnings {
        say(&format!("{warning}"));
    }
    assert!((result.report.scale - 1.0264).abs() <= 0.0005);
    let path = ground_path(&target, &result.animation, 0, 120.0);
    assert!((path - 3.46).abs() <= 0.01, "{path}");
    assert_eq!(result.report.violations(), []);
    assert_eq!(result.report.limit_frames, 0);
}

/// Bodies of the corpus with the joints of the CMU graphics lab, and their first motion.
fn cmu_motions() -> Vec<(String, (Skeleton, Animation))> {
    let folder = sinew_testing::corpus::required_corpus().join("asf-amc");
    let mut motions = Vec::new();
    for path in corpus_files("asf-amc", &["amc"]) {
        let name = path.strip_prefix(&folder).unwrap().display().to_string();
        if name.contains("synthetic") || name.contains("spec") {
            continue;
        }
        let settings = sinew_formats::MotionSettings::default();
        let Ok(file) = sinew_formats::read_motion(&path, &settings) else {
            continue;
        };
        // Bodies with toes as those of the CMU graphics lab have them, so that skates are measured alike.
        let has_toes = ["ltoes", "rtoes"].map(|name| file.skeleton.find(name).is_some());
        if has_toes == [true; 2] && detect_roles(&file.skeleton).is_complete() {
            motions.push((name, read(&path)));
        }
    }
    motions
}

#[test]
#[ignore = "needs SINEW_CORPUS"]
fn thirty_runs_skate_no_more_than_their_sources() {
    let motions = cmu_motions();
    assert!(motions.len() >= 10, "{} motions", motions.len());
    let toes = |skeleton: &Skeleton| -> Vec<JointIndex> {
        ["ltoes", "rtoes"]
            .iter()
            .filter_map(|name| skeleton.find(name))
            .collect()
    };
    let mut sums = [[0.0_f32; 2]; 2];
    let mut contact_sums = [0.0_f32; 2];
    let mut passed = 0;
    let runs = 30;
    say(
        "| motion | onto the body of | FootSkateFromHeight (m/s) | FootSkateRatio | slide (cm) | contact slide (cm) | float (cm) | \
         direction (°) | jerk | beyond limits |\n|---|---|---|---|---|---|---|---|---|---|",
    );
    for run in 0..runs {
        let (name, source) = &motions[run * 7 % motions.len()];
        let others: Vec<_> = motions
            .iter()
            .filter(|other| other.1.0 != source.0)
            .collect();
        let (other, target) = others[run * 11 % others.len()];
        let result = onto(source, &target.0);
        let skates =
            [(&source.0, &source.1), (&target.0, &result.animation)].map(|(skeleton, motion)| {
                let toes = toes(skeleton);
                [
                    foot_skate_from_height(skeleton, motion, &toes).unwrap_or(0.0),
                    foot_skate_ratio(skeleton, motion, &toes).unwrap_or(0.0),
                ]
            });
        let report = &result.report;
        let violations = report.violations();
        let limits: Vec<String> = violations
            .iter()
            .map(|violation| format!("{:?}", violation.limit).to_lowercase())
            .collect();
        say(&format!(
            "| {name} | {other} | {:.3} → {:.3} | {:.3} → {:.3} | {:.2} → {:.2} | {:.2} → {:.2} | {:.2} | {:.1} | {:.2} | {} |",
            skates[0][0],
            skates[1][0],
            skates[0][1],
            skates[1][1],
            100.0 * report.source_slide[0],
            100.0 * report.slide[0],
            100.0 * report.source_contact_slide[1],
            100.0 * report.contact_slide[1],
            100.0 * report.float,
            report.direction,
            report.jerk,
            limits.join(", ")
        ));
        passed += usize::from(violations.is_empty());
        for (sum, skate) in sums.iter_mut().zip(skates) {
            sum[0] += skate[0];
            sum[1] += skate[1];
        }
        contact_sums[0] += report.source_contact_slide[1];
        contact_sums[1] += report.contact_slide[1];
        assert!(report.slide[0] <= 0.005, "{}", report.slide[0]);
    }
    let mean = sums.map(|sum| sum.map(|sum| sum / runs as f32));
    let contact_mean = contact_sums.map(|sum| 100.0 * sum / runs as f32);
    say(&format!(
        "{runs} runs, {passed} within all limits; skate and ratio of the sources {:?}, of the targets {:?}; slide over whole \
         contacts {contact_mean:?} cm",
        mean[0], mean[1]
    ));
    assert!(passed >= 22, "{passed}");
    // The share of skating frames falls. The mean speed below 5 cm also counts swinging toes, which other feet have lower.
    assert!(mean[1][1] <= mean[0][1]);
    // Feet move less over their whole contacts, too.
    assert!(contact_mean[1] <= contact_mean[0]);
}

#[test]
#[ignore = "needs SINEW_CORPUS"]
fn out_and_back_is_the_same_motion() {
    let walk = real(WALK);
    let bodies = [
        "cmu-visdoom/09_06-run.amc",
        "cmu-visdoom/07_01-walk.amc",
        "cmu-cyrochak/18_15.amc",
    ];
    let mut pairs = 0;
    for name in bodies {
        let path = sinew_testing::corpus::required_corpus()
            .join("asf-amc")
            .join(name);
        if !path.exists() {
            continue;
        }
        let other = read(&path);
        let maps = [&walk.0, &other.0].map(found_roles);
        let mut errors = [0.0_f32; 2];
        for (feet, error) in [false, true].into_iter().zip(&mut errors) {
            let settings = RetargetSettings {
                feet,
                ..RetargetSettings::default()
            };
            let out = retarget(&walk.0, &walk.1, &maps[0], &other.0, &maps[1], &settings).unwrap();
            let back = retarget(
                &other.0,
                &out.animation,
                &maps[1],
                &walk.0,
                &maps[0],
                &settings,
            )
            .unwrap();
            let own = paths(&walk.0, &walk.1, 120.0);
            *error = distance(&paths(&walk.0, &back.animation, 120.0), &own, 1.0);
        }
        say(&format!(
            "02 to {name} and back: {:.2e} m, with feet {:.2e} m",
            errors[0], errors[1]
        ));
        assert!(errors[0] <= 1e-4, "{name}: {errors:?}");
        pairs += 1;
    }
    assert!(pairs >= 2);
}
