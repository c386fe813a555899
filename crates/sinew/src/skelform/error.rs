//! What can be wrong with an armature or with how it is played.

/// Why an armature could not be made or played. The numbers are indices into [`super::ArmatureData`].
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ArmatureError {
    /// A reference points past the end of its list.
    #[error("{what} {index}: {field} is {value}, but there are only {count}")]
    OutOfRange {
        /// The kind of thing that refers: "bone", "key", …
        what: &'static str,
        /// Which one.
        index: usize,
        /// The referring field.
        field: &'static str,
        /// What it says.
        value: usize,
        /// How many there are.
        count: usize,
    },
    /// A parent does not stand before its child (or a bone is its own ancestor).
    #[error("bone {bone}: its parent {parent} must stand before it")]
    ParentOrder {
        /// The child.
        bone: usize,
        /// Its parent.
        parent: usize,
    },
    /// Two bones refer to one visual or one physics entry.
    #[error("bone {bone}: its {field} {value} already belongs to another bone")]
    Shared {
        /// The second bone.
        bone: usize,
        /// "visual" or "physics".
        field: &'static str,
        /// The entry.
        value: usize,
    },
    /// A bone stands in one IK chain twice.
    #[error("IK family {family}: bone {bone} is in the chain twice")]
    RepeatedBone {
        /// The family.
        family: usize,
        /// The bone.
        bone: usize,
    },
    /// A number is infinite or not a number.
    #[error("{what} {index}: {field} is not a finite number")]
    NotFinite {
        /// The kind of thing.
        what: &'static str,
        /// Which one.
        index: usize,
        /// The field.
        field: &'static str,
    },
    /// The number of a mesh's indices is not a multiple of three.
    #[error("visual {visual}: {count} mesh indices do not make whole triangles")]
    PartialTriangle {
        /// The visual.
        visual: usize,
        /// How many indices.
        count: usize,
    },
    /// More entries than can be counted in 32 bits with room for their fields.
    #[error("too many {what}: {count}")]
    TooMany {
        /// The kind of thing.
        what: &'static str,
        /// How many.
        count: usize,
    },
    /// A state was made for another armature.
    #[error(
        "the state does not fit the armature: it has {state} {what}, the armature has {armature}"
    )]
    StateMismatch {
        /// Which list differs.
        what: &'static str,
        /// Its length in the armature.
        armature: usize,
        /// Its length in the state.
        state: usize,
    },
    /// A play names an animation that is not there.
    #[error("there is no animation {index}: the armature has {count}")]
    NoSuchAnimation {
        /// What was asked for.
        index: usize,
        /// How many there are.
        count: usize,
    },
}
