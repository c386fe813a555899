//! `sinew blend`: motions mixed, or one going over into another.

use crate::common;
use common::Folder;
use common::mocap::{BVH, read};
use sinew::{JointIndex, Sampler};
use sinew_formats::MotionFile;

const PAIR: [&str; 3] = ["blend", "sample:walk", "sample:run"];

fn with<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&PAIR, more].concat()
}

/// Mean ground speed of the root, in metres per second.
fn speed(file: &MotionFile) -> f32 {
    let animation = &file.animations[0];
    let mut sampler = Sampler::new(&file.skeleton, animation);
    let [from, to] =
        [0.0, animation.length].map(|time| sampler.model_at(time).position(JointIndex(0)));
    (to - from).length() / animation.length
}

/// The largest step of a joint from frame to frame, in metres.
fn largest_step(file: &MotionFile) -> f32 {
    let animation = &file.animations[0];
    let mut sampler = Sampler::new(&file.skeleton, animation);
    let mut points = |frame: usize| -> Vec<sinew::glam::Vec3> {
        sampler.points_at(animation.frame_time(frame)).collect()
    };
    let mut largest = 0.0f32;
    for frame in 1..animation.frame_count() {
        let (before, after) = (points(frame - 1), points(frame));
        let steps = before.iter().zip(&after).map(|(a, b)| (*b - *a).length());
        largest = steps.fold(largest, f32::max);
    }
    largest
}

#[test]
fn what_cannot_be_meant_is_refused() {
    let folder = Folder::new();
    folder.write("other.bvh", BVH);
    folder.write("weights.json", "[[0, 0], [0, 1]]");
    folder.write("curve.json", "{}");
    folder.write("three.json", "[[0, [1, 0, 0]]]");
    let before = folder.files();
    let out = ["--out", "a.bvh"];
    let refused: [(&[&str], &str); 15] = [
        (&[], "--weight"),
        (&["--weight", "2"], "a weight from -0.2 to 1.2"),
        (&["--weight", "0.1,0.2,0.7"], "for each of the 2 motions"),
        (
            &["--weight", "0.5", "--transition", "0.4s"],
            "cannot be used with",
        ),
        (&["--weights", "gone.json"], "gone.json"),
        (
            &["--weights", "weights.json"],
            "weights.json: [1]: expected a time after",
        ),
        (&["--weights", "three.json"], "for each of the 2 motions"),
        (&["--transition", "later"], "0.4s@1.2s"),
        (&["--weight", "0.5", "--baseline-crossfade"], "--transition"),
        (&["--weight", "0.5", "--curve", "curve.json"], "sinew-curve"),
        (
            &["--weight", "0.5", "--curve", "curve.json", "--no-register"],
            "cannot be used with",
        ),
        (
            &[
                "--weight",
                "0.5",
                "--curve",
                "curve.json",
                "--max-distance",
                "0.2",
            ],
            "cannot be used with",
        ),
        (&["--weight", "0.5", "--compare", "a.gif"], "ending in .png"),
        (
            &["sample:idle", "--transition", "0.4s"],
            "the number of motions is 3; expected 2",
        ),
        (
            &["--weight", "0.5", "--mode", "best"],
            "full, local, cyclic, transition",
        ),
    ];
    for (arguments, said) in refused {
        folder.run_refused(&[&PAIR, &out[..], arguments].concat(), &[said]);
    }
    folder.run_refused(&with(&["--weight", "0.5"]), &["--out"]);
    folder.run_refused(
        &with(&["--weight", "0.5", "--out", "a.mp4"]),
        &[".bvh, .glb"],
    );
    let other = [
        "blend",
        "sample:walk",
        "other.bvh",
        "--weight",
        "0.5",
        "--out",
        "a.bvh",
    ];
    folder.run_refused(&other, &["different skeletons"]);
    assert_eq!(folder.files(), before);
}

#[test]
fn one_file_cannot_be_two_pictures() {
    let folder = Folder::new();
    let both = ["--weight", "0.5", "--out", "a.png", "--compare", "a.png"];
    folder.run_refused(&with(&both), &["a.png: --out and --compare are the same"]);
    assert!(folder.files().is_empty());
}

#[test]
fn a_transition_that_is_asked_for_too_late_begins_in_time() {
    let folder = Folder::new();
    folder.run_fine(&["register", "sample:walk", "sample:run", "--out", "c.json"]);
    let late = [
        "--curve",
        "c.json",
        "--transition",
        "0.3@3.2",
        "--out",
        "t.bvh",
    ];
    let stdout = folder.run_fine(&with(&late)).stdout;
    assert!(stdout.contains("instead of 3.20 s"), "{stdout}");
    let early = [
        "--curve",
        "c.json",
        "--transition",
        "0.3@1",
        "--out",
        "u.bvh",
    ];
    let stdout = folder.run_fine(&with(&early)).stdout;
    assert!(!stdout.contains("instead of"), "{stdout}");
    let [late, early] = ["t.bvh", "u.bvh"].map(|name| largest_step(&read(&folder, name)));
    assert!(late < 1.3 * early, "{late} {early}");
}

#[test]
fn a_mix_goes_between_its_motions_and_its_feet_stand() {
    let folder = Folder::new();
    let mut last = 0.0;
    for weight in ["0", "0.25", "0.5", "0.75", "1"] {
        let arguments = with(&["--weight", weight, "--out", "mix.bvh", "--json"]);
        let json = folder.run_fine(&arguments).json();
        assert_eq!(json["method"], "registered");
        let all = json["slides"].as_array().unwrap().last().unwrap();
        let slide = |how: &str| all["slides"][how]["deviation"].as_f64().unwrap();
        assert!(slide("cleaned") < 0.001, "{weight}: {all}");
        assert!(slide("blended") > slide("cleaned"));
        let file = read(&folder, "mix.bvh");
        let speed = speed(&file);
        assert!(speed > last, "{weight}: {speed} after {last}");
        assert!(largest_step(&file) < 0.12, "{weight}");
        last = speed;
    }
    // At 1 it is the run, as fast as it is.
    assert!((last - 3.0).abs() < 0.1, "{last}");
}

#[test]
fn weights_may_change_over_time() {
    let folder = Folder::new();
    folder.write("faster.json", "[[0, 0], [1.5, 1]]");
    folder.run_fine(&with(&["--weights", "faster.json", "--out", "faster.glb"]));
    let file = read(&folder, "faster.glb");
    let between = speed(&file);
    assert!((1.4..2.9).contains(&between), "{between}");
    assert!(largest_step(&file) < 0.12);
}

#[test]
fn a_curve_that_was_kept_gives_the_same_mix() {
    let folder = Folder::new();
    for kept in ["curve.json", "both.sinew"] {
        folder.run_fine(&["register", "sample:walk", "sample:run", "--out", kept]);
    }
    folder.run_fine(&with(&["--weight", "0.3", "--out", "first.bvh"]));
    let first = std::fs::read(folder.path("first.bvh")).unwrap();
    for kept in ["curve.json", "both.sinew"] {
        let more = ["--weight", "0.3", "--curve", kept, "--out", "again.bvh"];
        folder.run_fine(&with(&more));
        assert_eq!(
            first,
            std::fs::read(folder.path("again.bvh")).unwrap(),
            "{kept}"
        );
    }
    let others = ["blend", "sample:run", "sample:idle", "--weight", "0.5"];
    let more = ["--curve", "curve.json", "--out", "a.bvh"];
    folder.run_refused(
        &[&others, &more[..]].concat(),
        &["is a curve of other motions: motion 0 of the curve is \"walk\""],
    );
    // Motions as long as those of the curve, but others.
    folder.run_fine(&["convert", "sample:walk", "--mirror", "--out", "walk.sinew"]);
    let mirrored = ["blend", "walk.sinew", "sample:run", "--weight", "0.5"];
    folder.run_refused(&[&mirrored, &more[..]].concat(), &["other motions"]);
    // The same motions in other files are the same.
    folder.run_fine(&["convert", "sample:run", "--out", "fast.sinew"]);
    let same = ["blend", "sample:walk", "fast.sinew", "--weight", "0.5"];
    folder.run_fine(&[&same, &more[..]].concat());
}

/// A transition cannot begin after the first motion has ended, with or without a registration.
#[test]
fn a_transition_beyond_the_end_is_refused_with_the_range() {
    let folder = Folder::new();
    for more in [&[][..], &["--no-register"], &["--baseline-crossfade"]] {
        let late = ["--transition", "0.4s@9s", "--out", "a.bvh"];
        let said = "--transition: starts at 9 s, but walk is 3.30 s long";
        folder.run_refused(&[&PAIR, &late[..], more].concat(), &[said]);
    }
    assert!(folder.files().is_empty());
}

#[test]
fn transitions_flow_whichever_way_they_are_made() {
    let folder = Folder::new();
    let ways: [(&[&str], &str); 4] = [
        (&["0.4s@1.2s"], "registered"),
        (&["0.4s"], "registered"),
        (&["0.4s@1.2s", "--no-register"], "inertialized"),
        (&["0.4s@1.2s", "--max-distance", "0.01"], "inertialized"),
    ];
    for (more, how) in ways {
        let arguments = [
            &PAIR[..],
            &["--transition"][..],
            more,
            &["--out", "go.bvh", "--json"],
        ]
        .concat();
        let json = folder.run_fine(&arguments).json();
        assert_eq!(json["method"], how, "{more:?}");
        assert_eq!(
            json["note"].is_string(),
            more.contains(&"--max-distance"),
            "{more:?}"
        );
        let file = read(&folder, "go.bvh");
        assert!(
            largest_step(&file) < 0.13,
            "{more:?}: {}",
            largest_step(&file)
        );
        assert!(speed(&file) > 1.3, "{more:?}");
    }
    // The plain way is there to compare with.
    let plain = [
        "--transition",
        "0.25s@1.2s",
        "--baseline-crossfade",
        "--out",
        "plain.bvh",
    ];
    let stdout = folder.run_fine(&with(&plain)).stdout;
    assert!(stdout.contains("plain crossfade"), "{stdout}");
}

#[test]
fn what_does_not_match_is_exit_code_1_with_what_to_try() {
    let folder = Folder::new();
    let run = folder.run(&with(&[
        "--weight",
        "0.5",
        "--max-distance",
        "0.01",
        "--out",
        "a.bvh",
    ]));
    assert_eq!((run.code, run.stderr.as_str()), (Some(1), ""));
    for said in ["do not match", "try --max-distance", "--no-register"] {
        assert!(run.stdout.contains(said), "{}", run.stdout);
    }
    assert!(folder.files().is_empty());
    let even = folder.run_fine(&with(&[
        "--weight",
        "0.5",
        "--no-register",
        "--out",
        "a.bvh",
    ]));
    assert!(even.stdout.contains("unregistered"), "{}", even.stdout);
}

#[test]
fn three_motions_are_mixed() {
    let folder = Folder::new();
    let three = ["blend", "sample:walk", "sample:run", "sample:walk"];
    let more = ["--weight", "0.25,0.5,0.25", "--out", "mix.sinew"];
    folder.run_fine(&[&three, &more[..]].concat());
    let speed = speed(&read(&folder, "mix.sinew"));
    assert!((1.4..2.9).contains(&speed), "{speed}");
}

#[test]
fn naive_registered_and_cleaned_are_compared() {
    let folder = Folder::new();
    // Loops in phase are not much better registered than unregistered: stretches are.
    let json = folder
        .run_fine(&with(&[
            "--mode",
            "local",
            "--weight",
            "0.5",
            "--compare",
            "compare.png",
            "--json",
        ]))
        .json();
    let all = json["slides"].as_array().unwrap().last().unwrap();
    let worst = |how: &str| all["slides"][how]["deviation"].as_f64().unwrap();
    assert!(worst("naive") > worst("registered"), "{all}");
    assert!(
        worst("registered") > worst("cleaned") && worst("cleaned") < 0.001,
        "{all}"
    );
    let image = folder.png("compare.png");
    assert!(image.width() > 900 && image.width() < 2000 && image.height() < 2000);
    let more = [
        "--transition",
        "0.4s@1.2s",
        "--compare",
        "dark.png",
        "--dark",
    ];
    folder.run_fine(&with(&more));
    assert!(folder.png("dark.png").pixel(0, 0)[0] < 60);
}

#[test]
fn mixes_are_drawn_too() {
    let folder = Folder::new();
    folder.run_fine(&with(&["--weight", "0.5", "--out", "mix.gif"]));
    assert!(folder.gif("mix.gif").delays.len() > 30);
    folder.run_fine(&with(&[
        "--weight",
        "0.5",
        "--no-cleanup",
        "--out",
        "mix.png",
    ]));
    assert!(folder.png("mix.png").width() > 300);
}
