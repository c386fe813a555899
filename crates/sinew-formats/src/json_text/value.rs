//! JSON as a tree, for formats without fixed types.

use super::error::{JsonFault, ReadError};
use super::finish;
use super::reader::{Kind, Number, Reader};
use serde_json::{Map, Value};

/// Parses the whole of `text`.
pub(crate) fn parse_value(text: &[u8]) -> Result<Value, JsonFault> {
    let mut reader = Reader::new(text);
    let value = value(&mut reader);
    finish(&reader, value)
}

fn value(reader: &mut Reader<'_>) -> Result<Value, ReadError> {
    Ok(match reader.kind()? {
        Kind::Null => {
            reader.word(b"null")?;
            Value::Null
        }
        Kind::Bool => Value::Bool(reader.flag()?),
        Kind::Text => Value::String(reader.string()?.into_owned()),
        Kind::Number => match reader.number(false)? {
            Number::Unsigned(number) => Value::from(number),
            Number::Signed(number) => Value::from(number),
            Number::Float(number) => Value::from(number),
        },
        Kind::List => {
            let mut list = Vec::new();
            reader.open()?;
            while reader.next_entry(list.is_empty(), b']')? {
                list.push(value(reader)?);
            }
            reader.close(b']')?;
            Value::Array(list)
        }
        Kind::Object => {
            let mut map = Map::new();
            let mut first = true;
            reader.open()?;
            while reader.next_entry(first, b'}')? {
                first = false;
                let key = reader.key()?.into_owned();
                reader.colon()?;
                let value = value(reader)?;
                map.insert(key, value);
            }
            reader.close(b'}')?;
            Value::Object(map)
        }
    })
}
