//! JSON with preserved spelling: objects and lists whose values are texts, so that unedited content is written byte
//! for byte.

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::fmt;

/// An object, in file order.
#[derive(Clone, Debug, Default)]
pub(super) struct RawObject(Vec<(String, String)>);

impl RawObject {
    pub(super) fn parse(json: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(json)
    }

    pub(super) fn get(&self, key: &str) -> Option<&str> {
        let found = self.0.iter().rev().find(|(name, _)| name == key);
        found.map(|(_, value)| value.as_str())
    }

    pub(super) fn entries(&self) -> impl Iterator<Item = (&str, &str)> {
        let entries = self.0.iter();
        entries.map(|(key, value)| (key.as_str(), value.as_str()))
    }

    /// Replaces the value of a key in place, or adds it at the end.
    pub(super) fn set(&mut self, key: &str, json: impl Into<String>) {
        let json = json.into();
        match self.0.iter_mut().rev().find(|(name, _)| name == key) {
            Some((_, value)) => *value = json,
            None => self.0.push((key.to_owned(), json)),
        }
    }

    pub(super) fn remove(&mut self, key: &str) {
        self.0.retain(|(name, _)| name != key);
    }

    pub(super) fn to_json(&self) -> String {
        let length = |(key, value): &(String, String)| key.len() + value.len() + 4;
        let mut out = String::with_capacity(2 + self.0.iter().map(length).sum::<usize>());
        out.push('{');
        for (index, (key, value)) in self.0.iter().enumerate() {
            if index > 0 {
                out.push(',');
            }
            // Serializing a text cannot fail.
            out += &serde_json::to_string(key).unwrap_or_default();
            out.push(':');
            out += value;
        }
        out.push('}');
        out
    }
}

impl<'de> Deserialize<'de> for RawObject {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ObjectVisitor;
        impl<'de> Visitor<'de> for ObjectVisitor {
            type Value = RawObject;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<RawObject, A::Error> {
                let mut entries = Vec::new();
                while let Some((key, value)) = map.next_entry::<String, Box<RawValue>>()? {
                    entries.push((key, String::from(Box::<str>::from(value))));
                }
                Ok(RawObject(entries))
            }
        }
        deserializer.deserialize_map(ObjectVisitor)
    }
}

/// Returns the values of a list; empty if there is no list.
pub(super) fn list(json: Option<&str>) -> Result<Vec<String>, serde_json::Error> {
    let Some(json) = json else {
        return Ok(Vec::new());
    };
    let values: Vec<&RawValue> = serde_json::from_str(json)?;
    Ok(values.into_iter().map(|raw| raw.get().to_owned()).collect())
}

pub(super) fn list_to_json(values: &[String]) -> String {
    format!("[{}]", values.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_set_is_written_as_it_was_spelled() {
        let json = r#"{"b": 1.50, "a": [1,  2], "c\"": {"x": -0.0e1}}"#;
        let mut object = RawObject::parse(json).expect("an object");
        assert_eq!(
            object.to_json(),
            r#"{"b":1.50,"a":[1,  2],"c\"":{"x": -0.0e1}}"#
        );
        object.set("a", "7");
        object.set("d", "null");
        object.remove("b");
        assert_eq!(object.to_json(), r#"{"a":7,"c\"":{"x": -0.0e1},"d":null}"#);
        assert_eq!(object.get("d"), Some("null"));
        assert_eq!(
            list(Some("[1, {\"a\": 2}]")).expect("a list"),
            ["1", "{\"a\": 2}"]
        );
        assert!(RawObject::parse("[]").is_err() && list(Some("{}")).is_err());
    }
}
