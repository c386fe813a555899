//! What is wrong with a text file, and where.

use std::fmt;

/// Which rule of its format a text file breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Rule {
    /// There is nothing in the file.
    EmptyFile,
    /// The file does not begin as its format does.
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
    /// A unit that does not exist, or is not above zero.
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
    /// Two bones have one id.
    DuplicateId,
    /// A bone has a name that means something else.
    ReservedName,
    /// A bone with a length has no direction.
    ZeroDirection,
    /// A direction is far from length 1.
    NotNormalised,
    /// A length is below zero.
    NegativeLength,
    /// A bone is not closed.
    UnterminatedBone,
    /// The hierarchy has no `begin` or no `end`.
    Unterminated,
    /// A name in the hierarchy belongs to no bone.
    UnknownBoneInHierarchy,
    /// A bone has two parents.
    ChildTwice,
    /// A parent precedes its own definition as a child in the hierarchy.
    ParentBeforeChild,
    /// A bone is not in the hierarchy.
    UnreachableBone,
    /// The motion is stored in a form that is not supported.
    UnsupportedFormat,
    /// Values before the first frame.
    DataBeforeFrame,
    /// A frame number is invalid, or not above the one before.
    BadFrameNumber,
    /// Numbers of frames are left out.
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
    /// A brace is missing or too many, or a word is in the wrong place.
    BadStructure,
    /// A time between frames that is not above zero.
    BadFrameTime,
    /// Something is larger than is allowed.
    TooLarge,
}

/// An error in a text file, with its position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextError {
    /// The rule that is broken.
    pub rule: Rule,
    /// The line, from 1.
    pub line: usize,
    /// The column in bytes, from 1; 0 when it is about the line or what lies above it.
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
