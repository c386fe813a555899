//! Why a `.skf` file could not be read or written.

use crate::escape;
use crate::limits;
use sinew::skelform::ArmatureError;

/// Why a character could not be read or written.
///
/// Names of files in the archive are held as they are, and shown cut and escaped.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SkfError {
    /// The file could not be opened or read.
    #[error("cannot read the file: {0}")]
    Io(#[from] std::io::Error),
    /// There is nothing in it.
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
    #[error("{}: cannot be unpacked: {problem}", escape::name(.entry))]
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
    #[error("{} is too large: {found}, at most {limit} are allowed", escape::name(.what))]
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
        /// The message of the parser.
        problem: String,
    },
    /// The JSON has another shape than a character's.
    #[error("armature.json: {place}: expected {expected}, found {found}")]
    Shape {
        /// Where.
        place: String,
        /// What was expected.
        expected: &'static str,
        /// What was found.
        found: &'static str,
    },
    /// A character was to be written with more or fewer pictures than it has atlases.
    #[error("the character has {atlases} atlases, but {pictures} pictures were given")]
    Pictures {
        /// How many atlases there are.
        atlases: usize,
        /// How many pictures were given.
        pictures: usize,
    },
    /// The character breaks a rule that could not be repaired.
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
