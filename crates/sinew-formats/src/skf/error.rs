//! Errors of reading or writing a `.skf` file.

use crate::escape;
use crate::limits;
use sinew::skelform::ArmatureError;

/// An error of reading or writing a character.
///
/// Entry names are stored unchanged, and displayed truncated and escaped.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SkfError {
    /// The file could not be opened or read.
    #[error("cannot read the file: {0}")]
    Io(#[from] std::io::Error),
    /// The file is empty.
    #[error("the file is empty; expected a .skf archive")]
    Empty,
    /// The file is a Git LFS pointer.
    #[error(
        "this is a Git LFS pointer, not the character itself; run `git lfs pull` to fetch the file"
    )]
    LfsPointer,
    /// Neither an archive nor JSON.
    #[error(
        "expected a .skf archive (a zip file, starting with \"PK\") or armature.json (starting with \
         \"{{\"), found {found}"
    )]
    NotSkf {
        /// The first bytes.
        found: String,
    },
    /// The archive is truncated.
    #[error(
        "the archive is cut off: {bytes} bytes hold its beginning but not the list of its files; \
         copy or download it again"
    )]
    Truncated {
        /// Number of bytes.
        bytes: usize,
    },
    /// The archive is damaged.
    #[error("the archive is damaged: {0}")]
    Archive(String),
    /// An entry could not be unpacked.
    #[error("{}: cannot be unpacked: {problem}", escape::name(.entry))]
    Unpack {
        /// The entry.
        entry: String,
        /// Cause.
        problem: String,
    },
    /// The archive has no `armature.json`.
    #[error("there is no armature.json in the archive{}", hint(.found))]
    NoArmature {
        /// Entries of the archive.
        found: Vec<String>,
    },
    /// Something is larger than allowed.
    #[error("{} is too large: {found}, at most {limit} are allowed", escape::name(.what))]
    TooLarge {
        /// Name of what is too large.
        what: String,
        /// Actual or stated size.
        found: u64,
        /// Maximum size.
        limit: u64,
    },
    /// An entry expands far beyond its compressed size: a zip bomb.
    #[error(
        "{}: {packed} bytes unpack to more than {} times as much; refused as a zip bomb",
        escape::name(.entry),
        limits::MAX_EXPANSION
    )]
    Bomb {
        /// The entry.
        entry: String,
        /// Its compressed size.
        packed: u64,
    },
    /// The JSON cannot be parsed.
    #[error("{}, line {line}, column {column}: {problem}", escape::name(.entry))]
    Json {
        /// The entry.
        entry: String,
        /// Line, from 1.
        line: usize,
        /// Column, from 1.
        column: usize,
        /// Message of the parser.
        problem: String,
        /// What was expected; empty if `problem` does not name it.
        expected: Box<str>,
        /// What was found; empty if `problem` does not name it.
        found: Box<str>,
    },
    /// The JSON does not have the structure of a character.
    #[error("armature.json: {place}: expected {expected}, found {found}")]
    Shape {
        /// Place in the file.
        place: String,
        /// What was expected.
        expected: &'static str,
        /// What was found.
        found: &'static str,
    },
    /// The number of pictures differs from the number of atlases.
    #[error("the character has {atlases} atlases, but {pictures} pictures were given")]
    Pictures {
        /// Number of atlases.
        atlases: usize,
        /// Number of pictures.
        pictures: usize,
    },
    /// The file has an animation of that name.
    #[error("there is an animation named {} already", escape::name(.name))]
    AnimationExists {
        /// The name.
        name: String,
    },
    /// An animation cannot be added to the file.
    #[error("the animation cannot be added: {0}")]
    CannotAdd(String),
    /// The character breaks a rule and cannot be repaired.
    #[error("armature.json: {0}")]
    Armature(#[from] ArmatureError),
}

fn hint(found: &[String]) -> String {
    let nested = found
        .iter()
        .find(|name| name.ends_with(".skf") || name.ends_with(".skfe"));
    match (nested, found) {
        (Some(nested), _) => {
            let nested = escape::name(nested);
            format!("; it holds another character, {nested}: unpack that one first")
        }
        (None, []) => "; it is empty".to_owned(),
        (None, found) => {
            let names: Vec<String> = found.iter().map(|name| escape::name(name)).collect();
            format!("; it holds {}", names.join(", "))
        }
    }
}
