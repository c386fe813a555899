//! Every fault that a motion file can have: what a strict reader says, and what a lenient one does.

use crate::common;
use crate::common::acclaim;
use acclaim::Lenient::{self, Error, Warns};
use acclaim::{AMC, ASF, changed, read_amc, read_asf, warned};
use sinew_formats::amc::{self, Amc, AmcSettings, FrameRun, GapPolicy, RateSource};
use sinew_formats::asf::{AngleUnit, Asf, Dof};
use sinew_formats::limits::{MAX_HELD_VALUES, MAX_LINE_BYTES};
use sinew_formats::{Rule, TextError};

fn asf() -> Asf {
    read_asf(ASF.as_bytes(), false).unwrap()
}

fn refused(text: &str, rule: Rule, message: &str, lenient: &Lenient) {
    let asf = asf();
    let read = |bytes: &[u8], lenient| read_amc(bytes, &asf, lenient);
    acclaim::refused(text, read, |amc| &amc.warnings, rule, message, lenient);
}

fn change_refused(from: &str, to: &str, rule: Rule, message: &str, lenient: &Lenient) {
    refused(&changed(AMC, from, to), rule, message, lenient);
}

/// What both readers give, which is the same.
fn read(text: &str) -> Amc {
    let strict = read_amc(text.as_bytes(), &asf(), false).unwrap();
    assert_eq!(strict, read_amc(text.as_bytes(), &asf(), true).unwrap());
    strict
}

fn tibia(amc: &Amc) -> &[f64] {
    amc.channel(Some(1), Dof::Rx).unwrap()
}

#[test]
fn the_small_motion_is_sound() {
    let amc = read(AMC);
    assert!(amc.warnings.is_empty());
    assert_eq!(amc.frame_count(), 3);
    assert_eq!(tibia(&amc), [70.0, 71.0, 72.0]);
    assert_eq!(amc.channel(None, Dof::Tz).unwrap(), [3.0, 4.0, 5.0]);
    assert_eq!(amc.channel(Some(0), Dof::Rz).unwrap(), [60.0, 61.0, 62.0]);
    assert_eq!(amc.channel(Some(2), Dof::Rx), None);
    assert_eq!(
        (amc.frame_rate, amc.rate_source),
        (120.0, RateSource::Default)
    );
}

#[test]
fn files_of_other_kinds_are_refused_at_their_first_word() {
    refused(
        "",
        Rule::EmptyFile,
        "line 1: expected an AMC motion with at least one frame, found nothing",
        &Error,
    );
    refused(
        "# x\n:FULLY-SPECIFIED\n:DEGREES\n",
        Rule::EmptyFile,
        "line 1: expected an AMC motion with at least one frame, found no frame",
        &Error,
    );
    refused(
        "# x\n  HIERARCHY\n",
        Rule::NotThisFormat,
        "line 2, column 3: expected `:FULLY-SPECIFIED` of an AMC motion, or the number of a frame, found \"HIERARCHY\"",
        &Error,
    );
    refused(
        ASF,
        Rule::NotThisFormat,
        "line 1, column 1: expected `:FULLY-SPECIFIED` of an AMC motion, found \":version\", which begins an ASF skeleton",
        &Error,
    );
    change_refused(
        ":FULLY-SPECIFIED",
        ":PARTLY-SPECIFIED",
        Rule::UnsupportedFormat,
        "line 1, column 1: expected `:FULLY-SPECIFIED`, the one form of motion that is supported, found \":PARTLY-SPECIFIED\"",
        &Error,
    );
    change_refused(
        "\n1\n",
        "\n",
        Rule::DataBeforeFrame,
        "line 3, column 1: expected the number of a frame before the first bone, found \"root\"",
        &Error,
    );
}

#[test]
fn headers_are_read() {
    let amc = read(&changed(AMC, ":FULLY-SPECIFIED\n", ""));
    warned(
        &amc.warnings,
        "line 2: no `:FULLY-SPECIFIED` before the first frame; read as if it were there",
    );
    let header = ":fully-specified\n:samples-per-second 30\n:ASF-FILE a b.asf\n";
    let amc = read(&changed(AMC, ":FULLY-SPECIFIED\n", header));
    assert_eq!((amc.frame_rate, amc.rate_source), (30.0, RateSource::File));
    assert_eq!(
        amc.metadata,
        [("asf-file".to_owned(), "a b.asf".to_owned())]
    );
    for (rate, rule, message) in [
        (
            "fast",
            Rule::ExpectedNumber,
            "line 2, column 21: expected a number for the frames per second, found \"fast\"",
        ),
        (
            "0",
            Rule::BadFrameTime,
            "line 2, column 21: expected between 0.001 and 1000000 frames per second, found \"0\"",
        ),
        (
            "",
            Rule::TooFewValues,
            "line 2, column 1: expected 1 value after \":SAMPLES-PER-SECOND\", found none",
        ),
    ] {
        let text = format!(":SAMPLES-PER-SECOND {rate}\n:DEGREES");
        change_refused(":DEGREES", &text, rule, message, &Error);
    }
    change_refused(
        "\n2\n",
        "\n:DEGREES\n2\n",
        Rule::BadStructure,
        "line 7, column 1: expected a bone or the number of a frame, found \":DEGREES\", which must precede the frames",
        &Warns(
            "line 7, column 1: expected a bone or the number of a frame, found \":DEGREES\", which must precede the frames; ignored",
        ),
    );
}

#[test]
fn a_valid_frame_rate_of_the_caller_overrides_the_file() {
    let read = |frame_rate: f64| {
        let settings = AmcSettings {
            frame_rate: Some(frame_rate),
            ..AmcSettings::default()
        };
        amc::read_bytes(AMC.as_bytes(), &asf(), &settings).unwrap()
    };
    let amc = read(60.0);
    assert_eq!(
        (amc.frame_rate, amc.rate_source),
        (60.0, RateSource::Caller)
    );
    let amc = read(f64::NAN);
    assert_eq!(
        (amc.frame_rate, amc.rate_source),
        (120.0, RateSource::Default)
    );
    warned(
        &amc.warnings,
        "line 3: NaN frames per second were requested, which is out of range",
    );
}

#[test]
fn units_of_angles_are_distinguished() {
    let amc = read(&changed(AMC, ":DEGREES", ":RADIANS"));
    assert_eq!(amc.angle, AngleUnit::Radians);
    warned(
        &amc.warnings,
        "line 2: angles in radians, but the skeleton's are in degrees; radians are used",
    );
    warned(
        &amc.warnings,
        "line 2: angles of the motion reach 72.00 radians; they may be degrees",
    );
    let small = AMC.replace(" 10 20 30", " 0.1 0.2 0.3");
    let small = small
        .replace("femur 4", "femur ")
        .replace(" 5", " 1.")
        .replace(" 6", " 2.");
    let small = small.replace("tibia 7", "tibia 1.");
    let amc = read(&small);
    warned(
        &amc.warnings,
        "line 2: no angle of the motion is above 2.20 degrees; they may be radians",
    );
    change_refused(
        ":DEGREES",
        ":DEGREES\n:RADIANS",
        Rule::BadUnit,
        "line 3, column 1: expected one unit of angles; degrees are set above, found \":RADIANS\"",
        &Warns(
            "line 3, column 1: expected one unit of angles; degrees are set above, found \":RADIANS\"; the first one is used",
        ),
    );
    let asf = read_asf(changed(ASF, "angle deg", "angle rad").as_bytes(), false).unwrap();
    let text = changed(AMC, ":DEGREES\n", "");
    let amc = read_amc(text.as_bytes(), &asf, false).unwrap();
    assert_eq!(amc.angle, AngleUnit::Radians);
}

#[test]
fn frame_numbers_must_increase() {
    for number in ["-2", "2.5", "99999999999", "+2"] {
        change_refused(
            "\n2\n",
            &format!("\n{number}\n"),
            Rule::BadFrameNumber,
            &format!(
                "line 7, column 1: expected the number of a frame, 0 to 4294967295, found \"{number}\""
            ),
            &Error,
        );
    }
    change_refused(
        "\n2\n",
        "\n2 x\n",
        Rule::BadFrameNumber,
        "line 7, column 3: expected the number of a frame, alone in its line, found \"x\" after \"2\"",
        &Error,
    );
    for (number, before) in [("3", "2"), ("2", "1")] {
        let to = format!("\n{before}\n");
        let from = format!("\n{number}\n");
        let line = if number == "3" { 11 } else { 7 };
        change_refused(
            &from,
            &to,
            Rule::BadFrameNumber,
            &format!(
                "line {line}, column 1: expected a frame number above {before}, found {before}"
            ),
            &Warns(if number == "3" {
                "line 11, column 1: expected a frame number above 2, found 2; frames are kept in the file's order"
            } else {
                "line 7, column 1: expected a frame number above 1, found 1; frames are kept in the file's order"
            }),
        );
    }
    let text = changed(AMC, "\n2\n", "\n0\n");
    let amc = read_amc(text.as_bytes(), &asf(), true).unwrap();
    assert_eq!(amc.frame_numbers().collect::<Vec<_>>(), [1, 0, 3]);
    assert_eq!(tibia(&amc), [70.0, 71.0, 72.0]);
}

#[test]
fn a_lone_number_is_a_frame_even_if_a_bone_has_that_name() {
    let asf = ASF.replace("tibia", "2");
    let asf = read_asf(asf.as_bytes(), false).unwrap();
    let amc = read_amc(AMC.replace("tibia", "2").as_bytes(), &asf, false).unwrap();
    assert_eq!(tibia(&amc), [70.0, 71.0, 72.0]);
}

#[test]
fn gaps_are_closed_filled_or_refused() {
    let text = changed(AMC, "\n3\n", "\n6\n");
    let read = |gaps| {
        let settings = AmcSettings {
            gaps,
            ..AmcSettings::default()
        };
        amc::read_bytes(text.as_bytes(), &asf(), &settings)
    };
    let error: TextError = read(GapPolicy::Error).unwrap_err();
    assert_eq!(error.rule, Rule::FrameGap);
    assert_eq!(
        error.to_string(),
        "line 11, column 1: expected frame 3, found frame 6: 3 frames missing"
    );
    let run = |first, count| FrameRun { first, count };
    let amc = read(GapPolicy::Compact).unwrap();
    assert_eq!(tibia(&amc), [70.0, 71.0, 72.0]);
    assert_eq!(amc.frames, [run(1, 2), run(6, 1)]);
    warned(
        &amc.warnings,
        "line 11, column 1: 3 frames missing before frame 6; they take no time",
    );
    let amc = read(GapPolicy::HoldLast).unwrap();
    assert_eq!(tibia(&amc), [70.0, 71.0, 71.0, 71.0, 71.0, 72.0]);
    assert_eq!(amc.frames, [run(1, 6)]);
    warned(
        &amc.warnings,
        "line 11, column 1: 3 frames missing before frame 6; filled with the previous frame",
    );
    let amc = read(GapPolicy::Interpolate).unwrap();
    assert_eq!(tibia(&amc), [70.0, 71.0, 71.25, 71.5, 71.75, 72.0]);
    warned(
        &amc.warnings,
        "line 11, column 1: 3 frames missing before frame 6; interpolated",
    );
}

#[test]
fn bones_of_a_motion_must_be_in_the_skeleton() {
    change_refused(
        "femur 41",
        "fibula 41",
        Rule::UnknownBone,
        "line 9, column 1: expected a bone of the skeleton, found \"fibula\"",
        &Warns(
            "line 9, column 1: expected a bone of the skeleton, found \"fibula\"; ignored in all frames",
        ),
    );
    let twice = AMC.replace("tibia 7", "foot 1\ntibia 7");
    refused(
        &twice,
        Rule::UnexpectedBone,
        "line 6, column 1: expected a bone that moves, found \"foot\", which has no `dof` in the skeleton",
        &Warns(
            "line 6, column 1: expected a bone that moves, found \"foot\", which has no `dof` in the skeleton; ignored in all frames",
        ),
    );
    change_refused(
        "tibia 71",
        "femur 1 2 3\ntibia 71",
        Rule::DuplicateBoneInFrame,
        "line 10, column 1: expected each bone once in a frame, found \"femur\" again",
        &Error,
    );
    change_refused(
        "tibia 71\n",
        "",
        Rule::MissingBoneInFrame,
        "line 7: expected 3 bones in frame 2, found 2: without \"tibia\"",
        &Warns(
            "line 7: expected bone \"tibia\" in frame 2, found none; its last pose is held wherever it is missing",
        ),
    );
    let held = changed(AMC, "tibia 71\n", "");
    let amc = read_amc(held.as_bytes(), &asf(), true).unwrap();
    assert_eq!(tibia(&amc), [70.0, 70.0, 72.0]);
    let held = changed(AMC, "tibia 70\n", "");
    let amc = read_amc(held.as_bytes(), &asf(), true).unwrap();
    assert_eq!(tibia(&amc), [0.0, 71.0, 72.0]);
}

#[test]
fn values_must_be_numbers_and_as_many_as_degrees_of_freedom() {
    change_refused(
        "femur 41 51 61",
        "femur 41 51",
        Rule::ValueCount,
        "line 9, column 1: expected 3 values (rx ry rz) for bone \"femur\", found 2",
        &Error,
    );
    change_refused(
        "tibia 71",
        "tibia 71 0 0",
        Rule::ValueCount,
        "line 10, column 10: expected 1 value (rx) for bone \"tibia\", found 3",
        &Error,
    );
    change_refused(
        "femur 41 51 61",
        "femur 41 abc 61",
        Rule::ExpectedNumber,
        "line 9, column 10: expected a number for ry of bone \"femur\", found \"abc\"",
        &Error,
    );
    for value in ["nan", "-inf", "1.#QNAN", "1e999"] {
        change_refused(
            "femur 41 51 61",
            &format!("femur 41 {value} 61"),
            Rule::NonFinite,
            &format!(
                "line 9, column 10: expected a finite number for ry of bone \"femur\", found \"{value}\""
            ),
            &Error,
        );
    }
}

#[test]
fn a_file_that_is_cut_off_loses_its_last_frame() {
    change_refused(
        "femur 42 52 62\ntibia 72\n",
        "",
        Rule::TruncatedFrame,
        "line 11: expected 3 bones in frame 3, found 1, where the file ends: without \"femur\", \"tibia\"",
        &Warns(
            "line 11: expected 3 bones in frame 3, found 1, where the file ends: without \"femur\", \"tibia\"; the frame is ignored",
        ),
    );
    change_refused(
        "femur 42 52 62\ntibia 72\n",
        "femur 42 52",
        Rule::ValueCount,
        "line 13, column 1: expected 3 values (rx ry rz) for bone \"femur\", found 2",
        &Warns(
            "line 11: expected 3 bones in frame 3, found 1, where the file ends: without \"femur\", \"tibia\"; the frame is ignored",
        ),
    );
    let cut = changed(AMC, "femur 42 52 62\ntibia 72\n", "");
    let amc = read_amc(cut.as_bytes(), &asf(), true).unwrap();
    assert_eq!(amc.frames, [FrameRun { first: 1, count: 2 }]);
    assert_eq!(tibia(&amc), [70.0, 71.0]);
    // A bone that no frame has is missing, but the last frame is whole.
    let without: String = AMC
        .lines()
        .filter(|line| !line.starts_with("tibia"))
        .fold(String::new(), |text, line| text + line + "\n");
    let amc = read_amc(without.as_bytes(), &asf(), true).unwrap();
    assert_eq!(tibia(&amc), [0.0; 3]);
}

#[test]
fn files_beyond_the_limits_are_refused() {
    let long = changed(
        AMC,
        "tibia 71",
        &format!("tibia 71{}", " ".repeat(MAX_LINE_BYTES)),
    );
    let found = MAX_LINE_BYTES + 8;
    refused(
        &long,
        Rule::TooLarge,
        &format!("line 10: expected a line of at most {MAX_LINE_BYTES} bytes, found {found} bytes"),
        &Error,
    );
    change_refused(
        "root 1 2 4",
        "root 1 2 4e12",
        Rule::TooLarge,
        "line 7: expected positions and lengths within 1e12, found more in frame 2",
        &Error,
    );
    let settings = AmcSettings {
        gaps: GapPolicy::HoldLast,
        ..AmcSettings::default()
    };
    let gap = changed(AMC, "\n3\n", "\n4000000000\n");
    let error = amc::read_bytes(gap.as_bytes(), &asf(), &settings).unwrap_err();
    let most = MAX_HELD_VALUES / 10;
    assert_eq!(
        error.to_string(),
        format!("line 11: expected at most {most} frames from a file of this size, found more")
    );
    // Frames of nothing but a number, each of which would hold ten values.
    let empty: String = (1..=most + 2).fold(String::new(), |text, n| text + &n.to_string() + "\n");
    let error = read_amc(empty.as_bytes(), &asf(), true).unwrap_err();
    assert_eq!(error.rule, Rule::TooLarge);
}

#[test]
#[ignore = "needs SINEW_CORPUS"]
fn bad_files_of_the_corpus_give_their_message() {
    let corpus = common::required_corpus();
    let folder = corpus.join("asf-amc/synthetic");
    let asf = read_asf(&std::fs::read(folder.join("base.asf")).unwrap(), false).unwrap();
    let cases = [
        (
            "bad_empty.amc",
            "line 1: expected an AMC motion with at least one frame, found nothing",
            None,
        ),
        (
            "bad_short_row.amc",
            "line 35, column 1: expected 6 values (tx ty tz rx ry rz) for bone \"root\", found 2",
            None,
        ),
        (
            "bad_text_value.amc",
            "line 11, column 6: expected a number for rx of bone \"head\", found \"abc\"",
            None,
        ),
        (
            "bad_truncated_mid_number.amc",
            "line 605, column 1: expected 6 values (tx ty tz rx ry rz) for bone \"root\", found 5",
            Some(
                "line 604: expected 29 bones in frame 21, found 0, where the file ends: without \"root\", \"lfemur\", \"ltibia\", \"lfoot\", \"ltoes\", 24 more; the frame is ignored",
            ),
        ),
        (
            "bad_unknown_bone.amc",
            "line 6, column 1: expected a bone of the skeleton, found \"nosuchbone\"",
            Some(
                "line 6, column 1: expected a bone of the skeleton, found \"nosuchbone\"; ignored in all frames",
            ),
        ),
    ];
    for (name, message, warning) in cases {
        let bytes = std::fs::read(folder.join(name)).unwrap();
        let error = read_amc(&bytes, &asf, false).unwrap_err();
        assert_eq!(error.to_string(), message, "{name}");
        match (read_amc(&bytes, &asf, true), warning) {
            (Ok(amc), Some(warning)) => warned(&amc.warnings, warning),
            (Err(found), None) => assert_eq!(found, error, "{name}"),
            (Ok(_), None) => panic!("{name}: lenient reads it"),
            (Err(found), Some(_)) => panic!("{name}: lenient refuses it: {found}"),
        }
    }
    common::say(&format!("amc: {} bad files refused", cases.len()));
}
