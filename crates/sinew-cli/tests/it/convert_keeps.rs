//! `sinew convert` loses nothing silently: what is edited is what was asked for, what cannot be kept is told, and no
//! input is overwritten.

use crate::common;
use common::Folder;
use common::mocap::{BVH, read};
use serde_json::{Value, json};
use sinew_author::measure::loop_gap;
use std::fs;

/// A mesh with two morph targets on a node that turns, with a material and extras; its buffer is a file of its own.
fn morphing_scene() -> (Value, Vec<u8>) {
    let floats = |numbers: &[f32]| -> Vec<u8> {
        let bytes = numbers.iter().flat_map(|number| number.to_le_bytes());
        bytes.collect()
    };
    let parts = [
        floats(&[0.0, 0.4, 1.0]),
        floats(&[0.0, 0.0, 0.0, 1.0, 0.0, 0.6, 0.0, 0.8, 0.0, 0.0, 0.0, 1.0]),
        floats(&[0.0, 0.0, 1.0, 0.25, 0.0, 0.5]),
        floats(&[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0]),
    ];
    let mut views = Vec::new();
    let mut bytes = Vec::new();
    for part in &parts {
        views.push(json!({"buffer": 0, "byteOffset": bytes.len(), "byteLength": part.len()}));
        bytes.extend_from_slice(part);
    }
    let accessor = |view: usize, count: usize, kind: &str| {
        json!({"bufferView": view, "componentType": 5126, "count": count, "type": kind,
               "min": vec![0.0; if kind == "SCALAR" { 1 } else { 3 }],
               "max": vec![1.0; if kind == "SCALAR" { 1 } else { 3 }]})
    };
    let scene = json!({
        "asset": {"version": "2.0", "generator": "another program"},
        "scenes": [{"nodes": [0]}],
        "nodes": [{"name": "face", "mesh": 0, "extras": {"a": 1}}],
        "meshes": [{"primitives": [{
            "attributes": {"POSITION": 3},
            "targets": [{"POSITION": 3}, {"POSITION": 3}],
            "material": 0
        }]}],
        "materials": [{"name": "skin"}],
        "accessors": [
            accessor(0, 3, "SCALAR"),
            {"bufferView": 1, "componentType": 5126, "count": 3, "type": "VEC4"},
            accessor(2, 6, "SCALAR"),
            accessor(3, 3, "VEC3"),
        ],
        "bufferViews": views,
        "buffers": [{"byteLength": bytes.len(), "uri": "face.bin"}],
        "animations": [{
            "name": "smile",
            "channels": [
                {"sampler": 0, "target": {"node": 0, "path": "rotation"}},
                {"sampler": 1, "target": {"node": 0, "path": "weights"}}
            ],
            "samplers": [{"input": 0, "output": 1}, {"input": 0, "output": 2}]
        }]
    });
    (scene, bytes)
}

fn put_face(folder: &Folder) {
    let (scene, bytes) = morphing_scene();
    folder.write("face.gltf", scene.to_string());
    folder.write("face.bin", bytes);
}

fn document(folder: &Folder, name: &str) -> Value {
    let bytes = fs::read(folder.path(name)).unwrap();
    let length = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
    serde_json::from_slice(&bytes[20..20 + length]).unwrap()
}

fn losses(run: &Value) -> Vec<String> {
    let list = run["files"][0]["losses"].as_array().unwrap().iter();
    list.map(|loss| {
        format!(
            "{}: {}",
            loss["field"].as_str().unwrap(),
            loss["problem"].as_str().unwrap()
        )
    })
    .collect()
}

/// A mesh, its material and its morph animation are in the output, whatever is edited.
#[test]
fn a_gltf_file_keeps_its_mesh_and_its_morphs() {
    let folder = Folder::new();
    put_face(&folder);
    for (index, edits) in [
        &[][..],
        &["--fps", "20"],
        &["--center"],
        &["--trim", "0.2..0.8"],
    ]
    .into_iter()
    .enumerate()
    {
        let out = format!("out{index}.glb");
        let args = [&["convert", "face.gltf", "--json", "--out", &out], edits].concat();
        let run = folder.run_fine(&args).json();
        assert_eq!(losses(&run), [""; 0], "{edits:?}");
        let after = document(&folder, &out);
        assert_eq!(
            after["meshes"][0]["primitives"][0]["targets"]
                .as_array()
                .unwrap()
                .len(),
            2
        );
        assert_eq!(after["materials"][0]["name"], "skin");
        assert_eq!(after["nodes"][0]["extras"]["a"], 1);
        assert_eq!(after["asset"]["generator"], "another program");
        let file = read(&folder, &out);
        assert_eq!(file.animations[0].variants.len(), 2, "{edits:?}");
        let smile = &file.animations[0].variants[0];
        let time = if edits.contains(&"--trim") { 0.2 } else { 0.4 };
        assert_eq!(
            smile.sample(time, 1.0, false),
            sinew::animation::Variant::Float(1.0),
            "{edits:?}"
        );
    }
}

/// What a format has no place for is named, in the text and in JSON.
#[test]
fn what_a_format_cannot_hold_is_told() {
    let folder = Folder::new();
    put_face(&folder);
    let text = folder
        .run_fine(&["convert", "face.gltf", "--out", "face.bvh"])
        .stdout;
    for said in [
        "face.gltf: animation \"smile\", morph weights: 2, for which BVH has no place; not kept",
        "1 meshes, 1 materials: BVH stores only motion; not kept",
    ] {
        assert!(text.contains(said), "{said}: {text}");
    }
    let rich = r#"{ "format": "sinew-motion", "version": 2, "joints": [ { "name": "Left Hip" } ],
        "animations": [ { "name": "step", "length": 1, "frame_rate": 30,
        "looping": { "x": 1, "in_place": true }, "metadata": { "by": "hand" },
        "tracks": [ { "joint": "Left Hip", "weights": { "position": 0.5, "rotation": 1, "scale": 1 },
            "scale": { "keys": [ [0, [1, 1, 1]], [1, [2, 2, 2]] ] },
            "position": { "interpolation": "step", "keys": [ [0, [0, 0, 0]], [1, [0, 1, 0]] ] } },
            { "joint": "tail", "position": { "keys": [ [0, [0, 0, 0]], [1, [0, 1, 0]] ] } } ],
        "variants": [ { "name": "lamp/@Light/Brightness", "type": "float", "keys": [ [0, 1], [1, 2] ] } ],
        "triggers": [ { "time": 0.5, "data": "left" } ] } ] }"#;
    folder.write("rich.json", rich);
    let run = folder
        .run_fine(&["convert", "rich.json", "--out", "rich.bvh", "--json"])
        .json();
    let losses_text = losses(&run).join("\n");
    for said in [
        "variant tracks: 1,",
        "triggers: 1,",
        "metadata: 1,",
        "looping: the ground motion that was taken out of the keys has no place in BVH",
        "weights: of 1 tracks",
        "scale: joints are scaled",
        "channels: keys between frames are not kept: sampled at 30 per second (1 step)",
        "joints: \"Left Hip\" is written as \"Left_Hip\"",
        "tracks: 1 of joints that the skeleton lacks",
    ] {
        assert!(losses_text.contains(said), "{said}: {losses_text}");
    }
    let run = folder
        .run_fine(&["convert", "rich.json", "--out", "rich.sinew", "--json"])
        .json();
    assert_eq!(
        losses(&run),
        ["tracks: 1 of joints that the skeleton lacks; not kept"]
    );
    // What has a place is there, without a word.
    for out in ["rich.glb", "rich.gltf", "again.json"] {
        let run = folder
            .run_fine(&["convert", "rich.json", "--out", out, "--json"])
            .json();
        assert_eq!(losses(&run), [""; 0], "{out}");
        let (before, after) = (read(&folder, "rich.json"), read(&folder, out));
        let (before, after) = (&before.animations[0], &after.animations[0]);
        assert_eq!(after.triggers, before.triggers, "{out}");
        assert_eq!(after.variants, before.variants, "{out}");
        assert_eq!(after.looping, before.looping, "{out}");
        assert_eq!(after.metadata, before.metadata, "{out}");
        assert_eq!(after.track("tail"), before.track("tail"), "{out}");
        assert_eq!(after.tracks[0].weights, before.tracks[0].weights, "{out}");
    }
}

/// A loop turns the other way once it is mirrored, and begins elsewhere once it is centred; its data say so.
#[test]
fn the_motion_of_a_loop_is_edited_with_it() {
    let folder = Folder::new();
    let looping = |name: &str| {
        let info = folder.run_fine(&["info", name, "--json"]).json();
        info["animations"][0]["looping"].clone()
    };
    let number = |value: &Value, key: &str| value[key].as_f64().unwrap();
    for extra in [&[][..], &["--in-place"]] {
        let made = [&["loop", "sample:run", "--out", "run.glb"], extra].concat();
        folder.run_fine(&made);
        let before = looping("run.glb");
        assert_eq!(before["in_place"], !extra.is_empty());
        folder.run_fine(&["convert", "run.glb", "--mirror", "--out", "mirrored.glb"]);
        let mirrored = looping("mirrored.glb");
        for (key, sign) in [("angle", -1.0), ("x", -1.0), ("z", 1.0)] {
            let off = number(&mirrored, key) - sign * number(&before, key);
            assert!(off.abs() < 1e-6, "{key}: {before} {mirrored}");
        }
        for format in ["json", "sinew", "gltf"] {
            let out = format!("same.{format}");
            folder.run_fine(&["convert", "run.glb", "--fps", "25", "--out", &out]);
            let same = looping(&out);
            assert_eq!(
                (&same["z"], &same["in_place"]),
                (&before["z"], &before["in_place"])
            );
        }
        let run = folder.run_fine(&[
            "convert", "run.glb", "--trim", "0..0.3", "--out", "part.glb", "--json",
        ]);
        let part = looping("part.glb");
        if extra.is_empty() {
            assert!(part.is_null(), "{part}");
            assert_eq!(losses(&run.json()).len(), 1);
        } else {
            let seconds = f64::from(read(&folder, "run.glb").animations[0].length);
            let expected = number(&before, "z") * 0.3 / seconds;
            assert!(
                (number(&part, "z") - expected).abs() < 0.02,
                "{part} {expected}"
            );
        }
    }
}

/// Whatever the rate, a loop ends where it begins, as long as before, and a rate that had to change is told.
#[test]
fn loops_stay_loops_at_every_rate() {
    let folder = Folder::new();
    let mut tried = 0;
    for motion in ["walk", "run", "idle", "dance-turn"] {
        let source = format!("{motion}.glb");
        let sample = format!("sample:{motion}");
        let made = folder.run(&["loop", &sample, "--out", &source]);
        if made.code != Some(0) {
            continue;
        }
        let before = read(&folder, &source);
        let gap = loop_gap(&before.skeleton, &before.animations[0]);
        let length = before.animations[0].length;
        for rate in ["24", "25", "30", "50", "59.94", "7"] {
            for out in ["out.glb", "out.bvh", "out.json"] {
                let args = ["convert", &source, "--fps", rate, "--out", out, "--json"];
                let run = folder.run_fine(&args).json();
                let after = read(&folder, out);
                let animation = &after.animations[0];
                let what = format!("{motion} {rate} {out}: {run}");
                assert!((animation.length - length).abs() < 1e-4, "{what}");
                let found = loop_gap(&after.skeleton, animation);
                assert!(
                    (found.distance - gap.distance).abs() < 1e-4,
                    "{what}: {found:?} {gap:?}"
                );
                let asked: f64 = rate.parse().unwrap();
                let is_other = (animation.frame_rate.unwrap() - asked).abs() > 1e-3;
                let is_reported = losses(&run).iter().any(|loss| loss.contains("instead of"));
                assert_eq!(is_other, is_reported, "{what}");
                tried += 1;
            }
        }
    }
    assert!(tried >= 54, "{tried}");
}

/// What ends between two frames keeps its last pose, and the part of a frame that is added is told.
#[test]
fn no_motion_loses_its_end() {
    let folder = Folder::new();
    for motion in ["sample:walk", "sample:jump", "sample:wave"] {
        folder.run_fine(&["convert", motion, "--out", "source.json"]);
        let before = read(&folder, "source.json");
        for rate in ["7", "25", "29.97", "48"] {
            for out in ["out.bvh", "out.glb"] {
                let args = [
                    "convert",
                    "source.json",
                    "--fps",
                    rate,
                    "--out",
                    out,
                    "--json",
                ];
                let run = folder.run_fine(&args).json();
                let after = read(&folder, out);
                let (old, new) = (&before.animations[0], &after.animations[0]);
                let added = new.length - old.length;
                let what = format!("{motion} {rate} {out}");
                assert!(
                    added > -1e-5 && f64::from(added) < 1.0 / 7.0,
                    "{what}: {added}"
                );
                let is_reported = losses(&run)
                    .iter()
                    .any(|loss| loss.contains("the last pose is held"));
                assert_eq!(added > 1e-5, is_reported, "{what}");
                let mut samplers = [
                    sinew::Sampler::new(&before.skeleton, old),
                    sinew::Sampler::new(&after.skeleton, new),
                ];
                let ends = [old.length, new.length];
                for joint in 0..before.skeleton.len() {
                    let places = [0, 1]
                        .map(|index| samplers[index].model_at(ends[index]).position(joint.into()));
                    assert!(
                        (places[0] - places[1]).length() < 1e-4,
                        "{what}: joint {joint}"
                    );
                }
            }
        }
    }
}

/// By its own name, by another way of writing it, through a link: an input is never overwritten unless it is asked for.
#[test]
fn no_input_is_overwritten_without_force() {
    let folder = Folder::new();
    folder.run_fine(&["convert", "sample:walk", "--out", "a.glb"]);
    fs::create_dir(folder.path("sub")).unwrap();
    let before = fs::read(folder.path("a.glb")).unwrap();
    let mut names = vec!["a.glb", "./a.glb", "sub/../a.glb"];
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("a.glb", folder.path("soft.glb")).unwrap();
        fs::hard_link(folder.path("a.glb"), folder.path("hard.glb")).unwrap();
        names.extend(["soft.glb", "hard.glb"]);
    }
    for name in &names {
        let run = folder.run(&["convert", "a.glb", "--mirror", "--out", name]);
        assert_eq!(run.code, Some(2), "{name}: {run:?}");
        assert!(run.stdout.contains("overwrite an input"), "{name}: {run:?}");
        assert_eq!(fs::read(folder.path("a.glb")).unwrap(), before, "{name}");
    }
    // The skeleton that is asked for is an input too.
    folder.write(
        "b.json",
        r#"{ "format": "sinew-motion", "version": 2, "animations": [ { "length": 1 } ] }"#,
    );
    let run = folder.run(&["convert", "b.json", "--skeleton", "a.glb", "--out", "a.glb"]);
    assert_eq!(run.code, Some(2), "{run:?}");
    assert_eq!(fs::read(folder.path("a.glb")).unwrap(), before);
    folder.run_fine(&["convert", "a.glb", "--mirror", "--out", "a.glb", "--force"]);
    assert_ne!(fs::read(folder.path("a.glb")).unwrap(), before);
}

/// A folder of files in the wanted format is edited into another folder; that nothing was done is no success.
#[test]
fn folders_are_edited_in_their_own_format() {
    let folder = Folder::new();
    fs::create_dir(folder.path("in")).unwrap();
    for motion in ["walk", "run"] {
        let out = format!("in/{motion}.glb");
        folder.run_fine(&["convert", &format!("sample:{motion}"), "--out", &out]);
    }
    let run = folder.run(&["convert", "in", "--to", "glb", "--mirror"]);
    assert_eq!(run.code, Some(2), "{run:?}");
    assert!(
        run.stdout.contains("2 files already in glb format"),
        "{run:?}"
    );
    let run = folder.run(&["convert", "in", "--to", "glb", "--json"]);
    assert_eq!(run.code, Some(2), "{run:?}");
    assert_eq!(run.json()["left_out"].as_array().unwrap().len(), 2);
    folder.run_fine(&["convert", "in", "--to", "glb", "--mirror", "--out", "out"]);
    for motion in ["walk", "run"] {
        let (before, after) = (
            read(&folder, &format!("in/{motion}.glb")),
            read(&folder, &format!("out/{motion}.glb")),
        );
        assert_eq!(before.skeleton, after.skeleton);
        assert_ne!(before.animations, after.animations);
        let again = sinew_author::edit::mirror(&after.animations[0], &after.skeleton).unwrap();
        let mut samplers = [
            sinew::Sampler::new(&before.skeleton, &before.animations[0]),
            sinew::Sampler::new(&after.skeleton, &again),
        ];
        for joint in 0..before.skeleton.len() {
            let places = [0, 1].map(|index| samplers[index].model_at(0.5).position(joint.into()));
            assert!((places[0] - places[1]).length() < 1e-4, "{motion} {joint}");
        }
    }
    // Beside files of another format nothing needs to be said.
    folder.write("in/other.bvh", BVH);
    folder.run_fine(&["convert", "in", "--to", "glb"]);
}

/// Writes a sample motion as `hero.gltf`, with a mesh and a material of another program.
fn put_hero(folder: &Folder, sample: &str) -> Value {
    folder.run_fine(&["convert", sample, "--fps", "30", "--out", "hero.gltf"]);
    let text = fs::read_to_string(folder.path("hero.gltf")).unwrap();
    let mut scene: Value = serde_json::from_str(&text).unwrap();
    scene["asset"]["generator"] = "another program".into();
    scene["meshes"][0]["name"] = "hero".into();
    scene["materials"][0]["extras"] = json!({"shiny": true});
    folder.write("hero.gltf", scene.to_string());
    scene
}

/// A blend has the mesh, skin and material of its first motion, be it a file or standard input.
#[test]
fn a_blend_of_gltf_files_keeps_the_mesh_of_the_first() {
    let folder = Folder::new();
    let scene = put_hero(&folder, "sample:walk");
    folder.run_fine(&["convert", "sample:run", "--out", "run.glb"]);
    let kept = |name: &str| {
        let after = document(&folder, name);
        for what in ["meshes", "materials", "skins"] {
            assert_eq!(after[what], scene[what], "{name}");
        }
        assert_eq!(read(&folder, name).animations.len(), 1, "{name}");
    };
    let pair = ["blend", "hero.gltf", "run.glb", "--out"];
    folder.run_fine(&[&pair[..], &["mix.glb", "--weight=0.5"]].concat());
    kept("mix.glb");
    folder.run_fine(&[&pair[..], &["go.glb", "--transition=0.4s"]].concat());
    kept("go.glb");
    let piped = ["blend", "-", "run.glb", "--out=piped.glb", "--weight=0.5"];
    let hero = fs::read(folder.path("hero.gltf")).unwrap();
    let run = folder.run_within_seconds(&piped, &hero, 120);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    kept("piped.glb");
}

/// Runs a command that succeeds without and with `--json`. Every warning of the JSON's `losses` is on standard error too,
/// with the file that it is of. Returns the JSON.
fn told_twice(folder: &Folder, args: &[&str]) -> Value {
    let plain = folder.run(args);
    assert_eq!(plain.code, Some(0), "{args:?}: {plain:?}");
    let run = folder.run(&[args, &["--json"]].concat());
    assert_eq!(run.code, Some(0), "{args:?}: {run:?}");
    let json = run.json();
    let inputs = match json["motions"].as_array() {
        Some(motions) => motions.clone(),
        None => vec![json.clone()],
    };
    for input in &inputs {
        for lost in input["losses"].as_array().unwrap() {
            let problem = lost["problem"].as_str().unwrap();
            // The file of a loop is its output; the input is the first argument.
            let file = match json["motions"].is_array() {
                true => input["file"].as_str().unwrap(),
                false => args[1],
            };
            let is_told =
                |line: &str| line.contains(&format!(" {file}: ")) && line.contains(problem);
            for stderr in [&plain.stderr, &run.stderr] {
                assert!(
                    stderr.lines().any(is_told),
                    "{args:?}: {file}: {problem} in {stderr}"
                );
            }
        }
    }
    json
}

/// Warnings of a list, as `place field: problem`.
fn listed(list: &Value) -> Vec<String> {
    let text = |loss: &Value, key: &str| loss[key].as_str().unwrap().to_owned();
    let list = list.as_array().unwrap().iter();
    list.map(|loss| {
        assert_eq!(loss["severity"], "warning");
        let [place, field, problem] = ["place", "field", "problem"].map(|key| text(loss, key));
        format!("{place} {field}: {problem}")
    })
    .collect()
}

/// What a result cannot have of its inputs is named on standard error and in JSON, by file: meshes where the format
/// holds none or only motions are written, and all but the motion of joints where motions are blended.
#[test]
fn what_blends_loops_and_registrations_lose_is_told() {
    let folder = Folder::new();
    put_hero(&folder, "sample:run");
    fs::rename(folder.path("hero.gltf"), folder.path("other.gltf")).unwrap();
    put_hero(&folder, "sample:walk");
    folder.run_fine(&["convert", "sample:run", "--fps", "30", "--out", "run.json"]);
    let text = fs::read_to_string(folder.path("run.json")).unwrap();
    let mut motion: Value = serde_json::from_str(&text).unwrap();
    let run = &mut motion["animations"][0];
    run["triggers"] = json!([{"time": 0.1, "data": "step"}]);
    run["metadata"]["by"] = "hand".into();
    run["variants"] =
        json!([{"name": "lamp/@Light/Brightness", "type": "float", "keys": [[0, 1]]}]);
    run["tracks"].as_array_mut().unwrap().push(json!(
        {"joint": "no joint", "position": {"keys": [[0, [0, 0, 0]], [0.1, [0, 1, 0]]]}}
    ));
    folder.write("run.json", motion.to_string());
    let mesh = |why: &str| format!("file : 1 meshes, 3 materials: {why}; not kept");
    let none = [""; 0];

    let blend = |first: &str, second: &str, out: &str| {
        told_twice(
            &folder,
            &["blend", first, second, "--weight=0.5", "--out", out],
        )
    };
    let not_blended = [
        "tracks: 1 of joints that the skeleton lacks; not kept",
        "variant tracks: 1, but only joints are blended; not kept",
        "triggers: 1, but only joints are blended; not kept",
        "metadata: 1, but only joints are blended; not kept",
    ];
    let not_blended = not_blended.map(|loss| format!("animation \"run\" {loss}"));
    let json = blend("hero.gltf", "run.json", "mix.bvh");
    let bvh = mesh("BVH stores only motion");
    assert_eq!(listed(&json["motions"][0]["losses"]), [&*bvh]);
    assert_eq!(listed(&json["motions"][1]["losses"]), not_blended);
    let json = blend("hero.gltf", "run.json", "mix.json");
    assert_eq!(listed(&json["motions"][1]["losses"]), not_blended);
    let made = &read(&folder, "mix.json").animations[0];
    assert!(made.triggers.is_empty() && made.variants.is_empty());
    assert!(!made.metadata.contains_key("by") && made.track("no joint").is_none());
    // The mesh of the first motion is kept, so that of a second one is not, unless both are of one file.
    let json = blend("hero.gltf", "other.gltf", "mix.glb");
    assert_eq!(listed(&json["motions"][0]["losses"]), none);
    let others = mesh("a blend keeps those of its first motion");
    assert_eq!(listed(&json["motions"][1]["losses"]), [others]);
    let json = blend("hero.gltf", "./hero.gltf", "same.glb");
    for motion in json["motions"].as_array().unwrap() {
        assert_eq!(listed(&motion["losses"]), none);
    }
    // A picture is no motion that could lack something.
    let json = blend("hero.gltf", "run.json", "mix.png");
    assert_eq!(listed(&json["motions"][1]["losses"]), none);

    let json = told_twice(&folder, &["loop", "hero.gltf", "--out=stride.bvh"]);
    assert_eq!(listed(&json["losses"]), [&*bvh]);
    let json = told_twice(&folder, &["loop", "hero.gltf"]);
    assert_eq!(listed(&json["losses"]), none);

    let register = |second: &str, out: &str| {
        told_twice(&folder, &["register", "hero.gltf", second, "--out", out])
    };
    for (out, why) in [
        ("both.glb", "only motions and sync markers are written"),
        ("both.sinew", "SINEW stores only motion"),
    ] {
        let json = register("other.gltf", out);
        for motion in json["motions"].as_array().unwrap() {
            assert_eq!(listed(&motion["losses"]), [mesh(why)], "{out}");
        }
    }
    let json = register("run.json", "both.sinew");
    assert_eq!(listed(&json["motions"][1]["losses"]), not_blended[..1]);
    let json = register("other.gltf", "curve.json");
    assert_eq!(listed(&json["motions"][0]["losses"]), none);
}

/// What readers repair or ignore and what is lost is in the JSON of every command that writes motions, in one form.
#[test]
fn commands_that_write_motions_tell_warnings_in_one_form() {
    let folder = Folder::new();
    put_hero(&folder, "sample:walk");
    folder.run_fine(&["convert", "hero.gltf", "--out", "walk.bvh"]);
    let text = fs::read_to_string(folder.path("walk.bvh")).unwrap();
    let frames = text.lines().find(|line| line.starts_with("Frames:"));
    folder.write("walk.bvh", text.replace(frames.unwrap(), "Frames: 9999"));
    let json = |args: &[&str]| {
        let run = folder.run(&[args, &["--json"]].concat());
        assert_eq!(run.code, Some(0), "{args:?}: {run:?}");
        run.json()
    };
    let repaired = json(&["convert", "walk.bvh", "--out=walk.glb"])["files"][0]["warnings"].clone();
    assert!(!repaired.as_array().unwrap().is_empty());
    let blend = json(&[
        "blend",
        "hero.gltf",
        "walk.bvh",
        "--weight=0.5",
        "--out=mix.glb",
    ]);
    assert_eq!(blend["motions"][1]["warnings"], repaired);
    assert_eq!(blend["motions"][0]["warnings"], json!([]));
    let register = json(&["register", "hero.gltf", "walk.bvh"]);
    assert_eq!(register["motions"][1]["warnings"], repaired);
    assert_eq!(json(&["loop", "walk.bvh"])["warnings"], repaired);
    let compress = json(&["compress", "walk.bvh", "--out=walk.sinew"]);
    assert_eq!(compress["files"][0]["warnings"], repaired);

    let lost = json(&["convert", "hero.gltf", "--out=hero.sinew"])["files"][0]["losses"].clone();
    assert_eq!(listed(&lost).len(), 1);
    for inputs in [&["hero.gltf"][..], &["hero.gltf", "walk.bvh"]] {
        let args = [&["compress"], inputs, &["--out=packed.sinew"]].concat();
        assert_eq!(json(&args)["files"][0]["losses"], lost, "{args:?}");
        let said =
            "warning: hero.gltf: file: 1 meshes, 3 materials: SINEW stores only motion; not kept";
        for args in [&args[..], &["convert", "hero.gltf", "--out=hero.sinew"]] {
            let text = folder.run_fine(args).stdout;
            assert!(text.lines().any(|line| line == said), "{text}");
        }
    }

    // A script has many files: each warning says which one it is about.
    let script = r#"{ "format": "sinew-play", "version": 1, "model": "hero.gltf", "animations": [ { "file": "walk.bvh", "name": "repaired" } ],
        "timeline": [ { "at": 0, "play_new": "repaired" } ], "duration": 0.2 }"#;
    folder.write("script.json", script);
    let play = json(&["play", "script.json", "--out=frames.json"]);
    let mut of_file = repaired.clone();
    for loss in of_file.as_array_mut().unwrap() {
        loss["file"] = "walk.bvh".into();
    }
    assert_eq!(play["warnings"], of_file);
}

/// A loop that is cut from a character's motion is a motion of that character, with its mesh.
#[test]
fn a_loop_of_a_gltf_file_keeps_its_mesh() {
    let folder = Folder::new();
    let scene = put_hero(&folder, "sample:run");
    folder.run_fine(&["loop", "hero.gltf", "--out", "loop.glb"]);
    let after = document(&folder, "loop.glb");
    assert_eq!(after["meshes"], scene["meshes"]);
    assert_eq!(after["materials"], scene["materials"]);
    assert!(read(&folder, "loop.glb").animations[0].looping.is_some());
    // What was taken out of the keys has no place in BVH.
    let run = folder.run(&["loop", "hero.gltf", "--in-place", "--out", "loop.bvh"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(
        run.stderr
            .contains("the ground motion that was taken out of the keys"),
        "{run:?}"
    );
}
