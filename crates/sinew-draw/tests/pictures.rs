//! Pictures of the built-in character, byte for byte as they were when somebody last looked at them.
//!
//! `pictures/NAME.json` says what to draw, `pictures/NAME.png` is what it looks like; both are found
//! at run time, so a new case is a new file. A picture that differs leaves `NAME.diff.png` behind:
//! expected, drawn, and the difference eight times as strong. `UPDATE_GOLDEN=1` writes what is drawn
//! as what is expected and then fails, so that no run can pass without having compared. Look at what
//! was written before you commit it.
//!
//! There is no tolerance: drawing uses whole numbers and `libm`, so other bits are another picture.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "tests stop at the first surprise"
)]

#[path = "common/case.rs"]
mod case;
#[path = "common/compare.rs"]
mod compare;

use case::Case;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::{env, fs};

/// How much stronger than they are differences are shown.
const AMPLIFIED: u8 = 8;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pictures")
}

/// Names of the files in a folder that end in `ending`, without it.
fn names(folder: &Path, ending: &str) -> BTreeSet<String> {
    let entries = fs::read_dir(folder).unwrap();
    let files = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    files
        .filter(|file| !file.ends_with(".diff.png"))
        .filter_map(|file| file.strip_suffix(ending).map(str::to_owned))
        .collect()
}

/// Draws a case and compares it with what is expected; says what is wrong.
fn check(folder: &Path, name: &str, update: bool) -> Result<(), String> {
    let case = Case::read(&folder.join(format!("{name}.json")))?;
    let drawn = case.draw();
    let expected_path = folder.join(format!("{name}.png"));
    let diff_path = folder.join(format!("{name}.diff.png"));
    // A picture of an earlier failure would mislead.
    let _ = fs::remove_file(&diff_path);
    if update {
        compare::write(&expected_path, &drawn);
        return Ok(());
    }
    if !expected_path.exists() {
        return Err(format!(
            "there is no {name}.png; run with UPDATE_GOLDEN=1, then look at what it wrote"
        ));
    }
    let expected = compare::read(&expected_path);
    let Some(difference) = compare::difference(&expected, &drawn) else {
        return Ok(());
    };
    let diff = compare::side_by_side(&expected, &drawn, AMPLIFIED);
    compare::write(&diff_path, &diff);
    Err(format!("{difference}; see {}", diff_path.display()))
}

/// Every case that is not as expected, a line each.
fn failures(folder: &Path, update: bool) -> Vec<String> {
    let cases = names(folder, ".json");
    let mut lines = Vec::new();
    for name in &cases {
        if let Err(problem) = check(folder, name, update) {
            lines.push(format!("{name}: {problem}"));
        }
    }
    for name in names(folder, ".png").difference(&cases) {
        lines.push(format!(
            "{name}.png: there is no {name}.json that says how to draw it; add one or delete it"
        ));
    }
    lines
}

#[test]
fn every_picture_is_as_expected() {
    let update = env::var_os("UPDATE_GOLDEN").is_some();
    let cases = names(&folder(), ".json").len();
    assert!(cases > 0, "there are no cases in {}", folder().display());
    let failures = failures(&folder(), update);
    assert!(
        failures.is_empty(),
        "{} of {cases} pictures are not as expected:\n{}",
        failures.len(),
        failures.join("\n")
    );
    assert!(
        !update,
        "{cases} pictures were written; look at them, then run again without UPDATE_GOLDEN"
    );
}

#[test]
fn expected_pictures_are_small_enough_to_keep() {
    for name in names(&folder(), ".png") {
        let size = fs::metadata(folder().join(format!("{name}.png")))
            .unwrap()
            .len();
        assert!(size < 40_000, "{name}.png takes {size} bytes");
    }
}

const SMALL: &str = r#"{ "animation": "idle", "size": [16, 20], "background": "white" }"#;

#[test]
fn a_case_without_a_picture_fails_with_advice() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("new.json"), SMALL).unwrap();
    let failures = failures(folder.path(), false);
    assert_eq!(failures.len(), 1);
    assert!(failures[0].starts_with("new: there is no new.png"));
    assert!(failures[0].contains("UPDATE_GOLDEN=1"));
}

#[test]
fn a_picture_without_a_case_fails() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("lost.png"), "whatever").unwrap();
    let failures = failures(folder.path(), false);
    assert_eq!(failures.len(), 1);
    assert!(failures[0].contains("lost.json"));
}

#[test]
fn a_case_with_an_unknown_field_fails() {
    let folder = tempfile::tempdir().unwrap();
    let misspelt = SMALL.replace("background", "backgruond");
    fs::write(folder.path().join("typo.json"), misspelt).unwrap();
    let failures = failures(folder.path(), false);
    assert_eq!(failures.len(), 1);
    assert!(failures[0].contains("backgruond"), "{failures:?}");
}

#[test]
fn one_bit_of_difference_fails_and_leaves_a_diff_picture() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::write(path("one.json"), SMALL).unwrap();
    assert_eq!(failures(folder.path(), true), Vec::<String>::new());
    assert_eq!(failures(folder.path(), false), Vec::<String>::new());
    assert!(!path("one.diff.png").exists());

    let mut picture = compare::read(&path("one.png"));
    picture.pixels_mut()[0] ^= 1;
    compare::write(&path("one.png"), &picture);
    let failures = failures(folder.path(), false);
    assert_eq!(failures.len(), 1);
    assert!(
        failures[0].contains("1 pixel differs, by 1 of 255"),
        "{failures:?}"
    );
    let diff = compare::read(&path("one.diff.png"));
    assert_eq!((diff.width(), diff.height()), (3 * 16, 20));
    assert_eq!(diff.pixel(32, 0), [AMPLIFIED, 0, 0, 255]);
    assert_eq!(diff.pixel(33, 0), [0, 0, 0, 255]);
}
