//! `sinew render`: what it cannot do, it says, and leaves everything as it was.

use crate::common;
use common::Folder;
use sinew::skelform::curve::Preset;
use sinew::skelform::{AnimationData, Element, KeyData};
use std::fs;

#[test]
fn an_unknown_animation_is_refused_with_those_there_are() {
    let folder = Folder::new();
    let said = [
        "sample: ",
        "\"dance\"",
        "\"idle\", \"walk\", \"wave\", \"jump\"",
    ];
    folder.run_refused(&["render", "sample", "--animation", "dance"], &said);
    assert_eq!(folder.files(), Vec::<String>::new());
}

#[test]
fn an_unknown_style_is_refused_with_those_there_are() {
    let folder = Folder::new();
    let said = ["sample: ", "\"Summer\"", "\"Default\", \"Winter\""];
    folder.run_refused(&["render", "sample", "--style", "Summer"], &said);
    assert_eq!(folder.files(), Vec::<String>::new());
}

#[test]
fn a_rate_that_gifs_do_not_have_is_refused_and_nothing_written() {
    let folder = Folder::new();
    for fps in ["50.5", "60", "1000"] {
        let args = [
            "render",
            "sample",
            "-awalk",
            "--size=20",
            "--out=x.gif",
            "--fps",
            fps,
        ];
        folder.run_refused(&args, &["x.gif", "50 frames per second", fps]);
    }
    assert_eq!(folder.files(), Vec::<String>::new());
}

#[test]
fn a_rate_that_gifs_do_not_have_is_fine_for_a_folder() {
    let folder = Folder::new();
    folder.run_fine(&[
        "render",
        "sample",
        "-awalk",
        "--size=8",
        "--out=all",
        "--fps=120",
    ]);
    assert!(folder.path("all/00079.png").exists());
}

#[test]
fn an_output_with_another_ending_is_refused() {
    let folder = Folder::new();
    let said = ["walk.jpg", ".gif or .png"];
    folder.run_refused(&["render", "sample", "--out", "walk.jpg"], &said);
    for out in ["sheet.gif", "sheet"] {
        let args = ["render", "sample", "--contact-sheet", "--out", out];
        folder.run_refused(&args, &[out, "ending in .png"]);
    }
    assert_eq!(folder.files(), Vec::<String>::new());
}

#[test]
fn an_output_below_a_file_is_refused_with_its_path() {
    let folder = Folder::new();
    folder.write("file", "I am no folder");
    for out in [
        "file/x.png",
        "file/x.gif",
        "file/deep/er/x.png",
        "file/frames/",
    ] {
        let args = ["render", "sample", "--size=20", "--out", out];
        folder.run_refused(&args, &[out, "file is not a folder"]);
    }
    assert_eq!(folder.files(), ["file"]);
    assert_eq!(fs::read(folder.path("file")).unwrap(), b"I am no folder");
}

#[test]
fn a_folder_in_the_place_of_the_output_is_refused() {
    let folder = Folder::new();
    fs::create_dir(folder.path("sample-idle.gif")).unwrap();
    folder.run_refused(
        &["render", "sample"],
        &["sample-idle.gif", "it is a folder"],
    );
    assert_eq!(folder.files(), ["sample-idle.gif"]);
}

#[test]
fn a_failed_render_leaves_the_old_output_as_it_was() {
    let folder = Folder::new();
    folder.write("x.gif", "old");
    let failing: [&[&str]; 4] = [
        &["--fps=60"],
        &["--fps=1000"],
        &["--animation=dance"],
        &["--style=Summer"],
    ];
    for args in failing {
        folder.run_refused(&[&["render", "sample", "--out=x.gif"], args].concat(), &[]);
    }
    assert_eq!(folder.files(), ["x.gif"]);
    assert_eq!(fs::read(folder.path("x.gif")).unwrap(), b"old");
}

/// Draws over an old `x.gif` where no file may grow beyond a few kilobytes: a stand-in for a disk
/// that is full. Tells the exit code, unless a signal ended it, and standard error.
#[cfg(unix)]
fn render_on_a_full_disk(folder: &Folder, prelude: &str) -> (Option<i32>, String) {
    folder.write("x.gif", "old");
    let script = format!("{prelude} ulimit -c 0; ulimit -f 8; exec \"$0\" \"$@\"");
    let output = std::process::Command::new("sh")
        .args(["-c", &script, env!("CARGO_BIN_EXE_sinew")])
        .args(["render", "sample", "-awalk", "--size=100", "--out=x.gif"])
        .current_dir(folder.path(""))
        .output()
        .unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    (output.status.code(), stderr)
}

#[cfg(unix)]
#[test]
fn a_write_error_leaves_the_old_output_as_it_was() {
    let folder = Folder::new();
    let (code, stderr) = render_on_a_full_disk(&folder, "trap '' XFSZ;");
    assert_eq!(code, Some(2), "{stderr}");
    assert!(
        stderr.starts_with("error: x.gif: cannot be written: "),
        "{stderr}"
    );
    assert_eq!(folder.files(), ["x.gif"]);
    assert_eq!(fs::read(folder.path("x.gif")).unwrap(), b"old");
}

#[cfg(unix)]
#[test]
fn being_killed_in_the_middle_of_writing_leaves_the_old_output_as_it_was() {
    let folder = Folder::new();
    // Without the trap the system ends the program at the byte that is too much.
    assert_eq!(render_on_a_full_disk(&folder, "").0, None);
    assert_eq!(fs::read(folder.path("x.gif")).unwrap(), b"old");
}

#[test]
fn a_render_replaces_the_old_output() {
    let folder = Folder::new();
    folder.write("x.png", "old");
    folder.run_fine(&["render", "sample", "--size=20", "--out=x.png"]);
    assert_eq!(folder.files(), ["x.png"]);
    assert_eq!(folder.png("x.png").height(), 20);
}

#[test]
fn more_pictures_than_a_call_draws_are_refused() {
    let folder = Folder::new();
    let mut data = common::square();
    let key = |frame: u32| KeyData {
        frame,
        bone: 0,
        element: Element::PositionX,
        value: frame as f32,
        text: String::new(),
        ease: Preset::Linear.ease(),
    };
    data.animations = vec![AnimationData {
        name: "eternity".into(),
        frame_rate: 1,
        keys: vec![key(0), key(1_000_000)],
    }];
    folder.write("long.skf", common::skf(&data));
    let said = ["long.skf", "the limit of 18000", "--fps"];
    folder.run_refused(&["render", "long.skf"], &said);
    assert_eq!(folder.files(), ["long.skf"]);
}

#[test]
fn a_character_without_its_pictures_shows_its_skeleton_alone() {
    let folder = Folder::new();
    let skf =
        sinew_formats::skf::write_bytes(&common::square(), &[b"no picture".to_vec()]).unwrap();
    folder.write("bare.skf", skf);
    let args = ["render", "bare.skf", "--size=40"];
    let run = folder.run(&args);
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("--overlay"), "{}", run.stderr);
    let run = folder.run(&[&args[..], &["--overlay"]].concat());
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(
        run.stderr.starts_with("warning: bare.skf: "),
        "{}",
        run.stderr
    );
    assert!(common::ink(&folder.png("bare.png")) > 0);
}
