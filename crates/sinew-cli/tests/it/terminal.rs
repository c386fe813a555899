//! Pipes, colours and what is printed where.

use crate::common;
use common::Folder;
use std::process::{Command, Stdio};

/// Commands that print something, small and quick.
const COMMANDS: [&[&str]; 7] = [
    &["info", "sample"],
    &["info", "sample", "--json"],
    &["validate", "sample", "missing.skf"],
    &["render", "sample", "--frame=0", "--size=20"],
    &["render", "sample", "--animation=dance"],
    &["compress", "sample:walk", "missing.bvh"],
    &["verify", "sample-walk.sinew", "sample:walk"],
];

const ESCAPE: char = '\x1b';

#[test]
fn there_are_no_colours_unless_a_terminal_reads_them() {
    let folder = Folder::new();
    for args in COMMANDS {
        let run = folder.run(args);
        assert!(!run.stdout.contains(ESCAPE), "{}", run.stdout);
        assert!(!run.stderr.contains(ESCAPE), "{}", run.stderr);
    }
}

#[test]
fn colours_can_be_forced_but_not_against_no_color() {
    let folder = Folder::new();
    let coloured = |command: &mut Command| {
        let output = command.args(["info", "sample"]).output().unwrap();
        output.stdout.contains(&(ESCAPE as u8))
    };
    assert!(coloured(folder.command().env("CLICOLOR_FORCE", "1")));
    assert!(!coloured(folder.command().env("NO_COLOR", "1")));
    let mut both = folder.command();
    assert!(!coloured(
        both.env("CLICOLOR_FORCE", "1").env("NO_COLOR", "1")
    ));
}

/// Runs the program with a standard output whose reader has gone; tells how it ended.
fn run_into_closed_pipe(folder: &Folder, args: &[&str]) -> (Option<i32>, String) {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut command = folder.command();
    let child = command.args(args).stdout(writer).stderr(Stdio::piped());
    let output = child.spawn().unwrap().wait_with_output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    (output.status.code(), stderr)
}

#[test]
fn a_reader_that_has_seen_enough_is_no_error() {
    let folder = Folder::new();
    for args in [
        &["info", "sample"][..],
        &["info", "sample", "--json"],
        &["validate", "sample", "sample"],
        &["render", "sample", "--frame=0", "--size=20"],
    ] {
        let ended = run_into_closed_pipe(&folder, args);
        assert_eq!(ended, (Some(0), String::new()), "{args:?}");
    }
    assert_eq!(folder.files(), ["sample-idle.png"]);
}

#[test]
fn an_error_is_told_even_when_nobody_reads_the_output() {
    let (code, stderr) = run_into_closed_pipe(&Folder::new(), &["info", "missing.skf"]);
    assert_eq!(code, Some(2));
    assert!(stderr.contains("missing.skf"), "{stderr}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_behind_the_output_is_an_error() {
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full");
    let folder = Folder::new();
    let mut command = folder.command();
    let child = command.args(["info", "sample"]).stdout(full.unwrap());
    let output = child.stderr(Stdio::piped()).spawn().unwrap();
    let output = output.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(stderr.contains("standard output"), "{stderr}");
}

#[test]
fn warnings_go_to_standard_error_and_leave_json_whole() {
    let folder = Folder::new();
    let mut data = common::square();
    data.visuals[0].texture = "square".into();
    let skf = sinew_formats::skf::write_bytes(&data, &[b"no picture".to_vec()]).unwrap();
    folder.write("damaged.skf", skf);
    let args = ["render", "damaged.skf", "--overlay", "--size=20", "--json"];
    let run = folder.run(&args);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(
        run.stderr.starts_with("warning: damaged.skf: "),
        "{}",
        run.stderr
    );
    assert_eq!(run.json()["warnings"].as_array().unwrap().len(), 1);
}
