//! Keys of a channel or variant track: times, values and tangents.

use super::JsonError;
use super::spanned::{Spanned, too_many};
use super::value::{F32Element, Seed, ValueElement};
use crate::Warnings;
use crate::json_text::RawJson;
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, SeqAccess, Visitor};
use sinew::animation::KeyTimes;
use std::fmt;

/// The fields of keys.
pub(super) struct KeyFields<'a> {
    pub(super) rate: Option<f64>,
    pub(super) times: Option<RawJson<'a>>,
    pub(super) values: Option<RawJson<'a>>,
    pub(super) in_tangents: Option<RawJson<'a>>,
    pub(super) out_tangents: Option<RawJson<'a>>,
    pub(super) keys: Option<RawJson<'a>>,
}

/// Keys sorted by time.
pub(super) struct Keys<V> {
    pub(super) times: KeyTimes,
    pub(super) values: Vec<V>,
    /// In and out tangents of each key, if any.
    pub(super) tangents: Option<[Vec<V>; 2]>,
}

/// Reads keys, at most `limit`.
pub(super) fn read<E: ValueElement>(
    spanned: &Spanned<'_>,
    fields: &KeyFields<'_>,
    element: E,
    limit: usize,
    warnings: &mut Warnings,
) -> Result<Keys<E::Value>, JsonError> {
    const EITHER: &str = "either \"keys\", or \"values\" with a \"rate\" or \"times\"";
    let Some(keys) = fields.keys else {
        let Some(values) = fields.values else {
            return Err(spanned.invalid(EITHER, "neither"));
        };
        return read_columns(spanned, fields, values, element, limit);
    };
    if fields.rate.is_some() || fields.times.is_some() || fields.values.is_some() {
        return Err(spanned.invalid(EITHER, "both"));
    }
    if fields.in_tangents.is_some() || fields.out_tangents.is_some() {
        return Err(spanned.invalid("the tangents in the keys", "a separate list of them"));
    }
    let list = spanned.field("keys", keys);
    let mut rows = list.read_with(KeyRows { element, limit })?;
    if !rows.times.is_sorted() {
        let problem = "not sorted by time; sorted";
        warnings.add(list.place(), "", problem);
        rows.sort();
    }
    let times = KeyTimes::listed(rows.times).map_err(|error| list.unplayable(error))?;
    Ok(Keys {
        times,
        values: rows.values,
        tangents: (!rows.into.is_empty()).then_some([rows.into, rows.out]),
    })
}

/// Reads values and tangents from separate lists.
fn read_columns<'a, E: ValueElement>(
    spanned: &Spanned<'a>,
    fields: &KeyFields<'a>,
    values: RawJson<'a>,
    element: E,
    limit: usize,
) -> Result<Keys<E::Value>, JsonError> {
    let values = spanned
        .field("values", values)
        .read_with(Column { element, limit })?;
    let times = match (fields.rate, fields.times) {
        (Some(rate), None) => KeyTimes::uniform(rate, values.len()),
        (None, Some(times)) => {
            let element = F32Element { spelled: false };
            let times = spanned.field("times", times);
            let list = times.read_with(Column { element, limit })?;
            if list.len() != values.len() {
                let expected = format!("a time for each of {} values", values.len());
                return Err(times.invalid(expected, format_args!("{} times", list.len())));
            }
            KeyTimes::listed(list)
        }
        (Some(_), Some(_)) => return Err(spanned.invalid("a \"rate\" or \"times\"", "both")),
        (None, None) => return Err(spanned.invalid("a \"rate\" or \"times\"", "neither")),
    };
    let times = times.map_err(|error| spanned.unplayable(error))?;
    if !times.last().is_finite() {
        let found = format!("a rate of {}", times.rate().unwrap_or(0.0));
        return Err(spanned.invalid("a rate at which the last key is at a finite time", found));
    }
    let tangents = |name, list| {
        let column = spanned.field(name, list);
        let tangents = column.read_with(Column {
            element: element.tangent(),
            limit: values.len(),
        })?;
        if tangents.len() == values.len() {
            return Ok(tangents);
        }
        let expected = format!("a tangent for each of {} values", values.len());
        Err(column.invalid(expected, format_args!("{} tangents", tangents.len())))
    };
    let tangents = match (fields.in_tangents, fields.out_tangents) {
        (Some(into), Some(out)) => Some([
            tangents("in_tangents", into)?,
            tangents("out_tangents", out)?,
        ]),
        (None, None) => None,
        _ => {
            let found = "only one of them";
            return Err(spanned.invalid("\"in_tangents\" and \"out_tangents\"", found));
        }
    };
    Ok(Keys {
        times,
        values,
        tangents,
    })
}

/// A list of at most `limit` values.
#[derive(Clone, Copy)]
pub(super) struct Column<E> {
    pub(super) element: E,
    pub(super) limit: usize,
}

impl<'de, E: ValueElement> DeserializeSeed<'de> for Column<E> {
    type Value = Vec<E::Value>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de, E: ValueElement> Visitor<'de> for Column<E> {
    type Value = Vec<E::Value>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        let mut values = Vec::new();
        while let Some(value) = list.next_element_seed(Seed(self.element))? {
            if values.len() >= self.limit {
                return Err(A::Error::custom(too_many(self.limit)));
            }
            values.push(value);
        }
        Ok(values)
    }
}

/// A list of at most `limit` keys, each `[time, value]` or `[time, value, in, out]`.
#[derive(Clone, Copy)]
struct KeyRows<E> {
    element: E,
    limit: usize,
}

/// Keys, column by column. Tangents are empty, or there are as many as values.
struct KeyColumns<V> {
    times: Vec<f32>,
    values: Vec<V>,
    into: Vec<V>,
    out: Vec<V>,
}

impl<V> KeyColumns<V> {
    /// Sorts keys by time; the order of equal times is stable.
    fn sort(&mut self) {
        let mut order: Vec<usize> = (0..self.times.len()).collect();
        // Normalizes negative zero, so that keys at 0 stay in order.
        let time = |key: &usize| self.times.get(*key).copied().unwrap_or(0.0) + 0.0;
        order.sort_by(|a, b| time(a).total_cmp(&time(b)));
        reorder(&mut self.times, &order);
        reorder(&mut self.values, &order);
        reorder(&mut self.into, &order);
        reorder(&mut self.out, &order);
    }
}

/// Permutes a list.
fn reorder<V>(list: &mut Vec<V>, order: &[usize]) {
    let mut slots: Vec<Option<V>> = list.drain(..).map(Some).collect();
    let take = |from: &usize| slots.get_mut(*from).and_then(Option::take);
    list.extend(order.iter().filter_map(take));
}

impl<'de, E: ValueElement> DeserializeSeed<'de> for KeyRows<E> {
    type Value = KeyColumns<E::Value>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de, E: ValueElement> Visitor<'de> for KeyRows<E> {
    type Value = KeyColumns<E::Value>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of keys")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        let mut read = KeyColumns {
            times: Vec::new(),
            values: Vec::new(),
            into: Vec::new(),
            out: Vec::new(),
        };
        loop {
            let row = KeyRow {
                element: self.element,
                read: &mut read,
            };
            if list.next_element_seed(row)?.is_none() {
                return Ok(read);
            }
            if read.times.len() > self.limit {
                return Err(A::Error::custom(too_many(self.limit)));
            }
        }
    }
}

/// One key, appended to the previous ones.
struct KeyRow<'r, E: ValueElement> {
    element: E,
    read: &'r mut KeyColumns<E::Value>,
}

impl<'de, E: ValueElement> DeserializeSeed<'de> for KeyRow<'_, E> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de, E: ValueElement> Visitor<'de> for KeyRow<'_, E> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key: [time, value] or [time, value, in, out]")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        let wrong =
            |count| A::Error::invalid_length(count, &"[time, value] or [time, value, in, out]");
        let Some(time) = list.next_element_seed(Seed(F32Element { spelled: false }))? else {
            return Err(wrong(0));
        };
        if time < 0.0 {
            let found = serde::de::Unexpected::Float(time.into());
            return Err(A::Error::invalid_value(
                found,
                &"a time that is not negative",
            ));
        }
        let Some(value) = list.next_element_seed(Seed(self.element))? else {
            return Err(wrong(1));
        };
        let into = list.next_element_seed(Seed(self.element.tangent()))?;
        let has_tangents = into.is_some();
        if let Some(into) = into {
            let Some(out) = list.next_element_seed(Seed(self.element.tangent()))? else {
                return Err(wrong(3));
            };
            self.read.into.push(into);
            self.read.out.push(out);
            if list.next_element::<IgnoredAny>()?.is_some() {
                return Err(wrong(5));
            }
        }
        let tangents_before =
            !self.read.values.is_empty() && self.read.into.len() > usize::from(has_tangents);
        if !self.read.values.is_empty() && has_tangents != tangents_before {
            let found = if has_tangents {
                "tangents"
            } else {
                "no tangents"
            };
            return Err(A::Error::custom(format_args!(
                "{found}, expected keys that all have them or all lack them"
            )));
        }
        self.read.times.push(time);
        self.read.values.push(value);
        Ok(())
    }
}
