//! What someone meets who uses packed motions for the first time: bounds that a profile cannot keep, files with
//! several skeletons, motions without frames, pipes that there are not.

use crate::common;
use common::Folder;
use common::mocap::BVH;
use sinew::{JointIndex, Sampler};
use sinew_formats::{MotionSettings, read_motion};
use std::fs;

/// A folder with a packed file of two skeletons: a figure's walk and run, and a motion of a BVH.
fn several() -> Folder {
    let folder = Folder::new();
    folder.write("other.bvh", BVH);
    let arguments = [
        "sample:walk",
        "sample:run",
        "other.bvh",
        "--out",
        "all.sinew",
    ];
    let run = folder.run(&[&["compress"], &arguments[..]].concat());
    assert_eq!(run.code, Some(0), "{run:?}");
    folder
}

#[test]
fn one_bad_file_of_many_is_exit_code_2_of_all_commands_that_write() {
    let folder = Folder::new();
    folder.run_fine(&["compress", "sample:walk", "--out", "good.sinew"]);
    folder.write("bad.sinew", "nothing");
    let commands: [&[&str]; 3] = [
        &["compress", "sample:walk", "gone.amc", "--out", "a"],
        &[
            "convert",
            "sample:walk",
            "gone.amc",
            "--to",
            "bvh",
            "--out",
            "b",
        ],
        &[
            "decompress",
            "good.sinew",
            "bad.sinew",
            "--to",
            "bvh",
            "--out",
            "c",
        ],
    ];
    for command in commands {
        let run = folder.run(command);
        assert_eq!(run.code, Some(2), "{command:?}: {run:?}");
        assert!(run.stdout.contains("1 failed"), "{}", run.stdout);
    }
    for made in ["a/sample-walk.sinew", "b/sample-walk.bvh", "c/good.bvh"] {
        assert!(folder.path(made).exists(), "{made}");
    }
}

#[test]
fn a_bound_that_keys_cannot_keep_is_told_with_the_least_that_they_can() {
    let folder = Folder::new();
    let arguments = [
        "compress",
        "sample:idle",
        "-p",
        "keyframes",
        "-o",
        "idle.sinew",
        "-e",
    ];
    let run = folder.run(&[&arguments[..], &["0.001mm"]].concat());
    assert_eq!(run.code, Some(2), "{run:?}");
    let text = &run.stdout;
    assert!(text.contains("cannot reach 0.001 mm"), "{text}");
    assert!(text.contains("--profile small or fast"), "{text}");
    let least = text.split("use --max-error ").nth(1).unwrap();
    let least = least.split(' ').next().unwrap();
    folder.run_fine(&[&arguments[..], &[least]].concat());
    folder.run_fine(&["verify", "idle.sinew", "sample:idle"]);
}

#[test]
fn every_skeleton_of_a_packed_file_is_written_and_none_twice() {
    let folder = several();
    fs::create_dir(folder.path("out")).unwrap();
    let arguments = [
        "decompress",
        "all.sinew",
        "--out",
        "out/all.glb",
        "--resume",
    ];
    let json = folder
        .run_fine(&[&arguments[..], &["--json"]].concat())
        .json();
    let outputs = ["out/all-skeleton-0.glb", "out/all-skeleton-1.glb"];
    assert_eq!(json["files"][0]["outputs"], serde_json::json!(outputs));
    assert_eq!(json["files"][0]["skeletons"], 2);
    let counts = outputs.map(|name| {
        let file = read_motion(folder.path(name), &MotionSettings::default()).unwrap();
        file.animations.len()
    });
    assert_eq!(counts.iter().sum::<usize>(), 3);
    let again = [
        "decompress",
        "all.sinew",
        "--out",
        "out/all.glb",
        "--resume",
    ];
    let text = folder.run_fine(&again).stdout;
    assert!(text.contains("1 skipped"), "{text}");

    folder.run_fine(&["decompress", "all.sinew", "--to", "bvh", "--out", "bvh"]);
    for name in ["bvh/all-other.bvh", "bvh/all-run.bvh", "bvh/all-walk.bvh"] {
        read_motion(folder.path(name), &MotionSettings::default()).unwrap();
    }
    folder.run_fine(&["convert", "all.sinew", "--out", "again.sinew"]);
    let text = folder
        .run_fine(&["verify", "again.sinew", "all.sinew"])
        .stdout;
    assert_eq!(text.matches("ok      ").count(), 3, "{text}");
}

#[test]
fn the_up_axis_turns_every_skeleton_of_a_packed_file() {
    let folder = several();
    let arguments = ["convert", "all.sinew", "--to", "glb", "--out"];
    folder.run_fine(&[&arguments[..], &["upright"]].concat());
    folder.run_fine(&[&arguments[..], &["turned", "--up", "z"]].concat());
    for name in ["all-skeleton-0.glb", "all-skeleton-1.glb"] {
        let [mut upright, turned] = ["upright", "turned"].map(|parent| {
            let path = folder.path(parent).join(name);
            read_motion(path, &MotionSettings::default()).unwrap()
        });
        upright.turn_z_up();
        let roots = [&upright, &turned].map(|file| file.skeleton.joints()[0].rest.rotation);
        assert!(roots[0].dot(roots[1]).abs() > 0.999_99, "{name}: {roots:?}");
        let first = [&upright, &turned].map(|file| {
            Sampler::new(&file.skeleton, &file.animations[0])
                .model_at(0.0)
                .position(JointIndex(0))
        });
        assert!(first[0].distance(first[1]) < 1e-4, "{name}: {first:?}");
        assert!(first[0].z.abs() > first[0].y.abs(), "{name}: {first:?}");
    }
}

#[test]
fn every_skeleton_of_a_packed_file_is_told_checked_and_drawn() {
    let folder = several();
    let text = folder.run_fine(&["info", "all.sinew"]).stdout;
    for said in [
        "Skeleton 0 of 2",
        "Skeleton 1 of 2",
        "on skeleton 1, packed",
    ] {
        assert!(text.contains(said), "{said:?} in {text}");
    }
    assert!(text.lines().all(|line| line == line.trim_end()), "{text}");
    let json = folder.run_fine(&["info", "all.sinew", "--json"]).json();
    let others = json["other_skeletons"].as_array().unwrap();
    let count_of_first = json["animations"].as_array().unwrap().len();
    assert_eq!(others.len(), 1);
    assert_eq!(
        count_of_first + others[0]["animations"].as_array().unwrap().len(),
        3
    );

    folder.run_fine(&["validate", "all.sinew"]);
    let arguments = ["plot", "all.sinew", "--joint", "lfoot", "--animation"];
    folder.run_fine(&[&arguments[..], &["walk", "--out", "walk.svg"]].concat());
    let said = ["no animation \"hop\"", "\"other\"", "\"run\""];
    folder.run_refused(&[&arguments[..], &["hop"]].concat(), &said);
}

#[test]
fn motions_whose_names_differ_in_capitals_alone_go_to_files_that_differ_in_more() {
    let folder = Folder::new();
    folder.write("Walk.bvh", BVH);
    let run = folder.run(&["compress", "Walk.bvh", "sample:walk", "--out", "two.sinew"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    folder.run_fine(&["decompress", "two.sinew", "--to", "bvh", "--out", "out"]);
    let names = ["out/two-Walk-0.bvh", "out/two-walk-1.bvh"];
    assert!(
        names.iter().all(|name| folder.path(name).exists()),
        "{:?}",
        folder.files()
    );
}

#[test]
fn info_tells_constant_channels_of_every_packing() {
    let folder = Folder::new();
    let motion = r#"{ "format": "sinew-motion", "version": 2,
        "joints": [{ "name": "hip" }, { "name": "arm", "parent": "hip", "position": [0, 1, 0] }],
        "animations": [{ "name": "nod", "length": 1, "frame_rate": 4, "tracks": [
            { "joint": "hip", "position": { "keys": [[0, [0, 0, 0]], [0.5, [1, 0, 0]], [1, [0, 0, 0]]] },
              "rotation": { "keys": [[0, [0, 0.6, 0, 0.8]], [1, [0, -0.6, 0, -0.8]]] } },
            { "joint": "arm", "position": { "keys": [[0, [0, 2, 0]], [1, [0, 2, 0]]] } }] }] }"#;
    folder.write("nod.json", motion);
    for (profile, error) in [("small", "0mm"), ("keyframes", "5mm"), ("small", "0.1mm")] {
        let arguments = [
            "compress",
            "nod.json",
            "-o",
            "nod.sinew",
            "-p",
            profile,
            "-e",
            error,
        ];
        let run = folder.run(&arguments);
        assert_eq!(run.code, Some(0), "{run:?}");
        let json = folder.run_fine(&["info", "nod.sinew", "--json"]).json();
        let motion = &json["packed"]["motions"][0];
        let joints = &motion["joint_costs"];
        let what = format!("{profile} {error}: {motion}");
        assert_eq!(joints[0]["position"]["moving"], 1, "{what}");
        assert_eq!(joints[0]["rotation"], "constant", "{what}");
        assert_eq!(joints[1]["position"], "constant", "{what}");
        assert_eq!(joints[1]["rotation"], "rest", "{what}");
    }
}

#[test]
fn many_outputs_are_summed_up_and_nothing_is_said_within_nothing() {
    let folder = Folder::new();
    let run = folder.run(&["compress", "gone.amc"]);
    assert!(
        run.stdout.contains("0 compressed, 1 failed in "),
        "{}",
        run.stdout
    );
    let samples = ["walk", "run", "idle", "jump", "wave", "dance-turn"];
    let samples = samples.map(|name| format!("sample:{name}"));
    let mut arguments = vec!["compress"];
    arguments.extend(samples.iter().map(String::as_str));
    arguments.extend(["--out", "all"]);
    let text = folder.run_fine(&arguments).stdout;
    assert_eq!(text.matches("→ ").count(), 5, "{text}");
    let files = fs::read_dir(folder.path("all")).unwrap();
    let files = files.map(|file| file.unwrap());
    let packed = files.filter(|file| file.file_name() != ".sinew-made");
    let bytes: u64 = packed.map(|file| file.metadata().unwrap().len()).sum();
    assert!(text.contains("… and 1 more; 6 files, "), "{text}");
    let digits: String = text
        .split("6 files, ")
        .nth(1)
        .unwrap()
        .chars()
        .take_while(|c| *c != ' ')
        .collect();
    assert_eq!(digits.replace(',', ""), bytes.to_string());
}
