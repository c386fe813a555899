//! Notation of numbers, vectors and rotations.

use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess,
    Unexpected, Visitor,
};
use sinew::glam::{DQuat, Quat, Vec3};
use sinew::math::{RotationOrder, dquat_to_quat, rotation_x, rotation_y, rotation_z};
use std::fmt;

/// Notation of numbers that JSON cannot represent: `{"number": "inf"}`.
pub(super) const NUMBER: &str = "number";

/// A reusable reader of one list element.
pub(super) trait ValueElement: Copy {
    /// The value type.
    type Value;

    /// Returns the reader of a tangent of such a value.
    fn tangent(self) -> Self;

    fn read<'de, D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error>;
}

/// A [`ValueElement`] as a seed.
#[derive(Clone, Copy)]
pub(super) struct Seed<E>(pub(super) E);

impl<'de, E: ValueElement> DeserializeSeed<'de> for Seed<E> {
    type Value = E::Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<E::Value, D::Error> {
        self.0.read(deserializer)
    }
}

/// A 32-bit number, finite unless `spelled` is set.
#[derive(Clone, Copy)]
pub(super) struct F32Element {
    /// Whether `{"number": "inf"}` is allowed.
    pub(super) spelled: bool,
}

impl ValueElement for F32Element {
    type Value = f32;

    fn tangent(self) -> Self {
        self
    }

    fn read<'de, D: Deserializer<'de>>(self, deserializer: D) -> Result<f32, D::Error> {
        if self.spelled {
            deserializer.deserialize_any(self)
        } else {
            deserializer.deserialize_f32(self)
        }
    }
}

impl<'de> Visitor<'de> for F32Element {
    type Value = f32;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number of 32 bits")
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<f32, E> {
        let single = number as f32;
        if single.is_finite() {
            Ok(single)
        } else {
            Err(E::invalid_value(Unexpected::Float(number), &self))
        }
    }

    fn visit_i64<E>(self, number: i64) -> Result<f32, E> {
        Ok(number as f32)
    }

    fn visit_u64<E>(self, number: u64) -> Result<f32, E> {
        Ok(number as f32)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<f32, A::Error> {
        if !self.spelled {
            return Err(A::Error::invalid_type(Unexpected::Map, &self));
        }
        spelled_out(map).map(|number| number as f32)
    }
}

/// A 64-bit number, finite unless `spelled` is set.
#[derive(Clone, Copy)]
pub(super) struct F64Element {
    /// Whether `{"number": "inf"}` is allowed.
    pub(super) spelled: bool,
}

impl<'de> DeserializeSeed<'de> for F64Element {
    type Value = f64;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<f64, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for F64Element {
    type Value = f64;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number")
    }

    fn visit_f64<E>(self, number: f64) -> Result<f64, E> {
        Ok(number)
    }

    fn visit_i64<E>(self, number: i64) -> Result<f64, E> {
        Ok(number as f64)
    }

    fn visit_u64<E>(self, number: u64) -> Result<f64, E> {
        Ok(number as f64)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<f64, A::Error> {
        if !self.spelled {
            return Err(A::Error::invalid_type(Unexpected::Map, &self));
        }
        spelled_out(map)
    }
}

/// Reads `{"number": "inf"}`.
pub(super) fn spelled_out<'de, A: MapAccess<'de>>(mut map: A) -> Result<f64, A::Error> {
    let wrong = || A::Error::custom("an object is a number only as {\"number\": \"inf\"}");
    let mut number = None;
    while let Some(key) = map.next_key::<String>()? {
        if key != NUMBER || number.is_some() {
            return Err(wrong());
        }
        let text: String = map.next_value()?;
        number = Some(text.parse().map_err(|_| wrong())?);
    }
    number.ok_or_else(wrong)
}

/// A list of `N` values.
#[derive(Clone, Copy)]
pub(super) struct ValueList<S, const N: usize>(pub(super) S);

impl<'de, S, const N: usize> DeserializeSeed<'de> for ValueList<S, N>
where
    S: DeserializeSeed<'de, Value: Copy + Default> + Copy,
{
    type Value = [S::Value; N];

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de, S, const N: usize> Visitor<'de> for ValueList<S, N>
where
    S: DeserializeSeed<'de, Value: Copy + Default> + Copy,
{
    type Value = [S::Value; N];

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a list of {N} numbers")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        let mut values = [S::Value::default(); N];
        for (index, value) in values.iter_mut().enumerate() {
            let Some(next) = list.next_element_seed(self.0)? else {
                return Err(A::Error::custom(format_args!(
                    "{index} numbers, expected a list of {N} numbers"
                )));
            };
            *value = next;
        }
        if list.next_element::<IgnoredAny>()?.is_some() {
            return Err(A::Error::custom(format_args!(
                "more numbers, expected a list of {N} numbers"
            )));
        }
        Ok(values)
    }
}

/// Three numbers.
#[derive(Clone, Copy)]
pub(super) struct Vec3Element;

impl ValueElement for Vec3Element {
    type Value = Vec3;

    fn tangent(self) -> Self {
        self
    }

    fn read<'de, D: Deserializer<'de>>(self, deserializer: D) -> Result<Vec3, D::Error> {
        let numbers =
            ValueList::<_, 3>(Seed(F32Element { spelled: false })).deserialize(deserializer)?;
        Ok(Vec3::from_array(numbers))
    }
}

/// A rotation: x, y, z, w or `{"degrees": [x, y, z], "order": "XYZ"}`.
#[derive(Clone, Copy)]
pub(super) struct RotationElement {
    /// Whether degrees are allowed; the tangent of a rotation does not allow them.
    pub(super) degrees: bool,
    /// Whether `{"number": "inf"}` is allowed.
    pub(super) spelled: bool,
}

impl RotationElement {
    /// Notation of the rotation of a key or joint.
    pub(super) const KEY: Self = Self {
        degrees: true,
        spelled: false,
    };
}

impl ValueElement for RotationElement {
    type Value = Quat;

    fn tangent(self) -> Self {
        Self {
            degrees: false,
            ..self
        }
    }

    fn read<'de, D: Deserializer<'de>>(self, deserializer: D) -> Result<Quat, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for RotationElement {
    type Value = Quat;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of 4 numbers (x y z w)")?;
        if self.degrees {
            f.write_str(" or {\"degrees\": [x y z]}")?;
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Quat, A::Error> {
        let spelled = self.spelled;
        let numbers = ValueList::<_, 4>(Seed(F32Element { spelled })).visit_seq(list)?;
        Ok(Quat::from_array(numbers))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Quat, A::Error> {
        if !self.degrees {
            return Err(A::Error::invalid_type(Unexpected::Map, &self));
        }
        let (mut degrees, mut order) = (None, None);
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "degrees" => {
                    let numbers = ValueList::<_, 3>(F64Element { spelled: false });
                    degrees = Some(map.next_value_seed(numbers)?);
                }
                "order" => order = Some(map.next_value::<Order>()?),
                _ => return Err(A::Error::unknown_field(&key, &["degrees", "order"])),
            }
        }
        let degrees = degrees.ok_or_else(|| A::Error::missing_field("degrees"))?;
        let order = order.map_or(RotationOrder::Xyz, |order| order.0);
        Ok(dquat_to_quat(turned(order, degrees)))
    }
}

/// Returns the rotation of angles in degrees about x, y and z, multiplied in an order.
pub(crate) fn turned(order: RotationOrder, degrees: [f64; 3]) -> DQuat {
    let [x, y, z] = degrees.map(f64::to_radians);
    let turns = [rotation_x(x), rotation_y(y), rotation_z(z)];
    let [first, second, third] = order.axes().map(|axis| turns[axis]);
    first * second * third
}

struct Order(RotationOrder);

impl<'de> Deserialize<'de> for Order {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let order = match text.to_ascii_uppercase().as_str() {
            "XYZ" => RotationOrder::Xyz,
            "XZY" => RotationOrder::Xzy,
            "YXZ" => RotationOrder::Yxz,
            "YZX" => RotationOrder::Yzx,
            "ZXY" => RotationOrder::Zxy,
            "ZYX" => RotationOrder::Zyx,
            _ => {
                let expected = "XYZ, XZY, YXZ, YZX, ZXY or ZYX";
                return Err(D::Error::invalid_value(Unexpected::Str(&text), &expected));
            }
        };
        Ok(Self(order))
    }
}
