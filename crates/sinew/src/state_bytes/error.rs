use alloc::string::String;

/// An error of reading a saved state, or the difference between two.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum StateBytesError {
    /// The bytes end too early.
    #[error("the bytes end at {end}; expected {count} more at {offset}, for {expected}")]
    End {
        /// The offset of the value that is cut off.
        offset: usize,
        /// The value that was expected there.
        expected: &'static str,
        /// The number of missing bytes.
        count: usize,
        /// The number of bytes given.
        end: usize,
    },
    /// Bytes follow the end of the state.
    #[error("expected the end at {offset}; found {count} more bytes")]
    Extra {
        /// The offset of the end.
        offset: usize,
        /// The number of bytes that follow.
        count: usize,
    },
    /// A value is invalid.
    #[error("at {offset}: expected {expected}, found {found}")]
    Value {
        /// The offset of the value.
        offset: usize,
        /// What was expected.
        expected: &'static str,
        /// The value found.
        found: String,
    },
    /// The state was saved with another animation set.
    #[error(
        "at {offset}: the state is of a set with fingerprint {found:#010x}; this set's is {expected:#010x}. \
         Both must have the same animations in the same order"
    )]
    SetMismatch {
        /// The offset of the fingerprint.
        offset: usize,
        /// The fingerprint of the set given.
        expected: u32,
        /// The fingerprint found.
        found: u32,
    },
    /// A difference starts from another state than the one given, or was made with another animation set.
    #[error(
        "at {offset}: expected a difference from the state {expected:#010x} and its set, found one from {found:#010x}"
    )]
    BaseMismatch {
        /// The offset of the checksum.
        offset: usize,
        /// The checksum of the state and set given.
        expected: u32,
        /// The checksum found.
        found: u32,
    },
    /// The bytes are well-formed, but a controller refuses the state.
    #[error("the bytes up to {offset} are not a state that can be played: {reason}")]
    Unplayable {
        /// The offset after the instance that is refused, or after the last one.
        offset: usize,
        /// The reason.
        reason: String,
    },
}
