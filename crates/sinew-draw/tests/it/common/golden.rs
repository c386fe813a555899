//! Pictures as file pairs: `NAME.json` says what to draw, `NAME.png` is what it looks like.
//!
//! Both are found at run time, so a new case is a new file. A picture that differs leaves
//! `NAME.diff.png` behind: expected, drawn, and the difference eight times as strong. `UPDATE_GOLDEN=1`
//! writes what is drawn as what is expected and then fails, so that no run can pass without having
//! compared. Look at what was written before you commit it.

use super::compare;
use sinew::skelform::Image;
use std::collections::BTreeSet;
use std::path::Path;
use std::{env, fs};

/// How much stronger than they are differences are shown.
pub(crate) const AMPLIFIED: u8 = 8;

/// Bytes that a picture may take.
const LARGEST: u64 = 40_000;

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
fn check(
    folder: &Path,
    name: &str,
    update: bool,
    draw: impl Fn(&Path) -> Result<Image, String>,
) -> Result<(), String> {
    let drawn = draw(&folder.join(format!("{name}.json")))?;
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
pub(crate) fn failures(
    folder: &Path,
    update: bool,
    draw: impl Fn(&Path) -> Result<Image, String>,
) -> Vec<String> {
    let cases = names(folder, ".json");
    let mut lines = Vec::new();
    for name in &cases {
        if let Err(problem) = check(folder, name, update, &draw) {
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

pub(crate) fn assert_as_expected(folder: &Path, draw: impl Fn(&Path) -> Result<Image, String>) {
    let update = env::var_os("UPDATE_GOLDEN").is_some();
    let cases = names(folder, ".json").len();
    assert!(cases > 0, "there are no cases in {}", folder.display());
    let failures = failures(folder, update, draw);
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

pub(crate) fn assert_small(folder: &Path) {
    for name in names(folder, ".png") {
        let size = fs::metadata(folder.join(format!("{name}.png")))
            .unwrap()
            .len();
        assert!(size < LARGEST, "{name}.png takes {size} bytes");
    }
}
