//! Names that are compared without looking at their letters.

use alloc::sync::Arc;
use core::fmt;

/// A name that is cheap to copy, empty unless said otherwise. Copies of one name are told to be equal by
/// where they are, so that playing compares no letters.
#[derive(Clone, Default)]
pub struct Name(Option<Arc<str>>);

impl Name {
    /// The letters.
    pub fn as_str(&self) -> &str {
        self.0.as_deref().unwrap_or("")
    }

    /// Whether it has no letters.
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// Whether the two are copies of one name; equal names need not be.
    pub(super) fn is_copy_of(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (None, None) => true,
            (Some(a), Some(b)) => Arc::ptr_eq(a, b),
            _ => false,
        }
    }
}

impl PartialEq for Name {
    fn eq(&self, other: &Self) -> bool {
        self.is_copy_of(other) || self.as_str() == other.as_str()
    }
}

impl Eq for Name {}

impl From<&str> for Name {
    fn from(text: &str) -> Self {
        Self((!text.is_empty()).then(|| Arc::from(text)))
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
        let text = <alloc::string::String as serde::Deserialize>::deserialize(deserializer)?;
        Ok(Self::from(text.as_str()))
    }
}
