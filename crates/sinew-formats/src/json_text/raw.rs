//! JSON values that are parsed later, once their type is known.

use serde::de::{Deserialize, Deserializer, Error, Visitor};
use std::fmt;

/// Name that asks the deserializer for the text of a value.
pub(super) const RAW: &str = "sinew raw JSON";

/// The text of a JSON value, checked, without white space around it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RawJson<'a>(&'a str);

impl<'a> RawJson<'a> {
    pub(crate) fn get(self) -> &'a str {
        self.0
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for RawJson<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_newtype_struct(RAW, RawVisitor)
    }
}

struct RawVisitor;

impl<'de> Visitor<'de> for RawVisitor {
    type Value = RawJson<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<RawJson<'de>, E> {
        Ok(RawJson(text))
    }
}
