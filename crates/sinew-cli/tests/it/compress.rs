//! `sinew compress`: motions as small as the error allows, many at a time.

use crate::common;
use common::Folder;
use common::mocap::{BVH, FIGURE, JUMP, WALK, first_frames};
use serde_json::Value;
use sinew_formats::pack;
use std::fs;

/// A folder with a walk and a jump on one skeleton.
fn mocap() -> Folder {
    let folder = Folder::new();
    folder.put_walk();
    folder.write("07_02.amc", JUMP);
    folder
}

/// The first frames of both.
fn short_mocap(frames: usize) -> Folder {
    let folder = mocap();
    folder.write("07_01.amc", first_frames(WALK, frames));
    folder.write("07_02.amc", first_frames(JUMP, frames));
    folder
}

fn status(json: &Value) -> Vec<&str> {
    let files = json["files"].as_array().unwrap();
    files
        .iter()
        .map(|f| f["status"].as_str().unwrap())
        .collect()
}

#[test]
fn errors_without_a_sound_length_are_refused() {
    let folder = mocap();
    let refused = [
        ("0.1", "use 0.1mm"),
        ("1e-4", "use 1e-4mm"),
        ("0.1inch", "with its unit"),
        ("-1mm", "with its unit"),
        ("nanmm", "with its unit"),
        ("mm", "with its unit"),
        ("", "with its unit"),
    ];
    for (error, said) in refused {
        let option = format!("--max-error={error}");
        folder.run_refused(&["compress", "07_01.amc", &option], &[said]);
    }
    for arguments in [
        &["compress"][..],
        &["compress", "07_01.amc", "--profile", "tiny"],
        &["compress", "07_01.amc", "--jobs", "0"],
    ] {
        assert_eq!(folder.run(arguments).code, Some(2), "{arguments:?}");
    }
    assert_eq!(folder.files(), ["07.asf", "07_01.amc", "07_02.amc"]);
}

#[test]
fn outputs_that_cannot_be_meant_are_refused() {
    let folder = mocap();
    folder.write("walk.sinew", BVH);
    fs::create_dir(folder.path("taken.sinew")).unwrap();
    let before = folder.files();
    let refused: [(&[&str], &str); 6] = [
        (
            &["07_01.amc", "--out", "a.bvh"],
            "ends in .sinew; `sinew convert`",
        ),
        (&["walk.sinew", "--out", "walk.sinew"], "overwrite"),
        (
            &["walk.sinew", "07_01.amc", "--out", "walk.sinew"],
            "overwrite",
        ),
        (
            &["07_01.amc", "07_02.amc", "--plot", "a.svg"],
            "takes a single input",
        ),
        (&["07_01.amc", "--plot", "a.gif"], ".svg or .png"),
        (
            &["07_01.amc", "07_02.amc", "--out", "a.sinew", "--resume"],
            "--resume does not apply",
        ),
    ];
    for (arguments, said) in refused {
        folder.run_refused(&[&["compress"], arguments].concat(), &[said]);
    }
    assert_eq!(folder.files(), before);
}

#[test]
fn what_is_no_motion_fails_by_itself_and_the_rest_goes_on() {
    let folder = mocap();
    folder.write("bad.bvh", "HIERARCHY\nROOT");
    folder.write("packed.sinew", "");
    folder.run_fine(&["compress", "07_02.amc", "--out", "packed.sinew"]);
    let arguments = [
        "compress",
        "bad.bvh",
        "07.asf",
        "gone.amc",
        "packed.sinew",
        "07_01.amc",
        "--out",
        "out",
    ];
    let run = folder.run(&arguments);
    assert_eq!(run.code, Some(2), "{run:?}");
    for said in [
        "failed  bad.bvh  line 2",
        "failed  07.asf  no animation found",
        "failed  gone.amc  no such file",
        "failed  packed.sinew  already compressed",
        "1 compressed (max error 0.1 mm), 4 failed",
    ] {
        assert!(run.stdout.contains(said), "{said:?} in {}", run.stdout);
    }
    let json = folder.run(&[&arguments[..], &["--json"]].concat()).json();
    assert_eq!(
        (&json["compressed"], &json["failed"]),
        (&1.into(), &4.into())
    );
    pack::read(folder.path("out/07_01.sinew")).unwrap();
}

#[test]
fn into_one_file_goes_all_or_nothing() {
    let folder = mocap();
    let run = folder.run(&["compress", "07_01.amc", "gone.amc", "--out", "all.sinew"]);
    assert_eq!(run.code, Some(2));
    assert!(run.stdout.contains("nothing was written"), "{}", run.stdout);
    assert!(!folder.path("all.sinew").exists());

    folder.write("figure.bvh", BVH);
    let run = folder.run_fine(&["compress", ".", "--out", "all.sinew", "--json"]);
    let json = run.json();
    assert_eq!(status(&json), ["compressed"; 3]);
    let pack = pack::read(folder.path("all.sinew")).unwrap();
    assert_eq!(pack.skeletons.len(), 2, "equal skeletons are stored once");
    let names = pack.animations.iter().map(|entry| entry.animation.name());
    assert_eq!(names.collect::<Vec<_>>(), ["07_01", "07_02", "figure"]);
    let bytes = fs::metadata(folder.path("all.sinew")).unwrap().len();
    assert_eq!(json["combined"]["output_bytes"], bytes);
}

#[test]
fn motions_of_one_name_are_told_apart_in_one_file() {
    let folder = Folder::new();
    for name in ["a", "b"] {
        fs::create_dir(folder.path(name)).unwrap();
        folder.write(&format!("{name}/figure.asf"), FIGURE);
        let motion = if name == "a" { WALK } else { JUMP };
        folder.write(&format!("{name}/go.amc"), motion);
    }
    folder.run_fine(&["compress", "a/go.amc", "b/go.amc", "--out", "all.sinew"]);
    let pack = pack::read(folder.path("all.sinew")).unwrap();
    let names = pack.animations.iter().map(|entry| entry.animation.name());
    assert_eq!(names.collect::<Vec<_>>(), ["a/go", "b/go"]);
    folder.run_fine(&["verify", "all.sinew", "b/go.amc", "--animation", "b/go"]);
}

#[test]
fn a_motion_is_within_its_error_in_every_profile() {
    let folder = mocap();
    for (profile, error, packing) in [
        ("small", "0.1mm", "small"),
        ("small", "10um", "small"),
        ("fast", "0.1cm", "fast"),
        ("keyframes", "5mm", "keyframes"),
        ("small", "0mm", "plain"),
    ] {
        let json = folder
            .run_fine(&[
                "compress",
                "07_01.amc",
                "--profile",
                profile,
                "--max-error",
                error,
                "--json",
            ])
            .json();
        assert_eq!(
            (&json["profile"], &json["failed"]),
            (&profile.into(), &0.into())
        );
        let file = &json["files"][0];
        let motion = &file["motions"][0];
        assert_eq!(motion["packing"], packing);
        let number = |name: &str| motion[name].as_f64().unwrap();
        assert!(number("error") <= number("max_error"));
        assert!(number("bytes") <= number("plain_bytes"));
        assert_eq!(
            number("raw_bytes"),
            40.0 * number("frames") * number("joints")
        );
        assert_eq!(
            number("plain_ratio"),
            number("plain_bytes") / number("bytes")
        );
        let written = fs::metadata(folder.path("07_01.sinew")).unwrap().len();
        assert_eq!(file["output_bytes"], written);
        folder.run_fine(&["verify", "07_01.sinew", "07_01.amc"]);
    }
}

#[test]
fn resuming_skips_what_is_whole_and_made_alike() {
    let folder = mocap();
    let arguments = [
        "compress",
        "07_01.amc",
        "07_02.amc",
        "--out",
        "out",
        "--resume",
    ];
    let run = |more: &[&str]| {
        let all = [&arguments[..], more, &["--json"]].concat();
        folder.run_fine(&all).json()
    };
    assert_eq!(status(&run(&[])), ["compressed"; 2]);
    assert_eq!(status(&run(&[])), ["skipped"; 2]);
    let text = folder.run_fine(&arguments).stdout;
    assert!(text.contains("skipped (up to date)"), "{text}");
    assert_eq!(status(&run(&["--max-error", "1mm"])), ["compressed"; 2]);
    assert_eq!(status(&run(&["--max-error", "1mm"])), ["skipped"; 2]);
    let fast = ["--max-error", "1mm", "--profile", "fast"];
    assert_eq!(status(&run(&fast)), ["compressed"; 2]);
    // One that is cut short is made again.
    let bytes = fs::read(folder.path("out/07_01.sinew")).unwrap();
    folder.write("out/07_01.sinew", &bytes[..bytes.len() - 1]);
    assert_eq!(status(&run(&fast)), ["compressed", "skipped"]);
    // And one whose skeleton is another.
    let skeleton = fs::read_to_string(folder.path("07.asf")).unwrap();
    folder.write("07.asf", skeleton + "\n");
    assert_eq!(status(&run(&fast)), ["compressed"; 2]);
}

#[test]
fn packed_motions_beside_their_sources_are_no_inputs() {
    let folder = mocap();
    fs::create_dir(folder.path("in")).unwrap();
    folder.write("in/a.bvh", BVH);
    for _ in 0..2 {
        let json = folder.run_fine(&["compress", "in", "--json"]).json();
        assert_eq!(status(&json), ["compressed"]);
    }
    assert_eq!(
        folder
            .run_fine(&["convert", "in", "--to", "glb", "--json"])
            .json()["converted"],
        1
    );
}

#[test]
fn the_table_shows_every_file_and_their_sum() {
    let folder = mocap();
    let text = folder
        .run_fine(&["compress", "07_01.amc", "07_02.amc"])
        .stdout;
    for said in [
        "motion",
        "vs poses",
        "07_01.amc",
        "07_02.amc",
        "total",
        ":1",
        " mm",
        "2 compressed",
    ] {
        assert!(text.contains(said), "{said:?} in {text}");
    }
    assert_eq!(text.matches('→').count(), 2, "{text}");
}

#[test]
fn pictures_explain_a_packed_motion() {
    let folder = short_mocap(40);
    folder.run_fine(&["compress", "07_01.amc", "--plot", "walk.svg"]);
    let svg = fs::read_to_string(folder.path("walk.svg")).unwrap();
    for said in [
        "error (mm)",
        "time (s)",
        "max error: 0.1 mm",
        "bytes per joint",
        "lfemur",
        "size against error",
        "max error (mm)",
        "this file",
        "small",
        "fast",
    ] {
        assert!(svg.contains(said), "{said}");
    }
    fs::create_dir(folder.path("deep")).unwrap();
    let arguments = ["compress", "07_02.amc", "--plot", "deep/jump.png", "--json"];
    let json = folder.run_fine(&arguments).json();
    assert_eq!(json["pictures"][0], "deep/jump.png");
    assert!(common::ink(&folder.png("deep/jump.png")) > 1000);
}
