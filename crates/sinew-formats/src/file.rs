//! Files as bytes, and errors with their paths.

use crate::escape;
use crate::limits::MAX_FILE_BYTES;
use std::io::Read;
use std::path::{Path, PathBuf};

/// An error with the file that it is about.
#[derive(Debug, thiserror::Error)]
#[error("{}: {source}", escape::path(path))]
pub struct FileError<E> {
    /// The file.
    pub path: PathBuf,
    /// What is wrong.
    pub source: E,
}

impl<E> FileError<E> {
    /// A function that adds `path` to an error, for `map_err`.
    pub fn at(path: &Path) -> impl FnOnce(E) -> Self {
        move |source| Self {
            path: path.to_owned(),
            source,
        }
    }
}

/// Why a file could not be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    /// The content does not fit the format: the error of the format's `write_bytes`.
    #[error(transparent)]
    Content(Box<dyn std::error::Error + Send + Sync>),
    /// The file could not be created or written.
    #[error("cannot write the file: {0}")]
    Io(#[from] std::io::Error),
}

/// Writes the bytes that a format's `write_bytes` gave.
pub(crate) fn save<E: std::error::Error + Send + Sync + 'static>(
    path: &Path,
    bytes: Result<Vec<u8>, E>,
) -> Result<(), FileError<WriteError>> {
    let bytes = bytes.map_err(|error| WriteError::Content(Box::new(error)));
    let written = bytes.and_then(|bytes| Ok(std::fs::write(path, bytes)?));
    written.map_err(FileError::at(path))
}

/// As [`save`], of bytes that cannot fail.
pub(crate) fn save_bytes(path: &Path, bytes: Vec<u8>) -> Result<(), FileError<WriteError>> {
    save(path, Ok::<_, std::convert::Infallible>(bytes))
}

/// The bytes of a file. Fails if there are more than [`MAX_FILE_BYTES`]: before reading if the length is known, else
/// one byte above the limit.
pub(crate) fn load(path: &Path) -> std::io::Result<Vec<u8>> {
    let file = std::fs::File::open(path)?;
    let length = file.metadata()?.len();
    check_length(length)?;
    let mut bytes = Vec::with_capacity(length as usize);
    // A device reports no length, and a file may grow.
    file.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes)?;
    check_length(bytes.len() as u64)?;
    Ok(bytes)
}

fn check_length(length: u64) -> std::io::Result<()> {
    if length <= MAX_FILE_BYTES {
        return Ok(());
    }
    let problem = format!("the file is too large: {length}, at most {MAX_FILE_BYTES} are allowed");
    Err(std::io::Error::new(
        std::io::ErrorKind::FileTooLarge,
        problem,
    ))
}
