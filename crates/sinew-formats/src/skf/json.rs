//! Tolerant reading of fields of a JSON object.
//!
//! A missing field gets its default silently; a field of the wrong type gets its default with a warning that names
//! the place and the field.

use super::SkfError;
use super::archive::check_size;
use crate::Warnings;
use crate::escape;
use crate::escape::kind_of;
use crate::limits::MAX_TEXT_BYTES;
use serde_json::{Map, Value};
use sinew::glam::Vec2;
use sinew::skelform::Tint;
use std::fmt;

/// A place in the file, for warnings.
#[derive(Clone, Copy)]
pub(super) struct FieldPath<'a> {
    pub(super) kind: &'static str,
    pub(super) index: usize,
    pub(super) name: &'a str,
    /// Parent place.
    pub(super) part_of: Option<&'a FieldPath<'a>>,
}

/// The character itself.
const WHOLE: FieldPath<'_> = FieldPath::new("armature.json", 0, "");

impl fmt::Display for FieldPath<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(whole) = self.part_of {
            write!(f, "{whole}, ")?;
        }
        if self.is_whole() {
            return f.write_str(self.kind);
        }
        write!(f, "{} {}", self.kind, self.index)?;
        if !self.name.is_empty() {
            write!(f, " {}", escape::text(self.name))?;
        }
        Ok(())
    }
}

impl<'a> FieldPath<'a> {
    /// Creates a place directly in the character.
    pub(super) const fn new(kind: &'static str, index: usize, name: &'a str) -> Self {
        Self {
            kind,
            index,
            name,
            part_of: None,
        }
    }

    fn is_whole(&self) -> bool {
        self.kind == WHOLE.kind
    }
}

/// A JSON object and its place.
#[derive(Clone, Copy)]
pub(super) struct Object<'a> {
    pub(super) map: &'a Map<String, Value>,
    pub(super) place: FieldPath<'a>,
}

impl<'a> Object<'a> {
    pub(super) fn get(&self, key: &str) -> Option<&'a Value> {
        self.map.get(key)
    }

    /// Returns the first of `keys` that is present.
    pub(super) fn first(&self, keys: &[&str]) -> Option<&'a Value> {
        keys.iter().find_map(|key| self.get(key))
    }

    fn wrong(&self, warnings: &mut Warnings, key: &str, found: &Value, instead: impl fmt::Display) {
        warnings.add(
            self.place,
            key,
            format!("{} is not usable; {instead}", kind_of(found)),
        );
    }

    /// Reads a finite number.
    pub(super) fn number(&self, warnings: &mut Warnings, key: &str) -> Option<f32> {
        let value = self.get(key)?;
        let number = finite(value);
        if number.is_none() {
            // Editors write null for numbers that are not finite.
            self.wrong(
                warnings,
                key,
                value,
                "expected a finite number, the default is used",
            );
        }
        number
    }

    /// Reads an integer; fractions are truncated.
    pub(super) fn int(&self, warnings: &mut Warnings, key: &str) -> Option<i64> {
        let value = self.get(key)?;
        if let Some(whole) = whole_number(value) {
            return Some(whole);
        }
        let Some(number) = value.as_f64() else {
            let instead = "expected a whole number, the default is used";
            self.wrong(warnings, key, value, instead);
            return None;
        };
        let cut = number as i64;
        let problem = format!("{} is not whole; {cut} is used", escape::value(value));
        warnings.add(self.place, key, problem);
        Some(cut)
    }

    /// Reads true, false, or a number as nonzero.
    pub(super) fn flag(&self, warnings: &mut Warnings, key: &str) -> Option<bool> {
        let value = self.get(key)?;
        let flag = value.as_bool().or_else(|| value.as_f64().map(|n| n != 0.0));
        if flag.is_none() {
            self.wrong(
                warnings,
                key,
                value,
                "expected true or false, the default is used",
            );
        }
        flag
    }

    /// Reads a text, without the NUL characters that early editors left in.
    pub(super) fn text(&self, warnings: &mut Warnings, key: &str) -> Option<String> {
        let value = self.get(key)?;
        let Some(text) = value.as_str() else {
            self.wrong(warnings, key, value, "expected a text, the default is used");
            return None;
        };
        let start = start_of(text);
        if start.len() < text.len() {
            let problem = format!("{} bytes; cut to {}", text.len(), start.len());
            warnings.add(self.place, key, problem);
        }
        Some(start.replace('\0', ""))
    }

    /// Reads the name, which files of October 2025 store as `_name`; empty if there is none.
    pub(super) fn name(&self, warnings: &mut Warnings) -> String {
        let key = match self.get("name") {
            Some(_) => "name",
            None => "_name",
        };
        self.text(warnings, key).unwrap_or_default()
    }

    /// Reads an object with x and y; a missing coordinate is that of `default`.
    pub(super) fn vec2(&self, warnings: &mut Warnings, key: &str, default: Vec2) -> Option<Vec2> {
        let value = self.get(key)?;
        let Some(map) = value.as_object() else {
            self.wrong(
                warnings,
                key,
                value,
                "expected {\"x\": …, \"y\": …}, the default is used",
            );
            return None;
        };
        let mut axis = |axis: &str, default: f32| {
            let value = map.get(axis)?;
            let number = finite(value);
            if number.is_none() {
                let field = format!("{key}.{axis}");
                let instead = "expected a finite number, the default is used";
                self.wrong(warnings, &field, value, instead);
            }
            Some(number.unwrap_or(default))
        };
        let x = axis("x", default.x).unwrap_or(default.x);
        let y = axis("y", default.y).unwrap_or(default.y);
        Some(Vec2::new(x, y))
    }

    /// Reads an object with r, g, b and a; a missing channel is 1.
    pub(super) fn tint(&self, warnings: &mut Warnings, key: &str) -> Option<Tint> {
        let value = self.get(key)?;
        let Some(map) = value.as_object() else {
            self.wrong(warnings, key, value, "expected a colour, white is used");
            return None;
        };
        let place = self.place;
        let mut channel = |channel: &str| {
            map.get(channel).and_then(finite).unwrap_or_else(|| {
                warnings.add(
                    place,
                    format!("{key}.{channel}"),
                    "missing or not a number; 1 is used",
                );
                1.0
            })
        };
        Some(Tint {
            r: channel("r"),
            g: channel("g"),
            b: channel("b"),
            a: channel("a"),
        })
    }

    /// Reads a list; empty if missing or null.
    ///
    /// # Errors
    /// If it is anything else: the file then does not have the structure of a character.
    pub(super) fn list(&self, key: &str) -> Result<&'a [Value], SkfError> {
        match self.get(key) {
            None | Some(Value::Null) => Ok(&[]),
            Some(Value::Array(list)) => Ok(list),
            Some(other) => Err(SkfError::Shape {
                place: if self.place.is_whole() {
                    key.to_owned()
                } else {
                    format!("{}, {key}", self.place)
                },
                expected: "a list",
                found: kind_of(other),
            }),
        }
    }

    /// Reads a list of at most `limit` objects; the limit is checked before memory is allocated.
    pub(super) fn table(
        &'a self,
        key: &str,
        kind: &'static str,
        limit: usize,
    ) -> Result<Vec<Object<'a>>, SkfError> {
        let count = self.list(key)?.len() as u64;
        check_size(&format!("the number of {key}"), count, limit as u64)?;
        self.objects(key, kind)
    }

    /// Reads a list of objects, each with its place.
    pub(super) fn objects(
        &'a self,
        key: &str,
        kind: &'static str,
    ) -> Result<Vec<Object<'a>>, SkfError> {
        let list = self.list(key)?;
        list.iter()
            .enumerate()
            .map(|(index, value)| {
                let place = FieldPath {
                    kind,
                    index,
                    name: "",
                    part_of: (!self.place.is_whole()).then_some(&self.place),
                };
                object(value, place)
            })
            .collect()
    }
}

/// Returns a number that is also finite as `f32`.
pub(super) fn finite(value: &Value) -> Option<f32> {
    let number = value.as_f64().map(|number| number as f32);
    number.filter(|number| number.is_finite())
}

/// Returns an integer in any notation, saturated.
pub(super) fn whole_number(value: &Value) -> Option<i64> {
    let float = || value.as_f64().filter(|number| number.fract() == 0.0);
    value
        .as_i64()
        .or_else(|| float().map(|number| number as i64))
}

/// Returns the character itself as an object.
pub(super) fn whole(value: &Value) -> Result<Object<'_>, SkfError> {
    object(value, WHOLE)
}

/// Returns `value` as an object, with its name added to its place.
fn object<'a>(value: &'a Value, place: FieldPath<'a>) -> Result<Object<'a>, SkfError> {
    let Some(map) = value.as_object() else {
        return Err(SkfError::Shape {
            place: if place.is_whole() {
                "the character".to_owned()
            } else {
                place.to_string()
            },
            expected: "an object",
            found: kind_of(value),
        });
    };
    let name = map
        .get("name")
        .or(map.get("_name"))
        .and_then(Value::as_str)
        .unwrap_or_default();
    let name = start_of(name.trim_end_matches('\0'));
    Ok(Object {
        map,
        place: FieldPath { name, ..place },
    })
}

/// Truncates a text to its maximum length.
fn start_of(text: &str) -> &str {
    let mut end = text.len().min(MAX_TEXT_BYTES);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}
