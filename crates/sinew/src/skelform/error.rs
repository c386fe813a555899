//! Errors of armatures and their playback.

/// An error of creating or playing an armature. Numbers are indices into [`super::ArmatureData`].
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ArmatureError {
    /// A reference is out of range.
    #[error("{what} {index}: {field} is {value}, but there are only {count}")]
    OutOfRange {
        /// The kind of the referring entry: "bone", "key", …
        what: &'static str,
        /// Its index.
        index: usize,
        /// The referring field.
        field: &'static str,
        /// The value of the field.
        value: usize,
        /// The length of the list.
        count: usize,
    },
    /// A parent does not precede its child (or a bone is its own ancestor).
    #[error("bone {bone}: its parent {parent} must precede it")]
    ParentOrder {
        /// The child.
        bone: usize,
        /// Its parent.
        parent: usize,
    },
    /// Two bones refer to one visual or physics entry.
    #[error("bone {bone}: its {field} {value} already belongs to another bone")]
    Shared {
        /// The second bone.
        bone: usize,
        /// "visual" or "physics".
        field: &'static str,
        /// The entry.
        value: usize,
    },
    /// A bone is in one IK chain twice.
    #[error("IK family {family}: bone {bone} is in the chain twice")]
    RepeatedBone {
        /// The family.
        family: usize,
        /// The bone.
        bone: usize,
    },
    /// A number is NaN or infinite.
    #[error("{what} {index}: {field} is not a finite number")]
    NotFinite {
        /// The kind of the entry.
        what: &'static str,
        /// Its index.
        index: usize,
        /// The field.
        field: &'static str,
    },
    /// The number of a mesh's indices is not a multiple of three.
    #[error("visual {visual}: {count} mesh indices do not make whole triangles")]
    PartialTriangle {
        /// The visual.
        visual: usize,
        /// The number of indices.
        count: usize,
    },
    /// There are more entries than 32-bit field indices can address.
    #[error("too many {what}: {count}")]
    TooMany {
        /// The kind of the entries.
        what: &'static str,
        /// Their number.
        count: usize,
    },
    /// A state is of another armature.
    #[error(
        "the state does not fit the armature: it has {state} {what}, the armature has {armature}"
    )]
    StateMismatch {
        /// The list that differs.
        what: &'static str,
        /// Its length in the armature.
        armature: usize,
        /// Its length in the state.
        state: usize,
    },
    /// An animation does not exist.
    #[error("there is no animation {index}: the armature has {count}")]
    NoSuchAnimation {
        /// The requested index.
        index: usize,
        /// The number of animations.
        count: usize,
    },
}
