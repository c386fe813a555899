//! Animations of files of any format, with a skeleton or without.

use sinew_formats::{
    Format, MotionReadError, MotionSettings, detect_file, json, read_animations, read_motion,
};
use std::path::{Path, PathBuf};

const DOOR_XML: &str = "<animation length='1'><variant name='@/X' type='Float'><keyframe time='0' value='1'/></variant></animation>";
const DOOR_JSON: &str =
    r#"{"format": "sinew-motion", "version": 2, "animations": [{"name": "a"}, {"name": "b"}]}"#;

fn sample(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../samples/motion")
        .join(name)
}

fn walk() -> PathBuf {
    let folder = std::fs::read_dir(sample("")).unwrap();
    let mut files: Vec<_> = folder.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let is_bvh = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "bvh");
    files.into_iter().find(is_bvh).unwrap()
}

#[test]
fn files_that_cannot_be_read_are_errors_with_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    let usual = MotionSettings::default();
    for (text, expected) in [
        (
            "hello",
            "expected a motion file (ASF, AMC, BVH, glTF, GLB, Sinew JSON, XML or .sinew), found \"hello\"",
        ),
        (
            "<scene/>",
            "expected a motion file (ASF, AMC, BVH, glTF, GLB, Sinew JSON, XML or .sinew), found XML whose first element is \"scene\"",
        ),
        (
            "<animation />",
            "line 1, column 1, animation: expected a length in seconds, found none",
        ),
        (
            "{\"format\": \"sinew-motion\"}",
            "version: expected 2, found none",
        ),
    ] {
        let path = folder.path().join("file");
        std::fs::write(&path, text).unwrap();
        for error in [
            read_animations(&path, &usual).unwrap_err(),
            read_motion(&path, &usual).unwrap_err(),
        ] {
            let error = error.to_string();
            assert!(error.ends_with(expected), "{error}");
            assert!(error.starts_with(&path.display().to_string()), "{error}");
        }
    }
    assert!(read_animations(folder.path().join("none"), &usual).is_err());
}

#[test]
fn files_without_a_skeleton_give_animations_and_no_motion() {
    let folder = tempfile::tempdir().unwrap();
    let usual = MotionSettings::default();
    for (name, text, format, names, hint) in [
        (
            "door.xml",
            DOOR_XML,
            Format::Xml,
            &["door"][..],
            "(--skeleton FILE)",
        ),
        (
            "door.json",
            DOOR_JSON,
            Format::Json,
            &["a", "b"],
            "(--skeleton FILE), or add \"joints\" to it",
        ),
    ] {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        assert_eq!(detect_file(&path).unwrap(), Some(format));
        let (animations, warnings) = read_animations(&path, &usual).unwrap();
        assert!(warnings.is_empty());
        let found: Vec<_> = animations
            .iter()
            .map(|animation| animation.name.as_str())
            .collect();
        assert_eq!(found, names);
        let error = read_motion(&path, &usual).unwrap_err();
        assert!(
            matches!(error, MotionReadError::NoSkeleton { .. }),
            "{error}"
        );
        let expected = format!(
            "{}: it holds animations without a skeleton, in {} form; play them on the skeleton of \
             another file {hint}, or on a character by a script of `sinew play`",
            path.display(),
            format.name()
        );
        assert_eq!(error.to_string(), expected);
    }
}

#[test]
fn files_with_a_skeleton_give_both() {
    let folder = tempfile::tempdir().unwrap();
    let usual = MotionSettings::default();
    let motion = read_motion(walk(), &usual).unwrap();
    let path = folder.path().join("walk.json");
    json::write(&path, &motion.skeleton, &motion.animations).unwrap();
    let again = read_motion(&path, &usual).unwrap();
    assert_eq!(again.skeleton, motion.skeleton);
    assert_eq!(again.animations, motion.animations);
    for path in [path, walk()] {
        assert_eq!(read_animations(&path, &usual).unwrap().0, motion.animations);
        let z_up = MotionSettings {
            z_up: true,
            ..MotionSettings::default()
        };
        let turned = read_motion(&path, &z_up).unwrap().animations;
        assert_ne!(turned, motion.animations);
        assert_eq!(read_animations(&path, &z_up).unwrap().0, turned);
    }
}
