//! Errors in text files, with positions.

use std::fmt;

/// A rule of a format that a text file breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Rule {
    /// The file is empty.
    EmptyFile,
    /// The file does not begin with the header of its format.
    NotThisFormat,
    /// A section occurs twice.
    DuplicateSection,
    /// A section is missing.
    MissingSection,
    /// A field occurs twice in its section or bone.
    DuplicateField,
    /// A number was expected.
    ExpectedNumber,
    /// A number is not finite.
    NonFinite,
    /// Too few values.
    TooFewValues,
    /// Too many values.
    TooManyValues,
    /// A unit that does not exist, or is not positive.
    BadUnit,
    /// An order of axes that is not a permutation of x, y and z.
    BadAxisOrder,
    /// A degree of freedom or channel that does not exist, or occurs twice.
    BadDof,
    /// Limits before or without degrees of freedom.
    LimitsWithoutDof,
    /// More or fewer limits than degrees of freedom.
    LimitsCount,
    /// A bone lacks a field, or a joint its offset.
    MissingField,
    /// A bone or joint is defined twice.
    DuplicateBone,
    /// Two bones have the same id.
    DuplicateId,
    /// A bone has a reserved name.
    ReservedName,
    /// A bone with a length has no direction.
    ZeroDirection,
    /// A direction is far from length 1.
    NotNormalised,
    /// A length is negative.
    NegativeLength,
    /// A bone is not closed.
    UnterminatedBone,
    /// The hierarchy has no `begin` or no `end`.
    Unterminated,
    /// A name in the hierarchy is not the name of a bone.
    UnknownBoneInHierarchy,
    /// A bone has two parents.
    ChildTwice,
    /// A parent precedes its own definition as a child in the hierarchy.
    ParentBeforeChild,
    /// A bone is not in the hierarchy.
    UnreachableBone,
    /// The motion has an unsupported storage form.
    UnsupportedFormat,
    /// Values before the first frame.
    DataBeforeFrame,
    /// A frame number is invalid, or not above the one before.
    BadFrameNumber,
    /// Frame numbers are missing.
    FrameGap,
    /// The motion moves a bone that the skeleton does not have.
    UnknownBone,
    /// The motion moves a bone that cannot move.
    UnexpectedBone,
    /// A frame moves a bone twice.
    DuplicateBoneInFrame,
    /// More or fewer values than the bone has degrees of freedom.
    ValueCount,
    /// A frame does not move a bone that can move.
    MissingBoneInFrame,
    /// The file ends inside a frame.
    TruncatedFrame,
    /// A brace is missing or superfluous, or a word is in the wrong place.
    BadStructure,
    /// A frame time that is not positive.
    BadFrameTime,
    /// A size exceeds its limit.
    TooLarge,
}

/// An error in a text file, with its position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextError {
    /// The broken rule.
    pub rule: Rule,
    /// The line, from 1.
    pub line: usize,
    /// The column in bytes, from 1; 0 if the error is about the line or the lines above it.
    pub column: usize,
    /// What was expected.
    pub expected: String,
    /// What was found.
    pub found: String,
}

impl fmt::Display for TextError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}", self.line)?;
        if self.column > 0 {
            write!(f, ", column {}", self.column)?;
        }
        write!(f, ": expected {}, found {}", self.expected, self.found)
    }
}

impl std::error::Error for TextError {}
