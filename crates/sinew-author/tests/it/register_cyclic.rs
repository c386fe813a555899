//! Registration of loops: their phases are found, whatever frame they begin with.

use crate::register_common::{Clip, assert_pace, largest_step, mixed};
use sinew::math::GroundTransform;
use sinew::registration::{Motion, RegistrationCurve};
use sinew_author::register::{
    RegisterMode, RegisterSettings, TransitionSettings, register, transition,
};
use sinew_testing::corpus::{required_corpus, say};

/// The largest distance from a known phase offset along a curve, in frames.
fn phase_error(
    curve: &RegistrationCurve,
    offset: f64,
    stretch: f64,
    length: f64,
    rate: f64,
) -> f64 {
    let error = |step: i32| {
        let u = f64::from(step) / 100.0;
        let off = curve.time(0, u) - curve.time(1, u) / stretch - offset;
        (off - (off / length).round() * length).abs() * rate
    };
    (0..=100).map(error).fold(0.0, f64::max)
}

/// Registers a loop with itself, begun elsewhere and played at other paces and rates. Returns the largest error, in
/// frames, and how many were tried.
fn offsets_of(clip: &Clip, offsets: &[f64], others: &[(f64, f64)]) -> (f64, usize) {
    let length = f64::from(clip.animation.length);
    let mut worst = (0.0f64, 0);
    for share in offsets {
        for &(stretch, rate) in others {
            let offset = share * length;
            let other = clip.rotated(offset, stretch, rate);
            let motions = [clip.motion(), Motion::new(&clip.skeleton, &other)];
            let curve = register(&motions, &RegisterSettings::default()).unwrap();
            assert!(curve.is_cyclic(), "{share} {stretch} {rate}");
            let rate = clip.rate().max(rate).min(120.0);
            let error = phase_error(&curve, offset, stretch, length, rate);
            worst = (worst.0.max(error), worst.1 + 1);
        }
    }
    worst
}

/// Two loops of one walk that begin at different phases are registered by their phases, and not from first to last frame.
#[test]
fn known_phase_offsets_of_sample_loops_are_found_to_a_quarter_of_a_frame() {
    for name in ["walk", "run"] {
        let clip = Clip::sample(name).looped().unwrap();
        let (error, count) = offsets_of(&clip, &[0.13, 0.5, 0.77], &[(1.0, 120.0), (1.3, 60.0)]);
        assert!(error <= 0.25, "{name}: {error} frames in {count} tries");
    }
}

/// The cycle closes: it ends where it begins, a cycle later, at the same pace.
#[test]
fn a_curve_of_loops_covers_one_cycle_of_each() {
    let [walk, run] = ["walk", "run"].map(|name| Clip::sample(name).looped().unwrap());
    let curve = register(&[walk.motion(), run.motion()], &RegisterSettings::default()).unwrap();
    assert!(curve.is_cyclic());
    assert_pace(&curve, "loops of a walk and a run");
    for (motion, clip) in [&walk, &run].into_iter().enumerate() {
        let span = curve.time(motion, 1.0) - curve.time(motion, 0.0);
        let length = f64::from(clip.animation.length);
        assert!((span - length).abs() < 1e-6, "{span} of {length}");
        assert!((0.0..length).contains(&curve.time(motion, 0.0)));
        let paces = [0.0, 1.0].map(|end| curve.pace(motion, end));
        assert!((paces[0] / paces[1] - 1.0).abs() < 1e-6, "{paces:?}");
    }
    assert!(!curve.plants().is_empty());
    // What corresponds does so wherever loops begin: feet of later loops are matched a cycle later.
    let again = register(&[run.motion(), walk.motion()], &RegisterSettings::default()).unwrap();
    for step in 0..20 {
        let u = f64::from(step) / 20.0;
        let there = curve.time(1, u);
        let back = again.time(1, again.position(0, there));
        let length = f64::from(walk.animation.length);
        let off = back - curve.time(0, u);
        let off = (off - (off / length).round() * length).abs();
        assert!(off < 0.03, "{u}: {off} s");
    }
}

/// A blend of loops is a cycle without a jump, where one of them passes its last frame in the middle of it.
#[test]
fn a_blend_of_loops_goes_on_across_the_seam_of_either() {
    let walk = Clip::sample("walk").looped().unwrap();
    let length = f64::from(walk.animation.length);
    let later = walk.rotated(0.4 * length, 1.0, walk.rate());
    let motions = [walk.motion(), Motion::new(&walk.skeleton, &later)];
    let curve = register(&motions, &RegisterSettings::default()).unwrap();
    let allowed = 1.2 * largest_step(&walk.skeleton, &walk.animation);
    for weight in [0.0, 0.5, 1.0] {
        let blended = mixed(&curve, motions, weight);
        let step = largest_step(&walk.skeleton, &blended.animation);
        assert!(step < allowed, "{weight}: {step} > {allowed}");
        assert!((f64::from(blended.animation.length) - length).abs() < 0.02);
    }
}

/// A loop that was put on the spot corresponds to one that travels as it did before: at no distance, phase by phase, and a
/// blend of both goes as far as either and has its joints where they have them.
#[test]
fn a_loop_in_place_and_a_travelling_one_correspond() {
    for name in ["walk", "run"] {
        let clip = Clip::sample(name);
        let travelling = clip.looped().unwrap();
        let in_place = clip.looped_in_place().unwrap();
        let per_cycle = travelling.animation.looping.unwrap().per_cycle;
        let way = per_cycle.x.hypot(per_cycle.z);
        assert!(
            in_place
                .place("root", 0.5)
                .distance(in_place.place("root", 0.0))
                < 0.3
        );
        let local = RegisterSettings {
            mode: RegisterMode::Local,
            ..RegisterSettings::default()
        };
        for settings in [RegisterSettings::default(), local] {
            for [first, second] in [[&travelling, &in_place], [&in_place, &travelling]] {
                let motions = [first.motion(), second.motion()];
                let curve = register(&motions, &settings).unwrap();
                assert!(curve.distance() < 0.001, "{name}: {}", curve.distance());
                let length = f64::from(travelling.animation.length);
                let error = phase_error(&curve, 0.0, 1.0, length, clip.rate());
                assert!(error < 0.25, "{name}: {error} frames");
                for weight in [0.0, 0.5, 1.0] {
                    let blended = mixed(&curve, motions, weight);
                    let blend = Clip {
                        skeleton: clip.skeleton.clone(),
                        animation: blended.animation,
                    };
                    let end = f64::from(blend.animation.length);
                    let whole = blend.place("root", end) - blend.place("root", 0.0);
                    let whole = f64::from(whole.x).hypot(f64::from(whole.z));
                    assert!(
                        (whole / way - 1.0).abs() < 0.02,
                        "{name}: {whole} of {way} m"
                    );
                    for (frame, position) in blended.positions.iter().enumerate() {
                        let time = curve.time(0, *position);
                        for joint in ["root", "ltoes", "rhand", "head"] {
                            let place = blend.place(joint, frame as f64 / clip.rate());
                            let other = travelling.place(joint, time.min(length));
                            assert!(
                                place.distance(other) < 0.005 || time > length,
                                "{name} {weight}: {joint} at {time} is {place}, not {other}"
                            );
                        }
                    }
                }
            }
        }
    }
}

/// A change from a travelling motion to a loop that was put on the spot goes on at its speed.
#[test]
fn a_transition_to_a_loop_in_place_goes_on() {
    let clip = Clip::sample("walk");
    let in_place = clip.looped_in_place().unwrap();
    for motions in [
        [clip.motion(), in_place.motion()],
        [in_place.motion(), clip.motion()],
    ] {
        // The clip is of several cycles.
        let local = RegisterSettings {
            mode: RegisterMode::Local,
            ..RegisterSettings::default()
        };
        let curve = register(&motions, &local).unwrap();
        let settings = TransitionSettings {
            start: 0.3,
            seconds: 0.3,
            ground: GroundTransform::IDENTITY,
        };
        let blended = transition(&curve, motions, &settings).unwrap();
        let step = largest_step(&clip.skeleton, &blended.animation);
        let allowed = 1.1 * largest_step(&clip.skeleton, &clip.animation);
        assert!(step < allowed, "{step} > {allowed}");
        let whole = Clip {
            skeleton: clip.skeleton.clone(),
            animation: blended.animation,
        };
        let speed = |clip: &Clip| {
            let length = f64::from(clip.animation.length);
            let way = clip.place("root", length) - clip.place("root", 0.0);
            f64::from(way.x).hypot(f64::from(way.z)) / length
        };
        let (found, expected) = (speed(&whole), speed(&clip));
        assert!(
            (found / expected - 1.0).abs() < 0.05,
            "{found} of {expected} m/s"
        );
    }
}

#[test]
fn three_loops_share_one_cycle() {
    let walk = Clip::sample("walk").looped().unwrap();
    let length = f64::from(walk.animation.length);
    let others = [0.3, 0.7].map(|share| walk.rotated(share * length, 1.0, walk.rate()));
    let motions = [
        walk.motion(),
        Motion::new(&walk.skeleton, &others[0]),
        Motion::new(&walk.skeleton, &others[1]),
    ];
    let curve = register(&motions, &RegisterSettings::default()).unwrap();
    assert!(curve.is_cyclic() && curve.len() == 3);
    let reference = curve.reference();
    let phase = |motion: usize| [0.0, 0.3, 0.7][motion] * length;
    for step in 0..20 {
        let u = f64::from(step) / 20.0;
        for motion in 0..3 {
            let off =
                curve.time(motion, u) + phase(motion) - curve.time(reference, u) - phase(reference);
            let off = (off - (off / length).round() * length).abs() * walk.rate();
            assert!(off < 0.5, "{motion} at {u}: {off} frames");
        }
    }
}

#[test]
fn motions_that_are_no_loops_are_registered_cyclically_only_if_asked() {
    let clips = ["walk", "run"].map(|name| Clip::sample(name).looped().unwrap());
    let part = sinew_author::edit::trim(&clips[0].animation, 0.0..clips[0].animation.length * 0.8);
    let motions = [Motion::new(&clips[0].skeleton, &part), clips[1].motion()];
    let curve = register(&motions, &RegisterSettings::default());
    assert!(curve.is_ok_and(|curve| !curve.is_cyclic()));
    let asked = RegisterSettings {
        mode: RegisterMode::Cyclic,
        max_distance: Some(1.0),
        ..RegisterSettings::default()
    };
    assert!(register(&motions, &asked).unwrap().is_cyclic());
}

/// Loops of every gait of the corpus, at many phases, paces and rates.
#[test]
#[ignore = "needs SINEW_CORPUS"]
fn known_phase_offsets_of_real_loops_are_found_to_a_quarter_of_a_frame() {
    let corpus = required_corpus();
    let names = [
        "cmu-cyun9601/02_01",
        "cmu-cyun9601/02_03",
        "cmu-visdoom/07_01-walk",
        "cmu-visdoom/09_06-run",
        "cmu-visdoom/131_04-dance",
        "seed-clips/07_05",
        "seed-clips/backward",
        "cmu-maxxgx/16_35",
        "cmu-gsimchoni/zombie",
        "cmu-gsimchoni/charleston1",
        "hdm05/HDM_bd_jogLeftCircle4StepsRstart_001_120",
    ];
    let others = [
        (1.0, 120.0),
        (1.0, 60.0),
        (1.25, 120.0),
        (0.8, 30.0),
        (1.0, 24.0),
    ];
    let (mut count, mut worst, mut failed) = (0, 0.0f64, Vec::new());
    for name in names {
        let clip = Clip::read(&corpus.join("asf-amc").join(format!("{name}.amc")));
        let Some(clip) = clip.looped() else {
            say(&format!("{name}: no cycle"));
            continue;
        };
        let (error, tried) = offsets_of(&clip, &[0.0, 0.07, 0.31, 0.5, 0.84], &others);
        say(&format!("{name}: {tried} offsets to {error:.3} frames"));
        worst = worst.max(error);
        count += tried;
        if error > 0.25 {
            failed.push(format!("{name}: {error}"));
        }
    }
    say(&format!(
        "{count} phase offsets of {} loops to {worst:.3} frames",
        names.len()
    ));
    assert!(failed.is_empty(), "{failed:#?}");
}
