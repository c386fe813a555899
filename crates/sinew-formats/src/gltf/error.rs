//! Errors of reading or writing a glTF file.

use crate::escape;
use crate::json_text::after_comma;
use sinew::animation::AnimationError;
use sinew::skeleton::SkeletonError;

/// An error of reading a glTF file.
///
/// Places in the JSON are written as `animations[0].channels[2].sampler`.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GltfError {
    /// The file could not be opened or read.
    #[error("cannot read the file: {0}")]
    Io(#[from] std::io::Error),
    /// Neither a GLB container nor JSON.
    #[error(
        "expected a .glb container (starting with \"glTF\") or .gltf JSON (starting with \"{{\"), \
         found {found}"
    )]
    NotGltf {
        /// The first bytes.
        found: String,
    },
    /// The GLB container is truncated or invalid.
    #[error("GLB container, byte {offset}: expected {expected}, found {found}")]
    Container {
        /// Offset from the start of the file.
        offset: usize,
        /// What was expected.
        expected: String,
        /// What was found.
        found: String,
    },
    /// The JSON cannot be parsed, or a value has the wrong type.
    #[error("line {line}, column {column}{}: {problem}", after_comma(.path))]
    Json {
        /// Line, from 1.
        line: usize,
        /// Column, from 1.
        column: usize,
        /// Path of the value; empty if unknown.
        path: String,
        /// Message of the parser.
        problem: String,
        /// What was expected; empty if `problem` does not name it.
        expected: Box<str>,
        /// What was found; empty if `problem` does not name it.
        found: Box<str>,
    },
    /// The file has an unsupported version of glTF.
    #[error("asset.version: expected glTF 2.0, found {}", escape::text(.found))]
    Version {
        /// Version of the file, or its minimum version.
        found: String,
    },
    /// A reference is out of range.
    #[error("{path}: refers to {what} {index}, but there are {count}")]
    Reference {
        /// Place of the reference.
        path: String,
        /// Kind of the target.
        what: &'static str,
        /// Index of the target.
        index: u32,
        /// Number of targets.
        count: usize,
    },
    /// A value breaks a rule of the format.
    #[error("{path}: expected {expected}, found {found}")]
    Invalid {
        /// Place in the file.
        path: String,
        /// What was expected.
        expected: String,
        /// What was found.
        found: String,
    },
    /// The bytes of a buffer are not available.
    #[error("{path}: {problem}")]
    Buffer {
        /// The buffer.
        path: String,
        /// Cause.
        problem: String,
    },
    /// Required data has an unsupported compression.
    #[error("{path}: the keys are packed by {extension} and cannot be unpacked: {problem}")]
    Compressed {
        /// The view.
        path: String,
        /// The compression extension.
        extension: String,
        /// Cause.
        problem: String,
    },
    /// A size exceeds its limit, or what the bytes of the file can hold.
    #[error("{what} is too large: {found}, at most {limit} are allowed")]
    TooLarge {
        /// Name of what is too large.
        what: String,
        /// Actual or stated size.
        found: u64,
        /// Maximum size.
        limit: u64,
    },
    /// No node can be a joint.
    #[error("there is no node that could be a joint")]
    NoNodes,
    /// The nodes do not form a valid skeleton.
    #[error("the nodes do not form a valid skeleton: {0}")]
    Skeleton(Box<SkeletonError>),
    /// The keys of a channel are invalid.
    #[error("{path}: {source}")]
    Animation {
        /// The channel or sampler.
        path: String,
        /// The error.
        source: AnimationError,
    },
}

/// An error of writing a motion as glTF.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GltfWriteError {
    /// The GLB container would exceed 4 GiB.
    #[error(
        "{bytes} bytes do not fit into a GLB container, which holds {}",
        u32::MAX
    )]
    TooLarge {
        /// Size in bytes.
        bytes: u64,
    },
    /// The rest position of a joint exceeds the range of `f32`.
    #[error("joint {joint} {} rests too far away for 32-bit numbers", escape::text(.name))]
    FarAway {
        /// Index of the joint.
        joint: usize,
        /// Its name.
        name: String,
    },
    /// The source file cannot be read.
    #[error("the source cannot be written again: {problem}")]
    Source {
        /// Cause.
        problem: String,
    },
    /// The skeleton is not that of the source file.
    #[error("the skeleton has other joints than the glTF file that is to be kept")]
    OtherSkeleton,
    /// The JSON could not be serialized.
    #[error("the JSON could not be serialized: {problem}")]
    Json {
        /// Cause.
        problem: String,
    },
}

/// Fails if a size exceeds its limit.
pub(super) fn check_size(
    what: impl std::fmt::Display,
    found: u64,
    limit: u64,
) -> Result<(), GltfError> {
    if found <= limit {
        return Ok(());
    }
    Err(GltfError::TooLarge {
        what: what.to_string(),
        found,
        limit,
    })
}

/// Returns the entry of a list that a reference points to.
pub(super) fn entry<'a, T>(
    path: impl std::fmt::Display,
    what: &'static str,
    list: &'a [T],
    index: u32,
) -> Result<&'a T, GltfError> {
    list.get(index as usize)
        .ok_or_else(|| GltfError::Reference {
            path: path.to_string(),
            what,
            index,
            count: list.len(),
        })
}

pub(super) fn invalid(
    path: impl std::fmt::Display,
    expected: impl std::fmt::Display,
    found: impl std::fmt::Display,
) -> GltfError {
    GltfError::Invalid {
        path: path.to_string(),
        expected: expected.to_string(),
        found: found.to_string(),
    }
}
