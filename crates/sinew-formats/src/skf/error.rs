//! Why a `.skf` file could not be read or written.

use crate::limits;
use sinew::ArmatureError;
use std::path::PathBuf;

/// Why a character could not be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SkfError {
    /// The file could not be opened or read.
    #[error("cannot read the file: {0}")]
    Io(#[from] std::io::Error),
    /// There is nothing in it.
    #[error("the file is empty; expected a .skf archive")]
    Empty,
    /// A Git LFS pointer stands in its place.
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
    /// The archive ends early.
    #[error(
        "the archive is cut off: {bytes} bytes hold its beginning but not the list of its files; \
         copy or download it again"
    )]
    Truncated {
        /// How many bytes there are.
        bytes: usize,
    },
    /// The archive is damaged.
    #[error("the archive is damaged: {0}")]
    Archive(String),
    /// An entry could not be unpacked.
    #[error("{entry}: cannot be unpacked: {problem}")]
    Unpack {
        /// The entry.
        entry: String,
        /// Why not.
        problem: String,
    },
    /// The archive has no `armature.json`.
    #[error("there is no armature.json in the archive{}", hint(.found))]
    NoArmature {
        /// What is there instead.
        found: Vec<String>,
    },
    /// Something is larger than allowed.
    #[error("{what} is too large: {found}, at most {limit} are allowed")]
    TooLarge {
        /// What.
        what: String,
        /// How large it is, or claims to be.
        found: u64,
        /// How large it may be.
        limit: u64,
    },
    /// An entry unpacks to far more than its compressed size: a zip bomb.
    #[error(
        "{entry}: {packed} bytes unpack to more than {} times as much; refused as a zip bomb",
        limits::MAX_EXPANSION
    )]
    Bomb {
        /// The entry.
        entry: String,
        /// Its compressed size.
        packed: u64,
    },
    /// The JSON cannot be parsed.
    #[error("{entry}, line {line}, column {column}: {problem}")]
    Json {
        /// The entry.
        entry: String,
        /// Line, from 1.
        line: usize,
        /// Column, from 1.
        column: usize,
        /// What the parser says.
        problem: String,
    },
    /// The JSON has another shape than a character's.
    #[error("armature.json: {place}: expected {expected}, found {found}")]
    Shape {
        /// Where.
        place: String,
        /// What should stand there.
        expected: &'static str,
        /// What stands there.
        found: &'static str,
    },
    /// The character breaks a rule that could not be repaired.
    #[error("armature.json: {0}")]
    Armature(#[from] ArmatureError),
}

/// An [`SkfError`] with the file it is about.
#[derive(Debug, thiserror::Error)]
#[error("{}: {source}", path.display())]
pub struct SkfFileError {
    /// The file.
    pub path: PathBuf,
    /// What is wrong.
    pub source: SkfError,
}

fn hint(found: &[String]) -> String {
    let nested = found
        .iter()
        .find(|name| name.ends_with(".skf") || name.ends_with(".skfe"));
    match (nested, found) {
        (Some(nested), _) => {
            format!("; it holds another character, {nested}: unpack that one first")
        }
        (None, []) => "; it is empty".to_owned(),
        (None, found) => format!("; it holds {}", found.join(", ")),
    }
}
