//! serde's data model over the tokens. Everything that does not depend on the visitor's type is a function of
//! [`Reader`] that is compiled once. Who asks for a value adds its place to an error.

use super::access::Entries;
use super::error::ReadError;
use super::raw::RAW;
use super::reader::{Kind, Number, Reader};
use serde::de::value::StrDeserializer;
use serde::de::{Deserializer, Error, Expected, IntoDeserializer, Unexpected, Visitor};
use std::borrow::Cow;

impl<'de> Reader<'de> {
    /// Returns an error about the next value, which has another type than `expected`.
    fn other_type(&mut self, expected: &dyn Expected) -> ReadError {
        let start = self.start();
        let found = match self.kind() {
            Ok(kind) => kind,
            Err(error) => return error,
        };
        let text;
        let unexpected = match found {
            Kind::Null => Unexpected::Unit,
            Kind::List => Unexpected::Seq,
            Kind::Object => Unexpected::Map,
            Kind::Bool => match self.flag() {
                Ok(flag) => Unexpected::Bool(flag),
                Err(error) => return error,
            },
            Kind::Number => match self.number(false) {
                Ok(Number::Unsigned(number)) => Unexpected::Unsigned(number),
                Ok(Number::Signed(number)) => Unexpected::Signed(number),
                Ok(Number::Float(number)) => Unexpected::Float(number),
                Err(error) => return error,
            },
            Kind::Text => match self.string() {
                Ok(string) => {
                    text = string;
                    Unexpected::Str(&text)
                }
                Err(error) => return error,
            },
        };
        ReadError::invalid_type(unexpected, expected).at(start)
    }

    fn visit_number<V: Visitor<'de>>(
        &mut self,
        visitor: V,
        single: bool,
    ) -> Result<V::Value, ReadError> {
        if self.kind()? != Kind::Number {
            return Err(self.other_type(&visitor));
        }
        match self.number(single)? {
            Number::Unsigned(number) => visitor.visit_u64(number),
            Number::Signed(number) => visitor.visit_i64(number),
            Number::Float(number) => visitor.visit_f64(number),
        }
    }

    fn visit_string<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value, ReadError> {
        match self.string()? {
            Cow::Borrowed(text) => visitor.visit_borrowed_str(text),
            Cow::Owned(text) => visitor.visit_str(&text),
        }
    }

    fn visit_list<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value, ReadError> {
        self.open()?;
        let value = visitor.visit_seq(Entries::new(self))?;
        self.close(b']')?;
        Ok(value)
    }

    fn visit_object<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value, ReadError> {
        self.open()?;
        let value = visitor.visit_map(Entries::new(self))?;
        self.close(b'}')?;
        Ok(value)
    }
}

macro_rules! numbers {
    ($($name:ident)*) => {
        $(fn $name<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
            self.visit_number(visitor, false)
        })*
    };
}

impl<'de> Deserializer<'de> for &mut Reader<'de> {
    type Error = ReadError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        match self.kind()? {
            Kind::Null => {
                self.word(b"null")?;
                visitor.visit_unit()
            }
            Kind::Bool => visitor.visit_bool(self.flag()?),
            Kind::Number => self.visit_number(visitor, false),
            Kind::Text => self.visit_string(visitor),
            Kind::List => self.visit_list(visitor),
            Kind::Object => self.visit_object(visitor),
        }
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        if self.kind()? != Kind::Bool {
            return Err(self.other_type(&visitor));
        }
        visitor.visit_bool(self.flag()?)
    }

    numbers! {
        deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64 deserialize_f64
    }

    fn deserialize_f32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        self.visit_number(visitor, true)
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        if self.kind()? != Kind::Text {
            return Err(self.other_type(&visitor));
        }
        self.visit_string(visitor)
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        self.deserialize_str(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        if self.kind()? == Kind::Null {
            self.word(b"null")?;
            return visitor.visit_none();
        }
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        if name == RAW {
            return visitor.visit_borrowed_str(self.raw()?);
        }
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        if self.kind()? != Kind::List {
            return Err(self.other_type(&visitor));
        }
        self.visit_list(visitor)
    }

    fn deserialize_tuple<V: Visitor<'de>>(
        self,
        _: usize,
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        if self.kind()? != Kind::Object {
            return Err(self.other_type(&visitor));
        }
        self.visit_object(visitor)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        if self.kind()? != Kind::Object {
            return Err(self.other_type(&"an object"));
        }
        self.visit_object(visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        if self.kind()? != Kind::Text {
            return Err(self.other_type(&"a text"));
        }
        let text = self.string()?;
        let text: StrDeserializer<'_, ReadError> = (&*text).into_deserializer();
        visitor.visit_enum(text)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        self.ignore()?;
        visitor.visit_unit()
    }

    serde::forward_to_deserialize_any! {
        char bytes byte_buf unit unit_struct tuple_struct identifier i128 u128
    }
}
