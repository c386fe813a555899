//! Names that are compared without looking at their letters.

use super::hash::{START, fnv1a};
use alloc::string::String;
use alloc::sync::Arc;
use core::fmt;

/// A name that is cheap to copy, empty unless said otherwise. It knows a number that stands for its letters,
/// so that playing compares no letters.
#[derive(Clone, Default)]
pub struct Name(Option<(Arc<str>, u64)>);

impl Name {
    /// The letters.
    pub fn as_str(&self) -> &str {
        self.0.as_ref().map_or("", |(letters, _)| letters)
    }

    /// Whether it has no letters.
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// The number that stands for its letters; 0 for none.
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
