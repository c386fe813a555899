//! Index types of an armature's lists, one type each so that they cannot be confused.

macro_rules! index {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        pub struct $name(pub u32);

        impl $name {
            /// Returns the index for slices.
            pub const fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl From<usize> for $name {
            /// Saturates; no armature is that large.
            fn from(index: usize) -> Self {
                Self(u32::try_from(index).unwrap_or(u32::MAX))
            }
        }
    };
}

index!(
    /// An animation of an [`super::Armature`].
    ///
    /// Controllers play animations of an [`AnimationSet`](crate::AnimationSet), whose indices are
    /// [`AnimationIndex`](crate::AnimationIndex): a set can contain further animations. Find one there by its name.
    ArmatureAnimationIndex
);
index!(
    /// A bone of an [`super::Armature`].
    BoneIndex
);
index!(
    /// A style of an [`super::Armature`].
    StyleIndex
);
index!(
    /// An IK family of an [`super::Armature`].
    IkFamilyIndex
);
