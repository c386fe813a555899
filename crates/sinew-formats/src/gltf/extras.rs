//! Data of our writer in `extras`: `{"sinew": {…}}`.
//!
//! Extras may have any type and hold data of other programs. Anything that is not ours is skipped without being
//! stored.

use crate::json_text::RawJson;
use crate::limits::{MAX_METADATA, MAX_TEXT_BYTES};
use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use sinew::animation::{LoopMotion, MetaValue, Metadata};
use std::fmt;

/// Content of `extras.sinew`; default if it is absent or not ours.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Extras {
    /// Whether `extras.sinew` is present.
    pub(super) ours: bool,
    /// Whether the node is the tip of its parent's bone.
    pub(super) tip: bool,
    /// Whether the node is only a common parent of several roots.
    pub(super) roots: bool,
    /// Keys per second of a list of times.
    pub(super) rate: Option<f64>,
    /// Frames per second of an animation.
    pub(super) frame_rate: Option<f64>,
    /// Length of an animation in seconds, if it differs from its last key.
    pub(super) length: Option<f64>,
    /// Data that glTF cannot represent, as Sinew's JSON.
    pub(super) notes: Option<String>,
    /// The ground motion of a loop.
    pub(super) looping: Option<LoopMotion>,
    /// Metadata of an animation.
    pub(super) metadata: Metadata,
}

/// Notation of [`MetaValue::Number`]s that JSON cannot represent: `{"number": "inf"}`.
pub(super) const NUMBER: &str = "number";

impl<'de> Deserialize<'de> for Extras {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let AnyValue(found) = AnyValue::<ExtrasObject>::deserialize(deserializer)?;
        Ok(found.0)
    }
}

/// A value deserialized from an object; the default for anything else.
trait FromMap<'de>: Default {
    fn from_map<A: MapAccess<'de>>(map: A) -> Result<Self, A::Error>;

    fn from_value(_: MetaValue) -> Self {
        Self::default()
    }
}

/// Any JSON value; `T` keeps what it needs.
struct AnyValue<T>(T);

impl<'de, T: FromMap<'de>> Deserialize<'de> for AnyValue<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let visitor = AnyVisitor(std::marker::PhantomData);
        deserializer.deserialize_any(visitor).map(Self)
    }
}

struct AnyVisitor<T>(std::marker::PhantomData<T>);

impl<'de, T: FromMap<'de>> Visitor<'de> for AnyVisitor<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("anything")
    }

    fn visit_bool<E>(self, flag: bool) -> Result<T, E> {
        Ok(T::from_value(MetaValue::Flag(flag)))
    }

    fn visit_i64<E>(self, number: i64) -> Result<T, E> {
        Ok(T::from_value(MetaValue::Number(number as f64)))
    }

    fn visit_u64<E>(self, number: u64) -> Result<T, E> {
        Ok(T::from_value(MetaValue::Number(number as f64)))
    }

    fn visit_f64<E>(self, number: f64) -> Result<T, E> {
        Ok(T::from_value(MetaValue::Number(number)))
    }

    fn visit_str<E>(self, text: &str) -> Result<T, E> {
        if text.len() > MAX_TEXT_BYTES {
            return Ok(T::default());
        }
        Ok(T::from_value(MetaValue::Text(text.to_owned())))
    }

    fn visit_unit<E>(self) -> Result<T, E> {
        Ok(T::default())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<T, A::Error> {
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(T::default())
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
        T::from_map(map)
    }
}

/// `extras` itself.
#[derive(Default)]
struct ExtrasObject(Extras);

impl<'de> FromMap<'de> for ExtrasObject {
    fn from_map<A: MapAccess<'de>>(mut map: A) -> Result<Self, A::Error> {
        let mut found = Self::default();
        while let Some(key) = map.next_key::<String>()? {
            if key == "sinew" {
                found.0 = map.next_value::<AnyValue<SinewObject>>()?.0.0;
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(found)
    }
}

/// `extras.sinew`.
#[derive(Default)]
struct SinewObject(Extras);

impl<'de> FromMap<'de> for SinewObject {
    fn from_map<A: MapAccess<'de>>(mut map: A) -> Result<Self, A::Error> {
        let mut found = Extras {
            ours: true,
            ..Extras::default()
        };
        while let Some(key) = map.next_key::<String>()? {
            if key == "metadata" {
                found.metadata = map.next_value::<AnyValue<MetadataObject>>()?.0.0;
                continue;
            }
            if key == "notes" {
                let json = map.next_value::<RawJson<'de>>()?;
                found.notes = Some(json.get().to_owned());
                continue;
            }
            if key == "looping" {
                let AnyValue(LoopObject(looping)) = map.next_value()?;
                found.looping = looping.filter(LoopMotion::is_finite);
                continue;
            }
            let AnyValue(Scalar(value)) = map.next_value()?;
            match (key.as_str(), value) {
                ("tip", Some(MetaValue::Flag(flag))) => found.tip = flag,
                ("roots", Some(MetaValue::Flag(flag))) => found.roots = flag,
                ("rate", Some(MetaValue::Number(number))) => found.rate = Some(number),
                ("frame_rate", Some(MetaValue::Number(number))) => found.frame_rate = Some(number),
                ("length", Some(MetaValue::Number(number))) => found.length = Some(number),
                _ => {}
            }
        }
        Ok(Self(found))
    }
}

/// The ground motion of a loop; missing fields are 0 or false.
#[derive(Default)]
struct LoopObject(Option<LoopMotion>);

impl<'de> FromMap<'de> for LoopObject {
    fn from_map<A: MapAccess<'de>>(mut map: A) -> Result<Self, A::Error> {
        let mut found = LoopMotion::default();
        while let Some(key) = map.next_key::<String>()? {
            let AnyValue(Scalar(value)) = map.next_value()?;
            match (key.as_str(), value) {
                ("angle", Some(MetaValue::Number(number))) => found.per_cycle.angle = number,
                ("x", Some(MetaValue::Number(number))) => found.per_cycle.x = number,
                ("z", Some(MetaValue::Number(number))) => found.per_cycle.z = number,
                ("in_place", Some(MetaValue::Flag(flag))) => found.in_place = flag,
                _ => {}
            }
        }
        Ok(Self(Some(found)))
    }
}

#[derive(Default)]
struct MetadataObject(Metadata);

impl<'de> FromMap<'de> for MetadataObject {
    fn from_map<A: MapAccess<'de>>(mut map: A) -> Result<Self, A::Error> {
        let mut found = Self::default();
        while let Some(key) = map.next_key::<String>()? {
            let AnyValue(Scalar(value)) = map.next_value()?;
            let fits = key.len() <= MAX_TEXT_BYTES && found.0.len() < MAX_METADATA;
            if let (Some(value), true) = (value, fits) {
                found.0.insert(key, value);
            }
        }
        Ok(found)
    }
}

/// One text, number or flag.
#[derive(Default)]
struct Scalar(Option<MetaValue>);

impl<'de> FromMap<'de> for Scalar {
    fn from_map<A: MapAccess<'de>>(mut map: A) -> Result<Self, A::Error> {
        let mut found = Self::default();
        while let Some(key) = map.next_key::<String>()? {
            if key == NUMBER {
                found = Self(map.next_value::<AnyValue<SpelledNumber>>()?.0.0);
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(found)
    }

    fn from_value(value: MetaValue) -> Self {
        Self(Some(value))
    }
}

/// A number as a text, because JSON cannot represent it.
#[derive(Default)]
struct SpelledNumber(Option<MetaValue>);

impl<'de> FromMap<'de> for SpelledNumber {
    fn from_map<A: MapAccess<'de>>(mut map: A) -> Result<Self, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Self::default())
    }

    fn from_value(value: MetaValue) -> Self {
        let MetaValue::Text(text) = value else {
            return Self::default();
        };
        Self(text.parse().ok().map(MetaValue::Number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> Extras {
        crate::json_text::parse(json.as_bytes()).unwrap_or_else(|fault| panic!("{}", fault.problem))
    }

    #[test]
    fn what_is_not_ours_says_nothing() {
        for json in [
            "null",
            "7",
            "-7",
            "7.5",
            "true",
            "\"sinew\"",
            "[1, {\"sinew\": {\"tip\": true}}]",
            "{}",
            "{\"other\": {\"tip\": true}}",
            "{\"sinew\": 3}",
            "{\"sinew\": [{\"tip\": true}]}",
        ] {
            assert_eq!(read(json), Extras::default(), "{json}");
        }
        let odd =
            read(r#"{"sinew": {"tip": 1, "rate": "x", "length": {}, "metadata": [], "z": [[]]}}"#);
        let ours = Extras {
            ours: true,
            ..Extras::default()
        };
        assert_eq!(odd, ours);
    }

    #[test]
    fn what_is_ours_is_read() {
        let json = r#"{"a": [], "sinew": {"tip": true, "roots": true, "rate": 120, "frame_rate": 23.976023976023978,
            "length": 1.5, "metadata": {"a": "text", "b": -2, "c": false, "d": {"number": "-inf"}, "e": null}}}"#;
        let found = read(json);
        assert!(found.ours && found.tip && found.roots);
        assert_eq!(found.rate, Some(120.0));
        assert_eq!(found.frame_rate, Some(24000.0 / 1001.0));
        assert_eq!(found.length, Some(1.5));
        let expected = [
            ("a", MetaValue::Text("text".into())),
            ("b", MetaValue::Number(-2.0)),
            ("c", MetaValue::Flag(false)),
            ("d", MetaValue::Number(f64::NEG_INFINITY)),
        ];
        let expected = expected.map(|(key, value)| (key.to_owned(), value));
        assert_eq!(found.metadata, Metadata::from(expected));
    }
}
