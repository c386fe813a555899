//! The syntax tree of a script.
//!
//! Input: text → output: a tree whose parts know their path, such as `timeline[3].fade`, for error messages.

use crate::names::{did_you_mean, quote};
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use std::collections::HashSet;
use std::fmt;

/// An error in a script, with its location.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{}{problem}", if place.is_empty() { String::new() } else { format!("{place}: ") })]
pub(crate) struct ScriptError {
    /// `line 3, column 5`, or a path such as `timeline[3].fade`; empty for the whole script.
    pub(crate) place: String,
    pub(crate) problem: String,
}

impl ScriptError {
    pub(crate) fn new(place: impl Into<String>, problem: impl Into<String>) -> Self {
        Self {
            place: place.into(),
            problem: problem.into(),
        }
    }
}

/// A value of a script.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Node {
    Null,
    Bool(bool),
    Number(f64),
    Text(String),
    List(Vec<Node>),
    /// In file order; keys may repeat.
    Object(Vec<(String, Node)>),
}

/// Parses a script.
pub(crate) fn parse(text: &str) -> Result<Node, ScriptError> {
    serde_json::from_str(text).map_err(|error| {
        let said = error.to_string();
        let problem = said.split(" at line ").next().unwrap_or_default();
        let place = format!("line {}, column {}", error.line(), error.column());
        ScriptError::new(place, format!("invalid JSON: {problem}"))
    })
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NodeVisitor)
    }
}

struct NodeVisitor;

impl<'de> Visitor<'de> for NodeVisitor {
    type Value = Node;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<Node, E> {
        Ok(Node::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Node, E> {
        Ok(Node::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Node, E> {
        Ok(Node::Number(value as f64))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Node, E> {
        Ok(Node::Number(value as f64))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Node, E> {
        Ok(Node::Number(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<Node, E> {
        Ok(Node::Text(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Node, A::Error> {
        let mut list = Vec::new();
        while let Some(node) = seq.next_element()? {
            list.push(node);
        }
        Ok(Node::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Node, A::Error> {
        let mut fields = Vec::new();
        while let Some(field) = map.next_entry()? {
            fields.push(field);
        }
        Ok(Node::Object(fields))
    }
}

/// A value and its path.
#[derive(Clone, Debug)]
pub(crate) struct ScriptValue<'a> {
    pub(crate) node: &'a Node,
    pub(crate) place: String,
}

impl<'a> ScriptValue<'a> {
    pub(crate) fn root(node: &'a Node) -> Self {
        Self {
            node,
            place: String::new(),
        }
    }

    pub(crate) fn error(&self, problem: impl Into<String>) -> ScriptError {
        ScriptError::new(self.place.clone(), problem)
    }

    /// Returns the error of an unexpected value.
    pub(crate) fn mismatch(&self, what: &str) -> ScriptError {
        let found = match self.node {
            Node::Null => "null".to_owned(),
            Node::Bool(flag) => flag.to_string(),
            Node::Number(number) => number.to_string(),
            Node::Text(text) => quote(text),
            Node::List(_) => "a list".to_owned(),
            Node::Object(_) => "an object".to_owned(),
        };
        self.error(format!("expected {what}, found {found}"))
    }

    /// Returns its fields; fails if one is repeated or not in `known`.
    pub(crate) fn object(&self, what: &str, known: &[&str]) -> Result<Fields<'a>, ScriptError> {
        let Node::Object(fields) = self.node else {
            return Err(self.mismatch(what));
        };
        let object_fields = Fields {
            fields,
            place: self.place.clone(),
        };
        let mut seen = HashSet::new();
        for (name, _) in fields {
            let place = object_fields.place_of(name);
            if !seen.insert(name.as_str()) {
                return Err(ScriptError::new(place, "duplicate field"));
            }
            if !known.is_empty() && !known.contains(&name.as_str()) {
                let maybe = did_you_mean(name, known.iter().copied());
                let known = known.join(", ");
                let problem = format!("unknown field{maybe}; expected {known}");
                return Err(ScriptError::new(place, problem));
            }
        }
        Ok(object_fields)
    }

    pub(crate) fn list(&self, what: &str) -> Result<Vec<Self>, ScriptError> {
        let Node::List(list) = self.node else {
            return Err(self.mismatch(what));
        };
        let value = |(index, node)| ScriptValue {
            node,
            place: format!("{}[{index}]", self.place),
        };
        Ok(list.iter().enumerate().map(value).collect())
    }

    pub(crate) fn text(&self, what: &str) -> Result<&'a str, ScriptError> {
        match self.node {
            Node::Text(text) if !text.is_empty() => Ok(text),
            _ => Err(self.mismatch(what)),
        }
    }

    pub(crate) fn flag(&self) -> Result<bool, ScriptError> {
        match self.node {
            Node::Bool(flag) => Ok(*flag),
            _ => Err(self.mismatch("true or false")),
        }
    }

    /// Returns a number in the range `low..=high`.
    pub(crate) fn number(&self, what: &str, low: f64, high: f64) -> Result<f64, ScriptError> {
        match self.node {
            Node::Number(number) if *number >= low && *number <= high => Ok(*number),
            _ => {
                let range = format!("{what} from {low} to {high}");
                Err(self.mismatch(&range))
            }
        }
    }

    /// Returns a time in seconds within the length of an animation, both ends included.
    pub(crate) fn time_within(&self, animation: &str, length: f32) -> Result<f32, ScriptError> {
        match self.node {
            // Compared as `f32`, so that the printed length of the animation is valid.
            Node::Number(time) if *time >= 0.0 && *time as f32 <= length => Ok(*time as f32),
            _ => {
                let name = quote(animation);
                Err(self.mismatch(&format!("seconds from 0 to {length}, the length of {name}")))
            }
        }
    }
}

/// The fields of an object.
pub(crate) struct Fields<'a> {
    fields: &'a [(String, Node)],
    place: String,
}

impl<'a> Fields<'a> {
    fn place_of(&self, name: &str) -> String {
        // Other names are quoted and truncated.
        let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let name = match name {
            _ if name.len() <= 40 && !name.is_empty() && name.chars().all(is_plain) => {
                name.to_owned()
            }
            _ => quote(name),
        };
        if self.place.is_empty() {
            name
        } else {
            format!("{}.{name}", self.place)
        }
    }

    pub(crate) fn get(&self, name: &str) -> Option<ScriptValue<'a>> {
        let (_, node) = self
            .fields
            .iter()
            .find(|(field_name, _)| field_name == name)?;
        Some(ScriptValue {
            node,
            place: self.place_of(name),
        })
    }

    pub(crate) fn require(&self, name: &str, what: &str) -> Result<ScriptValue<'a>, ScriptError> {
        self.get(name).ok_or_else(|| {
            ScriptError::new(self.place.clone(), format!("missing {name:?}: {what}"))
        })
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&'a str, ScriptValue<'a>)> {
        self.fields.iter().map(|(name, node)| {
            let place = self.place_of(name);
            (name.as_str(), ScriptValue { node, place })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error_of(text: &str, read: impl Fn(ScriptValue<'_>) -> Result<(), ScriptError>) -> String {
        let node = parse(text).unwrap();
        read(ScriptValue::root(&node)).unwrap_err().to_string()
    }

    #[test]
    fn what_is_no_json_is_told_with_line_and_column() {
        let error = parse("{\n  \"a\": ,\n}").unwrap_err();
        assert_eq!(error.place, "line 2, column 8");
        assert!(parse("").is_err() && parse(&"[".repeat(100_000)).is_err());
    }

    #[test]
    fn fields_that_are_unknown_or_twice_are_told_with_their_place() {
        let object =
            |value: ScriptValue<'_>| value.object("an object", &["fade", "speed"]).map(|_| ());
        let unknown = error_of(r#"{ "fde": 1 }"#, object);
        assert_eq!(
            unknown,
            "fde: unknown field (did you mean \"fade\"?); expected fade, speed"
        );
        assert_eq!(
            error_of(r#"{ "fade": 1, "fade": 2 }"#, object),
            "fade: duplicate field"
        );
        assert_eq!(error_of("[]", object), "expected an object, found a list");
    }

    #[test]
    fn what_is_found_instead_is_told() {
        let second = |value: ScriptValue<'_>| {
            value.list("a list")?[1]
                .number("a weight", 0.0, 1.0)
                .map(|_| ())
        };
        assert_eq!(
            error_of("[0, 2]", second),
            "[1]: expected a weight from 0 to 1, found 2"
        );
        assert_eq!(
            error_of(r#"[0, "x\u001b"]"#, second),
            "[1]: expected a weight from 0 to 1, found \"x\\u{1b}\""
        );
        assert_eq!(
            error_of("[0, null]", second),
            "[1]: expected a weight from 0 to 1, found null"
        );
    }
}
