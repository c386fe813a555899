//! A writer of JSON, much smaller than a serializer.

use sinew::animation::Variant;
use sinew_formats::Warnings;
use std::fmt::Write;

/// A JSON text under construction. Every value is followed by a comma, which the end of its list or object replaces.
#[derive(Default)]
pub(crate) struct Json(String);

impl Json {
    /// Writes an object.
    pub(crate) fn object(&mut self, fill: impl FnOnce(&mut Self)) {
        self.nest('{', '}', fill);
    }

    /// Writes a list.
    pub(crate) fn list<T>(
        &mut self,
        items: impl IntoIterator<Item = T>,
        mut write: impl FnMut(&mut Self, T),
    ) {
        self.nest('[', ']', |json| {
            items.into_iter().for_each(|item| write(json, item))
        });
    }

    fn nest(&mut self, open: char, close: char, fill: impl FnOnce(&mut Self)) {
        self.0.push(open);
        fill(self);
        if self.0.ends_with(',') {
            self.0.pop();
        }
        self.0.push(close);
        self.0.push(',');
    }

    /// Writes the key of the next value of an object.
    pub(crate) fn key(&mut self, key: &str) -> &mut Self {
        self.text(key);
        self.0.pop();
        self.0.push(':');
        self
    }

    /// Writes a text.
    pub(crate) fn text(&mut self, text: &str) {
        self.0.push('"');
        for letter in text.chars() {
            match letter {
                '"' | '\\' => self.0.extend(['\\', letter]),
                '\0'..='\x1f' => {
                    let _ = write!(self.0, "\\u{:04x}", u32::from(letter));
                }
                _ => self.0.push(letter),
            }
        }
        self.0.push_str("\",");
    }

    /// Writes a number; `null` if it is not finite.
    pub(crate) fn number(&mut self, number: f64) {
        if number.is_finite() {
            let _ = write!(self.0, "{number},");
        } else {
            self.0.push_str("null,");
        }
    }

    /// Writes an index; -1 for none.
    pub(crate) fn index(&mut self, index: Option<usize>) {
        self.number(index.map_or(-1.0, |index| index as f64));
    }

    pub(crate) fn bool(&mut self, value: bool) {
        self.0.push_str(if value { "true," } else { "false," });
    }

    pub(crate) fn null(&mut self) {
        self.0.push_str("null,");
    }

    /// Writes numbers as a list.
    pub(crate) fn numbers(&mut self, numbers: &[f32]) {
        self.list(numbers, |json, number| json.number(f64::from(*number)));
    }

    /// Writes a value of a track: numbers as a list.
    pub(crate) fn variant(&mut self, value: &Variant) {
        match value {
            Variant::Bool(value) => self.bool(*value),
            Variant::Float(value) => self.numbers(&[*value]),
            Variant::Vec2(value) => self.numbers(&value.to_array()),
            Variant::Vec3(value) => self.numbers(&value.to_array()),
            Variant::Quat(value) => self.numbers(&value.to_array()),
            Variant::Vec4(value) | Variant::Color(value) => self.numbers(&value.to_array()),
            other => self.text(&other.to_string()),
        }
    }

    /// Writes warnings, with the severity of each.
    pub(crate) fn warnings(&mut self, warnings: &Warnings) {
        self.list(warnings.list(), |json, warning| {
            json.object(|json| {
                json.key("severity").text(warning.severity.name());
                json.key("message").text(&warning.to_string());
            });
        });
    }

    /// Returns the text of one value.
    pub(crate) fn finish(mut self) -> String {
        self.0.pop();
        self.0
    }
}
