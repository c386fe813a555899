//! `sinew validate`: every problem of every file.

use crate::common;
use common::Folder;

#[test]
fn a_file_without_problems_is_fine() {
    let folder = Folder::new();
    folder.write("pip.skf", common::PIP);
    let run = folder.run_fine(&["validate", "pip.skf"]);
    assert_eq!(run.stdout, "ok pip.skf\n");
}

#[test]
fn every_problem_of_a_file_is_told() {
    let folder = Folder::new();
    folder.write("bad.skf", common::mistaken());
    let run = folder.run(&["validate", "bad.skf"]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(1), ""));
    let lines: Vec<&str> = run.stdout.lines().collect();
    assert_eq!(lines[0], "problems bad.skf");
    assert!(lines[1..].iter().all(|line| line.starts_with("  ")));
    for (problem, times) in [
        ("\"circle\" is in no style", 1),
        ("there are none; nothing moves", 2),
        ("an earlier animation has it", 1),
    ] {
        let found = lines.iter().filter(|line| line.contains(problem));
        assert_eq!(found.count(), times, "{problem:?} in {}", run.stdout);
    }
}

/// A good file, a bad one, one that is missing, one that is no character, and a good one again.
fn batch() -> (Folder, [&'static str; 6]) {
    let folder = Folder::new();
    folder.write("good.skf", common::PIP);
    folder.write("bad.skf", common::mistaken());
    folder.write("notes.skf", "buy milk");
    let files = ["good.skf", "bad.skf", "missing.skf", "notes.skf", "sample"];
    let [a, b, c, d, e] = files;
    (folder, ["validate", a, b, c, d, e])
}

#[test]
fn a_file_that_cannot_be_read_does_not_stop_the_others() {
    let (folder, args) = batch();
    let run = folder.run(&args);
    assert_eq!((run.code, run.stderr.as_str()), (Some(1), ""));
    let lines = run.stdout.lines().filter(|line| !line.starts_with("  "));
    let lines: Vec<&str> = lines.collect();
    assert_eq!(
        lines,
        [
            "ok good.skf",
            "problems bad.skf",
            "problems missing.skf",
            "problems notes.skf",
            "ok sample",
            "2 of 5 files ok, 2 unreadable",
        ]
    );
}

#[test]
fn json_has_every_file_in_order() {
    let (folder, args) = batch();
    let run = folder.run(&[&args[..], &["--json"]].concat());
    assert_eq!((run.code, run.stderr.as_str()), (Some(1), ""));
    let json = run.json();
    assert_eq!(
        (&json["failed"], &json["unreadable"]),
        (&3.into(), &2.into())
    );
    let files = json["files"].as_array().unwrap();
    let names: Vec<&str> = files.iter().map(|f| f["file"].as_str().unwrap()).collect();
    assert_eq!(names, args[1..]);
    let problems = files
        .iter()
        .map(|f| f["problems"].as_array().unwrap().len());
    assert_eq!(problems.collect::<Vec<_>>(), [0, 5, 1, 1, 0]);
}

#[test]
fn without_files_nothing_can_be_checked() {
    Folder::new().run_refused(&["validate"], &["<FILES>"]);
}
