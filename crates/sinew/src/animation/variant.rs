//! Values of several types, for animated attributes other than transforms.

use super::ChannelValue;
use crate::math::quat_slerp;
use alloc::string::String;
use alloc::sync::Arc;
use core::fmt;
use glam::{IVec2, IVec3, IVec4, Quat, Vec2, Vec3, Vec4};

/// The error of a ratio in single precision, including that of its time.
const RATIO_ROUNDING: f64 = 2.5e-7;

/// A value of a [`super::VariantTrack`] or attribute. Cloning never allocates.
#[derive(Clone, Debug, PartialEq)]
pub enum Variant {
    /// A boolean.
    Bool(bool),
    /// An integer.
    Int(i32),
    /// A 64-bit integer; interpolation and blending are exact up to 2^53.
    Int64(i64),
    /// A number.
    Float(f32),
    /// A number in double precision.
    Double(f64),
    /// Two numbers.
    Vec2(Vec2),
    /// Three numbers.
    Vec3(Vec3),
    /// Four numbers.
    Vec4(Vec4),
    /// A rotation.
    Quat(Quat),
    /// Red, green, blue and opacity, from 0 to 1.
    Color(Vec4),
    /// Two integers.
    IVec2(IVec2),
    /// Three integers.
    IVec3(IVec3),
    /// An integer rectangle: left, top, right, bottom.
    IntRect(IVec4),
    /// A text.
    Text(Arc<str>),
}

/// The type of a [`Variant`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs, reason = "each is the type of the variant of its name")]
pub enum VariantType {
    Bool,
    Int,
    Int64,
    Float,
    Double,
    Vec2,
    Vec3,
    Vec4,
    Quat,
    Color,
    IVec2,
    IVec3,
    IntRect,
    Text,
}

impl VariantType {
    /// All types.
    pub const ALL: [Self; 14] = [
        Self::Bool,
        Self::Int,
        Self::Int64,
        Self::Float,
        Self::Double,
        Self::Vec2,
        Self::Vec3,
        Self::Vec4,
        Self::Quat,
        Self::Color,
        Self::IVec2,
        Self::IVec3,
        Self::IntRect,
        Self::Text,
    ];

    /// Returns the name used in files and messages.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bool => "bool",
            Self::Int => "int",
            Self::Int64 => "int64",
            Self::Float => "float",
            Self::Double => "double",
            Self::Vec2 => "vec2",
            Self::Vec3 => "vec3",
            Self::Vec4 => "vec4",
            Self::Quat => "quat",
            Self::Color => "color",
            Self::IVec2 => "ivec2",
            Self::IVec3 => "ivec3",
            Self::IntRect => "int_rect",
            Self::Text => "text",
        }
    }

    /// Returns the type of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Returns the number of components; 0 for a text.
    pub const fn width(self) -> usize {
        match self {
            Self::Text => 0,
            Self::Bool | Self::Int | Self::Int64 | Self::Float | Self::Double => 1,
            Self::Vec2 | Self::IVec2 => 2,
            Self::Vec3 | Self::IVec3 => 3,
            Self::Vec4 | Self::Quat | Self::Color | Self::IntRect => 4,
        }
    }

    /// Returns whether values are integers, which interpolation truncates towards zero.
    pub const fn is_whole(self) -> bool {
        matches!(
            self,
            Self::Int | Self::Int64 | Self::IVec2 | Self::IVec3 | Self::IntRect
        )
    }

    /// Returns whether values can be interpolated: not a bool or a text.
    pub const fn has_between(self) -> bool {
        !matches!(self, Self::Bool | Self::Text)
    }

    /// Returns whether values can have splines.
    pub const fn has_splines(self) -> bool {
        self.has_between() && !self.is_whole()
    }

    /// Snaps a number that will be truncated to the nearest integer if it is within rounding: `span` times a ratio in
    /// single precision may be slightly below it.
    fn settled(self, number: f64, span: f64) -> f64 {
        let whole = libm::round(number);
        if self.is_whole() && (number - whole).abs() <= span.abs() * RATIO_ROUNDING {
            whole
        } else {
            number
        }
    }

    /// Creates a value from components, truncated towards zero for integers; the empty text.
    pub fn from_numbers(self, n: [f64; 4]) -> Variant {
        let f = n.map(|n| n as f32);
        // Casts truncate towards zero and saturate.
        let i = n.map(|n| n as i32);
        match self {
            Self::Bool => Variant::Bool(n[0] != 0.0),
            Self::Int => Variant::Int(i[0]),
            Self::Int64 => Variant::Int64(n[0] as i64),
            Self::Float => Variant::Float(f[0]),
            Self::Double => Variant::Double(n[0]),
            Self::Vec2 => Variant::Vec2(Vec2::new(f[0], f[1])),
            Self::Vec3 => Variant::Vec3(Vec3::new(f[0], f[1], f[2])),
            Self::Vec4 => Variant::Vec4(Vec4::from_array(f)),
            Self::Quat => Variant::Quat(Quat::from_xyzw(f[0], f[1], f[2], f[3])),
            Self::Color => Variant::Color(Vec4::from_array(f)),
            Self::IVec2 => Variant::IVec2(IVec2::new(i[0], i[1])),
            Self::IVec3 => Variant::IVec3(IVec3::new(i[0], i[1], i[2])),
            Self::IntRect => Variant::IntRect(IVec4::from_array(i)),
            Self::Text => Variant::Text(Arc::from("")),
        }
    }
}

impl fmt::Display for VariantType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Variant {
    /// Returns the type.
    pub const fn kind(&self) -> VariantType {
        match self {
            Self::Bool(_) => VariantType::Bool,
            Self::Int(_) => VariantType::Int,
            Self::Int64(_) => VariantType::Int64,
            Self::Float(_) => VariantType::Float,
            Self::Double(_) => VariantType::Double,
            Self::Vec2(_) => VariantType::Vec2,
            Self::Vec3(_) => VariantType::Vec3,
            Self::Vec4(_) => VariantType::Vec4,
            Self::Quat(_) => VariantType::Quat,
            Self::Color(_) => VariantType::Color,
            Self::IVec2(_) => VariantType::IVec2,
            Self::IVec3(_) => VariantType::IVec3,
            Self::IntRect(_) => VariantType::IntRect,
            Self::Text(_) => VariantType::Text,
        }
    }

    /// Returns the components, [`VariantType::width`] of them and then zeros.
    pub fn numbers(&self) -> [f64; 4] {
        let wide = |v: Vec4| v.to_array().map(f64::from);
        match self {
            Self::Bool(value) => [f64::from(u8::from(*value)), 0.0, 0.0, 0.0],
            Self::Int(value) => [f64::from(*value), 0.0, 0.0, 0.0],
            Self::Int64(value) => [*value as f64, 0.0, 0.0, 0.0],
            Self::Float(value) => [f64::from(*value), 0.0, 0.0, 0.0],
            Self::Double(value) => [*value, 0.0, 0.0, 0.0],
            Self::Vec2(v) => [f64::from(v.x), f64::from(v.y), 0.0, 0.0],
            Self::Vec3(v) => wide(v.extend(0.0)),
            Self::Vec4(v) | Self::Color(v) => wide(*v),
            Self::Quat(q) => q.to_array().map(f64::from),
            Self::IVec2(v) => [f64::from(v.x), f64::from(v.y), 0.0, 0.0],
            Self::IVec3(v) => [f64::from(v.x), f64::from(v.y), f64::from(v.z), 0.0],
            Self::IntRect(v) => v.to_array().map(f64::from),
            Self::Text(_) => [0.0; 4],
        }
    }

    /// Returns whether every number is finite.
    pub fn is_finite(&self) -> bool {
        self.numbers().iter().all(|number| number.is_finite())
    }

    /// Interpolates to `other`: linearly for numbers, truncated towards zero for integers; along the shorter arc for
    /// rotations. A bool or a text is unchanged. A value of another type is converted if both have the same number of
    /// components, else it counts as zeros.
    pub fn lerp(&self, other: &Self, t: f32) -> Self {
        let kind = self.kind();
        if !kind.has_between() {
            return self.clone();
        }
        if let Self::Quat(a) = self {
            let Self::Quat(b) = other else {
                return Self::Quat(quat_slerp(*a, Quat::IDENTITY, t));
            };
            return Self::Quat(quat_slerp(*a, *b, t));
        }
        let t = f64::from(t);
        let (a, b) = (self.numbers(), other.numbers_as(kind));
        let line = |i: usize| kind.settled(a[i] * (1.0 - t) + b[i] * t, b[i] - a[i]);
        kind.from_numbers([line(0), line(1), line(2), line(3)])
    }

    /// Adds `weight` times the difference from `base` to `sample`. Integers are truncated towards zero, those of
    /// vectors rounded before the addition; rotations are multiplied by the difference in parent space. Values
    /// without a difference are unchanged.
    pub fn add(&self, sample: &Self, base: &Self, weight: f32) -> Self {
        let kind = self.kind();
        if !kind.has_between() || kind == VariantType::IntRect {
            return self.clone();
        }
        if let Self::Quat(rotation) = self {
            let (Self::Quat(sample), Self::Quat(base)) = (sample, base) else {
                return self.clone();
            };
            return Self::Quat(ChannelValue::add(*rotation, *sample, *base, weight));
        }
        let rounds = matches!(kind, VariantType::IVec2 | VariantType::IVec3);
        let weight = f64::from(weight);
        let (numbers, sample, base) = (
            self.numbers(),
            sample.numbers_as(kind),
            base.numbers_as(kind),
        );
        let sum = |i: usize| {
            let difference = sample[i] - base[i];
            let weighted = difference * weight;
            let weighted = if rounds {
                libm::round(weighted)
            } else {
                weighted
            };
            kind.settled(numbers[i] + weighted, difference)
        };
        kind.from_numbers([sum(0), sum(1), sum(2), sum(3)])
    }

    /// Returns the components if its type has as many as `kind`, else zeros.
    fn numbers_as(&self, kind: VariantType) -> [f64; 4] {
        if self.kind().width() == kind.width() {
            self.numbers()
        } else {
            [0.0; 4]
        }
    }
}

macro_rules! from {
    ($($type:ty => $variant:ident),* $(,)?) => {
        $(impl From<$type> for Variant {
            fn from(value: $type) -> Self {
                Self::$variant(value)
            }
        })*
    };
}

from! {
    bool => Bool, i32 => Int, i64 => Int64, f32 => Float, f64 => Double, Vec2 => Vec2, Vec3 => Vec3,
    Vec4 => Vec4, Quat => Quat, IVec2 => IVec2, IVec3 => IVec3, IVec4 => IntRect, Arc<str> => Text,
}

impl From<&str> for Variant {
    fn from(text: &str) -> Self {
        Self::Text(Arc::from(text))
    }
}

impl From<String> for Variant {
    fn from(text: String) -> Self {
        Self::Text(Arc::from(text))
    }
}

impl fmt::Display for Variant {
    /// Formats components separated by spaces; a text verbatim.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool(value) => write!(f, "{value}"),
            Self::Int64(value) => write!(f, "{value}"),
            Self::Text(text) => f.write_str(text),
            _ => {
                // The shortest text of an `f32` is that of its own type.
                let single = !matches!(self, Self::Double(_));
                let numbers = self.numbers();
                for (i, number) in numbers.iter().take(self.kind().width()).enumerate() {
                    let blank = if i == 0 { "" } else { " " };
                    if single && !self.kind().is_whole() {
                        write!(f, "{blank}{}", *number as f32)?;
                    } else {
                        write!(f, "{blank}{number}")?;
                    }
                }
                Ok(())
            }
        }
    }
}
