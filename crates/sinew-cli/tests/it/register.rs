//! `sinew register`: which moments of motions correspond.

use crate::common;
use common::Folder;
use common::mocap::BVH;
use sinew_formats::{curve, pack};
use std::fs;

const PAIR: [&str; 3] = ["register", "sample:walk", "sample:run"];

fn with<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&PAIR, more].concat()
}

#[test]
fn what_cannot_be_meant_is_refused() {
    let folder = Folder::new();
    folder.write("other.bvh", BVH);
    folder.write("walk.json", "{}");
    let before = folder.files();
    let refused: [(&[&str], &str); 13] = [
        (&["sample:walk"], "expected at least two motions"),
        (&["sample:walk", "gone.bvh"], "gone.bvh"),
        (&["sample:walk", "sample"], "expected a motion"),
        (
            &["sample:walk", "other.bvh"],
            "different skeletons: joint 0 is \"root\" in one and \"Hips\"",
        ),
        (
            &["sample:walk", "sample:run", "--max-distance", "0"],
            "metres above 0",
        ),
        (
            &["sample:walk", "sample:run", "--slope", "9"],
            "from 1 to 6",
        ),
        (
            &["sample:walk", "sample:run", "--mode", "best"],
            "full, local, cyclic, transition",
        ),
        (
            &["sample:walk", "sample:run", "--from", "9..10"],
            "starts at 9 s, but the motion is 3.3 s long",
        ),
        (
            &[
                "sample:walk",
                "sample:run",
                "--mode",
                "local",
                "--to",
                "0..1",
            ],
            "search all of both motions",
        ),
        (
            &["sample:walk", "sample:run", "--animation", "walk"],
            "one for each of the 2 inputs",
        ),
        (
            &["sample:walk", "sample:run", "--out", "a.bvh"],
            ".json for the curve",
        ),
        (
            &["sample:walk", "sample:run", "--plot", "a.gif"],
            ".svg or .png",
        ),
        (
            &["sample:walk", "walk.json", "--out", "walk.json"],
            "overwrite",
        ),
    ];
    for (arguments, said) in refused {
        folder.run_refused(&[&["register"], arguments].concat(), &[said]);
    }
    assert_eq!(folder.files(), before);
}

#[test]
fn a_walk_and_a_run_match_foot_by_foot() {
    let folder = Folder::new();
    let stdout = folder.run_fine(&with(&["--mode", "local"])).stdout;
    for said in [
        "walk and run match: ",
        "mean joint distance ",
        "speed",
        "left ball",
    ] {
        assert!(stdout.contains(said), "{stdout}");
    }
    let json = folder
        .run_fine(&with(&["--mode", "local", "--json"]))
        .json();
    assert_eq!(json["match"], true);
    assert!(json["distance"].as_f64().unwrap() < 0.3);
    let plants = json["plants"].as_array().unwrap();
    assert!(plants.len() >= 4, "{json}");
    for plant in plants {
        for (motion, length) in [(0, 3.31), (1, 2.06)] {
            let [from, to] = [0, 1].map(|end| plant["seconds"][motion][end].as_f64().unwrap());
            assert!(-0.01 <= from && from < to && to < length, "{plant}");
        }
    }
    // Corresponding times advance in both motions.
    for motion in 0..2 {
        let markers = json["motions"][motion]["markers"].as_array().unwrap();
        let markers: Vec<f64> = markers
            .iter()
            .map(|marker| marker.as_f64().unwrap())
            .collect();
        assert!(
            markers.windows(2).all(|pair| pair[0] < pair[1]),
            "{markers:?}"
        );
    }
}

#[test]
fn a_motion_matches_itself_all_along() {
    let folder = Folder::new();
    let json = folder
        .run_fine(&[
            "register",
            "sample:jump",
            "sample:jump",
            "--mode",
            "full",
            "--json",
        ])
        .json();
    assert!(json["distance"].as_f64().unwrap() < 1e-6);
    let markers = |motion: usize| json["motions"][motion]["markers"].clone();
    let pairs = [0, 1].map(|motion| markers(motion).as_array().unwrap().clone());
    for (a, b) in pairs[0].iter().zip(&pairs[1]) {
        assert!((a.as_f64().unwrap() - b.as_f64().unwrap()).abs() < 1e-6);
    }
    // Motions that are called alike are told apart.
    let names = [0, 1].map(|motion| json["motions"][motion]["name"].as_str().unwrap().to_owned());
    assert_ne!(names[0], names[1]);
}

#[test]
fn what_does_not_match_is_exit_code_1_with_what_to_try() {
    let folder = Folder::new();
    let run = folder.run(&with(&["--max-distance", "0.01", "--out", "curve.json"]));
    assert_eq!((run.code, run.stderr.as_str()), (Some(1), ""));
    for said in [
        "do not match",
        "the smallest mean joint distance is",
        "try --max-distance 0.",
    ] {
        assert!(run.stdout.contains(said), "{}", run.stdout);
    }
    let run = folder.run(&with(&["--max-distance", "0.01", "--json"]));
    assert_eq!(run.code, Some(1));
    let json = run.json();
    assert_eq!(json["match"], false);
    assert!(json["nearest"].as_f64().unwrap() > 0.01);
    assert!(folder.files().is_empty());
}

/// Motions that have nothing in common are exit code 1 with default settings, with the reason and the nearest distance.
#[test]
fn unrelated_motions_are_exit_code_1() {
    let folder = Folder::new();
    for pair in [
        ["sample:walk", "sample:jump"],
        ["sample:run", "sample:idle"],
    ] {
        let run = folder.run(&["register", pair[0], pair[1], "--out", "curve.json"]);
        assert_eq!((run.code, run.stderr.as_str()), (Some(1), ""), "{pair:?}");
        for said in [
            "do not match: ",
            "the smallest mean joint distance is ",
            "the maximum is ",
        ] {
            assert!(run.stdout.contains(said), "{}", run.stdout);
        }
        let json = folder.run(&["register", pair[0], pair[1], "--json"]).json();
        assert_eq!(json["match"], false);
        let [nearest, threshold] = ["nearest", "threshold"].map(|key| json[key].as_f64().unwrap());
        assert!(nearest > 0.0 && threshold > 0.0, "{json}");
        let blend = ["--weight", "0.5", "--out", "a.bvh"];
        let run = folder.run(&[&["blend", pair[0], pair[1]], &blend[..]].concat());
        assert_eq!(run.code, Some(1), "{pair:?}");
    }
    assert!(folder.files().is_empty());
}

/// Two loops of one walk are registered by their phases, over one cycle, and the curve is kept as one of loops.
#[test]
fn loops_are_registered_over_one_cycle() {
    let folder = Folder::new();
    folder.run_fine(&["loop", "sample:walk", "--out", "walk.glb"]);
    folder.run_fine(&["loop", "sample:run", "--out", "run.glb"]);
    let pair = ["register", "walk.glb", "run.glb"];
    let run = folder.run_fine(&[&pair, &["--plot", "loops.png"][..]].concat());
    assert!(
        run.stdout.contains("match over one cycle"),
        "{}",
        run.stdout
    );
    assert!(folder.png("loops.png").width() > 900);
    let json = folder.run_fine(&[&pair, &["--json"][..]].concat()).json();
    assert_eq!(json["cyclic"], true);
    for motion in json["motions"].as_array().unwrap() {
        let [from, to, length] = ["from", "to", "length"].map(|key| motion[key].as_f64().unwrap());
        assert!((to - from - length).abs() < 1e-4, "{motion}");
    }
    for kept in ["curve.json", "both.sinew", "both.gltf"] {
        folder.run_fine(&[&pair, &["--out", kept][..]].concat());
    }
    let curve = curve::read(folder.path("curve.json")).unwrap();
    assert!(curve.is_cyclic());
    let pack = pack::read(folder.path("both.sinew")).unwrap();
    assert_eq!(pack.curves, std::slice::from_ref(&curve));
    let gltf: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(folder.path("both.gltf")).unwrap()).unwrap();
    let markers = &gltf["animations"][1]["extras"]["sinew"]["sync_markers"];
    let markers: Vec<f64> = markers
        .as_array()
        .unwrap()
        .iter()
        .map(|marker| marker.as_f64().unwrap())
        .collect();
    let cycle = curve.cycle(1).unwrap().seconds;
    assert!((markers[markers.len() - 1] - markers[0] - cycle).abs() < 1e-6);
    let blend = [
        "blend",
        "walk.glb",
        "run.glb",
        "--weight",
        "0.5",
        "--curve",
        "curve.json",
        "--out",
        "jog.glb",
    ];
    folder.run_fine(&blend);
}

#[test]
fn parts_are_matched_from_end_to_end() {
    let folder = Folder::new();
    let json = folder
        .run_fine(&with(&["--from", "0.5..1.5", "--to", "..0.7", "--json"]))
        .json();
    let ends =
        |motion: usize| ["from", "to"].map(|end| json["motions"][motion][end].as_f64().unwrap());
    for (found, expected) in [(ends(0), [0.5, 1.5]), (ends(1), [0.0, 0.7])] {
        for end in 0..2 {
            assert!((found[end] - expected[end]).abs() < 0.02, "{found:?}");
        }
    }
    let json = folder
        .run_fine(&with(&["--mode", "transition", "--json"]))
        .json();
    let length =
        json["motions"][0]["to"].as_f64().unwrap() - json["motions"][0]["from"].as_f64().unwrap();
    assert!((length - 0.5).abs() < 0.05, "{length}");
}

#[test]
fn three_motions_are_registered_together() {
    let folder = Folder::new();
    folder.run_fine(&[
        "convert",
        "sample:walk",
        "--fps",
        "60",
        "--out",
        "other.bvh",
    ]);
    let arguments = [
        "register",
        "sample:walk",
        "sample:run",
        "sample:walk",
        "--json",
    ];
    let json = folder.run_fine(&arguments).json();
    assert_eq!(json["motions"].as_array().unwrap().len(), 3);
    for plant in json["plants"].as_array().unwrap() {
        assert_eq!(plant["seconds"].as_array().unwrap().len(), 3);
    }
}

#[test]
fn curves_are_kept_as_json_in_packed_files_and_as_markers() {
    let folder = Folder::new();
    folder.run_fine(&with(&["--out", "curve.json"]));
    let curve = curve::read(folder.path("curve.json")).unwrap();
    assert_eq!(
        (curve.len(), curve.name(0), curve.name(1)),
        (2, "walk", "run")
    );

    folder.run_fine(&with(&["--out", "both.sinew"]));
    let pack = pack::read(folder.path("both.sinew")).unwrap();
    assert_eq!(pack.curves, std::slice::from_ref(&curve));
    assert_eq!(pack.animations.len(), 2);
    let stdout = folder.run_fine(&["info", "both.sinew"]).stdout;
    assert!(stdout.contains("walk and run"), "{stdout}");

    // Packed anew they are still of the same motions; of mirrored ones they would not be.
    folder.run_fine(&[
        "convert",
        "both.sinew",
        "--to",
        "sinew",
        "--out",
        "again.sinew",
    ]);
    let again = pack::read(folder.path("again.sinew")).unwrap();
    assert_eq!((again.curves, again.animations.len()), (pack.curves, 2));
    let mirrored = ["--mirror", "--to", "sinew", "--out", "mirrored.sinew"];
    folder.run_fine(&[&["convert", "both.sinew"], &mirrored[..]].concat());
    let mirrored = pack::read(folder.path("mirrored.sinew")).unwrap();
    assert!(mirrored.curves.is_empty());

    folder.run_fine(&with(&["--out", "both.gltf"]));
    let text = fs::read_to_string(folder.path("both.gltf")).unwrap();
    let gltf: serde_json::Value = serde_json::from_str(&text).unwrap();
    for motion in 0..2 {
        let markers = &gltf["animations"][motion]["extras"]["sinew"]["sync_markers"];
        let last = markers
            .as_array()
            .unwrap()
            .last()
            .unwrap()
            .as_f64()
            .unwrap();
        assert!((last - curve.time(motion, 1.0)).abs() < 1e-9);
    }
    folder.run_fine(&["info", "both.gltf"]);
}

#[test]
fn the_picture_explains_itself_on_light_and_dark_pages() {
    let folder = Folder::new();
    folder.run_fine(&with(&["--plot", "light.png"]));
    folder.run_fine(&with(&["--plot", "dark.png", "--dark"]));
    let (light, dark) = (folder.png("light.png"), folder.png("dark.png"));
    assert_eq!(
        (light.width(), light.height()),
        (dark.width(), dark.height())
    );
    assert!(light.width() < 2000 && light.height() < 2000);
    assert!(light.pixel(0, 0)[0] > 200 && dark.pixel(0, 0)[0] < 60);
    folder.run_fine(&with(&["--plot", "page.svg"]));
    let svg = fs::read_to_string(folder.path("page.svg")).unwrap();
    for said in [
        "walk and run match",
        "warp",
        "rotation onto walk",
        "left ball, run",
        "distance (m)",
    ] {
        assert!(svg.contains(said), "{said}");
    }
    // Both parts of a warp that leaves the grid at one edge and enters it at the other have the colour of the legend.
    let colours = ["#ff783c", "#78dcff"].map(|colour| svg.to_lowercase().contains(colour));
    assert_eq!(colours, [true, false], "the warp, and a third line");
}

#[test]
fn long_motions_make_pictures_of_the_same_size() {
    let folder = Folder::new();
    // Fifty seconds of a walk, again and again.
    let walk = common::mocap::WALK;
    let (head, frames) = walk.split_once("\n1\n").unwrap();
    let body: Vec<&str> = frames
        .split('\n')
        .filter(|line| line.contains(' '))
        .collect();
    let joints = body.len() / 397;
    let mut long = head.to_owned();
    for frame in 0..6000 {
        long += &format!("\n{}\n", frame + 1);
        let from = (frame % 396) * joints;
        long += &body[from..from + joints].join("\n");
    }
    long.push('\n');
    folder.write("07.asf", common::mocap::FIGURE);
    folder.write("07_01.amc", &long);
    let run = folder.run(&["register", "07_01.amc", "sample:run", "--plot", "long.png"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    let image = folder.png("long.png");
    assert!(image.width() < 2000 && image.height() < 2000);
}
