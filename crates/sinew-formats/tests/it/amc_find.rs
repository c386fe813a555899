//! Which skeleton a motion belongs to, and reading both from a folder.

use crate::common;
use crate::common::acclaim;
use acclaim::{AMC, ASF, changed};
use sinew_formats::amc::{self, AmcSettings, AsfNotFound, ReadError, find_asf};
use sinew_formats::asf::{self, AsfSettings, Units};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A folder with small files of these names.
fn folder(names: &[&str]) -> TempDir {
    let folder = TempDir::new().unwrap();
    for name in names {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        let text = if name.to_lowercase().ends_with("asf") {
            ASF
        } else {
            AMC
        };
        std::fs::write(path, text).unwrap();
    }
    folder
}

fn missing(folder: &Path, amc: &str) -> AsfNotFound {
    find_asf(&folder.join(amc)).unwrap_err()
}

#[test]
fn no_skeleton_is_an_error_that_lists_the_names_searched() {
    let folder = folder(&["a/07_05-walk.amc"]);
    let amc = folder.path().join("a/07_05-walk.amc");
    let error = missing(folder.path(), "a/07_05-walk.amc");
    let here = folder.path().join("a");
    let names = ["07_05-walk.asf", "07_05.asf", "07.asf", "*.asf"];
    let above = folder.path().to_owned();
    let both = [here, above];
    let expected: Vec<PathBuf> = both
        .iter()
        .flat_map(|folder| names.map(|name| folder.join(name)))
        .collect();
    assert_eq!(error.looked_for, expected);
    assert!(error.candidates.is_empty());
    let text = error.to_string();
    let start = format!("{}: no ASF skeleton found; searched for ", amc.display());
    assert!(text.starts_with(&start), "{text}");
    assert!(text.ends_with("*.asf; name it with --asf FILE"), "{text}");
}

#[test]
fn several_skeletons_without_a_likely_one_are_an_error_that_lists_them() {
    let folder = folder(&["walk.amc", "a.asf", "b.asf"]);
    let error = missing(folder.path(), "walk.amc");
    assert_eq!(
        error.candidates,
        ["a.asf", "b.asf"].map(|name| folder.path().join(name))
    );
    let text = error.to_string();
    assert!(
        text.contains("several ASF skeletons are equally likely: "),
        "{text}"
    );
    assert!(text.ends_with("b.asf; name it with --asf FILE"), "{text}");
}

/// A folder `takes` with more files than are listed, below another.
fn full_folder() -> (TempDir, PathBuf) {
    let folder = folder(&["takes/walk_01.amc"]);
    let takes = folder.path().join("takes");
    for n in 0..10_000 {
        std::fs::write(takes.join(format!("{n}.txt")), "").unwrap();
    }
    (folder, takes)
}

#[test]
fn nothing_is_guessed_in_a_folder_of_too_many_files() {
    let (folder, takes) = full_folder();
    let amc = takes.join("walk_01.amc");
    // Alone, likely, or in the folder above: another that was not seen may be the one.
    for name in ["takes/other.asf", "takes/walk-01.asf", "other.asf"] {
        let path = folder.path().join(name);
        std::fs::write(&path, ASF).unwrap();
        let error = find_asf(&amc).unwrap_err();
        assert_eq!(error.not_all_listed, [takes.as_path()], "{name}");
        let text = error.to_string();
        let expected = format!(
            "; not all of the more than 10000 files were listed in {}; name it with --asf FILE",
            takes.display()
        );
        assert!(text.ends_with(&expected), "{text}");
        std::fs::remove_file(path).unwrap();
    }
}

#[test]
fn a_name_is_found_among_any_number_of_files() {
    let (folder, takes) = full_folder();
    let amc = takes.join("walk_01.amc");
    for name in ["walk.asf", "takes/walk.ASF", "takes/walk_01.asf"] {
        let path = folder.path().join(name);
        std::fs::write(&path, ASF).unwrap();
        same_file(&find_asf(&amc).unwrap(), &path);
    }
}

#[test]
fn an_exact_name_is_preferred_to_other_capitals() {
    let folder = folder(&["walk_01.amc", "Walk_01.asf", "walk.asf"]);
    let found = find_asf(&folder.path().join("walk_01.amc")).unwrap();
    let is_sensitive = !folder.path().join("WALK.ASF").exists();
    let expected = if is_sensitive {
        "walk.asf"
    } else {
        "Walk_01.asf"
    };
    same_file(&found, &folder.path().join(expected));
}

/// Where capitals do not matter to the system, a path may be spelled in several ways.
fn same_file(found: &Path, expected: &Path) {
    let real = |path: &Path| std::fs::canonicalize(path).unwrap();
    assert_eq!(real(found), real(expected));
}

#[test]
fn names_find_their_skeleton() {
    let cases: [(&str, &str, &[&str]); 12] = [
        ("walk.amc", "walk.asf", &["other.asf"]),
        ("WALK.AMC", "walk.ASF", &["other.asf"]),
        ("07_05.amc", "07.asf", &["0.asf", "7.asf", "070.asf"]),
        ("07_05-walk.amc", "07.asf", &["08.asf"]),
        ("07_05-walk.amc", "07_05.asf", &["07.asf"]),
        (
            "HDM_bd_hopBothLegs1hops_001_120.amc",
            "HDM_bd.asf",
            &["HDM_dg.asf", "HDM_mm.asf"],
        ),
        ("hys_box_2.amc", "hys.asf", &["mmk.asf", "wd2.asf"]),
        ("walk_01.amc", "walk.asf", &["run.asf"]),
        (
            "07_01-walk.amc",
            "07-walk.asf",
            &["09-run.asf", "131-dance.asf"],
        ),
        ("charleston1.amc", "charleston.asf", &["lambada.asf"]),
        ("dance.amc", "dancer.asf", &[]),
        ("stickman_jump_01.amc", "Stickman.asf", &["man.asf"]),
    ];
    for (amc, expected, others) in cases {
        let names: Vec<&str> = [amc, expected]
            .into_iter()
            .chain(others.iter().copied())
            .collect();
        let folder = folder(&names);
        let found = find_asf(&folder.path().join(amc)).unwrap();
        same_file(&found, &folder.path().join(expected));
    }
}

#[test]
fn headers_name_their_skeleton() {
    let cases = [
        (":ASF-FILE Justin.asf\n", "Justin.asf"),
        (":asf-file takes/justin\n", "justin.asf"),
        ("#!OML:ASF H:\\Terrain\\May 29\\Justin.ASF\n", "justin.asf"),
        ("#!OML:ASF X:\\f\u{fc}r Bonn\\Justin.ASF\n", "Justin.asf"),
    ];
    for (header, expected) in cases {
        let folder = folder(&[expected, "a.asf", "b.asf"]);
        let path = folder.path().join("take.amc");
        std::fs::write(&path, format!("{header}{AMC}")).unwrap();
        same_file(&find_asf(&path).unwrap(), &folder.path().join(expected));
    }
}

#[test]
fn the_parent_folder_is_searched_last() {
    let folder = folder(&["07.asf", "takes/07_05.amc", "takes/walk.amc"]);
    let expected = folder.path().join("07.asf");
    assert_eq!(
        find_asf(&folder.path().join("takes/07_05.amc")).unwrap(),
        expected
    );
    assert_eq!(
        find_asf(&folder.path().join("takes/walk.amc")).unwrap(),
        expected
    );
    std::fs::write(folder.path().join("takes/x.asf"), ASF).unwrap();
    let nearer = folder.path().join("takes/x.asf");
    assert_eq!(
        find_asf(&folder.path().join("takes/07_05.amc")).unwrap(),
        nearer
    );
}

#[test]
fn errors_name_the_file_they_are_about() {
    let folder = folder(&["walk.amc", "walk.asf"]);
    let amc = folder.path().join("walk.amc");
    let asf = folder.path().join("walk.asf");
    let settings = AmcSettings::default();
    std::fs::write(&amc, changed(AMC, "tibia 71", "tibia x")).unwrap();
    let error = amc::read(&amc, None, &settings).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!(
            "{}: line 10, column 7: expected a number for rx of bone \"tibia\", found \"x\"",
            amc.display()
        )
    );
    std::fs::write(&asf, changed(ASF, "length 7.5", "length x")).unwrap();
    let message = format!(
        "{}: line 19, column 12: expected a number for `length`, found \"x\"",
        asf.display()
    );
    assert_eq!(
        amc::read(&amc, None, &settings).unwrap_err().to_string(),
        message
    );
    let error = asf::read(&asf, &AsfSettings::default(), Units::Raw).unwrap_err();
    assert_eq!(error.to_string(), message);
    let nothing = folder.path().join("nothing.asf");
    let error = amc::read(&amc, Some(&nothing), &settings).unwrap_err();
    assert!(
        matches!(&error, ReadError::File(error) if error.path == nothing),
        "{error}"
    );
    let start = format!("{}: cannot read the file: ", nothing.display());
    assert!(error.to_string().starts_with(&start), "{error}");
}

#[test]
fn a_motion_is_read_with_its_skeleton() {
    let folder = folder(&["walk.asf"]);
    let amc = folder.path().join("walk_01.amc");
    std::fs::write(&amc, changed(AMC, "\n3\n", "\n9\n")).unwrap();
    let motion = amc::read(&amc, None, &AmcSettings::default()).unwrap();
    let animation = &motion.animations[0];
    assert_eq!(animation.name, "walk_01");
    assert_eq!(animation.frame_rate, Some(120.0));
    assert_eq!(animation.length, 2.0 / 120.0);
    let names: Vec<_> = animation
        .tracks
        .iter()
        .map(|track| track.name.as_str())
        .collect();
    assert_eq!(names, ["root", "femur", "tibia"]);
    let metadata = |name: &str| animation.metadata.get(name).cloned();
    assert_eq!(
        metadata("format"),
        Some(sinew::animation::MetaValue::Text("amc".into()))
    );
    assert_eq!(
        metadata("first_frame"),
        Some(sinew::animation::MetaValue::Number(1.0))
    );
    assert_eq!(
        metadata("last_frame"),
        Some(sinew::animation::MetaValue::Number(9.0))
    );
    acclaim::warned(
        &motion.warnings,
        "walk_01.amc, line 11, column 1: 6 frames missing before frame 9; they take no time",
    );
    let still = asf::read(
        folder.path().join("walk.asf"),
        &AsfSettings::default(),
        Units::CmuMetres,
    );
    let still = still.unwrap();
    assert!(still.animations.is_empty());
    assert_eq!(still.skeleton, motion.skeleton);
}

#[test]
#[ignore = "needs SINEW_CORPUS"]
fn motions_of_the_corpus_find_their_skeletons() {
    let expected = [
        ("cmu-cyun9601/02_04.amc", "02.asf"),
        ("cmu-visdoom/07_12-walk.amc", "07-walk.asf"),
        ("cmu-visdoom/131_04-dance.amc", "131-dance.asf"),
        ("cmu-gsimchoni/charleston2.amc", "charleston.asf"),
        ("hdm05/HDM_mm_squat1Reps_037_120.amc", "HDM_mm.asf"),
        ("snu-tilling/mmk_box_2.amc", "mmk.asf"),
        ("physx/stickman_running_01.amc", "stickman.asf"),
        ("seed-clips/run.amc", "skeleton.asf"),
        ("cmu-fzzzz-lf/walk_01.amc", "walk.asf"),
    ];
    let corpus = common::required_corpus();
    for (amc, asf) in expected {
        let amc = corpus.join("asf-amc").join(amc);
        assert_eq!(find_asf(&amc).unwrap(), amc.with_file_name(asf));
    }
    // Three performers, and names that say nothing about which.
    let ambiguous = corpus.join("asf-amc/snu-tilling/walk_straight.amc");
    assert_eq!(find_asf(&ambiguous).unwrap_err().candidates.len(), 3);
    common::say(&format!("amc: {} skeletons found by name", expected.len()));
}
