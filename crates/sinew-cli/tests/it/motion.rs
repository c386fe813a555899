//! `sinew info`, `validate`, `render` and `plot` of motions.

use crate::common;
use common::Folder;
use common::mocap::{BVH, FIGURE, WALK};
use serde_json::Value;
use sinew::skelform::Image;
use std::fs;

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

/// How many pixels differ from the picture's corner.
fn drawn(image: &Image) -> usize {
    let corner = image.pixel(0, 0);
    let pixels = image.pixels().chunks_exact(4);
    pixels.filter(|pixel| **pixel != corner).count()
}

#[test]
fn motions_that_cannot_be_read_say_what_is_wrong() {
    let folder = Folder::new();
    folder.write("alone.amc", WALK);
    folder.run_refused(&["info", "alone.amc"], &["alone.amc", ".asf", "--asf"]);
    folder.write("empty.bvh", "");
    folder.run_refused(&["info", "empty.bvh"], &["empty.bvh"]);
    folder.write("cut.bvh", &BVH[..200]);
    folder.run_refused(&["render", "cut.bvh"], &["cut.bvh: line"]);
    folder.write("noise.glb", "glTFgarbage");
    folder.run_refused(&["plot", "noise.glb"], &["noise.glb"]);
    folder.run_refused(&["info", "sample:fly"], &["sample:walk", "sample:jump"]);
    folder.run_refused(
        &["plot", "sample"],
        &["expected a motion", "SkelForm character"],
    );
    folder.run_refused(
        &["plot", "sample:walk", "--joint", "tail"],
        &["\"tail\"", "\"lfemur\""],
    );
    folder.run_refused(
        &["plot", "sample:walk", "--channel", "speed,angle"],
        &["different units"],
    );
    folder.run_refused(
        &["plot", "sample:walk", "--out", "a.jpg"],
        &[".svg or .png"],
    );
    folder.run_refused(
        &["render", "sample:walk", "--style", "Winter"],
        &["--style", "motion"],
    );
    folder.run_refused(
        &["render", "sample", "--strobe"],
        &["--strobe", "character"],
    );
    folder.run_refused(&["render", "sample:walk", "--trails=tail"], &["\"tail\""]);
    folder.run_refused(
        &["render", "sample:walk", "--strobe", "--out", "a.gif"],
        &["ending in .png"],
    );
}

#[test]
fn formats_are_told_by_content_not_by_name() {
    let folder = Folder::new();
    folder.write("motion.txt", BVH);
    folder.write("skeleton.dat", FIGURE);
    let format =
        |name: &str| json(&folder.run_fine(&["info", name, "--json"]).stdout)["format"].clone();
    assert_eq!(format("motion.txt"), "bvh");
    assert_eq!(format("skeleton.dat"), "asf");
    folder.write("07.asf", FIGURE);
    folder.write("07_1.bvh", WALK);
    assert_eq!(format("07_1.bvh"), "amc");
    folder.run_fine(&["convert", "motion.txt", "--out", "a.glb"]);
    fs::rename(folder.path("a.glb"), folder.path("a.amc")).unwrap();
    assert_eq!(format("a.amc"), "glb");
}

#[test]
fn names_in_files_do_not_steer_the_terminal() {
    let folder = Folder::new();
    folder.write("a.bvh", BVH.replace("Head", "He\u{1b}]0;pwned\u{7}ad"));
    let output = folder
        .command()
        .args(["info", "a.bvh"])
        .env("CLICOLOR_FORCE", "1")
        .output();
    let text = String::from_utf8(output.unwrap().stdout).unwrap();
    assert!(text.contains("\\u{1b}]0;pwned\\u{7}"), "{text}");
    assert!(!text.contains('\u{7}'));
}

#[test]
fn info_tells_what_a_walk_is() {
    let folder = Folder::new();
    let run = folder.run_fine(&["info", "sample:walk", "--json"]);
    let info = json(&run.stdout);
    assert_eq!(info["joints"].as_array().unwrap().len(), 31);
    let walk = &info["animations"][0];
    assert_eq!(walk["name"], "walk");
    assert_eq!(walk["loop"]["loops"], true);
    assert!(walk["travel"].as_f64().unwrap() > 1.0);
    let feet = walk["foot_contacts"].as_array().unwrap();
    assert_eq!(feet.len(), 2);
    for foot in feet {
        assert!(foot["spans"].as_array().unwrap().len() >= 2, "{foot}");
    }
    let tall = info["rest_size"][1].as_f64().unwrap();
    assert!((1.5..2.0).contains(&tall), "{tall}");
    let text = folder.run_fine(&["info", "sample:walk"]).stdout;
    for said in [
        "AMC",
        "lfemur",
        "left",
        "loops",
        "contact",
        "m/s",
        "Warnings 0",
    ] {
        assert!(text.contains(said), "{said}: {text}");
    }
}

#[test]
fn a_skeleton_alone_is_a_motion_without_animations() {
    let folder = Folder::new();
    folder.write("07.asf", FIGURE);
    let info = json(&folder.run_fine(&["info", "07.asf", "--json"]).stdout);
    assert_eq!(info["animations"].as_array().unwrap().len(), 0);
    folder.run_fine(&["render", "07.asf", "--size", "200"]);
    assert!(drawn(&folder.png("07.png")) > 500);
    folder.run_fine(&["convert", "07.asf", "--to", "glb"]);
}

#[test]
fn validate_finds_every_problem_of_every_motion() {
    let folder = Folder::new();
    folder.write("07.asf", FIGURE);
    folder.write("07_1.amc", WALK);
    folder.write("good.bvh", BVH);
    let wrong = BVH.replace("Frames: 4", "Frames: 3");
    folder.write("more.bvh", wrong.replace("JOINT Head", "JOINT Hips"));
    let run = folder.run(&["validate", "good.bvh", "more.bvh", "07_1.amc", "gone.bvh"]);
    assert_eq!(run.code, Some(1));
    for said in [
        "ok good.bvh",
        "problems more.bvh",
        "Hips_2",
        "ok 07_1.amc",
        "2 of 4 files ok, 1 unreadable",
    ] {
        assert!(run.stdout.contains(said), "{said}: {}", run.stdout);
    }
}

#[test]
fn motions_are_drawn_in_every_form() {
    let folder = Folder::new();
    let small = ["--size", "160"];
    let render = |args: &[&str]| {
        folder.run_fine(&[&["render", "sample:jump"][..], args, &small].concat());
    };
    render(&[]);
    let gif = folder.gif("sample-jump.gif");
    assert!(gif.delays.len() > 10);
    render(&["--frame", "20", "--out", "a.png"]);
    assert!(drawn(&folder.png("a.png")) > 300);
    render(&["--contact-sheet", "4", "--out", "sheet.png"]);
    assert!(folder.png("sheet.png").width() > 300);
    render(&[
        "--strobe",
        "5",
        "--footprints",
        "--trails",
        "--out",
        "strobe.png",
    ]);
    assert!(drawn(&folder.png("strobe.png")) > 600);
    render(&["--out", "frames/", "--fps", "5"]);
    assert!(folder.path("frames/00003.png").exists());
}

#[test]
fn every_setting_of_a_picture_changes_it() {
    let folder = Folder::new();
    let picture = |args: &[&str]| {
        let base = [
            "render",
            "sample:walk",
            "--frame",
            "60",
            "--size",
            "160x160",
            "--out",
            "a.png",
        ];
        folder.run_fine(&[&base[..], args].concat());
        folder.png("a.png")
    };
    let usual = picture(&[]);
    for args in [
        &["--view", "front"][..],
        &["--view", "side"],
        &["--view", "top"],
        &["--trim", "0.3.."],
        &["--camera", "fixed"],
        &["--trails"],
        &["--trails=lhand"],
        &["--footprints"],
        &["--background", "#203040"],
        &["--frame", "90"],
    ] {
        let args: Vec<&str> = args.to_vec();
        if args[0] == "--frame" {
            let base = [
                "render",
                "sample:walk",
                "--size",
                "160x160",
                "--out",
                "a.png",
            ];
            folder.run_fine(&[&base[..], &args].concat());
            assert_ne!(folder.png("a.png").pixels(), usual.pixels());
            continue;
        }
        assert_ne!(picture(&args).pixels(), usual.pixels(), "{args:?}");
    }
    assert_eq!(
        picture(&["--view", "three-quarter"]).pixels(),
        usual.pixels()
    );
}

#[test]
fn curves_are_drawn_as_svg_and_png() {
    let folder = Folder::new();
    folder.run_fine(&[
        "plot",
        "sample:walk",
        "--joint",
        "ltoes,RTOES",
        "--channel",
        "y",
        "--contacts",
    ]);
    let svg = fs::read_to_string(folder.path("sample-walk-ltoes.svg")).unwrap();
    for said in [
        "<svg",
        "ltoes y",
        "rtoes y",
        "contact",
        "position (m)",
        "time (s)",
    ] {
        assert!(svg.contains(said), "{said}");
    }
    for channel in ["position", "x", "z", "speed", "rotation", "angle"] {
        folder.run_fine(&[
            "plot",
            "sample:walk",
            "--channel",
            channel,
            "--out",
            "a.png",
            "--trim",
            "0.2..0.9",
        ]);
        assert!(drawn(&folder.png("a.png")) > 1000, "{channel}");
    }
    let report = json(
        &folder
            .run_fine(&["plot", "sample:walk", "--out", "b.svg", "--json"])
            .stdout,
    );
    assert_eq!(report["series"].as_array().unwrap().len(), 3);
}

#[test]
fn animations_without_a_skeleton_play_on_that_of_another_file() {
    let folder = Folder::new();
    let nod = r#"{ "format": "sinew-motion", "version": 2, "animations": [{ "name": "nod",
        "tracks": [{ "joint": "head", "rotation": { "keys": [[0, [0, 0, 0, 1]], [1, [1, 0, 0, 0]]] } }],
        "triggers": [{ "time": 0.5, "data": "down" }] }] }"#;
    folder.write("nod.json", nod);
    folder.run_refused(&["render", "nod.json"], &["nod.json", "--skeleton"]);
    let skeleton = "--skeleton=sample:idle";
    folder.run_fine(&[
        "render",
        "nod.json",
        skeleton,
        "--size=20",
        "--fps=5",
        "--out=x.gif",
    ]);
    let stdout = folder.run_fine(&["info", "nod.json", skeleton]).stdout;
    assert!(stdout.contains("down at 0.50 s"), "{stdout}");
    folder.run_fine(&["convert", "nod.json", skeleton, "--to=bvh"]);
    let info = folder
        .run_fine(&["info", "nod.json", skeleton, "--json"])
        .json();
    assert_eq!(info["animations"][0]["name"], "nod");
    let bvh = std::fs::read_to_string(folder.path("nod.bvh")).unwrap();
    assert!(bvh.contains("JOINT head"), "{bvh}");
}
