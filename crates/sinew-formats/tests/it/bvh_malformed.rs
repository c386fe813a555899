//! What is no BVH file, or a broken one: the error says what, where, and what should be there.

use crate::bvh_common;
use bvh_common::{GOOD, LENIENT, STRICT, changed, lenient, strict};
use sinew_formats::bvh::{BvhSettings, read, read_bytes};
use sinew_formats::{MotionError, Rule};
use std::fmt::Write;

/// The change to the good file, the rule it breaks, and the error; lenient or not.
fn is_refused(from: &str, to: &str, rule: Rule, message: &str) {
    let text = changed(from, to);
    for result in [strict(&text), lenient(&text)] {
        let error = result.unwrap_err();
        assert_eq!(error.to_string(), message, "{from:?} -> {to:?}");
        assert_eq!(error.rule, rule, "{from:?} -> {to:?}");
    }
}

#[test]
fn files_of_other_kinds_are_refused() {
    for (bytes, rule, message) in [
        (
            &b""[..],
            Rule::EmptyFile,
            "line 1, column 1: expected HIERARCHY, found the end of the file",
        ),
        (
            b"\xef\xbb\xbf\r\n# nothing\r\n \t",
            Rule::EmptyFile,
            "line 3, column 3: expected HIERARCHY, found the end of the file",
        ),
        (
            b":version 1.10",
            Rule::NotThisFormat,
            "line 1, column 1: expected HIERARCHY, found \":version\"",
        ),
        (
            b"\x89PNG\r\n\x1a\n\0\0",
            Rule::NotThisFormat,
            "line 1, column 1: expected HIERARCHY, found \"\u{fffd}PNG\"",
        ),
        (
            b"HIERARCHY",
            Rule::MissingSection,
            "line 1, column 10: expected ROOT, found the end of the file",
        ),
        (
            b"HIERARCHY\nMOTION\nFrames: 0",
            Rule::MissingSection,
            "line 2, column 1: expected ROOT, found \"MOTION\"",
        ),
        (
            b"HIERARCHY\nROOT",
            Rule::MissingField,
            "line 2, column 5: expected a name, found the end of the file",
        ),
    ] {
        let error = read_bytes(bytes, &STRICT).unwrap_err();
        assert_eq!((error.to_string().as_str(), error.rule), (message, rule));
        assert_eq!(read_bytes(bytes, &LENIENT).unwrap_err(), error);
    }
}

#[test]
fn braces_must_match() {
    is_refused(
        "  }\n}\n",
        "  }\n",
        Rule::BadStructure,
        "line 15, column 1: expected \"}\" for joint \"Hips\" of line 2, found \"MOTION\"",
    );
    is_refused(
        "  }\n}\n",
        "  }\n}\n}\n",
        Rule::BadStructure,
        "line 16, column 1: expected ROOT or MOTION, found \"}\"",
    );
    is_refused(
        "Chest\n  {",
        "Chest\n",
        Rule::BadStructure,
        "line 8, column 5: expected \"{\", found \"OFFSET\"",
    );
    is_refused(
        "      OFFSET 0 40 0\n    }",
        "      OFFSET 0 40 0\n",
        Rule::BadStructure,
        "line 16, column 1: expected \"}\" for joint \"Hips\" of line 2, found \"MOTION\"",
    );
    is_refused(
        "OFFSET 0 40 0\n",
        "OFFSET 0 40 0 0\n",
        Rule::BadStructure,
        "line 12, column 21: expected \"}\" after the OFFSET of an End Site, found \"0\"",
    );
}

#[test]
fn words_in_the_wrong_place_are_refused() {
    is_refused(
        "  JOINT",
        "  BONE",
        Rule::BadStructure,
        "line 6, column 3: expected OFFSET, CHANNELS, JOINT, End Site or \"}\", found \"BONE\"",
    );
    is_refused(
        "End Site",
        "End",
        Rule::BadStructure,
        "line 11, column 5: expected Site after End, found \"{\"",
    );
    is_refused(
        "OFFSET 0 50 0",
        "OFFSET 0 50 0 9",
        Rule::BadStructure,
        "line 8, column 19: expected OFFSET, CHANNELS, JOINT, End Site or \"}\", found \"9\"",
    );
    is_refused(
        "JOINT Chest",
        "JOINT",
        Rule::MissingField,
        "line 7, column 3: expected a name, found \"{\"",
    );
    is_refused(
        "    End Site",
        "    End Site {OFFSET 0 0 0} CHANNELS 0 JOINT a {OFFSET 0 0 0} CHANNELS 0 End Site",
        Rule::DuplicateSection,
        "line 10, column 29: expected one CHANNELS for each joint, found a second",
    );
    is_refused(
        "    CHANNELS 3 Zrotation Xrotation Yrotation\n",
        "    JOINT a {OFFSET 0 0 0} CHANNELS 0\n",
        Rule::BadStructure,
        "line 9, column 28: expected CHANNELS before the joint's children, found it after one",
    );
}

#[test]
fn a_joint_and_an_end_site_have_one_offset_of_three_numbers() {
    is_refused(
        "    OFFSET 0 50 0\n",
        "",
        Rule::MissingField,
        "line 13, column 3: expected an OFFSET in joint \"Chest\" of line 6, found none",
    );
    is_refused(
        "      OFFSET 0 40 0\n",
        "",
        Rule::MissingField,
        "line 12, column 5: expected the OFFSET of an End Site, found \"}\"",
    );
    is_refused(
        "OFFSET 0 50 0",
        "OFFSET 0 50 0 OFFSET 0 50 0",
        Rule::DuplicateSection,
        "line 8, column 19: expected one OFFSET for each joint, found a second",
    );
    is_refused(
        "OFFSET 0 50 0",
        "OFFSET 0 50",
        Rule::ExpectedNumber,
        "line 9, column 5: expected a number of an OFFSET, found \"CHANNELS\"",
    );
    is_refused(
        "OFFSET 0 50 0",
        "OFFSET 0 -l80 0",
        Rule::ExpectedNumber,
        "line 8, column 14: expected a number of an OFFSET, found \"-l80\"",
    );
    for infinite in ["nan", "-1.#IND", "1e999"] {
        is_refused(
            "OFFSET 0 50 0",
            &format!("OFFSET 0 {infinite} 0"),
            Rule::NonFinite,
            &format!("line 8, column 14: expected a number of an OFFSET, found \"{infinite}\""),
        );
    }
}

#[test]
fn channels_must_be_known_distinct_and_as_many_as_stated() {
    is_refused(
        "Zrotation Xrotation",
        "Zrotation Wrotation",
        Rule::BadDof,
        "line 5, column 54: expected a channel (Xposition, …, Zrotation), found \"Wrotation\"",
    );
    is_refused(
        "CHANNELS 3 Zrotation Xrotation Yrotation",
        "CHANNELS 3 Zrotation Xrotation Zrotation",
        Rule::BadDof,
        "line 9, column 36: expected each channel once, found \"Zrotation\" again",
    );
    is_refused(
        "CHANNELS 3",
        "CHANNELS 4",
        Rule::TooFewValues,
        "line 10, column 5: expected 4 channels, found 3, then \"End\"",
    );
    is_refused(
        "CHANNELS 3",
        "CHANNELS 2",
        Rule::TooManyValues,
        "line 9, column 36: expected as many channels as CHANNELS states, found one more, \"Yrotation\"",
    );
    for count in ["7", "-1", "2.5", "1e9"] {
        is_refused(
            "CHANNELS 3",
            &format!("CHANNELS {count}"),
            Rule::BadDof,
            &format!("line 9, column 14: expected 0 to 6 channels, found \"{count}\""),
        );
    }
    is_refused(
        "CHANNELS 3",
        "CHANNELS",
        Rule::ExpectedNumber,
        "line 9, column 14: expected the number of channels, found \"Zrotation\"",
    );
}

#[test]
fn motion_begins_with_a_number_of_frames_and_a_time() {
    let head = GOOD.split("MOTION").next().unwrap();
    for (text, message) in [
        (
            head.to_owned(),
            "line 16, column 1: expected MOTION, found the end of the file",
        ),
        (
            format!("{head}MOTION"),
            "line 16, column 7: expected Frames: or Frame Time:, found the end of the file",
        ),
        (
            format!("{head}MOTION\nFrames: 2\n"),
            "line 18, column 1: expected Frame Time:, found the end of the file",
        ),
        (
            format!("{head}MOTION\nFrame Time: 0.1\n0 0"),
            "line 18, column 1: expected Frames:, found \"0\"",
        ),
        (
            format!("{head}MOTION\nFrames: 1\nFrames: 1\n"),
            "line 18, column 1: expected Frame Time:, found \"Frames:\"",
        ),
        (
            format!("{head}MOTION\nFrames: 1\nFrame Rate: 1\n"),
            "line 18, column 1: expected Frame Time:, found \"Frame\"",
        ),
        (
            format!("{head}MOTION\nFrames: 1\nFrame Time:"),
            "line 18, column 12: expected the seconds of a frame, found the end of the file",
        ),
    ] {
        assert_eq!(strict(&text).unwrap_err().to_string(), message);
        assert_eq!(lenient(&text).unwrap_err().to_string(), message);
    }
    for count in ["-1", "1.5", "1e300"] {
        is_refused(
            "Frames: 2",
            &format!("Frames: {count}"),
            Rule::BadFrameNumber,
            &format!("line 17, column 9: expected a number of frames, found \"{count}\""),
        );
    }
    is_refused(
        "Frames: 2",
        "Frames: two",
        Rule::ExpectedNumber,
        "line 17, column 9: expected a number of frames, found \"two\"",
    );
}

#[test]
fn an_invalid_frame_time_is_refused_unless_the_settings_have_a_rate() {
    for time in ["0", "-0.03", "0.0", "1e-9", "1e9"] {
        let message = format!(
            "line 18, column 13: expected seconds of a frame, from 0.000001 to 86400, found \"{time}\""
        );
        is_refused("0.0333333", time, Rule::BadFrameTime, &message);
        let text = changed("0.0333333", time);
        let settings = BvhSettings {
            frame_rate: Some(50.0),
            ..STRICT
        };
        let bvh = read_bytes(text.as_bytes(), &settings).unwrap();
        let warning = bvh.warnings.list().first().unwrap().to_string();
        let expected = "s is not a valid frame time, 50 fps is used";
        assert_eq!(warning, format!("MOTION, Frame Time: {time} {expected}"));
        let file = bvh.into_motion(&settings).unwrap();
        assert_eq!(file.animations[0].frame_rate, Some(50.0));
        assert_eq!(file.animations[0].length, 0.02);
    }
    let infinite = "line 18, column 13: expected the seconds of a frame, found \"inf\"";
    is_refused("0.0333333", "inf", Rule::NonFinite, infinite);
}

#[test]
fn rows_hold_nothing_but_finite_numbers() {
    is_refused(
        "10 20 30 5",
        "10 20 ten 5",
        Rule::ExpectedNumber,
        "line 19, column 14: expected a number, found \"ten\"",
    );
    is_refused(
        "0 90 2",
        "0 90 \u{1b}[31m",
        Rule::ExpectedNumber,
        "line 19, column 6: expected a number, found \"\\u{1b}[31m\"",
    );
    is_refused(
        "0 90 2",
        "0 90 2}",
        Rule::ExpectedNumber,
        "line 19, column 6: expected a number, found \"2\"",
    );
    is_refused(
        "10 20 30 5",
        "10 nan 30 5",
        Rule::NonFinite,
        "line 19, column 11: expected a number, found \"nan\"",
    );
}

#[test]
fn missing_rows_are_refused_or_the_motion_is_shortened() {
    for (text, rule, message, frames, warning) in [
        (
            changed("Frames: 2", "Frames: 3"),
            Rule::TooFewValues,
            "line 20: expected 3 frames of 9 numbers, found 2 frames",
            2,
            "MOTION, Frames: 3 frames of 9 numbers due, found 2 frames; the motion ends there",
        ),
        (
            changed("Frames: 2", "Frames: 4294967295"),
            Rule::TooFewValues,
            "line 20: expected 4294967295 frames of 9 numbers, found 2 frames",
            2,
            "MOTION, Frames: 4294967295 frames of 9 numbers due, found 2 frames; the motion ends there",
        ),
        (
            changed("1 91 3 11 21 31 8 9 10.5", "1 91 3 11"),
            Rule::ValueCount,
            "line 20: expected 9 numbers in each row, found 4 in this line",
            1,
            "line 20: 9 numbers due, 4 in this line; the motion ends after 1 of 2 frames",
        ),
        (
            changed(
                "10 20 30 5 6 7\n1 91 3 11 21",
                "\n10 20 30 5 6\n7 1 91 3 11",
            ),
            Rule::TruncatedFrame,
            "line 21: expected 2 frames of 9 numbers, found 1 frame and 8 numbers",
            1,
            "MOTION, Frames: 2 frames of 9 numbers due, found 1 frame and 8 numbers; the motion ends there",
        ),
    ] {
        let error = strict(&text).unwrap_err();
        assert_eq!((error.to_string().as_str(), error.rule), (message, rule));
        let bvh = lenient(&text).unwrap();
        assert_eq!(bvh.frame_count(), frames);
        assert_eq!(bvh.channel(8)[0], 7.0);
        assert_eq!(bvh.warnings.list()[0].to_string(), warning);
    }
}

#[test]
fn a_short_row_does_not_shift_the_rows_after_it() {
    let mut text = changed("Frames: 2", "Frames: 5");
    text.push_str("2 92\n3 93 5 13 23 33 1 1 1\n4 94 5 13 23 33 1 1 1\n");
    let message = "line 21: expected 9 numbers in each row, found 2 in this line";
    assert_eq!(strict(&text).unwrap_err().to_string(), message);
    let bvh = lenient(&text).unwrap();
    assert_eq!(bvh.frame_count(), 2);
    assert_eq!(bvh.channel(1), [90.0, 91.0]);
}

#[test]
fn a_motion_without_rows_is_a_skeleton_when_lenient() {
    let text = GOOD.split("0 90").next().unwrap();
    let message = "line 18: expected 2 frames of 9 numbers, found 0 frames";
    assert_eq!(strict(text).unwrap_err().to_string(), message);
    let file = lenient(text).unwrap().into_motion(&LENIENT).unwrap();
    assert!(file.animations.is_empty());
    assert_eq!(file.skeleton.len(), 2);
}

#[test]
fn too_many_and_too_deep_joints_are_refused() {
    let mut deep = String::from("HIERARCHY ROOT a { OFFSET 0 0 0 ");
    let mut wide = deep.clone();
    let mut ends = deep.clone();
    for index in 1..5000 {
        write!(deep, "\nJOINT j{index} {{ OFFSET 0 0 0 ").unwrap();
        write!(wide, "\nJOINT j{index} {{ OFFSET 0 0 0 }} ").unwrap();
        write!(ends, "\nEnd Site {{ OFFSET 0 0 0 }} ").unwrap();
    }
    let error = strict(&deep).unwrap_err();
    let message = "line 1025, column 1: expected joints at most 1024 deep, found one deeper";
    assert_eq!(
        (error.to_string().as_str(), error.rule),
        (message, Rule::TooLarge)
    );
    for (text, line) in [(wide, 4097), (ends, 4098)] {
        let error = strict(&text).unwrap_err();
        let message = format!(
            "line {line}, column 1: expected at most 4096 joints, with end sites beyond one for each, \
             found one more"
        );
        assert_eq!(
            (error.to_string().as_str(), error.rule),
            (message.as_str(), Rule::TooLarge)
        );
    }
    let name = "n".repeat(5000);
    let error = strict(&changed("Chest", &name)).unwrap_err();
    let message =
        "line 6, column 9: expected a name of at most 4096 bytes, found one of 5000 bytes";
    assert_eq!(error.to_string(), message);
}

#[test]
fn settings_and_numbers_beyond_range_are_refused() {
    for scale in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let settings = BvhSettings { scale, ..STRICT };
        let error = strict(GOOD).unwrap().into_motion(&settings).unwrap_err();
        assert!(matches!(error, MotionError::Text(_)), "{error}");
    }
    for frame_rate in [0.0, -1.0, f64::NAN] {
        let settings = BvhSettings {
            frame_rate: Some(frame_rate),
            ..STRICT
        };
        let error = strict(GOOD).unwrap().into_motion(&settings).unwrap_err();
        assert!(matches!(error, MotionError::Animation(_)), "{error}");
    }
    let far = strict(&changed("OFFSET 0 50 0", "OFFSET 0 1e60 0")).unwrap();
    let error = far.into_motion(&STRICT).unwrap_err();
    assert!(matches!(error, MotionError::Skeleton(_)), "{error}");
    let far = strict(&changed("0 90 2", "0 1e60 2")).unwrap();
    let error = far.into_motion(&STRICT).unwrap_err();
    assert!(matches!(error, MotionError::Animation(_)), "{error}");
}

#[test]
fn errors_of_files_name_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("walk.bvh");
    let error = read(&path, &STRICT).unwrap_err();
    assert!(matches!(error.source, MotionError::Io(_)));
    std::fs::write(&path, changed("Chest\n  {", "Chest\n")).unwrap();
    let error = read(&path, &STRICT).unwrap_err().to_string();
    let tail = "walk.bvh: line 8, column 5: expected \"{\", found \"OFFSET\"";
    assert!(error.ends_with(tail), "{error}");
    std::fs::write(&path, GOOD).unwrap();
    assert_eq!(read(&path, &STRICT).unwrap().animations[0].name, "walk");
}
