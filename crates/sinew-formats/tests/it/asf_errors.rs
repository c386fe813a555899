//! Every fault that a skeleton file can have: what a strict reader says, and what a lenient one does.

use crate::common;
use crate::common::acclaim;
use acclaim::Lenient::{self, Error, Warns};
use acclaim::{ASF, changed, read_asf, warned};
use sinew_formats::Rule;
use sinew_formats::limits::{MAX_JOINT_DEPTH, MAX_JOINTS, MAX_LINE_BYTES};
use std::fmt::Write;

fn refused(text: &str, rule: Rule, message: &str, lenient: &Lenient) {
    acclaim::refused(text, read_asf, |asf| &asf.warnings, rule, message, lenient);
}

fn change_refused(from: &str, to: &str, rule: Rule, message: &str, lenient: &Lenient) {
    refused(&changed(ASF, from, to), rule, message, lenient);
}

/// A change that both readers accept with a warning.
fn change_warned(from: &str, to: &str, warning: &str) {
    let text = changed(ASF, from, to);
    for lenient in [false, true] {
        let asf = read_asf(text.as_bytes(), lenient).unwrap();
        warned(&asf.warnings, warning);
    }
}

#[test]
fn the_small_skeleton_is_sound() {
    let asf = read_asf(ASF.as_bytes(), false).unwrap();
    assert!(asf.warnings.is_empty());
    assert_eq!(asf.bones.len(), 3);
}

#[test]
fn other_files_are_refused_at_their_first_word() {
    for empty in ["", "\n\n", "# only a comment\n", "\u{feff}"] {
        let message = "line 1: expected an ASF skeleton, found nothing";
        refused(empty, Rule::EmptyFile, message, &Error);
    }
    refused(
        "# a comment\n HIERARCHY\nROOT",
        Rule::NotThisFormat,
        "line 2, column 2: expected a section of an ASF skeleton such as `:version`, found \"HIERARCHY\"",
        &Error,
    );
    refused(
        acclaim::AMC,
        Rule::NotThisFormat,
        "line 1, column 1: expected a section of an ASF skeleton such as `:version`, found \":FULLY-SPECIFIED\", which begins an AMC motion",
        &Error,
    );
}

#[test]
fn required_sections_occur_exactly_once() {
    change_warned(
        ":documentation",
        ":Vendor x\n y z\n:documentation",
        "line 7, column 1: unknown section \":Vendor\", ignored",
    );
    change_refused(
        ":bonedata",
        ":ROOT\n:bonedata",
        Rule::DuplicateSection,
        "line 14, column 1: expected each section once; `:root` is in line 9 too, found \":ROOT\"",
        &Error,
    );
    for (name, line) in [(":bonedata", 48), (":hierarchy", 48)] {
        let message =
            format!("line {line}, column 1: expected each section once; `{name}` is in line X too");
        let text = format!("{ASF}{name}\n");
        let error = read_asf(text.as_bytes(), true).unwrap_err();
        assert_eq!(error.rule, Rule::DuplicateSection);
        let start = message.split("X").next().unwrap();
        assert!(error.to_string().starts_with(start), "{error}");
    }
    let sections = [
        (":root", ":bonedata", 42),
        (":bonedata", ":hierarchy", 19),
        (":hierarchy", "", 41),
    ];
    for (name, next, line) in sections {
        let (start, rest) = ASF.split_once(name).unwrap();
        let end = rest.find(next).filter(|_| !next.is_empty());
        let text = format!("{start}{}", &rest[end.unwrap_or(rest.len())..]);
        let message =
            format!("line {line}: expected a section `{name}`, found the end of the file");
        refused(&text, Rule::MissingSection, &message, &Error);
    }
}

#[test]
fn numbers_must_be_finite_numbers() {
    change_refused(
        "length 7.5",
        "length abc",
        Rule::ExpectedNumber,
        "line 19, column 12: expected a number for `length`, found \"abc\"",
        &Error,
    );
    change_refused(
        "(-160 20)",
        "(-l60 20)",
        Rule::ExpectedNumber,
        "line 22, column 13: expected a number, inf or -inf for a limit, found \"-l60\"",
        &Warns(
            "line 22, column 13: expected a number, inf or -inf for a limit, found \"-l60\"; read as no limit",
        ),
    );
    change_refused(
        "id 2",
        "id 2.5",
        Rule::ExpectedNumber,
        "line 27, column 8: expected a whole number for `id`, found \"2.5\"",
        &Error,
    );
    change_refused(
        ":version 1.10",
        ":version one",
        Rule::ExpectedNumber,
        "line 1, column 10: expected a number for `:version`, found \"one\"",
        &Error,
    );
    for token in ["nan", "inf", "-inf", "1.#QNAN", "-1.#IND", "1e999"] {
        change_refused(
            "length 7.5",
            &format!("length {token}"),
            Rule::NonFinite,
            &format!(
                "line 19, column 12: expected a finite number for `length`, found \"{token}\""
            ),
            &Error,
        );
    }
    change_refused(
        "(-160 20)",
        "(-160 nan)",
        Rule::NonFinite,
        "line 22, column 18: expected a number, inf or -inf for a limit, found \"nan\"",
        &Warns(
            "line 22, column 18: expected a number, inf or -inf for a limit, found \"nan\"; read as no limit",
        ),
    );
}

#[test]
fn lists_have_the_stated_number_of_values() {
    change_refused(
        "direction 0 0 1",
        "direction 0 1",
        Rule::TooFewValues,
        "line 38, column 5: expected 3 values (x y z) after \"direction\", found 2",
        &Error,
    );
    change_refused(
        "position 0 0 0",
        "position",
        Rule::TooFewValues,
        "line 12, column 3: expected 3 values (x y z) after \"position\", found none",
        &Error,
    );
    change_refused(
        "position 0 0 0",
        "position 0 0 0 4 5",
        Rule::TooManyValues,
        "line 12, column 18: expected no more values after \"position\", found 2 more values, the first \"4\"",
        &Warns(
            "line 12, column 18: expected no more values after \"position\", found 2 more values, the first \"4\"; ignored",
        ),
    );
    change_refused(
        "length 2",
        "length 2 3",
        Rule::TooManyValues,
        "line 39, column 14: expected no more values after \"length\", found 1 more value, the first \"3\"",
        &Warns(
            "line 39, column 14: expected no more values after \"length\", found 1 more value, the first \"3\"; ignored",
        ),
    );
    change_refused(
        "    name foot",
        "    name",
        Rule::TooFewValues,
        "line 37, column 5: expected 1 value after \"name\", found none",
        &Error,
    );
    change_refused(
        "length 7.5",
        "length 7.5\n length 8",
        Rule::DuplicateField,
        "line 20, column 2: expected `length` once in bone \"femur\", begun in line 15, found \"length\" again",
        &Warns(
            "line 20, column 2: expected `length` once in bone \"femur\", begun in line 15, found \"length\" again; the first one is used",
        ),
    );
}

#[test]
fn units_must_be_valid() {
    change_refused(
        "angle deg",
        "angle grad",
        Rule::BadUnit,
        "line 6, column 9: expected `deg` or `rad`, found \"grad\"",
        &Error,
    );
    for length in ["0", "-1", "inf", "nan", "1e999"] {
        change_refused(
            "length 0.45",
            &format!("length {length}"),
            Rule::BadUnit,
            &format!("line 5, column 10: expected a unit of length above zero, found \"{length}\""),
            &Error,
        );
    }
    change_warned(
        "mass 1.0",
        "time 3 sec",
        "line 4, column 3: unknown unit \"time\", ignored with its line",
    );
    change_warned(
        ":version 1.10",
        ":version 2",
        "line 1, column 10: version 2, not 1.1; read as if it were",
    );
}

#[test]
fn axis_orders_must_be_permutations() {
    change_refused(
        "7.5\n    axis 0 0 20 XYZ",
        "7.5\n    axis 0 0 20 XYY",
        Rule::BadAxisOrder,
        "line 20, column 17: expected an order of axes such as XYZ, found \"XYY\"",
        &Error,
    );
    change_refused(
        "7.5\n    axis 0 0 20 XYZ",
        "7.5\n    axis 0 0 20",
        Rule::BadAxisOrder,
        "line 20, column 5: expected an order of axes such as XYZ, found none",
        &Warns("line 20, column 5: expected an order of axes such as XYZ, found none; read as XYZ"),
    );
    change_refused(
        "axis XYZ\n  position",
        "axis XY\n  position",
        Rule::BadAxisOrder,
        "line 11, column 8: expected an order of axes such as XYZ, found \"XY\"",
        &Error,
    );
}

#[test]
fn degrees_of_freedom_must_be_known_and_unique() {
    change_refused(
        "dof rx ry rz",
        "dof rx ry ra",
        Rule::BadDof,
        "line 21, column 15: expected a degree of freedom: tx, ty, tz, rx, ry, rz or l, found \"ra\"",
        &Error,
    );
    change_refused(
        "dof rx ry rz",
        "dof rx ry Rx",
        Rule::BadDof,
        "line 21, column 15: expected each degree of freedom once, found \"Rx\" again",
        &Error,
    );
    // More than the seven that there are must name one twice.
    change_refused(
        "dof rx ry rz",
        "dof rx ry rz tx ty tz l rx",
        Rule::BadDof,
        "line 21, column 29: expected each degree of freedom once, found \"rx\" again",
        &Error,
    );
    change_refused(
        "TX TY TZ RX RY RZ",
        "TX TY TZ RX RY RW",
        Rule::BadDof,
        "line 10, column 24: expected a degree of freedom: tx, ty, tz, rx, ry, rz or l, found \"RW\"",
        &Error,
    );
    change_warned(
        "TX TY TZ RX RY RZ",
        "TX TY TZ RX RY RZ l",
        "line 10, column 3: the root has no length; its values of `l` are ignored",
    );
    change_refused(
        "  order TX TY TZ RX RY RZ\n",
        "",
        Rule::MissingField,
        "line 9: expected an `order` in the section `:root`, found none",
        &Warns(
            "line 9: expected an `order` in the section `:root`, found none; read as TX TY TZ RX RY RZ",
        ),
    );
}

#[test]
fn limits_come_in_pairs_after_their_degrees_of_freedom() {
    change_refused(
        "    dof rx\n    limits",
        "    limits",
        Rule::LimitsWithoutDof,
        "line 32, column 5: expected `dof` before `limits`, found `limits` in bone \"tibia\", begun in line 26",
        &Warns(
            "line 32, column 5: expected `dof` before `limits`, found `limits` in bone \"tibia\", begun in line 26; the limits are ignored",
        ),
    );
    change_refused(
        "           (-60 70)\n",
        "",
        Rule::LimitsCount,
        "line 22, column 5: expected 3 pairs of limits (rx ry rz) for bone \"femur\", found 4 values",
        &Warns(
            "line 22, column 5: expected 3 pairs of limits (rx ry rz) for bone \"femur\", found 4 values; the limits are ignored",
        ),
    );
    change_refused(
        "(-10 170)",
        "(-10 170) 5",
        Rule::LimitsCount,
        "line 33, column 5: expected 1 pair of limits (rx) for bone \"tibia\", found 3 values",
        &Warns(
            "line 33, column 5: expected 1 pair of limits (rx) for bone \"tibia\", found 3 values; the limits are ignored",
        ),
    );
    change_warned(
        "(-70 70)",
        "(70 -70)",
        "line 23: a lower limit above the upper \"-70\"; kept",
    );
    change_warned(
        "    limits (-10 170)\n",
        "",
        "line 46: bones with `dof` and without `limits`: 1",
    );
}

#[test]
fn bones_must_be_complete_and_unique() {
    let fields = [
        ("name", "    name foot\n", "the bone begun in line 35"),
        (
            "direction",
            "    direction 0 0 1\n",
            "bone \"foot\", begun in line 35",
        ),
        (
            "length",
            "    length 2\n",
            "bone \"foot\", begun in line 35",
        ),
        (
            "axis",
            "    axis 0 0 0 XYZ\n",
            "bone \"foot\", begun in line 35",
        ),
    ];
    for (field, text, which) in fields {
        let message = format!("line 40, column 3: expected `{field}` in {which}, found `end`");
        change_refused(text, "", Rule::MissingField, &message, &Error);
    }
    change_refused(
        "name tibia",
        "name femur",
        Rule::DuplicateBone,
        "line 28, column 10: expected a unique name for each bone; the bone in line 15 has it too, found \"femur\"",
        &Error,
    );
    change_refused(
        "id 2",
        "id 1",
        Rule::DuplicateId,
        "line 26: expected a unique id for each bone, found id 1 of bone \"tibia\", which the bone in line 15 has too",
        &Warns(
            "line 26: expected a unique id for each bone, found id 1 of bone \"tibia\", which the bone in line 15 has too; ids are not used",
        ),
    );
    change_refused(
        "name tibia",
        "name Root",
        Rule::ReservedName,
        "line 28, column 10: expected another name: `root` is not a bone, found \"Root\"",
        &Error,
    );
    change_refused(
        "direction 0 0 1",
        "direction 0 0 0",
        Rule::ZeroDirection,
        "line 38, column 5: expected a direction for a bone of length 2, found 0 0 0",
        &Error,
    );
    change_refused(
        "direction 0 0 1",
        "direction 0 3 4",
        Rule::NotNormalised,
        "line 38, column 5: expected a direction of length 1, found one of length 5.000000",
        &Warns(
            "line 38, column 5: expected a direction of length 1, found one of length 5.000000; normalized",
        ),
    );
    change_refused(
        "length 2",
        "length -2",
        Rule::NegativeLength,
        "line 39, column 12: expected a length of zero or more, found \"-2\"",
        &Error,
    );
    change_warned(
        "    length 2\n",
        "    length 2\n    colour 1 2 3 red\n",
        "line 40, column 5: unknown field \"colour\" of a bone, ignored",
    );
}

#[test]
fn bone_blocks_and_the_hierarchy_must_be_closed() {
    let cut = |at: &str| ASF.split_once(at).unwrap().0.to_owned();
    refused(
        &cut("    direction 0 0 1"),
        Rule::UnterminatedBone,
        "line 35, column 3: expected `end` of bone \"foot\" that begins here, found the end of the file",
        &Error,
    );
    change_refused(
        "  end\n  begin\n    id 3",
        "  begin\n    id 3",
        Rule::UnterminatedBone,
        "line 26, column 3: expected `end` of bone \"tibia\" that begins here, found `begin` in line 34",
        &Error,
    );
    change_refused(
        "  end\n:hierarchy",
        ":hierarchy",
        Rule::UnterminatedBone,
        "line 35, column 3: expected `end` of bone \"foot\" that begins here, found \":hierarchy\" in line 41",
        &Error,
    );
    change_refused(
        "  end\n:hierarchy",
        "  end\n  end\n:hierarchy",
        Rule::BadStructure,
        "line 42, column 3: expected `begin` of a bone, or a section, found \"end\"",
        &Warns(
            "line 42, column 3: expected `begin` of a bone, or a section, found \"end\"; ignored with its line",
        ),
    );
    change_refused(
        "  begin\n    root femur",
        "    root femur",
        Rule::Unterminated,
        "line 42: expected `begin` after `:hierarchy`, found \"root\"",
        &Error,
    );
    refused(
        &cut("  begin\n    root femur"),
        Rule::Unterminated,
        "line 42: expected `begin` after `:hierarchy`, found the end of the file",
        &Error,
    );
    change_refused(
        "    tibia foot\n  end\n",
        "    tibia foot\n",
        Rule::Unterminated,
        "line 46: expected `end` of the hierarchy begun in line 42, found the end of the file",
        &Error,
    );
    change_refused(
        "    tibia foot\n  end\n",
        "    tibia foot\n:skin x\n",
        Rule::Unterminated,
        "line 47: expected `end` of the hierarchy begun in line 42, found `:skin`",
        &Error,
    );
}

#[test]
fn the_hierarchy_must_be_a_tree_of_all_bones() {
    change_refused(
        "tibia foot",
        "tibia hand",
        Rule::UnknownBoneInHierarchy,
        "line 46, column 11: expected a bone of `:bonedata`, found \"hand\"",
        &Error,
    );
    change_refused(
        "tibia foot",
        "hand foot",
        Rule::UnknownBoneInHierarchy,
        "line 46, column 5: expected a bone of `:bonedata`, found \"hand\"",
        &Error,
    );
    change_refused(
        "tibia foot",
        "tibia foot\n root foot",
        Rule::ChildTwice,
        "line 47, column 7: expected a bone without a parent, found \"foot\", a child of \"tibia\"",
        &Error,
    );
    change_refused(
        "tibia foot",
        "tibia foot femur",
        Rule::ChildTwice,
        "line 46, column 16: expected a bone without a parent, found \"femur\", an ancestor of \"tibia\"",
        &Error,
    );
    change_refused(
        "tibia foot",
        "tibia root",
        Rule::ChildTwice,
        "line 46, column 11: expected a bone without a parent, found \"root\", an ancestor of \"tibia\"",
        &Error,
    );
    change_refused(
        "    root femur\n    femur tibia\n",
        "    femur tibia\n    root femur\n",
        Rule::ParentBeforeChild,
        "line 44, column 5: expected root or a bone that already has a parent, found \"femur\"",
        &Error,
    );
    change_refused(
        "    tibia foot\n",
        "",
        Rule::UnreachableBone,
        "line 35: expected bone \"foot\" in the hierarchy, found no line that names it as a child",
        &Warns(
            "line 35: expected bone \"foot\" in the hierarchy, found no line that names it as a child; the bone is ignored",
        ),
    );
    change_warned(
        "    tibia foot\n",
        "    tibia foot\n    foot\n",
        "line 47, column 5: \"foot\" has no children in this line",
    );
}

/// A skeleton of many bones, in a chain or all on the root.
fn many(bones: usize, chain: bool) -> String {
    let mut text = ":root\norder tx\n:bonedata\n".to_owned();
    for bone in 0..bones {
        let fields = "direction 1 0 0 length 1 axis 0 0 0 xyz";
        writeln!(text, "begin name b{bone} {fields} end").unwrap();
    }
    text += ":hierarchy\nbegin\n";
    for bone in 0..bones {
        match bone.checked_sub(1) {
            Some(parent) if chain => writeln!(text, "b{parent} b{bone}").unwrap(),
            _ => writeln!(text, "root b{bone}").unwrap(),
        }
    }
    text + "end\n"
}

#[test]
fn files_beyond_the_limits_are_refused() {
    let line = MAX_JOINTS + 4;
    assert!(read_asf(many(MAX_JOINTS, false).as_bytes(), false).is_ok());
    refused(
        &many(MAX_JOINTS + 1, false),
        Rule::TooLarge,
        &format!("line {line}, column 1: expected at most {MAX_JOINTS} bones, found more"),
        &Error,
    );
    assert!(read_asf(many(MAX_JOINT_DEPTH, true).as_bytes(), false).is_ok());
    let deep = many(MAX_JOINT_DEPTH + 1, true);
    let error = read_asf(deep.as_bytes(), false).unwrap_err();
    assert_eq!(error.rule, Rule::TooLarge);
    assert_eq!(
        error.line,
        3 + (MAX_JOINT_DEPTH + 1) + 2 + MAX_JOINT_DEPTH + 1
    );
    let long = changed(ASF, "two bones", &"x".repeat(MAX_LINE_BYTES));
    refused(
        &long,
        Rule::TooLarge,
        "line 8: expected a line of at most 1048576 bytes, found 1048578 bytes",
        &Error,
    );
    change_refused(
        "length 7.5",
        "length 1e13",
        Rule::TooLarge,
        "line 19, column 12: expected a length of at most 1e12, found \"1e13\"",
        &Error,
    );
    let skins = format!("{ASF}:skin{}", "\na.obj".repeat(1001));
    let message = "line 1049: expected at most 1000 skins, found more";
    refused(&skins, Rule::TooLarge, message, &Error);
    let name = "x".repeat(5000);
    let long = changed(ASF, "name foot", &format!("name {name}"));
    assert_eq!(
        read_asf(long.as_bytes(), true).unwrap_err().rule,
        Rule::TooLarge
    );
}

#[test]
#[ignore = "needs SINEW_CORPUS"]
fn bad_files_of_the_corpus_give_their_message() {
    let corpus = common::required_corpus();
    let cases = [
        (
            "bad_number.asf",
            "line 6, column 10: expected a number for `length`, found \"zero\"",
        ),
        (
            "bad_truncated.asf",
            "line 69, column 3: expected `end` of bone \"rfemur\" that begins here, found the end of the file",
        ),
        (
            "bad_unknown_child.asf",
            "line 314, column 12: expected a bone of `:bonedata`, found \"nosuchbone\"",
        ),
    ];
    for (name, message) in cases {
        let bytes = std::fs::read(corpus.join("asf-amc/synthetic").join(name)).unwrap();
        for lenient in [false, true] {
            let error = read_asf(&bytes, lenient).unwrap_err();
            assert_eq!(error.to_string(), message, "{name}");
        }
    }
    common::say(&format!("asf: {} bad files refused", cases.len()));
}
