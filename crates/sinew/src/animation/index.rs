//! The index of an animation in a set.

/// The index of an animation in an [`AnimationSet`](crate::AnimationSet). The animations of a 2D armature have an index
/// type of their own, `skelform::ArmatureAnimationIndex`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct AnimationIndex(pub u32);

impl AnimationIndex {
    /// Returns the index for slices.
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
