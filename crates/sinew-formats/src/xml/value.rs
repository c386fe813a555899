//! Notation of values in XML.

use super::XmlError;
use super::element::{Element, is_true};
use crate::escape;
use crate::json::turned;
use sinew::animation::{Variant, VariantType};
use sinew::glam::{IVec2, IVec3, IVec4, Quat, Vec2, Vec3, Vec4};
use sinew::math::{RotationOrder, dquat_to_quat};
use std::str::FromStr;

/// Returns the type of a name, case-insensitive; `None` for one that no [`Variant`] has.
pub(super) fn kind_of(name: &str) -> Option<VariantType> {
    const KINDS: [(&str, VariantType); 14] = [
        ("Bool", VariantType::Bool),
        ("Int", VariantType::Int),
        ("Int64", VariantType::Int64),
        ("Float", VariantType::Float),
        ("Double", VariantType::Double),
        ("Vector2", VariantType::Vec2),
        ("Vector3", VariantType::Vec3),
        ("Vector4", VariantType::Vec4),
        ("Quaternion", VariantType::Quat),
        ("Color", VariantType::Color),
        ("IntVector2", VariantType::IVec2),
        ("IntVector3", VariantType::IVec3),
        ("IntRect", VariantType::IntRect),
        ("String", VariantType::Text),
    ];
    let same = |(type_name, _): &&(&str, VariantType)| type_name.eq_ignore_ascii_case(name);
    KINDS.iter().find(same).map(|(_, kind)| *kind)
}

/// Reads an attribute as a value of a type; `None` if it is absent or empty, except for texts.
pub(super) fn variant(
    element: &Element<'_>,
    name: &str,
    kind: VariantType,
) -> Result<Option<Variant>, XmlError> {
    let text = element.text(name).unwrap_or_default();
    if kind == VariantType::Text {
        return Ok(element.text(name).map(Variant::from));
    }
    if text.trim().is_empty() {
        return Ok(None);
    }
    Ok(Some(match kind {
        VariantType::Bool => Variant::Bool(is_true(text)),
        VariantType::Int => Variant::Int(one(element, name, "a whole number of 32 bits")?),
        VariantType::Int64 => Variant::Int64(one(element, name, "a whole number of 64 bits")?),
        VariantType::Float => {
            let [number] = numbers(element, name)?;
            Variant::Float(number)
        }
        VariantType::Double => {
            let number: f64 = one(element, name, "a number")?;
            if !number.is_finite() {
                return Err(element.invalid_at(name, "a finite number", number));
            }
            Variant::Double(number)
        }
        VariantType::Vec2 => Vec2::from_array(numbers(element, name)?).into(),
        VariantType::Vec3 => Vec3::from_array(numbers(element, name)?).into(),
        VariantType::Vec4 => Vec4::from_array(numbers(element, name)?).into(),
        VariantType::Quat => rotation(element, name)?.unwrap_or(Quat::IDENTITY).into(),
        VariantType::Color if count(text) == 3 => {
            let [red, green, blue] = numbers(element, name)?;
            Variant::Color(Vec4::new(red, green, blue, 1.0))
        }
        VariantType::Color => Variant::Color(Vec4::from_array(numbers(element, name)?)),
        VariantType::IVec2 => IVec2::from_array(wholes(element, name)?).into(),
        VariantType::IVec3 => IVec3::from_array(wholes(element, name)?).into(),
        VariantType::IntRect => IVec4::from_array(wholes(element, name)?).into(),
        VariantType::Text => Variant::from(text),
    }))
}

/// Returns the default value of a key: zeros, no rotation, white, the empty text.
pub(super) fn usual(kind: VariantType) -> Variant {
    match kind {
        VariantType::Quat => Quat::IDENTITY.into(),
        VariantType::Color => Variant::Color(Vec4::ONE),
        _ => kind.from_numbers([0.0; 4]),
    }
}

/// Reads an attribute as three numbers; `None` if it is absent or empty.
pub(super) fn vector(element: &Element<'_>, name: &str) -> Result<Option<Vec3>, XmlError> {
    if element.text(name).unwrap_or_default().trim().is_empty() {
        return Ok(None);
    }
    numbers(element, name).map(|numbers| Some(Vec3::from_array(numbers)))
}

/// Reads an attribute as a rotation, w first or angles in degrees; `None` if it is absent or empty.
pub(super) fn rotation(element: &Element<'_>, name: &str) -> Result<Option<Quat>, XmlError> {
    let text = element.text(name).unwrap_or_default();
    match count(text) {
        0 => Ok(None),
        3 => {
            let angles: [f32; 3] = numbers(element, name)?;
            let turn = turned(RotationOrder::Yxz, angles.map(f64::from));
            Ok(Some(dquat_to_quat(turn)))
        }
        4 => {
            let [w, x, y, z] = numbers(element, name)?;
            Ok(Some(Quat::from_xyzw(x, y, z, w)))
        }
        _ => {
            let expected = "4 numbers, w x y z, or 3 angles";
            Err(element.invalid_at(name, expected, escape::text(text)))
        }
    }
}

fn count(text: &str) -> usize {
    text.split_ascii_whitespace().count()
}

fn one<T: FromStr>(element: &Element<'_>, name: &str, expected: &str) -> Result<T, XmlError> {
    let text = element.text(name).unwrap_or_default();
    let parsed = text.trim().parse();
    parsed.map_err(|_| element.invalid_at(name, expected, escape::text(text)))
}

fn numbers<const N: usize>(element: &Element<'_>, name: &str) -> Result<[f32; N], XmlError> {
    let expected = if N == 1 { "a number" } else { "numbers" };
    let values: [f32; N] = several(element, name, expected)?;
    if values.iter().all(|value| value.is_finite()) {
        return Ok(values);
    }
    let text = element.text(name).unwrap_or_default();
    Err(element.invalid_at(name, "finite numbers", escape::text(text)))
}

fn wholes<const N: usize>(element: &Element<'_>, name: &str) -> Result<[i32; N], XmlError> {
    several(element, name, "whole numbers")
}

fn several<T: FromStr + Copy + Default, const N: usize>(
    element: &Element<'_>,
    name: &str,
    what: &str,
) -> Result<[T; N], XmlError> {
    let text = element.text(name).unwrap_or_default();
    let mut words = text.split_ascii_whitespace();
    let mut values = [T::default(); N];
    for value in &mut values {
        let parsed = words.next().and_then(|word| word.parse().ok());
        *value = parsed.ok_or_else(|| wrong(element, name, what, N))?;
    }
    match words.next() {
        None => Ok(values),
        Some(_) => Err(wrong(element, name, what, N)),
    }
}

fn wrong(element: &Element<'_>, name: &str, what: &str, count: usize) -> XmlError {
    let found = escape::text(element.text(name).unwrap_or_default());
    if count == 1 {
        return element.invalid_at(name, what, found);
    }
    element.invalid_at(name, format_args!("{count} {what}"), found)
}
