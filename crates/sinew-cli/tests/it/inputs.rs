//! What is read: standard input, pipes, folders with links, odd names.

use crate::common;
use common::Folder;
use common::mocap::{BVH, FIGURE, WALK};
use std::fs;

/// `-` is standard input for every command that reads a file, and so is `/dev/stdin`.
#[test]
fn standard_input_is_read_by_every_command() {
    let folder = Folder::new();
    folder.write("07.asf", FIGURE);
    let fine = |args: &[&str], input: &[u8]| {
        let run = folder.run_within_seconds(args, input, 120);
        assert_eq!(run.code, Some(0), "{args:?}: {} {}", run.stdout, run.stderr);
        run.stdout
    };
    let bvh = BVH.as_bytes();
    let mut names = vec!["-"];
    if cfg!(target_os = "linux") {
        names.push("/dev/stdin");
    }
    for name in names {
        assert!(fine(&["info", name], bvh).contains("RightLeg"));
        fine(&["info", name, "--json"], common::PIP);
        fine(&["info", name, "--asf=07.asf"], WALK.as_bytes());
        assert!(fine(&["validate", name], common::PIP).starts_with("ok"));
        fine(&["convert", name, "--to=glb", "--out=walk.glb"], bvh);
        fine(
            &["convert", name, "--asf=07.asf", "--out=amc.bvh"],
            WALK.as_bytes(),
        );
        fine(&["compress", name, "--out=walk.sinew"], bvh);
        fine(&["verify", "walk.sinew", name], bvh);
        fine(
            &["verify", name, "walk.glb", "--up=y"],
            &fs::read(folder.path("walk.sinew")).unwrap(),
        );
        fine(
            &["render", name, "--frame=1", "--size=20", "--out=a.png"],
            bvh,
        );
        fine(&["plot", name, "--joint=Head", "--out=a.svg"], bvh);
        fine(&["bench", name, "--quick"], bvh);
        fine(
            &["decompress", name, "--out=back.bvh"],
            &fs::read(folder.path("walk.sinew")).unwrap(),
        );
    }
    let piped = fine(&["convert", "-", "--to=bvh"], bvh);
    assert!(piped.starts_with("HIERARCHY"), "{piped}");
}

/// Standard input cannot be read twice, and says so; an empty one is an empty file.
#[test]
fn standard_input_is_one_file() {
    let folder = Folder::new();
    let run = folder.run_within_seconds(&["verify", "-", "-"], b"", 60);
    assert_eq!(run.code, Some(2));
    let run = folder.run_within_seconds(&["info", "-"], b"", 60);
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("empty"), "{}", run.stderr);
    let run = folder.run_within_seconds(&["register", "-", "-"], BVH.as_bytes(), 60);
    assert!(run.stderr.contains("one input only"), "{}", run.stderr);
}

/// Each input is opened once: a pipe, which can be, is enough for every command.
#[cfg(unix)]
#[test]
fn inputs_are_opened_once() {
    let folder = Folder::new();
    folder.write("07.asf", FIGURE);
    folder.make_pipe("walk.amc");
    for args in [
        &["info", "walk.amc", "--asf=07.asf"][..],
        &["validate", "walk.amc", "--asf=07.asf"],
        &[
            "render",
            "walk.amc",
            "--frame=3",
            "--size=20",
            "--asf=07.asf",
            "--out=a.png",
        ],
        &["convert", "walk.amc", "--asf=07.asf", "--out=walk.bvh"],
        &["compress", "walk.amc", "--asf=07.asf", "--out=walk.sinew"],
        &["plot", "walk.amc", "--asf=07.asf", "--out=walk.svg"],
    ] {
        let path = folder.path("walk.amc");
        let writer = std::thread::spawn(move || fs::write(path, WALK));
        let run = folder.run_within_seconds(args, b"", 120);
        assert_eq!(run.code, Some(0), "{args:?}: {run:?}");
        writer.join().unwrap().unwrap();
    }
}

/// A folder that links to one above it is searched once, and links to files and folders elsewhere are followed.
#[cfg(unix)]
#[test]
fn links_in_folders_are_followed_once() {
    use std::os::unix::fs::symlink;
    let folder = Folder::new();
    for name in ["d/a", "elsewhere"] {
        fs::create_dir_all(folder.path(name)).unwrap();
    }
    for name in [
        "d/one.bvh",
        "d/a/two.bvh",
        "elsewhere/three.bvh",
        "four.bvh",
    ] {
        folder.write(name, BVH);
    }
    symlink("..", folder.path("d/a/up")).unwrap();
    symlink("../a", folder.path("d/a/self")).unwrap();
    symlink("../elsewhere", folder.path("d/there")).unwrap();
    symlink("../four.bvh", folder.path("d/linked.bvh")).unwrap();
    let stems = ["linked", "one", "three", "two"];
    for (input, out) in [("d", "of-folder"), ("d/**/*.bvh", "of-pattern")] {
        let args = ["convert", input, "--to=json", "--out", out, "--json"];
        let run = folder.run_within_seconds(&args, b"", 60);
        assert_eq!(run.code, Some(0), "{run:?}");
        let files: Vec<String> = folder
            .files()
            .into_iter()
            .filter(|f| f.starts_with(out))
            .collect();
        let made = files.iter().filter_map(|f| f.strip_suffix(".json"));
        let mut made: Vec<&str> = made.map(|f| f.rsplit('/').next().unwrap()).collect();
        made.sort();
        assert_eq!(made, stems, "{files:?}");
    }
    let run = folder.run_within_seconds(&["validate", "d"], b"", 60);
    assert!(run.stdout.contains("4 of 4 files ok"), "{}", run.stdout);
    // A link that leads nowhere is reported, not left out.
    symlink("gone.bvh", folder.path("d/broken.bvh")).unwrap();
    for args in [
        &["convert", "d", "--to=json", "--out=o"][..],
        &["validate", "d"],
    ] {
        let run = folder.run_within_seconds(args, b"", 60);
        assert_ne!(run.code, Some(0));
        assert!(
            run.stdout.contains("broken.bvh") && run.stdout.contains("link"),
            "{run:?}"
        );
    }
}

/// Names that are not UTF-8 are found by folders and patterns as by themselves.
#[cfg(target_os = "linux")]
#[test]
fn names_that_are_not_utf_8_are_found() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let folder = Folder::new();
    fs::create_dir(folder.path("d")).unwrap();
    let name = OsStr::from_bytes(b"caf\xe9.bvh");
    fs::write(folder.path("d").join(name), BVH).unwrap();
    for input in ["d", "d/*.bvh", "d/caf?.bvh"] {
        let args = ["convert", input, "--to=glb", "--out=o", "--json"];
        let run = folder.run_fine(&args);
        assert_eq!(run.json()["converted"], 1, "{input}");
        let made = fs::read_dir(folder.path("o"))
            .unwrap()
            .next()
            .unwrap()
            .unwrap();
        assert_eq!(made.file_name(), OsStr::from_bytes(b"caf\xe9.glb"));
        fs::remove_dir_all(folder.path("o")).unwrap();
    }
    let run = folder.run_fine(&["validate", "d/*"]);
    assert!(run.stdout.starts_with("ok"), "{}", run.stdout);
}

/// A pipe where a glTF file expects a buffer is refused instead of waited for.
#[cfg(unix)]
#[test]
fn a_pipe_as_a_buffer_is_refused() {
    let folder = Folder::new();
    folder.run_fine(&["convert", "sample:jump", "--out=jump.gltf"]);
    let text = fs::read_to_string(folder.path("jump.gltf")).unwrap();
    let mut json: serde_json::Value = serde_json::from_str(&text).unwrap();
    json["buffers"][0]["uri"] = "pipe.bin".into();
    folder.write("jump.gltf", json.to_string());
    folder.make_pipe("pipe.bin");
    let run = folder.run_within_seconds(&["info", "jump.gltf"], b"", 30);
    assert_eq!(run.code, Some(2), "{run:?}");
    assert!(run.stderr.contains("not a regular file"), "{}", run.stderr);
}

/// `verify` and `validate` take folders and patterns.
#[test]
fn folders_are_verified_and_validated() {
    let folder = Folder::new();
    fs::create_dir_all(folder.path("mocap/sub")).unwrap();
    for name in ["mocap/a.bvh", "mocap/sub/b.bvh"] {
        folder.write(name, BVH);
    }
    folder.run_fine(&["compress", "mocap", "--out=packed"]);
    for packed in ["packed", "packed/**/*.sinew"] {
        let run = folder.run_fine(&["verify", packed, "mocap"]);
        assert!(run.stdout.ends_with("2 ok\n"), "{}", run.stdout);
        let json = folder
            .run_fine(&["verify", packed, "mocap", "--json"])
            .json();
        assert_eq!(
            (
                &json["within_bound"],
                json["files"].as_array().unwrap().len()
            ),
            (&true.into(), 2)
        );
    }
    for files in ["mocap", "mocap/**/*.bvh"] {
        let run = folder.run_fine(&["validate", files]);
        assert!(run.stdout.ends_with("2 of 2 files ok\n"), "{}", run.stdout);
    }
    // Another motion of the same name, one without a source, and one that is damaged.
    folder.write("mocap/a.bvh", BVH.replace("0 91 20", "0 95 20"));
    let run = folder.run(&["verify", "packed", "mocap"]);
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(run.stdout.ends_with("1 ok, 1 exceeded\n"), "{}", run.stdout);
    fs::remove_file(folder.path("mocap/sub/b.bvh")).unwrap();
    folder.write("packed/c.sinew", "SINEW");
    let run = folder.run(&["verify", "packed", "mocap"]);
    assert_eq!(run.code, Some(2), "{run:?}");
    assert!(
        run.stdout.ends_with("0 ok, 1 exceeded, 2 failed\n"),
        "{}",
        run.stdout
    );
}
