//! Triggers and metadata.

use super::JsonError;
use super::read::KeyBudget;
use super::spanned::{Spanned, too_many};
use super::tracks::kind_of;
use super::value::Seed;
use super::variant::{TypedValue, UntypedValue};
use crate::json_text::RawJson;
use crate::{Warnings, escape};
use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, Visitor};
use sinew::animation::{MetaValue, Metadata, Trigger, Variant, VariantType};
use std::fmt;

#[derive(Deserialize)]
struct TriggerFields<'a> {
    time: Option<f32>,
    normalized: Option<f32>,
    #[serde(rename = "type")]
    kind: Option<String>,
    #[serde(borrow)]
    data: Option<RawJson<'a>>,
}

/// Time of a trigger.
#[derive(Clone, Copy)]
pub(super) enum TriggerTime {
    Seconds(f32),
    /// Fraction of the length.
    Fraction(f32),
}

/// Reads a trigger. Without data it has an empty text.
pub(super) fn read_trigger(
    spanned: &Spanned<'_>,
    warnings: &mut Warnings,
) -> Result<(TriggerTime, Variant), JsonError> {
    let fields: TriggerFields<'_> = spanned.read(warnings)?;
    let moment = match (fields.time, fields.normalized) {
        (Some(time), None) if time.is_finite() && time >= 0.0 => TriggerTime::Seconds(time),
        (Some(time), None) => {
            return Err(spanned.invalid("a time that is finite and not negative", time));
        }
        (None, Some(ratio)) if (0.0..=1.0).contains(&ratio) => TriggerTime::Fraction(ratio),
        (None, Some(ratio)) => return Err(spanned.invalid("\"normalized\" from 0 to 1", ratio)),
        (Some(_), Some(_)) => return Err(spanned.invalid("\"time\" or \"normalized\"", "both")),
        (None, None) => return Err(spanned.invalid("\"time\" or \"normalized\"", "neither")),
    };
    let kind = fields.kind.as_deref();
    let kind = kind.map(|name| kind_of(spanned, name)).transpose()?;
    let data = match (fields.data, kind) {
        (None, None | Some(VariantType::Text)) => Variant::from(""),
        (None, Some(kind)) => {
            return Err(spanned.invalid(format_args!("data of type {kind}"), "none"));
        }
        (Some(data), None) => spanned.field("data", data).read_with(UntypedValue)?,
        (Some(data), Some(kind)) => spanned.field("data", data).read_with(Seed(TypedValue {
            kind,
            degrees: true,
            spelled: true,
        }))?,
    };
    Ok((moment, data))
}

/// Sorts triggers by time; the order of equal times is stable.
pub(super) fn in_order(moments: Vec<(TriggerTime, Variant)>, length: f32) -> Vec<Trigger> {
    let time = |moment| match moment {
        TriggerTime::Seconds(time) => time,
        TriggerTime::Fraction(ratio) => ratio * length,
    };
    let triggers = moments.into_iter();
    let mut triggers: Vec<Trigger> = triggers
        .map(|(moment, data)| Trigger {
            time: time(moment),
            data,
        })
        .collect();
    // Normalizes negative zero, so that triggers at 0 stay in order.
    triggers.sort_by(|a, b| (a.time + 0.0).total_cmp(&(b.time + 0.0)));
    triggers
}

/// Reads the metadata of an animation.
pub(super) fn read_metadata(
    spanned: &Spanned<'_>,
    budget: &mut KeyBudget,
    warnings: &mut Warnings,
) -> Result<Metadata, JsonError> {
    let limit = budget.entries;
    let entries = spanned.read_with(ObjectEntries { limit })?;
    budget.entries = limit.saturating_sub(entries.len());
    let mut metadata = Metadata::new();
    for (name, value) in entries {
        let field = spanned.field(&name, value);
        if field.first() == b'n' {
            warnings.add(
                spanned.place(),
                escape::name(&name),
                "null is not a value; ignored",
            );
            continue;
        }
        let value = match field.first() {
            b'"' => MetaValue::Text(field.read(warnings)?),
            b't' | b'f' => MetaValue::Flag(field.read(warnings)?),
            b'[' => {
                let expected = "a text, a number, true or false";
                return Err(field.invalid(expected, field.shown()));
            }
            _ => {
                let number = TypedValue {
                    kind: VariantType::Double,
                    degrees: false,
                    spelled: true,
                };
                let number = field.read_with(Seed(number))?;
                let [number, ..] = number.numbers();
                MetaValue::Number(number)
            }
        };
        let shown = escape::name(&name);
        if metadata.insert(name, value).is_some() {
            warnings.add(
                spanned.place(),
                shown,
                "it occurs twice; the last one is used",
            );
        }
    }
    Ok(metadata)
}

/// The names and values of an object with at most `limit` entries.
#[derive(Clone, Copy)]
struct ObjectEntries {
    limit: usize,
}

impl<'de> DeserializeSeed<'de> for ObjectEntries {
    type Value = Vec<(String, RawJson<'de>)>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for ObjectEntries {
    type Value = Vec<(String, RawJson<'de>)>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut pairs = Vec::new();
        while let Some(pair) = map.next_entry()? {
            if pairs.len() >= self.limit {
                return Err(A::Error::custom(too_many(self.limit)));
            }
            pairs.push(pair);
        }
        Ok(pairs)
    }
}
