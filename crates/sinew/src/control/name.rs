//! Hashed names.

use super::hash::{START, fnv1a};
use alloc::string::String;
use alloc::sync::Arc;
use core::fmt;

/// A name that is cheap to clone; empty by default. It stores a hash, so that playback does not compare strings.
#[derive(Clone, Default)]
pub struct Name(Option<(Arc<str>, u64)>);

impl Name {
    /// Returns the name as a string.
    pub fn as_str(&self) -> &str {
        self.0.as_ref().map_or("", |(letters, _)| letters)
    }

    /// Returns whether it is empty.
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// Returns the hash; 0 if empty.
    pub(super) fn hash(&self) -> u64 {
        self.0.as_ref().map_or(0, |&(_, hash)| hash)
    }
}

impl PartialEq for Name {
    fn eq(&self, other: &Self) -> bool {
        self.hash() == other.hash() && self.as_str() == other.as_str()
    }
}

impl Eq for Name {}

impl From<&str> for Name {
    fn from(text: &str) -> Self {
        Self((!text.is_empty()).then(|| (Arc::from(text), fnv1a(START, text.as_bytes()))))
    }
}

impl From<String> for Name {
    fn from(text: String) -> Self {
        Self::from(text.as_str())
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for Name {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for Name {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <String as serde::Deserialize>::deserialize(deserializer)?;
        Ok(Self::from(text.as_str()))
    }
}
