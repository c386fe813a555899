//! `sinew play`: pictures, charts and reports.

use crate::common;
use common::play::{self, CROSSFADE, script};
use common::{Folder, ink};
use std::path::Path;

/// A sample script.
fn sample(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples/play");
    folder.join(name).to_str().unwrap().to_owned()
}

#[test]
fn both_samples_become_a_film_with_its_chart_under_it() {
    let folder = Folder::new();
    for name in ["pip.json", "figure.json"] {
        let script = sample(name);
        folder.run_fine(&["play", &script, "--out=x.gif", "--size=60", "--fps=5"]);
        folder.run_fine(&[
            "play",
            &script,
            "--out=plain.gif",
            "--size=60",
            "--fps=5",
            "--no-chart",
        ]);
        let (with, without) = (folder.gif("x.gif"), folder.gif("plain.gif"));
        assert_eq!(with.delays.len(), without.delays.len(), "{name}");
        assert!(
            without.height <= 60 && with.height > without.height + 80,
            "{name}"
        );
        assert!(with.width >= 360 && without.width <= 60, "{name}");
        assert!(
            with.hundredths() == 800 || with.hundredths() == 900,
            "{name}"
        );
    }
}

#[test]
fn built_in_scripts_are_the_samples() {
    let folder = Folder::new();
    for (built_in, name, picture) in [
        ("sample", "pip.json", "pip.gif"),
        ("sample:figure", "figure.json", "figure.gif"),
    ] {
        folder.run_fine(&["play", built_in, "--out=a.json", "--fps=5"]);
        folder.run_fine(&["play", &sample(name), "--out=b.json", "--fps=5"]);
        let [a, b] = ["a.json", "b.json"].map(|file| std::fs::read(folder.path(file)).unwrap());
        assert!(a == b, "{name}");
        folder.run_fine(&["play", built_in, "--size=40", "--fps=2", "--no-chart"]);
        assert!(!folder.gif(picture).delays.is_empty(), "{name}");
    }
}

#[test]
fn both_samples_become_moments_above_their_chart() {
    let folder = Folder::new();
    for name in ["pip.json", "figure.json"] {
        let script = sample(name);
        let run = folder.run_fine(&["play", &script, "--out=x.png", "--size=60", "--json"]);
        let (json, image) = (run.json(), folder.png("x.png"));
        assert_eq!(json["pictures"], 8, "{name}");
        assert_eq!(
            (json["width"].as_u64(), json["height"].as_u64()),
            (Some(image.width().into()), Some(image.height().into()))
        );
        assert!(ink(&image) > 1000);
        folder.run_fine(&[
            "play",
            &script,
            "--out=y.png",
            "--size=60",
            "--contact-sheet=20",
        ]);
        folder.run_fine(&["play", &script, "--out=z.png", "--size=60", "--no-chart"]);
        assert!(folder.png("z.png").height() < image.height());
    }
}

#[test]
fn the_film_stands_beside_the_script_unless_said_otherwise() {
    let folder = Folder::new();
    folder.write("fade.json", CROSSFADE);
    let run = folder.run_fine(&["play", "fade.json", "--size=40", "--fps=10"]);
    assert!(run.stdout.starts_with("fade.gif  "), "{}", run.stdout);
    assert_eq!(folder.files(), ["fade.gif", "fade.json"]);
    assert_eq!(folder.gif("fade.gif").delays.len(), 15);
}

#[test]
fn the_chart_alone_is_a_document_or_a_picture() {
    let folder = Folder::new();
    folder.write("fade.json", CROSSFADE);
    let run = folder.run_fine(&["play", "fade.json", "--weights=w.svg", "--json"]);
    assert_eq!(run.json()["weights"], "w.svg");
    assert!(run.json()["file"].is_null());
    folder.run_fine(&["play", "fade.json", "--weights=w.png", "--out=x.json"]);
    assert_eq!(folder.files(), ["fade.json", "w.png", "w.svg", "x.json"]);
    let svg = std::fs::read_to_string(folder.path("w.svg")).unwrap();
    for said in [
        ">idle<",
        ">run<",
        ">play_new idle<",
        ">play_existing_exclusive run<",
        ">1.5 s<",
    ] {
        assert!(svg.contains(said), "{said} in {svg}");
    }
    // A few frames are drawn as boxes with their numbers.
    folder.run_fine(&["play", "fade.json", "--weights=few.svg", "--fps=4"]);
    let svg = std::fs::read_to_string(folder.path("few.svg")).unwrap();
    assert_eq!(svg.matches(">weight 0.50<").count(), 2, "{svg}");
}

#[test]
fn settings_of_pictures_are_those_of_render() {
    let folder = Folder::new();
    folder.write("fade.json", CROSSFADE);
    let args = [
        "play",
        "fade.json",
        "--out=x.gif",
        "--size=400x200",
        "--fps=4",
        "--background=#336699",
    ];
    let more = [
        "--view=side",
        "--camera=fixed",
        "--trails=lhand",
        "--footprints",
    ];
    folder.run_fine(&[&args[..], &more].concat());
    let gif = folder.gif("x.gif");
    assert_eq!((gif.width, gif.corner), (400, [0x33, 0x66, 0x99, 255]));
    let pip = script(
        "sample",
        "",
        r#"{ "at": 0, "play_new": "walk", "looped": true }"#,
    );
    folder.write("pip.json", pip);
    folder.run_fine(&[
        "play",
        "pip.json",
        "--out=x.gif",
        "--size=60",
        "--fps=5",
        "--style=Winter",
        "--overlay",
        "--no-physics",
    ]);
}

#[test]
fn the_report_tells_what_was_made_and_what_was_odd() {
    let folder = Folder::new();
    let timeline = r#"{ "at": 0, "play_new": "walk" }, { "at": 0.5, "stop": "jump" }"#;
    folder.write("odd.json", script("sample", r#""duration": 1,"#, timeline));
    let run = folder.run(&["play", "odd.json", "--out=x.json", "--fps=10", "--json"]);
    assert_eq!(run.code, Some(0));
    let json = run.json();
    assert_eq!(
        (&json["file"], &json["frames"], &json["seconds"]),
        (&"x.json".into(), &11.into(), &1.0.into())
    );
    assert_eq!(json["warnings"][0]["place"], "timeline[1]");
    assert!(
        run.stderr.starts_with("warning: odd.json: timeline[1]: "),
        "{}",
        run.stderr
    );
    assert!(run.stderr.contains("stop jump"), "{}", run.stderr);
}

#[test]
fn tracks_that_find_nothing_are_told_once_at_the_end() {
    let folder = Folder::new();
    folder.write("a.bvh", common::mocap::BVH);
    let fields = r#""animations": ["a.bvh"], "duration": 0.5,"#;
    folder.write(
        "odd.json",
        script(
            "sample:idle",
            fields,
            r#"{ "at": 0, "play_new": "a", "looped": true }"#,
        ),
    );
    for out in ["x.json", "x.png"] {
        let run = folder.run(&["play", "odd.json", "--out", out, "--size=30"]);
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        let lines: Vec<&str> = run.stderr.lines().collect();
        assert_eq!(lines.len(), 6, "{}", run.stderr);
        assert!(
            lines[0].contains("animation \"a\", \"Hips\": nothing with that name"),
            "{}",
            lines[0]
        );
        assert!(lines[5].contains("more"), "{}", lines[5]);
    }
}

#[test]
fn the_help_has_a_script_that_plays() {
    let folder = Folder::new();
    let help = folder.run_fine(&["play", "--help"]).stdout;
    let start = help.find("\n  {\n").unwrap();
    let end = help[start..].find("\n  }\n").unwrap() + start + 4;
    folder.write("help.json", &help[start..end]);
    folder.run_fine(&["play", "help.json", "--out=x.json", "--fps=2"]);
    assert!(play::PIP.contains("start_bone") && play::FIGURE.contains("mask"));
}

#[test]
fn animations_of_a_sync_group_keep_in_step_and_an_inertial_one_flows_in() {
    let folder = Folder::new();
    let play = |more: &str| {
        let timeline = format!(
            r#"{{ "at": 0, "play_new": "walk", "looped": true, "sync_group": "gait" }},
               {{ "at": 0.5, "play_existing_exclusive": "run", "looped": true{more} }}"#
        );
        let fields = r#""animations": [{ "file": "sample:run" }], "duration": 1,"#;
        folder.frames(&script("sample:walk", fields, &timeline), "60")
    };
    let time = |frames: &serde_json::Value| play::at(frames, 0.5)["playing"][0]["time"].as_f64();
    let alone = play("");
    assert_eq!(time(&alone), Some(0.0));
    let synced = play(r#", "sync_group": "gait", "inertial": true, "fade": 0.25"#);
    // 0.5 s of the walk's 3.3 s are as much of the run's 2.05 s.
    assert!((time(&synced).unwrap() - 0.5 / 3.3 * 2.05).abs() < 1e-3);
    // All of the run from the first moment on, and no joint jumps.
    assert_eq!(
        play::playing(play::at(&synced, 0.5)),
        [("run@0".to_owned(), 1.0)]
    );
    let largest_turn = |frames: &serde_json::Value| {
        let rotations = |time: f64| -> Vec<Vec<f64>> {
            let pose = play::at(frames, time)["pose"].as_array().unwrap();
            let numbers = |joint: &serde_json::Value| {
                let all = joint["rotation"].as_array().unwrap();
                all.iter().map(|number| number.as_f64().unwrap()).collect()
            };
            pose.iter().map(numbers).collect()
        };
        let (before, after) = (rotations(29.0 / 60.0), rotations(0.5));
        let pairs = before.iter().zip(&after);
        let turns = pairs.map(|(a, b)| {
            let dot: f64 = a.iter().zip(b).map(|(a, b)| a * b).sum();
            2.0 * dot.abs().min(1.0).acos().to_degrees()
        });
        turns.fold(0.0, f64::max)
    };
    let (jump, flow) = (largest_turn(&alone), largest_turn(&synced));
    assert!(jump > 20.0 && flow < 8.0, "{jump} and {flow} degrees");
}
