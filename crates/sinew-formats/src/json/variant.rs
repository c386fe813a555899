//! Notation of values of every type.

use super::value::{
    F32Element, F64Element, RotationElement, Seed, ValueElement, ValueList, spelled_out,
};
use serde::de::{Deserialize, DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use sinew::animation::{Variant, VariantType};
use sinew::glam::{IVec2, IVec3, IVec4, Vec2, Vec3, Vec4};
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

/// A value of a known type.
#[derive(Clone, Copy)]
pub(super) struct TypedValue {
    pub(super) kind: VariantType,
    /// Whether a rotation may be in degrees.
    pub(super) degrees: bool,
    /// Whether `{"number": "inf"}` is allowed, which keys do not allow.
    pub(super) spelled: bool,
}

impl ValueElement for TypedValue {
    type Value = Variant;

    fn tangent(self) -> Self {
        Self {
            degrees: false,
            ..self
        }
    }

    fn read<'de, D: Deserializer<'de>>(self, d: D) -> Result<Variant, D::Error> {
        let spelled = self.spelled;
        let single = Seed(F32Element { spelled });
        Ok(match self.kind {
            VariantType::Bool => Variant::Bool(bool::deserialize(d)?),
            VariantType::Int => Variant::Int(i32::deserialize(d)?),
            VariantType::Int64 => Variant::Int64(i64::deserialize(d)?),
            VariantType::Float => Variant::Float(single.deserialize(d)?),
            VariantType::Double => Variant::Double(F64Element { spelled }.deserialize(d)?),
            VariantType::Vec2 => Vec2::from_array(ValueList(single).deserialize(d)?).into(),
            VariantType::Vec3 => Vec3::from_array(ValueList(single).deserialize(d)?).into(),
            VariantType::Vec4 => Vec4::from_array(ValueList(single).deserialize(d)?).into(),
            VariantType::Color => {
                Variant::Color(Vec4::from_array(ValueList(single).deserialize(d)?))
            }
            VariantType::Quat => {
                let degrees = self.degrees;
                RotationElement { degrees, spelled }.read(d)?.into()
            }
            VariantType::IVec2 => IVec2::from_array(whole(d)?).into(),
            VariantType::IVec3 => IVec3::from_array(whole(d)?).into(),
            VariantType::IntRect => IVec4::from_array(whole(d)?).into(),
            VariantType::Text => Arc::<str>::from(String::deserialize(d)?).into(),
        })
    }
}

fn whole<'de, D: Deserializer<'de>, const N: usize>(d: D) -> Result<[i32; N], D::Error> {
    ValueList(PhantomData::<i32>).deserialize(d)
}

/// A value whose type JSON implies: a bool, a text, a number (`float`), two to four numbers (`vec2`, `vec3`, `vec4`).
#[derive(Clone, Copy)]
pub(super) struct UntypedValue;

impl<'de> DeserializeSeed<'de> for UntypedValue {
    type Value = Variant;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Variant, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for UntypedValue {
    type Value = Variant;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text or true or false or a number or 2 to 4 numbers; others need a \"type\"")
    }

    fn visit_bool<E>(self, flag: bool) -> Result<Variant, E> {
        Ok(Variant::Bool(flag))
    }

    fn visit_str<E>(self, text: &str) -> Result<Variant, E> {
        Ok(Variant::from(text))
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Variant, E> {
        F32Element { spelled: true }
            .visit_f64(number)
            .map(Variant::Float)
    }

    fn visit_i64<E>(self, number: i64) -> Result<Variant, E> {
        Ok(Variant::Float(number as f32))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Variant, E> {
        Ok(Variant::Float(number as f32))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Variant, A::Error> {
        let mut numbers = [0.0; 4];
        let mut count = 0;
        while let Some(number) = list.next_element_seed(Seed(F32Element { spelled: true }))? {
            let Some(place) = numbers.get_mut(count) else {
                return Err(A::Error::invalid_length(count, &self));
            };
            *place = number;
            count += 1;
        }
        let [x, y, z, w] = numbers;
        Ok(match count {
            2 => Vec2::new(x, y).into(),
            3 => Vec3::new(x, y, z).into(),
            4 => Vec4::new(x, y, z, w).into(),
            _ => return Err(A::Error::invalid_length(count, &self)),
        })
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Variant, A::Error> {
        spelled_out(map).map(|number| Variant::Float(number as f32))
    }
}
