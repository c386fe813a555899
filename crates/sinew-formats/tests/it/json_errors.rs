//! JSON files of ours that are cut off or broken: each is refused with a sentence that says where and what,
//! or read with a warning, and none makes the reader panic.

use crate::common;
use sinew_formats::json::{JsonError, read, read_bytes};
use sinew_formats::limits::MAX_TRACKS;

fn refusal(text: &str) -> String {
    common::refusal(text, read_bytes(text.as_bytes()))
}

fn warnings(text: &str) -> Vec<String> {
    common::warning_texts(&read_bytes(text.as_bytes()).unwrap().warnings)
}

fn file(rest: &str) -> String {
    format!("{{\"format\": \"sinew-motion\", \"version\": 2,\n{rest}}}")
}

fn animation(fields: &str) -> String {
    file(&format!("\"animations\": [{{\n{fields}}}]"))
}

fn channel(fields: &str) -> String {
    animation(&format!(
        "\"tracks\": [{{\"joint\": \"a\",\n\"position\": {{{fields}}}}}]"
    ))
}

fn rotation(fields: &str) -> String {
    channel(fields).replace("position", "rotation")
}

fn variant(fields: &str) -> String {
    animation(&format!(
        "\"variants\": [{{\"name\": \"a\", \"type\": \"float\",\n{fields}}}]"
    ))
}

/// A file with everything in it.
const SMALL: &str = r#"{ "format": "sinew-motion", "version": 2, "units": "metres", "up": "y",
  "joints": [ { "name": "a" }, { "name": "b", "parent": 0, "tip": [0, 1, 0] } ],
  "animations": [ { "name": "all", "length": 2, "frame_rate": 30, "metadata": { "n": 1, "f": true },
    "tracks": [ { "joint": "a", "weights": { "scale": 0.5 },
      "position": { "interpolation": "cubic", "keys": [ [0, [0, 1, 2], [1, 1, 1], [2, 2, 2]] ] },
      "rotation": { "rate": 2, "values": [[0, 0, 0, 1], {"degrees": [0, 90, 0]}] },
      "scale": { "times": [0, 1], "values": [[1, 1, 1], [2, 2, 2]] } } ],
    "variants": [ { "name": "@/X", "type": "int", "keys": [ [0, 1], [1, -2] ] } ],
    "triggers": [ { "normalized": 0.5, "data": "step" } ] } ] }
"#;

#[test]
fn other_json_files_are_refused_with_the_reason() {
    let expected = "expected JSON with \"format\": \"sinew-motion\", found ";
    for (text, found) in [
        ("", "nothing"),
        (" \n", "nothing"),
        ("HIERARCHY\nROOT hips\n", "\"HIERARCHY\\nROOT h\""),
        ("[1]", "\"[1]\""),
        ("{}", "JSON without it"),
        ("{\"asset\": {}}", "JSON without it"),
        ("{\"format\": \"other\"}", "\"other\""),
        ("{\"format\": 3}", "3"),
        ("{\"format\": {\"a\": 1}}", "an object"),
    ] {
        assert_eq!(refusal(text), format!("{expected}{found}"));
    }
    let expected = "version: expected 2, found ";
    for (version, found) in [
        ("1", "1"),
        ("3", "3"),
        ("\"2\"", "\"2\""),
        ("2.0", "2.0"),
        ("[]", "a list"),
    ] {
        let text = format!("{{\"format\": \"sinew-motion\", \"version\": {version}, \"new\": 1}}");
        assert_eq!(refusal(&text), format!("{expected}{found}"));
    }
    assert_eq!(
        refusal("{\"format\": \"sinew-motion\"}"),
        format!("{expected}none")
    );
    let error = read("/nowhere/x.json").unwrap_err().to_string();
    assert!(error.starts_with("/nowhere/x.json: cannot read the file: "));
    let error = read_bytes(b"{\n\"\xff\"}").unwrap_err().to_string();
    assert_eq!(
        error,
        "line 2, column 2: expected UTF-8, found the byte 0xff"
    );
}

#[test]
fn a_file_cut_off_at_any_length_is_refused() {
    let whole = read_bytes(SMALL.as_bytes()).unwrap();
    assert!(whole.warnings.is_empty(), "{:?}", whole.warnings.list());
    let end = SMALL.trim_end().len();
    for length in 0..end {
        let error = read_bytes(&SMALL.as_bytes()[..length]).unwrap_err();
        if length > 0 {
            let is_syntax = matches!(error, JsonError::Syntax { .. });
            assert!(is_syntax, "{length}: {error}");
        }
    }
    assert_eq!(
        refusal(&format!("{SMALL}x")),
        "line 10, column 1: expected the end of the text, found \"x\""
    );
}

#[test]
fn a_file_with_any_bit_flipped_is_refused_or_plays() {
    common::turn_each_bit(SMALL, |bytes| {
        let file = read_bytes(bytes)?;
        for animation in &file.animations {
            animation.check().unwrap();
        }
        Ok::<_, JsonError>(())
    });
}

#[test]
fn deep_nesting_is_refused_without_overflow() {
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        let deep = format!("{}1{}", open.repeat(200_000), close.repeat(200_000));
        let unknown = file(&format!("\"extra\": {deep}"));
        assert_eq!(warnings(&unknown), ["file, extra: unknown; ignored"]);
        for text in [
            file(&format!("\"joints\": {deep}")),
            file(&format!("\"animations\": {deep}")),
            animation(&format!("\"metadata\": {{\"a\": {deep}}}")),
            animation(&format!(
                "\"triggers\": [{{\"time\": 0, \"data\": {deep}}}]"
            )),
            channel(&format!("\"rate\": 1, \"values\": {deep}")),
            rotation(&format!("\"keys\": [[0, {deep}]]")),
        ] {
            assert!(refusal(&text).starts_with("line "));
        }
    }
}

#[test]
fn more_tracks_than_are_allowed_are_refused() {
    let many = vec!["{}"; MAX_TRACKS + 1].join(",");
    for list in ["tracks", "variants", "triggers"] {
        let error = refusal(&animation(&format!("\"{list}\": [{many}]")));
        let end = "more than the 1000000 entries that are still allowed";
        assert!(error.ends_with(end), "{error}");
    }
    // Of several animations they count together.
    let half = vec!["{\"time\":0}"; MAX_TRACKS / 2 + 1].join(",");
    let error = refusal(&file(&format!(
        "\"animations\": [{{\"triggers\": [{half}]}}, {{\"triggers\": [{half}]}}]"
    )));
    assert!(error.contains("animations[1].triggers"), "{error}");
    let end = "more than the 499999 entries that are still allowed";
    assert!(error.ends_with(end), "{error}");
}

#[test]
fn errors_have_line_column_and_path() {
    for (text, expected) in [
        (
            file("\"units\": \"inches\""),
            "line 2, column 10, units: expected \"metres\", found \"inches\"",
        ),
        (
            file("\"up\": \"z\""),
            "line 2, column 7, up: expected \"y\", found \"z\"",
        ),
        (
            file("\"animations\": 1"),
            "line 2, column 15, animations: expected a list, found 1",
        ),
        (
            file("\"up\": \"y\", \"up\": \"y\""),
            "line 1, column 1: expected one field `up`, found two",
        ),
        (
            animation("\"name\": 1"),
            "line 3, column 9, animations[0].name: expected a string, found 1",
        ),
        (
            animation("\"length\": -1"),
            "line 2, column 16, animations[0]: expected a \"length\" that is finite and not negative, found -1",
        ),
        (
            animation("\"length\": 1e39"),
            "line 3, column 11, animations[0].length: expected a number of 32 bits, found 1e39",
        ),
        (
            animation("\"frame_rate\": 0"),
            "line 2, column 16, animations[0]: expected a \"frame_rate\" above zero, found 0",
        ),
        (
            animation("\"metadata\": []"),
            "line 3, column 13, animations[0].metadata: expected an object, found a list",
        ),
        (
            animation("\"metadata\": {\"a b\": [1]}"),
            "line 3, column 21, animations[0].metadata.a b: expected a text, a number, true or false, found a list",
        ),
        (
            animation("\"metadata\": {\"a\": {\"x\": 1}}"),
            "line 3, column 19, animations[0].metadata.a: an object is a number only as {\"number\": \"inf\"}",
        ),
        (
            animation("\"tracks\": [{}]"),
            "line 3, column 12, animations[0].tracks[0]: expected a field `joint`, found none",
        ),
        (
            animation("\"tracks\": [{\"joint\": \"a\"}, {\"joint\": \"a\"}]"),
            "line 3, column 28, animations[0].tracks[1]: expected a joint that no other track moves, found \"a\"",
        ),
        (
            animation("\"tracks\": [{\"joint\": \"a\", \"weights\": {\"scale\": -1}}]"),
            "line 3, column 12, animations[0].tracks[0]: expected a weight that is finite and not negative, found -1",
        ),
    ] {
        assert_eq!(refusal(&text), expected, "{text}");
    }
}

#[test]
fn invalid_channels_are_refused() {
    let place = "animations[0].tracks[0].position";
    for (fields, expected) in [
        (
            "",
            format!(
                "line 4, column 13, {place}: expected either \"keys\", or \"values\" with a \"rate\" or \"times\", found neither"
            ),
        ),
        (
            "\"keys\": [], \"rate\": 1",
            format!(
                "line 4, column 13, {place}: expected either \"keys\", or \"values\" with a \"rate\" or \"times\", found both"
            ),
        ),
        (
            "\"keys\": []",
            format!("line 4, column 22, {place}.keys: a channel has at least one key"),
        ),
        (
            "\"keys\": [[0, [1, 2, 3]], [1]]",
            format!(
                "line 4, column 39, {place}.keys[1]: expected [time, value] or [time, value, in, out], found 1 entries"
            ),
        ),
        (
            "\"keys\": [[0, [1, 2]]]",
            format!(
                "line 4, column 27, {place}.keys[0][1]: expected a list of 3 numbers, found 2 numbers"
            ),
        ),
        (
            "\"keys\": [[0, [1, 2, 3, 4]]]",
            format!(
                "line 4, column 27, {place}.keys[0][1]: expected a list of 3 numbers, found more numbers"
            ),
        ),
        (
            "\"keys\": [[0, 1]]",
            format!("line 4, column 27, {place}.keys[0][1]: expected a list of 3 numbers, found 1"),
        ),
        (
            "\"keys\": [[-1, [1, 2, 3]]]",
            format!(
                "line 4, column 23, {place}.keys[0]: expected a time that is not negative, found -1"
            ),
        ),
        (
            "\"keys\": [[0, [1, 2, null]]]",
            format!(
                "line 4, column 34, {place}.keys[0][1][2]: expected a number of 32 bits, found null"
            ),
        ),
        (
            "\"keys\": [[0, [1, 2, 1e39]]]",
            format!(
                "line 4, column 34, {place}.keys[0][1][2]: expected a number of 32 bits, found 1e39"
            ),
        ),
        (
            "\"interpolation\": \"cubic\", \"keys\": [[0, [1, 2, 3], [1, 2, 3], [1, 2, 3]], [1, [1, 2, 3]]]",
            format!(
                "line 4, column 87, {place}.keys[1]: expected keys that all have them or all lack them, found no tangents"
            ),
        ),
        (
            "\"interpolation\": \"cubic\", \"keys\": [[0, [1, 2, 3]], [1, [1, 2, 3], [1, 2, 3], [1, 2, 3]]]",
            format!(
                "line 4, column 65, {place}.keys[1]: expected keys that all have them or all lack them, found tangents"
            ),
        ),
        (
            "\"keys\": [[0, [1, 2, 3]]], \"in_tangents\": []",
            format!(
                "line 4, column 13, {place}: expected the tangents in the keys, found a separate list of them"
            ),
        ),
        (
            "\"interpolation\": \"smooth\", \"keys\": []",
            format!(
                "line 4, column 13, {place}: expected an interpolation, \"step\", \"linear\" or \"cubic\", found \"smooth\""
            ),
        ),
        (
            "\"values\": [[1, 2, 3]]",
            format!("line 4, column 13, {place}: expected a \"rate\" or \"times\", found neither"),
        ),
        (
            "\"values\": [[1, 2, 3]], \"rate\": 1, \"times\": [0]",
            format!("line 4, column 13, {place}: expected a \"rate\" or \"times\", found both"),
        ),
        (
            "\"values\": [[1, 2, 3]], \"rate\": 0",
            format!("line 4, column 13, {place}: 0 keys per second; expected a rate above zero"),
        ),
        (
            "\"values\": [], \"rate\": 1",
            format!("line 4, column 13, {place}: a channel has at least one key"),
        ),
        (
            "\"values\": [[1, 2, 3], [1, 2, 3]], \"rate\": 1e-300",
            format!(
                "line 4, column 13, {place}: expected a rate at which the last key is at a finite time, found a rate of 0.{}1",
                "0".repeat(299)
            ),
        ),
        (
            "\"values\": [[1, 2, 3]], \"times\": [0, 1]",
            format!(
                "line 4, column 46, {place}.times: expected a time for each of 1 values, found 2 times"
            ),
        ),
        (
            "\"values\": [[1, 2, 3], [1, 2, 3]], \"times\": [1, 0]",
            format!(
                "line 4, column 13, {place}: key 1 is at 0 seconds; times are finite, not negative and do not fall"
            ),
        ),
        (
            "\"interpolation\": \"cubic\", \"values\": [[1, 2, 3]], \"rate\": 1, \"in_tangents\": [[1, 2, 3]]",
            format!(
                "line 4, column 13, {place}: expected \"in_tangents\" and \"out_tangents\", found only one of them"
            ),
        ),
        (
            "\"interpolation\": \"cubic\", \"values\": [[1, 2, 3]], \"rate\": 1, \"in_tangents\": [], \"out_tangents\": []",
            format!(
                "line 4, column 89, {place}.in_tangents: expected a tangent for each of 1 values, found 0 tangents"
            ),
        ),
    ] {
        assert_eq!(refusal(&channel(fields)), expected, "{fields}");
    }
}

#[test]
fn rotations_of_zero_length_are_refused() {
    let place = "animations[0].tracks[0].rotation";
    for (value, expected) in [
        (
            "[0, 0, 0, 0]",
            format!(
                "line 4, column 13, {place}: the value of key 0 cannot be used: Quat(0.0, 0.0, 0.0, 0.0)"
            ),
        ),
        (
            "[0, 0, 1]",
            format!(
                "line 4, column 27, {place}.keys[0][1]: expected a list of 4 numbers, found 3 numbers"
            ),
        ),
        (
            "{}",
            format!(
                "line 4, column 27, {place}.keys[0][1]: expected a field `degrees`, found none"
            ),
        ),
        (
            "{\"degrees\": [1, 2]}",
            format!(
                "line 4, column 39, {place}.keys[0][1].degrees: expected a list of 3 numbers, found 2 numbers"
            ),
        ),
        (
            "{\"degrees\": [1, 2, 3], \"order\": \"XXZ\"}",
            format!(
                "line 4, column 59, {place}.keys[0][1].order: expected XYZ, XZY, YXZ, YZX, ZXY or ZYX, found \"XXZ\""
            ),
        ),
        (
            "{\"radians\": [1, 2, 3]}",
            format!(
                "line 4, column 27, {place}.keys[0][1]: expected `degrees` or `order`, found unknown field `radians`"
            ),
        ),
        (
            "7",
            format!(
                "line 4, column 27, {place}.keys[0][1]: expected a list of 4 numbers (x y z w) or {{\"degrees\": [x y z]}}, found 7"
            ),
        ),
    ] {
        assert_eq!(
            refusal(&rotation(&format!("\"keys\": [[0, {value}]]"))),
            expected
        );
    }
    let tangent = rotation(
        "\"interpolation\": \"cubic\", \"keys\": [[0, [0, 0, 0, 1], {\"degrees\": [1, 2, 3]}, [1, 2, 3, 4]]]",
    );
    assert!(refusal(&tangent).ends_with("expected a list of 4 numbers (x y z w), found an object"));
}

#[test]
fn invalid_variants_are_refused() {
    let place = "animations[0].variants[0]";
    for (from, to, expected) in [
        (
            "\"type\": \"float\",",
            "",
            "expected a field `type`, found none",
        ),
        (
            "\"name\": \"a\",",
            "",
            "expected a field `name`, found none",
        ),
        (
            "float",
            "Vector3",
            "expected a type: bool, int, int64, float, double, vec2, vec3, vec4, quat, color, ivec2, ivec3, int_rect, text, found \"Vector3\"",
        ),
        (
            "linear",
            "spline",
            "expected an interpolation, \"none\", \"linear\", \"tension_spline\" or \"tangent_spline\", found \"spline\"",
        ),
        (
            "\"weight\": 1",
            "\"weight\": -0.5",
            "expected a weight that is finite and not negative, found -0.5",
        ),
    ] {
        let text = variant("\"interpolation\": \"linear\", \"weight\": 1, \"keys\": [[0, 1]]");
        assert!(text.contains(from));
        let error = refusal(&text.replace(from, to));
        assert!(
            error.ends_with(&format!(", {place}: {expected}")),
            "{error}"
        );
    }
    for (kind, value, at, expected) in [
        (
            "float",
            "true",
            "[1]",
            "expected a number of 32 bits, found true",
        ),
        (
            "float",
            "{\"number\": \"inf\"}",
            "[1]",
            "expected a number of 32 bits, found an object",
        ),
        ("double", "\"1\"", "[1]", "expected a number, found \"1\""),
        ("bool", "1", "[1]", "expected a boolean, found 1"),
        ("int", "1.5", "[1]", "expected i32, found 1.5"),
        ("int", "2147483648", "[1]", "expected i32, found 2147483648"),
        (
            "int64",
            "9223372036854775808",
            "[1]",
            "expected i64, found 9223372036854775808",
        ),
        ("text", "1", "[1]", "expected a string, found 1"),
        (
            "vec2",
            "[1]",
            "[1]",
            "expected a list of 2 numbers, found 1 numbers",
        ),
        ("ivec3", "[1, 2, 3.5]", "[1][2]", "expected i32, found 3.5"),
        (
            "color",
            "[1, 2, 3]",
            "[1]",
            "expected a list of 4 numbers, found 3 numbers",
        ),
        (
            "quat",
            "[0, 0, 0, 0]",
            "",
            "the value of key 0 cannot be used: 0 0 0 0",
        ),
    ] {
        let text = variant(&format!("\"keys\": [[0, {value}]]")).replace("float", kind);
        let error = refusal(&text);
        let at = if at.is_empty() {
            String::new()
        } else {
            format!(".keys[0]{at}")
        };
        assert!(
            error.ends_with(&format!(", {place}{at}: {expected}")),
            "{kind}: {error}"
        );
    }
    let twice = animation(
        "\"variants\": [{\"name\": \"a\", \"type\": \"int\", \"keys\": [[0, 1]]}, {\"name\": \"a\", \"type\": \"int\", \"keys\": [[0, 1]]}]",
    );
    assert!(
        refusal(&twice)
            .ends_with("variants[1]: expected a name that no other variant track has, found \"a\"")
    );
    let tension =
        variant("\"interpolation\": \"tension_spline\", \"tension\": 1e39, \"keys\": [[0, 1]]");
    assert!(
        refusal(&tension)
            .ends_with("variants[0].tension: expected a number of 32 bits, found 1e39")
    );
}

#[test]
fn invalid_triggers_are_refused() {
    for (trigger, expected) in [
        (
            "{}",
            "animations[0].triggers[0]: expected \"time\" or \"normalized\", found neither",
        ),
        (
            "{\"time\": 0, \"normalized\": 0}",
            "animations[0].triggers[0]: expected \"time\" or \"normalized\", found both",
        ),
        (
            "{\"time\": -1}",
            "animations[0].triggers[0]: expected a time that is finite and not negative, found -1",
        ),
        (
            "{\"normalized\": 1.5}",
            "animations[0].triggers[0]: expected \"normalized\" from 0 to 1, found 1.5",
        ),
        (
            "{\"time\": 0, \"type\": \"thing\"}",
            "text, found \"thing\"",
        ),
        (
            "{\"time\": 0, \"type\": \"int\"}",
            "animations[0].triggers[0]: expected data of type int, found none",
        ),
        (
            "{\"time\": 0, \"type\": \"int\", \"data\": \"x\"}",
            "animations[0].triggers[0].data: expected i32, found \"x\"",
        ),
        ("{\"time\": 0, \"data\": [1]}", "found 1 entries"),
        (
            "{\"time\": 0, \"data\": [1, 2, 3, 4, 5]}",
            "found 4 entries",
        ),
        (
            "{\"time\": 0, \"data\": {}}",
            "animations[0].triggers[0].data: an object is a number only as {\"number\": \"inf\"}",
        ),
    ] {
        let error = refusal(&animation(&format!("\"triggers\": [{trigger}]")));
        assert!(error.ends_with(expected), "{trigger}: {error}");
    }
}

#[test]
fn invalid_skeletons_are_refused() {
    for (joints, expected) in [
        ("", "joints: expected at least one joint, found none"),
        ("{}", "joints[0]: expected a field `name`, found none"),
        ("{\"name\": \"\"}", "joints[0]: expected a name, found none"),
        (
            "{\"name\": \"a\"}, {\"name\": \"a\"}",
            "joints[1]: expected a unique name, found \"a\"",
        ),
        (
            "{\"name\": \"a\", \"parent\": \"b\"}",
            "joints[0].parent: expected the name of a joint before this one, found \"b\"",
        ),
        (
            "{\"name\": \"a\", \"parent\": 1.5}",
            "joints[0].parent: expected u32, found 1.5",
        ),
        (
            "{\"name\": \"a\", \"parent\": 0}",
            "joints[0]: expected joints depth first, each after its parent with nothing between that is not below it, found \"a\" elsewhere",
        ),
        (
            "{\"name\": \"a\"}, {\"name\": \"b\"}, {\"name\": \"c\", \"parent\": \"a\"}",
            "joints[2]: expected joints depth first, each after its parent with nothing between that is not below it, found \"c\" elsewhere",
        ),
        (
            "{\"name\": \"a\", \"rotation\": [0, 0, 0, 0]}",
            "joints[0]: expected a rotation, found one without length",
        ),
        (
            "{\"name\": \"a\", \"scale\": 1}",
            "joints[0].scale: expected a list of 3 numbers, found 1",
        ),
    ] {
        let error = refusal(&file(&format!("\"joints\": [{joints}]")));
        assert!(
            error.ends_with(&format!(", {expected}")),
            "{joints}: {error}"
        );
    }
}

#[test]
fn repaired_and_ignored_parts_have_a_warning() {
    assert_eq!(warnings(SMALL), [""; 0]);
    for (text, expected) in [
        (file("\"author\": 1"), "file, author: unknown; ignored"),
        (
            animation("\"lenght\": 1"),
            "animations[0], lenght: unknown; ignored",
        ),
        (
            channel("\"keys\": [[0, [1, 2, 3]]], \"ease\": 1"),
            "animations[0].tracks[0].position, ease: unknown; ignored",
        ),
        (
            animation("\"tracks\": [{\"joint\": \"a\", \"weights\": {\"size\": 1}}]"),
            "animations[0].tracks[0], weights.size: unknown; ignored",
        ),
        (
            channel("\"keys\": [[1, [1, 2, 3]], [0, [4, 5, 6]]]"),
            "animations[0].tracks[0].position.keys: not sorted by time; sorted",
        ),
        (
            channel("\"keys\": [[0, [1, 2, 3], [1, 1, 1], [1, 1, 1]]]"),
            "animations[0].tracks[0].position, tangents: they are for \"cubic\" keys; ignored",
        ),
        (
            variant("\"keys\": [[0, 1, 2, 3]]"),
            "animations[0].variants[0], tangents: they are for tangent splines; ignored",
        ),
        (
            variant("\"tension\": 1, \"keys\": [[0, 1]]"),
            "animations[0].variants[0], tension: it is for tension splines; ignored",
        ),
        (
            variant("\"interpolation\": \"tension_spline\", \"keys\": [[0, 1]]")
                .replace("float", "int"),
            "animations[0].variants[0], interpolation: a int does not support it; a supported one is used",
        ),
        (
            animation("\"metadata\": {\"a\": 1, \"a\": 2}"),
            "animations[0].metadata, a: it occurs twice; the last one is used",
        ),
        (
            animation("\"metadata\": {\"a\": null}"),
            "animations[0].metadata, a: null is not a value; ignored",
        ),
    ] {
        assert_eq!(warnings(&text), [expected]);
    }
    let hostile = file("\"\u{1b}[31m\": 1").replace('\u{1b}', "\\u001b");
    assert_eq!(warnings(&hostile), ["file, \\u{1b}[31m: unknown; ignored"]);
}
