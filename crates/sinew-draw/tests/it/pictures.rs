//! Pictures of the built-in character, byte for byte as they were when somebody last looked at them.
//!
//! `pictures/NAME.json` says what to draw, `pictures/NAME.png` is what it looks like; both are found
//! at run time, so a new case is a new file. A picture that differs leaves `NAME.diff.png` behind:
//! expected, drawn, and the difference eight times as strong. `UPDATE_GOLDEN=1` writes what is drawn
//! as what is expected and then fails, so that no run can pass without having compared. Look at what
//! was written before you commit it.
//!
//! There is no tolerance: drawing uses whole numbers and `libm`, so other bits are another picture.

use crate::common::case;
use crate::common::compare;
use crate::common::golden;
use case::Case;
use golden::AMPLIFIED;
use std::fs;
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("pictures")
}

/// Every case of a folder that is not as expected, a line each.
fn failures(folder: &Path, update: bool) -> Vec<String> {
    golden::failures(folder, update, |path| Ok(Case::read(path)?.draw()))
}

#[test]
fn every_picture_is_as_expected() {
    golden::assert_as_expected(&folder(), |path| Ok(Case::read(path)?.draw()));
}

#[test]
fn expected_pictures_are_small_enough_to_keep() {
    golden::assert_small(&folder());
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
