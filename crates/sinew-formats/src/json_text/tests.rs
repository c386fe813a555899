//! Tests of the JSON parser.

use super::*;
use crate::escape;
use serde::Deserialize;

#[derive(Debug, Deserialize)]
#[allow(dead_code, reason = "only their types matter")]
struct Clip {
    name: String,
    #[serde(default)]
    keys: Vec<(f32, [f32; 2])>,
}

#[derive(Debug, Deserialize)]
#[allow(dead_code, reason = "only their types matter")]
struct File {
    clips: Vec<Clip>,
    #[serde(rename = "a \"b\"", default)]
    quoted: u8,
}

fn fault_path(text: &str) -> String {
    let fault = match parse::<File>(text.as_bytes()) {
        Ok(_) => panic!("{text}"),
        Err(fault) => fault,
    };
    fault.path
}

#[test]
fn an_error_has_the_path_of_its_value() {
    for (text, path) in [
        ("", ""),
        ("{", ""),
        ("[]", ""),
        (r#"{"clips": 3}"#, "clips"),
        (
            r#"{"clips": [{"name": "a"}, {"name": 4}]}"#,
            "clips[1].name",
        ),
        (
            "{\"clips\": [\n{\"name\": \"a, [{\\\"\"}, \n{}]}",
            "clips[1]",
        ),
        (
            r#"{"clips": [{"name": "a", "keys": [[0, [1, 2]], [1, [3, "x"]]]}]}"#,
            "clips[0].keys[1][1][1]",
        ),
        (
            r#"{"clips": [{"name": "a", "keys": [[0, [1]]]}]}"#,
            "clips[0].keys[0][1]",
        ),
        (r#"{"clips": [], "a \"b\"": true}"#, "a \"b\""),
        (r#"{"clips": []} 5"#, ""),
    ] {
        assert_eq!(fault_path(text), escape::name(path), "{text}");
    }
}

#[test]
fn every_beginning_of_a_text_is_an_error_with_a_path() {
    let text = r#"{"clips": [{"name": "\u00e4\\", "keys": [[0.5, [1e3, -2]]]}]}"#;
    for end in 0..text.len() {
        fault_path(text.get(..end).expect("ASCII"));
    }
}

/// Texts at the edges of the grammar.
const TEXTS: [&str; 40] = [
    "null",
    "true",
    "false",
    "nul",
    "tru",
    "0",
    "-0",
    "-",
    "01",
    "-01",
    "1.",
    ".5",
    "1.5",
    "1e",
    "1e+",
    "1E-2",
    "+1",
    "1e400",
    "18446744073709551615",
    "18446744073709551616",
    "-9223372036854775808",
    "-9223372036854775809",
    "\"\\u00e4\\ud83d\\ude00\\n\\/\"",
    "\"\\ud83d\"",
    "\"\\ude00\"",
    "\"\\ud83d\\u0041\"",
    "\"\\x\"",
    "\"a\nb\"",
    "\"a",
    "[]",
    "[1, 2,]",
    "[1 2]",
    "[,1]",
    "[1",
    "{}",
    "{\"a\": 1, \"a\": [true]}",
    "{\"a\" 1}",
    "{a: 1}",
    "{\"a\": 1,}",
    " [ {\"a\" : [ -1.25e-3 , null ] } ] x",
];

/// serde_json is the reference of the grammar.
#[test]
fn the_same_texts_are_json_as_for_serde_json() {
    for text in TEXTS {
        let expected = serde_json::from_str::<serde_json::Value>(text).ok();
        assert_eq!(parse_value(text.as_bytes()).ok(), expected, "{text}");
        let skipped = parse::<serde::de::IgnoredAny>(text.as_bytes()).is_ok();
        let is_skipped = serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok();
        assert_eq!(skipped, is_skipped, "{text}");
    }
}

#[test]
fn values_without_a_field_are_reported_below_the_wanted_keys() {
    let text = br#"{"clips": [{"name": "a", "x": {"y": 1}}], "other": {"z": 2}, "a \"b\"": 3}"#;
    let paths = |keys| {
        let mut paths = Vec::new();
        let mut report = |steps: &[Step]| paths.push(path_of(steps));
        let parsed = parse_and_report::<File>(text, keys, &mut report);
        assert!(parsed.is_ok());
        paths
    };
    assert_eq!(paths(&[]), ["clips[0].x", "other"]);
    assert_eq!(paths(&["clips"]), ["clips[0].x"]);
}

#[test]
fn nesting_is_limited_where_values_are_read() {
    let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
    let limit = usize::from(MAX_DEPTH);
    assert!(parse_value(nested(limit).as_bytes()).is_ok());
    assert!(parse_value(nested(limit + 1).as_bytes()).is_err());
    let deep = nested(100_000);
    assert!(parse::<serde::de::IgnoredAny>(deep.as_bytes()).is_ok());
}
