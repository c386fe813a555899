//! The entries of lists and objects, as serde visits them.

use super::error::ReadError;
use super::reader::Reader;
use serde::de::value::StrDeserializer;
use serde::de::{DeserializeSeed, IntoDeserializer, MapAccess, SeqAccess};

/// Entries of a list or an object.
pub(super) struct Entries<'r, 'de> {
    reader: &'r mut Reader<'de>,
    first: bool,
}

impl<'r, 'de> Entries<'r, 'de> {
    pub(super) fn new(reader: &'r mut Reader<'de>) -> Self {
        Self {
            reader,
            first: true,
        }
    }

    fn next_entry(&mut self, end: u8) -> Result<bool, ReadError> {
        let found = self.reader.next_entry(self.first, end);
        self.first = false;
        found
    }
}

impl<'de> SeqAccess<'de> for Entries<'_, 'de> {
    type Error = ReadError;

    fn next_element_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, ReadError> {
        if !self.next_entry(b']')? {
            return Ok(None);
        }
        let start = self.reader.start();
        match seed.deserialize(&mut *self.reader) {
            Ok(value) => Ok(Some(value)),
            Err(error) => Err(error.at(start)),
        }
    }
}

impl<'de> MapAccess<'de> for Entries<'_, 'de> {
    type Error = ReadError;

    fn next_key_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, ReadError> {
        if !self.next_entry(b'}')? {
            return Ok(None);
        }
        let start = self.reader.start();
        let key = self.reader.key()?;
        let key: StrDeserializer<'_, ReadError> = (&*key).into_deserializer();
        seed.deserialize(key)
            .map(Some)
            .map_err(|error| error.at(start))
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, ReadError> {
        self.reader.colon()?;
        let start = self.reader.start();
        seed.deserialize(&mut *self.reader)
            .map_err(|error| error.at(start))
    }
}
