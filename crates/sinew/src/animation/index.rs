//! The position of an animation in a list.

/// An animation of an [`AnimationSet`](crate::AnimationSet) or of an armature.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct AnimationIndex(pub u32);

impl AnimationIndex {
    /// The position as a slice index.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl From<usize> for AnimationIndex {
    /// Saturates at `u32::MAX`.
    fn from(index: usize) -> Self {
        Self(u32::try_from(index).unwrap_or(u32::MAX))
    }
}
