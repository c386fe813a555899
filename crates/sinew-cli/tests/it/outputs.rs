//! Where outputs go: folders that must exist, links, pipes, devices, permissions, long names, standard output.

use crate::common;
use common::Folder;
use common::mocap::{BVH, read};
use common::play::CROSSFADE;
use std::fs;

/// A mistyped folder is an error that says what to do; nothing is made, not even at the root of the file system.
#[test]
fn a_file_in_a_folder_that_does_not_exist_is_refused() {
    let folder = Folder::new();
    folder.write("walk.bvh", BVH);
    let said = ["does not exist", "create it first"];
    for out in ["no/such/x.glb", "/sinew-no-such-folder/dir/x.glb"] {
        folder.run_refused_row(&["convert", "walk.bvh", "--out", out], &said);
    }
    for args in [
        ["render", "sample", "--frame=0", "--out=no/x.png"],
        ["plot", "walk.bvh", "--json", "--out=no/x.svg"],
        [
            "render",
            "sample",
            "--size=20",
            "--out=/sinew-no-such-folder/",
        ],
        ["compress", "walk.bvh", "--json", "--plot=no/x.svg"],
    ] {
        let run = folder.run(&args);
        assert_eq!(run.code, Some(2), "{args:?}: {run:?}");
        let text = run.stderr + &run.stdout;
        assert!(text.contains("create it first"), "{args:?}: {text}");
    }
    let to_root = ["demo", "--out", "/sinew-no-such-folder/demo"];
    folder.run_refused(&to_root, &said);
    assert!(!fs::exists("/sinew-no-such-folder").unwrap());
    assert_eq!(folder.files(), ["walk.bvh"]);
}

/// An output folder is made, with what is missing above it.
#[test]
fn an_output_folder_is_made() {
    let folder = Folder::new();
    folder.write("walk.bvh", BVH);
    folder.run_fine(&["convert", "walk.bvh", "--to=glb", "--out=a/b/"]);
    assert!(folder.files().contains(&"a/b/walk.glb".to_owned()));
}

/// A link stays a link, and what it leads to is written, whether it exists yet or not.
#[cfg(unix)]
#[test]
fn links_are_written_through() {
    let folder = Folder::new();
    folder.write("walk.bvh", BVH);
    fs::create_dir(folder.path("real")).unwrap();
    folder.write("real/old.glb", "old");
    let links = [("old.glb", "real/old.glb"), ("new.glb", "real/new.glb")];
    for (link, target) in links {
        std::os::unix::fs::symlink(target, folder.path(link)).unwrap();
        folder.run_fine(&["convert", "walk.bvh", "--out", link]);
        assert!(folder.path(link).is_symlink(), "{link}");
        let bytes = fs::read(folder.path(target)).unwrap();
        assert!(bytes.starts_with(b"glTF"), "{target}");
    }
    std::os::unix::fs::symlink("b.glb", folder.path("a.glb")).unwrap();
    std::os::unix::fs::symlink("a.glb", folder.path("b.glb")).unwrap();
    folder.run_refused_row(
        &["convert", "walk.bvh", "--out=a.glb"],
        &["too many symbolic links"],
    );
}

/// A private file stays private when it is replaced. (The mode is compared, which works for any user.)
#[cfg(unix)]
#[test]
fn a_file_that_is_replaced_keeps_its_mode() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new();
    folder.write("walk.bvh", BVH);
    for mode in [0o600, 0o640, 0o755] {
        folder.write("out.glb", "old");
        let path = folder.path("out.glb");
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        folder.run_fine(&["convert", "walk.bvh", "--out=out.glb"]);
        let about = fs::metadata(&path).unwrap();
        assert_eq!(about.permissions().mode() & 0o777, mode);
        assert!(about.len() > 100);
    }
}

/// A device or a pipe is written to, not replaced by a file.
#[cfg(target_os = "linux")]
#[test]
fn devices_and_pipes_are_written_to() {
    use std::os::unix::fs::FileTypeExt;
    let folder = Folder::new();
    folder.write("walk.bvh", BVH);
    // A link to the device, so that a program that replaces files does no harm.
    std::os::unix::fs::symlink("/dev/null", folder.path("null.glb")).unwrap();
    folder.run_fine(&["convert", "walk.bvh", "--out=null.glb"]);
    assert!(folder.path("null.glb").is_symlink());
    let about = fs::metadata(folder.path("null.glb")).unwrap();
    assert!(about.file_type().is_char_device());

    folder.make_pipe("pipe.glb");
    let reader = std::thread::spawn({
        let path = folder.path("pipe.glb");
        move || fs::read(path).unwrap()
    });
    let run = folder.run_within_seconds(&["convert", "walk.bvh", "--out=pipe.glb"], b"", 60);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let about = fs::symlink_metadata(folder.path("pipe.glb")).unwrap();
    assert!(about.file_type().is_fifo());
    assert!(reader.join().unwrap().starts_with(b"glTF"));
}

/// A name as long as file systems allow can be written: temporary names are short.
#[test]
fn names_of_250_characters_are_written() {
    let folder = Folder::new();
    let name = format!("{}.bvh", "n".repeat(246));
    folder.write(&name, BVH);
    let out = name.replace(".bvh", ".glb");
    folder.run_fine(&["convert", &name, "--to=glb"]);
    assert_eq!(read(&folder, &out).skeleton.len(), 6);
    folder.run_fine(&["compress", &name]);
}

/// `-` writes the file to standard output, and the summary elsewhere.
#[test]
fn a_dash_is_standard_output() {
    let folder = Folder::new();
    folder.write("walk.bvh", BVH);
    let output = |args: &[&str]| {
        let output = folder.command().args(args).output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{args:?}: {stderr}");
        output.stdout
    };
    let glb = output(&["convert", "walk.bvh", "--to=glb", "--out=-"]);
    folder.run_fine(&["convert", "walk.bvh", "--out=file.glb"]);
    assert_eq!(glb, fs::read(folder.path("file.glb")).unwrap());
    assert!(output(&["compress", "walk.bvh", "--out=-"]).starts_with(b"\x8bSNW"));
    assert!(
        output(&["render", "sample", "--frame=0", "--size=20", "--out=-"]).starts_with(b"\x89PNG")
    );
    assert!(output(&["render", "walk.bvh", "--size=20", "--out=-"]).starts_with(b"GIF8"));
    assert!(output(&["plot", "walk.bvh", "--out=-"]).starts_with(b"<svg"));
    let refused = ["convert", "walk.bvh", "--to=glb", "--out=-", "--json"];
    assert_eq!(folder.run(&refused).code, Some(2));
}

/// `play --out -` draws to standard output what it draws to a file, `--weights -` the chart.
#[test]
fn play_draws_to_standard_output() {
    let folder = Folder::new();
    folder.write("s.json", CROSSFADE);
    let same = |file: &str, more: &[&str]| {
        let play = |out: &str, script: &str| {
            let args = [&["play", script, "--size=40", "--fps=4", out], more].concat();
            let stdin = fs::File::open(folder.path("s.json")).unwrap();
            let output = folder.command().args(&args).stdin(stdin).output().unwrap();
            let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(output.status.success(), "{args:?}: {stderr}");
            output.stdout
        };
        let (option, _) = file.split_once('=').unwrap();
        let stdout = format!("{option}=-");
        play(file, "s.json");
        let (_, name) = file.split_once('=').unwrap();
        let written = fs::read(folder.path(name)).unwrap();
        assert_eq!(play(&stdout, "s.json"), written, "{file} {more:?}");
        // The script may come from standard input as well.
        assert_eq!(play(&stdout, "-"), written, "{file} {more:?}");
        written
    };
    assert!(same("--out=a.gif", &[]).starts_with(b"GIF8"));
    assert!(same("--out=a.png", &["--contact-sheet=3"]).starts_with(b"\x89PNG"));
    assert!(same("--weights=a.svg", &[]).starts_with(b"<svg"));
    let refused: [(&[&str], &str); 3] = [
        (
            &["--out=-", "--json"],
            "--json also prints to standard output",
        ),
        (
            &["--weights=-", "--json"],
            "--json also prints to standard output",
        ),
        (&["--out=-", "--weights=-"], "overwrite another"),
    ];
    for (options, said) in refused {
        let run = folder.run(&[&["play", "s.json"], options].concat());
        assert_eq!(run.code, Some(2), "{options:?}");
        let output = run.stdout + &run.stderr;
        assert!(output.contains(said), "{options:?}: {output}");
    }
    assert_eq!(folder.files(), ["a.gif", "a.png", "a.svg", "s.json"]);
}

/// `register --out -` prints the curve and nothing else; where nothing matches, nothing.
#[test]
fn register_prints_the_curve_to_standard_output() {
    let folder = Folder::new();
    let pair = ["register", "sample:walk", "sample:run"];
    folder.run_fine(&[&pair[..], &["--out=curve.json"]].concat());
    let run = folder.run_fine(&[&pair[..], &["--out=-"]].concat());
    let written = fs::read_to_string(folder.path("curve.json")).unwrap();
    assert_eq!(run.stdout, written);
    // What is printed is what `blend` takes.
    let curve = ["--curve=curve.json", "--weight=0.5", "--out=mix.bvh"];
    folder.run_fine(&[&["blend", "sample:walk", "sample:run"], &curve[..]].concat());
    let both = folder.run(&[&pair[..], &["--out=-", "--json"]].concat());
    assert_eq!(both.code, Some(2));
    let unrelated = ["register", "sample:walk", "sample:jump", "--out=-"];
    let run = folder.run(&unrelated);
    assert_eq!((run.code, run.stdout.as_str()), (Some(1), ""), "{run:?}");
    assert!(!run.stderr.is_empty());
}

/// Nothing that an interrupted run left stays, and nothing that the user has goes.
#[test]
fn resuming_removes_our_own_temporary_files_and_no_others() {
    let folder = Folder::new();
    folder.write("walk.bvh", BVH);
    fs::create_dir(folder.path("out")).unwrap();
    // No process has this number: the kernel's limit is below it.
    let kept = [
        "out/take.1.2.part",
        "out/walk.glb.4194305.0.part",
        "out/.sinew-a-b.part",
    ];
    let left = "out/.sinew-4194305-0.part";
    for name in kept.iter().chain([&left]) {
        folder.write(name, "");
    }
    let args = ["convert", "walk.bvh", "--to=glb", "--out=out/", "--resume"];
    let output = folder.command().args(args).output().unwrap();
    assert!(output.status.success());
    let files = folder.files();
    for name in kept {
        assert!(files.contains(&name.to_owned()), "{name}: {files:?}");
    }
    assert!(!files.contains(&left.to_owned()), "{files:?}");
}
