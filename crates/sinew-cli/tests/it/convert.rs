//! `sinew convert`: motions to other formats, many at a time.

use crate::common;
use common::Folder;
use common::mocap::{BVH, FIGURE, JUMP, WALK, apart, read};
use serde_json::Value;
use sinew::Sampler;
use sinew_formats::MotionFile;
use std::fs;
use std::process::Stdio;

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

#[test]
fn what_cannot_be_asked_for_is_refused() {
    let folder = Folder::new();
    folder.put_walk();
    folder.run_refused(
        &["convert", "07_01.amc"],
        &["--to", "bvh, glb, gltf, json or sinew"],
    );
    for inputs in [&["07_01.amc", "07.asf"], &["07_01.amc", "gone.bvh"]] {
        let arguments = [&["convert", "--out", "one.glb"][..], inputs].concat();
        folder.run_refused(&arguments, &["to one file"]);
    }
    folder.run_refused(
        &["convert", "07_01.amc", "--to", "glb", "--out", "x.bvh"],
        &["the extension is bvh, but --to is glb"],
    );
    for arguments in [
        &["convert", "--to", "glb"][..],
        &["convert", "07_01.amc", "--to", "fbx"],
        &["convert", "07_01.amc", "--to", "glb", "--trim", "3..1"],
        &["convert", "07_01.amc", "--to", "glb", "--units", "feet"],
        &["convert", "07_01.amc", "--to", "glb", "--jobs", "0"],
        &["convert", "07_01.amc", "--to", "glb", "--fps", "-1"],
    ] {
        assert_eq!(folder.run(arguments).code, Some(2), "{arguments:?}");
    }
    assert_eq!(folder.files(), ["07.asf", "07_01.amc"]);
}

#[test]
fn a_motion_is_the_same_in_every_format() {
    let folder = Folder::new();
    folder.put_walk();
    let source = read(&folder, "07_01.amc");
    for format in ["bvh", "glb", "gltf"] {
        folder.run_fine(&["convert", "07_01.amc", "--to", format]);
        let written = read(&folder, &format!("07_01.{format}"));
        let error = apart(&source, &written);
        assert!(error < 1e-4, "{format}: {error}");
        let animation = &written.animations[0];
        assert_eq!(animation.frame_count(), source.animations[0].frame_count());
        assert_eq!(animation.frame_rate, source.animations[0].frame_rate);
    }
    // And on from there.
    folder.run_fine(&["convert", "07_01.glb", "--out", "again.bvh"]);
    assert!(apart(&source, &read(&folder, "again.bvh")) < 1e-4);
    folder.run_fine(&["convert", "07_01.amc", "--to", "json"]);
    let text = fs::read_to_string(folder.path("07_01.json")).unwrap();
    let json = json(&text);
    assert_eq!(json["format"], "sinew-motion");
    assert_eq!(
        json["joints"].as_array().unwrap().len(),
        source.skeleton.len()
    );
    let tracks = json["animations"][0]["tracks"].as_array().unwrap();
    assert_eq!(tracks.len(), source.animations[0].tracks.len());
}

#[test]
fn motions_are_cut_mirrored_centred_and_resampled() {
    let folder = Folder::new();
    folder.put_walk();
    let source = read(&folder, "07_01.amc");
    folder.run_fine(&[
        "convert",
        "07_01.amc",
        "--out",
        "a.glb",
        "--trim",
        "0.5..1.5",
        "--fps",
        "30",
        "--center",
    ]);
    let part = read(&folder, "a.glb");
    assert_eq!(part.animations[0].frame_count(), 31);
    assert_eq!(part.animations[0].frame_rate, Some(30.0));
    let at = |file: &MotionFile, joint: &str, time: f32| {
        let joint = file.skeleton.find(joint).unwrap();
        Sampler::new(&file.skeleton, &file.animations[0])
            .model_at(time)
            .position(joint)
    };
    let (root, foot) = (at(&part, "root", 0.0), at(&part, "lfoot", 0.4));
    assert!(root.x.abs() < 1e-5 && root.z.abs() < 1e-5);
    let moved = at(&source, "lfoot", 0.9) - at(&source, "root", 0.5);
    assert!((foot.x - moved.x).abs() < 1e-3 && (foot.z - moved.z).abs() < 1e-3);

    folder.run_fine(&["convert", "07_01.amc", "--out", "m.bvh", "--mirror"]);
    let mirrored = read(&folder, "m.bvh");
    let (left, right) = (at(&source, "lfoot", 0.3), at(&mirrored, "rfoot", 0.3));
    // The figure's two sides are alike, so its mirrored motion is its mirror image.
    assert!((left.x + right.x).abs() < 2e-2 && (left.z - right.z).abs() < 2e-2);

    let late = "convert 07_01.amc --out n.bvh --trim 999.. --json";
    let late: Vec<&str> = late.split(' ').collect();
    folder.run_refused_row(&late, &["--trim starts at 999 s"]);
}

#[test]
fn units_and_rates_are_as_they_are_told() {
    let folder = Folder::new();
    folder.write("a.bvh", BVH);
    folder.run_fine(&[
        "convert",
        "a.bvh",
        "--out",
        "m.glb",
        "--units",
        "m",
        "--source-fps",
        "60",
    ]);
    let file = read(&folder, "m.glb");
    let head = file.skeleton.find("Head").unwrap();
    let position = file.skeleton.joint(head).unwrap().rest.position;
    assert_eq!(position.y, 60.0);
    assert_eq!(file.animations[0].frame_rate, Some(60.0));
    folder.run_fine(&["convert", "a.bvh", "--out", "cm.glb"]);
    let file = read(&folder, "cm.glb");
    let position = file.skeleton.joint(head).unwrap().rest.position;
    assert!((position.y - 0.6).abs() < 1e-6);
    assert_eq!(file.animations[0].frame_rate, Some(30.0));
}

#[test]
fn a_folder_keeps_its_shape_and_a_bad_file_does_not_stop_the_rest() {
    let folder = Folder::new();
    fs::create_dir_all(folder.path("in/deep/er")).unwrap();
    folder.write("in/07.asf", FIGURE);
    folder.write("in/07_01.amc", WALK);
    folder.write("in/deep/a.bvh", BVH);
    folder.write("in/deep/er/bad.bvh", BVH.replace("0 91 20", "0 oops 20"));
    folder.write("in/deep/er/07_02.amc", JUMP);
    folder.write("in/deep/er/07.asf", FIGURE);
    folder.write("in/notes.txt", "not a motion");
    let run = folder.run(&["convert", "in", "--to", "glb", "--out", "out"]);
    assert_eq!(run.code, Some(2), "{}", run.stderr);
    for said in [
        "3 converted, 1 failed",
        "line",
        "expected a number",
        "\"oops\"",
    ] {
        assert!(run.stdout.contains(said), "{said}: {}", run.stdout);
    }
    let written: Vec<String> = folder
        .files()
        .into_iter()
        .filter(|name| name.ends_with(".glb"))
        .collect();
    assert_eq!(
        written,
        ["out/07_01.glb", "out/deep/a.glb", "out/deep/er/07_02.glb"]
    );

    let run = folder.run(&[
        "convert", "in", "--to", "bvh", "--out", "out", "--json", "--jobs", "1",
    ]);
    assert_eq!(run.code, Some(2));
    let report = json(&run.stdout);
    assert_eq!(
        (&report["converted"], &report["failed"]),
        (&3.into(), &1.into())
    );
    let files = report["files"].as_array().unwrap();
    let failed: Vec<_> = files
        .iter()
        .filter(|file| file["status"] == "failed")
        .collect();
    assert_eq!(failed.len(), 1);
    assert!(
        failed[0]["error"]
            .as_str()
            .unwrap()
            .contains("bad.bvh: line")
    );
}

#[test]
fn patterns_and_clashing_names_are_understood() {
    let folder = Folder::new();
    fs::create_dir_all(folder.path("in/b")).unwrap();
    folder.write("in/b/walk.bvh", BVH);
    folder.write("in/b/walk.asf", FIGURE);
    folder.write("in/b/walk.amc", WALK);
    folder.run_fine(&["convert", "in/**/*.bvh", "--to", "glb", "--out", "out"]);
    assert!(folder.path("out/b/walk.glb").exists());
    folder.run_fine(&["convert", "in", "--to", "glb", "--out", "both"]);
    assert!(folder.path("both/b/walk.amc.glb").exists());
    assert!(folder.path("both/b/walk.bvh.glb").exists());
    folder.run_refused_row(
        &[
            "convert",
            "in/*.fbx",
            "nowhere",
            "in/b/walk.bvh",
            "--to=json",
        ],
        &["no file matches the pattern", "no such file or folder"],
    );
    assert!(folder.path("in/b/walk.json").exists());
}

#[test]
fn nothing_is_written_over_its_own_source() {
    let folder = Folder::new();
    folder.write("a.bvh", BVH);
    folder.run_fine(&["convert", "a.bvh", "--to", "bvh"]);
    assert_eq!(fs::read_to_string(folder.path("a.bvh")).unwrap(), BVH);
    assert!(folder.path("a.bvh.bvh").exists());
}

#[test]
fn what_is_done_is_skipped_when_resuming() {
    let folder = Folder::new();
    folder.put_walk();
    folder.write("a.bvh", BVH);
    let arguments = [
        "convert",
        "07_01.amc",
        "a.bvh",
        "--to",
        "glb",
        "--out",
        "out",
        "--resume",
        "--json",
    ];
    let statuses = || -> Vec<String> {
        let report = json(&folder.run_fine(&arguments).stdout);
        let files = report["files"].as_array().unwrap();
        files
            .iter()
            .map(|file| file["status"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(statuses(), ["converted", "converted"]);
    let first = fs::read(folder.path("out/a.glb")).unwrap();
    assert_eq!(statuses(), ["skipped", "skipped"]);
    // A source or a skeleton that changed is converted again.
    folder.write("07.asf", format!("{FIGURE}\n"));
    assert_eq!(statuses(), ["converted", "skipped"]);
    folder.write("a.bvh", format!("{BVH}\n"));
    assert_eq!(statuses()[1], "converted");
    assert_eq!(fs::read(folder.path("out/a.glb")).unwrap(), first);
}

#[test]
fn a_killed_run_leaves_nothing_half_and_is_resumed() {
    let folder = Folder::new();
    fs::create_dir_all(folder.path("in")).unwrap();
    folder.write("in/07.asf", FIGURE);
    let count = 40;
    for clip in 0..count {
        folder.write(&format!("in/07_{clip:02}.amc"), WALK);
    }
    let arguments = [
        "convert", "in", "--to", "glb", "--out", "out", "--resume", "--jobs", "1",
    ];
    let mut child = folder
        .command()
        .args(arguments)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    // Killed as soon as the first file is there, whatever the rest is at.
    let written = || {
        folder
            .files()
            .iter()
            .filter(|name| name.ends_with(".glb"))
            .count()
    };
    while written() == 0 && child.try_wait().unwrap().is_none() {
        std::thread::yield_now();
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let before = written();
    assert!(before > 0);
    // What a run that is killed while it writes leaves behind.
    folder.write("out/.sinew-999999999-0.part", "half");
    let mut json_arguments = arguments.to_vec();
    json_arguments.push("--json");
    let report = json(&folder.run_fine(&json_arguments).stdout);
    let done = |what: &str| report[what].as_u64().unwrap() as usize;
    assert_eq!(done("converted") + done("skipped"), count);
    // It may have been killed after a file was there and before that was recorded.
    assert!((before - 1..=before).contains(&done("skipped")), "{before}");
    let whole = fs::read(folder.path("out/07_00.glb")).unwrap();
    for clip in 0..count {
        let bytes = fs::read(folder.path(&format!("out/07_{clip:02}.glb"))).unwrap();
        assert_eq!(bytes.len(), whole.len(), "{clip}");
    }
}

#[test]
fn no_input_is_lost_or_written_over() {
    let folder = Folder::new();
    for name in ["x", "y"] {
        fs::create_dir(folder.path(name)).unwrap();
        folder.write(&format!("{name}/walk.bvh"), BVH);
    }
    folder.write("w.bvh", BVH);
    let glbs = |below: &str| {
        let files = folder.files().into_iter();
        let here = files.filter(|name| name.starts_with(below) && name.ends_with(".glb"));
        here.collect::<Vec<_>>()
    };
    folder.run_fine(&[
        "convert",
        "x/walk.bvh",
        "y/walk.bvh",
        "--to",
        "glb",
        "--out",
        "o",
    ]);
    assert_eq!(glbs("o/"), ["o/walk.bvh-2.glb", "o/walk.bvh.glb"]);
    folder.run_fine(&["convert", "x", "y", "--to", "glb", "--out", "p"]);
    assert_eq!(glbs("p/").len(), 2);
    // One file by two names is one input.
    folder.run_fine(&["convert", "w.bvh", "./w.bvh", "--to", "glb", "--out", "q"]);
    assert_eq!(glbs("q/"), ["q/w.glb"]);
    folder.run_fine(&[
        "convert", "w.bvh", "--to", "bvh", "--out", ".", "--fps", "10",
    ]);
    assert_eq!(fs::read_to_string(folder.path("w.bvh")).unwrap(), BVH);
    assert!(folder.path("w.bvh.bvh").exists());
}

#[test]
fn a_folder_is_not_fed_its_own_results() {
    let folder = Folder::new();
    fs::create_dir(folder.path("in")).unwrap();
    folder.write("in/walk.bvh", BVH);
    for _ in 0..3 {
        folder.run_fine(&["convert", "in", "--to", "glb", "--resume"]);
    }
    for _ in 0..3 {
        folder.run_fine(&["convert", "in", "--to", "gltf", "--out", "in/out"]);
    }
    let files = folder.files();
    assert_eq!(
        files,
        [
            "in",
            "in/out",
            "in/out/walk.bvh.gltf",
            "in/out/walk.glb.gltf",
            "in/walk.bvh",
            "in/walk.glb"
        ]
    );
}

#[cfg(unix)]
#[test]
fn what_only_looks_like_a_file_does_not_hang_a_batch() {
    let folder = Folder::new();
    fs::create_dir(folder.path("in")).unwrap();
    folder.write("in/walk.bvh", BVH);
    let made = std::process::Command::new("mkfifo")
        .arg(folder.path("in/pipe.bvh"))
        .status();
    assert!(made.unwrap().success());
    let run = folder.run(&["convert", "in", "--to", "glb", "--out", "out"]);
    assert_eq!(run.code, Some(2), "{run:?}");
    assert!(run.stdout.contains("is a pipe or device"), "{run:?}");
    assert!(folder.path("out/walk.glb").exists() && !folder.path("out/pipe.glb").exists());
}

#[test]
fn built_in_motions_are_converted_too() {
    let folder = Folder::new();
    folder.run_fine(&["convert", "sample:walk", "--to", "bvh"]);
    assert_eq!(read(&folder, "sample-walk.bvh").skeleton.len(), 31);
}

#[test]
fn one_job_and_two_write_the_same_bytes() {
    let folder = Folder::new();
    folder.put_walk();
    folder.write("a.bvh", BVH);
    for jobs in ["1", "2"] {
        let out = format!("out{jobs}");
        folder.run_fine(&[
            "convert",
            "07_01.amc",
            "a.bvh",
            "--to",
            "glb",
            "--out",
            &out,
            "-j",
            jobs,
        ]);
    }
    for name in ["07_01.glb", "a.glb"] {
        let [one, two] = ["out1", "out2"].map(|out| fs::read(folder.path(out).join(name)).unwrap());
        assert_eq!(one, two, "{name}");
    }
}

#[test]
fn an_output_that_cannot_be_written_is_said_before_and_after() {
    let folder = Folder::new();
    folder.write("a.bvh", BVH);
    folder.write("file", "in the way");
    for out in ["file/deep", "file/a.glb"] {
        let run = folder.run(&["convert", "a.bvh", "--to", "glb", "--out", out]);
        assert_eq!(run.code, Some(2), "{out}");
        assert!(run.stdout.contains("is not a folder"), "{}", run.stdout);
    }
    let run = folder.run(&[
        "convert",
        "a.bvh",
        "--to",
        "glb",
        "--out",
        "/proc/nowhere/at/all",
    ]);
    assert_eq!(run.code, Some(2));
    assert!(run.stdout.contains("cannot be written"), "{}", run.stdout);
}

#[cfg(unix)]
#[test]
fn a_folder_that_is_read_only_is_said() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new();
    folder.write("a.bvh", BVH);
    fs::create_dir(folder.path("out")).unwrap();
    fs::set_permissions(folder.path("out"), fs::Permissions::from_mode(0o555)).unwrap();
    // Whoever may write everywhere, as root may, cannot be refused.
    let may_write = fs::write(folder.path("out/probe"), "").is_ok();
    let run = folder.run(&["convert", "a.bvh", "--to", "glb", "--out", "out"]);
    if may_write {
        assert_eq!(run.code, Some(0), "{}", run.stderr);
    } else {
        assert_eq!(run.code, Some(2), "{}", run.stdout);
        assert!(run.stdout.contains("cannot be written"), "{}", run.stdout);
    }
    fs::set_permissions(folder.path("out"), fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn a_file_that_holds_several_motions_gives_a_bvh_each() {
    let folder = Folder::new();
    folder.write("a.bvh", BVH);
    let file = read(&folder, "a.bvh");
    let mut run = file.animations[0].clone();
    run.name = "Run/fast".to_owned();
    let animations = [file.animations[0].clone(), run];
    let settings = sinew_formats::gltf::GltfWriteSettings::default();
    let glb = sinew_formats::gltf::write_bytes(&file.skeleton, &animations, &settings).unwrap();
    folder.write("two.glb", glb);
    folder.run_fine(&["convert", "two.glb", "--to", "bvh", "--resume"]);
    assert!(folder.path("two-a.bvh").exists() && folder.path("two-Run_fast.bvh").exists());
    let report = json(
        &folder
            .run_fine(&["convert", "two.glb", "--to", "bvh", "--resume", "--json"])
            .stdout,
    );
    assert_eq!(report["skipped"], 1);
    // A file that is called as one of them would be does not lose to it.
    folder.write("two-a.glb", fs::read(folder.path("two.glb")).unwrap());
    folder.write("one.bvh", BVH);
    folder.run_fine(&["convert", "one.bvh", "--out", "two-a.glb"]);
    folder.run_refused_row(
        &["convert", "two.glb", "two-a.glb", "--to=bvh", "--out=o"],
        &["another input has the same output"],
    );
}

#[test]
fn whoever_stops_reading_is_no_error() {
    let folder = Folder::new();
    folder.write("a.bvh", BVH);
    let mut child = folder
        .command()
        .args(["convert", "a.bvh", "--to", "glb", "--json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(output.stderr, b"");
    assert!(folder.path("a.glb").exists());
}
