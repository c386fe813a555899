//! Triggers and metadata.

use super::XmlError;
use super::element::Element;
use super::value;
use crate::{Warnings, escape};
use sinew::animation::{MetaValue, Trigger, Variant, VariantType};

/// Reads a trigger of an animation of `length` seconds; `None` if it is discarded.
pub(super) fn read_trigger(
    element: &Element<'_>,
    length: f32,
    warnings: &mut Warnings,
) -> Result<Option<Trigger>, XmlError> {
    element.knows(&["time", "normalizedtime", "type", "value"], warnings);
    let (name, time) = match (element.number("normalizedtime")?, element.number("time")?) {
        (Some(ratio), _) => ("normalizedtime", ratio * length),
        (None, Some(time)) => ("time", time),
        (None, None) => {
            warnings.add(element.place(), "time", "missing; the trigger is ignored");
            return Ok(None);
        }
    };
    if !(time.is_finite() && time >= 0.0) {
        let expected = "a time that is finite and not negative";
        return Err(element.invalid_at(name, expected, time));
    }
    let text = element.text("value").unwrap_or_default();
    let kind_name = element.text("type").unwrap_or("String");
    let data = match value::kind_of(kind_name) {
        Some(kind) => {
            let data = value::variant(element, "value", kind)?;
            data.unwrap_or_else(|| value::usual(kind))
        }
        None => {
            let problem = format!("{} is unknown; kept as a text", escape::text(kind_name));
            warnings.add(element.place(), "type", problem);
            Variant::from(text)
        }
    };
    // Normalizes negative zero, so that triggers at 0 stay in order.
    let time = time + 0.0;
    Ok(Some(Trigger { time, data }))
}

/// Reads a metadata entry; `None` if it has no name.
pub(super) fn read_metadata(
    element: &Element<'_>,
    warnings: &mut Warnings,
) -> Result<Option<(String, MetaValue)>, XmlError> {
    element.knows(&["name", "type", "value"], warnings);
    let Some(name) = element.text("name") else {
        warnings.add(element.place(), "name", "missing; ignored");
        return Ok(None);
    };
    let kind = element.text("type").and_then(value::kind_of);
    let value = match kind {
        Some(
            kind @ (VariantType::Bool
            | VariantType::Int
            | VariantType::Int64
            | VariantType::Float
            | VariantType::Double),
        ) => {
            let value = value::variant(element, "value", kind)?;
            match value.unwrap_or_else(|| value::usual(kind)) {
                Variant::Bool(flag) => MetaValue::Flag(flag),
                value => {
                    let [number, ..] = value.numbers();
                    MetaValue::Number(number)
                }
            }
        }
        _ => MetaValue::Text(text_of(element)),
    };
    Ok(Some((name.to_owned(), value)))
}

/// Returns the text: the value, or the values of the child `<string>`s separated by semicolons.
fn text_of(element: &Element<'_>) -> String {
    if let Some(text) = element.text("value") {
        return text.to_owned();
    }
    let strings = element.children().filter(|child| child.tag() == "string");
    let strings: Vec<&str> = strings.filter_map(|child| child.text("value")).collect();
    strings.join(";")
}
