//! `sinew retarget`: motions on other skeletons and on characters.

use crate::common;
use common::Folder;
use serde_json::Value;

/// The sample figure and a motion of it, as files.
fn folder() -> Folder {
    let folder = Folder::new();
    let run = folder.run(&["convert", "sample:walk", "--out", "walk.bvh"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let run = folder.run(&["convert", "sample:run", "--out", "hero.glb"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    folder.write("pip.skf", common::PIP);
    folder
}

fn json(folder: &Folder, args: &[&str]) -> Value {
    let mut all = vec!["retarget"];
    all.extend(args);
    all.push("--json");
    let run = folder.run(&all);
    serde_json::from_str(&run.stdout).unwrap_or_else(|_| panic!("{args:?}: {}", run.stderr))
}

#[test]
fn a_walk_is_added_to_a_character_that_keeps_its_animations() {
    let folder = folder();
    let run = folder.run(&[
        "retarget", "walk.bvh", "--onto", "pip.skf", "--out", "out.skf",
    ]);
    assert_eq!(run.code, Some(0), "{}{}", run.stdout, run.stderr);
    let info = folder.run(&["info", "out.skf", "--json"]);
    let info: Value = serde_json::from_str(&info.stdout).unwrap();
    let before = folder.run(&["info", "pip.skf", "--json"]);
    let before: Value = serde_json::from_str(&before.stdout).unwrap();
    let names = |info: &Value| -> Vec<String> {
        let animations = info["animations"].as_array().unwrap();
        let names = animations
            .iter()
            .map(|a| a["name"].as_str().unwrap().to_owned());
        names.collect()
    };
    // Pip walks already, so the new animation gets a number.
    let mut expected = names(&before);
    expected.push("walk 2".to_owned());
    assert_eq!(names(&info), expected);
    assert_eq!(info["warnings"], before["warnings"]);
    let valid = folder.run(&["validate", "out.skf"]);
    assert_eq!(valid.code, Some(0), "{}", valid.stdout);
}

#[test]
fn a_hero_keeps_its_mesh_and_animations() {
    let folder = folder();
    let args = [
        "retarget", "walk.bvh", "--onto", "hero.glb", "--name", "stroll", "--out", "out.glb",
    ];
    let run = folder.run(&args);
    assert_eq!(run.code, Some(0), "{}{}", run.stdout, run.stderr);
    let info = folder.run(&["info", "out.glb", "--json"]);
    let info: Value = serde_json::from_str(&info.stdout).unwrap();
    let animations = info["animations"].as_array().unwrap();
    let names = animations.iter().map(|a| a["name"].as_str().unwrap());
    assert_eq!(names.collect::<Vec<_>>(), ["run", "stroll"]);
}

#[test]
fn a_replaced_animation_keeps_its_place() {
    let folder = folder();
    for (motion, out) in [("sample:walk", "two.glb"), ("sample:idle", "three.glb")] {
        let onto = if out == "two.glb" {
            "hero.glb"
        } else {
            "two.glb"
        };
        let run = folder.run(&["retarget", motion, "--onto", onto, "--out", out]);
        assert_eq!(run.code, Some(0), "{}{}", run.stdout, run.stderr);
    }
    let args = [
        "walk.bvh",
        "--onto",
        "three.glb",
        "--name",
        "run",
        "--replace",
        "--out",
        "out.glb",
    ];
    let report = json(&folder, &args);
    assert_eq!(report["motions"], 1, "{report}");
    let info = folder.run(&["info", "out.glb", "--json"]);
    let info: Value = serde_json::from_str(&info.stdout).unwrap();
    let animations = info["animations"].as_array().unwrap();
    let lengths = animations
        .iter()
        .map(|a| (&a["name"], a["seconds"].as_f64().unwrap()));
    let lengths: Vec<_> = lengths.collect();
    assert_eq!(lengths.len(), 3, "{lengths:?}");
    // The run is as long as the walk now.
    assert_eq!(
        (lengths[0].0, lengths[1].0),
        (&"run".into(), &"walk".into())
    );
    assert!((lengths[0].1 - lengths[1].1).abs() < 0.01, "{lengths:?}");
}

#[test]
fn a_motion_on_its_own_skeleton_stays_as_it_is() {
    let folder = folder();
    let report = json(&folder, &["walk.bvh", "--onto", "sample:run", "--check"]);
    let motion = &report["files"][0]["motions"][0];
    assert_eq!(report["files"][0]["status"], "retargeted");
    let quality = &motion["quality"];
    assert!(
        (quality["scale"].as_f64().unwrap() - 1.0).abs() < 1e-4,
        "{quality}"
    );
    assert!(quality["direction"].as_f64().unwrap() < 0.05, "{quality}");
    let roles = report["target"]["roles"]["assigned"].as_array().unwrap();
    let hips = roles.iter().find(|role| role["role"] == "hips").unwrap();
    assert_eq!(hips["confidence"], 1.0, "{hips}");
    assert!(
        report["target"]["roles"]["missing"]
            .as_array()
            .unwrap()
            .is_empty()
    );
}

#[test]
fn a_target_without_a_body_is_refused_and_nothing_is_written() {
    let folder = folder();
    folder.write(
        "lamp.bvh",
        "HIERARCHY\nROOT base\n{\n OFFSET 0 0 0\n CHANNELS 3 Zrotation Xrotation Yrotation\n JOINT arm\n {\n  \
         OFFSET 0 10 0\n  CHANNELS 3 Zrotation Xrotation Yrotation\n  End Site\n  {\n   OFFSET 0 10 0\n  }\n }\n}\nMOTION\n\
         Frames: 1\nFrame Time: 0.0333333\n0 0 0 0 0 0\n",
    );
    let run = folder.run(&[
        "retarget", "walk.bvh", "--onto", "lamp.bvh", "--out", "out.bvh",
    ]);
    assert_eq!(run.code, Some(1), "{}{}", run.stdout, run.stderr);
    assert!(!folder.path("out.bvh").exists());
    assert!(run.stdout.contains("left_upper_leg"), "{}", run.stdout);
}

#[test]
fn a_saved_map_can_be_edited_and_used() {
    let folder = folder();
    let args = [
        "retarget",
        "walk.bvh",
        "--onto",
        "pip.skf",
        "--save-map",
        "roles.json",
    ];
    let run = folder.run(&args);
    assert_eq!(run.code, Some(0), "{}{}", run.stdout, run.stderr);
    let args = ["--onto", "pip.skf", "--map", "roles.json", "--check"];
    let report = json(&folder, &[&["walk.bvh"], &args[..]].concat());
    assert_eq!(report["files"][0]["status"], "retargeted", "{report}");
    // Without the head, which is required, the map is refused.
    let text = std::fs::read_to_string(folder.path("roles.json")).unwrap();
    let lines = text.lines().filter(|line| !line.contains("\"head\""));
    folder.write("headless.json", lines.collect::<Vec<_>>().join("\n"));
    let args = [
        "retarget",
        "walk.bvh",
        "--onto",
        "pip.skf",
        "--map",
        "headless.json",
    ];
    let run = folder.run(&args);
    assert_eq!(run.code, Some(1), "{}{}", run.stdout, run.stderr);
    assert!(run.stdout.contains("head"), "{}", run.stdout);
    // A joint that does not exist is an error with its place.
    folder.write("wrong.json", text.replace("near_thigh", "near_tigh"));
    let args = [
        "retarget",
        "walk.bvh",
        "--onto",
        "pip.skf",
        "--map",
        "wrong.json",
    ];
    let run = folder.run(&args);
    assert_eq!(run.code, Some(2), "{}{}", run.stdout, run.stderr);
    assert!(run.stderr.contains("near_thigh"), "{}", run.stderr);
}

#[test]
fn a_folder_is_retargeted_and_resumed() {
    let folder = folder();
    std::fs::create_dir_all(folder.path("mocap/sub")).unwrap();
    for name in ["mocap/a.bvh", "mocap/sub/b.bvh"] {
        std::fs::copy(folder.path("walk.bvh"), folder.path(name)).unwrap();
    }
    folder.write("mocap/broken.bvh", "HIERARCHY\nROOT\n");
    let args = ["mocap", "--onto", "hero.glb", "--out", "out/", "--resume"];
    let report = json(&folder, &args);
    assert_eq!(
        (&report["motions"], &report["failed"]),
        (&2.into(), &1.into()),
        "{report}"
    );
    assert!(folder.path("out/sub/b.glb").exists());
    let report = json(&folder, &args);
    assert_eq!(
        (&report["skipped"], &report["failed"]),
        (&2.into(), &1.into()),
        "{report}"
    );
    // Another target, another result.
    let run = folder.run(&["convert", "sample:idle", "--out", "hero.glb"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let report = json(&folder, &args);
    assert_eq!(report["motions"], 2, "{report}");
}

#[test]
fn several_motions_go_into_one_file() {
    let folder = folder();
    let run = folder.run(&[
        "retarget",
        "sample:walk",
        "sample:run",
        "--onto",
        "sample",
        "--out",
        "both.skf",
    ]);
    assert_eq!(run.code, Some(0), "{}{}", run.stdout, run.stderr);
    let info = folder.run(&["info", "both.skf"]);
    assert!(
        info.stdout.contains("walk 2") && info.stdout.contains("run"),
        "{}",
        info.stdout
    );
}

#[test]
fn results_and_comparisons_are_drawn() {
    let folder = folder();
    for (target, out) in [
        ("sample", "pip.gif"),
        ("sample", "pip.png"),
        ("hero.glb", "hero.png"),
    ] {
        let run = folder.run(&["retarget", "sample:walk", "--onto", target, "--out", out]);
        assert_eq!(run.code, Some(0), "{out}: {}{}", run.stdout, run.stderr);
        assert!(folder.path(out).exists(), "{out}");
    }
    for (target, out) in [("sample", "a.png"), ("hero.glb", "b.png")] {
        let run = folder.run(&[
            "retarget",
            "sample:walk",
            "--onto",
            target,
            "--compare",
            out,
        ]);
        assert_eq!(run.code, Some(0), "{out}: {}{}", run.stdout, run.stderr);
        let picture = folder.png(out);
        assert!(common::ink(&picture) > 5000, "{out}");
    }
}

#[test]
fn inputs_and_the_target_are_not_overwritten() {
    let folder = folder();
    for out in ["walk.bvh", "hero.glb"] {
        let before = std::fs::read(folder.path(out)).unwrap();
        let run = folder.run(&["retarget", "walk.bvh", "--onto", "hero.glb", "--out", out]);
        assert_eq!(run.code, Some(2), "{out}: {}{}", run.stdout, run.stderr);
        assert_eq!(std::fs::read(folder.path(out)).unwrap(), before, "{out}");
    }
}

#[test]
fn requests_that_make_no_sense_are_refused() {
    let folder = folder();
    for (args, expected) in [
        (&["--onto", "pip.skf", "--to", "glb"][..], "--to"),
        (&["--onto", "hero.glb", "--animation", "wlak"], "walk"),
        (&["--onto", "hero.glb", "--scale", "0"], "--scale"),
        (&["--onto", "hero.glb", "--rest", "frame:100000"], "frame"),
        (&["--onto", "hero.glb", "--ik", "feet,none"], "--ik"),
        (&["--onto", "pip.skf", "--view", "angle:x"], "--view"),
        (&["--onto", "pip.skf", "--fps", "12.5"], "--fps"),
        (&["--onto", "missing.glb"], "no such file"),
    ] {
        let all = [&["retarget", "walk.bvh"], args].concat();
        let run = folder.run(&all);
        assert_eq!(run.code, Some(2), "{args:?}: {}{}", run.stdout, run.stderr);
        // What is wrong with a file is in the list of files.
        let text = run.stderr + &run.stdout;
        assert!(text.contains(expected), "{args:?}: {text}");
    }
}
