//! `--resume` skips what is done and nothing else.

use crate::common;
use common::Folder;
use common::mocap::{BVH, FIGURE, WALK};
use serde_json::Value;
use std::fs;
use std::time::{Duration, SystemTime};

/// What became of each input: `converted`, `skipped` or `failed`; `compressed` for `sinew compress`.
fn statuses(folder: &Folder, args: &[&str]) -> Vec<String> {
    let json = folder.run_fine(args).json();
    let status = |file: &Value| file["status"].as_str().unwrap().to_owned();
    json["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(status)
        .collect()
}

/// Makes a file look newer than whatever it was made from.
fn make_newer(folder: &Folder, name: &str) {
    let file = fs::OpenOptions::new()
        .append(true)
        .open(folder.path(name))
        .unwrap();
    let later = SystemTime::now() + Duration::from_secs(3600);
    file.set_modified(later).unwrap();
}

/// Outputs that are empty, damaged or made with other options are made again, however new they are.
#[test]
fn only_what_the_same_call_made_is_skipped() {
    for command in [&["convert", "--to=glb"][..], &["compress"]] {
        let folder = Folder::new();
        fs::create_dir(folder.path("in")).unwrap();
        folder.write("in/a.bvh", BVH);
        folder.write("in/b.bvh", BVH);
        let ending = if command[0] == "convert" {
            "glb"
        } else {
            "sinew"
        };
        let (a, b) = (format!("out/a.{ending}"), format!("out/b.{ending}"));
        let args = [command, &["in", "--out=out", "--resume", "--json"]].concat();
        let with = |more: &[&'static str]| statuses(&folder, &[&args[..], more].concat());
        let made = with(&[]);
        assert!(made.iter().all(|status| status != "skipped"), "{made:?}");
        let whole = fs::read(folder.path(&b)).unwrap();
        let fresh = made[0].clone();
        assert_eq!(with(&[]), ["skipped", "skipped"]);

        // Empty, cut off, and one byte changed.
        let mut changed = whole.clone();
        *changed.last_mut().unwrap() ^= 1;
        for damaged in [&[][..], &whole[..whole.len() / 2], &changed] {
            folder.write(&b, damaged);
            make_newer(&folder, &b);
            assert_eq!(
                with(&[]),
                ["skipped", fresh.as_str()],
                "{} bytes",
                damaged.len()
            );
            assert_eq!(fs::read(folder.path(&b)).unwrap(), whole);
        }
        // Other options, and back again.
        make_newer(&folder, &a);
        make_newer(&folder, &b);
        assert_eq!(with(&["--units=m"]), [fresh.as_str(), &fresh]);
        assert_eq!(with(&["--units=m"]), ["skipped", "skipped"]);
        assert_eq!(with(&[]), [fresh.as_str(), &fresh]);
        // Another source, older than its output.
        folder.write("in/a.bvh", BVH.replace("0 91 20", "0 92 20"));
        make_newer(&folder, &a);
        assert_eq!(with(&[]), [fresh.as_str(), "skipped"]);
    }
}

/// A skeleton that changed makes its motions again.
#[test]
fn a_changed_skeleton_is_a_changed_source() {
    let folder = Folder::new();
    folder.write("07.asf", FIGURE);
    folder.write("07_01.amc", WALK);
    let args = ["convert", "07_01.amc", "--to=glb", "--resume", "--json"];
    assert_eq!(statuses(&folder, &args), ["converted"]);
    assert_eq!(statuses(&folder, &args), ["skipped"]);
    folder.write("07.asf", FIGURE.replacen("# ", "#  ", 1) + "\n");
    make_newer(&folder, "07_01.glb");
    assert_eq!(statuses(&folder, &args), ["converted"]);
}

/// A run over several files that was interrupted can be resumed although it did not ask for it.
#[test]
fn runs_over_several_files_can_be_resumed() {
    let folder = Folder::new();
    fs::create_dir(folder.path("in")).unwrap();
    folder.write("in/a.bvh", BVH);
    folder.write("in/b.bvh", BVH);
    folder.run_fine(&["convert", "in", "--to=glb", "--out=out"]);
    fs::remove_file(folder.path("out/b.glb")).unwrap();
    let args = [
        "convert",
        "in",
        "--to=glb",
        "--out=out",
        "--resume",
        "--json",
    ];
    assert_eq!(statuses(&folder, &args), ["skipped", "converted"]);
}
