//! Variants as version 1 has them: several numbers to a key, without types.

use super::JsonError;
use super::keys::Column;
use super::read::KeyBudget;
use super::spanned::Spanned;
use super::value::Single;
use crate::{Warnings, escape};
use serde::Deserialize;
use serde_json::value::RawValue;
use sinew::animation::{KeyTimes, VariantInterpolation, VariantKey, VariantTrack};

#[derive(Deserialize)]
struct Fields<'a> {
    name: String,
    width: usize,
    interpolation: String,
    rate: Option<f64>,
    #[serde(borrow)]
    times: Option<&'a RawValue>,
    #[serde(borrow)]
    values: &'a RawValue,
}

/// Reads one track as one track of floats per column, named `name/0`, `name/1`, …
pub(super) fn read(
    part: &Spanned<'_>,
    room: &mut KeyBudget,
    warnings: &mut Warnings,
) -> Result<Vec<VariantTrack>, JsonError> {
    let fields: Fields<'_> = part.read(warnings)?;
    let (interpolation, parts) = match fields.interpolation.as_str() {
        "step" => (VariantInterpolation::None, 1),
        "linear" => (VariantInterpolation::Linear, 1),
        "cubic" => (VariantInterpolation::TangentSpline, 3),
        other => {
            let expected = "an interpolation, \"step\", \"linear\" or \"cubic\"";
            return Err(part.invalid(expected, escape::text(other)));
        }
    };
    let element = Single { spelled: false };
    let limit = room.keys.saturating_mul(parts);
    let values = part
        .field("values", fields.values)
        .read_with(Column { element, limit })?;
    let per_key = fields.width.saturating_mul(parts);
    if per_key == 0 || !values.len().is_multiple_of(per_key) {
        let expected = format!("values for keys of {per_key} numbers");
        return Err(part.invalid(expected, format_args!("{} numbers", values.len())));
    }
    let count = values.len() / per_key;
    let times = match (fields.rate, fields.times) {
        (Some(rate), None) => KeyTimes::uniform(rate, count),
        (None, Some(times)) => {
            let limit = count;
            let times = part.field("times", times);
            KeyTimes::listed(times.read_with(Column { element, limit })?)
        }
        _ => return Err(part.invalid("a \"rate\" or \"times\"", "both or neither")),
    };
    let times = times.map_err(|error| part.unplayable(error))?;
    if times.len() != count || !times.last().is_finite() {
        let expected = format!("finite times for {count} keys");
        return Err(part.invalid(expected, format_args!("{} times", times.len())));
    }
    room.keys = room.keys.saturating_sub(values.len() / parts);
    room.entries = room
        .entries
        .checked_sub(fields.width)
        .ok_or_else(|| part.invalid("fewer tracks", format_args!("{} more", fields.width)))?;
    let problem = format!(
        "{} numbers to a key, as version 1 has them; read as one track for each",
        fields.width
    );
    warnings.add(part.place(), "", problem);

    let number = |row: usize, column: usize| values.get(row * fields.width + column).copied();
    let key = |column: usize, key: usize| {
        if parts == 1 {
            return Some(VariantKey::new(0.0, number(key, column)?));
        }
        let [into, value, out] = [0, 1, 2].map(|part| number(key * 3 + part, column));
        Some(VariantKey::new(0.0, value?).with_tangents(into?, out?))
    };
    let track = |column: usize| {
        let keys = (0..count).filter_map(|at| key(column, at)).collect();
        let name = format!("{}/{column}", fields.name);
        VariantTrack::with_times(name, interpolation, times.clone(), keys)
            .map_err(|error| part.unplayable(error))
    };
    (0..fields.width).map(track).collect()
}
