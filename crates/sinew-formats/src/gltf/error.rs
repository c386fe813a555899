//! Why a glTF file could not be read or written.

use crate::escape;
use crate::json_path::after_comma;
use sinew::animation::AnimationError;
use sinew::skeleton::SkeletonError;

/// Why a glTF file could not be read.
///
/// Places in the file's JSON are written as `animations[0].channels[2].sampler`.
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
    /// The GLB container is cut off or broken.
    #[error("GLB container, byte {offset}: expected {expected}, found {found}")]
    Container {
        /// Where, from the start of the file.
        offset: usize,
        /// What was expected.
        expected: String,
        /// What was found.
        found: String,
    },
    /// The JSON cannot be parsed, or a value in it is of the wrong kind.
    #[error("line {line}, column {column}{}: {problem}", after_comma(.path))]
    Json {
        /// Line, from 1.
        line: usize,
        /// Column, from 1.
        column: usize,
        /// The value it is about; empty where that is not known.
        path: String,
        /// The message of the parser.
        problem: String,
    },
    /// The file is of another version of glTF.
    #[error("asset.version: expected glTF 2.0, found {}", escape::text(.found))]
    Version {
        /// The version that it is of, or needs.
        found: String,
    },
    /// A reference to something that is not there.
    #[error("{path}: refers to {what} {index}, but there are {count}")]
    Reference {
        /// Where.
        path: String,
        /// What it refers to.
        what: &'static str,
        /// Which.
        index: u32,
        /// How many there are.
        count: usize,
    },
    /// Something breaks a rule of the format.
    #[error("{path}: expected {expected}, found {found}")]
    Invalid {
        /// Where.
        path: String,
        /// What was expected.
        expected: String,
        /// What was found.
        found: String,
    },
    /// The bytes of a buffer cannot be had.
    #[error("{path}: {problem}")]
    Buffer {
        /// Which.
        path: String,
        /// Why not.
        problem: String,
    },
    /// Something that is needed is packed in a way that is not read.
    #[error("{path}: the keys are packed by {extension} and cannot be unpacked: {problem}")]
    Compressed {
        /// The view.
        path: String,
        /// What packed it.
        extension: String,
        /// Why not.
        problem: String,
    },
    /// Something is larger than allowed, or than the file's bytes can hold.
    #[error("{what} is too large: {found}, at most {limit} are allowed")]
    TooLarge {
        /// What.
        what: String,
        /// How large it is, or claims to be.
        found: u64,
        /// How large it may be.
        limit: u64,
    },
    /// There is no node to make a joint of.
    #[error("there is no node that could be a joint")]
    NoNodes,
    /// The nodes make no skeleton.
    #[error("the nodes make no skeleton: {0}")]
    Skeleton(Box<SkeletonError>),
    /// The keys of a channel cannot be used.
    #[error("{path}: {source}")]
    Animation {
        /// The channel or sampler.
        path: String,
        /// What is wrong.
        source: AnimationError,
    },
}

/// Why a motion could not be written as glTF.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GltfWriteError {
    /// A GLB container holds at most 4 GiB.
    #[error(
        "{bytes} bytes do not fit into a GLB container, which holds {}",
        u32::MAX
    )]
    TooLarge {
        /// How large it would be.
        bytes: u64,
    },
    /// A joint rests so far away that `f32` cannot say where.
    #[error("joint {joint} {} rests too far away for 32-bit numbers", escape::text(.name))]
    FarAway {
        /// Its position in the skeleton.
        joint: usize,
        /// Its name.
        name: String,
    },
    /// The file that is written again cannot be read.
    #[error("the source cannot be written again: {problem}")]
    Source {
        /// Why not.
        problem: String,
    },
    /// The skeleton is not that of the file that is written again.
    #[error("the skeleton has other joints than the glTF file that is to be kept")]
    OtherSkeleton,
    /// The JSON could not be made.
    #[error("the JSON could not be made: {problem}")]
    Json {
        /// Why not.
        problem: String,
    },
}

/// Refuses what is larger than allowed.
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

/// The entry of a list that something refers to.
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
