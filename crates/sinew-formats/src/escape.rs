//! Text from files, made safe for display: short, on one line, without control characters.

#[cfg(feature = "json-text")]
use serde_json::Value;
use std::path::Path;

/// Maximum number of displayed characters of a name or text.
const MAX_SHOWN: usize = 80;

/// Returns a text in quotes, truncated and escaped.
pub(crate) fn text(text: &str) -> String {
    let (start, more) = cut(text);
    format!("{start:?}{more}")
}

/// Returns a name without quotes, truncated and escaped.
pub(crate) fn name(name: &str) -> String {
    let (start, more) = cut(name);
    // `escape_debug` would escape apostrophes too.
    let quoted = format!("{start:?}");
    format!("{}{more}", &quoted[1..quoted.len() - 1])
}

/// Returns a full path with control characters escaped.
pub(crate) fn path(path: &Path) -> String {
    let mut shown = String::new();
    for character in path.to_string_lossy().chars() {
        match character {
            '"' | '\'' | '\\' => shown.push(character),
            other => shown.extend(other.escape_debug()),
        }
    }
    shown
}

/// Truncates a text; the second value is an ellipsis if something was cut.
fn cut(text: &str) -> (&str, &'static str) {
    match text.char_indices().nth(MAX_SHOWN) {
        Some((end, _)) => (&text[..end], "…"),
        None => (text, ""),
    }
}

#[cfg(feature = "json-text")]
/// Returns a JSON value itself if it is a scalar, else a description of it.
pub(crate) fn value(value: &Value) -> String {
    match value {
        Value::String(string) => text(string),
        Value::Array(_) | Value::Object(_) => kind_of(value).to_owned(),
        Value::Null => "null".to_owned(),
        Value::Bool(flag) => flag.to_string(),
        Value::Number(number) => number.to_string(),
    }
}

#[cfg(feature = "json-text")]
/// Describes the type of a JSON value.
pub(crate) fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

#[cfg(all(test, feature = "json-text"))]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn texts_are_cut_at_a_letter_and_escaped() {
        assert_eq!(text("Left \"Arm\""), r#""Left \"Arm\"""#);
        assert_eq!(text("\u{1b}[31m\n\u{202e}"), r#""\u{1b}[31m\n\u{202e}""#);
        let long = "ä".repeat(MAX_SHOWN);
        assert_eq!(text(&long), format!("\"{long}\""));
        assert_eq!(text(&format!("{long}ä")), format!("\"{long}\"…"));
    }

    #[test]
    fn names_have_no_quotes_but_their_own() {
        assert_eq!(name("atlas0.png"), "atlas0.png");
        assert_eq!(name("\"a\" \u{7}"), r#"\"a\" \u{7}"#);
        let long = "x".repeat(MAX_SHOWN);
        assert_eq!(name(&format!("{long}x")), format!("{long}…"));
    }

    #[test]
    fn paths_are_shown_whole_with_their_quotes_and_backslashes() {
        let long = format!("C:\\it's \"here\"\\{}.skf", "x".repeat(MAX_SHOWN));
        assert_eq!(path(long.as_ref()), long);
        assert_eq!(path("a\u{1b}[31m/ä".as_ref()), "a\\u{1b}[31m/ä");
    }

    #[test]
    fn lists_and_objects_are_named_not_shown() {
        assert_eq!(value(&json!([1, 2])), "a list");
        assert_eq!(value(&json!({ "a": 1 })), "an object");
        assert_eq!(value(&json!("\u{1b}")), r#""\u{1b}""#);
        assert_eq!(value(&json!(null)), "null");
        assert_eq!(value(&json!(1e39)), "1e+39");
    }
}
