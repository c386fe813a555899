//! What the program makes of files of other programs: static roots, units, faults, formats that are not what they seem.

use crate::common::Folder;
use crate::common::mocap::{BVH, FIGURE, WALK, read};
use serde_json::{Value, json};
use std::fs;

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

/// A BVH below a root that never moves, as MotionBuilder writes it.
fn below_static_root(bvh: &str) -> String {
    let (hierarchy, motion) = bvh.split_once("MOTION").unwrap();
    let hierarchy = hierarchy.replacen("ROOT", "JOINT", 1);
    let hierarchy = hierarchy.replacen(
        "HIERARCHY",
        "HIERARCHY\nROOT Reference\n{\nOFFSET 0 0 0\nCHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation \
         Yrotation",
        1,
    );
    let mut lines = motion.trim_end().lines();
    let head: Vec<&str> = lines.by_ref().take(3).collect();
    let rows: Vec<String> = lines.map(|row| format!("0 0 0 0 0 0 {row}")).collect();
    format!(
        "{hierarchy}}}\nMOTION{}\n{}\n",
        head.join("\n"),
        rows.join("\n")
    )
}

/// `info`, `--center`, `loop` and `render` see the same motion below a root that never moves.
#[test]
fn a_static_root_changes_nothing() {
    let folder = Folder::new();
    folder.run_fine(&["convert", "sample:walk", "--out", "plain.bvh"]);
    let plain = fs::read_to_string(folder.path("plain.bvh")).unwrap();
    folder.write("below.bvh", below_static_root(&plain));
    let about = |name: &str| {
        let info = json(&folder.run_fine(&["info", name, "--json"]).stdout);
        assert_eq!(info["warnings"], json!([]), "{name}");
        info["animations"][0].clone()
    };
    let (plain, below) = (about("plain.bvh"), about("below.bvh"));
    let number = |info: &Value, path: &str| info.pointer(path).unwrap().as_f64().unwrap();
    for path in [
        "/travel",
        "/loop/distance",
        "/loop/travel/2",
        "/extent/0",
        "/extent/1",
        "/extent/2",
    ] {
        let (a, b) = (number(&plain, path), number(&below, path));
        assert!((a - b).abs() < 1e-4, "{path}: {a} {b}");
    }
    assert_eq!(plain["foot_contacts"], below["foot_contacts"]);
    assert!(number(&plain, "/travel") > 1.0);
    for name in ["plain", "below"] {
        let out = format!("{name}-center.bvh");
        folder.run_fine(&[
            "convert",
            &format!("{name}.bvh"),
            "--trim",
            "0.5..",
            "--center",
            "--out",
            &out,
        ]);
        let file = read(&folder, &out);
        let hips = file.skeleton.find("root").unwrap();
        let place = sinew::Sampler::new(&file.skeleton, &file.animations[0])
            .model_at(0.0)
            .position(hips);
        assert!(
            place.x.abs() < 1e-4 && place.z.abs() < 1e-4,
            "{name}: {place}"
        );
    }
    let cycle = |name: &str| json(&folder.run_fine(&["loop", name, "--json"]).stdout);
    let (plain, below) = (cycle("plain.bvh"), cycle("below.bvh"));
    for path in ["/seconds", "/ground_transform/x", "/ground_transform/z"] {
        let (a, b) = (number(&plain, path), number(&below, path));
        assert!((a - b).abs() < 0.02, "{path}: {a} {b}");
    }
    for name in ["plain", "below"] {
        let png = format!("{name}.png");
        folder.run_fine(&[
            "render",
            &format!("{name}.bvh"),
            "--frame",
            "40",
            "--size",
            "200",
            "--out",
            &png,
        ]);
    }
    let picture = |name: &str| fs::read(folder.path(name)).unwrap();
    assert!(
        picture("plain.png") == picture("below.png"),
        "pictures differ"
    );
}

/// What is in no format that can be read is named, and not taken for a broken character.
#[test]
fn what_is_no_format_is_named() {
    let folder = Folder::new();
    for (name, bytes, said) in [
        ("ls", &b"\x7fELF\x02\x01\x01\0\0\0"[..], "a program (ELF)"),
        (
            "page.xml",
            b"<!DOCTYPE html>\n<html><body/></html>",
            "XML whose first element is \"html\"",
        ),
        (
            "a.fbx",
            b"Kaydara FBX Binary  \0",
            "an FBX file; export it as glTF or BVH",
        ),
        (
            "package.json",
            b"{\"name\": \"x\", \"scripts\": {}}",
            "a JSON object with the keys \"name\", \"scripts\"",
        ),
        (
            "noise",
            b"\x01\x02\x03\x04",
            "binary data that begins with 01 02 03 04",
        ),
        ("empty", b"", "an empty file"),
    ] {
        folder.write(name, bytes);
        for command in ["info", "render", "loop"] {
            let run = folder.run_refused(&[command, name], &[said, name]);
            assert!(!run.stderr.contains(".skf archive"), "{}", run.stderr);
        }
    }
    // An animation with a document type is XML of ours, whose reader says what it does not take.
    folder.write(
        "typed.xml",
        "<!DOCTYPE animation>\n<animation length=\"1\"/>",
    );
    let run = folder.run(&["info", "typed.xml"]);
    assert!(!run.stderr.contains("SkelForm"), "{}", run.stderr);
}

/// A glTF file whose keys are sorted is one, however far its `asset` is from its beginning.
#[test]
fn a_gltf_with_sorted_keys_is_gltf() {
    let folder = Folder::new();
    folder.run_fine(&["convert", "sample:walk", "--out", "walk.gltf"]);
    let text = fs::read_to_string(folder.path("walk.gltf")).unwrap();
    let mut value: Value = serde_json::from_str(&text).unwrap();
    for accessor in value["accessors"].as_array_mut().unwrap() {
        accessor["name"] = json!("pad ".repeat(400));
    }
    let fields = value.as_object().unwrap();
    let mut keys: Vec<&String> = fields.keys().collect();
    keys.sort();
    for (name, keys) in [
        ("sorted.gltf", keys.clone()),
        ("reversed.gltf", keys.into_iter().rev().collect()),
    ] {
        let parts: Vec<String> = keys
            .iter()
            .map(|key| format!("{key:?}: {}", fields[*key]))
            .collect();
        let text = format!("{{{}}}", parts.join(", "));
        if name == "sorted.gltf" {
            assert!(text.find("\"asset\"").unwrap() > 1 << 16);
        }
        folder.write(name, text);
        let info = json(&folder.run_fine(&["info", name, "--json"]).stdout);
        assert_eq!(info["format"], "gltf", "{name}");
        assert_eq!(info["animations"].as_array().unwrap().len(), 1);
    }
}

/// Numbers of a BVH's offsets and root positions, scaled.
fn scaled(bvh: &str, factor: f64) -> String {
    let number = |text: &str| format!("{:.6}", text.parse::<f64>().unwrap() * factor);
    let mut is_motion = false;
    let line = |line: &str| {
        if let Some(offset) = line.trim().strip_prefix("OFFSET ") {
            let numbers: Vec<String> = offset.split_whitespace().map(number).collect();
            return format!("OFFSET {}", numbers.join(" "));
        }
        is_motion |= line.starts_with("Frame Time");
        if is_motion && line.starts_with(|c: char| c.is_ascii_digit() || c == '-') {
            let words = line.split_whitespace().enumerate();
            let words: Vec<String> = words
                .map(|(at, word)| {
                    if at < 3 {
                        number(word)
                    } else {
                        word.to_owned()
                    }
                })
                .collect();
            return words.join(" ");
        }
        line.to_owned()
    };
    bvh.lines().map(line).collect::<Vec<_>>().join("\n") + "\n"
}

/// A body of the wrong size is questioned by every command with the same words, and compressed only when its unit is
/// said.
#[test]
fn every_command_questions_the_unit() {
    let folder = Folder::new();
    folder.run_fine(&["convert", "sample:walk", "--out", "cm.bvh"]);
    let bvh = fs::read_to_string(folder.path("cm.bvh")).unwrap();
    folder.write("m.bvh", scaled(&bvh, 0.01));
    folder.write("in.bvh", scaled(&bvh, 1.0 / 2.54));
    for (file, unit) in [("m.bvh", "m"), ("in.bvh", "in")] {
        let hint = format!("--units {unit} would make it");
        for arguments in [
            &["info", file][..],
            &["convert", file, "--out", "out.glb"],
            &["render", file, "--frame", "0", "--out", "out.png"],
            &["validate", file],
            &["loop", file],
            &["plot", file],
            &["compress", file, "--force", "--out", "out.sinew"],
        ] {
            let run = folder.run(arguments);
            let said = format!("{}{}", run.stdout, run.stderr);
            assert!(said.contains(&hint), "{arguments:?}: {said}");
            let report = json(
                &folder
                    .run(&["convert", file, "--out", "out.glb", "--json"])
                    .stdout,
            );
            assert!(report.to_string().contains(&hint), "{report}");
        }
        folder.run_fine(&["compress", file, "--units", unit, "--out", "out.sinew"]);
    }
    let run = folder.run(&["compress", "m.bvh", "--out", "refused.sinew"]);
    assert_eq!(run.code, Some(2), "{run:?}");
    assert!(run.stdout.contains("--units m would make it"), "{run:?}");
    assert!(run.stdout.contains("--force"), "{run:?}");
    assert!(!folder.path("refused.sinew").exists());
    // An AMC with a wrong unit.
    folder.put_walk();
    let run = folder.run(&["info", "07_01.amc", "--units", "mm"]);
    assert!(
        run.stdout.contains("without --units it would be"),
        "{run:?}"
    );
}

/// All commands read what has an obvious remedy, with the same warning, and refuse it with `--strict`; a hint to leave
/// that out is given only where it helps.
#[test]
fn all_commands_repair_the_same_faults() {
    let folder = Folder::new();
    folder.write("07.asf", FIGURE);
    // The last frame lacks its last bone, as a public file does.
    let end = WALK.trim_end().rfind('\n').unwrap();
    folder.write("07_02.amc", &WALK[..=end]);
    let warning = "07_02.amc";
    for arguments in [
        &["info", "07_02.amc"][..],
        &["convert", "07_02.amc", "--out", "out.glb"],
        &["compress", "07_02.amc", "--out", "out.sinew"],
        &["render", "07_02.amc", "--frame", "0", "--out", "out.png"],
        &["loop", "07_02.amc"],
        &["plot", "07_02.amc"],
    ] {
        let run = folder.run(arguments);
        assert_eq!(run.code, Some(0), "{arguments:?}: {run:?}");
        let said = format!("{}{}", run.stdout, run.stderr);
        assert!(
            said.contains("frame") && said.contains(warning),
            "{arguments:?}: {said}"
        );
        let strict: Vec<&str> = arguments.iter().copied().chain(["--strict"]).collect();
        let run = folder.run(&strict);
        assert_eq!(run.code, Some(2), "{strict:?}: {run:?}");
        let output = format!("{}{}", run.stdout, run.stderr);
        let is_table = ["convert", "compress"].contains(&arguments[0]);
        assert_eq!(
            output.contains("without --strict"),
            is_table,
            "{strict:?}: {output}"
        );
    }
    assert_eq!(folder.run(&["validate", "07_02.amc"]).code, Some(1));
    // What no reader can repair.
    folder.write("cut.bvh", BVH.split("MOTION").next().unwrap());
    for arguments in [
        &["convert", "cut.bvh", "--to", "glb"][..],
        &["compress", "cut.bvh"],
    ] {
        let strict: Vec<&str> = arguments.iter().copied().chain(["--strict"]).collect();
        for arguments in [arguments, &strict] {
            let run = folder.run(arguments);
            assert_eq!(run.code, Some(2), "{run:?}");
            let output = format!("{}{}", run.stdout, run.stderr);
            assert!(!output.contains("--strict"), "{output}");
        }
    }
    for command in [
        "info", "validate", "convert", "compress", "verify", "render", "loop", "plot", "register",
        "blend",
    ] {
        let help = folder.run_fine(&[command, "--help"]).stdout;
        assert!(help.contains("--strict"), "{command}");
    }
}

/// A motion that does not repeat is refused with exit code 1, and closed when that is asked for.
#[test]
fn a_motion_that_does_not_repeat_is_no_loop() {
    let folder = Folder::new();
    let text = json!({
        "format": "sinew-motion", "version": 2,
        "joints": [
            { "name": "a" }, { "name": "b", "parent": 0, "position": [0, 1, 0] },
            { "name": "c" }, { "name": "d", "parent": 2, "position": [0, 1, 0] },
        ],
        "animations": [{ "name": "x", "length": 1, "frame_rate": 30, "tracks": [
            { "joint": "c", "position": { "keys": [[0, [0, 0, 0]], [1, [1, 2, 3]]] } },
        ] }],
    });
    folder.write("away.json", text.to_string());
    for arguments in [
        &["loop", "away.json", "--out", "a.glb"][..],
        &["loop", "away.json", "--json"],
    ] {
        let run = folder.run(arguments);
        assert_eq!(run.code, Some(1), "{run:?}");
        let said = format!("{}{}", run.stdout, run.stderr);
        assert!(said.contains("cm") && said.contains("--force"), "{said}");
    }
    assert!(!folder.path("a.glb").exists());
    for option in [&["--force"][..], &["--max-gap", "9m"]] {
        let run = folder.run(&[&["loop", "away.json", "--out", "a.glb"], option].concat());
        assert_eq!(run.code, Some(0), "{run:?}");
    }
}

/// A camera that pans is no loop, and nodes without names are no fault.
#[test]
fn a_panning_camera_is_no_loop_and_unnamed_nodes_are_no_fault() {
    let folder = Folder::new();
    let times: Vec<f32> = (0..31).map(|frame| frame as f32 / 30.0).collect();
    let turns = times.iter().flat_map(|time| {
        let half = 0.65 * time;
        [0.0, half.sin(), 0.0, half.cos()]
    });
    let bytes: Vec<u8> = times
        .iter()
        .copied()
        .chain(turns)
        .flat_map(f32::to_le_bytes)
        .collect();
    folder.write("camera.bin", &bytes);
    let text = json!({
        "asset": { "version": "2.0" }, "scene": 0, "scenes": [{ "nodes": [0] }],
        "nodes": [{ "children": [1] }, { "camera": 0 }],
        "cameras": [{ "type": "perspective", "perspective": { "yfov": 0.6, "znear": 0.1 } }],
        "buffers": [{ "uri": "camera.bin", "byteLength": bytes.len() }],
        "bufferViews": [
            { "buffer": 0, "byteLength": 124 },
            { "buffer": 0, "byteOffset": 124, "byteLength": 496 },
        ],
        "accessors": [
            { "bufferView": 0, "componentType": 5126, "count": 31, "type": "SCALAR", "min": [0], "max": [1] },
            { "bufferView": 1, "componentType": 5126, "count": 31, "type": "VEC4" },
        ],
        "animations": [{
            "samplers": [{ "input": 0, "output": 1 }],
            "channels": [{ "sampler": 0, "target": { "node": 1, "path": "rotation" } }],
        }],
    });
    folder.write("camera.gltf", text.to_string());
    let info = json(&folder.run_fine(&["info", "camera.gltf", "--json"]).stdout);
    let about = &info["animations"][0];
    assert_eq!(about["loop"]["loops"], false, "{about}");
    assert!(
        (about["loop"]["angle"].as_f64().unwrap() - 1.3).abs() < 0.01,
        "{about}"
    );
    assert_eq!(about["fps"], 30.0);
    let run = folder.run_fine(&["validate", "camera.gltf", "--json"]);
    let report = json(&run.stdout);
    assert_eq!(report["files"][0]["problems"], json!([]));
    assert_eq!(report["files"][0]["notes"].as_array().unwrap().len(), 2);
}

/// Joints whose names BVH cannot hold are renamed with a message, and none gets the name of another.
#[test]
fn renamed_joints_never_swap_their_names() {
    let folder = Folder::new();
    let text = json!({
        "format": "sinew-motion", "version": 2,
        "joints": [
            { "name": "a b" },
            { "name": "a_b", "parent": 0, "position": [0, 1, 0] },
            { "name": "a\tb", "parent": 1, "position": [0, 1, 0] },
        ],
        "animations": [{ "name": "x", "length": 1, "frame_rate": 30, "tracks": [
            { "joint": "a_b", "rotation": { "keys": [[0, [0, 0, 0, 1]], [1, [0, 0, 0.6, 0.8]]] } },
        ] }],
    });
    folder.write("names.json", text.to_string());
    let run = folder.run(&["convert", "names.json", "--out", "names.bvh"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    let said = format!("{}{}", run.stdout, run.stderr);
    assert!(said.contains("\"a b\" is written as \"a_b_2\""), "{said}");
    let file = read(&folder, "names.bvh");
    let names: Vec<&str> = file
        .skeleton
        .joints()
        .iter()
        .map(|joint| joint.name.as_str())
        .collect();
    assert_eq!(names, ["a_b_2", "a_b", "a_b_3"]);
}
